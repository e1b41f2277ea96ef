// Tets on a lattice around a surface.
//
// A tet is kept when the surface touches it, so that the tets enclose the surface, or when it lies inside. Untouched
// tets are inside or outside as a whole, decided by the generalized winding number (Jacobson et al. 2013) at their
// corners: near small holes it still shows which side of the missing piece a point is on. Cost: a few box tests per
// triangle and tet, and one winding number per lattice point.
//
// For a target count the cell size comes from the model
//
//   points(h) = 2 V / h^3 + c A / h^2
//
//   V, A   volume and area of the surface
//   c      layer of cells around it, measured in each attempt
//
// which is close enough for two or three attempts.
#include <float.h>

#include "base/context.h"
#include "base/error.h"
#include "base/parallel.h"
#include "mesh/lattice_cells.h"
#include "mesh/mesh_parameters.h"
#include "mesh/topology.h"

enum { SIZING_ROUNDS = 10 };

pl_lattice_def pl_default_lattice_def(void) {
  pl_lattice_def def = {0};
  pl_parameters_set_defaults(&pl_lattice_def_parameters, &def);
  return def;
}

// What all attempts share.
typedef struct job {
  pl_context *context;
  const pl_lattice_def *def;
  pl_mesh_view surface;
  const pl_triangle_tree *tree;
  pl_box box;
  double volume, area;
  int32_t hole_edge_count;
} job;

typedef struct attempt {
  pl_arena arena;
  pl_lattice lattice;
  double *windings;  // per lattice point, 0 where not needed
  int32_t *asked;    // lattice points whose winding number matters
  int32_t asked_count;
  int32_t inside_count;  // tets kept though untouched
  int32_t point_count;   // of the tets kept
  const job *job;
} attempt;

// The tets kept, as a mesh has them.
typedef struct tet_list {
  int32_t point_count, tet_count;
  int32_t *numbers;  // in the lattice
  int32_t *corners;  // 4 per tet, points numbered in the order of the lattice
  pl_vec3 *points;
} tet_list;

static void measure_surface(job *j) {
  const pl_mesh_view *s = &j->surface;
  pl_vec3 center = pl_box_center(j->box);
  for (int32_t i = 0; i < s->triangle_count; ++i) {
    const int32_t *t = &s->triangles[3 * (size_t)i];
    pl_vec3 a = pl_vec3_sub(s->points[t[0]], center), b = pl_vec3_sub(s->points[t[1]], center),
            c = pl_vec3_sub(s->points[t[2]], center);
    j->area += 0.5 * pl_vec3_length(pl_vec3_cross(pl_vec3_sub(b, a), pl_vec3_sub(c, a)));
    j->volume += pl_vec3_dot(a, pl_vec3_cross(b, c)) / 6;
  }
  j->volume = fmax(j->volume, 0);
}

// Edges of one triangle only, points at the same position taken as one.
static bool count_hole_edges(job *j) {
  const pl_mesh_view *s = &j->surface;
  pl_arena arena;
  pl_arena_init(&arena, j->context, 0);
  int32_t *first = NULL, *order = NULL, count = 3 * s->triangle_count;
  int32_t *ends = PL_TAKE(&arena, int32_t, 2 * (size_t)count);
  bool good = ends != NULL && pl_points_weld(&arena, s->points, s->point_count, &first);
  for (int32_t i = 0; good && i < count; ++i) {
    int32_t a = first[s->triangles[i]], b = first[s->triangles[i % 3 == 2 ? i - 2 : i + 1]];
    ends[2 * (size_t)i] = a < b ? a : b;
    ends[2 * (size_t)i + 1] = a < b ? b : a;
  }
  good = good && pl_tuples_sort(&arena, ends, count, 2, s->point_count, &order);
  for (int32_t i = 0, next; good && i < count; i = next) {
    const int32_t *edge = &ends[2 * (size_t)order[i]];
    for (next = i + 1; next < count; ++next) {
      const int32_t *other = &ends[2 * (size_t)order[next]];
      if (other[0] != edge[0] || other[1] != edge[1]) break;
    }
    if (next == i + 1 && edge[0] != edge[1]) j->hole_edge_count++;
  }
  pl_arena_destroy(&arena);
  return good;
}

static void find_windings(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const attempt *a = data;
  for (int32_t i = begin; i < end; ++i) {
    int32_t point = a->asked[i];
    a->windings[point] = pl_triangle_tree_winding(a->job->tree, pl_lattice_point(&a->lattice, point));
  }
}

