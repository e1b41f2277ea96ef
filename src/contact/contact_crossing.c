// An edge that passes through a triangle: the shortest way apart.
//
// With p and q the ends of the edge, n the triangle's normal and c_k its corners, the two come apart along
//
//   n               by |n . (p - c_0)|, an end going back through the plane; the same for q
//   m_k = u x w_k   (unit) by |m_k . (p - c_k)|, u along the edge and w_k along a side of the triangle, the edge going
//                   around that side; where the two are nearest between their ends
//
// whichever is least of those that lead out of the triangle's body and into the edge's own (where they have an inside):
// bodies that meet flush would otherwise be separated sideways. And only where the two were apart along it at the start
// of the step, to the tolerance. Positions get out, and of the velocities what still goes in is taken.
//
// Momentum is kept. With D the push on positions (kg m), P the impulse, x and v places and velocities of both sides,
// angular momentum changes by
//
//   T = D × (v_a - v_b) + (x_a - x_b) × P
//
// which both bodies give back as wholes, half each, where nothing holds them.
#include <math.h>

#include "contact/contact_zones.h"

#include "contact/contact_solver.h"
#include "contact/edge_touch.h"
#include "mesh/simplex.h"

// Nearest places may be this fraction of an edge beyond its ends: the next edge of an outline begins there.
static const double BEYOND = 0.05;

// The way apart: side a of the edge's body, side b of the triangle's.
typedef struct way_apart {
  pl_contact_side a, b;
  pl_vec3 normal;  // unit: where a goes relative to b
  double depth;    // metres
} way_apart;

static pl_vec3 point_now(const pl_contact_memory *memory, const pl_contact_body *bodies, int32_t index, int32_t point) {
  const pl_contact_body *body = &bodies[index];
  if (body->asleep) return memory->motions[index].ends[point];
  pl_vec3 position = pl_contact_surface_point(body->surface, point, body->positions);
  if (body->rigid == NULL) return position;
  const pl_contact_rigid *was = &memory->move_rigids[index];
  pl_quat turn = pl_quat_multiply(body->rigid->rotation, pl_quat_conjugate(was->rotation));
  return pl_vec3_add(body->rigid->center, pl_quat_rotate(turn, pl_vec3_sub(position, was->center)));
}

// Does a direction lead out of a surface, as far as it has an outside, where these of its triangles are? Where
// it is only asked whether there is a short way, any will do.
static bool is_out(const pl_surface_motion *motion, const pl_zone_crossing *x, const int32_t *triangles, int32_t count,
                   pl_vec3 direction) {
  pl_vec3 sum = {0, 0, 0}, c[3];
  if (!motion->tree->is_closed || x->any_way) return true;
  for (int32_t k = 0; k < count; ++k) {
    if (triangles[k] < 0) continue;
    pl_surface_corners(motion->tree, motion->ends, triangles[k], c);
    sum = pl_vec3_add(sum, pl_triangle_normal(c[0], c[1], c[2]));
  }
  return pl_vec3_dot(sum, direction) > 0;
}

// The same at a point.
static bool is_out_at(const pl_surface_motion *motion, const pl_zone_crossing *x, int32_t point, pl_vec3 direction) {
  const int32_t *start = &motion->tree->ring_start[point];
  return is_out(motion, x, &motion->tree->ring[start[0]], start[1] - start[0], direction);
}

// Gap of a way at the start of the step, metres.
static double start_gap(const pl_contact_memory *memory, const way_apart *way) {
  pl_vec3 gap = {0, 0, 0};
  for (int32_t k = 0; k < way->a.count; ++k)
    gap = pl_vec3_add_scaled(gap, memory->motions[way->a.body].starts[way->a.points[k]], way->a.weights[k]);
  for (int32_t k = 0; k < way->b.count; ++k)
    gap = pl_vec3_add_scaled(gap, memory->motions[way->b.body].starts[way->b.points[k]], -way->b.weights[k]);
  return pl_vec3_dot(way->normal, gap);
}

