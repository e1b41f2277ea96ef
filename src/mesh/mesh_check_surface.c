// Troubles of a triangle surface: edges with one triangle, with more than two, with two that disagree on what is
// outside, and closed pieces that are inside out. Triangles with repeated corners are left out: they are reported as
// degenerate already and would only make their edges look crowded.
#include "mesh/mesh_check.h"
#include "mesh/topology.h"
#include "pliant/math.h"

typedef struct sides {
  int32_t count;
  int32_t *keys;   // 2 points each, rising
  int32_t *owner;  // 3 * triangle + corner before the edge
  int32_t *order;
} sides;

static bool collect_sides(pl_check *check, sides *s) {
  const int32_t *triangles = check->view.triangles;
  size_t max = 3 * (size_t)check->view.triangle_count;
  s->keys = PL_TAKE(&check->arena, int32_t, 2 * max);
  s->owner = PL_TAKE(&check->arena, int32_t, max);
  if (check->arena.failed) return false;
  for (int32_t t = 0; t < check->view.triangle_count; ++t) {
    const int32_t *c = &triangles[3 * t];
    if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue;
    for (int32_t k = 0; k < 3; ++k) {
      int32_t a = c[k], b = c[(k + 1) % 3];
      s->keys[2 * (size_t)s->count] = a < b ? a : b;
      s->keys[2 * (size_t)s->count + 1] = a < b ? b : a;
      s->owner[s->count++] = 3 * t + k;
    }
  }
  return pl_tuples_sort(&check->arena, s->keys, s->count, 2, check->view.point_count, &s->order);
}

// Check the edge whose sides are order[begin .. end). Marks triangles at bad edges as not closed.
static void check_edge(pl_check *check, const sides *s, int32_t begin, int32_t end, bool *is_rough) {
  const int32_t *triangles = check->view.triangles, *edge = &s->keys[2 * (size_t)s->order[begin]];
  int32_t first = s->owner[s->order[begin]], last = s->owner[s->order[end - 1]], count = end - begin;
  // Two triangles agree when they run along their edge in opposite directions.
  bool is_flipped = count == 2 && triangles[first] == triangles[last];
  if (count == 2 && !is_flipped) return;
  for (int32_t i = begin; i < end; ++i) is_rough[s->owner[s->order[i]] / 3] = true;
  pl_vec3 middle = pl_vec3_lerp(check->view.points[edge[0]], check->view.points[edge[1]], 0.5);
  pl_finding where;
  if (count == 1) {
    check->report.open_edge_count++;
    if (pl_check_count(check, PL_TROUBLE_OPEN_EDGE, first / 3, middle, &where))
      PL_CHECK_REPORT(check, &where, "The edge between points %d and %d has a triangle (%d) on one side only.", edge[0],
                      edge[1], first / 3);
  } else if (is_flipped) {
    check->report.flipped_edge_count++;
    if (pl_check_count(check, PL_TROUBLE_FLIPPED_EDGE, last / 3, middle, &where))
      PL_CHECK_REPORT(check, &where,
                      "Triangles %d and %d share the edge between points %d and %d but face opposite ways.", first / 3,
                      last / 3, edge[0], edge[1]);
  } else {
    check->report.non_manifold_edge_count++;
    if (pl_check_count(check, PL_TROUBLE_CROWDED_EDGE, first / 3, middle, &where))
      PL_CHECK_REPORT(check, &where, "The edge between points %d and %d has %d triangles (%d, %d, ...).", edge[0],
                      edge[1], count, first / 3, s->owner[s->order[begin + 1]] / 3);
  }
}

// What is known of each connected piece of surface.
typedef struct piece {
  double volume;
  pl_box box;
  int32_t first_triangle;  // -1: none yet
  bool is_rough;           // not closed, or not of one mind
} piece;

