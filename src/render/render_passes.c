// One picture, pass by pass:
//   1. the sun's depth map and one small depth map per sky lamp
//   2. the floor map: how much sun and sky each patch of floor sees
//   3. bodies, then floor, then background, nearest first so that nothing is shaded twice
//   4. what is mixed with all that by alpha
//   5. many samples a pixel become one
#include "render/render_passes.h"
#include "render/render_appearance.h"

#include "pliant/math.h"

enum {
  UNIT_SUN_COMPARE,
  UNIT_SUN_DEPTH,
  UNIT_LAMP_COMPARE,
  UNIT_LAMP_DEPTH,
  UNIT_FLOOR_SUN,
  UNIT_FLOOR_SKY,
  UNIT_IMAGES,  // as many as pl_render_image has
  UNIT_COUNT = UNIT_IMAGES + PL_RENDER_IMAGE_COUNT
};

static GLint at(GLuint program, const char *name) {
  return glGetUniformLocation(program, name);
}

static void set_vector(GLuint program, const char *name, pl_vec3 v) {
  glUniform3f(at(program, name), (float)v.x, (float)v.y, (float)v.z);
}

static void upload(GLenum kind, GLuint array, GLuint buffer, const void *data, size_t size) {
  // Through the vertex array's own binding for indices: binding them elsewhere would change whichever array happens to
  // be bound.
  glBindVertexArray(array);
  glBindBuffer(kind, buffer);
  glBufferData(kind, (GLsizeiptr)size, data, GL_STREAM_DRAW);
}

static void upload_scene(const pl_render_job *job) {
  const pl_render_device *device = job->device;
  const pl_render_scene *scene = job->scene;
  upload(GL_ARRAY_BUFFER, device->depth_array, device->buffers[0], scene->points, (size_t)scene->point_count * 12);
  upload(GL_ELEMENT_ARRAY_BUFFER, device->depth_array, device->buffers[1], scene->corners,
         (size_t)scene->corner_count * 4);
  upload(GL_ARRAY_BUFFER, device->body_array, device->buffers[2], scene->vertices,
         (size_t)scene->vertex_count * PL_VERTEX_FLOATS * sizeof(float));
  upload(GL_ELEMENT_ARRAY_BUFFER, device->body_array, device->buffers[3], scene->indices,
         (size_t)scene->index_count * 4);
}

// Culling for a surface closed with its normals outwards (1), closed inside out (-1) or open (0).
static void choose_side(int side) {
  if (side == 0) {
    glDisable(GL_CULL_FACE);
  } else {
    glEnable(GL_CULL_FACE);
    glCullFace(side > 0 ? GL_BACK : GL_FRONT);
  }
}

static void set_map(GLuint program, const pl_render_map *map) {
  glUniform4fv(at(program, "u_right"), 1, map->right);
  glUniform4fv(at(program, "u_up"), 1, map->up);
  glUniform4fv(at(program, "u_away"), 1, map->away);
}

static void draw_range(uint32_t start, uint32_t count) {
  if (count > 0) glDrawElements(GL_TRIANGLES, (GLsizei)count, GL_UNSIGNED_INT, (const void *)((uintptr_t)start * 4));
}

static void bind_map(GLuint unit, GLuint texture, GLuint sampler) {
  glActiveTexture(GL_TEXTURE0 + unit);
  glBindTexture(GL_TEXTURE_2D, texture);
  glBindSampler(unit, sampler);
}

static bool is_alike(const pl_render_part *a, const pl_render_part *b) {
  return a->side == b->side && a->has_holes == b->has_holes;
}

// What is nearest to the light faces it, so closed items need only that half; neighbours of one kind go in one call.
static void draw_map(const pl_render_job *job, const pl_render_map *map) {
  GLuint program = job->device->programs[PL_PROGRAM_DEPTH];
  glUseProgram(program);
  glBindVertexArray(job->device->depth_array);
  set_map(program, map);
  const pl_render_part *parts = job->scene->parts;
  for (int32_t first = 0, next; first < job->item_count; first = next) {
    uint32_t count = 0;
    for (next = first; next < job->item_count && is_alike(&parts[next], &parts[first]); ++next)
      count += parts[next].index_count;
    choose_side(parts[first].side);
    if (!parts[first].has_holes) draw_range(parts[first].index_start, count);
  }
  choose_side(0);
}

