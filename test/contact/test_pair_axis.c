// Fixed directions that tell two small surfaces apart, against brute force in double precision, and the lanes that they
// are asked of.
// ctest: unit
#include "contact/pair_axis.h"

#include "base/random.h"
#include "check.h"
#include "contact/pair_lanes.h"
#include "math/lanes.h"

enum { POINTS = 6, TRIANGLES = 8 };

// An octahedron whose points move at random.
static const int32_t CORNERS[3 * TRIANGLES] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};

typedef struct octahedron {
  int32_t parents[4 * POINTS];
  float weights[4 * POINTS];
  pl_vec3 points[POINTS];
  pl_contact_surface surface;
  pl_surface_tree tree;
  pl_surface_motion motion;
} octahedron;

static void make_octahedron(pl_arena *arena, octahedron *o) {
  pl_error error = {0};
  for (int32_t i = 0; i < POINTS; ++i) {
    for (int k = 0; k < 4; ++k) o->parents[4 * i + k] = i;
    o->weights[4 * i] = 1;
    double side = i % 2 == 0 ? 1 : -1;
    o->points[i] = pl_vec3_of(i / 2 == 0 ? side : 0, i / 2 == 1 ? side : 0, i / 2 == 2 ? side : 0);
  }
  o->surface = (pl_contact_surface){.point_count = POINTS,
                                    .parents = o->parents,
                                    .weights = o->weights,
                                    .triangle_count = TRIANGLES,
                                    .triangles = CORNERS,
                                    .particle_count = POINTS};
  check_ok(pl_surface_tree_build(arena, &o->surface, o->points, &o->tree, &error), &error);
  assert_true(pl_surface_motion_take(arena, &o->tree, &o->motion));
}

static pl_vec3 random_vector(pl_random *random, double size) {
  return pl_vec3_of(pl_random_between(random, -size, size), pl_random_between(random, -size, size),
                    pl_random_between(random, -size, size));
}

static void place(octahedron *o, pl_random *random, pl_vec3 at) {
  pl_surface_motion *m = &o->motion;
  pl_vec3 way = random_vector(random, 0.5);
  m->start_box = m->end_box = pl_box_empty();
  m->drift = pl_vec3_of(0, 0, 0);
  for (int32_t i = 0; i < POINTS; ++i) {
    m->starts[i] = pl_vec3_add(at, pl_vec3_add(o->points[i], random_vector(random, 0.3)));
    m->ends[i] = pl_vec3_add(m->starts[i], pl_vec3_add(way, random_vector(random, 0.1)));
    m->drift = pl_vec3_add_scaled(m->drift, pl_vec3_sub(m->ends[i], m->starts[i]), 1.0 / POINTS);
    pl_box_cover(&m->start_box, m->starts[i]);
    pl_box_cover(&m->end_box, m->ends[i]);
  }
  pl_surface_motion_fill_lanes(m);
  pl_pair_axis_fill_extents(m);
}

// Height of a point along n that is lowest (sign 1) or highest (sign -1) in the course of the step, in the frame of
// `frame`.
static double lowest(const pl_surface_motion *m, const pl_surface_motion *frame, pl_vec3 n, double sign) {
  double low = HUGE_VAL;
  for (int32_t i = 0; i < POINTS; ++i) {
    low = fmin(low, sign * pl_vec3_dot(n, pl_vec3_add(m->starts[i], frame->drift)));
    low = fmin(low, sign * pl_vec3_dot(n, m->ends[i]));
  }
  return sign * low;
}

// Largest gap along any direction with components -1, 0 and 1 of which at least two are not 0.
static double brute_gap(const pl_surface_motion *a, const pl_surface_motion *b) {
  double gap = -HUGE_VAL;
  for (int k = 0; k < 27; ++k) {
    pl_vec3 n = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
    double square = pl_vec3_dot(n, n);
    if (square > 1) gap = fmax(gap, (lowest(a, b, n, 1) - lowest(b, b, n, -1)) / sqrt(square));
  }
  return gap;
}

static void directions_tell_apart_what_brute_force_does(void **state) {
  (void)state;
  static octahedron a, b;
  const double limit = 0.01, tolerance = 1e-4;
  pl_context *context = make_context(1);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  make_octahedron(&arena, &a);
  make_octahedron(&arena, &b);
  pl_random random = pl_random_of_seed(7);
  int32_t apart = 0, close = 0;
  for (int round = 0; round < 4000; ++round) {
    // Near the origin and far from it.
    pl_vec3 far = round % 2 == 0 ? pl_vec3_of(0, 0, 0) : pl_vec3_of(1000, -500, 300);
    place(&a, &random, pl_vec3_add(far, random_vector(&random, 2)));
    place(&b, &random, far);
    double gap = brute_gap(&a.motion, &b.motion);
    if (fabs(gap - limit) < tolerance) continue;
    bool is_apart = pl_pair_axis_is_apart(&a.motion, &b.motion, limit);
    assert_int_equal(is_apart, gap > limit);
    apart += is_apart;
    close += !is_apart;
  }
  assert_true(apart > 500 && close > 500);
  pl_arena_destroy(&arena);
  drop_context(context);
}

