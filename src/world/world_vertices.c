// Surfaces of bodies written into a vertex buffer, between two steps.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "body/shading.h"
#include "pliant/math.h"
#include "world/world_shown.h"

// A surface between two steps.
typedef struct blend {
  const pl_vec3 *from, *to;  // `from` NULL: `to` alone
  double fraction;
} blend;

static pl_vec3 point_at(const blend *shape, int32_t point) {
  if (shape->from == NULL) return shape->to[point];
  return pl_vec3_lerp(shape->from[point], shape->to[point], shape->fraction);
}

static void write(float *first, size_t stride, int32_t index, pl_vec3 value) {
  float *to = (float *)(void *)((char *)first + (size_t)index * stride);
  to[0] = (float)value.x;
  to[1] = (float)value.y;
  to[2] = (float)value.z;
}

static pl_vec3 normal_of(const pl_shading *shading, const blend *shape, int32_t group) {
  const int32_t *triangles = shading->model->surface.triangles;
  pl_vec3 sum = {0, 0, 0}, up = {0, 1, 0};
  if (group < 0) return up;
  for (int32_t i = shading->corner_start[group]; i < shading->corner_start[group + 1]; ++i) {
    const pl_shading_corner *corner = &shading->corners[i];
    const int32_t *t = &triangles[3 * (size_t)corner->triangle];
    pl_vec3 a = point_at(shape, t[0]), b = point_at(shape, t[1]), c = point_at(shape, t[2]);
    pl_vec3 normal = pl_vec3_cross(pl_vec3_sub(b, a), pl_vec3_sub(c, a));
    double length = pl_vec3_length(normal);
    if (length > 0) sum = pl_vec3_add_scaled(sum, normal, (double)corner->weight / length);
  }
  return pl_vec3_length(sum) > 1e-12 ? pl_vec3_normalize_or(sum, up) : up;
}

static pl_status check_stride(const float *first, size_t stride, const char *name, pl_error *error) {
  if (first == NULL || (stride >= 3 * sizeof(float) && stride % sizeof(float) == 0)) return PL_OK;
  return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, name, "%zu is not a multiple of 4 of at least 12 bytes",
                       stride);
}

static pl_status check_buffer(const pl_shading *shading, const pl_vertex_buffer *buffer, pl_error *error) {
  if (buffer->vertex_count < shading->vertex_count)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "vertex_count",
                         "the buffer holds %d vertices where the shading has %d", buffer->vertex_count,
                         shading->vertex_count);
  if (!(buffer->fraction >= 0 && buffer->fraction <= 1))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "fraction", "%g is outside 0 … 1", buffer->fraction);
  if (!pl_vec3_is_finite(buffer->origin))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "origin", "the origin must be finite");
  pl_status status = check_stride(buffer->positions, buffer->position_stride, "position_stride", error);
  return status < 0 ? status : check_stride(buffer->normals, buffer->normal_stride, "normal_stride", error);
}

pl_status pl_body_get_vertices(const pl_world *world, pl_body_id id, const pl_shading *shading,
                               const pl_vertex_buffer *buffer, pl_error *error) {
  if (pl_world_check_open(world, "pl_body_get_vertices", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_body *body = pl_world_find_body(world, id);
  if (body == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such body in this world");
  if (shading->model != body->model)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "the shading was built for another model than the body's");
  pl_status status = check_buffer(shading, buffer, error);
  if (status < 0) return status;
  const pl_body_shown *shown;
  bool is_between = buffer->fraction < 1 && body->has_previous;
  status = pl_world_show_body(world, body, is_between ? PL_SHOW_PREVIOUS : PL_SHOW_POINTS, &shown, error);
  if (status < 0) return status;
  blend shape = {is_between ? shown->previous : NULL, shown->points, buffer->fraction};
  for (int32_t i = 0; i < shading->vertex_count && buffer->positions != NULL; ++i) {
    pl_vec3 point = point_at(&shape, shading->point_of_vertex[i]);
    write(buffer->positions, buffer->position_stride, i, pl_vec3_sub(point, buffer->origin));
  }
  for (int32_t i = 0; i < shading->vertex_count && buffer->normals != NULL; ++i)
    write(buffer->normals, buffer->normal_stride, i, normal_of(shading, &shape, shading->group_of_vertex[i]));
  return PL_OK;
}

double pl_world_get_interpolation(const pl_world *world) {
  // Slightly negative by the slack of pl_world_advance(), and more than a step where a step failed.
  return fmin(1, fmax(0, world->pending / world->def.step));
}

pl_status pl_world_get_collider_placement(const pl_world *world, pl_collider_id id, double fraction,
                                          pl_transform *placement) {
  const pl_collider *collider = pl_slots_get(&world->colliders, pl_slot_of_collider(id));
  if (collider == NULL) return PL_ERROR_NOT_FOUND;
  double step = world->def.step, back = 1 - fmin(1, fmax(0, fraction));
  pl_transform start, end;
  pl_collider_motion(collider, pl_world_get_time(world) - step, step, &start, &end);
  if (back == 0) {
    *placement = end;
    return PL_OK;
  }
  *placement = (pl_transform){pl_vec3_lerp(end.position, start.position, back),
                              pl_quat_slerp(end.rotation, start.rotation, back)};
  return PL_OK;
}
