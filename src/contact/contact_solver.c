// The contact solver's memory: sized once for a set of bodies and colliders, so that steps allocate nothing.
#include "contact/contact_solver.h"

#include "base/context.h"
#include "base/error.h"

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
  memory->collider_steps = PL_TAKE(arena, pl_collider_step, memory->collider_count);
  memory->contact_counts = PL_TAKE(arena, int32_t, point_count);
  memory->contacts = PL_TAKE(arena, pl_contact, point_count * PL_CONTACTS_PER_POINT);
  memory->rows = PL_TAKE(arena, pl_contact_row, point_count * PL_CONTACTS_PER_POINT);
  return arena->failed ? pl_fail_memory(error) : PL_OK;
}

// Surface points of the shape a hierarchy is built for: any shape will do, a relaxed one gives the tightest boxes.
static void shape_points(const pl_contact_body *body, pl_vec3 *points) {
  const pl_contact_surface *surface = body->surface;
  for (int32_t i = 0; i < surface->point_count; ++i)
    points[i] =
        surface->rest_points != NULL ? surface->rest_points[i] : pl_contact_surface_point(surface, i, body->starts);
}

static pl_status prepare_body(pl_contact_memory *memory, const pl_contact_body *bodies, int32_t body, pl_error *error) {
  const pl_contact_surface *surface = bodies[body].surface;
  // Bodies of one model share a hierarchy.
  const pl_surface_tree *tree = NULL;
  for (int32_t other = 0; other < body && tree == NULL; ++other)
    if (bodies[other].surface == surface) tree = memory->motions[other].tree;
  if (tree == NULL) {
    pl_vec3 *points = PL_TAKE(&memory->arena, pl_vec3, surface->point_count);
    if (points == NULL) return pl_fail_memory(error);
    shape_points(&bodies[body], points);
    pl_status status = pl_surface_tree_build(&memory->arena, surface, points, &memory->trees[body], error);
    if (status < 0) return status;
    tree = &memory->trees[body];
  }
  return pl_surface_motion_take(&memory->arena, tree, &memory->motions[body]) ? PL_OK : pl_fail_memory(error);
}

static pl_status take_blocks(pl_contact_memory *memory, pl_error *error) {
  // There are no more blocks than points.
  for (int32_t i = 0; i < memory->body_count; ++i) memory->block_count += memory->motions[i].tree->block_count;
  memory->blocks = PL_TAKE(&memory->arena, pl_contact_block, memory->block_count);
  if (memory->blocks == NULL) return pl_fail_memory(error);
  pl_contact_block *next = memory->blocks;
  for (int32_t body = 0; body < memory->body_count; ++body) {
    const pl_surface_tree *tree = memory->motions[body].tree;
    for (int32_t b = 0; b < tree->block_count; ++b, ++next) {
      next->body = body;
      next->first = tree->block_start[b];
      next->count = tree->block_start[b + 1] - next->first;
    }
  }
  return PL_OK;
}

pl_status pl_contact_solver_prepare(pl_contact_solver *solver, const pl_contact_body *bodies, int32_t body_count,
                                    const pl_collider *const *colliders, int32_t collider_count, pl_error *error) {
  (void)colliders;
  pl_contact_memory memory = {.body_count = body_count, .collider_count = collider_count};
  pl_arena_init(&memory.arena, solver->context, 0);
  pl_status status = take_arrays(&memory, bodies, error);
  for (int32_t i = 0; i < body_count && status == PL_OK; ++i) status = prepare_body(&memory, bodies, i, error);
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
