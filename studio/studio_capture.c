// Capture: from the recording, opened or made by virtual depth cameras, to the fit. All functions are for the world's
// thread; cameras run in a separate process and fits in a separate thread, and are polled.
#include "studio_capture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/error.h"
#include "body/body_method.h"
#include "pliant/mesh_file.h"
#include "studio_recording.h"

// Minimum time between two reports to viewers, and polling interval of background work, s.
static const double SEND_INTERVAL = 0.1;
// Time steps between two frames; large bodies get fewer, because a fit would take too long.
enum { MIN_STEPS = 2, MAX_STEPS = 8, STEPS_OF_MANY = 4, MANY_POINTS = 1500 };

// Young's modulus, Poisson's ratio and two damping coefficients; with more parameters there are several moduli.
enum { FIRST_PARAMETERS = 4 };

static const char *const SHAPES[STUDIO_SHAPE_COUNT] = {"static", "tracked", "simulated"};

// --- opening and closing
// ----------------------------------------------------------------------------------------------------------

// Only the name says that a scene is a capture target.
static int32_t find_body(const studio_world *w) {
  if (w->document.capture == NULL && strncmp(pl_scene_get_report(w->scene).name, "capture-", 8) != 0) return -1;
  for (int32_t i = 0; i < pl_scene_instance_body_count(w->instance); ++i) {
    const pl_instance_part *part = &PL_ITEM(&w->instance->parts, pl_instance_part, i);
    bool tets = part->body.mesh != NULL && pl_mesh_get_view(part->body.mesh).tet_count > 0;
    if (part->source->method == PL_SCENE_FEM && part->source->actor.json == NULL && tets) return i;
  }
  return -1;
}

// Open the recording and load what is the same for all frames.
static pl_status attach(studio_world *w, studio_capture *c, pl_error *error) {
  char *path = studio_recording_find_file(w->context, c->file, "static.vtu");
  int32_t count = PL_ITEM(&w->instance->parts, pl_instance_part, c->body).model->particle_count;
  pl_mesh *mesh = NULL;
  pl_status status = pl_capture_load(w->context, c->file, &c->capture, NULL, error);
  if (status >= 0) status = path != NULL ? pl_mesh_load(w->context, path, &mesh, NULL, error) : pl_fail_memory(error);
  if (status >= 0 && pl_mesh_get_view(mesh).point_count != count)
    status = pl_fail_at(error, PL_ERROR_INVALID_DATA, path, 0, 0, "the body has %d points, this mesh %d", count,
                        pl_mesh_get_view(mesh).point_count);
  if (status >= 0) {
    c->view = pl_capture_get_view(c->capture);
    c->static_points = pl_allocate_array(w->context, (size_t)count, sizeof *c->static_points);
    if (c->static_points == NULL) status = pl_fail_memory(error);
  }
  if (status >= 0) memcpy(c->static_points, pl_mesh_get_view(mesh).points, (size_t)count * sizeof *c->static_points);
  pl_mesh_destroy(mesh);
  pl_release(w->context, path);
  c->changed = true;
  return status;
}

// Without a usable recording there is nothing to show. There is no automatic retry.
static void give_up(studio_world *w, studio_capture *c, const pl_error *error) {
  char line[1024];
  pl_error_format(error, line, sizeof line);
  studio_send_log(w, "%s", line);
  pl_capture_destroy(c->capture);
  c->capture = NULL;
  c->film_failed = true;
  c->fit_wanted = c->film_wanted = c->shown = false;
  c->changed = true;
}

void studio_capture_open(studio_world *w) {
  int32_t body = find_body(w);
  // A recording from a file does not depend on the parameters of the scene; one by virtual cameras does.
  bool same = w->capture != NULL && w->document.capture != NULL && w->capture->recorded && body == w->capture->body &&
              strcmp(w->capture->file, w->document.capture) == 0;
  if (same) return;
  studio_capture_close(w);
  if (body < 0) return;
  studio_capture *c = pl_allocate_array(w->context, 1, sizeof *c);
  if (c == NULL) return;
  *c = (studio_capture){.body = body, .recorded = w->document.capture != NULL, .cloud = {.frame = -1}, .changed = true};
  w->capture = c;
  if (!c->recorded) return;
  pl_error error = {0};
  c->file = studio_copy_text(w->context, w->document.capture);
  // Open paused, at the first frame of the recording.
  c->shown = w->paused = c->file != NULL;
  if (c->file == NULL || attach(w, c, &error) < 0) give_up(w, c, &error);
}

