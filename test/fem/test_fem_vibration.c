// Vibrations: what the schemes keep and lose, and that damping is what the def says.
// ctest: physics
#include "fixtures/fem_bodies.h"

// A bar of square section along x, clamped at the left end, vibrating along itself. ν = 0: sections keep their size,
// and the wave is that of a line.
typedef struct bar {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model;
  pl_world *world;
  pl_body_id body;
  int32_t point_count;
  pl_vec3 *rest, *x, *v;
  double omega;  // of the first mode, rad/s
} bar;

static bar make_bar(pl_fem_def def, int32_t cells, double steps_per_period, double amplitude) {
  bar b = {.context = make_context(1)};
  pl_error error = {0};
  def.poisson = 0;
  def.young = 1e5;
  def.newton_tolerance = 1e-9;
  b.mesh = make_fem_box(b.context, (pl_vec3){1, 0.1, 0.1}, cells, 1, 1);
  pl_mesh_view view = pl_mesh_get_view(b.mesh);
  b.point_count = view.point_count;
  b.model = make_fem_model(b.context, &def, b.mesh);
  // The first mode of the lumped chain of cells.
  b.omega = 2 * cells * sqrt(def.young / def.density) * sin(PL_PI / (4 * cells));
  b.world = make_world(b.context, 2 * PL_PI / b.omega / steps_per_period, 0);
  b.body = add_body(b.world, b.model, (pl_vec3){0, 0, 0});
  b.rest = calloc((size_t)b.point_count, sizeof *b.rest);
  b.x = calloc((size_t)b.point_count, sizeof *b.x);
  b.v = calloc((size_t)b.point_count, sizeof *b.v);
  int32_t count, *pinned = list_left_points(b.mesh, -0.5 + 1e-9, &count);
  pin_points(b.world, b.body, b.mesh, pinned, count);
  free(pinned);
  for (int32_t i = 0; i < b.point_count; ++i) {
    b.rest[i] = b.x[i] = view.points[i];
    b.x[i].x += amplitude * sin(0.5 * PL_PI * (view.points[i].x + 0.5));
  }
  check_ok(pl_body_set_state(b.world, b.body, b.x, NULL, &error), &error);
  return b;
}

static void drop_bar(bar *b) {
  free(b->rest);
  free(b->x);
  free(b->v);
  pl_world_destroy(b->world);
  pl_model_destroy(b->model);
  pl_mesh_destroy(b->mesh);
  drop_context(b->context);
}

// Amplitude of the first mode: displacement and velocity along it together.
static double amplitude_of(bar *b) {
  pl_body_get_positions(b->world, b->body, b->x);
  pl_body_get_velocities(b->world, b->body, b->v);
  double a = 0, rate = 0, square = 0;
  for (int32_t i = 0; i < b->point_count; ++i) {
    double shape = sin(0.5 * PL_PI * (b->rest[i].x + 0.5));
    a += shape * (b->x[i].x - b->rest[i].x);
    rate += shape * b->v[i].x;
    square += shape * shape;
  }
  return sqrt(a * a + rate * rate / (b->omega * b->omega)) / square;
}

static double energy_of(bar *b) {
  pl_error error = {0};
  double energy;
  pl_body_get_positions(b->world, b->body, b->x);
  check_ok(pl_fem_compute_energy(b->context, b->model, b->x, &energy, NULL, &error), &error);
  return energy + pl_body_get_report(b->world, b->body).kinetic_energy;
}

static void an_undamped_bar_swings_on_for_twenty_periods(void **state) {
  (void)state;
  static const pl_fem_material materials[2] = {PL_FEM_COROTATED, PL_FEM_NEO_HOOKEAN};
  for (int k = 0; k < 2; ++k) {
    bar b = make_bar(pl_default_fem_def(materials[k]), 6, 30, 0.01);
    double start = amplitude_of(&b), energy = energy_of(&b), worst = 0;
    for (int i = 0; i < 20; ++i) {
      run_steps(b.world, 30);
      worst = fmax(worst, fabs(energy_of(&b) / energy - 1));
    }
    double end = amplitude_of(&b);
    print_message("undamped bar, material %d: amplitude %.5f of the start's after 20 periods, energy within %.2g\n", k,
                  end / start, worst);
    check_near(end / start, 1, 0.01);
    check_at_most(worst, 0.01);
    drop_bar(&b);
  }
}

