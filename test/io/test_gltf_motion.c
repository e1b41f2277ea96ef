// Frames written into the glTF file that their points come from: positions in the frames of the nodes, normals and
// tangents that turn with the surface, and all else as it was.
// ctest: unit
#define _GNU_SOURCE
#include "fixtures/gltf_bytes.h"

#include <unistd.h>

#include "io/file_bytes.h"
#include "io/gltf_document.h"
#include "io/gltf_gather.h"
#include "pliant/frames.h"
#include "pliant/mesh_file.h"

enum { VERTICES = 6, FRAMES = 4 };

// A bent strip of two triangles: vertices 1 and 3 are one point whose normals differ (a sharp edge), 2 and 4 one
// point with one normal (a seam of the texture). Two nodes place it, the second turned, scaled and below another node.
static const float positions[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0.5f};
static const float normals[18] = {0, 0, 1, 0, 0, 1, 0, 0.6f, 0.8f, 0.6f, 0.0f, 0.8f, 0, 0.6f, 0.8f, 0, 0, 1};
static const float tangents[24] = {1, 0, 0, -1, 1, 0, 0, -1, 1, 0, 0, -1, 0, 1, 0, -1, 1, 0, 0, -1, 1, 0, 0, -1};

static byte_block make_file(void) {
  static const char json[] =
      "{\"asset\":{\"version\":\"2.0\",\"copyright\":\"somebody\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,2]}],"
      "\"nodes\":["
      "{\"name\":\"plain\",\"mesh\":0,\"extras\":{\"a\":[1,{\"b\":\"c\"}]}},"
      "{\"name\":\"child\",\"mesh\":0,\"rotation\":[0,0.6,0,0.8],\"scale\":[2,1,0.5]},"
      "{\"name\":\"parent\",\"translation\":[3,4,5],\"rotation\":[0.6,0,0,0.8],\"children\":[1]}],"
      "\"meshes\":[{\"name\":\"strip\",\"extras\":{\"targetNames\":[\"pose\"],\"own\":7},\"weights\":[0],"
      "\"primitives\":["
      "{\"attributes\":{\"POSITION\":0,\"NORMAL\":1,\"TANGENT\":2,\"TEXCOORD_0\":3,\"_PAINT\":4},\"indices\":5,"
      "\"material\":0,\"targets\":[{\"POSITION\":0}]},"
      "{\"attributes\":{\"POSITION\":0,\"NORMAL\":1,\"TANGENT\":2,\"TEXCOORD_0\":3,\"_PAINT\":4},\"indices\":6,"
      "\"material\":1,\"targets\":[{\"POSITION\":0}]}]}],"
      "\"materials\":[{\"name\":\"red\"},{\"name\":\"blue\",\"extras\":{\"gloss\":2}}],"
      "\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"translation\"}}],"
      "\"samplers\":[{\"input\":4,\"output\":0}]}],"
      "\"accessors\":["
      "{\"bufferView\":0,\"componentType\":5126,\"count\":6,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,0]},"
      "{\"bufferView\":0,\"byteOffset\":72,\"componentType\":5126,\"count\":6,\"type\":\"VEC3\"},"
      "{\"bufferView\":0,\"byteOffset\":144,\"componentType\":5126,\"count\":6,\"type\":\"VEC4\"},"
      "{\"bufferView\":0,\"byteOffset\":240,\"componentType\":5126,\"count\":6,\"type\":\"VEC2\"},"
      "{\"bufferView\":0,\"byteOffset\":288,\"componentType\":5126,\"count\":6,\"type\":\"SCALAR\"},"
      "{\"bufferView\":1,\"componentType\":5123,\"count\":3,\"type\":\"SCALAR\"},"
      "{\"bufferView\":1,\"byteOffset\":6,\"componentType\":5123,\"count\":3,\"type\":\"SCALAR\"}],"
      "\"bufferViews\":[{\"buffer\":0,\"byteLength\":312},{\"buffer\":0,\"byteOffset\":312,\"byteLength\":12}],"
      "\"buffers\":[{\"byteLength\":324}]}";
  byte_block binary = {.size = 0};
  put_f32s(&binary, positions, 18);
  put_f32s(&binary, normals, 18);
  put_f32s(&binary, tangents, 24);
  for (int i = 0; i < 12; ++i) put_f32(&binary, (float)i / 10);
  for (int i = 0; i < 6; ++i) put_f32(&binary, (float)i / 5);
  static const int indices[6] = {0, 1, 2, 3, 5, 4};
  for (int i = 0; i < 6; ++i) put_u16(&binary, indices[i]);
  return make_glb(json, &binary);
}

