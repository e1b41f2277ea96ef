// Kernels of compact rows against plain C, row by row and to the bit: building, starting, sweeping, in lanes and alone.
// ctest: unit
#include "base/random.h"
#include "contact/contact_bounce.h"
#include "contact/contact_cache.h"
#include "contact/contact_filter.h"
#include "contact/contact_soft_rows.h"
#include "contact/contact_solver.h"
#include "contact/contact_spot.h"
#include "fixtures/pressed_boxes.h"
#include "math/simd.h"
#include "mesh/simplex.h"

// Rounds of one row each, which all lanes repeat.
static pl_soft_run run_of_lone(pl_soft_round *rounds, const pl_soft_velocities *side, pl_soft_row *rows,
                               pl_soft_note *notes, int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    for (int l = 0; l < PL_SOFT_LANES; ++l) rounds[i].lanes[l] = (pl_soft_lane){i, 0};
  return (pl_soft_run){side, rows, notes, rounds, count};
}

// Kernels that this machine has.
enum { MAX_KERNELS = 3 };
static int list_kernels(const pl_soft_kernels *kernels[MAX_KERNELS]) {
  int count = 0;
  kernels[count++] = &pl_soft_kernels_plain;
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) kernels[count++] = &pl_soft_kernels_avx2;
  if (PL_SIMD_CAN_AVX512()) kernels[count++] = &pl_soft_kernels_avx512;
#endif
  return count;
}

// Points of each box with hits.
static pl_soft_builder builder_of(const pressed_boxes *b, const pl_soft_hit *const hits[2], const int32_t counts[2]) {
  pl_contact_step step = {.step = STEP, .gravity = {0, -9.81, 0}};
  pl_soft_builder builder = {
      .scale = pl_contact_scale_of(&step), .step = STEP, .gap = 2 * RADIUS, .friction = 0.5, .restitution = 0.3};
  builder.watched = builder.scale.margin + 0.001;
  for (int k = 0; k < 2; ++k)
    builder.sides[k] = (pl_soft_points){.tree = b->solver->memory.motions[1 - k].tree,
                                        .own = &b->bodies[k],
                                        .other = &b->bodies[1 - k],
                                        .last = b->impulses[k],
                                        .partner = pl_contact_cache_partner(&b->bodies[1 - k]),
                                        .hits = hits[k],
                                        .hit_count = counts[k]};
  return builder;
}

// The rows of the pair, built, started and swept.
typedef struct swept_pair {
  pl_soft_row rows[MAX_CONTACTS];
  pl_soft_note notes[MAX_CONTACTS];
  pl_vec3 velocities[2][PARTICLES];
  int32_t counts[2];
} swept_pair;

static void sweep_pair(const pressed_boxes *b, const pl_soft_kernels *kernels, swept_pair *s) {
  const pl_contact_memory *memory = &b->solver->memory;
  const pl_pair_range *hits = &memory->axis_hits[2 * memory->plan.pairs[0].axis];
  pl_soft_builder builder =
      builder_of(b, (const pl_soft_hit *[2]){&memory->hits[hits[0].first], &memory->hits[hits[1].first]},
                 (int32_t[2]){hits[0].count, hits[1].count});
  memset(s, 0, sizeof *s);
  memcpy(s->velocities, b->velocities, sizeof s->velocities);
  kernels->build(&builder, s->rows, s->notes, s->counts);
  for (int side = 0; side < 2; ++side) {
    pl_soft_row *rows = &s->rows[side == 0 ? 0 : s->counts[0]];
    pl_soft_note *notes = &s->notes[side == 0 ? 0 : s->counts[0]];
    pl_soft_velocities v = {s->velocities[side], s->velocities[1 - side], b->inverse_masses, b->inverse_masses};
    pl_soft_round rounds[MAX_CONTACTS];
    pl_soft_run run = run_of_lone(rounds, &v, rows, notes, s->counts[side]);
    kernels->start(&run);
    for (int i = 0; i < 4; ++i)
      kernels->sweep(&run, i < 2 ? PL_SOFT_ARRIVES : i == 2 ? PL_SOFT_NOTES_AND_LEAVES : PL_SOFT_LEAVES);
  }
}

