// What viewers ask of the world, in the order it came: written by the thread of the connections, read by the one that simulates.
#ifndef STUDIO_COMMAND_QUEUE_H
#define STUDIO_COMMAND_QUEUE_H

#include <pthread.h>

#include "text/json.h"

typedef enum studio_command_kind {
  STUDIO_COMMAND_MESSAGE = 1,  // `message` of a viewer
  STUDIO_COMMAND_JOIN,         // a viewer is there
  STUDIO_COMMAND_LEAVE,        // … and gone
  STUDIO_COMMAND_REFRESH,      // what viewers want has changed
  STUDIO_COMMAND_WAKE,         // another thread has something to be looked at
  STUDIO_COMMAND_STOP,
} studio_command_kind;

typedef struct studio_command {
  studio_command_kind kind;
  uint32_t viewer;
  pl_json_document *message;  // an object with the text `kind`; owned by whoever has the command
  const char *name;           // that text
  size_t bytes;               // memory of the message
} studio_command;

// Maximum commands that wait, and maximum memory of messages until they are answered.
enum { STUDIO_MAX_COMMANDS = 512, STUDIO_MAX_COMMAND_BYTES = 64 << 20 };

typedef struct studio_command_queue {
  pthread_mutex_t lock;
  pthread_cond_t news;
  studio_command commands[STUDIO_MAX_COMMANDS];
  int start, count;
  size_t bytes;  // of messages that were put in and not finished
} studio_command_queue;

void studio_command_queue_init(studio_command_queue *queue);
void studio_command_queue_free(studio_command_queue *queue);

// Put a command in. Of `drag`, `camera`, `tool` and `steer` only the newest of a viewer is kept where nothing else came between. False, and nothing was taken, when
// it is full; messages leave some room to the other kinds.
bool studio_command_queue_push(studio_command_queue *queue, studio_command command);

// The message of a command that was taken out is not needed any more.
void studio_command_queue_finish(studio_command_queue *queue, const studio_command *command);

// The next command, waiting for it until `deadline` (seconds of pl_clock_seconds()); false when none came.
bool studio_command_queue_pop(studio_command_queue *queue, double deadline, studio_command *command);

#endif
