// The kernels of fem_shell_assemble.h, included twice: with KERNEL_NAME the table to define. The
// version for one element, with all derivatives and where they come from, is fem_shell.c.
//
//   g = w (f - F) f'        H = w (f' f'ᵀ + (f - F) f'')
//
// for the sides d_k = x_k - x_0; corner 0 gets minus the sum of the others.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "fem/fem_lanes.h"

enum { SHELL_MAX_SIDES = 3, SHELL_MAX_BLOCKS = 16 };

// Squared sine of an angle below which a triangle has no normal (fem_shell.c).
static const double SHELL_FLAT_SINE2 = 1e-24;

// Of four elements: sides, f, f' and the blocks of H by sides, K[i][j] with i >= j.
typedef struct shell_lanes {
  pl_lanes d[SHELL_MAX_SIDES][3], value, f1[SHELL_MAX_SIDES][3];
  pl_lanes stiffness, pull;  // factors of f' f'ᵀ and f''
  pl_lanes K[SHELL_MAX_SIDES][SHELL_MAX_SIDES][3][3];
} shell_lanes;

PL_SIMD_INLINE void shell_sides(const pl_fem_shells *z, int32_t corner_count, const int32_t four[4], shell_lanes *s) {
  double sides[3 * SHELL_MAX_SIDES][4];
  for (int k = 0; k < 4; ++k) {
    const int32_t *points = z->corners + corner_count * (ptrdiff_t)four[k];
    const double *origin = z->positions + 3 * (ptrdiff_t)points[0];
    for (int i = 1; i < corner_count; ++i)
      for (int a = 0; a < 3; ++a) sides[3 * (i - 1) + a][k] = z->positions[3 * (ptrdiff_t)points[i] + a] - origin[a];
  }
  for (int i = 0; i + 1 < corner_count; ++i)
    for (int a = 0; a < 3; ++a) s->d[i][a] = pl_lanes_load(sides[3 * i + a]);
}

PL_SIMD_INLINE void shell_scale(const pl_lanes a[3], pl_lanes factor, pl_lanes to[3]) {
  for (int i = 0; i < 3; ++i) to[i] = factor * a[i];
}

// Numbers where the mask is set, 0 elsewhere.
PL_SIMD_INLINE pl_lanes shell_where(pl_lane_mask mask, pl_lanes a) {
  return (pl_lanes)(mask & (pl_lane_mask)a);
}

// K = stiffness f' f'ᵀ
PL_SIMD_INLINE void shell_outer(int sides, shell_lanes *s) {
  for (int i = 0; i < sides; ++i)
    for (int a = 0; a < 3; ++a) {
      pl_lanes row = s->stiffness * s->f1[i][a];
      for (int j = 0; j <= i; ++j)
        for (int b = 0; b < 3; ++b) s->K[i][j][a][b] = row * s->f1[j][b];
    }
}

// --- the three measures -------------------------------------------------------------------------

// f = d·d
PL_SIMD_INLINE void shell_edge_value(shell_lanes *s) {
  s->value = pl_lanes_dot(s->d[0], s->d[0]);
  shell_scale(s->d[0], pl_lanes_of(2), s->f1[0]);
}

PL_SIMD_INLINE void shell_edge_hessian(shell_lanes *s) {
  shell_outer(1, s);
  for (int a = 0; a < 3; ++a) s->K[0][0][a][a] += 2.0 * s->pull;
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
  shell_outer(2, s);
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
  double sine[4], cosine[4];
  pl_lanes_store(sine, -(pl_lanes_sqrt(pl_lanes_dot(e, e)) * pl_lanes_dot(e, across)));
  pl_lanes_store(cosine, -pl_lanes_dot(w[0].n, w[1].n));
  for (int k = 0; k < 4; ++k) sine[k] = atan2(sine[k], cosine[k]);
  s->value = pl_lanes_load(sine);
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
  shell_outer(3, s);
  shell_hinge_wing(&w[0], 1, s);
  shell_hinge_wing(&w[1], 2, s);
}

// --- from sides to the body ---------------------------------------------------------------------

PL_SIMD_INLINE void shell_scatter_gradient(const pl_fem_shells *z, int32_t corner_count, const int32_t *four,
                                           int32_t count, pl_lanes force, const shell_lanes *s) {
  double values[3 * SHELL_MAX_SIDES][4];
  for (int i = 0; i + 1 < corner_count; ++i)
    for (int a = 0; a < 3; ++a) pl_lanes_store(values[3 * i + a], force * s->f1[i][a]);
  for (int32_t k = 0; k < count; ++k) {
    const int32_t *points = z->corners + corner_count * (ptrdiff_t)four[k];
    for (int a = 0; a < 3; ++a) {
      double sum = 0;
      for (int i = 1; i < corner_count; ++i) {
        double value = values[3 * (i - 1) + a][k];
        z->gradient[3 * (ptrdiff_t)points[i] + a] += value;
        sum += value;
      }
      z->gradient[3 * (ptrdiff_t)points[0] + a] -= sum;
    }
  }
}

