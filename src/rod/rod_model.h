// The immutable part of a rod body and the layout of its state (paper 001).
//
// Passive joints form chains; each is attached to a kinematic joint. Chains of equal topology (same
// parents, same links, same neighbourhoods) share a *plan* and move eight at a time, one per lane:
// every array below that ends in [8] has one number per chain of a *batch*. Joints of a chain are
// numbered parents first, the root is 0. Lanes without a chain repeat the first one and are never
// read.
//
// Positions in a batch are single precision, relative to the chain's root, which is kept in double:
// precision does not depend on where in the world the body is. Axes are the world's. Rest poses are
// in the frame of the kinematic joint above the root.
#ifndef PL_ROD_MODEL_H
#define PL_ROD_MODEL_H

#include "body/body_method.h"
#include "examples/weights.h"
#include "math/lanes.h"
#include "pliant/rod.h"

// Topology of chains of one kind. Constraints keep distances: segments first (constraint s joins
// joint s + 1 to its parent), then links.
typedef struct pl_rod_plan {
  int32_t joint_count, constraint_count, link_count;
  const int32_t *parents;      // joint_count; -1 for the root
  const int32_t *constraints;  // 2 joints each: towards the root, away from it
  // Neighbourhoods: region r is joint r and all joints up to `width` segments away. Symmetric, so
  // this is also the list of regions of a joint.
  const int32_t *region_start, *region_joints;
  const bool *anchored;  // the region holds the root: it is fixed to the kinematic joint
  // Elimination of the constraints' matrix J M^-1 J^T = L D L^T, leaves first. Entry e of the lower
  // triangle is below the diagonal of column `column`; the columns' entries follow each other. All
  // is in order of elimination; constraint_of[k] is the constraint eliminated as k-th.
  const int32_t *constraint_of;  // constraint_count
  const int32_t *column_start;   // constraint_count + 1
  const int32_t *rows;           // per entry
  int32_t coupling_count;        // entries that are not zero before elimination, one per pair of
                                 // constraints and joint they share
  const int32_t *couplings;      // 4 each: entry, constraint, constraint, joint
  // +1 where both constraints begin or both end at the joint, -1 otherwise
  const float *coupling_signs;
  int32_t update_count;    // entry or diagonal `target` -= entry a * entry b / diagonal of column c
  const int32_t *updates;  // 4 each: target (diagonal i as -1 - i), a, b, c; in order
} pl_rod_plan;

// Constants of eight chains.
typedef struct pl_rod_batch {
  const pl_rod_plan *plan;
  int32_t lane_count;           // chains in use
  int32_t chains[LANES];        // their indices
  int32_t bases[LANES];         // kinematic joint above each root, as index of kinematic joints
  int32_t centers[LANES];       // kinematic joint in whose frame inertia counts, -1: the world
  const int32_t *joints;        // [joint][8]: joint of the body
  pl_vec3 root_offsets[LANES];  // root in the kinematic joint's frame
  const float *lengths;         // [constraint][8], metres
  const float *inverse_masses;  // [joint][8], 1/kg; 0 for the root
  const float *fractions;  // [joint][8]: mass in each of its regions, relative to the mean mass of
                           // the chain's joints
  const float *gains;      // [joint][8]: factor on the stiffness
  const float *limits;  // [joint][8]: cosine of the angle limit, -2 where there is none; NULL: none
                        // in the batch
  const float *radii;   // [joint][8], metres
  const float *match_squares;  // [joint][8]: weight of a joint's orientation in the matching, m²
  const float *springs;        // [joint][8], spring bones: pull towards the rest direction
  const float *drags;          // [joint][8]: fraction of the velocity that drag leaves in 1/60 s
  const float *pulls;          // [joint][3][8]
  const float *aims;  // [3][8] per joint: the constant direction that rotations of segments at the
                      // root start from; [joint][3][8]
  int32_t example_count;  // largest of the eight chains'; may be 0
  // [example][8]: number in the model of a chain's k-th example, -1 for none
  const int32_t *examples;
  const float *turns;  // [1 + example][joint][4][8]: r of each segment (eq. 8), rest first; 0 0 0 1
                       // for the root
  const float *poses;  // [1 + example][joint][4][8]: orientations, rest first
  const float *inverse_grams;    // [example][example][8]: (L^T L)^-1 of eq. 17
  const pl_view_example *views;  // [lane][example]
  // [example][3][8]: the same for eight lanes at once: unit vectors …
  const double *view_directions;
  const double *view_rates;         // [example][8]: … 1 / extent, 1/rad …
  const double *view_fractions;     // [example][8]: … and 1, or 0 for a chain that has fewer
  const int32_t *view_counts;       // [lane]: examples driven by the view, which come first
  const pl_weight_kernel *kernels;  // [lane]; NULL: Algorithm 1
  float reach[LANES];               // longest way from the root to a tip, metres, radius included
  // [lane] 8 + 1, into collider_list: the body's own colliders of each chain
  const int32_t *collider_start;
  const int32_t *collider_list;
} pl_rod_batch;

