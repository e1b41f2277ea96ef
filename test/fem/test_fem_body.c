// Finite-element bodies as bodies of a world: threads, memory, snapshots, examples, and what is refused.
// ctest: physics threads
#include "base/random.h"
#include "fixtures/fem_bodies.h"
#include "pliant/math.h"

// A scene with all that a step can do: contact and friction, pins hard and soft, forces, damping, examples found by
// projection.
typedef struct fixture {
  pl_model *models[3];
  pl_world *world;
  pl_body_id bodies[3];
} fixture;

static fixture make_fixture(pl_context *context) {
  pl_error error = {0};
  fixture s = {.world = make_world(context, 1.0 / 60, -9.81)};
  add_ground(s.world);
  pl_mesh *box = make_fem_box(context, (pl_vec3){0.4, 0.2, 0.2}, 8, 4, 4), *sheet = make_fem_sheet(context, 0.4, 8, 6);
  pl_mesh_view view = pl_mesh_get_view(box);
  pl_vec3 posed[225];
  assert_int_equal(view.point_count, 225);
  for (int32_t i = 0; i < 225; ++i)
    posed[i] =
        (pl_vec3){view.points[i].x, view.points[i].y + view.points[i].x * view.points[i].x, 1.2 * view.points[i].z};
  pl_mesh_pose example = {"arch", posed};
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  def.solver = PL_FEM_SOLVER_CG;
  def.examples = &example;
  def.example_count = 1;
  s.models[0] = make_fem_model(context, &def, box);
  def = pl_default_fem_def(PL_FEM_NEO_HOOKEAN);
  def.solver = PL_FEM_SOLVER_CG;
  def.stiffness_damping = 0.002;
  s.models[1] = make_fem_model(context, &def, box);
  def = pl_default_fem_def(PL_FEM_SHELL);
  def.solver = PL_FEM_SOLVER_CG;
  def.young = 1e6;
  s.models[2] = make_fem_model(context, &def, sheet);
  for (int k = 0; k < 3; ++k)
    s.bodies[k] = add_body(s.world, s.models[k], (pl_vec3){0, 0.12 + 0.3 * k, k == 2 ? 1 : 0});
  for (int k = 0; k < 2; ++k) {
    pl_pin_def pin = pl_default_pin_def();
    pin.body = s.bodies[2];
    pin.particle = k;
    pin.target = pl_vec3_add(pl_mesh_get_view(sheet).points[k], (pl_vec3){0, 0.72, 1});
    pin.stiffness = k == 0 ? 0 : 50;
    check_ok(pl_world_add_pin(s.world, &pin, NULL, &error), &error);
  }
  pl_mesh_destroy(box);
  pl_mesh_destroy(sheet);
  return s;
}

static void drop_fixture(fixture *s) {
  pl_world_destroy(s->world);
  for (int k = 0; k < 3; ++k) pl_model_destroy(s->models[k]);
}

