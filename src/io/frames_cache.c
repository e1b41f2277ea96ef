// Point caches: PC2 (little-endian, made for 3ds Max, read by Blender's Mesh Cache) and MDD (big-endian, made for
// LightWave).
//
//   PC2   "POINTCACHE2\0", version 1, points, start frame, sample rate, samples (32 bytes); then x y z of each point,
//   sample by sample MDD   frames, points, time of each frame in seconds; then x y z of each point, frame by frame
//
// PC2 counts time in frames of the host's project: the start is written as a frame number, the rate as one sample a
// frame. MDD keeps the times before the points, so in a run that ends before its announced length the points have to
// move up. Frames therefore go to a file of their own name (`.mdd.unfinished`), which is renamed when the run is
// complete and copied without the gap when it is not.
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/frames_format.h"

enum { PC2_HEAD_SIZE = 32 };

static pl_status begin_pc2(pl_frames *frames, pl_error *error) {
  (void)error;
  pl_file_writer *writer = frames->writer;
  pl_file_writer_write(writer, "POINTCACHE2\0", 12);
  pl_file_writer_little(writer, 1, 4);
  pl_file_writer_little(writer, (uint32_t)frames->def.point_count, 4);
  pl_file_writer_float32(writer, (float)(frames->def.start_time * frames->def.frame_rate));
  pl_file_writer_float32(writer, 1.0f);
  pl_file_writer_little(writer, 0, 4);
  return PL_OK;
}

static pl_status write_pc2(pl_frames *frames, const pl_vec3 *points, pl_error *error) {
  for (int32_t i = 0; i < frames->def.point_count; ++i) pl_frames_put_float_vector(frames->writer, points[i]);
  pl_status status = pl_file_writer_status(frames->writer);
  return status < 0 ? pl_fail(error, status, "a frame could not be written; is the disk full?") : PL_OK;
}

static pl_status finish_pc2(pl_frames *frames, pl_error *error) {
  (void)error;
  uint64_t end = pl_file_writer_offset(frames->writer);
  pl_file_writer_seek(frames->writer, PC2_HEAD_SIZE - 4);
  pl_file_writer_little(frames->writer, (uint32_t)frames->written, 4);
  pl_file_writer_seek(frames->writer, end);
  return PL_OK;
}

const pl_frames_kind pl_frames_pc2 = {
    .name = "pc2", .one_file = true, .single = true, .begin = begin_pc2, .write = write_pc2, .finish = finish_pc2};

// --- MDD --------------------------------------------------------------------------------------------------------

static void put_big32(pl_file_writer *writer, uint32_t value) {
  const unsigned char bytes[4] = {(unsigned char)(value >> 24), (unsigned char)(value >> 16),
                                  (unsigned char)(value >> 8), (unsigned char)value};
  pl_file_writer_write(writer, bytes, 4);
}

static void put_big_float(pl_file_writer *writer, double value) {
  float single = (float)value;
  uint32_t bits;
  memcpy(&bits, &single, sizeof bits);
  put_big32(writer, bits);
}

static void put_mdd_head(const pl_frames *frames, pl_file_writer *writer, int32_t frame_count) {
  put_big32(writer, (uint32_t)frame_count);
  put_big32(writer, (uint32_t)frames->def.point_count);
  for (int32_t i = 0; i < frame_count; ++i) put_big_float(writer, pl_frames_time(frames, i));
}

static char *mdd_name(const pl_frames *frames, const char *ending) {
  size_t workspace = strlen(frames->path) + 32;
  char *name = pl_allocate(frames->context, workspace);
  if (name != NULL) snprintf(name, workspace, "%s.mdd%s", frames->path, ending);
  return name;
}

static pl_status begin_mdd(pl_frames *frames, pl_error *error) {
  char *name = mdd_name(frames, ".unfinished");
  if (name == NULL) return pl_fail_memory(error);
  pl_status status = pl_file_writer_open(frames->context, name, &frames->writer, error);
  pl_release(frames->context, name);
  if (status >= 0) put_mdd_head(frames, frames->writer, frames->def.frame_count);
  return status;
}

static pl_status write_mdd(pl_frames *frames, const pl_vec3 *points, pl_error *error) {
  for (int32_t i = 0; i < frames->def.point_count; ++i) {
    put_big_float(frames->writer, points[i].x);
    put_big_float(frames->writer, points[i].y);
    put_big_float(frames->writer, points[i].z);
  }
  pl_status status = pl_file_writer_status(frames->writer);
  return status < 0 ? pl_fail(error, status, "a frame could not be written; is the disk full?") : PL_OK;
}

// Copy an unfinished file to its name, with as many times as there are frames.
static pl_status close_gap(const pl_frames *frames, const char *from, const char *to, pl_error *error) {
  pl_bytes bytes;
  pl_status status = pl_bytes_read(frames->context, from, &bytes, error);
  if (status < 0) return status;
  pl_file_writer *writer = NULL;
  status = pl_file_writer_open(frames->context, to, &writer, error);
  if (status >= 0) {
    size_t skipped = 8 + 4 * (size_t)frames->def.frame_count;
    put_mdd_head(frames, writer, frames->written);
    if (bytes.size > skipped) pl_file_writer_write(writer, bytes.data + skipped, bytes.size - skipped);
    status = pl_file_writer_commit(writer, error);
  }
  pl_bytes_free(&bytes);
  return status;
}

static pl_status finish_mdd(pl_frames *frames, pl_error *error) {
  char *from = mdd_name(frames, ".unfinished"), *to = mdd_name(frames, "");
  pl_status status = from == NULL || to == NULL ? pl_fail_memory(error) : PL_OK;
  if (status >= 0) {
    status = pl_file_writer_commit(frames->writer, error);
    frames->writer = NULL;
  }
  if (status >= 0 && frames->written == frames->def.frame_count) {
    if (rename(from, to) != 0)
      status = pl_fail_at(error, PL_ERROR_FILE, to, 0, 0, "the finished file cannot be given this name");
  } else if (status >= 0) {
    status = close_gap(frames, from, to, error);
    remove(from);
  }
  pl_release(frames->context, from);
  pl_release(frames->context, to);
  return status;
}

const pl_frames_kind pl_frames_mdd = {
    .name = "mdd", .single = true, .begin = begin_mdd, .write = write_mdd, .finish = finish_mdd};
