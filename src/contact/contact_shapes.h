// What the contact solver keeps of a surface while some body has it: its hierarchy, and the
// memory in which the bodies that have it are placed.
//
// Both take long to make and do not depend on which bodies there are otherwise, so they stay when
// bodies come and go.
#ifndef PL_CONTACT_SHAPES_H
#define PL_CONTACT_SHAPES_H

#include "base/arena.h"
#include "contact/contact.h"
#include "contact/surface_motion.h"

typedef struct pl_shape_motions pl_shape_motions;

typedef struct pl_contact_shape {
  pl_surface_tree tree;
  int32_t parent_count;  // particles that carry one point at most
  bool is_small_volume;  // its motions have lanes, and its points are looked up in tets
  int32_t body_count;    // of the bodies it was prepared for
  // Of the list:
  struct pl_contact_shape *next;
  const pl_contact_surface *surface;
  uint64_t hash;  // of what the hierarchy was built from
  bool is_new;    // since the last pl_contact_shapes_keep()
  pl_arena arena;
  pl_shape_motions *first, *last;
  int32_t motion_count;
  // The motion that is handed out next:
  pl_shape_motions *next_motions;
  int32_t next_motion;
} pl_contact_shape;

typedef struct pl_contact_shapes {
  pl_context *context;
  pl_contact_shape *first;
  int32_t count;
  // Hash table by the address of the surface. Where a shape stands in it depends on addresses, what
  // is found does not.
  pl_contact_shape **table;
  uint32_t table_size;  // a power of two, or 0
} pl_contact_shapes;

void pl_contact_shapes_init(pl_contact_shapes *shapes, pl_context *context);
void pl_contact_shapes_destroy(pl_contact_shapes *shapes);

// Make the shapes and motions that these bodies lack; a surface that has changed gets a new shape.
// Those of the bodies before stay until one of the next two functions is called. On failure nothing
// has changed.
pl_status pl_contact_shapes_prepare(pl_contact_shapes *shapes, const pl_contact_body *bodies,
                                    int32_t body_count, pl_error *error);
// Release the shapes that none of the bodies has.
void pl_contact_shapes_keep(pl_contact_shapes *shapes);
// Release what is new.
void pl_contact_shapes_revert(pl_contact_shapes *shapes);

// The shape of a surface of one of these bodies.
pl_contact_shape *pl_contact_shapes_find(const pl_contact_shapes *shapes,
                                         const pl_contact_surface *surface);

// Hand out the motions of a shape again, from the first one; then the next one of them, for a body.
void pl_contact_shapes_rewind(pl_contact_shapes *shapes);
pl_surface_motion pl_contact_shape_next_motion(pl_contact_shape *shape);

#endif
