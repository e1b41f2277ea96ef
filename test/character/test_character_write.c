// A skeleton of ours written as a character: nodes, skin, springs, examples and numbers as the def has them, read back
// from the file's own bytes.
// ctest: unit
#define _GNU_SOURCE
#include "fixtures/character_rod.h"

#include <unistd.h>

#include "io/gltf_document.h"

static char folder[64], path[128];

static int make_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/pliant_character_XXXXXX");
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(path, sizeof path, "%s/c.glb", folder);
  return 0;
}

static int drop_folder(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder);  // fails when something else was left
}

typedef struct written {
  pl_bytes bytes;
  pl_gltf gltf;
} written;

static void open_written(pl_context *context, written *file) {
  pl_error error = {0};
  check_ok(pl_bytes_read(context, path, &file->bytes, &error), &error);
  check_ok(pl_gltf_open(&file->gltf, context, file->bytes.data, file->bytes.size, path, NULL, NULL, &error), &error);
  file->gltf.error = NULL;
}

static void close_written(written *file) {
  pl_gltf_close(&file->gltf);
  pl_bytes_free(&file->bytes);
}

// The value at a path such as "nodes/3/name".
static const pl_json *at(const written *file, const char *where) {
  const pl_json *value = file->gltf.root;
  char copy[128], *rest = copy;
  snprintf(copy, sizeof copy, "%s", where);
  for (char *word = strsep(&rest, "/"); word != NULL && value != NULL; word = strsep(&rest, "/"))
    value = value->kind == PL_JSON_ARRAY ? pl_json_at(value, atoi(word)) : pl_json_find(value, word);
  return value;
}

static double number_at(const written *file, const char *where) {
  double number = (double)NAN;
  if (!pl_json_get_number(at(file, where), &number)) fail_msg("no number at %s", where);
  return number;
}

static void check_text(const written *file, const char *where, const char *text) {
  if (!pl_json_is_text(at(file, where), text)) fail_msg("%s is not \"%s\"", where, text);
}

static void numbers_of(const pl_json *array, int32_t count, double *numbers) {
  assert_non_null(array);
  assert_int_equal(array->count, count);
  for (int32_t i = 0; i < count; ++i) assert_true(pl_json_get_number(pl_json_at(array, i), &numbers[i]));
}

static void read_accessor(written *file, const char *where, int32_t width, int32_t count, double *values) {
  pl_gltf_accessor accessor;
  assert_int_equal(pl_gltf_open_accessor(&file->gltf, at(file, where), &accessor), PL_OK);
  assert_int_equal(accessor.component_count, width);
  assert_int_equal(accessor.count, count);
  assert_int_equal(pl_gltf_read_doubles(&file->gltf, &accessor, values), PL_OK);
}

static void write_rod(pl_context *context, const test_rod *rod) {
  pl_character_save_def def = pl_default_character_save_def();
  pl_error error = {0};
  def.rod = &rod->def;
  def.motion = &rod->motion;
  def.name = "beast";
  check_ok(pl_character_save(context, &def, path, &error), &error);
}

static pl_transform node_local(const written *file, int32_t node) {
  char where[64];
  double t[3], q[4];
  snprintf(where, sizeof where, "nodes/%d/translation", node);
  numbers_of(at(file, where), 3, t);
  snprintf(where, sizeof where, "nodes/%d/rotation", node);
  numbers_of(at(file, where), 4, q);
  return (pl_transform){{t[0], t[1], t[2]}, {q[0], q[1], q[2], q[3]}};
}

