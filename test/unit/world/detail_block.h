// A soft block that a moving ball presses, and examples of detail recorded on it.
#ifndef PL_TEST_DETAIL_BLOCK_H
#define PL_TEST_DETAIL_BLOCK_H

#include "bodies.h"
#include "pliant/detail.h"
#include "pliant/math.h"

typedef struct fixture {
  pl_mesh *mesh;
  pl_model *model;
  pl_world *world;
  pl_body_id body;
  pl_collider_id tool;
  int32_t surface_count;
  pl_vec3 *surface;
} fixture;

static const double FIXTURE_STEP = 1.0 / 240;

// A mesh of a block 0.4 x 0.2 x 0.4, or that block cut, on the ground; a ball comes down onto its middle within 0.1 s, 3 cm deep, and stays. Takes the mesh.
static inline fixture make_fixture_of(pl_context *context, pl_mesh *mesh) {
  fixture s = {.mesh = mesh};
  pl_error error = {0};
  pl_solid_def def = pl_default_solid_def();
  check_ok(pl_solid_build(context, &def, s.mesh, &s.model, &error), &error);
  s.world = make_world(context, FIXTURE_STEP, -9.81);
  s.body = add_body(s.world, s.model, pl_vec3_of(2, 0.1, 1));
  add_ground(s.world);
  pl_collider_def ball = pl_default_collider_def(PL_COLLIDER_SPHERE);
  const pl_collider_key keys[2] = {{0, {{2, 0.3, 1}, {0, 0, 0, 1}}}, {0.1, {{2, 0.22, 1}, {0, 0, 0, 1}}}};
  ball.radius = 0.05;
  ball.keys = keys;
  ball.key_count = 2;
  check_ok(pl_world_add_collider(s.world, &ball, &s.tool, &error), &error);
  s.surface_count = pl_model_get_report(s.model).surface_point_count;
  s.surface = calloc((size_t)s.surface_count, sizeof *s.surface);
  return s;
}

static inline pl_mesh *make_block(pl_context *context) {
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create_box(context, pl_vec3_of(0.4, 0.2, 0.4), (const int32_t[3]){8, 4, 8}, &mesh, &error), &error);
  return mesh;
}

static inline fixture make_fixture(pl_context *context) {
  return make_fixture_of(context, make_block(context));
}

static inline void drop_fixture(fixture *s) {
  pl_world_destroy(s->world);
  pl_model_destroy(s->model);
  pl_mesh_destroy(s->mesh);
  free(s->surface);
}

// Record what the stage shows after `steps` steps, with a fine surface that has a wall around the dent.
static inline pl_detail_set *record_fixture(pl_context *context, fixture *s, int32_t steps) {
  pl_error error = {0};
  run_steps(s->world, steps);
  pl_mesh_view mesh = pl_mesh_get_view(s->mesh);
  pl_mesh *boundary = NULL;
  int32_t *anchors = malloc((size_t)mesh.point_count * sizeof *anchors);
  check_ok(pl_mesh_build_boundary(context, s->mesh, &boundary, anchors, &error), &error);
  pl_mesh_view surface = pl_mesh_get_view(boundary);
  assert_int_equal(surface.point_count, s->surface_count);
  pl_vec3 *moved = malloc((size_t)mesh.point_count * sizeof *moved), *fine = malloc((size_t)s->surface_count * sizeof *fine);
  check_ok(pl_body_get_positions(s->world, s->body, moved), &error);
  check_ok(pl_body_get_surface(s->world, s->body, s->surface), &error);
  for (int32_t i = 0; i < mesh.point_count; ++i) moved[i] = pl_vec3_sub(moved[i], mesh.points[i]);
  for (int32_t i = 0; i < s->surface_count; ++i) {
    pl_vec3 x = surface.points[i];
    double r = sqrt(x.x * x.x + x.z * x.z) / 0.12;
    fine[i] = s->surface[i];
    if (r < 1 && x.y > 0.099) fine[i].y += 0.02 * (1 - r * r) * (1 - r * r) * (4 * r * r - 1);
  }
  pl_detail_object object = pl_detail_object_from_mesh(s->mesh, boundary, anchors);
  pl_detail_recording recording = {.object = &object,
                                   .material_displacements = moved,
                                   .coarse_points = s->surface,
                                   .fine_points = fine,
                                   .contact = {.point = {2, 0.17, 1}, .normal = {0, 1, 0}, .pressure = 1}};
  pl_detail_def def = pl_default_detail_def();
  def.window_radius = 0.08;
  def.stamp_radius = 0.18;
  pl_detail_set *set = NULL;
  check_ok(pl_detail_set_build(context, &def, &(pl_detail_recordings){&recording, 1, NULL}, &set, NULL, &error), &error);
  free(anchors);
  free(moved);
  free(fine);
  pl_mesh_destroy(boundary);
  return set;
}

static inline pl_detail_layer *add_layer(fixture *s, const pl_detail_set *set) {
  pl_detail_layer_def def = pl_default_detail_layer_def();
  def.set = set;
  def.mesh = s->mesh;
  pl_detail_layer *layer = NULL;
  pl_error error = {0};
  check_ok(pl_detail_layer_add(s->world, s->body, &def, &layer, &error), &error);
  return layer;
}

#endif
