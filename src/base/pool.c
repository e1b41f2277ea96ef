#define _POSIX_C_SOURCE 200809L
#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "base/error.h"

// A loop is "open" while its tasks are handed out. A worker joins by counting itself into `busy_count` under the lock,
// so the caller knows when no thread touches the loop's data any more: when it finds no task left and busy_count is
// zero.
//
// The loops of a step follow each other within microseconds, and waking a sleeper takes some thirty. So both sides poll
// a little while before they sleep; only a little, because a thread that spins takes a core from the host.
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
  pthread_mutex_t lock;  // guards all below but the ranges
  pthread_cond_t wake, done;
  atomic_uint_fast64_t loop_number;  // changed under the lock, read without
  bool open, stop;
  atomic_int busy_count;  // likewise
  pl_task_function *task;
  void *data;
  int32_t thread_count;  // with the one that runs a loop, whose place is the first
  pl_pool_thread threads[];
};

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

// About as long as it takes to wake a thread: forty microseconds.
enum { SPIN_COUNT = 2000 };

static void pause_briefly(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static void *work(void *argument) {
  pl_pool_thread *own = argument;
  pl_pool *pool = own->pool;
  uint64_t seen = 0;
  pthread_mutex_lock(&pool->lock);
  for (;;) {
    uint64_t last = atomic_load(&pool->loop_number);
    if (!pool->stop && !(pool->open && last != seen)) {
      pthread_mutex_unlock(&pool->lock);
      for (int i = 0; i < SPIN_COUNT && atomic_load_explicit(&pool->loop_number, memory_order_relaxed) == last; ++i)
        pause_briefly();
      pthread_mutex_lock(&pool->lock);
    }
    while (!pool->stop && !(pool->open && atomic_load(&pool->loop_number) != seen))
      pthread_cond_wait(&pool->wake, &pool->lock);
    if (pool->stop) break;
    seen = atomic_load(&pool->loop_number);
    atomic_fetch_add(&pool->busy_count, 1);
    pl_task_function *task = pool->task;
    void *data = pool->data;
    pthread_mutex_unlock(&pool->lock);
    take_tasks(own, task, data);
    pthread_mutex_lock(&pool->lock);
    if (atomic_fetch_sub(&pool->busy_count, 1) == 1) pthread_cond_signal(&pool->done);
  }
  pthread_mutex_unlock(&pool->lock);
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
  pool->stop = true;
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
  pthread_mutex_lock(&pool->lock);
  pool->task = task;
  pool->data = data;
  set_ranges(pool, count);
  atomic_fetch_add(&pool->loop_number, 1);
  pool->open = true;
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->lock);

  take_tasks(&pool->threads[0], task, data);

  // No worker may join any more; wait for those that did.
  pthread_mutex_lock(&pool->lock);
  pool->open = false;
  if (atomic_load(&pool->busy_count) > 0) {
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < SPIN_COUNT && atomic_load_explicit(&pool->busy_count, memory_order_relaxed) > 0; ++i)
      pause_briefly();
    pthread_mutex_lock(&pool->lock);
  }
  while (atomic_load(&pool->busy_count) > 0) pthread_cond_wait(&pool->done, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
  pthread_mutex_unlock(&pool->turn);
}
