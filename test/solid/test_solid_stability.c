// Whatever is done to a solid at the hardest settings, it stays finite and comes back to its shape when released (paper
// 000 is unconditionally stable in practice; this holds it to that).
// ctest: physics once
#include "base/random.h"
#include "fixtures/solid_bodies.h"
#include "pliant/math.h"

enum { MAX = 300 };

typedef enum harm { FLATTENED, INSIDE_OUT, TO_A_POINT, SCRAMBLED } harm;

static pl_vec3 harmed(pl_vec3 p, harm how, double scale, pl_random *random) {
  switch (how) {
    case FLATTENED: return (pl_vec3){p.x, 0, p.z};
    case INSIDE_OUT: return (pl_vec3){-p.x, p.y, p.z};
    case TO_A_POINT: return (pl_vec3){0, 0, 0};
    default:
      return (pl_vec3){scale * pl_random_normal(random), scale * pl_random_normal(random),
                       scale * pl_random_normal(random)};
  }
}

// Share of the size by which distances differ from the rest shape's, root mean square over pairs: 0 for a rigid motion
// of it.
static double misshape(const pl_vec3 *x, const pl_vec3 *rest, int32_t n, double size) {
  double sum = 0;
  int32_t pairs = 0;
  for (int32_t i = 0; i < n; i += 3)
    for (int32_t j = 0; j < i; j += 5, ++pairs)
      sum += pow(pl_vec3_distance(x[i], x[j]) - pl_vec3_distance(rest[i], rest[j]), 2);
  return sqrt(sum / pairs) / size;
}

static void survive(harm how, double scale, bool with_examples, double limit) {
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  pl_vec3 size = {scale, scale, 1.5 * scale};
  check_ok(pl_mesh_create_box(context, size, (const int32_t[3]){4, 4, 6}, &mesh, &error), &error);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  assert_true(view.point_count <= MAX);
  pl_vec3 pose[MAX], x[MAX];
  for (int32_t i = 0; i < view.point_count; ++i)
    pose[i] = (pl_vec3){1.2 * view.points[i].x, 1.2 * view.points[i].y, 0.7 * view.points[i].z};
  pl_mesh_pose example = {"squash", pose};
  pl_solid_def def = pl_default_solid_def();
  def.stiffness = 1;
  def.stiffness_step = 1.0 / 30;
  def.damping = 1;
  def.fidelity = 0.9;
  if (with_examples) {
    def.examples = &example;
    def.example_count = 1;
  }
  pl_model *model = NULL;
  check_ok(pl_solid_build(context, &def, mesh, &model, &error), &error);
  pl_world *world = make_world(context, 1.0 / 30, 0);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
  static const pl_vec3 still[MAX];
  pl_random random = pl_random_of_seed(17);
  for (int32_t i = 0; i < view.point_count; ++i) x[i] = harmed(view.points[i], how, 0.5 * scale, &random);
  check_ok(pl_body_set_state(world, body, x, still, &error), &error);
  run_steps(world, 10000);
  pl_body_get_positions(world, body, x);
  double left = misshape(x, view.points, view.point_count, scale);
  static const char *const names[] = {"flattened", "inside out", "to a point", "scrambled"};
  print_message("%s, scale %g%s: %.2g of the size from the rest shape after 10,000 steps\n", names[how], scale,
                with_examples ? ", with an example" : "", left);
  check_at_most(left, limit);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void flattened_bodies_recover(void **state) {
  (void)state;
  for (int i = 0; i < 6; ++i) survive(FLATTENED, (const double[]){1, 1e-3, 1e3}[i % 3], i >= 3, 0.01);
}

static void bodies_turned_inside_out_recover(void **state) {
  (void)state;
  for (int i = 0; i < 6; ++i) survive(INSIDE_OUT, (const double[]){1, 1e-3, 1e3}[i % 3], i >= 3, 0.01);
}

static void scrambled_and_collapsed_bodies_recover(void **state) {
  (void)state;
  for (int i = 0; i < 2; ++i) {
    survive(SCRAMBLED, 1, i == 1, 0.01);
    survive(TO_A_POINT, 1, i == 1, 0.01);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flattened_bodies_recover),
      cmocka_unit_test(bodies_turned_inside_out_recover),
      cmocka_unit_test(scrambled_and_collapsed_bodies_recover),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
