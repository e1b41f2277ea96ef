// Whole files in, atomic files out. The only place of the library that opens files.
#ifndef PL_IO_FILE_BYTES_H
#define PL_IO_FILE_BYTES_H

#include "pliant/base.h"
#include "text/number_text.h"

// The bytes of a file. One zero byte stands behind them, not counted in `size`.
typedef struct pl_bytes {
  pl_context *context;
  unsigned char *data;
  size_t size;
} pl_bytes;

// No mesh, scene or picture the library can use is larger; a larger file is refused before memory
// is asked for.
#define PL_MAX_FILE_SIZE ((uint64_t)8 << 30)

// Read a whole file. PL_ERROR_NOT_FOUND when there is none, PL_ERROR_FILE when it cannot be read (a
// folder, no permission), PL_ERROR_UNSUPPORTED when it is too large or a device. On failure `bytes`
// is empty.
pl_status pl_bytes_read(pl_context *context, const char *path, pl_bytes *bytes, pl_error *error);

// Give the memory back; an empty one is allowed.
void pl_bytes_free(pl_bytes *bytes);

// True when there is something readable at `path` that is not a folder.
bool pl_file_exists(const char *path);

// `folder` (may be "" or NULL) joined with `name`; to be given to pl_release(). NULL when out of
// memory. An absolute `name` stays.
char *pl_path_join(pl_context *context, const char *folder, const char *name);

// The folder of `path` without the last slash ("." if it has none, "/" for the root); to be given
// to pl_release(). NULL when out of memory.
char *pl_path_folder(pl_context *context, const char *path);

// `path` with its ending (from the last dot behind the last slash) replaced by `ending`, such as
// ".ele"; to be given to pl_release().
char *pl_path_with_ending(pl_context *context, const char *path, const char *ending);

// The ending of `path` with its dot, or "". Points into `path`.
const char *pl_path_ending(const char *path);

// Whether two endings are the same but for case.
bool pl_ending_is(const char *path, const char *ending);

// A file being written under a temporary name in the same folder. Errors stick: write on, and
// commit tells.
//
//   pl_file_writer *writer = NULL;
//   pl_status status = pl_file_writer_open(context, path, &writer, error);
//   if (status < 0) return status;
//   pl_file_writer_print(writer, "v "); pl_file_writer_number(writer, x); ...
//   return pl_file_writer_commit(writer, error);
typedef struct pl_file_writer pl_file_writer;

// Open a temporary file next to `path`. A `path` that is a device or pipe is written to directly.
pl_status pl_file_writer_open(pl_context *context, const char *path, pl_file_writer **writer,
                              pl_error *error);

// Append bytes. Afterwards nothing points to them.
void pl_file_writer_write(pl_file_writer *writer, const void *bytes, size_t size);

// Append text as printf formats it, up to 1023 bytes a call. Not for %f, %g and the like, which
// depend on the locale.
void pl_file_writer_print(pl_file_writer *writer, const char *format, ...) PL_PRINTF(2, 3);

// Append a double as text that reads back the same.
void pl_file_writer_number(pl_file_writer *writer, double value);

// Append an unsigned integer of 1, 2, 4 or 8 bytes, little-endian; and floats the same way.
void pl_file_writer_little(pl_file_writer *writer, uint64_t value, int size);
void pl_file_writer_float32(pl_file_writer *writer, float value);
void pl_file_writer_float64(pl_file_writer *writer, double value);

// Bytes before the place the next write goes to.
uint64_t pl_file_writer_offset(const pl_file_writer *writer);

// Continue writing at `offset` from the start and overwrite: for headers with sizes known only
// later. Return to the end afterwards.
void pl_file_writer_seek(pl_file_writer *writer, uint64_t offset);

// PL_OK, or what has gone wrong so far.
pl_status pl_file_writer_status(const pl_file_writer *writer);

// Make the file safe on disk and give it its name. Whatever the outcome, the writer is gone
// afterwards; on failure so is the temporary file, and what had the name before is untouched.
pl_status pl_file_writer_commit(pl_file_writer *writer, pl_error *error);

// Remove the temporary file and the writer. NULL is allowed.
void pl_file_writer_abandon(pl_file_writer *writer);

#endif
