#define _POSIX_C_SOURCE 200809L
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/error.h"

// A loop is "open" while its tasks are handed out. One number says which loop it is, whether it is open and how many
// workers have joined it, so that a worker joins by one exchange, and the caller that closed the loop knows from the
// same number when no thread touches the loop's data any more. Locks are for those who sleep.
//
// The loops of a step follow each other within microseconds, and waking a sleeper takes some thirty. So both sides poll
// a little while before they sleep: as long as waking takes, and longer where the next loop is announced (a burst);
// only a little, because a thread that polls takes a core from the host.
//
// Each thread begins with a range of tasks of its own, the same in every loop over the same things: what it wrote in
// the last loop is still in its cache, and threads do not count in the same line of memory. Then it takes tasks from
// the ranges of the others.
typedef struct pl_pool_thread {
  pl_pool *pool;
  pthread_t handle;
  atomic_int next;  // task of the range that nobody has taken
  int32_t end;
  char padding[104];  // processors fetch two lines of memory at a time
} pl_pool_thread;

struct pl_pool {
  pl_context *context;
  pthread_mutex_t turn;  // held by the thread that runs a loop
  pthread_mutex_t lock;  // held to fall asleep and to wake others
  pthread_cond_t wake, done;
  atomic_uint_fast64_t loop;  // LOOP_JOINED, LOOP_OPEN and the number of the loop
  atomic_int sleeper_count;   // workers that sleep, or are about to
  atomic_bool caller_sleeps;  // likewise
  atomic_int burst_count;     // bursts under way
  atomic_bool stop;
  pl_task_function *task;  // these and the ranges are written before the loop is opened
  void *data;
  int32_t thread_count;  // with the one that runs a loop, whose place is the first
  pl_pool_thread threads[];
};

// Parts of `loop`: how many workers have joined and not left, is it open, and one more for each loop.
static const uint64_t LOOP_JOINED = 0xffff, LOOP_OPEN = 0x10000, LOOP_NUMBER = 0x20000;

int32_t pl_processor_count(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : count > 256 ? 256 : (int32_t)count;
}

static void set_ranges(pl_pool *pool, int32_t task_count) {
  int64_t count = pool->thread_count;
  for (int32_t k = 0; k < pool->thread_count; ++k) {
    atomic_store_explicit(&pool->threads[k].next, (int32_t)(k * (int64_t)task_count / count), memory_order_relaxed);
    pool->threads[k].end = (int32_t)((k + 1) * (int64_t)task_count / count);
  }
}

static void take_range(pl_pool_thread *thread, pl_task_function *task, void *data) {
  // Adding to a range that is used up would only take its line of memory from the thread whose it is.
  while (atomic_load_explicit(&thread->next, memory_order_relaxed) < thread->end) {
    int32_t i = atomic_fetch_add_explicit(&thread->next, 1, memory_order_relaxed);
    if (i < thread->end) task(data, i);
  }
}

static void take_tasks(pl_pool_thread *own, pl_task_function *task, void *data) {
  pl_pool *pool = own->pool;
  int32_t first = (int32_t)(own - pool->threads);
  for (int32_t k = 0; k < pool->thread_count; ++k)
    take_range(&pool->threads[(first + k) % pool->thread_count], task, data);
}

// Seconds of polling: about as long as it takes to wake a thread, and longer than what a step does between its loops.
static const double PATIENCE = 40e-6, BURST_PATIENCE = 400e-6;

