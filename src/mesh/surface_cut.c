// Cutting a surface where the tets that carry it are cut.
//
// A carried surface follows its tets, each point with one of them. Where a cut separates the tets, a triangle with
// corners on both sides would stretch over the slit. Nothing is asked about how the tets were cut: two points are
// connected if tets lead from one to the other through common faces and stay near the box around both points. On an
// edge whose ends are not connected, halving finds the two positions next to each other that are not: the points of the
// two sides. They are found with the search by which a body embeds its surface, so that each follows the tets of its
// own side.
//
// A triangle with two such edges is split between them. Where only one edge is crossed, the cut ends in the triangle:
// the slit goes on to the opposite corner, which is connected to both sides. The edges that open are closed by walls:
// each side's chain of edges, closed in itself or from one end of the slit to the other, is filled with triangles
// between its points (ear clipping, in the plane that fits the chain best).
//
// Limits: a triangle in which three sides meet keeps its corners only, and a wall has no holes, so that the section
// through a hollow body is closed over.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "mesh/simplex.h"
#include "mesh/topology.h"
#include "pliant/math.h"

enum { HALVINGS = 40, MAX_PASSES = 4 };
// How far a point stays away from the cut, in edges: far more than rounding, so that it is on its side for anyone who
// looks, and far less than can be seen.
static const double CLEARANCE = 1e-5;
// How far from the box a tet on the way may be, in edges: a cut is bent through points that are near it.
static const double MARGIN = 0.25;

// The tets, and where points are in them.
typedef struct carrier {
  pl_context *context;
  pl_arena arena;
  const pl_mesh *mesh;
  pl_mesh_view view;
  pl_elements tets;
  int32_t *neighbours;
  pl_rows tets_of_points;
  bool is_cut;
  int32_t *stack, *mark;  // of a walk from tet to tet
  int32_t walk;
  double margin, clearance;  // metres
} carrier;

// Points and the tet that each is in, or nearest to.
typedef struct located {
  const pl_vec3 *points;
  int32_t *tets;
  double *distances;  // from it
} located;

// Edges that are crossed, and what is known of each.
typedef struct crossings {
  pl_arena arena;
  int32_t edge_count, *edges;  // of the surface
  int32_t *number;             // of each edge: its crossing, or -1
  int32_t count, *edge_of;     // of each crossing
  double *low, *high;  // fractions of the edge from its first point: the last of its side, the first of the other
} crossings;

// A surface that grows.
typedef struct growing {
  int32_t point_count, old_count;
  int32_t *from, *to;  // of each new point, the edge that it lies on …
  double *fraction;    // … and where
  int32_t triangle_count, *triangles;
  int32_t side_count, *sides;  // edges that opened, 2 points each, as a wall has them
} growing;

static bool open_carrier(carrier *c) {
  c->view = pl_mesh_get_view(c->mesh);
  c->tets = (pl_elements){c->view.tets, c->view.tet_count, 4};
  int32_t *first;
  if (!pl_points_weld(&c->arena, c->view.points, c->view.point_count, &first)) return false;
  for (int32_t i = 0; i < c->view.point_count; ++i) c->is_cut = c->is_cut || first[i] != i;
  if (!c->is_cut) return true;
  c->stack = PL_TAKE(&c->arena, int32_t, c->view.tet_count);
  c->mark = PL_TAKE(&c->arena, int32_t, c->view.tet_count);
  double sum = 0;
  for (int32_t t = 0; t < c->view.tet_count; ++t)
    sum +=
        pl_vec3_distance(c->view.points[c->view.tets[4 * (size_t)t]], c->view.points[c->view.tets[4 * (size_t)t + 1]]);
  c->margin = MARGIN * sum / c->view.tet_count;
  c->clearance = CLEARANCE * sum / c->view.tet_count;
  return !c->arena.failed && pl_neighbours_find(&c->arena, c->tets, c->view.point_count, &c->neighbours) &&
         pl_elements_of_points(&c->arena, c->tets, c->view.point_count, &c->tets_of_points);
}

