// A running fit: set up, run with a checkpoint after every iteration, resumed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool_fit.h"
#include "tool_folder.h"
#include "tool_interrupt.h"
#include "tool_ranks.h"

static char *checkpoint_path(const fit_job *job) {
  return tool_text("%s/fit.checkpoint", job->folder);
}

static char *history_path(const char *folder) {
  return tool_text("%s/history.csv", folder);
}

// Hash of everything that the result depends on.
static uint64_t hash_of(const fit_job *job) {
  const fit_object *object = job->object;
  pl_mesh_view mesh = pl_mesh_get_view(object->mesh);
  uint64_t hash = job->settings->hash;
  hash = fit_mix(hash, mesh.points, (size_t)mesh.point_count * sizeof *mesh.points);
  hash = fit_mix(hash, mesh.tets, 4 * (size_t)mesh.tet_count * sizeof *mesh.tets);
  hash = fit_mix(hash, object->held, (size_t)object->held_count * sizeof *object->held);
  for (int32_t i = 0; i < object->motion_count; ++i) {
    const fit_motion *motion = &object->motions[i];
    hash = fit_mix(hash, &motion->rate, sizeof motion->rate);
    hash = fit_mix(hash, motion->positions,
                   (size_t)motion->frame_count * (size_t)motion->point_count * sizeof *motion->positions);
    for (int32_t k = 0; k < motion->load_count; ++k) {
      const pl_fit_load *load = &motion->loads[k];
      size_t rows = (size_t)load->time_count;
      hash = fit_mix(hash, load->times, rows * sizeof *load->times);
      if (load->forces != NULL) hash = fit_mix(hash, load->forces, rows * sizeof *load->forces);
      if (load->pressures != NULL) hash = fit_mix(hash, load->pressures, rows * sizeof *load->pressures);
    }
  }
  for (int32_t i = 0; i < object->case_count; ++i) {
    const pl_fit_load_case *c = &object->cases[i];
    const double numbers[] = {c->force.x,        c->force.y,        c->force.z,  c->displacement.x,
                              c->displacement.y, c->displacement.z, c->reaction, c->reaction_deviation};
    hash = fit_mix(hash, numbers, sizeof numbers);
    if (c->markers != NULL)
      hash = fit_mix(hash, c->positions, (size_t)pl_embedding_get_view(c->markers).point_count * sizeof *c->positions);
  }
  return fit_mix(hash, object->vibrations, (size_t)object->vibration_count * sizeof *object->vibrations);
}

pl_fit_sequence fit_sequence_of(const fit_motion *motion) {
  return (pl_fit_sequence){.frame_count = motion->frame_count,
                           .frame_seconds = 1 / motion->rate,
                           .positions = motion->positions,
                           .point_weights = motion->weights,
                           .markers = motion->markers,
                           .start = motion->start,
                           .loads = motion->loads,
                           .load_count = motion->load_count};
}

// --- the history
// --------------------------------------------------------------------------------------------------------

static double *add_row(fit_job *job) {
  if (job->row_count == job->max_rows) {
    job->max_rows = job->max_rows * 2 + 64;
    double *longer = tool_allocate((size_t)job->max_rows * (size_t)job->column_count, sizeof *longer);
    if (job->row_count > 0)
      memcpy(longer, job->history, (size_t)job->row_count * (size_t)job->column_count * sizeof *longer);
    free(job->history);
    job->history = longer;
  }
  return job->history + (size_t)job->row_count++ * (size_t)job->column_count;
}

void fit_add_iteration(fit_job *job, const pl_fit_progress *progress, const double *values, int32_t count) {
  job->column_count = FIT_ROW_PARAMETERS + count;
  double *row = add_row(job);
  row[FIT_ROW_ITERATION] = progress->iteration;
  row[FIT_ROW_FRAMES] = progress->frame_count;
  row[FIT_ROW_STEPS] = progress->steps;
  row[FIT_ROW_RMS] = progress->rms;
  row[FIT_ROW_CHANGE] = progress->change;
  memcpy(row + FIT_ROW_PARAMETERS, values, (size_t)count * sizeof *row);
}

