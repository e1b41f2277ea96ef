// Every way a rod def can be wrong has an error of its own that says where: joint, example, link, collider or number by
// name. Nothing is made, nothing leaks.
// ctest: unit
#include "fixtures/rod_chains.h"

// A head with two chains of six and four joints, two examples of the first and one of the second, a link, a collider, a
// chain entry and a skin.
typedef struct subject {
  test_rod rod;
  char joint_names[16][16];
  pl_rod_link link;
  pl_rod_collider collider;
  pl_rod_chain chain;
  int32_t chain_collider;
  pl_mesh *surface;
  int32_t skin_joints[2 * 8];
  float skin_weights[2 * 8];
  pl_vec3 skin_offsets[2 * 8];
  pl_quat rotations[16];
} subject;

static void begin_subject(subject *s, pl_mesh *surface) {
  *s = (subject){.surface = surface};
  begin_rod(&s->rod, 6, 0.05, (pl_vec3){0, 0, 0.1});
  for (int32_t i = 7; i <= 10; ++i) {
    s->rod.joints[i] = pl_default_rod_joint(i == 7 ? 0 : i - 1);
    s->rod.joints[i].rest.position = (pl_vec3){0.1, 0.04 * (i - 7), 0};
  }
  s->rod.def.joint_count = 11;
  for (int32_t i = 1; i <= 10; ++i) {
    snprintf(s->joint_names[i], sizeof s->joint_names[i], i < 7 ? "ear %d" : "tail %d", i);
    s->rod.joints[i].name = s->joint_names[i];
    s->rotations[i] = pl_quat_identity();
  }
  for (int k = 0; k < 3; ++k) {
    // The helper bends one chain through all joints; here the poses are those of the rest.
    add_example(&s->rod, (pl_vec3){0, 0, 0}, (pl_vec3){k == 0, k == 1, k == 2}, 0.7);
    s->rod.examples[k].root = k < 2 ? 1 : 7;
    for (int32_t i = 0; i <= 10; ++i) s->rod.example_positions[k][i] = s->rod.joints[i].rest.position;
  }
  s->link = (pl_rod_link){3, 6};
  s->collider = (pl_rod_collider){.joint = 0, .shape = pl_default_collider_def(PL_COLLIDER_SPHERE)};
  s->chain =
      (pl_rod_chain){.name = "left", .root = 1, .center = 0, .colliders = &s->chain_collider, .collider_count = 1};
  for (int i = 0; i < 16; ++i) {
    s->skin_joints[i] = i % 11;
    s->skin_weights[i] = 0.5f;
  }
  pl_rod_def *def = &s->rod.def;
  def->links = &s->link;
  def->link_count = 1;
  def->colliders = &s->collider;
  def->collider_count = 1;
  def->chains = &s->chain;
  def->chain_count = 1;
  def->skin =
      (pl_rod_skin){.surface = surface, .influence_count = 2, .joints = s->skin_joints, .weights = s->skin_weights};
}

