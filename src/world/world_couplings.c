// Joints and attachments together: what the contact solver is given of them in each step, and their state.
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "world/world_joints.h"

// --- life

static void free_attachment(pl_world_attachment *attachment) {
  pl_arena arena = attachment->arena;  // holds the attachment itself
  pl_arena_destroy(&arena);
}

void pl_world_uncouple_body(pl_world *world, pl_body_id body) {
  for (int32_t i = pl_slots_count(&world->joints) - 1; i >= 0; --i) {
    const pl_world_joint *joint = pl_slots_at(&world->joints, i);
    if (!pl_body_id_is(joint->def.body_a, body) && !pl_body_id_is(joint->def.body_b, body)) continue;
    pl_world_wake_coupled(world, joint->def.body_a, joint->def.body_b);
    pl_release(world->context, pl_slots_remove(&world->joints, pl_slots_id_at(&world->joints, i)));
  }
  for (int32_t i = pl_slots_count(&world->attachments) - 1; i >= 0; --i) {
    const pl_world_attachment *it = pl_slots_at(&world->attachments, i);
    if (!pl_body_id_is(it->body_a, body) && !pl_body_id_is(it->body_b, body)) continue;
    pl_world_wake_coupled(world, it->body_a, it->body_b);
    pl_attachment_release_pins(world, it);
    free_attachment(pl_slots_remove(&world->attachments, pl_slots_id_at(&world->attachments, i)));
  }
}

void pl_world_free_couplings(pl_world *world) {
  for (int32_t i = 0; i < pl_slots_count(&world->joints); ++i)
    pl_release(world->context, pl_slots_at(&world->joints, i));
  for (int32_t i = 0; i < pl_slots_count(&world->attachments); ++i)
    free_attachment(pl_slots_at(&world->attachments, i));
  pl_slots_free(&world->joints);
  pl_slots_free(&world->attachments);
  pl_vector_free(&world->contact_joints);
  pl_vector_free(&world->spared_pairs);
}

bool pl_world_is_coupled(const pl_world *world, pl_body_id body) {
  for (int32_t i = 0; i < pl_slots_count(&world->joints); ++i) {
    const pl_world_joint *joint = pl_slots_at(&world->joints, i);
    if (pl_body_id_is(joint->def.body_a, body) || pl_body_id_is(joint->def.body_b, body)) return true;
  }
  for (int32_t i = 0; i < pl_slots_count(&world->attachments); ++i) {
    const pl_world_attachment *it = pl_slots_at(&world->attachments, i);
    if (pl_body_id_is(it->body_a, body) || pl_body_id_is(it->body_b, body)) return true;
  }
  return false;
}

void pl_world_wake_coupled(pl_world *world, pl_body_id a, pl_body_id b) {
  pl_body *bodies[2] = {pl_world_find_body(world, a), pl_world_find_body(world, b)};
  for (int i = 0; i < 2; ++i)
    if (bodies[i] != NULL) pl_world_wake_body(world, bodies[i]);
}

// --- for the solver

static int32_t number_of(const pl_world *world, pl_body_id id) {
  const pl_body *body = pl_world_find_body(world, id);
  return body != NULL ? body->contact_number : -1;
}

static bool spare(pl_world *world, int32_t a, int32_t b) {
  if (a < 0 || b < 0 || a == b) return true;
  pl_contact_spared_pair pair = {a < b ? a : b, a < b ? b : a};
  return pl_vector_push(&world->spared_pairs, &pair);
}

static bool list_joints(pl_world *world) {
  for (int32_t i = 0; i < pl_slots_count(&world->joints); ++i) {
    pl_world_joint *joint = pl_slots_at(&world->joints, i);
    joint->rows.a.body = number_of(world, joint->def.body_a);
    joint->rows.b.body = number_of(world, joint->def.body_b);
    pl_contact_joint entry = {.a = joint->rows.a.body,
                              .b = joint->rows.b.body,
                              .data = &joint->rows,
                              .begin = pl_joint_rows_begin,
                              .sweep = pl_joint_rows_sweep};
    if (!pl_vector_push(&world->contact_joints, &entry)) return false;
    if (!joint->def.collides && !spare(world, entry.a, entry.b)) return false;
  }
  return true;
}

