// Vertices that a file numbers in another order are found again from the connectivity.
// ctest: unit
#include "base/random.h"
#include "fixtures/posed_bars.h"

enum { MAX = 4000 };

typedef struct shuffled {
  int32_t new_of_old[MAX];
  pl_mesh *mesh;
} shuffled;

static void shuffle(pl_random *random, int32_t *items, int32_t count) {
  for (int32_t i = 0; i < count; ++i) items[i] = i;
  for (int32_t i = count - 1; i > 0; --i) {
    int32_t k = (int32_t)(pl_random_u32(random) % (uint32_t)(i + 1)), swapped = items[i];
    items[i] = items[k];
    items[k] = swapped;
  }
}

// The same mesh with points `posed`, its vertices and faces in another order, and every face begun elsewhere.
static shuffled shuffle_mesh(pl_context *context, const pl_mesh_view *view, const pl_vec3 *posed, uint64_t seed) {
  static int32_t corners[4 * MAX], order[MAX];
  static pl_vec3 points[MAX];
  shuffled s = {.mesh = NULL};
  pl_random random = pl_random_of_seed(seed);
  int32_t width = view->tet_count > 0 ? 4 : 3, count = width == 4 ? view->tet_count : view->triangle_count;
  const int32_t *from = width == 4 ? view->tets : view->triangles;
  assert_true(view->point_count <= MAX && count <= MAX);
  shuffle(&random, s.new_of_old, view->point_count);
  shuffle(&random, order, count);
  for (int32_t i = 0; i < view->point_count; ++i) points[s.new_of_old[i]] = posed[i];
  for (int32_t e = 0; e < count; ++e) {
    int32_t turn = (int32_t)(pl_random_u32(&random) % 3);
    for (int32_t k = 0; k < width; ++k)
      corners[order[e] * width + (k < 3 ? (k + turn) % 3 : 3)] = s.new_of_old[from[e * width + k]];
  }
  pl_mesh_view made = {.point_count = view->point_count, .points = points};
  if (width == 4)
    made.tets = corners, made.tet_count = count;
  else
    made.triangles = corners, made.triangle_count = count;
  s.mesh = sample_of_view(context, made);
  return s;
}

static pl_vec3 lean(pl_vec3 p, double amount) {
  return pl_vec3_of(p.x + amount * p.z * p.z, p.y + 0.3 * amount * p.x, 1.1 * p.z);
}

static void check_match(pl_context *context, const pl_mesh *rest, const pl_vec3 *posed, uint64_t seed) {
  pl_mesh_view view = pl_mesh_get_view(rest);
  shuffled s = shuffle_mesh(context, &view, posed, seed);
  static int32_t found[MAX];
  pl_pose_match_report report;
  pl_error error = {0};
  check_ok(pl_poses_match(context, rest, s.mesh, found, &report, &error), &error);
  print_message("%d points, %d moved, %d pieces, %d ways\n", view.point_count, report.moved_count, report.piece_count,
                report.way_count);
  int32_t moved_count = 0;
  for (int32_t i = 0; i < view.point_count; ++i) {
    assert_int_equal(found[i], s.new_of_old[i]);
    moved_count += s.new_of_old[i] != i;
  }
  assert_int_equal(report.moved_count, moved_count);
  pl_mesh_destroy(s.mesh);
}

// A box has symmetries, so the shape has to decide too.
static void a_shuffled_pose_is_matched(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  bar b = bar_make(context, pl_vec3_of(1, 1, 4), 2, 2, 8);
  bar_pose(&b, lean, 0.05);
  check_match(context, b.surface, b.posed, 5);
  pl_vec3 *volume = malloc((size_t)b.volume.point_count * sizeof *volume);
  for (int32_t i = 0; i < b.volume.point_count; ++i) volume[i] = lean(b.volume.points[i], 0.05);
  check_match(context, b.tets, volume, 6);
  check_match(context, b.tets, b.volume.points, 7);  // not posed at all
  free(volume);
  bar_free(&b);
  drop_context(context);
}

// Two equal pieces, as eyes are, next to a larger one without a symmetry; the whole is turned by 170 degrees besides.
static void equal_pieces_keep_their_sides(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  bar b = bar_make(context, pl_vec3_of(1, 1, 4), 2, 2, 8), eye = bar_make(context, pl_vec3_of(0.2, 0.2, 0.2), 1, 1, 1);
  static pl_vec3 points[MAX], posed[MAX];
  static int32_t triangles[3 * MAX];
  int32_t n = 0, count = 0;
  for (int piece = 0; piece < 3; ++piece) {
    const pl_mesh_view *view = piece == 0 ? &b.skin : &eye.skin;
    pl_vec3 shift = pl_vec3_of(piece == 0 ? 0 : piece == 1 ? 0.4 : -0.4, 0.7, piece == 0 ? 0 : 1.5);
    for (int32_t e = 0; e < 3 * view->triangle_count; ++e) triangles[count++] = view->triangles[e] + n;
    for (int32_t i = 0; i < view->point_count; ++i) {
      pl_vec3 p = view->points[i];
      if (piece == 0) p = pl_vec3_of(p.x * (1 + 0.1 * p.z), p.y * (1 + 0.05 * p.x), p.z);
      points[n++] = pl_vec3_add(p, shift);
    }
  }
  pl_quat turn = pl_quat_from_axis_angle(pl_vec3_of(0, 1, 0), 170 * PL_PI / 180);
  for (int32_t i = 0; i < n; ++i) posed[i] = pl_quat_rotate(turn, lean(points[i], 0.05));
  pl_mesh *rest = sample_of_view(
      context, (pl_mesh_view){.point_count = n, .points = points, .triangle_count = count / 3, .triangles = triangles});
  check_match(context, rest, posed, 9);
  pl_mesh_destroy(rest);
  bar_free(&eye);
  bar_free(&b);
  drop_context(context);
}

// Faces in another order alone are no other order of the vertices; another mesh and a mirror image are refused.
static void other_meshes_are_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const pl_vec3 points[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 2, 0}, {1, 2, 0}};
  // A strip, its mirror image, and a fan.
  const int32_t rest[] = {0, 1, 2, 1, 3, 2, 2, 3, 4, 3, 5, 4}, same[] = {5, 4, 3, 2, 1, 3, 4, 2, 3, 1, 2, 0};
  const int32_t mirrored[] = {0, 2, 1, 1, 2, 3, 2, 4, 3, 3, 4, 5}, fan[] = {0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5};
  const int32_t *const faces[] = {rest, same, mirrored, fan};
  pl_mesh *meshes[4];
  pl_pose_match_report report;
  pl_error error = {0};
  for (int i = 0; i < 4; ++i)
    meshes[i] = sample_of_view(
        context, (pl_mesh_view){.point_count = 6, .points = points, .triangle_count = 4, .triangles = faces[i]});
  int32_t found[6];
  check_ok(pl_poses_match(context, meshes[0], meshes[1], found, &report, &error), &error);
  assert_int_equal(report.moved_count, 0);
  for (int i = 0; i < 6; ++i) assert_int_equal(found[i], i);
  for (int i = 2; i < 4; ++i) {
    assert_int_equal(pl_poses_match(context, meshes[0], meshes[i], found, &report, &error), PL_ERROR_INVALID_DATA);
    assert_non_null(strstr(error.text, "not the same mesh"));
  }
  for (int i = 0; i < 4; ++i) pl_mesh_destroy(meshes[i]);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_shuffled_pose_is_matched),
      cmocka_unit_test(equal_pieces_keep_their_sides),
      cmocka_unit_test(other_meshes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
