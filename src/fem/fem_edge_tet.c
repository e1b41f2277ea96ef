// The simplified solid of paper 004, appendix A (last formula): a tet that resists changes of its edges and of its
// volume.
//
//   W = Σ_edges k_l/12 (l² - L²)² V̄ / L̄⁴  +  k_v/2 (v - V)² / V̄
//
// l, L, L̄ are the lengths of an edge now, at rest and at the start, v, V, V̄ the volumes (v and V signed, so that
// inversion is seen). Both terms are a density, built from ratios to the start, times V̄: halving the mesh keeps the
// energy of a homogeneous deformation, and k_l, k_v are pascals. W is a polynomial in x and X, finite everywhere; only
// the start must not be flat. It is not an isotropic material: its stiffness depends on the shapes of the tets.
//
// With d = x_a - x_b, D = X_a - X_b, ℓ = λ_a - λ_b, q = d·d - D·D, c = k_l V̄ / (6 L̄⁴) an edge's W = c q²/2 has, by d
// and D,
//
//   g = 2 c q d      H = 2 c q 1 + 4 c d dᵀ      M = -4 c d Dᵀ
//   s = 2 c q (d·ℓ)  s_dd = 4 c ((d·ℓ) 1 + d ℓᵀ + ℓ dᵀ)    s_dD = -4 c ℓ Dᵀ    s_DD = -4 c (d·ℓ) 1
//
// and with n = ∇v(x), N = ∇v(X), A = ∇²v(x), κ = k_v / V̄ and m = v - V the volume's W = κ m²/2 has
//
//   g = κ m n        H = κ (n nᵀ + m A)          M = -κ n Nᵀ
//   s = κ m (n·λ)    s_xx = κ ((n·λ) A + n (Aλ)ᵀ + (Aλ) nᵀ + m ∇²v(λ))    s_xX = -κ (Aλ) Nᵀ    s_XX = -κ (n·λ) ∇²v(X)
//
// (v is cubic, so ∇²v is linear in its argument and its derivative along λ is ∇²v(λ).)
#include <math.h>
#include <string.h>

#include "fem/fem_tet.h"

static const char *const parameter_names[2] = {"edge (Pa)", "volume (Pa)"};
static const int edge_corners[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

static pl_vec3 corner(const double *x, int a) {
  return (pl_vec3){x[3 * a], x[3 * a + 1], x[3 * a + 2]};
}

static pl_vec3 side(const double *x, int edge) {
  return pl_vec3_sub(corner(x, edge_corners[edge][0]), corner(x, edge_corners[edge][1]));
}

// --- volume -------------------------------------------------------------------------------------------------------

static void edges_of(const double *x, pl_vec3 e[3]) {
  for (int a = 0; a < 3; ++a) e[a] = pl_vec3_sub(corner(x, a + 1), corner(x, 0));
}

static double volume(const double *x) {
  pl_vec3 e[3];
  edges_of(x, e);
  return pl_vec3_dot(e[0], pl_vec3_cross(e[1], e[2])) / 6;
}

static void volume_gradient(const double *x, double *n) {
  pl_vec3 e[3];
  edges_of(x, e);
  for (int a = 0; a < 3; ++a) {
    pl_vec3 f = pl_vec3_scale(pl_vec3_cross(e[(a + 1) % 3], e[(a + 2) % 3]), 1.0 / 6);
    n[3 * a + 3] = f.x, n[3 * a + 4] = f.y, n[3 * a + 5] = f.z;
  }
  for (int i = 0; i < 3; ++i) n[i] = -(n[3 + i] + n[6 + i] + n[9 + i]);
}

// 12 x 12 += s ∇²v(x): the block of corners a, b among 1, 2, 3 is ∓[edge of the third] / 6; corner 0 takes minus the
// sums.
static void add_volume_hessian(double *h, double s, const double *x) {
  pl_vec3 e[3];
  edges_of(x, e);
  for (int third = 0; third < 3; ++third) {
    pl_vec3 w = pl_vec3_scale(e[third], -s / 6);
    double cross[3][3] = {{0, -w.z, w.y}, {w.z, 0, -w.x}, {-w.y, w.x, 0}};
    int a = (third + 1) % 3 + 1, b = (third + 2) % 3 + 1;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        double value = cross[i][j];
        h[12 * (3 * a + i) + 3 * b + j] += value;
        h[12 * (3 * b + j) + 3 * a + i] += value;
        h[12 * i + 3 * b + j] -= value;
        h[12 * (3 * b + j) + i] -= value;
        h[12 * (3 * a + i) + j] -= value;
        h[12 * j + 3 * a + i] -= value;
        h[12 * i + j] += value;
        h[12 * j + i] += value;
      }
  }
}

