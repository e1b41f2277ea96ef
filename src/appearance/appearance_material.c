// Materials of glTF (2.0, section 3.9), KHR_materials_unlit, VRMC_materials_mtoon 1.0, and the materialProperties of
// VRM 0.x, which are brought to the numbers of MToon 1.0.
//
// Factors of glTF and MToon 1.0 are linear, colours of VRM 0.x are sRGB, and so is ours.
#include "appearance/appearance_material.h"

#include <math.h>
#include <string.h>

#include "appearance/appearance_image.h"
#include "base/context.h"
#include "base/error.h"
#include "base/hash.h"

enum { NOT_READ = -1, UNREADABLE = -2 };

static double clamp(double value, double min, double max) {
  return isfinite(value) ? fmin(fmax(value, min), max) : min;
}

static float srgb_of_linear(double c) {
  c = clamp(c, 0, 1);
  return (float)(c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055);
}

static bool read_numbers(const pl_json *list, double *numbers, int count) {
  bool found = list != NULL;
  for (int i = 0; i < count; ++i) found = pl_json_get_number(pl_json_at(list, i), &numbers[i]) && found;
  return found;
}

static void read_linear_color(const pl_json *list, double factor, pl_color *color) {
  double c[3];
  if (read_numbers(list, c, 3))
    *color = (pl_color){srgb_of_linear(factor * c[0]), srgb_of_linear(factor * c[1]), srgb_of_linear(factor * c[2])};
}

static void read_number(const pl_json *value, double min, double max, double *number) {
  double read;
  if (pl_json_get_number(value, &read)) *number = clamp(read, min, max);
}

// --- images -------------------------------------------------------------------------------------------------------

pl_status pl_image_list_init(pl_image_list *list, pl_gltf *gltf) {
  const pl_json *textures = pl_json_find(gltf->root, "textures");
  *list = (pl_image_list){.gltf = gltf, .images = pl_vector_of(gltf->context, sizeof(pl_appearance_image))};
  list->texture_count = textures != NULL && textures->kind == PL_JSON_ARRAY ? textures->count : 0;
  list->image_of_texture = PL_TAKE(&gltf->arena, int32_t, list->texture_count);
  if (list->image_of_texture == NULL) return pl_fail_memory(gltf->error);
  for (int32_t i = 0; i < list->texture_count; ++i) list->image_of_texture[i] = NOT_READ;
  return PL_OK;
}

void pl_appearance_image_free(pl_context *context, const pl_appearance_image *image) {
  pl_release(context, (void *)(uintptr_t)image->rgba);
  pl_release(context, (void *)(uintptr_t)image->file);
}

void pl_image_list_free(pl_image_list *list) {
  for (size_t i = 0; i < list->images.count; ++i)
    pl_appearance_image_free(list->gltf->context, &PL_ITEM(&list->images, pl_appearance_image, i));
  pl_vector_free(&list->images);
}

static pl_image_wrap wrap_of(const pl_json *sampler, const char *key) {
  int64_t wrap = 10497;
  (void)pl_json_get_integer(pl_json_find(sampler, key), &wrap);
  return wrap == 33071 ? PL_IMAGE_CLAMP : wrap == 33648 ? PL_IMAGE_MIRROR : PL_IMAGE_REPEAT;
}

