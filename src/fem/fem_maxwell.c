// Viscosity of tets; fem_maxwell.h has formulas and letters, fem_maxwell_kernel.h forces and stiffness.
#include "fem/fem_maxwell.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "fem/fem_maxwell_assemble.h"
#include "fem/fem_quadratic.h"

enum { GRAIN = 1024, MAX_VALUES = 3 * PL_FEM_MAX_CORNERS, XX = 0, XY, XZ, YY, YZ, ZZ };

// Slot of element (c, d) of a symmetric matrix.
static const int SLOT[3][3] = {{XX, XY, XZ}, {XY, YY, YZ}, {XZ, YZ, ZZ}};

bool pl_fem_can_be_viscous(const pl_fem_model *model) {
  return pl_fem_is_solid(model->material) && model->material != PL_FEM_EDGES && !model->adapts;
}

bool pl_fem_is_viscous(const pl_fem_model *model) {
  return pl_fem_can_be_viscous(model) && (model->stiffness_damping > 0 || model->branches.count > 0);
}

static int32_t points_of(const pl_fem_model *model) {
  return model->groups[0].corner_count == PL_FEM_QUADRATIC_NODES ? PL_FEM_QUADRATIC_POINTS : 1;
}

size_t pl_fem_metrics_size(const pl_fem_model *model) {
  return (size_t)model->groups[0].element_count * (size_t)points_of(model) * PL_FEM_METRIC;
}

double pl_fem_branch_kept(double time, double h) {
  return exp(-h / time);
}

double pl_fem_branch_factor(double time, double h) {
  return h > 0 ? -expm1(-h / time) * time / h : 1;
}

// --- constants ------------------------------------------------------------------------------------------------------

static void gram_of(pl_fem_maxwell_point *point) {
  const double *K = point->K;
  for (int c = 0; c < 3; ++c)
    for (int d = c; d < 3; ++d)
      point->gram[SLOT[c][d]] = K[3 * c] * K[3 * d] + K[3 * c + 1] * K[3 * d + 1] + K[3 * c + 2] * K[3 * d + 2];
}

static void set_points(const pl_fem_maxwell *m, const double *X, pl_fem_maxwell_point *points) {
  for (int32_t q = 0; q < m->point_count; ++q) {
    pl_mat3 J = pl_mat3_zero();
    for (int32_t a = 1; a < m->node_count; ++a)
      for (int i = 0; i < 3; ++i)
        for (int c = 0; c < 3; ++c) J.m[i][c] += (X[3 * a + i] - X[i]) * m->slopes[q][a][c];
    double determinant = pl_mat3_determinant(J);
    pl_mat3 K = pl_mat3_scale(pl_mat3_adjugate(J), 1 / determinant);
    memcpy(points[q].K, K.m, sizeof points[q].K);
    points[q].weight = fabs(determinant) / (6 * m->point_count);
    gram_of(&points[q]);
  }
}

typedef struct use_job {
  pl_fem_maxwell *maxwell;
  const double *rest, *parameters;
} use_job;

static void use_range(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const use_job *job = data;
  const pl_fem_maxwell *m = job->maxwell;
  int32_t count = m->model->groups[0].energy->parameter_count;
  for (ptrdiff_t e = begin; e < end; ++e) {
    pl_fem_lame lame = pl_fem_lame_of(job->parameters + count * e);
    set_points(m, job->rest + 3 * m->node_count * e, m->points + m->point_count * e);
    m->constants[2 * e] = lame.lambda;
    m->constants[2 * e + 1] = lame.mu;
  }
}

void pl_fem_maxwell_use(pl_fem_maxwell *maxwell, const double *rest, const double *parameters) {
  use_job job = {maxwell, rest, parameters};
  pl_parallel_for(maxwell->context, maxwell->model->groups[0].element_count, GRAIN, use_range, &job);
}

bool pl_fem_maxwell_take(pl_arena *arena, pl_context *context, const pl_fem_model *model, pl_fem_maxwell *maxwell) {
  const pl_fem_group *group = &model->groups[0];
  *maxwell = (pl_fem_maxwell){.context = context,
                              .model = model,
                              .damping = model->stiffness_damping,
                              .branches = model->branches,
                              .node_count = group->corner_count,
                              .point_count = points_of(model)};
  size_t count = (size_t)group->element_count;
  maxwell->points = PL_TAKE(arena, pl_fem_maxwell_point, count * (size_t)maxwell->point_count);
  maxwell->constants = PL_TAKE(arena, double, 2 * count);
  maxwell->anchors = PL_TAKE(arena, double, pl_fem_metrics_size(model));
  maxwell->energies = PL_TAKE(arena, double, count);
  if (arena->failed) return false;
  for (int32_t q = 0; q < maxwell->point_count; ++q) {
    if (maxwell->node_count == PL_FEM_QUADRATIC_NODES) pl_fem_quadratic_slopes(q, maxwell->slopes[q]);
    for (int a = 0; a < 4 && maxwell->node_count == 4; ++a)
      for (int c = 0; c < 3; ++c) maxwell->slopes[q][a][c] = a == 0 ? -1 : a == c + 1;
  }
  pl_fem_maxwell_use(maxwell, group->starts, group->parameters);
  return true;
}

