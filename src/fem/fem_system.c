#include "fem/fem_system.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "fem/fem_system_planes.h"
#include "fem/fem_viscous.h"

enum { MAX_VALUES = 3 * PL_FEM_MAX_CORNERS, PREPARE_GRAIN = 1024 };

// Corotated and neo-Hookean tets are computed four at a time.
static bool is_batched(const pl_fem_group *group) {
  return group->energy == &pl_fem_corotated_tet || group->energy == &pl_fem_neo_hookean_tet;
}

static bool is_plane(const pl_fem_group *group) {
  return group->energy == &pl_fem_plane_triangle;
}

static bool is_edge_tet(const pl_fem_group *group) {
  return group->energy == &pl_fem_edge_tet;
}

static const pl_fem_density *quadratic_density(const pl_fem_group *group) {
  return group->energy == &pl_fem_corotated_quadratic     ? &pl_fem_corotated_density
         : group->energy == &pl_fem_neo_hookean_quadratic ? &pl_fem_neo_hookean_density
         : group->energy == &pl_fem_yeoh_quadratic        ? &pl_fem_yeoh_density
                                                          : NULL;
}

// Measures of tets by their edges, plane triangles, shells and curves where damping begins.
static void find_before(const pl_fem_system *s, int32_t g) {
  const pl_fem_group *group = &s->model->groups[g];
  if (s->planes != NULL) {
    pl_fem_planes_find_before(s);
    return;
  }
  double corners[MAX_VALUES];
  for (int32_t e = 0; e < group->element_count; ++e) {
    pl_fem_system_element(s, s->damped_from, g, e, corners);
    if (s->edge_tets != NULL)
      pl_fem_edge_tet_before_find(corners, &s->edge_tets_before[e]);
    else
      s->shells[g][e].before = pl_fem_shell_value(group->energy, corners);
  }
}

bool pl_fem_system_take(pl_arena *arena, pl_context *context, const pl_fem_model *model, pl_fem_system *system) {
  *system = (pl_fem_system){.context = context, .model = model};
  system->energies = PL_TAKE(arena, double, model->element_start[model->group_count]);
  system->pulls = PL_TAKE(arena, double, pl_fem_pulls_size(model));
  if (model->adapts) system->lost = PL_TAKE(arena, double, model->element_start[model->group_count]);
  if (is_plane(&model->groups[0]) && !pl_fem_planes_take(arena, system)) return false;
  if (quadratic_density(&model->groups[0]) != NULL)
    system->quadratics = PL_TAKE(arena, pl_fem_quadratic_constants, model->groups[0].element_count);
  if (is_batched(&model->groups[0]))
    system->constants = PL_TAKE(arena, pl_fem_tet_constants, model->groups[0].element_count);
  if (is_edge_tet(&model->groups[0]))
    system->edge_tets = PL_TAKE(arena, pl_fem_edge_tet_constants, model->groups[0].element_count);
  for (int32_t g = 0; g < model->group_count; ++g)
    if (pl_fem_is_shell(model->groups[g].energy))
      system->shells[g] = PL_TAKE(arena, pl_fem_shell_constants, model->groups[g].element_count);
  if (model->adapts && system->edge_tets != NULL) {
    system->edge_tets_before = PL_TAKE(arena, pl_fem_edge_tet_before, model->groups[0].element_count);
    system->edge_tets_lower = PL_TAKE(arena, pl_fem_edge_tet_blocks, model->groups[0].element_count);
  }
  if (model->adapts && (system->shells[0] != NULL || system->edge_tets != NULL || system->planes != NULL))
    system->damped_from = PL_TAKE(arena, double, 3 * (size_t)model->head.particle_count);
  for (int32_t g = 0; model->examples.count > 0 && g < model->group_count; ++g) {
    const pl_fem_group *group = &model->groups[g];
    system->mixed_rest[g] = PL_TAKE(arena, double, 3 * (size_t)group->corner_count * (size_t)group->element_count);
  }
  if (arena->failed) return false;
  for (int32_t t = 0; system->edge_tets != NULL && t < model->groups[0].element_count; ++t)
    pl_fem_edge_tet_constants_start(model->groups[0].starts + 12 * (ptrdiff_t)t, &system->edge_tets[t]);
  for (ptrdiff_t t = 0; system->edge_tets_lower != NULL && t < model->groups[0].element_count; ++t)
    pl_fem_edge_tet_blocks_find(model->groups[0].corners + 4 * t, model->pattern.groups[0].slots + 16 * t,
                                &system->edge_tets_lower[t]);
  pl_fem_system_use(system, NULL, NULL);
  for (int32_t g = 0; system->damped_from != NULL && g < model->group_count; ++g) find_before(system, g);
  return true;
}

