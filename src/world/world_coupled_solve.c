// Newton's method with line search and conjugate gradients over the bodies and contacts of an island; world_coupled.c
// says of what.
//
// Linear systems are matrix-free over bodies and contacts, with the inverted diagonal blocks of both as preconditioner.
// The inertia of a step of 1/240 s keeps them well conditioned.
#include "world/world_coupled_solve.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "pliant/math.h"

// Stiffness of contacts as a multiple of what their particles answer with; contact_potential.h says why more than 1.
static const double STIFFNESS = 8;
// Speed of an island, m/s, below which it is tried whether it rests, and by how much the forces on what rests may be
// unbalanced, as a multiple of the tolerance.
static const double REST_SPEED = 2e-3, REST_RESIDUAL = 10;
// Fraction of a bounce's speed by which it may be missed.
static const double BOUNCE_TOLERANCE = 2e-3;
// Residual, as a multiple of the tolerance, that tells roughly where bodies will be, and the limit of iterations for
// that; and the one at which multipliers are renewed: until then forces are right to a few thousandths.
static const double ROUGH = 300, RENEWED = 30;
enum { MAX_ROUGH = 4 };
// Iterations beyond the tolerance: how many were needed until then may depend on rounding, the result should not. One
// is enough where Newton's method converges quadratically. Limits of friction follow an iteration behind the forces:
// where contacts slide it takes some more until the residual is this fraction of the tolerance, or rounding keeps it
// from falling by half. What they leave each time is more than a direction found to two digits does.
enum { POLISH = 1, MAX_POLISH = 5 };
static const double POLISH_TOLERANCE = 1e-5, SLIDING_TOLERANCE = 1e-2, POLISHED = 1e-4;
// How exactly directions are found until then.
static const double MIN_TOLERANCE = 1e-4, MIDDLE_TOLERANCE = 1e-2, MAX_TOLERANCE = 0.1;
// Friction is renewed with each iteration. It tilts a body, which changes where the body presses and so the friction: a
// feedback that may go to and fro between two states for ever. After this number of iterations it is renewed in part.
enum { RELAX_AFTER = 6 };
enum { MAX_UPDATES = 10, MAX_PREDICTIONS = 3, MAX_HALVINGS = 20, MAX_CONJUGATE = 1000, MAX_NEWTON = 30 };

// ½ |z - y|²_M / h²
double pl_coupled_evaluate_masses(const pl_coupled *j, pl_coupled_body *b) {
  double energy = 0, rate = 1 / (j->world->def.step * j->world->def.step);
  if (b->rigid != NULL) return pl_coupled_rigid_evaluate(b, rate);
  const double *masses = b->body->model->masses;
  pl_vec3 weight = b->move.acceleration;
  b->step.size = 0;
  for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)b->count; ++i) {
    double m = masses[i / 3], off = b->step.ends[i] - j->goal[3 * (ptrdiff_t)b->first + i];
    energy += 0.5 * m * rate * off * off;
    b->step.gradient[i] = m * rate * off;
  }
  for (int32_t i = 0; i < b->count; ++i) b->step.size += masses[i] * masses[i] * pl_vec3_dot(weight, weight);
  return energy;
}

void pl_coupled_commit_masses(const pl_coupled *j, const pl_coupled_body *b, const double *forces) {
  pl_body *body = b->body;
  double h = j->world->def.step;
  body->model->method->get_velocities(body->model, body->state, body->velocities);
  for (int32_t i = 0; i < b->count; ++i) {
    const double *end = b->step.ends + 3 * (ptrdiff_t)i, *goal = j->goal + 3 * (ptrdiff_t)(b->first + i);
    pl_vec3 gain = {end[0] - goal[0], end[1] - goal[1], end[2] - goal[2]};
    // By the force, which the other side feels too, rather than by the end that the solve has come to.
    if (!b->rests && j->fixed[b->first + i] == 0)
      gain =
          pl_vec3_scale((pl_vec3){forces[3 * i], forces[3 * i + 1], forces[3 * i + 2]}, h * h / body->model->masses[i]);
    body->positions[i] = pl_vec3_add((pl_vec3){goal[0], goal[1], goal[2]}, gain);
    body->velocities[i] = pl_vec3_add_scaled(body->velocities[i], gain, 1 / h);
  }
  body->model->method->set_state(body->model, body->state, body->positions, body->velocities);
}

