#include "contact/contact_potential.h"

#include <math.h>

#include "contact/potential_vectors.h"
#include "math/mat3.h"
#include "pliant/math.h"

// Parts of a change of friction's cap that are taken: the first time, and at least.
static const double FIRST_FRACTION = 0.5, MIN_FRACTION = 0.125;

static pl_vec3 in_plane(pl_vec3 v, pl_vec3 normal) {
  return pl_vec3_add_scaled(v, normal, -pl_vec3_dot(v, normal));
}

static pl_potential_parts parts_of(const pl_contact_potential *term) {
  return (pl_potential_parts){term->count, term->particles, term->weights, term->turn_count, term->turns, term->levers};
}

static void add_part(pl_contact_potential *term, int32_t particle, double weight) {
  for (int32_t i = 0; i < term->count; ++i)
    if (term->particles[i] == particle) {
      term->weights[i] += weight;
      return;
    }
  term->particles[term->count] = particle;
  term->weights[term->count++] = weight;
}

static void add_rigid_side(pl_contact_potential *term, const pl_contact_side *side, const pl_contact_body *body,
                           const pl_potential_rigid *rigid, int32_t first, double sign) {
  pl_vec3 lever = {0, 0, 0}, start = {0, 0, 0};
  for (int32_t k = 0; k < side->count; ++k) {
    int32_t particle = body->surface->parents[4 * (size_t)side->points[k]];
    lever = pl_vec3_add_scaled(lever, pl_vec3_sub(rigid->points[particle], rigid->center), side->weights[k]);
    start =
        pl_vec3_add_scaled(start, body->asleep ? rigid->points[particle] : body->starts[particle], side->weights[k]);
  }
  add_part(term, first, sign);
  term->turns[term->turn_count] = first + 1;
  term->levers[term->turn_count++] = pl_vec3_scale(lever, sign / rigid->length);
  term->fixed = pl_vec3_add_scaled(term->fixed, lever, sign);
  term->start = pl_vec3_add_scaled(term->start, start, sign);
}

static void add_side(pl_contact_potential *term, const pl_contact_side *side, const pl_contact_body *bodies,
                     const int32_t *first, double sign) {
  for (int32_t k = 0; k < side->count; ++k) {
    if (side->weights[k] == 0) continue;
    const pl_contact_body *body = &bodies[side->body];
    const int32_t *parents = &body->surface->parents[4 * (size_t)side->points[k]];
    const float *weights = &body->surface->weights[4 * (size_t)side->points[k]];
    // Single-precision weights miss 1 by some 1e-8; equal and opposite forces must not.
    double sum = 0, scale = sign * side->weights[k];
    for (int j = 0; j < 4; ++j) sum += (double)weights[j];
    for (int j = 0; j < 4; ++j) {
      if (weights[j] == 0.0f) continue;
      double weight = scale * (double)weights[j] / sum;
      add_part(term, first[side->body] + parents[j], weight);
      term->start = pl_vec3_add_scaled(term->start, body->starts[parents[j]], weight);
    }
  }
}

pl_contact_potential pl_contact_potential_of(const pl_contact *contact, const pl_contact_body *bodies,
                                             const int32_t *first, const pl_potential_rigid *rigids, double step) {
  pl_contact_potential term = {
      .normal = contact->normal,
      .offset = contact->offset,
      .start = pl_vec3_scale(contact->surface_velocity, step),
      .friction = contact->friction,
  };
  for (int k = 0; k < 2; ++k) {
    const pl_contact_side *side = k == 0 ? &contact->a : &contact->b;
    double sign = k == 0 ? 1 : -1;
    if (side->count > 0 && rigids != NULL && rigids[side->body].points != NULL)
      add_rigid_side(&term, side, &bodies[side->body], &rigids[side->body], first[side->body], sign);
    else
      add_side(&term, side, bodies, first, sign);
  }
  return term;
}

