// Masks of the entries that are in use.
// ctest: unit
#include "check.h"
#include "contact/contact_cache.h"

// Random points are used: all of them are cleared, and of the others only those that share a bit with one.
static void what_is_added_to_a_mask_is_cleared(void **state) {
  (void)state;
  enum { MAX = 700 };
  uint32_t random = 1;
  for (int32_t count = 1; count <= MAX; count += count < 130 ? 1 : 57) {
    int32_t width = 1 << pl_contact_mask_shift(count), kept = 0;
    double entries[MAX];
    bool shares[MAX] = {false};
    pl_contact_mask mask = 0;
    for (int32_t i = 0; i < count; ++i) entries[i] = 1;
    for (int32_t k = 0; k < 9; ++k) {
      random = random * 1664525u + 1013904223u;
      int32_t point = k == 0 ? count - 1 : (int32_t)(random >> 8) % count;
      pl_contact_mask_add(&mask, point, count);
      for (int32_t i = 0; i < count; ++i) shares[i] = shares[i] || i / width == point / width;
    }
    pl_contact_mask_clear(&mask, entries, sizeof *entries, count);
    assert_true(mask == 0);
    for (int32_t i = 0; i < count; ++i) {
      assert_true(entries[i] == (shares[i] ? 0 : 1));
      kept += !shares[i];
    }
    if (count > 100) assert_true(kept > count / 2);
    mask = ~(pl_contact_mask)0;
    pl_contact_mask_clear(&mask, entries, sizeof *entries, count);
    for (int32_t i = 0; i < count; ++i) assert_true(entries[i] == 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_added_to_a_mask_is_cleared)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
