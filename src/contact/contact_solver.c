// The contact solver's memory: sized once for a set of bodies and colliders, so that steps allocate nothing.
#include "contact/contact_solver.h"

#include "base/context.h"
#include "base/error.h"

// A tree over more would not count its nodes in 32 bits.
enum { MAX_ITEMS = 1 << 29 };

pl_status pl_contact_solver_create(pl_context *context, pl_contact_solver **result, pl_error *error) {
  *result = NULL;
  pl_contact_solver *solver = pl_allocate_array(context, 1, sizeof(pl_contact_solver));
  if (solver == NULL) return pl_fail_memory(error);
  solver->context = context;
  pl_arena_init(&solver->memory.arena, context, 0);
  pl_status status = pl_contact_solver_prepare(solver, NULL, 0, NULL, 0, error);
  if (status < 0) {
    pl_contact_solver_destroy(solver);
    return status;
  }
  *result = solver;
  return PL_OK;
}

void pl_contact_solver_destroy(pl_contact_solver *solver) {
  if (solver == NULL) return;
  pl_arena_destroy(&solver->memory.arena);
  pl_release(solver->context, solver);
}

static int32_t edge_blocks_of(const pl_contact_surface *surface) {
  int32_t last = surface->triangle_count - 1;
  return surface->triangle_count > 0 ? last / PL_CONTACT_EDGE_TRIANGLES + 1 : 0;
}

// Blocks of edges, and slots for the contacts of all points and edges.
static pl_status take_contacts(pl_contact_memory *memory, const pl_contact_body *bodies, pl_error *error) {
  pl_arena *arena = &memory->arena;
  memory->edge_block_start = PL_TAKE(arena, int32_t, memory->body_count + 1);
  if (memory->edge_block_start == NULL) return pl_fail_memory(error);
  int64_t capacity = (int64_t)memory->point_start[memory->body_count] * PL_CONTACTS_PER_POINT;
  for (int32_t i = 0; i < memory->body_count; ++i) {
    int32_t count = edge_blocks_of(bodies[i].surface);
    capacity += (int64_t)count * PL_CONTACT_EDGE_SLOTS;
    // Contacts are counted in 32 bits.
    if (capacity > INT32_MAX)
      return pl_fail(error, PL_ERROR_UNSUPPORTED, "too many surface points and triangles collide");
    memory->edge_block_start[i + 1] = memory->edge_block_start[i] + count;
  }
  memory->contact_capacity = (int32_t)capacity;
  memory->edge_block_count = memory->edge_block_start[memory->body_count];
  memory->edge_blocks = PL_TAKE(arena, pl_contact_edge_block, memory->edge_block_count);
  memory->listed_edge_blocks = PL_TAKE(arena, int32_t, memory->edge_block_count);
  memory->contacts = PL_TAKE(arena, pl_contact, capacity);
  memory->rows = PL_TAKE(arena, pl_contact_row, capacity);
  if (arena->failed) return pl_fail_memory(error);
  for (int32_t i = 0; i < memory->body_count; ++i)
    for (int32_t b = memory->edge_block_start[i], first = 0; b < memory->edge_block_start[i + 1]; ++b) {
      int32_t left = bodies[i].surface->triangle_count - first;
      int32_t count = left < PL_CONTACT_EDGE_TRIANGLES ? left : PL_CONTACT_EDGE_TRIANGLES;
      memory->edge_blocks[b] = (pl_contact_edge_block){.body = i, .first = first, .count = count};
      first += count;
    }
  return PL_OK;
}

