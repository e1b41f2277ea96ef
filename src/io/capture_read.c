// `capture.json`: which files are the frames of a capture, when they were taken, and by which cameras. Every value is
// checked for kind and range, every key for being known, and every problem is reported with its place, not only the
// first.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/finding.h"
#include "io/capture_parts.h"
#include "io/file_bytes.h"
#include "math/rotation.h"
#include "text/json.h"

// Frames a second of a folder of Open3D, which does not say: those of the sensors it records.
static const double OPEN3D_RATE = 30;

enum { MAX_CAMERAS = 1000, MAX_PICTURE = 16384 };

static const char *const cloud_endings[] = {".ply", ".pcd", ".npy", ".npz", ".xyz", ".txt", ".csv", NULL};
static const char *const picture_endings[] = {".png", NULL};
static const char *const mask_endings[] = {".png", ".jpg", ".jpeg", NULL};

typedef struct reader {
  pl_capture *capture;
  const pl_json_document *json;
  const char *folder;
  pl_findings *findings;
  pl_error *error;
  int32_t error_count;
  bool failed;  // out of memory
} reader;

static void report_problem(reader *r, const pl_json *value, const char *kind, const char *fix, const char *format, ...)
    PL_PRINTF(5, 6);
static void report_problem(reader *r, const pl_json *value, const char *kind, const char *fix, const char *format,
                           ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  bool at_key = strcmp(kind, "unknown-key") == 0;
  if (r->error_count++ == 0) {
    pl_json_fail(r->json, value, r->error, PL_ERROR_INVALID_DATA, "%s; %s", text, fix);
    if (at_key && r->error != NULL)
      r->error->line = value->key_position.line, r->error->column = value->key_position.column;
  }
  pl_finding about = {.severity = PL_SEVERITY_ERROR, .index = -1, .kind = kind, .fix = fix};
  if (pl_json_add_finding(r->json, value, at_key, r->findings, &about, "%s", text) < 0) r->failed = true;
}

static void check_keys(reader *r, const pl_json *object, const char *const *keys, int32_t key_count) {
  for (const pl_json *member = object->first; member != NULL; member = member->next) {
    bool known = false;
    for (int32_t i = 0; i < key_count && !known; ++i) known = strcmp(keys[i], member->key) == 0;
    if (known) continue;
    const char *meant = pl_text_suggest(member->key, keys, key_count);
    char fix[96];
    snprintf(fix, sizeof fix, meant != NULL ? "did you mean `%s`?" : "take it out", meant);
    report_problem(r, member, "unknown-key", fix, "there is no key `%s` here", member->key);
  }
}

static const pl_json *need(reader *r, const pl_json *object, const char *key) {
  const pl_json *value = pl_json_find(object, key);
  if (value == NULL) report_problem(r, object, "missing-key", "add it", "`%s` is missing", key);
  return value;
}

static bool read_number(reader *r, const pl_json *value, double min, double max, double *number) {
  if (value == NULL) return false;
  double found;
  if (!pl_json_get_number(value, &found)) {
    report_problem(r, value, "wrong-kind", "write a number", "this is %s where a number is wanted",
                   pl_json_kind_name(value->kind));
    return false;
  }
  if (!(found >= min && found <= max)) {
    char fix[80];
    snprintf(fix, sizeof fix, "use at least %g and at most %g", min, max);
    report_problem(r, value, "out-of-range", fix, "%g is out of range", found);
    return false;
  }
  *number = found;
  return true;
}

static bool read_numbers(reader *r, const pl_json *value, int32_t count, double *numbers) {
  if (value == NULL) return false;
  if (value->kind != PL_JSON_ARRAY || value->count != count) {
    report_problem(r, value, "wrong-length", "write them as [1, 2, …]", "%d numbers in brackets are wanted here",
                   count);
    return false;
  }
  bool sound = true;
  for (int32_t i = 0; i < count; ++i) sound &= read_number(r, pl_json_at(value, i), -1e9, 1e9, &numbers[i]);
  return sound;
}

