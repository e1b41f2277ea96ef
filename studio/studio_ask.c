// What viewers ask for, one function a word.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "pliant/math.h"
#include "studio_build.h"
#include "studio_capture.h"
#include "studio_document.h"
#include "studio_example.h"
#include "studio_export.h"
#include "studio_folder.h"
#include "studio_note.h"
#include "studio_record.h"
#include "studio_setting.h"
#include "studio_touch.h"

// Seconds from one moment that is shown to the next while many steps are done at once.
static const double LOOK_EVERY = 1.0 / 30;

// A request: who asks, and what.
typedef struct ask {
  studio_world *w;
  uint32_t viewer;
  const pl_json *message;
  const pl_json *id;  // NULL: none
} ask;

static bool get_vector(const pl_json *value, pl_vec3 *vector) {
  double n[3];
  for (int i = 0; i < 3; ++i)
    if (!pl_json_get_number(pl_json_at(value, i), &n[i]) || !isfinite(n[i])) return false;
  *vector = (pl_vec3){n[0], n[1], n[2]};
  return true;
}

static bool get_count(const ask *a, const char *key, int32_t *count) {
  int64_t number;
  if (!pl_json_get_integer(pl_json_find(a->message, key), &number) || number < 0 || number > INT32_MAX) return false;
  *count = (int32_t)number;
  return true;
}

static void refuse(const ask *a, const char *text) {
  studio_note_error(a->w, a->viewer, a->id, "%s", text);
}

static void tell_failure(studio_world *w, uint32_t viewer, const pl_json *id, const pl_error *error) {
  char line[1024];
  pl_error_format(error, line, sizeof line);
  studio_note_error(w, viewer, id, "%s", line);
}

static void fail(const ask *a, const pl_error *error) {
  tell_failure(a->w, a->viewer, a->id, error);
}

// --- scenes -----------------------------------------------------------------------------------------------------------------------

static void end_opening(studio_world *w, const studio_build_result *result) {
  if (result->status < 0) {
    if (result->findings != NULL) studio_stage_tell_findings(w, result->findings, result->viewer);
    tell_failure(w, result->viewer, result->id, result->error);
    return;
  }
  // A recording is looked at, a world runs.
  if (w->capture == NULL || !w->capture->shown) studio_world_pause(w, false);
  studio_stage_tell_findings(w, w->findings, 0);
  studio_note_done(w, result->viewer, result->id);
}

// The document that is to be opened.
static pl_status read_document(const ask *a, studio_document *document, pl_findings *findings, pl_error *error) {
  const studio_world *w = a->w;
  const char *gallery = NULL, *path = NULL, *text = NULL, *name = "scene.json";
  (void)pl_json_get_text(pl_json_find(a->message, "name"), &name);
  if (pl_json_get_text(pl_json_find(a->message, "gallery"), &gallery)) {
    bool known = false;
    for (int i = 0; i < w->options->name_count; ++i) known = known || strcmp(w->options->names[i], gallery) == 0;
    if (!known) return pl_fail(error, PL_ERROR_NOT_FOUND, "the gallery has no scene of that name");
    char *folder = pl_path_join(w->context, w->options->gallery, gallery);
    char *file = folder != NULL ? pl_path_join(w->context, folder, "scene.json") : NULL;
    pl_status status = file != NULL ? studio_document_read(w->context, file, findings, document, error) : pl_fail_memory(error);
    pl_release(w->context, folder);
    pl_release(w->context, file);
    return status;
  }
  if (pl_json_get_text(pl_json_find(a->message, "path"), &path)) {
    pl_status status = studio_folder_check_open(w, path, error);
    return status >= 0 ? studio_document_read(w->context, path, findings, document, error) : status;
  }
  if (!pl_json_get_text(pl_json_find(a->message, "text"), &text))
    return pl_fail(error, PL_ERROR_INVALID_DATA, "give `gallery`, `path` or `text`");
  size_t size = (size_t)pl_json_find(a->message, "text")->text_length;
  return studio_document_parse(w->context, text, size, name, findings, document, error);
}

