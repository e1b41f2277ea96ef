// Elements of an example pose turned back to where the rest has them (paper 004, sections 5.1 and 5.2), so that mixing
// an element's poses is mixing positions of its corners.
//
//   tets         R of F = R S, the deformation gradient from rest to example
//   triangles    the same, with F extended to the unit normals: R takes plane to plane and is the polar rotation
//                within it
//   edges        along the edge: mixed corners have mixed lengths
//   hinges       the common edges and the means of the two normals on each other
//   turns        the mean directions of the two edges on each other
//
// Of hinges the paper aligns the common edges, which leaves the turn about the edge open. With the mean normals on each
// other, both wings turn by half of the difference of angles: the mixture's angle is monotone in the weight for any two
// angles in (-π, π), also where the bend changes its side.
//
// R always has determinant +1. Elements keep their centroids, so it does not matter where an example stands.
#include <math.h>
#include <string.h>

#include "actor/actor_space_parts.h"
#include "fem/fem_polar.h"
#include "fem/fem_tet.h"

// Volume, area or length against the rest's below which an element counts as flat.
#define FLAT 1e-6
// Length of the sum of two unit vectors below which they are opposite, but for rounding.
#define CANCELLED 1e-9

static pl_vec3 side(const double *x, int from, int to) {
  return pl_vec3_sub(pl_fem_vector(x, to), pl_fem_vector(x, from));
}

static pl_mat3 rotation_of(pl_mat3 F) {
  pl_fem_polar polar;
  pl_fem_polar_of(&F, &polar);
  return polar.R;
}

static bool turn_of_tet(const double *start, const double *pose, pl_mat3 *R) {
  double B[4][3], volume;
  pl_fem_tet_rest(start, B, &volume);
  pl_mat3 F = pl_fem_tet_gradient_of(pose, (const double(*)[3])B);
  *R = rotation_of(F);
  return pl_mat3_determinant(F) > FLAT;
}

static bool turn_of_triangle(const double *start, const double *pose, bool planar, pl_mat3 *R) {
  pl_mat3 D[2];
  double areas[2];
  for (int i = 0; i < 2; ++i) {
    const double *x = i == 0 ? start : pose;
    pl_vec3 u = side(x, 0, 1), v = side(x, 0, 2), normal = pl_vec3_cross(u, v), z = pl_vec3_of(0, 0, 1);
    areas[i] = planar ? normal.z : pl_vec3_length(normal);
    D[i] = pl_mat3_from_columns(u, v, planar ? z : pl_vec3_normalize_or(normal, z));
  }
  *R = rotation_of(pl_mat3_multiply(D[1], pl_mat3_inverse(D[0])));
  return areas[1] / areas[0] > FLAT;
}

// Columns: along the common edge, mean normal, and at right angles to both.
static pl_mat3 hinge_frame(const double *x) {
  pl_vec3 e = pl_vec3_normalize_or(side(x, 0, 1), pl_vec3_of(1, 0, 0)), p = side(x, 0, 2), q = side(x, 0, 3);
  pl_vec3 n1 = pl_vec3_normalize_or(pl_vec3_cross(e, p), pl_vec3_of(0, 0, 1));
  pl_vec3 n2 = pl_vec3_normalize_or(pl_vec3_cross(q, e), pl_vec3_of(0, 0, 1)), mean = pl_vec3_add(n1, n2);
  // Folded together, the normals cancel; away from both wings is then the middle.
  if (pl_vec3_length(mean) < CANCELLED) mean = pl_vec3_cross(e, n1);
  mean = pl_vec3_normalize_or(pl_vec3_add_scaled(mean, e, -pl_vec3_dot(mean, e)), pl_vec3_perpendicular(e));
  return pl_mat3_from_columns(e, mean, pl_vec3_cross(e, mean));
}

static pl_mat3 turn_frame(const double *x) {
  pl_vec3 a = side(x, 0, 1), b = side(x, 1, 2);
  a.z = b.z = 0;
  a = pl_vec3_normalize_or(a, pl_vec3_of(1, 0, 0));
  b = pl_vec3_normalize_or(b, pl_vec3_of(1, 0, 0));
  pl_vec3 mean = pl_vec3_add(a, b), z = pl_vec3_of(0, 0, 1);
  // Folded back: at right angles to the edges, as if it had turned to the left.
  mean = pl_vec3_length(mean) < CANCELLED ? pl_vec3_cross(z, a) : pl_vec3_normalize_or(mean, a);
  return pl_mat3_from_columns(mean, pl_vec3_cross(z, mean), z);
}

// Edges have no rotation to find: their change lies along the rest edge.
static bool align_edge(const double *start, const double *pose, double *change) {
  pl_vec3 rest = side(start, 0, 1);
  double length = pl_vec3_length(rest), other = pl_vec3_length(side(pose, 0, 1));
  pl_vec3 half = pl_vec3_scale(rest, 0.5 * (other - length) / length);
  pl_fem_put(change, 0, pl_vec3_scale(half, -1));
  pl_fem_put(change, 1, half);
  return other > FLAT * length;
}

static pl_vec3 centroid(const double *x, int32_t count) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t k = 0; k < count; ++k) sum = pl_vec3_add(sum, pl_fem_vector(x, k));
  return pl_vec3_scale(sum, 1.0 / count);
}

bool pl_rest_align(const pl_fem_group *group, bool planar, const double *start, const double *pose, double *change) {
  pl_mat3 R = pl_mat3_identity();
  bool sound = true;
  switch (group->shape) {
    case PL_FEM_SHAPE_LENGTH: return align_edge(start, pose, change);
    case PL_FEM_SHAPE_SOLID: sound = turn_of_tet(start, pose, &R); break;
    case PL_FEM_SHAPE_TRIANGLE: sound = turn_of_triangle(start, pose, planar, &R); break;
    case PL_FEM_SHAPE_TURN: R = pl_mat3_multiply(turn_frame(pose), pl_mat3_transpose(turn_frame(start))); break;
    case PL_FEM_SHAPE_HINGE: R = pl_mat3_multiply(hinge_frame(pose), pl_mat3_transpose(hinge_frame(start))); break;
  }
  pl_mat3 back = pl_mat3_transpose(R);
  pl_vec3 here = centroid(start, group->corner_count), there = centroid(pose, group->corner_count);
  for (int32_t k = 0; k < group->corner_count; ++k) {
    pl_vec3 at = pl_mat3_apply(back, pl_vec3_sub(pl_fem_vector(pose, k), there));
    pl_vec3 d = pl_vec3_sub(at, pl_vec3_sub(pl_fem_vector(start, k), here));
    if (planar) d.z = 0;
    pl_fem_put(change, k, d);
  }
  return sound;
}
