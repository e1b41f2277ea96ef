// Contact and friction as implicit springs (paper 004, section 3: forces proportional to the deviation from the point
// of contact, normal and in the plane).
//
//   d   depth of a surface point below the collider's surface (and the body's contact radius), metres
//   K   stiffness times the area that the point stands for, N/m           e   depth over which the force bends
//
//   normal     energy  0 | K d³/6e | K ((d - e/2)²/2 + e²/24)   for d < 0 | d < e | above
//              force   0 | K d²/2e | K (d - e/2)                one-sided, with a continuous derivative, so that
//                                                               Newton's method sees no kink
//              of bodies that adapt beyond a depth s (contact_hardening, or what follows the load: follow_load in
//              fem_build.c), by the hardness c of the model, besides
//              energy  K c (d - s)³/3s    force  K c (d - s)²/s   so that an edge which carries much sinks little
//                                                                 deeper
//   friction   energy of a spring of stiffness K (beyond s: the derivative of the force) to an anchor, in the tangent
//   plane, that yields where it would pull
//              with more than μ times the normal force
//
// A spring gives back what it took: a box that falls on its edge would be thrown by the ground. So springs have
// dampers, and one that is released relaxes within a time T. With p the force above and p_0 that at the start of the
// step,
//
//   force      p + β (p - p_0)  for p > p_0,   p_0 (p / p_0)^(1 + β) below        β = T / h
//
// which is p for what rests, does not pull, and has a continuous derivative too. What comes back is the elasticity of
// the body. Bodies that adapt have β = 0: their drivers plan with springs.
//
// A point that is deeper than the contact thickness when a step begins was put there: d counts from so far below the
// surface that the overlap comes out gradually (pl_model_buried_depth()).
//
// The paper takes the current point of contact in every step; a body on a slope then creeps by its weight over K in
// each. Here the anchor stays while it holds, and is dragged along behind the point when it yields: what rests, rests.
// It lives in the frame of the collider, so that moving ground takes bodies along.
//
// K is ten times the stiffness of a layer of elements, so that little of it is pressed into the collider, or ten times
// what the inertia of a layer answers with in a step: by its elasticity alone a body of 100 Pa would fall through the
// ground. And it carries the body's weight with a fraction of the contact thickness; of bodies that adapt, by their
// soles.
//
// Coulomb's cap depends on the normal force, which has no energy. So cap, normal and anchor are frozen while one step
// of Newton's method looks for its length, and renewed with every new matrix (bodies that adapt: see fem_newton.c): at
// the end they agree. The curvature of the collider is left out of the matrix, where it could only make it indefinite.
#include "fem/fem_contact.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "math/mat3.h"
#include "pliant/math.h"

enum { POINT_GRAIN = 128 };

typedef struct job {
  pl_fem_contacts *contacts;
  const double *u;
  bool refresh;
  double *anchors;         // only while settling
  double way;              // m that no surface point has gone farther than
  const int32_t *numbers;  // of the points to work on; NULL: all
  pl_vec3 up;              // normal of the first collider, if that is a half-space
} job;

// A surface point when the particles are at base + reach (u - base).
static pl_vec3 point_at(const pl_fem_contacts *c, const double *u, double reach, int32_t i) {
  const int32_t *parents = c->model->head.surface.parents + 4 * (ptrdiff_t)i;
  const double *weights = c->model->touch.weights + 4 * (ptrdiff_t)i;
  pl_vec3 point = {0, 0, 0};
  for (int k = 0; k < 4; ++k) {
    if (weights[k] == 0) continue;  // any of the four can be zero, not only the last ones
    pl_vec3 base = pl_fem_vector(c->base, parents[k]);
    pl_vec3 z = reach == 0 ? base : pl_vec3_add_scaled(base, pl_vec3_sub(pl_fem_vector(u, parents[k]), base), reach);
    point = pl_vec3_add_scaled(point, z, weights[k]);
  }
  return point;
}

