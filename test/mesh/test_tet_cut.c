// Cut meshes keep their volume, are closed along the cut, and are connected only where they should be.
// ctest: unit
#include "fixtures/mesh_samples.h"
#include "mesh/topology.h"
#include "pliant/math.h"

typedef struct cut_facts {
  pl_mesh *mesh;
  pl_embedding *embedding;
  pl_cut_report report;
  int32_t euler;  // characteristic of the boundary: 2 per piece without handles
} cut_facts;

static double tet_volume(const pl_vec3 *points, const int32_t *c) {
  pl_vec3 a = points[c[0]], n = pl_vec3_cross(pl_vec3_sub(points[c[1]], a), pl_vec3_sub(points[c[2]], a));
  return pl_vec3_dot(n, pl_vec3_sub(points[c[3]], a)) / 6;
}

static double mesh_volume(const pl_mesh_view *v) {
  double sum = 0;
  for (int32_t t = 0; t < v->tet_count; ++t) sum += tet_volume(v->points, v->tets + 4 * t);
  return sum;
}

// The triangles at a point are one fan: from one to the next around it one comes to all of them.
static void check_fan(const pl_mesh_view *v, int32_t point, const int32_t *triangles, int32_t count) {
  int32_t walked = 0, start = -1, at = -1;
  do {
    bool found = false;
    for (int32_t i = 0; i < count && !found; ++i) {
      const int32_t *c = v->triangles + 3 * triangles[i];
      for (int k = 0; k < 3 && !found; ++k) {
        if (c[k] != point || (at >= 0 && c[(k + 1) % 3] != at)) continue;
        if (start < 0) start = c[(k + 1) % 3];
        at = c[(k + 2) % 3];
        found = true;
      }
    }
    assert_true(found && ++walked <= count);
  } while (at != start);
  assert_int_equal(walked, count);
}

// Every directed edge of the boundary once, with its opposite: closed, manifold, all outward. Returns V - E + F.
static int32_t check_closed(pl_context *context, const pl_mesh *mesh) {
  pl_mesh *surface = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_build_boundary(context, mesh, &surface, NULL, &error), &error);
  pl_mesh_view v = pl_mesh_get_view(surface);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  int32_t side_count = 3 * v.triangle_count, *keys = PL_TAKE(&arena, int32_t, 2 * side_count), *order = NULL;
  int32_t *balance = PL_TAKE(&arena, int32_t, side_count), edge_count = 0;
  for (int32_t s = 0; s < side_count; ++s) {
    int32_t a = v.triangles[s], b = v.triangles[s - s % 3 + (s + 1) % 3];
    keys[2 * s] = a < b ? a : b;
    keys[2 * s + 1] = a < b ? b : a;
    balance[s] = a < b ? 1 : -1;
  }
  assert_true(pl_tuples_sort(&arena, keys, side_count, 2, v.point_count, &order));
  for (int32_t i = 0; i < side_count; i += 2, ++edge_count) {
    const int32_t *a = &keys[2 * order[i]], *b = &keys[2 * order[i + 1]];
    assert_true(a[0] == b[0] && a[1] == b[1] && balance[order[i]] + balance[order[i + 1]] == 0);
    assert_true(i == 0 || keys[2 * order[i - 1]] != a[0] || keys[2 * order[i - 1] + 1] != a[1]);
  }
  pl_rows around;
  assert_true(pl_elements_of_points(&arena, (pl_elements){v.triangles, v.triangle_count, 3}, v.point_count, &around));
  for (int32_t i = 0; i < v.point_count; ++i)
    check_fan(&v, i, around.items + around.start[i], around.start[i + 1] - around.start[i]);
  int32_t euler = v.point_count - edge_count + v.triangle_count;
  pl_arena_destroy(&arena);
  pl_mesh_destroy(surface);
  return euler;
}

