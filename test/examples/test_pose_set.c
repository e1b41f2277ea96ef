// Everything that may be wrong with a set of poses is found, by name, and nothing is found in a good one.
// ctest: unit
#include "check.h"
#include "examples/pose_set.h"
#include "examples/simplex_weights.h"
#include "math/mat3.h"
#include "pliant/math.h"

enum { POINTS = 5 };
static const pl_vec3 REST[POINTS] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}, {1, 1, 1}};
static const int32_t TETS[8] = {0, 1, 2, 3, 1, 2, 3, 4};

static void map_points(const pl_vec3 *from, pl_mat3 matrix, pl_vec3 shift, pl_vec3 *to) {
  for (int i = 0; i < POINTS; ++i) to[i] = pl_vec3_add(pl_mat3_apply(matrix, from[i]), shift);
}

static pl_mat3 some_turn(void) {
  return pl_mat3_from_quat(pl_quat_from_axis_angle(pl_vec3_scale((pl_vec3){1, 2, 2}, 1.0 / 3), 2.5));
}

typedef struct fixture {
  pl_context *context;
  pl_findings *findings;
  pl_vec3 points[3][POINTS];
  pl_pose poses[3];
  pl_pose_set set;
} fixture;

// Three sound poses: stretched, sheared, and bent at one point.
static void start(fixture *f) {
  pl_error error = {0};
  f->context = make_context(1);
  check_ok(pl_findings_create(f->context, &f->findings, &error), &error);
  map_points(REST, pl_mat3_diagonal(1, 1.5, 0.75), (pl_vec3){0, 0, 0}, f->points[0]);
  map_points(REST, (pl_mat3){{{1, 0.5, 0}, {0, 1, 0}, {0, 0, 1}}}, (pl_vec3){5, 0, 0}, f->points[1]);
  map_points(REST, some_turn(), (pl_vec3){0, 1, 0}, f->points[2]);
  f->points[2][4].x += 0.001;
  const char *names[3] = {"squash", "shear", "bend"};
  for (int i = 0; i < 3; ++i) f->poses[i] = (pl_pose){names[i], POINTS, f->points[i], 0.25, 2, 0};
  f->set = (pl_pose_set){POINTS, REST, 3, f->poses};
}

static void stop(fixture *f) {
  pl_findings_destroy(f->findings);
  drop_context(f->context);
}

// One finding, of this kind, about this pose, with this word in it; the status goes with its severity.
static void check_finds(fixture *f, const char *kind, int32_t index, const char *word) {
  pl_error error = {0};
  pl_status status = pl_pose_set_check(&f->set, f->findings, &error);
  assert_int_equal(pl_findings_count(f->findings, PL_SEVERITY_NOTE), 1);
  const pl_finding *found = pl_findings_get(f->findings, 0);
  assert_string_equal(found->kind, kind);
  assert_int_equal(found->index, index);
  assert_non_null(strstr(found->you_see, word));
  assert_true(found->why[0] != '\0' && found->fix[0] != '\0');
  bool is_error = found->severity == PL_SEVERITY_ERROR;
  assert_int_equal(status, is_error ? PL_ERROR_INVALID_DATA : PL_REMARK_FINDINGS);
  assert_string_equal(error.text, is_error ? found->you_see : "");
  // The same verdict without lists.
  assert_int_equal(pl_pose_set_check(&f->set, NULL, NULL), status);
  stop(f);
}

static void nothing_is_found_in_a_good_set(void **state) {
  (void)state;
  fixture f;
  start(&f);
  pl_error error = {0};
  check_ok(pl_pose_set_check(&f.set, f.findings, &error), &error);
  assert_int_equal(pl_findings_count(f.findings, PL_SEVERITY_NOTE), 0);
  assert_int_equal(pl_pose_set_find(&f.set, "shear"), 1);
  assert_int_equal(pl_pose_set_find(&f.set, "none"), -1);
  double weights[3];
  pl_pose_set_weights(&f.set, weights);
  for (int i = 0; i < 3; ++i) assert_true(weights[i] == 0.25);
  f.set.pose_count = 0;
  check_ok(pl_pose_set_check(&f.set, f.findings, &error), &error);
  stop(&f);
}

static void a_pose_equal_to_the_rest_is_found_also_when_turned(void **state) {
  (void)state;
  fixture f;
  start(&f);
  memcpy(f.points[1], REST, sizeof REST);
  check_finds(&f, "pose-equals-rest", 1, "'shear'");
  start(&f);
  map_points(REST, some_turn(), (pl_vec3){-3, 2, 8}, f.points[1]);
  f.points[1][2].x += 1e-7;
  check_finds(&f, "pose-equals-rest", 1, "'shear'");
}

static void two_equal_poses_are_found_also_when_turned(void **state) {
  (void)state;
  fixture f;
  start(&f);
  map_points(f.points[0], some_turn(), (pl_vec3){1, 0, 0}, f.points[2]);
  check_finds(&f, "pose-repeated", 2, "'squash' and 'bend'");
}

