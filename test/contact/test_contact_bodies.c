// Bodies against bodies: momentum, no way through, out from deep inside, a stack that stands.
// ctest: unit
#include "base/random.h"
#include "fixtures/particle_cubes.h"

static void two_bodies_that_collide_keep_their_momentum(void **state) {
  (void)state;
  static scene s;
  pl_context *context = make_context(1);
  begin(&s, context, 2, false);
  pl_random random = pl_random_of_seed(8);
  for (int32_t b = 0; b < 2; ++b)
    for (int32_t p = 0; p < PARTICLES; ++p) s.inverse_masses[b][p] = pl_random_between(&random, 1, 20);
  s.bodies[0].restitution = 0.5;
  prepare(&s);
  put(&s, 0, (pl_transform){{0, 0, 0}, pl_quat_from_rotation_vector(pl_vec3_of(0.3, 0.5, 0.1))}, pl_vec3_of(0, 0, 0));
  put(&s, 1, at(0.1, 1.5, 0.2), pl_vec3_of(1, -8, 0.5));
  const pl_vec3 none = {0, 0, 0};
  int contacts = 0;
  for (int i = 0; i < 60; ++i) {
    fly(&s, none);
    pl_vec3 before = momentum(&s);
    contacts += solve(&s, none).contact_count;
    check_near(pl_vec3_distance(momentum(&s), before), 0, 1e-12 * pl_vec3_length(before));
  }
  assert_true(contacts > 20);
  assert_true(center_of(s.velocities[0]).y < -0.5);  // it was hit
  end(&s);
  drop_context(context);
}