static void kernels_agree_to_the_last_bit(void **state) {
  (void)state;
  const pl_soft_kernels *kernels[MAX_KERNELS];
  int kernel_count = list_kernels(kernels);
  if (kernel_count == 1) skip();
  static pressed_boxes b;
  static swept_pair plain, other;
  int32_t count = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    open_boxes(&b);
    press_boxes(&b, seed);
    resolve_boxes(&b, false);
    // What is deeper now than before, with the impulses of the last step.
    for (int i = 0; i < PARTICLES; ++i) b.positions[1][i].y -= 0.002;
    sweep_pair(&b, kernels[0], &plain);
    for (int k = 1; k < kernel_count; ++k) {
      sweep_pair(&b, kernels[k], &other);
      assert_memory_equal(&plain, &other, sizeof plain);
    }
    count += plain.counts[0] + plain.counts[1];
    close_boxes(&b);
  }
  assert_true(count > 100);
}

// What velocities get is the impulse as it is stored, in single precision: so the sum of all that was added is known.
static void what_is_stored_is_what_is_pushed(void **state) {
  (void)state;
  const pl_soft_kernels *kernels[MAX_KERNELS];
  int kernel_count = list_kernels(kernels);
  const double mass = 1, held[4] = {0, 0, 0, 0};
  for (int k = 0; k < kernel_count; ++k) {
    pl_vec3 before = {0.1, -1.0 / 3, 0.07}, own = before, others[4] = {{0, 0, 0}};
    pl_soft_row row = {
        .normal = {0, 1, 0}, .mass = 1, .friction = 10, .weights = {0.25f, 0.25f}, .particles = {0, 1, 2, 3}};
    pl_soft_velocities v = {&own, others, &mass, held};
    pl_soft_round round;
    pl_soft_run run = run_of_lone(&round, &v, &row, NULL, 1);
    kernels[k]->sweep(&run, PL_SOFT_ARRIVES);
    assert_true(row.normal_impulse > 0.3f && row.sliding_impulse[0] < -0.09f);
    assert_true(own.x == before.x + (double)row.sliding_impulse[0]);
    assert_true(own.y == before.y + (double)row.normal_impulse);
    assert_true(own.z == before.z + (double)row.sliding_impulse[2]);
  }
}

// --- many pairs at once

// Pairs of a few bodies, most of which share bodies with others.
enum { BODIES = 30, PAIRS = 60, LONG_PAIR = 7, LONG_ROWS = 300, MAX_ROWS = PAIRS * 24 + LONG_ROWS };

typedef struct many_pairs {
  pl_contact_memory memory;
  pl_contact_body bodies[BODIES];
  pl_contact_pair pairs[PAIRS];
  pl_vec3 velocities[BODIES][PARTICLES];
  double inverse_masses[BODIES][PARTICLES];
  pl_soft_row rows[MAX_ROWS];
  pl_soft_note notes[MAX_ROWS];
  pl_soft_round rounds[MAX_ROWS];
  pl_soft_velocities sides[2 * PAIRS];
  int32_t round_counts[PAIRS], body_rounds[BODIES];
} many_pairs;

static int32_t random_below(pl_random *random, int32_t count) {
  return (int32_t)(pl_random_u32(random) % (uint32_t)count);
}

static float random_float(pl_random *random, double low, double high) {
  return (float)pl_random_between(random, low, high);
}

static pl_vec3 random_vector(pl_random *random) {
  double x = pl_random_between(random, -1, 1), y = pl_random_between(random, -1, 1);
  return pl_vec3_of(x, y, pl_random_between(random, -1, 1));
}

