// ctest: unit threads
// Edges against edges: crossed bars at any fineness and speed, no floods on flat faces, open surfaces, a body itself.
#include "base/random.h"
#include "contact/contact_intersect.h"
#include "contact/edge_touch.h"
#include "fixtures/particle_bars.h"

static const int32_t CELLS[3][3] = {{1, 1, 1}, {8, 1, 1}, {20, 2, 2}};

static pl_vec3 random_point(pl_random *random, double size) {
  pl_vec3 p;
  p.x = pl_random_between(random, -size, size);
  p.y = pl_random_between(random, -size, size);
  p.z = pl_random_between(random, -size, size);
  return p;
}

// First crossings against a fine sampling in time of the signed volume and the nearest points.
static void crossings_are_those_of_fine_sampling(void **state) {
  (void)state;
  enum { SAMPLES = 4000 };
  pl_random random = pl_random_of_seed(4);
  int found_count = 0;
  for (int run = 0; run < 400; ++run) {
    pl_edge_path path;
    for (int k = 0; k < 2; ++k) {
      path.start_a[k] = random_point(&random, 1), path.end_a[k] = random_point(&random, 1);
      path.start_b[k] = random_point(&random, 1), path.end_b[k] = random_point(&random, 1);
    }
    double before = 0, first = 2;
    for (int i = 0; i <= SAMPLES && first > 1; ++i) {
      double time = (double)i / SAMPLES, s, t;
      pl_vec3 a[2], b[2];
      for (int k = 0; k < 2; ++k) {
        a[k] = pl_vec3_lerp(path.start_a[k], path.end_a[k], time);
        b[k] = pl_vec3_lerp(path.start_b[k], path.end_b[k], time);
      }
      pl_vec3 normal = pl_vec3_cross(pl_vec3_sub(a[1], a[0]), pl_vec3_sub(b[1], b[0]));
      double volume = pl_vec3_dot(normal, pl_vec3_sub(a[0], b[0]));
      bool is_met = pl_edge_lines_nearest(a, b, &s, &t) && s > 0.01 && s < 0.99 && t > 0.01 && t < 0.99;
      if (i > 0 && volume * before < 0 && is_met) first = time;
      before = volume;
    }
    pl_edge_crossing crossing;
    bool is_found = pl_edge_touch_crossing(&path, &crossing);
    if (first <= 1) assert_true(is_found && crossing.time < first + 1e-9);
    if (!is_found) continue;
    found_count++;
    // There the edges meet, and before it a was on the normal's side.
    pl_vec3 gaps[2];
    for (int i = 0; i < 2; ++i) {
      double time = fmax(0, crossing.time - 1e-6 * i);
      pl_vec3 p = pl_vec3_lerp(pl_vec3_lerp(path.start_a[0], path.end_a[0], time),
                               pl_vec3_lerp(path.start_a[1], path.end_a[1], time), crossing.s);
      pl_vec3 q = pl_vec3_lerp(pl_vec3_lerp(path.start_b[0], path.end_b[0], time),
                               pl_vec3_lerp(path.start_b[1], path.end_b[1], time), crossing.t);
      gaps[i] = pl_vec3_sub(p, q);
    }
    check_near(pl_vec3_length(gaps[0]), 0, 1e-5);
    if (crossing.time > 1e-5) assert_true(pl_vec3_dot(gaps[1], crossing.normal) > -1e-12);
  }
  print_message("%d of 400 cross\n", found_count);
  assert_true(found_count > 50);
}

