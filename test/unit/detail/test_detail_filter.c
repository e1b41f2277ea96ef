// The filter against what was recorded: at its own place and load, moved as a whole, elsewhere, twice at once, and at a cut.
#include "detail_plates.h"

static const double DEPTH = 0.02;

static void at_its_own_place_and_load_the_recorded_surface_comes_back(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  plate p = make_plate(context, 30);
  pl_detail_set *set = record_middle(context, &p, DEPTH);
  pl_detail_filter *filter = filter_of(context, set, &p);
  press again = press_at(0, 0, DEPTH);
  press_plate(&p, &again);
  pl_detail_contact contact = contact_of(&again);
  pl_detail_contact_report report;
  enrich(filter, &p, &contact, 1, &report);
  double missing = share_missing(p.found, p.fine, p.fine, p.coarse, p.object.surface_count);
  printf("missing of the detail %.3g, weight %.9g, load %.3g\n", missing, report.best_weight, report.load_size);
  check_near(report.best_weight, 1, 1e-5);
  check_at_most(missing, 0.01);
  pl_detail_filter_destroy(filter);
  pl_detail_set_destroy(set);
  drop_plate(&p);
  drop_context(context);
}

static void a_body_that_is_turned_and_moved_gives_the_turned_result(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  plate p = make_plate(context, 24);
  pl_detail_set *set = record_middle(context, &p, DEPTH);
  pl_detail_filter *filter = filter_of(context, set, &p);
  press plain = press_at(0.05, -0.08, DEPTH), moved = plain;
  moved.rotation = pl_quat_of_rotation_vector(pl_vec3_of(0.7, -1.1, 2.0));
  moved.shift = pl_vec3_of(30, -20, 10);
  pl_vec3 *first = malloc((size_t)p.object.surface_count * sizeof *first);
  press_plate(&p, &plain);
  pl_detail_contact contact = contact_of(&plain);
  enrich(filter, &p, &contact, 1, NULL);
  memcpy(first, p.found, (size_t)p.object.surface_count * sizeof *first);
  press_plate(&p, &moved);
  contact = contact_of(&moved);
  enrich(filter, &p, &contact, 1, NULL);
  double worst = 0;
  for (int32_t i = 0; i < p.object.surface_count; ++i) worst = fmax(worst, pl_vec3_distance(p.found[i], carry(&moved, first[i])));
  printf("turned and moved: %.3g m\n", worst);
  check_at_most(worst, 1e-5);
  free(first);
  pl_detail_filter_destroy(filter);
  pl_detail_set_destroy(set);
  drop_plate(&p);
  drop_context(context);
}

// The stamp grows with the load, and no load gives nothing at all.
static void half_the_load_gives_half_the_detail_and_none_gives_none(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  plate p = make_plate(context, 24);
  pl_detail_set *set = record_middle(context, &p, DEPTH);
  pl_detail_filter *filter = filter_of(context, set, &p);
  press half = press_at(0, 0, 0.5 * DEPTH), none = press_at(0, 0, 0);
  press_plate(&p, &half);
  pl_detail_contact contact = contact_of(&half);
  enrich(filter, &p, &contact, 1, NULL);
  check_at_most(share_missing(p.found, p.fine, p.fine, p.coarse, p.object.surface_count), 0.03);
  press_plate(&p, &none);
  contact = contact_of(&none);
  enrich(filter, &p, &contact, 1, NULL);
  assert_memory_equal(p.found, p.coarse, (size_t)p.object.surface_count * sizeof *p.found);
  // A contact that does not press does nothing either.
  press_plate(&p, &half);
  contact = contact_of(&half);
  contact.pressure = 0;
  enrich(filter, &p, &contact, 1, NULL);
  assert_memory_equal(p.found, p.coarse, (size_t)p.object.surface_count * sizeof *p.found);
  pl_detail_filter_destroy(filter);
  pl_detail_set_destroy(set);
  drop_plate(&p);
  drop_context(context);
}

