// Frames of the log written in the formats that were asked for, one body after the other so that few files are open at
// a time.
#include <stdlib.h>
#include <string.h>

#include "tool_interrupt.h"
#include "tool_run.h"

// Input of the writer of one body and format: the points in the order of the user's file, and their connectivity.
typedef struct output_shape {
  int32_t point_count;
  const int32_t *point_of_output;  // NULL: as they are
  const int32_t *triangles;
  int32_t triangle_count;
  const int32_t *tets;
  int32_t tet_count;
  int64_t point_start;  // in a frame of the log
  int32_t log_point_count;
  bool has_velocities;     // after the points in a frame of the log
  const pl_vec3 *rest;     // NULL: not known
  const char *source;      // the user's file, where the points are its vertices
  int32_t *own_triangles;  // to be freed
} output_shape;

// Triangles between the vertices of the user's file, where several of them are one point of the surface: the first
// stands for all.
static int32_t *triangles_of_source(const pl_mesh_view *mesh, const int32_t *triangles, int32_t triangle_count) {
  int32_t *first = tool_allocate((size_t)mesh->point_count, sizeof *first);
  for (int32_t i = mesh->source_count - 1; i >= 0; --i) first[mesh->point_of_source[i]] = i;
  int32_t *made = tool_allocate((size_t)triangle_count * 3, sizeof *made);
  for (int32_t i = 0; i < 3 * triangle_count; ++i) made[i] = first[triangles[i]];
  free(first);
  return made;
}

static output_shape surface_shape(const run_body *body) {
  output_shape shape = {.point_count = body->surface.point_count,
                        .triangles = body->surface.triangles,
                        .triangle_count = body->surface.triangle_count,
                        .point_start = body->point_start,
                        .log_point_count = body->surface.point_count};
  if (body->info.surface == NULL) return shape;
  pl_mesh_view mesh = pl_mesh_get_view(body->info.surface);
  if (mesh.point_count != body->surface.point_count) return shape;
  shape.source = body->info.mesh_path;
  if (mesh.point_of_source == NULL) return shape;
  shape.point_count = mesh.source_count;
  shape.point_of_output = mesh.point_of_source;
  shape.own_triangles = triangles_of_source(&mesh, shape.triangles, shape.triangle_count);
  shape.triangles = shape.own_triangles;
  return shape;
}

// The particles with their tets, for formats that can hold them, where the visible surface is the boundary of those
// tets.
static output_shape volume_shape(const run_body *body) {
  pl_mesh_view mesh = pl_mesh_get_view(body->info.mesh);
  return (output_shape){.point_count = body->particle_count,
                        .tets = mesh.tets,
                        .tet_count = mesh.tet_count,
                        .point_start = body->point_start + body->surface.point_count,
                        .log_point_count = body->particle_count,
                        .has_velocities = true,
                        .rest = mesh.points};
}

// Formats that store velocities.
static bool stores_velocities(pl_frame_format format) {
  return format == PL_FRAMES_VTU || format == PL_FRAMES_USDA || format == PL_FRAMES_PLY || format == PL_FRAMES_CSV ||
         format == PL_FRAMES_NPZ;
}

// Velocities of a surface at a frame: from the frame before to the frame after, or from the frame itself at the ends,
// which is what motion blur needs. `other` holds as many points as the log has of the body.
static pl_status read_velocities(run_job *run, const output_shape *shape, int64_t frame, pl_vec3 *other,
                                 pl_vec3 *velocities, pl_error *error) {
  int64_t last = pl_frame_log_count(run->log) - 1, before = frame > 0 ? frame - 1 : 0,
          after = frame < last ? frame + 1 : last;
  double rate = after > before ? run->facts.frame_rate / (double)(after - before) : 0;
  pl_status status = PL_OK;
  for (int side = 0; side < 2 && status >= 0; ++side) {
    status = pl_frame_log_read(run->log, side == 0 ? before : after, shape->point_start, shape->log_point_count, other,
                               error);
    for (int32_t i = 0; i < shape->point_count && status >= 0; ++i) {
      pl_vec3 p = other[shape->point_of_output != NULL ? shape->point_of_output[i] : i];
      velocities[i] = side == 0 ? p : pl_vec3_scale(pl_vec3_sub(p, velocities[i]), rate);
    }
  }
  return status;
}

