// Unpacking by the library Draco, which has no interface for C. The only file in C++: everything that the library
// throws or returns ends here.
#include "io/gltf_draco.h"

#include <draco/compression/decode.h>

#include <cstring>
#include <memory>
#include <utility>

struct pl_draco_mesh {
  std::unique_ptr<draco::Mesh> mesh;
};

bool pl_draco_is_there(void) {
  return true;
}

pl_draco_mesh *pl_draco_open(const void *bytes, size_t size) {
  try {
    draco::DecoderBuffer buffer;
    buffer.Init(static_cast<const char *>(bytes), size);
    draco::Decoder decoder;
    auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
    if (!decoded.ok()) return nullptr;
    return new pl_draco_mesh{std::move(decoded).value()};
  } catch (...) {
    return nullptr;
  }
}

void pl_draco_close(pl_draco_mesh *mesh) {
  delete mesh;
}

int64_t pl_draco_point_count(const pl_draco_mesh *mesh) {
  return mesh->mesh->num_points();
}

int64_t pl_draco_triangle_count(const pl_draco_mesh *mesh) {
  return mesh->mesh->num_faces();
}

uint32_t pl_draco_corner(const pl_draco_mesh *mesh, int64_t triangle, int corner) {
  return mesh->mesh->face(draco::FaceIndex(static_cast<uint32_t>(triangle)))[corner].value();
}

namespace {

template <typename T>
bool read_values(const draco::Mesh &mesh, const draco::PointAttribute &from, const pl_draco_attribute &attribute,
                 unsigned char *to) {
  T values[4] = {0, 0, 0, 0};
  for (draco::PointIndex i(0); i < mesh.num_points(); ++i) {
    const draco::AttributeValueIndex value = from.mapped_index(i);
    if (value.value() >= from.size()) return false;
    if (!from.ConvertValue<T>(value, static_cast<int8_t>(attribute.component_count), values)) return false;
    memcpy(to + i.value() * attribute.stride, values, static_cast<size_t>(attribute.component_count) * sizeof(T));
  }
  return true;
}

}  // namespace

bool pl_draco_read_attribute(const pl_draco_mesh *mesh, const pl_draco_attribute *attribute, unsigned char *to) {
  const draco::PointAttribute *from = mesh->mesh->GetAttributeByUniqueId(attribute->id);
  if (from == nullptr || from->num_components() < attribute->component_count || attribute->component_count > 4)
    return false;
  switch (attribute->component_type) {
    case 5120: return read_values<int8_t>(*mesh->mesh, *from, *attribute, to);
    case 5121: return read_values<uint8_t>(*mesh->mesh, *from, *attribute, to);
    case 5122: return read_values<int16_t>(*mesh->mesh, *from, *attribute, to);
    case 5123: return read_values<uint16_t>(*mesh->mesh, *from, *attribute, to);
    case 5125: return read_values<uint32_t>(*mesh->mesh, *from, *attribute, to);
    case 5126: return read_values<float>(*mesh->mesh, *from, *attribute, to);
    default: return false;
  }
}
