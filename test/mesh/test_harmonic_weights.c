// Harmonic coordinates: their three properties on cages of all kinds, closed forms, and relaxation on a grid as a
// second opinion.
// ctest: unit threads
#include "mesh/harmonic_weights.h"

#include "fixtures/mesh_samples.h"

typedef struct polygon {
  int32_t count;
  pl_vec3 points[16];
} polygon;

static pl_mesh *polygon_cage(pl_context *context, const polygon *p) {
  int32_t segments[32];
  for (int32_t i = 0; i < p->count; ++i) {
    segments[2 * i] = i;
    segments[2 * i + 1] = (i + 1) % p->count;
  }
  return sample_of_view(
      context,
      (pl_mesh_view){.point_count = p->count, .points = p->points, .segment_count = p->count, .segments = segments});
}

static const polygon SQUARE = {4, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}};
static const polygon ANGLE = {6, {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}}};
static const polygon STAR = {
    8,
    {{3, 0, 1}, {0.9, 0.8, 1}, {0.1, 2.5, 1}, {-1, 1, 1}, {-3.2, 0.1, 1}, {-0.8, -1, 1}, {0, -2.7, 1}, {1.1, -0.7, 1}}};

static pl_mesh *box_surface(pl_context *context, pl_vec3 size, int32_t cells) {
  pl_error error = {0};
  pl_mesh *tets = sample_box(context, size, cells, cells, cells), *surface = NULL;
  check_ok(pl_mesh_build_boundary(context, tets, &surface, NULL, &error), &error);
  pl_mesh_destroy(tets);
  return surface;
}

static pl_harmonic_weights *weights_of(pl_context *context, const pl_mesh *cage, const pl_vec3 *points, int32_t count,
                                       int32_t nodes) {
  pl_error error = {0};
  pl_harmonic_weights *weights = NULL;
  pl_harmonic_report report = {0};
  check_ok(pl_harmonic_build(context, cage, points, count, nodes, &weights, &report, &error), &error);
  check_at_most(report.worst_residual, 1e-11);
  check_at_most(report.max_linear_error, 1e-7);
  return weights;
}

static double weight_of(const pl_harmonic_view *view, int32_t point, int32_t column) {
  for (int32_t k = view->start[point]; k < view->start[point + 1]; ++k)
    if (view->columns[k] == column) return view->values[k];
  return 0;
}

// Positive, sum 1, mean of the cage is the point; and any affine map of the cage maps the points.
static void check_properties(const pl_mesh *cage, const pl_vec3 *points, const pl_harmonic_weights *weights) {
  pl_mesh_view mesh = pl_mesh_get_view(cage);
  pl_harmonic_view view = pl_harmonic_get_view(weights);
  double size = pl_box_diagonal(pl_box_from_points(mesh.points, mesh.point_count));
  pl_vec3 *moved = malloc((size_t)mesh.point_count * sizeof *moved),
          *result = malloc((size_t)view.point_count * sizeof *result);
  const double m[3][3] = {{0.3, -1.2, 0.1}, {0.9, 0.4, -0.2}, {0.5, 0.1, 1.3}};
  assert_int_equal(view.cage_point_count, mesh.point_count);
  for (int32_t i = 0; i < view.point_count; ++i) {
    double sum = 0;
    pl_vec3 mean = {0, 0, 0};
    for (int32_t k = view.start[i]; k < view.start[i + 1]; ++k) {
      assert_true(view.values[k] > 0 && view.columns[k] < mesh.point_count);
      assert_true(k == view.start[i] || view.columns[k] > view.columns[k - 1]);
      sum += view.values[k];
      mean = pl_vec3_add_scaled(mean, mesh.points[view.columns[k]], view.values[k]);
    }
    check_near(sum, 1, 1e-9);
    check_at_most(pl_vec3_distance(mean, points[i]), 1e-7 * size);
  }
  for (int32_t i = 0; i < mesh.point_count; ++i) {
    pl_vec3 p = mesh.points[i];
    moved[i] =
        pl_vec3_of(m[0][0] * p.x + m[0][1] * p.y + m[0][2] * p.z + 5, m[1][0] * p.x + m[1][1] * p.y + m[1][2] * p.z - 2,
                   m[2][0] * p.x + m[2][1] * p.y + m[2][2] * p.z + 1);
  }
  pl_harmonic_apply(weights, moved, result);
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_vec3 p = points[i];
    pl_vec3 expected =
        pl_vec3_of(m[0][0] * p.x + m[0][1] * p.y + m[0][2] * p.z + 5, m[1][0] * p.x + m[1][1] * p.y + m[1][2] * p.z - 2,
                   m[2][0] * p.x + m[2][1] * p.y + m[2][2] * p.z + 1);
    check_at_most(pl_vec3_distance(result[i], expected), 1e-6 * size);
  }
  free(moved);
  free(result);
}

