// Colliders as implicit springs of the fast corotated solid, normal and in the plane of contact (paper 004, section 3).
//
// A surface point that its velocity takes into a collider is pulled back to its surface by a spring, which is part of
// the system that the step solves: so the whole body is stopped, not only its skin. (The world's own contact takes the
// momentum of the particles that touch, once per step. For a body that is solved as a whole that is a small fraction of
// what arrives: it would sink into the ground.) Whether a point presses is decided once per step, where velocity and
// outside forces take it: without the forces, what lies on the ground would be held in every second step only.
//
// Friction is a spring to an anchor in the tangent plane that yields at the coefficient times the normal force of the
// last step. The anchor lives in the frame of the collider and is dragged behind a point that slides, so that bodies
// rest on slopes and are taken along by what moves.
#include "fem/fem_fast_touch.h"

#include <math.h>

#include "base/parallel.h"
#include "contact/collider.h"
#include "math/mat3.h"
#include "pliant/math.h"

enum { POINTS_PER_BLOCK = 256 };

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

// Depth of a point in a collider at the end of the step; 0 or less: no contact.
static double depth_in(const pl_fem_fast_touch *touch, int32_t collider, pl_vec3 point, pl_vec3 *normal) {
  const pl_collider *it = touch->colliders[collider];
  double radius = touch->work->model->head.contact_radius;
  pl_vec3 local = pl_transform_apply_inverse(touch->ends[collider], point);
  if (pl_vec3_distance(local, it->center) > it->reach + radius) return 0;
  double away, clear = pl_collider_clearance_at(&it->clearance, local, &away);
  if (it->shape == PL_COLLIDER_MESH && clear - away > radius) return 0;
  double depth = radius - pl_collider_local_distance(it, local, normal);
  if (depth > 0) *normal = pl_quat_rotate(touch->ends[collider].rotation, *normal);
  return depth;
}

static void add_stiffness(pl_fem_fast_contact *contact, pl_mat3 matrix) {
  for (int j = 0; j < 3; ++j) contact->columns[j] += pl_f4_of(matrix.m[0][j], matrix.m[1][j], matrix.m[2][j]);
}

// Where friction holds a point: where the state says, or where the point was when the step began.
static pl_vec3 anchor_of(const pl_fem_fast_touch *touch, int32_t i, int32_t collider) {
  const pl_fem_fast_hold *hold = &touch->work->state.holds[i];
  pl_vec3 local = {hold->anchor[0], hold->anchor[1], hold->anchor[2]};
  if ((int32_t)hold->collider != collider + 1) {
    pl_vec3 start =
        pl_vec3_add(origin_of(touch->work), pl_vec3_of_f4(blend(touch->work->model, touch->work->state.positions, i)));
    local = pl_transform_apply_inverse(touch->starts[collider], start);
  }
  return pl_transform_apply(touch->ends[collider], local);
}

static double grip(const pl_fem_fast_touch *touch, int32_t collider) {
  if (touch->frictions != NULL && touch->frictions[collider] >= 0) return touch->frictions[collider];
  return sqrt(touch->work->model->head.friction * touch->colliders[collider]->friction);
}

// A spring of `stiffness` along the slip that yields at `cap`.
static void add_friction(pl_fem_fast_contact *contact, pl_vec3 normal, pl_vec3 slip, double stiffness, double cap) {
  double length = pl_vec3_length(slip);
  pl_mat3 plane = pl_mat3_add(pl_mat3_identity(), pl_mat3_scale(pl_mat3_outer(normal, normal), -1));
  contact->slip = pl_f4_of_vec3(slip);
  if (stiffness * length <= cap) {
    contact->force -= pl_f4_of_vec3(pl_vec3_scale(slip, stiffness));
    add_stiffness(contact, pl_mat3_scale(plane, stiffness));
    return;
  }
  pl_vec3 along = pl_vec3_scale(slip, 1 / length);
  contact->force -= pl_f4_of_vec3(pl_vec3_scale(along, cap));
  // Sliding takes the direction as it is, but brakes what it would turn round: no more than the way slid.
  add_stiffness(contact, pl_mat3_scale(plane, cap / length));
}

