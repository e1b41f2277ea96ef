// Air drag on surfaces, which acts before the move, and pins, which act after it.
#include <math.h>

#include "base/error.h"
#include "pliant/math.h"
#include "world/world_joints.h"
#include "world/world_state.h"

static void push_particle(pl_body *body, int32_t particle, pl_vec3 force) {
  body->forces[particle] += pl_f4_of_vec3(force);
  body->has_forces = true;
}

// Quadratic drag of a flat plate, per triangle: F = ½ rho C A |u·n| (u·n) n with u the air's velocity relative to the
// triangle. Only the normal part counts, so that wind along a surface slides off it. Distributed equally to the
// corners, and from them to the particles that carry them.
static void drag_triangle(pl_world *world, pl_body *body, const int32_t *corners, const pl_vec3 *points,
                          const pl_vec3 *speeds) {
  pl_vec3 a = points[corners[0]], b = points[corners[1]], c = points[corners[2]];
  pl_vec3 area = pl_vec3_scale(pl_vec3_cross(pl_vec3_sub(b, a), pl_vec3_sub(c, a)), 0.5);
  double size = pl_vec3_length(area);
  if (!(size > 0)) return;
  pl_vec3 normal = pl_vec3_scale(area, 1 / size);
  pl_vec3 velocity =
      pl_vec3_scale(pl_vec3_add(pl_vec3_add(speeds[corners[0]], speeds[corners[1]]), speeds[corners[2]]), 1.0 / 3);
  double across = pl_vec3_dot(pl_vec3_sub(world->def.wind, velocity), normal);
  pl_vec3 fraction =
      pl_vec3_scale(normal, 0.5 * world->def.air_density * world->def.drag * size * fabs(across) * across / 3);
  const pl_contact_surface *surface = &body->model->surface;
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 4; ++j) {
      double weight = (double)surface->weights[4 * corners[k] + j];
      if (weight != 0) push_particle(body, surface->parents[4 * corners[k] + j], pl_vec3_scale(fraction, weight));
    }
}

static pl_status drag_body(pl_world *world, pl_body *body, pl_error *error) {
  const pl_contact_surface *surface = &body->model->surface;
  pl_scratch_mark mark = pl_scratch_push(&world->scratch);
  pl_vec3 *points = PL_SCRATCH(&world->scratch, pl_vec3, surface->point_count);
  pl_vec3 *speeds = PL_SCRATCH(&world->scratch, pl_vec3, surface->point_count);
  pl_vec3 *particle_speeds = PL_SCRATCH(&world->scratch, pl_vec3, surface->particle_count);
  pl_status status = points && speeds && particle_speeds ? PL_OK : pl_fail_memory(error);
  if (status >= 0) {
    body->model->method->get_surface(body->model, body->state, points);
    body->model->method->get_velocities(body->model, body->state, particle_speeds);
    // The velocity of a surface point is blended like its position.
    for (int32_t i = 0; i < surface->point_count; ++i) {
      speeds[i] = (pl_vec3){0, 0, 0};
      for (int k = 0; k < 4; ++k)
        speeds[i] = pl_vec3_add_scaled(speeds[i], particle_speeds[surface->parents[4 * i + k]],
                                       (double)surface->weights[4 * i + k]);
    }
    for (int32_t t = 0; t < surface->triangle_count; ++t)
      drag_triangle(world, body, surface->triangles + 3 * t, points, speeds);
  }
  pl_scratch_pop(&world->scratch, mark);
  return status;
}

pl_status pl_world_add_wind(pl_world *world, pl_error *error) {
  if (world->def.air_density <= 0 || world->def.drag <= 0) return PL_OK;
  for (int32_t k = 0; k < world->awake_count; ++k) {
    pl_body *body = pl_slots_at(&world->bodies, PL_ITEM(&world->awake, int32_t, k));
    if (body->model->method->handles_air) continue;
    pl_status status = drag_body(world, body, error);
    if (status < 0) return status;
  }
  return PL_OK;
}

// A spring, integrated implicitly on top of what the body's own step and all other forces gave its particle:
//   v = (v* + h k (t - x) / m) / (1 + h c / m + h² k / m),  x + h v
// with v* the velocity after the move and x where the particle was before it. However stiff the spring is, it does not
// overshoot, and a load on it sags by exactly its weight over k.
static void pull_spring(const pl_world *world, pl_body *body, const pl_world_pin *pin) {
  const pl_body_method *method = body->model->method;
  double h = world->def.step, m = body->model->masses[pin->def.particle], k = pin->def.stiffness, c = pin->def.damping;
  pl_vec3 v;
  pl_vec3 end = method->get_particle(body->model, body->state, pin->def.particle, &v);
  pl_vec3 start = pl_vec3_add_scaled(end, v, -h);
  pl_vec3 pulled = pl_vec3_add_scaled(v, pl_vec3_sub(pin->target, start), h * k / m);
  pulled = pl_vec3_scale(pulled, 1 / (1 + (h * c + h * h * k) / m));
  method->set_particle(body->model, body->state, pin->def.particle, pl_vec3_add_scaled(start, pulled, h), pulled);
}

// The particle arrives exactly on its target with the mean velocity of its motion, so that its neighbours are carried
// along.
static void hold_hard(const pl_world *world, pl_body *body, const pl_world_pin *pin) {
  const pl_body_method *method = body->model->method;
  pl_vec3 unused;
  pl_vec3 start = method->get_particle(body->model, body->saved, pin->def.particle, &unused);
  pl_vec3 velocity = pl_vec3_scale(pl_vec3_sub(pin->target, start), 1 / world->def.step);
  method->set_particle(body->model, body->state, pin->def.particle, pin->target, velocity);
}

void pl_world_hold_pins(pl_world *world) {
  for (int32_t i = 0; i < pl_slots_count(&world->pins); ++i) {
    const pl_world_pin *pin = pl_slots_at(&world->pins, i);
    if (!pl_pin_holds(world, pin)) continue;
    pl_body *body = pl_world_find_body(world, pin->def.body);
    if (body->model->method->handles_pins || pl_body_sleeps(body)) continue;
    if (pin->def.stiffness > 0)
      pull_spring(world, body, pin);
    else
      hold_hard(world, body, pin);
  }
  if (pl_slots_count(&world->attachments) > 0) pl_world_follow_goals(world);
}