static void one_two_and_three_threads_give_the_same_bits(void **state) {
  (void)state;
  uint64_t hashes[3];
  for (int k = 0; k < 3; ++k) {
    pl_context *context = make_context(k + 1);
    fixture s = make_fixture(context);
    run_steps(s.world, check_steps(20));
    hashes[k] = pl_world_get_hash(s.world);
    drop_fixture(&s);
    drop_context(context);
  }
  print_message("hashes %016llx %016llx %016llx\n", (unsigned long long)hashes[0], (unsigned long long)hashes[1],
                (unsigned long long)hashes[2]);
  assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

static void a_step_allocates_nothing_after_the_first(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  fixture s = make_fixture(context);
  run_steps(s.world, 1);
  int64_t before = allocator.call_count;
  run_steps(s.world, 10);
  assert_int_equal(allocator.call_count, before);
  drop_fixture(&s);
  drop_context(context);
}

static void a_restored_world_continues_as_it_did(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  fixture s = make_fixture(context);
  run_steps(s.world, 5);
  size_t size = pl_world_snapshot_size(s.world);
  void *snapshot = malloc(size);
  pl_world_snapshot(s.world, snapshot);
  run_steps(s.world, 5);
  uint64_t hash = pl_world_get_hash(s.world);
  run_steps(s.world, 3);
  check_ok(pl_world_restore(s.world, snapshot, size, &error), &error);
  run_steps(s.world, 5);
  assert_true(pl_world_get_hash(s.world) == hash);
  free(snapshot);
  drop_fixture(&s);
  drop_context(context);
}

static pl_status try_all(pl_context *context, pl_fem_material material, pl_error *error) {
  pl_mesh *mesh = NULL;
  pl_model *model = NULL;
  pl_world *world = NULL;
  pl_vec3 posed[12], points[12] = {{0, 0, 0}};
  pl_status status = pl_mesh_create_box(context, (pl_vec3){1, 1, 1}, (const int32_t[3]){2, 1, 1}, &mesh, error);
  for (int i = 0; status >= 0 && i < 12; ++i) {
    points[i] = pl_mesh_get_view(mesh).points[i];
    posed[i] = (pl_vec3){1.2 * points[i].x, points[i].y, points[i].z};
  }
  pl_mesh_pose example = {"long", posed};
  pl_fem_def def = pl_default_fem_def(material);
  def.examples = &example;
  def.example_count = 1;
  def.stiffness_damping = 0.01;
  if (status >= 0) status = pl_fem_build(context, &def, mesh, &model, error);
  pl_fem_equilibrium_def rest = pl_default_fem_equilibrium_def();
  rest.pinned = (const int32_t[3]){0, 3, 6};
  rest.pinned_count = 3;
  rest.acceleration = (pl_vec3){0, -1, 0};
  if (status >= 0) status = pl_fem_equilibrium(context, model, &rest, points, NULL, error);
  double energy;
  if (status >= 0) status = pl_fem_compute_energy(context, model, points, &energy, posed, error);
  pl_world_def world_def = pl_default_world_def();
  if (status >= 0) status = pl_world_create(context, &world_def, &world, error);
  pl_collider_def ground = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  if (status >= 0) status = pl_world_add_collider(world, &ground, NULL, error);
  pl_body_def body_def = pl_default_body_def();
  body_def.model = model;
  if (status >= 0) status = pl_world_add_body(world, &body_def, NULL, error);
  if (status >= 0) status = pl_world_step(world, NULL, error);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  return status;
}

static void running_out_of_memory_anywhere_is_a_status(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t live = allocator.live_count, n = 0;
  for (bool failed = true; failed; ++n) {
    pl_error error = {0};
    allocator.call_count = 0;
    allocator.fail_at = n + 1;
    pl_status status = try_all(context, PL_FEM_COROTATED, &error);
    failed = allocator.call_count >= allocator.fail_at;
    assert_int_equal(status, failed ? PL_ERROR_OUT_OF_MEMORY : PL_OK);
    assert_int_equal(allocator.live_count, live);
  }
  print_message("%lld allocations, each failed once\n", (long long)n - 1);
  assert_true(n > 20);
  drop_context(context);
}

static void the_pose_of_an_example_is_kept_and_given_weights_lead_to_it(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  static const pl_fem_material materials[6] = {PL_FEM_COROTATED, PL_FEM_NEO_HOOKEAN, PL_FEM_EDGES,
                                               PL_FEM_SHELL,     PL_FEM_PLANE,       PL_FEM_CURVE};
  pl_mesh *box = make_fem_box(context, (pl_vec3){0.3, 0.2, 0.2}, 3, 2, 2), *sheet = make_fem_sheet(context, 0.3, 4, 2),
          *chain = make_fem_chain(context, 0.3, 6);
  for (int k = 0; k < 6; ++k) {
    pl_mesh *mesh = k < 3 ? box : k < 5 ? sheet : chain;
    pl_mesh_view view = pl_mesh_get_view(mesh);
    pl_vec3 posed[64], x[64];
    for (int32_t i = 0; i < view.point_count; ++i) {
      pl_vec3 p = view.points[i];
      posed[i] = (pl_vec3){1.1 * p.x, 0.9 * p.y + p.x * p.x, materials[k] >= PL_FEM_PLANE ? 0 : p.z + 0.8 * p.x * p.x};
    }
    pl_mesh_pose example = {"bent", posed};
    pl_fem_def def = pl_default_fem_def(materials[k]);
    def.examples = &example;
    def.example_count = 1;
    def.scheme = PL_FEM_IMPLICIT_EULER;
    def.young = 1e7;
    pl_model *model = make_fem_model(context, &def, mesh);
    pl_world *world = make_world(context, 1.0 / 60, 0);
    pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
    // Put into the pose, a body finds the example's weight by itself and stays.
    check_ok(pl_body_set_state(world, body, posed, NULL, &error), &error);
    run_steps(world, 10);
    double weight, worst = 0, max = 0;
    pl_body_get_weights(world, body, 0, &weight);
    pl_body_get_positions(world, body, x);
    for (int32_t i = 0; i < view.point_count; ++i) worst = fmax(worst, pl_vec3_distance(x[i], posed[i]));
    check_near(weight, 1, 1e-6);
    check_at_most(worst, 1e-6);
    // Led back to the rest, and then to the pose again: every edge has its length.
    double none = 0, all = 1;
    check_ok(pl_body_set_weights(world, body, 0, &none, &error), &error);
    run_steps(world, 100);
    check_ok(pl_body_set_weights(world, body, 0, &all, &error), &error);
    run_steps(world, 200);
    pl_body_get_positions(world, body, x);
    for (int32_t i = 0; i + 1 < view.point_count; ++i)
      max = fmax(max, fabs(pl_vec3_distance(x[i], x[i + 1]) - pl_vec3_distance(posed[i], posed[i + 1])));
    print_message("example, material %d: weight %.9f, moves %.2g m; led to it: distances within %.2g m\n",
                  (int)materials[k], weight, worst, max);
    check_at_most(max, 1e-3);
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  pl_mesh_destroy(box);
  pl_mesh_destroy(sheet);
  pl_mesh_destroy(chain);
  drop_context(context);
}

static void what_cannot_be_built_is_refused_by_name(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *box = make_fem_box(context, (pl_vec3){1, 1, 1}, 1, 1, 1);
  pl_model *model = NULL;
  pl_fem_def def = pl_default_fem_def(PL_FEM_SHELL);
  assert_int_equal(pl_fem_build(context, &def, box, &model, &error), PL_ERROR_INVALID_DATA);
  def = pl_default_fem_def(PL_FEM_CURVE);
  assert_int_equal(pl_fem_build(context, &def, box, &model, &error), PL_ERROR_INVALID_DATA);
  def = pl_default_fem_def(PL_FEM_COROTATED);
  def.poisson = 0.5;
  assert_int_equal(pl_fem_build(context, &def, box, &model, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.field, "poisson");
  def = pl_default_fem_def(PL_FEM_COROTATED);
  def.magic = 0;
  assert_int_equal(pl_fem_build(context, &def, box, &model, &error), PL_ERROR_INVALID_ARGUMENT);
  pl_mesh_view view = pl_mesh_get_view(box);
  int32_t tets[4] = {view.tets[0], view.tets[2], view.tets[1], view.tets[3]};
  pl_mesh_view turned = {.point_count = view.point_count, .points = view.points, .tet_count = 1, .tets = tets};
  pl_mesh *mesh = NULL;
  check_ok(pl_mesh_create(context, &turned, &mesh, &error), &error);
  def = pl_default_fem_def(PL_FEM_COROTATED);
  assert_int_equal(pl_fem_build(context, &def, mesh, &model, &error), PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "tet 0"));
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(box);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_two_and_three_threads_give_the_same_bits),
      cmocka_unit_test(a_step_allocates_nothing_after_the_first),
      cmocka_unit_test(a_restored_world_continues_as_it_did),
      cmocka_unit_test(running_out_of_memory_anywhere_is_a_status),
      cmocka_unit_test(the_pose_of_an_example_is_kept_and_given_weights_lead_to_it),
      cmocka_unit_test(what_cannot_be_built_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
