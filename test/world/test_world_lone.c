// Bodies that lie near colliders alone are resolved at once, each by one task (contact/contact_lone.h). Nothing may
// tell that from the way all other bodies go: each world here is stepped both ways and compared bit by bit after every
// step.
// ctest: equivalence threads
#include "contact/contact_solver.h"
#include "fixtures/solid_bodies.h"
#include "pliant/draw.h"
#include "pliant/math.h"
#include "world/world_state.h"

enum { MAX_COLLIDERS = 12, MAX_POINTS = 1024, MAX_DRAWN = 16384 };

typedef struct scene {
  pl_context *context;
  pl_world *world;
  pl_model *models[3];
  pl_collider_id colliders[MAX_COLLIDERS];
  pl_body_id bodies[160];
  int32_t collider_count, body_count;
} scene;

static pl_collider_id add_collider(scene *s, const pl_collider_def *def) {
  pl_error error = {0};
  check_ok(pl_world_add_collider(s->world, def, &s->colliders[s->collider_count], &error), &error);
  return s->colliders[s->collider_count++];
}

static pl_body_id add(scene *s, int model, pl_vec3 position, pl_vec3 turn, pl_vec3 velocity) {
  pl_error error = {0};
  pl_body_def def = pl_default_body_def();
  def.model = s->models[model];
  def.placement = (pl_transform){position, pl_quat_from_rotation_vector(turn)};
  def.velocity = velocity;
  check_ok(pl_world_add_body(s->world, &def, &s->bodies[s->body_count], &error), &error);
  return s->bodies[s->body_count++];
}

static scene make_scene(int32_t threads, bool at_once, bool events) {
  scene s = {.context = make_context(threads)};
  pl_error error = {0};
  pl_world_def def = pl_default_world_def();
  def.contact_events = events;
  check_ok(pl_world_create(s.context, &def, &s.world, &error), &error);
  s.world->contact_solver->has_no_lone = !at_once;
  pl_solid_def soft = pl_default_solid_def(), bouncy = pl_default_solid_def();
  bouncy.restitution = 0.6;
  s.models[0] = make_box_model(s.context, (pl_vec3){0.2, 0.2, 0.2}, 3, 3, 3, &soft);
  s.models[1] = make_box_model(s.context, (pl_vec3){0.3, 0.2, 0.2}, 5, 4, 4, &bouncy);
  s.models[2] = make_box_model(s.context, (pl_vec3){0.15, 0.15, 0.15}, 3, 3, 3, &soft);
  return s;
}

static void drop_scene(scene *s) {
  pl_world_destroy(s->world);
  for (int i = 0; i < 3; ++i) pl_model_destroy(s->models[i]);
  drop_context(s->context);
}