void pl_contact_potential_freeze(pl_contact_potential *term, int32_t first, int32_t count, const double *z) {
  int32_t kept = 0, kept_turns = 0;
  for (int32_t i = 0; i < term->count; ++i) {
    if (term->particles[i] >= first && term->particles[i] < first + count) {
      term->fixed = pl_vec3_add_scaled(term->fixed, pl_potential_vector_at(z, term->particles[i]), term->weights[i]);
      continue;
    }
    term->particles[kept] = term->particles[i];
    term->weights[kept++] = term->weights[i];
  }
  for (int32_t i = 0; i < term->turn_count; ++i) {
    if (term->turns[i] >= first && term->turns[i] < first + count) {
      term->fixed = pl_vec3_add(term->fixed, pl_vec3_cross(pl_potential_vector_at(z, term->turns[i]), term->levers[i]));
      continue;
    }
    term->turns[kept_turns] = term->turns[i];
    term->levers[kept_turns++] = term->levers[i];
  }
  term->count = kept;
  term->turn_count = kept_turns;
}

// 1 / k of a direction in the mean: sum w_i² tr(H_i⁻¹) / 3.
void pl_contact_potential_set_stiffness(pl_contact_potential *term, const double *blocks, double factor) {
  double answer = 0;
  for (int32_t i = 0; i < term->count; ++i) {
    const double *b = blocks + 9 * (ptrdiff_t)term->particles[i];
    double mean = (b[0] + b[4] + b[8]) / 3;
    if (mean > 0) answer += term->weights[i] * term->weights[i] / mean;
  }
  // A lever turns two of three directions.
  for (int32_t i = 0; i < term->turn_count; ++i) {
    const double *b = blocks + 9 * (ptrdiff_t)term->turns[i];
    double mean = (b[0] + b[4] + b[8]) / 3;
    if (mean > 0) answer += 2 * pl_vec3_dot(term->levers[i], term->levers[i]) / (3 * mean);
  }
  term->stiffness = answer > 0 ? factor / answer : 0;
  term->fraction = 0;
}

static double evaluate_friction(pl_contact_potential *term, pl_vec3 apart) {
  double k = term->stiffness;
  pl_vec3 slid = in_plane(pl_vec3_sub(apart, term->start), term->normal);
  pl_vec3 pull = pl_vec3_add_scaled(term->tangent_multiplier, slid, -k);
  double length = pl_vec3_length(pull);
  term->tangent = term->pull = pull;
  term->grip = k;
  term->slide = (pl_vec3){0, 0, 0};
  if (length <= term->cap) return 0.5 * length * length / k;
  term->slide = pl_vec3_scale(pull, 1 / length);
  term->tangent = pl_vec3_scale(term->slide, term->cap);
  term->grip = k * term->cap / length;
  return term->cap * (length - 0.5 * term->cap) / k;
}

double pl_contact_potential_evaluate(pl_contact_potential *term, const double *z, bool refresh) {
  term->force = term->grip = 0;
  term->presses = false;
  term->tangent = (pl_vec3){0, 0, 0};
  if (!(term->stiffness > 0)) return 0;
  pl_vec3 apart = pl_vec3_add(pl_potential_mix(parts_of(term), z), term->fixed);
  term->gap = pl_vec3_dot(term->normal, apart) - term->offset;
  term->force = fmax(0, term->normal_multiplier - term->stiffness * term->gap);
  term->presses = term->force > 0;
  if (refresh) {
    term->last_cap = term->cap;
    term->cap = term->friction * term->force;
  }
  double energy = 0.5 * term->force * term->force / term->stiffness;
  return term->cap > 0 ? energy + evaluate_friction(term, apart) : energy;
}

double pl_contact_potential_work(const pl_contact_potential *term, const double *z) {
  if (!(term->force > 0)) return 0;
  pl_vec3 way = pl_vec3_sub(pl_vec3_add(pl_potential_mix(parts_of(term), z), term->fixed), term->start);
  double along = pl_vec3_dot(way, term->normal) + term->lag;
  return term->force * along + pl_vec3_dot(term->tangent, way);
}