// The tet that has these corners, in this order.
static int32_t find_tet(const carrier *c, const int32_t *corners) {
  for (int32_t i = c->tets_of_points.start[corners[0]]; i < c->tets_of_points.start[corners[0] + 1]; ++i) {
    int32_t tet = c->tets_of_points.items[i];
    if (memcmp(c->view.tets + 4 * (size_t)tet, corners, 4 * sizeof *corners) == 0) return tet;
  }
  return 0;
}

static pl_status locate(const carrier *c, int32_t count, located *at, pl_error *error) {
  pl_embedding *embedding = NULL;
  pl_status status = pl_embedding_build(c->context, c->mesh, &(pl_embedding_input){at->points, count, HUGE_VAL},
                                        &embedding, NULL, error);
  if (status < 0) return status;
  pl_embedding_view view = pl_embedding_get_view(embedding);
  for (int32_t i = 0; i < count; ++i) {
    const int32_t *parents = view.parents + 4 * (size_t)i;
    pl_vec3 corners[4];
    double weights[4];
    for (int k = 0; k < 4; ++k) corners[k] = c->view.points[parents[k]];
    at->tets[i] = find_tet(c, parents);
    at->distances[i] = pl_vec3_distance(at->points[i], pl_tet_nearest(corners, at->points[i], weights));
  }
  pl_embedding_destroy(embedding);
  return PL_OK;
}

static bool meets_box(const carrier *c, int32_t tet, const pl_box *box) {
  const int32_t *corners = c->view.tets + 4 * (size_t)tet;
  pl_box own = pl_box_empty();
  for (int k = 0; k < 4; ++k) own = pl_box_add_point(own, c->view.points[corners[k]]);
  return own.min.x <= box->max.x && own.max.x >= box->min.x && own.min.y <= box->max.y && own.max.y >= box->min.y &&
         own.min.z <= box->max.z && own.max.z >= box->min.z;
}

// Whether tets lead from one to another through faces, all of them near the segment between two points.
static bool are_connected(carrier *c, int32_t from, int32_t to, pl_vec3 a, pl_vec3 b, double outside) {
  if (from == to) return true;
  double margin = c->margin + outside;
  pl_vec3 border = {margin, margin, margin};
  pl_box box = pl_box_add_point(pl_box_add_point(pl_box_empty(), a), b);
  box.min = pl_vec3_sub(box.min, border);
  box.max = pl_vec3_add(box.max, border);
  int32_t depth = 0;
  c->mark[from] = ++c->walk;
  c->stack[depth++] = from;
  while (depth > 0) {
    int32_t tet = c->stack[--depth];
    for (int k = 0; k < 4; ++k) {
      int32_t next = c->neighbours[4 * (size_t)tet + (size_t)k];
      if (next == to) return true;
      if (next < 0 || c->mark[next] == c->walk || !meets_box(c, next, &box)) continue;
      c->mark[next] = c->walk;
      c->stack[depth++] = next;
    }
  }
  return false;
}

// --- crossings ------------------------------------------------------------------------------------------------------

static pl_status find_crossed_edges(carrier *c, const pl_mesh_view *surface, located *at, crossings *x,
                                    pl_error *error) {
  pl_elements triangles = {surface->triangles, surface->triangle_count, 3};
  if (!pl_edges_find(&x->arena, triangles, surface->point_count, &x->edges, &x->edge_count))
    return pl_fail_memory(error);
  size_t count = (size_t)surface->point_count;
  *at = (located){surface->points, PL_TAKE(&x->arena, int32_t, count), PL_TAKE(&x->arena, double, count)};
  x->number = PL_TAKE(&x->arena, int32_t, x->edge_count);
  x->edge_of = PL_TAKE(&x->arena, int32_t, x->edge_count);
  if (x->arena.failed) return pl_fail_memory(error);
  pl_status status = locate(c, surface->point_count, at, error);
  for (int32_t e = 0; status >= 0 && e < x->edge_count; ++e) {
    int32_t p = x->edges[2 * e], q = x->edges[2 * e + 1];
    bool whole = are_connected(c, at->tets[p], at->tets[q], surface->points[p], surface->points[q],
                               fmax(at->distances[p], at->distances[q]));
    x->number[e] = whole ? -1 : x->count;
    if (!whole) x->edge_of[x->count++] = e;
  }
  return status;
}

