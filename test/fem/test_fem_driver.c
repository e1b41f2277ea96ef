// Bodies that adapt: without a driver they are bodies like any other; with one, the rest shapes are part of the state
// and nothing is lost when a choice fails.
// ctest: unit
#include "fixtures/fem_drivers.h"

static pl_body_id add_flung_body(pl_world *world, const pl_model *model) {
  pl_error error = {0};
  pl_body_def def = pl_default_body_def();
  def.model = model;
  def.placement.position = (pl_vec3){0.1, 0.3, 0};
  def.velocity = (pl_vec3){0.8, -2, 0};
  def.angular_velocity = (pl_vec3){0, 0, 3};
  pl_body_id body;
  check_ok(pl_world_add_body(world, &def, &body, &error), &error);
  return body;
}

static pl_model *make_adapting_model(pl_context *context, pl_fem_material material, bool adapts) {
  pl_mesh *mesh = make_adapting_mesh(context, material);
  pl_fem_def def = pl_default_fem_def(material);
  def.adapts = adapts;
  def.stiffness_damping = 0.002;
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_mesh_destroy(mesh);
  return model;
}

static void do_nothing_done(void *user, const pl_fem_choice *choice) {
  (void)choice;
  ++*(int *)user;
}

static pl_status do_nothing(void *user, pl_fem_choice *choice, pl_error *error) {
  (void)user, (void)choice, (void)error;
  return PL_OK;
}

// In flight: a body that does not adapt, one that adapts and nobody drives, and one whose driver does nothing. Thrown
// onto the ground, where it bounces and slips, the latter two: impacts take energy from bodies that do not adapt alone
// (fem_contact.c, fem_step.c). Few iterations a step: those that continue for longer hold friction and come
// nearer to the solution than a body that does not adapt.
static void without_choices_a_body_moves_as_if_it_did_not_adapt(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int k = 0; k < 4 * ADAPTING_COUNT; ++k) {
    pl_fem_material material = ADAPTING[k / 4];
    bool has_ground = k / 2 % 2 == 1;
    int first = has_ground ? 1 : 0;
    pl_vec3 x[3][64], v[3][64];
    int done = 0;
    pl_fem_driver idle = {.choose = do_nothing, .done = do_nothing_done, .user = &done};
    for (int way = first; way < 3; ++way) {
      pl_mesh *mesh = make_adapting_mesh(context, material);
      pl_fem_def def = pl_default_fem_def(material);
      def.adapts = way > 0;
      def.scheme = k % 2 == 0 ? PL_FEM_SECOND_ORDER : PL_FEM_IMPLICIT_EULER;
      def.mass_damping = 0.3;
      // Bodies that adapt plan with the stiffness of contact, which follows the step only for others.
      def.contact_stiffness = 1e6;
      def.max_newton_iterations = 5;
      pl_model *model = make_fem_model(context, &def, mesh);
      pl_mesh_destroy(mesh);
      assert_in_range(model->particle_count, 4, 64);
      pl_world *world = make_world(context, 0.01, -9.81);
      if (has_ground) add_ground(world);
      pl_body_id body = add_flung_body(world, model);
      if (way == 2) assert_int_equal(pl_fem_drive(world, body, &idle), PL_OK);
      run_steps(world, 60);
      check_ok(pl_body_get_positions(world, body, x[way]), NULL);
      check_ok(pl_body_get_velocities(world, body, v[way]), NULL);
      if (way > first) {
        assert_memory_equal(x[way], x[first], (size_t)model->particle_count * sizeof(pl_vec3));
        assert_memory_equal(v[way], v[first], (size_t)model->particle_count * sizeof(pl_vec3));
      }
      pl_world_destroy(world);
      pl_model_destroy(model);
    }
    assert_int_equal(done, 60);
  }
  drop_context(context);
}

