// The inner loops give the same bits for every instruction set, and agree with their formulas evaluated plainly in
// double precision.
// ctest: unit
#include "base/random.h"
#include "check.h"
#include "contact/surface_motion.h"
#include "math/mat3.h"
#include "math/simd.h"
#include "pliant/math.h"
#include "pliant/runtime.h"
#include "solid/solid_kernels.h"

enum { MAX = 128, EXAMPLES = 3 };

typedef struct set {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model, *held;
  const pl_solid_model *solid, *exact;  // examples as affine maps, and as exact shapes
  int32_t n;
  _Alignas(64) pl_f4 positions[MAX], velocities[MAX], forces[MAX];
  _Alignas(64) float moments[MAX / 8 * PL_SOLID_MOMENT_COUNT * 8];
  _Alignas(64) float poses[MAX * PL_SOLID_POSE_SIZE];
} set;

static set s;

static void make_set(void) {
  pl_error error = {0};
  memset(&s, 0, sizeof s);
  s.context = make_context(1);
  check_ok(pl_mesh_create_box(s.context, (pl_vec3){0.3, 0.4, 0.5}, (const int32_t[3]){3, 4, 4}, &s.mesh, &error),
           &error);
  pl_mesh_view view = pl_mesh_get_view(s.mesh);
  static pl_vec3 points[EXAMPLES][MAX];
  pl_mesh_pose poses[EXAMPLES];
  pl_random random = pl_random_of_seed(5);
  for (int k = 0; k < EXAMPLES; ++k) {
    for (int32_t i = 0; i < view.point_count; ++i) {
      pl_vec3 p = view.points[i];
      points[k][i] = (pl_vec3){p.x * (1 + 0.1 * k) + 0.2 * p.z * p.y, p.y + 0.1 * k * p.x * p.z, p.z * (1 - 0.1 * k)};
    }
    poses[k] = (pl_mesh_pose){k == 0 ? "a" : k == 1 ? "b" : "c", points[k]};
  }
  pl_solid_def def = pl_default_solid_def();
  def.examples = poses;
  def.example_count = EXAMPLES;
  check_ok(pl_solid_build(s.context, &def, s.mesh, &s.held, &error), &error);
  s.exact = (const pl_solid_model *)s.held;
  def.hold_examples = false;
  check_ok(pl_solid_build(s.context, &def, s.mesh, &s.model, &error), &error);
  s.solid = (const pl_solid_model *)s.model;
  s.n = s.model->particle_count;
  assert_int_equal(s.n, 100);  // not a multiple of eight
  for (int32_t i = 0; i < s.n; ++i) {
    pl_vec3 p = pl_quat_rotate(pl_quat_from_axis_angle((pl_vec3){1, 2, 3}, 0.8), pl_vec3_of_f4(s.solid->rest[i]));
    s.positions[i] = pl_f4_of(p.x + 0.02 * pl_random_normal(&random), p.y + 0.02 * pl_random_normal(&random),
                              p.z + 0.02 * pl_random_normal(&random));
    s.velocities[i] = pl_f4_of(pl_random_normal(&random), pl_random_normal(&random), pl_random_normal(&random));
    s.forces[i] = pl_f4_of(pl_random_normal(&random), pl_random_normal(&random), pl_random_normal(&random));
  }
}

static void drop_set(void) {
  pl_model_destroy(s.model);
  pl_model_destroy(s.held);
  pl_mesh_destroy(s.mesh);
  drop_context(s.context);
}