pl_status fit_write_history(const fit_job *job, const char *folder, pl_error *error) {
  static const char *const first[] = {"iteration", "frames", "steps", "rms", "change"}, *last[FIT_MAX_OTHERS];
  int32_t other_count = fit_list_others(&job->settings->def, last);
  int32_t control_count = job->column_count - FIT_ROW_PARAMETERS - other_count;
  char(*names)[20] = tool_allocate((size_t)control_count, sizeof *names);
  const char **columns = tool_allocate((size_t)job->column_count, sizeof *columns);
  for (int32_t k = 0; k < FIT_ROW_PARAMETERS; ++k) columns[k] = first[k];
  for (int32_t k = 0; k < control_count; ++k) {
    snprintf(names[k], sizeof names[k], "young_%d", k + 1);
    columns[FIT_ROW_PARAMETERS + k] = names[k];
  }
  for (int32_t k = 0; k < other_count; ++k) columns[job->column_count - other_count + k] = last[k];
  char *path = history_path(folder);
  pl_status status = pl_table_save(job->context, path,
                                   &(pl_table_view){job->column_count, columns, job->row_count, job->history}, error);
  free(path);
  free(columns);
  free(names);
  return status;
}

// --- checkpoints
// --------------------------------------------------------------------------------------------------------

static pl_status keep(fit_job *job, const pl_fit *fit, int32_t iteration, pl_error *error) {
  size_t size = pl_fit_snapshot_size(fit);
  void *state = tool_allocate(size, 1);
  pl_fit_snapshot(fit, state);
  char *path = checkpoint_path(job);
  pl_checkpoint_view view = {.scene_path = job->folder,
                             .scene_hash = job->hash,
                             .options = "fit",
                             .frame = iteration,
                             .frame_count = job->settings->def.max_iterations,
                             .snapshot = state,
                             .snapshot_size = size};
  pl_status status = pl_checkpoint_save(job->context, path, &view, error);
  free(path);
  free(state);
  return status;
}

// After every iteration: a row of the history, a line on the terminal, a checkpoint.
static bool after_iteration(void *user, const pl_fit *fit, const pl_fit_progress *progress) {
  fit_job *job = user;
  int32_t count;
  const double *values = pl_fit_get_values(fit, &count);
  fit_add_iteration(job, progress, values, count);
  bool fine = true;
  if (tool_rank() == 0) {
    tool_print(&job->tool->console, "iteration %3d  %4d frames of %d steps  rms %.4g mm  change %.2g",
               progress->iteration, progress->frame_count, progress->steps, 1e3 * progress->rms, progress->change);
    // The history first: a checkpoint must not know of an iteration that the history lacks.
    fine = fit_write_history(job, job->folder, &job->trouble) >= 0 &&
           keep(job, fit, progress->iteration, &job->trouble) >= 0;
  }
  return tool_ranks_agree(fine && tool_interrupt_count() == 0) != 0;
}

// Rows of the history up to the iteration of the checkpoint.
static void read_history(fit_job *job, int64_t iteration) {
  char *path = history_path(job->folder);
  pl_table *table = NULL;
  if (pl_table_load(job->context, path, &table, NULL) >= 0) {
    pl_table_view view = pl_table_get_view(table);
    for (int64_t i = 0; i < view.row_count && view.column_count == job->column_count; ++i)
      if (view.cells[i * view.column_count] <= (double)iteration)
        memcpy(add_row(job), view.cells + i * view.column_count, (size_t)job->column_count * sizeof *view.cells);
  }
  pl_table_destroy(table);
  free(path);
}

