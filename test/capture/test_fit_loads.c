// ctest: unit
// Known forces and pressures over time in fits: impulse, closed forms, derivatives against differences, and a modulus
// that comes back from a truth with finer tets and shorter steps.
#include "fixtures/cantilever_bars.h"
#include "pliant/math.h"

static const int32_t CELLS[3] = {6, 1, 1};
enum { FRAMES = 16 };

static pl_fit *make_load_fit(const fit_bar *bar, const pl_fit_sequence *motion) {
  pl_error error = {0};
  pl_fit *fit = NULL;
  check_ok(
      pl_fit_create(bar->context, &bar->def, bar->mesh, &(pl_fit_sequences){.items = motion, .count = 1}, &fit, &error),
      &error);
  return fit;
}

// Points with x from `min` on.
static int32_t *points_from(const fit_bar *bar, double min, int32_t *count) {
  int32_t *points = calloc((size_t)bar->point_count, sizeof *points);
  *count = 0;
  for (int32_t i = 0; i < bar->point_count; ++i)
    if (pl_mesh_get_view(bar->mesh).points[i].x >= min) points[(*count)++] = i;
  return points;
}

// Room for a motion of all points; everything at rest in the shape of the mesh.
static pl_vec3 *still_motion(const fit_bar *bar, int32_t frames) {
  pl_vec3 *positions = calloc((size_t)(frames * bar->point_count), sizeof *positions);
  for (int32_t f = 0; f < frames; ++f)
    memcpy(positions + (ptrdiff_t)f * bar->point_count, pl_mesh_get_view(bar->mesh).points,
           (size_t)bar->point_count * sizeof *positions);
  return positions;
}

static pl_vec3 mean_of(const fit_bar *bar, const pl_fit *fit, const pl_vec3 *positions) {
  const double *masses = fit->body.model->head.masses;
  pl_vec3 sum = {0, 0, 0};
  double mass = 0;
  for (int32_t i = 0; i < bar->point_count; ++i) {
    sum = pl_vec3_add_scaled(sum, positions[i], masses[i]);
    mass += masses[i];
  }
  return pl_vec3_scale(sum, 1 / mass);
}

// A blow of half a millisecond, a jump and a ramp, all between the middles of steps, give a free body their whole
// impulse.
static void impulse_of_any_table_is_exact(void **state) {
  (void)state;
  static const double blow[] = {0.0123, 0.0125, 0.0128}, jump[] = {0, 0.031, 0.031}, ramp[] = {0.005, 0.047};
  static const pl_vec3 hit[] = {{0, 0, 0}, {900, -3000, 600}, {0, 0, 0}}, cut[] = {{0, 0, 7}, {0, 0, 7}, {0, 0, 0}},
                       rise[] = {{0, 2, 0}, {0, 5, 0}};
  const struct {
    int32_t count;
    const double *times;
    const pl_vec3 *forces;
    pl_vec3 impulse;  // until 0.06 s
  } rows[] = {{3, blow, hit, {0.5 * 900 * 5e-4, -0.5 * 3000 * 5e-4, 0.5 * 600 * 5e-4}},
              {3, jump, cut, {0, 0, 7 * 0.031}},
              {2, ramp, rise, {0, 2 * 0.005 + 3.5 * 0.042 + 5 * 0.013, 0}}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
    pl_error error = {0};
    fit_bar bar;
    open_bar(&bar, 1, 1, CELLS);
    bar.def.pinned_count = 0;
    bar.def.gravity = (pl_vec3){0, 0, 0};
    bar.def.mass_damping = (pl_fit_range){1e-12, 1e-12, 1e-12, false};
    int32_t loaded_count;
    int32_t *loaded = points_from(&bar, 0.3, &loaded_count);
    pl_fit_load load = {
        .loaded = loaded, .loaded_count = loaded_count, .time_count = rows[k].count, .times = rows[k].times};
    load.forces = rows[k].forces;
    pl_vec3 *positions = still_motion(&bar, 8);
    pl_fit_sequence motion = {.frame_count = 8, .frame_seconds = 0.01, .positions = positions, .start_positions = NULL};
    motion.loads = &load, motion.load_count = 1;
    pl_fit *fit = make_load_fit(&bar, &motion);
    pl_vec3 *found = still_motion(&bar, 8);
    check_ok(pl_fit_predict(fit, &motion, found, NULL, &error), &error);
    // From 0.06 to 0.07 s; of the ramp, half of its force goes on in that frame.
    pl_vec3 a = mean_of(&bar, fit, found + (ptrdiff_t)6 * bar.point_count),
            b = mean_of(&bar, fit, found + (ptrdiff_t)7 * bar.point_count);
    pl_vec3 momentum = pl_vec3_scale(pl_vec3_sub(b, a), fit->body.model->head.mass / 0.01);
    pl_vec3 wanted = pl_vec3_add_scaled(rows[k].impulse, rows[k].forces[rows[k].count - 1], 0.005);
    print_message("impulse (%.9g %.9g %.9g), wanted (%.9g %.9g %.9g)\n", momentum.x, momentum.y, momentum.z, wanted.x,
                  wanted.y, wanted.z);
    assert_true(pl_vec3_length(pl_vec3_sub(momentum, wanted)) < 1e-8 * pl_vec3_length(wanted));
    pl_fit_destroy(fit);
    free(positions), free(found), free(loaded);
    close_bar(&bar);
  }
}

