// The immutable part of a shape-matching solid and the layout of its state (paper 000).
//
// Region r is centred at particle r and made of the particles around it. Both passes of a step are
// sums over the incidence of regions and particles, stored once from each side. Everything the
// 8-wide kernels stream is in groups of eight regions, the last one padded.
//
// Particles are kept in an order of their own (solid_order.h). All arrays here and in the state are
// in that order; what comes in and goes out, and the masses and the surface in `head`, are in the
// order of the mesh.
#ifndef PL_SOLID_MODEL_H
#define PL_SOLID_MODEL_H

#include "body/body_method.h"
#include "math/lanes.h"
#include "pliant/solid.h"
#include "solid/solid_order.h"

// Gram matrices of two examples of eight regions, [3][8]: g00, g01, g11.
enum { GRAM_LANES = 3 * LANES };

// Example poses as the kernels see them (§4). A manifold is the hull of the rest and the examples
// for a set of regions; there is one for the whole body, one per named group, or one per region.
typedef struct pl_solid_examples {
  int32_t count;             // examples; 0: the plain solid
  const char *const *names;  // count
  pl_solid_grouping grouping;
  pl_solid_weight_rule weight_rule;
  pl_solid_goal_rotation goal_rotation;
  double fidelity;                         // beta
  double plastic_threshold, plastic_rate;  // 0: elastic
  int32_t manifold_count;                  // 1, number of groups, or particle_count
  const double *grams;                     // manifold_count x count x count: L^T L
  // the same with the fraction of each region that stays elastic; NULL: no region does
  const double *elastic_grams;
  // [group of 8][3][8]: g00 g01 g11 where every region has its own manifold of one or two
  // examples; else NULL
  const float *small_grams;
  const double *pseudo_inverses;  // the same, for the paper's weights; NULL otherwise
  // [group of 8][8]: how much a region's energy counts, in units of the mean
  const float *region_weights;
  // [group of 8][6][8]: sum w q q^T, scaled as the moments, as xx yy zz yz xz xy
  const float *spreads;
  const float *inverse_spreads;  // their inverses; for the paper's rotation, else NULL
  // What an example makes of a region, one of two: an affine map …
  // [group of 8][example][6][8]: S_k - 1 as xx yy zz and sqrt2 times yz xz xy
  const float *descriptors;
  // … or its exact shape, R_k^T p_k - q: [group of 8][slot of the group][active example][3][8].
  // Active are examples that deform a region of the group at all. NULL: affine.
  const float *templates;
  const size_t *template_start;  // per group of 8, into `templates`
  const int32_t *active_start;   // group_count + 1, into …
  const uint8_t *actives;        // … the active examples of each group
  const float
      *template_products;  // [active example of a group][8]: sum w q . d, scaled as the moments
  // as particle_regions, but where what a region wants of its particle stands: in its slot, in the
  // order of pl_solid_goal_lane()
  const int32_t *particle_goals;
  const float *slot_rests;   // [slot][3][8]: rest offsets of the entries from their region's centre
  const float *slot_masses;  // [slot][8]: masses of the entries, as in rest[i][3]
  const float *fractions;    // [manifold][padded region count]: how much a region belongs to each
                             // group; NULL unless grouping is by name
  const char *const *group_names;  // manifold_count, NULL unless grouping is by name
  // Per padded region: factor on the fidelity, and fraction of the plastic weights that it follows.
  // Both NULL where all are 1.
  const float *fidelity_scales, *plastic_scales;
  const uint32_t *weak;  // per region: the examples in which it cannot be held, a bit each
} pl_solid_examples;

