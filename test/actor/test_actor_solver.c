// The optimisation of single steps: what it leaves alone, what it reaches, and that its answers are minima.
// ctest: unit
#include "actor/actor_tiles.h"
#include "fixtures/actor_world.h"

static void step(actor_fixture *s, int32_t count) {
  pl_error error = {0};
  for (int32_t i = 0; i < count; ++i)
    if (pl_world_step(s->world, NULL, &error) < 0) fail_msg("%s", error.text);
}

static void get_positions(const actor_fixture *s, pl_vec3 *positions) {
  assert_int_equal(pl_body_get_positions(s->world, s->body, positions), PL_OK);
}

// --- nothing asked for ----------------------------------------------------------------------------------------------

static pl_status run_without_rows(actor_fixture *s, pl_fem_choice *choice, pl_error *error) {
  return fixture_run(s, choice, error);
}

static pl_status run_without_weight(actor_fixture *s, pl_fem_choice *choice, pl_error *error) {
  fixture_add_center(s, choice, 0, 3, 0);
  fixture_add_center(s, choice, 1, 3, 0);
  return fixture_run(s, choice, error);
}

static void test_steps_without_goals_are_passive_ones_to_the_bit(void **state) {
  (void)state;
  fixture_probe *const probes[2] = {run_without_rows, run_without_weight};
  for (int k = 0; k < 2; ++k) {
    actor_fixture *a = make_case(&FIXTURE_CASES[0], true, 0.01, 0.1),
                  *b = make_case(&FIXTURE_CASES[0], true, 0.01, 0.1);
    size_t count = (size_t)a->model->particle_count;
    pl_vec3 *x = calloc(count, sizeof *x), *y = calloc(count, sizeof *y);
    a->probe = probes[k];
    step(a, 12);
    step(b, 12);
    get_positions(a, x);
    get_positions(b, y);
    assert_memory_equal(x, y, count * sizeof *x);
    assert_true(a->outcome.converged);
    assert_int_equal(a->outcome.iteration_count, 0);
    for (int32_t j = 0; j < a->P; ++j) assert_true(a->p[j] == 0);
    free(x), free(y);
    drop_fixture(a);
    drop_fixture(b);
  }
}

// Goals too weak to matter: the search runs, with friction of its own points, and the body falls, lands and slides as
// the passive one does: search, step and passive bodies have one friction. What differs is what its caps may be off by.
static pl_status ask_faintly(actor_fixture *s, pl_fem_choice *choice, pl_error *error) {
  fixture_add_center(s, choice, 0, 1, 1e-9);
  fixture_add_center(s, choice, 1, 1, 1e-9);
  return fixture_run(s, choice, error);
}

static void test_faint_goals_leave_landing_and_friction_as_they_are(void **state) {
  (void)state;
  for (int32_t k = 0; k < FIXTURE_CASE_COUNT; ++k) {
    actor_fixture *a = make_case(&FIXTURE_CASES[k], true, 0.01, 0.1),
                  *b = make_case(&FIXTURE_CASES[k], true, 0.01, 0.1);
    size_t count = (size_t)a->model->particle_count;
    pl_vec3 *x = calloc(count, sizeof *x), *y = calloc(count, sizeof *y);
    get_positions(a, x);
    for (size_t i = 0; i < count; ++i) y[i] = pl_vec3_of(0.5, 0, 0);
    assert_int_equal(pl_body_set_state(a->world, a->body, x, y, NULL), PL_OK);
    assert_int_equal(pl_body_set_state(b->world, b->body, x, y, NULL), PL_OK);
    a->probe = ask_faintly;
    step(a, 30);
    step(b, 30);
    get_positions(a, x);
    get_positions(b, y);
    double max = 0;
    for (size_t i = 0; i < count; ++i) max = fmax(max, pl_vec3_distance(x[i], y[i]));
    if (!(max <= 1e-6)) fail_msg("%s: %g m apart", FIXTURE_CASES[k].name, max);
    free(x), free(y);
    drop_fixture(a);
    drop_fixture(b);
  }
}

// --- flight ---------------------------------------------------------------------------------------------------------

static pl_status ask_center(actor_fixture *s, pl_fem_choice *choice, pl_error *error) {
  fixture_add_center(s, choice, 0, 1, 1);
  fixture_add_center(s, choice, 1, 2, 1);
  return fixture_run(s, choice, error);
}

