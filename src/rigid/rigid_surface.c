// What the world reads from a rigid body's state and writes into it.
#include <math.h>

#include "math/mat3.h"
#include "math/rotation.h"
#include "rigid/rigid_model.h"

static size_t state_size(const pl_model *model) {
  (void)model;
  return sizeof(pl_rigid_state);
}

static void start_body(const pl_model *model, void *state, const pl_body_start *start) {
  pl_rigid_state *s = state;
  s->center = pl_transform_apply(start->placement, ((const pl_rigid_model *)model)->center);
  s->rotation = pl_quat_normalize(start->placement.rotation);
  s->velocity = start->velocity;
  s->angular_velocity = start->angular_velocity;
}

static void get_positions(const pl_model *model, const void *state, pl_vec3 *positions) {
  const pl_rigid_state *s = state;
  const pl_vec3 *rest = ((const pl_rigid_model *)model)->rest;
  pl_mat3 r = pl_mat3_from_quat(s->rotation);
  for (int32_t i = 0; i < model->particle_count; ++i) positions[i] = pl_vec3_add(s->center, pl_mat3_apply(r, rest[i]));
}

static void get_velocities(const pl_model *model, const void *state, pl_vec3 *velocities) {
  const pl_rigid_state *s = state;
  const pl_vec3 *rest = ((const pl_rigid_model *)model)->rest;
  pl_mat3 r = pl_mat3_from_quat(s->rotation);
  for (int32_t i = 0; i < model->particle_count; ++i)
    velocities[i] = pl_vec3_add(s->velocity, pl_vec3_cross(s->angular_velocity, pl_mat3_apply(r, rest[i])));
}

static void get_surface(const pl_model *model, const void *state, pl_vec3 *points) {
  const pl_rigid_state *s = state;
  const pl_vec3 *rest = ((const pl_rigid_model *)model)->rest;
  pl_mat3 r = pl_mat3_from_quat(s->rotation);
  for (int32_t i = 0; i < model->surface.point_count; ++i)
    points[i] = pl_vec3_add(s->center, pl_mat3_apply(r, rest[model->surface.parents[4 * i]]));
}

static pl_vec3 mean_of(const pl_vec3 *vectors, int32_t count) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t i = 0; i < count; ++i) sum = pl_vec3_add(sum, vectors[i]);
  return pl_vec3_scale(sum, 1.0 / count);
}

// The placement nearest to the positions, by least squares: the rotation nearest to Σ (x - x̄)(r - r̄)ᵀ.
static void fit_placement(const pl_rigid_model *model, pl_rigid_state *s, const pl_vec3 *positions) {
  int32_t n = model->head.particle_count;
  pl_vec3 middle = mean_of(positions, n), rest_middle = mean_of(model->rest, n);
  pl_mat3 sum = pl_mat3_zero();
  for (int32_t i = 0; i < n; ++i)
    sum = pl_mat3_add(sum, pl_mat3_outer(pl_vec3_sub(positions[i], middle), pl_vec3_sub(model->rest[i], rest_middle)));
  s->rotation = pl_rotation_of_mat3(sum, s->rotation);
  s->center = pl_vec3_sub(middle, pl_quat_rotate(s->rotation, rest_middle));
}

// The motion nearest to the velocities, by least squares: for particles of equal mass it has their momentum and their
// angular momentum.
static void fit_velocities(const pl_rigid_model *model, pl_rigid_state *s, const pl_vec3 *velocities) {
  int32_t n = model->head.particle_count;
  pl_vec3 mean = mean_of(velocities, n), middle = pl_quat_rotate(s->rotation, mean_of(model->rest, n));
  pl_vec3 momentum = {0, 0, 0};
  pl_mat3 inertia = pl_mat3_zero();
  for (int32_t i = 0; i < n; ++i) {
    pl_vec3 arm = pl_vec3_sub(pl_quat_rotate(s->rotation, model->rest[i]), middle);
    double square = pl_vec3_dot(arm, arm);
    momentum = pl_vec3_add(momentum, pl_vec3_cross(arm, pl_vec3_sub(velocities[i], mean)));
    inertia = pl_mat3_add(
        inertia, pl_mat3_add(pl_mat3_diagonal(square, square, square), pl_mat3_scale(pl_mat3_outer(arm, arm), -1)));
  }
  s->angular_velocity = pl_mat3_apply(pl_mat3_inverse(inertia), momentum);
  s->velocity = pl_vec3_sub(mean, pl_vec3_cross(s->angular_velocity, middle));
}

static void set_state(const pl_model *model, void *state, const pl_vec3 *positions, const pl_vec3 *velocities) {
  const pl_rigid_model *rigid = (const pl_rigid_model *)model;
  if (positions != NULL) fit_placement(rigid, state, positions);
  if (velocities != NULL) fit_velocities(rigid, state, velocities);
}

static pl_vec3 get_particle(const pl_model *model, const void *state, int32_t particle, pl_vec3 *velocity) {
  const pl_rigid_state *s = state;
  pl_vec3 arm = pl_quat_rotate(s->rotation, ((const pl_rigid_model *)model)->rest[particle]);
  *velocity = pl_vec3_add(s->velocity, pl_vec3_cross(s->angular_velocity, arm));
  return pl_vec3_add(s->center, arm);
}

