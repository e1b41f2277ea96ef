// Whole frames of a pillow: a coarse solid of 1,445 particles with a surface of 11,000 points is held where it would
// lie, and a finger winds outward on it from its middle to its rim. Each frame is one step of 1/60 s with everything
// that belongs to it: the solid, its contacts, and detail on all of the surface, from ten examples that were recorded
// along the same way (the solid's own displacements, and folds by a formula).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_detail_fixture.h"
#include "bench_suite.h"

enum { EXAMPLE_COUNT = 10, KEY_COUNT = 49 };
static const double DOWN = 0.5, AROUND = 4, FINGER = 0.025;

typedef struct frame_fixture {
  detail_pillow pillow;
  pl_detail_set *set;
  pl_model *model;
  pl_world *world;
  pl_body_id body;
  pl_detail_layer *layer;
  void *start;  // snapshot
  size_t start_size;
} frame_fixture;

static void close_fixture(frame_fixture *fixture) {
  free(fixture->start);
  pl_world_destroy(fixture->world);
  pl_detail_layer_destroy(fixture->layer);
  pl_model_destroy(fixture->model);
  pl_detail_set_destroy(fixture->set);
  detail_pillow_close(&fixture->pillow);
}

// Where the finger is: it comes down 2 cm deep and winds outward twice.
static pl_vec3 finger_at(double time) {
  double t = fmin(fmax((time - DOWN) / AROUND, 0), 1), angle = 2 * (2 * PL_PI) * t, r = 0.15 * t;
  pl_vec3 top = {r * cos(angle), 0, r * sin(angle)};
  top.y = detail_pillow_top(top.x, top.z) + FINGER - 0.02 * fmin(time / DOWN, 1);
  return top;
}

static pl_status add_finger(frame_fixture *fixture, pl_error *error) {
  pl_collider_key keys[KEY_COUNT];
  for (int k = 0; k < KEY_COUNT; ++k) {
    double time = (DOWN + AROUND) * k / (KEY_COUNT - 1);
    keys[k] = (pl_collider_key){.time = time, .placement = {finger_at(time), {0, 0, 0, 1}}};
  }
  pl_collider_def finger = pl_default_collider_def(PL_COLLIDER_SPHERE);
  finger.radius = FINGER;
  finger.friction = 0.2;
  finger.keys = keys;
  finger.key_count = KEY_COUNT;
  return pl_world_add_collider(fixture->world, &finger, NULL, error);
}

// Pins for what would lie on a table.
static pl_status hold_body(frame_fixture *fixture, pl_error *error) {
  pl_mesh_view mesh = pl_mesh_get_view(fixture->pillow.mesh);
  pl_pin_def pin = pl_default_pin_def();
  pl_status status = PL_OK;
  pin.body = fixture->body;
  for (; status >= 0 && pin.particle < mesh.point_count; ++pin.particle) {
    pin.target = mesh.points[pin.particle];
    if (pin.target.y < -0.05) status = pl_world_add_pin(fixture->world, &pin, NULL, error);
  }
  return status;
}

static pl_status open_world(pl_context *context, frame_fixture *fixture, pl_error *error) {
  pl_solid_def solid = pl_default_solid_def();
  pl_world_def world = pl_default_world_def();
  world.step = 1.0 / 60;
  solid.density = 200;
  solid.stiffness = 0.8;
  solid.stiffness_step = world.step;
  solid.damping = 10;
  solid.surface = fixture->pillow.surface;
  solid.surface_tolerance = 0.01;
  pl_status status = pl_solid_build(context, &solid, fixture->pillow.mesh, &fixture->model, error);
  if (status >= 0) status = pl_world_create(context, &world, &fixture->world, error);
  pl_body_def body = pl_default_body_def();
  body.model = fixture->model;
  body.gravity_scale = 0;  // pinned from below, such a soft body would hang down
  if (status >= 0) status = pl_world_add_body(fixture->world, &body, &fixture->body, error);
  if (status >= 0) status = hold_body(fixture, error);
  return status < 0 ? status : add_finger(fixture, error);
}

