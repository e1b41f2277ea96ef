// Motions of surfaces: skins against those of rods, caches against closed forms, animations of other files on a
// humanoid.
// ctest: unit
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "character/character_humanoid.h"
#include "check.h"
#include "pliant/pliant.h"

static const char WALKER[] = PLIANT_SOURCE_DIR "/scenes/walker/walker.glb";

static pl_character *load_walker(pl_context *context) {
  pl_character *character = NULL;
  pl_error error = {0};
  check_ok(pl_character_load(context, WALKER, &character, NULL, &error), &error);
  return character;
}

// A file of this text; the caller removes it.
static void write_text(char *path, const char *text) {
  int handle = mkstemps(path, 4);
  assert_true(handle >= 0);
  assert_int_equal(write(handle, text, strlen(text)), (ssize_t)strlen(text));
  close(handle);
}

// --- skins

// The same joints through a rod, which skins in another way.
static void a_skin_is_that_of_a_rod(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_character *character = load_walker(context);
  pl_motion *motion = NULL;
  check_ok(pl_motion_create(context, character, 0, &motion, &error), &error);
  pl_motion_report report = pl_motion_get_report(motion);
  pl_character_rig *rig = NULL;
  pl_model *model = NULL;
  pl_world *world = NULL;
  check_ok(pl_character_rig_create(character, &rig, &error), &error);
  pl_rod_def def = pl_character_rig_get_def(rig);
  const int32_t *nodes = pl_character_rig_get_nodes(rig);
  check_ok(pl_rod_build(context, &def, &model, &error), &error);
  pl_world_def world_def = pl_default_world_def();
  check_ok(pl_world_create(context, &world_def, &world, &error), &error);
  pl_body_def body_def = pl_default_body_def();
  body_def.model = model;
  pl_body_id body;
  check_ok(pl_world_add_body(world, &body_def, &body, &error), &error);
  int32_t count = pl_mesh_get_view(report.mesh).point_count, all = pl_model_get_report(model).surface_point_count;
  pl_vec3 *points = malloc((size_t)count * sizeof *points), *surface = malloc((size_t)all * sizeof *surface);
  pl_transform *places = malloc((size_t)report.node_count * sizeof *places);
  double worst = 0;
  for (double time = 0.1; time < 4; time += 0.7) {
    pl_motion_sample(motion, time, points, places, NULL);
    for (int32_t j = 0; j < def.joint_count; ++j)
      check_ok(pl_rod_set_joint_target(world, body, j, places[nodes[j]], 0, &error), &error);
    check_ok(pl_world_step(world, NULL, &error), &error);
    assert_int_equal(pl_body_get_surface(world, body, surface), PL_OK);
    // Vertices are in the order of the file in both; nothing is welded in this one.
    assert_int_equal(count, all);
    for (int32_t i = 0; i < count; ++i) worst = fmax(worst, pl_vec3_distance(points[i], surface[i]));
  }
  print_message("skin of a motion and of a rod differ by at most %.2e m\n", worst);
  check_at_most(worst, 1e-6);
  free(points), free(surface), free(places);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_character_rig_destroy(rig);
  pl_motion_destroy(motion);
  pl_character_destroy(character);
  drop_context(context);
}

// --- caches

// Points of a triangle that move along parabolas, which the curves between frames reproduce except in the outer pieces.
static pl_vec3 parabola(int i, double t) {
  return (pl_vec3){i == 1 ? 1 : 0, (i == 2 ? 1 : 0) + 0.5 * t * t - t, 0.25 * i * t};
}

