// Finding contacts: surfaces are placed at both ends of the step (contact_place.c), pairs that may meet get an axis,
// and then every surface point is searched on its own.
//
// Points are searched in parallel; each writes to slots of its own, which are afterwards moved together in the order of
// the points. So the list is the same for any number of threads, and since the slots of a point are sorted by what they
// touch, it does not depend on the order in which the broad phase names neighbours either.
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "contact/contact_detect.h"
#include "contact/contact_faces.h"
#include "contact/contact_lone.h"
#include "contact/contact_tangle.h"
#include "contact/pair_lanes.h"
#include "pliant/math.h"

// Tasks are this many blocks, or bodies.
enum { CHUNK_GRAIN = 1, EDGE_GRAIN = 2, KEPT_GRAIN = 8 };

pl_contact_scale pl_contact_scale_of(const pl_contact_step *step) {
  double speed = pl_vec3_length(step->gravity) * step->step, fall = speed * step->step;
  // The constants are for worlds without gravity, and for bodies that keep their positions in single precision.
  return (pl_contact_scale){.margin = 2 * fall + 1e-6, .slop = 0.25 * fall + 1e-7, .speed = 2 * speed + 1e-4};
}

static void find_all_axes(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const pl_contact_detection *d = data;
  for (int32_t i = begin; i < end; ++i) pl_contact_find_axes(d, d->memory->listed_bodies[i]);
}

// Where a body has too many neighbours, hierarchies are asked instead.
static void refit_searched(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const pl_contact_detection *d = data;
  for (int32_t i = begin; i < end; ++i) {
    pl_contact_need_points(d, d->memory->listed_bodies[i]);
    pl_surface_motion_refit(&d->memory->motions[d->memory->listed_bodies[i]]);
  }
}

// All points of a body, in their order, whose blocks are not looked at.
static void set_group_body(const pl_contact_detection *d, int32_t body, pl_contact_group *group) {
  size_t first_point = (size_t)d->memory->point_start[body];
  group->body = body;
  group->contact_counts = &d->memory->contact_counts[first_point];
  group->contacts = &d->memory->contacts[first_point * PL_CONTACTS_PER_POINT];
}

static pl_contact_group group_of_body(const pl_contact_detection *d, int32_t body) {
  pl_contact_group group = {
      .bodies = d->bodies,
      .motions = d->memory->motions,
      .step = d->step,
      .scale = d->scale,
      .watches = !d->memory->has_no_settle,
      .spot_uses = pl_contact_spot_uses(d->phase),
  };
  set_group_body(d, body, &group);
  return group;
}

static pl_contact_group group_of(const pl_contact_detection *d, const pl_contact_block *block) {
  pl_contact_group group = group_of_body(d, block->body);
  group.count = block->count;
  group.points = &d->memory->motions[block->body].tree->point_order[block->first];
  group.start_box = block->start_box;
  group.end_box = block->end_box;
  return group;
}

// Are points of a pair looked up in tets in this step?
static bool is_searched_in_tets(const pl_contact_neighbour *neighbour) {
  return neighbour->is_in_tets && !neighbour->is_kept;
}

// May a body, whose path is in the box, touch a collider?
static bool may_touch_collider(const pl_contact_detection *d, int32_t body, const pl_box *path, int32_t collider) {
  const pl_collider_step *step = &d->memory->collider_steps[collider];
  if (d->bodies[body].spares_colliders || (d->bodies[body].asleep && !step->is_moving)) return false;
  if (!pl_contact_may_meet(d->pairs, d->first_body + body, d->bodies[body].filter, ~collider, step->collider->filter))
    return false;
  return pl_box_overlaps(*path, step->box);
}

static void find_collider(const pl_contact_detection *d, const pl_contact_group *groups, int32_t group_count,
                          const pl_box *path, int32_t collider) {
  pl_distance_anchor anchor = {.is_set = false};
  if (!may_touch_collider(d, groups[0].body, path, collider)) return;
  for (int32_t g = 0; g < group_count; ++g)
    pl_contact_find_collider(&groups[g], &d->memory->collider_steps[collider], collider, &anchor);
}

