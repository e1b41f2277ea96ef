// Motions baked into files: the new animation puts the joints where the motion has them, and everything else in the
// file stays as it is.
//
// With the name of a folder as argument the program writes characters there for judges outside: NAME.source.glb or
// .gltf, NAME.baked.glb and NAME.json with the positions to be seen (test/tool/test_character_oracle.sh).
// ctest: unit
#define _GNU_SOURCE
#include "fixtures/character_rod.h"

#include <dirent.h>
#include <unistd.h>

#include "fixtures/character_foreign.h"
#include "io/gltf_document.h"

static int make_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/pliant_bake_XXXXXX");
  return mkdtemp(folder) == NULL ? -1 : 0;
}

static int drop_folder(void **state) {
  (void)state;
  DIR *list = opendir(folder);
  bool temporary = false;
  for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
    temporary = temporary || strstr(entry->d_name, ".tmp") != NULL;
    if (entry->d_name[0] != '.') unlink(in_folder(entry->d_name));
  }
  closedir(list);
  rmdir(folder);
  return temporary ? -1 : 0;
}

// --- files ------------------------------------------------------------------------------------------------------

typedef struct opened {
  pl_bytes bytes;
  pl_gltf gltf;
} opened;

static void open_file(pl_context *context, const char *name, opened *file) {
  pl_error error = {0};
  check_ok(pl_bytes_read(context, in_folder(name), &file->bytes, &error), &error);
  check_ok(pl_gltf_open(&file->gltf, context, file->bytes.data, file->bytes.size, name, folder, NULL, &error), &error);
  file->gltf.error = NULL;
}

static void close_file(opened *file) {
  pl_gltf_close(&file->gltf);
  pl_bytes_free(&file->bytes);
}

// The text of a value; of an array its first `count` items.
static void text_of(pl_context *context, const pl_json *value, int32_t count, pl_vector *text) {
  *text = pl_vector_of(context, 1);
  if (value == NULL) return;
  if (value->kind != PL_JSON_ARRAY) {
    assert_int_equal(pl_json_write(value, PL_JSON_COMPACT, text, NULL), PL_OK);
    return;
  }
  for (int32_t i = 0; i < count; ++i)
    assert_int_equal(pl_json_write(pl_json_at(value, i), PL_JSON_COMPACT, text, NULL), PL_OK);
}

// All that `source` has under `key` is in `result` as it was, in front of what is new.
static void check_kept(pl_context *context, const opened *source, const opened *result, const char *key) {
  const pl_json *before = pl_json_find(source->gltf.root, key), *after = pl_json_find(result->gltf.root, key);
  int32_t count = before != NULL ? before->count : 0;
  if (before != NULL && before->kind == PL_JSON_ARRAY) assert_true(after->count >= count);
  pl_vector a, b;
  text_of(context, before, count, &a);
  text_of(context, before == NULL ? NULL : after, count, &b);
  if (a.count != b.count || (a.count > 0 && memcmp(a.items, b.items, a.count) != 0))
    fail_msg("\"%s\" is not what it was", key);
  pl_vector_free(&a);
  pl_vector_free(&b);
}

static void check_keys_in_order(const opened *source, const opened *result) {
  const pl_json *after = result->gltf.root->first;
  for (const pl_json *before = source->gltf.root->first; before != NULL; before = before->next, after = after->next)
    assert_string_equal(before->key, after->key);
}

static const pl_json *last_animation(const opened *file) {
  const pl_json *list = pl_json_find(file->gltf.root, "animations");
  return pl_json_at(list, list->count - 1);
}

// Number of the sampler's output for a node's path in the last animation, -1 for none.
static int32_t output_of(const opened *file, int32_t node, const char *path) {
  const pl_json *animation = last_animation(file);
  for (const pl_json *channel = pl_json_find(animation, "channels")->first; channel != NULL; channel = channel->next) {
    const pl_json *target = pl_json_find(channel, "target"), *found = pl_json_find(target, "node");
    if (found == NULL || found->number != node || !pl_json_is_text(pl_json_find(target, "path"), path)) continue;
    const pl_json *sampler =
        pl_json_at(pl_json_find(animation, "samplers"), (int64_t)pl_json_find(channel, "sampler")->number);
    return (int32_t)pl_json_find(sampler, "output")->number;
  }
  return -1;
}

// --- the character of our own -----------------------------------------------------------------------------------