// The skeleton
static void cycle(subject *s) {
  s->rod.joints[3].parent = 5;
}
static void own_parent(subject *s) {
  s->rod.joints[4].parent = 4;
}
static void kinematic_cycle(subject *s) {
  s->rod.joints[0].parent = 1;
  s->rod.joints[1].kinematic = true;
}
static void no_parent(subject *s) {
  s->rod.joints[7].parent = -1;
}
static void unknown_parent(subject *s) {
  s->rod.joints[9].parent = 11;
}
static void negative_parent(subject *s) {
  s->rod.joints[9].parent = -2;
}
static void kinematic_below_passive(subject *s) {
  s->rod.joints[5].kinematic = true;
}
static void no_length(subject *s) {
  s->rod.joints[8].rest.position = s->rod.joints[7].rest.position;
}
static void one_joint(subject *s) {
  s->rod.joints[8].parent = 0;
}
static void joint_position(subject *s) {
  s->rod.joints[9].rest.position.y = (double)NAN;
}
static void joint_rotation(subject *s) {
  s->rod.joints[9].rest.rotation = (pl_quat){0, 0, 0, 0};
}
static void kinematic_rotation(subject *s) {
  s->rod.joints[0].rest.rotation.w = HUGE_VAL;
}
static void radius(subject *s) {
  s->rod.joints[2].radius = (double)NAN;
}
static void mass(subject *s) {
  s->rod.joints[2].mass = -1;
}
static void infinite_mass(subject *s) {
  s->rod.joints[2].mass = HUGE_VAL;
}
static void joint_stiffness(subject *s) {
  s->rod.joints[2].stiffness = (double)NAN;
}
static void max_angle(subject *s) {
  s->rod.joints[2].max_angle = -0.1;
}
static void spring(subject *s) {
  s->rod.joints[2].spring = HUGE_VAL;
}
static void drag(subject *s) {
  s->rod.joints[2].drag = 1.01;
}
static void pull(subject *s) {
  s->rod.joints[2].pull.z = HUGE_VAL;
}
// Examples
static void other_length(subject *s) {
  s->rod.example_positions[1][5].x += 0.001;
}
static void other_length_of_second_chain(subject *s) {
  s->rod.example_positions[2][10].y -= 0.0005;
}
static void zero_direction(subject *s) {
  s->rod.examples[1].direction = (pl_vec3){0, 0, 0};
}
static void nan_direction(subject *s) {
  s->rod.examples[1].direction.x = (double)NAN;
}
static void nan_extent(subject *s) {
  s->rod.examples[1].extent = (double)NAN;
}
static void negative_extent(subject *s) {
  s->rod.examples[1].extent = -0.5;
}
static void nan_position(subject *s) {
  s->rod.example_positions[0][4].z = (double)NAN;
}
static void moved_root(subject *s) {
  for (int i = 1; i <= 6; ++i) s->rod.example_positions[0][i].x += 0.01;
}
static void nan_rotation(subject *s) {
  s->rod.examples[0].rotations = s->rotations;
  s->rotations[3].x = (double)NAN;
}
static void infinite_rotation(subject *s) {
  s->rod.examples[0].rotations = s->rotations;
  s->rotations[3].x = HUGE_VAL;
}
static void zero_rotation(subject *s) {
  s->rod.examples[0].rotations = s->rotations;
  s->rotations[3] = (pl_quat){0, 0, 0, 0};
}
static void same_name(subject *s) {
  s->rod.examples[1].name = s->rod.names[0];
}
static void no_name(subject *s) {
  s->rod.examples[2].name = "";
}
static void no_positions(subject *s) {
  s->rod.examples[2].positions = NULL;
}
static void not_a_root(subject *s) {
  s->rod.examples[2].root = 8;
}
static void kinematic_root(subject *s) {
  s->rod.examples[2].root = 0;
}
static void unknown_root(subject *s) {
  s->rod.examples[2].root = 99;
}
static void same_view(subject *s) {
  s->rod.def.view_rule = PL_ROD_VIEW_INTERPOLATING;
  s->rod.examples[1].direction = s->rod.examples[0].direction;
}
// Links, chains, colliders
static void link_between_chains(subject *s) {
  s->link.to = 9;
}
static void link_to_kinematic(subject *s) {
  s->link.to = 0;
}
static void link_to_itself(subject *s) {
  s->link.to = 3;
}
static void unknown_link(subject *s) {
  s->link.from = -1;
}
static void entry_not_a_root(subject *s) {
  s->chain.root = 2;
}
static void passive_center(subject *s) {
  s->chain.center = 8;
}
static void unknown_center(subject *s) {
  s->chain.center = 11;
}
static void unknown_chain_collider(subject *s) {
  s->chain_collider = 1;
}
static void passive_collider(subject *s) {
  s->collider.joint = 9;
}
static void unknown_collider_joint(subject *s) {
  s->collider.joint = 11;
}
static void collider_radius(subject *s) {
  s->collider.shape.radius = (double)NAN;
}
static void collider_placement(subject *s) {
  s->collider.shape.placement.position.x = (double)NAN;
}
// The skin
static void skin_sum(subject *s) {
  s->skin_weights[7] = 0.6f;
}
static void skin_nan(subject *s) {
  s->skin_weights[7] = NAN;
}
static void skin_joint(subject *s) {
  s->skin_joints[9] = 11;
}
static void skin_negative_joint(subject *s) {
  s->skin_joints[9] = -1;
}
static void skin_count(subject *s) {
  s->rod.def.skin.influence_count = 0;
}
static void skin_without_weights(subject *s) {
  s->rod.def.skin.weights = NULL;
}
static void skin_offset(subject *s) {
  s->rod.def.skin.offsets = s->skin_offsets;
  s->skin_offsets[5].y = (double)NAN;
}
// Numbers of the def
static void density(subject *s) {
  s->rod.def.density = 0;
}
static void stiffness(subject *s) {
  s->rod.def.stiffness = 1.5;
}
static void no_stiffness(subject *s) {
  s->rod.def.stiffness = 0;
}
static void nan_stiffness(subject *s) {
  s->rod.def.stiffness = (double)NAN;
}
static void stiffness_step(subject *s) {
  s->rod.def.stiffness_step = 0;
}
static void width(subject *s) {
  s->rod.def.width = 0;
}
static void wide(subject *s) {
  s->rod.def.width = 1000000;
}
static void twist(subject *s) {
  s->rod.def.twist = -1;
}
static void damping(subject *s) {
  s->rod.def.damping = -1;
}
static void friction(subject *s) {
  s->rod.def.friction = (double)NAN;
}
static void window(subject *s) {
  s->rod.def.window = 2;
}
static void view_time(subject *s) {
  s->rod.def.view_time = HUGE_VAL;
}
static void tube_sides(subject *s) {
  s->rod.def.tube_sides = 65;
}
static void solver(subject *s) {
  s->rod.def.solver = (pl_rod_solver)7;
}
static void ghost_momentum(subject *s) {
  s->rod.def.ghost_momentum = (pl_rod_ghost_momentum)7;
}
static void view_rule(subject *s) {
  s->rod.def.view_rule = (pl_rod_view_rule)7;
}
static void no_joints(subject *s) {
  s->rod.def.joint_count = 0;
}
static void no_magic(subject *s) {
  s->rod.def.magic = 0;
}

