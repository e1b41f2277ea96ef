// Surfaces that would pass through each other in spite of their contacts.
//
// Sweeps are few, normals are those of one moment, and not every edge is searched: now and then two surfaces that were
// apart at the start of a step cross at its end. After resolution edges that pass through triangles are looked for,
//
// 1 and separated by the shortest way (contact_crossing.c), in a few rounds, since one may lead into the next;
// 2 where that does not do, all particles of what crosses form a zone, which moves in this step as one rigid piece from
//   where it was at the start: within it nothing has crossed (Provot 1997; Bridson, Fedkiw and Anderson 2002). Zones
//   that meet become one (contact_zone_motion.c). Edges between a zone and the rest may cross then, so this too is
//   repeated;
// 3 then zones with particles that colliders keep out do not go deeper into these;
// 4 at last zones take in whole bodies, and stay where they were on the colliders that keep them out. Where everything
//   is in one zone nothing has changed since the start.
//
// Before each look the world puts points back that are too deep in a collider: put back later they would cross others.
// Rigid bodies that were separated from others are put back as a whole.
//
// A pair that crosses at the start of a step is left to its contacts. What lies on a collider is pressed together then,
// cubes of 20 cm by 8 cm. So what a step leaves there must not be found by the next one: it looks with a larger
// tolerance, and passes over edges that are through a surface by next to nothing. In flight bodies come apart by
// themselves; zones in every step would hold them together, and what they hand over is not reported.
//
// Not looked at: pairs that crossed at the start already, which contacts push apart; kinematic surfaces; and, in a heap
// of small soft bodies, pairs whose points are looked up in tets, unless all their edges are to be searched
// (`all_edges`): to part these takes several times as long as all else. Their points are put back (contact_settle.c).
//
// Cost: edges times triangles where two bodies overlap, once for all pairs (contact_zone_search.c); then for those that
// cross, and where something moved. All threads look; what crosses is separated one after the other.
#include "contact/contact_zones.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/parallel.h"
#include "contact/contact_detect.h"
#include "contact/contact_intersect.h"
#include "contact/pair_lanes.h"
#include "pliant/math.h"

// Edges may be this many automatic contact thicknesses (1/2000 of a body's size) through a surface, those of the two
// bodies: some that are nearly flat are no contacts, and dented faces cross that far at rest.
static const double TOLERANCE = 2, THICKNESS = 1.0 / 2000;
// Rounds in which what crosses is separated; in which zones are formed of it; of it and the colliders that it presses
// on; and of whole bodies and these.
enum { PART_ROUNDS = 6, FREE_ROUNDS = PART_ROUNDS + 6, ZONE_ROUNDS = FREE_ROUNDS + 8, ROUNDS = ZONE_ROUNDS + 6 };
// Surfaces whose gap is overlapped by less than this many slops lie on each other.
static const double SLOPS = 2;
// Both are larger by this fraction of them at the start of a step, and no way apart is too short to be found there.
static const double START_SLACK = 0.05;

bool pl_zone_workspace_take(pl_arena *arena, const pl_surface_motion *motion, pl_zone_workspace **result) {
  *result = NULL;
  if (motion->lane_block_count > 0 || motion->tree->surface->triangle_count == 0) return true;
  pl_zone_workspace *workspace = PL_TAKE(arena, pl_zone_workspace, 1);
  if (workspace == NULL) return false;
  workspace->records = PL_TAKE(arena, pl_zone_record, PL_ZONE_RECORDS);
  for (int k = 0; k < 2; ++k)
    if (!pl_lane_shape_take(arena, motion->tree, &workspace->shapes[k])) return false;
  *result = workspace;
  return !arena->failed;
}

