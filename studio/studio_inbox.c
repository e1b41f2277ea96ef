// A ring of commands under a lock.
#define _POSIX_C_SOURCE 200809L
#include "studio_inbox.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"

// Room that messages must leave to joining, leaving and stopping.
enum { RESERVE = 128 };

void studio_inbox_init(studio_inbox *inbox) {
  *inbox = (studio_inbox){.start = 0};
  pthread_mutex_init(&inbox->lock, NULL);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&inbox->news, &attributes);
  pthread_condattr_destroy(&attributes);
}

void studio_inbox_free(studio_inbox *inbox) {
  for (int i = 0; i < inbox->count; ++i) pl_json_document_destroy(inbox->commands[(inbox->start + i) % STUDIO_MAX_INBOX].message);
  pthread_cond_destroy(&inbox->news);
  pthread_mutex_destroy(&inbox->lock);
}

static bool replaces_older(const char *word) {
  static const char *const words[] = {"drag", "camera", "tool", "steer"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
    if (strcmp(word, words[i]) == 0) return true;
  return false;
}

// The last pending command of the same viewer if it is of the same word.
static studio_command *find_older(studio_inbox *inbox, const studio_command *command) {
  for (int i = inbox->count - 1; i >= 0; --i) {
    studio_command *older = &inbox->commands[(inbox->start + i) % STUDIO_MAX_INBOX];
    if (older->viewer != command->viewer || older->kind != STUDIO_COMMAND_MESSAGE) continue;
    return strcmp(older->word, command->word) == 0 ? older : NULL;
  }
  return NULL;
}

static bool has_refresh(const studio_inbox *inbox) {
  for (int i = 0; i < inbox->count; ++i)
    if (inbox->commands[(inbox->start + i) % STUDIO_MAX_INBOX].kind == STUDIO_COMMAND_REFRESH) return true;
  return false;
}

bool studio_inbox_put(studio_inbox *inbox, studio_command command) {
  bool is_message = command.kind == STUDIO_COMMAND_MESSAGE, taken = true;
  pthread_mutex_lock(&inbox->lock);
  studio_command *older = is_message && replaces_older(command.word) ? find_older(inbox, &command) : NULL;
  if (older != NULL) {
    inbox->bytes = inbox->bytes - older->bytes + command.bytes;
    pl_json_document_destroy(older->message);
    *older = command;
  } else if (command.kind == STUDIO_COMMAND_REFRESH && has_refresh(inbox)) {
    // One is enough.
  } else if (inbox->count < STUDIO_MAX_INBOX - (is_message ? RESERVE : 0) && inbox->bytes + command.bytes <= STUDIO_INBOX_BYTES) {
    inbox->bytes += command.bytes;
    inbox->commands[(inbox->start + inbox->count++) % STUDIO_MAX_INBOX] = command;
  } else {
    taken = false;
  }
  pthread_cond_signal(&inbox->news);
  pthread_mutex_unlock(&inbox->lock);
  return taken;
}

void studio_inbox_finish(studio_inbox *inbox, const studio_command *command) {
  pthread_mutex_lock(&inbox->lock);
  inbox->bytes -= command->bytes;
  pthread_mutex_unlock(&inbox->lock);
  pl_json_document_destroy(command->message);
}

bool studio_inbox_take(studio_inbox *inbox, double deadline, studio_command *command) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  double wait = deadline - pl_clock_seconds();
  if (wait > 0) {
    int64_t nanoseconds = (int64_t)(wait * 1e9) + until.tv_nsec;
    until.tv_sec += (time_t)(nanoseconds / 1000000000);
    until.tv_nsec = (long)(nanoseconds % 1000000000);
  }
  pthread_mutex_lock(&inbox->lock);
  while (inbox->count == 0 && wait > 0)
    if (pthread_cond_timedwait(&inbox->news, &inbox->lock, &until) != 0) break;
  bool there = inbox->count > 0;
  if (there) {
    *command = inbox->commands[inbox->start];
    inbox->start = (inbox->start + 1) % STUDIO_MAX_INBOX;
    inbox->count--;
  }
  pthread_mutex_unlock(&inbox->lock);
  return there;
}
