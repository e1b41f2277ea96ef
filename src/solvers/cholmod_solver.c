// Sparse Cholesky by CHOLMOD (Chen, Davis, Hager and Rajamanickam 2008): supernodal, ordered by nested dissection.
//
// The order is found on the graph of blocks, which has a third of the nodes and a ninth of the edges of that of the
// unknowns, and then spelled out: three neighbouring unknowns stay together, as they would anyway. Analysis is done
// once per pattern; new values only run the numeric factorisation. CHOLMOD wants one triangle by columns; as the matrix
// is symmetric, the right part of our rows is just that.
#define _GNU_SOURCE  // dlsym(RTLD_DEFAULT)
#include "solvers/cholmod_solver.h"

#include <cholmod.h>
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"

// METIS draws from rand() of the C library, one sequence per process: two orders found at once would disturb each
// other, and differ from run to run.
static pthread_mutex_t metis_lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct cholmod_solver {
  pl_arena arena;
  cholmod_common common;
  cholmod_sparse *lower;  // lower triangle by columns
  cholmod_factor *factor;
  cholmod_dense *x, *y, *e;  // of cholmod_solve2(), kept between solves
  int (*get_levels)(void);   // OpenMP's, NULL where CHOLMOD was built without it
  void (*set_levels)(int);
} cholmod_solver;

static pl_status fail_cholmod(const cholmod_solver *s, pl_error *error) {
  switch (s->common.status) {
    case CHOLMOD_OUT_OF_MEMORY: return pl_fail_memory(error);
    case CHOLMOD_TOO_LARGE: return pl_fail(error, PL_ERROR_UNSUPPORTED, "the factor is too large for 32-bit indices");
    default: return pl_fail(error, PL_ERROR_UNSUPPORTED, "CHOLMOD failed with status %d", s->common.status);
  }
}

// A function of a library that may or may not be loaded. Which one provides BLAS is decided when the program is loaded,
// so it has to be asked for by name.
static bool find_function(const char *name, void *function) {
  void *found = dlsym(RTLD_DEFAULT, name);
  if (found != NULL) memcpy(function, &found, sizeof found);  // C has no conversion from object to function pointers
  return found != NULL;
}

// One thread for BLAS; a word where the slow one is loaded.
static void set_up_blas(pl_context *context) {
  static const char *const others[] = {"MKL_Get_Max_Threads", "bli_info_get_version_str", "ATL_buildinfo"};
  void (*set_threads)(int) = NULL;
  if (find_function("openblas_set_num_threads", &set_threads)) {
    set_threads(1);
    return;
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
    if (dlsym(RTLD_DEFAULT, others[i]) != NULL) return;
  pl_log(context, PL_SEVERITY_WARNING,
         "the BLAS library is the reference one, with which direct solves take 4 to 9 times longer; install "
         "libopenblas0-pthread");
}

// CHOLMOD's own loops ask OpenMP for four threads, whatever is set, which then spin and slow the host down. With no
// active levels allowed, a setting of the calling thread, they stay on it. Returns what to put back.
static int quiet_openmp(const cholmod_solver *s) {
  if (s->get_levels == NULL || s->set_levels == NULL) return 0;
  int levels = s->get_levels();
  s->set_levels(0);
  return levels;
}

static void restore_openmp(const cholmod_solver *s, int levels) {
  if (s->get_levels != NULL && s->set_levels != NULL) s->set_levels(levels);
}

static void cholmod_solver_destroy(void *self) {
  cholmod_solver *s = self;
  cholmod_free_sparse(&s->lower, &s->common);
  cholmod_free_factor(&s->factor, &s->common);
  cholmod_free_dense(&s->x, &s->common);
  cholmod_free_dense(&s->y, &s->common);
  cholmod_free_dense(&s->e, &s->common);
  cholmod_finish(&s->common);
  pl_arena arena = s->arena;
  pl_arena_destroy(&arena);
}

// The lower triangle by columns, without values yet.
static bool make_lower(cholmod_solver *s, const pl_block_pattern *pattern) {
  size_t size = 3 * (size_t)pattern->row_count, count = 0;
  for (int32_t row = 0; row < pattern->row_count; ++row)
    count += 6 + 9 * (size_t)(pattern->start[row + 1] - pattern->diagonal[row] - 1);
  if (count > INT32_MAX) {
    s->common.status = CHOLMOD_TOO_LARGE;
    return false;
  }
  s->lower = cholmod_allocate_sparse(size, size, count, 1, 1, -1, CHOLMOD_REAL, &s->common);
  if (s->lower == NULL) return false;
  int32_t *start = s->lower->p, *rows = s->lower->i, next = 0;
  for (int32_t column = 0; column < 3 * pattern->row_count; ++column) {
    start[column] = next;
    int32_t block_row = column / 3;
    for (int32_t i = pattern->diagonal[block_row]; i < pattern->start[block_row + 1]; ++i)
      for (int32_t k = pattern->columns[i] == block_row ? column % 3 : 0; k < 3; ++k)
        rows[next++] = 3 * pattern->columns[i] + k;
  }
  start[size] = next;
  return true;
}

// Order of the unknowns from nested dissection of the graph of blocks, or by minimum degree where METIS is not built
// in. `order` has 3 per row.
static bool order_unknowns(cholmod_solver *s, const pl_block_pattern *pattern, int32_t *order) {
  size_t rows = (size_t)pattern->row_count;
  cholmod_sparse *graph =
      cholmod_allocate_sparse(rows, rows, (size_t)pattern->block_count, 1, 1, -1, CHOLMOD_PATTERN, &s->common);
  if (graph == NULL) return false;
  int32_t *start = graph->p, *to = graph->i, next = 0;
  for (int32_t row = 0; row < pattern->row_count; ++row) {
    start[row] = next;
    for (int32_t i = pattern->diagonal[row]; i < pattern->start[row + 1]; ++i) to[next++] = pattern->columns[i];
  }
  start[rows] = next;
  int32_t *blocks = order + 2 * rows;  // the end of `order`, overwritten from its beginning only after it was read
  pthread_mutex_lock(&metis_lock);
  bool good = cholmod_metis(graph, NULL, 0, 1, blocks, &s->common) != 0;
  pthread_mutex_unlock(&metis_lock);
  if (!good && s->common.status != CHOLMOD_OUT_OF_MEMORY) good = cholmod_amd(graph, NULL, 0, blocks, &s->common) != 0;
  for (size_t i = 0; good && i < rows; ++i) {
    int32_t block = blocks[i];
    for (size_t k = 0; k < 3; ++k) order[3 * i + k] = 3 * block + (int32_t)k;
  }
  cholmod_free_sparse(&graph, &s->common);
  return good;
}

static pl_status cholmod_solver_create(pl_context *context, const pl_block_pattern *pattern, const pl_linear_def *def,
                                       void **self, pl_error *error) {
  (void)def;
  if (pattern->row_count > INT32_MAX / 3)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "too many unknowns for 32-bit indices");
  set_up_blas(context);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  cholmod_solver *s = PL_TAKE(&arena, cholmod_solver, 1);
  int32_t *order = PL_TAKE(&arena, int32_t, 3 * (size_t)pattern->row_count + 1);
  if (arena.failed) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  s->arena = arena;
  cholmod_start(&s->common);
  find_function("omp_get_max_active_levels", &s->get_levels);
  find_function("omp_set_max_active_levels", &s->set_levels);
  s->common.print = 0;
  s->common.supernodal = CHOLMOD_SUPERNODAL;
  s->common.quick_return_if_not_posdef = 1;
  s->common.nmethods = 1;
  s->common.method[0].ordering = CHOLMOD_GIVEN;
  s->common.postorder = 1;
  int levels = quiet_openmp(s);
  if (make_lower(s, pattern) && order_unknowns(s, pattern, order))
    s->factor = cholmod_analyze_p(s->lower, order, NULL, 0, &s->common);
  restore_openmp(s, levels);
  if (s->factor == NULL) {
    pl_status status = fail_cholmod(s, error);
    cholmod_solver_destroy(s);
    return status;
  }
  *self = s;
  return PL_OK;
}

