// Quadratic tets of a mesh: made, taken back, cut into eight, their boundary, and points embedded in them.
// ctest: unit
#include "check.h"
#include "mesh/mesh_quadratic.h"
#include "pliant/math.h"
#include "pliant/mesh.h"

static double volume_of(const pl_mesh_view *view) {
  double sum = 0;
  for (int32_t t = 0; t < view->tet_count; ++t) {
    const int32_t *c = view->tets + 4 * t;
    pl_vec3 a = view->points[c[0]], u = pl_vec3_sub(view->points[c[1]], a), v = pl_vec3_sub(view->points[c[2]], a);
    double volume = pl_vec3_dot(pl_vec3_cross(u, v), pl_vec3_sub(view->points[c[3]], a)) / 6;
    assert_true(volume > 0);
    sum += volume;
  }
  return sum;
}

static pl_mesh *make_box(pl_context *context) {
  pl_mesh *box = NULL, *made = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create_box(context, (pl_vec3){1, 2, 1}, (const int32_t[3]){2, 3, 2}, &box, &error), &error);
  pl_mesh_view view = pl_mesh_get_view(box);
  float *weights = calloc((size_t)view.point_count, sizeof *weights);
  pl_vec3 *posed = calloc((size_t)view.point_count, sizeof *posed);
  for (int32_t i = 0; i < view.point_count; ++i) {
    weights[i] = view.points[i].y > 0.9 ? 1.0f : 0.0f;
    posed[i] = pl_vec3_scale(view.points[i], 2);
  }
  pl_mesh_group group = {"top", weights};
  pl_mesh_pose pose = {"big", posed};
  view.groups = &group;
  view.poses = &pose;
  view.group_count = view.pose_count = 1;
  check_ok(pl_mesh_create(context, &view, &made, &error), &error);
  free(weights);
  free(posed);
  pl_mesh_destroy(box);
  return made;
}

static void middles_lie_between_their_ends(void **unused) {
  (void)unused;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *box = make_box(context), *quadratic = NULL, *back = NULL;
  check_ok(pl_mesh_build_quadratic(context, box, &quadratic, &error), &error);
  pl_mesh_view a = pl_mesh_get_view(box), b = pl_mesh_get_view(quadratic);
  // V - E + F - C = 1 of a ball gives the edges from boundary and tets: E = V + C + T/2 - 1 with 4 C = 2 F - T.
  pl_mesh *skin = NULL;
  check_ok(pl_mesh_build_boundary(context, box, &skin, NULL, &error), &error);
  int32_t edges = a.point_count + a.tet_count + pl_mesh_get_view(skin).triangle_count / 2 - 1;
  assert_int_equal(b.point_count, a.point_count + edges);
  for (int32_t t = 0; t < b.tet_count; ++t)
    for (int k = 0; k < 6; ++k) {
      int32_t p = b.tets[4 * t + pl_mid_ends[k][0]], q = b.tets[4 * t + pl_mid_ends[k][1]], m = b.tet_mids[6 * t + k];
      pl_vec3 middle = pl_vec3_scale(pl_vec3_add(b.points[p], b.points[q]), 0.5);
      check_near(pl_vec3_distance(b.points[m], middle), 0, 1e-15);
      check_near(pl_vec3_distance(b.poses[0].points[m], pl_vec3_scale(middle, 2)), 0, 1e-15);
      float low = b.groups[0].weights[p] < b.groups[0].weights[q] ? b.groups[0].weights[p] : b.groups[0].weights[q];
      assert_true(b.groups[0].weights[m] == low);
    }
  check_ok(pl_mesh_build_linear(context, quadratic, &back, &error), &error);
  pl_mesh_view c = pl_mesh_get_view(back);
  assert_int_equal(c.point_count, a.point_count);
  assert_null(c.tet_mids);
  assert_memory_equal(c.points, a.points, (size_t)a.point_count * sizeof(pl_vec3));
  assert_memory_equal(c.tets, a.tets, 4 * (size_t)a.tet_count * sizeof(int32_t));
  assert_memory_equal(c.groups[0].weights, a.groups[0].weights, (size_t)a.point_count * sizeof(float));
  pl_mesh_destroy(skin);
  pl_mesh_destroy(back);
  pl_mesh_destroy(quadratic);
  pl_mesh_destroy(box);
  drop_context(context);
}

static void pieces_fill_the_tets(void **unused) {
  (void)unused;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *box = make_box(context), *quadratic = NULL, *split = NULL, *skin = NULL, *coarse = NULL;
  check_ok(pl_mesh_build_quadratic(context, box, &quadratic, &error), &error);
  check_ok(pl_mesh_build_split(context, quadratic, &split, &error), &error);
  pl_mesh_view a = pl_mesh_get_view(box), b = pl_mesh_get_view(split);
  assert_int_equal(b.tet_count, 8 * a.tet_count);
  check_near(volume_of(&b), volume_of(&a), 1e-12);
  check_ok(pl_mesh_build_boundary(context, box, &coarse, NULL, &error), &error);
  check_ok(pl_mesh_build_boundary(context, quadratic, &skin, NULL, &error), &error);
  assert_int_equal(pl_mesh_get_view(skin).triangle_count, 4 * pl_mesh_get_view(coarse).triangle_count);
  pl_mesh_check_report report;
  pl_mesh_check(context, quadratic, NULL, &report, &error);
  assert_int_equal(report.isolated_point_count, 0);
  assert_int_equal(report.inverted_tet_count, 0);
  assert_int_equal(report.component_count, 1);
  pl_mesh_destroy(skin);
  pl_mesh_destroy(coarse);
  pl_mesh_destroy(split);
  pl_mesh_destroy(quadratic);
  pl_mesh_destroy(box);
  drop_context(context);
}

static void embedded_points_follow_the_nodes(void **unused) {
  (void)unused;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *box = make_box(context), *quadratic = NULL;
  check_ok(pl_mesh_build_quadratic(context, box, &quadratic, &error), &error);
  pl_mesh_view view = pl_mesh_get_view(quadratic);
  pl_vec3 inside[2] = {{0.13, 0.4, -0.21}, {-0.37, -0.81, 0.08}}, moved[2];
  pl_embedding *embedding = NULL;
  pl_embedding_report report;
  check_ok(pl_embedding_build(context, quadratic, &(pl_embedding_input){inside, 2, 1e-9}, &embedding, &report, &error),
           &error);
  pl_embedding_apply(embedding, view.points, moved);
  for (int i = 0; i < 2; ++i) check_near(pl_vec3_distance(moved[i], inside[i]), 0, 1e-6);
  pl_embedding_destroy(embedding);
  pl_mesh_destroy(quadratic);
  pl_mesh_destroy(box);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(middles_lie_between_their_ends),
      cmocka_unit_test(pieces_fill_the_tets),
      cmocka_unit_test(embedded_points_follow_the_nodes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
