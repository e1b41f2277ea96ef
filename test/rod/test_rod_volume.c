// Hair as a volume: the grid gives back what was put in, friction takes no momentum and makes no energy, and hair that
// is pressed together is driven apart.
// ctest: physics
#include "base/random.h"
#include "fixtures/rod_chains.h"
#include "rod/rod_volume.h"

enum { POINTS = 400 };

typedef struct cloud {
  pl_vec3 positions[POINTS], velocities[POINTS];
  double masses[POINTS];
} cloud;

static void fill_cloud(cloud *c, pl_vec3 shift) {
  pl_random random = pl_random_of_seed(3);
  for (int i = 0; i < POINTS; ++i) {
    double x[6];
    for (int k = 0; k < 6; ++k) x[k] = pl_random_between(&random, -1, 1);
    c->positions[i] = pl_vec3_add(shift, (pl_vec3){0.1 * x[0], 0.07 * x[1], 0.12 * x[2]});
    c->velocities[i] = (pl_vec3){x[3], x[4], x[5]};
    c->masses[i] = pl_random_between(&random, 0.001, 0.003);
  }
}

// Also 3 km away.
static void friction_keeps_momentum_and_makes_no_energy(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int k = 0; k < 2; ++k) {
    static cloud c;
    pl_vec3 shift = {k * 3000.0, 0, -k * 500.0}, sum = {0, 0, 0}, after = {0, 0, 0};
    fill_cloud(&c, shift);
    pl_scratch scratch;
    pl_scratch_init(&scratch, context);
    pl_rod_volume volume;
    pl_rod_volume_points points = {POINTS, c.positions, c.velocities, c.masses};
    assert_true(pl_rod_volume_fill(&scratch, &points, shift, 0.02, &volume));
    double energy = 0, energy_after = 0, mass = 0, size = 0;
    for (int32_t i = 0; i < volume.counts[0] * volume.counts[1] * volume.counts[2]; ++i)
      mass += (double)volume.nodes[i][3];
    for (int i = 0; i < POINTS; ++i) {
      pl_vec3 next = pl_vec3_lerp(c.velocities[i], pl_rod_volume_at(&volume, c.positions[i]).velocity, 0.6);
      sum = pl_vec3_add_scaled(sum, c.velocities[i], c.masses[i]);
      after = pl_vec3_add_scaled(after, next, c.masses[i]);
      energy += 0.5 * c.masses[i] * pl_vec3_dot(c.velocities[i], c.velocities[i]);
      energy_after += 0.5 * c.masses[i] * pl_vec3_dot(next, next);
      size += c.masses[i];
    }
    printf("momentum changes by %.2g of %.3g kg m/s, energy from %.4f J to %.4f J\n", pl_vec3_distance(sum, after),
           size, energy, energy_after);
    check_near(mass, size, 1e-6 * size);
    check_at_most(pl_vec3_distance(sum, after), 1e-6 * size);
    check_at_most(energy_after, energy);
    pl_scratch_destroy(&scratch);
  }
  drop_context(context);
}