static void moments_are_those_of_the_definition(void **state) {
  (void)state;
  make_set();
  double worst = 0;
  for (int32_t group = 0; group < s.solid->group_count; ++group) {
    float *moments = s.moments + group * PL_SOLID_MOMENT_COUNT * 8;
    pl_solid_kernels_plain.sum_moments(s.solid, s.positions, group, moments);
    for (int32_t lane = 0; lane < 8 && 8 * group + lane < s.n; ++lane) {
      int32_t r = 8 * group + lane;
      double mass = 0, size = 0;
      pl_vec3 c = {0, 0, 0}, c0 = {0, 0, 0};
      for (int32_t e = s.solid->region_start[r]; e < s.solid->region_start[r + 1]; ++e) {
        int32_t i = s.solid->region_particles[e];
        double m = (double)s.solid->rest[i][3];
        mass += m;
        c = pl_vec3_add_scaled(c, pl_vec3_of_f4(s.positions[i]), m);
        c0 = pl_vec3_add_scaled(c0, pl_vec3_of_f4(s.solid->rest[i]), m);
      }
      c = pl_vec3_scale(c, 1 / mass);
      c0 = pl_vec3_scale(c0, 1 / mass);
      pl_mat3 a = pl_mat3_zero();
      for (int32_t e = s.solid->region_start[r]; e < s.solid->region_start[r + 1]; ++e) {
        int32_t i = s.solid->region_particles[e];
        double m = (double)s.solid->rest[i][3];
        pl_vec3 p = pl_vec3_sub(pl_vec3_of_f4(s.positions[i]), c), q = pl_vec3_sub(pl_vec3_of_f4(s.solid->rest[i]), c0);
        a = pl_mat3_add(a, pl_mat3_scale(pl_mat3_outer(p, q), m));
        size += m * pl_vec3_dot(q, q);
      }
      a = pl_mat3_scale(a, 3 / size);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) worst = fmax(worst, fabs(a.m[i][j] - (double)moments[8 * (3 * i + j) + lane]));
    }
  }
  print_message("largest error of a matrix entry of size 1: %.2g\n", worst);
  check_at_most(worst, 3e-6);
  drop_set();
}

// What example k adds to the e-th entry of region r. All examples deform every region here.
static pl_vec3 template_of(int32_t r, int32_t e, int32_t k) {
  const float *d = s.exact->examples.templates + s.exact->examples.template_start[r / 8] +
                   ((e - s.exact->region_start[r]) * EXAMPLES + k) * 24 + r % 8;
  return (pl_vec3){(double)d[0], (double)d[8], (double)d[16]};
}

static double constant_of(int32_t r, int32_t row) {
  return (double)s.exact->region_constants[(r / 8 * PL_SOLID_CONSTANT_COUNT + row) * 8 + r % 8];
}

// A region with the shapes of its examples, in double precision.
typedef struct exact_region {
  pl_mat3 matrix;          // sum m p t^T
  pl_vec3 c, c0;           // centres
  double pulls[EXAMPLES];  // sum m p . R d - sum m q . d
} exact_region;

static exact_region measure_exactly(int32_t r, const double *weights, pl_mat3 rotation) {
  const pl_solid_model *model = s.exact;
  exact_region it = {.matrix = pl_mat3_zero()};
  double mass = 0;
  for (int32_t e = model->region_start[r]; e < model->region_start[r + 1]; ++e) {
    int32_t i = model->region_particles[e];
    double m = (double)model->rest[i][3];
    mass += m;
    it.c = pl_vec3_add_scaled(it.c, pl_vec3_of_f4(s.positions[i]), m);
    it.c0 = pl_vec3_add_scaled(it.c0, pl_vec3_of_f4(model->rest[i]), m);
  }
  it.c = pl_vec3_scale(it.c, 1 / mass);
  it.c0 = pl_vec3_scale(it.c0, 1 / mass);
  for (int32_t e = model->region_start[r]; e < model->region_start[r + 1]; ++e) {
    int32_t i = model->region_particles[e];
    double m = (double)model->rest[i][3];
    pl_vec3 p = pl_vec3_sub(pl_vec3_of_f4(s.positions[i]), it.c), q = pl_vec3_sub(pl_vec3_of_f4(model->rest[i]), it.c0),
            t = q;
    for (int32_t k = 0; k < EXAMPLES; ++k) {
      pl_vec3 d = template_of(r, e, k);
      t = pl_vec3_add_scaled(t, d, weights[k]);
      it.pulls[k] += m * (pl_vec3_dot(p, pl_mat3_apply(rotation, d)) - pl_vec3_dot(q, d));
    }
    it.matrix = pl_mat3_add(it.matrix, pl_mat3_scale(pl_mat3_outer(p, t), m));
  }
  return it;
}

