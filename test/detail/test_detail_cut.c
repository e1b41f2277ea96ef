// Cuts: stamps end at them, descriptors see them, and weights change without a jump as an object is cut or half of it
// goes.
// ctest: unit
#include "fixtures/detail_plates.h"

static const double DEPTH = 0.02;

// The plate cut by `def`, with its own arrays.
static plate cut_plate(pl_context *context, const plate *whole, const pl_cut_def *def) {
  plate p = {0};
  pl_error error = {0};
  pl_cut_result result;
  check_ok(pl_mesh_cut(context, def, whole->mesh, &result, &error), &error);
  pl_embedding_destroy(result.embedding);
  p.mesh = result.mesh;
  take_mesh(context, &p);
  return p;
}

// Points that moved, of the piece that the contact is on and of the others. Which piece a point belongs to follows from
// the tets, independently of the filter.
static void count_moved(pl_context *context, const plate *p, int32_t triangle, int32_t moved[2]) {
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  int32_t *component = NULL, component_count = 0;
  assert_true(pl_components_find(&arena, (pl_elements){p->object.tets, p->object.tet_count, 4},
                                 p->object.material_count, &component, &component_count));
  assert_int_equal(component_count, 2);
  int32_t here = component[p->material_of_surface[p->object.triangles[3 * triangle]]];
  moved[0] = moved[1] = 0;
  for (int32_t i = 0; i < p->object.surface_count; ++i)
    moved[component[p->material_of_surface[i]] != here] += memcmp(&p->found[i], &p->coarse[i], sizeof(pl_vec3)) != 0;
  pl_arena_destroy(&arena);
}

// A set of one press in the middle whose kernel is so wide that a cut changes its weight little: whatever holds stamps
// back at a cut, it is not the weight.
static pl_detail_set *widen(pl_context *context, const pl_detail_set *set) {
  pl_detail_set_view view = pl_detail_set_get_view(set);
  view.def.site_width = 2;
  view.def.load_width = 2;
  pl_detail_set *wide = NULL;
  pl_error error = {0};
  check_ok(pl_detail_set_create(context, &view, &wide, &error), &error);
  return wide;
}

// Recorded in the middle of an uncut plate, pressed there again next to cuts of all kinds: what lies beyond the cut
// stays where it is, bit by bit.
static void a_stamp_does_not_cross_a_cut(void **state) {
  (void)state;
  filtered_plate f = open_filtered(make_context(1), 24, DEPTH);
  pl_detail_set *wide = widen(f.context, f.set);
  static const struct {
    pl_vec3 point, normal;
  } planes[] = {{{0.06, 0, 0}, {1, 0, 0}},   {{-0.03, 0, 0}, {1, 0, 0}},   {{0.08, 0, 0}, {1, 0.7, 0}},
                {{0.04, 0, 0}, {1, 0, 0.6}}, {{0.05, 0, 0.1}, {1, 0, -2}}, {{0, 0, 0.02}, {0, 0, 1}}};
  press again = press_at(0, 0, DEPTH);
  press_filtered(&f, &again);
  for (size_t k = 0; k < sizeof planes / sizeof planes[0]; ++k) {
    pl_cut_def def = pl_default_cut_def();
    def.plane_point = planes[k].point;
    def.plane_normal = planes[k].normal;
    plate p = cut_plate(f.context, &f.p, &def);
    pl_detail_filter *filter = filter_of(f.context, wide, &p), *narrow = filter_of(f.context, f.set, &p);
    pl_detail_contact_report report, narrow_report;
    int32_t moved[2];
    press_plate(&p, &again);
    enrich(narrow, &p, &f.contact, 1, &narrow_report);
    enrich(filter, &p, &f.contact, 1, &report);
    count_moved(f.context, &p, report.triangle, moved);
    printf("cut %d: moved on this side %d, beyond %d; weight %.3f, with the fitted kernel %.3f, uncut %.3f\n", (int)k,
           moved[0], moved[1], report.best_weight, narrow_report.best_weight, f.report.best_weight);
    assert_true(report.best_weight > 0.8 && moved[0] > 100);
    assert_int_equal(moved[1], 0);
    assert_true(narrow_report.best_weight < f.report.best_weight - 0.05);  // the descriptors see the cut
    pl_detail_filter_destroy(filter);
    pl_detail_filter_destroy(narrow);
    drop_plate(&p);
  }
  pl_detail_set_destroy(wide);
  close_filtered(&f);
}

