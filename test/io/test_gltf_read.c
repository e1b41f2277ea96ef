// glTF files as five families of exporters write them: what matters is where points, poses and triangles end up.
// ctest: unit
#define _GNU_SOURCE
#include "check.h"

#include <unistd.h>

#include "fixtures/gltf_bytes.h"
#include "io/gltf.h"

static pl_mesh *read_bytes(pl_context *context, const void *bytes, size_t size, const char *folder,
                           pl_findings *findings) {
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  check_ok(pl_gltf_read(context, bytes, size, "t.gltf", folder, &mesh, findings, &error), &error);
  return mesh;
}

static void check_point(const pl_vec3 *points, int32_t index, double x, double y, double z) {
  check_near(points[index].x, x, 1e-6);
  check_near(points[index].y, y, 1e-6);
  check_near(points[index].z, z, 1e-6);
}

static const pl_vec3 *pose(const pl_mesh *mesh, const char *name) {
  int32_t index = pl_mesh_find_pose(mesh, name);
  if (index < 0) fail_msg("no pose %s", name);
  return pl_mesh_get_view(mesh).poses[index].points;
}

// A square of two triangles with separate vertices along the diagonal: 6 vertices, 4 places.
static const float square[18] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0};

// Blender: .gltf with a .bin next to it, 16-bit indices, shape keys named in mesh.extras.targetNames, node with TRS.
static void blender_with_a_separate_buffer(void **state) {
  (void)state;
  static const char json[] =
      "{\"asset\":{\"generator\":\"Khronos glTF Blender I/O "
      "v4.0.44\",\"version\":\"2.0\"},\n\"scene\":0,\"scenes\":[{\"name\":\"Scene\","
      "\"nodes\":[0]}],\n\"nodes\":[{\"mesh\":0,\"name\":\"Plane\",\"translation\":[10,0,0],\"rotation\":[0,0,0."
      "7071067811865476,"
      "0.7071067811865476],\"scale\":[2,2,2]}],\n\"meshes\":[{\"extras\":{\"targetNames\":[\"Smile\",\"Öffnen\"]},"
      "\"name\":"
      "\"Plane\","
      "\"primitives\":[{\"attributes\":{\"POSITION\":0,\"NORMAL\":4},\"indices\":1,\"targets\":[{\"POSITION\":2,"
      "\"NORMAL\":4},"
      "{\"POSITION\":3}]}],\"weights\":[0,0]}],\n\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":6,"
      "\"max\":[1,1,"
      "0],"
      "\"min\":[0,0,0],\"type\":\"VEC3\"},{\"bufferView\":1,\"componentType\":5123,\"count\":6,\"type\":\"SCALAR\"},"
      "{\"bufferView\":2,\"componentType\":5126,\"count\":6,\"type\":\"VEC3\"},{\"bufferView\":3,\"componentType\":"
      "5126,\"count\":"
      "6,"
      "\"type\":\"VEC3\"},{\"bufferView\":0,\"componentType\":5126,\"count\":6,\"type\":\"VEC3\"}],\n\"bufferViews\":[{"
      "\"buffer\":"
      "0,"
      "\"byteLength\":72,\"byteOffset\":0,\"target\":34962},{\"buffer\":0,\"byteLength\":12,\"byteOffset\":72,"
      "\"target\":34963},"
      "{\"buffer\":0,\"byteLength\":72,\"byteOffset\":84},{\"buffer\":0,\"byteLength\":72,\"byteOffset\":156}],\n"
      "\"buffers\":[{\"byteLength\":228,\"uri\":\"my%20plane.bin\"}]}";
  byte_block binary = {.size = 0};
  put_f32s(&binary, square, 18);
  for (int i = 0; i < 6; ++i) put_u16(&binary, i);
  for (int i = 0; i < 6; ++i) put_f32s(&binary, (float[]){0, 0, 1}, 3);
  // The second pose pulls the two triangles apart at one end of the diagonal: vertices 2 and 4.
  for (int i = 0; i < 6; ++i) put_f32s(&binary, (float[]){0, 0, i == 4 ? 0.5f : 0.0f}, 3);

  char folder[] = "/tmp/pliant_gltf_XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/my plane.bin", folder);
  FILE *file = fopen(path, "wb");
  assert_int_equal(fwrite(binary.data, 1, binary.size, file), binary.size);
  fclose(file);
  pl_context *context = make_context(1);
  pl_mesh *mesh = read_bytes(context, json, strlen(json), folder, NULL);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  assert_int_equal(view.point_count, 5);  // 0 and 3 are one point, 2 and 4 are not
  assert_int_equal(view.source_count, 6);
  static const int32_t expected[] = {0, 1, 2, 0, 3, 4};
  assert_memory_equal(view.point_of_source, expected, sizeof expected);
  assert_int_equal(view.triangle_count, 2);
  assert_memory_equal(view.triangles, expected, sizeof expected);
  // (x, y, z) -> 2 (-y, x, z) + (10, 0, 0)
  check_point(view.points, 1, 10, 2, 0);
  check_point(view.points, 2, 8, 2, 0);
  check_point(pose(mesh, "Smile"), 1, 10, 2, 2);
  check_point(pose(mesh, "Öffnen"), 3, 8, 2, 1);
  check_point(pose(mesh, "Öffnen"), 2, 8, 2, 0);
  assert_int_equal(view.pose_count, 2);
  pl_mesh_destroy(mesh);
  drop_context(context);
  unlink(path);
  rmdir(folder);
}

