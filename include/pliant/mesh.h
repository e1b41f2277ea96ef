/// @file mesh.h
/// Meshes: points connected by segments, triangles or tetrahedra. Bodies are built from them. A
/// mesh is immutable once created.
#ifndef PLIANT_MESH_H
#define PLIANT_MESH_H

#include "pliant/base.h"
#include "pliant/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A named weight per point in [0, 1], such as a vertex group.
typedef struct pl_mesh_group {
  const char *name;
  const float *weights;  ///< one per point
} pl_mesh_group;

/// A named second set of positions for the same points, such as a shape key.
typedef struct pl_mesh_pose {
  const char *name;
  const pl_vec3 *points;  ///< one per point, absolute positions
} pl_mesh_pose;

/// Borrowed arrays of a mesh. A count of zero goes with a NULL pointer. Used both to create a mesh
/// and to read one.
typedef struct pl_mesh_view {
  int32_t point_count;
  const pl_vec3 *points;
  int32_t segment_count;
  const int32_t *segments;  ///< 2 point indices each
  int32_t triangle_count;
  const int32_t *triangles;  ///< 3 point indices each, counter-clockwise seen from outside
  int32_t tet_count;
  const int32_t *tets;      ///< 4 point indices each, positive volume: (b-a) x (c-a) . (d-a) > 0
  const int32_t *tet_tags;  ///< material tag per tet, or NULL
  /// Of quadratic tets: 6 point indices each, the nodes on the edges 0-1, 1-2, 2-0, 0-3, 1-3 and
  /// 2-3 of its corners, in the middle or not (curved edges). NULL for linear tets.
  const int32_t *tet_mids;
  int32_t group_count;
  const pl_mesh_group *groups;
  int32_t pose_count;
  const pl_mesh_pose *poses;
  /// Vertex order of the file the mesh came from, where points were welded: point of each source
  /// vertex. NULL when the points are the source vertices themselves. Results for `source_count`
  /// vertices come back in this order.
  int32_t source_count;
  const int32_t *point_of_source;
} pl_mesh_view;

/// A mesh that owns its arrays.
typedef struct pl_mesh pl_mesh;

/// Create a mesh as a copy of `view`. The caller owns it. Fails with PL_ERROR_INVALID_DATA, naming
/// the element, when an index is out of range or a coordinate is not finite. Geometry is not
/// checked here: see pl_mesh_check().
PL_API pl_status pl_mesh_create(pl_context *context, const pl_mesh_view *view, pl_mesh **mesh,
                                pl_error *error);

/// Destroy a mesh. Models built from it do not need it. NULL is allowed.
PL_API void pl_mesh_destroy(pl_mesh *mesh);

/// The arrays of a mesh; valid as long as the mesh. Never fails; may be called from several threads
/// at once.
PL_API pl_mesh_view pl_mesh_get_view(const pl_mesh *mesh);

/// Index of the pose called `name`, -1 if there is none.
PL_API int32_t pl_mesh_find_pose(const pl_mesh *mesh, const char *name);

/// Index of the group called `name`, -1 if there is none.
PL_API int32_t pl_mesh_find_group(const pl_mesh *mesh, const char *name);

/// The smallest box that contains `point_count` points; empty for no points.
PL_API pl_box pl_box_from_points(const pl_vec3 *points, int32_t point_count);

/// Compute the vertex normals of triangles, weighted by corner angle and of unit length (zero where
/// no triangle has area). Points and triangles are as in pl_mesh_view; `normals` receives one
/// vector per point.
PL_API void pl_normals_compute(const pl_vec3 *points, int32_t point_count, const int32_t *triangles,
                               int32_t triangle_count, pl_vec3 *normals);

/// Boundary of a tet mesh as a surface mesh: triangles oriented outwards, points in the order they
/// have in `mesh`, interior points left out; four triangles for every face of a quadratic tet. The
/// caller owns the surface. `point_of_surface` holds point_count entries of `mesh` and receives the
/// mesh point of each surface point; NULL: not wanted. Fails with PL_ERROR_INVALID_DATA for a mesh
/// without tets, and when out of memory.
PL_API pl_status pl_mesh_build_boundary(pl_context *context, const pl_mesh *mesh, pl_mesh **surface,
                                        int32_t *point_of_surface, pl_error *error);