// A blade that cuts from one rim half-way in, through the whole thickness, close next to the contact: the two sides are
// still connected beyond its tip, but not here.
static void a_stamp_does_not_cross_a_blades_cut_that_ends_in_the_plate(void **state) {
  (void)state;
  filtered_plate f = open_filtered(make_context(1), 24, DEPTH);
  press again = press_at(0, -0.25, DEPTH);
  const pl_vec3 hilts[2] = {{0.03, -0.6, 0.2}, {0.03, 0.1, 0.2}}, tips[2] = {{0.03, -0.6, -0.2}, {0.03, 0.1, -0.2}};
  pl_cut_def def = pl_default_cut_def();
  def.blade_count = 2;
  def.blade_hilts = hilts;
  def.blade_tips = tips;
  plate p = cut_plate(f.context, &f.p, &def);
  pl_detail_set *wide = widen(f.context, f.set);
  pl_detail_filter *filter = filter_of(f.context, wide, &p);
  press_plate(&p, &again);
  pl_detail_contact contact = contact_of(&again);
  enrich(filter, &p, &contact, 1, NULL);
  int32_t moved_here = 0, beyond = 0;
  for (int32_t i = 0; i < p.object.surface_count; ++i) {
    pl_vec3 x = p.object.surface_points[i];
    bool moved = memcmp(&p.found[i], &p.coarse[i], sizeof(pl_vec3)) != 0;
    moved_here += moved && x.x < 0.029;
    // Next to the contact the way round the tip is more than twice as long as the straight one.
    if (x.x > 0.031 && x.y < -0.2 && x.z > PLATE_TOP - 1e-9 && hypot(x.x, x.y + 0.25) < PLATE_STAMP) {
      assert_false(moved);
      beyond++;
    }
  }
  printf("blade: moved on this side %d; beyond, next to the contact, 0 of %d\n", moved_here, beyond);
  assert_true(moved_here > 20 && beyond > 10);
  pl_detail_filter_destroy(filter);
  pl_detail_set_destroy(wide);
  drop_plate(&p);
  close_filtered(&f);
}

// Largest change of the weight from one cut to the next, as cuts come nearer to the contact by `step` metres at a time.
static double approach(filtered_plate *f, double step) {
  press again = press_at(0, 0, DEPTH);
  double last = 1, jump = 0;
  for (double x = 0.4; x > 0.01; x -= step) {
    pl_cut_def def = pl_default_cut_def();
    def.plane_point = pl_vec3_of(x, 0, 0);
    plate p = cut_plate(f->context, &f->p, &def);
    pl_detail_filter *filter = filter_of(f->context, f->set, &p);
    press_plate(&p, &again);
    pl_detail_contact contact = contact_of(&again);
    pl_detail_contact_report report;
    enrich(filter, &p, &contact, 1, &report);
    check_at_most(report.best_weight, last + 0.02);
    jump = fmax(jump, last - report.best_weight);
    last = report.best_weight;
    pl_detail_filter_destroy(filter);
    drop_plate(&p);
  }
  check_at_most(last, 0.1);
  return jump;
}

// A cut comes nearer and nearer to the contact: the weight falls from 1 to nothing without a jump, by less the smaller
// the steps are.
static void a_cut_that_comes_nearer_changes_the_weight_continuously(void **state) {
  (void)state;
  filtered_plate f = open_filtered(make_context(1), 20, DEPTH);
  double rough = approach(&f, 0.02), fine = approach(&f, 0.005);
  printf("a cut that comes nearer: weight falls by at most %.3f in 20 mm, %.3f in 5 mm\n", rough, fine);
  check_at_most(rough, 0.2);
  check_at_most(fine, 0.35 * rough);
  close_filtered(&f);
}

enum { PRESS_COUNT = 4 };

