// Rows of contacts of two soft bodies (contact_soft.h), one side of a pair at a time: kernels for
// the plain machine and for AVX2, which do the same to the last bit.
#ifndef PL_CONTACT_SOFT_ROWS_H
#define PL_CONTACT_SOFT_ROWS_H

#include "contact/contact_solver.h"

// What the rows of a side are built with.
typedef struct pl_soft_builder {
  const pl_surface_tree *tree;  // of the other body
  const pl_contact_body *own, *other;
  const pl_contact_impulse *last;  // the slots of the own body as the last step left them
  uint32_t partner;                // the other body, as these name it
  int32_t pair;                    // of the plan
  pl_contact_scale scale;
  double step, gap;  // s; metres kept between the surfaces
  double friction, restitution;
} pl_soft_builder;

// What the impulses of a side act on.
typedef struct pl_soft_velocities {
  pl_vec3 *own, *other;
  const double *own_masses, *other_masses;  // inverse, 1/kg
} pl_soft_velocities;

// Rows of four pairs that share no body, with what their impulses act on.
enum { PL_SOFT_LANES = 4 };
typedef struct pl_soft_round {
  pl_soft_row *rows[PL_SOFT_LANES];
  const pl_soft_velocities *velocities[PL_SOFT_LANES];
} pl_soft_round;

typedef struct pl_soft_kernels {
  // Returns how many rows the hits become; there is room for as many as there are hits.
  int32_t (*build)(const pl_soft_builder *b, const pl_soft_hit *hits, int32_t hit_count,
                   pl_soft_row *rows, pl_soft_note *notes);
  // Apply the impulses that the rows have.
  void (*start)(const pl_soft_round *rounds, int32_t count);
  // One sweep.
  void (*sweep)(const pl_soft_round *rounds, int32_t count, bool corrects);
  // Note the impulses of the first half.
  void (*note)(const pl_soft_row *rows, pl_soft_note *notes, int32_t count);
} pl_soft_kernels;
extern const pl_soft_kernels pl_soft_kernels_plain, pl_soft_kernels_avx2;

// Those for this machine.
const pl_soft_kernels *pl_soft_kernels_get(void);

#endif
