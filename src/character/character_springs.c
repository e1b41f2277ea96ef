// Springs, colliders and parameters of the whole body as JSON.
#include "character/character_springs.h"

#include <string.h>

#include "base/error.h"
#include "character/character_rod.h"
#include "pliant/math.h"
#include "rod/rod_parameters.h"

// Within 0.3 m of the middle such a sphere is half a millimetre from its plane.
static const double FLAT_RADIUS = 100;

static void set_vector(pl_arena *arena, pl_json *object, const char *key, pl_vec3 vector) {
  const double numbers[3] = {vector.x, vector.y, vector.z};
  pl_json_set_numbers(arena, object, key, numbers, 3);
}

pl_status pl_springs_get_collider(const pl_rod_collider *from, int32_t number, pl_character_collider *collider,
                                  pl_error *error) {
  const pl_collider_def *shape = &from->shape;
  pl_transform placement = {shape->placement.position, pl_quat_normalize(shape->placement.rotation)};
  bool is_sphere = shape->shape == PL_COLLIDER_SPHERE, is_capsule = shape->shape == PL_COLLIDER_CAPSULE;
  if (!is_sphere && !is_capsule && shape->shape != PL_COLLIDER_HALF_SPACE)
    return pl_fail(error, PL_ERROR_UNSUPPORTED,
                   "collider %d is a box or a mesh; VRM files hold spheres, capsules and half-spaces", number);
  double below = is_sphere ? 0 : is_capsule ? shape->half_length : FLAT_RADIUS;
  *collider = (pl_character_collider){.node = from->joint,
                                      .from = pl_transform_apply(placement, (pl_vec3){0, -below, 0}),
                                      .radius = is_sphere || is_capsule ? shape->radius : FLAT_RADIUS};
  collider->to = is_capsule ? pl_transform_apply(placement, (pl_vec3){0, shape->half_length, 0}) : collider->from;
  return PL_OK;
}

void pl_springs_add_collider(pl_arena *arena, pl_json *list, const pl_character_collider *collider) {
  bool is_capsule = pl_vec3_distance(collider->from, collider->to) > 0;
  pl_json *json = pl_json_add(list, pl_json_new(arena, PL_JSON_OBJECT));
  pl_json_set_number(arena, json, "node", collider->node);
  json = pl_json_set(arena, json, "shape", pl_json_new(arena, PL_JSON_OBJECT));
  pl_json *form = pl_json_set(arena, json, is_capsule ? "capsule" : "sphere", pl_json_new(arena, PL_JSON_OBJECT));
  set_vector(arena, form, "offset", collider->from);
  pl_json_set_number(arena, form, "radius", collider->radius);
  if (is_capsule) set_vector(arena, form, "tail", collider->to);
}

pl_json *pl_springs_add_joint(pl_arena *arena, pl_json *list, int32_t node, const pl_rod_joint *bone) {
  pl_json *json = pl_json_add(list, pl_json_new(arena, PL_JSON_OBJECT));
  pl_json_set_number(arena, json, "node", node);
  pl_json_set_number(arena, json, "hitRadius", bone->radius);
  pl_json_set_number(arena, json, "stiffness", bone->spring);
  pl_json_set_number(arena, json, "gravityPower", pl_vec3_length(bone->pull));
  set_vector(arena, json, "gravityDir", pl_vec3_normalize_or(bone->pull, (pl_vec3){0, -1, 0}));
  pl_json_set_number(arena, json, "dragForce", bone->drag);
  return json;
}

void pl_springs_set_rod(pl_arena *arena, pl_json *extension, const pl_rod_def *rod) {
  pl_json *json = pl_json_set(arena, extension, "rod", pl_json_new(arena, PL_JSON_OBJECT));
  for (int32_t i = 0; i < pl_rod_def_parameters.count; ++i) {
    const pl_parameter *parameter = &pl_rod_def_parameters.items[i];
    const void *value = (const char *)rod + parameter->offset;
    if (!pl_character_has_parameter(parameter)) continue;
    if (parameter->kind == PL_PARAMETER_NUMBER) {
      pl_json_set_number(arena, json, parameter->name, *(const double *)value);
    } else if (parameter->kind == PL_PARAMETER_INTEGER) {
      pl_json_set_number(arena, json, parameter->name, *(const int32_t *)value);
    } else {
      // A constant that is none of the enum's, which building would refuse, is written as the default.
      int choice, count = 0;
      memcpy(&choice, value, sizeof choice);
      while (parameter->choices[count] != NULL) ++count;
      if (choice < 0 || choice >= count) choice = (int)parameter->default_value[0];
      pl_json_set_text(arena, json, parameter->name, parameter->choices[choice]);
    }
  }
}
