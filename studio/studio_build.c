// The thread that builds.
//
// It shares the world's context, because what it builds is to live there. A parallel loop of the world that meets one of the builder's runs in its own thread alone, and the other way round
// (base/pool.c), so neither waits for the other.
#include "studio_build.h"

#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "studio_document.h"
#include "studio_note.h"

// Requests that may wait at a time.
enum { MAX_WAITING = 256, ID_SIZE = 64 };

typedef struct studio_build {
  studio_world *w;
  studio_document document;
  pl_findings *findings;
  bool carry;
  uint32_t viewer;
  pl_json id;  // as it was given; PL_JSON_NULL: none
  char id_text[ID_SIZE];
  studio_build_end *end;
  void *user;
  pthread_t thread;
  studio_fresh made;
  pl_status status;
  pl_error error;
  atomic_bool done;
} studio_build;

// --- in the thread -----------------------------------------------------------------------------------------------------------------

static void tell(const studio_build *b, double fraction, const char *text) {
  if (b->id.kind == PL_JSON_NUMBER) studio_note_progress(b->w, b->viewer, b->id.number, fraction, text);
}

static void *work(void *user) {
  studio_build *b = user;
  tell(b, 0.1, "building it beside what is shown");
  b->status = studio_stage_build(b->w->context, &b->w->cache, &b->document, b->findings, &b->made, &b->error);
  tell(b, 0.95, b->status >= 0 ? "built" : "it cannot be built");
  atomic_store(&b->done, true);
  // Where there is no room the world looks by itself before long.
  (void)studio_inbox_put(b->w->inbox, (studio_command){.kind = STUDIO_COMMAND_WAKE});
  return NULL;
}

// --- beginning and ending ----------------------------------------------------------------------------------------------------------

static const pl_json *id_of(const studio_build *b) {
  return b->id.kind != PL_JSON_NULL ? &b->id : NULL;
}

// What nobody took over goes.
static void destroy(studio_build *b) {
  pl_context *context = b->w->context;
  studio_stage_discard(context, &b->made);
  studio_document_free(context, &b->document);
  pl_findings_destroy(b->findings);
  pl_release(context, b);
}

static void finish(studio_build *b) {
  studio_world *w = b->w;
  studio_build_result result = {.status = b->status, .error = &b->error, .viewer = b->viewer, .id = id_of(b), .user = b->user};
  if (b->status >= 0) {
    result.carried = studio_stage_enter(w, &b->made, &b->document, b->findings, b->carry);
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
  // Once the thread runs, how it goes is its own to say.
  if (status >= 0 && pthread_create(&b->thread, NULL, work, b) == 0) return;
  w->build = NULL;
  b->status = status < 0 ? status : pl_fail(&b->error, PL_ERROR_UNSUPPORTED, "the system would not start a thread");
  finish(b);
}

void studio_build_look(studio_world *w) {
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
  for (size_t i = 0; i < w->waiting.count; ++i) studio_inbox_finish(w->inbox, &PL_ITEM(&w->waiting, studio_command, i));
  pl_vector_free(&w->waiting);
}

// --- who waits ---------------------------------------------------------------------------------------------------------------------

static bool asks_for_document(const studio_command *command) {
  static const char *const words[] = {"open", "set", "example", "save", "export", "detail"};
  if (command->kind != STUDIO_COMMAND_MESSAGE) return false;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
    if (strcmp(words[i], command->word) == 0) return true;
  return false;
}

bool studio_build_keep(studio_world *w, const studio_command *command) {
  if ((w->build == NULL && w->waiting.count == 0) || !asks_for_document(command)) return false;
  if (w->waiting.count < MAX_WAITING && pl_vector_push(&w->waiting, command)) return true;
  studio_note_error(w, command->viewer, pl_json_find(command->message->root, "id"), "a scene is being built; ask again later");
  studio_inbox_finish(w->inbox, command);
  return true;
}

bool studio_build_release(studio_world *w, studio_command *command) {
  if (w->build != NULL || w->waiting.count == 0) return false;
  studio_command *first = w->waiting.items;
  *command = *first;
  memmove(first, first + 1, --w->waiting.count * sizeof *first);
  return true;
}
