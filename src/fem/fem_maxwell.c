// Viscosity of tets; fem_maxwell.h has formulas and letters.
//
// The second derivative of D, for the columns e_c of J with p_c = Σ_d G_cd e_d and T = Σ e_c p_cᵀ, is
//
//   H_cd = s_cd 1 + f w μ (G_cd T + p_d p_cᵀ)   and of all points together   f λ / V h hᵀ,  h = Σ w p
//
// brought to nodes by the slopes of the shape functions. Only the first term can be negative.
#include "fem/fem_maxwell.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
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

// J at a point, column by column.
static inline void columns_at(const pl_fem_maxwell *m, int32_t q, const double *edges, double e[3][3]) {
  if (m->node_count == 4) {
    memcpy(e, edges, 9 * sizeof(double));
    return;
  }
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 3; ++i) {
      e[c][i] = 0;
      for (int32_t a = 1; a < m->node_count; ++a) e[c][i] += edges[3 * (a - 1) + i] * m->slopes[q][a][c];
    }
}

static inline double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void metric_of(double e[3][3], double *metric) {
  for (int c = 0; c < 3; ++c)
    for (int d = c; d < 3; ++d) metric[SLOT[c][d]] = dot(e[c], e[d]);
}

// Nodes 1 … of an element relative to node 0.
static inline void edges_of(const pl_fem_maxwell *m, const double *x, ptrdiff_t element, double *edges) {
  const int32_t *nodes = m->model->groups[0].corners + m->node_count * element;
  const double *first = x + 3 * (ptrdiff_t)nodes[0];
  for (int32_t a = 1; a < m->node_count; ++a)
    for (int i = 0; i < 3; ++i) edges[3 * (a - 1) + i] = x[3 * (ptrdiff_t)nodes[a] + i] - first[i];
}