static void bilinear_weights_in_a_square_are_exact(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *cage = polygon_cage(context, &SQUARE);
  pl_random random = pl_random_of_seed(3);
  pl_vec3 points[200];
  for (int32_t i = 0; i < 200; ++i)
    points[i] = pl_vec3_of(pl_random_between(&random, 0, 1), pl_random_between(&random, 0, 1), 0);
  pl_harmonic_weights *weights = weights_of(context, cage, points, 200, 300);
  pl_harmonic_view view = pl_harmonic_get_view(weights);
  for (int32_t i = 0; i < 200; ++i) {
    double x = points[i].x, y = points[i].y;
    check_near(weight_of(&view, i, 0), (1 - x) * (1 - y), 1e-9);
    check_near(weight_of(&view, i, 1), x * (1 - y), 1e-9);
    check_near(weight_of(&view, i, 2), x * y, 1e-9);
    check_near(weight_of(&view, i, 3), (1 - x) * y, 1e-9);
  }
  check_properties(cage, points, weights);
  pl_harmonic_destroy(weights);
  pl_mesh_destroy(cage);
  drop_context(context);
}

// Largest error in a square turned by an angle that suits no grid.
static double turned_error(pl_context *context, int32_t node_count) {
  const double c = cos(0.4), s = sin(0.4);
  polygon turned = {.count = 4};
  for (int32_t i = 0; i < 4; ++i) {
    pl_vec3 p = SQUARE.points[i];
    turned.points[i] = pl_vec3_of(c * p.x - s * p.y, s * p.x + c * p.y, 0);
  }
  pl_mesh *cage = polygon_cage(context, &turned);
  pl_vec3 points[400];
  for (int32_t i = 0; i < 400; ++i) {
    double x = 0.5 / 20 + i % 20 / 20.0, y = 0.5 / 20 + i / 20 / 20.0;
    points[i] = pl_vec3_of(c * x - s * y, s * x + c * y, 0);
  }
  pl_harmonic_weights *weights = weights_of(context, cage, points, 400, node_count);
  check_properties(cage, points, weights);
  pl_harmonic_view view = pl_harmonic_get_view(weights);
  double worst = 0;
  for (int32_t i = 0; i < 400; ++i) {
    double x = 0.5 / 20 + i % 20 / 20.0, y = 0.5 / 20 + i / 20 / 20.0;
    worst = fmax(worst, fabs(weight_of(&view, i, 2) - x * y));
  }
  pl_harmonic_destroy(weights);
  pl_mesh_destroy(cage);
  return worst;
}

static void the_error_in_a_turned_square_falls_with_the_square_of_the_spacing(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  double coarse = turned_error(context, 400), fine = turned_error(context, 6400);
  check_at_most(coarse, 4e-3);
  check_at_most(fine, coarse / 9);
  drop_context(context);
}

