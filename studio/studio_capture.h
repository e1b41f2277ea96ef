// The capture of a body: the recording, its frame that is shown with the observed points, and the
// fit of the body to it. A scene named `capture-*` has no recording at first: virtual depth cameras
// make one when a viewer subscribes to `cloud` or requests a fit.
#ifndef STUDIO_CAPTURE_H
#define STUDIO_CAPTURE_H

#include "pliant/capture_file.h"
#include "studio_film.h"
#include "studio_fit.h"
#include "studio_message.h"

// The mesh that is shown with the points of a frame.
typedef enum studio_shape {
  STUDIO_SHAPE_STATIC = 0,
  STUDIO_SHAPE_TRACKED,
  STUDIO_SHAPE_SIMULATED,
  STUDIO_SHAPE_COUNT
} studio_shape;

// Observed points of the frame that is shown, and their distances from the mesh.
typedef struct studio_cloud {
  int32_t frame;    // -1: no frame is loaded
  int32_t count;    // at most STUDIO_MAX_CLOUD_POINTS
  pl_vec3 *points;  // metres
  double *distances;
  bool measured;  // distances are up to date
} studio_cloud;

enum { STUDIO_MAX_CLOUD_POINTS = 20000 };

typedef struct studio_capture {
  int32_t body;
  char *file;        // capture.json; NULL: no recording yet
  bool recorded;     // the recording was opened from a file; otherwise virtual cameras make it
  bool film_wanted;  // a viewer requested a recording
  bool film_failed;
  studio_film *film;  // NULL: not started
  bool filming;
  pl_capture *capture;  // NULL: no recording yet
  pl_capture_view view;
  pl_vec3 *static_points;          // points of the tets at rest
  studio_fit *fit;                 // the latest fit, running or ended; NULL: none
  bool fit_wanted;                 // start a fit as soon as there is a recording
  int32_t fit_rounds, fit_moduli;  // as requested
  // Display:
  bool shown;    // a frame of the recording is shown instead of the world
  bool follows;  // show the frame that was tracked last
  bool chosen;   // a viewer chose the shape; otherwise the best available one is shown
  int32_t frame;
  studio_shape shape;
  studio_cloud cloud;
  // Reports to viewers:
  bool changed;                         // something changed since the last report
  double sent;                          // s: time of the last report
  uint32_t fit_version, shape_version;  // of the last update
  double fraction;                      // progress of the virtual cameras
} studio_capture;

// Call when a scene was installed, and before it is closed. Neither waits for work that still runs.
void studio_capture_open(studio_world *world);
void studio_capture_close(studio_world *world);
// Wait for all work; call once, at the end.
void studio_capture_shutdown(studio_world *world);

// Whether this is the capture body of the scene.
bool studio_capture_is_body(const studio_world *world, int32_t body);

// Handle a `capture` request; send the `capture` message to one viewer or to all (0).
void studio_capture_handle_request(studio_world *world, uint32_t viewer, const pl_json *id,
                                   const pl_json *message);
void studio_capture_send(studio_world *world, uint32_t viewer);

// Check the progress of background work, start what was requested, and report to viewers; and the
// longest time until the next call, s.
void studio_capture_update(studio_world *world);
double studio_capture_poll_interval(const studio_world *world);

// Show the world again instead of a frame of the recording.
void studio_capture_show_world(studio_world *world);

// Whether a frame of the recording is shown for a body; its surface and the points of its tets in
// that frame (studio_cloud.c).
bool studio_capture_shows_frame(const studio_world *world, int32_t body);
// Time of what is shown, s: of the frame of the recording, or of the world.
double studio_capture_time(const studio_world *world);
void studio_capture_get_surface(studio_world *world, pl_vec3 *points);
bool studio_capture_get_points(const studio_world *world, pl_vec3 *points);

// The observed points of the frame that is shown, loaded and measured on demand; NULL: no frame is
// shown.
const studio_cloud *studio_cloud_get(studio_world *world);
void studio_cloud_free(pl_context *context, studio_cloud *cloud);

#endif
