// The thread that serves all viewers.
#define _GNU_SOURCE
#include "studio_hub.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/context.h"
#include "studio_viewer.h"

// Maximum values in a message, and maximum bytes of an id that is a text.
enum { VALUE_LIMIT = 4096, ID_LIMIT = 60 };

struct studio_hub {
  pl_context *context;
  studio_command_queue *queue;
  studio_log *log;
  pthread_t thread;
  int wake;               // eventfd that ends poll()
  pl_vector frame_bytes;  // the binary frame that is being encoded
  // The lock guards the members that follow; only the hub's thread removes viewers.
  pthread_mutex_t lock;
  studio_viewer *viewers[STUDIO_MAX_VIEWERS];
  int viewer_count;
  uint32_t last_number;
  studio_frame *newest;
  bool stop;
};

static void wake_up(studio_hub *hub) {
  const uint64_t one = 1;
  // Fails only if the counter is at its maximum, and then the thread wakes up anyway.
  ssize_t written = write(hub->wake, &one, sizeof one);
  (void)written;
}

// --- called by other threads
// ------------------------------------------------------------------------------------------

bool studio_hub_has_free_slot(studio_hub *hub) {
  pthread_mutex_lock(&hub->lock);
  bool is_free = hub->viewer_count < STUDIO_MAX_VIEWERS && !hub->stop;
  pthread_mutex_unlock(&hub->lock);
  return is_free;
}

void studio_hub_add(studio_hub *hub, struct MHD_UpgradeResponseHandle *handle, int socket, const void *early,
                    size_t early_size) {
  studio_viewer *viewer = pl_allocate_array(hub->context, 1, sizeof *viewer);
  bool added = false;
  if (viewer != NULL) {
    *viewer = (studio_viewer){.hub = hub, .socket = socket, .handle = handle};
    bool open = studio_viewer_open(viewer, hub->context, early, early_size);
    pthread_mutex_lock(&hub->lock);
    if (open && hub->viewer_count < STUDIO_MAX_VIEWERS && !hub->stop) {
      viewer->number = ++hub->last_number;
      hub->viewers[hub->viewer_count++] = viewer;
      added = true;
    }
    pthread_mutex_unlock(&hub->lock);
  }
  if (added) {
    wake_up(hub);
    return;
  }
  if (viewer == NULL) MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
  if (viewer != NULL) studio_viewer_close(viewer, hub->context);
  pl_release(hub->context, viewer);
}

// Add a text to a viewer, which takes its own reference. Needs the lock.
static void put_text(studio_viewer *viewer, studio_slot slot, int64_t scene, studio_text *text) {
  if (slot == STUDIO_ANSWER_QUEUE && viewer->queue_count == STUDIO_MAX_ANSWERS) {
    viewer->overrun = true;
    return;
  }
  atomic_fetch_add(&text->uses, 1);
  if (slot == STUDIO_ANSWER_QUEUE) {
    viewer->queue[(viewer->queue_start + viewer->queue_count++) % STUDIO_MAX_ANSWERS] = text;
    return;
  }
  studio_text_release(viewer->slots[slot]);
  viewer->slots[slot] = text;
  if (slot != STUDIO_SLOT_SCENE) return;
  viewer->slot_scene = scene;
  // An unsent `capture` message belongs to the previous scene.
  studio_text_release(viewer->slots[STUDIO_SLOT_CAPTURE]);
  viewer->slots[STUDIO_SLOT_CAPTURE] = NULL;
}

void studio_hub_send(studio_hub *hub, uint32_t viewer, studio_slot slot, int64_t scene, const char *text, size_t size) {
  studio_text *shared = studio_text_create(hub->context, text, size);
  if (shared == NULL) return;
  pthread_mutex_lock(&hub->lock);
  for (int i = 0; i < hub->viewer_count; ++i)
    if (viewer == 0 || hub->viewers[i]->number == viewer) put_text(hub->viewers[i], slot, scene, shared);
  pthread_mutex_unlock(&hub->lock);
  studio_text_release(shared);
  wake_up(hub);
}

