// Stamps: maps of displacements over the surroundings of a contact (paper 003, section 3), made
// from recordings and laid onto surfaces.
//
// A map has resolution x resolution samples over the square [-1, 1]² in units of the stamp's
// radius, y in rows, x fastest, 4 floats each: (x, y, z, 0). Only the disc counts. Two-sided stamps
// have two such maps, the second for what faces away from the contact: it lies behind the first, as
// if its rows continued.
#ifndef PL_DETAIL_STAMP_H
#define PL_DETAIL_STAMP_H

#include "detail/detail_object.h"
#include "math/f4.h"

typedef struct pl_stamp_def {
  int32_t resolution, side_count;
  double radius;  // metres
  double border;  // fraction of the radius over which it fades out
} pl_stamp_def;

// What is to be recorded: `values`, one per surface point, around a spot, in its frame.
typedef struct pl_stamp_source {
  const pl_detail_ground *ground;
  const pl_detail_slot *slot;
  const pl_detail_spot *spot;
  pl_mat3 frame;
  const pl_vec3 *values;  // metres, in the frame
} pl_stamp_source;

// Fill a map so that, laid onto the surface it came from, it gives back `values`. `error` is the
// fraction of them that it does not, root mean square. False when out of memory.
bool pl_stamp_record(pl_context *context, const pl_stamp_def *def, const pl_stamp_source *source,
                     float *map, double *error);

// Where a stamp lies on a surface; pl_detail_kernels has what finds its points.
pl_stamp_placement pl_stamp_placement_of(const pl_detail_ground *ground, const pl_detail_spot *spot,
                                         pl_mat3 frame, const pl_stamp_def *def);

// Floats that the places of a ground's points may take.
size_t pl_stamp_positions_size(const pl_detail_ground *ground);

// The map at a place inside the disc, linear between samples; as the kernel has it.
static inline pl_f4 pl_stamp_sample(const pl_f4 *map, const pl_stamp_def *def, float x, float y) {
  int32_t resolution = def->resolution, last = def->side_count * resolution - 2, i = (int32_t)x,
          j = (int32_t)y;
  // A position at the very rim may round to the last sample.
  i = i > resolution - 2 ? resolution - 2 : i;
  j = j > last ? last : j;
  x -= (float)i;
  y -= (float)j;
  const pl_f4 *row = map + (size_t)j * (size_t)resolution + (size_t)i, *next = row + resolution;
  pl_f4 low = row[0] + (row[1] - row[0]) * x, high = next[0] + (next[1] - next[0]) * x;
  return low + (high - low) * y;
}

#endif
