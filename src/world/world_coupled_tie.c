// Attachments in a coupled solve: points of bodies that are tied to points of other bodies, hard or by springs
// (tie_potential.h). A wheel of finite elements on a rigid hub belongs to one solve with what it rolls on: held after
// the step, by its points alone, one of 1 MPa burst.
//
// Points tied to given positions or bones are pins of implicit bodies (world_attachments.c); other bodies with such
// points stay outside.
#include <math.h>

#include "contact/potential_vectors.h"
#include "contact/tie_potential.h"
#include "world/world_coupled_solve.h"
#include "world/world_joints.h"

// Stiffness of hard ties as a multiple of what their particles answer with, and what may be left of their errors.
static const double TIE_STIFFNESS = 30, ALLOWED_ERROR = 1e-6;
// m/s at which points that were put down apart are drawn together.
static const double MAX_SPEED = 4;

struct pl_coupled_tie {
  pl_attached_point *point;
  int32_t bodies[2];
  pl_vec3 held;  // what sides that nothing moves add to C
  pl_tie_potential term;
};

static bool is_tied_here(const pl_world_attachment *it) {
  return !it->is_pinned && it->rows.a >= 0 && it->rows.b >= 0;
}

bool pl_coupled_ties_take(pl_coupled *j) {
  int32_t count = 0;
  j->tie_count = 0;
  for (int32_t i = 0; i < pl_slots_count(&j->world->attachments); ++i) {
    const pl_world_attachment *it = pl_slots_at(&j->world->attachments, i);
    if (is_tied_here(it)) count += it->rows.count;
  }
  j->ties = PL_SCRATCH(&j->world->scratch, pl_coupled_tie, count);
  j->tie_order = PL_SCRATCH(&j->world->scratch, int32_t, count);
  if (count > 0 && (j->ties == NULL || j->tie_order == NULL)) return false;
  for (int32_t i = 0; i < pl_slots_count(&j->world->attachments); ++i) {
    pl_world_attachment *it = pl_slots_at(&j->world->attachments, i);
    if (!is_tied_here(it) || !pl_coupled_has_place(j, it->rows.a) || !pl_coupled_has_place(j, it->rows.b)) continue;
    if (pl_coupled_is_obstacle(&j->bodies[it->rows.a]) && pl_coupled_is_obstacle(&j->bodies[it->rows.b])) continue;
    for (int32_t p = 0; p < it->rows.count; ++p)
      if (it->rows.points[p].state->broken == 0)
        j->ties[j->tie_count++] = (pl_coupled_tie){.point = &it->rows.points[p], .bodies = {it->rows.a, it->rows.b}};
  }
  return true;
}

int32_t pl_coupled_tie_body(const pl_coupled *j, int32_t tie, int side) {
  return j->ties[tie].bodies[side];
}

int32_t pl_coupled_tie_owner(const pl_coupled *j, int32_t tie) {
  const int32_t *bodies = j->ties[tie].bodies;
  return !pl_coupled_is_obstacle(&j->bodies[bodies[0]]) ? bodies[0] : bodies[1];
}

// --- terms

static pl_vec3 mix(const pl_attached_point *point, int side, const pl_vec3 *particles) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t k = 0; k < point->term_counts[side]; ++k)
    sum = pl_vec3_add_scaled(sum, particles[point->terms[side][k].particle], point->terms[side][k].weight);
  return sum;
}

// Of a rigid body: the arm of its point at a rotation.
static pl_vec3 arm_at(const pl_coupled_tie *it, int side, pl_quat rotation) {
  return pl_quat_rotate(rotation, it->point->points[side]);
}

static pl_vec3 start_of(const pl_coupled *j, const pl_coupled_tie *it, int side) {
  const pl_coupled_body *b = &j->bodies[it->bodies[side]];
  if (b->rigid != NULL) return pl_vec3_add(b->rigid->start.center, arm_at(it, side, b->rigid->start.rotation));
  return mix(it->point, side, b->state == PL_COUPLED_ASLEEP ? b->body->positions : b->body->starts);
}