void studio_capture_close(studio_world *w) {
  studio_capture *c = w->capture;
  if (c == NULL) return;
  if (c->fit != NULL) studio_fit_abandon(c->fit);
  // A running simulation ends by itself; the world does not wait for it.
  if (c->fit != NULL && (studio_fit_has_ended(c->fit) || !pl_vector_push(&w->abandoned, &c->fit)))
    studio_fit_destroy(c->fit);
  studio_film_destroy(c->film);
  studio_cloud_free(w->context, &c->cloud);
  pl_capture_destroy(c->capture);
  pl_release(w->context, c->static_points);
  pl_release(w->context, c->file);
  pl_release(w->context, c);
  w->capture = NULL;
}

static void sweep(studio_world *w, bool wait) {
  size_t kept = 0;
  for (size_t i = 0; i < w->abandoned.count; ++i) {
    studio_fit *fit = PL_ITEM(&w->abandoned, studio_fit *, i);
    if (wait || studio_fit_has_ended(fit))
      studio_fit_destroy(fit);
    else
      PL_ITEM(&w->abandoned, studio_fit *, kept++) = fit;
  }
  w->abandoned.count = kept;
}

void studio_capture_shutdown(studio_world *w) {
  studio_capture_close(w);
  sweep(w, true);
  pl_vector_free(&w->abandoned);
}

bool studio_capture_is_body(const studio_world *w, int32_t body) {
  return w->capture != NULL && w->capture->body == body;
}

// --- work
// -------------------------------------------------------------------------------------------------------------------------

static bool fit_runs(const studio_capture *c) {
  return c->fit_wanted || (c->fit != NULL && !studio_fit_has_ended(c->fit));
}

static void poll_film(studio_world *w, studio_capture *c) {
  pl_error error = {0};
  bool good = false;
  bool wanted = c->film_wanted || c->fit_wanted || (studio_hub_wants(w->hub) & STUDIO_WANT_CLOUD) != 0;
  if (c->film == NULL && c->file == NULL && wanted && !c->film_failed) {
    c->film = studio_film_begin(w, c->body, &error);
    c->filming = c->changed = c->film != NULL;
    if (c->film == NULL) give_up(w, c, &error);
  }
  if (!c->filming) return;
  if (studio_film_has_ended(c->film, &good, &error)) {
    c->filming = false;
    c->file = good ? studio_recording_find_file(w->context, studio_film_folder(c->film), "film/capture.json") : NULL;
    if (good && c->file == NULL) (void)pl_fail_memory(&error);
    if (c->file == NULL || attach(w, c, &error) < 0) give_up(w, c, &error);
    return;
  }
  double fraction = studio_film_fraction(c->film);
  c->changed = c->changed || fraction != c->fraction;
  c->fraction = fraction;
}

// Points that the scene pins rigidly and permanently.
static int32_t *find_held(const studio_world *w, int32_t body, int32_t *count) {
  int32_t points = PL_ITEM(&w->instance->parts, pl_instance_part, body).model->particle_count;
  int32_t *held = pl_allocate_array(w->context, (size_t)points, sizeof *held);
  *count = 0;
  if (held == NULL) return NULL;
  for (size_t g = 0; g < w->instance->groups.count; ++g) {
    const pl_instance_group *group = &PL_ITEM(&w->instance->groups, pl_instance_group, g);
    pl_body_id id = pl_scene_instance_get_body(w->instance, body).id;
    if (group->pin == NULL || memcmp(&group->body, &id, sizeof id) != 0) continue;
    if (group->pin->def.until > 0 || group->pin->keys.count > 0 || group->pin->def.stiffness > 0) continue;
    for (int32_t i = 0; i < group->particle_count; ++i) held[group->particles[i]] = 1;
  }
  for (int32_t i = 0; i < points; ++i)
    if (held[i]) held[(*count)++] = i;
  return held;
}

