// A direction that tells two small bodies apart, or almost: along it they overlap in a thin slab.
//
// Bodies of a heap lie against each other; the boxes around them overlap although the bodies do
// not. If all points of one body, in the course of the step, are above all points of the other
// along some direction, nothing of them touches. If they are not, only what is in the slab where
// they overlap can. The direction is found by ascent and kept from step to step, which saves time
// only: what is ruled out by it does not depend on it.
#ifndef PL_CONTACT_PAIR_AXIS_H
#define PL_CONTACT_PAIR_AXIS_H

#include "contact/surface_motion.h"

// How far a body reaches along fixed directions, at the start of the step in its own frame and at
// the end, relative to its origin. Most pairs whose boxes overlap are apart along one of these:
// sums and differences of coordinates, which boxes do not bound.
enum { PL_PAIR_DIRECTIONS = 10, PL_PAIR_DIRECTION_LANES = 16 };
struct pl_surface_extents {
  float start_min[PL_PAIR_DIRECTION_LANES], start_max[PL_PAIR_DIRECTION_LANES];
  float end_min[PL_PAIR_DIRECTION_LANES], end_max[PL_PAIR_DIRECTION_LANES];
};

// The directions, not unit, and their lengths; the rest of the lanes tells nothing apart.
extern const float pl_pair_directions[3][PL_PAIR_DIRECTION_LANES];
extern const float pl_pair_direction_lengths[PL_PAIR_DIRECTION_LANES];

// Fill the extents of a surface whose lanes are filled.
void pl_pair_axis_fill_extents(pl_surface_motion *motion);

// How far a surface reaches along the directions at the end of the step, with `limit` metres more.
void pl_pair_axis_end_extents(const pl_surface_motion *motion, double limit,
                              float min[PL_PAIR_DIRECTIONS], float max[PL_PAIR_DIRECTIONS]);

// Are two surfaces whose extents are filled farther apart than `limit` along one of the directions?
bool pl_pair_axis_is_apart(const pl_surface_motion *upper, const pl_surface_motion *lower,
                           double limit);

// Two bodies, and how they are searched. Every phase of a step asks for that, few of them for where
// the axis is: those of a body are side by side without it.
typedef struct pl_pair_axis {
  int32_t other;    // number of the other body
  bool is_apart;    // they cannot touch, or nothing is left to search
  bool is_in_tets;  // points are looked up in tets; the axis is for edges alone
  bool is_soft;     // points that are found in tets become hits (contact_soft.h)
  bool is_kept;     // so do those of the last step, used again: nothing is searched
} pl_pair_axis;

// Where the axis of two bodies is, the one of lower number above the other along the normal.
typedef struct pl_pair_line {
  pl_vec3 normal;         // unit, from the other body to the one; zero: never found
  pl_vec3 origin, drift;  // heights are normal . (x - origin) in the frame of the other body
  double low, high;       // smallest height of the one, largest of the other
  double slack;           // of rounding, in metres
} pl_pair_line;

// At most this many are kept for one body; pairs beyond are searched without.
enum { PL_PAIR_AXES = 32 };

// Find the axis of two surfaces whose lanes are filled, from that of the last step, or a normal of
// zero. `limit`: metres of gap that do not touch. Returns whether they are apart.
bool pl_pair_axis_find(const pl_surface_motion *upper, const pl_surface_motion *lower, double limit,
                       pl_pair_line *line);

// The axis as one of the two bodies sees it: heights grow towards that body.
typedef struct pl_contact_slab {
  pl_vec3 normal, origin, drift;
  double own_low;     // smallest height of this body
  double other_high;  // largest height of the other
  double slack;
} pl_contact_slab;

static inline pl_contact_slab pl_pair_line_slab(const pl_pair_line *line, bool is_upper) {
  pl_vec3 n = is_upper ? line->normal : pl_vec3_scale(line->normal, -1);
  return (pl_contact_slab){n,
                           line->origin,
                           line->drift,
                           is_upper ? line->low : -line->high,
                           is_upper ? line->high : -line->low,
                           line->slack};
}

static inline double pl_contact_slab_height(const pl_contact_slab *slab, pl_vec3 position) {
  return pl_vec3_dot(slab->normal, pl_vec3_sub(position, slab->origin));
}

// Height of a point in the course of the step: the smallest, and the largest.
static inline double pl_contact_slab_low(const pl_contact_slab *slab, pl_vec3 start, pl_vec3 end) {
  double a = pl_contact_slab_height(slab, pl_vec3_add(start, slab->drift));
  double b = pl_contact_slab_height(slab, end);
  return a < b ? a : b;
}
static inline double pl_contact_slab_high(const pl_contact_slab *slab, pl_vec3 start, pl_vec3 end) {
  double a = pl_contact_slab_height(slab, pl_vec3_add(start, slab->drift));
  double b = pl_contact_slab_height(slab, end);
  return a > b ? a : b;
}

#endif
