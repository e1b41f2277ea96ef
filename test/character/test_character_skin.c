// Skins of characters against an evaluation with full 4x4 matrices.
// ctest: unit
#include "base/random.h"
#include "fixtures/character_file.h"
#include "pliant/math.h"

enum { JOINT_COUNT = 3, POINT_COUNT = 6 };

// --- the reference: 4x4 matrices, column by column, nothing taken from the library
// -------------------------------------

typedef struct matrix {
  double m[16];
} matrix;

static matrix multiply(matrix a, matrix b) {
  matrix c = {{0}};
  for (int column = 0; column < 4; ++column)
    for (int row = 0; row < 4; ++row)
      for (int k = 0; k < 4; ++k) c.m[4 * column + row] += a.m[4 * k + row] * b.m[4 * column + k];
  return c;
}

static matrix compose(const double t[3], const double q[4], const double s[3]) {
  double x = q[0], y = q[1], z = q[2], w = q[3];
  matrix r = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0, 2 * (x * y - w * z),
               1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0, 2 * (x * z + w * y), 2 * (y * z - w * x),
               1 - 2 * (x * x + y * y), 0, t[0], t[1], t[2], 1}};
  for (int column = 0; column < 3; ++column)
    for (int row = 0; row < 3; ++row) r.m[4 * column + row] *= s[column];
  return r;
}

// --- a random character
// ------------------------------------------------------------------------------------------------

typedef struct scene {
  double t[4][3], q[4][4], s[4][3];  // node 3 is above node 0; 1 below 0; 2 below 1
  float inverse[JOINT_COUNT][16], points[POINT_COUNT][3], targets[POINT_COUNT][3];
  int joints[POINT_COUNT][8];
  double weights[POINT_COUNT][8];
} scene;

typedef enum flavour { BYTES, SHORTS, FLOATS, EIGHT, UNIFORM, FLAVOUR_COUNT } flavour;

static scene make_scene(pl_random *random, flavour kind) {
  scene s = {.t = {{0}}};
  for (int n = 0; n < 4; ++n) {
    double length = 0, one = pl_random_between(random, 0.5, 2);
    for (int i = 0; i < 4; ++i) s.q[n][i] = pl_random_normal(random);
    for (int i = 0; i < 4; ++i) length += s.q[n][i] * s.q[n][i];
    for (int i = 0; i < 4; ++i) s.q[n][i] /= sqrt(length);
    for (int i = 0; i < 3; ++i) {
      s.t[n][i] = pl_random_normal(random);
      s.s[n][i] = kind == FLOATS ? 1 : kind == UNIFORM ? one : pl_random_between(random, 0.5, 2);
    }
  }
  for (int j = 0; j < JOINT_COUNT; ++j)
    for (int i = 0; i < 16; ++i)
      s.inverse[j][i] = i % 4 == 3 ? (i == 15 ? 1.0f : 0.0f) : (float)pl_random_normal(random);
  for (int p = 0; p < POINT_COUNT; ++p) {
    for (int i = 0; i < 3; ++i) {
      s.points[p][i] = (float)pl_random_normal(random);
      s.targets[p][i] = (float)pl_random_normal(random);
    }
    // Whole 255ths that sum to 1, so that all component types hold them exactly enough.
    int width = kind == EIGHT ? 8 : 4, left = 255;
    for (int i = 0; i < width; ++i) {
      int fraction = i + 1 < width ? (int)(pl_random_u32(random) % (uint32_t)(left / 2 + 1)) : left;
      left -= fraction;
      s.joints[p][i] = (int)(pl_random_u32(random) % JOINT_COUNT);
      s.weights[p][i] = fraction / 255.0;
    }
  }
  return s;
}

static int add_weights(character_file *file, const scene *s, flavour kind, int set) {
  size_t start = file->binary.size;
  for (int p = 0; p < POINT_COUNT; ++p)
    for (int i = 0; i < 4; ++i) {
      double weight = s->weights[p][4 * set + i];
      if (kind == BYTES)
        put_u8(&file->binary, (int)lround(weight * 255));
      else if (kind == SHORTS)
        put_u16(&file->binary, (int)lround(weight * 65535));
      else
        put_f32(&file->binary, (float)weight);
    }
  return add_accessor(file, start,
                      kind == BYTES    ? 5121
                      : kind == SHORTS ? 5123
                                       : 5126,
                      POINT_COUNT, "VEC4", kind == BYTES || kind == SHORTS);
}

static int add_joints(character_file *file, const scene *s, flavour kind, int set) {
  int values[4 * POINT_COUNT];
  for (int p = 0; p < POINT_COUNT; ++p)
    for (int i = 0; i < 4; ++i) values[4 * p + i] = s->joints[p][4 * set + i];
  return kind == SHORTS ? add_shorts(file, values, POINT_COUNT, 4, false)
                        : add_bytes(file, values, POINT_COUNT, 4, false);
}

