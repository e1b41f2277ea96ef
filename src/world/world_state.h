// Internals of a world, shared by the files of this folder.
#ifndef PL_WORLD_STATE_H
#define PL_WORLD_STATE_H

#include <stdatomic.h>

#include "base/scratch.h"
#include "base/slab.h"
#include "body/body_method.h"
#include "contact/contact.h"
#include "pliant/step.h"
#include "pliant/world.h"
#include "world/slots.h"

typedef struct pl_world_layer {
  pl_layer layer;
  void *saved;  // the layer's state at the start of the step
} pl_world_layer;

struct pl_body_shown;
typedef struct pl_world_shown pl_world_shown;
typedef struct pl_world_events pl_world_events;
// How long a body has been still, and whether it sleeps.
typedef struct pl_body_rest {
  double still_seconds;   // slower than the threshold
  double steady_seconds;  // no pole has left its place
  pl_vec3 poles[3];       // means of a third of the particles each, when that time began
  int64_t group;          // bodies that fell asleep together have the same; 0: awake
} pl_body_rest;

// Whether a body is where numbers suffice, and in one piece (world_finite.c).
typedef enum pl_body_range { PL_BODY_IN_RANGE, PL_BODY_TOO_FAR, PL_BODY_BURST } pl_body_range;

// What is noted of a body while its particles are in the cache.
typedef struct pl_body_note {
  // In its move:
  pl_contact_extent extents[2];  // of `starts` and `positions`
  double max_deviation;          // m/s, of a velocity from the mean; 0: not known
  // In its move, of a body that touched nothing in the last step; again when contact has moved it.
  bool is_known;
  bool is_still;       // slower than the threshold of sleep
  pl_vec3 poles[3];    // as of pl_body_rest
  int32_t not_finite;  // a particle whose state is not finite; -1: none
} pl_body_note;

// What a collider got from putting a body back that was too deep in it.
typedef struct pl_put_back {
  int32_t collider;
  pl_collider_impulse impulse;
} pl_put_back;

typedef struct pl_body {
  const pl_model *model;
  pl_body_start start;  // as it was added
  double gravity_scale;
  bool collides;
  bool is_tied;  // to given positions, or to a body that is
  bool bounces;  // an implicit body that meets colliders in the coupled solve, where restitution
                 // acts
  pl_contact_filter filter;
  size_t state_size;
  void *state;          // flat; the method knows its layout
  void *saved;          // copy at the start of the step, for roll-back
  void *work;           // workspace of the method's move, not state; NULL for methods without
  pl_f4 *forces;        // newtons of the next step, particle_count
  bool has_forces;      // some entry of `forces` is not zero …
  bool only_rods_push;  // … and all are what rods push with that lie on it
  pl_f4 *saved_forces;  // the two above at the start of the step
  bool saved_has_forces;
  // Of its contacts in the last step, and those before. Where contact alone writes them, the two
  // arrays change places instead of being copied (pl_world_swap_impulses()).
  pl_contact_impulse *impulses, *saved_impulses;
  bool has_swapped, has_copied;
  bool has_impulses, saved_has_impulses;  // some of them may be other than zero
  // Which ones, of either array.
  pl_contact_mask impulse_mask, saved_impulse_mask;
  pl_body_rest rest, saved_rest;
  pl_box sleep_box;           // of a sleeper: around its particles
  double *inverse_masses;     // 1/kg as contact sees them: 0 where a hard pin holds
  pl_vec3 *starts;            // scratch of the contact phase: particles at the start of the step,
  pl_vec3 *start_velocities;  // … and their velocities then,
  pl_vec3 *positions;         // … at its end,
  pl_vec3 *velocities;        // … and their velocities
  pl_contact_rigid rigid;     // … and its motion at the end of the step, of a rigid body
  int32_t contact_number;     // among the world's `contact_bodies`; -1: not there
  pl_vec3 *surface;           // surface points after the layers; kept only when there are layers
  pl_vec3 *next_surface;      // the same while the layers work; swapped when all have succeeded
  pl_vec3 *presses;           // N s on each surface point along the normals of its contacts …
  pl_vec3 *next_presses;      // … and in the step under way; swapped when it has succeeded
  // Which ones of either array are there; the others are zero, whatever they say.
  pl_contact_mask press_mask, next_press_mask;
  // The resolution that pressed on it too, as long as that is not added (world_pressures.c); 0:
  // none
  int64_t resolved;
  pl_vector layers;             // of pl_world_layer
  int64_t version;              // counts changes of its surface
  bool has_previous;            // `saved` is the state before the last step, not before a jump
  struct pl_body_shown *shown;  // surface for display and queries; NULL until asked for
  bool slept;                   // was not moved in this step
  pl_body_range range;          // scratch of pl_world_check_range()
  bool is_noted;                // starts, ends and range are noted in its move, with …
  pl_body_note note;            // … this
  bool has_points;              // `starts`, `positions` and both velocities are those of this step
  bool has_ends;  // `positions`, `velocities` and the note's last extent are those of `state`: the
                  // next step begins with them
  bool is_saved;  // `saved` is there in this step; until then the state has not changed
  bool was_lone;  // contact has resolved it without its points in the last step that it moved in
  int32_t put_back_count;  // colliders that it was put back from in this step
  int64_t own_impulses;    // where its own are in the world's; -1: it has none
} pl_body;

