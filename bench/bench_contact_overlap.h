// How far bodies of one model are inside each other, without any part of contact.
#ifndef BENCH_CONTACT_OVERLAP_H
#define BENCH_CONTACT_OVERLAP_H

#include "pliant/pliant.h"

typedef struct bench_bodies {
  pl_context *context;
  const pl_world *world;
  const pl_model *model;  // of all of them
  const pl_body_id *ids;
  int32_t count;
} bench_bodies;

// The fraction of all surface points that are inside another body, by the winding number, and
// farther than `depth` from its nearest triangle.
pl_status bench_measure_overlap(const bench_bodies *bodies, double depth, double *fraction,
                                pl_error *error);

#endif
