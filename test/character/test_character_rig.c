// Rigs: which nodes become joints, with which numbers, and where the example poses are.
// ctest: unit
#include "fixtures/character_file.h"

// body above head; on the head a strand s1 s2 s3 with a branch t1 t2 from s2, a pin below s3 that no spring names, and
// a neighbour u1 u2.
#define NODES                                                                                                          \
  "\"nodes\":[{\"name\":\"body\",\"children\":[1],\"translation\":[0,1,0],\"rotation\":[0,0.7071067811865476,0,0."     \
  "7071067811865476]},"                                                                                                \
  "{\"name\":\"head\",\"children\":[2,8],\"translation\":[0,0.5,0]},"                                                  \
  "{\"name\":\"s1\",\"children\":[3],\"translation\":[0.1,0,0],\"rotation\":[0,0,0.5,0.8660254037844386]},"            \
  "{\"name\":\"s2\",\"children\":[4,6],\"translation\":[0,-0.1,0]},{\"name\":\"s3\",\"children\":[5],\"translation\":" \
  "[0,-0.2,0]},"                                                                                                       \
  "{\"name\":\"pin\",\"mesh\":0,\"translation\":[0,-0.01,0]},{\"name\":\"t1\",\"children\":[7],\"translation\":[0.05," \
  "-0.05,0]},"                                                                                                         \
  "{\"name\":\"t2\",\"translation\":[0.05,0,0]},{\"name\":\"u1\",\"children\":[9],\"translation\":[-0.1,0,0]},"        \
  "{\"name\":\"u2\",\"translation\":[0,-0.15,0]},{\"name\":\"lamp\",\"translation\":[3,3,3]}],"                        \
  "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]"

#define SPRINGS                                                                                                        \
  "\"VRMC_springBone\":{\"specVersion\":\"1.0\",\"colliders\":[{\"node\":0,\"shape\":{\"capsule\":{\"offset\":[0,0,0]" \
  ",\"tail\":["                                                                                                        \
  "0.2,0,0],"                                                                                                          \
  "\"radius\":0.1}}},{\"node\":3,\"shape\":{\"sphere\":{\"offset\":[0,0.1,0],\"radius\":0.02}}}],\"colliderGroups\":[" \
  "{"                                                                                                                  \
  "\"colliders\":[0]},"                                                                                                \
  "{\"colliders\":[1,0]}],\"springs\":["                                                                               \
  "{\"name\":\"strand\",\"center\":0,\"colliderGroups\":[0],\"joints\":[{\"node\":2,\"stiffness\":2,\"hitRadius\":0."  \
  "01,"                                                                                                                \
  "\"dragForce\":0.2},"                                                                                                \
  "{\"node\":3,\"stiffness\":3,\"gravityPower\":1},{\"node\":4}]},"                                                    \
  "{\"name\":\"branch\",\"colliderGroups\":[1],\"joints\":[{\"node\":6,\"stiffness\":6},{\"node\":7}]},"               \
  "{\"name\":\"other\",\"joints\":[{\"node\":8},{\"node\":9}]}]}"

#define OURS                                                                                                           \
  "\"PLIANT_rod_examples\":{\"specVersion\":\"1.0\",\"chains\":[{\"root\":2,\"examples\":["                            \
  "{\"name\":\"up\",\"direction\":[0,0,2],\"extent\":0.8,\"joints\":[{\"node\":2,\"rotation\":[0,0,0,2]},{\"node\":3," \
  "\"rotation\":[1,0,0,0]}]},"                                                                                         \
  "{\"name\":\"still\"}]},{\"root\":8,\"tail\":[0,-0.05,0]}],"                                                         \
  "\"rod\":{\"solver\":\"matched\",\"density\":500,\"stiffness\":0.2,\"stiffness_step\":0.01,\"width\":3,\"twist\":0." \
  "7,"                                                                                                                 \
  "\"damping\":2,"                                                                                                     \
  "\"friction\":0.1,\"ghost_momentum\":\"paper\",\"window\":0.3,\"view_time\":0.4,\"view_rule\":\"interpolating\"},"   \
  "\"joints\":[{\"node\":4,\"radius\":0.5,\"mass\":0.25,\"stiffness\":0.125,\"max_angle\":1}],\"links\":[[4,7]]}"