static bool list_attachments(pl_world *world) {
  for (int32_t i = 0; i < pl_slots_count(&world->attachments); ++i) {
    pl_world_attachment *it = pl_slots_at(&world->attachments, i);
    it->rows.a = number_of(world, it->body_a);
    it->rows.b = it->joint >= 0 ? -1 : number_of(world, it->body_b);
    pl_contact_joint entry = {.a = it->rows.a,
                              .b = it->rows.b,
                              .data = &it->rows,
                              .begin = pl_attachment_rows_begin,
                              .sweep = pl_attachment_rows_sweep};
    if (!pl_vector_push(&world->contact_joints, &entry)) return false;
    if (!it->collides && !spare(world, entry.a, entry.b)) return false;
  }
  return true;
}

static pl_body *body_of_number(const pl_world *world, int32_t number) {
  return pl_slots_at(&world->bodies, PL_ITEM(&world->contact_numbers, int32_t, number));
}

// Bodies that are attached to given positions, and what joints and attachments join to these.
static void mark_tied(pl_world *world) {
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i)
    ((pl_body *)pl_slots_at(&world->bodies, i))->is_tied = false;
  for (int32_t i = 0; i < pl_slots_count(&world->attachments); ++i) {
    const pl_world_attachment *it = pl_slots_at(&world->attachments, i);
    if (!it->is_pinned && it->rows.b < 0) pl_world_find_body(world, it->body_a)->is_tied = true;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (int32_t i = 0; i < (int32_t)world->contact_joints.count; ++i) {
      const pl_contact_joint *it = &PL_ITEM(&world->contact_joints, pl_contact_joint, i);
      if (it->a < 0 || it->b < 0) continue;
      pl_body *a = body_of_number(world, it->a), *b = body_of_number(world, it->b);
      if (a->is_tied == b->is_tied) continue;
      a->is_tied = b->is_tied = changed = true;
    }
  }
}

pl_status pl_world_list_couplings(pl_world *world, pl_error *error) {
  world->contact_joints.count = world->spared_pairs.count = 0;
  if (!list_joints(world) || !list_attachments(world)) return pl_fail_memory(error);
  mark_tied(world);
  return pl_contact_solver_set_joints(world->contact_solver, world->contact_joints.items,
                                      (int32_t)world->contact_joints.count, error);
}

// Whether nothing that a coupling joins moves: the solver is not told of it in this step.
static bool is_idle(const pl_world *world, int32_t a, int32_t b) {
  const pl_contact_body *bodies = world->contact_bodies.items;
  return (a < 0 || bodies[a].asleep) && (b < 0 || bodies[b].asleep);
}

static void set_ends(pl_world *world, int32_t coupling, int32_t a, int32_t b, bool idle) {
  pl_contact_joint *entry = &PL_ITEM(&world->contact_joints, pl_contact_joint, coupling);
  entry->a = idle ? -1 : a;
  entry->b = idle ? -1 : b;
}

// Whether a coupled solve has moved a body together with its joints, or there is none.
static bool is_solved(const pl_world *world, int32_t body) {
  return body < 0 || PL_ITEM(&world->contact_bodies, pl_contact_body, body).solved;
}

// All joints that act. Out of memory the sweeps alone solve them.
static void start_joints(pl_world *world) {
  int32_t count = pl_slots_count(&world->joints), active = 0;
  pl_contact_body *bodies = world->contact_bodies.items;
  pl_scratch_mark mark = pl_scratch_push(&world->scratch);
  pl_joint_rows **rows = PL_SCRATCH(&world->scratch, pl_joint_rows *, count);
  pl_joint_work *work = PL_SCRATCH(&world->scratch, pl_joint_work, count);
  for (int32_t i = 0; i < count; ++i) {
    pl_world_joint *joint = pl_slots_at(&world->joints, i);
    bool idle = joint->state.broken != 0 || is_idle(world, joint->rows.a.body, joint->rows.b.body);
    set_ends(world, i, joint->rows.a.body, joint->rows.b.body, idle);
    joint->rows.is_solved = is_solved(world, joint->rows.a.body) && is_solved(world, joint->rows.b.body);
    if (idle || joint->rows.is_solved) continue;
    pl_joint_rows_prepare(&joint->rows, bodies, world->def.step);
    if (rows != NULL) rows[active++] = &joint->rows;
  }
  if (rows != NULL && work != NULL) pl_joint_rows_solve(rows, active, bodies, work);
  pl_scratch_pop(&world->scratch, mark);
}

