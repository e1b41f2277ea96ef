// Viscosity of four tets, or of four columns of derivatives of one tet, at a time; included once per
// instruction set with KERNEL_NAME the table of functions to define. fem_maxwell.h has formulas and
// letters.
//
// The second derivative of D, for the columns e_c of J with p_c = Σ_d G_cd e_d and T = Σ e_c p_cᵀ, is
//
//   H_cd = s_cd 1 + f w μ (G_cd T + p_d p_cᵀ)   and of all points together   f λ / V h hᵀ,  h = Σ w p
//
// brought to nodes by the slopes of the shape functions; of linear tets corners 1, 2, 3 have one
// column each. Only the first term can be negative.
//
// Cost: some 400 operations for forces and stiffness of four linear tets.
#include <stddef.h>

#include "fem/fem_lanes.h"
#include "fem/fem_lanes_linear.h"
#include "fem/fem_lanes_quadratic.h"
#include "fem/fem_maxwell_assemble.h"

_Static_assert(sizeof(pl_fem_maxwell_point) == 16 * sizeof(double), "sixteen numbers are loaded");

// Slot of element (c, d) of a symmetric matrix.
static const int SLOT[3][3] = {{PL_XX, PL_XY, PL_XZ}, {PL_XY, PL_YY, PL_YZ}, {PL_XZ, PL_YZ, PL_ZZ}};

// Nodes and points of an element, constants in every function they are inlined into.
typedef struct shape {
  int node_count, point_count;
} shape;

PL_SIMD_INLINE bool is_linear(const pl_fem_maxwell *m) {
  return m->node_count == 4;
}
#define LINEAR ((shape){4, 1})
#define QUADRATIC ((shape){PL_FEM_QUADRATIC_NODES, PL_FEM_QUADRATIC_POINTS})

typedef struct point_lanes {
  pl_lanes e[3][3];  // the columns of J
  pl_lanes metric[PL_SYMMETRIC], change[PL_SYMMETRIC], stress[PL_SYMMETRIC], gram[PL_SYMMETRIC], K[9], weight, trace;
} point_lanes;

typedef struct tet_lanes {
  shape of;
  pl_lanes lambda, mu, volume, mean, energy;  // mean: θ
  point_lanes points[PL_FEM_MAX_POINTS];
} tet_lanes;

// --- metrics and stress
// ---------------------------------------------------------------------------

// J at a point, column by column, or how it changes with the edges.
PL_SIMD_INLINE void columns_at(const pl_fem_maxwell *m, shape of, int q, pl_lanes edges[][3], pl_lanes e[3][3]) {
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 3; ++i) {
      if (of.node_count == 4) {
        e[c][i] = edges[c][i];
        continue;
      }
      e[c][i] = pl_lanes_of(0);
      for (int a = 1; a < PL_FEM_QUADRATIC_NODES; ++a) e[c][i] += edges[a - 1][i] * m->slopes[q][a][c];
    }
}

// tr(A D) of symmetric matrices.
PL_SIMD_INLINE pl_lanes trace_of(const pl_lanes a[PL_SYMMETRIC], const pl_lanes d[PL_SYMMETRIC]) {
  return a[PL_XX] * d[PL_XX] + a[PL_YY] * d[PL_YY] + a[PL_ZZ] * d[PL_ZZ] +
         2.0 * (a[PL_XY] * d[PL_XY] + a[PL_XZ] * d[PL_XZ] + a[PL_YZ] * d[PL_YZ]);
}

// A D for symmetric matrices.
PL_SIMD_INLINE void multiply(const pl_lanes a[PL_SYMMETRIC], const pl_lanes d[PL_SYMMETRIC], pl_lanes to[3][3]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      to[i][j] = a[SLOT[i][0]] * d[SLOT[0][j]] + a[SLOT[i][1]] * d[SLOT[1][j]] + a[SLOT[i][2]] * d[SLOT[2][j]];
}

// A D A for symmetric matrices, times s, added.
PL_SIMD_INLINE void add_sandwich(const pl_lanes a[PL_SYMMETRIC], const pl_lanes d[PL_SYMMETRIC], pl_lanes s,
                                 pl_lanes to[PL_SYMMETRIC]) {
  pl_lanes product[3][3];
  multiply(a, d, product);
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j)
      to[SLOT[i][j]] +=
          s * (product[i][0] * a[SLOT[0][j]] + product[i][1] * a[SLOT[1][j]] + product[i][2] * a[SLOT[2][j]]);
}

