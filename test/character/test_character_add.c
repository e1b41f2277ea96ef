#define _DEFAULT_SOURCE
// Springs, colliders and example poses added to a file: the rig is that of a file in which they are written by hand,
// and a copy that is baked has them too.
// ctest: unit
#include <unistd.h>

#include "fixtures/character_file.h"
#include "pliant/math.h"

// In centimetres, as many exporters have it: a head, an ear of three nodes that is turned at rest, a side branch, and
// a mesh that hangs on the ear and is none of its nodes.
#define NODES                                                                                                     \
  "\"nodes\":[{\"name\":\"armature\",\"scale\":[0.01,0.01,0.01],\"children\":[1]},{\"name\":\"head\","            \
  "\"translation\":[0,150,0],\"children\":[2]},{\"name\":\"ear1\",\"translation\":[0,10,0],\"rotation\":[0,"      \
  "0.70710678118654752,0,0.70710678118654752],\"children\":[6,3]},{\"name\":\"ear2\",\"translation\":[0,8,0],"    \
  "\"children\":[4,5]},{\"name\":\"ear3\",\"translation\":[0,8,0]},{\"name\":\"side\",\"translation\":[5,0,0]},{" \
  "\"name\":\"ring\",\"mesh\":0}],\"scenes\":[{\"nodes\":[0]}],\"scene\":0,\"meshes\":[{\"primitives\":[{"        \
  "\"attributes\":{\"POSITION\":0}}]}]"

#define NUMBERS                                                                                           \
  "\"hitRadius\":0.015,\"stiffness\":0.7,\"dragForce\":0.3,\"gravityPower\":0.2,\"gravityDir\":[0,-1,0]," \
  "\"extensions\":{\"VRMC_springBone_limit\":{\"specVersion\":\"1.0\",\"limit\":{\"cone\":{\"angle\":0.8}}}}"

// Turns of 30 degrees at the first node and 15 at the second around z of the character, in the frames of the nodes.
#define BY_HAND                                                                                                       \
  ",\"extensionsUsed\":[\"VRMC_springBone\",\"PLIANT_rod_examples\"],\"extensions\":{\"VRMC_springBone\":{"           \
  "\"specVersion\":\"1.0\",\"colliders\":[{\"node\":1,\"shape\":{\"sphere\":{\"offset\":[0,10,0],\"radius\":0.08}}}," \
  "{\"node\":1,\"shape\":{\"capsule\":{\"offset\":[0,-2,0],\"radius\":0.05,\"tail\":[0,8,0]}}}],"                     \
  "\"colliderGroups\":[{\"colliders\":[0,1]}],\"springs\":[{\"name\":\"ear\",\"joints\":[{\"node\":2," NUMBERS        \
  "},{\"node\":3," NUMBERS "},{\"node\":4," NUMBERS                                                                   \
  "}],\"colliderGroups\":[0],\"center\":0},{\"name\":\"side\","                                                       \
  "\"joints\":[{\"node\":5," NUMBERS                                                                                  \
  "}],\"colliderGroups\":[0],\"center\":0}]},\"PLIANT_rod_examples\":{"                                               \
  "\"specVersion\":\"1.0\",\"chains\":[{\"root\":2,\"tail\":[0,6,0],\"examples\":[{\"name\":\"left\",\"direction\":"  \
  "[-1,0,0],\"extent\":0.5,\"joints\":[{\"node\":2,\"rotation\":[-0.18301270189,0.68301270189,0.18301270189,"         \
  "0.68301270189]},{\"node\":3,\"rotation\":[-0.13052619222,0,0,0.99144486137]}]}]},{\"root\":5,\"tail\":[6,0,0]}],"  \
  "\"joints\":[{\"node\":2,\"stiffness\":3},{\"node\":3,\"stiffness\":3},{\"node\":4,\"stiffness\":3},"               \
  "{\"node\":5,\"stiffness\":3}]}}"

