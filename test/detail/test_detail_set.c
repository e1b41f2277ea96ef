// Sets of examples: each is found again among the others, depths and patches are distinguished, and what cannot be a
// set is refused.
// ctest: unit
#include "base/random.h"
#include "fixtures/detail_plates.h"

enum { MAX_PRESS = 8 };

typedef struct session {
  plate plates[MAX_PRESS];  // arrays of one press each; meshes are those of the first
  press presses[MAX_PRESS];
  pl_detail_recording recordings[MAX_PRESS];
  int32_t count;
} session;

static void record(pl_context *context, session *s, int32_t cells, const press *presses, int32_t count) {
  s->count = count;
  for (int32_t i = 0; i < count; ++i) {
    s->plates[i] = make_plate(context, cells);
    s->presses[i] = presses[i];
    press_plate(&s->plates[i], &presses[i]);
    s->recordings[i] = (pl_detail_recording){.object = &s->plates[0].object,
                                             .material_displacements = s->plates[i].displacements,
                                             .coarse_points = s->plates[i].coarse,
                                             .fine_points = s->plates[i].fine,
                                             .contact = contact_of(&presses[i])};
  }
}

static void drop_session(session *s) {
  for (int32_t i = 0; i < s->count; ++i) drop_plate(&s->plates[i]);
}

// How far from each recording the filter is at its place and load.
static double worst_missing(pl_context *context, const pl_detail_set *set, session *s) {
  pl_detail_filter *filter = filter_of(context, set, &s->plates[0]);
  double worst = 0;
  for (int32_t i = 0; i < s->count; ++i) {
    plate *p = &s->plates[i];
    pl_detail_contact contact = s->recordings[i].contact;
    enrich(filter, p, &contact, 1, NULL);
    worst = fmax(worst, fraction_missing(p->found, p->fine, p->fine, p->coarse, p->object.surface_count));
  }
  pl_detail_filter_destroy(filter);
  return worst;
}

static void every_example_is_found_again_among_the_others(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  session s;
  const press presses[] = {press_at(0, 0, 0.02),    press_at(0.35, 0, 0.02),  press_at(0.35, 0.35, 0.02),
                           press_at(0.15, 0, 0.03), press_at(0.1, 0.4, 0.01), press_at(0.25, 0.25, 0.02)};
  record(context, &s, 20, presses, 6);
  pl_detail_def def = plate_def();
  pl_detail_set *set = NULL;
  pl_detail_set_report report;
  pl_error error = {0};
  check_ok(
      pl_detail_set_build(context, &def, &(pl_detail_recordings){s.recordings, s.count, NULL}, &set, &report, &error),
      &error);
  double missing = worst_missing(context, set, &s);
  printf("missing at most %.3g; stamps %.3g; widths %.3g %.3g; prediction %.3g; inexactness %.3g\n", missing,
         report.stamp_error, report.site_width, report.load_width, report.prediction_error, report.inexactness);
  check_at_most(report.stamp_error, 0.01);
  check_at_most(missing, 0.01);
  pl_detail_set_destroy(set);
  drop_session(&s);
  drop_context(context);
}

// One place at three depths: eq. 14 cannot tell them apart, the reference can.
static void depths_of_one_press_are_distinguished(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  session s;
  const press presses[] = {press_at(0, 0, 0.01), press_at(0, 0, 0.02), press_at(0, 0, 0.04)};
  record(context, &s, 16, presses, 3);
  // Folds that come with depth: the deepest has twice the detail that its depth would give.
  for (int32_t i = 0; i < s.plates[2].object.surface_count; ++i)
    s.plates[2].fine[i] = pl_vec3_lerp(s.plates[2].coarse[i], s.plates[2].fine[i], 2);
  pl_detail_def def = plate_def();
  pl_detail_set *set = NULL;
  pl_error error = {0};
  check_ok(pl_detail_set_build(context, &def, &(pl_detail_recordings){s.recordings, s.count, NULL}, &set, NULL, &error),
           &error);
  assert_true(pl_detail_set_get_view(set).def.load_reference > 0);
  check_at_most(worst_missing(context, set, &s), 0.01);
  pl_detail_set_destroy(set);
  def.load_reference = 0;
  assert_int_equal(
      pl_detail_set_build(context, &def, &(pl_detail_recordings){s.recordings, s.count, NULL}, &set, NULL, &error),
      PL_ERROR_INVALID_DATA);
  assert_null(set);
  drop_session(&s);
  drop_context(context);
}