static void open_scene(const ask *a) {
  pl_error error = {0};
  studio_build_def def = {.viewer = a->viewer, .id = a->id, .end = end_opening};
  pl_status status = pl_findings_create(a->w->context, &def.findings, &error);
  if (status >= 0) status = read_document(a, &def.document, def.findings, &error);
  if (status >= 0) {
    studio_build_begin(a->w, &def);
    return;
  }
  if (def.findings != NULL) studio_stage_tell_findings(a->w, def.findings, a->viewer);
  fail(a, &error);
  pl_findings_destroy(def.findings);
}

static void save_scene(const ask *a) {
  studio_export_save(a->w, a->viewer, a->id, a->message);
}

static void export_scene(const ask *a) {
  studio_export_begin(a->w, a->viewer, a->id, a->message);
}

// --- time -------------------------------------------------------------------------------------------------------------------------

static void pause_world(const ask *a) {
  studio_world_pause(a->w, true);
  studio_note_done(a->w, a->viewer, a->id);
}

static void run_world(const ask *a) {
  studio_world_pause(a->w, false);
  studio_note_done(a->w, a->viewer, a->id);
}

static void reset_world(const ask *a) {
  studio_world_reset(a->w);
  studio_note_done(a->w, a->viewer, a->id);
}

static int32_t step_count(const ask *a) {
  int32_t count = 1;
  (void)get_count(a, "count", &count);
  return count < 1 ? 1 : count > 1000 ? 1000 : count;
}

static void step_world(const ask *a) {
  if (a->w->set == NULL) {
    refuse(a, "no scene is open");
    return;
  }
  studio_world_pause(a->w, true);
  for (int32_t i = step_count(a); i > 0; --i) {
    if (!studio_world_step(a->w)) break;
    // Many steps of a large world take their time, and are worth seeing.
    if (pl_clock_seconds() - a->w->shown < LOOK_EVERY) continue;
    studio_show_moment(a->w);
    a->w->shown = pl_clock_seconds();
  }
  a->w->shown_step = -1;
  studio_note_done(a->w, a->viewer, a->id);
}

static void back_world(const ask *a) {
  if (a->w->set == NULL) {
    refuse(a, "no scene is open");
    return;
  }
  studio_world_back(a->w, step_count(a));
  studio_note_done(a->w, a->viewer, a->id);
}

// --- hands ------------------------------------------------------------------------------------------------------------------------

// A frame of a recording stands in the place of the body: there is nothing to hold.
static bool is_recorded(const ask *a, int32_t body) {
  return a->w->set != NULL && studio_capture_shows(a->w, body);
}

static void grab(const ask *a) {
  int32_t body, point;
  pl_vec3 at;
  if (!get_count(a, "body", &body) || !get_count(a, "point", &point) || !get_vector(pl_json_find(a->message, "at"), &at) ||
      is_recorded(a, body) || !studio_hold_grab(a->w, a->viewer, body, point, at))
    refuse(a, "there is no such point to grab");
}

static void drag(const ask *a) {
  pl_vec3 at;
  if (get_vector(pl_json_find(a->message, "at"), &at)) studio_hold_drag(a->w, a->viewer, at);
}

static void release(const ask *a) {
  studio_hold_release(a->w, a->viewer);
}

static void pin(const ask *a) {
  int32_t body, point;
  if (!get_count(a, "body", &body) || !get_count(a, "point", &point) || is_recorded(a, body) || !studio_hold_pin(a->w, body, point))
    refuse(a, "there is no such point to pin");
}