// Gauss-Seidel relaxation in the angle on an aligned grid: the values of vertex 3, at the corner that turns inward.
static void weights_in_an_angle_match_relaxation(void **state) {
  (void)state;
  enum { CELLS = 32, LINE = 2 * CELLS + 1 };
  static double u[LINE][LINE];
  for (int32_t i = 0; i <= CELLS; ++i) u[CELLS][CELLS + i] = u[CELLS + i][CELLS] = 1 - (double)i / CELLS;
  for (int32_t round = 0; round < 600; ++round)
    for (int32_t y = 1; y < LINE - 1; ++y)
      for (int32_t x = 1; x < LINE - 1; ++x) {
        if (x >= CELLS && y >= CELLS) continue;
        u[y][x] += 1.9 * (0.25 * (u[y - 1][x] + u[y + 1][x] + u[y][x - 1] + u[y][x + 1]) - u[y][x]);
      }
  pl_context *context = make_context(1);
  pl_mesh *cage = polygon_cage(context, &ANGLE);
  pl_vec3 points[LINE * LINE];
  int32_t count = 0;
  double expected[LINE * LINE];
  for (int32_t y = 0; y < LINE; y += 4)
    for (int32_t x = 0; x < LINE; x += 4) {
      if (x > CELLS && y > CELLS) continue;
      expected[count] = u[y][x];
      points[count++] = pl_vec3_of((double)x / CELLS, (double)y / CELLS, 0);
    }
  pl_harmonic_weights *weights = weights_of(context, cage, points, count, 5000);
  pl_harmonic_view view = pl_harmonic_get_view(weights);
  for (int32_t i = 0; i < count; ++i) check_near(weight_of(&view, i, 3), expected[i], 4e-3);
  check_properties(cage, points, weights);
  pl_harmonic_destroy(weights);
  pl_mesh_destroy(cage);
  drop_context(context);
}

// Value of vertex `column` at a place on a box of triangles, by trying all of them.
static double value_on_faces(const pl_mesh_view *cage, int32_t column, pl_vec3 p) {
  for (int32_t t = 0; t < cage->triangle_count; ++t) {
    const int32_t *at = &cage->triangles[3 * t];
    pl_vec3 a = cage->points[at[0]], b = cage->points[at[1]], c = cage->points[at[2]];
    pl_vec3 normal = pl_vec3_cross(pl_vec3_sub(b, a), pl_vec3_sub(c, a));
    double area = pl_vec3_dot(normal, normal);
    if (fabs(pl_vec3_dot(pl_vec3_sub(p, a), normal)) > 1e-9) continue;
    double wb = pl_vec3_dot(pl_vec3_cross(pl_vec3_sub(p, a), pl_vec3_sub(c, a)), normal) / area;
    double wc = pl_vec3_dot(pl_vec3_cross(pl_vec3_sub(b, a), pl_vec3_sub(p, a)), normal) / area, wa = 1 - wb - wc;
    if (wa < -1e-9 || wb < -1e-9 || wc < -1e-9) continue;
    return at[0] == column ? wa : at[1] == column ? wb : at[2] == column ? wc : 0;
  }
  fail_msg("not on the faces");
  return 0;
}

static void weights_in_a_cube_match_relaxation(void **state) {
  (void)state;
  enum { CELLS = 24, LINE = CELLS + 1, DEEP = 5 };
  static double u[LINE][LINE][LINE];
  pl_context *context = make_context(1);
  pl_mesh *cage = box_surface(context, pl_vec3_of(1, 1, 1), 1);
  pl_mesh_view mesh = pl_mesh_get_view(cage);
  static pl_vec3 points[LINE * LINE * LINE];
  for (int32_t i = 0; i < LINE * LINE * LINE; ++i) {
    int32_t x = i % LINE, y = i / LINE % LINE, z = i / LINE / LINE;
    points[i] = pl_vec3_of((double)x / CELLS - 0.5, (double)y / CELLS - 0.5, (double)z / CELLS - 0.5);
    bool is_inside = x > 0 && y > 0 && z > 0 && x < CELLS && y < CELLS && z < CELLS;
    u[z][y][x] = is_inside ? 0 : value_on_faces(&mesh, 2, points[i]);
  }
  for (int32_t round = 0; round < 120; ++round)
    for (int32_t z = 1; z < CELLS; ++z)
      for (int32_t y = 1; y < CELLS; ++y)
        for (int32_t x = 1; x < CELLS; ++x) {
          double sum =
              u[z][y][x - 1] + u[z][y][x + 1] + u[z][y - 1][x] + u[z][y + 1][x] + u[z - 1][y][x] + u[z + 1][y][x];
          u[z][y][x] += 1.75 * (sum / 6 - u[z][y][x]);
        }
  pl_harmonic_weights *weights = weights_of(context, cage, points, LINE * LINE * LINE, 8000);
  pl_harmonic_view view = pl_harmonic_get_view(weights);
  // Faces are cut in two triangles, across which the values have a kink: next to it both grids are exact to first order
  // only.
  for (int32_t i = 0; i < LINE * LINE * LINE; ++i) {
    int32_t x = i % LINE, y = i / LINE % LINE, z = i / LINE / LINE;
    bool is_deep = abs(2 * x - CELLS) <= CELLS - 2 * DEEP && abs(2 * y - CELLS) <= CELLS - 2 * DEEP &&
                   abs(2 * z - CELLS) <= CELLS - 2 * DEEP;
    check_near(weight_of(&view, i, 2), u[z][y][x], is_deep ? 1e-3 : 6e-3);
  }
  check_properties(cage, points, weights);
  pl_harmonic_destroy(weights);
  pl_mesh_destroy(cage);
  drop_context(context);
}

