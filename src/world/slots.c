#include "world/slots.h"

#include <string.h>

typedef struct slot {
  void *item;  // NULL: free
  uint32_t generation;
} slot;

void pl_slots_init(pl_slots *slots, pl_context *context) {
  slots->slots = pl_vector_of(context, sizeof(slot));
  slots->order = pl_vector_of(context, sizeof(uint32_t));
}

void pl_slots_free(pl_slots *slots) {
  pl_vector_free(&slots->slots);
  pl_vector_free(&slots->order);
}

static slot *find_free(pl_slots *slots, uint32_t *number) {
  for (size_t i = 0; i < slots->slots.count; ++i) {
    slot *s = &PL_ITEM(&slots->slots, slot, i);
    if (s->item == NULL) {
      *number = (uint32_t)i;
      return s;
    }
  }
  *number = (uint32_t)slots->slots.count;
  return pl_vector_grow(&slots->slots, 1);
}

pl_slot_id pl_slots_add(pl_slots *slots, void *item) {
  uint32_t number;
  slot *s = find_free(slots, &number);
  if (s == NULL || !pl_vector_push(&slots->order, &number)) return (pl_slot_id){0, 0};
  s->item = item;
  s->generation++;
  return (pl_slot_id){number + 1, s->generation};
}

void *pl_slots_get(const pl_slots *slots, pl_slot_id id) {
  if (id.slot == 0 || id.slot > slots->slots.count) return NULL;
  const slot *s = &PL_ITEM(&slots->slots, slot, id.slot - 1);
  return s->generation == id.generation ? s->item : NULL;
}

void *pl_slots_remove(pl_slots *slots, pl_slot_id id) {
  void *item = pl_slots_get(slots, id);
  if (item == NULL) return NULL;
  PL_ITEM(&slots->slots, slot, id.slot - 1).item = NULL;
  uint32_t *order = slots->order.items;
  size_t slot_index = 0;
  while (order[slot_index] != id.slot - 1) ++slot_index;
  memmove(order + slot_index, order + slot_index + 1, (slots->order.count - slot_index - 1) * sizeof *order);
  slots->order.count--;
  return item;
}

int32_t pl_slots_count(const pl_slots *slots) {
  return (int32_t)slots->order.count;
}

void *pl_slots_at(const pl_slots *slots, int32_t index) {
  return PL_ITEM(&slots->slots, slot, PL_ITEM(&slots->order, uint32_t, index)).item;
}

pl_slot_id pl_slots_id_at(const pl_slots *slots, int32_t index) {
  uint32_t number = PL_ITEM(&slots->order, uint32_t, index);
  return (pl_slot_id){number + 1, PL_ITEM(&slots->slots, slot, number).generation};
}
