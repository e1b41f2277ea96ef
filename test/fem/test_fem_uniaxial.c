// Homogeneous deformations of whole bodies, which every mesh must have exactly: uniaxial stress in closed form, patch
// tests on shaken meshes.
// ctest: physics
#include "base/random.h"
#include "fixtures/fem_bodies.h"
#include "pliant/math.h"

// A box with its points shaken: along the sides of the box for those on its surface, so that it stays a box.
static pl_mesh *make_shaken_box(pl_context *context, int32_t nx, int32_t ny, int32_t nz, double fraction,
                                uint64_t seed) {
  pl_error error = {0};
  pl_vec3 size = {0.1 * nx, 0.1 * ny, 0.1 * nz};
  pl_mesh *box = make_fem_box(context, size, nx, ny, nz), *mesh = NULL;
  pl_mesh_view view = pl_mesh_get_view(box);
  pl_vec3 *points = calloc((size_t)view.point_count, sizeof *points);
  pl_random random = pl_random_of_seed(seed);
  for (int32_t i = 0; i < view.point_count; ++i) {
    double p[3] = {view.points[i].x, view.points[i].y, view.points[i].z},
           half[3] = {0.5 * size.x, 0.5 * size.y, 0.5 * size.z};
    for (int k = 0; k < 3; ++k) {
      double shake = 0.1 * fraction * pl_random_between(&random, -1, 1);
      if (fabs(p[k]) < half[k] - 1e-9) p[k] += shake;
    }
    points[i] = (pl_vec3){p[0], p[1], p[2]};
  }
  view.points = points;
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  free(points);
  pl_mesh_destroy(box);
  return mesh;
}

// Lateral stretch and stress P11 over E of a material that is stretched by l with free sides.
typedef struct uniaxial {
  double lateral, stress;
} uniaxial;

// P11 = E e, lateral stretch 1 - ν e, exactly.
static uniaxial corotated(double l, double nu) {
  return (uniaxial){1 - nu * (l - 1), l - 1};
}

// P = μ F + (κ (J - 1) - μ) cof F with κ = λ + μ: P22 = 0 by Newton's method for the lateral stretch m, with J = l m²
// and cofactors m² and l m.
static uniaxial neo_hookean(double l, double nu) {
  double mu = 1 / (2 * (1 + nu)), kappa = nu / ((1 + nu) * (1 - 2 * nu)) + mu, m = 1 / sqrt(l);
  for (int i = 0; i < 50; ++i) {
    double k = kappa * (l * m * m - 1) - mu, value = mu * m + k * l * m, slope = mu + k * l + 2 * kappa * l * l * m * m;
    m -= value / slope;
  }
  return (uniaxial){m, mu * l + (kappa * (l * m * m - 1) - mu) * m * m};
}

