// A run from the scene file to its results.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool_folder.h"
#include "tool_interrupt.h"
#include "tool_open.h"
#include "tool_run.h"
#include "tool_scene.h"

// Outcome of the frames.
typedef enum frames_end { FRAMES_DONE, FRAMES_INTERRUPTED, FRAMES_ABORTED, FRAMES_FAILED } frames_end;

static void close_run(run_job *run) {
  pl_frame_log_close(run->log);
  pl_scene_instance_destroy(run->set);
  pl_scene_destroy(run->scene);
  pl_findings_destroy(run->findings);
  pl_context_destroy(run->context);
  for (int32_t i = 0; i < run->body_count; ++i) free(run->bodies[i].file_name);
  free(run->bodies);
  free(run->actors);
  free(run->points);
  free(run->snapshot);
  free(run->folder);
  free(run->checkpoint_path);
  free(run->log_path);
  free(run->picture_path);
  free(run->plot_path);
  free(run->video_path);
  free(run->scene_path);
  free(run->option_text);
}

// Read the scene and build its world.
static pl_status open_scene(run_job *run, pl_error *error) {
  pl_context_def def = pl_default_context_def();
  def.thread_count = run->options.thread_count;
  pl_status status = pl_context_create(&def, &run->context, error);
  if (status >= 0) status = pl_findings_create(run->context, &run->findings, error);
  if (status >= 0)
    status = tool_load_scene(run->context, run->options.scene_path, &run->options.overrides, &run->scene_hash,
                             &run->scene, run->findings, error);
  if (status < 0) return status;
  run->scene_hash ^= tool_overrides_hash(&run->options.overrides);
  run->facts = pl_scene_get_report(run->scene);
  run->frame_count = run->options.frame_count > 0 ? run->options.frame_count : run->facts.frame_count;
  tool_building building;
  tool_building_start(run->tool, run->context, &building);
  building.def.has_seed = run->options.has_seed;
  building.def.seed = run->options.seed;
  status = pl_scene_build(run->context, &building.def, run->scene, &run->set, run->findings, error);
  tool_building_end(&building);
  if (status < 0) return status;
  run->world = pl_scene_instance_get_world(run->set);
  return PL_OK;
}

// All problems of the scene; the error only where it is not one of them.
static int report_scene(const run_job *run, pl_status status, const pl_error *error) {
  const tool_console *console = &run->tool->console;
  int32_t error_count = 0;
  if (run->findings != NULL) {
    tool_report_findings(console, run->findings, PL_SEVERITY_WARNING, run->options.scene_path);
    error_count = pl_findings_count(run->findings, PL_SEVERITY_ERROR);
  }
  if (status >= 0) return TOOL_DONE;
  if (error_count == 0) tool_report_error(console, error);
  return TOOL_FAILED;
}

static bool name_is_taken(const run_job *run, int32_t count, const char *name) {
  for (int32_t i = 0; i < count; ++i)
    if (strcmp(run->bodies[i].file_name, name) == 0) return true;
  return false;
}

static bool writes_tets(const run_options *options) {
  for (int i = 0; i < options->format_count; ++i)
    if (options->formats[i] == PL_FRAMES_VTU) return true;
  return false;
}

// Lay out a frame of the log: one piece per body.
static void lay_out_bodies(run_job *run) {
  int32_t count = pl_scene_instance_body_count(run->set);
  run->bodies = tool_allocate((size_t)count, sizeof *run->bodies);
  for (int32_t i = 0; i < count; ++i) {
    run_body *body = &run->bodies[i];
    body->info = pl_scene_instance_get_body(run->set, i);
    body->model = pl_body_get_model(run->world, body->info.id);
    pl_model_report facts = pl_model_get_report(body->model);
    body->surface = pl_scene_instance_get_surface_view(run->set, i);
    body->particle_count = facts.particle_count;
    body->logs_particles = writes_tets(&run->options) && body->info.surface == NULL && body->info.mesh != NULL;
    body->point_start = run->point_count;
    run->point_count += body->surface.point_count + (body->logs_particles ? 2 * body->particle_count : 0);
    body->file_name = tool_safe_name(body->info.name);
    if (name_is_taken(run, i, body->file_name)) {
      char *other = tool_text("%s_%d", body->file_name, i + 1);
      free(body->file_name);
      body->file_name = other;
    }
    run->body_count = i + 1;
  }
  run->body_point_count = run->point_count;
  run_lay_out_actors(run);
  run_lay_out_numbers(run);
  if (writes_tets(&run->options)) run_lay_out_fields(run);
  run->points = tool_allocate((size_t)run->point_count, sizeof *run->points);
  run->snapshot_size = pl_world_snapshot_size(run->world);
  run->snapshot = tool_allocate(run->snapshot_size, 1);
}

