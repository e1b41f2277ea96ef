// What a rest shape costs by itself.
//
// Whole spaces (paper 004, eq. 11): a w(X(p)) + b ½ dᵀ Lᵀ K L d + c ½ |d|²,   d = p - last
//
//   w   energy of the body's own elements with X₀ as rest and X(p) as pose      K   its Hessian at X₀
//
// in units of ½ E V (Young's modulus, volume), in which the uniaxial strain ε costs ε²: w is a mean squared strain.
// `volume_regularisation` f multiplies the bulk modulus of the material of w, whatever the parameters of the element
// are: Poisson's ratio and Young's modulus of corotated and neo-Hookean tets change such that the shear modulus stays;
// stiffnesses k of a volume or area term become k + (f - 1) times the bulk modulus, and 0 where that is negative.
// Curves have no such term.
//
// What is thin hardly minds being bent: a curve of thickness t with the curvature κ is strained by t κ / 2 at most, and
// a mean of squared strains lets its rest shape crumple where it could as well lean. `bend_regularisation` multiplies
// the stiffnesses of bends and hinges: (d / t)² makes bending as dear as for a body of thickness d.
//
// The energy does not see rigid motions of the rest shape, nor does the body: c, a millionth of the other factors, pins
// them to where they were. It is also what holds vertices of a cage that move hardly anything. In the Hessian every
// element's own is replaced by a positive one.
//
// To w comes the cost of isolated strain (actor_space_limit.c).
//
// Loose spaces (section 5.1): h (Σ_g max(0, Σ_k p_k - 1)² + Σ_k min(0, p_k)²) + a ½ |p|² + b ½ |d|²: the hull of rest
// and examples of each group. The printed ½ (Σ p - 1)² would forbid the rest shape, which is p = 0.
#include <math.h>
#include <string.h>

#include "actor/actor_space_parts.h"
#include "base/error.h"
#include "pliant/math.h"

#define PROXIMAL 1e-6
static const double MIN_REGULARISATION = 1e-6;  // what PROXIMAL is relative to when both regularisations are 0
static const double MIN_BULK_FACTOR = 1e-3;     // a metric without resistance to volume would be singular
static const double MAX_POISSON = 0.499;        // energies have no value at 1/2

// --- building -----------------------------------------------------------------------------------------------------

// Bulk modulus of an elastic tet times a factor, shear modulus kept.
static void scale_elastic(double factor, double *p) {
  double mu = p[0] / (2 * (1 + p[1])), bulk = p[0] / (3 * (1 - 2 * p[1])) * fmax(factor, MIN_BULK_FACTOR);
  double poisson = fmin((3 * bulk - 2 * mu) / (2 * (3 * bulk + mu)), MAX_POISSON);
  p[0] = 2 * mu * (1 + poisson);
  p[1] = poisson;
}

static void scale_parameters(const pl_fem_model *model, const pl_fem_group *group, const pl_actor_def *def, double *p) {
  const pl_fem_energy *energy = group->energy;
  double factor = def->volume_regularisation;
  double poisson = model->linear.hint.poisson, sheet = model->force_scale / model->element_size / (2 * (1 - poisson));
  for (int32_t e = 0; e < group->element_count; ++e, p += energy->parameter_count) {
    if (energy == &pl_fem_corotated_tet || energy == &pl_fem_neo_hookean_tet) scale_elastic(factor, p);
    // λ + 2 μ / 3 with λ = k_v + μ, μ = 4 k_l / 15
    if (energy == &pl_fem_edge_tet) p[1] = fmax(0, p[1] + (factor - 1) * (p[1] + p[0] * 4 / 9));
    // λ + μ with λ = k_a, μ = k_l / 2
    if (energy == &pl_fem_plane_triangle) p[1] = fmax(0, p[1] + (factor - 1) * (p[1] + 0.5 * p[0]));
    // E t / (2 (1 - v)); the elements' own factors on E are not known here
    if (energy == &pl_fem_shell_area) p[0] = fmax(0, p[0] + (factor - 1) * sheet);
    if (energy == &pl_fem_shell_hinge || energy == &pl_fem_curve_bend) p[0] *= def->bend_regularisation;
  }
}

