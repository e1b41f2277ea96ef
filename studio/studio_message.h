// JSON messages to viewers.
#ifndef STUDIO_MESSAGE_H
#define STUDIO_MESSAGE_H

#include "studio_world.h"

typedef struct studio_message {
  pl_arena arena;
  pl_json *root;
} studio_message;

// Start a message of this kind.
studio_message studio_message_begin(pl_context *context, const char *kind);

// Send a message to a viewer or to all (0), and free it. An incomplete one (out of memory) is not
// sent.
void studio_message_send(studio_world *world, studio_message *message, uint32_t viewer,
                         studio_slot slot);

// Replace bytes that are not valid UTF-8 by question marks: a truncated text may end inside a
// character, and a browser would close the connection.
void studio_text_fix_utf8(char *text, size_t size);

// Set a number; one that is not finite becomes 0, because JSON has no other.
void studio_message_set_number(studio_message *message, pl_json *object, const char *key,
                               double number);
void studio_message_set_vector(studio_message *message, pl_json *object, const char *key,
                               pl_vec3 vector);
// Set a text: the bytes in base64.
void studio_message_set_bytes(studio_message *message, pl_json *object, const char *key,
                              const void *bytes, size_t size);

// The common messages. `id` may be NULL: a request without an id gets no `done`, and its error has
// no id.
void studio_send_done(studio_world *world, uint32_t viewer, const pl_json *id);
void studio_send_error(studio_world *world, uint32_t viewer, const pl_json *id, const char *format,
                       ...) PL_PRINTF(4, 5);
// Progress of request `id`, 0 … 1; from any thread.
void studio_send_progress(studio_world *world, uint32_t viewer, double id, double done,
                          const char *text);
void studio_send_log(studio_world *world, const char *format, ...) PL_PRINTF(2, 3);

// Start a `done` message with the id of a request.
studio_message studio_message_begin_reply(studio_world *world, const pl_json *id);

#endif
