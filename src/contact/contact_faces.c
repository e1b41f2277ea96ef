// Faces and edges of bodies against colliders: what points alone do not see.
//
// The points of a collider's surface (collider_surface.h) are looked up among the triangles of a body, as those of
// another body are, and its edges among those of the body; each contact is then turned round, so that side a is the
// body and side b the collider, as with points. With p the point of the collider, q that of the triangle, n from q
// to p and r what is kept between them,
//
//   n . (p - q) - r  =  (-n) . q - (r - n . p)
//
// A ball, and a capsule, touch every triangle that is near them: with c a point of the axis and q the nearest one of
// the triangle, or with q and c the nearest points of a side and the axis, where q is not a corner (corners are points
// of the body),
//
//   gap = |q - c| - R - r      n = (q - c) / |q - c|
//
// Where an axis has come through a face, its points are points of the collider that have.
//
// Most triangles are so small that their corners keep all of them out; bodies of these are not looked at.
#include "contact/contact_faces.h"

#include <string.h>

#include "contact/collider_surface.h"
#include "contact/contact_detect.h"
#include "contact/edge_touch.h"
#include "mesh/simplex.h"

// The longest edges of a triangle, of the mean of all. It is √2 where cells are cubes cut along a diagonal.
static const double LONGEST = 1.25;
// A place on a triangle is one of its corners, or on a side, where a weight is nearer than this to 1, or to 0.
static const double ON_BORDER = 1e-9;

// The two things of a search, as bodies: the collider, which nothing moves, and the body.
enum { COLLIDER, BODY };

typedef struct face_search {
  const pl_contact_detection *d;
  int32_t body, collider;
  const pl_collider_step *step;
  const pl_collider_surface *surface;
  double size;     // of the body's triangles, metres
  double allowed;  // metres that a triangle may be in the collider
  double reach;    // metres from a point of the collider, or a center, within which a triangle touches
  pl_contact_body bodies[2];
  pl_surface_motion motions[2];
} face_search;

static double size_of(const pl_contact_detection *d, int32_t body) {
  return LONGEST * d->memory->motions[body].tree->edge_length;
}

static double allowed_of(const pl_contact_detection *d, int32_t body) {
  return d->bodies[body].radius + d->scale.slop;
}

// How far a point of a collider moves in the step, at most, along each axis.
static pl_vec3 way_of(const pl_collider_step *step) {
  double cosine = fabs(pl_quat_dot(step->start.rotation, step->end.rotation));
  // Half the angle is at most π/2 of its sine.
  double turn = PL_PI * sqrt(fmax(0, 1 - cosine * cosine));
  double way = pl_vec3_distance(step->start.position, step->end.position) + turn * step->collider->reach;
  return pl_vec3_of(way, way, way);
}

// Does the path of a body come near an edge of a box? Where it is over the middle of a face, its own points are first.
static bool is_near_box_edge(const pl_collider_step *step, const pl_box *path) {
  pl_vec3 half = pl_vec3_scale(pl_vec3_sub(path->max, path->min), 0.5), size = step->collider->half_size;
  pl_vec3 middle = pl_transform_apply_inverse(step->end, pl_box_center(*path));
  pl_quat back = pl_quat_conjugate(step->end.rotation);
  // In the frame of the collider the path is in a box with these half edges, and as much more as the collider moves.
  pl_vec3 reach = way_of(step), axes[3] = {{half.x, 0, 0}, {0, half.y, 0}, {0, 0, half.z}};
  for (int k = 0; k < 3; ++k) {
    pl_vec3 a = pl_quat_rotate(back, axes[k]);
    reach = pl_vec3_add(reach, pl_vec3_of(fabs(a.x), fabs(a.y), fabs(a.z)));
  }
  const double at[3] = {fabs(middle.x), fabs(middle.y), fabs(middle.z)};
  const double reaches[3] = {reach.x, reach.y, reach.z}, sizes[3] = {size.x, size.y, size.z};
  int over = 0, beyond = 0;
  for (int k = 0; k < 3; ++k) {
    // Written so that a number that is not finite is near.
    over += !(at[k] - reaches[k] > sizes[k]);
    beyond += !(at[k] + reaches[k] < sizes[k]);
  }
  return over == 3 && beyond >= 2;
}

