// What the tests of mesh files share: reading bytes from memory, and the checks every reader must pass.
#ifndef PL_TEST_MESH_FILE_H
#define PL_TEST_MESH_FILE_H

#include "check.h"
#include "pliant/mesh_file.h"

// A mesh together with its context, findings and view.
typedef struct mesh_file {
  pl_context *context;
  pl_findings *findings;
  pl_mesh *mesh;
  pl_mesh_view view;
} mesh_file;

static inline mesh_file open_bytes(const void *bytes, size_t size) {
  mesh_file file = {.context = make_context(1)};
  pl_error error = {0};
  check_ok(pl_findings_create(file.context, &file.findings, &error), &error);
  check_ok(pl_mesh_load_memory(file.context, &(pl_memory_source){bytes, size, "memory", NULL}, &file.mesh, file.findings, &error),
           &error);
  file.view = pl_mesh_get_view(file.mesh);
  return file;
}

static inline mesh_file open_text(const char *text) {
  return open_bytes(text, strlen(text));
}

static inline void close_mesh(mesh_file *file) {
  pl_mesh_destroy(file->mesh);
  pl_findings_destroy(file->findings);
  drop_context(file->context);
}

static inline bool has_finding(const mesh_file *file, const char *kind) {
  for (int32_t i = 0; i < pl_findings_count(file->findings, PL_SEVERITY_NOTE); ++i)
    if (strcmp(pl_findings_get(file->findings, i)->kind, kind) == 0) return true;
  return false;
}

// Reading must fail with this status, at this line and column (0: any), with `word` in its sentence.
static inline void check_refused_bytes(const void *bytes, size_t size, pl_status expected, int32_t line, int32_t column,
                                       const char *word) {
  pl_context *context = make_context(1);
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  pl_status status = pl_mesh_load_memory(context, &(pl_memory_source){bytes, size, "memory", NULL}, &mesh, NULL, &error);
  if (status != expected || mesh != NULL) fail_msg("status %d instead of %d: %s", status, expected, error.text);
  if (line != 0 && (error.line != line || error.column != column))
    fail_msg("at %d:%d instead of %d:%d: %s", error.line, error.column, line, column, error.text);
  if (strstr(error.text, word) == NULL) fail_msg("\"%s\" does not say \"%s\"", error.text, word);
  assert_string_equal(error.file, "memory");
  drop_context(context);
}

static inline void check_refused(const char *text, pl_status expected, int32_t line, int32_t column, const char *word) {
  check_refused_bytes(text, strlen(text), expected, line, column, word);
}

