// Site and load descriptors: what they do not depend on, table 1 of paper 003, and the stamping frame.
// ctest: unit
#include "fixtures/detail_cube.h"
#include "math/mat3.h"

static pl_vec3 cube[CUBE_COUNT];
static double cube_fractions[CUBE_COUNT];
static pl_vec3 displacements[CUBE_COUNT];

// Load descriptor of a deformation of the cube, in its own axes.
static pl_vector_moments load_at(const pl_window *window, const pl_vec3 *field) {
  pl_material material = {CUBE_COUNT, cube, cube_fractions};
  pl_moments one, sums[3];
  pl_moments_sum(&material, NULL, 1, window, &one);
  pl_moments_sum(&material, &field[0].x, 3, window, sums);
  return pl_load_of_sums(&one, sums, window->radius, NULL, NULL);
}

static pl_vector_moments load_of(int32_t kind) {
  for (int32_t m = 0; m < CUBE_COUNT; ++m) displacements[m] = pl_vec3_sub(deform(kind, cube[m]), cube[m]);
  pl_window window = {{0, 0, 1}, 1};
  return load_at(&window, displacements);
}

static double norm(const pl_vector_moments *load) {
  return sqrt(pl_vector_moments_dot(load, load, 0, PL_LOAD_COUNT));
}

// Eqs. 10 and 11 as they are written, point by point, with the rigid part that the library found.
static void one_pass_gives_what_the_papers_two_give(void **state) {
  (void)state;
  make_cube(cube, cube_fractions);
  pl_material material = {CUBE_COUNT, cube, cube_fractions};
  pl_random random = pl_random_of_seed(3);
  for (int trial = 0; trial < 10; ++trial) {
    pl_window window = {sample_vector(&random, 1), pl_random_between(&random, 0.4, 1.2)};
    pl_mat3 turn = sample_rotation(&random);
    pl_vec3 away = sample_vector(&random, 5);
    for (int32_t m = 0; m < CUBE_COUNT; ++m)
      displacements[m] = pl_vec3_sub(pl_vec3_add(pl_mat3_apply(turn, deform(1 + trial % 6, cube[m])), away), cube[m]);
    pl_moments one, sums[3];
    pl_moments_sum(&material, NULL, 1, &window, &one);
    pl_moments_sum(&material, &displacements[0].x, 3, &window, sums);
    pl_mat3 rotation;
    pl_vec3 shift;
    pl_vector_moments load = pl_load_of_sums(&one, sums, window.radius, &rotation, &shift);
    // c and the mean of u, summed plainly.
    pl_vec3 c = {0, 0, 0}, mean = {0, 0, 0};
    double total = 0;
    for (int32_t m = 0; m < CUBE_COUNT; ++m) {
      double off = pl_vec3_distance(cube[m], window.center) / window.radius, w = exp(-0.5 * off * off);
      c = pl_vec3_add_scaled(c, cube[m], w);
      mean = pl_vec3_add_scaled(mean, displacements[m], w);
      total += w;
    }
    c = pl_vec3_scale(c, 1 / total);
    mean = pl_vec3_scale(mean, 1 / total);
    check_at_most(pl_vec3_distance(mean, shift), 1e-11);
    for (int32_t m = 0; m < CUBE_COUNT; ++m) {
      pl_vec3 x = pl_vec3_sub(cube[m], c), y = pl_vec3_sub(pl_vec3_add(x, displacements[m]), mean);
      displacements[m] = pl_vec3_sub(pl_mat3_apply(pl_mat3_transpose(rotation), y), x);
    }
    pl_moments expected[3];
    pl_moments_sum(&material, &displacements[0].x, 3, &window, expected);
    pl_moments_scale(expected, 3, 1 / one.values[0]);
    for (int k = 0; k < 3; ++k)
      for (int32_t i = 0; i < PL_LOAD_COUNT; ++i)
        check_near(load.components[k].values[i], expected[k].values[i], 1e-11);
  }
}

// F is the gradient of an affine field, R its polar part: a pure stretch in any axes leaves a load that is that
// stretch.
static void the_rigid_part_is_that_of_the_affine_fit(void **state) {
  (void)state;
  make_cube(cube, cube_fractions);
  pl_random random = pl_random_of_seed(4);
  pl_mat3 axes = sample_rotation(&random), turn = sample_rotation(&random);
  pl_mat3 stretch = pl_mat3_multiply(pl_mat3_multiply(axes, pl_mat3_diagonal(1.4, 0.9, 1.1)), pl_mat3_transpose(axes));
  pl_mat3 gradient = pl_mat3_multiply(turn, stretch);
  for (int32_t m = 0; m < CUBE_COUNT; ++m) displacements[m] = pl_vec3_sub(pl_mat3_apply(gradient, cube[m]), cube[m]);
  pl_material material = {CUBE_COUNT, cube, cube_fractions};
  pl_window window = {{0.2, -0.3, 1}, 0.7};
  pl_moments one, sums[3];
  pl_moments_sum(&material, NULL, 1, &window, &one);
  pl_moments_sum(&material, &displacements[0].x, 3, &window, sums);
  pl_mat3 rotation;
  pl_load_of_sums(&one, sums, window.radius, &rotation, NULL);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) check_near(rotation.m[i][j], turn.m[i][j], 1e-5);
}

