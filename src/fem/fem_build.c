// From a mesh to the model of a finite-element body.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/hash.h"
#include "body/body_surface.h"
#include "fem/fem_coupled.h"
#include "fem/fem_fast.h"
#include "fem/fem_maxwell.h"
#include "pliant/math.h"

// Bodies that adapt have a will of their own, and weights that are given may change.
static bool can_sleep(const pl_model *model, const void *state) {
  const pl_fem_model *fem = (const pl_fem_model *)model;
  return !fem->adapts && *pl_fem_state_of(model, state).driven == 0;
}

// Solids and shells meet other bodies together with their own step (fem_coupled.c). What lives in a plane must not be
// pushed out of it, so it meets colliders only.
#define FEM_METHOD(meets_no_bodies)                                                                                 \
  {                                                                                                                 \
    .name = "fem", .handles_colliders = true, .handles_bodies = (meets_no_bodies), .handles_pins = true,            \
    .handles_ranges = true, .reports_pins = true, .state_size = pl_fem_state_size, .start = pl_fem_start,           \
    .move = pl_fem_move, .coupled = &pl_fem_coupled, .can_sleep = can_sleep, .get_positions = pl_fem_get_positions, \
    .get_velocities = pl_fem_get_velocities, .get_surface = pl_fem_get_surface, .get_view = pl_fem_get_view,        \
    .set_state = pl_fem_set_state, .get_particle = pl_fem_get_particle, .set_particle = pl_fem_set_particle,        \
    .find_not_finite = pl_fem_find_not_finite, .list_examples = pl_fem_list_examples,                               \
    .get_weights = pl_fem_get_weights, .set_weights = pl_fem_set_weights, .create_work = pl_fem_create_work,        \
    .destroy_work = pl_fem_destroy_work,                                                                            \
  }

static const pl_body_method SPACE_METHOD = FEM_METHOD(false), PLANE_METHOD = FEM_METHOD(true);

bool pl_fem_is_model(const pl_model *model) {
  return model->method == &SPACE_METHOD || model->method == &PLANE_METHOD;
}

// --- surface ------------------------------------------------------------------------------------------------------

// The mesh's own points and triangles.
static pl_status use_mesh(const pl_mesh_view *mesh, bool with_triangles, pl_model *head, pl_error *error) {
  pl_arena *arena = &head->arena;
  size_t n = (size_t)mesh->point_count;
  int32_t *parents = PL_TAKE(arena, int32_t, 4 * n), triangle_count = with_triangles ? mesh->triangle_count : 0;
  float *weights = PL_TAKE(arena, float, 4 * n);
  head->surface = (pl_contact_surface){
      .point_count = mesh->point_count,
      .parents = parents,
      .weights = weights,
      .triangle_count = triangle_count,
      .triangles = pl_arena_copy(arena, mesh->triangles, 3 * (size_t)triangle_count, sizeof(int32_t)),
      .particle_count = mesh->point_count,
      .rest_points = pl_arena_copy(arena, mesh->points, n, sizeof(pl_vec3))};
  if (arena->failed) return pl_fail_memory(error);
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < 4; ++k) parents[4 * i + k] = (int32_t)i;
    weights[4 * i] = 1.0f;
  }
  return PL_OK;
}

// Area that each surface point stands for. What lives in a plane touches with its rim, which is as wide as the body is
// thick.
static void distribute_areas(const pl_fem_def *def, const pl_mesh_view *mesh, const pl_fem_model *model,
                             double *areas) {
  const pl_contact_surface *surface = &model->head.surface;
  const pl_vec3 *p = surface->rest_points;
  for (int32_t t = 0; t < surface->triangle_count; ++t) {
    const int32_t *c = surface->triangles + 3 * (ptrdiff_t)t;
    double area = 0.5 * pl_vec3_length(pl_vec3_cross(pl_vec3_sub(p[c[1]], p[c[0]]), pl_vec3_sub(p[c[2]], p[c[0]])));
    for (int k = 0; k < 3; ++k) areas[c[k]] += area / 3;
  }
  for (int32_t i = 0; model->planar && i < surface->point_count; ++i) areas[i] = def->thickness * sqrt(areas[i]);
  for (int32_t s = 0; def->material == PL_FEM_CURVE && def->surface == NULL && s < mesh->segment_count; ++s)
    for (int k = 0; k < 2; ++k) {
      const int32_t *ends = mesh->segments + 2 * (ptrdiff_t)s;
      areas[ends[k]] += 0.5 * def->thickness * pl_vec3_distance(mesh->points[ends[0]], mesh->points[ends[1]]);
    }
}

