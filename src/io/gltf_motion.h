// A motion of the vertices of a glTF file, written into a copy of that file.
#ifndef PL_IO_GLTF_MOTION_H
#define PL_IO_GLTF_MOTION_H

#include "io/file_bytes.h"
#include "pliant/math.h"

typedef struct pl_gltf_motion pl_gltf_motion;

// Whether the file at `path` is glTF or GLB, by its content. Fails when it cannot be read.
pl_status pl_gltf_detect_file(pl_context *context, const char *path, bool *is_gltf,
                              pl_error *error);

// Open the file that the points of a mesh were read from by pl_gltf_read(); `point_count` must be
// the number of vertices it has (of vertex numbers, where it has those). A GLB file of at most
// `frame_count` frames is begun in `writer`, which must be fresh.
pl_status pl_gltf_motion_open(pl_context *context, const char *path, int32_t point_count,
                              int32_t frame_count, pl_file_writer *writer, pl_gltf_motion **motion,
                              pl_error *error);

// Write a frame, positions in the world.
pl_status pl_gltf_motion_add(pl_gltf_motion *motion, const pl_vec3 *points, pl_error *error);

// Complete the file; the writer can then be committed. `frame_rate` is in 1/s.
pl_status pl_gltf_motion_finish(pl_gltf_motion *motion, double frame_rate, pl_error *error);

// NULL is allowed.
void pl_gltf_motion_close(pl_gltf_motion *motion);

#endif
