// Building and sweeping rows of two soft bodies; included with KERNELS set to the table to define.
// The problem that is solved is that of contact_resolve.c.
#include <stddef.h>

#include "contact/contact_bounce.h"
#include "contact/contact_cache.h"
#include "contact/contact_soft_rows.h"
#include "contact/vec3_four.h"
#include "contact/vec3_wide.h"
#include "mesh/simplex.h"

// The particles of a row, and the parts that those of the corners have.
typedef struct row_terms {
  size_t particles[4];
  double weights[3];
} row_terms;

// The point minus the place that it touches, as pl_soft_gap().
PL_SIMD_INLINE wide3 gap_of(const row_terms *t, const pl_vec3 *own, const pl_vec3 *other) {
  wide3 gap = wide3_load(&own[t->particles[0]]);
  for (int k = 0; k < 3; ++k) gap = wide3_sub(gap, wide3_load(&other[t->particles[1 + k]]), t->weights[k]);
  return gap;
}

// With what follows them in a row: four numbers are loaded at once.
PL_SIMD_INLINE wide3 normal_in(const pl_soft_row *row) {
  return wide3_of_f4(f4_load((const char *)row + offsetof(pl_soft_row, normal)));
}

PL_SIMD_INLINE wide3 sliding_in(const pl_soft_row *row) {
  return wide3_of_f4(f4_load((const char *)row + offsetof(pl_soft_row, sliding_impulse)));
}

// --- building

// How the gap moves, as far as it matters to a bounce.
typedef struct row_approach {
  double speed, depth, start_gap;
} row_approach;

// The velocities of a row that bounces; false if it does not.
PL_SIMD_INLINE bool bounce(const pl_soft_builder *b, const row_terms *terms, const row_approach *a, pl_soft_row *row) {
  pl_contact_meeting meeting = {.step = b->step,
                                .speed = a->speed,
                                .depth = a->depth,
                                .start_gap = a->start_gap,
                                .restitution = b->restitution,
                                .min_speed = b->scale.speed};
  if (!(pl_contact_meeting_approach(&meeting) > meeting.min_speed)) return false;
  const pl_vec3 *own = b->own->start_velocities, *other = b->other->start_velocities;
  double start_approach = HUGE_VAL, arrive, leave;
  if (own != NULL && other != NULL) start_approach = -wide3_dot(normal_in(row), gap_of(terms, own, other));
  if (!pl_contact_meeting_bounce(&meeting, start_approach, &arrive, &leave)) return false;
  row->arrive = (float)arrive;
  row->leave = (float)leave;
  return true;
}

// The impulse of the last step, with friction within its limit.
PL_SIMD_INLINE void take_last(const pl_soft_builder *b, int32_t point, wide3 normal, pl_soft_row *row) {
  const pl_contact_impulse *slot =
      pl_contact_cache_find_in(&b->last[(size_t)point * PL_IMPULSES_PER_POINT], b->partner);
  if (slot == NULL) return;
  wide3 last = wide3_of_f4((pl_f4){slot->impulse[0], slot->impulse[1], slot->impulse[2], 0.0f});
  double along = wide3_dot(last, normal), pressed = pl_larger(along, 0);
  wide3 sliding = wide3_sub(last, normal, along);
  double square = wide3_dot(sliding, sliding), limit = b->friction * pressed;
  if (square > limit * limit) sliding = wide3_scale(sliding, limit / sqrt(square));
  pl_f4 impulse = wide3_to_f4(sliding);
  impulse[3] = (float)pressed;
  f4_store((char *)row + offsetof(pl_soft_row, sliding_impulse), impulse);
}

// The velocities that a row asks for, and the impulse that it starts from.
PL_SIMD_INLINE void start_row(const pl_soft_builder *b, const row_terms *terms, const pl_soft_note *note, wide3 normal,
                              pl_soft_row *row) {
  row_approach a = {.depth = (double)note->depth};
  a.start_gap = wide3_dot(normal, gap_of(terms, b->own->starts, b->other->starts)) - b->gap;
  a.speed = wide3_dot(normal, gap_of(terms, b->own->velocities, b->other->velocities));
  row->arrive = row->leave = (float)pl_smaller(a.speed + a.depth / b->step, 0);
  if (-a.speed > b->scale.speed && bounce(b, terms, &a, row)) return;
  double overlap = -a.start_gap - b->scale.slop;
  if (overlap > 0) row->arrive = (float)pl_contact_push_speed(overlap);
  take_last(b, note->point, normal, row);
}

