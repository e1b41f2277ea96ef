// One viewer's conversation: the WebSocket and what is waiting to be sent. Used by the hub's thread alone but for what the hub's lock guards.
#ifndef STUDIO_VIEWER_H
#define STUDIO_VIEWER_H

#include <wslay/wslay.h>

#include "studio_hub.h"

// A text that several viewers may be waiting for.
typedef struct studio_text {
  pl_context *context;
  atomic_int uses;
  size_t size;
  char bytes[];
} studio_text;

studio_text *studio_text_create(pl_context *context, const char *bytes, size_t size);
void studio_text_release(studio_text *text);

// Maximum answers that wait for a viewer, and maximum messages that the WebSocket holds for it: those, one frame, and answers to its pings.
enum { STUDIO_MAX_ANSWERS = 64, STUDIO_MAX_HELD = 256 };

typedef struct studio_viewer {
  studio_hub *hub;
  uint32_t number;  // from 1 on, never used twice
  int socket;
  struct MHD_UpgradeResponseHandle *handle;
  wslay_event_context_ptr events;
  char *early;  // bytes that came with the handshake
  size_t early_size, early_at;
  size_t read_left;  // bytes that may still be read in this turn
  bool failed;       // the connection is broken
  int fragments;     // of the message that is being read, after the first
  bool leaving;      // goodbye is to be said; what still comes is thrown away
  bool ended;        // goodbye was said
  double end_by;     // s: when the connection is closed in any case; 0 before goodbye is to be said
  size_t drained;    // bytes thrown away
  uint32_t wants;
  int64_t seen_scene, seen_frame;  // last that were sent
  // Guarded by the hub's lock:
  studio_text *slots[STUDIO_SLOT_COUNT];
  int64_t slot_scene;  // number of the scene in its slot
  studio_text *queue[STUDIO_MAX_ANSWERS];
  int queue_start, queue_count;
  bool overrun;  // more was to be queued than there is room for
} studio_viewer;

// Prepare the WebSocket of a viewer; false when out of memory.
bool studio_viewer_open(studio_viewer *viewer, pl_context *context, const void *early, size_t early_size);

// Give back all that a viewer holds, the connection included.
void studio_viewer_close(studio_viewer *viewer, pl_context *context);

// Read what has come; messages are handed to studio_hub_receive().
void studio_viewer_read(studio_viewer *viewer);

// Write as much as the connection takes.
void studio_viewer_write(studio_viewer *viewer);

// Queue a message on the WebSocket, which copies it.
void studio_viewer_send(studio_viewer *viewer, bool binary, const void *bytes, size_t size);

// Whether it leaves unread what it is sent, and more than is held for it has come.
bool studio_viewer_is_congested(const studio_viewer *viewer);

// Say goodbye with a status code and a reason. Nothing more is read.
void studio_viewer_end(studio_viewer *viewer, uint16_t code, const char *reason);

// A message of a viewer (studio_hub.c).
void studio_hub_receive(studio_hub *hub, studio_viewer *viewer, bool binary, const char *bytes, size_t size);

// End the conversation with a viewer, and say why in the log (studio_hub.c).
void studio_hub_disconnect(studio_hub *hub, studio_viewer *viewer, uint16_t code, const char *reason);

#endif
