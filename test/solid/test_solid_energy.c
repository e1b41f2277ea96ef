// Energy of plain solids that nothing drives or damps, released from random stretches up to 2 with random spins.
//
// The step is the leapfrog rule: positions at whole steps, velocities in between. What it keeps, exactly so for linear
// forces, is the energy between two steps
//
//   E = K(v) + (V(x0) + V(x1)) / 2 - (x1 - x0)·(∇V(x1) - ∇V(x0)) / 4,   V = k/2 Σ_regions Σ w |x - (R q + c)|²
//
// with x1 = x0 + h v, k = alpha / h² and w a particle's mass over the number of its regions.
// ctest: physics once
#include "fixtures/released_bodies.h"
#include "math/f4.h"
#include "math/rotation.h"
#include "solid/solid_model.h"

enum { MAX_POINTS = 200 };

// V / k of one region.
static double region_energy(const pl_solid_model *m, const pl_vec3 *x, int32_t region) {
  pl_vec3 c = {0, 0, 0}, c0 = {0, 0, 0};
  pl_mat3 moment = pl_mat3_zero();
  double mass = 0, sum = 0;
  for (int pass = 0; pass < 3; ++pass) {
    pl_quat q = pass == 2 ? pl_rotation_of_mat3(moment, pl_quat_identity()) : pl_quat_identity();
    if (pass == 1) c = pl_vec3_scale(c, 1 / mass), c0 = pl_vec3_scale(c0, 1 / mass);
    for (int32_t k = m->region_start[region]; k < m->region_start[region + 1]; ++k) {
      int32_t i = m->region_particles[k];
      double w = m->masses[i] * (double)m->region_fractions[i];
      pl_vec3 at = x[m->order.point_of[i]], rest = pl_vec3_of_f4(m->rest[i]);
      if (pass == 0) c = pl_vec3_add_scaled(c, at, w), c0 = pl_vec3_add_scaled(c0, rest, w), mass += w;
      pl_vec3 p = pl_vec3_sub(at, c), arm = pl_vec3_sub(rest, c0);
      if (pass == 1) moment = pl_mat3_add(moment, pl_mat3_scale(pl_mat3_outer(p, arm), w));
      if (pass == 2) sum += 0.5 * w * pow(pl_vec3_distance(p, pl_quat_rotate(q, arm)), 2);
    }
  }
  return sum;
}

static double potential(const pl_solid_model *m, const pl_vec3 *x) {
  double sum = 0;
  for (int32_t region = 0; region < m->head.particle_count; ++region) sum += region_energy(m, x, region);
  return sum;
}

typedef struct release {
  int density;
  uint64_t seed;
  double step, stiffness;
} release;

// Largest energy in the first and in the second half of the steps, as fractions of that of the first two steps.
static void run_release(const release *r, int32_t steps, double largest[2]) {
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_random random = pl_random_of_seed(r->seed);
  pl_mesh *mesh = make_released_mesh(context, PL_FEM_COROTATED, r->density);
  int32_t n = pl_mesh_get_view(mesh).point_count;
  assert_true(n <= MAX_POINTS);
  pl_solid_def def = pl_default_solid_def();
  def.damping = 0;
  def.stiffness = r->stiffness;
  pl_model *model = NULL;
  check_ok(pl_solid_build(context, &def, mesh, &model, &error), &error);
  const pl_solid_model *solid = (const pl_solid_model *)model;
  double k = fmin(1 / (r->step * r->step), solid->frequency_squared);
  pl_world *world = make_world(context, r->step, 0);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
  static pl_vec3 x[MAX_POINTS], v[MAX_POINTS], last[MAX_POINTS], slopes[2][MAX_POINTS];
  memcpy(x, pl_mesh_get_view(mesh).points, (size_t)n * sizeof *x);
  release_points(&random, 2, false, n, x, v);
  check_ok(pl_body_set_state(world, body, x, v, &error), &error);
  double before = k * potential(solid, x), sum = 0, first = 0;
  largest[0] = largest[1] = 0;
  for (int32_t s = 0; s < steps; ++s) {
    memcpy(last, v, sizeof last);
    run_steps(world, 1);
    pl_body_get_positions(world, body, x);
    pl_body_get_velocities(world, body, v);
    // The change of velocities is ∇V where the step began; so what is still missing of the last step's energy is known.
    double kinetic = 0, cross = 0, after = k * potential(solid, x);
    for (int32_t i = 0; i < n; ++i) {
      double m = model->masses[i];
      slopes[s % 2][i] = pl_vec3_scale(pl_vec3_sub(v[i], last[i]), -m / r->step);
      kinetic += 0.5 * m * pl_vec3_dot(v[i], v[i]);
      cross += 0.25 * r->step * pl_vec3_dot(last[i], pl_vec3_sub(slopes[s % 2][i], slopes[(s + 1) % 2][i]));
    }
    if (s == 1) first = sum - cross;
    if (s >= 1) largest[s > steps / 2] = fmax(largest[s > steps / 2], (sum - cross) / first);
    sum = kinetic + 0.5 * (before + after);
    before = after;
  }
  print_message("density %d, seed %d, stiffness %.2f, 1/%.0f s: at most %.4f in the first half, %.4f in the second\n",
                r->density, (int)r->seed, r->stiffness, 1 / r->step, largest[0], largest[1]);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// What is resolved keeps its energy; stiffer than that it wavers, but does not grow.
static void energy_does_not_grow(void **state) {
  (void)state;
  static const double stiffnesses[] = {0.02, 0.1, 0.5, 1};
  for (int d = 0; d < RELEASED_DENSITIES; ++d)
    for (int k = 0; k < 8; ++k) {
      release r = {d, (uint64_t)(10 * d + k + 1), k % 2 == 0 ? 1.0 / 240 : 1.0 / 60, stiffnesses[k / 2]};
      double largest[2];
      run_release(&r, 2000, largest);
      bool resolved = r.stiffness * pow(240 * r.step, 2) <= 0.1 + 1e-9;
      check_at_most(largest[0], resolved ? 1.01 : 1.06);
      check_at_most(largest[1], resolved ? 1.01 : 1.01 * largest[0]);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(energy_does_not_grow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