// A row between any particles; some cannot be moved, some have no impulse yet.
static pl_soft_row random_row(pl_random *random) {
  pl_vec3 n = pl_vec3_normalize_or(random_vector(random), pl_vec3_of(0, 1, 0));
  int32_t corner = random_below(random, PARTICLES - 3);
  pl_soft_row row = {.normal = {(float)n.x, (float)n.y, (float)n.z},
                     .mass = random_below(random, 8) > 0 ? random_float(random, 0.2, 1) : 0,
                     .arrive = random_float(random, -0.1, 0.2),
                     .leave = random_float(random, -0.1, 0.1),
                     .friction = random_float(random, 0, 0.8),
                     .weights = {random_float(random, 0, 0.5), random_float(random, 0, 0.5)},
                     .particles = {(uint16_t)random_below(random, PARTICLES), (uint16_t)corner, (uint16_t)(corner + 1),
                                   (uint16_t)(corner + 3)}};
  if (!(row.mass > 0) || random_below(random, 2) > 0) return row;
  row.normal_impulse = random_float(random, 0, 0.3);
  row.sliding_impulse[1] = random_float(random, -0.1, 0.1);
  return row;
}

// Pairs of up to 24 rows, some without any, and one of very many.
static void fill_pairs(many_pairs *m, uint64_t seed, int32_t body_count) {
  pl_random random = pl_random_of_seed(seed);
  memset(m, 0, sizeof *m);
  m->memory = (pl_contact_memory){.body_count = BODIES,
                                  .plan = {.pairs = m->pairs},
                                  .soft_pair_count = PAIRS,
                                  .soft_rows = m->rows,
                                  .soft_notes = m->notes,
                                  .soft_rounds = m->rounds,
                                  .soft_sides = m->sides,
                                  .soft_round_counts = m->round_counts,
                                  .body_rounds = m->body_rounds};
  for (int32_t i = 0; i < BODIES; ++i) m->body_rounds[i] = MAX_ROWS;
  int32_t row = 0;
  for (int32_t i = 0; i < PAIRS; ++i) {
    pl_contact_pair *pair = &m->pairs[i];
    int32_t a = random_below(&random, body_count - 1), b = a + 1 + random_below(&random, body_count - 1 - a);
    *pair = (pl_contact_pair){.a = a, .b = b, .joint = -1, .axis = i, .first_row = row};
    for (int k = 0; k < 2; ++k)
      pair->side_rows[k] = (uint16_t)(i == LONG_PAIR ? LONG_ROWS / 2 : i % 9 == 4 ? 0 : random_below(&random, 13));
    for (int32_t end = row + pair->side_rows[0] + pair->side_rows[1]; row < end; ++row) {
      m->rows[row] = random_row(&random);
      m->notes[row].rest_impulse = random_float(&random, 0, 1);
    }
  }
  for (int32_t i = 0; i < BODIES; ++i) {
    m->bodies[i].velocities = m->velocities[i];
    m->bodies[i].inverse_masses = m->inverse_masses[i];
    for (int p = 0; p < PARTICLES; ++p) {
      m->velocities[i][p] = random_vector(&random);
      m->inverse_masses[i][p] = p % 11 == 0 ? 0 : pl_random_between(&random, 0.5, 2);
    }
  }
}

static void push_row(const pl_soft_row *row, pl_vec3 impulse, pl_vec3 *const v[4], const double masses[4]) {
  double first = (double)row->weights[0], second = (double)row->weights[1],
         weights[3] = {first, second, 1 - first - second};
  *v[0] = pl_vec3_add_scaled(*v[0], impulse, masses[0]);
  for (int k = 0; k < 3; ++k) *v[1 + k] = pl_vec3_sub(*v[1 + k], pl_vec3_scale(impulse, weights[k] * masses[1 + k]));
}

