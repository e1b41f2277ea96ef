// Fitting the points of a tet mesh to poses of a surface that sits in it: data that all poses
// share, and the steps of one fit.
//
//   E(x) = sum_t k_t V_t |F_t(x) - R_t|^2 + sum_s w_s a_s |P_s x - y_s|^2
//
// t  tets, V their rest volume, F = sum_i x_i g_i^T the deformation gradient (g: gradients of the
// corner weights), R a rotation each s  surface points, a their fraction of the surface's area, P x
// their position in the tets (embedding), y where they should be w  fraction * weight / edge, with
// the mean edge length of the tets, so that `weight` is without unit; the fraction is 1 except
// where the
//    surface had to be softened
// k  stiffness, 1 but where a tet had to be kept from turning over
//
// For fixed x the best R is the rotation nearest to F (local step); for fixed R the best x solves
// one linear system (L + S) x = b, whose matrix does not depend on the pose (global step). Neither
// raises E. Sorkine and Alexa 2007; with a matrix for each element Liu et al. 2008; for tets Chao
// et al. 2010.
#ifndef PL_MESH_POSE_FITTER_H
#define PL_MESH_POSE_FITTER_H

#include "mesh/topology.h"
#include "pliant/math.h"
#include "pliant/pose.h"
#include "sparse/sparse_conjugate.h"

typedef struct pl_pose_fitter {
  pl_arena arena;
  pl_context *context;
  int32_t point_count, tet_count, surface_count;
  const int32_t *tets;     // the mesh's
  const pl_vec3 *surface;  // rest points of the surface, as given
  double edge;             // mean edge length, metres

  // The rest, once for all poses. Positions are relative to `center`, the middle of the surface.
  pl_vec3 center;
  pl_vec3 *rest;             // positions of the points
  pl_vec3 *gradients;        // 4 per tet
  double *volumes;           // per tet
  int32_t *parents;          // 4 points per surface point
  double *weights;           // 4 per surface point
  double *areas;             // per surface point, square metres
  pl_rows tet_corners;       // per point: 4 * tet + corner
  pl_rows surface_corners;   // per point: 4 * surface point + corner
  pl_sparse matrix;          // L + S
  double *elastic_values;    // L
  const int32_t *triangles;  // the surface's
  int32_t triangle_count;

  // One fit.
  pl_vec3 *points;   // x, relative to the middle of the pose
  pl_vec3 *before;   // x before the last solve
  pl_vec3 *kept;     // x of the best fit so far
  pl_vec3 *targets;  // y, relative to `posed_center`
  pl_vec3 posed_center;
  pl_vec3 *rhs;          // b
  pl_quat *rotations;    // R per tet
  double *determinants;  // det F per tet
  double *sums;          // per block of tets
  double weight;         // without unit
  double *stiffness;     // k per tet
  double *fractions;     // of the weight, per surface point
  double *pulls;         // w a per surface point
  pl_quat turn;          // rotation of the whole that fits best
  unsigned char *marks;  // per point: near a tet that needs relaxing
  pl_conjugate_work work;
} pl_pose_fitter;

// Prepare fits of poses of `surface` in `tets`, both of which must outlive the fitter. To be given
// to pl_pose_fitter_destroy() also when this fails.
pl_status pl_pose_fitter_build(pl_context *context, const pl_pose_def *def, const pl_mesh *tets,
                               const pl_mesh *surface, pl_pose_fitter *fitter, pl_error *error);
void pl_pose_fitter_destroy(pl_pose_fitter *fitter);

// Begin with a pose: targets, all fractions 1, and x the rest moved and turned as a whole to fit
// best.
void pl_pose_fitter_begin(pl_pose_fitter *fitter, const pl_vec3 *posed);

// Make all fractions and stiffness factors 1.
void pl_pose_fitter_unrelax(pl_pose_fitter *fitter);

// Go back to the rest moved and turned as a whole.
void pl_pose_fitter_reset(pl_pose_fitter *fitter);

// Set the weight and take over the fractions, which changes matrix and energy.
void pl_pose_fitter_set_weight(pl_pose_fitter *fitter, double weight);

// Replace x by the turned rest plus the harmonic extension of what the surface still lacks.
void pl_pose_fitter_start(pl_pose_fitter *fitter);

// Local step: rotations and determinants for the current x.
void pl_pose_fitter_rotate(pl_pose_fitter *fitter);

// Global step: new x for the current rotations. Returns the largest move of a point, metres.
double pl_pose_fitter_solve(pl_pose_fitter *fitter);

// E for the current x and rotations.
double pl_pose_fitter_energy(pl_pose_fitter *fitter);

// Tets with det F <= least, by the last local step.
int32_t pl_pose_fitter_count(const pl_pose_fitter *fitter, double min);

// A fit under way.
typedef struct pl_pose_trial {
  pl_pose_fitter *fitter;
  int32_t iteration_count;
  bool converged;  // the last iteration hardly moved a point
} pl_pose_trial;

// Iterate at one weight from where the points are, up to a local step.
void pl_pose_trial_iterate(pl_pose_trial *trial, double weight, int32_t max_iterations);

// Change a fit so that no tet is inverted.
void pl_pose_trial_make_sound(pl_pose_trial *trial, int32_t max_iterations);

// Where surface point `s` is for the current x, relative to the middle of the pose.
pl_vec3 pl_pose_fitter_place(const pl_pose_fitter *fitter, int32_t s);

// The whole fit of one pose: start, iterate, lower the weight where needed. `name` is for messages.
// Results as in pl_pose_fit().
pl_status pl_pose_fitter_fit(pl_pose_fitter *fitter, const pl_pose_def *def, const char *name,
                             const pl_vec3 *posed, pl_vec3 *points, pl_pose_report *report,
                             pl_error *error);

#endif
