// Weights on the simplex, and one call for all kinds of drivers.
//
// Any weights are put on the simplex by cutting off what is negative and dividing out a sum above 1 (paper 001,
// Algorithm 1, lines 5 to 12). Not by the nearest point of the simplex: that one would take the same amount from strong
// and weak weights alike, so that weak examples blink out.
//
// Cost: that of the driver.
#include "examples/weights.h"

#include <math.h>

void pl_weights_limit(int32_t count, const double *values, double *weights) {
  double sum = 0;
  bool is_endless = false;
  for (int32_t k = 0; k < count; ++k) {
    weights[k] = values[k] > 0 ? values[k] : 0;
    is_endless = is_endless || isinf(weights[k]);
    sum += weights[k];
  }
  // Sums of weights that are meant to be 1 may exceed it by rounding; dividing these out would change them for nothing.
  if (!(sum > 1 + 1e-15 * count)) return;
  if (is_endless || isinf(sum)) {
    // Too large for a sum: the largest alone decide.
    double max = 0;
    for (int32_t k = 0; k < count; ++k) max = fmax(max, weights[k]);
    for (int32_t k = 0; k < count; ++k) weights[k] = is_endless ? isinf(weights[k]) != 0 : weights[k] / max;
    sum = 0;
    for (int32_t k = 0; k < count; ++k) sum += weights[k];
  }
  for (int32_t k = 0; k < count; ++k) weights[k] /= sum;
}

void pl_weights_fade(int32_t count, double fraction, double *weights) {
  for (int32_t k = 0; k < count; ++k) weights[k] *= fraction;
}

void pl_weight_driver_evaluate(const pl_weight_driver *driver, const pl_weight_input *input, double *weights) {
  switch (driver->kind) {
    case PL_DRIVER_CONSTANT: pl_weights_limit(driver->count, driver->weights, weights); break;
    case PL_DRIVER_CURVE: pl_weight_curve_evaluate(&driver->curve, input->time, weights); break;
    case PL_DRIVER_VIEW:
      pl_view_similarities(driver->count, driver->views, input->direction, weights);
      if (driver->kernel.count > 0)
        pl_weight_kernel_evaluate(&driver->kernel, weights, weights);
      else
        pl_weights_limit(driver->count, weights, weights);
      break;
    case PL_DRIVER_FEATURE:
      pl_feature_similarities(&driver->features, input->feature, weights);
      if (driver->kernel.count > 0)
        pl_weight_kernel_evaluate(&driver->kernel, weights, weights);
      else
        pl_weights_limit(driver->count, weights, weights);
      break;
  }
}
