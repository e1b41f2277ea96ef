// Bodies of lines (rods) among other bodies.
//
// A rod keeps its lengths and stays out of things in one loop of its own, so contact must be part of that loop. Before
// it moves, each half of each segment is compared with the triangles of other bodies and with other segments around it.
// Where the two could meet within the step, the plane through the nearest points, across their distance, separates
// them: convex things that stay on their sides of it do not meet. The rod gets these planes as obstacles
// (body_method.h). What the planes pushed comes back as forces on the bodies behind them, in the same step: rods move
// first, and implicit bodies take the forces into their solve.
//
//   n     from the nearest point q of the obstacle to p of the segment, at the start of the step
//   gap   n . (p - q) - radii, with p and q where their velocities take them
//
// Two segments share the gap by their masses; each has a plane of its own that does not move, and both are pushed by
// as much as they would push each other.
#include "world/world_segments.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "contact/contact_filter.h"
#include "math/mat3.h"
#include "mesh/simplex.h"
#include "pliant/math.h"
#include "world/world_joints.h"
#include "world/world_shown.h"

// Obstacles of one segment: the nearest remain.
enum { SLOTS = 12, HALVES = 2 };
// Overlap from before the step fades with this time constant, but no faster than at this speed, m/s.
static const double FADE_SECONDS = 0.04, FADE_SPEED = 0.5, SHALLOW = 0.5;
// Radii by which an end may be farther than another place and still be taken as the nearest.
static const double SLACK = 0.02;
// Segments of one body that are closer than this many radii at rest do not touch each other.
static const double REST_RADII = 1.5;
// The part of a segment next to a root that is inside something which is spared: hair grows out of heads.
static const double ROOT_FRACTION = 1.0 / 3;
// A sleeper wakes when a rod would change its speed by more than this, m/s, and less keeps nothing awake.
static const double WAKE_SPEED = 0.05;

typedef struct line {
  int32_t body, segment;  // of the world, of the body
  int32_t particles[2];
  pl_vec3 starts[2], ends[2];
  double radii[2], inverse_masses[2];
  pl_box box;  // of both, with radii
} line;

// An obstacle, and what is behind it.
typedef struct found {
  pl_body_obstacle obstacle;
  double gap;
  int32_t body;      // behind it
  int32_t triangle;  // of that body; -1: it is another segment
  double weights[3];
} found;

typedef struct search {
  pl_world *world;
  double step;
  int32_t line_count;
  line *lines;
  found *found;  // SLOTS per line
  int32_t *counts;
  // While one line is compared with one body:
  const line *line;
  const pl_body *other;
  const pl_body_shown *shown;
  const pl_vec3 *velocities;
  int32_t other_index;
  double friction;
} search;

static void keep(search *s, const line *it, const found *next) {
  found *slots = &s->found[(size_t)(it - s->lines) * SLOTS];
  int32_t *count = &s->counts[it - s->lines];
  if (*count < SLOTS) {
    slots[(*count)++] = *next;
    return;
  }
  int32_t worst = 0;
  for (int32_t k = 1; k < SLOTS; ++k)
    if (slots[k].gap > slots[worst].gap) worst = k;
  if (next->gap < slots[worst].gap) slots[worst] = *next;
}

static pl_vec3 at(const pl_vec3 ends[2], double t) {
  return pl_vec3_lerp(ends[0], ends[1], t);
}

// What of an overlap from before the step remains at its end. Shallow ones go at once: a rod under tension is drawn in
// a little by every step.
static double faded(const search *s, double overlap, double radius) {
  overlap -= SHALLOW * radius;
  return overlap > 0 ? overlap - fmin(overlap * s->step / (FADE_SECONDS + s->step), FADE_SPEED * s->step) : 0;
}

// --- segments and segments -----------------------------------------------------------------------------------------

static double inverse_mass_at(const line *it, double t) {
  return (1 - t) * (1 - t) * it->inverse_masses[0] + t * t * it->inverse_masses[1];
}

static bool are_apart_at_rest(const pl_body_segments *segments, const line *a, const line *b) {
  pl_vec3 p[2], q[2];
  for (int k = 0; k < 2; ++k) {
    if (a->particles[k] == b->particles[0] || a->particles[k] == b->particles[1]) return false;
    p[k] = segments->rests[a->particles[k]];
    q[k] = segments->rests[b->particles[k]];
  }
  double s, t;
  pl_segments_nearest(p, q, &s, &t);
  double reach = (1 - s) * a->radii[0] + s * a->radii[1] + (1 - t) * b->radii[0] + t * b->radii[1];
  return pl_vec3_distance(at(p, s), at(q, t)) > REST_RADII * reach;
}

