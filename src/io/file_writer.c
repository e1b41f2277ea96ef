// Files out: written under a temporary name in the folder of the final one (so that renaming is one step of the file
// system), made safe on disk, then renamed. A crash leaves at worst a *.tmp file, never half a file under the final
// name.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"

enum { BUFFER_SIZE = 1 << 16, NAME_ATTEMPTS = 100 };

struct pl_file_writer {
  pl_context *context;
  char *path, *temporary;  // temporary is NULL when `path` is written to directly
  int file;
  int code;         // errno of the first failure, 0 if none
  size_t used;      // bytes waiting in `buffer`
  uint64_t offset;  // of the first of them in the file
  unsigned char buffer[BUFFER_SIZE];
};

static void release_writer(pl_file_writer *writer) {
  pl_context *context = writer->context;
  if (writer->file >= 0) close(writer->file);
  pl_release(context, writer->temporary);
  pl_release(context, writer->path);
  pl_release(context, writer);
}

// Open a new file next to the path. The number keeps two processes, and leftovers of a crash, apart.
static int open_temporary(pl_file_writer *writer, size_t path_length) {
  for (int attempt = 0; attempt < NAME_ATTEMPTS; ++attempt) {
    snprintf(writer->temporary, path_length + 40, "%s.%ld-%d.tmp", writer->path, (long)getpid(), attempt);
    int file = open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

pl_status pl_file_writer_open(pl_context *context, const char *path, pl_file_writer **writer, pl_error *error) {
  *writer = NULL;
  struct stat info;
  bool exists = stat(path, &info) == 0;
  if (exists && S_ISDIR(info.st_mode))
    return pl_fail_at(error, PL_ERROR_FILE, path, 0, 0, "this is a folder; name a file to write");
  size_t path_length = strlen(path);
  if (path_length == 0) return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "the name of the file to write is empty");

  pl_file_writer *made = pl_allocate(context, sizeof *made);
  if (made == NULL) return pl_fail_memory(error);
  memset(made, 0, offsetof(pl_file_writer, buffer));
  made->context = context;
  made->file = -1;
  made->path = pl_allocate(context, path_length + 1);
  bool direct = exists && !S_ISREG(info.st_mode);
  if (!direct) made->temporary = pl_allocate(context, path_length + 40);
  if (made->path == NULL || (!direct && made->temporary == NULL)) {
    release_writer(made);
    return pl_fail_memory(error);
  }
  memcpy(made->path, path, path_length + 1);
  made->file = direct ? open(path, O_WRONLY | O_CLOEXEC) : open_temporary(made, path_length);
  if (made->file < 0) {
    int code = errno;
    release_writer(made);
    return pl_fail_at(error, code == ENOENT ? PL_ERROR_NOT_FOUND : PL_ERROR_FILE, path, 0, 0, "cannot be written: %s%s",
                      strerror(code), code == ENOENT ? "; create the folder first" : "");
  }
  // A file that replaces another keeps its permissions.
  if (exists && !direct && fchmod(made->file, info.st_mode & 07777) != 0) made->code = errno;
  *writer = made;
  return PL_OK;
}

static void put(pl_file_writer *writer, const unsigned char *bytes, size_t size) {
  while (size > 0 && writer->code == 0) {
    ssize_t done = write(writer->file, bytes, size > (size_t)1 << 30 ? (size_t)1 << 30 : size);
    if (done < 0) {
      if (errno != EINTR) writer->code = errno;
      continue;
    }
    bytes += done;
    size -= (size_t)done;
    writer->offset += (uint64_t)done;
  }
}

static void flush(pl_file_writer *writer) {
  size_t used = writer->used;
  writer->used = 0;
  put(writer, writer->buffer, used);
}

void pl_file_writer_write(pl_file_writer *writer, const void *bytes, size_t size) {
  if (size == 0 || writer->code != 0) return;
  if (size > BUFFER_SIZE - writer->used) flush(writer);
  if (size >= BUFFER_SIZE) {
    put(writer, bytes, size);
    return;
  }
  memcpy(writer->buffer + writer->used, bytes, size);
  writer->used += size;
}

void pl_file_writer_print(pl_file_writer *writer, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length < 0 || (size_t)length >= sizeof text) {
    // Half a line would be worse than none.
    if (writer->code == 0) writer->code = EOVERFLOW;
    return;
  }
  pl_file_writer_write(writer, text, (size_t)length);
}

void pl_file_writer_number(pl_file_writer *writer, double value) {
  char text[PL_NUMBER_SIZE];
  size_t length = pl_number_write(value, text);
  pl_file_writer_write(writer, text, length);
}

void pl_file_writer_little(pl_file_writer *writer, uint64_t value, int size) {
  unsigned char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = (unsigned char)(value >> (8 * i));
  pl_file_writer_write(writer, bytes, (size_t)size);
}

void pl_file_writer_float32(pl_file_writer *writer, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  pl_file_writer_little(writer, bits, 4);
}

void pl_file_writer_float64(pl_file_writer *writer, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  pl_file_writer_little(writer, bits, 8);
}

uint64_t pl_file_writer_offset(const pl_file_writer *writer) {
  return writer->offset + writer->used;
}

void pl_file_writer_seek(pl_file_writer *writer, uint64_t offset) {
  flush(writer);
  if (writer->code == 0 && lseek(writer->file, (off_t)offset, SEEK_SET) < 0) writer->code = errno;
  writer->offset = offset;
}

pl_status pl_file_writer_status(const pl_file_writer *writer) {
  return writer->code == 0 ? PL_OK : PL_ERROR_FILE;
}

// The new name is on disk only when its folder is. Some file systems cannot do this; then there is nothing to be done.
static void sync_folder(pl_file_writer *writer) {
  char *slash = strrchr(writer->path, '/');
  const char *folder = slash == NULL ? "." : slash == writer->path ? "/" : writer->path;
  if (slash != NULL && slash != writer->path) *slash = '\0';
  int file = open(folder, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  (void)fsync(file);
  close(file);
}

pl_status pl_file_writer_commit(pl_file_writer *writer, pl_error *error) {
  flush(writer);
  bool direct = writer->temporary == NULL;
  if (writer->code == 0 && !direct && fsync(writer->file) != 0) writer->code = errno;
  if (close(writer->file) != 0 && writer->code == 0) writer->code = errno;
  writer->file = -1;
  if (writer->code == 0 && !direct && rename(writer->temporary, writer->path) != 0) writer->code = errno;
  pl_status status = PL_OK;
  if (writer->code != 0) {
    if (!direct) unlink(writer->temporary);
    status = pl_fail_at(error, PL_ERROR_FILE, writer->path, 0, 0, "cannot be written: %s", strerror(writer->code));
  } else if (!direct) {
    sync_folder(writer);
  }
  release_writer(writer);
  return status;
}

void pl_file_writer_abandon(pl_file_writer *writer) {
  if (writer == NULL) return;
  if (writer->temporary != NULL) unlink(writer->temporary);
  release_writer(writer);
}
