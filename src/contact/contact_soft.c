// Hits and rows of pairs of soft bodies; what is done to single rows is in contact_soft_kernel.h.
#include "contact/contact_soft.h"

#include <string.h>

#include "contact/contact_cache.h"
#include "contact/contact_detect.h"
#include "contact/contact_soft_rows.h"
#include "pliant/math.h"

// --- search

static bool is_soft(const pl_contact_detection *d, int32_t body) {
  const pl_contact_body *b = &d->bodies[body];
  const pl_surface_motion *motion = &d->memory->motions[body];
  return !b->asleep && !b->solved && b->rigid == NULL && b->impulses != NULL && motion->has_tets &&
         pl_surface_motion_is_fine(motion);
}

bool pl_soft_is_pair(const pl_contact_detection *d, int32_t a, int32_t b) {
  return d->has_soft && is_soft(d, a) && is_soft(d, b) && !pl_contact_is_dented(&d->bodies[a], &d->bodies[b]);
}

void pl_soft_begin(pl_contact_memory *memory) {
  memset(memory->hit_counts, 0, (size_t)memory->body_count * sizeof *memory->hit_counts);
  memory->soft_row_count = 0;
}

pl_soft_list pl_soft_list_of(const pl_contact_memory *memory, int32_t body) {
  int32_t first = memory->point_start[body], points = memory->point_start[body + 1] - first;
  return (pl_soft_list){&memory->hits[(size_t)first * PL_SOFT_HITS_PER_POINT], memory->hit_counts[body],
                        points * PL_SOFT_HITS_PER_POINT};
}

void pl_soft_list_commit(pl_contact_memory *memory, int32_t body, const pl_soft_list *list, int32_t first, int32_t axis,
                         int32_t own) {
  int side = axis / PL_PAIR_AXES == own ? 0 : 1;
  memory->axis_hits[2 * axis + side] =
      (pl_pair_range){memory->point_start[body] * PL_SOFT_HITS_PER_POINT + first, list->count - first};
  memory->hit_counts[body] = list->count;
}

int32_t pl_soft_list_pairs(pl_contact_memory *memory) {
  int32_t count = 0;
  for (int32_t body = 0; body < memory->body_count; ++body) {
    if (!memory->presences[body].is_searched) continue;
    for (int32_t i = 0; i < memory->axis_counts[body]; ++i) {
      int32_t axis = body * PL_PAIR_AXES + i;
      int32_t hits = memory->axis_hits[2 * axis].count + memory->axis_hits[2 * axis + 1].count;
      if (memory->axes[axis].is_soft && hits > 0)
        memory->soft_pairs[count++] = (pl_soft_pair){body, memory->axes[axis].other, axis, hits, -1};
    }
  }
  return count;
}

// --- rows

static pl_soft_builder builder_of(const pl_soft_solution *s, const pl_soft_side *side) {
  const pl_contact_body *own = &s->bodies[side->own], *other = &s->bodies[side->other];
  pl_soft_builder b = {.tree = s->memory->motions[side->other].tree,
                       .own = own,
                       .other = other,
                       .last = pl_contact_cache_last(own),
                       .partner = pl_contact_cache_partner(other),
                       .scale = pl_contact_scale_of(s->step),
                       .step = s->step->step,
                       .gap = own->radius + other->radius,
                       .friction = sqrt(own->friction * other->friction),
                       .restitution = pl_larger(own->restitution, other->restitution)};
  const pl_contact_rule *rule = pl_contact_rules_find(s->rules, side->own, side->other);
  if (rule != NULL && rule->friction >= 0) b.friction = rule->friction;
  if (rule != NULL && rule->restitution >= 0) b.restitution = rule->restitution;
  return b;
}

// What rows read of a particle.
static void fetch_particle(const pl_contact_body *body, int32_t particle) {
  __builtin_prefetch(&body->starts[particle]);
  __builtin_prefetch(&body->positions[particle]);
  __builtin_prefetch(&body->velocities[particle]);
  if (body->start_velocities != NULL) __builtin_prefetch(&body->start_velocities[particle]);
}

