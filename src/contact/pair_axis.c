// Finding the axis of a pair.
//
//   f(n) = min over points x of the upper body of n . x  -  max over points y of the lower body of n . y
//
// is the gap along n. It grows with n in the direction of x - y of the two points that decide it. From the best of a
// few guesses (the direction of the last step, that between the middles, the faces that look at the other body most) a
// few steps in that direction are tried and kept when the gap grows. Points are in single precision relative to the
// middle of their body, eight at a time; `slack` covers the rounding.
#include "contact/pair_axis.h"

#include "contact/pair_lanes.h"
#include "math/simd.h"
#include "mesh/simplex.h"

// Single precision is off by less than this fraction of the sizes.
static const double ROUNDING = 1e-6;

const float pl_pair_directions[3][PL_PAIR_DIRECTION_LANES] = {
    {1, 1, 1, 1, 0, 0, 1, 1, 1, 1},
    {1, -1, 0, 0, 1, 1, 1, 1, -1, -1},
    {0, 0, 1, -1, 1, -1, 1, -1, 1, -1},
};
#define ROOT_2 1.41421356f
#define ROOT_3 1.73205081f
const float pl_pair_direction_lengths[PL_PAIR_DIRECTION_LANES] = {
    ROOT_2, ROOT_2, ROOT_2,    ROOT_2,    ROOT_2,    ROOT_2,    ROOT_3,    ROOT_3,
    ROOT_3, ROOT_3, HUGE_VALF, HUGE_VALF, HUGE_VALF, HUGE_VALF, HUGE_VALF, HUGE_VALF};

void pl_pair_axis_fill_extents(pl_surface_motion *motion) {
  const pl_lane_kernels *kernels = pl_lane_kernels_get();
  pl_surface_extents *e = motion->extents;
  kernels->fill_extents(motion->lanes, motion->lane_block_count, e->start_min, e->start_max);
  kernels->fill_extents(motion->lanes + VEC3_LANES, motion->lane_block_count, e->end_min, e->end_max);
}

void pl_pair_axis_end_extents(const pl_surface_motion *motion, double limit, float min[PL_PAIR_DIRECTIONS],
                              float max[PL_PAIR_DIRECTIONS]) {
  float more = (float)(limit + ROUNDING * pl_box_diagonal(motion->end_box));
  for (int k = 0; k < PL_PAIR_DIRECTIONS; ++k) {
    min[k] = motion->extents->end_min[k] - more * pl_pair_direction_lengths[k];
    max[k] = motion->extents->end_max[k] + more * pl_pair_direction_lengths[k];
  }
}

// Metres that heights in single precision may be off by.
static double slack_of(const pl_surface_motion *upper, const pl_surface_motion *lower) {
  return ROUNDING *
         (pl_box_diagonal(upper->start_box) + pl_box_diagonal(upper->end_box) + pl_box_diagonal(lower->start_box) +
          pl_box_diagonal(lower->end_box) + pl_vec3_length(upper->drift) + pl_vec3_length(lower->drift) +
          pl_vec3_distance(upper->origin, lower->origin));
}

bool pl_pair_axis_is_apart(const pl_surface_motion *upper, const pl_surface_motion *lower, double limit) {
  pl_vec3 offset = pl_vec3_sub(upper->origin, lower->origin), shift = pl_vec3_sub(lower->drift, upper->drift);
  const float o[3] = {(float)offset.x, (float)offset.y, (float)offset.z};
  const float s[3] = {(float)shift.x, (float)shift.y, (float)shift.z};
  return pl_lane_kernels_get()->are_apart(upper->extents, lower->extents, o, s,
                                          (float)(limit + slack_of(upper, lower)));
}

// The points of a body that are lowest along a direction.
typedef struct support {
  double height;
  pl_vec3 position;  // relative to the body's own origin, in the frame of the pair
} support;

typedef struct axis_search {
  const pl_surface_motion *upper, *lower;
  pl_vec3 offset;  // from the origin of the lower body to that of the upper
  pl_vec3 shift;   // of the upper body's starts into the frame of the lower
  double limit;    // metres: more than this is apart
  // The best so far.
  double gap;
  pl_vec3 normal, ascent;
  double low, high;
} axis_search;

