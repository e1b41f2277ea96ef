// Outlines of a plate. Points where a loop turns sharply are corners and stay; the lines between two corners, straight
// or curved, are cut into equal pieces of about the spacing, into more where straight pieces would cut off too much of
// a curve.
#include "mesh/plate_outline.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"

// A turn by more than this is a corner: a curve drawn by twelve points or more has none.
static const double CORNER_COSINE = 0.79;  // 38 degrees

// A piece may be this far from the outline, in spacings.
static const double TOLERANCE = 0.13;

// Pieces shorter than the spacing by more than this are never made for the sake of a curve.
static const double SHORTEST = 0.4;

// Pairs of sides are compared one by one.
enum { MAX_CORNERS = 4000, MAX_PIECES = 100000 };

static pl_plate_point corner_at(const pl_plate_loop *loop, int32_t i) {
  return (pl_plate_point){loop->corners[2 * (ptrdiff_t)i], loop->corners[2 * (ptrdiff_t)i + 1]};
}

static double distance_of(pl_plate_point a, pl_plate_point b) {
  return hypot(b.x - a.x, b.y - a.y);
}

static double turn_of(pl_plate_point a, pl_plate_point b, pl_plate_point c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static double area_of(const pl_plate_loop *loop) {
  double sum = 0;
  pl_plate_point origin = corner_at(loop, 0);
  for (int32_t i = 1; i + 1 < loop->corner_count; ++i)
    sum += 0.5 * turn_of(origin, corner_at(loop, i), corner_at(loop, i + 1));
  return sum;
}

// Loop 0 is the outline.
static const pl_plate_loop *loop_at(const pl_plate_def *def, int32_t number) {
  return number == 0 ? &def->outline : &def->holes[number - 1];
}

static bool loop_holds(const pl_plate_loop *loop, pl_plate_point p) {
  bool inside = false;
  for (int32_t i = 0, k = loop->corner_count - 1; i < loop->corner_count; k = i++) {
    pl_plate_point a = corner_at(loop, i), b = corner_at(loop, k);
    if ((a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x)) inside = !inside;
  }
  return inside;
}

bool pl_plate_holds(const pl_plate_def *def, pl_plate_point p) {
  bool inside = loop_holds(&def->outline, p);
  for (int32_t i = 0; inside && i < def->hole_count; ++i) inside = !loop_holds(&def->holes[i], p);
  return inside;
}

// --- checks -------------------------------------------------------------------------------------------------------

static const char *name_of(int32_t number, char text[32]) {
  if (number == 0) return "outline";
  snprintf(text, 32, "holes[%d]", number - 1);
  return text;
}

static pl_status check_loop(const pl_plate_def *def, int32_t number, pl_error *error) {
  char text[32];
  const pl_plate_loop *loop = loop_at(def, number);
  const char *name = name_of(number, text);
  int32_t n = loop->corner_count;
  if (n < 3)
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, name, "has %d corners; a closed line has three or more", n);
  for (int32_t i = 0; i < n; ++i) {
    pl_plate_point p = corner_at(loop, i);
    if (!(fabs(p.x) <= 1e9 && fabs(p.y) <= 1e9))
      return pl_fail_field(error, PL_ERROR_INVALID_DATA, name, "corner %d is not a place within 1e9 m", i);
  }
  for (int32_t i = 0; i < n; ++i) {
    pl_plate_point a = corner_at(loop, i), b = corner_at(loop, (i + 1) % n), c = corner_at(loop, (i + 2) % n);
    if (!(distance_of(a, b) > 0))
      return pl_fail_field(error, PL_ERROR_INVALID_DATA, name, "corners %d and %d are at the same place; remove one", i,
                           (i + 1) % n);
    double along = (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y);
    if (along < 0 && !(fabs(turn_of(a, b, c)) > 1e-9 * -along))
      return pl_fail_field(error, PL_ERROR_INVALID_DATA, name, "turns straight back at corner %d (%g, %g)", (i + 1) % n,
                           b.x, b.y);
  }
  return PL_OK;
}

