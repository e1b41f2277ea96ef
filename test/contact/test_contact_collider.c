// A point mass against colliders: rest, bounce, friction, carrying, and no way through.
// ctest: unit
#include "check.h"
#include "contact/contact.h"
#include "pliant/math.h"

// One particle that is its own surface point.
typedef struct point_mass {
  pl_context *context;
  pl_contact_solver *solver;
  pl_contact_surface surface;
  pl_contact_body body;
  pl_vec3 start, position, velocity, gravity;
  double inverse_mass, time, step;
  int32_t parents[4];
  float weights[4];
  pl_collider *colliders[2];
  int32_t collider_count;
} point_mass;

static void begin(point_mass *m, const pl_collider_def *defs, int32_t count) {
  pl_error error = {0};
  *m = (point_mass){
      .context = make_context(1), .collider_count = count, .inverse_mass = 0.5, .step = 1.0 / 240, .weights = {1}};
  m->gravity = pl_vec3_of(0, -9.81, 0);
  for (int32_t i = 0; i < count; ++i)
    check_ok(pl_collider_create(m->context, &defs[i], &m->colliders[i], &error), &error);
  m->surface =
      (pl_contact_surface){.point_count = 1, .parents = m->parents, .weights = m->weights, .particle_count = 1};
  m->body = (pl_contact_body){.surface = &m->surface,
                              .starts = &m->start,
                              .positions = &m->position,
                              .velocities = &m->velocity,
                              .inverse_masses = &m->inverse_mass,
                              .friction = 0.5};
  check_ok(pl_contact_solver_create(m->context, &m->solver, &error), &error);
  check_ok(pl_contact_solver_prepare(m->solver, &m->body, 1, (const pl_collider *const *)m->colliders, count, &error),
           &error);
}

static pl_contact_report advance(point_mass *m) {
  m->start = m->position;
  if (m->inverse_mass > 0) m->velocity = pl_vec3_add_scaled(m->velocity, m->gravity, m->step);
  m->position = pl_vec3_add_scaled(m->start, m->velocity, m->step);
  pl_contact_report report;
  pl_error error = {0};
  check_ok(pl_contact_solver_solve(m->solver, &m->body, 1, (const pl_collider *const *)m->colliders, m->collider_count,
                                   m->time, m->step, 8, m->gravity, &report, &error),
           &error);
  m->time += m->step;
  return report;
}

static void end(point_mass *m) {
  pl_contact_solver_destroy(m->solver);
  for (int32_t i = 0; i < m->collider_count; ++i) pl_collider_destroy(m->context, m->colliders[i]);
  drop_context(m->context);
}

