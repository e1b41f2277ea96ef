// What a behaviour sees of its body and of the ground.
#include <math.h>
#include <string.h>

#include "actor/actor.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "pliant/math.h"

// --- the ground -----------------------------------------------------------------------------------------------------

// Signed distance of a point from the nearest collider.
static double nearest_collider(const pl_world *world, pl_vec3 point, pl_vec3 *normal) {
  double nearest = HUGE_VAL, time = pl_world_get_time(world);
  for (size_t i = 0; i < world->collider_list.count; ++i) {
    const pl_collider *collider = PL_ITEM(&world->collider_list, const pl_collider *, i);
    pl_vec3 direction;
    double distance = pl_collider_distance(collider, pl_collider_placement(collider, time), point, &direction);
    if (distance >= nearest) continue;
    nearest = distance;
    *normal = direction;
  }
  return nearest;
}

// Ground is searched this far down, in heights, and found this exactly.
static const double GROUND_REACH = 10, GROUND_TOLERANCE = 1e-5;

// Colliders are signed distances: from a free position one can go down by the distance without meeting any.
bool pl_ground_height(const struct pl_actor_ground *ground, pl_vec3 position, double above, double *height,
                      pl_vec3 *normal) {
  enum { MAX_STEPS = 100 };
  double top = pl_vec3_dot(position, ground->up) + above, gone = 0;
  pl_vec3 start = pl_vec3_add_scaled(position, ground->up, above);
  for (int k = 0; k < MAX_STEPS && gone <= ground->reach; ++k) {
    double distance = nearest_collider(ground->world, pl_vec3_add_scaled(start, ground->up, -gone), normal);
    if (distance <= ground->tolerance) {
      *height = top - gone - fmin(distance, ground->tolerance);
      return k > 0 || distance > -ground->tolerance;
    }
    gone += distance;
  }
  return false;
}

// --- the body -------------------------------------------------------------------------------------------------------

// Rotation from the shape as it came into the world to the present one, nearest in the sense of masses.
static pl_quat nearest_turn(const pl_actor *actor, const pl_body *body, const pl_fem_state *state, pl_vec3 center) {
  const pl_fem_model *model = actor->model;
  pl_mat3 sum = pl_mat3_zero();
  for (int32_t i = 0; i < model->head.particle_count; ++i) {
    pl_vec3 rest = pl_vec3_sub(pl_fem_vector(model->rest_points, i), model->rest_center);
    pl_vec3 now = pl_vec3_sub(pl_fem_vector(state->positions, i), center);
    pl_vec3 placed = pl_quat_rotate(body->start.placement.rotation, rest);
    sum = pl_mat3_add(sum, pl_mat3_outer(pl_vec3_scale(now, model->head.masses[i]), placed));
  }
  // Of a flat body nothing tells how far it has turned out of its plane: as far as its plane has.
  if (model->planar) sum.m[2][2] += fabs(sum.m[0][0]) + fabs(sum.m[1][1]) + fabs(sum.m[0][1]) + fabs(sum.m[1][0]);
  return pl_rotation_of_mat3(sum, actor->state->turn);
}

static pl_mat3 inertia_of(pl_mat3 sum, pl_vec3 arm, double mass) {
  double square = mass * pl_vec3_dot(arm, arm);
  sum = pl_mat3_add(sum, pl_mat3_diagonal(square, square, square));
  return pl_mat3_add(sum, pl_mat3_scale(pl_mat3_outer(arm, arm), -mass));
}

static pl_mat3 inverse_of(pl_mat3 inertia) {
  // A body in a line or at a point has no inertia around some axes: a trace of it keeps the matrix invertible.
  double min = 1e-9 * (inertia.m[0][0] + inertia.m[1][1] + inertia.m[2][2]);
  if (!(min > 0)) return pl_mat3_zero();
  return pl_mat3_inverse(pl_mat3_add(inertia, pl_mat3_diagonal(min, min, min)));
}

pl_mat3 pl_actor_inverse_inertia(const pl_fem_model *model, const double *positions, pl_vec3 center) {
  pl_mat3 inertia = pl_mat3_zero();
  for (int32_t i = 0; i < model->head.particle_count; ++i)
    inertia = inertia_of(inertia, pl_vec3_sub(pl_fem_vector(positions, i), center), model->head.masses[i]);
  return inverse_of(inertia);
}