static void test_in_flight_the_centre_of_mass_is_out_of_reach_and_the_rest_shape_stays(void **state) {
  (void)state;
  for (int32_t k = 0; k < FIXTURE_CASE_COUNT; ++k) {
    actor_fixture *s = make_case(&FIXTURE_CASES[k], false, 1, 0.1);
    s->probe = ask_center;
    step(s, 3);
    double scale = FIXTURE_CASES[k].rest == PL_REST_CAGE || FIXTURE_CASES[k].rest == PL_REST_FREE
                       ? fixture_fem(s)->element_size
                       : 1;
    for (int32_t j = 0; j < s->P; ++j) check_at_most(fabs(s->p[j]), 1e-8 * scale);
    pl_vec3 v = fixture_center_velocity(s);
    check_near(v.x, 0, 1e-9);
    check_near(v.y, -9.81 * 0.03, 1e-9);
    drop_fixture(s);
  }
}

// --- goals ----------------------------------------------------------------------------------------------------------

static pl_status ask_bend(actor_fixture *s, pl_fem_choice *choice, pl_error *error) {
  // Two points of the body against each other: internal forces can do that.
  const int32_t slots[2] = {3 * (s->model->particle_count - 1), 0};
  const double weights[2] = {1, -1};
  double now = choice->state.positions[slots[0]] - choice->state.positions[slots[1]], h = choice->move->step;
  fixture_add_row(s, choice, 2, slots, weights, 1 / h, now + h * 0.02);
  return fixture_run(s, choice, error);
}

static void test_goals_within_reach_are_reached(void **state) {
  (void)state;
  for (int32_t k = 0; k < FIXTURE_CASE_COUNT; ++k)
    for (int exact = 0; exact < 2; ++exact) {
      actor_fixture *s = make_case(&FIXTURE_CASES[k], false, 1, 1e-6);
      s->probe = ask_bend;
      s->settings.hessian = exact ? PL_ACTOR_EXACT : PL_ACTOR_GAUSS_NEWTON;
      s->settings.tolerance = 1e-4;
      step(s, 1);
      if (!(s->outcome.goal_square < 1e-8) || s->outcome.residual > 1e-4)
        fail_msg("%s: goals off by %g, residual %g, stationary %g after %d", FIXTURE_CASES[k].name,
                 sqrt(s->outcome.goal_square), s->outcome.residual, s->outcome.stationary, s->outcome.iteration_count);
      drop_fixture(s);
    }
}

static pl_status ask_rise(actor_fixture *s, pl_fem_choice *choice, pl_error *error) {
  double *passive = s->data;
  fixture_add_center(s, choice, 1, 0.05, 1);
  s->settings = (pl_actor_settings){PL_ACTOR_GAUSS_NEWTON, 0, 1e-3, 0};
  check_ok(fixture_run(s, choice, error), error);
  *passive = sqrt(s->outcome.goal_square);
  s->settings.max_iterations = 30;
  return fixture_run(s, choice, error);
}

static void test_a_body_on_the_ground_rises_as_asked(void **state) {
  (void)state;
  for (int32_t k = 0; k < FIXTURE_CASE_COUNT; ++k) {
    actor_fixture *s = make_case_with(&FIXTURE_CASES[k], true, 0.0005, 0.01, 0.5, 0.01);
    double passive = 0;
    step(s, 20);
    s->data = &passive;
    s->probe = ask_rise;
    step(s, 1);
    double left = sqrt(s->outcome.goal_square);
    if (!(left < 0.8 * passive)) fail_msg("%s: %g m/s left, %g without", FIXTURE_CASES[k].name, left, passive);
    drop_fixture(s);
  }
}

// --- minima ---------------------------------------------------------------------------------------------------------

typedef struct minimum {
  int32_t checked;
  pl_actor_hessian hessian;
} minimum;

// Solve c = 0 for given p, from u; the objective there.
static double objective_at(actor_fixture *s, pl_fem_choice *choice, const double *p, double *u) {
  pl_error error = {0};
  pl_actor_shape_use(s->solver, choice, p);
  double *kept = choice->work->next;
  choice->work->next = u;
  check_ok(pl_actor_settle(s->solver, choice, 30, 1e-13, &error), &error);
  pl_fem_potential_evaluate(&choice->work->potential, u, false, false);
  check_at_most(pl_fem_potential_residual(&choice->work->potential), 1e-9 * choice->work->potential.size);
  choice->work->next = kept;
  return pl_actor_goals_measure(&s->rows, u, NULL) + pl_rest_space_regularise(s->space, p, s->last, NULL, NULL);
}

