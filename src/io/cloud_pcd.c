// PCD, the format of the Point Cloud Library, version 0.7 (and .7, 0.6, 0.5, which have the same words). The head is
// text: names, sizes, types and counts of the fields, then the number of points and how the data stand: as rows of
// text, as rows of little-endian bytes, or packed by LZF with all values of one field after the other. Used are x y z,
// normal_x normal_y normal_z, and rgb or rgba, whose four bytes are blue, green, red, alpha whatever the type says. The
// viewpoint is not applied: it tells where the sensor was, not where the points are.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/cloud_builder.h"
#include "io/cloud_lzf.h"
#include "io/scalar_bytes.h"
#include "text/text_cursor.h"

enum { MAX_FIELDS = 128, MAX_COUNT = 1 << 20 };

typedef enum pcd_role {
  ROLE_X,
  ROLE_Y,
  ROLE_Z,
  ROLE_NORMAL_X,
  ROLE_NORMAL_Y,
  ROLE_NORMAL_Z,
  ROLE_COLOR,
  ROLE_NONE
} pcd_role;
enum { ROLE_COUNT = ROLE_NONE };

typedef struct pcd_field {
  pcd_role role;
  int64_t size, count;
  char type;  // I, U or F
  pl_scalar scalar;
  size_t offset;  // in a row; bytes
} pcd_field;

typedef enum pcd_data { DATA_NONE, DATA_TEXT, DATA_BINARY, DATA_PACKED } pcd_data;

typedef struct pcd_reader {
  pl_mesh_source *source;
  pl_cloud *cloud;
  pl_text_cursor text;
  pcd_field fields[MAX_FIELDS];
  int32_t field_count;
  int32_t by_role[ROLE_COUNT];  // field, or -1
  size_t fields_offset;         // of the FIELDS line
  int64_t width, height, point_count;
  size_t row_size, word_count;
  pcd_data data;
} pcd_reader;

static const char *const head_words[] = {"VERSION", "FIELDS", "COLUMNS",   "SIZE",   "TYPE", "COUNT",
                                         "WIDTH",   "HEIGHT", "VIEWPOINT", "POINTS", "DATA"};
enum { HEAD_WORD_COUNT = sizeof head_words / sizeof head_words[0] };

bool pl_cloud_is_pcd(const pl_mesh_source *source) {
  pl_text_cursor text = pl_text_cursor_at(source, 0, '#');
  pl_word word;
  if (!pl_text_take_word(&text, &word)) return false;
  for (size_t i = 0; i < HEAD_WORD_COUNT; ++i)
    if (pl_word_is(word, head_words[i])) return true;
  return false;
}

static pl_status fail_word(const pcd_reader *r, pl_word word, const char *what) {
  char shown[PL_SHOWN_SIZE];
  return pl_source_fail(r->source, pl_word_offset(&r->text, word), "\"%s\" is not %s", pl_word_show(word, shown), what);
}

static pl_status head_word(pcd_reader *r, const char *what, pl_word *word) {
  if (pl_text_take_word_in_line(&r->text, word)) return PL_OK;
  return pl_source_fail(r->source, pl_text_offset(&r->text), "%s is missing from the PCD head here", what);
}

static pl_status head_count(pcd_reader *r, const char *what, int64_t min, int64_t max, int64_t *count) {
  pl_word word;
  pl_status status = head_word(r, what, &word);
  if (status < 0) return status;
  if (!pl_word_integer(word, count) || *count < min || *count > max) return fail_word(r, word, what);
  return PL_OK;
}

static pcd_role role_named(pl_word name) {
  static const char *const names[] = {"x", "y", "z", "normal_x", "normal_y", "normal_z", "rgb"};
  for (int i = 0; i < ROLE_COUNT; ++i)
    if (pl_word_is(name, names[i])) return (pcd_role)i;
  return pl_word_is(name, "rgba") ? ROLE_COLOR : ROLE_NONE;
}