static pl_status go_on(fit_job *job, pl_error *error) {
  char *path = checkpoint_path(job);
  pl_checkpoint *checkpoint = NULL;
  pl_status status = pl_checkpoint_load(job->context, path, &checkpoint, error);
  if (status >= 0) {
    pl_checkpoint_view view = pl_checkpoint_get_view(checkpoint);
    if (view.scene_hash != job->hash) {
      *error = (pl_error){.status = PL_ERROR_INVALID_DATA};
      snprintf(error->file, sizeof error->file, "%s", path);
      snprintf(error->text, sizeof error->text,
               "this checkpoint belongs to a fit with other files or options; give the same ones, or start again "
               "without --resume");
      status = PL_ERROR_INVALID_DATA;
    }
    if (status >= 0) status = pl_fit_restore(job->fit, view.snapshot, view.snapshot_size, error);
    if (status >= 0) read_history(job, view.frame);
    if (status >= 0 && tool_rank() == 0)
      tool_print(&job->tool->console, "resuming after iteration %lld", (long long)view.frame);
  }
  pl_checkpoint_destroy(checkpoint);
  free(path);
  return status;
}

// --- the fit
// ------------------------------------------------------------------------------------------------------------

pl_status fit_open(fit_job *job, pl_error *error) {
  const fit_object *object = job->object;
  job->hash = hash_of(job);
  pl_status status = pl_field_build(job->context, &job->settings->field, object->mesh, &job->field, error);
  if (status < 0) return status;
  const char *others[FIT_MAX_OTHERS];
  job->column_count =
      FIT_ROW_PARAMETERS + pl_field_get_view(job->field).control_count + fit_list_others(&job->settings->def, others);
  job->sequences = tool_allocate((size_t)object->motion_count + 1, sizeof *job->sequences);
  for (int32_t i = 0; i < object->motion_count; ++i) job->sequences[i] = fit_sequence_of(&object->motions[i]);
  pl_fit_def def = job->settings->def;
  def.field = job->field;
  def.pinned = object->held;
  def.pinned_count = object->held_count;
  def.added_masses = object->masses;
  def.after_iteration = after_iteration;
  def.user = job;
  pl_fit_sequences data = {.items = job->sequences,
                           .count = object->motion_count,
                           .cases = object->cases,
                           .case_count = object->case_count,
                           .vibrations = object->vibrations,
                           .vibration_count = object->vibration_count};
  return pl_fit_create(job->context, &def, object->mesh, &data, &job->fit, error);
}

void fit_close(fit_job *job) {
  pl_fit_destroy(job->fit);
  pl_field_destroy(job->field);
  free(job->sequences);
  free(job->history);
}

static pl_status warm_up(fit_job *job, pl_error *error) {
  pl_warm_start_def def = pl_default_warm_start_def();
  pl_status status = pl_fit_warm_start(job->fit, &def, &job->warm, error);
  job->warmed = status == PL_OK;
  if (tool_rank() != 0 || status < 0) return status;
  const tool_console *console = &job->tool->console;
  if (job->warmed)
    tool_print(console,
               "warm start: the object oscillates at %.4g Hz with a damping ratio of %.3g; about %.4g Pa (%.3g s)",
               job->warm.frequency, job->warm.damping_ratio, job->warm.young, job->warm.seconds);
  else
    tool_print(console, "warm start: no frequency was found in the motion; the fit starts from %.4g Pa",
               job->settings->def.young.start);
  return status;
}

pl_status fit_run(fit_job *job, bool resume, pl_error *error) {
  pl_status status = PL_OK;
  if (resume)
    status = go_on(job, error);
  else if (job->settings->warm_start && !job->warmed && job->object->motion_count > 0)
    status = warm_up(job, error);
  if (status < 0) return status;
  job->trouble = (pl_error){0};
  status = pl_fit_run(job->fit, error);
  if (job->trouble.status < 0) {
    *error = job->trouble;
    return job->trouble.status;
  }
  return status;
}
