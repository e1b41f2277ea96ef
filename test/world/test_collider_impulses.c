// What bodies push colliders with, by balance: over every step the momentum of all bodies changes by gravity and by
// what colliders got, and so does the angular momentum around the world's origin. Each method falls on, slides on and
// rests on a tilted half-space, box and sphere, with and without restitution, awake; and all of them together. With
// PLIANT_PRINT set the figures are printed.
// ctest: physics threads
#include "fixtures/box_stacks.h"
#include "fixtures/rigid_bodies.h"
#include "fixtures/rod_chains.h"

enum { MAX_BODIES = 64, MAX_COLLIDERS = 4 };

typedef enum kind { RIGID, SOLID, EULER, MIDPOINT, FAST, KIND_COUNT } kind;
static const char *const KINDS[] = {"rigid", "solid", "implicit Euler", "midpoint", "fast"};
typedef enum place { SLOPE, BOX, BALL, PLACE_COUNT } place;
static const char *const PLACES[] = {"slope", "box", "ball"};
typedef enum motion { FALL, SLIDE, REST, MOTION_COUNT } motion;
static const char *const MOTIONS[] = {"falls", "slides", "rests"};

static const double GRAVITY = 9.81, TILT = 0.3;

// Fractions of what a step can give. Velocities are kept in single precision by solids and fast bodies, and so are
// positions.
static const double TOLERANCE = 1e-6;

typedef struct balance_scene {
  pl_context *context;
  pl_world *world;
  pl_model *models[KIND_COUNT];
  int body_count, collider_count;
  pl_body_id bodies[MAX_BODIES];
  bool is_midpoint[MAX_BODIES];
  bool spins_down;  // implicit Euler takes spin in flight too, which no collider gets
  pl_collider_id colliders[MAX_COLLIDERS];
  pl_vec3 origins[MAX_COLLIDERS];
  pl_vec3 force;  // N, on particle 0 of the first body in every step
} balance_scene;

static pl_model *make_body(pl_context *context, kind k, double restitution, double friction) {
  pl_vec3 size = {BOX_SIZE, BOX_SIZE, BOX_SIZE};
  if (k == RIGID) {
    pl_rigid_def def = pl_default_rigid_def();
    def.shape = PL_RIGID_BOX;
    def.half_size = (pl_vec3){0.5 * size.x, 0.5 * size.y, 0.25 * size.z};
    def.restitution = restitution, def.friction = friction;
    return make_rigid(context, &def, NULL);
  }
  if (k == SOLID) {
    pl_solid_def def = pl_default_solid_def();
    def.restitution = restitution, def.friction = friction;
    return make_box_model(context, size, 2, 2, 2, &def);
  }
  pl_fem_def def = pl_default_fem_def(k == FAST ? PL_FEM_FAST : PL_FEM_COROTATED);
  if (k == EULER) def.scheme = PL_FEM_IMPLICIT_EULER;
  def.fast_step = BOX_STEP;
  def.restitution = restitution, def.friction = friction;
  pl_mesh *mesh = make_fem_box(context, size, 2, 2, 2);
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_mesh_destroy(mesh);
  return model;
}

static balance_scene make_scene(int threads, bool events) {
  balance_scene s = {.context = make_context(threads)};
  pl_error error = {0};
  pl_world_def def = pl_default_world_def();
  def.step = BOX_STEP;
  def.gravity = (pl_vec3){0, -GRAVITY, 0};
  def.sleeping = false;
  def.contact_events = events;
  check_ok(pl_world_create(s.context, &def, &s.world, &error), &error);
  return s;
}

static void drop_scene(balance_scene *s) {
  pl_world_destroy(s->world);
  for (int k = 0; k < KIND_COUNT; ++k) pl_model_destroy(s->models[k]);
  drop_context(s->context);
}

static pl_quat tilt(double angle) {
  return pl_quat_from_axis_angle((pl_vec3){0, 0, 1}, -angle);
}