// Every kind of collider, still and moving, a corner of two planes, and bodies of which each meets one or two of them;
// rules for single pairs; and bodies in the air.
static scene make_varied(int32_t threads, bool at_once, bool events) {
  scene s = make_scene(threads, at_once, events);
  pl_error error = {0};
  pl_quat level = pl_quat_identity();
  pl_collider_def plane = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  pl_collider_id ground = add_collider(&s, &plane);
  plane.placement = (pl_transform){{-3, 0, 0}, pl_quat_from_axis_angle(pl_vec3_of(0, 0, 1), -1.2)};
  add_collider(&s, &plane);
  pl_collider_def sphere = pl_default_collider_def(PL_COLLIDER_SPHERE);
  sphere.radius = 0.4;
  sphere.placement.position = pl_vec3_of(0, 0, 2);
  add_collider(&s, &sphere);
  pl_collider_def capsule = pl_default_collider_def(PL_COLLIDER_CAPSULE);
  capsule.radius = 0.2;
  capsule.placement = (pl_transform){{2, 0.3, 2}, pl_quat_from_axis_angle(pl_vec3_of(1, 0, 0), 1.5)};
  add_collider(&s, &capsule);
  pl_collider_key keys[2] = {{0, {{4, 0, 2}, level}}, {2, {{4.5, 0.4, 2}, level}}};
  pl_collider_def lift = pl_default_collider_def(PL_COLLIDER_BOX);
  lift.half_size = pl_vec3_of(0.4, 0.2, 0.4);
  lift.restitution = 0.3;
  lift.keys = keys, lift.key_count = 2;
  add_collider(&s, &lift);
  pl_collider_key turns[2] = {{0, {{0, 0, 4}, level}},
                              {1, {{0, 0, 4}, pl_quat_from_axis_angle(pl_vec3_of(0, 1, 0), 2)}}};
  pl_collider_def block = pl_default_collider_def(PL_COLLIDER_MESH);
  pl_mesh *mesh = NULL, *surface = NULL;
  check_ok(pl_mesh_create_box(s.context, (pl_vec3){0.8, 0.5, 0.8}, (const int32_t[3]){2, 2, 2}, &mesh, &error), &error);
  check_ok(pl_mesh_build_boundary(s.context, mesh, &surface, NULL, &error), &error);
  block.mesh = surface;
  block.keys = turns, block.key_count = 2;
  add_collider(&s, &block);
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(surface);

  pl_vec3 none = {0, 0, 0};
  for (int i = 0; i < 6; ++i)
    add(&s, i % 3, pl_vec3_of(0.6 * i, 0.11 + 0.03 * i, 0), pl_vec3_of(0.1 * i, 0.2, 0.3 * i), none);
  add(&s, 0, pl_vec3_of(-2.8, 0.2, 0), pl_vec3_of(0, 0, 0.3), pl_vec3_of(-1, 0, 0));  // between both planes
  add(&s, 0, pl_vec3_of(0.05, 0.52, 2), none, none);                                  // slides off the sphere
  add(&s, 1, pl_vec3_of(2, 0.65, 2), pl_vec3_of(0, 0.4, 0), none);                    // on the capsule
  add(&s, 1, pl_vec3_of(4, 0.6, 2), pl_vec3_of(0.2, 0, 0), pl_vec3_of(0, -1, 0.5));   // bounces on the lift
  add(&s, 2, pl_vec3_of(0.2, 0.36, 4.1), none, none);                                 // on the turning mesh
  add(&s, 2, pl_vec3_of(0.52, 0.08, 4), none, pl_vec3_of(-0.5, 0, 0));                // at its side, on the ground
  add(&s, 0, pl_vec3_of(8, 3, 0), pl_vec3_of(1, 1, 0), none);                         // lands while it runs
  pl_contact_pair_def rule = pl_default_contact_pair_def();
  rule.collider = ground;
  rule.body = s.bodies[2];
  rule.friction = 0.01;
  rule.restitution = 0.5;
  check_ok(pl_world_set_contact_pair(s.world, &rule, &error), &error);
  rule.body = s.bodies[4];
  rule.collides = false;
  check_ok(pl_world_set_contact_pair(s.world, &rule, &error), &error);
  return s;
}

typedef struct canvas {
  int32_t count;
  pl_vec3 points[MAX_DRAWN];
} canvas;
static canvas drawn[2];

static void take_point(void *user, pl_vec3 position, double size, pl_draw_color color) {
  (void)size, (void)color;
  canvas *c = user;
  assert_true(c->count < MAX_DRAWN);
  c->points[c->count++] = position;
}
static void take_line(void *user, pl_vec3 a, pl_vec3 b, pl_draw_color color) {
  (void)color;
  take_point(user, pl_vec3_sub(b, a), 0, 0);
}
static void take_triangle(void *user, const pl_vec3 corners[3], pl_draw_color color) {
  (void)user, (void)corners, (void)color;
}
static void take_text(void *user, pl_vec3 position, const char *text, pl_draw_color color) {
  (void)user, (void)position, (void)text, (void)color;
}