static void an_elastic_hit_of_embedded_surfaces_keeps_momentum_and_energy(void **state) {
  (void)state;
  // Two bodies of four particles, each with an octahedron embedded among them; weights only sum to 1 in single
  // precision. One sweep over the one contact (only the first body has triangles) must do it, so the contact's mass
  // must be right although its corners share particles.
  enum { N = 6 };
  const pl_vec3 corners[4] = {{-1, -1, -1}, {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};
  int32_t parents[4 * N];
  float weights[4 * N];
  const pl_vec3 axes[N] = {{0.9, 0, 0}, {-0.9, 0, 0}, {0, 0.9, 0}, {0, -0.9, 0}, {0, 0, 0.9}, {0, 0, -0.9}};
  for (int i = 0; i < N; ++i)
    for (int k = 0; k < 4; ++k) {
      parents[4 * i + k] = k;
      weights[4 * i + k] = (float)(0.25 * (1 + pl_vec3_dot(axes[i], corners[k])));
    }
  const int32_t triangles[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
  const pl_contact_surface surfaces[2] = {{N, parents, weights, 8, triangles, 4, NULL, NULL},
                                          {N, parents, weights, 0, NULL, 4, NULL, NULL}};
  pl_vec3 starts[2][4], positions[2][4], velocities[2][4];
  double inverse_masses[2][4] = {{1, 2, 3, 4}, {2, 2, 1, 5}};
  pl_contact_body bodies[2];
  for (int b = 0; b < 2; ++b) {
    bodies[b] = (pl_contact_body){.surface = &surfaces[b],
                                  .starts = starts[b],
                                  .positions = positions[b],
                                  .velocities = velocities[b],
                                  .inverse_masses = inverse_masses[b],
                                  .restitution = 1,
                                  .radius = 0.01};
    for (int k = 0; k < 4; ++k) {
      starts[b][k] = pl_vec3_add(corners[k], pl_vec3_of(0.1 * b, 1.7 * b, 0.05 * b));
      velocities[b][k] = pl_vec3_of(0, b ? -3 : 3, 0);
      positions[b][k] = pl_vec3_add_scaled(starts[b][k], velocities[b][k], STEP);
    }
  }
  pl_context *context = make_context(1);
  pl_contact_solver *solver = NULL;
  pl_error error = {0};
  check_ok(pl_contact_solver_create(context, &solver, &error), &error);
  check_ok(pl_contact_solver_prepare(solver, bodies, 2, NULL, 0, &error), &error);
  pl_contact_report report;
  check_ok(pl_contact_solver_solve(solver, bodies, 2, NULL, 0, 0, STEP, 1, pl_vec3_of(0, 0, 0), &report, &error),
           &error);
  assert_int_equal(report.contact_count, 1);
  pl_vec3 sum = {0, 0, 0}, old = {0, 0, 0};
  double energy = 0, old_energy = 0;
  for (int b = 0; b < 2; ++b)
    for (int k = 0; k < 4; ++k) {
      double mass = 1 / inverse_masses[b][k];
      sum = pl_vec3_add_scaled(sum, velocities[b][k], mass);
      old = pl_vec3_add_scaled(old, pl_vec3_of(0, b ? -3 : 3, 0), mass);
      energy += 0.5 * mass * pl_vec3_dot(velocities[b][k], velocities[b][k]);
      old_energy += 0.5 * mass * 9;
    }
  check_near(pl_vec3_distance(sum, old), 0, 1e-12);
  check_near(energy, old_energy, 1e-12 * old_energy);
  pl_contact_solver_destroy(solver);
  drop_context(context);
}

static void a_fast_particle_does_not_pass_through_a_body(void **state) {
  (void)state;
  static scene s;
  pl_context *context = make_context(1);
  begin(&s, context, 2, false);
  prepare(&s);
  // A cube thinner than a step's way, hit by another one: 0.05 thick, 100 m/s is 0.42 a step.
  for (int run = 0; run < 10; ++run) {
    for (int32_t p = 0; p < PARTICLES; ++p) {
      pl_vec3 r = s.model.rest[p];
      s.inverse_masses[0][p] = 0;  // a wall
      s.positions[0][p] = pl_vec3_of(4 * r.x, 0.05 * r.y, 4 * r.z);
      s.velocities[0][p] = pl_vec3_of(0, 0, 0);
    }
    put(&s, 1, at(0.03 * run, 0.8 + 0.07 * run, 0.02), pl_vec3_of(0, -100, 0));
    for (int i = 0; i < 8; ++i) {
      fly(&s, pl_vec3_of(0, 0, 0));
      solve(&s, pl_vec3_of(0, 0, 0));
    }
    for (int32_t p = 0; p < PARTICLES; ++p) {
      bool is_surface = fmax(fabs(s.model.rest[p].x), fmax(fabs(s.model.rest[p].y), fabs(s.model.rest[p].z))) == 0.5;
      if (is_surface) assert_true(s.positions[1][p].y > 0.024);
      check_near(s.positions[0][p].y, 0.05 * s.model.rest[p].y, 0);
    }
  }
  end(&s);
  drop_context(context);
}

static void a_point_deep_inside_comes_out(void **state) {
  (void)state;
  static scene s;
  pl_context *context = make_context(1);
  begin(&s, context, 2, false);
  prepare(&s);
  put(&s, 0, at(0, 0, 0), pl_vec3_of(0, 0, 0));
  put(&s, 1, at(0.7, 0.02, 0.01), pl_vec3_of(0, 0, 0));  // overlaps by 0.3
  for (int32_t p = 0; p < PARTICLES; ++p) s.inverse_masses[0][p] = 0;
  double first = 0, deepest = 0;
  for (int i = 0; i < 200; ++i) {
    deepest = advance_stiff(&s, pl_vec3_of(0, 0, 0)).deepest;
    if (i == 0) first = deepest;
    check_at_most(deepest, first);
  }
  assert_true(first > 0.1);
  check_at_most(deepest, 1e-4);
  assert_true(center_of(s.positions[1]).x > 0.99);
  check_near(center_of(s.positions[1]).y, 0, 0.1);
  end(&s);
  drop_context(context);
}

static void a_stack_of_stiff_cubes_stands(void **state) {
  (void)state;
  static scene s;
  pl_context *context = make_context(1);
  begin(&s, context, 3, true);
  prepare(&s);
  for (int32_t b = 0; b < 3; ++b) put(&s, b, at(0.01 * b, 0.505 + 1.01 * b, 0), pl_vec3_of(0, 0, 0));
  for (int i = 0; i < 480; ++i) advance_stiff(&s, GRAVITY);
  pl_vec3 settled[3];
  double drift = 0;
  for (int32_t b = 0; b < 3; ++b) settled[b] = center_of(s.positions[b]);
  for (int i = 0; i < 480; ++i) {
    advance_stiff(&s, GRAVITY);
    for (int32_t b = 0; b < 3; ++b) drift = fmax(drift, pl_vec3_distance(center_of(s.positions[b]), settled[b]));
  }
  for (int32_t b = 0; b < 3; ++b) {
    pl_vec3 center = center_of(s.positions[b]);
    check_near(center.y, 0.5 + b, 0.01);
    check_near(center.x, 0.01 * b, 0.01);
    check_near(center.z, 0, 0.01);
  }
  check_at_most(drift, 3e-3);
  end(&s);
  drop_context(context);
}

// Distance a stiff cube slides in a second down a tilted floor, or down a tilted, pinned cube that is made ten times as
// large.
static double slide(double friction, bool on_body) {
  static scene s;
  const double angle = 0.5;
  pl_context *context = make_context(1);
  begin(&s, context, 2, !on_body);
  pl_quat tilt = pl_quat_from_axis_angle(pl_vec3_of(0, 0, 1), angle);
  if (!on_body) s.collider->placement.rotation = tilt, s.collider->friction = friction;
  pl_vec3 up = pl_quat_rotate(tilt, pl_vec3_of(0, 1, 0));
  for (int32_t p = 0; p < PARTICLES; ++p) s.inverse_masses[0][p] = 0;
  s.bodies[0].friction = s.bodies[1].friction = friction;
  prepare(&s);
  put(&s, 1, (pl_transform){pl_vec3_scale(up, 0.5), tilt}, pl_vec3_of(0, 0, 0));
  for (int32_t p = 0; p < PARTICLES; ++p) {
    pl_vec3 position = on_body ? pl_vec3_scale(s.model.rest[p], 10) : pl_vec3_of(50, 50, 50);
    s.positions[0][p] = pl_quat_rotate(tilt, pl_vec3_add(position, pl_vec3_of(0.13, -5, 0.17)));
  }
  for (int i = 0; i < 240; ++i) {
    for (int32_t p = 0; p < PARTICLES; ++p) s.velocities[0][p] = pl_vec3_scale(GRAVITY, -STEP);  // held against gravity
    fly(&s, GRAVITY);
    stiffen(&s, 1);
    solve(&s, GRAVITY);
  }
  assert_false(s.bodies[0].moved);
  assert_true(s.bodies[1].moved);
  pl_vec3 center = center_of(s.positions[1]);
  check_near(pl_vec3_dot(center, up), 0.5, 0.005);
  end(&s);
  drop_context(context);
  return pl_vec3_distance(center, pl_vec3_scale(up, 0.5));
}

static void a_stiff_cube_slides_or_holds_as_coulomb_says(void **state) {
  (void)state;
  for (int on_body = 0; on_body < 2; ++on_body) {
    check_at_most(slide(0.7, on_body), 0.01);
    double expected = 0.5 * 9.81 * (sin(0.5) - 0.3 * cos(0.5));
    check_near(slide(0.3, on_body), expected, 0.03 * expected);
  }
}

// Angular momentum of a body around the origin.
static pl_vec3 spin_of(const scene *s, int32_t b) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t p = 0; p < PARTICLES; ++p)
    sum = pl_vec3_add_scaled(sum, pl_vec3_cross(s->positions[b][p], s->velocities[b][p]), 1 / s->inverse_masses[b][p]);
  return sum;
}