static void joints_become_nodes_in_their_order(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static test_rod rod;
  make_test_rod(&rod, context);
  write_rod(context, &rod);
  written file;
  open_written(context, &file);
  assert_int_equal(at(&file, "nodes")->count, JOINT_COUNT + 1);
  check_text(&file, "nodes/0/name", "Head");
  check_text(&file, "nodes/8/name", "antler.branch");
  check_text(&file, "nodes/9/name", "joint 9");
  check_text(&file, "nodes/10/name", "beast");
  for (int32_t i = 0; i < JOINT_COUNT; ++i) {
    pl_transform placement = node_local(&file, i);
    for (int32_t above = rod.joints[i].parent; above >= 0; above = rod.joints[above].parent)
      placement = pl_transform_multiply(node_local(&file, above), placement);
    check_near(pl_vec3_distance(placement.position, rod.joints[i].rest.position), 0, 1e-12);
    check_near(fabs(pl_quat_dot(placement.rotation, rod.joints[i].rest.rotation)), 1, 1e-12);
  }
  // Each joint is the child of its parent and of nobody else.
  int32_t child_count = 0;
  for (int32_t i = 0; i < JOINT_COUNT; ++i) {
    const pl_json *children = pl_json_find(pl_json_at(at(&file, "nodes"), i), "children");
    for (const pl_json *child = children == NULL ? NULL : children->first; child != NULL;
         child = child->next, ++child_count)
      assert_int_equal(rod.joints[(int32_t)child->number].parent, i);
  }
  assert_int_equal(child_count, JOINT_COUNT - 1);
  assert_int_equal(at(&file, "scenes/0/nodes")->count, 2);
  close_written(&file);
  pl_mesh_destroy(rod.surface);
  drop_context(context);
}

static void the_skin_is_written_with_its_weights(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static test_rod rod;
  make_test_rod(&rod, context);
  write_rod(context, &rod);
  written file;
  open_written(context, &file);
  enum { POINTS = JOINT_COUNT * CORNERS };
  static double points[3 * POINTS], puffed[3 * POINTS], joints[4 * POINTS], weights[4 * POINTS];
  read_accessor(&file, "meshes/0/primitives/0/attributes/POSITION", 3, POINTS, points);
  read_accessor(&file, "meshes/0/primitives/0/targets/0/POSITION", 3, POINTS, puffed);
  read_accessor(&file, "meshes/0/primitives/0/attributes/JOINTS_0", 4, POINTS, joints);
  read_accessor(&file, "meshes/0/primitives/0/attributes/WEIGHTS_0", 4, POINTS, weights);
  assert_null(at(&file, "meshes/0/primitives/0/attributes/JOINTS_1"));
  check_text(&file, "meshes/0/extras/targetNames/0", "puff");
  for (int32_t i = 0; i < POINTS; ++i) {
    check_near(points[3 * i + 1], rod.points[i].y, 1e-7);
    check_near(points[3 * i] + puffed[3 * i], rod.puffed[i].x, 1e-7);
    check_near(weights[4 * i] + weights[4 * i + 1], 1, 1e-7);
    int32_t joint = rod.skin_joints[2 * i], parent = rod.skin_joints[2 * i + 1];
    assert_int_equal(joints[4 * i], joint);
    assert_int_equal(joints[4 * i + 1], joint == parent ? 0 : parent);
    check_near(weights[4 * i], joint == parent ? 1 : 0.7, 1e-7);
    assert_int_equal(joints[4 * i + 2], 0);
  }
  close_written(&file);
  pl_mesh_destroy(rod.surface);
  drop_context(context);
}