bool pl_plate_sides_meet(pl_plate_point a, pl_plate_point b, pl_plate_point c, pl_plate_point d) {
  if (fmax(a.x, b.x) < fmin(c.x, d.x) || fmax(c.x, d.x) < fmin(a.x, b.x) || fmax(a.y, b.y) < fmin(c.y, d.y) ||
      fmax(c.y, d.y) < fmin(a.y, b.y))
    return false;
  double c_side = turn_of(a, b, c), d_side = turn_of(a, b, d), a_side = turn_of(c, d, a), b_side = turn_of(c, d, b);
  return !((c_side > 0 && d_side > 0) || (c_side < 0 && d_side < 0) || (a_side > 0 && b_side > 0) ||
           (a_side < 0 && b_side < 0));
}

// Every side against every later one that does not follow it.
static pl_status check_crossings(const pl_plate_def *def, int32_t first, int32_t second, pl_error *error) {
  const pl_plate_loop *f = loop_at(def, first), *s = loop_at(def, second);
  char first_name[32], second_name[32];
  for (int32_t i = 0; i < f->corner_count; ++i)
    for (int32_t k = first == second ? i + 2 : 0; k < s->corner_count; ++k) {
      if (first == second && (k + 1) % s->corner_count == i) continue;
      pl_plate_point a = corner_at(f, i), b = corner_at(f, (i + 1) % f->corner_count);
      if (!pl_plate_sides_meet(a, b, corner_at(s, k), corner_at(s, (k + 1) % s->corner_count))) continue;
      if (first == second)
        return pl_fail_field(error, PL_ERROR_INVALID_DATA, name_of(first, first_name),
                             "crosses or touches itself: side %d, from (%g, %g) to (%g, %g), and side %d", i, a.x, a.y,
                             b.x, b.y, k);
      return pl_fail_field(error, PL_ERROR_INVALID_DATA, name_of(second, second_name),
                           "crosses or touches %s: side %d and side %d", name_of(first, first_name), k, i);
    }
  return PL_OK;
}

static pl_status check_holes(const pl_plate_def *def, pl_error *error) {
  char name[32];
  for (int32_t i = 1; i <= def->hole_count; ++i) {
    pl_plate_point p = corner_at(loop_at(def, i), 0);
    if (!loop_holds(&def->outline, p))
      return pl_fail_field(error, PL_ERROR_INVALID_DATA, name_of(i, name), "lies outside the outline, at (%g, %g)", p.x,
                           p.y);
    for (int32_t k = 1; k <= def->hole_count; ++k)
      if (k != i && loop_holds(loop_at(def, k), p))
        return pl_fail_field(error, PL_ERROR_INVALID_DATA, name_of(i, name), "lies in holes[%d]", k - 1);
  }
  return PL_OK;
}

pl_status pl_plate_check(const pl_plate_def *def, pl_error *error) {
  int64_t corners = 0;
  pl_status status = PL_OK;
  for (int32_t i = 0; status >= 0 && i <= def->hole_count; ++i) {
    corners += loop_at(def, i)->corner_count;
    status = check_loop(def, i, error);
  }
  if (status >= 0 && corners > MAX_CORNERS)
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, "outline", "%lld corners are more than the %d that are allowed",
                         (long long)corners, (int)MAX_CORNERS);
  for (int32_t i = 0; i <= def->hole_count; ++i)
    for (int32_t k = i; status >= 0 && k <= def->hole_count; ++k) status = check_crossings(def, i, k, error);
  return status < 0 ? status : check_holes(def, error);
}

// --- points -------------------------------------------------------------------------------------------------------

// A loop walked with the plate on the left.
typedef struct walk {
  const pl_plate_loop *loop;
  bool backward;
  double spacing;
} walk;

static pl_plate_point step_at(const walk *w, int32_t i) {
  int32_t n = w->loop->corner_count, k = i % n;
  return corner_at(w->loop, w->backward ? n - 1 - k : k);
}

static bool is_corner(const walk *w, int32_t i) {
  int32_t n = w->loop->corner_count;
  pl_plate_point a = step_at(w, i + n - 1), b = step_at(w, i), c = step_at(w, i + 1);
  double along = (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y);
  return along < CORNER_COSINE * distance_of(a, b) * distance_of(b, c);
}

