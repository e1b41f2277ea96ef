// Settings of behaviours that change how a motion is made, not only how much of it: what is asked for with and without
// them.
// ctest: unit
#include "fixtures/puppet.h"

static void set(puppet *p, const char *name, double value) {
  for (int32_t i = 0; i < p->behaviour->setting_count; ++i) {
    if (strcmp(p->behaviour->settings[i].name, name) != 0) continue;
    p->settings[i] = value;
    return;
  }
  fail();
}

// Rounds of a swing in which a foot that cannot leave the ground is not yet moved along it; -1 if it never is.
static int32_t rounds_before_moving(double lift, double *swing_rounds) {
  puppet *p = calloc(1, sizeof *p);
  begin(p, pl_behaviour_find("waddle"));
  set(p, "lift", lift);
  stand_up(p, 1, true);
  p->view.command.speed = 0.2;
  observe_again(p);
  *swing_rounds = 0.9 * sqrt(p->view.height / p->view.gravity) / p->view.step;
  int32_t swung = 0, moved = -1;
  for (int32_t round = 0; round < 500 && moved < 0; ++round) {
    choose(p);
    bool swings = false;
    for (int32_t k = 0; k < p->goals.count; ++k) {
      const pl_goal *goal = &p->goals.items[k];
      if (goal->subject != PL_GOAL_PART || (goal->axes & PL_GOAL_Y) == 0) continue;
      pl_vec3 now, speed = wanted(p, goal, &now);
      swings = true;
      if (fabs(speed.x) > 1e-9) moved = swung;
    }
    swung = swings ? swung + 1 : 0;
  }
  free(p);
  return moved;
}

static void a_foot_of_a_waddle_waits_to_leave_the_ground_as_long_as_it_may(void **state) {
  (void)state;
  double swing;
  assert_int_equal(rounds_before_moving(0, &swing), 0);
  check_near(rounds_before_moving(0.3, &swing), 0.3 * swing, 1);
  assert_int_equal(rounds_before_moving(1, &swing), -1);
}

// Spin that is asked for in the last step of every stance of a bounce: about the vertical, the smallest and largest.
static void take_off_spins(double twist, double *min, double *max) {
  puppet *p = calloc(1, sizeof *p);
  begin(p, pl_behaviour_find("bounce"));
  set(p, "twist", twist);
  stand_up(p, 1, false);
  p->view.command.speed = 0.1;
  observe_again(p);
  *min = HUGE_VAL;
  *max = -HUGE_VAL;
  double spin = 0;
  int32_t hops = 0;
  for (int32_t round = 0; round < 600; ++round) {
    bool touched = p->view.touch_count > 0;
    obey(p, false);
    if (touched && p->view.touch_count == 0) {
      *min = fmin(*min, spin);
      *max = fmax(*max, spin);
      hops++;
    }
    for (int32_t k = 0; k < p->goals.count && touched; ++k) {
      pl_vec3 now;
      if (p->goals.items[k].subject == PL_GOAL_SPIN) spin = wanted(p, &p->goals.items[k], &now).y;
    }
  }
  assert_true(hops > 5);
  assert_int_equal(tally_of(p).tumbles, 0);
  free(p);
}

static void a_bounce_takes_off_with_spin_only_where_it_twists(void **state) {
  (void)state;
  double min, max;
  take_off_spins(0, &min, &max);
  check_near(min, 0, 1e-12);
  check_near(max, 0, 1e-12);
  take_off_spins(0.8, &min, &max);
  check_at_most(0.01, min);
  take_off_spins(-0.8, &min, &max);
  check_at_most(max, -0.01);
}

// A body that is pitched by 0.1 rad and turns so that it is level after the flight: how much more spin is asked for at
// the end of a stance, relative to the one it has.
static double change_of_pitching(double landing) {
  puppet *p = calloc(1, sizeof *p);
  begin(p, pl_behaviour_find("bounce"));
  set(p, "landing", landing);
  stand_up(p, 1, true);
  p->view.command.speed = 0.1;
  p->view.turn = pl_quat_from_axis_angle((pl_vec3){0, 0, 1}, 0.1);
  double flight = 2 * sqrt(2 * 0.08 * p->view.height / p->view.gravity);
  p->view.spin = (pl_vec3){0, 0, -0.1 / flight};
  observe_again(p);
  double change = 0, last = 0;
  for (int32_t round = 0; round < 400; ++round) {
    bool touched = p->view.touch_count > 0;
    obey(p, false);
    if (touched && p->view.touch_count == 0) last = change;
    for (int32_t k = 0; k < p->goals.count; ++k) {
      pl_vec3 now;
      if (p->goals.items[k].subject == PL_GOAL_SPIN)
        change = fabs(wanted(p, &p->goals.items[k], &now).z - p->view.spin.z) / fabs(p->view.spin.z);
    }
  }
  free(p);
  return last;
}

