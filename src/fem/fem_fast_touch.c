// Colliders as implicit springs of the fast corotated solid, normal and in the plane of contact (paper 004, section 3).
//
// A surface point that its velocity takes into a collider is pulled back to its surface by a spring, which is part of
// the system that the step solves: so the whole body is stopped, not only its skin. (The world's own contact takes the
// momentum of the particles that touch, once per step. For a body that is solved as a whole that is a small fraction of
// what arrives: it would sink into the ground.) Which points may press is decided once per step, where velocity and
// outside forces take them: without the forces, what lies on the ground would be held in every second step only.
//
// Springs push and do not pull: what a solution holds back is released, what it lets in is pushed, and the step is
// solved again. As long as they pulled, a body of 2.4 kg stayed on the ground that 6000 N lifted, and none ever
// bounced.
//
// Friction is a spring to an anchor in the tangent plane that yields at the coefficient times the normal force of the
// last step, likewise by where the solution takes the point. The anchor lives in the frame of the collider and is
// dragged behind a point that slides, so that bodies rest on slopes and are taken along by what moves.
#include "fem/fem_fast_touch.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "contact/collider.h"
#include "math/mat3.h"
#include "pliant/math.h"

enum { POINTS_PER_BLOCK = 256, MAX_SWITCHES = 2 };

// What outside forces do to a surface point by themselves; to be asked before inner forces are added.
static pl_vec3 fall_of(const pl_fem_fast_work *work, int32_t i) {
  const int32_t *parents = work->model->surface_parents + 4 * (size_t)i;
  const float *weights = work->model->head.surface.weights + 4 * (size_t)i;
  pl_f4 sum = {0};
  for (int k = 0; k < 4; ++k)
    if (weights[k] != 0) sum += work->forces[parents[k]] * (weights[k] / work->model->inertias[parents[k]]);
  return pl_vec3_of_f4(sum);
}

static pl_vec3 origin_of(const pl_fem_fast_work *work) {
  return (pl_vec3){work->state.origin[0], work->state.origin[1], work->state.origin[2]};
}

// A surface point of particles at `from`, relative to the body's origin.
static pl_f4 blend(const pl_fem_fast_model *model, const pl_f4 *from, int32_t i) {
  const int32_t *parents = model->surface_parents + 4 * (size_t)i;
  const float *weights = model->head.surface.weights + 4 * (size_t)i;
  pl_f4 sum = {0};
  for (int k = 0; k < 4; ++k)
    if (weights[k] != 0) sum += from[parents[k]] * weights[k];
  return sum;
}

static void spread(const pl_fem_fast_model *model, pl_f4 *to, int32_t i, pl_f4 value) {
  const int32_t *parents = model->surface_parents + 4 * (size_t)i;
  const float *weights = model->head.surface.weights + 4 * (size_t)i;
  for (int k = 0; k < 4; ++k)
    if (weights[k] != 0) to[parents[k]] += value * weights[k];
}

// Depth of a point in a collider at a placement; 0 or less: no contact.
static double depth_at(const pl_fem_fast_touch *touch, int32_t collider, pl_transform placement, pl_vec3 point,
                       pl_vec3 *normal) {
  const pl_collider *it = touch->colliders[collider];
  double radius = touch->work->model->head.contact_radius;
  pl_vec3 local = pl_transform_apply_inverse(placement, point);
  if (pl_vec3_distance(local, it->center) > it->reach + radius) return 0;
  double away, clear = pl_collider_clearance_at(&it->clearance, local, &away);
  if (it->shape == PL_COLLIDER_MESH && clear - away > radius) return 0;
  double depth = radius - pl_collider_local_distance(it, local, normal);
  if (depth > 0) *normal = pl_quat_rotate(placement.rotation, *normal);
  return depth;
}

static double depth_in(const pl_fem_fast_touch *touch, int32_t collider, pl_vec3 point, pl_vec3 *normal) {
  return depth_at(touch, collider, touch->ends[collider], point, normal);
}

static pl_vec3 start_of(const pl_fem_fast_touch *touch, int32_t i) {
  return pl_vec3_add(origin_of(touch->work), pl_vec3_of_f4(blend(touch->work->model, touch->work->state.positions, i)));
}

