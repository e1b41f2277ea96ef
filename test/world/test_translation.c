// The same motion wherever in the world it happens, and no force from things that are not touched.
//
// Every scene runs at the origin, and again with all that is in it moved by 5 m and by 1 km along each axis. Positions
// of particles and surface points are compared with the move taken off. A scene counts only if contact matters in it:
// without contact the same points must end up elsewhere.
//
// Bounds. Finite elements keep positions in double precision: at 1 km they are rounded to 2^-53 km = 1.1e-13 m,
// elsewhere to less. Solids, fast solids and rods keep floats around an origin near the body, so that their rounding
// does not depend on the place either: moves by whole cells of the origin's grid leave the same floats, unless a double
// far away is rounded across the border between two of them, which is worth 2^-24 of the size of the body, 3e-8 m. Runs
// are short, every step is solved to its tolerance, and nothing is chaotic yet, but an error still grows with the steps
// and with the stiffness of the contact: by up to 500 for doubles and 15 for floats in these scenes. The bounds have
// room for 10,000 and 1,000, which is 1 nm and 30 µm.
// ctest: physics once
#include "base/random.h"
#include "fixtures/fem_bodies.h"
#include "fixtures/rod_chains.h"
#include "pliant/math.h"

static const double DOUBLE_BOUND = 1e4 * 1.1e-13, FLOAT_BOUND = 1e3 * 3e-8;

static const double FAR = 1000, NEAR = 5;

enum { POSITION_COUNT = 6, STEP_COUNT = 20, MAX_BODIES = 2 };

static pl_vec3 place_at(int k) {
  double by = k < 3 ? NEAR : FAR;
  return (pl_vec3){k % 3 == 0 ? by : 0, k % 3 == 1 ? by : 0, k % 3 == 2 ? by : 0};
}

// Something that falls, at the origin.
typedef struct subject {
  char name[80];
  pl_model *model;
  double bound;                   // m
  pl_quat rotation;               // how the model is placed
  pl_vec3 position, velocity;     // of its frame
  pl_vec3 other, other_velocity;  // the same of a second body of this kind
  pl_vec3 stretch;                // 1/s: velocity per distance from the frame's origin along each axis
  pl_vec3 eye;                    // a camera; zero: none
  int32_t step_count;
} subject;

typedef struct scene {
  const subject *what;
  const pl_collider_def *collider;  // or NULL
  int32_t body_count;
  bool collides;
} scene;

static void add_one(const scene *s, pl_world *world, int32_t number, pl_vec3 move, pl_body_id *body) {
  pl_error error = {0};
  const subject *what = s->what;
  pl_body_def def = pl_default_body_def();
  def.model = what->model;
  def.collides = s->collides;
  def.placement.rotation = what->rotation;
  def.placement.position = pl_vec3_add(number == 0 ? what->position : what->other, move);
  def.velocity = number == 0 ? what->velocity : what->other_velocity;
  check_ok(pl_world_add_body(world, &def, body, &error), &error);
  if (pl_vec3_length(what->eye) > 0)
    check_ok(pl_rod_set_camera(world, *body, pl_vec3_add(what->eye, move), &error), &error);
  if (pl_vec3_length(what->stretch) == 0) return;
  int32_t n = pl_model_get_report(what->model).particle_count;
  pl_vec3 *x = calloc((size_t)n, sizeof *x), *v = calloc((size_t)n, sizeof *v);
  pl_body_get_positions(world, *body, x);
  for (int32_t i = 0; i < n; ++i) {
    pl_vec3 r = pl_vec3_sub(x[i], def.placement.position);
    v[i] = pl_vec3_add(def.velocity, (pl_vec3){what->stretch.x * r.x, what->stretch.y * r.y, what->stretch.z * r.z});
  }
  check_ok(pl_body_set_state(world, *body, NULL, v, &error), &error);
  free(x);
  free(v);
}

