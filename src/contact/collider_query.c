// Colliders seen by rays, points and boxes.
//
// Rays are taken into the collider's frame. A simple form is met at a root of its equation that lies on its surface;
// the smallest that is not negative is the first, from outside or from inside.
#include "contact/collider_query.h"

#include "mesh/box_touch.h"
#include "mesh/triangle_tree.h"
#include "pliant/math.h"

static const pl_collider_hit MISS = {.is_hit = false, .distance = HUGE_VAL, .triangle = -1};

// Roots of a t² + 2 b t + c, ascending; false if there are none.
static bool solve(double a, double b, double c, double roots[2]) {
  double d = b * b - a * c;
  if (!(a > 0) || d < 0) return false;
  // The root that does not cancel, and the other by their product.
  double q = -(b + copysign(sqrt(d), b)), s = q / a, t = q != 0 ? c / q : 0;
  roots[0] = fmin(s, t);
  roots[1] = fmax(s, t);
  return true;
}

// --- simple forms: distance along the ray, HUGE_VAL for a miss

static double meet_half_space(pl_vec3 o, pl_vec3 u) {
  double t = -o.y / u.y;
  return t >= 0 && isfinite(t) ? t : HUGE_VAL;
}

// Around the point (0, y, 0); only what is `above` (+1) or below (-1) that height, or anywhere (0).
static double meet_ball(pl_vec3 o, pl_vec3 u, double y, double radius, int side) {
  pl_vec3 from = {o.x, o.y - y, o.z};
  double roots[2];
  if (!solve(1, pl_vec3_dot(from, u), pl_vec3_dot(from, from) - radius * radius, roots)) return HUGE_VAL;
  for (int i = 0; i < 2; ++i)
    if (roots[i] >= 0 && side * (from.y + roots[i] * u.y) >= 0) return roots[i];
  return HUGE_VAL;
}

static double meet_capsule(const pl_collider *collider, pl_vec3 o, pl_vec3 u) {
  double h = collider->half_length, r = collider->radius, roots[2];
  double best = fmin(meet_ball(o, u, h, r, 1), meet_ball(o, u, -h, r, -1));
  if (!solve(u.x * u.x + u.z * u.z, o.x * u.x + o.z * u.z, o.x * o.x + o.z * o.z - r * r, roots)) return best;
  for (int i = 0; i < 2; ++i)
    if (roots[i] >= 0 && roots[i] < best && fabs(o.y + roots[i] * u.y) <= h) best = roots[i];
  return best;
}

static double meet_box(pl_vec3 half, pl_vec3 o, pl_vec3 u) {
  const double from[3] = {o.x, o.y, o.z}, along[3] = {u.x, u.y, u.z}, size[3] = {half.x, half.y, half.z};
  double enter = -HUGE_VAL, leave = HUGE_VAL;
  for (int i = 0; i < 3; ++i) {
    if (along[i] == 0) {
      if (fabs(from[i]) > size[i]) return HUGE_VAL;
      continue;
    }
    double a = (-size[i] - from[i]) / along[i], b = (size[i] - from[i]) / along[i];
    enter = fmax(enter, fmin(a, b));
    leave = fmin(leave, fmax(a, b));
  }
  if (enter > leave || leave < 0) return HUGE_VAL;
  return enter >= 0 ? enter : leave;
}

static double meet_form(const pl_collider *collider, pl_vec3 o, pl_vec3 u) {
  switch (collider->shape) {
    case PL_COLLIDER_HALF_SPACE: return meet_half_space(o, u);
    case PL_COLLIDER_SPHERE: return meet_ball(o, u, 0, collider->radius, 0);
    case PL_COLLIDER_CAPSULE: return meet_capsule(collider, o, u);
    case PL_COLLIDER_BOX: return meet_box(collider->half_size, o, u);
    case PL_COLLIDER_MESH: break;
  }
  return HUGE_VAL;
}

static pl_collider_hit hit_of_triangle(const pl_collider *collider, pl_transform placement, const pl_hit *hit) {
  pl_collider_hit result = {.is_hit = true,
                            .distance = hit->distance,
                            .point = pl_transform_apply(placement, hit->point),
                            .normal = pl_quat_rotate(placement.rotation, collider->tree->face_normals[hit->triangle]),
                            .triangle = hit->triangle};
  for (int k = 0; k < 3; ++k) result.barycentric[k] = hit->barycentric[k];
  return result;
}