static double length_of(const walk *w, int32_t from, int32_t to) {
  double length = 0;
  for (int32_t i = from; i < to; ++i) length += distance_of(step_at(w, i), step_at(w, i + 1));
  return length;
}

// The position at a distance along the line from one step to another.
static pl_plate_point point_at(const walk *w, int32_t from, int32_t to, double along) {
  for (int32_t i = from; i < to; ++i) {
    pl_plate_point a = step_at(w, i), b = step_at(w, i + 1);
    double side = distance_of(a, b);
    if (along <= side || i + 1 == to) {
      double t = fmin(along / side, 1);
      return (pl_plate_point){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
    }
    along -= side;
  }
  return step_at(w, to);
}

static double distance_to_side(pl_plate_point p, pl_plate_point a, pl_plate_point b) {
  double x = b.x - a.x, y = b.y - a.y, square = x * x + y * y;
  double t = square > 0 ? fmin(fmax(((p.x - a.x) * x + (p.y - a.y) * y) / square, 0), 1) : 0;
  return hypot(p.x - a.x - t * x, p.y - a.y - t * y);
}

// How far the line strays from `pieces` equal pieces.
static double error_of(const walk *w, int32_t from, int32_t to, double length, int32_t pieces) {
  double worst = 0, along = 0;
  for (int32_t i = from + 1; i < to; ++i) {
    along += distance_of(step_at(w, i - 1), step_at(w, i));
    double piece = floor(along / length * pieces);
    pl_plate_point a = point_at(w, from, to, piece * length / pieces),
                   b = point_at(w, from, to, (piece + 1) * length / pieces);
    worst = fmax(worst, distance_to_side(step_at(w, i), a, b));
  }
  return worst;
}

static int32_t pieces_of(const walk *w, int32_t from, int32_t to, double length) {
  int32_t pieces = (int32_t)fmin(fmax(round(length / w->spacing), 1), MAX_PIECES);
  while (length / (pieces + 1) > SHORTEST * w->spacing && pieces < MAX_PIECES &&
         error_of(w, from, to, length, pieces) > TOLERANCE * w->spacing)
    ++pieces;
  return pieces;
}

static bool add_line(const walk *w, int32_t from, int32_t to, int32_t min, pl_vector *points) {
  double length = length_of(w, from, to);
  int32_t pieces = pieces_of(w, from, to, length);
  if (pieces < min) pieces = min;
  for (int32_t i = 0; i < pieces; ++i) {
    pl_plate_point p = point_at(w, from, to, i * length / pieces);
    if (!pl_vector_push(points, &p)) return false;
  }
  return true;
}

static bool add_loop(const walk *w, pl_vector *points, pl_vector *next) {
  int32_t n = w->loop->corner_count, start = 0, corners = 0, first_point = (int32_t)points->count;
  for (int32_t i = n - 1; i >= 0; --i)
    if (is_corner(w, i)) start = i, ++corners;
  // From corner to corner; a loop without any, or with few, still needs three points.
  int32_t min = corners >= 3 ? 1 : corners == 2 ? 2 : 3;
  for (int32_t from = start, to; from < start + n; from = to) {
    for (to = from + 1; to < start + n && !is_corner(w, to); ++to) continue;
    if (!add_line(w, from, to, min, points)) return false;
  }
  for (int32_t i = first_point; i < (int32_t)points->count; ++i) {
    int32_t follower = i + 1 < (int32_t)points->count ? i + 1 : first_point;
    if (!pl_vector_push(next, &follower)) return false;
  }
  return true;
}

bool pl_plate_resample(const pl_plate_def *def, pl_vector *points, pl_vector *next) {
  for (int32_t i = 0; i <= def->hole_count; ++i) {
    const pl_plate_loop *loop = loop_at(def, i);
    walk w = {loop, (area_of(loop) > 0) != (i == 0), def->spacing};
    if (!add_loop(&w, points, next)) return false;
  }
  return true;
}