static pl_status check_minimum(actor_fixture *s, pl_fem_choice *choice, pl_error *error) {
  minimum *m = s->data;
  fixture_add_center(s, choice, 0, 0.1, 1);
  fixture_add_center(s, choice, 1, 0.1, 1);
  fixture_add_point(s, choice, s->model->particle_count - 1, 0, 0.2, 0.5);
  s->settings = (pl_actor_settings){m->hessian, 200, 1e-6, 0};
  check_ok(fixture_run(s, choice, error), error);
  if (!s->outcome.converged)
    fail_msg("stationary %g, residual %g after %d, last %g", s->outcome.stationary, s->outcome.residual,
             s->outcome.iteration_count, s->outcome.min_step);
  size_t n = (size_t)s->n, P = (size_t)s->P;
  double *u = calloc(n, sizeof *u), *p = calloc(P, sizeof *p), scale = 1e-5 * fixture_fem(s)->element_size;
  choice->work->potential.hold = true;
  memcpy(u, choice->work->next, n * sizeof(double));
  double min = objective_at(s, choice, s->p, u);
  uint64_t seed = 11;
  for (int32_t k = 0; k < 6; ++k) {
    double sides[2];
    double *way = calloc(P, sizeof *way);
    for (size_t j = 0; j < P; ++j) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      way[j] = k < 3 ? (double)(seed >> 11) / 4503599627370496.0 - 1 : (double)(j == (size_t)k * 7 % P);
    }
    for (int side = 0; side < 2; ++side) {
      for (size_t j = 0; j < P; ++j) p[j] = s->p[j] + (side == 0 ? scale : -scale) * way[j];
      memcpy(u, choice->work->next, n * sizeof(double));
      sides[side] = objective_at(s, choice, p, u);
      check_at_most(min, sides[side] + 1e-10 * min);
    }
    // And the objective does rise: the slope is small against what curves it.
    assert_true(sides[0] + sides[1] > 2 * min || fabs(sides[0] - sides[1]) < 1e-9 * min);
    free(way);
  }
  choice->work->potential.hold = false;
  pl_actor_shape_use(s->solver, choice, s->p);
  free(u), free(p);
  m->checked++;
  return PL_OK;
}

// Without friction, whose caps are not part of the derivatives, and without damping, which is not part of the exact
// ones.
static void test_what_it_ends_at_is_a_minimum_along_the_equations_of_motion(void **state) {
  (void)state;
  for (int exact = 0; exact < 2; ++exact)
    for (int32_t k = exact; k < FIXTURE_CASE_COUNT; k += 1 + exact) {
      minimum m = {0, exact ? PL_ACTOR_EXACT : PL_ACTOR_GAUSS_NEWTON};
      actor_fixture *s = make_smooth_case(&FIXTURE_CASES[k], 1);
      step(s, 10);
      s->data = &m;
      s->probe = check_minimum;
      step(s, 1);
      assert_int_equal(m.checked, 1);
      drop_fixture(s);
    }
}

static pl_status check_multipliers(actor_fixture *s, pl_fem_choice *choice, pl_error *error) {
  fixture_add_center(s, choice, 1, 0.1, 1);
  s->settings = (pl_actor_settings){PL_ACTOR_GAUSS_NEWTON, 200, 1e-8, 0};
  check_ok(fixture_run(s, choice, error), error);
  assert_true(s->outcome.converged);
  size_t n = (size_t)s->n;
  double *image = calloc(n, sizeof *image), max = 0, off = 0;
  pl_fem_work *w = choice->work;
  pl_fem_potential_evaluate(&w->potential, w->next, true, false);
  pl_block_matrix_multiply(s->context, w->potential.matrix, s->lambda, image);
  double goal = -s->rows.targets[0];
  for (int32_t i = 0; i < s->rows.start[1]; ++i) goal += s->rows.weights[i] * w->next[s->rows.slots[i]];
  for (int32_t i = 0; i < s->rows.start[1]; ++i) {
    double wanted = -goal * s->rows.weights[i];
    max = fmax(max, fabs(wanted));
    off = fmax(off, fabs(image[s->rows.slots[i]] - wanted));
  }
  check_at_most(off, 1e-4 * max);
  free(image);
  return PL_OK;
}

static void test_multipliers_are_those_of_the_solution(void **state) {
  (void)state;
  actor_fixture *s = make_smooth_case(&FIXTURE_CASES[2], 1);
  step(s, 10);
  s->probe = check_multipliers;
  step(s, 1);
  drop_fixture(s);
}

// --- the search -----------------------------------------------------------------------------------------------------