// A search for the shortest way.
typedef struct way_search {
  const pl_contact_memory *memory;
  const pl_contact_body *bodies;
  const pl_zone_crossing *crossing;
  bool is_now;   // where points are now; otherwise at the start or end of the step, as the crossing was found
  pl_vec3 e[2];  // the edge
  way_apart best;
} way_search;

static pl_vec3 point_of(const way_search *s, int32_t body, int32_t point) {
  if (s->is_now) return point_now(s->memory, s->bodies, body, point);
  const pl_surface_motion *motion = &s->memory->motions[body];
  return s->crossing->at_start ? motion->starts[point] : motion->ends[point];
}

static void offer(way_search *s, const way_apart *way) {
  // What was not apart at the start came another way.
  if (s->is_now && start_gap(s->memory, way) < -s->crossing->tolerance) return;
  s->best = *way;
}

// Through the plane, for each end.
static void try_ends(way_search *s) {
  const pl_zone_crossing *x = s->crossing;
  const pl_surface_motion *own = &s->memory->motions[x->a], *other = &s->memory->motions[x->b];
  const int32_t *corners = &other->tree->surface->triangles[3 * x->triangle];
  pl_vec3 c[3];
  for (int k = 0; k < 3; ++k) c[k] = point_of(s, x->b, corners[k]);
  pl_vec3 n = pl_triangle_normal(c[0], c[1], c[2]);
  for (int k = 0; k < 2; ++k) {
    double height = pl_vec3_dot(n, pl_vec3_sub(s->e[k], c[0]));
    pl_vec3 back = pl_vec3_scale(n, height < 0 ? -1 : 1);
    if (!(fabs(height) < s->best.depth) || !is_out_at(own, x, x->edge->points[k], back)) continue;
    if (other->tree->is_closed && height > 0 && !x->any_way) continue;
    way_apart way = {.a = {x->a, 1, {x->edge->points[k]}, {1}},
                     .b = {x->b, 3, {corners[0], corners[1], corners[2]}, {0}},
                     .normal = pl_vec3_scale(back, -1),
                     .depth = fabs(height)};
    pl_triangle_nearest(c[0], c[1], c[2], s->e[k], way.b.weights);
    offer(s, &way);
  }
}

// Around an edge of the other surface.
static void try_edge(way_search *s, const pl_surface_edge *met) {
  const pl_zone_crossing *x = s->crossing;
  const pl_surface_motion *own = &s->memory->motions[x->a], *other = &s->memory->motions[x->b];
  pl_vec3 side[2];
  double u, v;
  for (int k = 0; k < 2; ++k) side[k] = point_of(s, x->b, met->points[k]);
  if (!pl_edge_lines_nearest(s->e, side, &u, &v) || !(u > 0 && u < 1 && v > -BEYOND && v < 1 + BEYOND)) return;
  v = fmin(fmax(v, 0), 1);
  pl_vec3 m = pl_vec3_cross(pl_vec3_sub(s->e[1], s->e[0]), pl_vec3_sub(side[1], side[0]));
  m = pl_vec3_normalize_or(m, pl_vec3_of(0, 1, 0));
  double height = pl_vec3_dot(m, pl_vec3_sub(s->e[0], side[0]));
  if (!(fabs(height) < s->best.depth)) return;
  pl_vec3 back = pl_vec3_scale(m, height < 0 ? -1 : 1), forth = pl_vec3_scale(back, -1);
  if (!is_out(own, x, x->edge->triangles, 2, back) || !is_out(other, x, met->triangles, 2, forth)) return;
  way_apart way = {.a = {x->a, 2, {x->edge->points[0], x->edge->points[1]}, {1 - u, u}},
                   .b = {x->b, 2, {met->points[0], met->points[1]}, {1 - v, v}},
                   .normal = forth,
                   .depth = fabs(height)};
  offer(s, &way);
}