bool pl_contact_potential_predict(pl_contact_potential *term, const double *d) {
  if (!(term->stiffness > 0)) return false;
  pl_vec3 way = pl_potential_mix(parts_of(term), d);
  bool slides = term->grip > 0 && pl_vec3_dot(term->slide, term->slide) > 0, changed = false;
  double force = term->normal_multiplier - term->stiffness * term->gap;
  if (!term->presses && force - term->stiffness * pl_vec3_dot(term->normal, way) > 0) {
    term->presses = changed = true;
    term->force = force;
  }
  if (slides && pl_vec3_dot(term->slide, pl_vec3_add_scaled(term->pull, way, -term->stiffness)) < term->cap) {
    term->tangent = term->pull;
    term->grip = term->stiffness;
    term->slide = (pl_vec3){0, 0, 0};
    changed = true;
  }
  return changed;
}

// After the part θ_0 of the change d_0 was taken, the change d = μ f - cap is asked for. By the secant through both
// none is left after θ d, with θ = θ_0 d_0 / (d_0 - d).
void pl_contact_potential_relax(pl_contact_potential *term) {
  double change = term->cap - term->last_cap, turn = term->last_change - change;
  double fraction = FIRST_FRACTION;
  if (term->fraction > 0) fraction = term->fraction * (turn != 0 ? term->last_change / turn : 1);
  // A change that has grown says nothing about where it would end.
  term->fraction = fraction > 0 ? fmin(fmax(fraction, MIN_FRACTION), 1) : FIRST_FRACTION;
  term->last_change = change;
  term->cap = term->last_cap + term->fraction * change;
}

void pl_contact_potential_add_gradient(const pl_contact_potential *term, double *gradient) {
  pl_vec3 force = pl_vec3_add_scaled(term->tangent, term->normal, term->force);
  pl_potential_spread(parts_of(term), force, -1, gradient);
}

// What the contact answers to a displacement of its sides: k n nᵀ where it presses, grip (P - slide slideᵀ) in the
// plane.
static pl_vec3 answer(const pl_contact_potential *term, pl_vec3 d) {
  double along = pl_vec3_dot(d, term->normal);
  pl_vec3 sum = pl_vec3_scale(term->normal, term->presses ? term->stiffness * along : 0);
  if (!(term->grip > 0)) return sum;
  pl_vec3 plane = pl_vec3_add_scaled(d, term->normal, -along);
  plane = pl_vec3_add_scaled(plane, term->slide, -pl_vec3_dot(plane, term->slide));
  return pl_vec3_add_scaled(sum, plane, term->grip);
}

void pl_contact_potential_add_product(const pl_contact_potential *term, const double *d, double *product) {
  if (!term->presses && !(term->grip > 0)) return;
  pl_vec3 force = answer(term, pl_potential_mix(parts_of(term), d));
  pl_potential_spread(parts_of(term), force, 1, product);
}

void pl_contact_potential_add_blocks(const pl_contact_potential *term, double *blocks) {
  if (!term->presses && !(term->grip > 0)) return;
  pl_vec3 columns[3] = {answer(term, (pl_vec3){1, 0, 0}), answer(term, (pl_vec3){0, 1, 0}),
                        answer(term, (pl_vec3){0, 0, 1})};
  for (int32_t i = 0; i < term->count; ++i) {
    double square = term->weights[i] * term->weights[i], *b = blocks + 9 * (ptrdiff_t)term->particles[i];
    for (int j = 0; j < 3; ++j) {
      b[j] += square * columns[j].x;
      b[3 + j] += square * columns[j].y;
      b[6 + j] += square * columns[j].z;
    }
  }
  for (int32_t i = 0; i < term->turn_count; ++i) {
    double *b = blocks + 9 * (ptrdiff_t)term->turns[i];
    static const pl_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int j = 0; j < 3; ++j) {
      pl_vec3 column = pl_vec3_cross(term->levers[i], answer(term, pl_vec3_cross(axes[j], term->levers[i])));
      b[j] += column.x;
      b[3 + j] += column.y;
      b[6 + j] += column.z;
    }
  }
}
