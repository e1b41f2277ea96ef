// One process or several: `pliant` is one process, mpirun starts several of `pliant-mpi`. All run
// the same code; only the independent jobs of a fit and the trials of a search are shared, and only
// the first prints messages and writes files.
#ifndef TOOL_RANKS_H
#define TOOL_RANKS_H

#include "pliant/fit.h"

// Before and after everything else. The arguments are those of main().
void tool_ranks_begin(int *count, char ***words);
void tool_ranks_end(void);

int tool_rank(void);  // of this one, from 0
int tool_rank_count(void);

// The value of the first process, in all of them: decisions are made in one place.
int tool_ranks_agree(int value);

// Copy the bytes of the first process to all of them.
void tool_ranks_broadcast(void *bytes, size_t size);

// Callbacks that run the jobs of a fit; zero for a single process.
pl_fit_batch tool_ranks_batch(void);

#endif
