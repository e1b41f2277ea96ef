// From a mesh of tets to the model of a fast corotated solid: masses, the constant matrix and its factor, tets by
// colour.
//
// With frozen rotations the stretching part of the corotated energy, mu |F - R|², has the Hessian 2 mu V B B^T (x) 1,
// which knows neither rotation nor coordinate: one number per pair of corners. So the matrix of an implicit step is
// constant, and one scalar factor serves x, y and z.
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "base/hash.h"
#include "body/body_surface.h"
#include "fem/fem_contact.h"
#include "fem/fem_coupled.h"
#include "fem/fem_fast.h"
#include "fem/fem_fast_matrix.h"
#include "fem/fem_model.h"
#include "pliant/examples.h"
#include "pliant/math.h"

static bool can_sleep(const pl_model *model, const void *state) {
  (void)model;
  (void)state;
  return true;
}

static const pl_body_method FAST_METHOD = {
    .name = "fem",
    .handles_colliders = true,
    .handles_pins = true,
    .state_size = pl_fem_fast_state_size,
    .start = pl_fem_fast_start,
    .move = pl_fem_fast_move,
    .coupled = &pl_fem_fast_coupled,
    .can_sleep = can_sleep,
    .get_positions = pl_fem_fast_get_positions,
    .get_velocities = pl_fem_fast_get_velocities,
    .get_surface = pl_fem_fast_get_surface,
    .set_state = pl_fem_fast_set_state,
    .get_particle = pl_fem_fast_get_particle,
    .set_particle = pl_fem_fast_set_particle,
    .find_not_finite = pl_fem_fast_find_not_finite,
    .list_examples = pl_fem_fast_list_examples,
    .get_weights = pl_fem_fast_get_weights,
    .set_weights = pl_fem_fast_set_weights,
    .create_work = pl_fem_fast_create_work,
    .destroy_work = pl_fem_fast_destroy_work,
};

bool pl_fem_is_fast_model(const pl_model *model) {
  return model->method == &FAST_METHOD;
}

static pl_status check_def(const pl_fem_def *def, const pl_mesh_view *mesh, pl_error *error) {
  pl_status status = pl_check_def(def->magic, "pl_fem_def", error);
  if (status < 0) return status;
  const struct {
    const char *field;
    double value, min, max;
  } ranges[] = {
      {"density", def->density, 1e-9, 1e9},
      {"young", def->young, 1e-9, 1e15},
      {"poisson", def->poisson, 0, 0.4999},
      {"mass_damping", def->mass_damping, 0, 1e6},
      {"fast_step", def->fast_step, 1e-9, 10},
      {"volume_rounds", def->volume_rounds, 1, 1000},
      {"contact_stiffness", def->contact_stiffness, 0, 1e18},
      {"fidelity", def->fidelity, 0, 1},
      {"example_count", def->example_count, 0, PL_MAX_EXAMPLE_COUNT},
  };
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; ++i)
    if (!(ranges[i].value >= ranges[i].min && ranges[i].value <= ranges[i].max))
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, ranges[i].field,
                           "%g is out of range; use %g … %g with the fast material", ranges[i].value, ranges[i].min,
                           ranges[i].max);
  if (def->stiffness_damping != 0)
    return pl_fail_field(
        error, PL_ERROR_UNSUPPORTED, "stiffness_damping",
        "the fast material has mass damping only; its implicit steps damp fast vibrations by themselves");
  if (mesh->tet_count == 0)
    return pl_fail_field(
        error, PL_ERROR_INVALID_DATA, "mesh",
        "the fast material is made of tets and this mesh has none; fill a closed surface with `pliant mesh`");
  if (mesh->tet_count > pl_sparse_max_elements(mesh->point_count, 4))
    return pl_fail_field(error, PL_ERROR_UNSUPPORTED, "mesh", "%d tets are too many; use a coarser mesh",
                         mesh->tet_count);
  return PL_OK;
}