// The first of the corners of triangle `of` that a triangle has; 3: none.
static int first_shared(const int32_t *triangles, int32_t triangle, int32_t of) {
  const int32_t *c = &triangles[3 * triangle];
  int k = 0;
  while (k < 3 && triangles[3 * of + k] != c[0] && triangles[3 * of + k] != c[1] && triangles[3 * of + k] != c[2]) ++k;
  return k;
}

// The sides of the triangle, and of those around its corners: near a corner the shortest way may be around one of them.
// Each once: a triangle with the first of the corners that it has, a side with the first of its triangles.
static void try_edges(way_search *s) {
  const pl_surface_tree *tree = s->memory->motions[s->crossing->b].tree;
  const int32_t *triangles = tree->surface->triangles;
  int32_t of = s->crossing->triangle;
  for (int k = 0; k < 3; ++k) {
    int32_t corner = triangles[3 * of + k];
    for (int32_t r = tree->ring_start[corner]; r < tree->ring_start[corner + 1]; ++r) {
      int32_t triangle = tree->ring[r];
      if (first_shared(triangles, triangle, of) < k) continue;
      for (int side = 0; side < 3; ++side) {
        const pl_surface_edge *edge = &tree->edges[tree->triangle_edges[3 * triangle + side]];
        int32_t other = edge->triangles[0] == triangle ? edge->triangles[1] : edge->triangles[0];
        int first = other < 0 ? 3 : first_shared(triangles, other, of);
        if (first > k || (first == k && other > triangle)) try_edge(s, edge);
      }
    }
  }
}

// Find the shortest way that is shorter than a limit.
static bool find_way(way_search *s, double limit) {
  s->best.depth = limit;
  for (int k = 0; k < 2; ++k) s->e[k] = point_of(s, s->crossing->a, s->crossing->edge->points[k]);
  try_ends(s);
  try_edges(s);
  return s->best.depth < limit;
}

bool pl_contact_is_shallow(const pl_contact_memory *memory, const pl_contact_body *bodies, const pl_zone_crossing *x) {
  way_search s = {.memory = memory, .bodies = bodies, .crossing = x};
  return x->shallow > 0 && find_way(&s, x->shallow);
}

static pl_contact_arm arm_of(const pl_contact_memory *memory, const pl_contact_body *bodies,
                             const pl_contact_side *side, pl_contact_term *terms) {
  if (bodies[side->body].asleep) return (pl_contact_arm){.body = -1};
  if (bodies[side->body].rigid == NULL) return pl_contact_arm_of_side(bodies, side, terms);
  pl_vec3 point = {0, 0, 0};
  for (int32_t k = 0; k < side->count; ++k)
    point = pl_vec3_add_scaled(point, point_now(memory, bodies, side->body, side->points[k]), side->weights[k]);
  return pl_contact_arm_of_rigid(bodies, side->body, point);
}

// Displace positions. A rigid body that is turned keeps its angular momentum.
static void move_arm(pl_contact_body *bodies, const pl_contact_arm *arm, pl_vec3 push) {
  pl_contact_rigid *rigid = arm->body >= 0 ? bodies[arm->body].rigid : NULL;
  pl_quat was = rigid != NULL ? rigid->rotation : pl_quat_identity();
  pl_contact_arm_move(bodies, arm, push);
  if (rigid == NULL || !(rigid->inverse_mass > 0)) return;
  pl_vec3 spin = pl_mat3_apply(pl_mat3_inverse(rigid->inverse_inertia), rigid->angular_velocity);
  pl_mat3 turn = pl_mat3_from_quat(pl_quat_multiply(rigid->rotation, pl_quat_conjugate(was)));
  rigid->inverse_inertia = pl_mat3_multiply(pl_mat3_multiply(turn, rigid->inverse_inertia), pl_mat3_transpose(turn));
  rigid->angular_velocity = pl_mat3_apply(rigid->inverse_inertia, spin);
}