pl_status pl_rest_regulariser_build(pl_rest_space *space, const pl_actor_def *def, pl_error *error) {
  const pl_fem_model *model = space->model;
  pl_arena *arena = &space->arena;
  const double *parameters[PL_FEM_MAX_GROUPS] = {NULL};
  size_t size = (size_t)space->size;
  bool is_free = space->weights == NULL && space->modes == NULL;
  if (!pl_block_matrix_take(arena, &model->pattern, &space->stiffness) ||
      !pl_fem_system_take(arena, space->context, model, &space->system))
    return pl_fail_memory(error);
  for (int32_t g = 0; g < model->group_count; ++g) {
    const pl_fem_group *group = &model->groups[g];
    double *own = pl_arena_copy(arena, group->parameters,
                                (size_t)group->element_count * (size_t)group->energy->parameter_count, sizeof(double));
    if (own == NULL) return pl_fail_memory(error);
    scale_parameters(model, group, def, own);
    parameters[g] = own;
  }
  if (!is_free) space->metric = PL_TAKE(arena, double, size *size);
  if (arena->failed) return pl_fail_memory(error);
  pl_fem_system_use(&space->system, NULL, parameters);
  pl_fem_system_evaluate(&space->system, model->rest_points, NULL, &space->stiffness, true);
  if (!is_free) pl_rest_whole_square(space, &space->stiffness, 1, space->metric);
  double reach = space->modes != NULL ? 1 : pl_box_diagonal(model->head.box);
  double handles = space->modes != NULL ? space->size : space->handle_count;
  space->proximal = PROXIMAL * fmax(space->regularisation + space->rate_regularisation, MIN_REGULARISATION) /
                    (reach * reach * handles);
  return pl_rest_strain_cost_build(space, def->max_strain, error);
}

// --- whole --------------------------------------------------------------------------------------------------------