// Image `index` of a material as a texture unit; units without one are white.
static bool is_data(pl_render_image image) {
  return image >= PL_RENDER_IMAGE_NORMAL;
}

// Number of an image of a batch, -1 for none.
static int32_t image_index(const pl_render_batch *batch, pl_render_image image) {
  return batch->material == NULL || batch->images == NULL ? -1 : pl_render_image_of(batch->material, image);
}

static void bind_image(const pl_render_job *job, const pl_render_batch *batch, pl_render_image image) {
  GLuint texture = 0;
  int32_t index = image_index(batch, image);
  // Every image was sent before, so that nothing can fail here.
  (void)pl_render_textures_find(job->textures, index >= 0 ? &batch->images[index] : NULL, is_data(image), &texture,
                                NULL);
  bind_map(UNIT_IMAGES + (GLuint)image, texture, 0);
}

// Alpha below which a material has a hole: half for what is mixed, because a shadow is not.
static void set_hole(GLuint program, const pl_appearance_material *m) {
  double cutoff = m->alpha_mode == PL_ALPHA_OPAQUE ? 0 : m->alpha_mode == PL_ALPHA_MASK ? m->alpha_cutoff : 0.5;
  glUniform2f(at(program, "u_hole"), (float)m->alpha, (float)cutoff);
}

static void draw_holes(const pl_render_job *job, const pl_render_map *map) {
  GLuint program = job->device->programs[PL_PROGRAM_CUTOUT];
  glUseProgram(program);
  glBindVertexArray(job->device->body_array);
  set_map(program, map);
  glUniform1i(at(program, "u_base_image"), UNIT_IMAGES + PL_RENDER_IMAGE_BASE);
  for (int32_t i = 0; i < job->scene->batch_count; ++i) {
    const pl_render_batch *batch = &job->scene->batches[i];
    if (!job->scene->parts[batch->item].has_holes) continue;
    set_hole(program, batch->material);
    bind_image(job, batch, PL_RENDER_IMAGE_BASE);
    draw_range(batch->index_start, batch->index_count);
  }
}

static bool has_holes(const pl_render_job *job) {
  for (int32_t i = 0; i < job->item_count; ++i)
    if (job->scene->parts[i].has_holes) return true;
  return false;
}

static void draw_depth_maps(const pl_render_job *job) {
  const pl_render_device *device = job->device;
  bool holes = has_holes(job);
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_LESS);
  glDepthMask(GL_TRUE);
  glClearDepthf(1);
  glBindFramebuffer(GL_FRAMEBUFFER, device->sun_target);
  glViewport(0, 0, PL_SUN_MAP_SIZE, PL_SUN_MAP_SIZE);
  glClear(GL_DEPTH_BUFFER_BIT);
  draw_map(job, &job->light->sun);
  if (holes) draw_holes(job, &job->light->sun);
  glBindFramebuffer(GL_FRAMEBUFFER, device->lamp_target);
  glClear(GL_DEPTH_BUFFER_BIT);
  for (int i = 0; i < PL_LAMP_COUNT; ++i) {
    glViewport(i % PL_LAMP_TILES * PL_LAMP_MAP_SIZE, i / PL_LAMP_TILES * PL_LAMP_MAP_SIZE, PL_LAMP_MAP_SIZE,
               PL_LAMP_MAP_SIZE);
    draw_map(job, &job->light->lamps[i]);
    if (holes) draw_holes(job, &job->light->lamps[i]);
  }
}