// Where nothing moves a side.
static pl_vec3 end_of(const pl_coupled_tie *it, const pl_coupled_body *b, int side) {
  if (b->rigid != NULL) return pl_vec3_add(b->rigid->goal.center, arm_at(it, side, b->rigid->goal.rotation));
  return mix(it->point, side, b->body->positions);
}

static void add_side(const pl_coupled *j, pl_coupled_tie *it, int side) {
  const pl_coupled_body *b = &j->bodies[it->bodies[side]];
  pl_tie_potential *term = &it->term;
  double sign = side == 0 ? 1 : -1;
  if (pl_coupled_is_obstacle(b)) {
    it->held = pl_vec3_add_scaled(it->held, end_of(it, b, side), sign);
    return;
  }
  if (b->rigid != NULL) {
    term->particles[term->count] = b->first;
    term->weights[term->count++] = sign;
    term->turns[term->turn_count++] = b->first + 1;
    return;
  }
  for (int32_t k = 0; k < it->point->term_counts[side]; ++k) {
    term->particles[term->count] = b->first + it->point->terms[side][k].particle;
    term->weights[term->count++] = sign * it->point->terms[side][k].weight;
  }
}

static pl_vec3 turn_vector(const pl_coupled_body *b) {
  return pl_vec3_scale((pl_vec3){b->step.ends[3], b->step.ends[4], b->step.ends[5]}, 1 / b->rigid->length);
}

// Take rigid sides as they turn from where they are now: with θ_0 the rotation from the goal and r the arm there,
// p = x + r + (θ - θ_0) × r. A blow turns a light body so far in a step that a linear motion from its goal would
// stretch what it is tied to.
static void turn_levers(const pl_coupled *j, pl_coupled_tie *it) {
  int32_t turn = 0;
  it->term.fixed = it->held;
  for (int side = 0; side < 2; ++side) {
    const pl_coupled_body *b = &j->bodies[it->bodies[side]];
    if (b->rigid == NULL || pl_coupled_is_obstacle(b)) continue;
    double sign = side == 0 ? 1 : -1;
    pl_quat rotation = pl_quat_multiply(pl_coupled_rigid_turn(b), b->rigid->goal.rotation);
    pl_vec3 arm = arm_at(it, side, rotation);
    it->term.levers[turn++] = pl_vec3_scale(arm, sign / b->rigid->length);
    it->term.fixed = pl_vec3_add_scaled(it->term.fixed, pl_vec3_sub(arm, pl_vec3_cross(turn_vector(b), arm)), sign);
  }
}

void pl_coupled_ties_place(pl_coupled *j) {
  double h = j->world->def.step;
  for (int32_t i = 0; i < j->tie_count; ++i) {
    pl_coupled_tie *it = &j->ties[i];
    const pl_attached_point *point = it->point;
    it->term = (pl_tie_potential){.count = 0};
    it->held = (pl_vec3){0, 0, 0};
    for (int side = 0; side < 2; ++side) add_side(j, it, side);
    turn_levers(j, it);
    pl_vec3 start = pl_vec3_sub(start_of(j, it, 0), start_of(j, it, 1));
    if (point->stiffness > 0) {
      it->term.spring = point->stiffness;
      it->term.drag = point->damping / h;
      it->term.start = start;
      continue;
    }
    it->term.multiplier = pl_vec3_scale(point->state->impulse, -1 / h);
    double far = pl_vec3_length(start), way = MAX_SPEED * h;
    if (far > way) it->term.goal = pl_vec3_scale(start, 1 - way / far);
  }
}

// --- the solve

static pl_coupled_tie *tie_at(const pl_coupled_island *s, int32_t n) {
  return &s->coupled->ties[s->ties[n]];
}

void pl_coupled_ties_set_stiffness(const pl_coupled_island *s) {
  for (int32_t n = 0; n < s->tie_count; ++n)
    pl_tie_potential_set_stiffness(&tie_at(s, n)->term, s->coupled->blocks, TIE_STIFFNESS);
}

