// The kernels of fem_shell_assemble.h, included twice: with KERNEL_NAME the table to define. The
// versions for one element, with all derivatives and where they come from, are fem_shell.c and fem_curve.c.
//
//   g = w (f - F) f'        H = w (f' f'ᵀ + (f - F) f'')        M = -w f' F'ᵀ
//
// for the sides d_k = x_k - x_0; corner 0 gets minus the sum of the others. Damping by the change of f since the start
// of the step, f₀, is the same with another weight, φ w, and f₀ in place of F.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "fem/fem_sides_kernel.h"

// Squared sine of an angle below which a triangle has no normal, and squared ratio of the lengths of two edges of a
// curve below which they have no angle (fem_shell.c).
static const double SHELL_FLAT_SINE2 = 1e-12;

// Of four elements: sides, f, f' and the blocks of H by sides, K[i][j] with i >= j.
typedef struct shell_lanes {
  pl_lanes d[SIDES_MAX][3], value, f1[SIDES_MAX][3];
  pl_lanes stiffness, pull;  // factors of f' f'ᵀ and f''
  pl_lanes K[SIDES_MAX][SIDES_MAX][3][3];
} shell_lanes;

PL_SIMD_INLINE void shell_scale(const pl_lanes a[3], pl_lanes factor, pl_lanes to[3]) {
  for (int i = 0; i < 3; ++i) to[i] = factor * a[i];
}

// Numbers where the mask is set, 0 elsewhere.
PL_SIMD_INLINE pl_lanes shell_where(pl_lane_mask mask, pl_lanes a) {
  return (pl_lanes)(mask & (pl_lane_mask)a);
}

// K = stiffness f' f'ᵀ
PL_SIMD_INLINE void shell_outer(int sides, int axes, shell_lanes *s) {
  for (int i = 0; i < sides; ++i)
    for (int a = 0; a < axes; ++a) {
      pl_lanes row = s->stiffness * s->f1[i][a];
      for (int j = 0; j <= i; ++j)
        for (int b = 0; b < axes; ++b) s->K[i][j][a][b] = row * s->f1[j][b];
    }
}

// --- the measures -------------------------------------------------------------------------

// f = d·d
PL_SIMD_INLINE void shell_edge_value(int axes, shell_lanes *s) {
  const pl_lanes *d = s->d[0];
  s->value = d[0] * d[0] + d[1] * d[1];
  if (axes == 3) s->value += d[2] * d[2];
  for (int a = 0; a < axes; ++a) s->f1[0][a] = 2.0 * d[a];
}

PL_SIMD_INLINE void shell_edge_hessian(int axes, shell_lanes *s) {
  shell_outer(1, axes, s);
  for (int a = 0; a < axes; ++a) s->K[0][0][a][a] += 2.0 * s->pull;
}

// f = ½ |n|, n = p × q, N = n / |n|. With P = 1 - N Nᵀ the part of f'' in fem_shell.c with Jᵀ P J is one along N alone:
// ½ |q|²/|n| N Nᵀ for (p, p), -½ p·q/|n| N Nᵀ for (p, q), to which comes -½ [N].
typedef struct shell_normal {
  pl_lanes unit[3], over;  // N, ½ / |n|; both 0 where there is no normal
} shell_normal;

PL_SIMD_INLINE shell_normal shell_triangle_value(shell_lanes *s) {
  shell_normal n;
  pl_lanes cross[3], q[3];
  pl_lanes_cross(s->d[0], s->d[1], cross);
  pl_lanes square = pl_lanes_dot(cross, cross), length = pl_lanes_sqrt(square);
  pl_lane_mask good = square > SHELL_FLAT_SINE2 * (pl_lanes_dot(s->d[0], s->d[0]) * pl_lanes_dot(s->d[1], s->d[1]));
  s->value = 0.5 * length;
  pl_lanes inverse = 1.0 / pl_lanes_select(good, length, pl_lanes_of(1));
  n.over = shell_where(good, 0.5 * inverse);
  for (int a = 0; a < 3; ++a) n.unit[a] = shell_where(good, inverse * cross[a]);
  pl_lanes_cross(s->d[1], n.unit, q);
  shell_scale(q, pl_lanes_of(0.5), s->f1[0]);
  pl_lanes_cross(n.unit, s->d[0], q);
  shell_scale(q, pl_lanes_of(0.5), s->f1[1]);
  return n;
}

