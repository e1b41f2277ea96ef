// Drawing one picture on the graphics processor. The context must be current.
#ifndef PL_RENDER_RENDER_PASSES_H
#define PL_RENDER_RENDER_PASSES_H

#include "render/render_camera.h"
#include "render/render_device.h"
#include "render/render_light.h"
#include "render/render_scene.h"
#include "render/render_textures.h"

// All that a picture is made of.
typedef struct pl_render_job {
  const pl_renderer_def *def;
  const pl_render_device *device;
  const pl_picture_item *items;
  int32_t item_count;
  const pl_render_scene *scene;
  const pl_render_light *light;
  const pl_render_view *view;
  pl_render_textures *textures;
} pl_render_job;

// Draw the maps and the picture; it is then bound for reading.
pl_status pl_render_draw(const pl_render_job *job, pl_error *error);

#endif
