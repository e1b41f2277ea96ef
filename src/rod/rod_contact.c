// Chains against colliders: every segment is a tapered capsule, tested along its whole length. Other bodies are planes
// that the world has found (pl_body_obstacle).
//
// Where a segment overlaps a collider, its two joints are moved apart from it, the nearer to the touch the more, the
// heavier the less; then friction takes back what the touched point slid along the collider in this step, up to the
// coefficient times the push. Lengths are corrected afterwards by the caller, which repeats both a few times.
#include <math.h>

#include "contact/segment_touch.h"
#include "pliant/math.h"
#include "rod/rod_model.h"

static void move_joint(float *positions, int32_t joint, int32_t lane, pl_vec3 by) {
  positions += VEC3_LANES * (size_t)joint + (size_t)lane;
  positions[0] += (float)by.x;
  positions[LANES] += (float)by.y;
  positions[2 * LANES] += (float)by.z;
}

// Collider and root at the time of `end`.
static pl_transform placement_of(const pl_rod_contact *contact, const pl_rod_contact_collider *collider) {
  return contact->start != NULL ? collider->end : collider->start;
}
static pl_vec3 root_of(const pl_rod_contact *contact) {
  return contact->start != NULL ? contact->root_end : contact->root_start;
}

bool pl_rod_contact_is_near(const pl_rod_contact *contact, const pl_rod_contact_collider *collider) {
  const pl_collider *shape = collider->shape;
  double reach = (double)contact->batch->reach[contact->lane];
  if (shape->shape == PL_COLLIDER_HALF_SPACE)
    return pl_transform_apply_inverse(placement_of(contact, collider), root_of(contact)).y < reach;
  pl_vec3 center = pl_transform_apply(placement_of(contact, collider), shape->center);
  return pl_vec3_length(pl_vec3_sub(center, root_of(contact))) < shape->reach + reach;
}

// How far the touched point moves along the collider in this step.
static pl_vec3 slide_of(const pl_rod_contact *contact, const pl_rod_contact_collider *collider, int32_t a, int32_t b,
                        double t, pl_vec3 end, pl_vec3 normal) {
  pl_vec3 from = pl_vec3_lerp(pl_rod_get_vec3(contact->start, a, contact->lane),
                              pl_rod_get_vec3(contact->start, b, contact->lane), t);
  pl_vec3 start = pl_vec3_add(contact->root_start, from);
  // Where the collider's own motion would have taken that point.
  pl_vec3 carried = pl_collider_carry(collider->shape, collider->start, collider->end, start, end);
  pl_vec3 moved = pl_vec3_sub(end, carried);
  return pl_vec3_add_scaled(moved, normal, -pl_vec3_dot(moved, normal));
}

// A root moves with its kinematic joint, and hair grows out of heads: an overlap there cannot be resolved. The segment
// is thin enough at its root to be clear, and where the root is inside the collider only what lies beyond a third of
// the segment counts. Returns how much was cut off.
static double spare_root(pl_segment *segment, const pl_collider *shape, pl_transform placement, double *clearance) {
  double clear = pl_collider_quick_distance(shape, placement, segment->a);
  *clearance = clear;
  if (clear >= segment->radius_a) return 0;
  segment->radius_a = fmax(clear, 0);
  if (clear >= 0) return 0;
  const double begin = 1.0 / 3;
  segment->a = pl_vec3_lerp(segment->a, segment->b, begin);
  segment->radius_a = begin * segment->radius_b;
  return begin;
}

// A place on a segment was pushed along the normal; `impulse` in N s, and `push` with friction.
static void note_touch(const pl_rod_contact *contact, pl_vec3 place, const pl_segment_touch *touch, double impulse,
                       pl_vec3 push) {
  pl_body_touch one = {.count = 0};
  pl_body_touch_add(&one, place, touch->normal, impulse, -touch->gap);
  pl_body_touch_push(&one, place, push);
  if (contact->is_repeated) one.count = 0;
  pl_body_touch_merge(contact->touch, &one);
}

