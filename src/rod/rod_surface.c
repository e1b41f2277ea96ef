// What the world reads from a rod body's state and writes into it, and the surface that follows from it.
#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "math/rotation.h"
#include "pliant/math.h"
#include "rod/rod_kernels.h"

static size_t rounded(size_t bytes) {
  return (bytes + 63) & ~(size_t)63;
}

static size_t kinematic_offset(void) {
  return rounded(sizeof(pl_rod_head));
}
static size_t root_offset(const pl_rod_model *model) {
  return kinematic_offset() + rounded((size_t)model->kinematic_count * sizeof(pl_rod_kinematic));
}
static size_t morph_offset(const pl_rod_model *model) {
  return root_offset(model) + rounded((size_t)model->batch_count * LANES * 3 * sizeof(double));
}
static size_t batch_offset(const pl_rod_model *model) {
  return morph_offset(model) + rounded((size_t)model->morph_count * sizeof(float));
}

size_t pl_rod_state_size(const pl_model *model) {
  const pl_rod_model *rod = (const pl_rod_model *)model;
  return batch_offset(rod) + rod->batch_floats * sizeof(float);
}

pl_rod_state pl_rod_state_of(const pl_model *model, const void *state) {
  // The world hands out const states for reading only; the views are shared by both uses.
  const pl_rod_model *rod = (const pl_rod_model *)model;
  char *bytes = (char *)(uintptr_t)state;
  return (pl_rod_state){
      .head = (pl_rod_head *)(void *)bytes,
      .kinematic = (pl_rod_kinematic *)(void *)(bytes + kinematic_offset()),
      .roots = (double *)(void *)(bytes + root_offset(rod)),
      .morphs = (float *)(void *)(bytes + morph_offset(rod)),
      .batches = (float *)(void *)(bytes + batch_offset(rod)),
  };
}

// Rows of eight per joint: positions 3, velocities 3, rotations 4, spins 3, rest 3 + 4, matches 4, and 4 more for the
// second solve.
size_t pl_rod_batch_floats(const pl_rod_batch *batch, pl_rod_ghost_momentum ghost_momentum) {
  size_t n = (size_t)batch->plan->joint_count, examples = (size_t)batch->example_count;
  size_t rows = n * (ghost_momentum == PL_ROD_GHOST_MOMENTUM_PAPER ? 28 : 24) + 2 * examples + 1;
  return rounded(rows * LANES * sizeof(float)) / sizeof(float);
}

pl_rod_lanes pl_rod_lanes_of(const pl_rod_model *model, pl_rod_state state, int32_t batch) {
  const pl_rod_batch *b = &model->batches[batch];
  size_t n = (size_t)b->plan->joint_count * LANES, examples = (size_t)b->example_count * LANES;
  float *at = state.batches + model->batch_offsets[batch];
  pl_rod_lanes lanes = {.positions = at};
  lanes.velocities = at += 3 * n;
  lanes.rotations = at += 3 * n;
  lanes.spins = at += 4 * n;
  lanes.rest_positions = at += 3 * n;
  lanes.rest_rotations = at += 3 * n;
  lanes.matches = at += 4 * n;
  at += 4 * n;
  if (model->ghost_momentum == PL_ROD_GHOST_MOMENTUM_PAPER) {
    lanes.shadow_matches = at;
    at += 4 * n;
  }
  lanes.weights = at;
  lanes.given = at += examples;
  at += examples;
  lanes.sources = (int32_t *)(void *)at;
  return lanes;
}

static pl_vec3 root_of(pl_rod_state s, int32_t slot) {
  return (pl_vec3){s.roots[3 * slot], s.roots[3 * slot + 1], s.roots[3 * slot + 2]};
}
void pl_rod_place_lane(const pl_rod_model *model, pl_rod_state s, int32_t batch, int32_t lane) {
  const pl_rod_batch *b = &model->batches[batch];
  pl_rod_lanes lanes = pl_rod_lanes_of(model, s, batch);
  pl_transform base = s.kinematic[b->bases[lane]].now;
  pl_vec3 root = pl_transform_apply(base, b->root_offsets[lane]);
  int32_t slot = batch * LANES + lane;
  s.roots[3 * slot] = root.x;
  s.roots[3 * slot + 1] = root.y;
  s.roots[3 * slot + 2] = root.z;
  for (int32_t i = 0; i < b->plan->joint_count; ++i) {
    pl_rod_put_vec3(lanes.positions, i, lane,
                    pl_quat_rotate(base.rotation, pl_rod_get_vec3(lanes.rest_positions, i, lane)));
    pl_rod_put_quat(lanes.rotations, i, lane,
                    pl_quat_multiply(base.rotation, pl_rod_get_quat(lanes.rest_rotations, i, lane)));
    pl_rod_put_quat(lanes.matches, i, lane, base.rotation);
    if (lanes.shadow_matches != NULL) pl_rod_put_quat(lanes.shadow_matches, i, lane, base.rotation);
  }
}

