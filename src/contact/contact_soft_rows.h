// Rows of contacts of two soft bodies (contact_soft.h): kernels for
// the plain machine and for AVX2, which do the same to the last bit.
#ifndef PL_CONTACT_SOFT_ROWS_H
#define PL_CONTACT_SOFT_ROWS_H

#include "contact/contact_solver.h"

// The points of one body of a pair that touch the other.
typedef struct pl_soft_points {
  const pl_surface_tree *tree;  // of the other body
  const pl_contact_body *own, *other;
  const pl_contact_impulse *last;  // the slots of the own body as the last step left them
  uint32_t partner;                // the other body, as these name it
  const pl_soft_hit *hits;
  int32_t hit_count;
} pl_soft_points;

// What the rows of a pair are built with.
typedef struct pl_soft_builder {
  pl_soft_points sides[2];
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
  // The rows of both sides, one side after the other, and how many each has. There is room for as
  // many as there are hits; what is behind them may be written to.
  void (*build)(const pl_soft_builder *b, pl_soft_row *rows, pl_soft_note *notes,
                int32_t counts[2]);
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
