// A texture stays while pictures keep asking for its image: a video sends each image once.
#include "render/render_textures.h"

#include "base/error.h"
#include "render/render_device.h"

typedef struct entry {
  uint64_t id;
  pl_image_wrap wrap_u, wrap_v;
  bool is_data;
  GLuint texture;
  bool is_used;
} entry;

void pl_render_textures_init(pl_render_textures *self, pl_context *context) {
  *self = (pl_render_textures){.entries = pl_vector_of(context, sizeof(entry))};
}

void pl_render_textures_destroy(pl_render_textures *self) {
  for (size_t i = 0; i < self->entries.count; ++i) glDeleteTextures(1, &PL_ITEM(&self->entries, entry, i).texture);
  glDeleteTextures(1, &self->white);
  pl_vector_free(&self->entries);
  self->white = 0;
}

static GLint wrap_mode(pl_image_wrap wrap) {
  return wrap == PL_IMAGE_CLAMP ? GL_CLAMP_TO_EDGE : wrap == PL_IMAGE_MIRROR ? GL_MIRRORED_REPEAT : GL_REPEAT;
}

// Colours as sRGB, so that filtering happens in linear light; data as it is.
static GLuint send(const pl_appearance_image *image, bool is_data) {
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, texture);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexImage2D(GL_TEXTURE_2D, 0, is_data ? GL_RGBA8 : GL_SRGB8_ALPHA8, image->width, image->height, 0, GL_RGBA,
               GL_UNSIGNED_BYTE, image->rgba);
  glGenerateMipmap(GL_TEXTURE_2D);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wrap_mode(image->wrap_u));
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wrap_mode(image->wrap_v));
  glBindTexture(GL_TEXTURE_2D, 0);
  return texture;
}

static GLuint find_white(pl_render_textures *self) {
  static const uint8_t pixel[4] = {255, 255, 255, 255};
  if (self->white == 0) self->white = send(&(pl_appearance_image){.width = 1, .height = 1, .rgba = pixel}, false);
  return self->white;
}

pl_status pl_render_textures_find(pl_render_textures *self, const pl_appearance_image *image, bool is_data,
                                  GLuint *texture, pl_error *error) {
  GLint max_side = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &max_side);
  *texture = find_white(self);
  if (image == NULL || image->width > max_side || image->height > max_side) return PL_OK;
  for (size_t i = 0; image->id != 0 && i < self->entries.count; ++i) {
    entry *known = &PL_ITEM(&self->entries, entry, i);
    if (known->id != image->id || known->wrap_u != image->wrap_u || known->wrap_v != image->wrap_v ||
        known->is_data != is_data)
      continue;
    known->is_used = true;
    *texture = known->texture;
    return PL_OK;
  }
  entry *added = pl_vector_grow(&self->entries, 1);
  if (added == NULL) return pl_fail_memory(error);
  *added = (entry){image->id, image->wrap_u, image->wrap_v, is_data, send(image, is_data), true};
  *texture = added->texture;
  return pl_render_check("sending an image", error);
}

void pl_render_textures_end_picture(pl_render_textures *self) {
  size_t kept = 0;
  for (size_t i = 0; i < self->entries.count; ++i) {
    entry *known = &PL_ITEM(&self->entries, entry, i);
    if (!known->is_used || known->id == 0) {
      glDeleteTextures(1, &known->texture);
      continue;
    }
    known->is_used = false;
    PL_ITEM(&self->entries, entry, kept++) = *known;
  }
  self->entries.count = kept;
}