// Decode the image of a texture; an image that is missing or damaged is left empty.
static pl_status load_image(pl_gltf *gltf, const pl_json *texture, pl_appearance_image *to) {
  int64_t source = -1, sampler = -1;
  (void)pl_json_get_integer(pl_json_find(texture, "source"), &source);
  (void)pl_json_get_integer(pl_json_find(texture, "sampler"), &sampler);
  const pl_json *image = pl_json_at(pl_json_find(gltf->root, "images"), source);
  const pl_json *wraps = pl_json_at(pl_json_find(gltf->root, "samplers"), sampler);
  const pl_json *uri = pl_json_find(image, "uri"), *reference = pl_json_find(image, "bufferView"), *view = NULL;
  pl_gltf_buffer file = {0};
  pl_gltf_bytes bytes = {0};
  pl_pixels pixels = {0};
  pl_error *error = gltf->error, ignored = {0};
  gltf->error = &ignored;
  pl_status status = PL_OK;
  if (uri != NULL) {
    status = pl_gltf_load_uri(gltf, uri, &file);
    if (status >= 0) bytes = (pl_gltf_bytes){file.data, file.size};
  } else if (reference != NULL) {
    status = pl_gltf_item(gltf, reference, "bufferViews", &view);
    if (status >= 0) status = pl_gltf_load_view(gltf, view, &bytes);
  }
  gltf->error = error;
  bool out_of_memory = status == PL_ERROR_OUT_OF_MEMORY || gltf->arena.failed;
  status = out_of_memory ? pl_fail_memory(error) : PL_OK;
  if (status >= 0 && bytes.data != NULL)
    status = pl_image_decode(gltf->context, bytes.data, bytes.size, &pixels, error);
  if (pixels.rgba != NULL) {
    uint8_t *copy = pl_allocate(gltf->context, bytes.size);
    *to = (pl_appearance_image){.width = pixels.width,
                                .height = pixels.height,
                                .rgba = pixels.rgba,
                                .wrap_u = wrap_of(wraps, "wrapS"),
                                .wrap_v = wrap_of(wraps, "wrapT"),
                                .id = pl_hash_bytes(PL_HASH_START, bytes.data, bytes.size) | 1,
                                .file = copy,
                                .file_size = bytes.size};
    if (copy != NULL)
      memcpy(copy, bytes.data, bytes.size);
    else
      status = pl_fail_memory(error);
  }
  if (file.file.data != NULL) pl_bytes_free(&file.file);
  return status;
}

// The image of texture number `index`, -1 for none that can be used.
static pl_status find_image(pl_image_list *list, int64_t index, int32_t *image) {
  *image = -1;
  if (index < 0 || index >= list->texture_count) return PL_OK;
  int32_t *known = &list->image_of_texture[index];
  if (*known == NOT_READ) {
    pl_appearance_image loaded = {0};
    pl_status status = load_image(list->gltf, pl_json_at(pl_json_find(list->gltf->root, "textures"), index), &loaded);
    if (status < 0) {
      pl_appearance_image_free(list->gltf->context, &loaded);
      return status;
    }
    *known = UNREADABLE;
    if (loaded.rgba != NULL) {
      *known = (int32_t)list->images.count;
      if (!pl_vector_push(&list->images, &loaded)) {
        pl_appearance_image_free(list->gltf->context, &loaded);
        return pl_fail_memory(list->gltf->error);
      }
    }
  }
  *image = *known >= 0 ? *known : -1;
  return PL_OK;
}

static pl_status read_image(pl_image_list *list, const pl_json *info, int32_t *image) {
  int64_t index = -1;
  (void)pl_json_get_integer(pl_json_find(info, "index"), &index);
  return find_image(list, index, image);
}

// KHR_texture_transform: scale, then rotate, then offset.
static void read_uv_source(const pl_json *info, pl_uv_source *uv) {
  *uv = (pl_uv_source){.matrix = {1, 0, 0, 1}};
  const pl_json *transform = pl_json_find(pl_json_find(info, "extensions"), "KHR_texture_transform");
  int64_t set = 0;
  double scale[2] = {1, 1}, turn = 0;
  (void)pl_json_get_integer(pl_json_find(info, "texCoord"), &set);
  (void)pl_json_get_integer(pl_json_find(transform, "texCoord"), &set);
  (void)read_numbers(pl_json_find(transform, "scale"), scale, 2);
  (void)read_numbers(pl_json_find(transform, "offset"), uv->offset, 2);
  (void)pl_json_get_number(pl_json_find(transform, "rotation"), &turn);
  uv->set = set == 1 ? 1 : 0;
  uv->matrix[0] = cos(turn) * scale[0], uv->matrix[1] = sin(turn) * scale[1];
  uv->matrix[2] = -sin(turn) * scale[0], uv->matrix[3] = cos(turn) * scale[1];
}

static bool is_same_uv(const pl_uv_source *a, const pl_uv_source *b) {
  bool same = a->set == b->set && a->offset[0] == b->offset[0] && a->offset[1] == b->offset[1];
  for (int i = 0; i < 4; ++i) same = same && a->matrix[i] == b->matrix[i];
  return same;
}

// The image of a map, -1 for one with other texture coordinates than `uv`: a vertex has one pair of them.
static pl_status read_map(pl_image_list *list, const pl_json *info, const pl_uv_source *uv, int32_t *image) {
  pl_uv_source own;
  if (info == NULL) return PL_OK;
  read_uv_source(info, &own);
  return is_same_uv(&own, uv) ? read_image(list, info, image) : PL_OK;
}