static pl_status read_fields(pcd_reader *r) {
  r->field_count = 0;
  r->fields_offset = pl_text_offset(&r->text);
  for (int i = 0; i < ROLE_COUNT; ++i) r->by_role[i] = -1;
  pl_word word;
  while (pl_text_take_word_in_line(&r->text, &word)) {
    if (r->field_count == MAX_FIELDS)
      return pl_source_refuse(r->source, pl_word_offset(&r->text, word), "more than %d fields are too many",
                              MAX_FIELDS);
    pcd_role role = role_named(word);
    if (role != ROLE_NONE && r->by_role[role] >= 0) return fail_word(r, word, "allowed twice");
    if (role != ROLE_NONE) r->by_role[role] = r->field_count;
    r->fields[r->field_count++] = (pcd_field){.role = role, .size = 4, .count = 1, .type = 'F'};
  }
  return PL_OK;
}

static pl_status read_types(pcd_reader *r) {
  pl_status status = PL_OK;
  for (int32_t i = 0; i < r->field_count && status >= 0; ++i) {
    pl_word word;
    status = head_word(r, "the type of a field", &word);
    if (status >= 0 && !pl_word_is(word, "I") && !pl_word_is(word, "U") && !pl_word_is(word, "F"))
      status = fail_word(r, word, "a type; I, U and F are");
    if (status >= 0) r->fields[i].type = word.text[0];
  }
  return status;
}

static pl_status read_data_word(pcd_reader *r) {
  pl_word word;
  pl_status status = head_word(r, "how the data stand", &word);
  if (status < 0) return status;
  r->data = pl_word_is(word, "ascii")               ? DATA_TEXT
            : pl_word_is(word, "binary")            ? DATA_BINARY
            : pl_word_is(word, "binary_compressed") ? DATA_PACKED
                                                    : DATA_NONE;
  return r->data == DATA_NONE ? fail_word(r, word, "a kind of data; ascii, binary and binary_compressed are") : PL_OK;
}

static pl_status read_head_line(pcd_reader *r, pl_word word) {
  pl_status status = PL_OK;
  if (pl_word_is(word, "VERSION") || pl_word_is(word, "VIEWPOINT")) return PL_OK;
  if (pl_word_is(word, "FIELDS") || pl_word_is(word, "COLUMNS")) return read_fields(r);
  // The format fixes the order; sizes before there are fields would be passed over, and all of them taken for four
  // bytes.
  bool needs_fields = pl_word_is(word, "TYPE") || pl_word_is(word, "SIZE") || pl_word_is(word, "COUNT");
  if (needs_fields && r->field_count == 0) return fail_word(r, word, "allowed before FIELDS");
  if (pl_word_is(word, "TYPE")) return read_types(r);
  if (pl_word_is(word, "WIDTH")) return head_count(r, "a width", 0, INT32_MAX, &r->width);
  if (pl_word_is(word, "HEIGHT")) return head_count(r, "a height", 0, INT32_MAX, &r->height);
  if (pl_word_is(word, "POINTS")) return head_count(r, "a number of points", 0, INT32_MAX, &r->point_count);
  if (pl_word_is(word, "DATA")) return read_data_word(r);
  bool is_size = pl_word_is(word, "SIZE");
  if (!is_size && !pl_word_is(word, "COUNT")) return fail_word(r, word, "a word of a PCD head");
  for (int32_t i = 0; i < r->field_count && status >= 0; ++i)
    status = is_size ? head_count(r, "a size of 1, 2, 4 or 8 bytes", 1, 8, &r->fields[i].size)
                     : head_count(r, "a count", 0, MAX_COUNT, &r->fields[i].count);
  return status;
}

static pl_scalar scalar_of(const pcd_field *field) {
  if (field->type == 'F') return field->size == 4 ? PL_SCALAR_F32 : field->size == 8 ? PL_SCALAR_F64 : PL_SCALAR_NONE;
  bool is_signed = field->type == 'I';
  switch (field->size) {
    case 1: return is_signed ? PL_SCALAR_I8 : PL_SCALAR_U8;
    case 2: return is_signed ? PL_SCALAR_I16 : PL_SCALAR_U16;
    case 4: return is_signed ? PL_SCALAR_I32 : PL_SCALAR_U32;
    case 8: return is_signed ? PL_SCALAR_I64 : PL_SCALAR_U64;
    default: return PL_SCALAR_NONE;
  }
}

