// Folders and file names.
#ifndef TOOL_FOLDER_H
#define TOOL_FOLDER_H

#include <stdio.h>

#include "tool_arguments.h"

// Create a folder and its parents; prints what is wrong. True if it exists and can be written to.
bool tool_folder_make(const tool_session *tool, const char *path);

// Remove temporary files of killed processes from a folder: NAME.PROCESS-NUMBER.tmp, where the
// process does not exist any more.
void tool_folder_sweep(const char *path);

// Whether a program of that name is found on $PATH.
bool tool_has_program(const char *name);

bool tool_is_folder(const char *path);
bool tool_is_file(const char *path);

// The ending of a name without its dot, "" if it has none.
const char *tool_ending(const char *path);
bool tool_has_ending(const char *path, const char *ending);

// `path` made absolute, to be freed.
char *tool_absolute_path(const char *path);

// `text` so that a shell reads it as one word, to be freed.
char *tool_shell_word(const char *text);

// `name` with everything that file systems dislike replaced, to be freed.
char *tool_safe_name(const char *name);

// Print to standard output as JSON: a string, a number (null where it is not finite), an array.
void tool_print_json_text(const char *text);
void tool_print_json_number(double value);
void tool_print_json_numbers(const double *values, int32_t count);

// Print `text` to a file as a JSON string.
void tool_put_json_text(FILE *file, const char *text);

// The document of a capture: `path`, or, if it is a folder, the `capture.json` in it, or the
// `camera_intrinsic.json` of Open3D where there is no other. To be freed.
char *tool_capture_path(const char *path);

#endif
