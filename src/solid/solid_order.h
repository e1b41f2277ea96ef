// The order in which a solid keeps its particles: along a space-filling curve, so that a particle's
// ring is near it in memory.
#ifndef PL_SOLID_ORDER_H
#define PL_SOLID_ORDER_H

#include "base/arena.h"
#include "pliant/mesh.h"

typedef struct pl_solid_order {
  const int32_t *point_of;     // mesh point of each particle
  const int32_t *particle_of;  // particle of each mesh point
} pl_solid_order;

// False when out of memory.
bool pl_solid_order_build(pl_context *context, const pl_mesh_view *mesh, pl_arena *arena,
                          pl_solid_order *order);

#endif