// --- glTF and MToon 1.0 -------------------------------------------------------------------------------------------

// Maps besides the base colour.
static pl_status read_maps(pl_image_list *images, const pl_json *json, pl_appearance_material *m,
                           const pl_uv_source *uv) {
  const pl_json *surface = pl_json_find(pl_json_find(json, "pbrMetallicRoughness"), "metallicRoughnessTexture");
  const pl_json *normal = pl_json_find(json, "normalTexture"), *occlusion = pl_json_find(json, "occlusionTexture");
  const pl_json *emission = pl_json_find(json, "emissiveTexture");
  pl_status status = read_map(images, surface, uv, &m->metallic_roughness_image);
  if (status >= 0) status = read_map(images, normal, uv, &m->normal_image);
  if (status >= 0) status = read_map(images, occlusion, uv, &m->occlusion_image);
  if (status >= 0) status = read_map(images, emission, uv, &m->emissive_image);
  read_number(pl_json_find(normal, "scale"), -100, 100, &m->normal_scale);
  read_number(pl_json_find(occlusion, "strength"), 0, 1, &m->occlusion_strength);
  // What a map that is missing would have scaled: no metal, and no light all over.
  if (surface != NULL && m->metallic_roughness_image < 0) m->metallic = 0, m->roughness = fmin(m->roughness, 0.7);
  if (emission != NULL && m->emissive_image < 0) m->emissive = (pl_color){0, 0, 0};
  return status;
}

// The first texture of a material says where its images lie.
static void find_uv_source(const pl_json *json, pl_uv_source *uv) {
  const pl_json *pbr = pl_json_find(json, "pbrMetallicRoughness");
  const pl_json *const infos[5] = {pl_json_find(pbr, "baseColorTexture"), pl_json_find(json, "normalTexture"),
                                   pl_json_find(pbr, "metallicRoughnessTexture"), pl_json_find(json, "emissiveTexture"),
                                   pl_json_find(json, "occlusionTexture")};
  int first = 0;
  while (first < 4 && infos[first] == NULL) ++first;
  read_uv_source(infos[first], uv);
}

static pl_status read_standard(pl_image_list *images, const pl_json *json, pl_appearance_material *m,
                               pl_uv_source *uv) {
  const pl_json *pbr = pl_json_find(json, "pbrMetallicRoughness");
  const pl_json *factor = pl_json_find(pbr, "baseColorFactor"), *extensions = pl_json_find(json, "extensions");
  m->metallic = m->roughness = 1;
  m->double_sided = false;
  read_linear_color(factor, 1, &m->base_color);
  read_number(pl_json_at(factor, 3), 0, 1, &m->alpha);
  read_number(pl_json_find(pbr, "metallicFactor"), 0, 1, &m->metallic);
  read_number(pl_json_find(pbr, "roughnessFactor"), 0, 1, &m->roughness);
  double strength = 1;
  (void)pl_json_get_number(
      pl_json_find(pl_json_find(extensions, "KHR_materials_emissive_strength"), "emissiveStrength"), &strength);
  read_linear_color(pl_json_find(json, "emissiveFactor"), strength, &m->emissive);
  const pl_json *mode = pl_json_find(json, "alphaMode");
  m->alpha_mode = pl_json_is_text(mode, "MASK")    ? PL_ALPHA_MASK
                  : pl_json_is_text(mode, "BLEND") ? PL_ALPHA_BLEND
                                                   : PL_ALPHA_OPAQUE;
  read_number(pl_json_find(json, "alphaCutoff"), 0, 1, &m->alpha_cutoff);
  (void)pl_json_get_bool(pl_json_find(json, "doubleSided"), &m->double_sided);
  if (pl_json_find(extensions, "KHR_materials_unlit") != NULL) m->shading = PL_SHADING_UNLIT;
  if (pl_json_find(extensions, "KHR_materials_sheen") != NULL) m->sheen = 1;
  find_uv_source(json, uv);
  pl_status status = read_map(images, pl_json_find(pbr, "baseColorTexture"), uv, &m->base_image);
  return status < 0 ? status : read_maps(images, json, m, uv);
}

