// Records an example of detail at the current contact of a body.
//
// The recording presses the fine and the coarse body of the recipe of the set: recipe.json next to the set, as for
// `pliant detail record`, with one touch instead of its own. The touch is at the position of the current contact; its
// depth is scaled by the current load relative to the loads of the examples. A thread with its own context simulates it
// while the world runs. The new example, and its mirror image if the recipe has `mirror`, are added after the old ones
// (as by `pliant detail add`), and the scene is built again with the larger set.
#include "studio_record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "base/error.h"
#include "body/body_method.h"
#include "io/file_bytes.h"
#include "pliant/detail_file.h"
#include "pliant/detail_session.h"
#include "pliant/math.h"
#include "studio_build.h"
#include "studio_detail.h"
#include "studio_folder.h"
#include "studio_recipe.h"

enum { NAME_SIZE = 120, LABEL_SIZE = 80 };
// Minimum and maximum factor on the depth of the recipe.
static const double SHALLOWEST = 0.5, DEEPEST = 1.5;

typedef struct studio_recorder {
  studio_world *w;
  pl_context *context;  // its own, because the world uses its context
  pthread_t thread;
  uint32_t viewer;
  double id;
  char *scene;     // path of the scene at the start
  char *before;    // the set as named in the scene
  char *old_path;  // its file
  char *new_path;  // file of the new set
  char *folder;    // of the recipe
  pl_vector text;  // the recipe with one touch
  int32_t count;   // examples of the new set
  pl_status status;
  pl_error error;
  atomic_bool stop, done;
  bool joined;  // the thread has ended, and the scene is being built with the new set
} studio_recorder;

static void destroy(studio_recorder *r) {
  pl_context *context = r->w->context;
  char *texts[] = {r->scene, r->before, r->old_path, r->new_path, r->folder};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) pl_release(context, texts[i]);
  pl_vector_free(&r->text);
  pl_context_destroy(r->context);
  pl_release(context, r);
}

// --- in the thread
// -----------------------------------------------------------------------------------------------------------------

static bool on_progress(void *user, int32_t done, int32_t total) {
  const studio_recorder *r = user;
  studio_send_progress(r->w, r->viewer, r->id, 0.2 + 0.7 * done / total,
                       done < total ? "pressing a fine and a coarse body" : "adding the example");
  return !atomic_load(&r->stop);
}

// Concatenate the examples of two sets with the same parameters.
static pl_status join(pl_context *context, const pl_detail_set *first, const pl_detail_set *second, pl_detail_set **set,
                      pl_error *error) {
  pl_detail_set_view parts[2] = {pl_detail_set_get_view(first), pl_detail_set_get_view(second)}, both = parts[0];
  size_t count = (size_t)parts[0].example_count + (size_t)parts[1].example_count, key = (size_t)both.key_size;
  size_t side = (size_t)both.def.stamp_resolution, stamp = 4 * (size_t)both.def.stamp_sides * side * side;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  const char **labels = PL_TAKE(&arena, const char *, count);
  float *keys = PL_TAKE(&arena, float, count *key), *sizes = PL_TAKE(&arena, float, count);
  float *stamps = PL_TAKE(&arena, float, count *stamp);
  for (size_t p = 0, start = 0; !arena.failed && p < 2; start += (size_t)parts[p++].example_count) {
    size_t own = (size_t)parts[p].example_count;
    memcpy(labels + start, parts[p].labels, own * sizeof *labels);
    memcpy(keys + start * key, parts[p].keys, own * key * sizeof *keys);
    memcpy(sizes + start, parts[p].sizes, own * sizeof *sizes);
    memcpy(stamps + start * stamp, parts[p].stamps, own * stamp * sizeof *stamps);
  }
  both.example_count = (int32_t)count;
  both.labels = labels;
  both.keys = keys;
  both.sizes = sizes;
  both.stamps = stamps;
  pl_status status = arena.failed ? pl_fail_memory(error) : pl_detail_set_create(context, &both, set, error);
  pl_arena_destroy(&arena);
  return status;
}