void studio_hub_publish(studio_hub *hub, studio_frame *frame) {
  pthread_mutex_lock(&hub->lock);
  studio_frame *before = hub->newest;
  hub->newest = frame;
  pthread_mutex_unlock(&hub->lock);
  studio_frame_release(before);
  wake_up(hub);
}

uint32_t studio_hub_wants(studio_hub *hub) {
  uint32_t wants = 0;
  pthread_mutex_lock(&hub->lock);
  for (int i = 0; i < hub->viewer_count; ++i) wants |= hub->viewers[i]->wants;
  pthread_mutex_unlock(&hub->lock);
  return wants;
}

int32_t studio_hub_viewer_count(studio_hub *hub) {
  pthread_mutex_lock(&hub->lock);
  int32_t count = hub->viewer_count;
  pthread_mutex_unlock(&hub->lock);
  return count;
}

// --- receiving
// -------------------------------------------------------------------------------------------------------------

static uint32_t read_wants(const pl_json *message) {
  static const struct {
    const char *key;
    uint32_t bit;
  } flags[] = {{"particles", STUDIO_WANT_PARTICLES}, {"ghost", STUDIO_WANT_GHOST},       {"exact", STUDIO_WANT_EXACT},
               {"quantised", STUDIO_WANT_QUANTISED}, {"contacts", STUDIO_WANT_CONTACTS}, {"coarse", STUDIO_WANT_COARSE},
               {"cloud", STUDIO_WANT_CLOUD}},
    colors[] = {{"stretch", STUDIO_WANT_STRETCH},
                {"stress", STUDIO_WANT_STRESS},
                {"speed", STUDIO_WANT_SPEED},
                {"segments", STUDIO_WANT_SEGMENTS}};
  uint32_t wants = 0;
  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; ++i) {
    bool on = false;
    if (pl_json_get_bool(pl_json_find(message, flags[i].key), &on) && on) wants |= flags[i].bit;
  }
  for (size_t i = 0; i < sizeof colors / sizeof colors[0]; ++i)
    if (pl_json_is_text(pl_json_find(message, "colors"), colors[i].key)) wants |= colors[i].bit;
  return wants;
}

void studio_hub_disconnect(studio_hub *hub, studio_viewer *viewer, uint16_t code, const char *reason) {
  studio_log_write(hub->log, PL_SEVERITY_WARNING, "viewer %u was disconnected: %s", viewer->number, reason);
  studio_viewer_end(viewer, code, reason);
}

// A long message is a scene file in one text. The same size in numbers would take fifty times as much memory when
// parsed. Counts commas outside of texts.
static bool has_too_many_values(const char *bytes, size_t size) {
  size_t count = 0;
  bool text = false;
  for (size_t i = 0; size > VALUE_LIMIT && i < size; ++i) {
    if (bytes[i] == '"') text = !text;
    if (text && bytes[i] == '\\') ++i;
    if (!text && bytes[i] == ',' && ++count > VALUE_LIMIT) return true;
  }
  return false;
}