// All blocks of the corners, entry by entry: rows and columns of corner 0 are minus the sums of the others.
PL_SIMD_INLINE void shell_spread(int sides, const shell_lanes *s, pl_lanes blocks[9 * SHELL_MAX_BLOCKS]) {
  int width = sides + 1;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      int at = 3 * a + b;
      pl_lanes all = pl_lanes_of(0);
      for (int i = 0; i < sides; ++i) {
        pl_lanes row = pl_lanes_of(0);
        for (int j = 0; j < sides; ++j) {
          pl_lanes entry = j <= i ? s->K[i][j][a][b] : s->K[j][i][b][a];
          blocks[9 * (width * (i + 1) + j + 1) + at] = entry;
          row += entry;
        }
        blocks[9 * (width * (i + 1)) + at] = -row;
        blocks[9 * (i + 1) + 3 * b + a] = -row;
        all += row;
      }
      blocks[at] = all;
    }
}

PL_SIMD_INLINE void shell_scatter_matrix(const pl_fem_shells *z, int32_t corner_count, const int32_t *four,
                                         int32_t count, const shell_lanes *s) {
  pl_lanes blocks[9 * SHELL_MAX_BLOCKS];
  int block_count = corner_count * corner_count;
  shell_spread(corner_count - 1, s, blocks);
  double values[4][9 * SHELL_MAX_BLOCKS];
  for (int i = 0; i < 9 * block_count; i += 4) {
    pl_lanes part[4] = {blocks[i], blocks[i + 1], blocks[i + 2], blocks[i + 3]};
    pl_lanes_transpose(part);
    for (int k = 0; k < 4; ++k) pl_lanes_store(values[k] + i, part[k]);
  }
  for (int32_t k = 0; k < count; ++k) {
    const int32_t *slots = z->slots + block_count * (ptrdiff_t)four[k];
    for (int b = 0; b < block_count; ++b) {
      double *to = z->values + 9 * (ptrdiff_t)slots[b];
      const double *from = values[k] + 9 * b;
      pl_lanes_store(to, pl_lanes_load(to) + pl_lanes_load(from));
      pl_lanes_store(to + 4, pl_lanes_load(to + 4) + pl_lanes_load(from + 4));
      to[8] += from[8];
    }
  }
}

// --- four elements ------------------------------------------------------------------------------

PL_SIMD_INLINE void shell_assemble_four(const pl_fem_shells *z, int32_t corner_count, const int32_t four[4],
                                        int32_t count) {
  shell_lanes s;
  shell_wing wings[2];
  shell_normal normal;
  shell_sides(z, corner_count, four, &s);
  if (corner_count == 2) shell_edge_value(&s);
  if (corner_count == 3) normal = shell_triangle_value(&s);
  if (corner_count == 4) shell_hinge_value(&s, wings);
  double constants[2][4];
  for (int k = 0; k < 4; ++k) {
    constants[0][k] = z->constants[four[k]].weight;
    constants[1][k] = z->constants[four[k]].rest;
  }
  pl_lanes weight = pl_lanes_load(constants[0]), excess = s.value - pl_lanes_load(constants[1]);
  pl_lanes force = weight * excess, energy = 0.5 * (force * excess);
  for (int32_t k = 0; k < count; ++k) z->energies[four[k]] = energy[k];
  if (z->gradient != NULL) shell_scatter_gradient(z, corner_count, four, count, force, &s);
  if (z->values == NULL) return;
  s.stiffness = z->positive ? pl_lanes_positive(weight) : weight;
  s.pull = force;
  // What of f'' has no negative eigenvalues for sure: that of a stretched edge.
  if (z->positive) s.pull = corner_count == 2 ? shell_where(weight > 0.0, pl_lanes_positive(force)) : pl_lanes_of(0);
  if (corner_count == 2) shell_edge_hessian(&s);
  if (corner_count == 3) shell_triangle_hessian(&normal, &s);
  if (corner_count == 4) shell_hinge_hessian(wings, &s);
  shell_scatter_matrix(z, corner_count, four, count, &s);
}

// Fours of a batch; the last is filled up with its first element.
PL_SIMD_INLINE void shell_assemble_kind(const pl_fem_shells *z, int32_t corner_count, const int32_t *elements,
                                        int32_t count) {
  for (int32_t begin = 0; begin < count; begin += 4) {
    int32_t four[4], used = count - begin < 4 ? count - begin : 4;
    for (int k = 0; k < 4; ++k) four[k] = elements[begin + (k < used ? k : 0)];
    shell_assemble_four(z, corner_count, four, used);
  }
}

static void shell_assemble(const pl_fem_shells *shells, const int32_t *elements, int32_t count) {
  switch (shells->corner_count) {
    case 2: shell_assemble_kind(shells, 2, elements, count); break;
    case 3: shell_assemble_kind(shells, 3, elements, count); break;
    default: shell_assemble_kind(shells, 4, elements, count); break;
  }
}

const pl_fem_shell_kernels KERNEL_NAME = {shell_assemble};
