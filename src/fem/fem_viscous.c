// Damping as an energy of the change of shape in a step.
//
// β K v is a force with a torque as soon as the body is strained or turns within a step: K of a strained body resists
// turning. A body that rests most of the time loses nothing by it. One that changes its rest shape step by step is
// strained all the time, and an optimiser of its shapes would use that torque to push against in mid-air. So here
// damping is the gradient of an energy that compares shapes, which no rigid motion changes, as in variational
// integrators with dissipation (Kharevych and others 2006):
//
//   D(u) = β/τ W̃(u; x)   x   where the particles were τ ago   ∂D/∂u = β K v for small changes around the shape as built
//
// - Energies that compare measures, ½ k γ (f(x) - f(X))², are their own W̃, with x in the place of X (edges, areas,
// turns, hinges, and tets made of edges).
// - The others would divide by the volume that x happens to have. For them W̃ is that of Saint Venant and Kirchhoff
// between two deformed states,
//
//     V (μ |ΔE|² + λ/2 tr(ΔE)²)      ΔE = ½ (F(u)ᵀF(u) - F(x)ᵀF(x))      F, V of the element as built
//
//   With B_a the gradients of the shape functions, whose sum is 0, FᵀF = -½ Σ_ab |x_a - x_b|² B_a B_bᵀ: it depends on
//   the squared lengths q of the edges alone, and linearly. Hence, for tets and triangles alike,
//
//     W̃ = ½ Δqᵀ Q Δq       Q_{ab,cd} = V/4 (μ ((B_a·B_c)(B_b·B_d) + (B_a·B_d)(B_b·B_c)) + λ (B_a·B_b)(B_c·B_d))
//
//   With s = Q Δq and d the edges at u: gradient Σ 2 s_e d_e, Hessian Σ 4 Q_ef d_e d_fᵀ + Σ 2 s_e 1. The first sum is
//   never negative.
#include "fem/fem_viscous.h"

#include <math.h>
#include <string.h>

#include "fem/fem_tet.h"
#include "pliant/math.h"

enum { MAX_EDGES = 6, MAX_VALUES = 3 * PL_FEM_MAX_CORNERS };

static const int EDGE_CORNERS[MAX_EDGES][2] = {{0, 1}, {0, 2}, {1, 2},
                                               {0, 3}, {1, 3}, {2, 3}};  // the first three are a triangle's

static bool compares_measures(const pl_fem_group *group) {
  return group->energy == &pl_fem_edge_tet ||
         (group->shape != PL_FEM_SHAPE_SOLID && group->energy != &pl_fem_plane_triangle);
}

// --- tets and plane triangles ---------------------------------------------------------------------------------------

// Gradients of the shape functions of a triangle in the plane, and its area.
static double triangle_rest(const double *U, double B[4][3]) {
  double twice = (U[3] - U[0]) * (U[7] - U[1]) - (U[4] - U[1]) * (U[6] - U[0]);
  for (int a = 0; a < 3; ++a) {
    const double *p = U + 3 * ((a + 1) % 3), *q = U + 3 * ((a + 2) % 3);
    B[a][0] = (p[1] - q[1]) / twice;
    B[a][1] = (q[0] - p[0]) / twice;
    B[a][2] = 0;
  }
  return 0.5 * fabs(twice);
}

// Q, edge by edge.
static void edge_stiffness(const pl_fem_element *e, int corner_count, int edge_count, double Q[MAX_EDGES][MAX_EDGES]) {
  double B[4][3], size, dots[4][4];
  pl_fem_lame lame = {.lambda = e->p[1], .mu = 0.5 * e->p[0]};
  if (corner_count == 4) {
    pl_fem_tet_rest(e->U, B, &size);
    lame = pl_fem_lame_of(e->p);
  } else {
    size = triangle_rest(e->U, B);
  }
  for (int a = 0; a < corner_count; ++a)
    for (int b = 0; b < corner_count; ++b) dots[a][b] = B[a][0] * B[b][0] + B[a][1] * B[b][1] + B[a][2] * B[b][2];
  for (int i = 0; i < edge_count; ++i)
    for (int j = 0; j < edge_count; ++j) {
      int a = EDGE_CORNERS[i][0], b = EDGE_CORNERS[i][1], c = EDGE_CORNERS[j][0], d = EDGE_CORNERS[j][1];
      double shear = dots[a][c] * dots[b][d] + dots[a][d] * dots[b][c];
      Q[i][j] = 0.25 * size * (lame.mu * shear + lame.lambda * dots[a][b] * dots[c][d]);
    }
}

static void add_block(double *h, int n, int row, int column, double factor, pl_vec3 a, pl_vec3 b, double diagonal) {
  const double left[3] = {a.x, a.y, a.z}, rhs[3] = {b.x, b.y, b.z};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      h[n * (3 * row + i) + 3 * column + j] += factor * left[i] * rhs[j] + (i == j ? diagonal : 0);
}

// Both corners of edge i with both of edge j.
static void add_edge_pair(double *h, int n, int i, int j, double factor, const pl_vec3 *d, double diagonal) {
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b) {
      double sign = a == b ? 1 : -1;
      add_block(h, n, EDGE_CORNERS[i][a], EDGE_CORNERS[j][b], sign * factor, d[i], d[j], sign * diagonal);
    }
}

