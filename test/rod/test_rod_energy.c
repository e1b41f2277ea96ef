// Energy of chains that nothing drives or damps. They start in their rest pose with random velocities, so that all the
// energy there is is the kinetic energy of the start.
//
// The step is the leapfrog rule: velocities belong to the middle of a step, and with a stiffness k what is kept of a
// vibration is
//
//   E = ½ v² + ½ k x0 x1 = ½ u² + ½ k (1 - k h² / 4) x0²,   x1 = x0 + h v,   u = (v_before + v) / 2
//
// so that the kinetic energy of u, the velocity when a step begins, never exceeds E, which is that of the start. The
// one of v does, by the factor 1 / (1 - k h² / 4) where x0 = -x1. Positions and orientations pull with alpha each, so
// that k h² is at most 2 alpha.
// ctest: physics once
#include "base/random.h"
#include "body/body_method.h"
#include "fixtures/rod_chains.h"

typedef struct throw {
  int32_t joints;
  uint64_t seed;
  double step, stiffness;
}
throw;

// Every segment turns by a spin of its own, so that lengths are kept.
static void throw_chain(const test_rod *rod, uint64_t seed, pl_vec3 *v) {
  pl_random random = pl_random_of_seed(seed);
  v[0] = v[1] = (pl_vec3){0, 0, 0};
  for (int32_t i = 2; i < rod->def.joint_count; ++i) {
    pl_vec3 spin = {pl_random_between(&random, -4, 4), pl_random_between(&random, -4, 4),
                    pl_random_between(&random, -4, 4)};
    pl_vec3 segment = pl_vec3_sub(rod->joints[i].rest.position, rod->joints[i - 1].rest.position);
    v[i] = pl_vec3_add(v[i - 1], pl_vec3_cross(spin, segment));
  }
}

// Of the mean of two velocities of each joint, joules.
static double mean_energy(const pl_model *model, const pl_vec3 *before, const pl_vec3 *after) {
  double sum = 0;
  for (int32_t i = 0; i < model->particle_count; ++i) {
    pl_vec3 mean = pl_vec3_lerp(before[i], after[i], 0.5);
    sum += 0.5 * model->masses[i] * pl_vec3_dot(mean, mean);
  }
  return sum;
}

static void run_chain(const throw *t, int32_t steps) {
  pl_context *context = make_context(1);
  pl_error error = {0};
  test_rod rod;
  begin_rod(&rod, t->joints, 0.5 / t->joints, (pl_vec3){0.1, 0, 0.05});
  rod.def.damping = 0;
  rod.def.stiffness = t->stiffness;
  pl_model *model = build_rod(context, &rod);
  pl_world *world = make_world(context, t->step, 0);
  pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
  pl_vec3 v[MAX_ROD_JOINTS];
  throw_chain(&rod, t->seed, v);
  check_ok(pl_body_set_state(world, id, NULL, v, &error), &error);
  double start = pl_body_get_report(world, id).kinetic_energy, largest[2] = {0, 0}, largest_mean = 0;
  pl_vec3 both[2][MAX_ROD_JOINTS];
  pl_body_get_velocities(world, id, both[1]);
  for (int32_t s = 0; s < steps; ++s) {
    run_steps(world, 1);
    double energy = pl_body_get_report(world, id).kinetic_energy / start;
    largest[s >= steps / 2] = fmax(largest[s >= steps / 2], energy);
    pl_body_get_velocities(world, id, both[s % 2]);
    if (s > 0) largest_mean = fmax(largest_mean, mean_energy(model, both[0], both[1]) / start);
  }
  double alpha = fmin(t->stiffness * pow(240 * t->step, 2), 1), max = 1 / (1 - alpha / 2);
  print_message(
      "%2d joints, 1/%.0f s, alpha %.2f: at most %.4f when a step begins; in its middle %.4f in the first half, %.4f "
      "in "
      "the other, of %.4f\n",
      t->joints, 1 / t->step, alpha, largest_mean, largest[0], largest[1], max);
  check_at_most(largest_mean, 1.01);
  // Two hundredths are for the first step, which turns straight velocities into turning segments.
  check_at_most(fmax(largest[0], largest[1]), 1.02 * max);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void energy_does_not_grow(void **state) {
  (void)state;
  static const int32_t joints[] = {4, 8, 20};
  static const double stiffnesses[] = {0.02, 0.1, 0.5, 1};
  for (int k = 0; k < 24; ++k) {
    throw t = {joints[k % 3], (uint64_t)k + 1, k % 2 == 0 ? 1.0 / 240 : 1.0 / 60, stiffnesses[k / 6]};
    run_chain(&t, 10000);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(energy_does_not_grow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