static double dot(const double *a, const double *b, ptrdiff_t count) {
  double sums[4] = {0, 0, 0, 0};
  ptrdiff_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (int k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
  for (; i < count; ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static void add_hessian(pl_rest_space *space, double own, double rate, double *hessian) {
  size_t size = (size_t)space->size;
  if (space->metric == NULL) {
    memset(hessian, 0, size * size * sizeof(double));
    pl_rest_whole_square(space, &space->stiffness, rate, hessian);
  } else {
    for (size_t i = 0; i < size * size; ++i) hessian[i] = rate * space->metric[i];
  }
  pl_rest_whole_square(space, &space->first, own, hessian);
  for (size_t k = 0; k < size; ++k) hessian[size * k + k] += space->proximal;
}

// The quadratic form of K at L d, d = p - q. Its gradient by p, Lᵀ K L d, is left in space->rows; of free points by
// particle, K L d, in space->points.
static double compare(pl_rest_space *space, const double *p, const double *q) {
  ptrdiff_t n = 3 * (ptrdiff_t)space->particle_count, size = space->size;
  double *image = space->rows, *d = image + size, sum = 0;
  for (ptrdiff_t k = 0; k < size; ++k) d[k] = p[k] - q[k];
  if (space->metric == NULL) {
    pl_rest_whole_move(space, d, space->changes);
    space->points_of[0] = (double)NAN;
    pl_block_matrix_multiply(space->context, &space->stiffness, space->changes, space->points);
    return fmax(0, dot(space->changes, space->points, n));
  }
  space->cage->multiply(space->metric, space->size, d, image);
  for (ptrdiff_t k = 0; k < size; ++k) sum += image[k] * d[k];
  return fmax(0, sum);
}

// Energy of the rest shape with the cost of isolated strain, over `own`, and its derivatives by the particles.
static double strain_energy(pl_rest_space *space, double own, double *forces, pl_block_matrix *matrix) {
  if (!(own > 0) || !pl_rest_strain_cost_joins(space)) {
    double energy = pl_fem_system_evaluate(&space->system, space->points, forces, matrix, true);
    return own > 0
               ? energy + pl_rest_strain_cost_add(space, space->points, 0, space->regularisation / own, forces, matrix)
               : energy;
  }
  if (forces != NULL) memset(forces, 0, 3 * (size_t)space->particle_count * sizeof(double));
  if (matrix != NULL) pl_block_matrix_clear(space->context, matrix);
  return pl_rest_strain_cost_add(space, space->points, 1, space->regularisation / own, forces, matrix);
}

// Hessian of free points, by particle. What does not move has the identity's rows.
static void fill_sparse(const pl_rest_space *space, double own, double rate, pl_block_matrix *hessian) {
  const pl_block_pattern *pattern = &space->model->pattern;
  for (ptrdiff_t k = 0; k < 9 * (ptrdiff_t)pattern->block_count; ++k)
    hessian->values[k] = own * space->first.values[k] + rate * space->stiffness.values[k];
  for (int32_t i = 0; i < space->particle_count; ++i)
    for (int b = 0; b < 3; ++b) {
      double *diagonal = &hessian->values[9 * (ptrdiff_t)pattern->diagonal[i] + 4 * b];
      *diagonal = b < space->axes ? *diagonal + space->proximal : 1;
    }
}

static double regularise_whole(pl_rest_space *space, const double *p, const double *last, double *gradient,
                               double *hessian, pl_block_matrix *sparse) {
  ptrdiff_t n = 3 * (ptrdiff_t)space->particle_count;
  double own = 2 * space->regularisation * space->strain_scale,
         rate = 2 * space->rate_regularisation * space->strain_scale;
  bool bends = hessian != NULL || sparse != NULL;
  pl_rest_points_find(space, p);
  double energy = strain_energy(space, own, gradient != NULL ? space->forces : NULL, bends ? &space->first : NULL);
  double change = compare(space, p, last), near = 0;
  for (int32_t k = 0; k < space->size; ++k) near += (p[k] - last[k]) * (p[k] - last[k]);
  if (gradient != NULL) {
    bool is_free = space->metric == NULL;
    for (ptrdiff_t i = 0; i < n; ++i) space->forces[i] = own * space->forces[i];
    for (ptrdiff_t i = 0; is_free && i < n; ++i) space->forces[i] += rate * space->points[i];
    pl_rest_whole_pull(space, space->forces, gradient);
    for (int32_t k = 0; !is_free && k < space->size; ++k) gradient[k] += rate * space->rows[k];
    for (int32_t k = 0; k < space->size; ++k) gradient[k] += space->proximal * (p[k] - last[k]);
  }
  if (hessian != NULL) add_hessian(space, own, rate, hessian);
  if (sparse != NULL) fill_sparse(space, own, rate, sparse);
  return own * energy + 0.5 * rate * change + 0.5 * space->proximal * near;
}

// --- loose --------------------------------------------------------------------------------------------------------

static double regularise_loose(pl_rest_space *space, const double *p, const double *last, double *gradient,
                               double *hessian) {
  double own = space->regularisation, rate = space->rate_regularisation, hull = 2 * space->hull_penalty, sum = 0;
  ptrdiff_t size = space->size;
  double *excess = space->group_sums;
  for (int32_t g = 0; g < space->group_count; ++g) excess[g] = -1;
  for (ptrdiff_t k = 0; k < size; ++k) excess[space->group_of[k]] += p[k];
  for (int32_t g = 0; g < space->group_count; ++g) {
    excess[g] = fmax(0, excess[g]);
    sum += 0.5 * hull * excess[g] * excess[g];
  }
  if (hessian != NULL) memset(hessian, 0, (size_t)size * (size_t)size * sizeof(double));
  for (ptrdiff_t k = 0; k < size; ++k) {
    double below = fmin(0, p[k]), d = p[k] - last[k];
    int32_t group = space->group_of[k];
    sum += 0.5 * (own * p[k] * p[k] + rate * d * d + hull * below * below);
    if (gradient != NULL) gradient[k] = own * p[k] + rate * d + hull * (below + excess[group]);
    if (hessian == NULL) continue;
    hessian[size * k + k] += own + rate + (p[k] < 0 ? hull : 0);
    for (ptrdiff_t l = 0; l < size && excess[group] > 0; ++l)
      if (space->group_of[l] == group) hessian[size * k + l] += hull;
  }
  return sum;
}

// --- both ---------------------------------------------------------------------------------------------------------

double pl_rest_space_regularise(pl_rest_space *space, const double *p, const double *last, double *gradient,
                                double *hessian) {
  return pl_rest_is_loose(space) ? regularise_loose(space, p, last, gradient, hessian)
                                 : regularise_whole(space, p, last, gradient, hessian, NULL);
}

bool pl_rest_space_is_sparse(const pl_rest_space *space) {
  return space->kind == PL_REST_FREE;
}

double pl_rest_space_regularise_sparse(pl_rest_space *space, const double *p, const double *last, double *gradient,
                                       pl_block_matrix *hessian) {
  return regularise_whole(space, p, last, gradient, NULL, hessian);
}

double pl_rest_space_strain(pl_rest_space *space, const double *p, const double *q) {
  if (!pl_rest_is_loose(space)) return sqrt(compare(space, p, q) * space->strain_scale);
  double sum = 0;
  for (ptrdiff_t k = 0; k < space->size; ++k)
    for (ptrdiff_t l = 0; l < space->size; ++l)
      sum += (p[k] - q[k]) * space->metric[space->size * k + l] * (p[l] - q[l]);
  return sqrt(fmax(0, sum));
}
