// Thin shells: stretching of edges, change of area, bending at hinges (paper 004, appendix A: "an analogous
// formulation" to curves).
//
//   stretch   ½ k_l (l² - L²)² / L̄²             l, L, L̄   length of an edge now, at rest, at the start
//   area      ½ k_a (a - A)² / Ā                a, A, Ā   area of a triangle
//   hinge     ½ k_b (θ - Θ)² L̄² / (Ā_1 + Ā_2)   θ, Θ      angle between the normals of two triangles with a common
//                                                         edge of length L̄
//
// The powers are those that make the energy of a given strain or curvature independent of the resolution of a surface,
// as the paper's are for a curve: L̄² in place of L̄³. The hinge is that of Grinspun, Hirani, Desbrun and Schröder 2003,
// (θ - Θ)² L̄/h̄, with h̄ a third of the mean height of the two triangles: that is 3 L̄²/(Ā_1 + Ā_2). The factor 1/6
// between the two makes k_b the plate's bending stiffness D = E t³ / 12 (1 - ν²) in N m for bending into a cylinder:
// along edges that lie in the cylinder's axis θ = κ h with the height h, the others stay flat, and ½ D κ² h² L̄/h is ½ D
// κ² for the area L̄ h.
//
// On equilateral triangles this holds for any direction of bending, with Poisson's ratio -1/3 in bending. On right
// triangles with parallel diagonals it holds for the directions of all edges as axis, but bending along the diagonals
// is three times stiffer: hinge energies depend on the mesh (Grinspun, Gingold, Reisman and Zorin 2006), and finer
// meshes of that kind do not cure it.
//
// Stretching: equilateral triangles make an isotropic membrane with shear modulus √3 k_l and first Lamé parameter √3
// k_l + k_a (N/m: times thickness); without the area term that is E t = 8 k_l / √3 and ν = 1/3. An edge at the border
// stands for one triangle where an inner one stands for two: give it half of k_l.
//
// θ is positive where the surface is convex seen from the side to which the normals of (0, 1, 2) and (0, 3, 1) point.
// It lies in [-π, π]; at full fold, where the triangles would pass through each other, it jumps by 2π. Not defined: the
// normal of a triangle without area. Where the height over the edge, or the angle at corner 0 of the area term, has a
// sine below 1e-6, the derivatives of the measure are given as 0 (no force). Energies are finite everywhere.
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "fem/fem_lanes.h"
#include "fem/fem_measure.h"
#include "math/mat3.h"

static const char *const stretch_names[] = {"stretch k_l (N/m)"};
static const char *const area_names[] = {"area k_a (N/m)"};
static const char *const hinge_names[] = {"bend k_b (N m)"};

// Squared sine of an angle below which a triangle has no normal. Hinges there are 1e12 times as stiff as others. With
// 1e24 rounding made systems of equations indefinite by more than the masses in them, and no solver helped; crumpled
// shells come to rest with such triangles, at the height 0 where the angle jumps.
#define FLAT_SINE2 1e-12

static pl_vec3 side(const double *d, int k) {
  return (pl_vec3){d[3 * k], d[3 * k + 1], d[3 * k + 2]};
}

static void put_vector(pl_vec3 v, double *g, int k) {
  g[3 * k] = v.x;
  g[3 * k + 1] = v.y;
  g[3 * k + 2] = v.z;
}

// The block (row, column) of an n x n matrix += a.
static void add_block(double *h, int n, int row, int column, pl_mat3 a) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) h[n * (3 * row + i) + 3 * column + j] += a.m[i][j];
  }
}

// a bᵀ + b aᵀ
static pl_mat3 both(pl_vec3 a, pl_vec3 b) {
  return pl_mat3_add(pl_mat3_outer(a, b), pl_mat3_outer(b, a));
}

// --- stretch ------------------------------------------------------------------------------------------------------

static double stretch_fraction(const double *d) {
  return 1 / pl_fem_edge_value(d);
}

const pl_fem_measure pl_fem_shell_edge_measure = {2,    pl_fem_edge_value, pl_fem_edge_gradient, pl_fem_edge_hessian,
                                                  NULL, stretch_fraction};

PL_FEM_MEASURE_ENERGY(pl_fem_shell_stretch, "shell stretch", 2, pl_fem_shell_edge_measure, stretch_names);

