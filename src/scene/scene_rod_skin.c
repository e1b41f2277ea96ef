// A surface around a skeleton finds the joints it follows.
//
// A point within reach of a chain follows the segment that is nearest in radii. A segment turns with the joint where it
// begins; towards its ends the point goes over, along a smooth step, to the joints before and after, half and half
// where two segments meet:
//
//   t      along the segment, 0 … 1           s(x) = 3x² - 2x³ on 0 … 1
//   joint before  1 - s(t + 1/2)              joint after  s(t - 1/2)              this joint: the remainder
//
// The joint before the first is the kinematic one, so the surface grows out of the head without a crease. Beyond reach
// the chain's share fades, and the rest belongs to the nearest kinematic joint.
#include <math.h>

#include "base/error.h"
#include "base/parallel.h"
#include "pliant/math.h"
#include "scene/scene_rod.h"

enum { INFLUENCES = 4 };

typedef struct skinner {
  const pl_rod_def *def;
  const pl_vec3 *points;
  double reach, fade;
  const int32_t *segments;  // joints that a segment ends at
  int32_t segment_count;
  const bool *is_tip;
  int32_t *joints;
  float *weights;
} skinner;

static double smooth(double x) {
  x = fmin(fmax(x, 0), 1);
  return x * x * (3 - 2 * x);
}

// Where a point is, seen from a segment.
typedef struct skin_position {
  int32_t joint;  // the segment's end, -1 for none
  double along;   // 0 … 1 on the segment, not clamped
  double away;    // radii from the axis
} skin_position;

static skin_position position_on(const pl_rod_def *def, int32_t joint, pl_vec3 p) {
  int32_t parent = def->joints[joint].parent;
  pl_vec3 a = def->joints[parent].rest.position, d = pl_vec3_sub(def->joints[joint].rest.position, a);
  double length = pl_vec3_length(d), along = pl_vec3_dot(pl_vec3_sub(p, a), d) / (length * length);
  double t = fmin(fmax(along, 0), 1), thin = 0.01 * length;
  double radius = fmax((1 - t) * def->joints[parent].radius + t * def->joints[joint].radius, thin);
  return (skin_position){joint, along, pl_vec3_distance(p, pl_vec3_add_scaled(a, d, t)) / radius};
}

static skin_position nearest_segment(const skinner *s, pl_vec3 p) {
  skin_position best = {.joint = -1, .away = HUGE_VAL};
  for (int32_t i = 0; i < s->segment_count; ++i) {
    skin_position here = position_on(s->def, s->segments[i], p);
    if (here.away < best.away) best = here;
  }
  return best;
}

static int32_t nearest_kinematic(const pl_rod_def *def, pl_vec3 p) {
  int32_t best = 0;
  double min = HUGE_VAL;
  for (int32_t i = 0; i < def->joint_count; ++i) {
    double distance = pl_vec3_distance(p, def->joints[i].rest.position);
    if (!def->joints[i].kinematic || !(distance < min)) continue;
    min = distance;
    best = i;
  }
  return best;
}

static void skin_points(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const skinner *s = data;
  for (int32_t i = begin; i < end; ++i) {
    skin_position at = nearest_segment(s, s->points[i]);
    int32_t *joints = s->joints + INFLUENCES * (size_t)i;
    float *weights = s->weights + INFLUENCES * (size_t)i;
    for (int k = 0; k < INFLUENCES; ++k) joints[k] = nearest_kinematic(s->def, s->points[i]);
    double fraction = at.joint < 0 ? 0 : 1 - smooth((at.away - s->reach) / s->fade);
    weights[0] = (float)(1 - fraction);
    if (!(fraction > 0)) continue;
    int32_t start = s->def->joints[at.joint].parent;
    // A surface extends behind the root, but not beyond a tip.
    double before =
        1 - smooth((s->def->joints[s->def->joints[start].parent].kinematic ? at.along : fmax(at.along, 0)) + 0.5);
    double after = s->is_tip[at.joint] ? 0 : smooth(fmin(at.along, 1) - 0.5);
    joints[1] = s->def->joints[start].parent;
    joints[2] = start;
    joints[3] = at.joint;
    weights[1] = (float)(fraction * before);
    weights[3] = (float)(fraction * after);
    // What the others leave, less their rounding.
    weights[2] = fmaxf(1.0f - weights[0] - weights[1] - weights[3], 0.0f);
  }
}

pl_status pl_instance_skin_rod(pl_scene_instance *set, const pl_scene_rod_skin *skin, const pl_mesh *surface,
                               pl_rod_def *def, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(surface);
  size_t count = INFLUENCES * (size_t)view.point_count;
  int32_t *joints = PL_TAKE(&set->arena, int32_t, count), *segments = PL_TAKE(&set->arena, int32_t, def->joint_count);
  float *weights = PL_TAKE(&set->arena, float, count);
  bool *is_tip = PL_TAKE(&set->arena, bool, def->joint_count);
  if (set->arena.failed) return pl_fail_memory(error);
  skinner s = {.def = def,
               .points = view.points,
               .reach = skin->reach,
               .fade = skin->fade,
               .segments = segments,
               .is_tip = is_tip,
               .joints = joints,
               .weights = weights};
  for (int32_t i = 0; i < def->joint_count; ++i) is_tip[i] = true;
  for (int32_t i = 0; i < def->joint_count; ++i) {
    const pl_rod_joint *joint = &def->joints[i];
    if (joint->parent >= 0) is_tip[joint->parent] = false;
    if (!joint->kinematic && !def->joints[joint->parent].kinematic) segments[s.segment_count++] = i;
  }
  pl_parallel_for(set->context, view.point_count, 256, skin_points, &s);
  def->skin = (pl_rod_skin){surface, INFLUENCES, joints, weights, NULL};
  return PL_OK;
}