// Place of an arm, and the velocity of what a push on it displaces.
static pl_vec3 arm_place(const pl_contact_body *bodies, const pl_contact_arm *arm) {
  pl_vec3 sum = {0, 0, 0};
  if (arm->body < 0) return sum;
  if (bodies[arm->body].rigid != NULL) return pl_vec3_add(bodies[arm->body].rigid->center, arm->lever);
  for (int32_t i = 0; i < arm->count; ++i)
    sum = pl_vec3_add_scaled(sum, bodies[arm->body].positions[arm->terms[i].particle], arm->terms[i].weight);
  return sum;
}
static pl_vec3 pushed_velocity(const pl_contact_body *bodies, const pl_contact_arm *arm) {
  if (arm->body >= 0 && bodies[arm->body].rigid != NULL) return bodies[arm->body].rigid->velocity;
  return pl_contact_arm_velocity(bodies, arm);
}

static void mark_moved(pl_contact_body *bodies, const pl_contact_arm *arm) {
  if (arm->body < 0) return;
  pl_contact_body *body = &bodies[arm->body];
  if (body->rigid != NULL && body->rigid->inverse_mass > 0) body->moved = true;
  for (int32_t i = 0; i < arm->count; ++i)
    if (body->inverse_masses[arm->terms[i].particle] > 0) body->moved = true;
}

// That contact of the pairs of two bodies which is most along an impulse on one of them.
typedef struct impulse_search {
  pl_contact_memory *memory;
  int32_t body;
  pl_vec3 impulse;
  double max_along;
  double *row;  // its rest impulse, or …
  float *note;  // … that of a contact of soft bodies
} impulse_search;

static void search_rows(impulse_search *s, const pl_contact_pair *pair) {
  for (int32_t i = 0; i < pair->count; ++i) {
    pl_contact_row *row = &s->memory->rows[pair->first_row + i];
    double along = pl_vec3_dot(row->normal, s->impulse) * (row->a.body == s->body ? 1 : -1);
    if (along > s->max_along) s->max_along = along, s->row = &row->rest_impulse, s->note = NULL;
  }
}

static void search_soft(impulse_search *s, const pl_contact_pair *pair) {
  for (int k = 0; k < 2; ++k) {
    pl_soft_side side = pl_soft_side_of(pair, k);
    for (int32_t i = side.first; i < side.end; ++i) {
      pl_vec3 normal = pl_vec3_of_floats(s->memory->soft_rows[i].normal);
      double along = pl_vec3_dot(normal, s->impulse) * (side.own == s->body ? 1 : -1);
      if (along > s->max_along) s->max_along = along, s->note = &s->memory->soft_notes[i].rest_impulse, s->row = NULL;
    }
  }
}

// Add an impulse on a to that contact of the pair which is most along it.
static void report_impulse(pl_contact_memory *memory, const pl_zone_crossing *x, pl_vec3 impulse) {
  int32_t low = x->a < x->b ? x->a : x->b, high = x->a < x->b ? x->b : x->a;
  impulse_search s = {.memory = memory, .body = x->a, .impulse = impulse};
  for (int32_t p = 0; p < memory->plan.pair_count; ++p) {
    const pl_contact_pair *pair = &memory->plan.pairs[p];
    if (pair->joint >= 0 || pair->a != low || pair->b != high) continue;
    if (pair->axis >= 0)
      search_soft(&s, pair);
    else
      search_rows(&s, pair);
  }
  if (s.row != NULL) *s.row += s.max_along;
  if (s.note != NULL) *s.note += (float)s.max_along;
}

