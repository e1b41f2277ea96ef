// Harmonic coordinates: points as fixed means of the vertices of a cage around them, so that few
// vertices bend a whole body. Also the cages themselves, made from a coarse lattice.
//
// A cage is a mesh: closed triangles in space, or, for bodies in a plane z = constant, closed
// polygons of segments. Weight k of a point is the value there of the function that is harmonic
// inside the cage and on the cage linear between its vertices, 1 at vertex k and 0 at the others
// (Joshi and others 2007; the cages of Coros and others 2012, section 4).
#ifndef PL_MESH_HARMONIC_WEIGHTS_H
#define PL_MESH_HARMONIC_WEIGHTS_H

#include "pliant/mesh.h"

typedef struct pl_harmonic_weights pl_harmonic_weights;

// Borrowed arrays: the weights of point i are values[start[i] .. start[i + 1]), of the cage
// vertices `columns`, rising. All are positive, the sum of each point is 1, and the mean of the
// cage's vertices is the point.
typedef struct pl_harmonic_view {
  int32_t point_count, cage_point_count, value_count;
  const int32_t *start, *columns;
  const double *values;
} pl_harmonic_view;

typedef struct pl_harmonic_report {
  int32_t node_count;       // unknowns of each solve
  int32_t max_iterations;   // of any solve
  double worst_residual;    // of any solve, against its right-hand side
  double max_linear_error;  // of any point against the mean of the cage's vertices, as a fraction
                            // of the cage's diagonal
} pl_harmonic_report;

// Weights of `points` in `cage`. The equation is solved on a grid of about `node_count` nodes in
// the box of the cage (0: 20000 in space, 10000 in a plane). Fails with PL_ERROR_INVALID_DATA when
// the cage is open or encloses nothing, or, naming the point, when it does not enclose a point;
// PL_REMARK_NOT_CONVERGED comes with weights that are less exact. The cage is not needed any more
// afterwards.
pl_status pl_harmonic_build(pl_context *context, const pl_mesh *cage, const pl_vec3 *points,
                            int32_t point_count, int32_t node_count, pl_harmonic_weights **weights,
                            pl_harmonic_report *report, pl_error *error);

// NULL is allowed.
void pl_harmonic_destroy(pl_harmonic_weights *weights);

pl_harmonic_view pl_harmonic_get_view(const pl_harmonic_weights *weights);

// Positions of the points for the given positions of the cage's vertices.
void pl_harmonic_apply(const pl_harmonic_weights *weights, const pl_vec3 *cage_points,
                       pl_vec3 *points);

// A cage that encloses `body` with a tenth of a cell to spare. For closed triangles (or tets) in
// space: the boundary of a lattice of about `target_point_count` points. For triangles in a plane z
// = constant: the outline of the squares that they touch, with about this number of points,
// counter-clockwise (clockwise around holes). Fails with PL_ERROR_INVALID_DATA when the body has no
// extent.
pl_status pl_cage_build(pl_context *context, const pl_mesh *body, int32_t target_point_count,
                        pl_mesh **cage, pl_error *error);

#endif
