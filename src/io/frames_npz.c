// NumPy's .npz: one zip file with the arrays `positions` (frames, points, 3), `times`, `triangles`, `tets` and,
// where they are set, `velocities` (frames, points, 3), for numpy.load(). Entries are stored as they are, so that
// frames can be appended as they come; sizes, the number of frames and the checksum are filled in at the end.
#include <string.h>
#include <zlib.h>

#include "base/context.h"
#include "base/error.h"
#include "io/frames_format.h"
#include "io/npz_write.h"

static pl_npz_entry positions_entry(void) {
  return (pl_npz_entry){.name = "positions.npy"};
}

static pl_status begin_npz(pl_frames *frames, pl_error *error) {
  (void)error;
  char head[PL_NPY_HEAD] = {0};
  pl_npz_entry entry = positions_entry();
  pl_npz_put_local(frames->writer, &entry);
  pl_file_writer_write(frames->writer, head, PL_NPY_HEAD);
  frames->checksum = 0;
  return PL_OK;
}

static pl_status write_npz(pl_frames *frames, const pl_vec3 *points, pl_error *error) {
  size_t size = (size_t)frames->def.point_count * sizeof *points;
  frames->checksum = pl_npz_checksum(frames->checksum, points, size);
  pl_file_writer_write(frames->writer, points, size);
  pl_status status = pl_frames_keep_velocities(frames, error);
  if (status < 0) return status;
  status = pl_file_writer_status(frames->writer);
  return status < 0 ? pl_fail(error, status, "a frame could not be written; is the disk full?") : PL_OK;
}

// The head of the positions, now that their number is known.
static pl_npz_entry finish_positions(pl_frames *frames) {
  char head[PL_NPY_HEAD];
  pl_npz_make_head(head, "<f8", (const int64_t[3]){frames->written, frames->def.point_count, 3}, 3);
  uint64_t size = (uint64_t)frames->written * (uint64_t)frames->def.point_count * sizeof(pl_vec3);
  pl_npz_entry entry = positions_entry();
  entry.size = PL_NPY_HEAD + size;
  entry.checksum = (uint32_t)crc32_combine(pl_npz_checksum(0, head, PL_NPY_HEAD), frames->checksum, (z_off_t)size);
  uint64_t end = pl_file_writer_offset(frames->writer);
  pl_file_writer_seek(frames->writer, 0);
  pl_npz_put_local(frames->writer, &entry);
  pl_file_writer_write(frames->writer, head, PL_NPY_HEAD);
  pl_file_writer_seek(frames->writer, end);
  return entry;
}

// The checksum stands before the numbers, so these are read twice.
static pl_status put_velocities(pl_frames *frames, pl_npz_entry *entry, pl_error *error) {
  char head[PL_NPY_HEAD];
  size_t size = 3 * (size_t)frames->def.point_count * sizeof(float);
  pl_status status = PL_OK;
  pl_npz_make_head(head, "<f4", (const int64_t[3]){frames->written, frames->def.point_count, 3}, 3);
  *entry = (pl_npz_entry){.name = "velocities.npy", .offset = pl_file_writer_offset(frames->writer)};
  entry->size = PL_NPY_HEAD + (uint64_t)frames->written * size;
  entry->checksum = pl_npz_checksum(0, head, PL_NPY_HEAD);
  for (int pass = 0; pass < 2 && status >= 0; ++pass) {
    pl_frames_rewind_velocities(frames);
    if (pass == 1) pl_npz_put_local(frames->writer, entry);
    if (pass == 1) pl_file_writer_write(frames->writer, head, PL_NPY_HEAD);
    for (int32_t i = 0; i < frames->written && status >= 0; ++i) {
      status = pl_frames_next_velocities(frames, error);
      if (status >= 0 && pass == 0) entry->checksum = pl_npz_checksum(entry->checksum, frames->row, size);
      if (status >= 0 && pass == 1) pl_file_writer_write(frames->writer, frames->row, size);
    }
  }
  return status;
}

static pl_status finish_npz(pl_frames *frames, pl_error *error) {
  pl_file_writer *writer = frames->writer;
  const pl_frames_def *def = &frames->def;
  pl_npz_entry entries[5] = {finish_positions(frames)};
  double *times = pl_allocate_array(frames->context, (size_t)frames->written, sizeof *times);
  if (times == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < frames->written; ++i) times[i] = pl_frames_time(frames, i);
  entries[1] = pl_npz_put_array(writer, "times.npy", "<f8", (const int64_t[3]){frames->written}, 1, times,
                                (size_t)frames->written * sizeof *times);
  pl_release(frames->context, times);
  entries[2] = pl_npz_put_array(writer, "triangles.npy", "<i4", (const int64_t[3]){def->triangle_count, 3}, 2,
                                def->triangles, 3 * (size_t)def->triangle_count * sizeof(int32_t));
  entries[3] = pl_npz_put_array(writer, "tets.npy", "<i4", (const int64_t[3]){def->tet_count, 4}, 2, def->tets,
                                4 * (size_t)def->tet_count * sizeof(int32_t));
  int32_t count = 4;
  pl_status status = pl_frames_kept_velocities(frames) ? put_velocities(frames, &entries[count++], error) : PL_OK;
  if (status < 0) return status;
  pl_npz_put_directory(writer, entries, count);
  return PL_OK;
}

const pl_frames_kind pl_frames_npz = {
    .name = "npz", .one_file = true, .begin = begin_npz, .write = write_npz, .finish = finish_npz};