// How far below the surface of a collider that springs begin: what was put there comes out gradually.
static double buried_by(const pl_fem_fast_touch *touch, int32_t collider, int32_t i, double end_depth) {
  const pl_model *head = &touch->work->model->head;
  pl_vec3 normal;
  // Most points are not that deep, and the way through a mesh takes its time.
  if (!(pl_model_buried_depth(head, end_depth, touch->work->model->step) > 0)) return 0;
  double start = depth_at(touch, collider, touch->starts[collider], start_of(touch, i), &normal);
  return pl_model_buried_depth(head, start, touch->work->model->step);
}

static void add_stiffness(pl_fem_fast_contact *contact, pl_mat3 matrix) {
  for (int j = 0; j < 3; ++j) contact->columns[j] += pl_f4_of(matrix.m[0][j], matrix.m[1][j], matrix.m[2][j]);
}

// Where friction holds a point: where the state says, or where the point was when the step began.
static pl_vec3 anchor_of(const pl_fem_fast_touch *touch, int32_t i, int32_t collider) {
  const pl_fem_fast_hold *hold = &touch->work->state.holds[i];
  pl_vec3 local = {hold->anchor[0], hold->anchor[1], hold->anchor[2]};
  if ((int32_t)hold->collider != collider + 1) {
    local = pl_transform_apply_inverse(touch->starts[collider], start_of(touch, i));
  }
  return pl_transform_apply(touch->ends[collider], local);
}

static double grip(const pl_fem_fast_touch *touch, int32_t collider) {
  if (touch->frictions != NULL && touch->frictions[collider] >= 0) return touch->frictions[collider];
  return sqrt(touch->work->model->head.friction * touch->colliders[collider]->friction);
}

static pl_vec3 slip_at(const pl_fem_fast_contact *contact, pl_vec3 move) {
  pl_vec3 normal = pl_vec3_of_f4(contact->presses[contact->hardest].normal);
  return pl_vec3_add(pl_vec3_of_f4(contact->slip), pl_vec3_add_scaled(move, normal, -pl_vec3_dot(move, normal)));
}

// Whether friction pulls with all it has where the point is at `move`.
static bool is_sliding(const pl_fem_fast_contact *contact, pl_vec3 move) {
  return (double)contact->stiffness * pl_vec3_length(slip_at(contact, move)) > (double)contact->cap;
}

// Friction where the point is at `move` from its predicted position. With s the slip there, K the stiffness and c the
// cap,
//
//   holds    force -K s            energy ½ K |s|²           where K |s| <= c
//   slides   force -c s / |s|      energy c |s| - c² / 2K    linear in the direction: stiffness c / |s| across it
//
// Which of the two is the caller's choice. Returns the energy less what `friction` and `columns` make of it,
// -friction·d + ½ d·columns d.
static double set_friction(pl_fem_fast_contact *contact, pl_vec3 move, bool slides) {
  pl_vec3 normal = pl_vec3_of_f4(contact->presses[contact->hardest].normal), start = pl_vec3_of_f4(contact->slip);
  pl_vec3 way = pl_vec3_add_scaled(move, normal, -pl_vec3_dot(move, normal)), slip = pl_vec3_add(start, way);
  pl_mat3 plane = pl_mat3_add(pl_mat3_identity(), pl_mat3_scale(pl_mat3_outer(normal, normal), -1));
  double K = (double)contact->stiffness, cap = (double)contact->cap, length = pl_vec3_length(slip);
  memset(contact->columns, 0, sizeof contact->columns);
  contact->slides = slides;
  if (!slides) {
    contact->friction = pl_f4_of_vec3(pl_vec3_scale(start, -K));
    add_stiffness(contact, pl_mat3_scale(plane, K));
    return 0.5 * K * pl_vec3_dot(start, start);
  }
  pl_vec3 along = pl_vec3_scale(slip, 1 / length);
  double across = cap / length;
  pl_vec3 aside = pl_vec3_add_scaled(way, along, -pl_vec3_dot(way, along));
  contact->friction = pl_f4_of_vec3(pl_vec3_add_scaled(pl_vec3_scale(along, -cap), aside, across));
  add_stiffness(contact, pl_mat3_scale(pl_mat3_add(plane, pl_mat3_scale(pl_mat3_outer(along, along), -1)), across));
  double energy = cap * (length - 0.5 * cap / K);
  return energy - cap * pl_vec3_dot(along, way) + 0.5 * across * pl_vec3_dot(aside, aside);
}