static cut_facts cut_and_check(pl_context *context, const pl_mesh *mesh, const pl_cut_def *def) {
  cut_facts facts = {0};
  pl_error error = {0};
  pl_cut_result result;
  check_ok(pl_mesh_cut(context, def, mesh, &result, &error), &error);
  facts.mesh = result.mesh;
  facts.embedding = result.embedding;
  facts.report = result.report;
  pl_mesh_view before = pl_mesh_get_view(mesh), after = pl_mesh_get_view(facts.mesh);
  double volume = mesh_volume(&before);
  check_near(mesh_volume(&after), volume, 1e-12 * volume);
  for (int32_t t = 0; t < after.tet_count; ++t) assert_true(tet_volume(after.points, after.tets + 4 * t) > 0);
  // Snapping leaves at least its share of each of up to three edges.
  check_at_most(0.99 * pow(fmax(def->snap, 1e-4), 3), facts.report.min_volume_ratio);
  facts.euler = check_closed(context, facts.mesh);
  // Old points stay where they are, new ones are where the embedding says.
  assert_int_equal(after.point_count,
                   before.point_count + facts.report.new_point_count + facts.report.copied_point_count);
  assert_memory_equal(after.points, before.points, (size_t)before.point_count * sizeof(pl_vec3));
  pl_vec3 *embedded = malloc((size_t)after.point_count * sizeof *embedded);
  pl_embedding_apply(facts.embedding, before.points, embedded);
  for (int32_t i = 0; i < after.point_count; ++i) check_at_most(pl_vec3_distance(embedded[i], after.points[i]), 1e-15);
  free(embedded);
  // Every point is used.
  bool *used = calloc((size_t)after.point_count, sizeof *used);
  for (int32_t i = 0; i < 4 * after.tet_count; ++i) used[after.tets[i]] = true;
  for (int32_t i = 0; i < after.point_count; ++i) assert_true(used[i]);
  free(used);
  return facts;
}

static void drop_facts(cut_facts *facts) {
  pl_mesh_destroy(facts->mesh);
  pl_embedding_destroy(facts->embedding);
}

static pl_cut_def plane_def(pl_vec3 point, pl_vec3 normal, double snap) {
  pl_cut_def def = pl_default_cut_def();
  def.plane_point = point;
  def.plane_normal = normal;
  def.snap = snap;
  return def;
}

// Each connected piece is on one side, but for points that the cut was bent through.
static void check_sides(pl_context *context, const pl_mesh *mesh, const pl_cut_def *def, double slack) {
  pl_mesh_view v = pl_mesh_get_view(mesh);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  int32_t *component = NULL, count = 0;
  assert_true(pl_components_find(&arena, (pl_elements){v.tets, v.tet_count, 4}, v.point_count, &component, &count));
  double *min = PL_TAKE(&arena, double, count), *max = PL_TAKE(&arena, double, count);
  pl_vec3 normal = pl_vec3_normalize_or(def->plane_normal, pl_vec3_of(0, 0, 0));
  for (int32_t i = 0; i < v.point_count; ++i) {
    double height = pl_vec3_dot(normal, pl_vec3_sub(v.points[i], def->plane_point));
    min[component[i]] = fmin(min[component[i]], height);
    max[component[i]] = fmax(max[component[i]], height);
  }
  int32_t above = 0, below = 0;
  for (int32_t k = 0; k < count; ++k) {
    assert_true(min[k] >= -slack || max[k] <= slack);
    above += max[k] > slack;
    below += min[k] < -slack;
  }
  assert_int_equal(above, 1);
  assert_int_equal(below, 1);
  pl_arena_destroy(&arena);
}

static void planes_through_a_box_make_two_closed_halves(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *box = sample_box(context, pl_vec3_of(1, 1.5, 2), 4, 5, 6);
  pl_random random = pl_random_of_seed(11);
  static const double snaps[4] = {0, 0.05, 0.1, 0.3};
  for (int trial = 0; trial < 40; ++trial) {
    pl_cut_def def = plane_def(sample_point(&random, 0.2), sample_point(&random, 1), snaps[trial % 4]);
    cut_facts facts = cut_and_check(context, box, &def);
    assert_int_equal(facts.report.component_count, 2);
    assert_int_equal(facts.euler, 4);
    check_sides(context, facts.mesh, &def, 1e-4 + def.snap * 0.6);
    drop_facts(&facts);
  }
  pl_mesh_destroy(box);
  drop_context(context);
}

