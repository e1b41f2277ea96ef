// A box of tets, its first state and its steps.
//
// Each cell is cut into six tets around one diagonal, so that 11 x 11 x 22 cells are the 3,312 points and 15,972 tets
// that figures of other programs are for (pl_mesh_create_box() makes five of a cell). The box is one by one by two
// metres, whatever the number of cells, of 1000 kg/m³ and Poisson's ratio 0.3. Its upper face is pinned, unless it is
// to fall. It starts a tenth longer than at rest, twisted by half a radian at its lower end, with velocities that swing
// it sideways (1 m/s at the lower end) and twist it on (2 rad/s there), so that no tet is at rest and every rotation
// has to be found.
#include "bench_fem_fixture.h"

#include <math.h>
#include <stdlib.h>

#include "tool_print.h"

static const double STRETCH = 0.1, TWIST = 0.5, SWING = 1, SPIN = 2, STEP = 1.0 / 60;

void fem_fixture_close(fem_fixture *fixture) {
  free(fixture->start);
  pl_world_destroy(fixture->world);
  pl_model_destroy(fixture->model);
  pl_mesh_destroy(fixture->mesh);
  pl_context_destroy(fixture->context);
  *fixture = (fem_fixture){.context = NULL};
}

// Six tets of the cell whose first point is `corner`: one for every order in which the three axes can be gone along
// from there to the opposite corner (Kuhn 1960).
static void cut_cell(int32_t corner, const int32_t stride[3], int32_t *tets) {
  static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  for (int t = 0; t < 6; ++t, tets += 4) {
    int32_t a = corner + stride[orders[t][0]], b = a + stride[orders[t][1]], end = b + stride[orders[t][2]];
    bool turned = t >= 3;  // an odd order makes a left-handed tet
    tets[0] = corner;
    tets[1] = turned ? b : a;
    tets[2] = turned ? a : b;
    tets[3] = end;
  }
}

// The box hangs down from the origin, points in x-fastest order.
static pl_status make_box(fem_fixture *fixture, const int32_t cells[3], double width, pl_error *error) {
  const int32_t stride[3] = {1, cells[0] + 1, (cells[0] + 1) * (cells[1] + 1)};
  fixture->point_count = stride[2] * (cells[2] + 1);
  fixture->tet_count = 6 * cells[0] * cells[1] * cells[2];
  pl_vec3 *points = tool_allocate((size_t)fixture->point_count, sizeof(pl_vec3));
  int32_t *tets = tool_allocate(4 * (size_t)fixture->tet_count, sizeof(int32_t)), *next = tets;
  for (int32_t p = 0; p < fixture->point_count; ++p) {
    int32_t i = p % stride[1], j = p / stride[1] % (cells[1] + 1), k = p / stride[2];
    points[p] = (pl_vec3){width * ((double)i / cells[0] - 0.5), width * ((double)j / cells[1] - 0.5),
                          -2 * width * k / cells[2]};
    if (i < cells[0] && j < cells[1] && k < cells[2]) {
      // Downwards the z-axis goes backwards, which mirrors the cell: begin at its lower end.
      cut_cell(p + stride[2], (const int32_t[3]){stride[0], stride[1], -stride[2]}, next);
      next += 24;
    }
  }
  pl_mesh_view view = {
      .point_count = fixture->point_count, .points = points, .tet_count = fixture->tet_count, .tets = tets};
  pl_status status = pl_mesh_create(fixture->context, &view, &fixture->mesh, error);
  free(points);
  free(tets);
  // Neighbours in such a mesh are the other ends of the edges along axes, diagonals of faces and of cells.
  double x = cells[0], y = cells[1], z = cells[2];
  double edges = x * (y + 1) * (z + 1) + y * (x + 1) * (z + 1) + z * (x + 1) * (y + 1) + x * y * (z + 1) +
                 y * z * (x + 1) + x * z * (y + 1) + x * y * z;
  fixture->matrix_bytes = (fixture->point_count + 2 * edges) * (9 * sizeof(double) + sizeof(int32_t));
  return status;
}