// By how much a contact hardens at a given depth: c of fem_contact.c.
static const double GIVEN_HARDNESS = 10;
// Soles are about 3 % of the surface of a body that stands on legs; they carry it with a third of its contact
// thickness.
static const double SOLE_FRACTION = 0.03, SOLE_DEPTH = 1.0 / 3;
// A foot that rolls over its edge has a few points on the ground: each carries this fraction of the weight at twice the
// contact thickness.
static const double POINT_LOAD = 0.3;

// Contact of bodies that adapt follows the load. With W the weight, A the area of all n points and t the contact
// thickness,
//
//   solids   K = W / (SOLE_FRACTION A SOLE_DEPTH t) at least, where it is not given
//   all      K A/n (2 t + c t) = POINT_LOAD W,   hardening from t on; not where c would be negative
//
// Rims of plane bodies stand on a larger part of their surface, and the elements of plane bodies are stiff enough.
static void follow_load(const pl_fem_def *def, pl_fem_model *model) {
  static const double GRAVITY = 9.81;
  pl_fem_touch *touch = &model->touch;
  double thickness = pl_model_contact_radius(-1, model->head.box), weight = GRAVITY * model->head.mass;
  if (!(thickness > 0) || !(touch->area > 0)) return;
  if (!(def->contact_stiffness > 0) && pl_fem_is_solid(def->material))
    touch->stiffness = fmax(touch->stiffness, weight / (SOLE_FRACTION * touch->area * SOLE_DEPTH * thickness));
  double point = touch->stiffness * touch->area / model->head.surface.point_count;
  touch->hardness = POINT_LOAD * weight / (point * thickness) - 2;
  if (touch->hardness > 0) touch->hardening = thickness;
}

static pl_status build_touch(const pl_fem_def *def, const pl_mesh_view *mesh, pl_fem_model *model, pl_error *error) {
  const pl_contact_surface *surface = &model->head.surface;
  size_t n = (size_t)surface->point_count;
  double *areas = PL_TAKE(&model->head.arena, double, n), *weights = PL_TAKE(&model->head.arena, double, 4 * n);
  int32_t *slots = PL_TAKE(&model->head.arena, int32_t, 16 * n);
  if (areas == NULL || weights == NULL || slots == NULL) return pl_fail_memory(error);
  distribute_areas(def, mesh, model, areas);
  for (size_t i = 0; i < n; ++i) {
    const int32_t *parents = surface->parents + 4 * i;
    double sum = 0;
    for (size_t k = 0; k < 4; ++k) sum += (double)surface->weights[4 * i + k];
    for (size_t k = 0; k < 4; ++k) weights[4 * i + k] = (double)surface->weights[4 * i + k] / sum;
    for (size_t k = 0; k < 16; ++k) {
      bool used = surface->weights[4 * i + k / 4] != 0 && surface->weights[4 * i + k % 4] != 0;
      slots[16 * i + k] = used ? pl_block_pattern_find(&model->pattern, parents[k / 4], parents[k % 4]) : -1;
    }
  }
  double size = model->element_size, layer = def->young / size;
  if (!pl_fem_is_solid(def->material)) layer = def->young * def->thickness / (size * size);
  double layer_mass = def->density * (pl_fem_is_solid(def->material) ? size : def->thickness), area = 0;
  bool is_given = def->contact_stiffness > 0, is_fixed = is_given || def->adapts;
  for (size_t i = 0; i < n; ++i) area += areas[i];
  model->touch = (pl_fem_touch){areas,
                                weights,
                                slots,
                                is_given ? def->contact_stiffness : 10 * layer,
                                is_fixed ? 0 : layer_mass,
                                area,
                                1e-3 * size,
                                def->adapts ? fmax(def->contact_hardening, 0) : 0,
                                GIVEN_HARDNESS};
  if (def->adapts && def->contact_hardening < 0) follow_load(def, model);
  return PL_OK;
}

// --- the rest -----------------------------------------------------------------------------------------------------

static pl_status build_pattern(pl_fem_model *model, pl_error *error) {
  pl_block_elements groups[PL_FEM_MAX_GROUPS];
  for (int32_t g = 0; g < model->group_count; ++g)
    groups[g] =
        (pl_block_elements){model->groups[g].corners, model->groups[g].element_count, model->groups[g].corner_count};
  return pl_block_pattern_build(&model->head.arena, model->head.particle_count, groups, model->group_count,
                                &model->pattern, error);
}

// Smallest edge of any element, for the choice of a solver.
static double shortest_edge(const pl_fem_model *model) {
  double min = HUGE_VAL;
  const pl_fem_group *group = &model->groups[0];
  for (int32_t e = 0; e < group->element_count; ++e)
    for (int32_t a = 0; a < group->corner_count; ++a)
      for (int32_t b = 0; b < a; ++b)
        min = fmin(min, pl_vec3_distance(pl_fem_vector(group->starts, group->corner_count * e + a),
                                         pl_fem_vector(group->starts, group->corner_count * e + b)));
  return min;
}

