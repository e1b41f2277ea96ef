// Views, accessors and animations added to a glTF tree. What is there keeps its place and its number; new items come
// behind.
#include "character/character_bake_sheet.h"

#include <string.h>

#include "base/error.h"
#include "io/gltf_container.h"

bool pl_sheet_failed(const pl_sheet *sheet) {
  return sheet->arena->failed || sheet->bytes.failed;
}

pl_json *pl_sheet_member(pl_json *object, const char *key) {
  if (object == NULL || object->kind != PL_JSON_OBJECT) return NULL;
  size_t length = strlen(key);
  for (pl_json *member = object->first; member != NULL; member = member->next)
    if ((size_t)member->key_length == length && memcmp(member->key, key, length) == 0) return member;
  return NULL;
}

void pl_sheet_remove(pl_json *object, const char *key) {
  pl_json *gone = pl_sheet_member(object, key);
  if (gone == NULL) return;
  pl_json **link = &object->first, *kept = NULL;
  while (*link != gone) {
    kept = *link;
    link = &kept->next;
  }
  *link = gone->next;
  if (object->last == gone) object->last = kept;
  for (pl_json *member = gone->next; member != NULL; member = member->next) member->index--;
  object->count--;
  object->table = NULL;
}

pl_json *pl_sheet_list(pl_sheet *sheet, const char *key) {
  pl_json *list = pl_sheet_member(sheet->root, key);
  return list != NULL ? list : pl_json_set(sheet->arena, sheet->root, key, pl_json_new(sheet->arena, PL_JSON_ARRAY));
}

pl_json *pl_sheet_add(pl_sheet *sheet, const char *key) {
  return pl_json_add(pl_sheet_list(sheet, key), pl_json_new(sheet->arena, PL_JSON_OBJECT));
}

int32_t pl_sheet_index(const pl_json *item) {
  return item == NULL ? 0 : item->index;
}

// Trees are no deeper than PL_JSON_MAX_DEPTH.
pl_json *pl_sheet_copy(pl_sheet *sheet, const pl_json *value) {
  pl_json *copy = pl_json_new(sheet->arena, value->kind);
  if (copy == NULL) return NULL;
  copy->boolean = value->boolean;
  copy->number = value->number;
  copy->text = value->text;
  copy->text_length = value->text_length;
  for (const pl_json *child = value->first; child != NULL; child = child->next) {
    pl_json *item = pl_json_add(copy, pl_sheet_copy(sheet, child));
    if (item == NULL) return NULL;
    item->key = child->key;
    item->key_length = child->key_length;
  }
  return copy;
}

unsigned char *pl_sheet_add_view(pl_sheet *sheet, size_t size, int32_t stride, int32_t target, int32_t *view) {
  size_t padding = (4 - sheet->bytes.count % 4) % 4;
  size_t start = sheet->bytes.count + padding;
  if (pl_vector_grow(&sheet->bytes, padding + size) == NULL) return NULL;
  pl_json *json = pl_sheet_add(sheet, "bufferViews");
  pl_json_set_number(sheet->arena, json, "buffer", 0);
  pl_json_set_number(sheet->arena, json, "byteOffset", (double)(sheet->bytes_start + start));
  pl_json_set_number(sheet->arena, json, "byteLength", (double)size);
  if (stride != 0) pl_json_set_number(sheet->arena, json, "byteStride", stride);
  if (target != 0) pl_json_set_number(sheet->arena, json, "target", target);
  *view = pl_sheet_index(json);
  return (unsigned char *)sheet->bytes.items + start;
}

pl_json *pl_sheet_add_accessor(pl_sheet *sheet, int32_t view, size_t offset, int32_t component_type, int32_t count,
                               const char *type) {
  pl_json *accessor = pl_sheet_add(sheet, "accessors");
  pl_json_set_number(sheet->arena, accessor, "bufferView", view);
  pl_json_set_number(sheet->arena, accessor, "byteOffset", (double)offset);
  pl_json_set_number(sheet->arena, accessor, "componentType", component_type);
  pl_json_set_number(sheet->arena, accessor, "count", count);
  pl_json_set_text(sheet->arena, accessor, "type", type);
  return accessor;
}

void pl_sheet_put(unsigned char *to, uint32_t value, int size) {
  for (int i = 0; i < size; ++i) to[i] = (unsigned char)(value >> (8 * i));
}

void pl_sheet_put_float(unsigned char *to, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  pl_sheet_put(to, bits, 4);
}

// --- animations -------------------------------------------------------------------------------------------------

typedef struct clip {
  pl_sheet *sheet;
  pl_bake *bake;
  pl_json *channels, *samplers;  // of the new animation
  int32_t view, times;           // buffer view of the key frames, accessor of their times
} clip;

static void add_channel(clip *c, int32_t node, const char *path, size_t offset, const char *type) {
  pl_arena *arena = c->sheet->arena;
  int32_t count = c->bake->motion->frame_count;
  pl_json *output = pl_sheet_add_accessor(c->sheet, c->view, offset, PL_GLTF_FLOAT, count, type);
  pl_json *sampler = pl_json_add(c->samplers, pl_json_new(arena, PL_JSON_OBJECT));
  pl_json_set_number(arena, sampler, "input", c->times);
  pl_json_set_text(arena, sampler, "interpolation", "LINEAR");
  pl_json_set_number(arena, sampler, "output", pl_sheet_index(output));
  pl_json *channel = pl_json_add(c->channels, pl_json_new(arena, PL_JSON_OBJECT));
  pl_json_set_number(arena, channel, "sampler", pl_sheet_index(sampler));
  pl_json *target = pl_json_set(arena, channel, "target", pl_json_new(arena, PL_JSON_OBJECT));
  pl_json_set_number(arena, target, "node", node);
  pl_json_set_text(arena, target, "path", path);
}

