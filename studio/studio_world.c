// The world's thread.
//
// Simulated time follows real time times the requested rate, in steps of fixed length. A machine that is too slow lags
// by at most a tenth of a second and then runs slower than real time; the step length never changes. Positions at a
// step are those of `pliant run` at that step.
#include "studio_world.h"
#include "studio_appearance.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/error.h"
#include "studio_build.h"
#include "studio_capture.h"
#include "studio_detail.h"
#include "studio_export.h"
#include "studio_message.h"
#include "studio_record.h"
#include "studio_tool.h"

static const double FRAME_INTERVAL = 1.0 / 60, SEND_INTERVAL = 1.0 / 15, STATE_INTERVAL = 0.25;
// Maximum lag, in seconds of real time.
static const double MAX_LAG = 0.1;

// --- stepping
// --------------------------------------------------------------------------------------------------------------

// Actors with a destination turn to it, walk, and stop there.
static void steer_to_destinations(studio_world *w) {
  for (size_t i = 0; i < w->destinations.count; ++i) {
    const studio_destination *destination = &PL_ITEM(&w->destinations, studio_destination, i);
    pl_scene_instance_actor actor = pl_scene_instance_get_actor(w->instance, destination->actor);
    pl_body_id body = pl_scene_instance_get_body(w->instance, actor.body).id;
    pl_body_report now = pl_body_get_report(w->world, body);
    pl_box box = pl_model_get_report(pl_body_get_model(w->world, body)).box;
    double height = box.max.y - box.min.y, x = destination->position.x - now.center.x,
           z = destination->position.z - now.center.z;
    double distance = hypot(x, z);
    // A speed that any behaviour can reach: three tenths of √(height · gravity); slower over the last body height.
    double speed = 0.3 * sqrt(9.81 * height) * fmin(1, distance / height);
    pl_actor_command command = {distance > 0.25 * height ? speed : 0,
                                {x / fmax(distance, 1e-9), 0, z / fmax(distance, 1e-9)}};
    pl_actor_set_command(actor.actor, command);
  }
}

// Weights of viewers override those of the drivers of the scene, so this controller is added last.
static pl_status set_weights(void *user, pl_world *world, pl_error *error) {
  const studio_world *w = user;
  for (size_t i = 0; i < w->weight_overrides.count; ++i) {
    const studio_weight_override *override = &PL_ITEM(&w->weight_overrides, studio_weight_override, i);
    pl_status status = pl_body_set_weights(world, pl_scene_instance_get_body(w->instance, override->body).id,
                                           override->manifold, override->weights, error);
    if (status < 0) return status;
  }
  return PL_OK;
}

pl_status studio_world_add_controller(studio_world *w, pl_error *error) {
  const pl_controller controller = {.before_step = set_weights, .user = w};
  return pl_world_add_controller(w->world, &controller, error);
}

bool studio_world_step(studio_world *w) {
  pl_error error = {0};
  studio_capture_show_world(w);
  steer_to_destinations(w);
  if (pl_world_step(w->world, &w->report, &error) < 0) {
    studio_world_pause(w, true);
    studio_send_log(w, "the world stopped at step %lld: %s", (long long)pl_world_step_count(w->world), error.text);
    studio_log_write(w->log, PL_SEVERITY_WARNING, "the world stopped at step %lld: %s",
                     (long long)pl_world_step_count(w->world), error.text);
    return false;
  }
  bool turn = pl_world_step_count(w->world) % w->history.every == 0;
  if (turn && w->hold_count > 0) studio_hold_detach(w);
  studio_history_record(&w->history, w->world);
  if (turn && w->hold_count > 0) studio_hold_attach(w);
  return true;
}

void studio_world_pause(studio_world *w, bool paused) {
  if (!paused) studio_capture_show_world(w);
  w->paused = paused;
  w->due = 0;
  w->clock = pl_clock_seconds();
  w->state_is_due = true;
}

void studio_world_reset(studio_world *w) {
  if (w->instance == NULL) return;
  studio_capture_show_world(w);
  studio_hold_clear(w);
  w->weight_overrides.count = w->destinations.count = w->meters.count = 0;
  (void)pl_world_restore(w->world, w->start, w->start_size, NULL);
  (void)studio_history_begin(&w->history, w->context, w->world);
  studio_history_record(&w->history, w->world);
  w->shown_step = w->telemetry_step = -1;
  w->state_is_due = true;
}