static double volume_stiffness(const pl_fem_element *e) {
  return e->p[1] / fabs(volume(e->U));
}

// --- edges --------------------------------------------------------------------------------------------------------

static double edge_stiffness(const pl_fem_element *e, int edge) {
  pl_vec3 start = side(e->U, edge);
  double L2 = pl_vec3_dot(start, start);
  return e->p[0] * fabs(volume(e->U)) / (6 * L2 * L2);
}

static double edge_excess(const pl_fem_element *e, int edge) {
  pl_vec3 now = side(e->x, edge), rest = side(e->X, edge);
  return pl_vec3_dot(now, now) - pl_vec3_dot(rest, rest);
}

// The 3 x 3 block for sides becomes four blocks for corners: + on the diagonal, - across.
static void add_edge_block(double *h, int edge, const double block[3][3]) {
  int a = 3 * edge_corners[edge][0], b = 3 * edge_corners[edge][1];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      h[12 * (a + i) + a + j] += block[i][j];
      h[12 * (b + i) + b + j] += block[i][j];
      h[12 * (a + i) + b + j] -= block[i][j];
      h[12 * (b + i) + a + j] -= block[i][j];
    }
}

// s u vᵀ + r 1
static void make_block(double block[3][3], double s, pl_vec3 u, pl_vec3 v, double r) {
  double a[3] = {u.x, u.y, u.z}, b[3] = {v.x, v.y, v.z};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) block[i][j] = s * a[i] * b[j] + (i == j ? r : 0);
}

static void add_product(double *h, double s, const double *a, const double *b) {
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) h[12 * i + j] += s * a[i] * b[j];
}

// --- energy and derivatives ---------------------------------------------------------------------------------------

static double energy(const pl_fem_element *e) {
  double sum = 0;
  for (int edge = 0; edge < 6; ++edge) {
    double q = edge_excess(e, edge);
    sum += 0.5 * edge_stiffness(e, edge) * q * q;
  }
  double m = volume(e->x) - volume(e->X);
  return sum + 0.5 * volume_stiffness(e) * m * m;
}

// The two terms of the gradient with stiffnesses 1, so that material derivatives are these.
static void gradient_terms(const pl_fem_element *e, double edge_term[12], double volume_term[12]) {
  pl_fem_element unit = *e;
  unit.p = (const double[2]){1, 1};
  memset(edge_term, 0, 12 * sizeof(double));
  for (int edge = 0; edge < 6; ++edge) {
    pl_vec3 f = pl_vec3_scale(side(e->x, edge), 2 * edge_stiffness(&unit, edge) * edge_excess(e, edge));
    int a = 3 * edge_corners[edge][0], b = 3 * edge_corners[edge][1];
    edge_term[a] += f.x, edge_term[a + 1] += f.y, edge_term[a + 2] += f.z;
    edge_term[b] -= f.x, edge_term[b + 1] -= f.y, edge_term[b + 2] -= f.z;
  }
  double m = volume_stiffness(&unit) * (volume(e->x) - volume(e->X));
  volume_gradient(e->x, volume_term);
  for (int i = 0; i < 12; ++i) volume_term[i] *= m;
}

