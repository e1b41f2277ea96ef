// Colliders push bodies of the fast method and do not pull: what is lifted leaves the ground, what falls bounces, and
// what rests stays.
// ctest: physics
#include <math.h>

#include "fixtures/fem_bodies.h"
#include "pliant/math.h"

static const double SIZE = 0.2, STEPS[] = {1.0 / 240, 1.0 / 60};
enum { STEP_COUNT = 2, CELLS = 4 };

typedef struct scene {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model;
  pl_world *world;
  pl_body_id cube;
} scene;

static scene make_scene(pl_fem_material material, double young, double step, pl_vec3 position) {
  scene s = {.context = make_context(1)};
  s.mesh = make_fem_box(s.context, (pl_vec3){SIZE, SIZE, SIZE}, CELLS, CELLS, CELLS);
  pl_fem_def def = pl_default_fem_def(material);
  def.scheme = PL_FEM_IMPLICIT_EULER;
  def.young = young;
  def.fast_step = step;
  s.model = make_fem_model(s.context, &def, s.mesh);
  s.world = make_world(s.context, step, -9.81);
  add_ground(s.world);
  s.cube = add_body(s.world, s.model, position);
  return s;
}

static void drop_scene(scene *s) {
  pl_world_destroy(s->world);
  pl_model_destroy(s->model);
  pl_mesh_destroy(s->mesh);
  drop_context(s->context);
}

static double lowest(const scene *s) {
  return pl_body_get_report(s->world, s->cube).box.min.y;
}

// Forces on the particles at the top, `factor` times the weight together, upward.
static void lift(const scene *s, double factor) {
  pl_error error = {0};
  pl_mesh_view view = pl_mesh_get_view(s->mesh);
  double weight = 9.81 * pl_body_get_report(s->world, s->cube).mass, count = (CELLS + 1) * (CELLS + 1);
  for (int32_t i = 0; i < view.point_count; ++i)
    if (view.points[i].y > 0.499 * SIZE)
      check_ok(pl_world_add_force(s->world, s->cube, i, (pl_vec3){0, factor * weight / count, 0}, &error), &error);
}

// How far the centre rises within half a second, and where the lowest point is then.
static double rise_of(pl_fem_material material, double young, double step, double factor, double *low) {
  scene s = make_scene(material, young, step, (pl_vec3){0, 0.5 * SIZE, 0});
  run_steps(s.world, (int32_t)(1 / step));
  double start = pl_body_get_report(s.world, s.cube).center.y;
  for (int32_t i = 0; i < (int32_t)(0.5 / step); ++i) {
    lift(&s, factor);
    run_steps(s.world, 1);
  }
  double rise = pl_body_get_report(s.world, s.cube).center.y - start;
  *low = lowest(&s);
  drop_scene(&s);
  return rise;
}

// As corotated elements, which know their contacts in every iteration.
static void the_ground_does_not_hold_back_what_is_lifted(void **state) {
  (void)state;
  static const double factors[] = {0.8, 1.2};
  for (int k = 0; k < 4 * STEP_COUNT; ++k) {
    double step = STEPS[k % STEP_COUNT], young = k / STEP_COUNT % 2 == 0 ? 1e5 : 1e7;
    double factor = factors[k / (2 * STEP_COUNT)], low, wanted_low;
    double rise = rise_of(PL_FEM_FAST, young, step, factor, &low);
    double wanted = rise_of(PL_FEM_COROTATED, young, step, factor, &wanted_low);
    print_message("%g Pa, 1/%.0f s, lifted by %.1f times the weight: rises %.4f m, corotated %.4f; lowest %.4f, %.4f\n",
                  young, 1 / step, factor, rise, wanted, low, wanted_low);
    assert_true(fabs(rise - wanted) < fmax(0.05 * wanted, 1e-3) && fabs(low - wanted_low) < fmax(0.05 * wanted, 1e-3));
  }
}

