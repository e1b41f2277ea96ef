// Meshes with named poses, made from others: tets posed like a surface, or one rest with poses from files of their own.
#include <string.h>

#include "base/error.h"
#include "mesh/pose_fitter.h"

static pl_status fit_all(pl_pose_fitter *fitter, const pl_pose_def *def, const pl_mesh_view *surface,
                         pl_mesh_pose *poses, pl_pose_report *reports, pl_error *error) {
  pl_status worst = PL_OK;
  for (int32_t i = 0; i < surface->pose_count; ++i) {
    pl_vec3 *points = PL_TAKE(&fitter->arena, pl_vec3, fitter->point_count);
    if (points == NULL) return pl_fail_memory(error);
    poses[i] = (pl_mesh_pose){surface->poses[i].name, points};
    pl_status status = pl_pose_fitter_fit(fitter, def, surface->poses[i].name, surface->poses[i].points, points,
                                          reports != NULL ? &reports[i] : NULL, error);
    if (status < 0) return status;
    if (status > 0) worst = status;
  }
  return worst;
}

pl_status pl_poses_from_surface(pl_context *context, const pl_pose_def *def, const pl_pose_target *target,
                                pl_mesh **posed_tets, pl_pose_report *reports, pl_error *error) {
  if (posed_tets != NULL) *posed_tets = NULL;
  pl_mesh_view view = pl_mesh_get_view(target->tets), skin = pl_mesh_get_view(target->surface);
  pl_pose_fitter fitter;
  pl_status status = pl_pose_fitter_build(context, def, target->tets, target->surface, &fitter, error);
  pl_mesh_pose *poses = status >= 0 ? PL_TAKE(&fitter.arena, pl_mesh_pose, skin.pose_count) : NULL;
  if (status >= 0 && poses == NULL) status = pl_fail_memory(error);
  if (status >= 0) status = fit_all(&fitter, def, &skin, poses, reports, error);
  if (status >= 0) {
    view.pose_count = skin.pose_count;
    view.poses = poses;
    pl_status made = pl_mesh_create(context, &view, posed_tets, error);
    if (made < 0) status = made;
  }
  pl_pose_fitter_destroy(&fitter);
  return status;
}

// Points of a pose in the order of the rest's points, NULL when out of memory. Every point has a vertex of the file,
// since welding made it from one.
static pl_vec3 *order_points(pl_arena *arena, const pl_mesh_view *rest, const pl_pose_source *source) {
  pl_vec3 *points = pl_arena_copy(arena, rest->points, (size_t)rest->point_count, sizeof *points);
  if (points == NULL) return NULL;
  if (rest->source_count != source->point_count)
    memcpy(points, source->points, (size_t)rest->point_count * sizeof *points);
  else
    for (int32_t i = rest->source_count - 1; i >= 0; --i) points[rest->point_of_source[i]] = source->points[i];
  return points;
}

static pl_status check_source(const pl_mesh_view *rest, const pl_pose_source *source, int32_t number, pl_error *error) {
  if (source->name == NULL || source->name[0] == '\0')
    return pl_fail(error, PL_ERROR_INVALID_DATA, "pose number %d has no name", number);
  bool fits =
      source->point_count == rest->point_count || (rest->source_count > 0 && source->point_count == rest->source_count);
  if (fits) return PL_OK;
  return pl_fail(error, PL_ERROR_INVALID_DATA,
                 "pose '%s' has %d points, the rest %d: poses must come from the same mesh, with the same points in "
                 "the same order",
                 source->name, source->point_count, rest->source_count > 0 ? rest->source_count : rest->point_count);
}

pl_status pl_poses_from_points(pl_context *context, const pl_mesh *rest, const pl_pose_source *sources,
                               int32_t source_count, pl_mesh **mesh, pl_error *error) {
  if (mesh != NULL) *mesh = NULL;
  if (source_count < 0) return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "%d poses make no sense", source_count);
  pl_mesh_view view = pl_mesh_get_view(rest);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_mesh_pose *poses = PL_TAKE(&arena, pl_mesh_pose, (size_t)view.pose_count + (size_t)source_count);
  pl_status status = poses == NULL ? pl_fail_memory(error) : PL_OK;
  for (int32_t i = 0; status >= 0 && i < view.pose_count; ++i) poses[i] = view.poses[i];
  for (int32_t i = 0; status >= 0 && i < source_count; ++i) {
    if ((status = check_source(&view, &sources[i], i, error)) < 0) break;
    pl_vec3 *points = order_points(&arena, &view, &sources[i]);
    if (points == NULL) status = pl_fail_memory(error);
    poses[view.pose_count + i] = (pl_mesh_pose){sources[i].name, points};
  }
  if (status >= 0) {
    view.pose_count += source_count;
    view.poses = poses;
    status = pl_mesh_create(context, &view, mesh, error);
  }
  pl_arena_destroy(&arena);
  return status;
}