void studio_hub_receive(studio_hub *hub, studio_viewer *viewer, bool binary, const char *bytes, size_t size) {
  if (binary) {
    studio_hub_disconnect(hub, viewer, WSLAY_CODE_UNSUPPORTED_DATA, "it sent a binary message; messages must be text");
    return;
  }
  pl_json_document *message = NULL;
  const char *name = NULL, *id = "";
  if (has_too_many_values(bytes, size)) {
    studio_hub_disconnect(hub, viewer, WSLAY_CODE_MESSAGE_TOO_BIG, "its message has too many values");
    return;
  }
  if (pl_json_parse(hub->context, bytes, size, "message", NULL, &message, NULL) != PL_OK ||
      !pl_json_get_text(pl_json_find(message->root, "kind"), &name)) {
    pl_json_document_destroy(message);
    studio_hub_disconnect(hub, viewer, WSLAY_CODE_INVALID_FRAME_PAYLOAD_DATA,
                          "its message is not a JSON object with a text `kind`");
    return;
  }
  // The id is repeated in every answer, so its length is limited.
  if (pl_json_get_text(pl_json_find(message->root, "id"), &id) && strlen(id) > ID_LIMIT) {
    static const char refusal[] =
        "{\"kind\":\"error\",\"text\":\"the `id` of a request is too long; use a number, or a text of at most 60 "
        "bytes\"}";
    pl_json_document_destroy(message);
    studio_hub_send(hub, viewer->number, STUDIO_ANSWER_QUEUE, 0, refusal, sizeof refusal - 1);
    return;
  }
  if (strcmp(name, "want") == 0) {
    pthread_mutex_lock(&hub->lock);
    viewer->wants = read_wants(message->root);
    pthread_mutex_unlock(&hub->lock);
    // The encoding may have changed: send all parts again.
    viewer->seen_frame = 0;
    pl_json_document_destroy(message);
    (void)studio_command_queue_push(hub->queue,
                                    (studio_command){.kind = STUDIO_COMMAND_REFRESH, .viewer = viewer->number});
    return;
  }
  if (studio_command_queue_push(hub->queue, (studio_command){STUDIO_COMMAND_MESSAGE, viewer->number, message, name,
                                                             message->arena.byte_count}))
    return;
  pl_json_document_destroy(message);
  studio_hub_disconnect(hub, viewer, WSLAY_CODE_POLICY_VIOLATION, "it sends requests faster than they can be answered");
}

// --- sending
// -------------------------------------------------------------------------------------------------------------

static void send_hello(studio_hub *hub, studio_viewer *viewer) {
  char text[128];
  pthread_mutex_lock(&hub->lock);
  bool open = hub->newest != NULL;
  pthread_mutex_unlock(&hub->lock);
  int size = snprintf(text, sizeof text, "{\"kind\":\"hello\",\"version\":1,\"pliant\":\"%s\",\"scene\":%s}",
                      pl_version(), open ? "true" : "false");
  studio_viewer_send(viewer, false, text, (size_t)size);
}

static void send_text(studio_viewer *viewer, studio_text *text) {
  if (text == NULL) return;
  studio_viewer_send(viewer, false, text->bytes, text->size);
  studio_text_release(text);
}

// Send all waiting texts, with the scene before answers, state and telemetry, so that a page can use them.
static void send_texts(studio_hub *hub, studio_viewer *viewer) {
  studio_text *slots[STUDIO_SLOT_COUNT], *queue[STUDIO_MAX_ANSWERS];
  pthread_mutex_lock(&hub->lock);
  int count = viewer->queue_count;
  memcpy(slots, viewer->slots, sizeof slots);
  memset(viewer->slots, 0, sizeof viewer->slots);
  for (int i = 0; i < count; ++i) queue[i] = viewer->queue[(viewer->queue_start + i) % STUDIO_MAX_ANSWERS];
  viewer->queue_count = viewer->queue_start = 0;
  int64_t scene = viewer->slot_scene;
  pthread_mutex_unlock(&hub->lock);
  if (slots[STUDIO_SLOT_SCENE] != NULL) {
    viewer->seen_scene = scene;
    viewer->seen_frame = 0;
  }
  send_text(viewer, slots[STUDIO_SLOT_FINDINGS]);
  send_text(viewer, slots[STUDIO_SLOT_SCENE]);
  send_text(viewer, slots[STUDIO_SLOT_CAPTURE]);
  for (int i = 0; i < count; ++i) send_text(viewer, queue[i]);
  send_text(viewer, slots[STUDIO_SLOT_STATE]);
  send_text(viewer, slots[STUDIO_SLOT_TELEMETRY]);
}