bool pl_contact_zones_take(pl_contact_memory *memory) {
  pl_contact_zones *z = &memory->zones;
  pl_arena *arena = &memory->arena;
  int64_t body_count = memory->size.body_count, particle_count = memory->size.particle_count;
  z->parents = PL_TAKE_RAW(arena, int32_t, particle_count + body_count);
  z->members = PL_TAKE_RAW(arena, int32_t, particle_count + body_count);
  z->is_supported = PL_TAKE(arena, bool, body_count);
  z->is_changed = PL_TAKE(arena, bool, body_count);
  z->was_changed = PL_TAKE(arena, bool, body_count);
  z->tolerances = PL_TAKE(arena, double, body_count);
  z->spins = PL_TAKE(arena, pl_vec3, body_count);
  z->holds = PL_TAKE_RAW(arena, pl_contact_hold, particle_count + body_count);
  z->is_moved = PL_TAKE(arena, bool, memory->size.point_count);
  z->moved_boxes = PL_TAKE(arena, pl_box, body_count);
  z->changes = PL_TAKE(arena, int32_t, body_count);
  z->pairs = PL_TAKE_RAW(arena, pl_zone_pair, body_count * PL_ZONE_PAIRS);
  z->pair_counts = PL_TAKE(arena, int32_t, body_count);
  z->records = PL_TAKE(arena, pl_zone_record *, body_count);
  z->placings = PL_TAKE(arena, int32_t, body_count);
  z->moved_since = PL_TAKE(arena, int32_t, body_count);
  z->shapes = PL_TAKE(arena, pl_lane_shape, 2 * body_count);
  z->has_shapes = PL_TAKE(arena, atomic_bool, 2 * body_count);
  return !arena->failed;
}

// What is remembered of a large body is of the bodies before.
static void begin_workspace(pl_contact_zones *z, const pl_surface_motion *motion, int32_t body) {
  pl_zone_workspace *workspace = motion->zone_workspace;
  if (workspace == NULL) return;
  for (int k = 0; k < 2; ++k) z->shapes[2 * body + k] = workspace->shapes[k];
  z->records[body] = workspace->records;
  for (int32_t k = 0; k < PL_ZONE_RECORDS; ++k) {
    pl_zone_record *record = &workspace->records[k];
    record->other = 0;
    record->is_used = record->is_known = false;
    for (int i = 0; i < 3; ++i) record->normal[i] = 0;
  }
}

void pl_contact_zones_begin(pl_contact_memory *memory) {
  pl_contact_zones *z = &memory->zones;
  int32_t body_count = memory->body_count, member_count = memory->particle_start[body_count] + body_count;
  for (int32_t i = 0; i < member_count; ++i) z->parents[i] = -1;
  z->has_small = false;
  for (int32_t b = 0; b < body_count; ++b) {
    begin_workspace(z, &memory->motions[b], b);
    z->has_small = z->has_small || pl_contact_is_small(memory, b);
    // The root of the hierarchy is the box around the shape it was built for.
    const pl_box_tree *tree = &memory->motions[b].tree->boxes;
    if (tree->node_count > 0) z->tolerances[b] = TOLERANCE * THICKNESS * pl_box_diagonal(tree->nodes[0].box);
  }
}

enum { BODY_GRAIN = 2 };

// What a search for crossings knows.
typedef struct zone_search {
  pl_contact_detection detection;
  pl_contact_memory *memory;
  pl_contact_body *bodies;
  const pl_contact_exchange *exchange;
  bool spares_tets;   // pairs whose points are looked up in tets are not watched
  bool is_first;      // nothing was separated yet
  bool parts;         // what crosses is separated, it becomes no zone
  bool joins_bodies;  // whole bodies become zones, not only what crosses
} zone_search;

// --- surfaces after resolution

// The box around the triangles with a point that moved.
static pl_box moved_box_of(const pl_surface_motion *motion, const bool *is_moved) {
  const pl_contact_surface *surface = motion->tree->surface;
  pl_box box = pl_box_empty();
  for (int32_t t = 0; t < surface->triangle_count; ++t) {
    const int32_t *c = &surface->triangles[3 * t];
    if (!is_moved[c[0]] && !is_moved[c[1]] && !is_moved[c[2]]) continue;
    for (int k = 0; k < 3; ++k) pl_box_cover(&box, motion->ends[c[k]]);
  }
  return box;
}

// What colliders keep out of a body: its particles, or all of a rigid one.
static pl_contact_hold *holds_of(const pl_contact_memory *memory, const pl_contact_body *bodies, int32_t index) {
  bool is_rigid = bodies[index].rigid != NULL;
  return &memory->zones
              .holds[is_rigid ? memory->particle_start[memory->body_count] + index : memory->particle_start[index]];
}

