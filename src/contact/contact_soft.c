// Hits and rows of pairs of soft bodies; what is done to single rows is in contact_soft_kernel.h.
#include "contact/contact_soft.h"

#include <string.h>

#include "base/parallel.h"
#include "contact/contact_cache.h"
#include "contact/contact_detect.h"
#include "contact/contact_soft_rows.h"
#include "pliant/math.h"

// --- search

enum { BODY_GRAIN = 16 };  // tasks are this many bodies

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

// Hits of an axis, of points of both bodies. Only pairs of this kind have any.
static int32_t count_hits(const pl_contact_memory *memory, int32_t axis) {
  return memory->axis_hits[2 * axis].count + memory->axis_hits[2 * axis + 1].count;
}

static void count_pairs(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  pl_contact_memory *memory = data;
  for (int32_t body = begin; body < end; ++body) {
    int32_t first = body * PL_PAIR_AXES, count = 0;
    int32_t axis_count = memory->presences[body].is_searched ? memory->axis_counts[body] : 0;
    for (int32_t axis = first; axis < first + axis_count; ++axis) count += count_hits(memory, axis) > 0;
    memory->soft_pair_start[body] = count;
  }
}

static void list_pairs(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  pl_contact_memory *memory = data;
  for (int32_t body = begin; body < end; ++body) {
    int32_t axis = body * PL_PAIR_AXES;
    for (int32_t i = memory->soft_pair_start[body]; i < memory->soft_pair_start[body + 1]; ++axis) {
      int32_t hits = count_hits(memory, axis);
      if (hits > 0) memory->soft_pairs[i++] = (pl_soft_pair){body, memory->axes[axis].other, axis, hits};
    }
  }
}

int32_t pl_soft_list_pairs(pl_contact_memory *memory, pl_context *context) {
  int32_t *start = memory->soft_pair_start, count = 0;
  pl_parallel_for(context, memory->body_count, BODY_GRAIN, count_pairs, memory);
  for (int32_t body = 0; body <= memory->body_count; ++body) {
    int32_t own = body < memory->body_count ? start[body] : 0;
    start[body] = count;
    count += own;
  }
  pl_parallel_for(context, memory->body_count, BODY_GRAIN, list_pairs, memory);
  return count;
}

// --- rows

// Points of the first body (side 0), or of the second.
static pl_soft_points points_of(const pl_soft_solution *s, const pl_contact_pair *pair, int side) {
  int32_t other_body = side == 0 ? pair->b : pair->a;
  const pl_contact_body *own = &s->bodies[side == 0 ? pair->a : pair->b], *other = &s->bodies[other_body];
  pl_pair_range hits = s->memory->axis_hits[2 * pair->axis + side];
  return (pl_soft_points){.tree = s->memory->motions[other_body].tree,
                          .own = own,
                          .other = other,
                          .last = pl_contact_cache_last(own),
                          .partner = pl_contact_cache_partner(other),
                          .hits = &s->memory->hits[hits.first],
                          .hit_count = hits.count};
}

static pl_soft_builder builder_of(const pl_soft_solution *s, const pl_contact_pair *pair) {
  const pl_contact_body *a = &s->bodies[pair->a], *b = &s->bodies[pair->b];
  pl_soft_builder builder = {.sides = {points_of(s, pair, 0), points_of(s, pair, 1)},
                             .scale = pl_contact_scale_of(s->step),
                             .step = s->step->step,
                             .gap = a->radius + b->radius,
                             .watched = pl_contact_scale_of(s->step).margin,
                             .friction = sqrt(a->friction * b->friction),
                             .restitution = pl_larger(a->restitution, b->restitution)};
  if (!s->memory->has_no_settle)
    builder.watched += pl_soft_watch(&s->memory->motions[pair->a], &s->memory->motions[pair->b]);
  const pl_contact_rule *rule = pl_contact_rules_find(s->rules, pair->a, pair->b);
  if (rule != NULL && rule->friction >= 0) builder.friction = rule->friction;
  if (rule != NULL && rule->restitution >= 0) builder.restitution = rule->restitution;
  return builder;
}