static void prepare_range(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  pl_fem_system *s = data;
  for (int32_t t = begin; s->constants != NULL && t < end; ++t)
    s->constants[t] = pl_fem_tet_constants_of(s->rest[0] + 12 * (ptrdiff_t)t, s->parameters[0] + 2 * (ptrdiff_t)t);
  for (int32_t t = begin; s->edge_tets != NULL && t < end; ++t)
    pl_fem_edge_tet_constants_rest(s->rest[0] + 12 * (ptrdiff_t)t, s->parameters[0] + 2 * (ptrdiff_t)t,
                                   &s->edge_tets[t]);
  const pl_fem_group *group = &s->model->groups[0];
  for (int32_t t = begin; s->quadratics != NULL && t < end; ++t)
    s->quadratics[t] =
        pl_fem_quadratic_constants_of(quadratic_density(group), s->rest[0] + PL_FEM_QUADRATIC_VALUES * (ptrdiff_t)t,
                                      s->parameters[0] + (ptrdiff_t)group->energy->parameter_count * t);
}

static void prepare_shells(const pl_fem_system *s, int32_t g) {
  const pl_fem_group *group = &s->model->groups[g];
  pl_fem_shell_constants_rests(group->energy, group->element_count, group->starts, s->rest[g], s->parameters[g],
                               s->shells[g]);
}

void pl_fem_system_use(pl_fem_system *system, const double *const *rest, const double *const *parameters) {
  const pl_fem_model *model = system->model;
  for (int32_t g = 0; g < model->group_count; ++g) {
    system->rest[g] = rest != NULL && rest[g] != NULL ? rest[g] : model->groups[g].starts;
    system->parameters[g] = parameters != NULL && parameters[g] != NULL ? parameters[g] : model->groups[g].parameters;
  }
  if (system->planes != NULL) pl_fem_planes_use(system);
  if (system->constants != NULL || system->quadratics != NULL || system->edge_tets != NULL)
    pl_parallel_for(system->context, model->groups[0].element_count, PREPARE_GRAIN, prepare_range, system);
  for (int32_t g = 0; g < model->group_count; ++g)
    if (system->shells[g] != NULL) prepare_shells(system, g);
}

typedef struct mix_job {
  pl_fem_system *system;
  const double *weights;
  int32_t group;
} mix_job;

static void mix_range(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const mix_job *job = data;
  pl_fem_examples_mix(job->system->model, job->group, job->weights, begin, end, job->system->mixed_rest[job->group]);
}

void pl_fem_system_mix(pl_fem_system *system, const double *weights) {
  const double *parameters[PL_FEM_MAX_GROUPS];
  for (int32_t g = 0; g < system->model->group_count; ++g) {
    mix_job job = {system, weights, g};
    pl_parallel_for(system->context, system->model->groups[g].element_count, PREPARE_GRAIN, mix_range, &job);
    parameters[g] = system->parameters[g];
  }
  pl_fem_system_use(system, (const double *const *)system->mixed_rest, parameters);
}

void pl_fem_system_gather_rest(const pl_fem_model *model, const double *points, double *const *rest) {
  for (int32_t g = 0; g < model->group_count; ++g) {
    const pl_fem_group *group = &model->groups[g];
    for (int32_t i = 0; i < group->corner_count * group->element_count; ++i)
      pl_fem_put(rest[g], i, pl_fem_vector(points, group->corners[i]));
  }
}

void pl_fem_system_scatter_rest(const pl_fem_model *model, const double *const *rest, double *points) {
  for (int32_t g = 0; g < model->group_count; ++g) {
    const pl_fem_group *group = &model->groups[g];
    for (int32_t i = 0; i < group->corner_count * group->element_count; ++i)
      for (int k = 0; k < 3; ++k) points[3 * group->corners[i] + k] += rest[g][3 * (ptrdiff_t)i + k];
  }
}

pl_fem_element pl_fem_system_element(const pl_fem_system *system, const double *x, int32_t group, int32_t element,
                                     double *corners) {
  const pl_fem_group *g = &system->model->groups[group];
  const int32_t *points = g->corners + (ptrdiff_t)g->corner_count * element;
  for (int32_t k = 0; k < g->corner_count; ++k)
    memcpy(corners + 3 * k, x + 3 * (ptrdiff_t)points[k], 3 * sizeof(double));
  ptrdiff_t at = 3 * (ptrdiff_t)g->corner_count * element;
  return (pl_fem_element){corners, system->rest[group] + at, g->starts + at,
                          system->parameters[group] + (ptrdiff_t)g->energy->parameter_count * element};
}

