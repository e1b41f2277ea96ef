// Hermite moments of what is around a point, to order 3: the numbers by which two sites, or two
// loads, are compared.
//
//   r = (x - center) / radius
//   w(r) = (2 pi)^(-3/2) exp(-|r|^2 / 2): the window, eq. 2 of paper 003
//   H_n = He_n / sqrt(n!), He the probabilists' polynomials, a symmetric tensor of order n (eq. 3)
//   moment of f: M_n = integral of w(r) H_n(r) f dr
//
// The window of the paper has unit variance, so lengths are divided by a radius first; it is a
// parameter of the database and must be the same wherever moments are compared.
//
// Tensors are symmetric: of order n they have (n + 1)(n + 2) / 2 numbers that differ, not 3^n.
// These are kept, orders one after another:
//
//   1 | x y z | xx xy xz yy yz zz | xxx xxy xxz xyy xyz xzz yyy yyz yzz zzz
//
// and a sum over a tensor's elements takes each as often as it occurs (pl_moment_multiplicity).
#ifndef PL_DETAIL_MOMENTS_H
#define PL_DETAIL_MOMENTS_H

#include "math/mat3.h"

enum { PL_MOMENT_ORDER = 3, PL_MOMENT_COUNT = 20, PL_LOAD_ORDER = 2, PL_LOAD_COUNT = 10 };

// Moments of one function: densities.
typedef struct pl_moments {
  double values[PL_MOMENT_COUNT];
} pl_moments;

// Moments of the three components of a vector field: displacements, in metres.
typedef struct pl_vector_moments {
  pl_moments components[3];
} pl_vector_moments;

// Points that represent the material around them, each with its fraction of it.
typedef struct pl_material {
  int32_t count;
  const pl_vec3 *points;    // at rest, metres
  const double *fractions;  // volume of each, m³, times its density where that differs; NULL: all 1
} pl_material;

// Centre and radius of the window.
typedef struct pl_window {
  pl_vec3 center;
  double radius;  // metres, one standard deviation
} pl_window;

// How many numbers there are up to this order: 1, 4, 10, 20.
int32_t pl_moment_count(int32_t order);

// How often the element occurs in its tensor, and the tensor's order.
double pl_moment_multiplicity(int32_t index);
int32_t pl_moment_order(int32_t index);

// Where element (i, j, k) of the tensor of order 3 is; pl_moment_place2 the same for order 2. Axes
// in any order.
int32_t pl_moment_place2(int32_t i, int32_t j);
int32_t pl_moment_place3(int32_t i, int32_t j, int32_t k);

// All polynomials at r.
void pl_hermite_evaluate(pl_vec3 r, double values[PL_MOMENT_COUNT]);

// Sums over material points (eq. 8 without its factor): fraction w H f. `field` holds `field_count`
// values a point, one set of moments each; NULL with 1: the function 1. Single precision does the
// same in detail_kernels.h; this is for preparation, and what that is held against.
void pl_moments_sum(const pl_material *material, const double *field, int32_t field_count,
                    const pl_window *window, pl_moments *sums);

// Divide all moments.
void pl_moments_scale(pl_moments *moments, int32_t count, double factor);

// Components with respect to other axes (appendix B): the rows of `axes` are the new axes, given in
// the old ones.
void pl_moments_rotate(const pl_moments *moments, pl_mat3 axes, pl_moments *turned);
void pl_vector_moments_rotate(const pl_vector_moments *moments, pl_mat3 axes,
                              pl_vector_moments *turned);

// The sum of eq. 6 over elements [begin, end) of all orders: multiplicity times product. An order n
// is [pl_moment_count(n - 1), pl_moment_count(n)).
double pl_moments_dot(const pl_moments *a, const pl_moments *b, int32_t begin, int32_t end);
double pl_vector_moments_dot(const pl_vector_moments *a, const pl_vector_moments *b, int32_t begin,
                             int32_t end);

// Distance of two sites up to an order (eq. 9): the root of the squared differences. A metric.
double pl_site_distance(const pl_moments *a, const pl_moments *b, int32_t order);

// Dissimilarity of two loads, orders 1 to `order` (eq. 14): 1 less the cosine, so in [0, 2],
// whatever their size. Loads whose norm is no more than `min` are none: then 1 if one of the two is
// none and 0 if both are. Its square root is a metric; itself it is not (the cosine of half a right
// angle tells).
double pl_load_distance(const pl_vector_moments *a, const pl_vector_moments *b, int32_t order,
                        double min);

#endif