static void add_tracks(clip *c) {
  pl_bake *bake = c->bake;
  unsigned char *bytes = pl_sheet_add_view(c->sheet, pl_bake_size(bake), 0, 0, &c->view);
  if (bytes == NULL) return;
  pl_bake_fill(bake, bytes);
  pl_json *times = pl_sheet_add_accessor(c->sheet, c->view, 0, PL_GLTF_FLOAT, bake->motion->frame_count, "SCALAR");
  const double first = 0, last = (double)pl_bake_time(bake, bake->motion->frame_count - 1);
  pl_json_set_numbers(c->sheet->arena, times, "min", &first, 1);
  pl_json_set_numbers(c->sheet->arena, times, "max", &last, 1);
  c->times = pl_sheet_index(times);
  for (int32_t track = 0; track < bake->track_count; ++track) {
    int32_t node = bake->track_nodes[track];
    add_channel(c, node, "rotation", pl_bake_rotation_offset(bake, track), "VEC4");
    if (bake->moves[track]) add_channel(c, node, "translation", pl_bake_translation_offset(bake, track), "VEC3");
  }
}

// Whether the new animation has its own key frames for what a channel moves.
static bool is_replaced(const pl_bake *bake, const pl_json *channel) {
  const pl_json *target = pl_json_find(channel, "target"), *path = pl_json_find(target, "path");
  int64_t node = -1;
  if (!pl_json_get_integer(pl_json_find(target, "node"), &node) || node < 0 || node >= bake->node_count) return false;
  int32_t track = bake->track_of_node[node];
  return track >= 0 &&
         (pl_json_is_text(path, "rotation") || (bake->moves[track] && pl_json_is_text(path, "translation")));
}

// Take over the channels of `base`, and of its samplers those that are needed, under new numbers.
static pl_status add_base(clip *c, const pl_json_document *document, const pl_json *base, pl_error *error) {
  const pl_json *channels = pl_json_find(base, "channels"), *samplers = pl_json_find(base, "samplers");
  if (channels == NULL || channels->kind != PL_JSON_ARRAY) return PL_OK;
  pl_json **copies = PL_TAKE(c->sheet->arena, pl_json *, samplers == NULL ? 0 : samplers->count);
  if (copies == NULL) return pl_fail_memory(error);
  for (const pl_json *channel = channels->first; channel != NULL; channel = channel->next) {
    if (is_replaced(c->bake, channel)) continue;
    int64_t number = -1;
    pl_json_get_integer(pl_json_find(channel, "sampler"), &number);
    const pl_json *sampler = pl_json_at(samplers, number);
    if (sampler == NULL)
      return pl_json_fail(document, channel, error, PL_ERROR_INVALID_DATA, "this channel has no sampler that is there");
    if (copies[number] == NULL) copies[number] = pl_json_add(c->samplers, pl_sheet_copy(c->sheet, sampler));
    pl_json *copy = pl_json_add(c->channels, pl_sheet_copy(c->sheet, channel));
    pl_json_set_number(c->sheet->arena, copy, "sampler", pl_sheet_index(copies[number]));
  }
  return PL_OK;
}

pl_status pl_sheet_add_animation(pl_sheet *sheet, pl_bake *bake, const pl_json_document *document, const pl_json *base,
                                 pl_error *error) {
  clip c = {.sheet = sheet, .bake = bake};
  pl_json *animation = pl_sheet_add(sheet, "animations");
  if (bake->motion->name != NULL) pl_json_set_text(sheet->arena, animation, "name", bake->motion->name);
  c.channels = pl_json_set(sheet->arena, animation, "channels", pl_json_new(sheet->arena, PL_JSON_ARRAY));
  c.samplers = pl_json_set(sheet->arena, animation, "samplers", pl_json_new(sheet->arena, PL_JSON_ARRAY));
  add_tracks(&c);
  pl_status status = base == NULL ? PL_OK : add_base(&c, document, base, error);
  if (status >= 0 && pl_sheet_failed(sheet)) status = pl_fail_memory(error);
  return status;
}

// --- files ------------------------------------------------------------------------------------------------------

pl_status pl_sheet_write(const pl_sheet *sheet, pl_context *context, const void *first, size_t first_size,
                         const char *path, pl_error *error) {
  pl_vector json = pl_vector_of(context, 1);
  pl_file_writer *writer = NULL;
  pl_status status = pl_json_write(sheet->root, PL_JSON_COMPACT, &json, error);
  if (status >= 0) status = pl_file_writer_open(context, path, &writer, error);
  if (status >= 0) {
    pl_glb glb = pl_glb_begin(writer, json.count);
    pl_file_writer_write(writer, first, first_size);
    while (pl_glb_offset(&glb) < sheet->bytes_start) pl_file_writer_little(writer, 0, 1);
    pl_file_writer_write(writer, sheet->bytes.items, sheet->bytes.count);
    status = pl_glb_finish(&glb, &json, error);
  }
  pl_vector_free(&json);
  if (status >= 0) return pl_file_writer_commit(writer, error);
  pl_file_writer_abandon(writer);
  return status;
}
