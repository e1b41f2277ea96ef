// Frames: one block of memory each, reference counted.
#include "studio_frame.h"

#include <string.h>

#include "base/context.h"

studio_frame *studio_frame_create(pl_context *context, const studio_part *parts, int32_t part_count) {
  size_t numbers = 0;
  for (int32_t i = 0; i < part_count; ++i) numbers += (size_t)parts[i].count * (size_t)parts[i].width;
  size_t head = (sizeof(studio_frame) + (size_t)part_count * sizeof(studio_part) + 63) / 64 * 64;
  char *block = pl_allocate_array(context, head + numbers * sizeof(double), 1);
  if (block == NULL) return NULL;
  studio_frame *frame = (studio_frame *)block;
  double *at = (double *)(block + head);
  frame->context = context;
  atomic_init(&frame->uses, 1);
  frame->part_count = part_count;
  frame->parts = (studio_part *)(block + sizeof(studio_frame));
  for (int32_t i = 0; i < part_count; ++i) {
    frame->parts[i] = parts[i];
    frame->parts[i].numbers = at;
    at += (size_t)parts[i].count * (size_t)parts[i].width;
  }
  return frame;
}

static bool is_same(const studio_part *a, const studio_part *b) {
  return a->kind == b->kind && a->wanted == b->wanted && a->index == b->index && a->count == b->count &&
         memcmp(a->numbers, b->numbers, (size_t)a->count * (size_t)a->width * sizeof(double)) == 0;
}

void studio_frame_compare(studio_frame *frame, const studio_frame *before) {
  int32_t k = 0;
  for (int32_t i = 0; i < frame->part_count; ++i) {
    studio_part *part = &frame->parts[i];
    part->changed = frame->number;
    if (before == NULL || before->scene != frame->scene) continue;
    // Both frames have their parts in the same order, but either may lack some.
    for (int32_t tried = 0; tried < before->part_count; ++tried, ++k) {
      const studio_part *other = &before->parts[k % before->part_count];
      if (other->kind != part->kind || other->index != part->index || other->wanted != part->wanted) continue;
      if (is_same(part, other)) part->changed = other->changed;
      ++k;
      break;
    }
  }
}

studio_frame *studio_frame_retain(studio_frame *frame) {
  if (frame != NULL) atomic_fetch_add(&frame->uses, 1);
  return frame;
}

void studio_frame_release(studio_frame *frame) {
  if (frame != NULL && atomic_fetch_sub(&frame->uses, 1) == 1) pl_release(frame->context, frame);
}