pl_mat3 pl_actor_part_spins(const pl_actor *actor, int32_t part, const double *positions, pl_vec3 *center) {
  const pl_actor_body_part *it = &actor->parts[part];
  pl_mat3 inertia = pl_mat3_zero();
  *center = (pl_vec3){0, 0, 0};
  for (int32_t i = 0; i < it->point_count; ++i)
    *center = pl_vec3_add_scaled(*center, pl_fem_vector(positions, it->points[i]), 1.0 / it->point_count);
  for (int32_t i = 0; i < it->point_count; ++i)
    inertia = inertia_of(inertia, pl_vec3_sub(pl_fem_vector(positions, it->points[i]), *center), 1);
  return inverse_of(inertia);
}

// Angular velocity of a rigid body with this inertia and angular momentum.
static pl_vec3 spin_of(const pl_fem_model *model, const pl_fem_state *state, pl_vec3 center) {
  pl_vec3 momentum = pl_fem_angular_momentum(model, state->positions, state->velocities);
  return pl_mat3_apply(pl_actor_inverse_inertia(model, state->positions, center), momentum);
}

pl_vec3 pl_actor_surface_vector(const pl_fem_model *model, const double *values, int32_t i) {
  pl_vec3 sum = {0, 0, 0};
  for (int k = 0; k < 4; ++k)
    sum = pl_vec3_add_scaled(sum, pl_fem_vector(values, model->head.surface.parents[4 * (ptrdiff_t)i + k]),
                             model->touch.weights[4 * (ptrdiff_t)i + k]);
  return sum;
}

static pl_vec3 part_spin(const pl_actor *actor, const pl_fem_state *state, int32_t part) {
  const pl_actor_body_part *it = &actor->parts[part];
  pl_vec3 center, momentum = {0, 0, 0};
  pl_mat3 spins = pl_actor_part_spins(actor, part, state->positions, &center);
  for (int32_t i = 0; i < it->point_count; ++i) {
    pl_vec3 arm = pl_vec3_sub(pl_fem_vector(state->positions, it->points[i]), center);
    momentum = pl_vec3_add(momentum, pl_vec3_cross(arm, pl_fem_vector(state->velocities, it->points[i])));
  }
  return pl_mat3_apply(spins, momentum);
}

static void see_part(pl_actor *actor, const pl_fem_state *state, const pl_body *body, int32_t part) {
  const pl_actor_body_part *it = &actor->parts[part];
  pl_part_view *see = &actor->part_views[part];
  pl_vec3 up = actor->view.up, rest = {0, 0, 0};
  double lowest = HUGE_VAL;
  *see = (pl_part_view){.name = it->name, .is_foot = it->is_foot, .rest_lowest = HUGE_VAL};
  for (int32_t i = 0; i < it->point_count; ++i) {
    pl_vec3 at = pl_fem_vector(state->positions, it->points[i]);
    see->position = pl_vec3_add_scaled(see->position, at, 1.0 / it->point_count);
    see->velocity =
        pl_vec3_add_scaled(see->velocity, pl_fem_vector(state->velocities, it->points[i]), 1.0 / it->point_count);
    pl_vec3 arm = pl_vec3_sub(pl_fem_vector(actor->model->rest_points, it->points[i]), actor->model->rest_center);
    arm = pl_quat_rotate(body->start.placement.rotation, arm);
    rest = pl_vec3_add_scaled(rest, arm, 1.0 / it->point_count);
    see->rest_lowest = fmin(see->rest_lowest, pl_vec3_dot(arm, up) + actor->view.rest_height);
    if (pl_vec3_dot(at, up) >= lowest) continue;
    lowest = pl_vec3_dot(at, up);
    see->lowest = at;
  }
  see->rest = rest;
  see->spin = part_spin(actor, state, part);
}

