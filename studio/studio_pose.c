// Current poses.
//
// A pose of a mesh is in the frame of the mesh: the best-fitting rotation is removed, and the centroid is moved to that
// of the rest shape. Coordinates are rounded to a ten-millionth of the size of the body, so that files stay small.
#include "studio_pose.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "pliant/math.h"
#include "scene/scene_rod.h"

static double rounded(double number, double grid) {
  return grid > 0 ? round(number / grid) * grid : number;
}

// A power of ten near a ten-millionth of `size`: multiples are short as decimal numbers.
static double grid_of(double size) {
  return size > 0 ? pow(10, floor(log10(size)) - 7) : 0;
}

static void add_point(pl_arena *arena, pl_json *list, pl_vec3 point, double scale, double grid) {
  const double at[3] = {point.x * scale, point.y * scale, point.z * scale};
  pl_json *item = pl_json_new(arena, PL_JSON_ARRAY);
  for (int k = 0; item != NULL && k < 3; ++k) {
    // Dividing by a power of ten gives the shortest decimal number.
    double number = rounded(at[k], grid), power = grid > 0 ? round(1 / grid) : 0;
    pl_json_add(item, pl_json_new_number(arena, power >= 1 ? round(at[k] * power) / power : number));
  }
  pl_json_add(list, item);
}

static pl_vec3 centroid_of(const pl_vec3 *points, int32_t count) {
  pl_vec3 middle = {0, 0, 0};
  for (int32_t i = 0; i < count; ++i) middle = pl_vec3_add_scaled(middle, points[i], 1.0 / count);
  return middle;
}

pl_status studio_pose_add_to_mesh(studio_world *w, studio_document *document, int32_t body, pl_json *pose,
                                  pl_error *error) {
  const pl_instance_part *part = &PL_ITEM(&w->instance->parts, pl_instance_part, body);
  pl_arena *arena = &document->json->arena;
  pl_json *list = pl_json_set(arena, pose, "points", pl_json_new(arena, PL_JSON_ARRAY));
  if (part->tets == NULL || list == NULL) return pl_fail(error, PL_ERROR_UNSUPPORTED, "this body has no mesh to pose");
  pl_mesh_view rest = pl_mesh_get_view(part->tets);
  pl_status status = pl_body_get_positions(w->world, part->body.id, w->points);
  if (status < 0) return pl_fail(error, status, "the body is not in the world");
  pl_vec3 from = centroid_of(w->points, rest.point_count), to = centroid_of(rest.points, rest.point_count);
  pl_mat3 frames = pl_mat3_zero();
  for (int32_t i = 0; i < rest.point_count; ++i)
    frames = pl_mat3_add(frames, pl_mat3_outer(pl_vec3_sub(w->points[i], from), pl_vec3_sub(rest.points[i], to)));
  pl_quat back = pl_quat_conjugate(pl_rotation_of_mat3(frames, pl_quat_identity()));
  const pl_scene_mesh *mesh = pl_scene_find_mesh(w->scene, part->source->mesh);
  double scale = 1 / (studio_document_unit(document) * (mesh != NULL ? mesh->scale : 1));
  pl_box box = pl_box_from_points(rest.points, rest.point_count);
  double grid = grid_of(scale * pl_vec3_distance(box.max, box.min));
  for (int32_t i = 0; i < rest.point_count; ++i)
    add_point(arena, list, pl_vec3_add(to, pl_quat_rotate(back, pl_vec3_sub(w->points[i], from))), scale, grid);
  return arena->failed ? pl_fail_memory(error) : PL_OK;
}

pl_vec3 studio_pose_eye(const studio_world *w) {
  return w->has_eye ? w->eye : pl_scene_get_camera(w->scene, pl_world_get_time(w->world)).eye;
}

