// What behaviours know of the slope below their feet, against planes whose normal is given.
// ctest: unit
#include "actor/actor.h"
#include "actor/behaviour_frame.h"
#include "check.h"
#include "fixtures/fem_bodies.h"
#include "pliant/math.h"

typedef struct slope {
  pl_context *context;
  pl_world *world;
  struct pl_actor_ground ground;
  pl_part_view feet[3];
  pl_actor_view view;
} slope;

// Three feet, one of which is not over the others, above a plane through the origin with this normal.
static slope make_slope(pl_vec3 normal) {
  slope s = {.context = make_context(1)};
  pl_error error = {0};
  s.world = make_world(s.context, 0.01, -9.81);
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  pl_vec3 up = {0, 1, 0}, axis = pl_vec3_cross(up, normal);
  if (pl_vec3_length(axis) > 0)
    def.placement.rotation = pl_quat_from_axis_angle(pl_vec3_normalize_or(axis, up), acos(pl_vec3_dot(up, normal)));
  check_ok(pl_world_add_collider(s.world, &def, NULL, &error), &error);
  check_ok(pl_world_step(s.world, NULL, &error), &error);  // which lists the colliders
  return s;
}

static void view_slope(slope *s) {
  const pl_vec3 at[3] = {{0.3, 0.4, 0}, {-0.3, 0.4, 0.2}, {0.1, 0.4, -0.4}};
  for (int i = 0; i < 3; ++i) s->feet[i] = (pl_part_view){.name = "foot", .is_foot = true, .position = at[i]};
  s->ground = (struct pl_actor_ground){s->world, {0, 1, 0}, 10, 1e-5};
  s->view = (pl_actor_view){.step = 0.01,
                            .height = 1,
                            .width = 0.5,
                            .up = {0, 1, 0},
                            .gravity = 9.81,
                            .turn = {0, 0, 0, 1},
                            .part_count = 3,
                            .parts = s->feet,
                            .command = {1, {1, 0, 0}},
                            .ground = &s->ground};
}

static void drop(slope *s) {
  pl_world_destroy(s->world);
  drop_context(s->context);
}

static void the_normal_is_that_of_the_ground(void **state) {
  (void)state;
  const pl_vec3 normals[] = {{0.1, 1, 0}, {-0.05, 1, 0.08}, {0, 1, -0.2}};
  for (int k = 0; k < 3; ++k) {
    pl_vec3 normal = pl_vec3_normalize_or(normals[k], (pl_vec3){0, 1, 0});
    slope s = make_slope(normal);
    view_slope(&s);
    pl_motion_frame frame = pl_motion_frame_of(&s.view);
    check_at_most(pl_vec3_distance(pl_motion_normal(&s.view, &frame), normal), 1e-9);
    pl_vec3 turned = pl_quat_rotate(pl_motion_slope(&s.view, &frame), frame.up);
    check_at_most(pl_vec3_distance(turned, normal), 1e-9);
    drop(&s);
  }
}

static void level_ground_turns_nothing(void **state) {
  (void)state;
  slope s = make_slope((pl_vec3){0, 1, 0});
  view_slope(&s);
  pl_motion_frame frame = pl_motion_frame_of(&s.view);
  pl_quat turn = pl_motion_slope(&s.view, &frame);
  double height;
  pl_vec3 normal;
  assert_true(pl_ground_height(s.view.ground, s.feet[0].position, 0.5, &height, &normal));
  assert_true(turn.x == 0 && turn.y == 0 && turn.z == 0 && turn.w == 1);
  drop(&s);
}

static void steep_ground_turns_no_farther_than_the_limit(void **state) {
  (void)state;
  slope s = make_slope(pl_vec3_normalize_or((pl_vec3){0.8, 1, 0}, (pl_vec3){0, 1, 0}));
  view_slope(&s);
  pl_motion_frame frame = pl_motion_frame_of(&s.view);
  pl_vec3 normal = pl_motion_normal(&s.view, &frame);
  check_near(atan2(normal.x, normal.y), PL_MOTION_MAX_SLOPE, 1e-9);
  drop(&s);
}

static void without_feet_or_ground_it_is_level(void **state) {
  (void)state;
  slope s = make_slope(pl_vec3_normalize_or((pl_vec3){0.1, 1, 0}, (pl_vec3){0, 1, 0}));
  view_slope(&s);
  pl_motion_frame frame = pl_motion_frame_of(&s.view);
  for (int i = 0; i < 3; ++i) s.feet[i].is_foot = false;
  assert_true(pl_motion_normal(&s.view, &frame).y == 1);
  for (int i = 0; i < 3; ++i) s.feet[i].is_foot = true;
  s.view.ground = NULL;
  assert_true(pl_motion_normal(&s.view, &frame).y == 1);
  drop(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_normal_is_that_of_the_ground),
      cmocka_unit_test(level_ground_turns_nothing),
      cmocka_unit_test(steep_ground_turns_no_farther_than_the_limit),
      cmocka_unit_test(without_feet_or_ground_it_is_level),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
