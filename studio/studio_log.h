// Lines for the person at the terminal. Whoever knocks a thousand times a second gets a few lines and a count.
#ifndef STUDIO_LOG_H
#define STUDIO_LOG_H

#include <pthread.h>

#include "studio.h"

typedef struct studio_log {
  const studio_options *options;
  pthread_mutex_t lock;
  double second;     // that is being counted
  int line_count;    // lines in this second
  int64_t left_out;  // since the last line
} studio_log;

void studio_log_init(studio_log *log, const studio_options *options);
void studio_log_free(studio_log *log);
void studio_log_write(studio_log *log, pl_severity severity, const char *format, ...) PL_PRINTF(3, 4);

#endif