// Large swings, several modes: energy is not conserved exactly then, but it does not drift.
static void energy_of_large_swings_stays_within_a_hundredth(void **state) {
  (void)state;
  bar b = make_bar(pl_default_fem_def(PL_FEM_NEO_HOOKEAN), 6, 60, 0);
  pl_error error = {0};
  for (int32_t i = 0; i < b.point_count; ++i) b.v[i] = (pl_vec3){0, 3 * (b.rest[i].x + 0.5), 0};
  check_ok(pl_body_set_state(b.world, b.body, b.rest, b.v, &error), &error);
  double energy = energy_of(&b), worst = 0;
  for (int i = 0; i < 300; ++i) {
    run_steps(b.world, 1);
    worst = fmax(worst, fabs(energy_of(&b) / energy - 1));
  }
  pl_body_get_positions(b.world, b.body, b.x);
  print_message("large swings: energy within %.3g over 300 steps\n", worst);
  check_at_most(worst, 0.01);
  drop_bar(&b);
}

static void implicit_euler_never_gains_energy(void **state) {
  (void)state;
  static const pl_fem_material materials[2] = {PL_FEM_COROTATED, PL_FEM_NEO_HOOKEAN};
  for (int k = 0; k < 2; ++k) {
    pl_fem_def def = pl_default_fem_def(materials[k]);
    def.scheme = PL_FEM_IMPLICIT_EULER;
    bar b = make_bar(def, 6, 20, 0.3);
    pl_error error = {0};
    for (int32_t i = 0; i < b.point_count; ++i) b.v[i] = (pl_vec3){0, 4 * (b.rest[i].x + 0.5), 1};
    check_ok(pl_body_set_state(b.world, b.body, b.x, b.v, &error), &error);
    double last = energy_of(&b), first = last;
    for (int i = 0; i < 100; ++i) {
      run_steps(b.world, 1);
      double now = energy_of(&b);
      check_at_most(now, last + 1e-9 * first);
      last = now;
    }
    print_message("implicit Euler, material %d: %.3g of the energy is left after 100 steps\n", k, last / first);
    drop_bar(&b);
  }
}

// Decay of the amplitude per second, over ten periods.
static double decay_of(pl_fem_def def, double *omega) {
  bar b = make_bar(def, 6, 60, 0.01);
  *omega = b.omega;
  // Averaged over a period at both ends: what damping does to the phase drops out.
  double start = 0, end = 0;
  for (int i = 0; i < 60; ++i) {
    start += log(amplitude_of(&b));
    run_steps(b.world, 1);
  }
  run_steps(b.world, 9 * 60);
  for (int i = 0; i < 60; ++i) {
    end += log(amplitude_of(&b));
    run_steps(b.world, 1);
  }
  drop_bar(&b);
  return (start - end) / 60 / (10 * 2 * PL_PI / *omega);
}

static void rayleigh_damping_is_measured_back(void **state) {
  (void)state;
  double omega;
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  def.mass_damping = 1.2;
  double alpha = 2 * decay_of(def, &omega);
  def.mass_damping = 0;
  def.stiffness_damping = 0.004;
  double beta = 2 * decay_of(def, &omega) / (omega * omega);
  print_message("Rayleigh: alpha %.4f 1/s where 1.2 was given, beta %.6f s where 0.004 was given (%.1f rad/s)\n", alpha,
                beta, omega);
  check_near(alpha, 1.2, 0.03 * 1.2);
  check_near(beta, 0.004, 0.03 * 0.004);
}

// A point of a swinging bar at a fixed time, stepped with `count` steps.
static pl_vec3 swing(int32_t count, pl_fem_scheme scheme, double beta) {
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  def.scheme = scheme;
  def.stiffness_damping = beta;
  def.max_newton_iterations = 30;
  bar b = make_bar(def, 4, 4.0 * count, 0);
  pl_error error = {0};
  for (int32_t i = 0; i < b.point_count; ++i) {
    b.v[i] = (pl_vec3){0, 1.5 * (b.rest[i].x + 0.5) * (b.rest[i].x + 0.5), 0};
    b.x[i].x = b.rest[i].x + 0.1 * sin(0.5 * PL_PI * (b.rest[i].x + 0.5));
  }
  check_ok(pl_body_set_state(b.world, b.body, b.x, b.v, &error), &error);
  run_steps(b.world, 4 * count);
  pl_body_get_positions(b.world, b.body, b.x);
  pl_vec3 tip = b.x[b.point_count - 1];
  drop_bar(&b);
  return tip;
}

static void the_second_order_scheme_is_of_second_order(void **state) {
  (void)state;
  for (int k = 0; k < 3; ++k) {
    pl_fem_scheme scheme = k == 2 ? PL_FEM_IMPLICIT_EULER : PL_FEM_SECOND_ORDER;
    double beta = k == 1 ? 0.002 : 0;
    pl_vec3 coarse = swing(32, scheme, beta), middle = swing(64, scheme, beta), fine = swing(128, scheme, beta);
    double order = log2(pl_vec3_distance(coarse, middle) / pl_vec3_distance(middle, fine));
    print_message("%s, beta %g: order %.3f\n", k == 2 ? "implicit Euler" : "second order", beta, order);
    if (k < 2)
      assert_true(order >= 1.9);
    else
      assert_true(order > 0.7 && order < 1.3);
  }
}

