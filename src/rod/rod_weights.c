// Inputs of a rod body: weights, targets of kinematic joints, the camera; and weights by the view direction.
#include <stdint.h>
#include <string.h>

#include "pliant/math.h"
#include "rod/rod_model.h"

pl_example_view pl_rod_list_examples(const pl_model *model) {
  const pl_rod_model *rod = (const pl_rod_model *)model;
  if (rod->example_count == 0) return (pl_example_view){0};
  return (pl_example_view){.example_count = rod->example_count,
                           .names = rod->example_names,
                           .manifold_count = rod->chain_count,
                           .manifold_names = rod->chain_names,
                           .given_count = rod->chain_count};
}

void pl_rod_get_weights(const pl_model *model, const void *state, int32_t manifold, double *weights) {
  const pl_rod_model *rod = (const pl_rod_model *)model;
  int32_t slot = rod->slot_of_chain[manifold], lane = slot % LANES;
  const pl_rod_batch *batch = &rod->batches[slot / LANES];
  pl_rod_lanes lanes = pl_rod_lanes_of(rod, pl_rod_state_of(model, state), slot / LANES);
  for (int32_t k = 0; k < rod->example_count; ++k) weights[k] = 0;
  for (int32_t k = 0; k < batch->example_count; ++k) {
    int32_t example = batch->examples[LANES * k + lane];
    if (example >= 0) weights[example] = (double)lanes.weights[LANES * k + lane];
  }
}

void pl_rod_set_weights(const pl_model *model, void *state, int32_t manifold, const double *weights) {
  const pl_rod_model *rod = (const pl_rod_model *)model;
  pl_rod_state s = pl_rod_state_of(model, state);
  for (int32_t chain = weights != NULL ? manifold : 0; chain < (weights != NULL ? manifold + 1 : rod->chain_count);
       ++chain) {
    int32_t slot = rod->slot_of_chain[chain], lane = slot % LANES;
    const pl_rod_batch *batch = &rod->batches[slot / LANES];
    pl_rod_lanes lanes = pl_rod_lanes_of(rod, s, slot / LANES);
    lanes.sources[lane] = weights != NULL ? PL_ROD_GIVEN : PL_ROD_BY_ITSELF;
    for (int32_t k = 0; weights != NULL && k < batch->example_count; ++k) {
      int32_t example = batch->examples[LANES * k + lane];
      lanes.given[LANES * k + lane] = example >= 0 ? (float)weights[example] : 0.0f;
    }
  }
}

bool pl_rod_state_set_target(const pl_model *model, void *state, int32_t joint, pl_transform target, double seconds) {
  const pl_rod_model *rod = (const pl_rod_model *)model;
  if (joint < 0 || joint >= rod->joint_count || rod->kinematic_of_joint[joint] < 0) return false;
  pl_rod_state s = pl_rod_state_of(model, state);
  int32_t number = rod->kinematic_of_joint[joint];
  pl_rod_kinematic *kinematic = &s.kinematic[number];
  kinematic->target = target;
  kinematic->seconds = seconds;
  // Before the first step there is no motion to a target: the first pose of an animation is the initial one, and
  // nothing whips.
  if (s.head->fresh && seconds == 0) {
    kinematic->now = target;
    for (int32_t slot = 0; slot < rod->batch_count * LANES; ++slot)
      if (rod->batches[slot / LANES].bases[slot % LANES] == number)
        pl_rod_place_lane(rod, s, slot / LANES, slot % LANES);
  }
  return true;
}

void pl_rod_state_set_camera(const pl_model *model, void *state, pl_vec3 eye) {
  pl_rod_head *head = pl_rod_state_of(model, state).head;
  head->eye[0] = eye.x;
  head->eye[1] = eye.y;
  head->eye[2] = eye.z;
  head->looking = 1;
}

void pl_rod_state_set_morph_weights(const pl_model *model, void *state, const double *weights) {
  const pl_rod_model *rod = (const pl_rod_model *)model;
  float *morphs = pl_rod_state_of(model, state).morphs;
  for (int32_t i = 0; i < rod->morph_count; ++i) morphs[i] = (float)weights[i];
}

void pl_rod_state_get_morph_weights(const pl_model *model, const void *state, double *weights) {
  const pl_rod_model *rod = (const pl_rod_model *)model;
  const float *morphs = pl_rod_state_of(model, (void *)(uintptr_t)state).morphs;
  for (int32_t i = 0; i < rod->morph_count; ++i) weights[i] = (double)morphs[i];
}

