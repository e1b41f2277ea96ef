// The world's side of contact: bodies and colliders are laid out for the solver, and what it changed goes back into the
// bodies.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "contact/surface_motion.h"
#include "world/world_coupled.h"
#include "world/world_joints.h"
#include "world/world_segments.h"

bool pl_world_is_alone(const pl_world *world) {
  if (world->contact_bodies.count == 0) return true;
  if (world->contact_joints.count > 0) return false;
  if (world->collider_list.count > 0 || world->contact_bodies.count > 1) return false;
  return !PL_ITEM(&world->contact_bodies, pl_contact_body, 0).self_contact;
}

bool pl_body_meets_others(const pl_body *body) {
  return body->contact_number >= 0;
}

// Do colliders touch faces and edges of a body? Not those of rods and animated meshes, nor of bodies that given springs
// hold out of colliders, or whose drivers plan with the springs.
static bool meets_faces(const pl_body *body) {
  const pl_body_method *method = body->model->method;
  if (!body->collides || method->get_collider != NULL) return false;
  return !method->handles_colliders || (method->coupled != NULL && !body->model->keeps_springs);
}

static bool is_listed(const pl_world *world, int32_t index) {
  const pl_body *body = pl_slots_at(&world->bodies, index);
  if (body->model->method->handles_bodies) return false;
  pl_slot_id id = pl_slots_id_at(&world->bodies, index);
  return body->collides || pl_world_is_coupled(world, (pl_body_id){id.slot, id.generation});
}

static bool list_bodies(pl_world *world) {
  world->contact_bodies.count = world->contact_numbers.count = 0;
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    pl_body *body = pl_slots_at(&world->bodies, i);
    body->contact_number = is_listed(world, i) ? (int32_t)world->contact_bodies.count : -1;
    body->bounces = false;
    if (!pl_body_meets_others(body)) continue;
    pl_contact_body entry = {
        .surface = &body->model->surface,
        .starts = body->starts,
        .positions = body->positions,
        .velocities = body->velocities,
        .start_velocities = body->start_velocities,
        .inverse_masses = body->inverse_masses,
        .rigid = body->model->method->get_rigid != NULL ? &body->rigid : NULL,
        .friction = body->model->friction,
        .restitution = body->model->restitution,
        .radius = body->model->contact_radius,
        .filter = body->filter,
        .damping = body->model->method->can_sleep != NULL && body->model->method->coupled == NULL
                       ? world->def.contact_damping
                       : 0,
        .impulses = body->impulses,
        .has_impulses = &body->has_impulses,
        .impulse_mask = &body->impulse_mask,
        .press_mask = &body->press_mask,
        .id = pl_slots_id_at(&world->bodies, i).slot,
        .is_elastic = body->model->method->get_rigid == NULL,
        .self_contact = body->model->self_contact && body->collides,
        .spares_colliders = body->model->method->handles_colliders || !body->collides,
        .spares_faces = !meets_faces(body),
        .spares_bodies = !body->collides,
        .is_kinematic = body->model->method->get_collider != NULL,
    };
    if (!pl_vector_push(&world->contact_bodies, &entry) || !pl_vector_push(&world->contact_numbers, &i)) return false;
  }
  return true;
}

static bool list_colliders(pl_world *world) {
  world->collider_list.count = 0;
  for (int32_t i = 0; i < pl_slots_count(&world->colliders); ++i) {
    const pl_collider *collider = pl_slots_at(&world->colliders, i);
    if (!pl_vector_push(&world->collider_list, &collider)) return false;
  }
  return true;
}

// Slots per body of what a step counts.
static bool take_slots(pl_world *world) {
  size_t count = (size_t)pl_slots_count(&world->bodies);
  pl_vector *vectors[3] = {&world->awake, &world->island_seconds, &world->island_groups};
  for (int i = 0; i < 3; ++i)
    if (vectors[i]->count < count && pl_vector_grow(vectors[i], count - vectors[i]->count) == NULL) return false;
  return true;
}

static int compare_pairs(const void *a, const void *b) {
  const pl_contact_spared_pair *p = a, *q = b;
  if (p->low != q->low) return p->low < q->low ? -1 : 1;
  return p->high < q->high ? -1 : p->high > q->high;
}

// Only bodies of such a pair ask the list.
static void spare_pairs(pl_world *world) {
  const pl_contact_spared_pair *pairs = world->spared_pairs.items;
  int32_t count = (int32_t)world->spared_pairs.count;
  if (count == 0) return;
  qsort(world->spared_pairs.items, (size_t)count, sizeof(pl_contact_spared_pair), compare_pairs);
  for (int32_t i = 0; i < 2 * count; ++i) {
    int32_t number = i % 2 == 0 ? pairs[i / 2].low : pairs[i / 2].high;
    pl_contact_body *body = &PL_ITEM(&world->contact_bodies, pl_contact_body, number);
    body->spared = pairs;
    body->spared_count = count;
  }
}

