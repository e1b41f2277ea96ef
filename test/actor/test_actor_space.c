// Spaces of rest shapes: what p = 0 and p = 1 are, what rotations of examples change, what cages reproduce, what a rest
// shape costs, and what is refused.
// ctest: unit
#include "actor/actor_space_parts.h"
#include "fixtures/rest_spaces.h"
#include "mesh/harmonic_weights.h"

static double mixture_energy(rest_subject *s, const double *p, int32_t pose) {
  double *x = PL_TAKE(&s->arena, double, s->n);
  use_rest(s, p);
  for (int32_t i = 0; i < s->n / 3; ++i) pl_fem_put(x, i, s->poses[pose].points[i]);
  return pl_fem_system_evaluate(&s->system, x, NULL, NULL, false) * s->space->strain_scale;
}

// --- examples -----------------------------------------------------------------------------------------------------

static void an_example_alone_is_stress_free_in_its_pose(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (size_t m = 0; m < sizeof rest_materials / sizeof *rest_materials; ++m) {
    rest_subject s = make_rest_subject(context, rest_materials[m], PL_REST_EXAMPLES);
    assert_int_equal(s.size, REST_EXAMPLES);
    for (int32_t k = 0; k < REST_EXAMPLES; ++k) {
      double p[REST_EXAMPLES] = {0};
      double before = mixture_energy(&s, p, k);
      p[k] = 1;
      check_at_most(mixture_energy(&s, p, k), 1e-22);
      assert_true(before > 1e-4);
    }
    drop_rest_subject(&s);
  }
  drop_context(context);
}

static void no_example_at_all_is_the_rest_shape_to_the_bit(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (size_t m = 0; m < sizeof rest_materials / sizeof *rest_materials; ++m) {
    rest_subject s = make_rest_subject(context, rest_materials[m], PL_REST_EXAMPLES);
    const double p[REST_EXAMPLES] = {0};
    double *points = PL_TAKE(&s.arena, double, s.n);
    pl_rest_space_shape(s.space, p, s.rest);
    for (int32_t g = 0; g < s.fem->group_count; ++g) {
      const pl_fem_group *group = &s.fem->groups[g];
      assert_memory_equal(s.rest[g], group->starts,
                          3 * (size_t)(group->corner_count * group->element_count) * sizeof(double));
    }
    pl_rest_space_points(s.space, p, points);
    assert_memory_equal(points, s.fem->rest_points, (size_t)s.n * sizeof(double));
    drop_rest_subject(&s);
  }
  drop_context(context);
}

static void turning_and_moving_an_example_changes_nothing(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (size_t m = 0; m < sizeof rest_materials / sizeof *rest_materials; ++m) {
    rest_subject s = make_rest_subject(context, rest_materials[m], PL_REST_EXAMPLES);
    const double p[REST_EXAMPLES] = {0.3, 0.4, 0.2};
    double *other[PL_FEM_MAX_GROUPS];
    for (int32_t g = 0; g < s.fem->group_count; ++g)
      other[g] =
          PL_TAKE(&s.arena, double, 3 * (size_t)(s.fem->groups[g].corner_count * s.fem->groups[g].element_count));
    pl_rest_space_shape(s.space, p, s.rest);
    pl_vec3 axis =
        s.fem->planar ? pl_vec3_of(0, 0, 1) : pl_vec3_normalize_or(pl_vec3_of(-1, 0.3, 2), pl_vec3_of(1, 0, 0));
    for (int32_t k = 0; k < REST_EXAMPLES; ++k) {
      pl_vec3 *turned = PL_TAKE(&s.arena, pl_vec3, s.n / 3);
      for (int32_t i = 0; i < s.n / 3; ++i)
        turned[i] = pl_vec3_add(turn_about(s.poses[k].points[i], axis, 2.8), pl_vec3_of(5, -3, s.fem->planar ? 0 : 2));
      s.poses[k].points = turned;
    }
    pl_rest_space *space = NULL;
    pl_error error = {0};
    check_ok(pl_rest_space_build(context, &s.def, s.fem, s.mesh, &space, &error), &error);
    pl_rest_space_shape(space, p, other);
    for (int32_t g = 0; g < s.fem->group_count; ++g)
      for (int32_t i = 0; i < 3 * s.fem->groups[g].corner_count * s.fem->groups[g].element_count; ++i)
        check_near(other[g][i], s.rest[g][i], 1e-12);
    pl_rest_space_destroy(space);
    drop_rest_subject(&s);
  }
  drop_context(context);
}

