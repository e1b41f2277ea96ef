// Control points of Young's modulus and their weights in every tet (paper 002, section 6.2).
//
// Harmonic weights are those of a network of springs: every edge of the mesh conducts in proportion to the volume
// around it and to 1 / length², which is the Laplace equation up to the shape of the tets and always has weights
// between 0 and 1 that sum to 1. A single point of a solid has no influence on a harmonic function as the mesh gets
// finer, so a control point holds all mesh points within a quarter of its distance to the nearest other one.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "capture/fit_parameters.h"
#include "capture/fit_parts.h"
#include "pliant/fit.h"
#include "pliant/math.h"
#include "sparse/sparse_conjugate.h"

struct pl_field {
  pl_arena arena;
  pl_field_view view;
};

// A control point holds all points within this fraction of the way to the next: a single point of a solid has no
// harmonic influence.
static const double HELD_AROUND = 0.25;
// Weights are wanted to ten digits; those that are off by more than WEIGHTLESS would be seen in moduli, and smaller
// ones count as none.
static const double SOLVED = 1e-10, WEIGHTLESS = 1e-6;
enum { SOLVE_LIMIT = 10000 };

typedef struct field_work {
  pl_context *context;
  const pl_field_def *def;
  pl_mesh_view mesh;
  pl_vec3 axis;  // unit
  pl_vec3 *controls;
  double *point_weights;  // control_count per mesh point
} field_work;

static int32_t nearest_point(const field_work *w, pl_vec3 to) {
  int32_t best = 0;
  for (int32_t i = 1; i < w->mesh.point_count; ++i)
    if (pl_vec3_length(pl_vec3_sub(w->mesh.points[i], to)) < pl_vec3_length(pl_vec3_sub(w->mesh.points[best], to)))
      best = i;
  return best;
}

static pl_vec3 middle_of(const field_work *w) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t i = 0; i < w->mesh.point_count; ++i) sum = pl_vec3_add(sum, w->mesh.points[i]);
  return pl_vec3_scale(sum, 1.0 / w->mesh.point_count);
}

static void choose_axis(field_work *w) {
  pl_box box = pl_box_from_points(w->mesh.points, w->mesh.point_count);
  pl_vec3 size = pl_vec3_sub(box.max, box.min);
  w->axis = w->def->axis;
  if (!(pl_vec3_length(w->axis) > 0)) {
    w->axis = (pl_vec3){1, 0, 0};
    if (size.y > size.x && size.y >= size.z) w->axis = (pl_vec3){0, 1, 0};
    if (size.z > size.x && size.z > size.y) w->axis = (pl_vec3){0, 0, 1};
  }
  w->axis = pl_vec3_scale(w->axis, 1 / pl_vec3_length(w->axis));
}

static void place_along_axis(field_work *w) {
  double min = HUGE_VAL, max = -HUGE_VAL;
  for (int32_t i = 0; i < w->mesh.point_count; ++i) {
    double along = pl_vec3_dot(w->mesh.points[i], w->axis);
    min = fmin(min, along);
    max = fmax(max, along);
  }
  pl_vec3 middle = middle_of(w);
  pl_vec3 base = pl_vec3_sub(middle, pl_vec3_scale(w->axis, pl_vec3_dot(middle, w->axis)));
  int32_t count = w->def->control_count;
  for (int32_t k = 0; k < count; ++k) {
    double along = count > 1 ? min + (max - min) * k / (count - 1) : 0.5 * (min + max);
    w->controls[k] = pl_vec3_add(base, pl_vec3_scale(w->axis, along));
  }
}

static void place_farthest(field_work *w) {
  pl_vec3 middle = middle_of(w);
  for (int32_t k = 0; k < w->def->control_count; ++k) {
    int32_t best = 0;
    double farthest = -1;
    for (int32_t i = 0; i < w->mesh.point_count; ++i) {
      double near = k == 0 ? pl_vec3_length(pl_vec3_sub(w->mesh.points[i], middle)) : HUGE_VAL;
      for (int32_t j = 0; j < k; ++j) near = fmin(near, pl_vec3_length(pl_vec3_sub(w->mesh.points[i], w->controls[j])));
      if (near > farthest) farthest = near, best = i;
    }
    w->controls[k] = w->mesh.points[best];
  }
}