// Depth of a point in a collider at a placement; 0 or less: no contact.
static double depth_at(const pl_fem_contacts *c, int32_t collider, pl_transform placement, pl_vec3 point,
                       pl_vec3 *normal) {
  const pl_collider *it = c->colliders[collider];
  double radius = c->model->head.contact_radius;
  pl_vec3 local = pl_transform_apply_inverse(placement, point);
  if (pl_vec3_distance(local, it->center) > it->reach + radius) return 0;
  if (it->shape == PL_COLLIDER_MESH) {
    double away, clear = pl_collider_clearance_at(&it->clearance, local, &away);
    if (clear - away > radius) return 0;
  }
  double depth = radius - pl_collider_local_distance(it, local, normal);
  if (depth > 0) *normal = pl_quat_rotate(placement.rotation, *normal);
  return depth;
}

static double depth_in(const pl_fem_contacts *c, int32_t collider, pl_vec3 point, pl_vec3 *normal) {
  return depth_at(c, collider, c->ends[collider], point, normal);
}

static bool is_half_space(const pl_fem_contacts *c, int32_t collider) {
  return c->colliders[collider]->shape == PL_COLLIDER_HALF_SPACE;
}

// The same of a half-space, whose reach is infinite and whose normal is the same everywhere: with the bits of
// depth_at().
static double depth_below(const pl_fem_contacts *c, int32_t collider, pl_vec3 point) {
  return c->model->head.contact_radius - pl_transform_apply_inverse(c->ends[collider], point).y;
}

typedef struct press {
  double energy, force, gradient;
} press;

static press spring_at(const pl_fem_contacts *c, double area, double depth) {
  double K = c->stiffness * area, e = c->model->touch.onset, s = c->model->touch.hardening;
  if (depth < e) return (press){K * depth * depth * depth / (6 * e), K * depth * depth / (2 * e), K * depth / e};
  double linear = depth - 0.5 * e;
  press p = {K * (0.5 * linear * linear + e * e / 24), K * linear, K};
  if (!(s > 0) || depth < s) return p;
  double more = depth - s, H = c->model->touch.hardness * K / s;
  return (press){p.energy + H * more * more * more / 3, p.force + H * more * more, p.gradient + 2 * H * more};
}

// N/m, of the spring that friction holds a point by: what presses harder is held harder.
static double grip_at(const pl_fem_contacts *c, int32_t i, double depth) {
  double K = c->stiffness * c->model->touch.areas[i], s = c->model->touch.hardening;
  return s > 0 && depth > s ? K * (1 + 2 * c->model->touch.hardness * (depth - s) / s) : K;
}

// The depth of a point at the start of the step, 0 or more.
static double start_depth(const pl_fem_contacts *c, int32_t i, int32_t collider) {
  pl_vec3 normal;
  return fmax(0, depth_at(c, collider, c->starts[collider], point_at(c, NULL, 0, i), &normal));
}

// The integral of p_0 (p / p_0)^n up to a depth.
static double released_energy(const pl_fem_contacts *c, double area, double depth, double p0, double n) {
  double e = c->model->touch.onset, onset = fmin(depth, e);
  double part = pow(spring_at(c, area, onset).force / p0, n), energy = part * onset / (2 * n + 1);
  if (depth <= e) return p0 * energy;
  double whole = pow(spring_at(c, area, depth).force / p0, n);
  return p0 * (energy + (whole * (depth - 0.5 * e) - part * 0.5 * e) / (n + 1));
}

