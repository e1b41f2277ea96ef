// The corotated solid for interactive use at rest: held by pins and springs, on the ground and on slopes.
// ctest: physics once
#include "body/body_method.h"
#include "fem/fem_fast.h"
#include "fixtures/fem_bodies.h"
#include "pliant/math.h"

static pl_fem_def fast_def(double young, double poisson, int32_t rounds) {
  pl_fem_def def = pl_default_fem_def(PL_FEM_FAST);
  def.young = young;
  def.poisson = poisson;
  def.volume_rounds = rounds;
  return def;
}

// --- rest ---------------------------------------------------------------------------------------------------------

enum { MAX_POINTS = 400 };

// A bar held at one end: along x it is a cantilever, along y it hangs.
typedef struct bar {
  pl_mesh *mesh;
  int32_t point_count, pinned_count, pinned[MAX_POINTS];
} bar;

static bar make_bar(pl_context *context, bool hangs) {
  bar made = {.mesh = hangs ? make_fem_box(context, (pl_vec3){0.2, 1, 0.2}, 2, 8, 2)
                            : make_fem_box(context, (pl_vec3){1, 0.2, 0.2}, 8, 2, 2)};
  pl_mesh_view view = pl_mesh_get_view(made.mesh);
  made.point_count = view.point_count;
  assert_true(view.point_count <= MAX_POINTS);
  for (int32_t i = 0; i < view.point_count; ++i)
    if (hangs ? view.points[i].y > 0.4999 : view.points[i].x < -0.4999) made.pinned[made.pinned_count++] = i;
  return made;
}

static void pin_bar(pl_world *world, pl_body_id body, const bar *b) {
  pl_error error = {0};
  for (int32_t k = 0; k < b->pinned_count; ++k) {
    pl_pin_def pin = pl_default_pin_def();
    pin.body = body;
    pin.particle = b->pinned[k];
    pin.target = pl_mesh_get_view(b->mesh).points[b->pinned[k]];
    check_ok(pl_world_add_pin(world, &pin, NULL, &error), &error);
  }
}

// Where corotated tets with exact tangents rest under gravity.
static pl_model *find_equilibrium(pl_context *context, const pl_fem_def *like, const bar *b, pl_vec3 *x) {
  pl_error error = {0};
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  def.young = like->young;
  def.poisson = like->poisson;
  def.young_scales = like->young_scales;
  pl_model *model = make_fem_model(context, &def, b->mesh);
  memcpy(x, pl_mesh_get_view(b->mesh).points, (size_t)b->point_count * sizeof *x);
  pl_fem_equilibrium_def load = pl_default_fem_equilibrium_def();
  load.acceleration = (pl_vec3){0, -9.81, 0};
  load.pinned = b->pinned;
  load.pinned_count = b->pinned_count;
  load.load_steps = 8;
  check_ok(pl_fem_equilibrium(context, model, &load, x, NULL, &error), &error);
  return model;
}

// Largest distance from the reference after `steps` steps, as a share of the largest sag; the reference's own force at
// the points, as a share of the weight.
static void compare_rest(pl_context *context, const pl_fem_def *def, bool hangs, int32_t steps, double max,
                         double max_force) {
  pl_error error = {0};
  bar b = make_bar(context, hangs);
  pl_vec3 wanted[MAX_POINTS], x[MAX_POINTS], forces[MAX_POINTS];
  pl_model *reference = find_equilibrium(context, def, &b, wanted), *model = make_fem_model(context, def, b.mesh);
  pl_world *world = make_world(context, 1.0 / 60, -9.81);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
  pin_bar(world, body, &b);
  run_steps(world, steps);
  pl_body_get_positions(world, body, x);
  double sag = 0, worst = 0, worst_force = 0, energy;
  for (int32_t i = 0; i < b.point_count; ++i) {
    sag = fmax(sag, pl_mesh_get_view(b.mesh).points[i].y - wanted[i].y);
    worst = fmax(worst, pl_vec3_distance(x[i], wanted[i]));
  }
  check_ok(pl_fem_compute_energy(context, reference, x, &energy, forces, &error), &error);
  double weight = 0.04 * 1000 * 9.81;
  for (int32_t i = 0, k = 0; i < b.point_count; ++i) {
    if (k < b.pinned_count && b.pinned[k] == i && ++k > 0) continue;
    double fraction = 9.81 * reference->masses[i];
    worst_force = fmax(worst_force, pl_vec3_length(pl_vec3_sub(forces[i], (pl_vec3){0, fraction, 0})) / weight);
  }
  print_message("%s, E %.0e, nu %.3f, %d rounds: sag %.5f m, off by %.3f %%, force left %.4f %% of the weight\n",
                hangs ? "hanging bar" : "cantilever ", def->young, def->poisson, def->volume_rounds, sag,
                100 * worst / sag, 100 * worst_force);
  check_at_most(worst / sag, max);
  check_at_most(worst_force, max_force);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_model_destroy(reference);
  pl_mesh_destroy(b.mesh);
}

