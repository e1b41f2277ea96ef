// Joints and attachments of a world.
#ifndef PL_WORLD_JOINTS_H
#define PL_WORLD_JOINTS_H

#include "contact/contact_joint.h"
#include "pliant/attachment.h"
#include "pliant/joint.h"
#include "world/world_state.h"

typedef struct pl_world_joint {
  pl_joint_def def;
  pl_joint_rows rows;
  pl_joint_state state, saved;  // now, and at the start of the step
} pl_world_joint;

// What an attachment keeps from step to step besides its points. All doubles.
typedef struct pl_attachment_state {
  pl_transform frame;   // of given positions, at the start of the next step
  pl_transform target;  // … and at its end
} pl_attachment_state;

// What a particle follows within a range: a point that moves along with a triangle of body b, or
// with the frame.
typedef struct pl_attached_goal {
  double range;        // metres around the goal; 0: held there
  int32_t corners[3];  // particles of body b; -1: the frame
  pl_vec3 offset;      // from the first corner, in the frame of the triangle; or in the frame
} pl_attached_goal;

typedef struct pl_world_attachment {
  pl_arena arena;  // holds the attachment itself and its arrays
  pl_body_id body_a, body_b;
  int32_t joint;
  bool collides;
  // Tied to what animation moves, and body a holds pins in its own step: these are pins of it, and
  // not for the solver.
  bool is_pinned;
  pl_attached_goal *goals;  // one per point; NULL: all are held
  double backstop;          // of them, metres; negative: none
  pl_attachment_rows rows;
  pl_attachment_state state, saved;
  pl_attached_state *states, *saved_states;  // one per point
} pl_world_attachment;

static inline bool pl_body_id_is(pl_body_id a, pl_body_id b) {
  return a.slot == b.slot && a.generation == b.generation;
}

// The frame of the given positions at the end of the step (world_attachments.c).
void pl_attachment_follow(pl_world *world, pl_world_attachment *attachment);

// Attachments that are pins of their body (world_attachments.c): the number of all of them, those
// of one body with their targets at the end of the step, and the masses that contact sees.
int32_t pl_world_attached_pin_count(const pl_world *world);
int32_t pl_world_list_attached_pins(pl_world *world, const pl_body *body, pl_body_pin *pins);
void pl_world_hold_attached_pins(pl_world *world);
// Keep the forces of the pins that were listed, after the body has moved.
void pl_world_note_attached_forces(pl_world *world, const pl_body *body, const pl_body_move *move);
// Put the particles of explicit bodies that have left the range of their goals back, after the
// move.
void pl_world_follow_goals(pl_world *world);
// The same for methods that hold pins themselves but know no ranges, after all bodies have moved.
void pl_world_follow_ranges(pl_world *world);
// Give the particles of an attachment that is about to go their masses back.
void pl_attachment_release_pins(const pl_world *world, const pl_world_attachment *attachment);

// Remove all joints and attachments of a body that is about to go (world_couplings.c).
void pl_world_uncouple_body(pl_world *world, pl_body_id body);
void pl_world_free_couplings(pl_world *world);
// Wake the bodies of a joint or attachment that comes, goes or changes.
void pl_world_wake_coupled(pl_world *world, pl_body_id a, pl_body_id b);
// Whether anything joins the body, so that the solver must know it even if it touches nothing.
bool pl_world_is_coupled(const pl_world *world, pl_body_id body);
// Hand all joints and attachments to the contact solver; the numbers of bodies are those of
// `contact_number`. The bodies that do not touch each other for them are listed.
pl_status pl_world_list_couplings(pl_world *world, pl_error *error);
// Before and after the solver, in every step.
void pl_world_start_couplings(pl_world *world);
void pl_world_finish_couplings(pl_world *world);

// State of joints and attachments, for snapshots and roll-back.
void pl_world_visit_couplings(const pl_world *world,
                              void (*visit)(void *visitor, void *block, size_t size),
                              void *visitor);
void pl_world_save_couplings(pl_world *world);
void pl_world_restore_couplings(pl_world *world);

#endif
