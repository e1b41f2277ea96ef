// Key frames of a bake as one animation of a glTF tree.
#include "character/character_bake_sheet.h"

#include <string.h>

#include "base/error.h"

typedef struct clip {
  pl_sheet *sheet;
  pl_bake *bake;
  pl_json *channels, *samplers;  // of the new animation
  int32_t view, times;           // buffer view of the key frames, accessor of their times
} clip;

// Key frames in the last buffer view that was added.
static void add_channel(clip *c, int32_t node, const char *path, size_t offset, int32_t width) {
  static const char *const types[] = {"SCALAR", "SCALAR", "VEC2", "VEC3", "VEC4"};
  pl_arena *arena = c->sheet->arena;
  // Weights of morph targets are scalars, one after the other.
  bool is_list = width > 4 || strcmp(path, "weights") == 0;
  int32_t count = c->bake->motion->frame_count * (is_list ? width : 1);
  pl_json *output = pl_sheet_add_accessor(c->sheet, c->view, offset, PL_GLTF_FLOAT, count, types[is_list ? 1 : width]);
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
    add_channel(c, node, "rotation", pl_bake_rotation_offset(bake, track), 4);
    if (bake->moves[track]) add_channel(c, node, "translation", pl_bake_translation_offset(bake, track), 3);
  }
}

static int32_t target_count(const pl_bake *bake, int64_t node) {
  return bake->pose_of_target == NULL ? 0 : bake->target_start[node + 1] - bake->target_start[node];
}

// Weights of the morph targets of every node that has some.
static void add_morphs(clip *c) {
  const pl_bake *bake = c->bake;
  const pl_character_motion *motion = bake->motion;
  for (int32_t node = 0; node < bake->node_count; ++node) {
    int32_t count = target_count(bake, node);
    if (count == 0) continue;
    unsigned char *to =
        pl_sheet_add_view(c->sheet, (size_t)motion->frame_count * (size_t)count * sizeof(float), 0, 0, &c->view);
    if (to == NULL) return;
    for (int32_t frame = 0; frame < motion->frame_count; ++frame)
      for (int32_t t = 0; t < count; ++t, to += sizeof(float)) {
        int32_t pose = bake->pose_of_target[bake->target_start[node] + t];
        pl_sheet_put_float(to, (float)motion->morphs[(int64_t)frame * motion->morph_count + pose]);
      }
    add_channel(c, node, "weights", 0, count);
  }
}

// Whether the new animation has its own key frames for what a channel moves.
static bool is_replaced(const pl_bake *bake, const pl_json *channel) {
  const pl_json *target = pl_json_find(channel, "target"), *path = pl_json_find(target, "path");
  int64_t node = -1;
  if (!pl_json_get_integer(pl_json_find(target, "node"), &node) || node < 0 || node >= bake->node_count) return false;
  int32_t track = bake->track_of_node[node];
  if (pl_json_is_text(path, "weights")) return target_count(bake, node) > 0;
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
  add_morphs(&c);
  pl_status status = base == NULL ? PL_OK : add_base(&c, document, base, error);
  if (status >= 0 && pl_sheet_failed(sheet)) status = pl_fail_memory(error);
  return status;
}
