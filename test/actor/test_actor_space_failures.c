// Spaces of rest shapes that cannot be built say why, leak nothing when memory ends, and need none once they are built.
// ctest: unit
#include "fixtures/rest_spaces.h"
#include "mesh/harmonic_weights.h"

// The space of `def` is refused with a status and a sentence that has `word` in it.
static void check_refused(rest_subject *s, const pl_actor_def *def, pl_status expected, const char *word) {
  pl_rest_space *space = NULL;
  pl_error error = {0};
  char text[1024];
  assert_int_equal(pl_rest_space_build(s->context, def, s->fem, s->mesh, &space, &error), expected);
  assert_null(space);
  pl_error_format(&error, text, sizeof text);
  if (strstr(text, word) == NULL) fail_msg("\"%s\" does not say \"%s\"", text, word);
}

static void examples_that_cannot_be_mixed_are_named(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  rest_subject s = make_rest_body(context, PL_FEM_EDGES), t = make_rest_body(context, PL_FEM_PLANE);
  pl_vec3 points[12];
  pl_mesh_pose pose = {"bent", points};
  const pl_vec3 *rest = pl_mesh_get_view(s.mesh).points;
  pl_actor_def def = make_rest_def(&s, PL_REST_EXAMPLES);
  def.examples = &pose;
  def.example_count = 1;
  for (int i = 0; i < 12; ++i) points[i] = pl_vec3_of(-rest[i].x, rest[i].y, rest[i].z);
  check_refused(&s, &def, PL_ERROR_INVALID_DATA, "example \"bent\": tet 0 is flat or inside out");
  for (int i = 0; i < 12; ++i) points[i] = pl_vec3_of(0, rest[i].y, rest[i].z);
  check_refused(&s, &def, PL_ERROR_INVALID_DATA, "flat or inside out");
  memcpy(points, rest, sizeof points);
  points[7].y = nan("");
  check_refused(&s, &def, PL_ERROR_INVALID_DATA, "example \"bent\": point 7 is not finite");
  memcpy(points, rest, sizeof points);
  const int32_t groups[] = {3};
  def.example_groups = groups;
  check_refused(&s, &def, PL_ERROR_INVALID_ARGUMENT, "example \"bent\" is in group 3");
  def.example_groups = NULL;
  pose.points = NULL;
  check_refused(&s, &def, PL_ERROR_INVALID_ARGUMENT, "example 0 has no points");
  def.example_count = 0;
  check_refused(&s, &def, PL_ERROR_INVALID_ARGUMENT, "0 examples");
  // In a plane it is the mirror image that is inside out.
  rest = pl_mesh_get_view(t.mesh).points;
  pose.points = points;
  def.example_count = 1;
  for (int i = 0; i < 6; ++i) points[i] = pl_vec3_of(-rest[i].x, rest[i].y, 0);
  check_refused(&t, &def, PL_ERROR_INVALID_DATA, "example \"bent\": triangle 0 is flat or inside out");
  drop_rest_subject(&s);
  drop_rest_subject(&t);
  drop_context(context);
}

static void cages_and_modes_that_do_not_fit_are_reported(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  rest_subject s = make_rest_body(context, PL_FEM_EDGES);
  pl_error error = {0};
  pl_mesh *box = NULL, *cage = NULL, *larger = NULL;
  check_ok(pl_mesh_create_box(context, (pl_vec3){0.3, 0.3, 0.3}, (const int32_t[3]){1, 1, 1}, &box, &error), &error);
  check_ok(pl_mesh_build_boundary(context, box, &cage, NULL, &error), &error);
  pl_actor_def def = make_rest_def(&s, PL_REST_CAGE);
  def.cage = cage;
  check_refused(&s, &def, PL_ERROR_INVALID_DATA, "does not enclose point 0");
  def.cage = NULL;
  def.cage_point_count = 2;
  check_refused(&s, &def, PL_ERROR_INVALID_ARGUMENT, "cage_point_count");
  def = make_rest_def(&s, PL_REST_MODES);
  def.mode_count = 0;
  check_refused(&s, &def, pl_eigen_is_available() ? PL_ERROR_INVALID_ARGUMENT : PL_ERROR_UNSUPPORTED,
                pl_eigen_is_available() ? "mode_count" : "ARPACK");
  def.mode_count = 31;  // 36 coordinates, 6 of them rigid
  check_refused(&s, &def, pl_eigen_is_available() ? PL_ERROR_INVALID_ARGUMENT : PL_ERROR_UNSUPPORTED,
                pl_eigen_is_available() ? "31 modes are more than this body has; use 1 to 28" : "ARPACK");
  def = make_rest_def(&s, PL_REST_FREE);
  def.rate_regularisation = -1;
  check_refused(&s, &def, PL_ERROR_INVALID_ARGUMENT, "rate_regularisation");
  def = make_rest_def(&s, PL_REST_FREE);
  check_ok(pl_mesh_create_box(context, (pl_vec3){1, 1, 1}, (const int32_t[3]){2, 2, 2}, &larger, &error), &error);
  pl_mesh *own = s.mesh;
  s.mesh = larger;
  check_refused(&s, &def, PL_ERROR_INVALID_ARGUMENT, "27 points, the body has 12");
  s.mesh = own;
  pl_mesh_destroy(box);
  pl_mesh_destroy(cage);
  pl_mesh_destroy(larger);
  drop_rest_subject(&s);
  drop_context(context);
}

