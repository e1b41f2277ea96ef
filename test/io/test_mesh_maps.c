// Colours, painted weights and vertex numbers of mesh files become groups and the order of points, whatever the format.
// ctest: unit
#define _XOPEN_SOURCE 700
#include <unistd.h>

#include "fixtures/gltf_bytes.h"
#include "fixtures/mesh_file.h"
#include "pliant/math.h"

static const float *group(const mesh_file *file, const char *name) {
  int32_t number = pl_mesh_find_group(file->mesh, name);
  if (number < 0) fail_msg("no group %s", name);
  return file->view.groups[number].weights;
}

static void check_weights(const mesh_file *file, const char *name, const double *wanted, int count) {
  assert_int_equal(file->view.point_count, count);
  for (int i = 0; i < count; ++i) check_near((double)group(file, name)[i], wanted[i], 1e-6);
}

// Two triangles of a square with split vertices along the diagonal, 6 vertices of 4 points; one primitive with colours
// (normalised bytes, RGBA), a scalar `_PIN`, a scalar `_HEAT` that is not a weight, and `ids`.
static mesh_file open_square(const char *id_attribute, const float ids[6]) {
  static const float square[18] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0};
  static const int reds[6] = {0, 51, 102, 0, 204, 255};
  char json[2048];
  snprintf(
      json, sizeof json,
      "{\"asset\":{\"version\":\"2.0\"},\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"COLOR_0\":1,"
      "\"_PIN\":2,\"_HEAT\":3,\"%s\":4}}]}],\"accessors\":["
      "{\"bufferView\":0,\"componentType\":5126,\"count\":6,\"type\":\"VEC3\"},"
      "{\"bufferView\":0,\"byteOffset\":72,\"componentType\":5121,\"normalized\":true,\"count\":6,\"type\":\"VEC4\"},"
      "{\"bufferView\":0,\"byteOffset\":96,\"componentType\":5126,\"count\":6,\"type\":\"SCALAR\"},"
      "{\"bufferView\":0,\"byteOffset\":120,\"componentType\":5126,\"count\":6,\"type\":\"SCALAR\"},"
      "{\"bufferView\":0,\"byteOffset\":144,\"componentType\":5126,\"count\":6,\"type\":\"SCALAR\"}],"
      "\"bufferViews\":[{\"buffer\":0,\"byteLength\":168}],\"buffers\":[{\"byteLength\":168}]}",
      id_attribute);
  byte_block binary = {.size = 0};
  put_f32s(&binary, square, 18);
  for (int i = 0; i < 6; ++i) {
    put_u8(&binary, reds[i]);
    put_u8(&binary, 255);
    put_u8(&binary, 0);
    put_u8(&binary, 51 * i);
  }
  put_f32s(&binary, (const float[]){1, 0, 0.25f, 1, 0.25f, 0.5f}, 6);
  put_f32s(&binary, (const float[]){0, 100, 200, 0, 0, 0}, 6);
  put_f32s(&binary, ids, 6);
  byte_block glb = make_glb(json, &binary);
  return open_bytes(glb.data, glb.size);
}

static void colours_and_scalars_of_gltf_become_groups(void **state) {
  (void)state;
  mesh_file file = open_square("_EMPTY", (const float[]){0, 0, 0, 0, 0, 0});
  // Vertices 2 and 4 are one point that was painted 0.4 and 0.8.
  check_weights(&file, "color.red", (const double[]){0, 0.2, 0.6, 1}, 4);
  check_weights(&file, "color.green", (const double[]){1, 1, 1, 1}, 4);
  check_weights(&file, "color.alpha", (const double[]){0.3, 0.2, 0.6, 1}, 4);
  check_weights(&file, "PIN", (const double[]){1, 0, 0.25, 0.5}, 4);
  assert_int_equal(pl_mesh_find_group(file.mesh, "HEAT"), -1);
  assert_true(has_finding(&file, "map-range"));
  close_mesh(&file);
}

static void points_have_the_numbers_of_the_modelling_program(void **state) {
  (void)state;
  static const char *const names[2] = {"_VERTEX_ID", "__VERTEX_ID"};
  for (int k = 0; k < 2; ++k) {
    mesh_file file = open_square(names[k], (const float[]){3, 0, 2, 3, 2, 1});
    assert_int_equal(file.view.point_count, 4);
    assert_null(file.view.point_of_source);
    static const pl_vec3 wanted[4] = {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 0}};
    for (int i = 0; i < 4; ++i) check_near(pl_vec3_distance(file.view.points[i], wanted[i]), 0, 1e-12);
    static const int32_t triangles[6] = {3, 0, 2, 3, 2, 1};
    assert_memory_equal(file.view.triangles, triangles, sizeof triangles);
    check_weights(&file, "color.red", (const double[]){0.2, 1, 0.6, 0}, 4);
    assert_false(has_finding(&file, "vertex-ids"));
    close_mesh(&file);
  }
}