/// Make quadratic tets of linear ones: a point in the middle of every edge, shared by its tets,
/// after the points that are there, which keep their numbers. A middle has the mean place in every
/// pose and the lower weight of its ends in every group. A mesh that has `tet_mids` is copied. The
/// caller owns the new mesh. Fails with PL_ERROR_INVALID_DATA for a mesh without tets, and when out
/// of memory. May be called from several threads at once.
PL_API pl_status pl_mesh_build_quadratic(pl_context *context, const pl_mesh *mesh,
                                         pl_mesh **quadratic, pl_error *error);

/// Make linear tets of quadratic ones: without `tet_mids` and the points that were nothing else;
/// the others keep their order. A mesh without `tet_mids` is copied. The caller owns the new mesh.
/// Fails when out of memory. May be called from several threads at once.
PL_API pl_status pl_mesh_build_linear(pl_context *context, const pl_mesh *mesh, pl_mesh **linear,
                                      pl_error *error);

/// Cut every quadratic tet into eight linear ones on the same points; a mesh without `tet_mids` is
/// copied. The caller owns the new mesh. Fails when out of memory. May be called from several
/// threads at once.
PL_API pl_status pl_mesh_build_split(pl_context *context, const pl_mesh *mesh, pl_mesh **split,
                                     pl_error *error);

/// Create a regular box of tets around the origin: `cells` per axis, edge lengths `size` in metres,
/// points in x-fastest order, five or six tets per cell, mirrored so that the box has no preferred
/// direction where possible. The caller owns the mesh. Fails with PL_ERROR_INVALID_ARGUMENT for
/// sizes or counts that are not positive.
PL_API pl_status pl_mesh_create_box(pl_context *context, pl_vec3 size, const int32_t cells[3],
                                    pl_mesh **mesh, pl_error *error);

/// Numbers of the problems that pl_mesh_check() found.
typedef struct pl_mesh_check_report {
  int32_t inverted_tet_count;  ///< negative volume
  int32_t degenerate_count;  ///< tets or triangles of (almost) no volume or area, repeated corners
  int32_t open_edge_count;   ///< surface edges with one triangle
  int32_t non_manifold_edge_count;  ///< surface edges with more than two triangles
  int32_t flipped_edge_count;       ///< edges whose two triangles have opposite orientations
  int32_t duplicate_count;          ///< elements with the same corners, points at the same position
  int32_t isolated_point_count;     ///< points of no element
  int32_t component_count;          ///< connected pieces
} pl_mesh_check_report;

/// Check whether a mesh can be simulated. Each kind of problem is reported for its first few
/// elements, each finding with index, position and "you see / why / fix". Returns
/// PL_REMARK_FINDINGS if a finding is a warning or an error. Fails only when out of memory.
PL_API pl_status pl_mesh_check(pl_context *context, const pl_mesh *mesh, pl_findings *findings,
                               pl_mesh_check_report *report, pl_error *error);

/// Input of pl_lattice_build(). Give either a cell size or a target count.
typedef struct pl_lattice_def {
  // parameters of src/mesh/mesh_parameters.c by `make generate`: begin
  /// Points of the tets to aim at (met within 20 %); used when `cell_size` is 0.
  int32_t target_point_count;  ///< 8 … 2e6, default 2000
  /// Edge of a lattice cell, instead of the number of points; 0: from the number of points.
  double cell_size;  ///< m, 0 … 1e9, default 0
  /// A cell belongs to the tets when the surface comes this close to it, as a fraction of the cell;
  /// 0 is exact.
  double margin;  ///< 0 … 10, default 0
  // parameters: end

  uint32_t magic;  ///< set by pl_default_lattice_def()
} pl_lattice_def;

/// What pl_lattice_build() made.
typedef struct pl_lattice_report {
  double cell_size;          ///< the one used
  double enclosed_fraction;  ///< fraction of surface points inside the tets; 1 for a cage that
                             ///< encloses the surface
  double volume;             ///< of the tets, cubic metres
  double min_quality;        ///< smallest tet quality, 1 for a regular tet, 0 for a flat one
  int32_t hole_edge_count;   ///< open edges of the input; inside and outside are then a matter of
                             ///< winding number
} pl_lattice_report;