// A pressure on the end of a bar with ν = 0 shortens it by p / E: uniform stress, of linear and quadratic tets, also
// where the face lies askew and 5 m away.
static void pressure_on_an_end_has_the_closed_form(void **state) {
  (void)state;
  for (int quadratic = 0; quadratic < 2; ++quadratic) {
    pl_error error = {0};
    static const double times[] = {0}, pressures[] = {2e4};
    fit_bar bar;
    open_bar(&bar, 1, 1, CELLS);
    pl_mesh_view view = pl_mesh_get_view(bar.mesh);
    pl_vec3 *turned = calloc((size_t)view.point_count, sizeof *turned);
    pl_quat rotation = pl_quat_from_axis_angle(pl_vec3_normalize_or((pl_vec3){1, 2, 3}, (pl_vec3){1, 0, 0}), 0.8);
    for (int32_t i = 0; i < view.point_count; ++i)
      turned[i] = pl_vec3_add(pl_quat_rotate(rotation, view.points[i]), (pl_vec3){5, -3, 2});
    int32_t loaded_count;
    int32_t *loaded = points_from(&bar, 0.499, &loaded_count);
    pl_mesh *plain = bar.mesh;
    pl_mesh_view moved = {
        .point_count = view.point_count, .points = turned, .tet_count = view.tet_count, .tets = view.tets};
    check_ok(pl_mesh_create(bar.context, &moved, &bar.mesh, &error), &error);
    pl_mesh_destroy(plain);
    bar.def.element = quadratic ? PL_FEM_QUADRATIC : PL_FEM_LINEAR;
    bar.def.gravity = (pl_vec3){0, 0, 0};
    bar.def.shape = PL_FIT_SHAPE_UNSTRESSED;
    bar.def.poisson.start = 0;
    bar.def.young.start = 1e5;
    pl_fit_load load = {
        .loaded = loaded, .loaded_count = loaded_count, .time_count = 1, .times = times, .pressures = pressures};
    pl_vec3 *positions = still_motion(&bar, 3);
    pl_fit_sequence motion = {.frame_count = 3, .frame_seconds = 0.01, .positions = positions, .loads = &load};
    motion.load_count = 1, motion.start = PL_FIT_START_BALANCED;
    pl_fit *fit = make_load_fit(&bar, &motion);
    pl_vec3 *found = still_motion(&bar, 3);
    check_ok(pl_fit_predict(fit, &motion, found, NULL, &error), &error);
    double worst = 0;
    for (int32_t f = 0; f < 3; ++f)
      for (int32_t i = 0; i < bar.point_count; ++i) {
        pl_vec3 back = pl_quat_rotate(pl_quat_conjugate(rotation),
                                      pl_vec3_sub(found[f * bar.point_count + i], (pl_vec3){5, -3, 2}));
        pl_vec3 rest = pl_quat_rotate(pl_quat_conjugate(rotation), pl_vec3_sub(turned[i], (pl_vec3){5, -3, 2}));
        pl_vec3 wanted = {rest.x - 0.2 * (rest.x + 0.5), rest.y, rest.z};
        worst = fmax(worst, pl_vec3_length(pl_vec3_sub(back, wanted)));
      }
    print_message("%s: %g m off where the end moves by 0.2 m, at rest for two frames\n",
                  quadratic ? "quadratic" : "linear", worst);
    assert_true(worst < 1e-8);
    pl_fit_destroy(fit);
    free(positions), free(found), free(loaded), free(turned);
    close_bar(&bar);
  }
}

