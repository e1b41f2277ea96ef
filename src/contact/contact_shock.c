// The kernel for the plain machine, and the choice between instruction sets.
#include "contact/contact_shock.h"

#include "math/simd.h"

#define KERNEL_NAME pl_shock_run_plain
#define GROUP_KERNEL_NAME pl_shock_run_group_plain
#include "contact/contact_shock_kernel.h"

// Fewer bodies take less time one by one.
enum { MIN_GROUP = 3 };

void pl_contact_damp_shocks(const pl_shock_group *group, double rate, const pl_shock_particles *particles) {
  const pl_surface_tree *tree = group->tree;
  pl_shock_kernel *kernel = pl_shock_run_plain;
  pl_shock_group_kernel *group_kernel = pl_shock_run_group_plain;
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) kernel = pl_shock_run_avx2, group_kernel = pl_shock_run_group_avx2;
#endif
  bool is_small = tree->surface->particle_count <= PL_SHOCK_SMALL && tree->link_block_count <= PL_SHOCK_SMALL_BLOCKS;
  if (is_small && group->count >= MIN_GROUP)
    group_kernel(group, (float)rate);
  else
    for (int32_t i = 0; i < group->count; ++i) kernel(group->bodies[i], tree, particles, (float)rate);
}