// `turn` is the one key of an animation that turns node 1; NULL: there is none.
static byte_block make_file(const scene *s, flavour kind, const float *turn) {
  character_file file = {.accessor_count = 0};
  int position = add_floats(&file, s->points[0], POINT_COUNT, 3, "VEC3"),
      target = add_floats(&file, s->targets[0], POINT_COUNT, 3, "VEC3");
  int inverse = add_floats(&file, s->inverse[0], JOINT_COUNT, 16, "MAT4");
  int joints = add_joints(&file, s, kind, 0), weights = add_weights(&file, s, kind, 0);
  char second[64] = "", nodes[2048] = "", rest[6144];
  if (kind == EIGHT)
    snprintf(second, sizeof second, ",\"JOINTS_1\":%d,\"WEIGHTS_1\":%d", add_joints(&file, s, kind, 1),
             add_weights(&file, s, kind, 1));
  static const char *const below[4] = {"\"children\":[1]", "\"children\":[2]", "\"name\":\"tip\"", "\"children\":[0]"};
  for (int n = 0; n < 4; ++n) {
    char text[512];
    snprintf(text, sizeof text,
             "{%s,\"translation\":[%.17g,%.17g,%.17g],\"rotation\":[%.17g,%.17g,%.17g,%.17g],\"scale\":[%.17g,%.17g,%."
             "17g]},",
             below[n], s->t[n][0], s->t[n][1], s->t[n][2], s->q[n][0], s->q[n][1], s->q[n][2], s->q[n][3], s->s[n][0],
             s->s[n][1], s->s[n][2]);
    append_text(nodes, sizeof nodes, text);
  }
  char animation[256] = "";
  if (turn != NULL) {
    int time = add_floats(&file, (float[]){0}, 1, 1, "SCALAR"), key = add_floats(&file, turn, 1, 4, "VEC4");
    snprintf(animation, sizeof animation,
             ",\"animations\":[{\"samplers\":[{\"input\":%d,\"output\":%d}],\"channels\":[{\"sampler\":0,"
             "\"target\":{\"node\":1,\"path\":\"rotation\"}}]}]",
             time, key);
  }
  snprintf(
      rest, sizeof rest,
      "\"nodes\":[%s{\"mesh\":0,\"skin\":0,\"translation\":[9,9,9]}],\"skins\":[{\"joints\":[0,2,1],"
      "\"inverseBindMatrices\":%d}],"
      "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d%s},\"targets\":[{"
      "\"POSITION\":%d}]}],"
      "\"extras\":{\"targetNames\":[\"smile\"]},\"weights\":[0.25]}]%s",
      nodes, inverse, position, joints, weights, second, target, animation);
  return finish_file(&file, rest);
}

static void skinned(const scene *s, int p, const float extra[3], double out[3]) {
  static const int joint_nodes[JOINT_COUNT] = {0, 2, 1};
  matrix global[4];
  global[3] = compose(s->t[3], s->q[3], s->s[3]);
  global[0] = multiply(global[3], compose(s->t[0], s->q[0], s->s[0]));
  global[1] = multiply(global[0], compose(s->t[1], s->q[1], s->s[1]));
  global[2] = multiply(global[1], compose(s->t[2], s->q[2], s->s[2]));
  out[0] = out[1] = out[2] = 0;
  for (int i = 0; i < 8; ++i) {
    matrix inverse;
    for (int k = 0; k < 16; ++k) inverse.m[k] = (double)s->inverse[s->joints[p][i]][k];
    matrix m = multiply(global[joint_nodes[s->joints[p][i]]], inverse);
    for (int row = 0; row < 3; ++row) {
      double sum = m.m[12 + row];
      for (int k = 0; k < 3; ++k)
        sum += m.m[4 * k + row] * ((double)s->points[p][k] + (extra == NULL ? 0 : (double)extra[k]));
      out[row] += s->weights[p][i] * sum;
    }
  }
}

// What the arrays of the view give for the placements `nodes`.
static pl_vec3 carried(const pl_character_view *view, const pl_transform *nodes, int p) {
  pl_vec3 sum = {0, 0, 0};
  for (int i = 0; i < view->influence_count; ++i) {
    int at = p * view->influence_count + i;
    sum = pl_vec3_add_scaled(sum, pl_transform_apply(nodes[view->skin_nodes[at]], view->skin_offsets[at]),
                             (double)view->skin_weights[at]);
  }
  return sum;
}

