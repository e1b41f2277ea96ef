// Files of sets of examples: what is written comes back, and what is broken in any way is refused with a sentence.
// ctest: unit
#define _POSIX_C_SOURCE 200809L

#include <unistd.h>

#include "base/hash.h"
#include "base/random.h"
#include "check.h"
#include "pliant/detail_file.h"

enum { COUNT = 3, SIDE = 6, SAMPLES = 2 * SIDE * SIDE, KEY = 20 + 27 + 1 };

// A small set: three keys that differ in all their parts, stamps of noise.
static pl_detail_set *make_set(pl_context *context, uint64_t seed) {
  static float keys[COUNT * KEY], sizes[COUNT], stamps[COUNT * SAMPLES * 4];
  const char *labels[COUNT] = {"pressed", "", "dragged \xc3\xa0 gauche"};
  pl_random random = pl_random_of_seed(seed);
  memset(keys, 0, sizeof keys);
  for (int i = 0; i < COUNT; ++i) {
    for (int k = 0; k < 20; ++k) keys[KEY * i + k] = (float)pl_random_between(&random, -1, 1);
    keys[KEY * i + 20 + i] = 1;  // directions of loads, unit vectors
    sizes[i] = 0.01f * (float)(i + 1);
  }
  for (int i = 0; i < COUNT * SAMPLES * 4; ++i) stamps[i] = i % 4 == 3 ? 0 : (float)pl_random_between(&random, -2, 2);
  pl_detail_set_view view = {.def = pl_default_detail_def(),
                             .example_count = COUNT,
                             .labels = labels,
                             .key_size = KEY,
                             .keys = keys,
                             .sizes = sizes,
                             .stamps = stamps};
  view.def.window_radius = 0.1;
  view.def.stamp_radius = 0.25;
  view.def.stamp_resolution = SIDE;
  view.def.load_reference = 0.005;
  view.def.site_width = 0.3;
  view.def.load_width = 0.5;
  pl_detail_set *set = NULL;
  pl_error error = {0};
  check_ok(pl_detail_set_create(context, &view, &set, &error), &error);
  return set;
}

typedef struct scratch_file {
  char folder[64], path[96];
  unsigned char *bytes;
  size_t size;
} scratch_file;

static scratch_file write_set(pl_context *context, const pl_detail_set *set) {
  scratch_file file = {.folder = "/tmp/pliant-detail-XXXXXX"};
  pl_error error = {0};
  assert_non_null(mkdtemp(file.folder));
  snprintf(file.path, sizeof file.path, "%s/set.pldetail", file.folder);
  check_ok(pl_detail_set_save(context, file.path, set, &error), &error);
  FILE *stream = fopen(file.path, "rb");
  assert_non_null(stream);
  file.bytes = malloc(1 << 16);
  file.size = fread(file.bytes, 1, 1 << 16, stream);
  fclose(stream);
  assert_true(file.size > 100 && file.size < 1 << 16);
  return file;
}

static void drop_file(scratch_file *file) {
  unlink(file->path);
  rmdir(file->folder);
  free(file->bytes);
}

static void fix_hash(unsigned char *bytes, size_t size) {
  uint64_t hash = pl_hash_bytes(PL_HASH_START, bytes, size - 8);
  for (size_t i = 0; i < 8; ++i) bytes[size - 8 + i] = (unsigned char)(hash >> (8 * i));
}

static void what_is_written_comes_back(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_detail_set *set = make_set(context, 7), *back = NULL;
  scratch_file file = write_set(context, set);
  pl_error error = {0};
  check_ok(pl_detail_set_load(context, file.path, &back, &error), &error);
  pl_detail_set_view a = pl_detail_set_get_view(set), b = pl_detail_set_get_view(back);
  assert_int_equal(a.example_count, b.example_count);
  assert_int_equal(a.key_size, b.key_size);
  assert_memory_equal(a.keys, b.keys, COUNT * KEY * sizeof(float));
  assert_memory_equal(a.sizes, b.sizes, COUNT * sizeof(float));
  // Stamps are rounded by less than 1/2047 of their largest number, which is below 2 here.
  for (size_t i = 0; i < (size_t)COUNT * SAMPLES * 4; ++i)
    check_near((double)a.stamps[i], (double)b.stamps[i], 2.0 / 2047);
  for (int i = 0; i < COUNT; ++i) assert_string_equal(a.labels[i], b.labels[i]);
  check_near(a.def.window_radius, b.def.window_radius, 0);
  check_near(a.def.stamp_radius, b.def.stamp_radius, 0);
  check_near(a.def.stamp_border, b.def.stamp_border, 0);
  check_near(a.def.min_load, b.def.min_load, 0);
  check_near(a.def.load_reference, b.def.load_reference, 0);
  check_near(a.def.overload, b.def.overload, 0);
  check_near(a.def.site_width, b.def.site_width, 0);
  check_near(a.def.load_width, b.def.load_width, 0);
  assert_int_equal(b.def.patch_order, -1);
  // The previews are in front of the data, right behind the labels.
  size_t labels_end = 8 + 4 + 9 * 4 + 9 * 8;
  for (int i = 0; i < COUNT; ++i) labels_end += 4 + strlen(a.labels[i]);
  unsigned char pixels[32 * 32];
  for (int i = 0; i < COUNT; ++i) {
    assert_int_equal(pl_detail_set_preview(set, i, 32, pixels), PL_OK);
    assert_memory_equal(pixels, file.bytes + labels_end + sizeof pixels * (size_t)i, sizeof pixels);
  }
  // What was read and is written again stays as it is; only previews, which were made of the numbers before they were
  // rounded, may be off by a shade once.
  pl_detail_set *third = NULL;
  scratch_file again = write_set(context, back);
  check_ok(pl_detail_set_load(context, again.path, &third, &error), &error);
  assert_memory_equal(pl_detail_set_get_view(third).stamps, b.stamps, (size_t)COUNT * SAMPLES * 4 * sizeof(float));
  scratch_file last = write_set(context, third);
  assert_int_equal(again.size, last.size);
  assert_memory_equal(again.bytes, last.bytes, again.size);
  drop_file(&last);
  drop_file(&again);
  pl_detail_set_destroy(third);
  drop_file(&file);
  pl_detail_set_destroy(set);
  pl_detail_set_destroy(back);
  drop_context(context);
}

