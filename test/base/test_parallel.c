// Parallel loops cover every item once, for any number of threads, and their partition depends on the problem alone.
// ctest: unit threads
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "base/parallel.h"
#include "check.h"

typedef struct count_data {
  int32_t *touched;
  int32_t *block_of;
} count_data;

static void count_items(void *data, int32_t begin, int32_t end, int32_t block) {
  count_data *c = data;
  for (int32_t i = begin; i < end; ++i) {
    c->touched[i]++;
    c->block_of[i] = block;
  }
}

static void every_item_is_done_once_whatever_the_threads(void **state) {
  (void)state;
  enum { COUNT = 10007, GRAIN = 64 };
  static int32_t touched[COUNT], block_of[COUNT];
  for (int32_t threads = 1; threads <= 5; ++threads) {
    pl_context *context = make_context(threads);
    for (int round = 0; round < 200; ++round) {
      memset(touched, 0, sizeof touched);
      pl_parallel_for(context, COUNT, GRAIN, count_items, &(count_data){touched, block_of});
      for (int32_t i = 0; i < COUNT; ++i) {
        assert_int_equal(touched[i], 1);
        assert_int_equal(block_of[i], i / GRAIN);
      }
    }
    drop_context(context);
  }
}

static void no_items_means_no_calls(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  pl_parallel_for(context, 0, 16, count_items, NULL);
  assert_int_equal(pl_block_count(0, 16), 0);
  assert_int_equal(pl_block_count(17, 16), 2);
  drop_context(context);
}

// Loops inside of whole items.
typedef struct whole_data {
  pl_context *context;
  int32_t sums[7];
} whole_data;

static void add_block(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  for (int32_t i = begin; i < end; ++i) *(int32_t *)data += i;
}

static void sum_whole(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  whole_data *w = data;
  // Not a race: the blocks of a loop inside run one after the other.
  for (int32_t i = begin; i < end; ++i) pl_parallel_for(w->context, 100, 3, add_block, &w->sums[i]);
}

static void whole_items_may_contain_loops(void **state) {
  (void)state;
  for (int32_t threads = 1; threads <= 4; ++threads)
    for (int round = 0; round < 50; ++round) {
      whole_data w = {.context = make_context(threads)};
      pl_parallel_for_whole(w.context, 7, sum_whole, &w);
      for (int i = 0; i < 7; ++i) assert_int_equal(w.sums[i], 4950);
      drop_context(w.context);
    }
}

// A host that runs its tasks backwards, and counts.
typedef struct host {
  int run_count;
  int64_t task_count;
} host;

static void run_backwards(void *user, int32_t count, pl_task_function *task, void *data) {
  host *h = user;
  h->run_count++;
  for (int32_t i = count; i-- > 0; h->task_count++) task(data, i);
}

static void the_hosts_own_runner_gets_the_same_blocks(void **state) {
  (void)state;
  enum { COUNT = 1000, GRAIN = 64 };
  static int32_t touched[COUNT], block_of[COUNT];
  memset(touched, 0, sizeof touched);
  host h = {0};
  pl_context_def def = pl_default_context_def();
  def.task_runner = (pl_task_runner){run_backwards, &h};
  pl_context *context = NULL;
  pl_error error = {0};
  check_ok(pl_context_create(&def, &context, &error), &error);
  pl_parallel_for(context, COUNT, GRAIN, count_items, &(count_data){touched, block_of});
  assert_int_equal(h.run_count, 1);
  assert_int_equal(h.task_count, pl_block_count(COUNT, GRAIN));
  for (int32_t i = 0; i < COUNT; ++i) {
    assert_int_equal(touched[i], 1);
    assert_int_equal(block_of[i], i / GRAIN);
  }
  // No pool behind it.
  assert_int_equal(pl_context_get_memory_report(context).allocation_count, 0);
  drop_context(context);
}

enum { CALLER_COUNT = 4, CALLER_ITEMS = 3001, CALLER_ROUNDS = 200 };

typedef struct caller {
  pl_context *context;
  int32_t touched[CALLER_ITEMS], block_of[CALLER_ITEMS];
} caller;

static void *call_often(void *argument) {
  caller *c = argument;
  for (int round = 0; round < CALLER_ROUNDS; ++round)
    pl_parallel_for(c->context, CALLER_ITEMS, 50 + round, count_items, &(count_data){c->touched, c->block_of});
  return NULL;
}

static void callers_on_several_threads_do_not_mix(void **state) {
  (void)state;
  static caller callers[CALLER_COUNT];
  memset(callers, 0, sizeof callers);
  pl_context *context = make_context(3);
  pthread_t threads[CALLER_COUNT];
  for (int i = 0; i < CALLER_COUNT; ++i) {
    callers[i].context = context;
    assert_int_equal(pthread_create(&threads[i], NULL, call_often, &callers[i]), 0);
  }
  for (int i = 0; i < CALLER_COUNT; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < CALLER_COUNT; ++i)
    for (int32_t k = 0; k < CALLER_ITEMS; ++k) assert_int_equal(callers[i].touched[k], CALLER_ROUNDS);
  drop_context(context);
}