static void every_flavour_of_skin_is_where_matrices_put_it(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(11);
  for (int round = 0; round < 4 * FLAVOUR_COUNT; ++round) {
    flavour kind = (flavour)(round % FLAVOUR_COUNT);
    scene s = make_scene(&random, kind);
    byte_block bytes = make_file(&s, kind, NULL);
    pl_character *character = read_file(context, &bytes, NULL);
    pl_character_view view = pl_character_get_view(character);
    pl_mesh_view mesh = pl_mesh_get_view(view.surface);
    assert_int_equal(view.influence_count, kind == EIGHT ? 8 : 4);
    assert_int_equal(mesh.point_count, POINT_COUNT);
    assert_string_equal(mesh.poses[0].name, "smile");
    pl_transform nodes[5];
    double morphs[1];
    pl_character_sample(character, -1, 0, nodes, morphs);
    check_near(morphs[0], 0.25, 0);
    for (int p = 0; p < POINT_COUNT; ++p) {
      double expected[3], posed[3], sum = 0;
      skinned(&s, p, NULL, expected);
      skinned(&s, p, s.targets[p], posed);
      pl_vec3 got = carried(&view, nodes, p);
      for (int i = 0; i < view.influence_count; ++i) sum += (double)view.skin_weights[p * view.influence_count + i];
      check_near(sum, 1, 1e-6);
      // Weights are kept in single precision.
      check_near(got.x, expected[0], 2e-5);
      check_near(got.y, expected[1], 2e-5);
      check_near(got.z, expected[2], 2e-5);
      check_near(mesh.points[p].x, got.x, 1e-6);
      check_near(mesh.points[p].y, got.y, 1e-6);
      check_near(mesh.points[p].z, got.z, 1e-6);
      check_near(mesh.poses[0].points[p].x, posed[0], 2e-5);
      check_near(mesh.poses[0].points[p].z, posed[2], 2e-5);
    }
    pl_character_destroy(character);
  }
  drop_context(context);
}

// With scales that are the same along all axes, offsets carried rigidly follow any motion.
static void skins_follow_an_animation_as_matrices_do(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(12);
  for (int round = 0; round < 8; ++round) {
    scene s = make_scene(&random, UNIFORM), other = make_scene(&random, UNIFORM), moved = s;
    float turn[4];
    for (int i = 0; i < 4; ++i) turn[i] = (float)other.q[1][i];
    memcpy(moved.q[1], other.q[1], sizeof moved.q[1]);
    byte_block bytes = make_file(&s, UNIFORM, turn);
    pl_character *character = read_file(context, &bytes, NULL);
    pl_character_view view = pl_character_get_view(character);
    pl_transform nodes[5];
    pl_character_sample(character, 0, 1, nodes, NULL);
    for (int p = 0; p < POINT_COUNT; ++p) {
      double expected[3];
      skinned(&moved, p, NULL, expected);
      pl_vec3 got = carried(&view, nodes, p);
      check_near(got.x, expected[0], 5e-5);
      check_near(got.y, expected[1], 5e-5);
      check_near(got.z, expected[2], 5e-5);
    }
    pl_character_destroy(character);
  }
  drop_context(context);
}

static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

static void points_without_a_skin_follow_their_node(void **state) {
  (void)state;
  character_file file = {.accessor_count = 0};
  add_floats(&file, triangle, 3, 3, "VEC3");
  byte_block bytes = finish_file(
      &file,
      "\"nodes\":[{\"name\":\"a\",\"translation\":[1,2,3],\"scale\":[2,2,2],\"children\":[1]},"
      "{\"name\":\"b\",\"mesh\":0,\"rotation\":[0,0,0.7071067811865476,0.7071067811865476],\"translation\":[0,0,1]}],"
      "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}},{\"attributes\":{\"POSITION\":0}}]}]");
  pl_context *context = make_context(1);
  pl_character *character = read_file(context, &bytes, NULL);
  pl_character_view view = pl_character_get_view(character);
  pl_mesh_view mesh = pl_mesh_get_view(view.surface);
  assert_int_equal(view.influence_count, 1);
  assert_int_equal(mesh.point_count, 3);
  assert_int_equal(mesh.triangle_count, 2);
  // (1, 0, 0) turned to (0, 1, 0), doubled, from (1, 2, 3 + 2).
  check_near(mesh.points[1].x, 1, 1e-12);
  check_near(mesh.points[1].y, 4, 1e-12);
  check_near(mesh.points[1].z, 5, 1e-12);
  assert_int_equal(view.skin_nodes[1], 1);
  check_near((double)view.skin_weights[1], 1, 0);
  check_near(view.skin_offsets[1].x, 2, 1e-12);
  check_near(view.skin_offsets[1].y, 0, 1e-12);
  pl_character_destroy(character);
  drop_context(context);
}

