// Taking the two sides of a cut apart.
//
// A face whose three corners are on the cut, with tets of different sides, is open. At each point on the cut tets are
// connected through faces that are not open; every bundle of tets but the first gets a copy of the point. Where a cut
// ends inside the mesh, tets around its end are one bundle and the point stays one.
//
// It can happen there that slits from two sides meet in an edge or in a point that stays single: four faces of the
// boundary meet at that edge, or its faces around that point are two fans, and no surface should be like that. The open
// faces at such a place are closed again, until there is none; the cut then ends a little earlier. Faces whose sides
// have come apart there stay open, so pieces are never joined again.
#include <string.h>

#include "base/error.h"
#include "mesh/tet_cut.h"
#include "pliant/math.h"

// Slots: corner k of tet t, and the face opposite to it, is slot 4 t + k.
typedef struct separation {
  pl_arena arena;  // of one attempt; emptied between attempts
  pl_tet_cut *cut;
  int32_t *neighbours;  // tet across each face
  bool *is_open;        // each face, seen from both of its tets
  int32_t *tets;        // with copies of points, of the last attempt
  int32_t copy_count;
  int32_t *original_of_copy;  // one per slot
} separation;

static bool is_on_cut(const pl_tet_cut *cut, int32_t point) {
  return point >= cut->mesh.point_count || cut->is_on[point];
}

// Which side of the cut a tet with a face on it is on. If all four corners are on it, the cut was bent around the tet,
// and where the tet was before decides.
static bool is_below(const pl_tet_cut *cut, const int32_t *corners) {
  double sum = 0;
  for (int k = 0; k < 4; ++k) {
    if (corners[k] >= cut->mesh.point_count) continue;
    if (!cut->is_on[corners[k]]) return cut->heights[corners[k]] < 0;
    sum += cut->heights[corners[k]];
  }
  return sum < 0;
}

static void open_faces(separation *s) {
  const pl_tet_cut *cut = s->cut;
  for (int32_t slot = 0; slot < 4 * cut->tet_count; ++slot) {
    if (s->neighbours[slot] < 0) continue;
    const int32_t *corners = cut->tets + 4 * (size_t)(slot / 4), *others = cut->tets + 4 * (size_t)s->neighbours[slot];
    bool on_cut = true;
    for (int k = 0; k < 4; ++k) on_cut = on_cut && (k == slot % 4 || is_on_cut(cut, corners[k]));
    s->is_open[slot] = on_cut && is_below(cut, corners) != is_below(cut, others);
  }
}

// The lower slot is always the root.
static int32_t find_root(int32_t *parent, int32_t slot) {
  while (parent[slot] != slot) slot = parent[slot] = parent[parent[slot]];
  return slot;
}

static void join_slots(int32_t *parent, int32_t a, int32_t b) {
  a = find_root(parent, a);
  b = find_root(parent, b);
  parent[a > b ? a : b] = a > b ? b : a;
}

// Join the corners that two tets share.
static void join_tets(const pl_tet_cut *cut, int32_t *parent, int32_t tet, int32_t other) {
  for (int32_t a = 4 * tet; a < 4 * tet + 4; ++a)
    for (int32_t b = 4 * other; b < 4 * other + 4; ++b)
      if (cut->tets[a] == cut->tets[b]) join_slots(parent, a, b);
}

// The first bundle at a point keeps it, the others get copies, in the order of their lowest slots.
static bool copy_points(separation *s) {
  const pl_tet_cut *cut = s->cut;
  int32_t slot_count = 4 * cut->tet_count, *parent = PL_TAKE(&s->arena, int32_t, slot_count);
  int32_t *point_of_root = PL_TAKE(&s->arena, int32_t, slot_count);
  bool *is_taken = PL_TAKE(&s->arena, bool, cut->split_point_count);
  if (s->arena.failed) return false;
  for (int32_t slot = 0; slot < slot_count; ++slot) parent[slot] = slot;
  for (int32_t slot = 0; slot < slot_count; ++slot)
    if (s->neighbours[slot] > slot / 4 && !s->is_open[slot]) join_tets(cut, parent, slot / 4, s->neighbours[slot]);
  s->copy_count = 0;
  for (int32_t slot = 0; slot < slot_count; ++slot) {
    int32_t point = cut->tets[slot], root = find_root(parent, slot);
    if (root == slot) {
      // Points off the cut stay as they are, even where tets are connected by a point alone.
      bool is_first = !is_taken[point] || !is_on_cut(cut, point);
      point_of_root[slot] = is_first ? point : cut->split_point_count + s->copy_count;
      if (!is_first) s->original_of_copy[s->copy_count++] = point;
      is_taken[point] = true;
    }
    s->tets[slot] = point_of_root[root];
  }
  return true;
}

