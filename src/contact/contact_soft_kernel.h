// Building and sweeping rows of two soft bodies; included with KERNELS set to the table to define.
// The problem that is solved is that of contact_resolve.c.
#include <stddef.h>

#include "contact/contact_bounce.h"
#include "contact/contact_cache.h"
#include "contact/contact_soft_rows.h"
#include "contact/vec3_wide.h"
#include "mesh/simplex.h"

// The particles of a row, and the parts that those of the corners have.
typedef struct row_terms {
  size_t particles[4];
  double weights[3];
} row_terms;

// The point minus the place that it touches, as pl_soft_gap().
PL_SIMD_INLINE wide3 gap_of(const row_terms *t, const pl_vec3 *own, const pl_vec3 *other) {
  wide3 gap = wide3_load_old(&own[t->particles[0]]);
  for (int k = 0; k < 3; ++k) gap = wide3_sub(gap, wide3_load_old(&other[t->particles[1 + k]]), t->weights[k]);
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

// A row with what it acts on.
typedef struct open_row {
  pl_vec3 *particles[4];
  wide3 velocities[4];
  double weights[3];  // of the corners
  double pushes[4];   // 1/kg: what an impulse adds to the velocity of the point, and takes from those of the corners
  wide3 normal;
} open_row;

PL_SIMD_INLINE open_row open(const pl_soft_velocities *v, const pl_soft_row *row) {
  const uint16_t *p = row->particles;
  double first = (double)row->weights[0], second = (double)row->weights[1], third = 1 - first - second;
  open_row r = {{&v->own[p[0]], &v->other[p[1]], &v->other[p[2]], &v->other[p[3]]},
                .weights = {first, second, third},
                .pushes = {v->own_masses[p[0]], first * v->other_masses[p[1]], second * v->other_masses[p[2]],
                           third * v->other_masses[p[3]]},
                .normal = normal_in(row)};
  for (int k = 0; k < 4; ++k) r.velocities[k] = wide3_load(r.particles[k]);
  return r;
}

PL_SIMD_INLINE void push(const open_row *r, wide3 impulse) {
  wide3_store(r->particles[0], wide3_add(r->velocities[0], impulse, r->pushes[0]));
  for (int k = 1; k < 4; ++k) wide3_store(r->particles[k], wide3_sub(r->velocities[k], impulse, r->pushes[k]));
}

static void start(const pl_soft_velocities *velocities, const pl_soft_row *rows, int32_t count) {
  pl_soft_velocities v = *velocities;
  for (const pl_soft_row *row = rows; row < rows + count; ++row) {
    if (!(row->normal_impulse > 0)) continue;
    open_row r = open(&v, row);
    push(&r, wide3_add(sliding_in(row), r.normal, (double)row->normal_impulse));
  }
}

PL_SIMD_INLINE void note_impulse(const pl_soft_row *row, pl_soft_note *note) {
  pl_f4 impulse = wide3_to_f4(wide3_add(sliding_in(row), normal_in(row), (double)row->normal_impulse));
  for (int k = 0; k < 3; ++k) note->arrive_impulse[k] = impulse[k];
}

// As sweep_particles() in contact_resolve.c. What is added to velocities is the change of the impulse as it is stored.
PL_SIMD_INLINE void sweep_row(const pl_soft_velocities *v, pl_soft_row *row, double target) {
  open_row r = open(v, row);
  wide3 velocity = r.velocities[0];
  for (int k = 0; k < 3; ++k) velocity = wide3_sub(velocity, r.velocities[1 + k], r.weights[k]);
  double speed = wide3_dot(r.normal, velocity), mass = (double)row->mass, pressed = (double)row->normal_impulse;
  float normal_impulse = (float)pl_larger(pressed + (target - speed) * mass, 0);
  double next = (double)normal_impulse;
  if (!(next > 0 || pressed > 0)) return;
  wide3 before = sliding_in(row), wanted = wide3_sub(before, wide3_sub(velocity, r.normal, speed), mass);
  double square = wide3_dot(wanted, wanted), limit = (double)row->friction * next;
  if (square > limit * limit) wanted = wide3_scale(wanted, limit / sqrt(square));
  pl_f4 impulse = wide3_to_f4(wanted);
  wide3 sliding = wide3_of_f4(impulse);
  impulse[3] = normal_impulse;
  f4_store((char *)row + offsetof(pl_soft_row, sliding_impulse), impulse);
  push(&r, wide3_add(wide3_minus(sliding, before), r.normal, next - pressed));
}

static void sweep(const pl_soft_velocities *velocities, pl_soft_row *rows, int32_t count, bool corrects,
                  pl_soft_note *notes) {
  pl_soft_velocities v = *velocities;
  for (int32_t i = 0; i < count; ++i) {
    pl_soft_row *row = &rows[i];
    if (!(row->mass > 0)) continue;
    if (notes != NULL) note_impulse(row, &notes[i]);
    sweep_row(&v, row, (double)(corrects ? row->arrive : row->leave));
  }
}

const pl_soft_kernels KERNELS = {build, start, sweep};