static void record_now(frame_fixture *fixture, pl_vec3 *arrays, pl_detail_recording *recording) {
  const pl_detail_object *object = &fixture->pillow.object;
  double time = pl_world_get_time(fixture->world);
  pl_vec3 finger = finger_at(time), *coarse = arrays + object->material_count, *fine = coarse + object->surface_count;
  detail_press press = {finger.x, finger.z, {0, -0.02, 0}};
  pl_body_get_positions(fixture->world, fixture->body, arrays);
  pl_body_get_surface(fixture->world, fixture->body, coarse);
  for (int32_t i = 0; i < object->material_count; ++i) {
    arrays[i].x -= object->material_points[i].x;
    arrays[i].y -= object->material_points[i].y;
    arrays[i].z -= object->material_points[i].z;
  }
  for (int32_t i = 0; i < object->surface_count; ++i) {
    pl_vec3 folds = detail_press_folds(&press, object->surface_points[i]);
    fine[i] = (pl_vec3){coarse[i].x + folds.x, coarse[i].y + folds.y, coarse[i].z + folds.z};
  }
  *recording = (pl_detail_recording){
      .object = object,
      .material_displacements = arrays,
      .coarse_points = coarse,
      .fine_points = fine,
      .contact = {.point = {finger.x, finger.y - FINGER, finger.z}, .normal = {0, 1, 0}, .pressure = 1}};
}

static void take_start(frame_fixture *fixture) {
  free(fixture->start);
  fixture->start_size = pl_world_snapshot_size(fixture->world);
  fixture->start = tool_allocate(fixture->start_size, 1);
  pl_world_snapshot(fixture->world, fixture->start);
}

// Examples along the way of the finger, and back to the moment when it is down.
static pl_status record_set(pl_context *context, frame_fixture *fixture, pl_error *error) {
  size_t each = (size_t)fixture->pillow.object.material_count + 2 * (size_t)fixture->pillow.object.surface_count;
  pl_vec3 *arrays = tool_allocate(EXAMPLE_COUNT * each, sizeof *arrays);
  pl_detail_recording recordings[EXAMPLE_COUNT];
  pl_detail_def def = detail_pillow_def(64);
  pl_status status = pl_world_advance(fixture->world, DOWN + 0.1, 0, NULL, error);
  take_start(fixture);
  for (int i = 0; i < EXAMPLE_COUNT && status >= 0; ++i) {
    record_now(fixture, arrays + (size_t)i * each, &recordings[i]);
    status = pl_world_advance(fixture->world, AROUND / EXAMPLE_COUNT, 0, NULL, error);
  }
  if (status >= 0)
    status = pl_detail_set_build(context, &def, &(pl_detail_recordings){recordings, EXAMPLE_COUNT, NULL}, &fixture->set,
                                 NULL, error);
  free(arrays);
  return status < 0 ? status : pl_world_restore(fixture->world, fixture->start, fixture->start_size, error);
}

static pl_status open_fixture(pl_context *context, frame_fixture *fixture, pl_error *error) {
  pl_status status = detail_pillow_open(context, 16, 60, &fixture->pillow, error);
  if (status >= 0) status = open_world(context, fixture, error);
  if (status >= 0) status = record_set(context, fixture, error);
  pl_detail_layer_def layer = pl_default_detail_layer_def();
  layer.set = fixture->set;
  layer.mesh = fixture->pillow.mesh;
  if (status >= 0) status = pl_detail_layer_add(fixture->world, fixture->body, &layer, &fixture->layer, error);
  if (status >= 0) take_start(fixture);  // a layer has its part in snapshots
  return status;
}