// Add the recordings to the examples of the set, and save the new set.
static pl_status extend(studio_recorder *r, const pl_detail_session *session) {
  pl_detail_session_view view = pl_detail_session_get_view(session);
  pl_detail_set *old = NULL, *added = NULL, *joined = NULL;
  pl_status status = pl_detail_set_load(r->context, r->old_path, &old, &r->error);
  if (status >= 0) {
    pl_detail_def def = pl_detail_set_get_view(old).def;
    def.mirror = view.def.mirror;
    status = pl_detail_set_build(r->context, &def, &(pl_detail_recordings){view.recordings, view.example_count, NULL},
                                 &added, NULL, &r->error);
  }
  if (status >= 0) status = join(r->context, old, added, &joined, &r->error);
  if (status >= 0) status = pl_detail_set_save(r->context, r->new_path, joined, &r->error);
  if (status >= 0) r->count = pl_detail_set_get_view(joined).example_count;
  pl_detail_set_destroy(joined);
  pl_detail_set_destroy(added);
  pl_detail_set_destroy(old);
  return status;
}

static pl_status simulate(studio_recorder *r, pl_findings *findings) {
  pl_scene *scene = NULL;
  pl_detail_session *session = NULL;
  pl_detail_session_def def = pl_default_detail_session_def();
  def.progress = on_progress;
  def.user = r;
  pl_status status =
      pl_scene_load_memory(r->context, &(pl_memory_source){r->text.items, r->text.count, "recipe.json", r->folder},
                           &scene, findings, &r->error);
  if (status >= 0) status = pl_detail_session_record(r->context, &def, scene, &session, findings, &r->error);
  if (status == PL_OK) status = extend(r, session);
  pl_detail_session_destroy(session);
  pl_scene_destroy(scene);
  return status;
}

// Use the first finding as error text, because the error only says that there are findings.
static void explain(studio_recorder *r, const pl_findings *findings) {
  for (int32_t i = 0; i < pl_findings_count(findings, PL_SEVERITY_NOTE); ++i) {
    const pl_finding *finding = pl_findings_get(findings, i);
    if (finding->severity != PL_SEVERITY_ERROR) continue;
    (void)pl_fail(&r->error, r->status, "%s", finding->you_see);
    return;
  }
}

static void *work(void *user) {
  studio_recorder *r = user;
  pl_findings *findings = NULL;
  r->status = pl_findings_create(r->context, &findings, &r->error);
  if (r->status >= 0) r->status = simulate(r, findings);
  if (r->status < 0 && findings != NULL) explain(r, findings);
  pl_findings_destroy(findings);
  atomic_store(&r->done, true);
  return NULL;
}

// --- the current contact
// --------------------------------------------------------------------------------------------------------------------

// Position of the contact on the body at rest, in the frame of its mesh.
static pl_vec3 rest_position(const studio_world *w, int32_t index, const pl_detail_contact_report *contact) {
  const pl_instance_part *part = &PL_ITEM(&w->instance->parts, pl_instance_part, index);
  const pl_contact_surface *surface = &part->model->surface;
  const pl_vec3 *points = pl_mesh_get_view(part->body.mesh).points;
  pl_vec3 position = {0, 0, 0};
  for (int c = 0; c < 3; ++c) {
    size_t corner = (size_t)surface->triangles[3 * (size_t)contact->triangle + (size_t)c];
    for (size_t k = 0; k < 4; ++k)
      position = pl_vec3_add_scaled(position, points[surface->parents[4 * corner + k]],
                                    contact->barycentric[c] * (double)surface->weights[4 * corner + k]);
  }
  return position;
}

// The load relative to the mean load of the examples, limited.
static double strength_of(const pl_detail_set *set, double load) {
  pl_detail_set_view view = pl_detail_set_get_view(set);
  double sum = 0;
  for (int32_t i = 0; i < view.example_count; ++i) sum += (double)view.sizes[i];
  return sum > 0 ? fmin(fmax(load * view.example_count / sum, SHALLOWEST), DEEPEST) : 1;
}

