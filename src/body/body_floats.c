#include "body/body_floats.h"

#include <math.h>

#include "pliant/math.h"

void pl_body_floats_start(const pl_body_start *start, pl_vec3 center, double grid, const pl_f4 *rest, int32_t count,
                          double origin[3], pl_f4 *positions, pl_f4 *velocities) {
  pl_vec3 placed = pl_transform_apply(start->placement, center);
  pl_vec3 nearest = {grid * nearbyint(placed.x / grid), grid * nearbyint(placed.y / grid),
                     grid * nearbyint(placed.z / grid)};
  origin[0] = nearest.x;
  origin[1] = nearest.y;
  origin[2] = nearest.z;
  pl_quat q = pl_quat_normalize(start->placement.rotation);
  pl_vec3 offset = pl_vec3_sub(placed, nearest);
  for (int32_t i = 0; i < count; ++i) {
    pl_vec3 arm = pl_quat_rotate(q, pl_vec3_of_f4(rest[i]));
    positions[i] = pl_f4_of_vec3(pl_vec3_add(offset, arm));
    velocities[i] = pl_f4_of_vec3(pl_vec3_add(start->velocity, pl_vec3_cross(start->angular_velocity, arm)));
  }
}