static void write_source(pl_context *context, const test_rod *rod, const char *name) {
  pl_character_save_def def = pl_default_character_save_def();
  pl_error error = {0};
  def.rod = &rod->def;
  def.motion = &rod->motion;
  check_ok(pl_character_save(context, &def, in_folder(name), &error), &error);
}

static void bake(pl_context *context, const char *source, const char *result, int32_t base,
                 const pl_character_motion *motion) {
  pl_error error = {0};
  check_ok(pl_character_bake(context, in_folder(source), in_folder(result), base, motion, &error), &error);
}

// How far the last animation of a file is from the motion at its worst, in metres, as the reader plays it.
static double max_miss(pl_context *context, const char *name, const pl_character_motion *motion) {
  pl_character *character = NULL;
  pl_error error = {0};
  check_ok(pl_character_load(context, in_folder(name), &character, NULL, &error), &error);
  pl_character_view view = pl_character_get_view(character);
  static pl_transform nodes[64];
  assert_true(view.node_count <= 64);
  double worst = 0;
  for (int32_t frame = 0; frame < motion->frame_count; ++frame) {
    pl_character_sample(character, view.animation_count - 1, (double)(float)(frame / motion->frame_rate), nodes, NULL);
    for (int32_t i = 0; i < motion->joint_count; ++i) {
      pl_transform wanted = motion->joints[frame * motion->joint_count + i];
      if (motion->nodes[i] < 0) continue;
      worst = fmax(worst, pl_vec3_distance(nodes[motion->nodes[i]].position, wanted.position));
      check_near(fabs(pl_quat_dot(nodes[motion->nodes[i]].rotation, pl_quat_normalize(wanted.rotation))), 1, 1e-6);
    }
  }
  pl_character_destroy(character);
  return worst;
}

static void joints_are_where_the_motion_has_them(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static test_rod rod;
  make_test_rod(&rod, context);
  write_source(context, &rod, "source.glb");
  check_at_most(max_miss(context, "source.glb", &rod.motion), 2e-6);
  // Another motion than the one that is in the file.
  for (int32_t i = 0; i < FRAME_COUNT * JOINT_COUNT; ++i)
    rod.frames[i] = pl_transform_multiply((pl_transform){{1, 2, 3}, pl_quat_from_rotation_vector((pl_vec3){1, 2, 3})},
                                          rod.frames[i]);
  bake(context, "source.glb", "baked.glb", -1, &rod.motion);
  check_at_most(max_miss(context, "baked.glb", &rod.motion), 2e-6);
  opened file;
  open_file(context, "baked.glb", &file);
  assert_true(pl_json_is_text(pl_json_find(last_animation(&file), "name"), rod.motion.name));
  close_file(&file);
  pl_mesh_destroy(rod.surface);
  drop_context(context);
}

static void translations_are_written_where_rotations_would_miss(void **state) {
  (void)state;
  static const double stretches[3] = {0, 0.9e-4, 0.005};
  pl_context *context = make_context(1);
  static test_rod rod;
  make_test_rod(&rod, context);
  write_source(context, &rod, "source.glb");
  for (int k = 0; k < 3; ++k) {
    make_motion(&rod, stretches[k]);
    bake(context, "source.glb", "baked.glb", -1, &rod.motion);
    check_at_most(max_miss(context, "baked.glb", &rod.motion), k == 1 ? 1e-4 : 2e-6);
    opened file;
    open_file(context, "baked.glb", &file);
    for (int32_t i = 0; i < JOINT_COUNT; ++i) {
      assert_true(output_of(&file, i, "rotation") >= 0);
      // The body wanders in any case; ear.3 is drawn out of place.
      assert_int_equal(output_of(&file, i, "translation") >= 0, i == BODY || (i == 3 && k == 2));
    }
    close_file(&file);
  }
  pl_mesh_destroy(rod.surface);
  drop_context(context);
}

