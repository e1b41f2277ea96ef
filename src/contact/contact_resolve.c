// Resolving contacts: impulses that keep surfaces apart, with friction and bounces.
//
// A contact holds the gap between points p and q of two bodies, or of a body and a collider. An impulse P on p and -P
// on q changes the gap's velocity by K P (contact_terms.h), so momentum is kept exactly.
//
//   n . v >= target,   P_n >= 0,   only one of both above its bound        (no adhesion)
//   |P_t| <= mu P_n,   v_t = 0 unless |P_t| = mu P_n                       (Coulomb: sticks or slides)
//
// Projected Gauss-Seidel on velocities (Catto 2005), started from the impulses of the last step: at rest these are the
// solution already, so that a stack of any height converges over a few steps and stays. With them the velocities are
// damped (contact_damping.c). Then, as in Box2D's soft step, in two halves:
//
// 1 arrive   The gap must not close farther than it is wide: a point in free fall lands on the surface rather than
// stops
//            above it. What overlapped before the step is pushed apart softly, with a time constant and a speed limit:
//            faster would be a blow to the elastic bodies behind the points. Positions move with these velocities.
// 2 leave    The same sweeps without the push, on velocities alone: nothing gets speed from overlap. Bouncing contacts
//            leave with e times the approach speed.
//
// Contacts of pairs of bodies are swept in the order of contact_islands.h, in parallel.
#include "base/context.h"
#include "base/error.h"
#include "base/parallel.h"
#include "contact/contact_bounce.h"
#include "contact/contact_cache.h"
#include "contact/contact_lone.h"
#include "contact/contact_settle.h"
#include "contact/contact_soft_rows.h"
#include "contact/contact_solver.h"
#include "contact/vec3_parts.h"
#include "pliant/math.h"

// Fraction of its impulse that a soft contact gives back in a sweep. Contacts of rigid bodies that overlap are soft:
// the many of a stack need not agree. Particles give way by themselves.
static const double SOFTNESS = 0.06;

enum { ROW_GRAIN = 256, BODY_GRAIN = 4, ISLAND_GRAIN = 1, LONE_GRAIN = 8 };

typedef struct resolution {
  pl_contact_solver *solver;
  pl_contact_memory *memory;
  pl_contact_body *bodies;
  const pl_contact_step *step;
  pl_contact_scale scale;
  bool starts, corrects;
  bool notes;  // the first sweep of the second half: it notes the impulses of the first
  bool has_rigid;
  int32_t arrivals, leaves;  // sweeps of the two halves
  pl_soft_solution soft;
} resolution;

static pl_contact_damping damping_of(const resolution *r) {
  return (pl_contact_damping){
      .context = r->solver->context, .memory = r->memory, .bodies = r->bodies, .step = r->step->step};
}

static bool differs(pl_vec3 a) {
  return a.x != 0 || a.y != 0 || a.z != 0;
}

// --- rows

// How fast the gap was closing when the step began; HUGE_VAL where that is not known.
static double start_approach(const pl_contact_body *bodies, const pl_contact_row *row) {
  pl_vec3 sum = pl_vec3_scale(row->surface_velocity, -1);
  for (int side = 0; side < 2; ++side) {
    const pl_contact_arm *arm = side == 0 ? &row->a : &row->b;
    if (arm->body < 0) continue;
    const pl_contact_body *body = &bodies[arm->body];
    const pl_vec3 *velocities =
        body->get_start_velocities != NULL ? body->get_start_velocities(body->write_data) : body->start_velocities;
    if (velocities == NULL || body->rigid != NULL) return HUGE_VAL;
    for (int32_t i = 0; i < arm->count; ++i)
      sum = pl_vec3_add_scaled(sum, velocities[arm->terms[i].particle],
                               side == 0 ? arm->terms[i].weight : -arm->terms[i].weight);
  }
  return -pl_vec3_dot(row->normal, sum);
}

// Velocity of the gap of a row without rigid bodies.
static inline pl_vec3_parts gap_velocity(const pl_contact_row *row) {
  pl_vec3_parts sum = {{0, 0}, 0};
  if (row->is_on_moving) {
    sum = pl_load_parts(&row->surface_velocity);
    sum = (pl_vec3_parts){-sum.xy, -sum.z};
  }
  for (int32_t i = 0; i < row->pull_count; ++i)
    sum = pl_add_parts(sum, pl_load_parts(row->pulls[i].velocity), row->pulls[i].weight);
  return sum;
}