// Separate a place on one segment from a place on another.
static void add_pair(search *s, const line *a, double u, const line *b, double t, double friction) {
  pl_vec3 apart = pl_vec3_sub(at(a->starts, u), at(b->starts, t));
  double distance = pl_vec3_length(apart), wa = inverse_mass_at(a, u), wb = inverse_mass_at(b, t);
  if (!(distance > 0) || !(wa + wb > 0)) return;
  pl_vec3 n = pl_vec3_scale(apart, 1 / distance), pa = at(a->ends, u), pb = at(b->ends, t);
  double ra = (1 - u) * a->radii[0] + u * a->radii[1], rb = (1 - t) * b->radii[0] + t * b->radii[1];
  double gap = pl_vec3_dot(n, pl_vec3_sub(pa, pb)) - ra - rb + faded(s, ra + rb - distance, ra + rb);
  pl_vec3 way_a = pl_vec3_sub(pa, at(a->starts, u)), way_b = pl_vec3_sub(pb, at(b->starts, t));
  double way = pl_vec3_distance(way_a, way_b), part = wa / (wa + wb);
  if (gap > ra + rb + way) return;
  // Together they would go the way of their common centre.
  pl_vec3 common = pl_vec3_lerp(way_a, way_b, part);
  double plane_a = pl_vec3_dot(n, pa) - gap * part, plane_b = pl_vec3_dot(n, pb) + gap * (1 - part);
  found to_a = {.obstacle = {a->segment, u, n, plane_a, common, 0, friction, {0, 0, 0}},
                .gap = gap,
                .body = b->body,
                .triangle = -1};
  found to_b = {.obstacle = {b->segment, t, pl_vec3_scale(n, -1), -plane_b, common, 0, friction, {0, 0, 0}},
                .gap = gap,
                .body = a->body,
                .triangle = -1};
  keep(s, a, &to_a);
  keep(s, b, &to_b);
}

// Where an end of one segment, and not the middle, is nearest to the other.
static bool is_end_nearest(const line *it, int end, const line *other, double distance, double *t) {
  double weights[2];
  pl_vec3 q = pl_segment_nearest(other->starts[0], other->starts[1], it->starts[end], weights);
  *t = weights[1];
  return pl_vec3_distance(q, it->starts[end]) <= distance + SLACK * (it->radii[end] + other->radii[0]);
}

// Segments side by side touch with their ends, crossed ones where they cross.
static void compare_segments(search *s, const line *a, const line *b, double friction) {
  double u, t, end;
  pl_segments_nearest(a->starts, b->starts, &u, &t);
  double distance = pl_vec3_distance(at(a->starts, u), at(b->starts, t));
  bool any = false;
  for (int k = 0; k < 2; ++k) {
    if (is_end_nearest(a, k, b, distance, &end)) add_pair(s, a, k, b, end, friction), any = true;
    if (is_end_nearest(b, k, a, distance, &end)) add_pair(s, a, end, b, k, friction), any = true;
  }
  if (!any) add_pair(s, a, u, b, t, friction);
}

static int compare_boxes(const void *a, const void *b) {
  const line *p = *(const line *const *)a, *q = *(const line *const *)b;
  if (p->box.min.x != q->box.min.x) return p->box.min.x < q->box.min.x ? -1 : 1;
  return p < q ? -1 : 1;
}

static bool may_meet(const search *s, int32_t a, int32_t b, double *friction) {
  const pl_body *p = pl_slots_at(&s->world->bodies, a), *q = pl_slots_at(&s->world->bodies, b);
  if (!p->collides || !q->collides || !pl_contact_filter_meets(p->filter, q->filter)) return false;
  *friction = sqrt(p->model->friction * q->model->friction);
  return pl_world_pair_may_meet(s->world, a, b, friction);
}

// Whether two segments may meet at all: of different bodies, or of one that touches itself.
static bool has_pairs(const search *s) {
  for (int32_t i = 0; i < s->line_count; ++i) {
    const pl_body *body = pl_slots_at(&s->world->bodies, s->lines[i].body);
    if (s->lines[i].body != s->lines[0].body || body->model->self_contact) return true;
  }
  return false;
}

