// Hermite moments, their rotation and their distances; paper 003, sections 4.1 to 4.3, appendix B. The norm is the
// *root* of <t, t>, which the text below eq. 6 leaves out.
#include "detail/detail_moments.h"

#include <assert.h>
#include <string.h>

static const int32_t COUNTS[PL_MOMENT_ORDER + 1] = {1, 4, 10, 20};
static const double MULTIPLICITIES[PL_MOMENT_COUNT] = {1, 1, 1, 1, 1, 2, 2, 1, 2, 1, 1, 3, 3, 3, 6, 3, 1, 3, 3, 1};
static const int32_t ORDERS[PL_MOMENT_COUNT] = {0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3};
static const int32_t PLACES2[3][3] = {{4, 5, 6}, {5, 7, 8}, {6, 8, 9}};
// By how many of the three axes are y and how many are z.
static const int32_t PLACES3[4][4] = {{10, 12, 15, 19}, {11, 14, 18, -1}, {13, 17, -1, -1}, {16, -1, -1, -1}};

int32_t pl_moment_count(int32_t order) {
  assert(order >= 0 && order <= PL_MOMENT_ORDER);
  return COUNTS[order];
}

double pl_moment_multiplicity(int32_t index) {
  return MULTIPLICITIES[index];
}

int32_t pl_moment_order(int32_t index) {
  return ORDERS[index];
}

int32_t pl_moment_place2(int32_t i, int32_t j) {
  return PLACES2[i][j];
}

int32_t pl_moment_place3(int32_t i, int32_t j, int32_t k) {
  return PLACES3[(i == 1) + (j == 1) + (k == 1)][(i == 2) + (j == 2) + (k == 2)];
}

void pl_hermite_evaluate(pl_vec3 r, double values[PL_MOMENT_COUNT]) {
  const double second = 0.70710678118654752440, third = 0.40824829046386301637;  // 1 / sqrt(2!), 1 / sqrt(3!)
  double x = r.x, y = r.y, z = r.z, xx = x * x, yy = y * y, zz = z * z;
  const double plain[PL_MOMENT_COUNT] = {1,
                                         x,
                                         y,
                                         z,
                                         xx - 1,
                                         x * y,
                                         x * z,
                                         yy - 1,
                                         y * z,
                                         zz - 1,
                                         x * (xx - 3),
                                         y * (xx - 1),
                                         z * (xx - 1),
                                         x * (yy - 1),
                                         x * y * z,
                                         x * (zz - 1),
                                         y * (yy - 3),
                                         z * (yy - 1),
                                         y * (zz - 1),
                                         z * (zz - 3)};
  for (int32_t i = 0; i < PL_MOMENT_COUNT; ++i)
    values[i] = plain[i] * (ORDERS[i] == 2 ? second : ORDERS[i] == 3 ? third : 1.0);
}

void pl_moments_sum(const pl_material *material, const double *field, int32_t field_count, const pl_window *window,
                    pl_moments *sums) {
  const double height = 0.063493635934240969785;  // (2 pi)^(-3/2)
  memset(sums, 0, (size_t)field_count * sizeof *sums);
  for (int32_t m = 0; m < material->count; ++m) {
    pl_vec3 r = pl_vec3_scale(pl_vec3_sub(material->points[m], window->center), 1.0 / window->radius);
    double weight =
        height * exp(-0.5 * pl_vec3_dot(r, r)) * (material->fractions == NULL ? 1.0 : material->fractions[m]);
    double h[PL_MOMENT_COUNT];
    pl_hermite_evaluate(r, h);
    for (int32_t f = 0; f < field_count; ++f) {
      double value = weight * (field == NULL ? 1.0 : field[(size_t)m * (size_t)field_count + (size_t)f]);
      for (int32_t i = 0; i < PL_MOMENT_COUNT; ++i) sums[f].values[i] += value * h[i];
    }
  }
}

void pl_moments_scale(pl_moments *moments, int32_t count, double factor) {
  for (int32_t f = 0; f < count; ++f)
    for (int32_t i = 0; i < PL_MOMENT_COUNT; ++i) moments[f].values[i] *= factor;
}