static press press_at(const pl_fem_contacts *c, int32_t i, int32_t collider, double depth) {
  double area = c->model->touch.areas[i], n = 1 + c->damping;
  if (!(n > 1)) return spring_at(c, area, depth);
  double start = start_depth(c, i, collider), buried = pl_model_buried_depth(&c->model->head, start, c->step);
  if (!(depth > buried)) return (press){0, 0, 0};
  depth -= buried;
  start -= buried;
  press p = spring_at(c, area, depth);
  press p0 = spring_at(c, area, start);
  if (!(p0.force > 0)) return (press){n * p.energy, n * p.force, n * p.gradient};
  if (depth <= start) {
    double ratio = p.force / p0.force, power = pow(ratio, n - 1);
    return (press){released_energy(c, area, depth, p0.force, n), power * p.force, n * power * p.gradient};
  }
  double energy = released_energy(c, area, start, p0.force, n) + n * (p.energy - p0.energy) -
                  c->damping * p0.force * (depth - start);
  return (press){energy, n * p.force - c->damping * p0.force, n * p.gradient};
}

// Where friction holds a point that presses against a collider: where the state says, or where the point was when the
// step began.
static pl_vec3 anchor_of(const pl_fem_contacts *c, int32_t i, int32_t collider) {
  const double *stored = c->anchors + 4 * (ptrdiff_t)i;
  pl_vec3 local = {stored[0], stored[1], stored[2]};
  if ((int32_t)stored[3] != collider + 1)
    local = pl_transform_apply_inverse(c->starts[collider], point_at(c, NULL, 0, i));
  return pl_transform_apply(c->ends[collider], local);
}

static pl_vec3 tangential(pl_vec3 v, pl_vec3 normal) {
  return pl_vec3_add_scaled(v, normal, -pl_vec3_dot(v, normal));
}

// Without derivatives: forces alone.
static void add_friction(pl_vec3 point, bool derives, pl_fem_contact_point *it) {
  double K = it->grip;
  pl_vec3 slip = tangential(pl_vec3_sub(point, it->anchor), it->normal);
  double length = pl_vec3_length(slip);
  bool holds = K * length <= it->cap;
  pl_vec3 along = holds ? slip : pl_vec3_scale(slip, 1 / length);
  it->gradient = pl_vec3_add_scaled(it->gradient, along, holds ? K : it->cap);
  if (!derives) return;
  it->energy += holds ? 0.5 * K * length * length : it->cap * (length - 0.5 * it->cap / K);
  pl_mat3 plane = pl_mat3_add(pl_mat3_identity(), pl_mat3_scale(pl_mat3_outer(it->normal, it->normal), -1));
  if (!holds) plane = pl_mat3_add(plane, pl_mat3_scale(pl_mat3_outer(along, along), -1));
  it->matrix = pl_mat3_add(it->matrix, pl_mat3_scale(plane, holds ? K : it->cap / length));
}

static double friction_with(const pl_fem_contacts *c, int32_t collider) {
  if (c->frictions != NULL && c->frictions[collider] >= 0) return c->frictions[collider];
  return sqrt(c->model->head.friction * c->colliders[collider]->friction);
}

// A point that becomes active begins with no forces. Nobody looks at those of the others.
static void activate(pl_fem_contact_point *it, bool derives) {
  it->is_active = true;
  it->other = -1;
  it->energy = 0;
  it->gradient = (pl_vec3){0, 0, 0};
  if (derives) it->matrix = pl_mat3_zero();
}

// In a corner: the forces of the hardest of the others are kept apart.
static void note_other(pl_fem_contact_point *it, int32_t collider, pl_vec3 force) {
  if (it->other >= 0 && pl_vec3_dot(it->other_force, it->other_force) >= pl_vec3_dot(force, force)) return;
  it->other = collider;
  it->other_force = force;
}