// Cut off at every length: no crash, no leak, and an error has a sentence. The copy ends where the bytes do, so that an address
// sanitizer sees reading beyond. Returns how many lengths were read as a mesh.
static inline int check_truncations(const void *bytes, size_t size) {
  pl_context *context = make_context(1);
  int good_count = 0;
  for (size_t length = 0; length < size; ++length) {
    unsigned char *copy = malloc(length > 0 ? length : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    pl_mesh *mesh = NULL;
    pl_error error = {0};
    pl_status status = pl_mesh_load_memory(context, &(pl_memory_source){copy, length, "cut", NULL}, &mesh, NULL, &error);
    if (status < 0) {
      assert_null(mesh);
      assert_true(error.text[0] != '\0');
      assert_true(status == PL_ERROR_INVALID_DATA || status == PL_ERROR_UNSUPPORTED);
    } else {
      ++good_count;
    }
    pl_mesh_destroy(mesh);
    free(copy);
  }
  drop_context(context);
  return good_count;
}

// Every byte replaced in turn by a few others: no crash, no leak.
static inline void check_damages(const void *bytes, size_t size) {
  static const unsigned char others[] = {0, 0xFF, 0x7F, '-', '9', ' '};
  pl_context *context = make_context(1);
  unsigned char *copy = malloc(size);
  assert_non_null(copy);
  for (size_t slot = 0; slot < size; ++slot) {
    for (size_t k = 0; k < sizeof others; ++k) {
      memcpy(copy, bytes, size);
      copy[slot] = others[k];
      pl_mesh *mesh = NULL;
      pl_error error = {0};
      pl_mesh_load_memory(context, &(pl_memory_source){copy, size, "damaged", NULL}, &mesh, NULL, &error);
      pl_mesh_destroy(mesh);
    }
  }
  free(copy);
  drop_context(context);
}

// The n-th allocation fails, for every n: out of memory, nothing leaked.
static inline void check_allocations(const void *bytes, size_t size) {
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t live_before = allocator.live_count;
  for (int64_t n = 1;; ++n) {
    allocator.call_count = 0;
    allocator.fail_at = n;
    pl_mesh *mesh = NULL;
    pl_error error = {0};
    pl_status status = pl_mesh_load_memory(context, &(pl_memory_source){bytes, size, "memory", NULL}, &mesh, NULL, &error);
    if (status == PL_OK) {
      assert_true(n > 1);
      pl_mesh_destroy(mesh);
      break;
    }
    assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    assert_null(mesh);
    assert_int_equal(allocator.live_count, live_before);
    assert_true(n < 10000);
  }
  allocator.fail_at = 0;
  drop_context(context);
}

static inline void check_survives(const void *bytes, size_t size) {
  check_truncations(bytes, size);
  check_damages(bytes, size);
  check_allocations(bytes, size);
}

static inline void check_point(const mesh_file *file, int32_t point, double x, double y, double z) {
  assert_true(point < file->view.point_count);
  pl_vec3 p = file->view.points[point];
  check_near(p.x, x, 1e-12);
  check_near(p.y, y, 1e-12);
  check_near(p.z, z, 1e-12);
}

static inline double tet_volume(const pl_mesh_view *view, int32_t tet) {
  const int32_t *t = view->tets + 4 * tet;
  pl_vec3 a = view->points[t[0]], b = view->points[t[1]], c = view->points[t[2]], d = view->points[t[3]];
  double u[3] = {b.x - a.x, b.y - a.y, b.z - a.z}, v[3] = {c.x - a.x, c.y - a.y, c.z - a.z},
         w[3] = {d.x - a.x, d.y - a.y, d.z - a.z};
  return (u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0])) / 6;
}

// Sum of tet volumes, each of which must be positive.
static inline double total_volume(const pl_mesh_view *view) {
  double sum = 0;
  for (int32_t i = 0; i < view->tet_count; ++i) {
    double volume = tet_volume(view, i);
    if (!(volume > 0)) fail_msg("tet %d has volume %g", i, volume);
    sum += volume;
  }
  return sum;
}

// Area of all triangles with their directions: the length of the sum of their normals, for a flat surface its area.
static inline double flat_area(const pl_mesh_view *view) {
  double sum[3] = {0};
  for (int32_t i = 0; i < view->triangle_count; ++i) {
    const int32_t *t = view->triangles + 3 * i;
    pl_vec3 a = view->points[t[0]], b = view->points[t[1]], c = view->points[t[2]];
    double u[3] = {b.x - a.x, b.y - a.y, b.z - a.z}, v[3] = {c.x - a.x, c.y - a.y, c.z - a.z};
    sum[0] += 0.5 * (u[1] * v[2] - u[2] * v[1]);
    sum[1] += 0.5 * (u[2] * v[0] - u[0] * v[2]);
    sum[2] += 0.5 * (u[0] * v[1] - u[1] * v[0]);
  }
  return sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
}

// A text or binary file being put together.
typedef struct byte_buffer {
  unsigned char bytes[16384];
  size_t size;
  bool big_endian;
} byte_buffer;

static inline void put_bytes(byte_buffer *buffer, const void *bytes, size_t size) {
  assert_true(buffer->size + size <= sizeof buffer->bytes);
  memcpy(buffer->bytes + buffer->size, bytes, size);
  buffer->size += size;
}

static inline void put_text(byte_buffer *buffer, const char *text) {
  put_bytes(buffer, text, strlen(text));
}

static inline void put_integer(byte_buffer *buffer, uint64_t value, int size) {
  for (int i = 0; i < size; ++i) {
    unsigned char byte = (unsigned char)(value >> (8 * (buffer->big_endian ? size - 1 - i : i)));
    put_bytes(buffer, &byte, 1);
  }
}

static inline void put_float(byte_buffer *buffer, float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  put_integer(buffer, bits, 4);
}

static inline void put_double(byte_buffer *buffer, double value) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  put_integer(buffer, bits, 8);
}

#endif
