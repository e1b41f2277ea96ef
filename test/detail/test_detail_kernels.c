// Sums in single precision against those in double, on both instruction sets, wherever the object is.
// ctest: unit
#include "detail/detail_kernels.h"
#include "fixtures/detail_cube.h"
#include "math/simd.h"

static pl_vec3 cube[CUBE_COUNT], displacements[CUBE_COUNT];
static double fractions[CUBE_COUNT];

static double error_of(const pl_moments *found, const pl_moments *expected, int32_t count) {
  pl_moments off;
  for (int32_t i = 0; i < PL_MOMENT_COUNT; ++i) off.values[i] = found->values[i] - expected->values[i];
  return sqrt(pl_moments_dot(&off, &off, 0, count) / pl_moments_dot(expected, expected, 0, count));
}

static void sums_are_those_in_double_precision(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(21);
  double worst = 0, worst_load = 0;
  for (int trial = 0; trial < 12; ++trial) {
    // Far away, displaced by more than its size, and with a number of points that leaves lanes over.
    pl_vec3 away = sample_vector(&random, trial < 4 ? 0 : 300), carried = sample_vector(&random, trial < 8 ? 0 : 40);
    int32_t count = CUBE_COUNT - trial;
    make_cube(cube, fractions);
    for (int32_t m = 0; m < count; ++m) {
      displacements[m] = pl_vec3_add(pl_vec3_sub(deform(1 + trial % 7, cube[m]), cube[m]), carried);
      cube[m] = pl_vec3_add(cube[m], away);
    }
    pl_material material = {count, cube, fractions};
    pl_window window = {pl_vec3_add(away, sample_vector(&random, 1)), pl_random_between(&random, 0.3, 1)};
    pl_vec3 reference = displacements[count / 2];
    pl_arena arena;
    pl_arena_init(&arena, context, 0);
    pl_material_rows rows;
    assert_true(pl_material_rows_take(&arena, &material, &rows));
    float *field = PL_TAKE(&arena, float, 24 * (size_t)rows.row_count);
    pl_field_rows_fill(&rows, displacements, reference, field);
    pl_moments one, expected, sums[3], expected_sums[3], alone;
    pl_detail_kernels_plain.sum(&rows, field, &window, &one, sums);
    pl_detail_kernels_plain.sum(&rows, NULL, &window, &alone, NULL);
    assert_memory_equal(&alone, &one, sizeof one);
#if PL_SIMD_HAS_AVX2
    if (PL_SIMD_CAN_AVX2()) {
      pl_moments one_avx2, sums_avx2[3];
      pl_detail_kernels_avx2.sum(&rows, field, &window, &one_avx2, sums_avx2);
      assert_memory_equal(&one_avx2, &one, sizeof one);
      assert_memory_equal(sums_avx2, sums, sizeof sums);
    }
#endif
    pl_moments_sum(&material, NULL, 1, &window, &expected);
    worst = fmax(worst, error_of(&one, &expected, PL_MOMENT_COUNT));
    for (int32_t m = 0; m < count; ++m) displacements[m] = pl_vec3_sub(displacements[m], reference);
    pl_moments_sum(&material, &displacements[0].x, 3, &window, expected_sums);
    pl_vector_moments load = pl_load_of_sums(&one, sums, window.radius, NULL, NULL);
    pl_vector_moments expected_load = pl_load_of_sums(&expected, expected_sums, window.radius, NULL, NULL);
    worst_load = fmax(worst_load, pl_load_distance(&load, &expected_load, 2, 1e-9));
    for (int c = 0; c < 3; ++c)
      for (int32_t i = 0; i < PL_LOAD_COUNT; ++i)
        check_near(load.components[c].values[i], expected_load.components[c].values[i], 3e-6 * window.radius);
    pl_arena_destroy(&arena);
  }
  print_message("single against double precision: density %.1e, dissimilarity of loads %.1e\n", worst, worst_load);
  check_at_most(worst, 2e-6);
  check_at_most(worst_load, 1e-5);
  drop_context(context);
}

static void in_single_precision_too_turning_the_object_turns_the_tensors(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(33);
  double worst = 0;
  for (int trial = 0; trial < 10; ++trial) {
    make_cube(cube, fractions);
    pl_mat3 turn = sample_rotation(&random);
    pl_vec3 center = sample_vector(&random, 1);
    pl_window windows[2] = {{center, 0.6}, {pl_mat3_apply(turn, center), 0.6}};
    pl_moments one[2], expected;
    for (int turned = 0; turned < 2; ++turned) {
      for (int32_t m = 0; turned && m < CUBE_COUNT; ++m) cube[m] = pl_mat3_apply(turn, cube[m]);
      pl_material material = {CUBE_COUNT, cube, fractions};
      pl_arena arena;
      pl_arena_init(&arena, context, 0);
      pl_material_rows rows;
      assert_true(pl_material_rows_take(&arena, &material, &rows));
      pl_detail_kernels_choose()->sum(&rows, NULL, &windows[turned], &one[turned], NULL);
      pl_arena_destroy(&arena);
    }
    pl_moments_rotate(&one[0], turn, &expected);
    worst = fmax(worst, error_of(&one[1], &expected, PL_MOMENT_COUNT));
  }
  print_message("object turned against tensors turned, in single precision: %.1e\n", worst);
  check_at_most(worst, 1e-5);
  drop_context(context);
}

