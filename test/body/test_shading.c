// Vertices of a surface: seams are smooth, hard edges are split, given normals decide.
// ctest: unit
#include "body/shading.h"

#include "fixtures/solid_bodies.h"
#include "pliant/math.h"

// A cube whose surface has a patch of its own per face, so that every edge is a seam: 24 points, 12 triangles.
typedef struct cube {
  pl_mesh *mesh, *surface;
  pl_model *model;
  pl_vec3 face_normals[24];
} cube;

static cube make_cube(pl_context *context) {
  cube c = {0};
  pl_error error = {0};
  pl_vec3 points[24];
  int32_t triangles[36];
  for (int face = 0; face < 6; ++face) {
    int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
    double side = face % 2 == 0 ? 1 : -1;
    for (int k = 0; k < 4; ++k) {
      double p[3] = {0}, n[3] = {0};
      p[axis] = 0.5 * side;
      p[u] = k == 1 || k == 2 ? 0.5 : -0.5;
      p[v] = k >= 2 ? 0.5 : -0.5;
      n[axis] = side;
      points[4 * face + k] = pl_vec3_of(p[0], p[1], p[2]);
      c.face_normals[4 * face + k] = pl_vec3_of(n[0], n[1], n[2]);
    }
    const int32_t out[6] = {0, 1, 2, 0, 2, 3}, in[6] = {0, 2, 1, 0, 3, 2};
    for (int k = 0; k < 6; ++k) triangles[6 * face + k] = 4 * face + (side > 0 ? out[k] : in[k]);
  }
  pl_mesh_view def = {0};
  def.points = points;
  def.point_count = 24;
  def.triangles = triangles;
  def.triangle_count = 12;
  check_ok(pl_mesh_create(context, &def, &c.surface, &error), &error);
  check_ok(pl_mesh_create_box(context, pl_vec3_of(1, 1, 1), (const int32_t[3]){2, 2, 2}, &c.mesh, &error), &error);
  pl_solid_def solid = pl_default_solid_def();
  solid.surface = c.surface;
  check_ok(pl_solid_build(context, &solid, c.mesh, &c.model, &error), &error);
  return c;
}

static void drop_cube(cube *c) {
  pl_model_destroy(c->model);
  pl_mesh_destroy(c->surface);
  pl_mesh_destroy(c->mesh);
}

static pl_shading *shade(pl_context *context, const cube *c, double crease_angle, const pl_vec3 *normals) {
  pl_error error = {0};
  pl_shading_def def = pl_default_shading_def();
  def.crease_angle = crease_angle;
  def.normals = normals;
  pl_shading *shading = NULL;
  check_ok(pl_shading_build(context, &def, c->model, &shading, &error), &error);
  return shading;
}

static int group_count(const pl_shading *shading) {
  int32_t last = -1;
  for (int32_t i = 0; i < shading->vertex_count; ++i)
    if (shading->group_of_vertex[i] > last) last = shading->group_of_vertex[i];
  return last + 1;
}

// The normal of a vertex in the rest shape.
static pl_vec3 normal_of(const pl_shading *shading, int32_t vertex) {
  const pl_contact_surface *surface = &shading->model->surface;
  pl_vec3 sum = {0, 0, 0};
  int32_t group = shading->group_of_vertex[vertex];
  for (int32_t i = shading->corner_start[group]; i < shading->corner_start[group + 1]; ++i) {
    const int32_t *t = &surface->triangles[3 * shading->corners[i].triangle];
    pl_vec3 a = surface->rest_points[t[0]], b = surface->rest_points[t[1]], c = surface->rest_points[t[2]];
    pl_vec3 n = pl_vec3_normalize_or(pl_vec3_cross(pl_vec3_sub(b, a), pl_vec3_sub(c, a)), sum);
    sum = pl_vec3_add_scaled(sum, n, (double)shading->corners[i].weight);
  }
  return pl_vec3_normalize_or(sum, sum);
}

static void seams_are_smooth(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  cube c = make_cube(context);
  pl_shading *shading = shade(context, &c, acos(-1.0), NULL);
  assert_int_equal(shading->vertex_count, 24);
  assert_int_equal(group_count(shading), 8);
  // Three faces of equal angle meet at a corner, each cut in two somewhere: the normal is the diagonal.
  for (int32_t i = 0; i < 24; ++i) {
    pl_vec3 p = c.model->surface.rest_points[i], n = normal_of(shading, i);
    check_near(pl_vec3_dot(n, p), sqrt(0.75), 1e-6);
  }
  pl_shading_destroy(shading);
  drop_cube(&c);
  drop_context(context);
}