// --- energy, gradient, Hessian ------------------------------------------------------------------------------------

typedef struct evaluation {
  pl_fem_system *system;
  const double *x;
  double *gradient;         // NULL: not wanted
  pl_fem_damping *damping;  // NULL: none
  bool positive;
  int32_t group;
} evaluation;

static void scatter(const pl_fem_group *group, int32_t element, const double *gradient, double *to) {
  const int32_t *points = group->corners + (ptrdiff_t)group->corner_count * element;
  for (int32_t k = 0; k < group->corner_count; ++k)
    for (int i = 0; i < 3; ++i) to[3 * (ptrdiff_t)points[k] + i] += gradient[3 * k + i];
}

// Tets, four at a time.
static void visit_batched(void *data, const int32_t *elements, int32_t count, double *matrices) {
  const evaluation *e = data;
  const pl_fem_group *group = &e->system->model->groups[e->group];
  double energies[PL_BLOCK_BATCH], gradients[12 * PL_BLOCK_BATCH];
  pl_fem_tets tets = {
      .model = group->energy == &pl_fem_corotated_tet ? PL_FEM_TET_COROTATED : PL_FEM_TET_NEO_HOOKEAN,
      .positive = e->positive,
      .constants = e->system->constants,
      .corners = group->corners,
      .positions = e->x,
  };
  pl_fem_assemble_tets(&tets, elements, count, energies, e->gradient != NULL ? gradients : NULL, matrices);
  for (int32_t i = 0; i < count; ++i) {
    e->system->energies[elements[i]] = energies[i];
    if (e->gradient != NULL) scatter(group, elements[i], gradients + 12 * i, e->gradient);
  }
}

// Quadratic tets, four at a time.
static void visit_quadratic(void *data, const int32_t *elements, int32_t count, double *matrices) {
  const evaluation *e = data;
  const pl_fem_group *group = &e->system->model->groups[e->group];
  double energies[PL_BLOCK_BATCH], gradients[PL_FEM_QUADRATIC_VALUES * PL_BLOCK_BATCH];
  pl_fem_quadratics tets = {
      .model = group->energy == &pl_fem_corotated_quadratic ? PL_FEM_QUADRATIC_COROTATED : PL_FEM_QUADRATIC_YEOH,
      .positive = e->positive,
      .constants = e->system->quadratics,
      .nodes = group->corners,
      .positions = e->x,
  };
  pl_fem_assemble_quadratics(&tets, elements, count, energies, e->gradient != NULL ? gradients : NULL, matrices);
  for (int32_t i = 0; i < count; ++i) {
    e->system->energies[elements[i]] = energies[i];
    if (e->gradient != NULL) scatter(group, elements[i], gradients + PL_FEM_QUADRATIC_VALUES * i, e->gradient);
  }
}

// Energies that come together with damping.
static void visit_together(void *data, const int32_t *elements, int32_t count, double *matrices) {
  const evaluation *e = data;
  const pl_fem_group *group = &e->system->model->groups[e->group];
  int n = 3 * group->corner_count;
  for (int32_t i = 0; i < count; ++i) {
    double corners[MAX_VALUES], before[MAX_VALUES], gradient[MAX_VALUES], drag[MAX_VALUES], energies[2];
    int32_t number = e->system->model->element_start[e->group] + elements[i];
    pl_fem_element element = pl_fem_system_element(e->system, e->x, e->group, elements[i], corners);
    if (e->damping != NULL) pl_fem_system_element(e->system, e->damping->from, e->group, elements[i], before);
    group->energy->together(&element, e->damping != NULL ? before : NULL, e->damping != NULL ? e->damping->factor : 0,
                            e->positive, energies, gradient, drag,
                            matrices != NULL ? matrices + (ptrdiff_t)n * n * i : NULL);
    e->system->energies[number] = energies[0];
    if (e->gradient != NULL) scatter(group, elements[i], gradient, e->gradient);
    if (e->damping == NULL) continue;
    e->system->lost[number] = energies[1];
    scatter(group, elements[i], drag, e->damping->gradient);
  }
}