// --- metrics --------------------------------------------------------------------------------------------------------

// J at a point of a quadratic tet, column by column.
static inline void columns_at(const pl_fem_maxwell *m, int32_t q, const double *edges, double e[3][3]) {
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 3; ++i) {
      e[c][i] = 0;
      for (int32_t a = 1; a < PL_FEM_QUADRATIC_NODES; ++a) e[c][i] += edges[3 * (a - 1) + i] * m->slopes[q][a][c];
    }
}

static inline double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void metric_of(double e[3][3], double *metric) {
  for (int c = 0; c < 3; ++c)
    for (int d = c; d < 3; ++d) metric[SLOT[c][d]] = dot(e[c], e[d]);
}

// Nodes 1 … of an element relative to node 0; inlined with a number of nodes that is known.
static inline void edges_of(const int32_t *nodes, int node_count, const double *x, double *edges) {
  const double *first = x + 3 * (ptrdiff_t)nodes[0];
  for (int a = 1; a < node_count; ++a)
    for (int i = 0; i < 3; ++i) edges[3 * (a - 1) + i] = x[3 * (ptrdiff_t)nodes[a] + i] - first[i];
}

static void measure_element(const pl_fem_maxwell *m, const double *x, ptrdiff_t element, double *metrics) {
  double edges[MAX_VALUES], e[3][3];
  const int32_t *nodes = m->model->groups[0].corners + m->node_count * element;
  if (m->node_count == 4) {
    edges_of(nodes, 4, x, &e[0][0]);
    metric_of(e, metrics);
    return;
  }
  edges_of(nodes, PL_FEM_QUADRATIC_NODES, x, edges);
  for (int32_t q = 0; q < m->point_count; ++q) {
    columns_at(m, q, edges, e);
    metric_of(e, metrics + (ptrdiff_t)PL_FEM_METRIC * q);
  }
}

typedef struct metric_job {
  const pl_fem_maxwell *maxwell;
  const double *x;
  double *to;
  double rate, h;
  double factors[PL_FEM_MAX_BRANCHES];
} metric_job;

static void measure_range(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const metric_job *job = data;
  ptrdiff_t size = (ptrdiff_t)PL_FEM_METRIC * job->maxwell->point_count;
  for (ptrdiff_t e = begin; e < end; ++e) measure_element(job->maxwell, job->x, e, job->to + size * e);
}

void pl_fem_maxwell_measure(const pl_fem_maxwell *maxwell, const double *x, double *metrics) {
  metric_job job = {.maxwell = maxwell, .x = x, .to = metrics};
  pl_parallel_for(maxwell->context, maxwell->model->groups[0].element_count, GRAIN, measure_range, &job);
}

static void begin_range(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const metric_job *job = data;
  const pl_fem_maxwell *m = job->maxwell;
  ptrdiff_t size = (ptrdiff_t)PL_FEM_METRIC * m->point_count, all = size * m->model->groups[0].element_count;
  for (ptrdiff_t e = begin; e < end; ++e) {
    double *to = m->anchors + size * e;
    if (job->rate > 0)
      measure_element(m, job->x, e, to);
    else
      memset(to, 0, (size_t)size * sizeof(double));
    for (ptrdiff_t i = 0; i < size; ++i) to[i] *= job->rate;
    for (int32_t b = 0; b < m->branches.count; ++b) {
      const double *from = m->metrics + all * b + size * e;
      for (ptrdiff_t i = 0; i < size; ++i) to[i] += job->factors[b] * from[i];
    }
  }
}

void pl_fem_maxwell_begin(pl_fem_maxwell *maxwell, const double *x, double tau, double h) {
  const pl_fem_branches *branches = &maxwell->branches;
  metric_job job = {.maxwell = maxwell, .x = x, .rate = maxwell->damping / tau};
  maxwell->factor = job.rate;
  for (int32_t b = 0; b < branches->count; ++b) {
    job.factors[b] = branches->ratios[b] * pl_fem_branch_factor(branches->times[b], h);
    maxwell->factor += job.factors[b];
  }
  pl_parallel_for(maxwell->context, maxwell->model->groups[0].element_count, GRAIN, begin_range, &job);
}