typedef struct fixture {
  pl_context *context;
  pl_character *character;
  pl_character_rig *rig;
  pl_rod_def def;
  const int32_t *nodes;
} fixture;

static byte_block make_bytes(const char *extensions) {
  character_file file = {.accessor_count = 0};
  add_floats(&file, (float[]){0, 0, 0, 0.1f, 0, 0, 0, 0.1f, 0}, 3, 3, "VEC3");
  char rest[8192];
  snprintf(rest, sizeof rest, "%s,\"extensions\":{%s}", NODES, extensions);
  return finish_file(&file, rest);
}

static fixture make_fixture(const char *extensions) {
  byte_block bytes = make_bytes(extensions);
  fixture f = {.context = make_context(1)};
  pl_error error = {0};
  f.character = read_file(f.context, &bytes, NULL);
  check_ok(pl_character_rig_create(f.character, &f.rig, &error), &error);
  f.def = pl_character_rig_get_def(f.rig);
  f.nodes = pl_character_rig_get_nodes(f.rig);
  return f;
}

static void drop(fixture *f) {
  pl_character_rig_destroy(f->rig);
  pl_character_destroy(f->character);
  drop_context(f->context);
}

static int32_t joint_of(const fixture *f, const char *name) {
  for (int32_t i = 0; i < f->def.joint_count; ++i)
    if (strcmp(f->def.joints[i].name, name) == 0) return i;
  return -1;
}

static void nodes_of_springs_are_passive_and_their_holders_led(void **state) {
  (void)state;
  fixture f = make_fixture(SPRINGS "," OURS);
  // body and head are kinematic; s1 s2 s3 t1 t2 u1 u2 and the tail of u2 passive; pin is rigid with s3, lamp is not
  // needed.
  assert_int_equal(f.def.joint_count, 10);
  assert_int_equal(joint_of(&f, "pin"), -1);
  assert_int_equal(joint_of(&f, "lamp"), -1);
  assert_true(f.def.joints[joint_of(&f, "body")].kinematic && f.def.joints[joint_of(&f, "head")].kinematic);
  for (int32_t i = 0; i < f.def.joint_count; ++i) {
    const pl_rod_joint *joint = &f.def.joints[i];
    assert_true(joint->parent < i);
    if (f.nodes[i] < 0) continue;
    assert_string_equal(joint->name, pl_character_get_view(f.character).nodes[f.nodes[i]].name);
  }
  int32_t tail = joint_of(&f, "u2_tail");
  assert_int_equal(f.nodes[tail], -1);
  assert_int_equal(f.def.joints[tail].parent, joint_of(&f, "u2"));
  check_near(pl_vec3_distance(f.def.joints[tail].rest.position, f.def.joints[joint_of(&f, "u2")].rest.position), 0.05,
             1e-12);
  assert_int_equal(f.def.joints[joint_of(&f, "t1")].parent, joint_of(&f, "s2"));
  drop(&f);
}

static void numbers_of_a_bone_stand_where_it_ends(void **state) {
  (void)state;
  fixture f = make_fixture(SPRINGS);
  const pl_rod_joint *s2 = &f.def.joints[joint_of(&f, "s2")], *s3 = &f.def.joints[joint_of(&f, "s3")];
  const pl_rod_joint *t1 = &f.def.joints[joint_of(&f, "t1")], *t2 = &f.def.joints[joint_of(&f, "t2")];
  check_near(s2->spring, 2, 0);
  check_near(s2->radius, 0.01, 0);
  check_near(s2->drag, 0.2, 0);
  check_near(s3->spring, 3, 0);
  check_near(s3->pull.y, -1, 0);
  check_near(s3->drag, 0.5, 0);
  check_near(t1->spring, 3, 0);
  check_near(t2->spring, 6, 0);
  // Without numbers of ours springs move as VRM has them.
  assert_int_equal(f.def.solver, PL_ROD_SPRING_BONE);
  check_near(f.def.density, pl_default_rod_def().density, 0);
  assert_int_equal(f.def.magic, pl_default_rod_def().magic);
  drop(&f);
}

