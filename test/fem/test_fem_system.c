// Derivatives of whole bodies against finite differences: elastic part, rest shape, material, and the potential of a
// step with everything in it.
// ctest: derivative
#include "base/random.h"
#include "check.h"
#include "fem/fem_potential.h"
#include "pliant/math.h"
#include "pliant/runtime.h"

typedef struct subject {
  pl_context *context;
  pl_model *model;
  const pl_fem_model *fem;
  pl_arena arena;
  pl_fem_system system;
  pl_block_matrix matrix;
  int32_t n;  // numbers of a pose
  double *x, *gradient, *other, *direction;
} subject;

// Two cells of tets, or a bent strip of triangles or segments.
static pl_mesh *make_mesh(pl_context *context, pl_fem_material material) {
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  if (material <= PL_FEM_EDGES) {
    check_ok(pl_mesh_create_box(context, (pl_vec3){0.4, 0.2, 0.2}, (const int32_t[3]){2, 1, 1}, &mesh, &error), &error);
    return mesh;
  }
  static const int32_t triangles[] = {0, 1, 2, 1, 3, 2, 2, 3, 4, 3, 5, 4}, segments[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5};
  bool planar = material != PL_FEM_SHELL;
  pl_vec3 points[6];
  for (int i = 0; i < 6; ++i) points[i] = (pl_vec3){0.1 * i, 0.17 * (i % 2) + 0.02 * i * i, planar ? 0 : 0.03 * i * i};
  pl_mesh_view view = {.point_count = 6, .points = points};
  if (material == PL_FEM_CURVE)
    view.segments = segments, view.segment_count = 5;
  else
    view.triangles = triangles, view.triangle_count = 4;
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  return mesh;
}

static subject make_subject(pl_fem_material material) {
  subject s = {.context = make_context(1)};
  pl_error error = {0};
  pl_mesh *mesh = make_mesh(s.context, material);
  pl_fem_def def = pl_default_fem_def(material);
  check_ok(pl_fem_build(s.context, &def, mesh, &s.model, &error), &error);
  pl_mesh_destroy(mesh);
  s.fem = (const pl_fem_model *)s.model;
  pl_arena_init(&s.arena, s.context, 0);
  assert_true(pl_fem_system_take(&s.arena, s.context, s.fem, &s.system));
  assert_true(pl_block_matrix_take(&s.arena, &s.fem->pattern, &s.matrix));
  s.n = 3 * s.model->particle_count;
  s.x = PL_TAKE(&s.arena, double, s.n);
  s.gradient = PL_TAKE(&s.arena, double, s.n);
  s.other = PL_TAKE(&s.arena, double, s.n);
  s.direction = PL_TAKE(&s.arena, double, s.n);
  pl_random random = pl_random_of_seed(5);
  for (int32_t i = 0; i < s.n; ++i) {
    bool held = s.fem->planar && i % 3 == 2;
    s.x[i] = s.fem->rest_points[i] + (held ? 0 : 0.03 * pl_random_between(&random, -1, 1));
    s.direction[i] = held ? 0 : pl_random_between(&random, -1, 1);
  }
  return s;
}

static void drop_subject(subject *s) {
  pl_arena_destroy(&s->arena);
  pl_model_destroy(s->model);
  drop_context(s->context);
}

static void shift(subject *s, double by) {
  for (int32_t i = 0; i < s->n; ++i) s->x[i] += by * s->direction[i];
}

static double max(const double *a, int32_t n) {
  double bound = 0;
  for (int32_t i = 0; i < n; ++i) bound = fmax(bound, fabs(a[i]));
  return bound;
}

static void check_close(const char *what, int material, const double *a, const double *b, int32_t n) {
  double off = 0;
  for (int32_t i = 0; i < n; ++i) off = fmax(off, fabs(a[i] - b[i]));
  double relative = off / max(b, n);
  print_message("%s, material %d: %.2g\n", what, material, relative);
  check_at_most(relative, 1e-6);
}

static void gradient_and_hessian_of_a_body(void **state) {
  (void)state;
  for (int material = 0; material < PL_FEM_FAST; ++material) {
    subject s = make_subject((pl_fem_material)material);
    double slope = 0, product[64], step = 1e-6;
    pl_fem_system_evaluate(&s.system, s.x, s.gradient, &s.matrix, false);
    pl_block_matrix_multiply(s.context, &s.matrix, s.direction, product);
    for (int32_t i = 0; i < s.n; ++i) slope += s.gradient[i] * s.direction[i];
    shift(&s, step);
    double above = pl_fem_system_evaluate(&s.system, s.x, s.gradient, NULL, false);
    shift(&s, -2 * step);
    double below = pl_fem_system_evaluate(&s.system, s.x, s.other, NULL, false);
    double found = (above - below) / (2 * step);
    check_close("gradient", material, &found, &slope, 1);
    for (int32_t i = 0; i < s.n; ++i) s.other[i] = (s.gradient[i] - s.other[i]) / (2 * step);
    check_close("Hessian", material, s.other, product, s.n);
    drop_subject(&s);
  }
}

