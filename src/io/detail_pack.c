// Stamps packed: 16-bit numbers, differences, deflate. See the header.
#include "io/detail_pack.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

#include "base/context.h"
#include "base/error.h"

// Deflate never packs more tightly.
enum { MAX_RATIO = 1032, SCALE_SIZE = 8, LEVEL_COUNT = 2047 };

static void *zlib_allocate(void *context, unsigned count, unsigned size) {
  return pl_allocate_array(context, count, size);
}

static void zlib_release(void *context, void *block) {
  pl_release(context, block);
}

static size_t samples_of(const pl_detail_set_view *view) {
  return (size_t)view->def.stamp_sides * (size_t)view->def.stamp_resolution * (size_t)view->def.stamp_resolution;
}

bool pl_detail_pack_fits(uint64_t size, uint64_t example_count, uint64_t sample_count) {
  if (size < SCALE_SIZE * example_count) return false;
  uint64_t packed = size - SCALE_SIZE * example_count;
  return packed <= UINT32_MAX / 2 && 6 * example_count * sample_count <= packed * MAX_RATIO + 64;
}

// The least power of two whose LEVEL_COUNT-fold is not less than any number of a stamp; 0 for a stamp of zeros.
static double scale_of(const float *stamp, size_t sample_count) {
  float max = 0;
  for (size_t i = 0; i < 4 * sample_count; ++i)
    if (i % 4 != 3) max = fmaxf(max, fabsf(stamp[i]));
  if (!(max > 0)) return 0;
  int exponent;
  (void)frexp((double)max / LEVEL_COUNT, &exponent);
  double scale = ldexp(1, exponent);
  return (double)max <= LEVEL_COUNT * scale * 0.5 ? scale * 0.5 : scale;
}

// What a number is expected to be: on the plane through its left and lower neighbours and the one between them; none
// beyond the rim of a map.
static int32_t expect(const int32_t *numbers, size_t i, size_t width) {
  int32_t left = i % width > 0 ? numbers[i - 1] : 0, below = i >= width ? numbers[i - width] : 0;
  if (i < width) return left;
  return i % width > 0 ? left + below - numbers[i - width - 1] : below;
}

// Numbers of one stamp, x of all samples first; `plane` bytes apart from their high bytes.
static void put_stamp(const float *stamp, const size_t *shape, double scale, int32_t *numbers, unsigned char *to,
                      size_t plane) {
  for (size_t k = 0; k < 3; ++k)
    for (size_t i = 0; i < shape[0]; ++i, ++to) {
      numbers[i] = scale > 0 ? (int32_t)lrint((double)stamp[4 * i + k] / scale) : 0;
      uint32_t step = (uint32_t)(numbers[i] - expect(numbers, i, shape[1])) & 0xFFFFu;
      to[0] = (unsigned char)step;
      to[plane] = (unsigned char)(step >> 8);
    }
}

static void get_stamp(const unsigned char *from, size_t plane, const size_t *shape, double scale, int32_t *numbers,
                      float *stamp) {
  for (size_t k = 0; k < 3; ++k)
    for (size_t i = 0; i < shape[0]; ++i, ++from) {
      uint32_t now = ((uint32_t)expect(numbers, i, shape[1]) + from[0] + ((uint32_t)from[plane] << 8)) & 0xFFFFu;
      numbers[i] = now > 32767 ? (int32_t)now - 65536 : (int32_t)now;
      stamp[4 * i + k] = (float)(scale * numbers[i]);
    }
}

static pl_status deflate_into(pl_context *context, const unsigned char *plain, size_t size, pl_vector *bytes,
                              pl_error *error) {
  z_stream z = {.zalloc = zlib_allocate, .zfree = zlib_release, .opaque = context};
  if (deflateInit(&z, Z_BEST_COMPRESSION) != Z_OK) return pl_fail_memory(error);
  size_t start = bytes->count;
  unsigned char *to = pl_vector_grow(bytes, deflateBound(&z, (uLong)size));
  int code = Z_MEM_ERROR;
  if (to != NULL) {
    z.next_in = (Bytef *)(uintptr_t)plain;
    z.avail_in = (unsigned)size;
    z.next_out = to;
    z.avail_out = (unsigned)(bytes->count - start);
    code = deflate(&z, Z_FINISH);
    bytes->count -= z.avail_out;
  }
  deflateEnd(&z);
  return code == Z_STREAM_END ? PL_OK : pl_fail_memory(error);
}

