// Contact events: begin once, persist, end; impulses carry the weight; the same for any number of threads.
// ctest: physics threads
#include "fixtures/solid_bodies.h"
#include "pliant/math.h"

enum { KINDS = 3 };  // solid, corotated, fast

static pl_model *make_model(pl_context *context, int kind, double damping) {
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  pl_model *model = NULL;
  check_ok(pl_mesh_create_box(context, (pl_vec3){0.2, 0.2, 0.2}, (const int32_t[3]){2, 2, 2}, &mesh, &error), &error);
  if (kind == 0) {
    pl_solid_def def = pl_default_solid_def();
    def.damping = damping;
    def.contact_radius = 0;  // faces meet, and all normals are theirs; across a gap those of edges lean
    check_ok(pl_solid_build(context, &def, mesh, &model, &error), &error);
  } else {
    pl_fem_def def = pl_default_fem_def(kind == 2 ? PL_FEM_FAST : PL_FEM_COROTATED);
    def.young = 2e5;
    def.mass_damping = damping;
    def.fast_step = 1.0 / 240;
    check_ok(pl_fem_build(context, &def, mesh, &model, &error), &error);
  }
  pl_mesh_destroy(mesh);
  return model;
}

static pl_world *make_eventful_world(pl_context *context, bool sleeping) {
  pl_error error = {0};
  pl_world_def def = pl_default_world_def();
  def.contact_events = true;
  def.sleeping = sleeping;
  pl_world *world = NULL;
  check_ok(pl_world_create(context, &def, &world, &error), &error);
  return world;
}

static int count_kind(pl_contact_event_view view, pl_contact_event_kind kind) {
  int count = 0;
  for (int32_t i = 0; i < view.event_count; ++i) count += view.events[i].kind == kind;
  return count;
}

static void a_body_lands_rests_and_leaves(void **state) {
  (void)state;
  for (int kind = 0; kind < KINDS; ++kind) {
    pl_context *context = make_context(1);
    pl_error error = {0};
    pl_model *model = make_model(context, kind, 5);
    pl_world *world = make_eventful_world(context, false);
    pl_collider_def ground = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
    pl_collider_id collider;
    check_ok(pl_world_add_collider(world, &ground, &collider, &error), &error);
    pl_body_id body = add_body(world, model, pl_vec3_of(0.3, 0.3, 0.1));
    int begins = 0, ends = 0;
    double impulse = 0, seconds = 0;
    for (int step = 0; step < 720; ++step) {
      run_steps(world, 1);
      pl_contact_event_view view = pl_world_get_contact_events(world);
      assert_int_equal(view.missed_count, 0);
      assert_true(view.event_count <= 2);
      begins += count_kind(view, PL_CONTACT_BEGIN);
      ends += count_kind(view, PL_CONTACT_END);
      for (int32_t i = 0; i < view.event_count; ++i) {
        const pl_contact_event *e = &view.events[i];
        assert_int_equal(e->body.slot, body.slot);
        assert_int_equal(e->collider.slot, collider.slot);
        assert_int_equal(e->other_body.slot, 0);
        assert_int_equal(e->step, step + 1);
        if (e->kind == PL_CONTACT_END) continue;
        assert_true(e->contact_count >= 1);
        check_near(e->normal.y, 1, 1e-6);
        check_at_most(fabs(e->position.y), 0.02);
        if (step >= 480) {
          assert_int_equal(e->kind, PL_CONTACT_PERSIST);
          impulse += e->impulse;
          seconds += 1.0 / 240;
          check_at_most(fabs(e->position.x - 0.3), 0.01);
          check_at_most(fabs(e->position.z - 0.1), 0.01);
        }
      }
      // It falls 0.2 m to the ground, which takes 0.2 s.
      if (step < 46) assert_int_equal(view.event_count, 0);
    }
    // What landed may hop, but then it rests.
    assert_int_equal(begins, ends + 1);
    // At rest the ground carries the weight.
    check_near(seconds, 1, 1e-9);
    double mass = pl_body_get_report(world, body).mass;
    printf("kind %d: %d begins, %.5f of the weight\n", kind, begins, impulse / (mass * 9.81 * seconds));
    check_near(impulse / (mass * 9.81 * seconds), 1, 0.01);
    // Taken away, it ends once.
    check_ok(pl_body_teleport(world, body, (pl_transform){pl_vec3_of(0, 5, 0), pl_quat_identity()}, &error), &error);
    run_steps(world, 1);
    pl_contact_event_view view = pl_world_get_contact_events(world);
    assert_int_equal(view.event_count, 1);
    assert_int_equal(view.events[0].kind, PL_CONTACT_END);
    run_steps(world, 1);
    assert_int_equal(pl_world_get_contact_events(world).event_count, 0);
    pl_world_destroy(world);
    pl_model_destroy(model);
    drop_context(context);
  }
}