static void numbers_that_cannot_be_used_are_reported(void **state) {
  (void)state;
  static const float wrong[4][6] = {
      {3, 0, 2, 3, 2, 4},       // 1 is missing
      {3, 0, 2, 3, 1, 1},       // 1 is at two positions
      {3, 0.5f, 2, 3, 2, 1},    // not whole
      {3, 0, 2, 3, 2, 2.1e9f},  // far too large
  };
  for (int k = 0; k < 4; ++k) {
    mesh_file file = open_square("_VERTEX_ID", wrong[k]);
    assert_true(has_finding(&file, "vertex-ids"));
    assert_int_equal(file.view.point_count, 4);
    assert_int_equal(file.view.source_count, 6);
    close_mesh(&file);
  }
}

static void colours_of_obj_and_ply_become_the_same_groups(void **state) {
  (void)state;
  static const char *const texts[3] = {
      "v 0 0 0 0.5 0.5 0\nv 1 0 0 0.1 0.2 0.3\nv 0 1 0 1 1 1\nf 1 2 3\n",
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
      "property float red\nproperty float green\nproperty float blue\nproperty float group:pin\n"
      "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
      "0 0 0 0.5 0.5 0 1\n1 0 0 0.1 0.2 0.3 0\n0 1 0 1 1 1 0.5\n3 0 1 2\n",
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
      "property ushort red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\n"
      "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
      "0 0 0 32767.5 127.5 0 1\n1 0 0 6553.5 51 76.5 0\n0 1 0 65535 255 255 255\n3 0 1 2\n"};
  for (int k = 0; k < 3; ++k) {
    mesh_file file = open_text(texts[k]);
    check_weights(&file, "color.red", (const double[]){0.5, 0.1, 1}, 3);
    check_weights(&file, "color.green", (const double[]){0.5, 0.2, 1}, 3);
    check_weights(&file, "color.blue", (const double[]){0, 0.3, 1}, 3);
    if (k == 1) check_weights(&file, "pin", (const double[]){1, 0, 0.5}, 3);
    if (k == 2) check_weights(&file, "color.alpha", (const double[]){1 / 255.0, 0, 1}, 3);
    close_mesh(&file);
  }
  // Colours from 0 to 255 in an OBJ are not weights; a fourth number is not a colour.
  mesh_file file = open_text("v 0 0 0 255 0 0\nv 1 0 0 1 1 1\nv 0 1 0 1\nf 1 2 3\n");
  assert_int_equal(pl_mesh_find_group(file.mesh, "color.red"), -1);
  assert_true(has_finding(&file, "map-range"));
  check_weights(&file, "color.green", (const double[]){0, 1, 0}, 3);
  close_mesh(&file);
}

static void groups_come_back_with_their_names(void **state) {
  (void)state;
  static const char *const endings[] = {"vtu", "vtk"}, *const names[2] = {"pin", "50% \"up\" <& left>"};
  for (int e = 0; e < 2; ++e) {
    char folder[] = "/tmp/pliant-maps-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/painted.%s", folder, endings[e]);
    pl_context *context = make_context(1);
    pl_mesh *box = NULL, *mesh = NULL, *back = NULL;
    pl_error error = {0};
    check_ok(pl_mesh_create_box(context, pl_vec3_of(1, 2, 3), (int32_t[3]){1, 2, 2}, &box, &error), &error);
    pl_mesh_view view = pl_mesh_get_view(box);
    float weights[2][18];
    for (int i = 0; i < 18; ++i) {
      weights[0][i] = (float)i / 17;
      weights[1][i] = i % 2 == 0 ? 0.0f : 1.0f;
    }
    view.group_count = 2;
    view.groups = (const pl_mesh_group[]){{names[0], weights[0]}, {names[1], weights[1]}};
    check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
    check_ok(pl_mesh_save(context, path, mesh, &error), &error);
    check_ok(pl_mesh_load(context, path, &back, NULL, &error), &error);
    unlink(path);
    rmdir(folder);
    pl_mesh_view b = pl_mesh_get_view(back);
    assert_int_equal(b.group_count, 2);
    for (int k = 0; k < 2; ++k) {
      assert_string_equal(b.groups[k].name, names[k]);
      assert_memory_equal(b.groups[k].weights, weights[k], sizeof weights[k]);
    }
    pl_mesh_destroy(back);
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(box);
    drop_context(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(colours_and_scalars_of_gltf_become_groups),
      cmocka_unit_test(points_have_the_numbers_of_the_modelling_program),
      cmocka_unit_test(numbers_that_cannot_be_used_are_reported),
      cmocka_unit_test(colours_of_obj_and_ply_become_the_same_groups),
      cmocka_unit_test(groups_come_back_with_their_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