// Numbers of the three edges of a triangle; edge k is opposite to corner k.
static void edges_of_triangle(const crossings *x, const int32_t *corners, int32_t edges[3]) {
  for (int k = 0; k < 3; ++k) {
    int32_t p = corners[(k + 1) % 3], q = corners[(k + 2) % 3];
    edges[k] = p == q ? -1 : pl_edges_index_of(x->edges, x->edge_count, p, q);
  }
}

static int32_t count_crossed(const crossings *x, const int32_t *corners, int32_t edges[3]) {
  int32_t crossed = 0;
  edges_of_triangle(x, corners, edges);
  for (int k = 0; k < 3; ++k) crossed += edges[k] >= 0 && x->number[edges[k]] >= 0;
  return crossed;
}

static int32_t count_bridging(const pl_mesh_view *surface, const crossings *x) {
  int32_t bridging = 0, edges[3];
  for (int32_t t = 0; t < surface->triangle_count; ++t)
    bridging += count_crossed(x, surface->triangles + 3 * (size_t)t, edges) > 0;
  return bridging;
}

static pl_status halve_edges(carrier *c, const pl_mesh_view *surface, const located *ends, crossings *x,
                             pl_error *error) {
  size_t count = (size_t)x->count;
  pl_vec3 *points = PL_TAKE(&x->arena, pl_vec3, count);
  located at = {points, PL_TAKE(&x->arena, int32_t, count), PL_TAKE(&x->arena, double, count)};
  if (x->arena.failed) return pl_fail_memory(error);
  for (int32_t i = 0; i < x->count; ++i) x->high[i] = 1;
  for (int round = 0; round < HALVINGS; ++round) {
    for (int32_t i = 0; i < x->count; ++i) {
      const int32_t *edge = x->edges + 2 * (size_t)x->edge_of[i];
      points[i] = pl_vec3_lerp(surface->points[edge[0]], surface->points[edge[1]], 0.5 * (x->low[i] + x->high[i]));
    }
    pl_status status = locate(c, x->count, &at, error);
    if (status < 0) return status;
    for (int32_t i = 0; i < x->count; ++i) {
      int32_t p = x->edges[2 * (size_t)x->edge_of[i]];
      bool near = are_connected(c, ends->tets[p], at.tets[i], surface->points[p], points[i],
                                fmax(ends->distances[p], at.distances[i]));
      *(near ? &x->low[i] : &x->high[i]) = 0.5 * (x->low[i] + x->high[i]);
    }
  }
  for (int32_t i = 0; i < x->count; ++i) {
    const int32_t *edge = x->edges + 2 * (size_t)x->edge_of[i];
    double length = pl_vec3_distance(surface->points[edge[0]], surface->points[edge[1]]);
    double away = fmin(c->clearance / fmax(length, c->clearance), 0.25);
    x->low[i] = fmax(x->low[i] - away, 0.5 * x->low[i]);
    x->high[i] = fmin(x->high[i] + away, 0.5 * (1 + x->high[i]));
  }
  return PL_OK;
}

// --- the surface with slits -----------------------------------------------------------------------------------------

static bool take_growing(pl_arena *arena, const pl_mesh_view *surface, const crossings *x, growing *g) {
  size_t crossing_count = (size_t)x->count, triangle_count = (size_t)surface->triangle_count;
  g->old_count = g->point_count = surface->point_count;
  g->from = PL_TAKE(arena, int32_t, 2 * crossing_count);
  g->to = PL_TAKE(arena, int32_t, 2 * crossing_count);
  g->fraction = PL_TAKE(arena, double, 2 * crossing_count);
  // A triangle becomes three at most; a wall has fewer triangles than sides, of which a triangle opens three at most.
  g->triangles = PL_TAKE(arena, int32_t, 3 * 6 * triangle_count);
  g->sides = PL_TAKE(arena, int32_t, 2 * 3 * triangle_count);
  return !arena->failed;
}

static int32_t add_point(growing *g, const int32_t *edge, double fraction) {
  int32_t slot = g->point_count - g->old_count;
  g->from[slot] = edge[0];
  g->to[slot] = edge[1];
  g->fraction[slot] = fraction;
  return g->point_count++;
}

