// Tapered segments against colliders: where along a segment the gap is least.
//
// A tapered segment is the set of balls around a + t (b - a) with radius (1 - t) radius_a + t
// radius_b, t in [0, 1].
#ifndef PL_CONTACT_SEGMENT_TOUCH_H
#define PL_CONTACT_SEGMENT_TOUCH_H

#include "contact/collider.h"

typedef struct pl_segment {
  pl_vec3 a, b;               // ends, metres
  double radius_a, radius_b;  // metres, >= 0
} pl_segment;

typedef struct pl_segment_touch {
  double t;        // where along the segment, 0 … 1
  double gap;      // signed distance there less the radius there; negative: overlap
  pl_vec3 normal;  // unit, out of the collider
} pl_segment_touch;

// The least gap between a segment and a collider at a placement. False, at little cost, when it is
// surely more than `limit` (>= 0); then `touch` is not written. For half-spaces, spheres, capsules
// and boxes it is exact to 1e-9 of the size. For meshes it is exact to 1e-7 of the length while the
// line from a to b does not enter them; otherwise it is the least of what searches from several
// points along the segment find, which misses nothing larger than half the radius. Rigid meshes of
// 500 triangles or more are seen through a field, right to 1/1000 of their longest side, where
// limit and radius together are less than 1/16 of that side.
bool pl_segment_touch_collider(const pl_segment *segment, const pl_collider *collider,
                               pl_transform placement, double limit, pl_segment_touch *touch);

// The same where `a` is known to be outside the collider, which spares a search on meshes.
bool pl_segment_touch_from_outside(const pl_segment *segment, const pl_collider *collider,
                                   pl_transform placement, double limit, pl_segment_touch *touch);

#endif
