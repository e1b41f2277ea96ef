// Poses in mesh files: formats that hold vectors per point carry a pose as its displacement from the rest, under the
// name `pose:NAME`, so that other programs can show it (ParaView's Warp By Vector) and files of theirs can bring one.
#include <string.h>

#include "io/mesh_builder.h"
#include "pliant/math.h"

// More than any method uses; a small file could otherwise ask for a great many.
enum { MAX_POSES = 64 };

typedef struct file_pose {
  const char *name;
  pl_vector offsets;  // pl_vec3, of the points from the first on
} file_pose;

void pl_builder_init_poses(pl_mesh_builder *builder) {
  builder->poses = pl_vector_of(builder->source->context, sizeof(file_pose));
}

static file_pose *find_pose(pl_mesh_builder *builder, const char *name) {
  for (size_t i = 0; i < builder->poses.count; ++i) {
    file_pose *pose = &PL_ITEM(&builder->poses, file_pose, i);
    if (strcmp(pose->name, name) == 0) return pose;
  }
  return NULL;
}

static pl_status make_pose(pl_mesh_builder *builder, const char *name, file_pose **pose) {
  char *copy = pl_arena_copy_text(&builder->text, name);
  file_pose fresh = {copy, pl_vector_of(builder->source->context, sizeof(pl_vec3))};
  if (copy == NULL || !pl_vector_push(&builder->poses, &fresh)) return pl_source_fail_memory(builder->source);
  *pose = &PL_ITEM(&builder->poses, file_pose, builder->poses.count - 1);
  return PL_OK;
}

pl_status pl_builder_add_pose(pl_mesh_builder *builder, const char *name, size_t first_point, const double *offsets,
                              size_t count, size_t offset) {
  file_pose *pose = find_pose(builder, name);
  if (pose == NULL && builder->poses.count >= MAX_POSES)
    return pl_source_note(builder->source, PL_SEVERITY_WARNING, "too-many-poses", "",
                          "keep only the poses that are needed",
                          "pose '%.200s' was left out; %d are the most that are read", name, (int)MAX_POSES);
  if (pose == NULL) {
    pl_status status = make_pose(builder, name, &pose);
    if (status < 0) return status;
  }
  if (pose->offsets.count > first_point)
    return pl_source_fail(builder->source, offset, "pose '%.200s' is given twice", name);
  // Points before, in pieces that do not have the pose, stay where they are.
  size_t gap = first_point - pose->offsets.count;
  pl_vec3 *to = pl_vector_grow(&pose->offsets, gap + count);
  if (to == NULL && gap + count > 0) return pl_source_fail_memory(builder->source);
  for (size_t i = 0; i < count; ++i) {
    pl_vec3 move = {offsets[3 * i], offsets[3 * i + 1], offsets[3 * i + 2]};
    if (!pl_vec3_is_finite(move))
      return pl_source_fail(builder->source, offset, "pose '%.200s' moves point %zu to nowhere", name, first_point + i);
    to[gap + i] = move;
  }
  return PL_OK;
}

pl_status pl_builder_fill_poses(pl_mesh_builder *builder) {
  size_t point_count = builder->points.count;
  for (size_t i = 0; i < builder->poses.count; ++i) {
    pl_vector *offsets = &PL_ITEM(&builder->poses, file_pose, i).offsets;
    if (offsets->count < point_count && pl_vector_grow(offsets, point_count - offsets->count) == NULL)
      return pl_source_fail_memory(builder->source);
    for (size_t k = 0; k < point_count; ++k)
      PL_ITEM(offsets, pl_vec3, k) = pl_vec3_add(PL_ITEM(offsets, pl_vec3, k), PL_ITEM(&builder->points, pl_vec3, k));
  }
  return PL_OK;
}

void pl_builder_move_pose_point(pl_mesh_builder *builder, size_t to, size_t from) {
  for (size_t i = 0; i < builder->poses.count; ++i) {
    pl_vector *positions = &PL_ITEM(&builder->poses, file_pose, i).offsets;
    PL_ITEM(positions, pl_vec3, to) = PL_ITEM(positions, pl_vec3, from);
  }
}

pl_status pl_builder_list_poses(const pl_mesh_builder *builder, pl_vector *poses) {
  for (size_t i = 0; i < builder->poses.count; ++i) {
    const file_pose *from = &PL_ITEM(&builder->poses, file_pose, i);
    pl_mesh_pose pose = {from->name, from->offsets.items};
    if (!pl_vector_push(poses, &pose)) return pl_source_fail_memory(builder->source);
  }
  return PL_OK;
}

void pl_builder_free_poses(pl_mesh_builder *builder) {
  for (size_t i = 0; i < builder->poses.count; ++i) pl_vector_free(&PL_ITEM(&builder->poses, file_pose, i).offsets);
  pl_vector_free(&builder->poses);
}
