/// @file frames.h
/// Files of moving surfaces, frame by frame (part of the lab).
#ifndef PLIANT_FRAMES_H
#define PLIANT_FRAMES_H

#include "pliant/base.h"
#include "pliant/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Formats of a frame writer.
typedef enum pl_frame_format {
  PL_FRAMES_PC2 = 1,  ///< point cache 2, one file (Blender: Mesh Cache)
  PL_FRAMES_MDD,      ///< one file, big-endian
  PL_FRAMES_GLB,      ///< one file: mesh with one morph target per frame and a weight animation
  PL_FRAMES_VTU,      ///< one .vtu per frame and a .pvd with the times (ParaView); tets when given,
                  ///< with `displacement` from the first frame, `velocity` and other fields where
                  ///< set, and `J` of tets
  PL_FRAMES_OBJ,   ///< one .obj per frame
  PL_FRAMES_PLY,   ///< one binary .ply per frame
  PL_FRAMES_CSV,   ///< one table: frame,time,point,x,y,z, and vx,vy,vz where set
  PL_FRAMES_NPZ,   ///< one file of NumPy arrays: positions and, where set, velocities (frames,
                   ///< points, 3), times, triangles,
                   ///< tets
  PL_FRAMES_USDA,  ///< one text file of USD: points, velocities where set, extent by time sample
} pl_frame_format;

/// Input of pl_frames_create().
typedef struct pl_frames_def {
  pl_frame_format format;
  const char *path;   ///< without ending: `out/bunny` becomes out/bunny.pc2, or out/bunny_0001.vtu
                      ///< and out/bunny.pvd
  double frame_rate;  ///< frames per second
  double start_time;  ///< seconds at the first frame
  int32_t frame_count;  ///< frames that will be written; a shorter run is closed correctly too
  int32_t point_count;
  const int32_t *triangles;  ///< 3 each; must stay valid until the writer is closed
  int32_t triangle_count;
  const int32_t *tets;  ///< 4 each, or NULL
  int32_t tet_count;
  /// Rest shape of the points, for `J` of the tets in VTU frames; must stay valid until the writer
  /// is closed. NULL: the first frame.
  const pl_vec3 *rest_points;
  /// glTF or GLB file that the points were read from by pl_mesh_load(), in the order of its source
  /// vertices. GLB frames are then written into a copy of it: nodes, materials, textures, texture
  /// coordinates, colours, other attributes and extras are kept, normals and tangents follow the
  /// surface; skins, animations and morph targets of the file are dropped. NULL, or a file in
  /// another format: GLB frames hold the triangles alone.
  const char *source;
  const char *name;  ///< of the object, for formats that store one
  uint32_t magic;    ///< set by pl_default_frames_def()
} pl_frames_def;

/// A writer of frames to one file or a series of files. One thread at a time.
typedef struct pl_frames pl_frames;

/// 60 frames per second from time 0; format, path and topology are to be filled in.
PL_API pl_frames_def pl_default_frames_def(pl_frame_format format);

/// Name of a format, such as "pc2"; static storage.
PL_API const char *pl_frame_format_name(pl_frame_format format);

/// Format called `name`, such as "pc2"; 0 if there is none.
PL_API pl_frame_format pl_frame_format_find(const char *name);

/// Start writing frames. Nothing appears under the final name before pl_frames_close(); frames in
/// files of their own appear complete, one by one. The caller owns the writer until it is closed or
/// abandoned. Fails with PL_ERROR_FILE when a file cannot be created, PL_ERROR_INVALID_ARGUMENT for
/// a def that is wrong.
PL_API pl_status pl_frames_create(pl_context *context, const pl_frames_def *def, pl_frames **frames,
                                  pl_error *error);

/// Set the velocities (m/s, one per point) of the next frame, for formats that store them (VTU,
/// USDA, PLY, CSV, NPZ); they must stay valid until it is written. Other formats ignore them.
PL_API void pl_frames_set_velocities(pl_frames *frames, const pl_vec3 *velocities);

/// What a field of a frame has numbers for.
typedef enum pl_frame_field_kind {
  PL_FRAME_FIELD_POINTS = 1,  ///< every point
  PL_FRAME_FIELD_CELLS,       ///< every tet, or triangle where there are no tets
  PL_FRAME_FIELD_FRAME        ///< the frame as a whole
} pl_frame_field_kind;

/// A field of a frame.
typedef struct pl_frame_field {
  const char *name;
  pl_frame_field_kind kind;
  int32_t component_count;             ///< numbers per point, cell or frame
  const char *const *component_names;  ///< component_count of them, or NULL
  const double *values;                ///< component after component of the first, then the others
} pl_frame_field;

/// Set the fields of the frames from the next one on, for formats that store them (VTU). The list,
/// its names and values are borrowed and must stay valid until the frame is written; values may
/// change from frame to frame. Other formats ignore them.
PL_API void pl_frames_set_fields(pl_frames *frames, const pl_frame_field *fields,
                                 int32_t field_count);

/// Write the next frame: `point_count` positions in metres. Fails with PL_ERROR_FILE when it cannot
/// be written, PL_ERROR_INVALID_ARGUMENT for positions that are not finite or too large for the
/// format, and for more frames than the def announced.
PL_API pl_status pl_frames_add_frame(pl_frames *frames, const pl_vec3 *points, pl_error *error);

/// Finish the file and rename it to its final name. The writer is destroyed, whatever the result.
/// Fails with PL_ERROR_FILE when it cannot be written, PL_ERROR_INVALID_ARGUMENT when no frame was
/// written.
PL_API pl_status pl_frames_close(pl_frames *frames, pl_error *error);

/// Abandon the file: remove the temporary file and destroy the writer. NULL is allowed.
PL_API void pl_frames_abandon(pl_frames *frames);

/// A file of frames opened for reading. One thread at a time.
typedef struct pl_frame_file pl_frame_file;

/// Contents of a frame file. PC2 counts time in frames of the host's project, not in seconds:
/// start_time is then a frame number and frame_rate the samples per frame.
typedef struct pl_frame_file_report {
  pl_frame_format format;  ///< PL_FRAMES_PC2 or PL_FRAMES_MDD
  int32_t point_count, frame_count;
  double start_time, frame_rate;
} pl_frame_file_report;

/// Open a PC2 or MDD file; the format follows from the content. The caller closes it. `report` may
/// be NULL. Fails with PL_ERROR_NOT_FOUND or PL_ERROR_FILE when it cannot be read,
/// PL_ERROR_INVALID_DATA when its sizes do not fit its bytes, PL_ERROR_UNSUPPORTED for an unknown
/// version of PC2.
PL_API pl_status pl_frame_file_open(pl_context *context, const char *path, pl_frame_file **file,
                                    pl_frame_file_report *report, pl_error *error);

/// Read frame `frame` (from 0) into `points`, point_count of them. Fails with
/// PL_ERROR_INVALID_ARGUMENT when there is no such frame, PL_ERROR_INVALID_DATA for positions that
/// are not finite, PL_ERROR_FILE when it cannot be read.
PL_API pl_status pl_frame_file_read(pl_frame_file *file, int32_t frame, pl_vec3 *points,
                                    pl_error *error);

/// Close the file. NULL is allowed.
PL_API void pl_frame_file_close(pl_frame_file *file);

#ifdef __cplusplus
}
#endif
#endif
