// Spring bones as VRM specifies them, against an independent implementation: test/oracle/spring_bones.mjs wrote the
// characters and what three-vrm makes of them.
// ctest: equivalence
#include <stdlib.h>

#include "check.h"
#include "pliant/pliant.h"

#define FOLDER PLIANT_SOURCE_DIR "/test/fixtures/springs/"
enum { MAX_NODES = 400 };

static pl_character *load(pl_context *context, const char *name) {
  char path[1000];
  snprintf(path, sizeof path, FOLDER "%s.gltf", name);
  pl_character *character = NULL;
  pl_error error = {0};
  check_ok(pl_character_load(context, path, &character, NULL, &error), &error);
  assert_true(pl_character_get_view(character).node_count <= MAX_NODES);
  return character;
}

// All nodes at rest, except that node 0 sways and turns.
static void pose(const pl_character *character, double t, pl_transform *nodes) {
  pl_character_view view = pl_character_get_view(character);
  pl_transform rest[MAX_NODES];
  pl_character_sample(character, -1, 0, rest, NULL);
  for (int32_t i = 0; i < view.node_count; ++i) nodes[i] = rest[i];
  pl_vec3 sway = {0.3 * sin(2.1 * t), 0.08 * sin(5.3 * t), 0.15 * sin(3.2 * t)};
  pl_quat turn = pl_quat_from_axis_angle((pl_vec3){0, 1, 0}, 0.9 * sin(1.7 * t));
  for (int32_t i = 0; i < view.node_count; ++i) {
    int32_t root = i;
    while (view.nodes[root].parent >= 0) root = view.nodes[root].parent;
    if (root != 0) continue;
    pl_vec3 arm = pl_vec3_sub(rest[i].position, rest[0].position);
    nodes[i].position = pl_vec3_add(pl_vec3_add(rest[0].position, sway), pl_quat_rotate(turn, arm));
    nodes[i].rotation = pl_quat_multiply(turn, rest[i].rotation);
  }
}

static double compare(pl_context *context, const char *name, double *largest_turn) {
  pl_character *character = load(context, name);
  pl_character_view view = pl_character_get_view(character);
  pl_spring *spring = NULL;
  pl_error error = {0};
  check_ok(pl_spring_create(context, character, &spring, &error), &error);
  char path[1000];
  snprintf(path, sizeof path, FOLDER "%s.csv", name);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  char line[200];
  assert_non_null(fgets(line, sizeof line, file));
  pl_transform nodes[MAX_NODES];
  int frame = 0, row_count = 0;
  double worst = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    int wanted, node;
    pl_quat q;
    assert_int_equal(sscanf(line, "%d,%d,%lf,%lf,%lf,%lf", &wanted, &node, &q.x, &q.y, &q.z, &q.w), 6);
    for (; frame < wanted; ++frame) {
      pose(character, (frame + 1) / 60.0, nodes);
      pl_spring_step(spring, 1.0 / 60, nodes);
    }
    int32_t parent = view.nodes[node].parent;
    pl_quat above = parent < 0 ? pl_quat_identity() : nodes[parent].rotation;
    pl_quat local = pl_quat_multiply(pl_quat_conjugate(above), nodes[node].rotation);
    worst = fmax(worst, 2 * acos(fmin(1, fabs(pl_quat_dot(local, pl_quat_normalize(q))))) * 180 / PL_PI);
    *largest_turn = fmax(*largest_turn, 2 * acos(fmin(1, fabs(q.w))) * 180 / PL_PI);
    ++row_count;
  }
  fclose(file);
  assert_int_equal(frame, 600);
  assert_true(row_count > 200);
  pl_spring_destroy(spring);
  pl_character_destroy(character);
  return worst;
}

static void rotations_agree_over_ten_seconds(void **state) {
  (void)state;
  static const char *const NAMES[] = {"sphere", "plane", "inside", "hair"};
  pl_context *context = make_context(1);
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i) {
    double turn = 0, worst = compare(context, NAMES[i], &turn);
    print_message("%s: at most %.4f degrees from three-vrm over 10 s, of turns up to %.0f degrees\n", NAMES[i], worst,
                  turn);
    check_at_most(20, turn);
    check_at_most(worst, 0.5);
  }
  drop_context(context);
}

// A reset begins again: the same motion gives the same bits.
static void a_reset_begins_again(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_character *character = load(context, "hair");
  pl_spring *spring = NULL;
  pl_error error = {0};
  check_ok(pl_spring_create(context, character, &spring, &error), &error);
  assert_int_equal(pl_spring_joint_count(spring), 24 * 9);
  pl_transform nodes[MAX_NODES], first[MAX_NODES];
  for (int round = 0; round < 2; ++round) {
    pl_character_sample(character, -1, 0, nodes, NULL);
    pl_spring_reset(spring, nodes);
    for (int frame = 0; frame < 60; ++frame) {
      pose(character, frame / 60.0, nodes);
      pl_spring_step(spring, 1.0 / 60, nodes);
    }
    if (round == 0) memcpy(first, nodes, sizeof first);
  }
  assert_memory_equal(first, nodes, (size_t)pl_character_get_view(character).node_count * sizeof *nodes);
  pl_spring_destroy(spring);
  pl_character_destroy(character);
  drop_context(context);
}

static void every_failing_allocation_is_survived(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_character *character = load(context, "sphere");
  pl_status status = PL_ERROR_OUT_OF_MEMORY;
  int64_t n = 1;
  for (; status < 0; ++n) {
    pl_spring *spring = NULL;
    allocator.call_count = 0;
    allocator.fail_at = n;
    status = pl_spring_create(context, character, &spring, NULL);
    allocator.fail_at = 0;
    if (status < 0) assert_null(spring);
    pl_spring_destroy(spring);
  }
  assert_true(n > 2);
  pl_character_destroy(character);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rotations_agree_over_ten_seconds),
      cmocka_unit_test(a_reset_begins_again),
      cmocka_unit_test(every_failing_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