// What steps would find out by walking all bodies, and what no step changes.
static void plan_bodies(pl_world *world) {
  world->has_obstacles = pl_world_has_obstacles(world);
  world->has_coupled = pl_world_has_coupled(world);
  world->all_noted = true;
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    pl_body *body = pl_slots_at(&world->bodies, i);
    body->is_noted = pl_body_meets_others(body) && pl_body_may_move_in_parallel(body);
    world->all_noted = world->all_noted && body->is_noted;
  }
}

pl_status pl_world_prepare_contact(pl_world *world, pl_error *error) {
  if (world->prepared) return PL_OK;
  pl_world_gather_presses(world, false);
  world->resolved = 0;
  if (!list_bodies(world) || !list_colliders(world) || !pl_world_list_pairs(world) || !take_slots(world) ||
      !pl_world_take_impulses(world))
    return pl_fail_memory(error);
  pl_status status = pl_world_prepare_events(world, error);
  if (status >= 0) status = pl_world_list_couplings(world, error);
  if (status < 0) return status;
  spare_pairs(world);
  pl_world_mark_bouncing(world);
  if (!pl_world_is_alone(world)) {
    status = pl_contact_solver_prepare(world->contact_solver, world->contact_bodies.items,
                                       (int32_t)world->contact_bodies.count, world->collider_list.items,
                                       (int32_t)world->collider_list.count, error);
    if (status < 0) return status;
  }
  plan_bodies(world);
  world->prepared = true;
  return PL_OK;
}

static pl_body *awake_body(const pl_world *world, int32_t k) {
  return pl_slots_at(&world->bodies, PL_ITEM(&world->awake, int32_t, k));
}

enum { NOTE_GRAIN = 8, MARK_GRAIN = 32 };

// While no more bodies than these are awake, or no more surface points of theirs, all edges of soft bodies are tested
// whatever `all_edges` says. By points alone a box that falls on another from half a metre is 14 mm deep in it; with
// edges, a heap of 100 boxes of 56 points takes five times as long, which is still real time on two threads. The
// numbers are part of what world_parameters.c says about `all_edges`.
enum { FEW_BODIES = 32, FEW_POINTS = 8192 };

static bool is_few_awake(const pl_world *world) {
  int64_t count = 0;
  if (world->awake_count <= FEW_BODIES) return true;
  for (int32_t k = 0; k < world->awake_count && count <= FEW_POINTS; ++k)
    count += awake_body(world, k)->model->surface.point_count;
  return count <= FEW_POINTS;
}

static void note_start(pl_body *body) {
  body->has_ends = false;
  if (!pl_body_meets_others(body)) return;
  body->model->method->get_positions(body->model, body->state, body->starts);
  body->model->method->get_velocities(body->model, body->state, body->start_velocities);
}

static void note_end(pl_body *body, bool alone) {
  const pl_body_method *method = body->model->method;
  method->get_positions(body->model, body->state, body->positions);
  if (alone || !pl_body_meets_others(body)) return;
  method->get_velocities(body->model, body->state, body->velocities);
  if (method->get_rigid != NULL) method->get_rigid(body->model, body->state, &body->rigid);
}

static pl_contact_extent extent_of(const pl_body *body, const pl_vec3 *positions) {
  int32_t count = body->model->particle_count;
  pl_vec3 sum = {0, 0, 0};
  for (int32_t i = 0; i < count; ++i) sum = pl_vec3_add(sum, positions[i]);
  return (pl_contact_extent){pl_box_of_points(positions, count), pl_vec3_scale(sum, 1.0 / count)};
}

static void read_motion(const pl_body *body, pl_vec3 *positions, pl_vec3 *velocities, pl_contact_extent *extent) {
  const pl_body_method *method = body->model->method;
  if (method->read_motion != NULL) {
    method->read_motion(body->model, body->state, positions, velocities, extent);
    return;
  }
  method->get_positions(body->model, body->state, positions);
  method->get_velocities(body->model, body->state, velocities);
  *extent = extent_of(body, positions);
}

static void exchange(pl_vec3 **a, pl_vec3 **b) {
  pl_vec3 *was = *a;
  *a = *b;
  *b = was;
}

