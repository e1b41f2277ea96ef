// Pairs, islands and colours of random contacts, against brute force.
// ctest: unit
#include "base/random.h"
#include "check.h"
#include "contact/contact_islands.h"

enum { BODIES = 200, CONTACTS = 900, JOINTS = 20 };

static pl_contact contacts[CONTACTS];
static pl_contact_joint joints[JOINTS];

// Groups of 20 bodies: contacts never leave a group, so no island is larger.
static void make_contacts(uint64_t seed) {
  pl_random random = pl_random_of_seed(seed);
  memset(contacts, 0, sizeof contacts);
  memset(joints, 0, sizeof joints);
  for (int32_t i = 0; i < CONTACTS; ++i) {
    int32_t group = 20 * (int32_t)pl_random_between(&random, 0, 10);
    int32_t a = group + (int32_t)pl_random_between(&random, 0, 20);
    int32_t b = group + (int32_t)pl_random_between(&random, 0, 20);
    bool is_collider = i % 5 == 0;
    contacts[i].a.body = a;
    contacts[i].b.body = is_collider ? -1 : b;
    contacts[i].collider = is_collider ? 0 : -1;
  }
  for (int32_t i = 0; i < JOINTS; ++i) joints[i].a = 10 * i, joints[i].b = i % 3 == 0 ? -1 : 10 * i + 5;
}

static void join(int32_t *label, int32_t a, int32_t b) {
  if (a < 0 || b < 0 || label[a] == label[b]) return;
  int32_t from = label[a], to = label[b];
  for (int32_t i = 0; i < BODIES; ++i)
    if (label[i] == from) label[i] = to;
}

static void islands_are_what_hangs_together(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_arena arena;
  pl_contact_plan plan;
  pl_arena_init(&arena, context, 0);
  assert_true(pl_contact_plan_take(
      &arena, &plan, &(pl_contact_plan_def){.body_count = BODIES, .contact_count = CONTACTS, .joint_count = JOINTS}));
  for (uint64_t seed = 1; seed < 6; ++seed) {
    make_contacts(seed);
    pl_contact_plan_form(&plan,
                         &(pl_contact_plan_def){BODIES, contacts, CONTACTS, joints, JOINTS, NULL, 0, NULL, 0, NULL});
    static int32_t label[BODIES];
    for (int32_t i = 0; i < BODIES; ++i) label[i] = i;
    for (int32_t i = 0; i < CONTACTS; ++i) join(label, contacts[i].a.body, contacts[i].b.body);
    for (int32_t i = 0; i < JOINTS; ++i) join(label, joints[i].a, joints[i].b);
    assert_true(plan.island_count > 1);
    for (int32_t i = 0; i < BODIES; ++i)
      for (int32_t j = 0; j < i; ++j)
        if (plan.island_of[i] >= 0 && plan.island_of[j] >= 0)
          assert_int_equal(plan.island_of[i] == plan.island_of[j], label[i] == label[j]);
  }
  pl_arena_destroy(&arena);
  drop_context(context);
}

