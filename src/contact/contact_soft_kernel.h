// Building and sweeping rows of two soft bodies; included with KERNELS set to the table to define.
// The problem that is solved is that of contact_resolve.c.
#include <stddef.h>

#include "contact/contact_bounce.h"
#include "contact/contact_cache.h"
#include "contact/contact_soft_rows.h"
#include "contact/vec3_four.h"

// --- building

enum { ALL_FOUR = (1 << FOUR) - 1 };

// Four hits of a pair side by side: each becomes a row of its own from what it reads of particles, so their order does
// not matter. What few of them need, the normal on the border of a triangle and the velocities of a bounce, is done one
// by one.

// Lanes without a hit repeat the first one.
typedef struct open_hits {
  int sides[FOUR];
  pl_soft_hit hits[FOUR];
  size_t particles[4][FOUR];  // the point's, then those of the corners
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
  for (int l = h->count; l < FOUR; ++l) {
    h->sides[l] = h->sides[0];
    h->hits[l] = h->hits[0];
    for (int k = 0; k < 4; ++k) h->particles[k][l] = h->particles[k][0];
  }
}

// What four hits become.
typedef struct built_rows {
  pl_d4 weights[3];        // of the corners
  pl_f4 kept_weights[2];   // the first two as rows keep them,
  pl_d4 row_weights[3];    // and what these say of all three
  vec3_four normal;        // zero if there is none
  pl_f4 depth, mass;       // of notes, and of rows
  pl_d4 start_gap, speed;  // of the gap
  pl_d4 arrive, leave;     // of rows
  vec3_four sliding;       // impulse to start from,
  pl_d4 pressed;           // and its part along the normal
  four_mask is_movable;
  int are_kept;  // a bit per row
} built_rows;

// As pl_contact_spot_place(). Returns a bit per hit: is it inside its triangle (pl_contact_spot_is_inside())?
PL_SIMD_INLINE int place_four(const open_hits *h, built_rows *r) {
  pl_m4 spots = {(int32_t)h->hits[0].spot, (int32_t)h->hits[1].spot, (int32_t)h->hits[2].spot,
                 (int32_t)h->hits[3].spot};
  pl_m4 first = spots >> PL_SPOT_FIRST & PL_SPOT_MASK, second = spots & PL_SPOT_MASK;
  const double part = 1.0 / PL_SPOT_MASK;
  r->weights[0] = widen_ints(first) * part;
  r->weights[1] = widen_ints(second) * part;
  r->weights[2] = 1 - r->weights[0] - r->weights[1];
  for (int k = 0; k < 2; ++k) {
    r->kept_weights[k] = narrow_four(r->weights[k]);
    r->row_weights[k] = widen_four(r->kept_weights[k]);
  }
  r->row_weights[2] = 1 - r->row_weights[0] - r->row_weights[1];
  return pl_m4_bits((pl_m4)(first >= 2) & (pl_m4)(second >= 2) & (pl_m4)(first + second <= PL_SPOT_MASK - 2));
}

// Arrays of particles, one per hit.
typedef struct particle_arrays {
  const pl_vec3 *own[FOUR], *other[FOUR];
} particle_arrays;

PL_SIMD_INLINE vec3_four gather_points(const open_hits *h, const particle_arrays *a) {
  const size_t *p = h->particles[0];
  return gather_four(&a->own[0][p[0]], &a->own[1][p[1]], &a->own[2][p[2]], &a->own[3][p[3]]);
}
PL_SIMD_INLINE vec3_four gather_corners(const open_hits *h, const particle_arrays *a, int corner) {
  const size_t *p = h->particles[1 + corner];
  return gather_four(&a->other[0][p[0]], &a->other[1][p[1]], &a->other[2][p[2]], &a->other[3][p[3]]);
}

// The points minus the places that they touch, along normals, as pl_soft_gap().
PL_SIMD_INLINE pl_d4 gap_four(const open_hits *h, const particle_arrays *a, const pl_d4 weights[3], vec3_four normal) {
  vec3_four gap = gather_points(h, a);
  for (int k = 0; k < 3; ++k) gap = sub_four(gap, gather_corners(h, a, k), weights[k]);
  return dot_four(normal, gap);
}