bool pl_contact_may_meet_faces(const pl_contact_detection *d, int32_t body, const pl_box *path, int32_t collider) {
  const pl_collider_step *step = &d->memory->collider_steps[collider];
  const pl_collider_surface *surface = step->collider->surface;
  const pl_contact_body *b = &d->bodies[body];
  if (surface == NULL || b->spares_faces || b->surface->triangle_count == 0 || (b->asleep && !step->is_moving))
    return false;
  if (!(pl_collider_surface_max_sag(surface, size_of(d, body)) > allowed_of(d, body))) return false;
  if (!pl_contact_may_meet(d->pairs, d->first_body + body, b->filter, ~collider, step->collider->filter)) return false;
  return step->collider->shape != PL_COLLIDER_BOX || is_near_box_edge(step, path);
}

// --- contacts

// Put a contact of some points of the body into the slots of the block around the first of them.
static void keep_contact(const face_search *s, const pl_contact *contact) {
  const pl_surface_tree *tree = s->motions[BODY].tree;
  int32_t triangle = tree->ring[tree->ring_start[contact->a.points[0]]];
  int32_t leaf = tree->edges[tree->triangle_edges[3 * triangle]].leaf;
  int32_t block = s->d->memory->edge_block_start[s->body] + leaf / PL_CONTACT_EDGE_TRIANGLES;
  pl_contact_edge_slots_add(s->d->memory, block, contact);
}

// What the collider's point, at `end` at the end of the step, moves by in the step.
static pl_vec3 velocity_at(const face_search *s, pl_vec3 end) {
  double step = s->d->step;
  if (!(step > 0) || !s->step->is_moving) return pl_vec3_of(0, 0, 0);
  pl_vec3 start = pl_transform_apply(s->step->start, pl_transform_apply_inverse(s->step->end, end));
  return pl_vec3_scale(pl_vec3_sub(end, start), 1 / step);
}

static bool is_corner(const double weights[3]) {
  return weights[0] > 1 - ON_BORDER || weights[1] > 1 - ON_BORDER || weights[2] > 1 - ON_BORDER;
}

static pl_vec3 mix(const pl_vec3 corners[3], const double weights[3]) {
  pl_vec3 sum = pl_vec3_scale(corners[0], weights[0]);
  return pl_vec3_add_scaled(pl_vec3_add_scaled(sum, corners[1], weights[1]), corners[2], weights[2]);
}

// Has a point of the collider come through the face that it touches?
static bool is_through(const face_search *s, const pl_contact *found) {
  const pl_vec3 *ends = s->motions[BODY].ends;
  const int32_t *points = found->b.points;
  pl_vec3 corners[3] = {ends[points[0]], ends[points[1]], ends[points[2]]}, at = mix(corners, found->b.weights);
  return pl_vec3_dot(found->normal, pl_vec3_sub(s->motions[COLLIDER].ends[found->a.points[0]], at)) < 0;
}

// Where the axis of a ball or capsule is nearest to a place, from its first point on, 0 to 1.
static pl_vec3 nearest_on_axis(const pl_vec3 *points, int32_t count, pl_vec3 place, double *along) {
  double weights[2] = {1, 0};
  pl_vec3 nearest = count > 1 ? pl_segment_nearest(points[0], points[count - 1], place, weights) : points[0];
  *along = weights[1];
  return nearest;
}

static pl_vec3 axis_point(const pl_vec3 *points, int32_t count, double along) {
  return count > 1 ? pl_vec3_lerp(points[0], points[count - 1], along) : points[0];
}

// A face that an axis has come through lies behind it, turned as it may be: it goes back to the side of the axis that
// it was on when the step began.
static bool turn_to_start(const face_search *s, pl_contact *contact) {
  const pl_surface_motion *body = &s->motions[BODY], *collider = &s->motions[COLLIDER];
  const int32_t *points = contact->a.points;
  pl_vec3 starts[3] = {body->starts[points[0]], body->starts[points[1]], body->starts[points[2]]};
  pl_vec3 ends[3] = {body->ends[points[0]], body->ends[points[1]], body->ends[points[2]]};
  pl_vec3 start = mix(starts, contact->a.weights), end = mix(ends, contact->a.weights);
  double along, keep_away = s->surface->radius + s->bodies[BODY].radius;
  pl_vec3 away = pl_vec3_sub(start, nearest_on_axis(collider->starts, s->surface->form.point_count, start, &along));
  double distance = pl_vec3_length(away);
  if (!(distance > 0)) return false;
  pl_vec3 center = axis_point(collider->ends, s->surface->form.point_count, along);
  contact->normal = pl_vec3_scale(away, 1 / distance);
  contact->start_gap = distance - keep_away;
  contact->depth = keep_away - pl_vec3_dot(contact->normal, pl_vec3_sub(end, center));
  contact->offset = keep_away + pl_vec3_dot(contact->normal, center);
  return true;
}

