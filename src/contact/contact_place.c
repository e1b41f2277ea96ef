// Where surfaces and colliders are at both ends of the step, and what is near what.
//
// A body asleep is placed once, in its first step asleep. After that it costs nothing until something that moves comes
// near. A small body that nothing is near is not placed at all.
#include "base/parallel.h"
#include "contact/contact_cache.h"
#include "contact/contact_detect.h"
#include "contact/contact_faces.h"
#include "contact/pair_axis.h"
#include "pliant/math.h"

// Tasks are this many blocks.
enum { BLOCK_GRAIN = 16 };

// List the blocks of a body for the next pass.
static int32_t list_blocks(pl_contact_memory *memory, int32_t body, int32_t count) {
  for (int32_t b = memory->block_start[body]; b < memory->block_start[body + 1]; ++b)
    memory->listed_blocks[count++] = b;
  return count;
}

// Surface points of a block at both ends of the step, and what is around them. What sleeps does not move.
static void place_block(const pl_contact_detection *d, pl_contact_block *block) {
  const pl_contact_body *body = &d->bodies[block->body];
  pl_surface_motion *motion = &d->memory->motions[block->body];
  const pl_vec3 *starts = body->asleep ? body->positions : body->starts;
  block->start_box = block->end_box = pl_box_empty();
  block->moved = pl_vec3_of(0, 0, 0);
  for (int32_t i = block->first; i < block->first + block->count; ++i) {
    int32_t point = motion->tree->point_order[i];
    pl_vec3 p = pl_contact_surface_point(body->surface, point, starts);
    pl_vec3 q = pl_contact_surface_point(body->surface, point, body->positions);
    motion->starts[point] = p;
    motion->ends[point] = q;
    pl_box_cover(&block->start_box, p);
    pl_box_cover(&block->end_box, q);
    block->moved = pl_vec3_add(block->moved, pl_vec3_sub(q, p));
  }
}

void pl_contact_bound_block(const pl_contact_memory *memory, pl_contact_block *block) {
  const pl_surface_motion *motion = &memory->motions[block->body];
  block->start_box = block->end_box = pl_box_empty();
  for (int32_t i = block->first; i < block->first + block->count; ++i) {
    int32_t point = motion->tree->point_order[i];
    pl_box_cover(&block->start_box, motion->starts[point]);
    pl_box_cover(&block->end_box, motion->ends[point]);
  }
}

static void place_points(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const pl_contact_detection *d = data;
  for (int32_t b = begin; b < end; ++b) place_block(d, &d->memory->blocks[d->memory->listed_blocks[b]]);
}

bool pl_contact_is_small(const pl_contact_memory *memory, int32_t body) {
  return memory->motions[body].lane_block_count > 0;
}

// Is a body placed only when something is near it?
static bool is_bounded(const pl_contact_detection *d, int32_t body) {
  return d->bodies[body].extents != NULL && !d->bodies[body].asleep && pl_contact_is_small(d->memory, body);
}

// The points of a body whose boxes are known. Those of its blocks are found where something asks for them: small bodies
// among others alone do without.
static void place_small(const pl_contact_detection *d, int32_t body) {
  const pl_contact_body *from = &d->bodies[body];
  pl_surface_motion *motion = &d->memory->motions[body];
  // In a heap of a thousand bodies these are not in the cache, and the order of points is not theirs.
  pl_contact_fetch_particles(from->starts, from->surface->particle_count);
  pl_contact_fetch_particles(from->positions, from->surface->particle_count);
  for (int32_t i = 0; i < from->surface->point_count; ++i) {
    motion->starts[i] = pl_contact_surface_point(from->surface, i, from->starts);
    motion->ends[i] = pl_contact_surface_point(from->surface, i, from->positions);
  }
  atomic_store_explicit(&d->memory->presences[body].has_points, true, memory_order_release);
}

void pl_contact_need_points(const pl_contact_detection *d, int32_t body) {
  pl_contact_presence *presence = &d->memory->presences[body];
  if (atomic_load_explicit(&presence->has_points, memory_order_acquire)) return;
  while (atomic_flag_test_and_set_explicit(&presence->lock, memory_order_acquire)) continue;
  if (!atomic_load_explicit(&presence->has_points, memory_order_relaxed)) place_small(d, body);
  atomic_flag_clear_explicit(&presence->lock, memory_order_release);
}

