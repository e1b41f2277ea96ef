// Characters that cannot be meant: each is refused with the names of what is wrong, and nothing is leaked.
// ctest: unit
#define _GNU_SOURCE
#include <unistd.h>

#include "base/random.h"
#include "fixtures/character_file.h"

#define NODES                                                                                                         \
  "\"nodes\":[{\"name\":\"root\",\"children\":[1]},{\"name\":\"neck\",\"children\":[2,5],\"translation\":[0,1,0]},"   \
  "{\"name\":\"ear1\",\"children\":[3],\"rotation\":[0,0,0,1]},{\"name\":\"ear2\",\"children\":[4],\"translation\":[" \
  "0,0.1,0]},"                                                                                                        \
  "{\"name\":\"ear3\",\"translation\":[0,0.1,0]},{\"name\":\"face\",\"mesh\":0,\"skin\":0}]"
#define MESH                                                                                                     \
  "\"skins\":[{\"name\":\"bones\",\"joints\":[1,2],\"inverseBindMatrices\":3}],\"meshes\":[{\"name\":\"skull\"," \
  "\"primitives\":[{"                                                                                            \
  "\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2},\"targets\":[{\"POSITION\":0}]}]}]"
#define ANIMATION                                                                \
  "\"animations\":[{\"name\":\"nod\",\"samplers\":[{\"input\":4,\"output\":5}]," \
  "\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}}]}]"
#define SPRINGS                                                                                                        \
  "\"VRMC_springBone\":{\"specVersion\":\"1.0\",\"colliders\":[{\"node\":1,\"shape\":{\"sphere\":{\"radius\":0.1}}}]," \
  "\"colliderGroups\":[{\"colliders\":[0]}],\"springs\":[{\"name\":\"ear\",\"center\":0,\"colliderGroups\":[0],"       \
  "\"joints\":[{\"node\":2,\"stiffness\":1},{\"node\":3},{\"node\":4}]}]}"
#define OURS                                                                                                      \
  "\"PLIANT_rod_examples\":{\"specVersion\":\"1.0\",\"chains\":[{\"root\":2,\"examples\":[{\"name\":\"left\","    \
  "\"direction\":[1,0,"                                                                                           \
  "0],"                                                                                                           \
  "\"extent\":0.7,\"joints\":[{\"node\":3,\"rotation\":[0,0,1,0]}]},{\"name\":\"right\"}]}],\"rod\":{\"solver\":" \
  "\"matched\","                                                                                                  \
  "\"width\":2},"                                                                                                 \
  "\"joints\":[{\"node\":3,\"radius\":0.1}],\"links\":[[2,4]]}"

static const char whole[] = NODES "," MESH "," ANIMATION ",\"extensions\":{" SPRINGS "," OURS "}";

static const float no_number = (float)NAN;

typedef struct numbers {
  float times[3], rotations[12], inverse[32], weights[12];
  int joints[12];
} numbers;

static numbers usual_numbers(void) {
  return (numbers){
      .times = {0, 1, 2},
      .rotations = {0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1},
      .inverse = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
      .weights = {1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 1, 0, 0, 0},
      .joints = {0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0}};
}

static byte_block make_bytes(const char *text, const numbers *n) {
  character_file file = {.accessor_count = 0};
  add_floats(&file, (float[]){0, 0, 0, 1, 0, 0, 0, 1, 0}, 3, 3, "VEC3");
  add_bytes(&file, n->joints, 3, 4, false);
  add_floats(&file, n->weights, 3, 4, "VEC4");
  add_floats(&file, n->inverse, 2, 16, "MAT4");
  add_floats(&file, n->times, 3, 1, "SCALAR");
  add_floats(&file, n->rotations, 3, 4, "VEC4");
  return finish_file(&file, text);
}

static void replaced(const char *from, const char *to, char *text, size_t size) {
  const char *at = strstr(whole, from);
  if (at == NULL) fail_msg("the test's text does not hold %s", from);
  snprintf(text, size, "%.*s%s%s", (int)(at - whole), whole, to, at + strlen(from));
}

