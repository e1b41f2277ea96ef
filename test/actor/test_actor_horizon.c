// Plans of several steps: their derivatives, what a plan of one step is, and what looking ahead is good for.
// ctest: unit
#include "actor/actor_horizon_parts.h"
#include "fixtures/actor_world.h"

typedef struct planning {
  pl_actor_horizon *horizon;
  double positions_by[MAX_FIXTURE_ROWS], speeds_by[MAX_FIXTURE_ROWS], targets[MAX_FIXTURE_ROWS];
  double speed;      // asked of the centre of mass, along y
  double tolerance;  // of the derivatives
} planning;

static pl_plan_rows plan_rows(const actor_fixture *s, const planning *q) {
  return (pl_plan_rows){s->rows, q->positions_by, q->speeds_by, q->targets};
}

static void end_row(actor_fixture *s, planning *q, int32_t end, double place_by, double speed_by, double target) {
  int32_t k = s->rows.count++;
  s->start[k + 1] = end;
  q->positions_by[k] = place_by;
  q->speeds_by[k] = speed_by;
  q->targets[k] = target;
}

static void plan_center(actor_fixture *s, planning *q, int axis, double speed) {
  int32_t at = s->start[s->rows.count];
  for (int32_t i = 0; i < s->model->particle_count; ++i, ++at) {
    s->slots[at] = 3 * i + axis;
    s->weights[at] = s->model->masses[i] / s->model->mass;
  }
  end_row(s, q, at, 0, 1, speed);
}

static void plan_point(actor_fixture *s, planning *q, int32_t place, double target) {
  int32_t at = s->start[s->rows.count];
  s->slots[at] = place;
  s->weights[at] = 0.5;
  end_row(s, q, at + 1, 10, 1, 0.5 * 10 * target);
}

static pl_actor_horizon *make_horizon(const actor_fixture *s, int32_t step_count) {
  pl_actor_horizon *horizon = NULL;
  pl_error error = {0};
  check_ok(
      pl_actor_horizon_create(s->context, fixture_fem(s), s->space, MAX_FIXTURE_ROWS, step_count, &horizon, &error),
      &error);
  return horizon;
}

static void step(actor_fixture *s, int32_t count) {
  pl_error error = {0};
  for (int32_t i = 0; i < count; ++i)
    if (pl_world_step(s->world, NULL, &error) < 0) fail_msg("%s", error.text);
}

// --- derivatives ----------------------------------------------------------------------------------------------------

static void gather_goals(const pl_actor_horizon *z, int32_t count, double *goals) {
  for (int32_t k = 0; k < z->H; ++k) memcpy(goals + k * count, z->steps[k].goals, (size_t)count * sizeof(double));
}

static pl_status differentiate(actor_fixture *s, pl_fem_choice *choice, pl_error *error) {
  planning *q = s->data;
  pl_actor_horizon *z = q->horizon;
  plan_center(s, q, 0, 0.3);
  plan_center(s, q, 1, 0.2);
  plan_point(s, q, 4, 0.3);
  pl_plan_rows rows = plan_rows(s, q);
  int32_t all = z->H * z->P, count = rows.rows.count;
  double *p = calloc((uint32_t)all, sizeof *p), *sides[2], square, worst = 0, max = 0, by = 1e-5;
  for (int k = 0; k < 2; ++k) sides[k] = calloc((uint32_t)(z->H * count), sizeof(double));
  for (int32_t i = 0; i < all; ++i) p[i] = 0.002 * sin(3.1 * i);
  check_ok(pl_horizon_roll(z, choice, &rows, p, &square, error), error);
  check_ok(pl_horizon_differentiate(z, &rows, error), error);
  for (int32_t c = 0; c < all; c += 1 + all / 12) {
    double kept = p[c];
    for (int k = 0; k < 2; ++k) {
      p[c] = k == 0 ? kept + by : kept - by;
      check_ok(pl_horizon_roll(z, choice, &rows, p, &square, error), error);
      gather_goals(z, count, sides[k]);
    }
    p[c] = kept;
    for (int32_t r = 0; r < z->H * count; ++r) {
      double rate = (sides[0][r] - sides[1][r]) / (2 * by);
      worst = fmax(worst, fabs(rate - z->J[r * all + c]));
      max = fmax(max, fabs(rate));
    }
  }
  assert_true(max > 0);
  check_at_most(worst, q->tolerance * max);
  free(p), free(sides[0]), free(sides[1]);
  return PL_OK;
}