PL_SIMD_INLINE void shell_triangle_hessian(const shell_normal *n, shell_lanes *s) {
  shell_outer(2, 3, s);
  pl_lanes over = s->pull * n->over, half = 0.5 * s->pull;
  pl_lanes pp = over * pl_lanes_dot(s->d[1], s->d[1]), qp = -over * pl_lanes_dot(s->d[0], s->d[1]),
           qq = over * pl_lanes_dot(s->d[0], s->d[0]);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      pl_lanes along = n->unit[a] * n->unit[b];
      s->K[0][0][a][b] += pp * along;
      s->K[1][0][a][b] += qp * along;
      s->K[1][1][a][b] += qq * along;
    }
  // (q, p): the transpose of -½ [N]
  for (int a = 0; a < 3; ++a) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    s->K[1][0][b][c] -= half * n->unit[a];
    s->K[1][0][c][b] += half * n->unit[a];
  }
}

// Of one triangle at a hinge; all 0 where one of the two has no normal.
typedef struct shell_wing {
  pl_lanes n[3], h[3], t, first, alpha, beta;  // first: ± r/m; alpha, beta with their sign
} shell_wing;

PL_SIMD_INLINE pl_lane_mask shell_wing_normal(const pl_lanes e[3], const pl_lanes p[3], shell_wing *w) {
  pl_lanes_cross(e, p, w->n);
  pl_lanes r2 = pl_lanes_dot(e, e);
  return pl_lanes_dot(w->n, w->n) > SHELL_FLAT_SINE2 * (r2 * (r2 + pl_lanes_dot(p, p)));
}

PL_SIMD_INLINE void shell_wing_measure(const pl_lanes e[3], const pl_lanes p[3], pl_lane_mask good, double sign,
                                       shell_wing *w) {
  pl_lanes one = pl_lanes_of(1), r2 = pl_lanes_select(good, pl_lanes_dot(e, e), one), r = pl_lanes_sqrt(r2);
  pl_lanes m = pl_lanes_select(good, pl_lanes_dot(w->n, w->n), one);
  w->t = shell_where(good, pl_lanes_dot(p, e) / r2);
  pl_lanes first = r / m;
  w->first = shell_where(good, sign * first);
  w->alpha = shell_where(good, sign * (first * r2 / m));
  w->beta = shell_where(good, sign / (r * m));
  for (int a = 0; a < 3; ++a) w->h[a] = p[a] - w->t * e[a];
}

// f = θ
PL_SIMD_INLINE void shell_hinge_value(shell_lanes *s, shell_wing w[2]) {
  const pl_lanes *e = s->d[0], *p = s->d[1], *q = s->d[2];
  pl_lane_mask good = shell_wing_normal(e, p, &w[0]);
  good &= shell_wing_normal(e, q, &w[1]);
  shell_wing_measure(e, p, good, -1, &w[0]);
  shell_wing_measure(e, q, good, 1, &w[1]);
  pl_lanes across[3];
  pl_lanes_cross(p, q, across);
  pl_lanes sine = -(pl_lanes_sqrt(pl_lanes_dot(e, e)) * pl_lanes_dot(e, across));
  s->value = pl_lanes_atan2(sine, -pl_lanes_dot(w[0].n, w[1].n));
  for (int a = 0; a < 3; ++a) {
    s->f1[1][a] = w[0].first * w[0].n[a];
    s->f1[2][a] = w[1].first * w[1].n[a];
    s->f1[0][a] = -(w[0].t * s->f1[1][a] + w[1].t * s->f1[2][a]);
  }
}

// The blocks of one wing, side k: those of (p, p), (p, e) and (e, e).
PL_SIMD_INLINE void shell_hinge_wing(const shell_wing *w, int k, shell_lanes *s) {
  const pl_lanes *e = s->d[0];
  pl_lanes alpha = s->pull * w->alpha, beta = s->pull * w->beta, slope = w->t * alpha;
  pl_lanes bow = 0.5 * beta + w->t * slope, skew = w->t * beta;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      pl_lanes nh = w->n[a] * w->h[b] + w->h[a] * w->n[b];
      s->K[k][k][a][b] -= alpha * nh;
      s->K[k][0][a][b] += slope * nh - beta * (e[a] * w->n[b]);
      s->K[0][0][a][b] -= bow * nh - skew * (w->n[a] * e[b] + e[a] * w->n[b]);
    }
}