static void check_refused(pl_context *context, const byte_block *bytes, const char *about, const char *says,
                          const char *name) {
  pl_character *character = NULL;
  pl_error error = {0};
  pl_status status = pl_character_load_memory(context, &(pl_memory_source){bytes->data, bytes->size, "t.glb", NULL},
                                              &character, NULL, &error);
  if (status != PL_ERROR_INVALID_DATA && status != PL_ERROR_UNSUPPORTED)
    fail_msg("%s: %s: %s", about, pl_status_text(status), error.text);
  assert_null(character);
  if (strstr(error.text, says) == NULL) fail_msg("%s: '%s' does not say '%s'", about, error.text, says);
  if (strstr(error.text, name) == NULL) fail_msg("%s: '%s' does not name '%s'", about, error.text, name);
  assert_string_equal(error.file, "t.glb");
  assert_true(error.line > 0 && error.column > 0);
}

typedef struct lie {
  const char *from, *to, *says, *name;
} lie;

static const lie lies[] = {
    // Hierarchy.
    {"\"children\":[4],", "\"children\":[4,2],", "two parents", "\"ear1\""},
    {"\"name\":\"ear3\",", "\"name\":\"ear3\",\"children\":[0],", "cycle", "\"ear3\""},
    {"\"children\":[1]", "\"children\":[1,17]", "no node 17", "\"root\""},
    {"\"children\":[1]", "\"children\":1", "array", "\"root\""},
    {"\"rotation\":[0,0,0,1]", "\"rotation\":[0,0,0,0]", "no length", "\"ear1\""},
    {"\"rotation\":[0,0,0,1]", "\"rotation\":[0,0,1]", "4 finite numbers", "\"ear1\""},
    {"\"translation\":[0,1,0]", "\"translation\":[0,1e308,0],\"scale\":[1e308,1e308,1e308]", "too large", "\"neck\""},
    {"\"translation\":[0,1,0]", "\"matrix\":[1,2]", "16 finite numbers", "\"neck\""},
    // Skins.
    {"\"skin\":0", "\"skin\":4", "no skin 4", "\"face\""},
    {"\"mesh\":0,\"skin\":0", "\"mesh\":0", "skin is missing", "\"skull\""},
    {"\"joints\":[1,2]", "\"joints\":[1,22]", "no node 22", "\"bones\""},
    {"\"joints\":[1,2]", "\"joints\":[]", "no joints", "\"bones\""},
    {"\"joints\":[1,2]", "\"joints\":[1]", "hangs on joint 1", "\"skull\""},
    {"\"joints\":[1,2]", "\"joints\":[1,2,3]", "3 joints, but 2", "\"bones\""},
    {"\"inverseBindMatrices\":3", "\"inverseBindMatrices\":0", "MAT4", ""},
    {",\"WEIGHTS_0\":2", "", "no JOINTS_0 and WEIGHTS_0", "\"skull\""},
    {"\"WEIGHTS_0\":2", "\"WEIGHTS_0\":2,\"JOINTS_1\":1", "belong together", "\"skull\""},
    {"\"JOINTS_0\":1", "\"JOINTS_0\":2", "unsigned bytes", "\"skull\""},
    {"\"WEIGHTS_0\":2", "\"WEIGHTS_0\":1", "floats or normalized", "\"skull\""},
    // Animations.
    {"\"node\":2,\"path\"", "\"node\":9,\"path\"", "no node 9", "\"nod\""},
    {"{\"sampler\":0", "{\"sampler\":1", "no sampler 1", "\"ear1\""},
    {"\"input\":4", "\"input\":0", "single floats", "\"nod\""},
    {"\"output\":5", "\"output\":0", "4 components", "\"ear1\""},
    {"\"input\":4,\"output\":5", "\"input\":4,\"output\":5,\"interpolation\":\"CUBICSPLINE\"", "need 9 values",
     "\"nod\""},
    {"\"input\":4,\"output\":5", "\"input\":4,\"output\":5,\"interpolation\":\"SMOOTH\"", "CUBICSPLINE", "\"nod\""},
    {"\"input\":4,\"output\":5", "\"output\":5", "input and output", "\"nod\""},
    // Springs.
    {"{\"node\":3},{\"node\":4}", "{\"node\":33}", "no node 33", "\"ear\""},
    {"{\"node\":3},{\"node\":4}", "{\"stiffness\":1}", "names no node", "\"ear\""},
    {"\"stiffness\":1}", "\"stiffness\":\"a\"}", "finite number", "\"ear\""},
    {"\"colliderGroups\":[0]", "\"colliderGroups\":[1]", "no collider group 1", "\"ear\""},
    {"{\"colliders\":[0]}", "{\"colliders\":[5]}", "no collider 5", "\"ear\""},
    {"\"center\":0", "\"center\":60", "no node 60", "\"ear\""},
    {"{\"radius\":0.1}", "{\"radius\":-1}", "negative radius", "collider 0"},
    {"{\"sphere\":{\"radius\":0.1}}", "{\"cube\":{}}", "no sphere and no capsule", "collider 0"},
    // Examples.
    {"\"PLIANT_rod_examples\":{\"specVersion\":\"1.0\"", "\"PLIANT_rod_examples\":{\"specVersion\":\"2.0\"",
     "specVersion", "2.0"},
    {"\"direction\":[1,0,0]", "\"direction\":[0,0,0]", "no length", "\"left\""},
    {"\"direction\":[1,0,0],", "", "no length", "\"left\""},
    {"\"extent\":0.7", "\"extent\":-0.7", "negative extent", "\"left\""},
    {"\"root\":2", "\"root\":3", "first joint of a spring", "\"left\""},
    {"\"root\":2", "\"root\":0", "first joint of a spring", "\"root\""},
    {"\"root\":2,", "", "names no root", "\"left\""},
    {"\"root\":2", "\"root\":2,\"tail\":[0,0,0]", "tail has no length", "\"left\""},
    {"{\"node\":3,\"rotation\"", "{\"node\":1,\"rotation\"", "not of this chain", "\"left\""},
    {"\"rotation\":[0,0,1,0]", "\"rotation\":[0,0,0,0]", "rotation without length", "\"left\""},
    {"\"rotation\":[0,0,1,0]}", "\"rotation\":[0,0,1,0]},{\"node\":3,\"rotation\":[0,0,0,1]}", "twice", "\"left\""},
    {",\"rotation\":[0,0,1,0]", "", "without node or rotation", "\"left\""},
    {"\"right\"", "\"left\"", "another one", "\"left\""},
    {"\"solver\":\"matched\"", "\"solver\":\"magic\"", "\"spring-bone\"", "solver"},
    {"\"width\":2", "\"width\":2.5", "integer", ""},
    {"{\"node\":3,\"radius\":0.1}", "{\"node\":77,\"radius\":0.1}", "no node 77", "joint 0"},
    {"{\"node\":3,\"radius\":0.1}", "{\"node\":3,\"radius\":-0.1}", "not be negative", "radius"},
    {"[[2,4]]", "[[2,0]]", "not of a spring", "\"root\""},
    {"[[2,4]]", "[[2]]", "pair", "link 0"},
};

