// Pairs by a hash table, islands by union-find, colours greedily, order by counting: all linear in contacts and bodies,
// and in the order of the contacts, which is that of bodies and points.
#include "contact/contact_islands.h"

#include <string.h>

#include "base/parallel.h"
#include "contact/contact_soft.h"

// An island of at most this many rows is one task; waking other threads for it would take longer.
enum { SMALL_ISLAND_ROWS = 256, JOINT_ROWS = 4 };
// Rows of pairs that are one task, about: some microseconds of a sweep. Eight pairs are swept side by side, and the
// last task of a colour keeps other threads waiting. Pairs of fine bodies have many times as many as those of coarse
// ones.
enum { TASK_ROWS = 512 };
// Large islands with at least this number of pairs are swept by tiles: some hundred bodies.
enum { TILED_PAIRS = 1024 };

bool pl_contact_plan_take(pl_arena *arena, pl_contact_plan *plan, const pl_contact_plan_def *def) {
  int32_t body_count = def->body_count, contact_count = def->contact_count;
  *plan = (pl_contact_plan){.body_capacity = body_count, .contact_capacity = contact_count};
  plan->pair_capacity = contact_count + def->joint_count + def->soft_count;
  plan->table_size = 16;
  while (plan->table_size < 2 * (int64_t)contact_count && plan->table_size < (1 << 29)) plan->table_size *= 2;
  plan->pairs = PL_TAKE_RAW(arena, pl_contact_pair, plan->pair_capacity);
  plan->unsorted = PL_TAKE_RAW(arena, pl_contact_pair, plan->pair_capacity);
  plan->by_color = PL_TAKE_RAW(arena, int32_t, plan->pair_capacity);
  plan->tasks = PL_TAKE_RAW(arena, pl_pair_range, plan->pair_capacity);
  plan->groups = PL_TAKE_RAW(arena, int32_t, plan->pair_capacity);
  plan->group_pairs = PL_TAKE(arena, pl_pair_range, PL_TILES + PL_PAIR_COLORS);
  plan->group_rows = PL_TAKE(arena, int32_t, PL_TILES + PL_PAIR_COLORS);
  plan->places = PL_TAKE(arena, pl_tile_place, body_count);
  plan->is_large = PL_TAKE(arena, bool, body_count);
  plan->small_islands = PL_TAKE(arena, pl_pair_range, body_count);
  plan->bodies = PL_TAKE(arena, int32_t, body_count);
  plan->small_body_start = PL_TAKE(arena, int32_t, body_count + 1);
  plan->island_of = PL_TAKE(arena, int32_t, body_count);
  plan->row_contacts = PL_TAKE_RAW(arena, int32_t, contact_count);
  plan->pair_of = PL_TAKE_RAW(arena, int32_t, contact_count);
  plan->table = PL_TAKE_RAW(arena, int32_t, plan->table_size);
  plan->parents = PL_TAKE(arena, int32_t, body_count);
  plan->used_colors = PL_TAKE(arena, uint64_t, body_count);
  plan->island_rows = PL_TAKE(arena, int32_t, body_count + 2);
  return !arena->failed;
}

static int32_t root_of(int32_t *parents, int32_t body) {
  while (parents[body] != body) {
    parents[body] = parents[parents[body]];
    body = parents[body];
  }
  return body;
}

// The lower number becomes the root, so that islands do not depend on the order of joining.
static void join(int32_t *parents, int32_t a, int32_t b) {
  a = root_of(parents, a), b = root_of(parents, b);
  if (a < b)
    parents[b] = a;
  else
    parents[a] = b;
}

static pl_contact_pair pair_of_contact(const pl_contact *contact) {
  int32_t a = contact->a.body, b = contact->collider >= 0 || contact->b.body == a ? -1 : contact->b.body;
  pl_contact_pair pair = {.a = a, .b = b, .joint = -1, .axis = -1};
  if (b >= 0 && b < a) pair.a = b, pair.b = a;
  return pair;
}

