// Site and load descriptors of paper 003, sections 4.2 to 4.4, from sums over material points.
//
// Eq. 10 takes the rigid part out of the displacement point by point and eq. 11 then sums. But moments are linear in
// the field, so
//
//   M[ubar] = R^T (M[x - c] + M[u] - t M[1]) - M[x - c]
//
// and M[x] follows from M[1], because r_i H_n is a sum of polynomials of orders n + 1 and n - 1. So one pass over the
// points serves the fit of R, the descriptor and the site, and what stays is arithmetic on 50 numbers. It costs one
// order: M[1] to order 3 gives loads to order 2, which is what the paper uses.
//
// R, t   rigid part: F = R S by moving least squares, t the mean of u           c   mean of x
// All means are those of the window, sum over w. With c in eq. 10 the moment of order 0 is zero for this t; the paper
// leaves c out.
//
// What differs: eq. 8 divides by the sum of w over the points, which are all inside, so its moment of order 0 is 1
// wherever one looks, on a thin rim as in the middle. Volumes as shares give the integral of eq. 7 itself; see
// pl_site_scale.
#include "detail/detail_descriptor.h"

#include <string.h>

#include "math/rotation.h"

// Nothing of the window's weight is in material below this.
static const double EMPTY = 1e-30;
// A tangential part of the first moment below this fraction of the window has no direction worth following: sums over
// meshes are no better. Half a space has 0.4 along its normal.
static const double MIN_FIRST = 0.01;
static const double MIN_SECOND = 1e-4;
// What a pure shear (0.7 of its load) counts compared with the first moment: as much as an edge about two radii away.
static const double SHEAR_FRACTION = 0.1;
// Keeps the fit of F well-posed for points in a plane or on a line; symmetric, so it cannot turn R.
static const double FIT_REGULARIZER = 1e-6;

void pl_material_fractions(const pl_mesh_view *mesh, double *fractions) {
  memset(fractions, 0, (size_t)mesh->point_count * sizeof *fractions);
  for (int32_t t = 0; t < mesh->tet_count; ++t) {
    const int32_t *c = mesh->tets + 4 * (size_t)t;
    pl_vec3 a = mesh->points[c[0]], ab = pl_vec3_sub(mesh->points[c[1]], a), ac = pl_vec3_sub(mesh->points[c[2]], a);
    double volume = pl_vec3_dot(pl_vec3_cross(ab, ac), pl_vec3_sub(mesh->points[c[3]], a)) / 6;
    for (int k = 0; k < 4; ++k) fractions[c[k]] += 0.25 * fabs(volume);
  }
}

pl_moments pl_site_of_sums(const pl_moments *sums, double radius, pl_site_scale scale) {
  pl_moments site = *sums;
  double whole = scale == PL_SITE_PER_POINT ? sums->values[0] : radius * radius * radius;
  if (!(sums->values[0] > EMPTY * radius * radius * radius)) return (pl_moments){{0}};
  pl_moments_scale(&site, 1, 1.0 / whole);
  return site;
}

// Moments to order 2 of the field r_axis, from those of the function 1: r_i H_J = sqrt(n + 1) H_Ji + (1 / sqrt n) sum_j
// [J_j = i] H_(J without j).
static void moments_of_coordinate(const pl_moments *one, int axis, double moments[PL_LOAD_COUNT]) {
  const double root2 = 1.41421356237309504880, root3 = 1.73205080756887729353;
  const double *v = one->values;
  moments[0] = v[1 + axis];
  for (int i = 0; i < 3; ++i) {
    moments[1 + i] = root2 * v[pl_moment_place2(i, axis)] + (i == axis ? v[0] : 0.0);
    for (int j = i; j < 3; ++j)
      moments[pl_moment_place2(i, j)] = root3 * v[pl_moment_place3(i, j, axis)] +
                                        ((j == axis ? v[1 + i] : 0.0) + (i == axis ? v[1 + j] : 0.0)) / root2;
  }
}

// F of the window by moving least squares: (sum w (y - mean y)(x - c)^T) (sum w (x - c)(x - c)^T)^-1 with y = x + u.
// Both sums are moments of orders 0 and 1 of y and x.
static pl_mat3 fit_gradient(double position[3][PL_LOAD_COUNT], double moved[3][PL_LOAD_COUNT]) {
  pl_mat3 from, to;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      from.m[i][j] = position[i][1 + j] - position[i][0] * position[j][0];
      to.m[i][j] = moved[i][1 + j] - moved[i][0] * position[j][0];
    }
  double trace = from.m[0][0] + from.m[1][1] + from.m[2][2];
  if (!(trace > 1e-12)) return pl_mat3_identity();
  for (int i = 0; i < 3; ++i) from.m[i][i] += FIT_REGULARIZER * trace;
  return pl_mat3_multiply(to, pl_mat3_inverse(from));
}