static pl_mesh *plate_mesh(pl_context *context, pl_vec3 half) {
  pl_vec3 points[8];
  for (int i = 0; i < 8; ++i)
    points[i] = pl_vec3_of(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
  const int32_t triangles[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                 2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
  pl_mesh_view view = {.point_count = 8, .points = points, .triangle_count = 12, .triangles = triangles};
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  return mesh;
}

static void a_fallen_point_lies_still_on_every_form(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = plate_mesh(context, pl_vec3_of(1, 0.5, 1));
  for (int shape = PL_COLLIDER_HALF_SPACE; shape <= PL_COLLIDER_MESH; ++shape) {
    pl_collider_def def = pl_default_collider_def((pl_collider_shape)shape);
    def.mesh = mesh;
    def.restitution = 0.3;
    def.placement.position.y = shape == PL_COLLIDER_HALF_SPACE ? 0 : shape == PL_COLLIDER_CAPSULE ? -1 : -0.5;
    point_mass m;
    begin(&m, &def, 1);
    m.position = pl_vec3_of(0, 0.5, 0);
    m.velocity = pl_vec3_of(0, -1, 0);
    for (int i = 0; i < 1000; ++i) advance(&m);
    pl_vec3 settled = m.position;
    check_near(settled.y, 0, 1e-3);
    check_at_most(pl_vec3_length(m.velocity), 1e-6);
    pl_contact_report report = {0};
    for (int i = 0; i < 1000; ++i) {
      report = advance(&m);
      check_at_most(pl_vec3_length(m.velocity), 1e-6);
    }
    check_near(pl_vec3_distance(settled, m.position), 0, 1e-9);
    assert_int_equal(report.contact_count, 1);
    assert_true(m.body.moved);
    end(&m);
  }
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void a_radius_keeps_its_distance(void **state) {
  (void)state;
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_BOX);
  def.placement.position.y = -0.5;
  point_mass m;
  begin(&m, &def, 1);
  m.body.radius = 0.05;
  m.position = pl_vec3_of(0, 0.3, 0);
  for (int i = 0; i < 500; ++i) advance(&m);
  check_near(m.position.y, 0.05, 1e-4);
  end(&m);
}

static void a_bounce_rises_to_the_square_of_the_restitution(void **state) {
  (void)state;
  for (int k = 2; k <= 10; k += 2) {
    double e = 0.1 * k;
    pl_collider_def def = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
    def.restitution = e;
    point_mass m;
    begin(&m, &def, 1);
    m.position = pl_vec3_of(0, 1, 0);
    int bounces = 0;
    double top = 0;
    for (int i = 0; i < 1000 && bounces < 2; ++i) {
      bool fell = m.velocity.y < 0;
      advance(&m);
      if (fell && m.velocity.y > 0) bounces++;
      if (bounces == 1) top = fmax(top, m.position.y);
    }
    check_near(top, e * e, 0.02 * e * e);
    end(&m);
  }
}

static void an_elastic_bounce_keeps_its_height_for_ever(void **state) {
  (void)state;
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  def.restitution = 1;
  point_mass m;
  begin(&m, &def, 1);
  m.position = pl_vec3_of(0, 1, 0);
  double top = 0;
  for (int i = 0; i < 240 * 60; ++i) {
    advance(&m);
    if (i > 240 * 55) top = fmax(top, m.position.y);
  }
  check_near(top, 1, 1e-3);
  end(&m);
}

// Slide down an incline of `angle` from rest; returns the distance gone after `seconds`.
static double slide(double angle, double friction, double seconds) {
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  def.placement.rotation = pl_quat_from_axis_angle(pl_vec3_of(0, 0, 1), angle);
  def.friction = friction;
  point_mass m;
  begin(&m, &def, 1);
  m.body.friction = friction;
  int steps = (int)lround(seconds / m.step);
  for (int i = 0; i < steps; ++i) advance(&m);
  double distance = pl_vec3_length(m.position);
  end(&m);
  return distance;
}

static void friction_holds_or_slows_as_coulomb_says(void **state) {
  (void)state;
  const double angle = 0.5;  // tan = 0.546
  check_near(slide(angle, 0.6, 2), 0, 1e-9);
  for (int k = 0; k <= 5; ++k) {
    double mu = 0.1 * k, acceleration = 9.81 * (sin(angle) - mu * cos(angle));
    check_near(slide(angle, mu, 2), 0.5 * acceleration * 4, 0.02 * 0.5 * acceleration * 4);
  }
}

static void a_moving_floor_takes_what_lies_on_it_along(void **state) {
  (void)state;
  pl_collider_key keys[2] = {{0, {{0, 0, 0}, {0, 0, 0, 1}}}, {10, {{10, 5, 0}, {0, 0, 0, 1}}}};
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_BOX);
  def.half_size = pl_vec3_of(5, 0.5, 5);
  def.keys = keys, def.key_count = 2;
  point_mass m;
  begin(&m, &def, 1);
  m.position = pl_vec3_of(0, 0.5, 0);
  m.velocity = pl_vec3_of(0, 0.5, 0);
  while (m.time < 5) advance(&m);
  // It slipped until friction had brought it to 1 m/s, then stuck.
  check_near(m.velocity.x, 1, 1e-9);
  check_near(m.velocity.y, 0.5, 1e-9);
  check_near(m.position.y, 0.5 + 0.5 * m.time, 1e-3);
  double slip = 0.5 * 1 * 1 / (0.5 * 9.81);
  check_near(m.position.x, m.time - slip, 0.005);
  end(&m);
}

static void a_turntable_carries_a_point_round_without_drift(void **state) {
  (void)state;
  enum { KEYS = 13 };
  pl_collider_key keys[KEYS];
  for (int i = 0; i < KEYS; ++i)
    keys[i] = (pl_collider_key){i, {{0, -0.5, 0}, pl_quat_from_axis_angle(pl_vec3_of(0, 1, 0), i * acos(-1.0) / 6)}};
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_BOX);
  def.half_size = pl_vec3_of(5, 0.5, 5);
  def.keys = keys, def.key_count = KEYS;
  def.friction = 0.8;
  point_mass m;
  begin(&m, &def, 1);
  m.body.friction = 0.8;
  m.position = pl_vec3_of(1, 0, 0);
  m.velocity = pl_vec3_of(0, 0, -acos(-1.0) / 6);
  for (int i = 0; i < 240 * 12; ++i) advance(&m);
  check_near(pl_vec3_distance(m.position, pl_vec3_of(1, 0, 0)), 0, 1e-3);
  end(&m);
}

