// One moving point against one moving collider.
//
// Both ends of the point's path are taken into the collider's own frame, each with the placement of its time; there the
// collider stands still and the path is a straight line. The first touch on it is found by sphere tracing: the signed
// distance is a step that is always safe, so nothing is passed through however thin it is or fast the point. Each
// contact is a plane, at the end placement, that the point must not be behind.
//
// The distance to a mesh is a walk through its hierarchy. It is bounded from both sides by the coarse grid and by the
// distance of the position asked for last, a neighbour of this one: that rules out most positions, and ends most walks
// early.
//
// d  signed distance less the body's radius, metres        0 and 1  start and end of the step
#include "contact/contact_solver.h"
#include "mesh/triangle_tree.h"
#include "pliant/math.h"

// Sphere tracing ends this close to the surface, as a fraction of the path …
static const double TRACE_TOLERANCE = 1e-7;
// … or after this many steps; only a path that grazes the surface takes that many.
enum { MAX_TRACE = 64 };

// A path in the collider's frame.
typedef struct local_path {
  const pl_collider *collider;
  double radius;
  pl_vec3 start, end, normal_0, normal_1;
  double length, d0, d1;
  pl_distance_anchor *anchor;  // the last position asked for
} local_path;

static double mesh_distance(const local_path *path, pl_vec3 point, double max_outside, pl_vec3 *normal) {
  const pl_collider *collider = path->collider;
  pl_distance_range range = pl_distance_anchor_range(path->anchor, point);
  double away, distance = pl_collider_clearance_at(&collider->clearance, point, &away);
  if (distance - away > range.low) range.low = distance - away;
  if (distance + away < range.high) range.high = distance + away;
  if (range.low > max_outside) return HUGE_VAL;
  double limit = pl_distance_search_limit(range, max_outside, 1e-9 * collider->reach);
  distance = pl_triangle_tree_signed_distance(collider->tree, point, limit, NULL, normal);
  if (distance < HUGE_VAL) *path->anchor = (pl_distance_anchor){true, point, distance};
  return distance;
}

// `enough`: when d is certainly more than this, any number above it will do.
static double distance_at(const local_path *path, pl_vec3 point, double enough, pl_vec3 *normal) {
  if (path->collider->shape == PL_COLLIDER_MESH)
    return mesh_distance(path, point, enough + path->radius, normal) - path->radius;
  return pl_collider_local_distance(path->collider, point, normal) - path->radius;
}

// First point at which the path touches while going in; false if it gets by.
static bool trace(const local_path *path, pl_vec3 *touched, pl_vec3 *normal) {
  pl_vec3 along = pl_vec3_sub(path->end, path->start);
  double t = 0, d = path->d0;
  for (int i = 0; i < MAX_TRACE; ++i) {
    t += fmax(d, TRACE_TOLERANCE * path->length) / path->length;
    if (!(t < 1)) return false;
    *touched = pl_vec3_add_scaled(path->start, along, t);
    d = distance_at(path, *touched, HUGE_VAL, normal);
    if (d <= TRACE_TOLERANCE * path->length && pl_vec3_dot(*normal, along) < 0) return true;
  }
  return false;
}

