// What this program is and was made with.
#ifndef TOOL_VERSION_H
#define TOOL_VERSION_H

#include <stdio.h>

void tool_print_version(FILE *out);

#endif