static void pinned_bodies_rest_where_corotated_tets_do(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const struct {
    double young, poisson;
    int32_t rounds;
  } cases[] = {{1e5, 0, 1}, {1e5, 0.3, 1}, {1e5, 0.3, 2}, {1e6, 0.3, 2}, {1e5, 0.49, 2}, {1e6, 0.49, 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    for (int hangs = 0; hangs < 2; ++hangs) {
      pl_fem_def def = fast_def(cases[i].young, cases[i].poisson, cases[i].rounds);
      def.mass_damping = 6;
      compare_rest(context, &def, hangs, 300, 0.01, 0.01);
    }
  drop_context(context);
}

// Points that are held from the first are in the factor: no iterations for them, and the same rest.
static void held_points_are_part_of_the_factor(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int hangs = 0; hangs < 2; ++hangs) {
    bar b = make_bar(context, hangs);
    pl_fem_def def = fast_def(1e5, 0.3, 1);
    def.mass_damping = 6;
    def.held_points = b.pinned;
    def.held_count = b.pinned_count;
    compare_rest(context, &def, hangs, 300, 0.01, 0.01);
    pl_mesh_destroy(b.mesh);
  }
  drop_context(context);
}

// A swinging bar after 60 steps.
static void swing(pl_context *context, const bar *b, const pl_fem_def *def, bool is_pinned, pl_vec3 *x) {
  pl_model *model = make_fem_model(context, def, b->mesh);
  pl_world *world = make_world(context, 1.0 / 60, -9.81);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
  if (is_pinned) pin_bar(world, body, b);
  run_steps(world, 60);
  pl_body_get_positions(world, body, x);
  pl_world_destroy(world);
  pl_model_destroy(model);
}

static void held_points_move_as_the_solved_equations_say(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  bar b = make_bar(context, false);
  pl_vec3 wanted[MAX_POINTS], x[MAX_POINTS];
  for (int k = 0; k < 2; ++k) {
    // Without volumes the first iteration is exact.
    pl_fem_def solved = fast_def(3e5, k == 0 ? 0 : 0.3, 300), def = fast_def(3e5, solved.poisson, k == 0 ? 1 : 2);
    def.held_points = b.pinned;
    def.held_count = b.pinned_count;
    double off = 0, max = k == 0 ? 2e-6 : 2e-4;
    swing(context, &b, &solved, true, wanted);
    swing(context, &b, &def, true, x);
    for (int32_t i = 0; i < b.point_count; ++i) off = fmax(off, pl_vec3_distance(x[i], wanted[i]));
    print_message("nu %.1f, %d rounds: off by %.2g m\n", def.poisson, def.volume_rounds, off);
    check_at_most(off, max);
    // Where they are not held, the other factor is used.
    swing(context, &b, &def, false, x);
    def.held_count = 0;
    swing(context, &b, &def, false, wanted);
    assert_memory_equal(x, wanted, (size_t)b.point_count * sizeof(pl_vec3));
  }
  pl_mesh_destroy(b.mesh);
  drop_context(context);
}

// Near a Poisson's ratio of 1/2 too, and stiff, with any number of rounds. It takes longer: a matrix with rotations
// that stay makes bending of stiff bodies slow. Forces are as exact as positions in single precision let them be:
// lambda is 5e9 Pa.
static void nearly_incompressible_bodies_rest_there_too(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const struct {
    double young, poisson;
    int32_t rounds;
  } cases[] = {{3e7, 0.499, 1}, {3e7, 0.499, 2}, {3e7, 0.499, 60}, {3e7, 0.495, 2}, {1e6, 0.499, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    for (int hangs = 0; hangs < 2; ++hangs) {
      pl_fem_def def = fast_def(cases[i].young, cases[i].poisson, cases[i].rounds);
      def.mass_damping = 6;
      compare_rest(context, &def, hangs, 1000, 0.01, 0.1);
    }
  drop_context(context);
}

static void every_tet_may_have_its_own_stiffness(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  double scales[8 * 2 * 2 * 6];
  for (int32_t t = 0; t < 8 * 2 * 2 * 6; ++t) scales[t] = t % 3 == 0 ? 0.3 : 4;
  pl_fem_def def = fast_def(3e5, 0.35, 3);
  def.mass_damping = 6;
  def.young_scales = scales;
  compare_rest(context, &def, false, 300, 0.01, 0.01);
  drop_context(context);
}

// A cube that hangs by springs lengthens them by its weight over their stiffness.
static void springs_carry_the_weight(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.2, 0.2, 0.2}, 2, 2, 2);
  pl_fem_def def = fast_def(1e6, 0.3, 2);
  def.mass_damping = 4;
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_world *world = make_world(context, 1.0 / 60, -9.81);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
  pl_mesh_view view = pl_mesh_get_view(mesh);
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_pin_def pin = pl_default_pin_def();
    pin.body = body;
    pin.particle = i;
    pin.target = view.points[i];
    pin.stiffness = 100;
    pin.damping = 1;
    check_ok(pl_world_add_pin(world, &pin, NULL, &error), &error);
  }
  run_steps(world, 400);
  double wanted = -8 * 9.81 / (100 * view.point_count), found = 0;
  pl_vec3 x[MAX_POINTS];
  pl_body_get_positions(world, body, x);
  for (int32_t i = 0; i < view.point_count; ++i) found += (x[i].y - view.points[i].y) / view.point_count;
  print_message("springs: mean sag %.6f m, weight over stiffness %.6f m\n", found, wanted);
  check_near(found, wanted, 1e-3 * fabs(wanted));
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void a_body_left_alone_does_not_move(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){1, 1, 1}, 4, 4, 4);
  pl_fem_def def = fast_def(1e5, 0.45, 3);
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_world *world = make_world(context, 1.0 / 60, 0);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
  pl_vec3 before[125], after[125];
  pl_body_get_positions(world, body, before);
  run_steps(world, 500);
  pl_body_get_positions(world, body, after);
  double worst = 0;
  for (int32_t i = 0; i < 125; ++i) worst = fmax(worst, pl_vec3_distance(before[i], after[i]));
  print_message("farthest any particle went: %.3g m of 1 m\n", worst);
  check_at_most(worst, 2e-6);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// On a slope of 20 degrees a body stays with friction above tan 20° = 0.364 and slides down with the rest of gravity
