// Free flight and rest: what a body does when nothing acts on it, or only gravity and a floor.
// ctest: physics threads
#include "base/random.h"
#include "body/body_method.h"
#include "fixtures/solid_bodies.h"
#include "pliant/math.h"

static pl_solid_def soft_def(void) {
  pl_solid_def def = pl_default_solid_def();
  def.damping = 0.5;
  return def;
}

static void linear_momentum_is_constant_in_free_flight(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  pl_error error = {0};
  pl_solid_def def = soft_def();
  pl_model *model = make_box_model(context, (pl_vec3){0.4, 0.4, 0.8}, 4, 4, 8, &def);
  pl_world *world = make_world(context, 1.0 / 60, 0);
  pl_body_id body = add_body(world, model, (pl_vec3){3, 2, 1});
  int32_t n = pl_model_get_report(model).particle_count;
  pl_vec3 x[225], v[225];
  assert_int_equal(n, 225);
  pl_body_get_positions(world, body, x);
  pl_random random = pl_random_of_seed(7);
  for (int32_t i = 0; i < n; ++i) {
    v[i] = (pl_vec3){2 + 0.5 * pl_random_normal(&random), 1 + 0.5 * pl_random_normal(&random),
                     0.5 * pl_random_normal(&random)};
    x[i] = pl_vec3_add(x[i], (pl_vec3){0.02 * pl_random_normal(&random), 0.02 * pl_random_normal(&random), 0});
  }
  check_ok(pl_body_set_state(world, body, x, v, &error), &error);
  pl_vec3 before = pl_body_get_report(world, body).momentum;
  run_steps(world, 1000);
  pl_vec3 after = pl_body_get_report(world, body).momentum;
  double change = pl_vec3_distance(before, after) / pl_vec3_length(before);
  print_message("relative change of momentum over 1000 steps: %.3g\n", change);
  check_at_most(change, 1e-6);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void the_centre_falls_on_a_parabola(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_solid_def def = soft_def();
  pl_model *model = make_box_model(context, (pl_vec3){1, 1, 1}, 3, 3, 3, &def);
  double h = 1.0 / 240;
  pl_world *world = make_world(context, h, -9.81);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 100, 0});
  run_steps(world, 240);
  // Symplectic Euler: the sum 1 + 2 + … + n of g h².
  double expected = 100 - 9.81 * h * h * 240 * 241 / 2;
  check_near(pl_body_get_report(world, body).center.y, expected, 2e-5);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

// A body turned, shifted and set in motion as a whole keeps its shape: no vibration is excited, no drift appears.
static void a_rigidly_moved_body_stays_rigidly_moved(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_solid_def def = soft_def();
  def.damping = 0;
  pl_model *model = make_box_model(context, (pl_vec3){0.5, 0.5, 1}, 3, 3, 6, &def);
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_body_def body_def = pl_default_body_def();
  body_def.model = model;
  body_def.placement.position = (pl_vec3){-5, 3, 12};
  body_def.placement.rotation = pl_quat_from_axis_angle((pl_vec3){1, 2, -1}, 2.5);
  body_def.velocity = (pl_vec3){3, -1, 2};
  pl_body_id body;
  check_ok(pl_world_add_body(world, &body_def, &body, &error), &error);
  enum { MAX = 200 };
  int32_t n = pl_model_get_report(model).particle_count;
  assert_true(n <= MAX);
  pl_vec3 before[MAX], after[MAX];
  pl_body_get_positions(world, body, before);
  run_steps(world, 1000);
  pl_body_get_positions(world, body, after);
  double worst = 0;
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = 0; j < i; ++j)
      worst = fmax(worst, fabs(pl_vec3_distance(before[i], before[j]) - pl_vec3_distance(after[i], after[j])));
  print_message("largest change of a distance: %.3g m\n", worst);
  check_at_most(worst, 2e-5);
  pl_vec3 path = pl_vec3_scale(body_def.velocity, 1000.0 / 240);
  check_at_most(pl_vec3_distance(pl_vec3_add(before[0], path), after[0]), 1e-4);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void a_body_at_rest_without_forces_does_not_move(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_solid_def def = soft_def();
  pl_model *model = make_box_model(context, (pl_vec3){1, 1, 1}, 4, 4, 4, &def);
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
  pl_vec3 before[125], after[125];
  pl_body_get_positions(world, body, before);
  run_steps(world, 1000);
  pl_body_get_positions(world, body, after);
  double worst = 0;
  for (int32_t i = 0; i < 125; ++i) worst = fmax(worst, pl_vec3_distance(before[i], after[i]));
  print_message("farthest any particle went: %.3g m of 1 m\n", worst);
  check_at_most(worst, 1e-6);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void a_body_on_the_floor_comes_to_rest_and_stays(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  pl_solid_def def = soft_def();
  def.damping = 30;
  pl_model *model = make_box_model(context, (pl_vec3){0.5, 0.5, 0.5}, 4, 4, 4, &def);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  add_ground(world);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 0.3, 0});
  run_steps(world, 1200);
  pl_body_report settled = pl_body_get_report(world, body);
  run_steps(world, 1200);
  pl_body_report later = pl_body_get_report(world, body);
  print_message("largest speed %.3g m/s, drift %.3g m in 5 s, lowest point %.3g m\n", later.max_speed,
                pl_vec3_distance(settled.center, later.center), later.box.min.y);
  check_at_most(later.max_speed, 1e-3);
  check_at_most(pl_vec3_distance(settled.center, later.center), 1e-4);
  check_at_most(fabs(later.box.min.y), 1e-3);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