void pl_soft_fetch(const pl_soft_solution *s, int32_t number) {
  const pl_contact_memory *memory = s->memory;
  const pl_contact_pair *pair = &memory->plan.pairs[number];
  for (int k = 0; k < 2; ++k) {
    const pl_contact_body *own = &s->bodies[k == 0 ? pair->a : pair->b],
                          *other = &s->bodies[k == 0 ? pair->b : pair->a];
    const pl_contact_impulse *last = pl_contact_cache_last(own);
    pl_pair_range hits = memory->axis_hits[2 * pair->axis + k];
    for (const pl_soft_hit *hit = &memory->hits[hits.first]; hit < &memory->hits[hits.first + hits.count]; ++hit) {
      __builtin_prefetch(&last[(size_t)hit->point * PL_IMPULSES_PER_POINT]);
      fetch_particle(own, own->surface->parents[4 * (size_t)hit->point]);
      int32_t triangle = pl_contact_spot_triangle(hit->spot);
      if (triangle >= other->surface->triangle_count) continue;
      const int32_t *corners = &other->surface->tet_map->triangle_particles[3 * (size_t)triangle];
      for (int c = 0; c < 3; ++c) fetch_particle(other, corners[c]);
    }
  }
}

void pl_soft_build(const pl_soft_solution *s, int32_t number) {
  pl_contact_memory *memory = s->memory;
  pl_contact_pair *pair = &memory->plan.pairs[number];
  for (int k = 0; k < 2; ++k) {
    pl_pair_range hits = memory->axis_hits[2 * pair->axis + k];
    pl_soft_side side = pl_soft_side_of(pair, k);
    pl_soft_builder b = builder_of(s, &side);
    b.pair = number;
    pair->side_rows[k] = (uint16_t)s->kernels->build(&b, &memory->hits[hits.first], hits.count,
                                                     &memory->soft_rows[side.first], &memory->soft_notes[side.first]);
  }
}

// --- sweeps

static pl_soft_velocities velocities_of(const pl_soft_solution *s, const pl_soft_side *side) {
  const pl_contact_body *own = &s->bodies[side->own], *other = &s->bodies[side->other];
  return (pl_soft_velocities){own->velocities, other->velocities, own->inverse_masses, other->inverse_masses};
}

void pl_soft_start(const pl_soft_solution *s, const pl_contact_pair *pair) {
  for (int k = 0; k < 2; ++k) {
    pl_soft_side side = pl_soft_side_of(pair, k);
    pl_soft_velocities v = velocities_of(s, &side);
    s->kernels->start(&v, &s->memory->soft_rows[side.first], side.end - side.first);
  }
}

void pl_soft_sweep(const pl_soft_solution *s, const pl_contact_pair *pair, bool corrects, bool notes) {
  for (int k = 0; k < 2; ++k) {
    pl_soft_side side = pl_soft_side_of(pair, k);
    pl_soft_velocities v = velocities_of(s, &side);
    s->kernels->sweep(&v, &s->memory->soft_rows[side.first], side.end - side.first, corrects,
                      notes ? &s->memory->soft_notes[side.first] : NULL);
  }
}

// --- ahead of their use

static void fetch_row(const pl_soft_row *row, const pl_vec3 *own, const pl_vec3 *other) {
  __builtin_prefetch(&own[row->particles[0]]);
  for (int k = 1; k < 4; ++k) __builtin_prefetch(&other[row->particles[k]]);
}

void pl_soft_fetch_velocities(const pl_soft_solution *s, const pl_contact_pair *pair) {
  if (pair->axis < 0) return;
  for (int k = 0; k < 2; ++k) {
    pl_soft_side side = pl_soft_side_of(pair, k);
    const pl_vec3 *own = s->bodies[side.own].velocities, *other = s->bodies[side.other].velocities;
    for (int32_t i = side.first; i < side.end; ++i) fetch_row(&s->memory->soft_rows[i], own, other);
  }
}

void pl_soft_fetch_ends(const pl_contact_memory *memory, const pl_contact_body *bodies, const pl_contact_pair *pair) {
  if (pair->axis < 0) return;
  for (int k = 0; k < 2; ++k) {
    pl_soft_side side = pl_soft_side_of(pair, k);
    const pl_contact_body *own = &bodies[side.own], *other = &bodies[side.other];
    for (int32_t i = side.first; i < side.end; ++i) {
      fetch_row(&memory->soft_rows[i], own->starts, other->starts);
      fetch_row(&memory->soft_rows[i], own->positions, other->positions);
    }
  }
}

