// What a body gave to colliders as it moved, in balance with its momentum.
#include "body/body_method.h"
#include "pliant/math.h"

bool pl_body_touch_balance(pl_body_touch *touches, int32_t count, const pl_collider_impulse *sum) {
  pl_collider_impulse missing = *sum;
  double all = 0;
  for (int32_t k = 0; k < count; ++k) {
    all += pl_vec3_length(touches[k].given.linear);
    missing.linear = pl_vec3_sub(missing.linear, touches[k].given.linear);
    missing.angular = pl_vec3_sub(missing.angular, touches[k].given.angular);
  }
  if (!(all > 0)) return false;
  for (int32_t k = 0; k < count; ++k) {
    pl_collider_impulse *given = &touches[k].given;
    double part = pl_vec3_length(given->linear) / all;
    given->linear = pl_vec3_add_scaled(given->linear, missing.linear, part);
    given->angular = pl_vec3_add_scaled(given->angular, missing.angular, part);
  }
  return true;
}
