// Child processes.
#define _GNU_SOURCE
#include "studio_program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/file_bytes.h"

pid_t studio_program_start(const char *program, const char *const *arguments, const char *log) {
  int file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return -1;
  pid_t process = fork();
  if (process == 0) {
    // Between fork and exec only async-signal-safe functions are allowed.
    (void)nice(10);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execv(program, (char *const *)(uintptr_t)arguments);
    _exit(127);
  }
  close(file);
  return process;
}

bool studio_program_has_ended(pid_t process, bool *good) {
  int result = 0;
  pid_t ended = waitpid(process, &result, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
  // 3: success, with remarks.
  *good = ended > 0 && WIFEXITED(result) && (WEXITSTATUS(result) == 0 || WEXITSTATUS(result) == 3);
  return true;
}

void studio_program_kill(pid_t process) {
  kill(process, SIGKILL);
  while (waitpid(process, NULL, 0) < 0 && errno == EINTR) continue;
}

void studio_program_last_line(pl_context *context, const char *log, char *line, size_t size) {
  pl_bytes bytes;
  snprintf(line, size, "the run failed");
  if (pl_bytes_read(context, log, &bytes, NULL) < 0) return;
  char *text = (char *)bytes.data;
  size_t end = bytes.size;
  while (end > 0 && text[end - 1] == '\n') --end;
  size_t begin = end;
  while (begin > 0 && text[begin - 1] != '\n') --begin;
  if (end > begin) snprintf(line, size, "%.*s", (int)(end - begin), text + begin);
  pl_bytes_free(&bytes);
}
