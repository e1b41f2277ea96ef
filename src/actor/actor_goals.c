// Goals as rows of linear equations in what a step looks for (paper 004, eqs. 6 to 10).
//
//   k_p (q - s_x) + k_d ((q - q_n) / h - s_v) = 0,   q = Σ w_j x_j at the end of the step, q_n at its start
//
// is (h k_p + k_d)/h (q - s) with s = h / (h k_p + k_d) (k_p s_x + k_d s_v + k_d/h q_n); the paper's eq. 9 has two of the signs wrong. With x = b + reach (u - b)
// for the unknown u and the places b at the start, a row is W reach Σ w_j u_j and its target W (s + (reach - 1) q_n), where W = weight (h k_p + k_d)/h.
#include <math.h>

#include "actor/actor.h"
#include "math/vec3.h"

static bool is_sound(const pl_goals *goals, const pl_goal *goal) {
  if (!pl_vec3_is_finite(goal->position) || !pl_vec3_is_finite(goal->velocity)) return false;
  if (!isfinite(goal->position_gain) || !isfinite(goal->velocity_gain) || !isfinite(goal->weight)) return false;
  bool part = goal->part >= 0 && goal->part < goals->part_count, other = goal->other >= 0 && goal->other < goals->part_count;
  switch (goal->subject) {
    case PL_GOAL_CENTER: return true;
    case PL_GOAL_PART: return part;
    case PL_GOAL_DIFFERENCE: return part && other && goal->part != goal->other;
    case PL_GOAL_POINTS: break;
    default: return false;
  }
  if (goal->point_count < 1 || goal->point_count > goals->particle_count) return false;
  for (int32_t i = 0; i < goal->point_count; ++i)
    if (goal->points[i] < 0 || goal->points[i] >= goals->particle_count || !isfinite(goal->weights[i])) return false;
  return true;
}

bool pl_goals_add(pl_goals *goals, const pl_goal *goal) {
  if (goals->count == PL_GOAL_LIMIT || !is_sound(goals, goal)) return false;
  goals->items[goals->count++] = *goal;
  return true;
}

// The row under way.
typedef struct row {
  pl_actor *actor;
  int32_t entry;  // next free one
  int32_t axis;
  double factor;  // of every weight
  const double *x;
  double now;  // q_n so far
} row;

static void add_point(row *r, int32_t point, double weight) {
  if (r->entry == r->actor->entry_limit) return;
  int32_t place = 3 * point + r->axis;
  r->actor->row_places[r->entry] = place;
  r->actor->row_weights[r->entry++] = r->factor * weight;
  r->now += weight * r->x[place];
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
  }
}

pl_goal_rows pl_actor_rows(pl_actor *actor, const pl_fem_choice *choice) {
  double h = choice->move->step, reach = choice->reach;
  int32_t axes = actor->model->planar ? 2 : 3, count = 0;
  row r = {.actor = actor, .x = choice->state.positions};
  actor->row_start[0] = 0;
  for (int32_t k = 0; k < actor->goals.count; ++k) {
    const pl_goal *goal = &actor->goals.items[k];
    double scale = goal->weight * (goal->position_gain + goal->velocity_gain / h);
    if (!(fabs(scale) > 0)) continue;
    const double place[3] = {goal->position.x, goal->position.y, goal->position.z},
                 speed[3] = {goal->velocity.x, goal->velocity.y, goal->velocity.z};
    for (int32_t axis = 0; axis < axes; ++axis) {
      if ((goal->axes >> axis & 1) == 0) continue;
      r.axis = axis;
      r.factor = scale * reach;
      r.now = 0;
      add_subject(&r, goal);
      double wanted = goal->position_gain * place[axis] + goal->velocity_gain * (speed[axis] + r.now / h);
      actor->row_targets[count++] = goal->weight * wanted + scale * (reach - 1) * r.now;
      actor->row_start[count] = r.entry;
    }
  }
  return (pl_goal_rows){count, actor->row_start, actor->row_places, actor->row_weights, actor->row_targets};
}
