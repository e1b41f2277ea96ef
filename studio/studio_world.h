// The world that viewers see: one thread opens scenes, steps them at their fixed step in real time, and answers what viewers ask. All functions here are for that
// thread, but for create and destroy.
#ifndef STUDIO_WORLD_H
#define STUDIO_WORLD_H

#include "scene/scene_instance.h"
#include "scene/scene_shelf.h"
#include "studio_files.h"
#include "studio_history.h"
#include "studio_hub.h"
#include "text/json.h"

enum { STUDIO_MAX_HOLDS = 256, STUDIO_HOLD_PARTICLES = 4, STUDIO_MAX_DETAIL = 1024 };

// Particles that someone holds: a spring of a viewer who drags, or pins that stay.
typedef struct studio_hold {
  uint32_t viewer;  // 0: pinned
  int32_t body, point;
  int32_t count;
  int32_t particles[STUDIO_HOLD_PARTICLES];
  pl_vec3 offsets[STUDIO_HOLD_PARTICLES];  // of the particles from `at`
  pl_vec3 at;                              // m
  double stiffness, damping;               // of each; 0: hard
  pl_pin_id pins[STUDIO_HOLD_PARTICLES];   // null while they are taken out of the world
} studio_hold;

// Weights that a viewer gave a body.
typedef struct studio_weight_override {
  int32_t body, manifold, count;
  double weights[PL_MAX_EXAMPLES];
} studio_weight_override;

// Where an actor was sent.
typedef struct studio_destination {
  int32_t actor;
  pl_vec3 position;
} studio_destination;

// What changes of weights did to a body's energy.
typedef struct studio_energy_meter {
  bool read;
  double energy, injected;  // J: at the last look, and in all
  double weights[PL_MAX_EXAMPLES];
} studio_energy_meter;

// A scene as it was opened and changed since.
typedef struct studio_document {
  pl_json_document *json;  // as it stands now; NULL: none is open
  char *source;            // text that it was read from, terminated; NULL once it was changed
  size_t source_size;
  char *name;     // for messages and as the suggestion of a file's name
  char *path;     // of its file, "" for one that was dropped
  char *folder;   // where its relative paths start
  char *capture;  // of a recording, whose scene was built up: its capture.json; NULL for others
} studio_document;

// All that a scene brings, before it takes the place of another.
typedef struct studio_instance {
  pl_scene *scene;
  pl_scene_instance *instance;
  void *start;
  size_t start_size;
  pl_vec3 *points, *more_points;
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
  pl_shape_shelf shelf;  // of surfaces, so that a changed number does not sample them anew
  pl_scene *scene;
  pl_scene_instance *instance;  // NULL: none is open
  pl_world *world;              // the set's
  int64_t scene_number;
  pl_findings *findings;  // of the last opening

  bool paused;
  double rate;                             // simulated seconds per second that are asked for
  double due;                              // simulated seconds that are to be stepped
  double clock;                            // when time was last looked at, s
  int64_t shown_step;                      // of the last frame, -1 when it must be shown anew
  double shown, telemetry_sent, measured;  // when the last frame and telemetry went out, and speed was measured
  bool state_is_due;
  double state_sent;
  int64_t telemetry_step;
  int64_t measured_steps;
  double steps_per_second;
  int64_t frame_number;
  studio_frame *newest;   // also held by the hub
  pl_step_report report;  // of the last step

  studio_history history;
  void *start;  // snapshot at step 0
  size_t start_size;
  studio_hold holds[STUDIO_MAX_HOLDS];
  int hold_count;
  pl_vector weight_overrides;  // of studio_weight_override
  pl_vector destinations;      // of studio_destination
  pl_collider_id tool;         // ball under a viewer's mouse, null for none
  uint32_t tool_viewer;
  double tool_radius;                  // m
  bool detail_off[STUDIO_MAX_DETAIL];  // bodies whose detail is not shown
  pl_vector meters;                    // of studio_energy_meter, one per body
  pl_vector segments;                  // of int32_t *, one per body whose segments were asked for
  pl_vec3 followed_start;              // where the body that the camera follows was at the beginning
  bool has_eye;                        // the camera of a viewer drives
  pl_vec3 eye;
  pl_vec3 *points;  // room for the largest body
  pl_vec3 *more_points;
  struct studio_exports *exports;    // NULL: none has begun
  struct studio_recorder *recorder;  // of an example of detail; NULL: none runs
  struct studio_capture *capture;    // of the scene that is open; NULL: it has nothing that was captured
  pl_vector abandoned;               // of studio_fit *: fits of scenes that were closed, on their way to an end
  struct studio_build *build;        // of a scene beside this one; NULL: none runs
  pl_vector deferred;                // of studio_command: requests that wait for it
} studio_world;