static void gradient(const pl_fem_element *e, double *g) {
  double by_edge[12], by_volume[12];
  gradient_terms(e, by_edge, by_volume);
  for (int i = 0; i < 12; ++i) g[i] = e->p[0] * by_edge[i] + e->p[1] * by_volume[i];
}

static void material(const pl_fem_element *e, double *d) {
  double by_edge[12], by_volume[12];
  gradient_terms(e, by_edge, by_volume);
  for (int i = 0; i < 12; ++i) {
    d[2 * i] = by_edge[i];
    d[2 * i + 1] = by_volume[i];
  }
}

static void hessian(const pl_fem_element *e, double *h) {
  double n[12], block[3][3], kappa = volume_stiffness(e);
  memset(h, 0, 144 * sizeof *h);
  for (int edge = 0; edge < 6; ++edge) {
    double c = edge_stiffness(e, edge);
    pl_vec3 d = side(e->x, edge);
    make_block(block, 4 * c, d, d, 2 * c * edge_excess(e, edge));
    add_edge_block(h, edge, (const double(*)[3])block);
  }
  volume_gradient(e->x, n);
  add_product(h, kappa, n, n);
  add_volume_hessian(h, kappa * (volume(e->x) - volume(e->X)), e->x);
}

// Compressed edges lose the term that pushes sideways, the volume its second derivative.
static void positive(const pl_fem_element *e, double *h) {
  double n[12], block[3][3];
  memset(h, 0, 144 * sizeof *h);
  for (int edge = 0; edge < 6; ++edge) {
    double c = edge_stiffness(e, edge);
    pl_vec3 d = side(e->x, edge);
    make_block(block, 4 * c, d, d, 2 * c * fmax(0, edge_excess(e, edge)));
    add_edge_block(h, edge, (const double(*)[3])block);
  }
  volume_gradient(e->x, n);
  add_product(h, fmax(0, volume_stiffness(e)), n, n);
}

// What both energies of an edge make of forces and Hessian.
static void add_edge(const pl_fem_element *e, const double *before, double factor, bool keep_positive, int edge,
                     double size, double energies[2], double *g, double *drag, double *h) {
  pl_vec3 d = side(e->x, edge), rest = side(e->X, edge), start = side(e->U, edge);
  double now = pl_vec3_dot(d, d), L2 = pl_vec3_dot(start, start), c = e->p[0] * size / (6 * L2 * L2);
  double q = now - pl_vec3_dot(rest, rest), change = 0, block[3][3];
  int a = 3 * edge_corners[edge][0], b = 3 * edge_corners[edge][1];
  const double way[3] = {d.x, d.y, d.z};
  energies[0] += 0.5 * c * q * q;
  if (before != NULL) {
    pl_vec3 was = side(before, edge);
    change = now - pl_vec3_dot(was, was);
    energies[1] += 0.5 * factor * c * change * change;
  }
  for (int i = 0; i < 3; ++i) {
    double force = 2 * c * q * way[i], lost = 2 * factor * c * change * way[i];
    g[a + i] += force, g[b + i] -= force;
    if (before != NULL) drag[a + i] += lost, drag[b + i] -= lost;
  }
  if (h == NULL) return;
  if (keep_positive) q = fmax(0, q), change = fmax(0, change);
  make_block(block, 4 * c * (before != NULL ? 1 + factor : 1), d, d, 2 * c * (q + factor * change));
  add_edge_block(h, edge, (const double(*)[3])block);
}