// Is there anything near a body that is not searched by an axis?
static bool asks_tree(const pl_contact_memory *memory, int32_t body) {
  return memory->presences[body].is_near_large || !pl_contact_is_small(memory, body) ||
         atomic_load_explicit(&memory->has_many_pairs, memory_order_relaxed);
}

// Is a body searched for nothing but its axes and half-spaces?
static bool has_axes_alone(const pl_contact_detection *d, int32_t body) {
  return !d->bodies[body].asleep && !asks_tree(d->memory, body) && !d->bodies[body].self_contact;
}

// Begin the search of consecutive blocks of a body. Returns how many there are.
static int32_t begin_groups(const pl_contact_detection *d, int32_t first, pl_contact_group groups[PL_CONTACT_GROUPS]) {
  const pl_contact_memory *memory = d->memory;
  int32_t body = memory->blocks[first].body, end = memory->block_start[body + 1], count = 0;
  for (; count < PL_CONTACT_GROUPS && first + count < end; ++count) {
    // Otherwise that was done when the body was placed.
    if (d->bodies[body].extents != NULL) pl_contact_bound_block(memory, &memory->blocks[first + count]);
    groups[count] = group_of(d, &memory->blocks[first + count]);
    for (int32_t k = 0; k < groups[count].count; ++k) groups[count].contact_counts[groups[count].points[k]] = 0;
  }
  return count;
}

// What the points of some groups pass through.
static pl_box path_of(const pl_contact_detection *d, int32_t body, pl_box start, pl_box end) {
  return pl_box_expand(pl_box_merge(start, end), d->bodies[body].radius + d->scale.margin);
}

static void cover_groups(const pl_contact_group *groups, int32_t group_count, pl_box *start, pl_box *end) {
  *start = *end = pl_box_empty();
  for (int32_t g = 0; g < group_count; ++g) {
    pl_box_cover_box(start, &groups[g].start_box);
    pl_box_cover_box(end, &groups[g].end_box);
  }
}

void pl_contact_find_colliders(const pl_contact_detection *d, int32_t body, const pl_broad_phase *broad,
                               int32_t body_count) {
  const pl_contact_memory *memory = d->memory;
  pl_contact_group groups[PL_CONTACT_GROUPS];
  for (int32_t b = memory->block_start[body], count; b < memory->block_start[body + 1]; b += count) {
    count = begin_groups(d, b, groups);
    pl_box start, end;
    cover_groups(groups, count, &start, &end);
    pl_box path = path_of(d, body, start, end);
    for (int32_t i = 0; memory->presences[body].is_near_plane && i < memory->endless_count; ++i)
      find_collider(d, groups, count, &path, memory->endless_colliders[i]);
    if (!memory->presences[body].is_near_large) continue;
    pl_broad_walk walk = pl_broad_phase_begin(broad, path);
    for (int32_t item; (item = pl_broad_phase_next(&walk)) >= 0;)
      if (item >= body_count) find_collider(d, groups, count, &path, item - body_count);
  }
}

// Consecutive blocks of one body against everything, one thing after the other: each position asked for is close to the
// one before. What the boxes of all blocks rule out is not asked for any of them, what a block's box rules out not for
// its points.
static void find_in_blocks(const pl_contact_detection *d, const pl_contact_group *groups, int32_t group_count) {
  const pl_contact_memory *memory = d->memory;
  int32_t body = groups[0].body;
  pl_box start, end;
  cover_groups(groups, group_count, &start, &end);
  pl_box path = path_of(d, body, start, end);
  for (int32_t i = 0; memory->presences[body].is_near_plane && i < memory->endless_count; ++i)
    find_collider(d, groups, group_count, &path, memory->endless_colliders[i]);
  pl_broad_walk walk =
      asks_tree(memory, body) ? pl_broad_phase_begin(&memory->broad, path) : pl_broad_phase_skip(&memory->broad);
  for (int32_t item; (item = pl_broad_phase_next(&walk)) >= 0;) {
    if (item >= memory->body_count) {
      find_collider(d, groups, group_count, &path, item - memory->body_count);
      continue;
    }
    pl_distance_anchor anchor = {.is_set = false};
    if (!memory->presences[item].is_placed || !pl_contact_may_touch(d, body, start, end, item)) continue;
    if (pl_contact_has_axis(memory, body, item)) continue;
    for (int32_t g = 0; g < group_count; ++g)
      if (pl_contact_may_touch(d, body, groups[g].start_box, groups[g].end_box, item))
        pl_contact_find_body(&groups[g], item, &anchor);
  }
  bool meets_itself = d->bodies[body].self_contact && !d->bodies[body].asleep;
  for (int32_t g = 0; meets_itself && g < group_count; ++g) pl_contact_find_self(&groups[g]);
}