pl_vector_moments pl_load_of_sums(const pl_moments *sums, const pl_moments field_sums[3], double radius,
                                  pl_mat3 *rotation, pl_vec3 *shift) {
  pl_vector_moments load;
  memset(&load, 0, sizeof load);
  pl_mat3 turn = pl_mat3_identity();
  pl_vec3 mean = {0, 0, 0};
  if (sums->values[0] > EMPTY * radius * radius * radius) {
    // Everything per unit of the window's weight and in units of the radius.
    pl_moments one = *sums;
    pl_moments_scale(&one, 1, 1.0 / sums->values[0]);
    double position[3][PL_LOAD_COUNT], moved[3][PL_LOAD_COUNT], scale = 1.0 / (sums->values[0] * radius);
    for (int c = 0; c < 3; ++c) {
      moments_of_coordinate(&one, c, position[c]);
      for (int i = 0; i < PL_LOAD_COUNT; ++i) moved[c][i] = position[c][i] + scale * field_sums[c].values[i];
    }
    turn = pl_mat3_from_quat(pl_rotation_of_mat3(fit_gradient(position, moved), pl_quat_identity()));
    mean = pl_vec3_of(radius * (moved[0][0] - position[0][0]), radius * (moved[1][0] - position[1][0]),
                      radius * (moved[2][0] - position[2][0]));
    // The moment of order 0 is zero by the choice of t.
    for (int i = 1; i < PL_LOAD_COUNT; ++i) {
      double y[3], x[3];
      for (int c = 0; c < 3; ++c) {
        x[c] = position[c][i] - position[c][0] * one.values[i];
        y[c] = moved[c][i] - moved[c][0] * one.values[i];
      }
      for (int c = 0; c < 3; ++c)
        load.components[c].values[i] =
            radius * (turn.m[0][c] * y[0] + turn.m[1][c] * y[1] + turn.m[2][c] * y[2] - x[c]);
    }
  }
  if (rotation != NULL) *rotation = turn;
  if (shift != NULL) *shift = mean;
  return load;
}

// Direction in the tangent plane of the larger eigenvalue of the second moment, with the sign in which the odd orders
// are positive; zero where all directions are alike.
static pl_vec3 widest_direction(const pl_moments *site, pl_vec3 u, pl_vec3 v, double min) {
  pl_moments local;
  pl_moments_rotate(site, (pl_mat3){{{u.x, u.y, u.z}, {v.x, v.y, v.z}, {0, 0, 0}}}, &local);
  double xx = local.values[pl_moment_place2(0, 0)], xy = local.values[pl_moment_place2(0, 1)],
         yy = local.values[pl_moment_place2(1, 1)];
  double across = 2 * xy, along = xx - yy, size = sqrt(across * across + along * along);
  if (!(size > min)) return pl_vec3_of(0, 0, 0);
  double angle = 0.5 * atan2(across, along), c = cos(angle), s = sin(angle);
  // A turn by half a circle leaves even orders as they are. The first odd one with a sign decides; without any, the two
  // are equally good.
  double first = c * local.values[1] + s * local.values[2];
  double third = c * c * c * local.values[10] + 3 * c * c * s * local.values[11] + 3 * c * s * s * local.values[13] +
                 s * s * s * local.values[16];
  double sign = fabs(first) > 1e-9 ? first : third;
  return pl_vec3_scale(pl_vec3_add(pl_vec3_scale(u, c), pl_vec3_scale(v, s)), sign < 0 ? -1.0 : 1.0);
}

// Direction in which the load moves the surface sideways, as a fraction of the load: its first moment is the symmetric
// stretch without the identity, whose column along the normal is the shear.
static pl_vec3 shear_direction(const pl_vector_moments *load, pl_vec3 normal) {
  pl_vec3 shear = {0, 0, 0};
  if (load == NULL) return shear;
  double norm = sqrt(pl_vector_moments_dot(load, load, 1, PL_LOAD_COUNT));
  if (!(norm > 0)) return shear;
  const pl_moments *u = load->components;
  shear = pl_vec3_of(u[0].values[1] * normal.x + u[0].values[2] * normal.y + u[0].values[3] * normal.z,
                     u[1].values[1] * normal.x + u[1].values[2] * normal.y + u[1].values[3] * normal.z,
                     u[2].values[1] * normal.x + u[2].values[2] * normal.y + u[2].values[3] * normal.z);
  return pl_vec3_scale(pl_vec3_add_scaled(shear, normal, -pl_vec3_dot(shear, normal)), 1.0 / norm);
}

pl_mat3 pl_stamp_frame(const pl_moments *site, const pl_vector_moments *load, pl_vec3 normal) {
  pl_vec3 u = pl_vec3_perpendicular(normal), v = pl_vec3_cross(normal, u);
  pl_vec3 first = {site->values[1], site->values[2], site->values[3]};
  pl_vec3 along = pl_vec3_add_scaled(first, normal, -pl_vec3_dot(first, normal));
  double full = fabs(site->values[0]);
  along = pl_vec3_add_scaled(along, shear_direction(load, normal), SHEAR_FRACTION * full);
  if (!(pl_vec3_length(along) > MIN_FIRST * full)) along = widest_direction(site, u, v, MIN_SECOND * full);
  pl_vec3 x = pl_vec3_normalize_or(along, u);
  // Once more at right angles: a short tangential part has lost digits.
  x = pl_vec3_normalize_or(pl_vec3_add_scaled(x, normal, -pl_vec3_dot(x, normal)), u);
  pl_vec3 y = pl_vec3_cross(normal, x);
  return (pl_mat3){{{x.x, x.y, x.z}, {y.x, y.y, y.z}, {normal.x, normal.y, normal.z}}};
}
