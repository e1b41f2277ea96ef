// The log on the terminal. The number of lines per second is limited; more lines are counted.
#ifndef STUDIO_LOG_H
#define STUDIO_LOG_H

#include <pthread.h>

#include "studio.h"

typedef struct studio_log {
  const studio_options *options;
  pthread_mutex_t lock;
  double second;     // the current second
  int line_count;    // lines in this second
  int64_t left_out;  // lines that were dropped
} studio_log;

void studio_log_init(studio_log *log, const studio_options *options);
void studio_log_free(studio_log *log);
void studio_log_write(studio_log *log, pl_severity severity, const char *format, ...)
    PL_PRINTF(3, 4);

#endif
