// Building the hierarchy of a surface: boxes, rings, and blocks of points that are close together.
#include "contact/surface_tree.h"

#include "math/lanes.h"

#include "base/context.h"
#include "base/error.h"

pl_vec3 pl_contact_surface_mean(const pl_contact_surface *surface, int32_t point, const pl_vec3 *particles) {
  const int32_t *parents = &surface->parents[4 * (size_t)point];
  const float *weights = &surface->weights[4 * (size_t)point];
  pl_vec3 sum = {0, 0, 0};
  double weight_sum = 0;
  for (int k = 0; k < 4; ++k) {
    sum = pl_vec3_add_scaled(sum, particles[parents[k]], (double)weights[k]);
    weight_sum += (double)weights[k];
  }
  return pl_vec3_scale(sum, 1 / weight_sum);
}

// Triangles around each point: count, offsets, fill.
static void fill_rings(const pl_contact_surface *surface, int32_t *ring_start, int32_t *ring) {
  for (int32_t i = 0; i < 3 * surface->triangle_count; ++i) ring_start[surface->triangles[i] + 1]++;
  for (int32_t i = 0; i < surface->point_count; ++i) ring_start[i + 1] += ring_start[i];
  // Filling moves each offset to its ring's end, which is the next ring's beginning: shifted back afterwards.
  for (int32_t i = 0; i < 3 * surface->triangle_count; ++i) ring[ring_start[surface->triangles[i]]++] = i / 3;
  for (int32_t i = surface->point_count; i > 0; --i) ring_start[i] = ring_start[i - 1];
  ring_start[0] = 0;
}

// Triangles around point u in which u is followed by v.
static int32_t count_directed(const pl_surface_tree *tree, int32_t u, int32_t v) {
  int32_t count = 0;
  for (int32_t r = tree->ring_start[u]; r < tree->ring_start[u + 1]; ++r) {
    const int32_t *corners = &tree->surface->triangles[3 * tree->ring[r]];
    for (int k = 0; k < 3; ++k) count += corners[k] == u && corners[(k + 1) % 3] == v;
  }
  return count;
}

static bool is_closed_surface(const pl_surface_tree *tree) {
  const pl_contact_surface *surface = tree->surface;
  for (int32_t t = 0; t < surface->triangle_count; ++t)
    for (int k = 0; k < 3; ++k) {
      int32_t u = surface->triangles[3 * t + k], v = surface->triangles[3 * t + (k + 1) % 3];
      if (count_directed(tree, u, v) != 1 || count_directed(tree, v, u) != 1) return false;
    }
  return surface->triangle_count > 0;
}

static bool has_corners(const int32_t *corners, int32_t u, int32_t v) {
  return (corners[0] == u || corners[1] == u || corners[2] == u) &&
         (corners[0] == v || corners[1] == v || corners[2] == v);
}

static int32_t opposite_corner(const int32_t *corners, int32_t u, int32_t v) {
  for (int k = 0; k < 3; ++k)
    if (corners[k] != u && corners[k] != v) return corners[k];
  return -1;
}

// The first two triangles around an edge, rising; -1 where there is none.
static void find_sides(const pl_surface_tree *tree, int32_t u, int32_t v, int32_t sides[2]) {
  sides[0] = sides[1] = -1;
  for (int32_t r = tree->ring_start[u]; r < tree->ring_start[u + 1] && sides[1] < 0; ++r) {
    int32_t triangle = tree->ring[r];
    if (triangle == sides[0] || !has_corners(&tree->surface->triangles[3 * triangle], u, v)) continue;
    sides[sides[0] < 0 ? 0 : 1] = triangle;
  }
}

// Every edge once: from the lowest triangle that has it.
static void fill_edges(pl_surface_tree *tree, pl_surface_edge *edges, int32_t *triangle_edges) {
  const int32_t *triangles = tree->surface->triangles;
  for (int32_t t = 0; t < tree->surface->triangle_count; ++t)
    for (int k = 0; k < 3; ++k) {
      int32_t u = triangles[3 * t + k], v = triangles[3 * t + (k + 1) % 3], sides[2];
      find_sides(tree, u, v, sides);
      if (sides[0] == t) {
        pl_surface_edge edge = {{u, v}, {t, sides[1]}, {triangles[3 * t + (k + 2) % 3], -1}, 0};
        if (sides[1] >= 0) edge.opposite[1] = opposite_corner(&triangles[3 * sides[1]], u, v);
        triangle_edges[3 * t + k] = tree->edge_count;
        edges[tree->edge_count++] = edge;
        continue;
      }
      const int32_t *first = &triangles[3 * sides[0]];
      for (int j = 0; j < 3; ++j)
        if (has_corners((const int32_t[3]){first[j], first[(j + 1) % 3], first[j]}, u, v))
          triangle_edges[3 * t + k] = triangle_edges[3 * sides[0] + j];
    }
}