// Numbers of a point of every tet, from one of pl_fem_maxwell_point on.
PL_SIMD_INLINE void load_numbers(const pl_fem_maxwell *m, shape of, int q, const int32_t element[DOUBLE_LANES],
                                 int first, int count, pl_lanes *numbers) {
  for (int part = 0; part < count; part += 4) {
    for (int lane = 0; lane < DOUBLE_LANES; ++lane) {
      ptrdiff_t at = (ptrdiff_t)of.point_count * element[lane] + q;
      numbers[part + lane] = pl_lanes_load((const double *)(const void *)&m->points[at] + first + part);
    }
    pl_lanes_transpose(numbers + part);
  }
}

// What the rest shape makes of a point, and its anchor into `change`.
PL_SIMD_INLINE void load_point(const pl_fem_maxwell *m, shape of, int q, const int32_t element[DOUBLE_LANES],
                               point_lanes *p) {
  pl_lanes numbers[8], low[DOUBLE_LANES], high[DOUBLE_LANES];
  load_numbers(m, of, q, element, 8, 8, numbers);
  for (int lane = 0; lane < DOUBLE_LANES; ++lane) {
    const double *anchor = m->anchors + PL_SYMMETRIC * ((ptrdiff_t)of.point_count * element[lane] + q);
    low[lane] = pl_lanes_load(anchor);
    high[lane] = pl_lanes_load(anchor + 2);
  }
  pl_lanes_transpose(low);
  pl_lanes_transpose(high);
  for (int i = 0; i < PL_SYMMETRIC; ++i) {
    p->gram[i] = numbers[1 + i];
    p->change[i] = i < 4 ? low[i] : high[i - 2];
  }
  p->weight = numbers[7];
}

// Δ and s of all points, the columns of J, and θ; the energy.
PL_SIMD_INLINE void find_stress(const pl_fem_maxwell *m, shape of, const double *u, const int32_t element[DOUBLE_LANES],
                                tet_lanes *t) {
  const double *c[DOUBLE_LANES];
  pl_lanes edges[FREE][3], energy = pl_lanes_of(0);
  for (int lane = 0; lane < DOUBLE_LANES; ++lane) c[lane] = m->constants + 2 * (ptrdiff_t)element[lane];
  t->lambda = (pl_lanes){c[0][0], c[1][0], c[2][0], c[3][0]};
  t->mu = (pl_lanes){c[0][1], c[1][1], c[2][1], c[3][1]};
  t->of = of;
  t->volume = t->mean = pl_lanes_of(0);
  pl_lanes_load_edges(u, m->model->groups[0].corners, of.node_count, element, edges);
  for (int q = 0; q < of.point_count; ++q) {
    point_lanes *p = &t->points[q];
    load_point(m, of, q, element, p);
    columns_at(m, of, q, edges, p->e);
    pl_lanes_gram(p->e, p->metric);
    for (int k = 0; k < PL_SYMMETRIC; ++k) p->change[k] = m->factor * p->metric[k] - p->change[k];
    p->trace = trace_of(p->gram, p->change);
    t->volume += p->weight;
    t->mean += p->weight * p->trace;
  }
  t->mean /= t->volume;
  for (int q = 0; q < of.point_count; ++q) {
    point_lanes *p = &t->points[q];
    for (int k = 0; k < PL_SYMMETRIC; ++k) p->stress[k] = pl_lanes_of(0);
    add_sandwich(p->gram, p->change, p->weight * t->mu, p->stress);
    // Σ w μ/4 tr(GΔGΔ) from the stress without λ: its trace with Δ.
    energy += 0.25 * trace_of(p->stress, p->change);
    for (int k = 0; k < PL_SYMMETRIC; ++k) p->stress[k] += 0.5 * p->weight * t->lambda * t->mean * p->gram[k];
  }
  t->energy = (energy + 0.125 * t->lambda * t->volume * t->mean * t->mean) / m->factor;
}

// J s: the force of column c.
PL_SIMD_INLINE void force_of(pl_lanes e[3][3], const pl_lanes stress[PL_SYMMETRIC], int c, pl_lanes force[3]) {
  for (int i = 0; i < 3; ++i)
    force[i] = e[0][i] * stress[SLOT[0][c]] + e[1][i] * stress[SLOT[1][c]] + e[2][i] * stress[SLOT[2][c]];
}

// --- stiffness
// ------------------------------------------------------------------------------------

