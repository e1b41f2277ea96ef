// The kernel for the plain machine, and the choice between instruction sets.
#include "contact/contact_shock.h"

#include "math/simd.h"

#define KERNEL_NAME pl_shock_run_plain
#include "contact/contact_shock_kernel.h"

void pl_contact_damp_shocks(const pl_contact_body *body, const pl_surface_tree *tree, double rate,
                            const pl_shock_particles *particles) {
  pl_shock_kernel *kernel = pl_shock_run_plain;
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) kernel = pl_shock_run_avx2;
#endif
  kernel(body, tree, particles, (float)rate);
}
