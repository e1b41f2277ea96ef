// Materials go to viewers as JSON, one key per parameter; images as files that each viewer fetches once.
#include "studio_appearance.h"

#include <stdio.h>
#include <string.h>

#include "appearance/appearance_parameters.h"
#include "base/context.h"
#include "io/file_bytes.h"
#include "report/report_palette.h"

bool studio_appearance_load(pl_context *context, studio_instance *built) {
  int32_t count = pl_scene_instance_body_count(built->instance);
  built->appearances = pl_allocate_array(context, (size_t)count, sizeof(pl_appearance *));
  if (built->appearances == NULL) return false;
  memset(built->appearances, 0, (size_t)count * sizeof(pl_appearance *));
  const pl_scene_body *before = NULL;
  for (int32_t i = 0; i < count; ++i) {
    const pl_scene_body *source = PL_ITEM(&built->instance->parts, pl_instance_part, i).source;
    if (source != before) (void)pl_scene_instance_load_appearance(built->instance, i, &built->appearances[i], NULL);
    before = source;
  }
  return true;
}

// --- materials ----------------------------------------------------------------------------------------------------

static void set_parameter(studio_message *message, pl_json *object, const pl_parameter *p, const char *value) {
  double number = 0;
  int choice = 0;
  float color[3];
  switch (p->kind) {
    case PL_PARAMETER_NUMBER:
      memcpy(&number, value, sizeof number);
      studio_message_set_number(message, object, p->name, number);
      break;
    case PL_PARAMETER_BOOL: pl_json_set_bool(&message->arena, object, p->name, *(const bool *)value); break;
    case PL_PARAMETER_CHOICE:
      memcpy(&choice, value, sizeof choice);
      pl_json_set_text(&message->arena, object, p->name, p->choices[choice]);
      break;
    case PL_PARAMETER_COLOR:
      memcpy(color, value, sizeof color);
      pl_json_set_numbers(&message->arena, object, p->name,
                          (const double[3]){(double)color[0], (double)color[1], (double)color[2]}, 3);
      break;
    default: break;
  }
}

static pl_json *describe_material(studio_message *message, const pl_appearance_material *material) {
  pl_json *object = pl_json_new(&message->arena, PL_JSON_OBJECT);
  if (object == NULL) return NULL;
  const pl_parameter_table *table = &pl_appearance_material_parameters;
  for (int32_t i = 0; i < table->count; ++i)
    set_parameter(message, object, &table->items[i], (const char *)material + table->items[i].offset);
  pl_json_set_number(&message->arena, object, "base_image", material->base_image);
  pl_json_set_number(&message->arena, object, "shade_image", material->shade_image);
  pl_json_set_number(&message->arena, object, "emissive_image", material->emissive_image);
  pl_json_set_number(&message->arena, object, "normal_image", material->normal_image);
  pl_json_set_number(&message->arena, object, "metallic_roughness_image", material->metallic_roughness_image);
  pl_json_set_number(&message->arena, object, "occlusion_image", material->occlusion_image);
  pl_json_set_number(&message->arena, object, "matcap_image", material->matcap_image);
  return object;
}

// --- images -------------------------------------------------------------------------------------------------------

static bool write_file(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  if (file == NULL) return false;
  bool written = fwrite(bytes, 1, size, file) == size;
  return fclose(file) == 0 && written;
}

// The id under which viewers fetch an image; "" where it cannot be offered.
static const char *publish_image(studio_world *w, const pl_appearance_image *image) {
  for (size_t i = 0; i < w->image_files.count; ++i)
    if (PL_ITEM(&w->image_files, studio_image_file, i).image == image->id)
      return PL_ITEM(&w->image_files, studio_image_file, i).id;
  if (image->file == NULL) return "";
  const char *name = image->file[0] == 0xFF ? "image.jpg" : "image.png";
  char *folder = studio_files_folder(w->files);
  char *path = folder != NULL ? pl_path_join(w->context, folder, name) : NULL;
  studio_image_file made = {.image = image->id};
  bool offered = path != NULL && write_file(path, image->file, image->file_size) &&
                 studio_files_add(w->files, path, name, made.id) && pl_vector_push(&w->image_files, &made);
  pl_release(w->context, path);
  pl_release(w->context, folder);
  return offered ? PL_ITEM(&w->image_files, studio_image_file, w->image_files.count - 1).id : "";
}

