/// @file cloud.h
/// Point clouds (part of the lab).
#ifndef PLIANT_CLOUD_H
#define PLIANT_CLOUD_H

#include "pliant/base.h"
#include "pliant/math.h"
#include "pliant/picture.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Points without connectivity, as a scanner gives them. Immutable.
typedef struct pl_cloud pl_cloud;

/// Borrowed arrays of a cloud; valid as long as the cloud.
typedef struct pl_cloud_view {
  int32_t point_count;
  const pl_vec3 *points;        ///< in the file's order and unit; metres in the frames of a capture
  const pl_vec3 *normals;       ///< NULL if the file has none; zero where it is not finite
  const pl_color *colors;       ///< NULL if the file has none
  const int32_t *cameras;       ///< index of the camera that saw the point; NULL if not known
  int64_t dropped_count;        ///< points left out because a coordinate was not finite
  int64_t pixel_count;          ///< of depth pictures: pixels inside the masks
  int64_t invalid_pixel_count;  ///< of those, pixels without a depth
} pl_cloud_view;

/// Load a cloud: PLY (text and binary), PCD 0.7 (ascii, binary, binary_compressed), NumPy arrays of
/// points (NPY, NPZ) or rows of numbers (XYZ); the format follows from the content. Points that are
/// not finite are dropped and counted, with the finding `points-dropped`; a cloud without points is
/// loaded, with the warning `empty-cloud`. The caller owns the cloud. `findings` and `error` may be
/// NULL. Fails with PL_ERROR_NOT_FOUND or PL_ERROR_FILE when the file cannot be read,
/// PL_ERROR_INVALID_DATA with line and column when its content is wrong, PL_ERROR_UNSUPPORTED when
/// it is not a cloud; `*cloud` is then NULL. May be called from several threads at once, each with
/// findings of its own.
PL_API pl_status pl_cloud_load(pl_context *context, const char *path, pl_cloud **cloud,
                               pl_findings *findings, pl_error *error);

/// Load a cloud from memory, as pl_cloud_load() does.
PL_API pl_status pl_cloud_load_memory(pl_context *context, const pl_memory_source *source,
                                      pl_cloud **cloud, pl_findings *findings, pl_error *error);

/// The arrays of a cloud. Never fails; may be called from several threads at once.
PL_API pl_cloud_view pl_cloud_get_view(const pl_cloud *cloud);

/// Destroy a cloud. NULL is allowed.
PL_API void pl_cloud_destroy(pl_cloud *cloud);

#ifdef __cplusplus
}
#endif
#endif