static void planes_at_right_angles_open_the_boxs_own_cross_section(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *box = sample_box(context, pl_vec3_of(1, 1.5, 2), 4, 5, 6);
  // Between points, and exactly through a layer of them, where no tet need be split.
  for (int trial = 0; trial < 2; ++trial) {
    pl_cut_def def = plane_def(pl_vec3_of(trial == 0 ? 0.11 : 0.25, 0, 0), pl_vec3_of(-3, 0, 0), 0);
    cut_facts facts = cut_and_check(context, box, &def);
    check_near(facts.report.cut_area, 3, 1e-6);
    assert_int_equal(facts.report.component_count, 2);
    if (trial == 1) {
      assert_int_equal(facts.report.split_tet_count, 0);
      assert_int_equal(facts.report.copied_point_count, 6 * 7);
      check_near(facts.report.min_volume_ratio, 1, 0);
    }
    drop_facts(&facts);
  }
  // A plane next to the box: a copy.
  pl_cut_def beside = plane_def(pl_vec3_of(5, 0, 0), pl_vec3_of(1, 0, 0), 0.1);
  cut_facts facts = cut_and_check(context, box, &beside);
  assert_int_equal(facts.report.component_count, 1);
  assert_int_equal(facts.report.copied_point_count + facts.report.new_point_count, 0);
  check_near(facts.report.cut_area, 0, 0);
  // A plane along a face: nothing on its other side.
  beside.plane_point.x = 0.5;
  cut_facts along = cut_and_check(context, box, &beside);
  assert_int_equal(along.report.component_count, 1);
  assert_int_equal(along.report.copied_point_count, 0);
  drop_facts(&along);
  drop_facts(&facts);
  pl_mesh_destroy(box);
  drop_context(context);
}

// A blade that stands along y and is longer than the box is wide, drawn along x at height `z` from outside to `depth`.
enum { POSITIONS = 9 };
static pl_cut_def blade_def(pl_vec3 hilts[POSITIONS], pl_vec3 tips[POSITIONS], double depth, double bend) {
  for (int32_t i = 0; i < POSITIONS; ++i) {
    double x = -1 + (depth + 1) * i / (POSITIONS - 1), z = 0.03 + bend * x * x;
    hilts[i] = pl_vec3_of(x, -1, z);
    tips[i] = pl_vec3_of(x, 1, z);
  }
  pl_cut_def def = pl_default_cut_def();
  def.blade_count = POSITIONS;
  def.blade_hilts = hilts;
  def.blade_tips = tips;
  return def;
}

static void a_blade_drawn_through_takes_the_box_apart_and_half_way_slits_it(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *box = sample_box(context, pl_vec3_of(1, 1, 1), 7, 6, 5);
  pl_vec3 hilts[POSITIONS], tips[POSITIONS];
  double last = 0;
  for (int trial = 0; trial < 6; ++trial) {
    pl_cut_def through = blade_def(hilts, tips, 1, trial < 3 ? 0 : 0.5);
    through.snap = 0.05 * (trial % 3);
    cut_facts facts = cut_and_check(context, box, &through);
    assert_int_equal(facts.report.component_count, 2);
    assert_int_equal(facts.euler, 4);
    if (trial == 0) check_near(facts.report.cut_area, 1, 1e-6);
    drop_facts(&facts);
    // Half-way: one piece, whose boundary is still a sphere, folded into the slit. It reaches to the last tet cut
    // whole.
    pl_cut_def half = blade_def(hilts, tips, 0.05, trial < 3 ? 0 : 0.5);
    half.snap = through.snap;
    facts = cut_and_check(context, box, &half);
    assert_int_equal(facts.report.component_count, 1);
    assert_int_equal(facts.euler, 2);
    assert_true(facts.report.copied_point_count > 0);
    check_at_most(0.3, facts.report.cut_area);
    check_at_most(facts.report.cut_area, 0.75);
    drop_facts(&facts);
  }
  // The deeper, the more is open (but for what its places, farther apart, leave off the bend); a blade in the air cuts
  // nothing.
  for (double depth = -0.7; depth < 0.9; depth += 0.2) {
    pl_cut_def def = blade_def(hilts, tips, depth, 0.3);
    cut_facts facts = cut_and_check(context, box, &def);
    check_at_most(last, facts.report.cut_area + 1e-3);
    last = facts.report.cut_area;
    if (depth < -0.5) assert_int_equal(facts.report.copied_point_count, 0);
    drop_facts(&facts);
  }
  pl_mesh_destroy(box);
  drop_context(context);
}