typedef struct pl_rod_own_collider {
  int32_t kinematic;       // index of the kinematic joint it moves with
  pl_transform placement;  // in its frame
  pl_collider *shape;
} pl_rod_own_collider;

typedef struct pl_rod_model {
  pl_model head;
  pl_rod_solver solver;
  pl_rod_ghost_momentum ghost_momentum;
  double frequency_squared;  // stiffness / stiffness_step², 1/s²
  double damping;            // 1/s
  double window, view_time;
  double volume_cell, volume_friction, volume_pressure;  // of hair as a volume (rod_volume.h)
  double volume_density;                                 // the largest at rest, kg/m³
  const double *volume_masses;  // joint_count, kg: 0 for what does not move freely; NULL: no volume
  int32_t joint_count, kinematic_count, chain_count, batch_count;
  int32_t example_count, morph_count;
  const char *const *example_names, *const *chain_names, *const *joint_names;
  const int32_t *kinematic_joints;  // kinematic_count: joint of each
  // joint_count: index among the kinematic joints, -1 for passive joints
  const int32_t *kinematic_of_joint;
  const int32_t *slot_of_joint;   // joint_count: (batch * 8 + lane) of passive joints …
  const int32_t *index_of_joint;  // … and number in the chain; -1 for kinematic joints
  const int32_t *slot_of_chain;   // chain_count: batch * 8 + lane
  const pl_transform *rests;      // joint_count, in the body's frame
  const pl_rod_batch *batches;
  // batch_count: floats from the beginning of the batches' part of the state
  const size_t *batch_offsets;
  size_t batch_floats;  // all of them
  int32_t max_joint_count, max_constraint_count, max_entry_count, max_example_count;
  pl_rod_own_collider *colliders;
  int32_t collider_count;
  // Constraints of all chains as segments, by batch, lane and constraint; those of slot (batch * 8
  // + lane) begin at segment_start[slot]; slots + 1.
  pl_body_segments segments;
  const int32_t *segment_start;
  // The skin, by joints: points that follow joint j are entries skin_start[j] … skin_start[j + 1].
  const int32_t *skin_start;  // joint_count + 1
  const int32_t *skin_points;
  const float *skin_weights;
  const pl_f4 *skin_offsets;  // the point in the joint's frame
  const pl_f4 *morphs;        // [morph][point]: displacement in the rest pose
} pl_rod_model;

// A kinematic joint in the state: its transform now, its target, and the time left.
typedef struct pl_rod_kinematic {
  pl_transform now, target;
  double seconds;
} pl_rod_kinematic;

// Source of a chain's weights.
typedef enum pl_rod_source { PL_ROD_BY_ITSELF = 0, PL_ROD_GIVEN = 1 } pl_rod_source;

// Views into a body's flat state.
typedef struct pl_rod_head {
  double eye[3];
  int32_t looking;  // `eye` is set
  int32_t suspect;  // something may not be finite
  int32_t fresh;    // no step done yet: weights take effect at once
  int32_t padding[5];
} pl_rod_head;

typedef struct pl_rod_state {
  pl_rod_head *head;
  pl_rod_kinematic *kinematic;
  double *roots;  // chain slots (batch * 8 + lane) x 3: position of the root
  float *morphs;  // morph_count
  float *batches;
} pl_rod_state;

// One batch of it; all [..][8].
typedef struct pl_rod_lanes {
  float *positions;       // [joint][3] relative to the root, metres
  float *velocities;      // [joint][3], m/s
  float *rotations;       // [joint][4]
  float *spins;           // [joint][3], rad/s
  float *rest_positions;  // [joint][3]: P(w) in the base's frame
  float *rest_rotations;  // [joint][4]
  float *matches;         // [joint][4]: rotation of each region, where the last search ended
  float *shadow_matches;  // the same for the second solve; only with the paper's suppression
  float *weights;         // [example] in use
  float *given;           // [example] from outside
  int32_t *sources;       // [1]: pl_rod_source
} pl_rod_lanes;

size_t pl_rod_state_size(const pl_model *model);
pl_rod_state pl_rod_state_of(const pl_model *model, const void *state);
size_t pl_rod_batch_floats(const pl_rod_batch *batch, pl_rod_ghost_momentum ghost_momentum);
pl_rod_lanes pl_rod_lanes_of(const pl_rod_model *model, pl_rod_state state, int32_t batch);

// One joint of one lane of an array of [joint][3][8] or [joint][4][8].
static inline pl_vec3 pl_rod_get_vec3(const float *from, int32_t joint, int32_t lane) {
  from += VEC3_LANES * (size_t)joint + (size_t)lane;
  return (pl_vec3){(double)from[0], (double)from[LANES], (double)from[2 * LANES]};
}
static inline void pl_rod_put_vec3(float *to, int32_t joint, int32_t lane, pl_vec3 v) {
  to += VEC3_LANES * (size_t)joint + (size_t)lane;
  to[0] = (float)v.x;
  to[LANES] = (float)v.y;
  to[2 * LANES] = (float)v.z;
}
static inline pl_quat pl_rod_get_quat(const float *from, int32_t joint, int32_t lane) {
  from += QUAT_LANES * (size_t)joint + (size_t)lane;
  return (pl_quat){(double)from[0], (double)from[LANES], (double)from[2 * LANES],
                   (double)from[3 * LANES]};
}
static inline void pl_rod_put_quat(float *to, int32_t joint, int32_t lane, pl_quat q) {
  to += QUAT_LANES * (size_t)joint + (size_t)lane;
  to[0] = (float)q.x;
  to[LANES] = (float)q.y;
  to[2 * LANES] = (float)q.z;
  to[3 * LANES] = (float)q.w;
}

