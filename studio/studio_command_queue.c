// A ring buffer of commands, guarded by a lock.
#define _POSIX_C_SOURCE 200809L
#include "studio_command_queue.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"

// Slots reserved for commands other than messages: join, leave, stop.
enum { RESERVE = 128 };

void studio_command_queue_init(studio_command_queue *queue) {
  *queue = (studio_command_queue){.start = 0};
  pthread_mutex_init(&queue->lock, NULL);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&queue->pushed, &attributes);
  pthread_condattr_destroy(&attributes);
}

void studio_command_queue_free(studio_command_queue *queue) {
  for (int i = 0; i < queue->count; ++i)
    pl_json_document_destroy(queue->commands[(queue->start + i) % STUDIO_MAX_COMMANDS].message);
  pthread_cond_destroy(&queue->pushed);
  pthread_mutex_destroy(&queue->lock);
}

static bool replaces_older(const char *name) {
  static const char *const names[] = {"drag", "camera", "tool", "steer"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

// The last pending message of the same viewer, if it has the same name.
static studio_command *find_older(studio_command_queue *queue, const studio_command *command) {
  for (int i = queue->count - 1; i >= 0; --i) {
    studio_command *older = &queue->commands[(queue->start + i) % STUDIO_MAX_COMMANDS];
    if (older->viewer != command->viewer || older->kind != STUDIO_COMMAND_MESSAGE) continue;
    return strcmp(older->name, command->name) == 0 ? older : NULL;
  }
  return NULL;
}

static bool has_refresh(const studio_command_queue *queue) {
  for (int i = 0; i < queue->count; ++i)
    if (queue->commands[(queue->start + i) % STUDIO_MAX_COMMANDS].kind == STUDIO_COMMAND_REFRESH) return true;
  return false;
}

bool studio_command_queue_push(studio_command_queue *queue, studio_command command) {
  bool is_message = command.kind == STUDIO_COMMAND_MESSAGE, taken = true;
  pthread_mutex_lock(&queue->lock);
  studio_command *older = is_message && replaces_older(command.name) ? find_older(queue, &command) : NULL;
  if (older != NULL) {
    queue->bytes = queue->bytes - older->bytes + command.bytes;
    pl_json_document_destroy(older->message);
    *older = command;
  } else if (command.kind == STUDIO_COMMAND_REFRESH && has_refresh(queue)) {
    // One pending refresh is enough.
  } else if (queue->count < STUDIO_MAX_COMMANDS - (is_message ? RESERVE : 0) &&
             queue->bytes + command.bytes <= STUDIO_MAX_COMMAND_BYTES) {
    queue->bytes += command.bytes;
    queue->commands[(queue->start + queue->count++) % STUDIO_MAX_COMMANDS] = command;
  } else {
    taken = false;
  }
  pthread_cond_signal(&queue->pushed);
  pthread_mutex_unlock(&queue->lock);
  return taken;
}

void studio_command_queue_finish(studio_command_queue *queue, const studio_command *command) {
  pthread_mutex_lock(&queue->lock);
  queue->bytes -= command->bytes;
  pthread_mutex_unlock(&queue->lock);
  pl_json_document_destroy(command->message);
}

bool studio_command_queue_pop(studio_command_queue *queue, double deadline, studio_command *command) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  double wait = deadline - pl_clock_seconds();
  if (wait > 0) {
    int64_t nanoseconds = (int64_t)(wait * 1e9) + until.tv_nsec;
    until.tv_sec += (time_t)(nanoseconds / 1000000000);
    until.tv_nsec = (long)(nanoseconds % 1000000000);
  }
  pthread_mutex_lock(&queue->lock);
  while (queue->count == 0 && wait > 0)
    if (pthread_cond_timedwait(&queue->pushed, &queue->lock, &until) != 0) break;
  bool there = queue->count > 0;
  if (there) {
    *command = queue->commands[queue->start];
    queue->start = (queue->start + 1) % STUDIO_MAX_COMMANDS;
    queue->count--;
  }
  pthread_mutex_unlock(&queue->lock);
  return there;
}
