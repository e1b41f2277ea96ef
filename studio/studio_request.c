// Requests of viewers: one function for each request, and the table that finds it.
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
#include "studio_message.h"
#include "studio_record.h"
#include "studio_setting.h"
#include "studio_spring.h"
#include "studio_tool.h"

// Seconds between two published frames during a `step` request of many steps.
static const double FRAME_INTERVAL = 1.0 / 30;

// A request and the viewer that sent it.
typedef struct request {
  studio_world *w;
  uint32_t viewer;
  const pl_json *message;
  const pl_json *id;  // NULL: none
} request;

static bool get_vector(const pl_json *value, pl_vec3 *vector) {
  double n[3];
  for (int i = 0; i < 3; ++i)
    if (!pl_json_get_number(pl_json_at(value, i), &n[i]) || !isfinite(n[i])) return false;
  *vector = (pl_vec3){n[0], n[1], n[2]};
  return true;
}

static bool get_count(const request *r, const char *key, int32_t *count) {
  int64_t number;
  if (!pl_json_get_integer(pl_json_find(r->message, key), &number) || number < 0 || number > INT32_MAX) return false;
  *count = (int32_t)number;
  return true;
}

static void refuse(const request *r, const char *text) {
  studio_send_error(r->w, r->viewer, r->id, "%s", text);
}

static void send_failure(studio_world *w, uint32_t viewer, const pl_json *id, const pl_error *error) {
  char line[1024];
  pl_error_format(error, line, sizeof line);
  studio_send_error(w, viewer, id, "%s", line);
}

static void fail(const request *r, const pl_error *error) {
  send_failure(r->w, r->viewer, r->id, error);
}

// --- scenes
// -----------------------------------------------------------------------------------------------------------------------

static void end_opening(studio_world *w, const studio_build_result *result) {
  if (result->status < 0) {
    if (result->findings != NULL) studio_findings_send(w, result->findings, result->viewer);
    send_failure(w, result->viewer, result->id, result->error);
    return;
  }
  // A recording opens paused, a world opens running.
  if (w->capture == NULL || !w->capture->shown) studio_world_pause(w, false);
  studio_findings_send(w, w->findings, 0);
  studio_send_done(w, result->viewer, result->id);
}

// Load the document named by the request.
static pl_status read_document(const request *r, studio_document *document, pl_findings *findings, pl_error *error) {
  const studio_world *w = r->w;
  const char *gallery = NULL, *path = NULL, *text = NULL, *name = "scene.json";
  (void)pl_json_get_text(pl_json_find(r->message, "name"), &name);
  if (pl_json_get_text(pl_json_find(r->message, "gallery"), &gallery)) {
    bool known = false;
    for (int i = 0; i < w->options->name_count; ++i) known = known || strcmp(w->options->names[i], gallery) == 0;
    if (!known) return pl_fail(error, PL_ERROR_NOT_FOUND, "the gallery has no scene with this name");
    char *folder = pl_path_join(w->context, w->options->gallery, gallery);
    char *file = folder != NULL ? pl_path_join(w->context, folder, "scene.json") : NULL;
    pl_status status =
        file != NULL ? studio_document_read(w->context, file, findings, document, error) : pl_fail_memory(error);
    pl_release(w->context, folder);
    pl_release(w->context, file);
    return status;
  }
  if (pl_json_get_text(pl_json_find(r->message, "path"), &path)) {
    pl_status status = studio_folder_check_open(w, path, error);
    return status >= 0 ? studio_document_read(w->context, path, findings, document, error) : status;
  }
  if (!pl_json_get_text(pl_json_find(r->message, "text"), &text))
    return pl_fail(error, PL_ERROR_INVALID_DATA, "`open` needs `gallery`, `path` or `text`");
  size_t size = (size_t)pl_json_find(r->message, "text")->text_length;
  return studio_document_parse(w->context, text, size, name, findings, document, error);
}

