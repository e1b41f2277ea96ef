// Building rows of two soft bodies; included with BUILD_NAME set.
#include <stddef.h>

#include "contact/contact_bounce.h"
#include "contact/contact_cache.h"
#include "contact/contact_soft_rows.h"
#include "contact/vec3_wide.h"

enum { ALL_WIDE = (1 << WIDE) - 1 };

// Four hits of a pair side by side: each becomes a row of its own from what it reads of particles, so their order does
// not matter. What few of them need, the normal on the border of a triangle and the velocities of a bounce, is done one
// by one.

// Lanes without a hit repeat the first one.
typedef struct open_hits {
  int sides[WIDE];
  pl_soft_hit hits[WIDE];
  size_t particles[4][WIDE];  // the point's, then those of the corners
  int count;
} open_hits;

// A hit takes the next lane if its triangle is there: the slots of another world may name what is not.
PL_SIMD_INLINE void open_hit(const pl_soft_builder *b, int side, pl_soft_hit hit, open_hits *h) {
  const pl_contact_surface *own = b->sides[side].own->surface, *other = b->sides[side].other->surface;
  int32_t triangle = pl_contact_spot_triangle(hit.spot);
  if (triangle >= other->triangle_count) return;
  const int32_t *corners = &other->tet_map->triangle_particles[3 * (size_t)triangle];
  int l = h->count++;
  h->sides[l] = side;
  h->hits[l] = hit;
  h->particles[0][l] = (size_t)own->parents[4 * (size_t)hit.point];
  for (int k = 0; k < 3; ++k) h->particles[1 + k][l] = (size_t)corners[k];
}

PL_SIMD_INLINE void repeat_first(open_hits *h) {
  for (int l = h->count; l < WIDE; ++l) {
    h->sides[l] = h->sides[0];
    h->hits[l] = h->hits[0];
    for (int k = 0; k < 4; ++k) h->particles[k][l] = h->particles[k][0];
  }
}

// What four hits become.
typedef struct built_rows {
  wide weights[3];              // of the corners
  wide_floats kept_weights[2];  // the first two as rows keep them,
  wide row_weights[3];          // and what these say of all three
  vec3_wide normal;             // zero if there is none
  wide_floats depth, mass;      // of notes, and of rows
  wide start_gap, speed;        // of the gap
  wide arrive, leave;           // of rows
  vec3_wide sliding;            // impulse to start from,
  wide pressed;                 // and its part along the normal
  wide_mask is_movable;
  int are_kept;  // a bit per row
} built_rows;

// As pl_contact_spot_place(). Returns a bit per hit: is it inside its triangle (pl_contact_spot_is_inside())?
PL_SIMD_INLINE int place_wide(const open_hits *h, built_rows *r) {
  wide_ints spots;
  for (int l = 0; l < WIDE; ++l) spots[l] = (int32_t)h->hits[l].spot;
  wide_ints first = spots >> PL_SPOT_FIRST & PL_SPOT_MASK, second = spots & PL_SPOT_MASK;
  const double part = 1.0 / PL_SPOT_MASK;
  r->weights[0] = widen_ints(first) * part;
  r->weights[1] = widen_ints(second) * part;
  r->weights[2] = 1 - r->weights[0] - r->weights[1];
  for (int k = 0; k < 2; ++k) {
    r->kept_weights[k] = narrow(r->weights[k]);
    r->row_weights[k] = widen(r->kept_weights[k]);
  }
  r->row_weights[2] = 1 - r->row_weights[0] - r->row_weights[1];
  return wide_int_bits((wide_ints)(first >= 2) & (wide_ints)(second >= 2) &
                       (wide_ints)(first + second <= PL_SPOT_MASK - 2));
}

// Arrays of particles, one per hit.
typedef struct particle_arrays {
  const pl_vec3 *own[WIDE], *other[WIDE];
} particle_arrays;

