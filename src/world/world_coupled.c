// Contact solved with the step: Newton's method over all bodies that touch an implicit one, directly or through others.
//
//   z = argmin  sum over bodies Φ_b(z)  +  sum over contacts V_c(z)
//
//   z     positions of all particles at the end of the step
//   Φ_b   incremental potential of an implicit body (body_method.h), ½ |z - y|²_M / h² of any other, y being where its
//         own step has taken it; of a rigid one by centre and rotation (world_coupled_rigid.c)
//   V_c   contact and friction (contact_potential.h)
//
// Bodies that move alone and are pushed apart afterwards cannot form a stack: the push reaches one layer of particles,
// and what the layers behind need is known a step later. Here the load of a pile goes through all bodies in the step in
// which it acts.
//
// The order: explicit methods move. Where implicit ones will be is guessed from their velocities; contacts are found
// for that, bodies that touch form islands, each is solved roughly, and contacts are found again, for where the bodies
// are now. Most of those that the guess knew nothing of are found then, so the next solve is most often the last. What
// overlaps without having been part of it is added and its islands are solved again: nothing passes. Bodies that touch
// no other take their own step, as if they were alone.
#include "world/world_coupled.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "contact/contact_cache.h"
#include "pliant/math.h"
#include "world/world_coupled_solve.h"
#include "world/world_joints.h"
#include "world/world_segments.h"

// Overlap from before the step fades with this time constant, but no faster than at this speed, m/s: faster would be a
// blow.
static const double FADE_SECONDS = 0.04, FADE_SPEED = 0.5;
// Contacts are deep where bodies overlapped before the step by more than this multiple of what counts as none: they
// were put into each other. Such contacts have no friction. Which part of a surface a point inside would rub on is not
// known, it keeps the bodies from coming apart, and hundreds of contacts that slide each in another direction take more
// iterations than all the rest.
static const double DEEP = 20;
enum { MAX_SEARCHES = 5 };

bool pl_world_has_coupled(const pl_world *world) {
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    const pl_body *body = pl_slots_at(&world->bodies, i);
    if (pl_body_meets_others(body) && body->model->method->coupled != NULL) return true;
  }
  return false;
}

bool pl_world_moves_together(const pl_world *world) {
  if (world->contact_bodies.count == 0 || !world->has_coupled) return false;
  return world->contact_bodies.count > 1 || world->has_bouncing || world->has_touched_faces ||
         PL_ITEM(&world->contact_bodies, pl_contact_body, 0).self_contact;
}

// --- multipliers ---------------------------------------------------------------------------------------------------

// The body that a term is solved with: that of its first side, unless nothing moves it.
static int32_t body_of(const pl_coupled *j, int32_t term) {
  const pl_contact *c = &j->contacts[term];
  return pl_coupled_is_obstacle(&j->bodies[c->a.body]) && c->collider < 0 ? c->b.body : c->a.body;
}

// The forces of a contact in the last step, from its impulse.
static void start_multipliers(const pl_coupled *j, int32_t index) {
  pl_contact_potential *term = &j->terms[index];
  pl_vec3 impulse = pl_contact_cache_find(j->world->contact_bodies.items, j->contacts, index);
  pl_vec3 force = pl_vec3_scale(impulse, 1 / j->world->def.step);
  double along = pl_vec3_dot(force, term->normal);
  if (!(along > 0)) return;
  term->normal_multiplier = along;
  term->tangent_multiplier = pl_vec3_add_scaled(force, term->normal, -along);
}

static void keep_multipliers(const pl_coupled *j) {
  const pl_contact_body *bodies = j->world->contact_bodies.items;
  for (int32_t b = 0; b < j->body_count; ++b)
    if (j->bodies[b].state == PL_COUPLED_TOGETHER) pl_contact_cache_clear(&bodies[b]);
  for (int32_t i = 0; i < j->term_count; ++i) {
    const pl_contact_potential *t = &j->terms[i];
    const pl_coupled_body *b = &j->bodies[body_of(j, i)];
    if (b->state != PL_COUPLED_TOGETHER || !(t->force > 0)) continue;
    pl_vec3 force = b->rests ? pl_vec3_add_scaled(t->tangent_multiplier, t->normal, t->normal_multiplier)
                             : pl_vec3_add_scaled(t->tangent, t->normal, t->force);
    pl_contact_cache_store(bodies, &j->contacts[i], pl_vec3_scale(force, j->world->def.step));
  }
}

