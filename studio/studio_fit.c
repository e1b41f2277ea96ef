// The thread of a fit. It shares only the view, the track and the simulation with the world's thread, and changes them
// under the lock. Frames and iterations are kept in a store in memory, so that another fit with the same input resumes
// where this one ended.
#define _GNU_SOURCE
#include "studio_fit.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/error.h"
#include "pliant/capture.h"
#include "pliant/solver.h"
#include "studio_files.h"

// Young's modulus for tracking, and initial value of a fit without a measured frequency, Pa.
static const double YOUNG_GUESS = 1e6;
// Maximum size of a track, bytes.
static const double TRACK_MAX = 1e9;
// Pause between two simulations for display, as a multiple of the duration of one.
static const double DISPLAY_PAUSE = 3;

struct studio_fit {
  pl_context *owner;    // owner of the memory
  pl_context *context;  // of this thread
  pthread_t thread;
  studio_fit_def def;  // owns its arrays and texts
  pl_store store;      // of the owner
  atomic_bool stop, abandon, ended;
  atomic_bool warming;  // a warm start runs; if stopped, its result is lost
  atomic_uint version;
  pthread_mutex_t lock;  // guards the members that follow
  studio_fit_view view;
  pl_vec3 *track, *simulation;  // frame_count times the points; of the owner
  // Used only by this thread:
  pl_capture *capture;
  pl_capture_view recording;
  pl_mesh *tets, *surface;
  pl_field *field;
  pl_vec3 *workspace;          // a simulation in progress
  int32_t earlier_count;       // iterations of earlier rounds
  bool fresh;                  // the simulation has the current parameters
  double shown, show_seconds;  // s: time and duration of the last simulation for display
  pl_error error;
};

// --- shared with the world
// ---------------------------------------------------------------------------------------------------------------

static void end_update(studio_fit *f) {
  pthread_mutex_unlock(&f->lock);
  atomic_fetch_add(&f->version, 1);
}

static void begin_phase(studio_fit *f, const char *phase) {
  pthread_mutex_lock(&f->lock);
  f->view.phase = phase;
  f->view.fraction = 0;
  end_update(f);
}

uint32_t studio_fit_version(const studio_fit *f) {
  return atomic_load(&f->version);
}

void studio_fit_get_view(studio_fit *f, studio_fit_view *view) {
  pthread_mutex_lock(&f->lock);
  *view = f->view;
  pthread_mutex_unlock(&f->lock);
}

bool studio_fit_get_points(studio_fit *f, int32_t frame, bool simulated, pl_vec3 *points) {
  pthread_mutex_lock(&f->lock);
  size_t n = (size_t)f->view.point_count;
  bool known =
      frame >= 0 && (simulated ? f->view.simulated && frame < f->view.frame_count : frame < f->view.tracked_count);
  if (known) memcpy(points, (simulated ? f->simulation : f->track) + (size_t)frame * n, n * sizeof *points);
  pthread_mutex_unlock(&f->lock);
  return known;
}

void studio_fit_stop(studio_fit *f) {
  atomic_store(&f->stop, true);
}

void studio_fit_abandon(studio_fit *f) {
  atomic_store(&f->abandon, true);
  atomic_store(&f->stop, true);
}

bool studio_fit_has_ended(const studio_fit *f) {
  return atomic_load(&f->ended);
}

// --- input
// -------------------------------------------------------------------------------------------------------------

static pl_status read_files(studio_fit *f) {
  pl_status status = pl_capture_load(f->context, f->def.capture, &f->capture, NULL, &f->error);
  if (status >= 0) status = pl_mesh_load(f->context, f->def.tets, &f->tets, NULL, &f->error);
  if (status >= 0 && f->def.surface != NULL)
    status = pl_mesh_load(f->context, f->def.surface, &f->surface, NULL, &f->error);
  if (status < 0) return status;
  f->recording = pl_capture_get_view(f->capture);
  pl_mesh_view mesh = pl_mesh_get_view(f->tets);
  for (int32_t i = 0; i < f->def.held_count; ++i)
    if (f->def.held[i] < 0 || f->def.held[i] >= mesh.point_count)
      return pl_fail(&f->error, PL_ERROR_INVALID_DATA, "held point %d does not exist; the mesh has %d points",
                     f->def.held[i], mesh.point_count);
  double bytes = (double)f->recording.frame_count * mesh.point_count * (double)sizeof(pl_vec3);
  if (bytes > TRACK_MAX)
    return pl_fail(&f->error, PL_ERROR_UNSUPPORTED,
                   "%d frames of %d points are too many for the studio; use `pliant capture`", f->recording.frame_count,
                   mesh.point_count);
  pl_field_def field = pl_default_field_def();
  field.control_count = f->def.modulus_count;
  field.placement = f->def.modulus_count > 1 ? PL_FIELD_ALONG_AXIS : PL_FIELD_UNIFORM;
  return pl_field_build(f->context, &field, f->tets, &f->field, &f->error);
}

