// Harmonic coordinates of points in a cage: solve for the nodes of a grid, three cage vertices at a time, read off the
// values at the points, and keep what is large enough.
//
// At the nodes and between them the weights have all their properties up to the tolerance of the solves (see
// harmonic_grid.c for why). Leaving out small weights would spoil them, so the others of the point are corrected:
// weight k is multiplied by 1 + a + b . (c_k - p), with a and b such that the sum is 1 and the mean of the cage's
// vertices c is the point p. That is the smallest relative change that does so. Close to a face, the vertices that are
// left may lie in a plane which does not hold the point; no correction exists then and the small weights stay.
#include "mesh/harmonic_weights.h"

#include <math.h>

#include "base/arena.h"
#include "base/error.h"
#include "mesh/harmonic_grid.h"
#include "pliant/math.h"
#include "sparse/sparse_conjugate.h"

enum { NODES_IN_SPACE = 20000, NODES_IN_PLANE = 10000 };

static const double SMALL = 1e-6;        // weights to leave out where a correction makes up for them
static const double NOTHING = 1e-9;      // weights to leave out anyhow, among them those below 0 by rounding
static const double ON_THE_CAGE = 1e-9;  // as a fraction of the cage's size
static const double TOLERANCE = 1e-12, DOUBTFUL = 1e-8;  // of the residual
static const double EXACT = 1e-9;  // of a correction: sum, and mean as a fraction of the cage's size

struct pl_harmonic_weights {
  pl_arena arena;
  int32_t point_count, cage_point_count;
  int32_t *start, *columns;
  double *values;
};

typedef struct entry {
  int32_t point, column;
  double value;
} entry;

typedef struct build {
  pl_context *context;
  pl_arena arena;  // of the grid and the solves
  pl_harmonic_cage cage;
  pl_harmonic_grid grid;
  const pl_vec3 *points;
  int32_t point_count;
  pl_vector terms;      // pl_harmonic_term, of all points one after the other
  int32_t *term_start;  // point_count + 1
  pl_vector entries;    // entry, by column, then by point
  pl_harmonic_report report;
} build;

static pl_status gather_point(build *b, int32_t i, pl_error *error) {
  pl_vec3 p = b->points[i];
  if (!pl_vec3_is_finite(p)) return pl_fail(error, PL_ERROR_INVALID_DATA, "point %d is not finite", i);
  if (b->cage.dimension == 2 && fabs(p.z - b->cage.box.min.z) > ON_THE_CAGE * b->cage.size)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "point %d at (%g, %g, %g) is not in the plane of the cage, z = %g", i,
                   p.x, p.y, p.z, b->cage.box.min.z);
  pl_cage_position near = pl_harmonic_cage_nearest(&b->cage, p);
  if (near.distance > ON_THE_CAGE * b->cage.size) {
    if (!pl_harmonic_cage_holds(&b->cage, p))
      return pl_fail(error, PL_ERROR_INVALID_DATA,
                     "the cage does not enclose point %d at (%g, %g, %g), which is %g m outside: make the cage larger",
                     i, p.x, p.y, p.z, near.distance);
    return pl_harmonic_grid_gather(&b->grid, p, &b->terms) ? PL_OK : pl_fail_memory(error);
  }
  for (int32_t k = 0; k < 3; ++k) {
    const pl_harmonic_term term = {-1, near.vertices[k], near.weights[k]};
    if (term.weight > 0 && !pl_vector_push(&b->terms, &term)) return pl_fail_memory(error);
  }
  return PL_OK;
}

static pl_status gather_points(build *b, pl_error *error) {
  b->term_start = PL_TAKE(&b->arena, int32_t, (size_t)b->point_count + 1);
  if (b->term_start == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < b->point_count; ++i) {
    pl_status status = gather_point(b, i, error);
    if (status < 0) return status;
    if (b->terms.count > INT32_MAX / 2)
      return pl_fail(error, PL_ERROR_UNSUPPORTED, "%d points are too many", b->point_count);
    b->term_start[i + 1] = (int32_t)b->terms.count;
  }
  return PL_OK;
}