// Sweep and prune along x.
static bool compare_lines(search *s) {
  if (!has_pairs(s)) return true;
  const line **order = PL_SCRATCH(&s->world->scratch, const line *, s->line_count);
  if (order == NULL) return false;
  for (int32_t i = 0; i < s->line_count; ++i) order[i] = &s->lines[i];
  qsort(order, (size_t)s->line_count, sizeof *order, compare_boxes);
  for (int32_t i = 0; i < s->line_count; ++i)
    for (int32_t k = i + 1; k < s->line_count && order[k]->box.min.x <= order[i]->box.max.x; ++k) {
      const line *a = order[i] < order[k] ? order[i] : order[k], *b = order[i] < order[k] ? order[k] : order[i];
      if (a->box.max.y < b->box.min.y || b->box.max.y < a->box.min.y || a->box.max.z < b->box.min.z ||
          b->box.max.z < a->box.min.z)
        continue;
      double friction;
      if (!may_meet(s, a->body, b->body, &friction)) continue;
      if (a->body == b->body) {
        const pl_model *model = ((const pl_body *)pl_slots_at(&s->world->bodies, a->body))->model;
        pl_body_segments segments = model->method->get_segments(model);
        if (!model->self_contact || !are_apart_at_rest(&segments, a, b)) continue;
      }
      compare_segments(s, a, b, friction);
    }
  return true;
}

// --- segments and triangles ----------------------------------------------------------------------------------------

typedef struct nearest {
  double distance, t;
  pl_vec3 point;
  double weights[3];
} nearest;

static void take_nearest(nearest *best, const pl_vec3 corners[3], pl_vec3 p, double t, double slack) {
  nearest it = {.t = t};
  it.point = pl_triangle_nearest(corners[0], corners[1], corners[2], p, it.weights);
  it.distance = pl_vec3_distance(p, it.point);
  if (it.distance < best->distance - slack) *best = it;
}

// Nearest points of part of a segment and a triangle: at its ends, along the triangle's edges, or where it crosses.
// The first end wins where others are nearer by no more than `slack`: what lies flat lies on its ends.
static nearest nearest_on_triangle(const pl_vec3 part[2], const pl_vec3 corners[3], double slack) {
  nearest best = {.distance = HUGE_VAL};
  take_nearest(&best, corners, part[0], 0, 0);
  take_nearest(&best, corners, part[1], 1, slack);
  for (int k = 0; k < 3; ++k) {
    pl_vec3 edge[2] = {corners[k], corners[(k + 1) % 3]};
    double s, t;
    pl_segments_nearest(part, edge, &s, &t);
    take_nearest(&best, corners, at(part, s), s, slack);
  }
  pl_vec3 normal = pl_triangle_normal(corners[0], corners[1], corners[2]);
  double below = pl_vec3_dot(normal, pl_vec3_sub(part[0], corners[0])),
         above = pl_vec3_dot(normal, pl_vec3_sub(part[1], corners[0]));
  if (below * above < 0)
    take_nearest(&best, corners, at(part, below / (below - above)), below / (below - above), slack);
  return best;
}

// How a point of a triangle answers to a push along n.
static double inverse_mass_behind(const search *s, const int32_t *points, const double *weights, pl_vec3 place,
                                  pl_vec3 n) {
  const pl_body *body = s->other;
  const pl_contact_surface *surface = &body->model->surface;
  if (pl_body_sleeps(body)) return 0;
  if (body->model->method->get_rigid != NULL) {
    pl_contact_rigid rigid;
    body->model->method->get_rigid(body->model, body->state, &rigid);
    pl_vec3 turn = pl_vec3_cross(pl_vec3_sub(place, rigid.center), n);
    return rigid.inverse_mass + pl_vec3_dot(turn, pl_mat3_apply(rigid.inverse_inertia, turn));
  }
  double sum = 0;
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 4; ++j) {
      size_t i = 4 * (size_t)points[k] + (size_t)j;
      double w = weights[k] * (double)surface->weights[i];
      sum += w * w * body->inverse_masses[surface->parents[i]];
    }
  return sum;
}

