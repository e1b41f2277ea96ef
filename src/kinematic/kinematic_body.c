// The state of a kinematic mesh, its way to the next targets, and the collider that chains of rods take it for.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "kinematic/kinematic_model.h"
#include "mesh/triangle_tree.h"
#include "world/world_state.h"

// Targets that are due within a step and this fraction of it are reached in the step: frames of 1/60 s are four steps
// of 1/240 s, but not in binary fractions.
static const double SLACK = 1e-3;

// The mesh as a collider that deforms.
typedef struct kinematic_work {
  pl_context *context;
  pl_collider collider;
  pl_vec3 *fitted;  // positions that the collider's tree has
} kinematic_work;

static const pl_kinematic_model *kinematic_of(const pl_model *model) {
  return (const pl_kinematic_model *)model;
}

// Reading a state does not change it; one set of functions finds its arrays for both.
static pl_kinematic_state *state_of(const void *state) {
  return (pl_kinematic_state *)(uintptr_t)state;
}

static size_t state_size(const pl_model *model) {
  return sizeof(pl_kinematic_state) + 3 * (size_t)model->particle_count * sizeof(pl_vec3);
}

static void start_body(const pl_model *model, void *state, const pl_body_start *start) {
  memset(state, 0, state_size(model));
  pl_vec3 *positions = pl_kinematic_positions(state);
  for (int32_t i = 0; i < model->particle_count; ++i)
    positions[i] = pl_transform_apply(start->placement, kinematic_of(model)->rest[i]);
}

static pl_status move_body(const pl_model *model, void *state, const pl_body_move *move, pl_error *error) {
  (void)error;
  pl_kinematic_state *s = state;
  size_t bytes = (size_t)model->particle_count * sizeof(pl_vec3);
  pl_vec3 *positions = pl_kinematic_positions(s), *velocities = pl_kinematic_velocities(model, s);
  const pl_vec3 *targets = pl_kinematic_targets(model, s);
  if (!s->is_waiting) {
    memset(velocities, 0, bytes);
    return PL_OK;
  }
  bool arrives = s->remaining <= (1 + SLACK) * move->step;
  for (int32_t i = 0; i < model->particle_count; ++i) {
    pl_vec3 way = pl_vec3_sub(targets[i], positions[i]);
    velocities[i] = pl_vec3_scale(way, 1 / (arrives ? move->step : s->remaining));
    positions[i] = arrives ? targets[i] : pl_vec3_add_scaled(positions[i], way, move->step / s->remaining);
  }
  s->remaining = arrives ? 0 : s->remaining - move->step;
  s->is_waiting = !arrives;
  return PL_OK;
}

// --- reading and writing

static void get_positions(const pl_model *model, const void *state, pl_vec3 *positions) {
  memcpy(positions, pl_kinematic_positions(state_of(state)), (size_t)model->particle_count * sizeof(pl_vec3));
}

static void get_velocities(const pl_model *model, const void *state, pl_vec3 *velocities) {
  memcpy(velocities, pl_kinematic_velocities(model, state_of(state)), (size_t)model->particle_count * sizeof(pl_vec3));
}

static void get_surface(const pl_model *model, const void *state, pl_vec3 *points) {
  const pl_vec3 *positions = pl_kinematic_positions(state_of(state));
  for (int32_t i = 0; i < model->surface.point_count; ++i) points[i] = positions[model->surface.parents[4 * i]];
}

static void set_state(const pl_model *model, void *state, const pl_vec3 *positions, const pl_vec3 *velocities) {
  size_t bytes = (size_t)model->particle_count * sizeof(pl_vec3);
  if (positions != NULL) memcpy(pl_kinematic_positions(state), positions, bytes);
  if (velocities != NULL) memcpy(pl_kinematic_velocities(model, state), velocities, bytes);
}

static pl_vec3 get_particle(const pl_model *model, const void *state, int32_t particle, pl_vec3 *velocity) {
  *velocity = pl_kinematic_velocities(model, state_of(state))[particle];
  return pl_kinematic_positions(state_of(state))[particle];
}

static void set_particle(const pl_model *model, void *state, int32_t particle, pl_vec3 position, pl_vec3 velocity) {
  pl_kinematic_positions(state)[particle] = position;
  pl_kinematic_velocities(model, state)[particle] = velocity;
}

static int32_t find_not_finite(const pl_model *model, const void *state) {
  const pl_vec3 *positions = pl_kinematic_positions(state_of(state));
  const pl_vec3 *velocities = pl_kinematic_velocities(model, state_of(state));
  for (int32_t i = 0; i < model->particle_count; ++i)
    if (!pl_vec3_is_finite(positions[i]) || !pl_vec3_is_finite(velocities[i])) return i;
  return -1;
}

static bool can_sleep(const pl_model *model, const void *state) {
  (void)model;
  return !((const pl_kinematic_state *)state)->is_waiting;
}

// --- as a collider

