// The inner loops for the plain machine, the choice between instruction sets, and the layouts they read.
#include "detail/detail_kernels.h"

#include "math/f4.h"
#include "math/simd.h"

#define KERNELS pl_detail_kernels_plain
#include "detail/detail_kernel.h"

const pl_detail_kernels *pl_detail_kernels_choose(void) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) return &pl_detail_kernels_avx2;
#endif
  return &pl_detail_kernels_plain;
}

bool pl_material_rows_take(pl_arena *arena, const pl_material *material, pl_material_rows *rows) {
  rows->count = material->count;
  rows->row_count = material->count / LANES + (material->count % LANES != 0);
  // One row at least: the arena aligns what is 64 bytes or larger.
  rows->positions = PL_TAKE(arena, float, PL_MATERIAL_LANES *(size_t)(rows->row_count > 0 ? rows->row_count : 1));
  if (rows->positions == NULL) return false;
  pl_box box = pl_box_empty();
  for (int32_t m = 0; m < material->count; ++m) box = pl_box_add_point(box, material->points[m]);
  rows->origin = material->count > 0 ? pl_box_center(box) : pl_vec3_of(0, 0, 0);
  for (int32_t m = 0; m < material->count; ++m) {
    pl_vec3 position = pl_vec3_sub(material->points[m], rows->origin);
    float *to = rows->positions + PL_MATERIAL_LANES * (size_t)(m / LANES) + m % LANES;
    to[0] = (float)position.x;
    to[LANES] = (float)position.y;
    to[2 * LANES] = (float)position.z;
    to[3 * LANES] = material->fractions == NULL ? 1.0f : (float)material->fractions[m];
  }
  return true;
}

void pl_field_rows_fill(const pl_material_rows *rows, const pl_vec3 *displacements, pl_vec3 reference, float *field) {
  for (int32_t row = 0; row < rows->row_count; ++row)
    for (int32_t lane = 0; lane < LANES; ++lane) {
      int32_t m = LANES * row + lane;
      pl_vec3 u = m < rows->count ? pl_vec3_sub(displacements[m], reference) : pl_vec3_of(0, 0, 0);
      float *to = field + VEC3_LANES * (size_t)row + lane;
      to[0] = (float)u.x;
      to[LANES] = (float)u.y;
      to[2 * LANES] = (float)u.z;
    }
}