// A step begins where the last one ended: the arrays of its end become those of the start.
static void note_start_again(pl_body *body) {
  exchange(&body->starts, &body->positions);
  exchange(&body->start_velocities, &body->velocities);
  body->note.extents[0] = body->note.extents[1];
  body->has_ends = false;
}

static double max_deviation_of(const pl_body *body, const pl_vec3 *velocities) {
  int32_t count = body->model->particle_count;
  pl_vec3 mean = {0, 0, 0};
  double max_square = 0;
  for (int32_t i = 0; i < count; ++i) mean = pl_vec3_add(mean, velocities[i]);
  mean = pl_vec3_scale(mean, 1.0 / count);
  for (int32_t i = 0; i < count; ++i) {
    pl_vec3 deviation = pl_vec3_sub(velocities[i], mean);
    double square = pl_vec3_dot(deviation, deviation);
    max_square = square > max_square ? square : max_square;
  }
  // 0 would mean that it is not known.
  return fmax(sqrt(max_square), DBL_MIN);
}

static void note_rest(const pl_world *world, pl_body *body, const pl_vec3 *positions, const pl_vec3 *velocities) {
  pl_body_note *note = &body->note;
  note->is_known = true;
  note->is_still = pl_body_is_still(body, positions, velocities, world->def.sleep_speed);
  pl_body_find_poles(body, positions, note->poles);
}

static void note_not_finite(pl_world *world, pl_body *body) {
  body->note.not_finite = body->model->method->find_not_finite(body->model, body->state);
  if (body->note.not_finite >= 0) world->noted_not_finite = true;
}

static void note_state(pl_world *world, pl_body *body, const pl_vec3 *positions, const pl_vec3 *velocities) {
  note_rest(world, body, positions, velocities);
  note_not_finite(world, body);
}

// The points of a body that contact turns out to need: of many bodies in the air none are, and writing them for all
// takes half of the memory that a step reads and writes.
void pl_body_write_points(pl_body *body) {
  const pl_body_method *method = body->model->method;
  if (body->has_points) return;
  method->get_positions(body->model, body->saved, body->starts);
  method->get_velocities(body->model, body->saved, body->start_velocities);
  method->get_positions(body->model, body->state, body->positions);
  method->get_velocities(body->model, body->state, body->velocities);
  body->has_points = true;
  body->was_lone = false;
}

static void write_points(void *data) {
  pl_body_write_points(data);
}

// Are the points of a body written when they are needed? It is in the air, or contact could do without them in the last
// step; and its state before the move is saved.
static bool is_written_later(const pl_world *world, const pl_body *body) {
  return world->saves_in_move && (!body->has_impulses || body->was_lone) && body->model->method->get_rigid == NULL;
}

bool pl_body_note_start(const pl_world *world, pl_body *body, pl_scratch *scratch) {
  body->has_points = !is_written_later(world, body);
  if (body->has_points && body->has_ends) {
    note_start_again(body);
    return true;
  }
  if (body->has_points) {
    note_start(body);
    body->note.extents[0] = extent_of(body, body->starts);
    return true;
  }
  body->has_ends = false;
  pl_scratch_mark mark = pl_scratch_push(scratch);
  pl_vec3 *positions = PL_SCRATCH(scratch, pl_vec3, body->model->particle_count);
  if (positions == NULL) return false;
  body->model->method->get_positions(body->model, body->state, positions);
  body->note.extents[0] = extent_of(body, positions);
  pl_scratch_pop(scratch, mark);
  return true;
}

bool pl_body_note_end(pl_world *world, pl_body *body, pl_scratch *scratch) {
  pl_body_note *note = &body->note;
  pl_scratch_mark mark = pl_scratch_push(scratch);
  pl_vec3 *positions = body->positions, *velocities = body->velocities;
  if (!body->has_points) {
    positions = PL_SCRATCH(scratch, pl_vec3, body->model->particle_count);
    velocities = PL_SCRATCH(scratch, pl_vec3, body->model->particle_count);
    if (positions == NULL || velocities == NULL) return false;
  }
  read_motion(body, positions, velocities, &note->extents[1]);
  if (body->model->method->get_rigid != NULL) body->model->method->get_rigid(body->model, body->state, &body->rigid);
  body->range = pl_body_range_of(body, &note->extents[1].box);
  if (body->range != PL_BODY_IN_RANGE) world->noted_out_of_range = true;
  note->is_known = false;
  note->max_deviation = body->has_impulses ? 0 : max_deviation_of(body, velocities);
  if (!body->has_impulses) note_rest(world, body, positions, velocities);
  note_not_finite(world, body);
  pl_scratch_pop(scratch, mark);
  return true;
}