static void a_local_example_is_stored_only_where_it_differs(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  rest_subject s = make_rest_subject(context, PL_FEM_EDGES, PL_REST_EXAMPLES);
  const pl_loose_group *loose = &s.space->loose[0];
  const pl_fem_group *group = &s.fem->groups[0];
  int32_t last = s.n / 3 - 1, around = 0, stored = 0;
  for (int32_t e = 0; e < group->element_count; ++e) {
    for (int k = 0; k < 4; ++k) around += group->corners[4 * e + k] == last;
    for (int32_t k = loose->start[e]; k < loose->start[e + 1]; ++k) stored += loose->columns[k] == 2;
  }
  assert_true(around > 0 && around < group->element_count);
  assert_int_equal(stored, around);
  drop_rest_subject(&s);
  drop_context(context);
}

// A hinge that is folded from one side to the other: the mixture's angle goes through all between, evenly on both sides
// of flat.
static void a_hinge_passes_through_flat_on_its_way_to_the_other_side(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  const int32_t triangles[] = {0, 1, 2, 1, 0, 3};
  pl_vec3 up[4] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0, 0}, {0.5, 0, 0}}, down[4];
  memcpy(down, up, sizeof up);
  double angle = 1.2;
  for (int side = 0; side < 2; ++side) {
    double y = side == 0 ? cos(angle / 2) : -cos(angle / 2);
    up[2 + side] = pl_vec3_of(0.5, y, sin(angle / 2));
    down[2 + side] = pl_vec3_of(0.5, y, -sin(angle / 2));
  }
  pl_mesh_view view = {.point_count = 4, .points = up, .triangle_count = 2, .triangles = triangles};
  rest_subject s = {.context = context};
  check_ok(pl_mesh_create(context, &view, &s.mesh, &error), &error);
  pl_fem_def def = pl_default_fem_def(PL_FEM_SHELL);
  check_ok(pl_fem_build(context, &def, s.mesh, &s.model, &error), &error);
  s.fem = (const pl_fem_model *)s.model;
  pl_arena_init(&s.arena, context, 0);
  for (int32_t g = 0; g < s.fem->group_count; ++g)
    s.rest[g] = PL_TAKE(&s.arena, double, 3 * (size_t)(s.fem->groups[g].corner_count * s.fem->groups[g].element_count));
  pl_mesh_pose pose = {"down", down};
  pl_actor_def actor = pl_default_actor_def();
  actor.rest = PL_REST_EXAMPLES;
  actor.examples = &pose;
  actor.example_count = 1;
  actor.regularisation = actor.rate_regularisation = actor.hull_penalty = 0;
  check_ok(pl_rest_space_build(context, &actor, s.fem, s.mesh, &s.space, &error), &error);
  double last = 0;
  for (int k = 0; k <= 10; ++k) {
    double weight = k / 10.0, height;
    pl_rest_space_shape(s.space, &weight, s.rest);
    const double *X = s.rest[2];
    height = 0.5 * (X[8] + X[11]) - 0.5 * (X[2] + X[5]);  // of the wings over the edge
    if (k == 0) assert_true(height > 0.5);
    if (k == 5) check_near(height, 0, 1e-12);
    if (k > 0) assert_true(height < last);
    last = height;
  }
  check_near(last, -sin(angle / 2), 1e-12);
  drop_rest_subject(&s);
  drop_context(context);
}

// --- whole spaces -------------------------------------------------------------------------------------------------

