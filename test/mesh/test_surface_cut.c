// Carried surfaces that are cut with their tets: no triangle bridges a cut, the pieces are closed and keep their
// volume, and each point follows the tets of its own side.
// ctest: unit
#include "fixtures/mesh_samples.h"
#include "mesh/topology.h"
#include "pliant/math.h"

typedef struct carried {
  pl_mesh *tets, *surface;
} carried;

// A box whose surface has three times as many points along a side as the tets around it, which stand out a little; all
// of it moved by `shift`.
static carried make_carried(pl_context *context, pl_vec3 shift) {
  carried made = {NULL, NULL};
  pl_mesh *plain[2] = {NULL, NULL}, *fine = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create_box(context, pl_vec3_of(1.02, 0.42, 0.62), (const int32_t[3]){5, 2, 3}, &plain[0], &error),
           &error);
  check_ok(pl_mesh_create_box(context, pl_vec3_of(1, 0.4, 0.6), (const int32_t[3]){15, 6, 9}, &fine, &error), &error);
  check_ok(pl_mesh_build_boundary(context, fine, &plain[1], NULL, &error), &error);
  for (int k = 0; k < 2; ++k) {
    pl_mesh_view view = pl_mesh_get_view(plain[k]);
    pl_vec3 *points = malloc((size_t)view.point_count * sizeof *points);
    for (int32_t i = 0; i < view.point_count; ++i) points[i] = pl_vec3_add(view.points[i], shift);
    view.points = points;
    check_ok(pl_mesh_create(context, &view, k == 0 ? &made.tets : &made.surface, &error), &error);
    free(points);
    pl_mesh_destroy(plain[k]);
  }
  pl_mesh_destroy(fine);
  return made;
}

static void drop_carried(carried *c) {
  pl_mesh_destroy(c->tets);
  pl_mesh_destroy(c->surface);
}

static void cut_tets(pl_context *context, carried *c, const pl_cut_def *def) {
  pl_cut_result result;
  pl_error error = {0};
  check_ok(pl_mesh_cut(context, def, c->tets, &result, &error), &error);
  assert_true(result.report.copied_point_count > 0);
  pl_mesh_destroy(c->tets);
  pl_embedding_destroy(result.embedding);
  c->tets = result.mesh;
}

static int32_t count_bridges(pl_context *context, const carried *c) {
  int32_t count = -1;
  pl_error error = {0};
  check_ok(pl_mesh_cut_surface(context, c->tets, c->surface, NULL, &count, &error), &error);
  return count;
}

static int32_t cut_surface(pl_context *context, carried *c) {
  int32_t count = -1;
  pl_mesh *cut = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_cut_surface(context, c->tets, c->surface, &cut, &count, &error), &error);
  assert_int_equal(count, count_bridges(context, c));
  pl_mesh_destroy(c->surface);
  c->surface = cut;
  return count;
}

static double volume_of(const pl_mesh_view *v, pl_vec3 origin) {
  double sum = 0;
  for (int32_t t = 0; t < v->triangle_count; ++t) {
    const int32_t *c = v->triangles + 3 * t;
    pl_vec3 a = pl_vec3_sub(v->points[c[0]], origin), b = pl_vec3_sub(v->points[c[1]], origin),
            d = pl_vec3_sub(v->points[c[2]], origin);
    sum += pl_vec3_dot(a, pl_vec3_cross(b, d)) / 6;
  }
  return sum;
}

// Every directed edge has its opposite; returns the number of pieces.
static int32_t check_closed(pl_context *context, const pl_mesh *surface) {
  pl_mesh_view v = pl_mesh_get_view(surface);
  pl_elements triangles = {v.triangles, v.triangle_count, 3};
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  int32_t *edges, edge_count, *component, component_count;
  assert_true(pl_edges_find(&arena, triangles, v.point_count, &edges, &edge_count));
  int32_t *balance = PL_TAKE(&arena, int32_t, edge_count), *sides = PL_TAKE(&arena, int32_t, edge_count);
  for (int32_t s = 0; s < 3 * v.triangle_count; ++s) {
    int32_t a = v.triangles[s], b = v.triangles[s - s % 3 + (s + 1) % 3];
    int32_t e = pl_edges_index_of(edges, edge_count, a, b);
    balance[e] += a < b ? 1 : -1;
    sides[e]++;
  }
  for (int32_t e = 0; e < edge_count; ++e) assert_true(balance[e] == 0 && sides[e] == 2);
  assert_true(pl_components_find(&arena, triangles, v.point_count, &component, &component_count));
  pl_arena_destroy(&arena);
  return component_count;
}

static pl_cut_def plane(pl_vec3 point, pl_vec3 normal) {
  pl_cut_def def = pl_default_cut_def();
  def.plane_point = point;
  def.plane_normal = normal;
  return def;
}

