// How two soft bodies that touch come to rest, as wholes: what contact_rest.c says, and the same sums, for most pairs
// of a heap. Both bodies, and both ends of the step, are told side by side in the two halves of a register, and the
// rows of a pair are read once for its angular momentum and once for its impulses.
#include "contact/contact_damping.h"
#include "contact/vec3_parts.h"
#include "pliant/math.h"

typedef pl_vec2_lanes two;

typedef struct vec3_two {
  two x, y, z;
} vec3_two;

typedef struct mat3_two {
  two m[3][3];
} mat3_two;

// The bodies of a pair, side by side.
typedef struct soft_wholes {
  vec3_two center, velocity, spin;
  two inverse_mass;
  mat3_two inverse_inertia;
} soft_wholes;

static inline vec3_two join(const pl_vec3 *a, const pl_vec3 *b) {
  return (vec3_two){{a->x, b->x}, {a->y, b->y}, {a->z, b->z}};
}

static inline pl_vec3 half_of(const vec3_two *a, int k) {
  return pl_vec3_of(a->x[k], a->y[k], a->z[k]);
}

static inline vec3_two cross_two(vec3_two a, vec3_two b) {
  return (vec3_two){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// a + scale b.
static inline vec3_two add_two(vec3_two a, vec3_two b, two scale) {
  return (vec3_two){a.x + scale * b.x, a.y + scale * b.y, a.z + scale * b.z};
}

static inline vec3_two turn_two(const mat3_two *a, vec3_two v) {
  return (vec3_two){a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                    a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                    a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z};
}

static inline vec3_two both(pl_vec3 a) {
  return join(&a, &a);
}

static void load_wholes(const pl_contact_rigid *a, const pl_contact_rigid *b, soft_wholes *w) {
  w->center = join(&a->center, &b->center);
  w->velocity = join(&a->velocity, &b->velocity);
  w->spin = join(&a->angular_velocity, &b->angular_velocity);
  w->inverse_mass = (two){a->inverse_mass, b->inverse_mass};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      w->inverse_inertia.m[i][j] = (two){a->inverse_inertia.m[i][j], b->inverse_inertia.m[i][j]};
}

static void store_wholes(const soft_wholes *w, pl_contact_rigid *a, pl_contact_rigid *b) {
  a->velocity = half_of(&w->velocity, 0);
  b->velocity = half_of(&w->velocity, 1);
  a->angular_velocity = half_of(&w->spin, 0);
  b->angular_velocity = half_of(&w->spin, 1);
}

// --- angular momentum

// Particles of a side at the start of the step and at its end.
typedef struct side_places {
  const pl_vec3 *starts, *ends;
} side_places;

static inline vec3_two places_of(const side_places *p, int32_t particle) {
  return join(&p->starts[particle], &p->ends[particle]);
}

// Angular momentum that the impulses of a row brought into the two bodies: T of contact_rest.c.
static inline pl_vec3 spin_of(const side_places *own, const side_places *other, const pl_soft_row *row,
                              pl_vec3 arrived) {
  double first = (double)row->weights[0], second = (double)row->weights[1], third = first + second - 1;
  vec3_two gap = places_of(own, row->particles[0]);
  gap = add_two(gap, places_of(other, row->particles[1]), (two){-first, -first});
  gap = add_two(gap, places_of(other, row->particles[2]), (two){-second, -second});
  gap = add_two(gap, places_of(other, row->particles[3]), (two){third, third});
  pl_vec3 later = pl_vec3_sub(pl_soft_impulse(row), arrived);
  vec3_two spin = cross_two(gap, join(&arrived, &later));
  return pl_vec3_add(half_of(&spin, 0), half_of(&spin, 1));
}

// The sum over the rows of a side, and of what they press with.
static void add_spins(const pl_contact_damping *d, const pl_soft_side *side, pl_vec3 *sum, double *pressed) {
  const pl_contact_body *a = &d->bodies[side->own], *b = &d->bodies[side->other];
  side_places own = {a->starts, a->positions}, other = {b->starts, b->positions};
  for (int32_t i = side->first; i < side->end; ++i) {
    const pl_soft_row *row = &d->memory->soft_rows[i];
    pl_vec3 arrived = pl_vec3_of_floats(d->memory->soft_notes[i].arrive_impulse);
    *pressed += (double)row->normal_impulse;
    // Also of a row that pushed positions apart and pushes no more: the two places have moved in between.
    if (!(row->normal_impulse > 0) && !(pl_vec3_dot(arrived, arrived) > 0)) continue;
    *sum = pl_vec3_add(*sum, spin_of(&own, &other, row, arrived));
  }
}

// --- rest and rebound

// The relative velocity of the wholes that a row takes away, and the rate at which it does; `u`: all of it.
static inline pl_vec3 damped_velocity(const pl_contact_damping *d, const pl_soft_row *row, pl_vec3 u, double along,
                                      double *rate) {
  pl_vec3 normal = pl_vec3_of_floats(row->normal), sliding = pl_vec3_of_floats(row->sliding_impulse);
  if (d->is_after) {
    *rate = PL_REBOUND_RATE * pl_larger(1 - (double)row->restitution, 0);
    return pl_vec3_scale(normal, along);
  }
  double limit = PL_STICKING * (double)row->friction * (double)row->normal_impulse;
  if (pl_vec3_dot(sliding, sliding) > limit * limit) u = pl_vec3_scale(normal, along);
  *rate = PL_REST_RATE * PL_REST_SPEED * PL_REST_SPEED / (PL_REST_SPEED * PL_REST_SPEED + pl_vec3_dot(u, u));
  return u;
}

// How both bodies answer to an impulse along n at their levers.
static inline double answer_along(const soft_wholes *w, vec3_two levers, pl_vec3 n) {
  vec3_two turn = cross_two(levers, both(n)), turned = turn_two(&w->inverse_inertia, turn);
  two answers = w->inverse_mass + (turn.x * turned.x + turn.y * turned.y + turn.z * turned.z);
  return answers[0] + answers[1];
}

static inline void push_both(soft_wholes *w, vec3_two levers, pl_vec3 impulse, two signs) {
  vec3_two impulses = {signs * impulse.x, signs * impulse.y, signs * impulse.z};
  vec3_two turned = turn_two(&w->inverse_inertia, cross_two(levers, impulses));
  w->velocity = add_two(w->velocity, impulses, w->inverse_mass);
  w->spin = (vec3_two){w->spin.x + turned.x, w->spin.y + turned.y, w->spin.z + turned.z};
}

// What a side's rows share.
typedef struct rest_side {
  const pl_contact_damping *damping;
  const pl_vec3 *positions;  // of its own particles
  int own;                   // its own body: 0 or 1
  double pressed;            // N s: sum over the pair
} rest_side;

// As rest_at() in contact_rest.c; `rest_impulse` of before. Returns what is added to it.
static inline double rest_row(const rest_side *s, const pl_soft_row *row, double rest_impulse, soft_wholes *w,
                              pl_rest_loss *loss) {
  pl_vec3 normal = pl_vec3_of_floats(row->normal), point = s->positions[row->particles[0]];
  vec3_two center = w->center, levers = {point.x - center.x, point.y - center.y, point.z - center.z};
  vec3_two turning = cross_two(w->spin, levers);
  vec3_two v = {w->velocity.x + turning.x, w->velocity.y + turning.y, w->velocity.z + turning.z};
  pl_vec3 u = pl_vec3_sub(half_of(&v, s->own), half_of(&v, 1 - s->own));
  double along = pl_vec3_dot(normal, u), rate;
  // After the sweeps only those that part are damped.
  if (s->damping->is_after && !(along > 0)) return 0;
  u = damped_velocity(s->damping, row, u, along, &rate);
  double square = pl_vec3_dot(u, u), normal_impulse = (double)row->normal_impulse;
  if (!(square > 0)) return 0;
  double answer = answer_along(w, levers, pl_vec3_scale(u, 1 / sqrt(square)));
  double lost = pl_lost_at(loss, rate, s->damping->step);
  pl_vec3 impulse = pl_vec3_scale(u, -lost * (normal_impulse / s->pressed) / answer);
  // No adhesion: what pulls is at most what presses.
  double pull = -pl_vec3_dot(impulse, normal), pressed = pl_larger(normal_impulse + rest_impulse, 0);
  if (pull > pressed) impulse = pl_vec3_scale(impulse, pressed / pull);
  push_both(w, levers, impulse, s->own == 0 ? (two){1, -1} : (two){-1, 1});
  return pl_vec3_dot(impulse, normal);
}

static void rest_side_rows(const rest_side *s, const pl_soft_side *side, soft_wholes *w, pl_rest_loss *loss) {
  const pl_contact_memory *memory = s->damping->memory;
  for (int32_t i = side->first; i < side->end; ++i) {
    const pl_soft_row *row = &memory->soft_rows[i];
    if (!(row->normal_impulse > 0)) continue;
    double before = (double)memory->soft_notes[i].rest_impulse, added = rest_row(s, row, before, w, loss);
    if (added != 0) memory->soft_notes[i].rest_impulse = (float)(before + added);
  }
}

static double sum_pressed(const pl_contact_damping *d, const pl_soft_side sides[2]) {
  double sum = 0;
  for (int k = 0; k < 2; ++k)
    for (int32_t i = sides[k].first; i < sides[k].end; ++i) sum += (double)d->memory->soft_rows[i].normal_impulse;
  return sum;
}

void pl_contact_rest_soft(const pl_contact_damping *d, const pl_contact_pair *pair, pl_rest_loss *loss) {
  pl_contact_whole *a = &d->memory->wholes[pair->a], *b = &d->memory->wholes[pair->b];
  bool is_slow = a->is_slow && b->is_slow;
  // Before the sweeps those near rest are damped, after them the others.
  if (!a->is_free || !b->is_free || (!d->is_after && !is_slow)) return;
  pl_soft_side sides[2] = {pl_soft_side_of(pair, 0), pl_soft_side_of(pair, 1)};
  soft_wholes w;
  load_wholes(&a->motion, &b->motion, &w);
  double pressed = 0;
  if (d->is_after) {
    pl_vec3 spin = {0, 0, 0};
    for (int k = 0; k < 2; ++k) add_spins(d, &sides[k], &spin, &pressed);
    w.spin = add_two(w.spin, turn_two(&w.inverse_inertia, both(spin)), (two){-0.5, -0.5});
  } else {
    pressed = sum_pressed(d, sides);
  }
  for (int k = 0; k < 2 && is_slow != d->is_after; ++k) {
    rest_side side = {d, pl_damping_positions(d, sides[k].own), k, pressed};
    rest_side_rows(&side, &sides[k], &w, loss);
  }
  store_wholes(&w, &a->motion, &b->motion);
}