// Joint i is outside the collider by clearances[i] at least; -HUGE_VAL: not known. Where a segment touches nothing, or
// not more than its radius, its end is outside because its start is.
static bool push_segment(const pl_rod_contact *contact, const pl_rod_contact_collider *collider, int32_t a, int32_t b,
                         double *clearances) {
  const pl_rod_batch *batch = contact->batch;
  int32_t lane = contact->lane;
  double wa = (double)batch->inverse_masses[LANES * a + lane], wb = (double)batch->inverse_masses[LANES * b + lane];
  pl_segment segment = {.a = pl_vec3_add(root_of(contact), pl_rod_get_vec3(contact->end, a, lane)),
                        .b = pl_vec3_add(root_of(contact), pl_rod_get_vec3(contact->end, b, lane)),
                        .radius_a = (double)batch->radii[LANES * a + lane],
                        .radius_b = (double)batch->radii[LANES * b + lane]};
  pl_vec3 start = segment.a;
  pl_transform placement = placement_of(contact, collider);
  double begin = wa == 0 ? spare_root(&segment, collider->shape, placement, &clearances[a]) : 0;
  pl_segment_touch touch;
  bool touches = clearances[a] > 0 ? pl_segment_touch_from_outside(&segment, collider->shape, placement, 0, &touch)
                                   : pl_segment_touch_collider(&segment, collider->shape, placement, 0, &touch);
  clearances[b] = segment.radius_b + (touches ? touch.gap : 0);
  if (!touches || touch.gap >= 0) return false;
  touch.t = begin + (1 - begin) * touch.t;
  double fraction_a = 1 - touch.t, fraction_b = touch.t,
         weight = wa * fraction_a * fraction_a + wb * fraction_b * fraction_b;
  // Near a root that does not give way the other end has a long lever; beyond four times the overlap it would be
  // thrown, not moved.
  weight = fmax(weight, 0.0625 * (wa + wb));
  if (!(weight > 0)) return false;
  pl_vec3 push = pl_vec3_scale(touch.normal, -touch.gap);
  double friction = collider->friction >= 0 ? collider->friction : sqrt(contact->friction * collider->shape->friction);
  if (friction > 0 && contact->start != NULL) {
    pl_vec3 position = pl_vec3_lerp(start, segment.b, touch.t),
            slide = slide_of(contact, collider, a, b, touch.t, position, touch.normal);
    double length = pl_vec3_length(slide), max = friction * -touch.gap;
    if (length > 0) push = pl_vec3_add_scaled(push, slide, -(length > max ? max / length : 1));
  }
  if (contact->touch != NULL) {
    double radius = segment.radius_a + (segment.radius_b - segment.radius_a) * touch.t;
    pl_vec3 place = pl_vec3_add_scaled(pl_vec3_lerp(start, segment.b, touch.t), touch.normal, -radius);
    double rate = 1 / (weight * contact->step);
    note_touch(contact, place, &touch, -touch.gap * rate, pl_vec3_scale(push, rate));
  }
  move_joint(contact->end, a, lane, pl_vec3_scale(push, wa * fraction_a / weight));
  move_joint(contact->end, b, lane, pl_vec3_scale(push, wb * fraction_b / weight));
  double way = pl_vec3_length(push) / weight;
  clearances[a] -= way * wa * fraction_a;
  clearances[b] -= way * wb * fraction_b;
  return true;
}

int32_t pl_rod_contact_resolve(const pl_rod_contact *contact, const pl_rod_contact_collider *collider) {
  const pl_rod_plan *plan = contact->batch->plan;
  double clearances[PL_ROD_MAX_JOINTS];
  int32_t count = 0;
  for (int32_t i = 0; i < plan->joint_count; ++i) clearances[i] = -HUGE_VAL;
  for (int32_t s = 0; s < plan->constraint_count; ++s)
    count += push_segment(contact, collider, plan->constraints[2 * s], plan->constraints[2 * s + 1], clearances);
  return count;
}

// An obstacle gives way as a mass would: both are moved apart by their parts of the overlap, and the plane follows.
static bool push_off(const pl_rod_contact *contact, int32_t a, int32_t b, pl_body_obstacle *it) {
  const pl_rod_batch *batch = contact->batch;
  int32_t lane = contact->lane;
  double wa = (double)batch->inverse_masses[LANES * a + lane], wb = (double)batch->inverse_masses[LANES * b + lane];
  double fa = 1 - it->t, fb = it->t;
  pl_vec3 end = pl_vec3_add(contact->root_end, pl_vec3_lerp(pl_rod_get_vec3(contact->end, a, lane),
                                                            pl_rod_get_vec3(contact->end, b, lane), it->t));
  double gap = pl_vec3_dot(it->normal, end) - it->offset;
  if (!(gap < 0)) return false;
  double own = fmax(wa * fa * fa + wb * fb * fb, 0.0625 * (wa + wb)), weight = own + it->inverse_mass;
  if (!(own > 0)) return false;
  pl_vec3 push = pl_vec3_scale(it->normal, -gap / weight);
  pl_vec3 start = pl_vec3_add(contact->root_start, pl_vec3_lerp(pl_rod_get_vec3(contact->start, a, lane),
                                                                pl_rod_get_vec3(contact->start, b, lane), it->t));
  pl_vec3 slide = pl_vec3_sub(pl_vec3_sub(end, start), it->way);
  slide = pl_vec3_add_scaled(slide, it->normal, -pl_vec3_dot(slide, it->normal));
  double length = pl_vec3_length(slide), max = it->friction * -gap;
  if (length > 0) push = pl_vec3_add_scaled(push, slide, -(length > max ? max / length : 1) / weight);
  move_joint(contact->end, a, lane, pl_vec3_scale(push, wa * fa));
  move_joint(contact->end, b, lane, pl_vec3_scale(push, wb * fb));
  it->push = pl_vec3_add(it->push, push);
  it->offset -= it->inverse_mass * pl_vec3_dot(push, it->normal);
  it->way = pl_vec3_add_scaled(it->way, push, -it->inverse_mass);
  return true;
}

int32_t pl_rod_contact_resolve_obstacles(const pl_rod_contact *contact, int32_t first, pl_body_obstacle *obstacles,
                                         int32_t obstacle_count) {
  const int32_t *constraints = contact->batch->plan->constraints;
  int32_t count = 0;
  for (int32_t k = 0; k < obstacle_count; ++k) {
    int32_t s = obstacles[k].segment - first;
    count += push_off(contact, constraints[2 * s], constraints[2 * s + 1], &obstacles[k]);
  }
  return count;
}
