// Surfaces in a caller's buffer: strides, normals, interpolation that jumps do not smear, no allocation, threads.
// ctest: unit threads
#include <pthread.h>

#include "fixtures/solid_bodies.h"
#include "pliant/math.h"

enum { MAX_VERTICES = 256 };

typedef struct fixture {
  pl_context *context;
  pl_model *model;
  pl_world *world;
  pl_body_id body;
  pl_shading *shading;
  int32_t count;
} fixture;

static void begin(fixture *f, double gravity, double crease_angle) {
  pl_error error = {0};
  f->context = make_context(2);
  pl_solid_def solid = pl_default_solid_def();
  f->model = make_box_model(f->context, (pl_vec3){0.4, 0.4, 0.4}, 3, 3, 3, &solid);
  f->world = make_world(f->context, 0.01, gravity);
  f->body = add_body(f->world, f->model, pl_vec3_of(0, 1, 0));
  pl_shading_def def = pl_default_shading_def();
  def.crease_angle = crease_angle;
  check_ok(pl_shading_build(f->context, &def, f->model, &f->shading, &error), &error);
  f->count = pl_shading_get_view(f->shading).vertex_count;
  assert_true(f->count <= MAX_VERTICES);
}

static void end(fixture *f) {
  pl_world_destroy(f->world);
  pl_shading_destroy(f->shading);
  pl_model_destroy(f->model);
  drop_context(f->context);
}

static void get_at(const fixture *f, double fraction, float positions[3 * MAX_VERTICES]) {
  pl_error error = {0};
  pl_vertex_buffer buffer = {
      .positions = positions, .position_stride = 3 * sizeof(float), .vertex_count = MAX_VERTICES, .fraction = fraction};
  check_ok(pl_body_get_vertices(f->world, f->body, f->shading, &buffer, &error), &error);
}

static void an_interleaved_buffer_gets_the_surface_and_its_normals(void **state) {
  (void)state;
  fixture f;
  begin(&f, -9.81, acos(-1.0));
  add_ground(f.world);
  run_steps(f.world, 60);
  enum { STRIDE = 8 };
  float buffer[STRIDE * MAX_VERTICES];
  for (int i = 0; i < STRIDE * MAX_VERTICES; ++i) buffer[i] = 77;
  pl_error error = {0};
  pl_vec3 origin = {0.25, -1, 3};
  pl_vertex_buffer to = {.positions = buffer,
                         .position_stride = STRIDE * sizeof(float),
                         .normals = buffer + 3,
                         .normal_stride = STRIDE * sizeof(float),
                         .vertex_count = f.count,
                         .origin = origin,
                         .fraction = 1};
  check_ok(pl_body_get_vertices(f.world, f.body, f.shading, &to, &error), &error);
  pl_vec3 points[MAX_VERTICES], normals[MAX_VERTICES];
  check_ok(pl_body_get_surface(f.world, f.body, points), &error);
  pl_model_report report = pl_model_get_report(f.model);
  pl_normals_compute(points, report.surface_point_count, pl_model_get_surface_triangles(f.model),
                     report.surface_triangle_count, normals);
  for (int32_t i = 0; i < f.count; ++i) {
    const float *v = &buffer[STRIDE * i];
    pl_vec3 p = pl_vec3_sub(points[i], origin), n = {(double)v[3], (double)v[4], (double)v[5]};
    assert_true(v[0] == (float)p.x && v[1] == (float)p.y && v[2] == (float)p.z);
    check_near(pl_vec3_length(n), 1, 1e-6);
    // Weighted by the angles of the rest shape instead of the present ones.
    check_at_most(pl_vec3_distance(n, normals[i]), 0.05);
    assert_true(v[6] == 77 && v[7] == 77);
  }
  end(&f);
}

static void far_from_the_origin_the_buffer_is_as_fine_as_near_it(void **state) {
  (void)state;
  fixture f;
  begin(&f, 0, 0.5);
  pl_error error = {0};
  pl_vec3 away = {1000, 0, 0};
  pl_body_id other = add_body(f.world, f.model, pl_vec3_of(1000, 1, 0));
  float near[3 * MAX_VERTICES], far[3 * MAX_VERTICES];
  get_at(&f, 1, near);
  pl_vertex_buffer to = {far, 12, NULL, 0, MAX_VERTICES, away, 1};
  check_ok(pl_body_get_vertices(f.world, other, f.shading, &to, &error), &error);
  for (int32_t i = 0; i < 3 * f.count; ++i) check_near((double)far[i], (double)near[i], 1e-6);
  end(&f);
}

