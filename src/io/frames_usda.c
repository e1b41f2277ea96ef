// A moving surface as USD in text (.usda): one mesh whose points, velocities and extent have time samples, one per
// frame. Time codes count frames from 0, timeCodesPerSecond is the frame rate; +Y is up and a unit is a metre, both
// said in the head. Velocities are metres per second, as UsdGeomPointBased wants them for motion blur. An attribute's
// samples stand together in the text, so those of velocities and extents wait in memory while the points are written.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/frames_format.h"

// Written over at the end, so of constant width; blanks behind a number mean nothing.
#define END_FORMAT "    endTimeCode = %-11d\n"

// A name that USD takes for a prim: letters, digits and underscores, not beginning with a digit.
static void print_name(pl_file_writer *writer, const char *name) {
  if (name[0] == '\0' || (name[0] >= '0' && name[0] <= '9')) pl_file_writer_print(writer, "_");
  for (const char *c = name; *c != '\0'; ++c) {
    bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
    pl_file_writer_write(writer, plain ? c : "_", 1);
  }
}

static void print_vector(pl_file_writer *writer, double x, double y, double z) {
  pl_file_writer_print(writer, "(");
  pl_file_writer_number(writer, x);
  pl_file_writer_print(writer, ", ");
  pl_file_writer_number(writer, y);
  pl_file_writer_print(writer, ", ");
  pl_file_writer_number(writer, z);
  pl_file_writer_print(writer, ")");
}

static void print_head(pl_frames *frames) {
  pl_file_writer *writer = frames->writer;
  pl_file_writer_print(writer, "#usda 1.0\n(\n    defaultPrim = \"");
  print_name(writer, frames->name);
  pl_file_writer_print(writer, "\"\n    doc = \"pliant %s\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n",
                       pl_version());
  pl_file_writer_print(writer, "    timeCodesPerSecond = ");
  pl_file_writer_number(writer, frames->def.frame_rate);
  pl_file_writer_print(writer, "\n    framesPerSecond = ");
  pl_file_writer_number(writer, frames->def.frame_rate);
  pl_file_writer_print(writer, "\n    startTimeCode = 0\n");
  frames->end_offset = pl_file_writer_offset(writer);
  pl_file_writer_print(writer, END_FORMAT ")\n\ndef Mesh \"", frames->def.frame_count - 1);
  print_name(writer, frames->name);
  pl_file_writer_print(writer, "\"\n{\n    uniform token subdivisionScheme = \"none\"\n");
}

static pl_status begin_usda(pl_frames *frames, pl_error *error) {
  const pl_frames_def *def = &frames->def;
  pl_file_writer *writer = frames->writer;
  (void)error;
  print_head(frames);
  pl_file_writer_print(writer, "    int[] faceVertexCounts = [");
  for (int32_t i = 0; i < def->triangle_count; ++i) pl_file_writer_print(writer, i == 0 ? "3" : ", 3");
  pl_file_writer_print(writer, "]\n    int[] faceVertexIndices = [");
  for (int64_t i = 0; i < 3 * (int64_t)def->triangle_count; ++i)
    pl_file_writer_print(writer, i == 0 ? "%d" : ", %d", def->triangles[i]);
  pl_file_writer_print(writer, "]\n    point3f[] points.timeSamples = {\n");
  return PL_OK;
}

static pl_status write_usda(pl_frames *frames, const pl_vec3 *points, pl_error *error) {
  pl_file_writer *writer = frames->writer;
  float *box = pl_vector_grow(&frames->boxes, 1);
  if (box == NULL) return pl_fail_memory(error);
  pl_file_writer_print(writer, "        %d: [", frames->written);
  for (int axis = 0; axis < 3; ++axis) {
    box[axis] = FLT_MAX;
    box[3 + axis] = -FLT_MAX;
  }
  for (int32_t i = 0; i < frames->def.point_count; ++i) {
    const double p[3] = {points[i].x, points[i].y, points[i].z};
    if (i > 0) pl_file_writer_print(writer, ", ");
    print_vector(writer, p[0], p[1], p[2]);
    for (int axis = 0; axis < 3; ++axis) {
      box[axis] = fminf(box[axis], (float)p[axis]);
      box[3 + axis] = fmaxf(box[3 + axis], (float)p[axis]);
    }
  }
  pl_file_writer_print(writer, "],\n");
  pl_status status = pl_frames_keep_velocities(frames, error);
  if (status < 0) return status;
  status = pl_file_writer_status(writer);
  return status < 0 ? pl_fail(error, status, "a frame could not be written; is the disk full?") : PL_OK;
}

static pl_status print_velocities(pl_frames *frames, pl_error *error) {
  pl_file_writer *writer = frames->writer;
  pl_frames_rewind_velocities(frames);
  pl_file_writer_print(writer, "    vector3f[] velocities.timeSamples = {\n");
  for (int32_t frame = 0; frame < frames->written; ++frame) {
    pl_status status = pl_frames_next_velocities(frames, error);
    if (status < 0) return status;
    const float *v = frames->row;
    pl_file_writer_print(writer, "        %d: [", frame);
    for (int32_t i = 0; i < frames->def.point_count; ++i, v += 3) {
      if (i > 0) pl_file_writer_print(writer, ", ");
      print_vector(writer, (double)v[0], (double)v[1], (double)v[2]);
    }
    pl_file_writer_print(writer, "],\n");
  }
  pl_file_writer_print(writer, "    }\n");
  return PL_OK;
}

static pl_status finish_usda(pl_frames *frames, pl_error *error) {
  pl_file_writer *writer = frames->writer;
  pl_file_writer_print(writer, "    }\n");
  pl_status status = pl_frames_kept_velocities(frames) ? print_velocities(frames, error) : PL_OK;
  if (status < 0) return status;
  pl_file_writer_print(writer, "    float3[] extent.timeSamples = {\n");
  for (int32_t frame = 0; frame < frames->written; ++frame) {
    const float *box = (const float *)frames->boxes.items + 6 * (size_t)frame;
    pl_file_writer_print(writer, "        %d: [", frame);
    print_vector(writer, (double)box[0], (double)box[1], (double)box[2]);
    pl_file_writer_print(writer, ", ");
    print_vector(writer, (double)box[3], (double)box[4], (double)box[5]);
    pl_file_writer_print(writer, "],\n");
  }
  pl_file_writer_print(writer, "    }\n}\n");
  uint64_t end = pl_file_writer_offset(writer);
  pl_file_writer_seek(writer, frames->end_offset);
  pl_file_writer_print(writer, END_FORMAT, frames->written - 1);
  pl_file_writer_seek(writer, end);
  return PL_OK;
}

const pl_frames_kind pl_frames_usda = {
    .name = "usda", .one_file = true, .single = true, .begin = begin_usda, .write = write_usda, .finish = finish_usda};
