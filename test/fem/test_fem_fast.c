// The corotated solid for interactive use: what it keeps in motion, and that it is the same however it is run.
// ctest: physics threads
#include "base/random.h"
#include "body/body_method.h"
#include "fixtures/fem_bodies.h"
#include "pliant/math.h"

enum { MAX_POINTS = 400 };

static pl_fem_def fast_def(double young, double poisson, int32_t rounds) {
  pl_fem_def def = pl_default_fem_def(PL_FEM_FAST);
  def.young = young;
  def.poisson = poisson;
  def.volume_rounds = rounds;
  return def;
}

static double volume_of(const pl_mesh *mesh, const pl_vec3 *x) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  double sum = 0;
  for (int32_t t = 0; t < view.tet_count; ++t) {
    const int32_t *c = view.tets + 4 * (size_t)t;
    pl_vec3 a = pl_vec3_sub(x[c[1]], x[c[0]]), b = pl_vec3_sub(x[c[2]], x[c[0]]), d = pl_vec3_sub(x[c[3]], x[c[0]]);
    sum += pl_vec3_dot(pl_vec3_cross(a, b), d) / 6;
  }
  return sum;
}

// --- motion -------------------------------------------------------------------------------------------------------

// Thrown, spinning, and shaken up by random displacements.
static void momentum_is_kept_in_flight(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.4, 0.4, 0.8}, 3, 3, 6);
  pl_fem_def def = fast_def(1e5, 0.4, 2);
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_world *world = make_world(context, 1.0 / 60, 0);
  pl_body_id body = add_body(world, model, (pl_vec3){3, 2, 1});
  int32_t n = model->particle_count;
  pl_vec3 x[MAX_POINTS], v[MAX_POINTS];
  pl_body_get_positions(world, body, x);
  pl_random random = pl_random_of_seed(7);
  for (int32_t i = 0; i < n; ++i) {
    v[i] = pl_vec3_add((pl_vec3){2, 1, -1}, pl_vec3_cross((pl_vec3){1, 3, 2}, pl_vec3_sub(x[i], (pl_vec3){3, 2, 1})));
    x[i] = pl_vec3_add_scaled(
        x[i], (pl_vec3){pl_random_normal(&random), pl_random_normal(&random), pl_random_normal(&random)}, 0.02);
  }
  check_ok(pl_body_set_state(world, body, x, v, &error), &error);
  pl_body_report before = pl_body_get_report(world, body);
  run_steps(world, 1000);
  pl_body_report after = pl_body_get_report(world, body);
  double change = pl_vec3_distance(before.momentum, after.momentum) / pl_vec3_length(before.momentum);
  double turn =
      pl_vec3_distance(before.angular_momentum, after.angular_momentum) / pl_vec3_length(before.angular_momentum);
  print_message("over 1000 steps momentum changes by %.2g, angular momentum by %.2g\n", change, turn);
  check_at_most(change, 1e-6);
  check_at_most(turn, 1e-5);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void the_centre_falls_on_a_parabola(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){1, 1, 1}, 2, 2, 2);
  pl_fem_def def = fast_def(1e5, 0.3, 1);
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_world *world = make_world(context, 1.0 / 60, -9.81);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 100, 0});
  pl_vec3 x[27];
  pl_body_get_positions(world, body, x);
  for (int32_t i = 0; i < 27; ++i) x[i].z *= 1.2;  // it vibrates meanwhile
  check_ok(pl_body_set_state(world, body, x, NULL, &error), &error);
  run_steps(world, 120);
  check_near(pl_body_get_report(world, body).center.y, 100 - 9.81 / 3600 * 120 * 121 / 2, 1e-4);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// Vibration of a free bar along its length: half the period is the length over the speed of sound sqrt(E / rho).
