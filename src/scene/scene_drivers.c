// Drivers of a scene: what decides the weights of a body's examples, evaluated before every step from time, camera and
// kinematic joints alone.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "examples/weights.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "pliant/math.h"
#include "pliant/step.h"
#include "scene/scene_rod.h"

// What a driver is made from, and where its troubles go.
typedef struct making {
  pl_scene_instance *set;
  const pl_instance_part *part;
  const pl_scene_driver *def;
  pl_instance_driver *entry;
  pl_findings *findings;
  pl_error *error;
} making;

static pl_status report_problem(const making *m, const pl_json *json, const char *fix, const char *text) {
  pl_instance_add_finding(m->set->scene, json, m->findings, PL_SEVERITY_ERROR, "driver", fix, "%s", text);
  return pl_fail(m->error, PL_ERROR_INVALID_DATA, "%s", text);
}

static pl_status report_name(const making *m, const char *key, const char *name, const char *const *names,
                             int32_t count) {
  char text[300], fix[200] = "take one of the names of this body";
  const char *near = pl_text_suggest(name, names, count);
  if (near != NULL) snprintf(fix, sizeof fix, "did you mean \"%.150s\"?", near);
  snprintf(text, sizeof text, "body \"%.80s\" has no %s \"%.150s\"", m->part->source->name, key, name);
  return report_problem(m, pl_json_find(m->def->json, key), fix, text);
}

static pl_status make_constant(const making *m) {
  pl_weight_driver *driver = &m->entry->driver;
  if (m->def->weights.count != driver->count)
    return report_problem(m, m->def->json, "write `weights` with one number per example of the body",
                          "give one weight per example");
  driver->kind = PL_DRIVER_CONSTANT;
  driver->weights = m->def->weights.items;
  return PL_OK;
}

// A curve over time, or over the angle or speed of a joint.
static pl_status make_curve(const making *m) {
  pl_weight_driver *driver = &m->entry->driver;
  const pl_scene_driver *def = m->def;
  int32_t keys = def->keys.count, n = driver->count;
  bool over_time = def->kind == PL_SCENE_DRIVER_CURVE;
  pl_arena *arena = &m->set->arena;
  if (keys == 0) return report_problem(m, def->json, "add `keys`", "a curve needs `keys`");
  double *times = PL_TAKE(arena, double, keys), *values = PL_TAKE(arena, double, keys *n),
         *slopes = PL_TAKE(arena, double, keys *n);
  if (arena->failed) return pl_fail_memory(m->error);
  for (int32_t i = 0; i < keys; ++i) {
    const pl_scene_weight_key *key = &((const pl_scene_weight_key *)def->keys.items)[i];
    if (key->weights.count != n)
      return report_problem(m, key->json, "write one number per example of the body",
                            "every key needs one weight per example");
    times[i] = over_time ? key->time : key->at;
    for (int32_t k = 0; k < n; ++k) values[i * n + k] = ((const double *)key->weights.items)[k];
  }
  driver->kind = PL_DRIVER_CURVE;
  driver->curve = (pl_weight_curve){
      def->smooth ? PL_CURVE_SMOOTH : PL_CURVE_LINEAR, over_time && def->loop, n, keys, times, values, slopes};
  pl_error local = {0};
  if (pl_weight_curve_check(&driver->curve, &local) < 0) return report_problem(m, def->json, "", local.text);
  pl_weight_curve_slopes(&driver->curve, slopes);
  return PL_OK;
}

static pl_status make_view(const making *m) {
  pl_weight_driver *driver = &m->entry->driver;
  const pl_scene_driver *def = m->def;
  pl_arena *arena = &m->set->arena;
  int32_t n = driver->count;
  if (def->views.count != n)
    return report_problem(m, def->json, "write one direction per example", "give one entry of `views` per example");
  pl_view_example *views = PL_TAKE(arena, pl_view_example, n);
  driver->kernel = (pl_weight_kernel){n, PL_TAKE(arena, double, (n + 1) * n), PL_TAKE(arena, int32_t, n)};
  if (arena->failed) return pl_fail_memory(m->error);
  for (int32_t k = 0; k < n; ++k) {
    const pl_scene_view_example *view = &((const pl_scene_view_example *)def->views.items)[k];
    views[k] = (pl_view_example){view->direction, view->extent * PL_PI / 180};
  }
  driver->kind = PL_DRIVER_VIEW;
  driver->views = views;
  pl_error local = {0};
  return pl_view_kernel_build(n, views, &driver->kernel, &local) < 0 ? report_problem(m, def->json, "", local.text)
                                                                     : PL_OK;
}