static double cost_at(pl_fit *fit, const double *values, bool derive) {
  pl_error error = {0};
  check_ok(pl_fit_evaluate(fit, values, fit->trial_rest, fit->longest, derive, &fit->trial, &error), &error);
  assert_false(fit->trial.failed);
  return fit->trial.cost;
}

// Half of the gradient of the cost, as the fit has it, against central differences.
static void check_gradient(pl_fit *fit) {
  double values[PL_FIT_MAX_VALUES], gradient[PL_FIT_MAX_VALUES], scale = 0;
  memcpy(values, fit->values, sizeof values);
  memcpy(fit->trial_rest, fit->rest, 3 * (size_t)fit->body.model->head.particle_count * sizeof(double));
  cost_at(fit, values, true);
  memcpy(gradient, fit->trial.gradient, (size_t)fit->column_count * sizeof(double));
  for (int32_t k = 0; k < fit->column_count; ++k) scale = fmax(scale, fabs(gradient[k]));
  for (int32_t k = 0; k < fit->column_count; ++k) {
    double step = 1e-4, costs[2], at = pl_fit_coordinate(fit, fit->columns[k], fit->values[fit->columns[k]]);
    for (int side = 0; side < 2; ++side) {
      values[fit->columns[k]] = pl_fit_physical(fit, fit->columns[k], at + (side == 0 ? -step : step));
      costs[side] = cost_at(fit, values, false);
    }
    values[fit->columns[k]] = fit->values[fit->columns[k]];
    double slope = 0.25 * (costs[1] - costs[0]) / step;
    print_message("column %d: %.9g by sensitivities, %.9g by differences\n", k, gradient[k], slope);
    check_near(gradient[k], slope, 2e-5 * scale);
  }
}