// The points of a body: particles are where resolution put them, and outside of colliders; those of a rigid body turn
// with it.
static void place_body(const zone_search *s, int32_t index) {
  pl_contact_memory *memory = s->memory;
  pl_surface_motion *motion = &memory->motions[index];
  pl_contact_body *body = &s->bodies[index];
  if (body->asleep || !memory->presences[index].is_placed) return;
  // Sweeps keep rigid bodies out of colliders; what is separated from others may be pushed into one.
  bool is_kept_out = s->exchange != NULL && (body->rigid == NULL || !s->is_first);
  if (is_kept_out && s->exchange->keep_out(s->exchange->data, index, holds_of(memory, s->bodies, index)))
    body->moved = true;
  pl_contact_need_points(&s->detection, index);
  pl_quat turn = pl_quat_identity();
  pl_vec3 was = {0, 0, 0};
  if (body->rigid != NULL) {
    was = memory->move_rigids[index].center;
    turn = pl_quat_multiply(body->rigid->rotation, pl_quat_conjugate(memory->move_rigids[index].rotation));
  }
  bool *is_moved = &memory->zones.is_moved[memory->point_start[index]], any_moved = false;
  motion->end_box = pl_box_empty();
  for (int32_t i = 0; i < body->surface->point_count; ++i) {
    pl_vec3 point = pl_contact_surface_point(body->surface, i, body->positions);
    if (body->rigid != NULL) point = pl_vec3_add(body->rigid->center, pl_quat_rotate(turn, pl_vec3_sub(point, was)));
    pl_vec3 was_at = motion->ends[i];
    is_moved[i] = !(point.x == was_at.x && point.y == was_at.y && point.z == was_at.z);
    any_moved = any_moved || is_moved[i];
    motion->ends[i] = point;
    pl_box_cover(&motion->end_box, point);
  }
  if (any_moved) {
    memory->zones.changes[index]++;
    memory->zones.moved_since[index] = memory->zones.placings[index]++;
    atomic_store_explicit(&memory->zones.has_shapes[2 * index], false, memory_order_relaxed);
  }
  if (any_moved && memory->presences[index].has_normals && (memory->zones.has_small || body->self_contact))
    pl_surface_motion_refit_boxes(motion);
  memory->item_boxes[index] = motion->end_box;
}

// Nothing of a body moved since the last look.
static void clear_moved(const zone_search *s, int32_t index) {
  pl_contact_zones *z = &s->memory->zones;
  memset(&z->is_moved[s->memory->point_start[index]], 0, (size_t)s->bodies[index].surface->point_count);
  z->moved_boxes[index] = pl_box_empty();
  z->moved_since[index] = z->placings[index];
}

static void place_bodies(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const zone_search *s = data;
  pl_contact_zones *z = &s->memory->zones;
  for (int32_t i = begin; i < end; ++i) {
    // Poses of rigid bodies that touch nothing were not noted.
    if (s->bodies[i].rigid != NULL && s->memory->plan.island_of[i] < 0) s->memory->move_rigids[i] = *s->bodies[i].rigid;
    z->changes[i] = z->placings[i] = 0;
    for (int32_t k = 0; k < PL_ZONE_RECORDS && z->records[i] != NULL; ++k) z->records[i][k].is_used = false;
    for (int32_t k = 2 * i; k < 2 * i + 2; ++k) atomic_store_explicit(&z->has_shapes[k], false, memory_order_relaxed);
    int32_t count = s->bodies[i].rigid != NULL ? 1 : s->memory->particle_start[i + 1] - s->memory->particle_start[i];
    memset(holds_of(s->memory, s->bodies, i), 0, (size_t)count * sizeof(pl_contact_hold));
    place_body(s, i);
    clear_moved(s, i);
  }
}

// --- search

// Does a body touch a collider, or something that does?
static bool is_supported(const pl_contact_memory *memory, int32_t body) {
  int32_t island = memory->plan.island_of[body];
  return island >= 0 && memory->zones.is_supported[island];
}

static void find_supported(pl_contact_memory *memory) {
  const pl_contact_plan *plan = &memory->plan;
  memset(memory->zones.is_supported, 0, (size_t)memory->body_count * sizeof(bool));
  for (int32_t p = 0; p < plan->pair_count; ++p)
    if (plan->pairs[p].joint < 0 && plan->pairs[p].b < 0 && plan->island_of[plan->pairs[p].a] >= 0)
      memory->zones.is_supported[plan->island_of[plan->pairs[p].a]] = true;
}