// Its top is at `top`, with the normal that the tilt gives it.
static void add_place(balance_scene *s, place p, double angle, pl_vec3 top, double restitution, double friction) {
  static const pl_collider_shape SHAPES[] = {PL_COLLIDER_HALF_SPACE, PL_COLLIDER_BOX, PL_COLLIDER_SPHERE};
  pl_error error = {0};
  pl_collider_def def = pl_default_collider_def(SHAPES[p]);
  double depth = p == SLOPE ? 0 : p == BOX ? 0.1 : 0.4;
  def.placement.rotation = tilt(angle);
  def.placement.position = pl_vec3_add(top, pl_quat_rotate(tilt(angle), (pl_vec3){0, -depth, 0}));
  if (p == BOX) def.half_size = (pl_vec3){0.6, 0.1, 0.6};
  if (p == BALL) def.radius = 0.4;
  def.restitution = restitution, def.friction = friction;
  s->origins[s->collider_count] = def.placement.position;
  check_ok(pl_world_add_collider(s->world, &def, &s->colliders[s->collider_count++], &error), &error);
}

static void add(balance_scene *s, kind k, pl_vec3 position, double angle, pl_vec3 velocity) {
  pl_error error = {0};
  pl_body_def def = pl_default_body_def();
  def.model = s->models[k];
  def.placement = (pl_transform){position, tilt(angle)};
  def.velocity = velocity;
  s->is_midpoint[s->body_count] = k == MIDPOINT;
  check_ok(pl_world_add_body(s->world, &def, &s->bodies[s->body_count++], &error), &error);
}

// All bodies together.
typedef struct momentum {
  pl_vec3 linear, angular;  // around the world's origin
  pl_vec3 moment;           // of the masses, kg m
  double mass, size;        // `size`: sum of mass times speed, kg m/s
  double reach;             // metres from the origin
} momentum;

static momentum momentum_of(const balance_scene *s) {
  momentum m = {.mass = 0};
  for (int i = 0; i < s->body_count; ++i) {
    pl_body_report r = pl_body_get_report(s->world, s->bodies[i]);
    m.linear = pl_vec3_add(m.linear, r.momentum);
    m.angular = pl_vec3_add(m.angular, pl_vec3_add(r.angular_momentum, pl_vec3_cross(r.center, r.momentum)));
    m.moment = pl_vec3_add_scaled(m.moment, r.center, r.mass);
    m.mass += r.mass;
    m.size += r.mass * r.max_speed;
    m.reach = fmax(m.reach, pl_vec3_length(r.center) + BOX_SIZE);
  }
  return m;
}

// What all colliders got in the last step, around the world's origin.
static void sum_impulses(const balance_scene *s, pl_vec3 *linear, pl_vec3 *angular) {
  *linear = *angular = (pl_vec3){0, 0, 0};
  for (int c = 0; c < s->collider_count; ++c) {
    pl_vec3 push, turn;
    assert_int_equal(pl_world_get_collider_impulse(s->world, s->colliders[c], &push, &turn), PL_OK);
    *linear = pl_vec3_add(*linear, push);
    *angular = pl_vec3_add(*angular, pl_vec3_add(turn, pl_vec3_cross(s->origins[c], push)));
  }
}

typedef struct imbalance {
  double linear, angular;  // the worst, as fractions
  int linear_step, angular_step;
  double carried;  // along gravity in the last steps, as a fraction of the weight
  double last_speed;
} imbalance;

