// Colours of the vertices of a glTF file, so that pictures show a body as its author painted it: base colour of the
// material, times its texture at the vertex, times the colour of the vertex (glTF 2.0, section 3.9.2). Factors and
// colours of vertices are linear, textures sRGB; the result is sRGB. Textures in other formats than PNG count as white,
// so that their material still has its base colour.
#include <math.h>
#include <png.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/gltf_elements.h"
#include "io/gltf_gather.h"
#include "pliant/mesh_file.h"

enum { MAX_SIDE = 16384 };

// A decoded texture: 4 bytes a pixel, rows from the top. No pixels where it cannot be used.
typedef struct texture {
  bool tried;
  int32_t width, height;
  unsigned char *pixels;
} texture;

typedef struct painter {
  pl_gltf *gltf;
  const pl_gltf_soup *soup;
  texture *textures;  // by image
  int32_t image_count;
  double *sums;  // linear red, green, blue and weight of every vertex
  bool found, out_of_memory;
} painter;

static double to_linear(double c) {
  return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double to_srgb(double c) {
  return c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
}

// --- textures ---------------------------------------------------------------------------------------------------

static void decode_png(painter *p, const unsigned char *bytes, size_t size, texture *to) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  if (!png_image_begin_read_from_memory(&image, bytes, size)) return;
  image.format = PNG_FORMAT_RGBA;
  bool fits = image.width > 0 && image.height > 0 && image.width <= MAX_SIDE && image.height <= MAX_SIDE;
  unsigned char *pixels = fits ? pl_allocate(p->gltf->context, PNG_IMAGE_SIZE(image)) : NULL;
  p->out_of_memory = p->out_of_memory || (fits && pixels == NULL);
  if (pixels == NULL || !png_image_finish_read(&image, NULL, pixels, 0, NULL)) {
    png_image_free(&image);
    pl_release(p->gltf->context, pixels);
    return;
  }
  *to = (texture){true, (int32_t)image.width, (int32_t)image.height, pixels};
}

// The bytes of an image, in a view or a file; empty where they cannot be had.
static void load_image(painter *p, const pl_json *image, texture *to) {
  pl_gltf *gltf = p->gltf;
  const pl_json *uri = pl_json_find(image, "uri"), *reference = pl_json_find(image, "bufferView"), *view = NULL;
  pl_gltf_buffer file = {0};
  pl_gltf_bytes bytes = {0};
  // A picture that is missing is not a reason to refuse the mesh.
  pl_error *error = gltf->error, ignored = {0};
  gltf->error = &ignored;
  if (uri != NULL && pl_gltf_load_uri(gltf, uri, &file) >= 0)
    bytes = (pl_gltf_bytes){file.data, file.size};
  else if (reference != NULL && pl_gltf_item(gltf, reference, "bufferViews", &view) >= 0)
    (void)pl_gltf_load_view(gltf, view, &bytes);
  gltf->error = error;
  if (bytes.data != NULL) decode_png(p, bytes.data, bytes.size, to);
  if (file.file.data != NULL) pl_bytes_free(&file.file);
}

// The texture that `info` (such as baseColorTexture) names; NULL for none that can be used.
static const texture *find_texture(painter *p, const pl_json *info) {
  int64_t index = -1, source = -1;
  if (!pl_json_get_integer(pl_json_find(info, "index"), &index)) return NULL;
  const pl_json *item = pl_json_at(pl_json_find(p->gltf->root, "textures"), index);
  if (!pl_json_get_integer(pl_json_find(item, "source"), &source)) return NULL;
  const pl_json *image = pl_json_at(pl_json_find(p->gltf->root, "images"), source);
  if (image == NULL || source >= p->image_count) return NULL;
  texture *t = &p->textures[source];
  if (!t->tried) load_image(p, image, t);
  t->tried = true;
  return t->pixels == NULL ? NULL : t;
}

// Linear colour at texture coordinates, the mean of nine pixels around it; textures repeat.
static void sample(const texture *t, double u, double v, double rgb[3]) {
  rgb[0] = rgb[1] = rgb[2] = 0;
  if (!isfinite(u) || !isfinite(v)) u = v = 0;
  int64_t x = (int64_t)floor((u - floor(u)) * t->width), y = (int64_t)floor((v - floor(v)) * t->height);
  for (int64_t dy = -1; dy <= 1; ++dy)
    for (int64_t dx = -1; dx <= 1; ++dx) {
      int64_t column = (x + dx + t->width) % t->width, row = (y + dy + t->height) % t->height;
      const unsigned char *pixel = t->pixels + 4 * (size_t)(row * t->width + column);
      for (int c = 0; c < 3; ++c) rgb[c] += to_linear(pixel[c] / 255.0) / 9;
    }
}

// --- materials --------------------------------------------------------------------------------------------------