bool pl_contact_part_crossing(pl_contact_memory *memory, pl_contact_body *bodies, const pl_zone_crossing *x) {
  way_search s = {.memory = memory, .bodies = bodies, .crossing = x, .is_now = true};
  const int32_t *corners = &memory->motions[x->b].tree->surface->triangles[3 * x->triangle];
  pl_vec3 c[3], e[2], position;
  // Another one that shares a point may have taken it along.
  for (int k = 0; k < 3; ++k) c[k] = point_of(&s, x->b, corners[k]);
  for (int k = 0; k < 2; ++k) e[k] = point_of(&s, x->a, x->edge->points[k]);
  if (!pl_contact_pierces(e[0], e[1], c, x->tolerance, &position) || !find_way(&s, HUGE_VAL)) return false;
  way_apart way = s.best;
  pl_contact_term terms[2 * PL_MAX_TERMS];
  pl_contact_arm a = arm_of(memory, bodies, &way.a, terms), b = arm_of(memory, bodies, &way.b, terms + PL_MAX_TERMS);
  double answer = pl_contact_inverse_mass_along(bodies, &a, &b, way.normal);
  if (!(answer > 0)) return false;
  pl_vec3 push = pl_vec3_scale(way.normal, (way.depth + x->margin) / answer);
  pl_vec3 spin = pl_vec3_cross(push, pl_vec3_sub(pushed_velocity(bodies, &a), pushed_velocity(bodies, &b)));
  move_arm(bodies, &a, push);
  move_arm(bodies, &b, pl_vec3_scale(push, -1));
  double speed =
      pl_vec3_dot(way.normal, pl_vec3_sub(pl_contact_arm_velocity(bodies, &a), pl_contact_arm_velocity(bodies, &b)));
  if (speed < 0) {
    pl_vec3 impulse = pl_vec3_scale(way.normal, -speed / answer);
    pl_contact_arm_push(bodies, &a, impulse);
    pl_contact_arm_push(bodies, &b, pl_vec3_scale(impulse, -1));
    pl_vec3 apart = pl_vec3_sub(arm_place(bodies, &a), arm_place(bodies, &b));
    spin = pl_vec3_add(spin, pl_vec3_cross(apart, impulse));
    report_impulse(memory, x, impulse);
  }
  memory->zones.spins[x->a] = pl_vec3_add_scaled(memory->zones.spins[x->a], spin, 0.5);
  memory->zones.spins[x->b] = pl_vec3_add_scaled(memory->zones.spins[x->b], spin, 0.5);
  mark_moved(bodies, &a);
  mark_moved(bodies, &b);
  return true;
}

// Take angular momentum from a body of particles, unless something holds it.
static void take_back_spin(pl_contact_body *body, pl_vec3 spin) {
  int32_t count = body->surface->particle_count;
  double mass = 0;
  pl_vec3 center = {0, 0, 0};
  for (int32_t i = 0; i < count; ++i) {
    if (!(body->inverse_masses[i] > 0)) return;
    mass += 1 / body->inverse_masses[i];
    center = pl_vec3_add_scaled(center, body->positions[i], 1 / body->inverse_masses[i]);
  }
  center = pl_vec3_scale(center, 1 / mass);
  pl_mat3 inertia = pl_mat3_zero();
  for (int32_t i = 0; i < count; ++i) {
    pl_vec3 r = pl_vec3_sub(body->positions[i], center);
    inertia = pl_mat3_add(inertia, pl_contact_point_inertia(r, 1 / body->inverse_masses[i]));
  }
  if (!(pl_mat3_determinant(inertia) > 0)) return;
  pl_vec3 turn = pl_mat3_apply(pl_mat3_inverse(inertia), spin);
  for (int32_t i = 0; i < count; ++i)
    body->velocities[i] =
        pl_vec3_sub(body->velocities[i], pl_vec3_cross(turn, pl_vec3_sub(body->positions[i], center)));
}

void pl_contact_take_back_spins(pl_contact_memory *memory, pl_contact_body *bodies) {
  for (int32_t b = 0; b < memory->body_count; ++b) {
    pl_vec3 spin = memory->zones.spins[b];
    memory->zones.spins[b] = (pl_vec3){0, 0, 0};
    if (!(pl_vec3_dot(spin, spin) > 0) || bodies[b].asleep) continue;
    if (bodies[b].rigid == NULL) {
      take_back_spin(&bodies[b], spin);
    } else {
      pl_contact_rigid *rigid = bodies[b].rigid;
      rigid->angular_velocity = pl_vec3_sub(rigid->angular_velocity, pl_mat3_apply(rigid->inverse_inertia, spin));
    }
  }
}
