// Colliders: defaults, validation, and where a moving one is at a time.
#include "contact/collider.h"

#include "base/context.h"
#include "base/error.h"
#include "contact/collider_parameters.h"
#include "mesh/triangle_tree.h"
#include "pliant/math.h"

pl_collider_def pl_default_collider_def(pl_collider_shape shape) {
  pl_collider_def def = {0};
  pl_parameters_set_defaults(&pl_collider_def_parameters, &def);
  def.shape = shape;
  def.placement = pl_transform_identity();
  return def;
}

static bool is_placement(pl_transform t) {
  double n = pl_quat_dot(t.rotation, t.rotation);
  return pl_vec3_is_finite(t.position) && isfinite(n) && n > 1e-12;
}

static pl_transform with_unit_rotation(pl_transform t) {
  return (pl_transform){t.position, pl_quat_normalize(t.rotation)};
}

static pl_status check_form(const pl_collider_def *def, pl_error *error) {
  const pl_status bad = PL_ERROR_INVALID_ARGUMENT;
  switch (def->shape) {
    case PL_COLLIDER_HALF_SPACE:
    case PL_COLLIDER_SPHERE:
    case PL_COLLIDER_CAPSULE:
    case PL_COLLIDER_BOX: return PL_OK;
    case PL_COLLIDER_MESH:
      if (def->mesh == NULL) return pl_fail_field(error, bad, "mesh", "a mesh collider needs a mesh");
      if (pl_mesh_get_view(def->mesh).triangle_count == 0)
        return pl_fail_field(error, bad, "mesh", "the mesh has no triangles");
      return PL_OK;
  }
  return pl_fail_field(error, bad, "shape", "there is no collider shape %d", (int)def->shape);
}

static pl_status check_keys(const pl_collider_def *def, pl_error *error) {
  const pl_status bad = PL_ERROR_INVALID_ARGUMENT;
  if (def->key_count < 0 || (def->key_count > 0 && def->keys == NULL))
    return pl_fail_field(error, bad, "keys", "key_count is %d but there are no keys", (int)def->key_count);
  if (def->key_count == 0 && !is_placement(def->placement))
    return pl_fail_field(error, bad, "placement", "the placement must be finite and its rotation not zero");
  for (int32_t i = 0; i < def->key_count; ++i) {
    if (!isfinite(def->keys[i].time) || !is_placement(def->keys[i].placement))
      return pl_fail_field(error, bad, "keys", "key %d must be finite and its rotation not zero", (int)i);
    if (i > 0 && def->keys[i].time <= def->keys[i - 1].time)
      return pl_fail_field(error, bad, "keys", "key %d is not later than the one before it", (int)i);
  }
  return PL_OK;
}

static pl_status check_def(const pl_collider_def *def, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_collider_def_parameters, def, error);
  if (status == PL_OK) status = check_form(def, error);
  if (status == PL_OK) status = check_keys(def, error);
  return status;
}

static pl_box mesh_box(const pl_mesh *mesh) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_box box = pl_box_empty();
  for (int32_t i = 0; i < 3 * view.triangle_count; ++i) box = pl_box_add_point(box, view.points[view.triangles[i]]);
  return box;
}

// A ball around the form, so that far-away points cost one comparison.
static void measure_reach(pl_collider *collider, const pl_mesh *mesh) {
  switch (collider->shape) {
    case PL_COLLIDER_HALF_SPACE: collider->reach = HUGE_VAL; break;
    case PL_COLLIDER_SPHERE: collider->reach = collider->radius; break;
    case PL_COLLIDER_CAPSULE: collider->reach = collider->radius + collider->half_length; break;
    case PL_COLLIDER_BOX: collider->reach = pl_vec3_length(collider->half_size); break;
    case PL_COLLIDER_MESH: {
      pl_box box = mesh_box(mesh);
      collider->center = pl_box_center(box);
      collider->reach = 0.5 * pl_box_diagonal(box);
      break;
    }
  }
}

pl_status pl_collider_create(pl_context *context, const pl_collider_def *def, pl_collider **result, pl_error *error) {
  *result = NULL;
  pl_status status = check_def(def, error);
  if (status != PL_OK) return status;

  pl_arena arena;
  pl_arena_init(&arena, context, sizeof(pl_collider) + (size_t)def->key_count * sizeof(pl_collider_key) + 256);
  pl_collider *collider = PL_TAKE(&arena, pl_collider, 1);
  pl_collider_key *keys = pl_arena_copy(&arena, def->keys, (size_t)def->key_count, sizeof(pl_collider_key));
  pl_collider_key *lead = def->key_count == 0 ? PL_TAKE(&arena, pl_collider_key, 2) : NULL;
  if (arena.failed) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  for (int32_t i = 0; i < def->key_count; ++i) keys[i].placement = with_unit_rotation(keys[i].placement);
  *collider = (pl_collider){
      .shape = def->shape,
      .radius = def->radius,
      .half_length = def->half_length,
      .half_size = def->half_size,
      .friction = def->friction,
      .restitution = def->restitution,
      .filter = pl_contact_filter_of(def->collision_layers, def->collision_mask),
      .placement = with_unit_rotation(def->placement),
      .keys = keys,
      .key_count = def->key_count,
      .loop = def->loop,
      .lead = lead,
  };
  measure_reach(collider, def->mesh);
  if (def->shape == PL_COLLIDER_MESH) {
    status = pl_triangle_tree_build(context, def->mesh, &collider->tree, error);
    if (status >= 0 &&
        !pl_collider_clearance_build(context, &arena, collider->tree, mesh_box(def->mesh), &collider->clearance))
      status = pl_fail_memory(error);
    if (status >= 0) {
      pl_collider_mesh mesh = {collider->tree, pl_mesh_get_view(def->mesh).triangle_count, mesh_box(def->mesh)};
      if (!pl_collider_field_build(context, &arena, &collider->clearance, &mesh, &collider->field))
        status = pl_fail_memory(error);
    }
    if (status < 0) {
      pl_triangle_tree_destroy(collider->tree);
      pl_arena_destroy(&arena);
      return status;
    }
  }
  collider->arena = arena;
  *result = collider;
  return PL_OK;
}