static void evaluate_point(const job *j, int32_t i) {
  const pl_fem_contacts *c = j->contacts;
  bool refresh = j->refresh, derives = !c->without_derivatives;
  pl_fem_contact_point *it = &c->points[i];
  pl_vec3 point = point_at(c, j->u, c->reach, i), hardest_normal = {0, 1, 0};
  double hardest = 0;
  int32_t hardest_collider = -1;
  it->is_active = false;
  for (int32_t k = 0; k < c->collider_count; ++k) {
    pl_vec3 normal = j->up;
    double depth = k == 0 && is_half_space(c, k) ? depth_below(c, k, point) : depth_in(c, k, point, &normal);
    if (!(depth > 0)) continue;
    press p = press_at(c, i, k, depth);
    if (!(p.force > 0)) continue;
    if (!it->is_active) activate(it, derives);
    it->energy += p.energy;
    it->gradient = pl_vec3_add_scaled(it->gradient, normal, -p.force);
    if (derives) it->matrix = pl_mat3_add(it->matrix, pl_mat3_scale(pl_mat3_outer(normal, normal), p.gradient));
    if (p.force <= hardest) {
      note_other(it, k, pl_vec3_scale(normal, p.force));
      continue;
    }
    if (hardest_collider >= 0) note_other(it, hardest_collider, pl_vec3_scale(hardest_normal, hardest));
    hardest = p.force;
    it->depth = depth;
    hardest_collider = k;
    hardest_normal = normal;
  }
  if (refresh) {
    it->collider = hardest_collider;
    it->normal = hardest_normal;
    it->cap = 0;
    if (hardest_collider >= 0) {
      it->anchor = anchor_of(c, i, hardest_collider);
      it->cap = hardest * friction_with(c, hardest_collider);
      it->grip = grip_at(c, i, it->depth);
    }
  }
  if (!(it->collider >= 0 && it->cap > 0)) return;
  if (!it->is_active) activate(it, derives);
  add_friction(point, derives, it);
}

// --- points out of reach --------------------------------------------------------------------------------------------

// Distance of a point from a collider, or less.
static double distance_bound(const pl_fem_contacts *c, int32_t collider, pl_vec3 point) {
  const pl_collider *it = c->colliders[collider];
  pl_vec3 local = pl_transform_apply_inverse(c->ends[collider], point);
  double ball = pl_vec3_distance(local, it->center) - it->reach;
  if (ball > 0) return ball;
  pl_vec3 normal;
  if (it->shape != PL_COLLIDER_MESH) return pl_collider_local_distance(it, local, &normal);
  double away, clear = pl_collider_clearance_at(&it->clearance, local, &away);
  return clear - away;
}

static void measure_range(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const job *j = data;
  const pl_fem_contacts *c = j->contacts;
  for (int32_t i = begin; i < end; ++i) {
    pl_vec3 point = point_at(c, NULL, 0, i);
    double min = HUGE_VAL;
    for (int32_t k = 0; k < c->collider_count; ++k) min = fmin(min, distance_bound(c, k, point));
    // A surface point outside its tet moves farther than any of its corners, by this factor at most.
    const double *weights = c->model->touch.weights + 4 * (ptrdiff_t)i;
    double lever = fabs(weights[0]) + fabs(weights[1]) + fabs(weights[2]) + fabs(weights[3]);
    c->clearances[i] = (min - c->model->head.contact_radius) / fmax(lever, 1);
  }
}

// How far the farthest particle goes, with a little to spare for rounding.
static double farthest_way(const pl_fem_contacts *c, const double *u) {
  double max = 0;
  for (int32_t i = 0; i < c->model->head.particle_count; ++i) {
    pl_vec3 way = pl_vec3_sub(pl_fem_vector(u, i), pl_fem_vector(c->base, i));
    double square = pl_vec3_dot(way, way);
    max = square > max ? square : max;
  }
  return 1.000001 * c->reach * sqrt(max);
}

static void clear_point(pl_fem_contact_point *it, bool refresh) {
  if (refresh) it->collider = -1;
  if (refresh) it->cap = 0;
  it->is_active = false;
}

static void update_touch(const job *j, int32_t i) {
  pl_fem_contact_point *it = &j->contacts->points[i];
  bool is_held = !j->refresh && it->collider >= 0 && it->cap > 0;
  if (j->contacts->clearances[i] > j->way && !is_held)
    clear_point(it, j->refresh);
  else
    evaluate_point(j, i);
}

