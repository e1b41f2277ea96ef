// Making a fit valid: no tet inverted, none pressed flat, and yet as near to the pose as that allows.
//
// Mostly it is a crease that inverts tets, such as the inside of a skinned elbow, and the rest of the surface has
// nothing to do with it. So everything here acts near the tets that are not valid: they become stiffer, and the surface
// points around them keep only a part of their fraction of the weight.
//   1. In rounds, continuing from the fit as it is. Softening alone does not do it: neighbours hold an inverted tet in
//   place (a local
//      minimum of E), and only its own stiffness gets it out.
//   2. Where that fails, the pose is a tangle, and no way leads out of it. Then the fit starts again at the turned
//   rest, which is valid,
//      with a low weight that rises by steps, and every step goes only as far as all tets stay valid; those that stood
//      in the way are relaxed a little each time. This never fails, but it is slow and gives up more of the surface.
//   3. What was taken is given back by bisection, as a common power of fractions and stiffness, as far as all tets stay
//   valid. Each trial
//      begins at the last valid fit: better pulled towards the pose from a valid state than out of a tangle.
#include <string.h>

#include "mesh/pose_fitter.h"

// Once relaxing has begun it aims at more than det F > 0: a tet pressed flat is not an example to follow.
static const double SOUND_J = 0.02;

static const double QUARTER = 0.25, GENTLY = 0.7;  // factor on fractions, divisor of stiffness
static const double MIN_FRACTION = 1e-6, MAX_STIFFNESS = 1e4;
static const double FIRST_WEIGHT = 0.25;
enum { ROUND_COUNT = 4, ROUND_ITERATIONS = 60, CLIMB_ITERATIONS = 60, HALVING_COUNT = 6, BISECTION_COUNT = 4 };

// Points at rest: none moves farther in an iteration than this fraction of an edge.
static const double REST = 1e-4;

void pl_pose_trial_iterate(pl_pose_trial *trial, double weight, int32_t max_iterations) {
  pl_pose_fitter *f = trial->fitter;
  pl_pose_fitter_set_weight(f, weight);
  trial->converged = false;
  for (int32_t i = 0; i < max_iterations && !trial->converged; ++i) {
    pl_pose_fitter_rotate(f);
    trial->converged = pl_pose_fitter_solve(f) <= REST * f->edge;
    trial->iteration_count++;
  }
  pl_pose_fitter_rotate(f);
}

static bool is_sound(const pl_pose_fitter *f) {
  return pl_pose_fitter_count(f, SOUND_J) == 0;
}

static void copy_points(const pl_pose_fitter *f, pl_vec3 *to, const pl_vec3 *from) {
  memcpy(to, from, (size_t)f->point_count * sizeof *to);
}

// Mark the points of tets that are not valid, and those one ring around them.
static void mark_points(pl_pose_fitter *f) {
  enum { CORE = 1, RING = 2 };
  memset(f->marks, 0, (size_t)f->point_count);
  for (int32_t t = 0; t < f->tet_count; ++t)
    for (int i = 0; !(f->determinants[t] > SOUND_J) && i < 4; ++i) f->marks[f->tets[4 * t + i]] = CORE;
  for (int32_t t = 0; t < f->tet_count; ++t) {
    const int32_t *corners = &f->tets[4 * t];
    bool touches = false;
    for (int i = 0; i < 4; ++i) touches = touches || f->marks[corners[i]] == CORE;
    for (int i = 0; touches && i < 4; ++i)
      if (f->marks[corners[i]] == 0) f->marks[corners[i]] = RING;
  }
}

// Stiffen the tets that are not valid and soften the surface around them.
static void relax(pl_pose_fitter *f, double by) {
  for (int32_t t = 0; t < f->tet_count; ++t)
    if (!(f->determinants[t] > SOUND_J)) f->stiffness[t] = fmin(f->stiffness[t] / by, MAX_STIFFNESS);
  mark_points(f);
  for (int32_t s = 0; s < f->surface_count; ++s) {
    const int32_t *parents = &f->parents[4 * (size_t)s];
    bool near = f->marks[parents[0]] || f->marks[parents[1]] || f->marks[parents[2]] || f->marks[parents[3]];
    if (near) f->fractions[s] = fmax(f->fractions[s] * by, MIN_FRACTION);
  }
}

// Fractions and stiffness to the given power, which brings them nearer to 1 when it is below 1.
static void raise(pl_pose_fitter *f, double power) {
  for (int32_t s = 0; s < f->surface_count; ++s)
    if (f->fractions[s] < 1) f->fractions[s] = pow(f->fractions[s], power);
  for (int32_t t = 0; t < f->tet_count; ++t)
    if (f->stiffness[t] > 1) f->stiffness[t] = pow(f->stiffness[t], power);
}

// From a valid fit, give back what does no harm.
static void give_back(pl_pose_trial *trial, int32_t max_iterations) {
  pl_pose_fitter *f = trial->fitter;
  bool converged = trial->converged;
  double good = 1, bad = 0, now = 1;
  copy_points(f, f->kept, f->points);
  for (int i = 0; i < BISECTION_COUNT; ++i) {
    double middle = 0.5 * (good + bad);
    raise(f, middle / now);
    now = middle;
    pl_pose_trial_iterate(trial, f->weight, max_iterations);
    if (is_sound(f)) {
      good = middle;
      converged = trial->converged;
      copy_points(f, f->kept, f->points);
    } else {
      bad = middle;
      copy_points(f, f->points, f->kept);
    }
  }
  raise(f, good / now);
  pl_pose_fitter_set_weight(f, f->weight);
  pl_pose_fitter_rotate(f);
  trial->converged = converged;
}

// A global step that goes only as far as all tets stay valid; those that stood in the way are relaxed. Returns the
// move, which is large when there was none.
static double step_soundly(pl_pose_fitter *f) {
  double move = pl_pose_fitter_solve(f);
  pl_pose_fitter_rotate(f);
  if (is_sound(f)) return move;
  relax(f, GENTLY);
  for (int i = 0; i < HALVING_COUNT; ++i) {
    for (int32_t k = 0; k < f->point_count; ++k) f->points[k] = pl_vec3_lerp(f->before[k], f->points[k], 0.5);
    pl_pose_fitter_rotate(f);
    if (is_sound(f)) return HUGE_VAL;
  }
  copy_points(f, f->points, f->before);
  pl_pose_fitter_rotate(f);
  return HUGE_VAL;
}

// Raise the weight from low to `asked`, starting at the turned rest.
static void climb(pl_pose_trial *trial, double asked) {
  pl_pose_fitter *f = trial->fitter;
  pl_pose_fitter_unrelax(f);
  pl_pose_fitter_reset(f);
  pl_pose_fitter_rotate(f);
  for (double weight = fmin(asked, FIRST_WEIGHT);; weight = fmin(weight / QUARTER, asked)) {
    trial->converged = false;
    for (int32_t i = 0; i < CLIMB_ITERATIONS && !trial->converged; ++i) {
      pl_pose_fitter_set_weight(f, weight);
      trial->converged = step_soundly(f) <= REST * f->edge;
      trial->iteration_count++;
    }
    if (weight >= asked) return;
  }
}

void pl_pose_trial_make_sound(pl_pose_trial *trial, int32_t max_iterations) {
  pl_pose_fitter *f = trial->fitter;
  for (int round = 0; round < ROUND_COUNT && !is_sound(f); ++round) {
    relax(f, QUARTER);
    pl_pose_trial_iterate(trial, f->weight, ROUND_ITERATIONS);
  }
  if (!is_sound(f)) climb(trial, f->weight);
  give_back(trial, max_iterations);
}