// --- area ---------------------------------------------------------------------------------------------------------
// a = ½ |n|, n = p × q with the sides p, q. With N = n/|n|, P = I - N Nᵀ and J the Jacobian of n, columns [-[q] [p]]:
//
//   a' = ½ Jᵀ N          a'' = ½ (Jᵀ P J / |n| + B(N)),   B(N) = [0 -[N]; [N] 0]
//
// and a'''λ by the product rule from the rates of J, N, P and |n|.

static pl_mat3 cross_matrix(pl_vec3 v) {
  return (pl_mat3){{{0, -v.z, v.y}, {v.z, 0, -v.x}, {-v.y, v.x, 0}}};
}

static double area_value(const double *d) {
  return 0.5 * pl_vec3_length(pl_vec3_cross(side(d, 0), side(d, 1)));
}

static bool find_normal(pl_vec3 p, pl_vec3 q, pl_vec3 *unit, double *length) {
  pl_vec3 n = pl_vec3_cross(p, q);
  double n2 = pl_vec3_dot(n, n);
  if (!(n2 > FLAT_SINE2 * pl_vec3_dot(p, p) * pl_vec3_dot(q, q))) return false;
  *length = sqrt(n2);
  *unit = pl_vec3_scale(n, 1 / *length);
  return true;
}

static void area_gradient(const double *d, double *g) {
  pl_vec3 p = side(d, 0), q = side(d, 1), unit = {0, 0, 0};
  double length;
  bool good = find_normal(p, q, &unit, &length);
  put_vector(good ? pl_vec3_scale(pl_vec3_cross(q, unit), 0.5) : unit, g, 0);
  put_vector(good ? pl_vec3_scale(pl_vec3_cross(unit, p), 0.5) : unit, g, 1);
}

// h += scale (Aᵀ K B + Bᵀ K A) / 2 for symmetric K and A = [-[p] [q]], likewise B, given by the sides that stand in the
// cross matrices.
static void add_product(double *h, pl_mat3 k, const pl_vec3 a[2], const pl_vec3 b[2], double scale) {
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      double sign = i == j ? 0.5 * scale : -0.5 * scale;
      pl_mat3 ai = pl_mat3_transpose(cross_matrix(a[i])), bi = pl_mat3_transpose(cross_matrix(b[i]));
      pl_mat3 ab = pl_mat3_multiply(ai, pl_mat3_multiply(k, cross_matrix(b[j])));
      pl_mat3 ba = pl_mat3_multiply(bi, pl_mat3_multiply(k, cross_matrix(a[j])));
      add_block(h, 6, i, j, pl_mat3_scale(pl_mat3_add(ab, ba), sign));
    }
  }
}

static pl_mat3 across(pl_vec3 unit) {
  return pl_mat3_add(pl_mat3_identity(), pl_mat3_scale(pl_mat3_outer(unit, unit), -1));
}

static void area_hessian(const double *d, double *h) {
  pl_vec3 p = side(d, 0), q = side(d, 1), unit, jacobian[2] = {q, p};
  double length;
  for (int i = 0; i < 36; ++i) h[i] = 0;
  if (!find_normal(p, q, &unit, &length)) return;
  add_product(h, across(unit), jacobian, jacobian, 0.5 / length);
  add_block(h, 6, 0, 1, pl_mat3_scale(cross_matrix(unit), -0.5));
  add_block(h, 6, 1, 0, pl_mat3_scale(cross_matrix(unit), 0.5));
}

static void area_third(const double *d, const double *rate, double *h) {
  pl_vec3 p = side(d, 0), q = side(d, 1), unit, jacobian[2] = {q, p}, jacobian_rate[2] = {side(rate, 1), side(rate, 0)};
  double length;
  for (int i = 0; i < 36; ++i) h[i] = 0;
  if (!find_normal(p, q, &unit, &length)) return;
  pl_mat3 project = across(unit);
  pl_vec3 n_rate = pl_vec3_add(pl_vec3_cross(side(rate, 0), q), pl_vec3_cross(p, side(rate, 1)));
  double length_rate = pl_vec3_dot(unit, n_rate);
  pl_vec3 unit_rate = pl_vec3_scale(pl_mat3_apply(project, n_rate), 1 / length);
  add_product(h, project, jacobian, jacobian_rate, 1 / length);
  add_product(h, both(unit, unit_rate), jacobian, jacobian, -0.5 / length);
  add_product(h, project, jacobian, jacobian, -0.5 * length_rate / (length * length));
  add_block(h, 6, 0, 1, pl_mat3_scale(cross_matrix(unit_rate), -0.5));
  add_block(h, 6, 1, 0, pl_mat3_scale(cross_matrix(unit_rate), 0.5));
}

