/// @file picture.h
/// Pictures and videos of surfaces, drawn without a display (part of the lab).
#ifndef PLIANT_PICTURE_H
#define PLIANT_PICTURE_H

#include "pliant/appearance.h"
#include "pliant/base.h"
#include "pliant/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A perspective camera.
typedef struct pl_camera {
  pl_vec3 eye;           ///< metres
  pl_vec3 target;        ///< metres
  pl_vec3 up;            ///< direction
  double field_of_view;  ///< radians, vertical
} pl_camera;

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
  const pl_appearance_material *material;  ///< without images, instead of `color`; NULL for none
  /// Materials and images of the surface, instead of all above but points and triangles; NULL for
  /// none. A renderer may keep images that have an id.
  const pl_appearance_view *appearance;
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
  /// Strength of the sun's light.
  double sun_strength;  ///< 0 … 10, default 1
  /// Strength of the light of the sky and of the ground.
  double sky_strength;  ///< 0 … 10, default 1
  // parameters: end

  uint32_t magic;  ///< set by pl_default_renderer_def()
} pl_renderer_def;

/// Draws pictures into memory. One thread at a time.
typedef struct pl_renderer pl_renderer;

/// Every parameter at its default: a light background, the ground at height 0.
PL_API pl_renderer_def pl_default_renderer_def(void);

/// A camera that sees the whole box from slightly above, for a picture of width to height `aspect`.
PL_API pl_camera pl_camera_frame_box(pl_box box, double aspect);

/// Create a renderer. The caller owns it. Fails with PL_ERROR_UNSUPPORTED when there is no OpenGL
/// ES 3, not even in software.
PL_API pl_status pl_renderer_create(pl_context *context, const pl_renderer_def *def,
                                    pl_renderer **renderer, pl_error *error);

/// Destroy a renderer. NULL is allowed.
PL_API void pl_renderer_destroy(pl_renderer *renderer);

/// What to draw. Borrowed for the call.
typedef struct pl_picture {
  pl_camera camera;
  const pl_picture_item *items;
  int32_t item_count;
  const char *caption;  ///< UTF-8; NULL: none
} pl_picture;

/// Draw a picture, shaded and anti-aliased, with ground, soft shadow and caption. `rgb` receives
/// width * height pixels of 3 bytes, rows from the top. Fails with PL_ERROR_INVALID_ARGUMENT for a
/// camera or a colour out of range, PL_ERROR_INVALID_DATA, naming item and element, for points that
/// are not finite or triangles out of range, and when out of memory.
PL_API pl_status pl_renderer_draw(pl_renderer *renderer, const pl_picture *picture, uint8_t *rgb,
                                  pl_error *error);

/// Save 8-bit RGB pixels, rows from the top, as a PNG file. The file is written under a temporary
/// name and renamed at the end. Fails with PL_ERROR_NOT_FOUND when the folder does not exist,
/// PL_ERROR_FILE when the file cannot be written.
PL_API pl_status pl_picture_save(pl_context *context, const char *path, const uint8_t *rgb,
                                 int32_t width, int32_t height, pl_error *error);

/// Input of pl_video_create().
typedef struct pl_video_def {
  const char *path;       ///< of the file; its ending .gif or .webp selects that format, others MP4
  int32_t width, height;  ///< pixels, default 1280 x 720
  double frame_rate;      ///< frames per second, 0.001 to 1000, default 60
  uint32_t magic;         ///< set by pl_default_video_def()
} pl_video_def;

/// A def with the defaults stated at its fields; the path must be filled in.
PL_API pl_video_def pl_default_video_def(void);

/// A video file (MP4, or an animated GIF or WebP) being written by the program `ffmpeg`. One thread
/// at a time.
typedef struct pl_video pl_video;

/// Start a video. The caller owns it until it is closed or abandoned. Fails with
/// PL_ERROR_UNSUPPORTED when `ffmpeg` is not installed, PL_ERROR_FILE when the file cannot be
/// created, PL_ERROR_INVALID_ARGUMENT for numbers out of range.
PL_API pl_status pl_video_create(pl_context *context, const pl_video_def *def, pl_video **video,
                                 pl_error *error);

/// Append a picture of 8-bit RGB pixels, rows from the top. Fails with PL_ERROR_FILE when `ffmpeg`
/// stopped.
PL_API pl_status pl_video_add_frame(pl_video *video, const uint8_t *rgb, pl_error *error);

/// Finish the video and rename it to its final name. The video is destroyed, whatever the result.
/// Fails with PL_ERROR_INVALID_DATA when there is no picture, PL_ERROR_FILE when `ffmpeg` failed.
PL_API pl_status pl_video_close(pl_video *video, pl_error *error);

/// Abandon the video: end the program, remove the temporary file and destroy the video. NULL is
/// allowed.
PL_API void pl_video_abandon(pl_video *video);

#ifdef __cplusplus
}
#endif
#endif
