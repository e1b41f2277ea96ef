// One moving point against one moving collider.
//
// Both ends of the point's path are taken into the collider's own frame, each with the placement of its time; there the collider stands still
// and the path is a straight line. The first touch on it is found by sphere tracing: the signed distance is a step that is always
// safe, so nothing is passed through however thin it is or fast the point. Each contact is a plane, at the end placement, that the
// point must not be behind.
//
// d  signed distance less the body's radius, metres        0 and 1  start and end of the step
#include "contact/contact_solver.h"
#include "math/quat.h"

// Sphere tracing ends this close to the surface, as a share of the path …
static const double TRACE_TOLERANCE = 1e-7;
// … or after this many steps; only a path that grazes the surface takes as many.
enum { TRACE_LIMIT = 64 };

// A path in the collider's frame.
typedef struct local_path {
  const pl_collider *collider;
  double radius;
  pl_vec3 start, end, normal_0, normal_1;
  double length, d0, d1;
} local_path;

static double distance_at(const local_path *path, pl_vec3 point, pl_vec3 *normal) {
  return pl_collider_local_distance(path->collider, point, normal) - path->radius;
}

// First point at which the path touches while going in; false if it gets by.
static bool trace(const local_path *path, pl_vec3 *touched, pl_vec3 *normal) {
  pl_vec3 along = pl_vec3_sub(path->end, path->start);
  double t = 0, d = path->d0;
  for (int i = 0; i < TRACE_LIMIT; ++i) {
    t += fmax(d, TRACE_TOLERANCE * path->length) / path->length;
    if (!(t < 1)) return false;
    *touched = pl_vec3_add_scaled(path->start, along, t);
    d = distance_at(path, *touched, normal);
    if (d <= TRACE_TOLERANCE * path->length && pl_vec3_dot(*normal, along) < 0) return true;
  }
  return false;
}

// Put the plane through `touched` on the list, if the point ends behind it or close to it.
static void add_plane(const pl_contact_query *query, const pl_collider_step *step, int32_t collider, const local_path *path,
                      pl_vec3 touched, pl_vec3 normal, pl_contact_slots slots) {
  double gap = pl_vec3_dot(normal, pl_vec3_sub(path->end, touched));
  if (!(gap < query->scale.margin)) return;
  const pl_contact_body *body = &query->bodies[query->body];
  pl_vec3 place = pl_transform_apply(step->end, touched);
  pl_contact contact = {
      .body = query->body,
      .point = query->point,
      .collider = collider,
      .other = -1,
      .triangle = -1,
      .normal = pl_quat_apply(step->end.rotation, normal),
      .start_gap = pl_vec3_dot(normal, pl_vec3_sub(path->start, touched)),
      .depth = -gap,
      .friction = sqrt(body->friction * step->collider->friction),
      .restitution = fmax(body->restitution, step->collider->restitution),
  };
  contact.offset = pl_vec3_dot(contact.normal, place);
  // The touched piece of the collider moved from where it was at the start: a point that sticks to it is carried there exactly.
  if (query->step > 0)
    contact.surface_velocity = pl_vec3_scale(pl_vec3_sub(place, pl_transform_apply(step->start, touched)), 1 / query->step);
  pl_contact_slots_add(slots, &contact);
}

void pl_contact_find_collider(const pl_contact_query *query, const pl_collider_step *step, int32_t collider,
                              pl_contact_slots slots) {
  local_path path = {.collider = step->collider, .radius = query->bodies[query->body].radius};
  path.start = pl_transform_unapply(step->start, query->start);
  path.end = pl_transform_unapply(step->end, query->end);
  path.length = pl_vec3_distance(path.start, path.end);
  double margin = query->scale.margin;
  if (step->collider->shape == PL_COLLIDER_MESH &&
      pl_collider_clearance_at(&step->collider->clearance, path.end) - path.radius > path.length + margin)
    return;
  path.d0 = distance_at(&path, path.start, &path.normal_0);
  path.d1 = distance_at(&path, path.end, &path.normal_1);

  // The distance changes no faster than the point moves: far at both ends is far all along.
  bool is_half_space = step->collider->shape == PL_COLLIDER_HALF_SPACE;
  if (path.d1 >= margin && (is_half_space || path.d0 + path.d1 > path.length)) return;

  pl_vec3 touched = path.start, normal = path.normal_0;
  bool is_touching = fabs(path.d0) <= margin && pl_vec3_dot(path.normal_0, pl_vec3_sub(path.end, path.start)) < 0;
  bool is_first = true;
  if (is_half_space || is_touching) {
    // Resting on it, or a flat thing: the plane at the start is the plane at the end.
    double t = is_half_space && path.d0 > 0 && path.d1 < 0 ? path.d0 / (path.d0 - path.d1) : 0;
    touched = pl_vec3_mix(path.start, path.end, t);
    touched = pl_vec3_add_scaled(touched, normal, -distance_at(&path, touched, NULL));
  } else if (path.d0 > 0 && path.length > 0 && trace(&path, &touched, &normal)) {
    // Came in from outside.
  } else {
    is_first = false;
  }
  if (is_first) add_plane(query, step, collider, &path, touched, normal, slots);

  // Overlapping or close at the end: pushed out the nearest way. After a first contact this is a second wall of a hollow mesh, provided
  // that the point was in front of it; otherwise it is the far side of the same thin piece.
  if (!(path.d1 < margin)) return;
  touched = pl_vec3_add_scaled(path.end, path.normal_1, -path.d1);
  bool is_second_wall = step->collider->shape == PL_COLLIDER_MESH && pl_vec3_dot(normal, path.normal_1) < 0.99 &&
                        pl_vec3_dot(path.normal_1, pl_vec3_sub(path.start, touched)) >= -margin;
  if (!is_first || is_second_wall) add_plane(query, step, collider, &path, touched, path.normal_1, slots);
}
