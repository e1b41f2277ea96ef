// The worker pool behind parallel loops. Workers sleep between loops, so that a host with other
// things to do is not slowed down.
#ifndef PL_BASE_POOL_H
#define PL_BASE_POOL_H

#include "pliant/base.h"

typedef struct pl_pool pl_pool;

int32_t pl_processor_count(void);

// A pool of `thread_count` threads, the calling one included.
pl_status pl_pool_create(pl_context *context, int32_t thread_count, pl_pool **pool,
                         pl_error *error);
void pl_pool_destroy(pl_pool *pool);

// Call task(data, i) for every i in [0, count); the caller works too. One that finds the workers
// busy for another thread does all of it alone.
void pl_pool_run(pl_pool *pool, int32_t count, pl_task_function *task, void *data);

// Between these two calls loops follow each other closely, as in a step: workers poll for the next
// one for longer before they sleep. Any thread may call them; bursts may overlap.
void pl_pool_begin_burst(pl_pool *pool);
void pl_pool_end_burst(pl_pool *pool);

// The context's way to run tasks: the host's runner, the pool, or a plain loop.
void pl_run_tasks(pl_context *context, int32_t count, pl_task_function *task, void *data);

// The same for tasks that contain loops: until all are done, every loop of the context runs on the
// thread that begins it.
void pl_run_whole_tasks(pl_context *context, int32_t count, pl_task_function *task, void *data);

#endif
