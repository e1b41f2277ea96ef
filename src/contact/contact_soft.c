// Hits and rows of pairs of soft bodies. The problem that is solved is that of contact_resolve.c.
#include "contact/contact_soft.h"

#include <string.h>

#include "contact/contact_bounce.h"
#include "contact/contact_cache.h"
#include "contact/contact_detect.h"
#include "contact/vec3_parts.h"
#include "pliant/math.h"

// --- search

static bool is_soft(const pl_contact_detection *d, int32_t body) {
  const pl_contact_body *b = &d->bodies[body];
  const pl_surface_motion *motion = &d->memory->motions[body];
  return !b->asleep && !b->solved && b->rigid == NULL && b->impulses != NULL && motion->has_tets &&
         pl_surface_motion_is_fine(motion);
}

bool pl_soft_is_pair(const pl_contact_detection *d, int32_t a, int32_t b) {
  return d->has_soft && is_soft(d, a) && is_soft(d, b) && !pl_contact_is_dented(&d->bodies[a], &d->bodies[b]);
}

void pl_soft_begin(pl_contact_memory *memory) {
  memset(memory->hit_counts, 0, (size_t)memory->body_count * sizeof *memory->hit_counts);
  memory->soft_row_count = 0;
}

pl_soft_list pl_soft_list_of(const pl_contact_memory *memory, int32_t body) {
  int32_t first = memory->point_start[body], points = memory->point_start[body + 1] - first;
  return (pl_soft_list){&memory->hits[(size_t)first * PL_SOFT_HITS_PER_POINT], memory->hit_counts[body],
                        points * PL_SOFT_HITS_PER_POINT};
}

void pl_soft_list_commit(pl_contact_memory *memory, int32_t body, const pl_soft_list *list, int32_t first, int32_t axis,
                         int32_t own) {
  int side = axis / PL_PAIR_AXES == own ? 0 : 1;
  memory->axis_hits[2 * axis + side] =
      (pl_pair_range){memory->point_start[body] * PL_SOFT_HITS_PER_POINT + first, list->count - first};
  memory->hit_counts[body] = list->count;
}

int32_t pl_soft_list_pairs(pl_contact_memory *memory) {
  int32_t count = 0;
  for (int32_t body = 0; body < memory->body_count; ++body) {
    if (!memory->presences[body].is_searched) continue;
    for (int32_t i = 0; i < memory->axis_counts[body]; ++i) {
      int32_t axis = body * PL_PAIR_AXES + i;
      int32_t hits = memory->axis_hits[2 * axis].count + memory->axis_hits[2 * axis + 1].count;
      if (memory->axes[axis].is_soft && hits > 0)
        memory->soft_pairs[count++] = (pl_soft_pair){body, memory->axes[axis].other, axis, hits, -1};
    }
  }
  return count;
}

// --- rows

pl_soft_side pl_soft_side_of(const pl_contact_memory *memory, const pl_contact_pair *pair, int side) {
  int32_t first = pair->first_row + (side == 0 ? 0 : memory->axis_hits[2 * pair->axis].count);
  int32_t end = first + memory->axis_rows[2 * pair->axis + side];
  return side == 0 ? (pl_soft_side){pair->a, pair->b, first, end} : (pl_soft_side){pair->b, pair->a, first, end};
}

// What the rows of a side are built with.
typedef struct row_build {
  const pl_surface_tree *tree;  // of the other body
  const pl_contact_body *own, *other;
  pl_contact_scale scale;
  double step, gap;  // metres kept between the surfaces
  double friction, restitution;
  uint32_t partner;
} row_build;

static row_build begin_rows(const pl_soft_solution *s, const pl_soft_side *side) {
  const pl_contact_body *own = &s->bodies[side->own], *other = &s->bodies[side->other];
  row_build b = {.tree = s->memory->motions[side->other].tree,
                 .own = own,
                 .other = other,
                 .scale = pl_contact_scale_of(s->step),
                 .step = s->step->step,
                 .gap = own->radius + other->radius,
                 .friction = sqrt(own->friction * other->friction),
                 .restitution = pl_larger(own->restitution, other->restitution),
                 .partner = pl_contact_cache_partner(other)};
  const pl_contact_rule *rule = pl_contact_rules_find(s->rules, side->own, side->other);
  if (rule != NULL && rule->friction >= 0) b.friction = rule->friction;
  if (rule != NULL && rule->restitution >= 0) b.restitution = rule->restitution;
  return b;
}

