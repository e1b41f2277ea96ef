// Running out of memory at every single allocation of a rod body's life: nothing leaks, nothing is half made, and it
// works when memory is back. And a step allocates nothing after the first, whatever the chains meet.
// ctest: failure threads
#include "fixtures/rod_chains.h"

// A head with two chains of different build, examples with views, a loop, three colliders of its own (one a mesh), a
// skin with a morph.
typedef struct subject {
  test_rod rod;
  pl_rod_link link;
  pl_rod_collider colliders[3];
  int32_t skin_joints[2 * 8];
  float skin_weights[2 * 8];
} subject;

static void begin_subject(subject *s, const pl_mesh *surface, pl_rod_solver solver,
                          pl_rod_ghost_momentum ghost_momentum) {
  *s = (subject){.link = {3, 6}};
  begin_rod(&s->rod, 6, 0.1, (pl_vec3){0, 0, 0.1});
  add_five_examples(&s->rod);
  for (int32_t i = 7; i <= 10; ++i) {
    s->rod.joints[i] = pl_default_rod_joint(i == 7 ? 0 : i - 1);
    s->rod.joints[i].rest.position = (pl_vec3){0.1, 0.05 * (i - 7), 0};
    s->rod.joints[i].radius = 0.01;
    s->rod.joints[i].name = "whisker";
  }
  for (int32_t i = 1; i <= 10; ++i) s->rod.joints[i].pull = (pl_vec3){0, -0.5, 0.2};
  s->rod.def.joint_count = 11;
  const pl_collider_shape shapes[] = {PL_COLLIDER_SPHERE, PL_COLLIDER_CAPSULE, PL_COLLIDER_MESH};
  for (int k = 0; k < 3; ++k) {
    s->colliders[k] = (pl_rod_collider){.joint = 0, .shape = pl_default_collider_def(shapes[k])};
    s->colliders[k].shape.radius = 0.08;
    s->colliders[k].shape.half_length = 0.1;
    s->colliders[k].shape.mesh = surface;
    s->colliders[k].shape.placement.position = (pl_vec3){-0.1 + 0.1 * k, -0.1, 0.1};
  }
  for (int i = 0; i < 16; ++i) {
    s->skin_joints[i] = i % 11;
    s->skin_weights[i] = 0.5f;
  }
  pl_rod_def *def = &s->rod.def;
  def->links = &s->link;
  def->link_count = 1;
  def->colliders = s->colliders;
  def->collider_count = 3;
  def->skin =
      (pl_rod_skin){.surface = surface, .influence_count = 2, .joints = s->skin_joints, .weights = s->skin_weights};
  def->view_rule = PL_ROD_VIEW_INTERPOLATING;
  def->solver = solver;
  def->ghost_momentum = ghost_momentum;
  def->stiffness = 0.001;
}

// A closed box with a pose, which becomes a morph target. Made in its own context, so that only the rod's allocations
// fail.
static pl_mesh *make_surface(pl_context *context) {
  const int32_t cells[3] = {1, 1, 1};
  pl_mesh *box = NULL, *boundary = NULL, *surface = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create_box(context, (pl_vec3){0.1, 0.1, 0.1}, cells, &box, &error), &error);
  check_ok(pl_mesh_build_boundary(context, box, &boundary, NULL, &error), &error);
  pl_mesh_view view = pl_mesh_get_view(boundary);
  pl_vec3 moved[8];
  for (int i = 0; i < 8; ++i) moved[i] = pl_vec3_scale(view.points[i], 1.5);
  pl_mesh_pose pose = {.name = "puffed", .points = moved};
  view.poses = &pose;
  view.pose_count = 1;
  check_ok(pl_mesh_create(context, &view, &surface, &error), &error);
  pl_mesh_destroy(box);
  pl_mesh_destroy(boundary);
  return surface;
}

typedef struct set {
  pl_model *model;
  pl_world *world;
  pl_body_id body;
} set;

// From def to first step; stops at the first failure.
static pl_status build_and_step(pl_context *context, const subject *s, set *made) {
  pl_error error = {0};
  pl_status status = pl_rod_build(context, &s->rod.def, &made->model, &error);
  if (status < 0) assert_null(made->model);
  pl_world_def def = pl_default_world_def();
  def.air_density = 1.2;
  def.drag = 1;
  def.wind = (pl_vec3){2, 0, 1};
  if (status >= 0) status = pl_world_create(context, &def, &made->world, &error);
  pl_body_def body = pl_default_body_def();
  body.model = made->model;
  if (status >= 0) status = pl_world_add_body(made->world, &body, &made->body, &error);
  pl_collider_def ground = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  ground.placement.position.y = -0.2;
  if (status >= 0) status = pl_world_add_collider(made->world, &ground, NULL, &error);
  if (status >= 0) status = pl_rod_set_camera(made->world, made->body, (pl_vec3){0, 0, 2}, &error);
  if (status >= 0) status = pl_rod_set_morph_weights(made->world, made->body, (const double[1]){0.5}, &error);
  if (status >= 0) status = pl_world_step(made->world, NULL, &error);
  if (status < 0) assert_int_equal(error.status, status);
  return status;
}