// The uniforms of `sun` and `lamps` in the shaders.
static void set_light(const pl_render_job *job, GLuint program) {
  const pl_render_light *light = job->light;
  float size[PL_LAMP_COUNT][4], right[PL_LAMP_COUNT][4], up[PL_LAMP_COUNT][4], away[PL_LAMP_COUNT][4];
  for (int i = 0; i < PL_LAMP_COUNT; ++i) {
    const pl_render_map *lamp = &light->lamps[i];
    size[i][0] = (float)lamp->width, size[i][1] = (float)lamp->height, size[i][2] = (float)lamp->depth, size[i][3] = 0;
    for (int c = 0; c < 4; ++c) right[i][c] = lamp->right[c], up[i][c] = lamp->up[c], away[i][c] = lamp->away[c];
  }
  glUniform3fv(at(program, "u_sun"), 1, light->sun_direction);
  glUniform4fv(at(program, "u_sun_right"), 1, light->sun.right);
  glUniform4fv(at(program, "u_sun_up"), 1, light->sun.up);
  glUniform4fv(at(program, "u_sun_away"), 1, light->sun.away);
  glUniform4f(at(program, "u_sun_size"), (float)light->sun.width, (float)light->sun.height, (float)light->sun.depth,
              light->sun_half_tangent);
  glUniform2fv(at(program, "u_disc"), PL_DISC_COUNT, &light->disc[0][0]);
  glUniform4fv(at(program, "u_lamp_right"), PL_LAMP_COUNT, &right[0][0]);
  glUniform4fv(at(program, "u_lamp_up"), PL_LAMP_COUNT, &up[0][0]);
  glUniform4fv(at(program, "u_lamp_away"), PL_LAMP_COUNT, &away[0][0]);
  glUniform3fv(at(program, "u_lamp_direction"), PL_LAMP_COUNT, &light->lamp_directions[0][0]);
  glUniform4fv(at(program, "u_bias"), 1, light->bias);
  glUniform1i(at(program, "u_sun_map"), UNIT_SUN_COMPARE);
  glUniform1i(at(program, "u_sun_depth"), UNIT_SUN_DEPTH);
  glUniform4fv(at(program, "u_lamp_size"), PL_LAMP_COUNT, &size[0][0]);
  glUniform1f(at(program, "u_lamp_spread"), light->lamp_half_tangent);
  glUniform1i(at(program, "u_lamp_map"), UNIT_LAMP_COMPARE);
  glUniform1i(at(program, "u_lamp_depth"), UNIT_LAMP_DEPTH);
}