static void chains_have_their_colliders_and_center(void **state) {
  (void)state;
  fixture f = make_fixture(SPRINGS);
  assert_int_equal(f.def.chain_count, 2);
  const pl_rod_chain *strand = &f.def.chains[0], *other = &f.def.chains[1];
  assert_string_equal(strand->name, "strand");
  assert_int_equal(strand->root, joint_of(&f, "s1"));
  assert_int_equal(strand->center, joint_of(&f, "body"));
  // The branch brings its colliders along.
  assert_int_equal(strand->collider_count, 2);
  assert_int_equal(strand->colliders[0], 0);
  assert_int_equal(strand->colliders[1], 1);
  assert_int_equal(other->collider_count, 0);
  assert_int_equal(other->center, -1);
  assert_int_equal(f.def.collider_count, 2);
  const pl_rod_collider *capsule = &f.def.colliders[0], *sphere = &f.def.colliders[1];
  assert_int_equal(capsule->joint, joint_of(&f, "body"));
  assert_int_equal(capsule->shape.shape, PL_COLLIDER_CAPSULE);
  check_near(capsule->shape.half_length, 0.1, 1e-12);
  check_near(capsule->shape.radius, 0.1, 0);
  pl_vec3 end = pl_transform_apply(capsule->shape.placement, (pl_vec3){0, 0.1, 0});
  check_near(end.x, 0.2, 1e-12);
  check_near(end.y, 0, 1e-12);
  // A collider on a swaying node is held by the head, at the same place at rest.
  assert_int_equal(sphere->joint, joint_of(&f, "head"));
  assert_int_equal(sphere->shape.shape, PL_COLLIDER_SPHERE);
  pl_vec3 held = pl_transform_apply(f.def.joints[sphere->joint].rest, sphere->shape.placement.position);
  pl_vec3 own = pl_transform_apply(f.def.joints[joint_of(&f, "s2")].rest, (pl_vec3){0, 0.1, 0});
  check_near(pl_vec3_distance(held, own), 0, 1e-12);
  drop(&f);
}

static void numbers_of_ours_are_read(void **state) {
  (void)state;
  fixture f = make_fixture(SPRINGS "," OURS);
  const pl_rod_def *d = &f.def;
  assert_int_equal(d->solver, PL_ROD_MATCHED);
  assert_int_equal(d->ghost_momentum, PL_ROD_GHOST_MOMENTUM_PAPER);
  assert_int_equal(d->view_rule, PL_ROD_VIEW_INTERPOLATING);
  assert_int_equal(d->width, 3);
  const double got[] = {d->density, d->stiffness, d->stiffness_step, d->twist,
                        d->damping, d->friction,  d->window,         d->view_time};
  static const double given[] = {500, 0.2, 0.01, 0.7, 2, 0.1, 0.3, 0.4};
  for (int i = 0; i < 8; ++i) check_near(got[i], given[i], 0);
  const pl_rod_joint *s3 = &d->joints[joint_of(&f, "s3")];
  check_near(s3->radius, 0.5, 0);
  check_near(s3->mass, 0.25, 0);
  check_near(s3->stiffness, 0.125, 0);
  check_near(s3->max_angle, 1, 0);
  assert_int_equal(d->link_count, 1);
  assert_int_equal(d->links[0].from, joint_of(&f, "s3"));
  assert_int_equal(d->links[0].to, joint_of(&f, "t2"));
  drop(&f);
}

