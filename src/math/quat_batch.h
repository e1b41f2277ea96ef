// Eight quaternions side by side: the numbers x, y, z and w of each lie in four rows of eight
// floats.
#ifndef PL_QUAT_BATCH_H
#define PL_QUAT_BATCH_H

#include "math/simd.h"

// The rotation matrices of eight unit quaternions, row by row.
PL_SIMD_INLINE void pl_quat8_rows(const float *q, pl_f8 r[9]) {
  pl_f8 x = pl_f8_load(q), y = pl_f8_load(q + LANES), z = pl_f8_load(q + 2 * LANES),
        w = pl_f8_load(q + 3 * LANES);
  pl_f8 x2 = x + x, y2 = y + y, z2 = z + z;
  pl_f8 xx = x * x2, yy = y * y2, zz = z * z2, xy = x * y2, xz = x * z2, yz = y * z2, wx = w * x2,
        wy = w * y2, wz = w * z2;
  r[0] = 1.0f - (yy + zz);
  r[1] = xy - wz;
  r[2] = xz + wy;
  r[3] = xy + wz;
  r[4] = 1.0f - (xx + zz);
  r[5] = yz - wx;
  r[6] = xz - wy;
  r[7] = yz + wx;
  r[8] = 1.0f - (xx + yy);
}

#endif
