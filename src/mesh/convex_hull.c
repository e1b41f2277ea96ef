// Quickhull (Barber, Dobkin and Huhdanpaa 1996) with triangles only.
//
// Starting from a tet, each point outside belongs to one triangle that it can see. The farthest point of a triangle is
// joined to the horizon: the closed loop of edges between triangles that see it and those that do not.
//
// Rounding. A triangle sees a point only when that is more than a tolerance outside, and the visible triangles are
// collected from neighbour to neighbour, so that they form one piece. Where rounding still leaves a horizon that is not
// a simple loop, the point is dropped: the hull stays closed and is wrong by about the tolerance.
#include "mesh/convex_hull.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

static const double TOLERANCE = 1e-9;  // of the size

typedef struct hull_face {
  int32_t corners[3], neighbours[3];  // neighbour k is across the edge from corner k to the next
  pl_vec3 normal;
  double offset;
  int32_t first;    // of the points outside, -1 if none
  int32_t visited;  // number of the point that asked last
  bool alive, visible;
} hull_face;

typedef struct hull_builder {
  const pl_vec3 *points;
  int32_t point_count;
  double tolerance;
  hull_face *faces;
  int32_t face_count;  // slots used, dead ones included
  int32_t *free_faces, free_count;
  int32_t *next;                    // the next point outside the same face
  int32_t *pending, pending_count;  // faces that may have points outside
  int32_t *visible, visible_count;
  int32_t *horizon, horizon_count;  // per edge: first corner, second corner, face beyond, its edge
  int32_t *face_at;                 // of each point: the new face that starts there, -1
} hull_builder;

static double height(const hull_builder *b, const hull_face *face, int32_t point) {
  return pl_vec3_dot(face->normal, b->points[point]) - face->offset;
}

static bool set_plane(const hull_builder *b, hull_face *face) {
  pl_vec3 p = b->points[face->corners[0]];
  pl_vec3 n = pl_vec3_cross(pl_vec3_sub(b->points[face->corners[1]], p), pl_vec3_sub(b->points[face->corners[2]], p));
  double length = pl_vec3_length(n);
  face->normal = pl_vec3_normalize_or(n, (pl_vec3){0, 0, 0});
  face->offset = pl_vec3_dot(face->normal, p);
  return length > b->tolerance * b->tolerance;
}

static int32_t add_face(hull_builder *b, int32_t p, int32_t q, int32_t r) {
  int32_t at = b->free_count > 0 ? b->free_faces[--b->free_count] : b->face_count++;
  b->faces[at] = (hull_face){.corners = {p, q, r}, .first = -1, .visited = -1, .alive = true};
  set_plane(b, &b->faces[at]);
  return at;
}

// Give a point to the face that it is farthest outside of.
static void assign_point(hull_builder *b, int32_t point, const int32_t *faces, int32_t count) {
  int32_t best = -1;
  double farthest = b->tolerance;
  for (int32_t i = 0; i < count; ++i) {
    double h = height(b, &b->faces[faces[i]], point);
    if (h <= farthest) continue;
    farthest = h;
    best = faces[i];
  }
  if (best < 0) return;
  b->next[point] = b->faces[best].first;
  b->faces[best].first = point;
}

// --- the first tet

static int32_t farthest_from_line(const hull_builder *b, int32_t p, int32_t q, double *distance) {
  pl_vec3 along = pl_vec3_normalize_or(pl_vec3_sub(b->points[q], b->points[p]), (pl_vec3){1, 0, 0});
  int32_t best = p;
  *distance = 0;
  for (int32_t i = 0; i < b->point_count; ++i) {
    double d = pl_vec3_length(pl_vec3_cross(along, pl_vec3_sub(b->points[i], b->points[p])));
    if (d <= *distance) continue;
    *distance = d;
    best = i;
  }
  return best;
}

