// A body with a space of rest shapes and a solver, in a world, for tests that look into single steps: a probe is called where an actor would choose.
#ifndef PL_TEST_ACTOR_FIXTURE_H
#define PL_TEST_ACTOR_FIXTURE_H

#include "actor/actor_solver_parts.h"
#include "fem_bodies.h"

enum { MAX_FIXTURE_ROWS = 12, MAX_FIXTURE_ENTRIES = 4000 };

typedef struct actor_fixture actor_fixture;
typedef pl_status fixture_probe(actor_fixture *fixture, pl_fem_choice *choice, pl_error *error);

struct actor_fixture {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model;
  pl_rest_space *space;
  pl_actor_solver *solver;
  pl_world *world;
  pl_body_id body;
  pl_fem_driver driver;
  fixture_probe *probe;
  void *data;  // the probe's
  int32_t n, P;
  double *p, *last, *lambda;
  // Goals of the step, built by stage_add_row().
  pl_goal_rows rows;
  int32_t start[MAX_FIXTURE_ROWS + 1], slots[MAX_FIXTURE_ENTRIES];
  double weights[MAX_FIXTURE_ENTRIES], targets[MAX_FIXTURE_ROWS];
  pl_actor_settings settings;
  pl_actor_outcome outcome;
};

static inline const pl_fem_model *fixture_fem(const actor_fixture *fixture) {
  return (const pl_fem_model *)fixture->model;
}

static inline void fixture_clear_rows(actor_fixture *s) {
  s->rows = (pl_goal_rows){0, s->start, s->slots, s->weights, s->targets};
  s->start[0] = 0;
}

// One more row: factor (Σ weights x[places] - target) with x at the end of the step.
static inline void fixture_add_row(actor_fixture *s, const pl_fem_choice *choice, int32_t count, const int32_t *slots,
                                 const double *weights, double factor, double target) {
  int32_t at = s->start[s->rows.count];
  assert_true(s->rows.count < MAX_FIXTURE_ROWS && at + count <= MAX_FIXTURE_ENTRIES);
  double offset = 0;
  for (int32_t i = 0; i < count; ++i) {
    s->slots[at + i] = slots[i];
    s->weights[at + i] = factor * choice->reach * weights[i];
    offset += (1 - choice->reach) * weights[i] * choice->state.positions[slots[i]];
  }
  s->targets[s->rows.count] = factor * (target - offset);
  s->start[++s->rows.count] = at + count;
}

// The centre of mass is to have a velocity along an axis.
static inline void fixture_add_center(actor_fixture *s, const pl_fem_choice *choice, int axis, double velocity, double weight) {
  int32_t count = s->model->particle_count, *slots = calloc((size_t)count, sizeof *slots);
  double *weights = calloc((size_t)count, sizeof *weights), now = 0;
  for (int32_t i = 0; i < count; ++i) {
    slots[i] = 3 * i + axis;
    weights[i] = s->model->masses[i] / s->model->mass;
    now += weights[i] * choice->state.positions[slots[i]];
  }
  double step = choice->move->step;
  fixture_add_row(s, choice, count, slots, weights, weight / step, now + step * velocity);
  free(slots);
  free(weights);
}

// A point is to have a velocity along an axis.
static inline void fixture_add_point(actor_fixture *s, const pl_fem_choice *choice, int32_t point, int axis, double velocity,
                                   double weight) {
  int32_t place = 3 * point + axis;
  double one = 1, step = choice->move->step;
  fixture_add_row(s, choice, 1, &place, &one, weight / step, choice->state.positions[place] + step * velocity);
}

static inline pl_status fixture_choose(void *user, pl_fem_choice *choice, pl_error *error) {
  actor_fixture *fixture = user;
  fixture_clear_rows(fixture);
  return fixture->probe != NULL ? fixture->probe(fixture, choice, error) : PL_OK;
}

static inline void fixture_done(void *user, const pl_fem_choice *choice) {
  (void)user, (void)choice;
}

// Take over mesh and context. A world with gravity and, if wanted, ground; the body's lowest point at `height`.
static inline actor_fixture *make_fixture(pl_context *context, pl_mesh *mesh, const pl_fem_def *fem, const pl_actor_def *actor,
                                      bool with_ground, double height) {
  pl_error error = {0};
  actor_fixture *s = calloc(1, sizeof *s);
  pl_fem_def adapting = *fem;
  adapting.adapts = true;
  s->context = context;
  s->mesh = mesh;
  s->model = make_fem_model(context, &adapting, mesh);
  check_ok(pl_rest_space_build(context, actor, fixture_fem(s), mesh, &s->space, &error), &error);
  check_ok(pl_actor_solver_create(context, fixture_fem(s), s->space, MAX_FIXTURE_ROWS, &s->solver, &error), &error);
  s->world = make_world(context, 0.01, -9.81);
  if (with_ground) add_ground(s->world);
  double lowest = HUGE_VAL;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  for (int32_t i = 0; i < view.point_count; ++i) lowest = fmin(lowest, view.points[i].y);
  s->body = add_body(s->world, s->model, (pl_vec3){0, height - lowest, 0});
  s->n = 3 * s->model->particle_count;
  s->P = pl_rest_space_size(s->space);
  s->p = calloc((size_t)s->P, sizeof(double));
  s->last = calloc((size_t)s->P, sizeof(double));
  s->lambda = calloc((size_t)s->n, sizeof(double));
  s->settings = (pl_actor_settings){PL_ACTOR_GAUSS_NEWTON, 30, 1e-8};
  s->driver = (pl_fem_driver){.choose = fixture_choose, .done = fixture_done, .user = s};
  assert_int_equal(pl_fem_drive(s->world, s->body, &s->driver), PL_OK);
  return s;
}