// --- islands ------------------------------------------------------------------------------------------------------

static int32_t root_of(const pl_coupled *j, int32_t body) {
  while (j->bodies[body].island != body) body = j->bodies[body].island;
  return body;
}

static bool touches(const pl_coupled *j, const pl_contact *c, pl_coupled_state state) {
  return j->bodies[c->a.body].state == state || (c->collider < 0 && j->bodies[c->b.body].state == state);
}

// Sleepers and kinematic meshes are obstacles; sleepers wake for the next step.
static bool touches_obstacle(const pl_coupled *j, const pl_contact *c) {
  return touches(j, c, PL_COUPLED_ASLEEP) || touches(j, c, PL_COUPLED_KINEMATIC);
}

static void join(pl_coupled *j, int32_t one, int32_t other) {
  int32_t a = root_of(j, one), b = root_of(j, other);
  j->bodies[a > b ? a : b].island = a > b ? b : a;
}

// Number islands by their lowest body.
static void form_islands(pl_coupled *j) {
  for (int32_t b = 0; b < j->body_count; ++b) j->bodies[b].island = b;
  for (int32_t i = 0; i < j->term_count; ++i) {
    if (j->contacts[i].collider >= 0 || touches_obstacle(j, &j->contacts[i])) continue;
    join(j, j->contacts[i].a.body, j->contacts[i].b.body);
  }
  for (int32_t i = 0; i < j->joint_count; ++i) {
    int32_t a = pl_coupled_joint_body(j, i, 0), b = pl_coupled_joint_body(j, i, 1);
    if (a >= 0 && b >= 0 && !pl_coupled_is_obstacle(&j->bodies[a]) && !pl_coupled_is_obstacle(&j->bodies[b]))
      join(j, a, b);
  }
  for (int32_t i = 0; i < j->tie_count; ++i) {
    int32_t a = pl_coupled_tie_body(j, i, 0), b = pl_coupled_tie_body(j, i, 1);
    if (!pl_coupled_is_obstacle(&j->bodies[a]) && !pl_coupled_is_obstacle(&j->bodies[b])) join(j, a, b);
  }
  for (int32_t b = 0; b < j->body_count; ++b) j->bodies[b].island = root_of(j, b);
}

static int32_t island_of(const pl_coupled *j, int32_t term) {
  return j->bodies[body_of(j, term)].island;
}

static int32_t island_of_body(const pl_coupled *j, int32_t body) {
  return j->bodies[body].island;
}

static int32_t island_of_joint(const pl_coupled *j, int32_t joint) {
  return j->bodies[pl_coupled_joint_owner(j, joint)].island;
}

static int32_t island_of_tie(const pl_coupled *j, int32_t tie) {
  return j->bodies[pl_coupled_tie_owner(j, tie)].island;
}

// Sort items by island, each in their order, by counting.
static void sort_by_island(const pl_coupled *j, int32_t count, int32_t (*island)(const pl_coupled *j, int32_t item),
                           int32_t *order) {
  int32_t *starts = j->starts;
  memset(starts, 0, (size_t)(j->body_count + 1) * sizeof(int32_t));
  for (int32_t i = 0; i < count; ++i) ++starts[island(j, i) + 1];
  for (int32_t b = 0; b < j->body_count; ++b) starts[b + 1] += starts[b];
  for (int32_t i = 0; i < count; ++i) order[starts[island(j, i)]++] = i;
}

static void sort_islands(pl_coupled *j) {
  sort_by_island(j, j->body_count, island_of_body, j->body_order);
  sort_by_island(j, j->term_count, island_of, j->term_order);
  sort_by_island(j, j->joint_count, island_of_joint, j->joint_order);
  sort_by_island(j, j->tie_count, island_of_tie, j->tie_order);
}