static void find_point(const pl_fem_fast_touch *touch, int32_t i) {
  const pl_fem_fast_model *model = touch->work->model;
  pl_fem_fast_contact *contact = &touch->points[i];
  *contact = (pl_fem_fast_contact){.collider = -1};
  pl_vec3 point = pl_vec3_add(origin_of(touch->work), pl_vec3_of_f4(blend(model, touch->work->predicted, i)));
  pl_vec3 fall = fall_of(touch->work, i), end = pl_vec3_add(point, fall);
  double h2 = model->step * model->step, stiffness = h2 * (double)model->touch_stiffness[i], deepest = 0;
  pl_vec3 hardest = {0, 1, 0};
  for (int32_t k = 0; k < touch->collider_count; ++k) {
    pl_vec3 normal;
    double end_depth = depth_in(touch, k, end, &normal);
    if (!(end_depth > 0)) continue;
    // Seen from where velocity alone takes the point, which may be outside.
    double depth = end_depth + pl_vec3_dot(normal, fall);
    contact->force += pl_f4_of_vec3(pl_vec3_scale(normal, stiffness * depth));
    add_stiffness(contact, pl_mat3_scale(pl_mat3_outer(normal, normal), stiffness));
    if (end_depth <= deepest) continue;
    deepest = end_depth;
    contact->depth = (float)depth;
    hardest = normal;
    contact->collider = k;
  }
  if (contact->collider < 0) return;
  contact->normal = pl_f4_of_vec3(hardest);
  pl_vec3 slip = pl_vec3_sub(point, anchor_of(touch, i, contact->collider));
  slip = pl_vec3_add_scaled(slip, hardest, -pl_vec3_dot(slip, hardest));
  double cap = h2 * grip(touch, contact->collider) * touch->work->state.holds[i].force;
  add_friction(contact, hardest, slip, stiffness, cap);
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
    spread(touch->work->model, touch->work->forces, i, touch->points[i].force);
  }
}

static pl_f4 answer(const pl_fem_fast_contact *contact, pl_f4 move) {
  return contact->columns[0] * move[0] + contact->columns[1] * move[1] + contact->columns[2] * move[2];
}

void pl_fem_fast_touch_apply(const pl_fem_fast_touch *touch) {
  const pl_fem_fast_work *work = touch->work;
  for (int32_t k = 0; k < touch->active_count; ++k) {
    int32_t i = touch->active[k];
    spread(work->model, work->product, i, answer(&touch->points[i], blend(work->model, work->direction, i)));
  }
}

// The anchor of a point that has slid too far follows it, to where the spring pulls with no more than friction can
// hold.
static void settle_point(const pl_fem_fast_touch *touch, int32_t i) {
  const pl_fem_fast_work *work = touch->work;
  const pl_fem_fast_contact *contact = &touch->points[i];
  pl_fem_fast_hold *hold = &work->state.holds[i];
  int32_t collider = contact->collider;
  pl_vec3 move = pl_vec3_of_f4(blend(work->model, work->moves, i)), normal = pl_vec3_of_f4(contact->normal);
  double stiffness = (double)work->model->touch_stiffness[i];
  double force = fmax(0, stiffness * ((double)contact->depth - pl_vec3_dot(normal, move)));
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

void pl_fem_fast_touch_report(const pl_fem_fast_touch *touch, const pl_body_move *move) {
  const pl_fem_fast_work *work = touch->work;
  for (int32_t k = 0; k < touch->active_count; ++k) {
    int32_t i = touch->active[k];
    const pl_fem_fast_contact *contact = &touch->points[i];
    double force = work->state.holds[i].force;
    if (!(force > 0)) continue;
    pl_vec3 normal = pl_vec3_of_f4(contact->normal), unused;
    if (move->presses != NULL)
      move->presses[i] = pl_vec3_add_scaled(move->presses[i], normal, force * work->model->step);
    if (move->touches == NULL) continue;
    pl_vec3 point = pl_vec3_add(origin_of(work), pl_vec3_of_f4(blend(work->model, work->predicted, i)));
    point = pl_vec3_add(point, pl_vec3_of_f4(blend(work->model, work->moves, i)));
    pl_body_touch_add(&move->touches[contact->collider], point, normal, force * work->model->step,
                      depth_in(touch, contact->collider, point, &unused));
  }
}
