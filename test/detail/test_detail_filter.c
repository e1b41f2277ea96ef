// The filter against what was recorded: at its own place and load, moved as a whole, elsewhere, twice at once, and on
// smaller objects.
// ctest: unit
#include "fixtures/detail_plates.h"

static const double DEPTH = 0.02;

static void at_its_own_place_and_load_the_recorded_surface_comes_back(void **state) {
  (void)state;
  filtered_plate f = open_filtered(make_context(1), 30, DEPTH);
  press again = press_at(0, 0, DEPTH);
  press_filtered(&f, &again);
  double missing = fraction_missing(f.p.found, f.p.fine, f.p.fine, f.p.coarse, f.p.object.surface_count);
  printf("missing of the detail %.3g, weight %.9g, load %.3g\n", missing, f.report.best_weight, f.report.load_size);
  check_near(f.report.best_weight, 1, 1e-5);
  check_at_most(missing, 0.01);
  close_filtered(&f);
}

static void a_body_that_is_turned_and_moved_gives_the_turned_result(void **state) {
  (void)state;
  filtered_plate f = open_filtered(make_context(1), 24, DEPTH);
  press plain = press_at(0.05, -0.08, DEPTH), moved = plain;
  moved.rotation = pl_quat_from_rotation_vector(pl_vec3_of(0.7, -1.1, 2.0));
  moved.shift = pl_vec3_of(30, -20, 10);
  press_filtered(&f, &plain);
  pl_vec3 *first = copy_found(&f.p);
  press_filtered(&f, &moved);
  double worst = 0;
  for (int32_t i = 0; i < f.p.object.surface_count; ++i)
    worst = fmax(worst, pl_vec3_distance(f.p.found[i], carry(&moved, first[i])));
  printf("turned and moved: %.3g m\n", worst);
  check_at_most(worst, 1e-5);
  free(first);
  close_filtered(&f);
}

// The stamp grows with the load.
static void half_the_load_gives_half_the_detail(void **state) {
  (void)state;
  filtered_plate f = open_filtered(make_context(1), 24, DEPTH);
  press half = press_at(0, 0, 0.5 * DEPTH);
  press_filtered(&f, &half);
  check_at_most(fraction_missing(f.p.found, f.p.fine, f.p.fine, f.p.coarse, f.p.object.surface_count), 0.03);
  close_filtered(&f);
}

// No load gives no displacement, to the last bit, wherever the body is; a small load a small one; and a contact that
// does not press none.
static void no_load_gives_nothing(void **state) {
  (void)state;
  filtered_plate f = open_filtered(make_context(1), 24, DEPTH);
  press none = press_at(0, 0, 0), moved = none, half = press_at(0, 0, 0.5 * DEPTH);
  moved.rotation = pl_quat_from_rotation_vector(pl_vec3_of(-0.4, 1.3, 0.8));
  moved.shift = pl_vec3_of(5, -3, 2);
  press_filtered(&f, &none);
  check_same_points(&f.p, f.p.found, f.p.coarse);
  press_filtered(&f, &moved);
  check_same_points(&f.p, f.p.found, f.p.coarse);
  press_filtered(&f, &half);
  f.contact.pressure = 0;
  enrich(f.filter, &f.p, &f.contact, 1, NULL);
  check_same_points(&f.p, f.p.found, f.p.coarse);
  double last = HUGE_VAL;
  for (double depth = DEPTH; depth > 1e-6; depth *= 0.5) {
    press load = press_at(0, 0, depth);
    press_filtered(&f, &load);
    double max = 0;
    for (int32_t i = 0; i < f.p.object.surface_count; ++i)
      max = fmax(max, pl_vec3_distance(f.p.found[i], f.p.coarse[i]));
    check_at_most(max, 0.51 * last);
    last = max;
  }
  check_near(last, 0, 0);  // below the least load there is none
  close_filtered(&f);
}

static void nothing_happens_far_away_and_below(void **state) {
  (void)state;
  filtered_plate f = open_filtered(make_context(1), 24, DEPTH);
  press again = press_at(0, 0, DEPTH);
  press_filtered(&f, &again);
  int32_t moved = 0;
  for (int32_t i = 0; i < f.p.object.surface_count; ++i) {
    pl_vec3 x = f.p.object.surface_points[i];
    bool same = memcmp(&f.p.found[i], &f.p.coarse[i], sizeof(pl_vec3)) == 0;
    moved += !same;
    if (sqrt(x.x * x.x + x.y * x.y) > PLATE_STAMP || x.z < PLATE_TOP - 1e-9) assert_true(same);
  }
  assert_true(moved > 50);
  close_filtered(&f);
}