// A force that jumps and a pressure that changes, strong enough to bend the bar far, on a viscoelastic bar whose shape
// is unstressed or bent by gravity, with every parameter fitted.
static void derivatives_are_those_of_the_scheme(void **state) {
  (void)state;
  for (int quadratic = 0; quadratic < 2; ++quadratic)
    for (int bent = 0; bent < 2; ++bent) {
      static const double times[] = {0, 0.03, 0.03, 0.1}, pressures[] = {-60, 80, 80, -40};
      static const pl_vec3 forces[] = {{0, 3, 2}, {3, 0, 2}, {0, -4, 0}, {0, 2, 0}};
      fit_bar bar;
      open_bar(&bar, 1, 1, quadratic ? (const int32_t[3]){3, 1, 1} : CELLS);
      bar.def.element = quadratic ? PL_FEM_QUADRATIC : PL_FEM_LINEAR;
      bar.def.shape = bent ? PL_FIT_SHAPE_STATIC : PL_FIT_SHAPE_UNSTRESSED;
      bar.def.young.start = 1e5;
      bar.def.poisson.fitted = true;
      bar.def.prony_ratio.start = 0.4, bar.def.prony_ratio.fitted = true;
      bar.def.prony_time.start = 0.05, bar.def.prony_time.fitted = true;
      bar.def.loss_factor.start = 0.05, bar.def.loss_factor.fitted = true;
      int32_t tip_count, side_count = 0;
      int32_t *tip = points_from(&bar, 0.499, &tip_count), *side = points_from(&bar, 0.1, &side_count);
      pl_fit_load loads[2] = {
          {.loaded = tip, .loaded_count = tip_count, .time_count = 4, .times = times, .forces = forces},
          {.loaded = side, .loaded_count = side_count, .time_count = 4, .times = times, .pressures = pressures}};
      // The pressure acts on the sides that look up and forward.
      int32_t kept = 0;
      for (int32_t i = 0; i < side_count; ++i)
        if (pl_mesh_get_view(bar.mesh).points[side[i]].y > 0.09) side[kept++] = side[i];
      loads[1].loaded_count = kept;
      pl_vec3 *positions = still_motion(&bar, 8);
      pl_fit_sequence motion = {.frame_count = 8, .frame_seconds = 0.02, .positions = positions, .loads = loads};
      motion.load_count = 2, motion.start = PL_FIT_START_BALANCED;
      pl_fit *fit = make_load_fit(&bar, &motion);
      fit->step_tolerance = 1e-12;
      print_message("%s tets, %s\n", quadratic ? "quadratic" : "linear", bent ? "static shape" : "unstressed");
      check_gradient(fit);
      pl_fit_destroy(fit);
      free(positions), free(tip), free(side);
      close_bar(&bar);
    }
}

// A shaker pulls at the end of a bar, up and down and sideways, ever faster. The truth has three cells of quadratic
// tets across and a quarter of the step; the fit has two, and starts with a third of the modulus.
static void a_shaken_bar_gives_its_modulus(void **state) {
  (void)state;
  static const double truth[4] = {3e5, 0.3, 0.3, 3e-3};
  enum { ROWS = 40 };
  pl_error error = {0};
  double times[ROWS];
  pl_vec3 forces[ROWS], tip_at[1] = {{0.5, 0, 0}};
  for (int i = 0; i < ROWS; ++i) {
    double t = 0.01 * i, phase = 2 * PL_PI * (1.5 * t + 4 * t * t);
    times[i] = t;
    forces[i] = (pl_vec3){0, 3 * sin(phase), 2 * sin(1.3 * phase)};
  }
  pl_vec3 seen[FRAMES * 3];
  pl_fit_report report;
  for (int pass = 0; pass < 2; ++pass) {
    fit_bar bar;
    open_bar(&bar, 1, 1, pass == 0 ? (const int32_t[3]){9, 3, 3} : (const int32_t[3]){6, 2, 2});
    bar.def.element = PL_FEM_QUADRATIC;
    bar.def.steps_per_frame = pass == 0 ? 8 : 2;
    bar.def.shape = PL_FIT_SHAPE_UNSTRESSED;
    bar.def.gravity = (pl_vec3){0, 0, 0};
    bar.def.young.start = pass == 0 ? truth[0] : 1e5;
    int32_t tip_count;
    int32_t *tip = points_from(&bar, 0.499, &tip_count);
    pl_embedding *marker = NULL;
    check_ok(pl_embedding_build(bar.context, bar.mesh, &(pl_embedding_input){tip_at, 1, 0.01}, &marker, NULL, &error),
             &error);
    pl_fit_load load = {.loaded = tip, .loaded_count = tip_count, .time_count = ROWS, .times = times, .forces = forces};
    pl_fit_sequence motion = {
        .frame_count = FRAMES, .frame_seconds = 0.02, .positions = seen, .markers = marker, .loads = &load};
    motion.load_count = 1, motion.start = PL_FIT_START_BALANCED;
    for (int i = 0; pass == 0 && i < FRAMES; ++i) seen[i] = tip_at[0];
    pl_fit *fit = make_load_fit(&bar, &motion);
    if (pass == 0) {
      pl_vec3 *film = still_motion(&bar, FRAMES);
      check_ok(pl_fit_set_values(fit, truth, &error), &error);
      check_ok(pl_fit_predict(fit, &motion, film, NULL, &error), &error);
      for (int f = 0; f < FRAMES; ++f) pl_embedding_apply(marker, film + (ptrdiff_t)f * bar.point_count, seen + f);
      free(film);
    } else {
      check_ok(pl_fit_run(fit, &error), &error);
      check_ok(pl_fit_get_report(fit, &report, &error), &error);
      print_message("%.0f Pa, %s, rms %.3g of %.3g m, %d iterations\n", report.estimates[0].value,
                    pl_fit_verdict_name(report.estimates[0].verdict), report.rms, report.amplitude,
                    report.iteration_count);
      check_near(report.estimates[0].value, truth[0], 0.03 * truth[0]);
      assert_true(report.rms < 0.03 * report.amplitude);
      // Without its load, the motion has no cause and no modulus.
      pl_fit *blind = NULL;
      motion.load_count = 0;
      bar.def.max_iterations = 3;
      blind = make_load_fit(&bar, &motion);
      assert_true(pl_fit_run(blind, &error) >= 0);
      check_ok(pl_fit_get_report(blind, &report, &error), &error);
      print_message("without the force: %s\n", pl_fit_verdict_name(report.estimates[0].verdict));
      assert_int_not_equal(report.estimates[0].verdict, PL_FIT_DETERMINED);
      pl_fit_destroy(blind);
    }
    pl_fit_destroy(fit);
    pl_embedding_destroy(marker);
    free(tip);
    close_bar(&bar);
  }
}