// The boundary of the last attempt, and its places where it is not a surface.
typedef struct boundary {
  int32_t triangle_count, *triangles;
  int32_t edge_count, *edges;  // with more than two triangles; 2 points each
  int32_t *fan;                // of each corner: a root among the corners that are connected around a point
  bool *is_pinched;            // points with two fans
} boundary;

// Corners of triangle t are 3 t …: the two triangles at an edge share its ends, so their corners there are of one fan.
static void join_fans(boundary *b, int32_t side, int32_t other) {
  int32_t first = side - side % 3, second = other - other % 3;
  for (int32_t i = first; i < first + 3; ++i)
    for (int32_t j = second; j < second + 3; ++j)
      if (b->triangles[i] == b->triangles[j]) join_slots(b->fan, i, j);
}

// Sides of triangles by the two points they join.
static bool find_crowded(separation *s, boundary *b, int32_t point_count) {
  int32_t side_count = 3 * b->triangle_count, *order = NULL,
          *keys = PL_TAKE(&s->arena, int32_t, 2 * (size_t)side_count);
  b->edges = PL_TAKE(&s->arena, int32_t, 2 * (size_t)side_count);
  b->fan = PL_TAKE(&s->arena, int32_t, side_count);
  if (s->arena.failed) return false;
  for (int32_t i = 0; i < side_count; ++i) {
    int32_t start = b->triangles[i], end = b->triangles[i - i % 3 + (i + 1) % 3];
    keys[2 * (size_t)i] = start < end ? start : end;
    keys[2 * (size_t)i + 1] = start < end ? end : start;
    b->fan[i] = i;
  }
  if (!pl_tuples_sort(&s->arena, keys, side_count, 2, point_count, &order)) return false;
  for (int32_t i = 0, end; i < side_count; i = end) {
    const int32_t *key = &keys[2 * (size_t)order[i]];
    for (end = i + 1; end < side_count && memcmp(key, &keys[2 * (size_t)order[end]], 2 * sizeof *key) == 0;) end++;
    if (end - i > 2) memcpy(b->edges + 2 * (size_t)b->edge_count++, key, 2 * sizeof *key);
    for (int32_t j = i + 1; j < end; ++j) join_fans(b, order[i], order[j]);
  }
  return true;
}

static bool find_boundary(separation *s, boundary *b) {
  int32_t point_count = s->cut->split_point_count + s->copy_count;
  if (!pl_tets_boundary(&s->arena, s->tets, s->cut->tet_count, point_count, &b->triangles, &b->triangle_count, NULL))
    return false;
  b->is_pinched = PL_TAKE(&s->arena, bool, point_count);
  bool *is_seen = PL_TAKE(&s->arena, bool, point_count);
  if (s->arena.failed || !find_crowded(s, b, point_count)) return false;
  for (int32_t i = 0; i < 3 * b->triangle_count; ++i) {
    if (b->fan[i] != i) continue;
    b->is_pinched[b->triangles[i]] = is_seen[b->triangles[i]];
    is_seen[b->triangles[i]] = true;
  }
  return true;
}

static bool has_point(const int32_t *corners, int32_t point) {
  return corners[0] == point || corners[1] == point || corners[2] == point || corners[3] == point;
}

// Whether an open face holds a place where the boundary is not a surface and which its two tets still share.
static bool is_face_troubled(const separation *s, const boundary *b, int32_t slot) {
  const int32_t *corners = s->tets + 4 * (size_t)(slot / 4), *others = s->tets + 4 * (size_t)s->neighbours[slot];
  for (int k = 0; k < 4; ++k)
    if (k != slot % 4 && b->is_pinched[corners[k]] && has_point(others, corners[k])) return true;
  for (int32_t e = 0; e < b->edge_count; ++e) {
    int32_t first = b->edges[2 * (size_t)e], second = b->edges[2 * (size_t)e + 1], apex = corners[slot % 4];
    if (first != apex && second != apex && has_point(corners, first) && has_point(corners, second) &&
        has_point(others, first) && has_point(others, second))
      return true;
  }
  return false;
}