static void push_lane(const pl_rod_model *model, pl_rod_state s, int32_t batch, int32_t lane,
                      const pl_body_start *start) {
  pl_rod_lanes lanes = pl_rod_lanes_of(model, s, batch);
  for (int32_t i = 0; i < model->batches[batch].plan->joint_count; ++i) {
    pl_vec3 x = pl_vec3_add(root_of(s, batch * LANES + lane), pl_rod_get_vec3(lanes.positions, i, lane));
    pl_vec3 arm = pl_vec3_sub(x, start->placement.position);
    pl_rod_put_vec3(lanes.velocities, i, lane,
                    pl_vec3_add(start->velocity, pl_vec3_cross(start->angular_velocity, arm)));
    pl_rod_put_vec3(lanes.spins, i, lane, start->angular_velocity);
  }
}

void pl_rod_start(const pl_model *model, void *state, const pl_body_start *start) {
  const pl_rod_model *rod = (const pl_rod_model *)model;
  memset(state, 0, pl_rod_state_size(model));
  pl_rod_state s = pl_rod_state_of(model, state);
  s.head->fresh = 1;
  for (int32_t i = 0; i < rod->kinematic_count; ++i) {
    pl_transform now = pl_transform_multiply(start->placement, rod->rests[rod->kinematic_joints[i]]);
    s.kinematic[i] = (pl_rod_kinematic){now, now, 0};
  }
  for (int32_t b = 0; b < rod->batch_count; ++b) {
    pl_rod_lanes lanes = pl_rod_lanes_of(rod, s, b);
    pl_rod_kernels_choose()->blend(&rod->batches[b], lanes.weights, lanes.rest_positions, lanes.rest_rotations);
    for (int32_t lane = 0; lane < LANES; ++lane) {
      pl_rod_place_lane(rod, s, b, lane);
      push_lane(rod, s, b, lane, start);
    }
  }
}

pl_vec3 pl_rod_get_particle(const pl_model *model, const void *state, int32_t particle, pl_vec3 *velocity) {
  const pl_rod_model *rod = (const pl_rod_model *)model;
  pl_rod_state s = pl_rod_state_of(model, state);
  *velocity = (pl_vec3){0, 0, 0};
  if (rod->kinematic_of_joint[particle] >= 0) return s.kinematic[rod->kinematic_of_joint[particle]].now.position;
  int32_t slot = rod->slot_of_joint[particle], lane = slot % LANES, slot_index = rod->index_of_joint[particle];
  pl_rod_lanes lanes = pl_rod_lanes_of(rod, s, slot / LANES);
  *velocity = pl_rod_get_vec3(lanes.velocities, slot_index, lane);
  return pl_vec3_add(root_of(s, slot), pl_rod_get_vec3(lanes.positions, slot_index, lane));
}

void pl_rod_get_positions(const pl_model *model, const void *state, pl_vec3 *positions) {
  pl_vec3 unused;
  for (int32_t i = 0; i < model->particle_count; ++i) positions[i] = pl_rod_get_particle(model, state, i, &unused);
}

void pl_rod_get_velocities(const pl_model *model, const void *state, pl_vec3 *velocities) {
  for (int32_t i = 0; i < model->particle_count; ++i) (void)pl_rod_get_particle(model, state, i, &velocities[i]);
}

// Kinematic joints and roots are moved by the caller; only passive joints can be written.
static void set_particle(const pl_rod_model *rod, pl_rod_state s, int32_t particle, const pl_vec3 *position,
                         const pl_vec3 *velocity) {
  if (rod->index_of_joint[particle] <= 0) return;
  int32_t slot = rod->slot_of_joint[particle], lane = slot % LANES, slot_index = rod->index_of_joint[particle];
  pl_rod_lanes lanes = pl_rod_lanes_of(rod, s, slot / LANES);
  if (position != NULL) pl_rod_put_vec3(lanes.positions, slot_index, lane, pl_vec3_sub(*position, root_of(s, slot)));
  if (velocity != NULL) pl_rod_put_vec3(lanes.velocities, slot_index, lane, *velocity);
  s.head->suspect = 1;
}

void pl_rod_set_particle(const pl_model *model, void *state, int32_t particle, pl_vec3 position, pl_vec3 velocity) {
  set_particle((const pl_rod_model *)model, pl_rod_state_of(model, state), particle, &position, &velocity);
}