static void evaluate_range(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const job *j = data;
  for (int32_t k = begin; k < end; ++k) update_touch(j, j->numbers != NULL ? j->numbers[k] : k);
}

static job make_job(pl_fem_contacts *c, const double *u, bool refresh) {
  job j = {.contacts = c, .u = u, .refresh = refresh, .way = farthest_way(c, u)};
  if (c->collider_count > 0 && is_half_space(c, 0)) j.up = pl_quat_rotate(c->ends[0].rotation, pl_vec3_of(0, 1, 0));
  return j;
}

// Points that anything can happen to while none goes farther than twice this way. The others have neither forces nor
// friction, and clear_point() would leave them as they are.
static void list_near(pl_fem_contacts *c, double way) {
  c->near_way = 2 * way;
  c->near_count = 0;
  for (int32_t i = 0; i < c->model->head.surface.point_count; ++i) {
    const pl_fem_contact_point *it = &c->points[i];
    if (!(c->clearances[i] > c->near_way) || it->is_active || it->collider >= 0 || it->cap != 0)
      c->near[c->near_count++] = i;
  }
}

static void forget_near(pl_fem_contacts *c) {
  c->near_way = -1;
}

// Few points of a body touch anything: what comes after an evaluation does not look at the others.
static void list_active(pl_fem_contacts *c) {
  c->active_count = 0;
  bool all = c->near_way < 0;
  int32_t count = all ? c->model->head.surface.point_count : c->near_count;
  for (int32_t k = 0; k < count; ++k) {
    int32_t i = all ? k : c->near[k];
    if (c->points[i].is_active) c->active[c->active_count++] = i;
  }
}

// Metres that a body may overlap colliders by: its gap, or that of its size.
static double thickness_of(const pl_model *model) {
  return pl_model_contact_radius(model->contact_radius > 0 ? model->contact_radius : -1, model->box);
}

double pl_fem_contact_stiffness(const pl_model *model, double area, double base, double max_ratio) {
  static const double GRAVITY = 9.81;
  double thickness = thickness_of(model);
  if (!(area > 0) || !(thickness > 0)) return base;
  double weight = 4 * 6 * model->mass * GRAVITY / (area * thickness);
  return fmin(fmax(base, weight), max_ratio * base);
}

double pl_fem_contacts_evaluate(pl_fem_contacts *contacts, const double *u, bool refresh) {
  job j = make_job(contacts, u, refresh);
  int32_t count = contacts->model->head.surface.point_count;
  if (!contacts->measured) {
    pl_parallel_for(contacts->context, count, POINT_GRAIN, measure_range, &j);
    forget_near(contacts);
  }
  contacts->measured = true;
  bool all = !(j.way <= contacts->near_way);
  j.numbers = all ? NULL : contacts->near;
  pl_parallel_for(contacts->context, all ? count : contacts->near_count, POINT_GRAIN, evaluate_range, &j);
  if (all) list_near(contacts, j.way);
  list_active(contacts);
  double sum = 0;
  for (int32_t a = 0; a < contacts->active_count; ++a) sum += contacts->points[contacts->active[a]].energy;
  return sum / contacts->reach;
}