// A bar falls across another, turned by some angle, from above; one step takes it through or into the other.
static void crossed_bars_are_found_at_any_fineness_and_speed(void **state) {
  (void)state;
  static bar_scene s;
  pl_context *context = make_context(2);
  for (int fine = 0; fine < 3; ++fine)
    for (int turn = 0; turn < 3; ++turn)
      for (int fast = 0; fast < 4; ++fast)
        for (int far = 0; far < 3; ++far) {
          const double speeds[4] = {0.1, 1, 5, 20}, angles[3] = {0.5 * PL_PI, 0.7, 0.2};
          const pl_vec3 origins[3] = {{0, 0, 0}, {5, 5, 5}, {1000, -1000, 1000}};
          for (int b = 0; b < 2; ++b) make_bar(&s.models[b], pl_vec3_of(1, 0.1, 0.1), CELLS[fine]);
          // Neither bar's points lie over the other: 0.013 off the middle, tilted a little.
          pl_quat tilt = pl_quat_from_rotation_vector(pl_vec3_of(0.03, angles[turn], 0.02));
          pl_vec3 above = {0.013, 0.1005 + 0.25 * speeds[fast] * BAR_STEP + 0.006, 0.017};
          begin_bars(&s, context, 2);
          s.contact_count = 0;
          place_bar(&s, 0, (pl_transform){origins[far], pl_quat_identity()}, pl_vec3_of(0, 0, 0));
          place_bar(&s, 1, (pl_transform){pl_vec3_add(origins[far], above), tilt}, pl_vec3_of(0, -speeds[fast], 0));
          int32_t edge_count = 0, up_count = 0;
          for (int32_t steps = 0; steps < 200 && s.contact_count == 0; ++steps) {
            fly_bars(&s);
            detect_bars(&s);
            for (int32_t i = 0; i < s.contact_count; ++i) {
              const pl_contact *c = &s.contacts[i];
              if (c->a.count != 2) continue;
              edge_count++;
              assert_true(c->b.count == 2 && c->a.body == 0 && c->b.body == 1);
              up_count += c->normal.y < -0.9;  // from the upper to the lower
              check_near(c->a.weights[0] + c->a.weights[1], 1, 1e-12);
              check_near(c->b.weights[0] + c->b.weights[1], 1, 1e-12);
            }
          }
          // Found in the step in which the gap closes, not when one is half through the other.
          double lowest = bar_center(&s, 1).y - origins[far].y;
          assert_true(s.contact_count > 0);
          if (fine == 0) assert_true(edge_count > 0);
          assert_true(lowest > 0.1 - 1.2 * speeds[fast] * BAR_STEP - 0.006);
          assert_int_equal(edge_count, up_count);
          end_bars(&s);
        }
  drop_context(context);
}

// And they do not pass when the contacts are resolved: bars of one cell, which have nothing but edges to meet with.
static void crossed_bars_never_pass(void **state) {
  (void)state;
  static bar_scene s;
  pl_context *context = make_context(1);
  const double speeds[3] = {1, 5, 20};
  for (int fast = 0; fast < 3; ++fast) {
    for (int b = 0; b < 2; ++b) make_bar(&s.models[b], pl_vec3_of(1, 0.1, 0.1), CELLS[0]);
    begin_bars(&s, context, 2);
    place_bar(&s, 0, (pl_transform){{0, 0, 0}, pl_quat_identity()}, pl_vec3_of(0, 0, 0));
    pl_quat turn = pl_quat_from_rotation_vector(pl_vec3_of(0, 0.5 * PL_PI, 0));
    place_bar(&s, 1, (pl_transform){{0.013, 0.16, 0.017}, turn}, pl_vec3_of(0, -speeds[fast], 0));
    double lowest = 1;
    for (int i = 0; i < 120; ++i) {
      fly_bars(&s);
      for (int b = 0; b < 2; ++b) stiffen_bar(&s, b);
      pl_error error = {0};
      check_ok(pl_contact_solver_solve(s.solver, s.bodies, 2, NULL, 0, 0, BAR_STEP, 20, pl_vec3_of(0, -9.81, 0), NULL,
                                       &error),
               &error);
      lowest = fmin(lowest, bar_center(&s, 1).y - bar_center(&s, 0).y);
    }
    print_message("%g m/s: centres at least %.4f m apart\n", speeds[fast], lowest);
    assert_true(lowest > 0.05);
    end_bars(&s);
  }
  drop_context(context);
}

