/// @file checkpoint.h
/// Checkpoints of a long run, so that it can be resumed after an interruption (part of the lab): a
/// checkpoint file, replaced as a whole each time, and a log of frames to which frames are only
/// appended.
#ifndef PLIANT_CHECKPOINT_H
#define PLIANT_CHECKPOINT_H

#include "pliant/base.h"
#include "pliant/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Contents of a checkpoint; borrowed memory. Used both to save and to read one.
typedef struct pl_checkpoint_view {
  const char *scene_path;  ///< scene file of the run
  uint64_t scene_hash;     ///< of that file's bytes, from pl_file_get_hash()
  uint64_t seed;           ///< seed the world was built with
  const char *options;     ///< whatever else the run needs to know, as text
  int64_t frame;           ///< frame the world stood at: frames 0 … `frame` are in the log
  int64_t frame_count;     ///< frames the run is to have
  uint64_t state_hash;     ///< pl_world_get_hash() at that frame
  const void *snapshot;    ///< from pl_world_snapshot()
  size_t snapshot_size;    ///< bytes
} pl_checkpoint_view;

/// A checkpoint loaded from a file. Immutable.
typedef struct pl_checkpoint pl_checkpoint;

/// Save a checkpoint. The file is written under a temporary name and renamed at the end: at any
/// moment there is a complete checkpoint at `path`, the old or the new one. Fails with
/// PL_ERROR_NOT_FOUND when the folder does not exist, PL_ERROR_FILE when the file cannot be
/// written.
PL_API pl_status pl_checkpoint_save(pl_context *context, const char *path,
                                    const pl_checkpoint_view *view, pl_error *error);

/// Load a checkpoint. The caller owns it. Fails with PL_ERROR_NOT_FOUND when there is no file,
/// PL_ERROR_INVALID_DATA when it is not a checkpoint or is damaged (it contains a hash of itself),
/// PL_ERROR_UNSUPPORTED when another version of Pliant wrote it in another layout; `*checkpoint` is
/// then NULL.
PL_API pl_status pl_checkpoint_load(pl_context *context, const char *path,
                                    pl_checkpoint **checkpoint, pl_error *error);

/// Destroy a checkpoint in memory. The file is kept. NULL is allowed.
PL_API void pl_checkpoint_destroy(pl_checkpoint *checkpoint);

/// Contents of a checkpoint; valid as long as the checkpoint.
PL_API pl_checkpoint_view pl_checkpoint_get_view(const pl_checkpoint *checkpoint);

/// 64-bit hash of the bytes of a file. Fails with PL_ERROR_NOT_FOUND or PL_ERROR_FILE when it
/// cannot be read.
PL_API pl_status pl_file_get_hash(pl_context *context, const char *path, uint64_t *hash,
                                  pl_error *error);

/// A file of frames, each with a state hash and positions in full precision. Frames are only
/// appended. One thread at a time.
typedef struct pl_frame_log pl_frame_log;

/// Open the log at `path` and keep its first `keep_count` frames; 0 starts a new log. Frames to
/// keep are checked one by one. The caller closes the log. Fails with PL_ERROR_INVALID_DATA when
/// some are missing, damaged or have a number of points other than `point_count`, PL_ERROR_FILE
/// when the file cannot be opened.
PL_API pl_status pl_frame_log_open(pl_context *context, const char *path, int64_t point_count,
                                   int64_t keep_count, pl_frame_log **log, pl_error *error);

/// Append a frame of point_count positions. Fails with PL_ERROR_FILE when it cannot be written.
PL_API pl_status pl_frame_log_append(pl_frame_log *log, uint64_t state_hash, const pl_vec3 *points,
                                     pl_error *error);

/// Read `point_count` positions of frame `frame` (from 0), starting with point `point_start`, into
/// `points`. Fails with PL_ERROR_INVALID_ARGUMENT when the log has no such frame or points,
/// PL_ERROR_FILE when the file cannot be read.
PL_API pl_status pl_frame_log_read(pl_frame_log *log, int64_t frame, int64_t point_start,
                                   int64_t point_count, pl_vec3 *points, pl_error *error);

/// State hash of frame `frame`, as it was appended. Fails as pl_frame_log_read() does.
PL_API pl_status pl_frame_log_get_hash(pl_frame_log *log, int64_t frame, uint64_t *state_hash,
                                       pl_error *error);

/// Number of frames in the log.
PL_API int64_t pl_frame_log_count(const pl_frame_log *log);

/// Wait until all frames are on disk. Call it before saving a checkpoint that refers to them. Fails
/// with PL_ERROR_FILE.
PL_API pl_status pl_frame_log_sync(pl_frame_log *log, pl_error *error);

/// Close the log. The file is kept. NULL is allowed.
PL_API void pl_frame_log_close(pl_frame_log *log);

#ifdef __cplusplus
}
#endif
#endif
