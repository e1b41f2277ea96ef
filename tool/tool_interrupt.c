// Counts interrupts. The counter is static because a signal handler cannot reach anything else.
#include "tool_interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

// Atomic, because signals may arrive in any thread, also two at once.
static atomic_int interrupt_count;

static void count_interrupt(int signal_number) {
  if (atomic_fetch_add(&interrupt_count, 1) >= 2) _exit(128 + signal_number);
}

static void set_handler(void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

void tool_interrupt_watch(void) {
  set_handler(count_interrupt);
}

void tool_interrupt_release(void) {
  if (atomic_load(&interrupt_count) == 0) set_handler(SIG_DFL);
}

int tool_interrupt_count(void) {
  return atomic_load(&interrupt_count);
}