// Numbers of an attribute of a primitive, `width` per vertex, to be released; NULL where it has none of that width.
static pl_status read_attribute(painter *p, const pl_json *primitive, const char *key, int32_t vertex_count,
                                int32_t *width, double **values) {
  *values = NULL;
  const pl_json *reference = pl_json_find(pl_json_find(primitive, "attributes"), key);
  if (reference == NULL) return PL_OK;
  pl_gltf_accessor accessor;
  pl_status status = pl_gltf_open_accessor(p->gltf, reference, &accessor);
  if (status < 0 || accessor.count != vertex_count || accessor.component_count < 2) return status;
  *values =
      pl_allocate_array(p->gltf->context, (size_t)vertex_count * (size_t)accessor.component_count, sizeof(double));
  if (*values == NULL) return pl_fail_memory(p->gltf->error);
  *width = accessor.component_count;
  return pl_gltf_read_doubles(p->gltf, &accessor, *values);
}

static void read_pair(const pl_json *list, double pair[2]) {
  pl_json_get_number(pl_json_at(list, 0), &pair[0]);
  pl_json_get_number(pl_json_at(list, 1), &pair[1]);
}

// What a primitive is painted with.
typedef struct paint {
  double factor[3], offset[2], scale[2];
  const texture *texture;
  double *uvs, *colors;  // per vertex, or NULL
  int32_t uv_width, color_width;
} paint;

static pl_status read_paint(painter *p, const pl_json *primitive, int32_t vertex_count, paint *to) {
  *to = (paint){.factor = {1, 1, 1}, .scale = {1, 1}};
  int64_t number = -1, set = 0;
  if (pl_json_get_integer(pl_json_find(primitive, "material"), &number)) p->found = true;
  const pl_json *material = pl_json_at(pl_json_find(p->gltf->root, "materials"), number);
  const pl_json *pbr = pl_json_find(material, "pbrMetallicRoughness"), *info = pl_json_find(pbr, "baseColorTexture");
  const pl_json *factor = pl_json_find(pbr, "baseColorFactor");
  for (int c = 0; c < 3; ++c) pl_json_get_number(pl_json_at(factor, c), &to->factor[c]);
  const pl_json *transform = pl_json_find(pl_json_find(info, "extensions"), "KHR_texture_transform");
  read_pair(pl_json_find(transform, "offset"), to->offset);
  read_pair(pl_json_find(transform, "scale"), to->scale);
  to->texture = find_texture(p, info);
  pl_json_get_integer(pl_json_find(info, "texCoord"), &set);
  pl_status status = PL_OK;
  if (to->texture != NULL)
    status =
        read_attribute(p, primitive, set == 1 ? "TEXCOORD_1" : "TEXCOORD_0", vertex_count, &to->uv_width, &to->uvs);
  if (status >= 0) status = read_attribute(p, primitive, "COLOR_0", vertex_count, &to->color_width, &to->colors);
  p->found = p->found || to->colors != NULL;
  return status;
}

static void paint_vertex(painter *p, const paint *with, int32_t vertex, int32_t local) {
  double rgb[3] = {1, 1, 1};
  if (with->uvs != NULL) {
    const double *uv = with->uvs + (size_t)local * (size_t)with->uv_width;
    sample(with->texture, uv[0] * with->scale[0] + with->offset[0], uv[1] * with->scale[1] + with->offset[1], rgb);
  }
  const double *color =
      with->colors == NULL || with->color_width < 3 ? NULL : with->colors + (size_t)local * (size_t)with->color_width;
  double *sum = p->sums + 4 * (size_t)vertex;
  for (int c = 0; c < 3; ++c) sum[c] += fmin(fmax(rgb[c] * with->factor[c] * (color != NULL ? color[c] : 1), 0), 1);
  sum[3] += 1;
}

// Paint the vertices that the elements of a primitive use: others may belong to a primitive with another material.
static pl_status paint_primitive(painter *p, const pl_json *primitive, const pl_gltf_part *part) {
  paint with;
  pl_vector segments = pl_vector_of(p->gltf->context, sizeof(int32_t));
  pl_vector triangles = pl_vector_of(p->gltf->context, sizeof(int32_t));
  pl_status status = read_paint(p, primitive, part->vertex_count, &with);
  if (status >= 0)
    status =
        pl_gltf_read_elements(p->gltf, primitive, part->vertex_start, part->vertex_count, false, &segments, &triangles);
  const pl_vector *elements[2] = {&segments, &triangles};
  for (int k = 0; k < 2 && status >= 0; ++k)
    for (size_t i = 0; i < elements[k]->count; ++i) {
      int32_t vertex = PL_ITEM(elements[k], int32_t, i);
      paint_vertex(p, &with, vertex, vertex - part->vertex_start);
    }
  pl_vector_free(&segments);
  pl_vector_free(&triangles);
  pl_release(p->gltf->context, with.uvs);
  pl_release(p->gltf->context, with.colors);
  return status;
}