static void every_lie_is_found_and_named(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  numbers n = usual_numbers();
  for (size_t i = 0; i < sizeof lies / sizeof lies[0]; ++i) {
    char text[8192];
    replaced(lies[i].from, lies[i].to, text, sizeof text);
    byte_block bytes = make_bytes(text, &n);
    check_refused(context, &bytes, lies[i].to, lies[i].says, lies[i].name);
  }
  byte_block bytes = make_bytes(whole, &n);
  pl_character_destroy(read_file(context, &bytes, NULL));
  drop_context(context);
}

static void key_frames_that_cannot_be_are_named_with_their_key(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  numbers n = usual_numbers();
  n.rotations[5] = no_number;
  byte_block bytes = make_bytes(whole, &n);
  check_refused(context, &bytes, "NaN value", "key 1 is not finite", "animation \"nod\", node \"ear1\", rotation");
  n = usual_numbers();
  n.times[2] = no_number;
  bytes = make_bytes(whole, &n);
  check_refused(context, &bytes, "NaN time", "time of key 2 is not finite", "node \"ear1\"");
  n = usual_numbers();
  n.times[1] = 2;
  bytes = make_bytes(whole, &n);
  check_refused(context, &bytes, "times", "time of key 2 is not after", "animation \"nod\"");
  n = usual_numbers();
  n.rotations[6] = 0;
  bytes = make_bytes(whole, &n);
  check_refused(context, &bytes, "zero rotation", "key 1 has (almost) no length", "node \"ear1\"");
  n = usual_numbers();
  n.inverse[18] = no_number;
  bytes = make_bytes(whole, &n);
  check_refused(context, &bytes, "inverse", "matrix of joint 1 is not finite", "skin \"bones\"");
  n = usual_numbers();
  n.weights[4] = -1;
  bytes = make_bytes(whole, &n);
  check_refused(context, &bytes, "weight", "weight of vertex 1 is negative", "mesh \"skull\" of node \"face\"");
  drop_context(context);
}