static void add_triangle(growing *g, int32_t a, int32_t b, int32_t c) {
  if (a == b || b == c || c == a) return;
  int32_t *corners = g->triangles + 3 * (size_t)g->triangle_count++;
  corners[0] = a, corners[1] = b, corners[2] = c;
}

// An edge of the surface that opened, from a to b as the triangle next to it has it.
static void add_side(growing *g, int32_t a, int32_t b) {
  if (a == b) return;
  int32_t *side = g->sides + 2 * (size_t)g->side_count++;
  side[0] = b, side[1] = a;
}

// The point on a crossed edge that belongs to one of its ends. `pairs` has the two of each crossing.
static int32_t point_on(const crossings *x, const int32_t *pairs, int32_t edge, int32_t end) {
  return pairs[2 * (size_t)x->number[edge] + (x->edges[2 * (size_t)edge] != end)];
}

static void split_triangle(growing *g, const crossings *x, const int32_t *pairs, const int32_t *corners) {
  int32_t edges[3], crossed = count_crossed(x, corners, edges), k = 0;
  if (crossed == 0) {
    add_triangle(g, corners[0], corners[1], corners[2]);
    return;
  }
  if (crossed == 3) {  // three sides meet here
    for (k = 0; k < 3; ++k) {
      int32_t a = corners[k], b = point_on(x, pairs, edges[(k + 2) % 3], a),
              c = point_on(x, pairs, edges[(k + 1) % 3], a);
      add_triangle(g, a, b, c);
      add_side(g, b, c);
    }
    return;
  }
  // Turn the triangle so that edge ab is the odd one out: crossed alone, or alone not crossed.
  while ((x->number[edges[k]] >= 0) != (crossed == 1)) ++k;
  int32_t c = corners[k], a = corners[(k + 1) % 3], b = corners[(k + 2) % 3];
  if (crossed == 1) {
    int32_t of_a = point_on(x, pairs, edges[k], a), of_b = point_on(x, pairs, edges[k], b);
    add_triangle(g, c, a, of_a);
    add_side(g, of_a, c);
    add_triangle(g, c, of_b, b);
    add_side(g, c, of_b);
    return;
  }
  int32_t ca = edges[(k + 2) % 3], cb = edges[(k + 1) % 3];
  int32_t near_a = point_on(x, pairs, ca, c), near_b = point_on(x, pairs, cb, c), far_a = point_on(x, pairs, ca, a),
          far_b = point_on(x, pairs, cb, b);
  add_triangle(g, c, near_a, near_b);
  add_side(g, near_a, near_b);
  add_triangle(g, a, b, far_b);
  add_triangle(g, a, far_b, far_a);
  add_side(g, far_b, far_a);
}

static pl_vec3 position_of(const growing *g, const pl_vec3 *points, int32_t i) {
  if (i < g->old_count) return points[i];
  int32_t slot = i - g->old_count;
  return pl_vec3_lerp(points[g->from[slot]], points[g->to[slot]], g->fraction[slot]);
}

// --- walls ----------------------------------------------------------------------------------------------------------

typedef struct plane_point {
  double x, y;
} plane_point;