static void what_sleeps_makes_no_events_and_does_not_end(void **state) {
  (void)state;
  for (int kind = 0; kind < KINDS; ++kind) {
    pl_context *context = make_context(1);
    pl_error error = {0};
    pl_model *model = make_model(context, kind, 5);
    pl_world *world = make_eventful_world(context, true);
    pl_collider_def ground = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
    check_ok(pl_world_add_collider(world, &ground, NULL, &error), &error);
    pl_body_id body = add_body(world, model, pl_vec3_of(0, 0.15, 0));
    int begins = 0, ends = 0, step = 0;
    for (; step < 2400 && !pl_body_is_asleep(world, body); ++step) {
      run_steps(world, 1);
      begins += count_kind(pl_world_get_contact_events(world), PL_CONTACT_BEGIN);
      ends += count_kind(pl_world_get_contact_events(world), PL_CONTACT_END);
    }
    assert_true(step < 2400);
    assert_int_equal(begins, ends + 1);
    for (int k = 0; k < 10; ++k) {
      run_steps(world, 1);
      assert_int_equal(pl_world_get_contact_events(world).event_count, 0);
    }
    pl_world_destroy(world);
    pl_model_destroy(model);
    drop_context(context);
  }
}

static void two_bodies_are_named_in_the_order_of_adding(void **state) {
  (void)state;
  for (int kind = 0; kind < KINDS; ++kind) {
    pl_context *context = make_context(1);
    pl_error error = {0};
    pl_model *model = make_model(context, kind, 5);
    pl_world *world = make_eventful_world(context, true);
    pl_world_set_gravity(world, pl_vec3_of(0, 0, 0));
    pl_body_id right = add_body(world, model, pl_vec3_of(0.25, 0, 0)),
               left = add_body(world, model, pl_vec3_of(0, 0, 0));
    pl_vec3 velocities[27];
    for (int i = 0; i < 27; ++i) velocities[i] = pl_vec3_of(1, 0, 0);
    check_ok(pl_body_set_state(world, left, NULL, velocities, &error), &error);
    int begins = 0;
    // Several steps a call: no beginning may be lost between them.
    for (int call = 0; call < 30; ++call) {
      check_ok(pl_world_advance(world, 4.0 / 240, 0, NULL, &error), &error);
      pl_contact_event_view view = pl_world_get_contact_events(world);
      for (int32_t i = 0; i < view.event_count; ++i) {
        const pl_contact_event *e = &view.events[i];
        assert_int_equal(e->body.slot, right.slot);
        assert_int_equal(e->other_body.slot, left.slot);
        assert_int_equal(e->collider.slot, 0);
        if (e->kind == PL_CONTACT_END) continue;
        assert_true(e->normal.x > 0.7);
        begins += e->kind == PL_CONTACT_BEGIN;
      }
    }
    assert_true(begins >= 1);
    pl_world_destroy(world);
    pl_model_destroy(model);
    drop_context(context);
  }
}

