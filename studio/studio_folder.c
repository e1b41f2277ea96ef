// Access rules of the folder of the viewers.
#define _GNU_SOURCE
#include "studio_folder.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"

enum { NAME_LIMIT = 100, SCENE_SIZE_LIMIT = 256 << 20 };

// --- opening
// ---------------------------------------------------------------------------------------------------------------

// Whether `whole`, a path without links, is `folder` or inside it.
static bool is_below(const char *folder, const char *whole) {
  char root[PATH_MAX];
  if (folder == NULL || realpath(folder, root) == NULL) return false;
  size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
  return strncmp(whole, root, length) == 0 && (whole[length] == '/' || whole[length] == '\0');
}

pl_status studio_folder_check_open(const studio_world *w, const char *path, pl_error *error) {
  char whole[PATH_MAX];
  const char *folder = w->options->folder;
  if (realpath(path, whole) != NULL && (is_below(folder, whole) || is_below(w->options->gallery, whole))) return PL_OK;
  if (folder == NULL)
    return pl_fail_at(
        error, PL_ERROR_NOT_FOUND, path, 0, 0,
        "there is no such file in the gallery, and this server has no other folder to open scenes from; start it with "
        "--folder DIR, or drop the file on the page");
  return pl_fail_at(
      error, PL_ERROR_NOT_FOUND, path, 0, 0,
      "there is no such file in the folder of this server, %s; start it with --folder DIR for another one, or drop "
      "the file on the page",
      folder);
}

// --- saving
// ----------------------------------------------------------------------------------------------------------------

static bool is_plain_name(const char *name, size_t length) {
  size_t ending = strlen(".json");
  if (strlen(name) != length || length <= ending || length > NAME_LIMIT || strcmp(name + length - ending, ".json") != 0)
    return false;
  if (!isascii((unsigned char)name[0]) || !isalnum((unsigned char)name[0])) return false;
  for (const char *c = name; *c != '\0'; ++c)
    if (!isascii((unsigned char)*c) || (!isalnum((unsigned char)*c) && strchr(" ._-", *c) == NULL)) return false;
  return true;
}

// Not every JSON object is a scene: a capture.json or package.json must not be overwritten.
static bool is_scene(pl_context *context, const char *path) {
  pl_bytes bytes;
  pl_json_document *document = NULL;
  int64_t version;
  if (pl_bytes_read(context, path, &bytes, NULL) < 0) return false;
  bool scene = pl_json_parse(context, (const char *)bytes.data, bytes.size, path, NULL, &document, NULL) == PL_OK;
  if (scene) {
    const pl_json *bodies = pl_json_find(document->root, "bodies");
    scene = pl_json_get_integer(pl_json_find(document->root, "pliant"), &version) && bodies != NULL &&
            bodies->kind == PL_JSON_ARRAY;
  }
  pl_json_document_destroy(document);
  pl_bytes_free(&bytes);
  return scene;
}

// An existing file may be overwritten if it is a scene and not a link.
static pl_status check_old(pl_context *context, const char *path, pl_error *error) {
  struct stat facts;
  if (lstat(path, &facts) != 0)
    return errno == ENOENT ? PL_OK
                           : pl_fail_at(error, PL_ERROR_FILE, path, 0, 0, "cannot be written: %s", strerror(errno));
  if (!S_ISREG(facts.st_mode))
    return pl_fail_at(error, PL_ERROR_FILE, path, 0, 0, "a link or a folder has this name; choose another name");
  if (facts.st_size > SCENE_SIZE_LIMIT || !is_scene(context, path))
    return pl_fail_at(error, PL_ERROR_FILE, path, 0, 0,
                      "a file that is not a scene has this name; choose another name");
  return PL_OK;
}

pl_status studio_folder_save_path(const studio_world *w, const char *name, size_t length, char **path,
                                  pl_error *error) {
  *path = NULL;
  if (w->options->folder == NULL)
    return pl_fail(error, PL_ERROR_UNSUPPORTED,
                   "this server has no folder to save scenes into; start it with --folder DIR, or download the scene");
  if (!is_plain_name(name, length))
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "\"%.60s\" is not a plain file name; use letters, digits, spaces, dots, - and _, at most %d of "
                   "them, begin with a "
                   "letter or digit, and end in .json",
                   name, NAME_LIMIT);
  *path = pl_path_join(w->context, w->options->folder, name);
  if (*path == NULL) return pl_fail_memory(error);
  pl_status status = check_old(w->context, *path, error);
  if (status >= 0) return status;
  pl_release(w->context, *path);
  *path = NULL;
  return status;
}

bool studio_folder_can_write(pl_context *context, const char *path, const void *bytes, size_t size) {
  struct stat facts;
  pl_bytes old;
  if (lstat(path, &facts) != 0) return errno == ENOENT;
  if (!S_ISREG(facts.st_mode) || (size_t)facts.st_size != size || pl_bytes_read(context, path, &old, NULL) < 0)
    return false;
  bool same = old.size == size && memcmp(old.data, bytes, size) == 0;
  pl_bytes_free(&old);
  return same;
}