// Box and drift of a body, from those of its blocks.
static void place_body(const pl_contact_detection *d, int32_t body) {
  pl_contact_memory *memory = d->memory;
  pl_surface_motion *motion = &memory->motions[body];
  motion->start_box = motion->end_box = pl_box_empty();
  motion->drift = pl_vec3_of(0, 0, 0);
  for (int32_t b = memory->block_start[body]; b < memory->block_start[body + 1]; ++b) {
    pl_box_cover_box(&motion->start_box, &memory->blocks[b].start_box);
    pl_box_cover_box(&motion->end_box, &memory->blocks[b].end_box);
    motion->drift = pl_vec3_add(motion->drift, memory->blocks[b].moved);
  }
  motion->drift = pl_vec3_scale(motion->drift, 1.0 / motion->tree->surface->point_count);
  // Any frame is right; one that is not a number would hide the body.
  if (!pl_vec3_is_finite(motion->drift)) motion->drift = pl_vec3_of(0, 0, 0);
  memory->presences[body].is_placed = true;
  atomic_store_explicit(&memory->presences[body].has_points, true, memory_order_relaxed);
  atomic_store_explicit(&memory->presences[body].has_lanes, false, memory_order_relaxed);
}

// The same from the boxes around its particles, which hold the surface too. Its points are placed when they are asked
// for: contacts that are used again do without.
void pl_contact_place_boxes(const pl_contact_detection *d, int32_t body) {
  pl_surface_motion *motion = &d->memory->motions[body];
  const pl_contact_extent *extents = d->bodies[body].extents;
  motion->start_box = extents[0].box;
  motion->end_box = extents[1].box;
  motion->drift = pl_vec3_sub(extents[1].mean, extents[0].mean);
  if (!pl_vec3_is_finite(motion->drift)) motion->drift = pl_vec3_of(0, 0, 0);
  d->memory->presences[body].is_placed = true;
  atomic_store_explicit(&d->memory->presences[body].has_points, false, memory_order_relaxed);
  atomic_store_explicit(&d->memory->presences[body].has_lanes, false, memory_order_relaxed);
}

// What the mean of a body's points moves by, before or after it is placed.
static pl_vec3 drift_of(const pl_contact_detection *d, int32_t body) {
  if (!is_bounded(d, body)) return d->memory->motions[body].drift;
  const pl_contact_extent *extents = d->bodies[body].extents;
  return pl_vec3_sub(extents[1].mean, extents[0].mean);
}

// What a body passes through, for the tree of all things. Particles carry the surface, so that the box around them
// holds it too: a small body whose box is known is placed when something is near.
static void bound_bodies(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const pl_contact_detection *d = data;
  pl_contact_memory *memory = d->memory;
  for (int32_t i = begin; i < end; ++i) {
    int32_t body = memory->listed_bodies[i];
    const pl_surface_motion *motion = &memory->motions[body];
    const pl_contact_extent *extents = d->bodies[body].extents;
    bool is_known = is_bounded(d, body);
    memory->presences[body].is_placed = false;
    memory->presences[body].partner = pl_contact_cache_partner(&d->bodies[body]);
    if (!is_known) place_body(d, body);
    memory->presences[body].is_calm = is_known && pl_contact_is_calm_way(memory, body, drift_of(d, body));
    pl_box path =
        is_known ? pl_box_merge(extents[0].box, extents[1].box) : pl_box_merge(motion->start_box, motion->end_box);
    // Two boxes with half the margin each meet where their bodies are no farther apart than the margin.
    memory->item_boxes[body] = pl_box_expand(path, d->bodies[body].radius + 0.5 * d->scale.margin);
  }
}

// May something of a body, between these boxes in the course of the step, touch another body?
bool pl_contact_may_touch(const pl_contact_detection *d, int32_t body, pl_box start, pl_box end, int32_t other) {
  if (other == body || (d->bodies[body].asleep && d->bodies[other].asleep) ||
      !pl_contact_may_meet(d->pairs, body, d->bodies[body].filter, other, d->bodies[other].filter))
    return false;
  if (d->bodies[body].spares_bodies || d->bodies[other].spares_bodies) return false;
  if (d->bodies[body].is_kinematic && d->bodies[other].is_kinematic) return false;
  if (pl_contact_is_spared(&d->bodies[body], body < other ? body : other, body < other ? other : body)) return false;
  const pl_surface_motion *motion = &d->memory->motions[other];
  double keep_away = d->bodies[body].radius + d->bodies[other].radius + d->scale.margin;
  pl_box box = pl_box_expand(pl_surface_motion_frame_box(motion, start, end), keep_away);
  return pl_box_overlaps(box, pl_surface_motion_frame_box(motion, motion->start_box, motion->end_box));
}

