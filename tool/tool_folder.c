// Folders, endings and quoting.
#include "tool_folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

bool tool_is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool tool_is_file(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

static bool make_one(const tool_session *tool, const char *path) {
  if (mkdir(path, 0777) == 0 || (errno == EEXIST && tool_is_folder(path))) return true;
  tool_print_error(&tool->console, "the folder '%s' cannot be created: %s", path,
                   errno == EEXIST ? "a file with this name exists" : strerror(errno));
  return false;
}

bool tool_folder_make(const tool_session *tool, const char *path) {
  char *part = tool_text("%s", path);
  bool good = true;
  for (char *slash = strchr(part + 1, '/'); slash != NULL && good; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    good = tool_is_folder(part) || make_one(tool, part);
    *slash = '/';
  }
  good = good && make_one(tool, part);
  free(part);
  if (good && access(path, W_OK | X_OK) != 0) {
    tool_print_error(&tool->console, "the folder '%s' cannot be written to: %s", path, strerror(errno));
    good = false;
  }
  return good;
}

// The process that a temporary file belongs to, 0 for other names.
static long process_of_name(const char *name) {
  size_t length = strlen(name), dot = length;
  if (length < 4 || strcmp(name + length - 4, ".tmp") != 0) return 0;
  for (dot = length - 4; dot > 0 && name[dot - 1] != '.';) --dot;
  char *end;
  long process = strtol(name + dot, &end, 10);
  if (dot == 0 || *end != '-' || !isdigit((unsigned char)name[dot])) return 0;
  strtol(end + 1, &end, 10);
  return strcmp(end, ".tmp") == 0 ? process : 0;
}

void tool_folder_sweep(const char *path) {
  DIR *folder = opendir(path);
  if (folder == NULL) return;
  for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
    long process = process_of_name(entry->d_name);
    if (process <= 0 || kill((pid_t)process, 0) == 0 || errno != ESRCH) continue;
    char *name = tool_text("%s/%s", path, entry->d_name);
    unlink(name);
    free(name);
  }
  closedir(folder);
}

bool tool_has_program(const char *name) {
  const char *path = getenv("PATH");
  for (const char *at = path != NULL ? path : "/usr/bin:/bin"; *at != '\0';) {
    size_t length = strcspn(at, ":");
    char *file = tool_text("%.*s/%s", (int)length, at, name);
    bool found = tool_is_file(file) && access(file, X_OK) == 0;
    free(file);
    if (found) return true;
    at += length + (at[length] == ':');
  }
  return false;
}

const char *tool_ending(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  return dot != NULL && dot != name ? dot + 1 : "";
}

bool tool_has_ending(const char *path, const char *ending) {
  return strcasecmp(tool_ending(path), ending) == 0;
}

char *tool_absolute_path(const char *path) {
  char *found = realpath(path, NULL);
  if (found != NULL) {
    char *copy = tool_text("%s", found);
    free(found);
    return copy;
  }
  if (path[0] == '/') return tool_text("%s", path);
  char *here = realpath(".", NULL);
  char *copy = tool_text("%s/%s", here != NULL ? here : ".", path);
  free(here);
  return copy;
}

char *tool_shell_word(const char *text) {
  bool plain = text[0] != '\0';
  for (const char *c = text; *c != '\0'; ++c)
    if (!isalnum((unsigned char)*c) && strchr("/._-+=:,@", *c) == NULL) plain = false;
  if (plain) return tool_text("%s", text);
  char *word = tool_allocate(4 * strlen(text) + 3, 1), *to = word;
  *to++ = '\'';
  for (const char *c = text; *c != '\0'; ++c) {
    if (*c == '\'') {
      for (const char *quote = "'\\''"; *quote != '\0'; ++quote) *to++ = *quote;
    } else {
      *to++ = *c;
    }
  }
  *to = '\'';
  return word;
}

char *tool_safe_name(const char *name) {
  char *safe = tool_text("%s", name[0] != '\0' ? name : "body");
  for (char *c = safe; *c != '\0'; ++c)
    if ((unsigned char)*c < 32 || *c == 127 || strchr("/\\:*?\"<>|", *c) != NULL) *c = '_';
  if (safe[0] == '.') safe[0] = '_';
  return safe;
}

void tool_print_json_number(double value) {
  if (isfinite(value))
    printf("%.17g", value);
  else
    printf("null");
}

void tool_print_json_numbers(const double *values, int32_t count) {
  for (int32_t i = 0; i < count; ++i) {
    putchar(i == 0 ? '[' : ',');
    tool_print_json_number(values[i]);
  }
  fputs(count == 0 ? "[]" : "]", stdout);
}

void tool_put_json_text(FILE *file, const char *text) {
  putc('"', file);
  for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; ++c) {
    if (*c == '"' || *c == '\\')
      fprintf(file, "\\%c", *c);
    else if (*c < 32)
      fprintf(file, "\\u%04x", *c);
    else
      putc(*c, file);
  }
  putc('"', file);
}

void tool_print_json_text(const char *text) {
  tool_put_json_text(stdout, text);
}

char *tool_capture_path(const char *path) {
  if (!tool_is_folder(path)) return tool_text("%s", path);
  char *own = tool_text("%s/capture.json", path), *other = tool_text("%s/camera_intrinsic.json", path);
  bool foreign = access(own, R_OK) != 0 && access(other, R_OK) == 0;
  free(foreign ? own : other);
  return foreign ? other : own;
}