// The second Ctrl-C: no further step starts.
static pl_status stop_at_second_interrupt(void *user, pl_world *world, pl_error *error) {
  (void)user;
  (void)world;
  if (tool_interrupt_count() < 2) return PL_OK;
  if (error != NULL) *error = (pl_error){.status = PL_ERROR_UNSUPPORTED, .text = "stopped"};
  return PL_ERROR_UNSUPPORTED;
}

static pl_status log_frame(run_job *run, pl_error *error) {
  for (int32_t i = 0; i < run->body_count; ++i) {
    const run_body *body = &run->bodies[i];
    pl_vec3 *points = run->points + body->point_start;
    pl_status status = pl_scene_instance_get_surface(run->set, i, points);
    if (status >= 0 && body->logs_particles)
      status = pl_body_get_positions(run->world, body->info.id, points + body->surface.point_count);
    if (status >= 0 && body->logs_particles)
      status =
          pl_body_get_velocities(run->world, body->info.id, points + body->surface.point_count + body->particle_count);
    if (status < 0) return status;
  }
  pl_status status = run_log_actors(run);
  if (status < 0) return status;
  run_log_numbers(run);
  status = run_log_fields(run, error);
  if (status < 0) return status;
  return pl_frame_log_append(run->log, pl_world_get_hash(run->world), run->points, error);
}

static pl_status advance(run_job *run, pl_error *error) {
  pl_step_report report;
  pl_status status = pl_world_advance(run->world, 1 / run->facts.frame_rate, 0, &report, error);
  run->total.step_count += report.step_count;
  run->total.unconverged_count += report.unconverged_count;
  run->total.damped_count += report.damped_count;
  for (int k = 0; k < PL_STEP_PHASE_COUNT; ++k) run->total.phase_seconds[k] += report.phase_seconds[k];
  run->total.failed_body = report.failed_body;
  run->total.contact_count = report.contact_count;
  run->total.deepest_contact = report.deepest_contact;
  return status;
}

// Simulate from `frame` (the current frame of the world, already logged unless it is -1) to the last frame.
static frames_end simulate(run_job *run, int64_t frame, pl_error *error) {
  tool_progress progress = tool_progress_start(&run->tool->console, "frame", frame + 1, run->frame_count);
  double last_checkpoint = tool_seconds();
  frames_end end = FRAMES_DONE;
  while (frame + 1 < run->frame_count && end == FRAMES_DONE) {
    pl_status status = frame >= 0 ? advance(run, error) : PL_OK;
    if (status >= 0) status = log_frame(run, error);
    if (status < 0) {
      end = tool_interrupt_count() > 1 ? FRAMES_ABORTED : FRAMES_FAILED;
      break;
    }
    ++frame;
    tool_progress_show(&progress, frame + 1);
    double every = run->options.checkpoint_seconds;
    bool due = every > 0 && tool_seconds() - last_checkpoint >= every;
    if (tool_interrupt_count() == 1) end = FRAMES_INTERRUPTED;
    if (tool_interrupt_count() > 1) end = FRAMES_ABORTED;
    if (end == FRAMES_INTERRUPTED || (end == FRAMES_DONE && due)) {
      if (run_write_checkpoint(run, frame, error) < 0) end = FRAMES_FAILED;
      last_checkpoint = tool_seconds();
    }
  }
  tool_progress_end(&progress);
  return end;
}

static void print_phases(const run_job *run) {
  double sum = 0, steps = (double)(run->total.step_count > 0 ? run->total.step_count : 1);
  for (int k = 0; k < PL_STEP_PHASE_COUNT; ++k) sum += run->total.phase_seconds[k];
  if (run->total.step_count == 0) return;
  tool_print(&run->tool->console, "%-10s %10s %10s %7s", "phase", "seconds", "ms/step", "time");
  for (int k = 0; k < PL_STEP_PHASE_COUNT; ++k) {
    double seconds = run->total.phase_seconds[k];
    tool_print(&run->tool->console, "%-10s %10.3f %10.4f %5.0f %%", pl_step_phase_name((pl_step_phase)k), seconds,
               1e3 * seconds / steps, sum > 0 ? 100 * seconds / sum : 0);
  }
  tool_print(&run->tool->console, "%-10s %10.3f %10.4f", "all", sum, 1e3 * sum / steps);
  // Printed, but not a warning of the run: single steps of a hard landing end like this, and the next step corrects it.
  if (run->total.unconverged_count > 0)
    tool_print(&run->tool->console,
               "%lld steps of bodies (in %lld steps of the world) reached the maximum of Newton iterations; if these "
               "are many, shorten "
               "time.step or raise max_newton_iterations",
               (long long)run->total.unconverged_count, (long long)run->total.step_count);
  if (run->total.damped_count > 0)
    tool_print(&run->tool->console,
               "%lld steps of bodies would have gained energy and were damped; if these are many, shorten time.step",
               (long long)run->total.damped_count);
}

