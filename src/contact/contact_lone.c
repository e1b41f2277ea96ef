// One body in a workspace: see contact_lone.h.
#include "contact/contact_lone.h"

#include <string.h>

#include "base/context.h"
#include "contact/contact_detect.h"

// Workspaces where the caller runs the tasks, on threads that nobody has counted.
enum { UNCOUNTED_THREADS = 16 };

// Is a body of the kind that may be resolved at once, whatever is near it?
static bool is_eligible(const pl_contact_memory *memory, const pl_contact_body *bodies, int32_t body) {
  return pl_contact_is_small(memory, body) && memory->presences[body].is_fine && bodies[body].rigid == NULL;
}

bool pl_lone_is_kind(const pl_contact_shape *shape, bool is_rigid) {
  return shape->is_small_volume && shape->surface->tet_map->depth > shape->tree.edge_length && !is_rigid;
}

// The plan of a body alone: one pair, whose rows are in the order of the contacts.
static void take_plan(pl_arena *arena, pl_contact_plan *plan, int32_t contact_capacity) {
  plan->pairs = PL_TAKE(arena, pl_contact_pair, 1);
  plan->small_islands = PL_TAKE(arena, pl_pair_range, 1);
  plan->bodies = PL_TAKE(arena, int32_t, 1);
  plan->small_body_start = PL_TAKE(arena, int32_t, 2);
  plan->island_of = PL_TAKE(arena, int32_t, 1);
  plan->row_contacts = PL_TAKE(arena, int32_t, contact_capacity);
  if (arena->failed) return;
  plan->pair_count = plan->island_count = plan->small_count = 1;
  plan->pairs[0] = (pl_contact_pair){.a = 0, .b = -1, .joint = -1, .axis = -1, .color = PL_COLLIDER_COLOR};
  plan->small_islands[0] = (pl_pair_range){0, 1};
  plan->small_body_start[1] = 1;
  for (int32_t i = 0; i < contact_capacity; ++i) plan->row_contacts[i] = i;
}

static void take_workspace(pl_arena *arena, const pl_contact_size *size, pl_lone_workspace *workspace) {
  pl_contact_memory *own = &workspace->memory;
  atomic_flag_clear(&workspace->is_used);
  own->body_count = 1;
  own->term_count = size->term_count;
  own->contact_capacity = size->lone_point_count * PL_CONTACTS_PER_POINT;
  pl_vec3 **particles[5] = {&workspace->points.starts, &workspace->points.start_velocities,
                            &workspace->points.positions, &workspace->points.velocities, &own->move_velocities};
  for (int i = 0; i < 5; ++i) *particles[i] = PL_TAKE(arena, pl_vec3, size->lone_particle_count);
  own->shock_positions = PL_TAKE(arena, pl_f4, size->lone_particle_count + 1);
  own->shock_velocities = PL_TAKE(arena, pl_f4, size->lone_particle_count + 1);
  own->motions = PL_TAKE(arena, pl_surface_motion, 1);
  own->presences = PL_TAKE(arena, pl_contact_presence, 1);
  own->wholes = PL_TAKE(arena, pl_contact_whole, 1);
  own->move_rigids = PL_TAKE(arena, pl_contact_rigid, 1);
  own->outcomes = PL_TAKE(arena, pl_contact_outcome, 1);
  own->point_start = PL_TAKE(arena, int32_t, 2);
  own->block_start = PL_TAKE(arena, int32_t, 2);
  own->particle_start = PL_TAKE(arena, int32_t, 2);
  own->blocks = PL_TAKE(arena, pl_contact_block, size->lone_block_count);
  own->contact_counts = PL_TAKE(arena, int32_t, size->lone_point_count);
  own->contacts = PL_TAKE_RAW(arena, pl_contact, own->contact_capacity);
  own->rows = PL_TAKE_RAW(arena, pl_contact_row, own->contact_capacity);
  own->terms = PL_TAKE_RAW(arena, pl_contact_term, (int64_t)own->contact_capacity * size->term_count);
  own->pulls = PL_TAKE_RAW(arena, pl_contact_pull, (int64_t)own->contact_capacity * size->term_count);
  take_plan(arena, &own->plan, own->contact_capacity);
  pl_vec3 *starts = PL_TAKE(arena, pl_vec3, size->lone_point_count),
          *ends = PL_TAKE(arena, pl_vec3, size->lone_point_count);
  if (arena->failed) return;
  own->motions[0].starts = starts;
  own->motions[0].ends = ends;
  atomic_flag_clear(&own->presences[0].lock);
}