pl_vec3 studio_pose_view(const studio_world *w, pl_vec3 root, pl_quat turn) {
  pl_vec3 away = pl_vec3_sub(studio_pose_eye(w), root);
  return pl_vec3_normalize_or(pl_quat_rotate(pl_quat_conjugate(turn), away), (pl_vec3){0, 0, 1});
}

// One chain, with consecutive joints from `first`: current positions relative to the kinematic joint, with segments of
// rest length.
static pl_json *pose_chain(studio_document *document, const pl_rod_def *def, const pl_transform *joints, int32_t first,
                           int32_t count) {
  pl_arena *arena = &document->json->arena;
  pl_json *list = pl_json_new(arena, PL_JSON_ARRAY);
  int32_t kinematic = def->joints[first].parent;
  pl_transform rest = def->joints[kinematic].rest, now = joints[kinematic];
  pl_vec3 positions[PL_ROD_MAX_JOINTS];
  double scale = 1 / studio_document_unit(document), size = 0;
  for (int32_t i = 0; i < count; ++i)
    size = fmax(size, pl_vec3_distance(def->joints[first + i].rest.position, rest.position));
  for (int32_t i = 0; i < count; ++i) {
    int32_t parent = def->joints[first + i].parent;
    pl_vec3 seen =
        pl_quat_rotate(pl_quat_conjugate(now.rotation), pl_vec3_sub(joints[first + i].position, now.position));
    pl_vec3 position = pl_vec3_add(rest.position, pl_quat_rotate(rest.rotation, seen));
    if (i == 0) {
      positions[0] = def->joints[first].rest.position;
    } else {
      pl_vec3 above = positions[parent - first], own = def->joints[first + i].rest.position,
              old = def->joints[parent].rest.position;
      pl_vec3 along = pl_vec3_normalize_or(pl_vec3_sub(position, above), (pl_vec3){0, -1, 0});
      positions[i] = pl_vec3_add_scaled(above, along, pl_vec3_distance(own, old));
    }
    add_point(arena, list, positions[i], scale, 1e-3 * grid_of(scale * size));
  }
  return list;
}

pl_status studio_pose_add_to_chains(studio_world *w, studio_document *document, int32_t body, pl_json *chains,
                                    const char *name, pl_error *error) {
  const pl_instance_part *part = &PL_ITEM(&w->instance->parts, pl_instance_part, body);
  const pl_rod_def *def = part->body.rod_def;
  const pl_scene_rod *source = &part->source->rod;
  pl_transform *joints = PL_TAKE(&document->json->arena, pl_transform, def->joint_count);
  pl_arena *arena = &document->json->arena;
  if (joints == NULL) return pl_fail_memory(error);
  pl_status status = pl_rod_get_joints(w->world, part->body.id, joints);
  if (status < 0) return pl_fail(error, status, "the joints of this body cannot be read");
  int32_t first = source->joints.count > 0 ? source->joints.count : 1, number = 0;
  for (pl_json *chain = chains->first; chain != NULL && number < source->chains.count; chain = chain->next, ++number) {
    pl_chain_shape shape;
    if (!pl_chain_shape_fill(&((const pl_scene_rod_chain *)source->chains.items)[number], &shape)) break;
    pl_json *examples = studio_document_object(document, chain, "examples", PL_JSON_ARRAY);
    pl_json *example = pl_json_new(arena, PL_JSON_OBJECT);
    if (examples == NULL || example == NULL) return pl_fail_memory(error);
    pl_vec3 view = studio_pose_view(w, joints[first].position, joints[def->joints[first].parent].rotation);
    pl_json_set_text(arena, example, "name", name);
    pl_json_set_numbers(arena, example, "direction", (const double[3]){view.x, view.y, view.z}, 3);
    pl_json_set_number(arena, example, "extent", 40);
    pl_json_set(arena, example, "points", pose_chain(document, def, joints, first, shape.count));
    pl_json_add(examples, example);
    first += shape.count;
  }
  return arena->failed ? pl_fail_memory(error) : PL_OK;
}