static void move_tool(const ask *a) {
  pl_vec3 at;
  double radius = 0.05;
  studio_world *w = a->w;
  (void)pl_json_get_number(pl_json_find(a->message, "radius"), &radius);
  if (!get_vector(pl_json_find(a->message, "at"), &at)) {
    if (w->tool_viewer == a->viewer) studio_tool_remove(w);
    return;
  }
  w->tool_viewer = a->viewer;
  if (!studio_tool_move(w, at, radius)) refuse(a, "a tool needs a place and a radius above 0");
}

static void show_detail(const ask *a) {
  int32_t body;
  bool on = true, record = false;
  const char *name = "";
  (void)pl_json_get_bool(pl_json_find(a->message, "record"), &record);
  if (a->w->set == NULL || !get_count(a, "body", &body) || body >= pl_scene_instance_body_count(a->w->set) ||
      body >= STUDIO_MAX_DETAIL) {
    refuse(a, "there is no such body");
    return;
  }
  if (record) {
    (void)pl_json_get_text(pl_json_find(a->message, "name"), &name);
    studio_record_begin(a->w, a->viewer, a->id, body, name);
    return;
  }
  if (pl_json_get_bool(pl_json_find(a->message, "on"), &on)) a->w->plain[body] = !on;
  a->w->shown_step = a->w->telemetry_step = -1;
  studio_note_done(a->w, a->viewer, a->id);
}

static void handle_capture(const ask *a) {
  studio_capture_ask(a->w, a->viewer, a->id, a->message);
}

static void look_from(const ask *a) {
  pl_vec3 eye;
  a->w->has_eye = get_vector(pl_json_find(a->message, "eye"), &eye);
  if (a->w->has_eye) a->w->eye = eye;
  if (a->w->set != NULL) pl_scene_instance_set_camera(a->w->set, a->w->has_eye ? &eye : NULL);
}

// --- settings and examples ------------------------------------------------------------------------------------------------------

static void end_change(studio_world *w, const studio_build_result *result) {
  if (result->status < 0) {
    tell_failure(w, result->viewer, result->id, result->error);
    return;
  }
  studio_note note = studio_note_answer(w, result->id);
  if (note.root != NULL) pl_json_set_bool(&note.arena, note.root, "restarted", !result->carried);
  studio_note_post(w, &note, result->viewer, STUDIO_QUEUE);
}

static void change_setting(const ask *a) {
  const char *path = "";
  bool live;
  pl_error error = {0};
  studio_build_def def = {.carry = true, .viewer = a->viewer, .id = a->id, .end = end_change};
  (void)pl_json_get_text(pl_json_find(a->message, "path"), &path);
  if (studio_setting_change(a->w, path, pl_json_find(a->message, "value"), &live, &def.document, &error) < 0)
    fail(a, &error);
  else if (live)
    end_change(a->w, &(studio_build_result){.status = PL_OK, .carried = true, .viewer = a->viewer, .id = a->id});
  else
    studio_build_begin(a->w, &def);
}

static void change_examples(const ask *a) {
  pl_error error = {0};
  studio_build_def def = {.carry = true, .viewer = a->viewer, .id = a->id, .end = end_change};
  if (studio_example_change(a->w, a->message, &def.document, &error) < 0)
    fail(a, &error);
  else
    studio_build_begin(a->w, &def);
}

static void set_weights(const ask *a) {
  studio_world *w = a->w;
  studio_given given = {.manifold = 0};
  const pl_json *weights = pl_json_find(a->message, "weights");
  if (w->set == NULL || !get_count(a, "body", &given.body) || given.body >= pl_scene_instance_body_count(w->set)) {
    refuse(a, "there is no such body");
    return;
  }
  (void)get_count(a, "manifold", &given.manifold);
  pl_body_id body = pl_scene_instance_get_body(w->set, given.body).id;
  pl_example_view examples = pl_model_get_examples(pl_body_get_model(w->world, body));
  if (given.manifold >= examples.given_count) {
    refuse(a, "the body has no such set of weights");
    return;
  }
  size_t kept = 0;
  // Weights by projection are for all sets of a body at once.
  bool none = weights == NULL || weights->kind == PL_JSON_NULL;
  for (size_t i = 0; i < w->given.count; ++i) {
    const studio_given *old = &PL_ITEM(&w->given, studio_given, i);
    if (old->body == given.body && (none || old->manifold == given.manifold)) continue;
    PL_ITEM(&w->given, studio_given, kept++) = *old;
  }
  w->given.count = kept;
  if (none) {
    (void)pl_body_set_weights(w->world, body, 0, NULL, NULL);
    return;
  }
  given.count = examples.example_count;
  for (int32_t k = 0; k < given.count && k < PL_MAX_EXAMPLES; ++k) {
    double number = 0;
    (void)pl_json_get_number(pl_json_at(weights, k), &number);
    given.weights[k] = isfinite(number) ? fmin(fmax(number, 0), 1) : 0;
  }
  (void)pl_vector_push(&w->given, &given);
}