// The state before a body's own step and that after it.
static void swap_states(pl_coupled_body *b) {
  char *a = b->body->state, *c = b->before;
  for (size_t i = 0; i < b->body->state_size; ++i) {
    char kept = a[i];
    a[i] = c[i];
    c[i] = kept;
  }
}

// A body of an island sets its equations up.
static pl_status begin_body(pl_coupled *j, pl_coupled_body *b, pl_step_report *report, pl_error *error) {
  if (b->coupled != NULL) {
    if (b->state == PL_COUPLED_ALONE) swap_states(b);
    pl_status status = pl_world_begin_move(j->world, b->index, &b->move, error);
    if (status >= 0 && !pl_world_keep_colliders(j->world, &b->move)) status = pl_fail_memory(error);
    b->move.touches = NULL;
    if (status >= 0) status = b->coupled->begin(b->body->model, b->body->state, &b->move, &b->step, error);
    if (status < 0) return status;
    if (b->step.data == NULL) {
      // It must move alone; the others see where it goes as they see an explicit body.
      if (b->state == PL_COUPLED_ALONE)
        swap_states(b);
      else
        status = pl_world_move_body(j->world, b->index, report, error);
      if (status < 0) return status;
      b->coupled = NULL;
    }
  }
  b->state = PL_COUPLED_TOGETHER;
  if (b->coupled != NULL) return PL_OK;
  b->step.tolerance = 1e-4;
  if (b->rigid != NULL) return PL_OK;
  b->body->model->method->get_positions(b->body->model, b->body->state, b->body->positions);
  for (int32_t i = 0; i < b->count; ++i) {
    pl_vec3 at = b->body->positions[i];
    double *end = b->step.ends + 3 * (ptrdiff_t)i, *goal = j->goal + 3 * (ptrdiff_t)(b->first + i);
    end[0] = goal[0] = at.x, end[1] = goal[1] = at.y, end[2] = goal[2] = at.z;
    b->step.fixed[i] = b->body->inverse_masses[i] == 0 ? 7 : 0;
  }
  return PL_OK;
}

static pl_status move_alone(pl_coupled *j, pl_coupled_body *b, pl_step_report *report, pl_error *error) {
  memcpy(b->before, b->body->state, b->body->state_size);
  b->state = PL_COUPLED_ALONE;
  return pl_world_move_body(j->world, b->index, report, error);
}

// --- contacts -----------------------------------------------------------------------------------------------------

static bool same_side(const pl_contact_side *a, const pl_contact_side *b, bool with_points) {
  if (a->body != b->body || a->count != b->count) return false;
  for (int32_t k = 0; with_points && k < a->count; ++k)
    if (a->points[k] != b->points[k]) return false;
  return true;
}

// Which point or edge of a collider touches an edge or triangle.
static bool same_feature(const pl_contact *a, const pl_contact *b) {
  if (a->collider < 0 || a->a.count == 1) return true;
  return a->b.points[0] == b->b.points[0] && a->b.points[1] == b->b.points[1];
}

static bool is_known(const pl_coupled *j, const pl_contact *c) {
  for (int32_t i = 0; i < j->term_count; ++i) {
    const pl_contact *it = &j->contacts[i];
    if (it->collider == c->collider && same_side(&it->a, &c->a, true) && same_side(&it->b, &c->b, c->a.count > 1) &&
        same_feature(it, c) && pl_vec3_dot(it->normal, c->normal) > 0.9)
      return true;
  }
  return false;
}

// What rigid bodies that are attached to given positions touch is not part of the solve.
bool pl_coupled_has_place(const pl_coupled *j, int32_t body) {
  return PL_ITEM(&j->world->contact_bodies, pl_contact_body, body).rigid == NULL || j->bodies[body].rigid != NULL;
}

static bool is_deep(const pl_coupled *j, const pl_contact *c) {
  return -c->start_gap > DEEP * j->bodies[c->a.body].allowed;
}

// Islands that touch one obstacle must not write to it: they are solved at the same time.
static void freeze_obstacle(const pl_coupled *j, pl_contact_potential *term, int32_t body) {
  const pl_coupled_body *b = &j->bodies[body];
  if (pl_coupled_is_obstacle(b)) pl_contact_potential_freeze(term, b->first, b->count, j->ends);
}