void pl_rod_set_state(const pl_model *model, void *state, const pl_vec3 *positions, const pl_vec3 *velocities) {
  pl_rod_state s = pl_rod_state_of(model, state);
  for (int32_t i = 0; i < model->particle_count; ++i)
    set_particle((const pl_rod_model *)model, s, i, positions != NULL ? &positions[i] : NULL,
                 velocities != NULL ? &velocities[i] : NULL);
}

int32_t pl_rod_find_not_finite(const pl_model *model, const void *state) {
  pl_rod_state s = pl_rod_state_of(model, state);
  for (int32_t i = 0; s.head->suspect && i < model->particle_count; ++i) {
    pl_vec3 v, x = pl_rod_get_particle(model, state, i, &v);
    if (!pl_vec3_is_finite(x) || !pl_vec3_is_finite(v)) return i;
  }
  return -1;
}

void pl_rod_turn_lane(pl_rod_lanes lanes, int32_t joint_count, int32_t lane, pl_quat turn) {
  for (int32_t i = 0; i < joint_count; ++i) {
    pl_rod_put_vec3(lanes.positions, i, lane, pl_quat_rotate(turn, pl_rod_get_vec3(lanes.positions, i, lane)));
    pl_rod_put_vec3(lanes.velocities, i, lane, pl_quat_rotate(turn, pl_rod_get_vec3(lanes.velocities, i, lane)));
    pl_rod_put_vec3(lanes.spins, i, lane, pl_quat_rotate(turn, pl_rod_get_vec3(lanes.spins, i, lane)));
    pl_rod_put_quat(lanes.rotations, i, lane,
                    pl_quat_normalize(pl_quat_multiply(turn, pl_rod_get_quat(lanes.rotations, i, lane))));
    pl_rod_put_quat(lanes.matches, i, lane,
                    pl_quat_normalize(pl_quat_multiply(turn, pl_rod_get_quat(lanes.matches, i, lane))));
    if (lanes.shadow_matches != NULL)
      pl_rod_put_quat(lanes.shadow_matches, i, lane,
                      pl_quat_normalize(pl_quat_multiply(turn, pl_rod_get_quat(lanes.shadow_matches, i, lane))));
  }
}

void pl_rod_state_teleport(const pl_model *model, void *state, pl_transform motion) {
  const pl_rod_model *rod = (const pl_rod_model *)model;
  pl_rod_state s = pl_rod_state_of(model, state);
  for (int32_t i = 0; i < rod->kinematic_count; ++i) {
    s.kinematic[i].now = pl_transform_multiply(motion, s.kinematic[i].now);
    s.kinematic[i].target = pl_transform_multiply(motion, s.kinematic[i].target);
  }
  for (int32_t slot = 0; slot < rod->batch_count * LANES; ++slot) {
    pl_vec3 root = pl_transform_apply(motion, root_of(s, slot));
    s.roots[3 * slot] = root.x;
    s.roots[3 * slot + 1] = root.y;
    s.roots[3 * slot + 2] = root.z;
    int32_t batch = slot / LANES;
    pl_rod_turn_lane(pl_rod_lanes_of(rod, s, batch), rod->batches[batch].plan->joint_count, slot % LANES,
                     motion.rotation);
  }
}

pl_quat pl_rod_turn_between(pl_vec3 from, pl_vec3 to) {
  pl_vec3 a = pl_vec3_normalize_or(from, (pl_vec3){1, 0, 0}), b = pl_vec3_normalize_or(to, a);
  double w = 1 + pl_vec3_dot(a, b);
  pl_vec3 c = pl_vec3_cross(a, b);
  if (w < 1e-12) {
    c = pl_vec3_cross(a, fabs(a.x) < 0.6 ? (pl_vec3){1, 0, 0} : (pl_vec3){0, 1, 0});
    w = 0;
  }
  return pl_quat_normalize((pl_quat){c.x, c.y, c.z, w});
}

// A joint's orientation, turned by the least that points its bones where its children are: exactly for one child, as
// nearly as possible for several.
typedef struct bones {
  int32_t count;
  pl_vec3 aim, direction;  // of the last one
  pl_mat3 moments;         // of all
} bones;

static void add_bone(bones *b, pl_vec3 aim, pl_vec3 direction) {
  b->count++;
  b->aim = aim;
  b->direction = direction;
  b->moments = pl_mat3_add(b->moments, pl_mat3_outer(direction, aim));
}

static pl_quat aligned(const bones *b, pl_quat rotation) {
  if (b->count == 0) return rotation;
  pl_quat turn;
  if (b->count == 1) {
    turn = pl_rod_turn_between(b->aim, b->direction);
  } else {
    // A little of the identity says how to turn around the bones when they lie in one plane or line.
    double some = 1e-3 * (pl_vec3_dot(b->aim, b->aim) + 1e-30);
    pl_mat3 m = b->moments;
    for (int i = 0; i < 3; ++i) m.m[i][i] += some;
    turn = pl_rotation_of_mat3(m, pl_quat_identity());
  }
  return pl_quat_normalize(pl_quat_multiply(turn, rotation));
}

