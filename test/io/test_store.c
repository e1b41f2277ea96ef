// Stores of records: what is saved is loaded, replaced as a whole, and told apart from what is not there.
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <stdio.h>
#include <unistd.h>

// ctest: unit
#include "check.h"
#include "pliant/store.h"

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *place) {
  (void)facts, (void)kind, (void)place;
  return remove(path);
}

static void save(const pl_store *store, const char *name, const char *text) {
  pl_error error = {0};
  check_ok(store->save(store->user, name, text, strlen(text), &error), &error);
}

static void expect(const pl_store *store, const char *name, const char *text) {
  char buffer[64] = "untouched";
  size_t size = 0;
  pl_error error = {0};
  check_ok(store->load(store->user, name, NULL, 0, &size, &error), &error);
  assert_int_equal(size, strlen(text));
  // Too little room leaves the buffer alone and says how much is needed.
  size = 0;
  if (strlen(text) > 1) check_ok(store->load(store->user, name, buffer, strlen(text) - 1, &size, &error), &error);
  if (strlen(text) > 1) assert_string_equal(buffer, "untouched");
  check_ok(store->load(store->user, name, buffer, sizeof buffer, &size, &error), &error);
  assert_int_equal(size, strlen(text));
  assert_memory_equal(buffer, text, size);
}

static void use_store(const pl_store *store) {
  pl_error error = {0};
  size_t size = 0;
  assert_int_equal(store->load(store->user, "round-1/fit", NULL, 0, &size, &error), PL_ERROR_NOT_FOUND);
  save(store, "round-1/fit", "first");
  save(store, "round-1/track-2/frame-000001", "a frame");
  save(store, "top", "");
  expect(store, "round-1/fit", "first");
  save(store, "round-1/fit", "a longer second one");
  expect(store, "round-1/fit", "a longer second one");
  expect(store, "round-1/track-2/frame-000001", "a frame");
  expect(store, "top", "");
  assert_int_equal(store->load(store->user, "round-1/other", NULL, 0, &size, &error), PL_ERROR_NOT_FOUND);
}

static void records_come_back_from_memory(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_store store;
  check_ok(pl_store_open_memory(context, &store, &error), &error);
  use_store(&store);
  pl_store_close(&store);
  assert_true(store.save == NULL && store.user == NULL);
  pl_store_close(&store);
  drop_context(context);
}

static void records_come_back_from_a_folder_that_was_closed(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  char folder[] = "/tmp/pliant-store-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/made/later", folder);
  pl_store store;
  check_ok(pl_store_open_folder(context, path, &store, &error), &error);
  assert_int_equal(access(path, F_OK), -1);
  use_store(&store);
  pl_store_close(&store);
  check_ok(pl_store_open_folder(context, path, &store, &error), &error);
  expect(&store, "round-1/fit", "a longer second one");
  // A record where a folder should be.
  assert_int_equal(store.save(store.user, "top/below", "x", 1, &error), PL_ERROR_FILE);
  size_t size = 0;
  assert_int_equal(store.load(store.user, "round-1", NULL, 0, &size, &error), PL_ERROR_FILE);
  pl_store_close(&store);
  assert_int_equal(nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
  drop_context(context);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t live = allocator.live_count;
  char folder[] = "/tmp/pliant-store-XXXXXX";
  assert_non_null(mkdtemp(folder));
  for (int kind = 0; kind < 2; ++kind) {
    pl_status status = PL_ERROR_OUT_OF_MEMORY;
    int n = 1;
    for (; status == PL_ERROR_OUT_OF_MEMORY && n < 100; ++n) {
      pl_error error = {0};
      pl_store store;
      size_t size = 0;
      char buffer[16];
      allocator.fail_at = allocator.call_count + n;
      status = kind == 0 ? pl_store_open_memory(context, &store, &error)
                         : pl_store_open_folder(context, folder, &store, &error);
      if (status >= 0) status = store.save(store.user, "a/b", "old", 3, &error);
      pl_status again = status >= 0 ? store.save(store.user, "a/b", "new!", 4, &error) : status;
      if (status >= 0) status = store.load(store.user, "a/b", buffer, sizeof buffer, &size, &error);
      // What could not be replaced is as it was.
      if (status >= 0) assert_memory_equal(buffer, again >= 0 ? "new!" : "old", size);
      if (again < 0) status = again;
      pl_store_close(&store);
      assert_int_equal(allocator.live_count, live);
    }
    assert_int_equal(status, PL_OK);
    assert_true(n > 3);
  }
  assert_int_equal(nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_come_back_from_memory),
      cmocka_unit_test(records_come_back_from_a_folder_that_was_closed),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
