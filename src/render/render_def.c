// Defaults and checks of a renderer.
#include "render/render_def.h"

#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "math/vec3.h"

pl_renderer_def pl_default_renderer_def(void) {
  return (pl_renderer_def){
      .width = 1280,
      .height = 720,
      .background_top = {0.725f, 0.785f, 0.85f},
      .background_bottom = {0.935f, 0.935f, 0.93f},
      .ground_color = {0.92f, 0.92f, 0.915f},
      .ground_height = 0,
      .ground = true,
      .checker_size = 0,
      .light = {-0.45, 0.95, 0.62},
      .magic = PL_DEF_MAGIC,
  };
}

bool pl_render_is_color(pl_color c) {
  return c.r >= 0 && c.r <= 1 && c.g >= 0 && c.g <= 1 && c.b >= 0 && c.b <= 1;
}

pl_status pl_renderer_check_def(const pl_renderer_def *def, pl_error *error) {
  pl_status status = pl_check_def(def->magic, "pl_renderer_def", error);
  if (status < 0) return status;
  if (def->width < 1 || def->height < 1)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, def->width < 1 ? "width" : "height", "a picture has at least one pixel");
  if (!pl_render_is_color(def->background_top) || !pl_render_is_color(def->background_bottom) ||
      !pl_render_is_color(def->ground_color))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "color", "the parts of a colour are from 0 to 1");
  if (!isfinite(def->ground_height) || fabs(def->ground_height) > 1e12)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "ground_height", "the height must be finite");
  if (!isfinite(def->checker_size) || def->checker_size < 0)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "checker_size", "the size must be finite and not negative");
  if (!pl_vec3_is_finite(def->light) || pl_vec3_length(def->light) < 1e-9)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "light", "the light needs a direction");
  return PL_OK;
}
