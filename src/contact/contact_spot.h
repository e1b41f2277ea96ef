// A place on a triangle in 32 bits, as hits and the slots of the impulses keep it:
//
//   2 bits   how many more steps may use it (contact_keep.c)
//   10 bits  triangle: small bodies have no more
//   10 bits  weight of the first corner, 0 to 1, and of the second
#ifndef PL_CONTACT_SPOT_H
#define PL_CONTACT_SPOT_H

#include <stdbool.h>
#include <stdint.h>

// A place on a triangle.
typedef struct pl_contact_place {
  int32_t triangle;
  double weights[3];  // of its corners
} pl_contact_place;

enum { PL_SPOT_USES = 30, PL_SPOT_TRIANGLE = 20, PL_SPOT_FIRST = 10 };  // lowest bits
enum { PL_SPOT_MASK = (1 << PL_SPOT_FIRST) - 1 };

// A place for `uses` of the next steps.
static inline uint32_t pl_contact_spot_of(const pl_contact_place *place, uint32_t uses) {
  uint32_t first = (uint32_t)(place->weights[0] * PL_SPOT_MASK + 0.5);
  uint32_t second = (uint32_t)(place->weights[1] * PL_SPOT_MASK + 0.5);
  // Rounded up, the two may exceed all there is.
  if (first + second > PL_SPOT_MASK) second = PL_SPOT_MASK - first;
  return uses << PL_SPOT_USES | (uint32_t)place->triangle << PL_SPOT_TRIANGLE |
         first << PL_SPOT_FIRST | second;
}

static inline uint32_t pl_contact_spot_get_uses(uint32_t spot) {
  return spot >> PL_SPOT_USES;
}

// The same with one use less.
static inline uint32_t pl_contact_spot_use(uint32_t spot) {
  return spot - (UINT32_C(1) << PL_SPOT_USES);
}

static inline int32_t pl_contact_spot_triangle(uint32_t spot) {
  return (int32_t)(spot >> PL_SPOT_TRIANGLE & PL_SPOT_MASK);
}

static inline pl_contact_place pl_contact_spot_place(uint32_t spot) {
  uint32_t first = spot >> PL_SPOT_FIRST & PL_SPOT_MASK, second = spot & PL_SPOT_MASK;
  const double part = 1.0 / PL_SPOT_MASK;
  double a = (double)(int32_t)first * part, b = (double)(int32_t)second * part;
  return (pl_contact_place){pl_contact_spot_triangle(spot), {a, b, 1 - a - b}};
}

// Is a place farther from the sides of its triangle than what counts as on its border
// (contact_tets.c)?
static inline bool pl_contact_spot_is_inside(uint32_t spot) {
  uint32_t first = spot >> PL_SPOT_FIRST & PL_SPOT_MASK, second = spot & PL_SPOT_MASK;
  return first >= 2 && second >= 2 && first + second <= PL_SPOT_MASK - 2;
}

#endif
