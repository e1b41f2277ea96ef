// Captures: defaults, what is wrong with a def, and a hash that tells one run from another.
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "base/hash.h"
#include "capture/capture_run_parts.h"

// More recordings or rounds than this are a mistake; the numbers only keep sizes of arrays sane.
enum { CLIPS_MAX = 1000, ROUNDS_MAX = 1000 };

pl_capture_run_def pl_default_capture_run_def(void) {
  return (pl_capture_run_def){.max_rounds = 4,
                              .settle_tolerance = 0.01,
                              .max_modulus_spread = 1.05,
                              .surface_tolerance = 0.05,  // a scan stands out from a coarse lattice by half a cell
                              .track = pl_default_track_def(),
                              .fit = pl_default_fit_def(),
                              .warm_start = true,
                              .warm_start_def = pl_default_warm_start_def(),
                              .magic = PL_DEF_MAGIC};
}

static pl_status check_clip(const pl_capture_run_def *def, int32_t number, pl_error *error) {
  const pl_capture_clip *clip = &def->clips[number];
  if (clip->recording == NULL)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "clips", "recording %d is missing", number + 1);
  pl_capture_view view = pl_capture_get_view(clip->recording);
  // A motion has two frames or more: the one in which the object is released, and one after it.
  if (view.frame_count - def->release_frame < 2)
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "recording %d has %d frames: too few after the release in frame %d; a motion has two or more",
                   number + 1, view.frame_count, def->release_frame);
  if (clip->truth != NULL && clip->truth_frame_count < view.frame_count)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "the truth of recording %d has %d frames, the recording has %d",
                   number + 1, clip->truth_frame_count, view.frame_count);
  return PL_OK;
}

pl_status pl_run_check(const pl_capture_run_def *def, pl_error *error) {
  pl_status status = pl_check_def(def->magic, "pl_capture_run_def", error);
  const struct {
    const char *field;
    double value, min, max;
  } ranges[] = {
      {"clip_count", def->clip_count, 1, CLIPS_MAX},           {"release_frame", def->release_frame, 0, INT32_MAX},
      {"max_rounds", def->max_rounds, 1, ROUNDS_MAX},          {"settle_tolerance", def->settle_tolerance, 0, 1},
      {"max_modulus_spread", def->max_modulus_spread, 1, 1e6}, {"surface_tolerance", def->surface_tolerance, 0, 1e6}};
  for (size_t i = 0; status >= 0 && i < sizeof ranges / sizeof ranges[0]; ++i)
    status = pl_check_range(ranges[i].field, ranges[i].value, ranges[i].min, ranges[i].max, true, error);
  if (status < 0) return status;
  if (def->mesh == NULL || pl_mesh_get_view(def->mesh).tet_count == 0)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "mesh",
                         "a mesh of tets is needed; pl_lattice_build() fills a surface");
  if (def->start != PL_FIT_START_GIVEN && def->start != PL_FIT_START_MOVING)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "start",
                         "must be PL_FIT_START_GIVEN or PL_FIT_START_MOVING");
  if (def->clips == NULL) return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "clips", "there are no recordings");
  if (def->fit.after_iteration != NULL)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "fit.after_iteration",
                         "must be NULL; use `progress` of the run");
  if ((def->store.save == NULL) != (def->store.load == NULL))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "store",
                         "has one of save and load; it needs both or neither");
  for (int32_t i = 0; i < def->clip_count && status >= 0; ++i) status = check_clip(def, i, error);
  return status;
}

// --- the hash
// ---------------------------------------------------------------------------------------------------------------

static uint64_t hash_mesh(uint64_t hash, const pl_mesh *mesh) {
  if (mesh == NULL) return pl_hash_bytes(hash, "none", 4);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  hash = pl_hash_bytes(hash, view.points, (size_t)view.point_count * sizeof *view.points);
  hash = pl_hash_bytes(hash, view.tets, 4 * (size_t)view.tet_count * sizeof *view.tets);
  return pl_hash_bytes(hash, view.triangles, 3 * (size_t)view.triangle_count * sizeof *view.triangles);
}

static uint64_t hash_range(uint64_t hash, const pl_fit_range *range) {
  const double numbers[] = {range->start, range->min, range->max, range->fitted};
  return pl_hash_bytes(hash, numbers, sizeof numbers);
}

