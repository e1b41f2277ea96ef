// Loops: the difference between the end and the start of a cycle, and a fade that removes it over the last fifth of the
// cycle.
//
// The fade happens in the space of joint rotations: every joint is rotated, relative to its parent, by a growing
// fraction of the rotation from its last orientation to its first. Segments keep their lengths, which blending
// positions would not.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool_bake.h"

static const double DEGREES = 180 / PL_PI;

static pl_quat multiply(pl_quat a, pl_quat b) {
  return (pl_quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                   a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static pl_quat conjugate(pl_quat q) {
  return (pl_quat){-q.x, -q.y, -q.z, q.w};
}

static pl_vec3 rotate(pl_quat q, pl_vec3 v) {
  pl_quat turned = multiply(multiply(q, (pl_quat){v.x, v.y, v.z, 0}), conjugate(q));
  return (pl_vec3){turned.x, turned.y, turned.z};
}

pl_transform bake_relative(pl_transform a, pl_transform b) {
  pl_vec3 way = {b.position.x - a.position.x, b.position.y - a.position.y, b.position.z - a.position.z};
  return (pl_transform){rotate(conjugate(a.rotation), way), multiply(conjugate(a.rotation), b.rotation)};
}

pl_transform bake_join(pl_transform a, pl_transform local) {
  pl_vec3 way = rotate(a.rotation, local.position);
  return (pl_transform){{a.position.x + way.x, a.position.y + way.y, a.position.z + way.z},
                        multiply(a.rotation, local.rotation)};
}

// Half the angle of a rotation, the short way round.
static double half_angle(pl_quat q) {
  return atan2(sqrt(q.x * q.x + q.y * q.y + q.z * q.z), fabs(q.w));
}

double bake_angle(pl_quat from, pl_quat to) {
  return 2 * half_angle(multiply(conjugate(from), to));
}

// A fraction of a rotation, the short way round.
static pl_quat part_of(pl_quat q, double fraction) {
  double half = half_angle(q), sine = sqrt(q.x * q.x + q.y * q.y + q.z * q.z), sign = q.w < 0 ? -1 : 1;
  if (sine < 1e-12) return (pl_quat){0, 0, 0, 1};
  double scale = sign * sin(fraction * half) / sine;
  return (pl_quat){scale * q.x, scale * q.y, scale * q.z, cos(fraction * half)};
}

void bake_order_joints(bake_job *job) {
  int32_t count = job->rod.joint_count, placed = 0;
  job->order = tool_allocate((size_t)count, sizeof *job->order);
  bool *done = tool_allocate((size_t)count, sizeof *done);
  // Skeletons come with parents first, or nearly so: few passes are needed.
  while (placed < count) {
    int32_t before = placed;
    for (int32_t i = 0; i < count; ++i) {
      int32_t parent = job->rod.joints[i].parent;
      if (done[i] || (parent >= 0 && !done[parent])) continue;
      done[i] = true;
      job->order[placed++] = i;
    }
    if (placed == before) break;  // a cycle, which no model was built from
  }
  free(done);
}

int32_t bake_first_base(const bake_job *job) {
  for (int32_t i = 0; i < job->rod.joint_count; ++i)
    if (!job->rod.joints[i].kinematic && job->rod.joints[job->rod.joints[i].parent].kinematic)
      return job->rod.joints[i].parent;
  return 0;
}

bake_gap bake_measure_gap(const bake_job *job, const pl_transform *a, const pl_transform *b) {
  bake_gap gap = {0, 0};
  for (int32_t i = 0; i < job->rod.joint_count; ++i) {
    const pl_rod_joint *joint = &job->rod.joints[i];
    if (joint->kinematic) continue;
    pl_quat from = bake_relative(a[joint->parent], a[i]).rotation, to = bake_relative(b[joint->parent], b[i]).rotation;
    gap.degrees = fmax(gap.degrees, DEGREES * bake_angle(from, to));
    int32_t base = joint->parent;
    while (!job->rod.joints[base].kinematic) base = job->rod.joints[base].parent;
    pl_vec3 x = bake_relative(a[base], a[i]).position, y = bake_relative(b[base], b[i]).position;
    gap.metres =
        fmax(gap.metres, sqrt((x.x - y.x) * (x.x - y.x) + (x.y - y.y) * (x.y - y.y) + (x.z - y.z) * (x.z - y.z)));
  }
  return gap;
}

double bake_fade_fraction(const bake_job *job, int32_t frame) {
  int32_t last = job->frame_count - 1;
  double part = (frame - 0.8 * last) / (0.2 * last);
  if (!job->options.loop || part <= 0) return 0;
  return part >= 1 ? 1 : part * part * (3 - 2 * part);
}

// One frame of the fade; `first` and `last` are the recorded ends of the cycle, `recorded` is this frame as it was.
static void fade_frame(const bake_job *job, const pl_transform *first, const pl_transform *last,
                       const pl_transform *recorded, double fraction, pl_transform *frame) {
  for (int32_t k = 0; k < job->rod.joint_count; ++k) {
    int32_t i = job->order[k], parent = job->rod.joints[i].parent;
    if (job->rod.joints[i].kinematic) continue;
    pl_transform from = bake_relative(last[parent], last[i]), to = bake_relative(first[parent], first[i]);
    pl_transform local = bake_relative(recorded[parent], recorded[i]);
    local.rotation = multiply(local.rotation, part_of(multiply(conjugate(from.rotation), to.rotation), fraction));
    local.position.x += fraction * (to.position.x - from.position.x);
    local.position.y += fraction * (to.position.y - from.position.y);
    local.position.z += fraction * (to.position.z - from.position.z);
    frame[i] = bake_join(frame[parent], fraction == 1 ? to : local);
  }
}

void bake_close_loop(bake_job *job) {
  size_t count = (size_t)job->rod.joint_count, size = count * sizeof(pl_transform);
  pl_transform *last = tool_allocate(count, sizeof *last), *recorded = tool_allocate(count, sizeof *recorded);
  memcpy(last, job->frames + (size_t)(job->frame_count - 1) * count, size);
  for (int32_t i = 0; i < job->frame_count; ++i) {
    double fraction = bake_fade_fraction(job, i);
    if (fraction == 0) continue;
    pl_transform *frame = job->frames + (size_t)i * count;
    memcpy(recorded, frame, size);
    fade_frame(job, job->frames, last, recorded, fraction, frame);
  }
  free(last);
  free(recorded);
}