static void a_rigid_motion_is_no_load_and_changes_none(void **state) {
  (void)state;
  make_cube(cube, cube_fractions);
  pl_random random = pl_random_of_seed(8);
  pl_window window = {{0, 0, 1}, 1};
  for (int trial = 0; trial < 10; ++trial) {
    pl_mat3 turn = sample_rotation(&random);
    pl_vec3 away = sample_vector(&random, 5);
    for (int32_t m = 0; m < CUBE_COUNT; ++m)
      displacements[m] = pl_vec3_sub(pl_vec3_add(pl_mat3_apply(turn, cube[m]), away), cube[m]);
    pl_vector_moments none = load_at(&window, displacements);
    check_at_most(norm(&none), 1e-12);
    for (int32_t m = 0; m < CUBE_COUNT; ++m)
      displacements[m] = pl_vec3_sub(pl_vec3_add(pl_mat3_apply(turn, deform(6, cube[m])), away), cube[m]);
    pl_vector_moments dented = load_of(6), moved;
    for (int32_t m = 0; m < CUBE_COUNT; ++m)
      displacements[m] = pl_vec3_sub(pl_vec3_add(pl_mat3_apply(turn, deform(6, cube[m])), away), cube[m]);
    moved = load_at(&window, displacements);
    for (int c = 0; c < 3; ++c)
      for (int32_t i = 0; i < PL_LOAD_COUNT; ++i)
        check_near(moved.components[c].values[i], dented.components[c].values[i], 1e-11);
  }
  // Points in a plane, on a line, one point: a rigid motion of them is not a load either.
  for (int32_t kind = 0; kind < 3; ++kind) {
    pl_vec3 flat[40];
    pl_mat3 turn = sample_rotation(&random);
    int32_t count = kind == 2 ? 1 : 40;
    for (int32_t m = 0; m < count; ++m) {
      flat[m] = pl_vec3_of(pl_random_unit(&random), kind == 0 ? pl_random_unit(&random) : 0.1, 1);
      displacements[m] = pl_vec3_sub(pl_mat3_apply(turn, flat[m]), flat[m]);
    }
    pl_material material = {count, flat, NULL};
    pl_moments one, sums[3];
    pl_moments_sum(&material, NULL, 1, &window, &one);
    pl_moments_sum(&material, &displacements[0].x, 3, &window, sums);
    pl_vector_moments load = pl_load_of_sums(&one, sums, window.radius, NULL, NULL);
    check_at_most(norm(&load), 1e-7);
  }
}

// Table 1's scale is not that of eq. 14, whose largest value is 2; its structure is what must come out.
static void table_1_has_its_structure(void **state) {
  (void)state;
  static const double paper[DEFORMATION_COUNT][DEFORMATION_COUNT] = {
      {0.0, 4.1, 4.1, 4.2, 4.1, 5.7, 4.1, 4.1}, {4.1, 0.0, 8.0, 4.3, 4.2, 6.9, 3.0, 3.0},
      {4.1, 8.0, 0.0, 4.0, 4.2, 4.0, 4.3, 4.3}, {4.2, 4.3, 4.0, 0.0, 4.2, 7.4, 3.7, 3.7},
      {4.1, 4.2, 4.2, 4.2, 0.0, 5.7, 4.2, 4.2}, {5.7, 6.9, 4.0, 7.4, 5.7, 0.0, 5.0, 5.0},
      {4.1, 3.0, 4.3, 3.7, 4.2, 5.0, 0.0, 0.0}, {4.1, 3.0, 4.3, 3.7, 4.2, 5.0, 0.0, 0.0}};
  make_cube(cube, cube_fractions);
  pl_vector_moments loads[DEFORMATION_COUNT];
  for (int32_t i = 0; i < DEFORMATION_COUNT; ++i) loads[i] = load_of(i);
  double d[DEFORMATION_COUNT][DEFORMATION_COUNT];
  for (int32_t i = 0; i < DEFORMATION_COUNT; ++i) {
    print_message("%d %-10s", i + 1, deformation_name(i));
    for (int32_t j = 0; j < DEFORMATION_COUNT; ++j) {
      d[i][j] = pl_load_distance(&loads[i], &loads[j], 2, 1e-9);
      print_message(" %5.2f (%.1f)", d[i][j], paper[i][j]);
    }
    print_message("\n");
  }
  for (int32_t i = 0; i < DEFORMATION_COUNT; ++i) {
    check_near(d[i][i], 0, 1e-12);
    check_near(d[0][i], i == 0 ? 0 : 1, 0);
    check_near(d[6][i], d[7][i], 1e-5);
    for (int32_t j = 0; j < DEFORMATION_COUNT; ++j) check_near(d[i][j], d[j][i], 0);
    for (int32_t j = 0; j < i; ++j) assert_true(j == 6 || d[i][j] > 0.2);
  }
  check_near(d[6][7], 0, 1e-5);
  check_near(d[1][2], 2, 0.02);
  for (int32_t i = 0; i < DEFORMATION_COUNT; ++i)
    for (int32_t j = 0; j < DEFORMATION_COUNT; ++j) check_at_most(d[i][j], d[1][2]);
}

