// Rays, overlaps and closest points in a world.
//
// Bodies are first compared by the boxes around them, one after the other; those that pass are asked through the tree
// of their triangles (mesh/moving_tree.h), which is fitted to the present surface when it is first asked after a
// change.
#include <math.h>

#include "base/error.h"
#include "contact/collider_query.h"
#include "mesh/box_touch.h"
#include "mesh/ray.h"
#include "mesh/simplex.h"
#include "pliant/math.h"
#include "pliant/query.h"
#include "world/world_shown.h"

// A query under way.
typedef struct query {
  const pl_world *world;
  pl_query_filter filter;
  double time;          // of the colliders' placements
  const pl_box *boxes;  // of the bodies
  pl_error *error;
} query;

static const pl_query_hit NO_HIT = {.triangle = -1, .distance = HUGE_VAL};

pl_query_filter pl_default_query_filter(void) {
  return (pl_query_filter){.layers = UINT32_MAX, .mask = UINT32_MAX};
}

static pl_status begin(query *q, const pl_world *world, const pl_query_filter *filter, const char *function,
                       pl_error *error) {
  pl_status status = pl_world_check_open(world, function, error);
  if (status < 0) return status;
  *q = (query){.world = world,
               .filter = filter != NULL ? *filter : pl_default_query_filter(),
               .time = pl_world_get_time(world),
               .error = error};
  return pl_world_show_boxes(world, &q->boxes, error);
}

// The body at an index if the query asks for it, otherwise NULL.
static pl_body *body_at(const query *q, int32_t index) {
  if (q->filter.skips_bodies) return NULL;
  pl_body *body = pl_slots_at(&q->world->bodies, index);
  pl_slot_id id = pl_slots_id_at(&q->world->bodies, index);
  if (body->model->surface.triangle_count == 0) return NULL;
  if (id.slot == q->filter.ignored_body.slot && id.generation == q->filter.ignored_body.generation) return NULL;
  return pl_contact_filter_meets(body->filter, pl_contact_filter_of(q->filter.layers, q->filter.mask)) ? body : NULL;
}

static const pl_collider *collider_at(const query *q, int32_t index) {
  if (q->filter.skips_colliders) return NULL;
  const pl_collider *collider = pl_slots_at(&q->world->colliders, index);
  pl_contact_filter filter = pl_contact_filter_of(q->filter.layers, q->filter.mask);
  return pl_contact_filter_meets(collider->filter, filter) ? collider : NULL;
}

static pl_status tree_of(const query *q, pl_body *body, const pl_moving_tree **tree) {
  const pl_body_shown *shown;
  pl_status status = pl_world_show_body(q->world, body, PL_SHOW_TREE, &shown, q->error);
  *tree = status >= 0 ? &shown->tree : NULL;
  return status;
}

static pl_query_hit hit_of_body(const query *q, int32_t index, const pl_moving_tree *tree, const pl_hit *hit) {
  pl_slot_id id = pl_slots_id_at(&q->world->bodies, index);
  pl_vec3 corners[3];
  pl_moving_tree_corners(tree, hit->triangle, corners);
  pl_query_hit result = {.body = {id.slot, id.generation},
                         .triangle = hit->triangle,
                         .position = hit->point,
                         .normal = pl_triangle_normal(corners[0], corners[1], corners[2]),
                         .distance = hit->distance};
  for (int k = 0; k < 3; ++k) result.barycentric[k] = hit->barycentric[k];
  return result;
}

static pl_query_hit hit_of_collider(const query *q, int32_t index, const pl_collider_hit *hit) {
  pl_slot_id id = pl_slots_id_at(&q->world->colliders, index);
  pl_query_hit result = {.collider = {id.slot, id.generation},
                         .triangle = hit->triangle,
                         .position = hit->point,
                         .normal = hit->normal,
                         .distance = hit->distance};
  for (int k = 0; k < 3; ++k) result.barycentric[k] = hit->barycentric[k];
  return result;
}

