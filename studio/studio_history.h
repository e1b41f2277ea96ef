// The last steps of the world, as snapshots in a bounded amount of memory, so that one can go back.
//
// Large worlds are kept every few steps only: copying them in every step would cost too much of it. Steps between two snapshots are done again.
#ifndef STUDIO_HISTORY_H
#define STUDIO_HISTORY_H

#include "pliant/pliant.h"

typedef struct studio_history_entry {
  int64_t step;
  void *snapshot;
} studio_history_entry;

typedef struct studio_history {
  pl_context *context;
  size_t size;    // of a snapshot
  int64_t every;  // steps from one to the next
  studio_history_entry *entries;
  int capacity, start, count;
} studio_history;

// Begin anew for a world; false when out of memory.
bool studio_history_begin(studio_history *history, pl_context *context, const pl_world *world);
void studio_history_free(studio_history *history);

// Remember the world as it stands, if it is its turn.
void studio_history_record(studio_history *history, const pl_world *world);

// Number of the oldest step that is remembered; -1 if none is.
int64_t studio_history_oldest(const studio_history *history);

// Bring the world to the newest remembered step that is not after `step`, else to the oldest, and forget what came later.
bool studio_history_restore(studio_history *history, pl_world *world, int64_t step);

#endif