// A contact of a point of the collider with a triangle, turned round.
static void add_turned(const face_search *s, const pl_contact *found) {
  if (is_corner(found->b.weights)) return;
  if (s->surface->radius > 0 && !is_through(s, found)) return;
  pl_contact contact = *found;
  int32_t point = found->a.points[0];
  pl_vec3 at = s->motions[COLLIDER].ends[point];
  contact.normal = pl_vec3_scale(found->normal, -1);
  contact.a = found->b;
  contact.a.body = s->body;
  contact.b = (pl_contact_side){.body = -1, .points = {point}};
  contact.collider = s->collider;
  contact.offset = found->offset + pl_vec3_dot(contact.normal, at);
  if (s->surface->radius > 0 && !turn_to_start(s, &contact)) return;
  contact.surface_velocity = velocity_at(s, pl_vec3_add_scaled(at, contact.normal, s->surface->radius));
  keep_contact(s, &contact);
}

// --- points

static void find_points(const face_search *s, const int32_t *points, int32_t count) {
  pl_contact slots[PL_SURFACE_BLOCK * PL_CONTACTS_PER_POINT];
  int32_t counts[PL_SURFACE_BLOCK] = {0};
  pl_distance_anchor anchor = {.is_set = false};
  pl_contact_group group = {.body = COLLIDER,
                            .count = count,
                            .points = points,
                            .bodies = s->bodies,
                            .motions = s->motions,
                            .start_box = pl_box_empty(),
                            .end_box = pl_box_empty(),
                            .contact_counts = counts,
                            .contacts = slots,
                            .is_compact = true,
                            .step = s->d->step,
                            .scale = s->d->scale};
  for (int32_t i = 0; i < count; ++i) {
    pl_box_cover(&group.start_box, s->motions[COLLIDER].starts[points[i]]);
    pl_box_cover(&group.end_box, s->motions[COLLIDER].ends[points[i]]);
  }
  const pl_surface_motion *motion = &s->motions[BODY];
  pl_box box = pl_box_expand(pl_surface_motion_frame_box(motion, group.start_box, group.end_box), s->reach);
  if (!pl_box_overlaps(box, pl_surface_motion_frame_box(motion, motion->start_box, motion->end_box))) return;
  pl_contact_find_body(&group, BODY, &anchor);
  for (int32_t i = 0; i < count; ++i)
    for (int32_t k = 0; k < counts[i]; ++k) add_turned(s, &slots[i * PL_CONTACTS_PER_POINT + k]);
}

// --- balls and capsules

// A place of a triangle, and how it lies to a place of the axis of a ball or capsule.
typedef struct axis_place {
  double along;       // of the axis, 0 to 1; negative: none
  double weights[3];  // of the triangle's corners
  pl_vec3 away;       // from the axis
  double distance;
} axis_place;

// Which of the places of a triangle a contact is. As a body slides along a capsule it keeps its impulse.
enum { NEAREST, FIRST, LAST, SIDE };

static void add_place(const face_search *s, int32_t triangle, const axis_place *place, int32_t which) {
  const pl_surface_motion *motion = &s->motions[BODY];
  const pl_collider *collider = s->step->collider;
  const pl_contact_body *body = &s->bodies[BODY];
  const int32_t *points = &motion->tree->surface->triangles[3 * (size_t)triangle];
  const double *weights = place->weights;
  int32_t count = s->surface->form.point_count;
  pl_vec3 end = axis_point(s->motions[COLLIDER].ends, count, place->along), starts[3];
  pl_vec3 start = axis_point(s->motions[COLLIDER].starts, count, place->along);
  pl_surface_corners(motion->tree, motion->starts, triangle, starts);
  pl_vec3 normal = pl_vec3_scale(place->away, 1 / place->distance);
  double keep_away = s->surface->radius + body->radius;
  pl_contact contact = {
      .a = {s->body, 3, {points[0], points[1], points[2]}, {weights[0], weights[1], weights[2]}},
      .b = {.body = -1, .points = {which}},
      .collider = s->collider,
      .normal = normal,
      .offset = keep_away + pl_vec3_dot(normal, end),
      .start_gap = pl_vec3_dot(normal, pl_vec3_sub(mix(starts, weights), start)) - keep_away,
      .depth = keep_away - place->distance,
      .surface_velocity = velocity_at(s, pl_vec3_add_scaled(end, normal, s->surface->radius)),
      .friction = sqrt(body->friction * collider->friction),
      .restitution = fmax(body->restitution, collider->restitution),
  };
  keep_contact(s, &contact);
}

static bool is_on_side(const double weights[3]) {
  return weights[0] < ON_BORDER || weights[1] < ON_BORDER || weights[2] < ON_BORDER;
}

