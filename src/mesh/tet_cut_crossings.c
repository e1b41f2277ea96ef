// Where a cut crosses the edges of a tet mesh.
//
// Points get a height above the cut, negative below. A plane crosses every edge whose ends have different signs. A
// blade ends somewhere: there signs also change across what would be its continuation, so an edge is crossed only if it
// meets the swept surface. A tet counts as cut if all its edges with different signs are crossed; crossings of edges
// that belong to no such tet are dropped, so that the cut ends at faces of tets.
//
// Crossings close to a point would leave slivers. The cut is then bent through the point, which stays where it is:
// volume is kept exactly and nothing moves, at the price of a cut that is off its surface by at most `snap` of an edge.
#include "base/error.h"
#include "mesh/tet_cut.h"
#include "mesh/triangle_tree.h"
#include "pliant/math.h"

static const int32_t TET_EDGES[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
// Heights below this fraction of the mesh's size are zero: rounding.
static const double TOUCHING = 1e-12;
// A change of sign with the swept surface this close, as a fraction of the edge, is a crossing.
static const double MEETING = 1e-7;

int32_t pl_tet_cut_edge(const pl_tet_cut *cut, int32_t a, int32_t b) {
  int32_t low = a < b ? a : b, high = a < b ? b : a;
  // Rising in the higher point.
  int32_t begin = cut->edge_start[low], end = cut->edge_start[low + 1];
  while (end - begin > 1) {
    int32_t middle = begin + (end - begin) / 2;
    if (cut->edges[2 * middle + 1] <= high)
      begin = middle;
    else
      end = middle;
  }
  return begin;
}

static bool take_edges(pl_tet_cut *cut) {
  pl_elements tets = {cut->mesh.tets, cut->mesh.tet_count, 4};
  if (!pl_edges_find(&cut->arena, tets, cut->mesh.point_count, &cut->edges, &cut->edge_count)) return false;
  cut->heights = PL_TAKE(&cut->arena, double, cut->mesh.point_count);
  cut->is_on = PL_TAKE(&cut->arena, bool, cut->mesh.point_count);
  cut->edge_start = PL_TAKE(&cut->arena, int32_t, (size_t)cut->mesh.point_count + 1);
  cut->crossings = PL_TAKE(&cut->arena, float, cut->edge_count);
  if (cut->arena.failed) return false;
  for (int32_t e = 0; e < cut->edge_count; ++e) cut->edge_start[cut->edges[2 * e] + 1]++;
  for (int32_t i = 0; i < cut->mesh.point_count; ++i) cut->edge_start[i + 1] += cut->edge_start[i];
  return true;
}

// Triangles between the places of the blade.
static pl_status build_blade(pl_context *context, const pl_cut_def *def, pl_triangle_tree **tree, pl_error *error) {
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  int32_t count = def->blade_count;
  pl_vec3 *points = PL_TAKE(&arena, pl_vec3, 2 * (size_t)count);
  int32_t *triangles = PL_TAKE(&arena, int32_t, 6 * (size_t)count);
  pl_status status = PL_OK;
  pl_mesh *mesh = NULL;
  if (arena.failed) {
    status = pl_fail_memory(error);
  } else {
    double area = 0;
    for (int32_t i = 0; i < count; ++i) {
      points[2 * i] = def->blade_hilts[i];
      points[2 * i + 1] = def->blade_tips[i];
    }
    for (int32_t i = 0; i + 1 < count; ++i) {
      int32_t a = 2 * i, *t = triangles + 6 * i;
      t[0] = a, t[1] = a + 1, t[2] = a + 3, t[3] = a, t[4] = a + 3, t[5] = a + 2;
      for (int k = 0; k < 6; k += 3) {
        pl_vec3 p = points[t[k]];
        area += pl_vec3_length(pl_vec3_cross(pl_vec3_sub(points[t[k + 1]], p), pl_vec3_sub(points[t[k + 2]], p)));
      }
    }
    pl_mesh_view view = {
        .point_count = 2 * count, .points = points, .triangle_count = 2 * (count - 1), .triangles = triangles};
    if (!(area > 0))
      status = pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "blade_tips",
                             "the blade sweeps no area, so there is nothing to cut along");
    else
      status = pl_mesh_create(context, &view, &mesh, error);
  }
  if (status == PL_OK) status = pl_triangle_tree_build(context, mesh, tree, error);
  pl_mesh_destroy(mesh);
  pl_arena_destroy(&arena);
  return status;
}

static double longest_edge(const pl_tet_cut *cut) {
  double longest = 0;
  for (int32_t e = 0; e < cut->edge_count; ++e)
    longest =
        fmax(longest, pl_vec3_distance(cut->mesh.points[cut->edges[2 * e]], cut->mesh.points[cut->edges[2 * e + 1]]));
  return longest;
}