// The impulses of all steps of a collision are the momentum that went over.
static void impulses_are_the_momentum_handed_over(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = make_model(context, 0, 0);
  pl_world *world = make_eventful_world(context, true);
  pl_world_set_gravity(world, pl_vec3_of(0, 0, 0));
  pl_body_id right = add_body(world, model, pl_vec3_of(0.25, 0, 0)), left = add_body(world, model, pl_vec3_of(0, 0, 0));
  pl_vec3 velocities[27];
  for (int i = 0; i < 27; ++i) velocities[i] = pl_vec3_of(1, 0, 0);
  check_ok(pl_body_set_state(world, left, NULL, velocities, &error), &error);
  double impulse = 0, gained = 0;
  for (int step = 0; step < 60; ++step) {
    double before = pl_body_get_report(world, right).momentum.x;
    run_steps(world, 1);
    gained += pl_body_get_report(world, right).momentum.x - before;
    pl_contact_event_view view = pl_world_get_contact_events(world);
    for (int32_t i = 0; i < view.event_count; ++i)
      if (view.events[i].kind != PL_CONTACT_END) impulse += view.events[i].impulse;
  }
  printf("impulse %.6f, momentum %.6f N s\n", impulse, gained);
  assert_true(impulse > 0.1);
  check_near(impulse / gained, 1, 1e-3);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void a_removed_body_ends_its_contacts(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = make_model(context, 1, 5);
  pl_world *world = make_eventful_world(context, true);
  add_ground(world);
  pl_body_id body = add_body(world, model, pl_vec3_of(0, 0.1, 0));
  run_steps(world, 60);
  assert_int_equal(pl_world_get_contact_events(world).event_count, 1);
  check_ok(pl_world_remove_body(world, body, &error), &error);
  run_steps(world, 1);
  pl_contact_event_view view = pl_world_get_contact_events(world);
  assert_int_equal(view.event_count, 1);
  assert_int_equal(view.events[0].kind, PL_CONTACT_END);
  assert_int_equal(view.events[0].body.generation, body.generation);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static pl_world *make_heap(pl_context *context, const pl_model *model) {
  pl_world *world = make_eventful_world(context, true);
  add_ground(world);
  for (int i = 0; i < 12; ++i)
    add_body(world, model, pl_vec3_of(0.15 * (i % 2), 0.15 + 0.25 * (i / 2), 0.05 * (i % 3)));
  return world;
}

static void events_are_the_same_for_any_number_of_threads(void **state) {
  (void)state;
  pl_context *one = make_context(1), *many = make_context(3);
  pl_model *model = make_model(one, 0, 5), *other = make_model(many, 0, 5);
  pl_world *a = make_heap(one, model), *b = make_heap(many, other);
  int total = 0;
  for (int step = 0; step < 200; ++step) {
    run_steps(a, 1);
    run_steps(b, 1);
    pl_contact_event_view u = pl_world_get_contact_events(a), v = pl_world_get_contact_events(b);
    assert_int_equal(u.event_count, v.event_count);
    for (int32_t i = 0; i < u.event_count; ++i) {
      assert_int_equal(u.events[i].kind, v.events[i].kind);
      assert_int_equal(u.events[i].body.slot, v.events[i].body.slot);
      assert_int_equal(u.events[i].other_body.slot, v.events[i].other_body.slot);
      assert_true(u.events[i].impulse == v.events[i].impulse && u.events[i].position.x == v.events[i].position.x);
    }
    total += u.event_count;
  }
  assert_true(total > 500);
  pl_world_destroy(a);
  pl_world_destroy(b);
  pl_model_destroy(model);
  pl_model_destroy(other);
  drop_context(one);
  drop_context(many);
}

static void steps_with_events_allocate_nothing(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = make_model(context, 0, 5);
  pl_world *world = make_heap(context, model);
  run_steps(world, 2);
  int64_t before = pl_context_get_memory_report(context).allocation_count;
  run_steps(world, 150);
  assert_true(pl_world_get_contact_events(world).event_count > 0);
  assert_int_equal(pl_context_get_memory_report(context).allocation_count, before);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void without_the_switch_there_are_none(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = make_model(context, 0, 5);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  add_ground(world);
  add_body(world, model, pl_vec3_of(0, 0.1, 0));
  run_steps(world, 20);
  assert_int_equal(pl_world_get_contact_events(world).event_count, 0);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_body_lands_rests_and_leaves),
      cmocka_unit_test(what_sleeps_makes_no_events_and_does_not_end),
      cmocka_unit_test(two_bodies_are_named_in_the_order_of_adding),
      cmocka_unit_test(impulses_are_the_momentum_handed_over),
      cmocka_unit_test(a_removed_body_ends_its_contacts),
      cmocka_unit_test(events_are_the_same_for_any_number_of_threads),
      cmocka_unit_test(steps_with_events_allocate_nothing),
      cmocka_unit_test(without_the_switch_there_are_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