// Gravity acts where a step takes positions with the velocities of its end (x1 = x0 + h v1) at the centres of its
// start; where it takes them with the mean of both velocities at the means of the centres.
static imbalance run_balance(balance_scene *s, int steps, int mean_steps) {
  imbalance worst = {.linear = 0};
  pl_vec3 weight = {0, -GRAVITY * BOX_STEP, 0};
  for (int i = 0; i < steps; ++i) {
    pl_error error = {0};
    momentum before = momentum_of(s);
    bool is_pushed = pl_vec3_length(s->force) > 0;
    if (is_pushed) check_ok(pl_world_add_force(s->world, s->bodies[0], 0, s->force, &error), &error);
    run_steps(s->world, 1);
    momentum after = momentum_of(s);
    pl_vec3 linear, angular;
    sum_impulses(s, &linear, &angular);
    pl_vec3 p = pl_vec3_add(pl_vec3_sub(after.linear, before.linear), linear);
    p = pl_vec3_add_scaled(p, weight, -before.mass);
    p = pl_vec3_add_scaled(p, s->force, -BOX_STEP);
    pl_vec3 l = pl_vec3_add(pl_vec3_sub(after.angular, before.angular), angular);
    pl_vec3 start = pl_vec3_sub(l, pl_vec3_cross(before.moment, weight));
    pl_vec3 mean = pl_vec3_sub(l, pl_vec3_cross(pl_vec3_lerp(before.moment, after.moment, 0.5), weight));
    double size = fmax(before.size, after.size) + before.mass * GRAVITY * BOX_STEP;
    double off = pl_vec3_length(p) / size;
    double turned = pl_vec3_length(s->is_midpoint[0] ? mean : start) / (size * before.reach);
    if (s->is_midpoint[0]) turned = fmin(turned, pl_vec3_length(start) / (size * before.reach));
    // A step in flight, or one that ends with a touch that only the sweeps saw.
    if (s->spins_down && !(pl_vec3_length(linear) > 0.5 * before.mass * GRAVITY * BOX_STEP)) turned = 0;
    if (is_pushed) turned = 0;
    if (off > worst.linear) worst.linear = off, worst.linear_step = i;
    if (turned > worst.angular) worst.angular = turned, worst.angular_step = i;
    if (i >= steps - mean_steps) worst.carried += linear.y / (weight.y * before.mass * mean_steps);
    worst.last_speed = after.size / after.mass;
  }
  return worst;
}

static void print_balance(const char *name, const imbalance *worst) {
  if (getenv("PLIANT_PRINT") == NULL) return;
  print_message("%s: momentum off by %.2e in step %d, angular %.2e in step %d, carries %.4f of its weight, %.3f m/s\n",
                name, worst->linear, worst->linear_step, worst->angular, worst->angular_step, worst->carried,
                worst->last_speed);
}

static imbalance run_one(kind k, place p, motion m, double restitution) {
  balance_scene s = make_scene(1, false);
  double friction = m == SLIDE ? 0.1 : 0.9, gap = m == FALL ? 0.03 : 0;
  s.models[k] = make_body(s.context, k, restitution, friction);
  pl_vec3 top = {0.1, 0.2, -0.05}, up = pl_quat_rotate(tilt(TILT), (pl_vec3){0, 1, 0});
  pl_vec3 along = pl_quat_rotate(tilt(TILT), (pl_vec3){1, 0, 0.2});
  add_place(&s, p, TILT, top, restitution, friction);
  double radius = pl_model_get_report(s.models[k]).contact_radius;
  pl_vec3 position = pl_vec3_add_scaled(top, up, 0.5 * BOX_SIZE + radius + gap);
  pl_vec3 velocity = m == FALL ? (pl_vec3){0.3, -1, 0.1} : pl_vec3_scale(along, m == SLIDE ? 0.5 : 0);
  add(&s, k, position, m == FALL ? 0.1 : TILT, velocity);
  s.spins_down = k == EULER || k == MIDPOINT;
  imbalance worst = run_balance(&s, 120, 60);
  drop_scene(&s);
  return worst;
}