static void rotations_do_not_flip_between_frames(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static test_rod rod;
  make_test_rod(&rod, context);
  write_source(context, &rod, "source.glb");
  // The same rotations with random signs.
  for (int32_t i = 0; i < FRAME_COUNT * JOINT_COUNT; ++i)
    if ((uint32_t)i * 2654435761u >> 31 != 0) rod.frames[i].rotation = pl_quat_scale(rod.frames[i].rotation, -1);
  bake(context, "source.glb", "baked.glb", -1, &rod.motion);
  opened file;
  open_file(context, "baked.glb", &file);
  for (int32_t i = 0; i < JOINT_COUNT; ++i) {
    pl_json reference = {.kind = PL_JSON_NUMBER, .number = output_of(&file, i, "rotation")};
    pl_gltf_accessor accessor;
    double q[4 * FRAME_COUNT];
    assert_int_equal(pl_gltf_open_accessor(&file.gltf, &reference, &accessor), PL_OK);
    assert_int_equal(accessor.count, FRAME_COUNT);
    assert_int_equal(pl_gltf_read_doubles(&file.gltf, &accessor, q), PL_OK);
    for (int32_t frame = 1; frame < FRAME_COUNT; ++frame) {
      double *a = q + 4 * frame, *b = a - 4;
      assert_true(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] > 0);
    }
  }
  close_file(&file);
  pl_mesh_destroy(rod.surface);
  drop_context(context);
}

// With the chains alone in the motion, the joints above them play from the animation next to it.
static void joints_that_are_not_baked_play_from_the_base(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static test_rod rod;
  make_test_rod(&rod, context);
  write_source(context, &rod, "source.glb");
  rod.nodes[HEAD] = rod.nodes[BODY] = -1;
  bake(context, "source.glb", "baked.glb", 0, &rod.motion);
  check_at_most(max_miss(context, "baked.glb", &rod.motion), 2e-6);
  opened file;
  open_file(context, "baked.glb", &file);
  assert_int_equal(output_of(&file, EAR, "translation"), -1);
  assert_true(output_of(&file, BODY, "translation") >= 0);
  assert_int_equal(pl_json_find(last_animation(&file), "channels")->count, JOINT_COUNT + 1);
  assert_int_equal(pl_json_find(last_animation(&file), "samplers")->count, JOINT_COUNT + 1);
  close_file(&file);
  // Against a skeleton at rest the same joints can only be met by moving the roots of the chains.
  bake(context, "source.glb", "baked.glb", -1, &rod.motion);
  check_at_most(max_miss(context, "baked.glb", &rod.motion), 2e-6);
  open_file(context, "baked.glb", &file);
  assert_true(output_of(&file, EAR, "translation") >= 0);
  assert_int_equal(output_of(&file, EAR + 1, "translation"), -1);
  close_file(&file);
  pl_mesh_destroy(rod.surface);
  drop_context(context);
}

static void everything_else_stays_as_it_is(void **state) {
  (void)state;
  static const char *const keys[] = {"asset", "extensionsUsed", "scene",     "scenes",      "nodes",      "meshes",
                                     "skins", "materials",      "accessors", "bufferViews", "animations", "extensions"};
  pl_context *context = make_context(1);
  static test_rod rod;
  make_test_rod(&rod, context);
  write_source(context, &rod, "source.glb");
  bake(context, "source.glb", "baked.glb", 0, &rod.motion);
  opened source, result;
  open_file(context, "source.glb", &source);
  open_file(context, "baked.glb", &result);
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) check_kept(context, &source, &result, keys[i]);
  check_keys_in_order(&source, &result);
  assert_int_equal(pl_json_find(result.gltf.root, "bufferViews")->count,
                   pl_json_find(source.gltf.root, "bufferViews")->count + 1);
  assert_true(source.gltf.binary_size <= result.gltf.binary_size);
  assert_memory_equal(source.gltf.binary, result.gltf.binary, source.gltf.binary_size);
  close_file(&source);
  close_file(&result);
  // A file may be baked into itself.
  bake(context, "baked.glb", "baked.glb", -1, &rod.motion);
  open_file(context, "baked.glb", &result);
  assert_int_equal(pl_json_find(result.gltf.root, "animations")->count, 3);
  close_file(&result);
  pl_mesh_destroy(rod.surface);
  drop_context(context);
}

// --- a file of others -------------------------------------------------------------------------------------------

static void scales_of_nodes_are_allowed_for(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  write_other(true);
  pl_character_motion motion = other_motion();
  for (int32_t base = -1; base <= 0; ++base) {
    bake(context, "other.gltf", "baked.glb", base, &motion);
    check_at_most(max_miss(context, "baked.glb", &motion), 5e-6);
  }
  drop_context(context);
}

