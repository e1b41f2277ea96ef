// Internals of a triangle tree, and the signed distance that contact asks for.
#ifndef PL_MESH_TRIANGLE_TREE_H
#define PL_MESH_TRIANGLE_TREE_H

#include "base/arena.h"
#include "mesh/box_tree.h"
#include "pliant/mesh.h"

// The triangles of a node as seen from far away (Barill et al. 2018, order 2); see
// triangle_winding.c for the formula.
typedef struct pl_dipole {
  pl_vec3 center;       // area-weighted mean of the triangles
  double radius;        // of a ball around `center` that holds them all
  pl_vec3 normal;       // sum of area x unit normal
  double trace;         // of the first moment
  double quadratic[6];  // first moment as a form: xx yy zz xy xz yz
  pl_vec3 linear;       // what the second moment adds along d
  double cubic[10];     // second moment as a form: xxx yyy zzz xxy xxz xyy yyz xzz yzz xyz
} pl_dipole;

struct pl_triangle_tree {
  pl_arena arena;
  pl_box_tree boxes;
  int32_t triangle_count, point_count;
  pl_vec3 *corners;    // 3 per triangle, in the order of the leaves
  pl_dipole *dipoles;  // one per node
  int32_t *triangles;  // 3 points per triangle, as in the mesh
  // angle-weighted, one per point; points at the same position have the same
  pl_vec3 *point_normals;
  pl_vec3 *edge_normals;  // 3 per triangle, of the edge opposite to each corner: unit sum of the
                          // triangles that share it
  pl_vec3 *face_normals;  // unit, zero for triangles without area
  int32_t *welded;        // `triangles` after points at the same position were made one
  int32_t *side_order;    // sides (3 t + opposite corner), those of one edge next to each other
  void *moments;          // workspace of pl_triangle_tree_fill_dipoles(); NULL: it takes its own
};

// Fill `dipoles` of a tree whose boxes and corners are there. False when out of memory.
bool pl_triangle_tree_fill_dipoles(pl_triangle_tree *tree);

// Fill the normals. False when out of memory.
bool pl_triangle_tree_fill_normals(pl_triangle_tree *tree, const pl_vec3 *points);

// Memory for pl_triangle_tree_refit(). False when out of memory.
bool pl_triangle_tree_reserve_refit(pl_triangle_tree *tree);

// Move the points of a tree that reserved it: boxes, normals and dipoles are computed again, the
// hierarchy stays. Points that were at the same position stay one. Allocates nothing. A tree that
// has been bent out of shape answers as exactly as a new one, but slower.
void pl_triangle_tree_refit(pl_triangle_tree *tree, const pl_vec3 *points);

// Distance of `point` to the triangles, negative inside a closed surface; INFINITY when none is
// within `limit` metres. `nearest` receives the nearest point; `normal` the unit direction in which
// the distance grows fastest (at the surface itself: its pseudo-normal). Either may be NULL. The
// sign comes from angle-weighted pseudo-normals, so it is right at edges and corners of any closed
// surface, points that a file repeats at seams included; near the rim of an open surface it tells
// which side of the rim's triangles the point is on.
double pl_triangle_tree_signed_distance(const pl_triangle_tree *tree, pl_vec3 point, double limit,
                                        pl_vec3 *nearest, pl_vec3 *normal);

// The same for a point whose nearest triangle is known. `normal` may be NULL.
double pl_triangle_tree_sign_hit(const pl_triangle_tree *tree, const pl_hit *hit, pl_vec3 point,
                                 pl_vec3 *normal);

#endif
