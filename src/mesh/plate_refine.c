// Well-shaped triangles in a plate. Where a triangle is too large or too thin, the centre of its circle becomes a
// point, which by the nature of that circle is far from all others; where that centre comes too close to the outline,
// the outline's side is halved instead (Ruppert 1995; Chew 1989 for triangles of even size). Then points inside move to
// the middle of the triangles around them.
//
// Ruppert's proof of an end asks for corners of 60 degrees and more. Here nothing is added below a fraction of the
// spacing, so it ends for any outline; what stays thin is reported to the caller.
#include "mesh/plate_refine.h"

#include <math.h>
#include <string.h>

#include "base/context.h"

// The circle of a triangle with sides of one spacing has a radius of 0.577 spacings.
static const double MAX_RADIUS = 0.85;

// Nothing is added closer than this to other points, and no side is split into shorter ones, in spacings.
static const double CLOSEST = 0.36;

// A radius of this many shortest sides goes with an angle of 25 degrees.
static const double WORST_RATIO = 1.18;

enum { SMOOTHING_ROUNDS = 12 };

#define POINT(plate, i) PL_ITEM(&(plate)->points, pl_plate_point, i)
#define NEXT(plate, i) PL_ITEM(&(plate)->next, int32_t, i)
#define TRIANGLE(plate, t) PL_ITEM(&(plate)->delaunay.triangles, pl_plane_triangle, t)

static double distance_of(pl_plate_point a, pl_plate_point b) {
  return hypot(b.x - a.x, b.y - a.y);
}

// --- triangulation ------------------------------------------------------------------------------------------------

static pl_grid_point grid_of(const pl_plate *plate, pl_plate_point p) {
  return (pl_grid_point){llround((p.x - plate->origin.x) * plate->scale),
                         llround((p.y - plate->origin.y) * plate->scale)};
}

// Put point `number` of the plate into the triangulation.
static bool insert(pl_plate *plate, int32_t number, pl_plate_point p) {
  int32_t there = pl_delaunay_insert(&plate->delaunay, grid_of(plate, p));
  plate->crowded |= there >= 0 && there != number + PL_DELAUNAY_FRAME;
  return there == number + PL_DELAUNAY_FRAME;
}

bool pl_plate_triangulate(pl_plate *plate) {
  pl_delaunay_close(&plate->delaunay);
  if (!pl_delaunay_open(&plate->delaunay, plate->context)) return false;
  for (int32_t i = 0; i < (int32_t)plate->points.count; ++i)
    if (!insert(plate, i, POINT(plate, i))) return false;
  return true;
}

static bool add_point(pl_plate *plate, pl_plate_point p, int32_t next) {
  return insert(plate, (int32_t)plate->points.count, p) && pl_vector_push(&plate->points, &p) &&
         pl_vector_push(&plate->next, &next);
}

static bool split_side(pl_plate *plate, int32_t from) {
  int32_t to = NEXT(plate, from), middle = (int32_t)plate->points.count;
  pl_plate_point a = POINT(plate, from), b = POINT(plate, to);
  if (!add_point(plate, (pl_plate_point){0.5 * (a.x + b.x), 0.5 * (a.y + b.y)}, to)) return false;
  NEXT(plate, from) = middle;
  return true;
}

static bool is_border(const pl_plate *plate, int32_t a, int32_t b) {
  a -= PL_DELAUNAY_FRAME;
  b -= PL_DELAUNAY_FRAME;
  return a >= 0 && b >= 0 && (NEXT(plate, a) == b || NEXT(plate, b) == a);
}

// Triangles to the left of the outlines belong to the plate, and all that can be reached from them without crossing an
// outline.
static bool find_inside(pl_plate *plate) {
  pl_vector *inside = &plate->inside, queue = pl_vector_of(plate->context, sizeof(int32_t));
  inside->count = 0;
  bool sound = pl_vector_grow(inside, plate->delaunay.triangles.count) != NULL;
  for (int32_t i = 0; sound && i < (int32_t)plate->points.count; ++i) {
    if (NEXT(plate, i) < 0) continue;
    int32_t t = pl_delaunay_find_side(&plate->delaunay, i + PL_DELAUNAY_FRAME, NEXT(plate, i) + PL_DELAUNAY_FRAME);
    if (t < 0 || PL_ITEM(inside, bool, t)) continue;
    PL_ITEM(inside, bool, t) = true;
    sound = pl_vector_push(&queue, &t);
  }
  for (size_t i = 0; sound && i < queue.count; ++i) {
    const pl_plane_triangle *t = &TRIANGLE(plate, PL_ITEM(&queue, int32_t, i));
    for (int k = 0; sound && k < 3; ++k) {
      int32_t beyond = t->neighbours[k];
      if (beyond < 0 || PL_ITEM(inside, bool, beyond)) continue;
      if (is_border(plate, t->corners[(k + 1) % 3], t->corners[(k + 2) % 3])) continue;
      PL_ITEM(inside, bool, beyond) = true;
      sound = pl_vector_push(&queue, &beyond);
    }
  }
  pl_vector_free(&queue);
  return sound;
}