// What is wrong, how it fails, and words its message must have; a word may also be in the error's field.
static const struct {
  const char *name;
  void (*spoil)(subject *s);
  pl_status status;
  const char *words[3];
} CASES[] = {
#define BAD(spoil, ...)                     \
  {                                         \
#spoil, spoil, PL_ERROR_INVALID_DATA, { \
      __VA_ARGS__                           \
    }                                       \
  }
#define ARGUMENT(spoil, ...)                    \
  {                                             \
#spoil, spoil, PL_ERROR_INVALID_ARGUMENT, { \
      __VA_ARGS__                               \
    }                                           \
  }
    BAD(cycle, "ear", "ancestors"),
    BAD(own_parent, "ear 4"),
    BAD(kinematic_cycle, "ancestors"),
    BAD(no_parent, "tail 7", "kinematic"),
    BAD(unknown_parent, "tail 9", "parent"),
    BAD(negative_parent, "tail 9", "parent"),
    BAD(kinematic_below_passive, "ear 5", "ear 4", "kinematic"),
    BAD(no_length, "tail 8", "length"),
    BAD(one_joint, "tail 7", "one joint"),
    BAD(joint_position, "tail 9", "finite"),
    BAD(joint_rotation, "tail 9", "rotation"),
    BAD(kinematic_rotation, "head", "finite"),
    BAD(radius, "ear 2", "radius"),
    BAD(mass, "ear 2", "mass"),
    BAD(infinite_mass, "ear 2", "mass"),
    BAD(joint_stiffness, "ear 2", "stiffness"),
    BAD(max_angle, "ear 2", "max_angle"),
    BAD(spring, "ear 2", "spring"),
    BAD(drag, "ear 2", "drag"),
    BAD(pull, "ear 2", "pull"),
    BAD(other_length, "pose 1", "ear 5", "length"),
    BAD(other_length_of_second_chain, "pose 2", "tail 10", "length"),
    BAD(zero_direction, "pose 1", "view direction"),
    BAD(nan_direction, "pose 1", "view direction"),
    BAD(nan_extent, "pose 1", "extent"),
    BAD(negative_extent, "pose 1", "extent"),
    BAD(nan_position, "pose 0", "ear 4", "finite"),
    BAD(moved_root, "pose 0", "ear 1", "root"),
    BAD(nan_rotation, "pose 0", "ear 3", "rotation"),
    BAD(infinite_rotation, "pose 0", "ear 3", "rotation"),
    BAD(zero_rotation, "pose 0", "ear 3", "rotation"),
    BAD(same_name, "pose 0", "ear 1"),
    BAD(no_name, "example 2", "name"),
    BAD(no_positions, "pose 2", "positions"),
    BAD(not_a_root, "pose 2", "tail 8", "root"),
    BAD(kinematic_root, "pose 2", "head", "root"),
    BAD(unknown_root, "pose 2", "99", "root"),
    BAD(same_view, "pose 0", "pose 1"),
    BAD(link_between_chains, "link 0", "ear 3", "tail 9"),
    BAD(link_to_kinematic, "link 0", "ear 3", "head"),
    BAD(link_to_itself, "link 0", "ear 3"),
    BAD(unknown_link, "link 0", "-1"),
    BAD(entry_not_a_root, "chain 0", "ear 2"),
    BAD(passive_center, "chain 0", "tail 8", "kinematic"),
    BAD(unknown_center, "chain 0", "11"),
    BAD(unknown_chain_collider, "chain 0", "collider 1"),
    BAD(passive_collider, "collider 0", "tail 9", "kinematic"),
    BAD(unknown_collider_joint, "collider 0", "11"),
    ARGUMENT(collider_radius, "colliders[0]", "radius"),
    ARGUMENT(collider_placement, "colliders[0]", "placement"),
    BAD(skin_sum, "skin", "point 3", "1.1"),
    BAD(skin_nan, "skin", "point 3"),
    BAD(skin_joint, "skin", "point 4", "joint 11"),
    BAD(skin_negative_joint, "skin", "point 4", "joint -1"),
    ARGUMENT(skin_count, "skin"),
    ARGUMENT(skin_without_weights, "skin", "weights"),
    BAD(skin_offset, "skin", "point 2", "finite"),
    ARGUMENT(density, "density"),
    ARGUMENT(stiffness, "stiffness", "1.5"),
    ARGUMENT(no_stiffness, "stiffness"),
    ARGUMENT(nan_stiffness, "stiffness"),
    ARGUMENT(stiffness_step, "stiffness_step"),
    ARGUMENT(width, "width"),
    ARGUMENT(wide, "width"),
    ARGUMENT(twist, "twist"),
    ARGUMENT(damping, "damping"),
    ARGUMENT(friction, "friction"),
    ARGUMENT(window, "window"),
    ARGUMENT(view_time, "view_time"),
    ARGUMENT(tube_sides, "tube_sides"),
    ARGUMENT(solver, "solver"),
    ARGUMENT(ghost_momentum, "ghost_momentum"),
    ARGUMENT(view_rule, "view_rule"),
    BAD(no_joints, "joint"),
    ARGUMENT(no_magic, "pl_rod_def"),