// Is the axis near the inside of a triangle, and in front of it?
static bool is_near(const face_search *s, int32_t triangle, const axis_place *place) {
  return place->distance > 0 && place->distance < s->reach &&
         pl_vec3_dot(place->away, s->motions[BODY].normals[triangle]) < 0;
}

// The contact is held along the distance of the collider: where the axis runs on beyond the triangle it is at right
// angles to the axis, which the normal of a triangle that is not parallel to it is not.
static void add_inside(const face_search *s, int32_t triangle, const pl_vec3 corners[3], axis_place *place,
                       int32_t which) {
  pl_vec3 at = mix(corners, place->weights);
  place->away =
      pl_vec3_sub(at, nearest_on_axis(s->motions[COLLIDER].ends, s->surface->form.point_count, at, &place->along));
  place->distance = pl_vec3_length(place->away);
  if (is_near(s, triangle, place)) add_place(s, triangle, place, which);
}

// Along an axis the distance from a triangle falls and then rises. What holds the two apart is the point of the axis
// where it is least, and the first and the last one that are near.
static void find_inside(const face_search *s, int32_t triangle, const pl_vec3 corners[3]) {
  axis_place first = {.along = -1}, last = first, nearest = first;
  for (int32_t i = 0; i < s->surface->form.point_count; ++i) {
    axis_place place = {.along = (double)i / fmax(1, s->surface->form.point_count - 1)};
    pl_vec3 center = s->motions[COLLIDER].ends[i];
    place.away = pl_vec3_sub(pl_triangle_nearest(corners[0], corners[1], corners[2], center, place.weights), center);
    place.distance = pl_vec3_length(place.away);
    if (is_on_side(place.weights) || !is_near(s, triangle, &place)) continue;
    if (first.along < 0) first = place;
    if (nearest.along < 0 || place.distance < nearest.distance) nearest = place;
    last = place;
  }
  if (nearest.along < 0) return;
  double along = nearest.along;
  add_inside(s, triangle, corners, &nearest, NEAREST);
  if (first.along < along) add_inside(s, triangle, corners, &first, FIRST);
  if (last.along > along) add_inside(s, triangle, corners, &last, LAST);
}

// Nearest places of an edge and the axis: 0 to 1 along either. False where the edge's is one of its ends, or both are
// parallel, so that the ends do.
static bool find_nearest_places(const pl_vec3 edge[2], const pl_vec3 axis[2], double *on_edge, double *on_axis) {
  *on_edge = *on_axis = 0;
  bool is_ball = axis[0].x == axis[1].x && axis[0].y == axis[1].y && axis[0].z == axis[1].z;
  if (!is_ball && !pl_edge_lines_nearest(edge, axis, on_edge, on_axis)) return false;
  *on_axis = fmin(fmax(*on_axis, 0), 1);
  double weights[2];
  pl_segment_nearest(edge[0], edge[1], pl_vec3_lerp(axis[0], axis[1], *on_axis), weights);
  *on_edge = weights[1];
  return *on_edge > ON_BORDER && *on_edge < 1 - ON_BORDER;
}

// Where a side is nearer to the axis than the insides of both its triangles. Each side belongs to one triangle.
static void find_on_side(const face_search *s, int32_t triangle, int k) {
  const pl_surface_motion *motion = &s->motions[BODY];
  const pl_surface_edge *edge = &motion->tree->edges[motion->tree->triangle_edges[3 * triangle + k]];
  int32_t last = s->surface->form.point_count - 1;
  if (edge->triangles[0] != triangle) return;
  const pl_vec3 *ends = s->motions[COLLIDER].ends, axis[2] = {ends[0], ends[last]};
  const int32_t *points = &motion->tree->surface->triangles[3 * (size_t)triangle];
  pl_vec3 side[2] = {motion->ends[points[k]], motion->ends[points[(k + 1) % 3]]};
  double on_side, on_axis;
  if (!find_nearest_places(side, axis, &on_side, &on_axis)) return;
  pl_vec3 center = pl_vec3_lerp(axis[0], axis[1], on_axis);
  axis_place place = {.along = on_axis};
  place.weights[k] = 1 - on_side;
  place.weights[(k + 1) % 3] = on_side;
  place.away = pl_vec3_sub(pl_vec3_lerp(side[0], side[1], on_side), center);
  place.distance = pl_vec3_length(place.away);
  for (int t = 0; t < 2 && edge->triangles[t] >= 0; ++t) {
    pl_vec3 corners[3];
    double weights[3];
    pl_surface_corners(motion->tree, motion->ends, edge->triangles[t], corners);
    pl_triangle_nearest(corners[0], corners[1], corners[2], center, weights);
    if (!is_on_side(weights)) return;
  }
  bool is_front = is_near(s, triangle, &place) || (edge->triangles[1] >= 0 && is_near(s, edge->triangles[1], &place));
  if (is_front) add_place(s, triangle, &place, SIDE + k);
}