// --- a loop while another one lasts
// -----------------------------------------------------------------------------------

typedef struct long_loop {
  pl_context *context;
  sem_t begun, may_end;
} long_loop;

static void run_until_released(void *data, int32_t begin, int32_t end, int32_t block) {
  long_loop *l = data;
  (void)begin, (void)end;
  if (block != 0) return;
  sem_post(&l->begun);
  sem_wait(&l->may_end);
}

static void *run_long(void *argument) {
  long_loop *l = argument;
  pl_parallel_for(l->context, 2, 1, run_until_released, l);
  return NULL;
}

// A host that builds a model in one thread while it steps a world in another does not wait for the one with the other.
static void a_caller_that_finds_the_workers_busy_does_its_loop_alone(void **state) {
  (void)state;
  long_loop l = {.context = make_context(3)};
  int32_t touched[100] = {0}, block_of[100];
  pthread_t thread;
  sem_init(&l.begun, 0, 0);
  sem_init(&l.may_end, 0, 0);
  assert_int_equal(pthread_create(&thread, NULL, run_long, &l), 0);
  sem_wait(&l.begun);
  pl_parallel_for(l.context, 100, 7, count_items, &(count_data){touched, block_of});
  for (int32_t i = 0; i < 100; ++i) assert_int_equal(touched[i], 1);
  for (int32_t i = 0; i < 100; ++i) assert_int_equal(block_of[i], i / 7);
  sem_post(&l.may_end);
  pthread_join(thread, NULL);
  sem_destroy(&l.begun);
  sem_destroy(&l.may_end);
  drop_context(l.context);
}

// --- sleep

// Two items that wait for each other: only two threads at once can finish them.
typedef struct meeting {
  sem_t arrived[2];
} meeting;

static void meet(void *data, int32_t begin, int32_t end, int32_t block) {
  meeting *m = data;
  (void)end, (void)block;
  sem_post(&m->arrived[begin]);
  sem_wait(&m->arrived[1 - begin]);
}

static void sleep_briefly(long microseconds) {
  nanosleep(&(struct timespec){0, 1000 * microseconds}, NULL);
}

// Pauses shorter and longer than what a worker polls for, with and without a burst.
static void worker_threads_that_fell_asleep_are_woken(void **state) {
  (void)state;
  static const long PAUSES[] = {0, 10, 40, 100, 400, 2000};
  pl_context *context = make_context(2);
  for (int round = 0; round < 20; ++round)
    for (size_t i = 0; i < sizeof PAUSES / sizeof PAUSES[0]; ++i)
      for (int is_burst = 0; is_burst < 2; ++is_burst) {
        meeting m;
        for (int k = 0; k < 2; ++k) sem_init(&m.arrived[k], 0, 0);
        if (is_burst) pl_parallel_begin_burst(context);
        sleep_briefly(PAUSES[i]);
        pl_parallel_for(context, 2, 1, meet, &m);
        if (is_burst) pl_parallel_end_burst(context);
        for (int k = 0; k < 2; ++k) sem_destroy(&m.arrived[k]);
      }
  drop_context(context);
}

// The caller's item ends at once, that of the worker later: the caller polls, or sleeps.
static void end_late(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)end, (void)block;
  meeting *m = data;
  if (begin == 0) {
    sem_wait(&m->arrived[0]);
    return;
  }
  sem_post(&m->arrived[0]);
  sleep_briefly(1500);
  sem_post(&m->arrived[1]);
}

static void a_caller_waits_for_its_worker_threads(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  for (int round = 0; round < 50; ++round) {
    meeting m;
    for (int k = 0; k < 2; ++k) sem_init(&m.arrived[k], 0, 0);
    pl_parallel_for(context, 2, 1, end_late, &m);
    assert_int_equal(sem_trywait(&m.arrived[1]), 0);
    for (int k = 0; k < 2; ++k) sem_destroy(&m.arrived[k]);
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_item_is_done_once_whatever_the_threads),
      cmocka_unit_test(no_items_means_no_calls),
      cmocka_unit_test(whole_items_may_contain_loops),
      cmocka_unit_test(the_hosts_own_runner_gets_the_same_blocks),
      cmocka_unit_test(callers_on_several_threads_do_not_mix),
      cmocka_unit_test(a_caller_that_finds_the_workers_busy_does_its_loop_alone),
      cmocka_unit_test(worker_threads_that_fell_asleep_are_woken),
      cmocka_unit_test(a_caller_waits_for_its_worker_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