static void the_heaviest_eight_of_many_influences_are_kept(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static test_rod rod;
  make_test_rod(&rod, context);
  enum { POINTS = JOINT_COUNT * CORNERS, MANY = 10 };
  static int32_t skin_joints[POINTS * MANY];
  static float skin_weights[POINTS * MANY];
  for (int32_t i = 0; i < POINTS * MANY; ++i) {
    skin_joints[i] = i % MANY;
    skin_weights[i] = (float)(1 + (i * 7) % MANY) / 55.0f;
  }
  rod.def.skin.influence_count = MANY;
  rod.def.skin.joints = skin_joints;
  rod.def.skin.weights = skin_weights;
  write_rod(context, &rod);
  written file;
  open_written(context, &file);
  static double weights[2][4 * POINTS], joints[2][4 * POINTS];
  for (int set = 0; set < 2; ++set) {
    char where[64];
    snprintf(where, sizeof where, "meshes/0/primitives/0/attributes/WEIGHTS_%d", set);
    read_accessor(&file, where, 4, POINTS, weights[set]);
    snprintf(where, sizeof where, "meshes/0/primitives/0/attributes/JOINTS_%d", set);
    read_accessor(&file, where, 4, POINTS, joints[set]);
  }
  for (int32_t i = 0; i < POINTS; ++i) {
    double sum = 0;
    for (int k = 0; k < 8; ++k) {
      double weight = weights[k / 4][4 * i + k % 4];
      int32_t joint = (int32_t)joints[k / 4][4 * i + k % 4];
      // Ten to three of the fifty-two that eight of them have together.
      check_near(weight, (10.0 - k) / 52.0, 1e-6);
      check_near((double)skin_weights[i * MANY + joint], (10.0 - k) / 55.0, 1e-6);
      sum += weight;
    }
    check_near(sum, 1, 2e-7);
  }
  close_written(&file);
  pl_mesh_destroy(rod.surface);
  drop_context(context);
}

static void chains_become_springs_that_share_no_joint(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static test_rod rod;
  make_test_rod(&rod, context);
  write_rod(context, &rod);
  written file;
  open_written(context, &file);
  check_text(&file, "extensionsUsed/0", "VRMC_springBone");
  check_text(&file, "extensions/VRMC_springBone/specVersion", "1.0");
  const pl_json *springs = at(&file, "extensions/VRMC_springBone/springs");
  assert_int_equal(springs->count, 3);
  static const int32_t expected[3][4] = {{1, 2, 3, 4}, {5, 6, 7, -1}, {8, -1, -1, -1}};
  static const char *const names[3] = {"the ear", "antler.1", "antler.branch"};
  for (int32_t s = 0; s < 3; ++s) {
    const pl_json *spring = pl_json_at(springs, s), *joints = pl_json_find(spring, "joints");
    assert_true(pl_json_is_text(pl_json_find(spring, "name"), names[s]));
    for (int32_t k = 0; k < 4; ++k) {
      const pl_json *joint = pl_json_at(joints, k);
      if (expected[s][k] < 0) {
        assert_null(joint);
        continue;
      }
      int32_t end = k + 1 < joints->count ? expected[s][k + 1] : expected[s][k];
      assert_int_equal(pl_json_find(joint, "node")->number, expected[s][k]);
      check_near(pl_json_find(joint, "hitRadius")->number, rod.joints[end].radius, 0);
      check_near(pl_json_find(joint, "stiffness")->number, rod.joints[end].spring, 0);
      check_near(pl_json_find(joint, "dragForce")->number, rod.joints[end].drag, 0);
      check_near(pl_json_find(joint, "gravityPower")->number, fabs(rod.joints[end].pull.y), 1e-15);
      check_near(pl_json_at(pl_json_find(joint, "gravityDir"), 1)->number, -1, 1e-15);
    }
  }
  assert_int_equal(number_at(&file, "extensions/VRMC_springBone/springs/0/center"), HEAD);
  assert_null(at(&file, "extensions/VRMC_springBone/springs/1/center"));
  close_written(&file);
  pl_mesh_destroy(rod.surface);
  drop_context(context);
}

