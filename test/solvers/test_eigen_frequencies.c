// Natural frequencies of finite-element bodies against Timoshenko's beam and Lamb's sphere: stiffness at rest from the
// body's elements, its lumped masses, the lowest eigenmodes. In builds without ARPACK there is nothing to ask.
// ctest: physics once
#include "fem/fem_system.h"
#include "fixtures/fem_bodies.h"
#include "pliant/math.h"
#include "solvers/cholmod_solver.h"
#include "solvers/eigen_modes.h"

enum { MAX_MODES = 16 };

typedef struct spectrum {
  int32_t count, point_count;
  double omega[MAX_MODES];  // rad/s
  double *modes;            // 3 point_count numbers each; free() them
} spectrum;

// Modes of a model at rest with PL_BLOCK_FIX bits per point.
static spectrum find_spectrum(pl_context *context, const pl_model *model, const uint8_t *fixed, int32_t count) {
  pl_error error = {0};
  const pl_fem_model *fem = (const pl_fem_model *)model;
  size_t n = 3 * (size_t)model->particle_count;
  spectrum s = {
      .count = count, .point_count = model->particle_count, .modes = calloc(n * (size_t)count, sizeof(double))};
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_fem_system system;
  pl_block_matrix stiffness;
  assert_true(pl_fem_system_take(&arena, context, fem, &system) &&
              pl_block_matrix_take(&arena, &fem->pattern, &stiffness));
  pl_fem_system_evaluate(&system, fem->rest_points, NULL, &stiffness, false);
  if (fixed != NULL) pl_block_matrix_fix(context, &stiffness, fixed);
  pl_eigen_def def = pl_default_eigen_def();
  def.mode_count = count;
  def.tolerance = 1e-8;
  def.solver.direct = pl_cholmod_backend();
  def.solver.positions = fem->rest_points;
  if (def.solver.direct != NULL) def.solver.choice = PL_LINEAR_DIRECT;
  pl_eigen_report report;
  check_ok(pl_eigen_modes_compute(context, &stiffness, model->masses, &def, s.omega, s.modes, &report, &error), &error);
  for (int32_t k = 0; k < count; ++k) s.omega[k] = sqrt(fmax(s.omega[k], 0));
  pl_arena_destroy(&arena);
  return s;
}

// Share of a mode's motion that is along `axis`.
static double fraction_along(const spectrum *s, int32_t mode, int axis) {
  const double *u = s->modes + 3 * (ptrdiff_t)s->point_count * mode;
  double all = 0, part = 0;
  for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)s->point_count; ++i) {
    all += u[i] * u[i];
    if (i % 3 == axis) part += u[i] * u[i];
  }
  return part / all;
}

// b = ω √(ρ A L⁴ / E I) of the first three bending modes of a cantilever along x that is `cells` cells deep.
typedef struct beam {
  double length, depth, poisson;
  bool plane;  // one cell wide and held in z; otherwise of square section
} beam;

static void find_bending(pl_context *context, const beam *it, int32_t cells, double *b) {
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  def.poisson = it->poisson;
  int32_t along = (int32_t)lround(cells * it->length / it->depth), across = it->plane ? 1 : cells;
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){it->length, it->depth, it->plane ? it->depth / cells : it->depth},
                               along, cells, across);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_model *model = make_fem_model(context, &def, mesh);
  uint8_t *fixed = calloc((size_t)view.point_count, 1);
  for (int32_t i = 0; i < view.point_count; ++i) {
    if (it->plane) fixed[i] = PL_BLOCK_FIX_Z;
    if (view.points[i].x < -0.5 * it->length + 1e-9) fixed[i] = PL_BLOCK_FIX_ALL;
  }
  spectrum s = find_spectrum(context, model, fixed, it->plane ? 5 : 10);
  double unit = sqrt(12 * def.density / def.young) * it->length * it->length / it->depth;
  int32_t found = 0;
  for (int32_t k = 0; k < s.count && found < 3; ++k) {
    // What moves mostly along x is the bar's own lengthening. In a square section bending comes in pairs and torsion
    // does not.
    if (fraction_along(&s, k, 0) > 0.5) continue;
    if (it->plane) {
      b[found++] = unit * s.omega[k];
    } else if (k + 1 < s.count && s.omega[k + 1] < 1.002 * s.omega[k]) {
      b[found++] = 0.5 * unit * (s.omega[k] + s.omega[k + 1]);
      k++;
    }
  }
  assert_int_equal(found, 3);
  free(fixed);
  free(s.modes);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
}

