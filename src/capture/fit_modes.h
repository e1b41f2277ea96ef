// Vibrations: the lowest modes of a body in its static shape, and what of a captured motion goes
// along each of them.
#ifndef PL_CAPTURE_FIT_MODES_H
#define PL_CAPTURE_FIT_MODES_H

#include "capture/fit_worker.h"
#include "pliant/fit.h"

enum { PL_FIT_MAX_MODES = 16 };

// A damped vibration: e^(-decay t) (a cos ω t + b sin ω t).
typedef struct pl_vibration {
  double frequency;  // ω as seen, rad/s; 0: none was found
  double decay;      // 1/s
  double energy;     // sum of squares of what it explains of the signal, its own amplitude in it
  double fraction;   // of the signal's sum of squares around its mean
} pl_vibration;

// The vibration around a constant that explains most of a signal of `count` values, `step` seconds
// apart.
pl_vibration pl_vibration_find(const double *signal, int32_t count, double step);

// λ = ω² of the lowest modes around the static shape with the worker's moduli and rest shape,
// rising, and the modes, 3 per particle each. PL_REMARK_NOT_CONVERGED or an error of
// pl_eigen_modes_compute() when there are none.
pl_status pl_fit_modes_find(pl_fit_worker *worker, int32_t mode_count, double *eigenvalues,
                            double *modes, pl_error *error);

// Amplitude of every mode in every frame of a sequence, mode after mode: signals[mode * frame_count
// + frame]. In rotation-strain coordinates (Huang et al. 2011): of each tet the vector of its
// rotation and the strain that is left are nearly linear in the amplitudes, also where the body
// bends far, as positions are not. Tets with a corner that does not count are left out; frames that
// do not count repeat the last one. Of markers the displacements are projected.
pl_status pl_fit_modes_project(pl_fit_worker *worker, const pl_fit_sequence *sequence,
                               int32_t mode_count, const double *modes, double *signals,
                               pl_error *error);

#endif