// The same coarse deformation under a wide and under a narrow tool, with different details: only the patch tells.
static void tools_are_distinguished_by_their_patch(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  session s;
  const press presses[] = {press_at(0, 0, 0.02), press_at(0, 0, 0.02)};
  record(context, &s, 16, presses, 2);
  for (int32_t i = 0; i < s.plates[1].object.surface_count; ++i)
    s.plates[1].fine[i] = pl_vec3_lerp(s.plates[1].coarse[i], s.plates[1].fine[i], -0.5);
  s.recordings[0].contact.radius = 0.02;
  s.recordings[1].contact.radius = 0.15;
  pl_detail_def def = plate_def();
  pl_detail_set *set = NULL;
  pl_error error = {0};
  assert_int_equal(
      pl_detail_set_build(context, &def, &(pl_detail_recordings){s.recordings, s.count, NULL}, &set, NULL, &error),
      PL_ERROR_INVALID_DATA);
  def.patch_order = 2;
  check_ok(pl_detail_set_build(context, &def, &(pl_detail_recordings){s.recordings, s.count, NULL}, &set, NULL, &error),
           &error);
  check_at_most(worst_missing(context, set, &s), 0.01);
  pl_detail_set_destroy(set);
  // Points of the surface serve as well as a radius.
  int32_t touched[256], touched_count = 0;
  const pl_detail_object *object = &s.plates[0].object;
  for (int32_t i = 0; i < object->surface_count && touched_count < 256; ++i) {
    pl_vec3 x = object->surface_points[i];
    if (x.z > PLATE_TOP - 1e-9 && fabs(x.x) < 0.2 && fabs(x.y) < 0.05) touched[touched_count++] = i;
  }
  s.recordings[1].contact.patch_points = touched;
  s.recordings[1].contact.patch_count = touched_count;
  check_ok(pl_detail_set_build(context, &def, &(pl_detail_recordings){s.recordings, s.count, NULL}, &set, NULL, &error),
           &error);
  check_at_most(worst_missing(context, set, &s), 0.01);
  pl_detail_set_destroy(set);
  drop_session(&s);
  drop_context(context);
}

// Press near a corner, off its diagonal, and press the mirrored place: with mirror images the mirrored surface comes
// out, without them a quarter of its detail is missing.
static void mirror_images_serve_mirrored_places(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  session s;
  // The plate's tets look the same when x and y change places, its detail does not: that of the second press is the
  // mirror image of the first.
  const press presses[] = {press_at(0.4, 0.3, 0.02), press_at(0.3, 0.4, 0.02)};
  record(context, &s, 20, presses, 2);
  plate *p = &s.plates[1];
  for (int32_t i = 0; i < p->object.surface_count; ++i) {
    pl_vec3 x = p->object.surface_points[i], detail = fine_detail(&presses[0], pl_vec3_of(x.y, x.x, x.z));
    p->fine[i] = pl_vec3_add(p->coarse[i], pl_vec3_of(detail.y, detail.x, detail.z));
  }
  pl_detail_def def = plate_def();
  pl_error error = {0};
  double left[2];
  for (int mirror = 0; mirror < 2; ++mirror) {
    def.mirror = mirror == 1;
    pl_detail_set *set = NULL;
    pl_detail_set_report report;
    check_ok(pl_detail_set_build(context, &def, &(pl_detail_recordings){s.recordings, 1, NULL}, &set, &report, &error),
             &error);
    assert_int_equal(report.mirrored_count, mirror);
    assert_int_equal(pl_detail_set_get_view(set).example_count, 1 + mirror);
    pl_detail_filter *filter = filter_of(context, set, p);
    enrich(filter, p, &s.recordings[1].contact, 1, NULL);
    left[mirror] = fraction_missing(p->found, p->fine, p->fine, p->coarse, p->object.surface_count);
    pl_detail_filter_destroy(filter);
    pl_detail_set_destroy(set);
  }
  printf("left at the mirrored place: %.3f without, %.3f with mirror images\n", left[0], left[1]);
  check_at_most(0.2, left[0]);
  check_at_most(left[1], 0.01);
  // A press in the middle of the plate is its own mirror image.
  const press middle[] = {press_at(0, 0, 0.02)};
  drop_session(&s);
  record(context, &s, 16, middle, 1);
  pl_detail_set *set = NULL;
  pl_detail_set_report report;
  check_ok(pl_detail_set_build(context, &def, &(pl_detail_recordings){s.recordings, 1, NULL}, &set, &report, &error),
           &error);
  assert_int_equal(report.mirrored_count, 0);
  pl_detail_set_destroy(set);
  drop_session(&s);
  drop_context(context);
}