// Points of all bodies at the end, particles before surfaces, with the move taken off; free() them.
static pl_vec3 *play(pl_context *context, const scene *s, pl_vec3 move, int32_t *count) {
  pl_error error = {0};
  pl_world *world = make_world(context, 1.0 / 100, -9.81);
  pl_body_id bodies[MAX_BODIES];
  if (s->collider != NULL) {
    pl_collider_def def = *s->collider;
    def.placement.position = pl_vec3_add(def.placement.position, move);
    check_ok(pl_world_add_collider(world, &def, NULL, &error), &error);
  }
  for (int32_t b = 0; b < s->body_count; ++b) add_one(s, world, b, move, &bodies[b]);
  for (int32_t i = 0; i < s->what->step_count; ++i) {
    pl_step_report report;
    check_ok(pl_world_step(world, &report, &error), &error);
    // A step that stops at its limit of iterations ends anywhere, and magnifies rounding by any factor.
    assert_int_equal(report.unconverged_count, 0);
  }
  pl_model_report report = pl_model_get_report(s->what->model);
  int32_t each = report.particle_count + report.surface_point_count;
  *count = s->body_count * each;
  pl_vec3 *points = calloc((size_t)*count, sizeof *points);
  for (int32_t b = 0; b < s->body_count; ++b) {
    pl_body_get_positions(world, bodies[b], points + b * each);
    pl_body_get_surface(world, bodies[b], points + b * each + report.particle_count);
  }
  for (int32_t i = 0; i < *count; ++i) points[i] = pl_vec3_sub(points[i], move);
  pl_world_destroy(world);
  return points;
}

static double max_distance(const pl_vec3 *a, const pl_vec3 *b, int32_t count) {
  double max = 0;
  for (int32_t i = 0; i < count; ++i) {
    double d = pl_vec3_distance(a[i], b[i]);
    if (!(d <= max)) max = d;  // not a number counts too
  }
  return max;
}

static void compare(pl_context *context, const scene *s, const char *with) {
  int32_t count;
  scene apart = *s;
  apart.collides = false;
  pl_vec3 *here = play(context, s, (pl_vec3){0, 0, 0}, &count),
          *untouched = play(context, &apart, (pl_vec3){0, 0, 0}, &count);
  double effect = max_distance(here, untouched, count), near = 0, far = 0;
  for (int k = 0; k < POSITION_COUNT; ++k) {
    pl_vec3 *there = play(context, s, place_at(k), &count);
    double d = max_distance(here, there, count);
    if (k < 3 && !(d <= near)) near = d;
    if (k >= 3 && !(d <= far)) far = d;
    free(there);
  }
  free(here);
  free(untouched);
  print_message("%s, %s: contact moves points by %.2g m; differences %.2g m at 5 m, %.2g m at 1 km\n", s->what->name,
                with, effect, near, far);
  if (!(effect > 1e-3)) fail_msg("%s, %s: contact hardly matters here", s->what->name, with);
  check_at_most(near, s->what->bound);
  check_at_most(far, s->what->bound);
}

// --- what falls ---------------------------------------------------------------------------------------------------

static subject falling(const char *name, pl_model *model, double bound, double below) {
  subject it = {.model = model,
                .bound = bound,
                .rotation = pl_quat_identity(),
                .position = {0, below + 0.004, 0},
                .velocity = {0.1, -1.5, 0.05},
                .other = {0.03, 3 * below + 0.008, 0.02},
                .other_velocity = {0, -3.5, 0},
                .step_count = STEP_COUNT};
  snprintf(it.name, sizeof it.name, "%s", name);
  return it;
}

typedef struct tet_kind {
  const char *name;
  int material;  // -1: a solid
  pl_fem_scheme scheme;
  pl_fem_solver solver;
  bool adapts, has_example;
} tet_kind;

static const tet_kind TET_KINDS[] = {
    {"solid", -1, 0, 0, false, false},
    {"solid with an example", -1, 0, 0, false, true},
    {"corotated, second order", PL_FEM_COROTATED, PL_FEM_SECOND_ORDER, PL_FEM_SOLVER_DIRECT, false, false},
    {"corotated, Euler, conjugate gradients", PL_FEM_COROTATED, PL_FEM_IMPLICIT_EULER, PL_FEM_SOLVER_CG, false, false},
    {"neo-Hookean, second order, example", PL_FEM_NEO_HOOKEAN, PL_FEM_SECOND_ORDER, PL_FEM_SOLVER_AUTO, false, true},
    {"neo-Hookean, Euler", PL_FEM_NEO_HOOKEAN, PL_FEM_IMPLICIT_EULER, PL_FEM_SOLVER_DIRECT, false, false},
    {"edges, adapting", PL_FEM_EDGES, PL_FEM_IMPLICIT_EULER, PL_FEM_SOLVER_DIRECT, true, false},
    {"fast", PL_FEM_FAST, 0, 0, false, false},
};
enum { TET_KIND_COUNT = sizeof TET_KINDS / sizeof *TET_KINDS };

