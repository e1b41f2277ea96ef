// The stiffness of a soft bar from depth pictures of it. A bar of 300 kPa is bent, released and filmed by three virtual
// cameras; pl_capture_run() tracks and fits it in two rounds. Given a folder, the program saves what it has done there:
// stopped at any moment and started again, it resumes.
// ctest: once
#include <pliant/pliant.h>
#include <stdio.h>

enum { FRAMES = 16, CAMERAS = 3, WIDTH = 160, HEIGHT = 120, HELD = 9, POINTS_MAX = 1000 };

// Pictures of the bar as it swings, written as a recording.
static pl_status film(pl_context *context, pl_world *world, pl_body_id body, const pl_mesh *boundary, pl_error *error) {
  static uint16_t pixels[CAMERAS][WIDTH * HEIGHT];
  static pl_vec3 points[POINTS_MAX];
  uint16_t *pictures[CAMERAS] = {pixels[0], pixels[1], pixels[2]};
  pl_capture_camera cameras[CAMERAS];
  pl_sensor_ring(&(pl_camera_ring){{{-0.2, -0.1, -0.1}, {0.2, 0.1, 0.1}}, CAMERAS, 0.5, 0, WIDTH, HEIGHT, 0}, cameras);
  pl_mesh_view surface = pl_mesh_get_view(boundary);
  pl_sensor_surface shape = {points, surface.point_count, surface.triangles, surface.triangle_count, false};
  pl_sensor_def sensor = pl_default_sensor_def();
  pl_capture_writer_def def = pl_default_capture_writer_def();
  def.folder = "capture-sample", def.cameras = cameras, def.camera_count = CAMERAS;
  pl_capture_writer *writer = NULL;
  pl_status status = pl_capture_writer_create(context, &def, &writer, error);
  for (int32_t frame = 0; frame < FRAMES && status >= 0; ++frame) {
    status = pl_body_get_surface(world, body, points);
    if (status >= 0)
      status = pl_sensor_render_all(context, &sensor, &(pl_sensor_shot){cameras, CAMERAS, frame, &shape, 1}, pictures,
                                    error);
    if (status >= 0) status = pl_capture_writer_add_depths(writer, (const uint16_t *const *)pictures, error);
    if (status >= 0) status = pl_world_advance(world, 1 / def.rate, 0, NULL, error);
  }
  if (status >= 0) return pl_capture_writer_close(writer, error);
  pl_capture_writer_abandon(writer);
  return status;
}

// Let the bar, held at its left end, hang sideways until it rests; without gravity it then swings back.
static pl_status swing(pl_context *context, const pl_mesh *bar, const pl_mesh *boundary, const int32_t *held,
                       pl_error *error) {
  pl_fem_def fem = pl_default_fem_def(PL_FEM_COROTATED);
  fem.young = 3e5, fem.mass_damping = 0.5, fem.stiffness_damping = 0.003;
  pl_world_def world_def = pl_default_world_def();
  world_def.step = 1.0 / 960, world_def.gravity = (pl_vec3){0, -6, 6};
  pl_body_def body_def = pl_default_body_def();
  pl_model *model = NULL;
  pl_world *world = NULL;
  pl_body_id body;
  pl_status status = pl_fem_build(context, &fem, bar, &model, error);
  if (status >= 0) status = pl_world_create(context, &world_def, &world, error);
  body_def.model = model;
  if (status >= 0) status = pl_world_add_body(world, &body_def, &body, error);
  for (int32_t i = 0; i < HELD && status >= 0; ++i) {
    pl_pin_def pin = pl_default_pin_def();
    pin.body = body, pin.particle = held[i], pin.target = pl_mesh_get_view(bar).points[held[i]];
    status = pl_world_add_pin(world, &pin, NULL, error);
  }
  if (status >= 0) status = pl_world_settle(world, 4, NULL, error);
  pl_world_set_gravity(world, (pl_vec3){0, 0, 0});
  if (status >= 0) status = film(context, world, body, boundary, error);
  pl_world_destroy(world), pl_model_destroy(model);
  return status;
}

static bool report(void *user, const pl_capture_progress *progress) {
  (void)user;
  const pl_capture_round *round = progress->report;
  if (progress->event == PL_CAPTURE_ROUND_END)
    printf("round %d: tracked to %.1f mm, %.0f Pa, %s\n", progress->round + 1, 1e3 * round->track_residual,
           round->estimates[0].value, pl_fit_verdict_name(round->estimates[0].verdict));
  return true;  // false would stop the run here
}

int main(int count, char **words) {
  pl_context_def context_def = pl_default_context_def();
  pl_capture_run_def def = pl_default_capture_run_def();
  pl_context *context = NULL;
  pl_mesh *bar = NULL, *boundary = NULL;
  pl_capture *recording = NULL;
  pl_capture_result *result = NULL;
  pl_error e = {0};
  int32_t held[HELD], parents[POINTS_MAX];
  for (int32_t i = 0; i < HELD; ++i) held[i] = 11 * i;  // the left end: points are numbered along x first
  bool good = pl_context_create(&context_def, &context, &e) >= 0 &&
              pl_mesh_create_box(context, (pl_vec3){0.4, 0.1, 0.1}, (int32_t[3]){10, 2, 2}, &bar, &e) >= 0 &&
              pl_mesh_build_boundary(context, bar, &boundary, parents, &e) >= 0 &&
              swing(context, bar, boundary, held, &e) >= 0 &&
              pl_capture_load(context, "capture-sample/capture.json", &recording, NULL, &e) >= 0 &&
              (count < 2 || pl_store_open_folder(context, words[1], &def.store, &e) >= 0);
  pl_capture_clip clip = {.recording = recording};
  def.mesh = bar, def.clips = &clip, def.clip_count = 1, def.max_rounds = 2, def.warm_start = false,
  def.progress = report;
  def.fit.pinned = held, def.fit.pinned_count = HELD, def.fit.steps_per_frame = 8,
  def.fit.direct = pl_cholmod_backend();
  def.fit.gravity = (pl_vec3){0, 0, 0}, def.fit.shape = PL_FIT_SHAPE_UNSTRESSED;
  good = good && pl_capture_run(context, &def, &result, &e) >= 0;
  if (!good) puts(e.text);
  pl_capture_result_destroy(result), pl_store_close(&def.store), pl_capture_destroy(recording);
  pl_mesh_destroy(boundary), pl_mesh_destroy(bar), pl_context_destroy(context);
  return good ? 0 : 1;
}