#undef BAD
#undef ARGUMENT
};

static pl_mesh *make_surface(pl_context *context) {
  const int32_t cells[3] = {1, 1, 1};
  pl_mesh *box = NULL, *surface = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create_box(context, (pl_vec3){0.1, 0.1, 0.1}, cells, &box, &error), &error);
  check_ok(pl_mesh_build_boundary(context, box, &surface, NULL, &error), &error);
  pl_mesh_destroy(box);
  assert_int_equal(pl_mesh_get_view(surface).point_count, 8);
  return surface;
}

static void every_error_says_where(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *surface = make_surface(context);
  static subject s;
  int missed = 0;
  for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; ++k) {
    begin_subject(&s, surface);
    pl_model *model = NULL;
    pl_error error = {0};
    check_ok(pl_rod_build(context, &s.rod.def, &model, &error), &error);  // without the one thing it is fine
    pl_model_destroy(model);
    int64_t blocks = pl_context_get_memory_report(context).block_count;
    CASES[k].spoil(&s);
    model = (pl_model *)(void *)&s;
    pl_status status = pl_rod_build(context, &s.rod.def, &model, &error);
    if (status == CASES[k].status) {
      assert_null(model);
    } else if (status >= 0) {
      pl_model_destroy(model);
    }
    bool good = status == CASES[k].status && error.status == status;
    for (int w = 0; good && w < 3 && CASES[k].words[w] != NULL; ++w)
      good = strstr(error.text, CASES[k].words[w]) != NULL || strstr(error.field, CASES[k].words[w]) != NULL;
    if (!good) printf("%s: %s, field \"%s\": %s\n", CASES[k].name, pl_status_text(status), error.field, error.text);
    missed += !good;
    assert_int_equal(pl_context_get_memory_report(context).block_count, blocks);
    // Nobody has to want the text.
    assert_int_equal(pl_rod_build(context, &s.rod.def, &model, NULL), status);
    if (status >= 0) pl_model_destroy(model);
  }
  assert_int_equal(missed, 0);
  pl_mesh_destroy(surface);
  drop_context(context);
}