// Lowest point along n; starts are shifted.
static support find_lowest(const pl_surface_motion *motion, pl_vec3 n, pl_vec3 shift) {
  const float normal[3] = {(float)n.x, (float)n.y, (float)n.z};
  float min;
  int32_t point = pl_lane_kernels_get()->find_lowest(motion->lanes, motion->lane_block_count, normal,
                                                     (float)pl_vec3_dot(n, shift), &min);
  const float *lane = &motion->lanes[2 * VEC3_LANES * (point / LANES) + point % LANES];
  pl_vec3 start = {(double)lane[0], (double)lane[LANES], (double)lane[2 * LANES]};
  start = pl_vec3_add(start, shift);
  lane += VEC3_LANES;
  pl_vec3 end = {(double)lane[0], (double)lane[LANES], (double)lane[2 * LANES]};
  return (support){(double)min, pl_vec3_dot(n, start) < pl_vec3_dot(n, end) ? start : end};
}

// Try a direction; returns whether it is the best so far.
static bool try_normal(axis_search *s, pl_vec3 n) {
  pl_vec3 none = {0, 0, 0};
  support upper = find_lowest(s->upper, n, s->shift), lower = find_lowest(s->lower, pl_vec3_scale(n, -1), none);
  double low = upper.height + pl_vec3_dot(n, s->offset), high = -lower.height;
  if (!(low - high > s->gap)) return false;
  s->gap = low - high;
  s->normal = n;
  s->low = low;
  s->high = high;
  s->ascent = pl_vec3_add(s->offset, pl_vec3_sub(upper.position, lower.position));
  return true;
}

// Normal of the triangle that a position is farthest in front of.
static pl_vec3 facing_normal(const pl_surface_motion *motion, pl_vec3 position) {
  pl_vec3 best = {0, 0, 0}, c[3];
  double farthest = -HUGE_VAL;
  for (int32_t t = 0; t < motion->tree->surface->triangle_count; ++t) {
    pl_surface_corners(motion->tree, motion->ends, t, c);
    pl_vec3 normal = pl_triangle_normal(c[0], c[1], c[2]);
    double distance = pl_vec3_dot(normal, pl_vec3_sub(position, c[0]));
    if (distance > farthest) farthest = distance, best = normal;
  }
  return best;
}

static void try_guess(axis_search *s, pl_vec3 n) {
  double length = pl_vec3_length(n);
  if (length > 0 && s->gap <= s->limit) try_normal(s, pl_vec3_scale(n, 1 / length));
}

static void climb(axis_search *s, double first_step, int count) {
  double step = first_step;
  for (int i = 0; i < count && s->gap <= s->limit; ++i) {
    double length = pl_vec3_length(s->ascent);
    if (!(length > 0)) return;
    pl_vec3 up = pl_vec3_scale(s->ascent, 1 / length);
    up = pl_vec3_add_scaled(up, s->normal, -pl_vec3_dot(up, s->normal));
    pl_vec3 n = pl_vec3_normalize_or(pl_vec3_add_scaled(s->normal, up, step), s->normal);
    if (!try_normal(s, n)) step *= 0.4;
  }
}

bool pl_pair_axis_find(const pl_surface_motion *upper, const pl_surface_motion *lower, double limit,
                       pl_pair_line *line) {
  pl_vec3 guess = line->normal;
  pl_vec3 between = pl_vec3_sub(upper->origin, lower->origin);
  double slack = slack_of(upper, lower);
  axis_search s = {.upper = upper,
                   .lower = lower,
                   .offset = between,
                   .shift = pl_vec3_sub(lower->drift, upper->drift),
                   .limit = limit + slack,
                   .gap = -HUGE_VAL,
                   .normal = {0, 1, 0}};
  if (pl_vec3_dot(guess, guess) > 0) {
    try_normal(&s, guess);
    climb(&s, 0.01, 2);
  } else {
    try_guess(&s, between);
    climb(&s, 0.5, 3);
    if (s.gap <= s.limit) try_guess(&s, facing_normal(lower, upper->origin));
    if (s.gap <= s.limit) try_guess(&s, pl_vec3_scale(facing_normal(upper, lower->origin), -1));
    climb(&s, 0.1, 4);
  }
  *line = (pl_pair_line){s.normal, lower->origin, lower->drift, s.low, s.high, slack};
  return s.gap > s.limit;
}