// Any other element, one by one.
static void visit_single(void *data, const int32_t *elements, int32_t count, double *matrices) {
  const evaluation *e = data;
  const pl_fem_group *group = &e->system->model->groups[e->group];
  const pl_fem_energy *energy = group->energy;
  int n = 3 * group->corner_count;
  for (int32_t i = 0; i < count; ++i) {
    double corners[MAX_VALUES], gradient[MAX_VALUES];
    pl_fem_element element = pl_fem_system_element(e->system, e->x, e->group, elements[i], corners);
    e->system->energies[e->system->model->element_start[e->group] + elements[i]] = energy->energy(&element);
    if (e->gradient != NULL) {
      energy->gradient(&element, gradient);
      scatter(group, elements[i], gradient, e->gradient);
    }
    if (matrices == NULL) continue;
    double *matrix = matrices + (ptrdiff_t)n * n * i;
    if (e->positive && energy->positive != NULL) {
      energy->positive(&element, matrix);
      continue;
    }
    energy->hessian(&element, matrix);
    if (e->positive) pl_fem_project_positive(n, matrix);
  }
}

// Elements of shells, four at a time.
static void visit_shells(void *data, const int32_t *elements, int32_t count, double *matrices) {
  (void)matrices;
  pl_fem_assemble_shells(data, elements, count);
}

static pl_fem_shells shells_of(const pl_fem_system *system, const double *x, int32_t g, pl_block_matrix *matrix) {
  const pl_fem_model *model = system->model;
  return (pl_fem_shells){.kind = pl_fem_shell_kind_of(model->groups[g].energy),
                         .planar = model->planar,
                         .constants = system->shells[g],
                         .corners = model->groups[g].corners,
                         .slots = model->pattern.groups[g].slots,
                         .positions = x,
                         .rest = system->rest[g],
                         .energies = system->energies + model->element_start[g],
                         .values = matrix != NULL ? matrix->values : NULL};
}

static void evaluate_shells(const evaluation *e, pl_block_matrix *matrix) {
  const pl_fem_system *system = e->system;
  pl_fem_shells shells = shells_of(system, e->x, e->group, matrix);
  shells.positive = e->positive;
  shells.gradient = e->gradient;
  if (e->damping != NULL) {
    shells.factor = e->damping->factor;
    shells.viscous_energies = system->lost + system->model->element_start[e->group];
    shells.viscous = e->damping->gradient;
  }
  pl_block_pattern_visit(system->context, &system->model->pattern, e->group, visit_shells, &shells);
}

// What damping compares with is found once for all evaluations of a step.
static void begin_damping(pl_fem_system *system, const double *from, double factor) {
  size_t size = 3 * (size_t)system->model->head.particle_count * sizeof(double);
  if (system->damped_from == NULL) return;
  bool is_same = system->planes == NULL || system->damped_factor == factor;
  if (is_same && memcmp(system->damped_from, from, size) == 0) return;
  memcpy(system->damped_from, from, size);
  system->damped_factor = factor;
  for (int32_t g = 0; g < system->model->group_count; ++g) find_before(system, g);
}

// Tets by their edges, four at a time.
static void visit_edge_tets(void *data, const int32_t *elements, int32_t count, double *matrices) {
  (void)matrices;
  pl_fem_assemble_edge_tets(data, elements, count);
}

static pl_fem_edge_tets edge_tets_of(const pl_fem_system *system, const double *x, pl_block_matrix *matrix) {
  const pl_fem_model *model = system->model;
  return (pl_fem_edge_tets){.constants = system->edge_tets,
                            .corners = model->groups[0].corners,
                            .slots = model->pattern.groups[0].slots,
                            .positions = x,
                            .rest = system->rest[0],
                            .energies = system->energies,
                            .values = matrix != NULL ? matrix->values : NULL};
}

static void evaluate_edge_tets(const evaluation *e, pl_block_matrix *matrix) {
  pl_fem_edge_tets tets = edge_tets_of(e->system, e->x, matrix);
  tets.positive = e->positive;
  tets.lower = e->system->lower ? e->system->edge_tets_lower : NULL;
  tets.gradient = e->gradient;
  if (e->damping != NULL) {
    tets.before = e->system->edge_tets_before;
    tets.factor = e->damping->factor;
    tets.viscous_energies = e->system->lost;
    tets.viscous = e->damping->gradient;
  }
  pl_block_pattern_visit(e->system->context, &e->system->model->pattern, 0, visit_edge_tets, &tets);
}

static double sum_of(const pl_fem_system *system, const double *energies) {
  double sum = 0;
  if (system->without_energy) return 0;
  for (int32_t i = 0; i < system->model->element_start[system->model->group_count]; ++i) sum += energies[i];
  return sum;
}

