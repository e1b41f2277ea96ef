// ctest: unit threads
// What searches by blocks of neighbours find, against brute force: two linked tori, one in the hole of the other, so
// that boxes say nothing and every block has to learn its side.
#include "base/random.h"
#include "check.h"
#include "contact/surface_motion.h"
#include "fixtures/torus_surface.h"
#include "mesh/simplex.h"

typedef struct pair {
  torus model;
  pl_vec3 positions[2][POINTS], starts[2][POINTS], velocities[2][POINTS];
  double inverse_masses[POINTS];
  pl_contact_body bodies[2];
} pair;

static const double RADIUS = 0.01;

// The second torus is turned, shifted into the hole of the first and about as large; both move by `drift` in the step.
static void place_pair(pair *p, pl_vec3 shift, pl_vec3 drift) {
  for (int32_t i = 0; i < POINTS; ++i) {
    pl_vec3 at = p->model.points[i];
    p->positions[0][i] = at;
    p->positions[1][i] = pl_vec3_add(pl_vec3_of(0.8 * at.x, 0.8 * at.z, -0.8 * at.y), shift);
    for (int b = 0; b < 2; ++b) p->starts[b][i] = pl_vec3_sub(p->positions[b][i], drift);
    p->inverse_masses[i] = 1;
  }
  for (int b = 0; b < 2; ++b)
    p->bodies[b] = (pl_contact_body){.surface = &p->model.surface,
                                     .starts = p->starts[b],
                                     .positions = p->positions[b],
                                     .velocities = p->velocities[b],
                                     .inverse_masses = p->inverse_masses,
                                     .radius = RADIUS};
}

// Signed distance of a point from a body, negative inside, by looking at every triangle.
static double brute_distance(const pair *p, int body, pl_vec3 position) {
  double best = HUGE_VAL, angle = 0;
  for (int32_t t = 0; t < TRIANGLES; ++t) {
    const int32_t *corners = &p->model.triangles[3 * t];
    pl_vec3 a = p->positions[body][corners[0]], b = p->positions[body][corners[1]], c = p->positions[body][corners[2]];
    double weights[3];
    best = fmin(best, pl_vec3_distance(position, pl_triangle_nearest(a, b, c, position, weights)));
    angle += pl_triangle_solid_angle(a, b, c, position);
  }
  return angle > 2 * acos(-1.0) ? -best : best;
}

static int32_t detect(pair *p, pl_contact_solver *solver, const pl_contact **contacts) {
  pl_error error = {0};
  pl_contact_step step = {.step = 0.002, .rounds = 8, .gravity = {0, -9.81, 0}};
  int32_t count = 0;
  check_ok(pl_contact_solver_detect(solver, p->bodies, 2, NULL, 0, &step, contacts, &count, &error), &error);
  return count;
}

static void points_inside_are_found_and_points_outside_are_not(void **state) {
  (void)state;
  static pair p;
  make_torus(&p.model);
  pl_context *context = make_context(2);
  pl_contact_solver *solver;
  pl_error error = {0};
  check_ok(pl_contact_solver_create(context, &solver, &error), &error);
  pl_random random = pl_random_of_seed(11);
  int inside_count = 0, free_count = 0, missed_count = 0;
  for (int round = 0; round < 6; ++round) {
    double x = pl_random_between(&random, 0.1, 0.9), y = pl_random_between(&random, -0.2, 0.4);
    place_pair(&p, pl_vec3_of(x, y, pl_random_between(&random, -0.2, 0.2)), pl_vec3_of(0, -0.1 * round, 0.02));
    check_ok(pl_contact_solver_prepare(solver, p.bodies, 2, NULL, 0, &error), &error);
    const pl_contact *contacts;
    int32_t count = detect(&p, solver, &contacts);
    for (int body = 0; body < 2; ++body)
      for (int32_t i = 0; i < POINTS; ++i) {
        double distance = brute_distance(&p, 1 - body, p.positions[body][i]);
        bool is_found = false;
        for (int32_t c = 0; c < count; ++c)
          is_found =
              is_found || (contacts[c].a.count == 1 && contacts[c].a.body == body && contacts[c].a.points[0] == i);
        // The margin watched beyond both radii is far below a millimetre.
        if (distance > 2 * RADIUS + 1e-3) assert_false(is_found);
        free_count += distance > 2 * RADIUS + 1e-3;
        inside_count += distance < 0;
        missed_count += distance < 0 && !is_found;
      }
  }
  // A point that faces away from all of the surface near it is left to those that do not.
  print_message("inside %d, of which not found %d; free %d\n", inside_count, missed_count, free_count);
  assert_true(inside_count > 100 && free_count > 1000);
  assert_true(missed_count < inside_count / 10);
  pl_contact_solver_destroy(solver);
  drop_context(context);
}

static void motion_in_common_changes_nothing(void **state) {
  (void)state;
  static pair still, moving;
  make_torus(&still.model);
  make_torus(&moving.model);
  pl_context *context = make_context(1);
  pl_contact_solver *solvers[2];
  pl_error error = {0};
  pl_vec3 shift = {0.4, 0.1, 0.05};
  place_pair(&still, shift, pl_vec3_of(0, 0, 0));
  place_pair(&moving, shift, pl_vec3_of(0.5, -2, 0.25));
  pair *pairs[2] = {&still, &moving};
  const pl_contact *contacts[2];
  int32_t counts[2];
  for (int i = 0; i < 2; ++i) {
    check_ok(pl_contact_solver_create(context, &solvers[i], &error), &error);
    check_ok(pl_contact_solver_prepare(solvers[i], pairs[i]->bodies, 2, NULL, 0, &error), &error);
    counts[i] = detect(pairs[i], solvers[i], &contacts[i]);
  }
  assert_true(counts[0] > 10);
  assert_int_equal(counts[0], counts[1]);
  for (int32_t c = 0; c < counts[0]; ++c) {
    assert_int_equal(contacts[0][c].a.points[0], contacts[1][c].a.points[0]);
    check_near(contacts[0][c].depth, contacts[1][c].depth, 1e-9);
  }
  for (int i = 0; i < 2; ++i) pl_contact_solver_destroy(solvers[i]);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_inside_are_found_and_points_outside_are_not),
      cmocka_unit_test(motion_in_common_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