static bool add_term(pl_coupled *j, const pl_contact *found) {
  if (!pl_coupled_has_place(j, found->a.body)) return true;
  if (found->collider < 0 && !pl_coupled_has_place(j, found->b.body)) return true;
  if (j->term_count == j->term_capacity) return false;
  pl_contact_potential *term = &j->terms[j->term_count];
  pl_contact *c = &j->contacts[j->term_count++];
  *c = *found;
  *term = pl_contact_potential_of(c, j->world->contact_bodies.items, j->first, j->rigids, j->world->def.step);
  freeze_obstacle(j, term, found->a.body);
  if (found->collider < 0) freeze_obstacle(j, term, found->b.body);
  double old = fmax(0, -c->start_gap), h = j->world->def.step;
  double fading = fmin(old * h / (FADE_SECONDS + h), FADE_SPEED * h);
  term->offset -= old - fading;
  if (is_deep(j, found)) {
    term->friction = 0;
    start_multipliers(j, j->term_count - 1);
    return true;
  }
  start_multipliers(j, j->term_count - 1);
  pl_coupled_bounce bounce = pl_coupled_bounce_of(j, c);
  if (bounce.parts) {
    // What pushed in the last step was a blow.
    term->normal_multiplier = 0;
    term->tangent_multiplier = (pl_vec3){0, 0, 0};
  } else if (bounce.leave > 0 && !(term->normal_multiplier > 0)) {
    // Only what meets bounces: what presses in every step would be lifted against its load.
    term->leave = bounce.leave * h;
    term->lag = bounce.lag * h;
    term->loss = bounce.loss * h;
    term->offset += fmax(c->start_gap, 0) + term->leave;
  }
  return true;
}

static pl_status detect(pl_coupled *j, const pl_contact **contacts, int32_t *count, pl_error *error) {
  pl_world *world = j->world;
  pl_contact_step step = {.time = pl_world_get_time(world),
                          .step = world->def.step,
                          .rounds = world->def.contact_rounds,
                          .gravity = world->def.gravity,
                          .number = world->step_count};
  return pl_contact_solver_detect(world->contact_solver, world->contact_bodies.items,
                                  (int32_t)world->contact_bodies.count, world->collider_list.items,
                                  (int32_t)world->collider_list.count, &step, contacts, count, error);
}

// Take the contacts that are not part of the solve yet: all at first, later those that overlap. Returns whether there
// are any, -1 on failure.
static pl_status add_contacts(pl_coupled *j, bool first, bool *any, pl_error *error) {
  const pl_contact *contacts;
  int32_t count;
  *any = false;
  pl_status status = detect(j, &contacts, &count, error);
  if (status < 0) return status;
  for (int32_t i = 0; i < count; ++i) {
    // Steady before it is compared: those that are known are.
    pl_contact c = contacts[i];
    pl_contact_solver_steady_normal(j->world->contact_solver, &c);
    if (!first) {
      const pl_coupled_body *a = &j->bodies[c.a.body], *b = c.collider < 0 ? &j->bodies[c.b.body] : a;
      // Explicit bodies of an island too: the sweeps that follow leave alone what was solved.
      bool is_solved = a->state == PL_COUPLED_TOGETHER && b->state == PL_COUPLED_TOGETHER;
      bool is_part = is_solved || a->coupled != NULL || b->coupled != NULL;
      if (!is_part || !(c.depth > a->allowed) || is_known(j, &c)) continue;
    }
    if (!add_term(j, &c)) break;
    j->bodies[c.a.body].is_solved = false;
    if (c.collider < 0) j->bodies[c.b.body].is_solved = false;
    *any = true;
  }
  return PL_OK;
}

// --- the step -----------------------------------------------------------------------------------------------------

