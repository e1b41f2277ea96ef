// Clouds from NumPy: an array of rows x, y, z and perhaps more columns, as .npy, or the first such array of an .npz,
// which is a zip file; one that is called points, xyz or positions goes first. Arrays of three axes are pictures of
// points, as depth cameras give them.
#include <limits.h>
#include <string.h>
#include <zlib.h>

#include "base/context.h"
#include "base/error.h"
#include "io/cloud_builder.h"
#include "io/scalar_bytes.h"
#include "text/text_cursor.h"

enum { MAGIC_SIZE = 6, MAX_AXES = 3, END_SIZE = 22, ENTRY_SIZE = 46, LOCAL_SIZE = 30, STORED = 0, DEFLATED = 8 };
static const unsigned char MAGIC[MAGIC_SIZE] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

bool pl_cloud_is_npy(const pl_mesh_source *source) {
  bool zip = source->size >= 4 && memcmp(source->bytes, "PK\x03\x04", 4) == 0;
  return zip || (source->size >= MAGIC_SIZE && memcmp(source->bytes, MAGIC, MAGIC_SIZE) == 0);
}

// --- one array ----------------------------------------------------------------------------------------------------

typedef struct npy_array {
  pl_scalar scalar;
  bool big_endian, by_columns;
  int64_t row_count, column_count;
  size_t data;
} npy_array;

// The text behind 'key': in the dictionary of the head, or NULL.
static const char *value_of(const char *head, size_t size, const char *key) {
  size_t length = strlen(key);
  for (size_t i = 0; i + length + 3 < size; ++i) {
    if (head[i] != '\'' || memcmp(head + i + 1, key, length) != 0 || head[i + 1 + length] != '\'') continue;
    for (i += length + 2; i < size && (head[i] == ' ' || head[i] == ':'); ++i) continue;
    return head + i;
  }
  return NULL;
}

static pl_scalar scalar_of(const char *text) {
  static const struct {
    const char *name;
    pl_scalar scalar;
  } scalars[] = {{"f4", PL_SCALAR_F32}, {"f8", PL_SCALAR_F64}, {"i2", PL_SCALAR_I16}, {"i4", PL_SCALAR_I32}};
  for (size_t i = 0; i < sizeof scalars / sizeof *scalars; ++i)
    if (memcmp(text, scalars[i].name, 2) == 0) return scalars[i].scalar;
  return PL_SCALAR_NONE;
}

// Rows and columns from (n, 3) or (height, width, 3); false if it is neither.
static bool read_shape(const char *at, const char *end, npy_array *array) {
  int64_t axes[MAX_AXES] = {0};
  int count = 0;
  if (at == NULL || *at != '(') return false;
  for (++at; at < end && *at != ')'; ++at) {
    if (*at < '0' || *at > '9') continue;
    if (count == MAX_AXES) return false;
    for (; at < end && *at >= '0' && *at <= '9'; ++at) {
      if (axes[count] > INT32_MAX) return false;
      axes[count] = 10 * axes[count] + (*at - '0');
    }
    ++count;
    --at;
  }
  if (count < 2) return false;
  array->column_count = axes[count - 1];
  array->row_count = axes[0] * (count == MAX_AXES ? axes[1] : 1);
  return array->column_count >= 3 && array->column_count < INT32_MAX && axes[0] < INT32_MAX && axes[1] < INT32_MAX &&
         array->row_count < INT32_MAX && !(array->by_columns && count == MAX_AXES);
}

// False if the array is not one of points.
static bool read_head(const unsigned char *bytes, size_t size, npy_array *array) {
  if (size < MAGIC_SIZE + 6 || memcmp(bytes, MAGIC, MAGIC_SIZE) != 0) return false;
  bool wide = bytes[MAGIC_SIZE] >= 2;
  size_t start = MAGIC_SIZE + (wide ? 6 : 4),
         length = (size_t)pl_scalar_integer(wide ? PL_SCALAR_U32 : PL_SCALAR_U16, bytes + MAGIC_SIZE + 2, false);
  if (length > size - start || length < 8) return false;
  const char *head = (const char *)bytes + start, *end = head + length - 4;
  const char *type = value_of(head, length - 4, "descr"), *order = value_of(head, length - 4, "fortran_order"),
             *shape = value_of(head, length - 4, "shape");
  if (type == NULL || order == NULL || type + 4 > end || *type != '\'') return false;
  array->big_endian = type[1] == '>';
  array->scalar = scalar_of(type + 2);
  array->by_columns = *order == 'T';
  array->data = start + length;
  return array->scalar != PL_SCALAR_NONE && read_shape(shape, end, array);
}

static pl_status add_points(const pl_mesh_source *source, const unsigned char *bytes, size_t size,
                            const npy_array *array, pl_cloud *cloud) {
  size_t width = pl_scalar_size(array->scalar), rows = (size_t)array->row_count, columns = (size_t)array->column_count;
  if (rows > 0 && (size - array->data) / width / rows < columns)
    return pl_source_fail(source, PL_NO_POSITION, "the file ends before its %zu points do", rows);
  for (size_t i = 0; i < rows; ++i) {
    double p[3];
    for (size_t k = 0; k < 3; ++k) {
      size_t index = array->by_columns ? k * rows + i : i * columns + k;
      p[k] = pl_scalar_number(array->scalar, bytes + array->data + width * index, array->big_endian);
    }
    pl_status status = pl_cloud_add(cloud, (pl_vec3){p[0], p[1], p[2]}, NULL, NULL, source->error);
    if (status < 0) return status;
  }
  return PL_OK;
}

