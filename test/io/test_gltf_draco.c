// Meshes compressed by Draco: bytes that its JavaScript encoder wrote are unpacked, damaged ones refused, and a copy of
// the file has none. Builds without the library refuse such files and say what to do.
// ctest: unit
#define _GNU_SOURCE
#include "fixtures/gltf_bytes.h"

#include <unistd.h>

#include "io/gltf.h"
#include "io/gltf_draco.h"
#include "pliant/mesh_file.h"

// Made by gltf-pipeline 4.3 (draco3d for JavaScript) with 20 bits for positions and 8 for colours, from the positions
// (0, 0, 0), (1, 0, 0.25), (1, 1, 0.5), (0, 1, -0.75) in red, green, blue and white, and the triangles 0 1 2, 0 2 3.
static const char MESH[] =
    "RFJBQ08CAgEBAAAABAIBAgAAAR//ARH/AREC/wAAAAAAAQAJAwAAAgECAgQAAQEBAQEAFUsBIAEgAwDYgwAAAAAAzcx8ZmZnZsbMzGhmBgCAAAAA"
    "AAAAgDIzAwAAAAD//w8AAAAAAAAAAAAAAEC/AACgPxQBAQEAAwMBMAEQAwAkgikxAgAAAAD/AAAAAAAA";

// `accessor` is the rest of that of the positions, `ids` the attributes in the extension.
static byte_block make_file(const char *accessor, const char *ids, int damaged) {
  byte_block binary = {.size = 0};
  put_base64(&binary, MESH);
  if (damaged >= 0) binary.data[damaged] ^= 0x5A;
  char json[2048];
  snprintf(json, sizeof json,
           "{\"asset\":{\"version\":\"2.0\"},\"extensionsUsed\":[\"KHR_draco_mesh_compression\"],"
           "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
           "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":1,\"COLOR_0\":2},"
           "\"indices\":0,\"extensions\":{\"KHR_draco_mesh_compression\":{\"bufferView\":0,\"attributes\":{%s}}}}]}],"
           "\"accessors\":[{\"componentType\":5123,\"count\":6,\"type\":\"SCALAR\"},{\"componentType\":5126%s,"
           "\"type\":\"VEC3\",\"min\":[-9,-9,-9],\"max\":[9,9,9]},{\"componentType\":5121,\"normalized\":true,"
           "\"count\":4,\"type\":\"VEC4\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":141}],"
           "\"buffers\":[{\"byteLength\":%d}]}",
           ids, accessor, (int)binary.size);
  return make_glb(json, &binary);
}

static const char *const COUNT = ",\"count\":4", *const IDS = "\"POSITION\":0,\"COLOR_0\":1";

static pl_status read_mesh(pl_context *context, const byte_block *file, pl_mesh **mesh, pl_error *error) {
  return pl_gltf_read(context, file->data, file->size, "t.glb", NULL, mesh, NULL, error);
}

// The encoder may renumber points and triangles: each corner is known by its position.
static void check_mesh(const pl_mesh *mesh) {
  static const pl_vec3 wanted[4] = {{0, 0, 0}, {1, 0, 0.25}, {1, 1, 0.5}, {0, 1, -0.75}};
  static const int32_t corners[2][3] = {{0, 1, 2}, {0, 2, 3}};
  pl_mesh_view view = pl_mesh_get_view(mesh);
  assert_int_equal(view.point_count, 4);
  assert_int_equal(view.triangle_count, 2);
  int32_t number[4];
  for (int i = 0; i < 4; ++i) {
    number[i] = -1;
    for (int k = 0; k < 4; ++k)
      if (pl_vec3_distance(view.points[i], wanted[k]) < 4e-6) number[i] = k;
    assert_true(number[i] >= 0);
  }
  for (int t = 0; t < 2; ++t) {
    bool found = false;
    for (int turn = 0; turn < 3; ++turn)
      for (int k = 0; k < 2; ++k) {
        bool same = true;
        for (int i = 0; i < 3; ++i) same = same && number[view.triangles[3 * k + (turn + i) % 3]] == corners[t][i];
        found = found || same;
      }
    assert_true(found);
  }
}

static void compressed_meshes_are_unpacked(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  byte_block file = make_file(COUNT, IDS, -1);
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  pl_status status = read_mesh(context, &file, &mesh, &error);
  if (!pl_draco_is_there()) {
    assert_int_equal(status, PL_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "libdraco-dev"));
    drop_context(context);
    return;
  }
  check_ok(status, &error);
  check_mesh(mesh);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void a_copy_has_no_compression(void **state) {
  (void)state;
  if (!pl_draco_is_there()) skip();
  pl_context *context = make_context(1);
  pl_error error = {0};
  byte_block file = make_file(COUNT, IDS, -1);
  char from[] = "/tmp/pliant_draco_XXXXXX.glb", to[] = "/tmp/pliant_plain_XXXXXX.glb";
  int handle = mkstemps(from, 4);
  assert_true(handle >= 0 && write(handle, file.data, file.size) == (ssize_t)file.size);
  close(handle);
  close(mkstemps(to, 4));
  check_ok(pl_mesh_file_copy_gltf(context, from, to, 1, &error), &error);
  FILE *copy = fopen(to, "rb");
  char bytes[8192];
  size_t size = fread(bytes, 1, sizeof bytes, copy);
  fclose(copy);
  assert_null(memmem(bytes, size, "draco", 5));
  // The bounds are those of what was unpacked.
  assert_null(memmem(bytes, size, "[-9,-9,-9]", 10));
  pl_mesh *mesh = NULL;
  check_ok(pl_gltf_read(context, bytes, size, "t.glb", NULL, &mesh, NULL, &error), &error);
  check_mesh(mesh);
  pl_mesh_destroy(mesh);
  unlink(from);
  unlink(to);
  drop_context(context);
}

static void check_refused(pl_context *context, const char *accessor, const char *ids, const char *text) {
  byte_block file = make_file(accessor, ids, -1);
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  assert_int_equal(read_mesh(context, &file, &mesh, &error), PL_ERROR_INVALID_DATA);
  if (strstr(error.text, text) == NULL) fail_msg("\"%s\" does not say \"%s\"", error.text, text);
  assert_null(mesh);
}

static void damaged_bytes_are_refused(void **state) {
  (void)state;
  if (!pl_draco_is_there()) skip();
  pl_context *context = make_context(1);
  check_refused(context, ",\"count\":5", IDS, "5 elements, what was unpacked for it 4");
  check_refused(context, COUNT, "\"POSITION\":7,\"COLOR_0\":1", "no such attribute");
  check_refused(context, COUNT, "\"POSITION\":0,\"NORMAL\":1", "no such attribute");
  check_refused(context, COUNT, "\"POSITION\":-1", "needs an id");
  int refused = 0;
  for (int i = 0; i < 141; ++i) {
    byte_block file = make_file(COUNT, IDS, i);
    pl_mesh *mesh = NULL;
    pl_error error = {0};
    refused += read_mesh(context, &file, &mesh, &error) < 0;
    pl_mesh_destroy(mesh);
  }
  assert_true(refused > 10);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(compressed_meshes_are_unpacked),
      cmocka_unit_test(a_copy_has_no_compression),
      cmocka_unit_test(damaged_bytes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