static pl_status read_toon(pl_image_list *images, const pl_json *toon, pl_appearance_material *m) {
  m->shading = PL_SHADING_TOON;
  m->shade_color = (pl_color){0, 0, 0};
  read_linear_color(pl_json_find(toon, "shadeColorFactor"), 1, &m->shade_color);
  read_number(pl_json_find(toon, "shadingShiftFactor"), -1, 1, &m->shade_shift);
  read_number(pl_json_find(toon, "shadingToonyFactor"), 0, 1, &m->shade_sharpness);
  read_linear_color(pl_json_find(toon, "parametricRimColorFactor"), 1, &m->rim_color);
  read_number(pl_json_find(toon, "parametricRimFresnelPowerFactor"), 0, 100, &m->rim_power);
  read_number(pl_json_find(toon, "parametricRimLiftFactor"), 0, 1, &m->rim_lift);
  read_linear_color(pl_json_find(toon, "outlineColorFactor"), 1, &m->outline_color);
  // A width on the screen is a fraction of its height; of a character that fills it, 1.7 m.
  const pl_json *mode = pl_json_find(toon, "outlineWidthMode");
  double metres = pl_json_is_text(mode, "worldCoordinates") ? 1 : pl_json_is_text(mode, "screenCoordinates") ? 1.7 : 0;
  double width = 0;
  read_number(pl_json_find(toon, "outlineWidthFactor"), 0, 1, &width);
  m->outline_width = metres * width;
  const pl_json *matcap = pl_json_find(toon, "matcapTexture");
  if (matcap != NULL) m->matcap_color = (pl_color){1, 1, 1};
  read_linear_color(pl_json_find(toon, "matcapFactor"), 1, &m->matcap_color);
  pl_status status = read_image(images, matcap, &m->matcap_image);
  return status < 0 ? status : read_image(images, pl_json_find(toon, "shadeMultiplyTexture"), &m->shade_image);
}

// --- VRM 0.x ------------------------------------------------------------------------------------------------------

static void read_srgb_color(const pl_json *list, pl_color *color) {
  double c[3];
  if (read_numbers(list, c, 3))
    *color = (pl_color){(float)clamp(c[0], 0, 1), (float)clamp(c[1], 0, 1), (float)clamp(c[2], 0, 1)};
}

static double float_property(const pl_json *properties, const char *key, double otherwise) {
  (void)pl_json_get_number(pl_json_find(pl_json_find(properties, "floatProperties"), key), &otherwise);
  return isfinite(otherwise) ? otherwise : 0;
}

static pl_status read_image_property(pl_image_list *images, const pl_json *properties, const char *key,
                                     int32_t *image) {
  int64_t index = -1;
  if (!pl_json_get_integer(pl_json_find(pl_json_find(properties, "textureProperties"), key), &index)) return PL_OK;
  return find_image(images, index, image);
}

static void read_alpha_property(const pl_json *properties, pl_appearance_material *m) {
  double mode = float_property(properties, "_BlendMode", m->alpha_mode);
  m->alpha_mode = mode >= 2 ? PL_ALPHA_BLEND : mode >= 1 ? PL_ALPHA_MASK : PL_ALPHA_OPAQUE;
  m->alpha_cutoff = clamp(float_property(properties, "_Cutoff", m->alpha_cutoff), 0, 1);
  m->double_sided = float_property(properties, "_CullMode", m->double_sided ? 0 : 2) < 0.5;
}

// The step of MToon 0.x is given by its lower end and its width; that of 1.0 by its middle and its sharpness.
static void read_step_property(const pl_json *properties, pl_appearance_material *m) {
  double shift = clamp(float_property(properties, "_ShadeShift", 0), -1, 1);
  double toony = clamp(float_property(properties, "_ShadeToony", 0.9), 0, 1);
  m->shade_sharpness = toony + (1 - toony) * (0.5 + 0.5 * shift);
  m->shade_shift = clamp(-shift - (1 - m->shade_sharpness), -1, 1);
}