// The velocities of a row that bounces; false if it does not.
static bool bounce(const row_build *b, double speed, double depth, double start_gap, pl_soft_row *row) {
  pl_contact_meeting meeting = {.step = b->step,
                                .speed = speed,
                                .depth = depth,
                                .start_gap = start_gap,
                                .restitution = b->restitution,
                                .min_speed = b->scale.speed};
  if (!(pl_contact_meeting_approach(&meeting) > meeting.min_speed)) return false;
  double start_approach = HUGE_VAL, arrive, leave;
  if (b->own->start_velocities != NULL && b->other->start_velocities != NULL)
    start_approach = -pl_vec3_dot(pl_vec3_of_floats(row->normal),
                                  pl_soft_gap(row, b->own->start_velocities, b->other->start_velocities));
  if (!pl_contact_meeting_bounce(&meeting, start_approach, &arrive, &leave)) return false;
  row->arrive = (float)arrive;
  row->leave = (float)leave;
  return true;
}

static void set_floats(float to[3], pl_vec3 a) {
  to[0] = (float)a.x, to[1] = (float)a.y, to[2] = (float)a.z;
}

// The velocities that a row asks for, and the impulse of the last step.
static void start_row(const row_build *b, const pl_soft_note *note, pl_vec3 normal, pl_soft_row *row) {
  double depth = (double)note->depth;
  double start_gap = pl_vec3_dot(normal, pl_soft_gap(row, b->own->starts, b->other->starts)) - b->gap;
  double speed = pl_vec3_dot(normal, pl_soft_gap(row, b->own->velocities, b->other->velocities));
  row->arrive = row->leave = (float)pl_smaller(speed + depth / b->step, 0);
  if (-speed > b->scale.speed && bounce(b, speed, depth, start_gap, row)) return;
  double overlap = -start_gap - b->scale.slop;
  if (overlap > 0) row->arrive = (float)pl_contact_push_speed(overlap);
  pl_vec3 last = pl_contact_cache_find_point(b->own, note->point, b->partner);
  double along = pl_vec3_dot(last, normal), pressed = pl_larger(along, 0);
  pl_vec3 sliding = pl_vec3_add_scaled(last, normal, -along);
  double square = pl_vec3_dot(sliding, sliding), limit = b->friction * pressed;
  if (square > limit * limit) sliding = pl_vec3_scale(sliding, limit / sqrt(square));
  row->normal_impulse = (float)pressed;
  set_floats(row->sliding_impulse, sliding);
}

// False if there is nothing to resolve.
static bool build_row(const row_build *b, const pl_soft_hit *hit, pl_soft_row *row, pl_soft_note *note) {
  pl_contact_place place = pl_contact_spot_place(hit->spot);
  const pl_contact_surface *surface = b->other->surface;
  // The slots of another world may name what is not there.
  if (place.triangle >= surface->triangle_count) return false;
  const int32_t *corners = &surface->tet_map->triangle_particles[3 * (size_t)place.triangle];
  pl_vec3 normal = pl_contact_exit_normal(b->tree, b->other->positions, place.triangle, place.weights);
  if (pl_vec3_dot(normal, normal) < 0.5) return false;
  *row = (pl_soft_row){.friction = (float)b->friction,
                       .restitution = (float)b->restitution,
                       .weights = {(float)place.weights[0], (float)place.weights[1]},
                       .particles = {(uint16_t)b->own->surface->parents[4 * (size_t)hit->point], (uint16_t)corners[0],
                                     (uint16_t)corners[1], (uint16_t)corners[2]}};
  double gap = pl_vec3_dot(normal, pl_soft_gap(row, b->own->positions, b->other->positions)) - b->gap;
  if (!(gap < b->scale.margin)) return false;
  set_floats(row->normal, normal);
  *note = (pl_soft_note){.depth = (float)-gap, .point = hit->point, .spot = hit->spot};
  double answer = b->own->inverse_masses[row->particles[0]];
  for (int k = 0; k < 3; ++k) answer += place.weights[k] * place.weights[k] * b->other->inverse_masses[corners[k]];
  if (!(answer > 0)) return true;
  row->mass = (float)(1 / answer);
  start_row(b, note, normal, row);
  return true;
}