static inline void push_parts(const pl_contact_row *row, pl_vec3_parts impulse) {
  for (int32_t i = 0; i < row->pull_count; ++i) {
    const pl_contact_pull *pull = &row->pulls[i];
    pl_store_parts(pull->velocity, pl_add_parts(pl_load_parts(pull->velocity), impulse, pull->push));
  }
}

static pl_vec3 relative_velocity(const pl_contact_body *bodies, const pl_contact_row *row) {
  if (!row->turns) {
    pl_vec3 velocity;
    pl_store_parts(&velocity, gap_velocity(row));
    return velocity;
  }
  pl_vec3 v = pl_vec3_sub(pl_contact_arm_velocity(bodies, &row->a), pl_contact_arm_velocity(bodies, &row->b));
  return pl_vec3_sub(v, row->surface_velocity);
}

// The velocities of a row that bounces; false if it does not.
//
// Points of an elastic body do not bounce off colliders: the body does, by its elasticity, and loses the speed that its
// restitution does not grant when it parts (contact_rest.c). Points that bounced under it met the collider again and
// again, and turned its fall into vibration: with e = 1 it rose less high than with e = 0.
static bool bounce(const resolution *r, const pl_contact *contact, double speed, pl_contact_row *row) {
  if (contact->collider >= 0 && r->bodies[contact->a.body].is_elastic) return false;
  pl_contact_meeting meeting = {
      .step = r->step->step,
      .speed = speed,
      .depth = contact->depth,
      .start_gap = contact->start_gap,
      .pull = contact->collider >= 0 ? pl_vec3_dot(contact->normal, r->step->gravity) : 0,
      .restitution = contact->restitution,
      .min_speed = r->scale.speed,
  };
  // Most contacts do not approach; velocities at the start are not read for these.
  if (!(pl_contact_meeting_approach(&meeting) > meeting.min_speed)) return false;
  return pl_contact_meeting_bounce(&meeting, start_approach(r->bodies, row), &row->arrive, &row->leave);
}

static bool is_rigid(const pl_contact_body *bodies, const pl_contact_arm *arm) {
  return arm->body >= 0 && bodies[arm->body].rigid != NULL;
}

static void start_row(const resolution *r, const pl_contact *contact, int32_t index, pl_contact_row *row) {
  double h = r->step->step, speed = pl_vec3_dot(row->normal, relative_velocity(r->bodies, row));
  row->arrive = row->leave = pl_smaller(speed + contact->depth / h, 0);
  if (bounce(r, contact, speed, row)) return;
  double overlap = -contact->start_gap - r->scale.slop;
  if (overlap > 0) {
    row->arrive = pl_contact_push_speed(overlap);
    row->is_soft = row->turns;
  }
  pl_vec3 last = pl_contact_cache_find(r->bodies, r->memory->contacts, index);
  row->normal_impulse = pl_larger(pl_vec3_dot(last, row->normal), 0);
  pl_vec3 sliding = pl_vec3_add_scaled(last, row->normal, -pl_vec3_dot(last, row->normal));
  double length = pl_vec3_length(sliding), limit = row->friction * row->normal_impulse;
  row->sliding_impulse = length > limit ? pl_vec3_scale(sliding, limit / length) : sliding;
}

// The particles of both arms of a row without rigid bodies. Returns how the gap answers to an impulse, 1/kg, in every
// direction. A particle on both sides, of a body that touches itself, has one part.
static double pull_row(const pl_contact_body *bodies, pl_contact_row *row, pl_contact_pull *pulls) {
  int32_t count = 0;
  for (int side = 0; side < 2; ++side) {
    const pl_contact_arm *arm = side == 0 ? &row->a : &row->b;
    bool is_shared = side == 1 && row->a.body == arm->body;
    for (int32_t i = 0; i < arm->count; ++i) {
      const pl_contact_body *body = &bodies[arm->body];
      int32_t particle = arm->terms[i].particle, k = is_shared ? 0 : count;
      double weight = side == 0 ? arm->terms[i].weight : -arm->terms[i].weight;
      while (k < count && pulls[k].velocity != &body->velocities[particle]) ++k;
      if (k == count) pulls[count++] = (pl_contact_pull){&body->velocities[particle], 0, 0};
      pulls[k].weight += weight;
      pulls[k].push = pulls[k].weight * body->inverse_masses[particle];
    }
  }
  row->pulls = pulls;
  row->pull_count = count;
  double answer = 0;
  for (int32_t i = 0; i < count; ++i) answer += pulls[i].weight * pulls[i].push;
  return answer;
}

