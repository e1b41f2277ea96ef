// Finite-element bodies in a world: reports and drivers.
#include "fem/fem_driver.h"
#include "world/world_state.h"

pl_status pl_fem_get_report(const pl_world *world, pl_body_id id, pl_fem_report *report) {
  const pl_body *body = pl_world_find_body(world, id);
  if (body == NULL) return PL_ERROR_NOT_FOUND;
  if (!pl_fem_is_model(body->model)) return PL_ERROR_UNSUPPORTED;
  *report = *pl_fem_work_report(body->work);
  return PL_OK;
}

pl_status pl_fem_drive(pl_world *world, pl_body_id id, const pl_fem_driver *driver) {
  const pl_body *body = pl_world_find_body(world, id);
  if (body == NULL) return PL_ERROR_NOT_FOUND;
  if (!pl_fem_is_model(body->model) || !((const pl_fem_model *)body->model)->adapts) return PL_ERROR_UNSUPPORTED;
  pl_fem_work *work = body->work;
  work->driver = driver;
  return PL_OK;
}