void pl_world_start_couplings(pl_world *world) {
  if (pl_slots_count(&world->joints) > 0) start_joints(world);
  for (int32_t i = 0; i < pl_slots_count(&world->attachments); ++i) {
    pl_world_attachment *it = pl_slots_at(&world->attachments, i);
    pl_attachment_follow(world, it);
    bool idle = it->is_pinned || is_idle(world, it->rows.a, it->rows.b);
    set_ends(world, pl_slots_count(&world->joints) + i, it->rows.a, it->rows.b, idle);
    it->rows.is_solved = it->rows.b >= 0 && is_solved(world, it->rows.a) && is_solved(world, it->rows.b);
    if (!idle && !it->rows.is_solved)
      pl_attachment_rows_prepare(&it->rows, world->contact_bodies.items, world->def.step);
  }
}

static bool is_moving(const pl_attachment_rows *rows) {
  return memcmp(&rows->start_frame, &rows->end_frame, sizeof rows->start_frame) != 0;
}

static bool holds_any(const pl_world_attachment *it) {
  for (int32_t k = 0; k < it->rows.count; ++k)
    if (it->states[k].broken == 0) return true;
  return false;
}

void pl_world_finish_couplings(pl_world *world) {
  for (int32_t i = 0; i < pl_slots_count(&world->joints); ++i) {
    pl_world_joint *joint = pl_slots_at(&world->joints, i);
    if (is_idle(world, joint->rows.a.body, joint->rows.b.body)) continue;
    pl_joint_rows_finish(&joint->rows, world->contact_bodies.items, world->def.step);
    if (joint->state.motor == PL_JOINT_MOTOR_SPEED && joint->state.motor_speed != 0)
      pl_world_find_body(world, joint->def.body_a)->rest.still_seconds = 0;
  }
  for (int32_t i = 0; i < pl_slots_count(&world->attachments); ++i) {
    pl_world_attachment *it = pl_slots_at(&world->attachments, i);
    if (it->is_pinned || !is_idle(world, it->rows.a, it->rows.b)) pl_attachment_rows_finish(&it->rows, world->def.step);
    // What a bone or a kinematic mesh moves must not fall asleep, as it would not notice that it moves on.
    if (((it->joint >= 0 || it->is_pinned) && holds_any(it)) || is_moving(&it->rows))
      pl_world_find_body(world, it->body_a)->rest.still_seconds = 0;
  }
}

// --- state

void pl_world_visit_couplings(const pl_world *world, void (*visit)(void *visitor, void *block, size_t size),
                              void *visitor) {
  for (int32_t i = 0; i < pl_slots_count(&world->joints); ++i) {
    pl_world_joint *joint = pl_slots_at(&world->joints, i);
    visit(visitor, &joint->state, sizeof joint->state);
  }
  for (int32_t i = 0; i < pl_slots_count(&world->attachments); ++i) {
    pl_world_attachment *it = pl_slots_at(&world->attachments, i);
    visit(visitor, &it->state, sizeof it->state);
    visit(visitor, it->states, (size_t)it->rows.count * sizeof(pl_attached_state));
  }
}

void pl_world_save_couplings(pl_world *world) {
  for (int32_t i = 0; i < pl_slots_count(&world->joints); ++i) {
    pl_world_joint *joint = pl_slots_at(&world->joints, i);
    joint->saved = joint->state;
  }
  for (int32_t i = 0; i < pl_slots_count(&world->attachments); ++i) {
    pl_world_attachment *it = pl_slots_at(&world->attachments, i);
    it->saved = it->state;
    memcpy(it->saved_states, it->states, (size_t)it->rows.count * sizeof(pl_attached_state));
  }
}

void pl_world_restore_couplings(pl_world *world) {
  for (int32_t i = 0; i < pl_slots_count(&world->joints); ++i) {
    pl_world_joint *joint = pl_slots_at(&world->joints, i);
    joint->state = joint->saved;
  }
  for (int32_t i = 0; i < pl_slots_count(&world->attachments); ++i) {
    pl_world_attachment *it = pl_slots_at(&world->attachments, i);
    it->state = it->saved;
    memcpy(it->states, it->saved_states, (size_t)it->rows.count * sizeof(pl_attached_state));
  }
}