// Where implicit bodies go by their velocities; explicit ones have moved.
static void predict(pl_coupled *j) {
  double h = j->world->def.step;
  for (int32_t k = 0; k < j->body_count; ++k) {
    const pl_coupled_body *b = &j->bodies[k];
    pl_body *body = b->body;
    if (b->state == PL_COUPLED_ASLEEP) continue;
    if (b->coupled == NULL) {
      body->model->method->get_positions(body->model, body->state, body->positions);
      if (b->state == PL_COUPLED_KINEMATIC) pl_coupled_place_obstacle(j, b);
      if (b->rigid != NULL) pl_coupled_rigid_place(b, &j->rigids[k]);
      continue;
    }
    for (int32_t i = 0; i < b->count; ++i) {
      pl_vec3 push = b->move.acceleration;
      if (body->has_forces) push = pl_vec3_add_scaled(push, pl_vec3_of_f4(body->forces[i]), body->inverse_masses[i]);
      pl_vec3 end = pl_vec3_add_scaled(body->starts[i], body->start_velocities[i], h);
      body->positions[i] = body->inverse_masses[i] == 0 ? end : pl_vec3_add_scaled(end, push, h * h);
    }
  }
}

static void note_ends(pl_coupled *j) {
  for (int32_t k = 0; k < j->body_count; ++k) {
    const pl_coupled_body *b = &j->bodies[k];
    if (b->state == PL_COUPLED_ASLEEP) continue;
    if (b->state != PL_COUPLED_TOGETHER)
      b->body->model->method->get_positions(b->body->model, b->body->state, b->body->positions);
    else if (b->rigid != NULL)
      pl_coupled_rigid_note_ends(b);
    else
      for (int32_t i = 0; i < b->count; ++i) {
        const double *end = b->step.ends + 3 * (ptrdiff_t)i;
        b->body->positions[i] = (pl_vec3){end[0], end[1], end[2]};
      }
  }
}

// Begin the bodies of an island that has contacts.
static pl_status begin_island(pl_coupled *j, const pl_coupled_island *island, pl_step_report *report, pl_error *error) {
  for (int32_t m = 0; m < island->body_count; ++m) {
    pl_coupled_body *b = &j->bodies[island->bodies[m]];
    if (b->state == PL_COUPLED_TOGETHER) continue;
    pl_status status = begin_body(j, b, report, error);
    if (status < 0) return pl_world_name_body(j->world, b->index, status, report, error);
  }
  return PL_OK;
}

static bool has_implicit(const pl_coupled *j, const pl_coupled_island *island) {
  for (int32_t m = 0; m < island->body_count; ++m) {
    const pl_coupled_body *b = &j->bodies[island->bodies[m]];
    if (b->state != PL_COUPLED_ASLEEP && b->body->model->method->coupled != NULL) return true;
  }
  return false;
}

static bool is_solved(const pl_coupled *j, const pl_coupled_island *island) {
  for (int32_t m = 0; m < island->body_count; ++m)
    if (!j->bodies[island->bodies[m]].is_solved) return false;
  return true;
}

// All islands that have an implicit body.
static void list_islands(pl_coupled *j) {
  form_islands(j);
  sort_islands(j);
  j->island_count = 0;
  for (int32_t body = 0, term = 0, joint = 0, tie = 0; body < j->body_count;) {
    pl_coupled_island island = {.coupled = j,
                                .bodies = j->body_order + body,
                                .terms = j->term_order + term,
                                .joints = j->joint_order + joint,
                                .ties = j->tie_order + tie};
    int32_t number = j->bodies[*island.bodies].island;
    for (; body < j->body_count && j->bodies[j->body_order[body]].island == number; ++body) ++island.body_count;
    for (; term < j->term_count && island_of(j, j->term_order[term]) == number; ++term) ++island.term_count;
    for (; joint < j->joint_count && island_of_joint(j, j->joint_order[joint]) == number; ++joint) ++island.joint_count;
    for (; tie < j->tie_count && island_of_tie(j, j->tie_order[tie]) == number; ++tie) ++island.tie_count;
    if (has_implicit(j, &island)) j->islands[j->island_count++] = island;
  }
}