static void begin_fit(studio_world *w, studio_capture *c) {
  const pl_scene_fem *fem = &PL_ITEM(&w->instance->parts, pl_instance_part, c->body).source->fem;
  int32_t points = PL_ITEM(&w->instance->parts, pl_instance_part, c->body).model->particle_count;
  double steps = fmin(round(1 / (c->view.rate * pl_world_get_step_length(w->world))),
                      points > MANY_POINTS ? STEPS_OF_MANY : MAX_STEPS);
  pl_error error = {0};
  char *tets = studio_recording_find_file(w->context, c->file, "static.vtu");
  char *surface = studio_recording_find_file(w->context, c->file, "surface.ply");
  studio_fit_def def = {.capture = c->file,
                        .tets = tets,
                        .surface = surface,
                        .material = fem->def.material,
                        .density = fem->def.density,
                        .poisson = fem->def.poisson,
                        .max_steps = (int32_t)fmax(steps, MIN_STEPS),
                        .modulus_count = c->fit_moduli,
                        .max_rounds = c->fit_rounds,
                        .thread_count = w->options->thread_count,
                        .before = c->fit};
  int32_t *held = find_held(w, c->body, &def.held_count);
  def.held = held;
  studio_fit *fit = held != NULL && tets != NULL ? studio_fit_begin(w->context, &def, &error) : NULL;
  if (fit == NULL)
    studio_send_log(w, "the fit could not start: %s", error.text[0] != '\0' ? error.text : "out of memory");
  studio_fit_destroy(c->fit);
  c->fit = fit;
  c->fit_wanted = false;
  c->fit_version = 0;
  c->changed = true;
  pl_release(w->context, held);
  pl_release(w->context, tets);
  pl_release(w->context, surface);
}

// Update the shown frame and shape from the progress of the fit.
static void follow_fit(studio_world *w, studio_capture *c) {
  uint32_t version = studio_fit_version(c->fit);
  studio_fit_view view;
  if (version == c->fit_version) return;
  c->fit_version = version;
  c->changed = true;
  studio_fit_get_view(c->fit, &view);
  int32_t frame = c->frame;
  studio_shape shape = c->shape;
  if (c->follows && view.tracked_count > 0) {
    c->frame = view.tracked_count - 1;
    c->follows = view.tracked_count < view.frame_count;
  }
  if (!c->chosen)
    c->shape = view.simulated           ? STUDIO_SHAPE_SIMULATED
               : view.tracked_count > 0 ? STUDIO_SHAPE_TRACKED
                                        : STUDIO_SHAPE_STATIC;
  bool changed = c->frame != frame || c->shape != shape || c->shape_version != view.shape_version;
  c->shape_version = view.shape_version;
  if (!changed || !c->shown) return;
  c->cloud.measured = false;
  w->shown_step = -1;
}

void studio_capture_update(studio_world *w) {
  studio_capture *c = w->capture;
  sweep(w, false);
  if (c == NULL) return;
  poll_film(w, c);
  // One fit at a time, including cancelled ones.
  if (c->fit_wanted && c->capture != NULL && w->abandoned.count == 0) begin_fit(w, c);
  if (c->fit != NULL) follow_fit(w, c);
  if (c->changed && pl_clock_seconds() - c->sent >= SEND_INTERVAL) studio_capture_send(w, 0);
}

double studio_capture_poll_interval(const studio_world *w) {
  const studio_capture *c = w->capture;
  return c != NULL && (c->changed || c->filming || fit_runs(c)) ? SEND_INTERVAL : HUGE_VAL;
}

// --- reports to viewers
// --------------------------------------------------------------------------------------------------------

// Label and unit of a parameter, by the beginning of its name.
static const struct parameter_label {
  const char *begin, *label, *unit;
} PARAMETER_LABELS[] = {{"young", "Young's modulus", "Pa"},
                        {"poisson", "Poisson's ratio", ""},
                        {"mass", "Mass damping", "1/s"},
                        {"stiffness", "Stiffness damping", "s"}};

static struct parameter_label label_of(const char *name) {
  for (size_t i = 0; i < sizeof PARAMETER_LABELS / sizeof PARAMETER_LABELS[0]; ++i)
    if (strncmp(name, PARAMETER_LABELS[i].begin, strlen(PARAMETER_LABELS[i].begin)) == 0) return PARAMETER_LABELS[i];
  return (struct parameter_label){name, name, ""};
}

