// Cubes that fall on each other do not overlap by more than their contact thicknesses, whatever methods they have.
//
// Measured without any part of contact: of the points of either surface that are inside the other, by the sum of solid
// angles (Van Oosterom and Strackee 1983), the distance from its nearest triangle.
// ctest: physics once
#include "fixtures/box_stacks.h"
#include "fixtures/rigid_bodies.h"
#include "mesh/simplex.h"

enum { MAX_POINTS = 200, SOLID_CUBE = 99, RIGID_CUBE };

typedef struct cube_surface {
  int32_t point_count, triangle_count;
  const int32_t *triangles;
  pl_vec3 points[MAX_POINTS];
} cube_surface;

// Solid angle of a triangle seen from a point, over 4 π.
static double winding_of(pl_vec3 p, const pl_vec3 corners[3]) {
  pl_vec3 a = pl_vec3_sub(corners[0], p), b = pl_vec3_sub(corners[1], p), c = pl_vec3_sub(corners[2], p);
  double la = pl_vec3_length(a), lb = pl_vec3_length(b), lc = pl_vec3_length(c);
  double volume = pl_vec3_dot(a, pl_vec3_cross(b, c));
  double cosine = la * lb * lc + pl_vec3_dot(a, b) * lc + pl_vec3_dot(b, c) * la + pl_vec3_dot(c, a) * lb;
  return 2 * atan2(volume, cosine) / (4 * PL_PI);
}

static double deepest_in(const cube_surface *of, const cube_surface *in) {
  double deepest = 0;
  pl_box box = pl_box_empty();
  for (int32_t i = 0; i < in->point_count; ++i) box = pl_box_add_point(box, in->points[i]);
  for (int32_t i = 0; i < of->point_count; ++i) {
    if (!pl_box_overlaps(box, (pl_box){of->points[i], of->points[i]})) continue;
    double winding = 0, nearest = HUGE_VAL, weights[3];
    for (int32_t t = 0; t < in->triangle_count; ++t) {
      pl_vec3 c[3];
      for (int k = 0; k < 3; ++k) c[k] = in->points[in->triangles[3 * t + k]];
      winding += winding_of(of->points[i], c);
      nearest =
          fmin(nearest, pl_vec3_distance(of->points[i], pl_triangle_nearest(c[0], c[1], c[2], of->points[i], weights)));
    }
    if (fabs(winding) > 0.5) deepest = fmax(deepest, nearest);
  }
  return deepest;
}

static pl_model *make_cube(pl_context *context, int kind, double young) {
  pl_solid_def solid = pl_default_solid_def();
  if (young > 0) solid.young = young;
  if (kind == SOLID_CUBE)
    return make_box_model(context, (pl_vec3){BOX_SIZE, BOX_SIZE, BOX_SIZE}, BOX_CELLS, BOX_CELLS, BOX_CELLS, &solid);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){BOX_SIZE, BOX_SIZE, BOX_SIZE}, BOX_CELLS, BOX_CELLS, BOX_CELLS);
  pl_rigid_def rigid = pl_default_rigid_def();
  pl_fem_def fem = pl_default_fem_def(kind == RIGID_CUBE ? PL_FEM_COROTATED : (pl_fem_material)kind);
  fem.young = young;
  fem.fast_step = BOX_STEP;
  pl_model *model = kind == RIGID_CUBE ? make_rigid(context, &rigid, mesh) : make_fem_model(context, &fem, mesh);
  pl_mesh_destroy(mesh);
  return model;
}

typedef struct collision {
  int upper, lower;
  double young, drop, turn, x;  // x: of the lower cube, metres
} collision;

typedef struct collision_result {
  double deepest, thickness;  // metres: overlap after any step; sum of both contact thicknesses
} collision_result;

