// Finding contacts: where surfaces are at both ends of the step, what may meet what, and then every surface point on
// its own.
//
// Points are searched in parallel; each writes to slots of its own, which are afterwards moved together in the order of
// the points. So the list is the same for any number of threads.
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "contact/contact_solver.h"
#include "pliant/math.h"

// Tasks are this many blocks or bodies.
enum { BLOCK_GRAIN = 16, BODY_GRAIN = 1 };

typedef struct detection {
  pl_contact_memory *memory;
  const pl_contact_body *bodies;
  const pl_contact_pairs *pairs;
  double step;
  pl_contact_scale scale;
} detection;

pl_contact_scale pl_contact_scale_of(const pl_contact_step *step) {
  double speed = pl_vec3_length(step->gravity) * step->step, fall = speed * step->step;
  // The constants are for worlds without gravity, and for bodies that keep their positions in single precision.
  return (pl_contact_scale){.margin = 2 * fall + 1e-6, .slop = 0.25 * fall + 1e-7, .speed = 2 * speed + 1e-4};
}

void pl_contact_slots_add(pl_contact_slots slots, const pl_contact *contact) {
  if (*slots.count < PL_CONTACTS_PER_POINT) {
    slots.items[(*slots.count)++] = *contact;
    return;
  }
  int32_t shallowest = 0;
  for (int32_t i = 1; i < PL_CONTACTS_PER_POINT; ++i)
    if (slots.items[i].depth < slots.items[shallowest].depth) shallowest = i;
  if (contact->depth > slots.items[shallowest].depth) slots.items[shallowest] = *contact;
}

// Surface points of some blocks at both ends of the step, and what is around them.
static void place_points(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const detection *d = data;
  for (int32_t b = begin; b < end; ++b) {
    pl_contact_block *block = &d->memory->blocks[b];
    const pl_contact_body *body = &d->bodies[block->body];
    pl_surface_motion *motion = &d->memory->motions[block->body];
    block->start_box = block->end_box = pl_box_empty();
    block->moved = pl_vec3_of(0, 0, 0);
    for (int32_t i = block->first; i < block->first + block->count; ++i) {
      int32_t point = motion->tree->point_order[i];
      pl_vec3 p = pl_contact_surface_point(body->surface, point, body->starts);
      pl_vec3 q = pl_contact_surface_point(body->surface, point, body->positions);
      motion->starts[point] = p;
      motion->ends[point] = q;
      pl_box_cover(&block->start_box, p);
      pl_box_cover(&block->end_box, q);
      block->moved = pl_vec3_add(block->moved, pl_vec3_sub(q, p));
    }
  }
}

// Boxes and drift of the bodies, from those of their blocks.
static void place_bodies(pl_contact_memory *memory) {
  for (int32_t i = 0; i < memory->body_count; ++i) {
    memory->motions[i].start_box = memory->motions[i].end_box = pl_box_empty();
    memory->motions[i].drift = pl_vec3_of(0, 0, 0);
  }
  for (int32_t b = 0; b < memory->block_count; ++b) {
    const pl_contact_block *block = &memory->blocks[b];
    pl_surface_motion *motion = &memory->motions[block->body];
    pl_box_cover_box(&motion->start_box, &block->start_box);
    pl_box_cover_box(&motion->end_box, &block->end_box);
    motion->drift = pl_vec3_add(motion->drift, block->moved);
  }
  for (int32_t i = 0; i < memory->body_count; ++i) {
    pl_surface_motion *motion = &memory->motions[i];
    motion->drift = pl_vec3_scale(motion->drift, 1.0 / motion->tree->surface->point_count);
    // Any frame is right; one that is not a number would hide the body.
    if (!pl_vec3_is_finite(motion->drift)) motion->drift = pl_vec3_of(0, 0, 0);
  }
}