static bool is_in_box(pl_box box, pl_vec3 p) {
  return pl_box_overlaps(box, (pl_box){p, p});
}

// Ask for the winding number of every corner of an untouched tet, unless it lies outside the surface's box.
static bool ask_windings(attempt *a) {
  int32_t position_count = 2 * a->lattice.cell_count, tet_count = PL_LATTICE_TETS * a->lattice.cell_count, corners[4];
  bool *wanted = PL_TAKE(&a->arena, bool, position_count);
  a->asked = PL_TAKE(&a->arena, int32_t, position_count);
  a->windings = PL_TAKE(&a->arena, double, position_count);
  if (a->arena.failed) return false;
  for (int32_t t = 0; t < tet_count; ++t)
    if (!a->lattice.touched[t] && pl_lattice_tet(&a->lattice, t, corners))
      for (int k = 0; k < 4; ++k) wanted[corners[k]] = true;
  for (int32_t p = 0; p < position_count; ++p)
    if (wanted[p] && is_in_box(a->job->box, pl_lattice_point(&a->lattice, p))) a->asked[a->asked_count++] = p;
  return true;
}

static bool keep_tets(attempt *a) {
  int32_t tet_count = PL_LATTICE_TETS * a->lattice.cell_count, corners[4];
  bool *used = PL_TAKE(&a->arena, bool, 2 * (size_t)a->lattice.cell_count);
  if (used == NULL) return false;
  for (int32_t t = 0; t < tet_count; ++t) {
    if (!pl_lattice_tet(&a->lattice, t, corners)) continue;
    bool touched = a->lattice.touched[t];
    double sum = 0;
    for (int k = 0; k < 4 && !touched; ++k) sum += a->windings[corners[k]];
    a->lattice.kept[t] = touched || sum > 2;
    if (!a->lattice.kept[t]) continue;
    a->inside_count += !touched;
    for (int k = 0; k < 4; ++k) used[corners[k]] = true;
  }
  for (int32_t p = 0; p < 2 * a->lattice.cell_count; ++p) a->point_count += used[p];
  return true;
}

static pl_status try_size(attempt *a, const job *j, double cell_size, pl_error *error) {
  *a = (attempt){.job = j};
  pl_arena_init(&a->arena, j->context, 0);
  pl_status status = pl_lattice_lay(&a->lattice, &a->arena, j->box, cell_size, j->def->margin, error);
  if (status != PL_OK) return status;
  pl_lattice_touch(&a->lattice, &j->surface, j->def->margin);
  if (!ask_windings(a)) return pl_fail_memory(error);
  pl_parallel_for(j->context, a->asked_count, 64, find_windings, a);
  return keep_tets(a) ? PL_OK : pl_fail_memory(error);
}

// The cell size at which the model has `target` points.
static double solve_model(const job *j, double layer, double target, double max) {
  double low = 1e-6 * max, high = max;
  for (int round = 0; round < 60; ++round) {
    double h = sqrt(low * high), count = (2 * j->volume / h + layer * j->area) / (h * h);
    if (count > target)
      low = h;
    else
      high = h;
  }
  return high;
}

static pl_status try_target(attempt *a, const job *j, pl_error *error) {
  double target = j->def->target_point_count, max = 2 * pl_box_diagonal(j->box);
  double layer = 2, h = solve_model(j, layer, target, max), best_size = h, best_off = HUGE_VAL;
  // Sizes known to give too many and too few points: a guess beyond them is replaced by their mean.
  double too_small = 0, too_large = HUGE_VAL;
  // Small pieces far apart would ask for a huge lattice that is empty almost everywhere.
  double max_cells = fmin(fmax(200 * target, 1 << 18), 1 << 23);
  for (int round = 0; round < SIZING_ROUNDS; ++round) {
    double fitting = pl_lattice_fitting_size(j->box, h, j->def->margin, max_cells);
    bool limited = fitting > h;
    h = fitting;
    pl_status status = try_size(a, j, h, error);
    if (status != PL_OK) return status;
    double off = fabs(log(a->point_count / target));
    if (off < 0.08 || (round > 4 && off < 0.15)) return PL_OK;
    if (limited && a->point_count < target) {
      pl_log(j->context, PL_SEVERITY_WARNING,
             "lattice: %d points instead of %d, as the surface fills too little of its box", a->point_count,
             j->def->target_point_count);
      return PL_OK;
    }
    if (off < best_off) {
      best_off = off;
      best_size = h;
    }
    if (a->point_count > target)
      too_small = fmax(too_small, h);
    else
      too_large = fmin(too_large, h);
    layer = fmax((a->point_count * h - 2 * j->volume / h / h) * h / fmax(j->area, DBL_MIN), 0.1);
    double guess = solve_model(j, layer, target, max);
    if (!(guess > too_small && guess < too_large)) guess = too_large < max ? sqrt(too_small * too_large) : 1.3 * h;
    h = guess > 0 ? guess : 0.5 * h;
    pl_arena_destroy(&a->arena);
  }
  return try_size(a, j, best_size, error);
}