static pl_vec3 velocity_behind(const search *s, const int32_t *points, const double *weights) {
  const pl_contact_surface *surface = &s->other->model->surface;
  pl_vec3 sum = {0, 0, 0};
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 4; ++j) {
      size_t i = 4 * (size_t)points[k] + (size_t)j;
      if (surface->weights[i] != 0.0f)
        sum = pl_vec3_add_scaled(sum, s->velocities[surface->parents[i]], weights[k] * (double)surface->weights[i]);
    }
  return sum;
}

static void compare_half(search *s, int32_t triangle, int half) {
  const line *it = s->line;
  const int32_t *points = s->other->model->surface.triangles + 3 * (ptrdiff_t)triangle;
  pl_vec3 corners[3];
  pl_moving_tree_corners(&s->shown->tree, triangle, corners);
  // From the end of the segment to its middle.
  double from = half, to = 0.5;
  if (half == 0 && it->inverse_masses[0] == 0) from = ROOT_FRACTION;
  pl_vec3 part[2] = {at(it->starts, from), at(it->starts, to)};
  nearest near = nearest_on_triangle(part, corners, SLACK * fmax(it->radii[0], it->radii[1]));
  double t = from + near.t * (to - from), radius = (1 - t) * it->radii[0] + t * it->radii[1];
  pl_vec3 way_behind = pl_vec3_scale(velocity_behind(s, points, near.weights), s->step);
  pl_vec3 start = at(it->starts, t), end = at(it->ends, t), way = pl_vec3_sub(end, start);
  double travel = pl_vec3_distance(way, way_behind);
  if (near.distance > radius + radius + travel) return;
  pl_vec3 outward = pl_triangle_normal(corners[0], corners[1], corners[2]);
  pl_vec3 apart = pl_vec3_sub(start, near.point), n = pl_vec3_normalize_or(apart, outward);
  double distance = near.distance;
  if (distance <= 1e-6 * radius) n = outward;
  if (pl_vec3_dot(n, outward) < 0 && pl_moving_tree_is_inside(&s->shown->tree, start)) {
    n = pl_vec3_scale(n, -1);
    distance = -distance;
  }
  pl_vec3 behind = pl_vec3_add(near.point, way_behind);
  double gap = pl_vec3_dot(n, pl_vec3_sub(end, behind)) - radius + faded(s, radius - distance, radius);
  if (gap > radius + travel) return;
  found next = {.obstacle = {.segment = it->segment,
                             .t = t,
                             .normal = n,
                             .offset = pl_vec3_dot(n, end) - gap,
                             .way = way_behind,
                             .inverse_mass = inverse_mass_behind(s, points, near.weights, near.point, n),
                             .friction = s->friction},
                .gap = gap,
                .body = s->other_index,
                .triangle = triangle};
  for (int k = 0; k < 3; ++k) next.weights[k] = near.weights[k];
  keep(s, it, &next);
}

static bool compare_triangle(void *data, int32_t triangle) {
  for (int half = 0; half < HALVES; ++half) compare_half(data, triangle, half);
  return true;
}

static pl_box grown(pl_box box, double by) {
  pl_vec3 more = {by, by, by};
  return (pl_box){pl_vec3_sub(box.min, more), pl_vec3_add(box.max, more)};
}

static bool boxes_meet(pl_box a, pl_box b) {
  return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y && a.min.z <= b.max.z &&
         b.min.z <= a.max.z;
}

static pl_status compare_body(search *s, int32_t index, pl_error *error) {
  pl_body *body = pl_slots_at(&s->world->bodies, index);
  pl_status status = pl_world_show_body(s->world, body, PL_SHOW_TREE, &s->shown, error);
  if (status < 0) return status;
  pl_scratch_mark mark = pl_scratch_push(&s->world->scratch);
  pl_vec3 *velocities = PL_SCRATCH(&s->world->scratch, pl_vec3, body->model->particle_count);
  if (velocities == NULL) return pl_fail_memory(error);
  body->model->method->get_velocities(body->model, body->state, velocities);
  double max = 0;
  for (int32_t i = 0; i < body->model->particle_count; ++i) max = fmax(max, pl_vec3_length(velocities[i]));
  s->other = body;
  s->other_index = index;
  s->velocities = velocities;
  int32_t last = -1;
  bool meets = false;
  for (int32_t i = 0; i < s->line_count; ++i) {
    s->line = &s->lines[i];
    if (s->line->body != last) meets = may_meet(s, s->line->body, index, &s->friction);
    last = s->line->body;
    pl_box box = grown(s->line->box, max * s->step);
    if (meets && boxes_meet(box, s->shown->box)) pl_moving_tree_visit_box(&s->shown->tree, box, compare_triangle, s);
  }
  pl_scratch_pop(&s->world->scratch, mark);
  return PL_OK;
}