void studio_world_back(studio_world *w, int64_t count) {
  if (w->instance == NULL) return;
  int64_t target = pl_world_step_count(w->world) - count;
  studio_capture_show_world(w);
  studio_world_pause(w, true);
  studio_hold_detach(w);
  if (studio_history_restore(&w->history, w->world, target))
    while (pl_world_step_count(w->world) < target)
      if (pl_world_step(w->world, NULL, NULL) < 0) break;
  studio_hold_attach(w);
  w->shown_step = -1;
}

// --- messages
// ---------------------------------------------------------------------------------------------------------------

static void measure(studio_world *w, double now) {
  int64_t step = w->instance != NULL ? pl_world_step_count(w->world) : 0;
  double passed = now - w->measured;
  if (passed < STATE_INTERVAL) return;
  w->steps_per_second = fmax(0, (double)(step - w->measured_steps) / passed);
  w->measured_steps = step;
  w->measured = now;
}

static void send_state(studio_world *w, uint32_t viewer) {
  studio_message message = studio_message_begin(w->context, "state");
  bool open = w->instance != NULL;
  int64_t step = open ? pl_world_step_count(w->world) : 0, oldest = open ? studio_history_oldest(&w->history) : -1;
  if (message.root != NULL) {
    studio_message_set_number(&message, message.root, "time", open ? pl_world_get_time(w->world) : 0);
    studio_message_set_number(&message, message.root, "step", (double)step);
    pl_json_set_bool(&message.arena, message.root, "paused", w->paused);
    studio_message_set_number(&message, message.root, "rate",
                              open ? w->steps_per_second * pl_world_get_step_length(w->world) : 0);
    studio_message_set_number(&message, message.root, "steps_per_second", w->steps_per_second);
    studio_message_set_number(&message, message.root, "viewers", studio_hub_viewer_count(w->hub));
    studio_message_set_number(&message, message.root, "history",
                              oldest >= 0 && oldest < step ? (double)(step - oldest) : 0);
    if (open && w->paused) {
      char hash[24];
      snprintf(hash, sizeof hash, "%016llx", (unsigned long long)pl_world_get_hash(w->world));
      pl_json_set_text(&message.arena, message.root, "hash", hash);
    }
  }
  studio_message_send(w, &message, viewer, STUDIO_SLOT_STATE);
}

static void send_updates(studio_world *w) {
  double now = pl_clock_seconds();
  measure(w, now);
  int64_t step = w->instance != NULL ? pl_world_step_count(w->world) : -1;
  if (w->instance != NULL && step != w->shown_step && (w->shown_step < 0 || now - w->shown >= 0.9 * FRAME_INTERVAL)) {
    studio_frame_publish(w);
    w->shown_step = step;
    w->shown = now;
  }
  if (w->instance != NULL && step != w->telemetry_step && now - w->telemetry_sent >= SEND_INTERVAL) {
    studio_telemetry_send(w);
    w->telemetry_step = step;
    w->telemetry_sent = now;
  }
  if (w->state_is_due || now - w->state_sent >= STATE_INTERVAL) {
    send_state(w, 0);
    w->state_is_due = false;
    w->state_sent = now;
  }
}

// --- the thread
// ------------------------------------------------------------------------------------------------------------

static void advance(studio_world *w) {
  double now = pl_clock_seconds();
  if (w->instance == NULL || w->paused) {
    w->clock = now;
    return;
  }
  double step = pl_world_get_step_length(w->world);
  w->due = fmin(w->due + w->rate * (now - w->clock), fmax(MAX_LAG * w->rate, 1.5 * step));
  w->clock = now;
  while (w->due >= step && !w->paused && pl_clock_seconds() - now < FRAME_INTERVAL) {
    if (!studio_world_step(w)) return;
    w->due -= step;
  }
}

static double next_deadline(const studio_world *w) {
  double now = pl_clock_seconds(), work = now + studio_capture_poll_interval(w);
  if (w->instance == NULL || w->paused) return fmin(work, fmin(w->state_sent + STATE_INTERVAL, now + STATE_INTERVAL));
  double step = pl_world_get_step_length(w->world);
  return w->due >= step ? now : fmin(work, now + fmin((step - w->due) / w->rate, STATE_INTERVAL));
}

static void greet(studio_world *w, uint32_t viewer) {
  if (w->instance != NULL) studio_scene_send(w, viewer);
  if (pl_findings_count(w->findings, PL_SEVERITY_NOTE) > 0) studio_findings_send(w, w->findings, viewer);
  w->state_is_due = true;
  w->shown_step = -1;
  w->telemetry_step = -1;
}

