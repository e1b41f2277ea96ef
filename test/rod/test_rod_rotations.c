// Rotations are quaternions of any length but zero: a def in which all are three times as long is the same def.
// ctest: physics
#include "fixtures/rod_chains.h"

typedef struct run {
  pl_vec3 positions[16];
  pl_vec3 points[2048];
  int32_t point_count;
} run;

static void run_scaled(pl_context *context, double scale, bool skinned, bool barred, run *result) {
  test_rod rod;
  begin_rod(&rod, 6, 0.1, (pl_vec3){0, 0, 0.1});
  add_example(&rod, (pl_vec3){0.5, 0, 0}, (pl_vec3){0, 0, 1}, 0.7);
  pl_quat rotations[16];
  for (int i = 0; i <= 6; ++i) {
    pl_quat q = pl_quat_from_rotation_vector((pl_vec3){0.2 * i, 0.1, -0.3});
    rod.joints[i].rest.rotation = pl_quat_scale(q, scale);
    rotations[i] = pl_quat_scale(pl_quat_multiply(pl_quat_from_axis_angle((pl_vec3){1, 0, 0}, 0.1 * i), q), scale);
  }
  rod.examples[0].rotations = rotations;
  rod.def.stiffness = 0.001;
  pl_rod_collider constraint = {.joint = 0, .shape = pl_default_collider_def(PL_COLLIDER_CAPSULE)};
  constraint.shape.radius = 0.05;
  constraint.shape.half_length = 0.4;
  pl_quat head = pl_quat_normalize(rod.joints[0].rest.rotation);
  constraint.shape.placement.position = pl_quat_rotate(pl_quat_conjugate(head), (pl_vec3){0.15, 0.25, 0});
  constraint.shape.placement.rotation =
      pl_quat_scale(pl_quat_multiply(pl_quat_conjugate(head), pl_quat_from_axis_angle((pl_vec3){1, 0, 0}, 1.5)), scale);
  rod.def.colliders = &constraint;
  rod.def.collider_count = barred;
  pl_mesh *box = NULL, *surface = NULL;
  int32_t joints[8];
  float weights[8];
  if (skinned) {
    check_ok(pl_mesh_create_box(context, (pl_vec3){0.1, 0.4, 0.1}, (const int32_t[3]){1, 1, 1}, &box, NULL), NULL);
    check_ok(pl_mesh_build_boundary(context, box, &surface, NULL, NULL), NULL);
    for (int i = 0; i < 8; ++i) {
      joints[i] = i % 7;
      weights[i] = 1;
    }
    rod.def.skin = (pl_rod_skin){.surface = surface, .influence_count = 1, .joints = joints, .weights = weights};
  }
  pl_model *model = build_rod(context, &rod);
  pl_world_def def = pl_default_world_def();
  def.gravity = (pl_vec3){9.81, 0, 0};
  pl_world *world = NULL;
  check_ok(pl_world_create(context, &def, &world, NULL), NULL);
  pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
  pl_transform kinematic = {
      {0.02, 0, 0}, pl_quat_scale(pl_quat_multiply(pl_quat_from_axis_angle((pl_vec3){0, 0, 1}, 0.2), head), scale)};
  check_ok(pl_rod_set_joint_target(world, id, 0, kinematic, 0.1, NULL), NULL);
  check_ok(pl_rod_set_camera(world, id, (pl_vec3){0, 0, 3}, NULL), NULL);
  run_steps(world, 120);
  check_ok(pl_body_get_positions(world, id, result->positions), NULL);
  result->point_count = pl_model_get_report(model).surface_point_count;
  assert_in_range(result->point_count, 8, 2048);
  check_ok(pl_body_get_surface(world, id, result->points), NULL);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(box);
  pl_mesh_destroy(surface);
}

static void the_length_of_a_quaternion_does_not_matter(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int skinned = 0; skinned < 2; ++skinned) {
    static run one, three, unbarred;
    run_scaled(context, 1, skinned, true, &one);
    run_scaled(context, 3, skinned, true, &three);
    run_scaled(context, 1, skinned, false, &unbarred);
    assert_true(pl_vec3_distance(one.positions[6], unbarred.positions[6]) > 0.02);  // the collider is in the way
    double positions = 0, points = 0;
    for (int i = 0; i <= 6; ++i) positions = fmax(positions, pl_vec3_distance(one.positions[i], three.positions[i]));
    for (int32_t i = 0; i < one.point_count; ++i)
      points = fmax(points, pl_vec3_distance(one.points[i], three.points[i]));
    printf("%s: joints within %.1e m, surface within %.1e m\n", skinned ? "skin" : "tubes", positions, points);
    assert_true(positions < 1e-4);
    assert_true(points < 1e-4);
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_length_of_a_quaternion_does_not_matter)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
