// The contact solver's memory: sized once for a set of bodies and colliders, so that steps allocate nothing.
#include "contact/contact_solver.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "contact/contact_lone.h"
#include "contact/contact_soft_rows.h"
#include "contact/pair_lanes.h"

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

// Particles that carry one contact at most: those of a point and a triangle, or of two edges.
static int32_t max_term_count(const pl_contact_body *bodies, int32_t body_count) {
  int32_t parent_count = 1;
  const pl_contact_surface *last = NULL;
  for (int32_t b = 0; b < body_count && parent_count < 4; ++b) {
    const pl_contact_surface *surface = bodies[b].surface;
    if (surface == last || bodies[b].rigid != NULL) continue;
    last = surface;
    for (int32_t i = 0; i < surface->point_count; ++i) {
      int32_t count = 0;
      for (int k = 0; k < 4; ++k) count += surface->weights[4 * (size_t)i + (size_t)k] != 0.0f;
      if (count > parent_count) parent_count = count;
    }
  }
  return 4 * parent_count;
}

// The plan of resolution for so many joints, and what became of each of its pairs. As before when out of memory.
static bool take_plan(pl_contact_memory *memory, int32_t joint_capacity) {
  pl_contact_plan plan;
  pl_contact_plan_def def = {.body_count = memory->body_count,
                             .contact_count = memory->contact_capacity,
                             .joint_count = joint_capacity,
                             .soft_count = memory->body_count * PL_PAIR_AXES};
  if (!pl_contact_plan_take(&memory->arena, &plan, &def)) return false;
  pl_contact_outcome *outcomes = PL_TAKE(&memory->arena, pl_contact_outcome, plan.pair_capacity);
  pl_soft_velocities *sides = PL_TAKE(&memory->arena, pl_soft_velocities, 2 * (int64_t)plan.pair_capacity);
  int32_t *round_counts = PL_TAKE(&memory->arena, int32_t, plan.pair_capacity);
  if (outcomes == NULL || sides == NULL || round_counts == NULL) return false;
  memory->plan = plan;
  memory->outcomes = outcomes;
  memory->soft_sides = sides;
  memory->soft_round_counts = round_counts;
  memory->joint_capacity = joint_capacity;
  return true;
}

// Hits and rows of soft bodies.
static bool take_soft(pl_contact_memory *memory) {
  pl_arena *arena = &memory->arena;
  int64_t axis_count = (int64_t)memory->body_count * PL_PAIR_AXES;
  int64_t hit_count = (int64_t)memory->point_start[memory->body_count] * PL_SOFT_HITS_PER_POINT;
  memory->hits = PL_TAKE(arena, pl_soft_hit, hit_count);
  memory->hit_counts = PL_TAKE(arena, int32_t, memory->body_count);
  memory->axis_hits = PL_TAKE(arena, pl_pair_range, 2 * axis_count);
  memory->soft_pair_start = PL_TAKE(arena, int32_t, memory->body_count + 1);
  memory->soft_pairs = PL_TAKE(arena, pl_soft_pair, axis_count);
  memory->soft_rows = PL_TAKE(arena, pl_soft_row, hit_count);
  memory->soft_notes = PL_TAKE(arena, pl_soft_note, hit_count);
  memory->soft_rounds = PL_TAKE(arena, pl_soft_round, hit_count);
  memory->body_rounds = PL_TAKE(arena, int32_t, memory->body_count);
  return !arena->failed;
}