static void destroy_work(void *work) {
  kinematic_work *w = work;
  if (w == NULL) return;
  pl_triangle_tree_destroy(w->collider.tree);
  pl_release(w->context, w->fitted);
  pl_release(w->context, w);
}

static pl_status build_tree(const pl_kinematic_model *model, kinematic_work *w, pl_error *error) {
  pl_mesh_view view = {.point_count = model->head.particle_count,
                       .points = model->rest,
                       .triangle_count = model->head.surface.triangle_count,
                       .triangles = model->triangles};
  pl_mesh *mesh = NULL;
  pl_status status = pl_mesh_create(w->context, &view, &mesh, error);
  if (status >= 0) status = pl_triangle_tree_build(w->context, mesh, &w->collider.tree, error);
  pl_mesh_destroy(mesh);
  if (status >= 0 && !pl_triangle_tree_reserve_refit(w->collider.tree)) status = pl_fail_memory(error);
  return status;
}

static pl_status create_work(const pl_model *model, pl_context *context, double step, void **work, pl_error *error) {
  kinematic_work *w = pl_allocate_array(context, 1, sizeof *w);
  *work = NULL;
  if (w == NULL) return pl_fail_memory(error);
  w->context = context;
  w->fitted = pl_allocate_array(context, (size_t)model->particle_count, sizeof(pl_vec3));
  pl_status status = w->fitted == NULL ? pl_fail_memory(error) : build_tree(kinematic_of(model), w, error);
  if (status < 0) {
    destroy_work(w);
    return status;
  }
  memcpy(w->fitted, kinematic_of(model)->rest, (size_t)model->particle_count * sizeof(pl_vec3));
  w->collider.shape = PL_COLLIDER_MESH;
  w->collider.placement = pl_transform_identity();
  w->collider.center = pl_box_center(model->box);
  w->collider.reach = 0.5 * pl_box_diagonal(model->box);
  w->collider.friction = model->friction;
  w->collider.restitution = model->restitution;
  w->collider.motion_step = step;
  *work = w;
  return PL_OK;
}

static const pl_collider *get_collider(const pl_model *model, const void *state, void *work) {
  kinematic_work *w = work;
  const pl_vec3 *positions = pl_kinematic_positions(state_of(state));
  size_t bytes = (size_t)model->particle_count * sizeof(pl_vec3);
  if (memcmp(w->fitted, positions, bytes) != 0) {
    memcpy(w->fitted, positions, bytes);
    pl_triangle_tree_refit(w->collider.tree, positions);
    pl_box box = w->collider.tree->boxes.nodes[0].box;
    w->collider.center = pl_box_center(box);
    w->collider.reach = 0.5 * pl_box_diagonal(box);
  }
  w->collider.velocities = pl_kinematic_velocities(model, state_of(state));
  return &w->collider;
}

const pl_body_method pl_kinematic_method = {
    .name = "kinematic",
    .handles_colliders = true,
    .handles_air = true,
    .handles_pins = true,
    .state_size = state_size,
    .start = start_body,
    .move = move_body,
    .get_positions = get_positions,
    .get_velocities = get_velocities,
    .get_surface = get_surface,
    .set_state = set_state,
    .get_particle = get_particle,
    .set_particle = set_particle,
    .find_not_finite = find_not_finite,
    .can_sleep = can_sleep,
    .create_work = create_work,
    .destroy_work = destroy_work,
    .get_collider = get_collider,
};

// --- in a world

// Whether the body is at rest and stays so.
static bool is_there(const pl_model *model, pl_kinematic_state *s, const pl_vec3 *points) {
  size_t bytes = (size_t)model->particle_count * sizeof(pl_vec3);
  if (s->is_waiting || memcmp(pl_kinematic_positions(s), points, bytes) != 0) return false;
  const pl_vec3 *velocities = pl_kinematic_velocities(model, s);
  for (int32_t i = 0; i < model->particle_count; ++i)
    if (pl_vec3_dot(velocities[i], velocities[i]) > 0) return false;
  return true;
}

pl_status pl_kinematic_set_target(pl_world *world, pl_body_id id, const pl_vec3 *points, double seconds,
                                  pl_error *error) {
  if (pl_world_check_open(world, "pl_kinematic_set_target", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_body *body = pl_world_find_body(world, id);
  if (body == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such body in this world");
  const pl_model *model = body->model;
  if (model->method != &pl_kinematic_method)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "the body is not a kinematic mesh but of the method %s",
                   model->method->name);
  if (!isfinite(seconds) || seconds < 0)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "seconds", "%g is not a time; give 0 or more", seconds);
  for (int32_t i = 0; i < model->particle_count; ++i)
    if (!pl_vec3_is_finite(points[i]))
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "points", "point %d is not finite", i);
  pl_kinematic_state *s = body->state;
  if (is_there(model, s, points)) return PL_OK;
  pl_world_wake_body(world, body);
  memcpy(pl_kinematic_targets(model, s), points, (size_t)model->particle_count * sizeof(pl_vec3));
  s->remaining = seconds;
  s->is_waiting = true;
  return PL_OK;
}