// Timoshenko's cantilever of rectangular section (Huang 1961 with Cowper's shear coefficient 1966), depth over length
// 0.2: ω √(ρ A L⁴ / E I).
static const double timoshenko_0[3] = {3.4276512482, 18.876835962, 45.7220784666};    // ν = 0
static const double timoshenko_03[3] = {3.4112626508, 18.4049294972, 43.8665535831};  // ν = 0.3

static void a_cantilever_vibrates_as_timoshenko_says(void **state) {
  (void)state;
  if (!pl_eigen_is_available()) skip();
  pl_context *context = make_context(1);
  const beam it = {.length = 1, .depth = 0.2, .poisson = 0, .plane = true};
  enum { LEVELS = 4 };
  double b[LEVELS][3];
  for (int k = 0; k < LEVELS; ++k) {
    find_bending(context, &it, 3 << k, b[k]);
    print_message("cantilever, ν 0, %2d cells deep: b = %8.5f %8.5f %8.5f, off by", 3 << k, b[k][0], b[k][1], b[k][2]);
    for (int m = 0; m < 3; ++m) print_message(" %+.2f %%", 100 * (b[k][m] / timoshenko_0[m] - 1));
    print_message("\n");
  }
  for (int m = 0; m < 3; ++m) {
    double first = b[LEVELS - 3][m] - b[LEVELS - 2][m], second = b[LEVELS - 2][m] - b[LEVELS - 1][m];
    double order = log2(first / second), limit = b[LEVELS - 1][m] - second / 3;
    print_message("mode %d: order %.2f, extrapolated %.5f, Timoshenko %.5f (%+.2f %%)\n", m + 1, order, limit,
                  timoshenko_0[m], 100 * (limit / timoshenko_0[m] - 1));
    assert_true(order > 1.7);
    check_near(b[LEVELS - 1][m], timoshenko_0[m], 0.02 * timoshenko_0[m]);
    check_near(limit, timoshenko_0[m], 0.02 * timoshenko_0[m]);
  }
  drop_context(context);
}

// With lateral strain the clamp of a solid holds more than the clamp of a beam does, which knows no width: the limit is
// about 1 % stiffer than the formula.
static void a_cantilever_of_square_section_tends_to_timoshenko(void **state) {
  (void)state;
  if (!pl_eigen_is_available()) skip();
  pl_context *context = make_context(1);
  const beam it = {.length = 1, .depth = 0.2, .poisson = 0.3};
  double b[3][3];
  static const int32_t cells[3] = {2, 4, 8};
  for (int k = 0; k < 3; ++k) {
    find_bending(context, &it, cells[k], b[k]);
    print_message("square cantilever, ν 0.3, %d cells deep: b = %8.5f %8.5f %8.5f\n", cells[k], b[k][0], b[k][1],
                  b[k][2]);
  }
  for (int m = 0; m < 3; ++m) {
    double first = b[0][m] - b[1][m], second = b[1][m] - b[2][m], limit = b[2][m] - second / 3;
    print_message("mode %d: order %.2f, extrapolated %.5f, Timoshenko %.5f (%+.2f %%)\n", m + 1, log2(first / second),
                  limit, timoshenko_03[m], 100 * (limit / timoshenko_03[m] - 1));
    check_near(limit, timoshenko_03[m], 0.02 * timoshenko_03[m]);
  }
  drop_context(context);
}

// --- a ball -------------------------------------------------------------------------------------------------------

// Unit sphere of triangles: an icosahedron whose edges are cut in half `level` times. Arrays are malloc'ed.
typedef struct ball {
  int32_t point_count, triangle_count;
  pl_vec3 *points;
  int32_t *triangles;
} ball;

