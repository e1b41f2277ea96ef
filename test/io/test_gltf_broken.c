// glTF files that lie, are cut off or cannot be read here: each is refused with the place and the reason, and nothing
// is leaked.
// ctest: unit
#define _GNU_SOURCE
#include "check.h"

#include <unistd.h>

#include "base/random.h"
#include "fixtures/gltf_bytes.h"
#include "io/gltf.h"

static const char json[] =
    "{\"asset\":{\"version\":\"2.0\"},\n"
    "\"extensionsUsed\":[],\"extensionsRequired\":[],\n"
    "\"buffers\":[{\"byteLength\":96}],\n"
    "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":48},{\"buffer\":0,\"byteOffset\":48,\"byteLength\":"
    "12},\n"
    "{\"buffer\":0,\"byteOffset\":60,\"byteLength\":4},{\"buffer\":0,\"byteOffset\":64,\"byteLength\":24}],\n"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},\n"
    "{\"bufferView\":1,\"componentType\":5123,\"count\":6,\"type\":\"SCALAR\"},\n"
    "{\"componentType\":5126,\"count\":4,\"type\":\"VEC3\",\"sparse\":{\"count\":2,\"indices\":{\"bufferView\":2,"
    "\"componentType\":"
    "5123},"
    "\"values\":{\"bufferView\":3}}}],\n"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,\"targets\":[{\"POSITION\":2}],"
    "\"mode\":4}]}],\n"
    "\"nodes\":[{\"mesh\":0,\"rotation\":[0,0,0,1]},{\"children\":[0]}],\n"
    "\"scenes\":[{\"nodes\":[1]}],\"scene\":0}";