static void add_parameters(studio_message *message, const studio_fit_view *view) {
  pl_json *list =
      pl_json_set(&message->arena, message->root, "parameters", pl_json_new(&message->arena, PL_JSON_ARRAY));
  for (int32_t i = 0; list != NULL && i < view->parameter_count; ++i) {
    const pl_fit_estimate *estimate = &view->parameters[i];
    struct parameter_label texts = label_of(estimate->name);
    // Several moduli are numbered, as in "young 2".
    const char *number = strchr(estimate->name, ' ');
    bool numbered =
        view->parameter_count > FIRST_PARAMETERS && strncmp(estimate->name, "young", 5) == 0 && number != NULL;
    char label[64];
    snprintf(label, sizeof label, "%s%s", texts.label, numbered ? number : "");
    pl_json *item = pl_json_new(&message->arena, PL_JSON_OBJECT);
    if (item == NULL) return;
    pl_json_set_text(&message->arena, item, "name", estimate->name);
    pl_json_set_text(&message->arena, item, "label", label);
    studio_message_set_number(message, item, "value", estimate->value);
    pl_json_set_text(&message->arena, item, "unit", texts.unit);
    if (view->has_intervals) pl_json_set_text(&message->arena, item, "verdict", pl_fit_verdict_name(estimate->verdict));
    if (view->has_intervals && estimate->verdict != PL_FIT_HELD) {
      studio_message_set_number(message, item, "low", estimate->min);
      studio_message_set_number(message, item, "high", estimate->max);
    }
    pl_json_add(list, item);
  }
}

static void add_fit(studio_message *message, const studio_fit_view *view) {
  pl_arena *arena = &message->arena;
  pl_json_set_text(arena, message->root, "phase", view->phase);
  studio_message_set_number(message, message->root, "done", view->fraction);
  if (view->text[0] != '\0') pl_json_set_text(arena, message->root, "text", view->text);
  studio_message_set_number(message, message->root, "round", view->round + 1);
  studio_message_set_number(message, message->root, "iteration", view->iteration_count);
  if (view->has_error) studio_message_set_number(message, message->root, "error", view->error);
  pl_json *history = pl_json_set(arena, message->root, "history", pl_json_new(arena, PL_JSON_ARRAY));
  for (int32_t i = 0; history != NULL && i < view->iteration_count; ++i) {
    pl_json *item = pl_json_new(arena, PL_JSON_OBJECT);
    if (item == NULL) return;
    studio_message_set_number(message, item, "iteration", i + 1);
    studio_message_set_number(message, item, "error", view->errors[i]);
    pl_json_add(history, item);
  }
  add_parameters(message, view);
}

static void add_shapes(studio_message *message, const studio_capture *c, const studio_fit_view *view) {
  const bool there[STUDIO_SHAPE_COUNT] = {c->static_points != NULL, view->tracked_count > 0, view->simulated};
  pl_json_set_text(&message->arena, message->root, "shape", SHAPES[c->shape]);
  pl_json *list = pl_json_set(&message->arena, message->root, "shapes", pl_json_new(&message->arena, PL_JSON_ARRAY));
  for (int i = 0; list != NULL && i < STUDIO_SHAPE_COUNT; ++i)
    if (there[i]) pl_json_add(list, pl_json_new_text(&message->arena, SHAPES[i]));
}

void studio_capture_send(studio_world *w, uint32_t viewer) {
  studio_capture *c = w->capture;
  if (c == NULL) return;
  studio_message message = studio_message_begin(w->context, "capture");
  studio_fit_view view = {.phase = c->filming || (c->fit_wanted && c->capture == NULL) ? "film"
                                   : c->capture != NULL                                ? "recorded"
                                                                                       : "",
                          .fraction = c->filming ? c->fraction : 0};
  if (c->fit != NULL) studio_fit_get_view(c->fit, &view);
  if (message.root != NULL) {
    studio_message_set_number(&message, message.root, "body", c->body);
    studio_message_set_number(&message, message.root, "frame", c->frame);
    studio_message_set_number(&message, message.root, "frames", c->capture != NULL ? c->view.frame_count : 0);
    studio_message_set_number(&message, message.root, "rate", c->capture != NULL ? c->view.rate : 0);
    pl_json_set_bool(&message.arena, message.root, "shown", c->shown);
    pl_json_set_bool(&message.arena, message.root, "running", fit_runs(c));
    add_fit(&message, &view);
    add_shapes(&message, c, &view);
  }
  studio_message_send(w, &message, viewer, STUDIO_SLOT_CAPTURE);
  if (viewer != 0) return;
  c->changed = false;
  c->sent = pl_clock_seconds();
}

