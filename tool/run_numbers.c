// Numbers of a run: energies and contacts of every frame as energy.csv, weights of examples as weights.csv, with the
// format npz also as energy.npz and weights.npz. They are
// part of the frames of the log, so that a resumed run has those from before the interruption.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_run.h"

// Contacts and the deepest of them, then kinetic and elastic energy of every body, then the weights.
enum { WORLD_NUMBERS = 2, BODY_NUMBERS = 2 };
// Regions with weights of their own are as many as particles: a table of them would have thousands of columns.
enum { MAX_BODY_WEIGHTS = 256 };

static int32_t weight_count(const run_body *body) {
  pl_example_view examples = pl_model_get_examples(body->model);
  int64_t count = (int64_t)examples.example_count * examples.manifold_count;
  return count <= MAX_BODY_WEIGHTS ? (int32_t)count : 0;
}

int32_t run_find_weights(const run_job *run, const run_body *body, int32_t *count) {
  int32_t start = WORLD_NUMBERS + BODY_NUMBERS * run->body_count;
  for (const run_body *other = run->bodies; other != body; ++other) start += weight_count(other);
  *count = weight_count(body);
  return start;
}

void run_lay_out_numbers(run_job *run) {
  run->number_start = run->point_count;
  run->number_count = WORLD_NUMBERS + BODY_NUMBERS * run->body_count;
  for (int32_t i = 0; i < run->body_count; ++i) run->number_count += weight_count(&run->bodies[i]);
  run->point_count += (run->number_count + 2) / 3;
}

static double *log_weights(const run_job *run, const run_body *body, double *to) {
  pl_example_view examples = pl_model_get_examples(body->model);
  if (weight_count(body) == 0) return to;
  for (int32_t m = 0; m < examples.manifold_count; ++m, to += examples.example_count)
    if (pl_body_get_weights(run->world, body->info.id, m, to) < 0)
      memset(to, 0, (size_t)examples.example_count * sizeof *to);
  return to;
}

void run_log_numbers(run_job *run) {
  double *numbers = (double *)(run->points + run->number_start), *weights;
  numbers[0] = run->total.contact_count;
  numbers[1] = run->total.deepest_contact + 0.0;  // -0 is 0
  weights = numbers + WORLD_NUMBERS + BODY_NUMBERS * run->body_count;
  for (int32_t i = 0; i < run->body_count; ++i) {
    pl_fem_report fem = {0};
    double *energies = numbers + WORLD_NUMBERS + BODY_NUMBERS * i;
    energies[0] = pl_body_get_report(run->world, run->bodies[i].info.id).kinetic_energy;
    energies[1] = pl_fem_get_report(run->world, run->bodies[i].info.id, &fem) >= 0 ? fem.energy : 0;
    weights = log_weights(run, &run->bodies[i], weights);
  }
}

int32_t run_find_energies(int32_t body) {
  return WORLD_NUMBERS + BODY_NUMBERS * body;
}

pl_status run_read_numbers(run_job *run, int64_t frame, double *numbers, pl_error *error) {
  return pl_frame_log_read(run->log, frame, run->number_start, (run->number_count + 2) / 3, (pl_vec3 *)numbers, error);
}

// --- tables -------------------------------------------------------------------------------------------------------

static bool writes_arrays(const run_options *options) {
  for (int i = 0; i < options->format_count; ++i)
    if (options->formats[i] == PL_FRAMES_NPZ) return true;
  return false;
}

// Columns `begin` … `end` of the numbers as a table; the names are freed.
static pl_status write_table(run_job *run, const char *file, char **names, int32_t begin, int32_t end,
                             pl_error *error) {
  int64_t frame_count = pl_frame_log_count(run->log);
  int32_t count = end - begin + 2, points = (run->number_count + 2) / 3;
  const char **columns = tool_allocate((size_t)count, sizeof *columns);
  double *cells = tool_allocate((size_t)frame_count * (size_t)count, sizeof *cells);
  pl_vec3 *record = tool_allocate((size_t)points, sizeof *record);
  pl_status status = PL_OK;
  columns[0] = "frame", columns[1] = "time";
  for (int32_t k = begin; k < end; ++k) columns[2 + k - begin] = names[k - begin];
  for (int64_t frame = 0; frame < frame_count && status >= 0; ++frame) {
    double *row = cells + frame * count;
    status = pl_frame_log_read(run->log, frame, run->number_start, points, record, error);
    row[0] = (double)frame;
    row[1] = (double)frame / run->facts.frame_rate;
    memcpy(row + 2, (const double *)record + begin, (size_t)(end - begin) * sizeof *row);
  }
  for (int i = 0; i < 2 && status >= 0; ++i) {
    // As arrays too, where frames are written as arrays.
    if (i == 1 && !writes_arrays(&run->options)) continue;
    char *path = tool_text("%s/%s.%s", run->folder, file, i == 0 ? "csv" : "npz");
    status = pl_table_save(run->context, path, &(pl_table_view){count, columns, frame_count, cells}, error);
    free(path);
  }
  for (int32_t k = begin; k < end; ++k) free(names[k - begin]);
  free(record);
  free(cells);
  free(columns);
  return status;
}

// Without commas, which would part columns.
char *run_column_name(const char *body, const char *manifold, int32_t number, const char *example) {
  char *name = manifold != NULL ? tool_text("%s/%s/%s", body, manifold, example)
               : number >= 0    ? tool_text("%s/%d/%s", body, number, example)
                                : tool_text("%s/%s", body, example);
  for (char *c = name; *c != '\0'; ++c)
    if (*c == ',' || *c == '\n' || *c == '"') *c = '_';
  return name;
}

static void name_weights(const run_body *body, char **names, int32_t *count) {
  pl_example_view examples = pl_model_get_examples(body->model);
  if (weight_count(body) == 0) return;
  for (int32_t m = 0; m < examples.manifold_count; ++m)
    for (int32_t k = 0; k < examples.example_count; ++k)
      names[(*count)++] =
          run_column_name(body->file_name, examples.manifold_names != NULL ? examples.manifold_names[m] : NULL,
                          examples.manifold_count > 1 ? m : -1, examples.names[k]);
}

pl_status run_write_numbers(run_job *run, pl_error *error) {
  int32_t weights_start = WORLD_NUMBERS + BODY_NUMBERS * run->body_count, count = 0;
  char **names = tool_allocate((size_t)run->number_count, sizeof *names);
  names[count++] = tool_text("contacts");
  names[count++] = tool_text("deepest_contact");
  for (int32_t i = 0; i < run->body_count; ++i) {
    names[count++] = run_column_name(run->bodies[i].file_name, NULL, -1, "kinetic");
    names[count++] = run_column_name(run->bodies[i].file_name, NULL, -1, "elastic");
  }
  pl_status status = write_table(run, "energy", names, 0, weights_start, error);
  count = 0;
  for (int32_t i = 0; i < run->body_count; ++i) name_weights(&run->bodies[i], names, &count);
  if (status >= 0 && count > 0)
    status = write_table(run, "weights", names, weights_start, weights_start + count, error);
  free(names);
  return status;
}