static void a_fraction_is_between_the_last_two_steps(void **state) {
  (void)state;
  fixture f;
  begin(&f, -9.81, acos(-1.0));
  float before[3 * MAX_VERTICES], after[3 * MAX_VERTICES], between[3 * MAX_VERTICES];
  run_steps(f.world, 20);
  get_at(&f, 1, before);
  run_steps(f.world, 1);
  get_at(&f, 1, after);
  get_at(&f, 0, between);
  assert_memory_equal(between, before, 3 * (size_t)f.count * sizeof(float));
  get_at(&f, 0.25, between);
  for (int32_t i = 0; i < 3 * f.count; ++i)
    check_near((double)between[i], 0.75 * (double)before[i] + 0.25 * (double)after[i], 1e-6);
  assert_true(after[1] < before[1] - 0.01f);
  end(&f);
}

// At 144 frames a second of 0.01 s steps, a thing in uniform motion advances evenly.
static void frames_between_steps_are_even(void **state) {
  (void)state;
  fixture f;
  begin(&f, 0, acos(-1.0));
  pl_error error = {0};
  pl_vec3 velocities[64];
  for (int i = 0; i < 64; ++i) velocities[i] = pl_vec3_of(3, 0, 0);
  check_ok(pl_body_set_state(f.world, f.body, NULL, velocities, &error), &error);
  check_ok(pl_world_step(f.world, NULL, &error), &error);
  float last[3 * MAX_VERTICES], now[3 * MAX_VERTICES];
  for (int frame = 0; frame < 300; ++frame) {
    check_ok(pl_world_advance(f.world, 1.0 / 144, 0, NULL, &error), &error);
    double fraction = pl_world_get_interpolation(f.world);
    assert_true(fraction >= 0 && fraction < 1);
    get_at(&f, fraction, now);
    // One thousandth of a step is the slack of pl_world_advance().
    if (frame > 0) check_near((double)(now[0] - last[0]), 3.0 / 144, 3 * 0.01 * 2.1e-3);
    memcpy(last, now, sizeof last);
  }
  end(&f);
}

static pl_status teleport_once(void *user, pl_world *world, pl_error *error) {
  const fixture *f = user;
  if (pl_world_step_count(world) != 5) return PL_OK;
  return pl_body_teleport(world, f->body, (pl_transform){pl_vec3_of(10, 0, 0), pl_quat_identity()}, error);
}

static void check_no_smear(const fixture *f, const float *old) {
  float at[3 * MAX_VERTICES];
  for (double fraction = 0; fraction <= 1; fraction += 0.25) {
    get_at(f, fraction, at);
    for (int32_t i = 0; i < f->count; ++i) {
      double moved = fabs((double)(at[3 * i] - old[3 * i]));
      assert_true(moved < 0.1 || moved > 9.9);
      assert_true(moved > 9.9);
    }
  }
}

static pl_status keep_surface(void *user, const pl_world *world, pl_body_id body, pl_vec3 *points, int32_t count,
                              pl_error *error) {
  (void)user, (void)world, (void)body, (void)points, (void)count, (void)error;
  return PL_OK;
}

static void jumps_do_not_smear(void **state) {
  (void)state;
  for (int with_layer = 0; with_layer < 2; ++with_layer) {
    fixture f;
    begin(&f, -9.81, acos(-1.0));
    pl_error error = {0};
    float old[3 * MAX_VERTICES];
    pl_layer layer = {.after_step = keep_surface};
    if (with_layer) check_ok(pl_world_add_layer(f.world, f.body, &layer, &error), &error);
    run_steps(f.world, 3);
    get_at(&f, 1, old);
    // Between steps: at once, and in the step after.
    check_ok(pl_body_teleport(f.world, f.body, (pl_transform){pl_vec3_of(10, 0, 0), pl_quat_identity()}, &error),
             &error);
    check_no_smear(&f, old);
    run_steps(f.world, 1);
    check_no_smear(&f, old);
    // Put back to the start, which is as far away again.
    get_at(&f, 1, old);
    check_ok(pl_body_reset(f.world, f.body, &error), &error);
    check_no_smear(&f, old);
    run_steps(f.world, 1);
    check_no_smear(&f, old);
    // By a controller, in the middle of step 6.
    pl_controller controller = {.before_step = teleport_once, .user = &f};
    check_ok(pl_world_add_controller(f.world, &controller, &error), &error);
    get_at(&f, 1, old);
    run_steps(f.world, 1);
    check_no_smear(&f, old);
    run_steps(f.world, 1);
    check_no_smear(&f, old);
    end(&f);
  }
}

static void calls_after_the_first_allocate_nothing(void **state) {
  (void)state;
  fixture f;
  begin(&f, -9.81, 0.5);
  float at[3 * MAX_VERTICES];
  get_at(&f, 0.5, at);
  run_steps(f.world, 2);
  int64_t before = pl_context_get_memory_report(f.context).allocation_count;
  for (int n = 0; n < 10; ++n) {
    run_steps(f.world, 1);
    get_at(&f, 0.1 * n, at);
  }
  assert_int_equal(pl_context_get_memory_report(f.context).allocation_count, before);
  end(&f);
}