// Append to the caller's array while there is space.
static void add_hit(pl_query_hits *hits, const pl_query_hit *hit) {
  if (hits->count < hits->capacity) hits->items[hits->count] = *hit;
  hits->count++;
}

// Insert by distance, after those that are as near; the farthest is dropped where there is no space.
static void insert_hit(pl_query_hits *hits, const pl_query_hit *hit) {
  int32_t held = hits->count < hits->capacity ? hits->count : hits->capacity, at = held;
  while (at > 0 && hits->items[at - 1].distance > hit->distance) --at;
  hits->count++;
  if (at >= hits->capacity) return;
  for (int32_t i = held < hits->capacity ? held : hits->capacity - 1; i > at; --i) hits->items[i] = hits->items[i - 1];
  hits->items[at] = *hit;
}

// --- rays

static pl_status check_ray(const pl_query_ray *ray, pl_vec3 *unit, pl_error *error) {
  *unit = pl_vec3_normalize_or(ray->direction, pl_vec3_of(0, 0, 0));
  if (!pl_vec3_is_finite(ray->origin) || !pl_vec3_is_finite(*unit) || !(pl_vec3_length(*unit) > 0.5))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a ray needs a finite origin and a direction that is not zero");
  if (!(ray->max_distance >= 0))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "max_distance", "%g is not 0 or more", ray->max_distance);
  return PL_OK;
}

typedef void hit_receiver(void *receiver, const pl_query_hit *hit, double *limit);

// Every thing that the ray meets within the limit, which the receiver may lower.
static pl_status cast(const query *q, const pl_query_ray *ray, pl_vec3 unit, hit_receiver *receive, void *receiver) {
  pl_ray along = pl_ray_of(ray->origin, unit);
  double limit = ray->max_distance;
  for (int32_t i = 0; i < pl_slots_count(&q->world->bodies); ++i) {
    if (!isfinite(pl_ray_enter_box(&along, &q->boxes[i], limit))) continue;
    pl_body *body = body_at(q, i);
    if (body == NULL) continue;
    const pl_moving_tree *tree;
    pl_status status = tree_of(q, body, &tree);
    if (status < 0) return status;
    pl_hit found = pl_moving_tree_ray(tree, ray->origin, unit, limit);
    if (found.triangle < 0) continue;
    pl_query_hit hit = hit_of_body(q, i, tree, &found);
    receive(receiver, &hit, &limit);
  }
  for (int32_t i = 0; i < pl_slots_count(&q->world->colliders); ++i) {
    const pl_collider *collider = collider_at(q, i);
    if (collider == NULL) continue;
    pl_collider_hit found =
        pl_collider_cast_ray(collider, pl_collider_placement(collider, q->time), ray->origin, unit, limit);
    if (!found.is_hit) continue;
    pl_query_hit hit = hit_of_collider(q, i, &found);
    receive(receiver, &hit, &limit);
  }
  return PL_OK;
}

static void keep_first(void *receiver, const pl_query_hit *hit, double *limit) {
  pl_query_hit *first = receiver;
  if (!(hit->distance < first->distance)) return;
  *first = *hit;
  *limit = hit->distance;
}

static void keep_all(void *receiver, const pl_query_hit *hit, double *limit) {
  (void)limit;
  insert_hit(receiver, hit);
}

pl_status pl_world_cast_ray(const pl_world *world, const pl_query_ray *ray, const pl_query_filter *filter,
                            pl_query_hit *hit, pl_error *error) {
  *hit = NO_HIT;
  pl_vec3 unit;
  query q;
  pl_status status = check_ray(ray, &unit, error);
  if (status >= 0) status = begin(&q, world, filter, "pl_world_cast_ray", error);
  return status < 0 ? status : cast(&q, ray, unit, keep_first, hit);
}

