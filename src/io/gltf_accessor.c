// Numbers out of glTF accessors: a typed window into a buffer view, possibly interleaved with others (byteStride),
// possibly with single elements replaced (sparse), possibly with nothing but those (no bufferView: zeros).
#include <string.h>

#include "base/error.h"
#include "io/gltf_document.h"

enum {
  TYPE_BYTE = 5120,
  TYPE_UBYTE = 5121,
  TYPE_SHORT = 5122,
  TYPE_USHORT = 5123,
  TYPE_UINT = 5125,
  TYPE_FLOAT = 5126
};

static size_t component_size(int64_t type) {
  switch (type) {
    case TYPE_BYTE:
    case TYPE_UBYTE: return 1;
    case TYPE_SHORT:
    case TYPE_USHORT: return 2;
    case TYPE_UINT:
    case TYPE_FLOAT: return 4;
    default: return 0;
  }
}

typedef struct byte_window {
  const unsigned char *data;
  uint64_t size, stride;  // stride 0: tightly packed
} byte_window;

// The bytes of the buffer view that `holder.bufferView` names, from `holder.byteOffset` on.
static pl_status open_view(pl_gltf *gltf, const pl_json *holder, byte_window *window) {
  const pl_json *reference = pl_json_find(holder, "bufferView"), *view = NULL;
  if (reference == NULL)
    return pl_json_fail(gltf->document, holder, gltf->error, PL_ERROR_INVALID_DATA, "bufferView is missing");
  pl_gltf_bytes bytes = {0};
  pl_status status = pl_gltf_item(gltf, reference, "bufferViews", &view);
  if (status >= 0) status = pl_gltf_load_view(gltf, view, &bytes);
  int64_t stride = 0, inner = 0;
  if (status >= 0) status = pl_gltf_integer(gltf, view, "byteStride", 0, 65536, &stride);
  if (status >= 0) status = pl_gltf_integer(gltf, holder, "byteOffset", 0, INT64_C(1) << 53, &inner);
  if (status < 0) return status;
  if ((uint64_t)inner > bytes.size)
    return pl_json_fail(gltf->document, holder, gltf->error, PL_ERROR_INVALID_DATA,
                        "byteOffset %lld lies outside a view of %zu bytes", (long long)inner, bytes.size);
  *window = (byte_window){bytes.data + inner, bytes.size - (uint64_t)inner, (uint64_t)stride};
  return PL_OK;
}

// That `count` elements of `size` bytes fit into the window.
static pl_status check_fit(const pl_gltf *gltf, const pl_json *json_node, byte_window *window, int64_t count,
                           size_t size) {
  if (window->stride == 0) window->stride = size;
  if (window->stride < size)
    return pl_json_fail(gltf->document, json_node, gltf->error, PL_ERROR_INVALID_DATA,
                        "byteStride %llu is less than the %zu bytes of an element", (unsigned long long)window->stride,
                        size);
  // At most 2^31 elements of at most 2^16 bytes: no overflow.
  uint64_t needed = count == 0 ? 0 : (uint64_t)(count - 1) * window->stride + size;
  if (needed > window->size)
    return pl_json_fail(
        gltf->document, json_node, gltf->error, PL_ERROR_INVALID_DATA,
        "%lld elements need %llu bytes, but there are %llu: the file is cut off or its counts are wrong",
        (long long)count, (unsigned long long)needed, (unsigned long long)window->size);
  return PL_OK;
}

static pl_status open_sparse(pl_gltf *gltf, const pl_json *sparse, size_t element_size, pl_gltf_accessor *accessor) {
  int64_t count = 0, type = 0;
  pl_status status = pl_gltf_integer(gltf, sparse, "count", 1, accessor->count, &count);
  const pl_json *indices = pl_json_find(sparse, "indices"), *values = pl_json_find(sparse, "values");
  if (status >= 0) status = pl_gltf_integer(gltf, indices, "componentType", TYPE_UBYTE, TYPE_UINT, &type);
  if (status < 0) return status;
  bool index_type = type == TYPE_UBYTE || type == TYPE_USHORT || type == TYPE_UINT;
  if (count == 0 || indices == NULL || values == NULL || !index_type)
    return pl_json_fail(gltf->document, sparse, gltf->error, PL_ERROR_INVALID_DATA,
                        "sparse needs a count, indices of an unsigned type, and values");
  byte_window window;
  status = open_view(gltf, indices, &window);
  window.stride = 0;
  if (status >= 0) status = check_fit(gltf, indices, &window, count, component_size(type));
  if (status < 0) return status;
  accessor->sparse_indices = window.data;
  status = open_view(gltf, values, &window);
  window.stride = 0;
  if (status >= 0) status = check_fit(gltf, values, &window, count, element_size);
  if (status < 0) return status;
  accessor->sparse_values = window.data;
  accessor->sparse_index_type = (int32_t)type;
  accessor->sparse_count = (int32_t)count;
  return PL_OK;
}

