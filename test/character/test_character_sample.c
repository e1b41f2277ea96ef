// Animations of characters against closed forms.
// ctest: unit
#include "fixtures/character_file.h"

// Three nodes: hips above spine above head; the animation drives what each test adds.
#define NODES                                                                                                     \
  "\"nodes\":[{\"name\":\"hips\",\"children\":[1],\"translation\":[0,1,0]},{\"name\":\"spine\",\"children\":[2]," \
  "\"translation\":[0,0.5,0]},{\"name\":\"head\",\"translation\":[0,0.25,0]}]"

typedef struct player {
  pl_context *context;
  pl_character *character;
  pl_transform nodes[3];
} player;

static player make_player(const character_file *file, const char *animation) {
  char rest[4096];
  snprintf(rest, sizeof rest, NODES ",\"animations\":[{\"name\":\"still\"},%s]", animation);
  byte_block bytes = finish_file(file, rest);
  player p = {.context = make_context(1)};
  p.character = read_file(p.context, &bytes, NULL);
  return p;
}

static void play(player *p, double time) {
  pl_character_sample(p->character, 1, time, p->nodes, NULL);
}

static void drop(player *p) {
  pl_character_destroy(p->character);
  drop_context(p->context);
}

static void positions_are_linear_between_keys_and_held_outside(void **state) {
  (void)state;
  character_file file = {.accessor_count = 0};
  add_floats(&file, (float[]){1, 2, 4}, 3, 1, "SCALAR");
  add_floats(&file, (float[]){0, 0, 0, 1, 2, 3, 5, 2, 3}, 3, 3, "VEC3");
  player p = make_player(
      &file,
      "{\"name\":\"walk\",\"samplers\":[{\"input\":0,\"output\":1}],"
      "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}},{\"sampler\":0,\"target\":"
      "{\"path\":\"scale\"}}]}");
  pl_character_view view = pl_character_get_view(p.character);
  assert_int_equal(view.animation_count, 2);
  assert_int_equal(pl_character_find_animation(p.character, "walk"), 1);
  assert_int_equal(pl_character_find_animation(p.character, "run"), -1);
  assert_int_equal(pl_character_find_node(p.character, "head"), 2);
  assert_int_equal(pl_character_find_node(p.character, "tail"), -1);
  check_near(view.animations[1].start, 1, 0);
  check_near(view.animations[1].end, 4, 0);
  static const double times[] = {-5, 1, 1.25, 2, 3, 4, 99}, x[] = {0, 0, 0.25, 1, 3, 5, 5},
                      y[] = {0, 0, 0.5, 2, 2, 2, 2};
  for (int i = 0; i < 7; ++i) {
    play(&p, times[i]);
    check_near(p.nodes[0].position.x, x[i], 1e-12);
    check_near(p.nodes[0].position.y, y[i], 1e-12);
    check_near(p.nodes[2].position.y, y[i] + 0.75, 1e-12);
  }
  // The animation without channels is the rest.
  pl_character_sample(p.character, 0, 3, p.nodes, NULL);
  check_near(p.nodes[2].position.y, 1.75, 1e-12);
  drop(&p);
}

static void rotations_go_the_shortest_way_at_constant_speed(void **state) {
  (void)state;
  character_file file = {.accessor_count = 0};
  float half = (float)sqrt(0.5);
  add_floats(&file, (float[]){0, 2}, 2, 1, "SCALAR");
  // From none to a quarter turn around z, the second key in the other hemisphere.
  add_floats(&file, (float[]){0, 0, 0, 1, 0, 0, -half, -half}, 2, 4, "VEC4");
  player p = make_player(&file,
                         "{\"samplers\":[{\"input\":0,\"output\":1,\"interpolation\":\"LINEAR\"}],"
                         "\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"rotation\"}}]}");
  for (int i = 0; i <= 10; ++i) {
    double time = 0.2 * i, angle = time / 2 * acos(-1) / 2;
    play(&p, time);
    check_near(p.nodes[2].position.x, -0.25 * sin(angle), 1e-7);
    check_near(p.nodes[2].position.y, 1.5 + 0.25 * cos(angle), 1e-7);
    check_near(2 * acos(fmin(1, fabs(p.nodes[2].rotation.w))), angle, 1e-6);
  }
  assert_string_equal(pl_character_get_view(p.character).animations[1].name, "animation 1");
  drop(&p);
}