static void drop(set *made) {
  pl_world_destroy(made->world);
  pl_model_destroy(made->model);
  *made = (set){0};
}

static void every_failing_allocation_is_survived(void **state) {
  (void)state;
  pl_context *plenty = make_context(1);
  pl_mesh *surface = make_surface(plenty);
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  static subject s;
  begin_subject(&s, surface, PL_ROD_MATCHED, PL_ROD_GHOST_MOMENTUM_PAPER);
  set made = {0};
  int64_t n = 1, built = 0, stepped = 0;
  for (;; ++n) {
    int64_t live = allocator.live_count;
    allocator.call_count = 0;
    allocator.fail_at = n;
    pl_status status = build_and_step(context, &s, &made);
    if (status >= 0) break;
    assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    allocator.fail_at = 0;
    built += made.model != NULL;
    // A step that failed changed nothing and can be repeated.
    if (made.world != NULL && pl_world_body_count(made.world) > 0) {
      ++stepped;
      run_steps(made.world, 2);
      pl_vec3 x[16];
      check_ok(pl_body_get_positions(made.world, made.body, x), NULL);
      for (int i = 0; i < 11; ++i) assert_true(pl_vec3_is_finite(x[i]));
    }
    drop(&made);
    assert_int_equal(allocator.live_count, live);
  }
  printf("survived %d failing allocations: %d while building, %d in or after adding the body\n", (int)n - 1,
         (int)(n - 1 - built), (int)stepped);
  assert_true(n - 1 - built > 10 && stepped > 0);
  drop(&made);
  drop_context(context);
  pl_mesh_destroy(surface);
  drop_context(plenty);
}

// A first step that fails because memory ran out leaves the world as it was.
static void a_failed_step_changes_nothing(void **state) {
  (void)state;
  pl_context *plenty = make_context(1);
  pl_mesh *surface = make_surface(plenty);
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  static subject s;
  begin_subject(&s, surface, PL_ROD_MATCHED, PL_ROD_GHOST_MOMENTUM_PAPER);
  pl_model *model = build_rod(context, &s.rod);
  int failures = 0;
  for (int64_t n = 1;; ++n) {
    pl_world *world = make_world(context, 1.0 / 240, -9.81);
    pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
    check_ok(pl_rod_set_camera(world, id, (pl_vec3){0, 0, 2}, NULL), NULL);
    uint64_t before = pl_world_get_hash(world);
    allocator.call_count = 0;
    allocator.fail_at = n;
    pl_status status = pl_world_step(world, NULL, NULL);
    allocator.fail_at = 0;
    if (status < 0) {
      assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
      assert_true(pl_world_get_hash(world) == before);
    }
    failures += status < 0;
    pl_world_destroy(world);
    if (status >= 0) break;
  }
  printf("%d allocations in the first step\n", failures);
  assert_true(failures > 0);
  pl_model_destroy(model);
  drop_context(context);
  pl_mesh_destroy(surface);
  drop_context(plenty);
}

static void a_step_allocates_nothing_after_the_first(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  pl_mesh *surface = make_surface(context);
  for (int solver = 0; solver < 2; ++solver)
    for (int ghost_momentum = 0; ghost_momentum < 3; ++ghost_momentum) {
      static subject s;
      begin_subject(&s, surface, (pl_rod_solver)solver, (pl_rod_ghost_momentum)ghost_momentum);
      set made = {0};
      assert_int_equal(build_and_step(context, &s, &made), PL_OK);
      int64_t before = pl_context_get_memory_report(context).allocation_count;
      for (int n = 0; n < 300; ++n) {
        // The camera orbits, the head nods into the ground and turns.
        pl_transform head = {{0, -0.15 * sin(0.05 * n), 0}, pl_quat_from_axis_angle((pl_vec3){1, 0, 0}, sin(0.03 * n))};
        check_ok(pl_rod_set_camera(made.world, made.body, (pl_vec3){2 * sin(0.1 * n), 0.3, 2 * cos(0.1 * n)}, NULL),
                 NULL);
        check_ok(pl_rod_set_joint_target(made.world, made.body, 0, head, 0, NULL), NULL);
        run_steps(made.world, 1);
        pl_vec3 points[8];
        pl_transform joints[16];
        check_ok(pl_body_get_surface(made.world, made.body, points), NULL);
        check_ok(pl_rod_get_joints(made.world, made.body, joints), NULL);
      }
      assert_int_equal(pl_context_get_memory_report(context).allocation_count, before);
      drop(&made);
    }
  pl_mesh_destroy(surface);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_failing_allocation_is_survived),
      cmocka_unit_test(a_failed_step_changes_nothing),
      cmocka_unit_test(a_step_allocates_nothing_after_the_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