static void check_derivatives(const fixture_case *it, bool with_ground, double tolerance) {
  actor_fixture *s = make_case_with(it, with_ground, with_ground ? -0.001 : 1, 1, 0, 0);
  planning q = {.horizon = make_horizon(s, 4), .tolerance = tolerance};
  s->data = &q;
  s->probe = differentiate;
  step(s, 1);
  pl_actor_horizon_destroy(q.horizon);
  drop_fixture(s);
}

static void test_derivatives_along_a_plan_are_those_of_going_through_it(void **state) {
  (void)state;
  for (int32_t k = 0; k < FIXTURE_CASE_COUNT; ++k) {
    fixture_case first_order = FIXTURE_CASES[k];
    first_order.scheme = PL_FEM_IMPLICIT_EULER;
    check_derivatives(&FIXTURE_CASES[k], false, 1e-5);
    check_derivatives(&first_order, false, 1e-5);
    check_derivatives(&first_order, true, 1e-5);
    // How much of a change of velocity contact holds back is taken as constant.
    check_derivatives(&FIXTURE_CASES[k], true, 0.3);
  }
}

// --- one step -------------------------------------------------------------------------------------------------------

// In the first-order scheme the goals at the end of a step are linear in u, and both problems are the same: here, that
// two points come apart in mid-air.
static pl_status compare_with_solver(actor_fixture *s, pl_fem_choice *choice, pl_error *error) {
  planning *q = s->data;
  const int32_t slots[2] = {3 * (s->model->particle_count - 1), 0};
  const double weights[2] = {1, -1}, h = choice->move->step, speed = 0.05;
  double *planned = calloc((uint32_t)s->P, sizeof *planned), now = 0;
  pl_actor_outcome outcome;
  s->settings = (pl_actor_settings){PL_ACTOR_GAUSS_NEWTON, 100, 1e-6, 0};
  for (int k = 0; k < 2; ++k) {
    s->slots[k] = slots[k];
    s->weights[k] = weights[k];
    now += weights[k] * choice->state.positions[slots[k]];
  }
  end_row(s, q, 2, 0, 1, speed);
  pl_plan_rows rows = plan_rows(s, q);
  check_ok(pl_actor_horizon_run(q->horizon, &s->settings, choice, &rows, s->last, planned, &outcome, error), error);
  assert_true(outcome.converged);
  fixture_clear_rows(s);
  fixture_add_row(s, choice, 2, slots, weights, 1 / h, now + h * speed);
  check_ok(fixture_run(s, choice, error), error);
  assert_true(s->outcome.converged);
  check_near(outcome.objective, s->outcome.objective, 1e-6 * s->outcome.objective);
  check_at_most(pl_rest_space_strain(s->space, planned, s->p), 1e-3 * pl_rest_space_strain(s->space, planned, s->last));
  free(planned);
  return PL_OK;
}

static void test_a_plan_of_one_step_is_what_the_solver_finds(void **state) {
  (void)state;
  for (int32_t k = 0; k < FIXTURE_CASE_COUNT; ++k) {
    fixture_case it = FIXTURE_CASES[k];
    it.scheme = PL_FEM_IMPLICIT_EULER;
    actor_fixture *s = make_case_with(&it, false, 1, 0.1, 0, 0.01);
    planning q = {.horizon = make_horizon(s, 1)};
    s->data = &q;
    s->probe = compare_with_solver;
    step(s, 1);
    pl_actor_horizon_destroy(q.horizon);
    drop_fixture(s);
  }
}