static void sweep_row(pl_soft_row *row, bool corrects, pl_vec3 *const v[4], const double masses[4]) {
  double first = (double)row->weights[0], second = (double)row->weights[1],
         weights[3] = {first, second, 1 - first - second};
  pl_vec3 velocity = *v[0], normal = pl_vec3_of_floats(row->normal), before = pl_vec3_of_floats(row->sliding_impulse);
  for (int k = 0; k < 3; ++k) velocity = pl_vec3_sub(velocity, pl_vec3_scale(*v[1 + k], weights[k]));
  double speed = pl_vec3_dot(normal, velocity), mass = (double)row->mass, pressed = (double)row->normal_impulse;
  double target = (double)(corrects ? row->arrive : row->leave);
  float next = (float)pl_larger(pressed + (target - speed) * mass, 0);
  if (!(mass > 0) || !(next > 0 || pressed > 0)) return;
  pl_vec3 sliding = pl_vec3_sub(velocity, pl_vec3_scale(normal, speed));
  pl_vec3 wanted = pl_vec3_sub(before, pl_vec3_scale(sliding, mass));
  double square = pl_vec3_dot(wanted, wanted), limit = (double)row->friction * (double)next;
  if (square > limit * limit) wanted = pl_vec3_scale(wanted, limit / sqrt(square));
  row->normal_impulse = next;
  row->sliding_impulse[0] = (float)wanted.x, row->sliding_impulse[1] = (float)wanted.y;
  row->sliding_impulse[2] = (float)wanted.z;
  pl_vec3 change = pl_vec3_sub(pl_vec3_of_floats(row->sliding_impulse), before);
  push_row(row, pl_vec3_add_scaled(change, normal, (double)next - pressed), v, masses);
}

// The same, row by row.
static void sweep_one_by_one(many_pairs *m, bool starts, bool corrects) {
  for (const pl_contact_pair *pair = m->pairs; pair < m->pairs + PAIRS; ++pair)
    for (int k = 0; k < 2; ++k) {
      pl_soft_side side = pl_soft_side_of(pair, k);
      for (int32_t i = side.first; i < side.end; ++i) {
        pl_soft_row *row = &m->rows[i];
        pl_vec3 *v[4];
        double masses[4];
        for (int c = 0; c < 4; ++c) {
          int32_t body = c == 0 ? side.own : side.other;
          v[c] = &m->velocities[body][row->particles[c]];
          masses[c] = m->inverse_masses[body][row->particles[c]];
        }
        if (!starts)
          sweep_row(row, corrects, v, masses);
        else if (row->normal_impulse > 0)
          push_row(row, pl_soft_impulse(row), v, masses);
      }
    }
}

// In two visits, the second of which has all bodies of the first.
static void check_swept(const pl_soft_kernels *kernels, int32_t body_count) {
  static many_pairs expected, found;
  enum { FIRST = PAIRS / 3 };
  fill_pairs(&expected, 17, body_count);
  fill_pairs(&found, 17, body_count);
  pl_soft_solution s = {.memory = &found.memory, .bodies = found.bodies, .kernels = kernels};
  sweep_one_by_one(&expected, true, true);
  pl_soft_begin_rounds(&found.memory);
  pl_soft_start(&s, found.pairs, FIRST);
  pl_soft_start(&s, &found.pairs[FIRST], PAIRS - FIRST);
  assert_memory_equal(expected.velocities, found.velocities, sizeof expected.velocities);
  for (int i = 0; i < 4; ++i) {
    for (int32_t row = 0; row < MAX_ROWS && i == 2; ++row) {
      pl_vec3 impulse = pl_soft_impulse(&expected.rows[row]);
      float *noted = expected.notes[row].arrive_impulse;
      noted[0] = (float)impulse.x, noted[1] = (float)impulse.y, noted[2] = (float)impulse.z;
    }
    sweep_one_by_one(&expected, false, i < 2);
    pl_soft_sweep(&s, found.pairs, i < 2, i == 2);
    pl_soft_sweep(&s, &found.pairs[FIRST], i < 2, i == 2);
    assert_memory_equal(expected.velocities, found.velocities, sizeof expected.velocities);
    assert_memory_equal(expected.rows, found.rows, sizeof expected.rows);
    assert_memory_equal(expected.notes, found.notes, sizeof expected.notes);
  }
}

static void pairs_side_by_side_are_swept_as_one_by_one(void **state) {
  (void)state;
  const pl_soft_kernels *kernels[MAX_KERNELS];
  int kernel_count = list_kernels(kernels);
  for (int k = 0; k < kernel_count; ++k) {
    check_swept(kernels[k], BODIES);
    // Few bodies leave most lanes without a row.
    check_swept(kernels[k], 4);
    check_swept(kernels[k], 2);
  }
}

