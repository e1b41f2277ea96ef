// PC2 and MDD read back, frame by frame, straight from the file. PC2 is known by its first bytes. MDD has none to be
// known by; it is taken for one when its two counts explain the size of the file to the byte.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "pliant/frames.h"

enum { PC2_HEAD_SIZE = 32, MDD_HEAD_SIZE = 8, POINTS_AT_ONCE = 512 };

struct pl_frame_file {
  pl_context *context;
  int file;
  char *path;
  pl_frame_file_report report;
  uint64_t size;         // of the file
  uint64_t first_point;  // offset of the first frame
};

static uint32_t read32(const unsigned char *bytes, bool big_endian) {
  uint32_t a = bytes[0], b = bytes[1], c = bytes[2], d = bytes[3];
  return big_endian ? a << 24 | b << 16 | c << 8 | d : d << 24 | c << 16 | b << 8 | a;
}

static float read_float(const unsigned char *bytes, bool big_endian) {
  uint32_t bits = read32(bytes, big_endian);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// `size` bytes from `offset` on; false at the end of the file or on an error.
static bool read_at(const pl_frame_file *file, uint64_t offset, unsigned char *bytes, size_t size) {
  while (size > 0) {
    ssize_t got = pread(file->file, bytes, size, (off_t)offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    offset += (uint64_t)got;
    size -= (size_t)got;
  }
  return true;
}

static pl_status fail_here(const pl_frame_file *file, pl_error *error, const char *text) {
  return pl_fail_at(error, PL_ERROR_INVALID_DATA, file->path, 0, 0, "%s", text);
}

static pl_status open_pc2(pl_frame_file *file, const unsigned char *head, pl_error *error) {
  if (file->size < PC2_HEAD_SIZE) return fail_here(file, error, "the PC2 file ends inside its header");
  uint32_t version = read32(head + 12, false), point_count = read32(head + 16, false),
           sample_count = read32(head + 28, false);
  float start = read_float(head + 20, false), rate = read_float(head + 24, false);
  if (version != 1)
    return pl_fail_at(error, PL_ERROR_UNSUPPORTED, file->path, 0, 0, "PC2 version %u is not supported; version 1 is",
                      version);
  if (point_count < 1 || point_count > INT32_MAX || sample_count > INT32_MAX)
    return pl_fail_at(error, PL_ERROR_INVALID_DATA, file->path, 0, 0,
                      "%u points and %u samples are more than the file can hold; it is damaged", point_count,
                      sample_count);
  if (sample_count == 0) return fail_here(file, error, "the PC2 file has no samples: its writer did not finish");
  if (!isfinite(start) || !isfinite(rate) || rate <= 0)
    return fail_here(file, error, "the PC2 file's start or sample rate makes no sense");
  // At most 2^31 x 2^31 x 12: more than 64 bits hold, so the count is asked for by division.
  uint64_t frame_size = 12 * (uint64_t)point_count, body = file->size - PC2_HEAD_SIZE;
  if (body / frame_size != sample_count || body % frame_size != 0)
    return pl_fail_at(error, PL_ERROR_INVALID_DATA, file->path, 0, 0,
                      "the header says %u samples of %u points, but there are bytes for %llu: the file is cut off or "
                      "its writer did not finish",
                      sample_count, point_count, (unsigned long long)(body / frame_size));
  file->report = (pl_frame_file_report){.format = PL_FRAMES_PC2,
                                        .point_count = (int32_t)point_count,
                                        .frame_count = (int32_t)sample_count,
                                        .start_time = (double)start,
                                        .frame_rate = 1 / (double)rate};
  file->first_point = PC2_HEAD_SIZE;
  return PL_OK;
}

static pl_status open_mdd(pl_frame_file *file, const unsigned char *head, pl_error *error) {
  static const char unknown[] =
      "this is neither a PC2 nor an MDD file: it has no PC2 header, and MDD counts would need another size";
  if (file->size < MDD_HEAD_SIZE) return fail_here(file, error, unknown);
  uint64_t frame_count = read32(head, true), point_count = read32(head + 4, true);
  if (frame_count < 1 || frame_count > INT32_MAX || point_count < 1 || point_count > INT32_MAX)
    return fail_here(file, error, unknown);
  uint64_t frame_size = 4 + 12 * point_count, body = file->size - MDD_HEAD_SIZE;
  if (body / frame_size != frame_count || body % frame_size != 0) return fail_here(file, error, unknown);
  unsigned char first[4], last[4];
  if (!read_at(file, MDD_HEAD_SIZE, first, 4) || !read_at(file, MDD_HEAD_SIZE + 4 * (frame_count - 1), last, 4))
    return pl_fail_at(error, PL_ERROR_FILE, file->path, 0, 0, "cannot be read");
  double start = (double)read_float(first, true), span = (double)read_float(last, true) - start;
  if (!isfinite(start) || !isfinite(span)) return fail_here(file, error, "the MDD file's times are not finite");
  file->report =
      (pl_frame_file_report){.format = PL_FRAMES_MDD,
                             .point_count = (int32_t)point_count,
                             .frame_count = (int32_t)frame_count,
                             .start_time = start,
                             .frame_rate = frame_count > 1 && span > 0 ? (double)(frame_count - 1) / span : 0};
  file->first_point = MDD_HEAD_SIZE + 4 * frame_count;
  return PL_OK;
}

static pl_status open_file(pl_frame_file *file, const char *path, pl_error *error) {
  size_t workspace = strlen(path) + 1;
  file->path = pl_allocate(file->context, workspace);
  if (file->path == NULL) return pl_fail_memory(error);
  memcpy(file->path, path, workspace);
  file->file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (file->file < 0 || fstat(file->file, &info) != 0)
    return pl_fail_at(error, errno == ENOENT ? PL_ERROR_NOT_FOUND : PL_ERROR_FILE, path, 0, 0, "cannot be opened: %s",
                      strerror(errno));
  if (!S_ISREG(info.st_mode)) return pl_fail_at(error, PL_ERROR_FILE, path, 0, 0, "this is not a file");
  file->size = (uint64_t)info.st_size;
  unsigned char head[PC2_HEAD_SIZE] = {0};
  if (!read_at(file, 0, head, file->size < sizeof head ? (size_t)file->size : sizeof head))
    return pl_fail_at(error, PL_ERROR_FILE, path, 0, 0, "cannot be read");
  return memcmp(head, "POINTCACHE2\0", 12) == 0 ? open_pc2(file, head, error) : open_mdd(file, head, error);
}

pl_status pl_frame_file_open(pl_context *context, const char *path, pl_frame_file **file, pl_frame_file_report *report,
                             pl_error *error) {
  *file = NULL;
  pl_frame_file *made = pl_allocate_array(context, 1, sizeof *made);
  if (made == NULL) return pl_fail_memory(error);
  made->context = context;
  made->file = -1;
  pl_status status = open_file(made, path, error);
  if (status < 0) {
    pl_frame_file_close(made);
    return status;
  }
  if (report != NULL) *report = made->report;
  *file = made;
  return PL_OK;
}

pl_status pl_frame_file_read(pl_frame_file *file, int32_t frame, pl_vec3 *points, pl_error *error) {
  if (frame < 0 || frame >= file->report.frame_count)
    return pl_fail_at(error, PL_ERROR_INVALID_ARGUMENT, file->path, 0, 0, "frame %d is asked for; there are %d", frame,
                      file->report.frame_count);
  bool big_endian = file->report.format == PL_FRAMES_MDD;
  int32_t point_count = file->report.point_count;
  uint64_t at = file->first_point + 12 * (uint64_t)point_count * (uint64_t)frame;
  unsigned char bytes[12 * POINTS_AT_ONCE];
  for (int32_t start = 0; start < point_count; start += POINTS_AT_ONCE) {
    int32_t count = point_count - start < POINTS_AT_ONCE ? point_count - start : POINTS_AT_ONCE;
    if (!read_at(file, at + 12 * (uint64_t)start, bytes, 12 * (size_t)count))
      return pl_fail_at(error, PL_ERROR_FILE, file->path, 0, 0, "frame %d cannot be read; did the file change?", frame);
    for (int32_t i = 0; i < count; ++i) {
      const unsigned char *from = bytes + 12 * i;
      pl_vec3 p = {(double)read_float(from, big_endian), (double)read_float(from + 4, big_endian),
                   (double)read_float(from + 8, big_endian)};
      if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z))
        return pl_fail_at(error, PL_ERROR_INVALID_DATA, file->path, 0, 0, "point %d of frame %d is not finite",
                          start + i, frame);
      points[start + i] = p;
    }
  }
  return PL_OK;
}

void pl_frame_file_close(pl_frame_file *file) {
  if (file == NULL) return;
  if (file->file >= 0) close(file->file);
  pl_release(file->context, file->path);
  pl_release(file->context, file);
}
