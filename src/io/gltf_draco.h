// Meshes compressed by Draco (KHR_draco_mesh_compression), an option of the build.
#ifndef PL_IO_GLTF_DRACO_H
#define PL_IO_GLTF_DRACO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether this build can unpack them.
bool pl_draco_is_there(void);

// A mesh that was unpacked.
typedef struct pl_draco_mesh pl_draco_mesh;

// Unpack a mesh; NULL when the bytes are damaged, of a newer version, or need more memory than
// there is.
pl_draco_mesh *pl_draco_open(const void *bytes, size_t size);
void pl_draco_close(pl_draco_mesh *mesh);

int64_t pl_draco_point_count(const pl_draco_mesh *mesh);
int64_t pl_draco_triangle_count(const pl_draco_mesh *mesh);

// Values of the attribute with this unique id, one element per point every `stride` bytes:
// `component_count` numbers of a glTF component type. False for an attribute that is not there or
// has fewer components.
typedef struct pl_draco_attribute {
  uint32_t id;
  int32_t component_type, component_count;
  size_t stride;
} pl_draco_attribute;
bool pl_draco_read_attribute(const pl_draco_mesh *mesh, const pl_draco_attribute *attribute,
                             unsigned char *to);

// Corner `corner` (0 to 2) of a triangle.
uint32_t pl_draco_corner(const pl_draco_mesh *mesh, int64_t triangle, int corner);

#ifdef __cplusplus
}
#endif
#endif
