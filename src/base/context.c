#define _DEFAULT_SOURCE  // posix_memalign, and madvise where there is one
#include "base/context.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "base/error.h"
#include "base/parallel.h"
#include "base/pool.h"

struct pl_context {
  pl_allocator allocator;
  pl_log_function *log;
  void *log_user;
  pl_task_runner task_runner;
  pl_pool *pool;  // NULL with one thread or the host's own runner
  int32_t thread_count;
  atomic_int whole_count;  // calls of pl_run_whole_tasks() under way
  atomic_int_fast64_t block_count, byte_count, allocation_count;
};

// Precedes every block, so that release knows the size. As long as the alignment, so that the block after it is aligned
// too.
typedef struct block_head {
  alignas(64) size_t size;
} block_head;

// Blocks of several megabytes are put on large pages where the system offers them: kernels that stream a matrix of 20
// MB otherwise miss the table of pages all the time, and take a third longer.
enum { LARGE_PAGE = 2 << 20, LARGE_BLOCK = 4 << 20 };

static void *default_allocate(void *user, size_t size, size_t alignment) {
  (void)user;
  void *block = NULL;
  if (posix_memalign(&block, size >= LARGE_BLOCK ? LARGE_PAGE : alignment, size) != 0) return NULL;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (size >= LARGE_BLOCK) (void)madvise(block, size & ~(size_t)(LARGE_PAGE - 1), MADV_HUGEPAGE);
#endif
  return block;
}

static void default_release(void *user, void *block, size_t size) {
  (void)user;
  (void)size;
  free(block);
}

pl_context_def pl_default_context_def(void) {
  return (pl_context_def){.magic = PL_DEF_MAGIC};
}

pl_status pl_context_create(const pl_context_def *def, pl_context **context, pl_error *error) {
  *context = NULL;
  pl_status status = pl_check_def(def->magic, "pl_context_def", error);
  if (status < 0) return status;
  if ((def->allocator.allocate == NULL) != (def->allocator.release == NULL))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "give both allocate and release, or neither");
  if (def->thread_count < 0 || def->thread_count > 256)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "thread_count is %d; use 0 … 256", def->thread_count);

  pl_allocator allocator = def->allocator;
  if (allocator.allocate == NULL) allocator = (pl_allocator){default_allocate, default_release, NULL};
  pl_context *made = allocator.allocate(allocator.user, sizeof(pl_context), alignof(max_align_t));
  if (made == NULL) return pl_fail_memory(error);
  memset(made, 0, sizeof *made);
  made->allocator = allocator;
  made->log = def->log;
  made->log_user = def->log_user;
  made->task_runner = def->task_runner;
  made->thread_count = 1;
  if (def->task_runner.run == NULL) {
    made->thread_count = def->thread_count > 0 ? def->thread_count : pl_processor_count();
    if (made->thread_count > 1) {
      status = pl_pool_create(made, made->thread_count, &made->pool, error);
      if (status < 0) {
        allocator.release(allocator.user, made, sizeof(pl_context));
        return status;
      }
    }
  }
  *context = made;
  return PL_OK;
}

void pl_context_destroy(pl_context *context) {
  if (context == NULL) return;
  pl_pool_destroy(context->pool);
  pl_allocator allocator = context->allocator;
  allocator.release(allocator.user, context, sizeof(pl_context));
}

int32_t pl_context_thread_count(const pl_context *context) {
  return context->thread_count;
}

bool pl_context_has_task_runner(const pl_context *context) {
  return context->task_runner.run != NULL;
}

pl_memory_report pl_context_get_memory_report(const pl_context *context) {
  return (pl_memory_report){
      .block_count = (int64_t)atomic_load(&context->block_count),
      .byte_count = (int64_t)atomic_load(&context->byte_count),
      .allocation_count = (int64_t)atomic_load(&context->allocation_count),
  };
}

void *pl_allocate(pl_context *context, size_t size) {
  atomic_fetch_add(&context->allocation_count, 1);
  if (size > SIZE_MAX / 2) return NULL;
  block_head *head =
      context->allocator.allocate(context->allocator.user, size + sizeof(block_head), alignof(block_head));
  if (head == NULL) return NULL;
  head->size = size;
  atomic_fetch_add(&context->block_count, 1);
  atomic_fetch_add(&context->byte_count, (int_fast64_t)size);
  return head + 1;
}

void *pl_allocate_array(pl_context *context, size_t count, size_t item_size) {
  if (item_size != 0 && count > SIZE_MAX / 2 / item_size) return NULL;
  void *block = pl_allocate(context, count * item_size);
  if (block != NULL) memset(block, 0, count * item_size);
  return block;
}

void pl_release(pl_context *context, void *block) {
  if (block == NULL) return;
  block_head *head = (block_head *)block - 1;
  atomic_fetch_sub(&context->block_count, 1);
  atomic_fetch_sub(&context->byte_count, (int_fast64_t)head->size);
  context->allocator.release(context->allocator.user, head, head->size + sizeof(block_head));
}

void pl_log(pl_context *context, pl_severity severity, const char *format, ...) {
  if (context->log == NULL) return;
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  context->log(context->log_user, severity, text);
}

static void run_tasks(pl_context *context, int32_t count, pl_task_function *task, void *data) {
  if (context->task_runner.run != NULL) {
    context->task_runner.run(context->task_runner.user, count, task, data);
  } else if (context->pool != NULL && count > 1) {
    pl_pool_run(context->pool, count, task, data);
  } else {
    for (int32_t i = 0; i < count; ++i) task(data, i);
  }
}

static void run_plainly(int32_t count, pl_task_function *task, void *data) {
  for (int32_t i = 0; i < count; ++i) task(data, i);
}

void pl_run_tasks(pl_context *context, int32_t count, pl_task_function *task, void *data) {
  if (atomic_load(&context->whole_count) > 0)
    run_plainly(count, task, data);
  else
    run_tasks(context, count, task, data);
}

void pl_run_whole_tasks(pl_context *context, int32_t count, pl_task_function *task, void *data) {
  if (atomic_fetch_add(&context->whole_count, 1) == 0)
    run_tasks(context, count, task, data);
  else
    run_plainly(count, task, data);
  atomic_fetch_sub(&context->whole_count, 1);
}

void pl_parallel_begin_burst(pl_context *context) {
  if (context->pool != NULL) pl_pool_begin_burst(context->pool);
}

void pl_parallel_end_burst(pl_context *context) {
  if (context->pool != NULL) pl_pool_end_burst(context->pool);
}