typedef struct pl_solid_model {
  pl_model head;
  // stiffness / stiffness_step², 1/s²: alpha = frequency_squared * step². With a Young's modulus
  // that of the stiffest particle.
  double frequency_squared;
  double damping;  // 1/s
  pl_solid_order order;
  int32_t group_count;          // groups of eight regions
  const int32_t *region_start;  // 8 * group_count + 1; padding regions are empty
  const int32_t *region_particles;
  // Per entry of these: rest position relative to the region's own particle, and the mass in
  // `rest`; NULL for bodies that do not move side by side with others.
  const pl_f4 *region_arms;
  // The same for the kernels, in slots of one particle of each of the eight regions of a group. The
  // first slot of a group holds the regions' own particles, and so do slots beyond the end of a
  // region and all those of a padding region.
  const int32_t *slot_start;    // group_count + 1
  const int32_t *slot_offsets;  // [slot][8]: particles, in bytes into an array of pl_f4
  // Particles of the regions of a group that are far from it in memory, as in slot_offsets
  const int32_t *far_start;  // group_count + 1
  const int32_t *far_offsets;
  bool streams;  // what regions hand to particles does not fit the caches and is written past them
  const int32_t *particle_start;  // particle_count + 1
  const int32_t *particle_regions;
  // the same in bytes into an array of pl_f4; poses are four times as large
  const int32_t *particle_offsets;
  // Rest positions relative to the centre of mass, and the particle's mass in each of its regions,
  // in units of the mean.
  const pl_f4 *rest;
  const float *region_constants;  // [group of 8][PL_SOLID_CONSTANT_COUNT][8]
  const float *region_fractions;  // 1 / number of regions, per particle
  const float *stiffnesses;  // mean stiffness of its regions, per particle; 1 where all are equal
  const float *inverse_masses;     // 1/kg
  const double *masses;            // kg
  const int32_t *surface_parents;  // as in head.surface, but particles of ours
  pl_vec3 rest_center;             // centre of mass of the rest shape in the mesh frame
  double origin_grid;              // metres; see pl_solid_state
  pl_solid_examples examples;
} pl_solid_model;

// Rows of region_constants: centre of the rest region relative to the body's (3) and to its own
// particle (3), 1 / mass, scale of the moments, stiffness in units of the largest, and 1 for
// padding (whose matrix is then the identity and costs no search for a rotation).
enum {
  PL_SOLID_CENTER = 0,
  PL_SOLID_ARM = 3,
  PL_SOLID_INVERSE_MASS = 6,
  PL_SOLID_SCALE = 7,
  PL_SOLID_STIFFNESS = 8,
  PL_SOLID_PADDING = 9,
  PL_SOLID_CONSTANT_COUNT = 10
};

// Where lane k of a slot stands among its eight goals: 0 4 1 5 2 6 3 7, as the shuffles of eight
// lanes leave them.
static inline int32_t pl_solid_goal_lane(int32_t k) {
  return k % 4 * 2 + k / 4;
}

// Bytes of the pose of a region: one cache line. Offsets of particles, 16 bytes each, must fit 31
// bits.
enum { PL_SOLID_POSE_BYTES = 64, PL_SOLID_MAX_PARTICLES = 0x7FFFFFFF / 16 };

// The energy that a body may have which is left to itself (solid_budget.c), J.
typedef struct pl_solid_energy_budget {
  float whole, kept;  // with the velocity in the middle of two steps, and by the product of both
  float turn_ratio;
  uint8_t pause;  // steps before it is measured again
  uint8_t was_set,
      is_known;  // whether the last step began with a state that was set; whether there is a budget
  uint8_t unused;  // 0
} pl_solid_energy_budget;

// Views into a body's flat state. Positions are single precision relative to `origin`, which
// follows the body in steps of the model's origin_grid: precision does not depend on where in the
// world the body is.
typedef struct pl_solid_state {
  double *origin;    // 3 …
  int32_t *driven;   // … whether the weights are given from outside …
  int32_t *suspect;  // … whether something may not be finite …
  int32_t *calm;     // … whether `rotations` turned by `turn` are near those of the positions …
  float *turn;       // … how far the last step turned the whole body, 3 …
  pl_solid_energy_budget *budget;  // … and the energy that it may have, in a block of 64 bytes
  pl_f4 *positions;                // metres
  pl_f4 *velocities;               // m/s
  // where the last step's rotation search ended: [4][8] per group of eight regions
  float *rotations;
  float *weights;  // [manifold][example]: of the last step
  float *plastic;  // [manifold][example]: where the rest has moved to; only with plasticity
  float *given;    // [manifold][example]: from outside (one set for all where every region has its
                   // own manifold)
} pl_solid_state;

