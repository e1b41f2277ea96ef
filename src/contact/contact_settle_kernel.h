// Which rows of two soft bodies may have points inside (contact_settle.c); included with SCREEN_NAME set.
#include "contact/contact_soft_rows.h"
#include "contact/vec3_wide.h"

// Rows side by side, with what is around the triangles that they hold on to. Lanes without a row repeat the last one.
typedef struct screened_rows {
  vec3_wide point, corners[3], across[3];
  wide tolerance;
} screened_rows;

PL_SIMD_INLINE void open_screened(const pl_soft_screen *s, int32_t first, int32_t end, screened_rows *r) {
  const pl_vec3 *from[7][WIDE];
  for (int l = 0; l < WIDE; ++l) {
    int32_t row = first + l < end ? first + l : end - 1;
    const pl_soft_screen_side *side = &s->sides[row >= s->sides[0].count];
    const int32_t *around = &side->around[PL_TET_AROUND * (size_t)pl_contact_spot_triangle(s->notes[row].spot)];
    from[0][l] = &side->own[s->rows[row].particles[0]];
    for (int k = 0; k < PL_TET_AROUND; ++k) from[1 + k][l] = &side->other[around[k]];
  }
  r->point = gather_vectors(from[0]);
  for (int k = 0; k < 3; ++k) {
    r->corners[k] = gather_vectors(from[1 + k]);
    r->across[k] = gather_vectors(from[4 + k]);
  }
  r->tolerance = set_wide(s->tolerance);
}

// Is a height, over a normal of this length, deeper than the tolerance?
PL_SIMD_INLINE wide_mask is_deep(const screened_rows *r, wide height, vec3_wide normal) {
  return is_more(-height, r->tolerance * sqrt_wide(dot_wide(normal, normal)));
}

// Over an edge between two triangles the body is below both where it is convex, and below either where it is a valley.
PL_SIMD_INLINE int screen_wide(const screened_rows *r) {
  const wide zero = set_wide(0);
  const vec3_wide *c = r->corners;
  vec3_wide normal = cross_wide(minus_wide(c[1], c[0]), minus_wide(c[2], c[0]));
  wide_mask below = is_deep(r, dot_wide(normal, minus_wide(r->point, c[0])), normal);
  wide_mask outside = is_more(zero, zero), inside = outside;  // no lane
  for (int k = 0; k < 3; ++k) {
    vec3_wide from = c[(k + 1) % 3], across = minus_wide(r->across[k], from);
    vec3_wide beyond = cross_wide(minus_wide(c[k], from), across);
    wide height = dot_wide(beyond, minus_wide(r->point, from)), rise = dot_wide(normal, across);
    wide_mask is_out = mask_and(is_more(height, zero), is_more(zero, rise));
    wide_mask is_in = mask_and(is_deep(r, height, beyond), is_more(rise, zero));
    outside = mask_or(outside, is_out);
    inside = mask_or(inside, is_in);
  }
  return (wide_bits(below) & ~wide_bits(outside)) | wide_bits(inside);
}

uint64_t SCREEN_NAME(const pl_soft_screen *s, int32_t first, int32_t end) {
  uint64_t found = 0;
  for (int32_t i = first; i < end; i += WIDE) {
    screened_rows r;
    open_screened(s, i, end, &r);
    uint64_t bits = (uint64_t)(unsigned)screen_wide(&r);
    if (end - i < WIDE) bits &= (UINT64_C(1) << (end - i)) - 1;
    found |= bits << (i - first);
  }
  return found;
}