static void measure_element(const pl_fem_maxwell *m, const double *x, ptrdiff_t element, double *metrics) {
  double edges[MAX_VALUES], e[3][3];
  edges_of(m, x, element, edges);
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
    for (ptrdiff_t i = 0; i < size; ++i) {
      to[i] *= job->rate;
      for (int32_t b = 0; b < m->branches.count; ++b) to[i] += job->factors[b] * m->metrics[all * b + size * e + i];
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

// A point while an element is evaluated.
typedef struct point_state {
  double e[3][3], change[PL_FEM_METRIC], stress[PL_FEM_METRIC], p[3][3];
} point_state;

static inline double trace_of(const double *gram, const double *d) {
  return gram[XX] * d[XX] + gram[YY] * d[YY] + gram[ZZ] * d[ZZ] +
         2 * (gram[XY] * d[XY] + gram[XZ] * d[XZ] + gram[YZ] * d[YZ]);
}

// a d a for symmetric matrices, times s, added.
static inline void add_sandwich(const double *a, const double *d, double s, double *to) {
  double product[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      product[i][j] = a[SLOT[i][0]] * d[SLOT[0][j]] + a[SLOT[i][1]] * d[SLOT[1][j]] + a[SLOT[i][2]] * d[SLOT[2][j]];
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j)
      to[SLOT[i][j]] +=
          s * (product[i][0] * a[SLOT[0][j]] + product[i][1] * a[SLOT[1][j]] + product[i][2] * a[SLOT[2][j]]);
}

// Δ and s of all points, the columns of J, and θ; the energy.
static double stresses_of(const pl_fem_maxwell *m, const double *u, ptrdiff_t element, point_state *states) {
  const pl_fem_maxwell_point *points = m->points + m->point_count * element;
  const double *anchors = m->anchors + (ptrdiff_t)PL_FEM_METRIC * m->point_count * element;
  double lambda = m->constants[2 * element], mu = m->constants[2 * element + 1];
  double edges[MAX_VALUES], volume = 0, mean = 0, energy = 0;
  edges_of(m, u, element, edges);
  for (int32_t q = 0; q < m->point_count; ++q) {
    point_state *s = &states[q];
    columns_at(m, q, edges, s->e);
    metric_of(s->e, s->change);
    for (int k = 0; k < PL_FEM_METRIC; ++k) s->change[k] = m->factor * s->change[k] - anchors[PL_FEM_METRIC * q + k];
    volume += points[q].weight;
    mean += points[q].weight * trace_of(points[q].gram, s->change);
  }
  mean /= volume;
  for (int32_t q = 0; q < m->point_count; ++q) {
    point_state *s = &states[q];
    double w = points[q].weight;
    for (int k = 0; k < PL_FEM_METRIC; ++k) s->stress[k] = 0;
    add_sandwich(points[q].gram, s->change, w * mu, s->stress);
    // Σ w μ/4 tr(GΔGΔ) from the stress without λ: its trace with Δ.
    energy += 0.25 * trace_of(s->stress, s->change);
    for (int k = 0; k < PL_FEM_METRIC; ++k) s->stress[k] += 0.5 * w * lambda * mean * points[q].gram[k];
  }
  return (energy + 0.125 * lambda * volume * mean * mean) / m->factor;
}

// J s, to the nodes.
static inline void add_forces(const pl_fem_maxwell *m, int32_t q, double e[3][3], const double *stress, double *g) {
  for (int c = 0; c < 3; ++c) {
    double force[3];
    for (int i = 0; i < 3; ++i)
      force[i] = e[0][i] * stress[SLOT[0][c]] + e[1][i] * stress[SLOT[1][c]] + e[2][i] * stress[SLOT[2][c]];
    if (m->node_count == 4) {
      for (int i = 0; i < 3; ++i) {
        g[3 * (c + 1) + i] += force[i];
        g[i] -= force[i];
      }
      continue;
    }
    for (int32_t a = 0; a < m->node_count; ++a)
      for (int i = 0; i < 3; ++i) g[3 * a + i] += m->slopes[q][a][c] * force[i];
  }
}

// H by columns of J: element (3 c + i, 3 d + j). The upper triangle of blocks, all of it within them.
static inline void tangent_at(const pl_fem_maxwell *m, const pl_fem_maxwell_point *point, double mu, point_state *s,
                              bool positive, double M[9][9]) {
  double T[3][3], stiffness = m->factor * point->weight * mu;
  const double *gram = point->gram;
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 3; ++i)
      s->p[c][i] = gram[SLOT[c][0]] * s->e[0][i] + gram[SLOT[c][1]] * s->e[1][i] + gram[SLOT[c][2]] * s->e[2][i];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      T[i][j] = stiffness * (s->e[0][i] * s->p[0][j] + s->e[1][i] * s->p[1][j] + s->e[2][i] * s->p[2][j]);
  for (int c = 0; c < 3; ++c)
    for (int d = c; d < 3; ++d) {
      double turn = positive ? 0 : s->stress[SLOT[c][d]];
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          M[3 * c + i][3 * d + j] =
              gram[SLOT[c][d]] * T[i][j] + stiffness * s->p[d][i] * s->p[c][j] + (i == j ? turn : 0);
    }
  for (int r = 0; r < 9; ++r)
    for (int k = 0; k < r; ++k) M[r][k] = M[k][r];
}

// The nodes' matrix of a linear tet from that of its edges.
static void write_linear(double M[9][9], double *h) {
  for (int r = 0; r < 9; ++r)
    for (int k = 0; k < 9; ++k) h[12 * (r + 3) + k + 3] = M[r][k];
  for (int i = 0; i < 3; ++i)
    for (int k = 3; k < 12; ++k) {
      double sum = M[i][k - 3] + M[3 + i][k - 3] + M[6 + i][k - 3];
      h[12 * i + k] = -sum;
      h[12 * k + i] = -sum;
    }
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) {
      double sum = h[12 * i + 3 + j] + h[12 * i + 6 + j] + h[12 * i + 9 + j];
      h[12 * i + j] = -sum;
      h[12 * j + i] = -sum;
    }
}