static const char *read_text(reader *r, const pl_json *value) {
  const char *text = NULL;
  if (value == NULL) return NULL;
  if (!pl_json_get_text(value, &text))
    report_problem(r, value, "wrong-kind", "write it in quotes", "this is %s where a string is wanted",
                   pl_json_kind_name(value->kind));
  return text;
}

static const char *read_name(reader *r, const pl_json *object) {
  const char *text = read_text(r, pl_json_find(object, "name"));
  const char *kept = pl_arena_copy_text(&r->capture->arena, text == NULL ? "" : text);
  if (kept == NULL) r->failed = true;
  return kept;
}

static void read_pattern(reader *r, const pl_json *value, const char *const *endings, pl_file_list *files) {
  const char *pattern = read_text(r, value);
  if (pattern == NULL) return;
  pl_error error = {0};
  pl_status status = pl_files_find(&r->capture->arena, r->folder, pattern, endings, files, &error);
  if (status == PL_ERROR_OUT_OF_MEMORY)
    r->failed = true;
  else if (status < 0)
    report_problem(r, value, "no-files", "name a folder, or files with * and ? after the last slash", "%s", error.text);
}

static void read_list(reader *r, const pl_json *value, pl_file_list *files) {
  const char **paths = PL_TAKE(&r->capture->arena, const char *, value->count);
  if (paths == NULL) {
    r->failed = true;
    return;
  }
  for (const pl_json *item = value->first; item != NULL; item = item->next) {
    const char *name = read_text(r, item);
    if (name == NULL) continue;
    char *joined = pl_path_join(r->capture->arena.context, r->folder, name);
    paths[item->index] = joined == NULL ? NULL : pl_arena_copy_text(&r->capture->arena, joined);
    pl_release(r->capture->arena.context, joined);
    if (paths[item->index] == NULL)
      r->failed = true;
    else if (!pl_file_exists(paths[item->index]))
      report_problem(r, item, "no-files", "check the name; it counts from the folder of the document",
                     "there is no file \"%s\"", name);
  }
  *files = (pl_file_list){paths, value->count};
}

static void read_clouds(reader *r, const pl_json *value) {
  if (value->kind == PL_JSON_ARRAY && value->count > 0)
    read_list(r, value, &r->capture->clouds);
  else if (value->kind == PL_JSON_ARRAY)
    report_problem(r, value, "no-files", "name the files", "the list is empty");
  else
    read_pattern(r, value, cloud_endings, &r->capture->clouds);
  r->capture->view.frame_count = r->capture->clouds.count;
}

// A quaternion, or three rows of a matrix that must be a rotation.
static void read_rotation(reader *r, const pl_json *value, pl_quat *rotation) {
  if (value == NULL) return;
  double n[4];
  if (value->kind != PL_JSON_ARRAY || value->count != 3) {
    if (!read_numbers(r, value, 4, n)) return;
    pl_quat q = {n[0], n[1], n[2], n[3]};
    if (fabs(pl_quat_dot(q, q) - 1) > 0.01)
      report_problem(r, value, "no-rotation", "write [x, y, z, w] of length 1, or three rows of a matrix",
                     "this is not a rotation");
    else
      *rotation = pl_quat_normalize(q);
    return;
  }
  pl_mat3 a;
  bool sound = true;
  for (int i = 0; i < 3; ++i) sound &= read_numbers(r, pl_json_at(value, i), 3, a.m[i]);
  if (!sound) return;
  pl_mat3 square = pl_mat3_multiply(pl_mat3_transpose(a), a);
  double off = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) off = fmax(off, fabs(square.m[i][j] - (i == j)));
  if (off > 0.01 || pl_mat3_determinant(a) < 0)
    report_problem(r, value, "no-rotation", "write rows at right angles of length 1, not mirrored",
                   "this matrix is not a rotation");
  else
    *rotation = pl_rotation_of_mat3(a, pl_quat_identity());
}