static void write_file(char *path, const char *more) {
  static const float points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  character_file file = {.accessor_count = 0};
  add_floats(&file, points, 3, 3, "VEC3");
  char text[8000];
  snprintf(text, sizeof text, "%s%s", NODES, more);
  byte_block bytes = finish_file(&file, text);
  int handle = mkstemps(path, 4);
  assert_true(handle >= 0);
  assert_int_equal(write(handle, bytes.data, bytes.size), (ssize_t)bytes.size);
  close(handle);
}

typedef struct given {
  const char *nodes[3];
  pl_character_added_turn turns[2];
  pl_character_added_example example;
  pl_character_added_collider colliders[2];
  pl_character_added_spring spring;
  pl_character_additions additions;
} given;

static void fill(given *g) {
  g->nodes[0] = "ear1";
  g->turns[0] = (pl_character_added_turn){"ear1", {0, 0, 1}, PL_PI / 6};
  g->turns[1] = (pl_character_added_turn){"ear2", {0, 0, 1}, PL_PI / 12};
  g->example = (pl_character_added_example){
      .name = "left", .turns = g->turns, .turn_count = 2, .direction = {-1, 0, 0}, .extent = 0.5};
  g->colliders[0] = (pl_character_added_collider){"head", pl_default_collider_def(PL_COLLIDER_SPHERE)};
  g->colliders[0].shape.radius = 0.08;
  g->colliders[0].shape.placement.position = (pl_vec3){0, 0.1, 0};
  g->colliders[1] = (pl_character_added_collider){"head", pl_default_collider_def(PL_COLLIDER_CAPSULE)};
  g->colliders[1].shape.radius = 0.05;
  g->colliders[1].shape.half_length = 0.05;
  g->colliders[1].shape.placement.position = (pl_vec3){0, 0.03, 0};
  g->spring = pl_default_character_added_spring();
  g->spring.name = "ear";
  g->spring.nodes = g->nodes;
  g->spring.node_count = 1;
  g->spring.joint.radius = 0.015;
  g->spring.joint.spring = 0.7;
  g->spring.joint.drag = 0.3;
  g->spring.joint.pull = (pl_vec3){0, -0.2, 0};
  g->spring.joint.max_angle = 0.8;
  g->spring.joint.stiffness = 3;
  g->spring.tail_length = 0.06;
  g->spring.center = "armature";
  g->spring.examples = &g->example;
  g->spring.example_count = 1;
  g->additions = (pl_character_additions){
      .springs = &g->spring, .spring_count = 1, .colliders = g->colliders, .collider_count = 2};
}

static void check_vector(pl_vec3 a, pl_vec3 b) {
  check_near(a.x, b.x, 1e-6);
  check_near(a.y, b.y, 1e-6);
  check_near(a.z, b.z, 1e-6);
}

static void check_same(const pl_rod_def *a, const pl_rod_def *b) {
  assert_int_equal(a->joint_count, b->joint_count);
  assert_int_equal(a->chain_count, b->chain_count);
  assert_int_equal(a->collider_count, b->collider_count);
  assert_int_equal(a->example_count, b->example_count);
  assert_int_equal(a->solver, b->solver);
  check_near(a->stiffness, b->stiffness, 0);
  for (int32_t i = 0; i < a->joint_count; ++i) {
    const pl_rod_joint *p = &a->joints[i], *q = &b->joints[i];
    assert_string_equal(p->name, q->name);
    assert_int_equal(p->parent, q->parent);
    assert_int_equal(p->kinematic, q->kinematic);
    check_vector(p->rest.position, q->rest.position);
    check_near(p->radius, q->radius, 1e-12);
    check_near(p->mass, q->mass, 1e-12);
    check_near(p->stiffness, q->stiffness, 1e-12);
    check_near(p->max_angle, q->max_angle, 1e-12);
    check_near(p->spring, q->spring, 1e-12);
    check_near(p->drag, q->drag, 1e-12);
    check_vector(p->pull, q->pull);
  }
  for (int32_t i = 0; i < a->chain_count; ++i) {
    assert_int_equal(a->chains[i].root, b->chains[i].root);
    assert_int_equal(a->chains[i].center, b->chains[i].center);
    assert_int_equal(a->chains[i].collider_count, b->chains[i].collider_count);
  }
  for (int32_t i = 0; i < a->collider_count; ++i) {
    assert_int_equal(a->colliders[i].joint, b->colliders[i].joint);
    check_vector(a->colliders[i].shape.placement.position, b->colliders[i].shape.placement.position);
    check_near(a->colliders[i].shape.radius, b->colliders[i].shape.radius, 1e-9);
    check_near(a->colliders[i].shape.half_length, b->colliders[i].shape.half_length, 1e-9);
  }
  for (int32_t i = 0; i < a->example_count; ++i) {
    check_near(a->examples[i].extent, b->examples[i].extent, 1e-9);
    check_vector(a->examples[i].direction, b->examples[i].direction);
    for (int32_t k = 0; k < a->joint_count; ++k)
      if (!a->joints[k].kinematic) check_vector(a->examples[i].positions[k], b->examples[i].positions[k]);
  }
}