bool pl_plate_conform(pl_plate *plate) {
  bool again = true;
  while (again) {
    again = false;
    for (int32_t i = 0; i < (int32_t)plate->points.count; ++i) {
      if (NEXT(plate, i) < 0) continue;
      if (pl_delaunay_find_side(&plate->delaunay, i + PL_DELAUNAY_FRAME, NEXT(plate, i) + PL_DELAUNAY_FRAME) >= 0)
        continue;
      if (!split_side(plate, i)) return false;
      again = true;
    }
  }
  return find_inside(plate);
}

// --- shape of triangles -------------------------------------------------------------------------------------------

typedef struct shape {
  pl_plate_point center;  // of its circle
  double radius, shortest, area;
} shape;

static shape shape_of(const pl_plate *plate, const pl_plane_triangle *t) {
  pl_plate_point a = POINT(plate, t->corners[0] - PL_DELAUNAY_FRAME),
                 b = POINT(plate, t->corners[1] - PL_DELAUNAY_FRAME),
                 c = POINT(plate, t->corners[2] - PL_DELAUNAY_FRAME);
  double bx = b.x - a.x, by = b.y - a.y, cx = c.x - a.x, cy = c.y - a.y, twice = bx * cy - by * cx;
  double b2 = bx * bx + by * by, c2 = cx * cx + cy * cy;
  double x = (cy * b2 - by * c2) / (2 * twice), y = (bx * c2 - cx * b2) / (2 * twice);
  return (shape){{a.x + x, a.y + y}, hypot(x, y), fmin(sqrt(fmin(b2, c2)), distance_of(b, c)), 0.5 * twice};
}

pl_plate_quality pl_plate_evaluate(const pl_plate *plate) {
  pl_plate_quality quality = {.min_angle = HUGE_VAL};
  for (int32_t t = 0; t < (int32_t)plate->inside.count; ++t) {
    if (!PL_ITEM(&plate->inside, bool, t)) continue;
    shape s = shape_of(plate, &TRIANGLE(plate, t));
    double angle = s.area > 0 ? asin(fmin(0.5 * s.shortest / s.radius, 1)) : 0;
    if (!(angle < quality.min_angle)) continue;
    quality = (pl_plate_quality){angle, POINT(plate, TRIANGLE(plate, t).corners[0] - PL_DELAUNAY_FRAME)};
  }
  return quality;
}

// --- refinement ---------------------------------------------------------------------------------------------------

// The triangle that needs a point most: too large before too thin. -1 for none.
static int32_t find_worst(const pl_plate *plate, shape *worst) {
  int32_t found = -1;
  double max = 0;
  for (int32_t t = 0; t < (int32_t)plate->inside.count; ++t) {
    const pl_plane_triangle *at = &TRIANGLE(plate, t);
    if (!PL_ITEM(&plate->inside, bool, t)) continue;
    if (t < (int32_t)plate->given_up.count && PL_ITEM(&plate->given_up, int32_t, t) == at->mark) continue;
    shape s = shape_of(plate, at);
    double size = s.radius / (MAX_RADIUS * plate->def->spacing), thin = s.radius / (WORST_RATIO * s.shortest);
    double score = size > 1 ? 1000 + size : thin > 1 ? fmin(thin, 1000) : 0;
    if (!(score > max)) continue;
    max = score;
    found = t;
    *worst = s;
  }
  return found;
}

// The outline's side whose circle (with the side as diameter) holds p deepest, or -1.
static int32_t find_crowded(const pl_plate *plate, pl_plate_point p) {
  int32_t found = -1;
  double deepest = 0;
  for (int32_t i = 0; i < (int32_t)plate->points.count; ++i) {
    if (NEXT(plate, i) < 0) continue;
    pl_plate_point a = POINT(plate, i), b = POINT(plate, NEXT(plate, i));
    double depth = (p.x - a.x) * (b.x - p.x) + (p.y - a.y) * (b.y - p.y);
    if (!(depth > deepest)) continue;
    deepest = depth;
    found = i;
  }
  return found;
}