static void unknown_keys_of_ours_are_warned_of(void **state) {
  (void)state;
  static const char *const positions[][2] = {{"\"extent\":0.7", "\"extent\":0.7,\"extend\":1"},
                                             {"\"width\":2", "\"width\":2,\"with\":1"},
                                             {"\"radius\":0.1}]", "\"radius\":0.1,\"radios\":1}]"},
                                             {"\"links\"", "\"lynx\":1,\"links\""},
                                             {"\"root\":2", "\"root\":2,\"rot\":1"},
                                             {"\"rotation\":[0,0,1,0]", "\"rotation\":[0,0,1,0],\"turn\":1"}};
  pl_context *context = make_context(1);
  numbers n = usual_numbers();
  for (size_t i = 0; i < sizeof positions / sizeof positions[0]; ++i) {
    char text[8192];
    replaced(positions[i][0], positions[i][1], text, sizeof text);
    byte_block bytes = make_bytes(text, &n);
    pl_findings *findings = NULL;
    pl_findings_create(context, &findings, NULL);
    pl_character *character = read_file(context, &bytes, findings);
    if (!has_finding(findings, "unknown-key")) fail_msg("%s: no finding", positions[i][1]);
    pl_character_destroy(character);
    pl_findings_destroy(findings);
  }
  drop_context(context);
}

static void numbers_of_a_node_that_does_not_sway_are_warned_of(void **state) {
  (void)state;
  char text[8192];
  replaced("{\"node\":3,\"radius\":0.1}", "{\"node\":0,\"radius\":0.1}", text, sizeof text);
  numbers n = usual_numbers();
  byte_block bytes = make_bytes(text, &n);
  pl_context *context = make_context(1);
  pl_findings *findings = NULL;
  pl_findings_create(context, &findings, NULL);
  pl_character *character = read_file(context, &bytes, findings);
  assert_true(has_finding(findings, "idle-joint"));
  pl_character_rig *rig = NULL;
  pl_error error = {0};
  check_ok(pl_character_rig_create(character, &rig, &error), &error);
  pl_character_rig_destroy(rig);
  pl_character_destroy(character);
  pl_findings_destroy(findings);
  drop_context(context);
}

