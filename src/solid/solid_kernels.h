// The inner loops of a step, compiled for the plain machine, for AVX2 and for AVX-512 (see
// math/simd.h for how).
#ifndef PL_SOLID_KERNELS_H
#define PL_SOLID_KERNELS_H

#include "math/mat3.h"
#include "pliant/examples.h"
#include "solid/solid_model.h"

// Rows of eight of a group of regions: the matrix sum w p q^T (9, row-major) and the centre of mass
// relative to the central particle (3).
enum { PL_SOLID_MATRIX = 0, PL_SOLID_OFFSET = 9, PL_SOLID_MOMENT_COUNT = 12 };

// Pose of a region, read by its particles: the columns of M = R S and the vector c - M c0, so that
// a goal is the mean of M x0 + that vector. 16 floats, one cache line.
enum { PL_SOLID_POSE_SIZE = 16 };

// Slots of a group whose particles are kept at hand, and the rows of each: p and t (3 each) and m.
enum { PL_SOLID_SLOT_CHUNK = 32, PL_SOLID_ARM_ROWS = 7 };
enum { PL_SOLID_ARMS = PL_SOLID_SLOT_CHUNK * PL_SOLID_ARM_ROWS * LANES };

// A group of eight regions with exact shapes of the examples.
typedef struct pl_solid_shape {
  const pl_solid_model *model;
  const pl_f4 *positions;
  int32_t group;
  uint32_t used;         // examples that any region follows, a bit each
  const float *weights;  // [example][8]
  float *arms;           // PL_SOLID_ARMS: left by sum_shapes() for the two after it
} pl_solid_shape;

// Sums over the particles of one block, relative to the body's origin, as (x, y, z, 0).
typedef double pl_d4 __attribute__((vector_size(32)));
typedef struct pl_solid_sums {
  pl_d4 drift;     // m (g - x)
  pl_d4 twist;     // m x × (g - x)
  pl_d4 momentum;  // m v
  pl_d4 moment;    // m x
  pl_d4 spin;      // m x × v
  pl_d4 squares;   // m (xx, yy, zz)
  pl_d4 products;  // m (xy, yz, zx)
  pl_d4 pulls;     // m (g - x)², coordinate by coordinate
} pl_solid_sums;

// The rigid motion of the whole body, and the part of it that rounding has added.
typedef struct pl_solid_rigid {
  pl_vec3 center, velocity, angular_velocity, drift, twist;
  pl_mat3 inverse_inertia;  // 1/(kg m²), about the centre
} pl_solid_rigid;

// Sums of all blocks, in their order, so that the result does not depend on which thread computed
// them (solid_rigid.c).
pl_solid_sums pl_solid_join_sums(const pl_solid_sums *sums, int32_t block_count);

// Centre, velocity and angular velocity of the body as if it were rigid. Where goals may exert a
// torque (the paper's rotation, `may_twist`), it is not an error to be taken out.
pl_solid_rigid pl_solid_find_rigid(const pl_solid_sums *sums, double mass, double alpha_over_step,
                                   bool may_twist);

// Arguments of the loops over particles.
typedef struct pl_solid_pull {
  const pl_solid_model *model;
  const float *poses;  // PL_SOLID_POSE_SIZE per region
  // [slot][8]: what each region wants of its particles, from their positions, instead of poses;
  // NULL: poses are used
  const pl_f4 *goals;
  pl_f4 *positions, *velocities;
  const pl_f4 *forces;  // newtons, by mesh point, or NULL
  float step, alpha_over_step;
  pl_f4 gain;  // step * acceleration
} pl_solid_pull;

// Where the poses of a group of eight regions come from and go to.
typedef struct pl_solid_posing {
  const pl_solid_model *model;
  const pl_f4 *positions;
  float *poses;  // of all regions
  int32_t group;
} pl_solid_posing;

// What pulls are found from, for a group of eight regions.
typedef struct pl_solid_measure {
  const float *matrix;    // [9][8]: sum w p q^T
  const float *rotation;  // [4][8]
  const float *spread;    // [6][8]: sum w q q^T
  const float *weight;    // [8]: of the regions
  int32_t count;          // examples
} pl_solid_measure;

// Sums over the particles of bodies side by side, as in pl_solid_sums.
enum {
  PL_SOLID_DRIFT,
  PL_SOLID_TWIST,
  PL_SOLID_MOMENTUM,
  PL_SOLID_MOMENT,
  PL_SOLID_SPIN,
  PL_SOLID_SQUARES,
  PL_SOLID_PRODUCTS,
  PL_SOLID_PULLS,
  PL_SOLID_SUM_COUNT
};

// Vectors of the rigid motion of bodies side by side, as in pl_solid_rigid.
enum {
  PL_SOLID_AT_CENTER,
  PL_SOLID_MOVING,
  PL_SOLID_TURNING,
  PL_SOLID_DRIFTING,
  PL_SOLID_TWISTING,
  PL_SOLID_MOTION_COUNT
};

// The pose of a region of bodies side by side: [3][4][8], for each coordinate a row of M and one of
// the vector.
enum { PL_SOLID_MANY_POSE = 3 * 4 * LANES };

