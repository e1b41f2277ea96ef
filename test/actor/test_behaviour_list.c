// Behaviours by themselves: what they ask for, step by step, of bodies that are a few numbers and do what is asked.
// ctest: unit
#include "base/random.h"
#include "fixtures/puppet.h"

// --- tests
// ----------------------------------------------------------------------------------------------------------------

static void every_behaviour_is_found_by_its_name(void **state) {
  (void)state;
  int32_t count;
  const pl_behaviour *const *list = pl_behaviour_list(&count);
  assert_true(count >= 5);
  for (int32_t i = 0; i < count; ++i) {
    assert_ptr_equal(pl_behaviour_find(list[i]->name), list[i]);
    assert_non_null(list[i]->about);
    for (int32_t k = 0; k < list[i]->setting_count; ++k) {
      const pl_behaviour_setting *it = &list[i]->settings[k];
      check_at_most(it->min, it->preset);
      check_at_most(it->preset, it->max);
      assert_non_null(it->unit);
      assert_non_null(it->about);
      for (int32_t j = 0; j < k; ++j) assert_string_not_equal(it->name, list[i]->settings[j].name);
    }
  }
  assert_null(pl_behaviour_find("fly"));
}

static pl_vec3 any_vector(pl_random *random, double size) {
  return (pl_vec3){pl_random_between(random, -size, size), pl_random_between(random, -size, size),
                   pl_random_between(random, -size, size)};
}

static double any_scale(pl_random *random) {
  return pl_random_u32(random) % 8 == 0 ? 0 : pow(10, pl_random_between(random, -3, 3));
}

// A view of nothing in particular: sizes and speeds of many magnitudes, nothing fits anything.
static void scramble(puppet *p, pl_random *random) {
  pl_actor_view *view = &p->view;
  double size = any_scale(random), speed = any_scale(random);
  *view = (pl_actor_view){.time = view->time,
                          .step = pow(10, pl_random_between(random, -4, -1)),
                          .planar = pl_random_u32(random) % 2 == 0,
                          .mass = any_scale(random),
                          .height = size * pl_random_unit(random),
                          .width = size * pl_random_unit(random),
                          .depth = size * pl_random_unit(random),
                          .gravity = any_scale(random),
                          .center = any_vector(random, 10 * size),
                          .velocity = any_vector(random, speed),
                          .spin = any_vector(random, speed),
                          .rest_height = size * pl_random_unit(random),
                          .touch_count = (int32_t)(pl_random_u32(random) % 3),
                          .touch = any_vector(random, 10 * size),
                          .part_count = (int32_t)(pl_random_u32(random) % (MAX_PARTS + 1))};
  view->up = pl_vec3_normalize_or(any_vector(random, 1), (pl_vec3){0, 1, 0});
  view->turn =
      pl_quat_from_axis_angle(pl_vec3_normalize_or(any_vector(random, 1), view->up), pl_random_between(random, -4, 4));
  view->min_touch = pl_random_between(random, -size, 0);
  view->max_touch = pl_random_between(random, 0, size);
  view->command = (pl_actor_command){pl_random_u32(random) % 4 == 0 ? 0 : speed, any_vector(random, 1)};
  for (int32_t i = 0; i < view->part_count; ++i) {
    p->parts[i] = (pl_part_view){.name = "part",
                                 .is_foot = pl_random_u32(random) % 2 == 0,
                                 .position = any_vector(random, 10 * size),
                                 .velocity = any_vector(random, speed),
                                 .lowest = any_vector(random, 10 * size),
                                 .rest = any_vector(random, size),
                                 .rest_lowest = size * pl_random_unit(random),
                                 .touch_count = (int32_t)(pl_random_u32(random) % 2),
                                 .touch = any_vector(random, 10 * size)};
  }
}

