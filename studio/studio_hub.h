// All conversations with viewers, in one thread: sockets that web requests were upgraded to, read and written as WebSockets (RFC 6455, by wslay).
//
// Nothing here waits for a viewer. What is to be sent to one stands in slots of which the newest replaces an unsent one (scene, findings, capture, state, telemetry), in a short
// queue of answers, or is made from the newest frame when the connection has taken all that went before.
#ifndef STUDIO_HUB_H
#define STUDIO_HUB_H

#include "studio_command_queue.h"
#include "studio_frame.h"
#include "studio_log.h"

struct MHD_UpgradeResponseHandle;

typedef struct studio_hub studio_hub;

// Where a text to a viewer goes.
typedef enum studio_slot {
  STUDIO_SLOT_FINDINGS = 0,
  STUDIO_SLOT_SCENE,
  STUDIO_SLOT_CAPTURE,
  STUDIO_SLOT_STATE,
  STUDIO_SLOT_TELEMETRY,
  STUDIO_SLOT_COUNT,
  STUDIO_SLOT_NONE = STUDIO_SLOT_COUNT,  // in the order of posting; a viewer that leaves too many unread is let go
} studio_slot;

// Most viewers at a time, and the longest message from one.
enum { STUDIO_MAX_VIEWERS = 32, STUDIO_MAX_MESSAGE = 8 << 20 };

// Begin; messages go to `queue`. NULL when out of memory or threads.
studio_hub *studio_hub_create(pl_context *context, studio_command_queue *queue, studio_log *log);

// Say goodbye to all viewers and end. NULL is allowed.
void studio_hub_destroy(studio_hub *hub);

bool studio_hub_has_free_slot(studio_hub *hub);

// Take over a connection; `early` are bytes that were read from it already. Gives the handle back when the conversation is over, or when there is no room.
void studio_hub_add(studio_hub *hub, struct MHD_UpgradeResponseHandle *handle, int socket, const void *early, size_t early_size);

// Send a text to a viewer, or to all (0). `scene` is the number of the scene for its slot; frames of other scenes are not shown to who got it.
void studio_hub_send(studio_hub *hub, uint32_t viewer, studio_slot slot, int64_t scene, const char *text, size_t size);

// Show a frame; the hub takes over the caller's hold.
void studio_hub_publish(studio_hub *hub, studio_frame *frame);

// What viewers want, all together.
uint32_t studio_hub_wants(studio_hub *hub);
int32_t studio_hub_viewer_count(studio_hub *hub);

#endif