// Eq. 18, one index of the tensor at a time: 81 + 18 products instead of 729.
static void rotate_second(const double *from, double t[3][3], double *to) {
  double half[3][3];
  for (int i = 0; i < 3; ++i)
    for (int b = 0; b < 3; ++b) {
      half[i][b] = 0;
      for (int a = 0; a < 3; ++a) half[i][b] += t[i][a] * from[PLACES2[a][b]];
    }
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) to[PLACES2[i][j]] = half[i][0] * t[j][0] + half[i][1] * t[j][1] + half[i][2] * t[j][2];
}

static void rotate_third(const double *from, double t[3][3], double *to) {
  for (int i = 0; i < 3; ++i) {
    // The tensor with its first index along new axis i is a symmetric one of order 2.
    double slice[3][3];
    for (int b = 0; b < 3; ++b)
      for (int c = b; c < 3; ++c) {
        slice[b][c] = 0;
        for (int a = 0; a < 3; ++a) slice[b][c] += t[i][a] * from[pl_moment_place3(a, b, c)];
        slice[c][b] = slice[b][c];
      }
    for (int j = i; j < 3; ++j) {
      double row[3];
      for (int c = 0; c < 3; ++c) row[c] = t[j][0] * slice[0][c] + t[j][1] * slice[1][c] + t[j][2] * slice[2][c];
      for (int k = j; k < 3; ++k)
        to[pl_moment_place3(i, j, k)] = row[0] * t[k][0] + row[1] * t[k][1] + row[2] * t[k][2];
    }
  }
}

void pl_moments_rotate(const pl_moments *moments, pl_mat3 axes, pl_moments *turned) {
  double(*t)[3] = axes.m;
  pl_moments from = *moments;
  for (int i = 0; i < 3; ++i)
    turned->values[1 + i] = t[i][0] * from.values[1] + t[i][1] * from.values[2] + t[i][2] * from.values[3];
  turned->values[0] = from.values[0];
  rotate_second(from.values, t, turned->values);
  rotate_third(from.values, t, turned->values);
}

void pl_vector_moments_rotate(const pl_vector_moments *moments, pl_mat3 axes, pl_vector_moments *turned) {
  pl_moments part[3];
  for (int c = 0; c < 3; ++c) pl_moments_rotate(&moments->components[c], axes, &part[c]);
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < PL_MOMENT_COUNT; ++i)
      turned->components[c].values[i] =
          axes.m[c][0] * part[0].values[i] + axes.m[c][1] * part[1].values[i] + axes.m[c][2] * part[2].values[i];
}

double pl_moments_dot(const pl_moments *a, const pl_moments *b, int32_t begin, int32_t end) {
  double sum = 0;
  for (int32_t i = begin; i < end; ++i) sum += MULTIPLICITIES[i] * a->values[i] * b->values[i];
  return sum;
}

double pl_vector_moments_dot(const pl_vector_moments *a, const pl_vector_moments *b, int32_t begin, int32_t end) {
  double sum = 0;
  for (int c = 0; c < 3; ++c) sum += pl_moments_dot(&a->components[c], &b->components[c], begin, end);
  return sum;
}

double pl_site_distance(const pl_moments *a, const pl_moments *b, int32_t order) {
  pl_moments off;
  for (int32_t i = 0; i < PL_MOMENT_COUNT; ++i) off.values[i] = a->values[i] - b->values[i];
  return sqrt(pl_moments_dot(&off, &off, 0, pl_moment_count(order)));
}

double pl_load_distance(const pl_vector_moments *a, const pl_vector_moments *b, int32_t order, double min) {
  int32_t end = pl_moment_count(order);
  double norm_a = sqrt(pl_vector_moments_dot(a, a, 1, end)), norm_b = sqrt(pl_vector_moments_dot(b, b, 1, end));
  bool none_a = !(norm_a > min), none_b = !(norm_b > min);
  if (none_a || none_b) return none_a && none_b ? 0.0 : 1.0;
  return fmin(fmax(1.0 - pl_vector_moments_dot(a, b, 1, end) / (norm_a * norm_b), 0.0), 2.0);
}