// three.js GLTFExporter: GLB, node matrix, groups as primitives over the same vertices with 32-bit indices.
static void threejs_with_groups_over_shared_vertices(void **state) {
  (void)state;
  static const char json[] =
      "{\"asset\":{\"version\":\"2.0\",\"generator\":\"THREE.GLTFExporter "
      "r160\"},\"scenes\":[{\"name\":\"AuxScene\",\"nodes\":[0]}],"
      "\"scene\":0,\"nodes\":[{\"name\":\"m\",\"mesh\":0,\"matrix\":[1,0,0,0,0,0,-1,0,0,1,0,0,5,6,7,1]}],"
      "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":48,\"target\":34962,\"byteStride\":12},{"
      "\"buffer\":0,"
      "\"byteOffset\":48,\"byteLength\":12,\"target\":34963},{\"buffer\":0,\"byteOffset\":60,\"byteLength\":12,"
      "\"target\":34963},"
      "{\"buffer\":0,\"byteOffset\":72,\"byteLength\":48}],\"buffers\":[{\"byteLength\":120}],\"accessors\":[{"
      "\"bufferView\":0,"
      "\"componentType\":5126,\"count\":4,\"max\":[1,1,0],\"min\":[0,0,0],\"type\":\"VEC3\"},{\"bufferView\":1,"
      "\"componentType\":"
      "5125,"
      "\"count\":3,\"max\":[2],\"min\":[0],\"type\":\"SCALAR\"},{\"bufferView\":2,\"componentType\":5125,\"count\":3,"
      "\"type\":"
      "\"SCALAR\"},"
      "{\"bufferView\":3,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\",\"name\":\"up\"}],\"materials\":[{},{}],"
      "\"meshes\":[{\"primitives\":[{\"mode\":4,\"attributes\":{\"POSITION\":0},\"targets\":[{\"POSITION\":3}],"
      "\"indices\":1,"
      "\"material\":0},{\"mode\":4,\"attributes\":{\"POSITION\":0},\"targets\":[{\"POSITION\":3}],\"indices\":2,"
      "\"material\":1}],"
      "\"weights\":[0],\"extras\":{\"targetNames\":[\"up\"]}}]}";
  byte_block binary = {.size = 0};
  put_f32s(&binary, (float[]){0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, 12);
  for (uint32_t i = 0; i < 3; ++i) put_u32(&binary, i);
  for (uint32_t i = 0; i < 3; ++i) put_u32(&binary, i == 0 ? 0 : i + 1);
  for (int i = 0; i < 4; ++i) put_f32s(&binary, (float[]){0, 0, (float)i}, 3);
  byte_block file = make_glb(json, &binary);
  pl_context *context = make_context(1);
  pl_mesh *mesh = read_bytes(context, file.data, file.size, NULL, NULL);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  assert_int_equal(view.point_count, 4);
  assert_int_equal(view.source_count, 0);
  assert_null(view.point_of_source);
  assert_int_equal(view.triangle_count, 2);
  static const int32_t expected[] = {0, 1, 2, 0, 2, 3};
  assert_memory_equal(view.triangles, expected, sizeof expected);
  // columns of the matrix: x -> x, y -> -z, z -> y
  check_point(view.points, 2, 6, 6, 6);
  check_point(pose(mesh, "up"), 2, 6, 8, 6);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// Maya and Babylon exporters: everything in one JSON with data URIs, nested nodes, a mirrored one; no default scene;
// strips, fans, lines.
static void babylon_with_data_uri_strips_and_mirrored_nodes(void **state) {
  (void)state;
  byte_block binary = {.size = 0};
  put_f32s(&binary, (float[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0}, 15);
  for (int i = 0; i < 5; ++i) put_u8(&binary, i);
  char base64[256], json[2048];
  encode_base64(&binary, base64);
  snprintf(
      json, sizeof json,
      "\xEF\xBB\xBF{\"asset\":{\"version\":\"2.0\",\"generator\":\"babylon.js glTF exporter for Maya 2022\"},\r\n"
      "\"scenes\":[{\"nodes\":[1]}],\"nodes\":[{\"mesh\":0,\"scale\":[-1,1,1]},{\"children\":[2,0],\"translation\":[0,"
      "0,3]},"
      "{\"mesh\":1}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":5}]},{\"primitives\":"
      "[{\"attributes\":{\"POSITION\":0},\"indices\":1,\"mode\":6},{\"attributes\":{\"POSITION\":0},\"mode\":2}]}],"
      "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":5,\"type\":\"VEC3\",\"byteOffset\":0},"
      "{\"bufferView\":1,\"componentType\":5121,\"count\":4,\"type\":\"SCALAR\",\"byteOffset\":1}],"
      "\"bufferViews\":[{\"buffer\":0,\"byteLength\":60},{\"buffer\":0,\"byteOffset\":60,\"byteLength\":5}],"
      "\"buffers\":[{\"byteLength\":65,\"uri\":\"data:application/octet-stream;base64,%s\"}]}",
      base64);
  pl_context *context = make_context(1);
  pl_mesh *mesh = read_bytes(context, json, strlen(json), NULL, NULL);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  assert_int_equal(view.point_count, 10);  // nodes stay apart although they touch
  check_point(view.points, 1, -1, 0, 3);
  check_point(view.points, 6, 1, 0, 3);
  // The strip 0 1 2, 2 1 3, 2 3 4, turned back because of the mirror; then the fan 1 2 3, 1 3 4 of the second node.
  static const int32_t expected[] = {0, 2, 1, 1, 2, 3, 2, 4, 3, 6, 7, 8, 6, 8, 9};
  assert_int_equal(view.triangle_count, 5);
  assert_memory_equal(view.triangles, expected, sizeof expected);
  static const int32_t loop[] = {5, 6, 6, 7, 7, 8, 8, 9, 9, 5};
  assert_int_equal(view.segment_count, 5);
  assert_memory_equal(view.segments, loop, sizeof loop);
  // Seen from +z every triangle still turns counter-clockwise or not as its normal says: all of the strip's agree.
  for (int i = 0; i < 3; ++i) {
    const int32_t *t = view.triangles + 3 * i;
    pl_vec3 a = view.points[t[0]], b = view.points[t[1]], c = view.points[t[2]];
    assert_true((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0);
  }
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// UniVRM: sparse morph targets without a buffer view of their own, names on the primitive, skins, several meshes with
// different targets.
static void univrm_with_sparse_targets_on_several_meshes(void **state) {
  (void)state;
  static const char json[] =
      "{\"asset\":{\"generator\":\"UniGLTF-2.0.0\",\"version\":\"2.0\"},\"extensionsUsed\":[\"VRM\",\"KHR_materials_"
      "unlit\"],"
      "\"buffers\":[{\"byteLength\":84}],\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":36},"
      "{\"buffer\":0,\"byteOffset\":36,\"byteLength\":12},{\"buffer\":0,\"byteOffset\":48,\"byteLength\":4},"
      "{\"buffer\":0,\"byteOffset\":52,\"byteLength\":12},{\"buffer\":0,\"byteOffset\":64,\"byteLength\":2},"
      "{\"buffer\":0,\"byteOffset\":68,\"byteLength\":12}],"
      "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
      "{\"bufferView\":1,\"componentType\":5125,\"count\":3,\"type\":\"SCALAR\"},"
      "{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":2,"
      "\"componentType\":5125},\"values\":{\"bufferView\":3}}},"
      "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":{\"count\":1,\"indices\":{"
      "\"bufferView\":"
      "4,"
      "\"componentType\":5123},\"values\":{\"bufferView\":5}}},"
      "{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
      "\"meshes\":[{\"name\":\"Face\",\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,\"extras\":{"
      "\"targetNames\":"
      "[\"blink\",\"aa\",\"still\"]},\"targets\":[{\"POSITION\":2},{\"POSITION\":3},{\"POSITION\":4}]}]},"
      "{\"name\":\"Brow\",\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,\"targets\":[{\"POSITION\":2},"
      "{\"NORMAL\":"
      "2},"
      "{\"POSITION\":3}],\"extras\":{\"targetNames\":[\"angry\",\"\",\"blink\"]}}]}],"
      "\"skins\":[{\"joints\":[1]}],\"nodes\":[{\"mesh\":0,\"skin\":0,\"translation\":[100,0,0]},{\"mesh\":1}],"
      "\"scenes\":[{\"nodes\":[0,1]}],\"scene\":0}";
  byte_block binary = {.size = 0};
  put_f32s(&binary, (float[]){0, 0, 0, 1, 0, 0, 0, 1, 0}, 9);
  for (uint32_t i = 0; i < 3; ++i) put_u32(&binary, i);
  put_u32(&binary, 2);
  put_f32s(&binary, (float[]){0, 0, 7}, 3);
  put_u16(&binary, 1);
  put_u16(&binary, 0);
  put_f32s(&binary, (float[]){-1, 0, 0}, 3);
  put_u32(&binary, 0);
  byte_block file = make_glb(json, &binary);
  pl_context *context = make_context(1);
  pl_findings *findings = NULL;
  pl_error error = {0};
  check_ok(pl_findings_create(context, &findings, &error), &error);
  pl_mesh *mesh = read_bytes(context, file.data, file.size, NULL, findings);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  assert_int_equal(view.point_count, 6);
  assert_int_equal(view.pose_count, 5);
  static const char *const names[] = {"blink", "aa", "still", "angry", "target_1"};
  for (int i = 0; i < 5; ++i) assert_string_equal(view.poses[i].name, names[i]);
  check_point(view.points, 1, 1, 0, 0);  // a skinned mesh is not moved by its node
  check_point(pose(mesh, "blink"), 2, 0, 1, 7);
  check_point(pose(mesh, "blink"), 4, 0, 0, 0);  // of the second mesh: base (1,0,0) plus sparse (-1,0,0)
  check_point(pose(mesh, "blink"), 5, 0, 2, 0);
  check_point(pose(mesh, "aa"), 1, 0, 0, 0);
  check_point(pose(mesh, "aa"), 2, 0, 2, 0);
  check_point(pose(mesh, "aa"), 5, 0, 1, 0);  // the second mesh has no "aa": at rest
  check_point(pose(mesh, "angry"), 2, 0, 1, 0);
  check_point(pose(mesh, "angry"), 5, 0, 1, 7);
  for (int i = 0; i < 6; ++i) assert_memory_equal(&pose(mesh, "still")[i], &view.points[i], sizeof(pl_vec3));
  assert_int_equal(pl_findings_count(findings, PL_SEVERITY_NOTE), 1);
  assert_string_equal(pl_findings_get(findings, 0)->kind, "gltf-skin");
  pl_findings_destroy(findings);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// gltfpack and glTF-Transform: KHR_mesh_quantization, interleaved, node scale undoes the quantization.
static void gltfpack_with_quantized_interleaved_vertices(void **state) {
  (void)state;
  static const char json[] =
      "{\"asset\":{\"version\":\"2.0\",\"generator\":\"gltfpack 0.20\"},\"extensionsUsed\":[\"KHR_mesh_quantization\"],"
      "\"extensionsRequired\":[\"KHR_mesh_quantization\"],\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,"
      "\"byteLength\":36,"
      "\"byteStride\":12,\"target\":34962},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":12,\"byteStride\":4},{"
      "\"buffer\":0,"
      "\"byteOffset\":48,\"byteLength\":6}],\"accessors\":[{\"bufferView\":0,\"byteOffset\":4,\"componentType\":5122,"
      "\"count\":3,"
      "\"type\":\"VEC3\",\"normalized\":true},{\"bufferView\":0,\"byteOffset\":0,\"componentType\":5120,\"count\":3,"
      "\"type\":"
      "\"VEC3\","
      "\"normalized\":true},{\"bufferView\":1,\"componentType\":5120,\"count\":3,\"type\":\"VEC3\"},{\"bufferView\":2,"
      "\"componentType\":5123,\"count\":3,\"type\":\"SCALAR\"}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
      "\"NORMAL\":1,"
      "\"POSITION\":0},\"indices\":3,\"targets\":[{\"POSITION\":2}]}]}],\"nodes\":[{\"mesh\":0,\"scale\":[4,4,4],"
      "\"translation\":[1,1,1]}],\"scenes\":[{\"nodes\":[0]}],\"buffers\":[{\"byteLength\":54}]}";
  static const int corners[3][3] = {{0, 0, 0}, {32767, 0, -32768}, {0, 16384, 0}};
  byte_block binary = {.size = 0};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) put_u8(&binary, 127);
    for (int j = 0; j < 3; ++j) put_u16(&binary, corners[i][j]);
    put_u16(&binary, 0);
  }
  for (int i = 0; i < 3; ++i) {
    put_u8(&binary, -i);
    for (int j = 0; j < 3; ++j) put_u8(&binary, 0);
  }
  for (int i = 0; i < 3; ++i) put_u16(&binary, i);
  byte_block file = make_glb(json, &binary);
  pl_context *context = make_context(1);
  pl_mesh *mesh = read_bytes(context, file.data, file.size, NULL, NULL);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  check_point(view.points, 0, 1, 1, 1);
  check_point(view.points, 1, 5, 1, -3);  // -32768 counts as -1
  check_point(view.points, 2, 1, 1 + 4 * 16384 / 32767.0, 1);
  check_point(pose(mesh, "target_0"), 1, 5 - 4, 1, -3);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void all_component_types_are_read(void **state) {
  (void)state;
  static const struct {
    int type, size;
    uint32_t bits;
    double plain, normalized;
  } cases[] = {{5120, 1, 0x81, -127, -1},
               {5121, 1, 0xFF, 255, 1},
               {5122, 2, 0x8001, -32767, -1},
               {5123, 2, 0xFFFF, 65535, 1},
               {5125, 4, 0x80000000u, 2147483648.0, 2147483648.0},
               {5126, 4, 0x3FC00000, 1.5, 1.5}};
  pl_context *context = make_context(1);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    for (int normalized = 0; normalized < 2; ++normalized) {
      byte_block binary = {.size = 0};
      char json[600];
      for (int c = 0; c < 9; ++c) {
        uint32_t bits = c == 0 ? cases[i].bits : 0;
        for (int b = 0; b < cases[i].size; ++b) put_u8(&binary, (int)(bits >> (8 * b) & 255));
      }
      snprintf(
          json, sizeof json,
          "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%d}],\"bufferViews\":[{\"buffer\":0,"
          "\"byteLength\":%d}],"
          "\"accessors\":[{\"bufferView\":0,\"componentType\":%d,\"count\":3,\"type\":\"VEC3\",\"normalized\":%s}],"
          "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}",
          9 * cases[i].size, 9 * cases[i].size, cases[i].type, normalized ? "true" : "false");
      byte_block file = make_glb(json, &binary);
      pl_mesh *mesh = read_bytes(context, file.data, file.size, NULL, NULL);
      check_near(pl_mesh_get_view(mesh).points[0].x, normalized ? cases[i].normalized : cases[i].plain, 1e-12);
      pl_mesh_destroy(mesh);
    }
  }
  drop_context(context);
}

static void targets_of_one_name_are_kept_apart(void **state) {
  (void)state;
  static const char json[] =
      "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36}],\"bufferViews\":[{\"buffer\":0,"
      "\"byteLength\":36}],"
      "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],\"meshes\":[{"
      "\"primitives\":"
      "[{\"attributes\":{\"POSITION\":0},\"targets\":[{},{\"POSITION\":0},{}]}],\"extras\":{\"targetNames\":[\"a\","
      "\"a\",\"a_1\"]}}"
      "]}";
  byte_block binary = {.size = 0};
  put_f32s(&binary, (float[]){0, 0, 0, 1, 0, 0, 0, 1, 0}, 9);
  byte_block file = make_glb(json, &binary);
  pl_context *context = make_context(1);
  pl_findings *findings = NULL;
  pl_error error = {0};
  check_ok(pl_findings_create(context, &findings, &error), &error);
  pl_mesh *mesh = read_bytes(context, file.data, file.size, NULL, findings);
  assert_int_equal(pl_mesh_get_view(mesh).pose_count, 3);
  check_point(pose(mesh, "a"), 1, 1, 0, 0);
  check_point(pose(mesh, "a_1"), 1, 2, 0, 0);
  check_point(pose(mesh, "a_1_2"), 1, 1, 0, 0);
  assert_int_equal(pl_findings_count(findings, PL_SEVERITY_WARNING), 2);
  pl_findings_destroy(findings);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blender_with_a_separate_buffer),
      cmocka_unit_test(threejs_with_groups_over_shared_vertices),
      cmocka_unit_test(babylon_with_data_uri_strips_and_mirrored_nodes),
      cmocka_unit_test(univrm_with_sparse_targets_on_several_meshes),
      cmocka_unit_test(gltfpack_with_quantized_interleaved_vertices),
      cmocka_unit_test(all_component_types_are_read),
      cmocka_unit_test(targets_of_one_name_are_kept_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
