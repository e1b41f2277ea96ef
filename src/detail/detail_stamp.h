// Stamps: maps of displacements over the surroundings of a contact (paper 003, section 3), made from recordings and laid onto surfaces.
//
// A map has resolution x resolution samples over the square [-1, 1]² in units of the stamp's radius, y in rows, x fastest, 4 floats each: (x, y, z, 0).
// Only the disc counts.
#ifndef PL_DETAIL_STAMP_H
#define PL_DETAIL_STAMP_H

#include <math.h>

#include "detail/detail_object.h"

typedef struct pl_stamp_def {
  int32_t resolution;
  double radius;  // metres
  double border;  // share of the radius over which it fades out
} pl_stamp_def;

// What is to be recorded: `values`, one per surface point, around a spot, in its frame.
typedef struct pl_stamp_source {
  const pl_detail_ground *ground;
  const pl_detail_slot *slot;
  const pl_detail_spot *spot;
  pl_mat3 frame;
  const pl_vec3 *values;  // metres, in the frame
} pl_stamp_source;

// Fill a map so that, laid onto the surface it came from, it gives back `values`. `error` is the share of them that it does not, root mean square.
// False when out of memory.
bool pl_stamp_record(pl_context *context, const pl_stamp_def *def, const pl_stamp_source *source, float *map, double *error);

// A map laid onto a surface.
typedef struct pl_stamp_lay {
  const pl_f4 *map;
  int32_t resolution;
  float scale;                   // 1 over the radius
  pl_f4 center;                  // of the spot, relative to the ground's origin
  pl_f4 axis_x, axis_y, axis_z;  // of the stamp at rest
} pl_stamp_lay;

pl_stamp_lay pl_stamp_lay_of(const pl_detail_ground *ground, const pl_detail_spot *spot, pl_mat3 frame, double radius,
                             int32_t resolution, const pl_f4 *map);

static inline float pl_f4_dot(pl_f4 a, pl_f4 b) {
  pl_f4 c = a * b;
  return c[0] + c[1] + c[2];
}

// Place of surface point i in a stamp, and 1 less its squared distance from the middle: at most 0 outside.
//
// The direction is that of the projection onto the tangent plane. The distance is that in space where the surface faces as the contact does, which on a
// sphere is Lambert's map and keeps areas; where it faces sideways, the way out along the plane and down, so that the side of a box unfolds outward from its edge. The
// paper's orthogonal projection would lay all of that side onto one line.
static inline float pl_stamp_place(const pl_stamp_lay *lay, const pl_detail_ground *ground, int32_t i, float at[2]) {
  pl_f4 off = (ground->places[i] - lay->center) * lay->scale;
  float u = pl_f4_dot(off, lay->axis_x), v = pl_f4_dot(off, lay->axis_y), h = fabsf(pl_f4_dot(off, lay->axis_z)),
        facing = pl_f4_dot(ground->facings[i], lay->axis_z), flat = sqrtf(u * u + v * v), straight = sqrtf(flat * flat + h * h);
  float distance = straight + (flat + h - straight) * (facing > 0 ? 1.0f - facing : 1.0f);
  // Right below the contact there is no direction, and any serves.
  float stretch = flat > 1e-6f ? distance / flat : 0.0f;
  at[0] = flat > 1e-6f ? u * stretch : distance;
  at[1] = v * stretch;
  return 1.0f - distance * distance;
}

// The map at a place inside the disc, linear between samples.
static inline pl_f4 pl_stamp_sample(const pl_stamp_lay *lay, const float at[2]) {
  float half = 0.5f * (float)(lay->resolution - 1), x = (at[0] + 1.0f) * half, y = (at[1] + 1.0f) * half;
  int32_t last = lay->resolution - 2, i = (int32_t)x, j = (int32_t)y;
  // A place at the very rim may round to the last sample.
  i = i > last ? last : i;
  j = j > last ? last : j;
  x -= (float)i;
  y -= (float)j;
  const pl_f4 *row = lay->map + (size_t)j * (size_t)lay->resolution + (size_t)i, *next = row + lay->resolution;
  pl_f4 low = row[0] + (row[1] - row[0]) * x, high = next[0] + (next[1] - next[0]) * x;
  return low + (high - low) * y;
}

#endif