static void nothing_happens_far_away_and_below(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  plate p = make_plate(context, 24);
  pl_detail_set *set = record_middle(context, &p, DEPTH);
  pl_detail_filter *filter = filter_of(context, set, &p);
  press again = press_at(0, 0, DEPTH);
  press_plate(&p, &again);
  pl_detail_contact contact = contact_of(&again);
  enrich(filter, &p, &contact, 1, NULL);
  int32_t moved = 0;
  for (int32_t i = 0; i < p.object.surface_count; ++i) {
    pl_vec3 x = p.object.surface_points[i];
    bool same = memcmp(&p.found[i], &p.coarse[i], sizeof(pl_vec3)) == 0;
    moved += !same;
    if (sqrt(x.x * x.x + x.y * x.y) > PLATE_STAMP || x.z < PLATE_TOP - 1e-9) assert_true(same);
  }
  assert_true(moved > 50);
  pl_detail_filter_destroy(filter);
  pl_detail_set_destroy(set);
  drop_plate(&p);
  drop_context(context);
}

static void two_tools_in_one_place_do_not_add_up_twice(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  plate p = make_plate(context, 24);
  pl_detail_set *set = record_middle(context, &p, DEPTH);
  pl_detail_filter *filter = filter_of(context, set, &p);
  press again = press_at(0, 0, DEPTH);
  press_plate(&p, &again);
  pl_detail_contact contacts[3] = {contact_of(&again), contact_of(&again), contact_of(&again)};
  enrich(filter, &p, contacts, 1, NULL);
  pl_vec3 *once = malloc((size_t)p.object.surface_count * sizeof *once);
  memcpy(once, p.found, (size_t)p.object.surface_count * sizeof *once);
  enrich(filter, &p, contacts, 2, NULL);
  check_at_most(share_missing(p.found, once, once, p.coarse, p.object.surface_count), 1e-5);
  // Half a stamp apart: nowhere more than the largest of both, and the dent in the middle stays.
  contacts[1].point.x += 0.5 * PLATE_STAMP;
  enrich(filter, &p, contacts, 2, NULL);
  double largest = 0, largest_once = 0, middle = 0;
  for (int32_t i = 0; i < p.object.surface_count; ++i) {
    pl_vec3 x = p.object.surface_points[i];
    largest = fmax(largest, pl_vec3_distance(p.found[i], p.coarse[i]));
    largest_once = fmax(largest_once, pl_vec3_distance(once[i], p.coarse[i]));
    if (x.z > PLATE_TOP - 1e-9 && fabs(x.x) < 1e-9 && fabs(x.y) < 1e-9)
      middle = pl_vec3_distance(p.found[i], p.coarse[i]) / pl_vec3_distance(once[i], p.coarse[i]);
  }
  printf("half a stamp apart: middle %.3f of alone, largest %.3f\n", middle, largest / largest_once);
  check_at_most(largest, 1.01 * largest_once);
  check_at_most(0.85, middle);
  // A third one that does not press takes nothing from them.
  memcpy(once, p.found, (size_t)p.object.surface_count * sizeof *once);
  contacts[2].pressure = 0;
  enrich(filter, &p, contacts, 3, NULL);
  assert_memory_equal(p.found, once, (size_t)p.object.surface_count * sizeof *once);
  free(once);
  pl_detail_filter_destroy(filter);
  pl_detail_set_destroy(set);
  drop_plate(&p);
  drop_context(context);
}

