// Rigid bodies in a coupled solve.
//
// Where its own step has taken the body, the goal, contact moves it by a small rigid motion. Two unknowns of three
// numbers take the place of particles:
//
//   x   centre of mass
//   τ   L θ, with θ the rotation vector from the goal and L the radius of gyration, so that both are metres
//
//   Φ = ½ m |x - x_goal|² / h² + ½ θ·I θ / h²          a point of it: p = x + r + θ × r,  r = p_goal - x_goal
//
// Momentum. Positions follow velocities, c_end = c_start + h v, so that a force F that acts at p for a step adds
// (p - c_start) × h F to the spin. Both sides of a contact must feel it at one point. Implicit bodies take the arms of
// the end, from their centre at the end, and free masses their starts: a rigid body follows what touches it, an
// implicit one follows free masses, and two alike meet in the middle. What the arms of an implicit body miss is given
// to it as a torque.
//
// Bodies attached to given positions, and what joints join to them, stay outside: those are solved by the sweeps that
// follow (contact_joint.h), and so are the contacts of such bodies.
#include <math.h>

#include "pliant/math.h"
#include "world/world_coupled_solve.h"

bool pl_coupled_rigid_is_part(const pl_world *world, int32_t index) {
  const pl_body *body = pl_slots_at(&world->bodies, index);
  return body->model->method->get_rigid != NULL && !body->is_tied;
}

bool pl_coupled_rigid_take(pl_coupled *j, pl_coupled_body *b) {
  b->rigid = PL_SCRATCH(&j->world->scratch, pl_coupled_rigid, 1);
  pl_vec3 *points = PL_SCRATCH(&j->world->scratch, pl_vec3, b->body->model->particle_count);
  if (b->rigid == NULL || points == NULL) return false;
  *b->rigid = (pl_coupled_rigid){.points = points};
  b->body->model->method->get_rigid(b->body->model, b->body->state, &b->rigid->start);
  return true;
}

void pl_coupled_rigid_place(const pl_coupled_body *b, pl_potential_rigid *frame) {
  const pl_model *model = b->body->model;
  pl_coupled_rigid *rigid = b->rigid;
  model->method->get_rigid(model, b->body->state, &rigid->goal);
  model->method->get_positions(model, b->body->state, rigid->points);
  bool is_free = rigid->goal.inverse_mass > 0;
  rigid->mass = is_free ? 1 / rigid->goal.inverse_mass : 1;
  rigid->inertia = is_free ? pl_mat3_inverse(rigid->goal.inverse_inertia) : pl_mat3_identity();
  double trace = rigid->inertia.m[0][0] + rigid->inertia.m[1][1] + rigid->inertia.m[2][2];
  rigid->length = sqrt(trace / (3 * rigid->mass));
  *frame = (pl_potential_rigid){rigid->points, rigid->goal.center, rigid->length};
  const double center[3] = {rigid->goal.center.x, rigid->goal.center.y, rigid->goal.center.z};
  for (int i = 0; i < 3; ++i) b->step.ends[i] = center[i], b->step.ends[3 + i] = 0;
  for (int i = 0; i < 2; ++i) b->step.fixed[i] = is_free ? 0 : 7;
}

static pl_vec3 vector_at(const double *from) {
  return (pl_vec3){from[0], from[1], from[2]};
}

static void put(double *to, pl_vec3 v) {
  to[0] = v.x, to[1] = v.y, to[2] = v.z;
}

void pl_coupled_rigid_multiply(const pl_coupled_body *b, double rate, const double *d, double *product) {
  const pl_coupled_rigid *rigid = b->rigid;
  put(product, pl_vec3_scale(vector_at(d), rate * rigid->mass));
  put(product + 3,
      pl_vec3_scale(pl_mat3_apply(rigid->inertia, vector_at(d + 3)), rate / (rigid->length * rigid->length)));
}

