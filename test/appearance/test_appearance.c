// Appearances of glTF files: vertices, materials and images of the dialects that exporters write, against values by
// hand.
// ctest: unit
#define _GNU_SOURCE
#include "fixtures/gltf_bytes.h"

#include <stdio.h>
#include <unistd.h>

// After stdio.h, which it needs.
#include <jpeglib.h>

#include "appearance/appearance_image.h"
#include "base/context.h"
#include "io/png_library.h"
#include "pliant/appearance.h"
#include "pliant/mesh_file.h"

enum { SIDE = 16 };

// Red on the left, green on the right.
static void fill_pixels(unsigned char rgb[SIDE * SIDE * 3]) {
  memset(rgb, 0, SIDE * SIDE * 3);
  for (int i = 0; i < SIDE * SIDE; ++i) rgb[3 * i + (i % SIDE < SIDE / 2 ? 0 : 1)] = 255;
}

static byte_block make_png(pl_context *context) {
  unsigned char rgb[SIDE * SIDE * 3];
  fill_pixels(rgb);
  pl_vector bytes = pl_vector_of(context, 1);
  pl_error error = {0};
  check_ok(pl_png_encode(context, rgb, SIDE, SIDE, PL_PNG_RGB8, &bytes, &error), &error);
  byte_block block = {.size = 0};
  put_block(&block, bytes.items, bytes.count);
  pl_vector_free(&bytes);
  return block;
}