static void a_driven_body_continues_from_a_snapshot_as_it_did(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  for (int k = 0; k < ADAPTING_COUNT; ++k) {
    pl_model *model = make_adapting_model(context, ADAPTING[k], true);
    pl_world *world = make_world(context, 0.01, -9.81);
    add_ground(world);
    pl_body_id body = add_flung_body(world, model);
    wild_driver wild;
    begin_wild_driver(&wild, 0.2);
    assert_int_equal(pl_fem_drive(world, body, &wild.driver), PL_OK);
    run_steps(world, 15);
    size_t size = pl_world_snapshot_size(world);
    void *kept = malloc(size);
    pl_world_snapshot(world, kept);
    uint64_t before = pl_world_get_hash(world);
    run_steps(world, 15);
    uint64_t after = pl_world_get_hash(world);
    assert_true(before != after);
    check_ok(pl_world_restore(world, kept, size, &error), &error);
    assert_true(pl_world_get_hash(world) == before);
    run_steps(world, 15);
    assert_true(pl_world_get_hash(world) == after);
    assert_int_equal(wild.chosen, 45);
    assert_int_equal(wild.finished, 45);
    // Without its driver the body keeps its current rest shape until it is reset.
    check_ok(pl_world_restore(world, kept, size, &error), &error);
    assert_int_equal(pl_fem_drive(world, body, NULL), PL_OK);
    run_steps(world, 1);
    assert_int_equal(wild.chosen, 45);
    check_ok(pl_body_reset(world, body, &error), &error);
    pl_world *fresh = make_world(context, 0.01, -9.81);
    pl_body_id other = add_flung_body(fresh, model);
    pl_vec3 x[64], y[64];
    add_ground(fresh);
    run_steps(world, 5);
    run_steps(fresh, 5);
    pl_body_get_positions(world, body, x);
    pl_body_get_positions(fresh, other, y);
    assert_memory_equal(x, y, (size_t)model->particle_count * sizeof(pl_vec3));
    free(kept);
    pl_world_destroy(fresh);
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  drop_context(context);
}

static void a_failing_choice_leaves_the_world_as_it_was(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = make_adapting_model(context, PL_FEM_PLANE, true);
  pl_world *world = make_world(context, 0.01, -9.81);
  add_ground(world);
  pl_body_id body = add_flung_body(world, model);
  wild_driver wild;
  begin_wild_driver(&wild, 0.2);
  wild.fail_at = 6;
  assert_int_equal(pl_fem_drive(world, body, &wild.driver), PL_OK);
  run_steps(world, 5);
  uint64_t before = pl_world_get_hash(world);
  assert_int_equal(pl_world_step(world, NULL, &error), PL_ERROR_INVALID_DATA);
  assert_true(pl_world_get_hash(world) == before);
  assert_int_equal(wild.finished, 5);
  run_steps(world, 1);
  assert_int_equal(wild.finished, 6);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void what_cannot_adapt_is_refused_by_name(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_adapting_mesh(context, PL_FEM_COROTATED);
  pl_model *model = NULL;
  assert_false(pl_default_fem_def(PL_FEM_COROTATED).adapts);
  pl_fem_def def = pl_default_fem_def(PL_FEM_FAST);
  def.adapts = true;
  assert_int_equal(pl_fem_build(context, &def, mesh, &model, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_null(model);
  assert_string_equal(error.field, "adapts");
  def.material = PL_FEM_COROTATED;
  pl_mesh_pose example = {"as it is", pl_mesh_get_view(mesh).points};
  def.examples = &example;
  def.example_count = 1;
  assert_int_equal(pl_fem_build(context, &def, mesh, &model, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_null(model);
  assert_string_equal(error.field, "adapts");
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void only_bodies_that_adapt_can_be_driven(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *adapting = make_adapting_model(context, PL_FEM_PLANE, true),
           *stiff = make_adapting_model(context, PL_FEM_PLANE, false);
  pl_solid_def solid_def = pl_default_solid_def();
  pl_model *solid = make_box_model(context, (pl_vec3){1, 1, 1}, 1, 1, 1, &solid_def);
  assert_true(adapting->hash != stiff->hash);
  pl_world *world = make_world(context, 0.01, -9.81);
  wild_driver wild;
  begin_wild_driver(&wild, 0.1);
  assert_int_equal(pl_fem_drive(world, add_body(world, stiff, (pl_vec3){0, 1, 0}), &wild.driver), PL_ERROR_UNSUPPORTED);
  assert_int_equal(pl_fem_drive(world, add_body(world, solid, (pl_vec3){0, 5, 0}), &wild.driver), PL_ERROR_UNSUPPORTED);
  pl_body_id body = add_body(world, adapting, (pl_vec3){0, 1, 0});
  assert_int_equal(pl_fem_drive(world, body, &wild.driver), PL_OK);
  check_ok(pl_world_remove_body(world, body, &error), &error);
  assert_int_equal(pl_fem_drive(world, body, &wild.driver), PL_ERROR_NOT_FOUND);
  run_steps(world, 1);
  assert_int_equal(wild.chosen, 0);
  pl_world_destroy(world);
  pl_model_destroy(adapting);
  pl_model_destroy(stiff);
  pl_model_destroy(solid);
  drop_context(context);
}

// Driven, on the ground, with memory running out at every allocation of its life.
static void every_failing_allocation_is_survived(void **state) {
  (void)state;
  pl_context *plenty = make_context(1);
  pl_mesh *mesh = make_adapting_mesh(plenty, PL_FEM_COROTATED);
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t n = 1, stepped = 0;
  for (bool ended = false; !ended; ++n) {
    int64_t live = allocator.live_count;
    pl_error error = {0};
    pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
    def.adapts = true;
    pl_model *model = NULL;
    pl_world *world = NULL;
    pl_world_def world_def = pl_default_world_def();
    pl_body_def body_def = pl_default_body_def();
    pl_collider_def ground = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
    pl_body_id body;
    wild_driver wild;
    begin_wild_driver(&wild, 0.1);
    allocator.call_count = 0;
    allocator.fail_at = n;
    pl_status status = pl_fem_build(context, &def, mesh, &model, &error);
    body_def.model = model;
    if (status >= 0) status = pl_world_create(context, &world_def, &world, &error);
    if (status >= 0) status = pl_world_add_collider(world, &ground, NULL, &error);
    if (status >= 0) status = pl_world_add_body(world, &body_def, &body, &error);
    if (status >= 0) status = pl_fem_drive(world, body, &wild.driver);
    if (status >= 0) status = pl_world_step(world, NULL, &error);
    if (status < 0) assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    ended = status >= 0;
    allocator.fail_at = 0;
    if (!ended && world != NULL && pl_world_body_count(world) > 0) {
      stepped++;
      run_steps(world, 2);
    }
    pl_world_destroy(world);
    pl_model_destroy(model);
    assert_int_equal(allocator.live_count, live);
  }
  print_message("survived %d failing allocations, %d of them in a step\n", (int)n - 2, (int)stepped);
  assert_true(n > 20 && stepped > 0);
  drop_context(context);
  pl_mesh_destroy(mesh);
  drop_context(plenty);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_choices_a_body_moves_as_if_it_did_not_adapt),
      cmocka_unit_test(a_driven_body_continues_from_a_snapshot_as_it_did),
      cmocka_unit_test(a_failing_choice_leaves_the_world_as_it_was),
      cmocka_unit_test(what_cannot_adapt_is_refused_by_name),
      cmocka_unit_test(only_bodies_that_adapt_can_be_driven),
      cmocka_unit_test(every_failing_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
