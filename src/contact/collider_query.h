// Rays and boxes against colliders, for queries.
#ifndef PL_CONTACT_COLLIDER_QUERY_H
#define PL_CONTACT_COLLIDER_QUERY_H

#include "contact/collider.h"

// Where a query met a collider, in the world.
typedef struct pl_collider_hit {
  bool is_hit;
  double distance;        // of a ray: from its origin; of a point: signed
  pl_vec3 point, normal;  // outward
  int32_t triangle;       // of a mesh, otherwise -1
  double barycentric[3];
} pl_collider_hit;

// First surface along a ray (`unit` of length 1) within `limit` metres, from either side.
pl_collider_hit pl_collider_cast_ray(const pl_collider *collider, pl_transform placement,
                                     pl_vec3 origin, pl_vec3 unit, double limit);

// Closest surface point, if its signed distance is at most `limit`.
pl_collider_hit pl_collider_find_closest(const pl_collider *collider, pl_transform placement,
                                         pl_vec3 point, double limit);

// Does the collider overlap a box? `triangle` is as in pl_world_overlap_box().
bool pl_collider_overlaps_box(const pl_collider *collider, pl_transform placement, pl_transform box,
                              pl_vec3 half, int32_t *triangle);

#endif
