// Tracking of a soft body in point clouds (paper 002, section 5).
//
// A frame is a maximum a posteriori estimate found by expectation and maximisation. Expectation (track_match.c) says
// how much of every measured point is due to every surface point that its camera can see (track_visible.c), or to none.
// Maximisation (track_solve.c) lets the body come to equilibrium under its elasticity and the pull of the points that
// are due to its surface. The search begins wide, at the place where the motion of the last two frames would take the
// body, and narrows down to the noise (track_frame.c). Those files say what differs from the paper and why; here frames
// are compared with each other.
//
// A frame whose points are explained worse than those before is tried again, wider, and if it is much worse also from
// where the body last was; what is best counts. If it is still bad the frame counts as lost. Frames with almost no
// points near the body leave it coasting.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "capture/track_parts.h"
#include "fem/fem_polar.h"
#include "fem/fem_tet.h"

enum { MIN_POINTS = 30 };

// What is wrong whatever the frames before were. Bodies that are not the filmed one, bars too thin, too short, too long
// or too thick and a plate, had at most 0.65 of the points explained, or at most 0.81 of what cameras see with points;
// those of the gallery have 0.8 and 0.9 at least.
#define UNEXPLAINED 0.3  // of the points, or three times the stated fraction of outliers: more than this is doubtful
#define UNSEEN 0.17      // of the surface that cameras see: more than this without points is doubtful
#define STRAIN 0.25      // root mean square: more than this is doubtful

#define CROP 0.35            // of the size: points farther from the body's box belong to something else
#define LEARN 0.1            // weight of a frame in what is usual
#define DOUBT 0.75           // share of what is usual below which a frame is doubtful …
#define LOST 0.5             // … and lost
#define NEARLY 0.97          // … and worth another try
#define REACH_AGAIN 2        // how much wider than the first frame a second try is
#define FIRST_LOST 0.15      // of the points or of the surface: a first frame that explains less is not of this body
#define DOUBTFUL_WEIGHT 0.3  // of a doubtful frame against a good one in what is usual
#define GOLDEN 0.6180339887498949
#define FIRST_INTERVAL (1.0 / 30)  // s: assumed for the first frame, which has none before it

const char *pl_track_state_name(pl_track_state state) {
  static const char *const names[] = {"good", "doubtful", "lost", "empty"};
  return (unsigned)state < sizeof names / sizeof names[0] ? names[state] : "unknown";
}

// --- the cloud --------------------------------------------------------------------------------------------------

static pl_box box_of_body(const pl_tracker *t, const double *x) {
  pl_box box = pl_box_empty();
  for (int32_t i = 0; i < t->model->head.particle_count; ++i) box = pl_box_add_point(box, pl_fem_vector(x, i));
  return box;
}

static bool is_near(const pl_box *box, pl_vec3 p) {
  return p.x >= box->min.x && p.y >= box->min.y && p.z >= box->min.z && p.x <= box->max.x && p.y <= box->max.y &&
         p.z <= box->max.z;
}