// Manifolds whose weights can be given from outside: one for all regions where each has its own.
int32_t pl_solid_given_count(const pl_solid_model *model);

// The longest step that a model follows at its full stiffness, s.
double pl_solid_max_step(const pl_model *model);

// alpha / step, 1/s, and the fraction of the motion within a body that damping takes in a step.
float pl_solid_alpha_over_step(const pl_solid_model *model, double step);
float pl_solid_damped_fraction(const pl_solid_model *model, double step);

size_t pl_solid_state_size(const pl_model *model);
pl_solid_state pl_solid_state_of(const pl_model *model, const void *state);

// One step (solid_step.c).
pl_status pl_solid_move(const pl_model *model, void *state, const pl_body_move *move,
                        pl_error *error);

// Models with at most this many particles and without examples move bodies side by side.
enum { PL_SOLID_MANY_PARTICLES = 128 };

// One step of several bodies, with the bits that each would have by itself (solid_many.c).
pl_status pl_solid_move_many(const pl_model *model, const void *const *starts, void *const *states,
                             const pl_body_move *moves, int32_t count, pl_error *error);

// Copy all of a state but positions, velocities and rotations, where there are no examples.
void pl_solid_copy_head(void *to, const void *from);

// After a step: whether the state is finite, and the origin follows `center` (solid_step.c).
void pl_solid_end_step(const pl_solid_model *model, pl_solid_state state, bool is_finite,
                       pl_vec3 center);

// Reading and writing (solid_surface.c).
void pl_solid_start(const pl_model *model, void *state, const pl_body_start *start);
void pl_solid_get_positions(const pl_model *model, const void *state, pl_vec3 *positions);
void pl_solid_get_velocities(const pl_model *model, const void *state, pl_vec3 *velocities);
void pl_solid_read_motion(const pl_model *model, const void *state, pl_vec3 *positions,
                          pl_vec3 *velocities, pl_contact_extent *extent);
bool pl_solid_round_motion(const pl_model *model, void *state, pl_vec3 *positions,
                           pl_vec3 *velocities, pl_contact_extent *extent);
void pl_solid_get_surface(const pl_model *model, const void *state, pl_vec3 *points);
void pl_solid_set_state(const pl_model *model, void *state, const pl_vec3 *positions,
                        const pl_vec3 *velocities);
pl_vec3 pl_solid_get_particle(const pl_model *model, const void *state, int32_t particle,
                              pl_vec3 *velocity);
void pl_solid_set_particle(const pl_model *model, void *state, int32_t particle, pl_vec3 position,
                           pl_vec3 velocity);
int32_t pl_solid_find_not_finite(const pl_model *model, const void *state);
bool pl_solid_can_sleep(const pl_model *model, const void *state);

// Weights of examples (solid_weights.c).
pl_example_view pl_solid_list_examples(const pl_model *model);
void pl_solid_get_weights(const pl_model *model, const void *state, int32_t manifold,
                          double *weights);
void pl_solid_set_weights(const pl_model *model, void *state, int32_t manifold,
                          const double *weights);

// Set the weights of a step from what the regions say about the examples (`pulls`
// [manifold][example], L^T (S - S_0)), or from what was given where pulls is NULL. Where every
// region has its own manifold, pl_solid_find_region_weights() does it for one.
void pl_solid_find_weights(const pl_solid_model *model, pl_solid_state state, const double *pulls,
                           double step);
void pl_solid_find_region_weights(const pl_solid_model *model, pl_solid_state state, int32_t region,
                                  const double *pulls, double step);

// Mark the regions that cannot be held in the pose of an example, given by particle
// (solid_report.c).
void pl_solid_examples_mark(const pl_solid_model *model, int32_t example, const pl_vec3 *pose,
                            uint32_t *weak);

// Turn example poses into descriptors, Gram matrices and holds (solid_examples.c).
pl_status pl_solid_examples_build(pl_context *context, const pl_solid_def *def, const pl_mesh *mesh,
                                  pl_solid_model *model, pl_error *error);

#endif