// No more than some gravities in a step, whatever happens: that is what keeps motions smooth, at switches too.
static void goals_ask_for_little_at_a_time_in_any_view(void **state) {
  (void)state;
  int32_t count;
  const pl_behaviour *const *list = pl_behaviour_list(&count);
  pl_random random = pl_random_of_seed(11);
  for (int32_t b = 0; b < count; ++b) {
    puppet *p = calloc(1, sizeof *p);
    begin(p, list[b]);
    int64_t goal_count = 0;
    for (int32_t round = 0; round < 3000; ++round) {
      if (round % 100 == 0) memset(p->state, 0, sizeof p->state);
      scramble(p, &random);
      choose(p);
      goal_count += p->goals.count;
      double g = fmax(p->view.gravity, 1e-3), beat = sqrt(fmax(p->view.height, 1e-3 * fmax(p->view.width, 1e-3)) / g);
      for (int32_t k = 0; k < p->goals.count; ++k) {
        const pl_goal *goal = &p->goals.items[k];
        pl_vec3 now, speed = wanted(p, goal, &now);
        double max = goal->subject == PL_GOAL_SPIN ? 10 / (beat * beat) : 11 * g, change = 0;
        for (int axis = 0; axis < 3; ++axis)
          if ((goal->axes >> axis & 1) != 0) change = fmax(change, fabs(along(speed, axis) - along(now, axis)));
        double rounding = 1e-9 * (pl_vec3_length(goal->velocity) + pl_vec3_length(now));
        assert_true(pl_vec3_is_finite(goal->velocity) && isfinite(goal->weight) && goal->weight >= 0);
        check_at_most(change, max * p->view.step + rounding);
      }
    }
    assert_true(goal_count > 3000);
    free(p);
  }
}

// Lengths as the size, times as its root: a cup and a castle do the same.
static void motions_scale_with_the_body(void **state) {
  (void)state;
  int32_t count;
  const pl_behaviour *const *list = pl_behaviour_list(&count);
  for (int32_t b = 0; b < count; ++b) {
    puppet *one = calloc(1, sizeof *one), *other = calloc(1, sizeof *other);
    double size = 0.16, root = sqrt(size);
    begin(one, list[b]);
    begin(other, list[b]);
    bool planar = b % 2 == 0;
    stand_up(one, 1, planar);
    stand_up(other, size, planar);
    one->view.command.speed = 0.3;
    other->view.command.speed = 0.3 * root;
    observe_again(one);
    observe_again(other);
    for (int32_t round = 0; round < 300; ++round) {
      obey(one, true);
      obey(other, true);
      assert_int_equal(one->goals.count, other->goals.count);
      for (int32_t k = 0; k < one->goals.count; ++k) {
        const pl_goal *a = &one->goals.items[k], *c = &other->goals.items[k];
        double unit = a->subject == PL_GOAL_SPIN ? 1 / root : root;
        assert_int_equal(a->axes, c->axes);
        check_near(pl_vec3_distance(pl_vec3_scale(a->velocity, unit), c->velocity), 0, 1e-6);
        check_near(a->weight * (a->subject == PL_GOAL_SPIN ? root : 1 / root), c->weight, 1e-6);
      }
      check_near(pl_vec3_distance(pl_vec3_scale(one->view.center, size), other->view.center), 0, 1e-6);
    }
    free(one);
    free(other);
  }
}

static void stop_means_stop(void **state) {
  (void)state;
  int32_t count;
  const pl_behaviour *const *list = pl_behaviour_list(&count);
  for (int32_t b = 0; b < count; ++b) {
    puppet *p = calloc(1, sizeof *p);
    begin(p, list[b]);
    stand_up(p, 1, true);
    p->view.command.speed = 0.3;
    observe_again(p);
    for (int32_t round = 0; round < 400; ++round) obey(p, true);
    p->view.command.speed = 0;
    for (int32_t round = 0; round < 600; ++round) obey(p, true);
    pl_vec3 position = p->view.center;
    for (int32_t round = 0; round < 300; ++round) obey(p, true);
    check_near(pl_vec3_distance(position, p->view.center), 0, 1e-2);
    check_at_most(pl_vec3_length(p->view.velocity), 1e-2);
    free(p);
  }
}

static void hops_take_off_land_and_keep_their_speed(void **state) {
  (void)state;
  puppet *p = calloc(1, sizeof *p);
  begin(p, pl_behaviour_find("hop"));
  stand_up(p, 1, true);
  p->view.command.speed = 0.3;
  observe_again(p);
  double highest = 0;
  for (int32_t round = 0; round < 1000; ++round) {
    obey(p, false);
    highest = fmax(highest, p->view.center.y);
  }
  pl_actor_tally tally = tally_of(p);
  assert_true(tally.hops >= 5);
  assert_int_equal(tally.tumbles, 0);
  check_near(highest - p->view.rest_height, p->settings[0] * p->view.height, 0.1);
  check_near(p->view.center.x / p->view.time, 0.3, 0.15);
  free(p);
}

