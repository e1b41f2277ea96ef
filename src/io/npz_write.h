// Files of NumPy arrays (.npz): arrays one after the other, then their directory. Entries are
// stored as they are; sizes are in the zip64 form throughout, as a motion may be larger than 4 GB.
#ifndef PL_IO_NPZ_WRITE_H
#define PL_IO_NPZ_WRITE_H

#include "io/file_bytes.h"

enum { PL_NPY_HEAD = 128 };  // bytes before the numbers of an array

typedef struct pl_npz_entry {
  const char *name;  // with the ending .npy; borrowed until the directory is written
  uint64_t offset;   // of the local header
  uint64_t size;     // with the head of the npy file
  uint32_t checksum;
} pl_npz_entry;

// Write an array of `type` ("<f8", "<i4"), `size` bytes in all. The entry is for the directory.
pl_npz_entry pl_npz_put_array(pl_file_writer *writer, const char *name, const char *type,
                              const int64_t shape[3], int dimensions, const void *values,
                              size_t size);

// What comes after the last array.
void pl_npz_put_directory(pl_file_writer *writer, const pl_npz_entry *entries, int count);

// The parts of pl_npz_put_array(), for arrays that grow as they are written: the head of the npy
// file (PL_NPY_HEAD bytes), the local header before it, and the checksum of more bytes.
void pl_npz_make_head(char *head, const char *type, const int64_t shape[3], int dimensions);
void pl_npz_put_local(pl_file_writer *writer, const pl_npz_entry *entry);
uint32_t pl_npz_checksum(uint32_t sum, const void *bytes, size_t size);

#endif
