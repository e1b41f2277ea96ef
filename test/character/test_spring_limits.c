// Limits of spring bones (VRMC_springBone_limit): whatever gravity, stiffness and colliders do, a bone stays in its
// cone, hinge or spherical range, seen from its parent; a bone within its limit moves as if it had none.
// ctest: unit
#include "fixtures/character_file.h"
#include "pliant/math.h"
#include "pliant/spring.h"

// A bone that points along X at rest, on a head that swings. It is pulled down hard and pushed by a ball.
#define FILE_WITH(limit)                                                                                             \
  "\"nodes\":[{\"name\":\"head\",\"children\":[1],\"translation\":[0,1,0]},{\"name\":\"a\",\"children\":[2],"        \
  "\"translation\":[0.1,0,0]},{\"name\":\"b\",\"translation\":[0.2,0,0]}],\"extensions\":{\"VRMC_springBone\":{"     \
  "\"specVersion\":\"1.0\",\"colliders\":[{\"node\":0,\"shape\":{\"sphere\":{\"offset\":[0.2,-0.2,0.02],\"radius\":" \
  "0.1}}}],\"colliderGroups\":[{\"colliders\":[0]}],\"springs\":[{\"colliderGroups\":[0],\"joints\":[{\"node\":1,"   \
  "\"stiffness\":0.5,\"gravityPower\":3,\"dragForce\":0.1" limit "},{\"node\":2}]}]}}"
#define LIMIT(text) ",\"extensions\":{\"VRMC_springBone_limit\":{\"specVersion\":\"1.0-draft\",\"limit\":{" text "}}}"

// Directions of the bone in its joint's frame at rest, per step.
enum { STEPS = 240 };

static void run(const char *text, pl_vec3 *directions) {
  pl_context *context = make_context(1);
  pl_character *character = read_text(context, text, NULL);
  pl_spring *spring = NULL;
  pl_error error = {0};
  check_ok(pl_spring_create(context, character, &spring, &error), &error);
  for (int n = 0; n < STEPS; ++n) {
    pl_transform nodes[3];
    pl_quat turn = pl_quat_from_axis_angle((pl_vec3){0.2, 1, 0.4}, 1.5 * sin(0.1 * n));
    nodes[0] = (pl_transform){{0.3 * sin(0.13 * n), 1, 0}, turn};
    for (int i = 1; i < 3; ++i)
      nodes[i] = pl_transform_multiply(nodes[i - 1], (pl_transform){{i == 1 ? 0.1 : 0.2, 0, 0}, {0, 0, 0, 1}});
    pl_spring_step(spring, 1.0 / 60, nodes);
    pl_vec3 bone = pl_vec3_sub(nodes[2].position, nodes[1].position);
    check_near(pl_vec3_length(bone), 0.2, 1e-9);
    directions[n] = pl_vec3_scale(pl_quat_rotate(pl_quat_conjugate(turn), bone), 5);
  }
  pl_spring_destroy(spring);
  pl_character_destroy(character);
  drop_context(context);
}

static double max_angle(const pl_vec3 *directions, pl_vec3 axis) {
  double max = 0;
  for (int n = 0; n < STEPS; ++n)
    max = fmax(max, atan2(pl_vec3_length(pl_vec3_cross(directions[n], axis)), pl_vec3_dot(directions[n], axis)));
  return max;
}

static void a_bone_stays_in_its_cone(void **state) {
  (void)state;
  pl_vec3 free[STEPS], bound[STEPS], wide[STEPS];
  run(FILE_WITH(""), free);
  run(FILE_WITH(LIMIT("\"cone\":{\"angle\":0.4}")), bound);
  run(FILE_WITH(LIMIT("\"cone\":{\"angle\":4}")), wide);
  printf("swings by %.3f rad, %.6f rad in a cone of 0.4 rad\n", max_angle(free, (pl_vec3){1, 0, 0}),
         max_angle(bound, (pl_vec3){1, 0, 0}));
  assert_true(max_angle(free, (pl_vec3){1, 0, 0}) > 1);
  check_near(max_angle(bound, (pl_vec3){1, 0, 0}), 0.4, 1e-7);
  // An angle of pi or more is no limit.
  for (int n = 0; n < STEPS; ++n) check_near(pl_vec3_distance(free[n], wide[n]), 0, 1e-7);
}