pl_status pl_world_cast_ray_all(const pl_world *world, const pl_query_ray *ray, const pl_query_filter *filter,
                                pl_query_hits *hits, pl_error *error) {
  hits->count = 0;
  pl_vec3 unit;
  query q;
  pl_status status = check_ray(ray, &unit, error);
  if (status >= 0) status = begin(&q, world, filter, "pl_world_cast_ray_all", error);
  return status < 0 ? status : cast(&q, ray, unit, keep_all, hits);
}

// --- points and spheres

// Signed distance of a point from a body, if it is at most `limit`.
static pl_status approach_body(const query *q, int32_t index, pl_vec3 point, double limit, pl_query_hit *hit) {
  *hit = NO_HIT;
  double away = pl_box_distance_squared(&q->boxes[index], point), reach = fmax(limit, 0);
  bool is_within = away == 0;
  if (!(away <= reach * reach)) return PL_OK;
  pl_body *body = body_at(q, index);
  if (body == NULL) return PL_OK;
  const pl_moving_tree *tree;
  pl_status status = tree_of(q, body, &tree);
  if (status < 0) return status;
  bool is_inside = is_within && pl_moving_tree_is_inside(tree, point);
  pl_hit found = pl_moving_tree_nearest(tree, point, is_inside ? HUGE_VAL : reach);
  if (found.triangle < 0) return PL_OK;
  if (is_inside) found.distance = -found.distance;
  if (found.distance <= limit) *hit = hit_of_body(q, index, tree, &found);
  return PL_OK;
}

static pl_query_hit approach_collider(const query *q, int32_t index, pl_vec3 point, double limit) {
  const pl_collider *collider = collider_at(q, index);
  if (collider == NULL) return NO_HIT;
  pl_transform placement = pl_collider_placement(collider, q->time);
  // What is outside the ball around it is no nearer than the ball.
  pl_vec3 center = pl_transform_apply(placement, collider->center);
  if (pl_vec3_distance(point, center) - collider->reach > limit) return NO_HIT;
  pl_collider_hit found = pl_collider_find_closest(collider, placement, point, limit);
  return found.is_hit ? hit_of_collider(q, index, &found) : NO_HIT;
}

pl_status pl_world_overlap_sphere(const pl_world *world, pl_vec3 center, double radius, const pl_query_filter *filter,
                                  pl_query_hits *hits, pl_error *error) {
  hits->count = 0;
  if (!pl_vec3_is_finite(center) || !(radius >= 0) || !isfinite(radius))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a sphere needs a finite centre and a finite radius of 0 or more");
  query q;
  pl_status status = begin(&q, world, filter, "pl_world_overlap_sphere", error);
  pl_query_hit hit;
  for (int32_t i = 0; status >= 0 && i < pl_slots_count(&world->bodies); ++i) {
    status = approach_body(&q, i, center, radius, &hit);
    if (status >= 0 && hit.body.slot != 0) add_hit(hits, &hit);
  }
  for (int32_t i = 0; status >= 0 && i < pl_slots_count(&world->colliders); ++i) {
    hit = approach_collider(&q, i, center, radius);
    if (hit.collider.slot != 0) add_hit(hits, &hit);
  }
  return status;
}

pl_status pl_world_find_closest(const pl_world *world, pl_vec3 point, double max_distance,
                                const pl_query_filter *filter, pl_query_hit *hit, pl_error *error) {
  *hit = NO_HIT;
  if (!pl_vec3_is_finite(point) || !(max_distance >= 0))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "the point must be finite and max_distance 0 or more");
  query q;
  pl_status status = begin(&q, world, filter, "pl_world_find_closest", error);
  double limit = max_distance;
  for (int32_t i = 0; status >= 0 && i < pl_slots_count(&world->bodies); ++i) {
    pl_query_hit found;
    status = approach_body(&q, i, point, limit, &found);
    if (status < 0 || found.body.slot == 0 || !(found.distance < hit->distance)) continue;
    *hit = found;
    limit = found.distance;
  }
  for (int32_t i = 0; status >= 0 && i < pl_slots_count(&world->colliders); ++i) {
    pl_query_hit found = approach_collider(&q, i, point, limit);
    if (found.collider.slot == 0 || !(found.distance < hit->distance)) continue;
    *hit = found;
    limit = found.distance;
  }
  return status;
}