static void add_to(pl_vec3 *sum, int32_t column, double value) {
  if (column == 0) sum->x += value;
  if (column == 1) sum->y += value;
  if (column == 2) sum->z += value;
}

// Entries of cage vertices first .. first + 2 from the values at the nodes.
static bool read_off(build *b, int32_t first, const pl_vec3 *values) {
  for (int32_t i = 0; i < b->point_count; ++i) {
    pl_vec3 sum = {0, 0, 0};
    for (int32_t t = b->term_start[i]; t < b->term_start[i + 1]; ++t) {
      const pl_harmonic_term *term = &PL_ITEM(&b->terms, pl_harmonic_term, t);
      if (term->row >= 0)
        sum = pl_vec3_add_scaled(sum, values[term->row], term->weight);
      else
        add_to(&sum, term->vertex - first, term->weight);
    }
    const double weights[3] = {sum.x, sum.y, sum.z};
    for (int32_t k = 0; k < 3; ++k) {
      const entry one = {i, first + k, weights[k]};
      if (weights[k] > NOTHING && !pl_vector_push(&b->entries, &one)) return false;
    }
  }
  return true;
}

static pl_status solve_columns(build *b, pl_error *error) {
  int32_t row_count = b->grid.row_count;
  pl_vec3 *rhs = PL_TAKE(&b->arena, pl_vec3, row_count), *values = PL_TAKE(&b->arena, pl_vec3, row_count);
  pl_conjugate_work work = {0};
  if (!pl_conjugate_work_take(&b->arena, row_count, &work)) return pl_fail_memory(error);
  const int32_t *counts = b->grid.counts;
  const pl_conjugate_limits limits = {.tolerance = TOLERANCE,
                                      .max_iterations = 1000 + 10 * (counts[0] + counts[1] + counts[2])};
  for (int32_t first = 0; first < b->cage.view.point_count; first += 3) {
    for (int32_t row = 0; row < row_count; ++row) rhs[row] = values[row] = (pl_vec3){0, 0, 0};
    for (size_t i = 0; i < b->grid.pulls.count; ++i) {
      const pl_harmonic_pull *one = &PL_ITEM(&b->grid.pulls, pl_harmonic_pull, i);
      add_to(&rhs[one->row], one->vertex - first, one->coefficient);
    }
    if (row_count > 0) {
      pl_conjugate_report solved = pl_conjugate_solve(b->context, &b->grid.matrix, rhs, &limits, &work, values);
      if (solved.iteration_count > b->report.max_iterations) b->report.max_iterations = solved.iteration_count;
      b->report.worst_residual = fmax(b->report.worst_residual, solved.residual);
    }
    if (!read_off(b, first, values)) return pl_fail_memory(error);
  }
  return PL_OK;
}

// What is missing from the sum, and from the mean as a fraction of the size.
static void find_defect(const build *b, pl_vec3 p, const int32_t *columns, const double *values, int32_t count,
                        double defect[4]) {
  pl_vec3 away = {0, 0, 0};
  double sum = 0;
  for (int32_t k = 0; k < count; ++k) {
    sum += values[k];
    away = pl_vec3_add_scaled(away, pl_vec3_sub(b->cage.view.points[columns[k]], p), values[k] / b->cage.size);
  }
  defect[0] = 1 - sum;
  defect[1] = -away.x;
  defect[2] = -away.y;
  defect[3] = -away.z;
}

// Solve the symmetric non-negative 4 x 4 equations m x = x in place, leaving out directions in which m is nothing.
static void solve_moments(double m[4][4], double x[4]) {
  bool used[4];
  for (int32_t i = 0; i < 4; ++i) {
    used[i] = m[i][i] > 1e-13;
    for (int32_t j = i + 1; used[i] && j < 4; ++j) {
      double factor = m[j][i] / m[i][i];
      for (int32_t k = i; k < 4; ++k) m[j][k] -= factor * m[i][k];
      x[j] -= factor * x[i];
    }
  }
  for (int32_t i = 3; i >= 0; --i) {
    for (int32_t k = i + 1; used[i] && k < 4; ++k) x[i] -= m[i][k] * x[k];
    x[i] = used[i] ? x[i] / m[i][i] : 0;
  }
}

