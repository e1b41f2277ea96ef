// One frame: expectation and maximisation by turns, from wide to narrow.
//
// Wide searches look at few surface points and few measured ones, both spread evenly, so that every iteration costs
// about the same; the width falls by a constant factor until it is that of the noise, and stays there until nothing
// moves any more. The noise is estimated from the points that are explained, never below what the user says it is; so
// is the share of outliers.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "capture/track_parts.h"

enum {
  MIN_SAMPLES = 150,       // fewer do not tell a body's sides apart
  POINTS_PER_SAMPLE = 10,  // measured ones
};

#define DETAIL 0.05       // of the size: what is shape and what is noise where the user does not say
#define SHELL 0.1         // of the stiffness of a shell in its plane
#define SETTLED 0.05      // of the noise: motion between iterations that is too small to matter
#define MIN_INERTIA 1e-3  // of inertia, where the user wants none: keeps pieces in place that nothing else holds

static pl_track_level level_of(const pl_tracker *t, double sigma, double noise) {
  // Samples at a distance of about the width, so that their Gaussians just cover the surface.
  double wanted = t->samples.area / (sigma * sigma);
  int32_t count = wanted < t->samples.count ? (int32_t)wanted : t->samples.count;
  if (count < MIN_SAMPLES) count = MIN_SAMPLES < t->samples.count ? MIN_SAMPLES : t->samples.count;
  // Using nearly all in their order would leave out a strip: take all then.
  if (2 * count > t->samples.count) count = t->samples.count;
  int64_t points = (int64_t)POINTS_PER_SAMPLE * count;
  double detail = t->def.detail > 0 ? t->def.detail : DETAIL * t->size;
  // E / l of what is thick. A shell resists by E t / l² within its plane, and by much less across it, where the pull
  // acts: with a tenth of that it keeps its lengths. A bent sheet of 0.4 m with 2 mm of noise (test_track_shell) is off
  // by 1.7 mm with all of it, by 0.7 with a tenth.
  double elasticity = t->model->linear.hint.young / t->model->linear.hint.young_contrast / detail;
  if (t->thickness > 0) elasticity *= SHELL * t->thickness / detail;
  return (pl_track_level){
      .sigma = sigma,
      .sample_count = count,
      .point_count = points < t->cloud.count && count < t->samples.count ? (int32_t)points : t->cloud.count,
      .spacing = sqrt(t->samples.area / count),
      .stiffness = elasticity * noise / sigma};
}

// Root mean square distance of the points of the mesh from where they were.
static double distance_from(const pl_tracker *t, const double *other) {
  ptrdiff_t n = 3 * (ptrdiff_t)t->model->head.particle_count;
  double sum = 0;
  for (ptrdiff_t i = 0; i < n; ++i) sum += (t->x[i] - other[i]) * (t->x[i] - other[i]);
  return sqrt(3 * sum / (double)n);
}

// Shares of outliers and noise as the last expectation has them.
static void learn(pl_tracker *t, const pl_track_level *level) {
  double responsibility = 1 - t->pull.explained / fmax(1, level->point_count);
  t->outlier_fraction = fmin(PL_TRACK_OUTLIERS_MAX, fmax(PL_TRACK_OUTLIERS_MIN, responsibility));
  if (t->pull.explained > 1) {
    double found = sqrt(t->pull.square / t->pull.explained);
    t->width = fmin(10 * t->def.noise, fmax(t->def.noise, found));
  }
}

// Share, by area, of what cameras see that has points; and how far each point of the mesh is measured. A sensor with
// fewer pixels than the surface has points leaves some without any by chance: of points spread at random, λ for each
// point of the surface, a share 1 - e^-λ of the surface has one. `coverage` is the share in units of that.
static double measure_seen(pl_tracker *t, double *coverage) {
  const pl_contact_surface *surface = &t->model->head.surface;
  size_t n = (size_t)t->model->head.particle_count;
  double seen = 0, all = 0, visible_count = 0;
  memset(t->supports, 0, n * sizeof(double));
  memset(t->contrast, 0, n * sizeof(double));
  for (int32_t k = 0; k < surface->point_count; ++k) {
    double area = t->samples.areas[k], count = t->pull.weights[k], measured = count / (count + 1);
    if (t->visible[k]) {
      all += area;
      visible_count += 1;
      if (count > 0.5) seen += area;
    }
    for (ptrdiff_t a = 4 * (ptrdiff_t)k; a < 4 * (ptrdiff_t)k + 4; ++a) {
      double responsibility = fabs(t->model->touch.weights[a]) * area;
      t->supports[surface->parents[a]] += responsibility * measured;
      t->contrast[surface->parents[a]] += responsibility;
    }
  }
  for (size_t i = 0; i < n; ++i) t->supports[i] = t->contrast[i] > 0 ? t->supports[i] / t->contrast[i] : 0;
  double found = all > 0 ? seen / all : 0, density = t->pull.explained / fmax(1, visible_count);
  *coverage = fmin(1, found / fmax(1e-9, 1 - exp(-density)));
  return found;
}

// What random errors of measured points leave of a tracked one: each point of the mesh that was measured is about the
// mean of its share of them.
static double point_error(const pl_tracker *t, const pl_track_report *report) {
  double measured = t->cloud.count * report->explained_fraction, supported = 0;
  for (int32_t i = 0; i < t->model->head.particle_count; ++i) supported += t->supports[i];
  return report->residual * (measured > supported ? sqrt(supported / measured) : 1);
}

static bool expect_at(pl_tracker *t, const pl_track_level *level) {
  pl_track_place_surface(t, t->x);
  pl_track_find_visible(t);
  return pl_track_expect(t, level);
}

pl_status pl_track_fit_frame(pl_tracker *t, double reach, double interval, pl_track_report *report, pl_error *error) {
  double noise = t->width, sigma = fmax(reach, noise);
  // The way into the first frame is long, and its direction is not known: slower, and with more patience at the end,
  // where the surface still slides along itself.
  bool first = t->frame_count == 0;
  double anneal = first ? sqrt(t->def.anneal) : t->def.anneal;
  int32_t patience = first ? 4 * t->def.settle_count : t->def.settle_count;
  double inertia = fmax(t->def.inertia, MIN_INERTIA) / (interval * interval);
  int32_t settled = 0;
  size_t bytes = 3 * (size_t)t->model->head.particle_count * sizeof(double);
  pl_track_level level;
  for (;;) {
    level = level_of(t, sigma, noise);
    if (!expect_at(t, &level)) return PL_ERROR_OUT_OF_MEMORY;
    bool narrow = sigma <= noise;
    if (narrow) learn(t, &level);
    memcpy(t->best, t->x, bytes);
    pl_status status = pl_track_maximise(t, &level, inertia, narrow ? 3 : 2, &report->newton_count, error);
    if (status < 0) return status;
    ++report->iteration_count;
    if (narrow && (++settled >= patience || distance_from(t, t->best) < SETTLED * t->def.noise)) break;
    sigma = fmax(noise, sigma * anneal);
  }
  if (!expect_at(t, &level)) return PL_ERROR_OUT_OF_MEMORY;
  learn(t, &level);
  report->residual = t->pull.explained > 0 ? sqrt(t->pull.square / t->pull.explained) : 0;
  report->explained_fraction = t->pull.explained / fmax(1, level.point_count);
  report->seen_fraction = measure_seen(t, &report->coverage);
  report->point_error = point_error(t, report);
  report->width = t->width;
  report->outlier_fraction = t->outlier_fraction;
  return PL_OK;
}