static void caches_are_smooth_between_frames(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  const int32_t triangle[3] = {0, 1, 2};
  pl_vec3 rest[3], points[3];
  for (int i = 0; i < 3; ++i) rest[i] = parabola(i, 0);
  pl_mesh_view view = {.point_count = 3, .points = rest, .triangle_count = 1, .triangles = triangle};
  pl_mesh *mesh = NULL;
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  for (int format = 0; format < 2; ++format) {
    char folder[] = "/tmp/pliant_motion_XXXXXX", path[80];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/cache", folder);
    pl_frames_def def = pl_default_frames_def(format == 0 ? PL_FRAMES_PC2 : PL_FRAMES_MDD);
    def.path = path;
    def.frame_rate = 10;
    def.frame_count = 21;
    def.point_count = 3;
    def.triangles = triangle;
    def.triangle_count = 1;
    pl_frames *frames = NULL;
    check_ok(pl_frames_create(context, &def, &frames, &error), &error);
    for (int f = 0; f < 21; ++f) {
      for (int i = 0; i < 3; ++i) points[i] = parabola(i, f / 10.0);
      check_ok(pl_frames_add_frame(frames, points, &error), &error);
    }
    check_ok(pl_frames_close(frames, &error), &error);
    snprintf(path, sizeof path, "%s/cache.%s", folder, format == 0 ? "pc2" : "mdd");
    pl_motion *motion = NULL;
    check_ok(pl_motion_load_cache(context, mesh, path, format == 0 ? 10 : 0, &motion, &error), &error);
    pl_motion_report report = pl_motion_get_report(motion);
    check_near(report.end, 2, 1e-6);
    double worst = 0, outer = 0;
    for (double t = 0; t <= 2; t += 0.013) {
      pl_motion_sample(motion, t, points, NULL, NULL);
      bool is_outer = t < 0.1 || t > 1.9;
      for (int i = 0; i < 3; ++i) {
        double off = pl_vec3_distance(points[i], parabola(i, t));
        if (is_outer)
          outer = fmax(outer, off);
        else
          worst = fmax(worst, off);
      }
    }
    print_message("%s: at most %.1e m from the parabola between frames, %.1e m in the first and last\n",
                  format == 0 ? "pc2" : "mdd", worst, outer);
    check_at_most(worst, 3e-7);
    // There the tangent is that of the straight piece: a quarter of linear interpolation's error of h²/8.
    check_at_most(outer, 0.01 / 8);
    pl_motion_sample(motion, -5, points, NULL, NULL);
    check_at_most(pl_vec3_distance(points[2], rest[2]), 1e-7);
    pl_motion_destroy(motion);
    pl_vec3 more[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    pl_mesh_view other = {.point_count = 4, .points = more, .triangle_count = 1, .triangles = triangle};
    pl_mesh *wrong = NULL;
    check_ok(pl_mesh_create(context, &other, &wrong, &error), &error);
    assert_int_equal(pl_motion_load_cache(context, wrong, path, 0, &motion, &error), PL_ERROR_INVALID_DATA);
    assert_null(motion);
    pl_mesh_destroy(wrong);
    unlink(path);
    rmdir(folder);
  }
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// --- animations of other files

static const char BVH[] =
    "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    " JOINT LeftUpLeg\n {\n  OFFSET 10 -5 0\n  CHANNELS 3 Zrotation Xrotation Yrotation\n  JOINT LeftLeg\n  {\n"
    "   OFFSET 0 -42 0\n   CHANNELS 3 Zrotation Xrotation Yrotation\n   End Site\n   {\n    OFFSET 0 -48 0\n   }\n  "
    "}\n }\n"
    "}\nMOTION\nFrames: 2\nFrame Time: 0.5\n"
    "0 95 0 0 0 0 0 0 0 0 0 0\n"
    "0 95 40 0 0 90 20 -30 0 0 50 0\n";

static double angle_between(pl_quat a, pl_quat b) {
  return 2 * acos(fmin(1, fabs(pl_quat_dot(a, b))));
}

static void bvh_moves_a_humanoid(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_character *character = load_walker(context);
  char path[] = "/tmp/pliant_motion_XXXXXX.bvh";
  write_text(path, BVH);
  pl_motion *motion = NULL;
  check_ok(pl_motion_load(context, character, path, &motion, NULL, &error), &error);
  pl_motion_report report = pl_motion_get_report(motion);
  check_near(report.end, 0.5, 1e-9);
  pl_transform *nodes = malloc((size_t)report.node_count * sizeof *nodes);
  pl_motion_sample(motion, 0.5, NULL, nodes, NULL);
  const double degrees = PL_PI / 180;
  const pl_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
  pl_quat hips = pl_quat_from_axis_angle(y, 90 * degrees);
  pl_quat thigh = pl_quat_multiply(pl_quat_multiply(hips, pl_quat_from_axis_angle(z, 20 * degrees)),
                                   pl_quat_from_axis_angle(x, -30 * degrees));
  pl_quat shin = pl_quat_multiply(thigh, pl_quat_from_axis_angle(x, 50 * degrees));
  int32_t upper = pl_character_find_node(character, "leftUpperLeg"),
          lower = pl_character_find_node(character, "leftLowerLeg"), root = pl_character_find_node(character, "hips");
  check_at_most(angle_between(nodes[root].rotation, hips), 1e-6);
  check_at_most(angle_between(nodes[upper].rotation, thigh), 1e-6);
  check_at_most(angle_between(nodes[lower].rotation, shin), 1e-6);
  // Hips 95 units above the lowest joint become the 0.95 m of the walker.
  check_at_most(pl_vec3_distance(nodes[root].position, (pl_vec3){0, 0.95, 0.4}), 1e-6);
  free(nodes);
  pl_motion_destroy(motion);
  unlink(path);
  // Cut off anywhere it is refused, with its place.
  for (size_t length = 0; length + 30 < sizeof BVH; length += 7) {
    char text[sizeof BVH], broken[] = "/tmp/pliant_motion_XXXXXX.bvh";
    memcpy(text, BVH, length);
    text[length] = '\0';
    write_text(broken, text);
    assert_int_equal(pl_motion_load(context, character, broken, &motion, NULL, &error), PL_ERROR_INVALID_DATA);
    assert_null(motion);
    unlink(broken);
  }
  pl_character_destroy(character);
  drop_context(context);
}

// A VRM animation whose bones have other axes at rest: the shin's node is turned by a quarter around z, the thigh's by
// one around x. One key turns the thigh by 40° around the shared x axis.
static void vrm_animations_move_a_humanoid(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_character *character = load_walker(context);
  const double degrees = PL_PI / 180, half = sqrt(0.5);
  const pl_vec3 x = {1, 0, 0};
  // The node's rotation in its parent that turns it by 40° around the world's x: the parent is not turned.
  pl_quat wanted = pl_quat_from_axis_angle(x, 40 * degrees);
  pl_quat local = pl_quat_multiply(wanted, (pl_quat){half, 0, 0, half});
  char text[4000], data[200], path[] = "/tmp/pliant_motion_XXXXXX.glb";
  float values[5] = {0, (float)local.x, (float)local.y, (float)local.z, (float)local.w};
  static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *bytes = (const unsigned char *)values;
  size_t n = 0;
  for (size_t i = 0; i < 20; i += 3) {
    unsigned v = (unsigned)bytes[i] << 16 | (i + 1 < 20 ? (unsigned)bytes[i + 1] << 8 : 0) |
                 (i + 2 < 20 ? (unsigned)bytes[i + 2] : 0);
    for (int k = 0; k < 4; ++k) data[n++] = DIGITS[v >> (18 - 6 * k) & 63];
  }
  data[n - 1] = '=';  // 20 bytes leave two in the last group
  data[n] = '\0';
  snprintf(
      text, sizeof text,
      "{\"asset\":{\"version\":\"2.0\"},\"extensionsUsed\":[\"VRMC_vrm_animation\"],\"extensions\":{"
      "\"VRMC_vrm_animation\":{\"specVersion\":\"1.0\",\"humanoid\":{\"humanBones\":{\"hips\":{\"node\":0},"
      "\"leftUpperLeg\":{\"node\":1},\"leftLowerLeg\":{\"node\":2}}}}},\"nodes\":["
      "{\"name\":\"a\",\"children\":[1],\"translation\":[0,1.9,0]},"
      "{\"name\":\"b\",\"children\":[2],\"rotation\":[%.9g,0,0,%.9g]},"
      "{\"name\":\"c\",\"rotation\":[0,0,%.9g,%.9g]}],"
      "\"scenes\":[{\"nodes\":[0]}],\"scene\":0,\"buffers\":[{\"byteLength\":20,\"uri\":"
      "\"data:application/octet-stream;base64,%s\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":4},"
      "{\"buffer\":0,\"byteOffset\":4,\"byteLength\":16}],\"accessors\":["
      "{\"bufferView\":0,\"componentType\":5126,\"count\":1,\"type\":\"SCALAR\",\"min\":[0],\"max\":[0]},"
      "{\"bufferView\":1,\"componentType\":5126,\"count\":1,\"type\":\"VEC4\"}],\"animations\":[{\"channels\":["
      "{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"rotation\"}}],\"samplers\":[{\"input\":0,\"output\":1}]}]}",
      half, half, half, half, data);
  write_text(path, text);
  pl_motion *motion = NULL;
  check_ok(pl_motion_load(context, character, path, &motion, NULL, &error), &error);
  pl_motion_report report = pl_motion_get_report(motion);
  pl_transform *nodes = malloc((size_t)report.node_count * sizeof *nodes);
  pl_motion_sample(motion, 0, NULL, nodes, NULL);
  int32_t upper = pl_character_find_node(character, "leftUpperLeg"),
          lower = pl_character_find_node(character, "leftLowerLeg"), root = pl_character_find_node(character, "hips");
  check_at_most(angle_between(nodes[upper].rotation, wanted), 1e-6);
  check_at_most(angle_between(nodes[lower].rotation, wanted), 1e-6);
  // Its hips are twice as high.
  check_at_most(pl_vec3_distance(nodes[root].position, (pl_vec3){0, 0.95, 0}), 1e-6);
  free(nodes);
  pl_motion_destroy(motion);
  unlink(path);
  pl_character_destroy(character);
  drop_context(context);
}

static void bones_are_known_by_their_names(void **state) {
  (void)state;
  static const struct {
    const char *name, *bone;
  } NAMES[] = {{"Hips", "hips"},
               {"mixamorig:LeftUpLeg", "leftUpperLeg"},
               {"thigh.L", "leftUpperLeg"},
               {"shin_R", "rightLowerLeg"},
               {"J_Bip_L_UpperLeg", "leftUpperLeg"},
               {"J_Bip_C_Hips", "hips"},
               {"lThigh", "leftUpperLeg"},
               {"rForeArm", "rightLowerArm"},
               {"RightArm", "rightUpperArm"},
               {"LeftHip", "leftUpperLeg"},
               {"LeftShoulder", "leftShoulder"},
               {"Head", "head"},
               {"Spine1", "chest"},
               {"left_foot", "leftFoot"},
               {"leg", NULL},
               {"Hair", NULL},
               {"Root", NULL}};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i) {
    int32_t bone = pl_humanoid_guess(NAMES[i].name);
    if (NAMES[i].bone == NULL)
      assert_int_equal(bone, -1);
    else if (bone < 0)
      fail_msg("%s is not known", NAMES[i].name);
    else
      assert_string_equal(pl_humanoid_names[bone], NAMES[i].bone);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_skin_is_that_of_a_rod),        cmocka_unit_test(caches_are_smooth_between_frames),
      cmocka_unit_test(bvh_moves_a_humanoid),           cmocka_unit_test(vrm_animations_move_a_humanoid),
      cmocka_unit_test(bones_are_known_by_their_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