static void a_bounce_that_lands_level_takes_off_with_the_pitching_that_needs(void **state) {
  (void)state;
  double level = change_of_pitching(0.5), upright = change_of_pitching(1);
  print_message("change of spin: %.3g with landing, %.3g without\n", level, upright);
  check_at_most(level, 0.1);
  check_at_most(0.2, upright);
}

// What is asked of a foot that has lost the ground while the other stands, in the stances of a bounce after its first
// hop: in how many of the rounds it is brought down, as a fraction, and the mean speed downward that is asked for while
// the body sinks, as a fraction of the body's.
static void lost_foot(double plant, double descent, double *brought_down, double *speed) {
  puppet *p = calloc(1, sizeof *p), *q = calloc(1, sizeof *q);
  begin(p, pl_behaviour_find("bounce"));
  set(p, "plant", plant);
  set(p, "descent", descent);
  stand_up(p, 1, true);
  p->view.command.speed = 0.1;
  observe_again(p);
  int32_t rounds = 0, lowered = 0, sinking = 0;
  double sum = 0;
  for (int32_t round = 0; round < 600; ++round) {
    obey(p, false);
    if (tally_of(p).hops == 0 || p->view.touch_count == 0) continue;
    *q = *p;
    q->parts[1].touch_count = 0;
    q->parts[1].velocity = q->view.velocity;
    choose(q);
    rounds++;
    for (int32_t k = 0; k < q->goals.count; ++k) {
      const pl_goal *goal = &q->goals.items[k];
      if (goal->subject != PL_GOAL_PART || goal->part != 1 || goal->axes != PL_GOAL_Y) continue;
      pl_vec3 now, then = wanted(q, goal, &now);
      lowered++;
      if (now.y > -0.5) continue;
      sum += then.y / now.y;
      sinking++;
    }
  }
  assert_true(rounds > 50 && sinking > 5);
  *brought_down = (double)lowered / rounds;
  *speed = sum / sinking;
  free(p);
  free(q);
}

static void a_foot_of_a_bounce_that_loses_the_ground_comes_back_in_time(void **state) {
  (void)state;
  double usual, early, late, slow, fast;
  lost_foot(0.7, 0, &usual, &slow);
  lost_foot(0.4, 0, &early, &slow);
  lost_foot(1.5, 0, &late, &slow);
  print_message("brought down in %.3g, %.3g and %.3g of the stance\n", early, usual, late);
  check_at_most(early, usual - 0.1);
  check_at_most(usual, late - 0.1);
  lost_foot(0.7, 1, &usual, &fast);
  print_message("comes down at %.3g of the speed of the body, with descent at %.3g\n", slow, fast);
  check_at_most(slow, 0.95);
  check_near(fast, 1, 0.01);
}

// Feet of a walk that turn about the vertical and tilt: how often they are asked to stop turning, what part of the
// turning is asked for at most, and whether their tilt is ever asked for.
static int32_t turning_feet(double pivot_weight, double *turning, bool *tilts) {
  puppet *p = calloc(1, sizeof *p);
  begin(p, pl_behaviour_find("walk"));
  set(p, "pivot_weight", pivot_weight);
  stand_up(p, 1, false);
  p->view.command.speed = 0.2;
  observe_again(p);
  int32_t count = 0;
  *turning = 0;
  *tilts = false;
  for (int32_t round = 0; round < 600; ++round) {
    for (int i = 0; i < 2; ++i) p->parts[i].spin = (pl_vec3){0.1, 0.2, 0.1};
    obey(p, true);
    for (int32_t k = 0; k < p->goals.count; ++k) {
      const pl_goal *goal = &p->goals.items[k];
      if (goal->subject != PL_GOAL_PART_SPIN) continue;
      pl_vec3 now, then = wanted(p, goal, &now);
      count++;
      *turning = fmax(*turning, fabs(then.y / now.y));
      *tilts = *tilts || goal->axes != PL_GOAL_Y;
    }
  }
  free(p);
  return count;
}

static void feet_of_a_walk_that_stand_do_not_pivot(void **state) {
  (void)state;
  double turning;
  bool tilts;
  assert_int_equal(turning_feet(0, &turning, &tilts), 0);
  int32_t count = turning_feet(1, &turning, &tilts);
  print_message("asked %d times, %.3g of the turning left\n", (int)count, turning);
  assert_in_range(count, 700, 1100);  // of two feet in 600 rounds, but not of one that swings
  check_at_most(turning, 0.01);
  assert_false(tilts);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_foot_of_a_waddle_waits_to_leave_the_ground_as_long_as_it_may),
      cmocka_unit_test(a_bounce_takes_off_with_spin_only_where_it_twists),
      cmocka_unit_test(a_bounce_that_lands_level_takes_off_with_the_pitching_that_needs),
      cmocka_unit_test(a_foot_of_a_bounce_that_loses_the_ground_comes_back_in_time),
      cmocka_unit_test(feet_of_a_walk_that_stand_do_not_pivot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
