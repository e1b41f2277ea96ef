// Plans of chains, trees and loops: neighbourhoods against all distances by brute force, the list of eliminations
// against a dense factorisation.
// ctest: unit
#include "base/arena.h"
#include "base/random.h"
#include "fixtures/rod_chains.h"
#include "rod/rod_model.h"

enum { N = 24, LINKS = 6, M = N + LINKS };

typedef struct net {
  int32_t joint_count, link_count;
  int32_t parents[N], links[2 * LINKS];
} net;

// A chain, a random tree (parents first), or one of them with random links, also next to segments and twice between the
// same joints.
static net random_net(pl_random *random, bool straight, int32_t link_count) {
  net t = {.joint_count = 2 + (int32_t)(pl_random_unit(random) * (N - 2)), .link_count = link_count};
  t.parents[0] = -1;
  for (int32_t i = 1; i < t.joint_count; ++i) t.parents[i] = straight ? i - 1 : (int32_t)(pl_random_unit(random) * i);
  if (t.joint_count < 3) t.link_count = 0;
  for (int32_t k = 0; k < t.link_count; ++k) {
    int32_t a = (int32_t)(pl_random_unit(random) * t.joint_count), b;
    do b = (int32_t)(pl_random_unit(random) * t.joint_count);
    while (b == a);
    t.links[2 * k] = a;
    t.links[2 * k + 1] = b;
  }
  return t;
}

static void regions_are_all_joints_within_the_width(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(31);
  int anchored_count = 0;
  for (int n = 0; n < 300; ++n) {
    net t = random_net(&random, n % 3 == 0, n % 2 == 0 ? 0 : n % (LINKS + 1));
    int32_t width = n % 50 == 49 ? 250 : 1 + n % 7;
    pl_arena arena;
    pl_arena_init(&arena, context, 0);
    pl_rod_plan plan;
    assert_true(pl_rod_plan_build(context, &arena, t.joint_count, t.parents, t.link_count, t.links, width, &plan));
    int distances[N][N];
    for (int32_t i = 0; i < t.joint_count; ++i)
      for (int32_t j = 0; j < t.joint_count; ++j) distances[i][j] = i == j ? 0 : 1000;
    for (int32_t i = 1; i < t.joint_count; ++i) distances[i][t.parents[i]] = distances[t.parents[i]][i] = 1;
    for (int32_t k = 0; k < t.link_count; ++k)
      distances[t.links[2 * k]][t.links[2 * k + 1]] = distances[t.links[2 * k + 1]][t.links[2 * k]] = 1;
    for (int32_t k = 0; k < t.joint_count; ++k)
      for (int32_t i = 0; i < t.joint_count; ++i)
        for (int32_t j = 0; j < t.joint_count; ++j)
          if (distances[i][k] + distances[k][j] < distances[i][j]) distances[i][j] = distances[i][k] + distances[k][j];
    for (int32_t r = 0; r < t.joint_count; ++r) {
      int32_t at = plan.region_start[r];
      for (int32_t i = 0; i < t.joint_count; ++i)
        if (distances[r][i] <= width) assert_int_equal(plan.region_joints[at++], i);
      assert_int_equal(at, plan.region_start[r + 1]);
      assert_int_equal(plan.anchored[r], distances[r][0] <= width);
      anchored_count += plan.anchored[r];
    }
    pl_arena_destroy(&arena);
  }
  assert_true(anchored_count > 300);
  drop_context(context);
}

// What the plan's lists make of a matrix, as the kernel runs them: D in `diagonal`, L below it.
static void factor_by_plan(const pl_rod_plan *plan, const pl_vec3 *directions, const double *inverse_masses,
                           double *diagonal, double *entries) {
  int32_t m = plan->constraint_count;
  for (int32_t k = 0; k < m; ++k) {
    const int32_t *constraint = plan->constraints + 2 * plan->constraint_of[k];
    diagonal[k] = inverse_masses[constraint[0]] + inverse_masses[constraint[1]];
  }
  for (int32_t e = 0; e < plan->column_start[m]; ++e) entries[e] = 0;
  for (int32_t c = 0; c < plan->coupling_count; ++c) {
    const int32_t *coupling = plan->couplings + 4 * c;
    entries[coupling[0]] += inverse_masses[coupling[3]] *
                            pl_vec3_dot(directions[coupling[1]], directions[coupling[2]]) *
                            (double)plan->coupling_signs[c];
  }
  int32_t update = 0;
  for (int32_t k = 0; k < m; ++k) {
    for (; update < plan->update_count && plan->updates[4 * update + 3] == k; ++update) {
      const int32_t *u = plan->updates + 4 * update;
      double value = entries[u[1]] * entries[u[2]] / diagonal[k];
      if (u[0] < 0)
        diagonal[-1 - u[0]] -= value;
      else
        entries[u[0]] -= value;
    }
    for (int32_t e = plan->column_start[k]; e < plan->column_start[k + 1]; ++e) entries[e] /= diagonal[k];
  }
  assert_int_equal(update, plan->update_count);
}

