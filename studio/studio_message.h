// Messages to viewers, put together as JSON and posted.
#ifndef STUDIO_MESSAGE_H
#define STUDIO_MESSAGE_H

#include "studio_world.h"

typedef struct studio_message {
  pl_arena arena;
  pl_json *root;
} studio_message;

// A message of that kind, to be filled in and posted.
studio_message studio_message_begin(pl_context *context, const char *kind);

// Send it and give its memory back. One that could not be put together for want of memory is not sent.
void studio_message_send(studio_world *world, studio_message *message, uint32_t viewer, studio_slot slot);

// Texts that were cut off may end inside a character: bytes that are not UTF-8 become question marks. A browser would end the conversation over them.
void studio_text_fix_utf8(char *text, size_t size);

// A number that may not be finite, as 0 then: JSON has no other.
void studio_message_set_number(studio_message *message, pl_json *object, const char *key, double number);
void studio_message_set_vector(studio_message *message, pl_json *object, const char *key, pl_vec3 vector);
// Bytes in base64.
void studio_message_set_bytes(studio_message *message, pl_json *object, const char *key, const void *bytes, size_t size);

// The usual ones. `id` may be NULL: a request without one gets no `done`, and its error has none.
void studio_send_done(studio_world *world, uint32_t viewer, const pl_json *id);
void studio_send_error(studio_world *world, uint32_t viewer, const pl_json *id, const char *format, ...) PL_PRINTF(4, 5);
// How far the work of request `id` is; from any thread.
void studio_send_progress(studio_world *world, uint32_t viewer, double id, double done, const char *text);
void studio_send_log(studio_world *world, const char *format, ...) PL_PRINTF(2, 3);

// Begin the answer to a request.
studio_message studio_message_begin_reply(studio_world *world, const pl_json *id);

#endif
