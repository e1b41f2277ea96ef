// A ring buffer of snapshots.
#include "studio_history.h"

#include <math.h>

#include "base/context.h"

static const size_t MAX_BYTES = (size_t)64 << 20;
// Maximum bytes copied per simulated second.
static const double MAX_BYTES_PER_SECOND = 2e8;
enum { MAX = 4096, MIN = 2 };

void studio_history_free(studio_history *history) {
  for (int i = 0; i < history->capacity; ++i) pl_release(history->context, history->entries[i].snapshot);
  if (history->context != NULL) pl_release(history->context, history->entries);
  *history = (studio_history){.context = NULL};
}

bool studio_history_begin(studio_history *history, pl_context *context, const pl_world *world) {
  studio_history_free(history);
  size_t size = pl_world_snapshot_size(world);
  double copied = (double)size / pl_world_get_step_length(world);
  size_t fit = MAX_BYTES / size;
  int capacity = fit > MAX ? MAX : fit < MIN ? MIN : (int)fit;
  *history = (studio_history){
      .context = context, .size = size, .every = (int64_t)fmax(1, ceil(copied / MAX_BYTES_PER_SECOND))};
  history->entries = pl_allocate_array(context, (size_t)capacity, sizeof(studio_history_entry));
  if (history->entries == NULL) return false;
  history->capacity = capacity;
  return true;
}

static studio_history_entry *entry_at(const studio_history *history, int index) {
  return &history->entries[(history->start + index) % history->capacity];
}

void studio_history_record(studio_history *history, const pl_world *world) {
  int64_t step = pl_world_step_count(world);
  if (history->capacity == 0 || step % history->every != 0) return;
  if (history->count == history->capacity) {
    history->start = (history->start + 1) % history->capacity;
    history->count--;
  }
  studio_history_entry *past = entry_at(history, history->count);
  if (past->snapshot == NULL) past->snapshot = pl_allocate(history->context, history->size);
  if (past->snapshot == NULL) return;
  past->step = step;
  pl_world_snapshot(world, past->snapshot);
  history->count++;
}

int64_t studio_history_oldest(const studio_history *history) {
  return history->count > 0 ? entry_at(history, 0)->step : -1;
}

bool studio_history_restore(studio_history *history, pl_world *world, int64_t step) {
  while (history->count > 1 && entry_at(history, history->count - 1)->step > step) history->count--;
  if (history->count == 0) return false;
  const studio_history_entry *past = entry_at(history, history->count - 1);
  return pl_world_restore(world, past->snapshot, history->size, NULL) >= 0;
}
