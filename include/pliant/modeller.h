/// @file modeller.h
/// A small modeller, so that scenes can describe bodies without mesh files: shapes given by signed
/// distances, combined, bent and turned into closed surfaces, and plane figures given by their
/// outlines.
#ifndef PLIANT_MODELLER_H
#define PLIANT_MODELLER_H

#include "pliant/base.h"
#include "pliant/math.h"
#include "pliant/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a shape node is.
typedef enum pl_shape_kind {
  PL_SHAPE_ELLIPSOID = 1,  ///< `size` = the three radii
  PL_SHAPE_CAPSULE,        ///< from `from` with `radius` to `to` with `end_radius`
  PL_SHAPE_BOX,         ///< `size` = edge lengths, rounded by `radius` (which stays inside the box)
  PL_SHAPE_REVOLVED,    ///< closed `outline` of (distance from axis, height) revolved around the Y
                        ///< axis
  PL_SHAPE_EXTRUDED,    ///< closed `outline` of (x, y), `size.z` thick along Z, edges rounded by
                        ///< `radius`
  PL_SHAPE_UNION,       ///< children joined; `smoothness` metres of fillet
  PL_SHAPE_DIFFERENCE,  ///< first child less all others; `smoothness` as above
  PL_SHAPE_INTERSECTION,  ///< intersection of all children; `smoothness` as above
  PL_SHAPE_BEND,   ///< its one child bent in the XY plane, `amount` radians per metre along X
  PL_SHAPE_TWIST,  ///< its one child twisted around Y, `amount` radians per metre along Y
} pl_shape_kind;

/// One node of a shape. Plain memory; start from pl_default_shape_node().
typedef struct pl_shape_node {
  pl_shape_kind kind;
  pl_transform placement;   ///< of the node and all its children; applied after `scale`
  double scale;             ///< uniform, > 0
  pl_vec3 size;             ///< metres, see the kind
  pl_vec3 from, to;         ///< metres, capsule ends
  double radius;            ///< metres
  double end_radius;        ///< metres, capsule only
  double smoothness;        ///< metres
  double amount;            ///< radians per metre, bend and twist
  const double *outline;    ///< 2 numbers per corner, closed by itself, either direction
  int32_t outline_count;    ///< corners
  const int32_t *children;  ///< node indices, each less than this node's own
  int32_t child_count;
} pl_shape_node;

/// A node of the given kind with identity placement, scale 1 and zero sizes.
PL_API pl_shape_node pl_default_shape_node(pl_shape_kind kind);

/// Signed distance of `point` to a shape, in metres: negative inside, and never larger in size than
/// the true distance. The last node is the root.
PL_API double pl_shape_distance(const pl_shape_node *nodes, int32_t node_count, pl_vec3 point);

/// Input of pl_shape_build_surface().
typedef struct pl_shape_def {
  double cell_size;  ///< edge length of the sampling grid in metres; 0: from target_triangle_count
  int32_t target_triangle_count;  ///< aim at this many triangles when cell_size is 0
  uint32_t magic;                 ///< set by pl_default_shape_def()
} pl_shape_def;

/// Aim at 8000 triangles.
PL_API pl_shape_def pl_default_shape_def(void);

/// Build the surface of a shape as a closed, manifold mesh with outward triangles. The last node is
/// the root. The caller owns the mesh. Fails with PL_ERROR_INVALID_DATA when a node is wrong (the
/// error names the field, such as `nodes[3].radius`) or when the shape is empty at this resolution.
PL_API pl_status pl_shape_build_surface(pl_context *context, const pl_shape_def *def,
                                        const pl_shape_node *nodes, int32_t node_count,
                                        pl_mesh **surface, pl_error *error);

/// A closed polygon in a plane.
typedef struct pl_plate_loop {
  const double *corners;  ///< 2 numbers each (x, y) in metres, closed by itself, either direction
  int32_t corner_count;   ///< three or more
} pl_plate_loop;

/// Input of pl_plate_build().
typedef struct pl_plate_def {
  pl_plate_loop outline;
  const pl_plate_loop *holes;  ///< inside the outline, apart from each other
  int32_t hole_count;
  double spacing;  ///< metres: about the length of a triangle's side
  uint32_t magic;  ///< set by pl_default_plate_def()
} pl_plate_def;

/// Properties of a plate mesh.
typedef struct pl_plate_report {
  double min_angle;  ///< of all triangles, radians
  double area;  ///< square metres; exact for straight outlines, approximate where curves became
                ///< straight pieces
  int32_t
      border_point_count;  ///< points on the outline and around holes; they are first in the mesh
} pl_plate_report;

/// Spacing 0.1, no outline.
PL_API pl_plate_def pl_default_plate_def(void);

/// Build a mesh of well-shaped triangles in the plane z = 0, counter-clockwise seen from +z, that
/// fills an outline except its holes. Corners of the polygons become points of the mesh; the lines
/// between them are divided into pieces of about the spacing, shorter where the figure is narrow.
/// Points are ordered: outline, counter-clockwise from its first corner; holes, clockwise;
/// interior. The caller owns the mesh; `report` may be NULL. Fails with PL_ERROR_INVALID_DATA,
/// naming the field (`holes[1]`), when a polygon has fewer than three corners or crosses itself or
/// another, when a hole is outside the outline, or when the spacing is so wide that triangles with
/// angles below 12 degrees would remain.
PL_API pl_status pl_plate_build(pl_context *context, const pl_plate_def *def, pl_mesh **mesh,
                                pl_plate_report *report, pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