static void methods_alone_are_in_balance(void **state) {
  (void)state;
  int failures = 0;
  for (int k = 0; k < KIND_COUNT; ++k)
    for (int p = 0; p < PLACE_COUNT; ++p)
      for (int m = 0; m < MOTION_COUNT; ++m)
        for (int e = 0; e < 2; ++e) {
          char name[80];
          imbalance worst = run_one((kind)k, (place)p, (motion)m, 0.5 * e);
          snprintf(name, sizeof name, "%s %s on a %s, restitution %.1f", KINDS[k], MOTIONS[m], PLACES[p], 0.5 * e);
          print_balance(name, &worst);
          bool is_good = worst.linear <= TOLERANCE && worst.angular <= TOLERANCE;
          if (!is_good) print_message("%s: off by %.2e and %.2e\n", name, worst.linear, worst.angular);
          failures += !is_good;
        }
  assert_int_equal(failures, 0);
}

// Fast enough to be put back, and onto colliders that touch faces.
static void impacts_are_in_balance(void **state) {
  (void)state;
  int failures = 0;
  for (int k = 0; k < KIND_COUNT; ++k)
    for (int small = 0; small < 2; ++small)
      for (int e = 0; e < 2; ++e) {
        char name[80];
        balance_scene s = make_scene(1, false);
        pl_error error = {0};
        s.models[k] = make_body(s.context, (kind)k, 0.5 * e, 0.5);
        pl_collider_def def = pl_default_collider_def(PL_COLLIDER_SPHERE);
        def.radius = small ? 0.03 : 0.4;
        def.placement.position = s.origins[0] = (pl_vec3){0.013, -def.radius, 0.021};
        def.restitution = 0.5 * e;
        check_ok(pl_world_add_collider(s.world, &def, &s.colliders[s.collider_count++], &error), &error);
        add(&s, (kind)k, (pl_vec3){0, 0.5 * BOX_SIZE + 0.02, 0}, small ? 0 : 0.2, (pl_vec3){0.5, -10, 0.2});
        s.spins_down = k == EULER || k == MIDPOINT;
        imbalance worst = run_balance(&s, 60, 30);
        snprintf(name, sizeof name, "%s at 10 m/s on a %s ball, restitution %.1f", KINDS[k], small ? "small" : "large",
                 0.5 * e);
        print_balance(name, &worst);
        bool is_good = worst.linear <= TOLERANCE && worst.angular <= TOLERANCE;
        if (!is_good)
          print_message("%s: off by %.2e in step %d and %.2e in step %d\n", name, worst.linear, worst.linear_step,
                        worst.angular, worst.angular_step);
        failures += !is_good;
        drop_scene(&s);
      }
  assert_int_equal(failures, 0);
}

// A moving box takes a body along: what it gets is the weight and what speeds the body up.
static void moving_colliders_are_in_balance(void **state) {
  (void)state;
  for (int k = 0; k < KIND_COUNT; ++k) {
    balance_scene s = make_scene(1, false);
    pl_error error = {0};
    s.models[k] = make_body(s.context, (kind)k, 0, 0.8);
    add_place(&s, BOX, 0, (pl_vec3){0, 0, 0}, 0, 0.8);
    add(&s, (kind)k, (pl_vec3){0, 0.5 * BOX_SIZE + 0.005, 0}, 0, (pl_vec3){0, 0, 0});
    s.spins_down = k == EULER || k == MIDPOINT;
    double linear = 0;
    for (int i = 0; i < 120; ++i) {
      double t = (i + 1) * BOX_STEP;
      s.origins[0] = (pl_vec3){0.3 * t * t, 0.2 * t * t - 0.1, 0};
      pl_transform placement = {s.origins[0], pl_quat_identity()};
      check_ok(pl_world_move_collider(s.world, s.colliders[0], placement, &error), &error);
      imbalance worst = run_balance(&s, 1, 1);
      assert_true(worst.linear <= TOLERANCE && worst.angular <= TOLERANCE);
      linear = fmax(linear, worst.linear);
    }
    if (getenv("PLIANT_PRINT") != NULL) print_message("%s on a moving box: off by %.2e\n", KINDS[k], linear);
    drop_scene(&s);
  }
}

