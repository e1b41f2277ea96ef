// The kernels of envelopes for the plain machine, and the choice between instruction sets.
#include "actor/actor_envelope.h"

#define KERNEL_NAME pl_envelope_kernels_plain
#include "actor/actor_envelope_kernel.h"

const pl_envelope_kernels *pl_envelope_kernels_choose(void) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) return &pl_envelope_kernels_avx2;
#endif
  return &pl_envelope_kernels_plain;
}
