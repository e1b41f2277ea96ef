// Animations of glTF: samplers of keys and the channels that play them. Samplers that several channels share are read
// once, with the width that the first of them asks for.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "character/character_parts.h"

typedef struct animation {
  pl_gltf *gltf;
  pl_character *character;
  const pl_json *json, *samplers;
  const char *name;
  pl_character_sampler *read;  // one per sampler of the file
  int64_t *number_count;       // numbers read so far, over all animations
} animation;

static const char *const paths[] = {"translation", "rotation", "scale", "weights"};

// The sentence "animation "walk", node "Head", rotation" for messages.
static void label_channel(const animation *a, const pl_character_channel *channel, pl_character_label label) {
  snprintf(label, sizeof(pl_character_label), "animation \"%.60s\", node \"%.60s\", %s", a->name,
           a->character->nodes[channel->node].name, paths[channel->path]);
}

// Keys without data cost nothing in the file, so they are bounded as meshes are.
static pl_status count_numbers(const animation *a, const pl_json *json_node, const char *what, int64_t count) {
  *a->number_count += count;
  if (*a->number_count <= (INT64_C(1) << 20) + 64 * (int64_t)a->gltf->byte_count) return PL_OK;
  return pl_json_fail(
      a->gltf->document, json_node, a->gltf->error, PL_ERROR_INVALID_DATA,
      "%s: the keys of this file grow to more than a thousand times its size; its counts must be damaged", what);
}

static pl_status read_times(const animation *a, const char *what, const pl_json *reference,
                            pl_character_sampler *sampler) {
  pl_gltf_accessor accessor;
  pl_status status = pl_gltf_open_accessor(a->gltf, reference, &accessor);
  if (status < 0) return status;
  if (accessor.component_count != 1 || accessor.component_type != 5126)
    return pl_json_fail(a->gltf->document, reference, a->gltf->error, PL_ERROR_INVALID_DATA,
                        "%s: times must be single floats", what);
  status = count_numbers(a, reference, what, accessor.count);
  if (status < 0) return status;
  double *times = PL_TAKE(&a->character->arena, double, accessor.count);
  if (times == NULL) return pl_fail_memory(a->gltf->error);
  status = pl_gltf_read_doubles(a->gltf, &accessor, times);
  for (int32_t i = 0; i < accessor.count && status >= 0; ++i) {
    if (!isfinite(times[i]))
      status = pl_json_fail(a->gltf->document, reference, a->gltf->error, PL_ERROR_INVALID_DATA,
                            "%s: the time of key %d is not finite", what, i);
    else if (i > 0 && !(times[i] > times[i - 1]))
      status = pl_json_fail(a->gltf->document, reference, a->gltf->error, PL_ERROR_INVALID_DATA,
                            "%s: the time of key %d is not after that of the key before it", what, i);
  }
  sampler->times = times;
  sampler->key_count = accessor.count;
  return status;
}

static bool is_value_type(const pl_gltf_accessor *accessor, pl_character_path path) {
  bool normalized = accessor->normalized && accessor->component_type >= 5120 && accessor->component_type <= 5123;
  return accessor->component_type == 5126 ||
         ((path == PL_CHARACTER_ROTATION || path == PL_CHARACTER_MORPHS) && normalized);
}

static pl_status check_values(const animation *a, const char *what, const pl_json *reference, pl_character_path path,
                              const pl_character_sampler *sampler, double *values) {
  int32_t rows = sampler->mode == PL_CHARACTER_CUBIC ? 3 : 1;
  for (int32_t key = 0; key < sampler->key_count; ++key) {
    double *row = values + (int64_t)key * rows * sampler->width;
    for (int32_t i = 0; i < rows * sampler->width; ++i)
      if (!isfinite(row[i]))
        return pl_json_fail(a->gltf->document, reference, a->gltf->error, PL_ERROR_INVALID_DATA,
                            "%s: key %d is not finite", what, key);
    if (path != PL_CHARACTER_ROTATION) continue;
    double *q = row + (rows == 3 ? 4 : 0), length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(length > 1e-6))
      return pl_json_fail(a->gltf->document, reference, a->gltf->error, PL_ERROR_INVALID_DATA,
                          "%s: key %d has (almost) no length and is not a rotation", what, key);
    // Tangents belong to the value as it stands in the file; plain keys are brought to unit length, which normalized
    // integers miss.
    for (int i = 0; i < 4 && rows == 1; ++i) q[i] /= length;
  }
  return PL_OK;
}

