// Bowyer and Watson's insertion: the triangles whose circles hold the new point are taken out, and the hole is filled
// by triangles from the new point to its rim.
//
// With exact arithmetic no case is special. A point on a side is strictly inside the circles of both triangles there,
// so both go. A point on a circle leaves its triangle alone. A side of the rim cannot be in line with the point, or the
// triangle inside it would not have gone. The frame is so far away that it decides nothing about sides whose circle
// (with the side as diameter) is empty, and these are what an outline is made of in the end.
#include "mesh/plate_delaunay.h"

// Products of four coordinates of the grid, relative to a point: 4 * 30 bits and some.
__extension__ typedef __int128 wide;

#define TRIANGLES(d) ((pl_plane_triangle *)(d)->triangles.items)
#define POINTS(d) ((pl_grid_point *)(d)->points.items)

static int turn_of(pl_grid_point a, pl_grid_point b, pl_grid_point c) {
  int64_t cross = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  return (cross > 0) - (cross < 0);
}

// Whether p is strictly inside the circle through a, b, c, which are counter-clockwise.
static bool is_in_circle(pl_grid_point a, pl_grid_point b, pl_grid_point c, pl_grid_point p) {
  int64_t ax = a.x - p.x, ay = a.y - p.y, bx = b.x - p.x, by = b.y - p.y, cx = c.x - p.x, cy = c.y - p.y;
  wide sum = (wide)(ax * ax + ay * ay) * (bx * cy - by * cx);
  sum += (wide)(bx * bx + by * by) * (cx * ay - cy * ax);
  sum += (wide)(cx * cx + cy * cy) * (ax * by - ay * bx);
  return sum > 0;
}

bool pl_delaunay_open(pl_delaunay *d, pl_context *context) {
  const int64_t far = PL_DELAUNAY_GRID * 4;
  const pl_grid_point frame[PL_DELAUNAY_FRAME] = {{-far, -far}, {far * 2, -far}, {-far, far * 2}};
  const pl_plane_triangle first = {{0, 1, 2}, {-1, -1, -1}, 0};
  const int32_t zero = 0;
  *d = (pl_delaunay){.points = pl_vector_of(context, sizeof(pl_grid_point)),
                     .triangles = pl_vector_of(context, sizeof(pl_plane_triangle)),
                     .triangle_of_point = pl_vector_of(context, sizeof(int32_t)),
                     .cavity = pl_vector_of(context, sizeof(int32_t)),
                     .rim = pl_vector_of(context, 3 * sizeof(int32_t))};
  bool sound = pl_vector_push(&d->triangles, &first);
  for (int i = 0; sound && i < PL_DELAUNAY_FRAME; ++i)
    sound = pl_vector_push(&d->points, &frame[i]) && pl_vector_push(&d->triangle_of_point, &zero);
  return sound;
}

void pl_delaunay_close(pl_delaunay *d) {
  pl_vector_free(&d->points);
  pl_vector_free(&d->triangles);
  pl_vector_free(&d->triangle_of_point);
  pl_vector_free(&d->cavity);
  pl_vector_free(&d->rim);
}

// Walk towards p: through any side that has it on the other hand. In a Delaunay triangulation such a walk never comes
// back.
static int32_t find_triangle(const pl_delaunay *d, pl_grid_point p) {
  const pl_grid_point *points = POINTS(d);
  int32_t t = d->last;
  for (;;) {
    const pl_plane_triangle *at = &TRIANGLES(d)[t];
    int k = 0;
    while (k < 3 && turn_of(points[at->corners[(k + 1) % 3]], points[at->corners[(k + 2) % 3]], p) >= 0) ++k;
    if (k == 3) return t;
    t = at->neighbours[k];
  }
}

// A side of the rim: the point it starts at, the one it ends at, and the triangle beyond.
typedef struct rim_side {
  int32_t from, to, beyond;
} rim_side;

