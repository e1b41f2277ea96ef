// Loading, copying and saving documents.
#define _GNU_SOURCE
#include "studio_document.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "studio_recording.h"

enum { MAX_SIZE = 256 << 20 };

static pl_status set_names(pl_context *context, studio_document *document, const char *name, const char *path,
                           const char *folder, pl_error *error) {
  document->name = studio_copy_text(context, name);
  document->path = studio_copy_text(context, path);
  document->folder = studio_copy_text(context, folder);
  return document->name != NULL && document->path != NULL && document->folder != NULL ? PL_OK : pl_fail_memory(error);
}

void studio_document_free(pl_context *context, studio_document *document) {
  pl_json_document_destroy(document->json);
  pl_release(context, document->source);
  pl_release(context, document->name);
  pl_release(context, document->path);
  pl_release(context, document->folder);
  pl_release(context, document->capture);
  *document = (studio_document){.json = NULL};
}

static pl_status parse(pl_context *context, const char *text, size_t size, const char *name, pl_findings *findings,
                       studio_document *document, pl_error *error) {
  pl_status status = pl_json_parse(context, text, size, name, findings, &document->json, error);
  if (status == PL_REMARK_FINDINGS)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "%s is not valid JSON; the findings say where", name);
  if (status >= 0 && document->json->root->kind != PL_JSON_OBJECT)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "%s is not a scene; a scene is a JSON object", name);
  return status;
}

// Keep the original text, so that findings point at its lines.
static pl_status keep_source(pl_context *context, studio_document *document, const char *text, size_t size,
                             pl_error *error) {
  document->source = pl_allocate_array(context, size + 1, 1);
  if (document->source == NULL) return pl_fail_memory(error);
  memcpy(document->source, text, size);
  document->source_size = size;
  return PL_OK;
}

// The name of a scene: its file name, or the folder of scene.json and capture.json.
static const char *name_of_path(char *path) {
  char *slash = strrchr(path, '/');
  if (slash != NULL && (strcmp(slash, "/scene.json") == 0 || strcmp(slash, "/capture.json") == 0)) {
    *slash = '\0';
    slash = strrchr(path, '/');
  } else if (pl_ending_is(path, ".json")) {
    path[strlen(path) - strlen(".json")] = '\0';
  }
  return slash != NULL ? slash + 1 : path;
}

// Resolve a path: a file, or a folder with capture.json or scene.json, as `pliant sense`, `fit` and `capture` write it.
static pl_status find_file(const char *path, char whole[PATH_MAX], pl_error *error) {
  static const char *const names[] = {"/capture.json", "/scene.json"};
  struct stat facts;
  bool there = realpath(path, whole) != NULL && stat(whole, &facts) == 0;
  if (there && S_ISDIR(facts.st_mode)) {
    size_t length = strlen(whole);
    there = false;
    for (size_t i = 0; !there && i < sizeof names / sizeof names[0] && length + strlen(names[i]) < PATH_MAX; ++i) {
      memcpy(whole + length, names[i], strlen(names[i]) + 1);
      there = stat(whole, &facts) == 0;
    }
    if (!there)
      return pl_fail_at(error, PL_ERROR_NOT_FOUND, path, 0, 0, "there is no capture.json or scene.json in this folder");
  }
  if (!there) return pl_fail_at(error, PL_ERROR_NOT_FOUND, path, 0, 0, "there is no such file");
  // Devices and pipes may be endless.
  if (!S_ISREG(facts.st_mode) || facts.st_size > MAX_SIZE)
    return pl_fail_at(error, PL_ERROR_UNSUPPORTED, path, 0, 0,
                      "this is not a regular file, or it is too large for a scene");
  return PL_OK;
}

pl_status studio_document_read(pl_context *context, const char *path, pl_findings *findings, studio_document *document,
                               pl_error *error) {
  *document = (studio_document){.json = NULL};
  pl_bytes bytes;
  char whole[PATH_MAX];
  pl_status status = find_file(path, whole, error);
  if (status < 0) return status;
  status = pl_bytes_read(context, whole, &bytes, error);
  if (status < 0) return status;
  char *folder = pl_path_folder(context, whole), *cut = studio_copy_text(context, whole);
  status = folder != NULL && cut != NULL ? set_names(context, document, name_of_path(cut), whole, folder, error)
                                         : pl_fail_memory(error);
  if (status >= 0) status = parse(context, (const char *)bytes.data, bytes.size, whole, findings, document, error);
  if (status >= 0) status = keep_source(context, document, (const char *)bytes.data, bytes.size, error);
  if (status >= 0 && studio_document_is_recording(document))
    status = studio_recording_make_scene(context, document, findings, error);
  pl_release(context, folder);
  pl_release(context, cut);
  pl_bytes_free(&bytes);
  if (status < 0) studio_document_free(context, document);
  return status;
}

