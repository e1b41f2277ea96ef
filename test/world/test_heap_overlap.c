// Heaps that are too large for all edges to be searched: how much of their surfaces is inside other boxes, as they hit
// the ground and after it; and that what keeps them apart neither throws boxes nor depends on the number of threads.
//
// Measured without any part of contact: of the surface points inside another box, by the sum of solid angles, the
// distance from its nearest triangle.
// ctest: physics threads once
#include "base/random.h"
#include "fixtures/solid_bodies.h"
#include "mesh/simplex.h"

enum { MAX_BOXES = 200, MAX_POINTS = 220, FRAME = 4 };
static const double SIZE = 0.2, PITCH = 0.35, STEP = 1.0 / 240, DEEP = 1e-3;

typedef struct heap {
  pl_context *context;
  pl_model *model;
  pl_world *world;
  int32_t count, point_count, triangle_count;
  const int32_t *triangles;
  double free_fall;  // m/s
  pl_body_id ids[MAX_BOXES];
  pl_box boxes[MAX_BOXES];
  pl_vec3 points[MAX_BOXES][MAX_POINTS];
} heap;

// As high as it is wide, each box turned at random.
static heap *open_heap(int32_t count, int32_t cells, int32_t threads) {
  static heap h;
  pl_error error = {0};
  pl_solid_def def = pl_default_solid_def();
  h = (heap){.context = make_context(threads), .count = count};
  h.model = make_box_model(h.context, pl_vec3_of(SIZE, SIZE, SIZE), cells, cells, cells, &def);
  h.world = make_world(h.context, STEP, -9.81);
  add_ground(h.world);
  pl_random random = pl_random_of_seed(3);
  int32_t side = (int32_t)ceil(cbrt(count));
  for (int32_t i = 0; i < count; ++i) {
    double turn[4], y = (i / (side * side) + 0.75) * PITCH;
    for (int j = 0; j < 4; ++j) turn[j] = pl_random_between(&random, -1, 1);
    pl_body_def body = pl_default_body_def();
    body.model = h.model;
    body.placement.position = pl_vec3_of(i % side * PITCH, y, i / side % side * PITCH);
    body.placement.rotation = pl_quat_from_axis_angle(pl_vec3_of(turn[0], turn[1], turn[2]), PL_PI * turn[3]);
    check_ok(pl_world_add_body(h.world, &body, &h.ids[i], &error), &error);
    h.free_fall = sqrt(2 * 9.81 * (y + 0.9 * SIZE));
  }
  pl_model_report report = pl_model_get_report(h.model);
  assert_true(count <= MAX_BOXES && report.surface_point_count <= MAX_POINTS);
  h.point_count = report.surface_point_count;
  h.triangle_count = report.surface_triangle_count;
  h.triangles = pl_model_get_surface_triangles(h.model);
  // Otherwise all edges are tested.
  assert_true(count * h.point_count > 8192);
  return &h;
}

static void close_heap(heap *h) {
  pl_world_destroy(h->world);
  pl_model_destroy(h->model);
  drop_context(h->context);
}

// Is a point deeper than DEEP in a box?
static bool is_deep(const heap *h, int32_t box, pl_vec3 point) {
  if (!pl_box_overlaps(h->boxes[box], (pl_box){point, point})) return false;
  double angle = 0, weights[3];
  for (int32_t t = 0; t < h->triangle_count; ++t) {
    pl_vec3 c[3];
    for (int k = 0; k < 3; ++k) c[k] = h->points[box][h->triangles[3 * t + k]];
    if (pl_vec3_distance(point, pl_triangle_nearest(c[0], c[1], c[2], point, weights)) <= DEEP) return false;
    angle += pl_triangle_solid_angle(c[0], c[1], c[2], point);
  }
  return angle > 2 * PL_PI;
}

// The part of all surface points that are.
static double overlap_of(heap *h) {
  int32_t deep = 0;
  for (int32_t i = 0; i < h->count; ++i) {
    check_ok(pl_body_get_surface(h->world, h->ids[i], h->points[i]), NULL);
    h->boxes[i] = pl_box_empty();
    for (int32_t k = 0; k < h->point_count; ++k) h->boxes[i] = pl_box_add_point(h->boxes[i], h->points[i][k]);
  }
  for (int32_t i = 0; i < h->count; ++i)
    for (int32_t k = 0; k < h->point_count; ++k) {
      bool is = false;
      for (int32_t j = 0; j < h->count && !is; ++j) is = j != i && is_deep(h, j, h->points[i][k]);
      deep += is;
    }
  return (double)deep / (h->count * h->point_count);
}

static double fastest_of(const heap *h) {
  static pl_vec3 velocities[1024];
  double fastest = 0;
  int32_t count = pl_model_get_report(h->model).particle_count;
  assert_true(count <= 1024);
  for (int32_t i = 0; i < h->count; ++i) {
    check_ok(pl_body_get_velocities(h->world, h->ids[i], velocities), NULL);
    for (int32_t k = 0; k < count; ++k) fastest = fmax(fastest, pl_vec3_length(velocities[k]));
  }
  return fastest;
}

// Two seconds, measured in every tenth of a second; contacts are searched in the first of four steps, so that these are
// the steps farthest from a search.
static void drop_heap(int32_t count, int32_t cells, double max_worst, double max_last) {
  heap *h = open_heap(count, cells, 2);
  double worst = 0, last = 0, fastest = 0;
  for (int32_t frame = 1; frame <= 120; ++frame) {
    run_steps(h->world, FRAME);
    fastest = fmax(fastest, fastest_of(h));
    if (frame % 6 != 0) continue;
    last = overlap_of(h);
    worst = fmax(worst, last);
  }
  print_message("%d boxes of %d: deeper than 1 mm at worst %.4f of the points, in the end %.4f; %.2f times free fall\n",
                count, (cells + 1) * (cells + 1) * (cells + 1), worst, last, fastest / h->free_fall);
  check_at_most(worst, max_worst);
  check_at_most(last, max_last);
  check_at_most(fastest, 1.3 * h->free_fall);
  close_heap(h);
}

// Before points were put back in the end of a step, 0.08 of them were deep at worst, and 0.002 in the end.
static void a_heap_is_hardly_pressed_into_itself(void **state) {
  (void)state;
  drop_heap(200, 3, 0.03, 1e-3);
}

// 0.12 and 0.002.
static void nor_is_one_of_fine_boxes(void **state) {
  (void)state;
  drop_heap(40, 6, 0.045, 1e-3);
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
  (void)state;
  uint64_t hashes[2];
  for (int k = 0; k < 2; ++k) {
    heap *h = open_heap(160, 3, k == 0 ? 1 : 3);
    run_steps(h->world, 150);
    hashes[k] = pl_world_get_hash(h->world);
    close_heap(h);
  }
  assert_true(hashes[0] == hashes[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_heap_is_hardly_pressed_into_itself),
                                     cmocka_unit_test(nor_is_one_of_fine_boxes),
                                     cmocka_unit_test(any_number_of_threads_gives_the_same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