// The kernels of exact shapes against their formulas: the matrix, the pulls, and what regions want of their particles.
static void exact_shapes_are_those_of_the_definition(void **state) {
  (void)state;
  make_set();
  const pl_solid_model *model = s.exact;
  static _Alignas(64) float arms[PL_SOLID_ARMS];
  static _Alignas(64) pl_f4 goals[MAX * 27];
  _Alignas(64) float moments[PL_SOLID_MOMENT_COUNT * 8], q[32], weights[EXAMPLES * 8], pulls[EXAMPLES * 8],
      known[EXAMPLES * 8];
  const double own[EXAMPLES] = {0.5, 0, 0.25};
  pl_quat turn = pl_quat_from_axis_angle((pl_vec3){1, 2, 3}, 0.75);
  pl_mat3 rotation = pl_mat3_from_quat(turn);
  double worst[3] = {0};
  for (int lane = 0; lane < 8; ++lane) {
    q[lane] = (float)turn.x;
    q[8 + lane] = (float)turn.y;
    q[16 + lane] = (float)turn.z;
    q[24 + lane] = (float)turn.w;
    for (int k = 0; k < EXAMPLES; ++k) weights[8 * k + lane] = (float)own[k];
  }
  for (int32_t group = 0; group < model->group_count; ++group) {
    const pl_solid_shape shape = {model, s.positions, group, 5, weights, arms};
    const float *region_weights = model->examples.region_weights + 8 * group;
    pl_solid_kernels_plain.sum_shapes(&shape, moments);
    pl_solid_kernels_plain.find_shape_pulls(&shape, q, region_weights, pulls);
    pl_solid_kernels_plain.find_known_pulls(&shape, q, region_weights, known);
    assert_memory_equal(pulls, known, sizeof pulls);
    pl_solid_kernels_plain.write_goals(&shape, moments, q, goals);
    for (int32_t r = 8 * group; r < 8 * group + 8 && r < s.n; ++r) {
      exact_region it = measure_exactly(r, own, rotation);
      double scale = constant_of(r, PL_SOLID_SCALE), weight = (double)region_weights[r % 8];
      for (int i = 0; i < 9; ++i)
        worst[0] = fmax(worst[0], fabs(scale * it.matrix.m[i / 3][i % 3] - (double)moments[8 * i + r % 8]));
      for (int k = 0; k < EXAMPLES; ++k)
        worst[1] = fmax(worst[1], fabs(weight * scale * it.pulls[k] - (double)pulls[8 * k + r % 8]));
    }
  }
  for (int32_t i = 0; i < s.n; ++i)
    for (int32_t at = model->particle_start[i]; at < model->particle_start[i + 1]; ++at) {
      int32_t r = model->particle_regions[at], e = model->region_start[r];
      while (model->region_particles[e] != i) ++e;
      exact_region it = measure_exactly(r, own, rotation);
      pl_vec3 t = pl_vec3_sub(pl_vec3_of_f4(model->rest[i]), it.c0);
      for (int32_t k = 0; k < EXAMPLES; ++k) t = pl_vec3_add_scaled(t, template_of(r, e, k), own[k]);
      pl_vec3 goal = pl_vec3_sub(pl_vec3_add(pl_mat3_apply(rotation, t), it.c), pl_vec3_of_f4(s.positions[i]));
      worst[2] = fmax(worst[2], pl_vec3_distance(goal, pl_vec3_of_f4(goals[model->examples.particle_goals[at]])));
    }
  print_message("largest errors: %.2g of a matrix, %.2g of a pull, %.2g m of a goal\n", worst[0], worst[1], worst[2]);
  check_at_most(worst[0], 3e-6);
  check_at_most(worst[1], 3e-6);
  check_at_most(worst[2], 1e-7);
  drop_set();
}

