// The kernels of envelopes for AVX2.
#define PL_SIMD_AVX2
#include "math/simd.h"

#include "actor/actor_envelope.h"

#if PL_SIMD_HAS_AVX2
#define KERNEL_NAME pl_envelope_kernels_avx2
#include "actor/actor_envelope_kernel.h"
#endif
PL_SIMD_END