static pl_status write_frames(run_job *run, const run_body *body, pl_frame_format format, tool_progress *progress,
                              int64_t *done, pl_error *error) {
  bool volume = format == PL_FRAMES_VTU && body->logs_particles;
  output_shape shape = volume ? volume_shape(body) : surface_shape(body);
  char *path = tool_text("%s/%s", run->folder, body->file_name);
  pl_frames_def def = pl_default_frames_def(format);
  def.path = path;
  def.frame_rate = run->facts.frame_rate;
  def.frame_count = (int32_t)pl_frame_log_count(run->log);
  def.point_count = shape.point_count;
  def.triangles = shape.triangles;
  def.triangle_count = shape.triangle_count;
  def.tets = shape.tets;
  def.tet_count = shape.tet_count;
  def.rest_points = shape.rest;
  def.source = shape.source;
  def.name = body->info.name;

  pl_vec3 *points = tool_allocate((size_t)shape.log_point_count, sizeof *points);
  pl_vec3 *ordered = shape.point_of_output != NULL ? tool_allocate((size_t)shape.point_count, sizeof *ordered) : NULL;
  bool estimated = !shape.has_velocities && stores_velocities(format);
  pl_vec3 *velocities =
      shape.has_velocities || estimated ? tool_allocate((size_t)shape.point_count, sizeof *velocities) : NULL;
  pl_frames *frames = NULL;
  run_fields *fields = NULL;
  pl_status status = pl_frames_create(run->context, &def, &frames, error);
  if (status >= 0 && format == PL_FRAMES_VTU)
    status = run_fields_open(run, body, volume, shape.point_of_output, &fields, error);
  for (int64_t frame = 0; status >= 0 && frame < pl_frame_log_count(run->log); ++frame) {
    if (estimated) status = read_velocities(run, &shape, frame, points, velocities, error);
    if (status >= 0)
      status = pl_frame_log_read(run->log, frame, shape.point_start, shape.log_point_count, points, error);
    if (status >= 0 && shape.has_velocities)
      status = pl_frame_log_read(run->log, frame, shape.point_start + shape.log_point_count, shape.log_point_count,
                                 velocities, error);
    if (status < 0) break;
    pl_frames_set_velocities(frames, velocities);
    if (fields != NULL) status = run_fields_read(fields, frame, frames, error);
    if (status < 0) break;
    for (int32_t i = 0; ordered != NULL && i < shape.point_count; ++i) ordered[i] = points[shape.point_of_output[i]];
    status = pl_frames_add_frame(frames, ordered != NULL ? ordered : points, error);
    if (tool_interrupt_count() > 0) {
      *error = (pl_error){.status = PL_REMARK_CANCELLED};
      break;
    }
    tool_progress_show(progress, ++*done);
  }
  if (status >= 0 && tool_interrupt_count() == 0)
    status = pl_frames_close(frames, error);
  else
    pl_frames_abandon(frames);
  run_fields_close(fields);
  free(points);
  free(ordered);
  free(velocities);
  free(shape.own_triangles);
  free(path);
  return status;
}

pl_status run_write_outputs(run_job *run, pl_error *error) {
  pl_status status = PL_OK;
  int64_t total = (int64_t)run->body_count * run->options.format_count * pl_frame_log_count(run->log), done = 0;
  tool_progress progress = tool_progress_start(&run->tool->console, "writing frame", 0, total);
  for (int32_t i = 0; i < run->body_count; ++i)
    for (int k = 0; k < run->options.format_count && status >= 0 && tool_interrupt_count() == 0; ++k)
      status = write_frames(run, &run->bodies[i], run->options.formats[k], &progress, &done, error);
  tool_progress_end(&progress);
  return status;
}