static void colliders_are_where_they_were(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static test_rod rod;
  make_test_rod(&rod, context);
  write_rod(context, &rod);
  written file;
  open_written(context, &file);
  // The ear meets the capsule alone, the antler everything.
  assert_int_equal(number_at(&file, "extensions/VRMC_springBone/springs/0/colliderGroups/0"), 0);
  assert_int_equal(at(&file, "extensions/VRMC_springBone/colliderGroups/0/colliders")->count, 1);
  assert_int_equal(number_at(&file, "extensions/VRMC_springBone/colliderGroups/0/colliders/0"), 1);
  assert_int_equal(number_at(&file, "extensions/VRMC_springBone/springs/1/colliderGroups/0"), 1);
  assert_int_equal(number_at(&file, "extensions/VRMC_springBone/springs/2/colliderGroups/0"), 1);
  assert_int_equal(at(&file, "extensions/VRMC_springBone/colliderGroups/1/colliders")->count, 3);
  assert_int_equal(number_at(&file, "extensions/VRMC_springBone/colliders/0/node"), HEAD);
  double from[3], to[3], middle[3];
  numbers_of(at(&file, "extensions/VRMC_springBone/colliders/1/shape/capsule/offset"), 3, from);
  numbers_of(at(&file, "extensions/VRMC_springBone/colliders/1/shape/capsule/tail"), 3, to);
  check_near(0.5 * (from[1] + to[1]), 0.1, 1e-12);
  check_near(hypot(hypot(to[0] - from[0], to[1] - from[1]), to[2] - from[2]), 0.4, 1e-12);
  // The plane's sphere touches it at the placement's origin.
  numbers_of(at(&file, "extensions/VRMC_springBone/colliders/2/shape/sphere/offset"), 3, middle);
  double radius = number_at(&file, "extensions/VRMC_springBone/colliders/2/shape/sphere/radius");
  check_near(hypot(hypot(middle[0], middle[1] - 0.1), middle[2] - 0.05), radius, 1e-9);
  close_written(&file);
  pl_mesh_destroy(rod.surface);
  drop_context(context);
}

// Played with the file's translations, the written rotations bring every joint to its place in the example.
static void examples_are_met_by_turning_nodes(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static test_rod rod;
  make_test_rod(&rod, context);
  write_rod(context, &rod);
  written file;
  open_written(context, &file);
  const char *const chain = "extensions/PLIANT_rod_examples/chains/0";
  char where[128];
  snprintf(where, sizeof where, "%s/root", chain);
  assert_int_equal(number_at(&file, where), EAR);
  snprintf(where, sizeof where, "%s/examples/0/name", chain);
  check_text(&file, where, "left");
  snprintf(where, sizeof where, "%s/examples/0/extent", chain);
  check_near(number_at(&file, where), 0.8, 0);
  snprintf(where, sizeof where, "%s/examples/1/direction", chain);
  assert_null(at(&file, where));
  pl_transform placement = rod.joints[HEAD].rest;
  for (int32_t k = 0; k < 4; ++k) {
    double q[4];
    snprintf(where, sizeof where, "%s/examples/0/joints/%d/node", chain, k);
    assert_int_equal(number_at(&file, where), EAR + k);
    snprintf(where, sizeof where, "%s/examples/0/joints/%d/rotation", chain, k);
    numbers_of(at(&file, where), 4, q);
    pl_transform local = {node_local(&file, EAR + k).position, {q[0], q[1], q[2], q[3]}};
    placement = pl_transform_multiply(placement, local);
    check_near(pl_vec3_distance(placement.position, rod.left[EAR + k]), 0, 1e-9);
  }
  check_near(number_at(&file, "extensions/PLIANT_rod_examples/joints/2/max_angle"), 0.7, 0);
  check_near(number_at(&file, "extensions/PLIANT_rod_examples/joints/2/mass"), 0.01, 0);
  assert_int_equal(number_at(&file, "extensions/PLIANT_rod_examples/links/0/1"), 8);
  check_text(&file, "extensions/PLIANT_rod_examples/rod/solver", "matched");
  check_text(&file, "extensions/PLIANT_rod_examples/rod/ghost_momentum", "transport");
  check_near(number_at(&file, "extensions/PLIANT_rod_examples/rod/stiffness_step"), 1.0 / 240, 0);
  close_written(&file);
  pl_mesh_destroy(rod.surface);
  drop_context(context);
}

