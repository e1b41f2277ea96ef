// The parts of a capture: its description, its files, and depth pictures.
#ifndef PL_IO_CAPTURE_PARTS_H
#define PL_IO_CAPTURE_PARTS_H

#include "base/arena.h"
#include "pliant/capture_file.h"

// Names of files, in the order of the frames.
typedef struct pl_file_list {
  const char *const *paths;
  int32_t count;
} pl_file_list;

struct pl_capture {
  pl_arena arena;  // holds everything, this struct too
  pl_capture_view view;
  pl_file_list clouds;         // of captures without cameras
  const pl_file_list *depths;  // per camera
  const pl_file_list *masks;   // per camera; empty where there is none
};

// The files that `pattern` names in `folder`, sorted so that numbers in names count by their value
// (frame2 before frame10): `*` and `?` in the last part of the path, or a folder, of which all
// files with one of the `endings` (a NULL behind the last) are taken. PL_ERROR_NOT_FOUND when there
// are none, PL_ERROR_INVALID_DATA for a pattern in a folder's name.
pl_status pl_files_find(pl_arena *arena, const char *folder, const char *pattern,
                        const char *const *endings, pl_file_list *files, pl_error *error);

// Grey values of a picture, rows from the top.
typedef struct pl_depth_picture {
  pl_context *context;
  uint16_t *values;
  int32_t width, height;
} pl_depth_picture;

// Read a grey PNG of exactly `width` x `height` pixels. A depth picture must have 16 bits; a mask
// may have any number, or be a JPEG whose dark half is outside, and its values are only zero or
// not. pl_release() the values.
pl_status pl_depth_load(pl_context *context, const char *path, int32_t width, int32_t height,
                        bool is_mask, pl_depth_picture *picture, pl_error *error);

#endif
