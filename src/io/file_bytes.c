// Whole files in: the size is asked first, so that a file too large is refused before memory is taken; what cannot tell
// its size (a pipe) is read in growing pieces. Also the few operations on paths that readers of several files need.
#define _POSIX_C_SOURCE 200809L
#include "io/file_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "base/error.h"

static pl_status fail_file(pl_error *error, const char *path, const char *what) {
  int code = errno;
  pl_status status = code == ENOENT || code == ENOTDIR ? PL_ERROR_NOT_FOUND : PL_ERROR_FILE;
  return pl_fail_at(error, status, path, 0, 0, "%s: %s", what, strerror(code));
}

static pl_status fail_too_large(pl_error *error, const char *path) {
  return pl_fail_at(error, PL_ERROR_UNSUPPORTED, path, 0, 0, "the file is larger than the %d GiB that are read",
                    (int)(PL_MAX_FILE_SIZE >> 30));
}

static bool grow(pl_bytes *bytes, size_t *capacity) {
  size_t larger = *capacity * 2;
  unsigned char *data = pl_allocate(bytes->context, larger + 1);
  if (data == NULL) return false;
  memcpy(data, bytes->data, bytes->size);
  pl_release(bytes->context, bytes->data);
  bytes->data = data;
  *capacity = larger;
  return true;
}

// Fill `bytes` from the open file; it may hold more or fewer bytes than `guess`.
static pl_status read_all(int file, size_t guess, const char *path, pl_bytes *bytes, pl_error *error) {
  size_t capacity = guess > 0 ? guess : 65536;
  bytes->data = pl_allocate(bytes->context, capacity + 1);
  if (bytes->data == NULL) return pl_fail_memory(error);
  for (;;) {
    if (bytes->size == capacity) {
      // At the expected end one byte more shows whether the file continues, without doubling the memory.
      unsigned char more;
      ssize_t got = read(file, &more, 1);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail_file(error, path, "cannot be read");
      if (got == 0) break;
      if (capacity > PL_MAX_FILE_SIZE / 2) return fail_too_large(error, path);
      if (!grow(bytes, &capacity)) return pl_fail_memory(error);
      bytes->data[bytes->size++] = more;
    }
    size_t wanted = capacity - bytes->size;
    if (wanted > (size_t)1 << 30) wanted = (size_t)1 << 30;
    ssize_t got = read(file, bytes->data + bytes->size, wanted);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_file(error, path, "cannot be read");
    if (got == 0) break;
    bytes->size += (size_t)got;
  }
  bytes->data[bytes->size] = 0;
  return PL_OK;
}

pl_status pl_bytes_read(pl_context *context, const char *path, pl_bytes *bytes, pl_error *error) {
  *bytes = (pl_bytes){.context = context};
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return fail_file(error, path, "cannot be opened");
  struct stat info;
  pl_status status = PL_OK;
  if (fstat(file, &info) != 0) {
    status = fail_file(error, path, "cannot be read");
  } else if (S_ISDIR(info.st_mode)) {
    status = pl_fail_at(error, PL_ERROR_FILE, path, 0, 0, "this is a folder; name a file in it");
  } else if (S_ISBLK(info.st_mode) || (S_ISCHR(info.st_mode) && !isatty(file))) {
    // /dev/zero has no end: it would be read until the limit, and fill the memory before.
    status = pl_fail_at(error, PL_ERROR_UNSUPPORTED, path, 0, 0, "this is a device; name a file");
  } else if (S_ISREG(info.st_mode) && (uint64_t)info.st_size > PL_MAX_FILE_SIZE) {
    status = fail_too_large(error, path);
  } else {
    status = read_all(file, S_ISREG(info.st_mode) ? (size_t)info.st_size : 0, path, bytes, error);
  }
  close(file);
  if (status < 0) pl_bytes_free(bytes);
  return status;
}

void pl_bytes_free(pl_bytes *bytes) {
  if (bytes->data != NULL) pl_release(bytes->context, bytes->data);
  *bytes = (pl_bytes){.context = bytes->context};
}

bool pl_file_exists(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && !S_ISDIR(info.st_mode) && access(path, R_OK) == 0;
}

static char *join_text(pl_context *context, const char *a, size_t a_length, const char *middle, const char *b) {
  size_t middle_length = strlen(middle), b_length = strlen(b);
  char *text = pl_allocate(context, a_length + middle_length + b_length + 1);
  if (text == NULL) return NULL;
  memcpy(text, a, a_length);
  memcpy(text + a_length, middle, middle_length);
  memcpy(text + a_length + middle_length, b, b_length + 1);
  return text;
}

char *pl_path_join(pl_context *context, const char *folder, const char *name) {
  if (folder == NULL || folder[0] == '\0' || name[0] == '/') return join_text(context, "", 0, "", name);
  size_t length = strlen(folder);
  return join_text(context, folder, length, folder[length - 1] == '/' ? "" : "/", name);
}

char *pl_path_folder(pl_context *context, const char *path) {
  const char *slash = strrchr(path, '/');
  if (slash == NULL) return join_text(context, ".", 1, "", "");
  return join_text(context, path, slash == path ? 1 : (size_t)(slash - path), "", "");
}

const char *pl_path_ending(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *dot = strrchr(slash == NULL ? path : slash, '.');
  return dot == NULL ? path + strlen(path) : dot;
}

char *pl_path_with_ending(pl_context *context, const char *path, const char *ending) {
  return join_text(context, path, (size_t)(pl_path_ending(path) - path), "", ending);
}

bool pl_ending_is(const char *path, const char *ending) {
  const char *own = pl_path_ending(path);
  for (; *own != '\0' || *ending != '\0'; ++own, ++ending) {
    char a = *own, b = *ending;
    if (a >= 'A' && a <= 'Z') a = (char)(a - 'A' + 'a');
    if (b >= 'A' && b <= 'Z') b = (char)(b - 'A' + 'a');
    if (a != b) return false;
  }
  return true;
}
