#include "tool_items.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MAX_THREADS = 256 };

typedef struct item_work {
  tool_item_function run;
  void *user;
  int32_t count;
  atomic_int next;
} item_work;

static void *work(void *data) {
  item_work *items = data;
  pl_context_def def = pl_default_context_def();
  pl_context *context = NULL;
  def.thread_count = 1;
  if (pl_context_create(&def, &context, NULL) < 0) return NULL;
  for (int32_t i; (i = atomic_fetch_add(&items->next, 1)) < items->count;) items->run(items->user, context, i);
  pl_context_destroy(context);
  return NULL;
}

void tool_run_items(int32_t count, int32_t thread_count, tool_item_function run, void *user) {
  item_work items = {run, user, count, 0};
  pthread_t threads[MAX_THREADS];
  long wanted = thread_count > 0 ? thread_count : sysconf(_SC_NPROCESSORS_ONLN);
  int32_t started = 0;
  while (started + 1 < wanted && started < MAX_THREADS && pthread_create(&threads[started], NULL, work, &items) == 0)
    ++started;
  work(&items);
  for (int32_t i = 0; i < started; ++i) pthread_join(threads[i], NULL);
}