static void a_set_made_from_its_parts_is_the_same(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  session s;
  const press presses[] = {press_at(0, 0, 0.02), press_at(0.3, 0.1, 0.02)};
  record(context, &s, 12, presses, 2);
  s.recordings[1].label = "near the edge";
  pl_detail_def def = plate_def();
  pl_detail_set *set = NULL, *copy = NULL;
  pl_error error = {0};
  check_ok(pl_detail_set_build(context, &def, &(pl_detail_recordings){s.recordings, s.count, NULL}, &set, NULL, &error),
           &error);
  pl_detail_set_view view = pl_detail_set_get_view(set);
  check_ok(pl_detail_set_create(context, &view, &copy, &error), &error);
  assert_string_equal(pl_detail_set_get_view(copy).labels[0], "");
  assert_string_equal(pl_detail_set_get_view(copy).labels[1], "near the edge");
  pl_detail_filter *first = filter_of(context, set, &s.plates[0]), *second = filter_of(context, copy, &s.plates[0]);
  press between = press_at(0.15, 0.05, 0.015);
  plate *p = &s.plates[0];
  press_plate(p, &between);
  pl_detail_contact contact = contact_of(&between);
  enrich(first, p, &contact, 1, NULL);
  memcpy(p->fine, p->found, (size_t)p->object.surface_count * sizeof *p->fine);
  enrich(second, p, &contact, 1, NULL);
  assert_memory_equal(p->fine, p->found, (size_t)p->object.surface_count * sizeof *p->fine);
  double weights[2], others[2];
  pl_detail_filter_get_weights(first, 0, weights);
  pl_detail_filter_get_weights(second, 0, others);
  assert_memory_equal(weights, others, sizeof weights);
  pl_detail_filter_get_weights(first, 1, weights);
  check_near(fabs(weights[0]) + fabs(weights[1]), 0, 0);
  // A picture: grey where nothing is, the middle of the first stamp is pushed outward (cos 0 = 1).
  uint8_t pixels[17 * 17];
  assert_int_equal(pl_detail_set_preview(set, 0, 17, pixels), PL_OK);
  assert_int_equal(pixels[0], 128);
  assert_true(pixels[17 * 8 + 8] > 200);
  assert_int_equal(pl_detail_set_preview(set, 2, 17, pixels), PL_ERROR_NOT_FOUND);
  pl_detail_filter_destroy(first);
  pl_detail_filter_destroy(second);
  pl_detail_set_destroy(set);
  pl_detail_set_destroy(copy);
  drop_session(&s);
  drop_context(context);
}

