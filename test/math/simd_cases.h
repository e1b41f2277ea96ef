// The tests of the 8-wide wrapper against plain float code; included once for each instruction set.
// No include guard on purpose.
#include "base/random.h"
#include "check.h"
#include "math/simd.h"

enum { ROUNDS = 200 };

static const float special[] = {0.0f,   -0.0f,     1.0f,       -1.0f,  1e-38f,
                                -3e38f, HUGE_VALF, -HUGE_VALF, 1e-45f, NAN};

// Random numbers of all sizes with zeros, infinities and NaNs among them.
static void fill(pl_random *random, float *values) {
  for (int i = 0; i < 8; ++i) {
    uint32_t pick = pl_random_u32(random) % 40;
    values[i] = pick < 10
                    ? special[pick]
                    : (float)(pl_random_normal(random) * pow(10, pl_random_between(random, -5, 5)));
  }
}

static bool same_bits(float a, float b) {
  return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

#define CHECK_LANES(vector, expected)                                                \
  do {                                                                               \
    _Alignas(32) float lanes_[8];                                                    \
    pl_f8_store(lanes_, (vector));                                                   \
    for (int i = 0; i < 8; ++i)                                                      \
      if (!same_bits(lanes_[i], (expected)))                                         \
        fail_msg("%s, lane %d: %.9g instead of %.9g", #vector, i, (double)lanes_[i], \
                 (double)(expected));                                                \
  } while (0)

static void arithmetic_equals_plain_float(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(1);
  _Alignas(32) float a[8], b[8];
  for (int round = 0; round < ROUNDS; ++round) {
    fill(&random, a);
    fill(&random, b);
    pl_f8 x = pl_f8_load(a), y = pl_f8_load(b);
    CHECK_LANES(x + y, a[i] + b[i]);
    CHECK_LANES(x - y, a[i] - b[i]);
    CHECK_LANES(x * y, a[i] * b[i]);
    CHECK_LANES(x / y, a[i] / b[i]);
    CHECK_LANES(-x, -a[i]);
    CHECK_LANES(2.5f * x - 1.0f, 2.5f * a[i] - 1.0f);
    CHECK_LANES(pl_f8_abs(x), fabsf(a[i]));
    CHECK_LANES(pl_f8_sqrt(x), sqrtf(a[i]));
    CHECK_LANES(pl_f8_min(x, y), a[i] < b[i] ? a[i] : b[i]);
    CHECK_LANES(pl_f8_max(x, y), a[i] > b[i] ? a[i] : b[i]);
    CHECK_LANES(pl_f8_set1(a[3]), a[3]);
  }
}

static void comparisons_select_lane_by_lane(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(2);
  _Alignas(32) float a[8], b[8];
  for (int round = 0; round < ROUNDS; ++round) {
    fill(&random, a);
    fill(&random, b);
    b[round % 8] = a[round % 8];
    pl_f8 x = pl_f8_load(a), y = pl_f8_load(b);
    CHECK_LANES(pl_f8_select(x < y, x, y), a[i] < b[i] ? a[i] : b[i]);
    CHECK_LANES(pl_f8_select(x <= y, x, y), a[i] <= b[i] ? a[i] : b[i]);
    CHECK_LANES(pl_f8_select(x == y, x, y - x), a[i] == b[i] ? a[i] : b[i] - a[i]);
    CHECK_LANES(pl_f8_select((x > 0.0f) & ~(y > 0.0f), x, y),
                a[i] > 0 && !(b[i] > 0) ? a[i] : b[i]);
    CHECK_LANES(pl_f8_select((x > 0.0f) | (y > 0.0f), x, y), a[i] > 0 || b[i] > 0 ? a[i] : b[i]);
    int bits = 0;
    for (int i = 0; i < 8; ++i) bits |= (a[i] < b[i]) << i;
    assert_int_equal(pl_m8_bits(x < y), bits);
    assert_int_equal(pl_m8_any(x < y), bits != 0);
    assert_int_equal(pl_m8_all(x < y), bits == 255);
  }
}

static void any_and_all_look_at_every_lane(void **state) {
  (void)state;
  for (int lane = 0; lane < 8; ++lane) {
    _Alignas(32) float a[8] = {0};
    a[lane] = 1;
    pl_f8 x = pl_f8_load(a);
    assert_int_equal(pl_m8_bits(x > 0.5f), 1 << lane);
    assert_true(pl_m8_any(x > 0.5f));
    assert_false(pl_m8_all(x < 0.5f));
  }
  assert_false(pl_m8_any(pl_f8_set1(0) > 0.5f));
  assert_true(pl_m8_all(pl_f8_set1(0) < 0.5f));
}

static void memory_is_moved_from_and_to_any_address(void **state) {
  (void)state;
  float values[64], out[64];
  for (int i = 0; i < 64; ++i) values[i] = (float)i;
  for (int offset = 0; offset < 9; ++offset) {
    CHECK_LANES(pl_f8_load_unaligned(values + offset), (float)(offset + i));
    memset(out, 0, sizeof out);
    pl_f8_store_unaligned(out + offset, pl_f8_load_unaligned(values + 20));
    for (int i = 0; i < 64; ++i)
      assert_true(out[i] == (i >= offset && i < offset + 8 ? (float)(20 + i - offset) : 0.0f));
  }
  const int32_t index[8] = {63, 0, 7, 7, 12, 31, 2, 40};
  CHECK_LANES(pl_f8_gather(values, index), (float)index[i]);
}

static const struct CMUnitTest simd_tests[] = {
    cmocka_unit_test(arithmetic_equals_plain_float),
    cmocka_unit_test(comparisons_select_lane_by_lane),
    cmocka_unit_test(any_and_all_look_at_every_lane),
    cmocka_unit_test(memory_is_moved_from_and_to_any_address),
};
