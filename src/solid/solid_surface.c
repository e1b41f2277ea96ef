// What the world reads from a solid's state and writes into it, and the surface that follows from it.
#include <string.h>

#include "body/body_floats.h"
#include "pliant/math.h"
#include "solid/solid_kernels.h"

enum { HEAD_SIZE = 64 };  // origin, flags, turn and budget; the arrays after them are aligned

static size_t rotation_size(const pl_solid_model *model) {
  return (size_t)model->group_count * QUAT_LANES;
}

int32_t pl_solid_given_count(const pl_solid_model *model) {
  return model->examples.grouping == PL_SOLID_BY_REGION ? 1 : model->examples.manifold_count;
}

static size_t weight_size(const pl_solid_model *model) {
  return (size_t)model->examples.manifold_count * (size_t)model->examples.count;
}

size_t pl_solid_state_size(const pl_model *model) {
  const pl_solid_model *solid = (const pl_solid_model *)model;
  size_t given = (size_t)pl_solid_given_count(solid) * (size_t)solid->examples.count;
  size_t floats = rotation_size(solid) + weight_size(solid) * (solid->examples.plastic_threshold > 0 ? 2 : 1) + given;
  return HEAD_SIZE + 2 * (size_t)model->particle_count * sizeof(pl_f4) + floats * sizeof(float);
}

pl_solid_state pl_solid_state_of(const pl_model *model, const void *state) {
  // The world hands out const states for reading only; the views are shared by both uses.
  const pl_solid_model *solid = (const pl_solid_model *)model;
  char *bytes = (char *)(uintptr_t)state;
  pl_f4 *particles = (pl_f4 *)(void *)(bytes + HEAD_SIZE);
  float *rotations = (float *)(particles + 2 * (size_t)model->particle_count),
        *weights = rotations + rotation_size(solid);
  float *plastic = weights + weight_size(solid);
  return (pl_solid_state){
      .origin = (double *)(void *)bytes,
      .driven = (int32_t *)(void *)(bytes + 3 * sizeof(double)),
      .suspect = (int32_t *)(void *)(bytes + 3 * sizeof(double)) + 1,
      .calm = (int32_t *)(void *)(bytes + 3 * sizeof(double)) + 2,
      .turn = (float *)(void *)(bytes + 3 * sizeof(double)) + 3,
      .budget = (pl_solid_energy_budget *)(void *)(bytes + 3 * sizeof(double) + 6 * sizeof(float)),
      .positions = particles,
      .velocities = particles + model->particle_count,
      .rotations = rotations,
      .weights = weights,
      .plastic = plastic,
      .given = solid->examples.plastic_threshold > 0 ? plastic + weight_size(solid) : plastic,
  };
}

void pl_solid_copy_head(void *to, const void *from) {
  memcpy(to, from, HEAD_SIZE);
}

static pl_vec3 origin_of(pl_solid_state s) {
  return (pl_vec3){s.origin[0], s.origin[1], s.origin[2]};
}

void pl_solid_start(const pl_model *model, void *state, const pl_body_start *start) {
  const pl_solid_model *solid = (const pl_solid_model *)model;
  memset(state, 0, pl_solid_state_size(model));
  pl_solid_state s = pl_solid_state_of(model, state);
  pl_body_floats_start(start, solid->rest_center, solid->origin_grid, solid->rest, model->particle_count, s.origin,
                       s.positions, s.velocities);
  pl_quat q = pl_quat_normalize(start->placement.rotation);
  for (size_t group = 0; group < (size_t)solid->group_count; ++group) {
    float *rotations = s.rotations + group * QUAT_LANES;
    for (size_t lane = 0; lane < LANES; ++lane) {
      rotations[0 * LANES + lane] = (float)q.x;
      rotations[1 * LANES + lane] = (float)q.y;
      rotations[2 * LANES + lane] = (float)q.z;
      rotations[3 * LANES + lane] = (float)q.w;
    }
  }
}

void pl_solid_get_positions(const pl_model *model, const void *state, pl_vec3 *positions) {
  pl_solid_state s = pl_solid_state_of(model, state);
  const pl_solid_order *order = &((const pl_solid_model *)model)->order;
  pl_solid_kernels_choose()->read_vectors(s.positions, order, model->particle_count, s.origin, positions);
}

void pl_solid_get_velocities(const pl_model *model, const void *state, pl_vec3 *velocities) {
  pl_solid_state s = pl_solid_state_of(model, state);
  const pl_solid_order *order = &((const pl_solid_model *)model)->order;
  pl_solid_kernels_choose()->read_vectors(s.velocities, order, model->particle_count, NULL, velocities);
}

