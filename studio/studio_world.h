// The world that viewers see. One thread installs scenes, steps them in real time with their fixed
// time step, and handles requests. All functions here are for that thread, except create and
// destroy.
#ifndef STUDIO_WORLD_H
#define STUDIO_WORLD_H

#include "scene/scene_instance.h"
#include "scene/scene_shape_cache.h"
#include "studio_files.h"
#include "studio_history.h"
#include "studio_hub.h"
#include "text/json.h"

enum { STUDIO_MAX_HOLDS = 256, STUDIO_HOLD_PARTICLES = 4, STUDIO_MAX_DETAIL = 1024 };

// Held particles: by the spring of a viewer who drags, or by a pin.
typedef struct studio_hold {
  uint32_t viewer;  // 0: a pin
  int32_t body, point;
  int32_t count;
  int32_t particles[STUDIO_HOLD_PARTICLES];
  pl_vec3 offsets[STUDIO_HOLD_PARTICLES];  // of the particles from `at`
  pl_vec3 at;                              // m
  double stiffness, damping;               // of each particle; stiffness 0: fixed
  pl_pin_id pins[STUDIO_HOLD_PARTICLES];   // null while detached from the world
} studio_hold;

// Weights of a body that were set by a viewer.
typedef struct studio_weight_override {
  int32_t body, manifold, count;
  double weights[PL_MAX_EXAMPLES];
} studio_weight_override;

// The destination of an actor, set by a viewer.
typedef struct studio_destination {
  int32_t actor;
  pl_vec3 position;
} studio_destination;

// Energy that changes of weights added to a body.
typedef struct studio_energy_meter {
  bool read;
  double energy, injected;  // J: kinetic energy at the last update, and sum of the increases
  double weights[PL_MAX_EXAMPLES];
} studio_energy_meter;

// A scene document with the changes of the viewers (studio_document.h).
typedef struct studio_document {
  pl_json_document *json;  // NULL: no scene is open
  char *source;            // original text, terminated; NULL after a change
  size_t source_size;
  char *name;     // for messages and as default file name
  char *path;     // of its file; "" for a dropped file
  char *folder;   // base of its relative paths
  char *capture;  // capture.json of a recording; NULL: a scene
} studio_document;

// A scene that was built and is not installed yet.
typedef struct studio_instance {
  pl_scene *scene;
  pl_scene_instance *instance;
  void *start;
  size_t start_size;
  pl_vec3 *points, *more_points;
  pl_appearance **appearances;  // one per body, NULL: none
} studio_instance;

typedef struct studio_world {
  pl_context *context;
  const studio_options *options;
  studio_log *log;
  studio_hub *hub;
  studio_command_queue *queue;
  studio_files *files;
  pthread_t thread;

  studio_document document;
  pl_shape_cache
      cache;  // cache of surfaces, so that a changed parameter does not sample them again
  pl_scene *scene;
  pl_scene_instance *instance;  // NULL: no scene is open
  pl_world *world;              // of the instance
  int64_t scene_number;
  pl_findings *findings;  // of the open scene

  bool paused;
  double rate;                             // requested simulated seconds per second
  double due;                              // simulated seconds to catch up with
  double clock;                            // s: last update of `due`
  int64_t shown_step;                      // of the last published frame; -1: publish again
  double shown, telemetry_sent, measured;  // s: times of the last frame, the last telemetry and the
                                           // last measurement of the speed
  bool state_is_due;
  double state_sent;
  int64_t telemetry_step;
  int64_t measured_steps;
  double steps_per_second;
  int64_t frame_number;
  studio_frame *newest;   // the hub has its own reference
  pl_step_report report;  // of the last step

  studio_history history;
  void *start;  // snapshot at step 0
  size_t start_size;
  studio_hold holds[STUDIO_MAX_HOLDS];
  int hold_count;
  pl_vector weight_overrides;  // of studio_weight_override
  pl_vector destinations;      // of studio_destination
  pl_collider_id tool;         // ball that viewers move; null: none
  uint32_t tool_viewer;
  double tool_radius;                  // m
  bool detail_off[STUDIO_MAX_DETAIL];  // bodies whose detail is not shown
  pl_vector meters;                    // of studio_energy_meter, one per body
  pl_vector segments;                  // of int32_t *, one per body; NULL: not computed yet
  pl_vec3 followed_start;              // position of the followed body at step 0
  bool has_eye;                        // view drivers use the camera of a viewer
  pl_vec3 eye;
  pl_appearance **appearances;  // one per body of the instance, NULL: none
  pl_vector image_files;        // of studio_image_file: images that viewers can fetch
  pl_vec3 *points;              // buffers for the largest body
  pl_vec3 *more_points;
  struct studio_exports *exports;    // NULL: none so far
  struct studio_recorder *recorder;  // recording of an example of detail; NULL: none
  struct studio_capture *capture;    // of the open scene; NULL: it has no capture body
  pl_vector abandoned;  // of studio_fit *: cancelled fits of closed scenes that have not ended yet
  struct studio_build *build;  // the running build; NULL: none
  pl_vector deferred;          // of studio_command: requests that wait for the build
} studio_world;