static bool has_floats(const tet_kind *kind) {
  return kind->material == -1 || kind->material == PL_FEM_FAST;
}

static pl_model *make_tets(pl_context *context, const tet_kind *kind, const pl_mesh *mesh, const pl_mesh *surface,
                           bool self_contact) {
  pl_error error = {0};
  pl_model *model = NULL;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_vec3 *posed = calloc((size_t)view.point_count, sizeof *posed), middle = {0, 0, 0};
  for (int32_t i = 0; i < view.point_count; ++i)
    middle = pl_vec3_add_scaled(middle, view.points[i], 1.0 / view.point_count);
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_vec3 p = pl_vec3_sub(view.points[i], middle);
    posed[i] = pl_vec3_add((pl_vec3){1.15 * p.x, 0.9 * p.y + 0.5 * p.x * p.x, p.z + 0.4 * p.x * p.y}, middle);
  }
  const pl_mesh_pose example = {"bent", posed};
  if (kind->material == -1) {
    pl_solid_def def = pl_default_solid_def();
    def.damping = 1;
    def.surface = surface;
    def.self_contact = self_contact;
    def.contact_radius = 0.002;
    def.examples = &example;
    def.example_count = kind->has_example;
    check_ok(pl_solid_build(context, &def, mesh, &model, &error), &error);
  } else {
    pl_fem_def def = pl_default_fem_def((pl_fem_material)kind->material);
    def.young = 5e4;
    def.stiffness_damping = kind->material == PL_FEM_FAST ? 0 : 0.005;
    def.scheme = kind->scheme;
    def.solver = kind->solver;
    def.adapts = kind->adapts;
    def.max_newton_iterations = 50;
    def.fast_step = 1.0 / 100;
    def.surface = surface;
    def.self_contact = self_contact;
    def.contact_radius = 0.002;
    def.examples = &example;
    def.example_count = kind->has_example;
    model = make_fem_model(context, &def, mesh);
  }
  free(posed);
  return model;
}

// --- what it falls on ---------------------------------------------------------------------------------------------

static const char *const SHAPE_NAMES[] = {"half-space", "sphere", "capsule", "box", "mesh"};
enum { SHAPE_COUNT = sizeof SHAPE_NAMES / sizeof *SHAPE_NAMES };

// One of every shape with its top at the origin, a little off the centre so that nothing is symmetric.
static pl_collider_def make_collider(int shape, const pl_mesh *mesh) {
  pl_collider_def def = pl_default_collider_def((pl_collider_shape)(PL_COLLIDER_HALF_SPACE + shape));
  def.radius = 0.25;
  def.half_length = 0.3;
  def.half_size = (pl_vec3){0.25, 0.2, 0.25};
  def.mesh = mesh;
  switch (def.shape) {
    case PL_COLLIDER_HALF_SPACE: def.placement.rotation = pl_quat_from_axis_angle((pl_vec3){1, 0, 2}, 0.05); break;
    case PL_COLLIDER_SPHERE: def.placement.position = (pl_vec3){0.02, -0.25, 0.03}; break;
    case PL_COLLIDER_CAPSULE:
      def.placement.position = (pl_vec3){0.02, -0.25, 0.03};
      def.placement.rotation = pl_quat_from_axis_angle((pl_vec3){1, 0, 0.5}, 1.57);
      break;
    default: def.placement.position = (pl_vec3){0.02, -0.2, 0.03}; break;
  }
  return def;
}

typedef struct fixture {
  pl_context *context;
  pl_mesh *block;  // of the mesh collider
} fixture;

static fixture begin(void) {
  pl_error error = {0};
  fixture f = {.context = make_context(1)};
  pl_mesh *tets = make_fem_box(f.context, (pl_vec3){0.5, 0.4, 0.5}, 2, 2, 2);
  check_ok(pl_mesh_build_boundary(f.context, tets, &f.block, NULL, &error), &error);
  pl_mesh_destroy(tets);
  return f;
}

static void end(fixture *f) {
  pl_mesh_destroy(f->block);
  drop_context(f->context);
}

static void compare_with_colliders(const fixture *f, const subject *what) {
  for (int shape = 0; shape < SHAPE_COUNT; ++shape) {
    pl_collider_def collider = make_collider(shape, f->block);
    scene s = {.what = what, .collider = &collider, .body_count = 1, .collides = true};
    compare(f->context, &s, SHAPE_NAMES[shape]);
  }
}

