// The build thread.
//
// It uses the world's context, because the new scene belongs to it. A parallel loop that finds the pool busy runs in
// its calling thread alone (base/pool.c), so world and build do not wait for each other.
#include "studio_build.h"

#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "studio_document.h"
#include "studio_message.h"

// Maximum deferred requests, and size of an id that is a text.
enum { MAX_WAITING = 256, ID_SIZE = 64 };

typedef struct studio_build {
  studio_world *w;
  studio_document document;
  pl_findings *findings;
  bool carry;
  uint32_t viewer;
  pl_json id;  // a copy of the request's id; PL_JSON_NULL: none
  char id_text[ID_SIZE];
  studio_build_end *end;
  void *user;
  pthread_t thread;
  studio_instance built;
  pl_status status;
  pl_error error;
  atomic_bool done;
} studio_build;

// --- in the thread
// -----------------------------------------------------------------------------------------------------------------

static void send_progress(const studio_build *b, double fraction, const char *text) {
  if (b->id.kind == PL_JSON_NUMBER) studio_send_progress(b->w, b->viewer, b->id.number, fraction, text);
}

static void *work(void *user) {
  studio_build *b = user;
  send_progress(b, 0.1, "building the scene");
  b->status = studio_instance_build(b->w->context, &b->w->cache, &b->document, b->findings, &b->built, &b->error);
  send_progress(b, 0.95, b->status >= 0 ? "built" : "the scene cannot be built");
  atomic_store(&b->done, true);
  // If the queue is full, the world polls soon anyway.
  (void)studio_command_queue_push(b->w->queue, (studio_command){.kind = STUDIO_COMMAND_WAKE});
  return NULL;
}

// --- beginning and ending
// ----------------------------------------------------------------------------------------------------------

static const pl_json *id_of(const studio_build *b) {
  return b->id.kind != PL_JSON_NULL ? &b->id : NULL;
}

// Free what was not installed.
static void destroy(studio_build *b) {
  pl_context *context = b->w->context;
  studio_instance_free(context, &b->built);
  studio_document_free(context, &b->document);
  pl_findings_destroy(b->findings);
  pl_release(context, b);
}

static void finish(studio_build *b) {
  studio_world *w = b->w;
  studio_build_result result = {
      .status = b->status, .error = &b->error, .viewer = b->viewer, .id = id_of(b), .user = b->user};
  if (b->status >= 0) {
    result.carried = studio_instance_install(w, &b->built, &b->document, b->findings, b->carry);
    b->findings = NULL;
  } else {
    result.findings = b->findings;
  }
  b->end(w, &result);
  destroy(b);
}

static void copy_id(studio_build *b, const pl_json *id) {
  const char *text;
  b->id = (pl_json){.kind = PL_JSON_NULL};
  if (pl_json_get_number(id, &b->id.number)) b->id.kind = PL_JSON_NUMBER;
  if (!pl_json_get_text(id, &text)) return;
  snprintf(b->id_text, sizeof b->id_text, "%s", text);
  b->id.kind = PL_JSON_STRING;
  b->id.text = b->id_text;
  b->id.text_length = (int32_t)strlen(b->id_text);
}

void studio_build_begin(studio_world *w, const studio_build_def *def) {
  pl_error error = {0};
  studio_build *b = pl_allocate_array(w->context, 1, sizeof *b);
  if (b == NULL) {
    studio_document document = def->document;
    pl_fail_memory(&error);
    def->end(w, &(studio_build_result){
                    .status = error.status, .error = &error, .viewer = def->viewer, .id = def->id, .user = def->user});
    studio_document_free(w->context, &document);
    pl_findings_destroy(def->findings);
    return;
  }
  *b = (studio_build){.w = w,
                      .document = def->document,
                      .findings = def->findings,
                      .carry = def->carry,
                      .viewer = def->viewer,
                      .end = def->end,
                      .user = def->user};
  copy_id(b, def->id);
  pl_status status = b->findings != NULL ? PL_OK : pl_findings_create(w->context, &b->findings, &b->error);
  w->build = b;
  // Once the thread runs, it owns the status.
  if (status >= 0 && pthread_create(&b->thread, NULL, work, b) == 0) return;
  w->build = NULL;
  b->status = status < 0 ? status : pl_fail(&b->error, PL_ERROR_UNSUPPORTED, "a thread could not be started");
  finish(b);
}

void studio_build_poll(studio_world *w) {
  studio_build *b = w->build;
  if (b == NULL || !atomic_load(&b->done)) return;
  pthread_join(b->thread, NULL);
  w->build = NULL;
  finish(b);
}

void studio_build_stop(studio_world *w) {
  if (w->build != NULL) {
    pthread_join(w->build->thread, NULL);
    destroy(w->build);
    w->build = NULL;
  }
  for (size_t i = 0; i < w->deferred.count; ++i)
    studio_command_queue_finish(w->queue, &PL_ITEM(&w->deferred, studio_command, i));
  pl_vector_free(&w->deferred);
}

// --- deferred requests
// ---------------------------------------------------------------------------------------------------------------------

static bool uses_document(const studio_command *command) {
  static const char *const names[] = {"open", "set", "example", "save", "export", "detail", "spring", "node_collider"};
  if (command->kind != STUDIO_COMMAND_MESSAGE) return false;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (strcmp(names[i], command->name) == 0) return true;
  return false;
}

bool studio_build_defer(studio_world *w, const studio_command *command) {
  if ((w->build == NULL && w->deferred.count == 0) || !uses_document(command)) return false;
  if (w->deferred.count < MAX_WAITING && pl_vector_push(&w->deferred, command)) return true;
  studio_send_error(w, command->viewer, pl_json_find(command->message->root, "id"),
                    "a scene is being built and too many requests wait; try again later");
  studio_command_queue_finish(w->queue, command);
  return true;
}

bool studio_build_next_deferred(studio_world *w, studio_command *command) {
  if (w->build != NULL || w->deferred.count == 0) return false;
  studio_command *first = w->deferred.items;
  *command = *first;
  memmove(first, first + 1, --w->deferred.count * sizeof *first);
  return true;
}