// Begin, with the scene of the options if there is one. NULL, with `error`, when that cannot be opened or the system gives no thread.
studio_world *studio_world_create(pl_context *context, const studio_options *options, studio_log *log, studio_hub *hub,
                                  studio_command_queue *queue, studio_files *files, pl_error *error);
void studio_world_destroy(studio_world *world);

// One step. A failure pauses and is told to all.
bool studio_world_step(studio_world *world);
// Pause or go on.
void studio_world_pause(studio_world *world, bool paused);
// Put everything back to how it was at the start.
void studio_world_reset(studio_world *world);
// Act before every step of the world, after all others that do.
pl_status studio_world_add_controller(studio_world *world, pl_error *error);
// Go back so many steps, or as many as are remembered.
void studio_world_back(studio_world *world, int64_t count);

// A message of a viewer (studio_request.c).
void studio_world_handle_request(studio_world *world, uint32_t viewer, const char *word, const pl_json *message);

// --- opening (studio_instance.c) ---------------------------------------------------------------------------------------------

// Build a scene from its document, in any thread; one at a time uses the shelf. On failure findings say why, and what was built so far is to be discarded.
pl_status studio_instance_build(pl_context *context, pl_shape_shelf *shelf, const studio_document *document, pl_findings *findings,
                                studio_instance *built, pl_error *error);
void studio_instance_free(pl_context *context, studio_instance *built);
// Put it in the place of the present one; all is taken over. `carry`: go on where the present world stands, as far as the two are alike; returns whether that was so for everything.
bool studio_instance_install(studio_world *world, studio_instance *built, studio_document *document, pl_findings *findings,
                             bool carry);
// Read, build and enter at once, before there are viewers.
pl_status studio_instance_open(studio_world *world, const char *path, pl_error *error);
void studio_instance_close(studio_world *world);
// Tell viewers (0: all) what the scene is, or what is wrong with it.
void studio_scene_send(studio_world *world, uint32_t viewer);
void studio_findings_send(studio_world *world, const pl_findings *findings, uint32_t viewer);

// The body that the camera of a scene follows, or the first of its copies; -1 for none (studio_scene.c).
int32_t studio_scene_followed_body(const pl_scene_instance *instance, const pl_scene *scene);

// Where a document's parts are: number of the body of the document that body `index` of the set is a copy of.
int32_t studio_instance_source(const studio_world *world, int32_t index);

// --- what is shown ----------------------------------------------------------------------------------------------------------

// Show the present frame (studio_frame_publish.c).
void studio_frame_publish(studio_world *world);
// Numbers per surface point, for colours: `wanted` is one of STUDIO_WANT_COLORS (studio_colors.c).
void studio_colors_fill(studio_world *world, int32_t body, uint32_t wanted, const pl_vec3 *surface, double *numbers);
// What bodies have to tell (studio_telemetry.c).
void studio_telemetry_send(studio_world *world);
// Look at the energies of bodies, and what was found so far.
void studio_energy_meter_update(studio_world *world);
double studio_energy_meter_injected(studio_world *world, int32_t body);

// --- hands (studio_hold.c) ---------------------------------------------------------------------------------------------------

// False when the body or point does not exist or there is no room.
bool studio_hold_grab(studio_world *world, uint32_t viewer, int32_t body, int32_t point, pl_vec3 at);
void studio_hold_drag(studio_world *world, uint32_t viewer, pl_vec3 at);
void studio_hold_release(studio_world *world, uint32_t viewer);
bool studio_hold_pin(studio_world *world, int32_t body, int32_t point);
// Take all out of the world and put them back in: snapshots are of worlds without hands.
void studio_hold_detach(studio_world *world);
void studio_hold_attach(studio_world *world);
// Forget all.
void studio_hold_clear(studio_world *world);

#endif
