// NumPy's .npz: one zip file with the arrays `positions` (frames, points, 3), `times`, `triangles` and `tets`, for
// numpy.load(). Entries are stored as they are, so that frames can be appended as they come; sizes, the number of
// frames and the checksum are filled in at the end. Sizes are in the zip64 form throughout: a motion may be larger than
// 4 GB.
//
//   npy file   \x93NUMPY 1 0, length of the header (2 bytes), header padded so that the data begin at a multiple of 64
//   zip        per file: local header, name, zip64 sizes, data; then the directory of all files, and its end
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/context.h"
#include "base/error.h"
#include "io/frames_format.h"

enum { NPY_HEAD = 128, ZIP_EXTRA = 20, VERSION_NEEDED = 45 };

typedef struct npy_entry {
  const char *name;
  uint64_t offset;  // of the local header
  uint64_t size;    // with the head of the npy file
  uint32_t checksum;
} npy_entry;

static uint32_t checksum_of(uint32_t sum, const void *bytes, size_t size) {
  return size > 0 ? (uint32_t)crc32_z(sum, bytes, size) : sum;  // NULL would mean: begin again
}

// The head of an npy file, NPY_HEAD bytes.
static void make_head(char *head, const char *type, const int64_t shape[3], int dimensions) {
  char text[NPY_HEAD - 10 + 1], sizes[64];
  int used = 0;
  for (int i = 0; i < dimensions; ++i)
    used += snprintf(sizes + used, sizeof sizes - (size_t)used, "%lld%s", (long long)shape[i],
                     i + 1 < dimensions ? ", "
                     : dimensions == 1  ? ","
                                        : "");
  int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, sizes);
  memset(head, ' ', NPY_HEAD);
  memcpy(head, "\x93NUMPY\x01\x00", 8);
  head[8] = (char)(NPY_HEAD - 10), head[9] = 0;
  memcpy(head + 10, text, (size_t)length);
  head[NPY_HEAD - 1] = '\n';
}

static void put_sizes(pl_file_writer *writer, const npy_entry *entry, bool with_offset) {
  pl_file_writer_little(writer, 1, 2);  // zip64
  pl_file_writer_little(writer, with_offset ? 24 : 16, 2);
  pl_file_writer_little(writer, entry->size, 8);
  pl_file_writer_little(writer, entry->size, 8);
  if (with_offset) pl_file_writer_little(writer, entry->offset, 8);
}

// What local header and directory have in common; sizes of 0xffffffff refer to the zip64 field.
static void put_common(pl_file_writer *writer, const npy_entry *entry, int extra) {
  pl_file_writer_little(writer, VERSION_NEEDED, 2);
  pl_file_writer_little(writer, 0, 2);       // flags
  pl_file_writer_little(writer, 0, 2);       // stored
  pl_file_writer_little(writer, 0, 2);       // time: none, so that equal motions are equal files
  pl_file_writer_little(writer, 0x0021, 2);  // 1 January 1980, the first day there is
  pl_file_writer_little(writer, entry->checksum, 4);
  pl_file_writer_little(writer, 0xffffffff, 4);
  pl_file_writer_little(writer, 0xffffffff, 4);
  pl_file_writer_little(writer, strlen(entry->name), 2);
  pl_file_writer_little(writer, (uint64_t)extra, 2);
}

static void put_local(pl_file_writer *writer, const npy_entry *entry) {
  pl_file_writer_little(writer, 0x04034b50, 4);
  put_common(writer, entry, ZIP_EXTRA);
  pl_file_writer_write(writer, entry->name, strlen(entry->name));
  put_sizes(writer, entry, false);
}

static npy_entry positions_entry(void) {
  return (npy_entry){.name = "positions.npy"};
}

// Little-endian bytes of numbers in the order that the machine has them are what all machines we build on have.
static npy_entry put_array(pl_file_writer *writer, const char *name, const char *type, const int64_t shape[3],
                           int dimensions, const void *values, size_t size) {
  char head[NPY_HEAD];
  make_head(head, type, shape, dimensions);
  npy_entry entry = {name, pl_file_writer_offset(writer), NPY_HEAD + size, 0};
  entry.checksum = checksum_of(checksum_of(0, head, NPY_HEAD), values, size);
  put_local(writer, &entry);
  pl_file_writer_write(writer, head, NPY_HEAD);
  if (size > 0) pl_file_writer_write(writer, values, size);
  return entry;
}

static pl_status begin_npz(pl_frames *frames, pl_error *error) {
  (void)error;
  char head[NPY_HEAD] = {0};
  npy_entry entry = positions_entry();
  put_local(frames->writer, &entry);
  pl_file_writer_write(frames->writer, head, NPY_HEAD);
  frames->checksum = 0;
  return PL_OK;
}