static void examples_keep_every_length_and_turn_as_written(void **state) {
  (void)state;
  fixture f = make_fixture(SPRINGS "," OURS);
  assert_int_equal(f.def.example_count, 2);
  const pl_rod_example *up = &f.def.examples[0], *still = &f.def.examples[1];
  assert_string_equal(up->name, "up");
  assert_int_equal(up->root, joint_of(&f, "s1"));
  check_near(up->extent, 0.8, 0);
  check_near(up->direction.z, 2, 0);
  check_near(still->extent, 0, 0);
  for (int32_t i = 0; i < f.def.joint_count; ++i) {
    const pl_rod_joint *joint = &f.def.joints[i];
    check_near(pl_vec3_distance(still->positions[i], joint->rest.position), 0, 1e-12);
    check_near(fabs(pl_quat_dot(still->rotations[i], joint->rest.rotation)), 1, 1e-12);
    if (joint->kinematic) continue;
    double length = pl_vec3_distance(joint->rest.position, f.def.joints[joint->parent].rest.position);
    check_near(pl_vec3_distance(up->positions[i], up->positions[joint->parent]), length, 1e-12);
  }
  // By hand: body at (0, 1, 0) turned a quarter around y, so the head's x axis is the world's -z. s1 without its own
  // turn hangs straight down to s2; s2 is flipped around x, so s3 is straight above it.
  pl_vec3 s2 = up->positions[joint_of(&f, "s2")], s3 = up->positions[joint_of(&f, "s3")],
          t1 = up->positions[joint_of(&f, "t1")];
  check_near(pl_vec3_distance(s2, (pl_vec3){0, 1.4, -0.1}), 0, 1e-12);
  check_near(pl_vec3_distance(s3, (pl_vec3){0, 1.6, -0.1}), 0, 1e-12);
  check_near(pl_vec3_distance(t1, (pl_vec3){0, 1.45, -0.15}), 0, 1e-12);
  // The neighbour is not touched.
  check_near(pl_vec3_distance(up->positions[joint_of(&f, "u2")], f.def.joints[joint_of(&f, "u2")].rest.position), 0,
             1e-12);
  drop(&f);
}

static void skin_below_a_chain_is_handed_to_it(void **state) {
  (void)state;
  fixture f = make_fixture(SPRINGS);
  pl_mesh_view mesh = pl_mesh_get_view(f.def.skin.surface);
  assert_int_equal(f.def.skin.influence_count, 1);
  for (int p = 0; p < 3; ++p) {
    assert_int_equal(f.def.skin.joints[p], joint_of(&f, "s3"));
    pl_vec3 at = pl_transform_apply(f.def.joints[f.def.skin.joints[p]].rest, f.def.skin.offsets[p]);
    check_near(pl_vec3_distance(at, mesh.points[p]), 0, 1e-12);
  }
  drop(&f);
}

static void nodes_that_a_spring_skips_take_the_numbers_above(void **state) {
  (void)state;
  fixture f = make_fixture(
      "\"VRMC_springBone\":{\"specVersion\":\"1.0\",\"springs\":[{\"joints\":[{\"node\":2,\"stiffness\":5},{\"node\":4}"
      "]}]}");
  const pl_rod_joint *s2 = &f.def.joints[joint_of(&f, "s2")], *s3 = &f.def.joints[joint_of(&f, "s3")];
  assert_false(s2->kinematic);
  check_near(s2->spring, 5, 0);
  check_near(s3->spring, 5, 0);
  assert_int_equal(s3->parent, joint_of(&f, "s2"));
  drop(&f);
}

// In files of ours a branch of a single joint is a spring of one joint.
static void a_branch_of_one_joint_is_passive_in_files_of_ours(void **state) {
  (void)state;
  static const char springs[] =
      "\"VRMC_springBone\":{\"specVersion\":\"1.0\",\"springs\":[{\"joints\":[{\"node\":2},{\"node\":3},{\"node\":4}]},"
      "{\"joints\":"
      "[{\"node\":6}]}]}%s";
  for (int ours = 0; ours < 2; ++ours) {
    char text[1024];
    snprintf(text, sizeof text, springs, ours ? ",\"PLIANT_rod_examples\":{\"specVersion\":\"1.0\"}" : "");
    fixture f = make_fixture(text);
    assert_int_equal(joint_of(&f, "t1") >= 0, ours);
    assert_int_equal(f.def.chain_count, 1);
    drop(&f);
  }
}