static void compare_with_itself_twice(const fixture *f, const subject *what) {
  scene s = {.what = what, .body_count = 2, .collides = true};
  compare(f->context, &s, "another of its kind");
}

// --- tests --------------------------------------------------------------------------------------------------------

static void solids_of_tets_move_alike_everywhere(void **state) {
  (void)state;
  fixture f = begin();
  pl_mesh *mesh = make_fem_box(f.context, (pl_vec3){0.3, 0.3, 0.3}, 2, 2, 2);
  for (int k = 0; k < TET_KIND_COUNT; ++k) {
    const tet_kind *kind = &TET_KINDS[k];
    subject what = falling(kind->name, make_tets(f.context, kind, mesh, NULL, false),
                           has_floats(kind) ? FLOAT_BOUND : DOUBLE_BOUND, 0.15);
    compare_with_colliders(&f, &what);
    compare_with_itself_twice(&f, &what);
    pl_model_destroy(what.model);
  }
  pl_mesh_destroy(mesh);
  end(&f);
}

// A surface of 0.2 m in a cage of 0.3 m whose tets have corners, edges and faces in common with it.
static void make_caged_surface(pl_context *context, pl_mesh **cage, pl_mesh **surface) {
  pl_error error = {0};
  *cage = make_fem_box(context, (pl_vec3){0.3, 0.3, 0.3}, 2, 2, 2);
  pl_mesh *inner = make_fem_box(context, (pl_vec3){0.2, 0.2, 0.2}, 4, 4, 4);
  check_ok(pl_mesh_build_boundary(context, inner, surface, NULL, &error), &error);
  pl_mesh_destroy(inner);
}

// Points of a surface one of whose weights is zero and a later one is not.
static int32_t count_early_zeros(pl_context *context, const pl_mesh *mesh, const pl_mesh *surface) {
  pl_error error = {0};
  pl_mesh_view fine = pl_mesh_get_view(surface);
  pl_embedding *embedding = NULL;
  check_ok(pl_embedding_build(context, mesh, &(pl_embedding_input){fine.points, fine.point_count, 0}, &embedding, NULL,
                              &error),
           &error);
  pl_embedding_view view = pl_embedding_get_view(embedding);
  int32_t count = 0;
  for (int32_t i = 0; i < view.point_count; ++i) {
    const float *w = view.weights + 4 * (size_t)i;
    count += (w[0] == 0 && w[1] + w[2] + w[3] > 0) || (w[1] == 0 && w[2] + w[3] > 0) || (w[2] == 0 && w[3] > 0);
  }
  pl_embedding_destroy(embedding);
  return count;
}

static void surfaces_in_cages_move_alike_everywhere(void **state) {
  (void)state;
  fixture f = begin();
  pl_mesh *cage, *surface;
  make_caged_surface(f.context, &cage, &surface);
  assert_true(count_early_zeros(f.context, cage, surface) > 10);
  for (int k = 0; k < TET_KIND_COUNT; ++k) {
    const tet_kind *kind = &TET_KINDS[k];
    subject what = falling("", make_tets(f.context, kind, cage, surface, false),
                           has_floats(kind) ? FLOAT_BOUND : DOUBLE_BOUND, 0.1);
    snprintf(what.name, sizeof what.name, "finer surface, %s", kind->name);
    compare_with_colliders(&f, &what);
    compare_with_itself_twice(&f, &what);
    pl_model_destroy(what.model);
  }
  pl_mesh_destroy(cage);
  pl_mesh_destroy(surface);
  end(&f);
}

static pl_mesh *make_moved(pl_context *context, const pl_mesh *mesh, pl_vec3 by) {
  pl_error error = {0};
  pl_mesh *moved = NULL;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_vec3 *points = calloc((size_t)view.point_count, sizeof *points);
  for (int32_t i = 0; i < view.point_count; ++i) points[i] = pl_vec3_add(view.points[i], by);
  view.points = points;
  check_ok(pl_mesh_create(context, &view, &moved, &error), &error);
  free(points);
  return moved;
}