static void note_starts(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const pl_world *world = data;
  for (int32_t k = begin; k < end; ++k) {
    pl_body *body = awake_body(world, k);
    if (!world->notes_in_move || !body->is_noted) note_start(body);
  }
}

static void note_ends(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const pl_world *world = data;
  bool alone = pl_world_is_alone(world);
  for (int32_t k = begin; k < end; ++k) {
    pl_body *body = awake_body(world, k);
    if (!world->notes_in_move || !body->is_noted) note_end(body, alone);
  }
}

// Does nothing but its own move change a body between forces and contact?
static bool moves_alone(const pl_world *world) {
  return pl_slots_count(&world->pins) == 0 && pl_slots_count(&world->attachments) == 0 &&
         pl_slots_count(&world->joints) == 0 && !world->lines_moved && !world->has_obstacles &&
         !pl_world_moves_together(world);
}

void pl_world_plan_notes(pl_world *world) {
  world->notes_in_move = !pl_world_is_alone(world) && moves_alone(world);
  world->saves_in_move = world->notes_in_move && world->controllers.count == 0;
  world->noted_not_finite = world->noted_out_of_range = false;
}

bool pl_world_notes_all(const pl_world *world) {
  return world->notes_in_move && world->all_noted;
}

void pl_world_note_starts(pl_world *world) {
  if (pl_world_is_alone(world) || pl_world_notes_all(world)) return;
  pl_parallel_for(world->context, world->awake_count, NOTE_GRAIN, note_starts, world);
}

void pl_world_note_ends(pl_world *world) {
  if (pl_world_notes_all(world)) return;
  pl_parallel_for(world->context, world->awake_count, NOTE_GRAIN, note_ends, world);
}

// What the solver changed goes back into the bodies.
typedef struct commitment {
  pl_world *world;
  pl_contact_body *entries;
} commitment;

void pl_body_round_motion(pl_world *world, pl_body *body) {
  body->note.not_finite = -1;
  body->has_ends = true;
  if (!body->model->method->round_motion(body->model, body->state, body->positions, body->velocities,
                                         &body->note.extents[1]))
    note_not_finite(world, body);
}

static void commit_body(pl_world *world, pl_body *body) {
  const pl_body_method *method = body->model->method;
  bool is_noted = world->notes_in_move && body->is_noted;
  if (is_noted && method->round_motion != NULL) {
    note_rest(world, body, body->positions, body->velocities);
    pl_body_round_motion(world, body);
    return;
  }
  if (method->set_rigid != NULL)
    method->set_rigid(body->model, body->state, &body->rigid);
  else
    method->set_state(body->model, body->state, body->positions, body->velocities);
  if (method->set_rigid != NULL) method->get_velocities(body->model, body->state, body->velocities);
  if (is_noted) note_state(world, body, body->positions, body->velocities);
}

static void commit_bodies(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const commitment *c = data;
  for (int32_t k = begin; k < end; ++k) {
    int32_t index = PL_ITEM(&c->world->contact_numbers, int32_t, k);
    pl_body *body = pl_slots_at(&c->world->bodies, index);
    if (c->entries[k].moved) commit_body(c->world, body);
    pl_body_part_when_committed(c->world, index);
  }
}

// --- bodies that are resolved at once

static pl_body *body_of_number(const pl_world *world, int32_t number) {
  return pl_slots_at(&world->bodies, PL_ITEM(&world->contact_numbers, int32_t, number));
}

static void read_lone(void *data, int32_t number, const pl_contact_points *points) {
  const pl_body *body = body_of_number(data, number);
  const pl_body_method *method = body->model->method;
  method->get_positions(body->model, body->saved, points->starts);
  method->get_positions(body->model, body->state, points->positions);
  method->get_velocities(body->model, body->state, points->velocities);
}

static void read_start_velocities(void *data, int32_t number, pl_vec3 *velocities) {
  const pl_body *body = body_of_number(data, number);
  body->model->method->get_velocities(body->model, body->saved, velocities);
}

// What commit_bodies() and pl_world_part_from_colliders() do for all others.
static void write_lone(void *data, int32_t number, const pl_contact_points *points, bool moved) {
  pl_world *world = data;
  pl_body *body = body_of_number(world, number);
  // Events tell where bodies touch.
  if (world->events != NULL)
    memcpy(body->positions, points->positions, (size_t)body->model->particle_count * sizeof(pl_vec3));
  if (moved) {
    body->model->method->set_state(body->model, body->state, points->positions, points->velocities);
    note_state(world, body, points->positions, points->velocities);
  }
  pl_body_part_from_colliders(world, PL_ITEM(&world->contact_numbers, int32_t, number), points);
  if (!body->note.is_known) note_state(world, body, points->positions, points->velocities);
  body->was_lone = true;
  body->has_points = false;
}

