// A character as another program might write it: several files, matrices, scales, and things we know nothing of; and a motion for it.
#ifndef PL_TEST_CHARACTER_OTHER_H
#define PL_TEST_CHARACTER_OTHER_H

#include <unistd.h>

#include "pliant/character.h"
#include "pliant/math.h"
#include "test_gltf_bytes.h"

static char folder[200];

static inline const char *in_folder(const char *name) {
  static char paths[4][512];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static inline void put_file(const char *name, const void *bytes, size_t size) {
  // A new file each time: file systems make sure of the bytes of one that was cut to nothing, which takes a while.
  unlink(in_folder(name));
  FILE *file = fopen(in_folder(name), "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

enum { OTHER_FRAMES = 5, OTHER_JOINTS = 3 };

// A glTF file with three buffers (file, data URI, file), a picture in a file, scales, a matrix, an animation of morph weights, of a scale and of a
// rotation that will be replaced, and things nobody knows. `lost`: also a picture whose file is not there.
static inline void write_other(bool lost) {
  static const char picture[] =
      "\x89\x50\x4E\x47\x0D\x0A\x1A\x0A\x00\x00\x00\x0D\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1F\x15"
      "\xC4\x89\x00\x00\x00\x0D\x49\x44\x41\x54\x78\xDA\x63\x64\xF8\xCF\x50\x0F\x00\x03\x86\x01\x80\x5A\x34\x7D\x6B\x00\x00\x00\x00"
      "\x49\x45\x4E\x44\xAE\x42\x60\x82";
  static const float points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, target[9] = {0, 0, 1};
  static const float times[2] = {0, 0.1f}, turns[8] = {0, 0, 0, 1, 0, 0.6f, 0, 0.8f}, weights[2] = {0, 1},
                     sizes[6] = {1, 2, 1, 1, 2, 1.5f};
  static byte_block first, second, third;
  first.size = second.size = third.size = 0;
  put_f32s(&first, points, 9);
  put_u8(&first, 7);  // an odd end, which padding must not disturb
  put_f32s(&second, target, 9);
  put_f32s(&third, times, 2);
  put_f32s(&third, turns, 8);
  put_f32s(&third, weights, 2);
  put_f32s(&third, sizes, 6);
  char base64[256], json[4096];
  encode_base64(&second, base64);
  int length = snprintf(
      json, sizeof json,
      "{\"extras\":{\"b\":[1,2.5,\"x\\u0001\",null,true,{}],\"a\":1e-7},\"asset\":{\"version\":\"2.0\"},\"scene\":0,"
      "\"extensionsUsed\":[\"EXT_nobody_knows\"],\"extensions\":{\"EXT_nobody_knows\":{\"accessor\":3,\"deep\":[[[]]]}},"
      "\"scenes\":[{\"nodes\":[0]}],\"nodes\":["
      "{\"name\":\"World\",\"scale\":[2,2,2],\"rotation\":[0,0.6,0,0.8],\"children\":[1],\"extras\":{\"z\":1,\"a\":2}},"
      "{\"name\":\"Head\",\"matrix\":[0,0.5,0,0,-1,0,0,0,0,0,1.5,0,0.1,1,0,1],\"children\":[2,4]},"
      "{\"name\":\"hair.1\",\"translation\":[0,0.2,0],\"scale\":[1,2,1],\"children\":[3]},"
      "{\"name\":\"hair.2\",\"translation\":[0.1,0.2,0]},{\"name\":\"Face\",\"mesh\":0}],"
      "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"targets\":[{\"POSITION\":1}]}],\"weights\":[0.25]}],"
      "\"images\":[{\"uri\":\"tiny.png\",\"name\":\"dot\"}%s],"
      "\"animations\":[{\"name\":\"talk\",\"samplers\":[{\"input\":2,\"output\":3},{\"input\":2,\"output\":4},{\"input\":2,"
      "\"output\":5}],"
      "\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}},"
      "{\"sampler\":2,\"target\":{\"node\":2,\"path\":\"scale\"}},{\"sampler\":1,\"target\":{\"node\":4,\"path\":\"weights\"}}]}],"
      "\"accessors\":["
      "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,0]},"
      "{\"bufferView\":1,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[0,0,1]},"
      "{\"bufferView\":2,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\",\"min\":[0],\"max\":[0.10000000149011612]},"
      "{\"bufferView\":2,\"byteOffset\":8,\"componentType\":5126,\"count\":2,\"type\":\"VEC4\"},"
      "{\"bufferView\":2,\"byteOffset\":40,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"},"
      "{\"bufferView\":2,\"byteOffset\":48,\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"}],"
      "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36,\"target\":34962},{\"buffer\":1,\"byteLength\":36,\"target\":34962},"
      "{\"buffer\":2,\"byteLength\":72}],"
      "\"buffers\":[{\"uri\":\"with%%20blank.bin\",\"byteLength\":37},"
      "{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,%s\"},{\"byteLength\":72,\"uri\":\"more.bin\"}]}",
      lost ? ",{\"uri\":\"lost.png\"}" : "", base64);
  assert_true(length > 0 && (size_t)length < sizeof json);
  put_file("other.gltf", json, (size_t)length);
  put_file("with blank.bin", first.data, first.size);
  put_file("more.bin", third.data, third.size);
  put_file("tiny.png", picture, sizeof picture - 1);
}

static inline pl_character_motion other_motion(void) {
  static pl_transform frames[OTHER_FRAMES * OTHER_JOINTS];
  static const int32_t nodes[OTHER_JOINTS] = {3, 1, 2};  // children before parents
  for (int32_t i = 0; i < OTHER_FRAMES * OTHER_JOINTS; ++i)
    frames[i] = (pl_transform){{sin(i), 0.3 * i, cos(2 * i)}, pl_quat_from_rotation_vector((pl_vec3){0.3 * i, 1, -0.2 * i})};
  return (pl_character_motion){
      .name = "sway", .frame_rate = 24, .frame_count = OTHER_FRAMES, .joint_count = OTHER_JOINTS, .nodes = nodes, .joints = frames};
}

#endif
