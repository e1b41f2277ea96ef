// The inner loops: AVX2 and the plain machine give the same bits, the weights of a view are those of the scalar code,
// lengths are those of a dense solve in double precision.
// ctest: unit
#include "base/random.h"
#include "fixtures/rod_chains.h"
#include "rod/rod_kernels.h"

enum { N = 9, M = 10, E = 3, L = LANES };  // most joints, bars and examples of a chain here

// --- batches of eight random chains of one build

typedef struct topology {
  const char *name;
  int32_t joint_count, link_count;
  int32_t parents[N], links[2 * 2];
} topology;

static const topology TOPOLOGIES[] = {
    {"chain", 7, 0, {-1, 0, 1, 2, 3, 4, 5}, {0}},
    {"tree", 9, 0, {-1, 0, 1, 1, 0, 2, 3, 3, 6}, {0}},
    {"loops", 8, 2, {-1, 0, 1, 2, 3, 4, 5, 3}, {6, 1, 7, 0}},
};

typedef struct rig {
  pl_rod_joint joints[1 + L * N];
  pl_rod_link links[L * 2];
  pl_vec3 poses[E][1 + L * N];
  pl_rod_example examples[L * E];
  pl_rod_def def;
} rig;

static pl_vec3 random_vec3(pl_random *random, double size) {
  double x = pl_random_normal(random), y = pl_random_normal(random), z = pl_random_normal(random);
  return (pl_vec3){size * x, size * y, size * z};
}

static void random_chain(pl_random *random, const topology *t, const double *lengths, pl_vec3 root, pl_vec3 *to) {
  to[0] = root;
  for (int32_t i = 1; i < t->joint_count; ++i) {
    pl_vec3 d = pl_vec3_normalize_or(pl_vec3_add(random_vec3(random, 0.5), (pl_vec3){0, 1, 0}), (pl_vec3){0, 1, 0});
    to[i] = pl_vec3_add_scaled(to[t->parents[i]], d, lengths[i]);
  }
}

static pl_model *make_batch(pl_context *context, pl_random *random, const topology *t, int32_t chains, rig *r) {
  static const char *const names[E] = {"a", "b", "c"};
  *r = (rig){.def = pl_default_rod_def()};
  r->joints[0] = pl_default_rod_joint(-1);
  r->joints[0].kinematic = true;
  r->joints[0].rest.rotation = pl_quat_from_rotation_vector(random_vec3(random, 1));
  r->def.joint_count = 1;
  for (int32_t c = 0; c < chains; ++c) {
    int32_t first = r->def.joint_count;
    double lengths[N];
    pl_vec3 x[N], root = random_vec3(random, 0.1);
    for (int32_t i = 0; i < t->joint_count; ++i) lengths[i] = pl_random_between(random, 0.02, 0.1);
    random_chain(random, t, lengths, root, x);
    for (int32_t i = 0; i < t->joint_count; ++i) {
      pl_rod_joint *joint = &r->joints[first + i];
      *joint = pl_default_rod_joint(i == 0 ? 0 : first + t->parents[i]);
      joint->rest = (pl_transform){x[i], pl_quat_from_rotation_vector(random_vec3(random, 1))};
      joint->mass = pl_random_between(random, 0.001, 0.02);
      joint->radius = pl_random_between(random, 0.001, 0.01);
      joint->stiffness = pl_random_between(random, 0.1, 2);
      joint->max_angle = i % 3 == 2 ? pl_random_between(random, 0.1, 1) : 0;
      joint->pull = random_vec3(random, 1);
      joint->drag = pl_random_unit(random);
    }
    for (int32_t k = 0; k < t->link_count; ++k)
      r->links[r->def.link_count++] = (pl_rod_link){first + t->links[2 * k], first + t->links[2 * k + 1]};
    for (int32_t k = 0; k < 1 + c % E; ++k) {
      random_chain(random, t, lengths, root, r->poses[k] + first);
      r->examples[r->def.example_count++] = (pl_rod_example){.name = names[k],
                                                             .root = first,
                                                             .positions = r->poses[k],
                                                             .direction = random_vec3(random, 1),
                                                             .extent = pl_random_between(random, 0.1, 1.5)};
    }
    r->def.joint_count += t->joint_count;
  }
  r->def.joints = r->joints;
  r->def.links = r->links;
  r->def.examples = r->examples;
  r->def.tube_sides = 0;
  pl_error error = {0};
  pl_model *model = NULL;
  check_ok(pl_rod_build(context, &r->def, &model, &error), &error);
  assert_int_equal(pl_rod_get_report(model).batch_count, 1);
  return model;
}

