// A mesh as a GLB file: its triangles and segments as two primitives over one set of vertices, its poses as morph
// targets with their names in extras.targetNames, where Blender, three.js and the engines look for them, its groups as
// scalar attributes `_NAME`. Coordinates become 32-bit floats, as the standard wants.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "io/gltf.h"
#include "io/gltf_container.h"

typedef struct float_box {
  float min[3], max[3];
} float_box;

typedef struct layout {
  uint64_t index_size, point_size;  // bytes of all triangles and segments, and of one set of vertices
} layout;

static void put_vector(pl_file_writer *writer, pl_vec3 v, float_box *box, bool first) {
  float values[3] = {(float)v.x, (float)v.y, (float)v.z};
  for (int i = 0; i < 3; ++i) {
    pl_file_writer_float32(writer, values[i]);
    if (first || values[i] < box->min[i]) box->min[i] = values[i];
    if (first || values[i] > box->max[i]) box->max[i] = values[i];
  }
}

static pl_vec3 rounded(pl_vec3 v) {
  return (pl_vec3){(double)(float)v.x, (double)(float)v.y, (double)(float)v.z};
}

// Vertices at rest (pose NULL), or the way from there to their place in a pose. That way starts from the rounded place,
// so that rounding happens once.
static void put_points(pl_file_writer *writer, const pl_mesh_view *view, const pl_mesh_pose *pose, float_box *box) {
  for (int32_t i = 0; i < view->point_count; ++i) {
    pl_vec3 v = view->points[i];
    if (pose != NULL) {
      pl_vec3 rest = rounded(v), there = pose->points[i];
      v = (pl_vec3){there.x - rest.x, there.y - rest.y, there.z - rest.z};
    }
    put_vector(writer, v, box, i == 0);
  }
}

static void print_accessors(pl_vector *json, const pl_mesh_view *view, const float_box *boxes) {
  pl_glb_print(json, "\"accessors\":[");
  for (int32_t i = 0; i <= view->pose_count; ++i) {
    pl_glb_print(json, "%s{\"bufferView\":1,\"byteOffset\":%llu,\"componentType\":5126,\"count\":%d,\"type\":\"VEC3\",",
                 i > 0 ? "," : "", (unsigned long long)i * 12 * (unsigned long long)view->point_count,
                 view->point_count);
    pl_glb_print_vector(json, "min", boxes[i].min);
    pl_glb_print(json, ",");
    pl_glb_print_vector(json, "max", boxes[i].max);
    pl_glb_print(json, "}");
  }
  uint64_t offset = 0;
  const int64_t counts[2] = {3 * (int64_t)view->triangle_count, 2 * (int64_t)view->segment_count};
  for (int i = 0; i < 2; ++i) {
    if (counts[i] == 0) continue;
    pl_glb_print(json,
                 ",{\"bufferView\":0,\"byteOffset\":%llu,\"componentType\":5125,\"count\":%lld,\"type\":\"SCALAR\"}",
                 (unsigned long long)offset, (long long)counts[i]);
    offset += 4 * (uint64_t)counts[i];
  }
  for (int32_t i = 0; i < view->group_count; ++i)
    pl_glb_print(json,
                 ",{\"bufferView\":2,\"byteOffset\":%llu,\"componentType\":5126,\"count\":%d,\"type\":\"SCALAR\"}",
                 4 * (unsigned long long)i * (unsigned long long)view->point_count, view->point_count);
  pl_glb_print(json, "],");
}

static void print_primitive(pl_vector *json, const pl_mesh_view *view, int32_t index_accessor, int mode) {
  int32_t group_accessor = view->pose_count + 1 + (view->triangle_count > 0) + (view->segment_count > 0);
  pl_glb_print(json, "{\"attributes\":{\"POSITION\":0");
  for (int32_t i = 0; i < view->group_count; ++i) {
    pl_glb_print(json, ",");
    pl_glb_print_key(json, "_", view->groups[i].name);
    pl_glb_print(json, ":%d", group_accessor + i);
  }
  pl_glb_print(json, "},\"indices\":%d,\"mode\":%d", index_accessor, mode);
  for (int32_t i = 0; i < view->pose_count; ++i)
    pl_glb_print(json, "%s{\"POSITION\":%d}", i == 0 ? ",\"targets\":[" : ",", i + 1);
  pl_glb_print(json, view->pose_count > 0 ? "]}" : "}");
}

