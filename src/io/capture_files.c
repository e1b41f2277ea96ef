// Which files a pattern means. The order is that of a human reader: runs of digits are compared as numbers, so that
// frames need no leading zeros; the order of the folder itself, which differs from machine to machine, plays no part.
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/vector.h"
#include "io/capture_parts.h"
#include "io/file_bytes.h"

static bool has_wildcard(const char *text, size_t length) {
  for (size_t i = 0; i < length; ++i)
    if (text[i] == '*' || text[i] == '?') return true;
  return false;
}

// `*` stands for any letters, `?` for one. After a mismatch the last star takes one letter more; earlier ones need not
// be tried again.
static bool matches(const char *pattern, const char *name) {
  const char *star = NULL, *retry = NULL;
  while (*name != '\0') {
    if (*pattern == '*') {
      star = ++pattern;
      retry = name;
    } else if (*pattern == '?' || *pattern == *name) {
      ++pattern, ++name;
    } else if (star != NULL) {
      pattern = star;
      name = ++retry;
    } else {
      return false;
    }
  }
  while (*pattern == '*') ++pattern;
  return *pattern == '\0';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Compare two runs of digits by value and pass them.
static int compare_runs(const char **a, const char **b) {
  while (**a == '0') ++*a;
  while (**b == '0') ++*b;
  int order = 0;
  for (; is_digit(**a) && is_digit(**b); ++*a, ++*b)
    if (order == 0) order = (**a > **b) - (**a < **b);
  if (is_digit(**a)) return 1;
  if (is_digit(**b)) return -1;
  return order;
}

static int compare_names(const void *left, const void *right) {
  const char *a = *(const char *const *)left, *b = *(const char *const *)right;
  const char *a_start = a, *b_start = b;
  while (*a != '\0' && *b != '\0') {
    if (is_digit(*a) && is_digit(*b)) {
      int order = compare_runs(&a, &b);
      if (order != 0) return order;
    } else if (*a != *b) {
      return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
    } else {
      ++a, ++b;
    }
  }
  if (*a != *b) return *a == '\0' ? -1 : 1;
  return strcmp(a_start, b_start);
}

static bool has_ending(const char *name, const char *const *endings) {
  for (; *endings != NULL; ++endings)
    if (pl_ending_is(name, *endings)) return true;
  return false;
}

// Add what is wanted of the open folder to `paths`.
static bool list_folder(pl_arena *arena, DIR *open_folder, const char *folder, const char *pattern,
                        const char *const *endings, pl_vector *paths) {
  for (const struct dirent *entry = readdir(open_folder); entry != NULL; entry = readdir(open_folder)) {
    const char *name = entry->d_name;
    if (name[0] == '.' || !(pattern != NULL ? matches(pattern, name) : has_ending(name, endings))) continue;
    char *joined = pl_path_join(arena->context, folder, name);
    const char *kept = joined == NULL ? NULL : pl_arena_copy_text(arena, joined);
    pl_release(arena->context, joined);
    if (kept == NULL) return false;
    if (pl_file_exists(kept) && !pl_vector_push(paths, &kept)) return false;
  }
  return true;
}

static pl_status find_in(pl_arena *arena, const char *folder, const char *pattern, const char *const *endings,
                         pl_file_list *files, pl_error *error) {
  DIR *open_folder = opendir(folder);
  if (open_folder == NULL)
    return pl_fail(error, PL_ERROR_NOT_FOUND, "the folder \"%s\" cannot be opened: %s", folder, strerror(errno));
  pl_vector paths = pl_vector_of(arena->context, sizeof(const char *));
  bool done = list_folder(arena, open_folder, folder, pattern, endings, &paths);
  closedir(open_folder);
  if (done && paths.count > 0) qsort(paths.items, paths.count, sizeof(const char *), compare_names);
  bool found = done && paths.count > 0 && paths.count <= INT32_MAX;
  if (found) {
    files->count = (int32_t)paths.count;
    files->paths = pl_arena_copy(arena, paths.items, paths.count, sizeof(const char *));
  }
  pl_vector_free(&paths);
  if (!done || (found && files->paths == NULL)) return pl_fail_memory(error);
  return found ? PL_OK : pl_fail(error, PL_ERROR_NOT_FOUND, "no file in \"%s\" fits", folder);
}

pl_status pl_files_find(pl_arena *arena, const char *folder, const char *pattern, const char *const *endings,
                        pl_file_list *files, pl_error *error) {
  *files = (pl_file_list){0};
  char *whole = pl_path_join(arena->context, folder, pattern);
  if (whole == NULL) return pl_fail_memory(error);
  const char *slash = strrchr(pattern, '/');
  pl_status status = PL_OK;
  char *within = NULL;
  if (slash != NULL && has_wildcard(pattern, (size_t)(slash - pattern))) {
    status = pl_fail(error, PL_ERROR_INVALID_DATA, "a folder's name may not hold * or ?");
  } else if (has_wildcard(pattern, strlen(pattern))) {
    within = pl_path_folder(arena->context, whole);
    status = within == NULL ? pl_fail_memory(error)
                            : find_in(arena, within, slash == NULL ? pattern : slash + 1, NULL, files, error);
  } else if (pl_file_exists(whole)) {
    const char *kept = pl_arena_copy_text(arena, whole);
    files->paths = kept == NULL ? NULL : pl_arena_copy(arena, &kept, 1, sizeof kept);
    files->count = 1;
    if (files->paths == NULL) status = pl_fail_memory(error);
  } else {
    status = find_in(arena, whole, NULL, endings, files, error);
  }
  pl_release(arena->context, within);
  pl_release(arena->context, whole);
  return status;
}