// Unit normal where a hit leaves the other body; zero if there is none.
PL_SIMD_INLINE pl_vec3 normal_of(const pl_soft_builder *b, uint32_t spot, const pl_contact_place *place,
                                 const int32_t *corners) {
  const pl_vec3 *p = b->other->positions;
  if (pl_contact_spot_is_inside(spot)) return pl_triangle_normal(p[corners[0]], p[corners[1]], p[corners[2]]);
  return pl_contact_exit_normal(b->tree, p, place->triangle, place->weights);
}

// False if there is nothing to resolve.
PL_SIMD_INLINE bool build_row(const pl_soft_builder *b, const pl_soft_hit *hit, pl_soft_row *row, pl_soft_note *note) {
  pl_contact_place place = pl_contact_spot_place(hit->spot);
  const pl_contact_surface *surface = b->other->surface;
  // The slots of another world may name what is not there.
  if (place.triangle >= surface->triangle_count) return false;
  const int32_t *corners = &surface->tet_map->triangle_particles[3 * (size_t)place.triangle];
  pl_vec3 unit = normal_of(b, hit->spot, &place, corners);
  if (pl_vec3_dot(unit, unit) < 0.5) return false;
  wide3 normal = wide3_of(unit);
  int32_t point = b->own->surface->parents[4 * (size_t)hit->point];
  float first = (float)place.weights[0], second = (float)place.weights[1];
  row_terms terms = {{(size_t)point, (size_t)corners[0], (size_t)corners[1], (size_t)corners[2]},
                     {(double)first, (double)second, 1 - (double)first - (double)second}};
  double gap = wide3_dot(normal, gap_of(&terms, b->own->positions, b->other->positions)) - b->gap;
  if (!(gap < b->scale.margin)) return false;
  double answer = b->own->inverse_masses[point];
  for (int k = 0; k < 3; ++k) answer += place.weights[k] * place.weights[k] * b->other->inverse_masses[corners[k]];
  *row =
      (pl_soft_row){.normal = {(float)unit.x, (float)unit.y, (float)unit.z},
                    .mass = answer > 0 ? (float)(1 / answer) : 0.0f,
                    .friction = (float)b->friction,
                    .restitution = (float)b->restitution,
                    .weights = {first, second},
                    .particles = {(uint16_t)point, (uint16_t)corners[0], (uint16_t)corners[1], (uint16_t)corners[2]}};
  *note = (pl_soft_note){.depth = (float)-gap, .point = hit->point, .spot = hit->spot, .pair = b->pair};
  if (answer > 0) start_row(b, &terms, note, normal, row);
  return true;
}

static int32_t build(const pl_soft_builder *b, const pl_soft_hit *hits, int32_t hit_count, pl_soft_row *rows,
                     pl_soft_note *notes) {
  int32_t count = 0;
  for (int32_t i = 0; i < hit_count; ++i) count += build_row(b, &hits[i], &rows[count], &notes[count]);
  return count;
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
  for (int k = 0; k < 4; ++k) r->velocities[k] = gather_four(r->particles[k]);
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
    push_four(&r, (four_mask)(r.pressed > 0), add_four(r.sliding, r.normal, r.pressed));
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
  four_mask is_pressed = (four_mask)(next > 0) | (four_mask)(r->pressed > 0);
  vec3_four wanted = sub_four(r->sliding, sub_four(velocity, r->normal, speed), r->mass);
  pl_d4 square = dot_four(wanted, wanted), limit = friction * next;
  wanted = select_vectors((four_mask)(square > limit * limit), scale_four(wanted, limit / sqrt_four(square)), wanted);
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
    const pl_soft_row *row = &rows[i];
    pl_f4 impulse = wide3_to_f4(wide3_add(sliding_in(row), normal_in(row), (double)row->normal_impulse));
    for (int k = 0; k < 3; ++k) notes[i].arrive_impulse[k] = impulse[k];
  }
}

const pl_soft_kernels KERNELS = {build, start, sweep, note};