void pl_soft_build(const pl_soft_solution *s, const pl_contact_pair *pair) {
  pl_contact_memory *memory = s->memory;
  for (int k = 0; k < 2; ++k) {
    pl_pair_range hits = memory->axis_hits[2 * pair->axis + k];
    pl_soft_side side = pl_soft_side_of(memory, pair, k);
    row_build b = begin_rows(s, &side);
    int32_t row = side.first;
    for (int32_t i = hits.first; i < hits.first + hits.count; ++i) {
      if (!build_row(&b, &memory->hits[i], &memory->soft_rows[row], &memory->soft_notes[row])) continue;
      memory->soft_notes[row++].pair = (int32_t)(pair - memory->plan.pairs);
    }
    memory->axis_rows[2 * pair->axis + k] = row - side.first;
  }
}

// --- sweeps

// What an impulse acts on.
typedef struct side_velocities {
  pl_vec3 *own, *other;
  const double *own_masses, *other_masses;  // inverse, 1/kg
} side_velocities;

static side_velocities velocities_of(const pl_soft_solution *s, const pl_soft_side *side) {
  const pl_contact_body *own = &s->bodies[side->own], *other = &s->bodies[side->other];
  return (side_velocities){own->velocities, other->velocities, own->inverse_masses, other->inverse_masses};
}

// A row, and what it acts on, in double precision.
typedef struct open_row {
  pl_vec3 *velocities[4];
  double weights[4];  // of these in the velocity of the gap
  double pushes[4];   // 1/kg: what an impulse adds to them
  pl_vec3_parts normal;
} open_row;

static inline pl_vec3_parts parts_of(const float a[3]) {
  return (pl_vec3_parts){{(double)a[0], (double)a[1]}, (double)a[2]};
}

static inline open_row open(const side_velocities *v, const pl_soft_row *row) {
  const uint16_t *p = row->particles;
  double first = (double)row->weights[0], second = (double)row->weights[1], third = 1 - first - second;
  return (open_row){{&v->own[p[0]], &v->other[p[1]], &v->other[p[2]], &v->other[p[3]]},
                    {1, -first, -second, -third},
                    {v->own_masses[p[0]], -first * v->other_masses[p[1]], -second * v->other_masses[p[2]],
                     -third * v->other_masses[p[3]]},
                    parts_of(row->normal)};
}

static inline void push(const open_row *r, pl_vec3_parts impulse) {
  for (int k = 0; k < 4; ++k)
    pl_store_parts(r->velocities[k], pl_add_parts(pl_load_parts(r->velocities[k]), impulse, r->pushes[k]));
}

static inline pl_vec3_parts impulse_of(const pl_soft_row *row) {
  return pl_add_parts(parts_of(row->sliding_impulse), parts_of(row->normal), (double)row->normal_impulse);
}

// As sweep_particles() in contact_resolve.c. What is added to velocities is the change of the impulse as it is stored.
static inline void sweep_row(const side_velocities *v, pl_soft_row *row, bool corrects) {
  open_row r = open(v, row);
  pl_vec3_parts velocity = pl_load_parts(r.velocities[0]);
  for (int k = 1; k < 4; ++k) velocity = pl_add_parts(velocity, pl_load_parts(r.velocities[k]), r.weights[k]);
  double speed = pl_dot_parts(r.normal, velocity), mass = (double)row->mass, pressed = (double)row->normal_impulse;
  double target = (double)(corrects ? row->arrive : row->leave);
  float normal_impulse = (float)pl_larger(pressed + (target - speed) * mass, 0);
  double change = (double)normal_impulse - pressed;
  if (normal_impulse == 0.0f && change == 0) return;
  row->normal_impulse = normal_impulse;
  pl_vec3_parts before = parts_of(row->sliding_impulse), sliding = pl_add_parts(velocity, r.normal, -speed);
  pl_vec3_parts wanted = pl_add_parts(before, sliding, -mass);
  double square = pl_dot_parts(wanted, wanted), limit = (double)row->friction * (double)normal_impulse;
  if (square > limit * limit) {
    double scale = limit / sqrt(square);
    wanted = (pl_vec3_parts){wanted.xy * scale, wanted.z * scale};
  }
  for (int k = 0; k < 2; ++k) row->sliding_impulse[k] = (float)wanted.xy[k];
  row->sliding_impulse[2] = (float)wanted.z;
  push(&r, pl_add_parts(pl_sub_parts(parts_of(row->sliding_impulse), before), r.normal, change));
}