// Two worlds, one turned and moved: so is what happens in them.
static void a_step_is_the_same_in_any_frame(void **state) {
  (void)state;
  static const pl_fem_material materials[3] = {PL_FEM_COROTATED, PL_FEM_NEO_HOOKEAN, PL_FEM_EDGES};
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.3, 0.2, 0.2}, 3, 2, 2);
  pl_transform motion = {{3, -2, 1}, pl_quat_normalize((pl_quat){0.3, -0.5, 0.7, 0.4})};
  for (int k = 0; k < 6; ++k) {
    pl_fem_def def = pl_default_fem_def(materials[k / 2]);
    def.scheme = k % 2 == 0 ? PL_FEM_SECOND_ORDER : PL_FEM_IMPLICIT_EULER;
    def.newton_tolerance = 1e-13;
    def.max_newton_iterations = 30;
    pl_model *model = make_fem_model(context, &def, mesh);
    pl_vec3 x[2][36], v[2][36];
    for (int w = 0; w < 2; ++w) {
      pl_world *world = make_world(context, 1.0 / 100, 0);
      pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
      for (int32_t i = 0; i < 36; ++i) {
        pl_vec3 p = pl_mesh_get_view(mesh).points[i];
        x[w][i] = (pl_vec3){1.2 * p.x + 0.1 * p.y, 0.9 * p.y + 0.4 * p.x * p.x, p.z};
        v[w][i] = (pl_vec3){p.y, 3 * p.z, 2 * p.x};
        if (w == 1) {
          x[w][i] = pl_transform_apply(motion, x[w][i]);
          v[w][i] = pl_quat_rotate(motion.rotation, v[w][i]);
        }
      }
      check_ok(pl_body_set_state(world, body, x[w], v[w], &error), &error);
      run_steps(world, 3);
      pl_body_get_positions(world, body, x[w]);
      pl_world_destroy(world);
    }
    double worst = 0;
    for (int32_t i = 0; i < 36; ++i)
      worst = fmax(worst, pl_vec3_distance(pl_transform_apply(motion, x[0][i]), x[1][i]));
    print_message("another frame, material %d: %.2g m apart after 3 steps\n", k / 2, worst);
    check_at_most(worst, 1e-10);
    pl_model_destroy(model);
  }
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// A stiff bar on a hinge swings down and up again: stiffness damping is for what deforms, and leaves alone what turns
// as a whole.
static void stiffness_damping_spares_what_turns_as_a_whole(void **state) {
  (void)state;
  double highest[2];
  for (int damped = 0; damped < 2; ++damped) {
    pl_context *context = make_context(1);
    pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
    def.young = 3e7;
    def.stiffness_damping = damped ? 0.004 : 0;
    pl_mesh *mesh = make_fem_box(context, (pl_vec3){1, 0.05, 0.1}, 16, 1, 2);
    pl_model *model = make_fem_model(context, &def, mesh);
    pl_world *world = make_world(context, 1.0 / 120, -9.81);
    pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
    // The hinge: points of one edge across the bar.
    pl_mesh_view view = pl_mesh_get_view(mesh);
    int32_t edge[16], count = 0;
    for (int32_t i = 0; i < view.point_count && count < 16; ++i)
      if (view.points[i].x < -0.5 + 1e-9 && view.points[i].y < 0) edge[count++] = i;
    pin_points(world, body, mesh, edge, count);
    highest[damped] = -HUGE_VAL;
    for (int32_t s = 0; s < 240; ++s) {
      run_steps(world, 1);
      if (s > 120) highest[damped] = fmax(highest[damped], pl_body_get_report(world, body).center.y);
    }
    pl_world_destroy(world);
    pl_model_destroy(model);
    pl_mesh_destroy(mesh);
    drop_context(context);
  }
  printf("a bar on a hinge comes back up to %.3f m without and %.3f m with stiffness damping; it started at 0\n",
         highest[0], highest[1]);
  assert_true(highest[0] > -0.05 && highest[1] > -0.08);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_undamped_bar_swings_on_for_twenty_periods),
      cmocka_unit_test(energy_of_large_swings_stays_within_a_hundredth),
      cmocka_unit_test(implicit_euler_never_gains_energy),
      cmocka_unit_test(rayleigh_damping_is_measured_back),
      cmocka_unit_test(the_second_order_scheme_is_of_second_order),
      cmocka_unit_test(a_step_is_the_same_in_any_frame),
      cmocka_unit_test(stiffness_damping_spares_what_turns_as_a_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
