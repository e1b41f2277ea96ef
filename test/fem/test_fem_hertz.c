// A rigid ball pressed into an elastic half-space through the contact springs of a body: force and contact radius of
// Hertz (1882),
//
//   F = 4/3 E/(1 - ν²) √R d^1.5        a = √(R d)
//
// The half-space is a block eight contact radii wide to each side and deep, in cells that grow with the distance from
// the contact. Its sides and bottom are held where Boussinesq's solution for the same force has them, so that being cut
// off costs nothing; held at rest, they would take away 0.42/8 of the depth, and the force would be 8 % too large. A
// long step of a light body is an equilibrium with contact.
// ctest: physics once
#include "fixtures/fem_bodies.h"

typedef struct press {
  double young, poisson, ball, depth;  // Pa, –, m, m
  double unit;                         // a of the depth that the mesh is made for, m
  int32_t cells;                       // from the middle to a side, and down
  double growth;                       // of one cell against the one before
  double spring;                       // contact stiffness in units of E / unit
} press;

// Distance from the middle of the i-th layer of points, in units of the whole.
static double graded(const press *it, int32_t i) {
  double sign = i < 0 ? -1 : 1;
  return sign * (pow(it->growth, abs(i)) - 1) / (pow(it->growth, it->cells) - 1);
}

static pl_mesh *make_half_space(pl_context *context, const press *it, double reach) {
  pl_error error = {0};
  int32_t n = it->cells;
  pl_mesh *box = make_fem_box(context, (pl_vec3){2 * n, n, 2 * n}, 2 * n, n, 2 * n), *mesh = NULL;
  pl_mesh_view view = pl_mesh_get_view(box);
  pl_vec3 *points = calloc((size_t)view.point_count, sizeof *points);
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_vec3 p = view.points[i];
    points[i] = (pl_vec3){reach * graded(it, (int32_t)lround(p.x)), reach * graded(it, (int32_t)lround(p.y - 0.5 * n)),
                          reach * graded(it, (int32_t)lround(p.z))};
  }
  view.points = points;
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  free(points);
  pl_mesh_destroy(box);
  return mesh;
}

// Displacement at a point under the load `force` at the origin, which presses down (Boussinesq 1885).
static pl_vec3 boussinesq(const press *it, double force, pl_vec3 p) {
  double G = it->young / (2 * (1 + it->poisson)), z = -p.y, R = pl_vec3_length(p), r = hypot(p.x, p.z);
  double factor = force / (12.566370614359172 * G);
  double outward = factor * (r * z / (R * R * R) - (1 - 2 * it->poisson) * r / (R * (R + z)));
  double down = factor * (z * z / (R * R * R) + 2 * (1 - it->poisson) / R);
  return (pl_vec3){r > 0 ? outward * p.x / r : 0, -down, r > 0 ? outward * p.z / r : 0};
}

// Force of the ball and the radius of the circle that it touches.
static double press_ball(pl_context *context, const press *it, double *radius) {
  pl_error error = {0};
  double a = sqrt(it->ball * it->depth), reach = 8 * it->unit;
  double hertz = 4.0 / 3 * it->young / (1 - it->poisson * it->poisson) * sqrt(it->ball) * pow(it->depth, 1.5);
  pl_mesh *mesh = make_half_space(context, it, reach);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  def.young = it->young;
  def.poisson = it->poisson;
  def.density = 1;
  def.friction = 0;
  def.scheme = PL_FEM_IMPLICIT_EULER;
  def.max_newton_iterations = 40;
  def.newton_tolerance = 1e-6;
  def.contact_stiffness = it->spring * it->young / it->unit;
  def.contact_radius = 0;  // the ball itself is pressed
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_world *world = make_world(context, 1, 0);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
  pl_collider_def ball = pl_default_collider_def(PL_COLLIDER_SPHERE);
  ball.radius = it->ball;
  ball.placement.position = (pl_vec3){0, it->ball - it->depth, 0};
  check_ok(pl_world_add_collider(world, &ball, NULL, &error), &error);
  bool *held = calloc((size_t)view.point_count, sizeof *held);
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_vec3 p = view.points[i];
    held[i] = fmax(fmax(fabs(p.x), fabs(p.z)), -p.y) > 0.999 * reach;
    if (!held[i]) continue;
    pl_pin_def pin = pl_default_pin_def();
    pin.body = body;
    pin.particle = i;
    pin.target = pl_vec3_add(p, boussinesq(it, hertz, p));
    check_ok(pl_world_add_pin(world, &pin, NULL, &error), &error);
  }
  run_steps(world, 2);
  pl_fem_report report;
  check_ok(pl_fem_get_report(world, body, &report), &error);
  // Elastic forces on what is not held are the ball's with the other sign.
  pl_vec3 *x = calloc((size_t)view.point_count, sizeof *x), *forces = calloc((size_t)view.point_count, sizeof *forces);
  double energy, force = 0, min = 0;
  pl_body_get_positions(world, body, x);
  check_ok(pl_fem_compute_energy(context, model, x, &energy, forces, &error), &error);
  for (int32_t i = 0; i < view.point_count; ++i)
    if (!held[i]) force += forces[i].y;
  // Points that are pressed with more than a hundredth of the mean force of a point.
  *radius = 0;
  for (int32_t i = 0; i < view.point_count; ++i)
    if (!held[i] && forces[i].y > 1e-4 * force) {
      *radius = fmax(*radius, hypot(view.points[i].x, view.points[i].z));
      min = fmin(min, view.points[i].y);
    }
  assert_true(min == 0);  // only the surface feels the ball
  print_message(
      "%2d cells, finest %.2f a, springs %g E/a: %.4f of Hertz's force, touching within %.2f a (%d Newton, %d "
      "linear)\n",
      it->cells, reach * graded(it, 1) / a, it->spring, force / hertz, *radius / a, report.newton_count,
      report.linear_count);
  free(held);
  free(x);
  free(forces);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  return force / hertz;
}

static void a_ball_presses_as_hertz_says(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  press it = {.young = 1e5, .poisson = 0.3, .ball = 1, .depth = 0.01, .unit = 0.1, .spring = 100};
  static const double growths[2] = {1.4, 1.25};
  for (int k = 0; k < 2; ++k) {
    double radius;
    it.cells = k == 0 ? 8 : 12;
    it.growth = growths[k];
    double fraction = press_ball(context, &it, &radius);
    check_near(fraction, 1, k == 0 ? 0.1 : 0.05);
    check_near(radius, it.unit, it.unit * 8 * graded(&it, 1) + 0.05 * it.unit);
  }
  drop_context(context);
}

static void the_force_grows_as_the_depth_to_three_halves(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  press it = {.young = 1e5, .poisson = 0.45, .ball = 1, .unit = 0.1, .cells = 8, .growth = 1.4, .spring = 100};
  double fractions[2], radius;
  for (int k = 0; k < 2; ++k) {
    it.depth = k == 0 ? 0.006 : 0.024;
    fractions[k] = press_ball(context, &it, &radius);
  }
  double exponent = 1.5 + log(fractions[1] / fractions[0]) / log(4);
  print_message("force ~ depth^%.3f\n", exponent);
  check_near(exponent, 1.5, 0.1);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_presses_as_hertz_says),
      cmocka_unit_test(the_force_grows_as_the_depth_to_three_halves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