// What is pressed down gives that on.
static void forces_go_through(void **state) {
  (void)state;
  for (int k = 0; k < KIND_COUNT; ++k) {
    balance_scene s = make_scene(1, false);
    s.models[k] = make_body(s.context, (kind)k, 0, 0.8);
    add_place(&s, SLOPE, 0, (pl_vec3){0, 0, 0}, 0, 0.8);
    add(&s, (kind)k, (pl_vec3){0, 0.5 * BOX_SIZE + 0.001, 0}, 0, (pl_vec3){0, 0, 0});
    double weight = pl_body_get_report(s.world, s.bodies[0]).mass * GRAVITY;
    s.force = (pl_vec3){0.05 * weight, -0.2 * weight, 0};
    imbalance worst = run_balance(&s, 480, 60);
    if (getenv("PLIANT_PRINT") != NULL)
      print_message("%s pressed down: off by %.2e, carries %.4f of its weight\n", KINDS[k], worst.linear,
                    worst.carried);
    assert_true(worst.linear <= TOLERANCE);
    check_near(worst.carried, 1.2, 0.01);
    drop_scene(&s);
  }
}

// In a valley each side carries half, at right angles to it but for friction, which none has.
static void colliders_share_a_body(void **state) {
  (void)state;
  for (int k = 0; k < KIND_COUNT; ++k) {
    balance_scene s = make_scene(1, false);
    s.models[k] = make_body(s.context, (kind)k, 0, 0);
    for (int side = -1; side <= 1; side += 2) add_place(&s, SLOPE, side * 0.25 * PL_PI, (pl_vec3){0, 0, 0}, 0, 0);
    double radius = pl_model_get_report(s.models[k]).contact_radius;
    add(&s, (kind)k, (pl_vec3){0, (0.5 * BOX_SIZE + radius) * sqrt(2.0), 0}, 0.25 * PL_PI, (pl_vec3){0, 0, 0});
    s.spins_down = k == EULER || k == MIDPOINT;
    imbalance worst = run_balance(&s, 360, 60);
    assert_true(worst.linear <= TOLERANCE && worst.angular <= TOLERANCE);
    pl_vec3 mean[2] = {{0, 0, 0}, {0, 0, 0}}, moment;
    double weight = pl_body_get_report(s.world, s.bodies[0]).mass * GRAVITY * BOX_STEP;
    for (int i = 0; i < 60; ++i) {
      run_steps(s.world, 1);
      for (int c = 0; c < 2; ++c) {
        pl_vec3 push;
        pl_world_get_collider_impulse(s.world, s.colliders[c], &push, &moment);
        mean[c] = pl_vec3_add_scaled(mean[c], push, 1 / (60 * weight));
      }
    }
    if (getenv("PLIANT_PRINT") != NULL)
      print_message("%s in a valley: %.4f %.4f and %.4f %.4f of its weight\n", KINDS[k], mean[0].x, mean[0].y,
                    mean[1].x, mean[1].y);
    for (int c = 0; c < 2; ++c) {
      check_near(fabs(mean[c].x), 0.5, 0.01);
      check_near(mean[c].y, -0.5, 0.01);
    }
    drop_scene(&s);
  }
}

// All methods on a slope, and on each other, next to a box and a ball that they slide against.
static balance_scene make_mixed(int threads, bool events, double restitution) {
  static const kind LOWER[4] = {RIGID, SOLID, EULER, FAST}, UPPER[4] = {SOLID, FAST, RIGID, EULER};
  balance_scene s = make_scene(threads, events);
  const double angle = 0.1, friction = 0.3;
  pl_vec3 up = pl_quat_rotate(tilt(angle), (pl_vec3){0, 1, 0}), along = pl_quat_rotate(tilt(angle), (pl_vec3){1, 0, 0});
  for (int k = 0; k < KIND_COUNT; ++k) s.models[k] = make_body(s.context, (kind)k, restitution, friction);
  add_place(&s, SLOPE, angle, (pl_vec3){0, 0, 0}, restitution, friction);
  add_place(&s, BOX, angle, pl_vec3_add_scaled(pl_vec3_scale(up, 0.15), along, 1.15), restitution, friction);
  add_place(&s, BALL, angle, pl_vec3_add_scaled(pl_vec3_scale(up, 0.2), along, -1.05), restitution, friction);
  for (int i = 0; i < 4; ++i) {
    pl_vec3 foot = pl_vec3_scale(along, 0.27 * i - 0.5);
    pl_vec3 lower = pl_vec3_add_scaled(foot, up, 0.5 * BOX_SIZE + 0.02);
    pl_vec3 upper = pl_vec3_add_scaled(pl_vec3_add_scaled(foot, up, 1.5 * BOX_SIZE + 0.05), along, 0.02);
    add(&s, LOWER[i], lower, angle, pl_vec3_scale(along, 0.4));
    add(&s, UPPER[i], upper, angle, (pl_vec3){0, 0, 0});
  }
  return s;
}