// Create the world with the scene of the options, if any, and start its thread. NULL, with `error`,
// on failure.
studio_world *studio_world_create(pl_context *context, const studio_options *options,
                                  studio_log *log, studio_hub *hub, studio_command_queue *queue,
                                  studio_files *files, pl_error *error);
void studio_world_destroy(studio_world *world);

// Simulate one step. A failure pauses the world and is reported to all viewers.
bool studio_world_step(studio_world *world);
// Pause or resume.
void studio_world_pause(studio_world *world, bool paused);
// Restore the state of step 0.
void studio_world_reset(studio_world *world);
// Add the controller that applies weight overrides, after those of the scene.
pl_status studio_world_add_controller(studio_world *world, pl_error *error);
// Go back `count` steps, or to the oldest recorded step.
void studio_world_back(studio_world *world, int64_t count);

// Handle a request of a viewer (studio_request.c).
void studio_world_handle_request(studio_world *world, uint32_t viewer, const char *word,
                                 const pl_json *message);

// --- scene instances (studio_instance.c)
// ---------------------------------------------------------------------------------------------

// Build a scene from its document, in any thread; only one thread at a time may use the cache. On
// failure the findings say why, and `built` must be freed.
pl_status studio_instance_build(pl_context *context, pl_shape_cache *cache,
                                const studio_document *document, pl_findings *findings,
                                studio_instance *built, pl_error *error);
void studio_instance_free(pl_context *context, studio_instance *built);
// Replace the current scene; ownership of all arguments passes to the world. `carry`: transfer the
// state of bodies that both scenes have; returns whether that was all of them.
bool studio_instance_install(studio_world *world, studio_instance *built, studio_document *document,
                             pl_findings *findings, bool carry);
// Load, build and install a scene; only before the thread runs.
pl_status studio_instance_open(studio_world *world, const char *path, pl_error *error);
void studio_instance_close(studio_world *world);
// Send the scene, or findings, to a viewer or to all (0).
void studio_scene_send(studio_world *world, uint32_t viewer);
void studio_findings_send(studio_world *world, const pl_findings *findings, uint32_t viewer);

// The body that the camera of the scene follows, or its first copy; -1: none (studio_scene.c).
int32_t studio_scene_followed_body(const pl_scene_instance *instance, const pl_scene *scene);

// Index of the body of the document that body `index` of the instance was made from.
int32_t studio_instance_source(const studio_world *world, int32_t index);

// --- frames and telemetry
// ----------------------------------------------------------------------------------------------------------

// Publish a frame of the current state (studio_frame_publish.c).
void studio_frame_publish(studio_world *world);
// A value per surface point, for colours; `wanted` is one of STUDIO_WANT_COLORS (studio_colors.c).
void studio_colors_fill(studio_world *world, int32_t body, uint32_t wanted, const pl_vec3 *surface,
                        double *numbers);
// Send the `telemetry` message (studio_telemetry.c).
void studio_telemetry_send(studio_world *world);
// Update the energy meters of all bodies; the energy injected so far, J.
void studio_energy_meter_update(studio_world *world);
double studio_energy_meter_injected(studio_world *world, int32_t body);

// --- grabs and pins (studio_hold.c)
// ---------------------------------------------------------------------------------------------------

// False if the body or point does not exist, or there are too many grabs and pins.
bool studio_hold_grab(studio_world *world, uint32_t viewer, int32_t body, int32_t point,
                      pl_vec3 at);
void studio_hold_drag(studio_world *world, uint32_t viewer, pl_vec3 at);
void studio_hold_release(studio_world *world, uint32_t viewer);
bool studio_hold_pin(studio_world *world, int32_t body, int32_t point);
// Detach all grabs and pins from the world, and attach them again: snapshots do not contain them.
void studio_hold_detach(studio_world *world);
void studio_hold_attach(studio_world *world);
// Remove all.
void studio_hold_clear(studio_world *world);

#endif