PL_SIMD_INLINE vec3_wide gather_points(const open_hits *h, const particle_arrays *a) {
  const pl_vec3 *from[WIDE];
  for (int l = 0; l < WIDE; ++l) from[l] = &a->own[l][h->particles[0][l]];
  return gather_vectors(from);
}
PL_SIMD_INLINE vec3_wide gather_corners(const open_hits *h, const particle_arrays *a, int corner) {
  const pl_vec3 *from[WIDE];
  for (int l = 0; l < WIDE; ++l) from[l] = &a->other[l][h->particles[1 + corner][l]];
  return gather_vectors(from);
}

// The points minus the places that they touch, along normals, as pl_soft_gap().
PL_SIMD_INLINE wide gap_wide(const open_hits *h, const particle_arrays *a, const wide weights[3], vec3_wide normal) {
  vec3_wide gap = gather_points(h, a);
  for (int k = 0; k < 3; ++k) gap = sub_wide(gap, gather_corners(h, a, k), weights[k]);
  return dot_wide(normal, gap);
}

// As pl_triangle_normal().
PL_SIMD_INLINE vec3_wide normal_wide(const vec3_wide corners[3]) {
  vec3_wide ab = minus_wide(corners[1], corners[0]), ac = minus_wide(corners[2], corners[0]);
  vec3_wide normal = cross_wide(ab, ac), none = {set_wide(0), set_wide(0), set_wide(0)};
  wide length = sqrt_wide(dot_wide(normal, normal)), min = 1e-10 * (dot_wide(ab, ab) + dot_wide(ac, ac));
  wide_mask is_known = mask_and(is_more(length, min), is_more(length, set_wide(1e-300)));
  return select_vectors(is_known, scale_wide(normal, 1.0 / length), none);
}

// Of hits on the border of a triangle: where they leave the other body.
PL_SIMD_INLINE void set_border_normals(const pl_soft_builder *b, const open_hits *h, int are_inside,
                                       vec3_wide *normal) {
  for (int l = 0; l < WIDE; ++l) {
    if (are_inside >> l & 1) continue;
    const pl_soft_points *side = &b->sides[h->sides[l]];
    pl_contact_place place = pl_contact_spot_place(h->hits[l].spot);
    pl_vec3 unit = pl_contact_exit_normal(side->tree, side->other->positions, place.triangle, place.weights);
    normal->x[l] = unit.x, normal->y[l] = unit.y, normal->z[l] = unit.z;
  }
}

// The normals, depths and masses, and which hits there is something to resolve for.
PL_SIMD_INLINE void touch_wide(const pl_soft_builder *b, const open_hits *h, built_rows *r) {
  const wide zero = set_wide(0);
  particle_arrays ends;
  const double *own[WIDE], *other[WIDE];
  for (int l = 0; l < WIDE; ++l) {
    const pl_soft_points *side = &b->sides[h->sides[l]];
    ends.own[l] = side->own->positions, ends.other[l] = side->other->positions;
    own[l] = side->own->inverse_masses, other[l] = side->other->inverse_masses;
  }
  int are_inside = place_wide(h, r);
  vec3_wide corners[3];
  for (int k = 0; k < 3; ++k) corners[k] = gather_corners(h, &ends, k);
  r->normal = normal_wide(corners);
  if (are_inside != ALL_WIDE) set_border_normals(b, h, are_inside, &r->normal);
  vec3_wide apart = gather_points(h, &ends);
  for (int k = 0; k < 3; ++k) apart = sub_wide(apart, corners[k], r->row_weights[k]);
  wide gap = dot_wide(r->normal, apart) - b->gap;
  r->depth = narrow(-gap);
  int are_flat = wide_bits(is_more(set_wide(0.5), dot_wide(r->normal, r->normal)));
  r->are_kept = wide_bits(is_more(set_wide(b->watched), gap)) & ~are_flat;
  for (int l = 0; l < WIDE; ++l) own[l] += h->particles[0][l];
  wide answer = gather_numbers(own);
  for (int k = 0; k < 3; ++k) {
    const double *masses[WIDE];
    for (int l = 0; l < WIDE; ++l) masses[l] = other[l] + h->particles[1 + k][l];
    answer += r->weights[k] * r->weights[k] * gather_numbers(masses);
  }
  r->mass = narrow(select_wide(is_more(answer, zero), 1 / answer, zero));
  r->is_movable = is_more(answer, zero);
}

