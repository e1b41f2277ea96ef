#include "contact/joint_potential.h"

#include <math.h>

#include "contact/potential_vectors.h"

static double answer_along(const double *block, pl_vec3 direction) {
  double mean = (block[0] + block[4] + block[8]) / 3;
  return mean > 0 ? pl_vec3_dot(direction, direction) / mean : 0;
}

void pl_joint_potential_set_stiffness(pl_joint_potential *row, const double *blocks, double factor) {
  double answer = 0;
  for (int side = 0; side < 2; ++side) {
    if (row->particles[side] < 0) continue;
    const double *block = blocks + 9 * (ptrdiff_t)row->particles[side];
    answer += answer_along(block, row->linear[side]) + answer_along(block + 9, row->angular[side]);
  }
  row->stiffness = answer > 0 ? factor / answer : 0;
}

// What a step d changes of r.
static double change_of(const pl_joint_potential *row, const double *d) {
  double sum = 0;
  for (int side = 0; side < 2; ++side)
    if (row->particles[side] >= 0)
      sum += pl_vec3_dot(row->linear[side], pl_potential_vector_at(d, row->particles[side])) +
             pl_vec3_dot(row->angular[side], pl_potential_vector_at(d, row->particles[side] + 1));
  return sum;
}

double pl_joint_potential_evaluate(pl_joint_potential *row, const double *z) {
  row->force = row->off = 0;
  row->holds = false;
  if (!(row->stiffness > 0)) return 0;
  row->off = row->error;
  for (int side = 0; side < 2; ++side)
    if (row->particles[side] >= 0)
      row->off += pl_vec3_dot(row->linear[side],
                              pl_vec3_sub(pl_potential_vector_at(z, row->particles[side]), row->centers[side])) +
                  pl_vec3_dot(row->angular[side], pl_potential_vector_at(z, row->particles[side] + 1));
  double wanted = row->multiplier + row->stiffness * row->off;
  row->force = fmax(row->low, fmin(wanted, row->high));
  row->holds = row->force == wanted;
  // ½ f² / k as far as the force follows, straight on at a bound.
  return row->force * (wanted - 0.5 * row->force) / row->stiffness;
}

bool pl_joint_potential_predict(pl_joint_potential *row, const double *d) {
  if (row->holds || !(row->stiffness > 0)) return false;
  double now = row->multiplier + row->stiffness * row->off, then = now + row->stiffness * change_of(row, d);
  if (row->force == row->high ? then >= row->high : then <= row->low) return false;
  row->force = now;
  row->holds = true;
  return true;
}

static void add_scaled(const pl_joint_potential *row, double factor, double *to) {
  for (int side = 0; side < 2; ++side) {
    if (row->particles[side] < 0) continue;
    pl_potential_add_at(to, row->particles[side], row->linear[side], factor);
    pl_potential_add_at(to, row->particles[side] + 1, row->angular[side], factor);
  }
}

void pl_joint_potential_add_gradient(const pl_joint_potential *row, double *gradient) {
  if (row->force != 0) add_scaled(row, row->force, gradient);
}

void pl_joint_potential_add_product(const pl_joint_potential *row, const double *d, double *product) {
  if (row->holds) add_scaled(row, row->stiffness * change_of(row, d), product);
}

static void add_outer(double *block, pl_vec3 v, double factor) {
  const double parts[3] = {v.x, v.y, v.z};
  for (int e = 0; e < 9; ++e) block[e] += factor * parts[e / 3] * parts[e % 3];
}

void pl_joint_potential_add_blocks(const pl_joint_potential *row, double *blocks) {
  for (int side = 0; row->holds && side < 2; ++side) {
    if (row->particles[side] < 0) continue;
    double *block = blocks + 9 * (ptrdiff_t)row->particles[side];
    add_outer(block, row->linear[side], row->stiffness);
    add_outer(block + 9, row->angular[side], row->stiffness);
  }
}