static pl_status build_model(const fem_fixture_def *def, fem_fixture *fixture, pl_error *error) {
  pl_fem_def fem = pl_default_fem_def(def->material);
  fem.young = def->young;
  fem.scheme = def->scheme;
  fem.solver = def->solver;
  fem.fast_step = STEP;
  // Pins that are known from the first are in the factor of the fast material.
  int32_t held_count = def->falling ? 0 : (def->cells[0] + 1) * (def->cells[1] + 1);
  int32_t *held = tool_allocate((size_t)held_count + 1, sizeof(int32_t));
  for (int32_t i = 0; i < held_count; ++i) held[i] = i;
  fem.held_points = held;
  fem.held_count = held_count;
  if (def->solver == PL_FEM_SOLVER_DIRECT) fem.direct = pl_cholmod_backend();
  if (def->tolerance > 0) fem.newton_tolerance = def->tolerance;
  if (def->max_newton_iterations > 0) fem.max_newton_iterations = def->max_newton_iterations;
  pl_status status = pl_fem_build(fixture->context, &fem, fixture->mesh, &fixture->model, error);
  free(held);
  return status;
}

static pl_status hang_body(const fem_fixture_def *def, fem_fixture *fixture, pl_error *error) {
  pl_world_def world = pl_default_world_def();
  world.step = STEP;
  world.gravity = (pl_vec3){0, 0, -9.81};
  pl_status status = pl_world_create(fixture->context, &world, &fixture->world, error);
  pl_body_def body = pl_default_body_def();
  body.model = fixture->model;
  body.collides = false;
  if (status >= 0) status = pl_world_add_body(fixture->world, &body, &fixture->body, error);
  pl_pin_def pin = pl_default_pin_def();
  pin.body = fixture->body;
  int32_t held_count = def->falling ? 0 : (def->cells[0] + 1) * (def->cells[1] + 1);
  for (; status >= 0 && pin.particle < held_count; ++pin.particle) {
    pin.target = pl_mesh_get_view(fixture->mesh).points[pin.particle];
    status = pl_world_add_pin(fixture->world, &pin, NULL, error);
  }
  return status;
}

static pl_status set_moving(fem_fixture *fixture, double height, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(fixture->mesh);
  pl_vec3 *positions = tool_allocate((size_t)view.point_count, sizeof(pl_vec3));
  pl_vec3 *velocities = tool_allocate((size_t)view.point_count, sizeof(pl_vec3));
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_vec3 p = view.points[i];
    double depth = -p.z / height, c = cos(TWIST * depth), s = sin(TWIST * depth), spin = SPIN * depth;
    pl_vec3 at = {c * p.x - s * p.y, s * p.x + c * p.y, (1 + STRETCH) * p.z};
    positions[i] = at;
    velocities[i] = (pl_vec3){SWING * depth * depth - spin * at.y, spin * at.x, 0};
  }
  pl_status status = pl_body_set_state(fixture->world, fixture->body, positions, velocities, error);
  free(positions);
  free(velocities);
  return status;
}

pl_status fem_fixture_open(const fem_fixture_def *def, fem_fixture *fixture, pl_error *error) {
  pl_context_def context = pl_default_context_def();
  context.thread_count = def->threads;
  pl_status status = pl_context_create(&context, &fixture->context, error);
  if (status >= 0) status = make_box(fixture, def->cells, def->width, error);
  if (status >= 0) status = build_model(def, fixture, error);
  if (status >= 0) status = hang_body(def, fixture, error);
  if (status >= 0) status = set_moving(fixture, 2 * def->width, error);
  for (int i = 0; i < def->target_steps && status >= 0; ++i) status = pl_world_step(fixture->world, NULL, error);
  if (status < 0) return status;
  fixture->start_size = pl_world_snapshot_size(fixture->world);
  fixture->start = tool_allocate(fixture->start_size, 1);
  pl_world_snapshot(fixture->world, fixture->start);
  return PL_OK;
}

pl_status fem_fixture_run(fem_fixture *fixture, int steps, fem_run *run, pl_error *error) {
  *run = (fem_run){.step_count = steps};
  pl_status status = pl_world_restore(fixture->world, fixture->start, fixture->start_size, error);
  double begin = tool_seconds();
  for (int i = 0; i < steps && status >= 0; ++i) {
    pl_step_report about = {0};
    pl_fem_report report = {0};
    status = pl_world_step(fixture->world, &about, error);
    run->move_seconds += about.phase_seconds[PL_STEP_PHASE_MOVE];
    // The fast material has none.
    if (status < 0 || pl_fem_get_report(fixture->world, fixture->body, &report) < 0) continue;
    run->newton_count += report.newton_count;
    run->linear_count += report.linear_count;
    run->assembly_seconds += report.assembly_seconds;
    run->factor_seconds += report.factor_seconds;
    run->solve_seconds += report.solve_seconds;
  }
  run->seconds = tool_seconds() - begin;
  return status;
}
