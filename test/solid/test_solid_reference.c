// One step of the solid against an independent evaluation of paper 000, eqs. 1, 2, 4 and 5: dense, double precision,
// straight from the mesh, sharing no code with the kernel but the signed singular values (which have tests of their
// own).
// ctest: physics
#include "base/random.h"
#include "fixtures/solid_bodies.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "solid/solid_model.h"

enum { MAX = 400 };

typedef struct reference {
  int32_t n;
  pl_vec3 rest[MAX], x[MAX], goal[MAX];
  double m[MAX];
  bool joined[MAX][MAX];  // shares a tet, or the same particle
} reference;

static reference ref;

static void load_mesh(const pl_mesh *mesh, double density) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  memset(&ref, 0, sizeof ref);
  ref.n = view.point_count;
  assert_true(ref.n <= MAX);
  for (int32_t i = 0; i < ref.n; ++i) ref.rest[i] = view.points[i];
  for (int32_t t = 0; t < view.tet_count; ++t) {
    const int32_t *c = view.tets + 4 * t;
    pl_vec3 a = view.points[c[0]];
    pl_mat3 edges = pl_mat3_from_columns(pl_vec3_sub(view.points[c[1]], a), pl_vec3_sub(view.points[c[2]], a),
                                         pl_vec3_sub(view.points[c[3]], a));
    for (int k = 0; k < 4; ++k) {
      ref.m[c[k]] += density * fabs(pl_mat3_determinant(edges)) / 24;
      for (int j = 0; j < 4; ++j) ref.joined[c[k]][c[j]] = true;
    }
  }
}

static int32_t neighbour_count(int32_t i) {
  int32_t count = 0;
  for (int32_t j = 0; j < ref.n; ++j) count += ref.joined[i][j];
  return count;
}

// g_i = mean over the regions r that hold i of R_r (x0_i - c0_r) + c_r
static void find_goals(void) {
  static int32_t counts[MAX];
  for (int32_t i = 0; i < ref.n; ++i) {
    counts[i] = neighbour_count(i);
    ref.goal[i] = (pl_vec3){0, 0, 0};
  }
  for (int32_t r = 0; r < ref.n; ++r) {
    double mass = 0;
    pl_vec3 c0 = {0, 0, 0}, c = {0, 0, 0};
    for (int32_t i = 0; i < ref.n; ++i) {
      if (!ref.joined[r][i]) continue;
      double w = ref.m[i] / counts[i];
      mass += w;
      c0 = pl_vec3_add_scaled(c0, ref.rest[i], w);
      c = pl_vec3_add_scaled(c, ref.x[i], w);
    }
    c0 = pl_vec3_scale(c0, 1 / mass);
    c = pl_vec3_scale(c, 1 / mass);
    pl_mat3 a = pl_mat3_zero(), u, v;
    for (int32_t i = 0; i < ref.n; ++i)
      if (ref.joined[r][i])
        a = pl_mat3_add(a, pl_mat3_scale(pl_mat3_outer(pl_vec3_sub(ref.x[i], c), pl_vec3_sub(ref.rest[i], c0)),
                                         ref.m[i] / counts[i]));
    pl_vec3 s;
    pl_signed_svd(a, &u, &s, &v);
    pl_mat3 rotation = pl_mat3_multiply(u, pl_mat3_transpose(v));
    for (int32_t i = 0; i < ref.n; ++i)
      if (ref.joined[r][i])
        ref.goal[i] = pl_vec3_add_scaled(
            ref.goal[i], pl_vec3_add(pl_mat3_apply(rotation, pl_vec3_sub(ref.rest[i], c0)), c), 1.0 / counts[i]);
  }
}

// A twisted, bent and noisy state well away from rest.
static void disturb(uint64_t seed, double noise) {
  pl_random random = pl_random_of_seed(seed);
  for (int32_t i = 0; i < ref.n; ++i) {
    pl_vec3 p = ref.rest[i];
    double angle = 1.2 * p.z;
    ref.x[i] = (pl_vec3){p.x * cos(angle) - p.y * sin(angle) + 0.1 * p.z * p.z, p.x * sin(angle) + p.y * cos(angle),
                         1.1 * p.z};
    ref.x[i].x += noise * pl_random_normal(&random);
    ref.x[i].y += noise * pl_random_normal(&random);
    ref.x[i].z += noise * pl_random_normal(&random);
  }
}

static void goals_agree_with_a_dense_reference(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  check_ok(pl_mesh_create_box(context, (pl_vec3){1, 1, 2}, (const int32_t[3]){4, 4, 8}, &mesh, &error), &error);
  pl_solid_def def = pl_default_solid_def();
  def.damping = 0;
  def.stiffness = 0.5;
  def.stiffness_step = 0.01;
  pl_model *model = NULL;
  check_ok(pl_solid_build(context, &def, mesh, &model, &error), &error);
  load_mesh(mesh, def.density);
  assert_int_equal(ref.n, 225);
  pl_vec3 x[MAX], v[MAX] = {{0}};
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    disturb(seed, 0.03);
    find_goals();
    pl_world *world = make_world(context, 0.01, 0);
    pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
    check_ok(pl_body_set_state(world, body, ref.x, v, &error), &error);
    run_steps(world, 1);
    assert_int_equal(pl_body_get_positions(world, body, x), PL_OK);
    // x + h v = x + alpha (g - x)
    double worst = 0;
    for (int32_t i = 0; i < ref.n; ++i) {
      pl_vec3 expected = pl_vec3_lerp(ref.x[i], ref.goal[i], 0.5);
      worst = fmax(worst, pl_vec3_distance(x[i], expected));
    }
    print_message("seed %d: largest difference %.3g of size 2\n", (int)seed, worst);
    check_at_most(worst, 2 * 1e-6);
    pl_world_destroy(world);
  }
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void masses_are_those_of_the_tets(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_solid_def def = pl_default_solid_def();
  def.density = 800;
  pl_model *model = make_box_model(context, (pl_vec3){1, 2, 3}, 3, 4, 5, &def);
  pl_model_report report = pl_model_get_report(model);
  check_near(report.mass, 800 * 6.0, 1e-9);
  assert_int_equal(report.particle_count, 4 * 5 * 6);
  pl_model_destroy(model);
  drop_context(context);
}

// Corner regions of a box hold few particles; the flattest of them must have been grown until they span space.
static void no_region_is_flat(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_solid_def def = pl_default_solid_def();
  pl_model *model = make_box_model(context, (pl_vec3){1, 0.01, 1}, 6, 1, 6, &def);
  const pl_solid_model *solid = (const pl_solid_model *)model;
  for (int32_t r = 0; r < model->particle_count; ++r)
    assert_true(solid->region_start[r + 1] - solid->region_start[r] >= 4);
  pl_model_destroy(model);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(goals_agree_with_a_dense_reference),
      cmocka_unit_test(masses_are_those_of_the_tets),
      cmocka_unit_test(no_region_is_flat),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
