// What moves a body besides its elasticity and what was measured: gravity, or all that the motion that is foreseen
// needs.
//
// A body that swings is in no equilibrium with gravity: elasticity g(y) at a pose y of its motion is balanced by
// gravity, inertia and damping together. Where the motion is known roughly, from a simulation with the material that
// was found, the load g(y) stands for all of them. The equilibrium without measured points is then y itself, and
// elasticity resists only what differs from it: parts that are not seen swing as simulated, and those that are seen are
// held back by nothing but short bumps.
#include "base/error.h"
#include "capture/track_parts.h"

void pl_track_set_gravity(pl_tracker *t) {
  for (int32_t i = 0; i < t->model->head.particle_count; ++i)
    pl_fem_put(t->load, i, pl_vec3_scale(t->def.acceleration, t->model->head.masses[i]));
}

pl_status pl_tracker_set_prediction(pl_tracker *t, const pl_vec3 *points, pl_error *error) {
  for (int32_t i = 0; i < t->model->head.particle_count; ++i)
    if (!pl_vec3_is_finite(points[i])) return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "point %d is not finite", i);
  for (int32_t i = 0; i < t->model->head.particle_count; ++i)
    pl_fem_put(t->predicted, i, t->fixed[i] != 0 ? pl_fem_vector(t->x, i) : points[i]);
  pl_fem_system_evaluate(&t->system, t->predicted, t->load, NULL, true);
  t->foreseen = true;
  return PL_OK;
}