// A box flat on a box has its points to rest on; of edges only the crossings of the outlines count.
static void flat_faces_are_not_flooded(void **state) {
  (void)state;
  static bar_scene s;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(5);
  const int32_t cells[3] = {4, 4, 4};
  for (int run = 0; run < 30; ++run) {
    for (int b = 0; b < 2; ++b) make_bar(&s.models[b], pl_vec3_of(0.2, 0.2, 0.2), cells);
    begin_bars(&s, context, 2);
    double angle = run % 3 == 0 ? 0 : pl_random_between(&random, 0, 1), deep = run % 2 ? 1e-4 : -1e-4;
    pl_quat turn = pl_quat_from_rotation_vector(pl_vec3_of(0, angle, 0));
    double x = run % 5 ? pl_random_between(&random, -0.1, 0.1) : 0, z = run % 5 ? 0.03 : 0;
    place_bar(&s, 0, (pl_transform){{0, 0, 0}, pl_quat_identity()}, pl_vec3_of(0, 0, 0));
    place_bar(&s, 1, (pl_transform){{x, 0.2 - deep, z}, turn}, pl_vec3_of(0, -0.01, 0));
    fly_bars(&s);
    detect_bars(&s);
    int32_t edge_count = 0, point_count = 0;
    for (int32_t i = 0; i < s.contact_count; ++i) {
      edge_count += s.contacts[i].a.count == 2;
      point_count += s.contacts[i].a.count == 1;
      // No edge pushes sideways.
      if (s.contacts[i].a.count == 2) assert_true(fabs(s.contacts[i].normal.y) > 0.99);
    }
    assert_true(point_count >= 8);
    assert_true(edge_count <= 8);
    end_bars(&s);
  }
  drop_context(context);
}

// Two plates without thickness, edge against edge: only their borders meet.
static void borders_of_open_surfaces_meet(void **state) {
  (void)state;
  const int32_t parents[16] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}, triangles[6] = {0, 1, 2, 0, 2, 3};
  const float weights[16] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  pl_contact_surface surface = {4, parents, weights, 2, triangles, 4, NULL, NULL};
  pl_context *context = make_context(1);
  pl_error error = {0};
  for (int side = 0; side < 2; ++side) {
    pl_vec3 starts[2][4] = {{{-1, 0, 0}, {1, 0, 0}, {1, -1, 0}, {-1, -1, 0}},
                            {{0.1, 0.02, -1}, {0.1, 0.02, 1}, {0.1, 1, 1}, {0.1, 1, -1}}};
    pl_vec3 positions[2][4], velocities[2][4] = {{{0}}};
    double inverse_masses[4] = {1, 1, 1, 1};
    pl_contact_body bodies[2];
    for (int b = 0; b < 2; ++b) {
      for (int k = 0; k < 4; ++k) positions[b][k] = pl_vec3_add(starts[b][k], pl_vec3_of(0, b ? -0.08 : 0, 0));
      bodies[b] = (pl_contact_body){.surface = &surface,
                                    .starts = starts[b],
                                    .positions = positions[b],
                                    .velocities = velocities[b],
                                    .inverse_masses = inverse_masses};
    }
    pl_contact_body swapped[2] = {bodies[1], bodies[0]};
    pl_contact_solver *solver;
    check_ok(pl_contact_solver_create(context, &solver, &error), &error);
    const pl_contact_body *order = side ? swapped : bodies;
    check_ok(pl_contact_solver_prepare(solver, order, 2, NULL, 0, &error), &error);
    pl_contact_step step = {.step = BAR_STEP, .rounds = 8};
    const pl_contact *contacts;
    int32_t count;
    check_ok(pl_contact_solver_detect(solver, order, 2, NULL, 0, &step, &contacts, &count, &error), &error);
    assert_int_equal(count, 1);
    assert_true(contacts[0].a.count == 2 && contacts[0].b.count == 2);
    check_near(contacts[0].normal.y, side ? 1 : -1, 1e-9);
    check_near(contacts[0].depth, 0.06, 1e-9);
    check_near(contacts[0].start_gap, 0.02, 1e-9);
    pl_contact_solver_destroy(solver);
  }
  drop_context(context);
}