pl_status pl_detail_pack(pl_context *context, const pl_detail_set_view *view, pl_vector *bytes, pl_error *error) {
  size_t count = (size_t)view->example_count, samples = samples_of(view), plane = 3 * count * samples;
  if (plane > UINT32_MAX / 8)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "%zu stamps of %zu samples are more than a file can hold", count,
                   samples);
  unsigned char *scales = pl_vector_grow(bytes, SCALE_SIZE * count), *plain = pl_allocate(context, 2 * plane + 1);
  int32_t *numbers = pl_allocate_array(context, samples, sizeof *numbers);
  const size_t shape[2] = {samples, (size_t)view->def.stamp_resolution};
  pl_status status = scales == NULL || plain == NULL || numbers == NULL ? pl_fail_memory(error) : PL_OK;
  for (size_t i = 0; status >= 0 && i < count; ++i) {
    const float *stamp = view->stamps + 4 * samples * i;
    double scale = scale_of(stamp, samples);
    uint64_t bits;
    memcpy(&bits, &scale, sizeof bits);
    for (int k = 0; k < SCALE_SIZE; ++k) scales[SCALE_SIZE * i + (size_t)k] = (unsigned char)(bits >> (8 * k));
    put_stamp(stamp, shape, scale, numbers, plain + 3 * samples * i, plane);
  }
  if (status >= 0) status = deflate_into(context, plain, 2 * plane, bytes, error);
  pl_release(context, numbers);
  pl_release(context, plain);
  return status;
}

static pl_status inflate_from(pl_context *context, const unsigned char *packed, size_t packed_size, unsigned char *to,
                              size_t size, const char *name, pl_error *error) {
  z_stream z = {.zalloc = zlib_allocate, .zfree = zlib_release, .opaque = context};
  z.next_in = (Bytef *)(uintptr_t)packed;
  z.avail_in = (unsigned)packed_size;
  z.next_out = to;
  z.avail_out = (unsigned)size;
  int code = inflateInit(&z);
  if (code == Z_OK) {
    code = inflate(&z, Z_FINISH);
    inflateEnd(&z);
  }
  if (code == Z_MEM_ERROR) return pl_fail_memory(error);
  if (code == Z_STREAM_END && z.avail_out == 0 && z.avail_in == 0) return PL_OK;
  return pl_fail_at(error, PL_ERROR_INVALID_DATA, name, 0, 0,
                    "the set of examples is damaged: its stamps cannot be unpacked");
}

pl_status pl_detail_unpack(pl_context *context, const char *name, const unsigned char *bytes, size_t size,
                           const pl_detail_set_view *view, float *stamps, pl_error *error) {
  size_t count = (size_t)view->example_count, samples = samples_of(view), plane = 3 * count * samples;
  unsigned char *plain = pl_allocate(context, 2 * plane + 1);
  int32_t *numbers = pl_allocate_array(context, samples, sizeof *numbers);
  const size_t shape[2] = {samples, (size_t)view->def.stamp_resolution};
  pl_status status = plain == NULL || numbers == NULL ? pl_fail_memory(error) : PL_OK;
  if (status >= 0)
    status =
        inflate_from(context, bytes + SCALE_SIZE * count, size - SCALE_SIZE * count, plain, 2 * plane, name, error);
  for (size_t i = 0; status >= 0 && i < count; ++i) {
    uint64_t bits = 0;
    for (int k = 0; k < SCALE_SIZE; ++k) bits |= (uint64_t)bytes[SCALE_SIZE * i + (size_t)k] << (8 * k);
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    if (!(scale >= 0) || !(scale < 1e30))
      status =
          pl_fail_at(error, PL_ERROR_INVALID_DATA, name, 0, 0, "the set of examples is damaged: a stamp has no scale");
    else
      get_stamp(plain + 3 * samples * i, plane, shape, scale, numbers, stamps + 4 * samples * i);
  }
  pl_release(context, numbers);
  pl_release(context, plain);
  return status;
}
