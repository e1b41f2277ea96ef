// A WebSocket on a non-blocking socket.
#define _GNU_SOURCE
#include "studio_viewer.h"

#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/context.h"

// Maximum bytes read from a viewer in one pass, so that one viewer cannot starve the others.
static const size_t MAX_READ = 1 << 18;
// After the close frame: how long, and how many bytes, to read and discard. Closing immediately could reset the
// connection before the close frame arrives.
static const double DRAIN_SECONDS = 2;
// Seconds in which the close frame must be sent; a viewer that does not read cannot take it.
static const double CLOSE_SECONDS = 5;
// Every fragment costs about a hundred bytes until the message is complete, even if it has one byte. Browsers send
// fragments of 64 KiB or more.
enum { FRAGMENT_LIMIT = 1024 };
static const size_t DRAIN_BYTES = (size_t)256 << 20;
// Send buffer of the socket, bytes. A small one means that a slow connection shows newer frames.
static const int SEND_BUFFER = 512 << 10;

studio_text *studio_text_create(pl_context *context, const char *bytes, size_t size) {
  studio_text *text = pl_allocate(context, sizeof *text + size);
  if (text == NULL) return NULL;
  text->context = context;
  atomic_init(&text->uses, 1);
  text->size = size;
  memcpy(text->bytes, bytes, size);
  return text;
}

void studio_text_release(studio_text *text) {
  if (text != NULL && atomic_fetch_sub(&text->uses, 1) == 1) pl_release(text->context, text);
}