// Middle, near an edge, beyond that, and near a corner.
static pl_detail_set *record_places(pl_context *context, plate *p) {
  const press presses[PRESS_COUNT] = {press_at(0, 0, DEPTH), press_at(0.47, 0.02, DEPTH), press_at(0.36, 0, DEPTH),
                                      press_at(0.42, 0.4, DEPTH)};
  plate recorded[PRESS_COUNT];
  pl_detail_recording recordings[PRESS_COUNT];
  for (int k = 0; k < PRESS_COUNT; ++k) {
    recorded[k] = make_plate(context, 20);
    press_plate(&recorded[k], &presses[k]);
    recordings[k] = (pl_detail_recording){.object = &p->object,
                                          .material_displacements = recorded[k].displacements,
                                          .coarse_points = recorded[k].coarse,
                                          .fine_points = recorded[k].fine,
                                          .contact = contact_of(&presses[k])};
  }
  pl_detail_def def = plate_def();
  def.site_width = 0.1;
  def.load_width = 0.3;
  pl_detail_set *set = NULL;
  pl_error error = {0};
  check_ok(
      pl_detail_set_build(context, &def, &(pl_detail_recordings){recordings, PRESS_COUNT, NULL}, &set, NULL, &error),
      &error);
  for (int k = 0; k < PRESS_COUNT; ++k) drop_plate(&recorded[k]);
  return set;
}

typedef struct removal {
  double weight_jump, weight_way,
      point_jump;  // largest change in one step, the sum of all, and the farthest a point moved in one step, metres
} removal;

// Half of the plate, from right next to the contact on, goes in `steps` steps. The contact is where the place has a
// direction from the beginning: amid a flat one that of the frame is any, and turns at once with the first material
// that goes.
static removal remove_half(pl_context *context, const pl_detail_set *set, plate *p, int32_t steps) {
  size_t count = (size_t)p->object.material_count;
  double *whole = calloc(count, sizeof *whole), *left = malloc(count * sizeof *left), last[PRESS_COUNT] = {0};
  for (int32_t t = 0; t < p->object.tet_count; ++t)
    for (int k = 0; k < 4; ++k) whole[p->object.tets[4 * t + k]] += 0.2 / p->object.tet_count / 4;
  press load = press_at(0.36, 0.01, DEPTH);
  press_plate(p, &load);
  pl_detail_contact contact = contact_of(&load);
  removal found = {0, 0, 0};
  pl_vec3 *before = NULL;
  for (int32_t step = 0; step <= steps; ++step) {
    for (size_t m = 0; m < count; ++m)
      left[m] = whole[m] * (p->object.material_points[m].y > 0.02 ? 1 - (double)step / steps : 1);
    plate part = *p;
    part.object.material_volumes = left;
    pl_detail_filter *filter = filter_of(context, set, &part);
    enrich(filter, &part, &contact, 1, NULL);
    double weights[PRESS_COUNT], change = 0;
    pl_detail_filter_get_weights(filter, 0, weights);
    for (int k = 0; k < PRESS_COUNT; ++k) change = fmax(change, fabs(weights[k] - last[k]));
    for (int32_t i = 0; step > 0 && i < p->object.surface_count; ++i)
      found.point_jump = fmax(found.point_jump, pl_vec3_distance(part.found[i], before[i]));
    if (step > 0) found.weight_jump = fmax(found.weight_jump, change);
    if (step > 0) found.weight_way += change;
    memcpy(last, weights, sizeof last);
    free(before);
    before = copy_found(p);
    pl_detail_filter_destroy(filter);
  }
  free(before);
  free(whole);
  free(left);
  return found;
}

// Continuous means: in half as large a step nothing changes by much more than half as much.
static void removing_half_of_the_object_under_the_tool_changes_the_weights_continuously(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  plate p = make_plate(context, 20);
  pl_detail_set *set = record_places(context, &p);
  removal rough = remove_half(context, set, &p, 16), fine = remove_half(context, set, &p, 64);
  printf("half removed: weights go %.2f; in 16 steps at most %.3f and %.3g m a step, in 64 at most %.4f and %.3g m\n",
         fine.weight_way, rough.weight_jump, rough.point_jump, fine.weight_jump, fine.point_jump);
  assert_true(fine.weight_way > 0.5);
  check_at_most(fine.weight_jump, 0.3 * rough.weight_jump);
  check_at_most(fine.point_jump, 0.3 * rough.point_jump);
  pl_detail_set_destroy(set);
  drop_plate(&p);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stamp_does_not_cross_a_cut),
      cmocka_unit_test(a_stamp_does_not_cross_a_blades_cut_that_ends_in_the_plate),
      cmocka_unit_test(a_cut_that_comes_nearer_changes_the_weight_continuously),
      cmocka_unit_test(removing_half_of_the_object_under_the_tool_changes_the_weights_continuously),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
