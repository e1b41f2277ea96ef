// Parts of an actor: which points of the body's elements a foot or a head is made of.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "scene/scene_actor.h"

static bool is_within(const pl_scene_region *box, pl_vec3 p) {
  return p.x >= box->min.x && p.x <= box->max.x && p.y >= box->min.y && p.y <= box->max.y && p.z >= box->min.z &&
         p.z <= box->max.z;
}

static pl_status report_group(pl_scene_instance *set, const pl_instance_part *part, const pl_scene_actor_part *source,
                              pl_findings *findings, pl_error *error) {
  const pl_scene_mesh *mesh = pl_scene_find_mesh(set->scene, part->source->mesh);
  pl_mesh_view view = pl_mesh_get_view(part->surface != NULL ? part->surface : part->tets);
  const char **names = PL_TAKE(&set->arena, const char *, mesh->groups.count + view.group_count);
  if (names == NULL) return pl_fail_memory(error);
  int32_t count = 0;
  for (int32_t i = 0; i < mesh->groups.count; ++i)
    names[count++] = ((const pl_scene_group *)mesh->groups.items)[i].name;
  for (int32_t i = 0; i < view.group_count; ++i) names[count++] = view.groups[i].name;
  const char *near = pl_text_suggest(source->group, names, count);
  char fix[200] = "add it to the mesh's `groups`, or export it with the file";
  if (near != NULL) snprintf(fix, sizeof fix, "did you mean \"%.150s\"?", near);
  pl_instance_add_finding(set->scene, pl_json_find(source->json, "group"), findings, PL_SEVERITY_ERROR, "unknown-group",
                          fix, "the mesh of body \"%s\" has no group \"%s\" for the part \"%s\"", part->source->name,
                          source->group, source->name);
  return pl_fail(error, PL_ERROR_INVALID_DATA, "unknown group \"%s\"", source->group);
}

static pl_status report_empty(pl_scene_instance *set, const pl_instance_part *part, const pl_scene_actor_part *source,
                              pl_findings *findings, pl_error *error) {
  pl_instance_add_finding(
      set->scene, source->json, findings, PL_SEVERITY_ERROR, "empty-part",
      "move or widen its box; boxes are in the mesh's frame, and `pliant info` prints the mesh's box",
      "the part \"%s\" has no point of body \"%s\"", source->name, part->source->name);
  return pl_fail(error, PL_ERROR_INVALID_DATA, "part \"%s\" has no points", source->name);
}

static pl_status report_point(pl_scene_instance *set, const pl_instance_part *part, const pl_scene_actor_part *source,
                              int32_t point, pl_findings *findings, pl_error *error) {
  int32_t count = pl_mesh_get_view(part->tets).point_count;
  pl_instance_add_finding(set->scene, pl_json_find(source->json, "points"), findings, PL_SEVERITY_ERROR, "out-of-range",
                          "use a `group`, or a box with `within`",
                          "body \"%s\" has points 0 to %d, and the part \"%s\" speaks of %d", part->source->name,
                          count - 1, source->name, point);
  return pl_fail(error, PL_ERROR_INVALID_DATA, "part \"%s\" speaks of point %d", source->name, point);
}

static pl_status choose_points(pl_scene_instance *set, const pl_instance_part *part, const pl_scene_actor_part *source,
                               pl_actor_part *chosen, pl_findings *findings, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(part->tets);
  const float *weights = NULL;
  if (source->group[0] != '\0') {
    pl_status status = pl_instance_find_group(set, part, source->group, &weights, error);
    if (status < 0) return status;
    if (weights == NULL) return report_group(set, part, source, findings, error);
  }
  const int32_t *listed = source->points.items;
  int32_t *points = PL_TAKE(&set->arena, int32_t, view.point_count + source->points.count), count = 0;
  if (points == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < source->points.count; ++i) {
    if (listed[i] >= view.point_count) return report_point(set, part, source, listed[i], findings, error);
    points[count++] = listed[i];
  }
  for (int32_t i = 0; source->points.count == 0 && i < view.point_count; ++i)
    if (weights != NULL ? weights[i] >= 0.5f : is_within(&source->within, view.points[i])) points[count++] = i;
  if (count == 0) return report_empty(set, part, source, findings, error);
  *chosen = (pl_actor_part){.name = source->name, .point_count = count, .points = points, .is_foot = source->foot};
  return PL_OK;
}

pl_status pl_instance_choose_parts(pl_scene_instance *set, const pl_instance_part *part, pl_actor_def *def,
                                   pl_findings *findings, pl_error *error) {
  const pl_scene_list *sources = &part->source->actor.parts;
  pl_actor_part *parts = PL_TAKE(&set->arena, pl_actor_part, sources->count);
  if (parts == NULL) return pl_fail_memory(error);
  pl_status status = PL_OK;
  for (int32_t i = 0; status >= 0 && i < sources->count; ++i)
    status = choose_points(set, part, &((const pl_scene_actor_part *)sources->items)[i], &parts[i], findings, error);
  def->parts = parts;
  def->part_count = sources->count;
  return status;
}