static void open_scene(const request *r) {
  pl_error error = {0};
  studio_build_def def = {.viewer = r->viewer, .id = r->id, .end = end_opening};
  pl_status status = pl_findings_create(r->w->context, &def.findings, &error);
  if (status >= 0) status = read_document(r, &def.document, def.findings, &error);
  if (status >= 0) {
    studio_build_begin(r->w, &def);
    return;
  }
  if (def.findings != NULL) studio_findings_send(r->w, def.findings, r->viewer);
  fail(r, &error);
  pl_findings_destroy(def.findings);
}

static void save_scene(const request *r) {
  studio_export_save(r->w, r->viewer, r->id, r->message);
}

static void export_scene(const request *r) {
  studio_export_begin(r->w, r->viewer, r->id, r->message);
}

// --- time
// -------------------------------------------------------------------------------------------------------------------------

static void pause_world(const request *r) {
  studio_world_pause(r->w, true);
  studio_send_done(r->w, r->viewer, r->id);
}

static void run_world(const request *r) {
  studio_world_pause(r->w, false);
  studio_send_done(r->w, r->viewer, r->id);
}

static void reset_world(const request *r) {
  studio_world_reset(r->w);
  studio_send_done(r->w, r->viewer, r->id);
}

static int32_t step_count(const request *r) {
  int32_t count = 1;
  (void)get_count(r, "count", &count);
  return count < 1 ? 1 : count > 1000 ? 1000 : count;
}

static void step_world(const request *r) {
  if (r->w->instance == NULL) {
    refuse(r, "no scene is open");
    return;
  }
  studio_world_pause(r->w, true);
  for (int32_t i = step_count(r); i > 0; --i) {
    if (!studio_world_step(r->w)) break;
    // Many steps of a large world take long: publish frames in between.
    if (pl_clock_seconds() - r->w->shown < FRAME_INTERVAL) continue;
    studio_frame_publish(r->w);
    r->w->shown = pl_clock_seconds();
  }
  r->w->shown_step = -1;
  studio_send_done(r->w, r->viewer, r->id);
}

static void back_world(const request *r) {
  if (r->w->instance == NULL) {
    refuse(r, "no scene is open");
    return;
  }
  studio_world_back(r->w, step_count(r));
  studio_send_done(r->w, r->viewer, r->id);
}

// --- grab, pin, tool
// ------------------------------------------------------------------------------------------------------------------------

// While a frame of a recording is shown, its body cannot be grabbed or pinned.
static bool is_recorded(const request *r, int32_t body) {
  return r->w->instance != NULL && studio_capture_shows_frame(r->w, body);
}

static void grab(const request *r) {
  int32_t body, point;
  pl_vec3 at;
  if (!get_count(r, "body", &body) || !get_count(r, "point", &point) ||
      !get_vector(pl_json_find(r->message, "at"), &at) || is_recorded(r, body) ||
      !studio_hold_grab(r->w, r->viewer, body, point, at))
    refuse(r, "there is no such point to grab");
}

static void drag(const request *r) {
  pl_vec3 at;
  if (get_vector(pl_json_find(r->message, "at"), &at)) studio_hold_drag(r->w, r->viewer, at);
}

static void release(const request *r) {
  studio_hold_release(r->w, r->viewer);
}

static void pin(const request *r) {
  int32_t body, point;
  if (!get_count(r, "body", &body) || !get_count(r, "point", &point) || is_recorded(r, body) ||
      !studio_hold_pin(r->w, body, point))
    refuse(r, "there is no such point to pin");
}

static void move_tool(const request *r) {
  pl_vec3 at;
  double radius = 0.05;
  studio_world *w = r->w;
  (void)pl_json_get_number(pl_json_find(r->message, "radius"), &radius);
  if (!get_vector(pl_json_find(r->message, "at"), &at)) {
    if (w->tool_viewer == r->viewer) studio_tool_remove(w);
    return;
  }
  w->tool_viewer = r->viewer;
  if (!studio_tool_move(w, at, radius)) refuse(r, "a tool needs a position and a radius greater than 0");
}