// The same stiffness at half the step gives the same oscillation: the period of a stretched bar's first mode.
static double first_period(double step) {
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_solid_def def = pl_default_solid_def();
  def.damping = 0;
  def.stiffness = 0.2;
  pl_model *model = make_box_model(context, (pl_vec3){1, 0.2, 0.2}, 8, 2, 2, &def);
  pl_world *world = make_world(context, step, 0);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
  pl_vec3 x[81];
  pl_body_get_positions(world, body, x);
  for (int32_t i = 0; i < 81; ++i) x[i].x *= 1.02;
  check_ok(pl_body_set_state(world, body, x, NULL, &error), &error);
  double last = 1, crossings[2] = {0, 0};
  int32_t found = 0;
  for (int32_t i = 0; i < 4000 && found < 2; ++i) {
    run_steps(world, 1);
    pl_box box = pl_body_get_report(world, body).box;
    double stretch = box.max.x - box.min.x - 1;
    if (last > 0 && stretch <= 0) crossings[found++] = (i + last / (last - stretch)) * step;
    last = stretch;
  }
  assert_int_equal(found, 2);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
  return crossings[1] - crossings[0];
}

static void stiffness_means_the_same_at_any_step(void **state) {
  (void)state;
  double coarse = first_period(1.0 / 120), fine = first_period(1.0 / 480);
  print_message("period %.4f s at 1/120 s, %.4f s at 1/480 s\n", coarse, fine);
  check_at_most(fabs(coarse - fine) / fine, 0.03);
}

// Damping slows vibration and leaves tumbling alone.
// A cube stretched and released: its kinetic energy, averaged over a period and more, falls as exp(-2 damping t).
static void vibration_dies_away_at_the_damping_asked_for(void **state) {
  (void)state;
  for (int trial = 0; trial < 4; ++trial) {
    const double step = trial % 2 == 0 ? 1.0 / 240 : 1.0 / 960;
    pl_context *context = make_context(1);
    pl_error error = {0};
    pl_solid_def def = pl_default_solid_def();
    def.damping = trial < 2 ? 5 : 1;
    pl_model *model = make_box_model(context, (pl_vec3){0.3, 0.3, 0.3}, 3, 3, 3, &def);
    pl_world *world = make_world(context, step, 0);
    pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
    pl_vec3 x[64], v[64];
    pl_body_get_positions(world, body, x);
    for (int i = 0; i < 64; ++i) {
      x[i].y *= 1.1;
      v[i] = (pl_vec3){0, 0, 0};
    }
    check_ok(pl_body_set_state(world, body, x, v, &error), &error);
    double energies[2] = {0, 0};
    int32_t window = (int32_t)lround(0.5 / step);
    for (int half = 0; half < 2; ++half)
      for (int32_t s = 0; s < window; ++s) {
        run_steps(world, 1);
        pl_body_get_velocities(world, body, v);
        for (int i = 0; i < 64; ++i) energies[half] += model->masses[i] * pl_vec3_dot(v[i], v[i]);
      }
    double rate = log(energies[0] / energies[1]) / (2 * 0.5);
    print_message("damping %g/s at 1/%.0f s: amplitude falls by %.2f/s\n", def.damping, 1 / step, rate);
    check_near(rate, def.damping, 0.1 * def.damping);
    pl_world_destroy(world);
    pl_model_destroy(model);
    drop_context(context);
  }
}

static void damping_spares_rigid_motion(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_solid_def def = pl_default_solid_def();
  def.damping = 20;
  def.stiffness = 1;
  pl_model *model = make_box_model(context, (pl_vec3){0.3, 0.3, 0.3}, 3, 3, 3, &def);
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_body_def body_def = pl_default_body_def();
  body_def.model = model;
  body_def.angular_velocity = (pl_vec3){0, 2, 0};
  pl_body_id body;
  check_ok(pl_world_add_body(world, &body_def, &body, &error), &error);
  double before = pl_body_get_report(world, body).angular_momentum.y;
  run_steps(world, 480);
  double after = pl_body_get_report(world, body).angular_momentum.y;
  print_message("angular momentum %.6f -> %.6f\n", before, after);
  check_at_most(fabs(after - before) / before, 1e-3);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_momentum_is_constant_in_free_flight),
      cmocka_unit_test(the_centre_falls_on_a_parabola),
      cmocka_unit_test(a_rigidly_moved_body_stays_rigidly_moved),
      cmocka_unit_test(a_body_at_rest_without_forces_does_not_move),
      cmocka_unit_test(a_body_on_the_floor_comes_to_rest_and_stays),
      cmocka_unit_test(stiffness_means_the_same_at_any_step),
      cmocka_unit_test(vibration_dies_away_at_the_damping_asked_for),
      cmocka_unit_test(damping_spares_rigid_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