static bool keep_out(void *data, int32_t number, pl_contact_hold *holds) {
  pl_world *world = data;
  return pl_body_part_points(world, PL_ITEM(&world->contact_numbers, int32_t, number), holds);
}

// What contact has to know of the bodies in this step.
typedef struct marking {
  pl_world *world;
  bool is_held;  // particles of some body are
  bool is_few;
  atomic_bool any;  // some body fell asleep or woke
} marking;

static void mark_body(marking *m, pl_body *body, pl_contact_body *entry) {
  const pl_world *world = m->world;
  bool is_noted = world->notes_in_move && body->is_noted, sleeps = pl_body_sleeps(body);
  if (entry->asleep != sleeps) m->any = true;
  entry->asleep = sleeps;
  // Where nothing is held, bodies of one model have the same masses: one array of these stays in the cache.
  entry->inverse_masses = m->is_held ? body->inverse_masses : body->model->inverse_masses;
  entry->extents = is_noted ? body->note.extents : NULL;
  entry->max_deviation = is_noted ? body->note.max_deviation : 0;
  entry->write_points = is_noted && !body->has_points ? write_points : NULL;
  entry->write_data = body;
  entry->all_edges = world->def.all_edges || (m->is_few && body->model->method->coupled == NULL);
  entry->may_be_lone = is_noted && world->saves_in_move && entry->rigid == NULL;
  entry->starts = body->starts;
  entry->positions = body->positions;
  entry->start_velocities = body->start_velocities;
  entry->velocities = body->velocities;
  entry->last_impulses = pl_world_swap_impulses(world, body);
  entry->impulses = body->impulses;
  // Impulses that are not swapped may change in the step.
  entry->last_mask = entry->last_impulses != entry->impulses ? body->saved_impulse_mask : ~(pl_contact_mask)0;
}

static void mark_bodies(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  marking *m = data;
  for (int32_t k = begin; k < end; ++k) {
    pl_body *body = pl_slots_at(&m->world->bodies, PL_ITEM(&m->world->contact_numbers, int32_t, k));
    mark_body(m, body, &PL_ITEM(&m->world->contact_bodies, pl_contact_body, k));
  }
}

bool pl_world_mark_sleepers(pl_world *world) {
  marking m = {.world = world,
               .is_held = pl_slots_count(&world->pins) > 0 || pl_slots_count(&world->attachments) > 0,
               .is_few = is_few_awake(world)};
  pl_parallel_for(world->context, (int32_t)world->contact_bodies.count, MARK_GRAIN, mark_bodies, &m);
  return m.any;
}

// Contacts at the end of the moves. A coupled solve ends with a search that found nothing more to solve: then they are
// known.
static pl_status find_contacts(pl_world *world, bool is_known, const pl_contact_step *step, pl_error *error) {
  if (is_known) return PL_OK;
  return pl_contact_solver_detect(world->contact_solver, world->contact_bodies.items,
                                  (int32_t)world->contact_bodies.count, world->collider_list.items,
                                  (int32_t)world->collider_list.count, step, NULL, NULL, error);
}

pl_status pl_world_resolve_contact(pl_world *world, pl_contact_report *report, pl_error *error) {
  if (pl_world_is_alone(world)) return PL_OK;
  pl_contact_body *entries = world->contact_bodies.items;
  int32_t count = (int32_t)world->contact_bodies.count;
  bool is_known = !pl_world_mark_sleepers(world) && world->contacts_found;
  pl_world_start_couplings(world);
  pl_contact_exchange exchange = {world, read_lone, read_start_velocities, write_lone, keep_out};
  pl_contact_step step = {.time = pl_world_get_time(world),
                          .step = world->def.step,
                          .rounds = world->def.contact_rounds,
                          .gravity = world->def.gravity,
                          .number = world->step_count,
                          .exchange = &exchange};
  pl_status status = find_contacts(world, is_known, &step, error);
  if (status >= 0) status = pl_contact_solver_resolve(world->contact_solver, entries, count, &step, report, error);
  if (status < 0) return status;
  world->resolved = ++world->resolution_count;
  pl_world_collect_contacts(world);
  pl_world_finish_couplings(world);
  pl_contact_solver_add_collider_impulses(world->contact_solver, world->step_impulses.items);
  pl_world_wake_touched(world);
  commitment c = {world, entries};
  pl_parallel_for(world->context, count, NOTE_GRAIN, commit_bodies, &c);
  return PL_OK;
}