// f w μ and f w μ T of a point.
PL_SIMD_INLINE pl_lanes find_turned(const pl_fem_maxwell *m, const tet_lanes *t, point_lanes *point, pl_lanes p[3][3],
                                    pl_lanes T[3][3]) {
  pl_lanes stiffness = m->factor * point->weight * t->mu;
  const pl_lanes *gram = point->gram;
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 3; ++i)
      p[c][i] =
          gram[SLOT[c][0]] * point->e[0][i] + gram[SLOT[c][1]] * point->e[1][i] + gram[SLOT[c][2]] * point->e[2][i];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      T[i][j] = stiffness * (point->e[0][i] * p[0][j] + point->e[1][i] * p[1][j] + point->e[2][i] * p[2][j]);
  return stiffness;
}

// H_cd without λ; `positive`: without its first term.
PL_SIMD_INLINE void tangent_block(point_lanes *point, pl_lanes stiffness, pl_lanes p[3][3], pl_lanes T[3][3], int c,
                                  int d, bool positive, pl_lanes block[3][3]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) block[i][j] = point->gram[SLOT[c][d]] * T[i][j] + stiffness * p[d][i] * p[c][j];
  for (int i = 0; i < 3 && !positive; ++i) block[i][i] += point->stress[SLOT[c][d]];
}

PL_SIMD_INLINE void linear_tangent(const pl_fem_maxwell *m, tet_lanes *t, bool positive, linear_lanes *r) {
  pl_lanes p[3][3], T[3][3], stiffness = find_turned(m, t, t->points, p, T);
  pl_lanes factor = m->factor * t->points->weight * (positive ? pl_lanes_positive(t->lambda) : t->lambda);
  for (int c = 0; c < 3; ++c)
    for (int d = c; d < 3; ++d) {
      pl_lanes block[3][3];
      tangent_block(t->points, stiffness, p, T, c, d, positive, block);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) block[i][j] += factor * (p[c][i] * p[d][j]);
      set_linear_block(r, c, d, block);
    }
  complete_linear_matrix(r);
}

// C of the parent tet, (3 i + c, 3 j + d), and w p to the mean.
PL_SIMD_INLINE void add_quadratic_tangent(const pl_fem_maxwell *m, tet_lanes *t, int q, const pl_lanes *slopes,
                                          bool positive, quadratic_lanes *r) {
  point_lanes *point = &t->points[q];
  pl_lanes p[3][3], T[3][3], D[9], C[9][9], stiffness = find_turned(m, t, point, p, T);
  for (int c = 0; c < 3; ++c)
    for (int d = c; d < 3; ++d) {
      pl_lanes block[3][3];
      tangent_block(point, stiffness, p, T, c, d, positive, block);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          int row = 3 * i + c, column = 3 * j + d;
          if (row <= column)
            C[row][column] = block[i][j];
          else
            C[column][row] = block[i][j];
        }
    }
  for (int k = 0; k < 9; ++k) D[k] = p[k % 3][k / 3];
  add_quadratic_vectors(slopes, point->weight, D, r->mean);
  add_quadratic_blocks(slopes, C, r);
}

// --- evaluations
// ----------------------------------------------------------------------------------

static void evaluate_linear(const pl_fem_maxwell_pose *pose, const int32_t element[DOUBLE_LANES], bool tangent,
                            linear_lanes *r) {
  tet_lanes t;
  find_stress(pose->maxwell, LINEAR, pose->u, element, &t);
  r->energy = t.energy;
  for (int c = 0; c < 3; ++c) force_of(t.points->e, t.points->stress, c, r->gradient[c + 1]);
  complete_linear_gradient(r);
  if (tangent) linear_tangent(pose->maxwell, &t, pose->positive, r);
}

// Slopes of nodes 1 … 9 at a point.
PL_SIMD_INLINE void spread_slopes(const pl_fem_maxwell *m, int q, pl_lanes slopes[3 * FREE]) {
  for (int a = 0; a < FREE; ++a)
    for (int c = 0; c < 3; ++c) slopes[3 * a + c] = pl_lanes_of(m->slopes[q][a + 1][c]);
}