// --- moving --------------------------------------------------------------------------------------------------------

static bool is_of_lines(const pl_body *body) {
  return body->model->method->get_segments != NULL && body->collides;
}

// Bodies that are colliders of rods, as kinematic meshes are, are met as those.
static bool has_triangles(const pl_body *body) {
  const pl_body_method *method = body->model->method;
  return method->get_segments == NULL && method->get_collider == NULL && !method->handles_bodies && body->collides &&
         body->model->surface.triangle_count > 0;
}

static bool take_lines(search *s) {
  pl_world *world = s->world;
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    const pl_body *body = pl_slots_at(&world->bodies, i);
    if (is_of_lines(body)) s->line_count += body->model->method->get_segments(body->model).count;
  }
  s->lines = PL_SCRATCH(&world->scratch, line, s->line_count);
  s->found = PL_SCRATCH(&world->scratch, found, (size_t)s->line_count * SLOTS);
  s->counts = PL_SCRATCH(&world->scratch, int32_t, s->line_count);
  if (!s->lines || !s->found || !s->counts) return false;
  int32_t next = 0;
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    const pl_body *body = pl_slots_at(&world->bodies, i);
    if (!is_of_lines(body)) continue;
    const pl_model *model = body->model;
    pl_body_segments segments = model->method->get_segments(model);
    pl_scratch_mark mark = pl_scratch_push(&world->scratch);
    pl_vec3 *x = PL_SCRATCH(&world->scratch, pl_vec3, model->particle_count);
    pl_vec3 *v = PL_SCRATCH(&world->scratch, pl_vec3, model->particle_count);
    if (x == NULL || v == NULL) return false;
    model->method->get_positions(model, body->state, x);
    model->method->get_velocities(model, body->state, v);
    pl_vec3 gain = pl_vec3_scale(world->def.gravity, body->gravity_scale * s->step);
    for (int32_t k = 0; k < segments.count; ++k, ++next) {
      line *it = &s->lines[next];
      *it = (line){.body = i, .segment = k};
      s->counts[next] = 0;
      for (int e = 0; e < 2; ++e) {
        int32_t p = it->particles[e] = segments.particles[2 * k + e];
        it->radii[e] = segments.radii[2 * k + e];
        it->inverse_masses[e] = model->inverse_masses[p];
        pl_vec3 velocity = it->inverse_masses[e] > 0 ? pl_vec3_add(v[p], gain) : v[p];
        it->starts[e] = x[p];
        it->ends[e] = pl_vec3_add_scaled(x[p], velocity, s->step);
      }
      const pl_vec3 corners[4] = {it->starts[0], it->starts[1], it->ends[0], it->ends[1]};
      it->box = (pl_box){corners[0], corners[0]};
      for (int e = 1; e < 4; ++e) it->box = pl_box_add_point(it->box, corners[e]);
      // Both sides of a pair are grown by their radii, twice: what is near is an obstacle too.
      it->box = grown(it->box, 2 * fmax(it->radii[0], it->radii[1]));
    }
    pl_scratch_pop(&world->scratch, mark);
  }
  return true;
}

// The bodies behind obstacles feel what these gave.
static void push_behind(search *s, const found *it, pl_vec3 push) {
  if (it->triangle < 0 || pl_vec3_dot(push, push) == 0) return;
  pl_body *body = pl_slots_at(&s->world->bodies, it->body);
  const pl_contact_surface *surface = &body->model->surface;
  bool is_blow = pl_vec3_length(push) > WAKE_SPEED * s->step * body->model->mass;
  if (pl_body_sleeps(body)) {
    if (is_blow) pl_world_wake_body(s->world, body);
    return;
  }
  // Rods that lie on a body do not keep it awake, as they would not wake it.
  if (!body->has_forces) body->only_rods_push = true;
  if (is_blow) body->only_rods_push = false;
  pl_vec3 force = pl_vec3_scale(push, -1 / (s->step * s->step));
  for (int k = 0; k < 3; ++k) {
    int32_t point = surface->triangles[3 * (ptrdiff_t)it->triangle + k];
    for (int j = 0; j < 4; ++j) {
      size_t i = 4 * (size_t)point + (size_t)j;
      double w = it->weights[k] * (double)surface->weights[i];
      if (w != 0) body->forces[surface->parents[i]] += pl_f4_of_vec3(pl_vec3_scale(force, w));
    }
  }
  body->has_forces = true;
}

