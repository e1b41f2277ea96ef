// The hash is the same everywhere, tells splits apart, and spreads every input bit.
// ctest: unit
#include "base/hash.h"
#include "check.h"

static uint64_t hash_text(const char *text) {
  return pl_hash_bytes(PL_HASH_START, text, strlen(text));
}

// The values come from the same definition written in arbitrary-precision integers, reduced to 64 bits after every
// step.
static void known_values_are_kept(void **state) {
  (void)state;
  assert_true(hash_text("") == UINT64_C(0x6393d51c06c618dc));
  assert_true(hash_text("a") == UINT64_C(0x5255216347c4618a));
  assert_true(hash_text("pliant") == UINT64_C(0x7178a84ce7b620c9));
  assert_true(hash_text("12345678") == UINT64_C(0x2bf7e5ffcca548ed));
  assert_true(hash_text("The quick brown fox jumps over the lazy dog") == UINT64_C(0x980cdba14e30f731));
}

static void the_address_does_not_matter(void **state) {
  (void)state;
  const char *text = "The quick brown fox";
  for (size_t offset = 0; offset < 9; ++offset) {
    char buffer[64];
    memcpy(buffer + offset, text, strlen(text) + 1);
    assert_true(hash_text(buffer + offset) == hash_text(text));
  }
}

static void different_splits_differ(void **state) {
  (void)state;
  const char bytes[24] = {0};
  uint64_t seen[25];
  for (size_t split = 0; split <= 24; ++split) {
    seen[split] = pl_hash_bytes(pl_hash_bytes(PL_HASH_START, bytes, split), bytes + split, 24 - split);
    for (size_t other = 0; other < split; ++other) assert_true(seen[other] != seen[split]);
    assert_true(seen[split] != pl_hash_bytes(PL_HASH_START, bytes, 24));
  }
  // Zeros of different lengths differ too.
  for (size_t n = 1; n <= 24; ++n)
    assert_true(pl_hash_bytes(PL_HASH_START, bytes, n) != pl_hash_bytes(PL_HASH_START, bytes, n - 1));
}

static void every_input_bit_changes_half_of_the_output(void **state) {
  (void)state;
  enum { SIZE = 45, ROUNDS = 64 };
  for (size_t bit = 0; bit < 8 * SIZE; ++bit) {
    int changed = 0;
    for (int round = 0; round < ROUNDS; ++round) {
      unsigned char bytes[SIZE];
      for (size_t i = 0; i < SIZE; ++i) bytes[i] = (unsigned char)(31 * i + 7 * (size_t)round * (i + 1));
      uint64_t before = pl_hash_bytes(PL_HASH_START, bytes, SIZE);
      bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
      changed += __builtin_popcountll(before ^ pl_hash_bytes(PL_HASH_START, bytes, SIZE));
    }
    // 4096 coins: the mean is 2048, one deviation 32; 8 deviations will not happen by chance.
    check_near((double)changed, 32.0 * ROUNDS, 8 * 32);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_values_are_kept),
      cmocka_unit_test(the_address_does_not_matter),
      cmocka_unit_test(different_splits_differ),
      cmocka_unit_test(every_input_bit_changes_half_of_the_output),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