static void cages_reproduce_linear_maps(void **state) {
  (void)state;
  const pl_fem_material materials[] = {PL_FEM_EDGES, PL_FEM_PLANE, PL_FEM_SHELL};
  pl_context *context = make_context(1);
  for (size_t m = 0; m < 3; ++m) {
    rest_subject s = make_rest_body(context, materials[m]);
    pl_error error = {0};
    pl_mesh *cage = NULL;
    s.def = make_rest_def(&s, PL_REST_CAGE);
    if (materials[m] == PL_FEM_SHELL) {  // a box around the strip
      check_ok(pl_mesh_create_box(context, (pl_vec3){3, 3, 3}, (const int32_t[3]){1, 1, 1}, &cage, &error), &error);
      pl_mesh *surface = NULL;
      check_ok(pl_mesh_build_boundary(context, cage, &surface, NULL, &error), &error);
      pl_mesh_destroy(cage);
      cage = surface;
    } else {
      check_ok(pl_cage_build(context, s.mesh, 12, &cage, &error), &error);
    }
    s.def.cage = cage;
    check_ok(pl_rest_space_build(context, &s.def, s.fem, s.mesh, &s.space, &error), &error);
    pl_mesh_view view = pl_mesh_get_view(cage);
    s.size = pl_rest_space_size(s.space);
    int32_t axes = s.fem->planar ? 2 : 3;
    assert_int_equal(s.size, axes * view.point_count);
    // p = A c + t moves every point by A x + t: the coordinates sum to 1 and have the mean that they should.
    const double A[3][3] = {{0.2, -0.3, 0.1}, {0.05, 0.4, -0.2}, {0.3, 0.1, -0.1}}, t[3] = {0.7, -0.2, 0.4};
    double *p = PL_TAKE(&s.arena, double, s.size), *points = PL_TAKE(&s.arena, double, s.n);
    for (int32_t v = 0; v < view.point_count; ++v)
      for (int b = 0; b < axes; ++b)
        p[axes * v + b] = A[b][0] * view.points[v].x + A[b][1] * view.points[v].y + A[b][2] * view.points[v].z + t[b];
    pl_rest_space_points(s.space, p, points);
    const double *X = s.fem->rest_points;
    for (int32_t i = 0; i < s.n / 3; ++i)
      for (int b = 0; b < 3; ++b) {
        double moved = b < axes ? A[b][0] * X[3 * i] + A[b][1] * X[3 * i + 1] + A[b][2] * X[3 * i + 2] + t[b] : 0;
        check_near(points[3 * i + b], X[3 * i + b] + moved, 1e-6);
      }
    pl_mesh_destroy(cage);
    drop_rest_subject(&s);
  }
  drop_context(context);
}

static void free_bodies_in_a_plane_have_two_parameters_a_point(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  rest_subject s = make_rest_subject(context, PL_FEM_PLANE, PL_REST_FREE),
               t = make_rest_subject(context, PL_FEM_SHELL, PL_REST_FREE);
  assert_int_equal(s.size, 2 * 6);
  assert_int_equal(t.size, 3 * 6);
  double p[12] = {0}, points[18];
  p[2 * 4 + 1] = 0.25;
  pl_rest_space_points(s.space, p, points);
  for (int i = 0; i < 18; ++i) check_near(points[i], s.fem->rest_points[i] + (i == 3 * 4 + 1 ? 0.25 : 0), 0);
  pl_rest_space_shape(s.space, p, s.rest);
  const pl_fem_group *group = &s.fem->groups[0];
  for (int32_t k = 0; k < 3 * group->element_count; ++k)
    check_near(s.rest[0][3 * k + 1], points[3 * group->corners[k] + 1], 0);
  drop_rest_subject(&s);
  drop_rest_subject(&t);
  drop_context(context);
}

static void modes_of_amplitude_one_strain_by_a_tenth(void **state) {
  (void)state;
  if (!pl_eigen_is_available()) skip();
  pl_context *context = make_context(1);
  for (size_t m = 0; m < sizeof rest_materials / sizeof *rest_materials; ++m) {
    rest_subject s = make_rest_body(context, rest_materials[m]);
    pl_error error = {0};
    s.def = make_rest_def(&s, PL_REST_MODES);
    s.def.volume_regularisation = s.def.bend_regularisation = 1;
    check_ok(pl_rest_space_build(context, &s.def, s.fem, s.mesh, &s.space, &error), &error);
    assert_int_equal(pl_rest_space_size(s.space), 4);
    const double zero[4] = {0};
    for (int k = 0; k < 4; ++k) {
      double p[4] = {0}, points[36];
      p[k] = 1;
      // Where a stiffness of the material is below 0, the regulariser takes it as 0 and finds a little more.
      check_near(pl_rest_space_strain(s.space, p, zero), 0.1, rest_materials[m] == PL_FEM_SHELL ? 0.03 : 1e-6);
      pl_rest_space_points(s.space, p, points);
      for (int32_t i = 2; s.fem->planar && i < s.n; i += 3) check_near(points[i], s.fem->rest_points[i], 0);
    }
    drop_rest_subject(&s);
  }
  drop_context(context);
}

// --- costs --------------------------------------------------------------------------------------------------------

