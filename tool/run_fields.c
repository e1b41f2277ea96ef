// Fields of VTU frames: contact pressure, stress, Young's modulus and weights of examples. They are part of the frames
// of the log, as positions are, except for what does not change.
#include <stdlib.h>
#include <string.h>

#include "tool_run.h"

enum { STRESS_NUMBERS = 6, MAX_FIELDS = 4 };

void run_lay_out_fields(run_job *run) {
  for (int32_t i = 0; i < run->body_count; ++i) {
    run_body *body = &run->bodies[i];
    pl_model_report facts = pl_model_get_report(body->model);
    pl_example_view examples = pl_model_get_examples(body->model);
    // Surfaces that are skins of a character are other points than those of contact.
    if (facts.surface_point_count == body->surface.point_count) body->pressure_count = facts.surface_point_count;
    if (body->logs_particles) {
      body->stress_count = STRESS_NUMBERS * pl_fem_tet_count(body->model);
      if (examples.manifold_count > 1 && examples.manifold_count == body->particle_count)
        body->weight_count = examples.example_count * body->particle_count;
    }
    int64_t count = (int64_t)body->pressure_count + body->stress_count + body->weight_count;
    body->field_start = run->point_count;
    run->point_count += (count + 2) / 3;
  }
}

static pl_status log_body(run_job *run, const run_body *body, pl_error *error) {
  double *pressures = (double *)(run->points + body->field_start), *stresses = pressures + body->pressure_count,
         *weights = stresses + body->stress_count;
  pl_status status = PL_OK;
  if (body->pressure_count > 0) status = pl_body_get_contact_pressures(run->world, body->info.id, pressures, error);
  if (status >= 0 && body->stress_count > 0) status = pl_fem_get_stress(run->world, body->info.id, stresses, error);
  int32_t count = body->weight_count > 0 ? body->weight_count / body->particle_count : 0;
  for (int32_t m = 0; status >= 0 && body->weight_count > 0 && m < body->particle_count; ++m)
    status = pl_body_get_weights(run->world, body->info.id, m, weights + (ptrdiff_t)m * count);
  return status;
}

pl_status run_log_fields(run_job *run, pl_error *error) {
  pl_status status = PL_OK;
  for (int32_t i = 0; i < run->body_count && status >= 0; ++i)
    if (run->bodies[i].field_start > 0) status = log_body(run, &run->bodies[i], error);
  return status;
}

// --- writing --------------------------------------------------------------------------------------------------------

struct run_fields {
  run_job *run;
  const run_body *body;
  pl_frame_field fields[MAX_FIELDS];
  int32_t field_count;
  double *record;             // the body's part of a frame
  double *pressures;          // of the points that are written
  int32_t *surface_of_point;  // of those: surface point, -1: inside
  int32_t point_count;
  double *moduli, *weights;            // of the tets; of the body, or of its points
  int32_t weights_start, weights_end;  // of the body among the numbers of the log
  double *numbers;
  char **names;  // of the weights
  int32_t name_count;
};

// Which point of the surface every written point is.
static pl_status map_points(run_fields *f, bool volume, const int32_t *point_of_output, pl_error *error) {
  int32_t *map = f->surface_of_point = tool_allocate((size_t)f->point_count, sizeof *map);
  // The surface of shells is their mesh.
  if (!volume || pl_mesh_get_view(f->body->info.mesh).tet_count == 0) {
    for (int32_t i = 0; i < f->point_count; ++i) map[i] = point_of_output != NULL ? point_of_output[i] : i;
    return PL_OK;
  }
  pl_mesh *boundary = NULL;
  int32_t *points = NULL;
  for (int32_t i = 0; i < f->point_count; ++i) map[i] = -1;
  points = tool_allocate((size_t)f->point_count, sizeof *points);
  pl_status status = pl_mesh_build_boundary(f->run->context, f->body->info.mesh, &boundary, points, error);
  if (status >= 0)
    for (int32_t i = 0; i < pl_mesh_get_view(boundary).point_count; ++i) map[points[i]] = i;
  pl_mesh_destroy(boundary);
  free(points);
  return status;
}

static pl_frame_field *add_field(run_fields *f, const char *name, pl_frame_field_kind kind, int32_t components,
                                 const double *values) {
  f->fields[f->field_count] =
      (pl_frame_field){.name = name, .kind = kind, .component_count = components, .values = values};
  return &f->fields[f->field_count++];
}

