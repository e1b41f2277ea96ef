// Weights from the direction to the camera (paper 001, section 3.2, Algorithm 1).
//
//   s_j = exp(-(x / alpha_j)^2),   x the angle between d and d_j
//   if sum s_j < 1:  w_j = s_j,  w_0 = 1 - sum;   otherwise  w_j = s_j / sum,  w_0 = 0
//
// d  direction to the camera, in the frame of what is posed        d_j, alpha_j  direction and extent of example j
//
// Where extents overlap, Algorithm 1 does not give pose j back at d_j: the others take part. The interpolating variant
// (weight_kernel.c) does. As each example has its own extent, the kernel matrix is not symmetric.
//
// What differs: the angle comes from sine and cosine together, as the arc cosine alone has no digits near 0 (1e-8
// radians at best) and fails for products rounded above 1. A camera at the very position that is posed has no
// direction: the rest.
//
// Cost: one atan2, square root and exp per example; the paper's d_j are unit vectors, here any length will do.
#include <math.h>

#include "base/error.h"
#include "examples/weights.h"

static bool has_direction(pl_vec3 v) {
  double size = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
  return isfinite(v.x) && isfinite(v.y) && isfinite(v.z) && size > 1e-150 && size < 1e150;
}

static pl_vec3 unit(pl_vec3 v) {
  return pl_vec3_scale(v, 1 / pl_vec3_length(v));
}

pl_status pl_view_check(int32_t count, const pl_view_example *examples, pl_error *error) {
  for (int32_t i = 0; i < count; ++i) {
    if (!has_direction(examples[i].direction))
      return pl_fail(error, PL_ERROR_INVALID_DATA, "the view direction of example %d has no length or is not finite",
                     (int)i);
    if (!(examples[i].extent > 0) || !isfinite(examples[i].extent))
      return pl_fail(error, PL_ERROR_INVALID_DATA, "the extent of example %d is %g; it is an angle in radians above 0",
                     (int)i, examples[i].extent);
  }
  return PL_OK;
}

void pl_view_similarities(int32_t count, const pl_view_example *examples, pl_vec3 direction, double *similarities) {
  bool is_known = has_direction(direction);
  pl_vec3 d = is_known ? unit(direction) : direction;
  for (int32_t j = 0; j < count; ++j) {
    similarities[j] = 0;
    if (!is_known) continue;
    pl_vec3 e = unit(examples[j].direction);
    double angle = atan2(pl_vec3_length(pl_vec3_cross(d, e)), pl_vec3_dot(d, e)), x = angle / examples[j].extent;
    similarities[j] = exp(-x * x);
  }
}

void pl_view_weights(int32_t count, const pl_view_example *examples, pl_vec3 direction, double *weights) {
  pl_view_similarities(count, examples, direction, weights);
  pl_weights_limit(count, weights, weights);
}

pl_status pl_view_kernel_build(int32_t count, const pl_view_example *examples, pl_weight_kernel *kernel,
                               pl_error *error) {
  double similarities[PL_MAX_EXAMPLES * PL_MAX_EXAMPLES], column[PL_MAX_EXAMPLES];
  if (count > PL_MAX_EXAMPLES)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "%d examples with view directions; at most %d fit one set", (int)count,
                   (int)PL_MAX_EXAMPLES);
  pl_status status = pl_view_check(count, examples, error);
  if (status != PL_OK) return status;
  for (int32_t j = 0; j < count; ++j) {
    pl_view_similarities(count, examples, examples[j].direction, column);
    for (int32_t i = 0; i < count; ++i) similarities[i * count + j] = column[i];
  }
  kernel->count = count;
  return pl_weight_kernel_build(kernel, similarities, error);
}
