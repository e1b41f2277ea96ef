// What the tests of clouds share: reading bytes from memory, and the checks every reader of clouds must pass.
#ifndef PL_TEST_CLOUD_FILE_H
#define PL_TEST_CLOUD_FILE_H

#include "mesh_file.h"
#include "pliant/cloud.h"

// A cloud together with its context, findings and view.
typedef struct cloud_file {
  pl_context *context;
  pl_findings *findings;
  pl_cloud *cloud;
  pl_cloud_view view;
} cloud_file;

static inline cloud_file open_cloud(const void *bytes, size_t size) {
  cloud_file file = {.context = make_context(1)};
  pl_error error = {0};
  check_ok(pl_findings_create(file.context, &file.findings, &error), &error);
  check_ok(pl_cloud_load_memory(file.context, &(pl_memory_source){bytes, size, "memory", NULL}, &file.cloud, file.findings, &error),
           &error);
  file.view = pl_cloud_get_view(file.cloud);
  return file;
}

static inline cloud_file open_cloud_text(const char *text) {
  return open_cloud(text, strlen(text));
}

static inline void close_cloud(cloud_file *file) {
  pl_cloud_destroy(file->cloud);
  pl_findings_destroy(file->findings);
  drop_context(file->context);
}

static inline bool says(const pl_findings *findings, const char *kind) {
  for (int32_t i = 0; i < pl_findings_count(findings, PL_SEVERITY_NOTE); ++i)
    if (strcmp(pl_findings_get(findings, i)->kind, kind) == 0) return true;
  return false;
}

static inline void check_vector(pl_vec3 p, double x, double y, double z) {
  check_near(p.x, x, 1e-7);
  check_near(p.y, y, 1e-7);
  check_near(p.z, z, 1e-7);
}

static inline void check_color(pl_color c, double r, double g, double b) {
  check_near((double)c.r * 255, r, 1e-4);
  check_near((double)c.g * 255, g, 1e-4);
  check_near((double)c.b * 255, b, 1e-4);
}

// Reading must fail with this status, at this line and column (0: any), with `word` in its sentence.
static inline void check_cloud_refused(const void *bytes, size_t size, pl_status expected, int32_t line, int32_t column,
                                       const char *word) {
  pl_context *context = make_context(1);
  pl_cloud *cloud = NULL;
  pl_error error = {0};
  pl_status status = pl_cloud_load_memory(context, &(pl_memory_source){bytes, size, "memory", NULL}, &cloud, NULL, &error);
  if (status != expected || cloud != NULL) fail_msg("status %d instead of %d: %s", status, expected, error.text);
  if (line != 0 && (error.line != line || error.column != column))
    fail_msg("at %d:%d instead of %d:%d: %s", error.line, error.column, line, column, error.text);
  if (strstr(error.text, word) == NULL) fail_msg("\"%s\" does not say \"%s\"", error.text, word);
  assert_string_equal(error.file, "memory");
  drop_context(context);
}

static inline void check_text_refused(const char *text, int32_t line, int32_t column, const char *word) {
  check_cloud_refused(text, strlen(text), PL_ERROR_INVALID_DATA, line, column, word);
}

// Read a copy that ends where the bytes do, so that an address sanitizer sees reading beyond; an error has a sentence.
static inline void read_copy(pl_context *context, const unsigned char *bytes, size_t size) {
  unsigned char *copy = malloc(size > 0 ? size : 1);
  assert_non_null(copy);
  memcpy(copy, bytes, size);
  pl_cloud *cloud = NULL;
  pl_error error = {0};
  pl_status status = pl_cloud_load_memory(context, &(pl_memory_source){copy, size, "copy", NULL}, &cloud, NULL, &error);
  assert_true((status < 0) == (cloud == NULL));
  assert_true(status >= 0 || error.text[0] != '\0');
  assert_true(status != PL_ERROR_OUT_OF_MEMORY);
  pl_cloud_destroy(cloud);
  free(copy);
}

// Cut off at every length, every byte replaced, every allocation failing: no crash, no leak.
static inline void check_cloud_survives(const void *data, size_t size) {
  static const unsigned char others[] = {0, 0xFF, 0x7F, '-', '9', ' '};
  const unsigned char *bytes = data;
  pl_context *context = make_context(1);
  for (size_t length = 0; length < size; ++length) read_copy(context, bytes, length);
  unsigned char *damaged = malloc(size);
  assert_non_null(damaged);
  for (size_t slot = 0; slot < size; ++slot) {
    for (size_t k = 0; k < sizeof others; ++k) {
      memcpy(damaged, bytes, size);
      damaged[slot] = others[k];
      read_copy(context, damaged, size);
    }
  }
  free(damaged);
  drop_context(context);
  failing_allocator allocator = {0};
  context = make_failing_context(&allocator);
  int64_t live_before = allocator.live_count;
  for (int64_t n = 1;; ++n) {
    allocator.call_count = 0;
    allocator.fail_at = n;
    pl_cloud *cloud = NULL;
    pl_error error = {0};
    pl_status status = pl_cloud_load_memory(context, &(pl_memory_source){bytes, size, "memory", NULL}, &cloud, NULL, &error);
    pl_cloud_destroy(cloud);
    assert_int_equal(allocator.live_count, live_before);
    if (status == PL_OK) {
      assert_true(n > 2);
      break;
    }
    assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    assert_null(cloud);
    assert_true(n < 1000);
  }
  allocator.fail_at = 0;
  drop_context(context);
}

#endif