static void planes_leave_two_closed_pieces(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const pl_vec3 normals[] = {{1, 0, 0}, {1, 0.3, 0.2}, {0.2, 0.1, 1}, {0.1, 1, -0.2}},
                shifts[] = {{0, 0, 0}, {5, -5, 5}};
  for (int s = 0; s < 2; ++s)
    for (int k = 0; k < 4; ++k) {
      carried c = make_carried(context, shifts[s]);
      pl_mesh_view before = pl_mesh_get_view(c.surface);
      double volume = volume_of(&before, shifts[s]);
      int32_t point_count = before.point_count;
      pl_cut_def def = plane(pl_vec3_add(shifts[s], pl_vec3_of(0.03, 0.01, -0.02)), normals[k]);
      cut_tets(context, &c, &def);
      assert_true(cut_surface(context, &c) > 10);
      assert_int_equal(count_bridges(context, &c), 0);
      assert_int_equal(check_closed(context, c.surface), 2);
      pl_mesh_view after = pl_mesh_get_view(c.surface);
      assert_true(after.point_count > point_count);
      // Walls of the two sides are filled each for itself along a cut that is bent by up to a tenth of an edge.
      double kept = volume_of(&after, shifts[s]);
      print_message("normal %d, shift %d: volume off by %.2g\n", k, s, kept / volume - 1);
      assert_true(fabs(kept / volume - 1) < 0.01);
      drop_carried(&c);
    }
  drop_context(context);
}

static void a_slit_stays_one_piece_and_opens_with_its_tets(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  carried c = make_carried(context, pl_vec3_of(0, 0, 0));
  const pl_vec3 hilts[] = {{0.04, -1, -1}, {0.04, -1, 0.2}}, tips[] = {{0.04, 1, -1}, {0.04, 1, 0.2}};
  pl_cut_def def = pl_default_cut_def();
  def.blade_count = 2;
  def.blade_hilts = hilts;
  def.blade_tips = tips;
  cut_tets(context, &c, &def);
  assert_true(cut_surface(context, &c) > 5);
  assert_int_equal(count_bridges(context, &c), 0);
  assert_int_equal(check_closed(context, c.surface), 1);
  // Open the slit like a book: particles go sideways by their side, the more the farther from the slit's end. No edge
  // of the surface is stretched by the opening itself, 0.2 m there, but only by the bending of the whole.
  pl_mesh_view tets = pl_mesh_get_view(c.tets), surface = pl_mesh_get_view(c.surface);
  pl_vec3 *moved = malloc((size_t)tets.point_count * sizeof *moved),
          *drawn = malloc((size_t)surface.point_count * sizeof *drawn);
  double *sides = calloc((size_t)tets.point_count, sizeof *sides);
  for (int32_t t = 0; t < tets.tet_count; ++t) {
    pl_vec3 middle = {0, 0, 0};
    for (int k = 0; k < 4; ++k) middle = pl_vec3_add_scaled(middle, tets.points[tets.tets[4 * t + k]], 0.25);
    for (int k = 0; k < 4; ++k) sides[tets.tets[4 * t + k]] += middle.x > 0.04 ? 1 : -1;
  }
  for (int32_t i = 0; i < tets.point_count; ++i) {
    double open = fmax(0.103 - tets.points[i].z, 0) / 0.413 * 0.1;  // tets are cut up to there
    moved[i] = pl_vec3_add(tets.points[i], pl_vec3_of(sides[i] > 0 ? open : -open, 0, 0));
  }
  pl_embedding *embedding = NULL;
  pl_error error = {0};
  check_ok(pl_embedding_build(context, c.tets, &(pl_embedding_input){surface.points, surface.point_count, 0.1},
                              &embedding, NULL, &error),
           &error);
  pl_embedding_apply(embedding, moved, drawn);
  double worst = 0, gap = 0;
  for (int32_t s = 0; s < 3 * surface.triangle_count; ++s) {
    int32_t a = surface.triangles[s], b = surface.triangles[s - s % 3 + (s + 1) % 3];
    // Walls have long edges, which turn with the opening.
    if (pl_vec3_distance(surface.points[a], surface.points[b]) > 0.12) continue;
    worst = fmax(worst, fabs(drawn[a].x - drawn[b].x) - fabs(surface.points[a].x - surface.points[b].x));
  }
  for (int32_t i = 0; i < surface.point_count; ++i) gap = fmax(gap, fabs(drawn[i].x - surface.points[i].x));
  print_message("opened by %.3f m, edges grow across the slit by up to %.3f m\n", 2 * gap, worst);
  assert_true(gap > 0.09 && worst < 0.04);
  pl_embedding_destroy(embedding);
  free(moved);
  free(drawn);
  free(sides);
  drop_carried(&c);
  drop_context(context);
}

