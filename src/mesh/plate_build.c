// Plane meshes from outlines: points on the outlines, a triangular lattice inside, a Delaunay triangulation that
// contains the outlines, and then the points and moves that well-shaped triangles need (plate_refine.c).
#include <math.h>

#include "base/arena.h"
#include "base/context.h"
#include "base/error.h"
#include "mesh/plate_refine.h"

// Lattice points stay this far from the outline, in spacings: closer ones would make thin triangles with it, and
// refinement fills the gap.
static const double MARGIN = 0.75;

// Triangles thinner than this are refused: they would decide how stiff the body is, and how small its steps.
static const double MIN_ANGLE = 12 * PL_PI / 180;

enum { MAX_POINTS = 200000, MAX_BORDER_POINTS = 20000, ROUNDS = 3 };

#define POINT(plate, i) PL_ITEM(&(plate)->points, pl_plate_point, i)
#define NEXT(plate, i) PL_ITEM(&(plate)->next, int32_t, i)

pl_plate_def pl_default_plate_def(void) {
  return (pl_plate_def){.spacing = 0.1, .magic = PL_DEF_MAGIC};
}

// --- points -------------------------------------------------------------------------------------------------------

typedef struct frame {
  double left, right, bottom, top;
} frame;

static frame frame_of(const pl_plate_def *def) {
  frame f = {HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL};
  for (int32_t i = 0; i < def->outline.corner_count; ++i) {
    const double *p = def->outline.corners + 2 * (ptrdiff_t)i;
    f = (frame){fmin(f.left, p[0]), fmax(f.right, p[0]), fmin(f.bottom, p[1]), fmax(f.top, p[1])};
  }
  return f;
}

static bool is_near_border(const pl_plate *plate, pl_plate_point p, int32_t border_count, double distance) {
  for (int32_t i = 0; i < border_count; ++i) {
    pl_plate_point a = POINT(plate, i), b = POINT(plate, NEXT(plate, i));
    double x = b.x - a.x, y = b.y - a.y, t = ((p.x - a.x) * x + (p.y - a.y) * y) / (x * x + y * y);
    t = fmin(fmax(t, 0), 1);
    if (hypot(p.x - a.x - t * x, p.y - a.y - t * y) < distance) return true;
  }
  return false;
}

// The lattice has a point in the middle of the box around the plate, and is its own mirror image there.
static bool add_lattice(pl_plate *plate, frame f) {
  const int32_t border_count = (int32_t)plate->points.count, none = -1;
  double s = plate->def->spacing, row_height = 0.8660254037844386 * s;
  double x0 = 0.5 * (f.left + f.right), y0 = 0.5 * (f.bottom + f.top);
  int64_t rows = (int64_t)(0.5 * (f.top - f.bottom) / row_height),
          columns = (int64_t)(0.5 * (f.right - f.left) / s) + 1;
  for (int64_t row = -rows; row <= rows; ++row)
    for (int64_t column = -columns; column <= columns; ++column) {
      double shift = row % 2 == 0 ? 0 : 0.5;
      pl_plate_point p = {x0 + ((double)column + shift) * s, y0 + (double)row * row_height};
      if (!pl_plate_holds(plate->def, p) || is_near_border(plate, p, border_count, MARGIN * s)) continue;
      if (!pl_vector_push(&plate->points, &p) || !pl_vector_push(&plate->next, &none)) return false;
    }
  return true;
}

// --- errors -------------------------------------------------------------------------------------------------------

static pl_status check_counts(const pl_plate_def *def, frame f, pl_error *error) {
  double length = 0, s = def->spacing, area = (f.right - f.left) * (f.top - f.bottom);
  for (int32_t k = 0; k <= def->hole_count; ++k) {
    const pl_plate_loop *loop = k == 0 ? &def->outline : &def->holes[k - 1];
    for (int32_t i = 0; i < loop->corner_count; ++i) {
      const double *a = loop->corners + 2 * (ptrdiff_t)i,
                   *b = loop->corners + 2 * (ptrdiff_t)((i + 1) % loop->corner_count);
      length += hypot(b[0] - a[0], b[1] - a[1]);
    }
  }
  if (length / s > MAX_BORDER_POINTS || area / (0.866 * s * s) > MAX_POINTS)
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, "spacing",
                         "%g m makes too many triangles of a plate %g m by %g m", s, f.right - f.left,
                         f.top - f.bottom);
  if (s > fmin(f.right - f.left, f.top - f.bottom))
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, "spacing", "%g m is wider than the plate, %g m by %g m", s,
                         f.right - f.left, f.top - f.bottom);
  return PL_OK;
}

// Straight pieces of curves may meet where the curves did not.
static pl_status check_pieces(const pl_plate *plate, pl_error *error) {
  int32_t n = (int32_t)plate->points.count;
  for (int32_t i = 0; i < n; ++i)
    for (int32_t k = i + 1; k < n; ++k) {
      if (NEXT(plate, i) == k || NEXT(plate, k) == i) continue;
      pl_plate_point a = POINT(plate, i);
      if (pl_plate_sides_meet(a, POINT(plate, NEXT(plate, i)), POINT(plate, k), POINT(plate, NEXT(plate, k))))
        return pl_fail_field(error, PL_ERROR_INVALID_DATA, "spacing", "%g m is too wide for the outline at (%g, %g)",
                             plate->def->spacing, a.x, a.y);
    }
  return PL_OK;
}

