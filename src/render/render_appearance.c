// Checks of appearances. All lists come from the caller, so none is trusted.
#include "render/render_appearance.h"

#include <stdio.h>

#include "appearance/appearance_parameters.h"
#include "base/error.h"

// A list of numbers and the count that they must be below.
typedef struct index_list {
  const char *name;
  const int32_t *items;
  int64_t count;
  int32_t limit, min;
} index_list;

static pl_status fail(int32_t number, const char *name, pl_error *error) {
  char field[80];
  snprintf(field, sizeof field, "items[%d].appearance.%s", number, name);
  return pl_fail_field(error, PL_ERROR_INVALID_DATA, field, "a number in it is out of range, or a list is missing");
}

static bool is_inside(const index_list *list) {
  if (list->items == NULL && list->count > 0) return false;
  for (int64_t i = 0; i < list->count; ++i)
    if (list->items[i] < list->min || list->items[i] >= list->limit) return false;
  return true;
}

// Parts follow each other and cover all triangles.
static bool are_parts(const pl_appearance_view *a) {
  int64_t next = 0;
  for (int32_t i = 0; i < a->part_count; ++i) {
    const pl_appearance_part *part = &a->parts[i];
    if (part->material < 0 || part->material >= a->material_count || part->triangle_start != next ||
        part->triangle_count < 0)
      return false;
    next += part->triangle_count;
  }
  return next == a->triangle_count;
}

static bool are_images(const pl_appearance_view *a) {
  for (int32_t i = 0; i < a->image_count; ++i) {
    const pl_appearance_image *image = &a->images[i];
    if (image->rgba == NULL || image->width < 1 || image->height < 1 || image->width > 16384 || image->height > 16384)
      return false;
  }
  return true;
}

static bool are_materials(const pl_appearance_view *a) {
  for (int32_t i = 0; i < a->material_count; ++i) {
    const pl_appearance_material *m = &a->materials[i];
    int32_t used[PL_RENDER_IMAGE_COUNT];
    for (int k = 0; k < PL_RENDER_IMAGE_COUNT; ++k) used[k] = pl_render_image_of(m, (pl_render_image)k);
    const index_list images = {"materials", used, PL_RENDER_IMAGE_COUNT, a->image_count, -1};
    if (!is_inside(&images) || pl_parameters_check(&pl_appearance_material_parameters, m, NULL) < 0) return false;
  }
  return true;
}

int32_t pl_render_image_of(const pl_appearance_material *m, pl_render_image image) {
  const int32_t images[PL_RENDER_IMAGE_COUNT] = {
      [PL_RENDER_IMAGE_BASE] = m->base_image,           [PL_RENDER_IMAGE_SHADE] = m->shade_image,
      [PL_RENDER_IMAGE_EMISSIVE] = m->emissive_image,   [PL_RENDER_IMAGE_MATCAP] = m->matcap_image,
      [PL_RENDER_IMAGE_NORMAL] = m->normal_image,       [PL_RENDER_IMAGE_SURFACE] = m->metallic_roughness_image,
      [PL_RENDER_IMAGE_OCCLUSION] = m->occlusion_image,
  };
  return images[image];
}

pl_status pl_render_check_appearance(const pl_picture_item *item, int32_t number, pl_error *error) {
  const pl_appearance_view *a = item->appearance;
  if (a->triangle_count != item->triangle_count || a->vertex_count < 0) return fail(number, "triangle_count", error);
  const index_list lists[3] = {
      {"points", a->points, a->vertex_count, item->point_count, 0},
      {"normal_groups", a->normal_groups, a->normal_groups != NULL ? a->vertex_count : 0, a->normal_group_count, 0},
      {"triangles", a->triangles, 3 * (int64_t)a->triangle_count, a->vertex_count, 0}};
  for (int i = 0; i < 3; ++i)
    if (!is_inside(&lists[i])) return fail(number, lists[i].name, error);
  if (!are_parts(a)) return fail(number, "parts", error);
  if (!are_images(a)) return fail(number, "images", error);
  return are_materials(a) ? PL_OK : fail(number, "materials", error);
}