// The ends are held where the formula has them; sides and inside find their places, and the ends must pull with the
// formula's stress.
static void stretch(pl_context *context, const pl_mesh *mesh, pl_fem_material material, double nu, double l,
                    double worst[2]) {
  pl_error error = {0};
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_fem_def def = pl_default_fem_def(material);
  def.poisson = nu;
  pl_model *model = make_fem_model(context, &def, mesh);
  uniaxial expected = material == PL_FEM_COROTATED ? corotated(l, nu) : neo_hookean(l, nu);
  pl_transform motion = {{0.3, -0.2, 0.5}, pl_quat_normalize((pl_quat){0.5, -0.3, 0.2, 0.6})};
  pl_box box = pl_box_from_points(view.points, view.point_count);
  size_t n = (size_t)view.point_count;
  pl_vec3 *x = calloc(n, sizeof *x), *goal = calloc(n, sizeof *goal), *forces = calloc(n, sizeof *forces);
  int32_t *pinned = calloc(n, sizeof *pinned), pinned_count = 0;
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_vec3 p = view.points[i];
    goal[i] = pl_transform_apply(motion, (pl_vec3){l * p.x, expected.lateral * p.y, expected.lateral * p.z});
    bool end = fabs(p.x) > box.max.x - 1e-9;
    // Where to begin: stretched, but not yet any thinner.
    x[i] = end ? goal[i] : pl_transform_apply(motion, (pl_vec3){l * p.x, p.y, p.z});
    if (end) pinned[pinned_count++] = i;
  }
  pl_fem_equilibrium_def rest = pl_default_fem_equilibrium_def();
  rest.pinned = pinned;
  rest.pinned_count = pinned_count;
  rest.tolerance = 1e-14;
  // A tolerance of round-off may be missed by a digit; what counts is where the points are.
  assert_true(pl_fem_equilibrium(context, model, &rest, x, NULL, &error) >= 0);
  double energy;
  check_ok(pl_fem_compute_energy(context, model, x, &energy, forces, &error), &error);
  pl_vec3 pull = {0, 0, 0}, axis = pl_quat_rotate(motion.rotation, (pl_vec3){1, 0, 0});
  for (int32_t i = 0; i < view.point_count; ++i) {
    worst[0] = fmax(worst[0], pl_vec3_distance(x[i], goal[i]));
    if (view.points[i].x > box.max.x - 1e-9) pull = pl_vec3_sub(pull, forces[i]);
  }
  double force = def.young * (box.max.y - box.min.y) * (box.max.z - box.min.z);
  worst[1] = fmax(worst[1], pl_vec3_distance(pull, pl_vec3_scale(axis, force * expected.stress)) / force);
  free(x);
  free(goal);
  free(forces);
  free(pinned);
  pl_model_destroy(model);
}