static void add_quadratic(const pl_fem_maxwell *m, int32_t q, double M[9][9], double *h) {
  int n = 3 * m->node_count;
  for (int32_t b = 0; b < m->node_count; ++b) {
    const double *B = m->slopes[q][b];
    double image[9][3];
    for (int r = 0; r < 9; ++r)
      for (int j = 0; j < 3; ++j) image[r][j] = M[r][j] * B[0] + M[r][3 + j] * B[1] + M[r][6 + j] * B[2];
    for (int32_t a = 0; a <= b; ++a) {
      const double *A = m->slopes[q][a];
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          h[n * (3 * a + i) + 3 * b + j] += A[0] * image[i][j] + A[1] * image[3 + i][j] + A[2] * image[6 + i][j];
    }
  }
}

// The matrix of a quadratic tet: points, then λ on the mean, symmetric.
static void write_quadratic(const pl_fem_maxwell *m, ptrdiff_t element, point_state *states, bool positive, double *h) {
  const pl_fem_maxwell_point *points = m->points + m->point_count * element;
  double pull[MAX_VALUES] = {0}, volume = 0;
  int n = 3 * m->node_count;
  memset(h, 0, (size_t)(n * n) * sizeof(double));
  for (int32_t q = 0; q < m->point_count; ++q) {
    double M[9][9];
    tangent_at(m, &points[q], m->constants[2 * element + 1], &states[q], positive, M);
    add_quadratic(m, q, M, h);
    volume += points[q].weight;
    for (int32_t a = 0; a < m->node_count; ++a)
      for (int c = 0; c < 3; ++c)
        for (int i = 0; i < 3; ++i) pull[3 * a + i] += points[q].weight * m->slopes[q][a][c] * states[q].p[c][i];
  }
  double factor = m->factor * m->constants[2 * element] / volume;
  if (positive && factor < 0) factor = 0;
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) h[n * i + j] += factor * pull[i] * pull[j];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) h[n * i + j] = h[n * j + i];
}

static void write_matrix(const pl_fem_maxwell *m, ptrdiff_t element, point_state *states, bool positive, double *h) {
  if (m->node_count != 4) {
    write_quadratic(m, element, states, positive, h);
    return;
  }
  const pl_fem_maxwell_point *point = m->points + element;
  double M[9][9], lambda = m->constants[2 * element];
  tangent_at(m, point, m->constants[2 * element + 1], states, positive, M);
  double factor = m->factor * point->weight * (positive ? fmax(lambda, 0) : lambda);
  for (int r = 0; r < 9; ++r)
    for (int k = 0; k < 9; ++k) M[r][k] += factor * (states->p[r / 3][r % 3] * states->p[k / 3][k % 3]);
  write_linear(M, h);
}

typedef struct evaluation {
  pl_fem_maxwell *maxwell;
  const double *u;
  double *gradient;
  bool positive;
} evaluation;

static void visit(void *data, const int32_t *elements, int32_t count, double *matrices) {
  const evaluation *v = data;
  pl_fem_maxwell *m = v->maxwell;
  int32_t n = 3 * m->node_count;
  for (int32_t i = 0; i < count; ++i) {
    point_state states[PL_FEM_MAX_POINTS];
    double g[MAX_VALUES] = {0};
    m->energies[elements[i]] = stresses_of(m, v->u, elements[i], states);
    for (int32_t q = 0; q < m->point_count; ++q) add_forces(m, q, states[q].e, states[q].stress, g);
    const int32_t *nodes = m->model->groups[0].corners + (ptrdiff_t)m->node_count * elements[i];
    for (int32_t k = 0; k < n; ++k) v->gradient[3 * (ptrdiff_t)nodes[k / 3] + k % 3] += g[k];
    if (matrices != NULL) write_matrix(m, elements[i], states, v->positive, matrices + (ptrdiff_t)n * n * i);
  }
}

