// A soft bar that sways, and clouds of it as cameras would see them: what tests of tracking share. Its motion is a formula, so that no simulation is needed to know the truth.
#ifndef PL_TEST_CAPTURE_BODIES_H
#define PL_TEST_CAPTURE_BODIES_H

#include "fem_bodies.h"
#include "pliant/sensor.h"
#include "pliant/track.h"

enum { BAR_WIDTH = 128, BAR_HEIGHT = 96, BAR_CAMERAS = 3 };

typedef struct bar_fixture {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model;
  int32_t held[128], held_count;
  int32_t surface_count, triangle_count;
  const int32_t *triangles;
  int32_t *parents;  // of surface points: the mesh's points themselves
  pl_capture_camera cameras[BAR_CAMERAS];
  pl_sensor_def sensor;
  double rate, amplitude;
} bar_fixture;

// Where the bar, held at its left end, has bent to at a time: a circular arc whose curvature swings, with a twist.
static inline pl_vec3 bar_position(const bar_fixture *fixture, pl_vec3 p, double time) {
  double s = p.x + 0.2, bend = fixture->amplitude * sin(8 * time + 0.9), turn = 0.8 * fixture->amplitude * sin(5 * time) * s;
  double y = cos(turn) * p.y - sin(turn) * p.z, z = sin(turn) * p.y + cos(turn) * p.z;
  double k = fabs(bend) < 1e-9 ? 1e-9 : bend, a = k * s;
  return (pl_vec3){-0.2 + sin(a) / k - sin(a) * y, (1 - cos(a)) / k + cos(a) * y, z};
}

static inline bar_fixture make_bar_fixture(pl_context *context) {
  bar_fixture fixture = {.context = context, .rate = 30, .amplitude = 2, .sensor = pl_default_sensor_def()};
  fixture.mesh = make_fem_box(context, (pl_vec3){0.4, 0.08, 0.06}, 24, 5, 4);
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  def.young = 1e5;
  fixture.model = make_fem_model(context, &def, fixture.mesh);
  pl_mesh_view view = pl_mesh_get_view(fixture.mesh);
  for (int32_t i = 0; i < view.point_count; ++i)
    if (view.points[i].x < -0.19) fixture.held[fixture.held_count++] = i;
  pl_mesh *boundary = NULL;
  pl_error error = {0};
  fixture.parents = calloc((size_t)view.point_count, sizeof(int32_t));
  check_ok(pl_mesh_build_boundary(context, fixture.mesh, &boundary, fixture.parents, &error), &error);
  pl_mesh_view surface = pl_mesh_get_view(boundary);
  fixture.surface_count = surface.point_count;
  fixture.triangle_count = surface.triangle_count;
  int32_t *triangles = calloc(3 * (size_t)surface.triangle_count, sizeof *triangles);
  memcpy(triangles, surface.triangles, 3 * (size_t)surface.triangle_count * sizeof *triangles);
  fixture.triangles = triangles;
  pl_mesh_destroy(boundary);
  pl_sensor_ring(&(pl_camera_ring){(pl_box){{-0.2, -0.2, -0.15}, {0.25, 0.2, 0.15}}, BAR_CAMERAS, 0.5, 0, BAR_WIDTH, BAR_HEIGHT},
                 fixture.cameras);
  return fixture;
}

static inline void drop_bar_fixture(bar_fixture *fixture) {
  pl_model_destroy(fixture->model);
  pl_mesh_destroy(fixture->mesh);
  free(fixture->parents);
  free((void *)(uintptr_t)fixture->triangles);
}

static inline pl_track_def bar_track_def(const bar_fixture *fixture) {
  pl_track_def def = pl_default_track_def();
  def.held = fixture->held;
  def.held_count = fixture->held_count;
  def.cameras = fixture->cameras;
  def.camera_count = BAR_CAMERAS;
  def.max_points = 5000;
  return def;
}

typedef struct bar_cloud {
  pl_vec3 *points;
  int32_t *cameras;
  pl_cloud_view view;
} bar_cloud;

// The cloud of a frame, from depth pictures.
static inline bar_cloud take_bar_cloud(const bar_fixture *fixture, int32_t frame) {
  pl_error error = {0};
  pl_mesh_view mesh = pl_mesh_get_view(fixture->mesh);
  pl_vec3 *surface = calloc((size_t)fixture->surface_count, sizeof *surface);
  for (int32_t i = 0; i < fixture->surface_count; ++i)
    surface[i] = bar_position(fixture, mesh.points[fixture->parents[i]], frame / fixture->rate);
  pl_sensor_surface shape = {surface, fixture->surface_count, fixture->triangles, fixture->triangle_count, false};
  size_t pixel_count = BAR_WIDTH * BAR_HEIGHT;
  uint16_t *pixels = calloc(pixel_count, sizeof *pixels);
  bar_cloud cloud = {calloc(BAR_CAMERAS * pixel_count, sizeof(pl_vec3)), calloc(BAR_CAMERAS * pixel_count, sizeof(int32_t)), {0}};
  int32_t count = 0;
  for (int32_t c = 0; c < BAR_CAMERAS; ++c) {
    const pl_capture_camera *camera = &fixture->cameras[c];
    check_ok(pl_sensor_render(fixture->context, &fixture->sensor,
                              &(pl_sensor_shot){fixture->cameras, BAR_CAMERAS, frame, &shape, 1}, c, pixels, &error),
             &error);
    for (int32_t i = 0; i < BAR_WIDTH * BAR_HEIGHT; ++i) {
      if (pixels[i] == 0) continue;
      double d = pixels[i] * camera->depth_scale;
      pl_vec3 p = {(i % BAR_WIDTH - camera->cx) * d / camera->fx, (i / BAR_WIDTH - camera->cy) * d / camera->fy, d};
      pl_quat q = camera->placement.rotation;
      pl_vec3 e = camera->placement.position, w = {q.y * p.z - q.z * p.y, q.z * p.x - q.x * p.z, q.x * p.y - q.y * p.x};
      cloud.points[count] =
          (pl_vec3){e.x + p.x + 2 * (q.w * w.x + q.y * w.z - q.z * w.y), e.y + p.y + 2 * (q.w * w.y + q.z * w.x - q.x * w.z),
                    e.z + p.z + 2 * (q.w * w.z + q.x * w.y - q.y * w.x)};
      cloud.cameras[count++] = c;
    }
  }
  free(pixels);
  free(surface);
  cloud.view = (pl_cloud_view){.point_count = count, .points = cloud.points, .cameras = cloud.cameras};
  return cloud;
}

static inline void drop_bar_cloud(bar_cloud *cloud) {
  free(cloud->points);
  free(cloud->cameras);
}

// Root mean square distance of all points of the mesh from the truth.
static inline double bar_error(const bar_fixture *fixture, const pl_tracker *tracker, int32_t frame) {
  pl_tracker_view view = pl_tracker_get_view(tracker);
  pl_mesh_view mesh = pl_mesh_get_view(fixture->mesh);
  double sum = 0;
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_vec3 t = bar_position(fixture, mesh.points[i], frame / fixture->rate), p = view.points[i];
    sum += (p.x - t.x) * (p.x - t.x) + (p.y - t.y) * (p.y - t.y) + (p.z - t.z) * (p.z - t.z);
  }
  return sqrt(sum / view.point_count);
}

#endif