static void clear_fixed(const pl_coupled *j, const pl_coupled_body *b, double *v) {
  for (ptrdiff_t i = 3 * (ptrdiff_t)b->first; i < 3 * (ptrdiff_t)(b->first + b->count); ++i)
    if ((j->fixed[i / 3] >> (i % 3) & 1) != 0) v[i] = 0;
}

static void add_size(pl_coupled_body *b, double square) {
  if (!pl_coupled_is_obstacle(b)) b->step.size += square;
}

// Energy, with the gradient of all.
static double evaluate(pl_coupled_island *s, pl_body_coupled_mode mode) {
  pl_coupled *j = s->coupled;
  double energy = 0;
  for (int32_t m = 0; m < s->body_count; ++m) {
    pl_coupled_body *b = &j->bodies[s->bodies[m]];
    energy += b->coupled != NULL ? b->coupled->evaluate(&b->step, mode) : pl_coupled_evaluate_masses(j, b);
  }
  for (int32_t n = 0; n < s->term_count; ++n) {
    int32_t i = s->terms[n];
    pl_contact_potential *t = &j->terms[i];
    energy += pl_contact_potential_evaluate(t, j->ends, mode != PL_COUPLED_SEARCH);
    pl_contact_potential_add_gradient(t, j->gradient);
    double square = t->force * t->force + pl_vec3_dot(t->tangent, t->tangent);
    add_size(&j->bodies[j->contacts[i].a.body], square);
    if (j->contacts[i].collider < 0) add_size(&j->bodies[j->contacts[i].b.body], square);
  }
  energy += pl_coupled_joints_evaluate(s) + pl_coupled_ties_evaluate(s);
  pl_coupled_joints_add_gradient(s, j->gradient);
  pl_coupled_ties_add_gradient(s, j->gradient);
  for (int32_t m = 0; m < s->body_count; ++m) clear_fixed(j, &j->bodies[s->bodies[m]], j->gradient);
  return energy;
}

// Four sums at a time: one alone would wait for every addition.
static double dot(const pl_coupled_island *s, const double *a, const double *b) {
  const pl_coupled *j = s->coupled;
  double sum = 0;
  for (int32_t m = 0; m < s->body_count; ++m) {
    int32_t k = s->bodies[m];
    double parts[4] = {0, 0, 0, 0};
    ptrdiff_t i = 3 * (ptrdiff_t)j->first[k], end = 3 * (ptrdiff_t)j->first[k + 1];
    for (; i + 4 <= end; i += 4)
      for (int e = 0; e < 4; ++e) parts[e] += a[i + e] * b[i + e];
    for (; i < end; ++i) parts[0] += a[i] * b[i];
    sum += (parts[0] + parts[1]) + (parts[2] + parts[3]);
  }
  return sum;
}

// to = from + factor * more
static void add_scaled(const pl_coupled_island *s, const double *from, double factor, const double *more, double *to) {
  const pl_coupled *j = s->coupled;
  for (int32_t m = 0; m < s->body_count; ++m) {
    int32_t k = s->bodies[m];
    for (ptrdiff_t i = 3 * (ptrdiff_t)j->first[k]; i < 3 * (ptrdiff_t)j->first[k + 1]; ++i)
      to[i] = from[i] + factor * more[i];
  }
}