static void show_detail(const request *r) {
  int32_t body;
  bool on = true, record = false;
  const char *name = "";
  (void)pl_json_get_bool(pl_json_find(r->message, "record"), &record);
  if (r->w->instance == NULL || !get_count(r, "body", &body) || body >= pl_scene_instance_body_count(r->w->instance) ||
      body >= STUDIO_MAX_DETAIL) {
    refuse(r, "there is no such body");
    return;
  }
  if (record) {
    (void)pl_json_get_text(pl_json_find(r->message, "name"), &name);
    studio_record_begin(r->w, r->viewer, r->id, body, name);
    return;
  }
  if (pl_json_get_bool(pl_json_find(r->message, "on"), &on)) r->w->detail_off[body] = !on;
  r->w->shown_step = r->w->telemetry_step = -1;
  studio_send_done(r->w, r->viewer, r->id);
}

static void control_capture(const request *r) {
  studio_capture_handle_request(r->w, r->viewer, r->id, r->message);
}

static void set_camera(const request *r) {
  pl_vec3 eye;
  r->w->has_eye = get_vector(pl_json_find(r->message, "eye"), &eye);
  if (r->w->has_eye) r->w->eye = eye;
  if (r->w->instance != NULL) pl_scene_instance_set_camera(r->w->instance, r->w->has_eye ? &eye : NULL);
}

// --- settings and examples
// ------------------------------------------------------------------------------------------------------

static void end_change(studio_world *w, const studio_build_result *result) {
  if (result->status < 0) {
    send_failure(w, result->viewer, result->id, result->error);
    return;
  }
  studio_message message = studio_message_begin_reply(w, result->id);
  if (message.root != NULL) pl_json_set_bool(&message.arena, message.root, "restarted", !result->carried);
  studio_message_send(w, &message, result->viewer, STUDIO_ANSWER_QUEUE);
}

static void change_setting(const request *r) {
  const char *path = "";
  bool live;
  pl_error error = {0};
  studio_build_def def = {.carry = true, .viewer = r->viewer, .id = r->id, .end = end_change};
  (void)pl_json_get_text(pl_json_find(r->message, "path"), &path);
  if (studio_setting_change(r->w, path, pl_json_find(r->message, "value"), &live, &def.document, &error) < 0)
    fail(r, &error);
  else if (live)
    end_change(r->w, &(studio_build_result){.status = PL_OK, .carried = true, .viewer = r->viewer, .id = r->id});
  else
    studio_build_begin(r->w, &def);
}

static void change_examples(const request *r) {
  pl_error error = {0};
  studio_build_def def = {.carry = true, .viewer = r->viewer, .id = r->id, .end = end_change};
  if (studio_example_change(r->w, r->message, &def.document, &error) < 0)
    fail(r, &error);
  else
    studio_build_begin(r->w, &def);
}

static void change_springs(const request *r) {
  pl_error error = {0};
  studio_build_def def = {.carry = true, .viewer = r->viewer, .id = r->id, .end = end_change};
  if (studio_spring_change(r->w, r->message, &def.document, &error) < 0)
    fail(r, &error);
  else
    studio_build_begin(r->w, &def);
}

static void change_node_colliders(const request *r) {
  pl_error error = {0};
  studio_build_def def = {.carry = true, .viewer = r->viewer, .id = r->id, .end = end_change};
  if (studio_node_collider_change(r->w, r->message, &def.document, &error) < 0)
    fail(r, &error);
  else
    studio_build_begin(r->w, &def);
}

static void set_weights(const request *r) {
  studio_world *w = r->w;
  studio_weight_override override = {.manifold = 0};
  const pl_json *weights = pl_json_find(r->message, "weights");
  if (w->instance == NULL || !get_count(r, "body", &override.body) ||
      override.body >= pl_scene_instance_body_count(w->instance)) {
    refuse(r, "there is no such body");
    return;
  }
  (void)get_count(r, "manifold", &override.manifold);
  pl_body_id body = pl_scene_instance_get_body(w->instance, override.body).id;
  pl_example_view examples = pl_model_get_examples(pl_body_get_model(w->world, body));
  if (override.manifold >= examples.given_count) {
    refuse(r, "the body has no such set of weights");
    return;
  }
  size_t kept = 0;
  // Null weights return all manifolds of the body to projection.
  bool none = weights == NULL || weights->kind == PL_JSON_NULL;
  for (size_t i = 0; i < w->weight_overrides.count; ++i) {
    const studio_weight_override *old = &PL_ITEM(&w->weight_overrides, studio_weight_override, i);
    if (old->body == override.body && (none || old->manifold == override.manifold)) continue;
    PL_ITEM(&w->weight_overrides, studio_weight_override, kept++) = *old;
  }
  w->weight_overrides.count = kept;
  if (none) {
    (void)pl_body_set_weights(w->world, body, 0, NULL, NULL);
    return;
  }
  override.count = examples.example_count;
  for (int32_t k = 0; k < override.count && k < PL_MAX_EXAMPLES; ++k) {
    double number = 0;
    (void)pl_json_get_number(pl_json_at(weights, k), &number);
    override.weights[k] = isfinite(number) ? fmin(fmax(number, 0), 1) : 0;
  }
  (void)pl_vector_push(&w->weight_overrides, &override);
}