// Every contact is the row of one pair; no two pairs that may be swept at once have a body in common.
static void pairs_of_a_color_share_no_body(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_arena arena;
  pl_contact_plan plan;
  pl_arena_init(&arena, context, 0);
  assert_true(pl_contact_plan_take(
      &arena, &plan, &(pl_contact_plan_def){.body_count = BODIES, .contact_count = CONTACTS, .joint_count = JOINTS}));
  make_contacts(7);
  // One large island as well: a chain through the first hundred bodies.
  for (int32_t i = 0; i < 400; ++i)
    contacts[i] = (pl_contact){.a = {.body = i % 100}, .b = {.body = (i + 1) % 100}, .collider = -1};
  pl_contact_plan_form(&plan,
                       &(pl_contact_plan_def){BODIES, contacts, CONTACTS, joints, JOINTS, NULL, 0, NULL, 0, NULL});
  static bool is_row[CONTACTS];
  memset(is_row, 0, sizeof is_row);
  int32_t joint_count = 0, large_count = 0;
  for (int32_t p = 0; p < plan.pair_count; ++p) {
    const pl_contact_pair *pair = &plan.pairs[p];
    joint_count += pair->joint >= 0;
    for (int32_t r = pair->first_row; r < pair->first_row + pair->count; ++r) {
      const pl_contact *contact = &contacts[plan.row_contacts[r]];
      assert_false(is_row[plan.row_contacts[r]]);
      is_row[plan.row_contacts[r]] = true;
      assert_true(contact->a.body == pair->a || contact->a.body == pair->b);
    }
  }
  assert_int_equal(joint_count, JOINTS);
  for (int32_t i = 0; i < CONTACTS; ++i) assert_true(is_row[i]);
  for (int32_t i = 0; i < plan.phase_count; ++i) {
    int32_t first = plan.tasks[plan.phases[i].first].first, count = 0, used[BODIES] = {0};
    for (int32_t t = plan.phases[i].first; t < plan.phases[i].first + plan.phases[i].count; ++t) {
      assert_int_equal(plan.tasks[t].first, first + count);
      count += plan.tasks[t].count;
    }
    assert_int_equal(first, large_count);
    large_count += count;
    if (plan.pairs[first].color == PL_SERIAL_COLOR) continue;
    for (int32_t p = first; p < first + count; ++p) {
      assert_int_equal(plan.pairs[p].color, plan.pairs[first].color);
      assert_int_equal(used[plan.pairs[p].a]++, 0);
      if (plan.pairs[p].b >= 0) assert_int_equal(used[plan.pairs[p].b]++, 0);
    }
  }
  assert_int_equal(large_count, plan.large_count);
  assert_true(large_count > 0 && plan.small_count > 0);
  // Small islands follow the large ones without a gap, colours in order.
  int32_t next = large_count;
  for (int32_t k = 0; k < plan.small_count; ++k) {
    assert_int_equal(plan.small_islands[k].first, next);
    next += plan.small_islands[k].count;
    for (int32_t p = plan.small_islands[k].first + 1; p < next; ++p)
      assert_true(plan.pairs[p].color >= plan.pairs[p - 1].color);
  }
  assert_int_equal(next, plan.pair_count);
  pl_arena_destroy(&arena);
  drop_context(context);
}

// What each body was visited with, in the order of the visits: pairs of one body are never visited at the same time.
typedef struct body_visits {
  int32_t counts[BODIES];
  const pl_contact_pair *last[BODIES];
} body_visits;

static void note_visit(body_visits *visits, int32_t body, const pl_contact_pair *pair) {
  if (body < 0) return;
  assert_true(visits->last[body] == NULL || visits->last[body] < pair);
  visits->last[body] = pair;
  visits->counts[body]++;
}

static void note_visits(void *data, const pl_contact_pair *pairs, int32_t count) {
  for (int32_t p = 0; p < count; ++p) {
    note_visit(data, pairs[p].a, &pairs[p]);
    note_visit(data, pairs[p].b, &pairs[p]);
  }
}

static void every_pair_is_visited_once_and_in_order(void **state) {
  (void)state;
  for (int threads = 1; threads <= 3; ++threads) {
    pl_context *context = make_context(threads);
    pl_arena arena;
    pl_contact_plan plan;
    static body_visits visits;
    int32_t expected[BODIES] = {0};
    pl_arena_init(&arena, context, 0);
    assert_true(pl_contact_plan_take(
        &arena, &plan, &(pl_contact_plan_def){.body_count = BODIES, .contact_count = CONTACTS, .joint_count = JOINTS}));
    make_contacts(3);
    for (int32_t i = 0; i < CONTACTS / 2; ++i)
      if (contacts[i].b.body >= 0) contacts[i].a.body %= 20, contacts[i].b.body %= 20;
    pl_contact_plan_form(&plan,
                         &(pl_contact_plan_def){BODIES, contacts, CONTACTS, joints, JOINTS, NULL, 0, NULL, 0, NULL});
    memset(&visits, 0, sizeof visits);
    pl_contact_plan_visit(context, &plan, note_visits, &visits);
    for (int32_t p = 0; p < plan.pair_count; ++p) {
      expected[plan.pairs[p].a]++;
      if (plan.pairs[p].b >= 0) expected[plan.pairs[p].b]++;
    }
    for (int32_t i = 0; i < BODIES; ++i) assert_int_equal(visits.counts[i], expected[i]);
    pl_arena_destroy(&arena);
    drop_context(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(islands_are_what_hangs_together),
      cmocka_unit_test(pairs_of_a_color_share_no_body),
      cmocka_unit_test(every_pair_is_visited_once_and_in_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
