// Folders, endings and quoting.
#include "tool_folder.h"

#include <ctype.h>
#include <errno.h>
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
  tool_complain(&tool->voice, "the folder '%s' cannot be made: %s", path,
                errno == EEXIST ? "a file has this name" : strerror(errno));
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
    tool_complain(&tool->voice, "the folder '%s' cannot be written to: %s", path, strerror(errno));
    good = false;
  }
  return good;
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
      memcpy(to, "'\\''", 4);
      to += 4;
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

void tool_print_json_text(const char *text) {
  putchar('"');
  for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; ++c) {
    if (*c == '"' || *c == '\\')
      printf("\\%c", *c);
    else if (*c < 32)
      printf("\\u%04x", *c);
    else
      putchar(*c);
  }
  putchar('"');
}