void pl_rod_interpolate_view(const pl_rod_batch *batch, int32_t lane, pl_vec3 direction, float *weights) {
  int32_t count = batch->view_counts[lane];
  const pl_view_example *views = batch->views + (size_t)lane * (size_t)batch->example_count;
  double found[PL_MAX_EXAMPLES];
  pl_view_similarities(count, views, direction, found);
  if (count > 0) pl_weight_kernel_evaluate(&batch->kernels[lane], found, found);
  for (int32_t k = 0; k < batch->example_count; ++k) weights[LANES * k + lane] = k < count ? (float)found[k] : 0.0f;
}

int32_t pl_rod_get_chain(const pl_model *model, int32_t joint) {
  const pl_rod_model *rod = (const pl_rod_model *)model;
  if (model->method->set_target != pl_rod_state_set_target || joint < 0 || joint >= rod->joint_count ||
      rod->kinematic_of_joint[joint] >= 0)
    return -1;
  int32_t slot = rod->slot_of_joint[joint];
  return rod->batches[slot / LANES].chains[slot % LANES];
}

int32_t pl_rod_get_root(const pl_model *model, int32_t chain) {
  const pl_rod_model *rod = (const pl_rod_model *)model;
  if (model->method->set_target != pl_rod_state_set_target || chain < 0 || chain >= rod->chain_count) return -1;
  int32_t slot = rod->slot_of_chain[chain];
  return rod->batches[slot / LANES].joints[slot % LANES];
}

pl_rod_report pl_rod_get_report(const pl_model *model) {
  const pl_rod_model *rod = (const pl_rod_model *)model;
  if (model->method->set_target != pl_rod_state_set_target) return (pl_rod_report){0};
  pl_rod_report report = {.joint_count = rod->joint_count,
                          .kinematic_count = rod->kinematic_count,
                          .chain_count = rod->chain_count,
                          .longest_chain = rod->max_joint_count,
                          .batch_count = rod->batch_count};
  for (int32_t b = 0; b < rod->batch_count; ++b)
    report.link_count += rod->batches[b].lane_count * rod->batches[b].plan->link_count;
  return report;
}

// Weighted sum of the quaternions of one joint, made a unit (QLERP).
static pl_quat mix(const pl_rod_batch *batch, const float *poses, int32_t joint, int32_t lane, const double *weights) {
  size_t stride = QUAT_LANES * (size_t)batch->plan->joint_count;
  pl_quat sum = {0, 0, 0, 0};
  double left = 1;
  for (int32_t k = 0; k <= batch->example_count; ++k) {
    // Examples first, so that the rest shape gets the remainder up to 1.
    bool rest = k == batch->example_count;
    int32_t example = rest ? -1 : batch->examples[LANES * k + lane];
    double weight = rest ? left : example >= 0 ? weights[example] : 0;
    left -= weight;
    pl_quat q = pl_rod_get_quat(rest ? poses : poses + (size_t)(k + 1) * stride, joint, lane);
    sum = (pl_quat){sum.x + weight * q.x, sum.y + weight * q.y, sum.z + weight * q.z, sum.w + weight * q.w};
  }
  return pl_quat_dot(sum, sum) > 1e-12 ? pl_quat_normalize(sum) : pl_rod_get_quat(poses, joint, lane);
}

// The same in double precision as the kernel does in single.
int32_t pl_rod_blend(const pl_model *model, int32_t chain, const double *weights, pl_transform *joints) {
  const pl_rod_model *rod = (const pl_rod_model *)model;
  if (pl_rod_get_root(model, chain) < 0) return 0;
  int32_t slot = rod->slot_of_chain[chain], lane = slot % LANES;
  const pl_rod_batch *batch = &rod->batches[slot / LANES];
  const pl_rod_plan *plan = batch->plan;
  pl_vec3 directions[PL_ROD_MAX_JOINTS];
  for (int32_t i = 0; i < plan->joint_count; ++i) {
    int32_t p = plan->parents[i];
    joints[i] = (pl_transform){{0, 0, 0}, mix(batch, batch->poses, i, lane, weights)};
    if (i == 0) continue;
    const float *aim = batch->aims + VEC3_LANES * (size_t)i + (size_t)lane;
    pl_vec3 from = p == 0 ? (pl_vec3){(double)aim[0], (double)aim[LANES], (double)aim[2 * LANES]} : directions[p];
    directions[i] = pl_vec3_normalize_or(pl_quat_rotate(mix(batch, batch->turns, i, lane, weights), from), from);
    joints[i].position =
        pl_vec3_add_scaled(joints[p].position, directions[i], (double)batch->lengths[LANES * (i - 1) + lane]);
  }
  return plan->joint_count;
}
