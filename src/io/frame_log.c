// A log of frames that only grows: what a run has done so far, in full precision, so that a resumed run can write files
// that hold its first frames too.
//
// Layout: magic "PLIANTFL", points per frame (8 bytes, little-endian); then per frame a hash of what follows, the state
// hash (8 bytes each, as numbers of this machine) and the positions as the machine keeps them. The log is for the
// machine that made it, like the checkpoint next to it.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "base/error.h"
#include "base/hash.h"
#include "pliant/checkpoint.h"

#define MAGIC "PLIANTFL"

enum { HEAD_SIZE = 16 };

struct pl_frame_log {
  pl_context *context;
  char *path;
  int file;
  int64_t point_count, frame_count;
};

typedef struct frame_head {
  uint64_t hash;  // of state hash and positions
  uint64_t state_hash;
} frame_head;

static off_t frame_size(const pl_frame_log *log) {
  return (off_t)sizeof(frame_head) + (off_t)log->point_count * (off_t)sizeof(pl_vec3);
}

static off_t frame_position(const pl_frame_log *log, int64_t frame) {
  return HEAD_SIZE + (off_t)frame * frame_size(log);
}

static pl_status fail_file(const pl_frame_log *log, const char *what, pl_error *error) {
  return pl_fail_at(error, PL_ERROR_FILE, log->path, 0, 0, "%s: %s", what, strerror(errno));
}