static void check_same_drawing(const scene *a, const scene *b) {
  pl_error error = {0};
  const scene *both[2] = {a, b};
  for (int k = 0; k < 2; ++k) {
    drawn[k].count = 0;
    pl_draw_functions to = {take_point, take_line, take_triangle, take_text, &drawn[k]};
    check_ok(pl_world_draw(both[k]->world, &to, PL_DRAW_CONTACTS, &error), &error);
  }
  assert_int_equal(drawn[0].count, drawn[1].count);
  // Points are drawn as the state has them, in single precision.
  for (int32_t i = 0; i < drawn[0].count; ++i)
    assert_true(pl_vec3_distance(drawn[0].points[i], drawn[1].points[i]) < 1e-6);
}

static void check_same_events(const scene *a, const scene *b) {
  pl_contact_event_view p = pl_world_get_contact_events(a->world), q = pl_world_get_contact_events(b->world);
  assert_int_equal(p.event_count, q.event_count);
  assert_int_equal(p.missed_count, q.missed_count);
  for (int32_t i = 0; i < p.event_count; ++i) {
    const pl_contact_event *x = &p.events[i], *y = &q.events[i];
    assert_int_equal(x->kind, y->kind);
    assert_int_equal(x->body.slot, y->body.slot);
    assert_int_equal(x->other_body.slot, y->other_body.slot);
    assert_int_equal(x->collider.slot, y->collider.slot);
    assert_int_equal(x->contact_count, y->contact_count);
    assert_memory_equal(&x->position, &y->position, sizeof(pl_vec3));
    assert_memory_equal(&x->normal, &y->normal, sizeof(pl_vec3));
    assert_memory_equal(&x->impulse, &y->impulse, sizeof(double));
    assert_memory_equal(&x->depth, &y->depth, sizeof(double));
  }
}

static void check_same(const scene *a, const scene *b, const pl_step_report *p, const pl_step_report *q) {
  pl_error error = {0};
  assert_true(pl_world_get_hash(a->world) == pl_world_get_hash(b->world));
  assert_int_equal(p->contact_count, q->contact_count);
  assert_int_equal(p->awake_count, q->awake_count);
  assert_memory_equal(&p->deepest_contact, &q->deepest_contact, sizeof(double));
  for (int32_t i = 0; i < a->collider_count; ++i) {
    pl_vec3 x[2], y[2];
    check_ok(pl_world_get_collider_impulse(a->world, a->colliders[i], &x[0], &x[1]), NULL);
    check_ok(pl_world_get_collider_impulse(b->world, b->colliders[i], &y[0], &y[1]), NULL);
    assert_memory_equal(x, y, sizeof x);
  }
  for (int32_t i = 0; i < a->body_count; ++i) {
    static double x[MAX_POINTS], y[MAX_POINTS];
    check_ok(pl_body_get_contact_pressures(a->world, a->bodies[i], x, &error), &error);
    check_ok(pl_body_get_contact_pressures(b->world, b->bodies[i], y, &error), &error);
    int32_t count = pl_model_get_report(pl_body_get_model(a->world, a->bodies[i])).surface_point_count;
    assert_true(count <= MAX_POINTS);
    assert_memory_equal(x, y, (size_t)count * sizeof *x);
    assert_int_equal(pl_body_is_asleep(a->world, a->bodies[i]), pl_body_is_asleep(b->world, b->bodies[i]));
  }
  check_same_events(a, b);
}

// Step both; returns how many contacts of the first were resolved at once in all.
static int64_t compare_steps(scene *a, scene *b, int32_t steps) {
  pl_error error = {0};
  int64_t count = 0;
  for (int32_t i = 0; i < steps; ++i) {
    pl_step_report p, q;
    check_ok(pl_world_step(a->world, &p, &error), &error);
    check_ok(pl_world_step(b->world, &q, &error), &error);
    check_same(a, b, &p, &q);
    if (i % 10 == 0) check_same_drawing(a, b);
    count += a->world->contact_solver->memory.lone_row_count;
    assert_int_equal(b->world->contact_solver->memory.lone_row_count, 0);
  }
  return count;
}