// How the gap answers to an impulse along the normal and, at most, across it.
static void answer_row(const pl_contact_body *bodies, pl_contact_row *row, pl_contact_pull *pulls, double *answer,
                       double *sliding) {
  if (!row->turns) {
    *answer = *sliding = pull_row(bodies, row, pulls);
    return;
  }
  pl_mat3 k = pl_contact_inverse_mass(bodies, &row->a, &row->b);
  *answer = pl_vec3_dot(row->normal, pl_mat3_apply(k, row->normal));
  *sliding = pl_contact_sliding_answer(k, row->normal);
}

static void build_rows(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const resolution *r = data;
  pl_contact_memory *memory = r->memory;
  pl_contact_term *terms = &memory->terms[(size_t)begin * (size_t)memory->term_count];
  pl_contact_pull *pulls = &memory->pulls[(size_t)begin * (size_t)memory->term_count];
  for (int32_t i = begin; i < end; ++i) {
    int32_t index = memory->plan.row_contacts[i];
    const pl_contact *contact = &memory->contacts[index];
    pl_contact_row *row = &memory->rows[i];
    *row = (pl_contact_row){.normal = contact->normal,
                            .surface_velocity = contact->surface_velocity,
                            .is_on_moving = differs(contact->surface_velocity),
                            .friction = contact->friction,
                            .restitution = contact->restitution};
    row->a = pl_contact_arm_of_side(r->bodies, &contact->a, terms);
    row->b = pl_contact_arm_of_side(r->bodies, &contact->b, terms + row->a.count);
    row->turns = is_rigid(r->bodies, &row->a) || is_rigid(r->bodies, &row->b);
    if (row->turns) pl_contact_align_levers(r->bodies, contact, r->step->step, &row->a, &row->b);
    double answer, sliding;
    answer_row(r->bodies, row, pulls, &answer, &sliding);
    terms += row->a.count + row->b.count;
    pulls += row->pull_count;
    bool solved = r->bodies[contact->a.body].solved && (contact->collider >= 0 || r->bodies[contact->b.body].solved);
    if (solved)
      row->normal_impulse =
          pl_larger(pl_vec3_dot(pl_contact_cache_find(r->bodies, memory->contacts, index), row->normal), 0);
    if (solved || !(answer > 0)) continue;
    row->normal_mass = 1 / answer;
    row->sliding_mass = sliding > 0 ? 1 / sliding : 0;
    start_row(r, contact, index, row);
  }
}

// --- sweeps

static void push_row(pl_contact_body *bodies, const pl_contact_row *row, pl_vec3 impulse) {
  if (!row->turns) {
    push_parts(row, pl_load_parts(&impulse));
    return;
  }
  pl_contact_arm_push(bodies, &row->a, impulse);
  pl_contact_arm_push(bodies, &row->b, pl_vec3_scale(impulse, -1));
}

// The impulse along the normal after a sweep, when the gap moves at `speed`: the sum over the sweeps, not each change,
// must push.
static inline double next_normal_impulse(const pl_contact_row *row, double speed, bool corrects) {
  double target = corrects ? row->arrive : row->leave, change = (target - speed) * row->normal_mass;
  if (corrects && row->is_soft) change = (1 - SOFTNESS) * change - SOFTNESS * row->normal_impulse;
  return pl_larger(row->normal_impulse + change, 0);
}

