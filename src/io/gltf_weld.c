// Exporters split a vertex wherever its normal, texture coordinate or colour differs between triangles; a body needs it
// whole. Vertices are merged only when they are the same point at rest and in every pose: lips that touch at rest but
// open in a pose stay apart. Vertices of different nodes stay apart as well, because separate objects may touch without
// being one. Order: the first vertex of each point, as in the file.
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/hash.h"
#include "io/gltf_gather.h"

static uint64_t hash_vertex(const pl_gltf_soup *soup, int32_t vertex) {
  uint64_t hash = pl_hash_bytes(PL_HASH_START, &soup->piece_of_vertex[vertex], sizeof(int32_t));
  hash = pl_hash_bytes(hash, &soup->points[vertex], sizeof(pl_vec3));
  for (int32_t pose = 0; pose < soup->pose_count; ++pose)
    hash = pl_hash_bytes(hash, &soup->poses[pose][vertex], sizeof(pl_vec3));
  return hash;
}

static bool is_same(const pl_gltf_soup *soup, int32_t a, int32_t b) {
  if (soup->piece_of_vertex[a] != soup->piece_of_vertex[b]) return false;
  if (memcmp(&soup->points[a], &soup->points[b], sizeof(pl_vec3)) != 0) return false;
  for (int32_t pose = 0; pose < soup->pose_count; ++pose)
    if (memcmp(&soup->poses[pose][a], &soup->poses[pose][b], sizeof(pl_vec3)) != 0) return false;
  return true;
}

// The first vertex at each place, by a hash table of vertices (-1: free) with linear probing.
static void find_points(const pl_gltf_soup *soup, int32_t *table, size_t table_size, int32_t *point_of_source,
                        int32_t *first_of_point, int32_t *point_count) {
  memset(table, 0xFF, table_size * sizeof *table);
  *point_count = 0;
  for (int32_t vertex = 0; vertex < soup->vertex_count; ++vertex) {
    size_t slot = (size_t)hash_vertex(soup, vertex) & (table_size - 1);
    while (table[slot] >= 0 && !is_same(soup, first_of_point[table[slot]], vertex))
      slot = (slot + 1) & (table_size - 1);
    if (table[slot] < 0) {
      table[slot] = *point_count;
      first_of_point[(*point_count)++] = vertex;
    }
    point_of_source[vertex] = table[slot];
  }
}

// Seams of colours split vertices too, so the vertices of one point may differ.
pl_status pl_gltf_average_groups(const pl_gltf *gltf, pl_gltf_soup *soup, const int32_t *point_of_source,
                                 int32_t point_count) {
  if (soup->group_count == 0) return PL_OK;
  double *sums = pl_allocate_array(gltf->context, (size_t)point_count, 2 * sizeof *sums);
  if (sums == NULL) return pl_fail_memory(gltf->error);
  for (int32_t group = 0; group < soup->group_count; ++group) {
    memset(sums, 0, (size_t)point_count * 2 * sizeof *sums);
    for (int32_t i = 0; i < soup->vertex_count; ++i) {
      sums[2 * point_of_source[i]] += (double)soup->groups[group][i];
      sums[2 * point_of_source[i] + 1] += 1;
    }
    for (int32_t i = 0; i < point_count; ++i) soup->groups[group][i] = (float)(sums[2 * i] / sums[2 * i + 1]);
  }
  pl_release(gltf->context, sums);
  return PL_OK;
}

static void renumber(pl_vector *indices, const int32_t *point_of_source) {
  for (size_t i = 0; i < indices->count; ++i)
    PL_ITEM(indices, int32_t, i) = point_of_source[PL_ITEM(indices, int32_t, i)];
}

pl_status pl_gltf_weld(pl_gltf *gltf, pl_gltf_soup *soup, int32_t **point_of_source) {
  *point_of_source = NULL;
  size_t table_size = 16;
  while (table_size < 2 * (size_t)soup->vertex_count) table_size *= 2;
  int32_t *points = PL_TAKE(&gltf->arena, int32_t, soup->vertex_count);
  int32_t *first_of_point = PL_TAKE(&gltf->arena, int32_t, soup->vertex_count);
  int32_t *table =
      points == NULL || first_of_point == NULL ? NULL : pl_allocate(gltf->context, table_size * sizeof *table);
  if (table == NULL) return pl_fail_memory(gltf->error);
  int32_t point_count = 0;
  find_points(soup, table, table_size, points, first_of_point, &point_count);
  pl_release(gltf->context, table);
  if (point_count == soup->vertex_count) return PL_OK;

  pl_status status = pl_gltf_average_groups(gltf, soup, points, point_count);
  if (status < 0) return status;
  for (int32_t point = 0; point < point_count; ++point) {
    soup->points[point] = soup->points[first_of_point[point]];
    for (int32_t pose = 0; pose < soup->pose_count; ++pose)
      soup->poses[pose][point] = soup->poses[pose][first_of_point[point]];
  }
  renumber(&soup->segments, points);
  renumber(&soup->triangles, points);
  *point_of_source = points;
  soup->vertex_count = point_count;
  return PL_OK;
}