// The limit's frame turns Y into the bone, here X, by a quarter turn around -Z; its own rotation of 0.5 around Z comes
// before, in that frame.
static void a_limit_may_be_turned(void **state) {
  (void)state;
  pl_vec3 bound[STEPS];
  run(FILE_WITH(LIMIT("\"cone\":{\"angle\":0.3,\"rotation\":[0,0,0.24740395925452294,0.9689124217106447]}")), bound);
  pl_vec3 axis = {cos(0.5), sin(0.5), 0};
  check_near(max_angle(bound, axis), 0.3, 1e-7);
}

// X of the limit's frame is -Y here, and Z stays: the hinge lets the bone move in the plane of X and Z.
static void a_hinge_moves_in_its_plane(void **state) {
  (void)state;
  pl_vec3 bound[STEPS];
  double max = 0;
  run(FILE_WITH(LIMIT("\"hinge\":{\"angle\":0.6}")), bound);
  for (int n = 0; n < STEPS; ++n) {
    check_near(bound[n].y, 0, 1e-9);
    max = fmax(max, fabs(atan2(bound[n].z, bound[n].x)));
  }
  printf("hinge: by %.4f rad\n", max);
  check_at_most(max, 0.6 + 1e-9);
  assert_true(max > 0.3);
}

static void a_spherical_limit_has_two_angles(void **state) {
  (void)state;
  pl_vec3 bound[STEPS];
  double pitch = 0, yaw = 0;
  run(FILE_WITH(LIMIT("\"spherical\":{\"pitch\":0.5,\"yaw\":0.2}")), bound);
  for (int n = 0; n < STEPS; ++n) {
    pitch = fmax(pitch, fabs(atan2(bound[n].z, bound[n].x)));
    yaw = fmax(yaw, fabs(asin(fmin(fmax(bound[n].y, -1), 1))));
  }
  printf("pitch up to %.6f rad, yaw up to %.6f rad\n", pitch, yaw);
  check_at_most(pitch, 0.5 + 1e-9);
  check_near(yaw, 0.2, 1e-7);
}

// Rods know cones around the rest direction.
static void rods_take_the_cone_that_holds_the_limit(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double angle;
  } cases[] = {{FILE_WITH(LIMIT("\"cone\":{\"angle\":0.4}")), 0.4},
               {FILE_WITH(LIMIT("\"hinge\":{\"angle\":0.7}")), 0.7},
               {FILE_WITH(LIMIT("\"spherical\":{\"pitch\":0.5,\"yaw\":0.2}")), 0.535352},
               {FILE_WITH(""), 0}};
  pl_context *context = make_context(1);
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    pl_character *character = read_text(context, cases[k].text, NULL);
    pl_character_rig *rig = NULL;
    pl_error error = {0};
    check_ok(pl_character_rig_create(character, &rig, &error), &error);
    pl_rod_def def = pl_character_rig_get_def(rig);
    double found = 0;
    for (int32_t i = 0; i < def.joint_count; ++i) found = fmax(found, def.joints[i].max_angle);
    check_near(found, cases[k].angle, 1e-4);
    pl_character_rig_destroy(rig);
    pl_character_destroy(character);
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bone_stays_in_its_cone),
      cmocka_unit_test(a_limit_may_be_turned),
      cmocka_unit_test(a_hinge_moves_in_its_plane),
      cmocka_unit_test(a_spherical_limit_has_two_angles),
      cmocka_unit_test(rods_take_the_cone_that_holds_the_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
