// Several processes with MPI. Each takes the next job that is not started yet: of the samples of a warm start the
// softest cost several times as much as others, and a fixed distribution would make all wait for one. Outputs are
// gathered in the order of the jobs, so the result is the same for any number of processes.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "tool_ranks.h"

void tool_ranks_begin(int *count, char ***words) {
  MPI_Init(count, words);
  // All processes print the same messages; one is enough.
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

// Counts of MPI are ints: larger arrays go in parts of this many items.
enum { PART_MAX = 1 << 27 };

void tool_ranks_broadcast(void *bytes, size_t size) {
  for (size_t done = 0; done < size; done += PART_MAX) {
    int part = (int)(size - done < PART_MAX ? size - done : PART_MAX);
    MPI_Bcast((char *)bytes + done, part, MPI_BYTE, 0, MPI_COMM_WORLD);
  }
}

// A counter shared by all processes; it is stored in the first one.
typedef struct job_counter {
  MPI_Win window;
  int *value;
} job_counter;

static job_counter open_counter(void) {
  job_counter counter;
  MPI_Win_allocate(tool_rank() == 0 ? (MPI_Aint)sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &counter.value, &counter.window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, counter.window);
  if (tool_rank() == 0) *counter.value = 0;
  MPI_Win_sync(counter.window);
  MPI_Barrier(MPI_COMM_WORLD);
  return counter;
}

static int next_job(const job_counter *counter) {
  int one = 1, job = 0;
  MPI_Fetch_and_op(&one, &job, MPI_INT, 0, 0, MPI_SUM, counter->window);
  MPI_Win_flush(0, counter->window);
  return job;
}

static void close_counter(job_counter *counter) {
  MPI_Win_unlock_all(counter->window);
  MPI_Win_free(&counter->window);
}

// Every output comes from one process and is zero bytes in all others, so that a bitwise or gathers them exactly.
static void run_jobs(void *user, const pl_fit_jobs *jobs) {
  (void)user;
  size_t size = (size_t)jobs->count * jobs->output_size;
  memset(jobs->outputs, 0, size * sizeof(double));
  job_counter counter = open_counter();
  for (int job = next_job(&counter); job < jobs->count; job = next_job(&counter))
    jobs->evaluate(jobs->data, job, jobs->outputs + (size_t)job * jobs->output_size);
  close_counter(&counter);
  for (size_t done = 0; done < size; done += PART_MAX) {
    int part = (int)(size - done < PART_MAX ? size - done : PART_MAX);
    MPI_Allreduce(MPI_IN_PLACE, jobs->outputs + done, part, MPI_UINT64_T, MPI_BOR, MPI_COMM_WORLD);
  }
}

pl_fit_batch tool_ranks_batch(void) {
  return (pl_fit_batch){.run = run_jobs};
}
