#include "contact/contact_tangle.h"

#include <math.h>

// A point whose way out is along its own outward direction, by this cosine, comes back from behind.
static const double HOOKED = 0.5;
// The sum of areas tells where tangled bodies come apart if it is at least this fraction of them.
static const double DECISIVE = 0.25;
// Points whose own way out is along the common direction, by this cosine, keep it.
static const double ALONG = 0.25;

void pl_contact_tangle_add(pl_contact_tangle *tangle, pl_vec3 outward) {
  tangle->area = pl_vec3_add(tangle->area, outward);
  tangle->all_area += pl_vec3_length(outward);
}

pl_vec3 pl_contact_tangle_way(const pl_contact_tangle *tangle, pl_vec3 apart) {
  pl_vec3 way = pl_vec3_scale(tangle->area, -1);
  if (!(pl_vec3_length(way) > DECISIVE * tangle->all_area)) way = apart;
  return pl_vec3_normalize_or(way, pl_vec3_of(0, 1, 0));
}

pl_vec3 pl_contact_outward(const pl_surface_motion *motion, int32_t point) {
  const pl_surface_tree *tree = motion->tree;
  pl_vec3 sum = {0, 0, 0};
  for (int32_t r = tree->ring_start[point]; r < tree->ring_start[point + 1]; ++r) {
    pl_vec3 c[3];
    pl_surface_corners(tree, motion->ends, tree->ring[r], c);
    sum = pl_vec3_add(sum, pl_vec3_cross(pl_vec3_sub(c[1], c[0]), pl_vec3_sub(c[2], c[0])));
  }
  return sum;
}

bool pl_contact_is_hooked(pl_vec3 normal, pl_vec3 outward) {
  return pl_vec3_dot(normal, outward) > HOOKED * (pl_vec3_length(normal) * pl_vec3_length(outward));
}

bool pl_contact_is_along(pl_vec3 normal, pl_vec3 way) {
  return pl_vec3_dot(normal, way) > ALONG;
}

// p + t way = c_0 + u (c_1 - c_0) + v (c_2 - c_0), by the volumes of tets (Möller and Trumbore 1997).
static bool pass_triangle(const pl_vec3 c[3], pl_vec3 from, pl_vec3 way, double *time, double weights[3]) {
  pl_vec3 a = pl_vec3_sub(c[1], c[0]), b = pl_vec3_sub(c[2], c[0]), to = pl_vec3_sub(from, c[0]);
  double volume = pl_vec3_dot(way, pl_vec3_cross(a, b));
  if (!(volume > 0)) return false;  // it enters there
  double u = pl_vec3_dot(way, pl_vec3_cross(to, b)) / volume, v = pl_vec3_dot(way, pl_vec3_cross(a, to)) / volume;
  const double border = 1e-9;
  if (!(u >= -border && v >= -border && u + v <= 1 + border)) return false;
  *time = -pl_vec3_dot(to, pl_vec3_cross(a, b)) / volume;
  weights[0] = 1 - u - v, weights[1] = u, weights[2] = v;
  return *time > 0;
}

bool pl_contact_find_way_out(const pl_surface_motion *motion, pl_vec3 from, pl_vec3 way, pl_contact_place *place) {
  double first = HUGE_VAL;
  for (int32_t t = 0; t < motion->tree->surface->triangle_count; ++t) {
    pl_vec3 c[3];
    double time, weights[3];
    pl_surface_corners(motion->tree, motion->ends, t, c);
    if (!pass_triangle(c, from, way, &time, weights) || !(time < first)) continue;
    first = time;
    *place = (pl_contact_place){t, {weights[0], weights[1], weights[2]}};
  }
  return first < HUGE_VAL;
}