static bool list_tets(attempt *a, tet_list *list) {
  const pl_lattice *l = &a->lattice;
  int32_t tet_count = PL_LATTICE_TETS * l->cell_count, position_count = 2 * l->cell_count;
  *list = (tet_list){0};
  for (int32_t t = 0; t < tet_count; ++t) list->tet_count += l->kept[t];
  int32_t *number_of = PL_TAKE(&a->arena, int32_t, position_count);
  list->numbers = PL_TAKE(&a->arena, int32_t, list->tet_count);
  list->corners = PL_TAKE(&a->arena, int32_t, 4 * (size_t)list->tet_count);
  list->points = PL_TAKE(&a->arena, pl_vec3, a->point_count);
  if (a->arena.failed) return false;
  for (int32_t t = 0, n = 0; t < tet_count; ++t) {
    if (!l->kept[t]) continue;
    int32_t *corners = &list->corners[4 * (size_t)n];
    pl_lattice_tet(l, t, corners);
    for (int k = 0; k < 4; ++k) number_of[corners[k]] = 1;
    list->numbers[n++] = t;
  }
  for (int32_t p = 0; p < position_count; ++p) {
    if (number_of[p] == 0) continue;
    list->points[list->point_count] = pl_lattice_point(l, p);
    number_of[p] = list->point_count++;
  }
  for (int32_t i = 0; i < 4 * list->tet_count; ++i) list->corners[i] = number_of[list->corners[i]];
  return true;
}

// Visit the piece (tets joined by faces) of `seed`; true if the surface touches it.
static bool visit_piece(const attempt *a, const tet_list *list, const int32_t *neighbours, int32_t seed, int32_t *stack,
                        bool *seen, int32_t *piece_count) {
  bool touched = false;
  int32_t count = 1;
  stack[0] = seed;
  seen[seed] = true;
  for (int32_t i = 0; i < count; ++i) {
    touched = touched || a->lattice.touched[list->numbers[stack[i]]];
    for (int k = 0; k < 4; ++k) {
      int32_t next = neighbours[4 * (size_t)stack[i] + (size_t)k];
      if (next < 0 || seen[next]) continue;
      seen[next] = true;
      stack[count++] = next;
    }
  }
  *piece_count = count;
  return touched;
}

// Take away pieces that hold no surface: near holes the winding number may leave crumbs.
static bool drop_crumbs(attempt *a, tet_list *list) {
  int32_t *neighbours, *stack = PL_TAKE(&a->arena, int32_t, list->tet_count), piece_count;
  bool *seen = PL_TAKE(&a->arena, bool, list->tet_count), dropped = false;
  pl_elements elements = {list->corners, list->tet_count, 4};
  if (a->arena.failed || !pl_neighbours_find(&a->arena, elements, list->point_count, &neighbours)) return false;
  for (int32_t t = 0; t < list->tet_count; ++t) {
    if (seen[t] || visit_piece(a, list, neighbours, t, stack, seen, &piece_count)) continue;
    for (int32_t i = 0; i < piece_count; ++i) a->lattice.kept[list->numbers[stack[i]]] = false;
    dropped = true;
  }
  return !dropped || list_tets(a, list);
}

// 1 for a regular tet, 0 for a flat one: 12 (3 V)^(2/3) / sum of squared edges.
static double tet_quality(const pl_vec3 p[4], double *volume) {
  double squares = 0;
  for (int i = 0; i < 4; ++i)
    for (int k = i + 1; k < 4; ++k) {
      pl_vec3 edge = pl_vec3_sub(p[k], p[i]);
      squares += pl_vec3_dot(edge, edge);
    }
  *volume = pl_vec3_dot(pl_vec3_cross(pl_vec3_sub(p[1], p[0]), pl_vec3_sub(p[2], p[0])), pl_vec3_sub(p[3], p[0])) / 6;
  return squares > 0 && *volume > 0 ? 12 * pow(3 * *volume, 2.0 / 3.0) / squares : 0;
}

