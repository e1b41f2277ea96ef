// Binary data of VTK's XML files.
//
// Uncompressed: the number of bytes, then the bytes. Compressed: number of blocks, size of a block, size of the last
// one if it is shorter (0 if not), the compressed size of each; then the blocks, each a zlib stream. Sizes are UInt32
// or UInt64 as the file says. As base64 the sizes and the data are encoded as one stream or as two, the first ending in
// padding: a decoder that continues after padding reads both.
#include "io/vtu_array.h"

#include <string.h>
#include <zlib.h>

#include "base/context.h"
#include "text/text_cursor.h"
#include "text/xml_cursor.h"

// Bytes, plain or out of base64.
typedef struct byte_stream {
  const unsigned char *at, *end;
  bool is_base64;
  uint32_t bits;  // decoded, not yet taken
  int bit_count;
} byte_stream;

static int base64_value(unsigned char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Bytes the stream holds at most.
static size_t stream_left(const byte_stream *stream) {
  size_t left = (size_t)(stream->end - stream->at);
  return stream->is_base64 ? left / 4 * 3 + 3 : left;
}

// Take `count` bytes; false when there are not as many, or something in between is not base64.
static bool take_bytes(byte_stream *stream, unsigned char *to, size_t count) {
  if (!stream->is_base64) {
    if (count > stream_left(stream)) return false;
    memcpy(to, stream->at, count);
    stream->at += count;
    return true;
  }
  for (size_t i = 0; i < count; ++i) {
    while (stream->bit_count < 8) {
      if (stream->at >= stream->end) return false;
      unsigned char c = *stream->at++;
      int value = base64_value(c);
      if (value >= 0) {
        stream->bits = (stream->bits << 6 | (uint32_t)value) & 0xFFFFFF;
        stream->bit_count += 6;
      } else if (c == '=') {
        stream->bit_count = 0;  // the rest of a padded group is nothing
      } else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
        return false;
      }
    }
    stream->bit_count -= 8;
    to[i] = (unsigned char)(stream->bits >> stream->bit_count);
  }
  return true;
}

typedef struct array_reader {
  pl_vtu_file *file;
  const pl_vtu_array *array;
  byte_stream stream;
  pl_vector text;   // char: content without markup, where there is any
  pl_vector bytes;  // unsigned char, decoded and unpacked
} array_reader;

static pl_status fail(const array_reader *reader, const char *what) {
  return pl_source_fail(reader->file->source, reader->array->offset, "the data of this array %s", what);
}

static bool take_size(array_reader *reader, uint64_t *size) {
  unsigned char bytes[8];
  if (!take_bytes(&reader->stream, bytes, pl_scalar_size(reader->file->head_type))) return false;
  *size = (uint64_t)pl_scalar_integer(reader->file->head_type, bytes, reader->file->big_endian);
  return true;
}

static pl_status read_plain(array_reader *reader) {
  uint64_t size;
  if (!take_size(reader, &size)) return fail(reader, "is cut off");
  if (size > stream_left(&reader->stream))
    return fail(reader, "is shorter than its stated length; the file is cut off, or its header_type is wrong");
  if (size == 0) return PL_OK;
  unsigned char *to = pl_vector_grow(&reader->bytes, (size_t)size);
  if (to == NULL) return pl_source_fail_memory(reader->file->source);
  return take_bytes(&reader->stream, to, (size_t)size) ? PL_OK : fail(reader, "is cut off or not base64");
}

static void *zlib_allocate(void *context, unsigned count, unsigned size) {
  return pl_allocate_array(context, count, size);
}

static void zlib_release(void *context, void *block) {
  pl_release(context, block);
}

static pl_status unpack(array_reader *reader, unsigned char *packed, size_t packed_size, unsigned char *to,
                        size_t size) {
  z_stream z = {.zalloc = zlib_allocate, .zfree = zlib_release, .opaque = reader->file->source->context};
  z.next_in = packed;
  z.avail_in = (unsigned)packed_size;
  z.next_out = to;
  z.avail_out = (unsigned)size;
  int code = inflateInit(&z);
  if (code == Z_OK) {
    code = inflate(&z, Z_FINISH);
    inflateEnd(&z);
  }
  if (code == Z_MEM_ERROR) return pl_source_fail_memory(reader->file->source);
  return code == Z_STREAM_END && z.avail_out == 0 ? PL_OK : fail(reader, "cannot be unpacked by zlib; it is damaged");
}

static pl_status read_block(array_reader *reader, uint64_t packed_size, uint64_t size, pl_vector *packed) {
  if (packed_size > stream_left(&reader->stream) || packed_size > UINT32_MAX / 2) return fail(reader, "is cut off");
  if (size > packed_size * PL_VTU_MAX_RATIO + 64 || size > UINT32_MAX / 2)
    return fail(reader, "claims a size that its bytes cannot hold");
  if (size > reader->file->unpacked_left) return fail(reader, "unpacks to more than the file can reasonably hold");
  reader->file->unpacked_left -= size;
  if (size == 0) return PL_OK;
  packed->count = 0;
  unsigned char *from = pl_vector_grow(packed, (size_t)packed_size);
  unsigned char *to = pl_vector_grow(&reader->bytes, (size_t)size);
  if (from == NULL || to == NULL) return pl_source_fail_memory(reader->file->source);
  if (!take_bytes(&reader->stream, from, (size_t)packed_size)) return fail(reader, "is cut off or not base64");
  return unpack(reader, from, (size_t)packed_size, to, (size_t)size);
}