static void wrong_buffers_are_refused(void **state) {
  (void)state;
  fixture f;
  begin(&f, 0, acos(-1.0));
  pl_error error = {0};
  float at[3 * MAX_VERTICES];
  pl_vertex_buffer good = {at, 12, NULL, 0, MAX_VERTICES, {0, 0, 0}, 1}, bad = good;
  check_ok(pl_body_get_vertices(f.world, f.body, f.shading, &good, &error), &error);
  bad.vertex_count = f.count - 1;
  assert_int_equal(pl_body_get_vertices(f.world, f.body, f.shading, &bad, &error), PL_ERROR_INVALID_ARGUMENT);
  bad = good, bad.position_stride = 8;
  assert_int_equal(pl_body_get_vertices(f.world, f.body, f.shading, &bad, &error), PL_ERROR_INVALID_ARGUMENT);
  bad = good, bad.position_stride = 14;
  assert_int_equal(pl_body_get_vertices(f.world, f.body, f.shading, &bad, &error), PL_ERROR_INVALID_ARGUMENT);
  bad = good, bad.fraction = 1.5;
  assert_int_equal(pl_body_get_vertices(f.world, f.body, f.shading, &bad, &error), PL_ERROR_INVALID_ARGUMENT);
  bad = good, bad.fraction = (double)NAN;
  assert_int_equal(pl_body_get_vertices(f.world, f.body, f.shading, &bad, &error), PL_ERROR_INVALID_ARGUMENT);
  pl_solid_def solid = pl_default_solid_def();
  pl_model *other = make_box_model(f.context, (pl_vec3){1, 1, 1}, 2, 2, 2, &solid);
  pl_body_id stranger = add_body(f.world, other, pl_vec3_of(5, 0, 0));
  assert_int_equal(pl_body_get_vertices(f.world, stranger, f.shading, &good, &error), PL_ERROR_INVALID_ARGUMENT);
  check_ok(pl_world_remove_body(f.world, stranger, &error), &error);
  pl_model_destroy(other);
  assert_int_equal(pl_body_get_vertices(f.world, (pl_body_id){0, 0}, f.shading, &good, &error), PL_ERROR_NOT_FOUND);
  end(&f);
}

typedef struct reader {
  const fixture *f;
  float at[3 * MAX_VERTICES];
} reader;

static void *read_vertices(void *user) {
  reader *r = user;
  for (int n = 0; n < 50; ++n) get_at(r->f, 0.5, r->at);
  return NULL;
}

static void several_threads_read_the_same(void **state) {
  (void)state;
  fixture f;
  begin(&f, -9.81, acos(-1.0));
  run_steps(f.world, 5);
  static reader readers[3];
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) {
    readers[i].f = &f;
    assert_int_equal(pthread_create(&threads[i], NULL, read_vertices, &readers[i]), 0);
  }
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  for (int i = 1; i < 3; ++i) assert_memory_equal(readers[0].at, readers[i].at, 3 * (size_t)f.count * sizeof(float));
  end(&f);
}

static void colliders_are_interpolated_too(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_world *world = make_world(context, 0.01, 0);
  pl_error error = {0};
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_SPHERE);
  pl_collider_id id;
  check_ok(pl_world_add_collider(world, &def, &id, &error), &error);
  pl_transform to = {pl_vec3_of(1, 2, 3), pl_quat_identity()}, at;
  check_ok(pl_world_move_collider(world, id, to, &error), &error);
  run_steps(world, 1);
  check_ok(pl_world_get_collider_placement(world, id, 1, &at), &error);
  check_at_most(pl_vec3_distance(at.position, to.position), 1e-12);
  check_ok(pl_world_get_collider_placement(world, id, 0.25, &at), &error);
  check_at_most(pl_vec3_distance(at.position, pl_vec3_scale(to.position, 0.25)), 1e-12);
  run_steps(world, 1);
  check_ok(pl_world_get_collider_placement(world, id, 0.25, &at), &error);
  check_at_most(pl_vec3_distance(at.position, to.position), 1e-12);
  assert_int_equal(pl_world_get_collider_placement(world, (pl_collider_id){9, 9}, 1, &at), PL_ERROR_NOT_FOUND);
  pl_world_destroy(world);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_interleaved_buffer_gets_the_surface_and_its_normals),
      cmocka_unit_test(far_from_the_origin_the_buffer_is_as_fine_as_near_it),
      cmocka_unit_test(a_fraction_is_between_the_last_two_steps),
      cmocka_unit_test(frames_between_steps_are_even),
      cmocka_unit_test(jumps_do_not_smear),
      cmocka_unit_test(calls_after_the_first_allocate_nothing),
      cmocka_unit_test(wrong_buffers_are_refused),
      cmocka_unit_test(several_threads_read_the_same),
      cmocka_unit_test(colliders_are_interpolated_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
