// Sweeping rows of two soft bodies; included with START_NAME and SWEEP_NAME set. The problem that is solved is that of
// contact_resolve.c.
#include <stddef.h>

#include "contact/contact_soft_rows.h"
#include "contact/vec3_wide.h"

// A row waits for what the row before it stores: most rows of a pair share particles. So rows of a round, which share
// none, are swept side by side, as many at once as a register has lanes.
_Static_assert((int)PL_SOFT_LANES % (int)WIDE == 0, "a round fills registers");

// Where the rows of a round are, and what they act on.
typedef struct found_rows {
  void *rows[PL_SOFT_LANES];
  pl_vec3 *particles[4][PL_SOFT_LANES];
  double masses[4][PL_SOFT_LANES];  // inverse, 1/kg
} found_rows;

// Done a round ahead: addresses in memory take no registers.
PL_SIMD_INLINE void find_rows(const pl_soft_run *run, const pl_soft_round *round, found_rows *f) {
  for (int l = 0; l < PL_SOFT_LANES; ++l) {
    pl_soft_row *row = &run->rows[round->lanes[l].row];
    const pl_soft_velocities *side = &run->sides[round->lanes[l].side];
    f->rows[l] = row;
    for (int k = 0; k < 4; ++k) {
      f->particles[k][l] = &(k == 0 ? side->own : side->other)[row->particles[k]];
      f->masses[k][l] = (k == 0 ? side->own_masses : side->other_masses)[row->particles[k]];
    }
  }
}

// Rows with what they act on.
typedef struct open_rows {
  void *const *rows;
  pl_vec3 *const *particles[4];
  vec3_wide velocities[4];
  wide weights[3];  // of the corners
  wide pushes[4];   // 1/kg: what an impulse adds to the velocity of the point, and takes from those of the corners
  vec3_wide normal, sliding;
  wide mass, pressed;
} open_rows;

// Those of a round from `first` on.
PL_SIMD_INLINE void open_round(const found_rows *f, int first, open_rows *r) {
  r->rows = &f->rows[first];
  const void *const *rows = (const void *const *)r->rows;
  for (int k = 0; k < 4; ++k) {
    r->particles[k] = &f->particles[k][first];
    r->velocities[k] = gather_vectors((const pl_vec3 *const *)r->particles[k]);
  }
  wide_floats columns[4];
  gather_columns(rows, offsetof(pl_soft_row, weights), columns);
  for (int k = 0; k < 2; ++k) r->weights[k] = widen(columns[k]);
  r->weights[2] = 1 - r->weights[0] - r->weights[1];
  for (int k = 0; k < 4; ++k) {
    r->pushes[k] = load_wide(&f->masses[k][first]);
    if (k > 0) r->pushes[k] *= r->weights[k - 1];
  }
  gather_columns(rows, offsetof(pl_soft_row, normal), columns);
  r->normal = (vec3_wide){widen(columns[0]), widen(columns[1]), widen(columns[2])};
  r->mass = widen(columns[3]);
  gather_columns(rows, offsetof(pl_soft_row, sliding_impulse), columns);
  r->sliding = (vec3_wide){widen(columns[0]), widen(columns[1]), widen(columns[2])};
  r->pressed = widen(columns[3]);
}

// Push the rows of the mask.
PL_SIMD_INLINE void push_rows(const open_rows *r, wide_mask mask, vec3_wide impulse) {
  vec3_wide point = add_wide(r->velocities[0], impulse, r->pushes[0]);
  scatter_vectors(r->particles[0], select_vectors(mask, point, r->velocities[0]));
  for (int k = 1; k < 4; ++k) {
    vec3_wide corner = sub_wide(r->velocities[k], impulse, r->pushes[k]);
    scatter_vectors(r->particles[k], select_vectors(mask, corner, r->velocities[k]));
  }
}

// Are there rows in a round from lane `first` on, which is a multiple of WIDE?
PL_SIMD_INLINE bool has_rows(const found_rows *f, int first) {
  return first == 0 || f->rows[first] != f->rows[0];
}

// Other phases have been at work since rows and velocities were used.
enum { ROUNDS_AHEAD = 4 };

static void fetch_rows(const pl_soft_run *run, const pl_soft_round *round) {
  for (int l = 0; l < PL_SOFT_LANES; ++l) __builtin_prefetch(&run->rows[round->lanes[l].row], 1);
}