static void all_colliders_give_the_same_bits(void **state) {
  (void)state;
  for (int events = 0; events < 2; ++events) {
    scene a = make_varied(1, true, events), b = make_varied(1, false, events);
    int64_t count = compare_steps(&a, &b, 360);
    print_message("%lld contacts at once\n", (long long)count);
    assert_true(count > 10000);
    drop_scene(&a);
    drop_scene(&b);
  }
}

static void threads_give_the_same_bits(void **state) {
  (void)state;
  const int32_t threads[3] = {2, 3, 8};
  for (int t = 0; t < 3; ++t) {
    scene a = make_varied(threads[t], true, true), b = make_varied(1, false, true);
    assert_true(compare_steps(&a, &b, 120) > 3000);
    drop_scene(&a);
    drop_scene(&b);
  }
}

// A row of resting boxes, a slow one that is pushed against its neighbour, and a fast one that hits another: surfaces
// are checked then, and no body goes alone. So many that edges are not tested (FEW_POINTS in world_contact.c).
static scene make_meeting(bool at_once) {
  scene s = make_scene(1, at_once, true);
  pl_collider_def plane = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  add_collider(&s, &plane);
  pl_vec3 none = {0, 0, 0};
  for (int i = 0; i < 150; ++i) add(&s, 0, pl_vec3_of(0.5 * (i % 40), 0.1, -2.0 * (i / 40)), none, none);
  add(&s, 0, pl_vec3_of(0, 0.11, 0.45), none, pl_vec3_of(0, 0, -1.5));
  add(&s, 0, pl_vec3_of(2.5, 0.3, 4), none, pl_vec3_of(0, 0, -16));
  add(&s, 0, pl_vec3_of(1, 0.32, 0.02), none, none);
  return s;
}

static void bodies_that_come_near_give_the_same_bits(void **state) {
  (void)state;
  scene a = make_meeting(true), b = make_meeting(false);
  int64_t count = compare_steps(&a, &b, 50);
  int32_t steps_without = 0;
  for (int i = 0; i < 40; ++i) {
    int64_t found = compare_steps(&a, &b, 1);
    steps_without += found == 0;
    count += found;
  }
  count += compare_steps(&a, &b, 200);
  print_message("%lld contacts at once, %d steps without\n", (long long)count, steps_without);
  assert_true(count > 10000 && steps_without > 0 && steps_without < 30);
  drop_scene(&a);
  drop_scene(&b);
}

// Boxes that hit the ground with a corner leave it for a while, and vibrate: in the air their vibration is limited.
static scene make_bouncing(bool at_once, double damping) {
  scene s = make_scene(1, at_once, false);
  s.world->def.contact_damping = damping;
  pl_collider_def plane = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  add_collider(&s, &plane);
  for (int i = 0; i < 48; ++i)
    add(&s, i % 3, pl_vec3_of(0.6 * (i % 8), 0.3 + 0.02 * i, 0.6 * (i / 8)), pl_vec3_of(0.3 * i, 0.2, 0.5 + 0.2 * i),
        pl_vec3_of(0, -2, 0));
  return s;
}

static void bodies_that_bounce_off_give_the_same_bits(void **state) {
  (void)state;
  for (double damping = 0; damping <= 5; damping += 5) {
    scene a = make_bouncing(true, damping), b = make_bouncing(false, damping);
    assert_true(compare_steps(&a, &b, 600) > 1000);
    drop_scene(&a);
    drop_scene(&b);
  }
}