// All blocks of a body that is searched for half-spaces alone, whose points need not be placed for that.
static void find_half_spaces(const pl_contact_detection *d, int32_t body) {
  const pl_contact_memory *memory = d->memory;
  const pl_surface_motion *motion = &memory->motions[body];
  pl_contact_group group = group_of_body(d, body);
  memset(group.contact_counts, 0, (size_t)motion->tree->surface->point_count * sizeof *group.contact_counts);
  if (!memory->presences[body].is_near_plane) return;
  pl_box path = path_of(d, body, motion->start_box, motion->end_box);
  for (int32_t i = 0; i < memory->endless_count; ++i) {
    int32_t collider = memory->endless_colliders[i];
    if (may_touch_collider(d, body, &path, collider))
      pl_contact_find_half_space(&group, &memory->collider_steps[collider], collider);
  }
}

static void find_contacts(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const pl_contact_detection *d = data;
  const pl_contact_memory *memory = d->memory;
  pl_contact_group groups[PL_CONTACT_GROUPS];
  for (int32_t i = begin; i < end; ++i) {
    int32_t first = memory->listed_blocks[i], body = memory->blocks[first].body;
    if (has_axes_alone(d, body)) {
      if (first == memory->block_start[body]) find_half_spaces(d, body);
      continue;
    }
    pl_contact_need_points(d, body);
    int32_t count = begin_groups(d, first, groups);
    find_in_blocks(d, groups, count);
  }
}

static void find_kept(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const pl_contact_detection *d = data;
  const int32_t *bodies = d->memory->listed_bodies;
  pl_contact_fetch_kept(d, bodies[begin]);
  for (int32_t i = begin; i < end; ++i) {
    if (i + 1 < end) pl_contact_fetch_kept(d, bodies[i + 1]);
    if (d->memory->presences[bodies[i]].is_among_others) pl_contact_find_kept(d, bodies[i]);
  }
}

// The points of the neighbours of a body in its tets. Two bodies may have the same neighbour, and add to its slots at
// the same time. `group` is one of any body.
static void find_in_tets_of(const pl_contact_detection *d, int32_t body, pl_contact_group *group, pl_lane_tets *tets) {
  pl_contact_memory *memory = d->memory;
  const pl_surface_motion *motion = &memory->motions[body];
  bool is_packed = false;
  for (int32_t k = memory->neighbour_start[body]; k < memory->neighbour_start[body + 1]; ++k) {
    const pl_contact_neighbour *neighbour = &memory->neighbours[k];
    if (!is_searched_in_tets(neighbour) || !memory->presences[neighbour->body].is_searched) continue;
    if (!is_packed) {
      tets->origin = motion->origin;
      pl_lane_kernels_get()->pack_tets(motion->tree->surface->tet_map, d->bodies[body].positions,
                                       motion->tree->surface->particle_count, tets);
      is_packed = true;
    }
    set_group_body(d, neighbour->body, group);
    group->lock = &memory->presences[neighbour->body].lock;
    bool is_soft = memory->axes[neighbour->axis].is_soft;
    pl_soft_list hits = pl_soft_list_of(memory, body);
    int32_t first = hits.count;
    group->hits = is_soft ? &hits : NULL;
    int32_t count = pl_contact_find_in_tets(group, body, tets);
    if (is_soft) pl_soft_list_commit(memory, body, &hits, first, neighbour->axis, neighbour->body);
    atomic_fetch_add_explicit(&memory->axis_points[neighbour->axis], count, memory_order_relaxed);
  }
}

// The first that is free: one thread alone always has the same, which is in its cache.
static pl_tet_workspace *acquire_tets(pl_contact_memory *memory) {
  for (int32_t i = 0;; i = (i + 1) % memory->tet_workspace_count)
    if (!atomic_flag_test_and_set_explicit(&memory->tet_workspaces[i].is_used, memory_order_acquire))
      return &memory->tet_workspaces[i];
}

