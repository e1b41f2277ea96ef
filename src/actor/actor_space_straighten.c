// Rest shapes neither turn nor travel.
//
// A body does not feel rigid motions of its rest shape, so nothing holds them but the cost of change, and what
// second-order terms leave of them in each step adds up: after some seconds the rest shape of a hopper has turned by
// half a radian. The cost of change and the strain that reports tell are taken to first order around the shape as
// built; they mean what they say only while the rest shape is turned as that is. So before each step free points and
// cages are turned and moved back, all of them alike, which changes no element.
#include <math.h>

#include "actor/actor_space_parts.h"
#include "fem/fem_work.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "pliant/math.h"

// Rotation that takes places nearest to the shape as built, in the sense of masses.
static pl_quat way_back(const pl_fem_model *model, const double *points, pl_vec3 center) {
  pl_mat3 sum = pl_mat3_zero();
  for (int32_t i = 0; i < model->head.particle_count; ++i) {
    pl_vec3 built = pl_vec3_sub(pl_fem_vector(model->rest_points, i), model->rest_center);
    pl_vec3 now = pl_vec3_sub(pl_fem_vector(points, i), center);
    sum = pl_mat3_add(sum, pl_mat3_outer(pl_vec3_scale(built, model->head.masses[i]), now));
  }
  // In a plane it turns about z alone.
  if (model->planar) sum.m[2][2] += fabs(sum.m[0][0]) + fabs(sum.m[1][1]) + fabs(sum.m[0][1]) + fabs(sum.m[1][0]);
  return pl_rotation_of_mat3(sum, pl_quat_identity());
}

void pl_rest_space_straighten(pl_rest_space *space, double *p) {
  if (space->handles == NULL) return;
  const pl_fem_model *model = space->model;
  int32_t axes = space->axes;
  pl_rest_points_find(space, p);
  pl_vec3 center = pl_fem_center_of(model, space->points);
  pl_quat turn = way_back(model, space->points, center);
  for (ptrdiff_t k = 0; k < space->handle_count; ++k) {
    double *move = p + axes * k;
    pl_vec3 built = pl_vec3_of(space->handles[3 * k], space->handles[3 * k + 1], space->handles[3 * k + 2]);
    pl_vec3 now = pl_vec3_of(built.x + move[0], built.y + move[1], built.z + (axes == 3 ? move[2] : 0));
    pl_vec3 back = pl_vec3_add(model->rest_center, pl_quat_rotate(turn, pl_vec3_sub(now, center)));
    move[0] = back.x - built.x;
    move[1] = back.y - built.y;
    if (axes == 3) move[2] = back.z - built.z;
  }
}