// What is held has a product too; the preconditioner leaves it out.
static void multiply(const pl_coupled_island *s, const double *d, double *product) {
  const pl_coupled *j = s->coupled;
  double rate = 1 / (j->world->def.step * j->world->def.step);
  for (int32_t m = 0; m < s->body_count; ++m) {
    int32_t k = s->bodies[m];
    const pl_coupled_body *b = &j->bodies[k];
    ptrdiff_t at = 3 * (ptrdiff_t)b->first;
    if (b->coupled != NULL)
      b->coupled->multiply(&b->step, d + at, product + at);
    else if (b->rigid != NULL)
      pl_coupled_rigid_multiply(b, rate, d + at, product + at);
    else
      for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)b->count; ++i)
        product[at + i] = rate * b->body->model->masses[i / 3] * d[at + i];
  }
  for (int32_t n = 0; n < s->term_count; ++n) pl_contact_potential_add_product(&j->terms[s->terms[n]], d, product);
  pl_coupled_joints_add_product(s, d, product);
  pl_coupled_ties_add_product(s, d, product);
}

// Diagonal blocks of the bodies; those of held particles are zero.
static void get_blocks(const pl_coupled_island *s) {
  const pl_coupled *j = s->coupled;
  double rate = 1 / (j->world->def.step * j->world->def.step);
  for (int32_t m = 0; m < s->body_count; ++m) {
    int32_t k = s->bodies[m];
    const pl_coupled_body *b = &j->bodies[k];
    double *blocks = j->blocks + 9 * (ptrdiff_t)b->first;
    if (b->coupled != NULL) b->coupled->get_blocks(&b->step, blocks);
    if (b->rigid != NULL) pl_coupled_rigid_get_blocks(b, rate, blocks);
    for (int32_t i = 0; i < b->count; ++i) {
      if (b->coupled == NULL && b->rigid == NULL)
        for (int e = 0; e < 9; ++e) blocks[9 * i + e] = e % 4 == 0 ? rate * b->body->model->masses[i] : 0;
      if ((j->fixed[b->first + i] & 7) == 7) memset(blocks + 9 * i, 0, 9 * sizeof(double));
    }
  }
}

// Zero for what is held, so that it never moves.
static void invert_blocks(const pl_coupled_island *s) {
  const pl_coupled *j = s->coupled;
  for (int32_t m = 0; m < s->body_count; ++m) {
    int32_t k = s->bodies[m];
    memcpy(j->inverses + 9 * (ptrdiff_t)j->first[k], j->blocks + 9 * (ptrdiff_t)j->first[k],
           9 * (size_t)j->bodies[k].count * sizeof(double));
  }
  for (int32_t n = 0; n < s->term_count; ++n) pl_contact_potential_add_blocks(&j->terms[s->terms[n]], j->inverses);
  pl_coupled_joints_add_blocks(s, j->inverses);
  pl_coupled_ties_add_blocks(s, j->inverses);
  for (int32_t m = 0; m < s->body_count; ++m) {
    int32_t k = s->bodies[m];
    for (int32_t i = j->first[k]; i < j->first[k + 1]; ++i) {
      pl_mat3 block;
      memcpy(block.m, j->inverses + 9 * (ptrdiff_t)i, sizeof block.m);
      for (int a = 0; a < 3; ++a)
        if ((j->fixed[i] >> a & 1) != 0)
          for (int b = 0; b < 3; ++b) block.m[a][b] = block.m[b][a] = a == b ? 1 : 0;
      // An indefinite block is of no use here; its trace is.
      double trace = block.m[0][0] + block.m[1][1] + block.m[2][2];
      bool is_positive = block.m[0][0] > 0 && block.m[0][0] * block.m[1][1] - block.m[0][1] * block.m[1][0] > 0 &&
                         pl_mat3_determinant(block) > 1e-9 * trace * trace * trace;
      if (!is_positive) block = pl_mat3_diagonal(fabs(trace) / 3, fabs(trace) / 3, fabs(trace) / 3);
      block = pl_mat3_inverse(block);
      for (int a = 0; a < 3; ++a)
        if ((j->fixed[i] >> a & 1) != 0)
          for (int b = 0; b < 3; ++b) block.m[a][b] = block.m[b][a] = 0;
      memcpy(j->inverses + 9 * (ptrdiff_t)i, block.m, sizeof block.m);
    }
  }
}