static double merit_now(actor_fixture *s, pl_fem_choice *choice) {
  pl_fem_potential *potential = &choice->work->potential;
  pl_fem_potential_evaluate(potential, choice->work->next, false, false);
  double forces = 0;
  for (int32_t i = 0; i < s->n; ++i) forces += fabs(potential->gradient[i]);
  return pl_actor_goals_measure(&s->rows, choice->work->next, NULL) +
         pl_rest_space_regularise(s->space, s->p, s->last, NULL, NULL) + s->solver->merit_weight * forces;
}

static pl_status watch_merit(actor_fixture *s, pl_fem_choice *choice, pl_error *error) {
  int32_t *accepted = s->data;
  fixture_add_center(s, choice, 0, 0.2, 1);
  fixture_add_center(s, choice, 1, 0.3, 1);
  s->solver->merit_weight = s->solver->damping = 0;
  pl_actor_shape_use(s->solver, choice, s->p);
  check_ok(pl_actor_settle(s->solver, choice, 6, 0.1, error), error);
  for (int32_t i = 0; i < 8; ++i) {
    pl_actor_memory_clear(s->solver);
    check_ok(pl_actor_get_point_view(s->solver, choice, &s->rows, s->last, s->p, error), error);
    check_ok(pl_actor_step_find(s->solver, PL_ACTOR_GAUSS_NEWTON, choice, &s->rows, s->p, s->lambda, error), error);
    double length = 0, weight = s->solver->merit_weight;
    double *u = calloc((size_t)s->n, sizeof *u), *p = calloc((size_t)s->P, sizeof *p);
    memcpy(u, choice->work->next, (size_t)s->n * sizeof(double));
    memcpy(p, s->p, (size_t)s->P * sizeof(double));
    check_ok(pl_actor_line_search(s->solver, choice, &s->rows, s->last, s->p, s->lambda, &length, error), error);
    assert_true(s->solver->merit_weight >= weight);
    double after = merit_now(s, choice);
    double *end = calloc((size_t)s->n, sizeof *end), *found = calloc((size_t)s->P, sizeof *found);
    memcpy(end, choice->work->next, (size_t)s->n * sizeof(double));
    memcpy(found, s->p, (size_t)s->P * sizeof(double));
    memcpy(choice->work->next, u, (size_t)s->n * sizeof(double));
    memcpy(s->p, p, (size_t)s->P * sizeof(double));
    pl_actor_shape_use(s->solver, choice, s->p);
    double before = merit_now(s, choice);
    if (length > 0) {
      check_at_most(after, before * (1 + 1e-12));
      ++*accepted;
    } else {
      // Nothing was found: all is as before.
      assert_memory_equal(end, u, (size_t)s->n * sizeof(double));
      assert_memory_equal(found, p, (size_t)s->P * sizeof(double));
    }
    memcpy(choice->work->next, end, (size_t)s->n * sizeof(double));
    memcpy(s->p, found, (size_t)s->P * sizeof(double));
    pl_actor_shape_use(s->solver, choice, s->p);
    free(u), free(p), free(end), free(found);
  }
  return PL_OK;
}

static void test_every_step_taken_lowers_the_merit(void **state) {
  (void)state;
  for (int32_t k = 0; k < FIXTURE_CASE_COUNT; ++k) {
    actor_fixture *s = make_case(&FIXTURE_CASES[k], true, 0.0005, 0.1);
    int32_t accepted = 0;
    step(s, 20);
    s->data = &accepted;
    s->probe = watch_merit;
    step(s, 1);
    assert_true(accepted >= 3);
    drop_fixture(s);
  }
}

// --- contact --------------------------------------------------------------------------------------------------------

typedef struct contact_tally {
  int32_t finished, learnt;
  double worst;  // of the secant equation, relative
} contact_tally;

// What was learnt last holds exactly: K⁻¹ y = s for the last pair.
static void check_secant(const actor_fixture *s, contact_tally *tally) {
  const pl_actor_solver *solver = s->solver;
  if (solver->memory_count == 0) return;
  size_t P = (size_t)s->P, at = (size_t)(solver->memory_count - 1) * P;
  double *x = calloc(P, sizeof *x), off = 0, size = 0;
  memcpy(x, solver->memory_g + at, P * sizeof(double));
  pl_actor_memory_solve(solver, x);
  for (size_t j = 0; j < P; ++j) {
    off += (x[j] - solver->memory_p[at + j]) * (x[j] - solver->memory_p[at + j]);
    size += solver->memory_p[at + j] * solver->memory_p[at + j];
  }
  tally->worst = fmax(tally->worst, sqrt(off / size));
  tally->learnt++;
  free(x);
}