// The same without finite elements, which lose spin in flight, and without contacts between bodies.
static balance_scene make_apart(double restitution) {
  static const kind ROW[4] = {RIGID, SOLID, FAST, RIGID};
  balance_scene s = make_scene(1, false);
  const double angle = 0.1, friction = 0.3;
  pl_vec3 up = pl_quat_rotate(tilt(angle), (pl_vec3){0, 1, 0}), along = pl_quat_rotate(tilt(angle), (pl_vec3){1, 0, 0});
  for (int k = 0; k < KIND_COUNT; ++k)
    if (k != EULER && k != MIDPOINT) s.models[k] = make_body(s.context, (kind)k, restitution, friction);
  add_place(&s, SLOPE, angle, (pl_vec3){0, 0, 0}, restitution, friction);
  add_place(&s, BALL, angle, pl_vec3_scale(up, 0.2), restitution, friction);
  for (int i = 0; i < 4; ++i)
    for (int side = -1; side <= 1; side += 2) {
      pl_vec3 at = pl_vec3_add_scaled(pl_vec3_scale(along, 0.6 * i - 1), up, 0.5 * BOX_SIZE + 0.02 + 0.1 * i);
      at.z = 0.25 * side;
      add(&s, ROW[i], at, angle + 0.1 * side, pl_vec3_scale(along, 0.4));
    }
  return s;
}

static void a_row_is_in_balance(void **state) {
  (void)state;
  for (int e = 0; e < 2; ++e) {
    balance_scene s = make_apart(0.5 * e);
    imbalance worst = run_balance(&s, 240, 60);
    print_balance(e == 0 ? "row, restitution 0" : "row, restitution 0.5", &worst);
    assert_true(worst.linear <= TOLERANCE && worst.angular <= TOLERANCE);
    drop_scene(&s);
  }
}

// Contacts of solids with others keep angular momentum less well (src/contact/README.md, Limits).
static void all_together_are_in_balance(void **state) {
  (void)state;
  for (int e = 0; e < 2; ++e) {
    balance_scene s = make_mixed(1, false, 0.5 * e);
    imbalance worst = run_balance(&s, 1200, 60);
    print_balance(e == 0 ? "all, restitution 0" : "all, restitution 0.5", &worst);
    assert_true(worst.linear <= TOLERANCE && worst.angular <= 1e-4);
    check_near(worst.carried, 1, 1e-3);
    drop_scene(&s);
  }
}

// Large islands go another way than small ones.
static void heaps_are_in_balance(void **state) {
  (void)state;
  for (int mixed = 0; mixed < 2; ++mixed) {
    balance_scene s = make_scene(1, false);
    for (int k = 0; k < 2; ++k) s.models[k] = make_body(s.context, (kind)k, 0.2, 0.5);
    add_place(&s, SLOPE, 0.05, (pl_vec3){0, 0, 0}, 0.2, 0.5);
    add_place(&s, BALL, 0, (pl_vec3){0.1, 0.15, 0.1}, 0.2, 0.5);
    for (int i = 0; i < 48; ++i)
      add(&s, mixed && i % 3 == 0 ? RIGID : SOLID,
          (pl_vec3){0.21 * (i % 4) - 0.3 + 0.02 * (i / 16), 0.3 + 0.24 * (i / 16), 0.21 * (i / 4 % 4) - 0.3}, 0,
          (pl_vec3){0, -1, 0});
    imbalance worst = run_balance(&s, 240, 60);
    print_balance(mixed ? "heap with rigid boxes" : "heap", &worst);
    assert_true(worst.linear <= TOLERANCE);
    drop_scene(&s);
  }
}