static bool is_released(const pl_fem_fast_contact *contact) {
  for (int32_t p = 0; p < contact->press_count; ++p)
    if (!contact->presses[p].is_released) return false;
  return true;
}

static void find_point(const pl_fem_fast_touch *touch, int32_t i) {
  const pl_fem_fast_model *model = touch->work->model;
  const pl_fem_fast_hold *hold = &touch->work->state.holds[i];
  pl_fem_fast_contact *contact = &touch->points[i];
  double h2 = model->step * model->step, stiffness = h2 * (double)model->touch_stiffness[i], deepest = 0;
  *contact = (pl_fem_fast_contact){.collider = -1, .stiffness = (float)stiffness};
  pl_vec3 point = pl_vec3_add(origin_of(touch->work), pl_vec3_of_f4(blend(model, touch->work->predicted, i)));
  pl_vec3 fall = fall_of(touch->work, i), end = pl_vec3_add(point, fall), hardest = {0, 1, 0};
  for (int32_t k = 0; k < touch->collider_count && contact->press_count < PL_FAST_MAX_PRESSES; ++k) {
    pl_vec3 normal;
    double end_depth = depth_in(touch, k, end, &normal);
    if (!(end_depth > 0)) continue;
    end_depth -= buried_by(touch, k, i, end_depth);
    if (!(end_depth > 0)) continue;
    // Seen from where velocity alone takes the point, which may be outside.
    double depth = end_depth + pl_vec3_dot(normal, fall);
    // What neither pressed in the last step nor goes inside by its velocity most often does not press in this one.
    bool pressed = hold->force > 0 && (int32_t)hold->collider == k + 1;
    contact->presses[contact->press_count++] =
        (pl_fem_fast_press){pl_f4_of_vec3(normal), (float)depth, !(pressed || depth > 0), 0, k};
    if (end_depth <= deepest) continue;
    deepest = end_depth;
    hardest = normal;
    contact->collider = k;
    contact->hardest = contact->press_count - 1;
  }
  if (contact->collider < 0) return;
  pl_vec3 slip = pl_vec3_sub(point, anchor_of(touch, i, contact->collider));
  slip = pl_vec3_add_scaled(slip, hardest, -pl_vec3_dot(slip, hardest));
  contact->slip = pl_f4_of_vec3(slip);
  contact->cap = (float)(h2 * grip(touch, contact->collider) * hold->force);
  contact->is_loose = is_released(contact);
  pl_vec3 here = {0, 0, 0};
  set_friction(contact, here, is_sliding(contact, here));
}