static pl_status take_arrays(pl_contact_memory *memory, const pl_contact_body *bodies, pl_error *error) {
  pl_arena *arena = &memory->arena;
  int64_t point_count = 0;
  memory->point_start = PL_TAKE(arena, int32_t, memory->body_count + 1);
  for (int32_t i = 0; i < memory->body_count && memory->point_start != NULL; ++i) {
    point_count += bodies[i].surface->point_count;
    // Contacts are counted in 32 bits.
    if (point_count > INT32_MAX / PL_CONTACTS_PER_POINT)
      return pl_fail(error, PL_ERROR_UNSUPPORTED, "more than %d surface points collide",
                     INT32_MAX / PL_CONTACTS_PER_POINT);
    memory->point_start[i + 1] = (int32_t)point_count;
  }
  memory->trees = PL_TAKE(arena, pl_surface_tree, memory->body_count);
  memory->motions = PL_TAKE(arena, pl_surface_motion, memory->body_count);
  memory->presences = PL_TAKE(arena, pl_contact_presence, memory->body_count);
  memory->listed_bodies = PL_TAKE(arena, int32_t, memory->body_count);
  memory->block_start = PL_TAKE(arena, int32_t, memory->body_count + 1);
  memory->axes = PL_TAKE(arena, pl_pair_axis, (int64_t)memory->body_count * PL_PAIR_AXES);
  memory->axis_counts = PL_TAKE(arena, int32_t, memory->body_count);
  memory->endless_colliders = PL_TAKE(arena, int32_t, memory->collider_count);
  memory->collider_steps = PL_TAKE(arena, pl_collider_step, memory->collider_count);
  memory->item_boxes = PL_TAKE(arena, pl_box, (int64_t)memory->body_count + memory->collider_count);
  if ((int64_t)memory->body_count + memory->collider_count > MAX_ITEMS)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "more than %d bodies and colliders", MAX_ITEMS);
  pl_broad_phase_take(arena, memory->body_count + memory->collider_count, &memory->broad);
  memory->contact_counts = PL_TAKE(arena, int32_t, point_count);
  if (arena->failed) return pl_fail_memory(error);
  return take_contacts(memory, bodies, error);
}

// Surface points of the shape a hierarchy is built for: any shape will do, a relaxed one gives the tightest boxes.
static void shape_points(const pl_contact_body *body, pl_vec3 *points) {
  const pl_contact_surface *surface = body->surface;
  for (int32_t i = 0; i < surface->point_count; ++i)
    points[i] =
        surface->rest_points != NULL ? surface->rest_points[i] : pl_contact_surface_point(surface, i, body->starts);
}

// Bodies of one model share a hierarchy: a table by the address of the surface finds it. Where it stands in the table
// depends on addresses, what is found does not.
typedef struct surface_table {
  uint32_t mask;    // size - 1, the size being a power of two
  int32_t *bodies;  // the first with a surface, plus 1; 0: free
} surface_table;

static bool take_table(pl_arena *arena, int32_t body_count, surface_table *table) {
  uint32_t size = 4;
  while (size < 2 * (uint32_t)body_count) size *= 2;
  *table = (surface_table){size - 1, PL_TAKE(arena, int32_t, size)};
  return table->bodies != NULL;
}

// The first body with the surface of `body`: itself if there was none before.
static int32_t first_with_surface(const surface_table *table, const pl_contact_body *bodies, int32_t body) {
  uint64_t hash = (uint64_t)(uintptr_t)bodies[body].surface * 0x9e3779b97f4a7c15ULL;
  uint32_t slot = (uint32_t)(hash >> 32) & table->mask;
  for (; table->bodies[slot] != 0; slot = (slot + 1) & table->mask)
    if (bodies[table->bodies[slot] - 1].surface == bodies[body].surface) return table->bodies[slot] - 1;
  table->bodies[slot] = body + 1;
  return body;
}

static pl_status prepare_body(pl_contact_memory *memory, const pl_contact_body *bodies, int32_t body,
                              const surface_table *table, pl_error *error) {
  const pl_contact_surface *surface = bodies[body].surface;
  int32_t first = first_with_surface(table, bodies, body);
  const pl_surface_tree *tree = memory->motions[first].tree;
  if (first == body) {
    pl_vec3 *points = PL_TAKE(&memory->arena, pl_vec3, surface->point_count);
    if (points == NULL) return pl_fail_memory(error);
    shape_points(&bodies[body], points);
    pl_status status = pl_surface_tree_build(&memory->arena, surface, points, &memory->trees[body], error);
    if (status < 0) return status;
    tree = &memory->trees[body];
  }
  return pl_surface_motion_take(&memory->arena, tree, &memory->motions[body]) ? PL_OK : pl_fail_memory(error);
}