PL_SIMD_INLINE void shell_hinge_hessian(const shell_wing w[2], shell_lanes *s) {
  shell_outer(3, 3, s);
  shell_hinge_wing(&w[0], 1, s);
  shell_hinge_wing(&w[1], 2, s);
}

// f = θ of a curve in the plane, between the edges a = p and b = q - p taken as complex numbers: Im(log b - log a)
// (fem_curve.c). 1/a and 1/b, 0 where the angle is not defined.
typedef struct shell_turn {
  pl_lanes a[2], b[2];
} shell_turn;

PL_SIMD_INLINE pl_lanes shell_turn_angle(const pl_lanes a[2], const pl_lanes q[2]) {
  const pl_lanes b[2] = {q[0] - a[0], q[1] - a[1]};
  return pl_lanes_atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
}

PL_SIMD_INLINE shell_turn shell_turn_value(shell_lanes *s) {
  shell_turn t;
  const pl_lanes *a = s->d[0], b[2] = {s->d[1][0] - a[0], s->d[1][1] - a[1]};
  pl_lanes a2 = a[0] * a[0] + a[1] * a[1], b2 = b[0] * b[0] + b[1] * b[1];
  pl_lane_mask good = (a2 > SHELL_FLAT_SINE2 * b2) & (b2 > SHELL_FLAT_SINE2 * a2);
  a2 = pl_lanes_select(good, a2, pl_lanes_of(1));
  b2 = pl_lanes_select(good, b2, pl_lanes_of(1));
  t.a[0] = shell_where(good, a[0] / a2);
  t.a[1] = shell_where(good, -a[1] / a2);
  t.b[0] = shell_where(good, b[0] / b2);
  t.b[1] = shell_where(good, -b[1] / b2);
  s->value = shell_turn_angle(a, s->d[1]);
  // Im(z'/z) for z' = 1 and i
  s->f1[0][0] = -t.b[1] - t.a[1];
  s->f1[0][1] = -t.b[0] - t.a[0];
  s->f1[1][0] = t.b[1];
  s->f1[1][1] = t.b[0];
  return t;
}

// Second derivatives of the logarithms, -1/z² = c: of an argument they are Im c, Re c and -Im c.
PL_SIMD_INLINE void shell_turn_hessian(const shell_turn *t, shell_lanes *s) {
  shell_outer(2, 2, s);
  pl_lanes a[2] = {s->pull * (t->a[1] * t->a[1] - t->a[0] * t->a[0]), s->pull * (-2.0 * (t->a[0] * t->a[1]))};
  pl_lanes b[2] = {s->pull * (t->b[1] * t->b[1] - t->b[0] * t->b[0]), s->pull * (-2.0 * (t->b[0] * t->b[1]))};
  const pl_lanes A[2][2] = {{a[1], a[0]}, {a[0], -a[1]}}, B[2][2] = {{b[1], b[0]}, {b[0], -b[1]}};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      s->K[0][0][i][j] += B[i][j] - A[i][j];
      s->K[1][0][i][j] -= B[i][j];
      s->K[1][1][i][j] += B[i][j];
    }
}

// --- four elements ------------------------------------------------------------------------------

// What the measures keep of f' for f''.
typedef struct shell_shape {
  shell_wing wings[2];
  shell_normal normal;
  shell_turn turn;
} shell_shape;

// f and f' of the sides. `kind` and `axes` are written out by the caller, so that only one of the measures is left.
PL_SIMD_INLINE void shell_measure(pl_fem_shell_kind kind, int axes, shell_lanes *s, shell_shape *shape) {
  if (kind == PL_FEM_SHELL_EDGE) shell_edge_value(axes, s);
  if (kind == PL_FEM_SHELL_TRIANGLE) shape->normal = shell_triangle_value(s);
  if (kind == PL_FEM_SHELL_TURN) shape->turn = shell_turn_value(s);
  if (kind == PL_FEM_SHELL_HINGE) shell_hinge_value(s, shape->wings);
}

PL_SIMD_INLINE int32_t shell_corner_count(pl_fem_shell_kind kind) {
  return kind == PL_FEM_SHELL_EDGE ? 2 : kind == PL_FEM_SHELL_HINGE ? 4 : 3;
}

PL_SIMD_INLINE pl_lanes shell_constant(const pl_fem_shells *z, const int32_t four[4], int number) {
  const double *from[4];
  for (int k = 0; k < 4; ++k) from[k] = (const double *)(const void *)&z->constants[four[k]];
  return (pl_lanes){from[0][number], from[1][number], from[2][number], from[3][number]};
}

