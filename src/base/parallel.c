#include "base/parallel.h"

#include "base/pool.h"

typedef struct loop {
  pl_range_function *work;
  void *data;
  int32_t item_count, grain;
} loop;

int32_t pl_block_count(int32_t item_count, int32_t grain) {
  return item_count <= 0 ? 0 : (item_count - 1) / grain + 1;
}

static void run_block(void *data, int32_t block) {
  const loop *l = data;
  int32_t begin = block * l->grain;
  int32_t end = l->item_count - begin > l->grain ? begin + l->grain : l->item_count;
  l->work(l->data, begin, end, block);
}

void pl_parallel_for(pl_context *context, int32_t item_count, int32_t grain, pl_range_function *work, void *data) {
  loop l = {work, data, item_count, grain};
  pl_run_tasks(context, pl_block_count(item_count, grain), run_block, &l);
}

void pl_parallel_for_whole(pl_context *context, int32_t item_count, pl_range_function *work, void *data) {
  loop l = {work, data, item_count, 1};
  pl_run_whole_tasks(context, item_count, run_block, &l);
}