// Pixels along one side of a picture: a whole number.
static int32_t read_side(reader *r, const pl_json *value) {
  double side = 0;
  int64_t whole = 0;
  if (!read_number(r, value, 1, MAX_PICTURE, &side)) return 0;
  if (!pl_json_get_integer(value, &whole))
    report_problem(r, value, "not-whole", "pictures have whole pixels", "%g is not a whole number", side);
  return (int32_t)whole;
}

static void read_camera(reader *r, const pl_json *value, pl_capture_camera *camera, pl_file_list *depths,
                        pl_file_list *masks) {
  static const char *const keys[] = {"name", "depth", "mask", "width",    "height",   "fx",
                                     "fy",   "cx",    "cy",   "rotation", "position", "depth_scale"};
  camera->placement = pl_transform_identity();
  if (value->kind != PL_JSON_OBJECT) {
    report_problem(r, value, "wrong-kind", "write a camera in braces", "this is %s where a camera is wanted",
                   pl_json_kind_name(value->kind));
    return;
  }
  check_keys(r, value, keys, sizeof keys / sizeof keys[0]);
  camera->name = read_name(r, value);
  double p[3];
  camera->width = read_side(r, need(r, value, "width"));
  camera->height = read_side(r, need(r, value, "height"));
  read_number(r, need(r, value, "fx"), 1e-3, 1e7, &camera->fx);
  read_number(r, need(r, value, "fy"), 1e-3, 1e7, &camera->fy);
  read_number(r, need(r, value, "cx"), -1e7, 1e7, &camera->cx);
  read_number(r, need(r, value, "cy"), -1e7, 1e7, &camera->cy);
  read_number(r, need(r, value, "depth_scale"), 1e-9, 1e3, &camera->depth_scale);
  read_rotation(r, need(r, value, "rotation"), &camera->placement.rotation);
  if (read_numbers(r, need(r, value, "position"), 3, p))
    camera->placement.position = pl_vec3_scale((pl_vec3){p[0], p[1], p[2]}, r->capture->view.metres);
  read_pattern(r, need(r, value, "depth"), picture_endings, depths);
  const pl_json *mask = pl_json_find(value, "mask");
  camera->masked = mask != NULL;
  if (mask == NULL) return;
  read_pattern(r, mask, mask_endings, masks);
  if (masks->count > 0 && depths->count > 0 && masks->count != depths->count)
    report_problem(r, mask, "frame-count", "give one mask for every depth picture",
                   "there are %d masks for %d depth pictures", masks->count, depths->count);
}

static void read_cameras(reader *r, const pl_json *value) {
  if (value->kind != PL_JSON_ARRAY || value->count < 1 || value->count > MAX_CAMERAS) {
    report_problem(r, value, "wrong-kind", "write them in brackets", "1 to %d cameras in brackets are wanted here",
                   MAX_CAMERAS);
    return;
  }
  pl_arena *arena = &r->capture->arena;
  pl_capture_camera *cameras = PL_TAKE(arena, pl_capture_camera, value->count);
  pl_file_list *depths = PL_TAKE(arena, pl_file_list, value->count),
               *masks = PL_TAKE(arena, pl_file_list, value->count);
  if (cameras == NULL || depths == NULL || masks == NULL) {
    r->failed = true;
    return;
  }
  for (const pl_json *item = value->first; item != NULL; item = item->next) {
    int32_t i = item->index;
    read_camera(r, item, &cameras[i], &depths[i], &masks[i]);
    if (i > 0 && depths[i].count > 0 && depths[0].count > 0 && depths[i].count != depths[0].count)
      report_problem(r, item, "frame-count", "leave out frames that not every camera has",
                     "this camera has %d pictures, the first has %d", depths[i].count, depths[0].count);
  }
  r->capture->view.cameras = cameras;
  r->capture->view.camera_count = value->count;
  r->capture->view.frame_count = depths[0].count;
  r->capture->depths = depths;
  r->capture->masks = masks;
}

