// Drivers of a scene: what decides the weights of a body's examples, evaluated before every step from time and camera alone.
#include "base/error.h"
#include "examples/weights.h"
#include "math/quat.h"
#include "math/rotation.h"
#include "pliant/step.h"
#include "scene/stage_set.h"

static pl_status complain(pl_stage_set *set, const pl_json *json, pl_findings *findings, pl_error *error, const char *text) {
  pl_stage_complain(set->scene, json, findings, PL_SEVERITY_ERROR, "driver", "", "%s", text);
  return pl_fail(error, PL_ERROR_INVALID_DATA, "%s", text);
}

static pl_status make_constant(pl_stage_set *set, const pl_scene_driver *def, pl_weight_driver *driver, pl_findings *findings,
                               pl_error *error) {
  if (def->weights.count != driver->count) return complain(set, def->json, findings, error, "give one weight per example");
  driver->kind = PL_DRIVER_CONSTANT;
  driver->weights = def->weights.items;
  return PL_OK;
}

static pl_status make_curve(pl_stage_set *set, const pl_scene_driver *def, pl_weight_driver *driver, pl_findings *findings,
                            pl_error *error) {
  int32_t keys = def->keys.count, n = driver->count;
  if (keys == 0) return complain(set, def->json, findings, error, "a curve needs `keys`");
  double *times = PL_TAKE(&set->arena, double, keys), *values = PL_TAKE(&set->arena, double, keys *n),
         *slopes = PL_TAKE(&set->arena, double, keys *n);
  if (set->arena.failed) return pl_fail_memory(error);
  for (int32_t i = 0; i < keys; ++i) {
    const pl_scene_weight_key *key = &((const pl_scene_weight_key *)def->keys.items)[i];
    if (key->weights.count != n) return complain(set, key->json, findings, error, "give one weight per example in every key");
    times[i] = key->time;
    for (int32_t k = 0; k < n; ++k) values[i * n + k] = ((const double *)key->weights.items)[k];
  }
  driver->kind = PL_DRIVER_CURVE;
  driver->curve = (pl_weight_curve){def->smooth ? PL_CURVE_SMOOTH : PL_CURVE_LINEAR, def->loop, n, keys, times, values, slopes};
  pl_status status = pl_weight_curve_check(&driver->curve, error);
  if (status < 0) return complain(set, def->json, findings, error, error->text);
  pl_weight_curve_slopes(&driver->curve, slopes);
  return PL_OK;
}

static pl_status make_view(pl_stage_set *set, const pl_scene_driver *def, pl_weight_driver *driver, pl_findings *findings,
                           pl_error *error) {
  int32_t n = driver->count;
  if (def->views.count != n) return complain(set, def->json, findings, error, "give one entry of `views` per example");
  if (set->scene->document.camera.json == NULL)
    return complain(set, def->json, findings, error, "a view driver needs the scene's `camera`");
  pl_view_example *views = PL_TAKE(&set->arena, pl_view_example, n);
  driver->kernel = (pl_weight_kernel){n, PL_TAKE(&set->arena, double, (n + 1) * n), PL_TAKE(&set->arena, int32_t, n)};
  if (set->arena.failed) return pl_fail_memory(error);
  for (int32_t k = 0; k < n; ++k) {
    const pl_scene_view_example *view = &((const pl_scene_view_example *)def->views.items)[k];
    views[k] = (pl_view_example){view->direction, view->extent * 3.14159265358979323846 / 180};
  }
  driver->kind = PL_DRIVER_VIEW;
  driver->views = views;
  pl_status status = pl_view_kernel_build(n, views, &driver->kernel, error);
  return status < 0 ? complain(set, def->json, findings, error, error->text) : PL_OK;
}

pl_status pl_stage_add_driver(pl_stage_set *set, const pl_stage_part *part, pl_findings *findings, pl_error *error) {
  const pl_scene_driver *def = &part->source->driver;
  pl_example_view examples = pl_model_examples(part->model);
  if (def->json == NULL || def->kind == 1) return PL_OK;
  if (examples.example_count == 0) return complain(set, def->json, findings, error, "a driver needs a body with `examples`");
  pl_stage_driver entry = {.body = part->body.id, .manifold_count = examples.given_count, .rest = part->tets};
  entry.driver.count = examples.example_count;
  pl_status status = def->kind == 2   ? make_constant(set, def, &entry.driver, findings, error)
                     : def->kind == 3 ? make_curve(set, def, &entry.driver, findings, error)
                                      : make_view(set, def, &entry.driver, findings, error);
  if (status >= 0 && !pl_vector_push(&set->drivers, &entry)) status = pl_fail_memory(error);
  return status;
}

// How the body as a whole is turned now: the rotation that fits its rest shape best, found from its particles.
static pl_quat turn_of_body(const pl_stage_set *set, const pl_stage_driver *entry, pl_vec3 *center) {
  pl_mesh_view rest = pl_mesh_look(entry->rest);
  pl_vec3 middle = {0, 0, 0};
  *center = (pl_vec3){0, 0, 0};
  pl_body_read_positions(set->world, entry->body, set->points);
  for (int32_t i = 0; i < rest.point_count; ++i) {
    middle = pl_vec3_add_scaled(middle, rest.points[i], 1.0 / rest.point_count);
    *center = pl_vec3_add_scaled(*center, set->points[i], 1.0 / rest.point_count);
  }
  pl_mat3 moments = pl_mat3_zero();
  for (int32_t i = 0; i < rest.point_count; ++i)
    moments = pl_mat3_add(moments, pl_mat3_outer(pl_vec3_sub(set->points[i], *center), pl_vec3_sub(rest.points[i], middle)));
  return pl_rotation_of_mat3(moments, pl_quat_identity());
}

pl_status pl_stage_drive(pl_stage_set *set, pl_world *world, double time, pl_error *error) {
  for (size_t i = 0; i < set->drivers.count; ++i) {
    const pl_stage_driver *entry = &PL_ITEM(&set->drivers, pl_stage_driver, i);
    double weights[PL_EXAMPLES_MOST];
    pl_weight_input input = {.time = time};
    if (entry->driver.kind == PL_DRIVER_VIEW) {
      pl_vec3 center;
      pl_quat turn = turn_of_body(set, entry, &center);
      pl_vec3 to_camera = pl_vec3_sub(pl_scene_camera(set->scene, time).eye, center);
      input.direction = pl_quat_apply(pl_quat_conjugate(turn), to_camera);
    }
    pl_weight_driver_evaluate(&entry->driver, &input, weights);
    for (int32_t m = 0; m < entry->manifold_count; ++m) {
      pl_status status = pl_body_give_weights(world, entry->body, m, weights, error);
      if (status < 0) return status;
    }
  }
  return PL_OK;
}