// Short and long, bent and twisted blades, anywhere, through even and uneven boxes: among them some whose ends meet in
// one edge or point inside, which must not be left with four faces or two fans.
static void blades_anywhere_leave_a_closed_boundary(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(99);
  int32_t apart = 0, touched = 0;
  for (int trial = 0; trial < 300; ++trial) {
    pl_mesh *box = sample_box(context, pl_vec3_of(1, 1, 1), 2 + trial % 4, 2 + trial / 4 % 3, 3);
    pl_mesh_view v = pl_mesh_get_view(box);
    pl_vec3 *points = malloc((size_t)v.point_count * sizeof *points), hilts[6], tips[6];
    for (int32_t i = 0; i < v.point_count; ++i)
      points[i] = pl_vec3_add(v.points[i], sample_point(&random, trial % 2 ? 0.03 : 0));
    v.points = points;
    pl_mesh *uneven = sample_of_view(context, v);
    pl_cut_def def = pl_default_cut_def();
    def.snap = 0.1 * (trial % 4);
    def.blade_count = 2 + trial % 5;
    def.blade_hilts = hilts;
    def.blade_tips = tips;
    pl_vec3 hilt = sample_point(&random, 0.9), tip = sample_point(&random, 0.9), step = sample_point(&random, 0.6);
    // So that the middle of the sweep is in the box.
    hilt = pl_vec3_add_scaled(hilt, step, -0.5 * def.blade_count);
    tip = pl_vec3_add_scaled(tip, step, -0.5 * def.blade_count);
    for (int32_t i = 0; i < def.blade_count; ++i) {
      hilts[i] = hilt = pl_vec3_add(hilt, pl_vec3_add(step, sample_point(&random, 0.2)));
      tips[i] = tip = pl_vec3_add(tip, pl_vec3_add(step, sample_point(&random, 0.2)));
    }
    cut_facts facts = cut_and_check(context, uneven, &def);
    apart += facts.report.component_count > 1;
    touched += facts.report.copied_point_count > 0;
    drop_facts(&facts);
    free(points);
    pl_mesh_destroy(uneven);
    pl_mesh_destroy(box);
  }
  print_message("of 300 blades %d open something and %d take the box apart\n", touched, apart);
  assert_true(touched > 100 && apart > 0);
  drop_context(context);
}