// A look at two bodies, or at one.
static pl_zone_check check_of(const zone_search *search, int32_t a, int32_t b, bool at_start) {
  const pl_contact_zones *z = &search->memory->zones;
  double tolerance = fmin(z->tolerances[a], z->tolerances[b]);
  // Contacts that overlap by less than the slop are left alone.
  double shallow = SLOPS * search->detection.scale.slop - search->bodies[a].radius - search->bodies[b].radius;
  bool is_pressed = is_supported(search->memory, a) || is_supported(search->memory, b);
  if (is_pressed) shallow = fmin(shallow, tolerance);
  pl_zone_check check = {.memory = search->memory,
                         .bodies = search->bodies,
                         .a = a,
                         .b = b,
                         .at_start = at_start,
                         .is_supported = is_pressed,
                         .tolerance = tolerance,
                         .shallow = is_pressed ? fmax(shallow, START_SLACK * tolerance) : shallow};
  if (!is_pressed || at_start) return check;
  // What is left at the end of a step must not be found at the start of the next, where it is rounded.
  check.old_tolerance = tolerance;
  check.old_shallow = check.shallow;
  check.spares_old = !search->parts;
  check.tolerance = (1 - START_SLACK) * tolerance;
  check.shallow = shallow - START_SLACK * fabs(shallow);
  return check;
}

// Do two bodies cross where they were placed last? `only_moved`: they did not before.
static bool is_crossing(const zone_search *s, int32_t a, int32_t b, bool only_moved) {
  pl_zone_check check = check_of(s, a, b, false);
  check.only_moved = only_moved;
  return pl_zone_check_run(&check);
}

// Put a pair that crosses on the list of the first body; NULL where there is no space for it.
static pl_zone_pair *add_pair(const zone_search *s, int32_t a, int32_t b) {
  pl_contact_zones *z = &s->memory->zones;
  if (z->pair_counts[a] == PL_ZONE_PAIRS) return NULL;
  pl_zone_check start = check_of(s, a, b, true);
  pl_zone_pair *pair = &z->pairs[(size_t)a * PL_ZONE_PAIRS + (size_t)z->pair_counts[a]++];
  *pair = (pl_zone_pair){.other = b, .is_old = pl_zone_check_run(&start), .turn = -1};
  return pair;
}

static pl_zone_pair *get_pair(const pl_contact_zones *z, int32_t a, int32_t b) {
  pl_zone_pair *pairs = &z->pairs[(size_t)a * PL_ZONE_PAIRS];
  for (int32_t i = 0; i < z->pair_counts[a]; ++i)
    if (pairs[i].other == b) return &pairs[i];
  return NULL;
}

static bool is_watched(const zone_search *s, int32_t a, int32_t b) {
  const pl_contact_body *p = &s->bodies[a], *q = &s->bodies[b];
  const pl_contact_presence *presences = s->memory->presences;
  const pl_surface_motion *motion = &s->memory->motions[a];
  if (p->is_kinematic || q->is_kinematic || !presences[a].is_placed || !presences[b].is_placed) return false;
  if (a == b) return p->self_contact && !p->asleep && s->memory->presences[a].has_normals;
  if (s->spares_tets && pl_contact_is_in_tets(s->memory, a, b) && !(p->all_edges && q->all_edges)) return false;
  return pl_contact_may_touch(&s->detection, a, motion->end_box, motion->end_box, b);
}

// The first look at two bodies. Pairs that cross have their turn in this order.
static void check_first(const zone_search *s, int32_t a, int32_t b, int32_t *turn) {
  if (!is_watched(s, a, b) || !is_crossing(s, a, b, false)) return;
  pl_zone_pair *pair = add_pair(s, a, b);
  if (pair != NULL && !pair->is_old) pair->turn = (*turn)++;
}

// The pairs of a body with those of higher number, or with itself, that cross.
static void find_pairs(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const zone_search *s = data;
  for (int32_t a = begin; a < end; ++a) {
    int32_t turn = 0;
    s->memory->zones.pair_counts[a] = 0;
    check_first(s, a, a, &turn);
    pl_broad_walk walk = pl_broad_phase_begin(&s->memory->broad, s->memory->item_boxes[a]);
    for (int32_t b; (b = pl_broad_phase_next(&walk)) >= 0;)
      if (b > a) check_first(s, a, b, &turn);
  }
}

// What is done with all that crosses.
typedef struct zone_join {
  const zone_search *search;
  bool any_moved;  // something was separated
} zone_join;

static void join_crossing(void *data, const pl_zone_crossing *x) {
  zone_join *join = data;
  pl_contact_memory *memory = join->search->memory;
  pl_contact_body *bodies = join->search->bodies;
  if (join->search->parts) {
    if (!pl_contact_part_crossing(memory, bodies, x)) return;
    memory->zones.changes[x->a]++;
    memory->zones.changes[x->b]++;
    join->any_moved = true;
    return;
  }
  if (join->search->joins_bodies) {
    pl_zone_join_body(memory, bodies, x->b, pl_zone_join_body(memory, bodies, x->a, -1));
    return;
  }
  int32_t last = -1;
  for (int k = 0; k < 2; ++k) last = pl_zone_join_point(memory, bodies, x->a, x->edge->points[k], last);
  const int32_t *corners = &memory->motions[x->b].tree->surface->triangles[3 * x->triangle];
  for (int k = 0; k < 3; ++k) last = pl_zone_join_point(memory, bodies, x->b, corners[k], last);
}

