// Which Maxwell branches a material has: its Prony terms, and those that structural damping is made of.
//
// A loss tangent η that does not depend on frequency belongs to a modulus E (iω / ω₀)^p with tan(p π/2) = η. Branches
// whose times follow each other by a factor q, with stiffnesses that grow by q^p, have it up to a ripple of 2 / cosh(π²
// / ln q), 1 % for q = 5. Of one branch the loss is γ ω t / (1 + ω² t²); the sum over all of them is γ (ω t)^p π / (2
// cos(p π/2) ln q), and has to be η times the storage modulus, which is 1 + the same sum over the storage γ ω² t² / (1
// + ω² t²): it is found by summing both in the middle of the band.
#include <math.h>

#include "fem/fem_model.h"
#include "pliant/math.h"

enum { LOSS_BRANCHES = 9 };
static const double LOSS_SPACING = 5;
static const double MIDDLE = 16;  // of the band, over its lowest frequency

_Static_assert(LOSS_BRANCHES + 2 <= PL_FEM_MAX_BRANCHES, "Prony terms and structural damping");

static void add_branch(pl_fem_branches *to, double ratio, double time) {
  if (!(ratio > 0)) return;
  to->ratios[to->count] = ratio;
  to->times[to->count++] = time;
}

// Loss and storage of the branches per stiffness of the first, at a frequency.
static void sum_branches(double power, double omega, const double *times, double *loss, double *storage) {
  *loss = *storage = 0;
  for (int k = 0; k < LOSS_BRANCHES; ++k) {
    double y = omega * times[k], ratio = pow(LOSS_SPACING, power * k);
    *loss += ratio * y / (1 + y * y);
    *storage += ratio * y * y / (1 + y * y);
  }
}

static void add_structural(pl_fem_branches *to, double factor, double frequency) {
  double times[LOSS_BRANCHES], power = 2 / PL_PI * atan(factor), loss, storage;
  // The first branch lies below the band, so that the band begins where the sum is full.
  for (int k = 0; k < LOSS_BRANCHES; ++k) times[k] = LOSS_SPACING / (2 * PL_PI * frequency * pow(LOSS_SPACING, k));
  double omega = MIDDLE * 2 * PL_PI * frequency;
  sum_branches(power, omega, times, &loss, &storage);
  double first = factor / (loss - factor * storage);
  for (int k = 0; k < LOSS_BRANCHES; ++k) add_branch(to, first * pow(LOSS_SPACING, power * k), times[k]);
}

pl_fem_branches pl_fem_branches_of(const pl_fem_def *def) {
  pl_fem_branches branches = {0};
  add_branch(&branches, def->prony_ratio, def->prony_time);
  add_branch(&branches, def->second_prony_ratio, def->second_prony_time);
  if (def->loss_factor > 0) add_structural(&branches, def->loss_factor, def->loss_frequency);
  return branches;
}