// Particles at the top, held by springs that rise: the body comes along, 25 springs of 400 N/m carry it within 2 cm.
static void what_pins_lift_follows(void **state) {
  (void)state;
  for (int k = 0; k < STEP_COUNT; ++k) {
    double step = STEPS[k];
    scene s = make_scene(PL_FEM_FAST, 1e6, step, (pl_vec3){0, 0.5 * SIZE, 0});
    run_steps(s.world, (int32_t)(0.5 / step));
    pl_mesh_view view = pl_mesh_get_view(s.mesh);
    pl_error error = {0};
    pl_pin_id pins[(CELLS + 1) * (CELLS + 1)];
    pl_vec3 targets[(CELLS + 1) * (CELLS + 1)];
    int32_t count = 0;
    for (int32_t i = 0; i < view.point_count; ++i) {
      if (view.points[i].y < 0.499 * SIZE) continue;
      pl_pin_def pin = pl_default_pin_def();
      pin.body = s.cube, pin.particle = i, pin.stiffness = 400, pin.damping = 5;
      targets[count] = pin.target = pl_vec3_add(view.points[i], (pl_vec3){0, 0.5 * SIZE, 0});
      check_ok(pl_world_add_pin(s.world, &pin, &pins[count++], &error), &error);
    }
    for (int32_t i = 0; i < (int32_t)(2 / step); ++i) {
      for (int32_t p = 0; p < count; ++p) {
        targets[p].y += 0.2 * step;
        check_ok(pl_world_move_pin(s.world, pins[p], targets[p], &error), &error);
      }
      run_steps(s.world, 1);
    }
    print_message("1/%.0f s: pins rose by 0.400 m, the lowest point by %.3f m\n", 1 / step, lowest(&s));
    assert_true(fabs(lowest(&s) - 0.4) < 0.02);
    drop_scene(&s);
  }
}

// Implicit Euler takes most of the blow; the remainder lifts the body.
static void what_falls_bounces(void **state) {
  (void)state;
  scene s = make_scene(PL_FEM_FAST, 2e4, STEPS[0], (pl_vec3){0, 0.5 + 0.5 * SIZE, 0});
  double highest = 0, before = 1;
  bool rises = false;
  for (int32_t i = 0; i < 240; ++i) {
    run_steps(s.world, 1);
    double height = lowest(&s);
    rises = rises || height > before + 1e-4;
    if (rises) highest = fmax(highest, height);
    before = height;
  }
  print_message("from 0.5 m the lowest point bounces to %.3f m\n", highest);
  assert_true(highest > 0.02 && highest < 0.4);
  run_steps(s.world, 5 * 240);
  assert_true(pl_body_is_asleep(s.world, s.cube));
  drop_scene(&s);
}

// In the corner of a room, with gravity into it; then away from one wall, along the other.
static void a_wall_does_not_hold_back_what_leaves_it(void **state) {
  (void)state;
  for (int k = 0; k < STEP_COUNT; ++k) {
    scene s = make_scene(PL_FEM_FAST, 3e5, STEPS[k], (pl_vec3){0.5 * SIZE, 0.5 * SIZE, 0});
    pl_error error = {0};
    pl_collider_def side = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
    side.placement.rotation = pl_quat_from_axis_angle((pl_vec3){0, 0, 1}, -0.5 * PL_PI);
    check_ok(pl_world_add_collider(s.world, &side, NULL, &error), &error);
    pl_world_set_gravity(s.world, (pl_vec3){-6, -8, 0});
    run_steps(s.world, (int32_t)(1 / STEPS[k]));
    double near = pl_body_get_report(s.world, s.cube).box.min.x;
    // Friction of 0.5 holds 4 of these 6 m/s².
    pl_world_set_gravity(s.world, (pl_vec3){6, -8, 0});
    run_steps(s.world, (int32_t)(0.5 / STEPS[k]));
    double far = pl_body_get_report(s.world, s.cube).box.min.x, wanted = 0.5 * (6 - 4) * 0.25;
    print_message("1/%.0f s: %.2f mm from the wall, then %.3f m of %.3f\n", 1 / STEPS[k], 1e3 * near, far, wanted);
    assert_true(fabs(near) < 4e-4 && fabs(far - wanted) < 0.1 * wanted);
    drop_scene(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_ground_does_not_hold_back_what_is_lifted),
      cmocka_unit_test(what_pins_lift_follows),
      cmocka_unit_test(what_falls_bounces),
      cmocka_unit_test(a_wall_does_not_hold_back_what_leaves_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