static void two_tools_in_one_place_do_not_add_up_twice(void **state) {
  (void)state;
  filtered_plate f = open_filtered(make_context(1), 24, DEPTH);
  plate *p = &f.p;
  press again = press_at(0, 0, DEPTH);
  press_filtered(&f, &again);
  pl_detail_contact contacts[3] = {f.contact, f.contact, f.contact};
  pl_vec3 *once = copy_found(p);
  enrich(f.filter, p, contacts, 2, NULL);
  check_at_most(fraction_missing(p->found, once, once, p->coarse, p->object.surface_count), 1e-5);
  // Half a stamp apart: nowhere more than the largest of both, and the dent in the middle stays.
  contacts[1].point.x += 0.5 * PLATE_STAMP;
  enrich(f.filter, p, contacts, 2, NULL);
  double max = 0, max_once = 0, middle = 0;
  for (int32_t i = 0; i < p->object.surface_count; ++i) {
    pl_vec3 x = p->object.surface_points[i];
    max = fmax(max, pl_vec3_distance(p->found[i], p->coarse[i]));
    max_once = fmax(max_once, pl_vec3_distance(once[i], p->coarse[i]));
    if (x.z > PLATE_TOP - 1e-9 && fabs(x.x) < 1e-9 && fabs(x.y) < 1e-9)
      middle = pl_vec3_distance(p->found[i], p->coarse[i]) / pl_vec3_distance(once[i], p->coarse[i]);
  }
  printf("half a stamp apart: middle %.3f of alone, largest %.3f\n", middle, max / max_once);
  check_at_most(max, 1.01 * max_once);
  check_at_most(0.85, middle);
  free(once);
  // A third one that does not press takes nothing from them.
  once = copy_found(p);
  contacts[2].pressure = 0;
  enrich(f.filter, p, contacts, 3, NULL);
  check_same_points(p, p->found, once);
  free(once);
  close_filtered(&f);
}

static void a_frame_allocates_nothing_and_leaves_no_trace(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  filtered_plate f = open_filtered(make_failing_context(&allocator), 20, DEPTH);
  plate *p = &f.p;
  pl_detail_filter *fresh = filter_of(f.context, f.set, p);
  int64_t calls = allocator.call_count;
  press elsewhere = press_at(0.2, 0.1, 0.5 * DEPTH), again = press_at(0, 0.02, DEPTH);
  press_plate(p, &elsewhere);
  pl_detail_contact contacts[2] = {contact_of(&elsewhere), contact_of(&again)};
  enrich(f.filter, p, contacts, 2, NULL);
  press_plate(p, &again);
  enrich(f.filter, p, contacts, 2, NULL);
  pl_vec3 *used = copy_found(p);
  enrich(fresh, p, contacts, 2, NULL);
  assert_int_equal(allocator.call_count, calls);
  check_same_points(p, used, p->found);
  // In place gives the same.
  pl_detail_frame frame = {p->displacements, p->coarse, 2, contacts};
  pl_error error = {0};
  check_ok(pl_detail_filter_apply(f.filter, &frame, p->coarse, NULL, &error), &error);
  check_same_points(p, used, p->coarse);
  // Every part of the frame took some time.
  pl_detail_time_report costs = pl_detail_filter_get_report(f.filter);
  assert_true(costs.find_seconds > 0 && costs.describe_seconds > 0 && costs.weights_seconds > 0 &&
              costs.blend_seconds > 0 && costs.stamp_seconds > 0);
  free(used);
  pl_detail_filter_destroy(fresh);
  close_filtered(&f);
}