static bool has_viewed_examples(const pl_instance_rod *rod) {
  for (int32_t i = 0; i < rod->def.example_count; ++i)
    if (rod->def.examples[i].extent > 0) return true;
  return false;
}

// Examples of rods have their directions; all there is to do is to tell the body where the camera is.
static pl_status make_view_driver(const making *m) {
  const pl_scene_driver *def = m->def;
  if (def->views.count > 0)
    return report_problem(m, def->json, "give each example its `direction` and remove `views`",
                          "examples of a rod have directions of their own");
  if (def->chain[0] != '\0')
    return report_problem(m, def->json, "remove `chain`: chains that have another driver do not follow the view",
                          "a view driver is for all chains of a rod");
  if (!has_viewed_examples(m->part->rod))
    return report_problem(m, def->json, "give examples a `direction`", "a view driver needs examples with directions");
  return PL_OK;
}

static pl_status find_kinematic(const making *m, const pl_instance_part **part) {
  *part = pl_instance_find_kinematic(m->set, m->def->body);
  if (*part == NULL)
    return report_problem(m, pl_json_find(m->def->json, "body"),
                          "name a body of the method `kinematic` that stands before this one",
                          "there is no kinematic mesh of this name before this body");
  m->entry->kinematic = (*part)->kinematic;
  return PL_OK;
}

// Morph targets of a kinematic mesh, one per example.
static pl_status make_morphs(const making *m) {
  const pl_instance_part *part;
  pl_status status = find_kinematic(m, &part);
  if (status < 0) return status;
  int32_t n = m->entry->driver.count, *morphs = PL_TAKE(&m->set->arena, int32_t, n);
  if (morphs == NULL) return pl_fail_memory(m->error);
  if (m->def->morphs.count != n)
    return report_problem(m, m->def->json, "write one name of a morph target per example of the body",
                          "give one entry of `morphs` per example");
  const pl_mesh *surface = NULL;
  if (part->kinematic->character != NULL) surface = pl_character_get_view(part->kinematic->character).surface;
  for (int32_t k = 0; k < n; ++k) {
    const char *name = ((const char *const *)m->def->morphs.items)[k];
    morphs[k] = surface == NULL ? -1 : pl_mesh_find_pose(surface, name);
    if (morphs[k] < 0) {
      char text[300];
      snprintf(text, sizeof text, "\"%.80s\" has no morph target \"%.150s\"", part->body.name, name);
      return report_problem(m, pl_json_find(m->def->json, "morphs"), "`pliant info FILE` lists its morph targets",
                            text);
    }
  }
  m->entry->morphs = morphs;
  m->entry->driver.kind = PL_DRIVER_CONSTANT;
  return PL_OK;
}

static pl_status find_joint(const making *m) {
  const pl_instance_rod *rod = m->part->rod;
  if (m->def->body[0] != '\0') {
    const pl_instance_part *part;
    pl_status status = find_kinematic(m, &part);
    if (status < 0) return status;
    m->entry->joint = pl_instance_find_node(m->set, part, m->def->json, "joint", m->def->joint, m->findings, m->error);
    return m->entry->joint < 0 ? PL_ERROR_INVALID_DATA : make_curve(m);
  }
  if (rod == NULL)
    return report_problem(m, m->def->json, "use `view`, `curve` or `constant`, or name a kinematic mesh as `body`",
                          "only rods have kinematic joints, whose angle or speed could be used");
  const char **names = PL_TAKE(&m->set->arena, const char *, rod->def.joint_count);
  int32_t count = 0;
  if (names == NULL) return pl_fail_memory(m->error);
  m->entry->rod = rod;
  for (int32_t i = 0; i < rod->def.joint_count; ++i) {
    if (!rod->def.joints[i].kinematic) continue;
    m->entry->joint = i;
    names[count++] = rod->def.joints[i].name;
    if (m->def->joint[0] == '\0' || strcmp(names[count - 1], m->def->joint) == 0) return make_curve(m);
  }
  return report_name(m, "joint", m->def->joint, names, count);
}

static pl_status choose_manifold(const making *m, const pl_example_view *examples) {
  const char *name = m->def->chain;
  m->entry->manifold_count = examples->given_count;
  if (name[0] == '\0') return PL_OK;
  m->entry->manifold_count = 1;
  int32_t count = examples->manifold_names == NULL ? 0 : examples->given_count;
  for (int32_t i = 0; i < count; ++i) {
    m->entry->manifold_start = i;
    if (strcmp(examples->manifold_names[i], name) == 0) return PL_OK;
  }
  return report_name(m, "chain", name, examples->manifold_names, count);
}