// Fixed-point iterations x -> g(x) of a vector, each with a factor on g(x) - x that the last two make out (Irons and
// Tuck 1969; Küttler and Wall 2008): they converge where the plain iteration goes round in circles. Only the size of
// the factor is bounded.
double pl_fem_contacts_relax(pl_fem_contacts *contacts, const double *u, double *factor) {
  int32_t count = contacts->model->head.surface.point_count;
  double sum = 0, change = 0, along = 0, square = 0;
  for (int32_t i = 0; i < count; ++i) {
    pl_fem_contact_point *it = &contacts->points[i];
    it->held = it->collider >= 0 ? it->cap : 0;
    it->held_collider = it->collider;
    it->held_normal = it->normal;
    it->held_anchor = it->anchor;
    it->held_grip = it->grip;
  }
  pl_fem_contacts_evaluate(contacts, u, true);
  for (int32_t i = 0; i < count; ++i) {
    pl_fem_contact_point *it = &contacts->points[i];
    double off = it->cap - it->held, turn = off - it->off;
    sum += fmax(it->cap, it->held);
    change += fabs(off);
    along += it->off * turn;
    square += turn * turn;
  }
  double next = *factor > 0 && square > 0 ? -*factor * along / square : 1;
  *factor = fmin(fmax(next, 0.1), 2);
  for (int32_t i = 0; i < count; ++i) {
    pl_fem_contact_point *it = &contacts->points[i];
    it->off = it->cap - it->held;
    it->cap = fmax(it->held + *factor * it->off, 0);
  }
  return sum > 0 ? change / sum : 0;
}

void pl_fem_contacts_keep(pl_fem_contacts *contacts) {
  for (int32_t i = 0; i < contacts->model->head.surface.point_count; ++i)
    contacts->points[i].cap = contacts->points[i].held;
  forget_near(contacts);
}

void pl_fem_contacts_restore(pl_fem_contacts *contacts) {
  for (int32_t i = 0; i < contacts->model->head.surface.point_count; ++i) {
    pl_fem_contact_point *it = &contacts->points[i];
    it->cap = it->held;
    it->collider = it->held_collider;
    it->normal = it->held_normal;
    it->anchor = it->held_anchor;
    it->grip = it->held_grip;
  }
  forget_near(contacts);
}

void pl_fem_contacts_add_gradient(const pl_fem_contacts *contacts, double *gradient) {
  const pl_contact_surface *surface = &contacts->model->head.surface;
  for (int32_t a = 0; a < contacts->active_count; ++a) {
    int32_t i = contacts->active[a];
    const pl_fem_contact_point *it = &contacts->points[i];
    const double *weights = contacts->model->touch.weights + 4 * (ptrdiff_t)i;
    for (int k = 0; k < 4; ++k) {
      if (weights[k] == 0) continue;
      double *g = gradient + 3 * (ptrdiff_t)surface->parents[4 * (ptrdiff_t)i + k], w = weights[k];
      g[0] += w * it->gradient.x;
      g[1] += w * it->gradient.y;
      g[2] += w * it->gradient.z;
    }
  }
}

void pl_fem_contacts_add_matrix(const pl_fem_contacts *contacts, pl_block_matrix *matrix) {
  const pl_fem_touch *touch = &contacts->model->touch;
  for (int32_t a = 0; a < contacts->active_count; ++a) {
    int32_t i = contacts->active[a];
    const pl_fem_contact_point *it = &contacts->points[i];
    const double *weights = touch->weights + 4 * (ptrdiff_t)i, *from = &it->matrix.m[0][0];
    for (int k = 0; k < 16; ++k) {
      int32_t slot = touch->slots[16 * (ptrdiff_t)i + k];
      if (slot < 0) continue;
      double w = contacts->reach * weights[k / 4] * weights[k % 4], *to = matrix->values + 9 * (ptrdiff_t)slot;
      for (int e = 0; e < 9; ++e) to[e] += w * from[e];
    }
  }
}

