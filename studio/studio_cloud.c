// The observed points of a frame, and their distances from the surface of the body.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/parallel.h"
#include "body/body_method.h"
#include "pliant/math.h"
#include "studio_capture.h"

enum { GRAIN = 256 };

bool studio_capture_shows_frame(const studio_world *w, int32_t body) {
  return w->capture != NULL && w->capture->shown && w->capture->body == body;
}

double studio_capture_time(const studio_world *w) {
  const studio_capture *c = w->capture;
  return c != NULL && c->shown && c->capture != NULL ? c->view.times[c->frame] : pl_world_get_time(w->world);
}

bool studio_capture_get_points(const studio_world *w, pl_vec3 *points) {
  const studio_capture *c = w->capture;
  const pl_instance_part *part = &PL_ITEM(&w->instance->parts, pl_instance_part, c->body);
  if (c->shape != STUDIO_SHAPE_STATIC && c->fit != NULL &&
      studio_fit_get_points(c->fit, c->frame, c->shape == STUDIO_SHAPE_SIMULATED, points))
    return true;
  if (c->static_points == NULL) return false;
  memcpy(points, c->static_points, (size_t)part->model->particle_count * sizeof *points);
  return true;
}

void studio_capture_get_surface(studio_world *w, pl_vec3 *points) {
  const pl_contact_surface *surface = &PL_ITEM(&w->instance->parts, pl_instance_part, w->capture->body).model->surface;
  if (!studio_capture_get_points(w, w->points)) {
    (void)pl_scene_instance_get_surface(w->instance, w->capture->body, points);
    return;
  }
  for (int32_t i = 0; i < surface->point_count; ++i) {
    points[i] = (pl_vec3){0, 0, 0};
    for (size_t k = 4 * (size_t)i; k < 4 * (size_t)i + 4; ++k)
      points[i] = pl_vec3_add_scaled(points[i], w->points[surface->parents[k]], (double)surface->weights[k]);
  }
}

// --- the cloud
// --------------------------------------------------------------------------------------------------------------------

void studio_cloud_free(pl_context *context, studio_cloud *cloud) {
  pl_release(context, cloud->points);
  pl_release(context, cloud->distances);
  *cloud = (studio_cloud){.frame = -1};
}

// Load the points of the frame; a large cloud is subsampled evenly.
static bool load(studio_world *w) {
  studio_capture *c = w->capture;
  pl_cloud *read = NULL;
  pl_error error = {0};
  studio_cloud_free(w->context, &c->cloud);
  // A frame that cannot be read has no points, and is not tried again.
  c->cloud.frame = c->frame;
  c->cloud.points = pl_allocate_array(w->context, STUDIO_MAX_CLOUD_POINTS, sizeof *c->cloud.points);
  c->cloud.distances = pl_allocate_array(w->context, STUDIO_MAX_CLOUD_POINTS, sizeof *c->cloud.distances);
  if (c->cloud.points == NULL || c->cloud.distances == NULL) return false;
  if (pl_capture_load_frame(c->capture, c->frame, &read, NULL, &error) < 0) {
    studio_send_log(w, "frame %d of the recording cannot be read: %s", c->frame + 1, error.text);
    return false;
  }
  pl_cloud_view view = pl_cloud_get_view(read);
  c->cloud.count = view.point_count < STUDIO_MAX_CLOUD_POINTS ? view.point_count : STUDIO_MAX_CLOUD_POINTS;
  for (int32_t i = 0; i < c->cloud.count; ++i)
    c->cloud.points[i] = view.points[(int64_t)i * view.point_count / c->cloud.count];
  pl_cloud_destroy(read);
  return true;
}

typedef struct measurement {
  const pl_triangle_tree *tree;
  studio_cloud *cloud;
} measurement;

static void measure_range(void *data, int32_t begin, int32_t end, int32_t block) {
  const measurement *m = data;
  (void)block;
  for (int32_t i = begin; i < end; ++i) {
    pl_hit hit = pl_triangle_tree_nearest(m->tree, m->cloud->points[i], HUGE_VAL);
    m->cloud->distances[i] = isfinite(hit.distance) ? hit.distance : 0;
  }
}

static void measure(studio_world *w) {
  studio_capture *c = w->capture;
  pl_scene_instance_surface shape = pl_scene_instance_get_surface_view(w->instance, c->body);
  pl_mesh *mesh = NULL;
  pl_triangle_tree *tree = NULL;
  studio_capture_get_surface(w, w->more_points);
  pl_mesh_view view = {.point_count = shape.point_count,
                       .points = w->more_points,
                       .triangle_count = shape.triangle_count,
                       .triangles = shape.triangles};
  if (pl_mesh_create(w->context, &view, &mesh, NULL) >= 0 &&
      pl_triangle_tree_build(w->context, mesh, &tree, NULL) >= 0) {
    measurement m = {tree, &c->cloud};
    pl_parallel_for(w->context, c->cloud.count, GRAIN, measure_range, &m);
    c->cloud.measured = true;
  }
  pl_triangle_tree_destroy(tree);
  pl_mesh_destroy(mesh);
}

const studio_cloud *studio_cloud_get(studio_world *w) {
  studio_capture *c = w->capture;
  if (c == NULL || !c->shown || c->capture == NULL) return NULL;
  if (c->cloud.frame != c->frame) (void)load(w);
  if (c->cloud.count > 0 && !c->cloud.measured) measure(w);
  return &c->cloud;
}