static void read_stamps(reader *r, const pl_json *value, int32_t frame_count, double *times) {
  if (value->kind != PL_JSON_ARRAY || value->count != frame_count) {
    report_problem(r, value, "frame-count", "give one time in seconds for every frame",
                   "%d times in brackets are wanted here", frame_count);
    return;
  }
  for (const pl_json *item = value->first; item != NULL; item = item->next) {
    int32_t i = item->index;
    if (read_number(r, item, -1e12, 1e12, &times[i]) && i > 0 && !(times[i] > times[i - 1]))
      report_problem(r, item, "out-of-order", "sort the frames by time", "time %g does not come after %g", times[i],
                     times[i - 1]);
  }
}

static void read_times(reader *r, const pl_json *root) {
  pl_capture_view *view = &r->capture->view;
  const pl_json *rate = pl_json_find(root, "rate"), *stamps = pl_json_find(root, "times");
  if ((rate == NULL) == (stamps == NULL))
    report_problem(r, rate == NULL ? root : stamps, rate == NULL ? "missing-key" : "two-ways", "give one of them",
                   "a capture has either `rate` or `times`");
  double *times = PL_TAKE(&r->capture->arena, double, view->frame_count + 1);
  if (times == NULL) {
    r->failed = true;
    return;
  }
  if (rate != NULL && read_number(r, rate, 1e-6, 1e6, &view->rate))
    for (int32_t i = 0; i < view->frame_count; ++i) times[i] = i / view->rate;
  if (stamps != NULL && view->frame_count > 0) {
    read_stamps(r, stamps, view->frame_count, times);
    double length = times[view->frame_count - 1] - times[0];
    view->rate = length > 0 ? (view->frame_count - 1) / length : 0;
  }
  view->times = times;
}

static void read_units(reader *r, const pl_json *value) {
  static const struct {
    const char *name;
    double metres;
  } units[] = {{"m", 1}, {"cm", 0.01}, {"mm", 0.001}};
  const char *text = read_text(r, value);
  if (text == NULL) return;
  for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i) {
    if (strcmp(units[i].name, text) != 0) continue;
    r->capture->view.metres = units[i].metres;
    return;
  }
  report_problem(r, value, "no-choice", "use \"m\", \"cm\" or \"mm\"", "\"%s\" is not a known unit of length", text);
}

// A `camera_intrinsic.json` of Open3D: one camera at the origin, depth pictures in the folder `depth` next to it, in
// millimetres, 30 a second. The matrix is stored column by column.
static void read_intrinsic(reader *r, const pl_json *root, const pl_json *matrix) {
  static const char *const keys[] = {"width", "height", "intrinsic_matrix"};
  pl_arena *arena = &r->capture->arena;
  pl_capture_camera *camera = PL_TAKE(arena, pl_capture_camera, 1);
  pl_file_list *lists = PL_TAKE(arena, pl_file_list, 2);
  double m[9] = {0};
  if (arena->failed) {
    r->failed = true;
    return;
  }
  check_keys(r, root, keys, sizeof keys / sizeof keys[0]);
  camera->name = "";
  camera->placement = pl_transform_identity();
  camera->depth_scale = 0.001;
  camera->width = read_side(r, need(r, root, "width"));
  camera->height = read_side(r, need(r, root, "height"));
  if (read_numbers(r, matrix, 9, m) && !(m[0] > 0 && m[4] > 0))
    report_problem(r, matrix, "out-of-range", "write fx, 0, 0, 0, fy, 0, cx, cy, 1",
                   "the focal lengths are not positive");
  camera->fx = m[0], camera->fy = m[4], camera->cx = m[6], camera->cy = m[7];
  pl_error error = {0};
  pl_status status = pl_files_find(arena, r->folder, "depth", picture_endings, &lists[0], &error);
  if (status == PL_ERROR_OUT_OF_MEMORY)
    r->failed = true;
  else if (status < 0)
    report_problem(r, root, "no-files", "put 16-bit PNG files into a folder depth next to this file", "%s", error.text);
  pl_capture_view *view = &r->capture->view;
  view->name = "";
  view->cameras = camera;
  view->camera_count = 1;
  view->frame_count = lists[0].count;
  view->rate = OPEN3D_RATE;
  r->capture->depths = &lists[0];
  r->capture->masks = &lists[1];
  double *times = PL_TAKE(arena, double, view->frame_count + 1);
  if (times == NULL) r->failed = true;
  for (int32_t i = 0; times != NULL && i < view->frame_count; ++i) times[i] = i / view->rate;
  view->times = times;
}