static void a_mirrored_pose_is_distinguished_from_one_with_knots(void **state) {
  (void)state;
  fixture f;
  start(&f);
  map_points(REST, pl_mat3_diagonal(-1, 1, 1), (pl_vec3){0, 0, 0}, f.points[0]);
  f.poses[0].inverted_count = pl_pose_inversions(REST, f.points[0], TETS, 2);
  assert_int_equal(f.poses[0].inverted_count, 2);
  check_finds(&f, "pose-mirrored", 0, "'squash' turns 2 of 2");
  start(&f);
  f.points[0][0] = (pl_vec3){2, 2, 2};
  f.poses[0].inverted_count = pl_pose_inversions(REST, f.points[0], TETS, 2);
  assert_int_equal(f.poses[0].inverted_count, 1);
  check_finds(&f, "pose-inverted", 0, "1 of 2");
}

static void another_point_count_is_an_error(void **state) {
  (void)state;
  fixture f;
  start(&f);
  f.poses[2].point_count = 4;
  check_finds(&f, "pose-point-count", 2, "'bend' has 4 points, the rest 5");
}

static void points_that_are_not_finite_are_an_error(void **state) {
  (void)state;
  fixture f;
  start(&f);
  f.points[1][3].y = (double)NAN;
  check_finds(&f, "pose-not-finite", 1, "point 3 of pose 'shear'");
  start(&f);
  f.points[1][0].z = -HUGE_VAL;
  check_finds(&f, "pose-not-finite", 1, "point 0 of pose 'shear'");
}

static void names_must_be_there_and_differ(void **state) {
  (void)state;
  fixture f;
  start(&f);
  f.poses[2].name = "squash";
  check_finds(&f, "pose-name", 2, "'squash'");
  start(&f);
  f.poses[1].name = NULL;
  check_finds(&f, "pose-name", 1, "number 1");
}

static void weights_are_looked_at(void **state) {
  (void)state;
  fixture f;
  start(&f);
  f.poses[1].weight = -0.1;
  check_finds(&f, "pose-weight", 1, "-0.1");
  start(&f);
  f.poses[1].weight = (double)NAN;
  check_finds(&f, "pose-weight", 1, "nan");
  start(&f);
  f.poses[1].weight = 1;
  check_finds(&f, "pose-weight-sum", -1, "1.5");
}

static void too_many_poses_are_an_error(void **state) {
  (void)state;
  fixture f;
  start(&f);
  f.set.pose_count = PL_MAX_EXAMPLES + 1;
  check_finds(&f, "pose-count", -1, "33 poses");
}

static void huge_coordinates_are_no_trouble(void **state) {
  (void)state;
  fixture f;
  start(&f);
  pl_error error = {0};
  for (int i = 0; i < 3; ++i)
    for (int p = 0; p < POINTS; ++p) f.points[i][p] = pl_vec3_scale(f.points[i][p], 1e300);
  check_ok(pl_pose_set_check(&f.set, f.findings, &error), &error);
  stop(&f);
}

static void every_failed_allocation_is_reported(void **state) {
  (void)state;
  fixture f;
  start(&f);
  memcpy(f.points[1], REST, sizeof REST);
  f.poses[0].weight = -1;
  f.poses[2].point_count = 4;
  bool succeeded = false;
  for (int64_t n = 1; !succeeded; ++n) {
    failing_allocator allocator = {0};
    pl_context *context = make_failing_context(&allocator);
    pl_findings *findings = NULL;
    pl_error error = {0};
    check_ok(pl_findings_create(context, &findings, &error), &error);
    allocator.fail_at = allocator.call_count + n;
    pl_status status = pl_pose_set_check(&f.set, findings, &error);
    succeeded = status != PL_ERROR_OUT_OF_MEMORY;
    assert_int_equal(status, error.status);
    if (succeeded) {
      assert_int_equal(status, PL_ERROR_INVALID_DATA);
      assert_int_equal(pl_findings_count(findings, PL_SEVERITY_NOTE), 3);
      assert_true(n > 1);
    }
    pl_findings_destroy(findings);
    drop_context(context);
    assert_int_equal(allocator.live_count, 0);
  }
  stop(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_found_in_a_good_set),
      cmocka_unit_test(a_pose_equal_to_the_rest_is_found_also_when_turned),
      cmocka_unit_test(two_equal_poses_are_found_also_when_turned),
      cmocka_unit_test(a_mirrored_pose_is_distinguished_from_one_with_knots),
      cmocka_unit_test(another_point_count_is_an_error),
      cmocka_unit_test(points_that_are_not_finite_are_an_error),
      cmocka_unit_test(names_must_be_there_and_differ),
      cmocka_unit_test(weights_are_looked_at),
      cmocka_unit_test(too_many_poses_are_an_error),
      cmocka_unit_test(huge_coordinates_are_no_trouble),
      cmocka_unit_test(every_failed_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
