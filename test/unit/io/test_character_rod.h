// A small character for the tests of the writers: a body that leads a head, an ear of four joints that bends, an antler that branches, and a skin of square
// tubes around them; with a motion whose placements are computed here, from the roots down, independently of the library.
#ifndef PL_TEST_CHARACTER_ROD_H
#define PL_TEST_CHARACTER_ROD_H

#include "check.h"

#include "pliant/character.h"
#include "pliant/math.h"

enum {
  HEAD = 0,
  EAR = 1,     // 1 … 4
  ANTLER = 5,  // 5, 6, 7, and 8, a branch at 6
  BODY = 9,    // behind its child on purpose
  JOINT_COUNT = 10,
  CORNERS = 4,  // of a ring of the skin
  FRAME_COUNT = 24,
};

typedef struct test_rod {
  pl_rod_joint joints[JOINT_COUNT];
  pl_vec3 points[JOINT_COUNT * CORNERS], puffed[JOINT_COUNT * CORNERS];
  int32_t triangles[JOINT_COUNT * CORNERS * 2 * 3];
  int32_t skin_joints[JOINT_COUNT * CORNERS * 2];
  float skin_weights[JOINT_COUNT * CORNERS * 2];
  pl_vec3 left[JOINT_COUNT];  // positions of the example "left"
  pl_rod_example examples[2];
  pl_rod_chain chains[1];
  int32_t meets[1];
  pl_rod_collider colliders[3];
  pl_rod_link links[1];
  pl_mesh *surface;
  pl_rod_def def;
  pl_transform frames[FRAME_COUNT * JOINT_COUNT];
  int32_t nodes[JOINT_COUNT];
  pl_character_motion motion;
} test_rod;

static inline pl_transform test_local(const test_rod *rod, int32_t i) {
  const pl_rod_joint *joint = &rod->joints[i];
  if (joint->parent < 0) return joint->rest;
  pl_transform above = rod->joints[joint->parent].rest;
  return (pl_transform){pl_transform_apply_inverse(above, joint->rest.position),
                        pl_quat_multiply(pl_quat_conjugate(above.rotation), joint->rest.rotation)};
}

static inline void make_joints(test_rod *rod) {
  static const char *const names[JOINT_COUNT] = {"Head",     "ear.1",    "ear.2",    "ear.3",         "ear.4",
                                                 "antler.1", "antler.2", "antler.3", "antler.branch", NULL};
  static const int32_t parents[JOINT_COUNT] = {BODY, HEAD, 1, 2, 3, HEAD, 5, 6, 6, -1};
  static const pl_vec3 positions[JOINT_COUNT] = {{0, 1.2, 0},      {0.05, 1.3, 0},   {0.06, 1.36, 0.01}, {0.07, 1.42, 0.02},
                                                 {0.08, 1.48, 0},  {-0.05, 1.3, 0},  {-0.08, 1.4, 0},    {-0.1, 1.5, 0.02},
                                                 {-0.15, 1.45, 0}, {0.1, 0.5, -0.05}};
  for (int32_t i = 0; i < JOINT_COUNT; ++i) {
    rod->joints[i] = pl_default_rod_joint(parents[i]);
    rod->joints[i].name = names[i];
    rod->joints[i].kinematic = i == HEAD || i == BODY;
    rod->joints[i].rest.position = positions[i];
    rod->joints[i].rest.rotation = pl_quat_from_rotation_vector((pl_vec3){0.1 * i, 0.3 - 0.05 * i, 0.2});
    rod->joints[i].radius = 0.02 - 0.001 * i;
    rod->joints[i].spring = 0.5 + 0.1 * i;
    rod->joints[i].drag = 0.3 + 0.02 * i;
    rod->joints[i].pull = (pl_vec3){0, i == 2 ? 0 : -0.1 * i, 0};
  }
  rod->joints[3].max_angle = 0.7;
  rod->joints[3].mass = 0.01;
}

// Rings of four corners around the joints, joined to the parent's ring; half of each ring's weight is the parent's.
static inline void make_skin(test_rod *rod, pl_context *context) {
  int32_t triangle_count = 0;
  for (int32_t i = 0; i < JOINT_COUNT; ++i) {
    int32_t parent = rod->joints[i].parent;
    for (int32_t k = 0; k < CORNERS; ++k) {
      int32_t point = i * CORNERS + k, next = i * CORNERS + (k + 1) % CORNERS;
      double angle = 0.5 * PL_PI * k;
      pl_vec3 side = {0.03 * cos(angle), 0.005 * k, 0.03 * sin(angle)};
      rod->points[point] = pl_vec3_add(rod->joints[i].rest.position, side);
      rod->puffed[point] = pl_vec3_add_scaled(rod->points[point], side, 0.5 * (i % 3));
      rod->skin_joints[2 * point] = i;
      rod->skin_joints[2 * point + 1] = parent < 0 ? i : parent;
      rod->skin_weights[2 * point] = 0.7f;
      rod->skin_weights[2 * point + 1] = 0.3f;
      if (parent < 0) continue;
      int32_t shift = (parent - i) * CORNERS;
      const int32_t corners[6] = {point, next, point + shift, next, next + shift, point + shift};
      memcpy(rod->triangles + 3 * triangle_count, corners, sizeof corners);
      triangle_count += 2;
    }
  }
  pl_mesh_pose pose = {"puff", rod->puffed};
  pl_mesh_view view = {.point_count = JOINT_COUNT * CORNERS,
                       .points = rod->points,
                       .triangle_count = triangle_count,
                       .triangles = rod->triangles,
                       .pose_count = 1,
                       .poses = &pose};
  pl_error error = {0};
  check_ok(pl_mesh_create(context, &view, &rod->surface, &error), &error);
}