static inline pl_status fixture_run(actor_fixture *s, pl_fem_choice *choice, pl_error *error) {
  memcpy(s->last, s->p, (size_t)s->P * sizeof(double));
  return pl_actor_solver_run(s->solver, &s->settings, choice, &s->rows, s->last, s->p, s->lambda, &s->outcome, error);
}

static inline void drop_fixture(actor_fixture *s) {
  pl_context *context = s->context;
  pl_world_destroy(s->world);
  pl_actor_solver_destroy(s->solver);
  pl_rest_space_destroy(s->space);
  pl_model_destroy(s->model);
  pl_mesh_destroy(s->mesh);
  free(s->p);
  free(s->last);
  free(s->lambda);
  free(s);
  drop_context(context);
}

static inline pl_vec3 fixture_center_velocity(const actor_fixture *s) {
  int32_t count = s->model->particle_count;
  pl_vec3 *v = calloc((uint32_t)count, sizeof *v), sum = {0, 0, 0};
  pl_body_get_velocities(s->world, s->body, v);
  for (int32_t i = 0; i < count; ++i) {
    double fraction = s->model->masses[i] / s->model->mass;
    sum.x += fraction * v[i].x, sum.y += fraction * v[i].y, sum.z += fraction * v[i].z;
  }
  free(v);
  return sum;
}

// Cases that several tests run over: material, mesh, space.
typedef struct fixture_case {
  const char *name;
  pl_fem_material material;
  pl_rest_kind rest;
  pl_fem_scheme scheme;
} fixture_case;

static const fixture_case FIXTURE_CASES[] = {
    {"plane, modes", PL_FEM_PLANE, PL_REST_MODES, PL_FEM_SECOND_ORDER},
    {"plane, free", PL_FEM_PLANE, PL_REST_FREE, PL_FEM_SECOND_ORDER},
    {"edges, free", PL_FEM_EDGES, PL_REST_FREE, PL_FEM_SECOND_ORDER},
    {"neo-Hookean, free", PL_FEM_NEO_HOOKEAN, PL_REST_FREE, PL_FEM_SECOND_ORDER},
    {"corotated, modes", PL_FEM_COROTATED, PL_REST_MODES, PL_FEM_SECOND_ORDER},
    {"edges, examples", PL_FEM_EDGES, PL_REST_EXAMPLES, PL_FEM_SECOND_ORDER},
};
enum { FIXTURE_CASE_COUNT = sizeof FIXTURE_CASES / sizeof *FIXTURE_CASES };

// One more, whose space takes long to build.
static const fixture_case FIXTURE_CAGE = {"plane, cage", PL_FEM_PLANE, PL_REST_CAGE, PL_FEM_SECOND_ORDER};

static inline actor_fixture *make_case_with(const fixture_case *it, bool with_ground, double height, double regularisation,
                                          double friction, double damping) {
  pl_context *context = make_context(1);
  pl_mesh *mesh =
      it->material == PL_FEM_PLANE ? make_fem_sheet(context, 0.4, 4, 2) : make_fem_box(context, (pl_vec3){0.2, 0.4, 0.2}, 1, 2, 1);
  pl_fem_def fem = pl_default_fem_def(it->material);
  fem.young = 3e4;
  fem.scheme = it->scheme;
  fem.thickness = 0.1;
  fem.stiffness_damping = damping;
  fem.friction = friction;
  fem.max_newton_iterations = 30;
  fem.newton_tolerance = 1e-10;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_vec3 *bent = calloc((size_t)view.point_count, sizeof *bent), *low = calloc((size_t)view.point_count, sizeof *low);
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_vec3 x = view.points[i];
    bent[i] = (pl_vec3){x.x + 1.5 * x.y * x.y, x.y, x.z};
    low[i] = (pl_vec3){1.2 * x.x, 0.6 * x.y, x.z};
  }
  const pl_mesh_pose poses[2] = {{.name = "bent", .points = bent}, {.name = "low", .points = low}};
  pl_actor_def actor = pl_default_actor_def();
  actor.rest = it->rest;
  actor.mode_count = 6;
  actor.cage_point_count = 8;
  actor.examples = poses;
  actor.example_count = 2;
  actor.regularisation = actor.rate_regularisation = regularisation;
  actor.hull_penalty = 1;
  actor_fixture *fixture = make_fixture(context, mesh, &fem, &actor, with_ground, height);
  free(bent);
  free(low);
  return fixture;
}

static inline actor_fixture *make_case(const fixture_case *it, bool with_ground, double height, double regularisation) {
  return make_case_with(it, with_ground, height, regularisation, 0.5, with_ground ? 0.002 : 0);
}

// On ground, with nothing that the derivatives leave out.
static inline actor_fixture *make_smooth_case(const fixture_case *it, double regularisation) {
  return make_case_with(it, true, 0.0005, regularisation, 0, 0);
}

#endif