static void sleepers_and_those_that_a_collider_wakes_give_the_same_bits(void **state) {
  (void)state;
  scene s[2];
  for (int k = 0; k < 2; ++k) {
    s[k] = make_scene(1, k == 0, true);
    pl_collider_def plane = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
    add_collider(&s[k], &plane);
    pl_collider_key keys[3] = {
        {0, {{-2, 0.1, 0}, {0, 0, 0, 1}}}, {2, {{-2, 0.1, 0}, {0, 0, 0, 1}}}, {4, {{2, 0.1, 0}, {0, 0, 0, 1}}}};
    pl_collider_def pusher = pl_default_collider_def(PL_COLLIDER_BOX);
    // Of a large face: near its edges bodies are not resolved at once.
    pusher.half_size = pl_vec3_of(0.1, 0.9, 0.9);
    pusher.keys = keys, pusher.key_count = 3;
    add_collider(&s[k], &pusher);
    for (int i = 0; i < 4; ++i) add(&s[k], 0, pl_vec3_of(0.6 * i, 0.1, 0), (pl_vec3){0, 0, 0}, (pl_vec3){0, 0, 0});
  }
  compare_steps(&s[0], &s[1], 470);
  assert_true(pl_body_is_asleep(s[0].world, s[0].bodies[0]));
  assert_true(compare_steps(&s[0], &s[1], 350) > 1000);
  for (int k = 0; k < 2; ++k) drop_scene(&s[k]);
}

// A layer that fails in some step.
static pl_status fail_sometimes(void *user, const pl_world *world, pl_body_id body, pl_vec3 *points,
                                int32_t point_count, pl_error *error) {
  (void)world, (void)body, (void)points, (void)point_count, (void)error;
  return *(const bool *)user ? PL_ERROR_INVALID_ARGUMENT : PL_OK;
}

static void a_step_that_fails_leaves_no_trace(void **state) {
  (void)state;
  scene a = make_varied(1, true, true), b = make_varied(1, false, true);
  pl_error error = {0};
  static bool fails[2];
  for (int k = 0; k < 2; ++k) {
    fails[k] = false;
    pl_layer layer = {.after_step = fail_sometimes, .user = &fails[k]};
    check_ok(pl_world_add_layer(k == 0 ? a.world : b.world, k == 0 ? a.bodies[0] : b.bodies[0], &layer, &error),
             &error);
  }
  for (int round = 0; round < 6; ++round) {
    assert_true(compare_steps(&a, &b, 11) > 0);
    uint64_t before = pl_world_get_hash(a.world);
    fails[0] = true;
    for (int i = 0; i < 2; ++i) {
      assert_int_equal(pl_world_step(a.world, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
      assert_true(pl_world_get_hash(a.world) == before);
    }
    fails[0] = false;
  }
  drop_scene(&a);
  drop_scene(&b);
}

// A snapshot is taken of the one world and continued in the other.
static void snapshots_continue_either_way(void **state) {
  (void)state;
  scene a = make_varied(1, true, false), b = make_varied(1, false, false);
  pl_error error = {0};
  run_steps(a.world, 100);
  size_t size = pl_world_snapshot_size(a.world);
  void *buffer = malloc(size);
  assert_non_null(buffer);
  pl_world_snapshot(a.world, buffer);
  check_ok(pl_world_restore(b.world, buffer, size, &error), &error);
  check_ok(pl_world_restore(a.world, buffer, size, &error), &error);
  free(buffer);
  assert_true(compare_steps(&a, &b, 60) > 1000);
  drop_scene(&a);
  drop_scene(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_colliders_give_the_same_bits),
      cmocka_unit_test(threads_give_the_same_bits),
      cmocka_unit_test(bodies_that_come_near_give_the_same_bits),
      cmocka_unit_test(bodies_that_bounce_off_give_the_same_bits),
      cmocka_unit_test(sleepers_and_those_that_a_collider_wakes_give_the_same_bits),
      cmocka_unit_test(a_step_that_fails_leaves_no_trace),
      cmocka_unit_test(snapshots_continue_either_way),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
