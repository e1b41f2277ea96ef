// Tracking and fitting apart from the world (paper 002: one round of its figure 2, with a uniform modulus).
//
// Nothing but the view, the track and the simulation is shared with the thread that began it. Frames of the track are final once they are counted; the simulation is replaced as a
// whole, under the lock.
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
#include "pliant/solver.h"
#include "studio_files.h"

// What tracking takes the body for, and where a fit begins that has no frequency to go by. Pa.
static const double YOUNG_GUESS = 1e6;
// How far the surface may lie outside the tets, as a share of their size.
static const double SURFACE_OUTSIDE = 0.05;
// A track may take so many bytes.
static const double MAX_TRACK = 1e9;
// The motion is simulated for show when that was so many times its own time ago.
static const double SHOW_PAUSE = 3;

struct studio_fit {
  pl_context *owner;    // whose memory this is
  pl_context *context;  // of the thread
  pthread_t thread;
  studio_fit_def def;  // its arrays and texts are owned
  atomic_bool stop, abandon, ended;
  atomic_bool warming;  // a warm start runs, of which nothing is left when it is stopped
  atomic_uint version;
  pthread_mutex_t lock;  // of what follows
  studio_fit_view view;
  pl_vec3 *track, *simulation;  // frame_count times the points; of the owner
  double *supports;             // per point: what was measured of it, mean over the frames
  // Of the thread alone:
  pl_capture *capture;
  pl_capture_view recording;
  pl_mesh *tets, *surface;
  pl_fit *fit;
  pl_fit_sequence sequence;
  double shown, show_seconds;  // when the motion was last simulated for show, and how long that took
  pl_error error;
};

// --- what is shared ---------------------------------------------------------------------------------------------------------------

static void tell(studio_fit *f) {
  pthread_mutex_unlock(&f->lock);
  atomic_fetch_add(&f->version, 1);
}

static void begin_stage(studio_fit *f, const char *stage) {
  pthread_mutex_lock(&f->lock);
  f->view.stage = stage;
  f->view.fraction = 0;
  tell(f);
}

uint32_t studio_fit_version(const studio_fit *f) {
  return atomic_load(&f->version);
}

void studio_fit_look(studio_fit *f, studio_fit_view *view) {
  pthread_mutex_lock(&f->lock);
  *view = f->view;
  pthread_mutex_unlock(&f->lock);
}