// As pl_triangle_normal().
PL_SIMD_INLINE vec3_four normal_four(const vec3_four corners[3]) {
  vec3_four ab = minus_four(corners[1], corners[0]), ac = minus_four(corners[2], corners[0]);
  vec3_four normal = cross_four(ab, ac), none = {set_four(0), set_four(0), set_four(0)};
  pl_d4 length = sqrt_four(dot_four(normal, normal)), min = 1e-10 * (dot_four(ab, ab) + dot_four(ac, ac));
  four_mask is_known = is_more(length, min) & is_more(length, set_four(1e-300));
  return select_vectors(is_known, scale_four(normal, 1.0 / length), none);
}

// Of hits on the border of a triangle: where they leave the other body.
PL_SIMD_INLINE void set_border_normals(const pl_soft_builder *b, const open_hits *h, int are_inside,
                                       vec3_four *normal) {
  for (int l = 0; l < FOUR; ++l) {
    if (are_inside >> l & 1) continue;
    const pl_soft_points *side = &b->sides[h->sides[l]];
    pl_contact_place place = pl_contact_spot_place(h->hits[l].spot);
    pl_vec3 unit = pl_contact_exit_normal(side->tree, side->other->positions, place.triangle, place.weights);
    normal->x[l] = unit.x, normal->y[l] = unit.y, normal->z[l] = unit.z;
  }
}

// The normals, depths and masses, and which hits there is something to resolve for.
PL_SIMD_INLINE void touch_four(const pl_soft_builder *b, const open_hits *h, built_rows *r) {
  const pl_d4 zero = set_four(0);
  particle_arrays ends;
  const double *own[FOUR], *other[FOUR];
  for (int l = 0; l < FOUR; ++l) {
    const pl_soft_points *side = &b->sides[h->sides[l]];
    ends.own[l] = side->own->positions, ends.other[l] = side->other->positions;
    own[l] = side->own->inverse_masses, other[l] = side->other->inverse_masses;
  }
  int are_inside = place_four(h, r);
  vec3_four corners[3];
  for (int k = 0; k < 3; ++k) corners[k] = gather_corners(h, &ends, k);
  r->normal = normal_four(corners);
  if (are_inside != ALL_FOUR) set_border_normals(b, h, are_inside, &r->normal);
  vec3_four apart = gather_points(h, &ends);
  for (int k = 0; k < 3; ++k) apart = sub_four(apart, corners[k], r->row_weights[k]);
  pl_d4 gap = dot_four(r->normal, apart) - b->gap;
  r->depth = narrow_four(-gap);
  four_mask has_normal = ~is_more(set_four(0.5), dot_four(r->normal, r->normal));
  r->are_kept = four_bits(has_normal & is_more(set_four(b->scale.margin), gap));
  const size_t *p = h->particles[0];
  pl_d4 answer = {own[0][p[0]], own[1][p[1]], own[2][p[2]], own[3][p[3]]};
  for (int k = 0; k < 3; ++k) {
    p = h->particles[1 + k];
    answer += r->weights[k] * r->weights[k] * (pl_d4){other[0][p[0]], other[1][p[1]], other[2][p[2]], other[3][p[3]]};
  }
  r->mass = narrow_four(select_four(is_more(answer, zero), 1 / answer, zero));
  r->is_movable = is_more(answer, zero);
}

// The impulses of the last step, with friction within its limit. Where there are none, zeros stay zeros.
PL_SIMD_INLINE void take_last(const pl_soft_builder *b, const open_hits *h, built_rows *r) {
  pl_f4 slots[FOUR];
  for (int l = 0; l < FOUR; ++l) {
    const pl_soft_points *side = &b->sides[h->sides[l]];
    const pl_contact_impulse *point = &side->last[(size_t)h->hits[l].point * PL_IMPULSES_PER_POINT];
    unsigned matches = pl_contact_cache_match(point, side->partner);
    const pl_contact_impulse *slot = &point[__builtin_ctz(matches | 1u << (PL_IMPULSES_PER_POINT - 1))];
    int32_t is_there = -(int32_t)(matches != 0);
    // With what precedes it: nothing may follow.
    pl_f4 impulse = f4_load((const char *)slot + offsetof(pl_contact_impulse, impulse) - sizeof(float));
    slots[l] = (pl_f4)((pl_m4)impulse & (pl_m4){0, is_there, is_there, is_there});
  }
  transpose_floats(slots);
  vec3_four last = {widen_four(slots[1]), widen_four(slots[2]), widen_four(slots[3])};
  pl_d4 along = dot_four(last, r->normal);
  r->pressed = larger_four(along, set_four(0));
  vec3_four sliding = sub_four(last, r->normal, along);
  pl_d4 square = dot_four(sliding, sliding), limit = b->friction * r->pressed;
  r->sliding = select_vectors(is_more(square, limit * limit), scale_four(sliding, limit / sqrt_four(square)), sliding);
}