// Eight rotations turned by one, and how far they are from where they were.
static void rotations_turn_together(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(31);
  _Alignas(64) float before[32], q[32], lags[8] = {0};
  pl_quat start[8], turn = pl_quat_from_axis_angle((pl_vec3){0.6, 0, 0.8}, 0.3);
  double worst = 0;
  for (int lane = 0; lane < 8; ++lane) {
    pl_vec3 axis = {pl_random_normal(&random), pl_random_normal(&random), pl_random_normal(&random)};
    start[lane] = pl_quat_from_axis_angle(axis, 0.4 * lane);
    const double values[4] = {start[lane].x, start[lane].y, start[lane].z, start[lane].w};
    for (int i = 0; i < 4; ++i) before[8 * i + lane] = q[8 * i + lane] = (float)values[i];
  }
  pl_solid_kernels_plain.turn_rotations((const float[4]){(float)turn.x, (float)turn.y, (float)turn.z, (float)turn.w},
                                        q);
  pl_solid_kernels_plain.find_lags(before, q, lags);
  for (int lane = 0; lane < 8; ++lane) {
    pl_quat turned = pl_quat_multiply(turn, start[lane]);
    const double values[4] = {turned.x, turned.y, turned.z, turned.w};
    for (int i = 0; i < 4; ++i) worst = fmax(worst, fabs(values[i] - (double)q[8 * i + lane]));
    // The chord between two quaternions of half the angle.
    worst = fmax(worst, fabs(2 * sin(0.3 / 4) - sqrt((double)lags[lane])));
  }
  print_message("largest error of a rotation: %.2g\n", worst);
  check_at_most(worst, 5e-7);
}

// The 8-wide solver for one or two examples against the exact one for any number.
static void small_sets_are_solved_exactly(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(23);
  double worst = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    _Alignas(32) float pulls[16], grams[24], weights[16];
    double exact[8][2];
    int32_t count = 1 + trial % 2;
    for (int lane = 0; lane < 8; ++lane) {
      double l[3][6], gram[4], pull[2];
      for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 6; ++i) l[k][i] = 0.3 * pl_random_normal(&random);
      // Now and then an example that does nothing, or one that repeats the other.
      if (lane == 3) memset(l[0], 0, sizeof l[0]);
      if (lane == 5) memcpy(l[1], l[0], sizeof l[0]);
      for (int k = 0; k < count; ++k) {
        pull[k] = 0;
        for (int i = 0; i < 6; ++i) pull[k] += l[k][i] * l[2][i];
        pulls[8 * k + lane] = (float)pull[k];
        for (int j = 0; j < count; ++j) {
          gram[count * k + j] = 0;
          for (int i = 0; i < 6; ++i) gram[count * k + j] += l[k][i] * l[j][i];
        }
      }
      grams[lane] = (float)gram[0];
      grams[8 + lane] = count == 2 ? (float)gram[1] : 0;
      grams[16 + lane] = count == 2 ? (float)gram[3] : 0;
      assert_int_equal(pl_weights_nearest(count, gram, pull, exact[lane]), PL_OK);
      // Compared by what matters, the objective; where the answer is unique the weights agree too.
      exact[lane][1] = count == 2 ? exact[lane][1] : 0;
    }
    pl_solid_kernels_plain.solve_small(pulls, grams, count, weights);
    for (int lane = 0; lane < 8; ++lane) {
      double w[2] = {(double)weights[lane], count == 2 ? (double)weights[8 + lane] : 0}, values[2];
      for (int side = 0; side < 2; ++side) {
        const double *x = side == 0 ? w : exact[lane];
        values[side] = 0.5 * ((double)grams[lane] * x[0] * x[0] + 2 * (double)grams[8 + lane] * x[0] * x[1] +
                              (double)grams[16 + lane] * x[1] * x[1]) -
                       (double)pulls[lane] * x[0] - (count == 2 ? (double)pulls[8 + lane] * x[1] : 0);
      }
      assert_true(w[0] >= 0 && w[1] >= 0 && w[0] + w[1] <= 1 + 1e-6);
      worst = fmax(worst, values[0] - values[1]);
    }
  }
  print_message("largest excess of the objective: %.2g\n", worst);
  check_at_most(worst, 1e-6);
}