// Take out all triangles whose circles hold p, from the one it is in outwards, and list the sides around them.
static bool dig(pl_delaunay *d, int32_t first, pl_grid_point p) {
  d->cavity.count = d->rim.count = 0;
  TRIANGLES(d)[first].mark = d->insertion;
  if (!pl_vector_push(&d->cavity, &first)) return false;
  for (size_t i = 0; i < d->cavity.count; ++i) {
    const pl_plane_triangle *t = &TRIANGLES(d)[PL_ITEM(&d->cavity, int32_t, i)];
    for (int k = 0; k < 3; ++k) {
      int32_t next = t->neighbours[k];
      if (next >= 0) {
        pl_plane_triangle *beyond = &TRIANGLES(d)[next];
        if (beyond->mark == d->insertion) continue;
        const int32_t *c = beyond->corners;
        if (is_in_circle(POINTS(d)[c[0]], POINTS(d)[c[1]], POINTS(d)[c[2]], p)) {
          beyond->mark = d->insertion;
          if (!pl_vector_push(&d->cavity, &next)) return false;
          continue;
        }
      }
      const rim_side side = {t->corners[(k + 1) % 3], t->corners[(k + 2) % 3], next};
      if (!pl_vector_push(&d->rim, &side)) return false;
    }
  }
  return true;
}

// Makes space for one triangle per side of the rim, which are two more than the cavity had triangles.
static bool reserve_memory(pl_delaunay *d) {
  while (d->cavity.count < d->rim.count) {
    int32_t fresh = (int32_t)d->triangles.count;
    if (pl_vector_grow(&d->triangles, 1) == NULL || !pl_vector_push(&d->cavity, &fresh)) return false;
  }
  return true;
}

// One triangle from the point to each side of the rim. Their common sides meet at the rim's points, of which each has
// one triangle before and one after it.
static void fill(pl_delaunay *d, int32_t point) {
  const rim_side *rim = d->rim.items;
  const int32_t *slots = d->cavity.items;
  int32_t *triangle_of_point = d->triangle_of_point.items;
  for (size_t i = 0; i < d->rim.count; ++i) {
    pl_plane_triangle *t = &TRIANGLES(d)[slots[i]];
    *t = (pl_plane_triangle){{rim[i].from, rim[i].to, point}, {-1, -1, rim[i].beyond}, d->insertion};
    triangle_of_point[rim[i].from] = slots[i];  // read below: the triangle that starts there
    if (rim[i].beyond < 0) continue;
    pl_plane_triangle *beyond = &TRIANGLES(d)[rim[i].beyond];
    for (int k = 0; k < 3; ++k)
      if (beyond->corners[(k + 1) % 3] == rim[i].to && beyond->corners[(k + 2) % 3] == rim[i].from)
        beyond->neighbours[k] = slots[i];
  }
  for (size_t i = 0; i < d->rim.count; ++i) {
    int32_t next = triangle_of_point[rim[i].to];
    TRIANGLES(d)[slots[i]].neighbours[0] = next;
    TRIANGLES(d)[next].neighbours[1] = slots[i];
  }
  triangle_of_point[point] = d->last = slots[0];
}

int32_t pl_delaunay_insert(pl_delaunay *d, pl_grid_point p) {
  int32_t first = find_triangle(d, p), point = (int32_t)d->points.count;
  for (int k = 0; k < 3; ++k) {
    int32_t corner = TRIANGLES(d)[first].corners[k];
    if (POINTS(d)[corner].x == p.x && POINTS(d)[corner].y == p.y) return corner;
  }
  d->insertion++;
  if (!dig(d, first, p) || !reserve_memory(d) || !pl_vector_push(&d->points, &p) ||
      !pl_vector_push(&d->triangle_of_point, &first))
    return -1;
  fill(d, point);
  return point;
}

int32_t pl_delaunay_find_side(const pl_delaunay *d, int32_t a, int32_t b) {
  int32_t first = PL_ITEM(&d->triangle_of_point, int32_t, a), t = first;
  do {
    const pl_plane_triangle *at = &TRIANGLES(d)[t];
    int k = at->corners[0] == a ? 0 : at->corners[1] == a ? 1 : 2;
    if (at->corners[(k + 1) % 3] == b) return t;
    t = at->neighbours[(k + 1) % 3];  // across the side from the third corner to a
  } while (t != first && t >= 0);
  return -1;
}
