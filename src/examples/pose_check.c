// What is wrong with the poses of a mesh: the checks of pose sets, with tets counted where there are any, and the
// volume that a surface encloses where there are none. A mirror image encloses negative volume; twists and bends keep
// the sign. A sheet encloses nothing, and may bend to either side.
#include "base/arena.h"
#include "base/error.h"
#include "examples/pose_set.h"
#include "pliant/math.h"
#include "pliant/pose.h"

// Six times the enclosed volume, seen from the first point.
static double enclosed_volume(const pl_mesh_view *view, const pl_vec3 *points) {
  double sum = 0;
  for (int32_t i = 0; i < view->triangle_count; ++i) {
    const int32_t *corners = &view->triangles[3 * (size_t)i];
    pl_vec3 a = pl_vec3_sub(points[corners[0]], points[0]), b = pl_vec3_sub(points[corners[1]], points[0]),
            c = pl_vec3_sub(points[corners[2]], points[0]);
    sum += pl_vec3_dot(pl_vec3_cross(a, b), c);
  }
  return sum;
}

// The areas of a closed surface, taken as vectors, sum to zero; a few small holes change that little.
static bool is_closed(const pl_mesh_view *view) {
  pl_vec3 sum = {0, 0, 0};
  double area = 0;
  for (int32_t i = 0; i < view->triangle_count; ++i) {
    const int32_t *corners = &view->triangles[3 * (size_t)i];
    pl_vec3 a = view->points[corners[0]];
    pl_vec3 part = pl_vec3_cross(pl_vec3_sub(view->points[corners[1]], a), pl_vec3_sub(view->points[corners[2]], a));
    sum = pl_vec3_add(sum, part);
    area += pl_vec3_length(part);
  }
  return pl_vec3_length(sum) < 0.1 * area;
}

static pl_pose describe(const pl_mesh_view *view, int32_t index) {
  const pl_mesh_pose *from = &view->poses[index];
  pl_pose pose = {.name = from->name, .point_count = view->point_count, .points = from->points};
  if (view->tet_count > 0) {
    pose.region_count = view->tet_count;
    pose.inverted_count = pl_pose_inversions(view->points, from->points, view->tets, view->tet_count);
  } else if (is_closed(view) && enclosed_volume(view, view->points) * enclosed_volume(view, from->points) < 0) {
    pose.region_count = pose.inverted_count = view->triangle_count;
  }
  return pose;
}

pl_status pl_poses_check(pl_context *context, const pl_mesh *mesh, pl_findings *findings, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_pose *poses = PL_TAKE(&arena, pl_pose, view.pose_count);
  pl_status status = poses == NULL ? pl_fail_memory(error) : PL_OK;
  for (int32_t i = 0; status >= 0 && i < view.pose_count; ++i) poses[i] = describe(&view, i);
  pl_pose_set set = {view.point_count, view.points, view.pose_count, poses};
  if (status >= 0) status = pl_pose_set_check(&set, findings, error);
  pl_arena_destroy(&arena);
  return status;
}