// The tets of a body are packed just before they are asked: one block of memory, which stays in the cache, serves all
// bodies of a thread.
static void find_in_tets(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const pl_contact_detection *d = data;
  if (d->memory->tet_workspace_count == 0) return;
  pl_tet_workspace *workspace = acquire_tets(d->memory);
  pl_contact_group group = group_of_body(d, begin);
  for (int32_t body = begin; body < end; ++body) find_in_tets_of(d, body, &group, &workspace->tets);
  atomic_flag_clear_explicit(&workspace->is_used, memory_order_release);
}

// Do points alone hold two bodies apart, so that their edges need not be searched? They do where they are no farther
// from each other than the bodies are thick: one holds as far as the next.
static bool is_held(const pl_contact_detection *d, int32_t body, int32_t axis) {
  const pl_contact_memory *memory = d->memory;
  if (pl_contact_is_dented(&d->bodies[body], &d->bodies[memory->axes[axis].other])) return false;
  return atomic_load_explicit(&memory->axis_points[axis], memory_order_relaxed) > 0 &&
         pl_surface_motion_is_fine(&memory->motions[body]) &&
         pl_surface_motion_is_fine(&memory->motions[memory->axes[axis].other]);
}

// The axes of pairs that were looked up in tets and whose edges are searched too.
static void find_edge_axes(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const pl_contact_detection *d = data;
  const pl_contact_memory *memory = d->memory;
  for (int32_t i = begin; i < end; ++i) {
    int32_t body = memory->listed_bodies[i], first = body * PL_PAIR_AXES;
    for (int32_t a = first; a < first + memory->axis_counts[body]; ++a) {
      pl_pair_axis *axis = &memory->axes[a];
      if (!axis->is_in_tets) continue;
      axis->is_apart = axis->is_kept || is_held(d, body, a);
      if (!axis->is_apart) pl_contact_find_axis(d, body, a);
    }
  }
}

// Is a pair still to be searched for triangles, or for edges?
static bool is_open(const pl_contact_memory *memory, int32_t neighbour, bool for_triangles) {
  const pl_contact_neighbour *n = &memory->neighbours[neighbour];
  if (n->is_kept || (for_triangles && n->is_in_tets)) return false;
  return !memory->axes[n->axis].is_apart;
}

static bool has_open_pairs(const pl_contact_memory *memory, int32_t body, bool for_triangles) {
  for (int32_t k = memory->neighbour_start[body]; k < memory->neighbour_start[body + 1]; ++k)
    if (is_open(memory, k, for_triangles)) return true;
  return false;
}

// What all groups have in common. Without an initializer, which would clear the front: seven kilobytes for each task.
static void begin_edge_group(const pl_contact_detection *d, pl_contact_edge_group *group) {
  group->memory = d->memory;
  group->bodies = d->bodies;
  group->scale = d->scale;
}

// Sharp edges of the small bodies that may touch a neighbour with them, and normals where triangles are searched, once
// for all their pairs.
static void pack_bodies(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const pl_contact_detection *d = data;
  const pl_contact_memory *memory = d->memory;
  pl_contact_edge_group group;
  begin_edge_group(d, &group);
  for (int32_t body = begin; body < end; ++body) {
    if (!has_open_pairs(memory, body, false)) continue;
    if (!memory->presences[body].has_normals && has_open_pairs(memory, body, true))
      pl_surface_motion_fit_normals(&memory->motions[body]);
    uint64_t sides[PL_SURFACE_LANE_POINTS];
    group.body = body;
    bool has_sides = pl_contact_list_edge_sides(&group, sides);
    pl_lane_kernels_get()->pack_edges(&memory->motions[body], (float)pl_contact_edge_sine(memory, d->bodies, body),
                                      has_sides ? sides : NULL);
  }
}