// Do the surfaces intersect at any of a number of moments of the step?
static bool meet_on_the_way(bar_scene *s, pl_vec3 way) {
  enum { MOMENTS = 40 };
  static pl_vec3 ends[BAR_PARTICLES];
  memcpy(ends, s->positions[1], sizeof ends);
  bool is_met = false;
  for (int i = 1; i <= MOMENTS && !is_met; ++i) {
    for (int32_t p = 0; p < s->models[1].particle_count; ++p)
      s->positions[1][p] = pl_vec3_add_scaled(s->starts[1][p], way, (double)i / MOMENTS);
    // A little deeper than rounding: what only grazes need not be found.
    pl_contact_intersections found = {.tolerance = 1e-4, .spares_self = true};
    pl_error error = {0};
    check_ok(pl_contact_find_intersections(s->solver, s->bodies, 2, &found, &error), &error);
    is_met = found.count > 0;
  }
  memcpy(s->positions[1], ends, sizeof ends);
  return is_met;
}

// Boxes, bars and thin plates of any fineness, thrown at each other at 20 m/s at random: whenever they meet within the
// step there is a contact, also when they have passed by its end.
static void nothing_passes_unseen_at_20_metres_per_second(void **state) {
  (void)state;
  static bar_scene s;
  const pl_vec3 sizes[3] = {{0.2, 0.2, 0.2}, {0.5, 0.05, 0.05}, {0.3, 0.004, 0.3}};
  const int32_t cells[2][3] = {{1, 1, 1}, {4, 1, 4}};
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(31);
  int met_count = 0, missed_count = 0;
  for (int run = 0; run < 240; ++run) {
    for (int b = 0; b < 2; ++b) make_bar(&s.models[b], sizes[(run + b * (run / 3)) % 3], cells[run / 9 % 2]);
    begin_bars(&s, context, 2);
    pl_vec3 direction = pl_vec3_normalize_or(random_point(&random, 1), pl_vec3_of(0, 1, 0));
    pl_quat turns[2] = {pl_quat_from_rotation_vector(random_point(&random, 3)),
                        pl_quat_from_rotation_vector(random_point(&random, 3))};
    pl_vec3 way = pl_vec3_scale(direction, -20 * BAR_STEP);
    place_bar(&s, 0, (pl_transform){{0, 0, 0}, turns[0]}, pl_vec3_of(0, 0, 0));
    // As close as they come along the direction without meeting.
    double away = 0.8;
    pl_vec3 aside = random_point(&random, 0.05);
    for (; away > 0; away -= 0.02) {
      pl_vec3 position = pl_vec3_add(aside, pl_vec3_scale(direction, away - 0.02));
      place_bar(&s, 1, (pl_transform){position, turns[1]}, pl_vec3_of(0, 0, 0));
      pl_contact_intersections found = {.spares_self = true};
      pl_error error = {0};
      check_ok(pl_contact_find_intersections(s.solver, s.bodies, 2, &found, &error), &error);
      if (found.count > 0) break;
    }
    place_bar(&s, 1, (pl_transform){pl_vec3_add(aside, pl_vec3_scale(direction, away)), turns[1]},
              pl_vec3_scale(direction, -20));
    fly_bars(&s);
    if (away > 0 && meet_on_the_way(&s, way)) {
      met_count++;
      detect_bars(&s);
      if (s.contact_count == 0) missed_count++;
    }
    end_bars(&s);
  }
  print_message("%d of 240 meet, %d unseen\n", met_count, missed_count);
  assert_true(met_count > 100);
  assert_int_equal(missed_count, 0);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(crossings_are_those_of_fine_sampling),
      cmocka_unit_test(crossed_bars_are_found_at_any_fineness_and_speed),
      cmocka_unit_test(crossed_bars_never_pass),
      cmocka_unit_test(nothing_passes_unseen_at_20_metres_per_second),
      cmocka_unit_test(flat_faces_are_not_flooded),
      cmocka_unit_test(borders_of_open_surfaces_meet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
