// Cutting cells so that neighbours agree, without knowing the neighbours.
//
// Every quad is cut along the diagonal from its corner of lowest point index: a rule that both sides of a face can
// follow alone (Dompierre, Labbe, Vallet, Camarero 1999, "How to subdivide pyramids, prisms and hexahedra into
// tetrahedra"). Instead of their case tables: the cell is the cone from its corner v of lowest index over the faces
// that do not contain v, those faces being cut by the same rule. A quad face that does contain v is then cut along the
// diagonal from v, which is the rule again. A hexahedron always gives six tets this way, a prism three, a pyramid two.
//
// Polygons of surfaces: a fan where all corners turn the same way, otherwise ears are cut off in the plane of the
// polygon (Meisters 1975): a corner that turns left and whose triangle holds no other corner. Quadratic for what
// artists draw.
#include "io/cell_split.h"

#include <math.h>

#include "pliant/math.h"

// Beyond this a polygon that is not convex is cut as a fan all the same: the search for ears grows with the cube of the
// corners.
enum { MAX_EAR_CORNERS = 400 };

int32_t pl_cell_corner_count(pl_cell_kind kind) {
  static const int32_t counts[PL_CELL_KIND_COUNT] = {2, 3, 4, 0, 4, 5, 6, 8};
  return counts[kind];
}

// Faces seen from outside, counter-clockwise, -1 where a triangle has no fourth corner; the list ends with -1.
static const signed char tet_faces[][4] = {{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}, {-1, 0, 0, 0}};
static const signed char pyramid_faces[][4] = {{0, 3, 2, 1},  {0, 1, 4, -1}, {1, 2, 4, -1},
                                               {2, 3, 4, -1}, {3, 0, 4, -1}, {-1, 0, 0, 0}};
static const signed char prism_faces[][4] = {{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3},
                                             {1, 2, 5, 4},  {2, 0, 3, 5},  {-1, 0, 0, 0}};
static const signed char hex_faces[][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5},
                                           {2, 3, 7, 6}, {3, 0, 4, 7}, {-1, 0, 0, 0}};

// The two triangles of a quad with the diagonal from its lowest index.
static void cut_quad(const int32_t q[4], int32_t first[3], int32_t second[3]) {
  int low = 0;
  for (int i = 1; i < 4; ++i)
    if (q[i] < q[low]) low = i;
  for (int i = 0; i < 3; ++i) {
    first[i] = q[i == 0 ? low : (low + i) % 4];
    second[i] = q[i == 0 ? low : (low + i + 1) % 4];
  }
}

static bool push_tet(pl_vector *tets, int32_t apex, const int32_t triangle[3]) {
  int32_t *tet = pl_vector_grow(tets, 4);
  if (tet == NULL) return false;
  tet[0] = apex;
  for (int i = 0; i < 3; ++i) tet[i + 1] = triangle[i];
  return true;
}

bool pl_cell_split_tets(pl_cell_kind kind, const int32_t *corners, pl_vector *tets) {
  const signed char(*faces)[4] = kind == PL_CELL_TET       ? tet_faces
                                 : kind == PL_CELL_PYRAMID ? pyramid_faces
                                 : kind == PL_CELL_PRISM   ? prism_faces
                                                           : hex_faces;
  if (kind == PL_CELL_TET) return push_tet(tets, corners[0], corners + 1);
  int low = 0;
  for (int i = 1; i < pl_cell_corner_count(kind); ++i)
    if (corners[i] < corners[low]) low = i;
  for (; faces[0][0] >= 0; ++faces) {
    int face_size = faces[0][3] < 0 ? 3 : 4;
    int32_t face[4];
    bool touches = false;
    for (int i = 0; i < face_size; ++i) {
      touches = touches || faces[0][i] == low;
      face[i] = corners[faces[0][i]];
    }
    if (touches) continue;
    int32_t first[3] = {face[0], face[1], face[2]}, second[3];
    if (face_size == 4) cut_quad(face, first, second);
    if (!push_tet(tets, corners[low], first)) return false;
    if (face_size == 4 && !push_tet(tets, corners[low], second)) return false;
  }
  return true;
}

static bool push_triangle(pl_vector *triangles, int32_t a, int32_t b, int32_t c) {
  int32_t *triangle = pl_vector_grow(triangles, 3);
  if (triangle == NULL) return false;
  triangle[0] = a;
  triangle[1] = b;
  triangle[2] = c;
  return true;
}

