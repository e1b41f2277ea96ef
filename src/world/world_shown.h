// Surfaces of bodies as they are now, kept for display and queries: computed when asked for, at
// most once per change of the body.
//
// Functions that only read a world may be called from several threads at once, so what they compute
// and keep is guarded by a lock. What a caller gets stays as it is until the world changes.
#ifndef PL_WORLD_SHOWN_H
#define PL_WORLD_SHOWN_H

#include "mesh/moving_tree.h"
#include "world/world_state.h"

// Triangle hierarchy of a model, shared by its bodies in a world.
typedef struct pl_shown_shape {
  pl_arena arena;  // holds this too
  const pl_model *model;
  int32_t use_count;
  pl_moving_shape shape;
} pl_shown_shape;

// Of one body.
typedef struct pl_body_shown {
  pl_shown_shape *shape;
  int64_t point_version, previous_version, box_version;  // of the body, when each was computed
  pl_vec3 *points;                                       // surface after the layers
  pl_vec3 *previous;                                     // the same before the last step
  pl_box box;                                            // around the points
  pl_moving_tree tree;
} pl_body_shown;

// What to compute.
enum { PL_SHOW_POINTS = 0, PL_SHOW_PREVIOUS = 1, PL_SHOW_TREE = 2 };

// The surface of a body, with its previous points or its tree if asked for. Allocates in the first
// call for a body; fails only when out of memory.
pl_status pl_world_show_body(const pl_world *world, pl_body *body, int parts,
                             const pl_body_shown **shown, pl_error *error);

// Boxes around the surfaces of all bodies, in their order. Fails only when out of memory.
pl_status pl_world_show_boxes(const pl_world *world, const pl_box **boxes, pl_error *error);

// Guard what else is computed when asked for.
void pl_world_shown_lock(const pl_world *world);
void pl_world_shown_unlock(const pl_world *world);

// The memory of it: of the world and of a body.
pl_status pl_world_shown_create(pl_context *context, pl_world_shown **shown, pl_error *error);
void pl_world_shown_destroy(pl_world_shown *shown);
void pl_world_forget_body(pl_world *world, pl_body *body);

#endif
