// The WebSocket of one viewer and its unsent messages. Used only by the hub's thread, except for
// the members that the hub's lock guards.
#ifndef STUDIO_VIEWER_H
#define STUDIO_VIEWER_H

#include <wslay/wslay.h>

#include "studio_hub.h"

// A text message, reference counted and shared by several viewers.
typedef struct studio_text {
  pl_context *context;
  atomic_int uses;
  size_t size;
  char bytes[];
} studio_text;

studio_text *studio_text_create(pl_context *context, const char *bytes, size_t size);
void studio_text_release(studio_text *text);

// Maximum unsent answers of a viewer, and maximum messages queued on its WebSocket: answers, one
// frame, and pongs.
enum { STUDIO_MAX_ANSWERS = 64, STUDIO_MAX_HELD = 256 };

typedef struct studio_viewer {
  studio_hub *hub;
  uint32_t number;  // from 1, never reused
  int socket;
  struct MHD_UpgradeResponseHandle *handle;
  wslay_event_context_ptr events;
  char *early;  // bytes received together with the handshake
  size_t early_size, early_at;
  size_t read_left;  // bytes that may still be read in this pass
  bool failed;       // the connection is broken or timed out
  int fragments;     // of the message being received, not counting the first
  bool leaving;      // a close frame is queued; further input is discarded
  bool ended;        // the close frame was sent
  double end_by;     // s: deadline for closing the connection; 0 before `leaving`
  size_t drained;    // bytes of input discarded
  uint32_t wants;
  int64_t seen_scene, seen_frame;  // numbers of the last scene and frame that were sent
  // Guarded by the hub's lock:
  studio_text *slots[STUDIO_SLOT_COUNT];
  int64_t slot_scene;  // number of the scene in its slot
  studio_text *queue[STUDIO_MAX_ANSWERS];
  int queue_start, queue_count;
  bool overrun;  // the queue of answers overflowed
} studio_viewer;

// Set up the WebSocket of a viewer; false: out of memory.
bool studio_viewer_open(studio_viewer *viewer, pl_context *context, const void *early,
                        size_t early_size);

// Free everything that a viewer owns, including the connection.
void studio_viewer_close(studio_viewer *viewer, pl_context *context);

// Read available input; complete messages go to studio_hub_receive().
void studio_viewer_read(studio_viewer *viewer);

// Write as much as the connection accepts.
void studio_viewer_write(studio_viewer *viewer);

// Queue a message on the WebSocket, which copies it.
void studio_viewer_send(studio_viewer *viewer, bool binary, const void *bytes, size_t size);

// Whether the viewer does not read: more than STUDIO_MAX_HELD messages are queued.
bool studio_viewer_is_congested(const studio_viewer *viewer);

// Queue a close frame with a status code and a reason. Nothing more is read.
void studio_viewer_end(studio_viewer *viewer, uint16_t code, const char *reason);

// Handle a message of a viewer (studio_hub.c).
void studio_hub_receive(studio_hub *hub, studio_viewer *viewer, bool binary, const char *bytes,
                        size_t size);

// Close the connection to a viewer, and log the reason (studio_hub.c).
void studio_hub_disconnect(studio_hub *hub, studio_viewer *viewer, uint16_t code,
                           const char *reason);

#endif
