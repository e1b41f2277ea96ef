// Markers from C3D (www.c3d.org): blocks of 512 bytes. The first says where parameters and data begin; parameters are
// records in groups, of which POINT has names, unit and rate; data are frames of x, y, z and a fourth number per point,
// negative where the sample is missing, then analog samples. Numbers are integers times a scale, or floats where the
// scale is negative, in the order of one of three processors.
#include <math.h>
#include <string.h>

#include "io/marker_builder.h"
#include "io/scalar_bytes.h"

enum { BLOCK = 512, INTEL = 84, DEC = 85, MIPS = 86, HEAD_WORDS = 12, MAX_LABEL = 255 };

typedef struct c3d_file {
  const pl_mesh_source *source;
  int processor;
  int64_t point_count, analog_count;  // analog samples of a frame
  int64_t frame_count;
  double scale, rate, unit;
  size_t data;  // offset
  int point_group;
  pl_markers *markers;
} c3d_file;

static double number_at(const c3d_file *file, size_t offset) {
  const unsigned char *at = file->source->bytes + offset;
  if (file->processor != DEC) return pl_scalar_number(PL_SCALAR_F32, at, file->processor == MIPS);
  // A DEC float has its halves in the other order and an exponent that is larger by 2.
  const unsigned char swapped[4] = {at[2], at[3], at[0], at[1]};
  return 0.25 * pl_scalar_number(PL_SCALAR_F32, swapped, false);
}

static int64_t word_at(const c3d_file *file, size_t offset, pl_scalar scalar) {
  return pl_scalar_integer(scalar, file->source->bytes + offset, file->processor == MIPS);
}

// --- parameters ---------------------------------------------------------------------------------------------------

// A parameter: its numbers begin at `data`.
typedef struct c3d_parameter {
  pl_word name;
  int type;  // -1: characters, 1: bytes, 2: words, 4: floats
  int dimension_count;
  const unsigned char *dimensions;
  size_t data, size;  // bytes
} c3d_parameter;

static pl_status read_labels(c3d_file *file, const c3d_parameter *p) {
  const pl_mesh_source *source = file->source;
  if (p->type != -1 || p->dimension_count != 2)
    return pl_source_fail(source, p->data, "the names of the markers are not a list of texts");
  for (int i = 0; i < p->dimensions[1] && (int64_t)file->markers->names.count < file->point_count; ++i) {
    pl_word name = {(const char *)source->bytes + p->data + (size_t)i * p->dimensions[0], p->dimensions[0]};
    if (!pl_markers_add_name(file->markers, name)) return pl_source_fail_memory(source);
  }
  return PL_OK;
}

static pl_status take_parameter(c3d_file *file, const c3d_parameter *p) {
  const pl_mesh_source *source = file->source;
  if (pl_word_is(p->name, "LABELS") || (p->name.length == 7 && memcmp(p->name.text, "LABELS", 6) == 0))
    return read_labels(file, p);
  if (pl_word_is(p->name, "RATE") && p->type == 4 && p->size >= 4) file->rate = number_at(file, p->data);
  if (pl_word_is(p->name, "FRAMES") && p->type == 2 && p->size >= 2) {
    int64_t frames = word_at(file, p->data, PL_SCALAR_U16);
    if (frames > file->frame_count) file->frame_count = frames;
  }
  if (pl_word_is(p->name, "UNITS") && p->type == -1) {
    pl_word unit = {(const char *)source->bytes + p->data, p->size};
    char shown[PL_SHOWN_SIZE];
    file->unit = pl_markers_unit(unit);
    if (!(file->unit > 0))
      return pl_source_refuse(source, p->data, "the unit '%s' is not known; use mm, cm, m or in",
                              pl_word_show(unit, shown));
  }
  return PL_OK;
}

// The record at `offset`, which has `name_length` and `group`; its data behind `at`.
static pl_status read_parameter(c3d_file *file, pl_word name, size_t at, size_t end) {
  const pl_mesh_source *source = file->source;
  if (end < at + 2) return pl_source_fail(source, at, "a parameter is cut off");
  c3d_parameter p = {.name = name,
                     .type = (int)(signed char)source->bytes[at],
                     .dimension_count = source->bytes[at + 1],
                     .dimensions = source->bytes + at + 2};
  p.data = at + 2 + (size_t)p.dimension_count;
  if (p.data > end) return pl_source_fail(source, at, "a parameter is cut off");
  p.size = (size_t)(p.type < 0 ? 1 : p.type);
  for (int i = 0; i < p.dimension_count; ++i) {
    p.size *= p.dimensions[i];
    if (p.size > end - p.data) return pl_source_fail(source, at, "a parameter is longer than the file");
  }
  return p.size > end - p.data ? pl_source_fail(source, at, "a parameter is longer than the file")
                               : take_parameter(file, &p);
}