// --- actors -----------------------------------------------------------------------------------------------------------------------

static int32_t find_actor(const ask *a) {
  int32_t body;
  if (a->w->set == NULL || !get_count(a, "body", &body)) return -1;
  for (int32_t i = 0; i < pl_scene_instance_actor_count(a->w->set); ++i)
    if (pl_scene_instance_get_actor(a->w->set, i).body == body) return i;
  return -1;
}

static void forget_errand(studio_world *w, int32_t actor) {
  size_t kept = 0;
  for (size_t i = 0; i < w->errands.count; ++i) {
    studio_errand errand = PL_ITEM(&w->errands, studio_errand, i);
    if (errand.actor != actor) PL_ITEM(&w->errands, studio_errand, kept++) = errand;
  }
  w->errands.count = kept;
}

static void steer(const ask *a) {
  int32_t number = find_actor(a);
  if (number < 0) {
    refuse(a, "there is no actor of that body");
    return;
  }
  pl_actor *actor = pl_scene_instance_get_actor(a->w->set, number).actor;
  pl_actor_command command = pl_actor_get_command(actor);
  pl_vec3 heading;
  double speed;
  if (pl_json_get_number(pl_json_find(a->message, "speed"), &speed) && isfinite(speed))
    command.speed = fmin(fmax(speed, -100), 100);
  if (get_vector(pl_json_find(a->message, "heading"), &heading)) command.heading = pl_vec3_normalize_or(heading, command.heading);
  forget_errand(a->w, number);
  pl_actor_set_command(actor, command);
}

static void send_to(const ask *a) {
  studio_errand errand = {.actor = find_actor(a)};
  if (errand.actor < 0) {
    refuse(a, "there is no actor of that body");
    return;
  }
  forget_errand(a->w, errand.actor);
  if (get_vector(pl_json_find(a->message, "position"), &errand.position)) (void)pl_vector_push(&a->w->errands, &errand);
}

// --- the table --------------------------------------------------------------------------------------------------------------------

static const struct {
  const char *word;
  void (*answer)(const ask *a);
} WORDS[] = {{"open", open_scene},
             {"pause", pause_world},
             {"run", run_world},
             {"reset", reset_world},
             {"step", step_world},
             {"back", back_world},
             {"grab", grab},
             {"drag", drag},
             {"release", release},
             {"pin", pin},
             {"camera", look_from},
             {"tool", move_tool},
             {"detail", show_detail},
             {"capture", handle_capture},
             {"set", change_setting},
             {"weights", set_weights},
             {"steer", steer},
             {"goal", send_to},
             {"example", change_examples},
             {"save", save_scene},
             {"export", export_scene}};

void studio_world_hear(studio_world *w, uint32_t viewer, const char *word, const pl_json *message) {
  const ask a = {w, viewer, message, pl_json_find(message, "id")};
  for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; ++i)
    if (strcmp(WORDS[i].word, word) == 0) {
      WORDS[i].answer(&a);
      return;
    }
  studio_note_error(w, viewer, a.id, "\"%.60s\" cannot be asked for", word);
}