static void handle_command(studio_world *w, const studio_command *command) {
  switch (command->kind) {
    case STUDIO_COMMAND_MESSAGE:
      studio_world_handle_request(w, command->viewer, command->name, command->message->root);
      break;
    case STUDIO_COMMAND_JOIN: greet(w, command->viewer); break;
    case STUDIO_COMMAND_LEAVE:
      studio_hold_release(w, command->viewer);
      if (w->tool_viewer == command->viewer) studio_tool_remove(w);
      w->state_is_due = true;
      break;
    case STUDIO_COMMAND_REFRESH:
      w->shown_step = -1;
      w->telemetry_step = -1;
      break;
    case STUDIO_COMMAND_WAKE:
    case STUDIO_COMMAND_STOP: break;
  }
}

static void finish_command(studio_world *w, const studio_command *command) {
  handle_command(w, command);
  studio_command_queue_finish(w->queue, command);
}

// Install results of background work, and handle requests that were deferred.
static void poll_background_work(studio_world *w) {
  studio_command command;
  studio_build_poll(w);
  studio_record_poll(w);
  studio_capture_update(w);
  while (studio_build_next_deferred(w, &command)) finish_command(w, &command);
}

static void *run(void *user) {
  studio_world *w = user;
  for (;;) {
    double deadline = next_deadline(w);
    studio_command command;
    while (studio_command_queue_pop(w->queue, deadline, &command)) {
      if (!studio_build_defer(w, &command)) finish_command(w, &command);
      if (command.kind == STUDIO_COMMAND_STOP) return NULL;
      deadline = 0;
      // Requests must not delay frames.
      if (pl_clock_seconds() - w->clock > FRAME_INTERVAL) break;
    }
    poll_background_work(w);
    advance(w);
    send_updates(w);
  }
}

studio_world *studio_world_create(pl_context *context, const studio_options *options, studio_log *log, studio_hub *hub,
                                  studio_command_queue *queue, studio_files *files, pl_error *error) {
  studio_world *w = pl_allocate_array(context, 1, sizeof *w);
  if (w == NULL) {
    pl_fail_memory(error);
    return NULL;
  }
  w->context = context;
  w->options = options;
  w->log = log;
  w->hub = hub;
  w->queue = queue;
  w->files = files;
  w->rate = 1;
  pl_shape_cache_init(&w->cache, context);
  w->weight_overrides = pl_vector_of(context, sizeof(studio_weight_override));
  w->destinations = pl_vector_of(context, sizeof(studio_destination));
  w->meters = pl_vector_of(context, sizeof(studio_energy_meter));
  w->segments = pl_vector_of(context, sizeof(int32_t *));
  w->image_files = pl_vector_of(context, sizeof(studio_image_file));
  w->abandoned = pl_vector_of(context, sizeof(struct studio_fit *));
  w->deferred = pl_vector_of(context, sizeof(studio_command));
  w->clock = pl_clock_seconds();
  w->shown_step = w->telemetry_step = -1;
  pl_status status = pl_findings_create(context, &w->findings, error);
  if (status >= 0 && options->scene_path != NULL) status = studio_instance_open(w, options->scene_path, error);
  // Before the first viewer connects, because `hello` says whether a scene is open.
  if (status >= 0 && w->instance != NULL) studio_frame_publish(w);
  if (status >= 0 && pthread_create(&w->thread, NULL, run, w) != 0)
    status = pl_fail(error, PL_ERROR_UNSUPPORTED, "a thread could not be started");
  if (status >= 0) return w;
  studio_capture_shutdown(w);
  studio_instance_close(w);
  pl_shape_cache_free(&w->cache);
  pl_findings_destroy(w->findings);
  pl_release(context, w);
  return NULL;
}

void studio_world_destroy(studio_world *w) {
  if (w == NULL) return;
  while (!studio_command_queue_push(w->queue, (studio_command){.kind = STUDIO_COMMAND_STOP})) continue;
  pthread_join(w->thread, NULL);
  studio_export_stop(w);
  studio_build_stop(w);
  studio_record_stop(w);
  studio_capture_shutdown(w);
  studio_instance_close(w);
  pl_shape_cache_free(&w->cache);
  pl_vector_free(&w->weight_overrides);
  pl_vector_free(&w->destinations);
  pl_vector_free(&w->meters);
  pl_vector_free(&w->segments);
  pl_vector_free(&w->image_files);
  pl_findings_destroy(w->findings);
  pl_release(w->context, w);
}
