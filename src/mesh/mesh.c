// A mesh owns copies of all its arrays in one arena and never changes after it was created. Everything that later code
// would otherwise have to doubt (index ranges, finite coordinates, counts whose products fit an index) is checked here
// once.
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "pliant/math.h"
#include "pliant/mesh.h"

struct pl_mesh {
  pl_arena arena;
  pl_mesh_view view;
};

// Check that `count` is usable and its array is there; indices `width * count` must fit an int32_t.
static pl_status check_array(const char *what, int32_t count, int32_t width, const void *items, pl_error *error) {
  if (count < 0)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "the number of %s is %d, which is negative", what, count);
  if (count > INT32_MAX / width)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "%d %s are too many; at most %d fit", count, what,
                   INT32_MAX / width);
  if (count > 0 && items == NULL)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "there should be %d %s, but their array is NULL", count, what);
  return PL_OK;
}

static pl_status check_arrays(const pl_mesh_view *view, pl_error *error) {
  const struct {
    const char *what;
    int32_t count, width;
    const void *items;
  } arrays[] = {
      {"points", view->point_count, 3, view->points},
      {"segments", view->segment_count, 2, view->segments},
      {"triangles", view->triangle_count, 3, view->triangles},
      {"tets", view->tet_count, view->tet_mids != NULL ? 6 : 4, view->tets},
      {"groups", view->group_count, 1, view->groups},
      {"poses", view->pose_count, 1, view->poses},
      {"source vertices", view->source_count, 1, view->point_of_source},
  };
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
    pl_status status = check_array(arrays[i].what, arrays[i].count, arrays[i].width, arrays[i].items, error);
    if (status < 0) return status;
  }
  return PL_OK;
}

static pl_status check_indices(const char *what, const int32_t *indices, int32_t count, int32_t width,
                               int32_t point_count, pl_error *error) {
  for (int32_t i = 0; i < count * width; ++i)
    if (indices[i] < 0 || indices[i] >= point_count)
      return pl_fail(error, PL_ERROR_INVALID_DATA,
                     "%s %d names point %d, but there are only %d points (counted from 0)", what, i / width, indices[i],
                     point_count);
  return PL_OK;
}

static pl_status check_points(const pl_vec3 *points, int32_t point_count, const char *pose, pl_error *error) {
  for (int32_t i = 0; i < point_count; ++i) {
    if (pl_vec3_is_finite(points[i])) continue;
    if (pose == NULL)
      return pl_fail(error, PL_ERROR_INVALID_DATA, "point %d is at (%g, %g, %g), which is not a place", i, points[i].x,
                     points[i].y, points[i].z);
    return pl_fail(error, PL_ERROR_INVALID_DATA, "point %d of pose '%s' is at (%g, %g, %g), which is not a place", i,
                   pose, points[i].x, points[i].y, points[i].z);
  }
  return PL_OK;
}

static pl_status check_group(const pl_mesh_view *view, int32_t group, pl_error *error) {
  const pl_mesh_group *g = &view->groups[group];
  if (g->name == NULL || (g->weights == NULL && view->point_count > 0))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "group %d has no name or no weights", group);
  for (int32_t i = 0; i < view->point_count; ++i)
    if (!(g->weights[i] >= 0 && g->weights[i] <= 1))
      return pl_fail(error, PL_ERROR_INVALID_DATA, "point %d has the weight %g in group '%s'; weights go from 0 to 1",
                     i, (double)g->weights[i], g->name);
  return PL_OK;
}

static pl_status check_pose(const pl_mesh_view *view, int32_t pose, pl_error *error) {
  const pl_mesh_pose *p = &view->poses[pose];
  if (p->name == NULL || (p->points == NULL && view->point_count > 0))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "pose %d has no name or no points", pose);
  return check_points(p->points, view->point_count, p->name, error);
}

static pl_status check_view(const pl_mesh_view *view, pl_error *error) {
  pl_status status = check_arrays(view, error);
  if (status < 0) return status;
  if ((status = check_points(view->points, view->point_count, NULL, error)) < 0) return status;
  const struct {
    const char *what;
    const int32_t *indices;
    int32_t count, width;
  } elements[] = {
      {"segment", view->segments, view->segment_count, 2},
      {"triangle", view->triangles, view->triangle_count, 3},
      {"tet", view->tets, view->tet_count, 4},
      {"tet", view->tet_mids, view->tet_mids != NULL ? view->tet_count : 0, 6},
      {"source vertex", view->point_of_source, view->source_count, 1},
  };
  for (size_t i = 0; i < sizeof elements / sizeof elements[0]; ++i) {
    status = check_indices(elements[i].what, elements[i].indices, elements[i].count, elements[i].width,
                           view->point_count, error);
    if (status < 0) return status;
  }
  for (int32_t i = 0; i < view->group_count; ++i)
    if ((status = check_group(view, i, error)) < 0) return status;
  for (int32_t i = 0; i < view->pose_count; ++i)
    if ((status = check_pose(view, i, error)) < 0) return status;
  return PL_OK;
}