static void start_round(const found_rows *f) {
  for (int first = 0; first < PL_SOFT_LANES && has_rows(f, first); first += WIDE) {
    open_rows r;
    open_round(f, first, &r);
    push_rows(&r, is_more(r.pressed, set_wide(0)), add_wide(r.sliding, r.normal, r.pressed));
  }
}

void START_NAME(const pl_soft_run *run) {
  found_rows found[2];
  for (int32_t i = -1; i < run->count; ++i) {
    if (i + 1 < run->count) find_rows(run, &run->rounds[i + 1], &found[(i + 1) % 2]);
    if (i >= 0) start_round(&found[i % 2]);
  }
}

// The impulses that a sweep starts from. What follows them in a note, the impulse of dampers, stays.
PL_SIMD_INLINE void note_rows(const pl_soft_run *run, const pl_soft_round *round, int first, const open_rows *r) {
  void *notes[WIDE];
  for (int l = 0; l < WIDE; ++l) notes[l] = &run->notes[round->lanes[first + l].row];
  vec3_wide impulse = add_wide(r->sliding, r->normal, r->pressed);
  wide_floats columns[4];
  gather_columns((const void *const *)notes, offsetof(pl_soft_note, arrive_impulse), columns);
  columns[0] = narrow(impulse.x), columns[1] = narrow(impulse.y), columns[2] = narrow(impulse.z);
  scatter_columns(notes, offsetof(pl_soft_note, arrive_impulse), columns);
}

// As sweep_particles() in contact_resolve.c. What is added to velocities is the change of the impulse as it is stored.
// A row that nothing moves has no mass and no impulse, and gets none.
PL_SIMD_INLINE void sweep_rows(const open_rows *r, wide target, wide friction) {
  const wide zero = set_wide(0);
  vec3_wide velocity = r->velocities[0];
  for (int k = 0; k < 3; ++k) velocity = sub_wide(velocity, r->velocities[1 + k], r->weights[k]);
  wide speed = dot_wide(r->normal, velocity);
  wide_floats normal_impulse = narrow(larger_wide(r->pressed + (target - speed) * r->mass, zero));
  wide next = widen(normal_impulse);
  wide_mask is_pressed = mask_or(is_more(next, zero), is_more(r->pressed, zero));
  vec3_wide wanted = sub_wide(r->sliding, sub_wide(velocity, r->normal, speed), r->mass);
  wide square = dot_wide(wanted, wanted), limit = friction * next;
  wanted = select_vectors(is_more(square, limit * limit), scale_wide(wanted, limit / sqrt_wide(square)), wanted);
  wanted = select_vectors(is_pressed, wanted, r->sliding);
  wide_floats columns[4] = {narrow(wanted.x), narrow(wanted.y), narrow(wanted.z), normal_impulse};
  vec3_wide change = minus_wide((vec3_wide){widen(columns[0]), widen(columns[1]), widen(columns[2])}, r->sliding);
  push_rows(r, is_pressed, add_wide(change, r->normal, next - r->pressed));
  scatter_columns(r->rows, offsetof(pl_soft_row, sliding_impulse), columns);
}

static void sweep_round(const pl_soft_run *run, const pl_soft_round *round, const found_rows *f,
                        pl_soft_sweep_kind kind) {
  for (int first = 0; first < PL_SOFT_LANES && has_rows(f, first); first += WIDE) {
    open_rows r;
    open_round(f, first, &r);
    if (kind == PL_SOFT_NOTES_AND_LEAVES) note_rows(run, round, first, &r);
    wide_floats columns[4];  // arrive, leave, friction, restitution
    gather_columns((const void *const *)r.rows, offsetof(pl_soft_row, arrive), columns);
    sweep_rows(&r, widen(columns[kind == PL_SOFT_ARRIVES ? 0 : 1]), widen(columns[2]));
  }
}

void SWEEP_NAME(const pl_soft_run *run, pl_soft_sweep_kind kind) {
  found_rows found[2];
  for (int32_t i = 0; i < ROUNDS_AHEAD && i < run->count; ++i) fetch_rows(run, &run->rounds[i]);
  for (int32_t i = -1; i < run->count; ++i) {
    int32_t next = i + 1;
    if (i >= 0 && i + ROUNDS_AHEAD < run->count) fetch_rows(run, &run->rounds[i + ROUNDS_AHEAD]);
    if (next < run->count) find_rows(run, &run->rounds[next], &found[next % 2]);
    if (i >= 0) sweep_round(run, &run->rounds[i], &found[i % 2], kind);
  }
}
