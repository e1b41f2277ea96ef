// From recordings to a set of examples: descriptors at the contact, the stamp of what the coarse surface lacks, and
// widths of the kernel.
//
// Displacements are kept in the stamping frame, turned back by the rotation of the material around the contact, and per
// metre of load: eq. 14 does not see how large a load is, so stamps must be scaled by it or a touch makes a full dent.
// Descriptors come from the same code that serves the filter, so that at the place and load of a recording its own
// example is found, to the last bit.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "detail/detail_set.h"
#include "detail/detail_stamp.h"

// Widths for fewer examples than tell anything by each other: about those that many come to.
static const double SITE_WIDTH = 0.1, PATCH_WIDTH = 0.1, LOAD_WIDTH = 0.4;
enum { MIN_FITTED = 4 };
// Loads whose directions are closer than this, at places closer than that, and whose sizes differ by more than the last
// differ in size alone.
static const double SAME_LOAD = 0.02, SAME_SITE = 0.02, OTHER_SIZE = 0.2;

// Closer than this fraction of the widths a mirror image is not another example; twice as much if the weights then
// cannot be made, but not more than the last.
static const double SAME_FRACTION = 0.2, MAX_SAME_FRACTION = 2;

typedef struct example {
  pl_detail_state state;
  double size;  // of the load, metres
} example;

typedef struct builder {
  pl_context *context;
  pl_detail_def def;
  pl_arena arena;  // until the set stands
  int32_t count;   // examples so far: recordings, then mirror images
  example *examples;
  float *keys, *sizes, *stamps;
  const char **labels;
  pl_detail_set_report report;
  // The object of the last recording.
  const pl_detail_object *object;
  pl_arena ground_arena;
  pl_detail_ground ground;
  pl_detail_slot slot;
  pl_reach_work work;
  float *field;
  pl_vec3 *values;
} builder;

static pl_status check_finite(const char *what, const pl_vec3 *points, int32_t count, int32_t index, pl_error *error) {
  if (points == NULL) return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "recording %d has no %s", index, what);
  for (int32_t i = 0; i < count; ++i)
    if (!pl_vec3_is_finite(points[i]))
      return pl_fail(error, PL_ERROR_INVALID_DATA, "recording %d: number %d of its %s is not finite", index, i, what);
  return PL_OK;
}

// Recordings of one object in a row share what follows from it.
static pl_status take_object(builder *b, const pl_detail_object *object, pl_error *error) {
  if (b->object == object) return PL_OK;
  b->object = NULL;
  pl_arena_destroy(&b->ground_arena);
  pl_arena_init(&b->ground_arena, b->context, 0);
  pl_arena *arena = &b->ground_arena;
  pl_status status = pl_detail_ground_build(arena, object, &b->ground, error);
  if (status < 0) return status;
  b->field = PL_TAKE(arena, float, VEC3_LANES *(size_t)b->ground.rows.row_count);
  b->values = PL_TAKE(arena, pl_vec3, object->surface_count);
  if (!pl_detail_slot_take(arena, &b->ground, &b->slot) || !pl_detail_ground_work(arena, &b->ground, &b->work))
    return pl_fail_memory(error);
  b->object = object;
  return PL_OK;
}

static double size_of(const pl_detail_def *def, const pl_vector_moments *load) {
  // Where loads are not compared, stamps are scaled by them all the same.
  return sqrt(pl_vector_moments_dot(load, load, 1, pl_moment_count(def->load_order > 0 ? def->load_order : 1)));
}

static pl_status take_stamp(builder *b, const pl_detail_recording *recording, const pl_detail_spot *spot, int32_t index,
                            pl_error *error) {
  const example *e = &b->examples[index];
  // Rest axes of the material as it is now, then those of the stamp; per metre of load.
  pl_mat3 turn = pl_mat3_multiply(e->state.frame, pl_mat3_transpose(e->state.rotation));
  for (int32_t i = 0; i < b->object->surface_count; ++i)
    b->values[i] = pl_vec3_scale(
        pl_mat3_apply(turn, pl_vec3_sub(recording->fine_points[i], recording->coarse_points[i])), 1.0 / e->size);
  pl_stamp_def def = {b->def.stamp_resolution, b->def.stamp_sides, b->def.stamp_radius, b->def.stamp_border};
  pl_stamp_source source = {&b->ground, &b->slot, spot, e->state.frame, b->values};
  double missing;
  float *map = b->stamps + 4 * pl_detail_def_samples(&b->def) * (size_t)index;
  if (!pl_stamp_record(b->context, &def, &source, map, &missing)) return pl_fail_memory(error);
  if (missing > b->report.stamp_error || index == 0) {
    b->report.stamp_error = missing;
    b->report.stamp_error_index = index;
  }
  return PL_OK;
}

