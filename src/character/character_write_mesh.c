// The skin of a rod as a glTF mesh: triangles, positions, normals, joints and weights, the poses of the surface as
// morph targets with their names in extras.targetNames, where Blender, three.js and the engines pbr for them; and the
// skin with the inverse of each joint's rest.
#include <float.h>

#include "base/error.h"
#include "character/character_write.h"
#include "pliant/math.h"

// --- vertices ---------------------------------------------------------------------------------------------------

// Write vectors as floats; returns their accessor, with its box where asked for. -1 when one does not fit.
static int32_t add_vectors(pl_draft *draft, const pl_vec3 *vectors, int32_t count, bool boxed) {
  int32_t view = 0;
  unsigned char *to = pl_sheet_add_view(&draft->sheet, 12 * (size_t)count, 12, PL_GLTF_VERTICES, &view);
  if (to == NULL) return 0;
  double min[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, max[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (int32_t i = 0; i < count; ++i) {
    const double v[3] = {vectors[i].x, vectors[i].y, vectors[i].z};
    for (int axis = 0; axis < 3; ++axis) {
      double rounded = (double)(float)v[axis];
      if (!(fabs(rounded) <= (double)FLT_MAX)) return -1;
      pl_sheet_put_float(to + 12 * (size_t)i + 4 * (size_t)axis, (float)v[axis]);
      min[axis] = fmin(min[axis], rounded);
      max[axis] = fmax(max[axis], rounded);
    }
  }
  pl_json *accessor = pl_sheet_add_accessor(&draft->sheet, view, 0, PL_GLTF_FLOAT, count, "VEC3");
  if (boxed) {
    pl_json_set_numbers(&draft->arena, accessor, "min", min, 3);
    pl_json_set_numbers(&draft->arena, accessor, "max", max, 3);
  }
  return pl_sheet_index(accessor);
}

static pl_status fail_range(pl_draft *draft, const char *what) {
  return pl_fail(draft->error, PL_ERROR_INVALID_DATA, "some coordinate of %.100s is too large for a 32-bit float",
                 what);
}

static pl_status add_positions(pl_draft *draft, const pl_mesh_view *mesh, pl_json *attributes) {
  int32_t positions = add_vectors(draft, mesh->points, mesh->point_count, true);
  if (positions < 0) return fail_range(draft, "the skin");
  pl_vec3 *normals = PL_TAKE(&draft->arena, pl_vec3, mesh->point_count);
  if (normals == NULL) return pl_fail_memory(draft->error);
  pl_normals_compute(mesh->points, mesh->point_count, mesh->triangles, mesh->triangle_count, normals);
  // The standard wants unit vectors, also at points of no triangle.
  for (int32_t i = 0; i < mesh->point_count; ++i) normals[i] = pl_vec3_normalize_or(normals[i], (pl_vec3){0, 1, 0});
  pl_json_set_number(&draft->arena, attributes, "POSITION", positions);
  pl_json_set_number(&draft->arena, attributes, "NORMAL", add_vectors(draft, normals, mesh->point_count, false));
  return PL_OK;
}

static void add_influences(pl_draft *draft, const pl_draft_influences *influences, int32_t point_count,
                           pl_json *attributes) {
  static const char *const joint_keys[] = {"JOINTS_0", "JOINTS_1"}, *const weight_keys[] = {"WEIGHTS_0", "WEIGHTS_1"};
  bool narrow = draft->rod->joint_count <= 256;
  int size = narrow ? 1 : 2;
  for (int32_t set = 0; set < influences->set_count; ++set) {
    int32_t view = 0;
    unsigned char *to =
        pl_sheet_add_view(&draft->sheet, 4 * (size_t)size * (size_t)point_count, 4 * size, PL_GLTF_VERTICES, &view);
    for (int32_t i = 0; to != NULL && i < 4 * point_count; ++i) {
      size_t from = (size_t)(i / 4) * PL_DRAFT_INFLUENCES + (size_t)(4 * set + i % 4);
      pl_sheet_put(to + (size_t)size * (size_t)i, (uint32_t)influences->joints[from], size);
    }
    pl_json *accessor = pl_sheet_add_accessor(
        &draft->sheet, view, 0, narrow ? PL_GLTF_UNSIGNED_BYTE : PL_GLTF_UNSIGNED_SHORT, point_count, "VEC4");
    pl_json_set_number(&draft->arena, attributes, joint_keys[set], pl_sheet_index(accessor));
    to = pl_sheet_add_view(&draft->sheet, 16 * (size_t)point_count, 16, PL_GLTF_VERTICES, &view);
    for (int32_t i = 0; to != NULL && i < 4 * point_count; ++i)
      pl_sheet_put_float(to + 4 * (size_t)i,
                         influences->weights[(size_t)(i / 4) * PL_DRAFT_INFLUENCES + (size_t)(4 * set + i % 4)]);
    accessor = pl_sheet_add_accessor(&draft->sheet, view, 0, PL_GLTF_FLOAT, point_count, "VEC4");
    pl_json_set_number(&draft->arena, attributes, weight_keys[set], pl_sheet_index(accessor));
  }
}

// --- elements and targets ---------------------------------------------------------------------------------------

static int32_t add_triangles(pl_draft *draft, const pl_mesh_view *mesh) {
  int32_t view = 0, count = 3 * mesh->triangle_count;
  unsigned char *to = pl_sheet_add_view(&draft->sheet, 4 * (size_t)count, 0, PL_GLTF_INDICES, &view);
  for (int32_t i = 0; to != NULL && i < count; ++i) pl_sheet_put(to + 4 * (size_t)i, (uint32_t)mesh->triangles[i], 4);
  return pl_sheet_index(pl_sheet_add_accessor(&draft->sheet, view, 0, PL_GLTF_UNSIGNED_INT, count, "SCALAR"));
}

// Poses are ways from the points as they were rounded, so that rounding happens once.
static pl_status add_targets(pl_draft *draft, const pl_mesh_view *view, pl_json *mesh, pl_json *primitive) {
  if (view->pose_count == 0) return PL_OK;
  pl_arena *arena = &draft->arena;
  pl_vec3 *ways = PL_TAKE(arena, pl_vec3, view->point_count);
  if (ways == NULL) return pl_fail_memory(draft->error);
  pl_json *targets = pl_draft_set_list(draft, primitive, "targets"),
          *weights = pl_draft_set_list(draft, mesh, "weights");
  pl_json *extras = pl_json_set(arena, mesh, "extras", pl_json_new(arena, PL_JSON_OBJECT));
  pl_json *names = pl_draft_set_list(draft, extras, "targetNames");
  for (int32_t pose = 0; pose < view->pose_count; ++pose) {
    for (int32_t i = 0; i < view->point_count; ++i) {
      pl_vec3 p = view->points[i], rounded = {(double)(float)p.x, (double)(float)p.y, (double)(float)p.z};
      ways[i] = pl_vec3_sub(view->poses[pose].points[i], rounded);
    }
    int32_t accessor = add_vectors(draft, ways, view->point_count, true);
    if (accessor < 0) return fail_range(draft, view->poses[pose].name);
    pl_json_set_number(arena, pl_draft_add_object(draft, targets), "POSITION", accessor);
    pl_json_add(weights, pl_json_new_number(arena, 0));
    pl_json_add(names, pl_json_new_text(arena, view->poses[pose].name));
  }
  return PL_OK;
}

// --- skin and material ------------------------------------------------------------------------------------------

// Column by column, as glTF has its matrices.
static void put_inverse(unsigned char *to, pl_transform rest) {
  pl_quat back = pl_quat_conjugate(pl_quat_normalize(rest.rotation));
  pl_mat3 turn = pl_mat3_from_quat(back);
  pl_vec3 move = pl_vec3_scale(pl_quat_rotate(back, rest.position), -1);
  const double last[4] = {move.x, move.y, move.z, 1};
  for (int column = 0; column < 4; ++column)
    for (int row = 0; row < 4; ++row) {
      double value = column == 3 ? last[row] : row == 3 ? 0 : turn.m[row][column];
      pl_sheet_put_float(to + 4 * (4 * column + row), (float)value);
    }
}

static void add_skin(pl_draft *draft) {
  int32_t view = 0, count = draft->rod->joint_count;
  unsigned char *to = pl_sheet_add_view(&draft->sheet, 64 * (size_t)count, 0, 0, &view);
  for (int32_t i = 0; to != NULL && i < count; ++i) put_inverse(to + 64 * (size_t)i, draft->rod->joints[i].rest);
  pl_json *accessor = pl_sheet_add_accessor(&draft->sheet, view, 0, PL_GLTF_FLOAT, count, "MAT4");
  pl_json *skin = pl_sheet_add(&draft->sheet, "skins");
  pl_json_set_number(&draft->arena, skin, "inverseBindMatrices", pl_sheet_index(accessor));
  pl_json *joints = pl_draft_set_list(draft, skin, "joints");
  for (int32_t i = 0; i < count; ++i) pl_json_add(joints, pl_json_new_number(&draft->arena, i));
}

static void add_material(pl_draft *draft) {
  static const double colour[4] = {0.8, 0.68, 0.6, 1};
  pl_json *material = pl_sheet_add(&draft->sheet, "materials");
  pl_json_set_text(&draft->arena, material, "name", "skin");
  pl_json *pbr =
      pl_json_set(&draft->arena, material, "pbrMetallicRoughness", pl_json_new(&draft->arena, PL_JSON_OBJECT));
  pl_json_set_numbers(&draft->arena, pbr, "baseColorFactor", colour, 4);
  pl_json_set_number(&draft->arena, pbr, "metallicFactor", 0);
  pl_json_set_number(&draft->arena, pbr, "roughnessFactor", 0.8);
}

pl_status pl_draft_add_mesh(pl_draft *draft) {
  pl_mesh_view view = pl_mesh_get_view(draft->rod->skin.surface);
  if (view.triangle_count == 0)
    return pl_fail(draft->error, PL_ERROR_INVALID_ARGUMENT, "the surface of the skin has no triangles");
  if (view.point_count > INT32_MAX / 4 || view.triangle_count > INT32_MAX / 3)
    return pl_fail(draft->error, PL_ERROR_UNSUPPORTED, "the skin has too many points or triangles for a GLB file");
  pl_draft_influences influences = {0};
  pl_status status = pl_draft_gather_influences(draft, &influences);
  if (status < 0) return status;
  pl_json *mesh = pl_sheet_add(&draft->sheet, "meshes");
  pl_json_set_text(&draft->arena, mesh, "name", draft->def->name != NULL ? draft->def->name : "character");
  pl_json *primitive = pl_draft_add_object(draft, pl_draft_set_list(draft, mesh, "primitives"));
  pl_json *attributes = pl_json_set(&draft->arena, primitive, "attributes", pl_json_new(&draft->arena, PL_JSON_OBJECT));
  status = add_positions(draft, &view, attributes);
  if (status < 0) return status;
  add_influences(draft, &influences, view.point_count, attributes);
  pl_json_set_number(&draft->arena, primitive, "indices", add_triangles(draft, &view));
  pl_json_set_number(&draft->arena, primitive, "material", 0);
  add_material(draft);
  add_skin(draft);
  return add_targets(draft, &view, mesh, primitive);
}