// The slots of a point, which lie across two lines of the cache.
static void fetch_slots(const pl_contact_impulse *slots, int32_t point) {
  const pl_contact_impulse *first = &slots[(size_t)point * PL_IMPULSES_PER_POINT];
  __builtin_prefetch(first);
  __builtin_prefetch(&first[PL_IMPULSES_PER_POINT - 1].impulse[2]);
}

// What rows read of a particle.
static void fetch_particle(const pl_contact_body *body, int32_t particle) {
  __builtin_prefetch(&body->starts[particle]);
  __builtin_prefetch(&body->positions[particle]);
  __builtin_prefetch(&body->velocities[particle]);
  if (body->start_velocities != NULL) __builtin_prefetch(&body->start_velocities[particle]);
}

void pl_soft_fetch_hits(const pl_contact_memory *memory, const pl_contact_pair *pair) {
  enum { LINE = 64 / sizeof(pl_soft_hit) };  // of the cache, in hits
  for (int k = 0; k < 2; ++k) {
    pl_pair_range hits = memory->axis_hits[2 * pair->axis + k];
    for (int32_t i = 0; i < hits.count; i += LINE) __builtin_prefetch(&memory->hits[hits.first + i]);
  }
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
      fetch_slots(last, hit->point);
      fetch_particle(own, own->surface->parents[4 * (size_t)hit->point]);
      int32_t triangle = pl_contact_spot_triangle(hit->spot);
      if (triangle >= other->surface->triangle_count) continue;
      const int32_t *corners = &other->surface->tet_map->triangle_particles[3 * (size_t)triangle];
      for (int c = 0; c < 3; ++c) fetch_particle(other, corners[c]);
    }
  }
}

void pl_soft_build(const pl_soft_solution *s, int32_t number) {
  pl_contact_pair *pair = &s->memory->plan.pairs[number];
  pl_soft_builder builder = builder_of(s, pair);
  int32_t counts[2];
  s->kernels->build(&builder, &s->memory->soft_rows[pair->first_row], &s->memory->soft_notes[pair->first_row], counts);
  for (int k = 0; k < 2; ++k) pair->side_rows[k] = (uint16_t)counts[k];
}

// --- ahead of their use

static void fetch_row(const pl_soft_row *row, const pl_vec3 *own, const pl_vec3 *other) {
  __builtin_prefetch(&own[row->particles[0]]);
  for (int k = 1; k < 4; ++k) __builtin_prefetch(&other[row->particles[k]]);
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
    const pl_contact_body *own = &s->bodies[side.own];
    __builtin_prefetch(own->impulse_mask, 1);
    for (int32_t i = side.first; i < side.end; ++i) {
      int32_t point = s->memory->soft_notes[i].point;
      __builtin_prefetch(&own->impulses[(size_t)point * PL_IMPULSES_PER_POINT], 1);
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

pl_contact pl_soft_contact(const pl_contact_memory *memory, const pl_soft_side *side, int32_t number, double *impulse) {
  const pl_soft_row *row = &memory->soft_rows[number];
  const pl_soft_note *note = &memory->soft_notes[number];
  pl_contact_place place = pl_contact_spot_place(note->spot);
  const int32_t *corners = &memory->motions[side->other].tree->surface->triangles[3 * (size_t)place.triangle];
  *impulse = pl_larger((double)row->normal_impulse + (double)note->rest_impulse, 0);
  return (pl_contact){.a = {side->own, 1, {note->point}, {1}},
                      .b = {side->other,
                            3,
                            {corners[0], corners[1], corners[2]},
                            {place.weights[0], place.weights[1], place.weights[2]}},
                      .collider = -1,
                      .normal = pl_vec3_of_floats(row->normal),
                      .depth = (double)note->depth,
                      .friction = (double)row->friction,
                      .restitution = (double)row->restitution};
}