double pl_coupled_ties_evaluate(const pl_coupled_island *s) {
  double energy = 0;
  for (int32_t n = 0; n < s->tie_count; ++n) {
    pl_coupled_tie *it = tie_at(s, n);
    energy += pl_tie_potential_evaluate(&it->term, s->coupled->ends);
    for (int side = 0; side < 2; ++side) {
      pl_coupled_body *b = &s->coupled->bodies[it->bodies[side]];
      if (!pl_coupled_is_obstacle(b)) b->step.size += pl_vec3_dot(it->term.force, it->term.force);
    }
  }
  return energy;
}

void pl_coupled_ties_add_gradient(const pl_coupled_island *s, double *gradient) {
  for (int32_t n = 0; n < s->tie_count; ++n) pl_tie_potential_add_gradient(&tie_at(s, n)->term, gradient);
}

void pl_coupled_ties_add_product(const pl_coupled_island *s, const double *d, double *product) {
  for (int32_t n = 0; n < s->tie_count; ++n) pl_tie_potential_add_product(&tie_at(s, n)->term, d, product);
}

void pl_coupled_ties_add_blocks(const pl_coupled_island *s, double *blocks) {
  for (int32_t n = 0; n < s->tie_count; ++n) pl_tie_potential_add_blocks(&tie_at(s, n)->term, blocks);
}

bool pl_coupled_ties_any_off(const pl_coupled_island *s) {
  for (int32_t n = 0; n < s->tie_count; ++n) {
    pl_coupled_tie turned = *tie_at(s, n);
    if (!pl_tie_potential_is_hard(&turned.term) || !(turned.term.stiffness > 0)) continue;
    turn_levers(s->coupled, &turned);
    pl_vec3 apart = pl_tie_potential_apart(&turned.term, s->coupled->ends);
    if (pl_vec3_distance(apart, turned.term.goal) > ALLOWED_ERROR) return true;
  }
  return false;
}

void pl_coupled_ties_update(const pl_coupled_island *s) {
  for (int32_t n = 0; n < s->tie_count; ++n) {
    pl_tie_potential *t = &tie_at(s, n)->term;
    if (pl_tie_potential_is_hard(t)) t->multiplier = t->force;
    turn_levers(s->coupled, tie_at(s, n));
  }
}

// --- the result

// Where a side feels the force, as contacts do (world_coupled_rigid.c).
static pl_vec3 point_of_side(const pl_coupled *j, const pl_coupled_tie *it, int side) {
  const pl_coupled_body *b = &j->bodies[it->bodies[side]];
  if (b->rigid != NULL) {
    pl_quat rotation = pl_quat_multiply(pl_coupled_rigid_turn(b), b->rigid->goal.rotation);
    return pl_vec3_add((pl_vec3){b->step.ends[0], b->step.ends[1], b->step.ends[2]}, arm_at(it, side, rotation));
  }
  if (b->coupled == NULL) return start_of(j, it, side);
  return pl_vec3_sub(mix(it->point, side, b->body->positions), b->way);
}

void pl_coupled_ties_commit(const pl_coupled *j, double *forces) {
  for (int32_t i = 0; i < j->tie_count; ++i) {
    const pl_coupled_tie *it = &j->ties[i];
    if (j->bodies[pl_coupled_tie_owner(j, i)].state != PL_COUPLED_TOGETHER) continue;
    pl_vec3 force = pl_vec3_scale(it->term.force, -1);
    it->point->state->impulse = pl_vec3_scale(force, j->world->def.step);
    for (int32_t k = 0; k < it->term.count; ++k)
      pl_potential_add_at(forces, it->term.particles[k], force, it->term.weights[k]);
    pl_coupled_push_pair(j, it->bodies, (const pl_vec3[2]){point_of_side(j, it, 0), point_of_side(j, it, 1)}, force);
  }
}