static int64_t common_divisor(int64_t a, int64_t b) {
  while (b != 0) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// Points near the body in an order of which every beginning is spread evenly over the cloud: steps of the golden
// section of their number. Not more than the limit.
static void take_cloud(pl_tracker *t, const pl_cloud_view *cloud) {
  pl_box box = pl_box_merge(box_of_body(t, t->x), box_of_body(t, t->predicted));
  box = pl_box_expand(box, CROP * t->size);
  int64_t count = cloud->point_count, step = (int64_t)(GOLDEN * (double)count);
  if (step < 1) step = 1;
  while (common_divisor(step, count) != 1) ++step;
  t->cloud.count = 0;
  for (int64_t i = 0, at = 0; i < count && t->cloud.count < t->def.max_points; ++i, at = (at + step) % count) {
    int32_t camera = cloud->cameras != NULL && t->camera_count > 0 ? cloud->cameras[at] : -1;
    pl_vec3 p = cloud->points[at];
    if (!is_near(&box, p) || camera >= t->camera_count) continue;  // NaN is near nothing
    t->cloud.points[t->cloud.count] = p;
    t->cloud.cameras[t->cloud.count++] = camera;
  }
}

// --- frames against each other ------------------------------------------------------------------------------------

// Where the motion of the last two frames leads; `fraction` of it.
static void predict(pl_tracker *t, double interval, double fraction) {
  ptrdiff_t n = 3 * (ptrdiff_t)t->model->head.particle_count;
  double last = t->time - t->time_before, factor = t->frame_count >= 2 && last > 0 ? fraction * interval / last : 0;
  for (ptrdiff_t i = 0; i < n; ++i) t->predicted[i] = t->x[i] + factor * (t->x[i] - t->before[i]);
}

static double distance(const pl_tracker *t, const double *a, const double *b) {
  ptrdiff_t n = 3 * (ptrdiff_t)t->model->head.particle_count;
  double sum = 0;
  for (ptrdiff_t i = 0; i < n; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(3 * sum / (double)n);
}

// Whether the body fits the points at all.
static pl_track_cause doubt_body(const pl_tracker *t, const pl_track_report *report) {
  if (report->explained_fraction < 1 - fmax(UNEXPLAINED, 3 * t->def.outliers)) return PL_TRACK_CAUSE_UNEXPLAINED;
  if (t->camera_count > 0 && report->coverage < 1 - UNSEEN) return PL_TRACK_CAUSE_UNSEEN;
  return report->strain > STRAIN ? PL_TRACK_CAUSE_STRAIN : PL_TRACK_CAUSE_NONE;
}

// State and cause of a frame: against those before, and by itself.
static void classify(const pl_tracker *t, pl_track_report *report) {
  double fraction = report->explained_fraction / fmax(1e-9, t->usual_fraction),
         seen = report->seen_fraction / fmax(1e-9, t->usual_seen);
  double off = report->residual / fmax(t->def.noise, t->usual_residual);
  bool first = t->frame_count == 0;
  // Points that are missing are the sensor's business as long as those that are there fit.
  const struct {
    bool holds;
    pl_track_state state;
    pl_track_cause cause;
  } rules[] = {
      {first && report->explained_fraction < FIRST_LOST, PL_TRACK_LOST, PL_TRACK_CAUSE_UNEXPLAINED},
      {first && report->seen_fraction < FIRST_LOST, PL_TRACK_LOST, PL_TRACK_CAUSE_UNSEEN},
      {!first && fraction < LOST, PL_TRACK_LOST, PL_TRACK_CAUSE_FEWER_EXPLAINED},
      {!first && off > 1 / LOST, PL_TRACK_LOST, PL_TRACK_CAUSE_FARTHER},
      {!first && seen < LOST * LOST, PL_TRACK_LOST, PL_TRACK_CAUSE_LESS_SEEN},
      {!first && fraction < DOUBT, PL_TRACK_DOUBTFUL, PL_TRACK_CAUSE_FEWER_EXPLAINED},
      {!first && off > 1 / DOUBT, PL_TRACK_DOUBTFUL, PL_TRACK_CAUSE_FARTHER},
      {!first && seen < LOST, PL_TRACK_DOUBTFUL, PL_TRACK_CAUSE_LESS_SEEN},
  };
  report->state = PL_TRACK_GOOD;
  report->cause = PL_TRACK_CAUSE_NONE;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i)
    if (rules[i].holds) {
      report->state = rules[i].state;
      report->cause = rules[i].cause;
      return;
    }
  report->cause = doubt_body(t, report);
  if (report->cause != PL_TRACK_CAUSE_NONE) report->state = PL_TRACK_DOUBTFUL;
}

int32_t pl_track_min_points(void) {
  return MIN_POINTS;
}

void pl_track_report_describe(const pl_track_report *r, char *text, size_t size) {
  const char *state = pl_track_state_name(r->state);
  double explained = 100 * r->explained_fraction, seen = 100 * r->seen_fraction;
  switch (r->cause) {
    case PL_TRACK_CAUSE_NONE:
      snprintf(text, size, "the track is %s: %.0f %% of the points explained", state, explained);
      break;
    case PL_TRACK_CAUSE_FEWER_EXPLAINED:
      snprintf(text, size, "the track is %s: %.0f %% of the points are explained, usually %.0f %%", state, explained,
               100 * r->usual_fraction);
      break;
    case PL_TRACK_CAUSE_FARTHER:
      snprintf(text, size, "the track is %s: points lie %.2g mm from the surface, usually %.2g mm", state,
               1e3 * r->residual, 1e3 * r->usual_residual);
      break;
    case PL_TRACK_CAUSE_LESS_SEEN:
      snprintf(text, size, "the track is %s: %.0f %% of the visible surface has points, usually %.0f %%", state, seen,
               100 * r->usual_seen);
      break;
    case PL_TRACK_CAUSE_UNEXPLAINED:
      snprintf(text, size,
               "the track is %s: only %.0f %% of the points belong to this body; it may not be the filmed one", state,
               explained);
      break;
    case PL_TRACK_CAUSE_UNSEEN:
      snprintf(text, size,
               "the track is %s: only %.0f %% of the surface that cameras see has points; the body may not be the "
               "filmed one",
               state, 100 * r->coverage);
      break;
    case PL_TRACK_CAUSE_STRAIN:
      snprintf(text, size,
               "the track is %s: the body is strained by %.0f %% to fit the points; it may not be the filmed one",
               state, 100 * r->strain);
      break;
    case PL_TRACK_CAUSE_FEW_POINTS:
      snprintf(text, size, "%d points near the body (%d in all), fewer than the %d that a frame needs", r->used_count,
               r->point_count, (int)MIN_POINTS);
      break;
  }
}

// Root mean square of the strain of a shell's edges, which are its first group.
static double edge_strain_of(const pl_tracker *t) {
  const pl_fem_group *group = &t->model->groups[0];
  double sum = 0, whole = 0;
  for (ptrdiff_t e = 0; e < group->element_count; ++e) {
    const int32_t *ends = group->corners + 2 * e;
    double rest = pl_vec3_distance(pl_fem_vector(t->model->rest_points, ends[0]),
                                   pl_fem_vector(t->model->rest_points, ends[1])),
           strain = pl_vec3_distance(pl_fem_vector(t->x, ends[0]), pl_fem_vector(t->x, ends[1])) / rest - 1;
    sum += rest * rest * strain * strain;
    whole += rest * rest;
  }
  return whole > 0 ? sqrt(sum / whole) : 0;
}

// Root mean square of the strain S - I over the body, S the stretch of each tet against its rest shape.
static double strain_of(const pl_tracker *t) {
  if (t->thickness > 0) return edge_strain_of(t);
  const pl_fem_group *group = &t->model->groups[0];
  double sum = 0, whole = 0;
  for (int32_t e = 0; e < group->element_count; ++e) {
    double at[12], gradients[4][3], volume;
    pl_fem_polar polar;
    for (int a = 0; a < 4; ++a)
      memcpy(at + 3 * a, t->x + 3 * (ptrdiff_t)group->corners[4 * (ptrdiff_t)e + a], 3 * sizeof(double));
    pl_fem_tet_rest(group->starts + 12 * (ptrdiff_t)e, gradients, &volume);
    pl_mat3 F = pl_fem_tet_gradient_of(at, (const double(*)[3])gradients);
    pl_fem_polar_of(&F, &polar);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        double part = polar.S.m[i][j] - (i == j ? 1 : 0);
        sum += volume * part * part;
      }
    whole += volume;
  }
  return whole > 0 ? sqrt(sum / whole) : 0;
}