static void points_that_are_missing_or_far_do_not_count(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_material none = {0, NULL, NULL};
  pl_material_rows rows;
  assert_true(pl_material_rows_take(&arena, &none, &rows));
  pl_window window = {{0, 0, 0}, 0.1};
  pl_moments sums, fields[3];
  float field[24] = {0};
  pl_detail_kernels_choose()->sum(&rows, field, &window, &sums, fields);
  for (int32_t i = 0; i < PL_MOMENT_COUNT; ++i) check_near(sums.values[i], 0, 0);
  pl_vec3 points[2] = {{0, 0, 0}, {1, 0, 0}};
  pl_material two = {2, points, NULL};
  assert_true(pl_material_rows_take(&arena, &two, &rows));
  pl_detail_kernels_choose()->sum(&rows, NULL, &window, &sums, NULL);
  check_near(sums.values[0], pow(2 * PL_PI, -1.5), 1e-8);
  check_near(sums.values[1], 0, 1e-8);
  pl_arena_destroy(&arena);
  drop_context(context);
}

enum { SPOT_COUNT = 133, SPOT_ROWS = (SPOT_COUNT + 7) / 8, MAP_SIDE = 9 };

// Places and stamps against the formulas in double precision, and one instruction set against the other, bit by bit.
static void stamps_are_laid_as_the_formulas_say_by_every_instruction_set(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(5);
  static _Alignas(64) float numbers[48 * SPOT_ROWS], places[2][24 * SPOT_ROWS], map[8 * MAP_SIDE * MAP_SIDE];
  static pl_vec3 positions_at_rest[SPOT_COUNT], normals[SPOT_COUNT], moved[2][SPOT_COUNT];
  static float spot_fractions[SPOT_COUNT];
  static int32_t spots[SPOT_COUNT];
  pl_mat3 frame = sample_rotation(&random);
  pl_vec3 center = sample_vector(&random, 0.1);
  pl_stamp_placement placement = {
      {(float)center.x, (float)center.y, (float)center.z}, {{0}}, 2.0f, 0.5f * (MAP_SIDE - 1), -0.5f};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) placement.axes[i][j] = (float)frame.m[i][j];
  for (int32_t i = 0; i < SPOT_COUNT; ++i) {
    positions_at_rest[i] = sample_vector(&random, 0.5);
    normals[i] = pl_vec3_normalize_or(sample_vector(&random, 1), pl_vec3_of(0, 0, 1));
    const double all[6] = {positions_at_rest[i].x, positions_at_rest[i].y, positions_at_rest[i].z,
                           normals[i].x,           normals[i].y,           normals[i].z};
    for (int k = 0; k < 6; ++k) numbers[48 * (i / 8) + 8 * k + i % 8] = (float)all[k];
    spots[i] = SPOT_COUNT - 1 - i;
    spot_fractions[i] = (float)pl_random_unit(&random);
  }
  for (int i = 0; i < 8 * MAP_SIDE * MAP_SIDE; ++i) map[i] = i % 4 == 3 ? 0 : (float)pl_random_between(&random, -1, 1);
  const pl_detail_kernels *sets[2] = {&pl_detail_kernels_plain, pl_detail_kernels_choose()};
  for (int k = 0; k < 2; ++k) {
    pl_stamp_rows rows = {SPOT_COUNT, SPOT_ROWS, numbers};
    sets[k]->locate(&rows, &placement, places[k]);
    pl_stamp_points points = {SPOT_COUNT, spots, spot_fractions, places[k]};
    sets[k]->stamp(&points, map, MAP_SIDE, 2 * MAP_SIDE, moved[k]);
  }
  assert_memory_equal(moved[0], moved[1], sizeof moved[0]);
  int32_t inside_count = 0;
  for (int32_t i = 0; i < SPOT_COUNT; ++i) {
    pl_vec3 at = pl_mat3_apply(frame, pl_vec3_scale(pl_vec3_sub(positions_at_rest[i], center), 2)),
            local = pl_mat3_apply(frame, normals[i]);
    double unfold = local.z < -0.5 ? 0 : -at.z * (1 - fmax(local.z, 0) * 2 / 3), u = at.x + unfold * local.x,
           v = at.y + unfold * local.y;
    const float *found = places[1] + 24 * (i / 8) + i % 8;
    check_near((double)found[16], 1 - u * u - v * v, 1e-5);
    pl_vec3 wanted = {0, 0, 0};
    check_near((double)found[0], (u + 1) * 4, 1e-4);
    check_near((double)found[8], (v + 1) * 4 + (local.z < -0.5 ? MAP_SIDE : 0), 1e-4);
    if (!(found[16] > 0)) continue;
    inside_count++;
    double x = (u + 1) * 4, y = (v + 1) * 4 + (local.z < -0.5 ? MAP_SIDE : 0);
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 2; ++b) {
        double weight =
            (a ? x - floor(x) : 1 - x + floor(x)) * (b ? y - floor(y) : 1 - y + floor(y)) * (double)spot_fractions[i];
        const float *sample = map + 4 * (MAP_SIDE * ((int)y + b) + (int)x + a);
        wanted =
            pl_vec3_add_scaled(wanted, pl_vec3_of((double)sample[0], (double)sample[1], (double)sample[2]), weight);
      }
    check_near(pl_vec3_distance(moved[0][spots[i]], wanted), 0, 1e-4);
  }
  assert_true(inside_count > 10 && inside_count < SPOT_COUNT - 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_are_those_in_double_precision),
      cmocka_unit_test(in_single_precision_too_turning_the_object_turns_the_tensors),
      cmocka_unit_test(points_that_are_missing_or_far_do_not_count),
      cmocka_unit_test(stamps_are_laid_as_the_formulas_say_by_every_instruction_set),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