static void copy_values(cholmod_solver *s, const pl_block_matrix *matrix, double shift, const double *weights) {
  const pl_block_pattern *pattern = matrix->pattern;
  double *to = s->lower->x;
  for (int32_t row = 0; row < pattern->row_count; ++row)
    for (int c = 0; c < 3; ++c) {
      // The diagonal block from its diagonal on, then the rest of this row of every block.
      const double *block = matrix->values + 9 * (size_t)pattern->diagonal[row] + 3 * c;
      double *diagonal = to;
      for (int k = c; k < 3; ++k) *to++ = block[k];
      if (shift != 0) *diagonal += shift * weights[3 * (size_t)row + (size_t)c];
      for (int32_t i = pattern->diagonal[row] + 1; i < pattern->start[row + 1]; ++i, to += 3)
        memcpy(to, matrix->values + 9 * (size_t)i + 3 * c, 3 * sizeof(double));
    }
}

static pl_status cholmod_solver_factor(void *self, const pl_block_matrix *matrix, double shift, const double *weights,
                                       bool *indefinite, pl_error *error) {
  cholmod_solver *s = self;
  copy_values(s, matrix, shift, weights);
  int levels = quiet_openmp(s);
  int good = cholmod_factorize(s->lower, s->factor, &s->common);
  restore_openmp(s, levels);
  if (!good) return fail_cholmod(s, error);
  *indefinite = s->common.status == CHOLMOD_NOT_POSDEF || s->factor->minor < s->factor->n;
  return PL_OK;
}

static pl_status cholmod_solver_solve(void *self, const double *rhs, int32_t count, double *x,
                                      pl_linear_outcome *outcome, pl_error *error) {
  (void)outcome;
  cholmod_solver *s = self;
  size_t size = s->factor->n;
  if (count < 1 || size == 0) return PL_OK;
  // CHOLMOD only reads it.
  cholmod_dense b = {
      .nrow = size, .ncol = (size_t)count, .nzmax = size * (size_t)count, .d = size, .xtype = CHOLMOD_REAL};
  b.x = (void *)(uintptr_t)rhs;
  // cholmod_solve2() would do this itself, but does not notice when memory runs out here.
  if (cholmod_ensure_dense(&s->y, size, (size_t)count, size, CHOLMOD_REAL, &s->common) == NULL)
    return fail_cholmod(s, error);
  int levels = quiet_openmp(s);
  int good = cholmod_solve2(CHOLMOD_A, s->factor, &b, NULL, &s->x, NULL, &s->y, &s->e, &s->common);
  restore_openmp(s, levels);
  if (!good) return fail_cholmod(s, error);
  memcpy(x, s->x->x, size * (size_t)count * sizeof(double));
  return PL_OK;
}

const pl_linear_backend *pl_cholmod_backend(void) {
  static const pl_linear_backend backend = {.name = "cholmod",
                                            .create = cholmod_solver_create,
                                            .factor = cholmod_solver_factor,
                                            .solve = cholmod_solver_solve,
                                            .destroy = cholmod_solver_destroy};
  return &backend;
}
