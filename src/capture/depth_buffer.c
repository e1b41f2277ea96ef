// Triangles into a z-buffer.
//
// A plane in space is linear in 1/z on the picture, so the reciprocal depth is interpolated from pixel to pixel and
// compared. A pixel belongs to a triangle when its centre lies inside or on the rim; pixels on a rim that two triangles
// share are drawn twice, which changes nothing. Triangles that come nearer than 1 cm are left out instead of cut: no
// sensor sees that near.
#include "capture/depth_buffer.h"

#include <math.h>

#include "pliant/math.h"

#define NEAREST 0.01  // metres

pl_depth_view pl_depth_view_of(const pl_capture_camera *camera, int32_t shrink) {
  // The middle of the first shrunk pixel lies at (shrink - 1) / 2 of the whole picture.
  double factor = 1.0 / shrink, shift = 0.5 * (shrink - 1);
  return (pl_depth_view){.turn = pl_mat3_transpose(pl_mat3_from_quat(camera->placement.rotation)),
                         .eye = camera->placement.position,
                         .fx = camera->fx * factor,
                         .fy = camera->fy * factor,
                         .cx = (camera->cx - shift) * factor,
                         .cy = (camera->cy - shift) * factor,
                         .width = (camera->width + shrink - 1) / shrink,
                         .height = (camera->height + shrink - 1) / shrink};
}

typedef struct corner {
  double u, v, w;  // pixels, and 1/z
} corner;

static int32_t clamp_pixel(double value, int32_t limit) {
  return value < 0 ? 0 : value > limit ? limit : (int32_t)value;
}

static void draw_triangle(const pl_depth_view *view, const corner *a, const corner *b, const corner *c,
                          double *depths) {
  double area = (b->u - a->u) * (c->v - a->v) - (b->v - a->v) * (c->u - a->u);
  if (!(fabs(area) > 1e-12)) return;  // square pixels: seen edge-on, or too small to cover a pixel's centre
  double left = fmin(a->u, fmin(b->u, c->u)), right = fmax(a->u, fmax(b->u, c->u));
  double top = fmin(a->v, fmin(b->v, c->v)), bottom = fmax(a->v, fmax(b->v, c->v));
  if (!(right >= 0 && bottom >= 0 && left <= view->width - 1 && top <= view->height - 1)) return;
  int32_t first_u = clamp_pixel(ceil(left), view->width), last_u = clamp_pixel(floor(right), view->width - 1);
  int32_t first_v = clamp_pixel(ceil(top), view->height), last_v = clamp_pixel(floor(bottom), view->height - 1);
  double inverse = 1.0 / area;
  // Barycentric coordinates of b and c, and with them 1/z, change by a constant from one pixel to the next.
  double beta_u = (c->v - a->v) * inverse, gamma_u = -(b->v - a->v) * inverse;
  for (int32_t v = first_v; v <= last_v; ++v) {
    double *row = depths + (ptrdiff_t)v * view->width;
    for (int32_t u = first_u; u <= last_u; ++u) {
      double x = u - a->u, y = v - a->v;
      double beta = x * beta_u - y * (c->u - a->u) * inverse, gamma = x * gamma_u + y * (b->u - a->u) * inverse;
      if (beta < 0 || gamma < 0 || beta + gamma > 1) continue;
      double depth = 1.0 / (a->w + beta * (b->w - a->w) + gamma * (c->w - a->w));
      if (depth < row[u]) row[u] = depth;
    }
  }
}

void pl_depth_draw(const pl_depth_view *view, const pl_sensor_surface *surface, pl_vec3 *seen, double *depths) {
  for (int32_t i = 0; i < surface->point_count; ++i) seen[i] = pl_depth_see(view, surface->points[i]);
  for (int32_t t = 0; t < surface->triangle_count; ++t) {
    const int32_t *index = surface->triangles + 3 * (ptrdiff_t)t;
    corner corners[3];
    bool good = true;
    for (int k = 0; k < 3; ++k) {
      pl_vec3 p = seen[index[k]];
      good = good && p.z >= NEAREST && pl_vec3_is_finite(p);
      double w = good ? 1.0 / p.z : 0;
      corners[k] = (corner){view->cx + view->fx * p.x * w, view->cy + view->fy * p.y * w, w};
    }
    if (good) draw_triangle(view, &corners[0], &corners[1], &corners[2], depths);
  }
}
