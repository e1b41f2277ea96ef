/// @file appearance.h
/// What surfaces look like: materials, images and texture coordinates of glTF, GLB and VRM files,
/// and materials by name (part of the lab).
#ifndef PLIANT_APPEARANCE_H
#define PLIANT_APPEARANCE_H

#include "pliant/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Red, green and blue in [0, 1], sRGB.
typedef struct pl_color {
  float r, g, b;
} pl_color;

/// How light falls on a material.
typedef enum pl_material_shading {
  PL_SHADING_SOFT,      ///< wax or clay under a large lamp; only colour, image and alpha count
  PL_SHADING_STANDARD,  ///< metallic-roughness of glTF, with translucency and sheen
  PL_SHADING_TOON,      ///< two colours with a step between them, as MToon of VRM
  PL_SHADING_UNLIT,     ///< the base colour as it is
} pl_material_shading;

/// What alpha does.
typedef enum pl_alpha_mode {
  PL_ALPHA_OPAQUE,  ///< nothing
  PL_ALPHA_MASK,    ///< what is below alpha_cutoff is not drawn
  PL_ALPHA_BLEND,   ///< mixed with what is behind
} pl_alpha_mode;

/// A material of a surface.
typedef struct pl_appearance_material {
  // parameters of src/appearance/appearance_parameters.c by `make generate`: begin
  /// How light falls on it.
  pl_material_shading shading;  ///< default PL_SHADING_STANDARD
  /// Colour in the light.
  pl_color base_color;  ///< 0 … 1, default (1, 1, 1)
  /// Opacity.
  double alpha;  ///< 0 … 1, default 1
  /// 1 for a metal, 0 for everything else.
  double metallic;  ///< 0 … 1, default 0
  /// Width of reflections: 0 for a mirror, 1 for chalk.
  double roughness;  ///< 0 … 1, default 0.5
  /// Light that enters and leaves elsewhere: 0 for stone, 1 for wax.
  double translucency;  ///< 0 … 2, default 0
  /// Pale rim of fibres and fine hair.
  double sheen;  ///< 0 … 2, default 0
  /// Light of its own.
  pl_color emissive;  ///< 0 … 1, default (0, 0, 0)
  /// Strength of the normal map.
  double normal_scale;  ///< -100 … 100, default 1
  /// Strength of the occlusion map.
  double occlusion_strength;  ///< 0 … 1, default 1
  /// Colour out of the light, of toon shading.
  pl_color shade_color;  ///< 0 … 1, default (0.6, 0.6, 0.6)
  /// Moves the step of toon shading into the shade (above 0) or into the light.
  double shade_shift;  ///< -1 … 1, default 0
  /// Sharpness of the step of toon shading: 0 is a smooth gradient, 1 an edge.
  double shade_sharpness;  ///< 0 … 1, default 0.9
  /// Colour added where the surface turns away, of toon shading.
  pl_color rim_color;  ///< 0 … 1, default (0, 0, 0)
  /// How narrow that rim is.
  double rim_power;  ///< 0 … 100, default 5
  /// How far that rim reaches inwards.
  double rim_lift;  ///< 0 … 1, default 0
  /// Factor on the matcap image, which is added, of toon shading.
  pl_color matcap_color;  ///< 0 … 1, default (0, 0, 0)
  /// Colour of the outline.
  pl_color outline_color;  ///< 0 … 1, default (0, 0, 0)
  /// Width of the outline; 0 draws none.
  double outline_width;  ///< m, 0 … 1e3, default 0
  /// What alpha does.
  pl_alpha_mode alpha_mode;  ///< default PL_ALPHA_OPAQUE
  /// Alpha below which the mode `mask` draws nothing.
  double alpha_cutoff;  ///< 0 … 1, default 0.5
  /// Drawn from behind as well.
  bool double_sided;  ///< default true
  // parameters: end

  int32_t base_image;      ///< index of an image that multiplies base_color and alpha, or -1
  int32_t shade_image;     ///< likewise for shade_color
  int32_t emissive_image;  ///< likewise for emissive
  int32_t normal_image;  ///< normals in the space of the texture (glTF: x along u, y against v), or
                         ///< -1. Tangents come from the surface as it is, per triangle
  int32_t metallic_roughness_image;  ///< blue multiplies metallic, green roughness; or -1
  int32_t occlusion_image;           ///< red multiplies the light of the sky; or -1
  int32_t matcap_image;  ///< looked up by the normal as the camera sees it, of toon shading; or -1
} pl_appearance_material;