// Given orientations that carry the joints below to their places stay as they are, twist included.
static void examples_keep_their_twist(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static test_rod rod;
  make_test_rod(&rod, context);
  static pl_quat turns[JOINT_COUNT];
  pl_transform placement = rod.joints[HEAD].rest;
  for (int32_t i = EAR; i < EAR + 4; ++i) {
    pl_transform local = test_local(&rod, i);
    local.rotation = pl_quat_multiply(local.rotation, pl_quat_from_rotation_vector((pl_vec3){0.2 * i, 0.7, -0.1 * i}));
    placement = pl_transform_multiply(placement, local);
    rod.left[i] = placement.position;
    turns[i] = placement.rotation;
  }
  rod.examples[0].rotations = turns;
  write_rod(context, &rod);
  written file;
  open_written(context, &file);
  pl_quat above = rod.joints[HEAD].rest.rotation;
  for (int32_t k = 0; k < 4; ++k) {
    char where[128];
    double q[4];
    snprintf(where, sizeof where, "extensions/PLIANT_rod_examples/chains/0/examples/0/joints/%d/rotation", k);
    numbers_of(at(&file, where), 4, q);
    above = pl_quat_multiply(above, (pl_quat){q[0], q[1], q[2], q[3]});
    check_near(fabs(pl_quat_dot(above, turns[EAR + k])), 1, 1e-9);
  }
  close_written(&file);
  pl_mesh_destroy(rod.surface);
  drop_context(context);
}

static void skeletons_of_several_roots_get_a_common_one(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static test_rod rod;
  make_test_rod(&rod, context);
  rod.joints[HEAD].parent = -1;
  write_rod(context, &rod);
  written file;
  open_written(context, &file);
  assert_int_equal(at(&file, "nodes")->count, JOINT_COUNT + 2);
  check_text(&file, "nodes/11/name", "skeleton");
  assert_int_equal(at(&file, "nodes/11/children")->count, 2);
  assert_int_equal(number_at(&file, "scenes/0/nodes/0"), 11);
  assert_int_equal(number_at(&file, "scenes/0/nodes/1"), 10);
  close_written(&file);
  pl_mesh_destroy(rod.surface);
  drop_context(context);
}

// --- read back --------------------------------------------------------------------------------------------------

static void check_joints(const test_rod *rod, const pl_rod_def *back, const int32_t *nodes) {
  assert_int_equal(back->joint_count, JOINT_COUNT);
  for (int32_t i = 0; i < JOINT_COUNT; ++i) {
    const pl_rod_joint *joint = &back->joints[i], *old = &rod->joints[nodes[i]];
    assert_int_equal(joint->parent < 0 ? -1 : nodes[joint->parent], old->parent);
    assert_int_equal(joint->kinematic, old->kinematic);
    check_near(pl_vec3_distance(joint->rest.position, old->rest.position), 0, 1e-12);
    check_near(fabs(pl_quat_dot(joint->rest.rotation, old->rest.rotation)), 1, 1e-12);
    if (old->kinematic) continue;
    check_near(joint->radius, old->radius, 0);
    check_near(joint->mass, old->mass, 0);
    check_near(joint->stiffness, old->stiffness, 0);
    check_near(joint->max_angle, old->max_angle, 0);
    // No bone ends at the root of a chain, and one that begins a branch shares the numbers of the stem.
    if (nodes[i] == EAR || nodes[i] == ANTLER || nodes[i] == 8) continue;
    check_near(joint->spring, old->spring, 0);
    check_near(joint->drag, old->drag, 0);
    check_near(pl_vec3_distance(joint->pull, old->pull), 0, 1e-15);
  }
}