static void check_files(pl_context *context, const char *path, const pl_character_additions *additions,
                        const char *other) {
  pl_error error = {0};
  pl_character *characters[2];
  pl_character_rig *rigs[2];
  pl_findings *findings = NULL;
  check_ok(pl_findings_create(context, &findings, &error), &error);
  check_ok(pl_character_load_with(context, path, additions, &characters[0], findings, &error), &error);
  check_ok(pl_character_load(context, other, &characters[1], findings, &error), &error);
  assert_int_equal(pl_findings_count(findings, PL_SEVERITY_WARNING), 0);
  pl_rod_def defs[2];
  for (int i = 0; i < 2; ++i) {
    check_ok(pl_character_rig_create(characters[i], &rigs[i], &error), &error);
    defs[i] = pl_character_rig_get_def(rigs[i]);
  }
  assert_true(defs[1].joint_count >= 6);
  check_same(&defs[0], &defs[1]);
  for (int i = 0; i < 2; ++i) {
    pl_character_rig_destroy(rigs[i]);
    pl_character_destroy(characters[i]);
  }
  pl_findings_destroy(findings);
}

static void added_springs_are_those_written_by_hand(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  char plain[] = "/tmp/pliant_plain_XXXXXX.glb", by_hand[] = "/tmp/pliant_hand_XXXXXX.glb";
  write_file(plain, "");
  write_file(by_hand, BY_HAND);
  given g;
  fill(&g);
  check_files(context, plain, &g.additions, by_hand);
  // The nodes one by one are the path without its branch; added to the file that has all, they replace it.
  g.nodes[1] = "ear2";
  g.nodes[2] = "ear3";
  g.spring.node_count = 3;
  pl_error error = {0};
  pl_character *character = NULL;
  check_ok(pl_character_load_with(context, by_hand, &g.additions, &character, NULL, &error), &error);
  pl_character_view view = pl_character_get_view(character);
  assert_int_equal(view.spring_count, 2);  // the side branch stays
  assert_int_equal(view.example_count, 1);
  assert_int_equal(view.collider_count, 4);
  assert_false(view.is_vrm);
  pl_character_destroy(character);
  unlink(plain);
  unlink(by_hand);
  pl_context_destroy(context);
}