// A row of particles: friction stops sliding, within the cone. The normal change does not alter the sliding velocity.
static inline void sweep_particles(pl_contact_row *row, bool corrects) {
  pl_vec3_parts velocity = gap_velocity(row), normal = pl_load_parts(&row->normal);
  double speed = pl_dot_parts(normal, velocity), normal_impulse = next_normal_impulse(row, speed, corrects);
  double change = normal_impulse - row->normal_impulse;
  if (normal_impulse == 0 && change == 0) return;
  row->normal_impulse = normal_impulse;
  pl_vec3_parts before = pl_load_parts(&row->sliding_impulse), sliding = pl_add_parts(velocity, normal, -speed);
  pl_vec3_parts wanted = pl_add_parts(before, sliding, -row->sliding_mass);
  double length = sqrt(pl_dot_parts(wanted, wanted)), limit = row->friction * normal_impulse;
  if (length > limit) {
    double scale = limit / length;
    wanted = (pl_vec3_parts){wanted.xy * scale, wanted.z * scale};
  }
  pl_store_parts(&row->sliding_impulse, wanted);
  push_parts(row, pl_add_parts((pl_vec3_parts){wanted.xy - before.xy, wanted.z - before.z}, normal, change));
}

// The same where a side is a rigid body, which the normal change turns.
static void sweep_rigid(pl_contact_body *bodies, pl_contact_row *row, bool corrects) {
  double normal_impulse = next_normal_impulse(row, pl_vec3_dot(row->normal, relative_velocity(bodies, row)), corrects);
  double change = normal_impulse - row->normal_impulse;
  if (normal_impulse == 0 && change == 0) return;
  row->normal_impulse = normal_impulse;
  push_row(bodies, row, pl_vec3_scale(row->normal, change));
  pl_vec3 velocity = relative_velocity(bodies, row);
  pl_vec3 sliding = pl_vec3_add_scaled(velocity, row->normal, -pl_vec3_dot(row->normal, velocity));
  pl_vec3 wanted = pl_vec3_add_scaled(row->sliding_impulse, sliding, -row->sliding_mass);
  double length = pl_vec3_length(wanted), limit = row->friction * normal_impulse;
  if (length > limit) wanted = pl_vec3_scale(wanted, limit / length);
  pl_vec3 impulse = pl_vec3_sub(wanted, row->sliding_impulse);
  row->sliding_impulse = wanted;
  push_row(bodies, row, impulse);
}

static inline void sweep_row(pl_contact_body *bodies, pl_contact_row *row, bool corrects) {
  if (!(row->normal_mass > 0)) return;
  if (row->turns)
    sweep_rigid(bodies, row, corrects);
  else
    sweep_particles(row, corrects);
}

static pl_vec3 impulse_of(const pl_contact_row *row) {
  return pl_vec3_add_scaled(row->sliding_impulse, row->normal, row->normal_impulse);
}

static void start_pair(const resolution *r, const pl_contact_pair *pair) {
  if (pair->joint >= 0) {
    const pl_contact_joint *joint = &r->solver->joints[pair->joint];
    joint->begin(joint->data, r->bodies, r->step);
  }
  for (int32_t i = 0; i < pair->count; ++i) {
    const pl_contact_row *row = &r->memory->rows[pair->first_row + i];
    if (row->normal_impulse > 0 && row->normal_mass > 0) push_row(r->bodies, row, impulse_of(row));
  }
}

static void sweep_pair(const resolution *r, const pl_contact_pair *pair) {
  if (pair->joint >= 0) {
    const pl_contact_joint *joint = &r->solver->joints[pair->joint];
    joint->sweep(joint->data, r->bodies, r->step, r->corrects);
  }
  for (int32_t i = 0; i < pair->count; ++i) {
    pl_contact_row *row = &r->memory->rows[pair->first_row + i];
    // On a collider with what has damped the body there; between bodies that acts on both at one point.
    if (r->notes) row->arrive_impulse = row->b.body < 0 ? pl_vec3_add(impulse_of(row), row->b.lever) : impulse_of(row);
    sweep_row(r->bodies, row, r->corrects);
  }
}

// How many of the first pairs are of soft bodies.
static int32_t count_soft(const pl_contact_pair *pairs, int32_t count) {
  int32_t i = 0;
  while (i < count && pairs[i].axis >= 0) ++i;
  return i;
}