// residual -= length * product, solved = preconditioned residual; returns the product of the two.
static double advance_residual(const pl_coupled_island *s, double length) {
  const pl_coupled *j = s->coupled;
  double sum = 0;
  for (int32_t m = 0; m < s->body_count; ++m) {
    int32_t k = s->bodies[m];
    double parts[3] = {0, 0, 0};
    for (int32_t i = j->first[k]; i < j->first[k + 1]; ++i) {
      const double *inverse = j->inverses + 9 * (ptrdiff_t)i, *product = j->product + 3 * (ptrdiff_t)i;
      double *r = j->residual + 3 * (ptrdiff_t)i, *z = j->solved + 3 * (ptrdiff_t)i;
      for (int a = 0; a < 3; ++a) r[a] -= length * product[a];
      for (int a = 0; a < 3; ++a) {
        z[a] = inverse[3 * a] * r[0] + inverse[3 * a + 1] * r[1] + inverse[3 * a + 2] * r[2];
        parts[a] += r[a] * z[a];
      }
    }
    sum += parts[0] + parts[1] + parts[2];
  }
  return sum;
}

// --- Newton's method ----------------------------------------------------------------------------------------------

// The worst body's residual as a multiple of what counts as none.
static double relative_residual(const pl_coupled_island *s) {
  const pl_coupled *j = s->coupled;
  double worst = 0;
  for (int32_t m = 0; m < s->body_count; ++m) {
    int32_t k = s->bodies[m];
    double square = 0;
    for (ptrdiff_t i = 3 * (ptrdiff_t)j->first[k]; i < 3 * (ptrdiff_t)j->first[k + 1]; ++i)
      square += j->gradient[i] * j->gradient[i];
    double size = j->bodies[k].step.tolerance * j->bodies[k].step.tolerance * j->bodies[k].step.size;
    worst = fmax(worst, square / fmax(size, 1e-300));
  }
  return sqrt(worst);
}

// Conjugate gradients for direction = -H⁻¹ gradient, to a fraction of the residual, from zero or from the direction
// that is there; false if H is not positive definite, and the direction is then one of descent all the same.
static bool solve_direction(pl_coupled_island *s, const double *gradient, bool from_zero, double tolerance) {
  const pl_coupled *j = s->coupled;
  double *p = j->base;  // free while there is no search along a line
  add_scaled(s, gradient, -2, gradient, j->residual);
  add_scaled(s, gradient, -1, gradient, j->product);
  double left = advance_residual(s, 0), wanted = tolerance * tolerance * left;
  if (from_zero) {
    add_scaled(s, gradient, -1, gradient, j->direction);
  } else {
    multiply(s, j->direction, j->product);
    left = advance_residual(s, 1);
  }
  add_scaled(s, j->solved, 0, j->solved, p);
  for (int32_t i = 0; i < MAX_CONJUGATE && left > wanted; ++i, ++s->conjugate_count) {
    multiply(s, p, j->product);
    double curvature = dot(s, p, j->product);
    if (!(curvature > 0)) {
      if (i == 0 && from_zero) add_scaled(s, p, 0, p, j->direction);
      return false;
    }
    double length = left / curvature;
    add_scaled(s, j->direction, length, p, j->direction);
    double next = advance_residual(s, length);
    add_scaled(s, j->solved, next / left, p, p);
    left = next;
  }
  return true;
}

// Take the terms as they will be at the end of the direction, and the predicted gradient with them. False if all stay
// as they are.
static bool predict_terms(const pl_coupled_island *s) {
  const pl_coupled *j = s->coupled;
  bool any = false;
  // Less what the terms gave …
  add_scaled(s, j->predicted, -2, j->predicted, j->predicted);
  for (int32_t n = 0; n < s->term_count; ++n) pl_contact_potential_add_gradient(&j->terms[s->terms[n]], j->predicted);
  pl_coupled_joints_add_gradient(s, j->predicted);
  add_scaled(s, j->predicted, -2, j->predicted, j->predicted);
  // … plus what they give now.
  for (int32_t n = 0; n < s->term_count; ++n) {
    pl_contact_potential *t = &j->terms[s->terms[n]];
    any = pl_contact_potential_predict(t, j->direction) || any;
    pl_contact_potential_add_gradient(t, j->predicted);
  }
  any = pl_coupled_joints_predict(s) || any;
  pl_coupled_joints_add_gradient(s, j->predicted);
  for (int32_t m = 0; m < s->body_count; ++m) clear_fixed(j, &j->bodies[s->bodies[m]], j->predicted);
  return any;
}