static void a_file_with_files_next_to_it_becomes_whole(void **state) {
  (void)state;
  static const char *const keys[] = {"extras", "asset",  "scene",     "extensionsUsed", "extensions",
                                     "scenes", "meshes", "accessors", "bufferViews",    "animations"};
  pl_context *context = make_context(1);
  write_other(true);
  pl_character_motion motion = other_motion();
  bake(context, "other.gltf", "baked.glb", 0, &motion);
  opened source, result;
  open_file(context, "other.gltf", &source);
  open_file(context, "baked.glb", &result);
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) check_kept(context, &source, &result, keys[i]);
  check_keys_in_order(&source, &result);
  // Nodes but for the matrix of one that has key frames now.
  const pl_json *before = pl_json_find(source.gltf.root, "nodes"), *after = pl_json_find(result.gltf.root, "nodes");
  for (int32_t i = 0; i < 5; ++i) {
    pl_vector a, b;
    text_of(context, pl_json_at(before, i), 0, &a);
    text_of(context, pl_json_at(after, i), 0, &b);
    bool same = a.count == b.count && memcmp(a.items, b.items, a.count) == 0;
    assert_int_equal(same, i != 1);
    pl_vector_free(&a);
    pl_vector_free(&b);
  }
  assert_null(pl_json_find(pl_json_at(after, 1), "matrix"));
  // Every buffer's bytes, without any file next to it.
  result.gltf.folder = NULL;
  for (int32_t i = 0; i < 3; ++i) {
    pl_gltf_buffer *old = NULL, *new = NULL;
    assert_int_equal(pl_gltf_load_buffer(&source.gltf, pl_json_at(pl_json_find(source.gltf.root, "buffers"), i), &old),
                     PL_OK);
    assert_int_equal(pl_gltf_load_buffer(&result.gltf, pl_json_at(pl_json_find(result.gltf.root, "buffers"), i), &new),
                     PL_OK);
    assert_true(new->size >= old->size);
    assert_memory_equal(old->data, new->data, old->size);
  }
  // The picture that is there is in the file; the one that is not is still referred to.
  const pl_json *images = pl_json_find(result.gltf.root, "images");
  assert_true(pl_json_is_text(pl_json_find(pl_json_at(images, 0), "mimeType"), "image/png"));
  assert_null(pl_json_find(pl_json_at(images, 0), "uri"));
  assert_true(pl_json_is_text(pl_json_find(pl_json_at(images, 1), "uri"), "lost.png"));
  // Channels of the base: scale and weights are taken over, the rotation is not.
  assert_int_equal(output_of(&result, 4, "weights"), 4);
  assert_int_equal(output_of(&result, 2, "scale"), 5);
  assert_int_not_equal(output_of(&result, 2, "rotation"), 3);
  close_file(&source);
  close_file(&result);
  drop_context(context);
}

// --- refusals ---------------------------------------------------------------------------------------------------

static void motions_that_do_not_fit_are_refused_by_name(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  write_other(true);
  put_file("kept.glb", "kept", 4);
  for (int k = 0; k < 7; ++k) {
    pl_character_motion motion = other_motion();
    pl_transform *frames = (pl_transform *)motion.joints;
    int32_t nodes[OTHER_JOINTS] = {3, 1, 2}, base = -1;
    motion.nodes = nodes;
    const char *words = NULL;
    if (k == 0) words = "node 5", nodes[1] = 5;
    if (k == 1) words = "both move node 3", nodes[1] = 3;
    if (k == 2) words = "\"hair.1\"", frames[2 * OTHER_JOINTS + 2].position.x = (double)NAN;
    if (k == 3) words = "frame rate", motion.frame_rate = 0;
    if (k == 4) words = "at least one frame", motion.frame_count = 0;
    if (k == 5) words = "animation 1", base = 1;
    if (k == 6) words = "no joint", nodes[0] = nodes[1] = nodes[2] = -1;
    pl_error error = {0};
    assert_int_equal(pl_character_bake(context, in_folder("other.gltf"), in_folder("kept.glb"), base, &motion, &error),
                     PL_ERROR_INVALID_ARGUMENT);
    if (strstr(error.text, words) == NULL) fail_msg("\"%s\" does not say \"%s\"", error.text, words);
    pl_bytes bytes;
    check_ok(pl_bytes_read(context, in_folder("kept.glb"), &bytes, &error), &error);
    assert_int_equal(bytes.size, 4);
    pl_bytes_free(&bytes);
  }
  drop_context(context);
}

