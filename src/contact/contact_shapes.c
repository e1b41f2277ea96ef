// Shapes are found by the address of their surface. An address may be that of another surface later, and hand-made
// bodies may change theirs: a hash of all that a hierarchy is built from tells.
#include "contact/contact_shapes.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/hash.h"
#include "contact/contact_zones.h"
#include "contact/pair_lanes.h"

// Motions that were taken together.
struct pl_shape_motions {
  pl_arena arena;  // holds this struct too
  struct pl_shape_motions *next;
  bool is_new;
  int32_t count;
  pl_surface_motion *items;
};

// Bodies that come one by one get motions for a quarter of what there are, and at most this number, at a time.
enum { MAX_SPARE_MOTIONS = 64 };

void pl_contact_shapes_init(pl_contact_shapes *shapes, pl_context *context) {
  *shapes = (pl_contact_shapes){.context = context};
}

// --- life

static void destroy_motions(pl_shape_motions *motions) {
  while (motions != NULL) {
    pl_shape_motions *next = motions->next;
    pl_arena arena = motions->arena;
    pl_arena_destroy(&arena);
    motions = next;
  }
}

static void destroy_shape(pl_contact_shape *shape) {
  destroy_motions(shape->first);
  pl_arena arena = shape->arena;
  pl_arena_destroy(&arena);
}

void pl_contact_shapes_destroy(pl_contact_shapes *shapes) {
  while (shapes->first != NULL) {
    pl_contact_shape *shape = shapes->first;
    shapes->first = shape->next;
    destroy_shape(shape);
  }
  pl_release(shapes->context, shapes->table);
  shapes->table = NULL;
}

// --- table

static pl_contact_shape **slot_of(const pl_contact_shapes *shapes, const pl_contact_surface *surface) {
  uint64_t hash = (uint64_t)(uintptr_t)surface * 0x9e3779b97f4a7c15ULL;
  uint32_t mask = shapes->table_size - 1, slot = (uint32_t)(hash >> 32) & mask;
  while (shapes->table[slot] != NULL && shapes->table[slot]->surface != surface) slot = (slot + 1) & mask;
  return &shapes->table[slot];
}

static void fill_table(pl_contact_shapes *shapes) {
  if (shapes->table_size > 0) memset(shapes->table, 0, shapes->table_size * sizeof *shapes->table);
  shapes->count = 0;
  for (pl_contact_shape *shape = shapes->first; shape != NULL; shape = shape->next, ++shapes->count) {
    // One that is outdated comes after the one that took its place.
    pl_contact_shape **slot = slot_of(shapes, shape->surface);
    if (*slot == NULL) *slot = shape;
  }
}

// Space for one more.
static bool grow_table(pl_contact_shapes *shapes) {
  if (2 * ((uint32_t)shapes->count + 1) <= shapes->table_size) return true;
  uint32_t size = shapes->table_size > 0 ? 2 * shapes->table_size : 8;
  pl_contact_shape **table = pl_allocate_array(shapes->context, size, sizeof *table);
  if (table == NULL) return false;
  pl_release(shapes->context, shapes->table);
  shapes->table = table;
  shapes->table_size = size;
  fill_table(shapes);
  return true;
}

pl_contact_shape *pl_contact_shapes_find(const pl_contact_shapes *shapes, const pl_contact_surface *surface) {
  return shapes->table_size > 0 ? *slot_of(shapes, surface) : NULL;
}

// --- shapes

// Surface points of the shape a hierarchy is built for: any shape will do, a relaxed one gives the tightest boxes.
static const pl_vec3 *shape_points(pl_arena *arena, const pl_contact_body *body) {
  const pl_contact_surface *surface = body->surface;
  if (surface->rest_points != NULL) return surface->rest_points;
  pl_vec3 *points = PL_TAKE_RAW(arena, pl_vec3, surface->point_count);
  for (int32_t i = 0; i < surface->point_count && points != NULL; ++i)
    points[i] = pl_contact_surface_point(surface, i, body->starts);
  return points;
}

