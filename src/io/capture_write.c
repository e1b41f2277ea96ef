// Captures out: depth pictures of cameras, or clouds, and the document that describes them. The document is written
// last, so that a folder that has one has all its frames.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/context.h"
#include "base/error.h"
#include "io/capture_parameters.h"
#include "io/file_bytes.h"
#include "io/png_library.h"
#include "pliant/capture_file.h"
#include "text/json.h"

struct pl_capture_writer {
  pl_arena arena;  // holds everything, this struct too
  pl_context *context;
  const char *folder, *name;
  double rate;
  pl_vec3 gravity;
  pl_capture_camera *cameras;
  int32_t camera_count, frame_count;
};

pl_capture_writer_def pl_default_capture_writer_def(void) {
  pl_capture_writer_def def = {0};
  pl_parameters_set_defaults(&pl_capture_writer_def_parameters, &def);
  return def;
}

static pl_status make_folder(const char *path, pl_error *error) {
  if (mkdir(path, 0777) == 0 || errno == EEXIST) return PL_OK;
  return pl_fail_at(error, PL_ERROR_FILE, path, 0, 0, "this folder cannot be made: %s", strerror(errno));
}

// A path in the capture's folder, to be given to pl_release(); NULL when out of memory.
static char *path_of(const pl_capture_writer *writer, const char *name) {
  return pl_path_join(writer->context, writer->folder, name);
}

static pl_status make_folders(const pl_capture_writer *writer, pl_error *error) {
  pl_status status = make_folder(writer->folder, error);
  for (int32_t i = 0; status >= 0 && i < (writer->camera_count > 0 ? writer->camera_count : 1); ++i) {
    char name[40];
    if (writer->camera_count > 0)
      snprintf(name, sizeof name, "camera%d", i + 1);
    else
      snprintf(name, sizeof name, "clouds");
    char *path = path_of(writer, name);
    status = path == NULL ? pl_fail_memory(error) : make_folder(path, error);
    pl_release(writer->context, path);
  }
  return status;
}

static pl_status check_def(const pl_capture_writer_def *def, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_capture_writer_def_parameters, def, error);
  if (status < 0) return status;
  if (def->folder == NULL || def->folder[0] == '\0' || def->camera_count < 0 ||
      (def->camera_count > 0 && def->cameras == NULL))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                   "a capture needs a folder, and cameras where their number is not 0");
  return PL_OK;
}

pl_status pl_capture_writer_create(pl_context *context, const pl_capture_writer_def *def, pl_capture_writer **result,
                                   pl_error *error) {
  *result = NULL;
  pl_status status = check_def(def, error);
  if (status < 0) return status;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_capture_writer *writer = PL_TAKE(&arena, pl_capture_writer, 1);
  if (writer == NULL) return pl_fail_memory(error);
  *writer = (pl_capture_writer){
      .context = context, .rate = def->rate, .gravity = def->gravity, .camera_count = def->camera_count};
  writer->folder = pl_arena_copy_text(&arena, def->folder);
  writer->name = def->name != NULL ? pl_arena_copy_text(&arena, def->name) : NULL;
  writer->cameras = pl_arena_copy(&arena, def->cameras, (size_t)def->camera_count, sizeof *def->cameras);
  for (int32_t i = 0; !arena.failed && i < def->camera_count; ++i)
    writer->cameras[i].name = pl_arena_copy_text(&arena, def->cameras[i].name != NULL ? def->cameras[i].name : "");
  status = arena.failed ? pl_fail_memory(error) : make_folders(writer, error);
  writer->arena = arena;
  if (status < 0)
    pl_capture_writer_abandon(writer);
  else
    *result = writer;
  return status;
}

static pl_status write_bytes(pl_context *context, const char *path, const pl_vector *bytes, pl_error *error) {
  pl_file_writer *file = NULL;
  pl_status status = pl_file_writer_open(context, path, &file, error);
  if (status < 0) return status;
  pl_file_writer_write(file, bytes->items, bytes->count);
  return pl_file_writer_commit(file, error);
}

static void name_frame(const pl_capture_writer *writer, int32_t camera, int32_t frame, char *name, size_t size) {
  if (writer->camera_count > 0)
    snprintf(name, size, "camera%d/depth_%04d.png", camera + 1, frame + 1);
  else
    snprintf(name, size, "clouds/cloud_%04d.ply", frame + 1);
}

pl_status pl_capture_writer_add_depths(pl_capture_writer *writer, const uint16_t *const *pictures, pl_error *error) {
  if (writer->camera_count == 0)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "this capture has no cameras; add clouds to it");
  pl_status status = PL_OK;
  for (int32_t i = 0; i < writer->camera_count && status >= 0; ++i) {
    char name[60];
    name_frame(writer, i, writer->frame_count, name, sizeof name);
    pl_vector bytes = pl_vector_of(writer->context, 1);
    char *path = path_of(writer, name);
    const pl_capture_camera *camera = &writer->cameras[i];
    status = path == NULL ? pl_fail_memory(error)
                          : pl_png_encode(writer->context, pictures[i], camera->width, camera->height, PL_PNG_GREY16,
                                          &bytes, error);
    if (status >= 0) status = write_bytes(writer->context, path, &bytes, error);
    pl_vector_free(&bytes);
    pl_release(writer->context, path);
  }
  if (status >= 0) ++writer->frame_count;
  return status;
}