// Ends first: what an end pushes off often frees the middle too, while a push on the middle throws the ends.
static void sort_obstacles(found *slots, int32_t count) {
  for (int32_t i = 1; i < count; ++i) {
    found it = slots[i];
    int32_t k = i;
    for (; k > 0 && fabs(slots[k - 1].obstacle.t - 0.5) < fabs(it.obstacle.t - 0.5); --k) slots[k] = slots[k - 1];
    slots[k] = it;
  }
}

// Obstacles of a body, in the order of its segments.
static pl_body_obstacle *list_obstacles(search *s, int32_t index, int32_t *first, int32_t *total) {
  int32_t count = 0;
  *first = *total = 0;
  while (*first < s->line_count && s->lines[*first].body != index) ++*first;
  for (; *first + count < s->line_count && s->lines[*first + count].body == index; ++count)
    *total += s->counts[*first + count];
  pl_body_obstacle *obstacles = PL_SCRATCH(&s->world->scratch, pl_body_obstacle, *total);
  if (obstacles == NULL) return NULL;
  int32_t next = 0;
  for (int32_t i = *first; i < *first + count; ++i) {
    sort_obstacles(&s->found[(size_t)i * SLOTS], s->counts[i]);
    for (int32_t k = 0; k < s->counts[i]; ++k) obstacles[next++] = s->found[(size_t)i * SLOTS + (size_t)k].obstacle;
  }
  return obstacles;
}

// Whether nothing else in the step depends on the move of a body: it pushes no body, holds none, no pin pulls it
// afterwards, and nobody wants to know what it touches.
static bool may_wait(const search *s, int32_t index) {
  const pl_world *world = s->world;
  const pl_body *body = pl_slots_at(&world->bodies, index);
  pl_slot_id id = pl_slots_id_at(&world->bodies, index);
  if (world->events != NULL || body->model->particle_count > PL_SMALL_SOLVE) return false;
  if (pl_world_is_coupled(world, (pl_body_id){id.slot, id.generation})) return false;
  for (int32_t i = 0; i < pl_slots_count(&world->pins); ++i)
    if (pl_world_find_body(world, ((const pl_world_pin *)pl_slots_at(&world->pins, i))->def.body) == body) return false;
  for (int32_t i = 0; i < s->line_count; ++i)
    for (int32_t k = 0; s->lines[i].body == index && k < s->counts[i]; ++k)
      if (s->found[(size_t)i * SLOTS + (size_t)k].triangle >= 0) return false;
  return true;
}

void pl_world_run_line(const pl_world *world, pl_line_move *it) {
  const pl_body *body = pl_slots_at(&world->bodies, it->index);
  it->move.damped = &it->damped;
  it->status = body->model->method->move(body->model, body->state, &it->move, &it->error);
}

pl_status pl_world_finish_line(pl_world *world, pl_line_move *it, pl_step_report *report, pl_error *error) {
  const pl_body *body = pl_slots_at(&world->bodies, it->index);
  report->unconverged_count += it->status == PL_REMARK_NOT_CONVERGED;
  report->damped_count += it->damped;
  if (it->status < 0) {
    if (error != NULL) *error = it->error;
    return pl_world_name_body(world, it->index, it->status, report, error);
  }
  pl_world_keep_given(world, it->index, &it->move);
  pl_world_collect_touches(world, it->index, &it->move);
  pl_world_note_attached_forces(world, body, &it->move);
  return PL_OK;
}

// Its own stack, whether it waits or not: which of the two it does may change from step to step.
static pl_status prepare_body(search *s, int32_t index, int32_t number, int32_t *first, pl_line_move *it,
                              pl_error *error) {
  pl_world *world = s->world;
  int32_t total;
  *it = (pl_line_move){.index = index};
  pl_body_obstacle *obstacles = list_obstacles(s, index, first, &total);
  if (obstacles == NULL) return pl_fail_memory(error);
  pl_status status = pl_world_begin_move(world, index, &it->move, error);
  if (status >= 0 && !pl_world_keep_colliders(world, &it->move)) status = pl_fail_memory(error);
  if (number < PL_MOVE_BLOCKS) it->move.scratch = &world->move_scratches[number];
  it->move.obstacles = obstacles;
  it->move.obstacle_count = total;
  return status;
}