static uint64_t hash_of(const pl_contact_surface *surface, const pl_vec3 *points) {
  size_t count = (size_t)surface->point_count;
  int32_t counts[4] = {surface->point_count, surface->triangle_count, surface->particle_count,
                       surface->tet_map != NULL};
  uint64_t hash = pl_hash_bytes(PL_HASH_START, counts, sizeof counts);
  hash = pl_hash_bytes(hash, points, count * sizeof *points);
  hash = pl_hash_bytes(hash, surface->parents, 4 * count * sizeof *surface->parents);
  hash = pl_hash_bytes(hash, surface->weights, 4 * count * sizeof *surface->weights);
  return pl_hash_bytes(hash, surface->triangles, 3 * (size_t)surface->triangle_count * sizeof *surface->triangles);
}

static int32_t count_parents(const pl_contact_surface *surface) {
  int32_t max = 1;
  for (int32_t i = 0; i < surface->point_count && max < 4; ++i) {
    int32_t count = 0;
    for (int k = 0; k < 4; ++k) count += surface->weights[4 * (size_t)i + (size_t)k] != 0.0f;
    if (count > max) max = count;
  }
  return max;
}

static pl_status make_shape(pl_context *context, const pl_contact_surface *surface, const pl_vec3 *points,
                            pl_contact_shape **result, pl_error *error) {
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_contact_shape *shape = PL_TAKE(&arena, pl_contact_shape, 1);
  pl_status status =
      shape != NULL ? pl_surface_tree_build(&arena, surface, points, &shape->tree, error) : pl_fail_memory(error);
  if (status < 0) {
    pl_arena_destroy(&arena);
    return status;
  }
  shape->surface = surface;
  shape->parent_count = count_parents(surface);
  shape->is_new = true;
  shape->arena = arena;
  *result = shape;
  return PL_OK;
}

// The shape of a surface that none of the bodies before had. In the table it takes the place of one that is outdated.
static pl_status use_shape(pl_contact_shapes *shapes, const pl_contact_body *body, pl_contact_shape **found,
                           pl_error *error) {
  pl_arena temporary;
  pl_arena_init(&temporary, shapes->context, 0);
  const pl_vec3 *points = shape_points(&temporary, body);
  pl_status status = points != NULL ? PL_OK : pl_fail_memory(error);
  uint64_t hash = points != NULL ? hash_of(body->surface, points) : 0;
  *found = pl_contact_shapes_find(shapes, body->surface);
  if (status >= 0 && (*found == NULL || (*found)->hash != hash)) {
    status =
        grow_table(shapes) ? make_shape(shapes->context, body->surface, points, found, error) : pl_fail_memory(error);
    if (status >= 0) {
      (*found)->hash = hash;
      (*found)->next = shapes->first;
      shapes->first = *found;
      shapes->count++;
      *slot_of(shapes, body->surface) = *found;
    }
  }
  pl_arena_destroy(&temporary);
  return status;
}

// --- motions

// Are points looked up in the tets of a body? It is small, closed, and its volume is known.
static bool has_tets(const pl_surface_motion *motion) {
  return motion->tree->surface->tet_map != NULL && motion->lane_block_count > 0 && motion->tree->is_closed;
}

// First the arrays of all of them that are asked for most.
static bool take_motions(pl_contact_shape *shape, pl_shape_motions *made) {
  const pl_surface_motion *first = shape->first != NULL ? shape->first->items : made->items;
  for (int32_t i = 0; i < made->count; ++i)
    if (!pl_surface_motion_take(&made->arena, &shape->tree, &made->items[i])) return false;
  for (int32_t i = 0; i < made->count; ++i) {
    pl_surface_motion *motion = &made->items[i];
    bool is_taken = pl_surface_motion_take_boxes(&made->arena, motion) &&
                    pl_lane_surface_take(&made->arena, motion, motion == first ? NULL : first->packed);
    if (!is_taken || !pl_zone_workspace_take(&made->arena, motion, &motion->zone_workspace)) return false;
    motion->has_tets = has_tets(motion);
  }
  return true;
}