/// What an image shows outside of [0, 1].
typedef enum pl_image_wrap {
  PL_IMAGE_REPEAT,
  PL_IMAGE_MIRROR,
  PL_IMAGE_CLAMP,
} pl_image_wrap;

/// A decoded image.
typedef struct pl_appearance_image {
  int32_t width, height;         ///< pixels, 1 … 16384
  const uint8_t *rgba;           ///< 4 bytes a pixel, rows from the top, sRGB, alpha not multiplied
  pl_image_wrap wrap_u, wrap_v;  ///< default PL_IMAGE_REPEAT
  /// Images of one id are equal; 0: none. A renderer sends an image with an id once.
  uint64_t id;
  const uint8_t *file;  ///< the PNG or JPEG file, for viewers that decode it themselves; NULL: none
  size_t file_size;     ///< bytes
} pl_appearance_image;

/// Triangles of one material.
typedef struct pl_appearance_part {
  int32_t material;
  int32_t triangle_start, triangle_count;
} pl_appearance_part;

/// A surface as it is drawn: its points once per combination of normal and texture coordinates.
typedef struct pl_appearance_view {
  int32_t vertex_count;
  const int32_t *points;  ///< of the surface, one per vertex
  const int32_t
      *normal_groups;  ///< one per vertex: vertices of one group share their normal, others have an
                       ///< edge between them; NULL: by the angle between triangles
  int32_t normal_group_count;
  const float *uvs;     ///< 2 per vertex, (0, 0) is the upper left corner of an image; NULL: none
  const float *colors;  ///< 4 per vertex: red, green, blue, alpha, linear, 0 … 1; NULL: none
  int32_t triangle_count;
  const int32_t *triangles;  ///< 3 vertices each; number and order as of the surface
  int32_t part_count;
  const pl_appearance_part *parts;  ///< every triangle is in one
  int32_t material_count;
  const pl_appearance_material *materials;
  int32_t image_count;
  const pl_appearance_image *images;
} pl_appearance_view;

/// The surface of which an appearance is asked for. Borrowed for the call.
typedef struct pl_appearance_surface {
  int32_t point_count;
  int32_t triangle_count;
  const int32_t *triangles;  ///< 3 points each
  /// Point of each vertex of the file, -1 for none, for a surface that has only some of them. NULL:
  /// the points are the vertices of the file, or those that pl_mesh_load() makes of them.
  const int32_t *point_of_vertex;
  int32_t vertex_count;  ///< of point_of_vertex
} pl_appearance_surface;

/// Materials, images and texture coordinates of a file. Immutable.
typedef struct pl_appearance pl_appearance;

/// Load the appearance of a surface from the glTF, GLB or VRM file it was read from: base colour,
/// metallic-roughness, normal, occlusion and emission, factors and maps, unlit materials
/// (KHR_materials_unlit) and MToon of VRM 0.x and 1.0; images in PNG and JPEG, embedded or in
/// files. A map with other texture coordinates than the first of its material is left out. An image
/// that cannot be read counts as white. The caller owns the appearance. `*appearance` is NULL with
/// PL_OK for another format, for a file without materials and colours, and where the file's
/// triangles are not those of the surface. Fails as pl_mesh_load() does. May be called from several
/// threads at once.
PL_API pl_status pl_appearance_load(pl_context *context, const char *path,
                                    const pl_appearance_surface *surface,
                                    pl_appearance **appearance, pl_error *error);

/// Destroy an appearance. NULL is allowed.
PL_API void pl_appearance_destroy(pl_appearance *appearance);

/// The arrays of an appearance; they live as long as it does.
PL_API pl_appearance_view pl_appearance_get_view(const pl_appearance *appearance);

/// Every parameter at its default, no images.
PL_API pl_appearance_material pl_default_appearance_material(void);

/// Number of materials by name.
PL_API int32_t pl_appearance_preset_count(void);

/// Name of preset `index`, such as "jelly", or NULL beyond the last; static storage.
PL_API const char *pl_appearance_preset_name(int32_t index);

/// One sentence on preset `index`; NULL beyond the last; static storage.
PL_API const char *pl_appearance_preset_about(int32_t index);

/// The preset of a name, in a colour of the caller's choice. False, with `material` untouched, when
/// there is none of that name.
PL_API bool pl_appearance_find_preset(const char *name, pl_color base_color,
                                      pl_appearance_material *material);

#ifdef __cplusplus
}
#endif
#endif
