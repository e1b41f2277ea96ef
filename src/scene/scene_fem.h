// Finite elements of a scene: thin meshes, the def that a body is built from, and what thin bodies
// are drawn by.
#ifndef PL_SCENE_FEM_H
#define PL_SCENE_FEM_H

#include "pliant/fem.h"
#include "scene/scene_instance.h"

// A curve of segments, a flat sheet of triangles, and a plane figure given by its outline
// (scene_mesh_thin.c).
pl_status pl_scene_make_curve(pl_context *context, const pl_scene_curve *def, pl_mesh **mesh,
                              pl_error *error);
pl_status pl_scene_make_sheet(pl_context *context, const pl_scene_sheet *def, pl_mesh **mesh,
                              pl_error *error);
pl_status pl_scene_make_plate(pl_context *context, const pl_scene_plate *def, pl_mesh **mesh,
                              pl_error *error);

// The finer figure that a plate is drawn by, in the plate's frame before its mesh is scaled
// (scene_mesh_thin.c).
pl_status pl_scene_make_drawn(pl_context *context, const pl_scene_plate *def, pl_mesh **mesh,
                              pl_error *error);

// Boxes of tets drawn as text, and what may be wrong with the drawing (scene_mesh_cells.c).
struct pl_scene_checker;
pl_status pl_scene_make_cells(pl_context *context, const pl_scene_cells *def, pl_mesh **mesh,
                              pl_error *error);
void pl_checker_cells(struct pl_scene_checker *c, const pl_scene_cells *def);

// What elements a material is made of.
typedef enum pl_fem_element_kind {
  PL_FEM_OF_TETS,
  PL_FEM_OF_TRIANGLES,
  PL_FEM_OF_SEGMENTS
} pl_fem_element_kind;
pl_fem_element_kind pl_scene_fem_elements(const pl_scene_fem *fem);

// Whether a material lives in a plane z = const.
bool pl_scene_fem_is_planar(const pl_scene_fem *fem);

// What the tables cannot say about a mesh that may be a curve or sheet, and about a body of finite
// elements (scene_check_fem.c).
void pl_checker_thin_mesh(struct pl_scene_checker *c, const pl_scene_mesh *mesh);
void pl_checker_fem(struct pl_scene_checker *c, const pl_scene_body *body);

// What a thin body is drawn by: four points around each end of a segment of a curve, or both faces
// and the rim of a plane solid, or of a finer figure that its triangles carry. It follows the
// particles when it is read and has no part in the simulation (scene_fem_skin.c).
struct pl_instance_skin {
  const pl_mesh *elements;  // of the body
  double half;              // of the thickness, metres
  int32_t slot_count;       // of a curve: cross-sections
  const int32_t *slots;     // of a curve: cross-section at either end of each segment
  int32_t carried_count;    // of a plate: points of the figure it is drawn by; 0: its own
  const int32_t *carriers;  // … the three particles that carry each
  const double *weights;    // … and their shares
  int32_t point_count, triangle_count;
  const int32_t *triangles;
};

// Make the skin of a curve or plane solid in the set's arena, and its mesh at rest, which the part
// keeps as its surface.
pl_status pl_instance_make_skin(pl_scene_instance *set, pl_instance_part *part, pl_error *error);

#endif