// Plans (rod_plan.c): a plan for these parents and links in `arena`; false when out of memory.
bool pl_rod_plan_build(pl_context *context, pl_arena *arena, int32_t joint_count,
                       const int32_t *parents, int32_t link_count, const int32_t *links,
                       int32_t width, pl_rod_plan *plan);

// The rotation that turns one direction into another (eqs. 7 and 8): the identity where they agree,
// around any perpendicular axis where they are opposite.
pl_quat pl_rod_turn_between(pl_vec3 from, pl_vec3 to);

// One step (rod_step.c).
pl_status pl_rod_move(const pl_model *model, void *state, const pl_body_move *move,
                      pl_error *error);

// Interpolating weights that the view gives one chain of a batch, into weights[example][8]
// (rod_weights.c). The direction to the eye is in the base's frame.
void pl_rod_interpolate_view(const pl_rod_batch *batch, int32_t lane, pl_vec3 direction,
                             float *weights);

// Push a chain out of colliders (rod_contact.c).
typedef struct pl_rod_contact_collider {
  const pl_collider *shape;
  pl_transform start, end;  // at the beginning and at the end of the step
  double friction;          // negative: the geometric mean of chain and collider
} pl_rod_contact_collider;
typedef struct pl_rod_contact {
  const pl_rod_batch *batch;
  int32_t lane;
  pl_vec3 root_start, root_end;  // what positions are relative to
  // [joint][3][8] at the beginning of the step, relative to root_start; NULL: `end` is meant
  // for the beginning itself
  const float *start;
  float *end;  // the same at the end; corrected
  double friction;
  double step;           // seconds
  bool is_repeated;      // not the first round: what touches has been counted
  pl_body_touch *touch;  // of the collider, for reports; NULL: not wanted
} pl_rod_contact;
// Whether a chain may be near a collider at all, and one round of pushing it out; the latter
// returns the number of touches.
bool pl_rod_contact_is_near(const pl_rod_contact *contact, const pl_rod_contact_collider *collider);
int32_t pl_rod_contact_resolve(const pl_rod_contact *contact,
                               const pl_rod_contact_collider *collider);

// One round of pushing a chain in front of its obstacles; `first` is its first segment. Returns the
// number that touched.
int32_t pl_rod_contact_resolve_obstacles(const pl_rod_contact *contact, int32_t first,
                                         pl_body_obstacle *obstacles, int32_t obstacle_count);

// State of a body (rod_surface.c).
void pl_rod_start(const pl_model *model, void *state, const pl_body_start *start);
void pl_rod_get_positions(const pl_model *model, const void *state, pl_vec3 *positions);
void pl_rod_get_velocities(const pl_model *model, const void *state, pl_vec3 *velocities);
void pl_rod_get_surface(const pl_model *model, const void *state, pl_vec3 *points);
void pl_rod_state_get_joints(const pl_model *model, const void *state, pl_transform *joints);
void pl_rod_set_state(const pl_model *model, void *state, const pl_vec3 *positions,
                      const pl_vec3 *velocities);
pl_vec3 pl_rod_get_particle(const pl_model *model, const void *state, int32_t particle,
                            pl_vec3 *velocity);
void pl_rod_set_particle(const pl_model *model, void *state, int32_t particle, pl_vec3 position,
                         pl_vec3 velocity);
int32_t pl_rod_find_not_finite(const pl_model *model, const void *state);
void pl_rod_state_teleport(const pl_model *model, void *state, pl_transform motion);
// Put a chain into its rest pose, where the kinematic joint above it is now; velocities stay.
void pl_rod_place_lane(const pl_rod_model *model, pl_rod_state state, int32_t batch, int32_t lane);
void pl_rod_turn_lane(pl_rod_lanes lanes, int32_t joint_count, int32_t lane, pl_quat turn);

// Weights, targets and camera (rod_weights.c).
pl_example_view pl_rod_list_examples(const pl_model *model);
void pl_rod_get_weights(const pl_model *model, const void *state, int32_t manifold,
                        double *weights);
void pl_rod_set_weights(const pl_model *model, void *state, int32_t manifold,
                        const double *weights);
bool pl_rod_state_set_target(const pl_model *model, void *state, int32_t joint, pl_transform target,
                             double seconds);
void pl_rod_state_set_camera(const pl_model *model, void *state, pl_vec3 eye);
void pl_rod_state_set_morph_weights(const pl_model *model, void *state, const double *weights);
void pl_rod_state_get_morph_weights(const pl_model *model, const void *state, double *weights);

#endif
