// Pairs of small bodies that may touch, and how each of them is searched: along the paths of points and edges, or by
// looking points up in tets, or not at all because its contacts of the last step are used again.
#include <string.h>

#include "contact/contact_detect.h"
#include "pliant/math.h"

// A pair that moves farther than this fraction of the depth of either body in one step is searched along its path.
static const double MAX_TET_WAY = 0.25;

// How far two bodies move relative to each other, as a fraction of what they may where points are looked up in tets.
static double tet_way(const pl_contact_memory *memory, int32_t a, int32_t b, pl_vec3 way_a, pl_vec3 way_b) {
  const pl_surface_motion *p = &memory->motions[a], *q = &memory->motions[b];
  if (!p->has_tets || !q->has_tets) return HUGE_VAL;
  double depth = fmin(p->tree->surface->tet_map->depth, q->tree->surface->tet_map->depth);
  return pl_vec3_distance(way_a, way_b) / (MAX_TET_WAY * depth);
}

bool pl_contact_is_tet_way(const pl_contact_memory *memory, int32_t a, int32_t b, pl_vec3 way_a, pl_vec3 way_b) {
  return tet_way(memory, a, b, way_a, way_b) < 1;
}

bool pl_contact_is_calm_way(const pl_contact_memory *memory, int32_t body, pl_vec3 way) {
  // Two such ways differ by less than the limit of any pair, rounding included.
  return memory->motions[body].has_tets && pl_vec3_length(way) < 0.499 * MAX_TET_WAY * memory->min_depth;
}

bool pl_contact_is_in_tets(const pl_contact_memory *memory, int32_t a, int32_t b) {
  return pl_contact_is_tet_way(memory, a, b, memory->motions[a].drift, memory->motions[b].drift);
}

// Are the points of two bodies looked up in each other's tets, or known from the last step?
static void find_tet_pair(const pl_contact_detection *d, int32_t body, pl_pair_axis *axis) {
  const pl_surface_motion *motions = d->memory->motions;
  double way = tet_way(d->memory, body, axis->other, motions[body].drift, motions[axis->other].drift);
  axis->is_in_tets = way < 1;
  axis->is_soft = axis->is_in_tets && pl_soft_is_pair(d, body, axis->other);
  axis->is_kept = axis->is_soft && pl_contact_is_kept(d, body, axis->other, way);
}

// Metres of gap beyond which two bodies do not touch.
static double reach_of(const pl_contact_detection *d, int32_t body, int32_t other) {
  return d->bodies[body].radius + d->bodies[other].radius + d->scale.margin;
}

static bool is_far(const pl_contact_detection *d, int32_t body, int32_t other) {
  pl_contact_need_lanes(d, body);
  pl_contact_need_lanes(d, other);
  return pl_pair_axis_is_apart(&d->memory->motions[body], &d->memory->motions[other], reach_of(d, body, other));
}

void pl_contact_find_axis(const pl_contact_detection *d, int32_t body, int32_t index) {
  pl_pair_axis *axis = &d->memory->axes[index];
  const pl_surface_motion *motions = d->memory->motions;
  axis->is_apart = pl_pair_axis_find(&motions[body], &motions[axis->other], reach_of(d, body, axis->other),
                                     &d->memory->axis_lines[index]);
}

// The axes of a body in the last step. Their lines are guesses for those of this step: most are of the same number
// again and stay where they are.
typedef struct old_axes {
  int32_t count;
  pl_pair_axis axes[PL_PAIR_AXES];
  bool has_normals;
  pl_vec3 normals[PL_PAIR_AXES];
} old_axes;

static void begin_axes(pl_contact_memory *memory, int32_t body, old_axes *old) {
  old->count = memory->axis_counts[body];
  old->has_normals = false;
  memcpy(old->axes, &memory->axes[(size_t)body * PL_PAIR_AXES], (size_t)old->count * sizeof *old->axes);
  memory->axis_counts[body] = 0;
}

// The `number`-th axis of a body begins with the normal that it had in the last step, if it was there.
static void begin_line(const pl_contact_memory *memory, int32_t body, int32_t number, old_axes *old) {
  pl_pair_line *lines = &memory->axis_lines[(size_t)body * PL_PAIR_AXES];
  int32_t other = memory->axes[(size_t)body * PL_PAIR_AXES + (size_t)number].other, from = 0;
  if (number < old->count && old->axes[number].other == other) return;
  for (int32_t i = 0; i < old->count && !old->has_normals; ++i) old->normals[i] = lines[i].normal;
  old->has_normals = true;
  while (from < old->count && old->axes[from].other != other) ++from;
  lines[number].normal = from < old->count ? old->normals[from] : pl_vec3_of(0, 0, 0);
}

// The axis with a body that comes later. False if there is none left.
static bool add_axis(const pl_contact_detection *d, int32_t body, int32_t other, old_axes *old) {
  pl_contact_memory *memory = d->memory;
  const pl_surface_motion *motion = &memory->motions[body];
  if (!pl_contact_is_small(memory, other) || !memory->presences[other].is_placed) return true;
  if (!pl_contact_may_touch(d, body, motion->start_box, motion->end_box, other)) return true;
  if (memory->axis_counts[body] == PL_PAIR_AXES) {
    // Both bodies of such a pair search by the tree.
    atomic_store_explicit(&memory->has_many_pairs, true, memory_order_relaxed);
    return false;
  }
  int32_t index = body * PL_PAIR_AXES + memory->axis_counts[body]++;
  pl_pair_axis *axis = &memory->axes[index];
  *axis = (pl_pair_axis){.other = other};
  begin_line(memory, body, index - body * PL_PAIR_AXES, old);
  atomic_store_explicit(&memory->axis_points[index], 0, memory_order_relaxed);
  for (int k = 0; k < 2; ++k) memory->axis_hits[2 * index + k] = (pl_pair_range){0, 0};
  find_tet_pair(d, body, axis);
  if (!axis->is_kept) axis->is_apart = is_far(d, body, other);
  if (!axis->is_apart && !axis->is_in_tets) pl_contact_find_axis(d, body, index);
  return true;
}

void pl_contact_find_axes(const pl_contact_detection *d, int32_t body) {
  pl_contact_memory *memory = d->memory;
  old_axes old;
  begin_axes(memory, body, &old);
  if (!pl_contact_is_small(memory, body)) return;
  // What is near was noted, unless it is too much, or the body sleeps.
  bool is_noted = !d->bodies[body].asleep && memory->near_counts[body] <= PL_CONTACT_NEAR;
  const int32_t *items = &memory->near_items[(size_t)body * PL_CONTACT_NEAR];
  for (int32_t i = 0; is_noted && i < memory->near_counts[body]; ++i)
    if (!add_axis(d, body, items[i], &old)) return;
  if (is_noted) return;
  pl_broad_walk walk = pl_broad_phase_begin(&memory->broad, memory->item_boxes[body]);
  for (int32_t item; (item = pl_broad_phase_next(&walk)) >= 0;)
    if (item > body && item < memory->body_count && !add_axis(d, body, item, &old)) return;
}

bool pl_contact_has_axis(const pl_contact_memory *memory, int32_t a, int32_t b) {
  int32_t first = a < b ? a : b, second = a < b ? b : a;
  const pl_pair_axis *axes = &memory->axes[(size_t)first * PL_PAIR_AXES];
  for (int32_t i = 0; i < memory->axis_counts[first]; ++i)
    if (axes[i].other == second) return true;
  return false;
}