static pl_status prepare_bodies(pl_contact_memory *memory, const pl_contact_body *bodies, pl_error *error) {
  pl_arena temporary;
  pl_arena_init(&temporary, memory->arena.context, 0);
  surface_table table;
  pl_status status = take_table(&temporary, memory->body_count, &table) ? PL_OK : pl_fail_memory(error);
  for (int32_t i = 0; i < memory->body_count && status == PL_OK; ++i)
    status = prepare_body(memory, bodies, i, &table, error);
  pl_arena_destroy(&temporary);
  return status;
}

static pl_status take_blocks(pl_contact_memory *memory, pl_error *error) {
  // There are no more blocks than points.
  for (int32_t i = 0; i < memory->body_count; ++i) memory->block_count += memory->motions[i].tree->block_count;
  memory->blocks = PL_TAKE(&memory->arena, pl_contact_block, memory->block_count);
  memory->listed_blocks = PL_TAKE(&memory->arena, int32_t, memory->block_count);
  if (memory->blocks == NULL || memory->listed_blocks == NULL) return pl_fail_memory(error);
  pl_contact_block *next = memory->blocks;
  for (int32_t body = 0; body < memory->body_count; ++body) {
    const pl_surface_tree *tree = memory->motions[body].tree;
    for (int32_t b = 0; b < tree->block_count; ++b, ++next) {
      next->body = body;
      next->first = tree->block_start[b];
      next->count = tree->block_start[b + 1] - next->first;
    }
    memory->block_start[body + 1] = memory->block_start[body] + tree->block_count;
  }
  return PL_OK;
}

pl_status pl_contact_solver_prepare(pl_contact_solver *solver, const pl_contact_body *bodies, int32_t body_count,
                                    const pl_collider *const *colliders, int32_t collider_count, pl_error *error) {
  (void)colliders;
  pl_contact_memory memory = {.body_count = body_count, .collider_count = collider_count};
  pl_arena_init(&memory.arena, solver->context, 0);
  pl_status status = take_arrays(&memory, bodies, error);
  if (status == PL_OK) status = prepare_bodies(&memory, bodies, error);
  if (status == PL_OK) status = take_blocks(&memory, error);
  if (status < 0) {
    pl_arena_destroy(&memory.arena);
    return status;
  }
  pl_arena_destroy(&solver->memory.arena);
  solver->memory = memory;
  solver->contact_count = 0;
  return PL_OK;
}

void pl_contact_solver_forget_sleepers(pl_contact_solver *solver) {
  for (int32_t i = 0; i < solver->memory.body_count; ++i) solver->memory.presences[i].is_at_rest = false;
}

void pl_contact_solver_set_pairs(pl_contact_solver *solver, pl_contact_pairs pairs) {
  solver->pairs = pairs;
}

const pl_contact *pl_contact_solver_get_contacts(const pl_contact_solver *solver, int32_t *count) {
  *count = solver->contact_count;
  return solver->memory.contacts;
}

double pl_contact_solver_get_impulse(const pl_contact_solver *solver, int32_t contact) {
  return solver->memory.rows[contact].normal_impulse;
}

pl_status pl_contact_solver_solve(pl_contact_solver *solver, pl_contact_body *bodies, int32_t body_count,
                                  const pl_collider *const *colliders, int32_t collider_count, double time, double step,
                                  int32_t rounds, pl_vec3 gravity, pl_contact_report *report, pl_error *error) {
  pl_contact_step settings = {time, step, rounds, gravity};
  pl_status status =
      pl_contact_solver_detect(solver, bodies, body_count, colliders, collider_count, &settings, NULL, NULL, error);
  if (status < 0) return status;
  return pl_contact_solver_resolve(solver, bodies, body_count, &settings, report, error);
}
