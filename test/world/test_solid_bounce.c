// Solids that fall on colliders bounce by their elasticity: the more restitution, the higher, and never higher than
// e² of the fall, or than their elasticity alone takes them; nothing gains energy.
// ctest: physics once
#include <math.h>

#include "fixtures/solid_bodies.h"
#include "pliant/math.h"

static const double SIZE = 0.2, HEIGHT = 0.5, GRAVITY = 9.81;
enum { MAX_BOUNCES = 4, FACTOR_COUNT = 5 };
static const double FACTORS[FACTOR_COUNT] = {0, 0.2, 0.5, 0.8, 1};

typedef struct fall {
  double young, step, restitution, damping;  // the last: of contact
  int32_t cells;
  bool is_collider;  // has the restitution instead of the solid
  bool is_far;       // 5 m from the origin, on a mesh instead of a half-space
} fall;

typedef struct rebound {
  double rises[MAX_BOUNCES];  // metres, of the centre above where it would stand undeformed
  double energy;              // largest after the start, of what the body had there
} rebound;

static void add_floor(pl_context *context, pl_world *world, const fall *f, double at) {
  pl_error error = {0};
  pl_mesh *box = NULL, *surface = NULL;
  pl_collider_def def = pl_default_collider_def(f->is_far ? PL_COLLIDER_MESH : PL_COLLIDER_HALF_SPACE);
  def.placement.position = pl_vec3_of(at, at, at);
  def.restitution = f->is_collider ? f->restitution : 0;
  check_ok(pl_mesh_create_box(context, pl_vec3_of(1, 0.2, 1), (const int32_t[3]){2, 1, 2}, &box, &error), &error);
  check_ok(pl_mesh_build_boundary(context, box, &surface, NULL, &error), &error);
  if (f->is_far) def.mesh = surface, def.placement.position.y -= 0.1;
  check_ok(pl_world_add_collider(world, &def, NULL, &error), &error);
  pl_mesh_destroy(box);
  pl_mesh_destroy(surface);
}

// J, without what is stored as deformation.
static double energy_of(const pl_world *world, pl_body_id body, double floor) {
  pl_body_report report = pl_body_get_report(world, body);
  return report.kinetic_energy + report.mass * GRAVITY * (report.center.y - floor);
}

static rebound drop(const fall *f) {
  pl_error error = {0};
  pl_context *context = make_context(1);
  pl_solid_def solid = pl_default_solid_def();
  solid.young = f->young;
  solid.restitution = f->is_collider ? 0 : f->restitution;
  pl_model *model = make_box_model(context, pl_vec3_of(SIZE, SIZE, SIZE), f->cells, f->cells, f->cells, &solid);
  pl_world_def def = pl_default_world_def();
  def.step = f->step;
  def.contact_damping = f->damping;
  def.gravity = pl_vec3_of(0, -GRAVITY, 0);
  pl_world *world = NULL;
  check_ok(pl_world_create(context, &def, &world, &error), &error);
  double at = f->is_far ? 5 : 0, stands = at + 0.5 * SIZE;
  add_floor(context, world, f, at);
  pl_body_id body = add_body(world, model, pl_vec3_of(at, stands + HEIGHT, at));
  rebound r = {.energy = 0};
  double start = energy_of(world, body, at);
  int count = 0;
  bool rises = false;
  for (int i = 0; i < 2.5 / f->step; ++i) {
    run_steps(world, 1);
    pl_body_report report = pl_body_get_report(world, body);
    double height = report.center.y - stands, speed = report.momentum.y / report.mass;
    r.energy = fmax(r.energy, energy_of(world, body, at) / start);
    if (speed < 0 && rises && height > 0) ++count;
    rises = speed > 0;
    if (rises && count < MAX_BOUNCES) r.rises[count] = fmax(r.rises[count], height);
  }
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
  return r;
}

// What falls rises no higher than by its elasticity, which nothing but its own damping takes from, or than e² says. At
// a later bounce vibration of the one before may come back, but no bounce is higher than the first.
static void check_rebound(const fall *f, const rebound *r, double elasticity) {
  double granted = fmax(f->restitution * f->restitution * HEIGHT, elasticity);
  check_at_most(r->rises[0], granted + 1e-3);
  check_at_most(r->energy, 1.01);
  for (int k = 1; k < MAX_BOUNCES; ++k) check_at_most(r->rises[k], r->rises[0] + 1e-3);
}

static void more_restitution_is_a_higher_bounce(void **state) {
  (void)state;
  static const double steps[] = {1.0 / 60, 1.0 / 240, 1.0 / 480};
  static const struct {
    double young;
    int32_t cells;
  } cubes[] = {{0, 3}, {1e4, 3}, {3e4, 3}, {1e5, 3}, {3e5, 3}, {1e6, 3}, {0, 1}, {0, 2}, {5e4, 2}, {3e4, 4}, {1e5, 5}};
  for (size_t k = 0; k < 3 * sizeof cubes / sizeof *cubes; ++k)
    for (int place = 0; place < 2; ++place) {
      fall f = {.young = cubes[k / 3].young, .cells = cubes[k / 3].cells, .step = steps[k % 3]};
      f.is_collider = f.is_far = place == 1;
      double elasticity = drop(&f).rises[0], last = 0, first = 0;
      f.damping = pl_default_world_def().contact_damping;
      print_message("%.0f Pa, %d cells, 1/%.0f s, place %d: rises", f.young, f.cells, 1 / f.step, place);
      for (int i = 0; i < FACTOR_COUNT; ++i) {
        f.restitution = FACTORS[i];
        rebound r = drop(&f);
        print_message(" %.4f", r.rises[0]);
        check_rebound(&f, &r, elasticity);
        check_at_most(last, r.rises[0] + 1e-6);
        last = r.rises[0];
        if (i == 0) first = last;
      }
      print_message(", by elasticity alone %.4f\n", elasticity);
      // What a step is too long for does not rise at all.
      assert_true(elasticity < 0.02 || last > 1.1 * first);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(more_restitution_is_a_higher_bounce)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