static byte_block make_binary(void) {
  byte_block binary = {.size = 0};
  put_f32s(&binary, (float[]){0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, 12);
  static const int corners[] = {0, 1, 2, 0, 2, 3};
  for (int i = 0; i < 6; ++i) put_u16(&binary, corners[i]);
  put_u16(&binary, 1);
  put_u16(&binary, 3);
  put_f32s(&binary, (float[]){0, 0, 1, 0, 0, 2}, 6);
  put_f32s(&binary, (float[]){0, 0}, 2);
  return binary;
}

// `json` with the first `from` replaced by `to`.
static void replaced(const char *from, const char *to, char *text, size_t size) {
  const char *at = strstr(json, from);
  if (at == NULL) fail_msg("the test's text does not hold %s", from);
  snprintf(text, size, "%.*s%s%s", (int)(at - json), json, to, at + strlen(from));
}

typedef struct lie {
  const char *from, *to, *says;
  pl_status status;
} lie;

static const lie lies[] = {
    {"\"version\":\"2.0\"", "\"version\":\"1.0\"", "glTF version 1.0", PL_ERROR_UNSUPPORTED},
    {"\"version\":\"2.0\"", "\"x\":1", "asset.version is missing", PL_ERROR_INVALID_DATA},
    {"Required\":[]", "Required\":[\"ACME_odd\"]", "ACME_odd", PL_ERROR_UNSUPPORTED},
    {"{\"byteLength\":96}", "{\"byteLength\":97}", "cut off", PL_ERROR_INVALID_DATA},
    {"{\"byteLength\":96}", "{}", "byteLength is missing", PL_ERROR_INVALID_DATA},
    {"{\"byteLength\":96}", "{\"byteLength\":96,\"uri\":\"../secret.bin\"}", "not a file in the folder",
     PL_ERROR_UNSUPPORTED},
    {"{\"byteLength\":96}", "{\"byteLength\":96,\"uri\":\"a/%2e%2e/%2e%2e/b\"}", "not a file in the folder",
     PL_ERROR_UNSUPPORTED},
    {"{\"byteLength\":96}", "{\"byteLength\":96,\"uri\":\"/etc/passwd\"}", "not a file in the folder",
     PL_ERROR_UNSUPPORTED},
    {"{\"byteLength\":96}", "{\"byteLength\":96,\"uri\":\"https://a.b/c.bin\"}", "not a file in the folder",
     PL_ERROR_UNSUPPORTED},
    {"{\"byteLength\":96}", "{\"byteLength\":96,\"uri\":\"C:\\\\x.bin\"}", "not a file in the folder",
     PL_ERROR_UNSUPPORTED},
    {"{\"byteLength\":96}", "{\"byteLength\":96,\"uri\":\"x.bin\"}", "no folder", PL_ERROR_NOT_FOUND},
    {"{\"byteLength\":96}", "{\"byteLength\":6,\"uri\":\"data:;base64,AAAA*AAA\"}", "none of its 64",
     PL_ERROR_INVALID_DATA},
    {"{\"byteLength\":96}", "{\"byteLength\":6,\"uri\":\"data:text/plain,AAAA\"}", "base64", PL_ERROR_UNSUPPORTED},
    {"\"byteOffset\":0,\"byteLength\":48", "\"byteOffset\":60,\"byteLength\":48", "the buffer has 96",
     PL_ERROR_INVALID_DATA},
    {"\"byteOffset\":0,\"byteLength\":48", "\"byteOffset\":9007199254740991,\"byteLength\":9007199254740991",
     "the buffer has 96", PL_ERROR_INVALID_DATA},
    {"\"byteOffset\":0,\"byteLength\":48", "\"byteOffset\":-4,\"byteLength\":48", "an integer from 0",
     PL_ERROR_INVALID_DATA},
    {"\"byteOffset\":0,\"byteLength\":48", "\"byteStride\":8,\"byteLength\":48", "byteStride 8", PL_ERROR_INVALID_DATA},
    {"\"byteOffset\":0,\"byteLength\":48", "\"byteStride\":16,\"byteLength\":48", "need 60 bytes",
     PL_ERROR_INVALID_DATA},
    {"\"buffer\":0,\"byteOffset\":0", "\"buffer\":7,\"byteOffset\":0", "no object buffers[7]", PL_ERROR_INVALID_DATA},
    {"\"count\":4", "\"count\":5", "need 60 bytes", PL_ERROR_INVALID_DATA},
    {"\"count\":4", "\"count\":2147483647", "elements need", PL_ERROR_INVALID_DATA},
    {"\"count\":4", "\"count\":4.5", "an integer", PL_ERROR_INVALID_DATA},
    {"\"count\":4", "\"count\":3", "its mesh 3", PL_ERROR_INVALID_DATA},
    {"\"count\":4,\"type\":\"VEC3\"", "\"count\":4,\"type\":\"VEC2\"", "VEC3", PL_ERROR_INVALID_DATA},
    {"\"count\":4,\"type\":\"VEC3\"", "\"count\":4,\"type\":\"MAT4\"", "SCALAR, VEC2", PL_ERROR_INVALID_DATA},
    {"\"componentType\":5126,", "\"componentType\":5124,", "componentType", PL_ERROR_INVALID_DATA},
    {"{\"bufferView\":0,\"componentType", "{\"componentType", "without compression", PL_ERROR_INVALID_DATA},
    {"{\"bufferView\":0,\"componentType", "{\"byteOffset\":49,\"bufferView\":0,\"componentType", "lies outside",
     PL_ERROR_INVALID_DATA},
    {"5123,\"count\":6", "5122,\"count\":6", "unsigned", PL_ERROR_INVALID_DATA},
    {"5123,\"count\":6", "5123,\"count\":5", "do not make triangles", PL_ERROR_INVALID_DATA},
    {"5126,\"count\":4,\"type\":\"VEC3\",\"sparse\"", "5126,\"count\":5,\"type\":\"VEC3\",\"sparse\"", "its mesh 4",
     PL_ERROR_INVALID_DATA},
    {"5126,\"count\":4,\"type\":\"VEC3\",\"sparse\"", "5126,\"count\":3,\"type\":\"VEC3\",\"sparse\"", "its mesh 4",
     PL_ERROR_INVALID_DATA},
    {"\"sparse\":{\"count\":2", "\"sparse\":{\"count\":5", "from 1 to 4", PL_ERROR_INVALID_DATA},
    {"\"sparse\":{\"count\":2", "\"sparse\":{\"count\":3", "cut off", PL_ERROR_INVALID_DATA},
    {"\"bufferView\":2,\"componentType\":5123", "\"bufferView\":2,\"componentType\":5126", "from 5121 to 5125",
     PL_ERROR_INVALID_DATA},
    {"\"indices\":{\"bufferView\":2", "\"indices\":{\"byteOffset\":12,\"bufferView\":0", "replaces element",
     PL_ERROR_INVALID_DATA},
    {"\"POSITION\":0", "\"POSITION\":9", "no object accessors[9]", PL_ERROR_INVALID_DATA},
    {"\"POSITION\":0", "\"POSITION\":-1", "no object accessors[-1]", PL_ERROR_INVALID_DATA},
    {"\"POSITION\":0", "\"POSITION\":\"0\"", "index of one of", PL_ERROR_INVALID_DATA},
    {"\"POSITION\":0", "\"NORMAL\":0", "no attribute POSITION", PL_ERROR_INVALID_DATA},
    {"\"mode\":4", "\"mode\":0", "cloud of points", PL_ERROR_UNSUPPORTED},
    {"\"mode\":4", "\"mode\":7", "from 0 to 6", PL_ERROR_INVALID_DATA},
    {"\"children\":[0]", "\"children\":[0,1]", "cycle", PL_ERROR_INVALID_DATA},
    {"\"children\":[0]", "\"children\":[0,0]", "second time", PL_ERROR_INVALID_DATA},
    {"\"rotation\"", "\"children\":[1],\"rotation\"", "cycle", PL_ERROR_INVALID_DATA},
    {"\"rotation\":[0,0,0,1]", "\"rotation\":[0,0,0,0]", "no rotation", PL_ERROR_INVALID_DATA},
    {"\"rotation\":[0,0,0,1]", "\"rotation\":[0,0,1]", "4 numbers", PL_ERROR_INVALID_DATA},
    {"\"rotation\":[0,0,0,1]", "\"scale\":[1e300,1e300,1e300],\"translation\":[1e308,1e308,1e308]", "", PL_OK},
    {"\"mesh\":0", "\"camera\":0", "no node of the default scene", PL_ERROR_INVALID_DATA},
    {"\"mesh\":0", "\"mesh\":1", "no object meshes[1]", PL_ERROR_INVALID_DATA},
    {"\"scene\":0", "\"scene\":1", "no object scenes[1]", PL_ERROR_INVALID_DATA},
    {"\"meshes\"", "\"messes\"", "no mesh", PL_ERROR_INVALID_DATA},
    {"\"byteOffset\":48,\"byteLength\":12", "\"byteOffset\":68,\"byteLength\":12", "there are 4 vertices",
     PL_ERROR_INVALID_DATA},
    {"\"primitives\":[{", "\"primitives\":{\"a\":[{", "is expected", PL_ERROR_INVALID_DATA},
};

static void every_lie_is_found_and_named(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  byte_block binary = make_binary();
  for (size_t i = 0; i < sizeof lies / sizeof lies[0]; ++i) {
    char text[4096];
    replaced(lies[i].from, lies[i].to, text, sizeof text);
    byte_block file = make_glb(text, &binary);
    pl_mesh *mesh = NULL;
    pl_error error = {0};
    pl_status status = pl_gltf_read(context, file.data, file.size, "t.glb", NULL, &mesh, NULL, &error);
    if (status != lies[i].status)
      fail_msg("%s -> %s: %s: %s", lies[i].from, lies[i].to, pl_status_text(status), error.text);
    assert_int_equal(mesh != NULL, status == PL_OK);
    if (status < 0 && strstr(error.text, lies[i].says) == NULL)
      fail_msg("%s -> %s: '%s' does not say '%s'", lies[i].from, lies[i].to, error.text, lies[i].says);
    if (status < 0) assert_string_equal(error.file, "t.glb");
    if (status < 0) assert_true(error.line > 0 && error.column > 0);
    pl_mesh_destroy(mesh);
  }
  drop_context(context);
}

static void the_error_names_line_and_field(void **state) {
  (void)state;
  char text[4096];
  replaced("\"count\":4", "\"count\":5", text, sizeof text);
  byte_block binary = make_binary(), file = make_glb(text, &binary);
  pl_context *context = make_context(1);
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  assert_int_equal(pl_gltf_read(context, file.data, file.size, "t.glb", NULL, &mesh, NULL, &error),
                   PL_ERROR_INVALID_DATA);
  assert_int_equal(error.line, 6);
  assert_string_equal(error.field, "accessors[0]");
  drop_context(context);
}

static void coordinates_that_are_not_finite_are_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int where = 0; where < 2; ++where) {
    byte_block binary = make_binary();
    memcpy(binary.data + (where == 0 ? 16 : 64), "\0\0\xC0\x7F", 4);
    byte_block file = make_glb(json, &binary);
    pl_mesh *mesh = NULL;
    pl_error error = {0};
    assert_int_equal(pl_gltf_read(context, file.data, file.size, "t.glb", NULL, &mesh, NULL, &error),
                     PL_ERROR_INVALID_DATA);
    assert_non_null(strstr(error.text, "vertex 1 is not finite"));
  }
  drop_context(context);
}

