// The program itself run beside the server, at a lower priority than the world that is shown: for work that a command of the tool does already.
#ifndef STUDIO_PROGRAM_H
#define STUDIO_PROGRAM_H

#include <sys/types.h>

#include "pliant/base.h"

// Start `program` with `arguments` (the last one NULL), what it says into the file `log`. The number of the process, or -1.
pid_t studio_program_start(const char *program, const char *const *arguments, const char *log);

// Whether it has ended by now; `*good` says whether it did what it was asked to.
bool studio_program_has_ended(pid_t process, bool *good);

// End it at once, and wait for that.
void studio_program_kill(pid_t process);

// The last line of what it said: what went wrong, if something did.
void studio_program_last_line(pl_context *context, const char *log, char *line, size_t size);

#endif
