// Contacts of two soft bodies in compact rows do what the general rows do: the same boxes are resolved with a list of
// contacts, and without.
// ctest: unit
#include "contact/contact_filter.h"
#include "contact/contact_solver.h"
#include "fixtures/pressed_boxes.h"

// The same boxes by general rows and by compact ones.
static void resolve_both(pressed_boxes *general, pressed_boxes *compact, uint64_t seed) {
  pressed_boxes *boxes[2] = {general, compact};
  for (int k = 0; k < 2; ++k) {
    open_boxes(boxes[k]);
    // General rows have no such step.
    boxes[k]->solver->memory.has_no_settle = true;
    press_boxes(boxes[k], seed);
    resolve_boxes(boxes[k], k == 0);
  }
}

static void velocities_are_those_of_general_rows(void **state) {
  (void)state;
  static pressed_boxes general, compact;
  double max_difference = 0, max_change = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    resolve_both(&general, &compact, seed);
    static pressed_boxes before;
    open_boxes(&before);
    press_boxes(&before, seed);
    for (int k = 0; k < 2; ++k)
      for (int i = 0; i < PARTICLES; ++i) {
        max_difference = fmax(max_difference, pl_vec3_distance(general.velocities[k][i], compact.velocities[k][i]));
        max_change = fmax(max_change, pl_vec3_distance(general.velocities[k][i], before.velocities[k][i]));
      }
    close_boxes(&before);
    close_boxes(&general);
    close_boxes(&compact);
  }
  printf("velocities change by up to %.3g m/s and differ by up to %.3g\n", max_change, max_difference);
  assert_true(max_change > 0.3);
  // Places on triangles are kept in 20 bits: off by up to half a thousandth of an edge.
  assert_true(max_difference < 2e-3 * max_change);
}

static void contacts_are_those_of_the_list(void **state) {
  (void)state;
  static pressed_boxes general, compact;
  resolve_both(&general, &compact, 3);
  static double pressed[MAX_CONTACTS], other_pressed[MAX_CONTACTS];
  int32_t count = list_contacts(&general, pressed), found = 0;
  assert_int_equal(list_contacts(&compact, other_pressed), count);
  assert_true(count > 10);
  for (int32_t i = 0; i < count; ++i) {
    pl_contact a = general.contacts[i];
    for (int32_t k = 0; k < count; ++k) {
      pl_contact b = compact.contacts[k];
      if (a.a.body != b.a.body || a.b.body != b.b.body || a.a.points[0] != b.a.points[0]) continue;
      assert_memory_equal(a.b.points, b.b.points, sizeof a.b.points);
      check_near(a.depth, b.depth, 1e-5);
      check_near(pl_vec3_dot(a.normal, b.normal), 1, 1e-5);
      check_near(pressed[i], other_pressed[k], 0.01);
      ++found;
    }
  }
  assert_int_equal(found, count);
  close_boxes(&general);
  close_boxes(&compact);
}

// Particles of both boxes weigh 1 kg each.
static pl_vec3 momentum_of(const pressed_boxes *b) {
  pl_vec3 sum = {0, 0, 0};
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < PARTICLES; ++i) sum = pl_vec3_add(sum, b->velocities[k][i]);
  return sum;
}

static pl_vec3 spin_of(const pressed_boxes *b) {
  pl_vec3 sum = {0, 0, 0};
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < PARTICLES; ++i) sum = pl_vec3_add(sum, pl_vec3_cross(b->positions[k][i], b->velocities[k][i]));
  return sum;
}

static void momentum_is_kept(void **state) {
  (void)state;
  static pressed_boxes b;
  open_boxes(&b);
  for (int k = 0; k < 2; ++k) b.bodies[k].damping = 1;
  press_boxes(&b, 7);
  pl_vec3 momentum = momentum_of(&b), spin = spin_of(&b);
  resolve_boxes(&b, false);
  double size = pl_vec3_length(momentum);
  check_near(pl_vec3_distance(momentum_of(&b), momentum) / size, 0, 1e-12);
  printf("angular momentum changes by %.2g of %.3g\n", pl_vec3_distance(spin_of(&b), spin), size * SIZE);
  assert_true(pl_vec3_distance(spin_of(&b), spin) < 1e-6 * size * SIZE);
  close_boxes(&b);
}