// Correct the weights of a point; false, with weights that are of no use, when a small change does not do.
static bool correct(const build *b, pl_vec3 p, const int32_t *columns, double *values, int32_t count) {
  for (int32_t round = 0; round < 3; ++round) {
    double defect[4], m[4][4] = {{0}};
    find_defect(b, p, columns, values, count, defect);
    double worst = fmax(fmax(fabs(defect[0]), fabs(defect[1])), fmax(fabs(defect[2]), fabs(defect[3])));
    if (worst <= 1e-15) return true;
    if (round == 2) return worst <= EXACT;
    for (int32_t pass = 0; pass < 2; ++pass) {
      for (int32_t k = 0; k < count; ++k) {
        pl_vec3 arm = pl_vec3_scale(pl_vec3_sub(b->cage.view.points[columns[k]], p), 1 / b->cage.size);
        const double base[4] = {1, arm.x, arm.y, arm.z};
        double change = 0;
        for (int32_t i = 0; i < 4; ++i) {
          for (int32_t j = 0; pass == 0 && j < 4; ++j) m[i][j] += values[k] * base[i] * base[j];
          change += defect[i] * base[i];
        }
        if (pass == 0) continue;
        if (!(fabs(change) < 0.1)) return false;
        values[k] *= 1 + change;
      }
      if (pass == 0) solve_moments(m, defect);
    }
  }
  return true;
}

// Weights of a point, corrected, to `kept_columns` and `kept`, without those up to `min`; how many, or -1.
static int32_t keep(const build *b, pl_vec3 p, const int32_t *columns, const double *values, int32_t count, double min,
                    int32_t *kept_columns, double *kept) {
  int32_t kept_count = 0;
  for (int32_t k = 0; k < count; ++k) {
    if (!(values[k] > min)) continue;
    kept_columns[kept_count] = columns[k];
    kept[kept_count++] = values[k];
  }
  return correct(b, p, kept_columns, kept, kept_count) ? kept_count : -1;
}

// Where not even all weights can be corrected, they are made to sum to 1.
static int32_t keep_all(const int32_t *columns, const double *values, int32_t count, int32_t *kept_columns,
                        double *kept) {
  double sum = 0;
  for (int32_t k = 0; k < count; ++k) sum += values[k];
  for (int32_t k = 0; k < count; ++k) {
    kept_columns[k] = columns[k];
    kept[k] = values[k] / sum;
  }
  return count;
}

// Entries to rows, each corrected, one after the other without gaps.
static bool make_rows(build *b, pl_harmonic_weights *weights) {
  size_t count = b->entries.count;
  int32_t *start = PL_TAKE(&b->arena, int32_t, (size_t)b->point_count + 2),
          *columns = PL_TAKE(&b->arena, int32_t, count);
  double *values = PL_TAKE(&b->arena, double, count);
  weights->start = PL_TAKE(&weights->arena, int32_t, (size_t)b->point_count + 1);
  weights->columns = PL_TAKE(&weights->arena, int32_t, count);
  weights->values = PL_TAKE(&weights->arena, double, count);
  if (b->arena.failed || weights->arena.failed) return false;
  for (size_t i = 0; i < count; ++i) start[PL_ITEM(&b->entries, entry, i).point + 2]++;
  for (int32_t i = 1; i <= b->point_count; ++i) start[i + 1] += start[i];
  for (size_t i = 0; i < count; ++i) {
    const entry *one = &PL_ITEM(&b->entries, entry, i);
    int32_t slot = start[one->point + 1]++;
    columns[slot] = one->column;
    values[slot] = one->value;
  }
  for (int32_t i = 0; i < b->point_count; ++i) {
    int32_t from = start[i], width = start[i + 1] - from, to = weights->start[i];
    int32_t *kept_columns = &weights->columns[to];
    double *kept = &weights->values[to], defect[4];
    int32_t kept_count = keep(b, b->points[i], &columns[from], &values[from], width, SMALL, kept_columns, kept);
    if (kept_count < 0)
      kept_count = keep(b, b->points[i], &columns[from], &values[from], width, NOTHING, kept_columns, kept);
    if (kept_count < 0) kept_count = keep_all(&columns[from], &values[from], width, kept_columns, kept);
    weights->start[i + 1] = to + kept_count;
    find_defect(b, b->points[i], kept_columns, kept, kept_count, defect);
    double away = pl_vec3_length(pl_vec3_of(defect[1], defect[2], defect[3]));
    b->report.max_linear_error = fmax(b->report.max_linear_error, away);
  }
  return true;
}