static void on_the_cage_values_are_linear_between_its_vertices(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *cages[2] = {polygon_cage(context, &STAR), sample_sphere(context, 4)};
  for (int32_t c = 0; c < 2; ++c) {
    pl_mesh_view mesh = pl_mesh_get_view(cages[c]);
    int32_t width = c == 0 ? 2 : 3, face_count = c == 0 ? mesh.segment_count : mesh.triangle_count, count = 0;
    const int32_t *faces = c == 0 ? mesh.segments : mesh.triangles;
    pl_vec3 points[256];
    assert_true(mesh.point_count + face_count <= 256);
    for (int32_t i = 0; i < mesh.point_count; ++i) points[count++] = mesh.points[i];
    for (int32_t i = 0; i < face_count; ++i)
      points[count++] = pl_vec3_lerp(mesh.points[faces[width * i]], mesh.points[faces[width * i + 1]], 0.25);
    pl_harmonic_weights *weights = weights_of(context, cages[c], points, count, 300);
    pl_harmonic_view view = pl_harmonic_get_view(weights);
    for (int32_t i = 0; i < mesh.point_count; ++i) check_near(weight_of(&view, i, i), 1, 1e-8);
    for (int32_t i = 0; i < face_count; ++i) {
      check_near(weight_of(&view, mesh.point_count + i, faces[width * i]), 0.75, 1e-8);
      check_near(weight_of(&view, mesh.point_count + i, faces[width * i + 1]), 0.25, 1e-8);
    }
    check_properties(cages[c], points, weights);
    pl_harmonic_destroy(weights);
    pl_mesh_destroy(cages[c]);
  }
  drop_context(context);
}

static void points_at_any_distance_from_the_cage_keep_the_properties(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  pl_mesh *cages[3] = {polygon_cage(context, &STAR), sample_sphere(context, 4),
                       box_surface(context, pl_vec3_of(1, 0.3, 2), 2)};
  pl_random random = pl_random_of_seed(11);
  for (int32_t c = 0; c < 3; ++c) {
    pl_mesh_view mesh = pl_mesh_get_view(cages[c]);
    pl_vec3 points[300], center = c == 0 ? pl_vec3_of(0, 0, 1) : pl_vec3_of(0, 0, 0);
    // Every one of these cages is seen whole from its centre: a place on it, drawn towards the centre by 1e-10 to 1.
    for (int32_t i = 0; i < 300; ++i) {
      int32_t width = c == 0 ? 2 : 3, face = i % (c == 0 ? mesh.segment_count : mesh.triangle_count);
      const int32_t *at = c == 0 ? &mesh.segments[2 * face] : &mesh.triangles[3 * face];
      pl_vec3 on = pl_vec3_lerp(mesh.points[at[0]], mesh.points[at[1]], pl_random_between(&random, 0, 1));
      if (width == 3) on = pl_vec3_lerp(on, mesh.points[at[2]], pl_random_between(&random, 0, 1));
      points[i] = pl_vec3_lerp(on, center, pow(10, pl_random_between(&random, -10, 0)));
    }
    pl_harmonic_weights *weights = weights_of(context, cages[c], points, 300, 1000);
    check_properties(cages[c], points, weights);
    pl_harmonic_destroy(weights);
    pl_mesh_destroy(cages[c]);
  }
  drop_context(context);
}