static void read_root(reader *r, const pl_json *root) {
  static const char *const keys[] = {"name", "clouds", "cameras", "rate", "times", "gravity", "units"};
  if (root->kind != PL_JSON_OBJECT) {
    report_problem(r, root, "wrong-kind", "begin with {", "a capture is an object, not %s",
                   pl_json_kind_name(root->kind));
    return;
  }
  const pl_json *matrix = pl_json_find(root, "intrinsic_matrix");
  if (matrix != NULL) {
    read_intrinsic(r, root, matrix);
    return;
  }
  check_keys(r, root, keys, sizeof keys / sizeof keys[0]);
  pl_capture_view *view = &r->capture->view;
  view->name = read_name(r, root);
  read_units(r, pl_json_find(root, "units"));
  double g[3];
  const pl_json *clouds = pl_json_find(root, "clouds"), *cameras = pl_json_find(root, "cameras");
  if (read_numbers(r, pl_json_find(root, "gravity"), 3, g)) view->gravity = (pl_vec3){g[0], g[1], g[2]};
  if ((clouds == NULL) == (cameras == NULL))
    report_problem(r, clouds == NULL ? root : cameras, clouds == NULL ? "missing-key" : "two-ways", "give one of them",
                   "a capture has either `clouds` or `cameras`");
  if (clouds != NULL) read_clouds(r, clouds);
  if (cameras != NULL) read_cameras(r, cameras);
  read_times(r, root);
}

static pl_capture *create(pl_context *context) {
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_capture *capture = PL_TAKE(&arena, pl_capture, 1);
  if (capture == NULL) {
    pl_arena_destroy(&arena);
    return NULL;
  }
  capture->view = (pl_capture_view){.name = "", .metres = 1, .gravity = pl_default_capture_writer_def().gravity};
  capture->arena = arena;
  return capture;
}

pl_status pl_capture_load_memory(pl_context *context, const pl_memory_source *source, pl_capture **capture,
                                 pl_findings *findings, pl_error *error) {
  *capture = NULL;
  pl_json_document *json = NULL;
  pl_status status = pl_json_parse(context, source->bytes, source->size, source->name, findings, &json, error);
  if (status < 0) return status;
  reader r = {.capture = create(context),
              .json = json,
              .folder = source->folder != NULL ? source->folder : ".",
              .findings = findings,
              .error = error};
  // What the parser could repair is wrong all the same, and already told.
  if (status > 0) r.error_count = 1;
  r.failed = r.capture == NULL;
  if (!r.failed) read_root(&r, json->root);
  pl_json_document_destroy(json);
  status = r.failed ? pl_fail_memory(error) : r.error_count > 0 ? PL_ERROR_INVALID_DATA : PL_OK;
  if (status < 0)
    pl_capture_destroy(r.capture);
  else
    *capture = r.capture;
  return status;
}

pl_status pl_capture_load(pl_context *context, const char *path, pl_capture **capture, pl_findings *findings,
                          pl_error *error) {
  *capture = NULL;
  pl_bytes bytes;
  pl_status status = pl_bytes_read(context, path, &bytes, error);
  if (status < 0) return status;
  char *folder = pl_path_folder(context, path);
  status = folder == NULL ? pl_fail_memory(error)
                          : pl_capture_load_memory(context, &(pl_memory_source){bytes.data, bytes.size, path, folder},
                                                   capture, findings, error);
  pl_release(context, folder);
  pl_bytes_free(&bytes);
  return status;
}

pl_capture_view pl_capture_get_view(const pl_capture *capture) {
  return capture->view;
}

void pl_capture_destroy(pl_capture *capture) {
  if (capture != NULL) pl_arena_destroy(&capture->arena);
}