static bool give_up(pl_plate *plate, int32_t t) {
  int32_t missing = (int32_t)plate->delaunay.triangles.count - (int32_t)plate->given_up.count;
  if (missing > 0) {
    int32_t *fresh = pl_vector_grow(&plate->given_up, (size_t)missing);
    if (fresh == NULL) return false;
    for (int32_t i = 0; i < missing; ++i) fresh[i] = -1;
  }
  PL_ITEM(&plate->given_up, int32_t, t) = TRIANGLE(plate, t).mark;
  return true;
}

bool pl_plate_refine(pl_plate *plate) {
  double closest = CLOSEST * plate->def->spacing;
  plate->given_up.count = 0;
  if (!pl_plate_conform(plate)) return false;
  shape worst = {0};
  for (int32_t t; (t = find_worst(plate, &worst)) >= 0;) {
    int32_t side = find_crowded(plate, worst.center);
    bool added = false;
    if (side >= 0) {
      added = distance_of(POINT(plate, side), POINT(plate, NEXT(plate, side))) > 2 * closest;
      if (added && !split_side(plate, side)) return false;
    } else if (worst.radius > closest && pl_plate_holds(plate->def, worst.center)) {
      added = true;
      if (!add_point(plate, worst.center, -1)) return false;
    }
    if (added ? !pl_plate_conform(plate) : !give_up(plate, t)) return false;
  }
  return true;
}

// --- smoothing ----------------------------------------------------------------------------------------------------

// Each point inside goes to the mean of the middles of its triangles, by area.
static void move_points(pl_plate *plate, const pl_plate_point *from, pl_plate_point *sums, double *weights) {
  int32_t n = (int32_t)plate->points.count;
  memset(sums, 0, (size_t)n * sizeof *sums);
  memset(weights, 0, (size_t)n * sizeof *weights);
  for (int32_t t = 0; t < (int32_t)plate->inside.count; ++t) {
    if (!PL_ITEM(&plate->inside, bool, t)) continue;
    int32_t c[3];
    for (int k = 0; k < 3; ++k) c[k] = TRIANGLE(plate, t).corners[k] - PL_DELAUNAY_FRAME;
    pl_plate_point middle = {(from[c[0]].x + from[c[1]].x + from[c[2]].x) / 3,
                             (from[c[0]].y + from[c[1]].y + from[c[2]].y) / 3};
    double area = shape_of(plate, &TRIANGLE(plate, t)).area;
    for (int k = 0; k < 3; ++k) {
      sums[c[k]].x += area * middle.x;
      sums[c[k]].y += area * middle.y;
      weights[c[k]] += area;
    }
  }
  for (int32_t i = 0; i < n; ++i)
    if (NEXT(plate, i) < 0 && weights[i] > 0)
      POINT(plate, i) = (pl_plate_point){sums[i].x / weights[i], sums[i].y / weights[i]};
}

bool pl_plate_smooth(pl_plate *plate) {
  size_t n = plate->points.count;
  pl_plate_point *best = pl_allocate_array(plate->context, n, sizeof *best),
                 *from = pl_allocate_array(plate->context, n, sizeof *from),
                 *sums = pl_allocate_array(plate->context, n, sizeof *sums);
  double *weights = pl_allocate_array(plate->context, n, sizeof *weights);
  bool sound = best != NULL && from != NULL && sums != NULL && weights != NULL;
  double min = sound ? pl_plate_evaluate(plate).min_angle : 0;
  if (sound) memcpy(best, plate->points.items, n * sizeof *best);
  for (int round = 0; sound && round < SMOOTHING_ROUNDS; ++round) {
    memcpy(from, plate->points.items, n * sizeof *from);
    move_points(plate, from, sums, weights);
    sound = pl_plate_triangulate(plate) && pl_plate_conform(plate);
    // A side of the outline that had to be split: points came too close to it.
    if (!sound || plate->points.count != n) break;
    double angle = pl_plate_evaluate(plate).min_angle;
    if (angle < min - 1e-3) continue;
    min = fmax(angle, min);
    memcpy(best, plate->points.items, n * sizeof *best);
  }
  if (sound && plate->points.count == n) {
    memcpy(plate->points.items, best, n * sizeof *best);
    sound = pl_plate_triangulate(plate) && pl_plate_conform(plate);
  }
  pl_release(plate->context, weights);
  pl_release(plate->context, sums);
  pl_release(plate->context, from);
  pl_release(plate->context, best);
  return sound;
}
