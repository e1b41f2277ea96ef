// A moving surface as glTF: the first frame is the mesh, every further frame a morph target (its displacement from the
// first), and one animation turns them on in turn. Weights run linearly from key to key, one falling while the next
// rises, so between frames points move on straight lines. The table of weights has frames x targets entries of which
// all but one a row are zero: it is written as a sparse accessor over nothing, so that a file grows with the number of
// frames and not with its square.
//
// Where the points come from a glTF file, its own copy is written instead: gltf_motion.c.
//
// Buffer: triangles | first frame | displacements … | times | sparse indices | sparse values
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/frames_format.h"
#include "io/gltf_motion.h"

// More than one frame's accessor, target and name can need in the JSON, and the rest of it.
enum { WORKSPACE_PER_FRAME = 420, WORKSPACE_OF_REST = 3000 };

static pl_status begin_glb(pl_frames *frames, pl_error *error) {
  const pl_frames_def *def = &frames->def;
  bool is_gltf = false;
  pl_status status = def->source == NULL ? PL_OK : pl_gltf_detect_file(frames->context, def->source, &is_gltf, error);
  if (status < 0) return status;
  if (is_gltf)
    return pl_gltf_motion_open(frames->context, def->source, def->point_count, def->frame_count, frames->writer,
                               &frames->motion, error);
  if (def->triangle_count == 0)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "a GLB file needs triangles; write PC2 or CSV for points alone");
  uint64_t workspace = WORKSPACE_OF_REST + 6 * strlen(frames->name) + WORKSPACE_PER_FRAME * (uint64_t)def->frame_count;
  uint64_t size =
      workspace + 12 * (uint64_t)def->triangle_count + 12 * (uint64_t)def->point_count * (uint64_t)def->frame_count;
  if (size + 12 * (uint64_t)def->frame_count > UINT32_MAX ||
      (uint64_t)def->frame_count * (uint64_t)def->frame_count > INT32_MAX)
    return pl_fail(error, PL_ERROR_UNSUPPORTED,
                   "%d frames of %d points exceed what a GLB file can hold; write PC2 instead", def->frame_count,
                   def->point_count);
  frames->first_points = pl_allocate_array(frames->context, 3 * (size_t)def->point_count, sizeof(float));
  if (frames->first_points == NULL) return pl_fail_memory(error);
  frames->glb = pl_glb_begin(frames->writer, (size_t)workspace);
  for (int64_t i = 0; i < 3 * (int64_t)def->triangle_count; ++i)
    pl_file_writer_little(frames->writer, (uint32_t)def->triangles[i], 4);
  return PL_OK;
}

static pl_status write_glb(pl_frames *frames, const pl_vec3 *points, pl_error *error) {
  if (frames->motion != NULL) return pl_gltf_motion_add(frames->motion, points, error);
  float *box = pl_vector_grow(&frames->boxes, 1);
  if (box == NULL) return pl_fail_memory(error);
  for (int i = 0; i < 3; ++i) {
    box[i] = FLT_MAX;
    box[3 + i] = -FLT_MAX;
  }
  for (int32_t p = 0; p < frames->def.point_count; ++p) {
    const double position[3] = {points[p].x, points[p].y, points[p].z};
    for (int i = 0; i < 3; ++i) {
      float *first = &frames->first_points[3 * (size_t)p + (size_t)i];
      float value = frames->written == 0 ? (float)position[i] : (float)(position[i] - (double)*first);
      if (frames->written == 0) *first = value;
      if (isinf(value)) return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "point %d moves too far for 32-bit floats", p);
      if (value < box[i]) box[i] = value;
      if (value > box[3 + i]) box[3 + i] = value;
      pl_file_writer_float32(frames->writer, value);
    }
  }
  pl_status status = pl_file_writer_status(frames->writer);
  return status < 0 ? pl_fail(error, status, "a frame could not be written; is the disk full?") : PL_OK;
}

static void print_mesh(const pl_frames *frames, pl_vector *json) {
  int32_t target_count = frames->written - 1;
  pl_glb_print(json, "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":1},\"indices\":0");
  for (int32_t i = 0; i < target_count; ++i)
    pl_glb_print(json, "%s{\"POSITION\":%d}", i == 0 ? ",\"targets\":[" : ",", i + 2);
  pl_glb_print(json, target_count > 0 ? "]}]" : "}]");
  for (int32_t i = 0; i < target_count; ++i)
    pl_glb_print(json, "%s\"frame_%04d\"", i == 0 ? ",\"extras\":{\"targetNames\":[" : ",", i + 2);
  pl_glb_print(json, target_count > 0 ? "]}" : "");
  for (int32_t i = 0; i < target_count; ++i) pl_glb_print(json, i == 0 ? ",\"weights\":[0" : ",0");
  pl_glb_print(json, target_count > 0 ? "]" : "");
  pl_glb_print(json, ",\"name\":");
  pl_glb_print_text(json, frames->name);
  pl_glb_print(json, "}],");
}