// The points of the neighbours of a body against its triangles, which are packed just before: so they are in the cache
// for all of them. Two bodies may have the same neighbour, and add to its slots at the same time.
static void find_in_pairs(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const pl_contact_detection *d = data;
  pl_contact_memory *memory = d->memory;
  for (int32_t body = begin; body < end; ++body) {
    if (!has_open_pairs(memory, body, true)) continue;
    pl_lane_kernels_get()->pack_triangles(&memory->motions[body]);
    for (int32_t k = memory->neighbour_start[body]; k < memory->neighbour_start[body + 1]; ++k) {
      const pl_contact_neighbour *neighbour = &memory->neighbours[k];
      if (!is_open(memory, k, true) || !memory->presences[neighbour->body].is_searched) continue;
      pl_contact_group group = group_of_body(d, neighbour->body);
      group.lock = &memory->presences[neighbour->body].lock;
      pl_contact_slab slab = pl_pair_line_slab(&memory->axis_lines[neighbour->axis], neighbour->body < body);
      pl_contact_find_body_in_slab(&group, body, &slab);
    }
  }
}

// Edges of one block against those of all bodies that come later, so that each pair is searched once, and of the same
// body.
static void find_in_edge_block(const pl_contact_detection *d, int32_t block, pl_contact_edge_group *group) {
  pl_contact_memory *memory = d->memory;
  memory->edge_blocks[block].contact_count = 0;
  group->block = &memory->edge_blocks[block];
  group->body = group->block->body;
  bool is_begun = false;
  pl_broad_walk walk = asks_tree(memory, group->body)
                           ? pl_broad_phase_begin(&memory->broad, memory->item_boxes[group->body])
                           : pl_broad_phase_skip(&memory->broad);
  for (int32_t item; (item = pl_broad_phase_next(&walk)) >= 0;) {
    if (item <= group->body || item >= memory->body_count) continue;
    const pl_surface_motion *motion = &memory->motions[group->body];
    if (!pl_contact_may_touch(d, group->body, motion->start_box, motion->end_box, item)) continue;
    if (pl_contact_has_axis(memory, group->body, item)) continue;
    if (!is_begun) pl_contact_edge_group_begin(group);
    is_begun = true;
    if (pl_contact_may_touch(d, group->body, group->start_box, group->end_box, item))
      pl_contact_find_edges(group, item);
  }
  if (!d->bodies[group->body].self_contact || d->bodies[group->body].asleep) return;
  if (!is_begun) pl_contact_edge_group_begin(group);
  pl_contact_find_edges(group, group->body);
}

static void find_edges_in_pairs(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const pl_contact_detection *d = data;
  const pl_contact_memory *memory = d->memory;
  pl_contact_edge_group group;
  begin_edge_group(d, &group);
  for (int32_t i = begin; i < end; ++i) {
    group.body = memory->listed_bodies[i];
    for (int32_t k = memory->neighbour_start[group.body]; k < memory->neighbour_start[group.body + 1]; ++k) {
      const pl_contact_neighbour *neighbour = &memory->neighbours[k];
      if (neighbour->body < group.body || !is_open(memory, k, false)) continue;
      pl_contact_slab slab = pl_pair_line_slab(&memory->axis_lines[neighbour->axis], true);
      pl_contact_find_edges_in_slab(&group, neighbour->body, &slab);
    }
  }
}

static void find_edge_contacts(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const pl_contact_detection *d = data;
  pl_contact_edge_group group;
  begin_edge_group(d, &group);
  for (int32_t b = begin; b < end; ++b) find_in_edge_block(d, d->memory->listed_edge_blocks[b], &group);
}

// Faces and edges of bodies against colliders, after all others, whose slots they share. Of those asleep, which keep
// their hierarchies, when a collider that moves comes near.
static void find_faces(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const pl_contact_detection *d = data;
  for (int32_t i = begin; i < end; ++i) {
    int32_t body = d->memory->listed_bodies[i];
    if (d->memory->presences[body].is_near_faces) pl_contact_find_faces(d, body);
  }
}

static void sort_found(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const pl_contact_detection *d = data;
  for (int32_t i = begin; i < end; ++i) {
    pl_contact_untangle(d->memory, d->memory->listed_bodies[i]);
    pl_contact_sort_points(d->memory, d->memory->listed_bodies[i]);
  }
}

