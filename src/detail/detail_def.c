// Defaults and validation of pl_detail_def.
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "detail/detail_set.h"

pl_detail_def pl_default_detail_def(void) {
  return (pl_detail_def){
      .stamp_resolution = 64,
      .stamp_border = 0.25,
      .stamp_sides = 2,
      .site_order = 3,
      .patch_order = -1,
      .load_order = 2,
      .min_load = 1e-4,
      .load_reference = -1,
      .overload = 1.5,
      .magic = PL_DEF_MAGIC,
  };
}

static pl_status check_order(const char *field, int32_t order, int32_t min, int32_t max, pl_error *error) {
  return order >= min && order <= max
             ? PL_OK
             : pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, field, "%d is not between %d and %d", order, min, max);
}

pl_status pl_detail_def_check(const pl_detail_def *def, bool complete, pl_error *error) {
  pl_status status = pl_check_def(def->magic, "pl_detail_def", error);
  if (status >= 0) status = pl_check_range("window_radius", def->window_radius, 0, 1e6, false, error);
  if (status >= 0) status = pl_check_range("stamp_radius", def->stamp_radius, 0, 1e6, !complete, error);
  if (status >= 0) status = check_order("stamp_resolution", def->stamp_resolution, 4, 512, error);
  if (status >= 0) status = pl_check_range("stamp_border", def->stamp_border, 0, 1, true, error);
  if (status >= 0) status = check_order("stamp_sides", def->stamp_sides, 1, 2, error);
  if (status >= 0) status = check_order("site_order", def->site_order, 0, PL_MOMENT_ORDER, error);
  if (status >= 0) status = check_order("patch_order", def->patch_order, -1, PL_MOMENT_ORDER, error);
  if (status >= 0) status = check_order("load_order", def->load_order, 0, PL_LOAD_ORDER, error);
  if (status >= 0) status = pl_check_range("min_load", def->min_load, 0, 1, true, error);
  if (status >= 0) status = pl_check_range("load_reference", def->load_reference, complete ? 0 : -1e6, 1e6, true, error);
  if (status >= 0) status = pl_check_range("overload", def->overload, 1, 1e6, true, error);
  if (status >= 0) status = pl_check_range("site_width", def->site_width, 0, 1e6, !complete, error);
  if (status >= 0) status = pl_check_range("patch_width", def->patch_width, 0, 1e6, !complete || def->patch_order < 0, error);
  if (status >= 0) status = pl_check_range("load_width", def->load_width, 0, 1e6, !complete || def->load_order == 0, error);
  return status;
}

size_t pl_detail_def_samples(const pl_detail_def *def) {
  return (size_t)def->stamp_sides * (size_t)def->stamp_resolution * (size_t)def->stamp_resolution;
}

pl_key_layout pl_detail_def_layout(const pl_detail_def *def) {
  return (pl_key_layout){.site_order = def->site_order,
                         .patch_order = def->patch_order,
                         .load_order = def->load_order,
                         .min_load = def->min_load * def->window_radius,
                         .load_reference = def->load_reference};
}