double pl_fem_maxwell_evaluate(pl_fem_maxwell *maxwell, const double *u, double *gradient, pl_block_matrix *matrix,
                               bool positive) {
  evaluation v = {maxwell, u, gradient, positive};
  memset(gradient, 0, 3 * (size_t)maxwell->model->head.particle_count * sizeof(double));
  if (matrix != NULL)
    pl_block_matrix_assemble(maxwell->context, matrix, 0, visit, &v);
  else
    pl_block_pattern_visit(maxwell->context, &maxwell->model->pattern, 0, visit, &v);
  double sum = 0;
  for (int32_t e = 0; e < maxwell->model->groups[0].element_count; ++e) sum += maxwell->energies[e];
  return sum;
}

// --- derivatives by parameters --------------------------------------------------------------------------------------

void pl_fem_maxwell_measure_change(const pl_fem_maxwell *m, const double *x, const double *change, int32_t padded,
                                   double *metrics) {
  ptrdiff_t size = (ptrdiff_t)PL_FEM_METRIC * m->point_count * padded;
  for (ptrdiff_t element = 0; element < m->model->groups[0].element_count; ++element) {
    const int32_t *nodes = m->model->groups[0].corners + m->node_count * element;
    double edges[MAX_VALUES], e[3][3];
    edges_of(m, x, element, edges);
    for (int32_t q = 0; q < m->point_count; ++q) {
      columns_at(m, q, edges, e);
      for (int32_t k = 0; k < padded; ++k) {
        double turned[3][3] = {{0}};
        double *to = metrics + size * element + (ptrdiff_t)PL_FEM_METRIC * padded * q + k;
        for (int32_t a = 0; a < m->node_count; ++a)
          for (int i = 0; i < 3; ++i) {
            double moved = change[(3 * (ptrdiff_t)nodes[a] + i) * padded + k];
            for (int c = 0; c < 3; ++c) turned[c][i] += m->slopes[q][a][c] * moved;
          }
        for (int c = 0; c < 3; ++c)
          for (int d = c; d < 3; ++d) to[(ptrdiff_t)padded * SLOT[c][d]] = dot(e[c], turned[d]) + dot(turned[c], e[d]);
      }
    }
  }
}

// ∂G and ∂w of a point as the rest shape changes: with D = K ∂J, ∂G = -(D G + G Dᵀ) and ∂w = w tr D.
static void change_point(const pl_fem_maxwell *m, int32_t q, const pl_fem_maxwell_point *point, const int32_t *nodes,
                         const pl_fem_maxwell_changes *c, int32_t column, double *gram, double *weight) {
  double J[3][3] = {{0}}, D[3][3];
  for (int32_t a = 0; a < m->node_count; ++a)
    for (int i = 0; i < 3; ++i) {
      double moved = c->rest_change[(3 * (ptrdiff_t)nodes[a] + i) * c->padded + column];
      for (int d = 0; d < 3; ++d) J[i][d] += m->slopes[q][a][d] * moved;
    }
  for (int r = 0; r < 3; ++r)
    for (int d = 0; d < 3; ++d)
      D[r][d] = point->K[3 * r] * J[0][d] + point->K[3 * r + 1] * J[1][d] + point->K[3 * r + 2] * J[2][d];
  for (int r = 0; r < 3; ++r)
    for (int d = r; d < 3; ++d) {
      double sum = 0;
      for (int k = 0; k < 3; ++k) sum += D[r][k] * point->gram[SLOT[k][d]] + D[d][k] * point->gram[SLOT[k][r]];
      gram[SLOT[r][d]] = -sum;
    }
  *weight = point->weight * (D[0][0] + D[1][1] + D[2][2]);
}

// A d B + B d A for symmetric matrices, times s, added.
static void add_mixed_sandwich(const double *a, const double *b, const double *d, double s, double *to) {
  double left[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      left[i][j] = a[SLOT[i][0]] * d[SLOT[0][j]] + a[SLOT[i][1]] * d[SLOT[1][j]] + a[SLOT[i][2]] * d[SLOT[2][j]];
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j)
      for (int k = 0; k < 3; ++k) to[SLOT[i][j]] += s * (left[i][k] * b[SLOT[k][j]] + left[j][k] * b[SLOT[k][i]]);
}