static pl_status write_npz(pl_frames *frames, const pl_vec3 *points, pl_error *error) {
  size_t size = (size_t)frames->def.point_count * sizeof *points;
  frames->checksum = checksum_of(frames->checksum, points, size);
  pl_file_writer_write(frames->writer, points, size);
  pl_status status = pl_file_writer_status(frames->writer);
  return status < 0 ? pl_fail(error, status, "a frame could not be written; is the disk full?") : PL_OK;
}

// The head of the positions, now that their number is known.
static npy_entry finish_positions(pl_frames *frames) {
  char head[NPY_HEAD];
  make_head(head, "<f8", (const int64_t[3]){frames->written, frames->def.point_count, 3}, 3);
  uint64_t size = (uint64_t)frames->written * (uint64_t)frames->def.point_count * sizeof(pl_vec3);
  npy_entry entry = positions_entry();
  entry.size = NPY_HEAD + size;
  entry.checksum = (uint32_t)crc32_combine(checksum_of(0, head, NPY_HEAD), frames->checksum, (z_off_t)size);
  uint64_t end = pl_file_writer_offset(frames->writer);
  pl_file_writer_seek(frames->writer, 0);
  put_local(frames->writer, &entry);
  pl_file_writer_write(frames->writer, head, NPY_HEAD);
  pl_file_writer_seek(frames->writer, end);
  return entry;
}

static void put_directory(pl_file_writer *writer, const npy_entry *entries, int count) {
  uint64_t start = pl_file_writer_offset(writer);
  for (int i = 0; i < count; ++i) {
    pl_file_writer_little(writer, 0x02014b50, 4);
    pl_file_writer_little(writer, VERSION_NEEDED, 2);
    put_common(writer, &entries[i], ZIP_EXTRA + 8);
    pl_file_writer_little(writer, 0, 2);           // comment
    pl_file_writer_little(writer, 0, 2);           // disk
    pl_file_writer_little(writer, 0, 2);           // kind
    pl_file_writer_little(writer, 0, 4);           // attributes
    pl_file_writer_little(writer, 0xffffffff, 4);  // offset: in the zip64 field
    pl_file_writer_write(writer, entries[i].name, strlen(entries[i].name));
    put_sizes(writer, &entries[i], true);
  }
  uint64_t end = pl_file_writer_offset(writer);
  // End of the directory in the zip64 form, where to find it, and the old form, which only refers to it.
  pl_file_writer_little(writer, 0x06064b50, 4);
  pl_file_writer_little(writer, 44, 8);
  pl_file_writer_little(writer, VERSION_NEEDED, 2);
  pl_file_writer_little(writer, VERSION_NEEDED, 2);
  pl_file_writer_little(writer, 0, 8);
  pl_file_writer_little(writer, (uint64_t)count, 8);
  pl_file_writer_little(writer, (uint64_t)count, 8);
  pl_file_writer_little(writer, end - start, 8);
  pl_file_writer_little(writer, start, 8);
  pl_file_writer_little(writer, 0x07064b50, 4);
  pl_file_writer_little(writer, 0, 4);
  pl_file_writer_little(writer, end, 8);
  pl_file_writer_little(writer, 1, 4);
  pl_file_writer_little(writer, 0x06054b50, 4);
  pl_file_writer_little(writer, 0, 4);
  pl_file_writer_little(writer, (uint64_t)count, 2);
  pl_file_writer_little(writer, (uint64_t)count, 2);
  pl_file_writer_little(writer, 0xffffffff, 4);
  pl_file_writer_little(writer, 0xffffffff, 4);
  pl_file_writer_little(writer, 0, 2);
}

static pl_status finish_npz(pl_frames *frames, pl_error *error) {
  pl_file_writer *writer = frames->writer;
  const pl_frames_def *def = &frames->def;
  npy_entry entries[4] = {finish_positions(frames)};
  double *times = pl_allocate_array(frames->context, (size_t)frames->written, sizeof *times);
  if (times == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < frames->written; ++i) times[i] = pl_frames_time(frames, i);
  entries[1] = put_array(writer, "times.npy", "<f8", (const int64_t[3]){frames->written}, 1, times,
                         (size_t)frames->written * sizeof *times);
  pl_release(frames->context, times);
  entries[2] = put_array(writer, "triangles.npy", "<i4", (const int64_t[3]){def->triangle_count, 3}, 2, def->triangles,
                         3 * (size_t)def->triangle_count * sizeof(int32_t));
  entries[3] = put_array(writer, "tets.npy", "<i4", (const int64_t[3]){def->tet_count, 4}, 2, def->tets,
                         4 * (size_t)def->tet_count * sizeof(int32_t));
  put_directory(writer, entries, 4);
  return PL_OK;
}

const pl_frames_kind pl_frames_npz = {
    .name = "npz", .one_file = true, .begin = begin_npz, .write = write_npz, .finish = finish_npz};
