// Making and removing the objects of a renderer.
//
// The picture has several samples a pixel in an sRGB format: blending samples of one pixel then happens in linear
// light, which is what keeps bright edges on dark ground from looking thin.
#include "render/render_device.h"

#include <string.h>

#include "base/error.h"
#include "render/render_scene.h"

enum { SAMPLE_COUNT = 4 };  // every OpenGL ES 3 has at least four

pl_status pl_render_check(const char *doing, pl_error *error) {
  GLenum code = glGetError();
  if (code == GL_NO_ERROR) return PL_OK;
  // A second error may be queued behind the first; it must not be blamed on the next call. A lost context queues for
  // ever.
  for (int i = 0; i < 8 && glGetError() != GL_NO_ERROR; ++i) continue;
  if (code == GL_OUT_OF_MEMORY)
    return pl_fail(error, PL_ERROR_OUT_OF_MEMORY, "the graphics memory is full (%s)", doing);
  return pl_fail(error, PL_ERROR_UNSUPPORTED, "OpenGL reported an error (%s, error 0x%x)", doing, (unsigned)code);
}

static GLuint compile(GLenum stage, const char *const *pieces, const char *name, pl_error *error) {
  GLsizei count = 0;
  while (count < PL_SHADER_PIECE_COUNT && pieces[count] != NULL) ++count;
  GLuint shader = glCreateShader(stage);
  glShaderSource(shader, count, pieces, NULL);
  glCompileShader(shader);
  GLint good = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
  if (good) return shader;
  char log[300] = "";
  glGetShaderInfoLog(shader, sizeof log, NULL, log);
  glDeleteShader(shader);
  pl_fail(error, PL_ERROR_UNSUPPORTED, "this OpenGL does not take the shader `%s`: %s", name, log);
  return 0;
}

static pl_status build_program(const pl_shader_source *source, GLuint *program, pl_error *error) {
  GLuint vertex = compile(GL_VERTEX_SHADER, source->vertex, source->name, error);
  GLuint fragment = vertex == 0 ? 0 : compile(GL_FRAGMENT_SHADER, source->fragment, source->name, error);
  GLint good = 0;
  if (fragment != 0) {
    *program = glCreateProgram();
    glAttachShader(*program, vertex);
    glAttachShader(*program, fragment);
    glLinkProgram(*program);
    glGetProgramiv(*program, GL_LINK_STATUS, &good);
    if (!good) pl_fail(error, PL_ERROR_UNSUPPORTED, "this OpenGL does not link the shader `%s`", source->name);
  }
  glDeleteShader(vertex);
  glDeleteShader(fragment);
  return good ? PL_OK : PL_ERROR_UNSUPPORTED;
}

static void set_texture(GLenum filter) {
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, (GLint)filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, (GLint)filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

static void make_depth_map(GLuint *texture, GLuint *target, GLsizei size) {
  glGenTextures(1, texture);
  glBindTexture(GL_TEXTURE_2D, *texture);
  glTexStorage2D(GL_TEXTURE_2D, 1, GL_DEPTH_COMPONENT24, size, size);
  set_texture(GL_NEAREST);
  glGenFramebuffers(1, target);
  glBindFramebuffer(GL_FRAMEBUFFER, *target);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, *texture, 0);
  const GLenum none = GL_NONE;
  glDrawBuffers(1, &none);
  glReadBuffer(GL_NONE);
}

static void make_sampler(GLuint *sampler, bool compare) {
  glGenSamplers(1, sampler);
  GLint filter = compare ? GL_LINEAR : GL_NEAREST;
  glSamplerParameteri(*sampler, GL_TEXTURE_MIN_FILTER, filter);
  glSamplerParameteri(*sampler, GL_TEXTURE_MAG_FILTER, filter);
  glSamplerParameteri(*sampler, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glSamplerParameteri(*sampler, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glSamplerParameteri(*sampler, GL_TEXTURE_COMPARE_MODE, compare ? GL_COMPARE_REF_TO_TEXTURE : GL_NONE);
  glSamplerParameteri(*sampler, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
}

static void make_light_map(GLuint *texture, GLuint *target, GLsizei size) {
  glGenTextures(1, texture);
  glBindTexture(GL_TEXTURE_2D, *texture);
  glTexStorage2D(GL_TEXTURE_2D, 1, GL_R8, size, size);
  set_texture(GL_LINEAR);
  glGenFramebuffers(1, target);
  glBindFramebuffer(GL_FRAMEBUFFER, *target);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, *texture, 0);
}

static void make_maps(pl_render_device *self) {
  make_depth_map(&self->sun_map, &self->sun_target, PL_SUN_MAP_SIZE);
  make_depth_map(&self->lamp_map, &self->lamp_target, PL_LAMP_MAP_SIZE * PL_LAMP_TILES);
  make_sampler(&self->compare_sampler, true);
  make_sampler(&self->depth_sampler, false);
  make_light_map(&self->floor_sun_map, &self->floor_sun_target, PL_FLOOR_SUN_SIZE);
  make_light_map(&self->floor_sky_map, &self->floor_sky_target, PL_FLOOR_SKY_SIZE);
}

static pl_status make_picture(pl_render_device *self, GLsizei width, GLsizei height, pl_error *error) {
  glGenRenderbuffers(1, &self->picture_color);
  glBindRenderbuffer(GL_RENDERBUFFER, self->picture_color);
  glRenderbufferStorageMultisample(GL_RENDERBUFFER, SAMPLE_COUNT, GL_SRGB8_ALPHA8, width, height);
  glGenRenderbuffers(1, &self->picture_depth);
  glBindRenderbuffer(GL_RENDERBUFFER, self->picture_depth);
  glRenderbufferStorageMultisample(GL_RENDERBUFFER, SAMPLE_COUNT, GL_DEPTH_COMPONENT24, width, height);
  glGenFramebuffers(1, &self->picture);
  glBindFramebuffer(GL_FRAMEBUFFER, self->picture);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, self->picture_color);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, self->picture_depth);
  bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  glGenRenderbuffers(1, &self->resolved_color);
  glBindRenderbuffer(GL_RENDERBUFFER, self->resolved_color);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_SRGB8_ALPHA8, width, height);
  glGenFramebuffers(1, &self->resolved);
  glBindFramebuffer(GL_FRAMEBUFFER, self->resolved);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, self->resolved_color);
  complete = complete && glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  pl_status status = pl_render_check("making the picture", error);
  if (status == PL_OK && !complete)
    status = pl_fail(error, PL_ERROR_UNSUPPORTED, "this OpenGL cannot draw into an sRGB picture");
  return status;
}