pl_status pl_capture_writer_add_cloud(pl_capture_writer *writer, const pl_vec3 *points, int32_t point_count,
                                      pl_error *error) {
  if (writer->camera_count > 0)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "this capture has cameras; add depth pictures to it");
  char name[60];
  name_frame(writer, 0, writer->frame_count, name, sizeof name);
  char *path = path_of(writer, name);
  if (path == NULL) return pl_fail_memory(error);
  pl_file_writer *file = NULL;
  pl_status status = pl_file_writer_open(writer->context, path, &file, error);
  pl_release(writer->context, path);
  if (status < 0) return status;
  pl_file_writer_print(file, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n", point_count);
  pl_file_writer_print(file, "property double x\nproperty double y\nproperty double z\nend_header\n");
  for (int32_t i = 0; i < point_count; ++i) {
    pl_file_writer_float64(file, points[i].x);
    pl_file_writer_float64(file, points[i].y);
    pl_file_writer_float64(file, points[i].z);
  }
  status = pl_file_writer_commit(file, error);
  if (status >= 0) ++writer->frame_count;
  return status;
}

// Frames of a longer capture that was in the folder before would be taken for frames of this one.
static pl_status remove_others(const pl_capture_writer *writer, pl_error *error) {
  for (int32_t camera = 0; camera == 0 || camera < writer->camera_count; ++camera) {
    bool there = true;
    for (int32_t frame = writer->frame_count; there; ++frame) {
      char name[60];
      name_frame(writer, camera, frame, name, sizeof name);
      char *path = path_of(writer, name);
      if (path == NULL) return pl_fail_memory(error);
      there = remove(path) == 0;
      pl_release(writer->context, path);
    }
  }
  return PL_OK;
}

static void describe_camera(pl_arena *arena, pl_json *cameras, const pl_capture_camera *camera, int32_t number) {
  char pattern[60];
  snprintf(pattern, sizeof pattern, "camera%d/depth_*.png", number + 1);
  pl_json *object = pl_json_add(cameras, pl_json_new(arena, PL_JSON_OBJECT));
  if (object == NULL) return;
  if (camera->name[0] != '\0') pl_json_set_text(arena, object, "name", camera->name);
  pl_json_set_text(arena, object, "depth", pattern);
  pl_json_set_number(arena, object, "depth_scale", camera->depth_scale);
  pl_json_set_number(arena, object, "width", camera->width);
  pl_json_set_number(arena, object, "height", camera->height);
  pl_json_set_number(arena, object, "fx", camera->fx);
  pl_json_set_number(arena, object, "fy", camera->fy);
  pl_json_set_number(arena, object, "cx", camera->cx);
  pl_json_set_number(arena, object, "cy", camera->cy);
  pl_quat q = camera->placement.rotation;
  pl_json_set_numbers(arena, object, "rotation", (double[]){q.x, q.y, q.z, q.w}, 4);
  pl_vec3 p = camera->placement.position;
  pl_json_set_numbers(arena, object, "position", (double[]){p.x, p.y, p.z}, 3);
}

static pl_status write_document(pl_capture_writer *writer, pl_error *error) {
  pl_arena *arena = &writer->arena;
  pl_json *root = pl_json_new(arena, PL_JSON_OBJECT);
  if (root == NULL) return pl_fail_memory(error);
  if (writer->name != NULL) pl_json_set_text(arena, root, "name", writer->name);
  pl_json_set_number(arena, root, "rate", writer->rate);
  pl_json_set_numbers(arena, root, "gravity", (double[]){writer->gravity.x, writer->gravity.y, writer->gravity.z}, 3);
  if (writer->camera_count == 0) pl_json_set_text(arena, root, "clouds", "clouds/cloud_*.ply");
  pl_json *cameras =
      writer->camera_count > 0 ? pl_json_set(arena, root, "cameras", pl_json_new(arena, PL_JSON_ARRAY)) : NULL;
  for (int32_t i = 0; cameras != NULL && i < writer->camera_count; ++i)
    describe_camera(arena, cameras, &writer->cameras[i], i);
  if (arena->failed) return pl_fail_memory(error);
  pl_vector text = pl_vector_of(writer->context, 1);
  pl_status status = remove_others(writer, error);
  if (status >= 0) status = pl_json_write(root, PL_JSON_PRETTY, &text, error);
  char *path = path_of(writer, "capture.json");
  if (status >= 0) status = path == NULL ? pl_fail_memory(error) : write_bytes(writer->context, path, &text, error);
  pl_release(writer->context, path);
  pl_vector_free(&text);
  return status;
}

pl_status pl_capture_writer_close(pl_capture_writer *writer, pl_error *error) {
  pl_status status = writer->frame_count > 0
                         ? write_document(writer, error)
                         : pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a capture needs at least one frame");
  pl_capture_writer_abandon(writer);
  return status;
}

void pl_capture_writer_abandon(pl_capture_writer *writer) {
  if (writer == NULL) return;
  pl_arena arena = writer->arena;
  pl_arena_destroy(&arena);
}