// Boxes whose surfaces press while they part as wholes, or that are near rest and have pressed in the step before.
static void press_damped(pressed_boxes *b, bool parts, bool lists) {
  open_boxes(b);
  b->solver->memory.has_no_settle = true;
  press_boxes(b, 9);
  if (!parts) resolve_boxes(b, lists);
  for (int k = 0; k < 2; ++k) {
    b->bodies[k].damping = 1;
    for (int i = 0; i < PARTICLES; ++i) {
      pl_vec3 *v = &b->velocities[k][i];
      *v = pl_vec3_scale(*v, parts ? 1 : 0.1);
      // All but the lowest layer of the upper box.
      if (parts && k == 1 && i / 4 % 4 > 0) v->y += 3;
    }
  }
  resolve_boxes(b, lists);
}

// What the dampers of pairs gave all rows, along their normals.
static double sum_rest(const pressed_boxes *b) {
  const pl_contact_memory *memory = &b->solver->memory;
  double sum = 0;
  for (int32_t p = 0; p < memory->plan.pair_count; ++p)
    for (int k = 0; k < 2 && memory->plan.pairs[p].axis >= 0; ++k) {
      pl_soft_side side = pl_soft_side_of(&memory->plan.pairs[p], k);
      for (int32_t i = side.first; i < side.end; ++i) sum += (double)memory->soft_notes[i].rest_impulse;
    }
  for (int32_t i = 0; i < b->solver->contact_count; ++i) sum += memory->rows[i].rest_impulse;
  return sum;
}

static void dampers_are_those_of_general_rows(void **state) {
  (void)state;
  for (int parts = 0; parts < 2; ++parts) {
    static pressed_boxes general, compact;
    press_damped(&general, parts == 1, true);
    press_damped(&compact, parts == 1, false);
    double difference = 0, speed = 0, rest = sum_rest(&general), other = sum_rest(&compact);
    for (int k = 0; k < 2; ++k)
      for (int i = 0; i < PARTICLES; ++i) {
        difference = fmax(difference, pl_vec3_distance(general.velocities[k][i], compact.velocities[k][i]));
        speed = fmax(speed, pl_vec3_length(general.velocities[k][i]));
      }
    printf("velocities up to %.3g m/s differ by up to %.2g; dampers give %.4g and %.4g N s\n", speed, difference, rest,
           other);
    assert_true(difference < 5e-3 * speed);
    assert_true(fabs(rest) > 1e-3 && fabs(rest - other) < 0.01 * fabs(rest));
    close_boxes(&general);
    close_boxes(&compact);
  }
}

static void a_rule_of_the_pair_takes_friction_away(void **state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    static pressed_boxes b;
    open_boxes(&b);
    pl_contact_rule rule = {.a = 0, .b = 1, .collides = true, .friction = k == 0 ? 0 : 0.5, .restitution = -1};
    pl_contact_solver_set_pairs(b.solver, (pl_contact_rules){.items = &rule, .count = 1});
    press_boxes(&b, 5);
    pl_vec3 before = momentum_of(&b);
    double sideways = 0;
    for (int i = 0; i < PARTICLES; ++i) sideways += b.velocities[1][i].x;
    resolve_boxes(&b, false);
    for (int i = 0; i < PARTICLES; ++i) sideways -= b.velocities[1][i].x;
    assert_true(k == 0 ? fabs(sideways) < 0.02 * fabs(before.y) : fabs(sideways) > 0.02 * fabs(before.y));
    close_boxes(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(velocities_are_those_of_general_rows), cmocka_unit_test(contacts_are_those_of_the_list),
      cmocka_unit_test(momentum_is_kept), cmocka_unit_test(dampers_are_those_of_general_rows),
      cmocka_unit_test(a_rule_of_the_pair_takes_friction_away)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
