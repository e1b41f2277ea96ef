// Every planted defect is found, counted in full and listed in words; clean meshes give nothing.
// ctest: unit
#include "fixtures/mesh_samples.h"

typedef struct fixture {
  pl_context *context;
  pl_findings *findings;
  pl_mesh_check_report report;
  pl_status status;
} fixture;

// Check a mesh given as a view, on a context of its own.
static fixture check_view(pl_context *context, pl_mesh_view view) {
  fixture f = {.context = context};
  pl_error error = {0};
  pl_mesh *mesh = sample_of_view(context, view);
  check_ok(pl_findings_create(context, &f.findings, &error), &error);
  f.status = pl_mesh_check(context, mesh, f.findings, &f.report, &error);
  assert_true(f.status >= 0);
  pl_mesh_destroy(mesh);
  return f;
}

// Findings of one kind; the sentences of each must be there and its place given.
static int32_t count_kind(const fixture *f, const char *kind) {
  int32_t count = 0;
  for (int32_t i = 0; i < pl_findings_count(f->findings, PL_SEVERITY_NOTE); ++i) {
    const pl_finding *finding = pl_findings_get(f->findings, i);
    assert_true(strlen(finding->you_see) > 10 && strlen(finding->why) > 10 && strlen(finding->fix) > 10);
    assert_int_equal(finding->has_position, finding->index >= 0);
    count += strcmp(finding->kind, kind) == 0;
  }
  return count;
}

static const pl_finding *first_of_kind(const fixture *f, const char *kind) {
  for (int32_t i = 0; i < pl_findings_count(f->findings, PL_SEVERITY_NOTE); ++i)
    if (strcmp(pl_findings_get(f->findings, i)->kind, kind) == 0) return pl_findings_get(f->findings, i);
  fail_msg("no finding of kind %s", kind);
  return NULL;
}

// The report says nothing but one piece, and there are no findings.
static void check_clean(fixture f) {
  const pl_mesh_check_report clean = {.component_count = 1};
  assert_memory_equal(&f.report, &clean, sizeof clean);
  assert_int_equal(f.status, PL_OK);
  assert_int_equal(pl_findings_count(f.findings, PL_SEVERITY_NOTE), 0);
  pl_findings_destroy(f.findings);
}

static void clean_meshes_give_no_findings(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *box = sample_box(context, pl_vec3_of(1, 2, 3), 2, 3, 4), *sphere = sample_sphere(context, 12),
          *surface = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_build_boundary(context, box, &surface, NULL, &error), &error);
  check_clean(check_view(context, pl_mesh_get_view(box)));
  check_clean(check_view(context, pl_mesh_get_view(sphere)));
  check_clean(check_view(context, pl_mesh_get_view(surface)));
  const pl_vec3 strand[3] = {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}};
  const int32_t segments[4] = {0, 1, 1, 2};
  check_clean(check_view(context,
                         (pl_mesh_view){.point_count = 3, .points = strand, .segment_count = 2, .segments = segments}));
  pl_mesh_destroy(surface);
  pl_mesh_destroy(sphere);
  pl_mesh_destroy(box);
  drop_context(context);
}

static void inverted_and_flat_tets_are_distinguished(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *box = sample_box(context, pl_vec3_of(1, 1, 1), 2, 2, 2);
  pl_mesh_view view = pl_mesh_get_view(box);
  int32_t *tets = malloc((size_t)view.tet_count * 4 * sizeof *tets);
  memcpy(tets, view.tets, (size_t)view.tet_count * 4 * sizeof *tets);
  for (int32_t t = 3; t < 23; ++t) {  // twenty inverted, of which eight are listed
    int32_t swap = tets[4 * t];
    tets[4 * t] = tets[4 * t + 1];
    tets[4 * t + 1] = swap;
  }
  tets[4 * 30 + 3] = tets[4 * 30 + 2];  // repeated corner
  tets[4 * 31] = 0;                     // four points of one face
  tets[4 * 31 + 1] = 1;
  tets[4 * 31 + 2] = 3;
  tets[4 * 31 + 3] = 4;
  view.tets = tets;
  fixture f = check_view(context, view);
  assert_int_equal(f.status, PL_REMARK_FINDINGS);
  assert_int_equal(f.report.inverted_tet_count, 20);
  assert_int_equal(f.report.degenerate_count, 2);
  assert_int_equal(count_kind(&f, "inverted-tet"), 8);
  assert_int_equal(count_kind(&f, "degenerate-tet"), 2);
  const pl_finding *finding = first_of_kind(&f, "inverted-tet");
  assert_int_equal(finding->index, 3);
  assert_int_equal(finding->severity, PL_SEVERITY_ERROR);
  pl_vec3 center = {0, 0, 0};
  for (int k = 0; k < 4; ++k) center = pl_vec3_add_scaled(center, view.points[tets[12 + k]], 0.25);
  check_near(pl_vec3_distance(center, pl_vec3_of(finding->position[0], finding->position[1], finding->position[2])), 0,
             1e-15);
  assert_int_equal(first_of_kind(&f, "degenerate-tet")->index, 30);
  pl_findings_destroy(f.findings);
  pl_mesh_destroy(box);
  free(tets);
  drop_context(context);
}