static pl_status print_hashes(run_job *run, pl_error *error) {
  int64_t count = pl_frame_log_count(run->log);
  pl_status status = PL_OK;
  for (int64_t frame = 0; run->options.hash == RUN_HASH_FRAMES && frame < count && status >= 0; ++frame) {
    uint64_t hash;
    status = pl_frame_log_get_hash(run->log, frame, &hash, error);
    if (status >= 0) printf("frame %lld %016llx\n", (long long)frame, (unsigned long long)hash);
  }
  if (status >= 0 && run->options.hash != RUN_HASH_NONE)
    printf("%016llx\n", (unsigned long long)pl_world_get_hash(run->world));
  return status;
}

// The results are written: remove checkpoint and log.
static void forget_checkpoint(run_job *run) {
  pl_frame_log_close(run->log);
  run->log = NULL;
  unlink(run->checkpoint_path);
  unlink(run->log_path);
}

static int print_resume_command(run_job *run) {
  const tool_console *console = &run->tool->console;
  if (!tool_is_file(run->checkpoint_path)) {
    forget_checkpoint(run);
    tool_print(console, "nothing was saved: there was no checkpoint yet");
    return TOOL_FAILED;
  }
  char *program = tool_shell_word(run->tool->program), *folder = tool_shell_word(run->folder);
  // A scene of standard input has to be given again.
  bool is_input = tool_is_standard_input(run->scene_path);
  tool_print(console, "resume with: %s run %s--resume %s%s", program, is_input ? "- " : "", folder,
             is_input ? " and the same scene on standard input" : "");
  free(program);
  free(folder);
  return TOOL_FAILED;
}

static pl_status write_results(run_job *run, pl_error *error) {
  pl_status status = run_write_outputs(run, error);
  if (status >= 0 && tool_interrupt_count() == 0) status = run_write_actors(run, error);
  bool writes = run->options.format_count > 0 || run->options.actor_tables;
  if (status >= 0 && writes && !run->options.no_tables && tool_interrupt_count() == 0)
    status = run_write_numbers(run, error);
  if (status >= 0 && tool_interrupt_count() == 0) status = run_write_plot(run, error);
  if (status >= 0 && tool_interrupt_count() == 0) status = run_write_pictures(run, error);
  return status;
}

static void print_done(const run_job *run) {
  const tool_console *console = &run->tool->console;
  char duration[32];
  tool_duration_text(tool_seconds() - run->begin, duration, sizeof duration);
  print_phases(run);
  tool_print(console, "%lld frames in %s; results in %s", (long long)pl_frame_log_count(run->log), duration,
             run->folder);
  if (run->picture_path != NULL) tool_print(console, "picture: %s", run->picture_path);
  if (run->video_path != NULL) tool_print(console, "video: %s", run->video_path);
  if (run->plot_path != NULL) tool_print(console, "plot: %s", run->plot_path);
}

// NULL for a body that is not one of the scene's.
static const char *name_of_body(const run_job *run, pl_body_id id) {
  for (int32_t i = 0; i < run->body_count; ++i)
    if (run->bodies[i].info.id.slot == id.slot && run->bodies[i].info.id.generation == id.generation)
      return run->bodies[i].info.name;
  return NULL;
}

// Frames, then results. The log must be open.
static int simulate_and_write(run_job *run, int64_t frame) {
  const tool_console *console = &run->tool->console;
  pl_error error = {0};
  frames_end end = simulate(run, frame, &error);
  bool exploded = end == FRAMES_FAILED && error.status == PL_ERROR_NOT_FINITE;
  if (end == FRAMES_ABORTED) {
    tool_print(console, "stopped immediately");
    return print_resume_command(run);
  }
  if (end == FRAMES_INTERRUPTED) {
    tool_print(console, "stopped after frame %lld of %lld", (long long)pl_frame_log_count(run->log) - 1,
               (long long)run->frame_count);
    return print_resume_command(run);
  }
  if (end == FRAMES_FAILED) tool_report_error(console, &error);
  if (end == FRAMES_FAILED && !exploded) return print_resume_command(run);
  if (exploded) {
    const char *name = name_of_body(run, run->total.failed_body);
    if (name != NULL) tool_print(console, "the body '%s' failed", name);
    tool_print(console, "the %lld frames before are written", (long long)pl_frame_log_count(run->log));
  }

  int64_t last = pl_frame_log_count(run->log) - 1;
  pl_status status = write_results(run, &error);
  if (status >= 0 && tool_interrupt_count() == 0 && !exploded) status = print_hashes(run, &error);
  if (status < 0) tool_report_error(console, &error);
  if (tool_interrupt_count() > 0 || status < 0) {
    // All frames are simulated; only the results are missing.
    if (exploded) {
      forget_checkpoint(run);
      return TOOL_FAILED;
    }
    if (run_write_checkpoint(run, last, &error) < 0) tool_report_error(console, &error);
    return print_resume_command(run);
  }
  print_done(run);
  if (run->options.json) run_print_report(run, !exploded);
  if (!exploded && !run_print_actors(run)) run->remarks = true;
  forget_checkpoint(run);
  return exploded ? TOOL_FAILED : run->remarks ? TOOL_REMARKS : TOOL_DONE;
}