// May something of a body, between these boxes in the course of the step, touch another body?
static bool may_touch(const detection *d, int32_t body, pl_box start, pl_box end, int32_t other) {
  if (other == body || !pl_contact_may_meet(d->pairs, body, d->bodies[body].filter, other, d->bodies[other].filter))
    return false;
  const pl_surface_motion *motion = &d->memory->motions[other];
  double keep_away = d->bodies[body].radius + d->bodies[other].radius + d->scale.margin;
  pl_box box = pl_box_expand(pl_surface_motion_frame_box(motion, start, end), keep_away);
  return pl_box_overlaps(box, pl_surface_motion_frame_box(motion, motion->start_box, motion->end_box));
}

// Hierarchies of the bodies that something may touch.
static void refit_bodies(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const detection *d = data;
  pl_surface_motion *motions = d->memory->motions;
  for (int32_t body = begin; body < end; ++body) {
    bool is_needed = d->bodies[body].self_contact;
    for (int32_t other = 0; other < d->memory->body_count && !is_needed; ++other)
      is_needed = may_touch(d, other, motions[other].start_box, motions[other].end_box, body);
    if (is_needed) pl_surface_motion_refit(&motions[body]);
    if (d->bodies[body].self_contact) pl_surface_motion_refit_normals(&motions[body]);
  }
}

bool pl_contact_group_query(const pl_contact_group *group, int32_t i, pl_contact_query *query) {
  int32_t point = group->points[i];
  const pl_surface_motion *motion = &group->motions[group->body];
  pl_contact_slots slots = {&group->contacts[(size_t)point * PL_CONTACTS_PER_POINT], &group->contact_counts[point]};
  *query = (pl_contact_query){group, group->body, point, motion->starts[point], motion->ends[point], slots};
  return pl_vec3_is_finite(query->start) && pl_vec3_is_finite(query->end);
}

static pl_contact_group group_of(const detection *d, const pl_contact_block *block) {
  const pl_contact_memory *memory = d->memory;
  size_t first_point = (size_t)memory->point_start[block->body];
  return (pl_contact_group){
      .body = block->body,
      .count = block->count,
      .points = &memory->motions[block->body].tree->point_order[block->first],
      .bodies = d->bodies,
      .motions = memory->motions,
      .start_box = block->start_box,
      .end_box = block->end_box,
      .contact_counts = &memory->contact_counts[first_point],
      .contacts = &memory->contacts[first_point * PL_CONTACTS_PER_POINT],
      .step = d->step,
      .scale = d->scale,
  };
}

// Consecutive blocks of one body against everything, one thing after the other: each position asked for is close to the
// one before. What the boxes of all blocks rule out is not asked for any of them, what a block's box rules out not for
// its points.
static void find_in_blocks(const detection *d, const pl_contact_group *groups, int32_t group_count) {
  const pl_contact_memory *memory = d->memory;
  int32_t body = groups[0].body;
  pl_box start = pl_box_empty(), end = pl_box_empty();
  for (int32_t g = 0; g < group_count; ++g) {
    for (int32_t i = 0; i < groups[g].count; ++i) groups[g].contact_counts[groups[g].points[i]] = 0;
    pl_box_cover_box(&start, &groups[g].start_box);
    pl_box_cover_box(&end, &groups[g].end_box);
  }
  pl_box path = pl_box_expand(pl_box_merge(start, end), d->bodies[body].radius + d->scale.margin);
  for (int32_t c = 0; c < memory->collider_count && !d->bodies[body].spares_colliders; ++c) {
    pl_distance_anchor anchor = {.is_set = false};
    if (!pl_contact_may_meet(d->pairs, body, d->bodies[body].filter, ~c, memory->collider_steps[c].collider->filter) ||
        !pl_box_overlaps(path, memory->collider_steps[c].box))
      continue;
    for (int32_t g = 0; g < group_count; ++g)
      pl_contact_find_collider(&groups[g], &memory->collider_steps[c], c, &anchor);
  }
  for (int32_t other = 0; other < memory->body_count; ++other) {
    pl_distance_anchor anchor = {.is_set = false};
    if (!may_touch(d, body, start, end, other)) continue;
    for (int32_t g = 0; g < group_count; ++g)
      if (may_touch(d, body, groups[g].start_box, groups[g].end_box, other))
        pl_contact_find_body(&groups[g], other, &anchor);
  }
  for (int32_t g = 0; d->bodies[body].self_contact && g < group_count; ++g) pl_contact_find_self(&groups[g]);
}