// Refining takes the loads along: a bar of linear tets that is shaken, and pressed, comes nearer to the truth of
// quadratic ones.
static void refining_takes_loads_along(void **state) {
  (void)state;
  static const double truth[4] = {3e5, 0.3, 0.3, 3e-3}, times[] = {0, 0.05, 0.1}, pressures[] = {0, 300, 0};
  static const pl_vec3 forces[] = {{0, 0, 0}, {0, 6, 2}, {0, 0, 0}};
  pl_error error = {0};
  pl_vec3 seen[12], tip_at[1] = {{0.5, 0, 0}};
  for (int pass = 0; pass < 2; ++pass) {
    fit_bar bar;
    open_bar(&bar, 1, 1, (const int32_t[3]){6, 2, 2});
    bar.def.element = pass == 0 ? PL_FEM_QUADRATIC : PL_FEM_LINEAR;
    bar.def.shape = PL_FIT_SHAPE_UNSTRESSED;
    bar.def.gravity = (pl_vec3){0, 0, 0};
    bar.def.steps_per_frame = 2;
    bar.def.young.start = 2e5;
    bar.def.mass_damping.fitted = bar.def.stiffness_damping.fitted = false;
    bar.def.mass_damping.start = truth[2], bar.def.stiffness_damping.start = truth[3];
    int32_t tip_count, top_count, kept = 0;
    int32_t *tip = points_from(&bar, 0.499, &tip_count), *top = points_from(&bar, -0.6, &top_count);
    for (int32_t i = 0; i < top_count; ++i)
      if (pl_mesh_get_view(bar.mesh).points[top[i]].y > 0.09) top[kept++] = top[i];
    pl_embedding *marker = NULL;
    check_ok(pl_embedding_build(bar.context, bar.mesh, &(pl_embedding_input){tip_at, 1, 0.01}, &marker, NULL, &error),
             &error);
    pl_fit_load loads[2] = {
        {.loaded = tip, .loaded_count = tip_count, .time_count = 3, .times = times, .forces = forces},
        {.loaded = top, .loaded_count = kept, .time_count = 3, .times = times, .pressures = pressures}};
    pl_fit_sequence motion = {
        .frame_count = 12, .frame_seconds = 0.02, .positions = seen, .markers = marker, .loads = loads};
    motion.load_count = 2, motion.start = PL_FIT_START_BALANCED;
    for (int i = 0; pass == 0 && i < 12; ++i) seen[i] = tip_at[0];
    pl_fit *fit = make_load_fit(&bar, &motion);
    if (pass == 0) {
      pl_vec3 *film = still_motion(&bar, 12);
      check_ok(pl_fit_set_values(fit, truth, &error), &error);
      check_ok(pl_fit_predict(fit, &motion, film, NULL, &error), &error);
      for (int f = 0; f < 12; ++f) pl_embedding_apply(marker, film + (ptrdiff_t)f * bar.point_count, seen + f);
      free(film);
    } else {
      pl_fit_report report;
      check_ok(pl_fit_run(fit, &error), &error);
      check_ok(pl_fit_refine(fit, &error), &error);
      check_ok(pl_fit_get_report(fit, &report, &error), &error);
      const pl_fit_estimate *young = &report.estimates[0];
      print_message("mesh %.0f Pa, extrapolated %.0f in %.0f … %.0f\n", young->mesh_value, young->value, young->min,
                    young->max);
      assert_true(fabs(young->mesh_value - truth[0]) > 0.2 * truth[0]);
      check_near(young->value, truth[0], 0.1 * truth[0]);
      assert_true(young->min < truth[0] && truth[0] < young->max);
    }
    pl_fit_destroy(fit);
    pl_embedding_destroy(marker);
    free(tip), free(top);
    close_bar(&bar);
  }
}