// The same of both at once: neither waits for the other.
static double sum_of_both(const pl_fem_system *system, double *lost) {
  double sum = 0, other = 0;
  int32_t count = system->without_energy ? 0 : system->model->element_start[system->model->group_count];
  for (int32_t i = 0; i < count; ++i) {
    sum += system->energies[i];
    other += system->lost[i];
  }
  *lost = other;
  return sum;
}

static void clear_results(const pl_fem_system *system, double *gradient, pl_block_matrix *matrix) {
  if (gradient != NULL) memset(gradient, 0, 3 * (size_t)system->model->head.particle_count * sizeof(double));
  if (matrix == NULL) return;
  if (system->lower)
    pl_block_matrix_clear_lower(system->context, matrix);
  else
    pl_block_matrix_clear(system->context, matrix);
}

// One group, with damping where that comes with it.
static void evaluate_group(evaluation *e, pl_block_matrix *matrix) {
  const pl_fem_model *model = e->system->model;
  const pl_fem_group *group = &model->groups[e->group];
  pl_fem_damping *damping = e->damping;
  if (e->system->planes != NULL) {
    pl_fem_planes_evaluate(e->system, e->x, e->damping, e->gradient, matrix, e->positive);
    return;
  }
  if (e->system->edge_tets != NULL) {
    evaluate_edge_tets(e, matrix);
    return;
  }
  if (e->system->shells[e->group] != NULL) {
    evaluate_shells(e, matrix);
    return;
  }
  bool joins = group->energy->together != NULL;
  pl_block_visit *visit = joins                           ? visit_together
                          : is_batched(group)             ? visit_batched
                          : e->system->quadratics != NULL ? visit_quadratic
                                                          : visit_single;
  if (matrix != NULL)
    pl_block_matrix_assemble(e->system->context, matrix, e->group, visit, e);
  else
    pl_block_pattern_visit(e->system->context, &model->pattern, e->group, visit, e);
  if (damping != NULL && !joins)
    pl_fem_viscous_add(e->system, e->group, damping->from, damping->factor, e->x, damping->gradient, e->system->lost,
                       matrix, e->positive);
}

double pl_fem_system_evaluate(pl_fem_system *system, const double *x, double *gradient, pl_block_matrix *matrix,
                              bool positive) {
  clear_results(system, gradient, matrix);
  for (int32_t g = 0; g < system->model->group_count; ++g) {
    evaluation e = {system, x, gradient, NULL, positive, g};
    evaluate_group(&e, matrix);
  }
  return sum_of(system, system->energies);
}

double pl_fem_system_evaluate_damped(pl_fem_system *system, const double *x, pl_fem_damping *damping, double *gradient,
                                     pl_block_matrix *matrix, bool positive) {
  clear_results(system, gradient, matrix);
  clear_results(system, damping->gradient, NULL);
  begin_damping(system, damping->from, damping->factor);
  for (int32_t g = 0; g < system->model->group_count; ++g) {
    evaluation e = {system, x, gradient, damping, positive, g};
    evaluate_group(&e, matrix);
  }
  return sum_of_both(system, &damping->energy);
}

bool pl_fem_system_has_lower(const pl_fem_model *model) {
  return is_plane(&model->groups[0]) || (model->adapts && is_edge_tet(&model->groups[0]));
}

bool pl_fem_system_has_limits(const pl_fem_system *system) {
  return system->planes != NULL || system->edge_tets != NULL || system->shells[0] != NULL;
}

double pl_fem_system_evaluate_limited(pl_fem_system *system, const double *x, double plain, double scale,
                                      const double *limits, double *gradient, pl_block_matrix *matrix) {
  const pl_fem_model *model = system->model;
  clear_results(system, gradient, matrix);
  if (system->planes != NULL) pl_fem_planes_limit(system, x, plain, scale, limits, gradient, matrix);
  if (system->edge_tets != NULL) {
    pl_fem_edge_tets tets = edge_tets_of(system, x, matrix);
    tets.positive = true;
    tets.plain = plain;
    tets.scale = scale;
    tets.limits = limits;
    tets.gradient = gradient;
    pl_block_pattern_visit(system->context, &model->pattern, 0, visit_edge_tets, &tets);
  }
  for (int32_t g = 0; system->shells[0] != NULL && g < model->group_count; ++g) {
    pl_fem_shells shells = shells_of(system, x, g, matrix);
    shells.positive = true;
    shells.plain = plain;
    shells.scale = scale;
    shells.limits = limits + model->element_start[g];
    shells.gradient = gradient;
    pl_block_pattern_visit(system->context, &model->pattern, g, visit_shells, &shells);
  }
  return sum_of(system, system->energies);
}