// Number of the pair of two bodies, a new one at its first contact.
static int32_t find_pair(pl_contact_plan *plan, int32_t mask, const pl_contact_pair *pair) {
  uint32_t hash = (uint32_t)pair->a * 0x9E3779B1u ^ (uint32_t)pair->b * 0x85EBCA77u;
  int32_t slot = (int32_t)((hash ^ hash >> 15) & (uint32_t)mask);
  for (;; slot = (slot + 1) & mask) {
    int32_t found = plan->table[slot] - 1;
    if (found < 0) break;
    if (plan->unsorted[found].a == pair->a && plan->unsorted[found].b == pair->b) return found;
  }
  plan->unsorted[plan->pair_count] = *pair;
  plan->table[slot] = ++plan->pair_count;
  return plan->pair_count - 1;
}

static void find_pairs(pl_contact_plan *plan, const pl_contact *contacts, int32_t contact_count) {
  int32_t size = 16, last = -1;
  while (size < 2 * (int64_t)contact_count && size < plan->table_size) size *= 2;
  memset(plan->table, 0, (size_t)size * sizeof(int32_t));
  plan->pair_count = 0;
  for (int32_t i = 0; i < contact_count; ++i) {
    pl_contact_pair pair = pair_of_contact(&contacts[i]);
    // Neighbouring points touch the same body.
    bool is_last = last >= 0 && plan->unsorted[last].a == pair.a && plan->unsorted[last].b == pair.b;
    if (!is_last) last = find_pair(plan, size - 1, &pair);
    plan->pair_of[i] = last;
    plan->unsorted[last].count++;
  }
}

static void add_joints(pl_contact_plan *plan, const pl_contact_joint *joints, int32_t joint_count) {
  for (int32_t i = 0; i < joint_count; ++i) {
    int32_t a = joints[i].a, b = joints[i].b;
    if (a < 0) a = b, b = -1;
    if (a < 0) continue;
    pl_contact_pair pair = {.a = a, .b = a == b ? -1 : b, .joint = i, .axis = -1};
    if (b >= 0 && b < a) pair.a = b, pair.b = a;
    plan->unsorted[plan->pair_count++] = pair;
  }
}

// Contacts of soft bodies are a pair of their own, next to other contacts of the same two bodies.
static void add_soft_pairs(pl_contact_plan *plan, const pl_contact_plan_def *def) {
  for (const pl_soft_pair *pair = def->soft_pairs; pair < def->soft_pairs + def->soft_count; ++pair)
    plan->unsorted[plan->pair_count++] =
        (pl_contact_pair){.a = pair->a, .b = pair->b, .joint = -1, .axis = pair->axis, .count = pair->count};
}

// A body that was resolved at once is an island; one that turned out to touch nothing is none.
static void add_lone(pl_contact_plan *plan, const pl_contact_plan_def *def) {
  for (const pl_lone_body *lone = def->lone; lone < def->lone + def->lone_count; ++lone)
    if (lone->count > 0)
      plan->unsorted[plan->pair_count++] =
          (pl_contact_pair){.a = lone->body, .b = -1, .joint = -1, .axis = -1, .count = lone->count, .is_lone = true};
}

// The lowest colour that neither body has yet.
static int32_t choose_color(pl_contact_plan *plan, const pl_contact_pair *pair) {
  if (pair->b < 0 && pair->joint < 0) return PL_COLLIDER_COLOR;
  uint64_t used = plan->used_colors[pair->a] | (pair->b >= 0 ? plan->used_colors[pair->b] : 0);
  int32_t color = __builtin_ctzll(~used | UINT64_C(1) << PL_SERIAL_COLOR);
  if (color == PL_SERIAL_COLOR) return color;
  plan->used_colors[pair->a] |= UINT64_C(1) << color;
  if (pair->b >= 0) plan->used_colors[pair->b] |= UINT64_C(1) << color;
  return color;
}