// The impulses of the last step, with friction within its limit. Where there are none, zeros stay zeros.
PL_SIMD_INLINE void take_last(const pl_soft_builder *b, const open_hits *h, built_rows *r) {
  static const pl_contact_impulse none = {0};
  const void *slots[WIDE];
  for (int l = 0; l < WIDE; ++l) {
    const pl_soft_points *side = &b->sides[h->sides[l]];
    const pl_contact_impulse *point = &side->last[(size_t)h->hits[l].point * PL_IMPULSES_PER_POINT];
    unsigned matches = pl_contact_cache_match(point, side->partner);
    slots[l] = matches != 0 ? &point[__builtin_ctz(matches)] : &none;
  }
  // With what precedes it: nothing may follow.
  wide_floats columns[4];
  gather_columns(slots, offsetof(pl_contact_impulse, impulse) - sizeof(float), columns);
  vec3_wide last = {widen(columns[1]), widen(columns[2]), widen(columns[3])};
  wide along = dot_wide(last, r->normal);
  r->pressed = larger_wide(along, set_wide(0));
  vec3_wide sliding = sub_wide(last, r->normal, along);
  wide square = dot_wide(sliding, sliding), limit = b->friction * r->pressed;
  r->sliding = select_vectors(is_more(square, limit * limit), scale_wide(sliding, limit / sqrt_wide(square)), sliding);
}

// How fast the gaps of rows were closing when the step began, along normals as rows keep them.
PL_SIMD_INLINE wide approach_wide(const pl_soft_builder *b, const open_hits *h, const built_rows *r) {
  if (b->sides[0].own->start_velocities == NULL || b->sides[0].other->start_velocities == NULL)
    return set_wide(HUGE_VAL);
  particle_arrays velocities;
  for (int l = 0; l < WIDE; ++l) {
    const pl_soft_points *side = &b->sides[h->sides[l]];
    velocities.own[l] = side->own->start_velocities, velocities.other[l] = side->other->start_velocities;
  }
  vec3_wide normal = {widen(narrow(r->normal.x)), widen(narrow(r->normal.y)), widen(narrow(r->normal.z))};
  return -gap_wide(h, &velocities, r->row_weights, normal);
}

// The velocities of rows that bounce, which start from no impulse.
PL_SIMD_INLINE void bounce_wide(const pl_soft_builder *b, const open_hits *h, wide_mask may_bounce, built_rows *r) {
  wide start_approach = approach_wide(b, h, r);
  int candidates = wide_bits(mask_and(may_bounce, is_more(start_approach, set_wide(b->scale.speed))));
  for (int l = 0; l < WIDE; ++l) {
    if (!(candidates >> l & 1)) continue;
    pl_contact_meeting meeting = {.step = b->step,
                                  .speed = r->speed[l],
                                  .depth = (double)r->depth[l],
                                  .start_gap = r->start_gap[l],
                                  .restitution = b->restitution,
                                  .min_speed = b->scale.speed};
    double arrive, leave;
    if (!(pl_contact_meeting_approach(&meeting) > meeting.min_speed)) continue;
    if (!pl_contact_meeting_bounce(&meeting, start_approach[l], &arrive, &leave)) continue;
    r->arrive[l] = arrive, r->leave[l] = leave;
    r->sliding.x[l] = r->sliding.y[l] = r->sliding.z[l] = r->pressed[l] = 0;
  }
}

// As pl_contact_push_speed().
PL_SIMD_INLINE wide push_speeds(wide overlap) {
  wide speeds;
  for (int l = 0; l < WIDE; ++l) speeds[l] = pl_contact_push_speed(overlap[l]);
  return speeds;
}

