// Messages to viewers, put together as JSON and posted.
#ifndef STUDIO_NOTE_H
#define STUDIO_NOTE_H

#include "studio_world.h"

typedef struct studio_note {
  pl_arena arena;
  pl_json *root;
} studio_note;

// A message of that kind, to be filled in and posted.
studio_note studio_note_begin(pl_context *context, const char *kind);

// Send it and give its memory back. One that could not be put together for want of memory is not sent.
void studio_note_post(studio_world *world, studio_note *note, uint32_t viewer, studio_slot slot);

// Texts that were cut off may end inside a character: bytes that are not UTF-8 become question marks. A browser would end the conversation over them.
void studio_text_mend(char *text, size_t size);

// A number that may not be finite, as 0 then: JSON has no other.
void studio_note_number(studio_note *note, pl_json *object, const char *key, double number);
void studio_note_vector(studio_note *note, pl_json *object, const char *key, pl_vec3 vector);
// Bytes in base64.
void studio_note_bytes(studio_note *note, pl_json *object, const char *key, const void *bytes, size_t size);

// The usual ones. `id` may be NULL: a request without one gets no `done`, and its error has none.
void studio_note_done(studio_world *world, uint32_t viewer, const pl_json *id);
void studio_note_error(studio_world *world, uint32_t viewer, const pl_json *id, const char *format, ...) PL_PRINTF(4, 5);
// How far the work of request `id` is; from any thread.
void studio_note_progress(studio_world *world, uint32_t viewer, double id, double done, const char *text);
void studio_note_log(studio_world *world, const char *format, ...) PL_PRINTF(2, 3);

// Begin the answer to a request.
studio_note studio_note_answer(studio_world *world, const pl_json *id);

#endif