// Where the triangle of each edge is among the leaves, and the edges in this order.
static void fill_leaves(const pl_surface_tree *tree, pl_surface_edge *edges, int32_t *edge_order, int32_t *leaf_edges) {
  int32_t count = 0;
  for (int32_t i = 0; i < tree->surface->triangle_count; ++i) {
    int32_t triangle = tree->boxes.order[i];
    leaf_edges[i] = count;
    for (int k = 0; k < 3; ++k) {
      pl_surface_edge *edge = &edges[tree->triangle_edges[3 * triangle + k]];
      if (edge->triangles[0] != triangle) continue;
      edge->leaf = i;
      edge_order[count++] = tree->triangle_edges[3 * triangle + k];
    }
  }
  leaf_edges[tree->surface->triangle_count] = count;
}

// Blocks of points are the largest nodes of a hierarchy over the points that are small enough.
static bool fill_blocks(pl_arena *arena, const pl_contact_surface *surface, const pl_vec3 *points,
                        pl_surface_tree *tree) {
  pl_arena temporary;
  pl_arena_init(&temporary, arena->context, 0);
  pl_box *boxes = PL_TAKE(&temporary, pl_box, surface->point_count);
  for (int32_t i = 0; i < surface->point_count && boxes != NULL; ++i) boxes[i] = (pl_box){points[i], points[i]};
  pl_box_tree over = {0};
  bool is_built = boxes != NULL && pl_box_tree_build(&temporary, boxes, surface->point_count, &over);
  if (is_built) {
    tree->point_order = pl_arena_copy(arena, over.order, (size_t)surface->point_count, sizeof(int32_t));
    int32_t *start = PL_TAKE(arena, int32_t, (int64_t)surface->point_count + 1);
    // In depth-first order, nodes below a block are those that begin before it ends.
    for (int32_t i = 0, done = 0; i < over.node_count && start != NULL; ++i) {
      const pl_box_node *node = &over.nodes[i];
      if (node->first < done || node->end - node->first > PL_SURFACE_BLOCK) continue;
      start[++tree->block_count] = done = node->end;
    }
    tree->block_start = start;
  }
  pl_arena_destroy(&temporary);
  return is_built && !arena->failed;
}

static bool is_particle(const pl_contact_surface *surface, int32_t point) {
  return surface->weights[4 * (size_t)point] == 1.0f;
}

// Blocks that are not full yet and may take a link.
enum { OPEN_BLOCKS = 16 };

static bool is_in_block(const int32_t *block, int32_t a, int32_t b) {
  for (int k = 0; k < 2 * LANES; ++k)
    if (block[k] == a || block[k] == b) return true;
  return false;
}

static bool is_full(const int32_t *block, int32_t none) {
  return block[LANES - 1] != none;
}

// Put a link into the first block from `first` on that has neither of its particles. There is always one: after the
// last comes an empty one.
static void add_link(int32_t *blocks, int32_t first, int32_t *count, int32_t none, const int32_t link[2]) {
  int32_t b = first;
  while (b < *count && (is_full(&blocks[2 * LANES * b], none) || is_in_block(&blocks[2 * LANES * b], link[0], link[1])))
    ++b;
  int32_t *block = &blocks[2 * LANES * b], lane = 0;
  if (b == *count) {
    for (int k = 0; k < 2 * LANES; ++k) block[k] = none;
    ++*count;
  }
  while (block[lane] != none) ++lane;
  block[lane] = link[0];
  block[LANES + lane] = link[1];
}

