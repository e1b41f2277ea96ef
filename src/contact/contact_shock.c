// The kernel for the plain machine, and what is around it.
#include "contact/contact_shock.h"

#include "math/simd.h"

#define KERNEL_NAME pl_shock_run_plain
#include "contact/contact_shock_kernel.h"

static void load_particles(const pl_contact_body *body, const pl_shock_particles *p) {
  int32_t count = body->surface->particle_count;
  for (int32_t i = 0; i < count; ++i) {
    p->positions[i] = pl_f4_of_vec3(pl_vec3_sub(body->starts[i], body->starts[0]));
    p->positions[i][3] = (float)body->inverse_masses[i];
    p->velocities[i] = pl_f4_of_vec3(pl_vec3_sub(body->velocities[i], body->velocities[0]));
  }
  p->positions[count] = p->velocities[count] = (pl_f4){0.0f, 0.0f, 0.0f, 0.0f};
}

// What single precision does to velocities that were not damped is not written back.
static void add_changes(const pl_contact_body *body, const pl_shock_particles *p) {
  pl_vec3 first = body->velocities[0];
  for (int32_t i = 0; i < body->surface->particle_count; ++i) {
    pl_f4 was = pl_f4_of_vec3(pl_vec3_sub(body->velocities[i], first));
    body->velocities[i] = pl_vec3_add(body->velocities[i], pl_vec3_of_f4(p->velocities[i] - was));
  }
}

void pl_contact_damp_shocks(const pl_contact_body *body, const pl_surface_tree *tree, double rate,
                            const pl_shock_particles *particles) {
  pl_shock_kernel *kernel = pl_shock_run_plain;
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) kernel = pl_shock_run_avx2;
#endif
  load_particles(body, particles);
  kernel(tree, particles, (float)rate, 1.0f / (float)tree->max_links);
  add_changes(body, particles);
}