// --- weights ------------------------------------------------------------------------------------------------------

// Linearly between the neighbours along the axis; controls may come in any order.
static void blend_linearly(field_work *w) {
  int32_t count = w->def->control_count;
  for (int32_t i = 0; i < w->mesh.point_count; ++i) {
    double at = pl_vec3_dot(w->mesh.points[i], w->axis), below = -HUGE_VAL, above = HUGE_VAL;
    int32_t lower = -1, upper = -1;
    for (int32_t k = 0; k < count; ++k) {
      double along = pl_vec3_dot(w->controls[k], w->axis);
      if (along <= at && along > below) below = along, lower = k;
      if (along > at && along < above) above = along, upper = k;
    }
    double *row = w->point_weights + (ptrdiff_t)i * count;
    double fraction = lower < 0 ? 1 : upper < 0 ? 0 : (at - below) / (above - below);
    if (lower >= 0) row[lower] = 1 - fraction;
    if (upper >= 0) row[upper] = fraction;
  }
}

// Which control point holds each mesh point, -1: none.
static pl_status hold_points(const field_work *w, int32_t *holder, pl_error *error) {
  int32_t count = w->def->control_count;
  for (int32_t i = 0; i < w->mesh.point_count; ++i) holder[i] = -1;
  for (int32_t k = 0; k < count; ++k) {
    double near = HUGE_VAL;
    for (int32_t j = 0; j < count; ++j)
      if (j != k) near = fmin(near, pl_vec3_length(pl_vec3_sub(w->controls[j], w->controls[k])));
    for (int32_t i = 0; i < w->mesh.point_count; ++i)
      if (pl_vec3_length(pl_vec3_sub(w->mesh.points[i], w->controls[k])) < HELD_AROUND * near) holder[i] = k;
  }
  for (int32_t k = 0; k < count; ++k) {
    int32_t own = nearest_point(w, w->controls[k]);
    for (int32_t j = 0; j < k; ++j)
      if (nearest_point(w, w->controls[j]) == own)
        return pl_fail(error, PL_ERROR_INVALID_DATA, "control points %d and %d are nearest to the same mesh point", j,
                       k);
    holder[own] = k;
  }
  return PL_OK;
}

static void add_edges(const field_work *w, pl_sparse *a) {
  static const int edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  for (int32_t t = 0; t < w->mesh.tet_count; ++t) {
    const int32_t *c = w->mesh.tets + 4 * (ptrdiff_t)t;
    pl_vec3 o = w->mesh.points[c[0]], e1 = pl_vec3_sub(w->mesh.points[c[1]], o),
            e2 = pl_vec3_sub(w->mesh.points[c[2]], o);
    double volume = fabs(pl_vec3_dot(e1, pl_vec3_cross(e2, pl_vec3_sub(w->mesh.points[c[3]], o))));
    for (int k = 0; k < 6; ++k) {
      int32_t i = c[edges[k][0]], j = c[edges[k][1]];
      pl_vec3 way = pl_vec3_sub(w->mesh.points[i], w->mesh.points[j]);
      double value = volume / fmax(pl_vec3_dot(way, way), 1e-300);
      a->values[a->diagonal[i]] += value;
      a->values[a->diagonal[j]] += value;
      for (int32_t p = a->start[i]; p < a->start[i + 1]; ++p)
        if (a->columns[p] == j) a->values[p] -= value;
      for (int32_t p = a->start[j]; p < a->start[j + 1]; ++p)
        if (a->columns[p] == i) a->values[p] -= value;
    }
  }
}