// The direction of Newton's method; false if H is not positive definite. H knows one side of each kink of contact and
// friction: what slides has no stiffness along its way, and what is apart has none at all. A direction that crosses
// kinks overshoots, and the search along it gets nowhere: half of all iterations were spent so. Such a direction is
// found again with the terms that it leads to.
static bool find_direction(pl_coupled_island *s, double tolerance) {
  const pl_coupled *j = s->coupled;
  invert_blocks(s);
  if (!solve_direction(s, j->gradient, true, tolerance)) return false;
  add_scaled(s, j->gradient, 0, j->gradient, j->predicted);
  for (int round = 0; round < MAX_PREDICTIONS && predict_terms(s); ++round) {
    invert_blocks(s);
    if (!solve_direction(s, j->predicted, false, tolerance)) break;
  }
  if (dot(s, j->gradient, j->direction) < 0) return true;
  // It leads up: without prediction then.
  evaluate(s, PL_COUPLED_SEARCH);
  invert_blocks(s);
  return solve_direction(s, j->gradient, true, tolerance);
}

// Go along the direction as far as the energy falls; false if it falls nowhere. Close to the solution the energy is
// flat to its last digits, and the gradient tells instead.
static bool search_line(pl_coupled_island *s, bool is_close, double *energy) {
  pl_coupled *j = s->coupled;
  double slope = dot(s, j->gradient, j->direction), before = dot(s, j->gradient, j->gradient);
  if (!(slope < 0)) return false;
  add_scaled(s, j->ends, 0, j->ends, j->base);
  double length = 1, noise = 1e-12 * fabs(*energy) + 1e-300;
  for (int32_t m = 0; m < s->body_count; ++m) noise += j->bodies[s->bodies[m]].step.noise;
  for (int k = 0; k < MAX_HALVINGS; ++k, length *= 0.5) {
    add_scaled(s, j->base, length, j->direction, j->ends);
    double reached = evaluate(s, PL_COUPLED_SEARCH);
    bool fell = reached <= *energy + 1e-4 * length * slope;
    bool level = (is_close || fabs(reached - *energy) <= noise) && dot(s, j->gradient, j->gradient) < before;
    if (!fell && !level) continue;
    *energy = reached;
    return true;
  }
  add_scaled(s, j->base, 0, j->base, j->ends);
  return false;
}

// How far a gap may be from where it is to be.
static double allowed_gap(const pl_coupled *j, int32_t term) {
  double allowed = j->bodies[j->contacts[term].a.body].allowed, leave = j->terms[term].leave;
  return leave > 0 ? fmin(allowed, BOUNCE_TOLERANCE * leave) : allowed;
}

// Take the forces as multipliers where contacts overlap more than they may, or press across a gap: a multiplier of the
// last step is no longer right then, and would throw apart what has just met. False if none do.
static bool update_multipliers(const pl_coupled_island *s) {
  pl_coupled *j = s->coupled;
  bool any = pl_coupled_joints_any_off(s) || pl_coupled_ties_any_off(s);
  for (int32_t n = 0; n < s->term_count; ++n) {
    int32_t i = s->terms[n];
    const pl_contact_potential *t = &j->terms[i];
    if (t->force > 0 && fabs(t->gap) > allowed_gap(j, i)) any = true;
  }
  for (int32_t n = 0; any && n < s->term_count; ++n)
    j->terms[s->terms[n]].normal_multiplier = j->terms[s->terms[n]].force;
  if (any) pl_coupled_joints_update(s);
  if (any) pl_coupled_ties_update(s);
  return any;
}