// Islands in the order of their first body; an island's rows are counted.
static void find_islands(pl_contact_plan *plan, int32_t body_count) {
  for (int32_t i = 0; i < body_count; ++i) plan->parents[i] = i, plan->island_of[i] = -1, plan->used_colors[i] = 0;
  for (int32_t p = 0; p < plan->pair_count; ++p) {
    int32_t a = plan->unsorted[p].a, b = plan->unsorted[p].b;
    plan->island_of[a] = 0;
    if (b < 0) continue;
    plan->island_of[b] = 0;
    join(plan->parents, a, b);
  }
  plan->island_count = 0;
  // A root has the lowest number of its island, so it comes before the others.
  for (int32_t i = 0; i < body_count; ++i) {
    if (plan->island_of[i] < 0) continue;
    int32_t root = root_of(plan->parents, i);
    plan->island_of[i] = root == i ? plan->island_count++ : plan->island_of[root];
  }
  for (int32_t k = 0; k < plan->island_count; ++k) plan->island_rows[k] = 0;
  for (int32_t p = 0; p < plan->pair_count; ++p) {
    pl_contact_pair *pair = &plan->unsorted[p];
    pair->island = plan->island_of[pair->a];
    pair->color = (int16_t)choose_color(plan, pair);
    // One that was resolved already is small, whatever it has.
    plan->island_rows[pair->island] += pair->joint >= 0 ? JOINT_ROWS : pair->is_lone ? 0 : pair->count;
  }
}

// Pairs by colour, keeping their order within one.
static void sort_by_color(pl_contact_plan *plan) {
  int32_t starts[PL_PAIR_COLORS + 1] = {0};
  for (int32_t p = 0; p < plan->pair_count; ++p) starts[plan->unsorted[p].color + 1]++;
  for (int32_t c = 0; c < PL_PAIR_COLORS; ++c) starts[c + 1] += starts[c];
  for (int32_t p = 0; p < plan->pair_count; ++p) plan->by_color[starts[plan->unsorted[p].color]++] = p;
}

// Where the pairs of each small island begin, after those of all large ones. The rows of islands become these places;
// -1 for a large one.
static void place_islands(pl_contact_plan *plan) {
  plan->large_count = 0;
  for (int32_t k = 0; k < plan->island_count; ++k)
    plan->island_rows[k] = plan->island_rows[k] > SMALL_ISLAND_ROWS ? -1 : 0;
  for (int32_t p = 0; p < plan->pair_count; ++p) {
    int32_t *count = &plan->island_rows[plan->unsorted[p].island];
    if (*count < 0)
      plan->large_count++;
    else
      ++*count;
  }
  plan->small_count = 0;
  int32_t next = plan->large_count;
  for (int32_t k = 0; k < plan->island_count; ++k) {
    int32_t count = plan->island_rows[k];
    if (count < 0) continue;
    plan->small_islands[plan->small_count++] = (pl_pair_range){next, count};
    plan->island_rows[k] = next;
    next += count;
  }
}

// --- phases of large islands

static bool lay_tiles(pl_contact_plan *plan, const pl_contact_plan_def *def, pl_contact_tiles *tiles) {
  if (def->boxes == NULL || plan->large_count < TILED_PAIRS) return false;
  for (int32_t i = 0; i < def->body_count; ++i)
    plan->is_large[i] = plan->island_of[i] >= 0 && plan->island_rows[plan->island_of[i]] < 0;
  if (!pl_contact_tiles_lay(def->boxes, plan->is_large, def->body_count, tiles)) return false;
  for (int32_t i = 0; i < def->body_count; ++i)
    if (plan->is_large[i]) plan->places[i] = pl_contact_tiles_place(tiles, &def->boxes[i]);
  return true;
}

// `tiles` NULL: there are none.
static int32_t group_of(const pl_contact_plan *plan, const pl_contact_tiles *tiles, const pl_contact_pair *pair) {
  int32_t tile = -1;
  if (tiles != NULL && pair->b >= 0 && pair->joint < 0)
    tile = pl_contact_tiles_find(tiles, plan->places[pair->a], plan->places[pair->b]);
  return tile >= 0 ? tile : PL_TILES + pair->color;
}

static int32_t row_count_of(const pl_contact_pair *pair) {
  return pair->joint >= 0 ? JOINT_ROWS : pair->count;
}

static void clear_groups(pl_contact_plan *plan, int32_t first, int32_t count) {
  memset(&plan->group_pairs[first], 0, (size_t)count * sizeof *plan->group_pairs);
  memset(&plan->group_rows[first], 0, (size_t)count * sizeof *plan->group_rows);
}