static double area_fraction(const double *d) {
  return 1 / area_value(d);
}

const pl_fem_measure pl_fem_shell_triangle_measure = {3,          area_value,   area_gradient, area_hessian,
                                                      area_third, area_fraction};

PL_FEM_MEASURE_ENERGY(pl_fem_shell_area, "shell area", 3, pl_fem_shell_triangle_measure, area_names);

// --- hinge --------------------------------------------------------------------------------------------------------
// Sides: e the common edge, p and q to the corners opposite to it. The gradient of θ is a sum over the two triangles,
// its wings, and so is its Hessian: p and q never meet in one term. For one wing, with r = |e|, n = e × p, m = n·n, p =
// t e + h with h at right angles to e, and s = -1 for p, +1 for q,
//
//   ∂θ/∂p = s (r/m) n         ∂²θ/∂p∂p = -s α S(n, h)                α = r³/m²   S(a, b) = a bᵀ + b aᵀ
//   ∂θ/∂e = -t ∂θ/∂p summed   ∂²θ/∂p∂e =  s (t α S(n, h) - β e nᵀ)   β = 1/(r m)
//                             ∂²θ/∂e∂e = -s ((β/2 + t² α) S(n, h) - t β S(n, e)) summed
//
// (Tamstorf and Grinspun 2013 give the same in another basis. The share of one wing in ∂²θ/∂e∂e is not symmetric; the
// skew parts depend on e only and cancel between the wings, so they are left out here.) Third derivatives are the rates
// of these products.

typedef struct wing {
  double sign, r, m, t, alpha, beta;
  pl_vec3 e, p, n, h;
} wing;

static bool measure_wing(pl_vec3 e, pl_vec3 p, double sign, wing *w) {
  pl_vec3 n = pl_vec3_cross(e, p);
  double r2 = pl_vec3_dot(e, e), m = pl_vec3_dot(n, n), r = sqrt(r2);
  if (!(m > FLAT_SINE2 * r2 * (r2 + pl_vec3_dot(p, p)))) return false;
  double t = pl_vec3_dot(p, e) / r2;
  *w = (wing){sign, r, m, t, r * r2 / (m * m), 1 / (r * m), e, p, n, pl_vec3_add_scaled(p, e, -t)};
  return true;
}

static bool measure_wings(const double *d, wing w[2]) {
  return measure_wing(side(d, 0), side(d, 1), -1, &w[0]) && measure_wing(side(d, 0), side(d, 2), 1, &w[1]);
}

static double hinge_value(const double *d) {
  pl_vec3 e = side(d, 0), p = side(d, 1), q = side(d, 2);
  double sine = -pl_vec3_length(e) * pl_vec3_dot(e, pl_vec3_cross(p, q));
  return pl_fem_angle(sine, -pl_vec3_dot(pl_vec3_cross(e, p), pl_vec3_cross(e, q)));
}

static void hinge_gradient(const double *d, double *g) {
  wing w[2];
  for (int i = 0; i < 9; ++i) g[i] = 0;
  if (!measure_wings(d, w)) return;
  pl_vec3 edge = {0, 0, 0};
  for (int k = 0; k < 2; ++k) {
    pl_vec3 u = pl_vec3_scale(w[k].n, w[k].sign * w[k].r / w[k].m);
    put_vector(u, g, 1 + k);
    edge = pl_vec3_add_scaled(edge, u, -w[k].t);
  }
  put_vector(edge, g, 0);
}

// Adds the blocks of wing k: those of (p, p), (p, e) with its transpose, and (e, e).
static void add_wing(double *h, int k, pl_mat3 pp, pl_mat3 pe, pl_mat3 ee) {
  add_block(h, 9, 1 + k, 1 + k, pp);
  add_block(h, 9, 1 + k, 0, pe);
  add_block(h, 9, 0, 1 + k, pl_mat3_transpose(pe));
  add_block(h, 9, 0, 0, ee);
}