static double enclosed_fraction(const attempt *a) {
  const pl_mesh_view *s = &a->job->surface;
  int64_t inside = 0;
  for (int32_t i = 0; i < 3 * s->triangle_count; ++i) {
    int32_t tet = pl_lattice_locate(&a->lattice, s->points[s->triangles[i]]);
    inside += tet >= 0 && a->lattice.kept[tet];
  }
  return (double)inside / (3.0 * s->triangle_count);
}

static void fill_report(const attempt *a, const tet_list *list, pl_lattice_report *report) {
  *report = (pl_lattice_report){.cell_size = a->lattice.cell_size,
                                .enclosed_fraction = enclosed_fraction(a),
                                .min_quality = 1,
                                .hole_edge_count = a->job->hole_edge_count};
  for (int32_t t = 0; t < list->tet_count; ++t) {
    pl_vec3 p[4];
    double volume;
    for (int k = 0; k < 4; ++k) p[k] = list->points[list->corners[4 * (size_t)t + (size_t)k]];
    report->min_quality = fmin(report->min_quality, tet_quality(p, &volume));
    report->volume += volume;
  }
}

// A closed surface thinner than the tets encloses something though no whole tet is inside. An open one must show a
// place that it winds around: behind a flat sheet the winding number is at most one half.
static bool encloses_something(const attempt *a) {
  if (a->inside_count > 0 || a->job->hole_edge_count == 0) return true;
  int32_t corners[4];
  for (int32_t t = 0; t < PL_LATTICE_TETS * a->lattice.cell_count; ++t) {
    if (!a->lattice.kept[t] || !pl_lattice_tet(&a->lattice, t, corners)) continue;
    pl_vec3 center = {0, 0, 0};
    for (int k = 0; k < 4; ++k) center = pl_vec3_add_scaled(center, pl_lattice_point(&a->lattice, corners[k]), 0.25);
    if (pl_triangle_tree_winding(a->job->tree, center) > 0.55) return true;
  }
  return false;
}

static pl_status build(const job *j, attempt *a, pl_mesh **tets, pl_lattice_report *report, pl_error *error) {
  pl_status status = j->def->cell_size > 0 ? try_size(a, j, j->def->cell_size, error) : try_target(a, j, error);
  if (status != PL_OK) return status;
  if (!encloses_something(a))
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "the surface is an open sheet and encloses nothing (%d open edges); close it, or use it as a shell",
                   j->hole_edge_count);
  tet_list list;
  if (!list_tets(a, &list) || !drop_crumbs(a, &list)) return pl_fail_memory(error);
  pl_mesh_view view = {
      .point_count = list.point_count, .points = list.points, .tet_count = list.tet_count, .tets = list.corners};
  status = pl_mesh_create(j->context, &view, tets, error);
  if (status == PL_OK && report != NULL) fill_report(a, &list, report);
  return status;
}

static pl_status check_def(const pl_lattice_def *def, const pl_mesh_view *surface, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_lattice_def_parameters, def, error);
  if (status != PL_OK) return status;
  if (surface->triangle_count == 0) return pl_fail(error, PL_ERROR_INVALID_DATA, "the surface has no triangles");
  return PL_OK;
}

static pl_box triangles_box(const pl_mesh_view *surface) {
  pl_box box = pl_box_empty();
  for (int32_t i = 0; i < 3 * surface->triangle_count; ++i)
    box = pl_box_add_point(box, surface->points[surface->triangles[i]]);
  return box;
}

pl_status pl_lattice_build(pl_context *context, const pl_lattice_def *def, const pl_mesh *surface, pl_mesh **tets,
                           pl_lattice_report *report, pl_error *error) {
  *tets = NULL;
  job j = {.context = context, .def = def, .surface = pl_mesh_get_view(surface)};
  pl_status status = check_def(def, &j.surface, error);
  if (status != PL_OK) return status;
  j.box = triangles_box(&j.surface);
  measure_surface(&j);
  if (!(j.area > 0) || !isfinite(j.area)) return pl_fail(error, PL_ERROR_INVALID_DATA, "the surface has no area");
  if (!count_hole_edges(&j)) return pl_fail_memory(error);
  pl_triangle_tree *tree;
  status = pl_triangle_tree_build(context, surface, &tree, error);
  if (status != PL_OK) return status;
  j.tree = tree;
  attempt a = {.job = &j};
  pl_arena_init(&a.arena, context, 0);
  status = build(&j, &a, tets, report, error);
  pl_arena_destroy(&a.arena);
  pl_triangle_tree_destroy(tree);
  return status;
}