static void wrong_loads_are_named(void **state) {
  (void)state;
  static const double times[] = {0, 1}, back[] = {1, 0}, bad[] = {0, (double)NAN};
  static const pl_vec3 forces[2] = {{1, 0, 0}, {2, 0, 0}};
  fit_bar bar;
  open_bar(&bar, 1, 1, CELLS);
  int32_t tip_count, inner[1] = {0};
  int32_t *tip = points_from(&bar, 0.499, &tip_count);
  pl_vec3 *positions = still_motion(&bar, 2);
  pl_fit_load good = {.loaded = tip, .loaded_count = tip_count, .time_count = 2, .times = times, .forces = forces};
  pl_fit_load held = good, empty = good, falls = good, wrong = good, faceless = good, nothing = good, far = good;
  held.loaded = bar.pinned, held.loaded_count = bar.pinned_count;
  empty.loaded_count = 0;
  falls.times = back;
  wrong.times = bad;
  faceless.loaded = inner, faceless.loaded_count = 1, faceless.forces = NULL, faceless.pressures = times;
  nothing.forces = NULL;
  far.loaded = &bar.point_count, far.loaded_count = 1;
  const struct {
    const pl_fit_load *load;
    const char *text;
  } rows[] = {{&good, NULL},          {&held, "is held"},         {&empty, "no points"},      {&falls, "before"},
              {&wrong, "not finite"}, {&faceless, "no triangle"}, {&nothing, "at least one"}, {&far, "does not exist"}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
    pl_error error = {0};
    pl_fit *fit = NULL;
    pl_fit_sequence motion = {.frame_count = 2, .frame_seconds = 0.1, .positions = positions, .loads = rows[k].load};
    motion.load_count = 1, motion.start = PL_FIT_START_BALANCED;
    pl_status status =
        pl_fit_create(bar.context, &bar.def, bar.mesh, &(pl_fit_sequences){.items = &motion, .count = 1}, &fit, &error);
    if (rows[k].text == NULL) check_ok(status, &error);
    if (rows[k].text != NULL) {
      assert_int_equal(status, PL_ERROR_INVALID_DATA);
      assert_non_null(strstr(error.text, rows[k].text));
    }
    pl_fit_destroy(fit);
  }
  free(positions), free(tip);
  close_bar(&bar);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(impulse_of_any_table_is_exact),       cmocka_unit_test(pressure_on_an_end_has_the_closed_form),
      cmocka_unit_test(derivatives_are_those_of_the_scheme), cmocka_unit_test(a_shaken_bar_gives_its_modulus),
      cmocka_unit_test(refining_takes_loads_along),          cmocka_unit_test(wrong_loads_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