static void files_next_to_it_are_found_only_from_a_path(void **state) {
  (void)state;
  char folder[] = "/tmp/pliant_character_XXXXXX", path[64], buffer[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/a.gltf", folder);
  snprintf(buffer, sizeof buffer, "%s/a.bin", folder);
  static const char text[] =
      "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"a.bin\"}],\"bufferViews\":[{"
      "\"buffer\":0,"
      "\"byteLength\":36}],"
      "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],\"nodes\":[{\"mesh\":0}]"
      ","
      "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}";
  static const float points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  FILE *file = fopen(path, "wb");
  fwrite(text, 1, sizeof text - 1, file);
  fclose(file);
  file = fopen(buffer, "wb");
  fwrite(points, 1, sizeof points, file);
  fclose(file);
  pl_context *context = make_context(1);
  pl_character *character = NULL;
  pl_error error = {0};
  check_ok(pl_character_load(context, path, &character, NULL, &error), &error);
  assert_int_equal(pl_mesh_get_view(pl_character_get_view(character).surface).point_count, 3);
  pl_character_destroy(character);
  assert_int_equal(pl_character_load_memory(context, &(pl_memory_source){text, sizeof text - 1, "a.gltf", NULL},
                                            &character, NULL, &error),
                   PL_ERROR_NOT_FOUND);
  assert_null(character);
  assert_int_equal(pl_character_load(context, "/nowhere/a.glb", &character, NULL, &error), PL_ERROR_NOT_FOUND);
  unlink(path);
  unlink(buffer);
  rmdir(folder);
  drop_context(context);
}

static void random_damage_never_crashes(void **state) {
  (void)state;
  numbers n = usual_numbers();
  byte_block whole_bytes = make_bytes(whole, &n);
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(5);
  int read_count = 0;
  size_t text_end = 0;
  for (size_t i = 0; i + 4 < whole_bytes.size; ++i)
    if (memcmp(whole_bytes.data + i, "BIN\0", 4) == 0) text_end = i - 4;
  for (int round = 0; round < 3000; ++round) {
    byte_block damaged = whole_bytes;
    int count = 1 + (int)(pl_random_u32(&random) % 3);
    for (int i = 0; i < count; ++i) {
      size_t at = 20 + pl_random_u32(&random) % (damaged.size - 20);
      damaged.data[at] = at < text_end ? (unsigned char)"0123456789,]}\""[pl_random_u32(&random) % 14]
                                       : (unsigned char)pl_random_u32(&random);
    }
    pl_character *character = NULL;
    pl_status status = pl_character_load_memory(context, &(pl_memory_source){damaged.data, damaged.size, "t.glb", NULL},
                                                &character, NULL, NULL);
    assert_int_equal(character != NULL, status >= 0);
    if (character == NULL) continue;
    read_count++;
    pl_character_rig *rig = NULL;
    if (pl_character_rig_create(character, &rig, NULL) >= 0) pl_character_rig_destroy(rig);
    pl_character_destroy(character);
  }
  assert_true(read_count > 0);
  drop_context(context);
}

static void every_failed_allocation_is_survived(void **state) {
  (void)state;
  char text[8192];
  replaced("\"width\":2", "\"width\":2,\"with\":1", text, sizeof text);
  numbers n = usual_numbers();
  byte_block bytes = make_bytes(text, &n);
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  for (int64_t at = 1;; ++at) {
    pl_findings *findings = NULL;
    pl_error error = {0};
    check_ok(pl_findings_create(context, &findings, &error), &error);
    allocator.fail_at = allocator.call_count + at;
    pl_character *character = NULL;
    pl_status status = pl_character_load_memory(context, &(pl_memory_source){bytes.data, bytes.size, "t.glb", NULL},
                                                &character, findings, &error);
    bool failed = allocator.call_count >= allocator.fail_at;
    allocator.fail_at = 0;
    assert_int_equal(status, failed ? PL_ERROR_OUT_OF_MEMORY : PL_OK);
    assert_int_equal(character == NULL, failed);
    pl_character_destroy(character);
    pl_findings_destroy(findings);
    assert_int_equal(pl_context_get_memory_report(context).block_count, 0);
    if (!failed) break;
    assert_true(at < 2000);
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_lie_is_found_and_named),
      cmocka_unit_test(numbers_of_a_node_that_does_not_sway_are_warned_of),
      cmocka_unit_test(key_frames_that_cannot_be_are_named_with_their_key),
      cmocka_unit_test(unknown_keys_of_ours_are_warned_of),
      cmocka_unit_test(files_next_to_it_are_found_only_from_a_path),
      cmocka_unit_test(random_damage_never_crashes),
      cmocka_unit_test(every_failed_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
