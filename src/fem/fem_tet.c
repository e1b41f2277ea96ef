// Energies of tets through their deformation gradient; see fem_tet.h for the formulas and letters.
#include "fem/fem_tet.h"

#include "math/mat3.h"

#include <string.h>

const char *const pl_fem_elastic_names[4] = {"young (Pa)", "poisson (1)", "stiffening (1)", "late_stiffening (1)"};

pl_fem_lame pl_fem_lame_of(const double *p) {
  double young = p[0], poisson = p[1];
  return (pl_fem_lame){.lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)),
                       .mu = young / (2 * (1 + poisson))};
}

static pl_fem_lame lame_by_young(const double *p) {
  return pl_fem_lame_of((double[2]){1, p[1]});
}

static pl_fem_lame lame_by_poisson(const double *p) {
  double young = p[0], poisson = p[1], a = 1 + poisson, b = 1 - 2 * poisson;
  return (pl_fem_lame){.lambda = young * (1 + 2 * poisson * poisson) / (a * a * b * b), .mu = -young / (2 * a * a)};
}

pl_fem_lame pl_fem_density_constants(const pl_fem_density *density, const double *p) {
  pl_fem_lame lame = pl_fem_lame_of(p);
  if (density->parameter_count > 2) {
    lame.second = lame.mu * p[2];
    lame.third = lame.mu * p[3];
  }
  return lame;
}

pl_fem_lame pl_fem_density_constants_by(const pl_fem_density *density, const double *p, int k) {
  double mu = pl_fem_lame_of(p).mu;
  if (k == 2) return (pl_fem_lame){.second = mu};
  if (k == 3) return (pl_fem_lame){.third = mu};
  pl_fem_lame lame = k == 0 ? lame_by_young(p) : lame_by_poisson(p);
  if (density->parameter_count > 2) {
    lame.second = lame.mu * p[2];
    lame.third = lame.mu * p[3];
  }
  return lame;
}

// --- geometry -----------------------------------------------------------------------------------------------------

void pl_fem_tet_rest(const double *X, double B[4][3], double *volume) {
  pl_vec3 origin = {X[0], X[1], X[2]}, edge[3], face[3];
  for (int a = 0; a < 3; ++a) edge[a] = pl_vec3_sub(pl_vec3_of(X[3 * a + 3], X[3 * a + 4], X[3 * a + 5]), origin);
  for (int a = 0; a < 3; ++a) face[a] = pl_vec3_cross(edge[(a + 1) % 3], edge[(a + 2) % 3]);
  double determinant = pl_vec3_dot(edge[0], face[0]), f = 1 / determinant;
  for (int a = 0; a < 3; ++a) {
    B[a + 1][0] = f * face[a].x;
    B[a + 1][1] = f * face[a].y;
    B[a + 1][2] = f * face[a].z;
  }
  for (int j = 0; j < 3; ++j) B[0][j] = -(B[1][j] + B[2][j] + B[3][j]);
  *volume = fabs(determinant) / 6;
}

// From edges rather than corners: what is far from the origin would lose digits in Σ x_a B_aᵀ.
pl_mat3 pl_fem_tet_gradient_of(const double *x, const double B[4][3]) {
  pl_mat3 F;
  for (int i = 0; i < 3; ++i) {
    double e1 = x[3 + i] - x[i], e2 = x[6 + i] - x[i], e3 = x[9 + i] - x[i];
    for (int j = 0; j < 3; ++j) F.m[i][j] = e1 * B[1][j] + e2 * B[2][j] + e3 * B[3][j];
  }
  return F;
}

pl_fem_tet pl_fem_tet_of(const pl_fem_element *e) {
  pl_fem_tet tet;
  pl_fem_tet_rest(e->X, tet.B, &tet.volume);
  tet.F = pl_fem_tet_gradient_of(e->x, (const double(*)[3])tet.B);
  return tet;
}