// --- everything a kernel reads or writes, in one block that can be copied and compared

typedef struct bench {
  _Alignas(32) float positions[24 * N], velocities[24 * N], rotations[32 * N], spins[24 * N];
  _Alignas(32) float rest_positions[24 * N], rest_rotations[32 * N], matches[32 * N], weights[8 * E];
  _Alignas(32) float accelerations[24 * N], kept_by_drag[8 * N], pulls[8 * E];
  _Alignas(32) float new_rest_positions[24 * N], new_rest_rotations[32 * N];
  _Alignas(32) float out_positions[24 * N], out_rotations[32 * N];
  _Alignas(32) float work[8 * PL_ROD_WORK_ROWS(N, M, M *M)];
  _Alignas(32) double directions[3 * L];
  pl_rod_base base;
  bool is_finite;
} bench;

static void put_row3(float *to, int32_t i, int lane, pl_vec3 v) {
  to[24 * i + lane] = (float)v.x;
  to[24 * i + 8 + lane] = (float)v.y;
  to[24 * i + 16 + lane] = (float)v.z;
}
static pl_vec3 get_row3(const float *from, int32_t i, int lane) {
  return (pl_vec3){(double)from[24 * i + lane], (double)from[24 * i + 8 + lane], (double)from[24 * i + 16 + lane]};
}
static void put_row4(float *to, int32_t i, int lane, pl_quat q) {
  to[32 * i + lane] = (float)q.x;
  to[32 * i + 8 + lane] = (float)q.y;
  to[32 * i + 16 + lane] = (float)q.z;
  to[32 * i + 24 + lane] = (float)q.w;
}

static pl_quat random_turn(pl_random *random, double size) {
  return pl_quat_from_rotation_vector(random_vec3(random, size));
}

static void fill_bench(pl_random *random, const pl_rod_batch *batch, double noise, bench *b) {
  memset(b, 0, sizeof *b);
  for (int lane = 0; lane < L; ++lane) {
    double left = pl_random_unit(random);
    for (int32_t k = 0; k < batch->example_count; ++k) {
      double w = left * pl_random_unit(random);
      b->weights[8 * k + lane] = (float)w;
      left -= w;
    }
    pl_quat start = random_turn(random, 2), end = pl_quat_multiply(random_turn(random, 0.05), start);
    put_row4(b->base.start, 0, lane, start);
    put_row4(b->base.end, 0, lane, end);
    put_row3(b->base.shift, 0, lane, random_vec3(random, 0.01));
    put_row3(b->base.velocity, 0, lane, random_vec3(random, 1));
    put_row3(b->base.spin, 0, lane, random_vec3(random, 5));
    pl_vec3 direction = random_vec3(random, lane == 0 ? 0 : 2);
    b->directions[lane] = direction.x;
    b->directions[8 + lane] = direction.y;
    b->directions[16 + lane] = direction.z;
  }
  pl_rod_kernels_plain.blend(batch, b->weights, b->rest_positions, b->rest_rotations);
  float other[8 * E];
  for (int32_t k = 0; k < 8 * batch->example_count; ++k) other[k] = 0.9f * b->weights[k] + 0.02f;
  _Alignas(32) float aligned[8 * E];
  memcpy(aligned, other, sizeof aligned);
  pl_rod_kernels_plain.blend(batch, aligned, b->new_rest_positions, b->new_rest_rotations);
  for (int32_t i = 0; i < batch->plan->joint_count; ++i)
    for (int lane = 0; lane < L; ++lane) {
      pl_quat base = {(double)b->base.start[lane], (double)b->base.start[8 + lane], (double)b->base.start[16 + lane],
                      (double)b->base.start[24 + lane]};
      pl_vec3 x = pl_quat_rotate(base, get_row3(b->rest_positions, i, lane));
      put_row3(b->positions, i, lane, i == 0 ? x : pl_vec3_add(x, random_vec3(random, noise)));
      put_row3(b->velocities, i, lane, random_vec3(random, 1));
      put_row4(b->rotations, i, lane, random_turn(random, 1));
      put_row3(b->spins, i, lane, random_vec3(random, 10));
      put_row4(b->matches, i, lane, pl_quat_multiply(random_turn(random, 0.3), base));
      put_row3(b->accelerations, i, lane, random_vec3(random, 10));
      b->kept_by_drag[8 * i + lane] = (float)pl_random_unit(random);
      put_row3(b->out_positions, i, lane, i == 0 ? x : pl_vec3_add(x, random_vec3(random, 2 * noise)));
      put_row4(b->out_rotations, i, lane, random_turn(random, 1));
    }
}

