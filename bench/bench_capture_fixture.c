// Bodies for the benchmark of estimation.
//
// The bar is that of table 1 of the paper by its counts (756 points, 3,000 tets, three times 250 frames); the paper
// gives neither size nor density. Two metres of a light foam make the first bending mode of 6.8e5 Pa one of 1.7 Hz,
// eighteen frames, with a sag of a sixteenth of the length.
#include "bench_capture_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool_print.h"

static pl_vec3 minus(pl_vec3 a, pl_vec3 b) {
  return (pl_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double length_of(pl_vec3 a) {
  return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

// --- meshes
// -----------------------------------------------------------------------------------------------------------

// Six tets of a cell: one for every order in which the axes can be gone along (Kuhn 1960).
static void cut_cell(int32_t corner, const int32_t stride[3], int32_t *tets) {
  static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  for (int t = 0; t < 6; ++t, tets += 4) {
    int32_t a = corner + stride[orders[t][0]], b = a + stride[orders[t][1]];
    bool turned = t >= 3;
    tets[0] = corner;
    tets[1] = turned ? b : a;
    tets[2] = turned ? a : b;
    tets[3] = b + stride[orders[t][2]];
  }
}

static pl_status cut_bar(pl_context *context, int32_t nx, int32_t ny, int32_t nz, pl_mesh **mesh, pl_error *error) {
  const int32_t stride[3] = {(ny + 1) * (nz + 1), nz + 1, 1};
  int32_t point_count = (nx + 1) * stride[0], tet_count = 6 * nx * ny * nz;
  pl_vec3 *points = tool_allocate((size_t)point_count, sizeof *points);
  int32_t *tets = tool_allocate(4 * (size_t)tet_count, sizeof *tets), *next = tets;
  for (int32_t p = 0; p < point_count; ++p) {
    int32_t i = p / stride[0], j = p / stride[1] % (ny + 1), k = p % (nz + 1);
    points[p] = (pl_vec3){2.0 * i / nx, 0.5 * j / ny - 0.25, 0.5 * k / nz - 0.25};
    if (i < nx && j < ny && k < nz) cut_cell(p, stride, next), next += 24;
  }
  pl_mesh_view view = {.point_count = point_count, .points = points, .tet_count = tet_count, .tets = tets};
  pl_status status = pl_mesh_create(context, &view, mesh, error);
  free(points);
  free(tets);
  return status;
}

pl_status capture_bar_mesh(pl_context *context, int32_t fineness, pl_mesh **mesh, pl_error *error) {
  return cut_bar(context, 20 * fineness, 5 * fineness, 5 * fineness, mesh, error);
}

pl_status capture_beam_mesh(pl_context *context, int32_t across, pl_mesh **mesh, pl_error *error) {
  return cut_bar(context, 4 * across, across, across, mesh, error);
}

static pl_status mesh_of(pl_context *context, const pl_shape_node *nodes, int32_t node_count, int32_t point_count,
                         pl_mesh **mesh, pl_error *error) {
  pl_shape_def shape = pl_default_shape_def();
  pl_lattice_def lattice = pl_default_lattice_def();
  lattice.target_point_count = point_count;
  pl_mesh *surface = NULL;
  pl_lattice_report report;
  pl_status status = pl_shape_build_surface(context, &shape, nodes, node_count, &surface, error);
  if (status >= 0) status = pl_lattice_build(context, &lattice, surface, mesh, &report, error);
  pl_mesh_destroy(surface);
  return status;
}

pl_status capture_plant_mesh(pl_context *context, int32_t point_count, pl_mesh **mesh, pl_error *error) {
  pl_shape_node nodes[3];
  for (int i = 0; i < 3; ++i) nodes[i] = pl_default_shape_node(i == 2 ? PL_SHAPE_UNION : PL_SHAPE_CAPSULE);
  nodes[0].to = (pl_vec3){0.1, 0.4, 0};
  nodes[0].radius = 0.03;
  nodes[0].end_radius = 0.022;
  nodes[1] = pl_default_shape_node(PL_SHAPE_ELLIPSOID);
  nodes[1].size = (pl_vec3){0.2, 0.022, 0.14};
  nodes[1].placement.position = (pl_vec3){0.25, 0.41, 0};
  static const int32_t parts[2] = {0, 1};
  nodes[2].children = parts;
  nodes[2].child_count = 2;
  nodes[2].smoothness = 0.02;
  return mesh_of(context, nodes, 3, point_count, mesh, error);
}

pl_status capture_holder_mesh(pl_context *context, int32_t point_count, pl_mesh **mesh, pl_error *error) {
  pl_shape_node nodes[3];
  nodes[0] = pl_default_shape_node(PL_SHAPE_BOX);
  nodes[0].size = (pl_vec3){0.18, 0.016, 0.18};
  nodes[0].radius = 0.004;
  nodes[0].placement.position = (pl_vec3){0.09, 0, 0};
  nodes[1] = pl_default_shape_node(PL_SHAPE_BOX);
  nodes[1].size = (pl_vec3){0.05, 0.016, 0.04};
  nodes[1].placement.position = (pl_vec3){-0.02, 0, 0};
  nodes[2] = pl_default_shape_node(PL_SHAPE_UNION);
  static const int32_t parts[2] = {0, 1};
  nodes[2].children = parts;
  nodes[2].child_count = 2;
  nodes[2].smoothness = 0.005;
  return mesh_of(context, nodes, 3, point_count, mesh, error);
}

pl_status capture_hanger_mesh(pl_context *context, int32_t point_count, pl_mesh **mesh, pl_error *error) {
  static const double ends[4][4] = {{0, 0.1, -0.2, 0}, {0, 0.1, 0.2, 0}, {-0.2, 0, 0.2, 0}, {0, 0.1, 0, 0.18}};
  static const int32_t parts[4] = {0, 1, 2, 3};
  pl_shape_node nodes[5];
  for (int i = 0; i < 4; ++i) {
    nodes[i] = pl_default_shape_node(PL_SHAPE_CAPSULE);
    nodes[i].from = (pl_vec3){ends[i][0], ends[i][1], 0};
    nodes[i].to = (pl_vec3){ends[i][2], ends[i][3], 0};
    nodes[i].radius = nodes[i].end_radius = 0.012;
  }
  nodes[4] = pl_default_shape_node(PL_SHAPE_UNION);
  nodes[4].children = parts;
  nodes[4].child_count = 4;
  nodes[4].smoothness = 0.005;
  return mesh_of(context, nodes, 5, point_count, mesh, error);
}

// --- a body
// -----------------------------------------------------------------------------------------------------------

void capture_body_close(capture_body *body) {
  for (int i = 0; i < CAPTURE_SEQUENCES; ++i) free(body->positions[i]);
  free(body->pinned);
  pl_field_destroy(body->field);
  pl_model_destroy(body->model);
  pl_mesh_destroy(body->statics);
  pl_mesh_destroy(body->rest);
  *body = (capture_body){.context = NULL};
}

static void pin(capture_body *body, bool (*is_held)(pl_vec3 point, pl_box box)) {
  pl_mesh_view view = pl_mesh_get_view(body->rest);
  pl_box box = pl_box_from_points(view.points, view.point_count);
  body->pinned = tool_allocate((size_t)view.point_count, sizeof *body->pinned);
  for (int32_t i = 0; i < view.point_count; ++i)
    if (is_held(view.points[i], box)) body->pinned[body->pinned_count++] = i;
  body->size = length_of(minus(box.max, box.min));
}

static pl_status make_model(capture_body *body, pl_error *error) {
  pl_field_view field = pl_field_get_view(body->field);
  double *young = tool_allocate((size_t)body->tet_count, sizeof *young);
  for (int32_t t = 0; t < body->tet_count; ++t)
    for (int32_t k = 0; k < field.control_count; ++k)
      young[t] += field.weights[t * field.control_count + k] * body->values[k];
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  def.density = body->density;
  def.young = 1;
  def.young_scales = young;
  def.poisson = body->poisson;
  def.direct = pl_cholmod_backend();
  pl_status status = pl_fem_build(body->context, &def, body->rest, &body->model, error);
  free(young);
  return status;
}

pl_status capture_settle(const capture_body *body, const pl_vec3 *forces, pl_vec3 *positions, pl_error *error) {
  pl_fem_equilibrium_def def = pl_default_fem_equilibrium_def();
  def.acceleration = body->gravity;
  def.forces = forces;
  def.pinned = body->pinned;
  def.pinned_count = body->pinned_count;
  def.load_steps = 8;
  def.max_newton_iterations = 200;
  def.tolerance = 1e-9;
  return pl_fem_equilibrium(body->context, body->model, &def, positions, NULL, error);
}

static pl_status find_statics(capture_body *body, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(body->rest);
  pl_vec3 *points = tool_allocate((size_t)view.point_count, sizeof *points);
  memcpy(points, view.points, (size_t)view.point_count * sizeof *points);
  pl_status status = capture_settle(body, NULL, points, error);
  view.points = points;
  if (status >= 0) status = pl_mesh_create(body->context, &view, &body->statics, error);
  free(points);
  return status;
}

pl_status capture_body_open(pl_context *context, const capture_body_def *def, capture_body *body, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(def->mesh);
  *body = (capture_body){.context = context,
                         .rest = def->mesh,
                         .point_count = view.point_count,
                         .tet_count = view.tet_count,
                         .density = def->density,
                         .poisson = 0.3,
                         .control_count = def->control_count,
                         .gravity = def->gravity};
  memcpy(body->values, def->young, (size_t)def->control_count * sizeof(double));
  double *others = body->values + def->control_count;
  others[0] = body->poisson, others[1] = def->mass_damping, others[2] = def->stiffness_damping;
  pin(body, def->is_held);
  pl_field_def field = pl_default_field_def();
  field.placement = def->control_count > 1 ? PL_FIELD_ALONG_AXIS : PL_FIELD_UNIFORM;
  if (def->control_points != NULL) {
    field.placement = PL_FIELD_GIVEN;
    field.blend = PL_FIELD_HARMONIC;
    field.points = def->control_points;
  }
  field.control_count = def->control_count;
  pl_status status = pl_field_build(context, &field, body->rest, &body->field, error);
  if (status >= 0) status = make_model(body, error);
  if (status >= 0) status = find_statics(body, error);
  if (status < 0) capture_body_close(body);
  return status;
}

// The points of a finer body where those of `mesh` are, at rest, in the static shape and in every frame.
static pl_status sample(const capture_body *fine, capture_body *body, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(body->rest);
  pl_embedding *embeddings = NULL;
  pl_status status = pl_embedding_build(body->context, fine->rest,
                                        &(pl_embedding_input){view.points, view.point_count, 1e-6 * fine->size},
                                        &embeddings, NULL, error);
  if (status < 0) return status;
  pl_vec3 *points = tool_allocate((size_t)view.point_count, sizeof *points);
  pl_embedding_apply(embeddings, pl_mesh_get_view(fine->statics).points, points);
  view.points = points;
  status = pl_mesh_create(body->context, &view, &body->statics, error);
  free(points);
  for (int i = 0; i < CAPTURE_SEQUENCES && status >= 0; ++i) {
    if (fine->positions[i] == NULL) continue;
    body->positions[i] = tool_allocate((size_t)body->point_count * (size_t)fine->frame_count, sizeof(pl_vec3));
    for (ptrdiff_t f = 0; f < fine->frame_count; ++f)
      pl_embedding_apply(embeddings, fine->positions[i] + f * fine->point_count,
                         body->positions[i] + f * body->point_count);
  }
  pl_embedding_destroy(embeddings);
  return status;
}

pl_status capture_body_sample(const capture_body *fine, pl_mesh *mesh, bool (*is_held)(pl_vec3 point, pl_box box),
                              capture_body *body, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  *body = (capture_body){.context = fine->context,
                         .rest = mesh,
                         .point_count = view.point_count,
                         .tet_count = view.tet_count,
                         .density = fine->density,
                         .poisson = fine->poisson,
                         .gravity = fine->gravity,
                         .frame_count = fine->frame_count,
                         .frame_seconds = fine->frame_seconds};
  pin(body, is_held);
  pl_status status = sample(fine, body, error);
  if (status < 0) capture_body_close(body);
  return status;
}

// --- motions
// ----------------------------------------------------------------------------------------------------------

void capture_load(const capture_body *body, int kind, double size, pl_vec3 *forces) {
  pl_mesh_view view = pl_mesh_get_view(body->rest);
  pl_box box = pl_box_from_points(view.points, view.point_count);
  pl_vec3 extent = minus(box.max, box.min), middle = {0, (box.min.y + box.max.y) / 2, (box.min.z + box.max.z) / 2};
  // The softest part decides how far it gives.
  double young = 0, compliance = 0, section = extent.y * extent.z;
  for (int32_t k = 0; k < body->control_count; ++k) compliance += 1 / body->values[k];
  young = body->control_count / compliance;
  double bend = 0.25 * young * section * extent.y * extent.y / (extent.x * extent.x * extent.x) * 0.1 * extent.x;
  int32_t count = 0;
  for (int32_t i = 0; i < view.point_count; ++i) count += view.points[i].x > box.max.x - 0.03 * extent.x;
  for (int32_t i = 0; i < view.point_count; ++i) {
    forces[i] = (pl_vec3){0, 0, 0};
    if (view.points[i].x <= box.max.x - 0.03 * extent.x) continue;
    double part = size / count;
    if (kind == 0) {
      double couple = 8 * bend * part * extent.x / (extent.y * extent.y + extent.z * extent.z);
      forces[i].y = -couple * (view.points[i].z - middle.z);
      forces[i].z = couple * (view.points[i].y - middle.y);
    } else if (kind == 1) {
      forces[i] = (pl_vec3){0, 0.6 * bend * part, bend * part};
    } else {
      forces[i].x = 0.015 * young * section * part;
    }
  }
}

pl_vec3 *capture_weights(const capture_body *body) {
  pl_mesh_view view = pl_mesh_get_view(body->statics);
  pl_vec3 *weights = tool_allocate((size_t)view.point_count, sizeof *weights);
  for (int32_t t = 0; t < view.tet_count; ++t) {
    const int32_t *c = view.tets + 4 * t;
    double e[3][3];
    for (int a = 0; a < 3; ++a) {
      e[a][0] = view.points[c[a + 1]].x - view.points[c[0]].x;
      e[a][1] = view.points[c[a + 1]].y - view.points[c[0]].y;
      e[a][2] = view.points[c[a + 1]].z - view.points[c[0]].z;
    }
    double volume =
        (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
        6;
    for (int a = 0; a < 4; ++a) weights[c[a]].y += body->gravity.y * body->density * volume / 4;
  }
  return weights;
}

pl_fit_def capture_fit_def(const capture_body *body, const pl_field *field) {
  pl_fit_def def = pl_default_fit_def();
  def.density = body->density;
  def.gravity = body->gravity;
  def.pinned = body->pinned;
  def.pinned_count = body->pinned_count;
  def.field = field;
  def.young = (pl_fit_range){3e5, 1e3, 1e9, true};
  def.poisson.start = body->poisson;
  def.mass_damping.start = 0.1;
  def.stiffness_damping.start = 3e-4;
  def.steps_per_frame = 1;
  def.direct = pl_cholmod_backend();
  return def;
}

// One motion by the body's true values.
static pl_status simulate(const capture_body *body, int32_t steps, const pl_fit_sequence *sequence, pl_vec3 *positions,
                          pl_error *error) {
  pl_fit_def def = capture_fit_def(body, body->field);
  def.steps_per_frame = steps;
  pl_fit *fit = NULL;
  pl_status status = pl_fit_create(body->context, &def, body->statics,
                                   &(pl_fit_sequences){.items = sequence, .count = 1}, &fit, error);
  if (status >= 0) status = pl_fit_set_values(fit, body->values, error);
  if (status >= 0) status = pl_fit_predict(fit, sequence, positions, NULL, error);
  pl_fit_destroy(fit);
  return status;
}

pl_status capture_let_go(const capture_body *body, const pl_vec3 *forces, int32_t steps, pl_vec3 *positions,
                         pl_error *error) {
  size_t points = (size_t)body->point_count;
  pl_vec3 *start = tool_allocate(points, sizeof *start);
  memcpy(start, pl_mesh_get_view(body->statics).points, points * sizeof *start);
  pl_status status = capture_settle(body, forces, start, error);
  pl_fit_sequence sequence = {.frame_count = body->frame_count,
                              .frame_seconds = body->frame_seconds,
                              .positions = positions,
                              .start_positions = start};
  if (status >= 0) status = simulate(body, steps, &sequence, positions, error);
  free(start);
  return status;
}

pl_status capture_record(capture_body *body, int32_t frame_count, int32_t steps, double load, pl_error *error) {
  size_t points = (size_t)body->point_count;
  pl_vec3 *forces = tool_allocate(points, sizeof *forces);
  pl_status status = PL_OK;
  body->frame_count = frame_count;
  body->frame_seconds = 1.0 / 30;
  for (int kind = 0; kind < CAPTURE_SEQUENCES && status >= 0; ++kind) {
    body->positions[kind] = tool_allocate(points * (size_t)frame_count, sizeof(pl_vec3));
    capture_load(body, kind, load, forces);
    status = capture_let_go(body, forces, steps, body->positions[kind], error);
  }
  free(forces);
  return status;
}

// Normal numbers by a generator of our own: the same in every run and on every machine.
static double next_normal(uint64_t *state) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    sum += (double)(*state >> 11) * 0x1p-53;
  }
  return sum;
}

void capture_add_noise(capture_body *body, double noise) {
  uint64_t state = 1;
  for (int s = 0; s < CAPTURE_SEQUENCES; ++s)
    for (ptrdiff_t i = body->point_count; i < (ptrdiff_t)body->frame_count * body->point_count; ++i) {
      body->positions[s][i].x += noise * next_normal(&state);
      body->positions[s][i].y += noise * next_normal(&state);
      body->positions[s][i].z += noise * next_normal(&state);
    }
}

double capture_distance(const capture_body *body, const pl_vec3 *a, const pl_vec3 *b) {
  double sum = 0;
  for (int32_t i = 0; i < body->point_count; ++i) sum += length_of(minus(a[i], b[i]));
  return sum / body->point_count / body->size;
}
