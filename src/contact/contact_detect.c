// Finding contacts: where surfaces are at both ends of the step, what may meet what, and then every surface point on its own.
//
// Points are searched in parallel; each writes to slots of its own, which are afterwards moved together in the order of the points. So
// the list is the same for any number of threads.
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "contact/contact_solver.h"
#include "math/quat.h"

// Tasks are this many blocks or bodies.
enum { BLOCK_GRAIN = 2, BODY_GRAIN = 1 };

typedef struct detection {
  pl_contact_memory *memory;
  const pl_contact_body *bodies;
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

// Surface points of some blocks at both ends of the step, and the boxes around them.
static void place_points(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const detection *d = data;
  for (int32_t b = begin; b < end; ++b) {
    const pl_contact_block *block = &d->memory->blocks[b];
    const pl_contact_body *body = &d->bodies[block->body];
    pl_surface_motion *motion = &d->memory->motions[block->body];
    pl_box box = pl_box_empty();
    for (int32_t i = block->first; i < block->first + block->count; ++i) {
      motion->starts[i] = pl_contact_surface_point(body->surface, i, body->starts);
      motion->ends[i] = pl_contact_surface_point(body->surface, i, body->positions);
      box = pl_box_with(pl_box_with(box, motion->starts[i]), motion->ends[i]);
    }
    d->memory->block_boxes[b] = box;
  }
}

static double keep_away(const detection *d, int32_t body, int32_t other) {
  return d->bodies[body].radius + d->bodies[other].radius + d->scale.margin;
}

static bool may_touch(const detection *d, int32_t body, pl_box box, int32_t other) {
  return other != body && pl_box_overlaps(pl_box_grow(box, keep_away(d, body, other)), d->memory->motions[other].box);
}

// Hierarchies of the bodies that something may touch.
static void refit_bodies(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const detection *d = data;
  for (int32_t body = begin; body < end; ++body) {
    bool is_needed = d->bodies[body].self_contact;
    for (int32_t other = 0; other < d->memory->body_count && !is_needed; ++other)
      is_needed = may_touch(d, body, d->memory->motions[body].box, other);
    if (is_needed) pl_surface_motion_refit(&d->memory->motions[body]);
  }
}

// What a point asks; false for one that is not finite, which touches nothing.
static bool make_query(const detection *d, int32_t body, int32_t point, pl_contact_query *query) {
  const pl_surface_motion *motion = &d->memory->motions[body];
  pl_vec3 start = motion->starts[point], end = motion->ends[point];
  *query = (pl_contact_query){body, point, d->bodies, d->memory->motions, start, end, d->step, d->scale};
  return pl_vec3_is_finite(start) && pl_vec3_is_finite(end);
}

static pl_contact_slots slots_of(const detection *d, int32_t body, int32_t point) {
  size_t place = (size_t)d->memory->point_start[body] + (size_t)point;
  return (pl_contact_slots){&d->memory->contacts[place * PL_CONTACTS_PER_POINT], &d->memory->contact_counts[place]};
}

// What the block's box rules out is not asked for any of its points.
static void find_in_block(const detection *d, const pl_contact_block *block, pl_box box) {
  pl_contact_memory *memory = d->memory;
  int32_t body = block->body, first = block->first, end = first + block->count;
  pl_contact_query query;
  for (int32_t point = first; point < end; ++point) *slots_of(d, body, point).count = 0;
  for (int32_t c = 0; c < memory->collider_count; ++c) {
    const pl_collider_step *step = &memory->collider_steps[c];
    if (!pl_box_overlaps(pl_box_grow(box, d->bodies[body].radius + d->scale.margin), step->box)) continue;
    for (int32_t point = first; point < end; ++point) {
      if (make_query(d, body, point, &query)) pl_contact_find_collider(&query, step, c, slots_of(d, body, point));
    }
  }
  for (int32_t other = 0; other < memory->body_count; ++other) {
    if (!may_touch(d, body, box, other)) continue;
    for (int32_t point = first; point < end; ++point) {
      if (make_query(d, body, point, &query)) pl_contact_find_body(&query, other, slots_of(d, body, point));
    }
  }
  for (int32_t point = first; d->bodies[body].self_contact && point < end; ++point) {
    if (make_query(d, body, point, &query)) pl_contact_find_self(&query, slots_of(d, body, point));
  }
}

static void find_contacts(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const detection *d = data;
  for (int32_t b = begin; b < end; ++b) find_in_block(d, &d->memory->blocks[b], d->memory->block_boxes[b]);
}

static void place_colliders(pl_contact_memory *memory, const pl_collider *const *colliders, const pl_contact_step *step) {
  for (int32_t c = 0; c < memory->collider_count; ++c) {
    const pl_collider *collider = colliders[c];
    pl_collider_step *s = &memory->collider_steps[c];
    s->collider = collider;
    pl_collider_motion(collider, step->time, step->step, &s->start, &s->end);
    s->box = pl_box_empty();
    s->box = pl_box_with(s->box, pl_transform_apply(s->start, collider->center));
    s->box = pl_box_with(s->box, pl_transform_apply(s->end, collider->center));
    s->box = pl_box_grow(s->box, collider->reach);
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

static pl_status check_same(const pl_contact_memory *memory, const pl_contact_body *bodies, int32_t body_count,
                            int32_t collider_count, pl_error *error) {
  bool is_same = memory->body_count == body_count && memory->collider_count == collider_count;
  for (int32_t i = 0; i < body_count && is_same; ++i) is_same = memory->motions[i].tree->surface == bodies[i].surface;
  return is_same ? PL_OK
                 : pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "the contact solver was prepared for other bodies or colliders");
}

pl_status pl_contact_solver_detect(pl_contact_solver *solver, const pl_contact_body *bodies, int32_t body_count,
                                   const pl_collider *const *colliders, int32_t collider_count, const pl_contact_step *step,
                                   const pl_contact **contacts, int32_t *contact_count, pl_error *error) {
  pl_contact_memory *memory = &solver->memory;
  pl_status status = check_same(memory, bodies, body_count, collider_count, error);
  if (status != PL_OK) return status;
  detection d = {memory, bodies, step->step, pl_contact_scale_of(step)};
  place_colliders(memory, colliders, step);
  pl_parallel_for(solver->context, memory->block_count, BLOCK_GRAIN, place_points, &d);
  for (int32_t i = 0; i < body_count; ++i) memory->motions[i].box = pl_box_empty();
  for (int32_t b = 0; b < memory->block_count; ++b) {
    pl_box *box = &memory->motions[memory->blocks[b].body].box;
    *box = pl_box_join(*box, memory->block_boxes[b]);
  }
  pl_parallel_for(solver->context, body_count, BODY_GRAIN, refit_bodies, &d);
  pl_parallel_for(solver->context, memory->block_count, BLOCK_GRAIN, find_contacts, &d);
  solver->contact_count = pack_contacts(memory);
  if (contacts != NULL) *contacts = memory->contacts;
  if (contact_count != NULL) *contact_count = solver->contact_count;
  return PL_OK;
}