static void together(const pl_fem_element *e, const double *before, double factor, bool keep_positive,
                     double energies[2], double *g, double *drag, double *h) {
  double size = fabs(volume(e->U)), kappa = e->p[1] / size, v = volume(e->x), m = v - volume(e->X), change = 0, n[12];
  energies[0] = 0.5 * kappa * m * m;
  energies[1] = 0;
  if (before != NULL) {
    change = v - volume(before);
    energies[1] = 0.5 * factor * kappa * change * change;
  }
  volume_gradient(e->x, n);
  for (int i = 0; i < 12; ++i) g[i] = kappa * m * n[i];
  for (int i = 0; before != NULL && i < 12; ++i) drag[i] = factor * kappa * change * n[i];
  if (h != NULL) {
    double stiffness = kappa * (before != NULL ? 1 + factor : 1);
    if (keep_positive) stiffness = fmax(0, stiffness);
    for (int i = 0; i < 12; ++i)
      for (int j = 0; j < 12; ++j) h[12 * i + j] = stiffness * n[i] * n[j];
    if (!keep_positive) add_volume_hessian(h, kappa * (m + factor * change), e->x);
  }
  for (int edge = 0; edge < 6; ++edge) add_edge(e, before, factor, keep_positive, edge, size, energies, g, drag, h);
}

static void mixed(const pl_fem_element *e, double *m) {
  double now[12], rest[12], block[3][3];
  memset(m, 0, 144 * sizeof *m);
  for (int edge = 0; edge < 6; ++edge) {
    make_block(block, -4 * edge_stiffness(e, edge), side(e->x, edge), side(e->X, edge), 0);
    add_edge_block(m, edge, (const double(*)[3])block);
  }
  volume_gradient(e->x, now);
  volume_gradient(e->X, rest);
  add_product(m, -volume_stiffness(e), now, rest);
}

static void third_of_edge(const pl_fem_element *e, int edge, const double *lambda, double *xx, double *xX, double *XX) {
  pl_vec3 d = side(e->x, edge), D = side(e->X, edge), l = side(lambda, edge);
  double c = 4 * edge_stiffness(e, edge), along = c * pl_vec3_dot(d, l), block[3][3];
  make_block(block, c, d, l, along);
  add_edge_block(xx, edge, (const double(*)[3])block);
  make_block(block, c, l, d, 0);
  add_edge_block(xx, edge, (const double(*)[3])block);
  make_block(block, -c, l, D, 0);
  add_edge_block(xX, edge, (const double(*)[3])block);
  make_block(block, 0, D, D, -along);
  add_edge_block(XX, edge, (const double(*)[3])block);
}

static void third(const pl_fem_element *e, const double *lambda, double *xx, double *xX, double *XX) {
  memset(xx, 0, 144 * sizeof *xx);
  memset(xX, 0, 144 * sizeof *xX);
  memset(XX, 0, 144 * sizeof *XX);
  for (int edge = 0; edge < 6; ++edge) third_of_edge(e, edge, lambda, xx, xX, XX);

  double n[12], N[12], A[144] = {0}, turned[12], along = 0, kappa = volume_stiffness(e),
                       m = volume(e->x) - volume(e->X);
  volume_gradient(e->x, n);
  volume_gradient(e->X, N);
  add_volume_hessian(A, 1, e->x);
  for (int i = 0; i < 12; ++i) {
    along += n[i] * lambda[i];
    turned[i] = 0;
    for (int j = 0; j < 12; ++j) turned[i] += A[12 * i + j] * lambda[j];
  }
  for (int i = 0; i < 144; ++i) xx[i] += kappa * along * A[i];
  add_product(xx, kappa, n, turned);
  add_product(xx, kappa, turned, n);
  add_volume_hessian(xx, kappa * m, lambda);
  add_product(xX, -kappa, turned, N);
  add_volume_hessian(XX, -kappa * along, e->X);
}

const pl_fem_energy pl_fem_edge_tet = {
    .name = "edge-length tet",
    .corner_count = 4,
    .parameter_count = 2,
    .parameter_names = parameter_names,
    .energy = energy,
    .gradient = gradient,
    .hessian = hessian,
    .mixed = mixed,
    .material = material,
    .third = third,
    .positive = positive,
    .together = together,
};
