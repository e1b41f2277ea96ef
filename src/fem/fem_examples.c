// Example poses as rest shapes of single elements (paper 004, section 5.1): what an element's shape is apart from where
// it is and how it is turned, mixtures of such shapes, and the mixture nearest to a pose.
//
//   tets        S of F = R S, the stretch from the rest element to the example's   mixed: 1 + Σ w_k (S_k - 1)
//   triangles   the same in their own plane
//   edges       length   turns and hinges   angle, both mixed as numbers
//
// Mixed elements do not fit together in general; the body finds the pose in which they are strained least. So no pose
// has to be found that shows the mixture, and every element follows its examples through any rotation. The weights p of
// X(p) = X_0 + Σ p_k (X_k - X_0) have their rest at p = 0; they stay in the hull of rest and examples.
//
// Nearest mixture: least squares over all elements, each counted by the energy that a small change of its shape costs
// in its group (tets by volume).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "examples/simplex_weights.h"
#include "fem/fem_polar.h"
#include "fem/fem_system.h"
#include "fem/fem_tet.h"

enum { MAX_NUMBERS = 9, PROJECT_GRAIN = 512 };

static int32_t shape_size(pl_fem_shape shape) {
  return shape == PL_FEM_SHAPE_SOLID ? 9 : shape == PL_FEM_SHAPE_TRIANGLE ? 4 : 1;
}

static pl_vec3 side(const double *x, int from, int to) {
  return pl_vec3_sub(pl_fem_vector(x, to), pl_fem_vector(x, from));
}

// --- shapes -------------------------------------------------------------------------------------------------------

static void measure_solid(const double *start, const double *x, double *numbers) {
  double B[4][3], volume;
  pl_fem_polar polar;
  pl_fem_tet_rest(start, B, &volume);
  pl_mat3 F = pl_fem_tet_gradient_of(x, (const double(*)[3])B);
  pl_fem_polar_of(&F, &polar);
  memcpy(numbers, polar.S.m, sizeof polar.S.m);
}

// Sides of a triangle in its plane, as columns; in the plane z = 0 the axes are those of the world, so that orientation
// counts.
static void plane_sides(const double *x, bool planar, double d[4]) {
  pl_vec3 u = side(x, 0, 1), v = side(x, 0, 2);
  if (planar) {
    d[0] = u.x, d[1] = v.x, d[2] = u.y, d[3] = v.y;
    return;
  }
  pl_vec3 axis = pl_vec3_normalize_or(u, pl_vec3_of(1, 0, 0));
  double along = pl_vec3_dot(v, axis);
  d[0] = pl_vec3_length(u), d[1] = along, d[2] = 0;
  d[3] = pl_vec3_length(pl_vec3_add_scaled(v, axis, -along));
}

// S of F = R S for 2 x 2 matrices: R turns by the angle of (F00 + F11, F10 - F01).
static void measure_triangle(const double *start, const double *x, bool planar, double *numbers) {
  double a[4], b[4], f[4];
  plane_sides(start, planar, a);
  plane_sides(x, planar, b);
  double determinant = a[0] * a[3] - a[1] * a[2];
  double inverse[4] = {a[3] / determinant, -a[1] / determinant, -a[2] / determinant, a[0] / determinant};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) f[2 * i + j] = b[2 * i] * inverse[j] + b[2 * i + 1] * inverse[2 + j];
  double c = f[0] + f[3], s = f[2] - f[1], length = sqrt(c * c + s * s);
  c = length > 0 ? c / length : 1;
  s = length > 0 ? s / length : 0;
  for (int j = 0; j < 2; ++j) {
    numbers[j] = c * f[j] + s * f[2 + j];
    numbers[2 + j] = -s * f[j] + c * f[2 + j];
  }
}

static double measure_turn(const double *x) {
  pl_vec3 u = side(x, 0, 1), v = side(x, 1, 2);
  return atan2(u.x * v.y - u.y * v.x, u.x * v.x + u.y * v.y);
}

static double measure_hinge(const double *x) {
  pl_vec3 e = side(x, 0, 1), n1 = pl_vec3_cross(e, side(x, 0, 2)), n2 = pl_vec3_cross(side(x, 0, 3), e);
  pl_vec3 axis = pl_vec3_normalize_or(e, pl_vec3_of(1, 0, 0));
  return atan2(pl_vec3_dot(axis, pl_vec3_cross(n1, n2)), pl_vec3_dot(n1, n2));
}

static bool is_planar(const pl_fem_group *group) {
  return group->energy == &pl_fem_plane_triangle;
}