// Of a curve that is bent without being stretched all the cost is bending.
static void bending_of_a_curve_costs_its_factor(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  double costs[2];
  for (int k = 0; k < 2; ++k) {
    rest_subject s = make_rest_body(context, PL_FEM_CURVE);
    pl_error error = {0};
    s.def = make_rest_def(&s, PL_REST_FREE);
    s.def.max_strain = 0;
    s.def.bend_regularisation = k == 0 ? 1 : 7;
    check_ok(pl_rest_space_build(context, &s.def, s.fem, s.mesh, &s.space, &error), &error);
    int32_t size = pl_rest_space_size(s.space);
    double *p = PL_TAKE(&s.arena, double, size);
    // The points after one of the middle turn about it.
    const double *points = s.fem->rest_points, angle = 0.2;
    int32_t middle = s.n / 6;
    for (int32_t i = middle + 1; i < s.n / 3; ++i) {
      double x = points[3 * i] - points[3 * middle], y = points[3 * i + 1] - points[3 * middle + 1];
      p[2 * i] = x * (cos(angle) - 1) - y * sin(angle);
      p[2 * i + 1] = x * sin(angle) + y * (cos(angle) - 1);
    }
    costs[k] = pl_rest_space_regularise(s.space, p, p, NULL, NULL);
    drop_rest_subject(&s);
  }
  assert_true(costs[0] > 0);
  check_near(costs[1] / costs[0], 7, 1e-6);
  drop_context(context);
}

// Stretching along x alone by ε costs (λ + 2μ) ε² in units of Young's modulus; `factor` times the bulk modulus adds
// (factor - 1) times that modulus.
static void a_strained_rest_shape_costs_its_squared_strain(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int plane = 0; plane < 2; ++plane)
    for (int factor = 1; factor <= 3; factor += 2) {
      rest_subject s = make_rest_body(context, plane ? PL_FEM_PLANE : PL_FEM_COROTATED);
      pl_error error = {0};
      s.def = make_rest_def(&s, PL_REST_FREE);
      s.def.volume_regularisation = factor;
      check_ok(pl_rest_space_build(context, &s.def, s.fem, s.mesh, &s.space, &error), &error);
      int32_t axes = plane ? 2 : 3, size = pl_rest_space_size(s.space);
      double v = s.fem->linear.hint.poisson, strain = 1e-4, *p = PL_TAKE(&s.arena, double, size),
             *zero = PL_TAKE(&s.arena, double, size);
      double modulus = plane ? 1 / (1 - v * v) + (factor - 1) / (2 * (1 - v))
                             : (1 - v) / ((1 + v) * (1 - 2 * v)) + (factor - 1) / (3 * (1 - 2 * v));
      for (int32_t i = 0; i < s.n / 3; ++i) p[axes * i] = strain * s.fem->rest_points[3 * i];
      check_near(pl_rest_space_strain(s.space, p, zero), strain * sqrt(modulus), 1e-4 * strain);
      double own = pl_rest_space_regularise(s.space, p, p, NULL, NULL),
             change = pl_rest_space_regularise(s.space, p, zero, NULL, NULL) - own;
      check_near(own, s.def.regularisation * modulus * strain * strain, 1e-3 * own);
      check_near(change, s.def.rate_regularisation * modulus * strain * strain, 1e-3 * own);
      check_near(pl_rest_space_regularise(s.space, zero, zero, NULL, NULL), 0, 1e-25);
      drop_rest_subject(&s);
    }
  drop_context(context);
}

static void moving_and_turning_the_rest_shape_costs_next_to_nothing(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  rest_subject s = make_rest_subject(context, PL_FEM_EDGES, PL_REST_FREE);
  double *p = PL_TAKE(&s.arena, double, s.size), *g = PL_TAKE(&s.arena, double, s.size),
         *H = PL_TAKE(&s.arena, double, s.size *s.size);
  for (int32_t i = 0; i < s.n / 3; ++i) {
    pl_vec3 at = pl_fem_vector(s.fem->rest_points, i);
    pl_fem_put(p, i, pl_vec3_add(pl_vec3_sub(turn_about(at, pl_vec3_of(0, 0, 1), 2.5), at), pl_vec3_of(1, 2, 3)));
  }
  check_at_most(pl_rest_space_regularise(s.space, p, p, g, H), 1e-20);
  for (int32_t k = 0; k < s.size; ++k) check_near(g[k], 0, 1e-9);
  // … but it is not free, so that the Hessian has no null space.
  double sum = 0;
  for (int32_t k = 0; k < s.size; k += 3)
    for (int32_t l = 0; l < s.size; l += 3) sum += H[s.size * k + l];
  assert_true(sum > 0);
  drop_rest_subject(&s);
  drop_context(context);
}