// Surface points that press against colliders: the state keeps an anchor of friction for each.
static void see_touches(pl_actor *actor, const pl_fem_state *state) {
  pl_actor_view *view = &actor->view;
  const pl_fem_model *model = actor->model;
  double time = pl_world_get_time(actor->world);
  pl_vec3 sum = {0, 0, 0};
  view->min_touch = HUGE_VAL;
  view->max_touch = -HUGE_VAL;
  for (int32_t i = 0; i < model->head.surface.point_count; ++i) {
    int32_t collider = (int32_t)state->anchors[4 * (ptrdiff_t)i + 3] - 1;
    if (collider < 0 || (size_t)collider >= actor->world->collider_list.count) continue;
    const pl_collider *it = PL_ITEM(&actor->world->collider_list, const pl_collider *, (size_t)collider);
    pl_vec3 point = pl_actor_surface_vector(model, state->positions, i), normal;
    double distance = pl_collider_distance(it, pl_collider_placement(it, time), point, &normal);
    actor->state->report.max_sink = fmax(actor->state->report.max_sink, -distance);
    double along = pl_vec3_dot(pl_vec3_sub(point, view->center), view->command.heading);
    view->min_touch = fmin(view->min_touch, along);
    view->max_touch = fmax(view->max_touch, along);
    view->touch_count++;
    sum = pl_vec3_add(sum, point);
    for (int32_t k = 0; k < actor->part_count; ++k) {
      if ((actor->parts_of_surface[i] >> k & 1) == 0) continue;
      pl_part_view *part = &actor->part_views[k];
      part->touch_count++;
      part->touch = pl_vec3_add(part->touch, point);
      part->touch_normal = pl_vec3_add(part->touch_normal, normal);
    }
  }
  if (view->touch_count == 0) view->min_touch = view->max_touch = 0;
  if (view->touch_count > 0) view->touch = pl_vec3_scale(sum, 1.0 / view->touch_count);
  for (int32_t k = 0; k < actor->part_count; ++k) {
    pl_part_view *part = &actor->part_views[k];
    if (part->touch_count == 0) continue;
    part->touch = pl_vec3_scale(part->touch, 1.0 / part->touch_count);
    part->touch_normal = pl_vec3_normalize_or(part->touch_normal, view->up);
  }
}

// Extent of the shape as it came into the world.
static void see_shape(pl_actor *actor, const pl_body *body) {
  const pl_fem_model *model = actor->model;
  pl_actor_view *view = &actor->view;
  double low = HUGE_VAL, high = -HUGE_VAL;
  pl_box box = pl_box_empty();
  for (int32_t i = 0; i < model->head.particle_count; ++i) {
    pl_vec3 arm = pl_vec3_sub(pl_fem_vector(model->rest_points, i), model->rest_center);
    arm = pl_quat_rotate(body->start.placement.rotation, arm);
    box = pl_box_add_point(box, arm);
    low = fmin(low, pl_vec3_dot(arm, view->up));
    high = fmax(high, pl_vec3_dot(arm, view->up));
  }
  view->height = high - low;
  view->rest_height = -low;
  view->width = box.max.x - box.min.x;
  view->depth = box.max.z - box.min.z;
}

void pl_actor_see(pl_actor *actor, const pl_body *body, const pl_fem_state *state) {
  const pl_world *world = actor->world;
  pl_vec3 pull = pl_vec3_scale(world->def.gravity, body->gravity_scale);
  pl_vec3 upward = {0, 1, 0};
  pl_actor_view *view = &actor->view;
  *view = (pl_actor_view){
      .time = pl_world_get_time(world),
      .step = world->def.step,
      .planar = actor->model->planar,
      .mass = actor->model->head.mass,
      .up = pl_vec3_normalize_or(pl_vec3_scale(pull, -1), upward),
      .gravity = pl_vec3_length(pull),
      .center = pl_fem_center_of(actor->model, state->positions),
      .velocity = pl_fem_center_of(actor->model, state->velocities),
      .part_count = actor->part_count,
      .parts = actor->part_views,
      .command = actor->state->command,
      .ground = &actor->ground,
  };
  see_shape(actor, body);
  view->spin = spin_of(actor->model, state, view->center);
  view->turn = nearest_turn(actor, body, state, view->center);
  actor->ground =
      (struct pl_actor_ground){world, view->up, GROUND_REACH * view->height, GROUND_TOLERANCE * view->height};
  for (int32_t k = 0; k < actor->part_count; ++k) see_part(actor, state, body, k);
  see_touches(actor, state);
}
