// No soft body ends a step deeper in a collider than its contact thickness.
//
// Springs of implicit bodies and impulses of solids stop what falls within a step or two; in these a point may be
// millimetres inside, by a tenth of the way that it fell in the step, and solids, whose particles may not move farther
// than a fraction of their spacing, by centimetres. So the end of the step is looked at once more: by contact where
// bodies are checked for crossing each other (contact_zones.c), and by all in the end. With d the depth of
// a surface point x = Σ w_k x_k of particles k, n the collider's normal there and t the thickness,
//
//   x_k += n s w_k / Σ w²                      s = d - max(t, depth at the start of the step), where that is positive
//   v_k += n min(max(0, (V - v_k)·n), s / h)   V velocity of the collider's surface
//
// Both are continuous in d, so that rounding does not grow. What overlapped by more when the step began, as a body that
// was put into the ground, is pushed out by its contacts alone: put at its surface at once it would explode. Bodies
// without a gap are left as they are, as for measurements of indentation; so are those whose springs were given, and
// actors, whose drivers plan with the springs.
//
// Sweeps keep rigid bodies out of colliders. Where contact separates them from others it may push them into one: they
// are put back as a whole then, for their deepest point, before it looks again.
#include <math.h>

#include "base/parallel.h"
#include "contact/collider_triangle.h"
#include "contact/contact_terms.h"
#include "contact/surface_motion.h"
#include "mesh/simplex.h"
#include "pliant/math.h"
#include "world/world_state.h"

// Points hardly disturb each other; faces share their corners. From the second number of sweeps on, what is still too
// deep stays where it was when the step began.
enum { OVERLAP_GRAIN = 8, SWEEPS = 3, FACE_SWEEPS = 16, HOLD_SWEEP = 8 };

// Of the thickness: where points are put, so that rounding leaves them within it.
static const double WITHIN = 0.98;
// Faces are put back when they are deeper by this fraction of what they may be: sweeps end where nothing is.
static const double WORTH = 0.01;
// A face is lifted by at most the inverse of this times the depth of a collider that it does not lie on.
static const double MIN_FACING = 0.5;
// A place of a triangle is on a side of it where a weight is less than this.
static const double ON_SIDE = 1e-3;

typedef struct overlap {
  int32_t number;
  const pl_collider *collider;
  pl_transform start, end;  // of the collider
  double step;
  bool is_half_space;
  bool meets_faces;            // it may touch the body with more than points
  bool holds_back;             // what is too deep stays where it was
  pl_half_space plane;         // at the end, of a half-space
  pl_contact_hold *holds;      // one per particle, or NULL
  pl_collider_impulse *given;  // sum of what the collider got
} overlap;

// `body`: its number among those that contact knows, or -1.
static overlap overlap_of(const pl_world *world, int32_t body, int32_t number) {
  const pl_collider *collider = PL_ITEM(&world->collider_list, const pl_collider *, number);
  overlap o = {.number = number,
               .collider = collider,
               .step = world->def.step,
               .is_half_space = collider->shape == PL_COLLIDER_HALF_SPACE};
  pl_collider_motion(collider, pl_world_get_time(world), o.step, &o.start, &o.end);
  o.plane = pl_half_space_of(o.end);
  o.meets_faces =
      collider->surface != NULL && body >= 0 && pl_contact_solver_is_near_faces(world->contact_solver, body);
  return o;
}

// Distance of a box from the collider, or less.
static double box_distance(const overlap *o, pl_box box) {
  if (o->is_half_space) return pl_half_space_box_height(&o->plane, &box);
  pl_vec3 center = pl_vec3_scale(pl_vec3_add(box.min, box.max), 0.5);
  double half = 0.5 * pl_box_diagonal(box);
  pl_vec3 middle = pl_transform_apply(o->end, o->collider->center);
  double ball = pl_vec3_distance(center, middle) - o->collider->reach - half;
  return ball > 0 ? ball : pl_collider_quick_distance(o->collider, o->end, center) - half;
}

// What a mesh's field may be off by, as a fraction of its cells. It is right to a twentieth nearly everywhere
// (collider_field.c); with a twentieth here single points of the scene `cup` were left too deep.
static const double FIELD_ERROR = 0.5;