// How fast the gaps of rows were closing when the step began, along normals as rows keep them.
PL_SIMD_INLINE pl_d4 approach_four(const pl_soft_builder *b, const open_hits *h, const built_rows *r) {
  if (b->sides[0].own->start_velocities == NULL || b->sides[0].other->start_velocities == NULL)
    return set_four(HUGE_VAL);
  particle_arrays velocities;
  for (int l = 0; l < FOUR; ++l) {
    const pl_soft_points *side = &b->sides[h->sides[l]];
    velocities.own[l] = side->own->start_velocities, velocities.other[l] = side->other->start_velocities;
  }
  vec3_four normal = {widen_four(narrow_four(r->normal.x)), widen_four(narrow_four(r->normal.y)),
                      widen_four(narrow_four(r->normal.z))};
  return -gap_four(h, &velocities, r->row_weights, normal);
}

// The velocities of rows that bounce, which start from no impulse.
PL_SIMD_INLINE void bounce_four(const pl_soft_builder *b, const open_hits *h, four_mask may_bounce, built_rows *r) {
  pl_d4 start_approach = approach_four(b, h, r);
  int candidates = four_bits(may_bounce & is_more(start_approach, set_four(b->scale.speed)));
  for (int l = 0; l < FOUR; ++l) {
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
PL_SIMD_INLINE pl_d4 push_speeds(pl_d4 overlap) {
  pl_d4 speeds;
  for (int l = 0; l < FOUR; ++l) speeds[l] = pl_contact_push_speed(overlap[l]);
  return speeds;
}

// The velocities that rows ask for, and the impulses that they start from: none where nothing can move.
PL_SIMD_INLINE void start_four(const pl_soft_builder *b, const open_hits *h, built_rows *r) {
  const pl_d4 zero = set_four(0);
  const vec3_four none = {zero, zero, zero};
  particle_arrays starts, velocities;
  for (int l = 0; l < FOUR; ++l) {
    const pl_soft_points *side = &b->sides[h->sides[l]];
    starts.own[l] = side->own->starts, starts.other[l] = side->other->starts;
    velocities.own[l] = side->own->velocities, velocities.other[l] = side->other->velocities;
  }
  r->start_gap = gap_four(h, &starts, r->row_weights, r->normal) - b->gap;
  r->speed = gap_four(h, &velocities, r->row_weights, r->normal);
  pl_d4 depth = widen_four(r->depth), overlap = -r->start_gap - b->scale.slop;
  four_mask is_movable = r->is_movable;
  r->leave = select_four(is_movable, smaller_four(r->speed + depth / b->step, zero), zero);
  r->arrive = select_four(is_movable & is_more(overlap, zero), push_speeds(overlap), r->leave);
  take_last(b, h, r);
  r->pressed = select_four(is_movable, r->pressed, zero);
  r->sliding = select_vectors(is_movable, r->sliding, none);
  if (!(b->restitution > 0)) return;
  four_mask may_bounce = is_movable & is_more(-r->speed, set_four(b->scale.speed)) & is_more(depth, zero);
  if (four_bits(may_bounce) != 0) bounce_four(b, h, may_bounce, r);
}

// What each hit may fill is there for it to fill: a row without anything to resolve is written over by the next one.
static void build_four(const pl_soft_builder *b, const open_hits *h, pl_soft_row *rows, pl_soft_note *notes,
                       int32_t counts[2]) {
  built_rows r;
  touch_four(b, h, &r);
  start_four(b, h, &r);
  pl_f4 normals[FOUR] = {narrow_four(r.normal.x), narrow_four(r.normal.y), narrow_four(r.normal.z), r.mass};
  pl_f4 impulses[FOUR] = {narrow_four(r.sliding.x), narrow_four(r.sliding.y), narrow_four(r.sliding.z),
                          narrow_four(r.pressed)};
  float friction = (float)b->friction, restitution = (float)b->restitution;
  pl_f4 targets[FOUR] = {narrow_four(r.arrive),
                         narrow_four(r.leave),
                         {friction, friction, friction, friction},
                         {restitution, restitution, restitution, restitution}};
  transpose_floats(normals);
  transpose_floats(impulses);
  transpose_floats(targets);
  for (int l = 0; l < h->count; ++l) {
    int32_t number = counts[0] + counts[1];
    pl_soft_row *row = &rows[number];
    f4_store((char *)row + offsetof(pl_soft_row, normal), normals[l]);
    f4_store((char *)row + offsetof(pl_soft_row, sliding_impulse), impulses[l]);
    f4_store((char *)row + offsetof(pl_soft_row, arrive), targets[l]);
    for (int k = 0; k < 2; ++k) row->weights[k] = r.kept_weights[k][l];
    for (int k = 0; k < 4; ++k) row->particles[k] = (uint16_t)h->particles[k][l];
    notes[number] = (pl_soft_note){.depth = r.depth[l], .point = h->hits[l].point, .spot = h->hits[l].spot};
    counts[h->sides[l]] += r.are_kept >> l & 1;
  }
}

static void build(const pl_soft_builder *b, pl_soft_row *rows, pl_soft_note *notes, int32_t counts[2]) {
  open_hits h = {.count = 0};
  counts[0] = counts[1] = 0;
  for (int side = 0; side < 2; ++side)
    for (int32_t i = 0; i < b->sides[side].hit_count; ++i) {
      open_hit(b, side, b->sides[side].hits[i], &h);
      if (h.count < FOUR) continue;
      build_four(b, &h, rows, notes, counts);
      h.count = 0;
    }
  if (h.count == 0) return;
  repeat_first(&h);
  build_four(b, &h, rows, notes, counts);
}

// --- sweeps

// A row waits for what the row before it stores: most rows of a pair share particles. So rows of four pairs, which
// share no body, are swept side by side (pl_soft_round).
_Static_assert((int)PL_SOFT_LANES == (int)FOUR, "a lane of a round is one of a register");

// The rows of a round with what they act on.
typedef struct open_rows {
  pl_vec3 *particles[4][FOUR];
  vec3_four velocities[4];
  pl_d4 weights[3];  // of the corners
  pl_d4 pushes[4];   // 1/kg: what an impulse adds to the velocity of the point, and takes from those of the corners
  vec3_four normal, sliding;
  pl_d4 mass, pressed;
} open_rows;

PL_SIMD_INLINE void open_round(const pl_soft_round *round, open_rows *r) {
  const float *normals[FOUR], *impulses[FOUR];
  const double *masses[4][FOUR];
  float weights[2][FOUR];
  for (int l = 0; l < FOUR; ++l) {
    const pl_soft_row *row = round->rows[l];
    const pl_soft_velocities *v = round->velocities[l];
    r->particles[0][l] = &v->own[row->particles[0]];
    masses[0][l] = &v->own_masses[row->particles[0]];
    for (int k = 1; k < 4; ++k) {
      r->particles[k][l] = &v->other[row->particles[k]];
      masses[k][l] = &v->other_masses[row->particles[k]];
    }
    for (int k = 0; k < 2; ++k) weights[k][l] = row->weights[k];
    normals[l] = row->normal;
    impulses[l] = row->sliding_impulse;
  }
  for (int k = 0; k < 4; ++k) {
    pl_vec3 *const *p = r->particles[k];
    r->velocities[k] = gather_four(p[0], p[1], p[2], p[3]);
  }
  for (int k = 0; k < 2; ++k)
    r->weights[k] = widen_four((pl_f4){weights[k][0], weights[k][1], weights[k][2], weights[k][3]});
  r->weights[2] = 1 - r->weights[0] - r->weights[1];
  for (int k = 0; k < 4; ++k) {
    r->pushes[k] = (pl_d4){*masses[k][0], *masses[k][1], *masses[k][2], *masses[k][3]};
    if (k > 0) r->pushes[k] *= r->weights[k - 1];
  }
  r->normal = gather_floats(normals, &r->mass);
  r->sliding = gather_floats(impulses, &r->pressed);
}

// Push the rows of the mask.
PL_SIMD_INLINE void push_four(const open_rows *r, four_mask mask, vec3_four impulse) {
  vec3_four point = add_four(r->velocities[0], impulse, r->pushes[0]);
  scatter_four(r->particles[0], select_vectors(mask, point, r->velocities[0]));
  for (int k = 1; k < 4; ++k) {
    vec3_four corner = sub_four(r->velocities[k], impulse, r->pushes[k]);
    scatter_four(r->particles[k], select_vectors(mask, corner, r->velocities[k]));
  }
}

// Other phases have been at work since velocities were used.
enum { ROUNDS_AHEAD = 6 };

static void fetch_round(const pl_soft_round *round) {
  for (int l = 0; l < FOUR; ++l) {
    const uint16_t *p = round->rows[l]->particles;
    const pl_soft_velocities *v = round->velocities[l];
    __builtin_prefetch(&v->own[p[0]], 1);
    for (int k = 1; k < 4; ++k) __builtin_prefetch(&v->other[p[k]], 1);
  }
}

static void start(const pl_soft_round *rounds, int32_t count) {
  for (int32_t i = 0; i < ROUNDS_AHEAD && i < count; ++i) fetch_round(&rounds[i]);
  for (int32_t i = 0; i < count; ++i) {
    if (i + ROUNDS_AHEAD < count) fetch_round(&rounds[i + ROUNDS_AHEAD]);
    open_rows r;
    open_round(&rounds[i], &r);
    push_four(&r, is_more(r.pressed, set_four(0)), add_four(r.sliding, r.normal, r.pressed));
  }
}

// As sweep_particles() in contact_resolve.c. What is added to velocities is the change of the impulse as it is stored.
// A row that nothing moves has no mass and no impulse, and gets none.
PL_SIMD_INLINE void sweep_round(const pl_soft_round *round, const open_rows *r, pl_d4 target, pl_d4 friction) {
  const pl_d4 zero = set_four(0);
  vec3_four velocity = r->velocities[0];
  for (int k = 0; k < 3; ++k) velocity = sub_four(velocity, r->velocities[1 + k], r->weights[k]);
  pl_d4 speed = dot_four(r->normal, velocity);
  pl_f4 normal_impulse = narrow_four(larger_four(r->pressed + (target - speed) * r->mass, zero));
  pl_d4 next = widen_four(normal_impulse);
  four_mask is_pressed = is_more(next, zero) | is_more(r->pressed, zero);
  vec3_four wanted = sub_four(r->sliding, sub_four(velocity, r->normal, speed), r->mass);
  pl_d4 square = dot_four(wanted, wanted), limit = friction * next;
  wanted = select_vectors(is_more(square, limit * limit), scale_four(wanted, limit / sqrt_four(square)), wanted);
  wanted = select_vectors(is_pressed, wanted, r->sliding);
  pl_f4 x = narrow_four(wanted.x), y = narrow_four(wanted.y), z = narrow_four(wanted.z);
  float *impulses[FOUR];
  for (int l = 0; l < FOUR; ++l) impulses[l] = round->rows[l]->sliding_impulse;
  scatter_floats(impulses, x, y, z, normal_impulse);
  vec3_four change = minus_four((vec3_four){widen_four(x), widen_four(y), widen_four(z)}, r->sliding);
  push_four(r, is_pressed, add_four(change, r->normal, next - r->pressed));
}

static void sweep(const pl_soft_round *rounds, int32_t count, bool corrects) {
  for (int32_t i = 0; i < count; ++i) {
    open_rows r;
    open_round(&rounds[i], &r);
    float targets[FOUR], frictions[FOUR];
    for (int l = 0; l < FOUR; ++l) {
      const pl_soft_row *row = rounds[i].rows[l];
      targets[l] = corrects ? row->arrive : row->leave;
      frictions[l] = row->friction;
    }
    sweep_round(&rounds[i], &r, widen_four((pl_f4){targets[0], targets[1], targets[2], targets[3]}),
                widen_four((pl_f4){frictions[0], frictions[1], frictions[2], frictions[3]}));
  }
}

static void note(const pl_soft_row *rows, pl_soft_note *notes, int32_t count) {
  for (int32_t i = 0; i < count; ++i) {
    // With what follows them in a row: four numbers are loaded at once.
    pl_d4 normal = widen_four(f4_load((const char *)&rows[i] + offsetof(pl_soft_row, normal)));
    pl_d4 sliding = widen_four(f4_load((const char *)&rows[i] + offsetof(pl_soft_row, sliding_impulse)));
    pl_f4 impulse = narrow_four(sliding + normal * (double)rows[i].normal_impulse);
    for (int k = 0; k < 3; ++k) notes[i].arrive_impulse[k] = impulse[k];
  }
}

const pl_soft_kernels KERNELS = {build, start, sweep, note};