static pl_mesh *flat_ring(pl_context *context) {
  enum { AROUND = 48 };
  pl_vec3 points[2 * AROUND];
  int32_t triangles[6 * AROUND];
  for (int32_t i = 0; i < AROUND; ++i) {
    double angle = 2 * PL_PI * i / AROUND;
    int32_t next = (i + 1) % AROUND;
    points[i] = pl_vec3_of(1.5 * cos(angle) + 3, sin(angle), 0.25);
    points[AROUND + i] = pl_vec3_of(1.9 * cos(angle) + 3, 1.3 * sin(angle), 0.25);
    const int32_t both[6] = {i, AROUND + i, AROUND + next, i, AROUND + next, next};
    memcpy(&triangles[6 * i], both, sizeof both);
  }
  return sample_of_view(
      context, (pl_mesh_view){
                   .point_count = 2 * AROUND, .points = points, .triangle_count = 2 * AROUND, .triangles = triangles});
}

static void built_cages_enclose_their_bodies(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *bodies[3] = {flat_ring(context), sample_sphere(context, 8),
                        sample_box(context, pl_vec3_of(1, 2, 0.5), 3, 4, 2)};
  for (int32_t c = 0; c < 3; ++c)
    for (int32_t target = 12; target <= 60; target *= 5) {
      pl_mesh_view body = pl_mesh_get_view(bodies[c]);
      pl_mesh *cage = NULL;
      check_ok(pl_cage_build(context, bodies[c], target, &cage, &error), &error);
      pl_mesh_view mesh = pl_mesh_get_view(cage);
      assert_true(mesh.point_count >= 4 && mesh.point_count <= 3 * target);
      if (c == 0) assert_in_range(mesh.point_count, target / 2, 2 * target);
      assert_int_equal(mesh.triangle_count > 0, c > 0);
      pl_harmonic_weights *weights = weights_of(context, cage, body.points, body.point_count, 700);
      check_properties(cage, body.points, weights);
      pl_harmonic_destroy(weights);
      pl_mesh_destroy(cage);
    }
  for (int32_t c = 0; c < 3; ++c) pl_mesh_destroy(bodies[c]);
  drop_context(context);
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
  (void)state;
  pl_context *contexts[2] = {make_context(1), make_context(3)};
  pl_mesh *cages[2];
  pl_harmonic_weights *weights[2];
  pl_harmonic_view views[2];
  const pl_vec3 points[3] = {{0, 0.1, 0.2}, {0.5, -0.3, 0.1}, {-0.2, 0.2, -0.7}};
  for (int32_t i = 0; i < 2; ++i) {
    cages[i] = sample_sphere(contexts[i], 4);
    weights[i] = weights_of(contexts[i], cages[i], points, 3, 4000);
    views[i] = pl_harmonic_get_view(weights[i]);
  }
  assert_int_equal(views[0].value_count, views[1].value_count);
  assert_memory_equal(views[0].values, views[1].values, (size_t)views[0].value_count * sizeof(double));
  assert_memory_equal(views[0].columns, views[1].columns, (size_t)views[0].value_count * sizeof(int32_t));
  for (int32_t i = 0; i < 2; ++i) {
    pl_harmonic_destroy(weights[i]);
    pl_mesh_destroy(cages[i]);
    drop_context(contexts[i]);
  }
}

