// The renderer's public face: checks, the life of the object, and the way from a scene to bytes.
#include <GLES3/gl3.h>
#include <stddef.h>
#include <string.h>

#include "appearance/appearance_parameters.h"
#include "base/context.h"
#include "base/error.h"
#include "base/scratch.h"
#include "pliant/math.h"
#include "pliant/picture.h"
#include "render/render_caption.h"
#include "render/render_context.h"
#include "render/render_def.h"
#include "render/render_passes.h"
#include "render/renderer_parameters.h"

struct pl_renderer {
  pl_context *context;
  pl_renderer_def def;
  pl_render_context display;
  pl_render_device device;
  pl_render_textures textures;
  pl_scratch scratch;  // of one draw; kept, so that drawing the next frame allocates nothing
};

pl_status pl_renderer_create(pl_context *context, const pl_renderer_def *def, pl_renderer **renderer, pl_error *error) {
  *renderer = NULL;
  pl_status status = pl_renderer_check_def(def, error);
  if (status != PL_OK) return status;
  pl_renderer *self = pl_allocate(context, sizeof *self);
  if (self == NULL) return pl_fail_memory(error);
  memset(self, 0, sizeof *self);
  self->context = context;
  self->def = *def;
  pl_scratch_init(&self->scratch, context);
  pl_render_textures_init(&self->textures, context);
  status = pl_render_context_open(&self->display, error);
  if (status == PL_OK) {
    pl_render_context_before before;
    status = pl_render_context_enter(&self->display, &before, error);
    if (status == PL_OK) {
      status = pl_render_device_create(&self->device, def->width, def->height, error);
      pl_render_context_leave(&self->display, &before);
    }
  }
  if (status != PL_OK) {
    pl_render_context_close(&self->display);
    pl_release(context, self);
    return status;
  }
  *renderer = self;
  return PL_OK;
}

void pl_renderer_destroy(pl_renderer *renderer) {
  if (renderer == NULL) return;
  pl_render_context_before before;
  if (pl_render_context_enter(&renderer->display, &before, NULL) == PL_OK) {
    pl_render_textures_destroy(&renderer->textures);
    pl_render_device_destroy(&renderer->device);
    pl_render_context_leave(&renderer->display, &before);
  }
  pl_render_context_close(&renderer->display);
  pl_scratch_destroy(&renderer->scratch);
  pl_release(renderer->context, renderer);
}

// Rows from the bottom, four bytes a pixel, become rows from the top, three bytes a pixel.
static void pack_rows(const uint8_t *rgba, int32_t width, int32_t height, uint8_t *rgb) {
  for (int32_t y = 0; y < height; ++y) {
    const uint8_t *from = rgba + (size_t)(height - 1 - y) * (size_t)width * 4;
    uint8_t *to = rgb + (size_t)y * (size_t)width * 3;
    for (int32_t x = 0; x < width; ++x) {
      to[3 * x] = from[4 * x];
      to[3 * x + 1] = from[4 * x + 1];
      to[3 * x + 2] = from[4 * x + 2];
    }
  }
}

// Everything that needs the context to be current.
static pl_status draw_pixels(pl_renderer *self, const pl_render_job *job, uint8_t *rgba, pl_error *error) {
  pl_render_context_before before;
  pl_status status = pl_render_context_enter(&self->display, &before, error);
  if (status != PL_OK) return status;
  status = pl_render_draw(job, error);
  if (status == PL_OK) {
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, self->def.width, self->def.height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    status = pl_render_check("reading the picture", error);
  }
  pl_render_context_leave(&self->display, &before);
  return status;
}

static pl_status draw(pl_renderer *self, const pl_camera *camera, const pl_picture_item *items, int32_t item_count,
                      uint8_t *rgb, pl_error *error) {
  pl_render_view view;
  pl_status status = pl_render_view_of_camera(camera, &view, error);
  if (status != PL_OK) return status;
  pl_render_scene scene;
  status = pl_render_scene_build(&self->scratch, items, item_count, &scene, error);
  if (status != PL_OK) return status;
  uint8_t *rgba = PL_SCRATCH(&self->scratch, uint8_t, (size_t)self->def.width * (size_t)self->def.height * 4);
  if (rgba == NULL) return pl_fail_memory(error);
  pl_render_light light;
  pl_render_light_fit(&light, &scene, self->def.light, self->def.ground_height - scene.origin.y);
  const pl_render_job job = {&self->def, &self->device, items, item_count, &scene, &light, &view, &self->textures};
  status = draw_pixels(self, &job, rgba, error);
  if (status == PL_OK) pack_rows(rgba, self->def.width, self->def.height, rgb);
  return status;
}

pl_status pl_renderer_draw(pl_renderer *renderer, const pl_picture *picture, uint8_t *rgb, pl_error *error) {
  const pl_picture_item *items = picture->items;
  const int32_t item_count = picture->item_count;
  if (item_count < 0 || (items == NULL && item_count > 0))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "items", "items are NULL or their count is negative");
  for (int32_t i = 0; i < item_count; ++i)
    if (!pl_render_is_color(items[i].color))
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "items.color", "the colour of item %d is not from 0 to 1",
                           i);
  for (int32_t i = 0; i < item_count; ++i)
    if (items[i].material != NULL &&
        pl_parameters_check(&pl_appearance_material_parameters, items[i].material, error) < 0)
      return PL_ERROR_INVALID_ARGUMENT;
  pl_scratch_mark mark = pl_scratch_push(&renderer->scratch);
  pl_status status = draw(renderer, &picture->camera, items, item_count, rgb, error);
  if (status == PL_OK && picture->caption != NULL)
    status =
        pl_caption_draw(&renderer->scratch, picture->caption, rgb, renderer->def.width, renderer->def.height, error);
  pl_scratch_pop(&renderer->scratch, mark);
  return status;
}
