// Bodies whose particles are floats around an origin of doubles, so that single precision is as
// fine far from the world's origin as near it.
#ifndef PL_BODY_FLOATS_H
#define PL_BODY_FLOATS_H

#include "body/body_method.h"

// Initial positions and velocities of a body. The origin is the point of a grid of `grid` metres
// nearest to the placed `center`; `rest` are the particles of the rest shape relative to `center`,
// `positions` become relative to the origin.
void pl_body_floats_start(const pl_body_start *start, pl_vec3 center, double grid,
                          const pl_f4 *rest, int32_t count, double origin[3], pl_f4 *positions,
                          pl_f4 *velocities);

#endif
