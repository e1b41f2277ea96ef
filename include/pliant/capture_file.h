/// @file capture_file.h
/// Captures (part of the lab): recorded sequences of clouds or depth images of a moving object,
/// read and written as files.
#ifndef PLIANT_CAPTURE_FILE_H
#define PLIANT_CAPTURE_FILE_H

#include "pliant/base.h"
#include "pliant/cloud.h"
#include "pliant/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A depth camera. Its own axes are x to the right, y down, z into the scene; the pixel in column u
/// and row v (from 0, at its centre) with depth d along z is the point ((u - cx) d / fx, (v - cy) d
/// / fy, d).
typedef struct pl_capture_camera {
  const char *name;        ///< "" if it has none
  int32_t width, height;   ///< pixels
  double fx, fy, cx, cy;   ///< pixels
  pl_transform placement;  ///< from the camera's axes to the world, metres
  double depth_scale;      ///< metres per unit of the picture
  bool masked;             ///< there is a mask for every frame
} pl_capture_camera;

/// A recorded sequence of clouds or depth images, described by a `capture.json`. Frames are loaded
/// when asked for.
typedef struct pl_capture pl_capture;

/// Properties of a capture; borrowed memory, valid as long as the capture.
typedef struct pl_capture_view {
  const char *name;      ///< "" if it has none
  int32_t frame_count;   ///< at least 1
  const double *times;   ///< seconds, rising, one per frame
  double rate;           ///< frames per second; of time stamps the mean; 0 for one frame
  double metres;         ///< length in metres of the unit of clouds and positions
  pl_vec3 gravity;       ///< m/s^2
  int32_t camera_count;  ///< 0 when the frames are clouds
  const pl_capture_camera *cameras;
} pl_capture_view;

/// Contents of the first frames of a capture.
typedef struct pl_capture_report {
  int32_t frame_count;      ///< frames looked at
  pl_box box;               ///< of their points, metres; empty without points
  int32_t fewest_points;    ///< in a frame
  int32_t max_points;       ///< in a frame
  double mean_points;       ///< per frame
  double duration;          ///< of the whole capture, from the first frame to the last, seconds
  double invalid_fraction;  ///< of the pixels inside the masks those without a depth, 0 to 1
  int64_t dropped_count;    ///< points left out because they were not finite
} pl_capture_report;

/// Load a `capture.json` (docs/formats.md) and find its files; no frame is loaded yet. Every
/// problem becomes a finding with its position; the first is also in `error`. The caller owns the
/// capture. `findings` and `error` may be NULL. Fails with PL_ERROR_NOT_FOUND or PL_ERROR_FILE when
/// the document cannot be read, PL_ERROR_INVALID_DATA when its content is wrong; `*capture` is then
/// NULL.
PL_API pl_status pl_capture_load(pl_context *context, const char *path, pl_capture **capture,
                                 pl_findings *findings, pl_error *error);

/// Load a capture whose document is in memory, as pl_capture_load() does. The files it names are
/// looked for in the source's folder (NULL: the current folder).
PL_API pl_status pl_capture_load_memory(pl_context *context, const pl_memory_source *source,
                                        pl_capture **capture, pl_findings *findings,
                                        pl_error *error);

/// Properties of a capture. Never fails; may be called from several threads at once.
PL_API pl_capture_view pl_capture_get_view(const pl_capture *capture);

/// Load frame `frame` (from 0) as a cloud in world axes and metres, with the camera of each point
/// if there are cameras. The caller owns the cloud. Fails as pl_cloud_load() does, and with
/// PL_ERROR_INVALID_ARGUMENT when there is no such frame; `*cloud` is then NULL. May be called from
/// several threads at once, each with findings of its own.
PL_API pl_status pl_capture_load_frame(const pl_capture *capture, int32_t frame, pl_cloud **cloud,
                                       pl_findings *findings, pl_error *error);

/// Load the first `frame_count` frames (at least one, at most all) and report their contents. Adds
/// the warning `looks-like-millimetres` when the box is larger than 50 m. Fails as
/// pl_capture_load_frame() does; `report` is then unchanged.
PL_API pl_status pl_capture_get_report(const pl_capture *capture, int32_t frame_count,
                                       pl_capture_report *report, pl_findings *findings,
                                       pl_error *error);

/// Destroy a capture. NULL is allowed.
PL_API void pl_capture_destroy(pl_capture *capture);

/// Input of pl_capture_writer_create().
typedef struct pl_capture_writer_def {
  // parameters of src/io/capture_parameters.c by `make generate`: begin
  /// Frames per second.
  double rate;  ///< 1/s, above 0 up to 1e6, default 30
  /// Gravity during the capture.
  pl_vec3 gravity;  ///< m/s², default (0, -9.81, 0)
  // parameters: end

  const char
      *folder;       ///< where capture.json and its pictures or clouds go; made if it is not there
  const char *name;  ///< of the capture, NULL for none
  const pl_capture_camera *cameras;  ///< copied
  int32_t camera_count;              ///< 0: frames are clouds
  uint32_t magic;                    ///< set by pl_default_capture_writer_def()
} pl_capture_writer_def;

/// A capture being written frame by frame. One thread at a time.
typedef struct pl_capture_writer pl_capture_writer;

/// Every parameter at its default, no cameras; the folder is to be filled in.
PL_API pl_capture_writer_def pl_default_capture_writer_def(void);

/// Start a capture and create its folders. The caller owns the writer until it is closed or
/// abandoned. Fails with PL_ERROR_FILE when a folder cannot be created, PL_ERROR_INVALID_ARGUMENT
/// for a def that is wrong.
PL_API pl_status pl_capture_writer_create(pl_context *context, const pl_capture_writer_def *def,
                                          pl_capture_writer **writer, pl_error *error);

/// Write the next frame of a capture with cameras, as `cameraN/depth_0001.png`: one array of width
/// * height depths per camera, in its unit, 0 for no depth. Fails with PL_ERROR_INVALID_ARGUMENT
/// for a capture without cameras, PL_ERROR_FILE when it cannot be written.
PL_API pl_status pl_capture_writer_add_depths(pl_capture_writer *writer,
                                              const uint16_t *const *pictures, pl_error *error);

/// Write the next frame of a capture without cameras, as `clouds/cloud_0001.ply`: `point_count`
/// points in metres. Fails with PL_ERROR_INVALID_ARGUMENT for a capture with cameras, PL_ERROR_FILE
/// when it cannot be written.
PL_API pl_status pl_capture_writer_add_cloud(pl_capture_writer *writer, const pl_vec3 *points,
                                             int32_t point_count, pl_error *error);

/// Finish a capture by writing its `capture.json`. The writer is destroyed, whatever the result.
/// Fails with PL_ERROR_INVALID_ARGUMENT when there is no frame, PL_ERROR_FILE when the file cannot
/// be written.
PL_API pl_status pl_capture_writer_close(pl_capture_writer *writer, pl_error *error);

/// Abandon a capture. Images and clouds stay, without a `capture.json`. NULL is allowed.
PL_API void pl_capture_writer_abandon(pl_capture_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