// a A + b B
static pl_mat3 combined(pl_mat3 A, double a, pl_mat3 B, double b) {
  return pl_mat3_add(pl_mat3_scale(A, a), pl_mat3_scale(B, b));
}

static void hinge_hessian(const double *d, double *h) {
  wing wings[2];
  for (int i = 0; i < 81; ++i) h[i] = 0;
  if (!measure_wings(d, wings)) return;
  for (int k = 0; k < 2; ++k) {
    const wing *w = &wings[k];
    double s = w->sign, t = w->t;
    pl_mat3 nh = both(w->n, w->h), en = pl_mat3_outer(w->e, w->n), ne = both(w->n, w->e);
    add_wing(h, k, pl_mat3_scale(nh, -s * w->alpha), combined(nh, s * t * w->alpha, en, -s * w->beta),
             combined(nh, -s * (0.5 * w->beta + t * t * w->alpha), ne, s * t * w->beta));
  }
}

static void add_wing_rate(double *h, int k, const wing *w, pl_vec3 e_rate, pl_vec3 p_rate) {
  // rates of what the blocks are made of
  double s = w->sign, t = w->t, r2 = w->r * w->r, r_growth = pl_vec3_dot(w->e, e_rate) / r2;
  pl_vec3 n_rate = pl_vec3_add(pl_vec3_cross(e_rate, w->p), pl_vec3_cross(w->e, p_rate));
  double m_growth = 2 * pl_vec3_dot(w->n, n_rate) / w->m;
  double t_rate = (pl_vec3_dot(p_rate, w->e) + pl_vec3_dot(w->p, e_rate)) / r2 - 2 * t * r_growth;
  double alpha_rate = w->alpha * (3 * r_growth - 2 * m_growth), beta_rate = -w->beta * (r_growth + m_growth);
  pl_vec3 h_rate = pl_vec3_add_scaled(pl_vec3_add_scaled(p_rate, w->e, -t_rate), e_rate, -t);

  // and of the blocks
  pl_mat3 nh = both(w->n, w->h), nh_rate = pl_mat3_add(both(n_rate, w->h), both(w->n, h_rate));
  pl_mat3 en = pl_mat3_outer(w->e, w->n),
          en_rate = pl_mat3_add(pl_mat3_outer(e_rate, w->n), pl_mat3_outer(w->e, n_rate));
  pl_mat3 ne = both(w->n, w->e), ne_rate = pl_mat3_add(both(n_rate, w->e), both(w->n, e_rate));
  double bow = 0.5 * w->beta + t * t * w->alpha,
         bow_rate = 0.5 * beta_rate + 2 * t * t_rate * w->alpha + t * t * alpha_rate;
  pl_mat3 pp = combined(nh, -s * alpha_rate, nh_rate, -s * w->alpha);
  pl_mat3 pe = pl_mat3_add(combined(nh, s * (t_rate * w->alpha + t * alpha_rate), nh_rate, s * t * w->alpha),
                           combined(en, -s * beta_rate, en_rate, -s * w->beta));
  pl_mat3 ee = pl_mat3_add(combined(nh, -s * bow_rate, nh_rate, -s * bow),
                           combined(ne, s * (t_rate * w->beta + t * beta_rate), ne_rate, s * t * w->beta));
  add_wing(h, k, pp, pe, ee);
}

static void hinge_third(const double *d, const double *rate, double *h) {
  wing wings[2];
  for (int i = 0; i < 81; ++i) h[i] = 0;
  if (!measure_wings(d, wings)) return;
  for (int k = 0; k < 2; ++k) add_wing_rate(h, k, &wings[k], side(rate, 0), side(rate, 1 + k));
}

// L̄² / (Ā_1 + Ā_2)
static double hinge_fraction(const double *d) {
  pl_vec3 e = side(d, 0);
  double area1 = pl_vec3_length(pl_vec3_cross(e, side(d, 1))), area2 = pl_vec3_length(pl_vec3_cross(e, side(d, 2)));
  return 2 * pl_vec3_dot(e, e) / (area1 + area2);
}

const pl_fem_measure pl_fem_shell_hinge_measure = {4,           hinge_value,   hinge_gradient, hinge_hessian,
                                                   hinge_third, hinge_fraction};

PL_FEM_MEASURE_ENERGY(pl_fem_shell_hinge, "shell hinge", 4, pl_fem_shell_hinge_measure, hinge_names);