static pl_status check_tets(const pl_fem_def *def, const pl_mesh_view *mesh, pl_error *error) {
  for (int32_t t = 0; t < mesh->tet_count; ++t) {
    pl_fem_fast_tet tet = pl_fem_fast_tet_of(def, mesh, t);
    // What does not fit a float is as good as none.
    bool has_volume = tet.volume > 1e-30 && tet.volume < 1e30;
    for (int i = 0; i < 12; ++i) has_volume = has_volume && fabs(tet.B[i / 3][i % 3]) < 1e15;
    if (!has_volume) return pl_fail(error, PL_ERROR_INVALID_DATA, "tet %d has no volume; run `pliant check`", t);
    if (!(tet.mu > 0) || !isfinite(tet.mu))
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "young_scales", "%g of tet %d is out of range",
                           def->young_scales[t], t);
  }
  return PL_OK;
}

// A quarter of each tet's mass to each of its corners.
static pl_status lump_masses(const pl_fem_def *def, const pl_mesh_view *mesh, pl_fem_fast_model *model,
                             pl_error *error) {
  pl_model *head = &model->head;
  double *masses = PL_TAKE(&head->arena, double, mesh->point_count),
         *inverse = PL_TAKE(&head->arena, double, mesh->point_count);
  if (masses == NULL || inverse == NULL) return pl_fail_memory(error);
  for (int32_t t = 0; t < mesh->tet_count; ++t) {
    double volume = pl_fem_fast_tet_of(def, mesh, t).volume;
    double density = def->density * (def->density_scales != NULL ? def->density_scales[t] : 1);
    for (int k = 0; k < 4; ++k) masses[mesh->tets[4 * t + k]] += 0.25 * density * volume;
  }
  pl_vec3 center = {0, 0, 0};
  for (int32_t i = 0; i < mesh->point_count; ++i) {
    if (def->added_masses != NULL) masses[i] += def->added_masses[i];
    if (!(masses[i] > 0))
      return pl_fail(error, PL_ERROR_INVALID_DATA,
                     "point %d belongs to no tet with volume; remove it or run `pliant check`", i);
    inverse[i] = 1 / masses[i];
    head->mass += masses[i];
    center = pl_vec3_add_scaled(center, mesh->points[i], masses[i]);
  }
  head->masses = masses;
  head->inverse_masses = inverse;
  model->rest_center = pl_vec3_scale(center, 1 / head->mass);
  return PL_OK;
}

// A in the order of the mesh.
static void fill_matrix(const pl_fem_def *def, const pl_mesh_view *mesh, const double *masses, pl_sparse *matrix) {
  double h2 = def->fast_step * def->fast_step, inertia = 1 + def->fast_step * def->mass_damping;
  for (int32_t i = 0; i < mesh->point_count; ++i) matrix->values[matrix->diagonal[i]] = masses[i] * inertia;
  for (int32_t t = 0; t < mesh->tet_count; ++t) {
    pl_fem_fast_tet tet = pl_fem_fast_tet_of(def, mesh, t);
    double weight = 2 * h2 * tet.volume * tet.mu;
    const int32_t *corners = mesh->tets + 4 * (size_t)t;
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b)
        matrix->values[pl_sparse_find(matrix, corners[a], corners[b])] +=
            weight * (tet.B[a][0] * tet.B[b][0] + tet.B[a][1] * tet.B[b][1] + tet.B[a][2] * tet.B[b][2]);
  }
}

// A copy of A in single precision and in the order of elimination.
static bool copy_matrix(const pl_sparse *matrix, pl_fem_fast_model *model) {
  int32_t n = matrix->row_count, *start = PL_TAKE(&model->head.arena, int32_t, n + 1), at = 0;
  int32_t *columns = PL_TAKE(&model->head.arena, int32_t, matrix->value_count);
  float *values = PL_TAKE(&model->head.arena, float, matrix->value_count);
  if (start == NULL || columns == NULL || values == NULL) return false;
  for (int32_t i = 0; i < n; ++i) {
    int32_t row = model->point_of[i];
    for (int32_t e = matrix->start[row]; e < matrix->start[row + 1]; ++e, ++at) {
      columns[at] = model->particle_of[matrix->columns[e]];
      values[at] = (float)matrix->values[e];
    }
    start[i + 1] = at;
  }
  model->row_start = start;
  model->columns = columns;
  model->values = values;
  return true;
}

