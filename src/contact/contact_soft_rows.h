// Rows of contacts of two soft bodies (contact_soft.h): kernels for the plain machine, for AVX2 and
// for AVX-512, which do the same to the last bit.
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
  double keep;
  double step, gap,
      watched;  // s; metres kept between the surfaces; more, up to which there are rows
  double friction, restitution;
} pl_soft_builder;

// What the impulses of a side act on.
typedef struct pl_soft_velocities {
  pl_vec3 *own, *other;
  const double *own_masses, *other_masses;  // inverse, 1/kg
} pl_soft_velocities;

// Rows that share no particle, to be swept side by side: one line of the cache. A lane without a
// row repeats another one of its half; only the second half may be without any, and repeats the
// first lane then.
enum { PL_SOFT_LANES = 8 };
typedef struct pl_soft_lane {
  int32_t row, side;  // numbers of the row, and of what it acts on
} pl_soft_lane;
typedef struct pl_soft_round {
  pl_soft_lane lanes[PL_SOFT_LANES];
} pl_soft_round;

// Rounds that are swept one after the other.
typedef struct pl_soft_run {
  const pl_soft_velocities *sides;
  pl_soft_row *rows;
  pl_soft_note *notes;
  const pl_soft_round *rounds;
  int32_t count;
} pl_soft_run;

// A sweep of one of the halves; the first one of the second notes the impulses of the first.
typedef enum pl_soft_sweep_kind {
  PL_SOFT_ARRIVES,
  PL_SOFT_LEAVES,
  PL_SOFT_NOTES_AND_LEAVES
} pl_soft_sweep_kind;

// The rows of both sides, one side after the other, and how many each has. XX
// many as there are hits; what is behind them may be written to.
typedef void pl_soft_build_kernel(const pl_soft_builder *b, pl_soft_row *rows, pl_soft_note *notes,
                                  int32_t counts[2]);
pl_soft_build_kernel pl_soft_build_plain, pl_soft_build_avx2;
// Apply the impulses that the rows have.
typedef void pl_soft_start_kernel(const pl_soft_run *run);
pl_soft_start_kernel pl_soft_start_plain, pl_soft_start_avx2, pl_soft_start_avx512;
// One sweep.
typedef void pl_soft_sweep_kernel(const pl_soft_run *run, pl_soft_sweep_kind kind);
pl_soft_sweep_kernel pl_soft_sweep_plain, pl_soft_sweep_avx2, pl_soft_sweep_avx512;

// The rows of a pair where all particles are now: those of its first side, then of its second.
typedef struct pl_soft_screen_side {
  int32_t count;               // rows
  const pl_vec3 *own, *other;  // positions of particles
  const int32_t *around;       // of the touched triangles (tet_map.h)
} pl_soft_screen_side;
typedef struct pl_soft_screen {
  const pl_soft_row *rows;
  const pl_soft_note *notes;
  pl_soft_screen_side sides[2];
  double tolerance;  // metres
} pl_soft_screen;

// Which of the rows from `first` on, up to 64 of them, may have a point deeper inside than the
// tolerance, by the triangle that they hold on to and those around it; a bit each.
enum { PL_SOFT_SCREENED = 64 };
typedef uint64_t pl_soft_screen_kernel(const pl_soft_screen *s, int32_t first, int32_t end);
pl_soft_screen_kernel pl_soft_screen_plain, pl_soft_screen_avx2;

typedef struct pl_soft_kernels {
  pl_soft_build_kernel *build;
  pl_soft_start_kernel *start;
  pl_soft_sweep_kernel *sweep;
  pl_soft_screen_kernel *screen;
} pl_soft_kernels;
extern const pl_soft_kernels pl_soft_kernels_plain, pl_soft_kernels_avx2, pl_soft_kernels_avx512;

// Those for this machine.
const pl_soft_kernels *pl_soft_kernels_get(void);

#endif