double pl_coupled_rigid_evaluate(pl_coupled_body *b, double rate) {
  double d[6];
  put(d, pl_vec3_sub(vector_at(b->step.ends), b->rigid->goal.center));
  put(d + 3, vector_at(b->step.ends + 3));
  pl_coupled_rigid_multiply(b, rate, d, b->step.gradient);
  double energy = 0;
  for (int i = 0; i < 6; ++i) energy += 0.5 * d[i] * b->step.gradient[i];
  pl_vec3 weight = pl_vec3_scale(b->move.acceleration, b->rigid->mass);
  b->step.size = pl_vec3_dot(weight, weight);
  return energy;
}

void pl_coupled_rigid_get_blocks(const pl_coupled_body *b, double rate, double *blocks) {
  const pl_coupled_rigid *rigid = b->rigid;
  double scale = rate / (rigid->length * rigid->length);
  for (int e = 0; e < 9; ++e) {
    blocks[e] = e % 4 == 0 ? rate * rigid->mass : 0;
    blocks[9 + e] = scale * rigid->inertia.m[e / 3][e % 3];
  }
}

void pl_coupled_rigid_guess_rest(const pl_coupled_body *b) {
  const pl_coupled_rigid *rigid = b->rigid;
  pl_quat turn = pl_quat_multiply(rigid->start.rotation, pl_quat_conjugate(rigid->goal.rotation));
  // Of a small rotation.
  double scale = 2 * rigid->length * (turn.w < 0 ? -1 : 1);
  put(b->step.ends, rigid->start.center);
  put(b->step.ends + 3, (pl_vec3){scale * turn.x, scale * turn.y, scale * turn.z});
}

pl_quat pl_coupled_rigid_turn(const pl_coupled_body *b) {
  return pl_quat_from_rotation_vector(pl_vec3_scale(vector_at(b->step.ends + 3), 1 / b->rigid->length));
}

void pl_coupled_rigid_note_ends(const pl_coupled_body *b) {
  const pl_coupled_rigid *rigid = b->rigid;
  pl_vec3 center = vector_at(b->step.ends);
  pl_quat turn = pl_coupled_rigid_turn(b);
  for (int32_t i = 0; i < b->body->model->particle_count; ++i)
    b->body->positions[i] =
        pl_vec3_add(center, pl_quat_rotate(turn, pl_vec3_sub(rigid->points[i], rigid->goal.center)));
}

static pl_vec3 mix(const pl_coupled *j, const pl_contact_side *side, const pl_vec3 *particles) {
  const pl_contact_surface *surface = &j->bodies[side->body].body->model->surface;
  pl_vec3 point = {0, 0, 0};
  for (int32_t k = 0; k < side->count; ++k) {
    const int32_t *parents = &surface->parents[4 * (size_t)side->points[k]];
    const float *weights = &surface->weights[4 * (size_t)side->points[k]];
    // Single-precision weights miss 1 by some 1e-8, which far from the origin is a way.
    double sum = 0;
    for (int p = 0; p < 4; ++p) sum += (double)weights[p];
    for (int p = 0; p < 4; ++p)
      if (weights[p] != 0.0f)
        point = pl_vec3_add_scaled(point, particles[parents[p]], side->weights[k] * (double)weights[p] / sum);
  }
  return point;
}

// The way of a body's centre of mass in the step.
static pl_vec3 way_of(const pl_body *body) {
  pl_vec3 way = {0, 0, 0};
  for (int32_t i = 0; i < body->model->particle_count; ++i)
    way = pl_vec3_add_scaled(way, pl_vec3_sub(body->positions[i], body->starts[i]),
                             body->model->masses[i] / body->model->mass);
  return way;
}

// Where a side feels forces.
static pl_vec3 point_of_side(const pl_coupled *j, const pl_contact_side *side) {
  const pl_coupled_body *b = &j->bodies[side->body];
  if (b->rigid == NULL && b->coupled == NULL) return mix(j, side, b->body->starts);
  pl_vec3 end = mix(j, side, b->body->positions);
  return b->rigid != NULL ? end : pl_vec3_sub(end, b->way);
}

