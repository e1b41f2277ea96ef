// Boxes around points and normals of surfaces.
#include "mesh/simplex.h"
#include "pliant/mesh.h"

pl_box pl_box_from_points(const pl_vec3 *points, int32_t point_count) {
  pl_box box = pl_box_empty();
  for (int32_t i = 0; i < point_count; ++i) box = pl_box_add_point(box, points[i]);
  return box;
}

// Angle between two edges; atan2 keeps its accuracy for slivers, where acos of a dot product loses half the digits.
static double angle_between(pl_vec3 a, pl_vec3 b) {
  return atan2(pl_vec3_length(pl_vec3_cross(a, b)), pl_vec3_dot(a, b));
}

// A corner's weight in the normal is its angle: unlike weights by area this does not depend on how a flat face is cut
// into triangles (Thürmer and Wüthrich 1998), and it is the weight that makes the sign of a distance right at a corner
// (Bærentzen and Aanæs 2005).
void pl_normals_compute(const pl_vec3 *points, int32_t point_count, const int32_t *triangles, int32_t triangle_count,
                        pl_vec3 *normals) {
  const pl_vec3 zero = {0, 0, 0};
  for (int32_t i = 0; i < point_count; ++i) normals[i] = zero;
  for (int32_t t = 0; t < triangle_count; ++t) {
    int32_t a = triangles[3 * t], b = triangles[3 * t + 1], c = triangles[3 * t + 2];
    pl_vec3 ab = pl_vec3_sub(points[b], points[a]), ac = pl_vec3_sub(points[c], points[a]),
            bc = pl_vec3_sub(points[c], points[b]);
    pl_vec3 normal = pl_triangle_normal(points[a], points[b], points[c]);
    double angle_a = angle_between(ab, ac), angle_b = angle_between(pl_vec3_scale(ab, -1), bc);
    normals[a] = pl_vec3_add_scaled(normals[a], normal, angle_a);
    normals[b] = pl_vec3_add_scaled(normals[b], normal, angle_b);
    normals[c] = pl_vec3_add_scaled(normals[c], normal, PL_PI - angle_a - angle_b);
  }
  // A sum far below the rounding of its parts is a fold that cancels itself, not a direction.
  for (int32_t i = 0; i < point_count; ++i)
    normals[i] = pl_vec3_length(normals[i]) > 1e-12 ? pl_vec3_normalize_or(normals[i], zero) : zero;
}
