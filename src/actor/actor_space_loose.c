// Loose spaces: mixtures of examples, element by element (paper 004, eq. 12): X_e(p) = X_e + Σ p_k (X̂_k,e - X_e), with
// X̂ the example's element turned back to the rest's frame.
//
// Elements that an example leaves as they are have no entry for it: an example that only bends an arm costs nothing
// elsewhere, and the matrices of groups of local examples are as sparse as the examples are local.
#include <math.h>
#include <string.h>

#include "actor/actor_space_parts.h"
#include "base/error.h"
#include "pliant/math.h"

enum { MAX_VALUES = 3 * PL_FEM_MAX_CORNERS, MAX_EXAMPLES = 1024 };

// Changes of an element by less than this fraction of its size are rounding of single-precision files.
#define SAME 1e-7

// --- building -----------------------------------------------------------------------------------------------------

static const char *word_of(const pl_fem_group *group) {
  return group->shape == PL_FEM_SHAPE_SOLID ? "tet" : group->shape == PL_FEM_SHAPE_TRIANGLE ? "triangle" : "edge";
}

// The change of one element in an example; `differs` whether there is any.
static bool align_element(const pl_rest_space *space, int32_t g, int32_t element, const pl_mesh_pose *pose,
                          double *change, bool *differs) {
  const pl_fem_group *group = &space->model->groups[g];
  ptrdiff_t count = group->corner_count;
  const double *start = group->starts + 3 * count * element;
  double corners[MAX_VALUES], max = 0, size = 0;
  for (int32_t k = 0; k < count; ++k) {
    pl_vec3 at = pose->points[group->corners[count * element + k]];
    pl_fem_put(corners, k, at);
    size = fmax(size, pl_vec3_distance(pl_fem_vector(start, k), pl_fem_vector(start, 0)));
  }
  bool sound = pl_rest_align(group, space->model->planar, start, corners, change);
  for (ptrdiff_t i = 0; i < 3 * count; ++i) max = fmax(max, fabs(change[i]));
  *differs = max > SAME * size;
  return sound;
}

static pl_status count_entries(pl_rest_space *space, const pl_actor_def *def, int32_t g, pl_error *error) {
  const pl_fem_group *group = &space->model->groups[g];
  pl_loose_group *loose = &space->loose[g];
  for (int32_t e = 0; e < group->element_count; ++e) {
    int32_t used = 0;
    for (int32_t k = 0; k < def->example_count; ++k) {
      double change[MAX_VALUES];
      bool differs;
      if (!align_element(space, g, e, &def->examples[k], change, &differs))
        return pl_fail_field(error, PL_ERROR_INVALID_DATA, "examples", "example \"%s\": %s %d is flat or inside out",
                             def->examples[k].name, word_of(group), e);
      used += differs;
    }
    if (used > 0 && loose->pair_start[e] > INT32_MAX - used * used)
      return pl_fail_field(error, PL_ERROR_UNSUPPORTED, "examples", "too many examples for this number of elements");
    loose->start[e + 1] = loose->start[e] + used;
    loose->pair_start[e + 1] = loose->pair_start[e] + used * used;
  }
  return PL_OK;
}

static pl_status build_group(pl_rest_space *space, const pl_actor_def *def, int32_t g, pl_error *error) {
  const pl_fem_group *group = &space->model->groups[g];
  pl_loose_group *loose = &space->loose[g];
  size_t elements = (size_t)group->element_count, n = 3 * (size_t)group->corner_count;
  loose->start = PL_TAKE(&space->arena, int32_t, elements + 1);
  loose->pair_start = PL_TAKE(&space->arena, int32_t, elements + 1);
  if (space->arena.failed) return pl_fail_memory(error);
  pl_status status = count_entries(space, def, g, error);
  if (status < 0) return status;
  size_t count = (size_t)loose->start[elements];
  loose->columns = PL_TAKE(&space->arena, int32_t, count);
  loose->values = PL_TAKE(&space->arena, double, n *count);
  loose->pairs = PL_TAKE(&space->arena, double, loose->pair_start[elements]);
  if (space->arena.failed) return pl_fail_memory(error);
  for (int32_t e = 0; e < group->element_count; ++e) {
    size_t entry = (size_t)loose->start[e];
    for (int32_t k = 0; k < def->example_count; ++k) {
      double change[MAX_VALUES];
      bool differs;
      align_element(space, g, e, &def->examples[k], change, &differs);
      if (!differs) continue;
      loose->columns[entry] = k;
      memcpy(loose->values + n * entry, change, n * sizeof(double));
      entry++;
    }
  }
  return PL_OK;
}