// Held rows become those of the identity; what they bring to the others goes to the right-hand sides, three control
// points in each.
static void hold_rows(pl_sparse *a, const int32_t *holder, pl_vec3 *rhs) {
  for (int32_t i = 0; i < a->row_count; ++i)
    for (int32_t p = a->start[i]; p < a->start[i + 1]; ++p) {
      int32_t j = a->columns[p];
      if (holder[i] < 0 && holder[j] >= 0)
        (&rhs[(ptrdiff_t)(holder[j] / 3) * a->row_count + i].x)[holder[j] % 3] -= a->values[p];
      if (holder[i] >= 0 || holder[j] >= 0) a->values[p] = i == j ? 1 : 0;
    }
  for (int32_t i = 0; i < a->row_count; ++i)
    if (holder[i] >= 0) (&rhs[(ptrdiff_t)(holder[i] / 3) * a->row_count + i].x)[holder[i] % 3] = 1;
}

static pl_status blend_harmonically(field_work *w, pl_arena *arena, pl_error *error) {
  int32_t count = w->def->control_count, points = w->mesh.point_count, triples = (count + 2) / 3;
  int32_t *holder = PL_TAKE(arena, int32_t, points);
  pl_vec3 *rhs = PL_TAKE(arena, pl_vec3, (size_t)triples * (size_t)points), *x = PL_TAKE(arena, pl_vec3, points);
  pl_sparse a;
  pl_conjugate_work work;
  if (arena->failed || !pl_sparse_create(arena, w->mesh.tets, w->mesh.tet_count, 4, points, &a) ||
      !pl_conjugate_work_take(arena, points, &work))
    return pl_fail_memory(error);
  pl_status status = hold_points(w, holder, error);
  if (status < 0) return status;
  add_edges(w, &a);
  hold_rows(&a, holder, rhs);
  pl_conjugate_limits limits = {.tolerance = SOLVED, .max_iterations = SOLVE_LIMIT};
  for (int32_t k = 0; k < triples; ++k) {
    memset(x, 0, (size_t)points * sizeof *x);
    pl_conjugate_report report = pl_conjugate_solve(w->context, &a, rhs + (ptrdiff_t)k * points, &limits, &work, x);
    if (!report.converged && report.residual > WEIGHTLESS) status = PL_REMARK_NOT_CONVERGED;
    for (int32_t i = 0; i < points; ++i)
      for (int32_t j = 3 * k; j < 3 * k + 3 && j < count; ++j)
        w->point_weights[(ptrdiff_t)i * count + j] = fmin(fmax((&x[i].x)[j - 3 * k], 0), 1);
  }
  return status;
}

// Weights of tets from those of their corners. A piece of the body without a control point goes with the nearest one.
static void average(const field_work *w, double *tet_weights) {
  int32_t count = w->def->control_count;
  for (int32_t t = 0; t < w->mesh.tet_count; ++t) {
    double *row = tet_weights + (ptrdiff_t)t * count, sum = 0;
    pl_vec3 middle = {0, 0, 0};
    for (int a = 0; a < 4; ++a) {
      int32_t point = w->mesh.tets[4 * (ptrdiff_t)t + a];
      middle = pl_vec3_add(middle, pl_vec3_scale(w->mesh.points[point], 0.25));
      for (int32_t k = 0; k < count; ++k) row[k] += w->point_weights[(ptrdiff_t)point * count + k];
    }
    for (int32_t k = 0; k < count; ++k) sum += row[k];
    int32_t near = 0;
    for (int32_t k = 1; sum < WEIGHTLESS && k < count; ++k)
      if (pl_vec3_length(pl_vec3_sub(w->controls[k], middle)) < pl_vec3_length(pl_vec3_sub(w->controls[near], middle)))
        near = k;
    if (sum < WEIGHTLESS) row[near] = sum = 1;
    for (int32_t k = 0; k < count; ++k) row[k] /= sum;
  }
}

// --- the field ----------------------------------------------------------------------------------------------------