// What one column changes of an element: everything at all points first, for the mean.
typedef struct column_state {
  double change[PL_FEM_METRIC], gram[PL_FEM_METRIC], weight;
} column_state;

static void change_column(const pl_fem_maxwell *m, const pl_fem_maxwell_changes *c, ptrdiff_t element, int32_t column,
                          const point_state *states, double *g) {
  const pl_fem_maxwell_point *points = m->points + m->point_count * element;
  const int32_t *nodes = m->model->groups[0].corners + m->node_count * element;
  column_state columns[PL_FEM_MAX_POINTS];
  double lambda = m->constants[2 * element], mu = m->constants[2 * element + 1];
  double fraction = c->fractions != NULL ? c->fractions[element * c->padded + column] : 0;
  double by_lambda = fraction * lambda, by_mu = fraction * mu;
  double volume = 0, volume_change = 0, sum = 0, sum_change = 0;
  if (column == c->poisson_column) by_lambda += c->poisson[2 * element], by_mu += c->poisson[2 * element + 1];
  for (int32_t q = 0; q < m->point_count; ++q) {
    column_state *k = &columns[q];
    const double *anchors = c->anchors + ((element * m->point_count + q) * PL_FEM_METRIC) * c->padded + column;
    double metric[PL_FEM_METRIC], e[3][3];
    memcpy(e, states[q].e, sizeof e);
    metric_of(e, metric);
    *k = (column_state){.weight = 0};
    for (int i = 0; i < PL_FEM_METRIC; ++i)
      k->change[i] = c->factors[column] * metric[i] - anchors[(ptrdiff_t)i * c->padded];
    if (c->rest_change != NULL) change_point(m, q, &points[q], nodes, c, column, k->gram, &k->weight);
    double trace = trace_of(points[q].gram, states[q].change);
    volume += points[q].weight;
    volume_change += k->weight;
    sum += points[q].weight * trace;
    sum_change += k->weight * trace +
                  points[q].weight * (trace_of(points[q].gram, k->change) + trace_of(k->gram, states[q].change));
  }
  double mean = sum / volume, mean_change = (sum_change - mean * volume_change) / volume;
  for (int32_t q = 0; q < m->point_count; ++q) {
    const column_state *k = &columns[q];
    const double *gram = points[q].gram;
    double stress[PL_FEM_METRIC] = {0}, w = points[q].weight, e[3][3];
    add_sandwich(gram, k->change, w * mu, stress);
    add_sandwich(gram, states[q].change, w * by_mu + k->weight * mu, stress);
    add_mixed_sandwich(gram, k->gram, states[q].change, w * mu, stress);
    double scale = 0.5 * (w * (by_lambda * mean + lambda * mean_change) + k->weight * lambda * mean);
    for (int i = 0; i < PL_FEM_METRIC; ++i) stress[i] += scale * gram[i] + 0.5 * w * lambda * mean * k->gram[i];
    memcpy(e, states[q].e, sizeof e);
    add_forces(m, q, e, stress, g);
  }
}

void pl_fem_maxwell_change(const pl_fem_maxwell *m, const pl_fem_maxwell_changes *c) {
  for (ptrdiff_t element = 0; element < m->model->groups[0].element_count; ++element) {
    const int32_t *nodes = m->model->groups[0].corners + m->node_count * element;
    point_state states[PL_FEM_MAX_POINTS];
    stresses_of(m, c->u, element, states);
    for (int32_t k = 0; k < c->padded; ++k) {
      double g[MAX_VALUES] = {0};
      change_column(m, c, element, k, states, g);
      for (int32_t i = 0; i < 3 * m->node_count; ++i)
        c->rhs[(3 * (ptrdiff_t)nodes[i / 3] + i % 3) * c->padded + k] -= g[i];
    }
  }
}