// A ring of tets, opened by a blade that passes one side of it only.
static void a_ring_cut_once_is_still_one_piece_but_no_ring(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  // 5 x 5 x 1 cells with the middle 3 x 3 left out.
  pl_mesh *plate = sample_box(context, pl_vec3_of(5, 5, 1), 5, 5, 1);
  pl_mesh_view v = pl_mesh_get_view(plate);
  int32_t *tets = malloc((size_t)v.tet_count * 4 * sizeof *tets),
          *number = malloc((size_t)v.point_count * sizeof *number), count = 0;
  pl_vec3 *points = malloc((size_t)v.point_count * sizeof *points);
  for (int32_t t = 0; t < v.tet_count; ++t) {
    pl_vec3 middle = {0, 0, 0};
    for (int k = 0; k < 4; ++k) middle = pl_vec3_add_scaled(middle, v.points[v.tets[4 * t + k]], 0.25);
    if (fabs(middle.x) > 1.5 || fabs(middle.y) > 1.5) memcpy(tets + 4 * count++, v.tets + 4 * t, 4 * sizeof *tets);
  }
  int32_t point_count = 0;
  for (int32_t i = 0; i < v.point_count; ++i) number[i] = -1;
  for (int32_t i = 0; i < 4 * count; ++i) {
    if (number[tets[i]] < 0) {
      points[point_count] = v.points[tets[i]];
      number[tets[i]] = point_count++;
    }
    tets[i] = number[tets[i]];
  }
  pl_mesh *ring = sample_of_view(
      context, (pl_mesh_view){.point_count = point_count, .points = points, .tet_count = count, .tets = tets});
  assert_int_equal(check_closed(context, ring), 0);
  pl_vec3 hilts[2] = {{0.1, 1, -2}, {0.2, 1, 2}}, tips[2] = {{0.1, 4, -2}, {0.2, 4, 2}};
  pl_cut_def def = pl_default_cut_def();
  def.blade_count = 2;
  def.blade_hilts = hilts;
  def.blade_tips = tips;
  cut_facts once = cut_and_check(context, ring, &def);
  assert_int_equal(once.report.component_count, 1);
  assert_int_equal(once.euler, 2);
  // And once more on the other side: two pieces.
  hilts[0].y = hilts[1].y = -4;
  tips[0].y = tips[1].y = -1;
  cut_facts twice = cut_and_check(context, once.mesh, &def);
  assert_int_equal(twice.report.component_count, 2);
  assert_int_equal(twice.euler, 4);
  drop_facts(&once);
  drop_facts(&twice);
  free(tets);
  free(number);
  free(points);
  pl_mesh_destroy(ring);
  pl_mesh_destroy(plate);
  drop_context(context);
}

static void tags_groups_poses_and_source_order_carry_over(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *box = sample_box(context, pl_vec3_of(1, 1, 1), 3, 3, 3);
  pl_mesh_view v = pl_mesh_get_view(box);
  int32_t tags[27 * 5], sources[64];
  float weights[64];
  pl_vec3 posed[64];
  for (int32_t t = 0; t < v.tet_count; ++t) tags[t] = t;
  for (int32_t i = 0; i < 64; ++i) {
    weights[i] = (float)(v.points[i].y + 0.5);
    posed[i] = pl_vec3_of(2 * v.points[i].x + v.points[i].z, v.points[i].y, 3 - v.points[i].z);
    sources[i] = 63 - i;
  }
  pl_mesh_group group = {"up", weights};
  pl_mesh_pose pose = {"bent", posed};
  v.tet_tags = tags;
  v.group_count = v.pose_count = 1;
  v.groups = &group;
  v.poses = &pose;
  v.source_count = 64;
  v.point_of_source = sources;
  pl_mesh *dressed = sample_of_view(context, v);
  pl_cut_def def = plane_def(pl_vec3_of(0.02, 0, 0), pl_vec3_of(1, 0.3, -0.2), 0.1);
  cut_facts facts = cut_and_check(context, dressed, &def);
  pl_mesh_view after = pl_mesh_get_view(facts.mesh);
  assert_string_equal(after.groups[0].name, "up");
  assert_string_equal(after.poses[0].name, "bent");
  assert_memory_equal(after.point_of_source, sources, sizeof sources);
  for (int32_t i = 0; i < after.point_count; ++i) {
    // Both are affine in the place, so mixtures of points have the mixed values.
    pl_vec3 p = after.points[i];
    check_near((double)after.groups[0].weights[i], p.y + 0.5, 1e-6);
    check_at_most(pl_vec3_distance(after.poses[0].points[i], pl_vec3_of(2 * p.x + p.z, p.y, 3 - p.z)), 1e-14);
  }
  // A tag is the tet that the new one came from: their volumes add up.
  double sums[27 * 5] = {0};
  for (int32_t t = 0; t < after.tet_count; ++t) sums[after.tet_tags[t]] += tet_volume(after.points, after.tets + 4 * t);
  for (int32_t t = 0; t < v.tet_count; ++t) check_near(sums[t], tet_volume(v.points, v.tets + 4 * t), 1e-15);
  drop_facts(&facts);
  pl_mesh_destroy(dressed);
  pl_mesh_destroy(box);
  drop_context(context);
}