static double along_axis(pl_vec3 p, int axis) {
  return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

// Four corners far apart; false when the points lie in a plane.
static bool find_tet(const hull_builder *b, int32_t corners[4]) {
  double widest = -1;
  for (int axis = 0; axis < 3; ++axis) {
    int32_t low = 0, high = 0;
    for (int32_t i = 1; i < b->point_count; ++i) {
      double x = along_axis(b->points[i], axis);
      if (x < along_axis(b->points[low], axis)) low = i;
      if (x > along_axis(b->points[high], axis)) high = i;
    }
    double width = along_axis(b->points[high], axis) - along_axis(b->points[low], axis);
    if (width <= widest) continue;
    widest = width;
    corners[0] = low;
    corners[1] = high;
  }
  double distance;
  corners[2] = farthest_from_line(b, corners[0], corners[1], &distance);
  if (!(widest > b->tolerance && distance > b->tolerance)) return false;
  hull_face plane = {.corners = {corners[0], corners[1], corners[2]}};
  set_plane(b, &plane);
  double farthest = 0;
  for (int32_t i = 0; i < b->point_count; ++i) {
    double h = height(b, &plane, i);
    if (fabs(h) <= fabs(farthest)) continue;
    farthest = h;
    corners[3] = i;
  }
  if (farthest > 0) {  // the first three are to see the fourth from below
    int32_t swapped = corners[1];
    corners[1] = corners[2];
    corners[2] = swapped;
  }
  return fabs(farthest) > b->tolerance;
}

static void start(hull_builder *b, const int32_t c[4]) {
  int32_t faces[4] = {add_face(b, c[0], c[1], c[2]), add_face(b, c[0], c[3], c[1]), add_face(b, c[1], c[3], c[2]),
                      add_face(b, c[2], c[3], c[0])};
  static const int8_t NEIGHBOURS[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) b->faces[faces[i]].neighbours[k] = faces[NEIGHBOURS[i][k]];
  for (int32_t i = 0; i < b->point_count; ++i) assign_point(b, i, faces, 4);
  for (int i = 0; i < 4; ++i) b->pending[b->pending_count++] = faces[i];
}

// --- one point more

// The faces that see the point, from `first` on, and the edges around them.
static void find_horizon(hull_builder *b, int32_t point, int32_t first) {
  b->visible_count = b->horizon_count = 0;
  b->visible[b->visible_count++] = first;
  b->faces[first].visited = point;
  b->faces[first].visible = true;
  for (int32_t i = 0; i < b->visible_count; ++i)
    for (int k = 0; k < 3; ++k) {
      int32_t other = b->faces[b->visible[i]].neighbours[k];
      hull_face *face = &b->faces[other];
      if (face->visited == point) continue;
      face->visited = point;
      face->visible = height(b, face, point) > b->tolerance;
      if (face->visible) b->visible[b->visible_count++] = other;
    }
  for (int32_t i = 0; i < b->visible_count; ++i) {
    const hull_face *face = &b->faces[b->visible[i]];
    for (int k = 0; k < 3; ++k) {
      int32_t beyond = face->neighbours[k], edge = 0;
      if (b->faces[beyond].visible && b->faces[beyond].visited == point) continue;
      while (b->faces[beyond].corners[edge] != face->corners[(k + 1) % 3]) ++edge;
      int32_t *h = &b->horizon[4 * b->horizon_count++];
      h[0] = face->corners[k];
      h[1] = face->corners[(k + 1) % 3];
      h[2] = beyond;
      h[3] = edge;
    }
  }
}

// Whether the horizon is one simple loop and no new face is degenerate.
static bool horizon_is_simple(hull_builder *b, int32_t point) {
  bool simple = true;
  for (int32_t i = 0; i < b->horizon_count; ++i) {
    simple = simple && b->face_at[b->horizon[4 * i]] < 0;
    b->face_at[b->horizon[4 * i]] = i;
  }
  int32_t length = 0, at = b->horizon[0];
  for (; simple && length < b->horizon_count; ++length) {
    if (b->face_at[at] < 0) break;
    at = b->horizon[4 * b->face_at[at] + 1];
    if (at == b->horizon[0]) break;
  }
  simple = simple && length == b->horizon_count - 1;
  for (int32_t i = 0; i < b->horizon_count; ++i) {
    hull_face face = {.corners = {b->horizon[4 * i], b->horizon[4 * i + 1], point}};
    simple = simple && set_plane(b, &face);
    b->face_at[b->horizon[4 * i]] = -1;
  }
  return simple;
}

// Join the point to the horizon, and give what was outside the faces that vanish to the new ones.
static void replace_faces(hull_builder *b, int32_t point, int32_t *made) {
  for (int32_t i = 0; i < b->horizon_count; ++i) {
    const int32_t *h = &b->horizon[4 * i];
    made[i] = add_face(b, h[0], h[1], point);
    b->faces[made[i]].neighbours[0] = h[2];
    b->faces[h[2]].neighbours[h[3]] = made[i];
    b->face_at[h[0]] = made[i];
  }
  for (int32_t i = 0; i < b->horizon_count; ++i) {
    int32_t following = b->face_at[b->horizon[4 * i + 1]];
    b->faces[made[i]].neighbours[1] = following;
    b->faces[following].neighbours[2] = made[i];
  }
  for (int32_t i = 0; i < b->horizon_count; ++i) b->face_at[b->horizon[4 * i]] = -1;
  for (int32_t i = 0; i < b->visible_count; ++i) {
    hull_face *face = &b->faces[b->visible[i]];
    for (int32_t p = face->first, next; p >= 0; p = next) {
      next = b->next[p];
      if (p != point) assign_point(b, p, made, b->horizon_count);
    }
    face->alive = false;
    face->first = -1;
  }
  for (int32_t i = 0; i < b->visible_count; ++i) b->free_faces[b->free_count++] = b->visible[i];
}

// The farthest point outside a face, taken from its list.
static int32_t take_farthest(hull_builder *b, hull_face *face) {
  int32_t *best = &face->first;
  for (int32_t *at = &face->first; *at >= 0; at = &b->next[*at])
    if (height(b, face, *at) > height(b, face, *best)) best = at;
  int32_t point = *best;
  *best = b->next[point];
  return point;
}

static void grow(hull_builder *b, int32_t *made) {
  while (b->pending_count > 0) {
    int32_t at = b->pending[b->pending_count - 1];
    if (!b->faces[at].alive || b->faces[at].first < 0) {
      --b->pending_count;
      continue;
    }
    int32_t point = take_farthest(b, &b->faces[at]);
    find_horizon(b, point, at);
    if (!horizon_is_simple(b, point)) continue;
    replace_faces(b, point, made);
    b->pending_count = 0;
    for (int32_t i = 0; i < b->face_count; ++i)
      if (b->faces[i].alive && b->faces[i].first >= 0) b->pending[b->pending_count++] = i;
  }
}

static bool take_workspace(pl_arena *arena, hull_builder *b, int32_t **made) {
  size_t n = (size_t)b->point_count, faces = 4 * n + 16;  // 2 n - 4 alive, and as many new before the old are free
  b->faces = PL_TAKE(arena, hull_face, faces);
  b->free_faces = PL_TAKE(arena, int32_t, faces);
  b->pending = PL_TAKE(arena, int32_t, faces);
  b->visible = PL_TAKE(arena, int32_t, faces);
  b->horizon = PL_TAKE(arena, int32_t, 12 * faces);
  b->next = PL_TAKE(arena, int32_t, n);
  b->face_at = PL_TAKE(arena, int32_t, n);
  *made = PL_TAKE(arena, int32_t, 3 * faces);
  if (arena->failed) return false;
  memset(b->face_at, -1, n * sizeof(int32_t));
  return true;
}

pl_status pl_convex_hull_build(pl_arena *arena, const pl_vec3 *points, int32_t point_count, pl_convex_hull *hull,
                               pl_error *error) {
  *hull = (pl_convex_hull){0};
  hull_builder b = {.points = points, .point_count = point_count};
  b.tolerance = TOLERANCE * pl_box_diagonal(pl_box_from_points(points, point_count));
  int32_t corners[4] = {0}, *made;
  if (point_count < 4 || !find_tet(&b, corners))
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, "mesh",
                         "the convex hull of these points has no volume; give points that do not lie in a plane");
  if (!take_workspace(arena, &b, &made)) return pl_fail_memory(error);
  start(&b, corners);
  grow(&b, made);
  hull->triangles = PL_TAKE(arena, int32_t, 3 * (size_t)b.face_count);
  if (hull->triangles == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < b.face_count; ++i)
    if (b.faces[i].alive) memcpy(&hull->triangles[3 * hull->triangle_count++], b.faces[i].corners, 3 * sizeof(int32_t));
  return PL_OK;
}