// Has nothing of a pair changed since a look at which nothing of it could be separated?
static bool is_still_stuck(const zone_search *s, int32_t a, const pl_zone_pair *pair) {
  const int32_t *changes = s->memory->zones.changes;
  return s->parts && pair->is_stuck && changes[a] == pair->changes[0] && changes[pair->other] == pair->changes[1];
}

// Separate what crosses, or make zones of it. Returns whether anything does.
static bool join_pair(const zone_search *s, int32_t a, pl_zone_pair *pair) {
  pl_contact_zones *z = &s->memory->zones;
  int32_t b = pair->other;
  zone_join join = {.search = s};
  bool any = is_still_stuck(s, a, pair);
  if (!any) {
    pl_zone_check check = check_of(s, a, b, false);
    check.only_moved = pair->is_clean;
    check.visit = join_crossing;
    check.data = &join;
    any = pl_zone_check_run(&check);
  }
  pair->is_clean = !any;
  pair->is_stuck = any && !join.any_moved;
  pair->changes[0] = z->changes[a], pair->changes[1] = z->changes[b];
  if (any && s->parts) z->is_changed[a] = z->is_changed[b] = true;
  return any;
}

// Is any point that moved near the other body?
static bool may_have_met(const zone_search *s, int32_t a, int32_t b) {
  const pl_box *moved = s->memory->zones.moved_boxes;
  const pl_surface_motion *motions = s->memory->motions;
  return a == b || pl_box_overlaps(moved[a], motions[b].end_box) || pl_box_overlaps(moved[b], motions[a].end_box);
}

// Another look at two bodies of which one has changed, and which may not have crossed before. What a look reads does
// not change before all bodies are placed again, so it may be taken before the turns of other pairs.
static void check_again(const zone_search *s, int32_t a, int32_t b, int32_t *turn) {
  if (!is_watched(s, a, b)) return;
  pl_zone_pair *pair = get_pair(&s->memory->zones, a, b);
  if (pair == NULL) {
    if (may_have_met(s, a, b) && is_crossing(s, a, b, true)) pair = add_pair(s, a, b);
    if (pair == NULL || pair->is_old) return;
  } else if (pair->is_old) {
    return;
  } else if (!is_still_stuck(s, a, pair) && !is_crossing(s, a, b, pair->is_clean)) {
    pair->is_clean = true;
    pair->is_stuck = false;
    return;
  }
  pair->turn = (*turn)++;
}

static void check_changed(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const zone_search *s = data;
  pl_contact_memory *memory = s->memory;
  pl_contact_zones *z = &memory->zones;
  for (int32_t a = begin; a < end; ++a) {
    int32_t turn = 0;
    for (int32_t i = 0; i < z->pair_counts[a]; ++i) z->pairs[(size_t)a * PL_ZONE_PAIRS + (size_t)i].turn = -1;
    if (z->was_changed[a]) check_again(s, a, a, &turn);
    pl_broad_walk walk = pl_broad_phase_begin(&memory->broad, memory->item_boxes[a]);
    for (int32_t b; (b = pl_broad_phase_next(&walk)) >= 0;)
      if (b > a && (z->was_changed[a] || z->was_changed[b])) check_again(s, a, b, &turn);
  }
}

static pl_zone_pair *find_turn(const pl_contact_zones *z, int32_t a, int32_t turn) {
  pl_zone_pair *pairs = &z->pairs[(size_t)a * PL_ZONE_PAIRS];
  for (int32_t i = 0; i < z->pair_counts[a]; ++i)
    if (pairs[i].turn == turn) return &pairs[i];
  return NULL;
}

// Zones of what crosses and did not at the start. Returns whether there is any.
static bool form_zones(zone_search *s, pl_context *context, int round) {
  pl_contact_memory *memory = s->memory;
  pl_contact_zones *z = &memory->zones;
  bool any = false;
  s->parts = round < PART_ROUNDS;
  s->joins_bodies = round >= ZONE_ROUNDS;
  z->support = s->joins_bodies ? PL_ZONE_HELD : round >= FREE_ROUNDS ? PL_ZONE_SUPPORTED : PL_ZONE_FREE;
  if (round > 0) pl_parallel_for(context, memory->body_count, BODY_GRAIN, check_changed, s);
  // One after the other: what is separated changes what the next one finds.
  for (int32_t a = 0; a < memory->body_count; ++a) {
    pl_zone_pair *pair;
    for (int32_t turn = 0; (pair = find_turn(z, a, turn)) != NULL; ++turn) any = join_pair(s, a, pair) || any;
  }
  return any;
}