static double fastest_from_mean(const scene *s, int32_t b) {
  pl_vec3 mean = center_of(s->velocities[b]);
  double fastest = 0;
  for (int32_t p = 0; p < PARTICLES; ++p) fastest = fmax(fastest, pl_vec3_distance(s->velocities[b][p], mean));
  return fastest;
}

// A corner that was bent in deep comes free; what it loses of its speed goes to the body.
static void a_corner_that_whips_is_slowed_down_and_momentum_is_kept(void **state) {
  (void)state;
  static scene s;
  pl_context *context = make_context(1);
  begin(&s, context, 1, true);
  s.bodies[0].damping = 5;
  prepare(&s);
  put(&s, 0, at(0, 3, 0), pl_vec3_of(1, 2, 0.5));
  const int corner[3] = {0, 0, 0};
  s.velocities[0][particle_at(corner)] = pl_vec3_of(60, 45, -30);
  fly(&s, pl_vec3_of(0, 0, 0));
  pl_vec3 before = momentum(&s), spin = spin_of(&s, 0);
  solve(&s, pl_vec3_of(0, 0, 0));
  print_message("fastest %.1f m/s from the mean\n", fastest_from_mean(&s, 0));
  // A fifth of the particles' spacing in a step, and the turn that the body got.
  assert_true(fastest_from_mean(&s, 0) < 30);
  assert_true(fastest_from_mean(&s, 0) > 5);
  check_near(pl_vec3_distance(momentum(&s), before), 0, 1e-12 * pl_vec3_length(before));
  // Inertia has a fraction of 1e-9 added, so that lines of particles have one.
  check_near(pl_vec3_distance(spin_of(&s, 0), spin), 0, 1e-8 * pl_vec3_length(spin));
  end(&s);
  drop_context(context);
}