// All records; parameters of the group POINT count. Groups may come after their parameters, so there are two passes.
static pl_status read_records(c3d_file *file, size_t begin, bool groups) {
  const pl_mesh_source *source = file->source;
  size_t at = begin + 4, end = source->size;
  while (at + 2 <= end) {
    int length = (int)(signed char)source->bytes[at], id = (int)(signed char)source->bytes[at + 1];
    if (length < 0) length = -length;
    if (length == 0 || id == 0) break;
    size_t next = at + 2 + (size_t)length;
    if (next + 2 > end) return pl_source_fail(source, at, "the parameters are cut off");
    pl_word name = {(const char *)source->bytes + at + 2, (size_t)length};
    int64_t skip = word_at(file, next, PL_SCALAR_U16);
    if (groups && id < 0 && pl_word_is(name, "POINT")) file->point_group = -id;
    if (!groups && id > 0 && id == file->point_group) {
      pl_status status = read_parameter(file, name, next + 2, end);
      if (status < 0) return status;
    }
    if (skip == 0) break;
    at = next + (size_t)skip;
  }
  return PL_OK;
}

// --- data ---------------------------------------------------------------------------------------------------------

static pl_status read_frames(c3d_file *file) {
  const pl_mesh_source *source = file->source;
  bool floats = file->scale < 0;
  size_t width = floats ? 4 : 2, frame = width * (size_t)(4 * file->point_count + file->analog_count), at = file->data;
  double unit = file->unit * (floats ? 1 : file->scale);
  if (frame == 0 || at > source->size ||
      (size_t)(file->frame_count > 0 ? file->frame_count : 1) > (source->size - at) / frame)
    return pl_source_fail(source, PL_NO_POSITION, "the file ends before its %lld frames of %lld points do",
                          (long long)file->frame_count, (long long)file->point_count);
  for (int64_t f = 0; f < file->frame_count; ++f, at += frame)
    for (int64_t i = 0; i < file->point_count; ++i) {
      double n[4];
      for (size_t k = 0; k < 4; ++k) {
        size_t offset = at + width * (size_t)(4 * i) + width * k;
        n[k] = floats ? number_at(file, offset) : (double)word_at(file, offset, PL_SCALAR_I16);
      }
      bool seen = n[3] >= 0;
      pl_vec3 point = {unit * n[0], unit * n[1], unit * n[2]};
      if (!seen) point = (pl_vec3){(double)NAN, (double)NAN, (double)NAN};
      if (!pl_vector_push(&file->markers->points, &point)) return pl_source_fail_memory(source);
    }
  return PL_OK;
}

pl_status pl_markers_c3d_read(pl_mesh_source *source, pl_markers *markers) {
  source->binary = true;
  size_t begin = BLOCK * ((size_t)source->bytes[0] - 1);
  if (source->size < BLOCK || begin + 4 > source->size)
    return pl_source_fail(source, 0, "the file ends before its parameters begin");
  c3d_file file = {.source = source,
                   .processor = source->bytes[begin + 3],
                   .unit = pl_markers_unit((pl_word){"", 0}),
                   .markers = markers};
  if (file.processor < INTEL || file.processor > MIPS)
    return pl_source_refuse(source, begin + 3, "processor %d is not known; it is 84, 85 or 86", file.processor);
  file.point_count = word_at(&file, 2, PL_SCALAR_U16);
  file.analog_count = word_at(&file, 4, PL_SCALAR_U16);
  int64_t first = word_at(&file, 6, PL_SCALAR_U16), last = word_at(&file, 8, PL_SCALAR_U16);
  file.frame_count = last >= first ? last - first + 1 : 0;
  file.scale = number_at(&file, 12);
  file.rate = number_at(&file, 20);
  int64_t data_block = word_at(&file, 16, PL_SCALAR_U16);
  if (data_block < 1 || !isfinite(file.scale) || file.scale == 0 || file.point_count == 0)
    return pl_source_fail(source, 2, "the head has no points, no scale or no place of the data");
  file.data = BLOCK * (size_t)(data_block - 1);
  pl_status status = read_records(&file, begin, true);
  if (status >= 0) status = read_records(&file, begin, false);
  // Frames first: a number of points that the file has no data for gets no names.
  if (status >= 0) status = read_frames(&file);
  while (status >= 0 && (int64_t)markers->names.count < file.point_count)
    if (!pl_markers_add_name(markers, (pl_word){"", 0})) status = pl_source_fail_memory(source);
  markers->rate = file.rate;
  return status;
}