typedef struct fixture {
  char folder[32], in[64], out[64];
  pl_context *context;
  pl_mesh *mesh;
  pl_mesh_view view;
} fixture;

static fixture open_fixture(void) {
  fixture f = {.folder = "/tmp/pliant-motion-XXXXXX", .context = make_context(1)};
  assert_non_null(mkdtemp(f.folder));
  snprintf(f.in, sizeof f.in, "%s/in.glb", f.folder);
  snprintf(f.out, sizeof f.out, "%s/out.glb", f.folder);
  byte_block file = make_file();
  FILE *to = fopen(f.in, "wb");
  assert_int_equal(fwrite(file.data, 1, file.size, to), file.size);
  fclose(to);
  pl_error error = {0};
  check_ok(pl_mesh_load(f.context, f.in, &f.mesh, NULL, &error), &error);
  f.view = pl_mesh_get_view(f.mesh);
  return f;
}

static void close_fixture(fixture *f) {
  unlink(f->in);
  unlink(f->out);
  rmdir(f->folder);
  pl_mesh_destroy(f->mesh);
  drop_context(f->context);
}

static void write_frames(const fixture *f, const pl_vec3 *frames, int32_t count) {
  char path[64];
  snprintf(path, sizeof path, "%s/out", f->folder);
  pl_frames_def def = pl_default_frames_def(PL_FRAMES_GLB);
  def.path = path;
  def.frame_rate = 10;
  def.frame_count = count;
  def.point_count = f->view.source_count;
  def.source = f->in;
  pl_frames *writer = NULL;
  pl_error error = {0};
  check_ok(pl_frames_create(f->context, &def, &writer, &error), &error);
  for (int32_t i = 0; i < count; ++i)
    check_ok(pl_frames_add_frame(writer, frames + (size_t)i * (size_t)f->view.source_count, &error), &error);
  check_ok(pl_frames_close(writer, &error), &error);
}

static void positions_of_every_frame_come_back(void **state) {
  (void)state;
  fixture f = open_fixture();
  assert_int_equal(f.view.source_count, 2 * VERTICES);
  pl_vec3 frames[FRAMES * 2 * VERTICES];
  for (int k = 0; k < FRAMES; ++k)
    for (int i = 0; i < 2 * VERTICES; ++i) {
      pl_vec3 p = f.view.points[f.view.point_of_source[i]];
      frames[2 * VERTICES * k + i] = pl_vec3_add(p, pl_vec3_of(sin(p.x * k), k, cos(p.y + p.z * k)));
    }
  write_frames(&f, frames, FRAMES);
  pl_mesh *back = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_load(f.context, f.out, &back, NULL, &error), &error);
  pl_mesh_view view = pl_mesh_get_view(back);
  assert_int_equal(view.source_count, 2 * VERTICES);
  assert_int_equal(view.triangle_count, f.view.triangle_count);
  assert_memory_equal(view.point_of_source, f.view.point_of_source, 2 * VERTICES * sizeof(int32_t));
  assert_memory_equal(view.triangles, f.view.triangles, 3 * (size_t)view.triangle_count * sizeof(int32_t));
  assert_int_equal(view.pose_count, FRAMES - 1);
  for (int k = 0; k < FRAMES; ++k) {
    char name[16];
    snprintf(name, sizeof name, "frame_%04d", k + 1);
    const pl_vec3 *points = k == 0 ? view.points : view.poses[pl_mesh_find_pose(back, name)].points;
    for (int i = 0; i < 2 * VERTICES; ++i)
      check_near(pl_vec3_distance(points[view.point_of_source[i]], frames[2 * VERTICES * k + i]), 0, 1e-5);
  }
  pl_mesh_destroy(back);
  close_fixture(&f);
}