// J M^-1 J^T in order of elimination, from the bars themselves, and its factors L D L^T in place.
static void factor_densely(const pl_rod_plan *plan, const pl_vec3 *directions, const double *inverse_masses,
                           double a[M][M]) {
  int32_t m = plan->constraint_count;
  for (int32_t i = 0; i < m; ++i)
    for (int32_t j = 0; j < m; ++j) {
      int32_t bi = plan->constraint_of[i], bj = plan->constraint_of[j];
      a[i][j] = 0;
      for (int p = 0; p < 2; ++p)
        for (int q = 0; q < 2; ++q)
          if (plan->constraints[2 * bi + p] == plan->constraints[2 * bj + q])
            a[i][j] += (p == q ? 1 : -1) * inverse_masses[plan->constraints[2 * bi + p]] *
                       pl_vec3_dot(directions[bi], directions[bj]);
    }
  for (int32_t k = 0; k < m; ++k)
    for (int32_t i = k + 1; i < m; ++i) {
      double f = a[i][k] / a[k][k];
      for (int32_t j = k + 1; j < m; ++j) a[i][j] -= f * a[k][j];
      a[i][k] = f;
    }
}

static void eliminations_are_those_of_a_dense_factorisation(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(32);
  double worst = 0;
  int fill = 0, compared = 0;
  for (int n = 0; n < 300; ++n) {
    net t = random_net(&random, n % 3 == 0, n % 2 == 0 ? 0 : n % (LINKS + 1));
    pl_arena arena;
    pl_arena_init(&arena, context, 0);
    pl_rod_plan plan;
    assert_true(pl_rod_plan_build(context, &arena, t.joint_count, t.parents, t.link_count, t.links, 2, &plan));
    int32_t m = plan.constraint_count, entry_count = plan.column_start[m];
    assert_int_equal(m, t.joint_count - 1 + t.link_count);
    // Every bar is eliminated once; segments hang as the parents say.
    int seen[M] = {0};
    for (int32_t k = 0; k < m; ++k) seen[plan.constraint_of[k]]++;
    for (int32_t k = 0; k < m; ++k) assert_int_equal(seen[k], 1);
    for (int32_t i = 1; i < t.joint_count; ++i)
      assert_true(plan.constraints[2 * (i - 1)] == t.parents[i] && plan.constraints[2 * i - 1] == i);
    pl_vec3 directions[M];
    double inverse_masses[N] = {0}, diagonal[M], *entries = malloc(sizeof(double) * (size_t)(entry_count + 1)), a[M][M];
    for (int32_t k = 0; k < m; ++k) {
      pl_vec3 d = {pl_random_normal(&random), pl_random_normal(&random), pl_random_normal(&random)};
      directions[k] = pl_vec3_normalize_or(d, (pl_vec3){1, 0, 0});
    }
    // The root does not move. Two links next to each other, or too many between few joints, make the matrix singular;
    // those nets are left out.
    for (int32_t i = 1; i < t.joint_count; ++i) inverse_masses[i] = pl_random_between(&random, 0.1, 10);
    factor_by_plan(&plan, directions, inverse_masses, diagonal, entries);
    factor_densely(&plan, directions, inverse_masses, a);
    bool regular = true;
    for (int32_t k = 0; k < m; ++k) regular = regular && a[k][k] > 1e-6;
    compared += regular;
    for (int32_t column = 0; regular && column < m; ++column) {
      worst = fmax(worst, fabs(diagonal[column] / a[column][column] - 1));
      int32_t e = plan.column_start[column];
      for (int32_t row = column + 1; row < m; ++row) {
        bool stored = e < plan.column_start[column + 1] && plan.rows[e] == row;
        worst = fmax(worst, fabs((stored ? entries[e] : 0) - a[row][column]));
        e += stored;
      }
      assert_int_equal(e, plan.column_start[column + 1]);
    }
    // A tree fills nothing in: as many entries as pairs of bars that share a joint, and those are the couplings.
    if (t.link_count == 0) assert_int_equal(plan.coupling_count, entry_count);
    fill += t.link_count > 0 && entry_count > plan.coupling_count;
    free(entries);
    pl_arena_destroy(&arena);
  }
  printf("%d nets: factors within %.1e of dense ones; %d with fill\n", compared, worst, fill);
  assert_true(worst < 1e-8 && fill > 20 && compared > 250);
  drop_context(context);
}

static void plans_survive_running_out_of_memory(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_random random = pl_random_of_seed(33);
  net t = random_net(&random, false, 5);
  int64_t n = 1;
  for (;; ++n) {
    int64_t live = allocator.live_count;
    allocator.call_count = 0;
    allocator.fail_at = n;
    pl_arena arena;
    pl_arena_init(&arena, context, 0);
    pl_rod_plan plan;
    bool done = pl_rod_plan_build(context, &arena, t.joint_count, t.parents, t.link_count, t.links, 2, &plan);
    pl_arena_destroy(&arena);
    assert_int_equal(allocator.live_count, live);
    if (done) break;
  }
  assert_true(n > 4);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(regions_are_all_joints_within_the_width),
      cmocka_unit_test(eliminations_are_those_of_a_dense_factorisation),
      cmocka_unit_test(plans_survive_running_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