// The files of a modeller need not have the body in the middle. Weights are floats that are made from rounded points,
// and some that are exactly zero here are not there.
static void meshes_away_from_their_origin_move_alike(void **state) {
  (void)state;
  fixture f = begin();
  pl_mesh *cage, *surface;
  make_caged_surface(f.context, &cage, &surface);
  for (int k = 0; k < TET_KIND_COUNT; ++k) {
    const tet_kind *kind = &TET_KINDS[k];
    pl_vec3 *here = NULL;
    double worst = 0;
    for (int at = -1; at < POSITION_COUNT; ++at) {
      pl_vec3 by = at < 0 ? (pl_vec3){0, 0, 0} : place_at(at);
      pl_mesh *moved_cage = make_moved(f.context, cage, by), *moved_surface = make_moved(f.context, surface, by);
      subject what =
          falling(kind->name, make_tets(f.context, kind, moved_cage, moved_surface, false), FLOAT_BOUND, 0.1);
      what.position = pl_vec3_sub(what.position, by);
      pl_collider_def collider = make_collider(0, NULL);
      scene s = {.what = &what, .collider = &collider, .body_count = 1, .collides = true};
      int32_t count;
      pl_vec3 *points = play(f.context, &s, (pl_vec3){0, 0, 0}, &count);
      if (here != NULL) {
        double d = max_distance(here, points, count);
        if (!(d <= worst)) worst = d;
        free(points);
      } else {
        here = points;
      }
      pl_model_destroy(what.model);
      pl_mesh_destroy(moved_cage);
      pl_mesh_destroy(moved_surface);
    }
    print_message("%s, mesh up to 1 km from its origin: differences %.2g m\n", kind->name, worst);
    check_at_most(worst, FLOAT_BOUND);
    free(here);
  }
  pl_mesh_destroy(cage);
  pl_mesh_destroy(surface);
  end(&f);
}

// A block with a slot from one side, so that two arms can be clapped together.
static pl_mesh *make_slotted_block(pl_context *context) {
  pl_error error = {0};
  pl_mesh *block = make_fem_box(context, (pl_vec3){0.3, 0.18, 0.1}, 3, 3, 1), *slotted = NULL;
  pl_mesh_view view = pl_mesh_get_view(block);
  int32_t *tets = calloc(4 * (size_t)view.tet_count, sizeof *tets), kept = 0;
  for (int32_t t = 0; t < view.tet_count; ++t) {
    pl_vec3 center = {0, 0, 0};
    for (int k = 0; k < 4; ++k) center = pl_vec3_add_scaled(center, view.points[view.tets[4 * t + k]], 0.25);
    if (fabs(center.y) < 0.03 && center.x > -0.05) continue;
    for (int k = 0; k < 4; ++k) tets[4 * kept + k] = view.tets[4 * t + k];
    kept++;
  }
  pl_mesh_view cut = {.point_count = view.point_count, .points = view.points, .tet_count = kept, .tets = tets};
  check_ok(pl_mesh_create(context, &cut, &slotted, &error), &error);
  pl_mesh_destroy(block);
  free(tets);
  return slotted;
}

static void bodies_that_touch_themselves_move_alike_everywhere(void **state) {
  (void)state;
  fixture f = begin();
  pl_error error = {0};
  pl_mesh *mesh = make_slotted_block(f.context), *boundary = NULL;
  check_ok(pl_mesh_build_boundary(f.context, mesh, &boundary, NULL, &error), &error);
  for (int k = 0; k < 2 * TET_KIND_COUNT; ++k) {
    const tet_kind *kind = &TET_KINDS[k / 2];
    subject what = falling("", make_tets(f.context, kind, mesh, k % 2 == 0 ? NULL : boundary, true),
                           has_floats(kind) ? FLOAT_BOUND : DOUBLE_BOUND, 0.15);
    snprintf(what.name, sizeof what.name, "%s%s", kind->name, k % 2 == 0 ? "" : ", surface given");
    what.stretch = (pl_vec3){0, -40, 0};
    scene s = {.what = &what, .body_count = 1, .collides = true};
    compare(f.context, &s, "its own arms");
    pl_model_destroy(what.model);
  }
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(boundary);
  end(&f);
}