static float dot(pl_f4 a, pl_f4 b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// At the predicted position.
static pl_f4 force_of(const pl_fem_fast_contact *contact) {
  pl_f4 sum = contact->is_loose ? (pl_f4){0} : contact->friction;
  for (int32_t p = 0; p < contact->press_count; ++p) {
    const pl_fem_fast_press *press = &contact->presses[p];
    if (!press->is_released) sum += press->normal * (contact->stiffness * press->depth);
  }
  return sum;
}

static void find_range(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  for (int32_t i = begin; i < end; ++i) find_point(data, i);
}

void pl_fem_fast_touch_find(pl_context *context, pl_fem_fast_touch *touch) {
  int32_t count = touch->collider_count > 0 ? touch->work->model->head.surface.point_count : 0;
  touch->active_count = 0;
  pl_parallel_for(context, count, POINTS_PER_BLOCK, find_range, touch);
  for (int32_t i = 0; i < count; ++i) {
    if (touch->points[i].collider < 0) continue;
    touch->active[touch->active_count++] = i;
    spread(touch->work->model, touch->work->forces, i, force_of(&touch->points[i]));
  }
}

pl_f4 pl_fem_fast_touch_answer(const pl_fem_fast_contact *contact, pl_f4 move) {
  pl_f4 sum = {0};
  if (!contact->is_loose)
    sum = contact->columns[0] * move[0] + contact->columns[1] * move[1] + contact->columns[2] * move[2];
  for (int32_t p = 0; p < contact->press_count; ++p) {
    const pl_fem_fast_press *press = &contact->presses[p];
    if (!press->is_released) sum += press->normal * (contact->stiffness * dot(press->normal, move));
  }
  return sum;
}

void pl_fem_fast_touch_apply(const pl_fem_fast_touch *touch) {
  const pl_fem_fast_work *work = touch->work;
  for (int32_t k = 0; k < touch->active_count; ++k) {
    int32_t i = touch->active[k];
    spread(work->model, work->product, i,
           pl_fem_fast_touch_answer(&touch->points[i], blend(work->model, work->direction, i)));
  }
}

// Metres that a point may be held back by: all together by a fiftieth of the body's weight, so that what rests is not
// released by rounding.
static float allowed_lift(const pl_fem_fast_touch *touch, const pl_fem_fast_contact *contact) {
  static const double FRACTION = 0.02, GRAVITY = 9.81;
  const pl_fem_fast_model *model = touch->work->model;
  double weight = FRACTION * model->head.mass * GRAVITY * model->step * model->step;
  return (float)(weight / (touch->active_count * (double)contact->stiffness));
}

// Whether friction would slide that holds, or hold that slides, by more than rounding, where the move takes the point.
static bool has_switched(const pl_fem_fast_contact *contact, pl_vec3 move) {
  static const double MARGIN = 0.01;
  if (contact->switches >= MAX_SWITCHES) return false;
  pl_vec3 slip = slip_at(contact, move);
  double pull = (double)contact->stiffness * pl_vec3_length(slip), cap = (double)contact->cap;
  if (!contact->slides) return pull > (1 + MARGIN) * cap;
  // What would come back, or end on the other side, holds instead.
  return pull < (1 - MARGIN) * cap || pl_vec3_dot(slip, pl_vec3_of_f4(contact->friction)) > 0;
}

bool pl_fem_fast_touch_update(pl_fem_fast_touch *touch, pl_f4 *forces) {
  const pl_fem_fast_work *work = touch->work;
  bool any = false;
  for (int32_t k = 0; k < touch->active_count; ++k) {
    int32_t i = touch->active[k];
    pl_fem_fast_contact *contact = &touch->points[i];
    pl_f4 move = blend(work->model, work->moves, i), before = force_of(contact);
    float allowed = allowed_lift(touch, contact);
    bool changed = false;
    for (int32_t p = 0; p < contact->press_count; ++p) {
      pl_fem_fast_press *press = &contact->presses[p];
      float inside = press->depth - dot(press->normal, move);
      if (press->switches >= MAX_SWITCHES || (press->is_released ? inside <= allowed : inside >= -allowed)) continue;
      press->is_released = !press->is_released;
      ++press->switches;
      changed = true;
    }
    contact->is_loose = is_released(contact);
    if (!contact->is_loose && has_switched(contact, pl_vec3_of_f4(move))) {
      set_friction(contact, pl_vec3_of_f4(move), !contact->slides);
      ++contact->switches;
      changed = true;
    }
    if (!changed) continue;
    any = true;
    spread(work->model, forces, i, force_of(contact) - before);
  }
  return any;
}

void pl_fem_fast_touch_drop_loose(pl_fem_fast_touch *touch) {
  int32_t kept = 0;
  for (int32_t k = 0; k < touch->active_count; ++k) {
    int32_t i = touch->active[k];
    if (touch->points[i].is_loose)
      touch->points[i].collider = -1;
    else
      touch->active[kept++] = i;
  }
  touch->active_count = kept;
}

// --- in a coupled solve

static pl_vec3 blend_moves(const pl_fem_fast_model *model, const double *moves, int32_t i) {
  const int32_t *parents = model->head.surface.parents + 4 * (size_t)i;
  const float *weights = model->head.surface.weights + 4 * (size_t)i;
  pl_vec3 sum = {0, 0, 0};
  for (int k = 0; k < 4; ++k) {
    const double *d = moves + 3 * (ptrdiff_t)parents[k];
    if (weights[k] != 0) sum = pl_vec3_add_scaled(sum, (pl_vec3){d[0], d[1], d[2]}, (double)weights[k]);
  }
  return sum;
}

static void spread_moves(const pl_fem_fast_model *model, double *to, int32_t i, pl_vec3 value) {
  const int32_t *parents = model->head.surface.parents + 4 * (size_t)i;
  const float *weights = model->head.surface.weights + 4 * (size_t)i;
  for (int k = 0; k < 4; ++k) {
    double *v = to + 3 * (ptrdiff_t)parents[k], w = (double)weights[k];
    if (weights[k] != 0) v[0] += w * value.x, v[1] += w * value.y, v[2] += w * value.z;
  }
}

// Friction at a move, by the formulas of set_friction(); returns its energy.
static double pull_back(const pl_fem_fast_contact *contact, pl_vec3 move, pl_vec3 *force) {
  pl_vec3 slip = slip_at(contact, move);
  double K = (double)contact->stiffness, cap = (double)contact->cap, length = pl_vec3_length(slip);
  *force = pl_vec3_add_scaled(*force, slip, contact->slides ? -cap / length : -K);
  return contact->slides ? cap * (length - 0.5 * cap / K) : 0.5 * K * length * length;
}

// Where nothing presses there is no friction. It has no energy to be found by, and may hold a point down that leaves
// without it, and the reverse, for ever: after some changes it stays, up to the force of the last step.
static void refresh_friction(pl_fem_fast_contact *contact) {
  bool is_loose = is_released(contact);
  if (is_loose && !contact->is_loose && contact->switches++ >= MAX_SWITCHES) return;
  contact->is_loose = is_loose;
}

// Forces in double precision: what they balance is, and rounding by single would be as large as the remainder of both.
double pl_fem_fast_touch_evaluate(const pl_fem_fast_touch *touch, bool refresh, const double *moves, double factor,
                                  double *gradient, pl_f4 *forces) {
  const pl_fem_fast_work *work = touch->work;
  double energy = 0;
  for (int32_t k = 0; k < touch->active_count; ++k) {
    int32_t i = touch->active[k];
    pl_fem_fast_contact *contact = &touch->points[i];
    pl_vec3 move = blend_moves(work->model, moves, i), force = {0, 0, 0};
    double K = (double)contact->stiffness;
    for (int32_t p = 0; p < contact->press_count; ++p) {
      pl_fem_fast_press *press = &contact->presses[p];
      pl_vec3 normal = pl_vec3_of_f4(press->normal);
      double depth = (double)press->depth - pl_vec3_dot(normal, move);
      press->is_released = depth <= 0;
      if (press->is_released) continue;
      energy += 0.5 * K * depth * depth;
      force = pl_vec3_add_scaled(force, normal, K * depth);
    }
    if (refresh) refresh_friction(contact);
    if (!contact->is_loose) {
      set_friction(contact, move, is_sliding(contact, move));
      energy += pull_back(contact, move, &force);
    }
    spread(work->model, forces, i, force_of(contact));
    spread_moves(work->model, gradient, i, pl_vec3_scale(force, -factor));
  }
  return energy;
}

void pl_fem_fast_touch_add_product(const pl_fem_fast_touch *touch, const double *d, double factor, double *product) {
  for (int32_t k = 0; k < touch->active_count; ++k) {
    int32_t i = touch->active[k];
    const pl_fem_fast_contact *contact = &touch->points[i];
    pl_vec3 move = blend_moves(touch->work->model, d, i), answer = {0, 0, 0};
    if (!contact->is_loose)
      answer = pl_vec3_add(pl_vec3_add(pl_vec3_scale(pl_vec3_of_f4(contact->columns[0]), move.x),
                                       pl_vec3_scale(pl_vec3_of_f4(contact->columns[1]), move.y)),
                           pl_vec3_scale(pl_vec3_of_f4(contact->columns[2]), move.z));
    for (int32_t p = 0; p < contact->press_count; ++p) {
      const pl_fem_fast_press *press = &contact->presses[p];
      pl_vec3 normal = pl_vec3_of_f4(press->normal);
      if (!press->is_released)
        answer = pl_vec3_add_scaled(answer, normal, (double)contact->stiffness * pl_vec3_dot(normal, move));
    }
    spread_moves(touch->work->model, product, i, pl_vec3_scale(answer, factor));
  }
}

void pl_fem_fast_touch_take_forces(const pl_fem_fast_touch *touch) {
  for (int32_t k = 0; k < touch->active_count; ++k) {
    int32_t i = touch->active[k];
    spread(touch->work->model, touch->work->forces, i, -force_of(&touch->points[i]));
  }
}

// --- after the step

// The anchor of a point that has slid too far follows it, to where the spring pulls with no more than friction can
// hold.
static void settle_point(const pl_fem_fast_touch *touch, int32_t i) {
  const pl_fem_fast_work *work = touch->work;
  const pl_fem_fast_contact *contact = &touch->points[i];
  pl_fem_fast_hold *hold = &work->state.holds[i];
  int32_t collider = contact->collider;
  const pl_fem_fast_press *press = &contact->presses[contact->hardest];
  pl_vec3 move = pl_vec3_of_f4(blend(work->model, work->moves, i)), normal = pl_vec3_of_f4(press->normal);
  double stiffness = (double)work->model->touch_stiffness[i];
  double force = press->is_released ? 0 : fmax(0, stiffness * ((double)press->depth - pl_vec3_dot(normal, move)));
  pl_vec3 slip = pl_vec3_add(pl_vec3_of_f4(contact->slip), move);
  slip = pl_vec3_add_scaled(slip, normal, -pl_vec3_dot(slip, normal));
  double max = grip(touch, collider) * force / stiffness, length = pl_vec3_length(slip);
  pl_vec3 point = pl_vec3_add(origin_of(work), pl_vec3_of_f4(blend(work->model, work->predicted, i)));
  point = pl_vec3_add_scaled(pl_vec3_add(point, move), slip, length > max ? -max / length : -1);
  pl_vec3 local = pl_transform_apply_inverse(touch->ends[collider], point);
  *hold = (pl_fem_fast_hold){{local.x, local.y, local.z}, collider + 1, force};
}

void pl_fem_fast_touch_settle(const pl_fem_fast_touch *touch) {
  int32_t count = touch->work->model->head.surface.point_count;
  for (int32_t i = 0; i < count; ++i)
    if (touch->collider_count == 0 || touch->points[i].collider < 0)
      touch->work->state.holds[i] = (pl_fem_fast_hold){{0}, 0, 0};
  for (int32_t k = 0; k < touch->active_count; ++k) settle_point(touch, touch->active[k]);
}

// What the colliders of a point got in the step, with friction on the hardest.
static void give_forces(const pl_fem_fast_touch *touch, int32_t i, pl_f4 way, pl_body_touch *touches) {
  const pl_fem_fast_contact *contact = &touch->points[i];
  double rate = 1 / touch->work->model->step;
  pl_vec3 point = start_of(touch, i);
  for (int32_t p = 0; p < contact->press_count; ++p) {
    const pl_fem_fast_press *press = &contact->presses[p];
    double force = (double)(contact->stiffness * (press->depth - dot(press->normal, way)));
    if (!press->is_released)
      pl_body_touch_push(&touches[press->collider], point, pl_vec3_scale(pl_vec3_of_f4(press->normal), rate * force));
  }
  if (contact->is_loose) return;
  pl_f4 friction =
      contact->friction - (contact->columns[0] * way[0] + contact->columns[1] * way[1] + contact->columns[2] * way[2]);
  pl_body_touch_push(&touches[contact->collider], point, pl_vec3_scale(pl_vec3_of_f4(friction), rate));
}

void pl_fem_fast_touch_report(const pl_fem_fast_touch *touch, const pl_body_move *move) {
  const pl_fem_fast_work *work = touch->work;
  for (int32_t k = 0; k < touch->active_count; ++k) {
    int32_t i = touch->active[k];
    const pl_fem_fast_contact *contact = &touch->points[i];
    double force = work->state.holds[i].force;
    pl_f4 move_of = blend(work->model, work->moves, i);
    if (move->touches != NULL) give_forces(touch, i, move_of, move->touches);
    if (!(force > 0)) continue;
    pl_vec3 normal = pl_vec3_of_f4(contact->presses[contact->hardest].normal), unused;
    if (move->presses != NULL)
      move->presses[i] = pl_vec3_add_scaled(move->presses[i], normal, force * work->model->step);
    if (move->touches == NULL) continue;
    pl_vec3 point = pl_vec3_add(origin_of(work), pl_vec3_of_f4(blend(work->model, work->predicted, i)));
    point = pl_vec3_add(point, pl_vec3_of_f4(move_of));
    double depth = move->wants_depths ? depth_in(touch, contact->collider, point, &unused) : 0;
    pl_body_touch_add(&move->touches[contact->collider], point, normal, force * work->model->step, depth);
  }
}

// --- in balance

static void add_at(pl_collider_impulse *sum, pl_vec3 position, pl_vec3 impulse) {
  sum->linear = pl_vec3_add(sum->linear, impulse);
  sum->angular = pl_vec3_add(sum->angular, pl_vec3_cross(position, impulse));
}

static pl_vec3 position_of(const pl_fem_fast_work *work, int32_t i) {
  return pl_vec3_add(origin_of(work), pl_vec3_of_f4(work->state.positions[i]));
}

static pl_collider_impulse momentum_of(const pl_fem_fast_work *work) {
  pl_collider_impulse sum = {{0, 0, 0}, {0, 0, 0}};
  for (int32_t i = 0; i < work->model->head.particle_count; ++i)
    add_at(&sum, position_of(work, i), pl_vec3_scale(pl_vec3_of_f4(work->state.velocities[i]), work->model->masses[i]));
  return sum;
}

pl_fem_fast_reaction pl_fem_fast_reaction_begin(const pl_fem_fast_touch *touch, const pl_body_move *move) {
  const pl_fem_fast_work *work = touch->work;
  const pl_fem_fast_model *model = work->model;
  bool touches = move->touches != NULL && touch->active_count > 0;
  pl_fem_fast_reaction r = {.is_wanted = (touches || move->unaccounted != NULL) && move->pin_count == 0};
  if (!r.is_wanted) return r;
  pl_vec3 fall = pl_vec3_scale(move->acceleration, model->step);
  r.sum = momentum_of(work);
  // Of the steps of the same move before.
  for (int32_t k = 0; k < move->collider_count; ++k) pl_collider_impulse_add(&r.sum, &move->touches[k].given);
  for (int32_t i = 0; i < model->head.particle_count; ++i) {
    pl_vec3 load = pl_vec3_scale(fall, model->masses[i]);
    if (work->outside != NULL)
      load = pl_vec3_add_scaled(load, pl_vec3_of_f4(work->outside[model->point_of[i]]), model->step);
    add_at(&r.sum, position_of(work, i), load);
  }
  return r;
}

void pl_fem_fast_reaction_add_forces(pl_fem_fast_reaction *r, const pl_fem_fast_work *work,
                                     const pl_body_coupled_result *result) {
  const pl_fem_fast_model *model = work->model;
  if (!r->is_wanted) return;
  pl_vec3 way = {0, 0, 0};
  for (int32_t i = 0; i < model->head.particle_count; ++i)
    way = pl_vec3_add_scaled(way, pl_vec3_of_f4(work->predicted[i] + work->moves[i] - work->state.positions[i]),
                             model->masses[i] / model->head.mass);
  for (int32_t i = 0; i < model->head.particle_count; ++i) {
    const double *force = result->forces + 3 * (ptrdiff_t)model->point_of[i];
    pl_vec3 end = pl_vec3_add(origin_of(work), pl_vec3_of_f4(work->predicted[i] + work->moves[i]));
    add_at(&r->sum, pl_vec3_sub(end, way), pl_vec3_scale((pl_vec3){force[0], force[1], force[2]}, model->step));
  }
  r->sum.angular = pl_vec3_add_scaled(r->sum.angular, result->torque, model->step);
}

void pl_fem_fast_reaction_end(pl_fem_fast_reaction *r, const pl_fem_fast_touch *touch, const pl_body_move *move) {
  const pl_fem_fast_model *model = touch->work->model;
  if (!r->is_wanted) return;
  pl_collider_impulse end = momentum_of(touch->work);
  double kept = 1 + model->step * model->mass_damping;
  r->sum.linear = pl_vec3_add_scaled(r->sum.linear, end.linear, -kept);
  r->sum.angular = pl_vec3_add_scaled(r->sum.angular, end.angular, -kept);
  if (touch->active_count == 0) {
    *move->unaccounted = r->sum;
    return;
  }
  if (pl_body_touch_balance(move->touches, move->collider_count, &r->sum)) return;
  pl_body_touch *first = &move->touches[touch->points[touch->active[0]].collider];
  for (int32_t k = 0; k < move->collider_count; ++k) {
    r->sum.linear = pl_vec3_sub(r->sum.linear, move->touches[k].given.linear);
    r->sum.angular = pl_vec3_sub(r->sum.angular, move->touches[k].given.angular);
  }
  pl_collider_impulse_add(&first->given, &r->sum);
}