static pl_status read_values(const animation *a, const char *what, const pl_json *reference,
                             const pl_character_channel *channel, pl_character_sampler *sampler) {
  pl_gltf_accessor accessor;
  pl_status status = pl_gltf_open_accessor(a->gltf, reference, &accessor);
  if (status < 0) return status;
  int32_t components = channel->path == PL_CHARACTER_MORPHS ? 1 : sampler->width;
  if (accessor.component_count != components || !is_value_type(&accessor, channel->path))
    return pl_json_fail(a->gltf->document, reference, a->gltf->error, PL_ERROR_INVALID_DATA,
                        "%s: values must have %d component%s of a type that the standard allows here", what, components,
                        components == 1 ? "" : "s");
  int64_t wanted =
      (int64_t)sampler->key_count * (sampler->mode == PL_CHARACTER_CUBIC ? 3 : 1) * (sampler->width / components);
  if (accessor.count != wanted)
    return pl_json_fail(a->gltf->document, reference, a->gltf->error, PL_ERROR_INVALID_DATA,
                        "%s: %d keys need %lld values, but there are %d", what, sampler->key_count, (long long)wanted,
                        accessor.count);
  status = count_numbers(a, reference, what, (int64_t)accessor.count * components);
  if (status < 0) return status;
  double *values = PL_TAKE(&a->character->arena, double, (size_t)accessor.count *(size_t)components);
  if (values == NULL) return pl_fail_memory(a->gltf->error);
  status = pl_gltf_read_doubles(a->gltf, &accessor, values);
  if (status >= 0) status = check_values(a, what, reference, channel->path, sampler, values);
  sampler->values = values;
  return status;
}

static pl_status read_sampler(const animation *a, const char *what, const pl_json *json,
                              const pl_character_channel *channel, pl_character_sampler *sampler) {
  const pl_json *input = pl_json_find(json, "input"), *output = pl_json_find(json, "output");
  const pl_json *interpolation = pl_json_find(json, "interpolation");
  if (input == NULL || output == NULL)
    return pl_json_fail(a->gltf->document, json, a->gltf->error, PL_ERROR_INVALID_DATA,
                        "%s: the sampler needs input and output", what);
  if (interpolation == NULL || pl_json_is_text(interpolation, "LINEAR"))
    sampler->mode = PL_CHARACTER_LINEAR;
  else if (pl_json_is_text(interpolation, "STEP"))
    sampler->mode = PL_CHARACTER_STEP;
  else if (pl_json_is_text(interpolation, "CUBICSPLINE"))
    sampler->mode = PL_CHARACTER_CUBIC;
  else
    return pl_json_fail(a->gltf->document, interpolation, a->gltf->error, PL_ERROR_INVALID_DATA,
                        "%s: interpolation must be LINEAR, STEP or CUBICSPLINE", what);
  pl_status status = read_times(a, what, input, sampler);
  if (status >= 0) status = read_values(a, what, output, channel, sampler);
  return status;
}

static int32_t channel_width(const pl_character *c, const pl_character_channel *channel) {
  if (channel->path == PL_CHARACTER_ROTATION) return 4;
  if (channel->path != PL_CHARACTER_MORPHS) return 3;
  return c->target_start[channel->node + 1] - c->target_start[channel->node];
}

// Node and path of a channel. `known` is false where there is nothing to play: no node, a path of an extension, a mesh
// that is not shown.
static pl_status read_target(const animation *a, const pl_json *json, pl_character_channel *channel, bool *known) {
  *known = false;
  pl_character_label what;
  snprintf(what, sizeof what, "animation \"%.100s\"", a->name);
  const pl_json *target = pl_json_find(json, "target"), *node = pl_json_find(target, "node"),
                *path = pl_json_find(target, "path");
  if (target == NULL)
    return pl_json_fail(a->gltf->document, json, a->gltf->error, PL_ERROR_INVALID_DATA, "%s: channel %d has no target",
                        what, json->index);
  if (node == NULL) return PL_OK;
  pl_status status = pl_character_get_index(a->gltf, what, node, a->character->view.node_count, "node", &channel->node);
  if (status < 0) return status;
  for (int i = 0; i < 4 && !*known; ++i) {
    channel->path = (pl_character_path)i;
    *known = pl_json_is_text(path, paths[i]);
  }
  if (*known)
    *known = channel_width(a->character, channel) > 0;
  else
    status = pl_character_warn(a->gltf, path != NULL ? path : target, "unknown-path", "the channel is not played",
                               "animate translation, rotation, scale or weights",
                               "%s: channel %d drives something else than a node", what, json->index);
  return status;
}