// The density of one mass at a node, in its own cell, and its gradient by differences.
static void the_gradient_is_that_of_the_density(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static cloud c;
  fill_cloud(&c, (pl_vec3){0, 0, 0});
  pl_scratch scratch;
  pl_scratch_init(&scratch, context);
  pl_rod_volume volume;
  pl_rod_volume_points points = {POINTS, c.positions, NULL, c.masses};
  assert_true(pl_rod_volume_fill(&scratch, &points, (pl_vec3){0, 0, 0}, 0.02, &volume));
  const double h = 1e-4;
  double worst = 0;
  for (int i = 0; i < 60; ++i) {
    // In the middle of a cell, so that differences stay in it.
    pl_vec3 x = pl_vec3_add_scaled(volume.origin, (pl_vec3){1.4 + i % 5, 1.3 + i % 4, 1.6 + i % 6}, volume.cell);
    pl_vec3 gradient = pl_rod_volume_at(&volume, x).gradient, found;
    double *to = &found.x;
    for (int k = 0; k < 3; ++k) {
      pl_vec3 step = {k == 0 ? h : 0, k == 1 ? h : 0, k == 2 ? h : 0};
      to[k] = (pl_rod_volume_at(&volume, pl_vec3_add(x, step)).density -
               pl_rod_volume_at(&volume, pl_vec3_sub(x, step)).density) /
              (2 * h);
    }
    worst = fmax(worst, pl_vec3_distance(gradient, found) / (pl_vec3_length(gradient) + 1));
  }
  printf("gradient off by %.2g\n", worst);
  check_at_most(worst, 5e-3);
  // A cloud that is far apart gets a coarser grid and no more memory.
  c.positions[0] = (pl_vec3){50, -20, 30};
  assert_true(pl_rod_volume_fill(&scratch, &points, (pl_vec3){0, 0, 0}, 0.02, &volume));
  assert_true(volume.cell > 0.02 && volume.counts[0] * volume.counts[1] * volume.counts[2] <= 1 << 18);
  pl_scratch_destroy(&scratch);
  drop_context(context);
}

// Chains around a small ring, spread like the petals of a flower at rest and limp: they hang down in one bundle. How
// far joints are from its axis then, in the mean.
static double radius_of(pl_context *context, double cell, double pressure) {
  enum { CHAINS = 24, LINKS = 9 };
  static pl_rod_joint joints[1 + CHAINS * LINKS];
  static pl_vec3 x[1 + CHAINS * LINKS];
  pl_rod_def def = pl_default_rod_def();
  joints[0] = pl_default_rod_joint(-1);
  joints[0].kinematic = true;
  def.joint_count = 1;
  for (int k = 0; k < CHAINS; ++k)
    for (int i = 0; i < LINKS; ++i) {
      pl_rod_joint *joint = &joints[def.joint_count];
      double angle = 2 * PL_PI * k / CHAINS, out = 0.005 + 0.03 * i;
      *joint = pl_default_rod_joint(i == 0 ? 0 : def.joint_count - 1);
      joint->rest.position = (pl_vec3){out * cos(angle), 0, out * sin(angle)};
      joint->radius = 0.001;
      def.joint_count++;
    }
  def.joints = joints;
  def.tube_sides = 0;
  def.stiffness = 1e-6;
  def.damping = 5;
  def.volume_cell = cell;
  def.volume_pressure = pressure;
  pl_model *model = NULL;
  pl_error error = {0};
  check_ok(pl_rod_build(context, &def, &model, &error), &error);
  pl_world *world = make_world(context, 1.0 / 120, -9.81);
  pl_body_id body = add_body(world, model, (pl_vec3){5, 0, 0});
  run_steps(world, 360);
  pl_body_get_positions(world, body, x);
  double sum = 0;
  for (int i = 1; i <= CHAINS * LINKS; ++i) sum += hypot(x[i].x - 5, x[i].z) / (CHAINS * LINKS);
  pl_world_destroy(world);
  pl_model_destroy(model);
  return sum;
}

static void pressed_hair_keeps_its_volume(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  double without = radius_of(context, 0, 0), friction = radius_of(context, 0.02, 0);
  double some = radius_of(context, 0.02, 0.3), more = radius_of(context, 0.02, 1);
  printf(
      "a bundle has a mean radius of %.4f m without a volume, %.4f m with friction, %.4f m and %.4f m with pressure\n",
      without, friction, some, more);
  check_near(friction, without, 0.2 * without);
  assert_true(some > 1.2 * without && more > 1.2 * some);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_keeps_momentum_and_makes_no_energy),
      cmocka_unit_test(the_gradient_is_that_of_the_density),
      cmocka_unit_test(pressed_hair_keeps_its_volume),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
