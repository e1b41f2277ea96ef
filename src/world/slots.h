// Handles by value: a slot number and the generation of what stands there. A removed item's handle
// never becomes valid again, because its slot's generation has moved on. Slot numbers in handles
// start at 1, so that a zeroed handle is null.
#ifndef PL_WORLD_SLOTS_H
#define PL_WORLD_SLOTS_H

#include "base/vector.h"

typedef struct pl_slots {
  pl_vector slots;  // of slot
  pl_vector order;  // uint32_t slot numbers in the order of adding, removed ones taken out
} pl_slots;

typedef struct pl_slot_id {
  uint32_t slot, generation;
} pl_slot_id;

void pl_slots_init(pl_slots *slots, pl_context *context);
void pl_slots_free(pl_slots *slots);

// Put `item` into a free slot; the id is null when out of memory.
pl_slot_id pl_slots_add(pl_slots *slots, void *item);

// The item of a handle, or NULL when it is null or stale.
void *pl_slots_get(const pl_slots *slots, pl_slot_id id);

// Take the item out and return it, NULL for a stale handle.
void *pl_slots_remove(pl_slots *slots, pl_slot_id id);

int32_t pl_slots_count(const pl_slots *slots);

// Item and handle number `index` in the order of adding.
void *pl_slots_at(const pl_slots *slots, int32_t index);
pl_slot_id pl_slots_id_at(const pl_slots *slots, int32_t index);

#endif