// Is a point certainly no deeper in the collider than `allowed`? The grids of a mesh answer that: a walk through
// the triangles for each point of each body near it would take most of the time of the step.
static bool is_shallow(const overlap *o, pl_vec3 point, double allowed) {
  const pl_collider *collider = o->collider;
  if (o->is_half_space) return pl_half_space_height(&o->plane, point) > -allowed;
  if (collider->shape != PL_COLLIDER_MESH) return false;
  pl_vec3 local = pl_transform_apply_inverse(o->end, point), normal;
  double away, distance = pl_collider_clearance_at(&collider->clearance, local, &away);
  if (distance - away > -allowed) return true;
  return pl_collider_field_at(&collider->field, local, &distance, &normal) &&
         distance - FIELD_ERROR * collider->field.cell > -allowed;
}

// How far a surface point that is at `point` goes along a normal, s; 0 or less: it may stay. `way`: that of the
// collider at its start.
static double shift_of(const overlap *o, const pl_contact_surface *surface, int32_t i, pl_vec3 point,
                       const pl_vec3 *starts, double allowed, pl_vec3 *normal, pl_vec3 *way) {
  if (is_shallow(o, point, allowed)) return 0;
  double depth = -pl_collider_distance(o->collider, o->end, point, normal);
  if (!(depth > allowed)) return 0;
  pl_vec3 from = pl_contact_surface_point(surface, i, starts);
  *way = pl_vec3_sub(pl_collider_carry(o->collider, o->start, o->end, from, point), from);
  return depth - fmax(allowed, -pl_collider_distance(o->collider, o->start, from, NULL));
}

// What a mass gave to the collider as it was moved: momentum, and the moment of it around the world's origin, which the
// way alone changes too.
static void note_given(const overlap *o, double mass, pl_vec3 was, pl_vec3 old_velocity, pl_vec3 is, pl_vec3 velocity) {
  pl_vec3 gain = pl_vec3_sub(velocity, old_velocity);
  pl_vec3 moment = pl_vec3_sub(pl_vec3_cross(is, velocity), pl_vec3_cross(was, old_velocity));
  o->given->linear = pl_vec3_add_scaled(o->given->linear, gain, -mass);
  o->given->angular = pl_vec3_add_scaled(o->given->angular, moment, -mass);
}

// The particles of a place stay where they were when the step began, on the collider if that moves. There all of them
// were outside. What hits the rim of a collider at high speed is pushed to either side of it by turns otherwise, and
// farther by each.
static void hold_place(const overlap *o, const pl_body *body, const pl_contact_points *points,
                       const pl_contact_arm *place, pl_vec3 normal) {
  for (int32_t k = 0; k < place->count; ++k) {
    int32_t particle = place->terms[k].particle;
    if (!(body->inverse_masses[particle] > 0)) continue;
    pl_vec3 *x = &points->positions[particle], *v = &points->velocities[particle], was = *x, old_velocity = *v;
    *x = pl_collider_carry(o->collider, o->start, o->end, points->starts[particle], was);
    pl_vec3 way = pl_vec3_sub(*x, points->starts[particle]);
    *v = pl_vec3_scale(way, 1 / o->step);
    note_given(o, body->model->masses[particle], was, old_velocity, *x, *v);
    if (o->holds != NULL) o->holds[particle] = (pl_contact_hold){true, normal, way};
  }
}

// Move a place of a body, a weighted mean of particles, along a normal. `way` is that of the collider there. False
// where nothing can be moved.
static bool move_place(const overlap *o, const pl_body *body, const pl_contact_points *points,
                       const pl_contact_arm *place, pl_vec3 normal, double shift, pl_vec3 way) {
  double square = 0;
  for (int32_t k = 0; k < place->count; ++k)
    if (body->inverse_masses[place->terms[k].particle] > 0) square += place->terms[k].weight * place->terms[k].weight;
  if (!(square > 0)) return false;
  if (o->holds_back) {
    hold_place(o, body, points, place, normal);
    return true;
  }
  double speed = pl_vec3_dot(way, normal) / o->step;
  for (int32_t k = 0; k < place->count; ++k) {
    int32_t particle = place->terms[k].particle;
    double weight = place->terms[k].weight;
    if (!(body->inverse_masses[particle] > 0)) continue;
    pl_vec3 *x = &points->positions[particle], *v = &points->velocities[particle], was = *x, old_velocity = *v;
    *x = pl_vec3_add_scaled(*x, normal, shift * weight / square);
    *v = pl_vec3_add_scaled(*v, normal, fmin(fmax(0, speed - pl_vec3_dot(*v, normal)), shift / o->step));
    note_given(o, body->model->masses[particle], was, old_velocity, *x, *v);
    if (o->holds != NULL) o->holds[particle] = (pl_contact_hold){true, normal, way};
  }
  return true;
}

