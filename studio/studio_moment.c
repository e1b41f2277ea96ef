// Moments: one block of memory each, counted.
#include "studio_moment.h"

#include <string.h>

#include "base/context.h"

studio_moment *studio_moment_create(pl_context *context, const studio_part *parts, int32_t part_count) {
  size_t numbers = 0;
  for (int32_t i = 0; i < part_count; ++i) numbers += (size_t)parts[i].count * (size_t)parts[i].width;
  size_t head = (sizeof(studio_moment) + (size_t)part_count * sizeof(studio_part) + 63) / 64 * 64;
  char *block = pl_allocate_array(context, head + numbers * sizeof(double), 1);
  if (block == NULL) return NULL;
  studio_moment *moment = (studio_moment *)block;
  double *at = (double *)(block + head);
  moment->context = context;
  atomic_init(&moment->uses, 1);
  moment->part_count = part_count;
  moment->parts = (studio_part *)(block + sizeof(studio_moment));
  for (int32_t i = 0; i < part_count; ++i) {
    moment->parts[i] = parts[i];
    moment->parts[i].numbers = at;
    at += (size_t)parts[i].count * (size_t)parts[i].width;
  }
  return moment;
}

static bool is_same(const studio_part *a, const studio_part *b) {
  return a->kind == b->kind && a->wanted == b->wanted && a->index == b->index && a->count == b->count &&
         memcmp(a->numbers, b->numbers, (size_t)a->count * (size_t)a->width * sizeof(double)) == 0;
}

void studio_moment_compare(studio_moment *moment, const studio_moment *before) {
  int32_t k = 0;
  for (int32_t i = 0; i < moment->part_count; ++i) {
    studio_part *part = &moment->parts[i];
    part->changed = moment->number;
    if (before == NULL || before->scene != moment->scene) continue;
    // Parts come in one order; some of them may be missing in either.
    for (int32_t tried = 0; tried < before->part_count; ++tried, ++k) {
      const studio_part *other = &before->parts[k % before->part_count];
      if (other->kind != part->kind || other->index != part->index || other->wanted != part->wanted) continue;
      if (is_same(part, other)) part->changed = other->changed;
      ++k;
      break;
    }
  }
}

studio_moment *studio_moment_hold(studio_moment *moment) {
  if (moment != NULL) atomic_fetch_add(&moment->uses, 1);
  return moment;
}

void studio_moment_release(studio_moment *moment) {
  if (moment != NULL && atomic_fetch_sub(&moment->uses, 1) == 1) pl_release(moment->context, moment);
}
