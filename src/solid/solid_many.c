// One step of several small bodies of one model at a time, side by side: the step of solid_step.c without examples and
// without forces on single particles. Bodies whose energy is measured in this step (solid_budget.c) move by themselves.
#include <string.h>

#include "base/error.h"
#include "math/mat3.h"
#include "solid/solid_budget.h"
#include "solid/solid_kernels.h"

// Fewer bodies take less time one after the other.
enum { MIN_MANY = 4 };

static bool take_rows(pl_scratch *scratch, pl_solid_many *m) {
  size_t n = (size_t)m->model->head.particle_count;
  m->positions = PL_SCRATCH(scratch, float, n *VEC3_LANES);
  m->velocities = PL_SCRATCH(scratch, float, n *VEC3_LANES);
  m->poses = PL_SCRATCH(scratch, float, n *PL_SOLID_MANY_POSE);
  return m->positions != NULL && m->velocities != NULL && m->poses != NULL;
}

static void set_lane(float rows[3][LANES], int32_t lane, pl_vec3 a) {
  rows[0][lane] = (float)a.x;
  rows[1][lane] = (float)a.y;
  rows[2][lane] = (float)a.z;
}

static pl_d4 sum_of_lane(const pl_solid_many *m, int sum, int32_t lane) {
  return (pl_d4){m->sums[sum][0][lane], m->sums[sum][1][lane], m->sums[sum][2][lane], 0};
}

static pl_solid_sums sums_of_lane(const pl_solid_many *m, int32_t lane) {
  return (pl_solid_sums){.drift = sum_of_lane(m, PL_SOLID_DRIFT, lane),
                         .twist = sum_of_lane(m, PL_SOLID_TWIST, lane),
                         .momentum = sum_of_lane(m, PL_SOLID_MOMENTUM, lane),
                         .moment = sum_of_lane(m, PL_SOLID_MOMENT, lane),
                         .spin = sum_of_lane(m, PL_SOLID_SPIN, lane),
                         .squares = sum_of_lane(m, PL_SOLID_SQUARES, lane),
                         .products = sum_of_lane(m, PL_SOLID_PRODUCTS, lane),
                         .pulls = sum_of_lane(m, PL_SOLID_PULLS, lane)};
}

// The rigid motion of a body, which is left in its lanes, and its budget.
static pl_solid_rigid find_motion(pl_solid_many *m, const pl_body_move *move, int32_t lane) {
  pl_solid_pull pull = {.model = m->model, .alpha_over_step = m->alpha_over_step};
  pl_solid_budget budget = {.pull = &pull, .state = m->states[lane]};
  pl_solid_sums sums = sums_of_lane(m, lane);
  bool may_twist = m->model->examples.goal_rotation == PL_SOLID_ROTATION_PAPER;
  pl_solid_rigid rigid = pl_solid_find_rigid(&sums, m->model->head.mass, (double)m->alpha_over_step, may_twist);
  pl_solid_budget_begin(&budget, m->damped_fraction);
  bool slowed = pl_solid_budget_finish(&budget, move->context, &sums, &rigid);
  if (move->damped != NULL) *move->damped = slowed;
  set_lane(m->motions[PL_SOLID_AT_CENTER], lane, rigid.center);
  set_lane(m->motions[PL_SOLID_MOVING], lane, rigid.velocity);
  set_lane(m->motions[PL_SOLID_TURNING], lane, rigid.angular_velocity);
  set_lane(m->motions[PL_SOLID_DRIFTING], lane, rigid.drift);
  set_lane(m->motions[PL_SOLID_TWISTING], lane, rigid.twist);
  return rigid;
}

static pl_status move_lanes(pl_solid_many *m, const pl_body_move *const *moves, int32_t count, pl_error *error) {
  const pl_solid_kernels *kernels = pl_solid_kernels_choose();
  pl_scratch_mark mark = pl_scratch_push(moves[0]->scratch);
  if (!take_rows(moves[0]->scratch, m)) {
    pl_scratch_pop(moves[0]->scratch, mark);
    return pl_fail_memory(error);
  }
  pl_vec3 centers[LANES];
  for (int32_t k = 0; k < LANES; ++k) {
    const pl_body_move *move = moves[k < count ? k : 0];
    if (k >= count) m->starts[k] = m->starts[0], m->states[k] = m->states[0];
    pl_f4 gain = pl_f4_of_vec3(pl_vec3_scale(move->acceleration, move->step));
    for (int i = 0; i < 3; ++i) m->gains[LANES * i + k] = gain[i];
  }
  kernels->load_many(m);
  kernels->pose_many(m);
  kernels->pull_many(m);
  for (int32_t k = 0; k < count; ++k) centers[k] = find_motion(m, moves[k], k).center;
  for (int k = 0; k < 3 * PL_SOLID_MOTION_COUNT; ++k)
    for (int32_t lane = count; lane < LANES; ++lane) m->motions[k / 3][k % 3][lane] = m->motions[k / 3][k % 3][0];
  int finite = kernels->drift_many(m);
  for (int32_t k = 0; k < count; ++k) pl_solid_end_step(m->model, m->states[k], (finite >> k & 1) != 0, centers[k]);
  pl_scratch_pop(moves[0]->scratch, mark);
  return PL_OK;
}

pl_status pl_solid_move_many(const pl_model *model, const void *const *starts, void *const *states,
                             const pl_body_move *moves, int32_t count, pl_error *error) {
  const pl_solid_model *solid = (const pl_solid_model *)model;
  double step = moves[0].step;
  pl_solid_many m = {.model = solid,
                     .step = (float)step,
                     .alpha_over_step = pl_solid_alpha_over_step(solid, step),
                     .damped_fraction = pl_solid_damped_fraction(solid, step)};
  const pl_body_move *lanes[LANES];
  bool is_alone[LANES];
  int32_t numbers[LANES], lane_count = 0;
  for (int32_t k = 0; k < count; ++k) {
    pl_solid_state start = pl_solid_state_of(model, starts[k]);
    bool is_pushed = moves[k].forces != NULL;
    is_alone[k] = is_pushed || pl_solid_budget_will_measure(solid, start, m.damped_fraction, is_pushed);
    if (is_alone[k]) continue;
    numbers[lane_count] = k;
    m.starts[lane_count] = start;
    m.states[lane_count] = pl_solid_state_of(model, states[k]);
    lanes[lane_count++] = &moves[k];
  }
  bool are_few = lane_count < MIN_MANY;
  for (int32_t k = 0; k < lane_count && !are_few; ++k)
    if (starts[numbers[k]] != states[numbers[k]]) pl_solid_copy_head(states[numbers[k]], starts[numbers[k]]);
  pl_status status = are_few ? PL_OK : move_lanes(&m, lanes, lane_count, error);
  for (int32_t k = 0; k < count && status >= 0; ++k) {
    if (!are_few && !is_alone[k]) continue;
    if (starts[k] != states[k]) memcpy(states[k], starts[k], pl_solid_state_size(model));
    status = pl_solid_move(model, states[k], &moves[k], error);
  }
  return status;
}