// Does any contact pull with all that its limit of friction allows?
static bool slides(const pl_coupled_island *s) {
  for (int32_t n = 0; n < s->term_count; ++n) {
    const pl_contact_potential *t = &s->coupled->terms[s->terms[n]];
    if (t->grip > 0 && pl_vec3_dot(t->slide, t->slide) > 0) return true;
  }
  return false;
}

static bool is_slow(const pl_coupled_island *s) {
  const pl_coupled *j = s->coupled;
  for (int32_t m = 0; m < s->body_count; ++m) {
    int32_t k = s->bodies[m];
    const pl_body *body = j->bodies[k].body;
    for (int32_t i = 0; i < body->model->particle_count; ++i)
      if (!(pl_vec3_dot(body->start_velocities[i], body->start_velocities[i]) < REST_SPEED * REST_SPEED)) return false;
  }
  return true;
}

// Does any contact press that began the step with more overlap than may stay?
static bool has_old_overlap(const pl_coupled_island *s) {
  const pl_coupled *j = s->coupled;
  for (int32_t n = 0; n < s->term_count; ++n) {
    const pl_contact *c = &j->contacts[s->terms[n]];
    if (j->terms[s->terms[n]].force > 0 && -c->start_gap > j->bodies[c->a.body].allowed) return true;
  }
  return false;
}

// What hardly moves is tried without any motion first: what rests then rests exactly.
static void guess_rest(const pl_coupled_island *s) {
  const pl_coupled *j = s->coupled;
  for (int32_t m = 0; m < s->body_count; ++m) {
    int32_t k = s->bodies[m];
    const pl_vec3 *starts = j->bodies[k].body->starts;
    if (j->bodies[k].rigid != NULL) pl_coupled_rigid_guess_rest(&j->bodies[k]);
    for (int32_t i = 0; j->bodies[k].rigid == NULL && i < j->bodies[k].count; ++i) {
      double *end = j->ends + 3 * (ptrdiff_t)(j->first[k] + i);
      const double at[3] = {starts[i].x, starts[i].y, starts[i].z};
      for (int a = 0; a < 3; ++a)
        if ((j->fixed[j->first[k] + i] >> a & 1) == 0) end[a] = at[a];
    }
  }
}

static const pl_coupled_body *body_with(const pl_coupled_island *s, int32_t particle) {
  for (int32_t m = 0; m < s->body_count; ++m) {
    const pl_coupled_body *b = &s->coupled->bodies[s->bodies[m]];
    if (particle >= b->first && particle < b->first + b->count) return b;
  }
  return NULL;
}

// Free masses begin where the forces of the last step take them. Their goals know nothing of contact: a force that acts
// in every step would have to be found again in each. Those that were solved before begin where that has left them.
static void guess_pushed(const pl_coupled_island *s) {
  const pl_coupled *j = s->coupled;
  double square = j->world->def.step * j->world->def.step;
  for (int32_t n = 0; n < s->term_count; ++n) {
    const pl_contact_potential *t = &j->terms[s->terms[n]];
    if (!(t->normal_multiplier > 0) || !(t->stiffness > 0)) continue;
    pl_vec3 force = pl_vec3_add_scaled(t->tangent_multiplier, t->normal, t->normal_multiplier);
    for (int32_t i = 0; i < t->count; ++i) {
      const pl_coupled_body *b = body_with(s, t->particles[i]);
      if (b == NULL || b->coupled != NULL || b->rigid != NULL || b->is_guessed) continue;
      if (j->fixed[t->particles[i]] != 0) continue;
      double *end = j->ends + 3 * (ptrdiff_t)t->particles[i];
      double factor = square * t->weights[i] / b->body->model->masses[t->particles[i] - b->first];
      end[0] += factor * force.x, end[1] += factor * force.y, end[2] += factor * force.z;
    }
  }
}

// Take friction's caps back in part. Returns the energy.
static double relax_friction(pl_coupled_island *s) {
  pl_coupled *j = s->coupled;
  for (int32_t n = 0; n < s->term_count; ++n) pl_contact_potential_relax(&j->terms[s->terms[n]]);
  return evaluate(s, PL_COUPLED_SEARCH);
}

