// An object prepared for descriptors and stamps, and what one contact on it needs: where it is,
// what is connected to it, and what it is like there.
#ifndef PL_DETAIL_OBJECT_H
#define PL_DETAIL_OBJECT_H

#include "detail/detail_graph.h"
#include "detail/detail_kernels.h"
#include "detail/detail_weights.h"
#include "pliant/detail.h"

// A copy of a pl_detail_object with what follows from it. Immutable.
typedef struct pl_detail_ground {
  pl_detail_object object;  // arrays are copies; volumes are always there
  pl_material_rows rows;    // material
  pl_vec3 *normals;         // of surface points, unit
  double *areas;            // of surface points, m²
  pl_vec3 origin;           // amid the surface
  pl_rows triangles_of_point;
  pl_graph surface_graph;
  pl_graph material_graph;  // no points without tets
  int32_t *anchors;         // material point of each surface point; with tets only
} pl_detail_ground;

// Check and copy an object. Fails as pl_detail_filter_create(); what was taken stays in the arena.
pl_status pl_detail_ground_build(pl_arena *arena, const pl_detail_object *object,
                                 pl_detail_ground *ground, pl_error *error);

// Lengths that decide what counts, metres.
typedef struct pl_detail_reach {
  double window_radius, stamp_radius;
} pl_detail_reach;

// What is connected to a contact. Kept as long as the contact stays in its triangle: it is measured
// from the triangle's middle.
typedef struct pl_detail_slot {
  int32_t triangle;        // -1: nothing yet
  float *fractions;        // of surface points
  int32_t *points;         // surface points with a fraction above 0, rising …
  int32_t point_count;     // … and their number,
  float *point_fractions;  // … fractions
  pl_stamp_rows near;      // … and positions, relative to the ground's origin
  // material with the fractions of what is connected; those of the ground without tets
  pl_material_rows rows;
  float *material_fractions;  // with tets
} pl_detail_slot;

bool pl_detail_slot_take(pl_arena *arena, const pl_detail_ground *ground, pl_detail_slot *slot);

// Working memory for all slots of a ground: large enough for surface and material.
bool pl_detail_ground_work(pl_arena *arena, const pl_detail_ground *ground, pl_reach_work *work);

void pl_detail_slot_aim(const pl_detail_ground *ground, const pl_detail_reach *reach,
                        int32_t triangle, pl_reach_work *work, pl_detail_slot *slot);

// A place on the surface at rest.
typedef struct pl_detail_spot {
  int32_t triangle;
  double barycentric[3];
  pl_vec3 point, normal;
} pl_detail_spot;

// Where a contact is, given where the surface points are. PL_ERROR_INVALID_ARGUMENT naming contact
// number `index` if it is nowhere.
pl_status pl_detail_spot_find(const pl_detail_ground *ground, const pl_detail_contact *contact,
                              int32_t index, const pl_vec3 *surface_points, pl_detail_spot *spot,
                              pl_error *error);

// Descriptors at a spot, in its stamping frame.
typedef struct pl_detail_state {
  pl_mat3 frame;     // rows are the axes, at rest
  pl_mat3 rotation;  // of the material around, since rest
  pl_moments site, patch;
  pl_vector_moments load;
} pl_detail_state;

// `field` are the displacements, see pl_field_rows_fill(). `patch` is filled if wanted only.
void pl_detail_spot_describe(const pl_detail_ground *ground, const pl_detail_slot *slot,
                             const pl_detail_spot *spot, const float *field, double window_radius,
                             pl_detail_state *state);
void pl_detail_patch_describe(const pl_detail_ground *ground, const pl_detail_contact *contact,
                              const pl_detail_spot *spot, double window_radius,
                              pl_detail_state *state);

#endif
