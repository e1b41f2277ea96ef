// All placed meshes of a glTF file as one set of vertices, poses and elements.
#ifndef PL_IO_GLTF_GATHER_H
#define PL_IO_GLTF_GATHER_H

#include "io/gltf_scene.h"
#include "pliant/mesh.h"

// Vertices that one primitive of an instance has for itself.
typedef struct pl_gltf_part {
  const pl_json *primitive;
  int32_t instance;  // number
  int32_t vertex_start, vertex_count;
  int32_t target_count;
  const int32_t *pose_of_target;
} pl_gltf_part;

// What the file holds, vertex by vertex in the order of the file. Arrays belong to the gltf's
// arena, except the two vectors.
typedef struct pl_gltf_soup {
  int32_t vertex_count;
  pl_vec3 *points;
  int32_t *piece_of_vertex;  // number of the instance that the vertex belongs to
  int32_t pose_count;
  const char **pose_names;
  pl_vec3 **poses;  // positions of all vertices, per pose
  int32_t group_count;
  const char **group_names;
  float **groups;  // weights of all vertices, per group
  int32_t part_count;
  const pl_gltf_part *parts;
  const int32_t *part_of_primitive;  // of every primitive, instance after instance
  pl_vector segments;                // of int32_t, 2 a segment
  pl_vector triangles;               // of int32_t, 3 a triangle
} pl_gltf_soup;

// Fill `soup`; free it with pl_gltf_soup_free() whatever the outcome.
pl_status pl_gltf_gather(pl_gltf *gltf, pl_gltf_soup *soup);

// The same for instances of the caller's choice. `attributes` (may be NULL) lists, up to a NULL,
// further vertex attributes that the caller reads: primitives that differ in one of them get
// vertices of their own.
pl_status pl_gltf_gather_instances(pl_gltf *gltf, const pl_gltf_instance *instances,
                                   int32_t instance_count, const char *const *attributes,
                                   pl_gltf_soup *soup);
void pl_gltf_soup_free(pl_gltf_soup *soup);

// Read colours and attributes of an application's own (`_NAME`) into the groups of what was
// gathered (gltf_groups.c): `color.red` … of COLOR_0, `color_1.red` … of COLOR_1, NAME of a scalar
// `_NAME`. Vertices of primitives without one weigh 0. A group with values outside 0 … 1 is left
// out with a warning.
pl_status pl_gltf_read_groups(pl_gltf *gltf, pl_gltf_soup *soup);

// Whether an attribute holds the vertex of the modelling program that each vertex is: _VERTEX_ID or
// __VERTEX_ID.
bool pl_gltf_is_vertex_id(const char *attribute);

// Merge vertices of one piece that are the same point at rest and in all poses, as they are along
// seams of normals and texture coordinates. Points and poses are compacted in place, elements
// renumbered; a point weighs in a group what its vertices weigh on average. `point_of_source` gets
// the point of each former vertex, or NULL where there was nothing to merge.
pl_status pl_gltf_weld(pl_gltf *gltf, pl_gltf_soup *soup, int32_t **point_of_source);

// In each group, the average over the vertices of every point takes the place of their weights.
pl_status pl_gltf_average_groups(const pl_gltf *gltf, pl_gltf_soup *soup,
                                 const int32_t *point_of_source, int32_t point_count);

// Numbers of the vertices in the modelling program (gltf_ids.c). Arrays belong to the gltf's arena.
typedef struct pl_gltf_ids {
  int32_t count;          // of different numbers; 0: the file has none that can be used
  int32_t *id_of_vertex;  // NULL without numbers
  int32_t *vertex_of_id;  // the first vertex of each
} pl_gltf_ids;

// Read them, before vertices are merged. What makes them useless is a warning.
pl_status pl_gltf_read_ids(pl_gltf *gltf, const pl_gltf_soup *soup, pl_gltf_ids *ids);

// Make each number one point, in their order, instead of merging.
pl_status pl_gltf_order_by_ids(pl_gltf *gltf, pl_gltf_soup *soup, const pl_gltf_ids *ids);

// A mesh of what was gathered; `point_of_source` is NULL where nothing was merged.
pl_status pl_gltf_create_mesh(pl_gltf *gltf, const pl_gltf_soup *soup,
                              const int32_t *point_of_source, int32_t source_count, pl_mesh **mesh);

#endif
