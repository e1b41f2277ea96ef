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
#include "scene/scene_pose_fit.h"

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

// Poses of one part on their way to its mesh.
typedef struct pose_plan {
  pl_scene_instance *set;
  const pl_instance_part *part;
  pl_arena arena;
  pl_mesh_view tets, surface;  // surface: empty without one
  pl_mesh_pose *poses;         // what the mesh gets
  int32_t pose_count;
  pl_pose_job *jobs;  // those that are fitted …
  int32_t job_count;
  const pl_scene_pose **after;  // … and by what each is deformed afterwards, or NULL
  pl_findings *findings;
} pose_plan;

// Whether the body of a part names a pose. Only for solids is that all there is.
static bool is_used(const pl_instance_part *part, const char *name) {
  const pl_scene_body *body = part->source;
  if (body->method != PL_SCENE_SOLID) return true;
  for (int32_t i = 0; i < body->solid.examples.count; ++i)
    if (strcmp(((const char *const *)body->solid.examples.items)[i], name) == 0) return true;
  return false;
}

// A pose that is fitted to `target`. Fits take long, so poses that nobody uses go without.
static bool plan_fit(pose_plan *p, const char *name, const pl_json *json, const pl_vec3 *target,
                     const pl_scene_pose *after) {
  if (!is_used(p->part, name)) return true;
  pl_vec3 *points = PL_TAKE(&p->arena, pl_vec3, p->tets.point_count);
  if (points == NULL || target == NULL) return false;
  p->poses[p->pose_count++] = (pl_mesh_pose){name, points};
  p->after[p->job_count] = after;
  p->jobs[p->job_count++] = (pl_pose_job){.name = name, .json = json, .target = target, .points = points};
  return true;
}

static pl_vec3 *deformed_copy(pose_plan *p, const pl_vec3 *points, int32_t count, const pl_scene_pose *pose) {
  pl_vec3 *made = pl_arena_copy(&p->arena, points, (size_t)count, sizeof(pl_vec3));
  for (int32_t i = 0; made != NULL && i < count; ++i) made[i] = deform_point(made[i], pose);
  return made;
}

// A pose given by points of the tets themselves, or of the surface they carry.
static pl_status plan_points(pose_plan *p, const pl_scene_pose *pose, const pl_vec3 *points, int32_t count,
                             pl_error *error) {
  bool done;
  if (count == p->tets.point_count) {
    pl_vec3 *made = deformed_copy(p, points, count, pose);
    p->poses[p->pose_count++] = (pl_mesh_pose){pose->name, made};
    done = made != NULL;
  } else if (p->part->surface != NULL && count == p->surface.point_count) {
    const pl_vec3 *target = pose->fit ? deformed_copy(p, points, count, pose)
                                      : pl_arena_copy(&p->arena, points, (size_t)count, sizeof(pl_vec3));
    done = plan_fit(p, pose->name, pose->json, target, pose->fit ? NULL : pose);
  } else {
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "pose \"%s\" has %d points where the mesh has %d; export it with the same vertices", pose->name,
                   count, p->part->surface != NULL ? p->surface.point_count : p->tets.point_count);
  }
  return done ? PL_OK : pl_fail_memory(error);
}

// Findings of the file of a pose. It needs points only: that there is nothing else is not worth a word.
static void forward_findings(pose_plan *p, const pl_findings *own) {
  for (int32_t i = 0; i < pl_findings_count(own, PL_SEVERITY_NOTE); ++i) {
    const pl_finding *finding = pl_findings_get(own, i);
    if (finding->severity < PL_SEVERITY_ERROR && strcmp(finding->kind, "points-only") == 0) continue;
    (void)pl_findings_add(p->findings, finding);
  }
}

// A pose from its file.
static pl_status plan_file(pose_plan *p, const pl_scene_pose *pose, double scale, pl_error *error) {
  pl_context *context = p->set->context;
  char *path = pl_path_join(context, p->set->scene->folder, pose->file);
  pl_mesh *mesh = NULL;
  pl_findings *own = NULL;
  pl_status status = path == NULL ? pl_fail_memory(error) : pl_findings_create(context, &own, error);
  if (status >= 0) status = pl_mesh_load(context, path, &mesh, own, error);
  if (own != NULL && p->findings != NULL) forward_findings(p, own);
  pl_findings_destroy(own);
  pl_release(context, path);
  if (status < 0) return status;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_vec3 *points = pl_arena_copy(&p->arena, view.points, (size_t)view.point_count, sizeof(pl_vec3));
  if (points == NULL) status = pl_fail_memory(error);
  bool is_surface = p->part->surface != NULL && view.point_count == p->surface.point_count;
  pl_pose_order order = {.arena = &p->arena, .findings = p->findings};
  if (status >= 0 && (is_surface || view.point_count == p->tets.point_count))
    status = pl_instance_order_pose(p->set, pose, is_surface ? p->part->surface : p->part->tets, mesh, &order, error);
  for (int32_t i = 0; status >= 0 && i < view.point_count; ++i)
    points[i] = pl_vec3_scale(view.points[order.posed_of_rest != NULL ? order.posed_of_rest[i] : i], scale);
  if (status >= 0) status = plan_points(p, pose, points, view.point_count, error);
  pl_mesh_destroy(mesh);
  return status;
}