static void a_crease_angle_below_a_right_angle_keeps_the_faces_flat(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  cube c = make_cube(context);
  pl_shading *shading = shade(context, &c, 1.5, NULL);
  assert_int_equal(shading->vertex_count, 24);
  assert_int_equal(group_count(shading), 24);
  for (int32_t i = 0; i < 24; ++i) check_at_most(pl_vec3_distance(normal_of(shading, i), c.face_normals[i]), 1e-6);
  pl_shading_destroy(shading);
  // Above a right angle every edge is smooth.
  shading = shade(context, &c, 1.6, NULL);
  assert_int_equal(group_count(shading), 8);
  pl_shading_destroy(shading);
  drop_cube(&c);
  drop_context(context);
}

static void points_at_hard_edges_become_several_vertices(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_solid_def solid = pl_default_solid_def();
  pl_model *model = make_box_model(context, (pl_vec3){1, 1, 1}, 2, 2, 2, &solid);
  pl_shading_def def = pl_default_shading_def();
  def.crease_angle = 0.5;
  pl_shading *shading = NULL;
  check_ok(pl_shading_build(context, &def, model, &shading, &error), &error);
  pl_shading_view view = pl_shading_get_view(shading);
  // 9 points on each of six faces.
  assert_int_equal(pl_model_get_report(model).surface_point_count, 26);
  assert_int_equal(view.vertex_count, 54);
  const int32_t *triangles = pl_model_get_surface_triangles(model);
  for (int32_t i = 0; i < 3 * view.triangle_count; ++i)
    assert_int_equal(view.point_of_vertex[view.triangles[i]], triangles[i]);
  for (int32_t i = 0; i < view.vertex_count; ++i) {
    pl_vec3 n = normal_of(shading, i);
    check_near(fmax(fabs(n.x), fmax(fabs(n.y), fabs(n.z))), 1, 1e-6);
  }
  pl_shading_destroy(shading);
  pl_model_destroy(model);
  drop_context(context);
}

static void given_normals_decide_which_points_share_one(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  cube c = make_cube(context);
  pl_shading *shading = shade(context, &c, acos(-1.0), c.face_normals);
  assert_int_equal(shading->vertex_count, 24);
  assert_int_equal(group_count(shading), 24);
  pl_shading_destroy(shading);
  // A file that is smooth says so by equal normals.
  pl_vec3 smooth[24];
  for (int32_t i = 0; i < 24; ++i)
    smooth[i] = pl_vec3_normalize_or(c.model->surface.rest_points[i], pl_vec3_of(0, 1, 0));
  shading = shade(context, &c, 0, smooth);
  assert_int_equal(group_count(shading), 8);
  pl_shading_destroy(shading);
  drop_cube(&c);
  drop_context(context);
}

static void every_failed_allocation_is_reported(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  cube c = make_cube(context);
  pl_shading_def def = pl_default_shading_def();
  pl_error error = {0};
  pl_status status = PL_ERROR_OUT_OF_MEMORY;
  int failures = 0;
  for (int64_t n = 1; status == PL_ERROR_OUT_OF_MEMORY; ++n) {
    pl_shading *shading = NULL;
    allocator.fail_at = allocator.call_count + n;
    status = pl_shading_build(context, &def, c.model, &shading, &error);
    allocator.fail_at = 0;
    failures += status < 0;
    assert_true((status == PL_OK) == (shading != NULL));
    pl_shading_destroy(shading);
  }
  assert_int_equal(status, PL_OK);
  assert_true(failures >= 2);
  drop_cube(&c);
  drop_context(context);
  assert_int_equal(allocator.live_count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(seams_are_smooth),
      cmocka_unit_test(a_crease_angle_below_a_right_angle_keeps_the_faces_flat),
      cmocka_unit_test(points_at_hard_edges_become_several_vertices),
      cmocka_unit_test(given_normals_decide_which_points_share_one),
      cmocka_unit_test(every_failed_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
