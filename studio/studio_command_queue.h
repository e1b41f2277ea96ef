// Requests of viewers in order of arrival: pushed by the hub's thread, popped by the world's
// thread.
#ifndef STUDIO_COMMAND_QUEUE_H
#define STUDIO_COMMAND_QUEUE_H

#include <pthread.h>

#include "text/json.h"

typedef enum studio_command_kind {
  STUDIO_COMMAND_MESSAGE = 1,  // a request: `message` of a viewer
  STUDIO_COMMAND_JOIN,         // a viewer connected
  STUDIO_COMMAND_LEAVE,        // a viewer disconnected
  STUDIO_COMMAND_REFRESH,      // a viewer changed its subscription
  STUDIO_COMMAND_WAKE,         // a background thread has a result
  STUDIO_COMMAND_STOP,
} studio_command_kind;

typedef struct studio_command {
  studio_command_kind kind;
  uint32_t viewer;
  pl_json_document *message;  // an object with a text `kind`; owned by the owner of the command
  const char *name;           // value of `kind`
  size_t bytes;               // memory of the message
} studio_command;

// Maximum pending commands, and maximum memory of unfinished messages.
enum { STUDIO_MAX_COMMANDS = 512, STUDIO_MAX_COMMAND_BYTES = 64 << 20 };

typedef struct studio_command_queue {
  pthread_mutex_t lock;
  pthread_cond_t pushed;
  studio_command commands[STUDIO_MAX_COMMANDS];
  int start, count;
  size_t bytes;  // memory of messages that were pushed and not finished
} studio_command_queue;

void studio_command_queue_init(studio_command_queue *queue);
void studio_command_queue_free(studio_command_queue *queue);

// Push a command. A `drag`, `camera`, `tool` or `steer` replaces the last pending message of the
// viewer if that has the same name. False, and the command stays the caller's, if the queue is
// full; some slots are reserved for commands that are not messages.
bool studio_command_queue_push(studio_command_queue *queue, studio_command command);

// Free the message of a popped command.
void studio_command_queue_finish(studio_command_queue *queue, const studio_command *command);

// Pop the next command; waits for one until `deadline` (seconds of pl_clock_seconds()). False if
// none came.
bool studio_command_queue_pop(studio_command_queue *queue, double deadline,
                              studio_command *command);

#endif