// What resolution works on.
static pl_status take_rows(pl_contact_memory *memory, const pl_contact_body *bodies, pl_error *error) {
  pl_arena *arena = &memory->arena;
  int64_t particle_count = 0;
  memory->rows = PL_TAKE(arena, pl_contact_row, memory->contact_capacity);
  memory->term_count = max_term_count(bodies, memory->body_count);
  memory->terms = PL_TAKE(arena, pl_contact_term, (int64_t)memory->contact_capacity * memory->term_count);
  memory->pulls = PL_TAKE(arena, pl_contact_pull, (int64_t)memory->contact_capacity * memory->term_count);
  memory->particle_start = PL_TAKE(arena, int32_t, memory->body_count + 1);
  for (int32_t i = 0; i < memory->body_count && memory->particle_start != NULL; ++i) {
    particle_count += bodies[i].surface->particle_count;
    if (particle_count > INT32_MAX)
      return pl_fail(error, PL_ERROR_UNSUPPORTED, "more than %d particles collide", INT32_MAX);
    memory->particle_start[i + 1] = (int32_t)particle_count;
  }
  memory->move_velocities = PL_TAKE(arena, pl_vec3, particle_count);
  memory->shock_positions = PL_TAKE(arena, pl_f4, particle_count + memory->body_count);
  memory->shock_velocities = PL_TAKE(arena, pl_f4, particle_count + memory->body_count);
  memory->wholes = PL_TAKE(arena, pl_contact_whole, memory->body_count);
  memory->move_rigids = PL_TAKE(arena, pl_contact_rigid, memory->body_count);
  if (arena->failed || !take_soft(memory)) return pl_fail_memory(error);
  return take_plan(memory, memory->joint_capacity) ? PL_OK : pl_fail_memory(error);
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
  memory->near_items = PL_TAKE(arena, int32_t, (int64_t)memory->body_count * PL_CONTACT_NEAR);
  memory->near_counts = PL_TAKE(arena, int32_t, memory->body_count);
  memory->axes = PL_TAKE(arena, pl_pair_axis, (int64_t)memory->body_count * PL_PAIR_AXES);
  memory->axis_lines = PL_TAKE(arena, pl_pair_line, (int64_t)memory->body_count * PL_PAIR_AXES);
  memory->axis_counts = PL_TAKE(arena, int32_t, memory->body_count);
  memory->axis_points = PL_TAKE(arena, atomic_int, (int64_t)memory->body_count * PL_PAIR_AXES);
  memory->neighbour_start = PL_TAKE(arena, int32_t, memory->body_count + 1);
  memory->neighbours = PL_TAKE(arena, pl_contact_neighbour, 2 * (int64_t)memory->body_count * PL_PAIR_AXES);
  memory->endless_colliders = PL_TAKE(arena, int32_t, memory->collider_count);
  memory->collider_steps = PL_TAKE(arena, pl_collider_step, memory->collider_count);
  memory->item_boxes = PL_TAKE(arena, pl_box, (int64_t)memory->body_count + memory->collider_count);
  if ((int64_t)memory->body_count + memory->collider_count > MAX_ITEMS)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "more than %d bodies and colliders", MAX_ITEMS);
  pl_broad_phase_take(arena, memory->body_count + memory->collider_count, &memory->broad);
  memory->contact_counts = PL_TAKE(arena, int32_t, point_count);
  if (arena->failed) return pl_fail_memory(error);
  for (int32_t i = 0; i < memory->body_count; ++i) atomic_flag_clear(&memory->presences[i].lock);
  pl_status status = take_contacts(memory, bodies, error);
  return status < 0 ? status : take_rows(memory, bodies, error);
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

// Are points looked up in the tets of a body? It is small, closed, and its volume is known.
static bool has_tets(const pl_surface_motion *motion) {
  return motion->tree->surface->tet_map != NULL && motion->lane_block_count > 0 && motion->tree->is_closed;
}

