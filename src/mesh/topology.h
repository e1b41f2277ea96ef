// Connectivity of a mesh: unique edges, rings of points, neighbours across faces, boundary,
// connected pieces.
//
// Everything is sorted and numbered in a fixed order that depends on the element list alone.
// Results are taken from the caller's arena; each function returns false when out of memory
// (nothing more to clean up than the arena). `corners` holds `width` point indices per element: 2
// segments, 3 triangles, 4 tets. Repeated corners within an element are allowed everywhere and
// count as no edge.
#ifndef PL_MESH_TOPOLOGY_H
#define PL_MESH_TOPOLOGY_H

#include "base/arena.h"
#include "pliant/mesh.h"

typedef struct pl_elements {
  const int32_t *corners;
  int32_t count, width;
} pl_elements;

// A table of rows of different length: row i is items[start[i] .. start[i + 1]).
typedef struct pl_rows {
  int32_t row_count;
  int32_t *start;  // row_count + 1
  int32_t *items;
} pl_rows;

// The elements of the highest dimension in a mesh: tets, else triangles, else segments (perhaps
// none).
pl_elements pl_elements_of_mesh(const pl_mesh_view *mesh);

// Order of `count` tuples of `width` keys in [0, key_count), by first key, then second, ...; equal
// tuples stay in their order. O(width (count + key_count)).
bool pl_tuples_sort(pl_arena *arena, const int32_t *keys, int32_t count, int32_t width,
                    int32_t key_count, int32_t **order);

// Each edge once, lower point first, in rising order: 2 points each.
bool pl_edges_find(pl_arena *arena, pl_elements elements, int32_t point_count, int32_t **edges,
                   int32_t *edge_count);

// Neighbours of each point along the edges, rising, the point itself not included.
bool pl_rings_find(pl_arena *arena, const int32_t *edges, int32_t edge_count, int32_t point_count,
                   pl_rows *rings);

// Rings one step wider: all points within one more edge, rising, the point itself not included.
// `first` are the 1-rings.
bool pl_rings_grow(pl_arena *arena, const pl_rows *rings, const pl_rows *first, pl_rows *wider);

// Elements at each point, rising.
bool pl_elements_of_points(pl_arena *arena, pl_elements elements, int32_t point_count,
                           pl_rows *rows);

// Faces of tets that have one tet only, outward (for tets of positive volume), in the order tet,
// then face (opposite corner 0, 1, 2, 3). `tet_of_triangle` may be NULL.
bool pl_tets_boundary(pl_arena *arena, const int32_t *tets, int32_t tet_count, int32_t point_count,
                      int32_t **triangles, int32_t *triangle_count, int32_t **tet_of_triangle);

// Neighbour across the side opposite to each corner, -1 for none; `width` entries per element (3 or
// 4). Where more than two elements share a side, none of them has a neighbour there.
bool pl_neighbours_find(pl_arena *arena, pl_elements elements, int32_t point_count,
                        int32_t **neighbours);

// Connected pieces, numbered by their lowest point; -1 for points of no element.
bool pl_components_find(pl_arena *arena, pl_elements elements, int32_t point_count,
                        int32_t **component_of_point, int32_t *component_count);

// For each point the lowest point at exactly the same position (itself if there is none).
bool pl_points_weld(pl_arena *arena, const pl_vec3 *points, int32_t point_count,
                    int32_t **first_of_point);

// The number of the edge between p and q in what pl_edges_find() gives; there must be one.
int32_t pl_edges_index_of(const int32_t *edges, int32_t count, int32_t p, int32_t q);

#endif