// The plate cut at x = 0.06, recorded in the middle of an uncut one: what lies beyond the cut stays where it is.
static void a_stamp_does_not_cross_a_cut(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  plate whole = make_plate(context, 24), p = {0};
  pl_detail_set *set = record_middle(context, &whole, DEPTH);
  pl_cut_def cut = pl_default_cut_def();
  cut.plane_point = pl_vec3_of(0.06, 0, 0);
  pl_error error = {0};
  check_ok(pl_mesh_cut(context, &cut, whole.mesh, &p.mesh, NULL, NULL, &error), &error);
  take_mesh(context, &p);
  pl_detail_filter *filter = filter_of(context, set, &p), *uncut = filter_of(context, set, &whole);
  press again = press_at(0, 0, DEPTH);
  press_plate(&p, &again);
  pl_detail_contact contact = contact_of(&again);
  pl_detail_contact_report report, uncut_report;
  enrich(filter, &p, &contact, 1, &report);
  press_plate(&whole, &again);
  enrich(uncut, &whole, &contact, 1, &uncut_report);
  // Which side a point is on is told by the tets, independently of the filter.
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  int32_t *component = NULL, component_count = 0, moved_here = 0, moved_beyond = 0;
  assert_true(pl_components_find(&arena, (pl_elements){p.object.tets, p.object.tet_count, 4}, p.object.material_count, &component,
                                 &component_count));
  assert_int_equal(component_count, 2);
  int32_t corner = p.object.triangles[3 * report.triangle], here = component[p.material_of_surface[corner]];
  for (int32_t i = 0; i < p.object.surface_count; ++i) {
    bool same = memcmp(&p.found[i], &p.coarse[i], sizeof(pl_vec3)) == 0;
    if (component[p.material_of_surface[i]] == here)
      moved_here += !same;
    else
      moved_beyond += !same;
  }
  printf("moved on this side %d, beyond the cut %d; weight %.3f, uncut %.3f\n", moved_here, moved_beyond, report.best_weight,
         uncut_report.best_weight);
  assert_int_equal(moved_beyond, 0);
  assert_true(report.best_weight < uncut_report.best_weight - 0.05);  // the descriptors see the cut
  pl_arena_destroy(&arena);
  pl_detail_filter_destroy(filter);
  pl_detail_filter_destroy(uncut);
  pl_detail_set_destroy(set);
  drop_plate(&p);
  drop_plate(&whole);
  drop_context(context);
}

// A cut comes nearer and nearer to the contact: weight and detail fall without a jump.
static void a_cut_that_comes_nearer_changes_the_weight_continuously(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  plate whole = make_plate(context, 20);
  pl_detail_set *set = record_middle(context, &whole, DEPTH);
  press again = press_at(0, 0, DEPTH);
  pl_detail_contact contact = contact_of(&again);
  double last = 1;
  for (double x = 0.4; x > 0.01; x -= 0.02) {
    plate p = {0};
    pl_cut_def cut = pl_default_cut_def();
    cut.plane_point = pl_vec3_of(x, 0, 0);
    pl_error error = {0};
    check_ok(pl_mesh_cut(context, &cut, whole.mesh, &p.mesh, NULL, NULL, &error), &error);
    take_mesh(context, &p);
    pl_detail_filter *filter = filter_of(context, set, &p);
    press_plate(&p, &again);
    pl_detail_contact_report report;
    enrich(filter, &p, &contact, 1, &report);
    printf("cut at %.2f: weight %.3f\n", x, report.best_weight);
    check_at_most(report.best_weight, last + 0.05);
    check_at_most(last - report.best_weight, 0.15);
    last = report.best_weight;
    pl_detail_filter_destroy(filter);
    drop_plate(&p);
  }
  check_at_most(last, 0.1);
  pl_detail_set_destroy(set);
  drop_plate(&whole);
  drop_context(context);
}

static void a_frame_allocates_nothing_and_leaves_no_trace(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  plate p = make_plate(context, 20);
  pl_detail_set *set = record_middle(context, &p, DEPTH);
  pl_detail_filter *filter = filter_of(context, set, &p), *fresh = filter_of(context, set, &p);
  int64_t calls = allocator.call_count;
  press elsewhere = press_at(0.2, 0.1, 0.5 * DEPTH), again = press_at(0, 0.02, DEPTH);
  press_plate(&p, &elsewhere);
  pl_detail_contact contacts[2] = {contact_of(&elsewhere), contact_of(&again)};
  enrich(filter, &p, contacts, 2, NULL);
  press_plate(&p, &again);
  enrich(filter, &p, contacts, 2, NULL);
  pl_vec3 *used = malloc((size_t)p.object.surface_count * sizeof *used);
  memcpy(used, p.found, (size_t)p.object.surface_count * sizeof *used);
  enrich(fresh, &p, contacts, 2, NULL);
  assert_int_equal(allocator.call_count, calls);
  assert_memory_equal(used, p.found, (size_t)p.object.surface_count * sizeof *used);
  // In place gives the same.
  pl_detail_frame frame = {p.displacements, p.coarse, 2, contacts};
  pl_error error = {0};
  check_ok(pl_detail_filter_apply(filter, &frame, p.coarse, NULL, &error), &error);
  assert_memory_equal(used, p.coarse, (size_t)p.object.surface_count * sizeof *used);
  free(used);
  pl_detail_filter_destroy(filter);
  pl_detail_filter_destroy(fresh);
  pl_detail_set_destroy(set);
  drop_plate(&p);
  drop_context(context);
}

