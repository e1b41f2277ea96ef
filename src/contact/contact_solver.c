// The contact solver: its memory is sized when bodies or colliders change, so that steps allocate nothing.
#include "contact/contact_solver.h"

#include <assert.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "contact/contact_lone.h"

// A tree over more would not count its nodes in 32 bits.
enum { MAX_ITEMS = 1 << 29 };
// Contacts are counted in 32 bits.
enum { MAX_POINTS = INT32_MAX / PL_CONTACTS_PER_POINT };

pl_status pl_contact_solver_create(pl_context *context, pl_contact_solver **result, pl_error *error) {
  *result = NULL;
  pl_contact_solver *solver = pl_allocate_array(context, 1, sizeof(pl_contact_solver));
  if (solver == NULL) return pl_fail_memory(error);
  solver->context = context;
  pl_arena_init(&solver->memory.arena, context, 0);
  pl_contact_shapes_init(&solver->shapes, context);
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
  pl_contact_shapes_destroy(&solver->shapes);
  pl_release(solver->context, solver);
}

// A size with room to grow, so that most bodies that are added do not take the memory again; `needed` itself where that
// would be more than can be counted.
static pl_contact_size add_reserve(pl_contact_size needed) {
  pl_contact_size size = needed;
  int32_t *counts[] = {&size.body_count,     &size.collider_count, &size.point_count,
                       &size.particle_count, &size.block_count,    &size.edge_block_count};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
    if (*counts[i] > INT32_MAX / 2) return needed;
    *counts[i] += *counts[i] / 4;
  }
  bool is_counted = pl_contact_size_contacts(&size) <= INT32_MAX && size.point_count <= MAX_POINTS &&
                    size.body_count + size.collider_count <= MAX_ITEMS;
  size.joint_count *= 2;
  return is_counted ? size : needed;
}

// Do arrays of one size serve for another? Not those of a world that has lost most of its bodies.
static bool is_served(const pl_contact_size *size, const pl_contact_size *needed) {
  return needed->body_count <= size->body_count && needed->collider_count <= size->collider_count &&
         needed->joint_count <= size->joint_count && needed->point_count <= size->point_count &&
         needed->particle_count <= size->particle_count && needed->block_count <= size->block_count &&
         needed->edge_block_count <= size->edge_block_count && needed->term_count <= size->term_count &&
         needed->tet_block_count <= size->tet_block_count && needed->lone_point_count <= size->lone_point_count &&
         needed->lone_particle_count <= size->lone_particle_count &&
         needed->lone_block_count <= size->lone_block_count && size->body_count / 4 <= needed->body_count &&
         size->point_count / 4 <= needed->point_count;
}

static int32_t edge_blocks_of(const pl_contact_surface *surface) {
  int32_t last = surface->triangle_count - 1;
  return surface->triangle_count > 0 ? last / PL_CONTACT_EDGE_TRIANGLES + 1 : 0;
}

static int32_t larger_of(int32_t a, int32_t b) {
  return a > b ? a : b;
}

// The largest of the bodies of each kind; rigid bodies have no particles of their own.
static void measure_body(const pl_contact_shape *shape, bool is_rigid, pl_contact_size *size) {
  const pl_contact_surface *surface = shape->surface;
  // Particles that carry a contact at most: those of a point and a triangle, or of two edges.
  if (!is_rigid) size->term_count = larger_of(size->term_count, 4 * shape->parent_count);
  if (shape->is_small_volume) size->tet_block_count = larger_of(size->tet_block_count, surface->tet_map->block_count);
  if (!pl_lone_is_kind(shape, is_rigid)) return;
  size->lone_point_count = larger_of(size->lone_point_count, surface->point_count);
  size->lone_particle_count = larger_of(size->lone_particle_count, surface->particle_count);
  size->lone_block_count = larger_of(size->lone_block_count, shape->tree.block_count);
}