static double turn(plane_point a, plane_point b, plane_point c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static bool is_ear(const plane_point *at, const int32_t *loop, int32_t count, int32_t k) {
  int32_t before = loop[(k + count - 1) % count], here = loop[k], after = loop[(k + 1) % count];
  if (!(turn(at[before], at[here], at[after]) > 0)) return false;
  for (int32_t i = 0; i < count; ++i) {
    int32_t p = loop[i];
    if (p == before || p == here || p == after) continue;
    if (turn(at[before], at[here], at[p]) >= 0 && turn(at[here], at[after], at[p]) >= 0 &&
        turn(at[after], at[before], at[p]) >= 0)
      return false;
  }
  return true;
}

// Fill a loop of points; `at` and `loop` have room for it.
static void fill_loop(growing *g, const pl_vec3 *points, const int32_t *chain, int32_t count, plane_point *at,
                      int32_t *loop) {
  pl_vec3 normal = {0, 0, 0}, origin = position_of(g, points, chain[0]);
  for (int32_t i = 0; i < count; ++i)
    normal = pl_vec3_add(normal, pl_vec3_cross(pl_vec3_sub(position_of(g, points, chain[i]), origin),
                                               pl_vec3_sub(position_of(g, points, chain[(i + 1) % count]), origin)));
  normal = pl_vec3_normalize_or(normal, pl_vec3_of(0, 0, 1));
  pl_vec3 along = fabs(normal.x) < 0.7 ? pl_vec3_of(1, 0, 0) : pl_vec3_of(0, 1, 0);
  along = pl_vec3_normalize_or(pl_vec3_cross(along, normal), pl_vec3_of(1, 0, 0));
  pl_vec3 across = pl_vec3_cross(normal, along);
  for (int32_t i = 0; i < count; ++i) {
    pl_vec3 from_origin = pl_vec3_sub(position_of(g, points, chain[i]), origin);
    at[i] = (plane_point){pl_vec3_dot(from_origin, along), pl_vec3_dot(from_origin, across)};
    loop[i] = i;
  }
  while (count > 2) {
    int32_t ear = 0;
    while (ear < count && !is_ear(at, loop, count, ear)) ++ear;
    if (ear == count) ear = 0;  // points on a line, or a loop that meets itself: any corner
    add_triangle(g, chain[loop[(ear + count - 1) % count]], chain[loop[ear]], chain[loop[(ear + 1) % count]]);
    for (int32_t i = ear; i + 1 < count; ++i) loop[i] = loop[i + 1];
    --count;
  }
}

static bool close_slits(pl_arena *arena, const pl_vec3 *points, growing *g) {
  size_t count = (size_t)g->side_count + 1;
  int32_t *next = PL_TAKE(arena, int32_t, g->point_count), *chain = PL_TAKE(arena, int32_t, count),
          *loop = PL_TAKE(arena, int32_t, count);
  plane_point *at = PL_TAKE(arena, plane_point, count);
  if (arena->failed) return false;
  for (int32_t i = 0; i < g->point_count; ++i) next[i] = -1;
  for (int32_t i = 0; i < g->side_count; ++i) next[g->sides[2 * i]] = g->sides[2 * i + 1];
  // Chains from one end of a slit to the other, which are points of old, come first; what is left are loops.
  for (int32_t start = 0; start < g->point_count; ++start) {
    int32_t length = 0, point = start;
    if (next[start] < 0) continue;
    do {
      chain[length++] = point;
      int32_t following = next[point];
      next[point] = -1;
      point = following;
    } while (point >= g->old_count && point != start && next[point] >= 0);
    if (point >= 0 && point != start) chain[length++] = point;
    fill_loop(g, points, chain, length, at, loop);
  }
  return true;
}

// --- the result -----------------------------------------------------------------------------------------------------

static pl_vec3 *extend_points(pl_arena *arena, const growing *g, const pl_vec3 *points) {
  pl_vec3 *all = PL_TAKE(arena, pl_vec3, g->point_count);
  for (int32_t i = 0; all != NULL && i < g->point_count; ++i) all[i] = position_of(g, points, i);
  return all;
}

static pl_status create_surface(pl_arena *arena, const pl_mesh_view *surface, const growing *g, pl_mesh **made,
                                pl_error *error) {
  pl_mesh_view view = *surface;
  view.point_count = g->point_count;
  view.points = extend_points(arena, g, surface->points);
  view.triangle_count = g->triangle_count;
  view.triangles = g->triangles;
  pl_mesh_group *groups = PL_TAKE(arena, pl_mesh_group, surface->group_count);
  for (int32_t k = 0; groups != NULL && k < surface->group_count; ++k) {
    float *weights = PL_TAKE(arena, float, g->point_count);
    const float *old = surface->groups[k].weights;
    for (int32_t i = 0; weights != NULL && i < g->point_count; ++i) {
      int32_t slot = i - g->old_count;
      weights[i] =
          slot < 0 ? old[i] : old[g->from[slot]] + (float)g->fraction[slot] * (old[g->to[slot]] - old[g->from[slot]]);
    }
    groups[k] = (pl_mesh_group){surface->groups[k].name, weights};
  }
  pl_mesh_pose *poses = PL_TAKE(arena, pl_mesh_pose, surface->pose_count);
  for (int32_t k = 0; poses != NULL && k < surface->pose_count; ++k)
    poses[k] = (pl_mesh_pose){surface->poses[k].name, extend_points(arena, g, surface->poses[k].points)};
  if (arena->failed) return pl_fail_memory(error);
  view.groups = groups;
  view.poses = poses;
  return pl_mesh_create(arena->context, &view, made, error);
}

static pl_status split_surface(carrier *c, const pl_mesh_view *surface, const located *at, crossings *x, pl_mesh **made,
                               pl_error *error) {
  growing g = {0};
  int32_t *pairs = PL_TAKE(&x->arena, int32_t, 2 * (size_t)x->count);
  if (pairs == NULL || !take_growing(&x->arena, surface, x, &g)) return pl_fail_memory(error);
  pl_status status = halve_edges(c, surface, at, x, error);
  if (status < 0) return status;
  for (int32_t i = 0; i < x->count; ++i) {
    const int32_t *edge = x->edges + 2 * (size_t)x->edge_of[i];
    pairs[2 * i] = add_point(&g, edge, x->low[i]);
    pairs[2 * i + 1] = add_point(&g, edge, x->high[i]);
  }
  for (int32_t t = 0; t < surface->triangle_count; ++t)
    split_triangle(&g, x, pairs, surface->triangles + 3 * (size_t)t);
  if (!close_slits(&x->arena, surface->points, &g)) return pl_fail_memory(error);
  return create_surface(&x->arena, surface, &g, made, error);
}

// One pass: edges that two cuts cross are cut by one of them. `made` stays NULL where nothing bridges, and where it is
// not asked for.
static pl_status cut_once(carrier *c, const pl_mesh *from, bool count_only, pl_mesh **made, int32_t *bridging,
                          pl_error *error) {
  pl_mesh_view surface = pl_mesh_get_view(from);
  crossings x = {.count = 0};
  located at;
  *bridging = 0;
  pl_arena_init(&x.arena, c->context, 0);
  pl_status status = find_crossed_edges(c, &surface, &at, &x, error);
  if (status >= 0 && x.count > 0) {
    x.low = PL_TAKE(&x.arena, double, x.count);
    x.high = PL_TAKE(&x.arena, double, x.count);
    if (x.arena.failed)
      status = pl_fail_memory(error);
    else
      *bridging = count_bridging(&surface, &x);
  }
  if (status >= 0 && *bridging > 0 && !count_only) status = split_surface(c, &surface, &at, &x, made, error);
  pl_arena_destroy(&x.arena);
  return status;
}

pl_status pl_mesh_cut_surface(pl_context *context, const pl_mesh *tets, const pl_mesh *surface, pl_mesh **cut,
                              int32_t *bridging_count, pl_error *error) {
  if (cut != NULL) *cut = NULL;
  *bridging_count = 0;
  pl_mesh_view carrying = pl_mesh_get_view(tets), carried = pl_mesh_get_view(surface);
  if (carrying.tet_count == 0)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "only tets carry a surface, and this mesh has none");
  if (carried.triangle_count == 0) return pl_fail(error, PL_ERROR_INVALID_DATA, "the surface has no triangles");
  carrier c = {.context = context, .mesh = tets};
  pl_arena_init(&c.arena, context, 0);
  pl_status status = open_carrier(&c) ? PL_OK : pl_fail_memory(error);
  const pl_mesh *last = surface;
  for (int pass = 0; status >= 0 && c.is_cut && pass < (cut == NULL ? 1 : MAX_PASSES); ++pass) {
    pl_mesh *made = NULL;
    int32_t bridging = 0;
    status = cut_once(&c, last, cut == NULL, &made, &bridging, error);
    if (pass == 0) *bridging_count = bridging;
    if (made == NULL) break;
    if (last != surface) pl_mesh_destroy(*cut);
    *cut = made;
    last = made;
  }
  if (status >= 0 && cut != NULL && *cut == NULL) status = pl_mesh_create(context, &carried, cut, error);
  if (status < 0 && cut != NULL) {
    pl_mesh_destroy(*cut);
    *cut = NULL;
  }
  pl_arena_destroy(&c.arena);
  return status;
}