static void shells_planes_and_curves_move_alike_everywhere(void **state) {
  (void)state;
  fixture f = begin();
  pl_mesh *sheet = make_fem_sheet(f.context, 0.3, 3, 2), *fine = make_fem_sheet(f.context, 0.3, 6, 4),
          *chain = make_fem_chain(f.context, 0.3, 6);
  for (int k = 0; k < 4; ++k) {
    pl_fem_def def = pl_default_fem_def(PL_FEM_SHELL);
    def.scheme = k % 2 == 0 ? PL_FEM_SECOND_ORDER : PL_FEM_IMPLICIT_EULER;
    def.surface = k < 2 ? NULL : fine;
    def.young = 1e6;
    def.stiffness_damping = 0.005;
    def.max_newton_iterations = 50;
    // As for curves below: faces of a fine surface that a ball touches are part of a solve that ends at its tolerance.
    if (k >= 2) def.newton_tolerance = 5e-5;
    def.contact_radius = 0.002;
    subject what = falling(k < 2 ? "shell" : "shell with a finer surface", make_fem_model(f.context, &def, sheet),
                           DOUBLE_BOUND, 0.002);
    what.rotation = pl_quat_from_axis_angle((pl_vec3){1, 0, 0}, 1.6);
    what.other.y += 0.01;
    what.position.x = what.other.x = -0.15;  // the middle of the sheet above that of the collider
    what.position.z = what.other.z = -0.08;
    compare_with_colliders(&f, &what);
    compare_with_itself_twice(&f, &what);
    pl_model_destroy(what.model);
  }
  for (int k = 0; k < 5; ++k) {
    pl_fem_def def = pl_default_fem_def(k < 3 ? PL_FEM_PLANE : PL_FEM_CURVE);
    def.scheme = k == 1 || k == 4 ? PL_FEM_IMPLICIT_EULER : PL_FEM_SECOND_ORDER;
    def.surface = k == 2 ? fine : NULL;
    def.young = k < 3 ? 1e5 : 1e6;
    // Where a residual is close to the tolerance, rounding decides whether there is one more iteration: the result must
    // not depend on it.
    if (k >= 3) def.newton_tolerance = 1e-6;
    def.max_newton_iterations = 50;
    def.contact_radius = 0.002;
    static const char *const names[5] = {"plane", "plane, Euler", "plane with a finer surface", "curve",
                                         "curve, Euler"};
    subject what = falling(names[k], make_fem_model(f.context, &def, k < 3 ? sheet : chain), DOUBLE_BOUND, 0.002);
    what.velocity.z = 0;  // they stay in their plane
    what.position.x = -0.13;
    // Gently, and to an end before the curve's ends whip around.
    if (k >= 3) what.step_count = 12;
    if (k >= 3) what.velocity = (pl_vec3){0.05, -0.75, 0};
    compare_with_colliders(&f, &what);
    pl_model_destroy(what.model);
  }
  pl_mesh_destroy(sheet);
  pl_mesh_destroy(fine);
  pl_mesh_destroy(chain);
  end(&f);
}

static void rods_move_alike_everywhere(void **state) {
  (void)state;
  fixture f = begin();
  for (int k = 0; k < 3; ++k) {
    test_rod rod;
    begin_rod(&rod, 8, 0.05, (pl_vec3){0, 0, 0.02});
    rod.def.stiffness = 0.02;
    rod.def.solver = k == 1 ? PL_ROD_SPRING_BONE : PL_ROD_MATCHED;
    for (int32_t i = 1; i < rod.def.joint_count; ++i) {
      rod.joints[i].spring = 0.3;
      rod.joints[i].drag = 0.1;
      rod.joints[i].pull = (pl_vec3){0, -3, 0};
    }
    if (k == 2) add_five_examples(&rod);
    static const char *const names[3] = {"rod", "spring bones", "rod that follows a camera"};
    subject what = falling(names[k], build_rod(f.context, &rod), FLOAT_BOUND, 0.03);
    // Along x, held at one end.
    what.rotation = pl_quat_from_axis_angle((pl_vec3){0, 0, 1}, -1.4);
    what.position.x = -0.15;
    what.step_count = 60;
    if (k == 2) what.eye = (pl_vec3){1, 2, 3};
    compare_with_colliders(&f, &what);
    pl_model_destroy(what.model);
  }
  end(&f);
}

// --- flight -------------------------------------------------------------------------------------------------------