static pl_status paint_all(painter *p, const pl_gltf_instance *instances, int32_t instance_count) {
  pl_status status = PL_OK;
  for (int32_t i = 0, number = 0; i < instance_count && status >= 0; ++i) {
    const pl_json *primitives = pl_json_find(instances[i].mesh, "primitives");
    for (const pl_json *item = primitives->first; item != NULL && status >= 0; item = item->next)
      status = paint_primitive(p, item, &p->soup->parts[p->soup->part_of_primitive[number++]]);
  }
  return status;
}

// --- points -----------------------------------------------------------------------------------------------------

// Mean colour of the vertices of each point; without a map every vertex is a point.
static pl_status put_colors(painter *p, const int32_t *point_of_vertex, int32_t point_count, float *colors) {
  double *sums = pl_allocate_array(p->gltf->context, (size_t)point_count, 4 * sizeof *sums);
  if (sums == NULL) return pl_fail_memory(p->gltf->error);
  for (int32_t i = 0; i < p->soup->vertex_count; ++i) {
    double *to = sums + 4 * (size_t)(point_of_vertex != NULL ? point_of_vertex[i] : i);
    for (int c = 0; c < 4; ++c) to[c] += p->sums[4 * (size_t)i + (size_t)c];
  }
  for (int32_t i = 0; i < point_count; ++i)
    for (int c = 0; c < 3; ++c) {
      const double *sum = sums + 4 * (size_t)i;
      colors[3 * (size_t)i + (size_t)c] = sum[3] > 0 ? (float)to_srgb(sum[c] / sum[3]) : 1;
    }
  pl_release(p->gltf->context, sums);
  return PL_OK;
}

static pl_status read_colors(pl_gltf *gltf, pl_gltf_soup *soup, int32_t point_count, float *colors, bool *found) {
  pl_gltf_instance *instances = NULL;
  int32_t instance_count = 0, *point_of_vertex = NULL, vertex_count = 0;
  pl_gltf_ids ids = {0};
  pl_status status = pl_gltf_list_instances(gltf, &instances, &instance_count);
  if (status >= 0) status = pl_gltf_gather_instances(gltf, instances, instance_count, NULL, soup);
  if (status >= 0) status = pl_gltf_read_ids(gltf, soup, &ids);
  if (status < 0) return status;
  vertex_count = soup->vertex_count;
  const pl_json *images = pl_json_find(gltf->root, "images");
  painter p = {
      .gltf = gltf, .soup = soup, .image_count = images != NULL && images->kind == PL_JSON_ARRAY ? images->count : 0};
  p.textures = PL_TAKE(&gltf->arena, texture, p.image_count);
  p.sums = PL_TAKE(&gltf->arena, double, 4 * (size_t)vertex_count);
  if (gltf->arena.failed) return pl_fail_memory(gltf->error);
  status = paint_all(&p, instances, instance_count);
  for (int32_t i = 0; i < p.image_count; ++i) pl_release(gltf->context, p.textures[i].pixels);
  if (status >= 0 && p.out_of_memory) status = pl_fail_memory(gltf->error);
  if (status < 0 || !p.found) return status;
  // The points are the vertices as they are, their numbers in the modelling program, or what was merged.
  pl_gltf_soup merged = *soup;
  if (ids.count > 0) point_of_vertex = ids.id_of_vertex;
  int32_t there = ids.count > 0 ? ids.count : vertex_count;
  if (ids.count == 0 && point_count != vertex_count) {
    status = pl_gltf_weld(gltf, &merged, &point_of_vertex);
    there = merged.vertex_count;
  }
  if (status < 0 || there != point_count) return status;
  *found = true;
  return put_colors(&p, point_of_vertex, point_count, colors);
}

pl_status pl_mesh_file_get_colors(pl_context *context, const char *path, int32_t point_count, float *colors,
                                  bool *found, pl_error *error) {
  *found = false;
  pl_bytes bytes;
  pl_status status = pl_bytes_read(context, path, &bytes, error);
  if (status < 0) return status;
  pl_mesh_format format = pl_mesh_format_detect(bytes.data, bytes.size);
  if (format != PL_MESH_FORMAT_GLB && format != PL_MESH_FORMAT_GLTF) {
    pl_bytes_free(&bytes);
    return PL_OK;
  }
  char *folder = pl_path_folder(context, path);
  pl_gltf gltf;
  status = folder == NULL ? pl_fail_memory(error)
                          : pl_gltf_open(&gltf, context, bytes.data, bytes.size, path, folder, NULL, error);
  if (status >= 0) {
    pl_gltf_soup soup = {0};
    status = read_colors(&gltf, &soup, point_count, colors, found);
    pl_gltf_soup_free(&soup);
    pl_gltf_close(&gltf);
  }
  pl_release(context, folder);
  pl_bytes_free(&bytes);
  return status;
}