// Accessors: 0 triangles, 1 first frame, then the targets, then times and weights.
static void print_accessors(const pl_frames *frames, pl_vector *json) {
  const pl_frames_def *def = &frames->def;
  int32_t target_count = frames->written - 1;
  pl_glb_print(json, "\"accessors\":[{\"bufferView\":0,\"componentType\":5125,\"count\":%lld,\"type\":\"SCALAR\"}",
               3 * (long long)def->triangle_count);
  for (int32_t i = 0; i < frames->written; ++i) {
    const float *box = (const float *)frames->boxes.items + 6 * (size_t)i;
    pl_glb_print(json, ",{\"bufferView\":1,\"byteOffset\":%llu,\"componentType\":5126,\"count\":%d,\"type\":\"VEC3\",",
                 12ull * (unsigned long long)def->point_count * (unsigned long long)i, def->point_count);
    pl_glb_print_vector(json, "min", box);
    pl_glb_print(json, ",");
    pl_glb_print_vector(json, "max", box + 3);
    pl_glb_print(json, "}");
  }
  if (target_count > 0) {
    char min[PL_NUMBER_SIZE], max[PL_NUMBER_SIZE];
    pl_number_write((double)(float)(pl_frames_time(frames, 0) - def->start_time), min);
    pl_number_write((double)(float)(pl_frames_time(frames, target_count) - def->start_time), max);
    pl_glb_print(
        json, ",{\"bufferView\":2,\"componentType\":5126,\"count\":%d,\"type\":\"SCALAR\",\"min\":[%s],\"max\":[%s]}",
        frames->written, min, max);
    pl_glb_print(json,
                 ",{\"componentType\":5126,\"count\":%d,\"type\":\"SCALAR\",\"sparse\":{\"count\":%d,\"indices\":{"
                 "\"bufferView\":3,"
                 "\"componentType\":5125},\"values\":{\"bufferView\":4}}}",
                 frames->written * target_count, target_count);
  }
  pl_glb_print(json, "],");
}

static void print_buffers(const pl_frames *frames, pl_vector *json, uint64_t buffer_size) {
  const pl_frames_def *def = &frames->def;
  int32_t target_count = frames->written - 1;
  unsigned long long indices = 12ull * (unsigned long long)def->triangle_count;
  unsigned long long points = 12ull * (unsigned long long)def->point_count * (unsigned long long)frames->written;
  pl_glb_print(json, "\"bufferViews\":[{\"buffer\":0,\"byteLength\":%llu,\"target\":34963}", indices);
  pl_glb_print(json, ",{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu,\"byteStride\":12,\"target\":34962}",
               indices, points);
  unsigned long long at = indices + points;
  const unsigned long long sizes[3] = {4ull * (unsigned long long)frames->written,
                                       4ull * (unsigned long long)target_count,
                                       4ull * (unsigned long long)target_count};
  for (int i = 0; target_count > 0 && i < 3; at += sizes[i++])
    pl_glb_print(json, ",{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu}", at, sizes[i]);
  pl_glb_print(json, "],\"buffers\":[{\"byteLength\":%llu}]}", (unsigned long long)buffer_size);
}

static void print_document(const pl_frames *frames, pl_vector *json, uint64_t buffer_size) {
  pl_glb_print(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"pliant %s\"},", pl_version());
  pl_glb_print(json, "\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0,\"name\":");
  pl_glb_print_text(json, frames->name);
  pl_glb_print(json, "}],");
  print_mesh(frames, json);
  if (frames->written > 1)
    pl_glb_print(json,
                 "\"animations\":[{\"name\":\"frames\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":"
                 "\"weights\"}}],"
                 "\"samplers\":[{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}]}],",
                 frames->written + 1, frames->written + 2);
  print_accessors(frames, json);
  print_buffers(frames, json, buffer_size);
}

static pl_status finish_glb(pl_frames *frames, pl_error *error) {
  if (frames->motion != NULL) return pl_gltf_motion_finish(frames->motion, frames->def.frame_rate, error);
  pl_file_writer *writer = frames->writer;
  int32_t target_count = frames->written - 1;
  // Times count from the first frame: the standard has no negative ones, and players start at zero.
  for (int32_t i = 0; target_count > 0 && i < frames->written; ++i)
    pl_file_writer_float32(writer, (float)(pl_frames_time(frames, i) - frames->def.start_time));
  for (int32_t i = 0; i < target_count; ++i) pl_file_writer_little(writer, (uint32_t)((i + 1) * target_count + i), 4);
  for (int32_t i = 0; i < target_count; ++i) pl_file_writer_float32(writer, 1.0f);
  pl_vector json = pl_vector_of(frames->context, 1);
  print_document(frames, &json, pl_glb_offset(&frames->glb));
  pl_status status = pl_glb_finish(&frames->glb, &json, error);
  pl_vector_free(&json);
  return status;
}

const pl_frames_kind pl_frames_glb = {
    .name = "glb", .one_file = true, .single = true, .begin = begin_glb, .write = write_glb, .finish = finish_glb};
