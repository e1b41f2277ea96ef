// The rigid part of a solid's motion, from the sums over its particles.
#include "math/mat3.h"
#include "solid/solid_kernels.h"

pl_solid_sums pl_solid_join_sums(const pl_solid_sums *sums, int32_t block_count) {
  pl_solid_sums all = sums[0];
  for (int32_t b = 1; b < block_count; ++b) {
    all.drift += sums[b].drift;
    all.twist += sums[b].twist;
    all.momentum += sums[b].momentum;
    all.moment += sums[b].moment;
    all.spin += sums[b].spin;
    all.squares += sums[b].squares;
    all.products += sums[b].products;
    all.pulls += sums[b].pulls;
  }
  return all;
}

static pl_vec3 vec3_of_d4(pl_d4 a) {
  return (pl_vec3){a[0], a[1], a[2]};
}

// Angular velocity = inertia⁻¹ * angular momentum.
pl_solid_rigid pl_solid_find_rigid(const pl_solid_sums *s, double mass, double alpha_over_step, bool may_twist) {
  pl_vec3 drift = pl_vec3_scale(vec3_of_d4(s->drift), 1 / mass), c = pl_vec3_scale(vec3_of_d4(s->moment), 1 / mass);
  pl_vec3 v = pl_vec3_scale(vec3_of_d4(s->momentum), 1 / mass);
  pl_vec3 spin = pl_vec3_sub(vec3_of_d4(s->spin), pl_vec3_scale(pl_vec3_cross(c, v), mass));
  pl_vec3 twist = pl_vec3_sub(vec3_of_d4(s->twist), pl_vec3_scale(pl_vec3_cross(c, drift), mass));
  double xx = s->squares[0] - mass * c.x * c.x, yy = s->squares[1] - mass * c.y * c.y,
         zz = s->squares[2] - mass * c.z * c.z;
  double xy = s->products[0] - mass * c.x * c.y, yz = s->products[1] - mass * c.y * c.z,
         xz = s->products[2] - mass * c.z * c.x;
  // A body squeezed to a line has no inertia around it: the small fraction of the trace keeps the matrix invertible.
  // One squeezed to a point cannot turn at all.
  double min = 1e-9 * (xx + yy + zz);
  pl_mat3 inertia = {{{yy + zz + min, -xy, -xz}, {-xy, xx + zz + min, -yz}, {-xz, -yz, xx + yy + min}}};
  pl_mat3 inverse = pl_mat3_determinant(inertia) > 0 ? pl_mat3_inverse(inertia) : pl_mat3_zero();
  pl_solid_rigid rigid = {.center = c, .inverse_inertia = inverse};
  rigid.drift = pl_vec3_scale(drift, alpha_over_step);
  if (!may_twist) rigid.twist = pl_vec3_scale(pl_mat3_apply(inverse, twist), alpha_over_step);
  rigid.velocity = pl_vec3_sub(v, rigid.drift);
  rigid.angular_velocity = pl_vec3_sub(pl_mat3_apply(inverse, spin), rigid.twist);
  return rigid;
}