static void pause_briefly(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

typedef bool pool_condition(const pl_pool *pool, uint64_t seen);

// Wait a little while until a condition holds; the longer part of it only while nobody else wants the processor.
// Returns whether it does.
static bool poll_until(pl_pool *pool, pool_condition *holds, uint64_t seen) {
  enum { POLLS = 32 };  // between two looks at the clock
  double begin = pl_clock_seconds();
  for (double waited = 0;; waited = pl_clock_seconds() - begin) {
    bool is_burst = atomic_load_explicit(&pool->burst_count, memory_order_relaxed) > 0;
    if (waited > (is_burst ? BURST_PATIENCE : PATIENCE)) return false;
    if (waited > PATIENCE) sched_yield();
    for (int i = 0; i < POLLS; ++i) {
      if (holds(pool, seen)) return true;
      pause_briefly();
    }
  }
}

// Is there a loop to join, other than the one that was seen last?
static bool may_join(const pl_pool *pool, uint64_t seen) {
  uint64_t loop = atomic_load(&pool->loop);
  return atomic_load_explicit(&pool->stop, memory_order_relaxed) ||
         ((loop & LOOP_OPEN) != 0 && loop / LOOP_NUMBER != seen);
}

static bool have_all_left(const pl_pool *pool, uint64_t unused) {
  (void)unused;
  return (atomic_load(&pool->loop) & LOOP_JOINED) == 0;
}

static void sleep_until_may_join(pl_pool *pool, uint64_t seen) {
  pthread_mutex_lock(&pool->lock);
  // A caller opens the loop first and then looks for sleepers.
  atomic_fetch_add(&pool->sleeper_count, 1);
  while (!may_join(pool, seen)) pthread_cond_wait(&pool->wake, &pool->lock);
  atomic_fetch_sub(&pool->sleeper_count, 1);
  pthread_mutex_unlock(&pool->lock);
}

// Returns whether this worker is one of the loop, whose number is then `seen`.
static bool join_loop(pl_pool *pool, uint64_t *seen) {
  uint64_t loop = atomic_load(&pool->loop);
  while ((loop & LOOP_OPEN) != 0 && loop / LOOP_NUMBER != *seen)
    if (atomic_compare_exchange_weak(&pool->loop, &loop, loop + 1)) {
      *seen = loop / LOOP_NUMBER;
      return true;
    }
  return false;
}

static void leave_loop(pl_pool *pool) {
  uint64_t before = atomic_fetch_sub(&pool->loop, 1);
  if ((before & LOOP_JOINED) > 1 || !atomic_load(&pool->caller_sleeps)) return;
  pthread_mutex_lock(&pool->lock);
  pthread_cond_signal(&pool->done);
  pthread_mutex_unlock(&pool->lock);
}

static void *work(void *argument) {
  pl_pool_thread *own = argument;
  pl_pool *pool = own->pool;
  uint64_t seen = 0;
  while (!atomic_load_explicit(&pool->stop, memory_order_relaxed)) {
    if (!poll_until(pool, may_join, seen)) sleep_until_may_join(pool, seen);
    if (!join_loop(pool, &seen)) continue;
    take_tasks(own, pool->task, pool->data);
    leave_loop(pool);
  }
  return NULL;
}

pl_status pl_pool_create(pl_context *context, int32_t thread_count, pl_pool **pool, pl_error *error) {
  *pool = NULL;
  pl_pool *made = pl_allocate_array(context, 1, sizeof(pl_pool) + (size_t)thread_count * sizeof(pl_pool_thread));
  if (made == NULL) return pl_fail_memory(error);
  made->context = context;
  pthread_mutex_init(&made->turn, NULL);
  pthread_mutex_init(&made->lock, NULL);
  pthread_cond_init(&made->wake, NULL);
  pthread_cond_init(&made->done, NULL);
  made->threads[0].pool = made;
  for (made->thread_count = 1; made->thread_count < thread_count; ++made->thread_count) {
    pl_pool_thread *thread = &made->threads[made->thread_count];
    thread->pool = made;
    if (pthread_create(&thread->handle, NULL, work, thread) != 0) {
      int32_t number = made->thread_count + 1;
      pl_pool_destroy(made);
      return pl_fail(error, PL_ERROR_UNSUPPORTED, "the system would not start thread %d of %d; ask for fewer", number,
                     thread_count);
    }
  }
  *pool = made;
  return PL_OK;
}

void pl_pool_destroy(pl_pool *pool) {
  if (pool == NULL) return;
  pthread_mutex_lock(&pool->lock);
  atomic_store(&pool->stop, true);
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->lock);
  for (int32_t i = 1; i < pool->thread_count; ++i) pthread_join(pool->threads[i].handle, NULL);
  pthread_cond_destroy(&pool->done);
  pthread_cond_destroy(&pool->wake);
  pthread_mutex_destroy(&pool->lock);
  pthread_mutex_destroy(&pool->turn);
  pl_release(pool->context, pool);
}

void pl_pool_run(pl_pool *pool, int32_t count, pl_task_function *task, void *data) {
  // Two threads of the host that use one context do not wait for each other: one that finds the workers busy does its
  // tasks alone.
  if (pthread_mutex_trylock(&pool->turn) != 0) {
    for (int32_t i = 0; i < count; ++i) task(data, i);
    return;
  }
  pool->task = task;
  pool->data = data;
  set_ranges(pool, count);
  // Nobody has joined: the number goes up by one and the loop is open.
  atomic_store(&pool->loop, (atomic_load(&pool->loop) / LOOP_NUMBER + 1) * LOOP_NUMBER + LOOP_OPEN);
  if (atomic_load(&pool->sleeper_count) > 0) {
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
  }

  take_tasks(&pool->threads[0], task, data);

  // No worker may join any more; wait for those that did.
  atomic_fetch_and(&pool->loop, ~LOOP_OPEN);
  if (!poll_until(pool, have_all_left, 0)) {
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->caller_sleeps, true);
    while (!have_all_left(pool, 0)) pthread_cond_wait(&pool->done, &pool->lock);
    atomic_store(&pool->caller_sleeps, false);
    pthread_mutex_unlock(&pool->lock);
  }
  pthread_mutex_unlock(&pool->turn);
}

void pl_pool_begin_burst(pl_pool *pool) {
  atomic_fetch_add(&pool->burst_count, 1);
}

void pl_pool_end_burst(pl_pool *pool) {
  atomic_fetch_sub(&pool->burst_count, 1);
}