static void a_smaller_object_gets_smaller_stamps(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  plate p = make_plate(context, 24);
  pl_detail_set *set = record_middle(context, &p, DEPTH);
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
  def.set = set;
  def.object = &small;
  def.scale = 0.25;
  pl_detail_filter *filter = NULL;
  pl_error error = {0};
  check_ok(pl_detail_filter_create(context, &def, &filter, &error), &error);
  enrich(filter, &p, &contact, 1, NULL);
  check_at_most(share_missing(p.found, p.fine, p.fine, p.coarse, p.object.surface_count), 0.02);
  free(material);
  free(surface);
  pl_detail_filter_destroy(filter);
  pl_detail_set_destroy(set);
  drop_plate(&p);
  drop_context(context);
}

static void wrong_frames_are_refused_and_change_nothing(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  plate p = make_plate(context, 10);
  pl_detail_set *set = record_middle(context, &p, DEPTH);
  pl_detail_filter *filter = filter_of(context, set, &p);
  press again = press_at(0, 0, DEPTH);
  press_plate(&p, &again);
  pl_detail_contact contacts[9];
  for (int i = 0; i < 9; ++i) contacts[i] = contact_of(&again);
  pl_detail_frame frame = {p.displacements, p.coarse, 9, contacts};
  pl_error error = {0};
  assert_int_equal(pl_detail_filter_apply(filter, &frame, p.found, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  frame.contact_count = 1;
  contacts[0].point.x = NAN;
  assert_int_equal(pl_detail_filter_apply(filter, &frame, p.found, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  contacts[0] = contact_of(&again);
  contacts[0].is_located = true;
  contacts[0].triangle = p.object.triangle_count;
  assert_int_equal(pl_detail_filter_apply(filter, &frame, p.found, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  contacts[0] = contact_of(&again);
  for (int32_t i = 0; i < p.object.material_count; ++i) p.displacements[i].z = NAN;
  assert_int_equal(pl_detail_filter_apply(filter, &frame, p.found, NULL, &error), PL_ERROR_INVALID_DATA);
  for (int32_t i = 0; i < p.object.surface_count; ++i) check_near(pl_vec3_length(p.found[i]), 0, 0);
  pl_detail_filter_def def = pl_default_detail_filter_def();
  pl_detail_object object = p.object;
  def.set = set;
  def.object = &object;
  pl_detail_filter *none = NULL;
  object.triangle_count = 0;
  assert_int_equal(pl_detail_filter_create(context, &def, &none, &error), PL_ERROR_INVALID_ARGUMENT);
  object = p.object;
  object.surface_count--;
  assert_int_equal(pl_detail_filter_create(context, &def, &none, &error), PL_ERROR_INVALID_DATA);
  object = p.object;
  object.tets = NULL;
  assert_int_equal(pl_detail_filter_create(context, &def, &none, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_null(none);
  pl_detail_filter_destroy(filter);
  pl_detail_set_destroy(set);
  drop_plate(&p);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(at_its_own_place_and_load_the_recorded_surface_comes_back),
      cmocka_unit_test(a_body_that_is_turned_and_moved_gives_the_turned_result),
      cmocka_unit_test(half_the_load_gives_half_the_detail_and_none_gives_none),
      cmocka_unit_test(nothing_happens_far_away_and_below),
      cmocka_unit_test(two_tools_in_one_place_do_not_add_up_twice),
      cmocka_unit_test(a_stamp_does_not_cross_a_cut),
      cmocka_unit_test(a_cut_that_comes_nearer_changes_the_weight_continuously),
      cmocka_unit_test(a_frame_allocates_nothing_and_leaves_no_trace),
      cmocka_unit_test(a_smaller_object_gets_smaller_stamps),
      cmocka_unit_test(wrong_frames_are_refused_and_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
