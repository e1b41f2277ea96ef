// Inside the frame writers: what they share, and the table of functions that each format fills in.
#ifndef PL_IO_FRAMES_FORMAT_H
#define PL_IO_FRAMES_FORMAT_H

#include <stdio.h>

#include "base/vector.h"
#include "io/file_bytes.h"
#include "io/gltf_container.h"
#include "pliant/frames.h"

typedef struct pl_frames_kind {
  const char *name;  // also the ending of the files
  bool one_file;     // all frames in one file, opened before begin() and committed after finish()
  bool single;       // coordinates are stored as 32-bit floats
  pl_status (*begin)(pl_frames *frames, pl_error *error);  // may be NULL
  pl_status (*write)(pl_frames *frames, const pl_vec3 *points,
                     pl_error *error);  // frame number frames->written
  pl_status (*finish)(pl_frames *frames,
                      pl_error *error);  // may be NULL; at least one frame was written
} pl_frames_kind;

struct pl_frames {
  pl_context *context;
  pl_frames_def def;  // path and name are copies
  const pl_frames_kind *kind;
  char *path, *name;
  int32_t written;
  pl_file_writer *writer;        // of the one file; NULL otherwise
  pl_error broken;               // the first failure; nothing can be written after it
  const pl_vec3 *velocities;     // of the next frame, or NULL; the caller's
  const pl_frame_field *fields;  // likewise
  int32_t field_count;
  pl_vec3 *start_points;  // VTU only: those of the first frame
  uint32_t checksum;      // NPZ only: of the positions so far
  // GLB only
  pl_glb glb;
  float *first_points;            // 3 per point
  struct pl_gltf_motion *motion;  // in the file that the points come from, else NULL
  pl_vector boxes;  // of float[6]: least and most of each frame's vertices or displacements
  bool has_velocity_columns;  // of a CSV table
  // USD only, and `boxes`
  uint64_t end_offset;  // of the line with the last time code
  // Velocities that wait for the end of the file
  FILE *waiting;          // NULL: none
  int32_t waiting_count;  // frames
  float *row;             // 3 per point, of one frame
};

extern const pl_frames_kind pl_frames_pc2, pl_frames_mdd, pl_frames_glb, pl_frames_vtu,
    pl_frames_obj, pl_frames_ply, pl_frames_csv, pl_frames_npz, pl_frames_usda;

// Seconds at frame number `frame`, counted from 0.
double pl_frames_time(const pl_frames *frames, int32_t frame);

// `path_0001.ending` for the frame being written; to be given to pl_release(). NULL when out of
// memory.
char *pl_frames_file_name(const pl_frames *frames, int32_t frame);

// Three floats.
void pl_frames_put_float_vector(pl_file_writer *writer, pl_vec3 v);

// Keep the velocities of the frame being written, for formats that write those of all frames at the
// end; a frame without them ends the keeping. Then whether those of all frames were kept, and from
// the first on, those of the next frame in `row`.
pl_status pl_frames_keep_velocities(pl_frames *frames, pl_error *error);
bool pl_frames_kept_velocities(const pl_frames *frames);
void pl_frames_rewind_velocities(pl_frames *frames);
pl_status pl_frames_next_velocities(pl_frames *frames, pl_error *error);
void pl_frames_drop_velocities(pl_frames *frames);

#endif