static void a_bar_rings_at_its_pitch(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.1, 1, 0.1}, 1, 12, 1);
  pl_fem_def def = fast_def(1e5, 0.3, 4);
  def.fast_step = 1.0 / 240;
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
  int32_t n = model->particle_count, crossings = 0;
  pl_vec3 x[MAX_POINTS];
  pl_body_get_positions(world, body, x);
  for (int32_t i = 0; i < n; ++i) x[i].y += 0.03 * sin(PL_PI * x[i].y);
  check_ok(pl_body_set_state(world, body, x, NULL, &error), &error);
  double last = 0, first_time = 0, last_time = 0;
  for (int32_t step = 0; step < 400; ++step) {
    run_steps(world, 1);
    double stretch = pl_body_get_report(world, body).box.max.y - 0.5;
    if (step > 0 && (stretch < 0) != (last < 0)) {
      last_time = step - stretch / (stretch - last);
      if (crossings++ == 0) first_time = last_time;
    }
    last = stretch;
  }
  double half_period = (last_time - first_time) / (crossings - 1) / 240;
  print_message("half a period is %.4f s, length over speed of sound %.4f s\n", half_period, 0.1);
  check_near(half_period, 0.1, 0.003);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// A jelly that falls on the ground. Nearly incompressible, it bulges as it is squeezed and its volume stays, to the
// second order of the strain, which corotated tets do not see.
static double worst_volume(pl_context *context, double poisson, int32_t rounds, double *squeeze) {
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.4, 0.4, 0.4}, 5, 5, 5);
  pl_fem_def def = fast_def(1e5, poisson, rounds);
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_world *world = make_world(context, 1.0 / 60, -9.81);
  add_ground(world);
  pl_body_def body_def = pl_default_body_def();
  body_def.model = model;
  body_def.placement.position = (pl_vec3){0, 0.25, 0};
  pl_body_id body;
  check_ok(pl_world_add_body(world, &body_def, &body, &error), &error);
  pl_vec3 x[216];
  double worst = 0;
  *squeeze = 1;
  for (int32_t step = 0; step < 90; ++step) {
    run_steps(world, 1);
    pl_body_get_positions(world, body, x);
    worst = fmax(worst, fabs(volume_of(mesh, x) / 0.064 - 1));
    pl_box box = pl_body_get_report(world, body).box;
    *squeeze = fmin(*squeeze, (box.max.y - box.min.y) / 0.4);
  }
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  return worst;
}

static void volume_is_kept_at_a_poisson_ratio_near_a_half(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  double squeeze, change;
  for (int32_t rounds = 1; rounds <= 16; rounds *= 2) {
    change = worst_volume(context, 0.49, rounds, &squeeze);
    print_message("nu 0.49, %2d rounds: squeezed to %.2f, volume changes by at most %.2f %%\n", rounds, squeeze,
                  100 * change);
    check_at_most(change, 0.01);
  }
  change = worst_volume(context, 0.1, 4, &squeeze);
  print_message("nu 0.10,  4 rounds: squeezed to %.2f, volume changes by at most %.2f %%\n", squeeze, 100 * change);
  assert_true(change > 0.01);  // or the test would say nothing
  drop_context(context);
}

static void crushed_bodies_recover(void **state) {
  (void)state;
  static const char *const names[] = {"flattened", "inverted", "scattered", "one tet turned inside out"};
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.4, 0.4, 0.4}, 3, 3, 3);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_fem_def def = fast_def(1e5, 0.4, 3);
  def.mass_damping = 3;
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_random random = pl_random_of_seed(5);
  for (int kind = 0; kind < 4; ++kind) {
    pl_world *world = make_world(context, 1.0 / 60, 0);
    pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
    pl_vec3 x[64];
    for (int32_t i = 0; i < 64; ++i) {
      x[i] = view.points[i];
      if (kind == 0) x[i].y = 0;
      if (kind == 1) x[i].y *= -0.5;  // a full mirror image has no nearest rotation to go by
      if (kind == 2)
        x[i] = (pl_vec3){pl_random_between(&random, -0.2, 0.2), pl_random_between(&random, -0.2, 0.2),
                         pl_random_between(&random, -0.2, 0.2)};
    }
    if (kind == 3) x[0] = (pl_vec3){0.1, 0.1, 0.1};
    check_ok(pl_body_set_state(world, body, x, NULL, &error), &error);
    run_steps(world, 600);
    pl_body_get_positions(world, body, x);
    double worst = 0;
    for (int32_t i = 0; i < 64; ++i)
      for (int32_t j = 0; j < i; ++j)
        worst = fmax(worst, fabs(pl_vec3_distance(x[i], x[j]) - pl_vec3_distance(view.points[i], view.points[j])));
    print_message("%s: distances differ by at most %.2g m, volume %.4f\n", names[kind], worst,
                  volume_of(mesh, x) / 0.064);
    check_at_most(worst, 1e-3);
    check_near(volume_of(mesh, x) / 0.064, 1, 1e-3);
    pl_world_destroy(world);
  }
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// --- sameness -----------------------------------------------------------------------------------------------------