static pl_status make_driver(const making *m) {
  pl_example_view examples = pl_model_get_examples(m->part->model);
  bool is_rod = m->part->rod != NULL;
  if (examples.example_count == 0)
    return report_problem(m, m->def->json, "give the body examples, or remove the driver",
                          "a driver needs a body with `examples`");
  m->entry->driver.count = examples.example_count;
  if (m->def->kind == PL_SCENE_DRIVER_VIEW && m->set->scene->document.camera.json == NULL)
    return report_problem(m, m->def->json, "add a `camera` to the scene", "a view driver needs the scene's `camera`");
  if (m->def->kind == PL_SCENE_DRIVER_VIEW && is_rod) return make_view_driver(m);
  pl_status status = choose_manifold(m, &examples);
  if (status < 0) return status;
  switch (m->def->kind) {
    case PL_SCENE_DRIVER_CONSTANT: return make_constant(m);
    case PL_SCENE_DRIVER_CURVE: return make_curve(m);
    case PL_SCENE_DRIVER_VIEW: return make_view(m);
    case PL_SCENE_DRIVER_MORPH: return make_morphs(m);
    case PL_SCENE_DRIVER_PROJECTION:
      return report_problem(m, m->def->json, "use `view`, `constant`, `curve`, `angle` or `speed`",
                            "a rod has no weights by projection of its shape");
    default: return find_joint(m);
  }
}

pl_status pl_instance_add_drivers(pl_scene_instance *set, const pl_instance_part *part, pl_findings *findings,
                                  pl_error *error) {
  const pl_scene_list *drivers = &part->source->drivers;
  for (int32_t i = 0; i < drivers->count; ++i) {
    const pl_scene_driver *def = &((const pl_scene_driver *)drivers->items)[i];
    if (def->kind == PL_SCENE_DRIVER_PROJECTION && part->rod == NULL) continue;
    pl_instance_driver entry = {.source = def, .body = part->body.id, .rest = part->tets};
    const making m = {set, part, def, &entry, findings, error};
    pl_status status = make_driver(&m);
    if (status >= 0 && !pl_vector_push(&set->drivers, &entry)) status = pl_fail_memory(error);
    if (status < 0) return status;
  }
  if (drivers->count > 0 || part->rod == NULL || set->scene->document.camera.json == NULL ||
      !has_viewed_examples(part->rod))
    return PL_OK;
  pl_instance_driver driver = {.body = part->body.id};
  return pl_vector_push(&set->drivers, &driver) ? PL_OK : pl_fail_memory(error);
}

// How the body as a whole is turned now: the rotation that fits its rest shape best, found from its particles.
static pl_quat turn_of_body(const pl_scene_instance *set, const pl_instance_driver *entry, pl_vec3 *center) {
  pl_mesh_view rest = pl_mesh_get_view(entry->rest);
  pl_vec3 middle = {0, 0, 0};
  *center = (pl_vec3){0, 0, 0};
  pl_body_get_positions(set->world, entry->body, set->points);
  for (int32_t i = 0; i < rest.point_count; ++i) {
    middle = pl_vec3_add_scaled(middle, rest.points[i], 1.0 / rest.point_count);
    *center = pl_vec3_add_scaled(*center, set->points[i], 1.0 / rest.point_count);
  }
  pl_mat3 moments = pl_mat3_zero();
  for (int32_t i = 0; i < rest.point_count; ++i)
    moments =
        pl_mat3_add(moments, pl_mat3_outer(pl_vec3_sub(set->points[i], *center), pl_vec3_sub(rest.points[i], middle)));
  return pl_rotation_of_mat3(moments, pl_quat_identity());
}

// Rotation of a joint as the joint above it sees it; the body's frame where there is none.
static pl_quat seen_from_above(int32_t parent, pl_quat own, pl_quat above) {
  return parent < 0 ? own : pl_quat_multiply(pl_quat_conjugate(above), own);
}