// Put a surface point where it may be.
static bool part_point(const overlap *o, const pl_body *body, const pl_contact_points *points, int32_t i) {
  const pl_model *model = body->model;
  pl_vec3 normal, way, point = pl_contact_surface_point(&model->surface, i, points->positions);
  double shift = shift_of(o, &model->surface, i, point, points->starts, WITHIN * model->max_overlap, &normal, &way);
  if (!(shift > 0)) return false;
  pl_contact_term terms[4];
  pl_contact_arm place = {.terms = terms};
  for (size_t k = 4 * (size_t)i; k < 4 * (size_t)i + 4; ++k)
    if (model->surface.weights[k] != 0.0f)
      terms[place.count++] = (pl_contact_term){model->surface.parents[k], (double)model->surface.weights[k]};
  return move_place(o, body, points, &place, normal, shift, way);
}

// The same for a place on an edge or a face that a collider touches. What comes fast may be through it after a step:
// the contact says where it came in, which the distance does not.
static bool part_contact(const overlap *o, const pl_world *world, const pl_body *body, const pl_contact_points *points,
                         const pl_contact *contact) {
  pl_contact_term terms[PL_MAX_TERMS];
  pl_contact_arm arm = pl_contact_arm_of_side(world->contact_bodies.items, &contact->a, terms);
  pl_vec3 place = {0, 0, 0};
  for (int32_t k = 0; k < arm.count; ++k)
    place = pl_vec3_add_scaled(place, points->positions[terms[k].particle], terms[k].weight);
  // The gap of a contact is counted from where the thickness ends.
  double thickness = body->model->contact_radius;
  double depth = contact->offset - pl_vec3_dot(contact->normal, place) - thickness;
  double allowed = WITHIN * body->model->max_overlap;
  double shift = depth - fmax(allowed, -contact->start_gap - thickness);
  if (!(shift > WORTH * allowed)) return false;
  return move_place(o, body, points, &arm, contact->normal, shift, pl_vec3_scale(contact->surface_velocity, o->step));
}

static bool part_contacts(const overlap *o, const pl_world *world, const pl_body *body,
                          const pl_contact_points *points) {
  bool any = false;
  pl_contact_view view = pl_contact_solver_get_edge_contacts(world->contact_solver, body->contact_number);
  for (int32_t i = 0; i < view.count; ++i)
    if (view.contacts[i].collider == o->number) any = part_contact(o, world, body, points, &view.contacts[i]) || any;
  return any;
}

// How deep a place on a face may be that was so deep when the step began. It is another place in every step, and its
// depth is found to a few micrometres: what is a little too deep is no exception, or it would get deeper in each.
static double limit_of(double allowed, double start) {
  return fmax(allowed, fmin(start, allowed + 2 * (start - 1.5 * allowed)));
}

// The deepest place of a triangle, and how far it goes along the normal; 0 or less: it may stay. A face is lifted along
// its own normal: that of the distance leads out of a thin collider to its side. `at` and `from`: its corners at the
// end of the step and at its start.
typedef struct deepest_place {
  double weights[3];
  pl_vec3 position, normal, way;
} deepest_place;

static double shift_of_triangle(const overlap *o, double allowed, const pl_vec3 at[3], const pl_vec3 from[3],
                                deepest_place *place) {
  double *w = place->weights;
  double depth = pl_collider_triangle_depth(o->collider, o->end, at, allowed, w, &place->normal);
  if (!(depth > allowed)) return 0;
  pl_vec3 start = {0, 0, 0}, face = pl_triangle_normal(at[0], at[1], at[2]);
  place->position = start;
  for (int k = 0; k < 3; ++k) {
    place->position = pl_vec3_add_scaled(place->position, at[k], w[k]);
    start = pl_vec3_add_scaled(start, from[k], w[k]);
  }
  double shift = depth - limit_of(allowed, -pl_collider_distance(o->collider, o->start, start, NULL));
  if (!(shift > WORTH * allowed)) return 0;
  place->way = pl_vec3_sub(pl_collider_carry(o->collider, o->start, o->end, start, place->position), start);
  double facing = -pl_vec3_dot(face, place->normal);
  bool is_inside = w[0] > ON_SIDE && w[1] > ON_SIDE && w[2] > ON_SIDE;
  if (!(facing > 0 && is_inside)) return shift;
  place->normal = pl_vec3_scale(face, -1);
  return shift / fmax(facing, MIN_FACING);
}