static pl_status check_examples(const pl_rest_space *space, const pl_actor_def *def, pl_error *error) {
  if (def->example_count < 1 || def->example_count > MAX_EXAMPLES || def->examples == NULL)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "example_count", "%d examples; give 1 to %d",
                         def->example_count, MAX_EXAMPLES);
  for (int32_t k = 0; k < def->example_count; ++k) {
    const pl_mesh_pose *pose = &def->examples[k];
    if (pose->name == NULL || pose->points == NULL)
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "examples", "example %d has no %s", k,
                           pose->name == NULL ? "name" : "points");
    for (int32_t i = 0; i < space->particle_count; ++i)
      if (!pl_vec3_is_finite(pose->points[i]))
        return pl_fail_field(error, PL_ERROR_INVALID_DATA, "examples", "example \"%s\": point %d is not finite",
                             pose->name, i);
    int32_t group = def->example_groups != NULL ? def->example_groups[k] : 0;
    if (group < 0 || group >= def->example_count)
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "example_groups",
                           "example \"%s\" is in group %d; use 0 to %d", pose->name, group, def->example_count - 1);
  }
  return PL_OK;
}

// metric_kl = Σ L_kᵀ H L_l over all elements, H the Hessian at rest, in units of Young's modulus times volume: what
// small amounts of the examples strain, squared.
static void measure_examples(pl_rest_space *space) {
  const pl_fem_model *model = space->model;
  for (int32_t g = 0; g < model->group_count; ++g) {
    const pl_fem_group *group = &model->groups[g];
    const pl_loose_group *loose = &space->loose[g];
    int n = 3 * group->corner_count;
    for (int32_t e = 0; e < group->element_count; ++e) {
      if (loose->start[e] == loose->start[e + 1]) continue;
      double h[MAX_VALUES * MAX_VALUES];
      const double *start = group->starts + (ptrdiff_t)n * e;
      pl_fem_element element = {start, start, start, group->parameters + (ptrdiff_t)group->energy->parameter_count * e};
      group->energy->hessian(&element, h);
      for (int32_t a = loose->start[e]; a < loose->start[e + 1]; ++a)
        for (int32_t b = loose->start[e]; b < loose->start[e + 1]; ++b) {
          const double *u = loose->values + (ptrdiff_t)n * a, *v = loose->values + (ptrdiff_t)n * b;
          double sum = 0;
          for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) sum += u[i] * h[n * i + j] * v[j];
          space->metric[(ptrdiff_t)space->size * loose->columns[a] + loose->columns[b]] += space->strain_scale * sum;
        }
    }
  }
}

pl_status pl_rest_loose_build(pl_rest_space *space, const pl_actor_def *def, pl_error *error) {
  const pl_fem_model *model = space->model;
  pl_status status = check_examples(space, def, error);
  if (status < 0) return status;
  size_t size = (size_t)def->example_count;
  space->size = def->example_count;
  space->group_count = def->example_count;
  int32_t *group_of = PL_TAKE(&space->arena, int32_t, size);
  double *fractions = PL_TAKE(&space->arena, double, space->particle_count);
  space->group_sums = PL_TAKE(&space->arena, double, size);
  space->metric = PL_TAKE(&space->arena, double, size *size);
  space->gradients = PL_TAKE(&space->arena, double, 3 * (size_t)space->particle_count * size);
  if (space->arena.failed) return pl_fail_memory(error);
  for (size_t k = 0; k < size; ++k) group_of[k] = def->example_groups != NULL ? def->example_groups[k] : 0;
  for (int32_t g = 0; g < model->group_count; ++g) {
    status = build_group(space, def, g, error);
    if (status < 0) return status;
    const pl_fem_group *group = &model->groups[g];
    for (int32_t i = 0; i < group->corner_count * group->element_count; ++i) fractions[group->corners[i]] += 1;
  }
  for (int32_t i = 0; i < space->particle_count; ++i) fractions[i] = fractions[i] > 0 ? 1 / fractions[i] : 0;
  space->group_of = group_of;
  space->fractions = fractions;
  measure_examples(space);
  return PL_OK;
}