// --- hits side by side

// Hits anywhere on both boxes, and what was met on the way.
enum { MAX_HITS = 11 };
typedef struct some_hits {
  pl_soft_hit hits[2][MAX_HITS];
  int32_t counts[2];
} some_hits;
typedef struct met_cases {
  int32_t rows, missing, flat, borders, apart, held, bounces, overlaps, warm, limited;
} met_cases;

// Inside of triangles, on their sides and corners, and on triangles that are not there.
static pl_soft_hit random_hit(pl_random *random, int32_t triangle_count) {
  uint32_t first = (uint32_t)random_below(random, PL_SPOT_MASK + 1),
           second = (uint32_t)random_below(random, PL_SPOT_MASK + 1 - (int32_t)first);
  int32_t kind = random_below(random, 12), triangle = random_below(random, triangle_count + 4);
  if (kind == 0) first = 0;
  if (kind == 1) second = 0;
  if (kind == 2) second = PL_SPOT_MASK - first;
  if (kind == 3) first = PL_SPOT_MASK, second = 0;
  if (kind == 4) first = second = 0;
  return (pl_soft_hit){random_below(random, 56),
                       (uint32_t)triangle << PL_SPOT_TRIANGLE | first << PL_SPOT_FIRST | second};
}

// Boxes half in each other that move anyhow; some particles are held, and half of the points have pressed before.
static void shake(pressed_boxes *b, pl_random *random, pl_vec3 start_velocities[2][PARTICLES], double speed) {
  for (int k = 0; k < 2; ++k) {
    uint32_t partners[3] = {pl_contact_cache_partner(&b->bodies[1 - k]), 77, 0};
    for (int i = 0; i < PARTICLES; ++i) {
      b->positions[k][i] = pl_vec3_add_scaled(b->positions[k][i], random_vector(random), 0.01);
      b->positions[k][i].y -= k * 0.4 * SIZE;
      // Some triangles have no area.
      if (i > 0 && random_below(random, 9) == 0) b->positions[k][i] = b->positions[k][i - 1];
      b->starts[k][i] = pl_vec3_add_scaled(b->positions[k][i], random_vector(random), 0.02);
      b->velocities[k][i] = pl_vec3_scale(random_vector(random), speed);
      start_velocities[k][i] = pl_vec3_scale(random_vector(random), speed);
      b->inverse_masses[i] = i % 4 < 2 ? 0 : pl_random_between(random, 0.5, 2);
    }
    for (int i = 0; i < PARTICLES * PL_IMPULSES_PER_POINT; ++i) {
      pl_contact_impulse *slot = &b->impulses[k][i];
      *slot = (pl_contact_impulse){.partner = partners[random_below(random, 3)], .spot = pl_random_u32(random)};
      for (int c = 0; c < 3; ++c) slot->impulse[c] = random_float(random, -0.2, 0.2);
    }
  }
}

static pl_vec3 gap_between(const size_t particles[4], const double weights[3], const pl_vec3 *own,
                           const pl_vec3 *other) {
  pl_vec3 gap = own[particles[0]];
  for (int k = 0; k < 3; ++k) gap = pl_vec3_sub(gap, pl_vec3_scale(other[particles[1 + k]], weights[k]));
  return gap;
}

static void take_last_impulse(const pl_soft_builder *b, const pl_soft_points *side, int32_t point, pl_vec3 normal,
                              pl_soft_row *row, met_cases *met) {
  const pl_contact_impulse *slot =
      pl_contact_cache_find_in(&side->last[(size_t)point * PL_IMPULSES_PER_POINT], side->partner);
  if (slot == NULL) return;
  pl_vec3 last = pl_vec3_of_floats(slot->impulse);
  double along = pl_vec3_dot(last, normal), pressed = pl_larger(along, 0);
  pl_vec3 sliding = pl_vec3_sub(last, pl_vec3_scale(normal, along));
  double square = pl_vec3_dot(sliding, sliding), limit = b->friction * pressed;
  met->warm += pressed > 0;
  met->limited += pressed > 0 && square > limit * limit;
  if (square > limit * limit) sliding = pl_vec3_scale(sliding, limit / sqrt(square));
  row->sliding_impulse[0] = (float)sliding.x, row->sliding_impulse[1] = (float)sliding.y;
  row->sliding_impulse[2] = (float)sliding.z, row->normal_impulse = (float)pressed;
}