static byte_block make_jpeg(bool grey) {
  unsigned char rgb[SIDE * SIDE * 3], *out = NULL;
  unsigned long size = 0;
  fill_pixels(rgb);
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &out, &size);
  info.image_width = info.image_height = SIDE;
  info.input_components = grey ? 1 : 3;
  info.in_color_space = grey ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  jpeg_start_compress(&info, TRUE);
  for (int y = 0; y < SIDE; ++y) {
    JSAMPROW row[1] = {rgb + (grey ? SIDE * y : 3 * SIDE * y)};
    jpeg_write_scanlines(&info, row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  byte_block block = {.size = 0};
  put_block(&block, out, size);
  free(out);
  return block;
}

// Two triangles of a square at a seam: vertices 0 1 2 and 3 4 5, where 3 and 4 are at the positions of 2 and 1 with
// other texture coordinates. `folded` gives the second triangle a normal of its own.
typedef struct dialect {
  const char *materials;  // JSON of the list
  const char *more;       // further JSON of the root, with a comma in front
  const byte_block *image;
  bool folded, colors;
} dialect;

static const char *write_file(const char *folder, const dialect *d) {
  static char path[80], json[65536], image[32768];
  snprintf(path, sizeof path, "%s/a.glb", folder);
  image[0] = '\0';
  if (d->image != NULL) encode_base64(d->image, image);
  snprintf(json, sizeof json,
           "{\"asset\":{\"version\":\"2.0\"},\"meshes\":[{\"primitives\":["
           "{\"attributes\":{\"POSITION\":0,\"NORMAL\":1,\"TEXCOORD_0\":2%s},\"indices\":4%s}]}],%s%s%s"
           "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":6,\"type\":\"VEC3\"},"
           "{\"bufferView\":0,\"byteOffset\":72,\"componentType\":5126,\"count\":6,\"type\":\"VEC3\"},"
           "{\"bufferView\":0,\"byteOffset\":144,\"componentType\":5126,\"count\":6,\"type\":\"VEC2\"},"
           "{\"bufferView\":0,\"byteOffset\":192,\"componentType\":5121,\"normalized\":true,\"count\":6,\"type\":"
           "\"VEC4\"},"
           "{\"bufferView\":0,\"byteOffset\":216,\"componentType\":5121,\"count\":6,\"type\":\"SCALAR\"}],"
           "\"bufferViews\":[{\"buffer\":0,\"byteLength\":222}],\"buffers\":[{\"byteLength\":222}],"
           "\"samplers\":[{\"wrapS\":33071,\"wrapT\":33648}],\"textures\":[{\"source\":0,\"sampler\":0}],"
           "\"images\":[{\"uri\":\"data:image/any;base64,%s\"}]%s}",
           d->colors ? ",\"COLOR_0\":3" : "", d->materials != NULL ? ",\"material\":0" : "",
           d->materials != NULL ? "\"materials\":" : "", d->materials != NULL ? d->materials : "",
           d->materials != NULL ? "," : "", image, d->more != NULL ? d->more : "");
  byte_block binary = {.size = 0};
  float up = d->folded ? 1.0f : 0.0f, out = d->folded ? 0.0f : 1.0f;
  put_f32s(&binary, (const float[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0}, 18);
  put_f32s(&binary, (const float[]){0, 0, 1, 0, 0, 1, 0, 0, 1, 0, up, out, 0, up, out, 0, up, out}, 18);
  put_f32s(&binary, (const float[]){0, 0, 0.25f, 0, 0, 0.25f, 0.5f, 0.5f, 0.75f, 0.5f, 1, 1}, 12);
  for (int i = 0; i < 24; ++i) put_u8(&binary, i % 4 == 3 ? 255 : 51 * (i / 4));
  for (int i = 0; i < 6; ++i) put_u8(&binary, i);
  byte_block file = make_glb(json, &binary);
  FILE *to = fopen(path, "wb");
  assert_int_equal(fwrite(file.data, 1, file.size, to), file.size);
  fclose(to);
  return path;
}

// The mesh that pl_mesh_load() makes of it: four points.
static const int32_t welded[6] = {0, 1, 2, 2, 1, 3};
static const pl_appearance_surface welded_surface = {4, 2, welded, NULL, 0};

typedef struct fixture {
  pl_context *context;
  char folder[32];
} fixture;

static fixture open_fixture(void) {
  fixture f = {.context = make_context(1), .folder = "/tmp/pliant-looks-XXXXXX"};
  assert_non_null(mkdtemp(f.folder));
  return f;
}

static void close_fixture(fixture *f) {
  char path[80];
  snprintf(path, sizeof path, "%s/a.glb", f->folder);
  unlink(path);
  rmdir(f->folder);
  drop_context(f->context);
}

static pl_appearance *load(const fixture *f, const dialect *d, const pl_appearance_surface *surface) {
  pl_appearance *made = NULL;
  pl_error error = {0};
  check_ok(pl_appearance_load(f->context, write_file(f->folder, d), surface, &made, &error), &error);
  return made;
}

#define PLAIN \
  "[{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0},\"metallicFactor\":0.25,\"roughnessFactor\":0.75}}]"

static double to_srgb(double c) {
  return c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
}

static void check_color(pl_color color, double r, double g, double b) {
  check_near((double)color.r, r, 1e-6);
  check_near((double)color.g, g, 1e-6);
  check_near((double)color.b, b, 1e-6);
}

static void png_and_jpeg_become_the_same_pixels(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const byte_block files[2] = {make_png(context), make_jpeg(false)};
  for (int i = 0; i < 2; ++i) {
    pl_pixels pixels;
    pl_error error = {0};
    check_ok(pl_image_decode(context, files[i].data, files[i].size, &pixels, &error), &error);
    assert_int_equal(pixels.width, SIDE);
    assert_int_equal(pixels.height, SIDE);
    for (int k = 0; k < 2; ++k) {
      const uint8_t *p = pixels.rgba + 4 * (SIDE * 8 + (k == 0 ? 2 : SIDE - 3));
      assert_in_range(p[k], 250, 255);
      assert_in_range(p[1 - k], 0, 5);
      assert_int_equal(p[3], 255);
    }
    pl_release(context, pixels.rgba);
  }
  drop_context(context);
}

static void grey_damaged_and_foreign_images_are_survived(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  byte_block files[3] = {make_jpeg(true), make_jpeg(false), make_png(context)};
  pl_pixels pixels;
  pl_error error = {0};
  check_ok(pl_image_decode(context, files[0].data, files[0].size, &pixels, &error), &error);
  assert_int_equal(pixels.rgba[0], pixels.rgba[2]);
  pl_release(context, pixels.rgba);
  for (int i = 1; i < 3; ++i)
    for (size_t size = 0; size < files[i].size; size += 7) {
      check_ok(pl_image_decode(context, files[i].data, size, &pixels, &error), &error);
      if (pixels.rgba != NULL) pl_release(context, pixels.rgba);
    }
  check_ok(pl_image_decode(context, "RIFF    WEBP", 12, &pixels, &error), &error);
  assert_null(pixels.rgba);
  drop_context(context);
}

static void vertices_keep_their_texture_coordinates_across_a_seam(void **state) {
  (void)state;
  fixture f = open_fixture();
  byte_block png = make_png(f.context);
  pl_appearance *made = load(&f, &(dialect){PLAIN, NULL, &png, false, false}, &welded_surface);
  assert_non_null(made);
  pl_appearance_view view = pl_appearance_get_view(made);
  assert_int_equal(view.vertex_count, 6);
  assert_int_equal(view.triangle_count, 2);
  for (int i = 0; i < 6; ++i) assert_int_equal(view.points[view.triangles[i]], welded[i]);
  check_near((double)view.uvs[2 * view.triangles[2] + 1], 0.25, 0);
  check_near((double)view.uvs[2 * view.triangles[3] + 1], 0.5, 0);
  // One normal on both sides of the seam.
  assert_int_equal(view.normal_group_count, 4);
  assert_int_equal(view.normal_groups[view.triangles[2]], view.normal_groups[view.triangles[3]]);
  assert_int_equal(view.part_count, 1);
  assert_int_equal(view.image_count, 1);
  assert_int_equal(view.images[0].wrap_u, PL_IMAGE_CLAMP);
  assert_int_equal(view.images[0].wrap_v, PL_IMAGE_MIRROR);
  assert_true(view.images[0].id != 0 && view.images[0].file_size == png.size);
  assert_memory_equal(view.images[0].file, png.data, png.size);
  check_near(view.materials[0].metallic, 0.25, 0);
  check_near(view.materials[0].roughness, 0.75, 0);
  assert_false(view.materials[0].double_sided);
  pl_appearance_destroy(made);
  // A fold that the author shaded as an edge stays one.
  made = load(&f, &(dialect){PLAIN, NULL, &png, true, false}, &welded_surface);
  assert_int_equal(pl_appearance_get_view(made).normal_group_count, 6);
  pl_appearance_destroy(made);
  close_fixture(&f);
}

static void surfaces_of_vertices_and_of_some_of_them_fit_too(void **state) {
  (void)state;
  fixture f = open_fixture();
  const dialect plain = {PLAIN, NULL, NULL, false, false};
  const int32_t as_file[6] = {0, 1, 2, 3, 4, 5}, turned[6] = {0, 2, 1, 3, 5, 4}, second[3] = {0, 1, 2};
  const int32_t point_of_vertex[6] = {-1, -1, -1, 0, 1, 2}, other[6] = {0, 1, 2, 2, 0, 3};
  const pl_appearance_surface fitting[3] = {
      {6, 2, as_file, NULL, 0}, {6, 2, turned, NULL, 0}, {3, 1, second, point_of_vertex, 6}};
  for (int i = 0; i < 3; ++i) {
    pl_appearance *made = load(&f, &plain, &fitting[i]);
    assert_non_null(made);
    pl_appearance_view view = pl_appearance_get_view(made);
    for (int k = 0; k < 3 * fitting[i].triangle_count; ++k)
      assert_int_equal(view.points[view.triangles[k]], fitting[i].triangles[k]);
    pl_appearance_destroy(made);
  }
  const pl_appearance_surface foreign[3] = {
      {4, 2, other, NULL, 0}, {5, 2, welded, NULL, 0}, {3, 1, second, point_of_vertex, 5}};
  for (int i = 0; i < 3; ++i) assert_null(load(&f, &plain, &foreign[i]));
  // Without materials and colours there is nothing to show.
  assert_null(load(&f, &(dialect){NULL, NULL, NULL, false, false}, &welded_surface));
  pl_appearance *made = load(&f, &(dialect){NULL, NULL, NULL, false, true}, &welded_surface);
  check_near((double)pl_appearance_get_view(made).colors[4 * 3], 0.6, 1e-6);
  pl_appearance_destroy(made);
  close_fixture(&f);
}

static pl_appearance_material material_of(const fixture *f, const char *materials, const char *more) {
  byte_block png = make_png(f->context);
  pl_appearance *made = load(f, &(dialect){materials, more, &png, false, false}, &welded_surface);
  assert_non_null(made);
  pl_appearance_material material = pl_appearance_get_view(made).materials[0];
  pl_appearance_destroy(made);
  return material;
}

static void materials_of_gltf_are_read(void **state) {
  (void)state;
  fixture f = open_fixture();
  pl_appearance_material m = material_of(
      &f,
      "[{\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.5,0,1,0.25]},\"alphaMode\":\"MASK\",\"alphaCutoff\":0.3,"
      "\"doubleSided\":true,\"emissiveFactor\":[0.1,0,0],\"extensions\":{\"KHR_materials_emissive_strength\":{"
      "\"emissiveStrength\":5}}}]",
      NULL);
  assert_int_equal(m.shading, PL_SHADING_STANDARD);
  check_color(m.base_color, to_srgb(0.5), 0, 1);
  check_near(m.alpha, 0.25, 0);
  assert_int_equal(m.alpha_mode, PL_ALPHA_MASK);
  check_near(m.alpha_cutoff, 0.3, 0);
  assert_true(m.double_sided);
  check_color(m.emissive, to_srgb(0.5), 0, 0);
  check_near(m.metallic, 1, 0);
  m = material_of(&f, "[{\"alphaMode\":\"BLEND\",\"extensions\":{\"KHR_materials_unlit\":{}}}]", NULL);
  assert_int_equal(m.shading, PL_SHADING_UNLIT);
  assert_int_equal(m.alpha_mode, PL_ALPHA_BLEND);
  close_fixture(&f);
}

// Maps lie where the first of them does; one that lies elsewhere is left out with what it would have scaled.
static void maps_of_gltf_are_read(void **state) {
  (void)state;
  fixture f = open_fixture();
  pl_appearance_material m =
      material_of(&f,
                  "[{\"pbrMetallicRoughness\":{\"metallicRoughnessTexture\":{\"index\":0},\"roughnessFactor\":0.5},"
                  "\"normalTexture\":{\"index\":0,\"scale\":0.25},\"occlusionTexture\":{\"index\":0,\"strength\":0.75},"
                  "\"emissiveTexture\":{\"index\":0},\"emissiveFactor\":[1,1,1]}]",
                  NULL);
  assert_int_equal(m.base_image, -1);
  assert_true(m.metallic_roughness_image == 0 && m.normal_image == 0 && m.occlusion_image == 0 &&
              m.emissive_image == 0 && m.matcap_image == -1);
  check_near(m.metallic, 1, 0);
  check_near(m.roughness, 0.5, 0);
  check_near(m.normal_scale, 0.25, 0);
  check_near(m.occlusion_strength, 0.75, 0);
  m = material_of(&f,
                  "[{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0},\"metallicRoughnessTexture\":{"
                  "\"index\":0,\"texCoord\":1}},\"occlusionTexture\":{\"index\":0,\"texCoord\":1},"
                  "\"normalTexture\":{\"index\":0},\"emissiveFactor\":[1,1,1],\"emissiveTexture\":{\"index\":0,"
                  "\"extensions\":{\"KHR_texture_transform\":{\"scale\":[2,2]}}}}]",
                  NULL);
  assert_true(m.base_image == 0 && m.normal_image == 0 && m.metallic_roughness_image == -1 && m.occlusion_image == -1 &&
              m.emissive_image == -1);
  check_near(m.metallic, 0, 0);
  check_color(m.emissive, 0, 0, 0);
  m = material_of(&f,
                  "[{\"normalTexture\":{\"index\":0},\"extensions\":{\"VRMC_materials_mtoon\":{\"specVersion\":\"1.0\","
                  "\"matcapFactor\":[0,0.5,1],\"matcapTexture\":{\"index\":0}}}}]",
                  NULL);
  assert_true(m.shading == PL_SHADING_TOON && m.normal_image == 0 && m.matcap_image == 0);
  check_color(m.matcap_color, 0, to_srgb(0.5), 1);
  m = material_of(&f, "[{}]",
                  ",\"extensions\":{\"VRM\":{\"materialProperties\":[{\"shader\":\"VRM/MToon\",\"floatProperties\":{"
                  "\"_BumpScale\":0.5},\"textureProperties\":{\"_BumpMap\":0,\"_SphereAdd\":0}}]}}");
  assert_true(m.normal_image == 0 && m.matcap_image == 0);
  check_near(m.normal_scale, 0.5, 0);
  check_color(m.matcap_color, 1, 1, 1);
  close_fixture(&f);
}

static void toon_materials_of_both_versions_of_vrm_are_read(void **state) {
  (void)state;
  fixture f = open_fixture();
  pl_appearance_material m = material_of(
      &f,
      "[{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}},\"extensions\":{\"KHR_materials_unlit\":{},"
      "\"VRMC_materials_mtoon\":{\"specVersion\":\"1.0\",\"shadeColorFactor\":[0.5,0.25,0],\"shadeMultiplyTexture\":{"
      "\"index\":0},\"shadingShiftFactor\":-0.2,\"shadingToonyFactor\":0.8,\"parametricRimColorFactor\":[0,0,1],"
      "\"parametricRimFresnelPowerFactor\":3,\"parametricRimLiftFactor\":0.1,\"outlineWidthMode\":\"worldCoordinates\","
      "\"outlineWidthFactor\":0.005,\"outlineColorFactor\":[0,1,0]}}}]",
      NULL);
  assert_int_equal(m.shading, PL_SHADING_TOON);
  check_color(m.shade_color, to_srgb(0.5), to_srgb(0.25), 0);
  check_near(m.shade_shift, -0.2, 0);
  check_near(m.shade_sharpness, 0.8, 0);
  check_color(m.rim_color, 0, 0, 1);
  check_near(m.rim_power, 3, 0);
  check_near(m.outline_width, 0.005, 0);
  check_color(m.outline_color, 0, 1, 0);
  assert_int_equal(m.base_image, 0);
  assert_int_equal(m.shade_image, 0);
  m = material_of(
      &f, "[{\"pbrMetallicRoughness\":{}}]",
      ",\"extensions\":{\"VRM\":{\"materialProperties\":[{\"shader\":\"VRM/MToon\",\"floatProperties\":{"
      "\"_ShadeShift\":0,\"_ShadeToony\":0.5,\"_OutlineWidthMode\":1,\"_OutlineWidth\":0.4,\"_CullMode\":0,"
      "\"_BlendMode\":1,\"_Cutoff\":0.7},\"vectorProperties\":{\"_Color\":[0.5,1,1,1],\"_ShadeColor\":[0.25,"
      "0,0,1]},\"textureProperties\":{\"_MainTex\":0}}]}}");
  assert_int_equal(m.shading, PL_SHADING_TOON);
  check_color(m.base_color, 0.5, 1, 1);
  check_color(m.shade_color, 0.25, 0, 0);
  check_near(m.shade_sharpness, 0.75, 1e-12);
  check_near(m.shade_shift, -0.25, 1e-12);
  check_near(m.outline_width, 0.004, 1e-12);
  assert_int_equal(m.alpha_mode, PL_ALPHA_MASK);
  check_near(m.alpha_cutoff, 0.7, 0);
  assert_true(m.double_sided);
  assert_int_equal(m.base_image, 0);
  assert_int_equal(m.shade_image, -1);
  close_fixture(&f);
}

// Turned by a quarter, u becomes v times the scale.
static void texture_coordinates_are_transformed(void **state) {
  (void)state;
  fixture f = open_fixture();
  pl_appearance *made =
      load(&f,
           &(dialect){"[{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0,\"extensions\":{"
                      "\"KHR_texture_transform\":{\"offset\":[0.5,0.25],\"scale\":[1,2],\"rotation\":1.5707963267948966"
                      "}}}}}]",
                      NULL, NULL, false, false},
           &welded_surface);
  pl_appearance_view view = pl_appearance_get_view(made);
  // Vertex 4 has (0.75, 0.5).
  check_near((double)view.uvs[8], 0.5 + 2 * 0.5, 1e-6);
  check_near((double)view.uvs[9], 0.25 - 0.75, 1e-6);
  pl_appearance_destroy(made);
  close_fixture(&f);
}

static void presets_have_names_and_keep_the_colour(void **state) {
  (void)state;
  const pl_color color = {0.1f, 0.2f, 0.3f};
  pl_appearance_material m;
  for (int32_t i = 0; i < pl_appearance_preset_count(); ++i) {
    assert_true(pl_appearance_find_preset(pl_appearance_preset_name(i), color, &m));
    assert_non_null(pl_appearance_preset_about(i));
    check_color(m.base_color, (double)color.r, (double)color.g, (double)color.b);
  }
  assert_false(pl_appearance_find_preset("no such preset", color, &m));
  assert_null(pl_appearance_preset_name(pl_appearance_preset_count()));
  assert_null(pl_appearance_preset_name(-1));
}

static void every_failed_allocation_leaves_nothing(void **state) {
  (void)state;
  fixture f = open_fixture();
  byte_block image = make_jpeg(false);
  const char *path = write_file(f.folder, &(dialect){PLAIN, NULL, &image, false, true});
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  for (int64_t n = 1;; ++n) {
    pl_appearance *made = NULL;
    pl_error error = {0};
    allocator.fail_at = allocator.call_count + n;
    pl_status status = pl_appearance_load(context, path, &welded_surface, &made, &error);
    bool failed = allocator.call_count >= allocator.fail_at;
    allocator.fail_at = 0;
    assert_int_equal(status, failed ? PL_ERROR_OUT_OF_MEMORY : PL_OK);
    assert_true((made == NULL) == failed);
    pl_appearance_destroy(made);
    assert_int_equal(pl_context_get_memory_report(context).block_count, 0);
    if (!failed) break;
  }
  drop_context(context);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(png_and_jpeg_become_the_same_pixels),
      cmocka_unit_test(grey_damaged_and_foreign_images_are_survived),
      cmocka_unit_test(vertices_keep_their_texture_coordinates_across_a_seam),
      cmocka_unit_test(surfaces_of_vertices_and_of_some_of_them_fit_too),
      cmocka_unit_test(materials_of_gltf_are_read),
      cmocka_unit_test(maps_of_gltf_are_read),
      cmocka_unit_test(toon_materials_of_both_versions_of_vrm_are_read),
      cmocka_unit_test(texture_coordinates_are_transformed),
      cmocka_unit_test(presets_have_names_and_keep_the_colour),
      cmocka_unit_test(every_failed_allocation_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
