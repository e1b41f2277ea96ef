// Sites of a surface that are alike, and sites that no example is like yet: for choosing where to
// record.
#ifndef PL_DETAIL_SEGMENT_H
#define PL_DETAIL_SEGMENT_H

#include "detail/detail_descriptor.h"
#include "pliant/base.h"

// Surface points to start from.
typedef struct pl_surface_sites_def {
  pl_material material;
  int32_t point_count;
  const pl_vec3 *points;
  // unit, outward; zero where there is none: such a point gets a frame of its own
  const pl_vec3 *normals;
  double radius;  // of the window, metres
  pl_site_scale scale;
} pl_surface_sites_def;

// Site descriptor of every surface point, in its stamping frame; runs on the context's threads.
// `sites` holds point_count. Fails with PL_ERROR_INVALID_ARGUMENT for a radius that is none,
// PL_ERROR_OUT_OF_MEMORY.
pl_status pl_surface_sites_compute(pl_context *context, const pl_surface_sites_def *def,
                                   pl_moments *sites, pl_error *error);

// Sites to compare, by moments up to an order.
typedef struct pl_site_set {
  int32_t count, order;
  const pl_moments *sites;
} pl_site_set;

// What pl_sites_segment() found. The caller gives the arrays.
typedef struct pl_segments {
  int32_t count;  // wanted; may be more than there are different sites, then the last are empty
  int32_t *segment_of_site;  // numbered by size, the largest first
  int32_t *representatives;  // the site nearest to each segment's center, where an example should
                             // be recorded; -1 for an empty one
  int32_t iterations;        // of the best start
  double spread;             // root of the mean squared distance to the centers
} pl_segments;

// Segments by k-means with eq. 9 as distance. The best of several starts, each seeded by k-means++
// from `seed`: equal input gives equal segments.
pl_status pl_sites_segment(pl_context *context, const pl_site_set *set, uint64_t seed,
                           pl_segments *segments, pl_error *error);

typedef struct pl_coverage_report {
  // the site that is least like any example: where to record next; -1 without sites
  int32_t farthest;
  double max, mean;
  double covered;  // share of sites within the limit
} pl_coverage_report;

// Distance (eq. 9, orders of `set`) of every site to the nearest of the examples' sites, which is
// `nearest` (may be NULL; -1 without examples, and the distance is infinite). `limit`: what counts
// as covered, normally the width of the kernel.
void pl_sites_cover(const pl_site_set *set, const pl_site_set *examples, double limit,
                    double *distances, int32_t *nearest, pl_coverage_report *report);

#endif