static void broken_files_are_refused_with_a_sentence(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_detail_set *set = make_set(context, 7), *back = NULL;
  scratch_file file = write_set(context, set);
  unsigned char *bytes = malloc(file.size);
  pl_error error = {0};
  assert_int_equal(pl_detail_set_load(context, "/nowhere/at/all", &back, &error), PL_ERROR_NOT_FOUND);
  for (size_t size = 0; size < file.size; size += size < 200 ? 1 : 37) {
    memcpy(bytes, file.bytes, size);
    assert_int_equal(pl_detail_set_load_memory(context, &(pl_memory_source){bytes, size, "cut", NULL}, &back, &error),
                     PL_ERROR_INVALID_DATA);
    // Cut off with a hash that fits.
    if (size > 8) fix_hash(bytes, size);
    assert_int_equal(pl_detail_set_load_memory(context, &(pl_memory_source){bytes, size, "cut", NULL}, &back, &error),
                     PL_ERROR_INVALID_DATA);
    assert_string_equal(error.file, "cut");
    assert_true(error.text[0] != '\0');
  }
  for (size_t i = 0; i < file.size; i += i < 200 ? 1 : 29) {
    memcpy(bytes, file.bytes, file.size);
    bytes[i] ^= 0x10;
    assert_true(
        pl_detail_set_load_memory(context, &(pl_memory_source){bytes, file.size, "flipped", NULL}, &back, &error) < 0);
  }
  memcpy(bytes, file.bytes, file.size);
  bytes[8] = 1;
  fix_hash(bytes, file.size);
  assert_int_equal(
      pl_detail_set_load_memory(context, &(pl_memory_source){bytes, file.size, "later", NULL}, &back, &error),
      PL_ERROR_UNSUPPORTED);
  assert_null(back);
  free(bytes);
  drop_file(&file);
  pl_detail_set_destroy(set);
  drop_context(context);
}

// Bytes changed by chance, with a hash that fits: a set that makes sense, or a refusal; never more memory than the file
// is large.
static void any_bytes_are_a_set_or_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_detail_set *set = make_set(context, 7);
  scratch_file file = write_set(context, set);
  unsigned char *bytes = malloc(file.size);
  pl_random random = pl_random_of_seed(3);
  int32_t taken = 0;
  for (int32_t round = 0; round < 3000; ++round) {
    memcpy(bytes, file.bytes, file.size);
    int32_t changes = 1 + round % 4;
    for (int32_t k = 0; k < changes; ++k) {
      size_t range = round % 2 == 0 ? 160 : file.size - 8, at = (size_t)(pl_random_unit(&random) * (double)range);
      bytes[at] = (unsigned char)(256 * pl_random_unit(&random));
    }
    fix_hash(bytes, file.size);
    pl_detail_set *back = NULL;
    pl_error error = {0};
    pl_status status =
        pl_detail_set_load_memory(context, &(pl_memory_source){bytes, file.size, "changed", NULL}, &back, &error);
    assert_true((status < 0) == (back == NULL));
    assert_true(status >= 0 || error.text[0] != '\0');
    taken += back != NULL;
    if (back != NULL) assert_true(isfinite(pl_detail_set_get_view(back).def.site_width));
    pl_detail_set_destroy(back);
  }
  printf("%d of 3000 changed files still made sense\n", taken);
  free(bytes);
  drop_file(&file);
  pl_detail_set_destroy(set);
  drop_context(context);
}

static void running_out_of_memory_is_a_status(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_detail_set *set = make_set(context, 7);
  scratch_file file = write_set(context, set);
  int64_t held = allocator.live_count;
  for (int64_t tried = 0, done = 0; !done; ++tried) {
    pl_detail_set *back = NULL;
    pl_error error = {0};
    allocator.fail_at = allocator.call_count + tried + 1;
    pl_status status = pl_detail_set_save(context, file.path, set, &error);
    if (status >= 0) status = pl_detail_set_load(context, file.path, &back, &error);
    done = status == PL_OK;
    assert_true(done || status == PL_ERROR_OUT_OF_MEMORY);
    pl_detail_set_destroy(back);
    assert_int_equal(allocator.live_count, held);
  }
  allocator.fail_at = 0;
  drop_file(&file);
  pl_detail_set_destroy(set);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_comes_back),
      cmocka_unit_test(broken_files_are_refused_with_a_sentence),
      cmocka_unit_test(any_bytes_are_a_set_or_refused),
      cmocka_unit_test(running_out_of_memory_is_a_status),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
