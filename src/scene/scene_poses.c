// Poses and groups of a scene's meshes: from files, fitted from posed surfaces, or made by deforming the rest shape.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "pliant/math.h"
#include "pliant/mesh_file.h"
#include "pliant/pose.h"
#include "scene/scene_instance.h"

// --- deforming -----------------------------------------------------------------------------------------------------

// The axis numbered `axis` becomes z, the next one x, the one after it y: wave, twist and bend then run along z.
static pl_vec3 to_axis(pl_vec3 p, int32_t axis) {
  return axis == 1 ? (pl_vec3){p.y, p.z, p.x} : axis == 2 ? (pl_vec3){p.z, p.x, p.y} : p;
}
static pl_vec3 from_axis(pl_vec3 p, int32_t axis) {
  return axis == 1 ? (pl_vec3){p.z, p.x, p.y} : axis == 2 ? (pl_vec3){p.y, p.z, p.x} : p;
}

static pl_vec3 twist_point(pl_vec3 p, double amount) {
  double a = amount * p.z;
  return (pl_vec3){p.x * cos(a) - p.y * sin(a), p.x * sin(a) + p.y * cos(a), p.z};
}

// The z axis becomes an arc of curvature `amount` in the x-z plane, through the origin.
static pl_vec3 bend_point(pl_vec3 p, double amount) {
  if (fabs(amount) < 1e-12) return p;
  double radius = 1 / amount - p.x, a = amount * p.z;
  return (pl_vec3){1 / amount - radius * cos(a), p.y, radius * sin(a)};
}

// 0 below 0, 1 above 1, smooth in between.
static double ease(double t) {
  t = fmin(fmax(t, 0), 1);
  return t * t * (3 - 2 * t);
}

static pl_vec3 turn_point(pl_vec3 p, const pl_scene_turn *turn) {
  pl_vec3 axis = pl_vec3_normalize_or(turn->toward, (pl_vec3){0, 1, 0}), arm = pl_vec3_sub(p, turn->around);
  double along = pl_vec3_dot(arm, axis), aside = pl_vec3_length(pl_vec3_add_scaled(arm, axis, -along));
  double fraction = ease(along / turn->reach) * (1 - ease((aside / turn->radius - 1) * 2));
  if (!(fraction > 0)) return p;
  pl_quat part = pl_quat_slerp(pl_quat_identity(), turn->rotation, fraction);
  return pl_vec3_add_scaled(pl_vec3_add(turn->around, pl_quat_rotate(part, arm)), turn->shift, fraction);
}

static pl_vec3 deform_point(pl_vec3 p, const pl_scene_pose *pose) {
  p = (pl_vec3){p.x * pose->scale.x, p.y * pose->scale.y, p.z * pose->scale.z};
  double along = pose->axis == 1 ? p.x : pose->axis == 2 ? p.y : p.z;
  p = pl_vec3_add_scaled(p, pose->wave, sin(2 * PL_PI * along / pose->wave_length));
  p = from_axis(bend_point(twist_point(to_axis(p, pose->axis), pose->twist), pose->bend), pose->axis);
  for (int32_t i = 0; i < pose->turns.count; ++i) p = turn_point(p, &((const pl_scene_turn *)pose->turns.items)[i]);
  return p;
}

// --- poses ---------------------------------------------------------------------------------------------------------

// Points of the tets in a pose that is given by the points of the tets themselves, or of the surface they carry.
static pl_status place_points(pl_context *context, const pl_scene_pose *pose, const pl_vec3 *given, int32_t count,
                              double scale, const pl_instance_part *part, pl_vec3 *points, pl_error *error) {
  pl_mesh_view tets = pl_mesh_get_view(part->tets);
  int32_t surface_count = part->surface != NULL ? pl_mesh_get_view(part->surface).point_count : -1;
  pl_status status = PL_OK;
  pl_vec3 *posed = pl_allocate_array(context, (size_t)count, sizeof(pl_vec3));
  for (int32_t i = 0; posed != NULL && i < count; ++i) posed[i] = pl_vec3_scale(given[i], scale);
  if (posed == NULL) {
    status = pl_fail_memory(error);
  } else if (count == tets.point_count) {
    memcpy(points, posed, (size_t)tets.point_count * sizeof(pl_vec3));
  } else if (count == surface_count) {
    pl_pose_def def = pl_default_pose_def();
    status = pl_pose_fit(context, &def, &(pl_pose_target){part->tets, part->surface, posed}, points, NULL, error);
  } else {
    status = pl_fail(error, PL_ERROR_INVALID_DATA,
                     "pose \"%s\" has %d points where the mesh has %d; export it with the same vertices", pose->name,
                     count, surface_count >= 0 ? surface_count : tets.point_count);
  }
  pl_release(context, posed);
  return status;
}

