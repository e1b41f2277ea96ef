// Where the nodes of a character are at a time.
//
// Keys are looked up by halving; between two of them a value is linear, constant, or the cubic Hermite spline of glTF
// (section C.5), rotations on the shortest arc. Without scales placements are multiplied from the roots down. With
// scales a position depends on the whole linear map of the parent, which has no place in the result; each node is then
// carried up through its ancestors, deepest nodes first, while those are still in their local form. That costs nodes
// times depth and needs no memory.
#include <string.h>

#include "character/character_parts.h"
#include "pliant/math.h"

// The key before `time` and how far it is to the next, in [0, 1]; held at the ends.
static int32_t find_key(const pl_character_sampler *sampler, double time, double *part) {
  int32_t low = 0, high = sampler->key_count - 1;
  *part = 0;
  if (!(time > sampler->times[0])) return 0;
  if (time >= sampler->times[high]) return high;
  while (high - low > 1) {
    int32_t middle = low + (high - low) / 2;
    if (sampler->times[middle] <= time)
      low = middle;
    else
      high = middle;
  }
  *part = (time - sampler->times[low]) / (sampler->times[high] - sampler->times[low]);
  return low;
}

static const double *row_of(const pl_character_sampler *sampler, int32_t key, int32_t row) {
  int32_t rows = sampler->mode == PL_CHARACTER_CUBIC ? 3 : 1;
  return sampler->values + ((int64_t)key * rows + row) * sampler->width;
}

// Component `i` between key and the next.
static double mix(const pl_character_sampler *sampler, int32_t key, double t, int32_t i) {
  if (sampler->mode == PL_CHARACTER_CUBIC) {
    double start = row_of(sampler, key, 1)[i];
    if (t == 0) return start;
    double span = sampler->times[key + 1] - sampler->times[key], t2 = t * t, t3 = t2 * t;
    double leave = span * row_of(sampler, key, 2)[i], arrive = span * row_of(sampler, key + 1, 0)[i];
    double end = row_of(sampler, key + 1, 1)[i];
    return (2 * t3 - 3 * t2 + 1) * start + (t3 - 2 * t2 + t) * leave + (3 * t2 - 2 * t3) * end + (t3 - t2) * arrive;
  }
  double start = row_of(sampler, key, 0)[i];
  if (sampler->mode == PL_CHARACTER_STEP || t == 0) return start;
  return start + t * (row_of(sampler, key + 1, 0)[i] - start);
}

static pl_vec3 sample_vector(const pl_character_sampler *sampler, double time) {
  double t;
  int32_t key = find_key(sampler, time, &t);
  return (pl_vec3){mix(sampler, key, t, 0), mix(sampler, key, t, 1), mix(sampler, key, t, 2)};
}

static pl_quat sample_rotation(const pl_character_sampler *sampler, double time) {
  double t;
  int32_t key = find_key(sampler, time, &t);
  if (sampler->mode == PL_CHARACTER_LINEAR && t > 0) {
    const double *a = row_of(sampler, key, 0), *b = row_of(sampler, key + 1, 0);
    return pl_quat_slerp((pl_quat){a[0], a[1], a[2], a[3]}, (pl_quat){b[0], b[1], b[2], b[3]}, t);
  }
  return pl_quat_normalize(
      (pl_quat){mix(sampler, key, t, 0), mix(sampler, key, t, 1), mix(sampler, key, t, 2), mix(sampler, key, t, 3)});
}

static void sample_morphs(const pl_character *c, const pl_character_channel *channel, double time, double *morphs) {
  double t;
  int32_t key = find_key(channel->sampler, time, &t);
  const int32_t *poses = c->pose_of_target + c->target_start[channel->node];
  for (int32_t i = 0; i < channel->sampler->width; ++i) morphs[poses[i]] = mix(channel->sampler, key, t, i);
}

static void play(const pl_character *c, const pl_character_track *track, double time, pl_transform *nodes,
                 double *morphs) {
  for (int32_t i = 0; i < track->channel_count; ++i) {
    const pl_character_channel *channel = &track->channels[i];
    if (channel->path == PL_CHARACTER_POSITION) nodes[channel->node].position = sample_vector(channel->sampler, time);
    if (channel->path == PL_CHARACTER_ROTATION) nodes[channel->node].rotation = sample_rotation(channel->sampler, time);
    if (channel->path == PL_CHARACTER_MORPHS && morphs != NULL) sample_morphs(c, channel, time, morphs);
  }
}

static pl_vec3 scale_of(const pl_character *c, const pl_character_track *track, double time, int32_t node) {
  int32_t channel = track == NULL || track->scale_of_node == NULL ? -1 : track->scale_of_node[node];
  return channel < 0 ? c->nodes[node].scale : sample_vector(track->channels[channel].sampler, time);
}

static void join_scaled(const pl_character *c, const pl_character_track *track, double time, pl_transform *nodes) {
  for (int32_t k = c->view.node_count - 1; k >= 0; --k) {
    pl_transform *own = &nodes[c->order[k]];
    for (int32_t i = c->nodes[c->order[k]].parent; i >= 0; i = c->nodes[i].parent) {
      pl_vec3 scale = scale_of(c, track, time, i);
      pl_vec3 scaled = {scale.x * own->position.x, scale.y * own->position.y, scale.z * own->position.z};
      own->position = pl_transform_apply(nodes[i], scaled);
      own->rotation = pl_quat_multiply(nodes[i].rotation, own->rotation);
    }
    own->rotation = pl_quat_normalize(own->rotation);
  }
}

static void join(const pl_character *c, pl_transform *nodes) {
  for (int32_t k = 0; k < c->view.node_count; ++k) {
    int32_t i = c->order[k], parent = c->nodes[i].parent;
    if (parent >= 0) nodes[i] = pl_transform_multiply(nodes[parent], nodes[i]);
  }
}

void pl_character_join(const pl_character *character, pl_transform *nodes) {
  if (character->is_scaled)
    join_scaled(character, NULL, 0, nodes);
  else
    join(character, nodes);
}

void pl_character_sample(const pl_character *character, int32_t animation, double time, pl_transform *nodes,
                         double *morphs) {
  const pl_character *c = character;
  if (morphs != NULL && c->surface != NULL)
    memcpy(morphs, c->morphs, (size_t)pl_mesh_get_view(c->surface).pose_count * sizeof *morphs);
  if (animation < 0 || animation >= c->view.animation_count) {
    memcpy(nodes, c->rest, (size_t)c->view.node_count * sizeof *nodes);
    return;
  }
  const pl_character_track *track = &c->tracks[animation];
  for (int32_t i = 0; i < c->view.node_count; ++i) nodes[i] = c->nodes[i].rest;
  play(c, track, time, nodes, morphs);
  if (c->is_scaled || track->scale_of_node != NULL)
    join_scaled(c, track, time, nodes);
  else
    join(c, nodes);
}

void pl_character_sample_local(const pl_character *character, int32_t animation, double time, pl_transform *locals,
                               pl_vec3 *scales) {
  const pl_character *c = character;
  const pl_character_track *track =
      animation < 0 || animation >= c->view.animation_count ? NULL : &c->tracks[animation];
  for (int32_t i = 0; i < c->view.node_count; ++i) {
    locals[i] = c->nodes[i].rest;
    scales[i] = scale_of(c, track, time, i);
  }
  if (track != NULL) play(c, track, time, locals, NULL);
}