static uint64_t hash_of_run(pl_model *model, int32_t thread_count, bool is_pinned) {
  pl_context *context = make_context(thread_count);
  pl_error error = {0};
  pl_world *world = make_world(context, 1.0 / 60, -9.81);
  pl_body_def def = pl_default_body_def();
  def.model = model;
  def.angular_velocity = (pl_vec3){1, 4, 2};
  pl_body_id body;
  check_ok(pl_world_add_body(world, &def, &body, &error), &error);
  for (int32_t k = 0; is_pinned && k < 5; ++k) {
    pl_pin_def pin = pl_default_pin_def();
    pin.body = body;
    pin.particle = 7 * k;
    pin.stiffness = k == 0 ? 0 : 1000;
    check_ok(pl_world_add_pin(world, &pin, NULL, &error), &error);
  }
  run_steps(world, 5);
  uint64_t hash = pl_world_get_hash(world);
  pl_world_destroy(world);
  drop_context(context);
  return hash;
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){1, 1, 2}, 12, 12, 30);
  pl_fem_def def = fast_def(1e5, 0.45, 2);
  pl_model *model = make_fem_model(context, &def, mesh);
  for (int is_pinned = 0; is_pinned < 2; ++is_pinned) {
    uint64_t one = hash_of_run(model, 1, is_pinned);
    for (int32_t threads = 2; threads <= 3; ++threads) assert_true(hash_of_run(model, threads, is_pinned) == one);
  }
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void a_restored_body_continues_as_if_nothing_had_happened(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.4, 0.4, 0.4}, 3, 3, 3);
  pl_fem_def def = fast_def(3e4, 0.45, 2);
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_world *world = make_world(context, 1.0 / 60, -9.81);
  add_ground(world);
  add_body(world, model, (pl_vec3){0, 0.3, 0});
  run_steps(world, 20);
  size_t size = pl_world_snapshot_size(world);
  void *buffer = malloc(size);
  pl_world_snapshot(world, buffer);
  run_steps(world, 30);
  uint64_t hash = pl_world_get_hash(world);
  check_ok(pl_world_restore(world, buffer, size, &error), &error);
  run_steps(world, 30);
  assert_true(pl_world_get_hash(world) == hash);
  free(buffer);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void far_away_bodies_move_the_same(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.4, 0.4, 0.4}, 3, 3, 3);
  pl_fem_def def = fast_def(3e4, 0.45, 2);
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_vec3 x[2][64], moved = {4096, 8192, -16384};
  for (int far = 0; far < 2; ++far) {
    pl_world *world = make_world(context, 1.0 / 60, -9.81);
    pl_body_def body_def = pl_default_body_def();
    body_def.model = model;
    body_def.velocity = (pl_vec3){5, 9, 1};
    body_def.angular_velocity = (pl_vec3){3, 9, 1};
    if (far) body_def.placement.position = moved;
    pl_body_id body;
    check_ok(pl_world_add_body(world, &body_def, &body, NULL), &(pl_error){0});
    run_steps(world, 90);
    pl_body_get_positions(world, body, x[far]);
    pl_world_destroy(world);
  }
  for (int32_t i = 0; i < 64; ++i) check_at_most(pl_vec3_distance(pl_vec3_sub(x[1][i], moved), x[0][i]), 1e-9);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void longer_steps_of_the_world_are_several_of_the_model(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.4, 0.4, 0.4}, 2, 2, 2);
  pl_fem_def def = fast_def(3e4, 0.45, 2);
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_vec3 x[2][27];
  for (int coarse = 0; coarse < 2; ++coarse) {
    pl_world *world = make_world(context, coarse ? 1.0 / 20 : 1.0 / 60, -9.81);
    pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
    run_steps(world, coarse ? 4 : 12);
    pl_body_get_positions(world, body, x[coarse]);
    pl_world_destroy(world);
  }
  assert_memory_equal(x[0], x[1], sizeof x[0]);
  pl_world *world = make_world(context, 1.0 / 100, -9.81);
  add_body(world, model, (pl_vec3){0, 0, 0});
  assert_int_equal(pl_world_step(world, NULL, &error), PL_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "fast_step"));
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// --- refusal ------------------------------------------------------------------------------------------------------