static void check_examples(const test_rod *rod, const pl_rod_def *back, const int32_t *nodes) {
  assert_int_equal(back->example_count, 2);
  for (int32_t k = 0; k < 2; ++k) {
    const pl_rod_example *example = &back->examples[k], *old = &rod->examples[k];
    assert_string_equal(example->name, old->name);
    assert_int_equal(nodes[example->root], old->root);
    check_near(example->extent, old->extent, 0);
    check_near(pl_vec3_distance(example->direction, old->direction), 0, 1e-15);
    for (int32_t i = 0; i < JOINT_COUNT; ++i)
      if (nodes[i] >= EAR && nodes[i] < EAR + 4)
        check_near(pl_vec3_distance(example->positions[i], old->positions[nodes[i]]), 0, 1e-9);
  }
}

static void check_settings(const test_rod *rod, const pl_rod_def *back, const int32_t *nodes) {
  assert_int_equal(back->solver, rod->def.solver);
  check_near(back->twist, rod->def.twist, 0);
  check_near(back->view_time, rod->def.view_time, 0);
  assert_int_equal(back->view_rule, rod->def.view_rule);
  assert_int_equal(back->ghost_momentum, rod->def.ghost_momentum);
  assert_int_equal(back->link_count, 1);
  assert_int_equal(nodes[back->links[0].from], 7);
  assert_int_equal(nodes[back->links[0].to], 8);
  assert_int_equal(back->collider_count, 3);
  check_near(back->colliders[1].shape.radius, 0.1, 0);
  check_near(back->colliders[1].shape.half_length, 0.2, 1e-12);
  assert_int_equal(back->chain_count, 2);
  assert_string_equal(back->chains[0].name, "the ear");
  assert_int_equal(nodes[back->chains[0].center], HEAD);
  assert_int_equal(back->chains[0].collider_count, 1);
  assert_int_equal(back->chains[1].collider_count, 3);
}

static void a_written_character_reads_back_as_the_same_rod(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static test_rod rod;
  make_test_rod(&rod, context);
  rod.def.twist = 0.75;
  rod.def.view_time = 0.2;
  rod.def.view_rule = PL_ROD_VIEW_INTERPOLATING;
  rod.def.ghost_momentum = PL_ROD_GHOST_MOMENTUM_PAPER;
  write_rod(context, &rod);
  pl_character *character = NULL;
  pl_character_rig *rig = NULL;
  pl_findings *findings = NULL;
  pl_error error = {0};
  check_ok(pl_findings_create(context, &findings, &error), &error);
  check_ok(pl_character_load(context, path, &character, findings, &error), &error);
  assert_int_equal(pl_findings_count(findings, PL_SEVERITY_NOTE), 0);
  check_ok(pl_character_rig_create(character, &rig, &error), &error);
  pl_rod_def back = pl_character_rig_get_def(rig);
  const int32_t *nodes = pl_character_rig_get_nodes(rig);
  check_joints(&rod, &back, nodes);
  check_examples(&rod, &back, nodes);
  check_settings(&rod, &back, nodes);
  // And what was read can be written again.
  pl_character_save_def again = pl_default_character_save_def();
  again.rod = &back;
  check_ok(pl_character_save(context, &again, path, &error), &error);
  pl_character_rig_destroy(rig);
  pl_character_destroy(character);
  pl_findings_destroy(findings);
  pl_mesh_destroy(rod.surface);
  drop_context(context);
}

typedef void spoil(test_rod *rod);

static void lose_skin(test_rod *rod) {
  rod->def.skin.surface = NULL;
}
static void make_cycle(test_rod *rod) {
  rod->joints[BODY].parent = HEAD;
}
static void lose_weight(test_rod *rod) {
  rod->skin_weights[20] = NAN;
}
static void follow_nothing(test_rod *rod) {
  rod->skin_weights[20] = rod->skin_weights[21] = 0;
}
static void lose_example(test_rod *rod) {
  rod->left[3].y = (double)NAN;
}
static void zero_direction(test_rod *rod) {
  rod->examples[0].direction = (pl_vec3){0, 0, 0};
}
static void bring_box(test_rod *rod) {
  rod->colliders[1].shape.shape = PL_COLLIDER_BOX;
}
static void lose_frame(test_rod *rod) {
  rod->frames[7 * JOINT_COUNT + 3].rotation = (pl_quat){0, 0, 0, 0};
}
static void lose_number(test_rod *rod) {
  rod->def.density = (double)NAN;
}
static void hang_free(test_rod *rod) {
  rod->joints[BODY].kinematic = false;
}
static void forget_magic(test_rod *rod) {
  rod->def.magic = 0;
}