static pl_linear_def choose_solver(const pl_fem_def *def, const pl_mesh_view *mesh, const pl_fem_model *model) {
  pl_linear_def linear = pl_default_linear_def();
  int32_t scale_count = pl_fem_is_solid(def->material) ? mesh->tet_count : mesh->triangle_count;
  if (def->material == PL_FEM_CURVE) scale_count = mesh->segment_count;
  if (def->young_scales == NULL) scale_count = 0;
  double min = scale_count > 0 ? def->young_scales[0] : 1, max = min;
  for (int32_t e = 1; e < scale_count; ++e) {
    min = fmin(min, def->young_scales[e]);
    max = fmax(max, def->young_scales[e]);
  }
  linear.choice = def->solver == PL_FEM_SOLVER_CG ? PL_LINEAR_CG : PL_LINEAR_AUTO;
  if (def->solver == PL_FEM_SOLVER_DIRECT)
    linear.choice =
        3 * (int64_t)model->head.particle_count <= 600 || def->direct == NULL ? PL_LINEAR_DENSE : PL_LINEAR_DIRECT;
  linear.direct = def->direct;
  linear.choose_preconditioner = true;
  linear.limits.tolerance = fmax(fmin(def->newton_tolerance, 1e-4), 1e-10);
  linear.hint = (pl_linear_hint){.young = def->young * max,
                                 .young_contrast = max / min,
                                 .poisson = def->poisson,
                                 .density = def->density,
                                 .element_size = shortest_edge(model),
                                 .solves_per_factor = 1};
  return linear;
}

static uint64_t hash_model(const pl_fem_def *def, const pl_fem_model *model) {
  const pl_model *head = &model->head;
  size_t n = (size_t)head->particle_count;
  const double numbers[] = {(double)def->material,      (double)def->scheme,
                            (double)def->solver,        (double)def->max_newton_iterations,
                            def->newton_tolerance,      def->mass_damping,
                            def->stiffness_damping,     def->thickness,
                            model->touch.stiffness,     head->friction,
                            head->restitution,          head->contact_radius,
                            (double)head->self_contact, (double)model->examples.count};
  uint64_t hash = pl_hash_bytes(PL_HASH_START, "fem", 3);
  if (model->adapts) hash = pl_hash_bytes(hash, "adapts", 6);
  if (def->implicit_steps != PL_FEM_IMPLICIT_NONE)
    hash = pl_hash_bytes(hash, &def->implicit_steps, sizeof def->implicit_steps);
  if (def->element == PL_FEM_QUADRATIC) hash = pl_hash_bytes(hash, "quadratic", 9);
  if (model->examples.count > 0 && def->fidelity < 1) hash = pl_hash_bytes(hash, &def->fidelity, sizeof(double));
  if (model->branches.count > 0) hash = pl_hash_bytes(hash, &model->branches, sizeof model->branches);
  hash = pl_hash_bytes(hash, numbers, sizeof numbers);
  hash = pl_hash_bytes(hash, head->masses, n * sizeof(double));
  for (int32_t g = 0; g < model->group_count; ++g) {
    const pl_fem_group *group = &model->groups[g];
    size_t count = (size_t)group->element_count, corners = count * (size_t)group->corner_count;
    hash = pl_hash_bytes(hash, group->corners, corners * sizeof(int32_t));
    hash = pl_hash_bytes(hash, group->starts, 3 * corners * sizeof(double));
    hash = pl_hash_bytes(hash, group->parameters, count * (size_t)group->energy->parameter_count * sizeof(double));
  }
  for (int32_t k = 0; k < def->example_count; ++k)
    hash = pl_hash_bytes(hash, def->examples[k].points, n * sizeof(pl_vec3));
  hash = pl_hash_bytes(hash, head->surface.parents, 4 * (size_t)head->surface.point_count * sizeof(int32_t));
  hash = pl_hash_bytes(hash, head->surface.weights, 4 * (size_t)head->surface.point_count * sizeof(float));
  return pl_hash_bytes(hash, head->surface.triangles, 3 * (size_t)head->surface.triangle_count * sizeof(int32_t));
}

// Branches begin without stress.
static pl_status build_metrics(pl_context *context, pl_fem_model *model, pl_error *error) {
  size_t size = pl_fem_metrics_size(model);
  double *metrics = PL_TAKE(&model->head.arena, double, size *(size_t)model->branches.count);
  pl_fem_maxwell maxwell;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  bool is_taken = metrics != NULL && pl_fem_maxwell_take(&arena, context, model, &maxwell);
  for (int32_t b = 0; is_taken && b < model->branches.count; ++b)
    pl_fem_maxwell_measure(&maxwell, model->rest_points, metrics + size * (size_t)b);
  pl_arena_destroy(&arena);
  model->start_metrics = metrics;
  return is_taken ? PL_OK : pl_fail_memory(error);
}