static void a_smaller_object_gets_smaller_stamps(void **state) {
  (void)state;
  filtered_plate f = open_filtered(make_context(1), 24, DEPTH);
  plate p = f.p;
  press again = press_at(0, 0, DEPTH);
  press_plate(&p, &again);
  pl_detail_contact contact = contact_of(&again);
  pl_vec3 *material = malloc((size_t)p.object.material_count * sizeof *material),
          *surface = malloc((size_t)p.object.surface_count * sizeof *surface);
  for (int32_t i = 0; i < p.object.material_count; ++i) {
    material[i] = pl_vec3_scale(p.object.material_points[i], 0.25);
    p.displacements[i] = pl_vec3_scale(p.displacements[i], 0.25);
  }
  for (int32_t i = 0; i < p.object.surface_count; ++i) {
    surface[i] = pl_vec3_scale(p.object.surface_points[i], 0.25);
    p.coarse[i] = pl_vec3_scale(p.coarse[i], 0.25);
    p.fine[i] = pl_vec3_scale(p.fine[i], 0.25);
  }
  contact.point = pl_vec3_scale(contact.point, 0.25);
  pl_detail_object small = p.object;
  small.material_points = material;
  small.surface_points = surface;
  pl_detail_filter_def def = pl_default_detail_filter_def();
  def.set = f.set;
  def.object = &small;
  def.scale = 0.25;
  pl_detail_filter *filter = NULL;
  pl_error error = {0};
  check_ok(pl_detail_filter_create(f.context, &def, &filter, &error), &error);
  enrich(filter, &p, &contact, 1, NULL);
  check_at_most(fraction_missing(p.found, p.fine, p.fine, p.coarse, p.object.surface_count), 0.02);
  free(material);
  free(surface);
  pl_detail_filter_destroy(filter);
  close_filtered(&f);
}

static void wrong_frames_are_refused_and_change_nothing(void **state) {
  (void)state;
  filtered_plate f = open_filtered(make_context(1), 10, DEPTH);
  plate p = f.p;
  press again = press_at(0, 0, DEPTH);
  press_plate(&p, &again);
  pl_detail_contact contacts[9];
  for (int i = 0; i < 9; ++i) contacts[i] = contact_of(&again);
  pl_detail_frame frame = {p.displacements, p.coarse, 9, contacts};
  pl_error error = {0};
  assert_int_equal(pl_detail_filter_apply(f.filter, &frame, p.found, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  frame.contact_count = 1;
  contacts[0].point.x = (double)NAN;
  assert_int_equal(pl_detail_filter_apply(f.filter, &frame, p.found, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  contacts[0] = contact_of(&again);
  contacts[0].is_located = true;
  contacts[0].triangle = p.object.triangle_count;
  assert_int_equal(pl_detail_filter_apply(f.filter, &frame, p.found, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  contacts[0] = contact_of(&again);
  for (int32_t i = 0; i < p.object.material_count; ++i) p.displacements[i].z = (double)NAN;
  assert_int_equal(pl_detail_filter_apply(f.filter, &frame, p.found, NULL, &error), PL_ERROR_INVALID_DATA);
  for (int32_t i = 0; i < p.object.surface_count; ++i) check_near(pl_vec3_length(p.found[i]), 0, 0);
  pl_detail_filter_def def = pl_default_detail_filter_def();
  pl_detail_object object = p.object;
  def.set = f.set;
  def.object = &object;
  pl_detail_filter *none = NULL;
  object.triangle_count = 0;
  assert_int_equal(pl_detail_filter_create(f.context, &def, &none, &error), PL_ERROR_INVALID_ARGUMENT);
  object = p.object;
  object.surface_count--;
  assert_int_equal(pl_detail_filter_create(f.context, &def, &none, &error), PL_ERROR_INVALID_DATA);
  object = p.object;
  object.tets = NULL;
  assert_int_equal(pl_detail_filter_create(f.context, &def, &none, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_null(none);
  close_filtered(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(at_its_own_place_and_load_the_recorded_surface_comes_back),
      cmocka_unit_test(a_body_that_is_turned_and_moved_gives_the_turned_result),
      cmocka_unit_test(half_the_load_gives_half_the_detail),
      cmocka_unit_test(no_load_gives_nothing),
      cmocka_unit_test(nothing_happens_far_away_and_below),
      cmocka_unit_test(two_tools_in_one_place_do_not_add_up_twice),
      cmocka_unit_test(a_frame_allocates_nothing_and_leaves_no_trace),
      cmocka_unit_test(a_smaller_object_gets_smaller_stamps),
      cmocka_unit_test(wrong_frames_are_refused_and_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
