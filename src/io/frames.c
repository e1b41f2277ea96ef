// Frames to disk: checks that hold for every format, the one file that most of them write, and the life of a writer.
// The formats themselves are in frames_*.c, one table of functions each.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/frames_format.h"
#include "io/gltf_motion.h"

static const pl_frames_kind *kind_of(pl_frame_format format) {
  switch (format) {
    case PL_FRAMES_PC2: return &pl_frames_pc2;
    case PL_FRAMES_MDD: return &pl_frames_mdd;
    case PL_FRAMES_GLB: return &pl_frames_glb;
    case PL_FRAMES_VTU: return &pl_frames_vtu;
    case PL_FRAMES_OBJ: return &pl_frames_obj;
    case PL_FRAMES_PLY: return &pl_frames_ply;
    case PL_FRAMES_CSV: return &pl_frames_csv;
    case PL_FRAMES_NPZ: return &pl_frames_npz;
    case PL_FRAMES_USDA: return &pl_frames_usda;
  }
  return NULL;
}

const char *pl_frame_format_name(pl_frame_format format) {
  const pl_frames_kind *kind = kind_of(format);
  return kind == NULL ? "unknown" : kind->name;
}

pl_frame_format pl_frame_format_find(const char *name) {
  for (int format = PL_FRAMES_PC2; format <= PL_FRAMES_USDA; ++format)
    if (strcmp(kind_of((pl_frame_format)format)->name, name) == 0) return (pl_frame_format)format;
  return (pl_frame_format)0;
}

pl_frames_def pl_default_frames_def(pl_frame_format format) {
  return (pl_frames_def){.format = format, .frame_rate = 60, .magic = PL_DEF_MAGIC};
}

double pl_frames_time(const pl_frames *frames, int32_t frame) {
  return frames->def.start_time + frame / frames->def.frame_rate;
}

char *pl_frames_file_name(const pl_frames *frames, int32_t frame) {
  size_t workspace = strlen(frames->path) + 32;
  char *name = pl_allocate(frames->context, workspace);
  if (name != NULL) snprintf(name, workspace, "%s_%04d.%s", frames->path, frame + 1, frames->kind->name);
  return name;
}

void pl_frames_put_float_vector(pl_file_writer *writer, pl_vec3 v) {
  pl_file_writer_float32(writer, (float)v.x);
  pl_file_writer_float32(writer, (float)v.y);
  pl_file_writer_float32(writer, (float)v.z);
}

static pl_status check_corners(const int32_t *corners, int64_t corner_count, int32_t point_count, const char *what,
                               int per_element, pl_error *error) {
  for (int64_t i = 0; i < corner_count; ++i)
    if (corners[i] < 0 || corners[i] >= point_count)
      return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "corner %d of %s %lld is point %d; there are %d",
                     (int)(i % per_element), what, (long long)(i / per_element), corners[i], point_count);
  return PL_OK;
}

static pl_status check_frames_def(const pl_frames_def *def, pl_error *error) {
  pl_status status = pl_check_def(def->magic, "pl_frames_def", error);
  if (status < 0) return status;
  if (kind_of(def->format) == NULL)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "there is no frame format %d", (int)def->format);
  if (def->path == NULL || def->path[0] == '\0') return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "path is empty");
  if (!(def->frame_rate > 0) || !isfinite(def->frame_rate) || !isfinite(def->start_time))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "frame_rate must be positive and start_time finite");
  if (def->frame_count < 1 || def->point_count < 1)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "frame_count is %d and point_count %d; both must be at least 1",
                   def->frame_count, def->point_count);
  if (def->triangle_count < 0 || def->tet_count < 0 || (def->triangle_count > 0 && def->triangles == NULL) ||
      (def->tet_count > 0 && def->tets == NULL))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "counts of triangles and tets must go with their arrays");
  status = check_corners(def->triangles, 3 * (int64_t)def->triangle_count, def->point_count, "triangle", 3, error);
  if (status >= 0) status = check_corners(def->tets, 4 * (int64_t)def->tet_count, def->point_count, "tet", 4, error);
  return status;
}

static char *copy_text(pl_context *context, const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = pl_allocate(context, size);
  if (copy != NULL) memcpy(copy, text, size);
  return copy;
}