static void evaluate_quadratic(const pl_fem_maxwell_pose *pose, const int32_t element[DOUBLE_LANES], bool tangent,
                               quadratic_lanes *r) {
  const pl_fem_maxwell *m = pose->maxwell;
  tet_lanes t;
  find_stress(m, QUADRATIC, pose->u, element, &t);
  clear_quadratic(tangent, r);
  r->energy = t.energy;
  for (int q = 0; q < PL_FEM_QUADRATIC_POINTS; ++q) {
    pl_lanes slopes[3 * FREE], P[9], force[3];
    spread_slopes(m, q, slopes);
    for (int c = 0; c < 3; ++c) {
      force_of(t.points[q].e, t.points[q].stress, c, force);
      for (int i = 0; i < 3; ++i) P[3 * i + c] = force[i];
    }
    add_quadratic_vectors(slopes, pl_lanes_of(1), P, r->gradient);
    if (tangent) add_quadratic_tangent(m, &t, q, slopes, pose->positive, r);
  }
  r->factor = m->factor * (pose->positive ? pl_lanes_positive(t.lambda) : t.lambda) / t.volume;
}

PL_SIMD_INLINE void write_energies(const pl_lanes *energy, int lane_count, double *to) {
  for (int lane = 0; to != NULL && lane < lane_count; ++lane) to[lane] = (*energy)[lane];
}

static void evaluate_tets(const pl_fem_maxwell_pose *pose, const int32_t *elements, int32_t count, double *energies,
                          double *gradients, double *matrices) {
  for (int32_t begin = 0; begin < count; begin += DOUBLE_LANES) {
    // A last group that is not full repeats its first tet.
    int lane_count = count - begin < DOUBLE_LANES ? (int)(count - begin) : DOUBLE_LANES;
    int32_t element[DOUBLE_LANES];
    for (int lane = 0; lane < DOUBLE_LANES; ++lane) element[lane] = elements[begin + (lane < lane_count ? lane : 0)];
    if (is_linear(pose->maxwell)) {
      linear_lanes r;
      evaluate_linear(pose, element, matrices != NULL, &r);
      write_energies(&r.energy, lane_count, energies != NULL ? energies + begin : NULL);
      if (gradients != NULL) write_rows(&r.gradient[0][0], 12, lane_count, gradients + 12 * (ptrdiff_t)begin);
      if (matrices != NULL) write_rows(&r.matrix[0][0], 144, lane_count, matrices + 144 * (ptrdiff_t)begin);
    } else {
      quadratic_lanes r;
      evaluate_quadratic(pose, element, matrices != NULL, &r);
      write_energies(&r.energy, lane_count, energies != NULL ? energies + begin : NULL);
      if (gradients != NULL) write_quadratic_gradients(&r, lane_count, gradients + QUADRATIC_VALUES * (ptrdiff_t)begin);
      if (matrices != NULL)
        write_quadratic_matrices(&r, lane_count, matrices + QUADRATIC_VALUES * QUADRATIC_VALUES * (ptrdiff_t)begin);
    }
  }
}

// --- four columns of derivatives
// ------------------------------------------------------------------

// Changes of the nodes 1 … relative to node 0 in four columns.
PL_SIMD_INLINE void load_changes(shape of, const int32_t *nodes, const double *change, int32_t padded,
                                 pl_lanes edges[][3]) {
  for (int i = 0; i < 3; ++i) {
    pl_lanes first = pl_lanes_load(change + (3 * (ptrdiff_t)nodes[0] + i) * padded);
    for (int a = 1; a < of.node_count; ++a)
      edges[a - 1][i] = pl_lanes_load(change + (3 * (ptrdiff_t)nodes[a] + i) * padded) - first;
  }
}

PL_SIMD_INLINE void measure_elements(const pl_fem_maxwell *m, shape of, const pl_fem_maxwell_moves *moves,
                                     double *metrics) {
  ptrdiff_t padded = moves->padded, size = (ptrdiff_t)PL_SYMMETRIC * of.point_count * padded;
  for (int32_t element = 0; element < m->model->groups[0].element_count; ++element) {
    const int32_t same[DOUBLE_LANES] = {element, element, element, element};
    const int32_t *nodes = m->model->groups[0].corners + (ptrdiff_t)of.node_count * element;
    pl_lanes edges[FREE][3], changes[FREE][3], e[3][3], turned[3][3];
    pl_lanes_load_edges(moves->x, m->model->groups[0].corners, of.node_count, same, edges);
    for (ptrdiff_t first = 0; first < padded; first += DOUBLE_LANES) {
      load_changes(of, nodes, moves->change + first, moves->padded, changes);
      for (int q = 0; q < of.point_count; ++q) {
        double *to = metrics + size * element + (ptrdiff_t)PL_SYMMETRIC * padded * q + first;
        columns_at(m, of, q, edges, e);
        columns_at(m, of, q, changes, turned);
        for (int c = 0; c < 3; ++c)
          for (int d = c; d < 3; ++d)
            pl_lanes_store(to + padded * SLOT[c][d], pl_lanes_dot(e[c], turned[d]) + pl_lanes_dot(turned[c], e[d]));
      }
    }
  }
}