static void vertices_keep_the_order_of_nodes_and_primitives(void **state) {
  (void)state;
  character_file file = {.accessor_count = 0};
  float first[9], second[9];
  for (int i = 0; i < 9; ++i) first[i] = triangle[i] + 10, second[i] = triangle[i] + 20;
  add_floats(&file, triangle, 3, 3, "VEC3");
  add_floats(&file, first, 3, 3, "VEC3");
  add_floats(&file, second, 3, 3, "VEC3");
  // The node that comes first in the file has the second mesh; a mesh outside the scene is left out.
  byte_block bytes =
      finish_file(&file,
                  "\"nodes\":[{\"mesh\":1},{\"mesh\":0},{\"mesh\":0}],\"scenes\":[{\"nodes\":[1,0]}],"
                  "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]},"
                  "{\"primitives\":[{\"attributes\":{\"POSITION\":1}},{\"attributes\":{\"POSITION\":2}}]}]");
  pl_context *context = make_context(1);
  pl_character *character = read_file(context, &bytes, NULL);
  pl_mesh_view mesh = pl_mesh_get_view(pl_character_get_view(character).surface);
  assert_int_equal(mesh.point_count, 9);
  check_near(mesh.points[0].x, 10, 0);
  check_near(mesh.points[3].x, 20, 0);
  check_near(mesh.points[6].x, 0, 0);
  assert_null(mesh.point_of_source);
  assert_int_equal(pl_character_get_view(character).skin_nodes[8], 1);
  pl_character_destroy(character);
  drop_context(context);
}

static void inverse_bind_matrices_may_be_left_out(void **state) {
  (void)state;
  character_file file = {.accessor_count = 0};
  static const int joints[12] = {0}, weights[12] = {255, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0};
  add_floats(&file, triangle, 3, 3, "VEC3");
  add_bytes(&file, joints, 3, 4, false);
  add_bytes(&file, weights, 3, 4, true);
  byte_block bytes =
      finish_file(&file,
                  "\"nodes\":[{\"translation\":[0,0,5]},{\"mesh\":0,\"skin\":0}],\"skins\":[{\"joints\":[0]}],"
                  "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2}}]}]");
  pl_context *context = make_context(1);
  pl_findings *findings = NULL;
  pl_findings_create(context, &findings, NULL);
  pl_character *character = read_file(context, &bytes, findings);
  pl_mesh_view mesh = pl_mesh_get_view(pl_character_get_view(character).surface);
  check_near(mesh.points[1].x, 1, 0);
  check_near(mesh.points[1].z, 5, 0);
  // The third vertex has no weights; it follows the first joint, and that is said.
  assert_true(has_finding(findings, "unweighted-vertex"));
  check_near((double)pl_character_get_view(character).skin_weights[8], 1, 0);
  check_near(mesh.points[2].z, 5, 0);
  pl_character_destroy(character);
  pl_findings_destroy(findings);
  drop_context(context);
}

static void matrices_are_taken_apart(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_findings *findings = NULL;
  pl_findings_create(context, &findings, NULL);
  // A quarter turn around z with scale (2, 3, 4), column by column.
  pl_character *character = read_text(context, "\"nodes\":[{\"matrix\":[0,2,0,0,-3,0,0,0,0,0,4,0,5,6,7,1]}]", findings);
  const pl_character_node *node = pl_character_get_view(character).nodes;
  check_near(node->scale.x, 2, 1e-12);
  check_near(node->scale.y, 3, 1e-12);
  check_near(node->scale.z, 4, 1e-12);
  check_near(fabs(node->rest.rotation.z), sqrt(0.5), 1e-9);
  check_near(node->rest.rotation.z * node->rest.rotation.w, 0.5, 1e-9);
  check_near(node->rest.position.y, 6, 0);
  assert_string_equal(node->name, "node 0");
  assert_int_equal(pl_findings_count(findings, PL_SEVERITY_NOTE), 0);
  pl_character_destroy(character);
  character = read_text(context, "\"nodes\":[{\"matrix\":[1,0,0,0,0.5,1,0,0,0,0,1,0,0,0,0,1]}]", findings);
  assert_true(has_finding(findings, "sheared-node"));
  assert_false(has_finding(findings, "mirrored-node"));
  pl_character_destroy(character);
  character =
      read_text(context, "\"nodes\":[{\"name\":\"m\",\"matrix\":[-1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}]", findings);
  assert_true(has_finding(findings, "mirrored-node"));
  check_near(pl_character_get_view(character).nodes[0].scale.x, -1, 1e-12);
  pl_character_destroy(character);
  pl_findings_destroy(findings);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_flavour_of_skin_is_where_matrices_put_it),
      cmocka_unit_test(skins_follow_an_animation_as_matrices_do),
      cmocka_unit_test(points_without_a_skin_follow_their_node),
      cmocka_unit_test(vertices_keep_the_order_of_nodes_and_primitives),
      cmocka_unit_test(inverse_bind_matrices_may_be_left_out),
      cmocka_unit_test(matrices_are_taken_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