void pl_solid_read_motion(const pl_model *model, const void *state, pl_vec3 *positions, pl_vec3 *velocities,
                          pl_contact_extent *extent) {
  pl_solid_state s = pl_solid_state_of(model, state);
  const pl_solid_order *order = &((const pl_solid_model *)model)->order;
  const pl_solid_kernels *kernels = pl_solid_kernels_choose();
  kernels->read_points(s.positions, order, model->particle_count, s.origin, positions, extent);
  kernels->read_vectors(s.velocities, order, model->particle_count, NULL, velocities);
}

void pl_solid_get_surface(const pl_model *model, const void *state, pl_vec3 *points) {
  pl_solid_state s = pl_solid_state_of(model, state);
  pl_vec3 origin = origin_of(s);
  const pl_contact_surface *surface = &model->surface;
  const int32_t *parents = ((const pl_solid_model *)model)->surface_parents;
  for (int32_t i = 0; i < surface->point_count; ++i) {
    pl_vec3 point = {0, 0, 0};
    for (int k = 0; k < 4; ++k)
      point = pl_vec3_add_scaled(point, pl_vec3_of_f4(s.positions[parents[4 * i + k]]),
                                 (double)surface->weights[4 * i + k]);
    points[i] = pl_vec3_add(origin, point);
  }
}

void pl_solid_set_state(const pl_model *model, void *state, const pl_vec3 *positions, const pl_vec3 *velocities) {
  pl_solid_state s = pl_solid_state_of(model, state);
  const pl_solid_order *order = &((const pl_solid_model *)model)->order;
  const pl_solid_kernels *kernels = pl_solid_kernels_choose();
  *s.suspect = 1;  // input is checked
  *s.calm = 0;     // rotations are found before weights
  if (positions != NULL) kernels->write_vectors(positions, order, model->particle_count, s.origin, s.positions);
  if (velocities != NULL) kernels->write_vectors(velocities, order, model->particle_count, NULL, s.velocities);
}

bool pl_solid_round_motion(const pl_model *model, void *state, pl_vec3 *positions, pl_vec3 *velocities,
                           pl_contact_extent *extent) {
  pl_solid_state s = pl_solid_state_of(model, state);
  const pl_solid_order *order = &((const pl_solid_model *)model)->order;
  const pl_solid_kernels *kernels = pl_solid_kernels_choose();
  *s.suspect = 1;
  *s.calm = 0;
  bool is_finite = kernels->round_points(positions, order, model->particle_count, s.origin, s.positions, extent);
  return kernels->round_vectors(velocities, order, model->particle_count, s.velocities) && is_finite;
}

pl_vec3 pl_solid_get_particle(const pl_model *model, const void *state, int32_t particle, pl_vec3 *velocity) {
  pl_solid_state s = pl_solid_state_of(model, state);
  particle = ((const pl_solid_model *)model)->order.particle_of[particle];
  *velocity = pl_vec3_of_f4(s.velocities[particle]);
  return pl_vec3_add(origin_of(s), pl_vec3_of_f4(s.positions[particle]));
}

void pl_solid_set_particle(const pl_model *model, void *state, int32_t particle, pl_vec3 position, pl_vec3 velocity) {
  pl_solid_state s = pl_solid_state_of(model, state);
  particle = ((const pl_solid_model *)model)->order.particle_of[particle];
  *s.suspect = 1;
  s.positions[particle] = pl_f4_of_vec3(pl_vec3_sub(position, origin_of(s)));
  s.velocities[particle] = pl_f4_of_vec3(velocity);
}

// Plastic rest shapes move by themselves.
bool pl_solid_can_sleep(const pl_model *model, const void *state) {
  (void)state;
  return ((const pl_solid_model *)model)->examples.plastic_threshold <= 0;
}

int32_t pl_solid_find_not_finite(const pl_model *model, const void *state) {
  pl_solid_state s = pl_solid_state_of(model, state);
  if (!*s.suspect) return -1;
  // Infinity times zero and not-a-number times zero are not a number, so one sum checks all numbers.
  pl_f4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int32_t i = 0; i < model->particle_count; ++i) sum += s.positions[i] * 0.0f + s.velocities[i] * 0.0f;
  if (sum[0] + sum[1] + sum[2] == 0.0f) return -1;
  for (int32_t i = 0; i < model->particle_count; ++i) {
    pl_f4 zero = s.positions[i] * 0.0f + s.velocities[i] * 0.0f;
    if (!(zero[0] + zero[1] + zero[2] == 0.0f)) return ((const pl_solid_model *)model)->order.point_of[i];
  }
  return -1;
}