static void what_cannot_be_cut_is_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *box = sample_box(context, pl_vec3_of(1, 1, 1), 1, 1, 1), *ball = sample_sphere(context, 4);
  pl_cut_result cut;
  pl_error error = {0};
  pl_cut_def def = {.plane_normal = {1, 0, 0}};
  assert_int_equal(pl_mesh_cut(context, &def, box, &cut, &error), PL_ERROR_INVALID_ARGUMENT);
  def = pl_default_cut_def();
  assert_int_equal(pl_mesh_cut(context, &def, ball, &cut, &error), PL_ERROR_INVALID_DATA);
  def.snap = 0.5;
  assert_int_equal(pl_mesh_cut(context, &def, box, &cut, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.field, "snap");
  def = plane_def(pl_vec3_of(0, 0, 0), pl_vec3_of(0, 0, 0), 0.1);
  assert_int_equal(pl_mesh_cut(context, &def, box, &cut, &error), PL_ERROR_INVALID_ARGUMENT);
  pl_vec3 still[2] = {{0, 0, 0}, {0, 0, 0}};
  def.blade_count = 2;
  assert_int_equal(pl_mesh_cut(context, &def, box, &cut, &error), PL_ERROR_INVALID_ARGUMENT);
  def.blade_hilts = def.blade_tips = still;
  assert_int_equal(pl_mesh_cut(context, &def, box, &cut, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(error.text, "no area"));
  still[1].x = HUGE_VAL;
  assert_int_equal(pl_mesh_cut(context, &def, box, &cut, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_null(cut.mesh);
  assert_null(cut.embedding);
  pl_mesh_destroy(box);
  pl_mesh_destroy(ball);
  drop_context(context);
}

static void running_out_of_memory_leaves_nothing_behind(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_mesh *box = sample_box(context, pl_vec3_of(1, 1, 1), 2, 2, 2);
  pl_vec3 hilts[POSITIONS], tips[POSITIONS];
  for (int kind = 0; kind < 2; ++kind) {
    pl_cut_def def =
        kind == 0 ? plane_def(pl_vec3_of(0.1, 0, 0), pl_vec3_of(1, 1, 0), 0.1) : blade_def(hilts, tips, 0.2, 0);
    pl_status status = PL_ERROR_OUT_OF_MEMORY;
    for (int64_t n = 1; status != PL_OK; ++n) {
      pl_cut_result cut;
      pl_error error = {0};
      allocator.call_count = 0;
      allocator.fail_at = n;
      int64_t live = allocator.live_count;
      status = pl_mesh_cut(context, &def, box, &cut, &error);
      assert_true(status == PL_OK || status == PL_ERROR_OUT_OF_MEMORY);
      assert_int_equal(status == PL_OK, cut.mesh != NULL);
      assert_int_equal(status == PL_OK, cut.embedding != NULL);
      if (status != PL_OK) assert_int_equal(allocator.live_count, live);
      assert_true(n < 300);
      pl_mesh_destroy(cut.mesh);
      pl_embedding_destroy(cut.embedding);
    }
  }
  allocator.fail_at = 0;
  pl_mesh_destroy(box);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planes_through_a_box_make_two_closed_halves),
      cmocka_unit_test(planes_at_right_angles_open_the_boxs_own_cross_section),
      cmocka_unit_test(a_blade_drawn_through_takes_the_box_apart_and_half_way_slits_it),
      cmocka_unit_test(blades_anywhere_leave_a_closed_boundary),
      cmocka_unit_test(a_ring_cut_once_is_still_one_piece_but_no_ring),
      cmocka_unit_test(tags_groups_poses_and_source_order_carry_over),
      cmocka_unit_test(what_cannot_be_cut_is_refused),
      cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