// The pairs of each group, and their rows.
static void count_groups(pl_contact_plan *plan, const pl_contact_tiles *tiles) {
  // Most worlds have no tiles.
  if (tiles != NULL) clear_groups(plan, 0, tiles->counts[0] * tiles->counts[1]);
  clear_groups(plan, PL_TILES, PL_PAIR_COLORS);
  for (int32_t p = 0; p < plan->pair_count; ++p) {
    const pl_contact_pair *pair = &plan->unsorted[p];
    if (plan->island_rows[pair->island] >= 0) continue;
    int32_t group = group_of(plan, tiles, pair);
    plan->groups[p] = group;
    plan->group_pairs[group].count++;
    plan->group_rows[group] += row_count_of(pair);
  }
}

// How many pairs of a colour are one task.
static int32_t grain_of(const pl_contact_plan *plan, int32_t color) {
  int32_t count = plan->group_pairs[PL_TILES + color].count, rows = plan->group_rows[PL_TILES + color];
  if (color == PL_SERIAL_COLOR) return count;
  int64_t grain = rows > 0 ? (int64_t)TASK_ROWS * count / rows : count;
  return grain > 1 ? (int32_t)grain : 1;
}

// Where pairs and tasks are handed out.
typedef struct phase_cursor {
  int32_t pair, task;
} phase_cursor;

// `grain`: most pairs of a task.
static void add_group(pl_contact_plan *plan, int32_t group, int32_t grain, phase_cursor *c) {
  pl_pair_range *range = &plan->group_pairs[group];
  range->first = c->pair;
  for (int32_t i = 0; i < range->count; i += grain)
    plan->tasks[c->task++] = (pl_pair_range){c->pair + i, range->count - i < grain ? range->count - i : grain};
  c->pair += range->count;
}

static void end_phase(pl_contact_plan *plan, int32_t first_task, const phase_cursor *c) {
  if (c->task > first_task) plan->phases[plan->phase_count++] = (pl_pair_range){first_task, c->task - first_task};
}

static void form_phases(pl_contact_plan *plan, const pl_contact_tiles *tiles) {
  int32_t tile_count = tiles != NULL ? tiles->counts[0] * tiles->counts[1] : 0, first;
  phase_cursor c = {0, 0};
  plan->phase_count = 0;
  for (int phase = 0; phase < PL_TILE_PHASES; ++phase) {
    first = c.task;
    for (int32_t t = 0; t < tile_count; ++t)
      if (pl_contact_tiles_phase(tiles, t) == phase) add_group(plan, t, plan->pair_count, &c);
    end_phase(plan, first, &c);
  }
  for (int32_t color = 0; color < PL_PAIR_COLORS; ++color) {
    first = c.task;
    add_group(plan, PL_TILES + color, grain_of(plan, color), &c);
    end_phase(plan, first, &c);
  }
}

// `pairs` from `unsorted`: large islands first, together, and small ones each on its own.
static void sort_pairs(pl_contact_plan *plan, const pl_contact_plan_def *def) {
  pl_contact_tiles tiles;
  sort_by_color(plan);
  place_islands(plan);
  const pl_contact_tiles *grid = lay_tiles(plan, def, &tiles) ? &tiles : NULL;
  count_groups(plan, grid);
  form_phases(plan, grid);
  for (int32_t i = 0; i < plan->pair_count; ++i) {
    int32_t p = plan->by_color[i];
    const pl_contact_pair *pair = &plan->unsorted[p];
    int32_t *next = &plan->island_rows[pair->island];
    pl_contact_pair *to = &plan->pairs[*next < 0 ? plan->group_pairs[plan->groups[p]].first++ : (*next)++];
    *to = *pair;
    // Rows are numbered below; until then this says which pair of `unsorted` it was.
    to->first_row = p;
  }
}

static int32_t lone_pair_count(const pl_contact_plan_def *def) {
  int32_t count = 0;
  for (int32_t i = 0; i < def->lone_count; ++i) count += def->lone[i].count > 0;
  return count;
}