void pl_fem_tet_contract(const pl_fem_tet *tet, const double *C, double *h) {
  const double(*B)[3] = tet->B;
  for (int i = 0; i < 3; ++i)
    for (int k = i; k < 3; ++k) {
      // The blocks (i, k) and (k, i) of C are transposed to each other, and so are their contractions.
      const double *c = C + 27 * i + 3 * k;
      double block[4][4];
      for (int b = 1; b < 4; ++b) {
        double t[3];
        for (int j = 0; j < 3; ++j)
          t[j] = tet->volume * (c[9 * j] * B[b][0] + c[9 * j + 1] * B[b][1] + c[9 * j + 2] * B[b][2]);
        for (int a = 1; a < 4; ++a) block[a][b] = B[a][0] * t[0] + B[a][1] * t[1] + B[a][2] * t[2];
        block[0][b] = -(block[1][b] + block[2][b] + block[3][b]);
      }
      for (int a = 0; a < 4; ++a) {
        block[a][0] = -(block[a][1] + block[a][2] + block[a][3]);
        for (int b = 0; b < 4; ++b) {
          h[12 * (3 * a + i) + 3 * b + k] = block[a][b];
          h[12 * (3 * b + k) + 3 * a + i] = block[a][b];
        }
      }
    }
}

// g_a = V P B_a, with forces that sum to zero exactly as B does.
static void apply_stress(const pl_fem_tet *tet, const pl_mat3 *P, double *g) {
  for (int i = 0; i < 3; ++i) {
    for (int a = 1; a < 4; ++a)
      g[3 * a + i] = tet->volume * (P->m[i][0] * tet->B[a][0] + P->m[i][1] * tet->B[a][1] + P->m[i][2] * tet->B[a][2]);
    g[i] = -(g[3 + i] + g[6 + i] + g[9 + i]);
  }
}

// --- matrices of 12 x 12 in blocks of 3 x 3 -----------------------------------------------------------------------

// to_ab += s A_ab R
static void add_right_product(double *to, double s, const double *a, const pl_mat3 *rhs) {
  for (int i = 0; i < 12; ++i)
    for (int b = 0; b < 12; b += 3)
      for (int m = 0; m < 3; ++m)
        to[12 * i + b + m] +=
            s * (a[12 * i + b] * rhs->m[0][m] + a[12 * i + b + 1] * rhs->m[1][m] + a[12 * i + b + 2] * rhs->m[2][m]);
}

// to_ab += Lᵀ A_ab
static void add_left_product(double *to, const pl_mat3 *left, const double *a) {
  for (int b = 0; b < 12; b += 3)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 12; ++j)
        to[12 * (b + i) + j] +=
            left->m[0][i] * a[12 * b + j] + left->m[1][i] * a[12 * (b + 1) + j] + left->m[2][i] * a[12 * (b + 2) + j];
}

// to_ab += v_a B_bᵀ - v_b B_aᵀ
static void add_transport(double *to, const double *v, const double B[4][3]) {
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b) {
      pl_fem_add_outer(to, 12, a, b, 1, v + 3 * a, B[b]);
      pl_fem_add_outer(to, 12, a, b, -1, v + 3 * b, B[a]);
    }
}

// --- energy and derivatives ---------------------------------------------------------------------------------------

double pl_fem_tet_energy(const pl_fem_density *density, const pl_fem_element *e) {
  pl_fem_tet tet = pl_fem_tet_of(e);
  return tet.volume * density->energy(&tet.F, pl_fem_density_constants(density, e->p));
}

void pl_fem_tet_gradient(const pl_fem_density *density, const pl_fem_element *e, double *g) {
  pl_fem_tet tet = pl_fem_tet_of(e);
  pl_mat3 P;
  density->stress(&tet.F, pl_fem_density_constants(density, e->p), &P);
  apply_stress(&tet, &P, g);
}

void pl_fem_tet_hessian(const pl_fem_density *density, const pl_fem_element *e, double *h) {
  pl_fem_tet tet = pl_fem_tet_of(e);
  pl_mat3 P;
  double C[81];
  density->tangent(&tet.F, pl_fem_density_constants(density, e->p), &P, C);
  pl_fem_tet_contract(&tet, C, h);
}