// The bodies that may touch something, and where every PL_CONTACT_GROUPS of their blocks begin. Returns the number of
// the latter.
static int32_t list_searches(pl_contact_memory *memory, int32_t *body_count) {
  int32_t count = 0;
  *body_count = 0;
  for (int32_t body = 0; body < memory->body_count; ++body) {
    pl_contact_presence *presence = &memory->presences[body];
    if (atomic_load_explicit(&presence->is_disturbed, memory_order_relaxed)) presence->is_searched = true;
    if (!presence->is_searched) continue;
    memory->listed_bodies[(*body_count)++] = body;
    for (int32_t b = memory->block_start[body]; b < memory->block_start[body + 1]; b += PL_CONTACT_GROUPS)
      memory->listed_blocks[count++] = b;
  }
  return count;
}

static int32_t list_edge_searches(pl_contact_memory *memory) {
  int32_t count = 0;
  for (int32_t body = 0; body < memory->body_count; ++body)
    for (int32_t b = memory->edge_block_start[body];
         memory->presences[body].is_searched && b < memory->edge_block_start[body + 1]; ++b)
      memory->listed_edge_blocks[count++] = b;
  return count;
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
  pl_contact_detection d = {.memory = memory,
                            .bodies = bodies,
                            .pairs = &solver->pairs,
                            .step = step->step,
                            .scale = pl_contact_scale_of(step),
                            .phase = pl_contact_phase_of(step),
                            .has_soft = contacts == NULL,
                            .has_lone = contacts == NULL && pl_lone_is_allowed(solver, bodies, step)};
  memory->is_resolved = false;
  pl_soft_begin(memory);
  memory->lone_count = memory->lone_row_count = 0;
  pl_contact_place_colliders(&d, colliders, step);
  bool is_moving = pl_contact_place_bodies(&d, solver->context);
  int32_t searched_count = 0, chunk_count = is_moving ? list_searches(memory, &searched_count) : 0;
  atomic_store_explicit(&memory->has_many_pairs, false, memory_order_relaxed);
  if (d.phase > 0) pl_parallel_for(solver->context, searched_count, PL_CONTACT_BODY_GRAIN, pl_contact_count_kept, &d);
  pl_parallel_for(solver->context, searched_count, PL_CONTACT_BODY_GRAIN, find_all_axes, &d);
  if (atomic_load_explicit(&memory->has_many_pairs, memory_order_relaxed))
    pl_parallel_for(solver->context, searched_count, PL_CONTACT_BODY_GRAIN, refit_searched, &d);
  pl_contact_link_neighbours(memory, memory->listed_bodies, searched_count);
  pl_parallel_for(solver->context, chunk_count, pl_contact_light_grain(chunk_count, CHUNK_GRAIN), find_contacts, &d);
  if (d.phase > 0) pl_parallel_for(solver->context, searched_count, KEPT_GRAIN, find_kept, &d);
  if (searched_count > 0) pl_parallel_for(solver->context, body_count, PL_CONTACT_BODY_GRAIN, find_in_tets, &d);
  pl_parallel_for(solver->context, searched_count, PL_CONTACT_BODY_GRAIN, find_edge_axes, &d);
  if (searched_count > 0) pl_parallel_for(solver->context, body_count, PL_CONTACT_BODY_GRAIN, pack_bodies, &d);
  if (searched_count > 0) pl_parallel_for(solver->context, body_count, PL_CONTACT_BODY_GRAIN, find_in_pairs, &d);
  int32_t edge_block_count = is_moving ? list_edge_searches(memory) : 0;
  pl_parallel_for(solver->context, edge_block_count, pl_contact_light_grain(edge_block_count, EDGE_GRAIN),
                  find_edge_contacts, &d);
  pl_parallel_for(solver->context, searched_count, PL_CONTACT_BODY_GRAIN, find_edges_in_pairs, &d);
  pl_contact_place_asked(memory);
  pl_parallel_for(solver->context, searched_count, pl_contact_light_grain(searched_count, PL_CONTACT_BODY_GRAIN),
                  find_faces, &d);
  pl_parallel_for(solver->context, searched_count, pl_contact_light_grain(searched_count, PL_CONTACT_BODY_GRAIN),
                  sort_found, &d);
  solver->contact_count =
      is_moving ? pl_contact_pack_edges(memory, edge_block_count, pl_contact_pack_points(memory)) : 0;
  pl_contact_apply_rules(&solver->pairs, 0, memory->contacts, solver->contact_count);
  if (contacts != NULL) *contacts = memory->contacts;
  if (contact_count != NULL) *contact_count = solver->contact_count;
  return PL_OK;
}
