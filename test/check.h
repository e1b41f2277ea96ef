// What the tests share: cmocka with its headers in the right order, comparisons of doubles, and a
// context that counts and fails on demand.
#ifndef PL_TEST_CHECK_H
#define PL_TEST_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pliant/base.h"

// Under the thread sanitizer only those claims of a program run that have "thread" in their name,
// where there are any: the others use one thread, or repeat with several what these show, and take
// minutes there.
#ifdef __SANITIZE_THREAD__
static inline int check_run_threaded(const char *group, const struct CMUnitTest *tests,
                                     size_t count, CMFixtureFunction setup,
                                     CMFixtureFunction teardown) {
  for (size_t i = 0; i < count; ++i)
    if (strstr(tests[i].name, "thread")) cmocka_set_test_filter("*thread*");
  return _cmocka_run_group_tests(group, tests, count, setup, teardown);
}
#undef cmocka_run_group_tests
#define cmocka_run_group_tests(tests, setup, teardown) \
  check_run_threaded(#tests, tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)
#endif

// Steps that a claim about threads takes: under the thread sanitizer a quarter, since a race shows
// in the first ones and each takes 20 times as long.
static inline int32_t check_steps(int32_t count) {
#ifdef __SANITIZE_THREAD__
  return (count + 3) / 4;
#else
  return count;
#endif
}

// |a - b| <= tolerance, with both printed when it is not so.
#define check_near(a, b, tolerance)                                                        \
  do {                                                                                     \
    double check_a_ = (a), check_b_ = (b), check_t_ = (tolerance);                         \
    if (!(fabs(check_a_ - check_b_) <= check_t_))                                          \
      fail_msg("%s = %.17g, %s = %.17g: differ by %.3g, more than %.3g", #a, check_a_, #b, \
               check_b_, fabs(check_a_ - check_b_), check_t_);                             \
  } while (0)

// a <= b
#define check_at_most(a, b)                                                     \
  do {                                                                          \
    double check_a_ = (a), check_b_ = (b);                                      \
    if (!(check_a_ <= check_b_))                                                \
      fail_msg("%s = %.9g is more than %s = %.9g", #a, check_a_, #b, check_b_); \
  } while (0)

// The call gave PL_OK; otherwise its error is printed.
#define check_ok(call, error)                                                        \
  do {                                                                               \
    pl_status check_status_ = (call);                                                \
    if (check_status_ != PL_OK) {                                                    \
      char check_text_[1024];                                                        \
      pl_error_format((error), check_text_, sizeof check_text_);                     \
      fail_msg("%s gave %s: %s", #call, pl_status_text(check_status_), check_text_); \
    }                                                                                \
  } while (0)

// An allocator whose n-th call from now fails once (0: never), counting all calls.
typedef struct failing_allocator {
  int64_t call_count, fail_at, live_count;
} failing_allocator;

static inline void *failing_allocate(void *user, size_t size, size_t alignment) {
  failing_allocator *self = user;
  if (++self->call_count == self->fail_at) return NULL;
  void *block = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (block != NULL) self->live_count++;
  return block;
}

static inline void failing_release(void *user, void *block, size_t size) {
  (void)size;
  ((failing_allocator *)user)->live_count--;
  free(block);
}

// A context of `thread_count` threads (0: one per processor).
static inline pl_context *make_context(int32_t thread_count) {
  pl_context_def def = pl_default_context_def();
  def.thread_count = thread_count;
  pl_context *context = NULL;
  pl_error error = {0};
  check_ok(pl_context_create(&def, &context, &error), &error);
  return context;
}

// A one-thread context on a failing allocator, which must not fail yet.
static inline pl_context *make_failing_context(failing_allocator *allocator) {
  pl_context_def def = pl_default_context_def();
  def.thread_count = 1;
  def.allocator = (pl_allocator){failing_allocate, failing_release, allocator};
  pl_context *context = NULL;
  pl_error error = {0};
  check_ok(pl_context_create(&def, &context, &error), &error);
  return context;
}

// All memory given back, then the context destroyed.
static inline void drop_context(pl_context *context) {
  assert_int_equal(pl_context_get_memory_report(context).block_count,
                   context == NULL ? 0 : (pl_context_thread_count(context) > 1 ? 1 : 0));
  pl_context_destroy(context);
}

#endif