void pl_fem_tet_mixed(const pl_fem_density *density, const pl_fem_element *e, double *m) {
  pl_fem_tet tet = pl_fem_tet_of(e);
  pl_mat3 P;
  double C[81], g[12], h[144];
  density->tangent(&tet.F, pl_fem_density_constants(density, e->p), &P, C);
  apply_stress(&tet, &P, g);
  pl_fem_tet_contract(&tet, C, h);
  memset(m, 0, sizeof h);
  add_transport(m, g, (const double(*)[3])tet.B);
  add_right_product(m, -1, h, &tet.F);
}

void pl_fem_tet_material(const pl_fem_density *density, const pl_fem_element *e, double *d) {
  pl_fem_tet tet = pl_fem_tet_of(e);
  int count = density->parameter_count;
  for (int k = 0; k < count; ++k) {
    pl_mat3 P;
    double g[12];
    density->stress(&tet.F, pl_fem_density_constants_by(density, e->p, k), &P);
    apply_stress(&tet, &P, g);
    for (int i = 0; i < 12; ++i) d[count * i + k] = g[i];
  }
}

// z_a = V (Fᵀ (C:Λ) + Λᵀ P) B_a and r_a = s B_a - z_a, the gradient of s by X.
static void rest_gradient(const pl_fem_tet *tet, const pl_mat3 *P, const pl_mat3 *Y, const pl_mat3 *L, double *z,
                          double *r) {
  pl_mat3 Z = pl_mat3_add(pl_mat3_multiply(pl_mat3_transpose(tet->F), *Y), pl_mat3_multiply(pl_mat3_transpose(*L), *P));
  double s = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) s += tet->volume * P->m[i][j] * L->m[i][j];
  apply_stress(tet, &Z, z);
  for (int a = 0; a < 4; ++a)
    for (int i = 0; i < 3; ++i) r[3 * a + i] = s * tet->B[a][i] - z[3 * a + i];
}

static pl_mat3 apply_tangent(const double *C, const pl_mat3 *L) {
  pl_mat3 Y;
  for (int i = 0; i < 9; ++i) {
    double sum = 0;
    for (int j = 0; j < 9; ++j) sum += C[9 * i + j] * L->m[j / 3][j % 3];
    Y.m[i / 3][i % 3] = sum;
  }
  return Y;
}

void pl_fem_tet_third(const pl_fem_density *density, const pl_fem_element *e, const double *lambda, double *xx,
                      double *xX, double *XX) {
  pl_fem_tet tet = pl_fem_tet_of(e);
  const double(*B)[3] = (const double(*)[3])tet.B;
  pl_mat3 P, L = pl_fem_tet_gradient_of(lambda, B);
  double C[81], Q[81], h[144], y[12], z[12], r[12];
  density->third(&tet.F, pl_fem_density_constants(density, e->p), &L, &P, C, Q);
  pl_mat3 Y = apply_tangent(C, &L);
  pl_fem_tet_contract(&tet, C, h);
  pl_fem_tet_contract(&tet, Q, xx);
  apply_stress(&tet, &Y, y);

  memset(xX, 0, sizeof h);
  add_transport(xX, y, B);
  add_right_product(xX, -1, xx, &tet.F);
  add_right_product(xX, -1, h, &L);

  // Fᵀ (T F + H Λ) + Λᵀ (H F)
  double inner[144] = {0}, outer[144] = {0};
  add_right_product(inner, 1, xx, &tet.F);
  add_right_product(inner, 1, h, &L);
  add_right_product(outer, 1, h, &tet.F);
  memset(XX, 0, sizeof h);
  add_left_product(XX, &tet.F, inner);
  add_left_product(XX, &L, outer);
  rest_gradient(&tet, &P, &Y, &L, z, r);
  add_transport(XX, r, B);
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b) {
      pl_fem_add_outer(XX, 12, a, b, 1, B[b], z + 3 * a);
      pl_fem_add_outer(XX, 12, a, b, -1, B[a], z + 3 * b);
    }
}
