// A place where OpenGL ES can draw without a window: one EGL context per renderer, current only
// inside our calls.
#ifndef PL_RENDER_RENDER_CONTEXT_H
#define PL_RENDER_RENDER_CONTEXT_H

#include <EGL/egl.h>

#include "pliant/base.h"

typedef struct pl_render_context {
  EGLDisplay display;
  EGLContext context;
  EGLSurface surface;  // EGL_NO_SURFACE where contexts need none, else a pixel that nobody looks at
} pl_render_context;

// What was current before pl_render_context_enter(), to be put back.
typedef struct pl_render_context_before {
  EGLDisplay display;
  EGLContext context;
  EGLSurface draw, read;
  EGLenum api;
} pl_render_context_before;

// Open a context: a graphics processor where there is one, software rendering otherwise.
// PL_ERROR_UNSUPPORTED when neither gives OpenGL ES 3.
pl_status pl_render_context_open(pl_render_context *self, pl_error *error);
void pl_render_context_close(pl_render_context *self);

// Make the context current on this thread until pl_render_context_leave(). On failure nothing is
// changed.
pl_status pl_render_context_enter(const pl_render_context *self, pl_render_context_before *before,
                                  pl_error *error);
void pl_render_context_leave(const pl_render_context *self, const pl_render_context_before *before);

#endif
