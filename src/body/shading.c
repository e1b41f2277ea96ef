// Which corners of triangles share a normal.
//
// A normal is the sum of the unit normals of some triangles, each weighted by its angle at the corner (Thürmer and
// Wüthrich 1998). The angles are those of the rest shape: a flat face shades the same however it is cut into triangles,
// and no angle is computed per frame.
//
// Corners at one position of the rest shape form groups. They are joined across every edge that is not hard, an edge
// being two positions, not two points: the sides of a seam have points of their own at the same positions. A point
// whose corners belong to several groups becomes several vertices.
#include "body/shading.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/error.h"
#include "body/shading_parameters.h"
#include "mesh/simplex.h"
#include "pliant/math.h"

// Points closer than this fraction of the surface's size coincide.
static const double WELD = 1e-6;
// Given normals that agree to this cosine are the same: half a degree, more than files round off.
static const double SAME_NORMAL = 0.99996;

typedef struct edge {
  int32_t low, high;        // positions
  int32_t at_low, at_high;  // the triangle's corners there
} edge;

typedef struct sorted_point {
  double along;
  int32_t point;
} sorted_point;

// Temporary arrays of a build.
typedef struct build {
  const pl_contact_surface *surface;
  pl_vec3 *rest;      // surface points of the rest shape
  int32_t *position;  // of each point: the lowest point that coincides with it
  pl_vec3 *normals;   // of each triangle
  int32_t *parent;    // of each corner, towards the root of its group
  edge *edges;        // 3 per triangle
  sorted_point *order;
} build;

pl_shading_def pl_default_shading_def(void) {
  pl_shading_def def = {0};
  pl_parameters_set_defaults(&pl_shading_def_parameters, &def);
  return def;
}

// --- groups as trees; the root is the lowest member

static int32_t root_of(int32_t *parent, int32_t item) {
  while (parent[item] != item) item = parent[item] = parent[parent[item]];
  return item;
}

static void join(int32_t *parent, int32_t a, int32_t b) {
  a = root_of(parent, a);
  b = root_of(parent, b);
  if (a < b)
    parent[b] = a;
  else
    parent[a] = b;
}

// --- the rest shape

static pl_status fill_rest(pl_arena *arena, const pl_model *model, pl_vec3 *rest, pl_error *error) {
  int32_t count = model->surface.point_count;
  if (model->surface.rest_points != NULL) {
    for (int32_t i = 0; i < count; ++i) rest[i] = model->surface.rest_points[i];
    return PL_OK;
  }
  // The surface of a body as it starts.
  void *state = pl_arena_take(arena, 1, model->method->state_size(model));
  if (state == NULL) return pl_fail_memory(error);
  pl_body_start start = {.placement = pl_transform_identity()};
  model->method->start(model, state, &start);
  model->method->get_surface(model, state, rest);
  return PL_OK;
}