bool pl_quad_split(const int32_t *corners, pl_vector *triangles) {
  int32_t first[3], second[3];
  cut_quad(corners, first, second);
  return push_triangle(triangles, first[0], first[1], first[2]) &&
         push_triangle(triangles, second[0], second[1], second[2]);
}

// Sum of the cross products around the polygon (Newell): its normal, twice its area long.
static pl_vec3 polygon_normal(const pl_vec3 *points, const int32_t *corners, int32_t count) {
  pl_vec3 normal = {0, 0, 0}, origin = points[corners[0]];
  for (int32_t i = 1; i + 1 < count; ++i)
    normal = pl_vec3_add(
        normal, pl_vec3_cross(pl_vec3_sub(points[corners[i]], origin), pl_vec3_sub(points[corners[i + 1]], origin)));
  return normal;
}

// Twice the area of a b c as seen along the normal: positive for a turn to the left.
static double turn(pl_vec3 a, pl_vec3 b, pl_vec3 c, pl_vec3 normal) {
  return pl_vec3_dot(pl_vec3_cross(pl_vec3_sub(b, a), pl_vec3_sub(c, a)), normal);
}

static bool is_convex(const pl_vec3 *points, const int32_t *corners, int32_t count, pl_vec3 normal) {
  for (int32_t i = 0; i < count; ++i) {
    pl_vec3 a = points[corners[i]], b = points[corners[(i + 1) % count]], c = points[corners[(i + 2) % count]];
    if (turn(a, b, c, normal) < 0) return false;
  }
  return true;
}

// Corner `at` of the remaining ones can be cut off.
static bool is_ear(const pl_vec3 *points, const int32_t *left, int32_t count, int32_t at, pl_vec3 normal) {
  int32_t before = left[(at + count - 1) % count], here = left[at], after = left[(at + 1) % count];
  pl_vec3 a = points[before], b = points[here], c = points[after];
  if (!(turn(a, b, c, normal) > 0)) return false;
  for (int32_t i = 0; i < count; ++i) {
    if (left[i] == before || left[i] == here || left[i] == after) continue;
    pl_vec3 p = points[left[i]];
    if (turn(a, b, p, normal) >= 0 && turn(b, c, p, normal) >= 0 && turn(c, a, p, normal) >= 0) return false;
  }
  return true;
}

static bool push_fan(const int32_t *corners, int32_t count, pl_vector *triangles) {
  for (int32_t i = 1; i + 1 < count; ++i)
    if (!push_triangle(triangles, corners[0], corners[i], corners[i + 1])) return false;
  return true;
}

static bool cut_ears(const pl_vec3 *points, int32_t *left, int32_t count, pl_vec3 normal, pl_vector *triangles) {
  int32_t start = 0;
  while (count > 3) {
    int32_t ear = -1;
    for (int32_t i = 0; i < count && ear < 0; ++i)
      if (is_ear(points, left, count, (start + i) % count, normal)) ear = (start + i) % count;
    // A polygon that crosses itself or is flat may have no ear left: the rest becomes a fan, so that every edge still
    // gets its triangle.
    if (ear < 0) break;
    if (!push_triangle(triangles, left[(ear + count - 1) % count], left[ear], left[(ear + 1) % count])) return false;
    for (int32_t i = ear; i + 1 < count; ++i) left[i] = left[i + 1];
    --count;
    start = ear % count;
  }
  return push_fan(left, count, triangles);
}

bool pl_polygon_split(const pl_vec3 *points, const int32_t *corners, int32_t corner_count, pl_vector *scratch,
                      pl_vector *triangles) {
  pl_vec3 normal = {0, 0, 0};
  bool fan = corner_count == 3 || corner_count > MAX_EAR_CORNERS;
  if (!fan) {
    normal = polygon_normal(points, corners, corner_count);
    fan = is_convex(points, corners, corner_count, normal);
  }
  if (fan) return push_fan(corners, corner_count, triangles);
  scratch->count = 0;
  int32_t *left = pl_vector_grow(scratch, (size_t)corner_count);
  if (left == NULL) return false;
  for (int32_t i = 0; i < corner_count; ++i) left[i] = corners[i];
  return cut_ears(points, left, corner_count, normal, triangles);
}