static void finish_range(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const metric_job *job = data;
  const pl_fem_maxwell *m = job->maxwell;
  ptrdiff_t size = (ptrdiff_t)PL_FEM_METRIC * m->point_count, all = size * m->model->groups[0].element_count;
  for (ptrdiff_t e = begin; e < end; ++e) {
    double now[PL_FEM_METRIC * PL_FEM_MAX_POINTS];
    measure_element(m, job->x, e, now);
    for (int32_t b = 0; b < m->branches.count; ++b) {
      double *metrics = m->metrics + all * b + size * e;
      for (ptrdiff_t i = 0; i < size; ++i) metrics[i] = now[i] + job->factors[b] * (metrics[i] - now[i]);
    }
  }
}

void pl_fem_maxwell_finish(pl_fem_maxwell *maxwell, const double *u, double h) {
  const pl_fem_branches *branches = &maxwell->branches;
  if (branches->count == 0) return;
  metric_job job = {.maxwell = maxwell, .x = u};
  for (int32_t b = 0; b < branches->count; ++b) job.factors[b] = pl_fem_branch_kept(branches->times[b], h);
  pl_parallel_for(maxwell->context, maxwell->model->groups[0].element_count, GRAIN, finish_range, &job);
}

// --- forces and stiffness -------------------------------------------------------------------------------------------

typedef struct evaluation {
  pl_fem_maxwell *maxwell;
  const pl_fem_maxwell_kernel *kernel;
  pl_fem_maxwell_pose pose;
  double *gradient;  // NULL: not wanted
} evaluation;

// Add what belongs to the nodes of an element; inlined with a number of nodes that is known.
static inline void scatter(const int32_t *nodes, int node_count, const double *from, double *to) {
  for (int a = 0; a < node_count; ++a)
    for (int k = 0; k < 3; ++k) to[3 * (ptrdiff_t)nodes[a] + k] += from[3 * a + k];
}

static void visit(void *data, const int32_t *elements, int32_t count, double *matrices) {
  const evaluation *v = data;
  const pl_fem_maxwell *m = v->maxwell;
  double energies[PL_BLOCK_BATCH], gradients[MAX_VALUES * PL_BLOCK_BATCH];
  v->kernel->evaluate(&v->pose, elements, count, energies, v->gradient != NULL ? gradients : NULL, matrices);
  for (int32_t i = 0; i < count; ++i) m->energies[elements[i]] = energies[i];
  for (int32_t i = 0; v->gradient != NULL && i < count; ++i) {
    const int32_t *nodes = m->model->groups[0].corners + (ptrdiff_t)m->node_count * elements[i];
    const double *from = gradients + (ptrdiff_t)3 * m->node_count * i;
    if (m->node_count == 4)
      scatter(nodes, 4, from, v->gradient);
    else
      scatter(nodes, PL_FEM_QUADRATIC_NODES, from, v->gradient);
  }
}

double pl_fem_maxwell_evaluate(pl_fem_maxwell *maxwell, const double *u, double *gradient, pl_block_matrix *matrix,
                               bool positive) {
  evaluation v = {maxwell, pl_fem_maxwell_choose(), {maxwell, u, positive}, gradient};
  if (gradient != NULL) memset(gradient, 0, 3 * (size_t)maxwell->model->head.particle_count * sizeof(double));
  if (matrix != NULL)
    pl_block_matrix_assemble(maxwell->context, matrix, 0, visit, &v);
  else
    pl_block_pattern_visit(maxwell->context, &maxwell->model->pattern, 0, visit, &v);
  double sum = 0;
  for (int32_t e = 0; e < maxwell->model->groups[0].element_count; ++e) sum += maxwell->energies[e];
  return sum;
}

// --- derivatives by parameters --------------------------------------------------------------------------------------

void pl_fem_maxwell_measure_change(const pl_fem_maxwell *maxwell, const double *x, const double *change, int32_t padded,
                                   double *metrics) {
  pl_fem_maxwell_choose()->measure_change(maxwell, &(pl_fem_maxwell_moves){x, change, padded}, metrics);
}

void pl_fem_maxwell_change(const pl_fem_maxwell *maxwell, const pl_fem_maxwell_changes *changes) {
  pl_fem_maxwell_choose()->change(maxwell, changes);
}