static pl_rod_lanes lanes_of(bench *b) {
  return (pl_rod_lanes){.positions = b->positions,
                        .velocities = b->velocities,
                        .rotations = b->rotations,
                        .spins = b->spins,
                        .rest_positions = b->rest_positions,
                        .rest_rotations = b->rest_rotations,
                        .matches = b->matches,
                        .weights = b->weights};
}

static pl_rod_solve solve_of(const pl_rod_batch *batch, bench *b) {
  return (pl_rod_solve){.batch = batch,
                        .base = &b->base,
                        .from = lanes_of(b),
                        .rest_positions = b->rest_positions,
                        .rest_rotations = b->rest_rotations,
                        .matches = b->matches,
                        .accelerations = b->accelerations,
                        .step = 1.0f / 240,
                        .stiffness = 0.1f,
                        .kept = 0.99f,
                        .kept_by_drag = b->kept_by_drag,
                        .positions = b->out_positions,
                        .rotations = b->out_rotations,
                        .work = b->work};
}

// --- kernels by number, so that both sets run the same calls

enum { KERNELS = 10 };
static const char *const KERNEL_NAMES[KERNELS] = {"view",         "blend",  "transport", "blow",    "match",
                                                  "keep_lengths", "follow", "spring",    "project", "finish"};

static void run_kernel(const pl_rod_kernels *kernels, int which, const pl_rod_batch *batch, bench *b) {
  pl_rod_solve solve = solve_of(batch, b);
  pl_rod_lanes lanes = lanes_of(b);
  const float wind[3] = {3, -1, 2};
  switch (which) {
    case 0: kernels->view(batch, b->directions, b->weights); break;
    case 1: kernels->blend(batch, b->weights, b->out_positions, b->out_rotations); break;
    case 2: kernels->transport(batch, &lanes, b->new_rest_positions, b->new_rest_rotations); break;
    case 3: kernels->blow(batch, &lanes, wind, 0.6f, 1.0f / 240, b->accelerations); break;
    case 4: kernels->match(&solve); break;
    case 5: kernels->keep_lengths(&solve); break;
    case 6: kernels->follow(&solve); break;
    case 7: kernels->spring(&solve); break;
    case 8: kernels->project(batch, &lanes, b->base.start, b->pulls); break;
    default: b->is_finite = kernels->finish(&solve, b->new_rest_positions, b->new_rest_rotations, &lanes); break;
  }
}

static void both_instruction_sets_give_the_same_bits(void **state) {
  (void)state;
  // A new kernel must be added here.
  assert_int_equal(sizeof(pl_rod_kernels) / sizeof(void (*)(void)), KERNELS);
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) skip();
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(21);
  static rig r;
  static bench before, plain, wide;
  int differ = 0, changed[KERNELS] = {0};
  for (int n = 0; n < 60; ++n) {
    pl_model *model = make_batch(context, &random, &TOPOLOGIES[n % 3], n % 4 == 0 ? 3 : L, &r);
    const pl_rod_batch *batch = ((const pl_rod_model *)model)->batches;
    for (int which = 0; which < KERNELS; ++which) {
      // Small disturbances, large ones, and a number that is none.
      fill_bench(&random, batch, n % 2 == 0 ? 1e-4 : 0.02, &before);
      if (n % 10 == 9) before.out_positions[30] = before.velocities[40] = NAN;
      plain = before;
      wide = before;
      run_kernel(&pl_rod_kernels_plain, which, batch, &plain);
      run_kernel(&pl_rod_kernels_avx2, which, batch, &wide);
      memset(plain.work, 0, sizeof plain.work);
      memset(wide.work, 0, sizeof wide.work);
      changed[which] += memcmp(&plain, &before, sizeof before) != 0;
      if (memcmp(&plain, &wide, sizeof plain) == 0) continue;
      // Where both are no number the sign of it is nobody's business.
      const float *a = (const float *)&plain, *b = (const float *)&wide;
      for (size_t k = 0; k < offsetof(bench, work) / sizeof(float); ++k)
        if (a[k] != b[k] && !(isnan(a[k]) && isnan(b[k]))) {
          printf("%s: %.9g and %.9g\n", KERNEL_NAMES[which], (double)a[k], (double)b[k]);
          ++differ;
          break;
        }
      differ += plain.is_finite != wide.is_finite;
    }
    pl_model_destroy(model);
  }
  for (int which = 0; which < KERNELS; ++which) assert_true(changed[which] > 30);
  assert_int_equal(differ, 0);
  drop_context(context);
#else
  skip();
#endif
}

