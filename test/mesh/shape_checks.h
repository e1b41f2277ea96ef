// What the tests of modeller and lattice share: judging surfaces without the library's own topology
// code, and a creature.
#ifndef PL_TEST_SHAPE_CHECKS_H
#define PL_TEST_SHAPE_CHECKS_H

#include "check.h"
#include "pliant/math.h"
#include "pliant/mesh.h"
#include "pliant/modeller.h"

typedef struct surface_facts {
  double volume, area;
  int32_t component_count;
  int32_t euler_characteristic;
  double min_angle;  // radians
} surface_facts;

typedef struct directed_edge {
  int32_t from, to, apex;
} directed_edge;

static inline int compare_edges(const void *a, const void *b) {
  const directed_edge *x = a, *y = b;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  return x->to < y->to ? -1 : x->to > y->to;
}

static inline const directed_edge *find_edge(const directed_edge *edges, int32_t count,
                                             int32_t from, int32_t to) {
  directed_edge key = {from, to, 0};
  return bsearch(&key, edges, (size_t)count, sizeof *edges, compare_edges);
}

static inline int32_t root_of(int32_t *parents, int32_t i) {
  while (parents[i] != i) i = parents[i] = parents[parents[i]];
  return i;
}

// Every edge is used once in each direction and the triangles of every point form one closed fan,
// or the test fails.
static inline surface_facts check_closed_manifold(const pl_mesh *mesh) {
  pl_mesh_view v = pl_mesh_get_view(mesh);
  surface_facts facts = {.min_angle = 4,
                         .euler_characteristic = v.point_count - v.triangle_count / 2};
  int32_t count = 3 * v.triangle_count;
  directed_edge *edges = malloc((size_t)count * sizeof *edges);
  int32_t *fan_counts = calloc((size_t)v.point_count, sizeof(int32_t)),
          *parents = malloc((size_t)v.point_count * sizeof(int32_t));
  assert_true(edges != NULL && fan_counts != NULL && parents != NULL);
  for (int32_t i = 0; i < v.point_count; ++i) parents[i] = i;
  for (int32_t t = 0; t < v.triangle_count; ++t) {
    const int32_t *c = &v.triangles[3 * t];
    pl_vec3 p[3] = {v.points[c[0]], v.points[c[1]], v.points[c[2]]};
    for (int k = 0; k < 3; ++k) {
      edges[3 * t + k] = (directed_edge){c[k], c[(k + 1) % 3], c[(k + 2) % 3]};
      fan_counts[c[k]]++;
      parents[root_of(parents, c[k])] = root_of(parents, c[(k + 1) % 3]);
      pl_vec3 a = pl_vec3_sub(p[(k + 1) % 3], p[k]), b = pl_vec3_sub(p[(k + 2) % 3], p[k]);
      facts.min_angle =
          fmin(facts.min_angle, atan2(pl_vec3_length(pl_vec3_cross(a, b)), pl_vec3_dot(a, b)));
    }
    facts.volume += pl_vec3_dot(p[0], pl_vec3_cross(p[1], p[2])) / 6;
    facts.area +=
        0.5 * pl_vec3_length(pl_vec3_cross(pl_vec3_sub(p[1], p[0]), pl_vec3_sub(p[2], p[0])));
  }
  qsort(edges, (size_t)count, sizeof *edges, compare_edges);
  for (int32_t i = 0; i < count; ++i) {
    if (i > 0 && compare_edges(&edges[i - 1], &edges[i]) == 0)
      fail_msg("edge %d-%d is used twice", edges[i].from, edges[i].to);
    if (find_edge(edges, count, edges[i].to, edges[i].from) == NULL)
      fail_msg("edge %d-%d is open", edges[i].from, edges[i].to);
  }
  // Around each point: from edge (p, q) with apex r on to edge (p, r), until back at the start.
  for (int32_t i = 0; i < count; ++i) {
    if (i > 0 && edges[i - 1].from == edges[i].from) continue;
    int32_t p = edges[i].from, steps = 0, at = edges[i].to;
    do {
      at = find_edge(edges, count, p, at)->apex;
      steps++;
    } while (at != edges[i].to && steps <= fan_counts[p]);
    if (steps != fan_counts[p]) fail_msg("point %d joins several fans", p);
  }
  for (int32_t i = 0; i < v.point_count; ++i) {
    assert_true(fan_counts[i] > 0);
    facts.component_count += parents[i] == i;
  }
  free(edges);
  free(fan_counts);
  free(parents);
  return facts;
}

static inline pl_mesh *make_surface(pl_context *context, const pl_shape_node *nodes,
                                    int32_t node_count, double cell_size) {
  pl_shape_def def = pl_default_shape_def();
  def.cell_size = cell_size;
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  check_ok(pl_shape_build_surface(context, &def, nodes, node_count, &mesh, &error), &error);
  return mesh;
}

