// The inner loops of the fast corotated solid, compiled for the plain machine and for AVX2 (see
// math/simd.h for how). All give the same bits.
#ifndef PL_FEM_FEM_FAST_KERNELS_H
#define PL_FEM_FEM_FAST_KERNELS_H

#include "fem/fem_fast.h"
#include "math/simd_eight.h"

// Sums over the particles of one block, relative to the body's origin, as (x, y, z, 0).
typedef double pl_fast_d4 __attribute__((vector_size(32)));
typedef struct pl_fem_fast_sums {
  pl_fast_d4 drift;     // m d, without what outside forces do
  pl_fast_d4 twist;     // m x × d
  pl_fast_d4 moment;    // m x
  pl_fast_d4 squares;   // m (xx, yy, zz)
  pl_fast_d4 products;  // m (xy, yz, zx)
} pl_fem_fast_sums;

// Workspace of a step. Arrays of particles have PL_FAST_PADDING more than there are; of these
// `forces` and `product` are added to where padding is, and stay zero.
typedef struct pl_fem_fast_work {
  const pl_fem_fast_model *model;
  pl_fem_fast_state state;
  pl_f4 *predicted;  // y: where particles go by their velocities
  pl_f4 *moves;      // d: the way from there to where they will be
  pl_f4 *forces;     // times h²; the residual of the moves
  pl_f4 *solved;     // forces times the inverse of A
  pl_f4 *direction;  // of conjugate gradients, …
  pl_f4 *stretched;  // … A times it, …
  pl_f4 *product;    // … and the whole matrix times it
  float *gradients;  // [group][9][8]: F of the predicted positions; only with examples, and only …
  bool is_measured;  // … where measure() has found them
  // [group][9][8]: gradients of the strain of volume by corners 1 to 3, times the root of lambda V
  // h²
  float *pulls;
  const pl_f4 *outside;        // newtons, by mesh point, or NULL
  float step;                  // h
  float damping, reach;        // h damping; h / (1 + h damping)
  pl_f4 gain;                  // h times acceleration
  pl_f4 center, drift, twist;  // the rigid part of the moves that is taken out again
} pl_fem_fast_work;

// What a matrix has besides its blocks (fem_fast_matrix.h).
typedef struct pl_fem_fast_turned {
  ptrdiff_t size, stride;  // numbers of a column; from one to the next
  double *columns;         // three of W, three of C
  double square[9];        // S
} pl_fem_fast_turned;

typedef struct pl_fem_fast_kernels {
  // Where velocities take particles [begin, end), and what outside forces do to them.
  void (*predict)(const pl_fem_fast_work *work, int32_t begin, int32_t end);
  // Rotations and inner forces of groups [begin, end) of one colour.
  void (*match)(const pl_fem_fast_work *work, int32_t begin, int32_t end);
  // Deformation gradients and rotations of groups [begin, end), and what they say about the
  // examples: sums[example][8], set.
  void (*measure)(const pl_fem_fast_work *work, int32_t begin, int32_t end, double *sums);
  // product = A direction, for particles [begin, end).
  void (*stretch)(const pl_fem_fast_work *work, int32_t begin, int32_t end);
  // product += forces of the volumes of groups [begin, end) of one colour for the direction.
  void (*press)(const pl_fem_fast_work *work, int32_t begin, int32_t end);
  // What that adds to direction . product, for groups [begin, end) of any colours.
  double (*squeeze)(const pl_fem_fast_work *work, int32_t begin, int32_t end);
  // Over particles [begin, end).
  double (*dot)(const pl_f4 *a, const pl_f4 *b, int32_t begin, int32_t end);
  // moves += length direction, forces -= length product.
  void (*advance)(const pl_fem_fast_work *work, float length, int32_t begin, int32_t end);
  // direction = solved + fraction * direction; stretched and product = A direction, which is right
  // where solved is the forces times the inverse of A.
  void (*turn)(const pl_fem_fast_work *work, float fraction, int32_t begin, int32_t end);
  void (*sum)(const pl_fem_fast_work *work, int32_t begin, int32_t end, pl_fem_fast_sums *sums);
  // Velocities and positions at the end of the step. False when something is not finite.
  bool (*finish)(const pl_fem_fast_work *work, int32_t begin, int32_t end);
  // product -= C ω + W (Cᵀ d - S ω), ω = Wᵀ d.
  void (*unturn)(const pl_fem_fast_turned *turned, const double *d, double *product);
} pl_fem_fast_kernels;

extern const pl_fem_fast_kernels pl_fem_fast_kernels_plain;
#if PL_SIMD_HAS_AVX2
extern const pl_fem_fast_kernels pl_fem_fast_kernels_avx2;
#endif

// The fastest this machine can run.
const pl_fem_fast_kernels *pl_fem_fast_kernels_choose(void);

#endif