// Rotations from rest of a joint at a time, and at rest, each as the joint above it sees it.
static void get_rotations(const pl_instance_driver *entry, double time, pl_quat *now, pl_quat *rest) {
  int32_t joint = entry->joint;
  if (entry->kinematic != NULL) {
    const pl_instance_kinematic *k = entry->kinematic;
    int32_t parent = pl_character_get_view(k->character).nodes[joint].parent, above = parent >= 0 ? parent : joint;
    pl_instance_kinematic_sample(k, time, NULL);
    *now = seen_from_above(parent, k->nodes[joint].rotation, k->nodes[above].rotation);
    *rest = seen_from_above(parent, k->rest[joint].rotation, k->rest[above].rotation);
    return;
  }
  const pl_instance_rod *rod = entry->rod;
  int32_t parent = rod->def.joints[joint].parent, above = parent >= 0 ? parent : joint;
  pl_instance_rod_sample(rod, time);
  *now = seen_from_above(parent, pl_instance_rod_joint_at(rod, joint, time).rotation,
                         pl_instance_rod_joint_at(rod, above, time).rotation);
  *rest = seen_from_above(parent, rod->def.joints[joint].rest.rotation, rod->def.joints[above].rest.rotation);
}

// Degrees from rest, at a time.
static double angle_of(const pl_instance_driver *entry, double time) {
  pl_quat now, rest;
  get_rotations(entry, time, &now, &rest);
  pl_quat turn = pl_quat_multiply(now, pl_quat_conjugate(rest));
  if (turn.w < 0) turn = pl_quat_scale(turn, -1);
  pl_vec3 sine = {turn.x, turn.y, turn.z}, axis = entry->source->about;
  bool whole = !(pl_vec3_length(axis) > 1e-12);
  // About an axis: the twist part of the rotation, with its sign.
  double part = whole ? pl_vec3_length(sine) : pl_vec3_dot(sine, pl_vec3_normalize_or(axis, axis));
  return 2 * atan2(part, turn.w) * 180 / PL_PI;
}

static pl_vec3 joint_position(const pl_instance_driver *entry, double time) {
  if (entry->kinematic != NULL) {
    pl_instance_kinematic_sample(entry->kinematic, time, NULL);
    return entry->kinematic->nodes[entry->joint].position;
  }
  pl_instance_rod_sample(entry->rod, time);
  return pl_instance_rod_joint_at(entry->rod, entry->joint, time).position;
}

// Metres per second over a step.
static double speed_of(const pl_instance_driver *entry, double now, double end) {
  return pl_vec3_distance(joint_position(entry, now), joint_position(entry, end)) / (end - now);
}

void pl_scene_instance_set_camera(pl_scene_instance *set, const pl_vec3 *eye) {
  set->has_eye = eye != NULL;
  if (eye != NULL) set->eye = *eye;
}

static pl_vec3 eye_at(const pl_scene_instance *set, double time) {
  return set->has_eye ? set->eye : pl_scene_get_camera(set->scene, time).eye;
}

static pl_status drive(pl_scene_instance *set, pl_world *world, const pl_instance_driver *entry, double now, double end,
                       pl_error *error) {
  double weights[PL_MAX_EXAMPLES];
  pl_weight_input input = {.time = now};
  if (entry->source->kind == PL_SCENE_DRIVER_ANGLE) input.time = angle_of(entry, end);
  if (entry->source->kind == PL_SCENE_DRIVER_SPEED) input.time = speed_of(entry, now, end);
  if (entry->driver.kind == PL_DRIVER_VIEW) {
    pl_vec3 center;
    pl_quat turn = turn_of_body(set, entry, &center);
    pl_vec3 to_camera = pl_vec3_sub(eye_at(set, now), center);
    input.direction = pl_quat_rotate(pl_quat_conjugate(turn), to_camera);
  }
  if (entry->morphs != NULL) {
    pl_instance_kinematic_sample(entry->kinematic, end, NULL);
    for (int32_t k = 0; k < entry->driver.count; ++k) weights[k] = entry->kinematic->morphs[entry->morphs[k]];
  } else {
    pl_weight_driver_evaluate(&entry->driver, &input, weights);
  }
  for (int32_t m = 0; m < entry->manifold_count; ++m) {
    pl_status status = pl_body_set_weights(world, entry->body, entry->manifold_start + m, weights, error);
    if (status < 0) return status;
  }
  return PL_OK;
}

pl_status pl_instance_drive(pl_scene_instance *set, pl_world *world, double now, double end, pl_error *error) {
  for (size_t i = 0; i < set->drivers.count; ++i) {
    const pl_instance_driver *entry = &PL_ITEM(&set->drivers, pl_instance_driver, i);
    bool follows_camera = entry->source == NULL || (entry->source->kind == PL_SCENE_DRIVER_VIEW && entry->rest == NULL);
    pl_status status = follows_camera ? pl_rod_set_camera(world, entry->body, eye_at(set, end), error)
                                      : drive(set, world, entry, now, end, error);
    if (status < 0) return status;
  }
  return PL_OK;
}