static void refuse(pl_context *context, pl_mesh *cage, pl_vec3 point, const char *part) {
  const pl_vec3 points[2] = {{0.5, 0.5, 0}, point};
  pl_harmonic_weights *weights = (pl_harmonic_weights *)&weights;
  pl_error error = {0};
  assert_int_equal(pl_harmonic_build(context, cage, points, 2, 100, &weights, NULL, &error), PL_ERROR_INVALID_DATA);
  assert_null(weights);
  if (strstr(error.text, part) == NULL) fail_msg("'%s' does not say '%s'", error.text, part);
  pl_mesh_destroy(cage);
}

static void unfit_cages_and_points_are_refused_by_name(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const pl_vec3 fine = {0.2, 0.2, 0};
  const int32_t open[4] = {0, 1, 1, 2}, one[3] = {0, 1, 3};
  const pl_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 1}}, line[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  const int32_t around[6] = {0, 1, 1, 2, 2, 0};
  refuse(context, polygon_cage(context, &SQUARE), pl_vec3_of(1.5, 0.5, 0), "does not enclose point 1");
  refuse(context, polygon_cage(context, &SQUARE), pl_vec3_of(0.5, 0.5, 0.1), "point 1");
  refuse(context, polygon_cage(context, &SQUARE), pl_vec3_of((double)NAN, 0.5, 0), "point 1 is not finite");
  refuse(context, box_surface(context, pl_vec3_of(2, 2, 2), 1), pl_vec3_of(0, 0, 1.2), "does not enclose point 1");
  refuse(context,
         sample_of_view(
             context, (pl_mesh_view){.point_count = 3, .points = SQUARE.points, .segment_count = 2, .segments = open}),
         fine, "open at its point 0");
  refuse(context,
         sample_of_view(context,
                        (pl_mesh_view){.point_count = 4, .points = corners, .triangle_count = 1, .triangles = one}),
         fine, "3 open edges");
  refuse(context, sample_of_view(context, (pl_mesh_view){.point_count = 4, .points = corners}), fine, "neither");
  refuse(
      context,
      sample_of_view(context, (pl_mesh_view){.point_count = 3, .points = line, .segment_count = 3, .segments = around}),
      fine, "encloses nothing");
  drop_context(context);
}

static void running_out_of_memory_anywhere_leaks_nothing(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_mesh *bodies[2] = {flat_ring(context), sample_sphere(context, 3)};
  int64_t live = allocator.live_count;
  for (int32_t c = 0; c < 2; ++c) {
    pl_mesh_view body = pl_mesh_get_view(bodies[c]);
    bool done = false;
    for (int64_t n = 1; !done; ++n) {
      pl_mesh *cage = NULL;
      pl_harmonic_weights *weights = NULL;
      pl_error error = {0};
      allocator.call_count = 0;
      allocator.fail_at = n;
      pl_status status = pl_cage_build(context, bodies[c], 8, &cage, &error);
      assert_int_equal(status < 0, cage == NULL);
      if (status >= 0) {
        status = pl_harmonic_build(context, cage, body.points, body.point_count, 60, &weights, NULL, &error);
        assert_int_equal(status < 0, weights == NULL);
      }
      assert_true(status == PL_OK || status == PL_ERROR_OUT_OF_MEMORY);
      done = allocator.call_count < n;
      if (done) assert_int_equal(status, PL_OK);
      if (!done) assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
      pl_harmonic_destroy(weights);
      pl_mesh_destroy(cage);
      assert_int_equal(allocator.live_count, live);
    }
    allocator.fail_at = 0;
  }
  for (int32_t c = 0; c < 2; ++c) pl_mesh_destroy(bodies[c]);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bilinear_weights_in_a_square_are_exact),
      cmocka_unit_test(the_error_in_a_turned_square_falls_with_the_square_of_the_spacing),
      cmocka_unit_test(weights_in_an_angle_match_relaxation),
      cmocka_unit_test(weights_in_a_cube_match_relaxation),
      cmocka_unit_test(on_the_cage_values_are_linear_between_its_vertices),
      cmocka_unit_test(points_at_any_distance_from_the_cage_keep_the_properties),
      cmocka_unit_test(built_cages_enclose_their_bodies),
      cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
      cmocka_unit_test(unfit_cages_and_points_are_refused_by_name),
      cmocka_unit_test(running_out_of_memory_anywhere_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