static void measure_changes(const pl_fem_maxwell *m, const pl_fem_maxwell_moves *moves, double *metrics) {
  if (is_linear(m))
    measure_elements(m, LINEAR, moves, metrics);
  else
    measure_elements(m, QUADRATIC, moves, metrics);
}

// What four columns change of a point.
typedef struct change_lanes {
  pl_lanes change[PL_SYMMETRIC], gram[PL_SYMMETRIC], weight;
} change_lanes;

PL_SIMD_INLINE void load_inverse(const pl_fem_maxwell *m, shape of, int q, const int32_t element[DOUBLE_LANES],
                                 point_lanes *p) {
  pl_lanes numbers[12];
  load_numbers(m, of, q, element, 0, 12, numbers);
  for (int i = 0; i < 9; ++i) p->K[i] = numbers[i];
}

// ∂G and ∂w of a point as the rest shape changes: with D = K ∂J, ∂G = -(D G + G Dᵀ) and ∂w = w tr D.
PL_SIMD_INLINE void change_point(const pl_fem_maxwell *m, shape of, int q, const point_lanes *p, pl_lanes moved[][3],
                                 change_lanes *k) {
  pl_lanes J[3][3], D[3][3];
  columns_at(m, of, q, moved, J);
  for (int r = 0; r < 3; ++r)
    for (int d = 0; d < 3; ++d) D[r][d] = pl_lanes_dot(p->K + 3 * r, J[d]);
  for (int r = 0; r < 3; ++r)
    for (int d = r; d < 3; ++d) {
      pl_lanes sum = pl_lanes_of(0);
      for (int i = 0; i < 3; ++i) sum += D[r][i] * p->gram[SLOT[i][d]] + D[d][i] * p->gram[SLOT[i][r]];
      k->gram[SLOT[r][d]] = -sum;
    }
  k->weight = p->weight * (D[0][0] + D[1][1] + D[2][2]);
}

// A D B + B D A for symmetric matrices, times s, added.
PL_SIMD_INLINE void add_mixed_sandwich(const pl_lanes a[PL_SYMMETRIC], const pl_lanes b[PL_SYMMETRIC],
                                       const pl_lanes d[PL_SYMMETRIC], pl_lanes s, pl_lanes to[PL_SYMMETRIC]) {
  pl_lanes left[3][3];
  multiply(a, d, left);
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) {
      pl_lanes sum = pl_lanes_of(0);
      for (int k = 0; k < 3; ++k) sum += left[i][k] * b[SLOT[k][j]] + left[j][k] * b[SLOT[k][i]];
      to[SLOT[i][j]] += s * sum;
    }
}

// What the columns change of Lamé's constants.
typedef struct lame_lanes {
  pl_lanes lambda, mu;
} lame_lanes;

PL_SIMD_INLINE lame_lanes change_lame(const pl_fem_maxwell_changes *c, const tet_lanes *t, int32_t element,
                                      int32_t first) {
  pl_lanes fraction = pl_lanes_of(0);
  if (c->fractions != NULL) fraction = pl_lanes_load(c->fractions + (ptrdiff_t)element * c->padded + first);
  lame_lanes change = {fraction * t->lambda, fraction * t->mu};
  if (c->poisson_column >= first && c->poisson_column < first + DOUBLE_LANES) {
    int lane = c->poisson_column - first;
    change.lambda[lane] += c->poisson[2 * (ptrdiff_t)element];
    change.mu[lane] += c->poisson[2 * (ptrdiff_t)element + 1];
  }
  return change;
}