// Put the plane through `touched` on the list, if the point ends behind it or close to it.
static void add_plane(const pl_contact_query *query, const pl_collider_step *step, int32_t collider,
                      const local_path *path, pl_vec3 touched, pl_vec3 normal) {
  const pl_contact_group *group = query->group;
  double gap = pl_vec3_dot(normal, pl_vec3_sub(path->end, touched));
  if (!(gap < group->scale.margin)) return;
  const pl_contact_body *body = &group->bodies[query->body];
  pl_vec3 position = pl_transform_apply(step->end, touched);
  pl_contact contact = {
      .a = {query->body, 1, {query->point}, {1}},
      .b = {.body = -1},
      .collider = collider,
      .normal = pl_quat_rotate(step->end.rotation, normal),
      .start_gap = pl_vec3_dot(normal, pl_vec3_sub(path->start, touched)),
      .depth = -gap,
      .friction = sqrt(body->friction * step->collider->friction),
      .restitution = fmax(body->restitution, step->collider->restitution),
  };
  contact.offset = pl_vec3_dot(contact.normal, position);
  // The touched piece of the collider moved from where it was at the start: a point that sticks to it is carried there
  // exactly.
  if (group->step > 0)
    contact.surface_velocity =
        pl_vec3_scale(pl_vec3_sub(position, pl_transform_apply(step->start, touched)), 1 / group->step);
  pl_contact_slots_add(query->slots, &contact);
}

static void find_point(const pl_contact_query *query, const pl_collider_step *step, int32_t collider,
                       pl_distance_anchor *anchor) {
  local_path path = {.collider = step->collider, .radius = query->group->bodies[query->body].radius, .anchor = anchor};
  path.start = pl_transform_apply_inverse(step->start, query->start);
  path.end = pl_transform_apply_inverse(step->end, query->end);
  path.length = pl_vec3_distance(path.start, path.end);
  double margin = query->group->scale.margin;
  bool is_half_space = step->collider->shape == PL_COLLIDER_HALF_SPACE;

  // The distance changes no faster than the point moves: far at the end is far all along, and so is far at both ends.
  double enough = path.length > margin && !is_half_space ? path.length : margin;
  path.d1 = distance_at(&path, path.end, enough, &path.normal_1);
  if (path.d1 > enough) return;
  path.d0 = distance_at(&path, path.start, HUGE_VAL, &path.normal_0);
  if (path.d1 >= margin && (is_half_space || path.d0 + path.d1 > path.length)) return;

  pl_vec3 touched = path.start, normal = path.normal_0;
  bool is_touching = fabs(path.d0) <= margin && pl_vec3_dot(path.normal_0, pl_vec3_sub(path.end, path.start)) < 0;
  bool is_first = true;
  if (is_half_space || is_touching) {
    // Resting on it, or a flat thing: the plane at the start is the plane at the end.
    double t = is_half_space && path.d0 > 0 && path.d1 < 0 ? path.d0 / (path.d0 - path.d1) : 0;
    touched = pl_vec3_lerp(path.start, path.end, t);
    touched = pl_vec3_add_scaled(touched, normal, -distance_at(&path, touched, HUGE_VAL, NULL));
  } else if (path.d0 > 0 && path.length > 0 && trace(&path, &touched, &normal)) {
    // Came in from outside.
  } else {
    is_first = false;
  }
  if (is_first) add_plane(query, step, collider, &path, touched, normal);

  // Overlapping or close at the end: pushed out the nearest way. After a first contact this is a second face of a
  // hollow mesh, provided that the point was in front of it; otherwise it is the far side of the same thin piece.
  if (!(path.d1 < margin)) return;
  touched = pl_vec3_add_scaled(path.end, path.normal_1, -path.d1);
  bool is_second_face = step->collider->shape == PL_COLLIDER_MESH && pl_vec3_dot(normal, path.normal_1) < 0.99 &&
                        pl_vec3_dot(path.normal_1, pl_vec3_sub(path.start, touched)) >= -margin;
  if (!is_first || is_second_face) add_plane(query, step, collider, &path, touched, path.normal_1);
}