// A pose of the scene document.
static pl_status plan_pose(pose_plan *p, const pl_scene_pose *pose, double scale, pl_error *error) {
  if (pose->points.count > 0 && pose->file[0] != '\0') {
    pl_instance_add_finding(p->set->scene, pose->json, p->findings, PL_SEVERITY_ERROR, "pose-choice",
                            "keep one of the two", "pose \"%s\" has both `file` and `points`", pose->name);
    return pl_fail(error, PL_ERROR_INVALID_DATA, "pose \"%s\" has both `file` and `points`", pose->name);
  }
  if (pose->file[0] != '\0') return plan_file(p, pose, scale, error);
  if (pose->points.count > 0) {
    pl_vec3 *points = pl_arena_copy(&p->arena, pose->points.items, (size_t)pose->points.count, sizeof(pl_vec3));
    if (points == NULL) return pl_fail_memory(error);
    for (int32_t i = 0; i < pose->points.count; ++i) points[i] = pl_vec3_scale(points[i], scale);
    return plan_points(p, pose, points, pose->points.count, error);
  }
  bool is_fitted = pose->fit && p->part->surface != NULL;
  return plan_points(p, pose, is_fitted ? p->surface.points : p->tets.points,
                     is_fitted ? p->surface.point_count : p->tets.point_count, error);
}

