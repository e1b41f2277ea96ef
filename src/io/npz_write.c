// NumPy arrays in a zip file.
//
//   npy file   \x93NUMPY 1 0, length of the header (2 bytes), header padded so that the data begin at a multiple of 64
//   zip        per file: local header, name, zip64 sizes, data; then the directory of all files, and its end
#include "io/npz_write.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { ZIP_EXTRA = 20, VERSION_NEEDED = 45 };

uint32_t pl_npz_checksum(uint32_t sum, const void *bytes, size_t size) {
  return size > 0 ? (uint32_t)crc32_z(sum, bytes, size) : sum;  // NULL would mean: begin again
}

// The head of an npy file, PL_NPY_HEAD bytes.
void pl_npz_make_head(char *head, const char *type, const int64_t shape[3], int dimensions) {
  char text[PL_NPY_HEAD - 10 + 1], sizes[64];
  int used = 0;
  for (int i = 0; i < dimensions; ++i)
    used += snprintf(sizes + used, sizeof sizes - (size_t)used, "%lld%s", (long long)shape[i],
                     i + 1 < dimensions ? ", "
                     : dimensions == 1  ? ","
                                        : "");
  int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, sizes);
  memset(head, ' ', PL_NPY_HEAD);
  memcpy(head, "\x93NUMPY\x01\x00", 8);
  head[8] = (char)(PL_NPY_HEAD - 10), head[9] = 0;
  memcpy(head + 10, text, (size_t)length);
  head[PL_NPY_HEAD - 1] = '\n';
}

static void put_sizes(pl_file_writer *writer, const pl_npz_entry *entry, bool with_offset) {
  pl_file_writer_little(writer, 1, 2);  // zip64
  pl_file_writer_little(writer, with_offset ? 24 : 16, 2);
  pl_file_writer_little(writer, entry->size, 8);
  pl_file_writer_little(writer, entry->size, 8);
  if (with_offset) pl_file_writer_little(writer, entry->offset, 8);
}

// What local header and directory have in common; sizes of 0xffffffff refer to the zip64 field.
static void put_common(pl_file_writer *writer, const pl_npz_entry *entry, int extra) {
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

void pl_npz_put_local(pl_file_writer *writer, const pl_npz_entry *entry) {
  pl_file_writer_little(writer, 0x04034b50, 4);
  put_common(writer, entry, ZIP_EXTRA);
  pl_file_writer_write(writer, entry->name, strlen(entry->name));
  put_sizes(writer, entry, false);
}

// Little-endian bytes of numbers in the order that the machine has them are what all machines we build on have.
pl_npz_entry pl_npz_put_array(pl_file_writer *writer, const char *name, const char *type, const int64_t shape[3],
                              int dimensions, const void *values, size_t size) {
  char head[PL_NPY_HEAD];
  pl_npz_make_head(head, type, shape, dimensions);
  pl_npz_entry entry = {name, pl_file_writer_offset(writer), PL_NPY_HEAD + size, 0};
  entry.checksum = pl_npz_checksum(pl_npz_checksum(0, head, PL_NPY_HEAD), values, size);
  pl_npz_put_local(writer, &entry);
  pl_file_writer_write(writer, head, PL_NPY_HEAD);
  if (size > 0) pl_file_writer_write(writer, values, size);
  return entry;
}

void pl_npz_put_directory(pl_file_writer *writer, const pl_npz_entry *entries, int count) {
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
