// Bodies of which the truth is known, and what capture would see of them: for the benchmark of
// estimation.
#ifndef BENCH_CAPTURE_FIXTURE_H
#define BENCH_CAPTURE_FIXTURE_H

#include "bench_suite.h"

enum { CAPTURE_SEQUENCES = 3 };

// A body with its straight or modelled rest shape, what it is made of, and its static shape in
// gravity.
typedef struct capture_body {
  pl_context *context;
  pl_mesh *rest, *statics;  // meshes of the same tets: without gravity, and in it
  pl_model *model;          // of the rest shape
  pl_field *field;          // NULL: uniform
  int32_t *pinned, pinned_count, point_count, tet_count;
  double density, poisson, size;
  double
      values[16];  // Young's moduli by control point, Poisson's ratio, mass and stiffness damping
  int32_t control_count;
  pl_vec3 gravity;
  pl_vec3 *positions[CAPTURE_SEQUENCES];  // tracked: frame_count times the points
  int32_t frame_count;
  double frame_seconds;
} capture_body;

// What a body is to be.
typedef struct capture_body_def {
  pl_mesh *mesh;  // rest shape; the body takes it over
  int32_t control_count;
  const pl_vec3 *control_points;  // blended by harmonic functions; NULL: evenly along its axis,
                                  // blended linearly
  const double *young;            // Pa, control_count
  double density, mass_damping, stiffness_damping;
  pl_vec3 gravity;
  bool (*is_held)(pl_vec3 point, pl_box box);
} capture_body_def;

// A bar of 20 x 5 x 5 cells of six tets times `fineness`: 756 points and 3,000 tets for 1; 2 x 0.5
// x 0.5 m.
pl_status capture_bar_mesh(pl_context *context, int32_t fineness, pl_mesh **mesh, pl_error *error);
// The same bar of 4 n x n x n cells: every point of n is one of 2 n.
pl_status capture_beam_mesh(pl_context *context, int32_t across, pl_mesh **mesh, pl_error *error);
// A taro leaf on its stalk, and a holder for pots with a handle, of about `point_count` points.
pl_status capture_plant_mesh(pl_context *context, int32_t point_count, pl_mesh **mesh,
                             pl_error *error);
pl_status capture_holder_mesh(pl_context *context, int32_t point_count, pl_mesh **mesh,
                              pl_error *error);
// A clothes hanger in the plane of x and y, its hook at the top.
pl_status capture_hanger_mesh(pl_context *context, int32_t point_count, pl_mesh **mesh,
                              pl_error *error);

// Build the model and find the static shape.
pl_status capture_body_open(pl_context *context, const capture_body_def *def, capture_body *body,
                            pl_error *error);
void capture_body_close(capture_body *body);

// What can be seen of a finer body at the points of a coarser mesh of its rest shape, which the
// body takes over: static shape and motions, without model, field or true values.
pl_status capture_body_sample(const capture_body *fine, pl_mesh *mesh,
                              bool (*is_held)(pl_vec3 point, pl_box box), capture_body *body,
                              pl_error *error);

// Loads on the points at the far end along x that twist (0), bend (1) or stretch (2) it; `size` 1
// is about a tenth of its length.
void capture_load(const capture_body *body, int kind, double size, pl_vec3 *forces);

// Equilibrium of the true body under forces besides gravity, from its static shape.
pl_status capture_settle(const capture_body *body, const pl_vec3 *forces, pl_vec3 *positions,
                         pl_error *error);

// Weight of each point in the static shape, N: density times a quarter of the volume of its tets.
// To be freed.
pl_vec3 *capture_weights(const capture_body *body);

// Fit def of the body's tracked motions, with wrong values to start from.
pl_fit_def capture_fit_def(const capture_body *body, const pl_field *field);

// Release from equilibrium under forces: body->frame_count frames of body->frame_seconds, `steps`
// steps each.
pl_status capture_let_go(const capture_body *body, const pl_vec3 *forces, int32_t steps,
                         pl_vec3 *positions, pl_error *error);

// Release from equilibria under the three loads, `steps` steps a frame.
pl_status capture_record(capture_body *body, int32_t frame_count, int32_t steps, double load,
                         pl_error *error);

// Normal and independent errors with standard deviation `noise` in every coordinate of all recorded
// motions but for their first frame.
void capture_add_noise(capture_body *body, double noise);

// Parts of the suite in files of their own, *remarks is set where something failed: table 3; what
// coarse tets and long steps do to a fit.
void bench_capture_loads(bench_session *bench, pl_context *context, bool *remarks);
void bench_capture_bias(bench_session *bench, pl_context *context, bool *remarks);

// Mean distance of two sets of points as a share of the body's size.
double capture_distance(const capture_body *body, const pl_vec3 *a, const pl_vec3 *b);

#endif
