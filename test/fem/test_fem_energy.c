// Energy of bodies that nothing drives or damps: released from random stretches with random spins, with all materials
// and schemes, and from meshes with slivers. test_fem_energy_long.c has ten thousand steps.
// ctest: physics once
#include "fixtures/released_bodies.h"

static void energy_never_grows(void **state) {
  (void)state;
  release_all(1, 1000);
}

// A shell that crumples and comes to rest has triangles of nearly no height, whose hinges are 1e20 times as stiff as
// the rest. It used to stop after 3,000 steps, with a system of equations whose solution grew without bound.
static void a_crumpled_shell_continues(void **state) {
  (void)state;
  int64_t damped_count;
  fem_release r = {PL_FEM_SHELL, PL_FEM_IMPLICIT_EULER, 2, 323, 4000};
  check_at_most(largest_fem_energy(&r, &damped_count), 1.01);
}

// A bar stretched along itself by 40 to 80 %, at 1/240 s: by the midpoint rule alone it gains 7 to 37 %.
static void a_bar_released_from_a_stretch_gains_nothing(void **state) {
  (void)state;
  pl_error error = {0};
  for (int k = 0; k < 6; ++k) {
    pl_context *context = make_context(1);
    pl_mesh *mesh = make_fem_box(context, (pl_vec3){1, 0.2, 0.2}, 8, 2, 2);
    pl_fem_def def = pl_default_fem_def(k % 2 == 0 ? PL_FEM_COROTATED : PL_FEM_NEO_HOOKEAN);
    def.young = 5e5;
    pl_model *model = make_fem_model(context, &def, mesh);
    pl_world *world = make_world(context, 1.0 / 240, 0);
    pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
    pl_vec3 x[81];
    double stretch = 1.4 + 0.2 * (k / 2), first = 0, largest = 0, energy = 0;
    for (int32_t i = 0; i < 81; ++i) {
      x[i] = pl_mesh_get_view(mesh).points[i];
      x[i].x *= stretch;
    }
    check_ok(pl_body_set_state(world, body, x, NULL, &error), &error);
    check_ok(pl_fem_compute_energy(context, model, x, &first, NULL, &error), &error);
    for (int32_t s = 0; s < 500; ++s) {
      run_steps(world, 1);
      pl_body_get_positions(world, body, x);
      check_ok(pl_fem_compute_energy(context, model, x, &energy, NULL, &error), &error);
      energy += pl_body_get_report(world, body).kinetic_energy;
      largest = fmax(largest, energy);
    }
    print_message("%s bar from a stretch of %.1f: at most %.4f of the energy, %.3f in the end\n",
                  fem_material_name(def.material), stretch, largest / first, energy / first);
    check_at_most(largest / first, 1.01);
    // It swings on.
    check_at_most(0.3, energy / first);
    pl_world_destroy(world);
    pl_model_destroy(model);
    pl_mesh_destroy(mesh);
    drop_context(context);
  }
}

// A box whose points lie at random up to 0.49 cells from those of a lattice; tets that this turned inside out are put
// right by exchanging two corners.
static pl_mesh *make_slivers(pl_context *context, uint64_t seed, double *worst) {
  pl_error error = {0};
  pl_mesh *box = make_fem_box(context, (pl_vec3){0.4, 0.4, 0.4}, 4, 4, 4), *mesh = NULL;
  pl_mesh_view view = pl_mesh_get_view(box);
  pl_random random = pl_random_of_seed(seed);
  pl_vec3 points[125];
  int32_t tets[4 * 6 * 64];
  for (int32_t i = 0; i < 125; ++i)
    points[i] = pl_vec3_add(
        view.points[i], (pl_vec3){0.049 * pl_random_between(&random, -1, 1), 0.049 * pl_random_between(&random, -1, 1),
                                  0.049 * pl_random_between(&random, -1, 1)});
  *worst = 1;
  memcpy(tets, view.tets, 4 * (size_t)view.tet_count * sizeof *tets);
  for (int32_t t = 0; t < view.tet_count; ++t) {
    int32_t *c = tets + 4 * t, first = c[0];
    pl_vec3 a = pl_vec3_sub(points[c[1]], points[c[0]]), b = pl_vec3_sub(points[c[2]], points[c[0]]),
            d = pl_vec3_sub(points[c[3]], points[c[0]]);
    double volume = pl_vec3_dot(pl_vec3_cross(a, b), d);
    *worst = fmin(*worst, fabs(volume) / 1e-3);
    if (volume < 0) c[0] = c[1], c[1] = first;
  }
  pl_mesh_view jittered = {.point_count = 125, .points = points, .tet_count = view.tet_count, .tets = tets};
  check_ok(pl_mesh_create(context, &jittered, &mesh, &error), &error);
  pl_mesh_destroy(box);
  return mesh;
}

static void slivers_do_not_explode(void **state) {
  (void)state;
  pl_error error = {0};
  for (int k = 0; k < 6; ++k) {
    pl_context *context = make_context(1);
    double worst, first = 0, largest = 0, energy = 0, speed = 0;
    pl_mesh *mesh = make_slivers(context, (uint64_t)k + 1, &worst);
    pl_fem_def def = pl_default_fem_def(PL_FEM_NEO_HOOKEAN);
    def.young = k % 2 == 0 ? 1e5 : 1e6;
    def.poisson = 0.4;
    def.scheme = k < 4 ? PL_FEM_SECOND_ORDER : PL_FEM_IMPLICIT_EULER;
    pl_model *model = make_fem_model(context, &def, mesh);
    pl_world *world = make_world(context, 1.0 / 60, 0);
    pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
    pl_random random = pl_random_of_seed((uint64_t)k + 11);
    pl_vec3 x[125], v[125];
    memcpy(x, pl_mesh_get_view(mesh).points, sizeof x);
    release_points(&random, 1.5, false, 125, x, v);
    check_ok(pl_body_set_state(world, body, x, v, &error), &error);
    for (int32_t s = 0; s <= 300; ++s) {
      if (s > 0) run_steps(world, 1);
      pl_body_get_positions(world, body, x);
      check_ok(pl_fem_compute_energy(context, model, x, &energy, NULL, &error), &error);
      energy += pl_body_get_report(world, body).kinetic_energy;
      speed = fmax(speed, pl_body_get_report(world, body).max_speed);
      if (s == 0) first = energy;
      largest = fmax(largest, energy);
    }
    print_message("flattest tet %.0e of a cell: at most %.4f of the energy, fastest point %.1f m/s\n", worst,
                  largest / first, speed);
    check_at_most(largest / first, 1.01);
    pl_world_destroy(world);
    pl_model_destroy(model);
    pl_mesh_destroy(mesh);
    drop_context(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_never_grows),
      cmocka_unit_test(a_crumpled_shell_continues),
      cmocka_unit_test(a_bar_released_from_a_stretch_gains_nothing),
      cmocka_unit_test(slivers_do_not_explode),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
