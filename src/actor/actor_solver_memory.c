// What a search learns of second derivatives on its way: the method of Broyden, Fletcher, Goldfarb and Shanno with a
// limited memory (Nocedal and Wright 2006, section 7.2), begun in every point with the matrix K of Gauss and Newton
// there.
//
// Gauss and Newton leave out the curvature of the equations of motion. It is large where points of a body are about to
// stick, to slip or to lift: the derivative of the goals by p jumps there, minima tend to lie in such kinks, and
// without this knowledge steps zigzag across them. Pairs of points tell it,
//
//   s = p_k+1 - p_k        y = f'(p_k+1) - f'(p_k)        with the gradient f' along c = 0
//
// Across a kink y is large for however small an s, and the next steps go along it (Lewis and Overton 2013). What the
// matrix then expects to gain goes to 0 at a minimum in a kink too, where the gradient does not.
#include <string.h>

#include "actor/actor_solver_parts.h"

// Of the s·y that the matrix so far expects; less is mixed with what it expects (Powell's damping, ibid., procedure
// 18.2), so that it stays positive.
static const double MIN_CURVATURE = 0.2;

void pl_actor_memory_part(pl_actor_solver *s) {
  s->memory_begun = false;
}

void pl_actor_memory_clear(pl_actor_solver *s) {
  s->memory_count = 0;
  pl_actor_memory_part(s);
}

static void add_pair(pl_actor_solver *s, const double *p) {
  size_t P = (size_t)s->P, kept = (size_t)s->memory_count;
  const double *last = s->memory_last, *gradient = last + P, *step = gradient + P;
  if (kept == PL_ACTOR_MEMORY) {
    kept = (size_t)--s->memory_count;
    memmove(s->memory_p, s->memory_p + P, kept * P * sizeof(double));
    memmove(s->memory_g, s->memory_g + P, kept * P * sizeof(double));
  }
  double *move = s->memory_p + kept * P, *change = s->memory_g + kept * P;
  for (size_t j = 0; j < P; ++j) move[j] = p[j] - last[j];
  for (size_t j = 0; j < P; ++j) change[j] = s->whole[j] - gradient[j];
  // The move is -length dp, and the matrix of the point before times dp is its gradient.
  double square = pl_actor_dot(s->P, step, step), length = square > 0 ? -pl_actor_dot(s->P, move, step) / square : 0;
  double expected = length * length * pl_actor_dot(s->P, step, gradient), found = pl_actor_dot(s->P, move, change);
  if (found < MIN_CURVATURE * expected) {
    double mixed = (1 - MIN_CURVATURE) * expected / (expected - found);
    for (size_t j = 0; j < P; ++j) change[j] = mixed * change[j] - (1 - mixed) * length * gradient[j];
  }
  if (pl_actor_dot(s->P, move, change) > 0) s->memory_count++;
}

void pl_actor_memory_learn(pl_actor_solver *s, const double *p) {
  size_t P = (size_t)s->P, size = P * sizeof(double);
  if (s->memory_begun) add_pair(s, p);
  memcpy(s->dp, s->whole, size);
  pl_actor_memory_solve(s, s->dp);
  memcpy(s->memory_last, p, size);
  memcpy(s->memory_last + P, s->whole, size);
  memcpy(s->memory_last + 2 * P, s->dp, size);
  s->memory_begun = true;
}

// The two loops of ibid., algorithm 7.4.
void pl_actor_memory_solve(const pl_actor_solver *s, double *x) {
  size_t P = (size_t)s->P;
  double factors[PL_ACTOR_MEMORY];
  for (int32_t k = s->memory_count - 1; k >= 0; --k) {
    const double *move = s->memory_p + (size_t)k * P, *change = s->memory_g + (size_t)k * P;
    factors[k] = pl_actor_dot(s->P, move, x) / pl_actor_dot(s->P, move, change);
    for (size_t j = 0; j < P; ++j) x[j] -= factors[k] * change[j];
  }
  pl_actor_reduced_solve(s, x);
  for (int32_t k = 0; k < s->memory_count; ++k) {
    const double *move = s->memory_p + (size_t)k * P, *change = s->memory_g + (size_t)k * P;
    double factor = factors[k] - pl_actor_dot(s->P, change, x) / pl_actor_dot(s->P, move, change);
    for (size_t j = 0; j < P; ++j) x[j] += factor * move[j];
  }
}
