// Runs the tool itself in a separate process at low priority, for work that one of its commands
// does.
#ifndef STUDIO_PROGRAM_H
#define STUDIO_PROGRAM_H

#include <sys/types.h>

#include "pliant/base.h"

// Start `program` with `arguments` (NULL-terminated) and its output redirected to the file `log`.
// The process id, or -1.
pid_t studio_program_start(const char *program, const char *const *arguments, const char *log);

// Whether the process has ended; `*good` says whether it succeeded.
bool studio_program_has_ended(pid_t process, bool *good);

// Kill the process and wait for it.
void studio_program_kill(pid_t process);

// The last line of its output: the error message if it failed.
void studio_program_last_line(pl_context *context, const char *log, char *line, size_t size);

#endif
