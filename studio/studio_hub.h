// The WebSocket connections to all viewers, served by one thread (RFC 6455, by wslay).
//
// Nothing here blocks on a viewer. Each viewer has one slot for each of `scene`, `findings`,
// `capture`, `state` and `telemetry`, in which a new message replaces an unsent one, and a short
// queue of answers. A binary frame is encoded from the newest frame when everything before it was
// sent.
#ifndef STUDIO_HUB_H
#define STUDIO_HUB_H

#include "studio_command_queue.h"
#include "studio_frame.h"
#include "studio_log.h"

struct MHD_UpgradeResponseHandle;

typedef struct studio_hub studio_hub;

// Where a text message to a viewer waits.
typedef enum studio_slot {
  STUDIO_SLOT_FINDINGS = 0,
  STUDIO_SLOT_SCENE,
  STUDIO_SLOT_CAPTURE,
  STUDIO_SLOT_STATE,
  STUDIO_SLOT_TELEMETRY,
  STUDIO_SLOT_COUNT,
  STUDIO_ANSWER_QUEUE = STUDIO_SLOT_COUNT,  // the queue of answers, sent in order; a viewer that
                                            // leaves too many unread is disconnected
} studio_slot;

// Maximum viewers, and maximum bytes of a message from a viewer.
enum { STUDIO_MAX_VIEWERS = 32, STUDIO_MAX_MESSAGE = 8 << 20 };

// Start the thread; requests of viewers go to `queue`. NULL: out of memory or threads.
studio_hub *studio_hub_create(pl_context *context, studio_command_queue *queue, studio_log *log);

// Close all connections and end the thread. NULL is allowed.
void studio_hub_destroy(studio_hub *hub);

bool studio_hub_has_free_slot(studio_hub *hub);

// Add a connection; `early` are bytes that were already read from it. The hub closes the handle
// when the connection ends, or if there is no free slot.
void studio_hub_add(studio_hub *hub, struct MHD_UpgradeResponseHandle *handle, int socket,
                    const void *early, size_t early_size);

// Send a text to a viewer, or to all (0). `scene` is the number of the scene for STUDIO_SLOT_SCENE;
// the viewer then gets only frames of this scene.
void studio_hub_send(studio_hub *hub, uint32_t viewer, studio_slot slot, int64_t scene,
                     const char *text, size_t size);

// Make this the newest frame; the hub takes over the caller's reference.
void studio_hub_publish(studio_hub *hub, studio_frame *frame);

// Union of the parts that viewers subscribed to (STUDIO_WANT_*).
uint32_t studio_hub_wants(studio_hub *hub);
int32_t studio_hub_viewer_count(studio_hub *hub);

#endif
