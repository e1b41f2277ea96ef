// The contacts that a point, or a block of edges, keeps: a few slots, of which the most urgent stay, whatever the order
// in which they come.
#include <string.h>

#include "contact/contact_solver.h"

// What a contact touches, as an order: edges, then bodies, colliders and corners.
static int compare_touched(const pl_contact *a, const pl_contact *b) {
  for (int k = 0; k < 2; ++k)
    if (a->a.points[k] != b->a.points[k]) return a->a.points[k] < b->a.points[k] ? -1 : 1;
  if (a->b.body != b->b.body) return a->b.body < b->b.body ? -1 : 1;
  if (a->collider != b->collider) return a->collider < b->collider ? -1 : 1;
  for (int k = 0; k < 3; ++k)
    if (a->b.points[k] != b->b.points[k]) return a->b.points[k] < b->b.points[k] ? -1 : 1;
  return 0;
}

// Which of two is dispensable first; never a tie between different things.
bool pl_contact_is_less_urgent(const pl_contact *a, const pl_contact *b) {
  return a->depth != b->depth ? a->depth < b->depth : compare_touched(a, b) > 0;
}

static void add_contact(pl_contact_slots slots, const pl_contact *contact) {
  if (*slots.count < PL_CONTACTS_PER_POINT) {
    slots.items[(*slots.count)++] = *contact;
    return;
  }
  int32_t spare = 0;
  for (int32_t i = 1; i < PL_CONTACTS_PER_POINT; ++i)
    if (pl_contact_is_less_urgent(&slots.items[i], &slots.items[spare])) spare = i;
  if (pl_contact_is_less_urgent(&slots.items[spare], contact)) slots.items[spare] = *contact;
}

// Which contacts are kept does not depend on the order in which they come.
void pl_contact_slots_add(pl_contact_slots slots, const pl_contact *contact) {
  while (slots.lock != NULL && atomic_flag_test_and_set_explicit(slots.lock, memory_order_acquire)) continue;
  add_contact(slots, contact);
  if (slots.lock != NULL) atomic_flag_clear_explicit(slots.lock, memory_order_release);
}

void pl_contact_slots_sort(pl_contact *items, int32_t count) {
  for (int32_t i = 1; i < count; ++i) {
    pl_contact item = items[i];
    int32_t to = i;
    for (; to > 0 && compare_touched(&items[to - 1], &item) > 0; --to) items[to] = items[to - 1];
    items[to] = item;
  }
}

void pl_contact_edge_slots_add(const pl_contact_memory *memory, int32_t block, const pl_contact *contact) {
  int32_t *count = &memory->edge_blocks[block].contact_count;
  size_t point_slots = (size_t)memory->point_start[memory->body_count] * PL_CONTACTS_PER_POINT;
  pl_contact *slots = &memory->contacts[point_slots + (size_t)block * PL_CONTACT_EDGE_SLOTS];
  if (*count < PL_CONTACT_EDGE_SLOTS) {
    slots[(*count)++] = *contact;
    return;
  }
  int32_t spare = 0;
  for (int32_t i = 1; i < PL_CONTACT_EDGE_SLOTS; ++i)
    if (pl_contact_is_less_urgent(&slots[i], &slots[spare])) spare = i;
  if (pl_contact_is_less_urgent(&slots[spare], contact)) slots[spare] = *contact;
}

int32_t pl_contact_pack_edges(pl_contact_memory *memory, int32_t edge_block_count, int32_t count) {
  size_t point_slots = (size_t)memory->point_start[memory->body_count] * PL_CONTACTS_PER_POINT;
  for (int32_t i = 0; i < edge_block_count; ++i) {
    int32_t b = memory->listed_edge_blocks[i], found = memory->edge_blocks[b].contact_count;
    pl_contact *from = &memory->contacts[point_slots + (size_t)b * PL_CONTACT_EDGE_SLOTS];
    if (found == 0) continue;
    pl_contact_slots_sort(from, found);
    memmove(&memory->contacts[count], from, (size_t)found * sizeof(pl_contact));
    pl_contact_presence *presence = &memory->presences[memory->edge_blocks[b].body];
    if (presence->edge_contact_count == 0) presence->first_edge_contact = count;
    presence->edge_contact_count += found;
    count += found;
  }
  return count;
}

void pl_contact_sort_points(pl_contact_memory *memory, int32_t body) {
  bool any = false;
  for (int32_t p = memory->point_start[body]; p < memory->point_start[body + 1]; ++p) {
    any = any || memory->contact_counts[p] > 0;
    if (memory->contact_counts[p] > 1)
      pl_contact_slots_sort(&memory->contacts[(size_t)p * PL_CONTACTS_PER_POINT], memory->contact_counts[p]);
  }
  memory->presences[body].has_contacts = any;
}

int32_t pl_contact_pack_points(pl_contact_memory *memory) {
  int32_t count = 0;
  for (int32_t body = 0; body < memory->body_count; ++body) {
    if (!memory->presences[body].is_searched || !memory->presences[body].has_contacts) continue;
    for (int32_t p = memory->point_start[body]; p < memory->point_start[body + 1]; ++p) {
      pl_contact *from = &memory->contacts[(size_t)p * PL_CONTACTS_PER_POINT];
      int32_t found = memory->contact_counts[p];
      if (found == 0) continue;
      memmove(&memory->contacts[count], from, (size_t)found * sizeof(pl_contact));
      count += found;
    }
  }
  return count;
}
