// Mixtures of examples reconstructed by a static solve, as figures 4 and 5 of paper 004 do: a straight and a twisted
// bar of tets, a straight and a helical tube as shell.
//
// A mixture's elements do not fit together; the pose shown is the one of least energy against them. References that
// share no code with the mixtures: the bar twisted by closed formula, whose angle is to grow evenly with the weight;
// lengths of edges mixed as numbers for the tube; and, for its bend, the radius of the helix.
// ctest: physics
#include "actor/actor_space.h"
#include "check.h"
#include "fixtures/fem_bodies.h"
#include "pliant/math.h"
#include "sparse/linear_solver.h"

typedef struct figure {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model;
  const pl_fem_model *fem;
  pl_vec3 *example;
  pl_rest_space *space;
  pl_arena arena;
  pl_fem_system system;
  pl_block_matrix matrix;
  pl_linear_solver *solver;
  double *rest[PL_FEM_MAX_GROUPS];
  double *x, *moved, *gradient, *step, *diagonal;
  int32_t n;
} figure;

static figure make_figure(pl_mesh *mesh, pl_context *context, pl_fem_material material, pl_vec3 (*bend)(pl_vec3)) {
  figure f = {.context = context, .mesh = mesh};
  pl_error error = {0};
  pl_fem_def def = pl_default_fem_def(material);
  f.model = make_fem_model(context, &def, mesh);
  f.fem = (const pl_fem_model *)f.model;
  pl_arena *a = &f.arena;
  pl_arena_init(a, context, 0);
  int32_t points = pl_mesh_get_view(mesh).point_count;
  f.n = 3 * points;
  f.example = PL_TAKE(a, pl_vec3, points);
  f.x = PL_TAKE(a, double, f.n);
  f.moved = PL_TAKE(a, double, f.n);
  f.gradient = PL_TAKE(a, double, f.n);
  f.step = PL_TAKE(a, double, f.n);
  f.diagonal = PL_TAKE(a, double, points);
  for (int32_t i = 0; i < points; ++i) f.example[i] = bend(pl_mesh_get_view(mesh).points[i]);
  memcpy(f.x, f.fem->rest_points, (size_t)f.n * sizeof(double));
  assert_true(pl_fem_system_take(a, context, f.fem, &f.system));
  assert_true(pl_block_matrix_take(a, &f.fem->pattern, &f.matrix));
  for (int32_t g = 0; g < f.fem->group_count; ++g)
    f.rest[g] = PL_TAKE(a, double, 3 * (size_t)(f.fem->groups[g].corner_count * f.fem->groups[g].element_count));
  pl_mesh_pose pose = {"example", f.example};
  pl_actor_def actor = pl_default_actor_def();
  actor.rest = PL_REST_EXAMPLES;
  actor.examples = &pose;
  actor.example_count = 1;
  actor.regularisation = actor.rate_regularisation = actor.hull_penalty = 0;
  check_ok(pl_rest_space_build(context, &actor, f.fem, mesh, &f.space, &error), &error);
  pl_linear_def linear = pl_default_linear_def();
  linear.choice = PL_LINEAR_DENSE;
  check_ok(pl_linear_solver_create(context, &f.fem->pattern, &linear, &f.solver, &error), &error);
  return f;
}

static void drop_figure(figure *f) {
  pl_linear_solver_destroy(f->solver);
  pl_rest_space_destroy(f->space);
  pl_arena_destroy(&f->arena);
  pl_model_destroy(f->model);
  pl_mesh_destroy(f->mesh);
  drop_context(f->context);
}

static void use_mixture(figure *f, double weight) {
  pl_rest_space_shape(f->space, &weight, f->rest);
  pl_fem_system_use(&f->system, (const double *const *)f->rest, NULL);
}

static double max(const double *a, int32_t count) {
  double max = 0;
  for (int32_t i = 0; i < count; ++i) max = fmax(max, fabs(a[i]));
  return max;
}

// From f->x to the pose of least energy: Newton's method, with a little of the masses to hold what is rigid.
static double reconstruct(figure *f) {
  pl_error error = {0};
  double energy = 0;
  for (int round = 0; round < 100; ++round) {
    energy = pl_fem_system_evaluate(&f->system, f->x, f->gradient, &f->matrix, true);
    if (max(f->gradient, f->n) < 1e-9 * f->fem->force_scale) return energy;
    pl_block_matrix_add_diagonal(f->context, &f->matrix,
                                 1e-5 * f->fem->force_scale / f->fem->element_size / f->fem->head.mass * f->n,
                                 f->fem->head.masses);
    check_ok(pl_linear_solver_factor(f->solver, &f->matrix, &error), &error);
    check_ok(pl_linear_solver_solve(f->solver, f->gradient, 1, f->step, &error), &error);
    double length = 1;
    for (; length > 1e-6; length *= 0.5) {
      for (int32_t i = 0; i < f->n; ++i) f->moved[i] = f->x[i] - length * f->step[i];
      if (pl_fem_system_evaluate(&f->system, f->moved, NULL, NULL, false) <= energy) break;
    }
    memcpy(f->x, f->moved, (size_t)f->n * sizeof(double));
  }
  fail_msg("no equilibrium: residual %.3g of %.3g N", max(f->gradient, f->n), f->fem->force_scale);
  return energy;
}