// Everything at all points first, for the mean. Returns how that changes.
PL_SIMD_INLINE pl_lanes change_points(const pl_fem_maxwell *m, const pl_fem_maxwell_changes *c, const tet_lanes *t,
                                      int32_t element, int32_t first, change_lanes *changes) {
  shape of = t->of;
  const int32_t *nodes = m->model->groups[0].corners + (ptrdiff_t)of.node_count * element;
  pl_lanes moved[FREE][3], volume_change = pl_lanes_of(0), sum_change = pl_lanes_of(0);
  pl_lanes factor = pl_lanes_load(c->factors + first);
  if (c->rest_change != NULL) load_changes(of, nodes, c->rest_change + first, c->padded, moved);
  for (int q = 0; q < of.point_count; ++q) {
    const point_lanes *p = &t->points[q];
    change_lanes *k = &changes[q];
    const double *anchors = c->anchors + ((ptrdiff_t)element * of.point_count + q) * PL_SYMMETRIC * c->padded + first;
    for (int i = 0; i < PL_SYMMETRIC; ++i) {
      k->change[i] = factor * p->metric[i] - pl_lanes_load(anchors + (ptrdiff_t)i * c->padded);
      k->gram[i] = pl_lanes_of(0);
    }
    k->weight = pl_lanes_of(0);
    if (c->rest_change != NULL) change_point(m, of, q, p, moved, k);
    volume_change += k->weight;
    sum_change += k->weight * p->trace + p->weight * (trace_of(p->gram, k->change) + trace_of(k->gram, p->change));
  }
  return (sum_change - t->mean * volume_change) / t->volume;
}

// The force of column c to the nodes, subtracted.
PL_SIMD_INLINE void subtract_force(const pl_fem_maxwell *m, int q, int c, const pl_lanes force[3],
                                   pl_lanes to[PL_FEM_MAX_CORNERS][3]) {
  for (int i = 0; i < 3; ++i) {
    if (is_linear(m)) {
      to[c + 1][i] -= force[i];
      to[0][i] += force[i];
      continue;
    }
    for (int a = 0; a < PL_FEM_QUADRATIC_NODES; ++a) to[a][i] -= m->slopes[q][a][c] * force[i];
  }
}

static void change_columns(const pl_fem_maxwell *m, const pl_fem_maxwell_changes *c, tet_lanes *t, int32_t element,
                           int32_t first) {
  shape of = t->of;
  const int32_t *nodes = m->model->groups[0].corners + (ptrdiff_t)of.node_count * element;
  change_lanes changes[PL_FEM_MAX_POINTS];
  pl_lanes mean_change = change_points(m, c, t, element, first, changes), to[PL_FEM_MAX_CORNERS][3];
  lame_lanes lame = change_lame(c, t, element, first);
  for (int a = 0; a < of.node_count; ++a)
    for (int i = 0; i < 3; ++i) to[a][i] = pl_lanes_load(c->rhs + (3 * (ptrdiff_t)nodes[a] + i) * c->padded + first);
  for (int q = 0; q < of.point_count; ++q) {
    point_lanes *p = &t->points[q];
    const change_lanes *k = &changes[q];
    pl_lanes stress[PL_SYMMETRIC], w = p->weight;
    for (int i = 0; i < PL_SYMMETRIC; ++i) stress[i] = pl_lanes_of(0);
    add_sandwich(p->gram, k->change, w * t->mu, stress);
    add_sandwich(p->gram, p->change, w * lame.mu + k->weight * t->mu, stress);
    if (c->rest_change != NULL) add_mixed_sandwich(p->gram, k->gram, p->change, w * t->mu, stress);
    pl_lanes scale = 0.5 * (w * (lame.lambda * t->mean + t->lambda * mean_change) + k->weight * t->lambda * t->mean);
    for (int i = 0; i < PL_SYMMETRIC; ++i) stress[i] += scale * p->gram[i] + 0.5 * w * t->lambda * t->mean * k->gram[i];
    for (int d = 0; d < 3; ++d) {
      pl_lanes force[3];
      force_of(p->e, stress, d, force);
      subtract_force(m, q, d, force, to);
    }
  }
  for (int a = 0; a < of.node_count; ++a)
    for (int i = 0; i < 3; ++i) pl_lanes_store(c->rhs + (3 * (ptrdiff_t)nodes[a] + i) * c->padded + first, to[a][i]);
}

static void change_forces(const pl_fem_maxwell *m, const pl_fem_maxwell_changes *c) {
  for (int32_t element = 0; element < m->model->groups[0].element_count; ++element) {
    const int32_t same[DOUBLE_LANES] = {element, element, element, element};
    shape of = is_linear(m) ? LINEAR : QUADRATIC;
    tet_lanes t;
    find_stress(m, of, c->u, same, &t);
    for (int q = 0; q < of.point_count; ++q) load_inverse(m, of, q, same, &t.points[q]);
    for (int32_t first = 0; first < c->padded; first += DOUBLE_LANES) change_columns(m, c, &t, element, first);
  }
}

const pl_fem_maxwell_kernel KERNEL_NAME = {evaluate_tets, change_forces, measure_changes};