static pl_status fill_model(pl_context *context, const pl_fem_def *def, const pl_mesh *mesh, pl_fem_model *model,
                            pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_model *head = &model->head;
  head->particle_count = view.point_count;
  head->box = pl_box_from_points(view.points, view.point_count);
  head->friction = def->friction;
  head->restitution = def->restitution;
  // Drivers plan with the surface itself.
  double radius = pl_model_contact_radius(def->contact_radius, head->box);
  head->contact_radius = def->contact_radius < 0 && def->adapts ? 0 : radius;
  head->keeps_springs = def->adapts || def->contact_stiffness > 0;
  head->max_overlap = head->keeps_springs ? 0 : radius;
  head->self_contact = def->self_contact;
  model->material = def->material;
  model->adapts = def->adapts;
  model->mass_damping = def->mass_damping;
  model->stiffness_damping = def->stiffness_damping;
  model->branches = pl_fem_branches_of(def);
  model->scheme = def->scheme;
  model->implicit_steps = def->implicit_steps;
  model->head.velocities_at_ends = def->scheme == PL_FEM_SECOND_ORDER;
  model->max_newton_iterations = def->max_newton_iterations;
  model->newton_tolerance = def->newton_tolerance;
  pl_status status = pl_fem_elements_build(context, def, &view, model, error);
  if (status >= 0) status = build_pattern(model, error);
  if (status >= 0) status = pl_fem_examples_build(def, &view, model, error);
  if (status >= 0 && model->branches.count > 0) status = build_metrics(context, model, error);
  if (status < 0) return status;
  if (model->planar) head->method = &PLANE_METHOD;
  if (def->surface == NULL && !pl_fem_is_solid(def->material))
    status = use_mesh(&view, def->material != PL_FEM_CURVE, head, error);
  else
    status =
        pl_body_surface_build(context, mesh, def->surface, def->surface_tolerance, &head->arena, &head->surface, error);
  if (status >= 0) status = build_touch(def, &view, model, error);
  if (status < 0) return status;
  model->linear = choose_solver(def, &view, model);
  head->hash = hash_model(def, model);
  return PL_OK;
}

// The same with nodes on the edges, which come behind the mesh's points.
static pl_status build_quadratic(pl_context *context, const pl_fem_def *def, const pl_mesh *mesh, pl_model **model,
                                 pl_error *error) {
  pl_mesh *quadratic = NULL;
  pl_fem_def own = *def;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_status status = pl_mesh_build_quadratic(context, mesh, &quadratic, error);
  if (status >= 0 && def->added_masses != NULL) {
    double *masses = PL_TAKE(&arena, double, pl_mesh_get_view(quadratic).point_count);
    size_t count = (size_t)pl_mesh_get_view(mesh).point_count;
    if (masses == NULL)
      status = pl_fail_memory(error);
    else
      memcpy(masses, def->added_masses, count * sizeof(double));
    own.added_masses = masses;
  }
  if (status >= 0) status = pl_fem_build(context, &own, quadratic, model, error);
  pl_mesh_destroy(quadratic);
  pl_arena_destroy(&arena);
  return status;
}

pl_status pl_fem_build(pl_context *context, const pl_fem_def *def, const pl_mesh *mesh, pl_model **model,
                       pl_error *error) {
  *model = NULL;
  pl_status status = pl_fem_def_check(def, error);
  if (status < 0) return status;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  if (def->element == PL_FEM_QUADRATIC && view.tet_mids == NULL && view.tet_count > 0)
    return build_quadratic(context, def, mesh, model, error);
  if (def->element == PL_FEM_LINEAR && view.tet_mids != NULL)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "element",
                         "the mesh has quadratic tets; use quadratic elements, or pl_mesh_build_linear()");
  if (def->material == PL_FEM_FAST) return pl_fem_fast_build(context, def, mesh, model, error);
  pl_arena arena;
  pl_arena_init(&arena, context, (size_t)pl_mesh_get_view(mesh).point_count * 4000 + 4096);
  pl_fem_model *made = PL_TAKE(&arena, pl_fem_model, 1);
  if (made == NULL) return pl_fail_memory(error);
  made->head.arena = arena;
  made->head.method = &SPACE_METHOD;
  status = fill_model(context, def, mesh, made, error);
  if (status < 0) {
    pl_model_destroy(&made->head);
    return status;
  }
  *model = &made->head;
  return PL_OK;
}
