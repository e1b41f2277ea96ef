// Normals and tangents of a glTF file carried along with its vertices.
#ifndef PL_IO_GLTF_NORMALS_H
#define PL_IO_GLTF_NORMALS_H

#include "io/gltf_gather.h"

// Arrays belong to the gltf's arena.
typedef struct pl_gltf_normals {
  int32_t vertex_count;
  const bool *has_normals, *has_tangents;  // per part of the soup
  pl_vec3 *normals, *tangents;  // of all vertices, in the world; zero where a part has none
  double *handedness;           // of tangents, 1 or -1
  // How they are carried along: vertices that are smooth across a seam have one normal of the
  // surface, which turns them.
  int32_t smooth_count, triangle_count;
  int32_t *smooth_of_vertex, *vertex_of_smooth;
  int32_t *edge_of_smooth;  // the smooth vertex at the other end of some edge, -1 for none
  int32_t *triangles;       // of smooth vertices
  pl_vec3 *normals_in_frame, *tangents_in_frame;  // per vertex
  pl_vec3 *smooth_points, *smooth_normals;        // workspace
} pl_gltf_normals;

// Read the normals and tangents of what was gathered, before vertices are merged; `point_of_vertex`
// says which of them are one point.
pl_status pl_gltf_normals_read(pl_gltf *gltf, const pl_gltf_soup *soup,
                               const pl_gltf_instance *instances, const int32_t *point_of_vertex,
                               pl_gltf_normals *normals);

// Set `normals` and `tangents` for vertices at `points`.
void pl_gltf_normals_carry(pl_gltf_normals *normals, const pl_vec3 *points);

#endif