static void sources_that_are_wrong_are_refused(void **state) {
  (void)state;
  static const char *const texts[] = {
      "{\"asset\":{\"version\":\"2.0\"}}",
      "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"children\":[1]},{\"children\":[2]},{\"children\":[1]},{}]}",
      "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{},{},{},{}],\"animations\":7}",
      "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{},{},{},{}],\"buffers\":[{\"byteLength\":4}]}",
      "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{},{},{},{}],\"bufferViews\":{}}",
      "{\"asset\":",
  };
  pl_context *context = make_context(1);
  pl_character_motion motion = other_motion();
  pl_error error = {0};
  assert_int_equal(pl_character_bake(context, in_folder("none.glb"), in_folder("o.glb"), -1, &motion, &error),
                   PL_ERROR_NOT_FOUND);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    put_file("s.gltf", texts[i], strlen(texts[i]));
    assert_int_equal(pl_character_bake(context, in_folder("s.gltf"), in_folder("o.glb"), -1, &motion, &error),
                     PL_ERROR_INVALID_DATA);
    assert_int_equal(access(in_folder("o.glb"), F_OK), -1);
  }
  // A bare skeleton is enough.
  const char *bare = "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{},{},{},{}]}";
  put_file("s.gltf", bare, strlen(bare));
  bake(context, "s.gltf", "o.glb", -1, &motion);
  drop_context(context);
}

// Cut off at many lengths and damaged at many bytes, a source is refused or baked, and nothing worse happens.
static void damaged_sources_do_no_harm(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  write_other(true);
  pl_character_motion motion = other_motion();
  pl_bytes source;
  pl_error error = {0};
  check_ok(pl_bytes_read(context, in_folder("other.gltf"), &source, &error), &error);
  int32_t baked_count = 0;
  static const char letters[] = "0-]\"}9,x";
  for (size_t at = 0; at < source.size; at += 5) {
    put_file("damaged.gltf", source.data, at);
    assert_true(pl_character_bake(context, in_folder("damaged.gltf"), "/dev/null", 0, &motion, NULL) < 0);
    unsigned char kept = source.data[at];
    source.data[at] = (unsigned char)letters[at / 5 % (sizeof letters - 1)];
    put_file("damaged.gltf", source.data, source.size);
    source.data[at] = kept;
    if (pl_character_bake(context, in_folder("damaged.gltf"), "/dev/null", 0, &motion, NULL) == PL_OK) baked_count++;
  }
  assert_true(baked_count > 10);
  pl_bytes_free(&source);
  drop_context(context);
}

static void every_failed_allocation_leaves_nothing(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  write_other(true);
  pl_character_motion motion = other_motion();
  int64_t before = pl_context_get_memory_report(context).block_count;
  for (int64_t n = 1;; ++n) {
    pl_error error = {0};
    allocator.fail_at = allocator.call_count + n;
    pl_status status = pl_character_bake(context, in_folder("other.gltf"), in_folder("baked.glb"), 0, &motion, &error);
    bool failed = allocator.call_count >= allocator.fail_at;
    allocator.fail_at = 0;
    assert_int_equal(status, failed ? PL_ERROR_OUT_OF_MEMORY : PL_OK);
    assert_int_equal(pl_context_get_memory_report(context).block_count, before);
    assert_int_equal(access(in_folder("baked.glb"), F_OK), failed ? -1 : 0);
    if (!failed) break;
  }
  drop_context(context);
}

// --- for judges outside -----------------------------------------------------------------------------------------

static void put_vector(FILE *file, const char *before, pl_vec3 v) {
  fprintf(file, "%s[%.9g,%.9g,%.9g]", before, v.x, v.y, v.z);
}