static bool part_triangle(const overlap *o, const pl_world *world, const pl_body *body, const pl_contact_points *points,
                          int32_t triangle) {
  const pl_contact_surface *surface = &body->model->surface;
  const int32_t *corners = &surface->triangles[3 * (size_t)triangle];
  pl_vec3 at[3], from[3];
  for (int k = 0; k < 3; ++k) {
    at[k] = pl_contact_surface_point(surface, corners[k], points->positions);
    from[k] = pl_contact_surface_point(surface, corners[k], points->starts);
  }
  deepest_place place;
  double shift = shift_of_triangle(o, WITHIN * body->model->max_overlap, at, from, &place);
  if (!(shift > 0)) return false;
  const double *w = place.weights;
  pl_contact_side side = {body->contact_number, 3, {corners[0], corners[1], corners[2]}, {w[0], w[1], w[2]}};
  pl_contact_term terms[PL_MAX_TERMS];
  pl_contact_arm arm = pl_contact_arm_of_side(world->contact_bodies.items, &side, terms);
  return move_place(o, body, points, &arm, place.normal, shift, place.way);
}

// Points whose edges and faces the collider touches, and some of their neighbours.
static pl_contact_mask touched_points(const overlap *o, const pl_world *world, const pl_body *body) {
  pl_contact_mask mask = 0;
  pl_contact_view view = pl_contact_solver_get_edge_contacts(world->contact_solver, body->contact_number);
  for (int32_t i = 0; i < view.count; ++i) {
    const pl_contact_side *side = &view.contacts[i].a;
    for (int32_t k = 0; view.contacts[i].collider == o->number && k < side->count; ++k)
      pl_contact_mask_add(&mask, side->points[k], body->model->surface.point_count);
  }
  return mask;
}

// All triangles; of a mesh of many, whose distance takes a walk through them, those that contacts have found.
static bool part_triangles(const overlap *o, const pl_world *world, const pl_body *body,
                           const pl_contact_points *points) {
  const pl_contact_surface *surface = &body->model->surface;
  bool any = false, is_mesh = o->collider->field.distances != NULL;
  pl_contact_mask mask = is_mesh ? touched_points(o, world, body) : ~(pl_contact_mask)0;
  for (int32_t i = 0; i < surface->triangle_count && mask != 0; ++i) {
    bool is_touched = !is_mesh;
    for (int32_t k = 3 * i; k < 3 * i + 3 && !is_touched; ++k)
      is_touched = pl_contact_mask_has(mask, surface->triangles[k], surface->point_count);
    if (is_touched) any = part_triangle(o, world, body, points, i) || any;
  }
  return any;
}

static bool part_body(overlap *o, const pl_world *world, const pl_body *body, const pl_contact_points *points) {
  bool any = false, changed = true;
  int sweeps = o->meets_faces ? FACE_SWEEPS : SWEEPS;
  for (int sweep = 0; sweep < sweeps && changed; ++sweep) {
    o->holds_back = sweep >= HOLD_SWEEP;
    changed = o->meets_faces && part_contacts(o, world, body, points);
    changed = (o->meets_faces && part_triangles(o, world, body, points)) || changed;
    for (int32_t i = 0; i < body->model->surface.point_count; ++i) changed = part_point(o, body, points, i) || changed;
    any = any || changed;
  }
  return any;
}

static bool may_be_parted(const pl_body *body) {
  return body->model->max_overlap > 0 && body->collides && body->is_saved;
}

// Part `positions`, which are in the box. The other arrays are read when they are needed, unless they are there: with
// `holds`, and in a body that has its ends.
static bool part_points(pl_world *world, int32_t index, const pl_contact_points *points, pl_box box,
                        pl_contact_hold *holds) {
  const pl_body *body = pl_slots_at(&world->bodies, index);
  const pl_body_method *method = body->model->method;
  bool any = false, is_read = holds != NULL || body->has_ends;
  for (int32_t c = 0; c < (int32_t)world->collider_list.count; ++c) {
    if (!pl_world_meets_collider(world, index, c)) continue;
    overlap o = overlap_of(world, body->contact_number, c);
    pl_collider_impulse given = {{0, 0, 0}, {0, 0, 0}};
    o.holds = holds;
    o.given = &given;
    if (box_distance(&o, box) > -WITHIN * body->model->max_overlap) continue;
    if (!is_read) {
      method->get_velocities(body->model, body->state, points->velocities);
      method->get_positions(body->model, body->saved, points->starts);
      is_read = true;
    }
    if (!part_body(&o, world, body, points)) continue;
    pl_world_note_put_back(world, index, c, &given);
    any = true;
  }
  return any;
}

