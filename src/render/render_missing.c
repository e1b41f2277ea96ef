// Instead of renderer.c and what it draws with in builds without EGL and OpenGL ES: there is never a renderer, and
// asking for one says why.
#include "base/error.h"
#include "render/render_def.h"

pl_status pl_renderer_create(pl_context *context, const pl_renderer_def *def, pl_renderer **renderer, pl_error *error) {
  (void)context;
  *renderer = NULL;
  pl_status status = pl_renderer_check_def(def, error);
  if (status < 0) return status;
  return pl_fail(error, PL_ERROR_UNSUPPORTED,
                 "this build has no EGL and OpenGL ES and cannot draw pictures; install their headers and build with "
                 "PLIANT_EGL=ON");
}

void pl_renderer_destroy(pl_renderer *renderer) {
  (void)renderer;
}

pl_status pl_renderer_draw(pl_renderer *renderer, const pl_picture *picture, uint8_t *rgb, pl_error *error) {
  (void)renderer, (void)picture, (void)rgb;
  return pl_fail(error, PL_ERROR_UNSUPPORTED, "this build has no EGL and OpenGL ES and cannot draw pictures");
}
