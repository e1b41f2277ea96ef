// A single process.
#include "tool_ranks.h"

void tool_ranks_begin(int *count, char ***words) {
  (void)count, (void)words;
}

void tool_ranks_end(void) {
}

int tool_rank(void) {
  return 0;
}

int tool_rank_count(void) {
  return 1;
}

int tool_ranks_agree(int value) {
  return value;
}

void tool_ranks_broadcast(void *bytes, size_t size) {
  (void)bytes, (void)size;
}

pl_fit_batch tool_ranks_batch(void) {
  return (pl_fit_batch){0};
}