static pl_contact_points points_of(const pl_body *body) {
  return (pl_contact_points){body->starts, body->start_velocities, body->positions, body->velocities};
}

// --- rigid bodies

// A rigid body that contact may have moved since its state was written: from there to where it is.
typedef struct rigid_way {
  pl_vec3 from, to;
  pl_quat turn;
} rigid_way;

static pl_vec3 follow_way(const rigid_way *way, pl_vec3 point) {
  return pl_vec3_add(way->to, pl_quat_rotate(way->turn, pl_vec3_sub(point, way->from)));
}

// What a rigid body is put back for.
typedef struct rigid_shift {
  double length;  // along …
  pl_vec3 normal, way, position;
} rigid_shift;

static void find_deepest_point(const overlap *o, const pl_body *body, const rigid_way *way, rigid_shift *max) {
  const pl_contact_surface *surface = &body->model->surface;
  double allowed = WITHIN * body->model->contact_radius;
  for (int32_t i = 0; i < surface->point_count; ++i) {
    pl_vec3 point = follow_way(way, pl_contact_surface_point(surface, i, body->positions)), along, moved;
    double shift = shift_of(o, surface, i, point, body->starts, allowed, &along, &moved);
    if (shift > max->length) *max = (rigid_shift){shift, along, moved, point};
  }
}

static void find_deepest_triangle(const overlap *o, const pl_body *body, const rigid_way *way, rigid_shift *max) {
  const pl_contact_surface *surface = &body->model->surface;
  for (int32_t t = 0; t < surface->triangle_count; ++t) {
    pl_vec3 at[3], from[3];
    for (int k = 0; k < 3; ++k) {
      int32_t corner = surface->triangles[3 * (size_t)t + (size_t)k];
      at[k] = follow_way(way, pl_contact_surface_point(surface, corner, body->positions));
      from[k] = pl_contact_surface_point(surface, corner, body->starts);
    }
    deepest_place place;
    double shift = shift_of_triangle(o, WITHIN * body->model->contact_radius, at, from, &place);
    if (shift > max->length) *max = (rigid_shift){shift, place.normal, place.way, place.position};
  }
}

// Where a body goes as a whole, x += n s, for its deepest place, and what its centre loses: v += n min(...) as above.
static bool part_rigid(const overlap *o, pl_body *body, rigid_way *way, pl_contact_hold *hold) {
  rigid_shift max = {.length = 0};
  find_deepest_point(o, body, way, &max);
  if (o->meets_faces) find_deepest_triangle(o, body, way, &max);
  if (!(max.length > 0)) return false;
  pl_contact_rigid *rigid = &body->rigid;
  pl_vec3 lever = pl_vec3_sub(max.position, way->to);
  pl_vec3 velocity = pl_vec3_add(rigid->velocity, pl_vec3_cross(rigid->angular_velocity, lever));
  double speed = pl_vec3_dot(max.way, max.normal) / o->step - pl_vec3_dot(velocity, max.normal);
  pl_vec3 was = rigid->center, old_velocity = rigid->velocity;
  rigid->center = way->to = pl_vec3_add_scaled(way->to, max.normal, max.length);
  rigid->velocity = pl_vec3_add_scaled(rigid->velocity, max.normal, fmin(fmax(0, speed), max.length / o->step));
  note_given(o, 1 / rigid->inverse_mass, was, old_velocity, rigid->center, rigid->velocity);
  *hold = (pl_contact_hold){true, max.normal, max.way};
  return true;
}

