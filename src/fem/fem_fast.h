// The corotated solid for interactive use, PL_FEM_FAST (Kugelstadt, Koschier and Bender 2018, "Fast
// Corotated FEM using Operator Splitting"): its immutable part, its state, and what its files
// share. fem_fast_step.c has the method.
//
// Tets are kept by colour: those of one colour share no corner, so that eight of them can be worked
// on at a time and blocks of them by several threads, in any order with the same result. Each
// colour is padded to groups of eight; padding has no volume and its corners are four particles
// beyond the last.
//
// Particles are kept in the order in which the constant matrix is eliminated. All arrays here and
// in the state are in that order; what comes in and goes out, and masses and surface in `head`, are
// in the order of the mesh.
#ifndef PL_FEM_FEM_FAST_H
#define PL_FEM_FEM_FAST_H

#include "body/body_method.h"
#include "math/lanes.h"
#include "pliant/fem.h"
#include "sparse/block_pattern.h"
#include "sparse/sparse_cholesky.h"

// The tets of a fast model, by group of eight: [group][row][8].
typedef struct pl_fem_fast_tets {
  int32_t tet_count, group_count, color_count;
  const int32_t *color_start;  // color_count + 1, in groups
  const int32_t *corners;      // 4 rows: particles
  const float *constants;      // PL_FAST_CONSTANT_COUNT rows
  const int32_t *slots;        // per tet of the mesh: 8 x group + lane
} pl_fem_fast_tets;

// Corners of the eight tets of a group: [4][8].
enum { PL_FAST_CORNER_LANES = 4 * LANES };

// Rows of `constants`: gradients of the shape functions of corners 1 to 3 (9, 1/m), 2 mu V h² and
// lambda V h² (J s²).
enum { PL_FAST_GRADIENTS = 0, PL_FAST_SHEAR = 9, PL_FAST_BULK = 10, PL_FAST_CONSTANT_COUNT = 11 };

// Example poses (fem_fast_examples.c).
typedef struct pl_fem_fast_examples {
  int32_t count;
  const char *const *names;
  double fidelity;      // fraction of projected weights that is kept
  const double *gram;   // count x count, J s²
  const float *shapes;  // [group][example][6][8]: S_k - 1 of each tet as xx yy zz yz xz xy
} pl_fem_fast_examples;

typedef struct pl_fem_fast_model {
  pl_model head;
  double step;          // h: seconds that the matrix is for
  double mass_damping;  // 1/s
  int32_t volume_rounds;
  int32_t stiff_rounds;  // further ones where lambda is far above mu (fem_fast_solve.c)
  const int32_t *point_of, *particle_of;  // mesh point of each particle, and back
  const pl_f4 *rest;                      // relative to the centre of mass
  const double *masses;                   // kg
  const float *inertias;                  // m (1 + h damping)
  pl_fem_fast_tets tets;
  pl_fem_fast_examples examples;
  pl_sparse_cholesky factor;  // of A = M (1 + h damping) + h² sum 2 mu V B B^T
  // The same with the rows and columns of held particles those of the identity; not built where
  // held_count is 0.
  pl_sparse_cholesky held_factor;
  const bool *is_held;  // per particle
  int32_t held_count;
  const int32_t *row_start;  // A itself: both triangles by rows, …
  const int32_t *columns;
  const float *values;  // … in kg
  // For coupled solves (fem_fast_matrix.h), by mesh point: which blocks a step's matrix has, and
  // the stretching of each, one number, N/m.
  pl_block_pattern pattern;
  const double *stretches;
  // The mesh as it was given, for stress: 4 corners per tet, 3 numbers per point, Young's moduli
  const int32_t *corners;
  const double *rest_points, *moduli;
  double poisson;
  const int32_t *surface_parents;
  const float *touch_stiffness;  // per surface point, N/m: of the springs that colliders push with
  pl_vec3 rest_center;
  double origin_grid;  // metres; positions are relative to an origin that follows the body in steps
                       // of this
} pl_fem_fast_model;