// One after the other: the walls of the first cut are cut by the second.
static void two_cuts_that_cross_leave_four_pieces(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  carried c = make_carried(context, pl_vec3_of(0, 0, 0));
  pl_cut_def first = plane(pl_vec3_of(0.03, 0, 0), pl_vec3_of(1, 0, 0.1)),
             second = plane(pl_vec3_of(0, 0, 0.02), pl_vec3_of(0.1, 0, 1));
  cut_tets(context, &c, &first);
  assert_true(cut_surface(context, &c) > 10);
  cut_tets(context, &c, &second);
  assert_true(cut_surface(context, &c) > 10);
  assert_int_equal(count_bridges(context, &c), 0);
  assert_int_equal(check_closed(context, c.surface), 4);
  drop_carried(&c);
  drop_context(context);
}

static void what_is_not_cut_stays_as_it_is(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  carried c = make_carried(context, pl_vec3_of(0, 0, 0));
  pl_mesh_view before = pl_mesh_get_view(c.surface);
  int32_t point_count = before.point_count, triangle_count = before.triangle_count;
  assert_int_equal(cut_surface(context, &c), 0);
  assert_int_equal(pl_mesh_get_view(c.surface).point_count, point_count);
  assert_int_equal(pl_mesh_get_view(c.surface).triangle_count, triangle_count);
  pl_mesh *cut = NULL;
  int32_t count = 0;
  pl_error error = {0};
  assert_int_equal(pl_mesh_cut_surface(context, c.surface, c.surface, &cut, &count, &error), PL_ERROR_INVALID_DATA);
  assert_int_equal(pl_mesh_cut_surface(context, c.tets, c.tets, &cut, &count, &error), PL_ERROR_INVALID_DATA);
  assert_null(cut);
  drop_carried(&c);
  drop_context(context);
}

static void groups_and_poses_carry_over(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  carried c = make_carried(context, pl_vec3_of(0, 0, 0));
  pl_mesh_view view = pl_mesh_get_view(c.surface);
  float *weights = malloc((size_t)view.point_count * sizeof *weights);
  pl_vec3 *posed = malloc((size_t)view.point_count * sizeof *posed);
  for (int32_t i = 0; i < view.point_count; ++i) {
    weights[i] = (float)(0.5 + 0.4 * view.points[i].z);
    posed[i] = pl_vec3_add(view.points[i], pl_vec3_of(view.points[i].y, 0, 1));
  }
  pl_mesh_group group = {"z", weights};
  pl_mesh_pose pose = {"sheared", posed};
  view.group_count = view.pose_count = 1;
  view.groups = &group;
  view.poses = &pose;
  pl_mesh *rich = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create(context, &view, &rich, &error), &error);
  pl_mesh_destroy(c.surface);
  c.surface = rich;
  pl_cut_def def = plane(pl_vec3_of(0.03, 0, 0), pl_vec3_of(1, 0.2, 0.1));
  cut_tets(context, &c, &def);
  cut_surface(context, &c);
  view = pl_mesh_get_view(c.surface);
  for (int32_t i = 0; i < view.point_count; ++i) {
    assert_true(fabs((double)view.groups[0].weights[i] - (0.5 + 0.4 * view.points[i].z)) < 1e-6);
    pl_vec3 want = pl_vec3_add(view.points[i], pl_vec3_of(view.points[i].y, 0, 1));
    assert_true(pl_vec3_distance(want, view.poses[0].points[i]) < 1e-12);
  }
  free(weights);
  free(posed);
  drop_carried(&c);
  drop_context(context);
}

static void running_out_of_memory_leaves_nothing_behind(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  carried c = make_carried(context, pl_vec3_of(0, 0, 0));
  pl_cut_def def = plane(pl_vec3_of(0.03, 0, 0), pl_vec3_of(1, 0, 0));
  cut_tets(context, &c, &def);
  pl_status status = PL_ERROR_OUT_OF_MEMORY;
  // Of the allocations while halving, which are all alike, only some fail.
  for (int n = 1; status != PL_OK; n += n < 40 ? 1 : 17) {
    allocator.call_count = 0;
    allocator.fail_at = n;
    int64_t live = allocator.live_count;
    pl_mesh *cut = NULL;
    int32_t count = 0;
    pl_error error = {0};
    status = pl_mesh_cut_surface(context, c.tets, c.surface, &cut, &count, &error);
    assert_true(status == PL_OK || status == PL_ERROR_OUT_OF_MEMORY);
    assert_int_equal(status == PL_OK, cut != NULL);
    if (status != PL_OK) assert_int_equal(allocator.live_count, live);
    assert_true(n < 5000);
    pl_mesh_destroy(cut);
  }
  allocator.fail_at = 0;
  drop_carried(&c);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planes_leave_two_closed_pieces),
      cmocka_unit_test(a_slit_stays_one_piece_and_opens_with_its_tets),
      cmocka_unit_test(two_cuts_that_cross_leave_four_pieces),
      cmocka_unit_test(what_is_not_cut_stays_as_it_is),
      cmocka_unit_test(groups_and_poses_carry_over),
      cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