// The upper cube is 3 cm to the side of the lower one, so that it tips over and rolls off. Two seconds.
static collision_result collide(const collision *c) {
  pl_error error = {0};
  pl_context *context = make_context(1);
  pl_model *models[2] = {make_cube(context, c->upper, c->young), make_cube(context, c->lower, c->young)};
  pl_world *world = make_world(context, BOX_STEP, -9.81);
  add_ground(world);
  pl_body_id bodies[2];
  collision_result result = {0, 0};
  cube_surface surfaces[2];
  for (int k = 0; k < 2; ++k) {
    pl_body_def def = pl_default_body_def();
    def.model = models[k];
    def.placement.position =
        k == 0 ? pl_vec3_of(c->x + 0.03, 1.5 * BOX_SIZE + c->drop, 0.02) : pl_vec3_of(c->x, 0.5 * BOX_SIZE + 3e-4, 0);
    if (k == 0) def.placement.rotation = pl_quat_from_axis_angle(pl_vec3_of(0, 1, 0), c->turn);
    check_ok(pl_world_add_body(world, &def, &bodies[k], &error), &error);
    pl_model_report report = pl_model_get_report(models[k]);
    assert_true(report.surface_point_count <= MAX_POINTS);
    surfaces[k].point_count = report.surface_point_count;
    surfaces[k].triangle_count = report.surface_triangle_count;
    surfaces[k].triangles = pl_model_get_surface_triangles(models[k]);
    result.thickness += report.contact_radius;
  }
  for (int i = 0; i < 2 * 240; ++i) {
    run_steps(world, 1);
    for (int k = 0; k < 2; ++k) check_ok(pl_body_get_surface(world, bodies[k], surfaces[k].points), NULL);
    for (int k = 0; k < 2; ++k) result.deepest = fmax(result.deepest, deepest_in(&surfaces[k], &surfaces[1 - k]));
  }
  pl_world_destroy(world);
  for (int k = 0; k < 2; ++k) pl_model_destroy(models[k]);
  drop_context(context);
  return result;
}

static void cubes_of_all_methods(void **state) {
  (void)state;
  static const int KINDS[][2] = {{PL_FEM_COROTATED, PL_FEM_COROTATED},
                                 {PL_FEM_FAST, PL_FEM_FAST},
                                 {RIGID_CUBE, RIGID_CUBE},
                                 {RIGID_CUBE, SOLID_CUBE},
                                 {SOLID_CUBE, RIGID_CUBE},
                                 {RIGID_CUBE, PL_FEM_COROTATED},
                                 {SOLID_CUBE, PL_FEM_COROTATED},
                                 {PL_FEM_COROTATED, PL_FEM_FAST},
                                 {SOLID_CUBE, SOLID_CUBE}};
  for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; ++k)
    for (double drop = 0.05; drop < 3; drop *= 6) {
      collision c = {KINDS[k][0], KINDS[k][1], 1e5, drop, 0.17, k % 2 == 0 ? 0 : 5};
      collision_result r = collide(&c);
      print_message("kind %d on %d from %.2f m: deepest %.3f mm of %.3f\n", c.upper, c.lower, drop, 1e3 * r.deepest,
                    1e3 * r.thickness);
      check_at_most(r.deepest, r.thickness);
    }
}

// By points alone they overlapped by up to 64 mm.
static void default_solids(void **state) {
  (void)state;
  static const double DROPS[] = {0.05, 0.2, 0.5, 2}, TURNS[] = {0.17, 0.5};
  double deepest = 0, thickness = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j) {
      collision c = {SOLID_CUBE, SOLID_CUBE, 0, DROPS[i], TURNS[j], 0};
      collision_result r = collide(&c);
      deepest = fmax(deepest, r.deepest);
      thickness = r.thickness;
    }
  print_message("deepest of 8 drops %.3f mm of %.3f\n", 1e3 * deepest, 1e3 * thickness);
  check_at_most(deepest, thickness);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cubes_of_all_methods), cmocka_unit_test(default_solids)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