/// Every parameter at its default.
PL_API pl_lattice_def pl_default_lattice_def(void);

/// Build a lattice of tets around a closed or slightly leaky surface. Inside and outside are
/// decided by the generalized winding number; every cell that the surface touches is kept, so the
/// tets enclose the surface. No tet is inverted. The caller owns the tets; `report` may be NULL.
/// Fails with PL_ERROR_INVALID_DATA when the surface has no triangles or encloses nothing at this
/// cell size.
PL_API pl_status pl_lattice_build(pl_context *context, const pl_lattice_def *def,
                                  const pl_mesh *surface, pl_mesh **tets, pl_lattice_report *report,
                                  pl_error *error);

/// Positions of points relative to a coarser mesh: up to four mesh points and weights per point.
/// Immutable.
typedef struct pl_embedding pl_embedding;

/// Borrowed arrays of an embedding.
typedef struct pl_embedding_view {
  int32_t point_count;
  const int32_t *parents;  ///< 4 mesh points each
  const float *weights;    ///< 4 each, sum 1; negative ones only for points outside the tets
} pl_embedding_view;

/// What pl_embedding_build() found.
typedef struct pl_embedding_report {
  int32_t outside_count;   ///< points in no tet, tied to the nearest one
  double max_distance;     ///< farthest such point from its tet, metres
  int32_t farthest_point;  ///< its index, -1 if none
} pl_embedding_report;

/// Points to embed. Borrowed for the call.
typedef struct pl_embedding_input {
  const pl_vec3 *points;  ///< metres
  int32_t point_count;
  double tolerance;  ///< metres: largest allowed distance of a point from the mesh; INFINITY: any
} pl_embedding_input;

/// Embed points in the tets of `mesh`, in its triangles where it has no tets, or in its segments
/// where it has neither. A point in no tet is tied to the nearest one with extrapolating weights.
/// The caller owns the embedding; the mesh is not needed afterwards. `report` may be NULL. Fails
/// with PL_ERROR_INVALID_DATA, naming the point, when a point is farther away than the tolerance or
/// not finite, or when the mesh has no elements.
PL_API pl_status pl_embedding_build(pl_context *context, const pl_mesh *mesh,
                                    const pl_embedding_input *input, pl_embedding **embedding,
                                    pl_embedding_report *report, pl_error *error);

/// Destroy an embedding. NULL is allowed.
PL_API void pl_embedding_destroy(pl_embedding *embedding);

/// The arrays of an embedding; valid as long as the embedding.
PL_API pl_embedding_view pl_embedding_get_view(const pl_embedding *embedding);

/// Compute the positions of the embedded points from positions of the mesh points. `points`
/// receives point_count of the embedding.
PL_API void pl_embedding_apply(const pl_embedding *embedding, const pl_vec3 *mesh_points,
                               pl_vec3 *points);

/// Where pl_mesh_cut() cuts: along a plane, or along the surface that the edge of a blade sweeps.
typedef struct pl_cut_def {
  // parameters of src/mesh/mesh_parameters.c by `make generate`: begin
  /// Some point of the plane, in the mesh's frame.
  pl_vec3 plane_point;  ///< m, default (0, 0, 0)
  /// Of the plane, any length.
  pl_vec3 plane_normal;  ///< default (1, 0, 0)
  /// Where the cut would pass an edge closer to one end than this fraction of its length, it passes
  /// through that end.
  double snap;  ///< 0 … 0.4, default 0.1
  // parameters: end

  /// Places of the blade in the order it passes them, at least 2, or 0 for a plane. Between two
  /// places it sweeps two triangles. Tets are cut where the swept surface passes through them
  /// whole; where it ends inside a tet the cut ends before that tet.
  int32_t blade_count;
  const pl_vec3 *blade_hilts;  ///< one end of the edge at each place, metres
  const pl_vec3 *blade_tips;   ///< the other end
  uint32_t magic;              ///< set by pl_default_cut_def()
} pl_cut_def;