// The same from the pose's file, or from its list of points.
static pl_status read_pose(const pl_scene *scene, const pl_scene_pose *pose, double scale, const pl_instance_part *part,
                           pl_vec3 *points, pl_findings *findings, pl_error *error) {
  pl_context *context = scene->context;
  if (pose->points.count > 0 && pose->file[0] != '\0') {
    pl_instance_add_finding(scene, pose->json, findings, PL_SEVERITY_ERROR, "pose-choice", "keep one of the two",
                            "pose \"%s\" has both `file` and `points`", pose->name);
    return pl_fail(error, PL_ERROR_INVALID_DATA, "pose \"%s\" has both `file` and `points`", pose->name);
  }
  if (pose->points.count > 0)
    return place_points(context, pose, pose->points.items, pose->points.count, scale, part, points, error);
  char *path = pl_path_join(context, scene->folder, pose->file);
  if (path == NULL) return pl_fail_memory(error);
  pl_mesh *mesh = NULL;
  pl_status status = pl_mesh_load(context, path, &mesh, findings, error);
  pl_release(context, path);
  if (status < 0) return status;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  status = place_points(context, pose, view.points, view.point_count, scale, part, points, error);
  pl_mesh_destroy(mesh);
  return status;
}

// Put a copy of the tets with all poses of the scene's mesh in the place of the part's tets.
static pl_status add_poses(pl_scene_instance *set, pl_instance_part *part, const pl_scene_mesh *def,
                           pl_findings *findings, pl_error *error) {
  int32_t n = pl_mesh_get_view(part->tets).point_count, count = def->poses.count;
  pl_arena arena;
  pl_arena_init(&arena, set->context, 0);
  pl_pose_source *sources = PL_TAKE(&arena, pl_pose_source, count);
  pl_status status = sources == NULL ? pl_fail_memory(error) : PL_OK;
  for (int32_t k = 0; status >= 0 && k < count; ++k) {
    const pl_scene_pose *pose = &((const pl_scene_pose *)def->poses.items)[k];
    pl_vec3 *points = pl_arena_copy(&arena, pl_mesh_get_view(part->tets).points, (size_t)n, sizeof(pl_vec3));
    if (points == NULL) status = pl_fail_memory(error);
    bool given = pose->file[0] != '\0' || pose->points.count > 0;
    if (status >= 0 && given) status = read_pose(set->scene, pose, def->scale, part, points, findings, error);
    for (int32_t i = 0; status >= 0 && i < n; ++i) points[i] = deform_point(points[i], pose);
    sources[k] = (pl_pose_source){pose->name, n, points};
  }
  pl_mesh *posed = NULL;
  if (status >= 0) status = pl_poses_from_points(set->context, part->tets, sources, count, &posed, error);
  pl_arena_destroy(&arena);
  if (status < 0) return status;
  pl_mesh_destroy(part->tets);
  part->tets = posed;
  return PL_OK;
}

// Doubtful poses are reported at the mesh's place in the scene.
static pl_status check_poses(pl_scene_instance *set, const pl_instance_part *part, const pl_scene_mesh *def,
                             pl_findings *findings, pl_error *error) {
  pl_findings *own = NULL;
  pl_status status = pl_findings_create(set->context, &own, error);
  if (status >= 0) status = pl_poses_check(set->context, part->tets, own, error);
  for (int32_t i = 0; own != NULL && i < pl_findings_count(own, PL_SEVERITY_NOTE); ++i) {
    const pl_finding *finding = pl_findings_get(own, i);
    pl_finding about = {
        .severity = finding->severity, .index = -1, .kind = finding->kind, .why = finding->why, .fix = finding->fix};
    (void)pl_json_add_finding(set->scene->json, def->json, false, findings, &about, "%s", finding->you_see);
  }
  pl_findings_destroy(own);
  return status;
}

pl_status pl_instance_make_poses(pl_scene_instance *set, pl_instance_part *part, const pl_scene_mesh *def,
                                 pl_findings *findings, pl_error *error) {
  pl_status status = PL_OK;
  if (part->surface != NULL && pl_mesh_get_view(part->surface).pose_count > 0) {
    pl_mesh *posed = NULL;
    pl_pose_def fit = pl_default_pose_def();
    status = pl_poses_from_surface(set->context, &fit, &(pl_pose_target){part->tets, part->surface, NULL}, &posed, NULL,
                                   error);
    if (status < 0) return status;
    pl_mesh_destroy(part->tets);
    part->tets = posed;
  }
  if (def->poses.count > 0) status = add_poses(set, part, def, findings, error);
  if (status >= 0 && pl_mesh_get_view(part->tets).pose_count > 0) status = check_poses(set, part, def, findings, error);
  return status;
}

// --- what bodies use of them
// -------------------------------------------------------------------------------------------