static pl_status read_channel(const animation *a, const pl_json *json, pl_character_channel *channel, bool *known) {
  pl_status status = read_target(a, json, channel, known);
  if (status < 0 || !*known) return status;
  pl_character_label what;
  label_channel(a, channel, what);
  const pl_json *reference = pl_json_find(json, "sampler");
  if (reference == NULL)
    return pl_json_fail(a->gltf->document, json, a->gltf->error, PL_ERROR_INVALID_DATA,
                        "%s: the channel names no sampler", what);
  int32_t index = -1, width = channel_width(a->character, channel);
  status =
      pl_character_get_index(a->gltf, what, reference, a->samplers == NULL ? 0 : a->samplers->count, "sampler", &index);
  if (status < 0) return status;
  pl_character_sampler *sampler = &a->read[index];
  if (sampler->values == NULL) {
    sampler->width = width;
    status = read_sampler(a, what, pl_json_at(a->samplers, index), channel, sampler);
  } else if (sampler->width != width) {
    status = pl_json_fail(a->gltf->document, reference, a->gltf->error, PL_ERROR_INVALID_DATA,
                          "%s: this sampler is used by another channel for other things", what);
  }
  channel->sampler = sampler;
  return status;
}

static pl_status note_scales(const animation *a, pl_character_track *track) {
  int32_t *scales = NULL, node_count = a->character->view.node_count;
  for (int32_t i = 0; i < track->channel_count; ++i) {
    if (track->channels[i].path != PL_CHARACTER_SCALE) continue;
    if (scales == NULL) {
      scales = PL_TAKE(&a->character->arena, int32_t, node_count);
      if (scales == NULL) return pl_fail_memory(a->gltf->error);
      for (int32_t node = 0; node < node_count; ++node) scales[node] = -1;
    }
    scales[track->channels[i].node] = i;
  }
  track->scale_of_node = scales;
  return PL_OK;
}

static pl_status read_channels(animation *a, const pl_json *list, pl_character_track *track,
                               pl_character_animation *view) {
  int32_t count = list == NULL ? 0 : list->count;
  pl_character_channel *channels = PL_TAKE(&a->character->arena, pl_character_channel, count);
  a->read = PL_TAKE(&a->character->arena, pl_character_sampler, a->samplers == NULL ? 0 : a->samplers->count);
  if (channels == NULL || a->read == NULL) return pl_fail_memory(a->gltf->error);
  track->channels = channels;
  for (const pl_json *json = count == 0 ? NULL : list->first; json != NULL; json = json->next) {
    bool known = false;
    pl_character_channel *channel = &channels[track->channel_count];
    pl_status status = read_channel(a, json, channel, &known);
    if (status < 0) return status;
    if (!known) continue;
    const pl_character_sampler *sampler = channel->sampler;
    double first = sampler->times[0], last = sampler->times[sampler->key_count - 1];
    if (track->channel_count == 0 || first < view->start) view->start = first;
    if (track->channel_count == 0 || last > view->end) view->end = last;
    track->channel_count++;
  }
  return note_scales(a, track);
}

pl_status pl_character_read_animations(pl_gltf *gltf, pl_character *character) {
  const pl_json *list = NULL, *channels = NULL;
  pl_status status = pl_character_get_array(gltf, "this file", gltf->root, "animations", &list);
  if (status < 0 || list == NULL || list->count == 0) return status;
  pl_character_animation *animations = PL_TAKE(&character->arena, pl_character_animation, list->count);
  character->tracks = PL_TAKE(&character->arena, pl_character_track, list->count);
  if (animations == NULL || character->tracks == NULL) return pl_fail_memory(gltf->error);
  int64_t number_count = 0;
  for (const pl_json *json = list->first; json != NULL && status >= 0; json = json->next) {
    animation a = {.gltf = gltf, .character = character, .json = json, .number_count = &number_count};
    status = pl_character_get_name(gltf, character, json, "name", "animation", json->index, &a.name);
    animations[json->index].name = a.name;
    if (status >= 0) status = pl_character_get_array(gltf, "this animation", json, "samplers", &a.samplers);
    if (status >= 0) status = pl_character_get_array(gltf, "this animation", json, "channels", &channels);
    if (status >= 0) status = read_channels(&a, channels, &character->tracks[json->index], &animations[json->index]);
  }
  character->view.animations = animations;
  character->view.animation_count = list->count;
  return status;
}