static pl_status open_typed(pl_gltf *gltf, const pl_json *reference, bool matrices, pl_gltf_accessor *accessor) {
  static const char *const types[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
  *accessor = (pl_gltf_accessor){0};
  const pl_json *json = NULL;
  pl_status status = pl_gltf_item(gltf, reference, "accessors", &json);
  int64_t component_type = 0, count = 0;
  if (status >= 0) status = pl_gltf_integer(gltf, json, "componentType", TYPE_BYTE, TYPE_FLOAT, &component_type);
  if (status >= 0) status = pl_gltf_integer(gltf, json, "count", 1, INT32_MAX, &count);
  if (status < 0) return status;
  accessor->json = json;
  accessor->count = (int32_t)count;
  accessor->component_type = (int32_t)component_type;
  const pl_json *type = pl_json_find(json, "type");
  for (int32_t i = 0; i < 4; ++i)
    if (!matrices && pl_json_is_text(type, types[i])) accessor->component_count = i + 1;
  // Columns of small integers would be padded to four bytes; the standard has matrices of floats only.
  if (matrices && pl_json_is_text(type, "MAT4") && component_type == TYPE_FLOAT) accessor->component_count = 16;
  size_t element_size = component_size(component_type) * (size_t)accessor->component_count;
  if (element_size == 0 || count == 0)
    return pl_json_fail(gltf->document, json, gltf->error, PL_ERROR_INVALID_DATA,
                        matrices ? "matrices need a count, the componentType 5126 and the type MAT4"
                                 : "an accessor needs a count, a componentType and a type SCALAR, VEC2, VEC3 or VEC4");
  pl_json_get_bool(pl_json_find(json, "normalized"), &accessor->normalized);
  if (pl_json_find(json, "bufferView") != NULL) {
    byte_window window;
    status = open_view(gltf, json, &window);
    if (status >= 0) status = check_fit(gltf, json, &window, count, element_size);
    if (status < 0) return status;
    accessor->data = window.data;
    accessor->stride = (size_t)window.stride;
  }
  const pl_json *sparse = pl_json_find(json, "sparse");
  return sparse == NULL ? PL_OK : open_sparse(gltf, sparse, element_size, accessor);
}

pl_status pl_gltf_open_accessor(pl_gltf *gltf, const pl_json *reference, pl_gltf_accessor *accessor) {
  return open_typed(gltf, reference, false, accessor);
}

pl_status pl_gltf_open_matrices(pl_gltf *gltf, const pl_json *reference, pl_gltf_accessor *accessor) {
  return open_typed(gltf, reference, true, accessor);
}

static uint32_t read_unsigned(const unsigned char *bytes, size_t size) {
  uint32_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= (uint32_t)bytes[i] << (8 * i);
  return value;
}

static double read_component(const unsigned char *bytes, int32_t type, bool normalized) {
  uint32_t bits = read_unsigned(bytes, component_size(type));
  double value = 0;
  switch (type) {
    case TYPE_BYTE: value = (int8_t)bits; return !normalized ? value : value < -127 ? -1 : value / 127;
    case TYPE_UBYTE: value = bits; return !normalized ? value : value / 255;
    case TYPE_SHORT: value = (int16_t)bits; return !normalized ? value : value < -32767 ? -1 : value / 32767;
    case TYPE_USHORT: value = bits; return !normalized ? value : value / 65535;
    case TYPE_FLOAT: {
      float single;
      memcpy(&single, &bits, sizeof single);
      return (double)single;
    }
    default: return bits;
  }
}

static void read_element(const pl_gltf_accessor *accessor, const unsigned char *bytes, double *values) {
  size_t size = component_size(accessor->component_type);
  for (int32_t c = 0; c < accessor->component_count; ++c)
    values[c] = read_component(bytes + (size_t)c * size, accessor->component_type, accessor->normalized);
}

// The element that sparse entry `entry` replaces.
static pl_status sparse_target(const pl_gltf *gltf, const pl_gltf_accessor *accessor, int32_t entry, uint32_t *index) {
  size_t size = component_size(accessor->sparse_index_type);
  *index = read_unsigned(accessor->sparse_indices + (size_t)entry * size, size);
  if (*index < (uint32_t)accessor->count) return PL_OK;
  return pl_json_fail(gltf->document, pl_json_find(accessor->json, "sparse"), gltf->error, PL_ERROR_INVALID_DATA,
                      "entry %d replaces element %u, but there are %d", entry, *index, accessor->count);
}

pl_status pl_gltf_read_doubles(const pl_gltf *gltf, const pl_gltf_accessor *accessor, double *values) {
  size_t width = (size_t)accessor->component_count, size = component_size(accessor->component_type) * width;
  if (accessor->data == NULL) memset(values, 0, (size_t)accessor->count * width * sizeof *values);
  for (size_t i = 0; accessor->data != NULL && i < (size_t)accessor->count; ++i)
    read_element(accessor, accessor->data + i * accessor->stride, values + i * width);
  for (int32_t entry = 0; entry < accessor->sparse_count; ++entry) {
    uint32_t index;
    pl_status status = sparse_target(gltf, accessor, entry, &index);
    if (status < 0) return status;
    read_element(accessor, accessor->sparse_values + (size_t)entry * size, values + index * width);
  }
  return PL_OK;
}

pl_status pl_gltf_read_indices(const pl_gltf *gltf, const pl_gltf_accessor *accessor, int32_t limit, int32_t *indices) {
  int32_t type = accessor->component_type;
  size_t size = component_size(type);
  bool unsigned_type = type == TYPE_UBYTE || type == TYPE_USHORT || type == TYPE_UINT;
  if (!unsigned_type || accessor->component_count != 1 || accessor->data == NULL || accessor->sparse_count > 0)
    return pl_json_fail(gltf->document, accessor->json, gltf->error, PL_ERROR_INVALID_DATA,
                        "indices must be scalars of an unsigned integer type with a bufferView");
  for (size_t i = 0; i < (size_t)accessor->count; ++i) {
    uint32_t index = read_unsigned(accessor->data + i * accessor->stride, size);
    if (index >= (uint32_t)limit)
      return pl_json_fail(gltf->document, accessor->json, gltf->error, PL_ERROR_INVALID_DATA,
                          "index number %zu is %u, but there are %d vertices", i, index, limit);
    indices[i] = (int32_t)index;
  }
  return PL_OK;
}
