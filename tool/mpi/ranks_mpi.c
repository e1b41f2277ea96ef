// Several programs that work together, by MPI. Jobs are dealt out in turn, so that long ones, which stand together, are shared; outputs are gathered in the order of the
// jobs, whoever made them, and so the result is the same for any number of programs.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "tool_ranks.h"

void tool_ranks_begin(int *count, char ***words) {
  MPI_Init(count, words);
  // All say the same; one of them is enough.
  if (tool_rank() > 0 && (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL))
    MPI_Abort(MPI_COMM_WORLD, 1);
}

void tool_ranks_end(void) {
  MPI_Finalize();
}

int tool_rank(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int tool_rank_count(void) {
  int count;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

int tool_ranks_agree(int value) {
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return value;
}

// Every output comes from one program and is zero bytes in all others, so that a bitwise or gathers them exactly, whatever the numbers are.
static void run_jobs(void *user, const pl_fit_jobs *jobs) {
  (void)user;
  int rank = tool_rank(), count = tool_rank_count();
  size_t size = (size_t)jobs->count * jobs->output_size;
  memset(jobs->outputs, 0, size * sizeof(double));
  for (int32_t job = rank; job < jobs->count; job += count)
    jobs->evaluate(jobs->data, job, jobs->outputs + (size_t)job * jobs->output_size);
  // Counts of MPI are ints.
  const size_t most = (size_t)1 << 27;
  for (size_t done = 0; done < size; done += most) {
    int part = (int)(size - done < most ? size - done : most);
    MPI_Allreduce(MPI_IN_PLACE, jobs->outputs + done, part, MPI_UINT64_T, MPI_BOR, MPI_COMM_WORLD);
  }
}

pl_fit_batch tool_ranks_batch(void) {
  return (pl_fit_batch){.run = run_jobs};
}