static void print_mesh(pl_vector *json, const pl_mesh_view *view) {
  pl_glb_print(json, "\"meshes\":[{\"primitives\":[");
  int32_t next = view->pose_count + 1;
  if (view->triangle_count > 0) print_primitive(json, view, next++, 4);
  if (view->triangle_count > 0 && view->segment_count > 0) pl_glb_print(json, ",");
  if (view->segment_count > 0) print_primitive(json, view, next, 1);
  pl_glb_print(json, "]");
  for (int32_t i = 0; i < view->pose_count; ++i) pl_glb_print(json, i == 0 ? ",\"weights\":[0" : ",0");
  for (int32_t i = 0; i < view->pose_count; ++i) {
    pl_glb_print(json, i == 0 ? "],\"extras\":{\"targetNames\":[" : ",");
    pl_glb_print_text(json, view->poses[i].name);
  }
  pl_glb_print(json, view->pose_count > 0 ? "]}}]," : "}],");
}

static void print_document(pl_vector *json, const pl_mesh_view *view, const layout *sizes, const float_box *boxes) {
  unsigned long long points_size = sizes->point_size * (unsigned long long)(view->pose_count + 1);
  pl_glb_print(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"pliant %s\"},", pl_version());
  pl_glb_print(json, "\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],");
  print_mesh(json, view);
  print_accessors(json, view, boxes);
  pl_glb_print(json, "\"bufferViews\":[{\"buffer\":0,\"byteLength\":%llu,\"target\":34963},",
               (unsigned long long)sizes->index_size);
  pl_glb_print(json, "{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu,\"byteStride\":12,\"target\":34962}",
               (unsigned long long)sizes->index_size, points_size);
  unsigned long long groups_size = 4 * (unsigned long long)view->group_count * (unsigned long long)view->point_count;
  if (view->group_count > 0)
    pl_glb_print(json, ",{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu,\"byteStride\":4,\"target\":34962}",
                 sizes->index_size + points_size, groups_size);
  pl_glb_print(json, "],\"buffers\":[{\"byteLength\":%llu}]}", sizes->index_size + points_size + groups_size);
}

// More than print_document() can need, whatever the numbers are.
static size_t document_workspace(const pl_mesh_view *view) {
  size_t workspace = 2048;
  for (int32_t i = 0; i < view->pose_count; ++i) workspace += 512 + 6 * strlen(view->poses[i].name);
  for (int32_t i = 0; i < view->group_count; ++i) workspace += 256 + 12 * strlen(view->groups[i].name);
  return workspace;
}

static pl_status write_parts(pl_file_writer *writer, const pl_mesh_view *view, float_box *boxes, pl_vector *json,
                             pl_error *error) {
  pl_glb glb = pl_glb_begin(writer, document_workspace(view));
  for (int64_t i = 0; i < 3 * (int64_t)view->triangle_count; ++i)
    pl_file_writer_little(writer, (uint32_t)view->triangles[i], 4);
  for (int64_t i = 0; i < 2 * (int64_t)view->segment_count; ++i)
    pl_file_writer_little(writer, (uint32_t)view->segments[i], 4);
  layout sizes = {.index_size = pl_glb_offset(&glb), .point_size = 12 * (uint64_t)view->point_count};
  for (int32_t i = 0; i <= view->pose_count; ++i)
    put_points(writer, view, i == 0 ? NULL : &view->poses[i - 1], &boxes[i]);
  for (int32_t i = 0; i < view->group_count; ++i)
    for (int32_t k = 0; k < view->point_count; ++k) pl_file_writer_float32(writer, view->groups[i].weights[k]);
  for (int32_t i = 0; i <= view->pose_count; ++i)
    for (int axis = 0; axis < 3; ++axis)
      if (boxes[i].min[axis] < -FLT_MAX || boxes[i].max[axis] > FLT_MAX)
        return pl_fail(error, PL_ERROR_INVALID_DATA, "some coordinate is too large for a 32-bit float");
  print_document(json, view, &sizes, boxes);
  return pl_glb_finish(&glb, json, error);
}

pl_status pl_gltf_write_mesh(pl_context *context, const char *path, const pl_mesh *mesh, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  if (view.triangle_count == 0 && view.segment_count == 0)
    return pl_fail_at(error, PL_ERROR_UNSUPPORTED, path, 0, 0,
                      "a GLB file holds triangles and lines, and this mesh has none%s",
                      view.tet_count > 0 ? "; write its boundary" : "");
  pl_vector boxes = pl_vector_of(context, sizeof(float_box)), json = pl_vector_of(context, 1);
  pl_file_writer *writer = NULL;
  pl_status status = pl_vector_grow(&boxes, (size_t)view.pose_count + 1) == NULL ? pl_fail_memory(error) : PL_OK;
  if (status >= 0) status = pl_file_writer_open(context, path, &writer, error);
  if (status >= 0) status = write_parts(writer, &view, boxes.items, &json, error);
  pl_vector_free(&boxes);
  pl_vector_free(&json);
  if (status >= 0) return pl_file_writer_commit(writer, error);
  pl_file_writer_abandon(writer);
  return status;
}