static pl_status read_packed(array_reader *reader) {
  uint64_t block_count, block_size, last_size;
  if (!take_size(reader, &block_count)) return fail(reader, "is cut off");
  // An empty array may have no more than this.
  if (block_count == 0) return PL_OK;
  if (!take_size(reader, &block_size) || !take_size(reader, &last_size)) return fail(reader, "is cut off");
  if (block_count > stream_left(&reader->stream) / pl_scalar_size(reader->file->head_type))
    return fail(reader, "has more blocks than it can hold; the file is cut off, or its header_type is wrong");
  pl_context *context = reader->file->source->context;
  pl_vector sizes = pl_vector_of(context, sizeof(uint64_t)), packed = pl_vector_of(context, 1);
  uint64_t *own = pl_vector_grow(&sizes, (size_t)block_count);
  pl_status status = own == NULL ? pl_source_fail_memory(reader->file->source) : PL_OK;
  for (uint64_t i = 0; i < block_count && status >= 0; ++i)
    if (!take_size(reader, &own[i])) status = fail(reader, "is cut off");
  for (uint64_t i = 0; i < block_count && status >= 0; ++i)
    status = read_block(reader, own[i], i + 1 == block_count && last_size > 0 ? last_size : block_size, &packed);
  pl_vector_free(&sizes);
  pl_vector_free(&packed);
  return status;
}

// The content between the tags, without markup.
static pl_status open_content(array_reader *reader, const char **begin, const char **end) {
  const pl_vtu_array *array = reader->array;
  const char *bytes = (const char *)reader->file->source->bytes;
  *begin = bytes + array->begin;
  *end = bytes + array->end;
  size_t size = array->end - array->begin;
  if (size == 0 || (memchr(*begin, '<', size) == NULL && memchr(*begin, '&', size) == NULL)) return PL_OK;
  if (!pl_xml_append_text(*begin, *end, &reader->text)) return pl_source_fail_memory(reader->file->source);
  // Nothing but markup leaves nothing.
  if (reader->text.count > 0) *begin = reader->text.items;
  *end = *begin + reader->text.count;
  return PL_OK;
}

static bool push_value(pl_vector *values, bool as_integers, double number, int64_t integer) {
  return as_integers ? pl_vector_push(values, &integer) : pl_vector_push(values, &number);
}

static pl_status read_text(array_reader *reader, bool as_integers, pl_vector *values) {
  const char *begin, *end;
  pl_status status = open_content(reader, &begin, &end);
  if (status < 0) return status;
  pl_text_cursor cursor = {.source = reader->file->source, .at = begin, .end = end};
  bool in_place = reader->text.count == 0;
  pl_word word;
  while (pl_text_take_word(&cursor, &word)) {
    double number = 0;
    int64_t integer = 0;
    bool good = as_integers ? pl_word_integer(word, &integer) : pl_word_number(word, &number);
    char shown[PL_SHOWN_SIZE];
    if (!good)
      return pl_source_fail(reader->file->source, in_place ? pl_word_offset(&cursor, word) : reader->array->offset,
                            "\"%s\" is not a number of this array", pl_word_show(word, shown));
    if (!push_value(values, as_integers, number, integer)) return pl_source_fail_memory(reader->file->source);
  }
  return PL_OK;
}

static pl_status open_stream(array_reader *reader) {
  const pl_vtu_file *file = reader->file;
  const pl_mesh_source *source = file->source;
  if (reader->array->encoding == PL_VTU_INLINE) {
    const char *begin, *end;
    pl_status status = open_content(reader, &begin, &end);
    reader->stream =
        (byte_stream){.at = (const unsigned char *)begin, .end = (const unsigned char *)end, .is_base64 = true};
    return status;
  }
  if (file->appended_start == 0)
    return fail(reader, "is said to be appended, but the file has no AppendedData; it is cut off");
  if (reader->array->appended_offset > source->size - file->appended_start)
    return fail(reader, "lies beyond the end of the file; the file is cut off");
  reader->stream = (byte_stream){.at = source->bytes + file->appended_start + (size_t)reader->array->appended_offset,
                                 .end = source->bytes + source->size,
                                 .is_base64 = !file->appended_is_raw};
  return PL_OK;
}

static pl_status read_values(array_reader *reader, bool as_integers, pl_vector *values) {
  if (reader->array->encoding == PL_VTU_TEXT) return read_text(reader, as_integers, values);
  pl_status status = open_stream(reader);
  if (status >= 0) status = reader->file->is_compressed ? read_packed(reader) : read_plain(reader);
  if (status < 0) return status;
  pl_scalar scalar = reader->array->scalar;
  size_t size = pl_scalar_size(scalar);
  const unsigned char *bytes = reader->bytes.items;
  bool big_endian = reader->file->big_endian;
  for (size_t i = 0; i + size <= reader->bytes.count; i += size) {
    double number = as_integers ? 0 : pl_scalar_number(scalar, bytes + i, big_endian);
    int64_t integer = as_integers ? pl_scalar_integer(scalar, bytes + i, big_endian) : 0;
    if (!push_value(values, as_integers, number, integer)) return pl_source_fail_memory(reader->file->source);
  }
  return PL_OK;
}

pl_status pl_vtu_array_read(pl_vtu_file *file, const pl_vtu_array *array, bool as_integers, size_t min_count,
                            pl_vector *values) {
  pl_context *context = file->source->context;
  array_reader reader = {
      .file = file, .array = array, .text = pl_vector_of(context, 1), .bytes = pl_vector_of(context, 1)};
  values->count = 0;
  pl_status status = read_values(&reader, as_integers, values);
  pl_vector_free(&reader.text);
  pl_vector_free(&reader.bytes);
  if (status >= 0 && values->count < min_count)
    status = pl_source_fail(file->source, array->offset, "this array has %zu numbers where %zu are needed",
                            values->count, min_count);
  return status;
}