pl_collider_hit pl_collider_cast_ray(const pl_collider *collider, pl_transform placement, pl_vec3 origin, pl_vec3 unit,
                                     double limit) {
  pl_vec3 o = pl_transform_apply_inverse(placement, origin);
  pl_vec3 u = pl_quat_rotate(pl_quat_conjugate(placement.rotation), unit);
  if (collider->shape == PL_COLLIDER_MESH) {
    pl_hit hit = pl_triangle_tree_ray(collider->tree, o, u, limit);
    return hit.triangle >= 0 ? hit_of_triangle(collider, placement, &hit) : MISS;
  }
  double t = meet_form(collider, o, u);
  if (!(t <= limit) || !isfinite(t)) return MISS;
  pl_vec3 local = pl_vec3_add_scaled(o, u, t), normal;
  pl_collider_local_distance(collider, local, &normal);
  return (pl_collider_hit){.is_hit = true,
                           .distance = t,
                           .point = pl_vec3_add_scaled(origin, unit, t),
                           .normal = pl_quat_rotate(placement.rotation, normal),
                           .triangle = -1};
}

pl_collider_hit pl_collider_find_closest(const pl_collider *collider, pl_transform placement, pl_vec3 point,
                                         double limit) {
  pl_vec3 local = pl_transform_apply_inverse(placement, point), normal;
  double distance = pl_collider_local_distance(collider, local, &normal);
  if (!(distance <= limit) || !isfinite(distance)) return MISS;
  if (collider->shape == PL_COLLIDER_MESH) {
    pl_hit hit = pl_triangle_tree_nearest(collider->tree, local, HUGE_VAL);
    if (hit.triangle < 0) return MISS;
    hit.distance = distance;
    return hit_of_triangle(collider, placement, &hit);
  }
  pl_vec3 outward = pl_quat_rotate(placement.rotation, normal);
  return (pl_collider_hit){.is_hit = true,
                           .distance = distance,
                           .point = pl_vec3_add_scaled(point, outward, -distance),
                           .normal = outward,
                           .triangle = -1};
}

// --- boxes

static bool mesh_touches_box(const pl_triangle_tree *tree, pl_transform box, pl_vec3 half, int32_t *triangle) {
  pl_mat3 r = pl_mat3_from_quat(box.rotation);
  double reach[3];
  for (int i = 0; i < 3; ++i) reach[i] = fabs(r.m[i][0]) * half.x + fabs(r.m[i][1]) * half.y + fabs(r.m[i][2]) * half.z;
  pl_vec3 around = {reach[0], reach[1], reach[2]};
  pl_box bounds = {pl_vec3_sub(box.position, around), pl_vec3_add(box.position, around)};
  int32_t stack[PL_BOX_TREE_DEPTH], depth = 0;
  *triangle = -1;
  if (tree->boxes.node_count > 0) stack[depth++] = 0;
  while (depth > 0) {
    const pl_box_node *node = &tree->boxes.nodes[stack[--depth]];
    if (!pl_box_overlaps(node->box, bounds)) continue;
    for (int32_t i = node->first; i < node->first + node->count; ++i) {
      pl_vec3 corners[3];
      for (int k = 0; k < 3; ++k)
        corners[k] = pl_transform_apply_inverse(box, tree->corners[3 * (size_t)i + (size_t)k]);
      int32_t it = tree->boxes.order[i];
      if ((*triangle < 0 || it < *triangle) && pl_box_touches_triangle(half, corners)) *triangle = it;
    }
    if (node->count > 0) continue;
    stack[depth++] = node->second;
    stack[depth++] = (int32_t)(node - tree->boxes.nodes) + 1;
  }
  return *triangle >= 0 || pl_triangle_tree_signed_distance(tree, box.position, HUGE_VAL, NULL, NULL) < 0;
}

bool pl_collider_overlaps_box(const pl_collider *collider, pl_transform placement, pl_transform box, pl_vec3 half,
                              int32_t *triangle) {
  *triangle = -1;
  // The collider in the frame of the box, and the box in that of the collider.
  pl_quat back = pl_quat_conjugate(box.rotation);
  pl_transform in_box = {pl_transform_apply_inverse(box, placement.position),
                         pl_quat_multiply(back, placement.rotation)};
  pl_transform in_collider = {pl_transform_apply_inverse(placement, box.position),
                              pl_quat_multiply(pl_quat_conjugate(placement.rotation), box.rotation)};
  switch (collider->shape) {
    case PL_COLLIDER_HALF_SPACE: {
      pl_vec3 up = pl_quat_rotate(in_box.rotation, pl_vec3_of(0, 1, 0));
      return in_collider.position.y <= fabs(up.x) * half.x + fabs(up.y) * half.y + fabs(up.z) * half.z;
    }
    case PL_COLLIDER_SPHERE: return pl_box_segment_distance(half, in_box.position, in_box.position) <= collider->radius;
    case PL_COLLIDER_CAPSULE: {
      pl_vec3 axis = pl_quat_rotate(in_box.rotation, pl_vec3_of(0, collider->half_length, 0));
      return pl_box_segment_distance(half, pl_vec3_sub(in_box.position, axis), pl_vec3_add(in_box.position, axis)) <=
             collider->radius;
    }
    case PL_COLLIDER_BOX: return pl_box_touches_box(half, in_box, collider->half_size);
    case PL_COLLIDER_MESH: return mesh_touches_box(collider->tree, in_collider, half, triangle);
  }
  return false;
}