// Six times the signed volume under a triangle, seen from `origin`; near the piece, so that no digits are lost far from
// the world's origin.
static double volume_under(const pl_check *check, int32_t triangle, pl_vec3 origin) {
  const int32_t *c = &check->view.triangles[3 * triangle];
  const pl_vec3 *p = check->view.points;
  pl_vec3 a = pl_vec3_sub(p[c[0]], origin), b = pl_vec3_sub(p[c[1]], origin), d = pl_vec3_sub(p[c[2]], origin);
  return pl_vec3_dot(a, pl_vec3_cross(b, d));
}

static bool is_box_within(pl_box inner, pl_box outer) {
  return inner.min.x > outer.min.x && inner.min.y > outer.min.y && inner.min.z > outer.min.z &&
         inner.max.x < outer.max.x && inner.max.y < outer.max.y && inner.max.z < outer.max.z;
}

// A closed piece of negative volume is inside out, unless it lies within another piece and is the wall of a hollow.
static void check_volumes(pl_check *check, const piece *pieces, int32_t piece_count) {
  for (int32_t i = 0; i < piece_count; ++i) {
    // Two sheets back to back enclose nothing but rounding.
    double size = pl_box_diagonal(pieces[i].box), min = -1e-12 * size * size * size;
    if (pieces[i].is_rough || pieces[i].first_triangle < 0 || !(pieces[i].volume < min)) continue;
    bool is_hollow = false;
    for (int32_t j = 0; j < piece_count && !is_hollow; ++j)
      is_hollow = !pieces[j].is_rough && pieces[j].volume > 0 && is_box_within(pieces[i].box, pieces[j].box);
    if (is_hollow) continue;
    pl_finding where;
    if (!pl_check_count(check, PL_TROUBLE_INSIDE_OUT, pieces[i].first_triangle, pl_box_center(pieces[i].box), &where))
      return;
    PL_CHECK_REPORT(check, &where,
                    "The closed surface that begins with triangle %d is inside out: it encloses %g cubic metres.",
                    pieces[i].first_triangle, pieces[i].volume / 6);
  }
}

static bool check_pieces(pl_check *check, const bool *is_rough) {
  const pl_mesh_view *view = &check->view;
  int32_t *component_of_point = NULL, piece_count = 0;
  if (!pl_components_find(&check->arena, (pl_elements){view->triangles, view->triangle_count, 3}, view->point_count,
                          &component_of_point, &piece_count))
    return false;
  piece *pieces = PL_TAKE(&check->arena, piece, piece_count);
  if (pieces == NULL) return false;
  for (int32_t i = 0; i < piece_count; ++i) pieces[i] = (piece){.box = pl_box_empty(), .first_triangle = -1};
  for (int32_t t = 0; t < view->triangle_count; ++t) {
    piece *p = &pieces[component_of_point[view->triangles[3 * t]]];
    if (p->first_triangle < 0) p->first_triangle = t;
    p->is_rough = p->is_rough || is_rough[t];
    for (int32_t k = 0; k < 3; ++k) p->box = pl_box_add_point(p->box, view->points[view->triangles[3 * t + k]]);
    p->volume += volume_under(check, t, view->points[view->triangles[3 * p->first_triangle]]);
  }
  check_volumes(check, pieces, piece_count);
  return true;
}

bool pl_check_surface(pl_check *check) {
  sides s = {0};
  bool *is_rough = PL_TAKE(&check->arena, bool, check->view.triangle_count);
  if (is_rough == NULL || !collect_sides(check, &s)) return false;
  for (int32_t i = 0, end; i < s.count; i = end) {
    const int32_t *key = &s.keys[2 * (size_t)s.order[i]];
    for (end = i + 1; end < s.count; ++end) {
      const int32_t *other = &s.keys[2 * (size_t)s.order[end]];
      if (other[0] != key[0] || other[1] != key[1]) break;
    }
    check_edge(check, &s, i, end, is_rough);
  }
  return check_pieces(check, is_rough);
}
