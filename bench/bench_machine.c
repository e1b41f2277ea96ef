// What the machine itself can do: the limits that everything else is compared with.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bench_suite.h"

// --- memory -----------------------------------------------------------------------------------------------------

typedef struct memory_stream {
  float *a, *b, *c;
  size_t count;  // of floats in each
  int rounds;
  bool copy;
} memory_stream;

static void triad(float *restrict a, const float *restrict b, const float *restrict c, float s, size_t count) {
  for (size_t i = 0; i < count; ++i) a[i] = b[i] + s * c[i];
}

static void *run_stream(void *data) {
  memory_stream *stream = data;
  for (int round = 0; round < stream->rounds; ++round) {
    if (stream->copy)
      memcpy(stream->a, stream->b, stream->count * sizeof(float));
    else
      triad(stream->a, stream->b, stream->c, 0.5F + (float)round * 0.25F, stream->count);
    // The compiler must not think that nobody reads the result.
    __asm__ volatile("" : : "r"(stream->a) : "memory");
  }
  return NULL;
}

static memory_stream make_stream(size_t bytes, bool copy) {
  memory_stream stream = {.count = bytes / ((copy ? 2 : 3) * sizeof(float)), .copy = copy};
  if (stream.count < 16) stream.count = 16;
  stream.a = tool_allocate(stream.count, sizeof(float));
  stream.b = tool_allocate(stream.count, sizeof(float));
  stream.c = copy ? NULL : tool_allocate(stream.count, sizeof(float));
  for (size_t i = 0; i < stream.count; ++i) {
    stream.a[i] = 1;
    stream.b[i] = (float)(i % 7);
    if (stream.c != NULL) stream.c[i] = (float)(i % 5);
  }
  return stream;
}

static void free_stream(memory_stream *stream) {
  free(stream->a);
  free(stream->b);
  free(stream->c);
}

// One measurement: seconds for all threads to go over their arrays `rounds` times.
static double time_streams(memory_stream *streams, int threads, int rounds) {
  pthread_t workers[64];
  bool started[64] = {false};
  double begin = tool_seconds();
  for (int i = 0; i < threads; ++i) streams[i].rounds = rounds;
  for (int i = 1; i < threads; ++i) started[i] = pthread_create(&workers[i], NULL, run_stream, &streams[i]) == 0;
  run_stream(&streams[0]);
  for (int i = 1; i < threads; ++i)
    if (started[i])
      pthread_join(workers[i], NULL);
    else
      run_stream(&streams[i]);
  return tool_seconds() - begin;
}

static double measure_bandwidth(size_t bytes, int threads, bool copy) {
  memory_stream streams[64];
  if (threads > 64) threads = 64;
  for (int i = 0; i < threads; ++i) streams[i] = make_stream(bytes / (size_t)threads, copy);
  double moved = (double)threads * (double)streams[0].count * sizeof(float) * (copy ? 2 : 3), best = 0;
  // Long enough that starting threads does not count; the first pass brings the memory near.
  int rounds = 1 + (int)(5e7 / moved);
  time_streams(streams, threads, 1);
  for (int i = 0; i < 5; ++i) {
    double rate = moved * rounds / time_streams(streams, threads, rounds);
    if (rate > best) best = rate;
  }
  for (int i = 0; i < threads; ++i) free_stream(&streams[i]);
  return best;
}

double bench_bandwidth(size_t bytes, int threads) {
  return measure_bandwidth(bytes, threads, false);
}

static void bench_memory(bench_session *bench) {
  size_t bytes = bench->quick ? (size_t)48 << 20 : (size_t)192 << 20;
  static const struct {
    const char *name;
    bool copy;
    int threads;
  } cases[] = {
      {"memory copy", true, 1}, {"memory triad", false, 1}, {"memory copy", true, 2}, {"memory triad", false, 2}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    bench_samples samples = {0};
    for (int i = 0; i < bench_repeats(bench); ++i)
      bench_add(&samples, 1e-9 * measure_bandwidth(bytes, cases[k].threads, cases[k].copy));
    bench_row row = {.suite = "machine",
                     .name = cases[k].name,
                     .threads = cases[k].threads,
                     .unit = "GB/s",
                     .higher_is_better = true,
                     .size = (int64_t)bytes};
    bench_print(bench, &row, &samples);
  }
}