static pl_json *describe_image(studio_world *w, studio_message *message, const pl_appearance_image *image) {
  static const char *const wraps[] = {"repeat", "mirror", "clamp"};
  pl_json *object = pl_json_new(&message->arena, PL_JSON_OBJECT);
  if (object == NULL) return NULL;
  pl_json_set_text(&message->arena, object, "file", publish_image(w, image));
  pl_json_set_text(&message->arena, object, "wrap_u", wraps[image->wrap_u]);
  pl_json_set_text(&message->arena, object, "wrap_v", wraps[image->wrap_v]);
  return object;
}

// --- appearances --------------------------------------------------------------------------------------------------

static void set_vertices(studio_message *message, pl_json *object, const pl_appearance_view *view) {
  size_t count = (size_t)view->vertex_count;
  studio_message_set_bytes(message, object, "points", view->points, count * sizeof(int32_t));
  studio_message_set_bytes(message, object, "triangles", view->triangles,
                           3 * (size_t)view->triangle_count * sizeof(int32_t));
  studio_message_set_bytes(message, object, "uvs", view->uvs, 2 * count * sizeof(float));
  if (view->colors != NULL)
    studio_message_set_bytes(message, object, "colors", view->colors, 4 * count * sizeof(float));
  if (view->normal_groups != NULL)
    studio_message_set_bytes(message, object, "normal_groups", view->normal_groups, count * sizeof(int32_t));
}

static void set_lists(studio_world *w, studio_message *message, pl_json *object, const pl_appearance_view *view) {
  pl_arena *arena = &message->arena;
  pl_json *parts = pl_json_set(arena, object, "parts", pl_json_new(arena, PL_JSON_ARRAY));
  for (int32_t i = 0; parts != NULL && i < view->part_count; ++i) {
    pl_json *part = pl_json_add(parts, pl_json_new(arena, PL_JSON_OBJECT));
    if (part == NULL) return;
    pl_json_set_number(arena, part, "material", view->parts[i].material);
    pl_json_set_number(arena, part, "start", view->parts[i].triangle_start);
    pl_json_set_number(arena, part, "count", view->parts[i].triangle_count);
  }
  pl_json *materials = pl_json_set(arena, object, "materials", pl_json_new(arena, PL_JSON_ARRAY));
  for (int32_t i = 0; materials != NULL && i < view->material_count; ++i)
    pl_json_add(materials, describe_material(message, &view->materials[i]));
  pl_json *images = pl_json_set(arena, object, "images", pl_json_new(arena, PL_JSON_ARRAY));
  for (int32_t i = 0; images != NULL && i < view->image_count; ++i)
    pl_json_add(images, describe_image(w, message, &view->images[i]));
}

void studio_appearance_describe(studio_world *w, studio_message *message, pl_json *object, int32_t body) {
  pl_scene_instance_body info = pl_scene_instance_get_body(w->instance, body);
  pl_appearance_material preset;
  pl_color color = info.has_color ? info.color : pl_palette_color(body);
  if (info.appearance != NULL && pl_appearance_find_preset(info.appearance, color, &preset)) {
    pl_json_set(&message->arena, object, "material", describe_material(message, &preset));
    return;
  }
  if (w->appearances == NULL || w->appearances[body] == NULL) return;
  pl_appearance_view view = pl_appearance_get_view(w->appearances[body]);
  pl_json *made = pl_json_set(&message->arena, object, "appearance", pl_json_new(&message->arena, PL_JSON_OBJECT));
  if (made == NULL) return;
  set_vertices(message, made, &view);
  set_lists(w, message, made, &view);
}
