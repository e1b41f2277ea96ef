// The kernels for the plain machine, and the choice between instruction sets.
#include "contact/contact_particles.h"

#include "math/simd.h"

#define KERNELS pl_particle_kernels_plain
#include "contact/contact_particles_kernel.h"

const pl_particle_kernels *pl_particle_kernels_get(void) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) return &pl_particle_kernels_avx2;
#endif
  return &pl_particle_kernels_plain;
}