bool studio_fit_read(studio_fit *f, int32_t frame, bool simulated, pl_vec3 *points) {
  pthread_mutex_lock(&f->lock);
  size_t n = (size_t)f->view.point_count;
  bool known = frame >= 0 && (simulated ? f->view.simulated && frame < f->view.frame_count : frame < f->view.tracked_count);
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

// --- tracking ---------------------------------------------------------------------------------------------------------------------

static pl_status read_files(studio_fit *f) {
  pl_status status = pl_capture_load(f->context, f->def.capture, &f->capture, NULL, &f->error);
  if (status >= 0) status = pl_mesh_load(f->context, f->def.tets, &f->tets, NULL, &f->error);
  if (status >= 0 && f->def.surface != NULL) status = pl_mesh_load(f->context, f->def.surface, &f->surface, NULL, &f->error);
  if (status < 0) return status;
  f->recording = pl_capture_get_view(f->capture);
  pl_mesh_view mesh = pl_mesh_get_view(f->tets);
  for (int32_t i = 0; i < f->def.held_count; ++i)
    if (f->def.held[i] < 0 || f->def.held[i] >= mesh.point_count)
      return pl_fail(&f->error, PL_ERROR_INVALID_DATA, "point %d is to be held, and the mesh has %d", f->def.held[i],
                     mesh.point_count);
  if (f->recording.frame_count < 2) return pl_fail(&f->error, PL_ERROR_INVALID_DATA, "a motion has two frames or more");
  double bytes = (double)f->recording.frame_count * mesh.point_count * (double)sizeof(pl_vec3);
  if (bytes > MAX_TRACK)
    return pl_fail(&f->error, PL_ERROR_UNSUPPORTED, "%d frames of %d points are too many here; use pliant capture",
                   f->recording.frame_count, mesh.point_count);
  return PL_OK;
}

static pl_status take_workspace(studio_fit *f) {
  size_t frames = (size_t)f->recording.frame_count, n = (size_t)pl_mesh_get_view(f->tets).point_count;
  pthread_mutex_lock(&f->lock);
  // A track that was taken over is kept if it is of this recording.
  bool known = f->track != NULL && f->view.frame_count == (int32_t)frames && f->view.point_count == (int32_t)n &&
               f->view.tracked_count == (int32_t)frames;
  f->view.frame_count = (int32_t)frames;
  f->view.point_count = (int32_t)n;
  if (!known) {
    f->view.tracked_count = 0;
    pl_release(f->owner, f->track);
    pl_release(f->owner, f->supports);
    f->track = pl_allocate_array(f->owner, frames * n, sizeof *f->track);
    f->supports = pl_allocate_array(f->owner, n, sizeof *f->supports);
  }
  f->simulation = pl_allocate_array(f->owner, frames * n, sizeof *f->simulation);
  bool good = f->track != NULL && f->supports != NULL && f->simulation != NULL;
  pthread_mutex_unlock(&f->lock);
  return good ? PL_OK : pl_fail_memory(&f->error);
}

static pl_status track_frame(studio_fit *f, pl_tracker *tracker, int32_t frame) {
  pl_cloud *cloud = NULL;
  pl_track_report report;
  pl_status status = pl_capture_load_frame(f->capture, frame, &cloud, NULL, &f->error);
  if (status < 0) return status;
  pl_cloud_view points = pl_cloud_get_view(cloud);
  status = pl_tracker_advance(tracker, f->recording.times[frame], &points, &report, &f->error);
  pl_cloud_destroy(cloud);
  if (status < 0) return status;
  if (report.state == PL_TRACK_LOST)
    return pl_fail(&f->error, PL_ERROR_INVALID_DATA, "the track is lost in frame %d: %.0f %% of its points are explained",
                   frame + 1, 100 * report.explained_fraction);
  pl_tracker_view found = pl_tracker_get_view(tracker);
  size_t n = (size_t)found.point_count;
  memcpy(f->track + (size_t)frame * n, found.points, n * sizeof *f->track);
  for (size_t i = 0; i < n; ++i) f->supports[i] += found.supports[i] / f->recording.frame_count;
  pthread_mutex_lock(&f->lock);
  f->view.tracked_count = frame + 1;
  ++f->view.shape_version;
  f->view.fraction = (frame + 1.0) / f->view.frame_count;
  f->view.has_error = true;
  f->view.error = report.residual;
  tell(f);
  return PL_OK;
}

static pl_status track(studio_fit *f) {
  pl_mesh_view mesh = pl_mesh_get_view(f->tets);
  pl_box box = pl_box_from_points(mesh.points, mesh.point_count);
  pl_fem_def body = pl_default_fem_def(f->def.material);
  pl_model *model = NULL;
  pl_tracker *tracker = NULL;
  body.young = YOUNG_GUESS;
  body.poisson = f->def.poisson;
  body.density = f->def.density;
  body.surface = f->surface;
  body.surface_tolerance = SURFACE_OUTSIDE * fmax(box.max.x - box.min.x, fmax(box.max.y - box.min.y, box.max.z - box.min.z));
  body.direct = pl_cholmod_backend();
  pl_status status = pl_fem_build(f->context, &body, f->tets, &model, &f->error);
  pl_track_def def = pl_default_track_def();
  def.held = f->def.held;
  def.held_count = f->def.held_count;
  def.cameras = f->recording.cameras;
  def.camera_count = f->recording.camera_count;
  if (status >= 0) status = pl_tracker_create(f->context, &def, model, mesh.points, &tracker, &f->error);
  for (int32_t i = 0; status >= 0 && i < f->recording.frame_count && !atomic_load(&f->stop); ++i)
    status = track_frame(f, tracker, i);
  pl_tracker_destroy(tracker);
  pl_model_destroy(model);
  return status;
}

// --- fitting ----------------------------------------------------------------------------------------------------------------------

// Whether nobody waits for what is being simulated.
static bool give_up(void *user) {
  studio_fit *f = user;
  return atomic_load(&f->abandon) || (atomic_load(&f->warming) && atomic_load(&f->stop));
}

// Pauses the fit after every iteration, so that it can be looked at. That costs nothing: what a look simulates, the next iteration would.
static bool after_iteration(void *user, const pl_fit *fit, const pl_fit_progress *progress) {
  studio_fit *f = user;
  (void)fit;
  pthread_mutex_lock(&f->lock);
  if (f->view.iteration_count < MAX_STUDIO_HISTORY) f->view.errors[f->view.iteration_count++] = progress->rms;
  f->view.has_error = true;
  f->view.error = progress->rms;
  f->view.fraction = fmin(1, (double)progress->frame_count / f->view.frame_count);
  tell(f);
  return false;
}

static pl_status set_up(studio_fit *f) {
  pl_fit_def def = pl_default_fit_def();
  f->sequence = (pl_fit_sequence){.frame_count = f->recording.frame_count,
                                  .frame_seconds = 1 / f->recording.rate,
                                  .positions = f->track,
                                  .point_weights = f->supports};
  def.material = f->def.material;
  def.density = f->def.density;
  def.gravity = f->recording.gravity;
  def.pinned = f->def.held;
  def.pinned_count = f->def.held_count;
  def.young.start = YOUNG_GUESS;
  def.poisson.start = f->def.poisson;
  def.max_steps = f->def.max_steps;
  def.max_iterations = MAX_STUDIO_HISTORY;
  def.direct = pl_cholmod_backend();
  def.after_iteration = after_iteration;
  def.give_up = give_up;
  def.user = f;
  return pl_fit_create(f->context, &def, f->tets, &(pl_fit_sequences){&f->sequence, 1}, &f->fit, &f->error);
}

static pl_status look_at_parameters(studio_fit *f) {
  pl_fit_report report;
  pl_status status = pl_fit_get_report(f->fit, &report, &f->error);
  if (status < 0) return status;
  pthread_mutex_lock(&f->lock);
  f->view.parameter_count = report.parameter_count < MAX_STUDIO_PARAMETERS ? report.parameter_count : MAX_STUDIO_PARAMETERS;
  memcpy(f->view.parameters, report.estimates, (size_t)f->view.parameter_count * sizeof *f->view.parameters);
  f->view.has_intervals = f->view.iteration_count > 0;
  tell(f);
  return PL_OK;
}

// The motion with the parameters as they stand.
static pl_status simulate(studio_fit *f, pl_vec3 *workspace) {
  double begin = pl_clock_seconds();
  pl_status status = pl_fit_predict(f->fit, &f->sequence, workspace, NULL, &f->error);
  f->shown = pl_clock_seconds();
  f->show_seconds = f->shown - begin;
  if (status < 0) return status;
  pthread_mutex_lock(&f->lock);
  memcpy(f->simulation, workspace, (size_t)f->view.frame_count * (size_t)f->view.point_count * sizeof *workspace);
  f->view.simulated = true;
  ++f->view.shape_version;
  tell(f);
  return PL_OK;
}

static pl_status iterate(studio_fit *f, pl_vec3 *workspace) {
  pl_status status = look_at_parameters(f), run = PL_REMARK_CANCELLED;
  bool fresh = false;
  while (status >= 0 && run == PL_REMARK_CANCELLED && !atomic_load(&f->stop)) {
    run = pl_fit_run(f->fit, &f->error);
    if (run < 0) return run;
    if (atomic_load(&f->abandon)) return PL_OK;
    status = look_at_parameters(f);
    fresh = fresh && run != PL_REMARK_CANCELLED;
    if (status < 0 || fresh || pl_clock_seconds() - f->shown < SHOW_PAUSE * f->show_seconds) continue;
    status = simulate(f, workspace);
    fresh = true;
  }
  if (status >= 0 && !fresh && !atomic_load(&f->abandon)) status = simulate(f, workspace);
  return status < 0 ? status : run;
}

static pl_status fit(studio_fit *f) {
  pl_vec3 *workspace = pl_allocate_array(f->context, (size_t)f->view.frame_count * (size_t)f->view.point_count, sizeof *workspace);
  pl_status status = workspace != NULL ? set_up(f) : pl_fail_memory(&f->error);
  if (status >= 0) begin_stage(f, "warm start");
  pl_warm_start_def warm = pl_default_warm_start_def();
  // A motion without a frequency, and a program without eigenvalues, begin with the guess.
  atomic_store(&f->warming, true);
  if (status >= 0) status = pl_fit_warm_start(f->fit, &warm, NULL, &f->error);
  atomic_store(&f->warming, false);
  if (status == PL_ERROR_UNSUPPORTED) status = PL_OK;
  if (status >= 0 && !atomic_load(&f->stop)) {
    begin_stage(f, "fit");
    status = iterate(f, workspace);
  } else if (status >= 0) {
    status = PL_REMARK_CANCELLED;
  }
  pl_release(f->context, workspace);
  return status;
}

// --- the thread -------------------------------------------------------------------------------------------------------------------

static void say_end(studio_fit *f, pl_status status) {
  pthread_mutex_lock(&f->lock);
  f->view.stage = status < 0 ? "failed" : status == PL_REMARK_CANCELLED ? "stopped" : "fitted";
  f->view.fraction = 1;
  if (status < 0)
    snprintf(f->view.text, sizeof f->view.text, "%s", f->error.text);
  else if (status == PL_REMARK_NOT_CONVERGED)
    snprintf(f->view.text, sizeof f->view.text, "not converged after %d iterations", f->view.iteration_count);
  tell(f);
}

static void *work(void *user) {
  studio_fit *f = user;
  // Of this thread and those that the context starts: the world goes first.
  (void)nice(10);
  pl_context_def def = pl_default_context_def();
  def.thread_count = f->def.thread_count;
  pl_status status = pl_context_create(&def, &f->context, &f->error);
  if (status >= 0) status = read_files(f);
  if (status >= 0) status = take_workspace(f);
  if (status >= 0 && f->view.tracked_count == 0) status = track(f);
  bool whole = status >= 0 && f->view.tracked_count == f->view.frame_count;
  status = status < 0 ? status : whole && !atomic_load(&f->stop) ? fit(f) : PL_REMARK_CANCELLED;
  say_end(f, status);
  pl_fit_destroy(f->fit);
  pl_mesh_destroy(f->surface);
  pl_mesh_destroy(f->tets);
  pl_capture_destroy(f->capture);
  pl_context_destroy(f->context);
  atomic_store(&f->ended, true);
  atomic_fetch_add(&f->version, 1);
  return NULL;
}

// --- beginning and ending ---------------------------------------------------------------------------------------------------------

static void free_all(studio_fit *f) {
  const void *blocks[] = {f->def.capture, f->def.tets, f->def.surface, f->def.held, f->track, f->simulation, f->supports};
  for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; ++i) pl_release(f->owner, (void *)(uintptr_t)blocks[i]);
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
  return held != NULL && f->def.capture != NULL && f->def.tets != NULL && (def->surface == NULL || f->def.surface != NULL);
}

// The track of a fit that has ended.
static void take_track(studio_fit *f, studio_fit *before) {
  if (before == NULL || !studio_fit_has_ended(before) || before->view.tracked_count != before->view.frame_count) return;
  f->view.frame_count = f->view.tracked_count = before->view.frame_count;
  f->view.point_count = before->view.point_count;
  f->track = before->track;
  f->supports = before->supports;
  before->track = NULL;
  before->supports = NULL;
  before->view.tracked_count = 0;
}

studio_fit *studio_fit_begin(pl_context *context, const studio_fit_def *def, pl_error *error) {
  studio_fit *f = pl_allocate_array(context, 1, sizeof *f);
  if (f == NULL) {
    pl_fail_memory(error);
    return NULL;
  }
  f->owner = context;
  f->view.stage = "track";
  pthread_mutex_init(&f->lock, NULL);
  pl_status status = copy_def(f, def) ? PL_OK : pl_fail_memory(error);
  if (status >= 0) take_track(f, def->before);
  if (status >= 0 && pthread_create(&f->thread, NULL, work, f) != 0)
    status = pl_fail(error, PL_ERROR_UNSUPPORTED, "the system would not start a thread");
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