// --- boxes

typedef struct box_search {
  const pl_moving_tree *tree;
  pl_transform placement;
  pl_vec3 half;
  int32_t triangle;
} box_search;

static bool touch_triangle(void *data, int32_t triangle) {
  box_search *search = data;
  if (search->triangle >= 0 && triangle > search->triangle) return true;
  pl_vec3 corners[3];
  pl_moving_tree_corners(search->tree, triangle, corners);
  for (int k = 0; k < 3; ++k) corners[k] = pl_transform_apply_inverse(search->placement, corners[k]);
  if (pl_box_touches_triangle(search->half, corners)) search->triangle = triangle;
  return true;
}

static pl_box box_around(pl_transform placement, pl_vec3 half) {
  pl_mat3 r = pl_mat3_from_quat(placement.rotation);
  double reach[3];
  for (int i = 0; i < 3; ++i) reach[i] = fabs(r.m[i][0]) * half.x + fabs(r.m[i][1]) * half.y + fabs(r.m[i][2]) * half.z;
  pl_vec3 around = {reach[0], reach[1], reach[2]};
  return (pl_box){pl_vec3_sub(placement.position, around), pl_vec3_add(placement.position, around)};
}

static pl_status overlap_body(const query *q, int32_t index, const pl_query_box *box, pl_query_hits *hits) {
  pl_box around = box_around(box->placement, box->half_size);
  if (!pl_box_overlaps(q->boxes[index], around)) return PL_OK;
  pl_body *body = body_at(q, index);
  if (body == NULL) return PL_OK;
  const pl_moving_tree *tree;
  pl_status status = tree_of(q, body, &tree);
  if (status < 0) return status;
  box_search search = {tree, box->placement, box->half_size, -1};
  pl_moving_tree_visit_box(tree, around, touch_triangle, &search);
  if (search.triangle < 0 && !pl_moving_tree_is_inside(tree, box->placement.position)) return PL_OK;
  pl_slot_id id = pl_slots_id_at(&q->world->bodies, index);
  add_hit(hits, &(pl_query_hit){.body = {id.slot, id.generation}, .triangle = search.triangle});
  return PL_OK;
}

pl_status pl_world_overlap_box(const pl_world *world, const pl_query_box *given, const pl_query_filter *filter,
                               pl_query_hits *hits, pl_error *error) {
  hits->count = 0;
  const pl_vec3 half = given->half_size;
  if (!pl_transform_is_valid(given->placement) || !pl_vec3_is_finite(half) ||
      !(half.x >= 0 && half.y >= 0 && half.z >= 0))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                   "a box needs a finite placement and a finite half size of 0 or more");
  pl_query_box box = *given;
  box.placement.rotation = pl_quat_normalize(box.placement.rotation);
  query q;
  pl_status status = begin(&q, world, filter, "pl_world_overlap_box", error);
  for (int32_t i = 0; status >= 0 && i < pl_slots_count(&world->bodies); ++i) status = overlap_body(&q, i, &box, hits);
  for (int32_t i = 0; status >= 0 && i < pl_slots_count(&world->colliders); ++i) {
    const pl_collider *collider = collider_at(&q, i);
    int32_t triangle;
    if (collider == NULL ||
        !pl_collider_overlaps_box(collider, pl_collider_placement(collider, q.time), box.placement, half, &triangle))
      continue;
    pl_slot_id id = pl_slots_id_at(&world->colliders, i);
    add_hit(hits, &(pl_query_hit){.collider = {id.slot, id.generation}, .triangle = triangle});
  }
  return status;
}