// --- arithmetic -------------------------------------------------------------------------------------------------

typedef float lanes __attribute__((vector_size(32)));

enum { CHAIN_COUNT = 10 };

// Ten independent chains of x = x * a + b, eight numbers each: enough to keep every unit of today's processors busy.
#define MULTIPLY_ADD_BODY(rounds)                                 \
  lanes x[CHAIN_COUNT], a, b;                                     \
  for (int k = 0; k < CHAIN_COUNT; ++k)                           \
    for (int i = 0; i < 8; ++i) x[k][i] = (float)(k + i);         \
  for (int i = 0; i < 8; ++i) a[i] = 0.999F, b[i] = 0.001F;       \
  for (long round = 0; round < (rounds); ++round) {               \
    for (int k = 0; k < CHAIN_COUNT; ++k) x[k] = x[k] * a + b;    \
  }                                                               \
  float sum = 0;                                                  \
  for (int k = 0; k < CHAIN_COUNT; ++k) sum += x[k][0] + x[k][7]; \
  return sum;

static float multiply_add_plain(long rounds) {
  MULTIPLY_ADD_BODY(rounds)
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static float multiply_add_wide(long rounds) {
  MULTIPLY_ADD_BODY(rounds)
}
#endif

static float multiply_add(long rounds) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return multiply_add_wide(rounds);
#endif
  return multiply_add_plain(rounds);
}

static void bench_arithmetic(bench_session *bench) {
  bench_samples samples = {0};
  long rounds = bench->quick ? 1000000 : 5000000;
  volatile float sink = multiply_add(1000);
  for (int i = 0; i < bench_repeats(bench); ++i) {
    double begin = tool_seconds();
    sink = multiply_add(rounds);
    // A multiplication and an addition each count as one operation.
    bench_add(&samples, 1e-9 * 2 * 8 * CHAIN_COUNT * (double)rounds / (tool_seconds() - begin));
  }
  (void)sink;
  bench_row row = {
      .suite = "machine", .name = "multiply and add", .threads = 1, .unit = "Gflop/s", .higher_is_better = true};
  bench_print(bench, &row, &samples);
}

// --- threads ----------------------------------------------------------------------------------------------------

typedef struct ball_game {
  pthread_mutex_t mutex;
  pthread_cond_t thrown;
  int side;  // whose turn it is
  int rounds;
} ball_game;

static void throw_ball(ball_game *game, int side) {
  for (int i = 0; i < game->rounds; ++i) {
    pthread_mutex_lock(&game->mutex);
    while (game->side != side) pthread_cond_wait(&game->thrown, &game->mutex);
    game->side = 1 - side;
    pthread_cond_signal(&game->thrown);
    pthread_mutex_unlock(&game->mutex);
  }
}

static void *play(void *data) {
  throw_ball(data, 1);
  return NULL;
}

// A thread that sleeps is woken, over and over: the price of handing work to another one.
static void bench_waking(bench_session *bench) {
  bench_samples samples = {0};
  for (int i = 0; i < bench_repeats(bench); ++i) {
    ball_game game = {
        .mutex = PTHREAD_MUTEX_INITIALIZER, .thrown = PTHREAD_COND_INITIALIZER, .rounds = bench->quick ? 1000 : 5000};
    pthread_t other;
    if (pthread_create(&other, NULL, play, &game) != 0) return;
    double begin = tool_seconds();
    throw_ball(&game, 0);
    pthread_join(other, NULL);
    bench_add(&samples, 1e6 * (tool_seconds() - begin) / (2.0 * game.rounds));
  }
  bench_row row = {.suite = "machine", .name = "waking a thread", .threads = 2, .unit = "us"};
  bench_print(bench, &row, &samples);
}

int bench_machine(bench_session *bench) {
  bench_memory(bench);
  bench_arithmetic(bench);
  bench_waking(bench);
  return TOOL_DONE;
}