// Particles in the order of the mesh, in double precision, and back: bit by bit, with the sign of a zero.
static void particles_go_out_and_in(void **state) {
  (void)state;
  make_set();
  const pl_solid_kernels *kernels[2] = {&pl_solid_kernels_plain, pl_solid_kernels_choose()};
  const double origin[3] = {1024, -3, 0.1};
  s.positions[3][1] = -0.0f;
  for (int k = 0; k < 4; ++k)
    for (int32_t n = 1; n <= s.n; n += s.n - 1) {
      static pl_vec3 out[MAX];
      static pl_f4 back[MAX];
      const double *shift = k < 2 ? origin : NULL;
      pl_vec3 at = k < 2 ? pl_vec3_of(origin[0], origin[1], origin[2]) : pl_vec3_of(0, 0, 0);
      static const int32_t NUMBER_0[1] = {0};
      pl_solid_order order = n == 1 ? (pl_solid_order){NUMBER_0, NUMBER_0} : s.solid->order;
      memset(out, 0x55, sizeof out);
      pl_vec3 after = out[n];
      kernels[k % 2]->read_vectors(s.positions, &order, n, shift, out);
      assert_memory_equal(&out[n], &after, sizeof after);
      kernels[k % 2]->write_vectors(out, &order, n, shift, back);
      for (int32_t i = 0; i < n; ++i) {
        pl_vec3 wanted = pl_vec3_of_f4(s.positions[i]), *got = &out[order.point_of[i]];
        if (shift != NULL) wanted = pl_vec3_add(at, wanted);
        pl_f4 rounded = pl_f4_of_vec3(pl_vec3_sub(*got, at));
        assert_memory_equal(got, &wanted, sizeof wanted);
        assert_memory_equal(&back[i], &rounded, sizeof rounded);
      }
    }
  drop_set();
}

// The same in one pass, with their box and mean; written and read back at once; and false for what is not finite.
static void points_are_rounded_where_they_are(void **state) {
  (void)state;
  make_set();
  const pl_solid_kernels *kernels[2] = {&pl_solid_kernels_plain, pl_solid_kernels_choose()};
  const double origin[3] = {1024, -3, 0.1};
  s.positions[3][1] = -0.0f;
  for (int k = 0; k < 2; ++k)
    for (int32_t n = 1; n <= s.n; n += s.n - 1) {
      static pl_vec3 points[MAX], wanted[MAX];
      static pl_f4 back[MAX], expected[MAX];
      static const int32_t NUMBER_0[1] = {0};
      pl_solid_order first = {NUMBER_0, NUMBER_0};
      const pl_solid_order *order = n == 1 ? &first : &s.solid->order;
      pl_contact_extent extent[2];
      kernels[k]->read_points(s.positions, order, n, origin, points, &extent[0]);
      kernels[k]->read_vectors(s.positions, order, n, origin, wanted);
      assert_memory_equal(points, wanted, (size_t)n * sizeof *points);
      pl_vec3 sum = {0, 0, 0};
      for (int32_t i = 0; i < n; ++i) sum = pl_vec3_add(sum, points[i]);
      pl_contact_extent plain = {pl_box_of_points(points, n), pl_vec3_scale(sum, 1.0 / n)};
      assert_memory_equal(&extent[0], &plain, sizeof plain);
      for (int32_t i = 0; i < n; ++i) points[i].x += 1e-9 * i;
      memcpy(wanted, points, sizeof points);
      kernels[k]->write_vectors(wanted, order, n, origin, expected);
      kernels[k]->read_points(expected, order, n, origin, wanted, &extent[1]);
      points[n] = pl_vec3_of(7, 7, 7);
      assert_true(kernels[k]->round_points(points, order, n, origin, back, &extent[0]));
      assert_memory_equal(back, expected, (size_t)n * sizeof *back);
      assert_memory_equal(points, wanted, (size_t)n * sizeof *points);
      assert_memory_equal(extent, &extent[1], sizeof *extent);
      assert_true(points[n].x == 7);
      for (int32_t i = 0; i < n; ++i) points[i] = pl_vec3_of(1.0 / (3 + i), -0.0, i);
      kernels[k]->write_vectors(points, order, n, NULL, expected);
      kernels[k]->read_vectors(expected, order, n, NULL, wanted);
      assert_true(kernels[k]->round_vectors(points, order, n, back));
      assert_memory_equal(back, expected, (size_t)n * sizeof *back);
      assert_memory_equal(points, wanted, (size_t)n * sizeof *points);
      for (int kind = 0; kind < 2; ++kind) {
        points[n - 1].z = kind == 0 ? (double)INFINITY : (double)NAN;
        assert_false(kernels[k]->round_vectors(points, order, n, back));
      }
    }
  drop_set();
}