// A corner that came through a plate is free to go back; one that comes from the side of its body is not let through.
static void a_corner_behind_a_body_may_go_back(void **state) {
  (void)state;
  static scene s;
  pl_context *context = make_context(1);
  for (int hooked = 0; hooked < 2; ++hooked) {
    begin(&s, context, 2, false);
    prepare(&s);
    for (int32_t p = 0; p < PARTICLES; ++p) {
      pl_vec3 r = s.model.rest[p];
      s.inverse_masses[0][p] = 0;
      s.positions[0][p] = pl_vec3_of(4 * r.x, 0.05 * r.y, 4 * r.z);
    }
    put(&s, 1, at(0.11, 0.8, 0.07), pl_vec3_of(0, 0, 0));
    const int corner[3] = {0, 0, 0};
    int32_t p = particle_at(corner);
    s.positions[1][p].y = hooked ? -0.06 : 0.06;
    s.velocities[1][p] = pl_vec3_of(0, hooked ? 20 : -20, 0);
    for (int i = 0; i < 3; ++i) {
      fly(&s, pl_vec3_of(0, 0, 0));
      solve(&s, pl_vec3_of(0, 0, 0));
    }
    assert_true(s.positions[1][p].y > 0.024);
    end(&s);
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_bodies_that_collide_keep_their_momentum),
      cmocka_unit_test(an_elastic_hit_of_embedded_surfaces_keeps_momentum_and_energy),
      cmocka_unit_test(a_fast_particle_does_not_pass_through_a_body),
      cmocka_unit_test(a_point_deep_inside_comes_out),
      cmocka_unit_test(a_stack_of_stiff_cubes_stands),
      cmocka_unit_test(a_corner_that_whips_is_slowed_down_and_momentum_is_kept),
      cmocka_unit_test(a_corner_behind_a_body_may_go_back),
      cmocka_unit_test(a_stiff_cube_slides_or_holds_as_coulomb_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
