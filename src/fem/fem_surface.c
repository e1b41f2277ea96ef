// What the world reads from the state of a finite-element body and writes into it. A state is doubles only, in the
// order of pl_fem_state.
#include <math.h>
#include <string.h>

#include "fem/fem_maxwell.h"
#include "pliant/math.h"

enum { HEAD = 4 };  // numbers before the arrays

static size_t rest_size(const pl_fem_group *group) {
  return 3 * (size_t)group->corner_count * (size_t)group->element_count;
}

static size_t branches_size(const pl_fem_model *fem) {
  return fem->branches.count > 0 ? (size_t)fem->branches.count * pl_fem_metrics_size(fem) : 0;
}

pl_fem_state pl_fem_state_of(const pl_model *model, const void *state) {
  const pl_fem_model *fem = (const pl_fem_model *)model;
  // The world hands out const states for reading only; the views are shared by both uses.
  double *numbers = (double *)(uintptr_t)state;
  size_t count = (size_t)fem->examples.count, surface = (size_t)model->surface.point_count,
         n = (size_t)model->particle_count;
  pl_fem_state s = {
      .driven = numbers,
      .energy = numbers + 1,
      .weights = numbers + HEAD,
      .given = numbers + HEAD + count,
      .anchors = numbers + HEAD + 2 * count,
      .positions = numbers + HEAD + 2 * count + 4 * surface,
      .velocities = numbers + HEAD + 2 * count + 4 * surface + 3 * n,
  };
  double *next = s.velocities + 3 * n;
  s.metrics = next;
  next += branches_size(fem);
  for (int32_t g = 0; fem->adapts && g < fem->group_count; next += rest_size(&fem->groups[g]), ++g) s.rest[g] = next;
  return s;
}

size_t pl_fem_state_size(const pl_model *model) {
  const pl_fem_model *fem = (const pl_fem_model *)model;
  size_t count = (size_t)fem->examples.count, surface = (size_t)model->surface.point_count,
         n = (size_t)model->particle_count;
  size_t rest = 0;
  for (int32_t g = 0; fem->adapts && g < fem->group_count; ++g) rest += rest_size(&fem->groups[g]);
  return (HEAD + 2 * count + 4 * surface + 6 * n + branches_size(fem) + rest) * sizeof(double);
}

void pl_fem_start(const pl_model *model, void *state, const pl_body_start *start) {
  const pl_fem_model *fem = (const pl_fem_model *)model;
  memset(state, 0, pl_fem_state_size(model));
  pl_fem_state s = pl_fem_state_of(model, state);
  for (int32_t g = 0; fem->adapts && g < fem->group_count; ++g)
    memcpy(s.rest[g], fem->groups[g].starts, rest_size(&fem->groups[g]) * sizeof(double));
  if (fem->branches.count > 0) memcpy(s.metrics, fem->start_metrics, branches_size(fem) * sizeof(double));
  pl_vec3 center = pl_transform_apply(start->placement, fem->rest_center);
  pl_quat rotation = pl_quat_normalize(start->placement.rotation);
  for (int32_t i = 0; i < model->particle_count; ++i) {
    pl_vec3 arm = pl_quat_rotate(rotation, pl_vec3_sub(pl_fem_vector(fem->rest_points, i), fem->rest_center));
    pl_fem_put(s.positions, i, pl_vec3_add(center, arm));
    pl_fem_put(s.velocities, i, pl_vec3_add(start->velocity, pl_vec3_cross(start->angular_velocity, arm)));
  }
}

void pl_fem_get_positions(const pl_model *model, const void *state, pl_vec3 *positions) {
  pl_fem_state s = pl_fem_state_of(model, state);
  for (int32_t i = 0; i < model->particle_count; ++i) positions[i] = pl_fem_vector(s.positions, i);
}

void pl_fem_get_velocities(const pl_model *model, const void *state, pl_vec3 *velocities) {
  pl_fem_state s = pl_fem_state_of(model, state);
  for (int32_t i = 0; i < model->particle_count; ++i) velocities[i] = pl_fem_vector(s.velocities, i);
}

// Three doubles are a pl_vec3.
_Static_assert(sizeof(pl_vec3) == 3 * sizeof(double), "a view of positions");

void pl_fem_get_view(const pl_model *model, const void *state, pl_body_view *view) {
  pl_fem_state s = pl_fem_state_of(model, state);
  *view = (pl_body_view){
      .particle_count = model->particle_count,
      .positions = (const pl_vec3 *)(const void *)s.positions,
      .velocities = (const pl_vec3 *)(const void *)s.velocities,
  };
}

void pl_fem_get_surface(const pl_model *model, const void *state, pl_vec3 *points) {
  pl_fem_state s = pl_fem_state_of(model, state);
  const pl_contact_surface *surface = &model->surface;
  const double *weights = ((const pl_fem_model *)model)->touch.weights;
  for (int32_t i = 0; i < surface->point_count; ++i) {
    points[i] = (pl_vec3){0, 0, 0};
    for (int k = 0; k < 4; ++k)
      points[i] =
          pl_vec3_add_scaled(points[i], pl_fem_vector(s.positions, surface->parents[4 * i + k]), weights[4 * i + k]);
  }
}

void pl_fem_set_state(const pl_model *model, void *state, const pl_vec3 *positions, const pl_vec3 *velocities) {
  pl_fem_state s = pl_fem_state_of(model, state);
  if (positions != NULL) s.energy[0] = 0;
  for (int32_t i = 0; positions != NULL && i < model->particle_count; ++i) pl_fem_put(s.positions, i, positions[i]);
  for (int32_t i = 0; velocities != NULL && i < model->particle_count; ++i) pl_fem_put(s.velocities, i, velocities[i]);
}

pl_vec3 pl_fem_get_particle(const pl_model *model, const void *state, int32_t particle, pl_vec3 *velocity) {
  pl_fem_state s = pl_fem_state_of(model, state);
  *velocity = pl_fem_vector(s.velocities, particle);
  return pl_fem_vector(s.positions, particle);
}

void pl_fem_set_particle(const pl_model *model, void *state, int32_t particle, pl_vec3 position, pl_vec3 velocity) {
  pl_fem_state s = pl_fem_state_of(model, state);
  s.energy[0] = 0;
  pl_fem_put(s.positions, particle, position);
  pl_fem_put(s.velocities, particle, velocity);
}

int32_t pl_fem_find_not_finite(const pl_model *model, const void *state) {
  pl_fem_state s = pl_fem_state_of(model, state);
  for (int32_t i = 0; i < model->particle_count; ++i) {
    // Infinity times zero and not-a-number times zero are not a number, so one sum checks all six numbers.
    double sum = 0;
    for (ptrdiff_t k = 3 * (ptrdiff_t)i; k < 3 * (ptrdiff_t)i + 3; ++k) sum += 0 * s.positions[k] + 0 * s.velocities[k];
    if (!(sum == 0)) return i;
  }
  return -1;
}
