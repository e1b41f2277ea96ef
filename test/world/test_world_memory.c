// Running out of memory at every single allocation: build, add and step fail cleanly, leak nothing, and work when
// memory is back. And a step allocates nothing after the first.
// ctest: failure threads
#include "fixtures/solid_bodies.h"

typedef struct set {
  pl_mesh *mesh;
  pl_model *model;
  pl_world *world;
} set;

// Everything from mesh to first step; stops at the first failure.
static pl_status build_and_step(pl_context *context, set *s) {
  pl_error error = {0};
  pl_solid_def solid = pl_default_solid_def();
  solid.self_contact = true;
  pl_status status =
      pl_mesh_create_box(context, (pl_vec3){0.4, 0.4, 0.4}, (const int32_t[3]){2, 2, 2}, &s->mesh, &error);
  if (status >= 0) status = pl_solid_build(context, &solid, s->mesh, &s->model, &error);
  pl_world_def def = pl_default_world_def();
  def.air_density = 1.2;
  if (status >= 0) status = pl_world_create(context, &def, &s->world, &error);
  pl_body_def body = pl_default_body_def();
  body.model = s->model;
  pl_body_id id = {0, 0};
  if (status >= 0) status = pl_world_add_body(s->world, &body, &id, &error);
  body.placement.position.y = 0.45;
  if (status >= 0) status = pl_world_add_body(s->world, &body, NULL, &error);
  pl_collider_def ground = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  ground.placement.position.y = -0.2;
  if (status >= 0) status = pl_world_add_collider(s->world, &ground, NULL, &error);
  pl_pin_def pin = pl_default_pin_def();
  pin.body = id;
  if (status >= 0) status = pl_world_add_pin(s->world, &pin, NULL, &error);
  if (status >= 0) status = pl_world_step(s->world, NULL, &error);
  return status;
}

static void drop(set *s) {
  pl_world_destroy(s->world);
  pl_model_destroy(s->model);
  pl_mesh_destroy(s->mesh);
  *s = (set){0};
}

static void every_failing_allocation_is_survived(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  set s = {0};
  int64_t n = 1;
  for (;; ++n) {
    int64_t live = allocator.live_count;
    allocator.call_count = 0;
    allocator.fail_at = n;
    pl_status status = build_and_step(context, &s);
    if (status >= 0) break;
    assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    allocator.fail_at = 0;
    // What was made before the failure is usable: the world, if there is one, steps.
    if (s.world != NULL) run_steps(s.world, 1);
    drop(&s);
    assert_int_equal(allocator.live_count, live);
  }
  print_message("survived %d failing allocations\n", (int)n - 1);
  assert_true(n > 40);
  drop(&s);
  drop_context(context);
}

static void a_step_allocates_nothing_after_the_first(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  set s = {0};
  assert_int_equal(build_and_step(context, &s), PL_OK);
  int64_t before = pl_context_get_memory_report(context).allocation_count;
  run_steps(s.world, 400);
  assert_int_equal(pl_context_get_memory_report(context).allocation_count, before);
  drop(&s);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_failing_allocation_is_survived),
      cmocka_unit_test(a_step_allocates_nothing_after_the_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