pl_status studio_document_parse(pl_context *context, const char *text, size_t size, const char *name,
                                pl_findings *findings, studio_document *document, pl_error *error) {
  *document = (studio_document){.json = NULL};
  pl_status status = set_names(context, document, name, "", ".", error);
  if (status >= 0) status = parse(context, text, size, name, findings, document, error);
  if (status >= 0) status = keep_source(context, document, text, size, error);
  if (status < 0) studio_document_free(context, document);
  return status;
}

pl_status studio_document_text(const studio_document *document, pl_vector *text, pl_error *error) {
  if (document->source == NULL) return pl_json_write(document->json->root, PL_JSON_PRETTY, text, error);
  char *to = pl_vector_grow(text, document->source_size);
  if (to == NULL) return pl_fail_memory(error);
  memcpy(to, document->source, document->source_size);
  return PL_OK;
}

pl_status studio_document_copy(pl_context *context, const studio_document *from, studio_document *copy,
                               pl_error *error) {
  *copy = (studio_document){.json = NULL};
  pl_vector text = pl_vector_of(context, 1);
  pl_status status = studio_document_text(from, &text, error);
  if (status >= 0) status = set_names(context, copy, from->name, from->path, from->folder, error);
  if (status >= 0 && from->capture != NULL && (copy->capture = studio_copy_text(context, from->capture)) == NULL)
    status = pl_fail_memory(error);
  if (status >= 0) status = parse(context, text.items, text.count, from->name, NULL, copy, error);
  pl_vector_free(&text);
  if (status < 0) studio_document_free(context, copy);
  return status;
}

// --- saving
// ----------------------------------------------------------------------------------------------------------------

// Make a relative path of the document absolute.
static void make_absolute(pl_context *context, studio_document *document, pl_json *object, const char *key) {
  const char *text;
  char whole[PATH_MAX];
  if (!pl_json_get_text(pl_json_find(object, key), &text) || text[0] == '\0' || text[0] == '/') return;
  char *joined = pl_path_join(context, document->folder, text);
  if (joined != NULL && realpath(joined, whole) != NULL) pl_json_set_text(&document->json->arena, object, key, whole);
  pl_release(context, joined);
}

static pl_json *find(const pl_json *object, const char *key) {
  return (pl_json *)(uintptr_t)pl_json_find(object, key);
}

static void make_all_absolute(pl_context *context, studio_document *document) {
  const pl_json *meshes = pl_json_find(document->json->root, "meshes"),
                *bodies = pl_json_find(document->json->root, "bodies");
  for (pl_json *mesh = meshes != NULL ? meshes->first : NULL; mesh != NULL; mesh = mesh->next) {
    make_absolute(context, document, mesh, "file");
    const pl_json *poses = pl_json_find(mesh, "poses");
    for (pl_json *pose = poses != NULL ? poses->first : NULL; pose != NULL; pose = pose->next)
      make_absolute(context, document, pose, "file");
  }
  static const char *const paths[][2] = {{"rod", "character"},    {"rod", "motion"},      {"kinematic", "character"},
                                         {"kinematic", "motion"}, {"kinematic", "cache"}, {"detail", "set"},
                                         {"fem", "young_table"}};
  for (pl_json *body = bodies != NULL ? bodies->first : NULL; body != NULL; body = body->next)
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i)
      if (find(body, paths[i][0]) != NULL) make_absolute(context, document, find(body, paths[i][0]), paths[i][1]);
}

pl_status studio_document_save(pl_context *context, const studio_document *document, const char *path,
                               pl_error *error) {
  studio_document copy;
  pl_status status = studio_document_copy(context, document, &copy, error);
  if (status < 0) return status;
  char *folder = pl_path_folder(context, path), own[PATH_MAX], other[PATH_MAX];
  bool same = folder != NULL && realpath(folder, other) != NULL && realpath(document->folder, own) != NULL &&
              strcmp(own, other) == 0;
  if (!same) make_all_absolute(context, &copy);
  status = copy.json->arena.failed ? pl_fail_memory(error) : pl_scene_write_json(context, path, copy.json->root, error);
  pl_release(context, folder);
  studio_document_free(context, &copy);
  return status;
}

// --- members
// ------------------------------------------------------------------------------------------------------------

double studio_document_unit(const studio_document *document) {
  const char *unit;
  return pl_json_get_text(pl_json_find(document->json->root, "length_unit"), &unit) ? pl_scene_unit_metres(unit) : 1;
}

pl_json *studio_document_object(studio_document *document, pl_json *object, const char *key, pl_json_kind kind) {
  if (object == NULL) return NULL;
  pl_json *there = find(object, key);
  if (there == NULL)
    there = pl_json_set(&document->json->arena, object, key, pl_json_new(&document->json->arena, kind));
  return there != NULL && there->kind == kind ? there : NULL;
}

pl_json *studio_document_body(const studio_document *document, int32_t index) {
  return (pl_json *)(uintptr_t)pl_json_at(pl_json_find(document->json->root, "bodies"), index);
}