static void files_next_to_it_must_be_there_and_whole(void **state) {
  (void)state;
  char text[4096], folder[] = "/tmp/pliant_gltf_XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/x.bin", folder);
  replaced("{\"byteLength\":96}", "{\"byteLength\":96,\"uri\":\"x.bin\"}", text, sizeof text);
  pl_context *context = make_context(1);
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  assert_int_equal(pl_gltf_read(context, text, strlen(text), "t.gltf", folder, &mesh, NULL, &error),
                   PL_ERROR_NOT_FOUND);
  assert_string_equal(error.field, "buffers[0].uri");
  byte_block binary = make_binary();
  for (size_t size = 95; size <= 96; ++size) {
    FILE *file = fopen(path, "wb");
    fwrite(binary.data, 1, size, file);
    fclose(file);
    pl_status status = pl_gltf_read(context, text, strlen(text), "t.gltf", folder, &mesh, NULL, &error);
    assert_int_equal(status, size == 96 ? PL_OK : PL_ERROR_INVALID_DATA);
  }
  pl_mesh_destroy(mesh);
  drop_context(context);
  unlink(path);
  rmdir(folder);
}

// Old exporters pad the JSON chunk with zeros; further chunks belong to extensions and are passed over.
static void zero_padding_and_unknown_chunks_are_passed_over(void **state) {
  (void)state;
  byte_block binary = make_binary(), file = make_glb(json, &binary);
  size_t json_end = 20 + (strlen(json) + 3) / 4 * 4;
  for (size_t i = json_end; i > 20 && file.data[i - 1] == ' '; --i) file.data[i - 1] = 0;
  put_u32(&file, 4);
  put_u32(&file, 0x21212121);
  put_u32(&file, 7);
  for (int i = 0; i < 4; ++i) file.data[8 + i] = (unsigned char)(file.size >> (8 * i));
  pl_context *context = make_context(1);
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  check_ok(pl_gltf_read(context, file.data, file.size, "t.glb", NULL, &mesh, NULL, &error), &error);
  assert_int_equal(pl_mesh_get_view(mesh).triangle_count, 2);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void patch_u32(byte_block *file, size_t at, size_t value) {
  for (int i = 0; i < 4; ++i) file->data[at + (size_t)i] = (unsigned char)(value >> (8 * i));
}

// Cut at every byte: as it is, and with the header's total made to agree so that the deeper checks are reached. The
// bytes are copied to a block of exactly their size, so that the address sanitizer sees a read behind them.
static void every_truncation_is_refused(void **state) {
  (void)state;
  byte_block binary = make_binary(), whole = make_glb(json, &binary);
  pl_context *context = make_context(1);
  for (size_t size = 0; size < whole.size; ++size) {
    for (int agree = 0; agree < 2; ++agree) {
      byte_block cut = whole;
      if (agree) patch_u32(&cut, 8, size);
      unsigned char *exact = malloc(size > 0 ? size : 1);
      memcpy(exact, cut.data, size);
      pl_mesh *mesh = NULL;
      pl_error error = {0};
      pl_status status = pl_gltf_read(context, exact, size, "t.glb", NULL, &mesh, NULL, &error);
      assert_true(status < 0);
      assert_null(mesh);
      assert_true(error.text[0] != '\0');
      free(exact);
    }
  }
  // A chunk that claims more than the file has.
  byte_block longer = whole;
  patch_u32(&longer, 12, 0xFFFFFFF0u);
  pl_mesh *mesh = NULL;
  assert_int_equal(pl_gltf_read(context, longer.data, longer.size, "t.glb", NULL, &mesh, NULL, NULL),
                   PL_ERROR_INVALID_DATA);
  drop_context(context);
}

static void random_damage_never_crashes(void **state) {
  (void)state;
  byte_block binary = make_binary(), whole = make_glb(json, &binary);
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(3);
  int read_count = 0;
  for (int round = 0; round < 3000; ++round) {
    byte_block damaged = whole;
    int count = 1 + (int)(pl_random_u32(&random) % 3);
    for (int i = 0; i < count; ++i) {
      size_t at = 20 + pl_random_u32(&random) % (whole.size - 20);
      bool in_text = at < 20 + strlen(json);
      damaged.data[at] = in_text ? (unsigned char)"0123456789,]}\""[pl_random_u32(&random) % 14]
                                 : (unsigned char)pl_random_u32(&random);
    }
    pl_mesh *mesh = NULL;
    read_count += pl_gltf_read(context, damaged.data, damaged.size, "t.glb", NULL, &mesh, NULL, NULL) == PL_OK;
    pl_mesh_destroy(mesh);
  }
  assert_true(read_count > 0);
  drop_context(context);
}

// A few hundred bytes of JSON must not be able to ask for gigabytes.
static void small_files_cannot_ask_for_much_memory(void **state) {
  (void)state;
  char text[40000];
  snprintf(text, sizeof text,
           "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":16}],\"bufferViews\":[{\"buffer\":0,"
           "\"byteLength\":16}],"
           "\"accessors\":[{\"componentType\":5126,\"count\":2000000000,\"type\":\"VEC3\",\"sparse\":{\"count\":1,"
           "\"indices\":"
           "{\"bufferView\":0,\"componentType\":5121},\"values\":{\"bufferView\":0}}}],"
           "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}");
  byte_block binary = {.size = 16}, file = make_glb(text, &binary);
  pl_context *context = make_context(1);
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  assert_int_equal(pl_gltf_read(context, file.data, file.size, "t.glb", NULL, &mesh, NULL, &error),
                   PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "thousand times"));
  drop_context(context);
}