// Where there is no name, the number.
static void joints_without_names_are_called_by_number(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static subject s;
  begin_subject(&s, NULL);
  s.rod.joints[9].name = NULL;
  s.rod.joints[9].radius = -1;
  pl_error error = {0};
  pl_model *model = NULL;
  assert_int_equal(pl_rod_build(context, &s.rod.def, &model, &error), PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "joint 9"));
  // A name that is longer than a message is cut, not overrun.
  char name[4000];
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  s.rod.joints[9].name = name;
  assert_int_equal(pl_rod_build(context, &s.rod.def, &model, &error), PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "xxxx"));
  s.rod.joints[9].radius = 0;
  s.rod.examples[0].name = name;
  s.rod.example_positions[0][4].x += 0.1;
  assert_int_equal(pl_rod_build(context, &s.rod.def, &model, &error), PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "xxxx"));
  drop_context(context);
}

static void check_count(pl_context *context, const pl_rod_def *def, const char *word, const char *number) {
  pl_error error = {0};
  pl_model *model = NULL;
  pl_status status = pl_rod_build(context, def, &model, &error);
  if (number == NULL) {
    check_ok(status, &error);
    pl_model_destroy(model);
  } else {
    assert_int_equal(status, PL_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.text, word));
    assert_non_null(strstr(error.text, number));
  }
}

static void what_is_too_many_is_said_with_the_number(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  // Joints of a chain
  static pl_rod_joint joints[PL_ROD_MAX_JOINTS + 2];
  for (int32_t i = 0; i < PL_ROD_MAX_JOINTS + 2; ++i) {
    joints[i] = pl_default_rod_joint(i - 1);
    joints[i].rest.position.y = 0.01 * i;
    joints[i].name = i == 1 ? "braid" : NULL;
  }
  joints[0].kinematic = true;
  pl_rod_def def = pl_default_rod_def();
  def.joints = joints;
  def.joint_count = PL_ROD_MAX_JOINTS + 2;
  check_count(context, &def, "braid", "257");
  def.joint_count = PL_ROD_MAX_JOINTS + 1;
  check_count(context, &def, NULL, NULL);
  // Links
  pl_rod_link links[PL_ROD_MAX_LINKS + 1];
  for (int32_t i = 0; i <= PL_ROD_MAX_LINKS; ++i) links[i] = (pl_rod_link){2 + i, 5 + i};
  def.joint_count = 80;
  def.links = links;
  def.link_count = PL_ROD_MAX_LINKS + 1;
  check_count(context, &def, "braid", "65");
  def.link_count = PL_ROD_MAX_LINKS;
  check_count(context, &def, NULL, NULL);
  // Names of examples
  def.link_count = 0;
  def.joint_count = 8;
  pl_vec3 positions[8];
  for (int i = 0; i < 8; ++i) positions[i] = joints[i].rest.position;
  pl_rod_example examples[33];
  char names[33][16];
  for (int k = 0; k < 33; ++k) {
    snprintf(names[k], sizeof names[k], "n%d", k);
    examples[k] = (pl_rod_example){.name = names[k], .root = 1, .positions = positions};
  }
  def.examples = examples;
  def.example_count = 33;
  check_count(context, &def, "names", "33");
  def.example_count = 32;
  check_count(context, &def, NULL, NULL);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_error_says_where),
      cmocka_unit_test(joints_without_names_are_called_by_number),
      cmocka_unit_test(what_is_too_many_is_said_with_the_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
