// Hierarchies of surfaces are kept as long as a body has them and their surface is as it was.
// ctest: unit
#include "contact/contact_shapes.h"

#include "check.h"

enum { SURFACES = 20, POINTS = 4 };

// Tetrahedra, each with its own points.
typedef struct set {
  pl_vec3 points[SURFACES][POINTS];
  pl_contact_surface surfaces[SURFACES];
  pl_contact_body bodies[SURFACES];
} set;

static const int32_t TRIANGLES[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
static const int32_t PARENTS[4 * POINTS] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
static const float WEIGHTS[4 * POINTS] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};

static void make_set(set *s) {
  for (int i = 0; i < SURFACES; ++i) {
    for (int k = 0; k < POINTS; ++k) s->points[i][k] = pl_vec3_of(k == 1, (k == 2) + 0.1 * i, k == 3);
    s->surfaces[i] = (pl_contact_surface){.particle_count = POINTS,
                                          .point_count = POINTS,
                                          .parents = PARENTS,
                                          .weights = WEIGHTS,
                                          .triangle_count = 4,
                                          .triangles = TRIANGLES,
                                          .rest_points = s->points[i]};
    s->bodies[i] = (pl_contact_body){.surface = &s->surfaces[i]};
  }
}

static const pl_contact_shape *prepare(pl_contact_shapes *shapes, const set *s, const int32_t *numbers, int count) {
  pl_contact_body bodies[64];
  pl_error error = {0};
  for (int i = 0; i < count; ++i) bodies[i] = s->bodies[numbers[i]];
  check_ok(pl_contact_shapes_prepare(shapes, bodies, count, &error), &error);
  pl_contact_shapes_keep(shapes);
  pl_contact_shapes_rewind(shapes);
  return count > 0 ? pl_contact_shapes_find(shapes, bodies[0].surface) : NULL;
}

static pl_context *open_shapes(set *s, pl_contact_shapes *shapes) {
  make_set(s);
  pl_context *context = make_context(1);
  pl_contact_shapes_init(shapes, context);
  return context;
}

static void a_shape_lives_as_long_as_some_body_has_it(void **state) {
  (void)state;
  static set s;
  pl_contact_shapes shapes;
  pl_context *context = open_shapes(&s, &shapes);
  const pl_contact_shape *first = prepare(&shapes, &s, (const int32_t[]){3, 1, 3}, 3);
  assert_int_equal(shapes.count, 2);
  assert_int_equal(first->body_count, 2);
  int64_t taken = pl_context_get_memory_report(context).allocation_count;
  assert_ptr_equal(prepare(&shapes, &s, (const int32_t[]){3}, 1), first);
  assert_int_equal(shapes.count, 1);
  assert_ptr_equal(prepare(&shapes, &s, (const int32_t[]){3, 3}, 2), first);
  assert_int_equal(pl_context_get_memory_report(context).allocation_count, taken);
  assert_null(pl_contact_shapes_find(&shapes, &s.surfaces[1]));
  prepare(&shapes, &s, NULL, 0);
  assert_int_equal(shapes.count, 0);
  pl_contact_shapes_destroy(&shapes);
  drop_context(context);
}

static void bodies_of_one_shape_do_not_share_motions(void **state) {
  (void)state;
  static set s;
  pl_contact_shapes shapes;
  pl_context *context = open_shapes(&s, &shapes);
  int32_t numbers[40] = {0};
  for (int count = 1; count <= 40; ++count) {
    prepare(&shapes, &s, numbers, count);
    pl_contact_shape *shape = pl_contact_shapes_find(&shapes, &s.surfaces[0]);
    for (int i = 0; i < count; ++i) {
      pl_surface_motion motion = pl_contact_shape_next_motion(shape);
      assert_ptr_equal(motion.tree, &shape->tree);
      motion.starts[0] = pl_vec3_of(i, 0, 0);
    }
    pl_contact_shapes_rewind(&shapes);
    for (int i = 0; i < count; ++i) assert_true(pl_contact_shape_next_motion(shape).starts[0].x == i);
  }
  pl_contact_shapes_destroy(&shapes);
  drop_context(context);
}

static void a_surface_that_changed_gets_another_hierarchy(void **state) {
  (void)state;
  static set s;
  pl_contact_shapes shapes;
  pl_context *context = open_shapes(&s, &shapes);
  const int32_t numbers[SURFACES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
  prepare(&shapes, &s, numbers, SURFACES);
  assert_int_equal(shapes.count, SURFACES);
  s.points[7][3].z = 5;
  prepare(&shapes, &s, numbers, SURFACES);
  assert_int_equal(shapes.count, SURFACES);
  for (int i = 0; i < SURFACES; ++i) {
    const pl_contact_shape *shape = pl_contact_shapes_find(&shapes, &s.surfaces[i]);
    assert_ptr_equal(shape->surface, &s.surfaces[i]);
    assert_true(shape->tree.boxes.nodes[0].box.max.z == (i == 7 ? 5 : 1));
  }
  pl_contact_shapes_destroy(&shapes);
  drop_context(context);
}

static void out_of_memory_all_stays_as_it_was(void **state) {
  (void)state;
  static set s;
  make_set(&s);
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_contact_shapes shapes;
  pl_contact_shapes_init(&shapes, context);
  const pl_contact_shape *kept = prepare(&shapes, &s, (const int32_t[]){0, 1}, 2);
  pl_contact_body bodies[6] = {s.bodies[0], s.bodies[2], s.bodies[1], s.bodies[1], s.bodies[1], s.bodies[3]};
  int64_t live = allocator.live_count;
  s.points[1][0].x = -1;
  for (int n = 1;; ++n) {
    allocator.call_count = 0, allocator.fail_at = n;
    pl_status status = pl_contact_shapes_prepare(&shapes, bodies, 6, NULL);
    allocator.fail_at = 0;
    if (status >= 0) break;
    assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    assert_int_equal(allocator.live_count, live);
    assert_int_equal(shapes.count, 2);
    assert_ptr_equal(pl_contact_shapes_find(&shapes, &s.surfaces[0]), kept);
    assert_true(pl_contact_shapes_find(&shapes, &s.surfaces[1])->tree.boxes.nodes[0].box.min.x == 0);
    assert_true(n < 200);
  }
  pl_contact_shapes_keep(&shapes);
  assert_true(pl_contact_shapes_find(&shapes, &s.surfaces[1])->tree.boxes.nodes[0].box.min.x == -1);
  assert_int_equal(shapes.count, 4);
  pl_contact_shapes_destroy(&shapes);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_shape_lives_as_long_as_some_body_has_it),
      cmocka_unit_test(bodies_of_one_shape_do_not_share_motions),
      cmocka_unit_test(a_surface_that_changed_gets_another_hierarchy),
      cmocka_unit_test(out_of_memory_all_stays_as_it_was),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