static pl_status allocate_buffers(studio_fit *f) {
  size_t frames = (size_t)f->recording.frame_count, n = (size_t)pl_mesh_get_view(f->tets).point_count;
  pthread_mutex_lock(&f->lock);
  f->view.frame_count = (int32_t)frames;
  f->view.point_count = (int32_t)n;
  f->track = pl_allocate_array(f->owner, frames * n, sizeof *f->track);
  f->simulation = pl_allocate_array(f->owner, frames * n, sizeof *f->simulation);
  bool good = f->track != NULL && f->simulation != NULL;
  pthread_mutex_unlock(&f->lock);
  f->workspace = pl_allocate_array(f->context, frames * n, sizeof *f->workspace);
  return good && f->workspace != NULL ? PL_OK : pl_fail_memory(&f->error);
}

// --- progress
// -----------------------------------------------------------------------------------------------------------------

// Whether the current simulation can be cancelled.
static bool give_up(void *user) {
  studio_fit *f = user;
  return atomic_load(&f->abandon) || (atomic_load(&f->warming) && atomic_load(&f->stop));
}

static bool take_frame(studio_fit *f, const pl_capture_progress *progress) {
  size_t n = (size_t)f->view.point_count;
  if (progress->track->state == PL_TRACK_LOST) {
    (void)pl_fail(&f->error, PL_ERROR_INVALID_DATA,
                  "the track is lost in frame %d: %.0f %% of its points are explained", progress->frame + 1,
                  100 * progress->track->explained_fraction);
    return false;
  }
  pthread_mutex_lock(&f->lock);
  memcpy(f->track + (size_t)progress->frame * n, progress->tracker->points, n * sizeof *f->track);
  if (f->view.tracked_count <= progress->frame) f->view.tracked_count = progress->frame + 1;
  ++f->view.shape_version;
  f->view.fraction = (progress->frame + 1.0) / f->view.frame_count;
  f->view.has_error = true;
  f->view.error = progress->track->residual;
  end_update(f);
  // Loaded frames cost nothing, so they are shown even after a stop.
  return progress->loaded || !atomic_load(&f->stop);
}

static bool update_parameters(studio_fit *f, pl_fit *fit) {
  pl_fit_report report;
  if (pl_fit_get_report(fit, &report, &f->error) < 0) return false;
  pthread_mutex_lock(&f->lock);
  f->view.parameter_count =
      report.parameter_count < STUDIO_PARAMETERS_MAX ? report.parameter_count : STUDIO_PARAMETERS_MAX;
  memcpy(f->view.parameters, report.estimates, (size_t)f->view.parameter_count * sizeof *f->view.parameters);
  f->view.has_intervals = f->view.iteration_count > 0;
  end_update(f);
  return true;
}

// Simulate the motion with the current parameters.
static bool simulate(studio_fit *f, const pl_capture_progress *progress) {
  double begin = pl_clock_seconds();
  pl_status status = pl_fit_predict(progress->fit, &progress->motions[0], f->workspace, NULL, &f->error);
  f->shown = pl_clock_seconds();
  f->show_seconds = f->shown - begin;
  if (status < 0) return false;
  f->fresh = true;
  pthread_mutex_lock(&f->lock);
  memcpy(f->simulation, f->workspace, (size_t)f->view.frame_count * (size_t)f->view.point_count * sizeof *f->workspace);
  f->view.simulated = true;
  ++f->view.shape_version;
  end_update(f);
  return true;
}