/// What pl_mesh_cut() did.
typedef struct pl_cut_report {
  int32_t split_tet_count;     ///< tets that were split
  int32_t new_point_count;     ///< points on edges that were split
  int32_t copied_point_count;  ///< points that are now there twice or more, once for each side
  int32_t component_count;     ///< connected pieces of the result
  double cut_area;             ///< of the surface that opened, counted once, m²
  double min_volume_ratio;  ///< smallest volume of a new tet relative to the tet it was part of; 1
                            ///< where nothing was split
} pl_cut_report;

/// A mesh that was cut. The caller owns mesh and embedding.
typedef struct pl_cut_result {
  pl_mesh *mesh;
  pl_embedding *embedding;  ///< where each point of `mesh` is in the mesh before the cut
  pl_cut_report report;
} pl_cut_result;

/// Every parameter at its default: the plane x = 0.
PL_API pl_cut_def pl_default_cut_def(void);

/// Cut a tet mesh. Tets on the cut are split and points on it are duplicated, so that the two sides
/// are no longer connected and the boundary (pl_mesh_build_boundary()) is closed along the cut.
/// Points do not move: the volume is kept, and no tet changes its orientation. The result has the
/// points of `mesh` first, in their order, then those on split edges, then the duplicates. Tags,
/// groups, poses and the source order are kept; triangles and segments are not. The embedding
/// carries states over to the new mesh: pl_embedding_apply(). Where nothing was cut the result is a
/// copy. Fails with PL_ERROR_INVALID_ARGUMENT for a plane without a normal, a blade that sweeps no
/// area or numbers out of range, PL_ERROR_INVALID_DATA for a mesh without tets; `result` is then
/// zero.
PL_API pl_status pl_mesh_cut(pl_context *context, const pl_cut_def *def, const pl_mesh *mesh,
                             pl_cut_result *result, pl_error *error);

/// Cut a surface where the tets that carry it are cut. Triangles whose corners follow different
/// sides of a cut are split, and each side gets a wall, so that the surface of a body that was cut
/// through is closed. Points of `surface` come first, in their order; groups and poses are kept.
/// Where nothing was cut the result is a copy. `*bridging_count` is the number of triangles of
/// `surface` that a cut passes through; with `cut` NULL they are only counted. The caller owns
/// `*cut`. Fails with PL_ERROR_INVALID_DATA for `tets` without tets or a `surface` without
/// triangles, and when out of memory; `*cut` is then NULL.
PL_API pl_status pl_mesh_cut_surface(pl_context *context, const pl_mesh *tets,
                                     const pl_mesh *surface, pl_mesh **cut, int32_t *bridging_count,
                                     pl_error *error);

/// A bounding-volume hierarchy over triangles for nearest-point, ray and inside queries. Immutable;
/// may be queried from several threads at once.
typedef struct pl_triangle_tree pl_triangle_tree;

/// Result of a query.
typedef struct pl_hit {
  int32_t triangle;       ///< index, -1 for no answer
  double distance;        ///< metres, along the ray or to the nearest point; never negative
  pl_vec3 point;          ///< on the triangle
  double barycentric[3];  ///< of `point` in the triangle
} pl_hit;

/// Build a hierarchy over the triangles of `mesh`, which are copied. The caller owns it. Fails only
/// when out of memory.
PL_API pl_status pl_triangle_tree_build(pl_context *context, const pl_mesh *mesh,
                                        pl_triangle_tree **tree, pl_error *error);

/// Destroy a hierarchy. NULL is allowed.
PL_API void pl_triangle_tree_destroy(pl_triangle_tree *tree);

/// Nearest point on the triangles within `limit` metres (INFINITY: any distance). Among equal
/// distances the lowest triangle index wins.
PL_API pl_hit pl_triangle_tree_nearest(const pl_triangle_tree *tree, pl_vec3 point, double limit);

/// First triangle hit by the ray from `origin` along `direction` within `limit` metres. The
/// direction may have any length; distances are in metres.
PL_API pl_hit pl_triangle_tree_ray(const pl_triangle_tree *tree, pl_vec3 origin, pl_vec3 direction,
                                   double limit);

/// Generalized winding number of the triangles around `point`: 1 inside a closed surface, 0
/// outside, values between near holes.
PL_API double pl_triangle_tree_winding(const pl_triangle_tree *tree, pl_vec3 point);

#ifdef __cplusplus
}
#endif
#endif