// Colliders all around, one of them at the origin, which is where a point lands whose weights were lost; and another
// body. None of them is touched.
static void fly(pl_context *context, const subject *what, bool planar) {
  pl_error error = {0};
  for (int k = 0; k < POSITION_COUNT; ++k) {
    enum { FLIGHT_STEPS = 100 };
    double h = 1.0 / 100;
    pl_world *world = make_world(context, h, 0);
    pl_vec3 position = place_at(k);
    pl_collider_def ball = pl_default_collider_def(PL_COLLIDER_SPHERE),
                    floor = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
    ball.radius = 1;
    floor.placement.position = (pl_vec3){0, -2, 0};
    check_ok(pl_world_add_collider(world, &ball, NULL, &error), &error);
    check_ok(pl_world_add_collider(world, &floor, NULL, &error), &error);
    pl_body_id other = add_body(world, what->model, pl_vec3_add(position, (pl_vec3){0, 1.5, 0}));
    pl_body_id body = add_body(world, what->model, position);
    int32_t n = pl_model_get_report(what->model).particle_count;
    pl_vec3 *v = calloc((size_t)n, sizeof *v);
    pl_random random = pl_random_of_seed(11);
    for (int32_t i = 0; i < n; ++i) {
      v[i] = (pl_vec3){0.4 + 0.3 * pl_random_normal(&random), -0.2 + 0.3 * pl_random_normal(&random),
                       0.3 + 0.3 * pl_random_normal(&random)};
      if (planar) v[i].z = 0;
    }
    check_ok(pl_body_set_state(world, body, NULL, v, &error), &error);
    pl_vec3 before = pl_body_get_report(world, body).momentum;
    run_steps(world, FLIGHT_STEPS);
    pl_body_report after = pl_body_get_report(world, body);
    double change = pl_vec3_distance(before, after.momentum) / pl_vec3_length(before);
    double push = pl_vec3_length(pl_body_get_report(world, other).momentum) / pl_vec3_length(before);
    print_message("%s at (%g, %g, %g) m: momentum changes by %.2g of itself, that of a body at rest by %.2g\n",
                  what->name, position.x, position.y, position.z, change, push);
    check_at_most(change, what->bound);
    check_at_most(push, what->bound);
    pl_world_destroy(world);
    free(v);
  }
}

static void momentum_is_kept_in_flight_past_colliders(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *cage, *surface;
  make_caged_surface(context, &cage, &surface);
  // Speeds are about 0.5 m/s. Doubles: a velocity is a difference of positions over a step, rounded to 1.1e-13 m / 0.01
  // s, 100 times. Floats: 2^-24 of the speed, 100 times.
  for (int k = 0; k < 2 * TET_KIND_COUNT; ++k) {
    const tet_kind *kind = &TET_KINDS[k / 2];
    subject what = falling("", make_tets(context, kind, cage, k % 2 == 0 ? NULL : surface, false),
                           has_floats(kind) ? 1e-5 : 2e-9, 0);
    snprintf(what.name, sizeof what.name, "%s%s", kind->name, k % 2 == 0 ? "" : ", finer surface");
    fly(context, &what, false);
    pl_model_destroy(what.model);
  }
  pl_mesh *sheet = make_fem_sheet(context, 0.3, 3, 2), *fine = make_fem_sheet(context, 0.3, 6, 4),
          *chain = make_fem_chain(context, 0.3, 6);
  for (int k = 0; k < 5; ++k) {
    static const char *const names[5] = {"shell", "shell, finer surface", "plane", "plane, finer surface", "curve"};
    pl_fem_def def = pl_default_fem_def(k < 2 ? PL_FEM_SHELL : k < 4 ? PL_FEM_PLANE : PL_FEM_CURVE);
    def.surface = k % 2 == 1 ? fine : NULL;
    subject what = falling(names[k], make_fem_model(context, &def, k < 4 ? sheet : chain), 2e-9, 0);
    fly(context, &what, k >= 2);
    pl_model_destroy(what.model);
  }
  pl_mesh_destroy(cage);
  pl_mesh_destroy(surface);
  pl_mesh_destroy(sheet);
  pl_mesh_destroy(fine);
  pl_mesh_destroy(chain);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solids_of_tets_move_alike_everywhere),
      cmocka_unit_test(surfaces_in_cages_move_alike_everywhere),
      cmocka_unit_test(meshes_away_from_their_origin_move_alike),
      cmocka_unit_test(bodies_that_touch_themselves_move_alike_everywhere),
      cmocka_unit_test(shells_planes_and_curves_move_alike_everywhere),
      cmocka_unit_test(rods_move_alike_everywhere),
      cmocka_unit_test(momentum_is_kept_in_flight_past_colliders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