static void finish_tells_what_is_not_finite(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(22);
  static rig r;
  static bench b;
  pl_model *model = make_batch(context, &random, &TOPOLOGIES[0], L, &r);
  const pl_rod_batch *batch = ((const pl_rod_model *)model)->batches;
  const float bad[] = {NAN, INFINITY, -INFINITY};
  for (int n = 0; n < 200; ++n) {
    fill_bench(&random, batch, 0.01, &b);
    int32_t at = (int32_t)(pl_random_unit(&random) * 24 * batch->plan->joint_count);
    if (n % 5 == 1) b.out_positions[at] = bad[n % 3];
    if (n % 5 == 2) b.out_rotations[at] = bad[n % 3];
    if (n % 5 == 3) b.new_rest_positions[at] = bad[n % 3];
    if (n % 5 == 4) b.new_rest_rotations[at] = bad[n % 3];
    run_kernel(pl_rod_kernels_choose(), 9, batch, &b);
    assert_int_equal(b.is_finite, n % 5 == 0);
  }
  pl_model_destroy(model);
  drop_context(context);
}

// Algorithm 1 for eight chains at once against the scalar code, down to the smallest angles and extents.
static void views_are_weighed_as_by_the_scalar_code(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(23);
  static rig r;
  static bench b;
  double worst = 0;
  for (int n = 0; n < 30; ++n) {
    pl_model *model = make_batch(context, &random, &TOPOLOGIES[0], L, &r);
    const pl_rod_batch *batch = ((const pl_rod_model *)model)->batches;
    for (int m = 0; m < 40; ++m) {
      fill_bench(&random, batch, 0.01, &b);
      for (int lane = 0; lane < L; ++lane) {
        // At an example, hardly away from it, opposite, or anywhere; near or far.
        pl_vec3 d = batch->views[(size_t)lane * (size_t)batch->example_count].direction;
        double size = pow(10, pl_random_between(&random, -3, 6));
        if (m % 4 == 1) d = pl_vec3_add(d, random_vec3(&random, pow(10, pl_random_between(&random, -9, -1))));
        if (m % 4 == 2) d = pl_vec3_scale(d, -1);
        if (m % 4 == 3) d = random_vec3(&random, 1);
        b.directions[lane] = size * d.x;
        b.directions[8 + lane] = size * d.y;
        b.directions[16 + lane] = size * d.z;
      }
      run_kernel(pl_rod_kernels_choose(), 0, batch, &b);
      for (int lane = 0; lane < L; ++lane) {
        double want[E] = {0};
        pl_vec3 d = {b.directions[lane], b.directions[8 + lane], b.directions[16 + lane]};
        pl_view_weights(batch->view_counts[lane], batch->views + (size_t)lane * (size_t)batch->example_count, d, want);
        for (int32_t k = 0; k < batch->example_count; ++k)
          worst = fmax(worst, fabs((double)b.weights[8 * k + lane] - (k < batch->view_counts[lane] ? want[k] : 0)));
      }
    }
    pl_model_destroy(model);
  }
  printf("view: weights within %.1e of the scalar code's\n", worst);
  assert_true(worst < 1e-7);
  drop_context(context);
}

// --- lengths against a dense solve