static inline void make_examples(test_rod *rod) {
  // The ear bent to the left by 0.5 radians at each joint, by placing joint behind joint.
  memset(rod->left, 0, sizeof rod->left);
  pl_quat turn = pl_quat_identity();
  rod->left[EAR] = rod->joints[EAR].rest.position;
  for (int32_t i = EAR + 1; i < EAR + 4; ++i) {
    turn = pl_quat_multiply(pl_quat_from_axis_angle((pl_vec3){0, 0, 1}, 0.5), turn);
    pl_vec3 way = pl_vec3_sub(rod->joints[i].rest.position, rod->joints[i - 1].rest.position);
    rod->left[i] = pl_vec3_add(rod->left[i - 1], pl_quat_rotate(turn, way));
  }
  rod->examples[0] = (pl_rod_example){.name = "left", .root = EAR, .positions = rod->left, .direction = {1, 0, 0.5}, .extent = 0.8};
  rod->examples[1] = (pl_rod_example){.name = "still", .root = EAR, .positions = rod->left};
}

static inline void make_settings(test_rod *rod) {
  static const pl_collider_shape shapes[3] = {PL_COLLIDER_SPHERE, PL_COLLIDER_CAPSULE, PL_COLLIDER_HALF_SPACE};
  for (int i = 0; i < 3; ++i) {
    rod->colliders[i] = (pl_rod_collider){.joint = i == 0 ? HEAD : BODY, .shape = pl_default_collider_def(shapes[i])};
    rod->colliders[i].shape.radius = 0.1;
    rod->colliders[i].shape.half_length = 0.2;
    rod->colliders[i].shape.placement = (pl_transform){{0, 0.1, 0.05}, pl_quat_from_rotation_vector((pl_vec3){0.2, 0, 0.4})};
  }
  rod->meets[0] = 1;
  rod->chains[0] = (pl_rod_chain){.name = "the ear", .root = EAR, .center = HEAD, .colliders = rod->meets, .collider_count = 1};
  rod->links[0] = (pl_rod_link){7, 8};
  rod->def = pl_default_rod_def();
  rod->def.joints = rod->joints;
  rod->def.joint_count = JOINT_COUNT;
  rod->def.links = rod->links;
  rod->def.link_count = 1;
  rod->def.examples = rod->examples;
  rod->def.example_count = 2;
  rod->def.chains = rod->chains;
  rod->def.chain_count = 1;
  rod->def.colliders = rod->colliders;
  rod->def.collider_count = 3;
  rod->def.skin =
      (pl_rod_skin){.surface = rod->surface, .influence_count = 2, .joints = rod->skin_joints, .weights = rod->skin_weights};
}

// Every joint turns in its parent, the body wanders, and from frame 6 on ear.3 is drawn out of place by `stretch` metres.
static inline void make_motion(test_rod *rod, double stretch) {
  static const int32_t order[JOINT_COUNT] = {BODY, HEAD, 1, 2, 3, 4, 5, 6, 7, 8};
  for (int32_t frame = 0; frame < FRAME_COUNT; ++frame) {
    pl_transform *now = rod->frames + frame * JOINT_COUNT;
    double t = frame / 30.0;
    for (int32_t k = 0; k < JOINT_COUNT; ++k) {
      int32_t i = order[k], parent = rod->joints[i].parent;
      pl_transform local = test_local(rod, i);
      // More than a whole turn at ear.2, so that quaternions pass their hemisphere.
      double swing = i == 2 ? 9 * t : 0.6 * sin(5 * t + i);
      local.rotation = pl_quat_multiply(local.rotation, pl_quat_from_rotation_vector((pl_vec3){swing, 0.3 * swing, -0.2 * swing}));
      if (i == BODY) local.position.x += 0.4 * t;
      if (i == 3 && frame >= 6) local.position.y += stretch;
      now[i] = parent < 0 ? local : pl_transform_multiply(now[parent], local);
    }
  }
  for (int32_t i = 0; i < JOINT_COUNT; ++i) rod->nodes[i] = i;
  rod->motion = (pl_character_motion){.name = "sway \"wide\"",
                                      .frame_rate = 30,
                                      .frame_count = FRAME_COUNT,
                                      .joint_count = JOINT_COUNT,
                                      .nodes = rod->nodes,
                                      .joints = rod->frames};
}

static inline void make_test_rod(test_rod *rod, pl_context *context) {
  memset(rod, 0, sizeof *rod);
  make_joints(rod);
  make_skin(rod, context);
  make_examples(rod);
  make_settings(rod);
  make_motion(rod, 0);
}

#endif