// Site of a slab that is thick in z and fills x > edge, seen from its top face.
static pl_moments site_near_edge(pl_mat3 turn, double edge, double narrow) {
  enum { COUNT = 21 * 21 * 11 };
  static pl_vec3 points[COUNT];
  int32_t count = 0;
  for (int32_t k = 0; k < 11; ++k)
    for (int32_t j = -10; j <= 10; ++j)
      for (int32_t i = -10; i <= 10; ++i)
        if (0.3 * i > edge && fabs(0.3 * j) <= narrow)
          points[count++] = pl_mat3_apply(turn, pl_vec3_of(0.3 * i, 0.3 * j, -0.3 * k));
  pl_material material = {count, points, NULL};
  pl_window window = {{0, 0, 0}, 1};
  pl_moments sums;
  pl_moments_sum(&material, NULL, 1, &window, &sums);
  return sums;
}

static void check_frame(pl_mat3 frame, pl_vec3 normal) {
  pl_mat3 product = pl_mat3_multiply(frame, pl_mat3_transpose(frame));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) check_near(product.m[i][j], i == j, 1e-12);
  check_near(pl_mat3_determinant(frame), 1, 1e-12);
  check_at_most(pl_vec3_distance(pl_vec3_of(frame.m[2][0], frame.m[2][1], frame.m[2][2]), normal), 1e-12);
}

static void the_stamping_frame_turns_with_the_object(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(12);
  // Half a slab: b_x points away from the edge. A narrow bar: along it. In both the descriptor in the frame does not
  // depend on the turn.
  for (int32_t kind = 0; kind < 2; ++kind) {
    double edge = kind == 0 ? -1 : -9, narrow = kind == 0 ? 9 : 1;
    pl_moments site = site_near_edge(pl_mat3_identity(), edge, narrow), upright;
    pl_mat3 frame = pl_stamp_frame(&site, NULL, pl_vec3_of(0, 0, 1));
    check_frame(frame, pl_vec3_of(0, 0, 1));
    check_near(fabs(frame.m[0][0]), 1, 1e-9);
    if (kind == 0) check_near(frame.m[0][0], 1, 1e-9);
    pl_moments_rotate(&site, frame, &upright);
    for (int trial = 0; trial < 10; ++trial) {
      pl_mat3 turn = sample_rotation(&random);
      pl_moments turned = site_near_edge(turn, edge, narrow), local;
      pl_vec3 normal = pl_mat3_column(turn, 2);
      frame = pl_stamp_frame(&turned, NULL, normal);
      check_frame(frame, normal);
      pl_moments_rotate(&turned, frame, &local);
      check_at_most(pl_site_distance(&local, &upright, 3), 1e-5 * sqrt(pl_moments_dot(&upright, &upright, 0, 20)));
    }
  }
  // Nothing to go by: the same frame every time.
  pl_moments nothing = {{0}};
  for (int trial = 0; trial < 10; ++trial) {
    pl_vec3 normal = pl_mat3_column(sample_rotation(&random), 0);
    pl_mat3 once = pl_stamp_frame(&nothing, NULL, normal), again = pl_stamp_frame(&nothing, NULL, normal);
    check_frame(once, normal);
    assert_memory_equal(&once, &again, sizeof once);
  }
}