// Is everything in the group too far from the collider to touch it?
static bool is_clear(const pl_contact_group *group, const pl_collider_step *step) {
  const pl_collider *collider = step->collider;
  double margin = group->scale.margin + group->bodies[group->body].radius;
  pl_vec3 size = pl_vec3_scale(pl_vec3_sub(group->end_box.max, group->end_box.min), 0.5);
  pl_vec3 end = pl_transform_apply_inverse(step->end, pl_box_center(group->end_box));
  if (collider->shape == PL_COLLIDER_HALF_SPACE) {
    pl_vec3 up = pl_quat_rotate(step->end.rotation, pl_vec3_of(0, 1, 0));
    return end.y - fabs(up.x) * size.x - fabs(up.y) * size.y - fabs(up.z) * size.z > margin * (1 + 1e-9);
  }
  // All ends are within `end_reach` of the middle, all paths no longer than `length`: as for a single point.
  pl_vec3 start = pl_transform_apply_inverse(step->start, pl_box_center(group->start_box));
  double start_reach = 0.5 * pl_box_diagonal(group->start_box), end_reach = pl_vec3_length(size);
  double length = pl_vec3_distance(start, end) + start_reach + end_reach, away = 0;
  double distance = collider->shape == PL_COLLIDER_MESH ? pl_collider_clearance_at(&collider->clearance, end, &away)
                                                        : pl_collider_local_distance(collider, end, NULL);
  return distance - away - end_reach > margin + length;
}

void pl_contact_find_collider(const pl_contact_group *group, const pl_collider_step *step, int32_t collider,
                              pl_distance_anchor *anchor) {
  if (is_clear(group, step)) return;
  bool is_half_space = step->collider->shape == PL_COLLIDER_HALF_SPACE;
  pl_half_space plane = pl_half_space_of(step->end);
  double reach = group->scale.margin + group->bodies[group->body].radius;
  const pl_vec3 *ends = group->motions[group->body].ends;
  pl_contact_query query;
  for (int32_t i = 0; i < group->count; ++i) {
    int32_t point = group->points != NULL ? group->points[i] : i;
    if (is_half_space && pl_half_space_height(&plane, ends[point]) > reach) continue;
    if (pl_contact_group_query(group, i, &query)) find_point(&query, step, collider, anchor);
  }
}

// Fetch the slot that a contact of a point goes to into the cache. A contact is four lines, and until they are there
// all that is written after it waits.
static void fetch_slot(const pl_contact_group *group, int32_t point) {
  const char *slot = (const char *)&group->contacts[(size_t)point * PL_CONTACTS_PER_POINT];
  for (size_t i = 0; i < sizeof(pl_contact); i += 64) __builtin_prefetch(slot + i, 1);
}

// The points of a small body that end the step near a half-space. Returns their number.
static int32_t list_near(const pl_contact_group *group, const pl_half_space *plane, int32_t *near) {
  const pl_contact_body *body = &group->bodies[group->body];
  double reach = group->scale.margin + body->radius;
  int32_t count = 0;
  for (int32_t point = 0; point < body->surface->point_count; ++point) {
    pl_vec3 end = pl_contact_surface_point(body->surface, point, body->positions);
    if (pl_half_space_height(plane, end) > reach) continue;
    fetch_slot(group, point);
    near[count++] = point;
  }
  return count;
}

void pl_contact_find_half_space(const pl_contact_group *group, const pl_collider_step *step, int32_t collider) {
  const pl_contact_body *body = &group->bodies[group->body];
  pl_half_space plane = pl_half_space_of(step->end);
  pl_distance_anchor anchor = {.is_set = false};
  pl_contact_fetch_particles(body->positions, body->surface->particle_count);
  pl_contact_fetch_particles(body->starts, body->surface->particle_count);
  int32_t near[PL_SURFACE_LANE_POINTS], count = list_near(group, &plane, near);
  for (int32_t i = 0; i < count; ++i) {
    int32_t point = near[i];
    pl_contact_query query = {.group = group,
                              .body = group->body,
                              .point = point,
                              .start = pl_contact_surface_point(body->surface, point, body->starts),
                              .end = pl_contact_surface_point(body->surface, point, body->positions),
                              .slots = pl_contact_group_slots(group, point)};
    if (pl_contact_query_is_finite(&query)) find_point(&query, step, collider, &anchor);
  }
}