// --- beginning
// ---------------------------------------------------------------------------------------------------------------------

// File name of the new set: that of the old one with an increasing number.
static void name_set(const char *old, char *name, size_t size) {
  const char *slash = strrchr(old, '/');
  int number = 0;
  char bare[80];
  snprintf(bare, sizeof bare, "%.79s", slash != NULL ? slash + 1 : old);
  char *end = strstr(bare, ".pldetail");
  if (end != NULL) *end = '\0';
  char *mark = strstr(bare, "-recorded-");
  if (mark != NULL && sscanf(mark, "-recorded-%9d", &number) == 1) *mark = '\0';
  snprintf(name, size, "%s-recorded-%d.pldetail", bare, number + 1);
}

// Paths of the recording: the old set, the folder of its recipe, and the new set in a temporary folder. The recipe is
// copied there, so that the next recording finds it.
static pl_status set_paths(studio_recorder *r, studio_document *recipe, const char *set, pl_error *error) {
  pl_context *context = r->w->context;
  char name[NAME_SIZE];
  name_set(set, name, sizeof name);
  char *folder = studio_files_folder(r->w->files);
  char *copy = folder != NULL ? pl_path_join(context, folder, "recipe.json") : NULL;
  r->scene = studio_copy_text(context, r->w->document.path);
  r->before = studio_copy_text(context, set);
  r->folder = studio_copy_text(context, recipe->folder);
  if (folder != NULL) r->new_path = pl_path_join(context, folder, name);
  bool good = copy != NULL && r->scene != NULL && r->before != NULL && r->folder != NULL && r->new_path != NULL;
  pl_status status = folder == NULL ? pl_fail(error, PL_ERROR_FILE, "a temporary folder cannot be created")
                     : good         ? studio_document_save(context, recipe, copy, error)
                                    : pl_fail_memory(error);
  pl_release(context, folder);
  pl_release(context, copy);
  return status;
}

// Load the recipe next to the set, and check that it matches the body.
static pl_status open_recipe(studio_recorder *r, int32_t body, const char *set, studio_document *recipe,
                             pl_error *error) {
  studio_world *w = r->w;
  r->old_path = pl_path_join(w->context, w->document.folder, set);
  char *folder = r->old_path != NULL ? pl_path_folder(w->context, r->old_path) : NULL;
  char *path = folder != NULL ? pl_path_join(w->context, folder, "recipe.json") : NULL;
  pl_status status = path != NULL ? PL_OK : pl_fail_memory(error);
  if (status >= 0 && access(path, R_OK) != 0)
    status = pl_fail(
        error, PL_ERROR_NOT_FOUND,
        "there is no recipe.json next to %s; write one with a fine and a coarse body, and record with `pliant detail "
        "record recipe.json -o SET.pldetail`",
        set);
  if (status >= 0) status = studio_document_read(w->context, path, NULL, recipe, error);
  if (status >= 0 && !studio_recipe_matches(w, recipe, studio_instance_source(w, body)))
    status = pl_fail(
        error, PL_ERROR_UNSUPPORTED,
        "the recipe next to %s is for another body; write one for this body, and record with `pliant detail record "
        "recipe.json -o SET.pldetail`",
        set);
  pl_release(w->context, folder);
  pl_release(w->context, path);
  return status;
}

