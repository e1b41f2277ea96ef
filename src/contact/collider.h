// Colliders as the world keeps them: a solid form with a signed distance, placed by key frames.
#ifndef PL_CONTACT_COLLIDER_H
#define PL_CONTACT_COLLIDER_H

#include "base/arena.h"
#include "contact/contact_filter.h"
#include "pliant/collider.h"

// Signed distances of a mesh at the centres of a coarse grid around it (collider_clearance.c).
typedef struct pl_collider_clearance {
  pl_vec3 min;  // corner of the grid
  double cell;  // edge of a cell, metres
  int32_t counts[3];
  const float *distances;  // x fastest; NULL: no grid
  bool is_hollow;          // what is around the mesh is inside: its triangles face inwards
} pl_collider_clearance;

// Signed distances of a mesh at the nodes of a finer grid, close to it (collider_field.c).
typedef struct pl_collider_field {
  pl_vec3 min;               // the first node
  double cell;               // between nodes, metres
  double band;               // metres around the mesh that the field knows
  int32_t counts[3];         // of nodes
  const float *distances;    // x fastest; NULL: no field
  const uint8_t *is_smooth;  // of the cell after each node: the field is right there
} pl_collider_field;

typedef struct pl_collider_surface pl_collider_surface;

typedef struct pl_collider {
  pl_arena arena;  // holds the collider itself, its keys and its surface
  pl_collider_shape shape;
  double radius, half_length;
  pl_vec3 half_size;
  double friction, restitution;
  pl_contact_filter filter;
  pl_transform placement;  // without keys
  const pl_collider_key *keys;
  int32_t key_count;
  bool loop;
  // two keys of a collider that is moved by the caller; NULL where keys were given
  pl_collider_key *lead;
  pl_triangle_tree *tree;           // of a mesh, otherwise NULL
  pl_collider_clearance clearance;  // of a mesh
  pl_collider_field field;          // of a mesh of many triangles
  // Of a mesh that deforms: velocities of its points at the end of the step, m/s, in its own frame,
  // and the length of the step. NULL: it is rigid
  const pl_vec3 *velocities;
  double motion_step;
  pl_vec3 center;  // middle of a ball around the whole form, in its own frame …
  double reach;    // … and the ball's radius; INFINITY for a half-space
  // What touches faces and edges of bodies (collider_surface.h); NULL: points of bodies alone meet
  // it
  pl_collider_surface *surface;
} pl_collider;

// Create a collider from a def, copying mesh and keys. A number that makes no sense is refused with
// PL_ERROR_INVALID_ARGUMENT naming the field. The mesh should be closed; near a leak the side is
// that of the nearest triangle.
pl_status pl_collider_create(pl_context *context, const pl_collider_def *def,
                             pl_collider **collider, pl_error *error);
void pl_collider_destroy(pl_context *context, pl_collider *collider);

// Take a collider elsewhere within the step that begins at `time`; false for one that has keys.
bool pl_collider_move(pl_collider *collider, pl_transform target, double time, double step);

static inline bool pl_placement_is_same(const pl_transform *a, const pl_transform *b) {
  return a->position.x == b->position.x && a->position.y == b->position.y &&
         a->position.z == b->position.z && a->rotation.x == b->rotation.x &&
         a->rotation.y == b->rotation.y && a->rotation.z == b->rotation.z &&
         a->rotation.w == b->rotation.w;
}

// Where the collider is at a time.
pl_transform pl_collider_placement(const pl_collider *collider, double time);

// Where it is at the start and at the end of a step. When the keys start over within the step and
// do not join up, the collider is put at its new position without having moved: nothing is dragged
// across the jump.
void pl_collider_motion(const pl_collider *collider, double time, double step, pl_transform *start,
                        pl_transform *end);

// Where the collider's own motion takes a point that is at `point` at the start of the step: of a
// mesh that deforms along with the piece of surface nearest to `end`, where the point is at its
// end.
pl_vec3 pl_collider_carry(const pl_collider *collider, pl_transform start_placement,
                          pl_transform end_placement, pl_vec3 point, pl_vec3 end);

// Signed distance of any point from the collider at a placement, negative inside; `normal` (may be
// NULL) is the unit direction in which it grows, some outward direction where that is not unique.
double pl_collider_distance(const pl_collider *collider, pl_transform placement, pl_vec3 point,
                            pl_vec3 *normal);

// The same without normal; of a mesh of many triangles to a twentieth of a cell of its field.
double pl_collider_quick_distance(const pl_collider *collider, pl_transform placement,
                                  pl_vec3 point);

// A half-space at a placement. Heights above it take a tenth of the time of a signed distance, and
// most points of a heap are far above the ground: what this rules out is not asked for.
typedef struct pl_half_space {
  pl_vec3 position, up;
} pl_half_space;

static inline pl_half_space pl_half_space_of(pl_transform placement) {
  return (pl_half_space){placement.position,
                         pl_quat_rotate(placement.rotation, pl_vec3_of(0, 1, 0))};
}

// Height of a point above it, or less: pl_collider_distance() is never smaller, whatever rounding
// does to either.
static inline double pl_half_space_height(const pl_half_space *plane, pl_vec3 point) {
  pl_vec3 away = pl_vec3_sub(point, plane->position);
  return pl_vec3_dot(plane->up, away) - 1e-12 * (fabs(away.x) + fabs(away.y) + fabs(away.z));
}

// The same for the lowest point of a box.
static inline double pl_half_space_box_height(const pl_half_space *plane, const pl_box *box) {
  pl_vec3 up = plane->up;
  pl_vec3 lowest = {up.x > 0 ? box->min.x : box->max.x, up.y > 0 ? box->min.y : box->max.y,
                    up.z > 0 ? box->min.z : box->max.z};
  return pl_half_space_height(plane, lowest);
}

// Signed distance at a centre of the grid and how far the point (in the collider's own frame) is
// from that centre: their difference is a bound below the point's distance, their sum one above.
// Cheap, and rough; without a grid the distance is 0 and `away` is HUGE_VAL.
double pl_collider_clearance_at(const pl_collider_clearance *clearance, pl_vec3 point,
                                double *away);
bool pl_collider_clearance_build(pl_context *context, pl_arena *arena, const pl_triangle_tree *tree,
                                 pl_box box, pl_collider_clearance *clearance);

// The same in the collider's own frame.
double pl_collider_local_distance(const pl_collider *collider, pl_vec3 point, pl_vec3 *normal);

// The field around a mesh; false when out of memory.
typedef struct pl_collider_mesh {
  const pl_triangle_tree *tree;
  int32_t triangle_count;
  pl_box box;
} pl_collider_mesh;
bool pl_collider_field_build(pl_context *context, pl_arena *arena,
                             const pl_collider_clearance *clearance, const pl_collider_mesh *mesh,
                             pl_collider_field *field);

// Signed distance and unit normal at a point in the collider's frame, to a twentieth of a cell
// (about 1/1000 of the mesh's longest side) but for single points, where it may be off by more;
// false where the field does not know: then the mesh must be asked.
bool pl_collider_field_at(const pl_collider_field *field, pl_vec3 point, double *distance,
                          pl_vec3 *normal);

#endif
