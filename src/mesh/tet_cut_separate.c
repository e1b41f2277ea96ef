// Taking the two sides of a cut apart.
//
// A face whose three corners are on the cut, with tets of different sides, is open. At each point on the cut tets hang together through faces
// that are not open; every bundle of tets but the first gets a copy of the point. Where a cut ends inside the mesh, tets around its end are
// one bundle and the point stays one.
//
// It can happen there that an edge of open faces has both its points left single although tets around it are two bundles: the slits on its two
// sides meet in that edge, four faces of the boundary hang on it, and no surface should. The faces at such an edge are closed again, until
// there is none; the cut then ends a little earlier.
#include <string.h>

#include "base/error.h"
#include "math/vec3.h"
#include "mesh/tet_cut.h"

// Slots: corner k of tet t, and the face opposite to it, is slot 4 t + k.
typedef struct separation {
  pl_arena arena;  // of one attempt; emptied between attempts
  pl_tet_cut *cut;
  int32_t *neighbours;  // tet across each face
  bool *is_open;        // each face, seen from both of its tets
  int32_t *tets;        // with copies of points, of the last attempt
  int32_t copy_count;
  int32_t *original_of_copy;  // room for as many as there are slots
} separation;

static bool is_on_cut(const pl_tet_cut *cut, int32_t point) {
  return point >= cut->mesh.point_count || cut->is_on[point];
}

// Which side of the cut a tet with a face on it is on. If all four corners are on it, the cut was bent around the tet, and where the tet was
// before decides.
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
      // Points off the cut stay as they are, even where tets hang together by a point alone.
      bool is_first = !is_taken[point] || !is_on_cut(cut, point);
      point_of_root[slot] = is_first ? point : cut->split_point_count + s->copy_count;
      if (!is_first) s->original_of_copy[s->copy_count++] = point;
      is_taken[point] = true;
    }
    s->tets[slot] = point_of_root[root];
  }
  return true;
}

// Edges of more than two triangles of the boundary, 2 points each, lower first.
static bool find_crowded_edges(separation *s, int32_t **edges, int32_t *edge_count) {
  int32_t point_count = s->cut->split_point_count + s->copy_count, *triangles = NULL, triangle_count = 0, *order = NULL;
  if (!pl_tets_boundary(&s->arena, s->tets, s->cut->tet_count, point_count, &triangles, &triangle_count, NULL)) return false;
  int32_t side_count = 3 * triangle_count, *keys = PL_TAKE(&s->arena, int32_t, 2 * (size_t)side_count);
  *edges = PL_TAKE(&s->arena, int32_t, 2 * (size_t)side_count);
  if (s->arena.failed) return false;
  for (int32_t i = 0; i < side_count; ++i) {
    int32_t a = triangles[i], b = triangles[i - i % 3 + (i + 1) % 3];
    keys[2 * (size_t)i] = a < b ? a : b;
    keys[2 * (size_t)i + 1] = a < b ? b : a;
  }
  if (!pl_tuples_sort(&s->arena, keys, side_count, 2, point_count, &order)) return false;
  *edge_count = 0;
  for (int32_t i = 0, end; i < side_count; i = end) {
    const int32_t *key = &keys[2 * (size_t)order[i]];
    for (end = i + 1; end < side_count && memcmp(key, &keys[2 * (size_t)order[end]], 2 * sizeof *key) == 0;) end++;
    if (end - i > 2) memcpy(*edges + 2 * (size_t)(*edge_count)++, key, 2 * sizeof *key);
  }
  return true;
}

static bool has_edge(const int32_t *corners, int32_t face, const int32_t *edge) {
  bool has_first = false, has_second = false;
  for (int k = 0; k < 4; ++k) {
    has_first = has_first || (k != face && corners[k] == edge[0]);
    has_second = has_second || (k != face && corners[k] == edge[1]);
  }
  return has_first && has_second;
}

// Close the open faces at these edges. Returns whether there were any: a mesh may have such edges without being cut.
static bool close_faces(separation *s, const int32_t *edges, int32_t edge_count) {
  bool closed = false;
  for (int32_t slot = 0; edge_count > 0 && slot < 4 * s->cut->tet_count; ++slot) {
    if (!s->is_open[slot]) continue;
    int32_t tet = slot / 4, other = s->neighbours[slot];
    for (int32_t e = 0; e < edge_count; ++e) {
      if (!has_edge(s->tets + 4 * (size_t)tet, slot % 4, edges + 2 * (size_t)e)) continue;
      s->is_open[slot] = false;
      for (int32_t k = 0; k < 4; ++k)
        if (s->neighbours[4 * other + k] == tet) s->is_open[4 * other + k] = false;
      closed = true;
      break;
    }
  }
  return closed;
}

// Copies of points for the faces that are open, until no edge is crowded by them.
static bool attempt(separation *s) {
  for (;;) {
    int32_t *edges = NULL, edge_count = 0;
    pl_arena_init(&s->arena, s->cut->arena.context, 0);
    bool done = copy_points(s) && (s->copy_count == 0 || find_crowded_edges(s, &edges, &edge_count));
    bool again = done && close_faces(s, edges, edge_count);
    pl_arena_destroy(&s->arena);
    if (!again) return done;
  }
}

static pl_vec3 place_of(const pl_tet_cut *cut, int32_t point) {
  if (point < cut->mesh.point_count) return cut->mesh.points[point];
  int32_t edge = cut->edge_of_new[point - cut->mesh.point_count];
  return pl_vec3_mix(cut->mesh.points[cut->edges[2 * edge]], cut->mesh.points[cut->edges[2 * edge + 1]],
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
      p[n++] = place_of(s->cut, s->cut->tets[4 * tet + k]);
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
  if (!attempt(&s)) return pl_fail_memory(error);
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