// Is there anything to look at? In a heap of small soft bodies there are only those pairs that move fast, and touch.
static bool is_any_watched(const zone_search *s) {
  const pl_contact_plan *plan = &s->memory->plan;
  bool any = false;
  for (int32_t b = 0; b < s->memory->body_count && !any; ++b) {
    bool has_edges = s->bodies[b].all_edges && s->memory->presences[b].is_near_body;
    any = !s->bodies[b].asleep && (!s->spares_tets || has_edges || s->bodies[b].self_contact);
  }
  for (int32_t p = 0; p < plan->pair_count && !any; ++p) {
    const pl_contact_pair *pair = &plan->pairs[p];
    // Points of pairs of compact rows were looked up in tets, and no body above has all edges.
    bool is_spared = s->spares_tets && pair->axis >= 0;
    any = !is_spared && pair->joint < 0 && pair->b >= 0 && is_watched(s, pair->a, pair->b);
  }
  return any;
}

typedef struct zone_placing {
  const zone_search *search;
  atomic_bool any_moved;
} zone_placing;

// Place the bodies that a round changed.
static void place_changed(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  zone_placing *placing = data;
  const zone_search *s = placing->search;
  pl_contact_zones *z = &s->memory->zones;
  for (int32_t b = begin; b < end; ++b) {
    int32_t changes = z->changes[b];
    if (z->is_changed[b] || z->was_changed[b]) clear_moved(s, b);
    if (z->is_changed[b]) place_body(s, b);
    if (z->changes[b] == changes) continue;
    z->moved_boxes[b] = moved_box_of(&s->memory->motions[b], &z->is_moved[s->memory->point_start[b]]);
    atomic_store_explicit(&placing->any_moved, true, memory_order_relaxed);
  }
}

void pl_contact_keep_apart(pl_contact_solver *solver, pl_contact_body *bodies, const pl_contact_step *step,
                           bool spares_tets) {
  pl_contact_memory *memory = &solver->memory;
  pl_contact_zones *z = &memory->zones;
  zone_search s = {.detection = {.memory = memory,
                                 .bodies = bodies,
                                 .pairs = &solver->pairs,
                                 .step = step->step,
                                 .scale = pl_contact_scale_of(step)},
                   .memory = memory,
                   .bodies = bodies,
                   .exchange = step->exchange,
                   .spares_tets = spares_tets,
                   .is_first = true,
                   .parts = true};
  if (!is_any_watched(&s)) return;
  find_supported(memory);
  pl_parallel_for(solver->context, memory->body_count, BODY_GRAIN, place_bodies, &s);
  pl_broad_phase_build(&memory->broad, memory->item_boxes, memory->body_count);
  pl_parallel_for(solver->context, memory->body_count, BODY_GRAIN, find_pairs, &s);
  s.is_first = false;
  z->step = step->step;
  z->member_count = 0;
  memset(z->is_changed, 0, (size_t)memory->body_count * sizeof *z->is_changed);
  for (int round = 0; round < ROUNDS; ++round) {
    memcpy(z->was_changed, z->is_changed, (size_t)memory->body_count * sizeof *z->is_changed);
    memset(z->is_changed, 0, (size_t)memory->body_count * sizeof *z->is_changed);
    if (!form_zones(&s, solver->context, round)) break;
    for (int32_t i = 0; i < z->member_count; ++i)
      if (z->parents[z->members[i]] == z->members[i]) pl_zone_move(memory, bodies, z->members[i]);
    zone_placing placing = {.search = &s};
    pl_parallel_for(solver->context, memory->body_count, BODY_GRAIN, place_changed, &placing);
    // Where nothing could be separated, the next round would not either.
    if (!atomic_load_explicit(&placing.any_moved, memory_order_relaxed) && s.parts) round = PART_ROUNDS - 1;
    pl_broad_phase_build(&memory->broad, memory->item_boxes, memory->body_count);
  }
  for (int32_t i = 0; i < z->member_count; ++i) z->parents[z->members[i]] = -1;
  pl_contact_take_back_spins(memory, bodies);
}
