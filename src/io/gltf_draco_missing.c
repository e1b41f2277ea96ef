// Instead of gltf_draco.cpp in builds without Draco.
#include "io/gltf_draco.h"

bool pl_draco_is_there(void) {
  return false;
}

pl_draco_mesh *pl_draco_open(const void *bytes, size_t size) {
  (void)bytes;
  (void)size;
  return NULL;
}

void pl_draco_close(pl_draco_mesh *mesh) {
  (void)mesh;
}

int64_t pl_draco_point_count(const pl_draco_mesh *mesh) {
  (void)mesh;
  return 0;
}

int64_t pl_draco_triangle_count(const pl_draco_mesh *mesh) {
  (void)mesh;
  return 0;
}

bool pl_draco_read_attribute(const pl_draco_mesh *mesh, const pl_draco_attribute *attribute, unsigned char *to) {
  (void)mesh;
  (void)attribute;
  (void)to;
  return false;
}

uint32_t pl_draco_corner(const pl_draco_mesh *mesh, int64_t triangle, int corner) {
  (void)mesh;
  (void)triangle;
  (void)corner;
  return 0;
}