// A copy of the triangles of the sphere, to break.
static pl_mesh_view broken_sphere(const pl_mesh *sphere, int32_t **triangles) {
  pl_mesh_view view = pl_mesh_get_view(sphere);
  *triangles = malloc((size_t)(view.triangle_count + 1) * 3 * sizeof **triangles);
  memcpy(*triangles, view.triangles, (size_t)view.triangle_count * 3 * sizeof **triangles);
  view.triangles = *triangles;
  return view;
}

static void swap_corners(int32_t *triangle) {
  int32_t swap = triangle[1];
  triangle[1] = triangle[2];
  triangle[2] = swap;
}

static void holes_flips_and_fins_are_found_at_their_edges(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *sphere = sample_sphere(context, 8);
  int32_t *triangles;

  pl_mesh_view view = broken_sphere(sphere, &triangles);  // a hole
  view.triangle_count--;
  fixture f = check_view(context, view);
  assert_int_equal(f.report.open_edge_count, 3);
  assert_int_equal(count_kind(&f, "open-edge"), 3);
  assert_int_equal(pl_findings_count(f.findings, PL_SEVERITY_NOTE), 3);
  assert_int_equal(f.status, PL_REMARK_FINDINGS);
  pl_findings_destroy(f.findings);
  free(triangles);

  view = broken_sphere(sphere, &triangles);  // a flipped triangle
  swap_corners(&triangles[3 * 40]);
  f = check_view(context, view);
  assert_int_equal(f.report.flipped_edge_count, 3);
  assert_int_equal(f.report.open_edge_count, 0);
  assert_int_equal(pl_findings_count(f.findings, PL_SEVERITY_NOTE), 3);
  assert_non_null(strstr(first_of_kind(&f, "flipped-edge")->you_see, "40"));
  pl_findings_destroy(f.findings);
  free(triangles);

  view = broken_sphere(sphere, &triangles);  // a fin from pole to pole
  const int32_t fin[3] = {0, 1, view.point_count - 1};
  memcpy(&triangles[3 * view.triangle_count++], fin, sizeof fin);
  f = check_view(context, view);
  assert_int_equal(f.report.non_manifold_edge_count, 1);
  assert_int_equal(f.report.open_edge_count, 2);
  assert_int_equal(count_kind(&f, "non-manifold-edge"), 1);
  pl_findings_destroy(f.findings);
  free(triangles);
  pl_mesh_destroy(sphere);
  drop_context(context);
}

static void a_surface_of_one_mind_may_be_inside_out(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *sphere = sample_sphere(context, 8);
  int32_t *triangles;
  pl_mesh_view view = broken_sphere(sphere, &triangles);
  for (int32_t t = 0; t < view.triangle_count; ++t) swap_corners(&triangles[3 * t]);
  fixture f = check_view(context, view);
  assert_int_equal(f.report.flipped_edge_count, 0);
  assert_int_equal(count_kind(&f, "inside-out"), 1);
  assert_int_equal(pl_findings_count(f.findings, PL_SEVERITY_NOTE), 1);
  assert_int_equal(f.status, PL_REMARK_FINDINGS);
  pl_findings_destroy(f.findings);
  free(triangles);
  pl_mesh_destroy(sphere);
  drop_context(context);
}

static void repeated_triangles_and_corners_are_found(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *sphere = sample_sphere(context, 8);
  int32_t *triangles, count = pl_mesh_get_view(sphere).triangle_count;
  pl_mesh_view view = broken_sphere(sphere, &triangles);
  memcpy(&triangles[3 * count], &triangles[3 * 17], 3 * sizeof *triangles);
  view.triangle_count++;
  fixture f = check_view(context, view);
  assert_int_equal(f.report.duplicate_count, 1);
  assert_int_equal(f.report.non_manifold_edge_count, 3);
  assert_int_equal(first_of_kind(&f, "duplicate-element")->index, count);
  pl_findings_destroy(f.findings);

  memcpy(&triangles[3 * count], (int32_t[3]){5, 5, 6}, 3 * sizeof *triangles);  // degenerate, and spoils no edge
  f = check_view(context, view);
  assert_int_equal(f.report.degenerate_count, 1);
  assert_int_equal(pl_findings_count(f.findings, PL_SEVERITY_NOTE), 1);
  assert_int_equal(first_of_kind(&f, "degenerate-triangle")->index, count);
  pl_findings_destroy(f.findings);
  free(triangles);
  pl_mesh_destroy(sphere);
  drop_context(context);
}