static pl_vec3 unit(pl_vec3 v) {
  return pl_vec3_normalize_or(v, (pl_vec3){0, 1, 0});
}

static int32_t middle_of(ball *b, int32_t *known, int32_t stride, int32_t p, int32_t q) {
  int32_t low = p < q ? p : q, high = p < q ? q : p;
  int32_t *slot = known + (ptrdiff_t)stride * low;
  // Each point has at most six neighbours, kept as pairs of neighbour and middle.
  for (; slot[0] != 0; slot += 2)
    if (slot[0] == high + 1) return slot[1];
  b->points[b->point_count] = unit(pl_vec3_add(b->points[p], b->points[q]));
  slot[0] = high + 1;
  return slot[1] = b->point_count++;
}

static ball make_ball_surface(int32_t level) {
  const double g = 1.6180339887498949;
  const pl_vec3 corners[12] = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                               {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  static const int32_t faces[60] = {0, 11, 5,  0, 5,  1, 0, 1, 7, 0, 7,  10, 0, 10, 11, 1, 5, 9, 5, 11,
                                    4, 11, 10, 2, 10, 7, 6, 7, 1, 8, 3,  9,  4, 3,  4,  2, 3, 2, 6, 3,
                                    6, 8,  3,  8, 9,  4, 9, 5, 2, 4, 11, 6,  2, 10, 8,  6, 7, 9, 8, 1};
  size_t max = 20 * ((size_t)1 << (2 * level));
  ball b = {12, 20, calloc(max / 2 + 2, sizeof(pl_vec3)), calloc(3 * max, sizeof(int32_t))};
  for (int i = 0; i < 12; ++i) b.points[i] = unit(corners[i]);
  memcpy(b.triangles, faces, sizeof faces);
  for (int32_t l = 0; l < level; ++l) {
    enum { STRIDE = 14 };
    int32_t *known = calloc(STRIDE * (size_t)b.point_count, sizeof *known), *finer = calloc(3 * max, sizeof *finer),
            used = 0;
    for (int32_t t = 0; t < b.triangle_count; ++t) {
      const int32_t *c = b.triangles + 3 * (ptrdiff_t)t;
      int32_t m[3];
      for (int k = 0; k < 3; ++k) m[k] = middle_of(&b, known, STRIDE, c[k], c[(k + 1) % 3]);
      const int32_t four[12] = {c[0], m[0], m[2], c[1], m[1], m[0], c[2], m[2], m[1], m[0], m[1], m[2]};
      memcpy(finer + used, four, sizeof four);
      used += 12;
    }
    free(known);
    free(b.triangles);
    b.triangles = finer;
    b.triangle_count *= 4;
  }
  return b;
}

// Prisms between concentric copies of the surface, cut into tets along the diagonals that leave the corner of the
// lowest number, so that neighbours agree.
static pl_mesh *make_ball(pl_context *context, int32_t level, int32_t layers) {
  pl_error error = {0};
  ball b = make_ball_surface(level);
  int32_t n = b.point_count, tet_count = 0;
  pl_vec3 *points = calloc((size_t)(n * layers) + 1, sizeof *points);
  int32_t *tets = calloc(12 * (size_t)(b.triangle_count * layers), sizeof *tets);
  for (int32_t j = 0; j < layers; ++j)
    for (int32_t i = 0; i < n; ++i) points[1 + n * j + i] = pl_vec3_scale(b.points[i], (j + 1.0) / layers);
  for (int32_t t = 0; t < b.triangle_count; ++t) {
    int32_t c[3];
    for (int k = 0; k < 3; ++k) c[k] = b.triangles[3 * t + k];
    while (c[0] > c[1] || c[0] > c[2]) {
      int32_t first = c[0];
      c[0] = c[1], c[1] = c[2], c[2] = first;
    }
    int32_t *core = tets + 4 * (ptrdiff_t)tet_count++;
    core[0] = 0, core[1] = 1 + c[0], core[2] = 1 + c[1], core[3] = 1 + c[2];
    for (int32_t j = 0; j + 1 < layers; ++j) {
      int32_t a[3], o[3], *to = tets + 4 * (ptrdiff_t)tet_count;
      for (int k = 0; k < 3; ++k) a[k] = 1 + n * j + c[k], o[k] = a[k] + n;
      bool forward = c[1] < c[2];
      const int32_t three[12] = {a[0],
                                 o[0],
                                 o[1],
                                 o[2],
                                 a[0],
                                 forward ? a[1] : o[1],
                                 forward ? o[2] : a[2],
                                 forward ? o[1] : o[2],
                                 a[0],
                                 a[1],
                                 a[2],
                                 forward ? o[2] : o[1]};
      memcpy(to, three, sizeof three);
      tet_count += 3;
    }
  }
  for (int32_t t = 0; t < tet_count; ++t) {
    int32_t *c = tets + 4 * (ptrdiff_t)t;
    pl_vec3 p = points[c[0]];
    pl_vec3 normal = pl_vec3_cross(pl_vec3_sub(points[c[1]], p), pl_vec3_sub(points[c[2]], p));
    if (pl_vec3_dot(normal, pl_vec3_sub(points[c[3]], p)) > 0) continue;
    int32_t last = c[3];
    c[3] = c[2], c[2] = last;
  }
  pl_mesh *mesh = NULL;
  pl_mesh_view view = {.point_count = n * layers + 1, .points = points, .tet_count = tet_count, .tets = tets};
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  free(points);
  free(tets);
  free(b.points);
  free(b.triangles);
  return mesh;
}

// The lowest vibrations of a free ball are the five toroidal ones of degree 2, in which shells turn against each other
// and nothing moves radially: ω R √(ρ/G) = 2.50113262041, the lowest root of j₂(x) = x j₃(x), whatever Poisson's ratio
// (Lamb 1882).
static double find_toroidal(pl_context *context, int32_t level, int32_t layers) {
  pl_mesh *mesh = make_ball(context, level, layers);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  pl_model *model = make_fem_model(context, &def, mesh);
  spectrum s = find_spectrum(context, model, NULL, 12);
  double volume = model->mass / def.density, radius = cbrt(volume / (4.0 / 3 * PL_PI));
  double speed = sqrt(def.young / (2 * (1 + def.poisson)) / def.density), sum = 0;
  check_at_most(s.omega[5] * radius / speed, 1e-3);  // six rigid motions
  for (int32_t k = 6; k < 11; ++k) {
    const double *u = s.modes + 3 * (ptrdiff_t)view.point_count * k;
    double radial = 0, all = 0;
    for (int32_t i = 1; i < view.point_count; ++i) {
      pl_vec3 v = {u[3 * i], u[3 * i + 1], u[3 * i + 2]};
      double along = pl_vec3_dot(v, unit(view.points[i]));
      radial += along * along;
      all += pl_vec3_dot(v, v);
    }
    check_at_most(radial / all, 0.01);
    sum += s.omega[k] * radius / speed;
  }
  print_message("ball of %d tets: five toroidal modes at %.5f (%.5f … %.5f), Lamb 2.50113 (%+.2f %%)\n", view.tet_count,
                sum / 5, s.omega[6] * radius / speed, s.omega[10] * radius / speed,
                100 * (sum / 5 / 2.50113262041 - 1));
  free(s.modes);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  return sum / 5;
}

static void a_ball_twists_as_lamb_says(void **state) {
  (void)state;
  if (!pl_eigen_is_available()) skip();
  pl_context *context = make_context(1);
  double coarse = find_toroidal(context, 1, 2), middle = find_toroidal(context, 2, 4),
         fine = find_toroidal(context, 3, 8);
  double order = log2((coarse - middle) / (middle - fine));
  print_message("ball: order %.2f, extrapolated %.5f\n", order, fine - (middle - fine) / 3);
  assert_true(order > 1.5);
  check_near(fine, 2.50113262041, 0.02 * 2.50113262041);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cantilever_vibrates_as_timoshenko_says),
      cmocka_unit_test(a_cantilever_of_square_section_tends_to_timoshenko),
      cmocka_unit_test(a_ball_twists_as_lamb_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