static pl_status plan_nothing(actor_fixture *s, pl_fem_choice *choice, pl_error *error) {
  planning *q = s->data;
  pl_plan_rows rows = plan_rows(s, q);
  return pl_actor_horizon_run(q->horizon, &s->settings, choice, &rows, s->last, s->p, &s->outcome, error);
}

static void test_without_goals_steps_are_passive_ones_to_the_bit(void **state) {
  (void)state;
  actor_fixture *a = make_case(&FIXTURE_CASES[1], true, 0.01, 1), *b = make_case(&FIXTURE_CASES[1], true, 0.01, 1);
  size_t count = (uint32_t)a->model->particle_count;
  pl_vec3 *x = calloc(count, sizeof *x), *y = calloc(count, sizeof *y);
  planning q = {.horizon = make_horizon(a, 3)};
  a->data = &q;
  a->probe = plan_nothing;
  step(a, 5);
  step(b, 5);
  assert_int_equal(pl_body_get_positions(a->world, a->body, x), PL_OK);
  assert_int_equal(pl_body_get_positions(b->world, b->body, y), PL_OK);
  assert_memory_equal(x, y, count * sizeof *x);
  free(x), free(y);
  pl_actor_horizon_destroy(q.horizon);
  drop_fixture(a);
  drop_fixture(b);
}

// --- looking ahead --------------------------------------------------------------------------------------------------

static pl_status plan_rise(actor_fixture *s, pl_fem_choice *choice, pl_error *error) {
  planning *q = s->data;
  plan_center(s, q, 1, q->speed);
  pl_plan_rows rows = plan_rows(s, q);
  pl_actor_settings settings = {PL_ACTOR_GAUSS_NEWTON, 15, 1e-3, 0};
  memcpy(s->last, s->p, (size_t)s->P * sizeof(double));
  return pl_actor_horizon_run(q->horizon, &settings, choice, &rows, s->last, s->p, &s->outcome, error);
}

static double center_height(const actor_fixture *s) {
  size_t count = (uint32_t)s->model->particle_count;
  pl_vec3 *x = calloc(count, sizeof *x);
  double height = 0;
  assert_int_equal(pl_body_get_positions(s->world, s->body, x), PL_OK);
  for (size_t i = 0; i < count; ++i) height += x[i].y * s->model->masses[i] / s->model->mass;
  free(x);
  return height;
}

// A column whose only other shape is a squashed one, asked to rise with 1 m/s: how high its centre of mass gets. To
// rise, it must squat first, which takes it away from its goal.
static double height_reached(int32_t step_count) {
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.15, 0.4, 0.15}, 1, 3, 1);
  pl_fem_def fem = pl_default_fem_def(PL_FEM_EDGES);
  fem.young = 4e5;
  fem.stiffness_damping = 0.001;
  fem.max_newton_iterations = 30;
  fem.newton_tolerance = 1e-7;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_vec3 *low = calloc((uint32_t)view.point_count, sizeof *low);
  for (int32_t i = 0; i < view.point_count; ++i)
    low[i] = (pl_vec3){view.points[i].x / sqrt(0.7), 0.7 * view.points[i].y, view.points[i].z / sqrt(0.7)};
  pl_mesh_pose pose = {.name = "low", .points = low};
  pl_actor_def actor = pl_default_actor_def();
  actor.rest = PL_REST_EXAMPLES;
  actor.examples = &pose;
  actor.example_count = 1;
  actor.regularisation = actor.rate_regularisation = 1e-3;
  actor.hull_penalty = 100;
  actor_fixture *s = make_fixture(context, mesh, &fem, &actor, true, 0.0005);
  free(low);
  planning q = {.horizon = make_horizon(s, step_count), .speed = 1};
  step(s, 40);
  s->data = &q;
  s->probe = plan_rise;
  double start = center_height(s), top = start;
  for (int32_t i = 0; i < 20; ++i) {
    step(s, 1);
    top = fmax(top, center_height(s));
  }
  pl_actor_horizon_destroy(q.horizon);
  drop_fixture(s);
  return top - start;
}