// May a body reach a half-space? In the frame of one that moves, a path is lowest at one of its ends.
static bool is_near_half_space(const pl_contact_detection *d, int32_t body) {
  const pl_contact_memory *memory = d->memory;
  const pl_box *box = &memory->item_boxes[body];
  for (int32_t i = 0; i < memory->endless_count && !d->bodies[body].spares_colliders; ++i) {
    const pl_collider_step *step = &memory->collider_steps[memory->endless_colliders[i]];
    // Written so that a box that is not a number is near.
    pl_half_space start = pl_half_space_of(step->start), end = pl_half_space_of(step->end);
    if (!(fmin(pl_half_space_box_height(&start, box), pl_half_space_box_height(&end, box)) > d->scale.margin))
      return true;
  }
  return false;
}

static void write_points(const pl_contact_detection *d, int32_t body) {
  if (d->bodies[body].write_points != NULL) d->bodies[body].write_points(d->bodies[body].write_data);
}

// Write the points of a body that something is near. Where all pairs are searched its lanes are filled while they are
// in the cache; in other steps most bodies do without.
static void place_near(const pl_contact_detection *d, int32_t body) {
  write_points(d, body);
  pl_contact_place_boxes(d, body);
  if (d->phase == 0 && d->memory->presences[body].is_near_body) pl_contact_need_lanes(d, body);
}

// May a body be resolved at once, by what is near it?
static bool may_be_lone(const pl_contact_detection *d, int32_t body) {
  const pl_contact_body *b = &d->bodies[body];
  const pl_contact_presence *presence = &d->memory->presences[body];
  return d->has_lone && b->may_be_lone && is_bounded(d, body) && !presence->is_near_body && !presence->is_near_faces &&
         presence->is_fine && b->rigid == NULL && !b->self_contact && !b->solved;
}

// A body that is awake is near another.
static void meet_body(const pl_contact_detection *d, int32_t body, int32_t other) {
  pl_contact_presence *presence = &d->memory->presences[body];
  if (!pl_contact_is_small(d->memory, other)) presence->is_near_large = true;
  if (d->has_lone && !presence->is_near_fast)
    presence->is_near_fast = !pl_contact_is_tet_way(d->memory, body, other, drift_of(d, body), drift_of(d, other));
  if (d->bodies[other].asleep)
    atomic_store_explicit(&d->memory->presences[other].is_disturbed, true, memory_order_relaxed);
}

// A body is near a collider: may its faces touch it?
static void meet_collider(const pl_contact_detection *d, int32_t body, int32_t collider) {
  if (!pl_contact_may_meet_faces(d, body, &d->memory->item_boxes[body], collider)) return;
  d->memory->presences[body].is_near_faces = true;
  atomic_store_explicit(&d->memory->collider_steps[collider].is_asked, true, memory_order_relaxed);
}

// A body that is awake: is there anything near it? Then its points are placed, and sleepers nearby learn of it.
static void find_near(const pl_contact_detection *d, int32_t body) {
  pl_contact_memory *memory = d->memory;
  pl_contact_presence *presence = &memory->presences[body];
  presence->is_near_plane = is_near_half_space(d, body);
  presence->is_searched = d->bodies[body].self_contact || presence->is_near_plane;
  presence->is_near_large = presence->is_near_body = presence->is_near_fast = false;
  int32_t *items = &memory->near_items[(size_t)body * PL_CONTACT_NEAR], count = 0;
  pl_broad_walk walk = pl_broad_phase_begin(&memory->broad, memory->item_boxes[body]);
  for (int32_t item; (item = pl_broad_phase_next(&walk)) >= 0;) {
    if (item == body) continue;
    presence->is_searched = true;
    if (item >= memory->body_count) {
      presence->is_near_large = true;
      meet_collider(d, body, item - memory->body_count);
      continue;
    }
    presence->is_near_body = true;
    if (item > body && count++ < PL_CONTACT_NEAR) items[count - 1] = item;
    // Of most pairs this is all there is to know.
    if (!presence->is_calm || !memory->presences[item].is_calm) meet_body(d, body, item);
  }
  memory->near_counts[body] = count;
  // One that touched something in the last step and is near nothing now: the world has not noted how it moves, so that
  // what follows looks at its points. They may be those of an earlier step, where it was resolved at once.
  if (!presence->is_placed && !presence->is_searched && !(d->bodies[body].max_deviation > 0)) write_points(d, body);
  if (presence->is_placed || !presence->is_searched) return;
  presence->is_lone = may_be_lone(d, body);
  if (!presence->is_lone) place_near(d, body);
}

