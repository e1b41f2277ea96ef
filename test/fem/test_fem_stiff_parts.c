// Stiffness damping acts on changes of shape: a part that is a thousand times stiffer, and turns with the rest, adds
// nothing to it.
// ctest: physics long
#include "fixtures/fem_bodies.h"
#include "pliant/math.h"

// Damping ratio of a bar held at one end that swings far, from its peaks, relative to what
// β ω / 2 says for its own frequency. The outer third is `scale` times as stiff.
static double measure(pl_context *context, double scale, double speed, pl_fem_element_order element) {
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.3, 0.03, 0.06}, 10, 2, 2);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  double *scales = calloc((size_t)view.tet_count, sizeof *scales);
  for (int32_t t = 0; t < view.tet_count; ++t) {
    double x = 0;
    for (int k = 0; k < 4; ++k) x += 0.25 * view.points[view.tets[4 * t + k]].x;
    scales[t] = x > 0.05 ? scale : 1;
  }
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  def.element = element;
  def.young = 2e5;
  def.stiffness_damping = 0.004;
  def.young_scales = scales;
  def.newton_tolerance = 1e-6;
  def.max_newton_iterations = 30;
  pl_model *model = make_fem_model(context, &def, mesh);
  double step = 1.0 / 240;
  pl_world *world = make_world(context, step, 0);
  pl_body_id body = add_body(world, model, (pl_vec3){0.15, 0, 0});
  int32_t count = pl_model_get_report(model).particle_count, tip = 0;
  pl_vec3 *x = calloc((size_t)count, sizeof *x), *v = calloc((size_t)count, sizeof *v);
  pl_body_get_positions(world, body, x);
  for (int32_t i = 0; i < count; ++i) {
    if (x[i].x > x[tip].x + 1e-9) tip = i;
    v[i].y = speed * x[i].x * x[i].x / 0.09;
    if (x[i].x > 1e-9) continue;
    pl_pin_def hold = pl_default_pin_def();
    hold.body = body;
    hold.particle = i;
    hold.target = x[i];
    check_ok(pl_world_add_pin(world, &hold, NULL, &error), &error);
  }
  check_ok(pl_body_set_state(world, body, NULL, v, &error), &error);
  double start = x[tip].y, last = 0, before = 0, peaks[7], times[7];
  int found = 0;
  for (int k = 1; k < 2000 && found < 7; ++k) {
    check_ok(pl_world_step(world, NULL, &error), &error);
    pl_body_get_positions(world, body, x);
    double now = x[tip].y - start;
    bool turns = (last - before) * (now - last) < 0 && fabs(last) > 1e-2 * speed;
    if (k > 2 && turns) peaks[found] = fabs(last), times[found++] = (k - 1) * step;
    before = last;
    last = now;
  }
  assert_int_equal(found, 7);
  double period = times[6] - times[4], omega = 2 * PL_PI / period;
  // Half periods between neighbouring peaks; in the first ones higher vibrations are still there.
  double decrement = log(peaks[2] / peaks[6]) / 4, ratio = decrement / sqrt(PL_PI * PL_PI + decrement * decrement);
  double expected = 0.5 * def.stiffness_damping * omega;
  print_message(
      "outer third %4g times as stiff, element %d: %.3f Hz, peaks %.3f … %.3f m, damping ratio %.4f, β ω / 2 %.4f\n",
      scale, (int)element, omega / (2 * PL_PI), peaks[2], peaks[6], ratio, expected);
  free(x);
  free(v);
  free(scales);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  return ratio / expected;
}

static void a_stiff_part_adds_no_damping(void **unused) {
  (void)unused;
  pl_context *context = make_context(1);
  for (int element = 0; element < 2; ++element) {
    double even = measure(context, 1, 0.1, (pl_fem_element_order)element),
           stiff = measure(context, 1000, 0.1, (pl_fem_element_order)element),
           far = measure(context, 1000, 1.35, (pl_fem_element_order)element),
           even_far = measure(context, 1, 1.35, (pl_fem_element_order)element);
    check_near(even, 1, 0.1);
    check_near(stiff, 1, 0.1);
    // Far from straight β K is larger in both.
    check_near(far / even_far, 1, 0.15);
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stiff_part_adds_no_damping),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