static void test_a_column_that_looks_ahead_squats_and_jumps(void **state) {
  (void)state;
  double one = height_reached(1), six = height_reached(6);
  print_message("height of a jump: %.4f m with one step, %.4f m with six\n", one, six);
  check_at_most(one, 0.005);
  check_at_most(0.05, six);
}

// --- actors
// -----------------------------------------------------------------------------------------------------------

static void ask_to_rise(const double *settings, void *state, const pl_actor_view *view, pl_goals *goals) {
  (void)settings, (void)state, (void)view;
  pl_goal goal = {
      .subject = PL_GOAL_CENTER, .axes = PL_GOAL_Y, .velocity_gain = 1, .velocity = {0, 0.5, 0}, .weight = 1};
  assert_true(pl_goals_add(goals, &goal));
}

static void test_actors_plan_as_many_steps_as_their_def_says(void **state) {
  (void)state;
  const pl_behaviour rise = {.name = "rise", .about = "Rises.", .choose = ask_to_rise};
  double objectives[2];
  for (int k = 0; k < 2; ++k) {
    pl_error error = {0};
    pl_context *context = make_context(1);
    pl_mesh *mesh = make_fem_sheet(context, 0.4, 4, 2);
    pl_fem_def fem = pl_default_fem_def(PL_FEM_PLANE);
    fem.young = 1e5;
    fem.thickness = 0.1;
    fem.adapts = true;
    pl_model *model = make_fem_model(context, &fem, mesh);
    pl_actor_def def = pl_default_actor_def();
    def.rest = PL_REST_FREE;
    def.behaviour = &rise;
    def.horizon = k == 0 ? 1 : 3;
    pl_actor *actor = NULL;
    check_ok(pl_actor_create(context, &def, model, mesh, &actor, &error), &error);
    pl_world *world = make_world(context, 0.01, -9.81);
    add_ground(world);
    pl_body_id body = add_body(world, model, (pl_vec3){0, 0.0005, 0});
    check_ok(pl_actor_attach(actor, world, body, &error), &error);
    for (int i = 0; i < 4; ++i) assert_true(pl_world_step(world, NULL, &error) >= 0);
    pl_actor_report report = pl_actor_get_report(actor);
    assert_true(report.iterations_in_all > 0);
    assert_true(report.residual < 1e-4);
    objectives[k] = report.objective;
    pl_world_destroy(world);
    pl_actor_destroy(actor);
    pl_model_destroy(model);
    pl_mesh_destroy(mesh);
    drop_context(context);
  }
  assert_true(objectives[0] != objectives[1]);
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
    assert_true(tries < 400);
    pl_actor_horizon *horizon = NULL;
    allocator.fail_at = allocator.call_count + 1 + tries;
    status = pl_actor_horizon_create(context, (const pl_fem_model *)model, space, 4, 2, &horizon, &error);
    allocator.fail_at = 0;
    if (status == PL_OK) {
      pl_actor_horizon_destroy(horizon);
    } else {
      assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
      assert_null(horizon);
    }
    assert_int_equal(allocator.live_count, live);
  }
  assert_true(tries > 5);
  pl_actor_horizon_destroy(NULL);
  pl_rest_space_destroy(space);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_derivatives_along_a_plan_are_those_of_going_through_it),
      cmocka_unit_test(test_a_plan_of_one_step_is_what_the_solver_finds),
      cmocka_unit_test(test_without_goals_steps_are_passive_ones_to_the_bit),
      cmocka_unit_test(test_a_column_that_looks_ahead_squats_and_jumps),
      cmocka_unit_test(test_actors_plan_as_many_steps_as_their_def_says),
      cmocka_unit_test(test_failing_allocations_leave_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
