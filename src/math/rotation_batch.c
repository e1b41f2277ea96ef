// Rotations nearest to eight matrices at a time: the kernel for the plain machine, its scalar twin, the choice between
// instruction sets and the way out for lanes that float cannot settle.
#include "math/rotation_batch.h"

#include "math/rotation.h"

#define KERNEL_NAME pl_rotation_batch_plain
#define WIDTH 8
#include "math/rotation_batch_kernel.h"

static void redo_in_double(const float *a, float *q, int lane) {
  pl_mat3 m;
  for (int i = 0; i < 9; ++i) m.m[i / 3][i % 3] = (double)a[LANES * i + lane];
  pl_quat guess = {(double)q[lane], (double)q[LANES + lane], (double)q[2 * LANES + lane], (double)q[3 * LANES + lane]};
  pl_quat r = pl_rotation_of_mat3(m, guess);
  q[lane] = (float)r.x;
  q[LANES + lane] = (float)r.y;
  q[2 * LANES + lane] = (float)r.z;
  q[3 * LANES + lane] = (float)r.w;
}

static void redo_lost(const float *a, size_t stride, float *q, unsigned lost) {
  for (int lane = 0; lost != 0; ++lane, lost >>= 1)
    if (lost & 1)
      redo_in_double(a + stride * (size_t)(lane / LANES), q + (ptrdiff_t)QUAT_LANES * (lane / LANES), lane % LANES);
}

void pl_rotation_batch(const float *a, float *q) {
#if PL_SIMD_HAS_AVX2
  unsigned lost = PL_SIMD_CAN_AVX2() ? pl_rotation_batch_avx2(a, 0, q, 1) : pl_rotation_batch_plain(a, 0, q, 1);
#else
  unsigned lost = pl_rotation_batch_plain(a, 0, q, 1);
#endif
  redo_lost(a, 0, q, lost);
}

void pl_rotation_batch_many(const float *a, size_t stride, float *q, int count) {
#if PL_SIMD_HAS_AVX2
  bool is_wide = PL_SIMD_CAN_AVX512();
  for (int parts = 0; is_wide && count > 1; count -= 2 * parts, a += 2 * stride * (size_t)parts) {
    parts = count < 4 ? 1 : 2;
    redo_lost(a, stride, q, pl_rotation_batch_avx512(a, stride, q, parts));
    q += (ptrdiff_t)2 * QUAT_LANES * parts;
  }
#endif
  for (int k = 0; k < count; ++k) pl_rotation_batch(a + stride * (size_t)k, q + (ptrdiff_t)QUAT_LANES * k);
}

static void unit_scalar(float q[4], bool is_short) {
  float square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  float f = is_short ? 1.5f - 0.5f * square : 1.0f / sqrtf(square);
  for (int i = 0; i < 4; ++i) q[i] *= f;
}

// b = R(q)^T a
static void unrotate_scalar(const float q[4], const float a[9], float b[9]) {
  float x2 = q[0] + q[0], y2 = q[1] + q[1], z2 = q[2] + q[2];
  float xx = q[0] * x2, yy = q[1] * y2, zz = q[2] * z2, xy = q[0] * y2, xz = q[0] * z2, yz = q[1] * z2;
  float wx = q[3] * x2, wy = q[3] * y2, wz = q[3] * z2;
  float r[9] = {1.0f - (yy + zz), xy - wz, xz + wy, xy + wz,         1.0f - (xx + zz),
                yz - wx,          xz - wy, yz + wx, 1.0f - (xx + yy)};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) b[3 * i + j] = r[i] * a[j] + r[3 + i] * a[3 + j] + r[6 + i] * a[6 + j];
}

static bool newton_step_scalar(const float b[9], float w[3], float *length2, bool *is_short) {
  float h00 = b[4] + b[8], h11 = b[0] + b[8], h22 = b[0] + b[4];
  float h01 = -0.5f * (b[1] + b[3]), h02 = -0.5f * (b[2] + b[6]), h12 = -0.5f * (b[5] + b[7]);
  float c00 = h11 * h22 - h12 * h12, c01 = h02 * h12 - h01 * h22, c02 = h01 * h12 - h02 * h11;
  float c11 = h00 * h22 - h02 * h02, c12 = h01 * h02 - h00 * h12, c22 = h00 * h11 - h01 * h01;
  float determinant = h00 * c00 + h01 * c01 + h02 * c02, trace = h00 + h11 + h22;
  float cube = trace * trace * trace;
  if (!(h00 > 0.0f && c22 > 0.0f && determinant > MIN_CURVATURE * cube)) return false;
  float gx = b[7] - b[5], gy = b[2] - b[6], gz = b[3] - b[1], f = 1.0f / determinant;
  w[0] = f * (c00 * gx + c01 * gy + c02 * gz);
  w[1] = f * (c01 * gx + c11 * gy + c12 * gz);
  w[2] = f * (c02 * gx + c12 * gy + c22 * gz);
  *length2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
  *is_short = *length2 * cube < SETTLED * determinant;
  return true;
}

// q (w/2, 1 + |w|²/4), made a unit.
static void turn_scalar(float q[4], const float w[3], float length2, bool is_short) {
  float x = 0.5f * w[0], y = 0.5f * w[1], z = 0.5f * w[2], u = 1.0f + 0.25f * length2;
  float r[4] = {q[0] * u + q[3] * x + (q[1] * z - q[2] * y), q[1] * u + q[3] * y + (q[2] * x - q[0] * z),
                q[2] * u + q[3] * z + (q[0] * y - q[1] * x), q[3] * u - (q[0] * x + q[1] * y + q[2] * z)};
  unit_scalar(r, is_short);
  for (int i = 0; i < 4; ++i) q[i] = r[i];
}

static bool settle_scalar(float a[9], float q[4]) {
  float max = 0.0f;
  for (int i = 0; i < 9; ++i) max = max > fabsf(a[i]) ? max : fabsf(a[i]);
  if (!(max > MIN_SIZE && max < MAX_SIZE)) return false;
  float scale = max > MIN_PLAIN_SIZE && max < MAX_PLAIN_SIZE ? 1.0f : 1.0f / max;
  for (int i = 0; i < 9; ++i) a[i] *= scale;
  float square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  if (!(fabsf(square - 1.0f) < UNIT_TOLERANCE)) return false;
  for (int iteration = 0; iteration < MAX_ITERATION_COUNT; ++iteration) {
    float b[9], w[3], length2;
    bool is_short;
    unrotate_scalar(q, a, b);
    if (!newton_step_scalar(b, w, &length2, &is_short)) return false;
    if (!(length2 < MAX_STEP_LENGTH * MAX_STEP_LENGTH)) return false;
    turn_scalar(q, w, length2, is_short);
    if (is_short) return true;
  }
  return false;
}

void pl_rotation_batch_scalar(const float *a, float *q) {
  for (int lane = 0; lane < LANES; ++lane) {
    float m[9], r[4] = {q[lane], q[LANES + lane], q[2 * LANES + lane], q[3 * LANES + lane]};
    for (int i = 0; i < 9; ++i) m[i] = a[LANES * i + lane];
    if (settle_scalar(m, r)) {
      for (int i = 0; i < 4; ++i) q[LANES * i + lane] = r[i];
    } else {
      redo_in_double(a, q, lane);
    }
  }
}
