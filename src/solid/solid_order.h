// The order in which a solid keeps its particles: along a space-filling curve, so that a particle's
// ring is near it in memory, and regions of like size side by side, so that eight of them can be
// summed in step.
#ifndef PL_SOLID_ORDER_H
#define PL_SOLID_ORDER_H

#include "base/arena.h"
#include "pliant/mesh.h"

typedef struct pl_solid_order {
  const int32_t *point_of;     // mesh point of each particle
  const int32_t *particle_of;  // particle of each mesh point
} pl_solid_order;

// `region_sizes`: particles of the region of each mesh point. False when out of memory.
bool pl_solid_order_build(pl_context *context, const pl_mesh_view *mesh,
                          const int32_t *region_sizes, pl_arena *arena, pl_solid_order *order);

#endif
