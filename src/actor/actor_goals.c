// Goals as rows of linear equations in the unknowns of a step (paper 004, eqs. 6 to 10).
//
//   k_p (q - s_x) + k_d (v - s_v) = 0
//
//   q, v       Σ w_j x_j and Σ w_j v_j at the end of the step
//   q_n, v_n   the same at its start
//
// The step looks for u with x = b + r (u - b), b the positions at the start; r = 1 for implicit Euler, where v = (q -
// q_n)/h as in the paper, and r = 2 for the midpoint rule, where v = 2 (q - q_n)/h - v_n. (With the paper's v, which is
// the mean velocity of the step, a velocity that is reached would change sign around its goal for ever.) In both, with
// Q = Σ w_j u_j,
//
//   q = q_n + r (Q - q_n),  v = r² (Q - q_n)/h - (r - 1) v_n,  and so a row of the equations is
//
//   (k_p r + k_d r²/h) Q  =  k_p s_x + k_d (s_v + (r - 1) v_n) + (k_p (r - 1) + k_d r²/h) q_n
//
// times the weight of the goal. For r = 1 this is eqs. 9 and 10 with the signs corrected.
#include <math.h>

#include "actor/actor.h"
#include "math/mat3.h"
#include "pliant/math.h"

static bool is_spin(const pl_goal *goal) {
  return goal->subject == PL_GOAL_SPIN || goal->subject == PL_GOAL_PART_SPIN;
}

static bool is_sound(const pl_goals *goals, const pl_goal *goal) {
  if (!pl_vec3_is_finite(goal->position) || !pl_vec3_is_finite(goal->velocity)) return false;
  if (!isfinite(goal->position_gain) || !isfinite(goal->velocity_gain) || !isfinite(goal->weight)) return false;
  bool part = goal->part >= 0 && goal->part < goals->part_count,
       other = goal->other >= 0 && goal->other < goals->part_count;
  switch (goal->subject) {
    case PL_GOAL_CENTER:
    case PL_GOAL_SPIN: return true;
    case PL_GOAL_PART:
    case PL_GOAL_PART_SPIN: return part;
    case PL_GOAL_DIFFERENCE: return part && other && goal->part != goal->other;
    case PL_GOAL_POINTS: break;
    default: return false;
  }
  if (goal->point_count < 1 || goal->point_count > goals->particle_count) return false;
  for (int32_t i = 0; i < goal->point_count; ++i)
    if (goal->points[i] < 0 || goal->points[i] >= goals->particle_count || !isfinite(goal->weights[i])) return false;
  return true;
}

// Room of a goal's rows: a part has at most all particles, a spin three coordinates of each.
static int32_t workspace_of(const pl_goal *goal) {
  int32_t axes = (int32_t)((goal->axes & 1) + (goal->axes >> 1 & 1) + (goal->axes >> 2 & 1));
  return axes * (is_spin(goal) ? 3 : goal->subject == PL_GOAL_DIFFERENCE ? 2 : 1);
}

bool pl_goals_add(pl_goals *goals, const pl_goal *goal) {
  if (goals->count == PL_MAX_GOALS || !is_sound(goals, goal) ||
      goals->workspace + workspace_of(goal) > PL_ACTOR_WORKSPACE)
    return false;
  goals->workspace += workspace_of(goal);
  goals->items[goals->count++] = *goal;
  return true;
}

// The row under way.
typedef struct row {
  pl_actor *actor;
  int32_t entry;  // next free one
  int32_t axis;
  double factor;  // of every weight
  const double *x, *v;
  double now, speed;  // q_n and v_n so far
  pl_vec3 center;     // of mass
  pl_mat3 spins;      // inverse of the inertia about it; filled in where a goal needs it
} row;

static void add_coordinate(row *r, int32_t slot, double weight) {
  r->actor->row_slots[r->entry] = slot;
  r->actor->row_weights[r->entry++] = r->factor * weight;
  r->now += weight * r->x[slot];
  r->speed += weight * r->v[slot];
}

static void add_point(row *r, int32_t point, double weight) {
  add_coordinate(r, 3 * point + r->axis, weight);
}

static void find_spins(row *r, const pl_goal *goal) {
  if (goal->subject == PL_GOAL_PART_SPIN) {
    r->spins = pl_actor_part_spins(r->actor, goal->part, r->x, &r->center);
    return;
  }
  r->center = pl_fem_center_of(r->actor->model, r->x);
  r->spins = pl_actor_inverse_inertia(r->actor->model, r->x, r->center);
}