static void make_arrays(pl_render_device *self) {
  glGenBuffers(4, self->buffers);
  glGenVertexArrays(1, &self->empty_array);
  glGenVertexArrays(1, &self->depth_array);
  glBindVertexArray(self->depth_array);
  glBindBuffer(GL_ARRAY_BUFFER, self->buffers[0]);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, self->buffers[1]);
  glEnableVertexAttribArray(0);
  glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 12, (const void *)0);
  glGenVertexArrays(1, &self->body_array);
  glBindVertexArray(self->body_array);
  glBindBuffer(GL_ARRAY_BUFFER, self->buffers[2]);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, self->buffers[3]);
  glEnableVertexAttribArray(0);
  glEnableVertexAttribArray(1);
  glEnableVertexAttribArray(2);
  glEnableVertexAttribArray(3);
  const GLsizei stride = PL_VERTEX_FLOATS * (GLsizei)sizeof(float);
  glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, stride, (const void *)0);
  glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, stride, (const void *)12);
  glVertexAttribPointer(2, 4, GL_FLOAT, GL_FALSE, stride, (const void *)24);
  glVertexAttribPointer(3, 2, GL_FLOAT, GL_FALSE, stride, (const void *)40);
  glBindVertexArray(0);
}

static pl_status check_size(int32_t width, int32_t height, pl_error *error) {
  GLint max_buffer = 0, max_views[2] = {0, 0};
  glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &max_buffer);
  glGetIntegerv(GL_MAX_VIEWPORT_DIMS, max_views);
  GLint limit = max_buffer;
  for (int i = 0; i < 2; ++i)
    if (max_views[i] < limit) limit = max_views[i];
  if (width <= limit && height <= limit) return PL_OK;
  return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, width > limit ? "width" : "height",
                       "%d x %d pixels are more than the %d a side that can be drawn here", width, height, limit);
}

pl_status pl_render_device_create(pl_render_device *self, int32_t width, int32_t height, pl_error *error) {
  memset(self, 0, sizeof *self);
  pl_status status = check_size(width, height, error);
  for (int i = 0; i < PL_PROGRAM_COUNT && status == PL_OK; ++i)
    status = build_program(&pl_shader_sources[i], &self->programs[i], error);
  if (status == PL_OK) {
    make_maps(self);
    make_arrays(self);
    status = pl_render_check("making the maps", error);
  }
  if (status == PL_OK) status = make_picture(self, width, height, error);
  if (status != PL_OK) pl_render_device_destroy(self);
  return status;
}

void pl_render_device_destroy(pl_render_device *self) {
  for (int i = 0; i < PL_PROGRAM_COUNT; ++i) glDeleteProgram(self->programs[i]);
  const GLuint textures[] = {self->sun_map, self->lamp_map, self->floor_sun_map, self->floor_sky_map};
  glDeleteTextures(4, textures);
  const GLuint targets[] = {self->sun_target,       self->lamp_target, self->floor_sun_target,
                            self->floor_sky_target, self->picture,     self->resolved};
  glDeleteFramebuffers(6, targets);
  const GLuint samplers[] = {self->compare_sampler, self->depth_sampler};
  glDeleteSamplers(2, samplers);
  const GLuint colors[] = {self->picture_color, self->picture_depth, self->resolved_color};
  glDeleteRenderbuffers(3, colors);
  glDeleteBuffers(4, self->buffers);
  const GLuint arrays[] = {self->depth_array, self->body_array, self->empty_array};
  glDeleteVertexArrays(3, arrays);
  memset(self, 0, sizeof *self);
}
