// Spheres, capsules and boxes as triangles, for contact and display. All points lie on the exact surface, so the
// triangles are inside it, by at most r (1 - cos a) with a half the angle between neighbouring points.
#include <math.h>

#include "base/arena.h"
#include "base/error.h"
#include "rigid/rigid_model.h"

typedef struct triangle_list {
  pl_vec3 *points;
  int32_t *triangles;
  int32_t point_count, triangle_count;
} triangle_list;

static void add_triangle(triangle_list *list, int32_t a, int32_t b, int32_t c) {
  int32_t *corners = &list->triangles[3 * list->triangle_count++];
  corners[0] = a;
  corners[1] = b;
  corners[2] = c;
}

// --- sphere: an icosahedron whose triangles are divided into four, `subdivisions` times

enum { ICOSAHEDRON_POINTS = 12, ICOSAHEDRON_TRIANGLES = 20 };
static const int8_t ICOSAHEDRON[3 * ICOSAHEDRON_TRIANGLES] = {
    0, 2, 8, 0, 9, 2, 0, 4, 6, 0, 8, 4, 0, 6,  9, 1, 10, 3,  1, 3, 11, 1, 6,  4, 1, 4,  10, 1, 11, 6,
    2, 7, 5, 2, 5, 8, 2, 9, 7, 3, 5, 7, 3, 10, 5, 3, 7,  11, 4, 8, 10, 5, 10, 8, 6, 11, 9,  7, 9,  11};

// (0, ±1, ±g) and its cyclic permutations, g the golden ratio.
static pl_vec3 corner_of_icosahedron(int32_t i) {
  double one = i & 2 ? -1 : 1, golden = (i & 1 ? -0.5 : 0.5) * (1 + sqrt(5));
  if (i < 4) return (pl_vec3){0, one, golden};
  return i < 8 ? (pl_vec3){one, golden, 0} : (pl_vec3){golden, 0, one};
}

// The points between two ends of an edge are found again by a table of edges: open addressing, the lower end first.
typedef struct edge_slot {
  int32_t low, high, middle;  // low -1: empty
} edge_slot;

static int32_t middle_of(triangle_list *list, edge_slot *slots, int32_t mask, int32_t a, int32_t b) {
  int32_t low = a < b ? a : b, high = a < b ? b : a;
  uint32_t at = ((uint32_t)low * 73856093u ^ (uint32_t)high * 19349663u) & (uint32_t)mask;
  while (slots[at].low >= 0 && (slots[at].low != low || slots[at].high != high)) at = (at + 1) & (uint32_t)mask;
  if (slots[at].low < 0) {
    slots[at] = (edge_slot){low, high, list->point_count};
    list->points[list->point_count++] = pl_vec3_add(list->points[low], list->points[high]);
  }
  return slots[at].middle;
}

static void subdivide(triangle_list *list, edge_slot *slots, int32_t mask, int32_t *copy) {
  int32_t count = list->triangle_count;
  for (int32_t i = 0; i <= mask; ++i) slots[i].low = -1;
  for (int32_t i = 0; i < 3 * count; ++i) copy[i] = list->triangles[i];
  for (int32_t i = 0; i < list->point_count; ++i)
    list->points[i] = pl_vec3_normalize_or(list->points[i], (pl_vec3){0, 1, 0});
  list->triangle_count = 0;
  for (int32_t t = 0; t < count; ++t) {
    const int32_t *c = &copy[3 * t];
    int32_t ab = middle_of(list, slots, mask, c[0], c[1]), bc = middle_of(list, slots, mask, c[1], c[2]),
            ca = middle_of(list, slots, mask, c[2], c[0]);
    add_triangle(list, c[0], ab, ca);
    add_triangle(list, ab, c[1], bc);
    add_triangle(list, ca, bc, c[2]);
    add_triangle(list, ab, bc, ca);
  }
}

static bool make_sphere(pl_arena *arena, const pl_rigid_def *def, triangle_list *list) {
  int32_t max_triangles = ICOSAHEDRON_TRIANGLES << (2 * def->subdivisions), mask = 64;
  while (mask < 2 * max_triangles) mask *= 2;  // edges of the level before are 3/8 of the triangles
  list->points = PL_TAKE(arena, pl_vec3, max_triangles / 2 + 2);
  list->triangles = PL_TAKE(arena, int32_t, 3 * (size_t)max_triangles);
  int32_t *copy = PL_TAKE(arena, int32_t, 3 * (size_t)max_triangles);
  edge_slot *slots = PL_TAKE(arena, edge_slot, mask);
  if (arena->failed) return false;
  for (int32_t i = 0; i < ICOSAHEDRON_POINTS; ++i) list->points[list->point_count++] = corner_of_icosahedron(i);
  for (int32_t t = 0; t < ICOSAHEDRON_TRIANGLES; ++t)
    add_triangle(list, ICOSAHEDRON[3 * t], ICOSAHEDRON[3 * t + 1], ICOSAHEDRON[3 * t + 2]);
  for (int32_t level = 0; level < def->subdivisions; ++level) subdivide(list, slots, mask - 1, copy);
  for (int32_t i = 0; i < list->point_count; ++i)
    list->points[i] = pl_vec3_scale(pl_vec3_normalize_or(list->points[i], (pl_vec3){0, 1, 0}), def->radius);
  return true;
}

