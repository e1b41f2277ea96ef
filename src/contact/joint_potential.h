// Rows of joints as terms of an incremental potential, next to those of contacts
// (contact_potential.h).
//
// A row is one number that joints want to be zero, linear in where its rigid bodies end:
//
//   r = r_goal + sum over both sides  a . (z_c - c) + b . z_τ     a, b: derivatives; c: centre at
//                                                                 the goal; z_τ as of
//                                                                 pl_potential_rigid
//   f = λ + k r,  not beyond [low, high]                          energy the integral of f by r
//
// Joints have no bounds, motors those of their torque, limits of the axis one of them 0. λ is the
// force of the last step, as in contact_potential.h.
#ifndef PL_CONTACT_JOINT_POTENTIAL_H
#define PL_CONTACT_JOINT_POTENTIAL_H

#include "pliant/math.h"

typedef struct pl_joint_potential {
  int32_t particles[2];  // of each side: its centre; the rotation follows it. -1: nothing moves it
  pl_vec3 centers[2];    // at the goal
  pl_vec3 linear[2], angular[2];  // derivatives by the centre, and by the rotation times its length
  double error;                   // r at the goal, metres
  double low, high;               // N
  double stiffness, multiplier;   // N/m, N
  // Of the last evaluation.
  double off;    // r
  double force;  // N
  bool holds;    // the force follows the row
} pl_joint_potential;

// k as `factor` times what the bodies answer with; `blocks` as of
// pl_contact_potential_set_stiffness().
void pl_joint_potential_set_stiffness(pl_joint_potential *row, const double *blocks, double factor);

// Energy at z.
double pl_joint_potential_evaluate(pl_joint_potential *row, const double *z);

// Take a row that is at a bound and would leave it on a step d as one that follows, until the next
// evaluation. Returns whether it did.
bool pl_joint_potential_predict(pl_joint_potential *row, const double *d);

// Derivatives of the last evaluation, as of contacts.
void pl_joint_potential_add_gradient(const pl_joint_potential *row, double *gradient);
void pl_joint_potential_add_product(const pl_joint_potential *row, const double *d,
                                    double *product);
void pl_joint_potential_add_blocks(const pl_joint_potential *row, double *blocks);

#endif