// --- shapes -------------------------------------------------------------------------------------------------------

void pl_rest_loose_shape(const pl_rest_space *space, const double *p, double *const *rest) {
  for (int32_t g = 0; g < space->model->group_count; ++g) {
    const pl_fem_group *group = &space->model->groups[g];
    const pl_loose_group *loose = &space->loose[g];
    ptrdiff_t n = 3 * group->corner_count;
    memcpy(rest[g], group->starts, (size_t)n * (size_t)group->element_count * sizeof(double));
    for (int32_t e = 0; e < group->element_count; ++e)
      for (int32_t k = loose->start[e]; k < loose->start[e + 1]; ++k)
        for (ptrdiff_t i = 0; i < n; ++i) rest[g][n * e + i] += p[loose->columns[k]] * loose->values[n * k + i];
  }
}

void pl_rest_loose_points(const pl_rest_space *space, const double *p, double *points) {
  memcpy(points, space->model->rest_points, 3 * (size_t)space->particle_count * sizeof(double));
  for (int32_t g = 0; g < space->model->group_count; ++g) {
    const pl_fem_group *group = &space->model->groups[g];
    const pl_loose_group *loose = &space->loose[g];
    ptrdiff_t n = 3 * group->corner_count;
    for (int32_t e = 0; e < group->element_count; ++e)
      for (int32_t k = loose->start[e]; k < loose->start[e + 1]; ++k)
        for (ptrdiff_t i = 0; i < n; ++i) {
          ptrdiff_t point = group->corners[(ptrdiff_t)group->corner_count * e + i / 3];
          points[3 * point + i % 3] += space->fractions[point] * p[loose->columns[k]] * loose->values[n * k + i];
        }
  }
}

// --- derivatives of the energy ------------------------------------------------------------------------------------

typedef struct sweep {
  pl_rest_space *space;
  const pl_fem_system *system;
  const double *x, *v;  // v: λ of the third derivatives
  pl_block_matrix *xx;
  double *matrix;  // E or B
  int32_t group;
} sweep;

// Several elements without a corner in common are visited at a time, so adding to rows (E) or columns (B) of an
// element's corners is safe; what all elements add to goes into the workspace of each entry first.
static void each_group(sweep *s, pl_block_visit *visit) {
  for (s->group = 0; s->group < s->space->model->group_count; ++s->group)
    pl_block_pattern_visit(s->system->context, &s->space->model->pattern, s->group, visit, s);
}

static ptrdiff_t coordinate(const pl_fem_group *group, int32_t element, int i) {
  return 3 * (ptrdiff_t)group->corners[(ptrdiff_t)group->corner_count * element + i / 3] + i % 3;
}

static void visit_mixed(void *data, const int32_t *elements, int32_t count, double *matrices) {
  (void)matrices;
  const sweep *s = data;
  const pl_fem_group *group = &s->system->model->groups[s->group];
  const pl_loose_group *loose = &s->space->loose[s->group];
  int n = 3 * group->corner_count;
  for (int32_t c = 0; c < count; ++c) {
    int32_t e = elements[c];
    if (loose->start[e] == loose->start[e + 1]) continue;
    double corners[MAX_VALUES], m[MAX_VALUES * MAX_VALUES];
    pl_fem_element element = pl_fem_system_element(s->system, s->x, s->group, e, corners);
    group->energy->mixed(&element, m);
    for (int32_t k = loose->start[e]; k < loose->start[e + 1]; ++k) {
      const double *L = loose->values + (ptrdiff_t)n * k;
      for (int i = 0; i < n; ++i) {
        double sum = 0;
        for (int j = 0; j < n; ++j) sum += m[n * i + j] * L[j];
        s->matrix[s->space->size * coordinate(group, e, i) + loose->columns[k]] += sum;
      }
    }
  }
}

void pl_rest_loose_mixed(pl_rest_space *space, const pl_fem_system *system, const double *x, double *E) {
  sweep s = {.space = space, .system = system, .x = x, .matrix = E};
  memset(E, 0, 3 * (size_t)space->particle_count * (size_t)space->size * sizeof(double));
  each_group(&s, visit_mixed);
}