#if PL_SIMD_HAS_AVX2
static void run_all(const pl_solid_kernels *kernels, float *out, size_t *used) {
  // Everything a kernel writes is appended to `out`.
  _Alignas(64) float a[72], pulls[EXAMPLES * 8], stretch[48], weights[EXAMPLES * 8], q[32];
  _Alignas(64) double sums[EXAMPLES * 8] = {0};
  static _Alignas(64) pl_f4 positions[MAX], velocities[MAX], goals[MAX * 27];
  *used = 0;
#define KEEP(array, count)                                         \
  do {                                                             \
    memcpy(out + *used, array, (size_t)(count) * sizeof *(array)); \
    *used += (size_t)(count) * sizeof *(array) / sizeof(float);    \
  } while (0)
  // Whether results are written past the cache makes no difference to them.
  pl_solid_model streaming = *s.exact, streaming_affine = *s.solid;
  streaming.streams = streaming_affine.streams = true;
  _Alignas(64) float lags[8] = {0};
  for (int k = 0; k < EXAMPLES * 8; ++k) weights[k] = 0.1f * (float)(k % 5);
  for (int32_t group = 0; group < s.solid->group_count; ++group) {
    bool streams = group % 2 == 0;
    float *moments = s.moments + group * PL_SOLID_MOMENT_COUNT * 8;
    const pl_solid_examples *examples = &s.solid->examples;
    const float *descriptors = examples->descriptors + group * EXAMPLES * 48;
    for (int i = 0; i < 32; ++i) q[i] = i < 24 ? 0.1f : 0.98f;
    kernels->sum_moments(s.solid, s.positions, group, moments);
    KEEP(moments, PL_SOLID_MOMENT_COUNT * 8);
    kernels->find_gradient(moments, examples->spreads + group * 48, a);
    KEEP(a, 72);
    const pl_solid_measure measure = {moments, q, examples->spreads + group * 48, examples->region_weights + group * 8,
                                      EXAMPLES};
    kernels->find_pulls(&measure, descriptors, pulls);
    KEEP(pulls, EXAMPLES * 8);
    _Alignas(64) float kept[32];
    static _Alignas(64) float arms[PL_SOLID_ARMS];
    const pl_solid_shape shape = {streams ? &streaming : s.exact, s.positions, group, streams ? 5 : 7, weights, arms};
    kernels->sum_shapes(&shape, moments);
    KEEP(moments, PL_SOLID_MOMENT_COUNT * 8);
    kernels->find_shape_pulls(&shape, q, examples->region_weights + group * 8, pulls);
    KEEP(pulls, EXAMPLES * 8);
    kernels->find_known_pulls(&shape, q, examples->region_weights + group * 8, pulls);
    KEEP(pulls, EXAMPLES * 8);
    memcpy(kept, q, sizeof kept);
    kernels->turn_rotations((const float[4]){0.1f, -0.2f, 0.15f, 0.96f}, kept);
    KEEP(kept, 32);
    kernels->find_lags(q, kept, lags);
    KEEP(lags, 8);
    kernels->write_goals(&shape, moments, q, goals);
    for (int i = 0; i < 32; ++i) kept[i] = i < 24 ? 0.0f : 1.0f;
    kernels->keep_better(a, q, kept);
    KEEP(kept, 32);
    kernels->add_pulls(pulls, pulls, EXAMPLES, sums);
    kernels->add_pulls(pulls, NULL, EXAMPLES, sums);
    _Alignas(64) float small[16];
    kernels->solve_small(pulls, a, 2, small);
    KEEP(small, 16);
    kernels->blend_stretch(descriptors, weights, EXAMPLES, stretch);
    KEEP(stretch, 48);
    kernels->stretch_moments(moments, stretch, a);
    KEEP(a, 72);
    const pl_solid_posing posing = {streams ? &streaming_affine : s.solid, s.positions, s.poses, group};
    kernels->write_poses(&posing, moments, q, streams ? stretch : NULL);
  }
  KEEP(s.poses, s.n * PL_SOLID_POSE_SIZE);
  KEEP(sums, EXAMPLES * 8);
  memcpy(positions, s.positions, sizeof positions);
  memcpy(velocities, s.velocities, sizeof velocities);
  KEEP(goals, s.exact->slot_start[s.exact->group_count] * 8);
  pl_solid_pull pull = {s.exact, s.poses, NULL, positions, velocities, s.forces, 0.01f, 30.0f, {0.1f, -0.2f, 0.3f, 0}};
  pl_solid_sums block;
  kernels->pull_particles(&pull, 0, s.n, &block);
  KEEP(&block, 1);
  pull.goals = goals;
  kernels->pull_particles(&pull, 0, s.n, &block);
  KEEP(&block, 1);
  pl_solid_rigid rigid = {.center = {0.1, 0.2, 0.3},
                          .velocity = {1, 2, 3},
                          .angular_velocity = {0.4, 0.5, 0.6},
                          .drift = {1e-3, 2e-3, 3e-3},
                          .twist = {4e-3, 5e-3, 6e-3}};
  kernels->drift_particles(&pull, &rigid, 0.05f, 0, s.n);
  KEEP(positions, s.n);
  KEEP(velocities, s.n);
#undef KEEP
}