// The numbers of an element with corners x.
static void measure(const pl_fem_group *group, int32_t element, const double *x, double *numbers) {
  const double *start = group->starts + 3 * (ptrdiff_t)group->corner_count * element;
  switch (group->shape) {
    case PL_FEM_SHAPE_SOLID: measure_solid(start, x, numbers); break;
    case PL_FEM_SHAPE_TRIANGLE: measure_triangle(start, x, is_planar(group), numbers); break;
    case PL_FEM_SHAPE_LENGTH: numbers[0] = pl_vec3_length(side(x, 0, 1)); break;
    case PL_FEM_SHAPE_TURN: numbers[0] = measure_turn(x); break;
    case PL_FEM_SHAPE_HINGE: numbers[0] = measure_hinge(x); break;
  }
}

// Some corners that have these numbers.
static void place(const pl_fem_group *group, int32_t element, const double *numbers, double *X) {
  const double *start = group->starts + 3 * (ptrdiff_t)group->corner_count * element;
  memset(X, 0, 3 * (size_t)group->corner_count * sizeof(double));
  if (group->shape == PL_FEM_SHAPE_SOLID) {
    pl_mat3 S;
    memcpy(S.m, numbers, sizeof S.m);
    for (int a = 1; a < 4; ++a) pl_fem_put(X, a, pl_mat3_apply(S, side(start, 0, a)));
  } else if (group->shape == PL_FEM_SHAPE_TRIANGLE) {
    double d[4];
    plane_sides(start, is_planar(group), d);
    for (int a = 0; a < 2; ++a)
      pl_fem_put(X, a + 1,
                 pl_vec3_of(numbers[0] * d[a] + numbers[1] * d[2 + a], numbers[2] * d[a] + numbers[3] * d[2 + a], 0));
  } else if (group->shape == PL_FEM_SHAPE_LENGTH) {
    X[3] = numbers[0];
  } else if (group->shape == PL_FEM_SHAPE_TURN) {
    X[0] = -1;
    X[6] = cos(numbers[0]), X[7] = sin(numbers[0]);
  } else {
    X[3] = 1;
    X[6] = 0.5, X[7] = 1;
    X[9] = 0.5, X[10] = -cos(numbers[0]), X[11] = -sin(numbers[0]);
  }
}

// Numbers of the rest shape.
static void measure_rest(const pl_fem_group *group, int32_t element, double *numbers) {
  measure(group, element, group->starts + 3 * (ptrdiff_t)group->corner_count * element, numbers);
}

void pl_fem_examples_mix(const pl_fem_model *model, int32_t index, const double *weights, int32_t begin, int32_t end,
                         double *rest) {
  const pl_fem_group *group = &model->groups[index];
  int32_t size = shape_size(group->shape), count = model->examples.count;
  for (int32_t e = begin; e < end; ++e) {
    double numbers[MAX_NUMBERS];
    const double *shapes = model->examples.shapes[index] + (ptrdiff_t)size * count * e;
    measure_rest(group, e, numbers);
    for (int32_t k = 0; k < count; ++k)
      for (int32_t i = 0; i < size; ++i) numbers[i] += weights[k] * shapes[size * k + i];
    place(group, e, numbers, rest + 3 * (ptrdiff_t)group->corner_count * e);
  }
}

// --- projection ---------------------------------------------------------------------------------------------------

typedef struct projection {
  pl_fem_system *system;
  const double *x;
  int32_t group;
  double *pulls;  // count per block
} projection;

static void pull_range(void *data, int32_t begin, int32_t end, int32_t block) {
  const projection *p = data;
  const pl_fem_model *model = p->system->model;
  const pl_fem_group *group = &model->groups[p->group];
  int32_t size = shape_size(group->shape), count = model->examples.count;
  double *pulls = p->pulls + (ptrdiff_t)count * block;
  for (int32_t k = 0; k < count; ++k) pulls[k] = 0;
  for (int32_t e = begin; e < end; ++e) {
    if (group->weights[e] == 0) continue;
    double corners[3 * PL_FEM_MAX_CORNERS], numbers[MAX_NUMBERS], rest[MAX_NUMBERS];
    pl_fem_system_element(p->system, p->x, p->group, e, corners);
    measure(group, e, corners, numbers);
    measure_rest(group, e, rest);
    const double *shapes = model->examples.shapes[p->group] + (ptrdiff_t)size * count * e;
    for (int32_t k = 0; k < count; ++k)
      for (int32_t i = 0; i < size; ++i) pulls[k] += group->weights[e] * shapes[size * k + i] * (numbers[i] - rest[i]);
  }
}