// List those of them that have contacts and are not solved yet, and begin their bodies; of those without contacts
// implicit bodies that have not moved move alone.
static pl_status begin_islands(pl_coupled *j, bool is_rough, pl_step_report *report, pl_error *error) {
  list_islands(j);
  int32_t count = j->island_count;
  j->island_count = 0;
  for (int32_t i = 0; i < count; ++i) {
    pl_coupled_island island = j->islands[i];
    pl_coupled_body *only = &j->bodies[*island.bodies];
    if (island.term_count == 0 && island.tie_count == 0) {
      if (only->state != PL_COUPLED_WAITING) continue;
      pl_status status = move_alone(j, only, report, error);
      if (status < 0) return pl_world_name_body(j->world, only->index, status, report, error);
      continue;
    }
    if (is_solved(j, &island)) continue;
    island.is_rough = is_rough;
    pl_status status = begin_island(j, &island, report, error);
    if (status < 0) return status;
    j->islands[j->island_count++] = island;
  }
  return PL_OK;
}

static void solve_range(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const pl_coupled *j = data;
  for (int32_t i = begin; i < end; ++i)
    if (i < j->island_count)
      j->islands[i].converged = pl_coupled_solve(&j->islands[i]);
    else
      pl_world_run_line(j->world, &j->waiting->moves[i - j->island_count]);
}

static pl_status finish_lines(const pl_coupled *j, pl_step_report *report, pl_error *error) {
  pl_status status = PL_OK;
  for (int32_t i = 0; i < j->waiting->count && status >= 0; ++i)
    status = pl_world_finish_line(j->world, &j->waiting->moves[i], report, error);
  j->waiting->count = 0;
  return status;
}

static int32_t particles_of(const pl_coupled_island *island) {
  int32_t sum = 0;
  for (int32_t m = 0; m < island->body_count; ++m) sum += island->coupled->bodies[island->bodies[m]].count;
  return sum;
}

// Islands share nothing that a solve writes. Where one has most of the particles, threads work inside of it instead. In
// a small one they do not: its loops take microseconds each, and waking a thread takes longer. Rods that wait move at
// the same time.
static pl_status solve_islands(pl_coupled *j, bool is_rough, pl_step_report *report, pl_error *error) {
  pl_status status = begin_islands(j, is_rough, report, error);
  if (status < 0) return status;
  int64_t all = 0, largest = 0;
  for (int32_t i = 0; i < j->island_count; ++i) {
    int32_t count = particles_of(&j->islands[i]);
    all += count;
    largest = count > largest ? count : largest;
  }
  int32_t item_count = j->island_count + j->waiting->count;
  if (j->island_count > 0 && (2 * largest <= all || largest <= PL_SMALL_SOLVE))
    pl_parallel_for_whole(j->world->context, item_count, solve_range, j);
  else
    solve_range(j, 0, item_count, 0);
  for (int32_t i = 0; i < j->island_count; ++i)
    for (int32_t m = 0; m < j->islands[i].body_count; ++m) {
      pl_coupled_body *b = &j->bodies[j->islands[i].bodies[m]];
      b->is_solved = !j->islands[i].is_rough;
      b->newton_count = j->islands[i].newton_count;
      b->residual = j->islands[i].residual;
      if (b->coupled != NULL) b->converged = j->islands[i].converged;
    }
  return finish_lines(j, report, error);
}

// What a body felt of colliders goes to the world's events.
static void commit_implicit(const pl_coupled *j, pl_coupled_body *b, const pl_body_coupled_result *result) {
  pl_body_move listed = {0};
  pl_world_list_colliders(j->world, b->index, &listed);
  b->move.touches = listed.touches;
  b->move.wants_depths = listed.wants_depths;
  b->move.collider_numbers = listed.collider_numbers;
  b->move.unaccounted = &b->missing;
  b->coupled->commit(&b->step, result);
  pl_world_keep_given(j->world, b->index, &b->move);
  pl_world_collect_touches(j->world, b->index, &b->move);
  pl_world_note_attached_forces(j->world, b->body, &b->move);
}