static void rotations_of_normalized_integers_are_unit(void **state) {
  (void)state;
  character_file file = {.accessor_count = 0};
  add_floats(&file, (float[]){0}, 1, 1, "SCALAR");
  size_t start = file.binary.size;
  for (int i = 0; i < 4; ++i) put_u16(&file.binary, i == 0 ? (int)(uint16_t)-23170 : i == 3 ? 23170 : 0);
  add_accessor(&file, start, 5122, 1, "VEC4", true);
  player p = make_player(&file,
                         "{\"samplers\":[{\"input\":0,\"output\":1,\"interpolation\":\"STEP\"}],"
                         "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}]}");
  play(&p, 0);
  check_near(pl_quat_dot(p.nodes[0].rotation, p.nodes[0].rotation), 1, 1e-12);
  check_near(p.nodes[0].rotation.x, -sqrt(0.5), 1e-12);
  drop(&p);
}

static void steps_hold_until_the_next_key(void **state) {
  (void)state;
  character_file file = {.accessor_count = 0};
  add_floats(&file, (float[]){0, 1, 2}, 3, 1, "SCALAR");
  add_floats(&file, (float[]){1, 1, 1, 2, 2, 2, 3, 3, 3}, 3, 3, "VEC3");
  player p = make_player(&file,
                         "{\"samplers\":[{\"input\":0,\"output\":1,\"interpolation\":\"STEP\"}],"
                         "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}}]}");
  static const double times[] = {0, 0.999, 1, 1.5, 2, 7}, x[] = {1, 1, 2, 2, 3, 3};
  for (int i = 0; i < 6; ++i) {
    play(&p, times[i]);
    check_near(p.nodes[0].position.x, x[i], 0);
  }
  drop(&p);
}

// A cubic polynomial is its own Hermite spline, whatever the keys.
static void cubic_splines_give_a_cubic_back(void **state) {
  (void)state;
  static const double times[] = {0, 0.5, 2};
  float keys[3], values[27];
  for (int k = 0; k < 3; ++k) {
    double t = times[k], slope = 3 * t * t - 4 * t + 1, value = t * t * t - 2 * t * t + t + 0.5;
    keys[k] = (float)t;
    for (int i = 0; i < 3; ++i) {
      values[9 * k + i] = (float)(slope * (i + 1));
      values[9 * k + 3 + i] = (float)(value * (i + 1));
      values[9 * k + 6 + i] = (float)(slope * (i + 1));
    }
  }
  character_file file = {.accessor_count = 0};
  add_floats(&file, keys, 3, 1, "SCALAR");
  add_floats(&file, values, 9, 3, "VEC3");
  player p = make_player(&file,
                         "{\"samplers\":[{\"input\":0,\"output\":1,\"interpolation\":\"CUBICSPLINE\"}],"
                         "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}}]}");
  for (int i = 0; i <= 40; ++i) {
    double t = 0.05 * i, value = t * t * t - 2 * t * t + t + 0.5;
    play(&p, t);
    check_near(p.nodes[0].position.x, value, 1e-6);
    check_near(p.nodes[0].position.z, 3 * value, 3e-6);
  }
  drop(&p);
}

static void cubic_rotations_are_unit_and_meet_their_keys(void **state) {
  (void)state;
  float half = (float)sqrt(0.5);
  character_file file = {.accessor_count = 0};
  add_floats(&file, (float[]){0, 1}, 2, 1, "SCALAR");
  add_floats(&file, (float[]){0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, half, 0, 0, half, 0, 0, 0, 0}, 6, 4,
             "VEC4");
  player p = make_player(&file,
                         "{\"samplers\":[{\"input\":0,\"output\":1,\"interpolation\":\"CUBICSPLINE\"}],"
                         "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}]}");
  for (int i = 0; i <= 10; ++i) {
    play(&p, 0.1 * i);
    check_near(pl_quat_dot(p.nodes[0].rotation, p.nodes[0].rotation), 1, 1e-12);
  }
  check_near(p.nodes[0].rotation.x, (double)half, 1e-6);
  play(&p, 0.5);
  // Hermite at the middle: (a + b) / 2 + (leave - arrive) / 8, brought to unit length.
  double q[4] = {(double)half / 2, 0, 0, 0.5 + (double)half / 2}, length = sqrt(q[0] * q[0] + q[3] * q[3]);
  check_near(p.nodes[0].rotation.x, q[0] / length, 1e-6);
  check_near(p.nodes[0].rotation.w, q[3] / length, 1e-6);
  drop(&p);
}

