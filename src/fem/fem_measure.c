// Energies of one measure: the formulas at the head of fem_measure.h, for the sides of an element, and from sides to
// corners.
#include "fem/fem_measure.h"

#include <stddef.h>

double pl_fem_edge_value(const double *d) {
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

void pl_fem_edge_gradient(const double *d, double *g) {
  for (int32_t i = 0; i < 3; ++i) g[i] = 2 * d[i];
}

void pl_fem_edge_hessian(const double *d, double *h) {
  (void)d;
  for (int32_t i = 0; i < 9; ++i) h[i] = i % 4 == 0 ? 2 : 0;
}

void pl_fem_sides_find(int32_t corner_count, const double *x, double *d) {
  for (int32_t k = 1; k < corner_count; ++k) {
    for (int32_t a = 0; a < 3; ++a) d[3 * (k - 1) + a] = x[3 * k + a] - x[a];
  }
}

void pl_fem_sides_spread_vector(int32_t corner_count, const double *small, double *large) {
  for (int32_t a = 0; a < 3; ++a) {
    double sum = 0;
    for (int32_t i = a; i < 3 * (corner_count - 1); i += 3) {
      large[3 + i] = small[i];
      sum += small[i];
    }
    large[a] = -sum;
  }
}

void pl_fem_sides_spread_matrix(int32_t corner_count, const double *small, double *large) {
  int32_t n = 3 * (corner_count - 1), width = n + 3;
  for (int32_t i = 0; i < n; ++i) pl_fem_sides_spread_vector(corner_count, small + i * n, large + (3 + i) * width);
  for (int32_t a = 0; a < 3; ++a) {
    for (int32_t j = 0; j < width; ++j) {
      double sum = 0;
      for (int32_t i = a; i < n; i += 3) sum += large[(3 + i) * width + j];
      large[a * width + j] = -sum;
    }
  }
}

// What the derivatives need of the element: w, f - F, and the sides now and at rest.
typedef struct comparison {
  int32_t n;
  double weight, value, excess;
  double now[PL_FEM_MAX_SIDES], rest[PL_FEM_MAX_SIDES];
} comparison;

// Nothing of it is set beforehand: it is found for every element in every evaluation.
static void compare(const pl_fem_measure *measure, const pl_fem_element *e, comparison *c) {
  double start[PL_FEM_MAX_SIDES];
  c->n = 3 * (measure->corner_count - 1);
  pl_fem_sides_find(measure->corner_count, e->x, c->now);
  pl_fem_sides_find(measure->corner_count, e->X, c->rest);
  pl_fem_sides_find(measure->corner_count, e->U, start);
  c->weight = e->p[0] * measure->fraction(start);
  c->value = measure->value(c->now);
  c->excess = c->value - measure->value(c->rest);
}

double pl_fem_measure_energy(const pl_fem_measure *measure, const pl_fem_element *e) {
  comparison c;
  compare(measure, e, &c);
  return 0.5 * c.weight * c.excess * c.excess;
}

// w (f - F) f' with a weight of the caller's choice.
static void spread_force(const pl_fem_measure *measure, const comparison *c, double weight, double *g) {
  double f1[PL_FEM_MAX_SIDES];
  measure->gradient(c->now, f1);
  for (int32_t i = 0; i < c->n; ++i) f1[i] *= weight * c->excess;
  pl_fem_sides_spread_vector(measure->corner_count, f1, g);
}

void pl_fem_measure_gradient(const pl_fem_measure *measure, const pl_fem_element *e, double *g) {
  comparison c;
  compare(measure, e, &c);
  spread_force(measure, &c, c.weight, g);
}

void pl_fem_measure_material(const pl_fem_measure *measure, const pl_fem_element *e, double *d) {
  pl_fem_element unit = *e;
  unit.p = &(double){1};
  comparison c;
  compare(measure, &unit, &c);
  spread_force(measure, &c, c.weight, d);
}

void pl_fem_measure_hessian(const pl_fem_measure *measure, const pl_fem_element *e, double *h) {
  comparison c;
  compare(measure, e, &c);
  double f1[PL_FEM_MAX_SIDES], f2[PL_FEM_MAX_SIDES * PL_FEM_MAX_SIDES];
  measure->gradient(c.now, f1);
  measure->hessian(c.now, f2);
  for (int32_t i = 0; i < c.n; ++i) {
    for (int32_t j = 0; j < c.n; ++j) f2[i * c.n + j] = c.weight * (f1[i] * f1[j] + c.excess * f2[i * c.n + j]);
  }
  pl_fem_sides_spread_matrix(measure->corner_count, f2, h);
}

// w f' f'ᵀ, and the other term where it has no negative eigenvalues for sure: a stretched edge.
void pl_fem_measure_positive(const pl_fem_measure *measure, const pl_fem_element *e, double *h) {
  comparison c;
  compare(measure, e, &c);
  double f1[PL_FEM_MAX_SIDES], f2[PL_FEM_MAX_SIDES * PL_FEM_MAX_SIDES] = {0};
  double weight = c.weight > 0 ? c.weight : 0,
         excess = measure->hessian == pl_fem_edge_hessian && c.excess > 0 ? c.excess : 0;
  measure->gradient(c.now, f1);
  if (excess > 0) measure->hessian(c.now, f2);
  for (int32_t i = 0; i < c.n; ++i) {
    for (int32_t j = 0; j < c.n; ++j) f2[i * c.n + j] = weight * (f1[i] * f1[j] + excess * f2[i * c.n + j]);
  }
  pl_fem_sides_spread_matrix(measure->corner_count, f2, h);
}

void pl_fem_measure_mixed(const pl_fem_measure *measure, const pl_fem_element *e, double *m) {
  comparison c;
  compare(measure, e, &c);
  double f1[PL_FEM_MAX_SIDES], rest1[PL_FEM_MAX_SIDES], small[PL_FEM_MAX_SIDES * PL_FEM_MAX_SIDES];
  measure->gradient(c.now, f1);
  measure->gradient(c.rest, rest1);
  for (int32_t i = 0; i < c.n; ++i) {
    for (int32_t j = 0; j < c.n; ++j) small[i * c.n + j] = -c.weight * f1[i] * rest1[j];
  }
  pl_fem_sides_spread_matrix(measure->corner_count, small, m);
}

void pl_fem_measure_third(const pl_fem_measure *measure, const pl_fem_element *e, const double *lambda, double *xx,
                          double *xX, double *XX) {
  comparison c;
  compare(measure, e, &c);
  int32_t n = c.n;
  double rate[PL_FEM_MAX_SIDES], f1[PL_FEM_MAX_SIDES], rest1[PL_FEM_MAX_SIDES], bent[PL_FEM_MAX_SIDES];
  double f2[PL_FEM_MAX_SIDES * PL_FEM_MAX_SIDES], f3[PL_FEM_MAX_SIDES * PL_FEM_MAX_SIDES] = {0};
  pl_fem_sides_find(measure->corner_count, lambda, rate);
  measure->gradient(c.now, f1);
  measure->gradient(c.rest, rest1);
  measure->hessian(c.now, f2);
  if (measure->third != NULL) measure->third(c.now, rate, f3);

  // λ·f' and f''λ
  double gradient = 0;
  for (int32_t i = 0; i < n; ++i) {
    gradient += rate[i] * f1[i];
    bent[i] = 0;
    for (int32_t j = 0; j < n; ++j) bent[i] += f2[i * n + j] * rate[j];
  }

  double small[PL_FEM_MAX_SIDES * PL_FEM_MAX_SIDES];
  for (int32_t i = 0; i < n; ++i) {
    for (int32_t j = 0; j < n; ++j) {
      small[i * n + j] =
          c.weight * (gradient * f2[i * n + j] + f1[i] * bent[j] + bent[i] * f1[j] + c.excess * f3[i * n + j]);
    }
  }
  pl_fem_sides_spread_matrix(measure->corner_count, small, xx);
  for (int32_t i = 0; i < n; ++i) {
    for (int32_t j = 0; j < n; ++j) small[i * n + j] = -c.weight * bent[i] * rest1[j];
  }
  pl_fem_sides_spread_matrix(measure->corner_count, small, xX);
  measure->hessian(c.rest, small);
  for (int32_t i = 0; i < n * n; ++i) small[i] *= -c.weight * gradient;
  pl_fem_sides_spread_matrix(measure->corner_count, small, XX);
}

// From f' to forces of both energies.
static void spread_forces(int32_t corner_count, const double *f1, double pull, double drag_pull, double *g,
                          double *drag) {
  double corners[PL_FEM_MAX_VALUES];
  pl_fem_sides_spread_vector(corner_count, f1, corners);
  for (int32_t i = 0; i < 3 * corner_count; ++i) g[i] = pull * corners[i];
  for (int32_t i = 0; drag != NULL && i < 3 * corner_count; ++i) drag[i] = drag_pull * corners[i];
}

void pl_fem_measure_evaluate(const pl_fem_measure *measure, const pl_fem_element *e, const double *before,
                             double factor, bool positive, double energies[2], double *g, double *drag, double *h) {
  comparison c;
  compare(measure, e, &c);
  double f1[PL_FEM_MAX_SIDES], f2[PL_FEM_MAX_SIDES * PL_FEM_MAX_SIDES], start[PL_FEM_MAX_SIDES];
  double weight = before != NULL ? factor * c.weight : 0, change = 0;
  if (before != NULL) {
    pl_fem_sides_find(measure->corner_count, before, start);
    change = c.value - measure->value(start);
  }
  energies[0] = 0.5 * c.weight * c.excess * c.excess;
  energies[1] = 0.5 * weight * change * change;
  measure->gradient(c.now, f1);
  spread_forces(measure->corner_count, f1, c.weight * c.excess, weight * change, g, before != NULL ? drag : NULL);
  if (h == NULL) return;
  double stiffness = c.weight + weight, hessian = c.weight * c.excess + weight * change;
  if (positive) {
    // The second term where it has no negative eigenvalues for sure: a stretched edge.
    bool edge = measure->hessian == pl_fem_edge_hessian;
    stiffness = (c.weight > 0 ? c.weight : 0) + (weight > 0 ? weight : 0);
    hessian = 0;
    if (edge && c.weight > 0 && c.excess > 0) hessian += c.weight * c.excess;
    if (edge && weight > 0 && change > 0) hessian += weight * change;
  }
  if (hessian != 0) measure->hessian(c.now, f2);
  for (int32_t i = 0; i < c.n; ++i) {
    for (int32_t j = 0; j < c.n; ++j)
      f2[i * c.n + j] = stiffness * f1[i] * f1[j] + (hessian != 0 ? hessian * f2[i * c.n + j] : 0);
  }
  pl_fem_sides_spread_matrix(measure->corner_count, f2, h);
}