static void bounces_hop_without_a_stop_and_keep_their_speed(void **state) {
  (void)state;
  for (int planar = 0; planar < 2; ++planar) {
    puppet *p = calloc(1, sizeof *p);
    begin(p, pl_behaviour_find("bounce"));
    stand_up(p, 1, planar != 0);
    p->view.command.speed = 0.3;
    observe_again(p);
    double highest = 0, slowest = 1;
    for (int32_t round = 0; round < 1000; ++round) {
      obey(p, false);
      highest = fmax(highest, p->view.center.y);
      if (p->view.time > 3) slowest = fmin(slowest, p->view.velocity.x);
    }
    pl_actor_tally tally = tally_of(p);
    assert_true(tally.hops >= 12);
    assert_int_equal(tally.tumbles, 0);
    check_near(highest - p->view.rest_height, p->settings[0] * p->view.height, 0.05);
    check_near(p->view.center.x / p->view.time, 0.3, 0.1);
    assert_true(slowest > 0.1);
    free(p);
  }
}

static int32_t feet_down(const puppet *p) {
  int32_t count = 0;
  for (int32_t i = 0; i < p->view.part_count; ++i) count += p->parts[i].is_foot && p->parts[i].touch_count > 0;
  return count;
}

static void feet_of_a_walk_step_in_turn_along_the_heading(void **state) {
  (void)state;
  for (int planar = 0; planar < 2; ++planar) {
    puppet *p = calloc(1, sizeof *p);
    begin(p, pl_behaviour_find("walk"));
    stand_up(p, 1, planar != 0);
    p->view.command.speed = 0.2;
    observe_again(p);
    int32_t steps = 0;
    for (int32_t round = 0; round < 1000; ++round) {
      int32_t down = feet_down(p);
      obey(p, true);
      steps += feet_down(p) > down;
      // One foot at least stays on the ground, and in a plane the front one in front.
      assert_true(p->view.touch_count > 0);
      if (planar != 0) assert_true(p->parts[1].position.x - p->parts[0].position.x > 0.1);
    }
    assert_true(steps >= 10);
    assert_int_equal(tally_of(p).tumbles, 0);
    assert_true(p->view.center.x > 0.5);
    check_at_most(fabs(p->parts[0].position.x + p->parts[1].position.x - 2 * p->view.center.x), 0.5);
    free(p);
  }
}

static void feet_of_a_waddle_take_turns_there_and_back_and_never_pass_each_other(void **state) {
  (void)state;
  puppet *p = calloc(1, sizeof *p);
  begin(p, pl_behaviour_find("waddle"));
  stand_up(p, 1, true);
  p->view.command.speed = 0.2;
  observe_again(p);
  double farthest = 0;
  int32_t steps = 0;
  for (int32_t round = 0; round < 2000; ++round) {
    if (round == 1000) p->view.command.heading.x = -1;
    int32_t down = feet_down(p);
    obey(p, true);
    steps += feet_down(p) > down;
    assert_true(p->view.touch_count > 0);
    assert_true(p->parts[1].position.x - p->parts[0].position.x > 0.1);
    farthest = fmax(farthest, p->view.center.x);
  }
  assert_true(steps >= 20);
  assert_int_equal(tally_of(p).tumbles, 0);
  check_at_most(0.5, farthest);
  check_at_most(p->view.center.x, 0.5 * farthest);
  free(p);
}

static void a_walk_turns_to_its_heading(void **state) {
  (void)state;
  puppet *p = calloc(1, sizeof *p);
  begin(p, pl_behaviour_find("walk"));
  stand_up(p, 1, false);
  p->view.command = (pl_actor_command){0.2, {0, 0, 1}};
  observe_again(p);
  for (int32_t round = 0; round < 1500; ++round) obey(p, true);
  assert_true(p->view.center.z > 0.5);
  // Facing z, what was built at the left of x is at the left of z.
  check_at_most(0.1, p->parts[0].position.x - p->parts[1].position.x);
  free(p);
}

// The goal of a subject along the ground, and where it wants it.
static pl_vec3 level_goal(const puppet *p, pl_goal_subject subject, int32_t part) {
  for (int32_t k = 0; k < p->goals.count; ++k) {
    const pl_goal *goal = &p->goals.items[k];
    if (goal->subject == subject && (goal->axes & PL_GOAL_Z) != 0 && (subject != PL_GOAL_PART || goal->part == part))
      return goal->position;
  }
  fail();
  return (pl_vec3){0, 0, 0};
}