// Everything but what may differ when a run resumes: callbacks, batch, solver back end and the maximum of iterations.
static uint64_t hash_fit(uint64_t hash, const pl_fit_def *fit) {
  const double numbers[] = {fit->material,        fit->density,      fit->gravity.x,    fit->gravity.y,
                            fit->gravity.z,       fit->shape,        fit->reference,    fit->fitter,
                            fit->steps_per_frame, fit->max_steps,    fit->tolerance,    fit->noise,
                            fit->doubt,           fit->pinned_count, fit->window_count, fit->element};
  hash = pl_hash_bytes(hash, numbers, sizeof numbers);
  hash = hash_range(hash, &fit->young);
  hash = hash_range(hash, &fit->poisson);
  hash = hash_range(hash, &fit->mass_damping);
  hash = hash_range(hash, &fit->stiffness_damping);
  hash = hash_range(hash, &fit->prony_ratio);
  hash = hash_range(hash, &fit->prony_time);
  hash = hash_range(hash, &fit->second_prony_ratio);
  hash = hash_range(hash, &fit->second_prony_time);
  hash = hash_range(hash, &fit->loss_factor);
  hash = pl_hash_bytes(hash, &fit->loss_frequency, sizeof fit->loss_frequency);
  hash = pl_hash_bytes(hash, fit->pinned, (size_t)fit->pinned_count * sizeof *fit->pinned);
  hash = pl_hash_bytes(hash, fit->windows, (size_t)fit->window_count * sizeof *fit->windows);
  int32_t controls = 1;
  if (fit->field != NULL) {
    pl_field_view field = pl_field_get_view(fit->field);
    controls = field.control_count;
    hash = pl_hash_bytes(hash, field.weights,
                         (size_t)field.tet_count * (size_t)field.control_count * sizeof *field.weights);
  }
  return fit->young_starts != NULL
             ? pl_hash_bytes(hash, fit->young_starts, (size_t)controls * sizeof *fit->young_starts)
             : hash;
}

static uint64_t hash_track(uint64_t hash, const pl_track_def *track) {
  const double numbers[] = {track->noise,        track->outliers, track->first_reach, track->reach,      track->anneal,
                            track->settle_count, track->detail,   track->inertia,     track->max_points, track->gating};
  return pl_hash_bytes(hash, numbers, sizeof numbers);
}

// The frames themselves are not read for this; cameras and times tell recordings apart well enough.
static uint64_t hash_recording(uint64_t hash, const pl_capture *recording) {
  pl_capture_view view = pl_capture_get_view(recording);
  hash = pl_hash_bytes(hash, view.times, (size_t)view.frame_count * sizeof *view.times);
  for (int32_t i = 0; i < view.camera_count; ++i) {
    const pl_capture_camera *c = &view.cameras[i];
    const double numbers[] = {c->width,
                              c->height,
                              c->fx,
                              c->fy,
                              c->cx,
                              c->cy,
                              c->depth_scale,
                              c->placement.position.x,
                              c->placement.position.y,
                              c->placement.position.z,
                              c->placement.rotation.x,
                              c->placement.rotation.y,
                              c->placement.rotation.z,
                              c->placement.rotation.w};
    hash = pl_hash_bytes(hash, numbers, sizeof numbers);
  }
  return hash;
}

uint64_t pl_run_hash(const pl_capture_run_def *def) {
  const pl_warm_start_def *warm = &def->warm_start_def;
  const double numbers[] = {def->release_frame, def->max_modulus_spread, def->surface_tolerance, def->warm_start,
                            warm->sample_count, warm->mode_count,        warm->rounds,           warm->min,
                            warm->max};
  uint64_t hash = pl_hash_bytes(PL_HASH_START, numbers, sizeof numbers);
  if (def->start != PL_FIT_START_GIVEN) hash = pl_hash_bytes(hash, &def->start, sizeof def->start);
  hash = hash_mesh(hash, def->mesh);
  hash = hash_mesh(hash, def->surface);
  hash = hash_fit(hash, &def->fit);
  if (def->fit.added_masses != NULL)
    hash = pl_hash_bytes(hash, def->fit.added_masses,
                         (size_t)pl_mesh_get_view(def->mesh).point_count * sizeof *def->fit.added_masses);
  hash = hash_track(hash, &def->track);
  for (int32_t i = 0; i < def->clip_count; ++i) hash = hash_recording(hash, def->clips[i].recording);
  return hash;
}