static void what_cannot_be_written_is_named(void **state) {
  (void)state;
  static const struct {
    spoil *spoil;
    pl_status status;
    const char *words;
  } cases[] = {
      {lose_skin, PL_ERROR_INVALID_ARGUMENT, "skin is needed"}, {make_cycle, PL_ERROR_INVALID_DATA, "cycle"},
      {lose_weight, PL_ERROR_INVALID_DATA, "point 10"},         {follow_nothing, PL_ERROR_INVALID_DATA, "point 10"},
      {lose_example, PL_ERROR_INVALID_DATA, "\"left\""},        {zero_direction, PL_ERROR_INVALID_DATA, "\"left\""},
      {bring_box, PL_ERROR_UNSUPPORTED, "collider 1"},          {lose_frame, PL_ERROR_INVALID_ARGUMENT, "frame 7"},
      {lose_number, PL_ERROR_INVALID_ARGUMENT, "not finite"},   {hang_free, PL_ERROR_INVALID_DATA, "\"joint 9\""},
      {forget_magic, PL_ERROR_INVALID_ARGUMENT, "pl_rod_def"},
  };
  pl_context *context = make_context(1);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    static test_rod rod;
    make_test_rod(&rod, context);
    cases[i].spoil(&rod);
    pl_character_save_def def = pl_default_character_save_def();
    def.rod = &rod.def;
    def.motion = &rod.motion;
    pl_error error = {0};
    assert_int_equal(pl_character_save(context, &def, path, &error), cases[i].status);
    if (strstr(error.text, cases[i].words) == NULL) fail_msg("\"%s\" does not say \"%s\"", error.text, cases[i].words);
    assert_int_equal(access(path, F_OK), -1);
    pl_mesh_destroy(rod.surface);
  }
  drop_context(context);
}

static void every_failed_allocation_leaves_nothing(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  static test_rod rod;
  make_test_rod(&rod, context);
  int64_t before = pl_context_get_memory_report(context).block_count;
  for (int64_t n = 1;; ++n) {
    pl_character_save_def def = pl_default_character_save_def();
    def.rod = &rod.def;
    def.motion = &rod.motion;
    pl_error error = {0};
    allocator.fail_at = allocator.call_count + n;
    pl_status status = pl_character_save(context, &def, path, &error);
    bool failed = allocator.call_count >= allocator.fail_at;
    allocator.fail_at = 0;
    assert_int_equal(status, failed ? PL_ERROR_OUT_OF_MEMORY : PL_OK);
    assert_int_equal(pl_context_get_memory_report(context).block_count, before);
    if (!failed) break;
    // Empty: no file, not even a temporary one.
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(make_folder(NULL), 0);
  }
  pl_mesh_destroy(rod.surface);
  drop_context(context);
}

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, drop_folder)
  const struct CMUnitTest tests[] = {
      IN_FOLDER(joints_become_nodes_in_their_order),
      IN_FOLDER(the_skin_is_written_with_its_weights),
      IN_FOLDER(the_heaviest_eight_of_many_influences_are_kept),
      IN_FOLDER(chains_become_springs_that_share_no_joint),
      IN_FOLDER(colliders_are_where_they_were),
      IN_FOLDER(examples_are_met_by_turning_nodes),
      IN_FOLDER(examples_keep_their_twist),
      IN_FOLDER(a_written_character_reads_back_as_the_same_rod),
      IN_FOLDER(skeletons_of_several_roots_get_a_common_one),
      IN_FOLDER(what_cannot_be_written_is_named),
      IN_FOLDER(every_failed_allocation_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