// e->x now, e->X before. Planar: nothing acts along z.
static double simplex_evaluate(const pl_fem_element *e, int corner_count, bool positive, double *g, double *h) {
  int edge_count = corner_count * (corner_count - 1) / 2, n = 3 * corner_count;
  double Q[MAX_EDGES][MAX_EDGES], change[MAX_EDGES], s[MAX_EDGES], energy = 0;
  pl_vec3 d[MAX_EDGES];
  edge_stiffness(e, corner_count, edge_count, Q);
  for (int i = 0; i < edge_count; ++i) {
    pl_vec3 before = pl_vec3_sub(pl_fem_vector(e->X, EDGE_CORNERS[i][1]), pl_fem_vector(e->X, EDGE_CORNERS[i][0]));
    d[i] = pl_vec3_sub(pl_fem_vector(e->x, EDGE_CORNERS[i][1]), pl_fem_vector(e->x, EDGE_CORNERS[i][0]));
    if (corner_count == 3) d[i].z = before.z = 0;
    change[i] = pl_vec3_dot(pl_vec3_sub(d[i], before), pl_vec3_add(d[i], before));
  }
  memset(g, 0, (size_t)n * sizeof(double));
  for (int i = 0; i < edge_count; ++i) {
    s[i] = 0;
    for (int j = 0; j < edge_count; ++j) s[i] += Q[i][j] * change[j];
    energy += 0.5 * s[i] * change[i];
    pl_vec3 force = pl_vec3_scale(d[i], 2 * s[i]);
    pl_fem_put(g, EDGE_CORNERS[i][1], pl_vec3_add(pl_fem_vector(g, EDGE_CORNERS[i][1]), force));
    pl_fem_put(g, EDGE_CORNERS[i][0], pl_vec3_sub(pl_fem_vector(g, EDGE_CORNERS[i][0]), force));
  }
  if (h == NULL) return energy;
  memset(h, 0, (size_t)(n * n) * sizeof(double));
  for (int i = 0; i < edge_count; ++i)
    for (int j = 0; j < edge_count; ++j) add_edge_pair(h, n, i, j, 4 * Q[i][j], d, i == j && !positive ? 2 * s[i] : 0);
  for (int i = 2; corner_count == 3 && i < n; i += 3)
    for (int j = 2; j < n; j += 3) h[n * i + j] = 0;
  return energy;
}

// --- all elements ---------------------------------------------------------------------------------------------------

typedef struct evaluation {
  pl_fem_system *system;
  const double *from, *u;
  double factor;
  double *gradient, *energies;
  bool positive;
  int32_t group;
} evaluation;

static double element_evaluate(const pl_fem_group *group, const pl_fem_element *e, bool positive, double *g,
                               double *h) {
  const pl_fem_energy *energy = group->energy;
  if (!compares_measures(group)) return simplex_evaluate(e, group->corner_count, positive, g, h);
  energy->gradient(e, g);
  if (h != NULL && positive && energy->positive != NULL) {
    energy->positive(e, h);
  } else if (h != NULL) {
    energy->hessian(e, h);
    if (positive) pl_fem_project_positive(3 * group->corner_count, h);
  }
  return energy->energy(e);
}

static void visit(void *data, const int32_t *elements, int32_t count, double *matrices) {
  const evaluation *v = data;
  const pl_fem_group *group = &v->system->model->groups[v->group];
  int n = 3 * group->corner_count;
  for (int32_t i = 0; i < count; ++i) {
    double now[MAX_VALUES], before[MAX_VALUES], g[MAX_VALUES],
        *h = matrices != NULL ? matrices + (ptrdiff_t)n * n * i : NULL;
    pl_fem_element e = pl_fem_system_element(v->system, v->u, v->group, elements[i], now);
    pl_fem_system_element(v->system, v->from, v->group, elements[i], before);
    e.X = before;
    double energy = element_evaluate(group, &e, v->positive, g, h);
    v->energies[v->system->model->element_start[v->group] + elements[i]] = v->factor * energy;
    const int32_t *corners = group->corners + (ptrdiff_t)group->corner_count * elements[i];
    for (int k = 0; k < n; ++k) v->gradient[3 * (ptrdiff_t)corners[k / 3] + k % 3] += v->factor * g[k];
    for (int k = 0; h != NULL && k < n * n; ++k) h[k] *= v->factor;
  }
}

void pl_fem_viscous_add(pl_fem_system *system, int32_t group, const double *from, double factor, const double *u,
                        double *gradient, double *energies, pl_block_matrix *matrix, bool positive) {
  evaluation v = {system, from, u, factor, gradient, energies, positive, group};
  if (matrix != NULL)
    pl_block_matrix_assemble(system->context, matrix, group, visit, &v);
  else
    pl_block_pattern_visit(system->context, &system->model->pattern, group, visit, &v);
}

double pl_fem_viscous_evaluate(pl_fem_system *system, const double *from, double factor, const double *u,
                               double *gradient, pl_block_matrix *matrix, bool positive) {
  const pl_fem_model *model = system->model;
  memset(gradient, 0, 3 * (size_t)model->head.particle_count * sizeof(double));
  for (int32_t g = 0; g < model->group_count; ++g)
    pl_fem_viscous_add(system, g, from, factor, u, gradient, system->energies, matrix, positive);
  double sum = 0;
  for (int32_t i = 0; i < model->element_start[model->group_count]; ++i) sum += system->energies[i];
  return sum;
}