static pl_status take_recording(builder *b, const pl_detail_recording *recording, int32_t index, pl_error *error) {
  if (recording->object == NULL) return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "recording %d has no object", index);
  pl_status status = take_object(b, recording->object, error);
  int32_t surface_count = recording->object->surface_count;
  if (status >= 0)
    status = check_finite("material displacements", recording->material_displacements,
                          recording->object->material_count, index, error);
  if (status >= 0) status = check_finite("coarse points", recording->coarse_points, surface_count, index, error);
  if (status >= 0) status = check_finite("fine points", recording->fine_points, surface_count, index, error);
  pl_detail_spot spot;
  if (status >= 0)
    status = pl_detail_spot_find(&b->ground, &recording->contact, index, recording->coarse_points, &spot, error);
  if (status < 0) return status;
  pl_detail_reach reach = {b->def.window_radius, b->def.stamp_radius};
  pl_detail_slot_aim(&b->ground, &reach, spot.triangle, &b->work, &b->slot);
  pl_field_rows_fill(&b->ground.rows, recording->material_displacements, recording->material_displacements[0],
                     b->field);
  example *e = &b->examples[index];
  pl_detail_spot_describe(&b->ground, &b->slot, &spot, b->field, b->def.window_radius, &e->state);
  if (b->def.patch_order >= 0)
    pl_detail_patch_describe(&b->ground, &recording->contact, &spot, b->def.window_radius, &e->state);
  e->size = size_of(&b->def, &e->state.load);
  if (!(e->size > b->def.min_load * b->def.window_radius) || !isfinite(e->size))
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "recording %d has no load: its coarse body is not deformed around the contact", index);
  b->sizes[index] = (float)e->size;
  b->labels[index] = recording->label == NULL ? "" : recording->label;
  return take_stamp(b, recording, &spot, index, error);
}

// The mean size if some recordings differ in size alone, otherwise 0.
static double choose_reference(const builder *b) {
  double sum = 0;
  bool wanted = false;
  for (int32_t i = 0; i < b->count; ++i) {
    const example *e = &b->examples[i];
    sum += e->size;
    for (int32_t j = 0; j < i && !wanted && b->def.load_order > 0; ++j) {
      const example *f = &b->examples[j];
      wanted = fabs(e->size - f->size) > OTHER_SIZE * fmin(e->size, f->size) &&
               pl_load_distance(&e->state.load, &f->state.load, b->def.load_order, 0) < SAME_LOAD &&
               pl_site_distance(&e->state.site, &f->state.site, b->def.site_order) < SAME_SITE;
    }
  }
  return wanted ? sum / b->count : 0;
}

// Scalar products of the stamps, which say how well one predicts another.
static void fill_products(const builder *b, double *products) {
  size_t size = 4 * pl_detail_def_samples(&b->def);
  for (int32_t i = 0; i < b->count; ++i)
    for (int32_t j = 0; j <= i; ++j) {
      const float *x = b->stamps + size * (size_t)i, *y = b->stamps + size * (size_t)j;
      double sum = 0;
      for (size_t k = 0; k < size; ++k) sum += (double)x[k] * (double)y[k];
      products[(size_t)i * (size_t)b->count + (size_t)j] = products[(size_t)j * (size_t)b->count + (size_t)i] = sum;
    }
}

static pl_status choose_widths(builder *b, const pl_key_layout *layout, pl_error *error) {
  pl_detail_def *def = &b->def;
  bool given = def->site_width > 0 && (def->patch_order < 0 || def->patch_width > 0) &&
               (def->load_order == 0 || def->load_width > 0);
  pl_widths widths = {SITE_WIDTH, PATCH_WIDTH, LOAD_WIDTH};
  if (!given && b->count >= MIN_FITTED) {
    double *products = PL_TAKE(&b->arena, double, (size_t)b->count *(size_t)b->count);
    if (products == NULL) return pl_fail_memory(error);
    fill_products(b, products);
    pl_detail_examples examples = {*layout, b->count, b->keys, false};
    pl_widths_report report = {0};
    pl_status status = pl_widths_fit(b->context, &examples, products, &widths, &report, error);
    if (status < 0) return status;
    b->report.prediction_error = report.error;
  }
  if (!(def->site_width > 0)) def->site_width = widths.site;
  if (!(def->patch_width > 0)) def->patch_width = def->patch_order < 0 ? 0 : widths.patch;
  if (!(def->load_width > 0)) def->load_width = def->load_order == 0 ? 0 : widths.load;
  return PL_OK;
}

// An example as seen in a mirror through x and z of its frame.
static void mirror_example(builder *b, int32_t from, int32_t to) {
  static const pl_mat3 mirror = {{{1, 0, 0}, {0, -1, 0}, {0, 0, 1}}};
  const pl_detail_state *state = &b->examples[from].state;
  b->examples[to] = b->examples[from];
  pl_moments_rotate(&state->site, mirror, &b->examples[to].state.site);
  pl_moments_rotate(&state->patch, mirror, &b->examples[to].state.patch);
  pl_vector_moments_rotate(&state->load, mirror, &b->examples[to].state.load);
  b->sizes[to] = b->sizes[from];
  b->labels[to] = b->labels[from];
  size_t n = (size_t)b->def.stamp_resolution, rows = (size_t)b->def.stamp_sides * n;
  const float *stamp = b->stamps + 4 * rows * n * (size_t)from;
  float *turned = b->stamps + 4 * rows * n * (size_t)to;
  for (size_t j = 0; j < rows; ++j) {
    size_t other = j / n * n + (n - 1 - j % n);
    memcpy(turned + 4 * n * j, stamp + 4 * n * other, 4 * n * sizeof *turned);
    for (size_t i = 0; i < n; ++i) turned[4 * (n * j + i) + 1] *= -1;
  }
}