typedef struct pl_world_pin {
  pl_pin_def def;
  pl_vec3 target;  // where it wants to be at the end of the next step
  pl_vec3 saved;   // the same at the start of the step
} pl_world_pin;

// What two things of a world do when they meet, by handle. Of the other one, either the body or the
// collider is null.
typedef struct pl_world_pair_rule {
  pl_body_id body, other_body;
  pl_collider_id collider;
  bool collides;
  double friction, restitution;  // negative: combined from those of the two
} pl_world_pair_rule;

typedef struct pl_world_controller {
  pl_controller controller;
  void *saved;  // its state at the start of the step
} pl_world_controller;

// What a world is doing. Callbacks of a step may call back into it, and what they may do there
// depends on this.
typedef enum pl_world_phase {
  PL_WORLD_IDLE = 0,    // between steps
  PL_WORLD_CONTROLLED,  // a controller has the word: everything may change except what time and the
                        // list of controllers are
  PL_WORLD_LOCKED  // in the rest of a step, layers and drivers of fem bodies included: nothing may
                   // change
} pl_world_phase;

// Bodies that move at the same time are divided into at most this many blocks (world_moves.c).
enum { PL_MOVE_BLOCKS = 32 };
// Solves and moves of no more particles run on one thread each: waking others for their loops takes
// longer than the loops.
enum { PL_SMALL_SOLVE = 1024 };