static void find_near_bodies(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const pl_contact_detection *d = data;
  for (int32_t i = begin; i < end; ++i)
    if (!d->bodies[d->memory->listed_bodies[i]].asleep) find_near(d, d->memory->listed_bodies[i]);
}

// The bodies that are resolved at once. Where surfaces are checked after resolution, which is known from what is near
// what, there are none: it looks at all bodies, and these have been left by then.
static void list_lone(const pl_contact_detection *d, int32_t body_count) {
  pl_contact_memory *memory = d->memory;
  bool is_checked = false;
  for (int32_t i = 0; i < body_count && !is_checked; ++i) {
    int32_t body = memory->listed_bodies[i];
    const pl_contact_presence *presence = &memory->presences[body];
    is_checked = presence->is_near_fast || (d->bodies[body].all_edges && presence->is_near_body);
  }
  for (int32_t i = 0; i < body_count; ++i) {
    int32_t body = memory->listed_bodies[i];
    pl_contact_presence *presence = &memory->presences[body];
    if (!presence->is_lone) continue;
    presence->is_lone = !is_checked;
    if (is_checked) {
      place_near(d, body);
      continue;
    }
    presence->is_searched = false;
    memory->axis_counts[body] = 0;
    memory->lone_bodies[memory->lone_count++] =
        (pl_lone_body){body, memory->point_start[body] * PL_CONTACTS_PER_POINT, 0};
  }
}

// May something that has no axis with this body touch it? Pairs of small bodies do without the hierarchy.
static bool needs_hierarchy(const pl_contact_detection *d, int32_t body) {
  const pl_contact_memory *memory = d->memory;
  if (d->bodies[body].self_contact || memory->presences[body].is_near_faces) return true;
  if (pl_contact_is_small(memory, body) && !memory->presences[body].is_near_large) return false;
  pl_broad_walk walk = pl_broad_phase_begin(&memory->broad, memory->item_boxes[body]);
  for (int32_t item; (item = pl_broad_phase_next(&walk)) >= 0;) {
    if (item == body || item >= memory->body_count || !memory->presences[item].is_placed) continue;
    if (pl_contact_is_small(memory, body) && pl_contact_is_small(memory, item)) continue;
    const pl_surface_motion *other = &memory->motions[item];
    if (pl_contact_may_touch(d, item, other->start_box, other->end_box, body)) return true;
  }
  return false;
}

// Its points are there.
static void fill_lanes(const pl_contact_detection *d, int32_t body) {
  pl_surface_motion *motion = &d->memory->motions[body];
  pl_surface_motion_fill_lanes(motion);
  if (motion->extents != NULL) pl_pair_axis_fill_extents(motion);
  atomic_store_explicit(&d->memory->presences[body].has_lanes, true, memory_order_release);
}

void pl_contact_need_lanes(const pl_contact_detection *d, int32_t body) {
  pl_contact_presence *presence = &d->memory->presences[body];
  if (atomic_load_explicit(&presence->has_lanes, memory_order_acquire)) return;
  pl_contact_need_points(d, body);
  while (atomic_flag_test_and_set_explicit(&presence->lock, memory_order_acquire)) continue;
  if (!atomic_load_explicit(&presence->has_lanes, memory_order_relaxed)) fill_lanes(d, body);
  atomic_flag_clear_explicit(&presence->lock, memory_order_release);
}

// A body that is awake: its hierarchy, if something may touch it.
static void refit_body(const pl_contact_detection *d, int32_t body) {
  pl_contact_presence *presence = &d->memory->presences[body];
  if (!presence->is_placed) return;
  presence->has_normals = needs_hierarchy(d, body);
  if (presence->has_normals) pl_contact_need_points(d, body);
  if (presence->has_normals) pl_surface_motion_refit(&d->memory->motions[body]);
}

