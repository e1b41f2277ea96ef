// Chains that several tests start from: one led joint and a chain above it, straight, coiled or folded, with example poses bent by given turns.
#ifndef PL_TEST_RODS_H
#define PL_TEST_RODS_H

#include "bodies.h"
#include "pliant/math.h"

enum { MAX_ROD_JOINTS = 40, MAX_ROD_EXAMPLES = 8 };

typedef struct test_rod {
  pl_rod_joint joints[MAX_ROD_JOINTS];
  pl_rod_example examples[MAX_ROD_EXAMPLES];
  pl_vec3 example_positions[MAX_ROD_EXAMPLES][MAX_ROD_JOINTS];
  char names[MAX_ROD_EXAMPLES][16];
  pl_rod_def def;
} test_rod;

// Joint 0 is led and at the origin; joint 1, the root, is there too; the others follow, each turned by `turn` (rotation vector) from the one before.
static inline void begin_rod(test_rod *rod, int32_t passive_count, double length, pl_vec3 turn) {
  *rod = (test_rod){.def = pl_default_rod_def()};
  rod->joints[0] = pl_default_rod_joint(-1);
  rod->joints[0].kinematic = true;
  rod->joints[0].name = "head";
  pl_vec3 at = {0, 0, 0}, direction = {0, length, 0};
  for (int32_t i = 0; i < passive_count; ++i) {
    pl_rod_joint *joint = &rod->joints[i + 1];
    *joint = pl_default_rod_joint(i);
    joint->name = i == 0 ? "root" : "joint";
    joint->radius = 0.2 * length;
    joint->rest.position = at;
    at = pl_vec3_add(at, direction);
    direction = pl_quat_rotate(pl_quat_from_rotation_vector(turn), direction);
  }
  rod->def.joints = rod->joints;
  rod->def.joint_count = passive_count + 1;
  rod->def.examples = rod->examples;
}

// An example that bends the rest pose by `bend` (rotation vector, spread over all segments), seen from `direction` with `extent`.
static inline void add_example(test_rod *rod, pl_vec3 bend, pl_vec3 direction, double extent) {
  int32_t k = rod->def.example_count++, last = rod->def.joint_count - 1;
  pl_vec3 *to = rod->example_positions[k];
  pl_quat turn = pl_quat_identity(), each = pl_quat_from_rotation_vector(pl_vec3_scale(bend, 1.0 / (last - 1)));
  to[0] = rod->joints[0].rest.position;
  to[1] = rod->joints[1].rest.position;
  for (int32_t i = 2; i <= last; ++i) {
    turn = pl_quat_multiply(turn, each);
    pl_vec3 segment = pl_vec3_sub(rod->joints[i].rest.position, rod->joints[i - 1].rest.position);
    to[i] = pl_vec3_add(to[i - 1], pl_quat_rotate(turn, segment));
  }
  snprintf(rod->names[k], sizeof rod->names[k], "pose %d", k);
  rod->examples[k] = (pl_rod_example){.name = rod->names[k], .root = 1, .positions = to, .direction = direction, .extent = extent};
}

// Five examples around the character, each bending the chain away from the camera or to a side.
static inline void add_five_examples(test_rod *rod) {
  for (int k = 0; k < 5; ++k) {
    double angle = 2 * PL_PI * k / 5;
    pl_vec3 to_camera = {sin(angle), 0, cos(angle)}, axis = {cos(angle + k), 0, -sin(angle + k)};
    add_example(rod, pl_vec3_scale(axis, k % 2 == 0 ? 1.4 : -0.9), to_camera, k % 2 == 0 ? 0.5 : 0.8);
  }
}

static inline pl_model *build_rod(pl_context *context, const test_rod *rod) {
  pl_error error = {0};
  pl_model *model = NULL;
  check_ok(pl_rod_build(context, &rod->def, &model, &error), &error);
  return model;
}

// Largest relative error of a segment's length, joints below the root of the first chain.
static inline double length_error(const test_rod *rod, const pl_vec3 *positions) {
  double worst = 0;
  for (int32_t i = 2; i < rod->def.joint_count; ++i) {
    int32_t p = rod->joints[i].parent;
    double now = pl_vec3_length(pl_vec3_sub(positions[i], positions[p]));
    double rest = pl_vec3_length(pl_vec3_sub(rod->joints[i].rest.position, rod->joints[p].rest.position));
    worst = fmax(worst, fabs(now / rest - 1));
  }
  return worst;
}

#endif