static pl_status prepare(studio_recorder *r, int32_t body, const char *name, pl_error *error) {
  studio_world *w = r->w;
  pl_detail_contact_report contact;
  const pl_detail_set *set = studio_detail_get_set(w, body);
  const char *file = PL_ITEM(&w->instance->parts, pl_instance_part, body).source->detail.set;
  studio_document recipe = {.json = NULL};
  char label[LABEL_SIZE];
  if (set == NULL) return pl_fail(error, PL_ERROR_UNSUPPORTED, "the body has no detail");
  snprintf(label, sizeof label, "%.60s", name);
  studio_text_fix_utf8(label, strlen(label));
  if (label[0] == '\0') snprintf(label, sizeof label, "recorded %d", pl_detail_set_get_view(set).example_count + 1);
  pl_status status = open_recipe(r, body, file, &recipe, error);
  if (status >= 0 && !studio_detail_strongest_contact(w, body, &contact))
    status =
        pl_fail(error, PL_ERROR_NOT_FOUND, "nothing presses on the body; press the tool where you want the example");
  if (status >= 0) status = set_paths(r, &recipe, file, error);
  if (status >= 0)
    status = studio_recipe_set_touch(&recipe, rest_position(w, body, &contact), strength_of(set, contact.load_size),
                                     label, error);
  if (status >= 0) status = pl_json_write(recipe.json->root, PL_JSON_COMPACT, &r->text, error);
  studio_document_free(w->context, &recipe);
  return status;
}

static pl_status begin(studio_world *w, uint32_t viewer, const pl_json *id, int32_t body, const char *name,
                       pl_error *error) {
  if (w->recorder != NULL)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "another example is being recorded; wait until it is finished");
  studio_recorder *r = pl_allocate_array(w->context, 1, sizeof *r);
  if (r == NULL) return pl_fail_memory(error);
  *r = (studio_recorder){.w = w, .viewer = viewer, .text = pl_vector_of(w->context, 1)};
  (void)pl_json_get_number(id, &r->id);
  pl_context_def def = pl_default_context_def();
  def.thread_count = 1;
  pl_status status = pl_context_create(&def, &r->context, error);
  if (status >= 0) status = prepare(r, body, name, error);
  if (status >= 0 && pthread_create(&r->thread, NULL, work, r) != 0)
    status = pl_fail(error, PL_ERROR_UNSUPPORTED, "a thread could not be started");
  if (status >= 0)
    w->recorder = r;
  else
    destroy(r);
  return status;
}

void studio_record_begin(studio_world *w, uint32_t viewer, const pl_json *id, int32_t body, const char *name) {
  pl_error error = {0};
  if (begin(w, viewer, id, body, name, &error) < 0) studio_send_error(w, viewer, id, "%s", error.text);
}

// --- ending
// ------------------------------------------------------------------------------------------------------------------------

// Copy the document with the new set in place of the old one.
static pl_status rewrite(studio_recorder *r, studio_document *changed, pl_error *error) {
  studio_world *w = r->w;
  int changes = 0;
  pl_status status =
      w->instance != NULL ? studio_document_copy(w->context, &w->document, changed, error) : PL_ERROR_NOT_FOUND;
  if (status < 0) return pl_fail(error, status, "the scene was closed");
  const pl_json *bodies = pl_json_find(changed->json->root, "bodies");
  for (pl_json *body = bodies != NULL ? bodies->first : NULL; body != NULL; body = body->next) {
    pl_json *detail = (pl_json *)(uintptr_t)pl_json_find(body, "detail");
    if (!pl_json_is_text(pl_json_find(detail, "set"), r->before)) continue;
    pl_json_set_text(&changed->json->arena, detail, "set", r->new_path);
    ++changes;
  }
  if (strcmp(r->scene, w->document.path) != 0 || changes == 0)
    status = pl_fail(error, PL_ERROR_NOT_FOUND, "another scene was opened in the meantime");
  if (status >= 0 && changed->json->arena.failed) status = pl_fail_memory(error);
  if (status < 0) studio_document_free(w->context, changed);
  return status;
}