// One number of one point at either end of the step is enough.
static void lanes_know_whether_all_points_are_finite(void **state) {
  (void)state;
  static octahedron o;
  pl_context *context = make_context(1);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  make_octahedron(&arena, &o);
  pl_random random = pl_random_of_seed(11);
  const double odd[] = {(double)NAN, HUGE_VAL, -HUGE_VAL};
  for (int32_t i = 0; i < 2 * 3 * POINTS; ++i) {
    place(&o, &random, pl_vec3_of(100, -50, 30));
    assert_true(o.motion.is_finite);
    pl_vec3 *point = &(i < 3 * POINTS ? o.motion.starts : o.motion.ends)[i / 3 % POINTS];
    double *number = i % 3 == 0 ? &point->x : i % 3 == 1 ? &point->y : &point->z;
    *number = odd[i / 3 % 3];
    pl_surface_motion_fill_lanes(&o.motion);
    assert_false(o.motion.is_finite);
  }
  pl_arena_destroy(&arena);
  drop_context(context);
}

enum { BLOCKS = 3, MAX_POINTS = BLOCKS * LANES };

// Lanes of one instruction set, and what it asks of them.
typedef struct lane_answers {
  float lanes[2 * VEC3_LANES * BLOCKS], min[2][PL_PAIR_DIRECTIONS], max[2][PL_PAIR_DIRECTIONS], height;
  int32_t lowest;
  uint32_t apart;  // a bit for each distance from a body with the same points
} lane_answers;

static uint32_t ask_distances(const pl_lane_kernels *kernels, const lane_answers *a) {
  const float shift[3] = {0.1f, -0.2f, 0.05f};
  pl_surface_extents extents = {0};
  memcpy(extents.start_min, a->min[0], sizeof a->min[0]);
  memcpy(extents.start_max, a->max[0], sizeof a->max[0]);
  memcpy(extents.end_min, a->min[1], sizeof a->min[1]);
  memcpy(extents.end_max, a->max[1], sizeof a->max[1]);
  uint32_t apart = 0;
  for (int i = 0; i < 32; ++i) {
    const float offset[3] = {0.2f * (float)i, -0.1f * (float)i, 0.05f * (float)i};
    apart |= (uint32_t)kernels->are_apart(&extents, &extents, offset, shift, 0.1f) << i;
  }
  return apart;
}

static void ask(const pl_lane_kernels *kernels, pl_vec3 points[2][MAX_POINTS], int32_t count, lane_answers *a) {
  const float normal[3] = {0.6f, -0.48f, 0.64f};
  int32_t blocks = (count + LANES - 1) / LANES;
  memset(a, 0, sizeof *a);
  for (int k = 0; k < 2; ++k) {
    kernels->fill_lanes(points[k], count, pl_vec3_of(10, -20, 30), a->lanes + VEC3_LANES * k);
    kernels->fill_extents(a->lanes + VEC3_LANES * k, blocks, a->min[k], a->max[k]);
  }
  a->lowest = kernels->find_lowest(a->lanes, blocks, normal, 0.25f, &a->height);
  a->apart = ask_distances(kernels, a);
}

// Against one point at a time.
static void check_answers(const lane_answers *a, pl_vec3 points[2][MAX_POINTS], int32_t count) {
  float lowest = HUGE_VALF, min = HUGE_VALF, max = -HUGE_VALF;
  int32_t first = -1, blocks = (count + LANES - 1) / LANES;
  for (int32_t i = 0; i < LANES * blocks; ++i) {
    const float *start = &a->lanes[2 * VEC3_LANES * (i / LANES) + i % LANES], *at[2] = {start, start + VEC3_LANES};
    pl_vec3 end = points[1][i < count ? i : count - 1];
    assert_true(at[1][0] == (float)(end.x - 10) && at[1][LANES] == (float)(end.y + 20));
    assert_true(at[1][2 * LANES] == (float)(end.z - 30));
    for (int k = 0; k < 2; ++k) {
      float height = at[k][0] * 0.6f + at[k][LANES] * -0.48f + at[k][2 * LANES] * 0.64f + (k == 0 ? 0.25f : 0.0f);
      if (height < lowest) lowest = height, first = i;
    }
    float along = at[1][0] - at[1][LANES] + at[1][2 * LANES];
    min = fminf(min, along), max = fmaxf(max, along);
  }
  assert_true(a->min[1][8] == min && a->max[1][8] == max);
  assert_true(a->height == lowest);
  assert_int_equal(a->lowest, first);
  // What is in one place is not apart, and what is 7 m away is.
  assert_true((a->apart & 1) == 0 && a->apart >> 31 != 0);
}

static void lanes_answer_alike_on_both_instruction_sets(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(9);
  for (int32_t count = 1; count <= MAX_POINTS; ++count) {
    pl_vec3 points[2][MAX_POINTS];
    lane_answers plain, best;
    for (int32_t i = 0; i < 2 * count; ++i)
      points[i / count][i % count] = pl_vec3_add(pl_vec3_of(10, -20, 30), random_vector(&random, 1));
    ask(&pl_lane_kernels_plain, points, count, &plain);
    ask(pl_lane_kernels_get(), points, count, &best);
    assert_memory_equal(&plain, &best, sizeof plain);
    check_answers(&plain, points, count);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(directions_tell_apart_what_brute_force_does),
                                     cmocka_unit_test(lanes_know_whether_all_points_are_finite),
                                     cmocka_unit_test(lanes_answer_alike_on_both_instruction_sets)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