static void every_failed_allocation_is_survived(void **state) {
  (void)state;
  char text[4096];
  replaced("\"mesh\":0", "\"skin\":0,\"mesh\":0", text, sizeof text);
  byte_block binary = make_binary(), file = make_glb(text, &binary);
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  for (int64_t n = 1;; ++n) {
    pl_findings *findings = NULL;
    pl_error error = {0};
    check_ok(pl_findings_create(context, &findings, &error), &error);
    allocator.fail_at = allocator.call_count + n;
    pl_mesh *mesh = NULL;
    pl_status status = pl_gltf_read(context, file.data, file.size, "t.glb", NULL, &mesh, findings, &error);
    bool failed = allocator.call_count >= allocator.fail_at;
    allocator.fail_at = 0;
    assert_int_equal(status, failed ? PL_ERROR_OUT_OF_MEMORY : PL_OK);
    assert_int_equal(mesh == NULL, failed);
    pl_findings_destroy(findings);
    pl_mesh_destroy(mesh);
    assert_int_equal(pl_context_get_memory_report(context).block_count, 0);
    if (!failed) break;
    assert_true(n < 1000);
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_lie_is_found_and_named),
      cmocka_unit_test(the_error_names_line_and_field),
      cmocka_unit_test(coordinates_that_are_not_finite_are_refused),
      cmocka_unit_test(files_next_to_it_must_be_there_and_whole),
      cmocka_unit_test(zero_padding_and_unknown_chunks_are_passed_over),
      cmocka_unit_test(every_truncation_is_refused),
      cmocka_unit_test(random_damage_never_crashes),
      cmocka_unit_test(small_files_cannot_ask_for_much_memory),
      cmocka_unit_test(every_failed_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
