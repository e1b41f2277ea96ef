// One pose from start to report: a harmonic start, iterations at the weight asked for, and, where tets come out
// inverted, relaxing until none is (pose_relax.c).
#include "base/error.h"
#include "mesh/pose_fitter.h"

static const double EXACT_WEIGHT = 1e6;

// The weight of the harmonic start is at least this, so that it meets the surface whatever the fit itself wants.
static const double START_WEIGHT = 1000;

// Six times the volume that the surface's triangles enclose; around `origin`, so that small holes matter little.
static double enclosed_volume(const pl_pose_fitter *f, const pl_vec3 *points, pl_vec3 origin) {
  double sum = 0;
  for (int32_t i = 0; i < f->triangle_count; ++i) {
    const int32_t *corners = &f->triangles[3 * (size_t)i];
    pl_vec3 a = pl_vec3_sub(points[corners[0]], origin), b = pl_vec3_sub(points[corners[1]], origin),
            c = pl_vec3_sub(points[corners[2]], origin);
    sum += pl_vec3_dot(pl_vec3_cross(a, b), c);
  }
  return sum;
}

static void measure(const pl_pose_fitter *f, const pl_vec3 *posed, double asked, pl_pose_report *report) {
  double sum = 0;
  report->farthest_point = -1;
  for (int32_t s = 0; s < f->surface_count; ++s) {
    double away = pl_vec3_distance(pl_pose_fitter_place(f, s), f->targets[s]);
    sum += away * away;
    report->weight = fmin(report->weight, f->fractions[s] * f->weight);
    report->softened_count += f->fractions[s] * f->weight < asked;
    if (report->farthest_point >= 0 && away <= report->residual_max) continue;
    report->residual_max = away;
    report->farthest_point = s;
  }
  report->residual_rms = sqrt(sum / f->surface_count);
  report->min_j = HUGE_VAL;
  report->max_j = -HUGE_VAL;
  for (int32_t t = 0; t < f->tet_count; ++t) {
    report->min_j = fmin(report->min_j, f->determinants[t]);
    report->max_j = fmax(report->max_j, f->determinants[t]);
  }
  report->inverted_count = pl_pose_fitter_count(f, 0);
  double rest = enclosed_volume(f, f->surface, f->center);
  report->volume_ratio = rest != 0 ? enclosed_volume(f, posed, f->posed_center) / rest : 1;
}

static pl_status check_posed(const pl_pose_fitter *f, const char *name, const pl_vec3 *posed, pl_error *error) {
  for (int32_t s = 0; s < f->surface_count; ++s)
    if (!pl_vec3_is_finite(posed[s]))
      return pl_fail(error, PL_ERROR_INVALID_DATA, "point %d of pose '%s' is at (%g, %g, %g), which is not a place", s,
                     name, posed[s].x, posed[s].y, posed[s].z);
  return PL_OK;
}

pl_status pl_pose_fitter_fit(pl_pose_fitter *f, const pl_pose_def *def, const char *name, const pl_vec3 *posed,
                             pl_vec3 *points, pl_pose_report *report, pl_error *error) {
  pl_status status = check_posed(f, name, posed, error);
  if (status < 0) return status;
  pl_pose_trial trial = {.fitter = f};
  double weight = def->exact ? EXACT_WEIGHT : def->weight;
  pl_pose_fitter_begin(f, posed);
  pl_pose_fitter_set_weight(f, fmax(weight, START_WEIGHT));
  pl_pose_fitter_start(f);
  pl_pose_trial_iterate(&trial, weight, def->max_iterations);
  if (!def->exact && pl_pose_fitter_count(f, 0) > 0) pl_pose_trial_make_sound(&trial, def->max_iterations);
  pl_pose_report found = {.weight = f->weight, .iteration_count = trial.iteration_count, .converged = trial.converged};
  measure(f, posed, weight, &found);
  if (!isfinite(found.residual_rms) || !isfinite(found.min_j) || !isfinite(found.max_j))
    return pl_fail(error, PL_ERROR_NOT_FINITE,
                   "pose '%s' cannot be fitted: its coordinates are too large to calculate with", name);
  for (int32_t i = 0; points != NULL && i < f->point_count; ++i) points[i] = pl_vec3_add(f->points[i], f->posed_center);
  if (report != NULL) *report = found;
  return found.converged && (def->exact || found.inverted_count == 0) ? PL_OK : PL_REMARK_NOT_CONVERGED;
}

pl_status pl_pose_fit(pl_context *context, const pl_pose_def *def, const pl_pose_target *target, pl_vec3 *points,
                      pl_pose_report *report, pl_error *error) {
  pl_pose_fitter fitter;
  pl_status status = pl_pose_fitter_build(context, def, target->tets, target->surface, &fitter, error);
  if (status >= 0) status = pl_pose_fitter_fit(&fitter, def, "", target->points, points, report, error);
  pl_pose_fitter_destroy(&fitter);
  return status;
}