static int32_t count_workspaces(pl_context *context, int32_t body_count) {
  int32_t threads = pl_context_has_task_runner(context) ? UNCOUNTED_THREADS : pl_context_thread_count(context);
  return body_count < threads ? body_count : threads;
}

bool pl_lone_take(pl_contact_memory *memory) {
  pl_arena *arena = &memory->arena;
  const pl_contact_size *size = &memory->size;
  if (size->lone_point_count == 0) return true;
  int64_t contact_count = (int64_t)size->point_count * PL_CONTACTS_PER_POINT;
  int32_t workspace_count = count_workspaces(arena->context, size->body_count);
  memory->lone_bodies = PL_TAKE(arena, pl_lone_body, size->body_count);
  memory->lone_outcomes = PL_TAKE(arena, pl_contact_outcome, size->body_count);
  memory->lone_contacts = PL_TAKE_RAW(arena, pl_lone_contact, contact_count);
  memory->lone_pushes = PL_TAKE_RAW(arena, pl_collider_impulse, contact_count);
  memory->workspaces = PL_TAKE(arena, pl_lone_workspace, workspace_count);
  for (int32_t i = 0; i < workspace_count && !arena->failed; ++i) take_workspace(arena, size, &memory->workspaces[i]);
  return !arena->failed;
}

void pl_lone_begin(pl_contact_memory *memory, const pl_contact_body *bodies) {
  int32_t count = 0;
  for (int32_t i = 0; i < memory->body_count; ++i) count += is_eligible(memory, bodies, i);
  memory->workspace_count = count_workspaces(memory->arena.context, count);
}

bool pl_lone_is_allowed(const pl_contact_solver *solver, const pl_contact_body *bodies, const pl_contact_step *step) {
  const pl_contact_memory *memory = &solver->memory;
  if (step->exchange == NULL || solver->has_no_lone || solver->joint_count > 0 || memory->workspace_count == 0)
    return false;
  // Otherwise surfaces are checked after resolution.
  for (int32_t i = 0; i < memory->body_count; ++i)
    if (!bodies[i].asleep && (!memory->presences[i].is_fine || bodies[i].self_contact)) return false;
  return true;
}

pl_lone_workspace *pl_lone_acquire(pl_contact_memory *memory) {
  // The first that is free: one thread alone always has the same, which is in its cache.
  for (int32_t i = 0;; i = (i + 1) % memory->workspace_count)
    if (!atomic_flag_test_and_set_explicit(&memory->workspaces[i].is_used, memory_order_acquire))
      return &memory->workspaces[i];
}

void pl_lone_release(pl_lone_workspace *workspace) {
  atomic_flag_clear_explicit(&workspace->is_used, memory_order_release);
}

// Most contacts do not bounce: velocities at the start are read when one asks.
static const pl_vec3 *get_start_velocities(void *data) {
  pl_lone_workspace *workspace = data;
  pl_vec3 *velocities = workspace->points.start_velocities;
  if (!workspace->has_start_velocities)
    workspace->exchange->read_start_velocities(workspace->exchange->data, workspace->number, velocities);
  workspace->has_start_velocities = true;
  return velocities;
}

// Body number `body` as the only one of the workspace.
static void begin_body(const pl_contact_memory *memory, const pl_contact_body *bodies, int32_t body,
                       pl_lone_workspace *workspace) {
  pl_contact_memory *own = &workspace->memory;
  const pl_surface_tree *tree = memory->motions[body].tree;
  workspace->body = bodies[body];
  workspace->body.starts = workspace->points.starts;
  workspace->body.get_start_velocities = get_start_velocities;
  workspace->body.write_data = workspace;
  workspace->has_start_velocities = false;
  workspace->number = body;
  workspace->body.positions = workspace->points.positions;
  workspace->body.velocities = workspace->points.velocities;
  workspace->body.write_points = NULL;
  own->motions[0].tree = tree;
  own->collider_count = memory->collider_count;
  own->collider_steps = memory->collider_steps;
  own->endless_colliders = memory->endless_colliders;
  own->endless_count = memory->endless_count;
  own->point_start[1] = tree->surface->point_count;
  own->particle_start[1] = tree->surface->particle_count;
  own->block_count = own->block_start[1] = tree->block_count;
  for (int32_t b = 0; b < tree->block_count; ++b) {
    own->blocks[b].first = tree->block_start[b];
    own->blocks[b].count = tree->block_start[b + 1] - tree->block_start[b];
  }
  own->presences[0].is_searched = true;
  own->presences[0].is_near_plane = memory->presences[body].is_near_plane;
  own->presences[0].is_near_large = memory->presences[body].is_near_large;
}