PL_SIMD_INLINE void shell_load(const pl_fem_shells *z, pl_fem_shell_kind kind, int axes, const int32_t four[4],
                               pl_lanes d[SIDES_MAX][3]) {
  if (axes == 2)
    sides_load_plane(z->corners, z->positions, shell_corner_count(kind), four, d);
  else
    sides_load(z->corners, z->positions, shell_corner_count(kind), four, d);
}

PL_SIMD_INLINE void shell_scatter_force(const pl_fem_shells *z, pl_fem_shell_kind kind, int axes, const int32_t *four,
                                        int32_t count, pl_lanes force, const shell_lanes *s, double *to) {
  pl_lanes g[SIDES_MAX][3];
  int32_t corner_count = shell_corner_count(kind);
  for (int i = 0; i + 1 < corner_count; ++i)
    for (int a = 0; a < axes; ++a) g[i][a] = force * s->f1[i][a];
  if (axes == 2)
    sides_scatter_plane_vector(z->corners, corner_count, four, count, g, to);
  else
    sides_scatter_vector(z->corners, corner_count, four, count, g, to);
}

PL_SIMD_INLINE void shell_assemble_four(const pl_fem_shells *z, pl_fem_shell_kind kind, int axes, const int32_t four[4],
                                        int32_t count) {
  shell_lanes s;
  shell_shape shape;
  int32_t corner_count = shell_corner_count(kind);
  shell_load(z, kind, axes, four, s.d);
  shell_measure(kind, axes, &s, &shape);
  pl_lanes weight = shell_constant(z, four, 0), excess = s.value - shell_constant(z, four, 1), none = pl_lanes_of(0);
  pl_lanes force = weight * excess, energy = 0.5 * (force * excess), slope = pl_lanes_of(1), bend = none;
  if (z->limits != NULL) {
    pl_lanes limit = z->scale * sides_gather(z->limits, four);
    slope = z->plain + 2.0 * (limit * energy);
    bend = 2.0 * limit;
    energy = energy * (z->plain + limit * energy);
  }
  for (int32_t k = 0; k < count; ++k) z->energies[four[k]] = energy[k];
  if (z->gradient != NULL) shell_scatter_force(z, kind, axes, four, count, slope * force, &s, z->gradient);
  pl_lanes drag = none, dragged = none;
  if (z->viscous != NULL) {
    pl_lanes change = s.value - shell_constant(z, four, 2);
    dragged = z->factor * weight;
    drag = dragged * change;
    pl_lanes lost = 0.5 * (drag * change);
    for (int32_t k = 0; k < count; ++k) z->viscous_energies[four[k]] = lost[k];
    shell_scatter_force(z, kind, axes, four, count, drag, &s, z->viscous);
  }
  if (z->values == NULL) return;
  s.stiffness = z->positive ? pl_lanes_positive(weight) : weight;
  s.pull = force;
  // What of f'' has no negative eigenvalues for sure: that of a stretched edge.
  bool edge = kind == PL_FEM_SHELL_EDGE;
  if (z->positive) s.pull = edge ? shell_where(weight > 0.0, pl_lanes_positive(force)) : none;
  if (z->viscous != NULL) {
    s.stiffness += z->positive ? pl_lanes_positive(dragged) : dragged;
    if (!z->positive) s.pull += drag;
    if (z->positive && edge) s.pull += shell_where(dragged > 0.0, pl_lanes_positive(drag));
  }
  if (z->limits != NULL) {
    s.stiffness = slope * s.stiffness + bend * (force * force);
    s.pull = slope * s.pull;
  }
  if (kind == PL_FEM_SHELL_EDGE) shell_edge_hessian(axes, &s);
  if (kind == PL_FEM_SHELL_TRIANGLE) shell_triangle_hessian(&shape.normal, &s);
  if (kind == PL_FEM_SHELL_TURN) shell_turn_hessian(&shape.turn, &s);
  if (kind == PL_FEM_SHELL_HINGE) shell_hinge_hessian(shape.wings, &s);
  if (axes == 2)
    sides_scatter_plane(z->slots, corner_count, four, count, true, s.K, z->values);
  else
    sides_scatter_symmetric(z->slots, corner_count, four, count, s.K, z->values);
}