// --- derivatives by rest shape and material -----------------------------------------------------------------------

static void visit_shells_mixed(void *data, const int32_t *elements, int32_t count, double *matrices) {
  (void)matrices;
  pl_fem_assemble_shells_mixed(data, elements, count);
}

static void visit_edge_tets_mixed(void *data, const int32_t *elements, int32_t count, double *matrices) {
  (void)matrices;
  pl_fem_assemble_edge_tets_mixed(data, elements, count);
}

typedef struct mixed_job {
  const pl_fem_system *system;
  const double *x;
  int32_t group;
} mixed_job;

static void visit_mixed(void *data, const int32_t *elements, int32_t count, double *matrices) {
  const mixed_job *job = data;
  const pl_fem_group *group = &job->system->model->groups[job->group];
  ptrdiff_t n = 3 * group->corner_count;
  for (int32_t i = 0; i < count; ++i) {
    double corners[MAX_VALUES];
    pl_fem_element element = pl_fem_system_element(job->system, job->x, job->group, elements[i], corners);
    group->energy->mixed(&element, matrices + n * n * i);
  }
}

void pl_fem_system_mixed_blocks(const pl_fem_system *system, const double *x, pl_block_matrix *matrix) {
  pl_block_matrix_clear(system->context, matrix);
  if (system->planes != NULL) {
    pl_fem_planes_mix(system, x, matrix);
    return;
  }
  if (system->edge_tets != NULL) {
    pl_fem_edge_tets tets = edge_tets_of(system, x, matrix);
    pl_block_pattern_visit(system->context, &system->model->pattern, 0, visit_edge_tets_mixed, &tets);
    return;
  }
  for (int32_t g = 0; g < system->model->group_count; ++g) {
    if (system->shells[g] != NULL) {
      pl_fem_shells shells = shells_of(system, x, g, matrix);
      pl_block_pattern_visit(system->context, &system->model->pattern, g, visit_shells_mixed, &shells);
      continue;
    }
    mixed_job job = {system, x, g};
    pl_block_matrix_assemble(system->context, matrix, g, visit_mixed, &job);
  }
}

void pl_fem_system_mixed(const pl_fem_system *system, const double *x, const double *const *change, double *product) {
  double corners[MAX_VALUES], m[MAX_VALUES * MAX_VALUES];
  for (int32_t g = 0; g < system->model->group_count; ++g) {
    const pl_fem_group *group = &system->model->groups[g];
    int n = 3 * group->corner_count;
    for (int32_t e = 0; e < group->element_count; ++e) {
      pl_fem_element element = pl_fem_system_element(system, x, g, e, corners);
      group->energy->mixed(&element, m);
      for (int i = 0; i < n; ++i) {
        double sum = 0;
        for (int j = 0; j < n; ++j) sum += m[n * i + j] * change[g][(ptrdiff_t)n * e + j];
        product[3 * (ptrdiff_t)group->corners[(ptrdiff_t)group->corner_count * e + i / 3] + i % 3] += sum;
      }
    }
  }
}

void pl_fem_system_mixed_transposed(const pl_fem_system *system, const double *x, const double *v,
                                    double *const *product) {
  double corners[MAX_VALUES], m[MAX_VALUES * MAX_VALUES];
  for (int32_t g = 0; g < system->model->group_count; ++g) {
    const pl_fem_group *group = &system->model->groups[g];
    int n = 3 * group->corner_count;
    for (int32_t e = 0; e < group->element_count; ++e) {
      pl_fem_element element = pl_fem_system_element(system, x, g, e, corners);
      group->energy->mixed(&element, m);
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int i = 0; i < n; ++i)
          sum += m[n * i + j] * v[3 * (ptrdiff_t)group->corners[(ptrdiff_t)group->corner_count * e + i / 3] + i % 3];
        product[g][(ptrdiff_t)n * e + j] = sum;
      }
    }
  }
}

void pl_fem_system_material(const pl_fem_system *system, const double *x, int32_t group, int32_t element,
                            double *derivative) {
  double corners[MAX_VALUES];
  pl_fem_element e = pl_fem_system_element(system, x, group, element, corners);
  system->model->groups[group].energy->material(&e, derivative);
}
