// Ctrl-C (SIGINT) and SIGTERM: counted, so that work can end at a safe point.
#ifndef TOOL_INTERRUPT_H
#define TOOL_INTERRUPT_H

// From here on SIGINT and SIGTERM are counted. The third one ends the program immediately.
void tool_interrupt_watch(void);

// Restore their default action, unless one was counted: the program is then about to end, and a
// late second signal must not change its exit code.
void tool_interrupt_release(void);

// Number of interrupts: one means stop soon, two mean stop now.
int tool_interrupt_count(void);

#endif