// a x = b by elimination with pivoting; false if singular.
static bool solve_dense(int32_t n, double a[M][M], double *b) {
  for (int32_t k = 0; k < n; ++k) {
    int32_t pivot = k;
    for (int32_t i = k + 1; i < n; ++i)
      if (fabs(a[i][k]) > fabs(a[pivot][k])) pivot = i;
    if (fabs(a[pivot][k]) < 1e-12) return false;
    for (int32_t j = 0; j < n; ++j) {
      double swap = a[k][j];
      a[k][j] = a[pivot][j], a[pivot][j] = swap;
    }
    double swap = b[k];
    b[k] = b[pivot], b[pivot] = swap;
    for (int32_t i = k + 1; i < n; ++i) {
      double f = a[i][k] / a[k][k];
      for (int32_t j = k; j < n; ++j) a[i][j] -= f * a[k][j];
      b[i] -= f * b[k];
    }
  }
  for (int32_t k = n - 1; k >= 0; --k) {
    for (int32_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return true;
}

// The end x of a step that has all lengths and differs from where it was by pushes along the bars as they were at the
// start: x + M^-1 J_0^T lambda (SHAKE), by Newton.
static bool keep_by_hand(const pl_rod_batch *batch, int lane, const pl_vec3 *start, pl_vec3 *x) {
  const pl_rod_plan *plan = batch->plan;
  int32_t m = plan->constraint_count;
  pl_vec3 push[M];
  for (int32_t k = 0; k < m; ++k)
    push[k] = pl_vec3_normalize_or(pl_vec3_sub(start[plan->constraints[2 * k + 1]], start[plan->constraints[2 * k]]),
                                   (pl_vec3){1, 0, 0});
  for (int round = 0; round < 30; ++round) {
    double a[M][M] = {{0}}, error[M], worst = 0;
    for (int32_t i = 0; i < m; ++i) {
      pl_vec3 e = pl_vec3_sub(x[plan->constraints[2 * i + 1]], x[plan->constraints[2 * i]]);
      error[i] = pl_vec3_length(e) - (double)batch->lengths[8 * i + lane];
      worst = fmax(worst, fabs(error[i]));
      for (int32_t j = 0; j < m; ++j)
        for (int p = 0; p < 2; ++p)
          for (int q = 0; q < 2; ++q)
            if (plan->constraints[2 * i + p] == plan->constraints[2 * j + q])
              a[i][j] += (p == q ? 1 : -1) * (double)batch->inverse_masses[8 * plan->constraints[2 * i + p] + lane] *
                         pl_vec3_dot(e, push[j]) / pl_vec3_length(e);
    }
    if (worst < 1e-13) return true;
    if (!solve_dense(m, a, error)) return false;
    for (int32_t k = 0; k < m; ++k)
      for (int end = 0; end < 2; ++end) {
        int32_t i = plan->constraints[2 * k + end];
        x[i] = pl_vec3_add_scaled(x[i], push[k],
                                  (end == 0 ? 1 : -1) * error[k] * (double)batch->inverse_masses[8 * i + lane]);
      }
  }
  return false;
}

static void lengths_are_those_of_a_dense_solve(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(24);
  static rig r;
  static bench b;
  for (int t = 0; t < 3; ++t) {
    double worst = 0, longest = 0, moved = 0;
    int compared = 0;
    for (int n = 0; n < 40; ++n) {
      pl_model *model = make_batch(context, &random, &TOPOLOGIES[t], L, &r);
      const pl_rod_batch *batch = ((const pl_rod_model *)model)->batches;
      // The start is the rest pose itself, so that links have their lengths too; the end is off by about a hundredth of
      // a segment.
      fill_bench(&random, batch, 0, &b);
      memset(b.weights, 0, sizeof b.weights);
      pl_rod_kernels_plain.blend(batch, b.weights, b.positions, b.rest_rotations);
      pl_vec3 start[L][N], end[L][N];
      for (int lane = 0; lane < L; ++lane)
        for (int32_t i = 0; i < batch->plan->joint_count; ++i) {
          start[lane][i] = get_row3(b.positions, i, lane);
          put_row3(b.out_positions, i, lane,
                   i == 0 ? start[lane][i] : pl_vec3_add(start[lane][i], random_vec3(&random, 0.0005)));
          end[lane][i] = get_row3(b.out_positions, i, lane);
        }
      run_kernel(pl_rod_kernels_choose(), 5, batch, &b);
      for (int lane = 0; lane < L; ++lane) {
        for (int32_t k = 0; k < batch->plan->constraint_count; ++k) {
          pl_vec3 e = pl_vec3_sub(get_row3(b.out_positions, batch->plan->constraints[2 * k + 1], lane),
                                  get_row3(b.out_positions, batch->plan->constraints[2 * k], lane));
          longest = fmax(longest, fabs(pl_vec3_length(e) / (double)batch->lengths[8 * k + lane] - 1));
        }
        pl_vec3 before[N];
        memcpy(before, end[lane], sizeof before);
        if (!keep_by_hand(batch, lane, start[lane], end[lane])) continue;
        ++compared;
        for (int32_t i = 0; i < batch->plan->joint_count; ++i) {
          worst = fmax(worst, pl_vec3_distance(get_row3(b.out_positions, i, lane), end[lane][i]));
          moved = fmax(moved, pl_vec3_distance(before[i], end[lane][i]));
        }
      }
      pl_model_destroy(model);
    }
    printf(
        "%s: %d of 320 have a solution; within %.1e m of it after corrections of up to %.1e m, lengths within %.1e\n",
        TOPOLOGIES[t].name, compared, worst, moved, longest);
    assert_true(compared > 300 && worst < 1e-5 && longest < 1e-4 && moved > 1e-3);
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_instruction_sets_give_the_same_bits),
      cmocka_unit_test(finish_tells_what_is_not_finite),
      cmocka_unit_test(views_are_weighed_as_by_the_scalar_code),
      cmocka_unit_test(lengths_are_those_of_a_dense_solve),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