// below it.
static double slide(pl_context *context, double friction, double *way_out) {
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.4, 0.2, 0.4}, 4, 2, 4);
  pl_fem_def def = fast_def(1e5, 0.4, 2);
  def.friction = friction;
  pl_model *model = make_fem_model(context, &def, mesh);
  double angle = 20 * PL_PI / 180;
  pl_world *world = make_world(context, 1.0 / 60, -9.81);
  pl_collider_def ground = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  ground.placement.rotation = (pl_quat){0, 0, sin(angle / 2), cos(angle / 2)};
  ground.friction = friction;
  check_ok(pl_world_add_collider(world, &ground, NULL, &error), &error);
  pl_body_def body_def = pl_default_body_def();
  body_def.model = model;
  body_def.placement = ground.placement;
  body_def.placement.position = (pl_vec3){-0.1 * sin(angle), 0.1 * cos(angle), 0};
  pl_body_id body;
  check_ok(pl_world_add_body(world, &body_def, &body, &error), &error);
  run_steps(world, 90);
  pl_vec3 before = pl_body_get_report(world, body).center;
  run_steps(world, 60);
  pl_vec3 way = pl_vec3_sub(pl_body_get_report(world, body).center, before);
  double speed = pl_vec3_length(pl_vec3_scale(pl_body_get_report(world, body).momentum, 1 / model->mass));
  print_message("friction %.2f: %.5f m down the slope in a second, at %.4f m/s in the end\n", friction,
                pl_vec3_length(way), speed);
  *way_out = pl_vec3_length(way);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  return speed;
}

static void friction_holds_or_brakes_as_coulomb_says(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  double way;
  check_at_most(slide(context, 0.5, &way), 1e-3);
  check_at_most(way, 1e-4);
  double angle = 20 * PL_PI / 180, time = 150.0 / 60;
  double wanted = 9.81 * (sin(angle) - 0.2 * cos(angle)) * time;
  check_near(slide(context, 0.2, &way), wanted, 0.08 * wanted);
  check_near(slide(context, 0, &way), 9.81 * sin(angle) * time, 0.03 * 9.81 * sin(angle) * time);
  drop_context(context);
}

// A block on the ground sinks in until the springs of the ground carry it.
static void the_ground_carries_the_weight(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.4, 0.4, 0.4}, 3, 3, 3);
  pl_fem_def def = fast_def(1e5, 0.3, 2);
  def.mass_damping = 8;
  def.contact_stiffness = 1e6;
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_world *world = make_world(context, 1.0 / 60, -9.81);
  add_ground(world);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 0.3, 0});
  run_steps(world, 400);
  pl_body_report report = pl_body_get_report(world, body);
  int32_t count = model->surface.point_count;
  pl_vec3 points[64];
  assert_true(count <= 64);
  check_ok(pl_body_get_surface(world, body, points), &(pl_error){0});
  double push = 0, weight = 64 * 9.81;
  for (int32_t i = 0; i < count; ++i)
    push -= fmin(points[i].y - model->contact_radius, 0) * (double)((pl_fem_fast_model *)model)->touch_stiffness[i];
  print_message("at rest: fastest point %.2g m/s, the ground pushes with %.2f N, the weight is %.2f N\n",
                report.max_speed, push, weight);
  check_at_most(report.max_speed, 1e-5);
  check_near(push, weight, 1e-3 * weight);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pinned_bodies_rest_where_corotated_tets_do),
      cmocka_unit_test(held_points_are_part_of_the_factor),
      cmocka_unit_test(held_points_move_as_the_solved_equations_say),
      cmocka_unit_test(nearly_incompressible_bodies_rest_there_too),
      cmocka_unit_test(every_tet_may_have_its_own_stiffness),
      cmocka_unit_test(springs_carry_the_weight),
      cmocka_unit_test(a_body_left_alone_does_not_move),
      cmocka_unit_test(friction_holds_or_brakes_as_coulomb_says),
      cmocka_unit_test(the_ground_carries_the_weight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
