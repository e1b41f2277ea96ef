// ZIP archives without compression (APPNOTE 6.3, sections 4.3.7 and 4.3.12 to 4.3.16): for each file a header and its
// bytes, then the central directory.
#define _GNU_SOURCE
#include "studio_zip.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/context.h"
#include "base/error.h"
#include "base/vector.h"
#include "io/file_bytes.h"

enum { VERSION = 20, UTF8 = 0x800, DATE = 0x21, MAX_ENTRIES = 65000 };

typedef struct entry {
  char name[256];
  uint32_t size, crc, offset;
} entry;

static int compare(const void *a, const void *b) {
  return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

static pl_status list_files(const char *folder, pl_vector *entries, pl_error *error) {
  DIR *opened = opendir(folder);
  if (opened == NULL) return pl_fail_at(error, PL_ERROR_FILE, folder, 0, 0, "the folder cannot be read");
  pl_status status = PL_OK;
  for (struct dirent *found = readdir(opened); found != NULL && status >= 0; found = readdir(opened)) {
    struct stat facts;
    entry made = {.size = 0};
    if (fstatat(dirfd(opened), found->d_name, &facts, 0) != 0 || !S_ISREG(facts.st_mode)) continue;
    memcpy(made.name, found->d_name, strlen(found->d_name) + 1);
    if (!pl_vector_push(entries, &made)) status = pl_fail_memory(error);
  }
  closedir(opened);
  if (entries->count > MAX_ENTRIES) return pl_fail(error, PL_ERROR_UNSUPPORTED, "too many files for one archive");
  if (entries->count > 0) qsort(entries->items, entries->count, sizeof(entry), compare);
  return status;
}

// The fields that local headers and the central directory share, from the version on.
static void write_common_fields(pl_file_writer *writer, const entry *file) {
  const uint64_t facts[9][2] = {{VERSION, 2},    {UTF8, 2},       {0, 2},
                                {0, 2},          {DATE, 2},       {file->crc, 4},
                                {file->size, 4}, {file->size, 4}, {strlen(file->name), 2}};
  for (int i = 0; i < 9; ++i) pl_file_writer_little(writer, facts[i][0], (int)facts[i][1]);
}

static pl_status write_file(pl_context *context, pl_file_writer *writer, const char *folder, entry *file,
                            pl_error *error) {
  char *path = pl_path_join(context, folder, file->name);
  pl_bytes bytes;
  pl_status status = path != NULL ? pl_bytes_read(context, path, &bytes, error) : pl_fail_memory(error);
  pl_release(context, path);
  if (status < 0) return status;
  uint64_t offset = pl_file_writer_offset(writer);
  if (offset + bytes.size > 0xF0000000u) {
    status = pl_fail(error, PL_ERROR_UNSUPPORTED,
                     "the files are too large for one archive; run the scene with `pliant run`");
  } else {
    file->offset = (uint32_t)offset;
    file->size = (uint32_t)bytes.size;
    file->crc = (uint32_t)crc32_z(0, bytes.data, bytes.size);
    pl_file_writer_little(writer, 0x04034B50, 4);
    write_common_fields(writer, file);
    pl_file_writer_little(writer, 0, 2);
    pl_file_writer_write(writer, file->name, strlen(file->name));
    pl_file_writer_write(writer, bytes.data, bytes.size);
  }
  pl_bytes_free(&bytes);
  return status;
}

static void write_directory(pl_file_writer *writer, const pl_vector *entries) {
  uint64_t begin = pl_file_writer_offset(writer);
  for (size_t i = 0; i < entries->count; ++i) {
    const entry *file = &PL_ITEM(entries, entry, i);
    pl_file_writer_little(writer, 0x02014B50, 4);
    pl_file_writer_little(writer, VERSION, 2);
    write_common_fields(writer, file);
    // No extra field, no comment, first disk, no attributes.
    pl_file_writer_little(writer, 0, 8);
    pl_file_writer_little(writer, 0, 4);
    pl_file_writer_little(writer, file->offset, 4);
    pl_file_writer_write(writer, file->name, strlen(file->name));
  }
  uint64_t size = pl_file_writer_offset(writer) - begin;
  pl_file_writer_little(writer, 0x06054B50, 4);
  pl_file_writer_little(writer, 0, 4);
  pl_file_writer_little(writer, entries->count, 2);
  pl_file_writer_little(writer, entries->count, 2);
  pl_file_writer_little(writer, size, 4);
  pl_file_writer_little(writer, begin, 4);
  pl_file_writer_little(writer, 0, 2);
}

pl_status studio_zip_write(pl_context *context, const char *folder, const char *path, pl_error *error) {
  pl_vector entries = pl_vector_of(context, sizeof(entry));
  pl_file_writer *writer = NULL;
  pl_status status = list_files(folder, &entries, error);
  if (status >= 0) status = pl_file_writer_open(context, path, &writer, error);
  for (size_t i = 0; i < entries.count && status >= 0; ++i)
    status = write_file(context, writer, folder, &PL_ITEM(&entries, entry, i), error);
  if (status >= 0) {
    write_directory(writer, &entries);
    status = pl_file_writer_commit(writer, error);
  } else {
    pl_file_writer_abandon(writer);
  }
  pl_vector_free(&entries);
  return status;
}