static void wrong_defs_are_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.4, 0.4, 0.4}, 2, 2, 2);
  pl_fem_def defs[9];
  for (int i = 0; i < 9; ++i) defs[i] = fast_def(1e5, 0.3, 2);
  double scales[40 * 4] = {-1};
  defs[0].poisson = -0.2;
  defs[1].fast_step = 0;
  defs[2].volume_rounds = -1;
  defs[3].stiffness_damping = 0.1;
  defs[4].young_scales = scales;
  defs[5].density = nan("");
  defs[6].volume_rounds = 0;
  defs[7].magic = 0;
  defs[8].held_points = (const int32_t[]){3, 27};
  defs[8].held_count = 2;
  for (int i = 0; i < 9; ++i) {
    pl_model *model = NULL;
    pl_error error = {0};
    assert_true(pl_fem_build(context, &defs[i], mesh, &model, &error) < 0);
    assert_null(model);
    assert_true(error.text[0] != 0);
  }
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void flat_tets_are_named(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_vec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}};
  int32_t tets[8] = {0, 1, 2, 3, 0, 1, 4, 2};
  pl_mesh_view view = {.point_count = 5, .points = points, .tet_count = 2, .tets = tets};
  pl_mesh *mesh = NULL;
  pl_model *model = NULL;
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  pl_fem_def def = fast_def(1e5, 0.3, 2);
  assert_int_equal(pl_fem_build(context, &def, mesh, &model, &error), PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "tet 1"));
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void any_allocation_may_fail(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.4, 0.4, 0.4}, 2, 2, 2);
  pl_fem_def def = fast_def(1e5, 0.3, 2);
  int64_t live = allocator.live_count;
  pl_model *model = NULL;
  for (int64_t n = 1; model == NULL; ++n) {
    allocator.call_count = 0;
    allocator.fail_at = n;
    pl_status status = pl_fem_build(context, &def, mesh, &model, &error);
    allocator.fail_at = 0;
    if (model == NULL) assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    if (model == NULL) assert_int_equal(allocator.live_count, live);
    assert_true(n < 1000);
  }
  pl_world *world = make_world(context, 1.0 / 60, -9.81);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
  pl_pin_def pin = pl_default_pin_def();
  pin.body = body;
  check_ok(pl_world_add_pin(world, &pin, NULL, &error), &error);
  uint64_t hash = pl_world_get_hash(world);
  pl_status status = PL_ERROR_OUT_OF_MEMORY;
  for (int64_t n = 1; status < 0; ++n) {
    allocator.call_count = 0;
    allocator.fail_at = n;
    status = pl_world_step(world, NULL, &error);
    allocator.fail_at = 0;
    if (status < 0) assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    if (status < 0) assert_true(pl_world_get_hash(world) == hash);
    assert_true(n < 1000);
  }
  // From then on steps take no more memory.
  allocator.call_count = 0;
  run_steps(world, 3);
  assert_int_equal(allocator.call_count, 0);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  pl_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(momentum_is_kept_in_flight),
      cmocka_unit_test(the_centre_falls_on_a_parabola),
      cmocka_unit_test(a_bar_rings_at_its_pitch),
      cmocka_unit_test(volume_is_kept_at_a_poisson_ratio_near_a_half),
      cmocka_unit_test(crushed_bodies_recover),
      cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
      cmocka_unit_test(a_restored_body_continues_as_if_nothing_had_happened),
      cmocka_unit_test(far_away_bodies_move_the_same),
      cmocka_unit_test(longer_steps_of_the_world_are_several_of_the_model),
      cmocka_unit_test(wrong_defs_are_refused),
      cmocka_unit_test(flat_tets_are_named),
      cmocka_unit_test(any_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