// Each edge of a closed surface has two triangles, which see it in opposite directions. Returns the number of blocks;
// `blocks` has room for one per edge.
static int32_t fill_links(const pl_contact_surface *surface, int32_t *blocks) {
  int32_t count = 0, none = surface->particle_count;
  for (int32_t i = 0; i < 3 * surface->triangle_count; ++i) {
    int32_t a = surface->triangles[i], b = surface->triangles[i % 3 == 2 ? i - 2 : i + 1];
    if (a >= b || !is_particle(surface, a) || !is_particle(surface, b)) continue;
    int32_t link[2] = {surface->parents[4 * (size_t)a], surface->parents[4 * (size_t)b]};
    add_link(blocks, count > OPEN_BLOCKS ? count - OPEN_BLOCKS : 0, &count, none, link);
  }
  return count;
}

// As many as triangles: each edge of a closed surface is a link for one of its two.
static int32_t count_max_links(const pl_contact_surface *surface, const int32_t *ring_start) {
  int32_t max = 1;
  for (int32_t i = 0; i < surface->point_count; ++i)
    if (ring_start[i + 1] - ring_start[i] > max) max = ring_start[i + 1] - ring_start[i];
  return max;
}

static double mean_edge(const pl_contact_surface *surface, const pl_vec3 *points) {
  double sum = 0;
  for (int32_t i = 0; i < 3 * surface->triangle_count; ++i) {
    int32_t next = i % 3 == 2 ? i - 2 : i + 1;
    sum += pl_vec3_distance(points[surface->triangles[i]], points[surface->triangles[next]]);
  }
  return surface->triangle_count > 0 ? sum / (3.0 * surface->triangle_count) : 0;
}

static bool take_links(pl_arena *arena, const pl_contact_surface *surface, pl_surface_tree *tree) {
  size_t edge_count = 3 * (size_t)surface->triangle_count;
  int32_t *blocks = pl_allocate_array(arena->context, 2 * LANES * edge_count, sizeof(int32_t));
  if (blocks == NULL) return false;
  tree->link_block_count = fill_links(surface, blocks);
  tree->link_blocks = pl_arena_copy(arena, blocks, 2 * LANES * (size_t)tree->link_block_count, sizeof(int32_t));
  pl_release(arena->context, blocks);
  return tree->link_blocks != NULL || tree->link_block_count == 0;
}

pl_status pl_surface_tree_build(pl_arena *arena, const pl_contact_surface *surface, const pl_vec3 *points,
                                pl_surface_tree *tree, pl_error *error) {
  int32_t count = surface->triangle_count;
  int32_t *ring_start = PL_TAKE(arena, int32_t, (int64_t)surface->point_count + 1);
  int32_t *ring = PL_TAKE(arena, int32_t, 3 * (int64_t)count);
  int32_t *triangle_edges = PL_TAKE(arena, int32_t, 3 * (int64_t)count);
  int32_t *edge_order = PL_TAKE(arena, int32_t, 3 * (int64_t)count);
  int32_t *leaf_edges = PL_TAKE(arena, int32_t, (int64_t)count + 1);
  pl_surface_edge *edges = PL_TAKE(arena, pl_surface_edge, 3 * (int64_t)count);
  pl_box *boxes = arena->failed ? NULL : pl_allocate_array(arena->context, (size_t)count, sizeof(pl_box));
  if (boxes == NULL) return pl_fail_memory(error);
  for (int32_t t = 0; t < count; ++t) {
    boxes[t] = pl_box_empty();
    for (int k = 0; k < 3; ++k) boxes[t] = pl_box_add_point(boxes[t], points[surface->triangles[3 * t + k]]);
  }
  pl_box_tree box_tree;
  bool is_built = pl_box_tree_build(arena, boxes, count, &box_tree);
  pl_release(arena->context, boxes);
  if (!is_built) return pl_fail_memory(error);

  fill_rings(surface, ring_start, ring);
  *tree = (pl_surface_tree){.surface = surface,
                            .boxes = box_tree,
                            .ring_start = ring_start,
                            .ring = ring,
                            .edges = edges,
                            .triangle_edges = triangle_edges,
                            .edge_order = edge_order,
                            .leaf_edges = leaf_edges,
                            .edge_length = mean_edge(surface, points)};
  tree->is_closed = is_closed_surface(tree);
  tree->max_links = count_max_links(surface, ring_start);
  if (!take_links(arena, surface, tree)) return pl_fail_memory(error);
  fill_edges(tree, edges, triangle_edges);
  fill_leaves(tree, edges, edge_order, leaf_edges);
  return fill_blocks(arena, surface, points, tree) ? PL_OK : pl_fail_memory(error);
}