void pl_fem_contacts_suppress(const pl_fem_contacts *contacts, double inertia, double *blocks, double *changes) {
  const pl_model *head = &contacts->model->head;
  memset(blocks, 0, 9 * (size_t)head->particle_count * sizeof(double));
  for (int32_t a = 0; a < contacts->active_count; ++a) {
    int32_t i = contacts->active[a];
    const pl_fem_contact_point *it = &contacts->points[i];
    const double *weights = contacts->model->touch.weights + 4 * (ptrdiff_t)i;
    for (int k = 0; k < 4; ++k) {
      if (weights[k] == 0) continue;
      for (int e = 0; e < 9; ++e)
        blocks[9 * (ptrdiff_t)head->surface.parents[4 * (ptrdiff_t)i + k] + e] +=
            contacts->reach * fabs(weights[k]) * it->matrix.m[e / 3][e % 3];
    }
  }
  for (int32_t i = 0; i < head->particle_count; ++i) {
    pl_mat3 H, sum;
    memcpy(H.m, blocks + 9 * (ptrdiff_t)i, sizeof H.m);
    double m = inertia * head->masses[i];
    sum = pl_mat3_add(H, pl_mat3_diagonal(m, m, m));
    pl_fem_put(changes, i, pl_mat3_apply(H, pl_mat3_apply(pl_mat3_inverse(sum), pl_fem_vector(changes, i))));
  }
}

bool pl_fem_contacts_any(const pl_fem_contacts *contacts) {
  return contacts->collider_count > 0 && contacts->active_count > 0;
}

bool pl_fem_contacts_any_deep(const pl_fem_contacts *contacts) {
  double thickness = thickness_of(&contacts->model->head);
  for (int32_t a = 0; contacts->collider_count > 0 && a < contacts->active_count; ++a)
    if (contacts->points[contacts->active[a]].depth > thickness) return true;
  return false;
}

static void settle_range(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const job *j = data;
  const pl_fem_contacts *c = j->contacts;
  for (int32_t i = begin; i < end; ++i) {
    double *anchor = j->anchors + 4 * (ptrdiff_t)i;
    update_touch(j, i);
    const pl_fem_contact_point *it = &c->points[i];
    if (it->collider < 0) {
      memset(anchor, 0, 4 * sizeof(double));
      continue;
    }
    pl_vec3 point = point_at(c, j->u, c->reach, i), slip = tangential(pl_vec3_sub(point, it->anchor), it->normal);
    double length = pl_vec3_length(slip), longest = it->cap / it->grip;
    pl_vec3 kept = length > longest ? pl_vec3_scale(slip, longest / length) : slip;
    pl_vec3 local = pl_transform_apply_inverse(c->ends[it->collider], pl_vec3_sub(point, kept));
    anchor[0] = local.x, anchor[1] = local.y, anchor[2] = local.z;
    anchor[3] = it->collider + 1;
  }
}

void pl_fem_contacts_settle(pl_fem_contacts *contacts, const double *u, double *anchors) {
  job j = make_job(contacts, u, true);
  j.anchors = anchors;
  forget_near(contacts);
  pl_parallel_for(contacts->context, contacts->model->head.surface.point_count, POINT_GRAIN, settle_range, &j);
  list_active(contacts);
}

void pl_fem_contacts_report(const pl_fem_contacts *c, const double *u, double seconds, const pl_body_move *move) {
  for (int32_t i = 0; c->collider_count > 0 && i < c->model->head.surface.point_count; ++i) {
    const pl_fem_contact_point *it = &c->points[i];
    if (!it->is_active || it->collider < 0) continue;
    pl_vec3 point = point_at(c, u, c->reach, i), normal = it->normal;
    double force = fmax(0, -pl_vec3_dot(it->gradient, it->normal));
    if (move->presses != NULL) move->presses[i] = pl_vec3_add_scaled(move->presses[i], normal, seconds * force);
    if (move->touches == NULL) continue;
    double depth = move->wants_depths ? depth_in(c, it->collider, point, &normal) : 0;
    pl_body_touch_add(&move->touches[it->collider], point, it->normal, seconds * force, depth);
    pl_vec3 push = pl_vec3_scale(it->gradient, -seconds);
    if (it->other >= 0) {
      pl_vec3 other = pl_vec3_scale(it->other_force, seconds);
      pl_body_touch_push(&move->touches[it->other], point, other);
      push = pl_vec3_sub(push, other);
    }
    pl_body_touch_push(&move->touches[it->collider], point, push);
  }
}