void pl_soft_start(const pl_soft_solution *s, const pl_contact_pair *pair) {
  for (int k = 0; k < 2; ++k) {
    pl_soft_side side = pl_soft_side_of(s->memory, pair, k);
    side_velocities v = velocities_of(s, &side);
    for (int32_t i = side.first; i < side.end; ++i) {
      const pl_soft_row *row = &s->memory->soft_rows[i];
      if (!(row->normal_impulse > 0)) continue;
      open_row r = open(&v, row);
      push(&r, impulse_of(row));
    }
  }
}

void pl_soft_sweep(const pl_soft_solution *s, const pl_contact_pair *pair, bool corrects, bool notes) {
  for (int k = 0; k < 2; ++k) {
    pl_soft_side side = pl_soft_side_of(s->memory, pair, k);
    side_velocities v = velocities_of(s, &side);
    for (int32_t i = side.first; i < side.end; ++i) {
      pl_soft_row *row = &s->memory->soft_rows[i];
      if (notes) set_floats(s->memory->soft_notes[i].arrive_impulse, pl_soft_impulse(row));
      if (row->mass > 0) sweep_row(&v, row, corrects);
    }
  }
}

// --- after the sweeps

void pl_soft_store(const pl_soft_solution *s, const pl_contact_pair *pair) {
  for (int k = 0; k < 2; ++k) {
    pl_soft_side side = pl_soft_side_of(s->memory, pair, k);
    const pl_contact_body *own = &s->bodies[side.own];
    uint32_t partner = pl_contact_cache_partner(&s->bodies[side.other]);
    for (int32_t i = side.first; i < side.end; ++i) {
      const pl_soft_row *row = &s->memory->soft_rows[i];
      const pl_soft_note *note = &s->memory->soft_notes[i];
      // A place that the next step may use is kept without an impulse too.
      bool is_kept = pl_contact_spot_get_uses(note->spot) > 0;
      if (!(row->normal_impulse > 0) && !is_kept) continue;
      pl_contact_impulse kept = {partner, note->spot, {0, 0, 0}};
      if (row->normal_impulse > 0) set_floats(kept.impulse, pl_soft_impulse(row));
      pl_contact_cache_store_point(own, note->point, &kept);
      if (own->has_impulses != NULL) *own->has_impulses = true;
    }
  }
}

int32_t pl_soft_list_rows(pl_contact_memory *memory) {
  int32_t count = 0;
  for (int32_t p = 0; p < memory->plan.pair_count; ++p)
    for (int k = 0; k < 2 && memory->plan.pairs[p].axis >= 0; ++k) {
      pl_soft_side side = pl_soft_side_of(memory, &memory->plan.pairs[p], k);
      for (int32_t i = side.first; i < side.end; ++i) memory->listed_rows[count++] = i;
    }
  return count;
}

pl_contact pl_soft_contact(const pl_contact_memory *memory, int32_t number) {
  int32_t index = memory->listed_rows[number];
  const pl_soft_row *row = &memory->soft_rows[index];
  const pl_soft_note *note = &memory->soft_notes[index];
  const pl_contact_pair *pair = &memory->plan.pairs[note->pair];
  pl_soft_side side = pl_soft_side_of(memory, pair, 0);
  if (index >= side.end) side = pl_soft_side_of(memory, pair, 1);
  pl_contact_place place = pl_contact_spot_place(note->spot);
  const int32_t *corners = &memory->motions[side.other].tree->surface->triangles[3 * (size_t)place.triangle];
  return (pl_contact){.a = {side.own, 1, {note->point}, {1}},
                      .b = {side.other,
                            3,
                            {corners[0], corners[1], corners[2]},
                            {place.weights[0], place.weights[1], place.weights[2]}},
                      .collider = -1,
                      .normal = pl_vec3_of_floats(row->normal),
                      .depth = (double)note->depth,
                      .friction = (double)row->friction,
                      .restitution = (double)row->restitution};
}
