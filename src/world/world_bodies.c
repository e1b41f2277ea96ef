// Looking into bodies and writing to them.
#include <math.h>

#include "base/error.h"
#include "examples/weights.h"
#include "pliant/math.h"
#include "world/world_state.h"

int32_t pl_world_body_count(const pl_world *world) {
  return pl_slots_count(&world->bodies);
}

pl_body_id pl_world_get_body(const pl_world *world, int32_t index) {
  if (index < 0 || index >= pl_slots_count(&world->bodies)) return (pl_body_id){0, 0};
  pl_slot_id id = pl_slots_id_at(&world->bodies, index);
  return (pl_body_id){id.slot, id.generation};
}

const pl_model *pl_body_get_model(const pl_world *world, pl_body_id id) {
  const pl_body *body = pl_world_find_body(world, id);
  return body == NULL ? NULL : body->model;
}

pl_status pl_body_get_positions(const pl_world *world, pl_body_id id, pl_vec3 *positions) {
  const pl_body *body = pl_world_find_body(world, id);
  if (body == NULL) return PL_ERROR_NOT_FOUND;
  body->model->method->get_positions(body->model, body->state, positions);
  return PL_OK;
}

pl_status pl_body_get_velocities(const pl_world *world, pl_body_id id, pl_vec3 *velocities) {
  const pl_body *body = pl_world_find_body(world, id);
  if (body == NULL) return PL_ERROR_NOT_FOUND;
  body->model->method->get_velocities(body->model, body->state, velocities);
  return PL_OK;
}

pl_status pl_body_get_view(const pl_world *world, pl_body_id id, pl_body_view *view) {
  *view = (pl_body_view){0};
  const pl_body *body = pl_world_find_body(world, id);
  if (body == NULL) return PL_ERROR_NOT_FOUND;
  if (body->model->method->get_view == NULL) return PL_ERROR_UNSUPPORTED;
  body->model->method->get_view(body->model, body->state, view);
  return PL_OK;
}

pl_status pl_body_get_surface(const pl_world *world, pl_body_id id, pl_vec3 *points) {
  const pl_body *body = pl_world_find_body(world, id);
  if (body == NULL) return PL_ERROR_NOT_FOUND;
  if (body->layers.count == 0) {
    body->model->method->get_surface(body->model, body->state, points);
  } else {
    for (int32_t i = 0; i < body->model->surface.point_count; ++i) points[i] = body->surface[i];
  }
  return PL_OK;
}

static int32_t first_not_finite(const pl_vec3 *vectors, int32_t count) {
  for (int32_t i = 0; vectors != NULL && i < count; ++i)
    if (!pl_vec3_is_finite(vectors[i])) return i;
  return -1;
}

pl_status pl_body_set_state(pl_world *world, pl_body_id id, const pl_vec3 *positions, const pl_vec3 *velocities,
                            pl_error *error) {
  if (pl_world_check_open(world, "pl_body_set_state", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_body *body = pl_world_find_body(world, id);
  if (body == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such body in this world");
  int32_t n = body->model->particle_count;
  int32_t bad = first_not_finite(positions, n);
  if (bad >= 0) return pl_fail(error, PL_ERROR_INVALID_DATA, "position %d is not finite", bad);
  bad = first_not_finite(velocities, n);
  if (bad >= 0) return pl_fail(error, PL_ERROR_INVALID_DATA, "velocity %d is not finite", bad);
  pl_world_wake_body(world, body);
  body->model->method->set_state(body->model, body->state, positions, velocities);
  if (positions != NULL) pl_world_note_jump(world, body);
  return PL_OK;
}

// Particles of a rigid body are points of its surface: its mass is elsewhere.
static void report_rigid(const pl_body *body, pl_body_report *report) {
  pl_contact_rigid rigid;
  body->model->method->get_rigid(body->model, body->state, &rigid);
  pl_vec3 spin = pl_mat3_apply(pl_mat3_inverse(rigid.inverse_inertia), rigid.angular_velocity);
  report->center = rigid.center;
  report->momentum = pl_vec3_scale(rigid.velocity, report->mass);
  report->angular_momentum = spin;
  report->kinetic_energy = 0.5 * report->mass * pl_vec3_dot(rigid.velocity, rigid.velocity) +
                           0.5 * pl_vec3_dot(rigid.angular_velocity, spin);
}

pl_body_report pl_body_get_report(const pl_world *world, pl_body_id id) {
  const pl_body *body = pl_world_find_body(world, id);
  if (body == NULL) return (pl_body_report){0};
  const pl_model *model = body->model;
  pl_body_report report = {.mass = model->mass, .box = pl_box_empty()};
  for (int32_t i = 0; i < model->particle_count; ++i) {
    pl_vec3 v;
    pl_vec3 x = model->method->get_particle(model, body->state, i, &v);
    double m = model->masses[i], speed = pl_vec3_length(v);
    report.center = pl_vec3_add_scaled(report.center, x, m);
    report.momentum = pl_vec3_add_scaled(report.momentum, v, m);
    report.kinetic_energy += 0.5 * m * speed * speed;
    report.box = pl_box_add_point(report.box, x);
    report.max_speed = fmax(report.max_speed, speed);
  }
  if (model->mass > 0)
    report.center = pl_vec3_scale(report.center, 1 / model->mass);
  else
    report.center = pl_box_center(report.box);
  for (int32_t i = 0; i < model->particle_count; ++i) {
    pl_vec3 v;
    pl_vec3 x = model->method->get_particle(model, body->state, i, &v);
    report.angular_momentum =
        pl_vec3_add_scaled(report.angular_momentum, pl_vec3_cross(pl_vec3_sub(x, report.center), v), model->masses[i]);
  }
  if (model->method->get_rigid != NULL) report_rigid(body, &report);
  return report;
}

pl_status pl_body_get_weights(const pl_world *world, pl_body_id id, int32_t manifold, double *weights) {
  const pl_body *body = pl_world_find_body(world, id);
  if (body == NULL || manifold < 0 || manifold >= pl_model_get_examples(body->model).manifold_count)
    return PL_ERROR_NOT_FOUND;
  body->model->method->get_weights(body->model, body->state, manifold, weights);
  return PL_OK;
}

pl_status pl_body_set_weights(pl_world *world, pl_body_id id, int32_t manifold, const double *weights,
                              pl_error *error) {
  if (pl_world_check_open(world, "pl_body_set_weights", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_body *body = pl_world_find_body(world, id);
  if (body == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such body in this world");
  pl_example_view examples = pl_model_get_examples(body->model);
  if (manifold < 0 || manifold >= examples.given_count)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "manifold",
                         "%d is out of range; weights can be given for %d", manifold, examples.given_count);
  double limited[PL_MAX_EXAMPLES];
  if (weights != NULL) pl_weights_limit(examples.example_count, weights, limited);
  pl_world_wake_body(world, body);
  body->model->method->set_weights(body->model, body->state, manifold, weights != NULL ? limited : NULL);
  return PL_OK;
}