// --- result -------------------------------------------------------------------------------------------------------

// Points in a fixed order: along the outlines, then those inside.
static int32_t number_points(const pl_plate *plate, int32_t *numbers, pl_vec3 *positions) {
  int32_t count = 0, n = (int32_t)plate->points.count;
  for (int32_t i = 0; i < n; ++i) numbers[i] = -1;
  for (int32_t pass = 0; pass < 2; ++pass)
    for (int32_t i = 0; i < n; ++i) {
      if (numbers[i] >= 0 || (NEXT(plate, i) < 0) != (pass == 1)) continue;
      for (int32_t k = i; k >= 0 && numbers[k] < 0; k = NEXT(plate, k)) {
        numbers[k] = count;
        positions[count++] = (pl_vec3){POINT(plate, k).x, POINT(plate, k).y, 0};
      }
    }
  return count;
}

static pl_status make_mesh(const pl_plate *plate, pl_plate_report *report, pl_mesh **mesh, pl_error *error) {
  const pl_plane_triangle *all = plate->delaunay.triangles.items;
  int32_t triangle_count = 0, point_count = (int32_t)plate->points.count;
  pl_arena arena;
  pl_arena_init(&arena, plate->context, 0);
  int32_t *numbers = PL_TAKE(&arena, int32_t, point_count),
          *triangles = PL_TAKE(&arena, int32_t, 3 * plate->inside.count);
  pl_vec3 *positions = PL_TAKE(&arena, pl_vec3, point_count);
  pl_status status = arena.failed ? pl_fail_memory(error) : PL_OK;
  if (status >= 0) point_count = number_points(plate, numbers, positions);
  for (int32_t t = 0; status >= 0 && t < (int32_t)plate->inside.count; ++t) {
    if (!PL_ITEM(&plate->inside, bool, t)) continue;
    int32_t *corners = triangles + 3 * (ptrdiff_t)triangle_count++;
    for (int k = 0; k < 3; ++k) corners[k] = numbers[all[t].corners[k] - PL_DELAUNAY_FRAME];
    pl_vec3 a = positions[corners[0]], b = positions[corners[1]], c = positions[corners[2]];
    report->area += 0.5 * ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
  }
  for (int32_t i = 0; i < point_count; ++i) report->border_point_count += NEXT(plate, i) >= 0;
  pl_mesh_view view = {
      .point_count = point_count, .points = positions, .triangle_count = triangle_count, .triangles = triangles};
  if (status >= 0) status = pl_mesh_create(plate->context, &view, mesh, error);
  pl_arena_destroy(&arena);
  return status;
}

static pl_status fill_plate(pl_plate *plate, frame f, pl_plate_report *report, pl_mesh **mesh, pl_error *error) {
  if (!pl_plate_resample(plate->def, &plate->points, &plate->next)) return pl_fail_memory(error);
  pl_status status = check_pieces(plate, error);
  if (status < 0) return status;
  bool sound = add_lattice(plate, f) && pl_plate_triangulate(plate);
  for (int round = 0; sound && round < ROUNDS; ++round) sound = pl_plate_refine(plate) && pl_plate_smooth(plate);
  if (plate->crowded)
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, "outline",
                         "has sides so close together that no triangle fits between them");
  if (!sound) return pl_fail_memory(error);
  pl_plate_quality quality = pl_plate_evaluate(plate);
  if (!(quality.min_angle >= MIN_ANGLE))
    return pl_fail_field(
        error, PL_ERROR_INVALID_DATA, "spacing",
        "at (%g, %g) triangles have an angle of %.1f degrees: the outline is too pointed there, or has detail much "
        "finer than the spacing of %g m",
        quality.at.x, quality.at.y, quality.min_angle * (180 / PL_PI), plate->def->spacing);
  report->min_angle = quality.min_angle;
  return make_mesh(plate, report, mesh, error);
}

pl_status pl_plate_build(pl_context *context, const pl_plate_def *def, pl_mesh **mesh, pl_plate_report *report,
                         pl_error *error) {
  *mesh = NULL;
  pl_plate_report own = {0};
  pl_status status = pl_check_def(def->magic, "pl_plate_def", error);
  if (status >= 0) status = pl_check_range("spacing", def->spacing, 0, 1e9, false, error);
  if (status >= 0) status = pl_plate_check(def, error);
  if (status < 0) return status;
  frame f = frame_of(def);
  status = check_counts(def, f, error);
  if (status < 0) return status;
  // The grid of exact arithmetic spans the plate.
  pl_plate plate = {.def = def,
                    .context = context,
                    .points = pl_vector_of(context, sizeof(pl_plate_point)),
                    .next = pl_vector_of(context, sizeof(int32_t)),
                    .inside = pl_vector_of(context, sizeof(bool)),
                    .given_up = pl_vector_of(context, sizeof(int32_t)),
                    .origin = {f.left, f.bottom},
                    .scale = (double)PL_DELAUNAY_GRID / fmax(f.right - f.left, f.top - f.bottom)};
  status = fill_plate(&plate, f, &own, mesh, error);
  pl_delaunay_close(&plate.delaunay);
  pl_vector_free(&plate.points);
  pl_vector_free(&plate.next);
  pl_vector_free(&plate.inside);
  pl_vector_free(&plate.given_up);
  if (status >= 0 && report != NULL) *report = own;
  return status;
}