static void a_baked_copy_has_them_too(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  char plain[] = "/tmp/pliant_plain_XXXXXX.glb", baked[] = "/tmp/pliant_baked_XXXXXX.glb";
  write_file(plain, "");
  write_file(baked, "");
  given g;
  fill(&g);
  // An even bend is a turn of a third at each of the three bones; written back it is the same pose.
  g.example.turn_count = 0;
  g.example.curl_axis = (pl_vec3){0, 0, 1};
  g.example.curl_angle = 0.9;
  pl_rod_def rod = pl_default_rod_def();
  rod.stiffness = 0.25;
  g.additions.rod = &rod;
  const int32_t nodes[1] = {3};
  const pl_transform joints[2] = {{{0, 1.68, 0}, {0, 0, 0, 1}}, {{0, 1.68, 0}, {0, 0, 0, 1}}};
  pl_character_motion motion = {.name = "still",
                                .frame_rate = 10,
                                .frame_count = 2,
                                .joint_count = 1,
                                .nodes = nodes,
                                .joints = joints,
                                .additions = &g.additions};
  check_ok(pl_character_bake(context, plain, baked, -1, &motion, &error), &error);
  check_files(context, plain, &g.additions, baked);
  pl_character *character = NULL;
  pl_character_rig *rig = NULL;
  check_ok(pl_character_load(context, baked, &character, NULL, &error), &error);
  check_ok(pl_character_rig_create(character, &rig, &error), &error);
  pl_rod_def def = pl_character_rig_get_def(rig);
  check_near(def.stiffness, 0.25, 0);
  // Tail of the bent ear: three bones of 8, 8 and 6 cm at 0.3, 0.6 and 0.9 rad from the vertical.
  int32_t tail = -1;
  for (int32_t i = 0; i < def.joint_count; ++i)
    if (strcmp(def.joints[i].name, "ear3_tail") == 0) tail = i;
  assert_true(tail >= 0);
  check_near(def.examples[0].positions[tail].x, -(0.08 * sin(0.3) + 0.08 * sin(0.6) + 0.06 * sin(0.9)), 1e-6);
  check_near(def.examples[0].positions[tail].y, 1.6 + 0.08 * cos(0.3) + 0.08 * cos(0.6) + 0.06 * cos(0.9), 1e-6);
  pl_character_rig_destroy(rig);
  pl_character_destroy(character);
  unlink(plain);
  unlink(baked);
  pl_context_destroy(context);
}

static void check_refused(pl_context *context, const char *path, const given *g, const char *field, const char *text) {
  pl_character *character = NULL;
  pl_error error = {0};
  assert_true(pl_character_load_with(context, path, &g->additions, &character, NULL, &error) < 0);
  assert_null(character);
  assert_string_equal(error.field, field);
  if (strstr(error.text, text) == NULL) fail_msg("\"%s\" does not say \"%s\"", error.text, text);
}

static void what_cannot_be_added_is_named(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  char plain[] = "/tmp/pliant_plain_XXXXXX.glb", older[] = "/tmp/pliant_older_XXXXXX.glb";
  write_file(plain, "");
  write_file(older, ",\"extensions\":{\"VRM\":{}}");
  given g;
  fill(&g);
  g.nodes[0] = "ear_1";
  check_refused(context, plain, &g, "springs[0]", "no node \"ear_1\"; did you mean \"ear1\"?");
  g.nodes[0] = "armature";
  check_refused(context, plain, &g, "springs[0]", "has no parent");
  g.nodes[0] = "side";
  g.spring.tail_length = 0;
  check_refused(context, plain, &g, "springs[0]", "nothing below it");
  g.nodes[0] = "ear2";
  g.nodes[1] = "ear1";
  g.spring.node_count = 2;
  check_refused(context, plain, &g, "springs[0]", "is not below");
  fill(&g);
  g.turns[1].node = "head";
  check_refused(context, plain, &g, "springs[0]", "is not of the spring");
  fill(&g);
  g.colliders[1].node = "hed";
  check_refused(context, plain, &g, "colliders[1]", "did you mean \"head\"?");
  fill(&g);
  g.colliders[0].shape.shape = PL_COLLIDER_BOX;
  check_refused(context, plain, &g, "", "spheres, capsules and half-spaces");
  fill(&g);
  check_refused(context, older, &g, "", "VRM 0.x");
  unlink(plain);
  unlink(older);
  pl_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(added_springs_are_those_written_by_hand),
      cmocka_unit_test(a_baked_copy_has_them_too),
      cmocka_unit_test(what_cannot_be_added_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