static void send_frame(studio_hub *hub, studio_viewer *viewer) {
  pthread_mutex_lock(&hub->lock);
  studio_frame *frame = studio_frame_retain(hub->newest);
  pthread_mutex_unlock(&hub->lock);
  if (frame != NULL && frame->scene == viewer->seen_scene && frame->number > viewer->seen_frame) {
    hub->frame_bytes.count = 0;
    if (studio_frame_encode(frame, viewer->wants, viewer->seen_frame, &hub->frame_bytes))
      studio_viewer_send(viewer, true, hub->frame_bytes.items, hub->frame_bytes.count);
    viewer->seen_frame = frame->number;
  }
  studio_frame_release(frame);
}

// Whether there is something new to send to a viewer.
static bool has_unsent(studio_hub *hub, studio_viewer *viewer) {
  pthread_mutex_lock(&hub->lock);
  bool unsent = viewer->queue_count > 0;
  for (int i = 0; i < STUDIO_SLOT_COUNT; ++i) unsent = unsent || viewer->slots[i] != NULL;
  const studio_frame *newest = hub->newest;
  unsent = unsent || (newest != NULL && newest->scene == viewer->seen_scene && newest->number > viewer->seen_frame);
  pthread_mutex_unlock(&hub->lock);
  return unsent;
}

// Whether a viewer does not read answers and pongs. Unread frames and states are dropped instead, and are not a reason
// to disconnect.
static bool leaves_answers(studio_hub *hub, const studio_viewer *viewer) {
  pthread_mutex_lock(&hub->lock);
  bool overrun = viewer->overrun;
  pthread_mutex_unlock(&hub->lock);
  return overrun || studio_viewer_is_congested(viewer);
}

static void serve(studio_hub *hub, studio_viewer *viewer, short events) {
  if (viewer->seen_scene == 0 && viewer->seen_frame == 0) {
    // First pass: send `hello`; the world sends the rest.
    send_hello(hub, viewer);
    viewer->seen_scene = -1;
    (void)studio_command_queue_push(hub->queue,
                                    (studio_command){.kind = STUDIO_COMMAND_JOIN, .viewer = viewer->number});
  }
  if (events & (POLLERR | POLLNVAL)) viewer->failed = true;
  bool early = viewer->early_at < viewer->early_size;
  if (!viewer->failed && (early || events & (POLLIN | POLLHUP))) studio_viewer_read(viewer);
  bool ended = viewer->ended;
  if (!viewer->failed) studio_viewer_write(viewer);
  if (!viewer->failed && !viewer->leaving && leaves_answers(hub, viewer)) {
    studio_hub_disconnect(hub, viewer, WSLAY_CODE_POLICY_VIOLATION, "it does not read its answers");
    studio_viewer_write(viewer);
  }
  if (!viewer->failed && !viewer->leaving && wslay_event_get_queued_msg_count(viewer->events) == 0 &&
      has_unsent(hub, viewer)) {
    send_texts(hub, viewer);
    send_frame(hub, viewer);
    studio_viewer_write(viewer);
  }
  uint16_t code = viewer->ended && !ended ? wslay_event_get_status_code_sent(viewer->events) : 0;
  if (code == WSLAY_CODE_MESSAGE_TOO_BIG || code == WSLAY_CODE_PROTOCOL_ERROR ||
      code == WSLAY_CODE_INVALID_FRAME_PAYLOAD_DATA)
    studio_log_write(hub->log, PL_SEVERITY_WARNING, "viewer %u violated the protocol (close code %u)", viewer->number,
                     code);
  if (viewer->leaving && pl_clock_seconds() > viewer->end_by) viewer->failed = true;
}

// The current viewers. Others may be added at any time, but only the hub's thread removes them.
static int list_viewers(studio_hub *hub, studio_viewer **viewers, bool *stop) {
  pthread_mutex_lock(&hub->lock);
  int count = hub->viewer_count;
  memcpy(viewers, hub->viewers, (size_t)count * sizeof *viewers);
  *stop = hub->stop;
  pthread_mutex_unlock(&hub->lock);
  return count;
}