static void a_walk_that_has_stopped_does_not_sway_when_a_foot_loses_the_ground(void **state) {
  (void)state;
  puppet *p = calloc(1, sizeof *p);
  begin(p, pl_behaviour_find("walk"));
  stand_up(p, 1, false);
  p->view.command.speed = 0.2;
  observe_again(p);
  for (int32_t round = 0; round < 500; ++round) obey(p, true);
  p->view.command.speed = 0;
  for (int32_t round = 0; round < 500; ++round) obey(p, true);
  choose(p);
  pl_vec3 center = level_goal(p, PL_GOAL_CENTER, 0), foot = level_goal(p, PL_GOAL_PART, 0);
  p->parts[0].touch_count = 0;
  p->view.touch_count = 1;
  p->view.touch = p->parts[1].touch;
  choose(p);
  check_near(level_goal(p, PL_GOAL_CENTER, 0).x, center.x, 1e-12);
  check_near(level_goal(p, PL_GOAL_CENTER, 0).z, center.z, 1e-12);
  check_near(level_goal(p, PL_GOAL_PART, 0).x, foot.x, 1e-12);
  check_near(level_goal(p, PL_GOAL_PART, 0).z, foot.z, 1e-12);
  // Pushed aside by far, feet stay there: their places are at most a margin away.
  for (int i = 0; i < 2; ++i) p->parts[i].position.z += 0.5;
  choose(p);
  for (int i = 0; i < 2; ++i)
    check_at_most(pl_vec3_distance(level_goal(p, PL_GOAL_PART, i), p->parts[i].position), 0.06 + 1e-12);
  free(p);
}

static void lying_on_its_head_is_a_tumble_until_it_stands_again(void **state) {
  (void)state;
  puppet *p = calloc(1, sizeof *p);
  begin(p, pl_behaviour_find("walk"));
  stand_up(p, 1, true);
  p->view.command.speed = 0.2;
  observe_again(p);
  p->view.turn = pl_quat_from_axis_angle((pl_vec3){0, 0, 1}, 2);
  for (int32_t round = 0; round < 10; ++round) choose(p);
  assert_int_equal(tally_of(p).tumbles, 1);
  p->view.turn = (pl_quat){0, 0, 0, 1};
  choose(p);
  p->view.turn = pl_quat_from_axis_angle((pl_vec3){0, 0, 1}, -2);
  choose(p);
  assert_int_equal(tally_of(p).tumbles, 2);
  free(p);
}

// One that lies asks for no more than rest.
static void who_has_fallen_lies_still(void **state) {
  (void)state;
  static const char *const NAMES[] = {"stand", "hop", "bounce", "walk", "waddle"};
  for (size_t k = 0; k < sizeof NAMES / sizeof NAMES[0]; ++k) {
    puppet *p = calloc(1, sizeof *p);
    begin(p, pl_behaviour_find(NAMES[k]));
    stand_up(p, 1, true);
    p->view.command.speed = 0.2;
    observe_again(p);
    for (int32_t round = 0; round < 5; ++round) choose(p);
    p->view.turn = pl_quat_from_axis_angle((pl_vec3){0, 0, 1}, 1.6);
    p->view.touch_count = 2;
    p->view.velocity = (pl_vec3){0.3, 0, 0};
    for (int32_t round = 0; round < 3; ++round) choose(p);
    assert_int_equal(p->goals.count, 1);
    const pl_goal *goal = &p->goals.items[0];
    assert_int_equal(goal->subject, PL_GOAL_CENTER);
    pl_vec3 now, asked = wanted(p, goal, &now);
    assert_true(asked.x < now.x);
    check_at_most(pl_vec3_distance(asked, now), 0.2 * 9.81 * p->view.step);
    p->view.touch_count = 0;
    choose(p);
    assert_int_equal(p->goals.count, 0);
    free(p);
  }
}

