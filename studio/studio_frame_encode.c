// Encodes frames as binary messages; studio/web/src/frames.ts decodes them.
#include <math.h>
#include <string.h>

#include "studio_frame.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "frames are little-endian and copied from memory"
#endif

enum { HEAD_SIZE = 24, PART_SIZE = 12 };
typedef enum encoding { FLOATS = 0, QUANTISED = 1, NUMBERS = 2, DOUBLES = 3, PLACEMENT = 4 } encoding;

static encoding choose_encoding(const studio_part *part, uint32_t wants) {
  if (part->kind == STUDIO_PART_PLACEMENT) return PLACEMENT;
  if (part->width == 1) return NUMBERS;
  return wants & STUDIO_WANT_EXACT ? DOUBLES : wants & STUDIO_WANT_QUANTISED ? QUANTISED : FLOATS;
}

static bool write_floats(const double *numbers, size_t count, pl_vector *bytes) {
  char *to = pl_vector_grow(bytes, count * sizeof(float));
  for (size_t i = 0; to != NULL && i < count; ++i) {
    float number = (float)numbers[i];
    memcpy(to + i * sizeof number, &number, sizeof number);
  }
  return to != NULL;
}

static bool write_quantised(const double *numbers, size_t count, pl_vector *bytes) {
  float box[6];
  double min[3], scale[3];
  for (int axis = 0; axis < 3; ++axis) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t i = 0; i < count; ++i) {
      low = fmin(low, numbers[3 * i + (size_t)axis]);
      high = fmax(high, numbers[3 * i + (size_t)axis]);
    }
    if (count == 0) low = high = 0;
    // The box is rounded outward to float32, so that it contains all points.
    box[axis] = nextafterf((float)low, -HUGE_VALF);
    box[3 + axis] = nextafterf((float)(high - (double)box[axis]), HUGE_VALF);
    min[axis] = (double)box[axis];
    scale[axis] = box[3 + axis] > 0 ? 65535 / (double)box[3 + axis] : 0;
  }
  size_t size = (sizeof box + 6 * count + 3) / 4 * 4;
  char *to = pl_vector_grow(bytes, size);
  if (to == NULL) return false;
  memcpy(to, box, sizeof box);
  for (size_t i = 0; i < 3 * count; ++i) {
    double fraction = (numbers[i] - min[i % 3]) * scale[i % 3];
    uint16_t number = (uint16_t)lround(fmin(fmax(fraction, 0), 65535));
    memcpy(to + sizeof box + 2 * i, &number, sizeof number);
  }
  return true;
}

static bool write_part(const studio_part *part, uint32_t wants, pl_vector *bytes) {
  encoding how = choose_encoding(part, wants);
  size_t count = (size_t)part->count * (size_t)part->width;
  const uint16_t words[4] = {(uint16_t)part->kind, (uint16_t)part->index, (uint16_t)how, 0};
  uint32_t items = (uint32_t)part->count;
  char *head = pl_vector_grow(bytes, PART_SIZE);
  if (head == NULL) return false;
  memcpy(head, words, sizeof words);
  memcpy(head + sizeof words, &items, sizeof items);
  if (how == QUANTISED) return write_quantised(part->numbers, (size_t)part->count, bytes);
  if (how != DOUBLES) return write_floats(part->numbers, count, bytes);
  char *to = pl_vector_grow(bytes, count * sizeof(double));
  if (to != NULL && count > 0) memcpy(to, part->numbers, count * sizeof(double));
  return to != NULL;
}

bool studio_frame_encode(const studio_frame *frame, uint32_t wants, int64_t seen, pl_vector *bytes) {
  size_t start = bytes->count;
  if (pl_vector_grow(bytes, HEAD_SIZE) == NULL) return false;
  uint32_t part_count = 0;
  for (int32_t i = 0; i < frame->part_count; ++i) {
    const studio_part *part = &frame->parts[i];
    if (part->wanted != 0 && (part->wanted & wants) == 0) continue;
    // The meaning of the colours depends on the subscription, so they are sent with every frame.
    if (part->changed <= seen && part->kind != STUDIO_PART_COLORS) continue;
    if (!write_part(part, wants, bytes)) return false;
    ++part_count;
  }
  uint64_t step = (uint64_t)frame->step;
  char *head = (char *)bytes->items + start;
  memcpy(head, "PLF1", 4);
  memcpy(head + 4, &part_count, sizeof part_count);
  memcpy(head + 8, &step, sizeof step);
  memcpy(head + 16, &frame->time, sizeof frame->time);
  return true;
}