// Fail the n-th allocation for every n until the space is built.
static void check_allocations(pl_fem_material material, pl_rest_kind kind) {
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  rest_subject s = make_rest_body(context, material);
  s.def = make_rest_def(&s, kind);
  pl_mesh *cage = NULL;
  pl_error error = {0};
  if (kind == PL_REST_CAGE) {
    check_ok(pl_cage_build(context, s.mesh, 8, &cage, &error), &error);
    s.def.cage = cage;
  }
  int64_t live = allocator.live_count;
  bool built = false;
  for (int64_t n = 1; !built && n < 10000; ++n) {
    pl_rest_space *space = NULL;
    allocator.fail_at = allocator.call_count + n;
    pl_status status = pl_rest_space_build(context, &s.def, s.fem, s.mesh, &space, &error);
    built = status == PL_OK;
    assert_int_equal(status, built ? PL_OK : PL_ERROR_OUT_OF_MEMORY);
    if (!built) assert_null(space);
    pl_rest_space_destroy(space);
    assert_int_equal(allocator.live_count, live);
  }
  allocator.fail_at = 0;
  assert_true(built);
  pl_mesh_destroy(cage);
  drop_rest_subject(&s);
  drop_context(context);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  check_allocations(PL_FEM_EDGES, PL_REST_FREE);
  check_allocations(PL_FEM_SHELL, PL_REST_EXAMPLES);
  check_allocations(PL_FEM_PLANE, PL_REST_CAGE);
  if (pl_eigen_is_available()) check_allocations(PL_FEM_PLANE, PL_REST_MODES);
}

static void working_with_a_space_allocates_nothing(void **state) {
  (void)state;
  for (int kind = PL_REST_FREE; kind <= PL_REST_MODES; ++kind) {
    if (!kind_is_available((pl_rest_kind)kind)) continue;
    failing_allocator allocator = {0};
    pl_context *context = make_failing_context(&allocator);
    rest_subject s = make_rest_subject(context, PL_FEM_PLANE, (pl_rest_kind)kind);
    size_t n = (size_t)s.n, size = (size_t)s.size;
    double *p = PL_TAKE(&s.arena, double, size), *g = PL_TAKE(&s.arena, double, size),
           *C = PL_TAKE(&s.arena, double, size *size);
    double *E = PL_TAKE(&s.arena, double, n *size), *B = PL_TAKE(&s.arena, double, n *size),
           *x = PL_TAKE(&s.arena, double, n);
    choose_parameters(&s, 1, p);
    choose_pose(&s, 2, x);
    int64_t before = allocator.call_count;
    use_rest(&s, p);
    pl_rest_space_points(s.space, p, x);
    pl_rest_space_mixed(s.space, &s.system, x, E);
    pl_rest_space_mixed_get_view(s.space, &s.system, x);
    pl_rest_space_mixed_apply(s.space, p, B);
    pl_rest_space_mixed_pull(s.space, x, 1, g);
    pl_rest_space_third(s.space, &s.system, x, x, &s.matrix, B, C);
    pl_rest_space_regularise(s.space, p, p, g, C);
    assert_true(pl_rest_space_strain(s.space, p, g) >= 0);
    assert_int_equal(allocator.call_count, before);
    drop_rest_subject(&s);
    drop_context(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(examples_that_cannot_be_mixed_are_named),
      cmocka_unit_test(cages_and_modes_that_do_not_fit_are_reported),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(working_with_a_space_allocates_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