static void threads_and_events_change_no_bit(void **state) {
  (void)state;
  balance_scene s[3] = {make_mixed(1, false, 0.5), make_mixed(4, false, 0.5), make_mixed(1, true, 0.5)};
  for (int i = 0; i < 120; ++i) {
    pl_vec3 linear[3][MAX_COLLIDERS], angular[3][MAX_COLLIDERS];
    for (int k = 0; k < 3; ++k) {
      run_steps(s[k].world, 1);
      for (int c = 0; c < s[k].collider_count; ++c)
        pl_world_get_collider_impulse(s[k].world, s[k].colliders[c], &linear[k][c], &angular[k][c]);
    }
    for (int k = 1; k < 3; ++k) {
      assert_memory_equal(linear[0], linear[k], (size_t)s[0].collider_count * sizeof(pl_vec3));
      assert_memory_equal(angular[0], angular[k], (size_t)s[0].collider_count * sizeof(pl_vec3));
    }
  }
  for (int k = 0; k < 3; ++k) drop_scene(&s[k]);
}

// A chain that lies on the ground: its root, which is held above, and the ground carry it between them. Events tell
// what the ground is pressed with.
static void chains_press_what_they_lie_on(void **state) {
  (void)state;
  balance_scene s = make_scene(1, true);
  pl_error error = {0};
  test_rod rod;
  begin_rod(&rod, 12, 0.05, (pl_vec3){0, 0, 0});
  check_ok(pl_rod_build(s.context, &rod.def, &s.models[0], &error), &error);
  add_place(&s, SLOPE, 0, (pl_vec3){0, 0, 0}, 0, 0.5);
  pl_body_def def = pl_default_body_def();
  def.model = s.models[0];
  def.placement = (pl_transform){{0, 0.05, 0}, pl_quat_from_axis_angle((pl_vec3){0, 0, 1}, -0.5 * PL_PI)};
  check_ok(pl_world_add_body(s.world, &def, &s.bodies[s.body_count++], &error), &error);
  double weight = pl_body_get_report(s.world, s.bodies[0]).mass * GRAVITY * BOX_STEP, carried = 0;
  for (int i = 0; i < 480; ++i) {
    pl_vec3 linear, angular;
    run_steps(s.world, 1);
    sum_impulses(&s, &linear, &angular);
    pl_contact_event_view events = pl_world_get_contact_events(s.world);
    double pressed = 0;
    for (int k = 0; k < events.event_count; ++k)
      if (events.events[k].kind != PL_CONTACT_END) pressed = events.events[k].impulse;
    check_near(-linear.y, pressed, 1e-12 + 1e-9 * pressed);
    if (i >= 240) carried -= linear.y / (240 * weight);
  }
  if (getenv("PLIANT_PRINT") != NULL) print_message("a chain: the ground carries %.4f of its weight\n", carried);
  assert_true(carried > 0.1 && carried < 1);
  drop_scene(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(methods_alone_are_in_balance),
      cmocka_unit_test(impacts_are_in_balance),
      cmocka_unit_test(moving_colliders_are_in_balance),
      cmocka_unit_test(colliders_share_a_body),
      cmocka_unit_test(forces_go_through),
      cmocka_unit_test(a_row_is_in_balance),
      cmocka_unit_test(all_together_are_in_balance),
      cmocka_unit_test(heaps_are_in_balance),
      cmocka_unit_test(threads_and_events_change_no_bit),
      cmocka_unit_test(chains_press_what_they_lie_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
