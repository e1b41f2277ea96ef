// Snapshots of the last steps of the world, in a bounded amount of memory, for stepping back.
//
// Large worlds are recorded every few steps only, because copying them in every step would take too
// long. Steps between two snapshots are simulated again.
#ifndef STUDIO_HISTORY_H
#define STUDIO_HISTORY_H

#include "pliant/pliant.h"

typedef struct studio_history_entry {
  int64_t step;
  void *snapshot;
} studio_history_entry;

typedef struct studio_history {
  pl_context *context;
  size_t size;    // of a snapshot, bytes
  int64_t every;  // steps between two snapshots
  studio_history_entry *entries;
  int capacity, start, count;
} studio_history;

// Start an empty history for a world; false: out of memory.
bool studio_history_begin(studio_history *history, pl_context *context, const pl_world *world);
void studio_history_free(studio_history *history);

// Record the world, if its step is a multiple of `every`.
void studio_history_record(studio_history *history, const pl_world *world);

// The oldest recorded step; -1: none.
int64_t studio_history_oldest(const studio_history *history);

// Restore the newest snapshot that is not after `step`, or else the oldest one, and drop later
// snapshots.
bool studio_history_restore(studio_history *history, pl_world *world, int64_t step);

#endif