static bool keep_rigid_out(pl_world *world, int32_t index, pl_contact_hold *hold) {
  pl_body *body = pl_slots_at(&world->bodies, index);
  if (!(body->rigid.inverse_mass > 0) || !body->collides || !(body->model->contact_radius > 0)) return false;
  pl_contact_rigid was;
  body->model->method->get_rigid(body->model, body->state, &was);
  rigid_way way = {was.center, body->rigid.center,
                   pl_quat_multiply(body->rigid.rotation, pl_quat_conjugate(was.rotation))};
  bool any = false;
  for (int32_t c = 0; c < (int32_t)world->collider_list.count; ++c) {
    if (!pl_world_meets_collider(world, index, c)) continue;
    overlap o = overlap_of(world, body->contact_number, c);
    pl_collider_impulse given = {{0, 0, 0}, {0, 0, 0}};
    pl_box box = pl_box_empty();
    o.given = &given;
    for (int32_t i = 0; i < body->model->surface.point_count; ++i)
      pl_box_cover(&box, follow_way(&way, pl_contact_surface_point(&body->model->surface, i, body->positions)));
    if (box_distance(&o, box) > -WITHIN * body->model->contact_radius) continue;
    bool parted = false;
    for (int sweep = 0; sweep < SWEEPS && part_rigid(&o, body, &way, hold); ++sweep) parted = true;
    if (parted) pl_world_note_put_back(world, index, c, &given);
    any = any || parted;
  }
  return any;
}

bool pl_body_part_points(pl_world *world, int32_t index, pl_contact_hold *holds) {
  const pl_body *body = pl_slots_at(&world->bodies, index);
  if (body->model->method->set_rigid != NULL) return keep_rigid_out(world, index, holds);
  pl_contact_points points = points_of(body);
  if (!may_be_parted(body)) return false;
  return part_points(world, index, &points, pl_box_of_points(points.positions, body->model->particle_count), holds);
}

// Is a body parted as soon as contact is done with it? Nothing else than contact moves it.
static bool is_parted_early(const pl_world *world, const pl_body *body) {
  return world->notes_in_move && body->is_noted;
}

// A face that rolls over a small collider follows a circle, of which a sweep knows the tangent.
static bool part_rigid_faces(pl_world *world, int32_t index) {
  pl_body *body = pl_slots_at(&world->bodies, index);
  const pl_body_method *method = body->model->method;
  if (body->contact_number < 0 || !pl_contact_solver_is_near_faces(world->contact_solver, body->contact_number))
    return false;
  pl_contact_hold hold;
  method->get_rigid(body->model, body->state, &body->rigid);
  method->get_positions(body->model, body->state, body->positions);
  if (!keep_rigid_out(world, index, &hold)) return false;
  method->set_rigid(body->model, body->state, &body->rigid);
  method->get_velocities(body->model, body->state, body->velocities);
  return true;
}

bool pl_body_part_from_colliders(pl_world *world, int32_t index, const pl_contact_points *points) {
  pl_body *body = pl_slots_at(&world->bodies, index);
  const pl_body_method *method = body->model->method;
  if (method->set_rigid != NULL) return part_rigid_faces(world, index);
  if (!may_be_parted(body)) return false;
  method->get_positions(body->model, body->state, points->positions);
  bool any = part_points(world, index, points, pl_box_of_points(points->positions, body->model->particle_count), NULL);
  if (any) method->set_state(body->model, body->state, points->positions, points->velocities);
  return any;
}

void pl_body_part_when_committed(pl_world *world, int32_t index) {
  pl_body *body = pl_slots_at(&world->bodies, index);
  if (world->collider_list.count == 0 || body->slept || !is_parted_early(world, body)) return;
  // Contact has not asked for its points: nothing is near it, or it was parted with its contacts.
  if (!body->has_points) return;
  pl_contact_points points = points_of(body);
  if (!body->has_ends)
    pl_body_part_from_colliders(world, index, &points);
  else if (may_be_parted(body) && part_points(world, index, &points, body->note.extents[1].box, NULL))
    pl_body_round_motion(world, body);
}

static void part_range(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  pl_world *world = data;
  for (int32_t k = begin; k < end; ++k) {
    int32_t index = PL_ITEM(&world->awake, int32_t, k);
    const pl_body *body = pl_slots_at(&world->bodies, index);
    if (is_parted_early(world, body)) continue;
    pl_contact_points points = points_of(body);
    pl_body_part_from_colliders(world, index, &points);
  }
}

void pl_world_part_from_colliders(pl_world *world) {
  if (world->collider_list.count == 0 || pl_world_notes_all(world)) return;
  pl_parallel_for(world->context, world->awake_count, OVERLAP_GRAIN, part_range, world);
}