static double coordinate(pl_vec3 p, int axis) {
  return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static int compare_points(const void *a, const void *b) {
  const sorted_point *p = a, *q = b;
  if (p->along != q->along) return p->along < q->along ? -1 : 1;
  return (p->point > q->point) - (p->point < q->point);
}

// Points sorted along the longest axis: those that coincide are near each other in that order.
static void weld(const build *b) {
  int32_t count = b->surface->point_count;
  pl_box box = pl_box_from_points(b->rest, count);
  pl_vec3 size = pl_vec3_sub(box.max, box.min);
  int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  double near = WELD * pl_vec3_length(size);
  for (int32_t i = 0; i < count; ++i) {
    b->order[i] = (sorted_point){coordinate(b->rest[i], axis), i};
    b->position[i] = i;
  }
  qsort(b->order, (size_t)count, sizeof(sorted_point), compare_points);
  for (int32_t i = 0; i < count; ++i)
    for (int32_t k = i + 1; k < count && b->order[k].along - b->order[i].along <= near; ++k)
      if (pl_vec3_distance(b->rest[b->order[i].point], b->rest[b->order[k].point]) <= near)
        join(b->position, b->order[i].point, b->order[k].point);
  for (int32_t i = 0; i < count; ++i) b->position[i] = root_of(b->position, i);
}

// --- groups

static int compare_edges(const void *a, const void *b) {
  const edge *p = a, *q = b;
  if (p->low != q->low) return p->low < q->low ? -1 : 1;
  if (p->high != q->high) return p->high < q->high ? -1 : 1;
  return (p->at_low > q->at_low) - (p->at_low < q->at_low);
}

static bool is_smooth(const build *b, const edge *p, const edge *q, double min_cosine) {
  pl_vec3 m = b->normals[p->at_low / 3], n = b->normals[q->at_low / 3];
  // A triangle without area has no say.
  if (pl_vec3_dot(m, m) == 0 || pl_vec3_dot(n, n) == 0) return true;
  return pl_vec3_dot(m, n) >= min_cosine;
}

static void join_across_edges(const build *b, double crease_angle) {
  int32_t count = 3 * b->surface->triangle_count;
  double min_cosine = cos(crease_angle) - 1e-12;
  for (int32_t i = 0; i < count; ++i) {
    int32_t next = i % 3 == 2 ? i - 2 : i + 1;
    int32_t u = b->position[b->surface->triangles[i]], v = b->position[b->surface->triangles[next]];
    b->edges[i] = u < v ? (edge){u, v, i, next} : (edge){v, u, next, i};
  }
  qsort(b->edges, (size_t)count, sizeof(edge), compare_edges);
  for (int32_t i = 0; i < count; ++i)
    for (int32_t k = i + 1; k < count && b->edges[k].low == b->edges[i].low && b->edges[k].high == b->edges[i].high;
         ++k) {
      if (!is_smooth(b, &b->edges[i], &b->edges[k], min_cosine)) continue;
      join(b->parent, b->edges[i].at_low, b->edges[k].at_low);
      join(b->parent, b->edges[i].at_high, b->edges[k].at_high);
    }
}

// All corners of points that coincide and, where normals are given, agree.
static void join_points(const build *b, const pl_vec3 *given) {
  int32_t point_count = b->surface->point_count, count = 3 * b->surface->triangle_count;
  // A corner of each point; the points of a position follow each other when sorted by it.
  for (int32_t i = 0; i < point_count; ++i) b->order[i] = (sorted_point){(double)b->position[i], i};
  qsort(b->order, (size_t)point_count, sizeof(sorted_point), compare_points);
  int32_t *corner_of = (int32_t *)(void *)b->edges;
  for (int32_t i = 0; i < point_count; ++i) corner_of[i] = -1;
  for (int32_t i = 0; i < count; ++i) {
    int32_t point = b->surface->triangles[i];
    if (corner_of[point] < 0) corner_of[point] = i;
    join(b->parent, corner_of[point], i);
  }
  for (int32_t i = 0; i < point_count; ++i)
    for (int32_t k = i + 1; k < point_count && b->order[k].along == b->order[i].along; ++k) {
      int32_t p = b->order[i].point, q = b->order[k].point;
      bool is_same = given == NULL || pl_vec3_dot(given[p], given[q]) >=
                                          SAME_NORMAL * pl_vec3_length(given[p]) * pl_vec3_length(given[q]);
      if (is_same && corner_of[p] >= 0 && corner_of[q] >= 0) join(b->parent, corner_of[p], corner_of[q]);
    }
}

static double angle_at(const build *b, int32_t corner) {
  const int32_t *t = &b->surface->triangles[corner - corner % 3];
  pl_vec3 p = b->rest[t[corner % 3]];
  pl_vec3 u = pl_vec3_sub(b->rest[t[(corner + 1) % 3]], p), v = pl_vec3_sub(b->rest[t[(corner + 2) % 3]], p);
  return atan2(pl_vec3_length(pl_vec3_cross(u, v)), pl_vec3_dot(u, v));
}

// Number the groups in the order of their roots and list their corners. `number` maps roots to groups.
static void list_corners(const build *b, pl_shading *shading, int32_t *number) {
  int32_t count = 3 * b->surface->triangle_count, group_count = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (root_of(b->parent, i) == i) number[i] = group_count++;
    shading->corner_start[number[root_of(b->parent, i)] + 1]++;
  }
  for (int32_t g = 0; g < group_count; ++g) shading->corner_start[g + 1] += shading->corner_start[g];
  // Filling moves each start to its group's end, which is the next group's start: shifted back afterwards.
  for (int32_t i = 0; i < count; ++i)
    shading->corners[shading->corner_start[number[root_of(b->parent, i)]]++] =
        (pl_shading_corner){i / 3, (float)angle_at(b, i)};
  for (int32_t g = group_count; g > 0; --g) shading->corner_start[g] = shading->corner_start[g - 1];
  shading->corner_start[0] = 0;
}

