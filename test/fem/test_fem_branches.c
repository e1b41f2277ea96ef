// What branches make of a vibration: frequency and damping ratio of a bar against the roots of its equation, and the
// loss tangent of structural damping.
// ctest: physics once
#include <complex.h>

#include "fem/fem_maxwell.h"
#include "fixtures/fem_bodies.h"
#include "pliant/math.h"

// E(s) / E of a model for a motion exp(s t).
static double complex modulus_of(const pl_fem_model *fem, double complex s) {
  double complex sum = 1 + fem->stiffness_damping * s;
  for (int32_t b = 0; b < fem->branches.count; ++b) {
    double complex st = s * fem->branches.times[b];
    sum += fem->branches.ratios[b] * st / (1 + st);
  }
  return sum;
}

static void structural_damping_has_one_loss_tangent(void **state) {
  (void)state;
  static const double factors[] = {0.01, 0.1, 0.4};
  for (int k = 0; k < 3; ++k) {
    pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
    def.loss_factor = factors[k];
    def.loss_frequency = 0.5;
    pl_fem_model model = {.branches = pl_fem_branches_of(&def)};
    for (double f = 0.5; f < 1000; f *= 1.2) {
      double complex modulus = modulus_of(&model, 2 * PL_PI * f * (double complex)I);
      check_near(cimag(modulus) / creal(modulus), factors[k], 0.06 * factors[k]);
    }
    check_near(cabs(modulus_of(&model, 0)), 1, 1e-15);
  }
}

typedef struct measured {
  double omega, ratio;
} measured;

// A bar held at one end, pushed along its first bending mode: frequency and damping ratio of the tip.
static measured measure(pl_context *context, const pl_fem_def *def, double step, pl_fem_branches *branches) {
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.3, 0.03, 0.06}, 6, 1, 1);
  pl_model *model = make_fem_model(context, def, mesh);
  pl_world *world = make_world(context, step, 0);
  pl_body_id body = add_body(world, model, (pl_vec3){0.15, 0, 0});
  *branches = ((const pl_fem_model *)model)->branches;
  int32_t count = pl_model_get_report(model).particle_count, tip = 0, found = 0, held_count = 0;
  int32_t *held = calloc((size_t)count, sizeof *held);
  pl_vec3 *x = calloc((size_t)count, sizeof *x), *v = calloc((size_t)count, sizeof *v);
  pl_body_get_positions(world, body, x);
  for (int32_t i = 0; i < count; ++i) {
    if (x[i].x > x[tip].x + 1e-9) tip = i;
    if (x[i].x > 1e-9) continue;
    held[held_count++] = i;
    pl_pin_def hold = pl_default_pin_def();
    hold.body = body, hold.particle = i, hold.target = x[i];
    check_ok(pl_world_add_pin(world, &hold, NULL, &error), &error);
  }
  // Pushed in the shape that gravity would give it, which is nearly that of its first mode.
  pl_fem_equilibrium_def load = pl_default_fem_equilibrium_def();
  load.acceleration.y = -0.01;
  load.pinned = held;
  load.pinned_count = held_count;
  memcpy(v, x, (size_t)count * sizeof *x);
  check_ok(pl_fem_equilibrium(context, model, &load, v, NULL, &error), &error);
  double sag = x[tip].y - v[tip].y;
  for (int32_t i = 0; i < count; ++i) v[i] = pl_vec3_scale(pl_vec3_sub(v[i], x[i]), 0.01 / sag);
  check_ok(pl_body_set_state(world, body, NULL, v, &error), &error);
  double start = x[tip].y, now[3] = {0}, peaks[10], times[10];
  for (int k = 1; k < 3000 && found < 10; ++k) {
    check_ok(pl_world_step(world, NULL, &error), &error);
    pl_body_get_positions(world, body, x);
    now[0] = now[1], now[1] = now[2], now[2] = x[tip].y - start;
    if (k < 3 || (now[1] - now[0]) * (now[2] - now[1]) >= 0) continue;
    // The peak between steps, of a parabola through three of them.
    double bend = now[0] - 2 * now[1] + now[2], tilt = 0.5 * (now[2] - now[0]);
    peaks[found] = fabs(now[1] - 0.5 * tilt * tilt / bend);
    times[found++] = (k - 1 - tilt / bend) * step;
  }
  assert_int_equal(found, 10);
  // A branch leaves a slow drift under the vibration: sums of neighbouring peaks do not see it.
  double first = peaks[2] + 2 * peaks[3] + peaks[4], last = peaks[7] + 2 * peaks[8] + peaks[9];
  double omega = PL_PI * 6 / (times[9] - times[3]), decay = log(first / last) / (5 * PL_PI / omega);
  free(held);
  free(x);
  free(v);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  return (measured){omega, decay / sqrt(omega * omega + decay * decay)};
}

// The root of s² + ω₀² E(s)/E = 0 next to i ω₀.
static measured root_of(const pl_fem_def *def, const pl_fem_branches *branches, double omega) {
  pl_fem_model model = {.stiffness_damping = def->stiffness_damping, .branches = *branches};
  double complex s = omega * (double complex)I;
  for (int k = 0; k < 60; ++k) {
    const double h = 1e-6 * omega;
    double complex f = s * s + omega * omega * modulus_of(&model, s);
    double complex slope = (((s + h) * (s + h) + omega * omega * modulus_of(&model, s + h)) - f) / h;
    s -= f / slope;
  }
  return (measured){cimag(s), -creal(s) / cabs(s)};
}

static void vibrations_of_a_bar_are_those_of_the_complex_modulus(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int element = 0; element < 2; ++element) {
    pl_fem_def plain = pl_default_fem_def(element == 0 ? PL_FEM_COROTATED : PL_FEM_NEO_HOOKEAN);
    plain.element = (pl_fem_element_order)element;
    plain.young = element == 0 ? 1e5 : 2e6;
    plain.newton_tolerance = 1e-7;
    plain.max_newton_iterations = 20;
    const double step = 1.0 / 600;
    pl_fem_branches none, branches;
    measured undamped = measure(context, &plain, step, &none);
    check_near(undamped.ratio, 0, 5e-4);
    for (int kind = 0; kind < 4; ++kind) {
      pl_fem_def def = plain;
      if (kind == 0) def.stiffness_damping = 0.003;
      if (kind == 1) def.prony_ratio = 0.2, def.prony_time = 1 / undamped.omega;
      if (kind == 2)
        def.prony_ratio = 0.15, def.prony_time = 5 / undamped.omega, def.second_prony_ratio = 0.1,
        def.second_prony_time = 0.1 / undamped.omega;
      if (kind == 3) def.loss_factor = 0.08;
      measured got = measure(context, &def, step, &branches), want = root_of(&def, &branches, undamped.omega);
      print_message("element %d, kind %d: %.4f Hz, ratio %.5f; root %.4f Hz, %.5f\n", element, kind,
                    got.omega / (2 * PL_PI), got.ratio, want.omega / (2 * PL_PI), want.ratio);
      check_near(got.omega, want.omega, 0.003 * want.omega);
      check_near(got.ratio, want.ratio, 0.03 * want.ratio);
    }
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(structural_damping_has_one_loss_tangent),
      cmocka_unit_test(vibrations_of_a_bar_are_those_of_the_complex_modulus),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