struct pl_world {
  pl_context *context;
  pl_world_def def;       // gravity and wind are live
  pl_slab body_memory;    // a block for each body and all its arrays
  pl_slots bodies;        // of pl_body
  pl_slots colliders;     // of pl_collider
  pl_slots pins;          // of pl_world_pin
  pl_slots joints;        // of pl_world_joint
  pl_slots attachments;   // of pl_world_attachment
  pl_vector controllers;  // of pl_world_controller
  pl_contact_solver *contact_solver;
  pl_vector contact_bodies;   // of pl_contact_body, one per colliding body
  pl_vector contact_numbers;  // of int32_t: the number of each of them among all bodies
  pl_vector collider_list;    // of const pl_collider *, in order
  // What bodies gave to colliders (world_impulses.c), of pl_collider_impulse, one per collider of
  // the list: in the last step, in the step under way, and …
  pl_vector collider_impulses, step_impulses;
  pl_vector own_impulses;    // … in the own moves of bodies, as many for each of these
  pl_vector put_backs;       // of pl_put_back, some per body
  atomic_bool has_put_back;  // some body has been put back in this step
  pl_vector contact_joints;  // of pl_contact_joint: joints, then attachments
  pl_vector spared_pairs;    // of pl_contact_spared_pair, sorted
  pl_vector awake;           // of int32_t, a slot per body: numbers of the bodies that move …
  int32_t awake_count;       // … in this step
  bool lines_moved;          // bodies of lines have moved in this step, before the others
  bool notes_in_move;  // nothing but its own move changes a body before contact: `is_noted` counts
  bool all_noted;      // every body `is_noted`
  // Some note of this step is of a body that is not finite, or not in range.
  atomic_bool noted_not_finite, noted_out_of_range;
  bool has_obstacles, has_coupled;  // pl_world_has_obstacles() and pl_world_has_coupled()
  bool had_layers;                  // some body has layers, or had
  bool saves_in_move;        // there are no controllers either: such bodies are saved in their move
  bool contacts_found;       // the contact solver has those of where bodies are after their moves
  int64_t resolution_count;  // of contacts so far …
  int64_t resolved;          // … and the one that the contact solver still holds; 0: none
  int64_t sleep_group_count;                // groups of sleepers so far
  pl_vector island_seconds, island_groups;  // of double and int64_t, a slot per body: scratch
  bool has_bouncing;        // any body that bounces off a collider in the coupled solve
  bool has_touched_faces;   // any whose faces a collider may touch there
  bool prepared;            // the contact solver knows all bodies and colliders
  pl_vector pair_rules;     // of pl_world_pair_rule
  pl_vector contact_pairs;  // of pl_contact_rule: the same by the numbers of this step, sorted
  pl_vector body_colliders;  // of const pl_collider *: those that the body being moved may touch, …
  pl_vector collider_frictions;  // … and its coefficients with each, double
  pl_vector collider_numbers;    // … and their numbers among all, int32_t
  pl_vector touches;             // of pl_body_touch: what that body felt of each
  pl_world_events *events;       // NULL: not wanted
  int64_t version;               // counts changes of surfaces, and of which bodies there are
  pl_world_shown *shown;         // guards what is kept for display and queries (world_shown.h)
  pl_scratch scratch;
  pl_scratch move_scratches[PL_MOVE_BLOCKS];  // of bodies that move at the same time
  int64_t step_count;
  pl_world_phase phase;
  bool
      destroy_refused;  // pl_world_destroy() was called inside the current step, which fails for it
  pl_vec3 saved_gravity, saved_wind;  // at the start of the step
  int64_t saved_group_count;
  bool settling;   // steps are done while time stands still
  double pending;  // seconds that pl_world_advance() has been given and not yet stepped
  bool batched;    // one of the worlds that pl_worlds_step() is stepping
};

static inline pl_slot_id pl_slot_of_body(pl_body_id id) {
  return (pl_slot_id){id.slot, id.generation};
}
static inline pl_slot_id pl_slot_of_pin(pl_pin_id id) {
  return (pl_slot_id){id.slot, id.generation};
}
static inline pl_slot_id pl_slot_of_collider(pl_collider_id id) {
  return (pl_slot_id){id.slot, id.generation};
}
static inline pl_body *pl_world_find_body(const pl_world *world, pl_body_id id) {
  return pl_slots_get(&world->bodies, pl_slot_of_body(id));
}

// Whether `function` may run now; fails with PL_ERROR_INVALID_ARGUMENT. Some functions only run
// between steps, those that change the world run in controllers too (world_phase.c).
pl_status pl_world_check_idle(const pl_world *world, const char *function, pl_error *error);
pl_status pl_world_check_open(const pl_world *world, const char *function, pl_error *error);

// Forces of the wind on every body, added to `forces` (world_forces.c).
pl_status pl_world_add_wind(pl_world *world, pl_error *error);

// One step of body number `index` on its own: its arguments, with pins in the world's scratch, and
// the move, which counts in the report where its solver stopped at its limit of iterations and
// where the step was damped (step.c).
pl_status pl_world_begin_move(pl_world *world, int32_t index, pl_body_move *move, pl_error *error);
pl_status pl_world_move_body(pl_world *world, int32_t index, pl_step_report *report,
                             pl_error *error);
// Bodies move in rounds: first those that only animation moves, then skeletons, whose chains meet
// them where they are at the end of the step, then all others, which may be tied to both.
enum { PL_MOVE_KINEMATIC = 0, PL_MOVE_SKELETONS, PL_MOVE_OTHERS, PL_MOVE_ROUNDS };
int pl_body_get_move_round(const pl_body *body);
// Small bodies that move by their own state alone, all at the same time; whether a body is one of
// them (world_moves.c).
pl_status pl_world_move_in_parallel(pl_world *world, pl_step_report *report, pl_error *error);
bool pl_world_moves_in_parallel(const pl_world *world, int32_t index);
// The same by its model alone: it is one of them unless it has moved with lines.
bool pl_body_may_move_in_parallel(const pl_body *body);
// Whether the rule for two bodies, by number, lets them touch; their friction if the rule has one.
bool pl_world_pair_may_meet(const pl_world *world, int32_t a, int32_t b, double *friction);