static void remember(pl_tracker *t, const pl_track_report *report) {
  double weight = t->frame_count == 0                  ? 1
                  : report->state == PL_TRACK_GOOD     ? LEARN
                  : report->state == PL_TRACK_DOUBTFUL ? DOUBTFUL_WEIGHT * LEARN
                                                       : 0;
  t->usual_fraction += weight * (report->explained_fraction - t->usual_fraction);
  t->usual_seen += weight * (report->seen_fraction - t->usual_seen);
  t->usual_residual += weight * (report->residual - t->usual_residual);
}

// Whether a frame is explained a little worse than usual: nothing to warn of, but often a part that was found in the
// wrong place.
static bool could_be_better(const pl_tracker *t, const pl_track_report *report) {
  return report->explained_fraction < NEARLY * t->usual_fraction || report->seen_fraction < NEARLY * t->usual_seen;
}

// A frame as it was found, to be compared with another try.
static void keep_try(pl_tracker *t, const pl_track_report *report, pl_track_try *kept) {
  *kept = (pl_track_try){*report, t->width, t->outlier_fraction};
  size_t n = (size_t)t->model->head.particle_count;
  memcpy(t->keep, t->x, 3 * n * sizeof(double));
  memcpy(t->kept_supports, t->supports, n * sizeof(double));
}