// Pushed forwards harder than friction allows, and up: points stick, slip and lift.
static pl_status push_off(actor_fixture *s, pl_fem_choice *choice, pl_error *error) {
  contact_tally *tally = s->data;
  fixture_add_center(s, choice, 0, 0.5, 1);
  fixture_add_center(s, choice, 1, 0.2, 1);
  s->settings = (pl_actor_settings){PL_ACTOR_GAUSS_NEWTON, 40, 1e-2, 0};
  pl_status status = fixture_run(s, choice, error);
  tally->finished += s->outcome.converged;
  check_secant(s, tally);
  return status;
}

static void test_searches_finish_where_points_stick_slip_and_lift(void **state) {
  (void)state;
  contact_tally tally = {0, 0, 0};
  int32_t count = 0;
  for (int32_t k = 0; k < FIXTURE_CASE_COUNT; ++k) {
    actor_fixture *s = make_case(&FIXTURE_CASES[k], true, 0.0005, 0.1);
    step(s, 10);
    s->data = &tally;
    s->probe = push_off;
    step(s, 20);
    count += 20;
    drop_fixture(s);
  }
  if (tally.finished < 0.95 * count) fail_msg("%d of %d searches finished", tally.finished, count);
  assert_true(tally.learnt >= count / 10);  // or nothing was shown
  check_at_most(tally.worst, 1e-8);
}

// --- the factor -----------------------------------------------------------------------------------------------------

// Against products with the matrix, for shapes whose factors differ, and with a number of right-hand sides that fours
// do not divide.
static pl_status check_factor(actor_fixture *s, pl_fem_choice *choice, pl_error *error) {
  enum { COUNT = 6 };
  pl_fem_work *w = choice->work;
  size_t n = (size_t)s->n;
  double *rhs = calloc(COUNT * n, sizeof *rhs), *x = calloc(COUNT * n, sizeof *x), *image = calloc(n, sizeof *image),
         shift = 1;
  pl_fem_potential_evaluate(&w->potential, w->next, true, false);
  for (size_t i = 0; i < COUNT * n; ++i) rhs[i] = sin(1.7 * (double)i);
  check_ok(pl_actor_factor_run(s->solver->factor, w->potential.matrix, &shift, error), error);
  check_ok(pl_actor_factor_solve(s->solver->factor, rhs, COUNT, x, error), error);
  assert_true(shift == 0);
  for (int k = 0; k < COUNT; ++k) {
    pl_block_matrix_multiply(s->context, w->potential.matrix, x + (size_t)k * n, image);
    for (size_t i = 0; i < n; ++i) check_near(image[i], rhs[(size_t)k * n + i], 1e-10);
  }
  // Minus the matrix is as indefinite as can be: the shift makes it positive, and is reported.
  for (int32_t i = 0; i < 9 * fixture_fem(s)->pattern.block_count; ++i) w->potential.matrix->values[i] *= -1;
  check_ok(pl_actor_factor_run(s->solver->factor, w->potential.matrix, &shift, error), error);
  assert_true(shift >= 1);
  free(rhs), free(x), free(image);
  return PL_OK;
}

static void test_factor_solves_with_the_matrix(void **state) {
  (void)state;
  for (int32_t k = 0; k < FIXTURE_CASE_COUNT; ++k) {
    actor_fixture *s = make_case(&FIXTURE_CASES[k], true, -0.002, 1);
    s->probe = check_factor;
    step(s, 2);
    drop_fixture(s);
  }
}