static pl_vec3 place(const figure *f, int32_t point) {
  return pl_fem_vector(f->x, point);
}

// Largest difference of an edge's length from the mean of rest and example with the weight, as a share of the length at
// rest.
static double worst_edge(const figure *f, double weight) {
  const pl_fem_group *group = &f->fem->groups[0];
  double worst = 0;
  for (int32_t e = 0; e < group->element_count; ++e)
    for (int a = 0; a < group->corner_count; ++a)
      for (int b = 0; b < a; ++b) {
        int32_t p = group->corners[group->corner_count * e + a], q = group->corners[group->corner_count * e + b];
        double rest = pl_vec3_distance(pl_fem_vector(f->fem->rest_points, p), pl_fem_vector(f->fem->rest_points, q));
        double mean = rest + weight * (pl_vec3_distance(f->example[p], f->example[q]) - rest);
        worst = fmax(worst, fabs(pl_vec3_distance(place(f, p), place(f, q)) - mean) / rest);
      }
  return worst;
}

// --- a bar of tets ------------------------------------------------------------------------------------------------

#define BAR_LENGTH 0.6
#define BAR_TWIST (2 * PL_PI / 3)

static pl_vec3 twist_point(pl_vec3 p) {
  double angle = BAR_TWIST * (p.z / BAR_LENGTH + 0.5);
  return pl_vec3_of(cos(angle) * p.x - sin(angle) * p.y, sin(angle) * p.x + cos(angle) * p.y, p.z);
}

static double volume_of(const figure *f) {
  const pl_fem_group *group = &f->fem->groups[0];
  double sum = 0;
  for (int32_t t = 0; t < group->element_count; ++t) {
    const int32_t *c = group->corners + 4 * (ptrdiff_t)t;
    pl_vec3 o = place(f, c[0]), u = pl_vec3_sub(place(f, c[1]), o), v = pl_vec3_sub(place(f, c[2]), o);
    sum += pl_vec3_dot(pl_vec3_cross(u, v), pl_vec3_sub(place(f, c[3]), o)) / 6;
  }
  return sum;
}

// Angle from the bottom to the top face about the bar's axis. The mesh has 3 x 3 points a layer, x fastest.
static double twist_of(const figure *f) {
  int32_t top = f->n / 3 - 9;
  pl_vec3 axis = pl_vec3_normalize_or(pl_vec3_sub(place(f, top + 4), place(f, 4)), pl_vec3_of(0, 0, 1));
  pl_vec3 low = pl_vec3_sub(place(f, 8), place(f, 0)), high = pl_vec3_sub(place(f, top + 8), place(f, top));
  low = pl_vec3_add_scaled(low, axis, -pl_vec3_dot(low, axis));
  high = pl_vec3_add_scaled(high, axis, -pl_vec3_dot(high, axis));
  return atan2(pl_vec3_dot(axis, pl_vec3_cross(low, high)), pl_vec3_dot(low, high));
}

static void mixtures_of_a_bar_twist_evenly_and_keep_their_volume(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.15, 0.15, BAR_LENGTH}, 2, 2, 8);
  figure f = make_figure(mesh, context, PL_FEM_EDGES, twist_point);
  double volume = volume_of(&f), worst_twist = 0, worst_volume = 0, worst_length = 0;
  for (int k = 0; k <= 8; ++k) {
    double weight = k / 8.0;
    use_mixture(&f, weight);
    double energy = reconstruct(&f);
    worst_twist = fmax(worst_twist, fabs(twist_of(&f) - weight * BAR_TWIST) / BAR_TWIST);
    worst_volume = fmax(worst_volume, fabs(volume_of(&f) / volume - 1));
    int32_t top = f.n / 3 - 9;
    worst_length = fmax(worst_length, fabs(pl_vec3_distance(place(&f, top + 4), place(&f, 4)) / BAR_LENGTH - 1));
    if (k == 0 || k == 8) {  // rest and example themselves, wherever they stand
      check_at_most(energy, 1e-12 * f.fem->force_scale * f.fem->element_size);
      check_at_most(worst_edge(&f, weight), 1e-5);
    }
  }
  print_message("twist off by %.2g of the whole, volume by %.2g, length by %.2g\n", worst_twist, worst_volume,
                worst_length);
  check_at_most(worst_twist, 0.01);
  check_at_most(worst_volume, 0.02);
  check_at_most(worst_length, 0.01);
  drop_figure(&f);
}