// A row of parts on the ground: they are lifted one after the other, from the rear on.
static void a_wave_of_a_crawl_runs_from_rear_to_front(void **state) {
  (void)state;
  enum { COUNT = 4 };
  puppet *p = calloc(1, sizeof *p);
  begin(p, pl_behaviour_find("crawl"));
  stand_up(p, 0.2, false);
  p->view.width = 1;
  p->view.part_count = COUNT;
  p->view.command.speed = 0.1;
  // Neither the order of the parts nor how high they are is that of the wave.
  const double along_body[COUNT] = {0.15, -0.45, 0.45, -0.15};
  for (int i = 0; i < COUNT; ++i) {
    p->parts[i] = (pl_part_view){.name = "part", .rest = {along_body[i], 0, 0}, .touch_count = 1};
    p->parts[i].position = pl_vec3_add(p->view.center, p->parts[i].rest);
  }
  p->view.touch_count = COUNT;
  const int32_t order[COUNT] = {1, 3, 0, 2};
  int32_t lifted = 0;
  for (int32_t round = 0; round < 1000 && lifted < COUNT; ++round) {
    choose(p);
    for (int32_t k = 0; k < p->goals.count; ++k) {
      const pl_goal *goal = &p->goals.items[k];
      if (goal->subject != PL_GOAL_PART || goal->position.y <= p->parts[goal->part].position.y + 1e-9) continue;
      // Only the ones that have begun, and the next.
      bool known = false;
      for (int32_t m = 0; m <= lifted && m < COUNT; ++m) known = known || order[m] == goal->part;
      assert_true(known);
      if (goal->part == order[lifted]) lifted++;
    }
  }
  assert_int_equal(lifted, COUNT);
  free(p);
}

// On three legs with an edge across the way it is lifted toward that edge and turns over it; the top goes forward.
static void a_tumble_goes_over_the_edge_ahead(void **state) {
  (void)state;
  puppet *p = calloc(1, sizeof *p);
  begin(p, pl_behaviour_find("roll"));
  stand_up(p, 1, false);
  for (int32_t i = 0; i < p->behaviour->setting_count; ++i)
    if (strcmp(p->behaviour->settings[i].name, "pivot") == 0) p->settings[i] = 1;
  p->view.command.speed = 0.5;
  const pl_vec3 feet[3] = {{0.2, 0, 0.3}, {0.2, 0, -0.3}, {-0.4, 0, 0}};
  for (int i = 0; i < 3; ++i)
    p->parts[i] = (pl_part_view){.name = "leg", .position = feet[i], .touch = feet[i], .touch_count = 1};
  p->view.touch_count = 3;
  p->view.touch = (pl_vec3){0, 0, 0};
  p->view.min_touch = -0.4;
  p->view.max_touch = 0.2;
  for (int32_t round = 0; round < 20; ++round) choose(p);
  bool rises = false, goes = false, turns = false;
  for (int32_t k = 0; k < p->goals.count; ++k) {
    const pl_goal *goal = &p->goals.items[k];
    pl_vec3 now, speed = wanted(p, goal, &now);
    if (goal->subject == PL_GOAL_CENTER && (goal->axes & PL_GOAL_Y) != 0) rises = speed.y > 0;
    if (goal->subject == PL_GOAL_CENTER && (goal->axes & PL_GOAL_X) != 0) goes = speed.x > 0 && fabs(speed.z) < 1e-9;
    if (goal->subject == PL_GOAL_SPIN) turns = speed.z < 0 && fabs(speed.x) < 1e-9;
  }
  assert_true(rises && goes && turns);
  free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_behaviour_is_found_by_its_name),
      cmocka_unit_test(goals_ask_for_little_at_a_time_in_any_view),
      cmocka_unit_test(motions_scale_with_the_body),
      cmocka_unit_test(stop_means_stop),
      cmocka_unit_test(a_wave_of_a_crawl_runs_from_rear_to_front),
      cmocka_unit_test(a_tumble_goes_over_the_edge_ahead),
      cmocka_unit_test(hops_take_off_land_and_keep_their_speed),
      cmocka_unit_test(bounces_hop_without_a_stop_and_keep_their_speed),
      cmocka_unit_test(feet_of_a_walk_step_in_turn_along_the_heading),
      cmocka_unit_test(feet_of_a_waddle_take_turns_there_and_back_and_never_pass_each_other),
      cmocka_unit_test(a_walk_turns_to_its_heading),
      cmocka_unit_test(a_walk_that_has_stopped_does_not_sway_when_a_foot_loses_the_ground),
      cmocka_unit_test(lying_on_its_head_is_a_tumble_until_it_stands_again),
      cmocka_unit_test(who_has_fallen_lies_still),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