// --- requests
// -------------------------------------------------------------------------------------------------------------

static void show(studio_world *w, studio_capture *c) {
  studio_world_pause(w, true);
  c->shown = c->changed = true;
  c->cloud.measured = false;
  w->shown_step = -1;
}

void studio_capture_show_world(studio_world *w) {
  studio_capture *c = w->capture;
  if (c == NULL || !c->shown) return;
  c->shown = c->follows = false;
  c->changed = true;
  w->shown_step = -1;
}

static const char *seek(studio_world *w, studio_capture *c, const pl_json *message) {
  int64_t frame;
  if (c->capture == NULL) {
    c->film_wanted = true;
    return c->film_failed ? "there is no recording"
                          : "the virtual cameras still record the scene; wait until they have finished";
  }
  if (!pl_json_get_integer(pl_json_find(message, "frame"), &frame) || frame < 0 || frame >= c->view.frame_count)
    return "the recording has no such frame";
  c->frame = (int32_t)frame;
  c->follows = false;
  show(w, c);
  return NULL;
}

// An integer of a message from 1 to `max`, default 1.
static bool get_count(const pl_json *message, const char *name, int32_t max, int32_t *count) {
  const pl_json *item = pl_json_find(message, name);
  int64_t value = 1;
  if (item != NULL && (!pl_json_get_integer(item, &value) || value < 1 || value > max)) return false;
  *count = (int32_t)value;
  return true;
}

static const char *begin(studio_world *w, studio_capture *c, const pl_json *message) {
  int32_t rounds, moduli;
  if (fit_runs(c)) return "a fit runs already; stop it first";
  if (c->recorded && c->capture == NULL) return "there is no recording";
  if (!get_count(message, "rounds", STUDIO_ROUNDS_MAX, &rounds)) return "`rounds` must be an integer from 1 to 8";
  if (!get_count(message, "moduli", STUDIO_MODULI_MAX, &moduli)) return "`moduli` must be an integer from 1 to 8";
  c->film_failed = false;
  c->fit_rounds = rounds;
  c->fit_moduli = moduli;
  c->fit_wanted = c->follows = true;
  c->chosen = false;
  c->frame = 0;
  if (c->capture != NULL) show(w, c);
  c->changed = true;
  return NULL;
}

static const char *stop(studio_capture *c) {
  if (!fit_runs(c)) return "no fit runs";
  if (c->fit != NULL) studio_fit_stop(c->fit);
  c->fit_wanted = false;
  c->changed = true;
  return NULL;
}

static const char *choose(studio_world *w, studio_capture *c, const pl_json *message) {
  studio_fit_view view = {.phase = ""};
  if (c->fit != NULL) studio_fit_get_view(c->fit, &view);
  const bool there[STUDIO_SHAPE_COUNT] = {c->static_points != NULL, view.tracked_count > 0, view.simulated};
  for (int i = 0; i < STUDIO_SHAPE_COUNT; ++i) {
    if (!there[i] || !pl_json_is_text(pl_json_find(message, "shape"), SHAPES[i])) continue;
    c->shape = (studio_shape)i;
    c->chosen = true;
    show(w, c);
    return NULL;
  }
  return "there is no such shape yet";
}

void studio_capture_handle_request(studio_world *w, uint32_t viewer, const pl_json *id, const pl_json *message) {
  studio_capture *c = w->capture;
  const pl_json *action = pl_json_find(message, "action");
  int64_t body = -1;
  const char *refusal = "`action` must be `seek`, `fit`, `stop` or `shape`";
  if (c == NULL || !pl_json_get_integer(pl_json_find(message, "body"), &body) || body != c->body)
    refusal = "there is no such body with a capture";
  else if (pl_json_is_text(action, "seek"))
    refusal = seek(w, c, message);
  else if (pl_json_is_text(action, "fit"))
    refusal = begin(w, c, message);
  else if (pl_json_is_text(action, "stop"))
    refusal = stop(c);
  else if (pl_json_is_text(action, "shape"))
    refusal = choose(w, c, message);
  if (refusal != NULL)
    studio_send_error(w, viewer, id, "%s", refusal);
  else
    studio_send_done(w, viewer, id);
}