static void commit(pl_coupled *j) {
  size_t n = (size_t)j->first[j->body_count];
  double *forces = j->residual;
  memset(forces, 0, 3 * n * sizeof(double));
  for (int32_t i = 0; i < j->term_count; ++i) pl_contact_potential_add_gradient(&j->terms[i], forces);
  for (size_t i = 0; i < 3 * n; ++i) forces[i] = -forces[i];
  pl_coupled_add_forces(j);
  pl_coupled_joints_commit(j);
  pl_coupled_ties_commit(j, forces);
  for (int32_t k = 0; k < j->body_count; ++k) {
    pl_coupled_body *b = &j->bodies[k];
    PL_ITEM(&j->world->contact_bodies, pl_contact_body, k).solved =
        b->state == PL_COUPLED_TOGETHER || pl_coupled_is_obstacle(b);
    if (b->state != PL_COUPLED_TOGETHER) continue;
    pl_body_coupled_result result = {forces + 3 * (ptrdiff_t)b->first, b->rests, b->converged, b->newton_count,
                                     b->residual * b->step.tolerance,  b->torque};
    pl_coupled_note_missing(j, b, result.forces);
    if (b->coupled != NULL)
      commit_implicit(j, b, &result);
    else if (b->rigid != NULL)
      pl_coupled_rigid_commit(j, b);
    else
      pl_coupled_commit_masses(j, b, result.forces);
  }
  // Not only those that were solved last.
  list_islands(j);
  pl_coupled_balance(j);
  pl_coupled_rest(j);
  keep_multipliers(j);
  for (int32_t i = 0; i < j->term_count; ++i) {
    const pl_contact *c = &j->contacts[i];
    if (!touches(j, c, PL_COUPLED_ASLEEP)) continue;
    // A kinematic mesh that moves and a sleeper are solved with no body: the sleeper wakes to be.
    if (!(j->terms[i].force > 0) && !touches(j, c, PL_COUPLED_KINEMATIC)) continue;
    pl_world_wake_body(j->world, j->bodies[c->a.body].body);
    if (c->collider < 0) pl_world_wake_body(j->world, j->bodies[c->b.body].body);
  }
}

static pl_status move_explicit(pl_coupled *j, pl_step_report *report, pl_error *error) {
  pl_world *world = j->world;
  for (int round = PL_MOVE_KINEMATIC + 1; round < PL_MOVE_ROUNDS; ++round)
    for (int32_t k = 0; k < world->awake_count; ++k) {
      int32_t i = PL_ITEM(&world->awake, int32_t, k);
      const pl_body *body = pl_slots_at(&world->bodies, i);
      if (pl_body_get_move_round(body) != round || pl_world_has_moved(world, i)) continue;
      if (pl_body_meets_others(body) && body->model->method->coupled != NULL) continue;
      pl_status status = pl_world_move_body(world, i, report, error);
      if (status < 0) return pl_world_name_body(world, i, status, report, error);
    }
  return PL_OK;
}

static bool is_any_rough(const pl_coupled *j) {
  for (int32_t i = 0; i < j->island_count; ++i)
    if (j->islands[i].is_rough) return true;
  return false;
}

static pl_status move_coupled(pl_coupled *j, pl_step_report *report, pl_error *error) {
  if (!pl_coupled_take(j)) return pl_fail_memory(error);
  pl_status status = move_explicit(j, report, error);
  if (status < 0) return status;
  pl_world_hold_pins(j->world);
  pl_world_mark_sleepers(j->world);
  predict(j);
  pl_coupled_joints_place(j);
  pl_coupled_ties_place(j);
  status = pl_world_check_range(j->world, report, error);
  if (status < 0) return status;
  // Where nothing was predicted to touch, elastic forces may still press bodies into each other: always look again.
  for (int search = 0; status >= 0 && search < MAX_SEARCHES; ++search) {
    bool any = false;
    status = add_contacts(j, search == 0, &any, error);
    j->world->contacts_found = status >= 0 && !any && search > 0 && !is_any_rough(j);
    if (status < 0 || j->world->contacts_found) break;
    status = solve_islands(j, search == 0, report, error);
    if (status < 0) break;
    note_ends(j);
  }
  if (status < 0) return status;
  for (int32_t k = 0; k < j->body_count; ++k) report->unconverged_count += !j->bodies[k].converged;
  commit(j);
  return PL_OK;
}

pl_status pl_world_move_together(pl_world *world, pl_waiting_lines *waiting, pl_step_report *report, pl_error *error) {
  pl_coupled j = {.world = world, .waiting = waiting};
  pl_scratch_mark mark = pl_scratch_push(&world->scratch);
  pl_status status = move_coupled(&j, report, error);
  pl_scratch_pop(&world->scratch, mark);
  return status;
}