static void remove_viewer(studio_hub *hub, studio_viewer *viewer) {
  pthread_mutex_lock(&hub->lock);
  for (int i = hub->viewer_count - 1; i >= 0; --i)
    if (hub->viewers[i] == viewer) hub->viewers[i] = hub->viewers[--hub->viewer_count];
  pthread_mutex_unlock(&hub->lock);
  studio_viewer_close(viewer, hub->context);
  pl_release(hub->context, viewer);
}

// Remove disconnected viewers. The world must be informed; if its queue is full, try again in the next pass.
static void remove_failed(studio_hub *hub, studio_viewer *const *viewers, int count) {
  for (int i = 0; i < count; ++i)
    if (viewers[i]->failed && studio_command_queue_push(hub->queue, (studio_command){.kind = STUDIO_COMMAND_LEAVE,
                                                                                     .viewer = viewers[i]->number}))
      remove_viewer(hub, viewers[i]);
}

static short events_of(studio_hub *hub, studio_viewer *viewer) {
  bool writes = wslay_event_want_write(viewer->events) || (!viewer->leaving && has_unsent(hub, viewer));
  return (short)(POLLIN | (writes ? POLLOUT : 0));
}

static void *run(void *user) {
  studio_hub *hub = user;
  struct pollfd polled[STUDIO_MAX_VIEWERS + 1];
  studio_viewer *viewers[STUDIO_MAX_VIEWERS];
  for (bool stop = false; !stop;) {
    int count = list_viewers(hub, viewers, &stop);
    bool ending = false;
    for (int i = 0; i < count; ++i) {
      polled[i] = (struct pollfd){viewers[i]->socket, events_of(hub, viewers[i]), 0};
      ending = ending || viewers[i]->leaving || viewers[i]->failed;
      if (viewers[i]->seen_scene == 0) polled[i].events |= POLLOUT;
    }
    polled[count] = (struct pollfd){hub->wake, POLLIN, 0};
    int found = poll(polled, (nfds_t)count + 1, stop ? 0 : ending ? 200 : 2000);
    if (found < 0 && errno != EINTR) studio_log_write(hub->log, PL_SEVERITY_ERROR, "poll failed: %s", strerror(errno));
    uint64_t ignored;
    if (found > 0 && polled[count].revents & POLLIN && read(hub->wake, &ignored, sizeof ignored) < 0) continue;
    for (int i = 0; i < count; ++i) serve(hub, viewers[i], found > 0 ? polled[i].revents : 0);
    remove_failed(hub, viewers, count);
  }
  return NULL;
}

studio_hub *studio_hub_create(pl_context *context, studio_command_queue *queue, studio_log *log) {
  studio_hub *hub = pl_allocate_array(context, 1, sizeof *hub);
  if (hub == NULL) return NULL;
  *hub = (studio_hub){.context = context, .queue = queue, .log = log, .frame_bytes = pl_vector_of(context, 1)};
  pthread_mutex_init(&hub->lock, NULL);
  hub->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (hub->wake >= 0 && pthread_create(&hub->thread, NULL, run, hub) == 0) return hub;
  if (hub->wake >= 0) close(hub->wake);
  pthread_mutex_destroy(&hub->lock);
  pl_release(context, hub);
  return NULL;
}

void studio_hub_destroy(studio_hub *hub) {
  if (hub == NULL) return;
  pthread_mutex_lock(&hub->lock);
  hub->stop = true;
  pthread_mutex_unlock(&hub->lock);
  wake_up(hub);
  pthread_join(hub->thread, NULL);
  for (int i = 0; i < hub->viewer_count; ++i) {
    studio_viewer *viewer = hub->viewers[i];
    studio_viewer_end(viewer, WSLAY_CODE_GOING_AWAY, "the server ends");
    if (!viewer->failed) studio_viewer_write(viewer);
    studio_viewer_close(viewer, hub->context);
    pl_release(hub->context, viewer);
  }
  studio_frame_release(hub->newest);
  pl_vector_free(&hub->frame_bytes);
  close(hub->wake);
  pthread_mutex_destroy(&hub->lock);
  pl_release(hub->context, hub);
}