// The same pairs are visited together by the start and by each sweep: what the start makes of soft pairs is kept.
static void sweep_pairs(void *data, const pl_contact_pair *pairs, int32_t count) {
  const resolution *r = data;
  for (int32_t i = 0; i < count;) {
    int32_t soft = count_soft(&pairs[i], count - i);
    if (soft > 0 && r->starts)
      pl_soft_start(&r->soft, &pairs[i], soft);
    else if (soft > 0)
      pl_soft_sweep(&r->soft, &pairs[i], r->corrects, r->notes);
    else if (r->starts)
      start_pair(r, &pairs[i]);
    else
      sweep_pair(r, &pairs[i]);
    i += soft > 0 ? soft : 1;
  }
}

static void sweep_phases(resolution *r) {
  pl_contact_plan_visit_large(r->solver->context, &r->memory->plan, sweep_pairs, r);
}

// The impulses of the last step act on the large islands.
static void start_large(resolution *r) {
  r->starts = true;
  sweep_phases(r);
  r->starts = false;
}

// One half of the solution of the large islands.
static void sweep_large(resolution *r, bool corrects, int32_t sweeps) {
  r->corrects = corrects;
  for (int32_t i = 0; i < sweeps; ++i) {
    r->notes = i == 0 && !corrects;
    sweep_phases(r);
  }
}

// --- bodies

static void move_positions(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const resolution *r = data;
  for (int32_t i = begin; i < end; ++i)
    pl_contact_follow(r->memory, r->bodies, r->step->step, r->memory->plan.bodies[i]);
}

// Between the halves: levers of rigid bodies at the end of the step.
static void turn_levers(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const resolution *r = data;
  for (int32_t i = begin; i < end; ++i) {
    pl_contact_row *row = &r->memory->rows[i];
    if (!row->turns) continue;
    pl_contact_arm *arms[2] = {&row->a, &row->b};
    for (int k = 0; k < 2; ++k) {
      if (!is_rigid(r->bodies, arms[k])) continue;
      pl_vec3 spin = r->bodies[arms[k]->body].rigid->angular_velocity;
      arms[k]->lever = pl_quat_rotate(pl_quat_from_rotation_vector(pl_vec3_scale(spin, r->step->step)), arms[k]->lever);
    }
    pl_contact_align_levers(r->bodies, &r->memory->contacts[r->memory->plan.row_contacts[i]], 0, &row->a, &row->b);
  }
}

// --- impulses that the next step starts from

static void clear_impulses_of(const resolution *r, int32_t k) {
  if (!r->bodies[k].solved) pl_contact_cache_clear(&r->bodies[k]);
}

static void finish_body(const resolution *r, int32_t k) {
  pl_contact_note_moved(r->memory, r->bodies, k);
  clear_impulses_of(r, k);
}

static void finish_bodies(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const resolution *r = data;
  for (int32_t i = begin; i < end; ++i) finish_body(r, r->memory->plan.bodies[i]);
}

// Those of bodies that touch nothing; of sleepers they stay.
static void clear_others(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const resolution *r = data;
  const pl_contact_plan *plan = &r->memory->plan;
  for (int32_t i = begin; i < end; ++i) {
    int32_t k = plan->bodies[plan->small_body_start[plan->small_count] + i];
    if (!r->bodies[k].asleep) clear_impulses_of(r, k);
  }
}

static void store_pairs(const resolution *r, const pl_contact_pair *pairs, int32_t count) {
  const pl_contact_memory *memory = r->memory;
  for (const pl_contact_pair *pair = pairs; pair < pairs + count; ++pair) {
    if (pair + 1 < pairs + count) pl_soft_fetch_slots(&r->soft, pair + 1);
    if (pair->axis >= 0) pl_soft_store(&r->soft, pair);
    for (int32_t i = pair->first_row; pair->axis < 0 && i < pair->first_row + pair->count; ++i) {
      const pl_contact_row *row = &memory->rows[i];
      const pl_contact *contact = &memory->contacts[memory->plan.row_contacts[i]];
      if (row->normal_impulse > 0 && row->normal_mass > 0) pl_contact_cache_store(r->bodies, contact, impulse_of(row));
    }
  }
  pl_contact_report_pairs(r->memory, r->bodies, r->step->step, pairs, count);
}

// Of large islands: dampers and reports read the same rows.
typedef struct pair_finish {
  const resolution *resolution;
  pl_contact_damping *damping;
} pair_finish;