// What a body feels of a rest shape stays, how it is turned and where it is goes.
static void straightening_takes_rigid_motions_out_and_nothing_else(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const pl_rest_kind kinds[] = {PL_REST_FREE, PL_REST_CAGE};
  for (size_t m = 0; m < sizeof rest_materials / sizeof *rest_materials; ++m)
    for (size_t c = 0; c < 2; ++c) {
      rest_subject s = make_rest_subject(context, rest_materials[m], kinds[c]);
      int32_t axes = s.space->axes;
      double *p = PL_TAKE(&s.arena, double, s.size), *moved = PL_TAKE(&s.arena, double, s.size);
      for (int32_t k = 0; k < s.size; ++k) p[k] = 0.01 * sin(7.0 * k);
      pl_rest_space_straighten(s.space, p);
      double cost = pl_rest_space_regularise(s.space, p, p, NULL, NULL);
      for (int32_t k = 0; k < s.space->handle_count; ++k) {
        const double *built = s.space->handles + 3 * (ptrdiff_t)k, *d = p + axes * k;
        pl_vec3 at = pl_vec3_of(built[0] + d[0], built[1] + d[1], built[2] + (axes == 3 ? d[2] : 0));
        at = pl_vec3_add(turn_about(at, pl_vec3_of(0, 0, 1), 2.5), pl_vec3_of(1, 2, axes == 3 ? 3 : 0));
        const double position[3] = {at.x, at.y, at.z};
        for (int32_t b = 0; b < axes; ++b) moved[axes * k + b] = position[b] - built[b];
      }
      pl_rest_space_straighten(s.space, moved);
      for (int32_t k = 0; k < s.size; ++k) check_near(moved[k], p[k], 1e-6);
      assert_true(cost > 0);
      check_near(pl_rest_space_regularise(s.space, moved, moved, NULL, NULL), cost, 1e-5 * cost);
      drop_rest_subject(&s);
    }
  drop_context(context);
}

static void mixtures_cost_what_they_leave_the_hull_by(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  rest_subject s = make_rest_body(context, PL_FEM_PLANE);
  pl_error error = {0};
  s.def = make_rest_def(&s, PL_REST_EXAMPLES);  // 0 and 1 in one group, 2 in another
  s.def.regularisation = s.def.rate_regularisation = 0;
  check_ok(pl_rest_space_build(context, &s.def, s.fem, s.mesh, &s.space, &error), &error);
  const double inside[][3] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0.5, 1}, {0, 1, 1}, {0.2, 0.3, 0.4}};
  for (size_t i = 0; i < sizeof inside / sizeof *inside; ++i)
    check_near(pl_rest_space_regularise(s.space, inside[i], inside[0], NULL, NULL), 0, 0);
  const double above[3] = {0.9, 0.3, 0.5}, below[3] = {-0.1, 0.3, 1.1};
  check_near(pl_rest_space_regularise(s.space, above, above, NULL, NULL), 5 * 0.04, 1e-12);
  check_near(pl_rest_space_regularise(s.space, below, below, NULL, NULL), 5 * (0.01 + 0.01), 1e-12);
  drop_rest_subject(&s);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_example_alone_is_stress_free_in_its_pose),
      cmocka_unit_test(no_example_at_all_is_the_rest_shape_to_the_bit),
      cmocka_unit_test(turning_and_moving_an_example_changes_nothing),
      cmocka_unit_test(a_local_example_is_stored_only_where_it_differs),
      cmocka_unit_test(a_hinge_passes_through_flat_on_its_way_to_the_other_side),
      cmocka_unit_test(cages_reproduce_linear_maps),
      cmocka_unit_test(free_bodies_in_a_plane_have_two_parameters_a_point),
      cmocka_unit_test(modes_of_amplitude_one_strain_by_a_tenth),
      cmocka_unit_test(bending_of_a_curve_costs_its_factor),
      cmocka_unit_test(a_strained_rest_shape_costs_its_squared_strain),
      cmocka_unit_test(moving_and_turning_the_rest_shape_costs_next_to_nothing),
      cmocka_unit_test(straightening_takes_rigid_motions_out_and_nothing_else),
      cmocka_unit_test(mixtures_cost_what_they_leave_the_hull_by),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