// What only the whole head tells.
static pl_status check_head(pcd_reader *r) {
  if (r->field_count == 0)
    return pl_source_fail(r->source, pl_text_offset(&r->text), "the PCD head has no FIELDS line");
  for (int32_t i = 0; i < r->field_count; ++i) {
    pcd_field *field = &r->fields[i];
    field->scalar = scalar_of(field);
    if (field->scalar == PL_SCALAR_NONE)
      return pl_source_fail(r->source, r->fields_offset, "field %d is of type %c with %d bytes, which there is not",
                            i + 1, field->type, (int)field->size);
    if (field->role != ROLE_NONE && field->count != 1)
      return pl_source_fail(r->source, r->fields_offset, "field %d must have a count of 1", i + 1);
    field->offset = r->row_size;
    r->row_size += (size_t)(field->size * field->count);
    r->word_count += (size_t)field->count;
  }
  if (r->by_role[ROLE_X] < 0 || r->by_role[ROLE_Y] < 0 || r->by_role[ROLE_Z] < 0)
    return pl_source_fail(r->source, r->fields_offset, "the fields lack x, y or z");
  int32_t color = r->by_role[ROLE_COLOR];
  if (color >= 0 && r->fields[color].size != 4) r->by_role[ROLE_COLOR] = -1;
  if (r->by_role[ROLE_NORMAL_Y] < 0 || r->by_role[ROLE_NORMAL_Z] < 0) r->by_role[ROLE_NORMAL_X] = -1;
  if (r->point_count < 0) r->point_count = r->width < 0 ? -1 : r->width * (r->height < 0 ? 1 : r->height);
  if (r->point_count < 0 || r->point_count > INT32_MAX)
    return pl_source_fail(r->source, pl_text_offset(&r->text), "the PCD header has no number of points");
  return PL_OK;
}

static pl_status read_head(pcd_reader *r) {
  pl_status status = PL_OK;
  while (status >= 0 && r->data == DATA_NONE) {
    pl_word word;
    if (!pl_text_take_word(&r->text, &word))
      return pl_source_fail(r->source, r->source->size, "the file ends before its DATA line; it is cut off");
    status = read_head_line(r, word);
    // The line end behind DATA is the last byte of the head, also where the data look like blanks.
    if (status >= 0) pl_text_next_line(&r->text);
  }
  return status < 0 ? status : check_head(r);
}

static pl_status add_point(pcd_reader *r, const double numbers[ROLE_COUNT], uint32_t color_bits) {
  pl_vec3 normal = {numbers[ROLE_NORMAL_X], numbers[ROLE_NORMAL_Y], numbers[ROLE_NORMAL_Z]};
  pl_color color = {(float)(color_bits >> 16 & 255) / 255, (float)(color_bits >> 8 & 255) / 255,
                    (float)(color_bits & 255) / 255};
  return pl_cloud_add(r->cloud, (pl_vec3){numbers[ROLE_X], numbers[ROLE_Y], numbers[ROLE_Z]},
                      r->by_role[ROLE_NORMAL_X] >= 0 ? &normal : NULL, r->by_role[ROLE_COLOR] >= 0 ? &color : NULL,
                      r->source->error);
}

// A packed colour written as a number: of a float its bits count, of an integer its value.
static uint32_t color_of_number(const pcd_field *field, double number) {
  if (field->type != 'F') return number >= -2147483648.0 && number <= 4294967295.0 ? (uint32_t)(int64_t)number : 0;
  if (!(fabs(number) <= 3.4e38)) return 0;
  float narrow = (float)number;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  return bits;
}