// --- capsule: rings around its axis, and two poles

static bool make_capsule(pl_arena *arena, const pl_rigid_def *def, triangle_list *list) {
  // 8 points around at no subdivision, and a quarter of that from the equator to a pole.
  int32_t around = 4 << def->subdivisions, rings = around / 4;
  if (around < 8) around = 8;
  if (rings < 2) rings = 2;
  list->points = PL_TAKE(arena, pl_vec3, 2 * (size_t)(rings * around + 1));
  list->triangles = PL_TAKE(arena, int32_t, 12 * (size_t)(rings * around));
  if (arena->failed) return false;
  // From the lower pole to the upper one; ring `rings - 1` ends the lower hemisphere, ring `rings` begins the upper.
  list->points[list->point_count++] = (pl_vec3){0, -def->half_length - def->radius, 0};
  for (int32_t ring = 0; ring < 2 * rings; ++ring) {
    bool upper = ring >= rings;
    double latitude = 0.5 * PL_PI * (upper ? ring - rings : ring + 1 - rings) / rings;
    for (int32_t i = 0; i < around; ++i) {
      double longitude = 2 * PL_PI * i / around, r = def->radius * cos(latitude);
      list->points[list->point_count++] =
          (pl_vec3){r * cos(longitude), def->radius * sin(latitude) + (upper ? def->half_length : -def->half_length),
                    r * sin(longitude)};
    }
  }
  list->points[list->point_count++] = (pl_vec3){0, def->half_length + def->radius, 0};
  int32_t top = list->point_count - 1;
  for (int32_t i = 0; i < around; ++i) {
    int32_t next = (i + 1) % around;
    add_triangle(list, 0, 1 + i, 1 + next);
    for (int32_t ring = 0; ring + 1 < 2 * rings; ++ring) {
      int32_t low = 1 + ring * around, high = low + around;
      add_triangle(list, low + i, high + i, high + next);
      add_triangle(list, low + i, high + next, low + next);
    }
    add_triangle(list, top, top - around + next, top - around + i);
  }
  return true;
}

// --- box: eight corners, and four points inside each side
//
// Where a box stands exactly on another of the same size, corners lie on edges and edges along edges, and rounding
// decides what touches. The points inside the sides carry it then, far enough from the edges not to seem to come in
// through another side.

static const double INSET = 0.8;  // of the half edge

static bool make_box(pl_arena *arena, const pl_rigid_def *def, triangle_list *list) {
  // Corner c is at (c & 1, c >> 1 & 1, c >> 2); sides counter-clockwise seen from outside.
  static const int8_t SIDES[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                     {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  list->points = PL_TAKE(arena, pl_vec3, 32);
  list->triangles = PL_TAKE(arena, int32_t, 180);
  if (arena->failed) return false;
  pl_vec3 h = def->half_size;
  for (int c = 0; c < 8; ++c)
    list->points[list->point_count++] = (pl_vec3){c & 1 ? h.x : -h.x, c & 2 ? h.y : -h.y, c & 4 ? h.z : -h.z};
  for (int side = 0; side < 6; ++side) {
    const int8_t *outer = SIDES[side];
    pl_vec3 middle = pl_vec3_lerp(list->points[outer[0]], list->points[outer[2]], 0.5);
    int32_t inner = list->point_count;
    for (int k = 0; k < 4; ++k) list->points[list->point_count++] = pl_vec3_lerp(middle, list->points[outer[k]], INSET);
    for (int k = 0; k < 4; ++k) {
      int next = (k + 1) % 4;
      add_triangle(list, outer[k], outer[next], inner + next);
      add_triangle(list, outer[k], inner + next, inner + k);
    }
    add_triangle(list, inner, inner + 1, inner + 2);
    add_triangle(list, inner, inner + 2, inner + 3);
  }
  return true;
}

pl_status pl_rigid_shape_build(pl_context *context, const pl_rigid_def *def, pl_mesh **mesh, pl_error *error) {
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  triangle_list list = {0};
  bool made = def->shape == PL_RIGID_SPHERE    ? make_sphere(&arena, def, &list)
              : def->shape == PL_RIGID_CAPSULE ? make_capsule(&arena, def, &list)
                                               : make_box(&arena, def, &list);
  pl_mesh_view view = {.point_count = list.point_count,
                       .points = list.points,
                       .triangle_count = list.triangle_count,
                       .triangles = list.triangles};
  pl_status status = made ? pl_mesh_create(context, &view, mesh, error) : pl_fail_memory(error);
  pl_arena_destroy(&arena);
  return status;
}
