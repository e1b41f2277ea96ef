// Makes a scene for a recording. File names are those of `pliant sense`.
#include "studio_recording.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "pliant/capture_file.h"
#include "pliant/table.h"

enum { STEPS_PER_FRAME = 4, MAX_FRAMES = 100000 };
// Young's modulus before a fit, Pa.
static const double YOUNG_GUESS = 1e6;

bool studio_document_is_recording(const studio_document *document) {
  const pl_json *root = document->json->root;
  return pl_json_find(root, "bodies") == NULL &&
         (pl_json_find(root, "cameras") != NULL || pl_json_find(root, "clouds") != NULL);
}

char *studio_recording_find_file(pl_context *context, const char *capture, const char *name) {
  char *folder = pl_path_folder(context, capture), *path = folder != NULL ? pl_path_join(context, folder, name) : NULL;
  pl_release(context, folder);
  if (path != NULL && pl_file_exists(path)) return path;
  pl_release(context, path);
  return NULL;
}

// Add a pin with the points in column `point` of held.csv.
static pl_status add_pin(pl_context *context, const char *path, pl_arena *arena, pl_json *body, pl_error *error) {
  pl_table *table = NULL;
  pl_status status = pl_table_load(context, path, &table, error);
  if (status < 0) return status;
  pl_table_view view = pl_table_get_view(table);
  int32_t column = pl_table_find_column(table, "point");
  pl_json *particles = pl_json_new(arena, PL_JSON_ARRAY), *pin = pl_json_new(arena, PL_JSON_OBJECT);
  pl_json *pins = pl_json_new(arena, PL_JSON_ARRAY);
  if (column < 0)
    status = pl_fail_at(error, PL_ERROR_INVALID_DATA, path, 0, 0,
                        "there is no column `point`; it must contain indices of points");
  for (int64_t i = 0; status >= 0 && particles != NULL && i < view.row_count; ++i)
    pl_json_add(particles, pl_json_new_number(arena, view.cells[i * view.column_count + column]));
  if (status >= 0 && view.row_count > 0 && !arena->failed) {
    pl_json_set(arena, pin, "particles", particles);
    pl_json_add(pins, pin);
    pl_json_set(arena, body, "pins", pins);
  }
  pl_table_destroy(table);
  return status;
}

static pl_json *add_object(pl_arena *arena, pl_json *object, const char *key) {
  return pl_json_set(arena, object, key, pl_json_new(arena, PL_JSON_OBJECT));
}

static void add_mesh(pl_arena *arena, pl_json *meshes, const char *name, const char *file) {
  pl_json *mesh = add_object(arena, meshes, name);
  if (mesh != NULL) pl_json_set_text(arena, mesh, "file", file);
}

// The body. Its tets are in equilibrium under gravity, so the scene has no gravity. A fit uses the gravity of the
// recording.
static pl_json *add_body(pl_arena *arena, pl_json *root, bool has_surface) {
  pl_json *meshes = add_object(arena, root, "meshes"), *body = pl_json_new(arena, PL_JSON_OBJECT);
  pl_json *bodies = pl_json_set(arena, root, "bodies", pl_json_new(arena, PL_JSON_ARRAY));
  if (arena->failed) return NULL;
  add_mesh(arena, meshes, "static", "static.vtu");
  if (has_surface) add_mesh(arena, meshes, "surface", "surface.ply");
  pl_json_add(bodies, body);
  pl_json_set_text(arena, body, "name", "object");
  pl_json_set_text(arena, body, "mesh", has_surface ? "surface" : "static");
  pl_json_set_text(arena, body, "method", "fem");
  pl_json *tets = has_surface ? add_object(arena, body, "tets") : NULL;
  if (tets != NULL) pl_json_set_text(arena, tets, "mesh", "static");
  pl_json *fem = add_object(arena, body, "fem");
  if (fem == NULL) return NULL;
  pl_json_set_text(arena, fem, "material", "corotated");
  pl_json_set_number(arena, fem, "density", 1000);
  pl_json_set_number(arena, fem, "young", YOUNG_GUESS);
  pl_json_set_number(arena, fem, "poisson", 0.3);
  pl_json_set_bool(arena, body, "collides", false);
  return body;
}

static void add_time(pl_arena *arena, pl_json *root, const pl_capture_view *view) {
  double rate = view->rate > 0 ? view->rate : 30;
  pl_json *time = add_object(arena, root, "time");
  if (time == NULL) return;
  pl_json_set_number(arena, time, "step", 1 / (rate * STEPS_PER_FRAME));
  pl_json_set_number(arena, time, "frame_rate", rate);
  pl_json_set_number(arena, time, "frames", fmin(view->frame_count, MAX_FRAMES));
}

static pl_status write_scene(pl_context *context, const studio_document *document, const pl_capture_view *view,
                             pl_arena *arena, pl_vector *text, pl_error *error) {
  char *surface = studio_recording_find_file(context, document->path, "surface.ply");
  char *held = studio_recording_find_file(context, document->path, "held.csv"), about[200];
  pl_json *root = pl_json_new(arena, PL_JSON_OBJECT), *body = NULL;
  if (root != NULL) {
    snprintf(about, sizeof about, "A recording of %d frames at %.4g/s, %d cameras.", view->frame_count, view->rate,
             view->camera_count);
    pl_json_set_number(arena, root, "pliant", 1);
    pl_json_set_text(arena, root, "name", document->name);
    pl_json_set_text(arena, root, "description", about);
    add_time(arena, root, view);
    pl_json_set_numbers(arena, root, "gravity", (const double[3]){0, 0, 0}, 3);
    body = add_body(arena, root, surface != NULL);
  }
  pl_status status = body != NULL ? PL_OK : pl_fail_memory(error);
  if (status >= 0 && held != NULL) status = add_pin(context, held, arena, body, error);
  if (status >= 0) status = arena->failed ? pl_fail_memory(error) : pl_json_write(root, PL_JSON_PRETTY, text, error);
  pl_release(context, surface);
  pl_release(context, held);
  return status;
}

pl_status studio_recording_make_scene(pl_context *context, studio_document *document, pl_findings *findings,
                                      pl_error *error) {
  pl_capture *capture = NULL;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_vector text = pl_vector_of(context, 1);
  char *object = studio_recording_find_file(context, document->path, "static.vtu");
  pl_status status = pl_capture_load(context, document->path, &capture, findings, error);
  if (status >= 0 && object == NULL)
    status = pl_fail_at(error, PL_ERROR_NOT_FOUND, document->path, 0, 0,
                        "there is no mesh for this recording; put the tets of the object at rest next to it as "
                        "static.vtu; `pliant mesh` "
                        "makes tets from a scan");
  if (status >= 0) {
    pl_capture_view view = pl_capture_get_view(capture);
    status = write_scene(context, document, &view, &arena, &text, error);
  }
  pl_capture_destroy(capture);
  pl_release(context, object);
  pl_json_document *scene = NULL;
  if (status >= 0) status = pl_json_parse(context, text.items, text.count, document->name, NULL, &scene, error);
  if (status >= 0) {
    pl_json_document_destroy(document->json);
    pl_release(context, document->source);
    document->json = scene;
    document->source = NULL;
    document->source_size = 0;
    // The scene has no file: saving must not overwrite capture.json.
    document->capture = document->path;
    document->path = studio_copy_text(context, "");
    if (document->path == NULL) status = pl_fail_memory(error);
  }
  pl_vector_free(&text);
  pl_arena_destroy(&arena);
  return status;
}