// Which of two sides follows the other: the higher one.
static int compliance_of(const pl_coupled_body *b) {
  return b->rigid != NULL ? 2 : b->coupled != NULL ? 1 : 0;
}

// Where both of two bodies feel a force.
static pl_vec3 common_point(const pl_coupled *j, const int32_t bodies[2], const pl_vec3 points[2]) {
  int a = compliance_of(&j->bodies[bodies[0]]), b = compliance_of(&j->bodies[bodies[1]]);
  return a == b ? pl_vec3_lerp(points[0], points[1], 0.5) : a > b ? points[1] : points[0];
}

static void push_body(pl_coupled_body *b, pl_vec3 own, pl_vec3 common, pl_vec3 force) {
  if (b->rigid != NULL) {
    b->rigid->force = pl_vec3_add(b->rigid->force, force);
    pl_vec3 arm = pl_vec3_sub(common, b->rigid->start.center);
    b->rigid->torque = pl_vec3_add(b->rigid->torque, pl_vec3_cross(arm, force));
  } else if (b->coupled != NULL) {
    b->torque = pl_vec3_add(b->torque, pl_vec3_cross(pl_vec3_sub(common, own), force));
  }
}

void pl_coupled_push_pair(const pl_coupled *j, const int32_t bodies[2], const pl_vec3 points[2], pl_vec3 force) {
  pl_vec3 common = common_point(j, bodies, points);
  push_body(&j->bodies[bodies[0]], points[0], common, force);
  push_body(&j->bodies[bodies[1]], points[1], common, pl_vec3_scale(force, -1));
}

void pl_coupled_add_forces(const pl_coupled *j) {
  for (int32_t k = 0; k < j->body_count; ++k) {
    pl_coupled_body *b = &j->bodies[k];
    b->torque = b->way = (pl_vec3){0, 0, 0};
    if (b->coupled != NULL && b->state == PL_COUPLED_TOGETHER) b->way = way_of(b->body);
  }
  for (int32_t i = 0; i < j->term_count; ++i) {
    const pl_contact *c = &j->contacts[i];
    pl_vec3 force = pl_vec3_add_scaled(j->terms[i].tangent, j->terms[i].normal, j->terms[i].force);
    if (!(pl_vec3_dot(force, force) > 0)) continue;
    pl_vec3 point = point_of_side(j, &c->a);
    if (c->collider >= 0) {
      push_body(&j->bodies[c->a.body], point, point, force);
      if (j->bodies[c->a.body].state == PL_COUPLED_TOGETHER)
        pl_world_note_solved(j->world, c->collider, point, pl_vec3_scale(force, j->world->def.step));
    } else {
      pl_coupled_push_pair(j, (const int32_t[2]){c->a.body, c->b.body},
                           (const pl_vec3[2]){point, point_of_side(j, &c->b)}, force);
    }
  }
}

void pl_coupled_rigid_commit(const pl_coupled *j, const pl_coupled_body *b) {
  const pl_coupled_rigid *rigid = b->rigid;
  const pl_model *model = b->body->model;
  pl_contact_rigid end = rigid->goal;
  double h = j->world->def.step;
  if (b->rests) {
    end.center = rigid->start.center;
    end.rotation = rigid->start.rotation;
    end.velocity = end.angular_velocity = (pl_vec3){0, 0, 0};
  } else if (rigid->goal.inverse_mass > 0) {
    pl_vec3 gain = pl_vec3_scale(rigid->force, h * end.inverse_mass);
    end.velocity = pl_vec3_add(end.velocity, gain);
    end.center = pl_vec3_add_scaled(end.center, gain, h);
    end.angular_velocity =
        pl_vec3_add_scaled(end.angular_velocity, pl_mat3_apply(end.inverse_inertia, rigid->torque), h);
    end.rotation = pl_quat_normalize(pl_quat_multiply(pl_coupled_rigid_turn(b), end.rotation));
  }
  model->method->set_rigid(model, b->body->state, &end);
}