static pl_status begin(pl_frames *frames, pl_error *error) {
  frames->path = copy_text(frames->context, frames->def.path);
  frames->name = copy_text(frames->context, frames->def.name == NULL ? "" : frames->def.name);
  if (frames->path == NULL || frames->name == NULL) return pl_fail_memory(error);
  if (frames->kind->one_file) {
    size_t workspace = strlen(frames->path) + 16;
    char *file = pl_allocate(frames->context, workspace);
    if (file == NULL) return pl_fail_memory(error);
    snprintf(file, workspace, "%s.%s", frames->path, frames->kind->name);
    pl_status status = pl_file_writer_open(frames->context, file, &frames->writer, error);
    pl_release(frames->context, file);
    if (status < 0) return status;
  }
  return frames->kind->begin == NULL ? PL_OK : frames->kind->begin(frames, error);
}

pl_status pl_frames_create(pl_context *context, const pl_frames_def *def, pl_frames **frames, pl_error *error) {
  *frames = NULL;
  pl_status status = check_frames_def(def, error);
  if (status < 0) return status;
  pl_frames *made = pl_allocate_array(context, 1, sizeof *made);
  if (made == NULL) return pl_fail_memory(error);
  made->context = context;
  made->def = *def;
  made->kind = kind_of(def->format);
  made->boxes = pl_vector_of(context, sizeof(float[6]));
  status = begin(made, error);
  if (status < 0) {
    pl_frames_abandon(made);
    return status;
  }
  *frames = made;
  return PL_OK;
}

static pl_status check_points(const pl_frames *frames, const pl_vec3 *points, pl_error *error) {
  double max = frames->kind->single ? (double)FLT_MAX : DBL_MAX;
  for (int32_t i = 0; i < frames->def.point_count; ++i) {
    pl_vec3 p = points[i];
    if (!(fabs(p.x) <= max && fabs(p.y) <= max && fabs(p.z) <= max))
      return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "point %d of frame %d is not finite or too large to be stored",
                     i, frames->written + 1);
  }
  return PL_OK;
}

void pl_frames_set_velocities(pl_frames *frames, const pl_vec3 *velocities) {
  frames->velocities = velocities;
}

void pl_frames_set_fields(pl_frames *frames, const pl_frame_field *fields, int32_t field_count) {
  frames->fields = fields;
  frames->field_count = field_count;
}

pl_status pl_frames_add_frame(pl_frames *frames, const pl_vec3 *points, pl_error *error) {
  if (frames->broken.status < 0) {
    if (error != NULL) *error = frames->broken;
    return frames->broken.status;
  }
  if (frames->written >= frames->def.frame_count)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "all %d frames that were announced are written",
                   frames->def.frame_count);
  pl_status status = check_points(frames, points, error);
  if (status < 0) return status;
  status = frames->kind->write(frames, points, &frames->broken);
  frames->velocities = NULL;
  if (status >= 0) {
    frames->written++;
  } else if (error != NULL) {
    *error = frames->broken;
  }
  return status;
}

pl_status pl_frames_close(pl_frames *frames, pl_error *error) {
  pl_status status = frames->broken.status;
  if (status < 0 && error != NULL) *error = frames->broken;
  if (status >= 0 && frames->written == 0)
    status = pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "no frame was written, so no file is kept");
  if (status >= 0 && frames->kind->finish != NULL) status = frames->kind->finish(frames, error);
  if (status >= 0 && frames->writer != NULL) {
    status = pl_file_writer_commit(frames->writer, error);
    frames->writer = NULL;
  }
  pl_frames_abandon(frames);
  return status;
}

void pl_frames_abandon(pl_frames *frames) {
  if (frames == NULL) return;
  pl_file_writer_abandon(frames->writer);
  pl_release(frames->context, frames->path);
  pl_release(frames->context, frames->name);
  pl_release(frames->context, frames->first_points);
  pl_gltf_motion_close(frames->motion);
  pl_release(frames->context, frames->start_points);
  pl_vector_free(&frames->boxes);
  pl_frames_drop_velocities(frames);
  pl_release(frames->context, frames);
}
