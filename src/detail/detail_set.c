// A set of examples from its parts: checks, copies, and the weights that make it ready to be looked up.
#include "detail/detail_set.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

static pl_status check_view(const pl_detail_set_view *view, pl_error *error) {
  pl_status status = pl_detail_def_check(&view->def, true, error);
  if (status < 0) return status;
  pl_key_layout layout = pl_detail_def_layout(&view->def);
  if (view->example_count < 1 || view->key_size != pl_key_size(&layout))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                   "a set of %d examples with keys of %d numbers cannot be made; these orders want %d",
                   view->example_count, view->key_size, pl_key_size(&layout));
  size_t sample_count = 4 * pl_detail_def_samples(&view->def);
  for (int32_t i = 0; i < view->example_count; ++i) {
    if (!(view->sizes[i] > 0) || !isfinite(view->sizes[i]))
      return pl_fail(error, PL_ERROR_INVALID_DATA, "example %d has no load", i);
    for (size_t k = 0; k < sample_count; ++k)
      if (!isfinite(view->stamps[sample_count * (size_t)i + k]))
        return pl_fail(error, PL_ERROR_INVALID_DATA, "the stamp of example %d is not finite", i);
  }
  return PL_OK;
}

// The last number of a sample is 0 and stays so: kernels add it up with the rest.
static float *copy_stamps(pl_arena *arena, const pl_detail_set_view *view) {
  size_t count = (size_t)view->example_count * pl_detail_def_samples(&view->def);
  float *stamps = pl_arena_copy(arena, view->stamps, 4 * count, sizeof *stamps);
  for (size_t i = 0; stamps != NULL && i < count; ++i) stamps[4 * i + 3] = 0;
  return stamps;
}

static bool copy_view(pl_detail_set *set, const pl_detail_set_view *view) {
  pl_arena *arena = &set->arena;
  size_t count = (size_t)view->example_count;
  char **labels = PL_TAKE(arena, char *, count);
  set->view = *view;
  set->layout = pl_detail_def_layout(&view->def);
  for (size_t i = 0; labels != NULL && i < count; ++i)
    labels[i] = pl_arena_copy_text(arena, view->labels == NULL || view->labels[i] == NULL ? "" : view->labels[i]);
  set->view.labels = (const char *const *)labels;
  set->view.keys = pl_arena_copy(arena, view->keys, count * (size_t)view->key_size, sizeof(float));
  set->view.sizes = pl_arena_copy(arena, view->sizes, count, sizeof(float));
  set->view.stamps = copy_stamps(arena, view);
  return !arena->failed;
}

pl_status pl_detail_set_make(pl_context *context, const pl_detail_set_view *view, pl_detail_set **set,
                             pl_detail_weights_report *report, pl_error *error) {
  *set = NULL;
  pl_status status = check_view(view, error);
  if (status < 0) return status;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_detail_set *made = PL_TAKE(&arena, pl_detail_set, 1);
  if (made == NULL) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  made->arena = arena;
  pl_detail_examples examples = {made->layout, view->example_count, view->keys, view->def.plain_weights};
  pl_widths widths = {view->def.site_width, view->def.patch_width, view->def.load_width};
  if (copy_view(made, view)) {
    examples.layout = made->layout;
    status = pl_detail_weights_build(context, &examples, &widths, &made->weights, report, error);
  } else {
    status = pl_fail_memory(error);
  }
  if (status < 0) {
    pl_detail_set_destroy(made);
    return status;
  }
  *set = made;
  return PL_OK;
}

pl_status pl_detail_set_create(pl_context *context, const pl_detail_set_view *view, pl_detail_set **set,
                               pl_error *error) {
  return pl_detail_set_make(context, view, set, NULL, error);
}

void pl_detail_set_destroy(pl_detail_set *set) {
  if (set == NULL) return;
  pl_detail_weights_destroy(set->weights);
  pl_arena_destroy(&set->arena);
}

pl_detail_set_view pl_detail_set_get_view(const pl_detail_set *set) {
  return set->view;
}

size_t pl_detail_set_scratch_size(const pl_detail_set *set) {
  return pl_detail_weights_scratch(set->weights);
}

void pl_detail_set_compare(const pl_detail_set *set, const float *key, float *scratch, float *similarities) {
  pl_detail_similarities(set->weights, key, scratch, similarities);
}

int32_t pl_detail_set_compute_weights(const pl_detail_set *set, const float *key, float *scratch, float *weights) {
  return pl_detail_weights_evaluate(set->weights, key, scratch, weights);
}

pl_status pl_detail_set_preview(const pl_detail_set *set, int32_t example, int32_t side, uint8_t *pixels) {
  if (example < 0 || example >= set->view.example_count || side < 1) return PL_ERROR_NOT_FOUND;
  int32_t n = set->view.def.stamp_resolution;
  const float *stamp = set->view.stamps + 4 * pl_detail_def_samples(&set->view.def) * (size_t)example;
  float max = 0;
  for (size_t i = 0; i < (size_t)n * (size_t)n; ++i) max = fmaxf(max, fabsf(stamp[4 * i + 2]));
  for (int32_t row = 0; row < side; ++row)
    for (int32_t column = 0; column < side; ++column) {
      int64_t i = ((2 * (int64_t)column + 1) * n) / (2 * (int64_t)side),
              j = n - 1 - ((2 * (int64_t)row + 1) * n) / (2 * (int64_t)side);
      float height = max > 0 ? stamp[4 * (size_t)(j * n + i) + 2] / max : 0.0f;
      pixels[(size_t)row * (size_t)side + (size_t)column] = (uint8_t)(128.5f + 127.0f * height);
    }
  return PL_OK;
}