// Room for one rest shape, by element and group.
static void take_rest(subject *s, double **rest) {
  for (int32_t g = 0; g < s->fem->group_count; ++g) {
    const pl_fem_group *group = &s->fem->groups[g];
    rest[g] = PL_TAKE(&s->arena, double, 3 * group->corner_count * group->element_count);
  }
}

static void derivative_by_the_rest_shape(void **state) {
  (void)state;
  for (int material = 0; material < PL_FEM_FAST; ++material) {
    subject s = make_subject((pl_fem_material)material);
    double *rest[3], *change[3], *back[3], product[64] = {0}, points[64], by_points[64] = {0}, step = 1e-6, left = 0,
                                           right = 0;
    take_rest(&s, rest);
    take_rest(&s, change);
    take_rest(&s, back);
    pl_fem_system_gather_rest(s.fem, s.direction, change);
    pl_fem_system_mixed(&s.system, s.x, (const double *const *)change, product);
    for (int sign = 0; sign < 2; ++sign) {
      for (int32_t i = 0; i < s.n; ++i) points[i] = s.fem->rest_points[i] + (sign == 0 ? step : -step) * s.direction[i];
      pl_fem_system_gather_rest(s.fem, points, rest);
      pl_fem_system_use(&s.system, (const double *const *)rest, NULL);
      pl_fem_system_evaluate(&s.system, s.x, sign == 0 ? s.gradient : s.other, NULL, false);
    }
    for (int32_t i = 0; i < s.n; ++i) s.other[i] = (s.gradient[i] - s.other[i]) / (2 * step);
    check_close("by rest shape", material, s.other, product, s.n);
    // The transpose: v·(M d) = (Mᵀ v)·d for any v.
    pl_fem_system_use(&s.system, NULL, NULL);
    pl_fem_system_mixed_transposed(&s.system, s.x, s.gradient, back);
    pl_fem_system_scatter_rest(s.fem, (const double *const *)back, by_points);
    for (int32_t i = 0; i < s.n; ++i) left += s.gradient[i] * product[i], right += by_points[i] * s.direction[i];
    check_close("its transpose", material, &left, &right, 1);
    drop_subject(&s);
  }
}

static void derivative_by_the_material(void **state) {
  (void)state;
  for (int material = 0; material < PL_FEM_FAST; ++material) {
    subject s = make_subject((pl_fem_material)material);
    int32_t last = s.fem->group_count - 1, element = s.fem->groups[last].element_count - 1;
    const pl_fem_group *group = &s.fem->groups[last];
    int32_t count = group->energy->parameter_count;
    double derivative[48], expected[64] = {0}, *parameters[3] = {NULL, NULL, NULL};
    pl_fem_system_material(&s.system, s.x, last, element, derivative);
    for (int32_t i = 0; i < 3 * group->corner_count; ++i)
      expected[3 * group->corners[group->corner_count * element + i / 3] + i % 3] += derivative[count * i];
    parameters[last] =
        pl_arena_copy(&s.arena, group->parameters, (size_t)(count * group->element_count), sizeof(double));
    double *p = &parameters[last][count * element], step = 1e-4 * p[0], start = p[0];
    for (int sign = 0; sign < 2; ++sign) {
      p[0] = start + (sign == 0 ? step : -step);
      pl_fem_system_use(&s.system, NULL, (const double *const *)parameters);
      pl_fem_system_evaluate(&s.system, s.x, sign == 0 ? s.gradient : s.other, NULL, false);
    }
    for (int32_t i = 0; i < s.n; ++i) s.other[i] = (s.gradient[i] - s.other[i]) / (2 * step);
    check_close("by material", material, s.other, expected, s.n);
    drop_subject(&s);
  }
}

