// Which meshes of a glTF file are shown, and where.
#ifndef PL_IO_GLTF_SCENE_H
#define PL_IO_GLTF_SCENE_H

#include "io/gltf_document.h"
#include "pliant/math.h"

// A mesh placed by a node: point -> linear * point + offset. The node of a skinned mesh does not
// place it; its skeleton does, where all joints agree.
typedef struct pl_gltf_instance {
  const pl_json *mesh;
  const pl_json *node;  // NULL without nodes
  pl_mat3 node_linear;  // the placement of the node itself
  pl_vec3 node_offset;
  pl_mat3 linear;
  pl_vec3 offset;
} pl_gltf_instance;

// The meshes of the default scene in the order of their nodes in the file; without scenes those of
// all nodes, without nodes all meshes as they are. The array belongs to the gltf's arena.
pl_status pl_gltf_list_instances(pl_gltf *gltf, pl_gltf_instance **instances,
                                 int32_t *instance_count);

#endif