static pl_status read_vrm0_toon(pl_image_list *images, const pl_json *properties, pl_appearance_material *m) {
  const pl_json *vectors = pl_json_find(properties, "vectorProperties");
  m->shading = PL_SHADING_TOON;
  m->shade_color = (pl_color){0.97f, 0.81f, 0.86f};  // the shader's own default
  read_srgb_color(pl_json_find(vectors, "_Color"), &m->base_color);
  read_number(pl_json_at(pl_json_find(vectors, "_Color"), 3), 0, 1, &m->alpha);
  read_srgb_color(pl_json_find(vectors, "_ShadeColor"), &m->shade_color);
  read_srgb_color(pl_json_find(vectors, "_EmissionColor"), &m->emissive);
  read_srgb_color(pl_json_find(vectors, "_RimColor"), &m->rim_color);
  read_srgb_color(pl_json_find(vectors, "_OutlineColor"), &m->outline_color);
  m->rim_power = clamp(float_property(properties, "_RimFresnelPower", 1), 0, 100);
  m->rim_lift = clamp(float_property(properties, "_RimLift", 0), 0, 1);
  // In centimetres, or hundredths of half the screen's height.
  double mode = float_property(properties, "_OutlineWidthMode", 0);
  double width = clamp(float_property(properties, "_OutlineWidth", 0.5), 0, 100);
  m->outline_width = mode < 0.5 ? 0 : mode < 1.5 ? 0.01 * width : 0.0085 * width;
  read_alpha_property(properties, m);
  read_step_property(properties, m);
  pl_status status = read_image_property(images, properties, "_MainTex", &m->base_image);
  m->shade_image = -1;
  if (status >= 0) status = read_image_property(images, properties, "_ShadeTexture", &m->shade_image);
  if (status >= 0) status = read_image_property(images, properties, "_EmissionMap", &m->emissive_image);
  if (status >= 0) status = read_image_property(images, properties, "_BumpMap", &m->normal_image);
  if (status >= 0) status = read_image_property(images, properties, "_SphereAdd", &m->matcap_image);
  m->normal_scale = clamp(float_property(properties, "_BumpScale", m->normal_scale), -100, 100);
  if (m->matcap_image >= 0) m->matcap_color = (pl_color){1, 1, 1};
  return status;
}

static void read_vrm0_unlit(const pl_json *properties, const char *shader, pl_appearance_material *m) {
  m->shading = PL_SHADING_UNLIT;
  read_srgb_color(pl_json_find(pl_json_find(properties, "vectorProperties"), "_Color"), &m->base_color);
  m->alpha_mode = strstr(shader, "Cutout") != NULL        ? PL_ALPHA_MASK
                  : strstr(shader, "Transparent") != NULL ? PL_ALPHA_BLEND
                                                          : PL_ALPHA_OPAQUE;
  m->alpha_cutoff = clamp(float_property(properties, "_Cutoff", m->alpha_cutoff), 0, 1);
}

static pl_status read_vrm0(pl_image_list *images, int64_t index, pl_appearance_material *m, pl_uv_source *uv) {
  const pl_json *vrm = pl_json_find(pl_json_find(images->gltf->root, "extensions"), "VRM");
  const pl_json *properties = pl_json_at(pl_json_find(vrm, "materialProperties"), index);
  const char *shader = "";
  (void)pl_json_get_text(pl_json_find(properties, "shader"), &shader);
  if (strcmp(shader, "VRM/MToon") != 0) {
    if (strncmp(shader, "VRM/Unlit", 9) == 0) read_vrm0_unlit(properties, shader, m);
    return PL_OK;
  }
  double placing[4];  // offset, scale; from the lower left corner, as Unity has it
  if (read_numbers(pl_json_find(pl_json_find(properties, "vectorProperties"), "_MainTex"), placing, 4))
    *uv = (pl_uv_source){
        .set = uv->set, .matrix = {placing[2], 0, 0, placing[3]}, .offset = {placing[0], 1 - placing[1] - placing[3]}};
  return read_vrm0_toon(images, properties, m);
}

// --- all --------------------------------------------------------------------------------------------------------

pl_status pl_material_read(pl_image_list *images, int64_t index, pl_appearance_material *material, pl_uv_source *uv) {
  const pl_json *json = pl_json_at(pl_json_find(images->gltf->root, "materials"), index);
  *material = pl_default_appearance_material();
  *uv = (pl_uv_source){.matrix = {1, 0, 0, 1}};
  if (json == NULL) return PL_OK;
  pl_status status = read_standard(images, json, material, uv);
  const pl_json *toon = pl_json_find(pl_json_find(json, "extensions"), "VRMC_materials_mtoon");
  if (status >= 0 && toon != NULL) return read_toon(images, toon, material);
  return status < 0 ? status : read_vrm0(images, index, material, uv);
}