// --- a tube as shell ----------------------------------------------------------------------------------------------

enum { AROUND = 8, RINGS = 13 };
#define TUBE_LENGTH 0.8
#define TUBE_RADIUS 0.05
#define HELIX_RADIUS 0.12
#define HELIX_RISE 0.2  // along the axis per radian

static pl_mesh *make_tube(pl_context *context) {
  pl_vec3 points[AROUND * RINGS];
  int32_t triangles[6 * AROUND * (RINGS - 1)], used = 0;
  for (int r = 0; r < RINGS; ++r)
    for (int i = 0; i < AROUND; ++i) {
      double angle = 2 * PL_PI * (i + 0.5 * (r % 2)) / AROUND;
      points[AROUND * r + i] =
          pl_vec3_of(TUBE_RADIUS * cos(angle), TUBE_RADIUS * sin(angle), TUBE_LENGTH * r / (RINGS - 1));
    }
  for (int r = 0; r + 1 < RINGS; ++r)
    for (int i = 0; i < AROUND; ++i) {
      int a = AROUND * r + i, b = AROUND * r + (i + 1) % AROUND, c = a + AROUND, d = b + AROUND;
      const int even[6] = {a, b, c, b, d, c}, odd[6] = {a, b, d, a, d, c};
      for (int k = 0; k < 6; ++k) triangles[used++] = r % 2 == 0 ? even[k] : odd[k];
    }
  pl_mesh_view view = {.point_count = AROUND * RINGS,
                       .points = points,
                       .triangle_count = 2 * AROUND * (RINGS - 1),
                       .triangles = triangles};
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  return mesh;
}

// The tube around a helix, in its frame of tangent, normal and binormal: bent by the curvature, twisted by the torsion.
static pl_vec3 coil_point(pl_vec3 p) {
  double pace = sqrt(HELIX_RADIUS * HELIX_RADIUS + HELIX_RISE * HELIX_RISE), angle = p.z / pace, c = cos(angle),
         s = sin(angle);
  pl_vec3 center = {HELIX_RADIUS * c, HELIX_RADIUS * s, HELIX_RISE * angle}, normal = {-c, -s, 0};
  pl_vec3 tangent = {-HELIX_RADIUS * s / pace, HELIX_RADIUS * c / pace, HELIX_RISE / pace};
  pl_vec3 binormal = pl_vec3_cross(tangent, normal);
  return pl_vec3_add_scaled(pl_vec3_add_scaled(center, normal, p.x), binormal, p.y);
}

static pl_vec3 ring_center(const figure *f, int ring) {
  pl_vec3 sum = {0, 0, 0};
  for (int i = 0; i < AROUND; ++i) sum = pl_vec3_add(sum, place(f, AROUND * ring + i));
  return pl_vec3_scale(sum, 1.0 / AROUND);
}

// Distance of the ends of a helix with a share of the curvature and torsion.
static double helix_chord(double fraction) {
  double pace2 = HELIX_RADIUS * HELIX_RADIUS + HELIX_RISE * HELIX_RISE;
  double curvature = fraction * HELIX_RADIUS / pace2, torsion = fraction * HELIX_RISE / pace2;
  double total = curvature * curvature + torsion * torsion, angle = TUBE_LENGTH * sqrt(total);
  return total == 0 ? TUBE_LENGTH : hypot(2 * curvature / total * sin(angle / 2), torsion / total * angle);
}

static void mixtures_of_a_tube_coil_without_stretching(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  figure f = make_figure(make_tube(context), context, PL_FEM_SHELL, coil_point);
  double worst_chord = 0, worst_stretch = 0, last = HUGE_VAL;
  for (int k = 0; k <= 4; ++k) {
    double weight = k / 4.0;
    use_mixture(&f, weight);
    double energy = reconstruct(&f), stretch = worst_edge(&f, weight);
    double chord = pl_vec3_distance(ring_center(&f, 0), ring_center(&f, RINGS - 1));
    assert_true(chord < last);
    last = chord;
    worst_chord = fmax(worst_chord, fabs(chord - helix_chord(weight)) / TUBE_LENGTH);
    worst_stretch = fmax(worst_stretch, stretch);
    if (k == 0 || k == 4) {
      check_at_most(energy, 1e-9 * f.fem->force_scale * f.fem->element_size);
      check_at_most(stretch, 1e-4);
    }
  }
  print_message("ends off by %.2g of the length, edges by %.2g of theirs\n", worst_chord, worst_stretch);
  check_at_most(worst_chord, 0.01);
  check_at_most(worst_stretch, 0.001);
  drop_figure(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mixtures_of_a_bar_twist_evenly_and_keep_their_volume),
      cmocka_unit_test(mixtures_of_a_tube_coil_without_stretching),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
