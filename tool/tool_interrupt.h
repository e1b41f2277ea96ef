// Ctrl-C and the polite kill: counted, so that work can be ended at a good place.
#ifndef TOOL_INTERRUPT_H
#define TOOL_INTERRUPT_H

// From here on SIGINT and SIGTERM are counted. The third one ends the program on the spot.
void tool_interrupt_watch(void);

// They end the program again, unless there was one: the program is then about to end by itself, and a late second one must not spoil its exit code.
void tool_interrupt_release(void);

// How often the user asked to stop: once means soon, twice means now.
int tool_interrupt_count(void);

#endif