static inline pl_shape_node ellipsoid(pl_vec3 at, pl_vec3 radii) {
  pl_shape_node node = pl_default_shape_node(PL_SHAPE_ELLIPSOID);
  node.placement.position = at;
  node.size = radii;
  return node;
}

static inline pl_shape_node capsule(pl_vec3 from, double radius, pl_vec3 to, double end_radius) {
  pl_shape_node node = pl_default_shape_node(PL_SHAPE_CAPSULE);
  node.from = from;
  node.to = to;
  node.radius = radius;
  node.end_radius = end_radius;
  return node;
}

static inline pl_shape_node rounded_box(pl_vec3 size, double radius) {
  pl_shape_node node = pl_default_shape_node(PL_SHAPE_BOX);
  node.size = size;
  node.radius = radius;
  return node;
}

static inline pl_shape_node combine(pl_shape_kind kind, double smoothness, const int32_t *children,
                                    int32_t child_count) {
  pl_shape_node node = pl_default_shape_node(kind);
  node.smoothness = smoothness;
  node.children = children;
  node.child_count = child_count;
  return node;
}

static const int32_t counting[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                     11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                     22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

// A circle as an outline, for tori and round pegs.
enum { CIRCLE_CORNERS = 64 };
static inline pl_shape_node ring(double radius, double thickness,
                                 double outline[2 * CIRCLE_CORNERS]) {
  for (int i = 0; i < CIRCLE_CORNERS; ++i) {
    double angle = 2 * PL_PI * i / CIRCLE_CORNERS;
    outline[2 * i] = radius + thickness * cos(angle);
    outline[2 * i + 1] = thickness * sin(angle);
  }
  pl_shape_node node = pl_default_shape_node(PL_SHAPE_REVOLVED);
  node.outline = outline;
  node.outline_count = CIRCLE_CORNERS;
  return node;
}

// A sitting bunny, feet on y = 0, facing +Z, 0.6 m tall; needs room for 20 nodes.
static inline int32_t make_bunny(pl_shape_node *n) {
  static const int32_t body[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, head[] = {11, 12, 13, 14, 15},
                       all[] = {10, 18, 16, 17};
  int32_t c = 0;
  n[c++] = ellipsoid(pl_vec3_of(0, 0.165, -0.05), pl_vec3_of(0.135, 0.155, 0.165));
  n[c++] = ellipsoid(pl_vec3_of(0, 0.215, 0.045), pl_vec3_of(0.105, 0.13, 0.095));
  n[c++] = ellipsoid(pl_vec3_of(0, 0.12, -0.215), pl_vec3_of(0.05, 0.05, 0.05));
  for (int side = -1; side <= 1; side += 2) {
    n[c++] = ellipsoid(pl_vec3_of(side * 0.105, 0.105, -0.045), pl_vec3_of(0.06, 0.1, 0.11));
    n[c++] = ellipsoid(pl_vec3_of(side * 0.12, 0.03, 0), pl_vec3_of(0.042, 0.03, 0.09));
    n[c++] = capsule(pl_vec3_of(side * 0.055, 0.2, 0.105), 0.042,
                     pl_vec3_of(side * 0.048, 0.035, 0.165), 0.033);
  }
  n[c++] = capsule(pl_vec3_of(0, 0.28, 0.05), 0.075, pl_vec3_of(0, 0.35, 0.08), 0.07);
  n[c++] = combine(PL_SHAPE_UNION, 0.04, body, 10);
  n[c++] = ellipsoid(pl_vec3_of(0, 0.385, 0.1), pl_vec3_of(0.095, 0.09, 0.105));
  n[c++] = ellipsoid(pl_vec3_of(0, 0.36, 0.175), pl_vec3_of(0.055, 0.048, 0.05));
  n[c++] = ellipsoid(pl_vec3_of(0.045, 0.352, 0.145), pl_vec3_of(0.05, 0.048, 0.05));
  n[c++] = ellipsoid(pl_vec3_of(-0.045, 0.352, 0.145), pl_vec3_of(0.05, 0.048, 0.05));
  n[c++] = ellipsoid(pl_vec3_of(0, 0.378, 0.222), pl_vec3_of(0.016, 0.012, 0.01));
  for (int side = -1; side <= 1; side += 2) {
    n[c] = ellipsoid(pl_vec3_of(side * 0.062, 0.545, 0.055), pl_vec3_of(0.04, 0.13, 0.022));
    n[c].placement.rotation =
        pl_quat_from_rotation_vector(pl_vec3_of(-0.16, side * 0.3, -side * 0.17));
    c++;
  }
  n[c++] = combine(PL_SHAPE_UNION, 0.03, head, 5);
  n[c++] = combine(PL_SHAPE_UNION, 0.025, all, 4);
  return c;
}

#endif
