// Opening EGL without a display server.
//
// Tried in this order, the first that yields an OpenGL ES 3 context wins:
//   1. a device that is real hardware        (EGL_EXT_device_enumeration, EGL_EXT_platform_device)
//   2. Mesa's surfaceless platform           (EGL_MESA_platform_surfaceless): a render node or the software rasteriser
//   3. any device at all
//   4. the default display, whatever that is
// The hardware comes first because with several vendors' drivers installed the surfaceless platform is often Mesa's
// software one even though a graphics processor is there.
//
// Displays are never terminated. EGL hands out the same display to everyone who asks for the same platform in one
// process, and eglTerminate kills the contexts of all of them, other renderers' and the host's included. An initialised
// display costs nothing while unused.
#include "render/render_context.h"

#include <EGL/eglext.h>
#include <string.h>

#include "base/error.h"

enum { MAX_DEVICES = 16 };

// Whole-word search in a space-separated list of extensions.
static bool has_extension(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *at = list; at != NULL && (at = strstr(at, name)) != NULL; at += length)
    if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
  return false;
}

// A context on an initialised display, with a one-pixel surface where contexts cannot do without.
static bool open_on_display(pl_render_context *self, EGLDisplay display) {
  if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL)) return false;
  if (!eglBindAPI(EGL_OPENGL_ES_API)) return false;
  bool surfaceless = has_extension(eglQueryString(display, EGL_EXTENSIONS), "EGL_KHR_surfaceless_context");
  const EGLint config_wish[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_SURFACE_TYPE,
                                surfaceless ? 0 : EGL_PBUFFER_BIT, EGL_NONE};
  EGLConfig config;
  EGLint config_count = 0;
  if (!eglChooseConfig(display, config_wish, &config, 1, &config_count) || config_count < 1) return false;
  const EGLint context_wish[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 0, EGL_NONE};
  EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_wish);
  if (context == EGL_NO_CONTEXT) return false;
  EGLSurface surface = EGL_NO_SURFACE;
  if (!surfaceless) {
    const EGLint surface_wish[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
    surface = eglCreatePbufferSurface(display, config, surface_wish);
    if (surface == EGL_NO_SURFACE) {
      eglDestroyContext(display, context);
      return false;
    }
  }
  *self = (pl_render_context){display, context, surface};
  // Some drivers refuse only here; then the next platform has its turn.
  pl_render_context_before before;
  if (pl_render_context_enter(self, &before, NULL) != PL_OK) {
    pl_render_context_close(self);
    return false;
  }
  pl_render_context_leave(self, &before);
  return true;
}

// Devices in order; with `hardware_only` the software ones are passed over.
static bool open_on_device(pl_render_context *self, bool hardware_only, PFNEGLGETPLATFORMDISPLAYEXTPROC get_display) {
  PFNEGLQUERYDEVICESEXTPROC query_devices = (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
  PFNEGLQUERYDEVICESTRINGEXTPROC query_string =
      (PFNEGLQUERYDEVICESTRINGEXTPROC)eglGetProcAddress("eglQueryDeviceStringEXT");
  EGLDeviceEXT devices[MAX_DEVICES];
  EGLint device_count = 0;
  if (query_devices == NULL || query_string == NULL || !query_devices(MAX_DEVICES, devices, &device_count))
    return false;
  for (EGLint i = 0; i < device_count; ++i) {
    const char *extensions = query_string(devices[i], EGL_EXTENSIONS);
    if (hardware_only && has_extension(extensions, "EGL_MESA_device_software")) continue;
    if (open_on_display(self, get_display(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL))) return true;
  }
  return false;
}

static bool open_on_any(pl_render_context *self) {
  const char *extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  PFNEGLGETPLATFORMDISPLAYEXTPROC get_display =
      (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
  bool devices = get_display != NULL && (has_extension(extensions, "EGL_EXT_platform_device") ||
                                         has_extension(extensions, "EGL_EXT_device_enumeration"));
  bool surfaceless = get_display != NULL && has_extension(extensions, "EGL_MESA_platform_surfaceless");
  if (devices && open_on_device(self, true, get_display)) return true;
  if (surfaceless && open_on_display(self, get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL)))
    return true;
  if (devices && open_on_device(self, false, get_display)) return true;
  return open_on_display(self, eglGetDisplay(EGL_DEFAULT_DISPLAY));
}

pl_status pl_render_context_open(pl_render_context *self, pl_error *error) {
  *self = (pl_render_context){EGL_NO_DISPLAY, EGL_NO_CONTEXT, EGL_NO_SURFACE};
  EGLenum api = eglQueryAPI();
  bool opened = open_on_any(self);
  eglBindAPI(api);
  if (opened) return PL_OK;
  return pl_fail(error, PL_ERROR_UNSUPPORTED,
                 "no OpenGL ES 3 here, not even in software; on Debian, install libegl1, libgles2 and libgl1-mesa-dri");
}

void pl_render_context_close(pl_render_context *self) {
  if (self->display == EGL_NO_DISPLAY) return;
  if (self->context != EGL_NO_CONTEXT) eglDestroyContext(self->display, self->context);
  if (self->surface != EGL_NO_SURFACE) eglDestroySurface(self->display, self->surface);
  *self = (pl_render_context){EGL_NO_DISPLAY, EGL_NO_CONTEXT, EGL_NO_SURFACE};
}

pl_status pl_render_context_enter(const pl_render_context *self, pl_render_context_before *before, pl_error *error) {
  *before = (pl_render_context_before){.api = eglQueryAPI()};
  eglBindAPI(EGL_OPENGL_ES_API);
  before->display = eglGetCurrentDisplay();
  before->context = eglGetCurrentContext();
  before->draw = eglGetCurrentSurface(EGL_DRAW);
  before->read = eglGetCurrentSurface(EGL_READ);
  if (eglMakeCurrent(self->display, self->surface, self->surface, self->context)) return PL_OK;
  EGLint code = eglGetError();
  eglBindAPI(before->api);
  return pl_fail(error, PL_ERROR_UNSUPPORTED, "the OpenGL ES context cannot be used on this thread (EGL error 0x%x)",
                 (unsigned)code);
}

void pl_render_context_leave(const pl_render_context *self, const pl_render_context_before *before) {
  if (before->context != EGL_NO_CONTEXT)
    eglMakeCurrent(before->display, before->draw, before->read, before->context);
  else
    eglMakeCurrent(self->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglBindAPI(before->api);
}