// Points that the def says are held, each once.
static pl_status list_held(const pl_fem_def *def, const pl_mesh_view *mesh, pl_fem_fast_model *model, pl_error *error) {
  bool *is_held = PL_TAKE(&model->head.arena, bool, mesh->point_count);
  if (is_held == NULL) return pl_fail_memory(error);
  for (int32_t k = 0; k < def->held_count; ++k) {
    int32_t point = def->held_points[k];
    if (point < 0 || point >= mesh->point_count)
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "held_points", "the mesh has no point %d", point);
    int32_t i = model->particle_of[point];
    model->held_count += !is_held[i];
    is_held[i] = true;
  }
  model->is_held = is_held;
  return PL_OK;
}

// The factor of a body whose held points do not move. The pattern stays, so that both factors have one order.
static pl_status build_held_factor(pl_context *context, const pl_mesh_view *mesh, pl_sparse *matrix,
                                   pl_fem_fast_model *model, pl_error *error) {
  for (int32_t row = 0; row < matrix->row_count; ++row)
    for (int32_t e = matrix->start[row]; e < matrix->start[row + 1]; ++e) {
      int32_t column = matrix->columns[e];
      if (model->is_held[model->particle_of[row]] || model->is_held[model->particle_of[column]])
        matrix->values[e] = row == column;
    }
  return pl_sparse_cholesky_build(context, &model->head.arena, matrix, mesh->points, &model->held_factor, error);
}

static pl_status build_matrix(pl_context *context, const pl_fem_def *def, const pl_mesh_view *mesh,
                              pl_fem_fast_model *model, pl_error *error) {
  pl_arena scratch, *arena = &model->head.arena;
  pl_arena_init(&scratch, context, 0);
  pl_sparse matrix;
  pl_status status = PL_OK;
  if (!pl_sparse_create(&scratch, mesh->tets, mesh->tet_count, 4, mesh->point_count, &matrix))
    status = pl_fail_memory(error);
  if (status >= 0) {
    fill_matrix(def, mesh, model->head.masses, &matrix);
    status = pl_sparse_cholesky_build(context, arena, &matrix, mesh->points, &model->factor, error);
  }
  if (status >= 0) {
    int32_t *particle_of = PL_TAKE(arena, int32_t, mesh->point_count);
    model->point_of = model->factor.row_of;
    model->particle_of = particle_of;
    for (int32_t i = 0; particle_of != NULL && i < mesh->point_count; ++i) particle_of[model->point_of[i]] = i;
    if (particle_of == NULL || !copy_matrix(&matrix, model)) status = pl_fail_memory(error);
  }
  if (status >= 0)
    status = pl_fem_fast_pattern_build(&matrix, mesh, 1 + def->fast_step * def->mass_damping, model, error);
  if (status >= 0) status = list_held(def, mesh, model, error);
  if (status >= 0 && model->held_count > 0) status = build_held_factor(context, mesh, &matrix, model, error);
  pl_arena_destroy(&scratch);
  return status;
}

static pl_status fill_particles(const pl_fem_def *def, const pl_mesh_view *mesh, pl_fem_fast_model *model,
                                pl_error *error) {
  pl_arena *arena = &model->head.arena;
  const pl_contact_surface *surface = &model->head.surface;
  pl_f4 *rest = PL_TAKE(arena, pl_f4, mesh->point_count);
  double *masses = PL_TAKE(arena, double, mesh->point_count);
  float *inertias = PL_TAKE(arena, float, mesh->point_count);
  int32_t *parents = PL_TAKE(arena, int32_t, 4 * (size_t)surface->point_count);
  if (rest == NULL || masses == NULL || inertias == NULL || parents == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < mesh->point_count; ++i) {
    int32_t point = model->point_of[i];
    rest[i] = pl_f4_of_vec3(pl_vec3_sub(mesh->points[point], model->rest_center));
    masses[i] = model->head.masses[point];
    inertias[i] = (float)(masses[i] * (1 + def->fast_step * def->mass_damping));
  }
  for (int32_t i = 0; i < 4 * surface->point_count; ++i) parents[i] = model->particle_of[surface->parents[i]];
  model->rest = rest;
  model->masses = masses;
  model->inertias = inertias;
  model->surface_parents = parents;
  return PL_OK;
}