static void uniaxial_stress_is_exact_in_any_mesh_and_direction(void **state) {
  (void)state;
  static const double ratios[3] = {0, 0.3, 0.45}, stretches[5] = {0.8, 0.95, 1.05, 1.2, 1.5};
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_shaken_box(context, 5, 3, 3, 0.25, 7);
  for (int k = 0; k < 2; ++k) {
    double worst[2] = {0, 0};
    for (int i = 0; i < 15; ++i)
      stretch(context, mesh, k == 0 ? PL_FEM_COROTATED : PL_FEM_NEO_HOOKEAN, ratios[i / 5], stretches[i % 5], worst);
    print_message("uniaxial, material %d, ν 0 … 0.45, stretch 0.8 … 1.5: points within %.1e m, P11 within %.1e E\n", k,
                  worst[0], worst[1]);
    check_at_most(worst[0], 1e-12);
    check_at_most(worst[1], 1e-12);
  }
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// σ = μ (l - l⁻²) of rubber. The remaining difference at ν = 0.4999 is its compressibility.
static void nearly_incompressible_rubber_has_the_stress_of_rubber(void **state) {
  (void)state;
  static const double table[6][2] = {
      {0.7, -1.34081632653}, {0.9, -0.334567901235}, {1.1, 0.273553719008}, {1.5, 1.05555555556}, {2, 1.75},
      {3, 2.88888888889}};
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_shaken_box(context, 3, 2, 2, 0.2, 8);
  for (int i = 0; i < 6; ++i) {
    double worst[2] = {0, 0}, nu = 0.4999, found = neo_hookean(table[i][0], nu).stress * 2 * (1 + nu);
    stretch(context, mesh, PL_FEM_NEO_HOOKEAN, nu, table[i][0], worst);
    print_message("stretch %.1f: %.5f μ, incompressible %.5f μ; points within %.1e m, P11 within %.1e E\n", table[i][0],
                  found, table[i][1], worst[0], worst[1]);
    check_near(found, table[i][1], 1e-3 * fabs(table[i][1]));
    check_at_most(worst[0], 1e-10);
    check_at_most(worst[1], 1e-9);
  }
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// --- patch tests --------------------------------------------------------------------------------------------------

// Hold the rim to an affine map and start the inside elsewhere: it must come to the map.
static double patch(pl_context *context, const pl_mesh *mesh, pl_fem_material material, bool flat, pl_random *random) {
  pl_error error = {0};
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_box box = pl_box_from_points(view.points, view.point_count);
  pl_fem_def def = pl_default_fem_def(material);
  def.poisson = 0.35;
  pl_model *model = make_fem_model(context, &def, mesh);
  double A[3][3], worst = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      A[i][j] = flat && (i == 2 || j == 2) ? i == j : (i == j) + 0.25 * pl_random_between(random, -1, 1);
  size_t n = (size_t)view.point_count;
  pl_vec3 *x = calloc(n, sizeof *x), *goal = calloc(n, sizeof *goal);
  int32_t *pinned = calloc(n, sizeof *pinned), count = 0;
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_vec3 p = view.points[i];
    const double c[3] = {p.x, p.y, p.z};
    double y[3];
    for (int k = 0; k < 3; ++k) y[k] = A[k][0] * c[0] + A[k][1] * c[1] + A[k][2] * c[2];
    goal[i] = (pl_vec3){y[0], y[1], y[2]};
    bool rim = fmin(p.x - box.min.x, box.max.x - p.x) < 1e-9 || fmin(p.y - box.min.y, box.max.y - p.y) < 1e-9 ||
               (!flat && fmin(p.z - box.min.z, box.max.z - p.z) < 1e-9);
    for (int k = 0; !rim && k < (flat ? 2 : 3); ++k) y[k] += 0.02 * pl_random_between(random, -1, 1);
    x[i] = (pl_vec3){y[0], y[1], y[2]};
    if (rim) pinned[count++] = i;
  }
  assert_true(count < view.point_count);
  pl_fem_equilibrium_def rest = pl_default_fem_equilibrium_def();
  rest.pinned = pinned;
  rest.pinned_count = count;
  rest.tolerance = 1e-14;
  assert_true(pl_fem_equilibrium(context, model, &rest, x, NULL, &error) >= 0);
  for (int32_t i = 0; i < view.point_count; ++i) worst = fmax(worst, pl_vec3_distance(x[i], goal[i]));
  free(x);
  free(goal);
  free(pinned);
  pl_model_destroy(model);
  return worst;
}

// The sheet's points inside are shaken, its rim stays.
static pl_mesh *make_shaken_sheet(pl_context *context, pl_random *random) {
  pl_error error = {0};
  pl_mesh *sheet = make_fem_sheet(context, 0.5, 5, 4), *mesh = NULL;
  pl_mesh_view view = pl_mesh_get_view(sheet);
  pl_box box = pl_box_from_points(view.points, view.point_count);
  pl_vec3 points[64];
  assert_true(view.point_count <= 64);
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_vec3 p = points[i] = view.points[i];
    bool rim = fmin(p.x - box.min.x, box.max.x - p.x) < 1e-9 || fmin(p.y - box.min.y, box.max.y - p.y) < 1e-9;
    if (!rim)
      points[i].x += 0.02 * pl_random_between(random, -1, 1), points[i].y += 0.02 * pl_random_between(random, -1, 1);
  }
  view.points = points;
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  pl_mesh_destroy(sheet);
  return mesh;
}

static void homogeneous_deformations_are_equilibria_of_shaken_meshes(void **state) {
  (void)state;
  static const pl_fem_material materials[3] = {PL_FEM_COROTATED, PL_FEM_NEO_HOOKEAN, PL_FEM_PLANE};
  static const char *const names[3] = {"corotated", "neo-Hookean", "plane"};
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(17);
  for (int k = 0; k < 3; ++k) {
    double worst = 0;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      pl_mesh *mesh = k == 2 ? make_shaken_sheet(context, &random) : make_shaken_box(context, 4, 4, 4, 0.25, seed);
      worst = fmax(worst, patch(context, mesh, materials[k], k == 2, &random));
      pl_mesh_destroy(mesh);
    }
    print_message("patch test, %s, six random meshes and maps: %.1e m off\n", names[k], worst);
    check_at_most(worst, 1e-10);
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(uniaxial_stress_is_exact_in_any_mesh_and_direction),
      cmocka_unit_test(nearly_incompressible_rubber_has_the_stress_of_rubber),
      cmocka_unit_test(homogeneous_deformations_are_equilibria_of_shaken_meshes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
