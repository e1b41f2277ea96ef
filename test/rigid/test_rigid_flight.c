// Rigid bodies on their own: free fall, spin without torque, and states that are set from particles.
// ctest: physics
#include "base/random.h"
#include "fixtures/rigid_bodies.h"
#include "math/mat3.h"

static pl_body_id add_spinning(pl_world *world, const pl_model *model, pl_vec3 position, pl_vec3 spin) {
  pl_error error = {0};
  pl_body_def def = pl_default_body_def();
  def.model = model;
  def.placement = (pl_transform){position, pl_quat_from_axis_angle((pl_vec3){1, 1, 0}, 0.4)};
  def.angular_velocity = spin;
  pl_body_id id;
  check_ok(pl_world_add_body(world, &def, &id, &error), &error);
  return id;
}

static void the_centre_falls_on_a_parabola(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  check_ok(pl_mesh_create_box(context, (pl_vec3){1, 2, 3}, (const int32_t[3]){1, 1, 1}, &mesh, &error), &error);
  pl_rigid_def def = pl_default_rigid_def();
  pl_model *model = make_rigid(context, &def, mesh);
  double h = 1.0 / 240;
  pl_world *world = make_world(context, h, -9.81);
  pl_body_id body = add_spinning(world, model, (pl_vec3){0, 100, 0}, (pl_vec3){3, -2, 5});
  run_steps(world, 240);
  check_near(pl_body_get_report(world, body).center.y, 100 - 9.81 * h * h * 240 * 241 / 2, 1e-10);
  check_near(pl_body_get_report(world, body).momentum.y, -9.81 * 6000, 1e-6);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// The spin around the middle axis is unstable and the body turns over and over: the hardest case.
static void spin_keeps_momentum_to_rounding_and_energy_within_bounds(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = make_rigid_box(context, (pl_vec3){0.1, 0.3, 0.5});
  for (int k = 0; k < 2; ++k) {
    pl_world *world = make_world(context, k == 0 ? 1.0 / 240 : 1.0 / 60, 0);
    pl_body_id body = add_spinning(world, model, (pl_vec3){0, 0, 0}, (pl_vec3){0.01, 20, 0.02});
    pl_body_report first = pl_body_get_report(world, body);
    double drift = 0, low = HUGE_VAL, high = 0, late_low = HUGE_VAL, late_high = 0;
    for (int32_t i = 0; i < 20000; ++i) {
      run_steps(world, 1);
      pl_body_report now = pl_body_get_report(world, body);
      drift = fmax(drift, pl_vec3_distance(now.angular_momentum, first.angular_momentum));
      double *min = i < 10000 ? &low : &late_low, *max = i < 10000 ? &high : &late_high;
      *min = fmin(*min, now.kinetic_energy / first.kinetic_energy);
      *max = fmax(*max, now.kinetic_energy / first.kinetic_energy);
    }
    print_message("step %g: momentum within %.3g, energy %.6f … %.6f, later %.6f … %.6f\n",
                  pl_world_get_step_length(world), drift / pl_vec3_length(first.angular_momentum), low, high, late_low,
                  late_high);
    // A few roundings in each step.
    check_at_most(drift, 20000 * 1e-15 * pl_vec3_length(first.angular_momentum));
    check_at_most(fmax(high, late_high), k == 0 ? 1.0001 : 1.001);
    check_near(low, late_low, 1e-3);
    check_near(high, late_high, 1e-3);
    pl_world_destroy(world);
  }
  pl_model_destroy(model);
  drop_context(context);
}

// Euler's equations I w' = (I w) x w and q' = ½ q w in the body's frame, by Runge and Kutta with 64 times finer steps.
static pl_quat euler_equations(pl_vec3 moments, pl_quat q, pl_vec3 spin, double seconds, int32_t steps) {
  pl_vec3 w = pl_quat_rotate(pl_quat_conjugate(q), spin);
  double h = seconds / steps;
  for (int32_t i = 0; i < steps; ++i) {
    pl_vec3 dw[4], wk = w, sum_w = {0, 0, 0};
    pl_quat qk = q, sum_q = {0, 0, 0, 0};
    for (int k = 0; k < 4; ++k) {
      dw[k] = (pl_vec3){(moments.y - moments.z) / moments.x * wk.y * wk.z,
                        (moments.z - moments.x) / moments.y * wk.z * wk.x,
                        (moments.x - moments.y) / moments.z * wk.x * wk.y};
      pl_quat dq = pl_quat_scale(pl_quat_multiply(qk, (pl_quat){wk.x, wk.y, wk.z, 0}), 0.5);
      double weight = k == 0 || k == 3 ? 1.0 / 6 : 1.0 / 3, ahead = k == 2 ? h : 0.5 * h;
      sum_w = pl_vec3_add_scaled(sum_w, dw[k], weight);
      sum_q =
          (pl_quat){sum_q.x + weight * dq.x, sum_q.y + weight * dq.y, sum_q.z + weight * dq.z, sum_q.w + weight * dq.w};
      wk = pl_vec3_add_scaled(w, dw[k], ahead);
      qk = (pl_quat){q.x + ahead * dq.x, q.y + ahead * dq.y, q.z + ahead * dq.z, q.w + ahead * dq.w};
    }
    w = pl_vec3_add_scaled(w, sum_w, h);
    q = pl_quat_normalize((pl_quat){q.x + h * sum_q.x, q.y + h * sum_q.y, q.z + h * sum_q.z, q.w + h * sum_q.w});
  }
  return q;
}

// Angle between the rotation after one second and that of Euler's equations.
static double spin_error(pl_context *context, pl_vec3 half_size, pl_vec3 spin, int32_t steps) {
  pl_model *model = make_rigid_box(context, half_size);
  pl_world *world = make_world(context, 1.0 / steps, 0);
  pl_body_id body = add_spinning(world, model, (pl_vec3){0, 0, 0}, spin);
  pl_quat start = motion_of(world, body).placement.rotation;
  pl_rigid_report report;
  pl_rigid_get_report(model, &report);
  pl_vec3 moments = {report.inertia.m[0][0], report.inertia.m[1][1], report.inertia.m[2][2]};
  run_steps(world, steps);
  pl_quat expected = euler_equations(moments, start, spin, 1, 64 * steps);
  double cosine = fabs(pl_quat_dot(expected, motion_of(world, body).placement.rotation));
  pl_world_destroy(world);
  pl_model_destroy(model);
  return 2 * sqrt(fmax(0, 2 - 2 * cosine));
}

static void precession_follows_eulers_equations(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_vec3 spin = {6, 2, -4};
  double coarse = spin_error(context, (pl_vec3){0.1, 0.3, 0.5}, spin, 120),
         fine = spin_error(context, (pl_vec3){0.1, 0.3, 0.5}, spin, 240),
         top = spin_error(context, (pl_vec3){0.3, 0.1, 0.3}, spin, 240);
  print_message("after 1 s: %.3g rad at 1/120 s, %.3g at 1/240 s; symmetric top %.3g\n", coarse, fine, top);
  check_near(coarse / fine, 4, 0.2);
  check_at_most(fine, 2e-2);
  check_at_most(top, 1e-7);
  drop_context(context);
}

static void a_state_set_from_its_own_particles_stays(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = make_rigid_box(context, (pl_vec3){0.2, 0.3, 0.4});
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_body_id body = add_spinning(world, model, (pl_vec3){1, 2, 3}, (pl_vec3){1, -2, 3});
  run_steps(world, 10);
  pl_rigid_motion before = motion_of(world, body);
  pl_vec3 x[32], v[32];
  assert_int_equal(pl_model_get_report(model).particle_count, 32);
  pl_body_get_positions(world, body, x);
  pl_body_get_velocities(world, body, v);
  check_ok(pl_body_set_state(world, body, x, v, &error), &error);
  pl_rigid_motion after = motion_of(world, body);
  check_at_most(pl_vec3_distance(before.placement.position, after.placement.position), 1e-13);
  check_near(fabs(pl_quat_dot(before.placement.rotation, after.placement.rotation)), 1, 1e-13);
  check_at_most(pl_vec3_distance(before.velocity, after.velocity), 1e-13);
  check_at_most(pl_vec3_distance(before.angular_velocity, after.angular_velocity), 1e-12);
  // Velocities that no rigid body has: their mean stays.
  pl_vec3 mean = {0, 0, 0};
  pl_random random = pl_random_of_seed(1);
  for (int i = 0; i < 32; ++i) {
    v[i] = (pl_vec3){pl_random_normal(&random), pl_random_normal(&random), pl_random_normal(&random)};
    mean = pl_vec3_add_scaled(mean, v[i], 1.0 / 32);
  }
  check_ok(pl_body_set_state(world, body, NULL, v, &error), &error);
  check_at_most(pl_vec3_distance(motion_of(world, body).velocity, mean), 1e-13);
  // A turn of everything is a turn of the body.
  pl_transform motion = {{5, 6, 7}, pl_quat_from_axis_angle((pl_vec3){0, 1, 1}, 2)};
  before = motion_of(world, body);
  check_ok(pl_body_teleport(world, body, motion, &error), &error);
  pl_transform expected = pl_transform_multiply(motion, before.placement);
  check_at_most(pl_vec3_distance(motion_of(world, body).placement.position, expected.position), 1e-12);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void an_impulse_changes_momentum_and_spin(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = make_rigid_box(context, (pl_vec3){0.2, 0.3, 0.4});
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_body_id body = add_spinning(world, model, (pl_vec3){1, 2, 3}, (pl_vec3){0, 0, 0});
  pl_vec3 impulse = {1, 2, -3}, point = {1.1, 2.2, 2.9};
  check_ok(pl_rigid_add_impulse(world, body, impulse, point, &error), &error);
  pl_body_report report = pl_body_get_report(world, body);
  check_at_most(pl_vec3_distance(report.momentum, impulse), 1e-12);
  check_at_most(pl_vec3_distance(report.angular_momentum, pl_vec3_cross((pl_vec3){0.1, 0.2, -0.1}, impulse)), 1e-12);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_centre_falls_on_a_parabola),
      cmocka_unit_test(spin_keeps_momentum_to_rounding_and_energy_within_bounds),
      cmocka_unit_test(precession_follows_eulers_equations),
      cmocka_unit_test(a_state_set_from_its_own_particles_stays),
      cmocka_unit_test(an_impulse_changes_momentum_and_spin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
