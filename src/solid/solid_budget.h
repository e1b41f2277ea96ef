// The energy of a solid that is left to itself, which may not grow (solid_budget.c).
#ifndef PL_SOLID_BUDGET_H
#define PL_SOLID_BUDGET_H

#include "base/scratch.h"
#include "solid/solid_kernels.h"

// Energy and momentum of a block of particles.
typedef struct pl_solid_energy_sums pl_solid_energy_sums;

// One step, as its budget sees it.
typedef struct pl_solid_budget {
  const pl_solid_pull *pull;
  pl_solid_state state;
  pl_f4 *before;               // velocities when the step began, particle_count
  pl_solid_energy_sums *sums;  // per block
  bool measures;               // the energy is measured in this step …
  bool is_fresh;               // … and becomes what the body may have
  bool is_spared;              // nothing is measured, since damping takes more than a step can gain
  // What finish() takes from the velocities, a fraction of the motion within the body in the middle
  // of those before and after.
  float fraction;
  pl_solid_rigid mean;  // rigid part of that motion
} pl_solid_budget;

// Memory for a step, whether it is measured or not. False: out of memory.
bool pl_solid_budget_take(pl_scratch *scratch, int32_t particle_count, pl_solid_budget *budget);

// Whether a step that begins now will measure the energy of a body.
bool pl_solid_budget_will_measure(const pl_solid_model *model, pl_solid_state state,
                                  float damped_fraction, bool is_pushed);

// Before the velocities change: decide whether to measure.
void pl_solid_budget_begin(pl_solid_budget *budget, float damped_fraction);

// After regions and particles are done, before the particles move; `sums` are those of the whole
// body. Returns whether motion was taken out.
bool pl_solid_budget_finish(pl_solid_budget *budget, pl_context *context, const pl_solid_sums *sums,
                            const pl_solid_rigid *rigid);

#endif