// Close the open faces at such places. Returns whether there were any: a mesh may have them without being cut.
static bool close_faces(separation *s, const boundary *b) {
  bool closed = false;
  for (int32_t slot = 0; slot < 4 * s->cut->tet_count; ++slot) {
    if (!s->is_open[slot] || !is_face_troubled(s, b, slot)) continue;
    s->is_open[slot] = false;
    int32_t other = s->neighbours[slot];
    for (int32_t k = 0; k < 4; ++k)
      if (s->neighbours[4 * other + k] == slot / 4) s->is_open[4 * other + k] = false;
    closed = true;
  }
  return closed;
}

// Copies of points for the faces that are open, until the boundary is a surface as far as the cut is concerned.
static bool open_sides(separation *s) {
  for (;;) {
    boundary b = {0};
    pl_arena_init(&s->arena, s->cut->arena.context, 0);
    bool done = copy_points(s), again = false;
    if (done && s->copy_count > 0) {
      done = find_boundary(s, &b);
      again = done && close_faces(s, &b);
    }
    pl_arena_destroy(&s->arena);
    if (!again) return done;
  }
}

static pl_vec3 index_of(const pl_tet_cut *cut, int32_t point) {
  if (point < cut->mesh.point_count) return cut->mesh.points[point];
  int32_t edge = cut->edge_of_new[point - cut->mesh.point_count];
  return pl_vec3_lerp(cut->mesh.points[cut->edges[2 * edge]], cut->mesh.points[cut->edges[2 * edge + 1]],
                      (double)cut->crossings[edge]);
}

// Area of the faces that came apart: open, and with a corner that is another point on the other side.
static double open_area(const separation *s) {
  double area = 0;
  for (int32_t slot = 0; slot < 4 * s->cut->tet_count; ++slot) {
    int32_t tet = slot / 4, other = s->neighbours[slot], shared_count = 0;
    if (!s->is_open[slot] || other < tet) continue;
    pl_vec3 p[3] = {{0}};
    for (int k = 0, n = 0; k < 4; ++k) {
      if (k == slot % 4) continue;
      p[n++] = index_of(s->cut, s->cut->tets[4 * tet + k]);
      for (int m = 0; m < 4; ++m) shared_count += s->tets[4 * other + m] == s->tets[4 * tet + k];
    }
    if (shared_count < 3) area += 0.5 * pl_vec3_length(pl_vec3_cross(pl_vec3_sub(p[1], p[0]), pl_vec3_sub(p[2], p[0])));
  }
  return area;
}

pl_status pl_tet_cut_separate(pl_tet_cut *cut, pl_error *error) {
  separation s = {.cut = cut};
  size_t slot_count = 4 * (size_t)cut->tet_count;
  s.is_open = PL_TAKE(&cut->arena, bool, slot_count);
  s.tets = PL_TAKE(&cut->arena, int32_t, slot_count);
  s.original_of_copy = PL_TAKE(&cut->arena, int32_t, slot_count);
  pl_elements split = {cut->tets, cut->tet_count, 4};
  if (cut->arena.failed || !pl_neighbours_find(&cut->arena, split, cut->split_point_count, &s.neighbours))
    return pl_fail_memory(error);
  open_faces(&s);
  if (!open_sides(&s)) return pl_fail_memory(error);
  cut->report.cut_area = open_area(&s);
  cut->report.copied_point_count = cut->copy_count = s.copy_count;
  cut->original_of_copy = s.original_of_copy;
  cut->tets = s.tets;
  int32_t *component_of_point = NULL;
  pl_elements apart = {cut->tets, cut->tet_count, 4};
  if (!pl_components_find(&cut->arena, apart, cut->split_point_count + cut->copy_count, &component_of_point,
                          &cut->report.component_count))
    return pl_fail_memory(error);
  return PL_OK;
}