static void send_result(studio_recorder *r) {
  char id[STUDIO_FILE_ID_SIZE];
  const char *name = strrchr(r->new_path, '/') + 1;
  studio_message message = studio_message_begin(r->w->context, r->status >= 0 ? "done" : "error");
  if (message.root != NULL) {
    studio_message_set_number(&message, message.root, "id", r->id);
    if (r->status < 0) pl_json_set_text(&message.arena, message.root, "text", r->error.text);
    if (r->status >= 0) studio_message_set_number(&message, message.root, "count", r->count);
    if (r->status >= 0 && studio_files_add(r->w->files, r->new_path, name, id)) {
      pl_json_set_text(&message.arena, message.root, "file", id);
      pl_json_set_text(&message.arena, message.root, "name", name);
    }
  }
  studio_message_send(r->w, &message, r->viewer, STUDIO_ANSWER_QUEUE);
}

static void finish_recording(studio_world *w, const studio_build_result *result) {
  studio_recorder *r = result->user;
  r->status = result->status;
  r->error = *result->error;
  w->recorder = NULL;
  send_result(r);
  destroy(r);
}

void studio_record_poll(studio_world *w) {
  studio_recorder *r = w->recorder;
  // A running build has a document without the new set: wait for it.
  if (r == NULL || r->joined || w->build != NULL || !atomic_load(&r->done)) return;
  pthread_join(r->thread, NULL);
  r->joined = true;
  studio_build_def def = {.carry = true, .viewer = r->viewer, .end = finish_recording, .user = r};
  if (r->status >= 0) r->status = rewrite(r, &def.document, &r->error);
  if (r->status >= 0)
    studio_build_begin(w, &def);
  else
    finish_recording(w, &(studio_build_result){.status = r->status, .error = &r->error, .user = r});
}

void studio_record_stop(studio_world *w) {
  if (w->recorder == NULL) return;
  atomic_store(&w->recorder->stop, true);
  if (!w->recorder->joined) pthread_join(w->recorder->thread, NULL);
  destroy(w->recorder);
  w->recorder = NULL;
}

// --- saving
// ------------------------------------------------------------------------------------------------------------------------

// Copy the bytes, because saving a loaded set would round its stamps again. A different set with this name is not
// overwritten: the number is increased.
static pl_status copy_set(pl_context *context, const char *from, const char *folder, char *name, size_t size,
                          pl_error *error) {
  pl_bytes bytes;
  pl_file_writer *writer = NULL;
  pl_status status = pl_bytes_read(context, from, &bytes, error);
  if (status < 0) return status;
  char *to = pl_path_join(context, folder, name), old[NAME_SIZE];
  while (to != NULL && !studio_folder_can_write(context, to, bytes.data, bytes.size)) {
    snprintf(old, sizeof old, "%s", name);
    name_set(old, name, size);
    pl_release(context, to);
    to = pl_path_join(context, folder, name);
  }
  status = to != NULL ? pl_file_writer_open(context, to, &writer, error) : pl_fail_memory(error);
  if (status >= 0) {
    pl_file_writer_write(writer, bytes.data, bytes.size);
    status = pl_file_writer_commit(writer, error);
  }
  pl_bytes_free(&bytes);
  pl_release(context, to);
  return status;
}

pl_status studio_record_copy_sets(studio_world *w, studio_document *document, const char *folder, pl_error *error) {
  const pl_json *bodies = pl_json_find(document->json->root, "bodies");
  size_t length = w->files->folder != NULL ? strlen(w->files->folder) : 0;
  pl_status status = PL_OK;
  for (pl_json *body = bodies != NULL ? bodies->first : NULL; length > 0 && status >= 0 && body != NULL;
       body = body->next) {
    pl_json *detail = (pl_json *)(uintptr_t)pl_json_find(body, "detail");
    const char *set = NULL;
    if (!pl_json_get_text(pl_json_find(detail, "set"), &set) || strncmp(set, w->files->folder, length) != 0) continue;
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%s", strrchr(set, '/') + 1);
    if (folder != NULL) status = copy_set(w->context, set, folder, name, sizeof name, error);
    pl_json_set_text(&document->json->arena, detail, "set", name);
  }
  return status >= 0 && document->json->arena.failed ? pl_fail_memory(error) : status;
}