static void springs_that_are_no_chains_are_refused_by_name(void **state) {
  (void)state;
  static const struct {
    const char *joints, *says[3];
  } cases[] = {{"{\"node\":2},{\"node\":9}", {"odd", "u2", "not below"}},
               {"{\"node\":3},{\"node\":2}", {"odd", "s1", "not below"}},
               {"{\"node\":2},{\"node\":2}", {"odd", "s1", "not below"}},
               {"{\"node\":0},{\"node\":1}", {"odd", "body", "no parent"}}};
  pl_context *context = make_context(1);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[1024];
    snprintf(text, sizeof text,
             "\"VRMC_springBone\":{\"specVersion\":\"1.0\",\"springs\":[{\"name\":\"odd\",\"joints\":[%s]}]}",
             cases[i].joints);
    byte_block bytes = make_bytes(text);
    pl_character *character = read_file(context, &bytes, NULL);
    pl_character_rig *rig = NULL;
    pl_error error = {0};
    assert_int_equal(pl_character_rig_create(character, &rig, &error), PL_ERROR_INVALID_DATA);
    assert_null(rig);
    for (int k = 0; k < 3; ++k)
      if (strstr(error.text, cases[i].says[k]) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, cases[i].says[k]);
    pl_character_destroy(character);
  }
  drop_context(context);
}

static void rigs_can_be_built(void **state) {
  (void)state;
  static const char *const files[] = {SPRINGS, SPRINGS "," OURS,
                                      "\"VRM\":{\"secondaryAnimation\":{\"boneGroups\":[{\"bones\":[2,8]}]}}"};
  for (int i = 0; i < 3; ++i) {
    fixture f = make_fixture(files[i]);
    pl_model *model = NULL;
    pl_error error = {0};
    check_ok(pl_rod_build(f.context, &f.def, &model, &error), &error);
    pl_rod_report report = pl_rod_get_report(model);
    assert_int_equal(report.joint_count, f.def.joint_count);
    // VRM 0.x has neither colliders nor a center here, so nothing hangs on the body.
    assert_int_equal(report.kinematic_count, i == 2 ? 1 : 2);
    assert_int_equal(report.chain_count, 2);
    pl_model_destroy(model);
    drop(&f);
  }
}

static void every_failed_allocation_is_survived(void **state) {
  (void)state;
  byte_block bytes = make_bytes(SPRINGS "," OURS);
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  for (int64_t n = 1;; ++n) {
    pl_findings *findings = NULL;
    pl_error error = {0};
    check_ok(pl_findings_create(context, &findings, &error), &error);
    allocator.fail_at = allocator.call_count + n;
    pl_character *character = NULL;
    pl_character_rig *rig = NULL;
    pl_status status = pl_character_load_memory(context, &(pl_memory_source){bytes.data, bytes.size, "t.glb", NULL},
                                                &character, findings, &error);
    assert_int_equal(character == NULL, status < 0);
    if (status >= 0) status = pl_character_rig_create(character, &rig, &error);
    bool failed = allocator.call_count >= allocator.fail_at;
    allocator.fail_at = 0;
    assert_int_equal(status, failed ? PL_ERROR_OUT_OF_MEMORY : PL_OK);
    assert_int_equal(rig == NULL, failed);
    pl_character_rig_destroy(rig);
    pl_character_destroy(character);
    pl_findings_destroy(findings);
    assert_int_equal(pl_context_get_memory_report(context).block_count, 0);
    if (!failed) break;
    assert_true(n < 2000);
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nodes_of_springs_are_passive_and_their_holders_led),
      cmocka_unit_test(numbers_of_a_bone_stand_where_it_ends),
      cmocka_unit_test(chains_have_their_colliders_and_center),
      cmocka_unit_test(numbers_of_ours_are_read),
      cmocka_unit_test(examples_keep_every_length_and_turn_as_written),
      cmocka_unit_test(skin_below_a_chain_is_handed_to_it),
      cmocka_unit_test(nodes_that_a_spring_skips_take_the_numbers_above),
      cmocka_unit_test(a_branch_of_one_joint_is_passive_in_files_of_ours),
      cmocka_unit_test(springs_that_are_no_chains_are_refused_by_name),
      cmocka_unit_test(rigs_can_be_built),
      cmocka_unit_test(every_failed_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
