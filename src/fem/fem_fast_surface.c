// What the world reads from the state of a fast corotated solid and writes into it.
#include <string.h>

#include "body/body_floats.h"
#include "fem/fem_fast_touch.h"
#include "pliant/math.h"

enum { HEAD_SIZE = 64 };  // the origin and a flag, padded so that the arrays after them are aligned

// Particles with a filler that keeps what follows them aligned to 32 bytes.
static size_t padded_count(const pl_model *model) {
  return ((size_t)model->particle_count + 1) / 2 * 2;
}

static size_t padded_examples(const pl_model *model) {
  return ((size_t)((const pl_fem_fast_model *)model)->examples.count + LANES - 1) / LANES * LANES;
}

size_t pl_fem_fast_state_size(const pl_model *model) {
  size_t groups = (size_t)((const pl_fem_fast_model *)model)->tets.group_count;
  return HEAD_SIZE + 2 * padded_count(model) * sizeof(pl_f4) + groups * QUAT_LANES * sizeof(float) +
         2 * padded_examples(model) * sizeof(float) + (size_t)model->surface.point_count * sizeof(pl_fem_fast_hold);
}

pl_fem_fast_state pl_fem_fast_state_of(const pl_model *model, const void *state) {
  // The world hands out const states for reading only; the views are shared by both uses.
  char *bytes = (char *)(uintptr_t)state;
  pl_f4 *particles = (pl_f4 *)(void *)(bytes + HEAD_SIZE);
  float *rotations = (float *)(particles + 2 * padded_count(model));
  float *weights = rotations + (size_t)((const pl_fem_fast_model *)model)->tets.group_count * QUAT_LANES;
  return (pl_fem_fast_state){
      .origin = (double *)(void *)bytes,
      .suspect = (int32_t *)(void *)(bytes + 3 * sizeof(double)),
      .driven = (int32_t *)(void *)(bytes + 3 * sizeof(double)) + 1,
      .positions = particles,
      .velocities = particles + padded_count(model),
      .rotations = rotations,
      .weights = weights,
      .given = weights + padded_examples(model),
      .holds = (pl_fem_fast_hold *)(void *)(weights + 2 * padded_examples(model)),
  };
}

static pl_vec3 origin_of(pl_fem_fast_state s) {
  return (pl_vec3){s.origin[0], s.origin[1], s.origin[2]};
}

void pl_fem_fast_start(const pl_model *model, void *state, const pl_body_start *start) {
  const pl_fem_fast_model *fast = (const pl_fem_fast_model *)model;
  memset(state, 0, pl_fem_fast_state_size(model));
  pl_fem_fast_state s = pl_fem_fast_state_of(model, state);
  pl_body_floats_start(start, fast->rest_center, fast->origin_grid, fast->rest, model->particle_count, s.origin,
                       s.positions, s.velocities);
  pl_quat q = pl_quat_normalize(start->placement.rotation);
  const double parts[4] = {q.x, q.y, q.z, q.w};
  for (size_t i = 0; i < (size_t)fast->tets.group_count * QUAT_LANES; ++i) s.rotations[i] = (float)parts[i / LANES % 4];
}

void pl_fem_fast_get_positions(const pl_model *model, const void *state, pl_vec3 *positions) {
  const int32_t *point_of = ((const pl_fem_fast_model *)model)->point_of;
  pl_fem_fast_state s = pl_fem_fast_state_of(model, state);
  pl_vec3 origin = origin_of(s);
  for (int32_t i = 0; i < model->particle_count; ++i)
    positions[point_of[i]] = pl_vec3_add(origin, pl_vec3_of_f4(s.positions[i]));
}

void pl_fem_fast_get_velocities(const pl_model *model, const void *state, pl_vec3 *velocities) {
  const int32_t *point_of = ((const pl_fem_fast_model *)model)->point_of;
  pl_fem_fast_state s = pl_fem_fast_state_of(model, state);
  for (int32_t i = 0; i < model->particle_count; ++i) velocities[point_of[i]] = pl_vec3_of_f4(s.velocities[i]);
}

void pl_fem_fast_get_surface(const pl_model *model, const void *state, pl_vec3 *points) {
  pl_fem_fast_state s = pl_fem_fast_state_of(model, state);
  pl_vec3 origin = origin_of(s);
  const pl_contact_surface *surface = &model->surface;
  const int32_t *parents = ((const pl_fem_fast_model *)model)->surface_parents;
  for (int32_t i = 0; i < surface->point_count; ++i) {
    pl_vec3 point = {0, 0, 0};
    for (int k = 0; k < 4; ++k)
      point = pl_vec3_add_scaled(point, pl_vec3_of_f4(s.positions[parents[4 * i + k]]),
                                 (double)surface->weights[4 * i + k]);
    points[i] = pl_vec3_add(origin, point);
  }
}

void pl_fem_fast_set_state(const pl_model *model, void *state, const pl_vec3 *positions, const pl_vec3 *velocities) {
  const int32_t *point_of = ((const pl_fem_fast_model *)model)->point_of;
  pl_fem_fast_state s = pl_fem_fast_state_of(model, state);
  pl_vec3 origin = origin_of(s);
  *s.suspect = 1;  // input is checked
  for (int32_t i = 0; positions != NULL && i < model->particle_count; ++i)
    s.positions[i] = pl_f4_of_vec3(pl_vec3_sub(positions[point_of[i]], origin));
  for (int32_t i = 0; velocities != NULL && i < model->particle_count; ++i)
    s.velocities[i] = pl_f4_of_vec3(velocities[point_of[i]]);
}

pl_vec3 pl_fem_fast_get_particle(const pl_model *model, const void *state, int32_t particle, pl_vec3 *velocity) {
  pl_fem_fast_state s = pl_fem_fast_state_of(model, state);
  particle = ((const pl_fem_fast_model *)model)->particle_of[particle];
  *velocity = pl_vec3_of_f4(s.velocities[particle]);
  return pl_vec3_add(origin_of(s), pl_vec3_of_f4(s.positions[particle]));
}

void pl_fem_fast_set_particle(const pl_model *model, void *state, int32_t particle, pl_vec3 position,
                              pl_vec3 velocity) {
  pl_fem_fast_state s = pl_fem_fast_state_of(model, state);
  particle = ((const pl_fem_fast_model *)model)->particle_of[particle];
  *s.suspect = 1;
  s.positions[particle] = pl_f4_of_vec3(pl_vec3_sub(position, origin_of(s)));
  s.velocities[particle] = pl_f4_of_vec3(velocity);
}

int32_t pl_fem_fast_find_not_finite(const pl_model *model, const void *state) {
  pl_fem_fast_state s = pl_fem_fast_state_of(model, state);
  for (int32_t i = 0; *s.suspect && i < model->particle_count; ++i) {
    // Infinity times zero and not-a-number times zero are not a number, so one sum checks all six numbers.
    pl_f4 zero = s.positions[i] * 0.0f + s.velocities[i] * 0.0f;
    if (!(zero[0] + zero[1] + zero[2] == 0.0f)) return ((const pl_fem_fast_model *)model)->point_of[i];
  }
  return -1;
}