// Go back to it where it was the better one; what it cost stays.
static void take_better(pl_tracker *t, const pl_track_try *kept, pl_track_report *report) {
  if (report->explained_fraction * report->seen_fraction > kept->report.explained_fraction * kept->report.seen_fraction)
    return;
  int32_t iteration_count = report->iteration_count, newton_count = report->newton_count;
  *report = kept->report;
  report->iteration_count = iteration_count;
  report->newton_count = newton_count;
  t->width = kept->width;
  t->outlier_fraction = kept->outlier_fraction;
  size_t n = (size_t)t->model->head.particle_count;
  memcpy(t->x, t->keep, 3 * n * sizeof(double));
  memcpy(t->supports, t->kept_supports, n * sizeof(double));
}

// The predicted place; if that explains less than usual, again from there and wider; if it fails, from the last place
// and wider still. The best counts.
static pl_status fit(pl_tracker *t, double interval, pl_track_report *report, pl_error *error) {
  size_t bytes = 3 * (size_t)t->model->head.particle_count * sizeof(double);
  double max = t->def.reach * t->size, reach = t->def.first_reach * t->size, width = t->width,
         outliers = t->outlier_fraction;
  if (t->frame_count > 0 || t->foreseen) reach = fmin(max, fmax(4 * t->width, 2 * t->prediction_error));
  if (t->frame_count == 1 && !t->foreseen) reach = max;
  memcpy(t->x, t->predicted, bytes);
  pl_status status = pl_track_fit_frame(t, reach, interval, report, error);
  report->try_count = 1;
  for (int try = 0; try < 2 && status >= 0 && t->frame_count > 0; ++try) {
    classify(t, report);
    bool wanted = try == 0 ? could_be_better(t, report) : report->state == PL_TRACK_LOST;
    if (!wanted) break;
    pl_track_try kept;
    keep_try(t, report, &kept);
    t->width = width;
    t->outlier_fraction = outliers;
    if (try == 1) memcpy(t->x, t->last, bytes);
    status =
        pl_track_fit_frame(t, try == 0 ? 2 * max : REACH_AGAIN * t->def.first_reach * t->size, interval, report, error);
    if (status >= 0) take_better(t, &kept, report);
    report->try_count = try + 2;
  }
  report->strain = strain_of(t);
  classify(t, report);
  return status < 0 ? status : PL_OK;
}

// What the view shows.
static void publish(pl_tracker *t) {
  for (int32_t i = 0; i < t->model->head.particle_count; ++i) t->points[i] = pl_fem_vector(t->x, i);
  pl_track_place_surface(t, t->x);
  pl_track_find_visible(t);
}

static pl_status follow(pl_tracker *t, double interval, pl_track_report *report, pl_error *error) {
  if (t->cloud.count >= MIN_POINTS) return fit(t, interval, report, error);
  report->state = PL_TRACK_EMPTY;
  report->cause = PL_TRACK_CAUSE_FEW_POINTS;
  report->width = t->width;
  report->outlier_fraction = t->outlier_fraction;
  report->try_count = 1;
  if (!t->foreseen) predict(t, interval, 0.5);
  memcpy(t->x, t->predicted, 3 * (size_t)t->model->head.particle_count * sizeof(double));
  memset(t->supports, 0, (size_t)t->model->head.particle_count * sizeof(double));
  return PL_OK;
}

