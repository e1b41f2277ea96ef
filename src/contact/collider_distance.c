// Signed distance from a point to a collider.
//
// Closed forms for the simple bodies; a mesh asks its triangle tree. Where several directions out are equally short, as
// in the middle of a ball, one of them is taken, always the same.
#include "contact/collider.h"
#include "mesh/triangle_tree.h"
#include "pliant/math.h"

static double ball_distance(pl_vec3 from_center, double radius, pl_vec3 *normal) {
  double length = pl_vec3_length(from_center);
  *normal = length > 1e-300 ? pl_vec3_scale(from_center, 1 / length) : pl_vec3_of(0, 1, 0);
  return length - radius;
}

static double capsule_distance(const pl_collider *collider, pl_vec3 point, pl_vec3 *normal) {
  double y = fmax(-collider->half_length, fmin(collider->half_length, point.y));
  pl_vec3 off = {point.x, point.y - y, point.z};
  double distance = ball_distance(off, collider->radius, normal);
  // On the axis every direction across it is nearest: up would point along the capsule.
  if (off.x == 0 && off.y == 0 && off.z == 0 && collider->half_length > 0) *normal = pl_vec3_of(1, 0, 0);
  return distance;
}

static double box_distance(pl_vec3 half, pl_vec3 point, pl_vec3 *normal) {
  pl_vec3 sign = {copysign(1, point.x), copysign(1, point.y), copysign(1, point.z)};
  pl_vec3 beyond = {fabs(point.x) - half.x, fabs(point.y) - half.y, fabs(point.z) - half.z};
  pl_vec3 outside = {fmax(beyond.x, 0), fmax(beyond.y, 0), fmax(beyond.z, 0)};
  double length = pl_vec3_length(outside);
  if (length > 0) {
    *normal = pl_vec3_scale((pl_vec3){sign.x * outside.x, sign.y * outside.y, sign.z * outside.z}, 1 / length);
    return length;
  }
  // Inside: through the nearest face.
  if (beyond.y >= beyond.x && beyond.y >= beyond.z) {
    *normal = (pl_vec3){0, sign.y, 0};
    return beyond.y;
  }
  if (beyond.x >= beyond.z) {
    *normal = (pl_vec3){sign.x, 0, 0};
    return beyond.x;
  }
  *normal = (pl_vec3){0, 0, sign.z};
  return beyond.z;
}

double pl_collider_local_distance(const pl_collider *collider, pl_vec3 point, pl_vec3 *normal) {
  pl_vec3 unwanted;
  if (normal == NULL) normal = &unwanted;
  switch (collider->shape) {
    case PL_COLLIDER_HALF_SPACE: *normal = pl_vec3_of(0, 1, 0); return point.y;
    case PL_COLLIDER_SPHERE: return ball_distance(point, collider->radius, normal);
    case PL_COLLIDER_CAPSULE: return capsule_distance(collider, point, normal);
    case PL_COLLIDER_BOX: return box_distance(collider->half_size, point, normal);
    case PL_COLLIDER_MESH: return pl_triangle_tree_signed_distance(collider->tree, point, HUGE_VAL, NULL, normal);
  }
  *normal = pl_vec3_of(0, 1, 0);
  return HUGE_VAL;
}

double pl_collider_distance(const pl_collider *collider, pl_transform placement, pl_vec3 point, pl_vec3 *normal) {
  pl_vec3 local;
  double distance = pl_collider_local_distance(collider, pl_transform_apply_inverse(placement, point), &local);
  if (normal != NULL) *normal = pl_quat_rotate(placement.rotation, local);
  return distance;
}

double pl_collider_quick_distance(const pl_collider *collider, pl_transform placement, pl_vec3 point) {
  pl_vec3 local = pl_transform_apply_inverse(placement, point), normal;
  double distance;
  if (collider->shape == PL_COLLIDER_MESH && pl_collider_field_at(&collider->field, local, &distance, &normal))
    return distance;
  return pl_collider_local_distance(collider, local, NULL);
}