// A vertex for each pair of point and group. `next` chains the vertices of a point.
static void list_vertices(const build *b, pl_shading *shading, const int32_t *number, int32_t *next) {
  int32_t point_count = b->surface->point_count, count = 3 * b->surface->triangle_count;
  shading->vertex_count = point_count;
  for (int32_t i = 0; i < point_count; ++i) {
    shading->point_of_vertex[i] = i;
    shading->group_of_vertex[i] = next[i] = -1;
  }
  for (int32_t i = 0; i < count; ++i) {
    int32_t vertex = b->surface->triangles[i], group = number[root_of(b->parent, i)];
    if (shading->group_of_vertex[vertex] < 0) shading->group_of_vertex[vertex] = group;
    while (shading->group_of_vertex[vertex] != group) {
      if (next[vertex] < 0) {
        int32_t added = shading->vertex_count++;
        shading->point_of_vertex[added] = b->surface->triangles[i];
        shading->group_of_vertex[added] = group;
        next[added] = -1;
        next[vertex] = added;
      }
      vertex = next[vertex];
    }
    shading->triangles[i] = vertex;
  }
}

// --- building

static pl_status fill(pl_arena *temporary, const pl_shading_def *def, pl_shading *shading, pl_error *error) {
  const pl_contact_surface *surface = &shading->model->surface;
  int32_t point_count = surface->point_count, triangle_count = surface->triangle_count;
  size_t corner_count = 3 * (size_t)triangle_count, max_vertex_count = corner_count + (size_t)point_count;
  build b = {.surface = surface,
             .rest = PL_TAKE(temporary, pl_vec3, point_count),
             .position = PL_TAKE(temporary, int32_t, point_count),
             .normals = PL_TAKE(temporary, pl_vec3, triangle_count),
             .parent = PL_TAKE(temporary, int32_t, corner_count),
             .edges = PL_TAKE(temporary, edge, max_vertex_count),
             .order = PL_TAKE(temporary, sorted_point, point_count)};
  int32_t *number = PL_TAKE(temporary, int32_t, corner_count), *next = PL_TAKE(temporary, int32_t, max_vertex_count);
  pl_arena *arena = &shading->arena;
  shading->point_of_vertex = PL_TAKE(arena, int32_t, max_vertex_count);
  shading->group_of_vertex = PL_TAKE(arena, int32_t, max_vertex_count);
  shading->triangles = PL_TAKE(arena, int32_t, corner_count);
  shading->corner_start = PL_TAKE(arena, int32_t, corner_count + 1);
  shading->corners = PL_TAKE(arena, pl_shading_corner, corner_count);
  if (temporary->failed || arena->failed) return pl_fail_memory(error);
  pl_status status = fill_rest(temporary, shading->model, b.rest, error);
  if (status < 0) return status;

  weld(&b);
  for (int32_t t = 0; t < triangle_count; ++t) {
    const int32_t *c = &surface->triangles[3 * t];
    b.normals[t] = pl_triangle_normal(b.rest[c[0]], b.rest[c[1]], b.rest[c[2]]);
  }
  for (int32_t i = 0; i < 3 * triangle_count; ++i) b.parent[i] = i;
  if (def->normals == NULL && def->crease_angle < PL_PI)
    join_across_edges(&b, def->crease_angle);
  else
    join_points(&b, def->normals);
  list_corners(&b, shading, number);
  list_vertices(&b, shading, number, next);
  return PL_OK;
}

pl_status pl_shading_build(pl_context *context, const pl_shading_def *def, const pl_model *model, pl_shading **shading,
                           pl_error *error) {
  *shading = NULL;
  pl_status status = pl_parameters_check(&pl_shading_def_parameters, def, error);
  if (status < 0) return status;
  pl_arena arena, temporary;
  pl_arena_init(&arena, context, 0);
  pl_shading *made = PL_TAKE(&arena, pl_shading, 1);
  if (made == NULL) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  made->arena = arena;
  made->model = model;
  pl_arena_init(&temporary, context, 0);
  status = fill(&temporary, def, made, error);
  pl_arena_destroy(&temporary);
  if (status < 0) {
    pl_shading_destroy(made);
    return status;
  }
  *shading = made;
  return PL_OK;
}

void pl_shading_destroy(pl_shading *shading) {
  if (shading == NULL) return;
  pl_arena arena = shading->arena;
  pl_arena_destroy(&arena);
}

pl_shading_view pl_shading_get_view(const pl_shading *shading) {
  return (pl_shading_view){shading->vertex_count, shading->point_of_vertex, shading->model->surface.triangle_count,
                           shading->triangles};
}