// Whether a pin has not been released yet, and which particles contact must therefore leave alone
// (world_pins.c).
bool pl_pin_holds(const pl_world *world, const pl_world_pin *pin);
void pl_world_compute_pin_masses(pl_world *world);

// The pins of a body whose method deals with them itself; the list is in the world's scratch
// (world_pins.c).
pl_status pl_world_list_pins(pl_world *world, int32_t body, pl_body_move *move, pl_error *error);
// No body has more of them.
int32_t pl_world_max_pin_count(const pl_world *world);

// The surface of a body has changed; it is somewhere else without having moved there
// (world_shown.c).
void pl_world_note_surface(pl_world *world, pl_body *body);
void pl_world_note_jump(pl_world *world, pl_body *body);

// Put hard-pinned particles on their targets and pull at those on springs (world_forces.c).
void pl_world_hold_pins(pl_world *world);

// Does the world resolve the contacts of a body?
bool pl_body_meets_others(const pl_body *body);

// Rules for pairs by the numbers of the contact solver, and memory for the lists of colliders;
// false when out of memory. Then the colliders that a body may touch in its own step
// (world_pairs.c).
bool pl_world_list_pairs(pl_world *world);
void pl_world_list_colliders(pl_world *world, int32_t index, pl_body_move *move);

// Whether a body and a collider, by their numbers, may touch.
bool pl_world_meets_collider(const pl_world *world, int32_t index, int32_t collider);
// Find the implicit bodies that bounce off a collider: springs of their own step would not know how
// fast.
void pl_world_mark_bouncing(pl_world *world);

// What bodies give to colliders (world_impulses.c): memory when colliders or bodies change; a step
// begins; a body has moved; an impulse on a body of a contact that was solved with its step; a
// collider got one as it put a body back, on any thread; the step succeeded.
bool pl_world_take_impulses(pl_world *world);
void pl_world_begin_impulses(pl_world *world);
void pl_world_keep_given(pl_world *world, int32_t index, const pl_body_move *move);
void pl_world_note_solved(pl_world *world, int32_t collider, pl_vec3 point, pl_vec3 impulse);
void pl_world_note_put_back(pl_world *world, int32_t index, int32_t collider,
                            const pl_collider_impulse *impulse);
void pl_world_finish_impulses(pl_world *world);

// At the end of the contact phase: put soft bodies back that are deeper in colliders than their
// contact thickness (world_overlap.c).
void pl_world_part_from_colliders(pl_world *world);
// The same for one body by number that contact has just given its state, while its points are in
// the cache; nothing for bodies that are left to the function above.
void pl_body_part_when_committed(pl_world *world, int32_t index);
// The same for one body by number, with its particles in these arrays, of which those of the end
// are scratch. Returns whether it moved.
bool pl_body_part_from_colliders(pl_world *world, int32_t index, const pl_contact_points *points);
// The same within contact: its positions and velocities there, not its state. `holds`: one per
// particle, set where it moved.
bool pl_body_part_points(pl_world *world, int32_t index, pl_contact_hold *holds);
// The lists are the world's, for one body at a time: copies on its scratch stack, for a move that
// outlasts that. False when out of memory.
bool pl_world_keep_colliders(pl_world *world, pl_body_move *move);

// Contact events (world_events.c): memory for them, a call of the caller begins, a step begins,
// what a body felt of colliders in its own step, what the contact solver found, and the step
// succeeded.
pl_status pl_world_prepare_events(pl_world *world, pl_error *error);
void pl_world_destroy_events(pl_world *world);
void pl_world_clear_events(pl_world *world);
void pl_world_begin_events(pl_world *world);
void pl_world_collect_touches(pl_world *world, int32_t body, const pl_body_move *move);
// What a body felt of another as it moved; the normal is towards the body.
void pl_world_collect_body_touch(pl_world *world, int32_t body, int32_t other,
                                 const pl_body_touch *touch);