static pl_status measure(const pl_contact_solver *solver, const pl_contact_body *bodies, pl_contact_size *size,
                         pl_error *error) {
  int64_t points = 0, particles = 0, edge_blocks = 0;
  const pl_contact_shape *shape = NULL;
  size->term_count = 4;
  if ((int64_t)size->body_count + size->collider_count > MAX_ITEMS)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "more than %d bodies and colliders", MAX_ITEMS);
  for (int32_t i = 0; i < size->body_count; ++i) {
    if (shape == NULL || shape->surface != bodies[i].surface)
      shape = pl_contact_shapes_find(&solver->shapes, bodies[i].surface);
    points += shape->surface->point_count;
    particles += shape->surface->particle_count;
    edge_blocks += edge_blocks_of(shape->surface);
    if (points > MAX_POINTS)
      return pl_fail(error, PL_ERROR_UNSUPPORTED, "more than %d surface points collide", MAX_POINTS);
    if (particles > INT32_MAX) return pl_fail(error, PL_ERROR_UNSUPPORTED, "more than %d particles collide", INT32_MAX);
    if (points * PL_CONTACTS_PER_POINT + edge_blocks * PL_CONTACT_EDGE_SLOTS > INT32_MAX)
      return pl_fail(error, PL_ERROR_UNSUPPORTED, "too many surface points and triangles collide");
    // There are no more blocks than points.
    size->block_count += shape->tree.block_count;
    measure_body(shape, bodies[i].rigid != NULL, size);
  }
  size->point_count = (int32_t)points;
  size->particle_count = (int32_t)particles;
  size->edge_block_count = (int32_t)edge_blocks;
  return PL_OK;
}

// The memory of the bodies before serves again if it is large enough.
static pl_status take_memory(pl_contact_solver *solver, const pl_contact_size *needed, pl_contact_memory *memory,
                             pl_error *error) {
  *memory = (pl_contact_memory){.body_count = needed->body_count, .collider_count = needed->collider_count};
  if (is_served(&solver->memory.size, needed)) {
    memory->size = solver->memory.size;
    memory->arena = solver->memory.arena;
    pl_arena_reset(&memory->arena);
    bool is_taken = pl_contact_memory_take(memory);
    assert(is_taken);
    (void)is_taken;
    return PL_OK;
  }
  memory->size = add_reserve(*needed);
  pl_arena_init(&memory->arena, solver->context, 0);
  if (!pl_contact_memory_take(memory)) {
    pl_arena_destroy(&memory->arena);
    return pl_fail_memory(error);
  }
  pl_arena_destroy(&solver->memory.arena);
  return PL_OK;
}

pl_status pl_contact_solver_prepare(pl_contact_solver *solver, const pl_contact_body *bodies, int32_t body_count,
                                    const pl_collider *const *colliders, int32_t collider_count, pl_error *error) {
  (void)colliders;
  pl_status status = pl_contact_shapes_prepare(&solver->shapes, bodies, body_count, error);
  if (status < 0) return status;
  pl_contact_size needed = {
      .body_count = body_count, .collider_count = collider_count, .joint_count = solver->joint_count};
  pl_contact_memory memory;
  status = measure(solver, bodies, &needed, error);
  if (status >= 0) status = take_memory(solver, &needed, &memory, error);
  if (status < 0) {
    pl_contact_shapes_revert(&solver->shapes);
    return status;
  }
  pl_contact_shapes_keep(&solver->shapes);
  solver->memory = memory;
  solver->contact_count = 0;
  pl_contact_memory_begin(&solver->memory, &solver->shapes, bodies);
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

bool pl_contact_solver_is_near_faces(const pl_contact_solver *solver, int32_t body) {
  return solver->memory.presences[body].is_near_faces;
}

pl_contact_view pl_contact_solver_get_edge_contacts(const pl_contact_solver *solver, int32_t body) {
  const pl_contact_presence *presence = &solver->memory.presences[body];
  return (pl_contact_view){presence->edge_contact_count, &solver->memory.contacts[presence->first_edge_contact]};
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
    if (!pl_contact_memory_take_plan(memory, 2 * joint_count)) return pl_fail_memory(error);
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