static void find_contacts(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const detection *d = data;
  pl_contact_group groups[BLOCK_GRAIN];
  int32_t count = 0;
  for (int32_t b = begin; b < end; ++b) {
    groups[count++] = group_of(d, &d->memory->blocks[b]);
    if (b + 1 < end && d->memory->blocks[b + 1].body == groups[0].body) continue;
    find_in_blocks(d, groups, count);
    count = 0;
  }
}

static void place_colliders(pl_contact_memory *memory, const pl_collider *const *colliders,
                            const pl_contact_step *step) {
  for (int32_t c = 0; c < memory->collider_count; ++c) {
    const pl_collider *collider = colliders[c];
    pl_collider_step *s = &memory->collider_steps[c];
    s->collider = collider;
    pl_collider_motion(collider, step->time, step->step, &s->start, &s->end);
    s->box = pl_box_empty();
    s->box = pl_box_add_point(s->box, pl_transform_apply(s->start, collider->center));
    s->box = pl_box_add_point(s->box, pl_transform_apply(s->end, collider->center));
    s->box = pl_box_expand(s->box, collider->reach);
  }
}

// Move the filled slots together.
static int32_t pack_contacts(pl_contact_memory *memory) {
  int32_t count = 0, point_count = memory->point_start[memory->body_count];
  for (int32_t p = 0; p < point_count; ++p) {
    const pl_contact *from = &memory->contacts[(size_t)p * PL_CONTACTS_PER_POINT];
    if (memory->contact_counts[p] > 0)
      memmove(&memory->contacts[count], from, (size_t)memory->contact_counts[p] * sizeof(pl_contact));
    count += memory->contact_counts[p];
  }
  return count;
}

// Friction and restitution of pairs that have their own.
static void apply_pairs(const pl_contact_pairs *pairs, pl_contact *contacts, int32_t count) {
  if (pairs->count == 0) return;
  for (int32_t i = 0; i < count; ++i) {
    pl_contact *contact = &contacts[i];
    pl_contact_thing other = contact->collider >= 0 ? ~contact->collider : contact->b.body;
    const pl_contact_pair *pair = pl_contact_pairs_find(pairs, contact->a.body, other);
    if (pair == NULL) continue;
    if (pair->friction >= 0) contact->friction = pair->friction;
    if (pair->restitution >= 0) contact->restitution = pair->restitution;
  }
}

static pl_status check_same(const pl_contact_memory *memory, const pl_contact_body *bodies, int32_t body_count,
                            int32_t collider_count, pl_error *error) {
  bool is_same = memory->body_count == body_count && memory->collider_count == collider_count;
  for (int32_t i = 0; i < body_count && is_same; ++i) is_same = memory->motions[i].tree->surface == bodies[i].surface;
  return is_same ? PL_OK
                 : pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                           "the contact solver was prepared for other bodies or colliders");
}

pl_status pl_contact_solver_detect(pl_contact_solver *solver, const pl_contact_body *bodies, int32_t body_count,
                                   const pl_collider *const *colliders, int32_t collider_count,
                                   const pl_contact_step *step, const pl_contact **contacts, int32_t *contact_count,
                                   pl_error *error) {
  pl_contact_memory *memory = &solver->memory;
  pl_status status = check_same(memory, bodies, body_count, collider_count, error);
  if (status != PL_OK) return status;
  detection d = {memory, bodies, &solver->pairs, step->step, pl_contact_scale_of(step)};
  place_colliders(memory, colliders, step);
  pl_parallel_for(solver->context, memory->block_count, BLOCK_GRAIN, place_points, &d);
  place_bodies(memory);
  pl_parallel_for(solver->context, body_count, BODY_GRAIN, refit_bodies, &d);
  pl_parallel_for(solver->context, memory->block_count, BLOCK_GRAIN, find_contacts, &d);
  solver->contact_count = pack_contacts(memory);
  apply_pairs(&solver->pairs, memory->contacts, solver->contact_count);
  if (contacts != NULL) *contacts = memory->contacts;
  if (contact_count != NULL) *contact_count = solver->contact_count;
  return PL_OK;
}