static pl_status read_text(pcd_reader *r) {
  size_t min = r->word_count > 0 ? 2 * r->word_count - 1 : 1;
  pl_status status = pl_source_check_count(r->source, pl_text_offset(&r->text), r->point_count, min, "points");
  for (int64_t i = 0; i < r->point_count && status >= 0; ++i) {
    double numbers[ROLE_COUNT] = {0};
    uint32_t color = 0;
    for (int32_t f = 0; f < r->field_count && status >= 0; ++f) {
      const pcd_field *field = &r->fields[f];
      double number = 0;
      for (int64_t k = 0; k < field->count && status >= 0; ++k)
        status = pl_text_take_number(&r->text, "a value of a point", &number);
      if (field->role == ROLE_COLOR) color = color_of_number(field, number);
      if (field->role < ROLE_COLOR) numbers[field->role] = number;
    }
    if (status >= 0) status = add_point(r, numbers, color);
  }
  return status;
}

// Points from bytes: value `i` of a field stands at start + i * step.
static pl_status add_points(pcd_reader *r, const unsigned char *bytes, bool by_field) {
  pl_status status = PL_OK;
  for (int64_t i = 0; i < r->point_count && status >= 0; ++i) {
    double numbers[ROLE_COUNT] = {0};
    uint32_t color = 0;
    for (int role = 0; role < ROLE_COUNT; ++role) {
      if (r->by_role[role] < 0) continue;
      const pcd_field *field = &r->fields[r->by_role[role]];
      const unsigned char *at = by_field ? bytes + field->offset * (size_t)r->point_count + (size_t)(i * field->size)
                                         : bytes + (size_t)i * r->row_size + field->offset;
      if (role == ROLE_COLOR)
        color = (uint32_t)pl_scalar_integer(PL_SCALAR_U32, at, false);
      else
        numbers[role] = pl_scalar_number(field->scalar, at, false);
    }
    status = add_point(r, numbers, color);
  }
  return status;
}

static pl_status read_packed(pcd_reader *r, pl_byte_cursor *cursor) {
  int64_t packed = 0, size = 0;
  pl_status status = pl_bytes_take_integer(cursor, PL_SCALAR_U32, "the size of the packed data", &packed);
  if (status >= 0) status = pl_bytes_take_integer(cursor, PL_SCALAR_U32, "the size of the data", &size);
  const unsigned char *bytes = NULL;
  size_t start = cursor->offset, slot = 0;
  if (status >= 0) status = pl_bytes_take(cursor, (size_t)packed, 1, "the packed data", &bytes);
  if (status < 0) return status;
  if ((uint64_t)size != (uint64_t)r->row_size * (uint64_t)r->point_count)
    return pl_source_fail(r->source, start,
                          "the unpacked data have %lld bytes; %lld points of %zu bytes need another size",
                          (long long)size, (long long)r->point_count, r->row_size);
  // An instruction of three bytes gives at most 264: memory is not allocated for a larger promise.
  if (size / 264 > packed) return pl_source_fail(r->source, start, "the packed data are shorter than the stated size");
  unsigned char *out = pl_allocate(r->source->context, (size_t)size);
  if (out == NULL) return pl_source_fail_memory(r->source);
  if (pl_lzf_expand(bytes, (size_t)packed, out, (size_t)size, &slot))
    status = add_points(r, out, true);
  else
    status = pl_source_fail(r->source, start + slot, "the packed data are damaged here");
  pl_release(r->source->context, out);
  return status;
}

static pl_status read_body(pcd_reader *r) {
  if (r->data == DATA_TEXT) return read_text(r);
  pl_byte_cursor cursor = {.source = r->source, .offset = pl_text_offset(&r->text)};
  r->source->binary = true;
  if (r->data == DATA_PACKED) return r->point_count > 0 ? read_packed(r, &cursor) : PL_OK;
  const unsigned char *bytes = NULL;
  pl_status status = pl_bytes_take(&cursor, (size_t)r->point_count, r->row_size, "the points", &bytes);
  return status < 0 ? status : add_points(r, bytes, false);
}

pl_status pl_cloud_pcd_read(pl_mesh_source *source, pl_cloud *cloud) {
  pcd_reader reader = {.source = source,
                       .cloud = cloud,
                       .text = pl_text_cursor_at(source, 0, '#'),
                       .width = -1,
                       .height = -1,
                       .point_count = -1};
  pl_status status = read_head(&reader);
  return status < 0 ? status : read_body(&reader);
}