void pl_instance_report_name(pl_scene_instance *set, const pl_scene_body *body, pl_findings *findings, const char *what,
                             const char *name, const char *const *names, int32_t count) {
  const pl_json *json_node = body->method == PL_SCENE_FEM ? body->fem.json : body->solid.json;
  if (body->actor.json != NULL)
    json_node = pl_json_find(body->actor.json, body->actor.examples.count > 0 ? "examples" : "groups");
  if (json_node == NULL) json_node = body->json;
  const char *near = pl_text_suggest(name, names, count);
  char fix[200] = "add it to the mesh, or export it with the file";
  if (near != NULL) snprintf(fix, sizeof fix, "did you mean \"%s\"?", near);
  pl_instance_add_finding(set->scene, json_node, findings, PL_SEVERITY_ERROR, "unknown-name", fix,
                          "the mesh of body \"%s\" has no %s \"%s\"", body->name, what, name);
}

pl_status pl_instance_choose_poses(pl_scene_instance *set, const pl_instance_part *part, const pl_scene_list *wanted,
                                   const pl_mesh_pose **poses, pl_findings *findings, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(part->tets);
  pl_mesh_pose *chosen = PL_TAKE(&set->arena, pl_mesh_pose, wanted->count);
  const char **names = PL_TAKE(&set->arena, const char *, view.pose_count);
  if (chosen == NULL || names == NULL) return pl_fail_memory(error);
  for (int32_t k = 0; k < view.pose_count; ++k) names[k] = view.poses[k].name;
  for (int32_t i = 0; i < wanted->count; ++i) {
    const char *name = ((const char *const *)wanted->items)[i];
    int32_t number = pl_mesh_find_pose(part->tets, name);
    if (number < 0) {
      pl_instance_report_name(set, part->source, findings, "pose", name, names, view.pose_count);
      return pl_fail(error, PL_ERROR_INVALID_DATA, "there is no pose \"%s\"", name);
    }
    chosen[i] = view.poses[number];
  }
  *poses = chosen;
  return PL_OK;
}

// 1 in the group's box, falling to 0 over its border.
static float weight_in(const pl_scene_group *group, pl_vec3 p) {
  pl_vec3 outside = {fmax(fmax(group->min.x - p.x, p.x - group->max.x), 0),
                     fmax(fmax(group->min.y - p.y, p.y - group->max.y), 0),
                     fmax(fmax(group->min.z - p.z, p.z - group->max.z), 0)};
  double distance = pl_vec3_length(outside);
  return distance <= 0 ? 1.0f : group->border > 0 ? (float)(1 - ease(distance / group->border)) : 0.0f;
}

// Weights of a surface's group for the particles of a lattice around it: a particle takes the largest weight of the
// surface points it carries.
static pl_status carry_group(pl_scene_instance *set, const pl_instance_part *part, const float *weights,
                             const float **carried, pl_error *error) {
  pl_mesh_view surface = pl_mesh_get_view(part->surface), tets = pl_mesh_get_view(part->tets);
  float *result = PL_TAKE(&set->arena, float, tets.point_count);
  if (result == NULL) return pl_fail_memory(error);
  const pl_scene_body *source = part->source;
  double tolerance =
      source->method == PL_SCENE_FEM ? source->fem.def.surface_tolerance : source->solid.def.surface_tolerance;
  pl_embedding *embedding = NULL;
  pl_status status = pl_embedding_build(set->context, part->tets,
                                        &(pl_embedding_input){surface.points, surface.point_count, tolerance},
                                        &embedding, NULL, error);
  if (status < 0) return status;
  pl_embedding_view view = pl_embedding_get_view(embedding);
  for (int32_t i = 0; i < 4 * view.point_count; ++i) {
    float *of_parent = &result[view.parents[i]];
    if (view.weights[i] > 0 && weights[i / 4] > *of_parent) *of_parent = weights[i / 4];
  }
  pl_embedding_destroy(embedding);
  *carried = result;
  return PL_OK;
}

pl_status pl_instance_find_group(pl_scene_instance *set, const pl_instance_part *part, const char *name,
                                 const float **weights, pl_error *error) {
  *weights = NULL;
  if (part->tets == NULL) return PL_OK;  // the joints of a rod are in no group
  const pl_scene_mesh *mesh = pl_scene_find_mesh(set->scene, part->source->mesh);
  pl_mesh_view view = pl_mesh_get_view(part->tets);
  for (int32_t i = 0; i < mesh->groups.count; ++i) {
    const pl_scene_group *group = &((const pl_scene_group *)mesh->groups.items)[i];
    if (strcmp(group->name, name) != 0) continue;
    float *made = PL_TAKE(&set->arena, float, view.point_count);
    for (int32_t k = 0; made != NULL && k < view.point_count; ++k) made[k] = weight_in(group, view.points[k]);
    *weights = made;
    return made == NULL ? pl_fail_memory(error) : PL_OK;
  }
  int32_t number = pl_mesh_find_group(part->tets, name);
  if (number >= 0) *weights = view.groups[number].weights;
  if (number >= 0 || part->surface == NULL) return PL_OK;
  number = pl_mesh_find_group(part->surface, name);
  return number < 0 ? PL_OK
                    : carry_group(set, part, pl_mesh_get_view(part->surface).groups[number].weights, weights, error);
}