static pl_status copy_mesh(const pl_fem_def *def, const pl_mesh_view *mesh, pl_fem_fast_model *model, pl_error *error) {
  pl_arena *arena = &model->head.arena;
  int32_t *corners = PL_TAKE(arena, int32_t, 4 * (size_t)mesh->tet_count);
  double *points = PL_TAKE(arena, double, 3 * (size_t)mesh->point_count);
  double *moduli = PL_TAKE(arena, double, mesh->tet_count);
  if (corners == NULL || points == NULL || moduli == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < 4 * mesh->tet_count; ++i) corners[i] = mesh->tets[i];
  for (int32_t i = 0; i < mesh->point_count; ++i) pl_fem_put(points, i, mesh->points[i]);
  for (int32_t t = 0; t < mesh->tet_count; ++t)
    moduli[t] = def->young * (def->young_scales != NULL ? def->young_scales[t] : 1);
  model->corners = corners;
  model->rest_points = points;
  model->moduli = moduli;
  model->poisson = def->poisson;
  return PL_OK;
}

// Springs of colliders, by the area that a surface point stands for: stiffer than the layer of tets behind them, so
// that little of it is pressed into the collider, than its inertia in a step, so that it is stopped however soft it
// is, and stiff enough to carry its weight with a fraction of the contact thickness.
static pl_status fill_touch(const pl_fem_def *def, const pl_mesh_view *mesh, pl_fem_fast_model *model,
                            pl_error *error) {
  enum { STIFFER = 10 };
  const pl_contact_surface *surface = &model->head.surface;
  const pl_vec3 *p = surface->rest_points;
  float *stiffness = PL_TAKE(&model->head.arena, float, surface->point_count);
  if (stiffness == NULL) return pl_fail_memory(error);
  double size = cbrt(6 * model->head.mass / def->density / mesh->tet_count);
  double layer = fmax(def->young / size, def->density * size / (def->fast_step * def->fast_step));
  double total = 0;
  for (int32_t t = 0; t < surface->triangle_count; ++t) {
    const int32_t *c = surface->triangles + 3 * (size_t)t;
    double area = 0.5 * pl_vec3_length(pl_vec3_cross(pl_vec3_sub(p[c[1]], p[c[0]]), pl_vec3_sub(p[c[2]], p[c[0]])));
    for (int k = 0; k < 3; ++k) stiffness[c[k]] += (float)(area / 3);
    total += area;
  }
  double per_area = def->contact_stiffness;
  if (!(per_area > 0)) per_area = pl_fem_contact_stiffness(&model->head, total, STIFFER * layer, 2);
  // A point of no triangle with area stands for as much as the others on average.
  for (int32_t i = 0; i < surface->point_count; ++i) {
    double area = stiffness[i] > 0 ? (double)stiffness[i] : fmax(total, size * size) / surface->point_count;
    stiffness[i] = (float)(per_area * area);
  }
  model->touch_stiffness = stiffness;
  return PL_OK;
}