// Row `row` as kernels build it; false if there is none.
static bool build_one(const pl_soft_builder *b, const pl_soft_points *side, const pl_soft_hit *hit, pl_soft_row *row,
                      pl_soft_note *note, met_cases *met) {
  const pl_contact_surface *surface = side->other->surface;
  pl_contact_place place = pl_contact_spot_place(hit->spot);
  bool is_there = place.triangle < surface->triangle_count;
  met->missing += !is_there;
  if (!is_there) return false;
  const int32_t *corners = &surface->tet_map->triangle_particles[3 * (size_t)place.triangle];
  const pl_vec3 *p = side->other->positions;
  bool is_inside = pl_contact_spot_is_inside(hit->spot);
  pl_vec3 normal = is_inside ? pl_triangle_normal(p[corners[0]], p[corners[1]], p[corners[2]])
                             : pl_contact_exit_normal(side->tree, p, place.triangle, place.weights);
  size_t particles[4] = {(size_t)side->own->surface->parents[4 * (size_t)hit->point], (size_t)corners[0],
                         (size_t)corners[1], (size_t)corners[2]};
  float first = (float)place.weights[0], second = (float)place.weights[1];
  double weights[3] = {(double)first, (double)second, 1 - (double)first - (double)second};
  double gap = pl_vec3_dot(normal, gap_between(particles, weights, side->own->positions, p)) - b->gap;
  bool is_flat = pl_vec3_dot(normal, normal) < 0.5, is_near = gap < b->watched;
  met->flat += is_flat;
  met->apart += !is_near;
  if (is_flat || !is_near) return false;
  ++met->rows;
  met->borders += !is_inside;
  double answer = side->own->inverse_masses[particles[0]];
  for (int k = 0; k < 3; ++k) answer += place.weights[k] * place.weights[k] * side->other->inverse_masses[corners[k]];
  *row = (pl_soft_row){.normal = {(float)normal.x, (float)normal.y, (float)normal.z},
                       .mass = answer > 0 ? (float)(1 / answer) : 0,
                       .friction = (float)b->friction,
                       .restitution = (float)b->restitution,
                       .weights = {first, second}};
  for (int k = 0; k < 4; ++k) row->particles[k] = (uint16_t)particles[k];
  *note = (pl_soft_note){.depth = (float)-gap, .point = hit->point, .spot = hit->spot};
  met->held += !(answer > 0);
  if (!(answer > 0)) return true;
  pl_contact_meeting meeting = {
      .step = b->step, .depth = (double)note->depth, .restitution = b->restitution, .min_speed = b->scale.speed};
  meeting.start_gap =
      pl_vec3_dot(normal, gap_between(particles, weights, side->own->starts, side->other->starts)) - b->gap;
  meeting.speed = pl_vec3_dot(normal, gap_between(particles, weights, side->own->velocities, side->other->velocities));
  row->arrive = row->leave = (float)pl_smaller(meeting.speed + meeting.depth / b->step, 0);
  const pl_vec3 *own = side->own->start_velocities, *other = side->other->start_velocities;
  double start_approach = HUGE_VAL, arrive, leave;
  if (own != NULL && other != NULL)
    start_approach = -pl_vec3_dot(pl_vec3_of_floats(row->normal), gap_between(particles, weights, own, other));
  if (pl_contact_meeting_approach(&meeting) > meeting.min_speed &&
      pl_contact_meeting_bounce(&meeting, start_approach, &arrive, &leave)) {
    row->arrive = (float)arrive, row->leave = (float)leave;
    ++met->bounces;
    return true;
  }
  double overlap = -meeting.start_gap - b->scale.slop;
  met->overlaps += overlap > 0;
  if (overlap > 0) row->arrive = (float)pl_contact_push_speed(overlap);
  take_last_impulse(b, side, hit->point, normal, row, met);
  return true;
}