// Of the next direction, after one of `last`. Where Newton's method converges quadratically the residual falls by its
// own square, and where contacts and friction still change it does not, however exact a direction is (Eisenstat and
// Walker 1996). Where it hardly falls at all, the direction may be to blame.
static double choose_tolerance(const pl_coupled_island *s, double fallen, double last) {
  if (s->newton_count == 0) return MIDDLE_TOLERANCE;
  double tolerance = fmin(MAX_TOLERANCE, fmax(MAX_TOLERANCE / s->residual, fallen * fallen));
  return fmax(MIN_TOLERANCE, fallen > 0.5 ? MAX_TOLERANCE * last : tolerance);
}

bool pl_coupled_minimize(pl_coupled_island *s) {
  pl_coupled *j = s->coupled;
  int updates = 0, renewed = 0, polished = 0;
  bool positive = false, solved = false, keeps = false, slow = is_slow(s);
  double last = HUGE_VAL, tolerance = MIDDLE_TOLERANCE;
  if (slow) guess_rest(s);
  s->is_rough = s->is_rough && !slow;
  s->newton_count = s->conjugate_count = 0;
  double energy = evaluate(s, PL_COUPLED_LINEARISE);
  get_blocks(s);
  for (int32_t n = 0; n < s->term_count; ++n)
    pl_contact_potential_set_stiffness(&j->terms[s->terms[n]], j->blocks, STIFFNESS);
  pl_coupled_joints_set_stiffness(s);
  pl_coupled_ties_set_stiffness(s);
  if (!slow) guess_pushed(s);
  for (int32_t m = 0; m < s->body_count; ++m) j->bodies[s->bodies[m]].is_guessed = true;
  energy = evaluate(s, PL_COUPLED_CHECK);
  bool rests = slow && relative_residual(s) <= REST_RESIDUAL && !has_old_overlap(s);
  for (int32_t m = 0; m < s->body_count; ++m) j->bodies[s->bodies[m]].rests = rests;
  if (rests) return true;
  for (;; ++s->newton_count) {
    if (s->newton_count > 0 && keeps) energy = evaluate(s, PL_COUPLED_CHECK);
    if (s->newton_count > 0 && !keeps) {
      energy = evaluate(s, positive ? PL_COUPLED_POSITIVE : PL_COUPLED_LINEARISE);
      get_blocks(s);
    }
    s->residual = relative_residual(s);
    if (s->is_rough && (s->residual <= ROUGH || s->newton_count >= MAX_ROUGH)) {
      update_multipliers(s);
      return false;
    }
    while (s->residual <= (updates < 2 ? RENEWED : 1) && updates < MAX_UPDATES && update_multipliers(s)) {
      ++updates;
      energy = evaluate(s, PL_COUPLED_CHECK);
      s->residual = relative_residual(s);
    }
    solved = s->residual <= 1;
    polished += solved;
    bool more = s->residual > POLISHED && s->residual <= 0.5 * last && slides(s);
    bool is_polished = polished > MAX_POLISH || (polished > POLISH && !more);
    double before = last;
    last = s->residual;
    if (is_polished || s->newton_count >= MAX_NEWTON || !isfinite(s->residual)) return solved;
    if (!solved && s->newton_count >= RELAX_AFTER) energy = relax_friction(s);
    double fallen = updates > renewed ? 0.3 : s->residual / before;
    tolerance = choose_tolerance(s, fallen, tolerance);
    renewed = updates;
    if (solved) tolerance = slides(s) ? SLIDING_TOLERANCE : POLISH_TOLERANCE;
    bool is_definite = find_direction(s, tolerance);
    bool moved = search_line(s, solved, &energy);
    if (!moved && (positive || solved)) return solved;
    positive = !is_definite || !moved;
    // Close to the solution the matrix hardly changes any more, and the next one is not worth its assembly.
    keeps = moved && is_definite && s->residual <= 0.5 * before && relative_residual(s) <= 1;
  }
}