// A tet that the blade passes through has no corner farther from it than its longest edge, so what is farther needs no
// height.
static void find_heights(pl_tet_cut *cut, const pl_cut_def *def, const pl_triangle_tree *blade) {
  double touching = TOUCHING * pl_box_diagonal(pl_box_from_points(cut->mesh.points, cut->mesh.point_count));
  double reach = 1.001 * longest_edge(cut);
  pl_vec3 normal = pl_vec3_normalize_or(def->plane_normal, pl_vec3_of(0, 0, 0));
  for (int32_t i = 0; i < cut->mesh.point_count; ++i) {
    pl_vec3 p = cut->mesh.points[i];
    if (blade == NULL)
      cut->heights[i] = pl_vec3_dot(normal, pl_vec3_sub(p, def->plane_point));
    else
      cut->heights[i] = fmin(pl_triangle_tree_signed_distance(blade, p, reach, NULL, NULL), 2 * reach);
    cut->is_on[i] = fabs(cut->heights[i]) <= touching;
  }
}

static bool has_two_sides(const pl_tet_cut *cut, int32_t a, int32_t b) {
  return !cut->is_on[a] && !cut->is_on[b] && (cut->heights[a] < 0) != (cut->heights[b] < 0);
}

// Where the edge ab meets the blade, 0 for nowhere. Rays may slip through between triangles, so where none is hit the
// change of sign is looked for by halving: at the surface heights go through zero, beyond its rim they jump.
static double meet_blade(const pl_triangle_tree *blade, pl_vec3 a, pl_vec3 b, double height_a) {
  double length = pl_vec3_distance(a, b);
  pl_hit hit = pl_triangle_tree_ray(blade, a, pl_vec3_sub(b, a), length);
  if (hit.triangle >= 0) return hit.distance / length;
  double low = 0, high = 1, height = HUGE_VAL;
  for (int i = 0; i < 50; ++i) {
    double middle = 0.5 * (low + high);
    height = pl_triangle_tree_signed_distance(blade, pl_vec3_lerp(a, b, middle), HUGE_VAL, NULL, NULL);
    if ((height < 0) == (height_a < 0))
      low = middle;
    else
      high = middle;
  }
  return fabs(height) <= MEETING * length ? low : 0;
}

static void cross_edges(pl_tet_cut *cut, const pl_triangle_tree *blade) {
  for (int32_t e = 0; e < cut->edge_count; ++e) {
    int32_t a = cut->edges[2 * e], b = cut->edges[2 * e + 1];
    if (!has_two_sides(cut, a, b)) continue;
    double t = blade == NULL ? cut->heights[a] / (cut->heights[a] - cut->heights[b])
                             : meet_blade(blade, cut->mesh.points[a], cut->mesh.points[b], cut->heights[a]);
    // Single precision, as embeddings keep it; and inside, whatever rounding made of it.
    if (t > 0 || blade == NULL) cut->crossings[e] = (float)fmin(fmax(t, 1e-4), 1 - 1e-4);
  }
}

// Keep crossings of edges that belong to a tet which is cut whole.
static void drop_loose_crossings(pl_tet_cut *cut, bool *is_kept) {
  for (int32_t t = 0; t < cut->mesh.tet_count; ++t) {
    const int32_t *corners = cut->mesh.tets + 4 * (size_t)t;
    bool whole = true;
    int32_t found[6], count = 0;
    for (int k = 0; k < 6; ++k) {
      int32_t a = corners[TET_EDGES[k][0]], b = corners[TET_EDGES[k][1]];
      if (a == b || !has_two_sides(cut, a, b)) continue;
      found[count] = pl_tet_cut_edge(cut, a, b);
      whole = whole && cut->crossings[found[count++]] > 0;
    }
    for (int32_t k = 0; whole && k < count; ++k) is_kept[found[k]] = true;
  }
  for (int32_t e = 0; e < cut->edge_count; ++e)
    if (!is_kept[e]) cut->crossings[e] = 0;
}

static void snap_crossings(pl_tet_cut *cut, double snap) {
  for (int32_t e = 0; e < cut->edge_count; ++e) {
    double t = (double)cut->crossings[e];
    if (t > 0 && t < snap) cut->is_on[cut->edges[2 * e]] = true;
    if (t > 1 - snap) cut->is_on[cut->edges[2 * e + 1]] = true;
  }
  for (int32_t e = 0; e < cut->edge_count; ++e)
    if (cut->is_on[cut->edges[2 * e]] || cut->is_on[cut->edges[2 * e + 1]]) cut->crossings[e] = 0;
}

pl_status pl_tet_cut_find_crossings(pl_tet_cut *cut, const pl_cut_def *def, pl_error *error) {
  if (!take_edges(cut)) return pl_fail_memory(error);
  bool *is_kept = PL_TAKE(&cut->arena, bool, cut->edge_count);
  if (is_kept == NULL) return pl_fail_memory(error);
  pl_triangle_tree *blade = NULL;
  if (def->blade_count > 0) {
    pl_status status = build_blade(cut->arena.context, def, &blade, error);
    if (status < 0) return status;
  }
  find_heights(cut, def, blade);
  cross_edges(cut, blade);
  drop_loose_crossings(cut, is_kept);
  snap_crossings(cut, def->snap);
  pl_triangle_tree_destroy(blade);
  return PL_OK;
}
