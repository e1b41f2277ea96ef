// The kernels for AVX2.
#define PL_SIMD_AVX2
#include "math/simd.h"

#include "contact/contact_particles.h"

#if PL_SIMD_HAS_AVX2
#define KERNELS pl_particle_kernels_avx2
#include "contact/contact_particles_kernel.h"
#endif
PL_SIMD_END
