// A bar that was released and filmed by virtual depth cameras: what tests of captures start from (with _XOPEN_SOURCE 700, for nftw and mkdtemp). Its motions are those of the fit's own
// simulation, so that the material is known exactly; the recordings are read from files, as a user has them.
#ifndef PL_TEST_FILMED_BARS_H
#define PL_TEST_FILMED_BARS_H

#include <ftw.h>
#include <stdio.h>
#include <unistd.h>

#include "fit_bars.h"
#include "pliant/capture.h"
#include "pliant/sensor.h"

enum { FILM_CAMERAS = 3, FILM_CLIPS_MAX = 2 };

typedef struct filmed_bar {
  fit_bar bar;
  char folders[FILM_CLIPS_MAX][32];
  pl_vec3 *truths[FILM_CLIPS_MAX];  // surface points, frame after frame
  int32_t surface_count, frame_count, clip_count;
  double modulus;
} filmed_bar;

// Film one motion of the bar into a folder of its own.
static inline void film_motion(filmed_bar *film, int32_t clip, int32_t width, int32_t height) {
  pl_error error = {0};
  pl_context *context = film->bar.context;
  pl_mesh *boundary = NULL;
  int32_t *parents = calloc((size_t)film->bar.point_count, sizeof *parents);
  check_ok(pl_mesh_boundary(context, film->bar.mesh, &boundary, parents, &error), &error);
  pl_mesh_view surface = pl_mesh_get_view(boundary);
  film->surface_count = surface.point_count;
  film->truths[clip] = calloc((size_t)(film->frame_count * surface.point_count), sizeof(pl_vec3));
  snprintf(film->folders[clip], sizeof film->folders[clip], "/tmp/pliant-film-XXXXXX");
  assert_non_null(mkdtemp(film->folders[clip]));
  pl_capture_camera cameras[FILM_CAMERAS];
  pl_sensor_ring((pl_box){{-0.5, -0.2, -0.2}, {0.5, 0.2, 0.2}}, FILM_CAMERAS, 0.5, 0, width, height, cameras);
  pl_capture_writer_def def = pl_default_capture_writer_def();
  def.folder = film->folders[clip];
  def.cameras = cameras;
  def.camera_count = FILM_CAMERAS;
  pl_capture_writer *writer = NULL;
  check_ok(pl_capture_writer_create(context, &def, &writer, &error), &error);
  // The bar is a metre long and far from the cameras: steps of depth that grow with its square would be larger than its motion.
  pl_sensor_def sensor = pl_default_sensor_def();
  sensor.quantum_grows = false;
  uint16_t *pictures[FILM_CAMERAS];
  for (int c = 0; c < FILM_CAMERAS; ++c) pictures[c] = calloc((size_t)(width * height), sizeof **pictures);
  for (int32_t f = 0; f < film->frame_count; ++f) {
    pl_vec3 *points = film->truths[clip] + (size_t)f * (size_t)surface.point_count;
    const pl_vec3 *tets = film->bar.positions[clip] + (size_t)f * (size_t)film->bar.point_count;
    for (int32_t i = 0; i < surface.point_count; ++i) points[i] = tets[parents[i]];
    pl_sensor_surface shape = {points, surface.point_count, surface.triangles, surface.triangle_count, false};
    check_ok(pl_sensor_render_all(context, &sensor, cameras, FILM_CAMERAS, f, &shape, 1, pictures, &error), &error);
    check_ok(pl_capture_writer_add_depths(writer, (const uint16_t *const *)pictures, &error), &error);
  }
  check_ok(pl_capture_writer_close(writer, &error), &error);
  for (int c = 0; c < FILM_CAMERAS; ++c) free(pictures[c]);
  pl_mesh_destroy(boundary);
  free(parents);
}

// The first clip is bent, the second one twisted.
static inline void open_film(filmed_bar *film, int32_t clip_count, int32_t frame_count, const int32_t cells[3],
                             const int32_t size[2]) {
  *film = (filmed_bar){.clip_count = clip_count, .frame_count = frame_count, .modulus = 3e5};
  open_bar(&film->bar, 2, 1, cells);
  film->bar.def.young.start = film->modulus;
  make_motions(&film->bar, (const double[]){film->modulus, 0.3, 0.2, 3e-3}, frame_count, 1.0 / 30);
  for (int32_t i = 0; i < clip_count; ++i) film_motion(film, i, size[0], size[1]);
}

static inline pl_capture *read_film(pl_context *context, const filmed_bar *film, int32_t clip) {
  char path[64];
  pl_error error = {0};
  pl_capture *recording = NULL;
  snprintf(path, sizeof path, "%s/capture.json", film->folders[clip]);
  check_ok(pl_capture_load(context, path, &recording, NULL, &error), &error);
  return recording;
}

static inline int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *place) {
  (void)facts, (void)kind, (void)place;
  return remove(path);
}

// A folder with the files and folders in it.
static inline void remove_tree(const char *path) {
  assert_int_equal(nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static inline void close_film(filmed_bar *film) {
  for (int32_t i = 0; i < film->clip_count; ++i) {
    remove_tree(film->folders[i]);
    free(film->truths[i]);
  }
  close_bar(&film->bar);
}

#endif