static void what_does_not_move_is_kept(void **state) {
  (void)state;
  fixture f = open_fixture();
  pl_vec3 frames[2 * 2 * VERTICES];
  for (int i = 0; i < 4 * VERTICES; ++i) frames[i] = f.view.points[f.view.point_of_source[i % (2 * VERTICES)]];
  write_frames(&f, frames, 2);
  pl_bytes bytes;
  pl_error error = {0};
  check_ok(pl_bytes_read(f.context, f.out, &bytes, &error), &error);
  pl_gltf gltf;
  check_ok(pl_gltf_open(&gltf, f.context, bytes.data, bytes.size, "out", NULL, NULL, &error), &error);
  const pl_json *nodes = pl_json_find(gltf.root, "nodes"), *meshes = pl_json_find(gltf.root, "meshes");
  assert_int_equal(nodes->count, 3);
  assert_true(pl_json_is_text(pl_json_find(pl_json_at(nodes, 1), "name"), "child"));
  const pl_json *deep = pl_json_at(pl_json_find(pl_json_find(pl_json_at(nodes, 0), "extras"), "a"), 1);
  assert_true(pl_json_is_text(pl_json_find(deep, "b"), "c"));
  assert_true(pl_json_is_text(pl_json_find(pl_json_find(gltf.root, "asset"), "copyright"), "somebody"));
  assert_int_equal(pl_json_find(gltf.root, "materials")->count, 2);
  // A mesh for each of the two nodes, with its material, texture coordinates and own attributes.
  double first = -1, second = -1;
  assert_true(pl_json_get_number(pl_json_find(pl_json_at(nodes, 0), "mesh"), &first));
  assert_true(pl_json_get_number(pl_json_find(pl_json_at(nodes, 1), "mesh"), &second));
  assert_true(first != second);
  for (int k = 0; k < 2; ++k) {
    const pl_json *mesh = pl_json_at(meshes, (int64_t)(k == 0 ? first : second));
    assert_true(pl_json_is_text(pl_json_find(mesh, "name"), "strip"));
    assert_non_null(pl_json_find(pl_json_find(mesh, "extras"), "own"));
    const pl_json *primitive = pl_json_at(pl_json_find(mesh, "primitives"), 1);
    double material = -1;
    assert_true(pl_json_get_number(pl_json_find(primitive, "material"), &material));
    assert_true(material == 1);
    pl_gltf_accessor accessor;
    double values[2 * VERTICES];
    check_ok(pl_gltf_open_accessor(&gltf, pl_json_find(pl_json_find(primitive, "attributes"), "TEXCOORD_0"), &accessor),
             &error);
    check_ok(pl_gltf_read_doubles(&gltf, &accessor, values), &error);
    for (int i = 0; i < 2 * VERTICES; ++i) check_near(values[i], (double)((float)i / 10), 0);
    assert_non_null(pl_json_find(pl_json_find(primitive, "attributes"), "_PAINT"));
    assert_int_equal(pl_json_find(primitive, "targets")->count, 1);
  }
  // One animation, of the weights of both nodes; that of the file is gone.
  const pl_json *animations = pl_json_find(gltf.root, "animations");
  assert_int_equal(animations->count, 1);
  assert_int_equal(pl_json_find(pl_json_at(animations, 0), "channels")->count, 2);
  pl_gltf_close(&gltf);
  pl_bytes_free(&bytes);
  close_fixture(&f);
}

// Vectors of the attribute `key` of primitive 0 of mesh `number`, and of target `target` added to them where >= 0.
static void read_vectors(pl_gltf *gltf, double number, const char *key, int target, pl_vec3 *vectors) {
  const pl_json *mesh = pl_json_at(pl_json_find(gltf->root, "meshes"), (int64_t)number);
  const pl_json *primitive = pl_json_at(pl_json_find(mesh, "primitives"), 0);
  pl_gltf_accessor accessor;
  double values[4 * VERTICES], moves[4 * VERTICES] = {0};
  assert_true(pl_gltf_open_accessor(gltf, pl_json_find(pl_json_find(primitive, "attributes"), key), &accessor) >= 0);
  assert_int_equal(accessor.count, VERTICES);
  int width = accessor.component_count;
  assert_true(pl_gltf_read_doubles(gltf, &accessor, values) >= 0);
  if (target >= 0) {
    const pl_json *reference = pl_json_find(pl_json_at(pl_json_find(primitive, "targets"), target), key);
    assert_true(pl_gltf_open_accessor(gltf, reference, &accessor) >= 0);
    assert_int_equal(accessor.component_count, 3);
    assert_true(pl_gltf_read_doubles(gltf, &accessor, moves) >= 0);
  }
  for (int i = 0; i < VERTICES; ++i)
    vectors[i] = (pl_vec3){values[width * i] + moves[3 * i], values[width * i + 1] + moves[3 * i + 1],
                           values[width * i + 2] + moves[3 * i + 2]};
}