// Mirror images of all recordings, but of those that look the same, or as another example does.
static void add_mirrored(builder *b, const pl_key_layout *layout, int32_t key_size, double same) {
  int32_t recording_count = b->count;
  for (int32_t i = 0; i < recording_count; ++i) {
    mirror_example(b, i, b->count);
    const pl_detail_state *state = &b->examples[b->count].state;
    float *key = b->keys + (size_t)key_size * (size_t)b->count;
    pl_key_pack(layout, &state->site, &state->patch, &state->load, key);
    bool is_new = true;
    for (int32_t j = 0; j < b->count && is_new; ++j) {
      pl_widths d = pl_key_distances(layout, key, b->keys + (size_t)key_size * (size_t)j);
      is_new = d.site > same * b->def.site_width || (layout->patch_order >= 0 && d.patch > same * b->def.patch_width) ||
               (layout->load_order > 0 && d.load > same * b->def.load_width);
    }
    b->count += is_new;
  }
  b->report.mirrored_count = b->count - recording_count;
}

static pl_status make_set(const builder *b, int32_t key_size, pl_detail_set **set, pl_detail_weights_report *report,
                          pl_error *error) {
  pl_detail_set_view view = {b->def, b->count, b->labels, key_size, b->keys, b->sizes, b->stamps};
  return pl_detail_set_make(b->context, &view, set, report, error);
}

static pl_status finish_set(builder *b, pl_detail_set **set, pl_error *error) {
  if (b->def.load_reference < 0) b->def.load_reference = choose_reference(b);
  pl_key_layout layout = pl_detail_def_layout(&b->def);
  int32_t key_size = pl_key_size(&layout);
  for (int32_t i = 0; i < b->count; ++i) {
    const pl_detail_state *state = &b->examples[i].state;
    pl_key_pack(&layout, &state->site, &state->patch, &state->load, b->keys + (size_t)key_size * (size_t)i);
  }
  // Widths are those of the recordings: a mirror image would tell too much of its original.
  pl_status status = choose_widths(b, &layout, error);
  if (status < 0) return status;
  pl_detail_weights_report report = {0};
  int32_t recording_count = b->count;
  double same = b->def.mirror ? SAME_FRACTION : HUGE_VAL;
  b->def.mirror = false;  // is done here
  do {
    // Mirror images cost no recording: those that cannot be distinguished from the rest are left out.
    b->count = recording_count;
    b->report.mirrored_count = 0;
    report = (pl_detail_weights_report){0};
    if (same <= MAX_SAME_FRACTION) add_mirrored(b, &layout, key_size, same);
    status = make_set(b, key_size, set, &report, error);
    same *= 2;
  } while (status == PL_ERROR_INVALID_DATA && b->report.mirrored_count > 0);
  b->report.site_width = b->def.site_width;
  b->report.patch_width = b->def.patch_width;
  b->report.load_width = b->def.load_width;
  b->report.inexactness = report.inexactness;
  b->report.max_group = report.max_group;
  return status;
}

static pl_status build(builder *b, const pl_detail_recording *recordings, pl_detail_set **set, pl_error *error) {
  size_t count = (size_t)b->count * (b->def.mirror ? 2 : 1);
  b->examples = PL_TAKE(&b->arena, example, count);
  b->keys = PL_TAKE(&b->arena, float, count *PL_KEY_MAX_SIZE);
  b->sizes = PL_TAKE(&b->arena, float, count);
  b->stamps = PL_TAKE(&b->arena, float, 4 * count * pl_detail_def_samples(&b->def));
  b->labels = PL_TAKE(&b->arena, const char *, count);
  if (b->arena.failed) return pl_fail_memory(error);
  for (int32_t i = 0; i < b->count; ++i) {
    pl_status status = take_recording(b, &recordings[i], i, error);
    if (status < 0) return status;
  }
  return finish_set(b, set, error);
}

pl_status pl_detail_set_build(pl_context *context, const pl_detail_def *def, const pl_detail_recordings *recordings,
                              pl_detail_set **set, pl_detail_set_report *report, pl_error *error) {
  *set = NULL;
  pl_status status = pl_detail_def_check(def, false, error);
  if (status < 0) return status;
  if (recordings->count < 1 || recordings->count > (1 << 20))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a set cannot be built from %d recordings", recordings->count);
  builder b = {.context = context, .def = *def, .count = recordings->count};
  if (!(b.def.stamp_radius > 0)) b.def.stamp_radius = 2.5 * b.def.window_radius;
  pl_arena_init(&b.arena, context, 0);
  pl_arena_init(&b.ground_arena, context, 0);
  status = build(&b, recordings->items, set, error);
  pl_arena_destroy(&b.ground_arena);
  pl_arena_destroy(&b.arena);
  if (status >= 0 && report != NULL) *report = b.report;
  return status;
}