// The velocities that rows ask for, and the impulses that they start from: none where nothing can move.
PL_SIMD_INLINE void start_wide(const pl_soft_builder *b, const open_hits *h, built_rows *r) {
  const wide zero = set_wide(0);
  const vec3_wide none = {zero, zero, zero};
  particle_arrays starts, velocities;
  for (int l = 0; l < WIDE; ++l) {
    const pl_soft_points *side = &b->sides[h->sides[l]];
    starts.own[l] = side->own->starts, starts.other[l] = side->other->starts;
    velocities.own[l] = side->own->velocities, velocities.other[l] = side->other->velocities;
  }
  r->start_gap = gap_wide(h, &starts, r->row_weights, r->normal) - b->gap;
  r->speed = gap_wide(h, &velocities, r->row_weights, r->normal);
  wide depth = widen(r->depth), overlap = -r->start_gap - b->scale.slop;
  wide_mask is_movable = r->is_movable;
  r->leave = select_wide(is_movable, smaller_wide(r->speed + depth / b->step, zero), zero);
  r->arrive = select_wide(mask_and(is_movable, is_more(overlap, zero)), push_speeds(overlap), r->leave);
  take_last(b, h, r);
  r->pressed = select_wide(is_movable, r->pressed, zero);
  r->sliding = select_vectors(is_movable, r->sliding, none);
  if (!(b->restitution > 0)) return;
  wide_mask may_bounce =
      mask_and(is_movable, mask_and(is_more(-r->speed, set_wide(b->scale.speed)), is_more(depth, zero)));
  if (wide_bits(may_bounce) != 0) bounce_wide(b, h, may_bounce, r);
}

// What each hit may fill is there for it to fill: a row without anything to resolve is written over by the next one.
static void build_wide(const pl_soft_builder *b, const open_hits *h, pl_soft_row *rows, pl_soft_note *notes,
                       int32_t counts[2]) {
  built_rows r;
  touch_wide(b, h, &r);
  start_wide(b, h, &r);
  wide_floats normals[4] = {narrow(r.normal.x), narrow(r.normal.y), narrow(r.normal.z), r.mass};
  wide_floats impulses[4] = {narrow(r.sliding.x), narrow(r.sliding.y), narrow(r.sliding.z), narrow(r.pressed)};
  wide_floats targets[4] = {narrow(r.arrive), narrow(r.leave), narrow(set_wide(b->friction)),
                            narrow(set_wide(b->restitution))};
  transpose_floats(normals);
  transpose_floats(impulses);
  transpose_floats(targets);
  for (int l = 0; l < h->count; ++l) {
    int32_t number = counts[0] + counts[1];
    char *row = (char *)&rows[number];
    f4_store(row + offsetof(pl_soft_row, normal), get_row(normals, l));
    f4_store(row + offsetof(pl_soft_row, sliding_impulse), get_row(impulses, l));
    f4_store(row + offsetof(pl_soft_row, arrive), get_row(targets, l));
    for (int k = 0; k < 2; ++k) rows[number].weights[k] = r.kept_weights[k][l];
    for (int k = 0; k < 4; ++k) rows[number].particles[k] = (uint16_t)h->particles[k][l];
    notes[number] = (pl_soft_note){.depth = r.depth[l], .point = h->hits[l].point, .spot = h->hits[l].spot};
    counts[h->sides[l]] += r.are_kept >> l & 1;
  }
}

void BUILD_NAME(const pl_soft_builder *b, pl_soft_row *rows, pl_soft_note *notes, int32_t counts[2]) {
  open_hits h = {.count = 0};
  counts[0] = counts[1] = 0;
  for (int side = 0; side < 2; ++side)
    for (int32_t i = 0; i < b->sides[side].hit_count; ++i) {
      open_hit(b, side, b->sides[side].hits[i], &h);
      if (h.count < WIDE) continue;
      build_wide(b, &h, rows, notes, counts);
      h.count = 0;
    }
  if (h.count == 0) return;
  repeat_first(&h);
  build_wide(b, &h, rows, notes, counts);
}
