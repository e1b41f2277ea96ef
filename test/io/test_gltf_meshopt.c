// Buffer views compressed by meshoptimizer: bytes that its JavaScript encoder wrote are unpacked, damaged ones refused,
// and a copy of the file has none. Builds without the library refuse such files and say what to do.
// ctest: unit
#define _GNU_SOURCE
#include "fixtures/gltf_bytes.h"

#include <unistd.h>

#include "io/gltf.h"
#include "io/gltf_meshopt.h"

// Made by encodeGltfBuffer() of meshoptimizer 1.3 for JavaScript from the positions (0, 0, 0), (1, 0, 0.25), (1, 1,
// 0.5), (0, 1, -0.75) and the triangles 0 1 2, 0 2 3.
static const char POSITIONS[] =
    "oAAAATMAAAD//wEzAAAAfn0AAAEMAAAA/wEMAAAAfgAAAT8AAAD//4ABOwAAAHz/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
static const char FILTERED[] =  // by encodeFilterExp() with 15 bits
    "oAABMwAAAEA/AAEgAAAAAAEMAAAAQAABCAAAAAABMwAAAECfAQEAAAABGAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA8gAAAPIAAADy";
static const char TRIANGLES[] = "4fAAAHaHVmd4qYZliWiYAWkAAA==";
static const char INDICES[] = "0QAEBAYIBAAAAAA=";

static byte_block make_file(bool filtered, bool sequence) {
  byte_block binary = {.size = 0};
  put_base64(&binary, filtered ? FILTERED : POSITIONS);
  int vertex_size = (int)binary.size;
  put_base64(&binary, sequence ? INDICES : TRIANGLES);
  int index_size = (int)binary.size - vertex_size;
  char json[2048];
  snprintf(
      json, sizeof json,
      "{\"asset\":{\"version\":\"2.0\"},\"extensionsUsed\":[\"EXT_meshopt_compression\"],"
      "\"extensionsRequired\":[\"EXT_meshopt_compression\"],\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
      "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"
      "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
      "{\"bufferView\":1,\"componentType\":5125,\"count\":6,\"type\":\"SCALAR\"}],\"bufferViews\":["
      "{\"buffer\":1,\"byteLength\":48,\"byteStride\":12,\"extensions\":{\"EXT_meshopt_compression\":{\"buffer\":0,"
      "\"byteLength\":%d,\"byteStride\":12,\"count\":4,\"mode\":\"ATTRIBUTES\",\"filter\":\"%s\"}}},"
      "{\"buffer\":1,\"byteOffset\":48,\"byteLength\":24,\"extensions\":{\"EXT_meshopt_compression\":{\"buffer\":0,"
      "\"byteOffset\":%d,\"byteLength\":%d,\"byteStride\":4,\"count\":6,\"mode\":\"%s\"}}}],"
      "\"buffers\":[{\"byteLength\":%d},{\"byteLength\":72,\"extensions\":{\"EXT_meshopt_compression\":{"
      "\"fallback\":true}}}]}",
      vertex_size, filtered ? "EXPONENTIAL" : "NONE", vertex_size, index_size, sequence ? "INDICES" : "TRIANGLES",
      vertex_size + index_size);
  return make_glb(json, &binary);
}

static void check_mesh(const pl_mesh *mesh, double tolerance) {
  static const pl_vec3 wanted[4] = {{0, 0, 0}, {1, 0, 0.25}, {1, 1, 0.5}, {0, 1, -0.75}};
  static const int32_t corners[2][3] = {{0, 1, 2}, {0, 2, 3}};
  pl_mesh_view view = pl_mesh_get_view(mesh);
  assert_int_equal(view.point_count, 4);
  assert_int_equal(view.triangle_count, 2);
  for (int i = 0; i < 4; ++i) check_near(pl_vec3_distance(view.points[i], wanted[i]), 0, tolerance);
  // The format may turn the corners of a triangle around.
  for (int t = 0; t < 2; ++t) {
    int turn = 0;
    while (turn < 3 && view.triangles[3 * t + turn] != corners[t][0]) ++turn;
    for (int i = 0; i < 3; ++i) assert_int_equal(view.triangles[3 * t + (turn + i) % 3], corners[t][i]);
  }
}

static void compressed_views_are_unpacked(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int kind = 0; kind < 4; ++kind) {
    byte_block file = make_file(kind % 2 == 1, kind >= 2);
    pl_mesh *mesh = NULL;
    pl_error error = {0};
    pl_status status = pl_gltf_read(context, file.data, file.size, "t.glb", NULL, &mesh, NULL, &error);
    if (!pl_meshopt_is_there()) {
      assert_int_equal(status, PL_ERROR_UNSUPPORTED);
      assert_non_null(strstr(error.text, "export without compression"));
      assert_non_null(strstr(error.text, "libmeshoptimizer-dev"));
      continue;
    }
    check_ok(status, &error);
    check_mesh(mesh, kind % 2 == 1 ? 1e-4 : 0);
    pl_mesh_destroy(mesh);
  }
  drop_context(context);
}

static void a_copy_is_not_compressed(void **state) {
  (void)state;
  if (!pl_meshopt_is_there()) skip();
  pl_context *context = make_context(1);
  char folder[] = "/tmp/pliant-meshopt-XXXXXX", from[64], to[64], text[4096] = "";
  assert_non_null(mkdtemp(folder));
  snprintf(from, sizeof from, "%s/in.glb", folder);
  snprintf(to, sizeof to, "%s/out.glb", folder);
  byte_block block = make_file(true, false);
  FILE *file = fopen(from, "wb");
  assert_int_equal(fwrite(block.data, 1, block.size, file), block.size);
  fclose(file);
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_file_copy_gltf(context, from, to, 1, &error), &error);
  check_ok(pl_mesh_load(context, to, &mesh, NULL, &error), &error);
  check_mesh(mesh, 1e-4);
  file = fopen(to, "rb");
  assert_true(fread(text, 1, sizeof text - 1, file) > 20);
  fclose(file);
  assert_null(strstr(text + 20, "meshopt"));
  unlink(from);
  unlink(to);
  rmdir(folder);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void damaged_bytes_never_crash(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int kind = 0; kind < 4; ++kind) {
    byte_block whole = make_file(kind % 2 == 1, kind >= 2);
    for (size_t at = 20; at < whole.size; ++at) {
      byte_block file = whole;
      file.data[at] ^= 0x55;
      pl_mesh *mesh = NULL;
      pl_error error = {0};
      pl_status status = pl_gltf_read(context, file.data, file.size, "t.glb", NULL, &mesh, NULL, &error);
      assert_true((status < 0) == (mesh == NULL));
      pl_mesh_destroy(mesh);
    }
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(compressed_views_are_unpacked),
      cmocka_unit_test(a_copy_is_not_compressed),
      cmocka_unit_test(damaged_bytes_never_crash),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
