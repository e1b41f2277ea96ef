// Masks of the entries that are in use, and the slots of a point.
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

// The first slot that says nothing ends the search; a point whose slots are full keeps the largest impulses.
static void slots_are_found_and_replaced(void **state) {
  (void)state;
  enum { PARTNERS = 5 };
  uint32_t random = 1;
  for (int round = 0; round < 200; ++round) {
    pl_contact_impulse slots[PL_IMPULSES_PER_POINT] = {{0}}, expected[PL_IMPULSES_PER_POINT] = {{0}};
    pl_contact_surface surface = {.point_count = 1};
    pl_contact_mask mask = 0;
    pl_contact_body body = {.surface = &surface, .impulses = slots, .impulse_mask = &mask};
    for (uint32_t partner = 1; partner <= PARTNERS; ++partner) {
      random = random * 1664525u + 1013904223u;
      pl_contact_impulse kept = {partner, random, {(float)(random >> 28), 0, 0}};
      pl_contact_cache_store_point(&body, 0, &kept);
      int32_t to = 0;
      for (int32_t k = PL_IMPULSES_PER_POINT - 1; k >= 0; --k)
        if (expected[k].partner == 0 ||
            (expected[to].partner != 0 && expected[k].impulse[0] <= expected[to].impulse[0]))
          to = k;
      if (expected[to].partner == 0 || kept.impulse[0] > expected[to].impulse[0]) expected[to] = kept;
    }
    assert_memory_equal(slots, expected, sizeof slots);
    for (uint32_t partner = 1; partner <= PARTNERS; ++partner) {
      const pl_contact_impulse *slot = NULL;
      for (int32_t k = PL_IMPULSES_PER_POINT - 1; k >= 0; --k)
        if (slots[k].partner == partner) slot = &slots[k];
      assert_ptr_equal(pl_contact_cache_find_in(slots, partner), slot);
    }
    uint32_t last = slots[2].partner;
    slots[1].partner = 0;
    assert_null(pl_contact_cache_find_in(slots, last));
    assert_ptr_equal(pl_contact_cache_find_in(slots, slots[0].partner), &slots[0]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_added_to_a_mask_is_cleared),
                                     cmocka_unit_test(slots_are_found_and_replaced)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
