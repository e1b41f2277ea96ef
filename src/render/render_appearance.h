// Appearances and materials as a renderer takes them: checked before anything is drawn.
#ifndef PL_RENDER_RENDER_APPEARANCE_H
#define PL_RENDER_RENDER_APPEARANCE_H

#include "pliant/picture.h"

// The images of a material: first those that are colours, then those that are data.
typedef enum pl_render_image {
  PL_RENDER_IMAGE_BASE,
  PL_RENDER_IMAGE_SHADE,
  PL_RENDER_IMAGE_EMISSIVE,
  PL_RENDER_IMAGE_MATCAP,
  PL_RENDER_IMAGE_NORMAL,
  PL_RENDER_IMAGE_SURFACE,  // metallic and roughness
  PL_RENDER_IMAGE_OCCLUSION,
  PL_RENDER_IMAGE_COUNT,
} pl_render_image;

// Number of that image of a material, -1 for none.
int32_t pl_render_image_of(const pl_appearance_material *material, pl_render_image image);

// Every index of the appearance of an item inside its list, as many triangles as the item has, and
// its materials in range. PL_ERROR_INVALID_DATA with a field such as `items[2].appearance.points`.
pl_status pl_render_check_appearance(const pl_picture_item *item, int32_t number, pl_error *error);

#endif