int32_t pl_lone_find(pl_contact_solver *solver, const pl_contact_body *bodies, const pl_contact_step *step,
                     int32_t body, pl_lone_workspace *workspace) {
  pl_contact_memory *own = &workspace->memory;
  begin_body(&solver->memory, bodies, body, workspace);
  workspace->exchange = step->exchange;
  step->exchange->read(step->exchange->data, body, &workspace->points);
  pl_contact_detection d = {.memory = own,
                            .bodies = &workspace->body,
                            .pairs = &solver->pairs,
                            .first_body = body,
                            .step = step->step,
                            .scale = pl_contact_scale_of(step)};
  pl_contact_place_boxes(&d, 0);
  pl_contact_need_points(&d, 0);
  pl_contact_find_colliders(&d, 0, &solver->memory.broad, solver->memory.body_count);
  pl_contact_sort_points(own, 0);
  int32_t count = pl_contact_pack_points(own);
  pl_contact_apply_rules(&solver->pairs, body, own->contacts, count);
  own->plan.pairs[0].count = count;
  return count;
}

static void keep_contact(const pl_lone_workspace *workspace, int32_t i, pl_lone_contact *to) {
  const pl_contact *contact = &workspace->memory.contacts[i];
  const pl_contact_row *row = &workspace->memory.rows[i];
  *to = (pl_lone_contact){.point = contact->a.points[0],
                          .collider = contact->collider,
                          .normal = contact->normal,
                          .depth = contact->depth,
                          .impulse = pl_larger(row->normal_impulse + row->rest_impulse, 0)};
}

void pl_lone_finish(pl_contact_memory *memory, const pl_contact_step *step, const pl_lone_body *lone,
                    const pl_lone_workspace *workspace) {
  const pl_contact_memory *own = &workspace->memory;
  const pl_contact_outcome *outcome = &own->outcomes[0];
  memory->lone_outcomes[lone->body] = *outcome;
  for (int32_t i = 0; i < lone->count; ++i) {
    keep_contact(workspace, i, &memory->lone_contacts[lone->first + i]);
    if (outcome->collider >= 0) continue;
    memory->lone_pushes[lone->first + i] = pl_contact_row_push(&own->rows[i]);
  }
  step->exchange->write(step->exchange->data, lone->body, &workspace->points, workspace->body.moved);
}

// The body whose slots hold a contact.
static int32_t body_of_contact(const pl_contact_memory *memory, int32_t number) {
  int32_t first = 0, count = memory->lone_count;
  while (count > 1) {
    int32_t half = count / 2;
    if (memory->lone_bodies[first + half].first <= number) {
      first += half;
      count -= half;
    } else {
      count = half;
    }
  }
  return memory->lone_bodies[first].body;
}

pl_contact pl_lone_contact_of(const pl_contact_memory *memory, int32_t number, double *impulse) {
  const pl_lone_contact *contact = &memory->lone_contacts[number];
  *impulse = contact->impulse;
  return (pl_contact){.a = {body_of_contact(memory, number), 1, {contact->point}, {1}},
                      .b = {.body = -1},
                      .collider = contact->collider,
                      .normal = contact->normal,
                      .depth = contact->depth};
}

void pl_lone_add_pushes(const pl_contact_memory *memory, const pl_contact_pair *pair, pl_collider_impulse *impulses) {
  int32_t first = memory->point_start[pair->a] * PL_CONTACTS_PER_POINT;
  for (int32_t i = first; i < first + pair->count; ++i) {
    pl_collider_impulse_add(&impulses[memory->lone_contacts[i].collider], &memory->lone_pushes[i]);
  }
}
