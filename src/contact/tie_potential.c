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

static pl_vec3 mix(const pl_tie_potential *tie, const double *from) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t i = 0; i < tie->count; ++i)
    sum = pl_vec3_add_scaled(sum, pl_potential_vector_at(from, tie->particles[i]), tie->weights[i]);
  for (int32_t i = 0; i < tie->turn_count; ++i)
    sum = pl_vec3_add(sum, pl_vec3_cross(pl_potential_vector_at(from, tie->turns[i]), tie->levers[i]));
  return sum;
}

pl_vec3 pl_tie_potential_apart(const pl_tie_potential *tie, const double *z) {
  return pl_vec3_add(mix(tie, z), tie->fixed);
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

static void spread(const pl_tie_potential *tie, pl_vec3 force, double *to) {
  for (int32_t i = 0; i < tie->count; ++i) pl_potential_add_at(to, tie->particles[i], force, tie->weights[i]);
  for (int32_t i = 0; i < tie->turn_count; ++i)
    pl_potential_add_at(to, tie->turns[i], pl_vec3_cross(tie->levers[i], force), 1);
}

void pl_tie_potential_add_gradient(const pl_tie_potential *tie, double *gradient) {
  spread(tie, tie->force, gradient);
}

void pl_tie_potential_add_product(const pl_tie_potential *tie, const double *d, double *product) {
  if (tie->stiffness > 0) spread(tie, pl_vec3_scale(mix(tie, d), tie->stiffness), product);
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