// Append the iterations of this round to those of earlier rounds.
static void take_history(studio_fit *f, const pl_capture_round *round) {
  pthread_mutex_lock(&f->lock);
  int32_t available = STUDIO_HISTORY_MAX - f->earlier_count,
          count = round->iteration_count < available ? round->iteration_count : available;
  for (int32_t i = 0; i < count; ++i) f->view.errors[f->earlier_count + i] = round->iterations[i].rms;
  f->view.iteration_count = f->earlier_count + count;
  if (round->iteration_count > 0) {
    const pl_fit_progress *last = &round->iterations[round->iteration_count - 1];
    f->view.has_error = true;
    f->view.error = last->rms;
    f->view.fraction = fmin(1, (double)last->frame_count / f->view.frame_count);
  }
  end_update(f);
}

static bool take_iteration(studio_fit *f, const pl_capture_progress *progress) {
  bool stop = atomic_load(&f->stop);
  take_history(f, progress->report);
  if (atomic_load(&f->abandon) || !update_parameters(f, progress->fit)) return false;
  f->fresh = false;
  bool due = pl_clock_seconds() - f->shown >= DISPLAY_PAUSE * f->show_seconds;
  return (!(due || stop) || simulate(f, progress)) && !stop;
}

static bool end_round(studio_fit *f, const pl_capture_progress *progress) {
  f->earlier_count = f->view.iteration_count;
  return !atomic_load(&f->abandon) && update_parameters(f, progress->fit) && (f->fresh || simulate(f, progress));
}

static bool on_progress(void *user, const pl_capture_progress *progress) {
  studio_fit *f = user;
  switch (progress->event) {
    case PL_CAPTURE_ROUND_BEGIN:
      pthread_mutex_lock(&f->lock);
      f->view.round = progress->round;
      pthread_mutex_unlock(&f->lock);
      begin_phase(f, "track");
      return true;
    case PL_CAPTURE_FRAME: return take_frame(f, progress);
    case PL_CAPTURE_WARM_START_BEGIN:
      begin_phase(f, "warm start");
      atomic_store(&f->warming, true);
      return !atomic_load(&f->stop);
    case PL_CAPTURE_WARM_START_END: atomic_store(&f->warming, false); return !atomic_load(&f->stop);
    case PL_CAPTURE_FIT_BEGIN:
      begin_phase(f, "fit");
      take_history(f, progress->report);
      return !atomic_load(&f->stop) && update_parameters(f, progress->fit);
    case PL_CAPTURE_ITERATION: return take_iteration(f, progress);
    case PL_CAPTURE_ROUND_END: return end_round(f, progress);
  }
  return true;
}

static pl_status run(studio_fit *f) {
  pl_capture_run_def def = pl_default_capture_run_def();
  pl_capture_clip clip = {.recording = f->capture};
  pl_capture_result *result = NULL;
  def.mesh = f->tets;
  def.surface = f->surface;
  def.clips = &clip;
  def.clip_count = 1;
  def.max_rounds = f->def.max_rounds;
  def.fit.material = f->def.material;
  def.fit.density = f->def.density;
  def.fit.gravity = f->recording.gravity;
  def.fit.pinned = f->def.held;
  def.fit.pinned_count = f->def.held_count;
  def.fit.field = f->field;
  def.fit.young.start = YOUNG_GUESS;
  def.fit.poisson.start = f->def.poisson;
  def.fit.max_steps = f->def.max_steps;
  def.fit.max_iterations = STUDIO_HISTORY_MAX;
  def.fit.direct = pl_cholmod_backend();
  def.fit.give_up = give_up;
  def.fit.user = f;
  def.store = f->store;
  def.progress = on_progress;
  def.user = f;
  pl_error error = {0};
  pl_status status = pl_capture_run(f->context, &def, &result, &error);
  pl_capture_result_destroy(result);
  if (status < 0) f->error = error;
  // The callback cancels the run when it finds an error itself.
  return status >= 0 && f->error.status < 0 ? f->error.status : status;
}

// --- the thread
// -------------------------------------------------------------------------------------------------------------------

static void report_end(studio_fit *f, pl_status status) {
  pthread_mutex_lock(&f->lock);
  f->view.phase = status < 0 ? "failed" : status == PL_REMARK_CANCELLED ? "stopped" : "fitted";
  f->view.fraction = 1;
  if (status < 0)
    snprintf(f->view.text, sizeof f->view.text, "%s", f->error.text);
  else if (status == PL_REMARK_NOT_CONVERGED)
    snprintf(f->view.text, sizeof f->view.text, "not converged after %d iterations", f->view.iteration_count);
  end_update(f);
}