// Bodies of one model side by side (solid_many.c): lane k of every row is body k.
typedef struct pl_solid_many {
  const pl_solid_model *model;
  // What is read and what is written; of lanes that are not used: those of the first.
  pl_solid_state starts[LANES], states[LANES];
  float *positions, *velocities;  // [particle][3][8]
  float *poses;                   // PL_SOLID_MANY_POSE per region
  float step, alpha_over_step, damped_fraction;
  _Alignas(32) float gains[VEC3_LANES];  // step * acceleration
  _Alignas(32) double sums[PL_SOLID_SUM_COUNT][3][LANES];
  _Alignas(32) float motions[PL_SOLID_MOTION_COUNT][3][LANES];
} pl_solid_many;

typedef struct pl_solid_kernels {
  // Moments of the eight regions of a group.
  void (*sum_moments)(const pl_solid_model *model, const pl_f4 *positions, int32_t group,
                      float *moments);
  // a = matrix * inverse_spread, 9 rows of eight.
  void (*find_gradient)(const float *moments, const float *inverse_spread, float *a);
  // Lanes of `q` where R(q)^T matrix has the smaller trace are taken from `before`.
  void (*keep_better)(const float *matrix, const float *before, float *q);
  // pulls[k][8] = weight <L_k, sym(R^T matrix) - spread>; `descriptors` as in the model.
  void (*find_pulls)(const pl_solid_measure *measure, const float *descriptors, float *pulls);
  // The same with sum w p t^T of the blended shapes t as matrix, and their arms for the next two.
  void (*sum_shapes)(const pl_solid_shape *shape, float *moments);
  // pulls[k][8] = weight (sum w p . R d_k - product_k), and 0 for examples that are not active.
  void (*find_shape_pulls)(const pl_solid_shape *shape, const float *rotation, const float *weight,
                           float *pulls);
  // The same without the arms: particles are loaded, and the rotations do not follow from them.
  void (*find_known_pulls)(const pl_solid_shape *shape, const float *rotation, const float *weight,
                           float *pulls);
  // Rotations of eight regions, turned by the unit quaternion `turn` (x, y, z, w).
  void (*turn_rotations)(const float turn[4], float *rotation);
  // lags[8]: the larger of itself and the square of the distance of the quaternions, half an angle.
  void (*find_lags)(const float *before, const float *rotation, float *lags);
  // What the regions want of every entry of a group, slot by slot.
  void (*write_goals)(const pl_solid_shape *shape, const float *moments, const float *rotation,
                      pl_f4 *goals);
  // sums[k][8] += pulls[k][8] * fractions[8] in double, lane by lane; `fractions` NULL for 1.
  void (*add_pulls)(const float *pulls, const float *fractions, int32_t count, double *sums);
  // Exact weights [count][8] of one or two examples (count 1 or 2) for eight regions with a
  // manifold each; `grams` are g00 g01 g11, [3][8].
  void (*solve_small)(const float *pulls, const float *grams, int32_t count, float *weights);
  // s = 1 + sum_k w_k L_k, 6 rows of eight; `weights` [count][8].
  void (*blend_stretch)(const float *descriptors, const float *weights, int32_t count,
                        float *stretch);
  // a = matrix * s, 9 rows of eight.
  void (*stretch_moments)(const float *moments, const float *stretch, float *a);
  // Poses of the regions of a group; `stretch` NULL for the identity.
  void (*write_poses)(const pl_solid_posing *posing, const float *moments, const float *rotation,
                      const float *stretch);
  // After all groups of a block: what write_poses() or write_goals() wrote past the cache is there.
  void (*finish_stream)(void);
  // Eq. 4 for particles [begin, end), and their sums.
  void (*pull_particles)(const pl_solid_pull *pull, int32_t begin, int32_t end,
                         pl_solid_sums *sums);
  // Rounding corrections, damping and eq. 5 for particles [begin, end). False when something is not
  // finite afterwards.
  bool (*drift_particles)(const pl_solid_pull *pull, const pl_solid_rigid *rigid,
                          float damped_fraction, int32_t begin, int32_t end);
  // Vectors of particles in the order of the mesh, plus `origin` (3) unless it is NULL; and back.
  void (*read_vectors)(const pl_f4 *from, const pl_solid_order *order, int32_t count,
                       const double *origin, pl_vec3 *to);
  void (*write_vectors)(const pl_vec3 *from, const pl_solid_order *order, int32_t count,
                        const double *origin, pl_f4 *to);
  // read_vectors() with an origin, and where they are.
  void (*read_points)(const pl_f4 *from, const pl_solid_order *order, int32_t count,
                      const double origin[3], pl_vec3 *to, pl_contact_extent *extent);
  // write_vectors() without and with an origin, and what was written back in their place. False
  // when something is not finite then.
  bool (*round_vectors)(pl_vec3 *vectors, const pl_solid_order *order, int32_t count, pl_f4 *to);
  bool (*round_points)(pl_vec3 *points, const pl_solid_order *order, int32_t count,
                       const double origin[3], pl_f4 *to, pl_contact_extent *extent);
  // A step of bodies side by side: particles from the states; all regions; eq. 4 and the sums of
  // all particles; rounding corrections, damping, eq. 5 and back to the states. The last returns a
  // bit for each body of which everything is finite.
  void (*load_many)(const pl_solid_many *many);
  void (*pose_many)(const pl_solid_many *many);
  void (*pull_many)(pl_solid_many *many);
  int (*drift_many)(const pl_solid_many *many);
} pl_solid_kernels;

extern const pl_solid_kernels pl_solid_kernels_plain;
#if defined(__x86_64__)
extern const pl_solid_kernels pl_solid_kernels_avx2, pl_solid_kernels_avx512;
#endif

// The fastest this machine can run. All give the same bits.
const pl_solid_kernels *pl_solid_kernels_choose(void);

#endif
