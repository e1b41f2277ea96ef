// The inner loops of `detail` at run time, in single precision, eight points or examples at a time;
// compiled for the plain machine and for AVX2 (see math/simd.h for how).
#ifndef PL_DETAIL_KERNELS_H
#define PL_DETAIL_KERNELS_H

#include "base/arena.h"
#include "detail/detail_moments.h"
#include "math/lanes.h"

// Rows of eight per row of material points (x, y, z, fraction) and of surface points (position,
// normal).
enum { PL_MATERIAL_LANES = 4 * LANES, PL_STAMP_LANES = 6 * LANES };

// Material points laid out for the kernel, relative to an origin among them: precision does not
// depend on the position of the object.
typedef struct pl_material_rows {
  int32_t count, row_count;  // points; rows of eight
  pl_vec3 origin;
  float *positions;  // [row][4][8]: x, y, z relative to `origin` in metres, fraction; rows are
                     // padded with points of fraction 0
} pl_material_rows;

// Lay out the points; false when out of memory.
bool pl_material_rows_take(pl_arena *arena, const pl_material *material, pl_material_rows *rows);

// Displacements in the same layout, [row][3][8], relative to `reference`, which may be any of them:
// a large common translation would cost digits. `rows` must hold 24 floats per row.
void pl_field_rows_fill(const pl_material_rows *rows, const pl_vec3 *displacements,
                        pl_vec3 reference, float *field);

// Examples' keys, eight by eight: [block][number][8]. A key is three runs of numbers, see
// pl_key_layout.
typedef struct pl_key_rows {
  int32_t count, block_count;
  int32_t site_count, patch_count, load_count;  // numbers of each run
  float *numbers;
} pl_key_rows;

// Exponent of the kernel, 1 / (2 width²) per run, and what is cut off.
typedef struct pl_key_kernel {
  float site, patch, load;
  float floor;  // similarities below this are none
} pl_key_kernel;

// Surface points that a stamp may reach, eight by eight: [row][6][8], position and normal at rest;
// rows are padded with points that are far away.
typedef struct pl_stamp_rows {
  int32_t count, row_count;
  float *numbers;
} pl_stamp_rows;

// Placement of a stamp at rest.
typedef struct pl_stamp_placement {
  float center[3];   // relative to the origin of the positions
  float axes[3][3];  // rows: x, y, normal
  float scale;       // 1 over the radius
  float half;        // samples of the stamp from the middle to the rim
  float turn;  // what faces less than this along the normal is on the other side; -2: nothing is
} pl_stamp_placement;

// A stamp on surface points: their number, indices, fractions, and their positions by `locate`.
typedef struct pl_stamp_points {
  int32_t count;
  const int32_t *points;
  const float *fractions, *positions;
} pl_stamp_points;

typedef struct pl_detail_kernels {
  // Sums over material points as pl_moments_sum() has them: of the function 1 to order 3, and if
  // `field` is not NULL of the displacement to order 2 (the rest of `field_sums` is zero).
  void (*sum)(const pl_material_rows *rows, const float *field, const pl_window *window,
              pl_moments *sums, pl_moments *field_sums);
  // Similarity of one key to all: exp of the exponent, less the floor, over 1 less the floor; 0
  // below. Writes block_count rows of eight, zero after the last example. `similarities` is aligned
  // to 32 bytes.
  void (*correlate)(const pl_key_rows *rows, const pl_key_kernel *kernel, const float *key,
                    float *similarities);
  // Positions of surface points in a stamp, [row][3][8]: x and y, counted in samples from its
  // corner, and 1 less the squared distance from the middle in radii, which is at most 0 outside
  // the disc. On the other side y is one side of the stamp larger. `positions` is aligned to 32
  // bytes.
  void (*locate)(const pl_stamp_rows *rows, const pl_stamp_placement *placement, float *positions);
  // Add fraction times map to every point inside the disc. The map has row_count rows of
  // `resolution` samples of 4 floats and is linear between them.
  void (*stamp)(const pl_stamp_points *points, const float *map, int32_t resolution,
                int32_t row_count, pl_vec3 *to);
  // to[0 .. count) += factor * column.
  void (*add)(int32_t count, float factor, const float *column, float *to);
} pl_detail_kernels;

extern const pl_detail_kernels pl_detail_kernels_plain;
extern const pl_detail_kernels pl_detail_kernels_avx2;  // where PL_SIMD_HAS_AVX2

// The fastest this machine can run.
const pl_detail_kernels *pl_detail_kernels_choose(void);

#endif