void pl_soft_fetch_slots(const pl_soft_solution *s, const pl_contact_pair *pair) {
  if (pair->axis < 0) return;
  for (int k = 0; k < 2; ++k) {
    pl_soft_side side = pl_soft_side_of(pair, k);
    const pl_contact_body *own = &s->bodies[side.own], *other = &s->bodies[side.other];
    const int32_t *triangles = other->surface->triangles;
    __builtin_prefetch(own->impulse_mask, 1);
    __builtin_prefetch(own->press_mask, 1);
    for (int32_t i = side.first; i < side.end; ++i) {
      const pl_soft_note *note = &s->memory->soft_notes[i];
      __builtin_prefetch(&own->impulses[(size_t)note->point * PL_IMPULSES_PER_POINT], 1);
      if (own->presses != NULL) __builtin_prefetch(&own->presses[note->point], 1);
      const int32_t *corners = &triangles[3 * (size_t)pl_contact_spot_triangle(note->spot)];
      for (int c = 0; c < 3 && other->presses != NULL; ++c) __builtin_prefetch(&other->presses[corners[c]], 1);
    }
  }
}

// --- after the sweeps

void pl_soft_store(const pl_soft_solution *s, const pl_contact_pair *pair) {
  for (int k = 0; k < 2; ++k) {
    pl_soft_side side = pl_soft_side_of(pair, k);
    const pl_contact_body *own = &s->bodies[side.own];
    uint32_t partner = pl_contact_cache_partner(&s->bodies[side.other]);
    for (int32_t i = side.first; i < side.end; ++i) {
      const pl_soft_row *row = &s->memory->soft_rows[i];
      const pl_soft_note *note = &s->memory->soft_notes[i];
      // A place that the next step may use is kept without an impulse too.
      bool is_kept = pl_contact_spot_get_uses(note->spot) > 0;
      if (!(row->normal_impulse > 0) && !is_kept) continue;
      pl_contact_impulse kept = {partner, note->spot, {0, 0, 0}};
      if (row->normal_impulse > 0) {
        pl_vec3 impulse = pl_soft_impulse(row);
        kept.impulse[0] = (float)impulse.x, kept.impulse[1] = (float)impulse.y, kept.impulse[2] = (float)impulse.z;
      }
      pl_contact_cache_store_point(own, note->point, &kept);
      if (own->has_impulses != NULL) *own->has_impulses = true;
    }
  }
}

int32_t pl_soft_list_rows(pl_contact_memory *memory) {
  int32_t count = 0;
  for (int32_t p = 0; p < memory->plan.pair_count; ++p)
    for (int k = 0; k < 2 && memory->plan.pairs[p].axis >= 0; ++k) {
      pl_soft_side side = pl_soft_side_of(&memory->plan.pairs[p], k);
      for (int32_t i = side.first; i < side.end; ++i) memory->listed_rows[count++] = i;
    }
  return count;
}

pl_contact pl_soft_contact(const pl_contact_memory *memory, int32_t number) {
  int32_t index = memory->listed_rows[number];
  const pl_soft_row *row = &memory->soft_rows[index];
  const pl_soft_note *note = &memory->soft_notes[index];
  const pl_contact_pair *pair = &memory->plan.pairs[note->pair];
  pl_soft_side side = pl_soft_side_of(pair, 0);
  if (index >= side.end) side = pl_soft_side_of(pair, 1);
  pl_contact_place place = pl_contact_spot_place(note->spot);
  const int32_t *corners = &memory->motions[side.other].tree->surface->triangles[3 * (size_t)place.triangle];
  return (pl_contact){.a = {side.own, 1, {note->point}, {1}},
                      .b = {side.other,
                            3,
                            {corners[0], corners[1], corners[2]},
                            {place.weights[0], place.weights[1], place.weights[2]}},
                      .collider = -1,
                      .normal = pl_vec3_of_floats(row->normal),
                      .depth = (double)note->depth,
                      .friction = (double)row->friction,
                      .restitution = (double)row->restitution};
}