static pl_status check_def(const pl_field_def *def, const pl_mesh_view *mesh, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_field_def_parameters, def, error);
  if (status < 0) return status;
  if (def->placement == PL_FIELD_UNIFORM && def->control_count != 1)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "control_count", "is %d; a uniform field has 1",
                         def->control_count);
  if (mesh->tet_count < 1) return pl_fail(error, PL_ERROR_INVALID_DATA, "the mesh has no tets");
  if (def->placement == PL_FIELD_GIVEN && def->points == NULL)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "points", "places are to be given, and there are none");
  for (int32_t k = 0; def->placement == PL_FIELD_GIVEN && k < def->control_count; ++k)
    if (!pl_vec3_is_finite(def->points[k]))
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "points", "%d is not finite", k);
  return PL_OK;
}

static pl_status place_and_blend(field_work *w, pl_arena *arena, pl_field *field, pl_error *error) {
  const pl_field_def *def = w->def;
  double *tet_weights = PL_TAKE(&field->arena, double, (size_t)def->control_count *(size_t)w->mesh.tet_count);
  w->controls = PL_TAKE(&field->arena, pl_vec3, def->control_count);
  w->point_weights = PL_TAKE(arena, double, (size_t)def->control_count *(size_t)w->mesh.point_count);
  if (arena->failed || field->arena.failed) return pl_fail_memory(error);
  choose_axis(w);
  if (def->placement == PL_FIELD_GIVEN)
    memcpy(w->controls, def->points, (size_t)def->control_count * sizeof *def->points);
  else if (def->placement == PL_FIELD_FARTHEST)
    place_farthest(w);
  else
    place_along_axis(w);
  pl_status status = PL_OK;
  if (def->control_count > 1 && def->blend == PL_FIELD_HARMONIC)
    status = blend_harmonically(w, arena, error);
  else
    blend_linearly(w);
  if (status < 0) return status;
  average(w, tet_weights);
  field->view = (pl_field_view){def->control_count, w->mesh.tet_count, w->controls, tet_weights};
  return status;
}

pl_status pl_field_build(pl_context *context, const pl_field_def *def, const pl_mesh *mesh, pl_field **field,
                         pl_error *error) {
  *field = NULL;
  field_work w = {.context = context, .def = def, .mesh = pl_mesh_get_view(mesh)};
  pl_status status = check_def(def, &w.mesh, error);
  if (status < 0) return status;
  pl_arena arena, own;
  pl_arena_init(&own, context, 0);
  pl_arena_init(&arena, context, 0);
  pl_field *made = PL_TAKE(&own, pl_field, 1);
  if (made == NULL) return pl_fail_memory(error);
  made->arena = own;
  status = place_and_blend(&w, &arena, made, error);
  pl_arena_destroy(&arena);
  if (status < 0) {
    pl_field_destroy(made);
    return status;
  }
  *field = made;
  return status;
}

pl_status pl_field_split(pl_context *context, const pl_field *field, int32_t parts, pl_field **split, pl_error *error) {
  *split = NULL;
  pl_arena own;
  pl_arena_init(&own, context, 0);
  pl_field *made = PL_TAKE(&own, pl_field, 1);
  if (made == NULL) return pl_fail_memory(error);
  made->arena = own;
  made->view = field->view;
  size_t controls = (size_t)field->view.control_count, tets = (size_t)field->view.tet_count;
  double *weights = PL_TAKE(&made->arena, double, controls *tets *(size_t)parts);
  made->view.points = pl_arena_copy(&made->arena, field->view.points, field->view.points != NULL ? controls : 0,
                                    sizeof *field->view.points);
  if (made->arena.failed) {
    pl_field_destroy(made);
    return pl_fail_memory(error);
  }
  for (size_t t = 0; t < tets * (size_t)parts; ++t)
    memcpy(weights + t * controls, field->view.weights + t / (size_t)parts * controls, controls * sizeof(double));
  made->view.tet_count = field->view.tet_count * parts;
  made->view.weights = weights;
  *split = made;
  return PL_OK;
}

pl_field_view pl_field_get_view(const pl_field *field) {
  return field->view;
}

void pl_field_destroy(pl_field *field) {
  if (field == NULL) return;
  pl_arena arena = field->arena;
  pl_arena_destroy(&arena);
}