static void all_instruction_sets_give_the_same_bits(void **state) {
  (void)state;
  if (!PL_SIMD_CAN_AVX2()) {
    print_message("this machine has no AVX2: there is only one kind of kernel\n");
    return;
  }
  static float plain[40000], wide[40000];
  size_t plain_used, wide_used;
  make_set();
  run_all(&pl_solid_kernels_plain, plain, &plain_used);
  const pl_solid_kernels *kernels[2] = {&pl_solid_kernels_avx2, &pl_solid_kernels_avx512};
  for (int k = 0; k < (PL_SIMD_CAN_AVX512() ? 2 : 1); ++k) {
    run_all(kernels[k], wide, &wide_used);
    assert_true(plain_used == wide_used && plain_used > 3000 && plain_used < 40000);
    assert_memory_equal(plain, wide, plain_used * sizeof(float));
  }
  drop_set();
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(moments_are_those_of_the_definition),
    cmocka_unit_test(exact_shapes_are_those_of_the_definition),
    cmocka_unit_test(rotations_turn_together),
    cmocka_unit_test(small_sets_are_solved_exactly),
    cmocka_unit_test(particles_go_out_and_in),
    cmocka_unit_test(points_are_rounded_where_they_are),
#if PL_SIMD_HAS_AVX2
    cmocka_unit_test(all_instruction_sets_give_the_same_bits),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