// Frames of a chain's joints in the world, in the order of the chain.
static void find_frames(const pl_rod_batch *b, pl_rod_lanes lanes, int32_t lane, pl_vec3 root, pl_transform *frames) {
  const pl_rod_plan *plan = b->plan;
  bones all[PL_ROD_MAX_JOINTS];
  memset(all, 0, (size_t)plan->joint_count * sizeof(bones));
  for (int32_t i = 1; i < plan->joint_count; ++i) {
    int32_t p = plan->parents[i];
    pl_quat deviation = pl_quat_multiply(pl_rod_get_quat(lanes.rotations, p, lane),
                                         pl_quat_conjugate(pl_rod_get_quat(lanes.rest_rotations, p, lane)));
    pl_vec3 rest =
        pl_vec3_sub(pl_rod_get_vec3(lanes.rest_positions, i, lane), pl_rod_get_vec3(lanes.rest_positions, p, lane));
    add_bone(&all[p], pl_quat_rotate(deviation, rest),
             pl_vec3_sub(pl_rod_get_vec3(lanes.positions, i, lane), pl_rod_get_vec3(lanes.positions, p, lane)));
  }
  for (int32_t i = 0; i < plan->joint_count; ++i)
    frames[i] = (pl_transform){pl_vec3_add(root, pl_rod_get_vec3(lanes.positions, i, lane)),
                               aligned(&all[i], pl_rod_get_quat(lanes.rotations, i, lane))};
}

// Calls `use` with every joint of the body and its frame.
typedef void use_frame(void *data, int32_t joint, pl_transform frame);

static void visit_frames(const pl_rod_model *rod, pl_rod_state s, use_frame *use, void *data) {
  for (int32_t i = 0; i < rod->kinematic_count; ++i) use(data, rod->kinematic_joints[i], s.kinematic[i].now);
  for (int32_t batch = 0; batch < rod->batch_count; ++batch) {
    const pl_rod_batch *b = &rod->batches[batch];
    pl_rod_lanes lanes = pl_rod_lanes_of(rod, s, batch);
    for (int32_t lane = 0; lane < b->lane_count; ++lane) {
      pl_transform frames[PL_ROD_MAX_JOINTS];
      find_frames(b, lanes, lane, root_of(s, batch * LANES + lane), frames);
      for (int32_t i = 0; i < b->plan->joint_count; ++i) use(data, b->joints[LANES * i + lane], frames[i]);
    }
  }
}

static void copy_frame(void *data, int32_t joint, pl_transform frame) {
  ((pl_transform *)data)[joint] = frame;
}

void pl_rod_state_get_joints(const pl_model *model, const void *state, pl_transform *joints) {
  visit_frames((const pl_rod_model *)model, pl_rod_state_of(model, state), copy_frame, joints);
}

// Linear blend skinning, joint by joint: each adds its part to the points that follow it.
typedef struct skinning {
  const pl_rod_model *model;
  const float *morph_weights;
  pl_vec3 *points;
} skinning;

static void add_fraction(void *data, int32_t joint, pl_transform frame) {
  const skinning *s = data;
  const pl_rod_model *rod = s->model;
  pl_quat from_rest = pl_quat_multiply(frame.rotation, pl_quat_conjugate(rod->rests[joint].rotation));
  for (int32_t k = rod->skin_start[joint]; k < rod->skin_start[joint + 1]; ++k) {
    int32_t point = rod->skin_points[k];
    pl_vec3 carried = pl_transform_apply(frame, pl_vec3_of_f4(rod->skin_offsets[k]));
    if (rod->morph_count > 0) {
      pl_vec3 moved = {0, 0, 0};
      for (int32_t m = 0; m < rod->morph_count; ++m) {
        size_t at = (size_t)m * (size_t)rod->head.surface.point_count + (size_t)point;
        if (s->morph_weights[m] != 0)
          moved = pl_vec3_add_scaled(moved, pl_vec3_of_f4(rod->morphs[at]), (double)s->morph_weights[m]);
      }
      carried = pl_vec3_add(carried, pl_quat_rotate(from_rest, moved));
    }
    s->points[point] = pl_vec3_add_scaled(s->points[point], carried, (double)rod->skin_weights[k]);
  }
}

void pl_rod_get_surface(const pl_model *model, const void *state, pl_vec3 *points) {
  pl_rod_state s = pl_rod_state_of(model, state);
  for (int32_t i = 0; i < model->surface.point_count; ++i) points[i] = (pl_vec3){0, 0, 0};
  skinning data = {(const pl_rod_model *)model, s.morphs, points};
  visit_frames(data.model, s, add_fraction, &data);
}
