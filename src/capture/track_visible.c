// Where the surface is, and which of its points cameras see.
//
// A point is seen by a camera that it faces (of a shell: with either side) and before which nothing of the body lies:
// the body is drawn into a z-buffer of about 320 pixels across, and a point counts as hidden when it lies behind all of
// the four pixels around its place by more than they can be off.
#include <math.h>

#include "base/parallel.h"
#include "capture/track_parts.h"

// A point counts as hidden where it lies behind what was drawn by more than the slope between pixels and the noise
// explain.
#define SLACK_PIXELS 1.5
#define SLACK_NOISE 2
#define FLATTEST 0.12  // cosine of the angle between sight and normal below which sensors see nothing

enum { SURFACE_GRAIN = 1024 };

typedef struct placement {
  pl_tracker *tracker;
  const double *x;
} placement;

static void place_some(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const placement *p = data;
  const pl_contact_surface *surface = &p->tracker->model->head.surface;
  const double *weights = p->tracker->model->touch.weights;
  for (int32_t i = begin; i < end; ++i) {
    pl_vec3 sum = {0, 0, 0};
    for (ptrdiff_t k = 4 * (ptrdiff_t)i; k < 4 * (ptrdiff_t)i + 4; ++k)
      sum = pl_vec3_add_scaled(sum, pl_fem_vector(p->x, surface->parents[k]), weights[k]);
    p->tracker->surface[i] = sum;
  }
}

void pl_track_place_surface(pl_tracker *t, const double *x) {
  const pl_contact_surface *surface = &t->model->head.surface;
  placement data = {t, x};
  pl_parallel_for(t->context, surface->point_count, SURFACE_GRAIN, place_some, &data);
  for (int32_t i = 0; i < surface->point_count; ++i) t->normals[i] = (pl_vec3){0, 0, 0};
  for (int32_t k = 0; k < surface->triangle_count; ++k) {
    const int32_t *c = surface->triangles + 3 * (ptrdiff_t)k;
    pl_vec3 a = t->surface[c[0]];
    pl_vec3 normal = pl_vec3_cross(pl_vec3_sub(t->surface[c[1]], a), pl_vec3_sub(t->surface[c[2]], a));
    for (int j = 0; j < 3; ++j) t->normals[c[j]] = pl_vec3_add(t->normals[c[j]], normal);
  }
  for (int32_t i = 0; i < surface->point_count; ++i)
    t->normals[i] = pl_vec3_normalize_or(t->normals[i], (pl_vec3){0, 0, 0});
}

// Whether a point that lies at `p` in the camera's axes is behind what was drawn there.
static bool is_hidden(const pl_depth_view *view, const double *depths, pl_vec3 p, double slack) {
  double u = view->cx + view->fx * p.x / p.z, v = view->cy + view->fy * p.y / p.z;
  if (!(u > -0.5 && v > -0.5 && u < view->width - 0.5 && v < view->height - 0.5)) return true;
  int32_t left = (int32_t)floor(u), top = (int32_t)floor(v);
  double farthest = 0;
  for (int32_t y = top; y <= top + 1; ++y)
    for (int32_t x = left; x <= left + 1; ++x) {
      int32_t column = x < 0              ? 0
                       : x >= view->width ? view->width - 1
                                          : x,
              row = y < 0               ? 0
                    : y >= view->height ? view->height - 1
                                        : y;
      double depth = depths[(ptrdiff_t)row * view->width + column];
      // Nothing drawn: the point lies at a rim, where the picture is too coarse to have it.
      farthest = fmax(farthest, depth < HUGE_VAL ? depth : 0);
    }
  return farthest > 0 && p.z > farthest + slack;
}

static void render_camera(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  pl_tracker *t = data;
  const pl_contact_surface *surface = &t->model->head.surface;
  for (int32_t c = begin; c < end; ++c) {
    const pl_depth_view *view = &t->views[c];
    ptrdiff_t pixel_count = (ptrdiff_t)view->width * view->height;
    for (ptrdiff_t i = 0; i < pixel_count; ++i) t->depths[c][i] = HUGE_VAL;
    pl_sensor_surface drawn = {t->surface, surface->point_count, surface->triangles, surface->triangle_count, false};
    pl_depth_draw(view, &drawn, t->seen[c], t->depths[c]);
    for (int32_t i = 0; i < surface->point_count; ++i) {
      pl_vec3 p = t->seen[c][i];
      pl_vec3 away = pl_vec3_sub(view->eye, t->surface[i]);
      double facing = pl_vec3_dot(away, t->normals[i]);
      bool faces = (t->thickness > 0 ? fabs(facing) : facing) > FLATTEST * pl_vec3_length(away);
      // A pixel's breadth on the surface, and some noise.
      double slack = SLACK_PIXELS * p.z / view->fx + SLACK_NOISE * t->def.noise;
      t->seen[c][i].x = p.z > 0 && faces && !is_hidden(view, t->depths[c], p, slack) ? 1 : 0;
    }
  }
}

void pl_track_find_visible(pl_tracker *t) {
  int32_t count = t->model->head.surface.point_count;
  pl_parallel_for(t->context, t->camera_count, 1, render_camera, t);
  for (int32_t i = 0; i < count; ++i) {
    uint64_t sight = 0;
    for (int32_t c = 0; c < t->camera_count; ++c) sight |= (uint64_t)(t->seen[c][i].x > 0) << c;
    if (t->camera_count == 0) sight = ~(uint64_t)0;
    t->sight[i] = sight;
    t->visible[i] = sight != 0;
  }
}