static void what_cannot_be_a_set_is_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  session s;
  const press presses[] = {press_at(0, 0, 0.02), press_at(0.3, 0.1, 0.02)};
  record(context, &s, 10, presses, 2);
  pl_detail_def def = plate_def(), wrong = {0};
  pl_detail_set *set = NULL;
  pl_error error = {0};
  assert_int_equal(
      pl_detail_set_build(context, &wrong, &(pl_detail_recordings){s.recordings, 2, NULL}, &set, NULL, &error),
      PL_ERROR_INVALID_ARGUMENT);
  wrong = def;
  wrong.window_radius = 0;
  assert_int_equal(
      pl_detail_set_build(context, &wrong, &(pl_detail_recordings){s.recordings, 2, NULL}, &set, NULL, &error),
      PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(
      pl_detail_set_build(context, &def, &(pl_detail_recordings){s.recordings, 0, NULL}, &set, NULL, &error),
      PL_ERROR_INVALID_ARGUMENT);
  // Twice the same.
  pl_detail_recording twice[2] = {s.recordings[0], s.recordings[0]};
  assert_int_equal(pl_detail_set_build(context, &def, &(pl_detail_recordings){twice, 2, NULL}, &set, NULL, &error),
                   PL_ERROR_INVALID_DATA);
  // No load.
  memset(s.plates[1].displacements, 0, (size_t)s.plates[1].object.material_count * sizeof(pl_vec3));
  assert_int_equal(
      pl_detail_set_build(context, &def, &(pl_detail_recordings){s.recordings, 2, NULL}, &set, NULL, &error),
      PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "recording 1"));
  s.plates[0].fine[5].y = (double)INFINITY;
  assert_int_equal(
      pl_detail_set_build(context, &def, &(pl_detail_recordings){s.recordings, 1, NULL}, &set, NULL, &error),
      PL_ERROR_INVALID_DATA);
  s.recordings[0].fine_points = NULL;
  assert_int_equal(
      pl_detail_set_build(context, &def, &(pl_detail_recordings){s.recordings, 1, NULL}, &set, NULL, &error),
      PL_ERROR_INVALID_ARGUMENT);
  assert_null(set);
  drop_session(&s);
  drop_context(context);
}

static void running_out_of_memory_is_a_status(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  session s;
  const press presses[] = {press_at(0, 0, 0.02), press_at(0.3, 0.1, 0.02)};
  record(context, &s, 6, presses, 2);
  pl_detail_def def = plate_def();
  def.stamp_resolution = 8;
  int64_t held = allocator.live_count, tried = 0;
  for (bool done = false; !done; ++tried) {
    pl_detail_set *set = NULL;
    pl_detail_filter *filter = NULL;
    pl_error error = {0};
    allocator.fail_at = allocator.call_count + tried + 1;
    pl_status status =
        pl_detail_set_build(context, &def, &(pl_detail_recordings){s.recordings, 2, NULL}, &set, NULL, &error);
    pl_detail_filter_def filter_def = pl_default_detail_filter_def();
    filter_def.set = set;
    filter_def.object = &s.plates[0].object;
    if (status >= 0) status = pl_detail_filter_create(context, &filter_def, &filter, &error);
    done = status == PL_OK;
    assert_true(done || status == PL_ERROR_OUT_OF_MEMORY);
    assert_true(done == (filter != NULL));
    pl_detail_filter_destroy(filter);
    pl_detail_set_destroy(set);
    assert_int_equal(allocator.live_count, held);
  }
  assert_true(tried > 20);
  allocator.fail_at = 0;
  drop_session(&s);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_example_is_found_again_among_the_others),
      cmocka_unit_test(depths_of_one_press_are_distinguished),
      cmocka_unit_test(tools_are_distinguished_by_their_patch),
      cmocka_unit_test(mirror_images_serve_mirrored_places),
      cmocka_unit_test(a_set_made_from_its_parts_is_the_same),
      cmocka_unit_test(what_cannot_be_a_set_is_refused),
      cmocka_unit_test(running_out_of_memory_is_a_status),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
