// A bent torus, for tests that need a closed surface with a hole: curved both ways, its points not neighbours by number.
#ifndef PL_TEST_TORUS_SURFACE_H
#define PL_TEST_TORUS_SURFACE_H

#include <math.h>
#include <string.h>

#include "contact/contact.h"
#include "pliant/math.h"

enum { RINGS = 12, SEGMENTS = 18, POINTS = RINGS * SEGMENTS, TRIANGLES = 2 * POINTS };

typedef struct torus {
  int32_t parents[4 * POINTS], triangles[3 * TRIANGLES];
  float weights[4 * POINTS];
  pl_vec3 points[POINTS];
  pl_contact_surface surface;
} torus;

static inline void make_torus(torus *t) {
  const double pi = acos(-1.0);
  for (int i = 0; i < RINGS; ++i)
    for (int j = 0; j < SEGMENTS; ++j) {
      double u = 2 * pi * i / RINGS, v = 2 * pi * j / SEGMENTS, r = 0.3 + 0.05 * cos(3 * u);
      int32_t p = i * SEGMENTS + j;
      t->points[p] = pl_vec3_of((1 + r * cos(v)) * cos(u), r * sin(v) + 0.2 * cos(2 * u), (1 + r * cos(v)) * sin(u));
      for (int k = 0; k < 4; ++k) t->parents[4 * p + k] = p, t->weights[4 * p + k] = k == 0 ? 1.0f : 0.0f;
      int32_t right = (i + 1) % RINGS * SEGMENTS + j, up = i * SEGMENTS + (j + 1) % SEGMENTS;
      int32_t both = (i + 1) % RINGS * SEGMENTS + (j + 1) % SEGMENTS;
      const int32_t two[6] = {p, up, right, right, up, both};
      memcpy(&t->triangles[6 * p], two, sizeof two);
    }
  t->surface = (pl_contact_surface){POINTS, t->parents, t->weights, TRIANGLES, t->triangles, POINTS, t->points};
}

#endif