static pl_status run_build(build *b, const pl_mesh *cage, int32_t node_count, pl_harmonic_weights *weights,
                           pl_error *error) {
  pl_status status = pl_harmonic_cage_open(b->context, cage, &b->cage, error);
  if (status < 0) return status;
  if (node_count == 0) node_count = b->cage.dimension == 2 ? NODES_IN_PLANE : NODES_IN_SPACE;
  status = pl_harmonic_grid_build(&b->grid, &b->arena, &b->cage, node_count, error);
  if (status < 0) return status;
  b->report.node_count = b->grid.row_count;
  status = gather_points(b, error);
  if (status < 0) return status;
  status = solve_columns(b, error);
  if (status < 0) return status;
  weights->point_count = b->point_count;
  weights->cage_point_count = b->cage.view.point_count;
  if (b->entries.count > INT32_MAX)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "%d points in a cage of %d are too many", b->point_count,
                   weights->cage_point_count);
  if (!make_rows(b, weights)) return pl_fail_memory(error);
  bool is_doubtful = b->report.worst_residual > DOUBTFUL || b->report.max_linear_error > SMALL;
  return is_doubtful ? PL_REMARK_NOT_CONVERGED : PL_OK;
}

pl_status pl_harmonic_build(pl_context *context, const pl_mesh *cage, const pl_vec3 *points, int32_t point_count,
                            int32_t node_count, pl_harmonic_weights **weights, pl_harmonic_report *report,
                            pl_error *error) {
  *weights = NULL;
  if (point_count < 0 || node_count < 0)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "counts of points and nodes must not be negative");
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_harmonic_weights *made = PL_TAKE(&arena, pl_harmonic_weights, 1);
  if (made == NULL) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  made->arena = arena;
  build b = {.context = context, .points = points, .point_count = point_count};
  pl_arena_init(&b.arena, context, 0);
  b.grid.pulls = pl_vector_of(context, sizeof(pl_harmonic_pull));
  b.terms = pl_vector_of(context, sizeof(pl_harmonic_term));
  b.entries = pl_vector_of(context, sizeof(entry));
  pl_status status = run_build(&b, cage, node_count, made, error);
  pl_vector_free(&b.entries);
  pl_vector_free(&b.terms);
  pl_vector_free(&b.grid.pulls);
  pl_harmonic_cage_close(&b.cage);
  pl_arena_destroy(&b.arena);
  if (status < 0) {
    pl_harmonic_destroy(made);
    return status;
  }
  if (report != NULL) *report = b.report;
  *weights = made;
  return status;
}

void pl_harmonic_destroy(pl_harmonic_weights *weights) {
  if (weights != NULL) pl_arena_destroy(&weights->arena);
}

pl_harmonic_view pl_harmonic_get_view(const pl_harmonic_weights *weights) {
  return (pl_harmonic_view){
      .point_count = weights->point_count,
      .cage_point_count = weights->cage_point_count,
      .value_count = weights->start[weights->point_count],
      .start = weights->start,
      .columns = weights->columns,
      .values = weights->values,
  };
}

void pl_harmonic_apply(const pl_harmonic_weights *weights, const pl_vec3 *cage_points, pl_vec3 *points) {
  for (int32_t i = 0; i < weights->point_count; ++i) {
    pl_vec3 sum = {0, 0, 0};
    for (int32_t k = weights->start[i]; k < weights->start[i + 1]; ++k)
      sum = pl_vec3_add_scaled(sum, cage_points[weights->columns[k]], weights->values[k]);
    points[i] = sum;
  }
}
