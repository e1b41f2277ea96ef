// What a renderer keeps on the graphics processor: programs, maps, the picture, buffers. All
// functions need the context to be current.
#ifndef PL_RENDER_RENDER_DEVICE_H
#define PL_RENDER_RENDER_DEVICE_H

#include <GLES3/gl3.h>

#include "pliant/base.h"
#include "render/render_shaders.h"

#define PL_SUN_MAP_SIZE 2048  // texels a side
#define PL_LAMP_MAP_SIZE 256  // of one lamp; the atlas is PL_LAMP_TILES times as wide and high
#define PL_FLOOR_SUN_SIZE 512
#define PL_FLOOR_SKY_SIZE 144

typedef struct pl_render_device {
  GLuint programs[PL_PROGRAM_COUNT];
  GLuint sun_map, lamp_map, floor_sun_map, floor_sky_map;  // textures
  GLuint sun_target, lamp_target, floor_sun_target,
      floor_sky_target;  // framebuffers that draw into them
  GLuint compare_sampler,
      depth_sampler;  // depth maps are read both ways: compared and as plain depths
  GLuint picture_color, picture_depth, picture;  // many samples a pixel
  GLuint resolved_color, resolved;               // one
  GLuint buffers[4];                             // points, corners, vertices, indices
  GLuint depth_array, body_array, empty_array;   // vertex array objects
} pl_render_device;

// Make everything for pictures of the given size. PL_ERROR_INVALID_ARGUMENT when the size is more
// than this machine can draw; what was made is removed on failure.
pl_status pl_render_device_create(pl_render_device *self, int32_t width, int32_t height,
                                  pl_error *error);
void pl_render_device_destroy(pl_render_device *self);

// PL_OK, or PL_ERROR_OUT_OF_MEMORY or PL_ERROR_UNSUPPORTED when OpenGL has an error pending from
// `doing`.
pl_status pl_render_check(const char *doing, pl_error *error);

#endif