static void visit_triangle(void *data, int32_t triangle) {
  const face_search *s = data;
  pl_vec3 corners[3];
  pl_surface_corners(s->motions[BODY].tree, s->motions[BODY].ends, triangle, corners);
  find_inside(s, triangle, corners);
  for (int k = 0; k < 3; ++k) find_on_side(s, triangle, k);
}

static void find_axis(face_search *s) {
  const pl_surface_motion *motion = &s->motions[BODY];
  pl_surface_front front;
  pl_box box = pl_box_expand(s->motions[COLLIDER].end_box, s->reach);
  pl_surface_motion_gather(motion, box, NULL, &front);
  if (front.count > 0) pl_surface_motion_visit(motion, &front, box, visit_triangle, s);
}

// --- the search

static void find_collider_points(face_search *s) {
  const pl_surface_tree *tree = &s->surface->tree;
  for (int32_t b = 0; b < tree->block_count; ++b) {
    int32_t points[PL_SURFACE_BLOCK], count = 0;
    for (int32_t i = tree->block_start[b]; i < tree->block_start[b + 1]; ++i) {
      int32_t point = tree->point_order[i];
      if (pl_collider_surface_sag(s->surface, point, s->size) > s->allowed) points[count++] = point;
    }
    if (count > 0) find_points(s, points, count);
  }
  if (s->surface->radius > 0) find_axis(s);
}

static void find_collider_edges(const face_search *s) {
  const pl_contact_memory *memory = s->d->memory;
  if (s->surface->tree.edge_count == 0) return;
  pl_contact_obstacle obstacle = {.collider = s->collider,
                                  .surface = s->surface,
                                  .body = &s->bodies[COLLIDER],
                                  .step = s->step,
                                  .step_length = s->d->step,
                                  .size = s->size,
                                  .allowed = s->allowed};
  pl_contact_edge_group group;
  group.body = s->body;
  group.memory = memory;
  group.bodies = s->d->bodies;
  group.scale = s->d->scale;
  const pl_surface_motion *motion = &s->motions[COLLIDER];
  pl_box around = pl_box_expand(pl_box_merge(motion->start_box, motion->end_box), s->reach);
  for (int32_t b = memory->edge_block_start[s->body]; b < memory->edge_block_start[s->body + 1]; ++b) {
    group.block = &memory->edge_blocks[b];
    pl_contact_edge_group_begin(&group);
    if (pl_box_overlaps(pl_box_merge(group.start_box, group.end_box), around))
      pl_contact_find_obstacle_edges(&group, &obstacle);
  }
}

static void find_faces(const pl_contact_detection *d, int32_t body, int32_t collider) {
  const pl_collider_step *step = &d->memory->collider_steps[collider];
  const pl_collider *c = step->collider;
  face_search s = {
      .d = d,
      .body = body,
      .collider = collider,
      .step = step,
      .surface = c->surface,
      .size = size_of(d, body),
      .allowed = allowed_of(d, body),
      .reach = c->surface->radius + d->bodies[body].radius + d->scale.margin,
      .bodies = {{.surface = &c->surface->form,
                  .radius = c->surface->radius,
                  .friction = c->friction,
                  .restitution = c->restitution,
                  .is_kinematic = true},
                 d->bodies[body]},
      .motions = {c->surface->motion, d->memory->motions[body]},
  };
  find_collider_points(&s);
  find_collider_edges(&s);
}

void pl_contact_find_faces(const pl_contact_detection *d, int32_t body) {
  const pl_contact_memory *memory = d->memory;
  const pl_box *path = &memory->item_boxes[body];
  pl_broad_walk walk = pl_broad_phase_begin(&memory->broad, *path);
  for (int32_t item; (item = pl_broad_phase_next(&walk)) >= 0;) {
    int32_t collider = item - memory->body_count;
    if (collider >= 0 && pl_contact_may_meet_faces(d, body, path, collider)) find_faces(d, body, collider);
  }
}

void pl_contact_place_asked(const pl_contact_memory *memory) {
  for (int32_t c = 0; c < memory->collider_count; ++c) {
    pl_collider_step *step = &memory->collider_steps[c];
    if (atomic_load_explicit(&step->is_asked, memory_order_relaxed))
      pl_collider_surface_place(step->collider->surface, step->start, step->end);
  }
}