// What a segment felt of an obstacle, as an event of the two bodies. Of two that push each other one reports it.
static void note_touch(search *s, const line *it, const found *obstacle, pl_vec3 push) {
  if (s->world->events == NULL || obstacle->body == it->body) return;
  const pl_body *other = pl_slots_at(&s->world->bodies, obstacle->body);
  if (obstacle->triangle < 0 && obstacle->body < it->body && !pl_body_sleeps(other)) return;
  pl_vec3 normal = obstacle->obstacle.normal, velocity;
  double impulse = pl_vec3_dot(push, normal) / s->step, t = obstacle->obstacle.t;
  if (!(impulse > 0)) return;
  const pl_body *body = pl_slots_at(&s->world->bodies, it->body);
  pl_vec3 ends[2];
  for (int e = 0; e < 2; ++e)
    ends[e] = body->model->method->get_particle(body->model, body->state, it->particles[e], &velocity);
  double radius = (1 - t) * it->radii[0] + t * it->radii[1];
  pl_body_touch touch = {.count = 0};
  pl_body_touch_add(&touch, pl_vec3_add_scaled(at(ends, t), normal, -radius), normal, impulse, -obstacle->gap);
  pl_world_collect_body_touch(s->world, it->body, obstacle->body, &touch);
}

static pl_status move_body(search *s, int32_t first, pl_line_move *it, pl_step_report *report, pl_error *error) {
  pl_world_run_line(s->world, it);
  pl_status status = pl_world_finish_line(s->world, it, report, error);
  int32_t next = 0;
  for (int32_t i = first; status >= 0 && next < it->move.obstacle_count; ++i)
    for (int32_t k = 0; k < s->counts[i]; ++k) {
      const found *obstacle = &s->found[(size_t)i * SLOTS + (size_t)k];
      pl_vec3 push = it->move.obstacles[next++].push;
      push_behind(s, obstacle, push);
      note_touch(s, &s->lines[i], obstacle, push);
    }
  return status;
}

static pl_status find_obstacles(search *s, pl_error *error) {
  if (!take_lines(s) || !compare_lines(s)) return pl_fail_memory(error);
  pl_status status = PL_OK;
  for (int32_t i = 0; status >= 0 && i < pl_slots_count(&s->world->bodies); ++i)
    if (has_triangles(pl_slots_at(&s->world->bodies, i))) status = compare_body(s, i, error);
  return status;
}

bool pl_world_has_obstacles(const pl_world *world) {
  int32_t lines = 0, others = 0;
  bool self = false;
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    const pl_body *body = pl_slots_at(&world->bodies, i);
    lines += is_of_lines(body);
    others += has_triangles(body);
    self = self || (is_of_lines(body) && body->model->self_contact);
  }
  return lines > 1 || (lines == 1 && (others > 0 || self));
}

pl_status pl_world_move_lines(pl_world *world, pl_waiting_lines *waiting, pl_step_report *report, pl_error *error) {
  search s = {.world = world, .step = world->def.step};
  pl_status status = find_obstacles(&s, error);
  pl_line_move *moves = status >= 0 ? PL_SCRATCH(&world->scratch, pl_line_move, world->awake_count) : NULL;
  if (status >= 0 && moves == NULL) status = pl_fail_memory(error);
  pl_waiting_lines left = {moves, 0};
  int32_t number = 0;
  for (int32_t k = 0; status >= 0 && k < world->awake_count; ++k) {
    int32_t i = PL_ITEM(&world->awake, int32_t, k), first;
    if (!is_of_lines(pl_slots_at(&world->bodies, i))) continue;
    pl_line_move *it = &moves[left.count];
    status = prepare_body(&s, i, number, &first, it, error);
    if (status < 0) return pl_world_name_body(world, i, status, report, error);
    bool waits = waiting != NULL && number < PL_MOVE_BLOCKS && may_wait(&s, i);
    if (waits) ++left.count;
    if (!waits) status = move_body(&s, first, it, report, error);
    ++number;
  }
  if (waiting != NULL) *waiting = left;
  return status;
}

bool pl_world_has_moved(const pl_world *world, int32_t index) {
  return world->lines_moved && is_of_lines(pl_slots_at(&world->bodies, index));
}