static ssize_t receive_bytes(wslay_event_context_ptr events, uint8_t *buffer, size_t size, int flags, void *user) {
  (void)flags;
  studio_viewer *viewer = user;
  if (size > viewer->read_left) size = viewer->read_left;
  // Every ping gets a pong: read no more before the queued ones are sent.
  if (studio_viewer_is_congested(viewer)) size = 0;
  if (size == 0) {
    wslay_event_set_error(events, WSLAY_ERR_WOULDBLOCK);
    return -1;
  }
  if (viewer->early_at < viewer->early_size) {
    size_t left = viewer->early_size - viewer->early_at, taken = size < left ? size : left;
    memcpy(buffer, viewer->early + viewer->early_at, taken);
    viewer->early_at += taken;
    return (ssize_t)taken;
  }
  ssize_t got;
  do got = recv(viewer->socket, buffer, size, 0);
  while (got < 0 && errno == EINTR);
  if (got > 0) {
    viewer->read_left -= (size_t)got;
    return got;
  }
  bool later = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  if (!later) viewer->failed = true;
  wslay_event_set_error(events, later ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
  return -1;
}

static ssize_t send_bytes(wslay_event_context_ptr events, const uint8_t *bytes, size_t size, int flags, void *user) {
  studio_viewer *viewer = user;
  ssize_t sent;
  do sent = send(viewer->socket, bytes, size, MSG_NOSIGNAL | (flags & WSLAY_MSG_MORE ? MSG_MORE : 0));
  while (sent < 0 && errno == EINTR);
  if (sent >= 0) return sent;
  bool later = errno == EAGAIN || errno == EWOULDBLOCK;
  if (!later) viewer->failed = true;
  wslay_event_set_error(events, later ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
  return -1;
}

static void on_frame_start(wslay_event_context_ptr events, const struct wslay_event_on_frame_recv_start_arg *frame,
                           void *user) {
  (void)events;
  studio_viewer *viewer = user;
  if (wslay_is_ctrl_frame(frame->opcode) || viewer->leaving) return;
  viewer->fragments = frame->opcode == WSLAY_CONTINUATION_FRAME ? viewer->fragments + 1 : 0;
  if (viewer->fragments > FRAGMENT_LIMIT)
    studio_hub_disconnect(viewer->hub, viewer, WSLAY_CODE_MESSAGE_TOO_BIG, "its message has too many fragments");
}

static void on_message(wslay_event_context_ptr events, const struct wslay_event_on_msg_recv_arg *message, void *user) {
  (void)events;
  studio_viewer *viewer = user;
  if (wslay_is_ctrl_frame(message->opcode) || viewer->leaving) return;
  studio_hub_receive(viewer->hub, viewer, message->opcode == WSLAY_BINARY_FRAME, (const char *)message->msg,
                     message->msg_length);
}

bool studio_viewer_open(studio_viewer *viewer, pl_context *context, const void *early, size_t early_size) {
  const struct wslay_event_callbacks callbacks = {.recv_callback = receive_bytes,
                                                  .send_callback = send_bytes,
                                                  .on_frame_recv_start_callback = on_frame_start,
                                                  .on_msg_recv_callback = on_message};
  int flags = fcntl(viewer->socket, F_GETFL);
  if (flags < 0 || fcntl(viewer->socket, F_SETFL, flags | O_NONBLOCK) < 0) return false;
  setsockopt(viewer->socket, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  setsockopt(viewer->socket, SOL_SOCKET, SO_SNDBUF, &SEND_BUFFER, sizeof SEND_BUFFER);
  if (early_size > 0) {
    viewer->early = pl_allocate(context, early_size);
    if (viewer->early == NULL) return false;
    memcpy(viewer->early, early, early_size);
    viewer->early_size = early_size;
  }
  if (wslay_event_context_server_init(&viewer->events, &callbacks, viewer) != 0) return false;
  wslay_event_config_set_max_recv_msg_length(viewer->events, STUDIO_MAX_MESSAGE);
  return true;
}

void studio_viewer_close(studio_viewer *viewer, pl_context *context) {
  if (viewer->events != NULL) wslay_event_context_free(viewer->events);
  for (int i = 0; i < STUDIO_SLOT_COUNT; ++i) studio_text_release(viewer->slots[i]);
  for (int i = 0; i < viewer->queue_count; ++i)
    studio_text_release(viewer->queue[(viewer->queue_start + i) % STUDIO_MAX_ANSWERS]);
  pl_release(context, viewer->early);
  MHD_upgrade_action(viewer->handle, MHD_UPGRADE_ACTION_CLOSE);
}

static void drain(studio_viewer *viewer) {
  static const size_t PIECE = 1 << 16;
  char bytes[1 << 16];
  for (size_t all = 0; all < MAX_READ; all += PIECE) {
    ssize_t got = recv(viewer->socket, bytes, sizeof bytes, 0);
    if (got > 0) viewer->drained += (size_t)got;
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR) || viewer->drained > DRAIN_BYTES)
      viewer->failed = true;
    if (got <= 0) return;
  }
}

void studio_viewer_read(studio_viewer *viewer) {
  if (!wslay_event_get_read_enabled(viewer->events)) {
    drain(viewer);
    return;
  }
  viewer->read_left = MAX_READ;
  if (wslay_event_recv(viewer->events) != 0) viewer->failed = true;
}

void studio_viewer_write(studio_viewer *viewer) {
  if (!viewer->failed && wslay_event_want_write(viewer->events) && wslay_event_send(viewer->events) != 0)
    viewer->failed = true;
  // After a protocol error or a close frame nothing more is read.
  if (!viewer->leaving && !wslay_event_get_read_enabled(viewer->events)) viewer->leaving = true;
  if (viewer->leaving && viewer->end_by == 0) viewer->end_by = pl_clock_seconds() + CLOSE_SECONDS;
  // The close frame is sent.
  if (!viewer->ended && !viewer->failed && wslay_event_get_close_sent(viewer->events) &&
      !wslay_event_want_write(viewer->events)) {
    viewer->ended = true;
    viewer->end_by = pl_clock_seconds() + DRAIN_SECONDS;
    shutdown(viewer->socket, SHUT_WR);
  }
}

void studio_viewer_send(studio_viewer *viewer, bool binary, const void *bytes, size_t size) {
  const struct wslay_event_msg message = {binary ? WSLAY_BINARY_FRAME : WSLAY_TEXT_FRAME, bytes, size};
  // Refused after a close frame, which is fine.
  if (wslay_event_queue_msg(viewer->events, &message) == WSLAY_ERR_NOMEM) viewer->failed = true;
}

bool studio_viewer_is_congested(const studio_viewer *viewer) {
  return wslay_event_get_queued_msg_count(viewer->events) > STUDIO_MAX_HELD;
}

void studio_viewer_end(studio_viewer *viewer, uint16_t code, const char *reason) {
  viewer->leaving = true;
  wslay_event_shutdown_read(viewer->events);
  wslay_event_queue_close(viewer->events, code, (const uint8_t *)reason, strlen(reason));
}
