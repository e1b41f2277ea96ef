/// @file picture.h
/// Pictures and videos of surfaces without a display (part of the lab).
#ifndef PLIANT_PICTURE_H
#define PLIANT_PICTURE_H

#include "pliant/base.h"
#include "pliant/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where the picture is taken from.
typedef struct pl_camera {
  pl_vec3 eye;           ///< metres
  pl_vec3 target;        ///< metres
  pl_vec3 up;            ///< direction
  double field_of_view;  ///< radians, vertical
} pl_camera;

/// Red, green and blue in [0, 1], as an artist picks them (sRGB).
typedef struct pl_color {
  float r, g, b;
} pl_color;

/// One surface in a picture; borrowed memory.
typedef struct pl_picture_item {
  const pl_vec3 *points;
  int32_t point_count;
  const int32_t *triangles;  ///< 3 each
  int32_t triangle_count;
  pl_color color;
  bool flat;               ///< one normal per triangle instead of smooth shading
  bool wireframe;          ///< draw the edges on top
  bool creased;            ///< smooth, but sharp across edges of more than 40 degrees
  const pl_color *colors;  ///< one per point, instead of `color`; NULL for none
} pl_picture_item;

/// Input of pl_renderer_create().
typedef struct pl_renderer_def {
  // parameters of src/render/renderer_parameters.c by `make generate`: begin
  /// Width of the picture.
  int32_t width;  ///< pixels, 1 … 65535, default 1280
  /// Height of the picture.
  int32_t height;  ///< pixels, 1 … 65535, default 720
  /// Background colour at the top.
  pl_color background_top;  ///< 0 … 1, default (0.725, 0.785, 0.85)
  /// Background colour at the bottom.
  pl_color background_bottom;  ///< 0 … 1, default (0.935, 0.935, 0.93)
  /// Colour of the ground.
  pl_color ground_color;  ///< 0 … 1, default (0.92, 0.92, 0.915)
  /// Height of the ground plane that is drawn.
  double ground_height;  ///< m, -1e12 … 1e12, default 0
  /// Draw the ground.
  bool ground;  ///< default true
  /// Edge of the squares of a checkerboard on the ground; 0 draws thin lines instead.
  double checker_size;  ///< m, 0 … 1e12, default 0
  /// Direction towards the sun.
  pl_vec3 light;  ///< default (-0.45, 0.95, 0.62)
  // parameters: end

  uint32_t magic;  ///< set by pl_default_renderer_def()
} pl_renderer_def;

/// Draws pictures into memory. Not to be used from two threads at once.
typedef struct pl_renderer pl_renderer;

/// Every parameter at its default: a light background, the ground at height 0.
PL_API pl_renderer_def pl_default_renderer_def(void);

/// Colour number `index` of a palette whose neighbours are easy to tell apart, also for colour-blind eyes.
PL_API pl_color pl_palette_color(int32_t index);

/// Colour of a number from 0 to 1, for painting a field on a surface: from dark blue over green to yellow, evenly lighter, which is also readable without colours.
/// Smaller and larger numbers have the colours of the ends.
PL_API pl_color pl_scale_color(double fraction);

/// A camera that sees the whole box from slightly above, for a picture `aspect` times as wide as high.
PL_API pl_camera pl_camera_around(pl_box box, double aspect);

/// Create a renderer. Fails with PL_ERROR_UNSUPPORTED when there is no OpenGL ES 3 at all, not even in software.
PL_API pl_status pl_renderer_create(pl_context *context, const pl_renderer_def *def, pl_renderer **renderer, pl_error *error);

/// Destroy a renderer. NULL is allowed.
PL_API void pl_renderer_destroy(pl_renderer *renderer);

/// Draw: shaded, anti-aliased, with ground, soft shadow and a caption (UTF-8, NULL for none) into `rgb`, 3 bytes a pixel, rows from
/// the top, width * height * 3 bytes.
PL_API pl_status pl_renderer_draw(pl_renderer *renderer, const pl_camera *camera, const pl_picture_item *items, int32_t item_count,
                                  const char *caption, uint8_t *rgb, pl_error *error);

/// Write 8-bit RGB pixels as a PNG file (through a temporary name).
PL_API pl_status pl_picture_save(pl_context *context, const char *path, const uint8_t *rgb, int32_t width, int32_t height,
                                  pl_error *error);

/// An MP4 being written by the program `ffmpeg`.
typedef struct pl_video pl_video;

/// Start a video. Fails with PL_ERROR_UNSUPPORTED when `ffmpeg` is not installed.
PL_API pl_status pl_video_create(pl_context *context, const char *path, int32_t width, int32_t height, double frame_rate,
                                 pl_video **video, pl_error *error);

/// Append a picture of 8-bit RGB pixels.
PL_API pl_status pl_video_add_frame(pl_video *video, const uint8_t *rgb, pl_error *error);

/// Finish and rename into place; the video is gone afterwards, whatever the result.
PL_API pl_status pl_video_close(pl_video *video, pl_error *error);

/// Give up: end the program, remove the temporary file, destroy. NULL is allowed.
PL_API void pl_video_abandon(pl_video *video);

#ifdef __cplusplus
}
#endif
#endif
