// The parts of a tracker: what its files share. The head of track.c describes the method.
//
// s_k   surface points, each tied to four points of the mesh         c_n   measured points
// σ     width across the surface, m                                  τ     width along it: σ, or
// the spacing of the s_k where that is larger
#ifndef PL_CAPTURE_TRACK_PARTS_H
#define PL_CAPTURE_TRACK_PARTS_H

#include "base/scratch.h"
#include "capture/depth_buffer.h"
#include "fem/fem_system.h"
#include "pliant/track.h"

enum {
  PL_TRACK_MAX_MATCHES = 12,  // surface points that share a measured one
  PL_TRACK_MAX_SEEDS = 256,   // parts between which distances along the body are known
};

// Surface points in an order of which every beginning covers the surface evenly, and how far apart
// they are along the body.
typedef struct pl_track_samples {
  int32_t count;
  int32_t *order;          // surface points
  const double *areas;     // m² of each surface point
  double area;             // of all
  int32_t seed_count;      // parts of the body
  int32_t *seed_of_point;  // part of each surface point
  double *distances;   // seed_count²: metres between parts along the edges of the mesh; HUGE_VAL
                       // between pieces
  double seed_radius;  // metres: no surface point is farther from the middle of its part
} pl_track_samples;

// One width of the search.
typedef struct pl_track_level {
  double sigma;
  int32_t sample_count;  // surface points in use: the first of the order
  int32_t point_count;   // measured points in use: the first of the cloud
  double spacing;        // metres between those surface points
  double stiffness;      // N/m per m² of surface that pulls them to what was measured
} pl_track_level;

// What a measured point belongs to.
typedef struct pl_track_match {
  int32_t count;
  int32_t samples[PL_TRACK_MAX_MATCHES];          // surface points
  double responsibilities[PL_TRACK_MAX_MATCHES];  // responsibilities, with that of the outliers
                                                  // they sum to 1
} pl_track_match;

// A cloud as the tracker uses it.
typedef struct pl_track_cloud {
  int32_t count;
  pl_vec3 *points;
  int32_t *cameras;  // -1: not known
} pl_track_cloud;

// What expectation leaves for maximisation, per surface point, and sums over all measured points.
typedef struct pl_track_pull {
  double *weights;   // sum of shares
  pl_vec3 *targets;  // mean of the measured points by their shares
  double explained;  // sum of all shares
  double square;     // sum of shares times squared distance along the normal
} pl_track_pull;

// Bounds of the estimated fraction of outliers. They are never ruled out, and never nearly all of a
// frame: an estimate outside of these would feed itself.
#define PL_TRACK_OUTLIERS_MIN 0.02
#define PL_TRACK_OUTLIERS_MAX 0.7

// Width along the surface, in spacings of its samples, below which matches would jump from one
// sample to the next.
#define PL_TRACK_SPACING 0.8

// One try at a frame.
typedef struct pl_track_try {
  pl_track_report report;
  double width, outlier_fraction;
} pl_track_try;

struct pl_tracker {
  pl_arena arena;  // holds everything, this struct too
  pl_context *context;
  const pl_fem_model *model;
  pl_track_def def;
  double size;       // of the body, m
  double thickness;  // m, of a shell, which cameras see from both sides; 0: tets
  pl_track_samples samples;
  // Cameras.
  int32_t camera_count;
  pl_depth_view *views;  // for visibility, smaller than the pictures
  double **depths;
  pl_vec3 **seen;
  // The body.
  pl_fem_system system;
  pl_block_matrix matrix;
  pl_linear_solver *solver;
  uint8_t *fixed;
  double *x, *before;                      // 3 per point of the mesh: now, and in the frame before
  double *predicted, *last, *best, *keep;  // where it is expected, and places to come back to
  double *load;   // N, 3 per point: gravity, or what holds the body where it is foreseen
  bool foreseen;  // `predicted` and `load` are of pl_tracker_set_prediction()
  double *gradient, *step, *trial, *rhs;
  double *contrast;  // room for one number per point of the mesh
  // The surface.
  pl_vec3 *surface, *normals;
  uint64_t *sight;  // bit c: camera c sees it
  uint8_t *visible;
  pl_track_pull pull;
  double *data_weights;  // N/m per surface point
  double data_ratio;     // stiffness along the surface against that across it
  // The cloud and its matches.
  pl_scratch scratch;
  pl_track_cloud cloud;
  pl_track_match *matches;
  // The motion.
  int32_t frame_count;
  double time, time_before;
  double width, outlier_fraction, prediction_error;
  double usual_fraction, usual_seen, usual_residual;
  pl_vec3 *points;                   // x as vectors, for the view
  double *supports, *kept_supports;  // of the points, and of another try
};

// track_samples.c. False when out of memory.
bool pl_track_samples_build(pl_tracker *tracker);
// Metres between the parts of two surface points.
static inline double pl_track_distance(const pl_track_samples *samples, int32_t a, int32_t b) {
  return samples->distances[(ptrdiff_t)samples->seed_of_point[a] * samples->seed_count +
                            samples->seed_of_point[b]];
}

// track_visible.c: surface, normals and what cameras see of it, for x.
void pl_track_place_surface(pl_tracker *tracker, const double *x);
void pl_track_find_visible(pl_tracker *tracker);

// track_foresee.c: the load of a frame without a given prediction.
void pl_track_set_gravity(pl_tracker *tracker);

// track_match.c: expectation; false when out of memory.
bool pl_track_expect(pl_tracker *tracker, const pl_track_level *level);

// track_solve.c: maximisation, which moves tracker->x. `inertia` is 1/s² and pulls towards
// tracker->predicted.
pl_status pl_track_maximise(pl_tracker *tracker, const pl_track_level *level, double inertia,
                            int32_t max_newton_iterations, int32_t *newton_count, pl_error *error);

// track_frame.c: the iterations of a frame from tracker->x on, beginning `reach` metres wide. Fills
// in all of the report but what compares frames.
pl_status pl_track_fit_frame(pl_tracker *tracker, double reach, double interval,
                             pl_track_report *report, pl_error *error);

#endif