// The plain kernel and the fast ones: the same bits.
static void test_kernels_of_tiles_give_the_same_bits(void **state) {
  (void)state;
#if PL_SIMD_HAS_AVX2
  if (!PL_SIMD_CAN_AVX2()) return;
  enum { ROWS = 6 };
  // Two branches, 0 to 1 and 2 to 3, that meet in 4 and 5.
  const int32_t start[ROWS + 1] = {0, 3, 5, 8, 10, 12, 13}, rows[13] = {0, 1, 4, 1, 4, 2, 3, 5, 3, 5, 4, 5, 5};
  const int32_t targets[] = {3, 4, 10, 10, 8, 9, 12, 12, 12};
  size_t count = 16 * 13;
  const pl_tile_kernels *kernels[3] = {&pl_tile_kernels_plain, &pl_tile_kernels_avx2, &pl_tile_kernels_avx512};
  int kernel_count = PL_SIMD_CAN_AVX512() ? 3 : 2;
  double *tiles[3], *inverses[3], *x[3], one[4 * ROWS] __attribute__((aligned(64)));
  for (int k = 0; k < kernel_count; ++k) {
    tiles[k] = aligned_alloc(64, (count * sizeof(double) + 63) / 64 * 64);
    inverses[k] = calloc(4 * ROWS, sizeof(double));
    x[k] = aligned_alloc(64, 32 * ROWS * sizeof(double));
    for (size_t i = 0; i < count; ++i) tiles[k][i] = sin(0.9 * (double)i);
    for (int t = 0; t < ROWS; ++t)
      for (int i = 0; i < 4; ++i) tiles[k][16 * start[t] + 5 * i] = 40 + i;
    pl_tiles f = {ROWS, start, rows, targets, tiles[k], inverses[k]};
    assert_true(kernels[k]->factor(&f));
    assert_memory_equal(tiles[0], tiles[k], count * sizeof(double));
    // Each of the right-hand sides as if it were alone.
    for (int32_t width = 4; width <= 8; width += 4) {
      for (int32_t lane = 0; lane < width; ++lane) {
        for (int32_t i = 0; i < 4 * width * ROWS; ++i) x[k][i] = cos(0.3 * i);
        for (int32_t i = 0; i < 4 * ROWS; ++i) one[i] = x[k][width * i + lane];
        kernels[k]->solve(&f, width, x[k]);
        kernels[k]->solve_one(&f, one);
        for (int32_t i = 0; i < 4 * ROWS; ++i) assert_true(one[i] == x[k][width * i + lane]);
      }
    }
    assert_memory_equal(x[0], x[k], 32 * ROWS * sizeof(double));
  }
  for (int k = 0; k < kernel_count; ++k) free(tiles[k]), free(inverses[k]), free(x[k]);
#endif
}

// --- failures -------------------------------------------------------------------------------------------------------

static void test_failing_allocations_leave_nothing_behind(void **state) {
  (void)state;
  failing_allocator allocator = {0, 0, 0};
  pl_context *context = make_failing_context(&allocator);
  pl_mesh *mesh = make_fem_sheet(context, 0.4, 4, 2);
  pl_fem_def fem = pl_default_fem_def(PL_FEM_PLANE);
  fem.adapts = true;
  pl_model *model = make_fem_model(context, &fem, mesh);
  pl_actor_def def = pl_default_actor_def();
  def.rest = PL_REST_FREE;
  pl_rest_space *space = NULL;
  pl_error error = {0};
  check_ok(pl_rest_space_build(context, &def, (const pl_fem_model *)model, mesh, &space, &error), &error);
  int64_t live = allocator.live_count;
  pl_status status = PL_ERROR_OUT_OF_MEMORY;
  int32_t tries = 0;
  for (; status != PL_OK; ++tries) {
    assert_true(tries < 200);
    pl_actor_solver *solver = NULL;
    allocator.fail_at = allocator.call_count + 1 + tries;
    status = pl_actor_solver_create(context, (const pl_fem_model *)model, space, 8, &solver, &error);
    allocator.fail_at = 0;
    if (status == PL_OK) {
      pl_actor_solver_destroy(solver);
    } else {
      assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
      assert_null(solver);
    }
    assert_int_equal(allocator.live_count, live);
  }
  assert_true(tries > 3);
  pl_actor_solver_destroy(NULL);
  pl_rest_space_destroy(space);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_steps_without_goals_are_passive_ones_to_the_bit),
      cmocka_unit_test(test_faint_goals_leave_landing_and_friction_as_they_are),
      cmocka_unit_test(test_in_flight_the_centre_of_mass_is_out_of_reach_and_the_rest_shape_stays),
      cmocka_unit_test(test_goals_within_reach_are_reached),
      cmocka_unit_test(test_a_body_on_the_ground_rises_as_asked),
      cmocka_unit_test(test_what_it_ends_at_is_a_minimum_along_the_equations_of_motion),
      cmocka_unit_test(test_multipliers_are_those_of_the_solution),
      cmocka_unit_test(test_every_step_taken_lowers_the_merit),
      cmocka_unit_test(test_searches_finish_where_points_stick_slip_and_lift),
      cmocka_unit_test(test_factor_solves_with_the_matrix),
      cmocka_unit_test(test_kernels_of_tiles_give_the_same_bits),
      cmocka_unit_test(test_failing_allocations_leave_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