// All of it, hit by hit.
static void check_built(const pl_soft_builder *b, const pl_soft_kernels *kernels, met_cases *met) {
  static pl_soft_row rows[2 * MAX_HITS + 1], built[2 * MAX_HITS + 1];
  static pl_soft_note notes[2 * MAX_HITS + 1], built_notes[2 * MAX_HITS + 1];
  memset(built, 0xAB, sizeof built);
  memset(built_notes, 0xAB, sizeof built_notes);
  int32_t counts[2], count = 0, hit_count = b->sides[0].hit_count + b->sides[1].hit_count;
  const pl_soft_row behind = built[hit_count];
  const pl_soft_note behind_notes = built_notes[hit_count];
  kernels->build(b, built, built_notes, counts);
  for (int k = 0; k < 2; ++k) {
    int32_t before = count;
    for (int32_t i = 0; i < b->sides[k].hit_count; ++i)
      count += build_one(b, &b->sides[k], &b->sides[k].hits[i], &rows[count], &notes[count], met);
    assert_int_equal(counts[k], count - before);
  }
  if (count > 0) assert_memory_equal(rows, built, (size_t)count * sizeof *rows);
  if (count > 0) assert_memory_equal(notes, built_notes, (size_t)count * sizeof *notes);
  // What no hit has room for is left alone.
  assert_memory_equal(&behind, &built[hit_count], sizeof behind);
  assert_memory_equal(&behind_notes, &built_notes[hit_count], sizeof behind_notes);
}

static void hits_side_by_side_are_built_as_one_by_one(void **state) {
  (void)state;
  static pressed_boxes b;
  static pl_vec3 start_velocities[2][PARTICLES];
  const pl_soft_kernels *kernels[MAX_KERNELS];
  int kernel_count = list_kernels(kernels);
  pl_random random = pl_random_of_seed(5);
  met_cases met = {0};
  open_boxes(&b);
  for (int trial = 0; trial < 600; ++trial) {
    if (trial % 20 == 0) {
      press_boxes(&b, 3 + (uint64_t)trial);
      shake(&b, &random, start_velocities, trial % 40 == 0 ? 3 : 0.1);
    }
    some_hits h = {.counts = {random_below(&random, MAX_HITS + 1), random_below(&random, MAX_HITS + 1)}};
    for (int k = 0; k < 2; ++k) {
      b.bodies[k].start_velocities = trial % 3 == 0 ? NULL : start_velocities[k];
      for (int32_t i = 0; i < h.counts[k]; ++i) h.hits[k][i] = random_hit(&random, b.model->surface.triangle_count);
    }
    pl_soft_builder builder = builder_of(&b, (const pl_soft_hit *[2]){h.hits[0], h.hits[1]}, h.counts);
    if (trial % 5 == 0) builder.restitution = 0;
    for (int k = 0; k < kernel_count; ++k) check_built(&builder, kernels[k], &met);
  }
  printf("%d rows, %d on borders, %d held, %d bounce, %d overlap, ", met.rows, met.borders, met.held, met.bounces,
         met.overlaps);
  printf("%d pressed before, %d up to friction; %d apart, %d flat, %d missing\n", met.warm, met.limited, met.apart,
         met.flat, met.missing);
  assert_true(met.rows > 1000 && met.borders > 100 && met.held > 100 && met.bounces > 100 && met.overlaps > 100);
  assert_true(met.warm > 100 && met.limited > 100 && met.limited < met.warm && met.apart > 100);
  assert_true(met.flat > 100 && met.missing > 100);
  close_boxes(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_agree_to_the_last_bit),
                                     cmocka_unit_test(what_is_stored_is_what_is_pushed),
                                     cmocka_unit_test(pairs_side_by_side_are_swept_as_one_by_one),
                                     cmocka_unit_test(hits_side_by_side_are_built_as_one_by_one)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