// Smallest vᵀ A v / |v|² found, against the largest entry of A, from random v moved towards the lowest eigenvector by
// steps v - A v / |A|.
static double min_curvature(subject *s, pl_random *random) {
  double product[64], min = 1, bound = max(s->matrix.values, 9 * s->fem->pattern.block_count);
  for (int k = 0; k < 10; ++k) {
    double value = 0, size = 0;
    for (int32_t i = 0; i < s->n; ++i) s->direction[i] = pl_random_between(random, -1, 1);
    for (int round = 0; round < 300; ++round) {
      pl_block_matrix_multiply(s->context, &s->matrix, s->direction, product);
      double longest = max(s->direction, s->n);
      for (int32_t i = 0; i < s->n; ++i) s->direction[i] = (s->direction[i] - product[i] / (4 * bound)) / longest;
    }
    pl_block_matrix_multiply(s->context, &s->matrix, s->direction, product);
    for (int32_t i = 0; i < s->n; ++i) value += s->direction[i] * product[i], size += s->direction[i] * s->direction[i];
    min = fmin(min, value / (bound * size));
  }
  return min;
}

static void stand_ins_for_hessians_are_positive_where_hessians_are_not(void **state) {
  (void)state;
  for (int material = 0; material < PL_FEM_FAST; ++material) {
    subject s = make_subject((pl_fem_material)material);
    pl_random random = pl_random_of_seed(9);
    // Crushed, so that exact Hessians are indefinite.
    for (int32_t i = 0; i < s.n; ++i) s.x[i] *= s.fem->planar && i % 3 == 2 ? 1 : 0.3;
    pl_fem_system_evaluate(&s.system, s.x, NULL, &s.matrix, false);
    double exact = min_curvature(&s, &random);
    pl_fem_system_evaluate(&s.system, s.x, NULL, &s.matrix, true);
    double positive = min_curvature(&s, &random);
    print_message("least curvature, material %d: exact %.2g, stand-in %.2g\n", material, exact, positive);
    assert_true(exact < -1e-3);
    check_at_most(-1e-12, positive);
    drop_subject(&s);
  }
}

// The potential of a step: inertia, loads, damping, soft pins, contact with friction, all at once.
static void gradient_and_hessian_of_the_potential_of_a_step(void **state) {
  (void)state;
  subject s = make_subject(PL_FEM_NEO_HOOKEAN);
  pl_error error = {0};
  pl_fem_potential p;
  pl_block_matrix damping;
  assert_true(pl_fem_potential_take(&s.arena, &s.system, &s.matrix, &p) &&
              pl_block_matrix_take(&s.arena, &s.fem->pattern, &damping));
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  pl_collider *ground = NULL;
  check_ok(pl_collider_create(s.context, &def, &ground, &error), &error);
  const pl_collider *colliders[1] = {ground};
  // The ground is in the lower half of the body.
  pl_transform placement = {{0, -0.05, 0}, {0, 0, 0.1, 0.994987437106620}};
  double *base = PL_TAKE(&s.arena, double, s.n), *anchors = PL_TAKE(&s.arena, double, 4 * s.model->surface.point_count);
  pl_fem_contacts contacts = {.context = s.context,
                              .model = s.fem,
                              .collider_count = 1,
                              .colliders = colliders,
                              .starts = &placement,
                              .ends = &placement,
                              .base = base,
                              .anchors = anchors,
                              .reach = 2,
                              .damping = 0.7,
                              .stiffness = 1e6,
                              .points = PL_TAKE(&s.arena, pl_fem_contact_point, s.model->surface.point_count),
                              .active = PL_TAKE(&s.arena, int32_t, s.model->surface.point_count),
                              .near = PL_TAKE(&s.arena, int32_t, s.model->surface.point_count),
                              .clearances = PL_TAKE(&s.arena, double, s.model->surface.point_count)};
  for (int32_t i = 0; i < s.n; ++i) base[i] = s.x[i] + 0.002 * sin(7.0 * i);
  p.inertia = 400;
  p.goal = base;
  p.load = s.fem->rest_points;
  p.damping = &damping;
  p.damping_factor = 0.2;
  p.damping_base = base;
  pl_fem_system_evaluate(p.system, base, p.elastic, &damping, true);
  p.base = base;
  p.contacts = &contacts;
  p.pins = (const pl_body_pin[1]){{.particle = 3, .stiffness = 200, .damping = 5}};
  p.pin_count = 1;
  p.pin_rate = 100;
  // Friction is frozen by the first evaluation.
  pl_fem_potential_evaluate(&p, s.x, true, false);
  assert_true(pl_fem_contacts_any(&contacts));
  double product[64], slope = 0, step = 1e-7;
  pl_block_matrix_multiply(s.context, &s.matrix, s.direction, product);
  for (int32_t i = 0; i < s.n; ++i) slope += p.gradient[i] * s.direction[i];
  shift(&s, step);
  double above = pl_fem_potential_evaluate(&p, s.x, false, false);
  memcpy(s.gradient, p.gradient, (size_t)s.n * sizeof(double));
  shift(&s, -2 * step);
  double below = pl_fem_potential_evaluate(&p, s.x, false, false), found = (above - below) / (2 * step);
  check_close("gradient of the potential", PL_FEM_NEO_HOOKEAN, &found, &slope, 1);
  for (int32_t i = 0; i < s.n; ++i) s.other[i] = (s.gradient[i] - p.gradient[i]) / (2 * step);
  check_close("Hessian of the potential", PL_FEM_NEO_HOOKEAN, s.other, product, s.n);
  pl_collider_destroy(s.context, ground);
  drop_subject(&s);
}