static void nothing_passes_a_thin_plate_at_any_speed(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = plate_mesh(context, pl_vec3_of(2, 0.005, 2));
  for (int form = 0; form < 4; ++form) {
    const pl_collider_shape shapes[4] = {PL_COLLIDER_BOX, PL_COLLIDER_MESH, PL_COLLIDER_SPHERE, PL_COLLIDER_CAPSULE};
    pl_collider_def def = pl_default_collider_def(shapes[form]);
    def.half_size = pl_vec3_of(2, 0.005, 2);
    def.mesh = mesh;
    def.radius = 0.005, def.half_length = 2;
    for (int run = 0; run < 50; ++run) {
      point_mass m;
      begin(&m, &def, 1);
      double height = 0.2 + 0.0173 * run;
      m.position = pl_vec3_of(0, height, 0);
      m.velocity = pl_vec3_of(0, -100, 0);
      if (form == 3) m.position = pl_vec3_of(height, 0, 0), m.velocity = pl_vec3_of(-100, 0, 0);
      for (int i = 0; i < 20; ++i) {
        advance(&m);
        assert_true((form == 3 ? m.position.x : m.position.y) > 0.0045);
      }
      end(&m);
    }
  }
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void a_fast_thin_wiper_pushes_a_resting_point(void **state) {
  (void)state;
  // The plate moves at 60 m/s: 25 cm a step, through a point at rest.
  pl_collider_key keys[2] = {{0, {{0, -1, 0}, {0, 0, 0, 1}}}, {0.1, {{0, 5, 0}, {0, 0, 0, 1}}}};
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_BOX);
  def.half_size = pl_vec3_of(2, 0.005, 2);
  def.keys = keys, def.key_count = 2;
  point_mass m;
  begin(&m, &def, 1);
  for (int i = 0; i < 24; ++i) {
    advance(&m);
    pl_vec3 middle = pl_collider_placement(m.colliders[0], m.time).position;
    assert_true(m.position.y > middle.y);
  }
  check_near(m.velocity.y, 60, 0.1);
  end(&m);
}

static void a_point_in_a_corner_of_a_hollow_mesh_meets_both_walls(void **state) {
  (void)state;
  // A box turned inside out is a room: solid outside, free inside.
  pl_context *context = make_context(1);
  pl_vec3 points[8];
  for (int i = 0; i < 8; ++i) points[i] = pl_vec3_of(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
  const int32_t triangles[36] = {0, 6, 4, 0, 2, 6, 1, 7, 3, 1, 5, 7, 0, 5, 1, 0, 4, 5,
                                 2, 7, 6, 2, 3, 7, 0, 3, 2, 0, 1, 3, 4, 7, 5, 4, 6, 7};
  pl_mesh_view view = {.point_count = 8, .points = points, .triangle_count = 12, .triangles = triangles};
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_MESH);
  def.mesh = mesh;
  def.friction = 0.3;
  point_mass m;
  begin(&m, &def, 1);
  m.position = pl_vec3_of(0.2, -0.9, 0.3);
  m.velocity = pl_vec3_of(3, 0, 0.5);
  for (int i = 0; i < 2000; ++i) {
    advance(&m);
    check_at_most(fmax(fabs(m.position.x), fmax(fabs(m.position.y), fabs(m.position.z))), 1.001);
  }
  check_near(pl_vec3_length(m.velocity), 0, 1e-6);
  end(&m);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void a_pinned_point_is_never_moved(void **state) {
  (void)state;
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_SPHERE);
  point_mass m;
  begin(&m, &def, 1);
  m.inverse_mass = 0;
  m.position = pl_vec3_of(0.1, 0.2, 0);
  for (int i = 0; i < 10; ++i) advance(&m);
  check_near(pl_vec3_distance(m.position, pl_vec3_of(0.1, 0.2, 0)), 0, 0);
  assert_false(m.body.moved);
  end(&m);
}

static void deep_overlap_leaves_without_speed(void **state) {
  (void)state;
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_SPHERE);
  point_mass m;
  begin(&m, &def, 1);
  m.gravity = pl_vec3_of(0, 0, 0);
  m.position = pl_vec3_of(0.1, 0.2, 0);
  for (int i = 0; i < 400; ++i) {
    advance(&m);
    check_at_most(pl_vec3_length(m.velocity), 1e-12);
  }
  check_near(pl_vec3_length(m.position), 0.5, 1e-5);
  end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fallen_point_lies_still_on_every_form),
      cmocka_unit_test(a_radius_keeps_its_distance),
      cmocka_unit_test(a_bounce_rises_to_the_square_of_the_restitution),
      cmocka_unit_test(an_elastic_bounce_keeps_its_height_for_ever),
      cmocka_unit_test(friction_holds_or_slows_as_coulomb_says),
      cmocka_unit_test(a_moving_floor_takes_what_lies_on_it_along),
      cmocka_unit_test(a_turntable_carries_a_point_round_without_drift),
      cmocka_unit_test(nothing_passes_a_thin_plate_at_any_speed),
      cmocka_unit_test(a_fast_thin_wiper_pushes_a_resting_point),
      cmocka_unit_test(a_point_in_a_corner_of_a_hollow_mesh_meets_both_walls),
      cmocka_unit_test(a_pinned_point_is_never_moved),
      cmocka_unit_test(deep_overlap_leaves_without_speed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