size_t pl_fem_pulls_size(const pl_fem_model *model) {
  size_t blocks = 0;
  for (int32_t g = 0; g < model->group_count; ++g)
    blocks += (size_t)pl_block_count(model->groups[g].element_count, PROJECT_GRAIN);
  return blocks * (size_t)model->examples.count;
}

void pl_fem_system_project(pl_fem_system *system, const double *x, double *weights) {
  const pl_fem_model *model = system->model;
  int32_t count = model->examples.count;
  double pulls[PL_MAX_EXAMPLES] = {0}, *next = system->pulls;
  for (int32_t g = 0; g < model->group_count; ++g) {
    projection p = {system, x, g, next};
    pl_parallel_for(system->context, model->groups[g].element_count, PROJECT_GRAIN, pull_range, &p);
    int32_t blocks = pl_block_count(model->groups[g].element_count, PROJECT_GRAIN);
    for (int32_t b = 0; b < blocks; ++b)
      for (int32_t k = 0; k < count; ++k) pulls[k] += next[(ptrdiff_t)count * b + k];
    next += (ptrdiff_t)count * blocks;
  }
  pl_simplex_solve(count, model->examples.gram, pulls, false, weights, NULL);
}

// --- building -----------------------------------------------------------------------------------------------------

static void describe_group(const pl_fem_def *def, const pl_fem_group *group, double *shapes, double *gram) {
  int32_t size = shape_size(group->shape), count = def->example_count;
  for (int32_t e = 0; e < group->element_count; ++e) {
    double corners[3 * PL_FEM_MAX_CORNERS], rest[MAX_NUMBERS], *mine = shapes + (ptrdiff_t)size * count * e;
    measure_rest(group, e, rest);
    for (int32_t k = 0; k < count; ++k) {
      for (int32_t a = 0; a < group->corner_count; ++a)
        pl_fem_put(corners, a, def->examples[k].points[group->corners[group->corner_count * e + a]]);
      measure(group, e, corners, mine + size * k);
      for (int32_t i = 0; i < size; ++i) mine[size * k + i] -= rest[i];
    }
    for (int32_t k = 0; k < count; ++k)
      for (int32_t l = 0; l < count; ++l)
        for (int32_t i = 0; i < size; ++i)
          gram[count * k + l] += group->weights[e] * mine[size * k + i] * mine[size * l + i];
  }
}

pl_status pl_fem_examples_build(const pl_fem_def *def, const pl_mesh_view *mesh, pl_fem_model *model, pl_error *error) {
  pl_arena *arena = &model->head.arena;
  size_t count = (size_t)def->example_count;
  if (count == 0) return PL_OK;
  for (size_t k = 0; k < count; ++k)
    for (int32_t i = 0; i < mesh->point_count; ++i)
      if (!pl_vec3_is_finite(def->examples[k].points[i]))
        return pl_fail(error, PL_ERROR_INVALID_DATA, "example \"%s\": point %d is not finite", def->examples[k].name,
                       i);
  const char **names = PL_TAKE(arena, const char *, count);
  double *gram = PL_TAKE(arena, double, count *count);
  for (size_t k = 0; names != NULL && k < count; ++k) names[k] = pl_arena_copy_text(arena, def->examples[k].name);
  for (int32_t g = 0; g < model->group_count; ++g) {
    const pl_fem_group *group = &model->groups[g];
    double *shapes = PL_TAKE(arena, double, (size_t)shape_size(group->shape) * count * (size_t)group->element_count);
    if (arena->failed) return pl_fail_memory(error);
    describe_group(def, group, shapes, gram);
    model->examples.shapes[g] = shapes;
  }
  model->examples.count = def->example_count;
  model->examples.fidelity = def->fidelity;
  model->examples.names = names;
  model->examples.gram = gram;
  return PL_OK;
}

pl_example_view pl_fem_list_examples(const pl_model *model) {
  const pl_fem_examples *examples = &((const pl_fem_model *)model)->examples;
  if (examples->count == 0) return (pl_example_view){0};
  return (pl_example_view){
      .example_count = examples->count, .names = examples->names, .manifold_count = 1, .given_count = 1};
}

void pl_fem_get_weights(const pl_model *model, const void *state, int32_t manifold, double *weights) {
  (void)manifold;
  memcpy(weights, pl_fem_state_of(model, state).weights,
         (size_t)((const pl_fem_model *)model)->examples.count * sizeof(double));
}

void pl_fem_set_weights(const pl_model *model, void *state, int32_t manifold, const double *weights) {
  (void)manifold;
  pl_fem_state s = pl_fem_state_of(model, state);
  *s.driven = weights != NULL ? 1 : 0;
  if (weights != NULL) memcpy(s.given, weights, (size_t)((const pl_fem_model *)model)->examples.count * sizeof(double));
}
