// Materials and images of a glTF file.
#ifndef PL_APPEARANCE_MATERIAL_H
#define PL_APPEARANCE_MATERIAL_H

#include "base/vector.h"
#include "io/gltf_document.h"
#include "pliant/appearance.h"

// How texture coordinates of a material are read: which set of the primitive, and a map that is
// applied to them.
typedef struct pl_uv_source {
  int32_t set;
  double matrix[4];  // rows; uv -> matrix * uv + offset
  double offset[2];
} pl_uv_source;

// Images that the materials have asked for so far.
typedef struct pl_image_list {
  pl_gltf *gltf;
  pl_vector images;           // of pl_appearance_image; their pixels must be released
  int32_t *image_of_texture;  // -1: not asked for, -2: cannot be read
  int32_t texture_count;
} pl_image_list;

// Release what an image owns.
void pl_appearance_image_free(pl_context *context, const pl_appearance_image *image);

// Start a list; memory of `image_of_texture` belongs to the gltf's arena.
pl_status pl_image_list_init(pl_image_list *list, pl_gltf *gltf);
void pl_image_list_free(pl_image_list *list);

// Material number `index` of the file (any other number: the default of glTF), as it is written
// for glTF, KHR_materials_unlit, VRMC_materials_mtoon or VRM 0.x.
pl_status pl_material_read(pl_image_list *images, int64_t index, pl_appearance_material *material,
                           pl_uv_source *uv);

#endif