pl_status pl_tracker_advance(pl_tracker *t, double time, const pl_cloud_view *cloud, pl_track_report *report,
                             pl_error *error) {
  if (!isfinite(time) || (t->frame_count > 0 && !(time > t->time)))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "frame %d is at %g s, not after the one before at %g s",
                   t->frame_count, time, t->time);
  double begin = pl_clock_seconds(), width = t->width, outliers = t->outlier_fraction;
  double interval = t->frame_count > 0 ? time - t->time : FIRST_INTERVAL;
  size_t bytes = 3 * (size_t)t->model->head.particle_count * sizeof(double);
  pl_track_report mine = {.time = time, .point_count = cloud->point_count};
  memcpy(t->last, t->x, bytes);
  if (!t->foreseen) {
    predict(t, interval, 1);
    pl_track_set_gravity(t);
  }
  take_cloud(t, cloud);
  mine.used_count = t->cloud.count;
  pl_status status = follow(t, interval, &mine, error);
  if (status >= 0)
    for (size_t i = 0; i < bytes / sizeof(double); ++i)
      if (!isfinite(t->x[i]))
        status = pl_fail(error, PL_ERROR_NOT_FINITE, "frame %d gives a point that is not finite", t->frame_count);
  if (status < 0) {
    memcpy(t->x, t->last, bytes);
    t->width = width;
    t->outlier_fraction = outliers;
    return status == PL_ERROR_OUT_OF_MEMORY ? pl_fail_memory(error) : status;
  }
  mine.prediction_error = t->prediction_error =
      mine.state == PL_TRACK_EMPTY ? t->prediction_error : distance(t, t->x, t->predicted);
  mine.motion = distance(t, t->x, t->last);
  if (mine.state != PL_TRACK_EMPTY) remember(t, &mine);
  mine.usual_fraction = t->usual_fraction;
  mine.usual_seen = t->usual_seen;
  mine.usual_residual = t->usual_residual;
  t->foreseen = false;
  memcpy(t->before, t->last, bytes);
  t->time_before = t->time;
  t->time = time;
  ++t->frame_count;
  publish(t);
  mine.seconds = pl_clock_seconds() - begin;
  if (report != NULL) *report = mine;
  return PL_OK;
}

pl_status pl_tracker_resume(pl_tracker *t, const pl_track_frame *frame, pl_error *error) {
  const pl_track_report *report = frame->report;
  const pl_vec3 *points = frame->points, *before = frame->before;
  int32_t n = t->model->head.particle_count;
  const double numbers[] = {
      report->time,           report->width,      report->outlier_fraction, report->prediction_error,
      report->usual_fraction, report->usual_seen, report->usual_residual,   frame->time_before};
  bool good = frame->frame_count >= 1 && report->width > 0;
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) good = good && isfinite(numbers[i]);
  for (int32_t i = 0; i < n && good; ++i)
    good = pl_vec3_is_finite(points[i]) && (before == NULL || pl_vec3_is_finite(before[i]));
  if (!good) return pl_fail(error, PL_ERROR_INVALID_DATA, "the frame to resume from is damaged");
  for (int32_t i = 0; i < n; ++i) {
    pl_fem_put(t->x, i, points[i]);
    pl_fem_put(t->before, i, before != NULL ? before[i] : points[i]);
  }
  t->frame_count = frame->frame_count;
  t->time = report->time;
  t->time_before = frame->time_before;
  t->width = report->width;
  t->outlier_fraction = report->outlier_fraction;
  t->prediction_error = report->prediction_error;
  t->usual_fraction = report->usual_fraction;
  t->usual_seen = report->usual_seen;
  t->usual_residual = report->usual_residual;
  publish(t);
  return PL_OK;
}

pl_tracker_view pl_tracker_get_view(const pl_tracker *t) {
  const pl_contact_surface *surface = &t->model->head.surface;
  return (pl_tracker_view){.point_count = t->model->head.particle_count,
                           .points = t->points,
                           .supports = t->supports,
                           .surface_count = surface->point_count,
                           .surface = t->surface,
                           .visible = t->visible,
                           .triangle_count = surface->triangle_count,
                           .triangles = surface->triangles,
                           .frame_count = t->frame_count};
}

pl_status pl_track_capture(pl_tracker *tracker, const pl_capture *capture, const pl_track_range *range,
                           pl_findings *findings, pl_error *error) {
  pl_capture_view view = pl_capture_get_view(capture);
  bool lost = false;
  for (int32_t frame = range->first < 0 ? 0 : range->first; frame <= range->last && frame < view.frame_count; ++frame) {
    pl_cloud *cloud = NULL;
    pl_track_report report;
    pl_status status = pl_capture_load_frame(capture, frame, &cloud, findings, error);
    if (status < 0) return status;
    pl_cloud_view points = pl_cloud_get_view(cloud);
    status = pl_tracker_advance(tracker, view.times[frame], &points, &report, error);
    pl_cloud_destroy(cloud);
    if (status < 0) return status;
    lost = lost || report.state == PL_TRACK_LOST;
    pl_tracker_view now = pl_tracker_get_view(tracker);
    if (range->callback != NULL && !range->callback(range->user, frame, &report, &now)) return PL_REMARK_CANCELLED;
  }
  return lost ? PL_REMARK_FINDINGS : PL_OK;
}