// Put a copy of the tets with all their poses in the place of the part's tets. A surface's poses replace those that its
// tets may have; the scene's are added.
static pl_status replace_tets(pose_plan *p, pl_instance_part *part, const pl_scene_mesh *def, pl_error *error) {
  int32_t count = p->tets.pose_count + p->surface.pose_count + def->poses.count;
  p->poses = PL_TAKE(&p->arena, pl_mesh_pose, count);
  p->jobs = PL_TAKE(&p->arena, pl_pose_job, count);
  p->after = PL_TAKE(&p->arena, const pl_scene_pose *, count);
  if (p->arena.failed) return pl_fail_memory(error);
  for (int32_t k = 0; p->surface.pose_count == 0 && k < p->tets.pose_count; ++k)
    p->poses[p->pose_count++] = p->tets.poses[k];
  pl_status status = PL_OK;
  for (int32_t k = 0; status >= 0 && k < p->surface.pose_count; ++k)
    if (!plan_fit(p, p->surface.poses[k].name, def->json, p->surface.poses[k].points, NULL))
      status = pl_fail_memory(error);
  for (int32_t k = 0; status >= 0 && k < def->poses.count; ++k)
    status = plan_pose(p, &((const pl_scene_pose *)def->poses.items)[k], def->scale, error);
  if (status >= 0) status = pl_instance_fit_poses(p->set, part, p->jobs, p->job_count, p->findings, error);
  if (status < 0) return status;
  for (int32_t k = 0; k < p->job_count; ++k)
    for (int32_t i = 0; p->after[k] != NULL && i < p->tets.point_count; ++i)
      p->jobs[k].points[i] = deform_point(p->jobs[k].points[i], p->after[k]);
  pl_mesh *posed = NULL;
  p->tets.poses = p->poses;
  p->tets.pose_count = p->pose_count;
  status = pl_mesh_create(p->set->context, &p->tets, &posed, error);
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
  pose_plan p = {.set = set, .part = part, .findings = findings, .tets = pl_mesh_get_view(part->tets)};
  if (part->surface != NULL) p.surface = pl_mesh_get_view(part->surface);
  pl_status status = PL_OK;
  if (p.surface.pose_count > 0 || def->poses.count > 0) {
    pl_arena_init(&p.arena, set->context, 0);
    status = replace_tets(&p, part, def, error);
    pl_arena_destroy(&p.arena);
  }
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
  const pl_scene_mesh *def = pl_scene_find_mesh(set->scene, part->source->mesh);
  pl_mesh_view surface = part->surface != NULL ? pl_mesh_get_view(part->surface) : (pl_mesh_view){0};
  pl_mesh_pose *chosen = PL_TAKE(&set->arena, pl_mesh_pose, wanted->count);
  // Poses that nobody uses are not fitted, but may be what a misspelt name meant.
  int32_t name_count = 0, scene_count = def != NULL ? def->poses.count : 0;
  const char **names = PL_TAKE(&set->arena, const char *, view.pose_count + surface.pose_count + scene_count);
  if (chosen == NULL || names == NULL) return pl_fail_memory(error);
  for (int32_t k = 0; k < view.pose_count; ++k) names[name_count++] = view.poses[k].name;
  for (int32_t k = 0; k < surface.pose_count; ++k) names[name_count++] = surface.poses[k].name;
  for (int32_t k = 0; k < scene_count; ++k) names[name_count++] = ((const pl_scene_pose *)def->poses.items)[k].name;
  for (int32_t i = 0; i < wanted->count; ++i) {
    const char *name = ((const char *const *)wanted->items)[i];
    int32_t number = pl_mesh_find_pose(part->tets, name);
    if (number < 0) {
      pl_instance_report_name(set, part->source, findings, "pose", name, names, name_count);
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

// Weights of a painted surface for the particles of a lattice around and within it: each has that of the nearest place
// on the surface, also where it carries no vertex.
static pl_status spread_map(pl_scene_instance *set, const pl_instance_part *part, const float *weights,
                            const float **spread, pl_error *error) {
  pl_mesh_view surface = pl_mesh_get_view(part->surface), tets = pl_mesh_get_view(part->tets);
  float *result = PL_TAKE(&set->arena, float, tets.point_count);
  if (result == NULL) return pl_fail_memory(error);
  pl_triangle_tree *tree = NULL;
  pl_status status = pl_triangle_tree_build(set->context, part->surface, &tree, error);
  if (status < 0) return status;
  for (int32_t i = 0; i < tets.point_count; ++i) {
    pl_hit hit = pl_triangle_tree_nearest(tree, tets.points[i], (double)INFINITY);
    double sum = 0;
    for (int k = 0; hit.triangle >= 0 && k < 3; ++k)
      sum += hit.barycentric[k] * (double)weights[surface.triangles[3 * hit.triangle + k]];
    result[i] = (float)sum;
  }
  pl_triangle_tree_destroy(tree);
  *spread = result;
  return PL_OK;
}

// Weights of a group of the scene or of the tets. `surface_group`: of the surface, -1 if it is not there either.
static pl_status find_group(pl_scene_instance *set, const pl_instance_part *part, const char *name,
                            const float **weights, int32_t *surface_group, pl_error *error) {
  *weights = NULL;
  *surface_group = -1;
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
  if (number >= 0)
    *weights = view.groups[number].weights;
  else if (part->surface != NULL)
    *surface_group = pl_mesh_find_group(part->surface, name);
  return PL_OK;
}

pl_status pl_instance_find_group(pl_scene_instance *set, const pl_instance_part *part, const char *name,
                                 const float **weights, pl_error *error) {
  int32_t number;
  pl_status status = find_group(set, part, name, weights, &number, error);
  if (status < 0 || number < 0) return status;
  return carry_group(set, part, pl_mesh_get_view(part->surface).groups[number].weights, weights, error);
}

pl_status pl_instance_find_map(pl_scene_instance *set, const pl_instance_part *part, const char *name,
                               const float **weights, pl_error *error) {
  int32_t number;
  pl_status status = find_group(set, part, name, weights, &number, error);
  if (status < 0 || number < 0) return status;
  return spread_map(set, part, pl_mesh_get_view(part->surface).groups[number].weights, weights, error);
}

// --- names of places -----------------------------------------------------------------------------------------------

// The group of a mesh to which a point belongs most, at least by half; `best` is the largest weight so far.
static void prefer_group(const pl_mesh_group *groups, int32_t count, int32_t point, double *best, const char **name) {
  for (int32_t g = 0; g < count; ++g)
    if ((double)groups[g].weights[point] > *best) *best = (double)groups[g].weights[point], *name = groups[g].name;
}

const char *pl_instance_group_of_point(const pl_scene_instance *set, const pl_instance_part *part, int32_t point) {
  const pl_scene_mesh *mesh = pl_scene_find_mesh(set->scene, part->source->mesh);
  pl_mesh_view tets = pl_mesh_get_view(part->tets);
  const char *name = NULL;
  double best = 0.5 - 1e-6;
  for (int32_t g = 0; mesh != NULL && g < mesh->groups.count; ++g) {
    const pl_scene_group *group = &((const pl_scene_group *)mesh->groups.items)[g];
    double weight = (double)weight_in(group, tets.points[point]);
    if (weight > best) best = weight, name = group->name;
  }
  prefer_group(tets.groups, tets.group_count, point, &best, &name);
  if (name != NULL || part->surface == NULL) return name;
  pl_mesh_view surface = pl_mesh_get_view(part->surface);
  int32_t nearest = -1;
  double distance = HUGE_VAL;
  for (int32_t i = 0; surface.group_count > 0 && i < surface.point_count; ++i) {
    double away = pl_vec3_distance(surface.points[i], tets.points[point]);
    if (away < distance) distance = away, nearest = i;
  }
  if (nearest >= 0) prefer_group(surface.groups, surface.group_count, nearest, &best, &name);
  return name;
}

int pl_scene_instance_name_point(const pl_scene_instance *set, int32_t body, int32_t point, char *buffer, size_t size) {
  const pl_instance_part *part = &PL_ITEM(&set->parts, pl_instance_part, body);
  if (part->tets == NULL) return snprintf(buffer, size, "point %d", point);
  const char *group = pl_instance_group_of_point(set, part, point);
  if (group != NULL) return snprintf(buffer, size, "group \"%s\"", group);
  pl_vec3 p = pl_mesh_get_view(part->tets).points[point];
  return snprintf(buffer, size, "(%.3g, %.3g, %.3g) of the mesh", p.x, p.y, p.z);
}