static void name_files(run_job *run) {
  run->folder = tool_text("%s", run->options.folder);
  run->scene_path =
      tool_is_standard_input(run->options.scene_path) ? tool_text("-") : tool_absolute_path(run->options.scene_path);
  run->checkpoint_path = run_checkpoint_path(run->folder);
  run->log_path = tool_text("%s/pliant.frames", run->folder);
  const char *picture = run->options.picture, *video = run->options.video;
  char *folder = tool_absolute_path(run->folder);
  if (picture != NULL)
    run->picture_path = picture[0] != '\0' ? tool_absolute_path(picture) : tool_text("%s/picture.png", folder);
  const char *plot = run->options.plot;
  if (plot != NULL) run->plot_path = plot[0] != '\0' ? tool_absolute_path(plot) : tool_text("%s/plot.svg", folder);
  if (video != NULL) run->video_path = video[0] != '\0' ? tool_absolute_path(video) : tool_text("%s/video.mp4", folder);
  free(folder);
  run->option_text = run_options_text(&run->options, run);
}

static void print_start(const run_job *run, int64_t frame) {
  int64_t particles = 0;
  for (int32_t i = 0; i < run->body_count; ++i) particles += run->bodies[i].particle_count;
  tool_print(&run->tool->console, "%s: %d %s, %lld particles, %lld frames at %g/s, step %.4g ms, %d %s",
             run->facts.name, run->body_count, run->body_count == 1 ? "body" : "bodies", (long long)particles,
             (long long)run->frame_count, run->facts.frame_rate, 1e3 * run->facts.step,
             pl_context_thread_count(run->context), pl_context_thread_count(run->context) == 1 ? "thread" : "threads");
  if (frame >= 0) tool_print(&run->tool->console, "resuming after frame %lld", (long long)frame);
}

// Start a new log, or resume from the checkpoint; `frame` becomes the current frame of the world, -1 for none yet.
static pl_status begin_frames(run_job *run, int64_t *frame, pl_error *error) {
  *frame = -1;
  tool_folder_sweep(run->folder);
  if (run->options.resume) return run_go_on(run, frame, error);
  if (tool_is_file(run->checkpoint_path))
    tool_print_warning(&run->tool->console, "the checkpoint of an unfinished run in '%s' is replaced", run->folder);
  // Order matters: a checkpoint must not outlive the log it belongs to.
  unlink(run->checkpoint_path);
  return pl_frame_log_open(run->context, run->log_path, run->point_count, 0, &run->log, error);
}

int run_scene(const tool_session *tool, const run_options *options) {
  run_job run = {.tool = tool, .options = *options, .begin = tool_seconds()};
  pl_error error = {0};
  int64_t frame = -1;
  pl_status status = open_scene(&run, &error);
  int code = report_scene(&run, status, &error);
  if (code == TOOL_DONE) {
    run.remarks = pl_findings_count(run.findings, PL_SEVERITY_WARNING) > 0;
    name_files(&run);
    lay_out_bodies(&run);
    if (!tool_folder_make(tool, run.folder)) code = TOOL_FAILED;
    if (code == TOOL_DONE && options->observer && !run.facts.has_observer) {
      tool_print_error(&tool->console,
                       "'%s' has no second camera; --observer needs one called \"observer\" in the scene",
                       options->scene_path);
      code = TOOL_FAILED;
    }
    // Better now than after an hour.
    if (code == TOOL_DONE && !run_check_strip(&run)) code = TOOL_FAILED;
    if (code == TOOL_DONE && run.video_path != NULL && !tool_has_program("ffmpeg")) {
      tool_print_error(&tool->console, "ffmpeg is not installed; a video needs it");
      code = TOOL_FAILED;
    }
  }
  if (code == TOOL_DONE) {
    status = begin_frames(&run, &frame, &error);
    pl_controller stopper = {.before_step = stop_at_second_interrupt};
    if (status >= 0) status = pl_world_add_controller(run.world, &stopper, &error);
    if (status < 0) code = tool_report_error(&tool->console, &error);
  }
  if (code == TOOL_DONE) {
    print_start(&run, frame);
    tool_interrupt_watch();
    code = simulate_and_write(&run, frame);
    tool_interrupt_release();
  }
  close_run(&run);
  return code;
}