// Angular momentum over inertia, ω = I⁻¹ Σ m r x v with the arms at the start of the step: row a of I⁻¹ times r x v is
// (row x r) · v.
static void add_turning(row *r, int32_t point, double mass) {
  const double *a = r->spins.m[r->axis];
  pl_vec3 arm = pl_vec3_sub(pl_fem_vector(r->x, point), r->center);
  pl_vec3 lever = pl_vec3_scale(pl_vec3_cross(pl_vec3_of(a[0], a[1], a[2]), arm), mass);
  add_coordinate(r, 3 * point, lever.x);
  add_coordinate(r, 3 * point + 1, lever.y);
  if (!r->actor->model->planar) add_coordinate(r, 3 * point + 2, lever.z);
}

static void add_spin(row *r) {
  const pl_model *head = &r->actor->model->head;
  for (int32_t i = 0; i < head->particle_count; ++i) add_turning(r, i, head->masses[i]);
}

static void add_part_spin(row *r, int32_t part) {
  const pl_actor_body_part *it = &r->actor->parts[part];
  for (int32_t i = 0; i < it->point_count; ++i) add_turning(r, it->points[i], 1);
}

static void add_part(row *r, int32_t part, double sign) {
  const pl_actor_body_part *it = &r->actor->parts[part];
  for (int32_t i = 0; i < it->point_count; ++i) add_point(r, it->points[i], sign / it->point_count);
}

static void add_subject(row *r, const pl_goal *goal) {
  const pl_model *head = &r->actor->model->head;
  switch (goal->subject) {
    case PL_GOAL_CENTER:
      for (int32_t i = 0; i < head->particle_count; ++i) add_point(r, i, head->masses[i] / head->mass);
      break;
    case PL_GOAL_PART: add_part(r, goal->part, 1); break;
    case PL_GOAL_DIFFERENCE:
      add_part(r, goal->part, 1);
      add_part(r, goal->other, -1);
      break;
    case PL_GOAL_POINTS:
      for (int32_t i = 0; i < goal->point_count; ++i) add_point(r, goal->points[i], goal->weights[i]);
      break;
    case PL_GOAL_SPIN: add_spin(r); break;
    case PL_GOAL_PART_SPIN: add_part_spin(r, goal->part); break;
  }
}

pl_goal_rows pl_actor_rows(pl_actor *actor, const pl_fem_choice *choice) {
  double h = choice->move->step, reach = choice->reach;
  const uint32_t slots = actor->model->planar ? PL_GOAL_X | PL_GOAL_Y : PL_GOAL_XYZ,
                 turns = actor->model->planar ? PL_GOAL_Z : PL_GOAL_XYZ;
  int32_t count = 0;
  row r = {.actor = actor, .x = choice->state.positions, .v = choice->state.velocities};
  actor->row_start[0] = 0;
  for (int32_t k = 0; k < actor->goals.count; ++k) {
    const pl_goal *goal = &actor->goals.items[k];
    bool spins = is_spin(goal);
    uint32_t axes = goal->axes & (spins ? turns : slots);
    if (spins) find_spins(&r, goal);
    double kp = spins ? 0 : goal->position_gain, kd = goal->velocity_gain, per_step = kd * reach * reach / h;
    double scale = goal->weight * (kp * reach + per_step);
    if (!(fabs(scale) > 0)) continue;
    const double position[3] = {goal->position.x, goal->position.y, goal->position.z},
                 speed[3] = {goal->velocity.x, goal->velocity.y, goal->velocity.z};
    for (int32_t axis = 0; axis < 3; ++axis) {
      if ((axes >> axis & 1) == 0) continue;
      r.axis = axis;
      r.factor = scale;
      r.now = r.speed = 0;
      add_subject(&r, goal);
      double wanted = kp * position[axis] + kd * (speed[axis] + (reach - 1) * r.speed);
      actor->row_positions_by[count] = goal->weight * kp / scale;
      actor->row_speeds_by[count] = goal->weight * kd / scale;
      actor->row_ends[count] = goal->weight * (kp * position[axis] + kd * speed[axis]);
      actor->row_targets[count++] = goal->weight * (wanted + (kp * (reach - 1) + per_step) * r.now);
      actor->row_start[count] = r.entry;
    }
  }
  return (pl_goal_rows){count, actor->row_start, actor->row_slots, actor->row_weights, actor->row_targets};
}

pl_plan_rows pl_actor_plan(const pl_actor *actor, const pl_goal_rows *rows) {
  return (pl_plan_rows){*rows, actor->row_positions_by, actor->row_speeds_by, actor->row_ends};
}