// Bytes of a copy, including the alignment of each piece, so that the arena makes one block.
static size_t estimate_size(const pl_mesh_view *v) {
  size_t points = (size_t)v->point_count;
  size_t size = sizeof(pl_mesh) + points * sizeof(pl_vec3) * (1 + (size_t)v->pose_count) +
                points * sizeof(float) * (size_t)v->group_count;
  size_t integers = 2 * (size_t)v->segment_count + 3 * (size_t)v->triangle_count + 11 * (size_t)v->tet_count +
                    (size_t)v->source_count;
  size += integers * sizeof(int32_t);
  size += (size_t)v->group_count * sizeof(pl_mesh_group) + (size_t)v->pose_count * sizeof(pl_mesh_pose);
  for (int32_t i = 0; i < v->group_count; ++i) size += strlen(v->groups[i].name) + 1;
  for (int32_t i = 0; i < v->pose_count; ++i) size += strlen(v->poses[i].name) + 1;
  return size + 64 * (10 + 2 * (size_t)v->group_count + 2 * (size_t)v->pose_count);
}

// Copy, or NULL for nothing.
static void *copy_array(pl_arena *arena, const void *items, int32_t count, size_t item_size) {
  return count > 0 && items != NULL ? pl_arena_copy(arena, items, (size_t)count, item_size) : NULL;
}

static void copy_named(pl_arena *arena, pl_mesh_view *to, const pl_mesh_view *from) {
  pl_mesh_group *groups = copy_array(arena, from->groups, from->group_count, sizeof *groups);
  for (int32_t i = 0; groups != NULL && i < from->group_count; ++i) {
    groups[i].name = pl_arena_copy_text(arena, from->groups[i].name);
    groups[i].weights = copy_array(arena, from->groups[i].weights, from->point_count, sizeof(float));
  }
  pl_mesh_pose *poses = copy_array(arena, from->poses, from->pose_count, sizeof *poses);
  for (int32_t i = 0; poses != NULL && i < from->pose_count; ++i) {
    poses[i].name = pl_arena_copy_text(arena, from->poses[i].name);
    poses[i].points = copy_array(arena, from->poses[i].points, from->point_count, sizeof(pl_vec3));
  }
  to->groups = groups;
  to->poses = poses;
}

pl_status pl_mesh_create(pl_context *context, const pl_mesh_view *view, pl_mesh **mesh, pl_error *error) {
  if (mesh != NULL) *mesh = NULL;
  pl_status status = check_view(view, error);
  if (status < 0 || mesh == NULL) return status;

  pl_arena arena;
  pl_arena_init(&arena, context, estimate_size(view));
  pl_mesh *made = PL_TAKE(&arena, pl_mesh, 1);
  pl_mesh_view v = *view;
  v.points = copy_array(&arena, view->points, view->point_count, sizeof(pl_vec3));
  v.segments = copy_array(&arena, view->segments, 2 * view->segment_count, sizeof(int32_t));
  v.triangles = copy_array(&arena, view->triangles, 3 * view->triangle_count, sizeof(int32_t));
  v.tets = copy_array(&arena, view->tets, 4 * view->tet_count, sizeof(int32_t));
  v.tet_tags = copy_array(&arena, view->tet_tags, view->tet_count, sizeof(int32_t));
  v.tet_mids = copy_array(&arena, view->tet_mids, 6 * view->tet_count, sizeof(int32_t));
  v.point_of_source = copy_array(&arena, view->point_of_source, view->source_count, sizeof(int32_t));
  copy_named(&arena, &v, view);
  if (arena.failed) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  made->view = v;
  made->arena = arena;
  *mesh = made;
  return PL_OK;
}

void pl_mesh_destroy(pl_mesh *mesh) {
  if (mesh != NULL) pl_arena_destroy(&mesh->arena);
}

pl_mesh_view pl_mesh_get_view(const pl_mesh *mesh) {
  return mesh->view;
}

int32_t pl_mesh_find_pose(const pl_mesh *mesh, const char *name) {
  for (int32_t i = 0; i < mesh->view.pose_count; ++i)
    if (strcmp(mesh->view.poses[i].name, name) == 0) return i;
  return -1;
}

int32_t pl_mesh_find_group(const pl_mesh *mesh, const char *name) {
  for (int32_t i = 0; i < mesh->view.group_count; ++i)
    if (strcmp(mesh->view.groups[i].name, name) == 0) return i;
  return -1;
}