// An impulse P at the arm r changes the velocity there by K P with K = 1/m + [r]ᵀ I⁻¹ [r].
void pl_rigid_push_of(const pl_rigid_model *model, pl_quat rotation, pl_vec3 arm, pl_vec3 change, pl_vec3 *linear,
                      pl_vec3 *angular) {
  static const pl_vec3 AXES[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  pl_vec3 columns[3];
  for (int k = 0; k < 3; ++k) {
    pl_vec3 turn = pl_rigid_velocity_of(model, rotation, pl_vec3_cross(arm, AXES[k]));
    columns[k] = pl_vec3_add_scaled(pl_vec3_cross(turn, arm), AXES[k], 1 / model->head.mass);
  }
  pl_mat3 k = pl_mat3_from_columns(columns[0], columns[1], columns[2]);
  pl_vec3 impulse = pl_mat3_apply(pl_mat3_inverse(k), change);
  *linear = pl_vec3_scale(impulse, 1 / model->head.mass);
  *angular = pl_rigid_velocity_of(model, rotation, pl_vec3_cross(arm, impulse));
}

// As if an impulse at the particle had given it this velocity, and a push this position.
static void set_particle(const pl_model *model, void *state, int32_t particle, pl_vec3 position, pl_vec3 velocity) {
  const pl_rigid_model *rigid = (const pl_rigid_model *)model;
  pl_rigid_state *s = state;
  pl_vec3 old_velocity, linear, angular;
  pl_vec3 old = get_particle(model, state, particle, &old_velocity);
  pl_vec3 arm = pl_quat_rotate(s->rotation, rigid->rest[particle]);
  pl_rigid_push_of(rigid, s->rotation, arm, pl_vec3_sub(velocity, old_velocity), &linear, &angular);
  s->velocity = pl_vec3_add(s->velocity, linear);
  s->angular_velocity = pl_vec3_add(s->angular_velocity, angular);
  pl_rigid_push_of(rigid, s->rotation, arm, pl_vec3_sub(position, old), &linear, &angular);
  s->rotation = pl_quat_normalize(pl_quat_multiply(pl_quat_from_rotation_vector(angular), s->rotation));
  s->center = pl_vec3_sub(position, pl_quat_rotate(s->rotation, rigid->rest[particle]));
}

static int32_t find_not_finite(const pl_model *model, const void *state) {
  (void)model;
  const pl_rigid_state *s = state;
  bool finite = pl_vec3_is_finite(s->center) && isfinite(pl_quat_dot(s->rotation, s->rotation)) &&
                pl_vec3_is_finite(s->velocity) && pl_vec3_is_finite(s->angular_velocity);
  return finite ? -1 : 0;
}

static void teleport(const pl_model *model, void *state, pl_transform motion) {
  (void)model;
  pl_rigid_state *s = state;
  s->center = pl_transform_apply(motion, s->center);
  s->rotation = pl_quat_normalize(pl_quat_multiply(motion.rotation, s->rotation));
  s->velocity = pl_quat_rotate(motion.rotation, s->velocity);
  s->angular_velocity = pl_quat_rotate(motion.rotation, s->angular_velocity);
}

static void get_rigid(const pl_model *model, const void *state, pl_contact_rigid *rigid) {
  const pl_rigid_model *it = (const pl_rigid_model *)model;
  const pl_rigid_state *s = state;
  pl_mat3 r = pl_mat3_from_quat(pl_quat_multiply(s->rotation, it->principal));
  pl_mat3 inverse = pl_mat3_diagonal(1 / it->moments.x, 1 / it->moments.y, 1 / it->moments.z);
  *rigid = (pl_contact_rigid){
      .center = s->center,
      .rotation = s->rotation,
      .velocity = s->velocity,
      .angular_velocity = s->angular_velocity,
      .inverse_mass = 1 / model->mass,
      .inverse_inertia = pl_mat3_multiply(pl_mat3_multiply(r, inverse), pl_mat3_transpose(r)),
  };
}

static void set_rigid(const pl_model *model, void *state, const pl_contact_rigid *rigid) {
  const pl_rigid_model *it = (const pl_rigid_model *)model;
  pl_rigid_state *s = state;
  // Impulses acted on the inertia of the rotation before: the angular momentum is what they gave.
  pl_vec3 momentum = pl_rigid_momentum_of(it, s->rotation, rigid->angular_velocity);
  s->center = rigid->center;
  s->rotation = rigid->rotation;
  s->velocity = rigid->velocity;
  s->angular_velocity = pl_rigid_velocity_of(it, s->rotation, momentum);
}

static bool can_sleep(const pl_model *model, const void *state) {
  (void)model;
  (void)state;
  return true;
}

const pl_body_method pl_rigid_method = {
    .name = "rigid",
    .state_size = state_size,
    .start = start_body,
    .move = pl_rigid_move,
    .get_positions = get_positions,
    .get_velocities = get_velocities,
    .get_surface = get_surface,
    .set_state = set_state,
    .get_particle = get_particle,
    .set_particle = set_particle,
    .find_not_finite = find_not_finite,
    .teleport = teleport,
    .get_rigid = get_rigid,
    .set_rigid = set_rigid,
    .can_sleep = can_sleep,
};