static void draw_floor_map(const pl_render_job *job, pl_program_id id, GLuint target, GLsizei size) {
  GLuint program = job->device->programs[id];
  glUseProgram(program);
  set_light(job, program);
  glUniform4fv(at(program, "u_floor"), 1, job->light->floor);
  glUniform1f(at(program, "u_floor_open"), job->light->floor_open);
  glUniform1f(at(program, "u_depth"), 0);
  glDisable(GL_DEPTH_TEST);
  glBindFramebuffer(GL_FRAMEBUFFER, target);
  glViewport(0, 0, size, size);
  glBindVertexArray(job->device->empty_array);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void draw_floor_maps(const pl_render_job *job) {
  draw_floor_map(job, PL_PROGRAM_FLOOR_SUN, job->device->floor_sun_target, PL_FLOOR_SUN_SIZE);
  draw_floor_map(job, PL_PROGRAM_FLOOR_SKY, job->device->floor_sky_target, PL_FLOOR_SKY_SIZE);
}

// The uniforms of `finish` in the shaders.
static void set_finish(const pl_render_job *job, GLuint program) {
  glUniform2f(at(program, "u_picture_size"), (float)job->def->width, (float)job->def->height);
  set_vector(program, "u_background_top", pl_linear_color(job->def->background_top));
  set_vector(program, "u_background_bottom", pl_linear_color(job->def->background_bottom));
}

// A material as items without one have it.
static pl_appearance_material plain_material(void) {
  pl_appearance_material plain = pl_default_appearance_material();
  plain.shading = PL_SHADING_SOFT;
  return plain;
}

static void set_material(const pl_render_job *job, GLuint program, const pl_render_batch *batch) {
  pl_appearance_material plain = plain_material();
  const pl_appearance_material *m = batch->material != NULL ? batch->material : &plain;
  pl_vec3 base = pl_linear_color(m->base_color);
  glUniform1i(at(program, "u_shading"), (GLint)m->shading);
  glUniform4f(at(program, "u_base"), (float)base.x, (float)base.y, (float)base.z, (float)m->alpha);
  glUniform4f(at(program, "u_surface"), (float)m->metallic, (float)m->roughness, (float)m->translucency,
              (float)m->sheen);
  set_vector(program, "u_emissive", pl_linear_color(m->emissive));
  set_vector(program, "u_shade", pl_linear_color(m->shade_color));
  set_vector(program, "u_rim", pl_linear_color(m->rim_color));
  glUniform4f(at(program, "u_toon"), (float)m->shade_shift, (float)m->shade_sharpness, (float)m->rim_power,
              (float)m->rim_lift);
  glUniform2f(at(program, "u_alpha"), (float)m->alpha_mode, (float)m->alpha_cutoff);
  bool has_normals = image_index(batch, PL_RENDER_IMAGE_NORMAL) >= 0;
  bool has_matcap = image_index(batch, PL_RENDER_IMAGE_MATCAP) >= 0;
  glUniform2f(at(program, "u_maps"), has_normals ? (float)m->normal_scale : 0, (float)m->occlusion_strength);
  set_vector(program, "u_matcap", has_matcap ? pl_linear_color(m->matcap_color) : (pl_vec3){0, 0, 0});
  for (int k = 0; k < PL_RENDER_IMAGE_COUNT; ++k) bind_image(job, batch, (pl_render_image)k);
}

static void begin_bodies(const pl_render_job *job, const float matrix[16]) {
  GLuint program = job->device->programs[PL_PROGRAM_BODY];
  glUseProgram(program);
  set_light(job, program);
  set_finish(job, program);
  glUniformMatrix4fv(at(program, "u_view_projection"), 1, GL_FALSE, matrix);
  set_vector(program, "u_eye", pl_vec3_sub(job->view->eye, job->scene->origin));
  pl_vec3 floor_color = pl_linear_color(job->def->ground ? job->def->ground_color : job->def->background_bottom);
  set_vector(program, "u_bounce", pl_vec3_scale(floor_color, 0.34));
  glUniform2f(at(program, "u_strength"), (float)job->def->sun_strength, (float)job->def->sky_strength);
  static const char *const names[PL_RENDER_IMAGE_COUNT] = {"u_base_image",     "u_shade_image",  "u_emissive_image",
                                                           "u_matcap_image",   "u_normal_image", "u_surface_image",
                                                           "u_occlusion_image"};
  for (int k = 0; k < PL_RENDER_IMAGE_COUNT; ++k) glUniform1i(at(program, names[k]), UNIT_IMAGES + k);
  set_vector(program, "u_camera_up", job->view->up);
  glBindVertexArray(job->device->body_array);
}

// Bodies that alpha mixes with what is behind them, or all others.
static void draw_bodies(const pl_render_job *job, const float matrix[16], bool mixed) {
  GLuint program = job->device->programs[PL_PROGRAM_BODY];
  begin_bodies(job, matrix);
  pl_vec3 eye = pl_vec3_sub(job->view->eye, job->scene->origin);
  GLint wireframe = at(program, "u_wireframe"), side = at(program, "u_side");
  for (int32_t i = 0; i < job->scene->batch_count; ++i) {
    const pl_render_batch *batch = &job->scene->batches[i];
    const pl_render_part *part = &job->scene->parts[batch->item];
    bool is_mixed = batch->material != NULL && batch->material->alpha_mode == PL_ALPHA_BLEND;
    if (batch->index_count == 0 || is_mixed != mixed) continue;
    // Half of all shading is saved on closed bodies, unless the camera may be inside or there are holes to look
    // through.
    bool is_inside = pl_box_overlaps(part->box, (pl_box){eye, eye}) || part->has_holes;
    bool one_sided = batch->material != NULL && !batch->material->double_sided;
    choose_side(one_sided ? (part->side < 0 ? -1 : 1) : is_inside ? 0 : part->side);
    set_material(job, program, batch);
    glUniform1f(side, (float)part->side);
    glUniform1f(wireframe, job->items[batch->item].wireframe ? 1.0f : 0.0f);
    draw_range(batch->index_start, batch->index_count);
  }
  glDisable(GL_CULL_FACE);
  glCullFace(GL_BACK);
}

static void draw_outlines(const pl_render_job *job, const float matrix[16]) {
  GLuint program = job->device->programs[PL_PROGRAM_OUTLINE];
  glUseProgram(program);
  glUniformMatrix4fv(at(program, "u_view_projection"), 1, GL_FALSE, matrix);
  glUniform1i(at(program, "u_base_image"), UNIT_IMAGES + PL_RENDER_IMAGE_BASE);
  glBindVertexArray(job->device->body_array);
  for (int32_t i = 0; i < job->scene->batch_count; ++i) {
    const pl_render_batch *batch = &job->scene->batches[i];
    if (batch->material == NULL || !(batch->material->outline_width > 0)) continue;
    int side = job->scene->parts[batch->item].side;
    choose_side(side < 0 ? 1 : -1);
    set_hole(program, batch->material);
    set_vector(program, "u_outline", pl_linear_color(batch->material->outline_color));
    glUniform1f(at(program, "u_width"),
                (float)(side < 0 ? -batch->material->outline_width : batch->material->outline_width));
    bind_image(job, batch, PL_RENDER_IMAGE_BASE);
    draw_range(batch->index_start, batch->index_count);
  }
  glDisable(GL_CULL_FACE);
  glCullFace(GL_BACK);
}

// Lines of the floor: steps of a power of ten that follow the camera's distance; the finer lines fade out before they
// would get dense.
static void set_grid(const pl_render_job *job, GLuint program) {
  double level = log10(job->view->distance * 0.09);
  double step = pow(10, floor(level)), coarse = step * 10;
  pl_vec3 origin = job->scene->origin;
  glUniform4f(at(program, "u_grid"), (float)(origin.x - floor(origin.x / coarse) * coarse),
              (float)(origin.z - floor(origin.z / coarse) * coarse), (float)step, (float)(level - floor(level)));
}

// The checkerboard stays where it is in the world, wherever the origin of this picture is.
static void set_checker(const pl_render_job *job, GLuint program) {
  double size = job->def->checker_size, period = 2 * size;
  pl_vec3 origin = job->scene->origin;
  double x = size > 0 ? origin.x - floor(origin.x / period) * period : 0;
  double z = size > 0 ? origin.z - floor(origin.z / period) * period : 0;
  glUniform3f(at(program, "u_checker"), (float)x, (float)z, (float)size);
}

static void draw_ground(const pl_render_job *job, const float matrix[16], double radius) {
  GLuint program = job->device->programs[PL_PROGRAM_GROUND];
  glUseProgram(program);
  set_finish(job, program);
  set_grid(job, program);
  set_checker(job, program);
  // Around the point the camera looks at, so that the sweep is where the picture's horizon would be.
  pl_vec3 target = pl_vec3_add_scaled(job->view->eye, job->view->back, -job->view->distance);
  pl_vec3 center = pl_vec3_sub(target, job->scene->origin);
  glUniform4f(at(program, "u_disc_at"), (float)center.x, job->light->floor[3], (float)center.z, (float)radius);
  glUniformMatrix4fv(at(program, "u_view_projection"), 1, GL_FALSE, matrix);
  glUniform4fv(at(program, "u_floor"), 1, job->light->floor);
  glUniform1i(at(program, "u_floor_sun"), UNIT_FLOOR_SUN);
  glUniform1i(at(program, "u_floor_sky"), UNIT_FLOOR_SKY);
  set_vector(program, "u_ground", pl_linear_color(job->def->ground_color));
  glBindVertexArray(job->device->empty_array);
  // From below the floor is not there, so that a camera under it still sees the bodies.
  glEnable(GL_CULL_FACE);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  glDisable(GL_CULL_FACE);
}

static void draw_sky(const pl_render_job *job) {
  GLuint program = job->device->programs[PL_PROGRAM_SKY];
  glUseProgram(program);
  set_finish(job, program);
  glUniform1f(at(program, "u_depth"), 1);
  glBindVertexArray(job->device->empty_array);
  glDepthFunc(GL_LEQUAL);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void draw_picture(const pl_render_job *job) {
  const pl_render_device *device = job->device;
  double reach = pl_box_diagonal(job->scene->box);
  double scene_distance = pl_vec3_distance(job->view->eye, job->scene->origin);
  double radius = fmax(7 * job->view->distance, 4 * reach);
  double farthest = fmax(scene_distance + reach, 2.2 * radius + job->view->distance);
  float matrix[16];
  pl_render_view_matrix(job->view, job->scene->origin, (double)job->def->width / job->def->height,
                        job->view->distance * 0.01, farthest, matrix);
  glBindFramebuffer(GL_FRAMEBUFFER, device->picture);
  glViewport(0, 0, job->def->width, job->def->height);
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_LESS);
  glClear(GL_DEPTH_BUFFER_BIT);
  draw_bodies(job, matrix, false);
  draw_outlines(job, matrix);
  if (job->def->ground) draw_ground(job, matrix, radius);
  draw_sky(job);
  glDepthFunc(GL_LESS);
  glEnable(GL_BLEND);
  glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
  draw_bodies(job, matrix, true);
  glDisable(GL_BLEND);
}

// All images before the first pass, where a failure still leaves nothing half drawn and no map is bound yet.
static pl_status send_images(const pl_render_job *job, pl_error *error) {
  GLuint white;
  pl_status status = pl_render_textures_find(job->textures, NULL, false, &white, error);
  for (int32_t i = 0; i < job->scene->batch_count && status >= 0; ++i) {
    const pl_render_batch *batch = &job->scene->batches[i];
    GLuint texture;
    for (int k = 0; k < PL_RENDER_IMAGE_COUNT && status >= 0; ++k) {
      int32_t index = image_index(batch, (pl_render_image)k);
      if (index >= 0)
        status =
            pl_render_textures_find(job->textures, &batch->images[index], is_data((pl_render_image)k), &texture, error);
    }
  }
  return status;
}

pl_status pl_render_draw(const pl_render_job *job, pl_error *error) {
  const pl_render_device *device = job->device;
  upload_scene(job);
  pl_status status = pl_render_check("sending the surfaces", error);
  if (status == PL_OK) status = send_images(job, error);
  if (status != PL_OK) return status;
  draw_depth_maps(job);
  bind_map(UNIT_SUN_COMPARE, device->sun_map, device->compare_sampler);
  bind_map(UNIT_SUN_DEPTH, device->sun_map, device->depth_sampler);
  bind_map(UNIT_LAMP_COMPARE, device->lamp_map, device->compare_sampler);
  bind_map(UNIT_LAMP_DEPTH, device->lamp_map, device->depth_sampler);
  if (job->def->ground) draw_floor_maps(job);
  bind_map(UNIT_FLOOR_SUN, device->floor_sun_map, 0);
  bind_map(UNIT_FLOOR_SKY, device->floor_sky_map, 0);
  draw_picture(job);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, device->picture);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, device->resolved);
  glBlitFramebuffer(0, 0, job->def->width, job->def->height, 0, 0, job->def->width, job->def->height,
                    GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, device->resolved);
  // The maps are drawn into again next time, when no unit may still read from them.
  for (GLuint unit = 0; unit < UNIT_COUNT; ++unit) bind_map(unit, 0, 0);
  glBindVertexArray(0);
  pl_render_textures_end_picture(job->textures);
  return pl_render_check("drawing", error);
}