void pl_world_collect_contacts(pl_world *world);
void pl_world_finish_events(pl_world *world);
// The pairs that touch are not known any more: a snapshot was restored.
void pl_world_forget_touching(pl_world *world);

// Hand all bodies and colliders to the contact solver, if they changed (world_contact.c).
pl_status pl_world_prepare_contact(pl_world *world, pl_error *error);
// Whether there is nothing to touch: a body alone, without colliders or self contact.
bool pl_world_is_alone(const pl_world *world);
// Tell the contact solver which bodies sleep.
bool pl_world_mark_sleepers(pl_world *world);
// Remember where particles are before they move (of bodies that may touch something) and after (of
// all), then resolve what the move ran into. Not called when the world is free of contact.
void pl_world_note_starts(pl_world *world);
void pl_world_note_ends(pl_world *world);
// The same for a body that is noted in its move, with its boxes and range: what is read and written
// is in the cache then.
void pl_world_plan_notes(pl_world *world);
bool pl_body_note_start(const pl_world *world, pl_body *body, pl_scratch *scratch);
bool pl_body_note_end(pl_world *world, pl_body *body, pl_scratch *scratch);
// Is every body noted in its move? Then what loops do for the others need not be done.
bool pl_world_notes_all(const pl_world *world);

// Write the points of a body that had been left out because nothing seemed to need them.
void pl_body_write_points(pl_body *body);
// Contact has changed the points of a body, which has them and whose method has round_motion():
// into its state, and what that holds of them back.
void pl_body_round_motion(pl_world *world, pl_body *body);
pl_status pl_world_resolve_contact(pl_world *world, pl_contact_report *report, pl_error *error);

// Save the state at the start of a step, and restore it when the step fails (world_rollback.c).
void pl_world_save_state(pl_world *world);
void pl_world_roll_back(pl_world *world);
void pl_body_save(pl_body *body);
void pl_body_save_state(pl_body *body);
// The same where the move writes all of the state, from what is saved.
void pl_body_exchange_states(pl_body *body);

// Where contact reads the impulses of the last step of a body, and `impulses` is where it writes
// those of this one: the same array, or another one.
const pl_contact_impulse *pl_world_swap_impulses(const pl_world *world, pl_body *body);

void pl_body_clear_forces(pl_body *body);

// Add what contact pressed with in the last step where that is not done, to all bodies or those
// that sleep (world_pressures.c). Call it before the contact solver forgets, or bodies get other
// numbers.
void pl_world_gather_presses(const pl_world *world, bool sleepers_only);

// Sleeping (world_sleep.c): list what moves in this step, wake what was touched, let islands fall
// asleep at the end of a step.
bool pl_body_sleeps(const pl_body *body);
void pl_world_list_awake(pl_world *world);
void pl_world_wake_touched(pl_world *world);
// First how long each body that is awake has rested, then which islands have done so for long
// enough; returns whether any fell asleep.
void pl_body_count_rest(const pl_world *world, pl_body *body);
bool pl_world_rest(pl_world *world);
// Is a body slow, by its `positions` and `velocities`; the means of thirds of its particles.
bool pl_body_is_still(const pl_body *body, const pl_vec3 *positions, const pl_vec3 *velocities,
                      double speed);
void pl_body_find_poles(const pl_body *body, const pl_vec3 *positions, pl_vec3 poles[3]);
// Wake a body and those that fell asleep with it, or all. Call it before a change of its state.
void pl_world_wake_body(pl_world *world, pl_body *body);
void pl_world_wake_all(pl_world *world);
// After states were replaced from outside.
void pl_world_refresh_sleepers(pl_world *world);

// PL_ERROR_NOT_FINITE with body, particle and likely cause in the report, or PL_OK
// (world_finite.c).
pl_status pl_world_check_finite(const pl_world *world, pl_step_report *report, pl_error *error);
// Whether a body is too far away or has burst, by the box around its particles.
pl_body_range pl_body_range_of(const pl_body *body, const pl_box *box);
// The same for bodies that are too far away or have burst, by their `positions`.
pl_status pl_world_check_range(pl_world *world, pl_step_report *report, pl_error *error);
// Put the number of the body before the text of its method's failure. Returns `status`.
pl_status pl_world_name_body(const pl_world *world, int32_t i, pl_status status,
                             pl_step_report *report, pl_error *error);

#endif