static void finish_pairs(void *data, const pl_contact_pair *pairs, int32_t count) {
  const pair_finish *f = data;
  pl_contact_rest_pairs(f->damping, pairs, count);
  store_pairs(f->resolution, pairs, count);
}

// --- islands

// The rows of contacts of these pairs, which follow each other; those of soft bodies are others.
static pl_pair_range rows_of(const pl_contact_pair *pairs, int32_t count) {
  pl_pair_range rows = {0, 0};
  for (const pl_contact_pair *pair = pairs; pair < pairs + count; ++pair) {
    if (pair->axis >= 0) continue;
    if (rows.count == 0) rows.first = pair->first_row;
    rows.count += pair->count;
  }
  return rows;
}

// The impulses of the last step act on an island.
static void start_island(resolution *r, const pl_contact_island *island) {
  r->starts = true;
  sweep_pairs(r, island->pairs, island->pair_count);
  r->starts = false;
}

// One half of the solution of an island.
static void sweep_island(resolution *r, const pl_contact_island *island, bool corrects, int32_t sweeps) {
  r->corrects = corrects;
  for (int32_t i = 0; i < sweeps; ++i) {
    r->notes = i == 0 && !corrects;
    sweep_pairs(r, island->pairs, island->pair_count);
  }
}

// Before any of them is swept: rows are told the velocities that bodies have by themselves.
static void build_soft(void *data, const pl_contact_pair *pairs, int32_t count) {
  const resolution *r = data;
  int32_t first = (int32_t)(pairs - r->memory->plan.pairs);
  for (int32_t i = 0; i < count; ++i) {
    if (pairs[i].axis < 0) continue;
    if (i + 2 < count && pairs[i + 2].axis >= 0) pl_soft_fetch_hits(r->memory, &pairs[i + 2]);
    if (i + 1 < count && pairs[i + 1].axis >= 0) pl_soft_fetch(&r->soft, first + i + 1);
    pl_soft_build(&r->soft, first + i);
  }
}

// A small island from its rows to its impulses, by one thread, while all of it is in the cache.
static void resolve_island(const resolution *all, int32_t number) {
  const pl_contact_plan *plan = &all->memory->plan;
  pl_pair_range range = plan->small_islands[number];
  int32_t first = plan->small_body_start[number];
  pl_contact_island island = {&plan->bodies[first], plan->small_body_start[number + 1] - first,
                              &plan->pairs[range.first], range.count};
  pl_pair_range rows = rows_of(island.pairs, island.pair_count);
  resolution own = *all, *r = &own;
  pl_contact_damping damping = damping_of(r);
  build_rows(r, rows.first, rows.first + rows.count, 0);
  for (int32_t p = 0; p < island.pair_count; ++p)
    if (island.pairs[p].axis >= 0) pl_soft_build(&r->soft, range.first + p);
  pl_contact_note_island(&damping, &island);
  start_island(r, &island);
  pl_contact_damp_island(&damping, &island);
  sweep_island(r, &island, true, r->arrivals);
  for (int32_t i = 0; i < island.body_count; ++i)
    pl_contact_follow(r->memory, r->bodies, r->step->step, island.bodies[i]);
  if (r->has_rigid) turn_levers(r, rows.first, rows.first + rows.count, 0);
  sweep_island(r, &island, false, r->leaves);
  pl_contact_limit_island(&damping, &island);
  for (int32_t i = 0; i < island.body_count; ++i) finish_body(r, island.bodies[i]);
  store_pairs(r, island.pairs, island.pair_count);
}

static void resolve_islands(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const resolution *r = data;
  const pl_contact_plan *plan = &r->memory->plan;
  for (int32_t k = begin; k < end; ++k)
    if (!plan->pairs[plan->small_islands[k].first].is_lone) resolve_island(r, k);
}

// Bodies near colliders alone, from the search to their new states (contact_lone.h).
static void resolve_lone(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const resolution *r = data;
  pl_lone_workspace *workspace = pl_lone_acquire(r->memory);
  resolution own = *r;
  own.memory = &workspace->memory;
  own.bodies = &workspace->body;
  for (int32_t i = begin; i < end; ++i) {
    pl_lone_body *lone = &r->memory->lone_bodies[i];
    lone->count = pl_lone_find(r->solver, r->bodies, r->step, lone->body, workspace);
    if (lone->count > 0) {
      resolve_island(&own, 0);
      pl_lone_finish(r->memory, r->step, lone, workspace);
    } else if (r->bodies[lone->body].write_points != NULL) {
      // It touches nothing: one of the others, which want their points where they are.
      r->bodies[lone->body].write_points(r->bodies[lone->body].write_data);
    }
  }
  pl_lone_release(workspace);
}

