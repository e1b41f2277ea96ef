// The log, with a limited number of lines per second.
#include "studio_log.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

enum { MAX_LINES_PER_SECOND = 20 };

void studio_log_init(studio_log *log, const studio_options *options) {
  *log = (studio_log){.options = options};
  pthread_mutex_init(&log->lock, NULL);
}

void studio_log_free(studio_log *log) {
  pthread_mutex_destroy(&log->lock);
}

void studio_log_write(studio_log *log, pl_severity severity, const char *format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  line[strcspn(line, "\n")] = '\0';
  // Text from the network must not send control characters to the terminal.
  for (char *c = line; *c != '\0'; ++c)
    if ((unsigned char)*c < ' ' || *c == 0x7F) *c = '?';
  pthread_mutex_lock(&log->lock);
  double second = floor(pl_clock_seconds());
  if (second > log->second) {
    log->second = second;
    log->line_count = 0;
    char count[64];
    snprintf(count, sizeof count, "%lld lines were dropped", (long long)log->left_out);
    if (log->left_out > 0) log->options->log(log->options->user, PL_SEVERITY_NOTE, count);
    log->left_out = 0;
  }
  if (log->line_count++ < MAX_LINES_PER_SECOND)
    log->options->log(log->options->user, severity, line);
  else
    log->left_out++;
  pthread_mutex_unlock(&log->lock);
}
