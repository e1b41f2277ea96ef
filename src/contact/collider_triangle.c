// Where a triangle is deepest in a collider.
//
// The signed distance d of a convex collider is a convex function. At any place x of the triangle its gradient says on
// which side of a line through x it may be smaller: the other side is cut off. Through the centroid of what remains,
// each cut takes more than a third of it, however narrow the valley (Grünbaum 1960; the method of centers of gravity).
// Of a hollow mesh the place found is one of several minima.
//
//   (u, v)  place of the triangle: corner 0 + u (corner 1 - corner 0) + v (corner 2 - corner 0)
#include "contact/collider_triangle.h"

// Cuts; and places that a polygon may have, one more for each cut.
enum { MAX_CUTS = 32, MAX_VERTICES = MAX_CUTS + 4 };
// What remains is too small to matter, of the triangle.
static const double SMALLEST = 1e-9;

typedef struct place {
  double u, v;
} place;

typedef struct polygon {
  int count;
  place vertices[MAX_VERTICES];
} polygon;

// Twice the area, and the centroid.
static double measure(const polygon *p, place *centroid) {
  double area = 0, u = 0, v = 0;
  place first = p->vertices[0];
  for (int i = 1; i + 1 < p->count; ++i) {
    place a = p->vertices[i], b = p->vertices[i + 1];
    double part = (a.u - first.u) * (b.v - first.v) - (b.u - first.u) * (a.v - first.v);
    area += part;
    u += part * (first.u + a.u + b.u);
    v += part * (first.v + a.v + b.v);
  }
  if (area > 0) *centroid = (place){u / (3 * area), v / (3 * area)};
  return area;
}

// Keep where g_u u + g_v v is at most that of `at`.
static void cut(polygon *p, double g_u, double g_v, place at) {
  polygon kept = {.count = 0};
  for (int i = 0; i < p->count; ++i) {
    place a = p->vertices[i], b = p->vertices[(i + 1) % p->count];
    double above = g_u * (a.u - at.u) + g_v * (a.v - at.v), next = g_u * (b.u - at.u) + g_v * (b.v - at.v);
    if (above <= 0) kept.vertices[kept.count++] = a;
    if ((above < 0 && next > 0) || (above > 0 && next < 0)) {
      double t = above / (above - next);
      kept.vertices[kept.count++] = (place){a.u + t * (b.u - a.u), a.v + t * (b.v - a.v)};
    }
  }
  *p = kept;
}

double pl_collider_triangle_depth(const pl_collider *collider, pl_transform placement, const pl_vec3 corners[3],
                                  double allowed, double weights[3], pl_vec3 *normal) {
  pl_vec3 center = pl_vec3_scale(pl_vec3_add(pl_vec3_add(corners[0], corners[1]), corners[2]), 1.0 / 3);
  double radius = 0;
  for (int k = 0; k < 3; ++k) radius = fmax(radius, pl_vec3_distance(center, corners[k]));
  // The field of a mesh is right to a twentieth of a cell.
  double quick = pl_collider_quick_distance(collider, placement, center);
  if (quick > radius - allowed + collider->field.cell) return -HUGE_VAL;
  pl_vec3 along_u = pl_vec3_sub(corners[1], corners[0]), along_v = pl_vec3_sub(corners[2], corners[0]);
  polygon left = {3, {{0, 0}, {1, 0}, {0, 1}}};
  double best = HUGE_VAL;
  place at = {0, 0};
  for (int i = 0; i < MAX_CUTS && measure(&left, &at) > SMALLEST; ++i) {
    pl_vec3 gradient, x = pl_vec3_add_scaled(pl_vec3_add_scaled(corners[0], along_u, at.u), along_v, at.v);
    double distance = pl_collider_distance(collider, placement, x, &gradient);
    if (distance < best) {
      best = distance;
      *normal = gradient;
      weights[0] = 1 - at.u - at.v, weights[1] = at.u, weights[2] = at.v;
    }
    // No other place is nearer than the distance changes on the way there.
    if (i == 0 && distance > radius - allowed) return -HUGE_VAL;
    cut(&left, pl_vec3_dot(gradient, along_u), pl_vec3_dot(gradient, along_v), at);
    if (left.count < 3) break;
  }
  return -best;
}