// Before islands are formed. Returns how many contacts there are.
static int32_t resolve_all_lone(resolution *r) {
  pl_contact_memory *memory = r->memory;
  int32_t count = 0;
  pl_parallel_for(r->solver->context, memory->lone_count, LONE_GRAIN, resolve_lone, r);
  for (int32_t i = 0; i < memory->lone_count; ++i) count += memory->lone_bodies[i].count;
  return count;
}

// All large islands, phase by phase, by all threads; and what is left to do of bodies that touch nothing.
static void resolve_large(resolution *r) {
  pl_context *context = r->solver->context;
  const pl_contact_plan *plan = &r->memory->plan;
  int32_t body_count = plan->small_body_start[0];
  int32_t row_count = rows_of(plan->pairs, plan->large_count).count;
  pl_contact_damping damping = damping_of(r);
  pl_parallel_for(context, row_count, ROW_GRAIN, build_rows, r);
  pl_contact_plan_visit_large(context, plan, build_soft, r);
  pl_contact_note_large(&damping);
  start_large(r);
  pl_contact_damp_large(&damping);
  sweep_large(r, true, r->arrivals);
  pl_parallel_for(context, body_count, BODY_GRAIN, move_positions, r);
  if (r->has_rigid) pl_parallel_for(context, row_count, ROW_GRAIN, turn_levers, r);
  sweep_large(r, false, r->leaves);
  pl_parallel_for(context, body_count, BODY_GRAIN, finish_bodies, r);
  int32_t other_count = r->memory->body_count - plan->small_body_start[plan->small_count];
  pl_parallel_for(context, other_count, BODY_GRAIN, clear_others, r);
  pl_contact_begin_limits(&damping);
  pair_finish finish = {r, &damping};
  pl_contact_plan_visit_large(context, plan, finish_pairs, &finish);
  pl_contact_end_limits(&damping);
}

pl_status pl_contact_solver_resolve(pl_contact_solver *solver, pl_contact_body *bodies, int32_t body_count,
                                    const pl_contact_step *step, pl_contact_report *report, pl_error *error) {
  if (body_count != solver->memory.body_count || !(step->step > 0))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                   "contacts were not detected for these bodies, or the step is not positive");
  pl_contact_memory *memory = &solver->memory;
  resolution r = {.solver = solver,
                  .memory = memory,
                  .bodies = bodies,
                  .step = step,
                  .scale = pl_contact_scale_of(step),
                  .has_rigid = pl_contact_has_rigid(bodies, body_count, true),
                  .soft = {memory, bodies, &solver->pairs, step, pl_soft_kernels_get()}};
  for (int32_t i = 0; i < body_count; ++i) bodies[i].moved = false;
  bool are_soft = pl_contact_are_soft(solver, bodies);
  pl_contact_sweeps sweeps = pl_contact_count_sweeps(solver, bodies, step->rounds, are_soft);
  r.arrivals = sweeps.arrivals;
  r.leaves = sweeps.leaves;
  memory->lone_row_count = resolve_all_lone(&r);
  memory->soft_pair_count = pl_soft_list_pairs(memory, solver->context);
  pl_soft_begin_rounds(memory);
  pl_contact_plan_def def = {body_count,          memory->contacts,   solver->contact_count,   solver->joints,
                             solver->joint_count, memory->soft_pairs, memory->soft_pair_count, memory->lone_bodies,
                             memory->lone_count,  memory->item_boxes};
  pl_contact_plan_form(&memory->plan, &def);
  pl_parallel_for(solver->context, memory->plan.small_count, ISLAND_GRAIN, resolve_islands, &r);
  resolve_large(&r);
  pl_contact_settle(solver, bodies);
  pl_contact_keep_apart(solver, bodies, step, are_soft);
  memory->is_resolved = true;
  if (report != NULL) *report = pl_contact_sum_report(memory);
  return PL_OK;
}