static uint64_t hash_model(const pl_fem_fast_model *model) {
  const pl_model *head = &model->head;
  size_t n = (size_t)head->particle_count, groups = (size_t)model->tets.group_count;
  double numbers[] = {model->step,
                      model->mass_damping,
                      model->volume_rounds,
                      head->friction,
                      head->restitution,
                      head->contact_radius,
                      (double)head->self_contact,
                      model->examples.count,
                      model->examples.fidelity};
  uint64_t hash = pl_hash_bytes(PL_HASH_START, "fem fast", 8);
  hash = pl_hash_bytes(hash, numbers, sizeof numbers);
  hash = pl_hash_bytes(hash, head->masses, n * sizeof(double));
  hash = pl_hash_bytes(hash, model->rest, n * sizeof(pl_f4));
  hash = pl_hash_bytes(hash, model->point_of, n * sizeof(int32_t));
  if (model->held_count > 0) hash = pl_hash_bytes(hash, model->is_held, n * sizeof(bool));
  hash = pl_hash_bytes(hash, model->tets.corners, groups * PL_FAST_CORNER_LANES * sizeof(int32_t));
  hash = pl_hash_bytes(hash, model->tets.constants, groups * PL_FAST_CONSTANT_COUNT * LANES * sizeof(float));
  if (model->examples.count > 0)
    hash = pl_hash_bytes(hash, model->examples.shapes,
                         groups * (size_t)model->examples.count * SYM3_LANES * sizeof(float));
  hash = pl_hash_bytes(hash, head->surface.parents, 4 * (size_t)head->surface.point_count * sizeof(int32_t));
  hash = pl_hash_bytes(hash, head->surface.weights, 4 * (size_t)head->surface.point_count * sizeof(float));
  hash = pl_hash_bytes(hash, model->touch_stiffness, (size_t)head->surface.point_count * sizeof(float));
  return pl_hash_bytes(hash, head->surface.triangles, 3 * (size_t)head->surface.triangle_count * sizeof(int32_t));
}

// Iterations that solve the system where lambda / mu is above MAX_RATIO, beyond those of the def (fem_fast_solve.c).
static int32_t count_stiff_rounds(const pl_fem_def *def) {
  enum { MAX_RATIO = 60 };
  double ratio = 2 * def->poisson / (1 - 2 * def->poisson);
  int32_t all = ratio > MAX_RATIO ? (int32_t)ceil(2 * sqrt(ratio)) : 0;
  return all > def->volume_rounds ? all - def->volume_rounds : 0;
}

static pl_status fill_model(pl_context *context, const pl_fem_def *def, const pl_mesh *mesh, pl_fem_fast_model *model,
                            pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_model *head = &model->head;
  head->method = &FAST_METHOD;
  head->particle_count = view.point_count;
  head->box = pl_box_from_points(view.points, view.point_count);
  head->friction = def->friction;
  head->restitution = def->restitution;
  head->contact_radius = pl_model_contact_radius(def->contact_radius, head->box);
  head->keeps_springs = def->contact_stiffness > 0;
  head->max_overlap = head->keeps_springs ? 0 : head->contact_radius;
  head->self_contact = def->self_contact;
  model->step = def->fast_step;
  model->mass_damping = def->mass_damping;
  model->volume_rounds = def->volume_rounds;
  model->stiff_rounds = count_stiff_rounds(def);
  // The next power of two above the body's size: sums and differences with it are exact.
  model->origin_grid = exp2(ceil(log2(fmax(pl_box_diagonal(head->box), 1e-30))));
  pl_status status = lump_masses(def, &view, model, error);
  if (status >= 0) status = build_matrix(context, def, &view, model, error);
  if (status >= 0)
    status = pl_fem_fast_tets_build(context, def, &view, model->particle_of, &head->arena, &model->tets, error);
  if (status >= 0) status = pl_fem_fast_examples_build(def, &view, model, error);
  if (status >= 0)
    status =
        pl_body_surface_build(context, mesh, def->surface, def->surface_tolerance, &head->arena, &head->surface, error);
  if (status >= 0) status = fill_particles(def, &view, model, error);
  if (status >= 0) status = fill_touch(def, &view, model, error);
  if (status >= 0) status = copy_mesh(def, &view, model, error);
  if (status >= 0) head->hash = hash_model(model);
  return status;
}

pl_status pl_fem_fast_build(pl_context *context, const pl_fem_def *def, const pl_mesh *mesh, pl_model **model,
                            pl_error *error) {
  *model = NULL;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_status status = check_def(def, &view, error);
  if (status >= 0) status = check_tets(def, &view, error);
  if (status < 0) return status;
  pl_arena arena;
  pl_arena_init(&arena, context, (size_t)view.tet_count * 128 + 4096);
  pl_fem_fast_model *made = PL_TAKE(&arena, pl_fem_fast_model, 1);
  if (made == NULL) return pl_fail_memory(error);
  made->head.arena = arena;
  status = fill_model(context, def, mesh, made, error);
  if (status < 0) {
    pl_model_destroy(&made->head);
    return status;
  }
  *model = &made->head;
  return PL_OK;
}