bool pl_collider_move(pl_collider *collider, pl_transform target, double time, double step) {
  if (collider->lead == NULL) return false;
  pl_transform now = pl_collider_placement(collider, time);
  collider->lead[0] = (pl_collider_key){time, now};
  collider->lead[1] = (pl_collider_key){time + step, with_unit_rotation(target)};
  collider->keys = collider->lead;
  collider->key_count = 2;
  return true;
}

void pl_collider_destroy(pl_context *context, pl_collider *collider) {
  (void)context;
  if (collider == NULL) return;
  pl_triangle_tree_destroy(collider->tree);
  pl_arena arena = collider->arena;
  pl_arena_destroy(&arena);
}

// Time within the keys; `turn` counts how often they started over.
static double key_time(const pl_collider *collider, double time, double *turn) {
  double first = collider->keys[0].time, last = collider->keys[collider->key_count - 1].time;
  *turn = 0;
  if (!collider->loop || last <= first || time <= last) return time;
  // A moment that falls on the end of a turn belongs to that turn, so that a step ending there still sees its motion.
  *turn = ceil((time - first) / (last - first)) - 1;
  return time - *turn * (last - first);
}

static pl_transform placement_between_keys(const pl_collider *collider, double time) {
  const pl_collider_key *keys = collider->keys;
  if (!(time > keys[0].time)) return keys[0].placement;
  if (time >= keys[collider->key_count - 1].time) return keys[collider->key_count - 1].placement;
  int32_t low = 0, high = collider->key_count - 1;  // keys[low].time <= time < keys[high].time
  while (high - low > 1) {
    int32_t middle = low + (high - low) / 2;
    if (keys[middle].time <= time)
      low = middle;
    else
      high = middle;
  }
  double t = (time - keys[low].time) / (keys[high].time - keys[low].time);
  pl_transform a = keys[low].placement, b = keys[high].placement;
  return (pl_transform){pl_vec3_lerp(a.position, b.position, t), pl_quat_slerp(a.rotation, b.rotation, t)};
}

pl_transform pl_collider_placement(const pl_collider *collider, double time) {
  if (collider->key_count == 0) return collider->placement;
  double turn;
  return placement_between_keys(collider, key_time(collider, time, &turn));
}

static bool keys_join_up(const pl_collider *collider) {
  pl_transform a = collider->keys[0].placement, b = collider->keys[collider->key_count - 1].placement;
  return pl_vec3_distance(a.position, b.position) < 1e-9 && fabs(pl_quat_dot(a.rotation, b.rotation)) > 1 - 1e-12;
}

void pl_collider_motion(const pl_collider *collider, double time, double step, pl_transform *start, pl_transform *end) {
  *start = pl_collider_placement(collider, time);
  *end = pl_collider_placement(collider, time + step);
  if (collider->key_count == 0 || !collider->loop) return;
  double turn_before, turn_after;
  key_time(collider, time, &turn_before);
  key_time(collider, time + step, &turn_after);
  if (turn_before != turn_after && !keys_join_up(collider)) *start = *end;
}

pl_vec3 pl_collider_carry(const pl_collider *collider, pl_transform start_placement, pl_transform end_placement,
                          pl_vec3 point, pl_vec3 end) {
  pl_vec3 carried = pl_transform_apply(end_placement, pl_transform_apply_inverse(start_placement, point));
  if (collider->velocities == NULL) return carried;
  pl_hit hit = pl_triangle_tree_nearest(collider->tree, pl_transform_apply_inverse(end_placement, end), HUGE_VAL);
  pl_vec3 velocity = {0, 0, 0};
  for (int k = 0; hit.triangle >= 0 && k < 3; ++k)
    velocity = pl_vec3_add_scaled(velocity, collider->velocities[collider->tree->triangles[3 * hit.triangle + k]],
                                  hit.barycentric[k]);
  return pl_vec3_add_scaled(carried, pl_quat_rotate(end_placement.rotation, velocity), collider->motion_step);
}