static void add_weights(run_fields *f) {
  const run_body *body = f->body;
  pl_example_view examples = pl_model_get_examples(body->model);
  pl_frame_field *field = NULL;
  if (body->weight_count > 0) {
    f->name_count = examples.example_count;
    field = add_field(f, "weights", PL_FRAME_FIELD_POINTS, f->name_count, f->weights);
  } else if (f->weights_end > f->weights_start) {
    f->name_count = f->weights_end - f->weights_start;
    field = add_field(f, "weights", PL_FRAME_FIELD_FRAME, f->name_count, f->weights);
  }
  if (field == NULL) return;
  f->names = tool_allocate((size_t)f->name_count, sizeof *f->names);
  for (int32_t k = 0; k < f->name_count; ++k) {
    const char *example = examples.names[k % examples.example_count];
    int32_t m = k / examples.example_count;
    f->names[k] = f->name_count == examples.example_count ? tool_text("%s", example)
                  : examples.manifold_names != NULL       ? tool_text("%s/%s", examples.manifold_names[m], example)
                                                          : tool_text("%d/%s", m, example);
  }
  field->component_names = (const char *const *)f->names;
}

pl_status run_fields_open(run_job *run, const run_body *body, bool volume, const int32_t *point_of_output,
                          run_fields **fields, pl_error *error) {
  static const char *const stress_names[STRESS_NUMBERS] = {"XX", "YY", "ZZ", "XY", "YZ", "XZ"};
  run_fields *f = *fields = tool_allocate(1, sizeof *f);
  f->run = run;
  f->body = body;
  f->point_count = volume ? body->particle_count : body->surface.point_count;
  int32_t outputs = f->point_count;
  if (point_of_output != NULL) outputs = f->point_count = pl_mesh_get_view(body->info.surface).source_count;
  int64_t count = (int64_t)body->pressure_count + body->stress_count + body->weight_count;
  int32_t tets = volume ? body->stress_count / STRESS_NUMBERS : 0, weights;
  f->weights_start = run_find_weights(run, body, &weights);
  f->weights_end = f->weights_start + weights;
  f->record = tool_allocate((size_t)count + 3, sizeof *f->record);
  f->numbers = tool_allocate((size_t)run->number_count + 3, sizeof *f->numbers);
  f->pressures = tool_allocate((size_t)outputs, sizeof *f->pressures);
  f->moduli = tool_allocate((size_t)tets, sizeof *f->moduli);
  f->weights = tool_allocate((size_t)(volume ? body->weight_count : 0) + (size_t)weights, sizeof *f->weights);
  pl_status status = PL_OK;
  if (body->pressure_count > 0) {
    add_field(f, "contact_pressure", PL_FRAME_FIELD_POINTS, 1, f->pressures);
    status = map_points(f, volume, point_of_output, error);
  }
  if (tets > 0) {
    add_field(f, "stress", PL_FRAME_FIELD_CELLS, STRESS_NUMBERS, f->record + body->pressure_count)->component_names =
        stress_names;
    pl_fem_get_moduli(body->model, f->moduli);
    add_field(f, "young", PL_FRAME_FIELD_CELLS, 1, f->moduli);
  }
  if (volume || body->weight_count == 0) add_weights(f);
  return status;
}

pl_status run_fields_read(run_fields *f, int64_t frame, pl_frames *frames, pl_error *error) {
  const run_body *body = f->body;
  int32_t count = body->pressure_count + body->stress_count + body->weight_count;
  pl_status status = PL_OK;
  if (count > 0)
    status = pl_frame_log_read(f->run->log, frame, body->field_start, (count + 2) / 3, (pl_vec3 *)f->record, error);
  if (status >= 0 && f->weights_end > f->weights_start)
    status = pl_frame_log_read(f->run->log, frame, f->run->number_start, (f->run->number_count + 2) / 3,
                               (pl_vec3 *)f->numbers, error);
  if (status < 0) return status;
  for (int32_t i = 0; body->pressure_count > 0 && i < f->point_count; ++i)
    f->pressures[i] = f->surface_of_point[i] >= 0 ? f->record[f->surface_of_point[i]] : 0;
  if (body->weight_count > 0)
    memcpy(f->weights, f->record + body->pressure_count + body->stress_count,
           (size_t)body->weight_count * sizeof *f->weights);
  else
    memcpy(f->weights, f->numbers + f->weights_start, (size_t)(f->weights_end - f->weights_start) * sizeof *f->weights);
  pl_frames_set_fields(frames, f->fields, f->field_count);
  return PL_OK;
}

void run_fields_close(run_fields *f) {
  if (f == NULL) return;
  for (int32_t k = 0; k < f->name_count; ++k) free(f->names[k]);
  free(f->names);
  free(f->record);
  free(f->numbers);
  free(f->pressures);
  free(f->moduli);
  free(f->weights);
  free(f->surface_of_point);
  free(f);
}