static void scales_move_what_hangs_below(void **state) {
  (void)state;
  character_file file = {.accessor_count = 0};
  float half = (float)sqrt(0.5);
  add_floats(&file, (float[]){0, 1}, 2, 1, "SCALAR");
  add_floats(&file, (float[]){1, 1, 1, 1, 3, 1}, 2, 3, "VEC3");
  add_floats(&file, (float[]){0, 0, 0, 1, 0, 0, half, half}, 2, 4, "VEC4");
  player p =
      make_player(&file,
                  "{\"samplers\":[{\"input\":0,\"output\":1},{\"input\":0,\"output\":2}],"
                  "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"scale\"}},{\"sampler\":1,\"target\":{"
                  "\"node\":1,\"path\":\"rotation\"}}]}");
  play(&p, 1);
  // Hips at (0, 1, 0) stretch y by 3; the spine is turned by a quarter around z, so the head lies next to it.
  check_near(p.nodes[1].position.y, 1 + 1.5, 1e-6);
  check_near(p.nodes[2].position.x, -0.25, 1e-6);
  check_near(p.nodes[2].position.y, 2.5, 1e-6);
  check_near(fabs(p.nodes[2].rotation.z), sqrt(0.5), 1e-6);
  play(&p, 0.5);
  check_near(p.nodes[1].position.y, 1 + 1.0, 1e-6);
  check_near(p.nodes[2].position.y, 2 + 2 * 0.25 * sqrt(0.5), 1e-6);
  drop(&p);
}

static void sparse_keys_are_read(void **state) {
  (void)state;
  character_file file = {.accessor_count = 0};
  add_floats(&file, (float[]){0, 1, 2}, 3, 1, "SCALAR");
  add_bytes(&file, (int[]){1}, 1, 1, false);
  add_floats(&file, (float[]){4, 5, 6}, 1, 3, "VEC3");
  // The third accessor's data only fills the one sparse key.
  append_text(file.accessors, sizeof file.accessors,
              ",{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":{\"count\":1,"
              "\"indices\":{\"bufferView\":1,\"componentType\":5121},\"values\":{\"bufferView\":2}}}");
  player p = make_player(&file,
                         "{\"samplers\":[{\"input\":0,\"output\":3}],"
                         "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}}]}");
  play(&p, 1);
  check_near(p.nodes[0].position.z, 6, 0);
  play(&p, 1.5);
  check_near(p.nodes[0].position.x, 2, 0);
  play(&p, 2);
  check_near(p.nodes[0].position.x, 0, 0);
  drop(&p);
}

static void morph_weights_find_their_poses_by_name(void **state) {
  (void)state;
  character_file file = {.accessor_count = 0};
  add_floats(&file, (float[]){0, 0, 0, 1, 0, 0, 0, 1, 0}, 3, 3, "VEC3");
  add_floats(&file, (float[]){0, 0, 1, 0, 0, 1, 0, 0, 1}, 3, 3, "VEC3");
  add_floats(&file, (float[]){0, 1}, 2, 1, "SCALAR");
  add_floats(&file, (float[]){0, 1, 0.5f, 0}, 4, 1, "SCALAR");
  // Two meshes that name the same shapes in another order; the second is driven.
  byte_block bytes =
      finish_file(&file,
                  "\"nodes\":[{\"mesh\":0},{\"mesh\":1,\"weights\":[0.75,0]}],\"meshes\":["
                  "{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"targets\":[{\"POSITION\":1},{\"POSITION\":1}]"
                  "}],\"extras\":{\"targetNames\":[\"a\",\"b\"]}},"
                  "{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"targets\":[{\"POSITION\":1},{\"POSITION\":1}]"
                  "}],\"extras\":{\"targetNames\":[\"b\",\"a\"]}}],"
                  "\"animations\":[{\"samplers\":[{\"input\":2,\"output\":3}],\"channels\":[{\"sampler\":0,"
                  "\"target\":{\"node\":1,\"path\":\"weights\"}}]}]");
  pl_context *context = make_context(1);
  pl_character *character = read_file(context, &bytes, NULL);
  pl_mesh_view mesh = pl_mesh_get_view(pl_character_get_view(character).surface);
  assert_int_equal(mesh.pose_count, 2);
  assert_string_equal(mesh.poses[0].name, "a");
  pl_transform nodes[2];
  double morphs[2];
  pl_character_sample(character, -1, 0, nodes, morphs);
  check_near(morphs[0], 0, 0);
  check_near(morphs[1], 0.75, 0);
  pl_character_sample(character, 0, 0.5, nodes, morphs);
  check_near(morphs[1], 0.25, 1e-12);
  check_near(morphs[0], 0.5, 1e-12);
  pl_character_destroy(character);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(positions_are_linear_between_keys_and_held_outside),
      cmocka_unit_test(rotations_go_the_shortest_way_at_constant_speed),
      cmocka_unit_test(rotations_of_normalized_integers_are_unit),
      cmocka_unit_test(steps_hold_until_the_next_key),
      cmocka_unit_test(cubic_splines_give_a_cubic_back),
      cmocka_unit_test(cubic_rotations_are_unit_and_meet_their_keys),
      cmocka_unit_test(scales_move_what_hangs_below),
      cmocka_unit_test(sparse_keys_are_read),
      cmocka_unit_test(morph_weights_find_their_poses_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