// --- zip ----------------------------------------------------------------------------------------------------------

typedef struct zip_entry {
  const char *name;
  size_t name_length, packed, size, offset;
  int method;
} zip_entry;

static size_t number_at(const pl_mesh_source *source, size_t offset, pl_scalar scalar) {
  return (size_t)pl_scalar_integer(scalar, source->bytes + offset, false);
}

// The entry of the directory at `*at`, which goes on to the next; false at its end or where it is damaged.
static bool take_entry(const pl_mesh_source *source, size_t *at, zip_entry *entry) {
  if (*at > source->size || source->size - *at < ENTRY_SIZE || memcmp(source->bytes + *at, "PK\x01\x02", 4) != 0)
    return false;
  size_t name = number_at(source, *at + 28, PL_SCALAR_U16), extra = number_at(source, *at + 30, PL_SCALAR_U16),
         comment = number_at(source, *at + 32, PL_SCALAR_U16);
  *entry = (zip_entry){.name = (const char *)source->bytes + *at + ENTRY_SIZE,
                       .name_length = name,
                       .packed = number_at(source, *at + 20, PL_SCALAR_U32),
                       .size = number_at(source, *at + 24, PL_SCALAR_U32),
                       .offset = number_at(source, *at + 42, PL_SCALAR_U32),
                       .method = (int)number_at(source, *at + 10, PL_SCALAR_U16)};
  if (name > source->size - *at - ENTRY_SIZE) return false;
  *at += ENTRY_SIZE + name + extra + comment;
  return true;
}

// The bytes of an entry, packed or not; to be released where they are not those of the file. NULL if it is damaged.
static unsigned char *unpack(const pl_mesh_source *source, const zip_entry *entry, bool *out_of_memory) {
  if (entry->offset > source->size || source->size - entry->offset < LOCAL_SIZE) return NULL;
  size_t begin = entry->offset + LOCAL_SIZE + number_at(source, entry->offset + 26, PL_SCALAR_U16) +
                 number_at(source, entry->offset + 28, PL_SCALAR_U16);
  if (begin > source->size || entry->packed > source->size - begin) return NULL;
  // Deflate packs a thousand to one at best: what claims more is damaged, and memory is not asked for it.
  bool packed = entry->method == DEFLATED;
  if ((!packed && (entry->method != STORED || entry->size != entry->packed)) ||
      (packed && entry->size / 1100 > entry->packed) || entry->size > UINT_MAX)
    return NULL;
  unsigned char *bytes = pl_allocate(source->context, entry->size + 1);
  if (bytes == NULL) {
    *out_of_memory = true;
    return NULL;
  }
  if (!packed) {
    memcpy(bytes, source->bytes + begin, entry->size);
    return bytes;
  }
  z_stream stream = {.next_in = (unsigned char *)(uintptr_t)(source->bytes + begin),
                     .avail_in = (uInt)entry->packed,
                     .next_out = bytes,
                     .avail_out = (uInt)entry->size};
  bool good = inflateInit2(&stream, -MAX_WBITS) == Z_OK;
  if (good) good = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.total_out == entry->size;
  inflateEnd(&stream);
  if (good) return bytes;
  pl_release(source->context, bytes);
  return NULL;
}

static bool has_name(const zip_entry *entry, const char *name) {
  return entry->name_length == strlen(name) && memcmp(entry->name, name, entry->name_length) == 0;
}

static pl_status read_zip(pl_mesh_source *source, pl_cloud *cloud) {
  size_t end = source->size >= END_SIZE ? source->size - END_SIZE : 0;
  while (end > 0 && memcmp(source->bytes + end, "PK\x05\x06", 4) != 0) --end;
  if (end == 0) return pl_source_fail(source, PL_NO_POSITION, "the directory of this zip file is missing");
  static const char *const names[] = {"points.npy", "xyz.npy", "positions.npy", NULL};
  bool out_of_memory = false;
  // Named ones in the first round, any other in the second.
  for (int round = 0; round < 2; ++round) {
    zip_entry entry;
    for (size_t at = number_at(source, end + 16, PL_SCALAR_U32); take_entry(source, &at, &entry);) {
      bool named = false;
      for (int i = 0; names[i] != NULL; ++i) named = named || has_name(&entry, names[i]);
      if (named != (round == 0)) continue;
      unsigned char *bytes = unpack(source, &entry, &out_of_memory);
      if (out_of_memory) return pl_source_fail_memory(source);
      if (bytes == NULL) return pl_source_fail(source, entry.offset, "an array of this file is damaged");
      npy_array array = {0};
      bool fits = read_head(bytes, entry.size, &array);
      pl_status status = fits ? add_points(source, bytes, entry.size, &array, cloud) : PL_OK;
      pl_release(source->context, bytes);
      if (fits || status < 0) return status;
    }
  }
  return pl_source_fail(source, PL_NO_POSITION, "no array of this file has rows of three or more numbers");
}

pl_status pl_cloud_npy_read(pl_mesh_source *source, pl_cloud *cloud) {
  source->binary = true;
  if (source->bytes[0] == 'P') return read_zip(source, cloud);
  npy_array array = {0};
  if (!read_head(source->bytes, source->size, &array))
    return pl_source_fail(source, 0,
                          "this array is not one of points: rows of three or more numbers f4, f8, i2 or i4 are");
  return add_points(source, source->bytes, source->size, &array, cloud);
}