static void a_hollow_is_not_inside_out(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *sphere = sample_sphere(context, 6);
  pl_mesh_view view = pl_mesh_get_view(sphere);
  int32_t points = view.point_count, count = view.triangle_count;
  pl_vec3 *both = malloc((size_t)points * 2 * sizeof *both);
  int32_t *triangles = malloc((size_t)count * 6 * sizeof *triangles);
  for (int32_t i = 0; i < points; ++i) {
    both[i] = view.points[i];
    both[points + i] = pl_vec3_scale(view.points[i], 0.5);
  }
  for (int32_t t = 0; t < count; ++t) {
    for (int32_t k = 0; k < 3; ++k) {
      triangles[3 * t + k] = view.triangles[3 * t + k];
      triangles[3 * (count + t) + k] = view.triangles[3 * t + k] + points;
    }
    swap_corners(&triangles[3 * (count + t)]);
  }
  fixture f = check_view(
      context,
      (pl_mesh_view){.point_count = 2 * points, .points = both, .triangle_count = 2 * count, .triangles = triangles});
  assert_int_equal(count_kind(&f, "inside-out"), 0);
  assert_int_equal(f.report.component_count, 2);
  assert_int_equal(count_kind(&f, "several-pieces"), 1);
  assert_int_equal(f.status, PL_OK);  // two pieces of surface are only a note
  pl_findings_destroy(f.findings);
  free(triangles);
  free(both);
  pl_mesh_destroy(sphere);
  drop_context(context);
}

static void points_apart_together_and_alone_are_found(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const pl_vec3 points[10] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {5, 0, 0},
                              {6, 0, 0}, {5, 1, 0}, {5, 0, 1}, {9, 9, 9}, {1, 0, 0}};
  const int32_t tets[8] = {0, 1, 2, 3, 4, 5, 6, 7}, segments[2] = {8, 8};
  pl_mesh_view view = {.point_count = 10, .points = points, .tet_count = 2, .tets = tets};
  fixture f = check_view(context, view);
  assert_int_equal(f.report.component_count, 2);
  assert_int_equal(f.report.isolated_point_count, 2);
  assert_int_equal(f.report.duplicate_count, 1);
  assert_int_equal(first_of_kind(&f, "isolated-point")->index, 8);
  assert_int_equal(first_of_kind(&f, "coincident-points")->index, 9);
  assert_int_equal(first_of_kind(&f, "several-pieces")->severity, PL_SEVERITY_WARNING);
  pl_findings_destroy(f.findings);
  view.segment_count = 1;
  view.segments = segments;
  f = check_view(context, view);
  assert_int_equal(f.report.degenerate_count, 1);
  assert_int_equal(count_kind(&f, "degenerate-segment"), 1);
  pl_findings_destroy(f.findings);
  drop_context(context);
}

static void nothing_at_all_is_an_error_finding(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  fixture f = check_view(context, (pl_mesh_view){0});
  assert_int_equal(f.status, PL_REMARK_FINDINGS);
  assert_int_equal(count_kind(&f, "empty-mesh"), 1);
  pl_findings_destroy(f.findings);
  const pl_vec3 same[20] = {{0, 0, 0}};
  f = check_view(context, (pl_mesh_view){.point_count = 20, .points = same});
  assert_int_equal(f.report.isolated_point_count, 20);
  assert_int_equal(f.report.duplicate_count, 19);
  assert_int_equal(count_kind(&f, "isolated-point"), 8);
  pl_findings_destroy(f.findings);
  // Findings, report and error may all be left out.
  pl_mesh *mesh = sample_of_view(context, (pl_mesh_view){0});
  assert_int_equal(pl_mesh_check(context, mesh, NULL, NULL, NULL), PL_REMARK_FINDINGS);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void running_out_of_memory_is_a_status(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_mesh *mesh = sample_soup(context, 200, 3);
  int64_t live = allocator.live_count;
  for (int64_t n = 1;; ++n) {
    pl_error error = {0};
    pl_findings *findings = NULL;
    check_ok(pl_findings_create(context, &findings, &error), &error);
    allocator.fail_at = allocator.call_count + n;
    pl_status status = pl_mesh_check(context, mesh, findings, NULL, &error);
    pl_findings_destroy(findings);
    assert_int_equal(allocator.live_count, live);
    if (status == PL_REMARK_FINDINGS) {
      assert_true(n > 5);
      break;
    }
    assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
  }
  allocator.fail_at = 0;
  pl_mesh_destroy(mesh);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clean_meshes_give_no_findings),
      cmocka_unit_test(inverted_and_flat_tets_are_distinguished),
      cmocka_unit_test(holes_flips_and_fins_are_found_at_their_edges),
      cmocka_unit_test(a_surface_of_one_mind_may_be_inside_out),
      cmocka_unit_test(repeated_triangles_and_corners_are_found),
      cmocka_unit_test(a_hollow_is_not_inside_out),
      cmocka_unit_test(points_apart_together_and_alone_are_found),
      cmocka_unit_test(nothing_at_all_is_an_error_finding),
      cmocka_unit_test(running_out_of_memory_is_a_status),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
