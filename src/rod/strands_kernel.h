// The inner loop of strands: eight points of one strand at a time.
//
//   x_j = root + sum over the guides k of w_k (c_kj + D_kj d_j)
//
//   c_kj   point j of guide k, relative to its root         d_j   what the strand differs from the mixture at rest
//   D_kj   how guide k has turned there since the rest      w_k   weights, sum 1
//
// Then out of segments and planes:
//
//   segment   q = x - nearest point of it,  x += q max(radius / |q| - 1, 0)
//   plane     x += n max(offset - n . x, 0)
#include "math/simd.h"
#include "rod/strands.h"

typedef struct point_row {
  pl_f8 x, y, z;
} point_row;

PL_SIMD_INLINE point_row mix_row(const pl_strands *s, int32_t strand, size_t at) {
  const int32_t *guides = s->neighbours + (size_t)strand * (size_t)s->def.neighbours;
  const float *weights = s->weights + (size_t)strand * (size_t)s->def.neighbours;
  size_t n = (size_t)s->row_points;
  pl_f8 sums[PL_STRANDS_DISTANCE];
  int32_t columns = s->details != NULL ? PL_STRANDS_DISTANCE : PL_STRANDS_TURN;
  for (int32_t c = 0; c < columns; ++c) sums[c] = pl_f8_set1(0);
  for (int32_t k = 0; k < s->def.neighbours; ++k) {
    const float *curve = s->curves + (size_t)guides[k] * PL_STRANDS_COLUMNS * n + at;
    for (int32_t c = 0; c < columns; ++c) sums[c] += pl_f8_load(curve + (size_t)c * n) * weights[k];
  }
  point_row p = {sums[0], sums[1], sums[2]};
  if (s->details == NULL) return p;
  const float *detail = s->details + (size_t)strand * 3 * n + at;
  pl_f8 x = pl_f8_load(detail), y = pl_f8_load(detail + n), z = pl_f8_load(detail + 2 * n);
  p.x += sums[3] * x + sums[4] * y + sums[5] * z;
  p.y += sums[6] * x + sums[7] * y + sums[8] * z;
  p.z += sums[9] * x + sums[10] * y + sums[11] * z;
  return p;
}

PL_SIMD_INLINE void push_plane(point_row *p, pl_f8 nx, pl_f8 ny, pl_f8 nz, pl_f8 offset) {
  pl_f8 depth = pl_f8_max(offset - (nx * p->x + ny * p->y + nz * p->z), pl_f8_set1(0));
  p->x += nx * depth;
  p->y += ny * depth;
  p->z += nz * depth;
}

PL_SIMD_INLINE void push_form(point_row *p, const pl_strands_form *f) {
  if (f->is_plane) {
    push_plane(p, pl_f8_set1(f->a[0]), pl_f8_set1(f->a[1]), pl_f8_set1(f->a[2]), pl_f8_set1(f->radius));
    return;
  }
  pl_f8 x = p->x - f->a[0], y = p->y - f->a[1], z = p->z - f->a[2];
  pl_f8 t = (x * f->ab[0] + y * f->ab[1] + z * f->ab[2]) * f->inverse_square;
  t = pl_f8_min(pl_f8_max(t, pl_f8_set1(0)), pl_f8_set1(1));
  x -= t * f->ab[0], y -= t * f->ab[1], z -= t * f->ab[2];
  // On the axis itself there is no way out that is nearer than others: the point stays.
  pl_f8 distance = pl_f8_max(pl_f8_sqrt(x * x + y * y + z * z), pl_f8_set1(1e-12f));
  pl_f8 part = pl_f8_max(f->radius / distance - 1.0f, pl_f8_set1(0));
  p->x += x * part;
  p->y += y * part;
  p->z += z * part;
}

static void mix(const pl_strands_frame *frame, int32_t strand, const float root[3], float *positions) {
  const pl_strands *s = frame->strands;
  size_t n = (size_t)s->row_points;
  for (size_t at = 0; at < n; at += LANES) {
    point_row p = mix_row(s, strand, at);
    p.x += root[0], p.y += root[1], p.z += root[2];
    // Out of one may be into the next.
    for (int round = 0; round < (frame->form_count > 1 ? 2 : 1); ++round)
      for (int32_t i = 0; i < frame->form_count; ++i) push_form(&p, &frame->forms[i]);
    pl_f8_store(positions + at, p.x);
    pl_f8_store(positions + n + at, p.y);
    pl_f8_store(positions + 2 * n + at, p.z);
  }
  // Roots stay on the skin.
  for (size_t c = 0; c < 3; ++c) positions[c * n] = root[c];
}

const pl_strands_kernels KERNELS = {mix};
