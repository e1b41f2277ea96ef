// Defaults and checks of a renderer.
#include "render/render_def.h"

#include "base/error.h"
#include "pliant/math.h"
#include "render/renderer_parameters.h"

pl_renderer_def pl_default_renderer_def(void) {
  pl_renderer_def def = {0};
  pl_parameters_set_defaults(&pl_renderer_def_parameters, &def);
  return def;
}

bool pl_render_is_color(pl_color c) {
  return c.r >= 0 && c.r <= 1 && c.g >= 0 && c.g <= 1 && c.b >= 0 && c.b <= 1;
}

pl_status pl_renderer_check_def(const pl_renderer_def *def, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_renderer_def_parameters, def, error);
  if (status < 0) return status;
  if (pl_vec3_length(def->light) < 1e-9)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "light", "the light needs a direction");
  return PL_OK;
}