// Rows in the order of the pairs; within a pair in the order of the contacts.
static void number_rows(pl_contact_plan *plan, const pl_contact_plan_def *def) {
  int32_t contact_count = def->contact_count, first_soft = plan->pair_count - def->soft_count;
  int32_t row = 0, soft_row = 0;
  for (int32_t p = 0; p < plan->pair_count; ++p) {
    pl_contact_pair *pair = &plan->pairs[p];
    int32_t was = pair->first_row, *next = pair->axis < 0 ? &row : &soft_row;
    pair->first_row = *next;
    plan->unsorted[was].first_row = *next;  // cursor
    *next += pair->count;
  }
  for (int32_t i = 0; i < contact_count; ++i) plan->row_contacts[plan->unsorted[plan->pair_of[i]].first_row++] = i;
  int32_t number = first_soft - lone_pair_count(def);
  for (const pl_lone_body *lone = def->lone; lone < def->lone + def->lone_count; ++lone)
    if (lone->count > 0)
      for (int32_t i = 0, to = plan->unsorted[number++].first_row; i < lone->count; ++i)
        plan->row_contacts[to + i] = ~(lone->first + i);
}

// Bodies by island, each in the order of their numbers.
static void sort_bodies(pl_contact_plan *plan, int32_t body_count) {
  int32_t *counts = plan->island_rows, large_count = 0, next = 0;
  for (int32_t k = 0; k < plan->island_count; ++k) counts[k] = counts[k] < 0 ? -1 : 0;
  for (int32_t i = 0; i < body_count; ++i) {
    int32_t island = plan->island_of[i];
    if (island < 0) continue;
    if (counts[island] < 0)
      plan->bodies[large_count++] = i;
    else
      ++counts[island];
  }
  // Small islands are in the order of all.
  next = large_count;
  for (int32_t k = 0, small = 0; k < plan->island_count; ++k) {
    if (counts[k] < 0) continue;
    plan->small_body_start[small++] = next;
    int32_t count = counts[k];
    counts[k] = next;
    next += count;
  }
  plan->small_body_start[plan->small_count] = next;
  for (int32_t i = 0; i < body_count; ++i) {
    int32_t island = plan->island_of[i];
    if (island < 0)
      plan->bodies[next++] = i;
    else if (counts[island] >= 0)
      plan->bodies[counts[island]++] = i;
  }
}

void pl_contact_plan_form(pl_contact_plan *plan, const pl_contact_plan_def *def) {
  find_pairs(plan, def->contacts, def->contact_count);
  add_joints(plan, def->joints, def->joint_count);
  add_lone(plan, def);
  add_soft_pairs(plan, def);
  find_islands(plan, def->body_count);
  sort_pairs(plan, def);
  sort_bodies(plan, def->body_count);
  number_rows(plan, def);
}

typedef struct plan_visit {
  const pl_contact_plan *plan;
  pl_pair_visit *visit;
  void *data;
  int32_t first_task;  // of the phase that is visited
} plan_visit;

static void visit_phase(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const plan_visit *v = data;
  for (int32_t t = v->first_task + begin; t < v->first_task + end; ++t)
    v->visit(v->data, &v->plan->pairs[v->plan->tasks[t].first], v->plan->tasks[t].count);
}

static void visit_islands(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const plan_visit *v = data;
  for (int32_t k = begin; k < end; ++k)
    v->visit(v->data, &v->plan->pairs[v->plan->small_islands[k].first], v->plan->small_islands[k].count);
}

void pl_contact_plan_visit_large(pl_context *context, const pl_contact_plan *plan, pl_pair_visit *visit, void *data) {
  plan_visit v = {.plan = plan, .visit = visit, .data = data};
  for (int32_t i = 0; i < plan->phase_count; ++i) {
    v.first_task = plan->phases[i].first;
    pl_parallel_for(context, plan->phases[i].count, 1, visit_phase, &v);
  }
}

void pl_contact_plan_visit(pl_context *context, const pl_contact_plan *plan, pl_pair_visit *visit, void *data) {
  plan_visit v = {.plan = plan, .visit = visit, .data = data};
  pl_parallel_for(context, plan->small_count, 1, visit_islands, &v);
  pl_contact_plan_visit_large(context, plan, visit, data);
}