static bool write_all(int file, const void *bytes, size_t size, off_t offset) {
  const char *from = bytes;
  while (size > 0) {
    ssize_t done = pwrite(file, from, size, offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    from += done;
    offset += done;
    size -= (size_t)done;
  }
  return true;
}

static bool read_all(int file, void *bytes, size_t size, off_t offset) {
  char *to = bytes;
  while (size > 0) {
    ssize_t done = pread(file, to, size, offset);
    if (done < 0 && errno == EINTR) continue;
    if (done == 0) errno = EIO;
    if (done <= 0) return false;
    to += done;
    offset += done;
    size -= (size_t)done;
  }
  return true;
}

static uint64_t hash_frame(const pl_frame_log *log, uint64_t state_hash, const pl_vec3 *points) {
  uint64_t hash = pl_hash_bytes(PL_HASH_START, &state_hash, sizeof state_hash);
  return pl_hash_bytes(hash, points, (size_t)log->point_count * sizeof *points);
}

static pl_status begin_log(pl_frame_log *log, pl_error *error) {
  unsigned char head[HEAD_SIZE] = MAGIC;
  for (int i = 0; i < 8; ++i) head[8 + i] = (unsigned char)((uint64_t)log->point_count >> (8 * i));
  if (ftruncate(log->file, 0) != 0 || !write_all(log->file, head, HEAD_SIZE, 0))
    return fail_file(log, "cannot be written", error);
  return PL_OK;
}

static pl_status check_frames(pl_frame_log *log, int64_t keep_count, pl_error *error) {
  unsigned char head[HEAD_SIZE];
  uint64_t count = 0;
  if (!read_all(log->file, head, HEAD_SIZE, 0) || memcmp(head, MAGIC, 8) != 0)
    return pl_fail_at(error, PL_ERROR_INVALID_DATA, log->path, 0, 0,
                      "this is not a log of frames; start the run again");
  for (int i = 0; i < 8; ++i) count |= (uint64_t)head[8 + i] << (8 * i);
  if (count != (uint64_t)log->point_count)
    return pl_fail_at(error, PL_ERROR_INVALID_DATA, log->path, 0, 0,
                      "the log has frames of %llu points and the run has %lld; start the run again",
                      (unsigned long long)count, (long long)log->point_count);
  pl_vec3 *points = pl_allocate_array(log->context, (size_t)log->point_count, sizeof *points);
  if (points == NULL) return pl_fail_memory(error);
  pl_status status = PL_OK;
  for (int64_t frame = 0; frame < keep_count && status == PL_OK; ++frame) {
    frame_head found;
    off_t offset = frame_position(log, frame);
    if (!read_all(log->file, &found, sizeof found, offset) ||
        !read_all(log->file, points, (size_t)log->point_count * sizeof *points, offset + (off_t)sizeof found))
      status = pl_fail_at(error, PL_ERROR_INVALID_DATA, log->path, 0, 0,
                          "the log ends before frame %lld; start the run again", (long long)frame);
    else if (found.hash != hash_frame(log, found.state_hash, points))
      status = pl_fail_at(error, PL_ERROR_INVALID_DATA, log->path, 0, 0,
                          "frame %lld of the log is damaged; start the run again", (long long)frame);
  }
  pl_release(log->context, points);
  return status;
}

pl_status pl_frame_log_open(pl_context *context, const char *path, int64_t point_count, int64_t keep_count,
                            pl_frame_log **log, pl_error *error) {
  *log = NULL;
  if (point_count < 0 || keep_count < 0 || point_count > INT64_MAX / 64)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a frame log cannot have %lld points", (long long)point_count);
  pl_frame_log *made = pl_allocate_array(context, 1, sizeof *made);
  char *copy = pl_allocate(context, strlen(path) + 1);
  if (made == NULL || copy == NULL) {
    pl_release(context, made);
    pl_release(context, copy);
    return pl_fail_memory(error);
  }
  strcpy(copy, path);
  *made = (pl_frame_log){context, copy, -1, point_count, 0};
  made->file = open(path, O_RDWR | O_CLOEXEC | (keep_count == 0 ? O_CREAT : 0), 0666);
  pl_status status = made->file < 0    ? fail_file(made, "cannot be opened", error)
                     : keep_count == 0 ? begin_log(made, error)
                                       : check_frames(made, keep_count, error);
  if (status == PL_OK && ftruncate(made->file, frame_position(made, keep_count)) != 0)
    status = fail_file(made, "cannot be cut", error);
  if (status < 0) {
    pl_frame_log_close(made);
    return status;
  }
  made->frame_count = keep_count;
  *log = made;
  return PL_OK;
}

pl_status pl_frame_log_append(pl_frame_log *log, uint64_t state_hash, const pl_vec3 *points, pl_error *error) {
  frame_head head = {hash_frame(log, state_hash, points), state_hash};
  off_t offset = frame_position(log, log->frame_count);
  if (!write_all(log->file, &head, sizeof head, offset) ||
      !write_all(log->file, points, (size_t)log->point_count * sizeof *points, offset + (off_t)sizeof head))
    return fail_file(log, "cannot be written", error);
  log->frame_count++;
  return PL_OK;
}

pl_status pl_frame_log_read(pl_frame_log *log, int64_t frame, int64_t point_start, int64_t point_count, pl_vec3 *points,
                            pl_error *error) {
  if (frame < 0 || frame >= log->frame_count || point_start < 0 || point_count < 0 ||
      point_count > log->point_count - point_start)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "the log has no frame %lld with points %lld to %lld",
                   (long long)frame, (long long)point_start, (long long)point_start + (long long)point_count);
  off_t start = frame_position(log, frame) + (off_t)sizeof(frame_head) + (off_t)point_start * (off_t)sizeof *points;
  if (!read_all(log->file, points, (size_t)point_count * sizeof *points, start))
    return fail_file(log, "cannot be read", error);
  return PL_OK;
}

pl_status pl_frame_log_get_hash(pl_frame_log *log, int64_t frame, uint64_t *state_hash, pl_error *error) {
  if (frame < 0 || frame >= log->frame_count)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "the log has no frame %lld", (long long)frame);
  frame_head head;
  if (!read_all(log->file, &head, sizeof head, frame_position(log, frame)))
    return fail_file(log, "cannot be read", error);
  *state_hash = head.state_hash;
  return PL_OK;
}

int64_t pl_frame_log_count(const pl_frame_log *log) {
  return log->frame_count;
}

pl_status pl_frame_log_sync(pl_frame_log *log, pl_error *error) {
  if (fdatasync(log->file) != 0 && errno != EINVAL) return fail_file(log, "cannot be made safe on disk", error);
  return PL_OK;
}

void pl_frame_log_close(pl_frame_log *log) {
  if (log == NULL) return;
  if (log->file >= 0) close(log->file);
  pl_release(log->context, log->path);
  pl_release(log->context, log);
}
