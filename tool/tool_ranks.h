// One program or several of them that work together: `pliant` is alone, `pliant-mpi` is started by mpirun as often as wanted. All do the same; only the independent
// jobs of a fit are shared out, and only the first one speaks and writes files.
#ifndef TOOL_RANKS_H
#define TOOL_RANKS_H

#include "pliant/fit.h"

// Before and after everything else. The arguments are those of main().
void tool_ranks_begin(int *count, char ***words);
void tool_ranks_end(void);

int tool_rank(void);  // of this one, from 0
int tool_rank_count(void);

// What the first one says, for all: whether to go on is decided in one place.
int tool_ranks_agree(int value);

// The bytes of the first one, for all.
void tool_ranks_fraction(void *bytes, size_t size);

// Who runs the jobs of a fit; zero where there is one alone.
pl_fit_batch tool_ranks_batch(void);

#endif
