/// @file math.h
/// The plain value types that other headers pass around. Arithmetic on them is the host's business.
#ifndef PLIANT_MATH_H
#define PLIANT_MATH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Point or vector in metres (or another unit where stated).
typedef struct pl_vec3 {
  double x, y, z;
} pl_vec3;

/// Rotation as a unit quaternion; w is the real part. Zero is not a rotation: the identity is {0, 0, 0, 1}.
typedef struct pl_quat {
  double x, y, z, w;
} pl_quat;

/// 3x3 matrix, row-major: m[row][column].
typedef struct pl_mat3 {
  double m[3][3];
} pl_mat3;

/// Rigid placement: point -> rotation * point + position.
typedef struct pl_transform {
  pl_vec3 position;
  pl_quat rotation;
} pl_transform;

/// Axis-aligned box; empty when a `min` component exceeds its `max`.
typedef struct pl_box {
  pl_vec3 min, max;
} pl_box;

#ifdef __cplusplus
}
#endif
#endif