// A rigid turn of everything turns the normals and tangents of the unplaced mesh by itself, bent as they are.
static void normals_and_tangents_turn_with_the_surface(void **state) {
  (void)state;
  fixture f = open_fixture();
  pl_quat turn = pl_quat_from_axis_angle(pl_vec3_of(0.3, -1, 0.7), 2.1);
  pl_vec3 frames[2 * 2 * VERTICES];
  for (int i = 0; i < 2 * VERTICES; ++i) {
    frames[i] = f.view.points[f.view.point_of_source[i]];
    frames[2 * VERTICES + i] = pl_vec3_add(pl_quat_rotate(turn, frames[i]), pl_vec3_of(1, 2, 3));
  }
  write_frames(&f, frames, 2);
  pl_bytes bytes;
  pl_error error = {0};
  check_ok(pl_bytes_read(f.context, f.out, &bytes, &error), &error);
  pl_gltf gltf;
  check_ok(pl_gltf_open(&gltf, f.context, bytes.data, bytes.size, "out", NULL, NULL, &error), &error);
  double number = -1;
  assert_true(pl_json_get_number(pl_json_find(pl_json_at(pl_json_find(gltf.root, "nodes"), 0), "mesh"), &number));
  pl_vec3 start[VERTICES], end[VERTICES];
  for (int kind = 0; kind < 2; ++kind) {
    read_vectors(&gltf, number, kind == 0 ? "NORMAL" : "TANGENT", -1, start);
    read_vectors(&gltf, number, kind == 0 ? "NORMAL" : "TANGENT", 0, end);
    for (int i = 0; i < VERTICES; ++i) {
      const float *given = kind == 0 ? normals + 3 * i : tangents + 4 * i;
      pl_vec3 own = {(double)given[0], (double)given[1], (double)given[2]};
      check_near(pl_vec3_distance(start[i], own), 0, 1e-6);
      check_near(pl_vec3_distance(end[i], pl_quat_rotate(turn, own)), 0, 1e-6);
    }
  }
  pl_gltf_close(&gltf);
  pl_bytes_free(&bytes);
  close_fixture(&f);
}

static void another_number_of_points_is_refused(void **state) {
  (void)state;
  fixture f = open_fixture();
  char path[64];
  snprintf(path, sizeof path, "%s/out", f.folder);
  pl_frames_def def = pl_default_frames_def(PL_FRAMES_GLB);
  def.path = path;
  def.frame_count = 1;
  def.point_count = f.view.point_count;
  def.source = f.in;
  pl_frames *writer = NULL;
  pl_error error = {0};
  assert_int_equal(pl_frames_create(f.context, &def, &writer, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(error.text, "12 vertices"));
  close_fixture(&f);
}

static pl_status write_twice(pl_context *context, const fixture *f, const pl_vec3 *points, pl_error *error) {
  char path[64];
  snprintf(path, sizeof path, "%s/out", f->folder);
  pl_frames_def def = pl_default_frames_def(PL_FRAMES_GLB);
  def.path = path;
  def.frame_count = 2;
  def.point_count = f->view.source_count;
  def.source = f->in;
  pl_frames *writer = NULL;
  pl_status status = pl_frames_create(context, &def, &writer, error);
  for (int i = 0; i < 2 && status >= 0; ++i) status = pl_frames_add_frame(writer, points, error);
  if (status >= 0) return pl_frames_close(writer, error);
  pl_frames_abandon(writer);
  return status;
}

static void every_failed_allocation_leaves_nothing(void **state) {
  (void)state;
  fixture f = open_fixture();
  pl_vec3 points[2 * VERTICES];
  for (int i = 0; i < 2 * VERTICES; ++i) points[i] = f.view.points[f.view.point_of_source[i]];
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  for (int job = 0; job < 2; ++job)
    for (int64_t n = 1;; ++n) {
      pl_error error = {0};
      allocator.fail_at = allocator.call_count + n;
      pl_status status =
          job == 0 ? write_twice(context, &f, points, &error) : pl_mesh_file_copy_gltf(context, f.in, f.out, 2, &error);
      bool failed = allocator.call_count >= allocator.fail_at;
      allocator.fail_at = 0;
      assert_int_equal(status, failed ? PL_ERROR_OUT_OF_MEMORY : PL_OK);
      assert_int_equal(pl_context_get_memory_report(context).block_count, 0);
      assert_true((access(f.out, F_OK) == 0) == !failed);
      unlink(f.out);
      if (!failed) break;
    }
  drop_context(context);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(positions_of_every_frame_come_back),
      cmocka_unit_test(what_does_not_move_is_kept),
      cmocka_unit_test(normals_and_tangents_turn_with_the_surface),
      cmocka_unit_test(another_number_of_points_is_refused),
      cmocka_unit_test(every_failed_allocation_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
