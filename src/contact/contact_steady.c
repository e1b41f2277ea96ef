// Normals of contacts at rest that do not change by chance.
//
// Detection points from the nearest place of the other surface to the point. What lies on that surface has no such
// direction: at distances of rounding it is noise, a little beyond a rim it points sideways, and where a point lies on
// a corner of triangles that are not quite in a plane it flips from one to the next. A pile held by such normals never
// rests. Here the normal is the mean of those around the place, with the weights of the place, of all triangles that
// belong to the same face as the touched one: continuous as the point moves over the face, and unchanged beyond its
// rim.
#include <math.h>

#include "contact/contact_solver.h"
#include "pliant/math.h"

// How far from a triangle a point still lies on it, as a fraction of the triangle's size, and the cosine up to which a
// neighbour belongs to the same face, or the triangles around a point to a flat one.
static const double LIES = 0.01, SAME_FACE = 0.8, FLAT = 0.95;

static pl_vec3 area_of(const pl_surface_motion *motion, int32_t triangle) {
  pl_vec3 c[3];
  pl_surface_corners(motion->tree, motion->ends, triangle, c);
  return pl_vec3_cross(pl_vec3_sub(c[1], c[0]), pl_vec3_sub(c[2], c[0]));
}

static pl_vec3 mix(const pl_contact_side *side, const pl_vec3 *points) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t k = 0; k < side->count; ++k) sum = pl_vec3_add_scaled(sum, points[side->points[k]], side->weights[k]);
  return sum;
}

// Unit normal of the face of `outward`, the touched triangle's normal, at the place; `sign` is -1 where that is the
// other side of the surface.
static pl_vec3 face_normal(const pl_surface_motion *motion, const pl_contact_side *side, pl_vec3 outward, double sign) {
  const pl_surface_tree *tree = motion->tree;
  pl_vec3 sum = {0, 0, 0};
  for (int32_t k = 0; k < side->count; ++k) {
    pl_vec3 around = {0, 0, 0};
    for (int32_t r = tree->ring_start[side->points[k]]; r < tree->ring_start[side->points[k] + 1]; ++r) {
      pl_vec3 area = pl_vec3_scale(area_of(motion, tree->ring[r]), sign);
      if (pl_vec3_dot(area, outward) > SAME_FACE * pl_vec3_length(area)) around = pl_vec3_add(around, area);
    }
    sum = pl_vec3_add_scaled(sum, pl_vec3_normalize_or(around, outward), side->weights[k]);
  }
  return pl_vec3_normalize_or(sum, outward);
}

// Whether a point lies inside a flat face of its own surface, and that face's unit normal. Such a point can only be
// pushed along it: what slides over the face would otherwise catch on the point with its rim.
static bool is_flat(const pl_surface_motion *motion, int32_t point, pl_vec3 *normal) {
  const pl_surface_tree *tree = motion->tree;
  pl_vec3 sum = {0, 0, 0};
  if (!tree->is_closed) return false;
  for (int32_t r = tree->ring_start[point]; r < tree->ring_start[point + 1]; ++r)
    sum = pl_vec3_add(sum, area_of(motion, tree->ring[r]));
  *normal = pl_vec3_normalize_or(sum, pl_vec3_of(0, 0, 0));
  for (int32_t r = tree->ring_start[point]; r < tree->ring_start[point + 1]; ++r) {
    pl_vec3 area = area_of(motion, tree->ring[r]);
    if (!(pl_vec3_dot(area, *normal) > FLAT * pl_vec3_length(area))) return false;
  }
  return true;
}

void pl_contact_solver_steady_normal(const pl_contact_solver *solver, pl_contact *contact) {
  if (contact->collider >= 0 || contact->a.count != 1 || contact->b.count != 3) return;
  const pl_surface_motion *a = &solver->memory.motions[contact->a.body], *b = &solver->memory.motions[contact->b.body];
  const int32_t *points = contact->b.points;
  pl_vec3 p = a->ends[contact->a.points[0]], q = mix(&contact->b, b->ends);
  pl_vec3 across = pl_vec3_cross(pl_vec3_sub(b->ends[points[1]], b->ends[points[0]]),
                                 pl_vec3_sub(b->ends[points[2]], b->ends[points[0]]));
  double size = sqrt(pl_vec3_length(across)), away = pl_vec3_distance(p, q);
  if (!(size > 0)) return;
  pl_vec3 outward = pl_vec3_scale(across, 1 / (size * size)), own;
  // A surface that is not closed is touched from either side.
  double facing = pl_vec3_dot(outward, contact->normal), sign = !b->tree->is_closed && facing < 0 ? -1 : 1;
  bool lies = away <= LIES * size && (sign * facing >= 0 || away <= 0.1 * LIES * size);
  pl_vec3 normal = lies ? face_normal(b, &contact->b, pl_vec3_scale(outward, sign), sign) : contact->normal;
  bool rubs = is_flat(a, contact->a.points[0], &own) && pl_vec3_dot(own, normal) > -SAME_FACE &&
              fabs(pl_vec3_dot(own, pl_vec3_sub(p, q))) < LIES * size;
  if (!lies && !rubs) return;
  contact->normal = rubs ? pl_vec3_scale(own, -1) : normal;
  pl_vec3 before = pl_vec3_sub(a->starts[contact->a.points[0]], mix(&contact->b, b->starts));
  contact->start_gap = pl_vec3_dot(contact->normal, before) - contact->offset;
  contact->depth = contact->offset - pl_vec3_dot(contact->normal, pl_vec3_sub(p, q));
}