void pl_rest_loose_mixed_apply(pl_rest_space *space, const double *dp, double *product) {
  ptrdiff_t size = space->size;
  for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)space->particle_count; ++i) {
    product[i] = 0;
    for (ptrdiff_t k = 0; k < size; ++k) product[i] += space->gradients[size * i + k] * dp[k];
  }
}

void pl_rest_loose_mixed_pull(pl_rest_space *space, const double *v, int32_t count, double *product) {
  ptrdiff_t size = space->size, n = 3 * (ptrdiff_t)space->particle_count;
  memset(product, 0, (size_t)(size * count) * sizeof(double));
  for (ptrdiff_t i = 0; i < n; ++i)
    for (ptrdiff_t row = 0; row < count; ++row)
      for (ptrdiff_t k = 0; v[n * row + i] != 0 && k < size; ++k)
        product[size * row + k] += v[n * row + i] * space->gradients[size * i + k];
}

// One entry's column of xX goes to B, its products with all entries of the element to the workspace of pairs.
static void spread_third(const sweep *s, int32_t e, int32_t entry, const double *xX, const double *XX) {
  const pl_fem_group *group = &s->system->model->groups[s->group];
  const pl_loose_group *loose = &s->space->loose[s->group];
  int n = 3 * group->corner_count;
  const double *L = loose->values + (ptrdiff_t)n * entry;
  double bent[MAX_VALUES];
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    bent[i] = 0;
    for (int j = 0; j < n; ++j) {
      sum += xX[n * i + j] * L[j];
      bent[i] += XX[n * i + j] * L[j];
    }
    if (s->matrix != NULL)
      s->matrix[3 * (ptrdiff_t)s->space->particle_count * loose->columns[entry] + coordinate(group, e, i)] += sum;
  }
  int32_t first = loose->start[e], used = loose->start[e + 1] - first;
  double *pairs = loose->pairs + loose->pair_start[e] + (ptrdiff_t)used * (entry - first);
  for (int32_t k = 0; k < used; ++k) {
    pairs[k] = 0;
    for (int i = 0; i < n; ++i) pairs[k] += bent[i] * loose->values[(ptrdiff_t)n * (first + k) + i];
  }
}

static void visit_third(void *data, const int32_t *elements, int32_t count, double *matrices) {
  (void)matrices;
  enum { SIZE = MAX_VALUES * MAX_VALUES };
  const sweep *s = data;
  const pl_fem_group *group = &s->system->model->groups[s->group];
  const pl_loose_group *loose = &s->space->loose[s->group];
  int corner_count = group->corner_count;
  for (int32_t c = 0; c < count; ++c) {
    int32_t e = elements[c];
    double corners[MAX_VALUES], lambda[MAX_VALUES], xx[SIZE], xX[SIZE], XX[SIZE];
    pl_fem_element element = pl_fem_system_element(s->system, s->x, s->group, e, corners);
    for (int i = 0; i < 3 * corner_count; ++i) lambda[i] = s->v[coordinate(group, e, i)];
    group->energy->third(&element, lambda, xx, xX, XX);
    const int32_t *slots =
        s->system->model->pattern.groups[s->group].slots + (ptrdiff_t)corner_count * corner_count * e;
    if (s->xx != NULL) pl_rest_add_blocks(slots, corner_count, xx, s->xx->values);
    for (int32_t k = loose->start[e]; k < loose->start[e + 1]; ++k) spread_third(s, e, k, xX, XX);
  }
}

void pl_rest_loose_third(pl_rest_space *space, const pl_fem_system *system, const double *x, const double *lambda,
                         pl_block_matrix *xx, double *B, double *C) {
  sweep s = {.space = space, .system = system, .x = x, .v = lambda, .xx = xx, .matrix = B};
  if (B != NULL) memset(B, 0, 3 * (size_t)space->particle_count * (size_t)space->size * sizeof(double));
  each_group(&s, visit_third);
  for (int32_t g = 0; C != NULL && g < space->model->group_count; ++g) {
    const pl_loose_group *loose = &space->loose[g];
    for (int32_t e = 0; e < space->model->groups[g].element_count; ++e) {
      const double *pair = loose->pairs + loose->pair_start[e];
      for (int32_t a = loose->start[e]; a < loose->start[e + 1]; ++a)
        for (int32_t b = loose->start[e]; b < loose->start[e + 1]; ++b)
          C[(ptrdiff_t)space->size * loose->columns[a] + loose->columns[b]] += *pair++;
    }
  }
}