static bool add_motions(pl_context *context, pl_contact_shape *shape, int32_t count) {
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_shape_motions *made = PL_TAKE(&arena, pl_shape_motions, 1);
  if (made != NULL) {
    *made = (pl_shape_motions){.is_new = true, .count = count, .items = PL_TAKE(&arena, pl_surface_motion, count)};
    made->arena = arena;
    bool is_made = made->items != NULL && take_motions(shape, made);
    arena = made->arena;
    if (!is_made) made = NULL;
  }
  if (made == NULL) {
    pl_arena_destroy(&arena);
    return false;
  }
  if (shape->first == NULL)
    shape->first = made;
  else
    shape->last->next = made;
  shape->last = made;
  shape->motion_count += count;
  shape->is_small_volume = made->items[0].has_tets;
  return true;
}

// --- sets of bodies

pl_status pl_contact_shapes_prepare(pl_contact_shapes *shapes, const pl_contact_body *bodies, int32_t body_count,
                                    pl_error *error) {
  pl_status status = PL_OK;
  for (pl_contact_shape *shape = shapes->first; shape != NULL; shape = shape->next) shape->body_count = 0;
  pl_contact_shape *last = NULL;
  for (int32_t i = 0; i < body_count && status >= 0; ++i) {
    if (last == NULL || last->surface != bodies[i].surface) {
      last = pl_contact_shapes_find(shapes, bodies[i].surface);
      if (last == NULL || last->body_count == 0) status = use_shape(shapes, &bodies[i], &last, error);
    }
    if (status >= 0) last->body_count++;
  }
  for (pl_contact_shape *shape = shapes->first; shape != NULL && status >= 0; shape = shape->next) {
    int32_t missing = shape->body_count - shape->motion_count, spare = shape->motion_count / 4;
    if (missing <= 0) continue;
    spare = spare < MAX_SPARE_MOTIONS ? spare : MAX_SPARE_MOTIONS;
    if (!add_motions(shapes->context, shape, missing > spare ? missing : spare)) status = pl_fail_memory(error);
  }
  if (status < 0) pl_contact_shapes_revert(shapes);
  return status;
}

void pl_contact_shapes_keep(pl_contact_shapes *shapes) {
  for (pl_contact_shape **it = &shapes->first; *it != NULL;) {
    pl_contact_shape *shape = *it;
    if (shape->body_count == 0) {
      *it = shape->next;
      destroy_shape(shape);
      continue;
    }
    shape->is_new = false;
    for (pl_shape_motions *motions = shape->first; motions != NULL; motions = motions->next) motions->is_new = false;
    it = &shape->next;
  }
  fill_table(shapes);
}

// New motions come after all others.
static void revert_motions(pl_contact_shape *shape) {
  pl_shape_motions **it = &shape->first;
  shape->last = NULL;
  for (; *it != NULL && !(*it)->is_new; it = &(*it)->next) shape->last = *it;
  for (const pl_shape_motions *motions = *it; motions != NULL; motions = motions->next)
    shape->motion_count -= motions->count;
  destroy_motions(*it);
  *it = NULL;
}

void pl_contact_shapes_revert(pl_contact_shapes *shapes) {
  for (pl_contact_shape **it = &shapes->first; *it != NULL;) {
    pl_contact_shape *shape = *it;
    if (shape->is_new) {
      *it = shape->next;
      destroy_shape(shape);
      continue;
    }
    revert_motions(shape);
    it = &shape->next;
  }
  fill_table(shapes);
}

void pl_contact_shapes_rewind(pl_contact_shapes *shapes) {
  for (pl_contact_shape *shape = shapes->first; shape != NULL; shape = shape->next) {
    shape->next_motions = shape->first;
    shape->next_motion = 0;
  }
}

pl_surface_motion pl_contact_shape_next_motion(pl_contact_shape *shape) {
  if (shape->next_motion == shape->next_motions->count) {
    shape->next_motions = shape->next_motions->next;
    shape->next_motion = 0;
  }
  return shape->next_motions->items[shape->next_motion++];
}
