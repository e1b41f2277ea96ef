// What the files of rest spaces share: the space itself, and products with L of its two kinds.
#ifndef PL_ACTOR_SPACE_PARTS_H
#define PL_ACTOR_SPACE_PARTS_H

#include "actor/actor_cage.h"
#include "actor/actor_space.h"

enum {
  PL_REST_BATCH = 4,  // particles that are worked on at a time
};

// Elements of one group in a loose space. Only examples in which an element differs from its rest
// have an entry.
typedef struct pl_loose_group {
  int32_t *start;    // element_count + 1: entries of each element
  int32_t *columns;  // example of each entry, rising within an element
  double *values;    // 3 corner_count per entry: L, the corners of the unrotated example less those
                     // at rest
  int32_t *pair_start;  // element_count + 1: squares of the numbers of entries
  double *pairs;        // workspace, by pair of entries
} pl_loose_group;

struct pl_rest_space {
  pl_arena arena;
  pl_context *context;
  const pl_fem_model *model;
  pl_rest_kind kind;
  int32_t size;  // P
  int32_t particle_count;
  int32_t axes;  // coordinates that move: 2 in a plane, otherwise 3
  double regularisation, rate_regularisation, hull_penalty;
  double proximal;      // of the term that pins what nothing else sees
  double strain_scale;  // 1/J: one over Young's modulus times volume

  // Whole spaces. Free and cages: parameter `axes` v + b moves coordinate b of particle i by its
  // weight v; free ones have one handle per particle.
  int32_t handle_count;     // V
  const double *handles;    // 3 V: places of the handles at p = 0; NULL of modes and loose spaces
  ptrdiff_t weight_stride;  // V rounded up to PL_CAGE_LANES
  const double *weights;    // particle_count x weight_stride, of cages; otherwise NULL
  const double *modes;      // n x P, of modes; otherwise NULL
  pl_block_matrix first, second;      // workspace: derivatives by particle
  pl_block_matrix mixed;              // ∂²W/∂x∂X where it was evaluated last
  double *points, *forces, *changes;  // workspace: n each
  double *points_of;  // p of which `points` are the rest positions, P; not a number: of none
  double *rows;       // workspace: 3 x P for each particle of a batch
  double *beside;     // workspace: 16 n + 8 P, eight vectors side by side and their products
  double *batch;      // workspace of cages: rows of PL_CAGE_BATCH particles
  double *lanes;      // workspace of cages: 3 x weight_stride
  const pl_cage_kernels *cage;
  double *square;             // workspace: P x P, padded of cages, NULL of free spaces
  pl_fem_system system;       // of the regulariser, with its own parameters
  pl_block_matrix stiffness;  // of the regulariser's energy at X₀
  // by element of all groups, of the cost of isolated strain; NULL: none
  const double *limit_factors;
  double *metric;  // whole: its product with L on both sides, P x P, NULL of free spaces; loose:
                   // squared strains of examples

  // Loose spaces.
  pl_loose_group loose[PL_FEM_MAX_GROUPS];
  const double *fractions;  // by particle: one over the number of element corners there
  const int32_t *group_of;  // by parameter
  double *group_sums;       // workspace, by group
  int32_t group_count;
  double *gradients;  // E where it was evaluated last, n x P
};

static inline bool pl_rest_is_loose(const pl_rest_space *space) {
  return space->kind == PL_REST_EXAMPLES;
}

// Building the parts of one kind; the head is filled in already. Room is taken from the arena.
pl_status pl_rest_cage_build(pl_rest_space *space, const pl_actor_def *def, const pl_mesh *mesh,
                             pl_error *error);
pl_status pl_rest_modes_build(pl_rest_space *space, const pl_actor_def *def, pl_error *error);
pl_status pl_rest_loose_build(pl_rest_space *space, const pl_actor_def *def, pl_error *error);
pl_status pl_rest_regulariser_build(pl_rest_space *space, const pl_actor_def *def, pl_error *error);

// The cost of isolated strain (actor_space_limit.c): `scale` times it and `plain` times the elastic
// energy, with derivatives by the positions of the particles added where wanted. Whether both are
// better found together: where the system does not find energies four at a time.
pl_status pl_rest_strain_cost_build(pl_rest_space *space, double limit, pl_error *error);
bool pl_rest_strain_cost_joins(const pl_rest_space *space);
double pl_rest_strain_cost_add(pl_rest_space *space, const double *points, double plain,
                               double scale, double *forces, pl_block_matrix *matrix);

// Whole spaces: change = L p by particle; product = Lᵀ v, overwritten; sum += factor Lᵀ A L for a
// symmetric A.
void pl_rest_whole_move(const pl_rest_space *space, const double *p, double *change);
void pl_rest_whole_pull(const pl_rest_space *space, const double *v, double *product);
void pl_rest_whole_square(pl_rest_space *space, const pl_block_matrix *matrix, double factor,
                          double *sum);
void pl_rest_whole_mixed(pl_rest_space *space, const pl_fem_system *system, const double *x,
                         double *E);
void pl_rest_whole_mixed_apply(pl_rest_space *space, const double *dp, double *product);
void pl_rest_whole_mixed_pull(pl_rest_space *space, const double *v, int32_t count,
                              double *product);
void pl_rest_whole_third(pl_rest_space *space, const pl_fem_system *system, const double *x,
                         const double *lambda, pl_block_matrix *xx, double *B, double *C);

// Loose spaces.
void pl_rest_loose_shape(const pl_rest_space *space, const double *p, double *const *rest);
// X(p) into space->points, unless they are there.
void pl_rest_points_find(const pl_rest_space *space, const double *p);
void pl_rest_loose_points(const pl_rest_space *space, const double *p, double *points);
void pl_rest_loose_mixed(pl_rest_space *space, const pl_fem_system *system, const double *x,
                         double *E);
void pl_rest_loose_mixed_apply(pl_rest_space *space, const double *dp, double *product);
void pl_rest_loose_mixed_pull(pl_rest_space *space, const double *v, int32_t count,
                              double *product);
void pl_rest_loose_third(pl_rest_space *space, const pl_fem_system *system, const double *x,
                         const double *lambda, pl_block_matrix *xx, double *B, double *C);

// The examples' corners, unrotated (actor_space_align.c): for one element with corners `start` at
// rest and `pose` in the example, the change of its corners; the centroid stays. False when the
// element is flat or inside out in the example.
bool pl_rest_align(const pl_fem_group *group, bool planar, const double *start, const double *pose,
                   double *change);

// Add an element's matrix to the blocks of its corners; `places` are those of the group's scatter
// map.
static inline void pl_rest_add_blocks(const int32_t *slots, int corner_count, const double *matrix,
                                      double *values) {
  int n = 3 * corner_count;
  for (int a = 0; a < corner_count; ++a)
    for (int b = 0; b < corner_count; ++b) {
      double *block = values + 9 * (ptrdiff_t)slots[corner_count * a + b];
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) block[3 * i + j] += matrix[n * (3 * a + i) + 3 * b + j];
    }
}

#endif
