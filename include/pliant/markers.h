/// @file markers.h
/// Trajectories of named markers, as motion capture records them (part of the lab).
#ifndef PLIANT_MARKERS_H
#define PLIANT_MARKERS_H

#include "pliant/base.h"
#include "pliant/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Positions of markers over time. Immutable.
typedef struct pl_markers pl_markers;

/// Borrowed arrays of a recording; valid as long as it.
typedef struct pl_markers_view {
  int32_t marker_count;
  const char *const *names;  ///< of the markers, unique
  int32_t frame_count;
  double rate;               ///< frames per second
  const pl_vec3 *positions;  ///< metres, frame_count times marker_count; a sample that is missing
                             ///< has NaN coordinates
  int64_t missing_count;     ///< samples that are missing
} pl_markers_view;

/// Load markers: C3D (Intel, DEC and SGI/MIPS numbers, integers or floats), TRC, or a table of
/// text: the columns `time` and `NAME_x`, `NAME_y`, `NAME_z` of every marker, in seconds and metres
/// or with units in their names, or what Motive, Nexus and QTM export. Empty cells, `nan` and rows
/// that were left out are missing samples. The format follows from the content. C3D and TRC name
/// their unit, which is converted to metres; a file without one is taken as millimetres, as these
/// formats mean it. Two markers of one name are told apart by `_2`, `_3` at the second and third.
/// The caller owns the recording. Fails with PL_ERROR_NOT_FOUND or PL_ERROR_FILE when the file
/// cannot be read, PL_ERROR_INVALID_DATA with its place when its content is wrong,
/// PL_ERROR_UNSUPPORTED for a unit or a format that is not known; `*markers` is then NULL. May be
/// called from several threads at once.
PL_API pl_status pl_markers_load(pl_context *context, const char *path, pl_markers **markers,
                                 pl_error *error);

/// Load markers from memory, as pl_markers_load() does.
PL_API pl_status pl_markers_load_memory(pl_context *context, const pl_memory_source *source,
                                        pl_markers **markers, pl_error *error);

/// The arrays of a recording. Never fails; may be called from several threads at once.
PL_API pl_markers_view pl_markers_get_view(const pl_markers *markers);

/// Index of the marker called `name`, -1 if there is none.
PL_API int32_t pl_markers_find(const pl_markers *markers, const char *name);

/// Destroy a recording. NULL is allowed.
PL_API void pl_markers_destroy(pl_markers *markers);

#ifdef __cplusplus
}
#endif
#endif
