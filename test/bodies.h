// Small bodies and worlds that several tests start from.
#ifndef PL_TEST_BODIES_H
#define PL_TEST_BODIES_H

#include "check.h"
#include "pliant/runtime.h"

// A box of tets made into a solid.
static inline pl_model *make_box_model(pl_context *context, pl_vec3 size, int32_t nx, int32_t ny, int32_t nz,
                                       const pl_solid_def *def) {
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  pl_model *model = NULL;
  check_ok(pl_mesh_create_box(context, size, (const int32_t[3]){nx, ny, nz}, &mesh, &error), &error);
  check_ok(pl_solid_build(context, def, mesh, &model, &error), &error);
  pl_mesh_destroy(mesh);
  return model;
}

// A world of the given step and gravity along Y.
static inline pl_world *make_world(pl_context *context, double step, double gravity) {
  pl_error error = {0};
  pl_world_def def = pl_default_world_def();
  def.step = step;
  def.gravity = (pl_vec3){0, gravity, 0};
  pl_world *world = NULL;
  check_ok(pl_world_create(context, &def, &world, &error), &error);
  return world;
}

static inline pl_body_id add_body(pl_world *world, const pl_model *model, pl_vec3 position) {
  pl_error error = {0};
  pl_body_def def = pl_default_body_def();
  def.model = model;
  def.placement.position = position;
  pl_body_id id;
  check_ok(pl_world_add_body(world, &def, &id, &error), &error);
  return id;
}

static inline void add_ground(pl_world *world) {
  pl_error error = {0};
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  check_ok(pl_world_add_collider(world, &def, NULL, &error), &error);
}

static inline void run_steps(pl_world *world, int32_t count) {
  pl_error error = {0};
  for (int32_t i = 0; i < count; ++i) check_ok(pl_world_step(world, NULL, &error), &error);
}

#endif