// Places of joints, and of the skin's points where there is one, in every frame.
static void write_expected(const char *name, int32_t animation, const pl_character_motion *motion,
                           const test_rod *rod) {
  FILE *file = fopen(in_folder(name), "w");
  assert_non_null(file);
  fprintf(file, "{\"animation\":%d,\"name\":\"sway\",\"nodes\":[", animation);
  for (int32_t i = 0; i < motion->joint_count; ++i) fprintf(file, "%s%d", i > 0 ? "," : "", motion->nodes[i]);
  fprintf(file, "],\"frames\":[");
  for (int32_t frame = 0; frame < motion->frame_count; ++frame) {
    const pl_transform *joints = motion->joints + frame * motion->joint_count;
    fprintf(file, "%s{\"time\":%.9g,\"positions\":[", frame > 0 ? ",\n" : "", frame / motion->frame_rate);
    for (int32_t i = 0; i < motion->joint_count; ++i) put_vector(file, i > 0 ? "," : "", joints[i].position);
    fprintf(file, "],\"points\":[");
    for (int32_t p = 0; rod != NULL && p < JOINT_COUNT * CORNERS; ++p) {
      pl_vec3 sum = {0, 0, 0};
      for (int k = 0; k < 2; ++k) {
        int32_t joint = rod->skin_joints[2 * p + k];
        pl_vec3 offset = pl_transform_apply_inverse(rod->joints[joint].rest, rod->points[p]);
        sum = pl_vec3_add_scaled(sum, pl_transform_apply(joints[joint], offset), (double)rod->skin_weights[2 * p + k]);
      }
      put_vector(file, p > 0 ? "," : "", sum);
    }
    fprintf(file, "]}");
  }
  fprintf(file, "]}\n");
  fclose(file);
}

// A skeleton of two roots, and a skin of six joints a point.
static void write_many(pl_context *context) {
  static test_rod rod;
  make_test_rod(&rod, context);
  enum { INFLUENCES = 6, COUNT = JOINT_COUNT * CORNERS * INFLUENCES };
  static int32_t joints[COUNT];
  static float weights[COUNT];
  for (int32_t i = 0; i < COUNT; ++i) {
    joints[i] = (i * 7 + i / INFLUENCES) % JOINT_COUNT;
    weights[i] = (float)(1 + i % INFLUENCES) / 21.0f;
  }
  rod.joints[HEAD].parent = -1;
  rod.def.skin.influence_count = INFLUENCES;
  rod.def.skin.joints = joints;
  rod.def.skin.weights = weights;
  write_source(context, &rod, "many.glb");
  pl_mesh_destroy(rod.surface);
}

static void write_for_judges(void) {
  pl_context *context = make_context(1);
  static test_rod rod;
  make_test_rod(&rod, context);
  make_motion(&rod, 0.004);
  rod.motion.name = "sway";
  write_source(context, &rod, "own.source.glb");
  write_expected("own.source.json", 0, &rod.motion, &rod);
  for (int32_t i = 0; i < FRAME_COUNT * JOINT_COUNT; ++i)
    rod.frames[i] = pl_transform_multiply(
        (pl_transform){{0.1, 0.2, 0.3}, pl_quat_from_rotation_vector((pl_vec3){1, 0, 0.3})}, rod.frames[i]);
  bake(context, "own.source.glb", "own.baked.glb", -1, &rod.motion);
  write_expected("own.json", 1, &rod.motion, &rod);
  pl_mesh_destroy(rod.surface);
  // Chains alone, with their body from the base.
  make_test_rod(&rod, context);
  rod.motion.name = "sway";
  write_source(context, &rod, "base.source.glb");
  rod.nodes[HEAD] = rod.nodes[BODY] = -1;
  bake(context, "base.source.glb", "base.baked.glb", 0, &rod.motion);
  write_expected("base.json", 1, &rod.motion, &rod);
  write_many(context);
  write_other(false);
  pl_character_motion motion = other_motion();
  bake(context, "other.gltf", "other.baked.glb", 0, &motion);
  write_expected("other.json", 1, &motion, NULL);
  pl_mesh_destroy(rod.surface);
  drop_context(context);
}

int main(int argument_count, char **arguments) {
  if (argument_count == 2) {
    snprintf(folder, sizeof folder, "%s", arguments[1]);
    write_for_judges();
    return 0;
  }
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, drop_folder)
  const struct CMUnitTest tests[] = {
      IN_FOLDER(joints_are_where_the_motion_has_them),
      IN_FOLDER(translations_are_written_where_rotations_would_miss),
      IN_FOLDER(rotations_do_not_flip_between_frames),
      IN_FOLDER(joints_that_are_not_baked_play_from_the_base),
      IN_FOLDER(everything_else_stays_as_it_is),
      IN_FOLDER(scales_of_nodes_are_allowed_for),
      IN_FOLDER(a_file_with_files_next_to_it_becomes_whole),
      IN_FOLDER(motions_that_do_not_fit_are_refused_by_name),
      IN_FOLDER(sources_that_are_wrong_are_refused),
      IN_FOLDER(damaged_sources_do_no_harm),
      IN_FOLDER(every_failed_allocation_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