static void *work(void *user) {
  studio_fit *f = user;
  // Also for the threads that the context starts: the world has priority.
  (void)nice(10);
  pl_context_def def = pl_default_context_def();
  def.thread_count = f->def.thread_count;
  pl_status status = pl_context_create(&def, &f->context, &f->error);
  if (status >= 0) status = read_files(f);
  if (status >= 0) status = allocate_buffers(f);
  if (status >= 0) status = run(f);
  report_end(f, status);
  pl_release(f->context, f->workspace);
  pl_field_destroy(f->field);
  pl_mesh_destroy(f->surface);
  pl_mesh_destroy(f->tets);
  pl_capture_destroy(f->capture);
  pl_context_destroy(f->context);
  atomic_store(&f->ended, true);
  atomic_fetch_add(&f->version, 1);
  return NULL;
}

// --- beginning and ending
// ---------------------------------------------------------------------------------------------------------

static void free_all(studio_fit *f) {
  const void *blocks[] = {f->def.capture, f->def.tets, f->def.surface, f->def.held, f->track, f->simulation};
  for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; ++i) pl_release(f->owner, (void *)(uintptr_t)blocks[i]);
  pl_store_close(&f->store);
  pthread_mutex_destroy(&f->lock);
  pl_release(f->owner, f);
}

static bool copy_def(studio_fit *f, const studio_fit_def *def) {
  int32_t *held = pl_allocate_array(f->owner, (size_t)def->held_count + 1, sizeof *held);
  f->def = *def;
  f->def.before = NULL;
  f->def.capture = studio_copy_text(f->owner, def->capture);
  f->def.tets = studio_copy_text(f->owner, def->tets);
  f->def.surface = def->surface != NULL ? studio_copy_text(f->owner, def->surface) : NULL;
  f->def.held = held;
  if (held != NULL && def->held_count > 0) memcpy(held, def->held, (size_t)def->held_count * sizeof *held);
  return held != NULL && f->def.capture != NULL && f->def.tets != NULL &&
         (def->surface == NULL || f->def.surface != NULL);
}

static bool is_same_text(const char *a, const char *b) {
  return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

// Whether two fits have the same input; rounds may differ.
static bool has_same_input(const studio_fit_def *a, const studio_fit_def *b) {
  return is_same_text(a->capture, b->capture) && is_same_text(a->tets, b->tets) &&
         is_same_text(a->surface, b->surface) && a->held_count == b->held_count &&
         memcmp(a->held, b->held, (size_t)a->held_count * sizeof *a->held) == 0 && a->material == b->material &&
         a->density == b->density && a->poisson == b->poisson && a->max_steps == b->max_steps &&
         a->modulus_count == b->modulus_count;
}

// Take the store of an ended fit with the same input, or open an empty one.
static pl_status take_store(studio_fit *f, studio_fit *before, pl_error *error) {
  if (before == NULL || !studio_fit_has_ended(before) || !has_same_input(&f->def, &before->def))
    return pl_store_open_memory(f->owner, &f->store, error);
  f->store = before->store;
  before->store = (pl_store){0};
  return PL_OK;
}

studio_fit *studio_fit_begin(pl_context *context, const studio_fit_def *def, pl_error *error) {
  studio_fit *f = pl_allocate_array(context, 1, sizeof *f);
  if (f == NULL) {
    pl_fail_memory(error);
    return NULL;
  }
  f->owner = context;
  f->view.phase = "track";
  pthread_mutex_init(&f->lock, NULL);
  pl_status status = copy_def(f, def) ? PL_OK : pl_fail_memory(error);
  if (status >= 0) status = take_store(f, def->before, error);
  if (status >= 0 && pthread_create(&f->thread, NULL, work, f) != 0)
    status = pl_fail(error, PL_ERROR_UNSUPPORTED, "a thread could not be started");
  if (status >= 0) return f;
  free_all(f);
  return NULL;
}

void studio_fit_destroy(studio_fit *f) {
  if (f == NULL) return;
  studio_fit_abandon(f);
  pthread_join(f->thread, NULL);
  free_all(f);
}