// For the tets of any body, once per task that runs.
static pl_status take_tets(pl_contact_memory *memory, pl_error *error) {
  const pl_tet_map *largest = NULL;
  memory->min_depth = HUGE_VAL;
  for (int32_t i = 0; i < memory->body_count; ++i) {
    const pl_tet_map *map = memory->motions[i].tree->surface->tet_map;
    if (!memory->motions[i].has_tets) continue;
    if (largest == NULL || map->block_count > largest->block_count) largest = map;
    memory->min_depth = pl_smaller(memory->min_depth, map->depth);
  }
  if (largest == NULL) return PL_OK;
  int32_t count = memory->body_count < PL_TET_WORKSPACES ? memory->body_count : PL_TET_WORKSPACES;
  memory->tet_workspaces = PL_TAKE(&memory->arena, pl_tet_workspace, count);
  if (memory->tet_workspaces == NULL) return pl_fail_memory(error);
  memory->tet_workspace_count = count;
  for (int32_t i = 0; i < count; ++i) {
    atomic_flag_clear(&memory->tet_workspaces[i].is_used);
    if (!pl_lane_tets_take(&memory->arena, largest, &memory->tet_workspaces[i].tets)) return pl_fail_memory(error);
  }
  return PL_OK;
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

// When all bodies have the arrays that are asked for most.
static pl_status prepare_triangles(pl_contact_memory *memory, const pl_contact_body *bodies, int32_t body,
                                   const surface_table *table, pl_error *error) {
  int32_t first = first_with_surface(table, bodies, body);
  pl_surface_motion *motion = &memory->motions[body];
  const pl_lane_surface *packed = first == body ? NULL : memory->motions[first].packed;
  bool is_taken =
      pl_surface_motion_take_boxes(&memory->arena, motion) && pl_lane_surface_take(&memory->arena, motion, packed);
  motion->has_tets = has_tets(motion);
  memory->presences[body].is_fine = motion->has_tets && pl_surface_motion_is_fine(motion);
  return is_taken ? PL_OK : pl_fail_memory(error);
}

static pl_status prepare_bodies(pl_contact_memory *memory, const pl_contact_body *bodies, pl_error *error) {
  pl_arena temporary;
  pl_arena_init(&temporary, memory->arena.context, 0);
  surface_table table;
  pl_status status = take_table(&temporary, memory->body_count, &table) ? PL_OK : pl_fail_memory(error);
  for (int32_t i = 0; i < memory->body_count && status == PL_OK; ++i)
    status = prepare_body(memory, bodies, i, &table, error);
  for (int32_t i = 0; i < memory->body_count && status >= 0; ++i)
    status = prepare_triangles(memory, bodies, i, &table, error);
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
  pl_contact_memory memory = {
      .body_count = body_count, .collider_count = collider_count, .joint_capacity = solver->joint_count};
  pl_arena_init(&memory.arena, solver->context, 0);
  pl_status status = take_arrays(&memory, bodies, error);
  if (status == PL_OK) status = prepare_bodies(&memory, bodies, error);
  if (status == PL_OK) status = take_tets(&memory, error);
  if (status == PL_OK) status = take_blocks(&memory, error);
  if (status == PL_OK && !pl_contact_zones_take(&memory)) status = pl_fail_memory(error);
  if (status == PL_OK && !pl_lone_take(&memory, bodies)) status = pl_fail_memory(error);
  if (status < 0) {
    pl_arena_destroy(&memory.arena);
    return status;
  }
  pl_arena_destroy(&solver->memory.arena);
  solver->memory = memory;
  solver->contact_count = 0;
  return PL_OK;
}

void pl_contact_solver_set_pairs(pl_contact_solver *solver, pl_contact_rules pairs) {
  solver->pairs = pairs;
}

void pl_contact_apply_rules(const pl_contact_rules *pairs, int32_t first_body, pl_contact *contacts, int32_t count) {
  if (pairs->count == 0) return;
  for (int32_t i = 0; i < count; ++i) {
    pl_contact *contact = &contacts[i];
    pl_contact_thing other = contact->collider >= 0 ? ~contact->collider : first_body + contact->b.body;
    const pl_contact_rule *pair = pl_contact_rules_find(pairs, first_body + contact->a.body, other);
    if (pair == NULL) continue;
    if (pair->friction >= 0) contact->friction = pair->friction;
    if (pair->restitution >= 0) contact->restitution = pair->restitution;
  }
}

pl_contact_walk pl_contact_solver_walk(const pl_contact_solver *solver) {
  return (pl_contact_walk){.solver = solver, .soft_row = -1};
}

// The next compact row; false after the last.
static bool find_soft_row(pl_contact_walk *walk, pl_soft_side *side) {
  const pl_contact_plan *plan = &walk->solver->memory.plan;
  for (; walk->pair < plan->pair_count; ++walk->pair, walk->side = 0) {
    const pl_contact_pair *pair = &plan->pairs[walk->pair];
    for (; walk->side < 2 && pair->axis >= 0; ++walk->side, walk->soft_row = -1) {
      *side = pl_soft_side_of(pair, walk->side);
      if (walk->soft_row < 0) walk->soft_row = side->first;
      if (walk->soft_row < side->end) return true;
    }
  }
  return false;
}

bool pl_contact_walk_next(pl_contact_walk *walk, pl_contact *contact, double *impulse) {
  const pl_contact_solver *solver = walk->solver;
  const pl_contact_memory *memory = &solver->memory;
  double sum;
  if (impulse == NULL) impulse = &sum;
  if (!memory->is_resolved) return false;
  if (walk->row < solver->contact_count + memory->lone_row_count) {
    const pl_contact_row *row = &memory->rows[walk->row];
    int32_t number = memory->plan.row_contacts[walk->row++];
    *contact = number < 0 ? pl_lone_contact_of(memory, ~number, impulse) : memory->contacts[number];
    if (number >= 0) *impulse = pl_larger(row->normal_impulse + row->rest_impulse, 0);
    return true;
  }
  pl_soft_side side;
  if (!find_soft_row(walk, &side)) return false;
  *contact = pl_soft_contact(memory, &side, walk->soft_row++, impulse);
  return true;
}

void pl_contact_solver_forget_sleepers(pl_contact_solver *solver) {
  for (int32_t i = 0; i < solver->memory.body_count; ++i) solver->memory.presences[i].is_at_rest = false;
}

pl_contact_islands pl_contact_solver_get_islands(const pl_contact_solver *solver) {
  return (pl_contact_islands){solver->memory.plan.island_count, solver->memory.plan.island_of};
}

pl_status pl_contact_solver_set_joints(pl_contact_solver *solver, const pl_contact_joint *joints, int32_t joint_count,
                                       pl_error *error) {
  pl_contact_memory *memory = &solver->memory;
  if (joint_count > memory->joint_capacity) {
    // The old arrays stay in the arena; doubling bounds what is lost.
    if (!take_plan(memory, 2 * joint_count)) return pl_fail_memory(error);
  }
  solver->joints = joints;
  solver->joint_count = joint_count;
  return PL_OK;
}

pl_status pl_contact_solver_solve(pl_contact_solver *solver, pl_contact_body *bodies, int32_t body_count,
                                  const pl_collider *const *colliders, int32_t collider_count, double time, double step,
                                  int32_t rounds, pl_vec3 gravity, pl_contact_report *report, pl_error *error) {
  pl_contact_step settings = {.time = time, .step = step, .rounds = rounds, .gravity = gravity};
  pl_status status =
      pl_contact_solver_detect(solver, bodies, body_count, colliders, collider_count, &settings, NULL, NULL, error);
  if (status < 0) return status;
  return pl_contact_solver_resolve(solver, bodies, body_count, &settings, report, error);
}

bool pl_contact_is_spared(const pl_contact_body *body, int32_t low, int32_t high) {
  int32_t first = 0, count = body->spared_count;
  while (count > 0) {
    const pl_contact_spared_pair *middle = &body->spared[first + count / 2];
    if (middle->low == low && middle->high == high) return true;
    if (middle->low < low || (middle->low == low && middle->high < high)) {
      first += count / 2 + 1;
      count -= count / 2 + 1;
    } else {
      count /= 2;
    }
  }
  return false;
}

// Counted, then filled in from the ends of each body's part.
void pl_contact_link_neighbours(pl_contact_memory *memory, const int32_t *bodies, int32_t count) {
  int32_t *start = memory->neighbour_start;
  memset(start, 0, ((size_t)memory->body_count + 1) * sizeof *start);
  for (int pass = 0; pass < 2; ++pass) {
    for (int32_t i = 0; i < count; ++i) {
      int32_t body = bodies[i], first = body * PL_PAIR_AXES;
      for (int32_t axis = first; axis < first + memory->axis_counts[body]; ++axis) {
        const pl_pair_axis *pair = &memory->axes[axis];
        int32_t other = pair->other;
        if (pair->is_apart) continue;
        if (pass == 0) {
          start[body]++, start[other]++;
        } else {
          memory->neighbours[--start[body]] = (pl_contact_neighbour){other, axis, pair->is_in_tets, pair->is_kept};
          memory->neighbours[--start[other]] = (pl_contact_neighbour){body, axis, pair->is_in_tets, pair->is_kept};
        }
      }
    }
    for (int32_t i = 0; i < memory->body_count && pass == 0; ++i) start[i + 1] += start[i];
  }
}