// --- actors
// -----------------------------------------------------------------------------------------------------------------------

static int32_t find_actor(const request *r) {
  int32_t body;
  if (r->w->instance == NULL || !get_count(r, "body", &body)) return -1;
  for (int32_t i = 0; i < pl_scene_instance_actor_count(r->w->instance); ++i)
    if (pl_scene_instance_get_actor(r->w->instance, i).body == body) return i;
  return -1;
}

static void remove_destination(studio_world *w, int32_t actor) {
  size_t kept = 0;
  for (size_t i = 0; i < w->destinations.count; ++i) {
    studio_destination destination = PL_ITEM(&w->destinations, studio_destination, i);
    if (destination.actor != actor) PL_ITEM(&w->destinations, studio_destination, kept++) = destination;
  }
  w->destinations.count = kept;
}

static void steer(const request *r) {
  int32_t number = find_actor(r);
  if (number < 0) {
    refuse(r, "this body has no actor");
    return;
  }
  pl_actor *actor = pl_scene_instance_get_actor(r->w->instance, number).actor;
  pl_actor_command command = pl_actor_get_command(actor);
  pl_vec3 heading;
  double speed;
  if (pl_json_get_number(pl_json_find(r->message, "speed"), &speed) && isfinite(speed))
    command.speed = fmin(fmax(speed, -100), 100);
  if (get_vector(pl_json_find(r->message, "heading"), &heading))
    command.heading = pl_vec3_normalize_or(heading, command.heading);
  remove_destination(r->w, number);
  pl_actor_set_command(actor, command);
}

static void set_destination(const request *r) {
  studio_destination destination = {.actor = find_actor(r)};
  if (destination.actor < 0) {
    refuse(r, "this body has no actor");
    return;
  }
  remove_destination(r->w, destination.actor);
  if (get_vector(pl_json_find(r->message, "position"), &destination.position))
    (void)pl_vector_push(&r->w->destinations, &destination);
}

// --- the table
// --------------------------------------------------------------------------------------------------------------------

static const struct {
  const char *name;
  void (*handle)(const request *r);
} REQUESTS[] = {{"open", open_scene},
                {"pause", pause_world},
                {"run", run_world},
                {"reset", reset_world},
                {"step", step_world},
                {"back", back_world},
                {"grab", grab},
                {"drag", drag},
                {"release", release},
                {"pin", pin},
                {"camera", set_camera},
                {"tool", move_tool},
                {"detail", show_detail},
                {"capture", control_capture},
                {"set", change_setting},
                {"weights", set_weights},
                {"steer", steer},
                {"goal", set_destination},
                {"example", change_examples},
                {"spring", change_springs},
                {"node_collider", change_node_colliders},
                {"save", save_scene},
                {"export", export_scene}};

void studio_world_handle_request(studio_world *w, uint32_t viewer, const char *name, const pl_json *message) {
  const request r = {w, viewer, message, pl_json_find(message, "id")};
  for (size_t i = 0; i < sizeof REQUESTS / sizeof REQUESTS[0]; ++i)
    if (strcmp(REQUESTS[i].name, name) == 0) {
      REQUESTS[i].handle(&r);
      return;
    }
  studio_send_error(w, viewer, r.id, "there is no request \"%.60s\"; studio/PROTOCOL.md lists all requests", name);
}