// On a flat place, far from edges, a drag in any direction is the same load: the frame turns with it.
static void a_drag_over_a_flat_place_is_the_same_in_all_directions(void **state) {
  (void)state;
  enum { COUNT = 21 * 21 * 11 };
  static pl_vec3 slab[COUNT], dragged[COUNT];
  int32_t count = 0;
  for (int32_t k = 0; k < 11; ++k)
    for (int32_t j = -10; j <= 10; ++j)
      for (int32_t i = -10; i <= 10; ++i) slab[count++] = pl_vec3_of(0.4 * i, 0.4 * j, -0.4 * k);
  pl_material material = {COUNT, slab, NULL};
  pl_window window = {{0, 0, 0}, 1};
  pl_vector_moments first = {0};
  for (int trial = 0; trial < 8; ++trial) {
    double angle = 0.1 + 0.8 * trial;
    pl_vec3 way = {cos(angle), sin(angle), 0};
    for (int32_t m = 0; m < COUNT; ++m) {
      pl_vec3 p = slab[m];
      dragged[m] = pl_vec3_scale(way, 0.2 * exp(-0.5 * (p.x * p.x + p.y * p.y)) * exp(p.z));
    }
    pl_moments one, sums[3];
    pl_moments_sum(&material, NULL, 1, &window, &one);
    pl_moments_sum(&material, &dragged[0].x, 3, &window, sums);
    pl_vector_moments load = pl_load_of_sums(&one, sums, 1, NULL, NULL), local;
    pl_mat3 frame = pl_stamp_frame(&one, &load, pl_vec3_of(0, 0, 1));
    check_frame(frame, pl_vec3_of(0, 0, 1));
    check_near(frame.m[0][0] * way.x + frame.m[0][1] * way.y, 1, 1e-6);
    pl_vector_moments_rotate(&load, frame, &local);
    if (trial == 0) first = local;
    check_at_most(pl_load_distance(&first, &local, 2, 0), 1e-6);
  }
}

// Material that fades away on one side of the contact: what is seen of site and load changes without a jump.
static void removing_half_of_the_object_changes_the_descriptors_continuously(void **state) {
  (void)state;
  make_cube(cube, cube_fractions);
  static double fractions[CUBE_COUNT];
  pl_material material = {CUBE_COUNT, cube, fractions};
  // Not the middle of the face, and a load that is pressed and dragged.
  pl_window window = {{0.05, -0.1, 1}, 0.5};
  for (int32_t m = 0; m < CUBE_COUNT; ++m) {
    displacements[m] = pl_vec3_sub(deform(6, cube[m]), cube[m]);
    displacements[m].y += 0.1 * exp(2 * (cube[m].z - 1));
  }
  enum { STEPS = 200 };
  pl_moments last_site = {{0}};
  pl_vector_moments last_load = {0};
  double site_jump = 0, load_jump = 0, site_way = 0;
  for (int32_t step = 0; step <= STEPS; ++step) {
    for (int32_t m = 0; m < CUBE_COUNT; ++m)
      fractions[m] = cube_fractions[m] * (cube[m].x > 0 ? 1 - (double)step / STEPS : 1);
    pl_moments one, sums[3], site, local;
    pl_moments_sum(&material, NULL, 1, &window, &one);
    pl_moments_sum(&material, &displacements[0].x, 3, &window, sums);
    site = pl_site_of_sums(&one, window.radius, PL_SITE_PER_VOLUME);
    pl_vector_moments load = pl_load_of_sums(&one, sums, window.radius, NULL, NULL), local_load;
    pl_mat3 frame = pl_stamp_frame(&site, &load, pl_vec3_of(0, 0, 1));
    pl_moments_rotate(&site, frame, &local);
    pl_vector_moments_rotate(&load, frame, &local_load);
    if (step > 0) {
      double moved = pl_site_distance(&local, &last_site, 3);
      site_jump = fmax(site_jump, moved);
      site_way += moved;
      load_jump = fmax(load_jump, pl_load_distance(&local_load, &last_load, 2, 0));
    }
    last_site = local;
    last_load = local_load;
  }
  print_message("half removed in %d steps: site goes %.3f, at most %.4f a step; load at most %.5f a step\n", STEPS,
                site_way, site_jump, load_jump);
  assert_true(site_way > 0.2);
  check_at_most(site_jump, 0.01);
  check_at_most(load_jump, 0.01);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_pass_gives_what_the_papers_two_give),
      cmocka_unit_test(the_rigid_part_is_that_of_the_affine_fit),
      cmocka_unit_test(a_rigid_motion_is_no_load_and_changes_none),
      cmocka_unit_test(table_1_has_its_structure),
      cmocka_unit_test(the_stamping_frame_turns_with_the_object),
      cmocka_unit_test(a_drag_over_a_flat_place_is_the_same_in_all_directions),
      cmocka_unit_test(removing_half_of_the_object_changes_the_descriptors_continuously),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
