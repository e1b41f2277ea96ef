// A body that was recorded: which frame of the recording is shown, what was seen in it, and the fit of the body to it. A scene of the gallery is filmed first, when somebody wants to
// see what cameras see of it.
#ifndef STUDIO_CAPTURE_H
#define STUDIO_CAPTURE_H

#include "pliant/cloud.h"
#include "studio_film.h"
#include "studio_fit.h"
#include "studio_message.h"

// Which shape of the body is shown over the points.
typedef enum studio_shape {
  STUDIO_SHAPE_STATIC = 0,
  STUDIO_SHAPE_TRACKED,
  STUDIO_SHAPE_SIMULATED,
  STUDIO_SHAPE_COUNT
} studio_shape;

// Points of the frame that is shown, and how far they are from the body.
typedef struct studio_cloud {
  int32_t frame;    // -1: none is loaded
  int32_t count;    // at most STUDIO_MAX_CLOUD_POINTS
  pl_vec3 *points;  // metres
  double *distances;
  bool measured;  // distances are those from the surface that is shown
} studio_cloud;

enum { STUDIO_MAX_CLOUD_POINTS = 20000 };

typedef struct studio_capture {
  int32_t body;
  char *file;        // capture.json; NULL: there is none yet
  bool recorded;     // it was there before the server; otherwise it is filmed
  bool film_wanted;  // … once somebody wanted to see it
  bool film_failed;
  studio_film *film;  // NULL: none has begun
  bool filming;
  pl_capture *capture;  // NULL: not there yet
  pl_capture_view view;
  pl_vec3 *static_points;          // of the tets at rest
  studio_fit *fit;                 // the last one, running or not; NULL: none
  bool fit_wanted;                 // as soon as there is a recording
  int32_t fit_rounds, fit_moduli;  // that were asked for
  // What is shown:
  bool shown;    // a frame of the recording, in the place of the world
  bool follows;  // it is the frame that was tracked last
  bool chosen;   // somebody chose the shape; otherwise it is the best there is
  int32_t frame;
  studio_shape shape;
  studio_cloud cloud;
  // What was told:
  bool news;
  double sent;                          // s
  uint32_t fit_version, shape_version;  // that were looked at last
  double fraction;                      // of the film
} studio_capture;

// With a scene: open what it has to capture, or close what the one before had. Neither waits for work that still runs.
void studio_capture_open(studio_world *world);
void studio_capture_close(studio_world *world);
// Wait for all work, at the end.
void studio_capture_shutdown(studio_world *world);

// Whether a body is one that was captured.
bool studio_capture_is_body(const studio_world *world, int32_t body);

// A message of a viewer, and what all (0) or one viewer are to know.
void studio_capture_handle_request(studio_world *world, uint32_t viewer, const pl_json *id, const pl_json *message);
void studio_capture_send(studio_world *world, uint32_t viewer);

// Look how far films and fits are, begin what is due, and tell. Seconds until the next look are wanted at most.
void studio_capture_update(studio_world *world);
double studio_capture_poll_interval(const studio_world *world);

// The world is shown again.
void studio_capture_show_world(studio_world *world);

// Whether a frame of the recording is shown in the place of a body; its surface and the points of its tets then (studio_cloud.c).
bool studio_capture_shows_frame(const studio_world *world, int32_t body);
// Time of what is shown: of the frame, or of the world. s
double studio_capture_time(const studio_world *world);
void studio_capture_get_surface(studio_world *world, pl_vec3 *points);
bool studio_capture_get_points(const studio_world *world, pl_vec3 *points);

// The cloud that belongs to what is shown, loaded and measured if it is not yet; NULL: there is none to show.
const studio_cloud *studio_cloud_get(studio_world *world);
void studio_cloud_free(pl_context *context, studio_cloud *cloud);

#endif