// Hierarchies of the bodies that something may touch; of all that just fell asleep, since they keep theirs.
static void refit_bodies(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const pl_contact_detection *d = data;
  for (int32_t i = begin; i < end; ++i) {
    int32_t body = d->memory->listed_bodies[i];
    pl_surface_motion *motion = &d->memory->motions[body];
    if (d->bodies[body].asleep) {
      d->memory->presences[body].is_near_plane = true;
      d->memory->presences[body].is_near_large = d->memory->presences[body].has_normals = true;
      pl_surface_motion_refit(motion);
      fill_lanes(d, body);
    } else {
      refit_body(d, body);
    }
    if (d->bodies[body].self_contact && !d->bodies[body].asleep) pl_surface_motion_refit_normals(motion);
  }
}

// Colliders that move disturb sleepers too.
static void disturb_sleepers(const pl_contact_detection *d) {
  pl_contact_memory *memory = d->memory;
  for (int32_t c = 0; c < memory->collider_count; ++c) {
    if (!memory->collider_steps[c].is_moving) continue;
    pl_broad_walk walk =
        pl_broad_phase_begin(&memory->broad, pl_box_expand(memory->collider_steps[c].box, 0.5 * d->scale.margin));
    for (int32_t item; (item = pl_broad_phase_next(&walk)) >= 0;)
      if (item < memory->body_count && d->bodies[item].asleep) {
        atomic_store_explicit(&memory->presences[item].is_disturbed, true, memory_order_relaxed);
        meet_collider(d, item, c);
      }
  }
}

void pl_contact_place_colliders(const pl_contact_detection *d, const pl_collider *const *colliders,
                                const pl_contact_step *step) {
  pl_contact_memory *memory = d->memory;
  memory->endless_count = 0;
  for (int32_t c = 0; c < memory->collider_count; ++c) {
    const pl_collider *collider = colliders[c];
    pl_collider_step *s = &memory->collider_steps[c];
    s->collider = collider;
    atomic_store_explicit(&s->is_asked, false, memory_order_relaxed);
    pl_collider_motion(collider, step->time, step->step, &s->start, &s->end);
    s->is_moving = !pl_placement_is_same(&s->start, &s->end);
    s->box = pl_box_empty();
    s->box = pl_box_add_point(s->box, pl_transform_apply(s->start, collider->center));
    s->box = pl_box_add_point(s->box, pl_transform_apply(s->end, collider->center));
    s->box = pl_box_expand(s->box, collider->reach);
    // Where a half-space ends no tree can say.
    bool is_endless = !(collider->reach < HUGE_VAL);
    if (is_endless) memory->endless_colliders[memory->endless_count++] = c;
    memory->item_boxes[memory->body_count + c] =
        is_endless ? pl_box_empty() : pl_box_expand(s->box, 0.5 * d->scale.margin);
  }
}

// Bodies awake and those that just fell asleep: points, boxes and hierarchies of this step. Returns whether anything
// moves at all.
bool pl_contact_place_bodies(const pl_contact_detection *d, pl_context *context) {
  pl_contact_memory *memory = d->memory;
  int32_t block_count = 0, body_count = 0;
  bool is_moving = false;
  for (int32_t c = 0; c < memory->collider_count; ++c) is_moving = is_moving || memory->collider_steps[c].is_moving;
  for (int32_t body = 0; body < memory->body_count; ++body) {
    pl_contact_presence *presence = &memory->presences[body];
    presence->is_searched = presence->is_lone = presence->is_near_fast = presence->is_near_faces = false;
    presence->edge_contact_count = 0;
    atomic_store_explicit(&presence->is_disturbed, false, memory_order_relaxed);
    if (d->bodies[body].asleep && presence->is_at_rest) continue;
    presence->is_at_rest = d->bodies[body].asleep;
    is_moving = is_moving || !d->bodies[body].asleep;
    memory->listed_bodies[body_count++] = body;
    if (!is_bounded(d, body)) block_count = list_blocks(memory, body, block_count);
  }
  pl_parallel_for(context, block_count, BLOCK_GRAIN, place_points, (void *)d);
  int32_t grain = pl_contact_light_grain(body_count, PL_CONTACT_BODY_GRAIN);
  pl_parallel_for(context, body_count, grain, bound_bodies, (void *)d);
  if (is_moving) pl_broad_phase_build(&memory->broad, memory->item_boxes, memory->body_count + memory->collider_count);
  pl_parallel_for(context, body_count, PL_CONTACT_BODY_GRAIN, find_near_bodies, (void *)d);
  if (d->has_lone) list_lone(d, body_count);
  pl_parallel_for(context, body_count, grain, refit_bodies, (void *)d);
  if (is_moving) disturb_sleepers(d);
  return is_moving;
}
