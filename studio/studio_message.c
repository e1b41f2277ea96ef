// JSON messages to viewers.
#include "studio_message.h"

#include <math.h>
#include <stdio.h>

#include "studio_handshake.h"

studio_message studio_message_begin(pl_context *context, const char *kind) {
  studio_message message;
  pl_arena_init(&message.arena, context, 0);
  message.root = pl_json_new(&message.arena, PL_JSON_OBJECT);
  if (message.root != NULL) pl_json_set_text(&message.arena, message.root, "kind", kind);
  return message;
}

// Bytes of the UTF-8 character at `text` (RFC 3629, section 4), 0 if it is not one.
static size_t character_size(const unsigned char *text, size_t size) {
  unsigned char first = text[0], low = 0x80, high = 0xBF;
  size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (length == 0 || length > size) return 0;
  // Overlong forms, surrogates, and values above U+10FFFF.
  if (first == 0xE0) low = 0xA0;
  if (first == 0xED) high = 0x9F;
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;
  if (length > 1 && (text[1] < low || text[1] > high)) return 0;
  for (size_t i = 2; i < length; ++i)
    if ((text[i] & 0xC0) != 0x80) return 0;
  return length;
}

void studio_text_fix_utf8(char *text, size_t size) {
  for (size_t i = 0, length; i<size; i += length> 0 ? length : 1) {
    length = character_size((const unsigned char *)text + i, size - i);
    if (length == 0) text[i] = '?';
  }
}

void studio_message_send(studio_world *world, studio_message *message, uint32_t viewer, studio_slot slot) {
  pl_vector text = pl_vector_of(world->context, 1);
  if (!message->arena.failed && message->root != NULL &&
      pl_json_write(message->root, PL_JSON_COMPACT, &text, NULL) >= 0) {
    studio_text_fix_utf8(text.items, text.count);
    studio_hub_send(world->hub, viewer, slot, slot == STUDIO_SLOT_SCENE ? world->scene_number : 0, text.items,
                    text.count);
  }
  pl_vector_free(&text);
  pl_arena_destroy(&message->arena);
}

void studio_message_set_number(studio_message *message, pl_json *object, const char *key, double number) {
  pl_json_set_number(&message->arena, object, key, isfinite(number) ? number : 0);
}

void studio_message_set_vector(studio_message *message, pl_json *object, const char *key, pl_vec3 v) {
  const double numbers[3] = {isfinite(v.x) ? v.x : 0, isfinite(v.y) ? v.y : 0, isfinite(v.z) ? v.z : 0};
  pl_json_set_numbers(&message->arena, object, key, numbers, 3);
}

void studio_message_set_bytes(studio_message *message, pl_json *object, const char *key, const void *bytes,
                              size_t size) {
  size_t text_size = studio_base64_size(size);
  char *text = pl_arena_take(&message->arena, text_size, 1);
  pl_json *value = pl_json_new(&message->arena, PL_JSON_STRING);
  if (text == NULL || value == NULL) return;
  studio_base64_encode(bytes, size, text);
  value->text = text;
  value->text_length = (int32_t)(text_size - 1);
  pl_json_set(&message->arena, object, key, value);
}

// The id of a request: a number or a text.
static void set_id(studio_message *message, const pl_json *id) {
  double number;
  const char *text;
  if (message->root == NULL) return;
  if (pl_json_get_number(id, &number)) pl_json_set_number(&message->arena, message->root, "id", number);
  if (pl_json_get_text(id, &text)) pl_json_set_text(&message->arena, message->root, "id", text);
}

studio_message studio_message_begin_reply(studio_world *world, const pl_json *id) {
  studio_message message = studio_message_begin(world->context, "done");
  set_id(&message, id);
  return message;
}

void studio_send_done(studio_world *world, uint32_t viewer, const pl_json *id) {
  if (id == NULL) return;
  studio_message message = studio_message_begin_reply(world, id);
  studio_message_send(world, &message, viewer, STUDIO_ANSWER_QUEUE);
}

void studio_send_error(studio_world *world, uint32_t viewer, const pl_json *id, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  studio_message message = studio_message_begin(world->context, "error");
  set_id(&message, id);
  if (message.root != NULL) pl_json_set_text(&message.arena, message.root, "text", text);
  studio_message_send(world, &message, viewer, STUDIO_ANSWER_QUEUE);
}

void studio_send_progress(studio_world *world, uint32_t viewer, double id, double done, const char *text) {
  studio_message message = studio_message_begin(world->context, "progress");
  if (message.root != NULL) {
    studio_message_set_number(&message, message.root, "id", id);
    studio_message_set_number(&message, message.root, "done", done < 1 ? done : 1);
    pl_json_set_text(&message.arena, message.root, "text", text);
  }
  studio_message_send(world, &message, viewer, STUDIO_ANSWER_QUEUE);
}

void studio_send_log(studio_world *world, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  studio_message message = studio_message_begin(world->context, "log");
  if (message.root != NULL) pl_json_set_text(&message.arena, message.root, "text", text);
  studio_message_send(world, &message, 0, STUDIO_ANSWER_QUEUE);
}
