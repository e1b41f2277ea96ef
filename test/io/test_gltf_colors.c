// Colours of points from materials, textures and vertices of a glTF file, against products by hand.
// ctest: unit
#define _GNU_SOURCE
#include "fixtures/gltf_bytes.h"

#include <unistd.h>

#include "io/png_library.h"
#include "pliant/mesh_file.h"

static double to_srgb(double c) {
  return c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
}

// A PNG of 8 x 8 pixels, red on the left and green on the right, as base64.
static void make_texture(pl_context *context, char *text) {
  unsigned char pixels[8 * 8 * 3] = {0};
  for (int i = 0; i < 64; ++i) pixels[3 * i + (i % 8 < 4 ? 0 : 1)] = 255;
  pl_vector bytes = pl_vector_of(context, 1);
  pl_error error = {0};
  check_ok(pl_png_encode(context, pixels, 8, 8, PL_PNG_RGB8, &bytes, &error), &error);
  byte_block block = {.size = 0};
  put_block(&block, bytes.items, bytes.count);
  encode_base64(&block, text);
  pl_vector_free(&bytes);
}

// Four vertices of a square; two primitives over them, the first with the textured material on vertices 0 1 2, the
// second with a plain one on 1 2 3. `picture` is what stands for the PNG.
static char *write_file(char folder[], const char *picture, bool materials) {
  static char path[64];
  char json[8192];
  snprintf(path, sizeof path, "%s/a.glb", folder);
  snprintf(json, sizeof json,
           "{\"asset\":{\"version\":\"2.0\"},\"meshes\":[{\"primitives\":["
           "{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1%s},\"indices\":3%s},"
           "{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1%s},\"indices\":4%s}]}],%s"
           "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
           "{\"bufferView\":0,\"byteOffset\":48,\"componentType\":5126,\"count\":4,\"type\":\"VEC2\"},"
           "{\"bufferView\":0,\"byteOffset\":80,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
           "{\"bufferView\":0,\"byteOffset\":128,\"componentType\":5121,\"count\":3,\"type\":\"SCALAR\"},"
           "{\"bufferView\":0,\"byteOffset\":131,\"componentType\":5121,\"count\":3,\"type\":\"SCALAR\"}],"
           "\"bufferViews\":[{\"buffer\":0,\"byteLength\":134}],\"buffers\":[{\"byteLength\":134}],"
           "\"textures\":[{\"source\":0}],\"images\":[{\"uri\":\"data:image/png;base64,%s\"}]}",
           materials ? ",\"COLOR_0\":2" : "", materials ? ",\"material\":0" : "", materials ? ",\"COLOR_0\":2" : "",
           materials ? ",\"material\":1" : "",
           materials
               ? "\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.5,0.5,0.5,1],"
                 "\"baseColorTexture\":{\"index\":0,\"extensions\":{\"KHR_texture_transform\":{\"offset\":[0,0.25],"
                 "\"scale\":[0.5,1]}}}}},{\"pbrMetallicRoughness\":{\"baseColorFactor\":[0,0,0.75,1]}}],"
               : "",
           picture);
  byte_block binary = {.size = 0};
  put_f32s(&binary, (const float[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, 12);
  put_f32s(&binary, (const float[]){0.5f, 0.1f, 1.5f, 0.1f, 0.5f, 7.3f, 1.5f, 0.1f}, 8);  // scaled: 0.25 or 0.75
  put_f32s(&binary, (const float[]){1, 1, 1, 0.5f, 0.5f, 0.5f, 1, 1, 1, 1, 1, 1}, 12);
  for (int i = 0; i < 6; ++i) put_u8(&binary, i < 3 ? i : i - 2);
  byte_block file = make_glb(json, &binary);
  FILE *to = fopen(path, "wb");
  assert_int_equal(fwrite(file.data, 1, file.size, to), file.size);
  fclose(to);
  return path;
}

static void check_color(const float *color, double r, double g, double b) {
  const double wanted[3] = {r, g, b};
  for (int c = 0; c < 3; ++c) check_near((double)color[c], to_srgb(wanted[c]), 1e-6);
}

static void points_have_the_colours_of_their_material(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  char folder[] = "/tmp/pliant-colors-XXXXXX", texture[2048];
  assert_non_null(mkdtemp(folder));
  make_texture(context, texture);
  float colors[12];
  bool found = false;
  pl_error error = {0};
  const char *path = write_file(folder, texture, true);
  check_ok(pl_mesh_file_get_colors(context, path, 4, colors, &found, &error), &error);
  assert_true(found);
  check_color(colors, 0.5, 0, 0);  // red, half of it
  // Green, a quarter, and blue, three eighths: both materials meet there.
  check_color(colors + 3, 0, 0.125, 0.1875);
  check_color(colors + 6, 0.25, 0, 0.375);
  check_color(colors + 9, 0, 0, 0.75);
  // Another number of points is not this mesh.
  check_ok(pl_mesh_file_get_colors(context, path, 5, colors, &found, &error), &error);
  assert_false(found);
  // A picture that cannot be read counts as white.
  check_ok(pl_mesh_file_get_colors(context, write_file(folder, "/9j/4AAQSkZJRg==", true), 4, colors, &found, &error),
           &error);
  assert_true(found);
  check_color(colors, 0.5, 0.5, 0.5);
  // A file without materials and colours has none.
  check_ok(pl_mesh_file_get_colors(context, write_file(folder, texture, false), 4, colors, &found, &error), &error);
  assert_false(found);
  unlink(path);
  rmdir(folder);
  drop_context(context);
}

static void damaged_files_never_crash(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  char folder[] = "/tmp/pliant-colors-XXXXXX", texture[2048];
  assert_non_null(mkdtemp(folder));
  make_texture(context, texture);
  for (size_t at = 0; at < strlen(texture); at += 3) {
    char broken[2048];
    memcpy(broken, texture, sizeof broken);
    broken[at] = broken[at] == 'A' ? 'B' : 'A';
    float colors[12];
    bool found = false;
    pl_error error = {0};
    check_ok(pl_mesh_file_get_colors(context, write_file(folder, broken, true), 4, colors, &found, &error), &error);
    assert_true(found);
  }
  unlink(write_file(folder, texture, true));
  rmdir(folder);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_have_the_colours_of_their_material),
      cmocka_unit_test(damaged_files_never_crash),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
