// Defaults and validation of pl_detail_def.
#include "base/error.h"
#include "detail/detail_parameters.h"
#include "detail/detail_set.h"

pl_detail_def pl_default_detail_def(void) {
  pl_detail_def def = {0};
  pl_parameters_set_defaults(&pl_detail_def_parameters, &def);
  return def;
}

// Refuse a number of a built set that building should have chosen.
static pl_status check_chosen(const char *field, double value, bool is_chosen, pl_error *error) {
  if (is_chosen) return PL_OK;
  return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, field,
                       "%g was not chosen; a set that is built has its own value", value);
}

pl_status pl_detail_def_check(const pl_detail_def *def, bool complete, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_detail_def_parameters, def, error);
  if (status < 0 || !complete) return status;
  // What building chooses where it is 0 or negative must have been chosen.
  status = check_chosen("stamp_radius", def->stamp_radius, def->stamp_radius > 0, error);
  if (status >= 0) status = check_chosen("load_reference", def->load_reference, def->load_reference >= 0, error);
  if (status >= 0) status = check_chosen("site_width", def->site_width, def->site_width > 0, error);
  if (status >= 0)
    status = check_chosen("patch_width", def->patch_width, def->patch_width > 0 || def->patch_order < 0, error);
  if (status >= 0)
    status = check_chosen("load_width", def->load_width, def->load_width > 0 || def->load_order == 0, error);
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