static pl_fem_contacts make_contacts(subject *s, const pl_collider *const *colliders, const pl_transform *placement,
                                     const double *base) {
  int32_t count = s->model->surface.point_count;
  return (pl_fem_contacts){.context = s->context,
                           .model = s->fem,
                           .collider_count = 1,
                           .colliders = colliders,
                           .starts = placement,
                           .ends = placement,
                           .base = base,
                           .anchors = PL_TAKE(&s->arena, double, 4 * count),
                           .reach = 1,
                           .stiffness = 1e6,
                           .points = PL_TAKE(&s->arena, pl_fem_contact_point, count),
                           .active = PL_TAKE(&s->arena, int32_t, count),
                           .near = PL_TAKE(&s->arena, int32_t, count),
                           .clearances = PL_TAKE(&s->arena, double, count)};
}

// Points that are too far away to touch are not looked at: on a way back and forth forces are those of evaluations that
// begin with all points, and the same without derivatives.
static void points_out_of_reach_are_left_out_without_a_difference(void **state) {
  (void)state;
  subject s = make_subject(PL_FEM_NEO_HOOKEAN);
  pl_error error = {0};
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  pl_collider *ground = NULL;
  check_ok(pl_collider_create(s.context, &def, &ground, &error), &error);
  const pl_collider *colliders[1] = {ground};
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (int32_t i = 1; i < s.n; i += 3) low = fmin(low, s.x[i]), high = fmax(high, s.x[i]);
  double size = high - low;
  pl_transform placement = {{0, low + 0.05 * size, 0}, {0, 0, 0.1, 0.994987437106620}};
  pl_fem_contacts kept = make_contacts(&s, colliders, &placement, s.x),
                  all = make_contacts(&s, colliders, &placement, s.x);
  // Down and along, as fractions of the height of the body: the second and the fifth leave the list of near points.
  static const double DOWN[8] = {0.01, 0.3, 0.02, -0.2, 0.8, 0.05, 0, 0.03};
  int32_t fewest = s.model->surface.point_count;
  double *u = PL_TAKE(&s.arena, double, s.n), *expected = PL_TAKE(&s.arena, double, s.n),
         *found = PL_TAKE(&s.arena, double, s.n), *forces = PL_TAKE(&s.arena, double, s.n);
  for (int k = 0; k < 8; ++k) {
    bool refresh = k % 3 == 0;
    for (int32_t i = 0; i < s.n; ++i) u[i] = s.x[i] + size * DOWN[k] * (i % 3 == 1 ? -1 : 0.1 * sin(3.0 * i));
    memset(expected, 0, (size_t)s.n * sizeof(double));
    memset(found, 0, (size_t)s.n * sizeof(double));
    memset(forces, 0, (size_t)s.n * sizeof(double));
    all.measured = false;
    double energy = pl_fem_contacts_evaluate(&all, u, refresh);
    pl_fem_contacts_add_gradient(&all, expected);
    assert_true(pl_fem_contacts_evaluate(&kept, u, refresh) == energy);
    pl_fem_contacts_add_gradient(&kept, found);
    kept.without_derivatives = true;
    pl_fem_contacts_evaluate(&kept, u, false);
    kept.without_derivatives = false;
    pl_fem_contacts_add_gradient(&kept, forces);
    assert_memory_equal(expected, found, (size_t)s.n * sizeof(double));
    assert_memory_equal(expected, forces, (size_t)s.n * sizeof(double));
    fewest = kept.near_count < fewest ? kept.near_count : fewest;
  }
  print_message("near points: %d of %d at least\n", fewest, s.model->surface.point_count);
  assert_true(fewest < s.model->surface.point_count);
  pl_collider_destroy(s.context, ground);
  drop_subject(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradient_and_hessian_of_a_body),
      cmocka_unit_test(derivative_by_the_rest_shape),
      cmocka_unit_test(derivative_by_the_material),
      cmocka_unit_test(stand_ins_for_hessians_are_positive_where_hessians_are_not),
      cmocka_unit_test(gradient_and_hessian_of_the_potential_of_a_step),
      cmocka_unit_test(points_out_of_reach_are_left_out_without_a_difference),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