// ∂²W/∂x∂X of up to four elements (paper 004, §6).
PL_SIMD_INLINE void shell_mixed_four(const pl_fem_shells *z, pl_fem_shell_kind kind, int axes, const int32_t four[4],
                                     int32_t count) {
  shell_lanes now, rest;
  shell_shape shape;
  pl_lanes K[SIDES_MAX][SIDES_MAX][3][3], weight = shell_constant(z, four, 0);
  int32_t corner_count = shell_corner_count(kind);
  shell_load(z, kind, axes, four, now.d);
  sides_load_own(z->rest, corner_count, four, rest.d);
  shell_measure(kind, axes, &now, &shape);
  shell_measure(kind, axes, &rest, &shape);
  for (int i = 0; i + 1 < corner_count; ++i)
    for (int a = 0; a < axes; ++a) {
      pl_lanes row = -(weight * now.f1[i][a]);
      for (int j = 0; j + 1 < corner_count; ++j)
        for (int b = 0; b < axes; ++b) K[i][j][a][b] = row * rest.f1[j][b];
    }
  if (axes == 2)
    sides_scatter_plane(z->slots, corner_count, four, count, false, K, z->values);
  else
    sides_scatter_whole(z->slots, corner_count, four, count, K, z->values);
}

PL_SIMD_INLINE void shell_assemble_kind(const pl_fem_shells *z, pl_fem_shell_kind kind, int axes,
                                        const int32_t *elements, int32_t count) {
  for (int32_t begin = 0; begin < count; begin += 4) {
    int32_t four[4], used = pl_lanes_elements(elements, begin, count, four);
    shell_assemble_four(z, kind, axes, four, used);
  }
}

static void shell_assemble(const pl_fem_shells *shells, const int32_t *elements, int32_t count) {
  switch (shells->kind) {
    case PL_FEM_SHELL_EDGE:
      if (shells->planar)
        shell_assemble_kind(shells, PL_FEM_SHELL_EDGE, 2, elements, count);
      else
        shell_assemble_kind(shells, PL_FEM_SHELL_EDGE, 3, elements, count);
      break;
    case PL_FEM_SHELL_TRIANGLE: shell_assemble_kind(shells, PL_FEM_SHELL_TRIANGLE, 3, elements, count); break;
    case PL_FEM_SHELL_TURN: shell_assemble_kind(shells, PL_FEM_SHELL_TURN, 2, elements, count); break;
    case PL_FEM_SHELL_HINGE: shell_assemble_kind(shells, PL_FEM_SHELL_HINGE, 3, elements, count); break;
  }
}

PL_SIMD_INLINE void shell_mixed_kind(const pl_fem_shells *z, pl_fem_shell_kind kind, int axes, const int32_t *elements,
                                     int32_t count) {
  for (int32_t begin = 0; begin < count; begin += 4) {
    int32_t four[4], used = pl_lanes_elements(elements, begin, count, four);
    shell_mixed_four(z, kind, axes, four, used);
  }
}

static void shell_mixed(const pl_fem_shells *shells, const int32_t *elements, int32_t count) {
  switch (shells->kind) {
    case PL_FEM_SHELL_EDGE:
      if (shells->planar)
        shell_mixed_kind(shells, PL_FEM_SHELL_EDGE, 2, elements, count);
      else
        shell_mixed_kind(shells, PL_FEM_SHELL_EDGE, 3, elements, count);
      break;
    case PL_FEM_SHELL_TRIANGLE: shell_mixed_kind(shells, PL_FEM_SHELL_TRIANGLE, 3, elements, count); break;
    case PL_FEM_SHELL_TURN: shell_mixed_kind(shells, PL_FEM_SHELL_TURN, 2, elements, count); break;
    case PL_FEM_SHELL_HINGE: shell_mixed_kind(shells, PL_FEM_SHELL_HINGE, 3, elements, count); break;
  }
}

static void shell_rest_turns(const double *X, int32_t count, pl_fem_shell_constants *constants) {
  for (int32_t begin = 0; begin < count; begin += 4) {
    int32_t four[4], used = count - begin < 4 ? count - begin : 4;
    for (int k = 0; k < 4; ++k) four[k] = begin + (k < used ? k : 0);
    pl_lanes d[SIDES_MAX][3];
    sides_load_own(X, 3, four, d);
    pl_lanes angle = shell_turn_angle(d[0], d[1]);
    for (int32_t k = 0; k < used; ++k) constants[begin + k].rest = angle[k];
  }
}

const pl_fem_shell_kernels KERNEL_NAME = {shell_assemble, shell_mixed, shell_rest_turns};