typedef enum frame_part {
  PART_FRAME,
  PART_MOVE,
  PART_CONTACT,
  PART_LAYER,
  PART_FIND,
  PART_DESCRIBE,
  PART_WEIGHTS,
  PART_BLEND,
  PART_STAMP,
  PART_COUNT
} frame_part;

enum { MAX_FRAME = 210 };

// The quickest that each part of each frame was: all repetitions do the same, so whatever else the machine does meets
// few frames every time.
typedef struct frame_times {
  double seconds[MAX_FRAME][PART_COUNT];
  int touching;  // frames with detail
} frame_times;

static pl_status run_frames(frame_fixture *fixture, int frames, frame_times *times, pl_error *error) {
  pl_status status = pl_world_restore(fixture->world, fixture->start, fixture->start_size, error);
  times->touching = 0;
  for (int i = 0; i < frames && status >= 0; ++i) {
    pl_step_report report = {0};
    double begin = tool_seconds();
    status = pl_world_step(fixture->world, &report, error);
    double whole = tool_seconds() - begin;
    pl_detail_time_report costs = pl_detail_layer_get_report(fixture->layer);
    const double now[PART_COUNT] = {[PART_FRAME] = whole,
                                    [PART_MOVE] = report.phase_seconds[PL_STEP_PHASE_MOVE],
                                    [PART_CONTACT] = report.phase_seconds[PL_STEP_PHASE_CONTACT],
                                    [PART_LAYER] = report.phase_seconds[PL_STEP_PHASE_LAYERS],
                                    [PART_FIND] = costs.find_seconds,
                                    [PART_DESCRIBE] = costs.describe_seconds,
                                    [PART_WEIGHTS] = costs.weights_seconds,
                                    [PART_BLEND] = costs.blend_seconds,
                                    [PART_STAMP] = costs.stamp_seconds};
    for (int part = 0; part < PART_COUNT; ++part) times->seconds[i][part] = fmin(times->seconds[i][part], now[part]);
    pl_detail_contact_report contact = {0};
    if (pl_detail_layer_get_contacts(fixture->layer, 1, &contact) > 0 && contact.best_example >= 0) ++times->touching;
  }
  return status;
}

pl_status bench_detail_frames(bench_session *bench, pl_context *context, pl_error *error) {
  static const char *const names[PART_COUNT] = {"frame",           "frame: solid",  "frame: contact",
                                                "frame: detail",   "detail: find",  "detail: describe",
                                                "detail: weights", "detail: blend", "detail: stamp"};
  frame_fixture fixture = {.set = NULL};
  frame_times *times = tool_allocate(1, sizeof *times);
  int frames = bench->quick ? 30 : MAX_FRAME;
  for (int i = 0; i < MAX_FRAME * PART_COUNT; ++i) times->seconds[i / PART_COUNT][i % PART_COUNT] = HUGE_VAL;
  pl_status status = open_fixture(context, &fixture, error);
  for (int repeat = 0; repeat < bench_repeats(bench) && status >= 0; ++repeat)
    status = run_frames(&fixture, frames, times, error);
  for (int part = 0; part < PART_COUNT && status >= 0; ++part) {
    char note[96] = "";
    if (part == PART_FRAME)
      snprintf(note, sizeof note, "%d particles, %d examples; %d of %d frames have detail",
               pl_model_get_report(fixture.model).particle_count, EXAMPLE_COUNT, times->touching, frames);
    bench_row row = {.suite = "detail",
                     .name = names[part],
                     .threads = 1,
                     .unit = "ms",
                     .paper = part == PART_FRAME ? 14 : 0,
                     .size = pl_model_get_report(fixture.model).surface_point_count,
                     .note = part == PART_FRAME ? note : NULL,
                     .takes_best = true};
    bench_samples samples = {0};
    double sum = 0;
    for (int i = 0; i < frames; ++i) sum += times->seconds[i][part];
    bench_add(&samples, 1e3 * sum / frames);
    bench_print(bench, &row, &samples);
  }
  free(times);
  close_fixture(&fixture);
  return status;
}