// Views into a body's flat state.
typedef struct pl_fem_fast_state {
  double *origin;    // 3 …
  int32_t *suspect;  // … whether something may not be finite …
  int32_t *driven;   // … and whether weights are given from outside, in a block of 64 bytes
  pl_f4 *positions;  // metres from the origin
  pl_f4 *velocities;
  float *rotations;                // [group][4][8]: of each tet
  float *weights, *given;          // per example: of the last step; from outside
  struct pl_fem_fast_hold *holds;  // per surface point (fem_fast_touch.h)
} pl_fem_fast_state;

// Prepare a mesh of tets as a solid with PL_FEM_FAST. Takes of the def: density, young, poisson (0
// or more), young_scales, held_points, mass_damping, volume_rounds, fast_step, friction,
// restitution, contact_radius, contact_stiffness, self_contact, surface and examples. Stiffness
// damping is refused.
pl_status pl_fem_fast_build(pl_context *context, const pl_fem_def *def, const pl_mesh *mesh,
                            pl_model **model, pl_error *error);

// Whether a model is one of these.
bool pl_fem_is_fast_model(const pl_model *model);

// One tet of a mesh (fem_fast_tets.c): gradients of its shape functions (1/m), volume (m³) and
// Lamé's constants (Pa).
typedef struct pl_fem_fast_tet {
  double B[4][3], volume, lambda, mu;
} pl_fem_fast_tet;
pl_fem_fast_tet pl_fem_fast_tet_of(const pl_fem_def *def, const pl_mesh_view *mesh, int32_t t);

// Sort the tets by colour (fem_fast_tets.c).
pl_status pl_fem_fast_tets_build(pl_context *context, const pl_fem_def *def,
                                 const pl_mesh_view *mesh, const int32_t *particle_of,
                                 pl_arena *arena, pl_fem_fast_tets *tets, pl_error *error);

// Example poses (fem_fast_examples.c): stretches of the tets; what the world asks for.
pl_status pl_fem_fast_examples_build(const pl_fem_def *def, const pl_mesh_view *mesh,
                                     pl_fem_fast_model *model, pl_error *error);
// The rest shape of a tet of the mesh by a state's weights: 1 without examples.
pl_mat3 pl_fem_fast_rest_shape(const pl_fem_fast_model *model, const float *weights, int32_t tet);
size_t pl_fem_fast_pulls_size(const pl_fem_fast_model *model);
pl_example_view pl_fem_fast_list_examples(const pl_model *model);
void pl_fem_fast_get_weights(const pl_model *model, const void *state, int32_t manifold,
                             double *weights);
void pl_fem_fast_set_weights(const pl_model *model, void *state, int32_t manifold,
                             const double *weights);

// One step (fem_fast_step.c).
enum { PL_FAST_PADDING = 4 };  // particles beyond the last
pl_status pl_fem_fast_move(const pl_model *model, void *state, const pl_body_move *move,
                           pl_error *error);

// Reading and writing (fem_fast_surface.c).
size_t pl_fem_fast_state_size(const pl_model *model);
pl_fem_fast_state pl_fem_fast_state_of(const pl_model *model, const void *state);
void pl_fem_fast_start(const pl_model *model, void *state, const pl_body_start *start);
void pl_fem_fast_get_positions(const pl_model *model, const void *state, pl_vec3 *positions);
void pl_fem_fast_get_velocities(const pl_model *model, const void *state, pl_vec3 *velocities);
void pl_fem_fast_get_surface(const pl_model *model, const void *state, pl_vec3 *points);
void pl_fem_fast_set_state(const pl_model *model, void *state, const pl_vec3 *positions,
                           const pl_vec3 *velocities);
pl_vec3 pl_fem_fast_get_particle(const pl_model *model, const void *state, int32_t particle,
                                 pl_vec3 *velocity);
void pl_fem_fast_set_particle(const pl_model *model, void *state, int32_t particle,
                              pl_vec3 position, pl_vec3 velocity);
int32_t pl_fem_fast_find_not_finite(const pl_model *model, const void *state);

#endif
