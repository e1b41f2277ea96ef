#include "contact/tie_potential.h"

#include "contact/potential_vectors.h"
#include "pliant/math.h"

static double mean_of(const double *block) {
  return (block[0] + block[4] + block[8]) / 3;
}

void pl_tie_potential_set_stiffness(pl_tie_potential *tie, const double *blocks, double factor) {
  if (!pl_tie_potential_is_hard(tie)) {
    tie->stiffness = tie->spring + tie->drag;
    return;
  }
  // By the stiffer side: particles that a light rigid body holds together would give way to each other by their own
  // stiffness, and the multipliers take an update for each small part of it.
  double answers[2] = {0, 0};
  for (int32_t i = 0; i < tie->count; ++i) {
    double mean = mean_of(blocks + 9 * (ptrdiff_t)tie->particles[i]);
    if (mean > 0) answers[tie->weights[i] < 0] += tie->weights[i] * tie->weights[i] / mean;
  }
  double min_answer = 0;
  for (int side = 0; side < 2; ++side)
    if (answers[side] > 0 && (min_answer == 0 || answers[side] < min_answer)) min_answer = answers[side];
  tie->stiffness = min_answer > 0 ? factor / min_answer : 0;
}

static pl_potential_parts parts_of(const pl_tie_potential *tie) {
  return (pl_potential_parts){tie->count, tie->particles, tie->weights, tie->turn_count, tie->turns, tie->levers};
}

pl_vec3 pl_tie_potential_apart(const pl_tie_potential *tie, const double *z) {
  return pl_vec3_add(pl_potential_mix(parts_of(tie), z), tie->fixed);
}

double pl_tie_potential_evaluate(pl_tie_potential *tie, const double *z) {
  tie->force = (pl_vec3){0, 0, 0};
  tie->apart = pl_tie_potential_apart(tie, z);
  if (!(tie->stiffness > 0)) return 0;
  if (pl_tie_potential_is_hard(tie)) {
    tie->force = pl_vec3_add_scaled(tie->multiplier, pl_vec3_sub(tie->apart, tie->goal), tie->stiffness);
    return 0.5 * pl_vec3_dot(tie->force, tie->force) / tie->stiffness;
  }
  pl_vec3 way = pl_vec3_sub(tie->apart, tie->start);
  tie->force = pl_vec3_add_scaled(pl_vec3_scale(tie->apart, tie->spring), way, tie->drag);
  return 0.5 * (tie->spring * pl_vec3_dot(tie->apart, tie->apart) + tie->drag * pl_vec3_dot(way, way));
}

void pl_tie_potential_add_gradient(const pl_tie_potential *tie, double *gradient) {
  pl_potential_spread(parts_of(tie), tie->force, 1, gradient);
}

void pl_tie_potential_add_product(const pl_tie_potential *tie, const double *d, double *product) {
  pl_vec3 way = pl_potential_mix(parts_of(tie), d);
  if (tie->stiffness > 0) pl_potential_spread(parts_of(tie), pl_vec3_scale(way, tie->stiffness), 1, product);
}

void pl_tie_potential_add_blocks(const pl_tie_potential *tie, double *blocks) {
  for (int32_t i = 0; i < tie->count; ++i) {
    double *block = blocks + 9 * (ptrdiff_t)tie->particles[i];
    for (int e = 0; e < 9; e += 4) block[e] += tie->stiffness * tie->weights[i] * tie->weights[i];
  }
  // k (|l|² - l lᵀ)
  for (int32_t i = 0; i < tie->turn_count; ++i) {
    double *block = blocks + 9 * (ptrdiff_t)tie->turns[i], square = pl_vec3_dot(tie->levers[i], tie->levers[i]);
    const double l[3] = {tie->levers[i].x, tie->levers[i].y, tie->levers[i].z};
    for (int e = 0; e < 9; ++e) block[e] += tie->stiffness * ((e % 4 == 0 ? square : 0) - l[e / 3] * l[e % 3]);
  }
}
