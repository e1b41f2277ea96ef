/// @file query.h
/// Questions to a world: what a ray meets, what overlaps a sphere or box, what is closest to a
/// point. Answers are about surfaces as they are now, of bodies (after their surface layers) and of
/// colliders.
///
/// Queries run between steps and in controllers. Several threads may ask at once while nothing
/// changes the world. The first query after a change of a body computes its surface again; a query
/// then costs a comparison of boxes per body and a walk through the triangles of those that are
/// near. Nothing is allocated once a query has come near every body. A body without triangles (a
/// rod without a skin) is not found. Whether a body `collides` does not matter.
///
/// All queries fail with PL_ERROR_INVALID_ARGUMENT for numbers that are not finite or out of range,
/// inside a step (except in controllers), and when out of memory.
#ifndef PLIANT_QUERY_H
#define PLIANT_QUERY_H

#include "pliant/base.h"
#include "pliant/math.h"
#include "pliant/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a query asks for. NULL in its place: everything.
typedef struct pl_query_filter {
  uint32_t layers;       ///< collision layers the query is in, default all
  uint32_t mask;         ///< layers it finds, default all. It finds a thing if each is in a layer
                         ///< of the other's mask
  bool skips_bodies;     ///< default false
  bool skips_colliders;  ///< default false
  pl_body_id ignored_body;  ///< not found, such as the one that asks; default none
} pl_query_filter;

/// A filter that lets everything through.
PL_API pl_query_filter pl_default_query_filter(void);

/// Where a query met a thing.
typedef struct pl_query_hit {
  pl_body_id body;          ///< null for a collider, and for no hit
  pl_collider_id collider;  ///< null for a body, and for no hit
  int32_t triangle;         ///< of a body's surface or of a mesh collider; -1 for other shapes, and
                            ///< for no hit
  double barycentric[3];    ///< of `position` in the triangle; zero without one
  pl_vec3 position;         ///< metres, in the world
  pl_vec3 normal;           ///< unit, outward from the thing at `position`
  double distance;          ///< metres, see the query; INFINITY for no hit
} pl_query_hit;

/// Where a query that finds several things writes them.
typedef struct pl_query_hits {
  pl_query_hit *items;  ///< of the caller
  int32_t capacity;     ///< of `items`
  int32_t count;        ///< out: things found, may be more than `capacity`
} pl_query_hits;

/// A ray.
typedef struct pl_query_ray {
  pl_vec3 origin;       ///< metres, in the world
  pl_vec3 direction;    ///< of any length but 0
  double max_distance;  ///< metres; INFINITY: any
} pl_query_ray;

/// First surface along a ray. `distance` is that from the origin. Surfaces are met from both sides:
/// a ray that starts inside a thing meets it where it leaves. Among equal distances bodies come
/// before colliders, and what was added first before what was added later.
PL_API pl_status pl_world_cast_ray(const pl_world *world, const pl_query_ray *ray,
                                   const pl_query_filter *filter, pl_query_hit *hit,
                                   pl_error *error);

/// All things along a ray, each where the ray first meets it, by distance. When there are more than
/// fit, the nearest are kept.
PL_API pl_status pl_world_cast_ray_all(const pl_world *world, const pl_query_ray *ray,
                                       const pl_query_filter *filter, pl_query_hits *hits,
                                       pl_error *error);

/// Things that overlap a sphere (radius 0: that contain a point, or touch it). `position` is the
/// point of the thing's surface closest to the centre, `distance` how far it is, negative for a
/// centre inside the thing. Bodies in the order of adding, then colliders; the first are kept when
/// there are more than fit. An open surface, such as a shell, has no inside.
PL_API pl_status pl_world_overlap_sphere(const pl_world *world, pl_vec3 center, double radius,
                                         const pl_query_filter *filter, pl_query_hits *hits,
                                         pl_error *error);

/// A box.
typedef struct pl_query_box {
  pl_transform placement;  ///< of its centre and axes
  pl_vec3 half_size;       ///< metres, 0 or more
} pl_query_box;

/// Things that overlap a box. Of a body or mesh collider `triangle` is the lowest one that the box
/// touches, -1 when the box lies inside the thing; `position`, `normal` and `distance` are zero.
/// Order and number as for pl_world_overlap_sphere().
PL_API pl_status pl_world_overlap_box(const pl_world *world, const pl_query_box *box,
                                      const pl_query_filter *filter, pl_query_hits *hits,
                                      pl_error *error);

/// The thing closest to a point, within `max_distance` metres (INFINITY: any), with its closest
/// surface point. `distance` is negative for a point inside the thing; of several such things the
/// one that it is deepest in is taken.
PL_API pl_status pl_world_find_closest(const pl_world *world, pl_vec3 point, double max_distance,
                                       const pl_query_filter *filter, pl_query_hit *hit,
                                       pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
