// Tiles of large heaps: pairs of two tiles of a phase share no body, every pair is visited once and in the same order
// for any number of threads, and a heap that is swept by tiles keeps its momentum.
// ctest: unit threads
#include <math.h>

#include "base/random.h"
#include "contact/contact_islands.h"
#include "contact/contact_solver.h"
#include "contact/contact_tiles.h"
#include "fixtures/solid_bodies.h"
#include "world/world_state.h"

enum { BODIES = 900, CONTACTS = 6000 };

static pl_box boxes[BODIES];
static pl_contact contacts[CONTACTS];

// Bodies of different sizes in a flat heap around some place, and contacts of those that are near each other. A few are
// of bodies far away, or with a collider. Returns how many.
static int32_t make_heap(uint64_t seed, pl_vec3 place, pl_vec3 size) {
  pl_random random = pl_random_of_seed(seed);
  for (int32_t i = 0; i < BODIES; ++i) {
    pl_vec3 at = place, half = {pl_random_between(&random, 0.1, 0.2), 0.15, pl_random_between(&random, 0.1, 0.2)};
    at.x += size.x * pl_random_between(&random, 0, 1);
    at.y += size.y * pl_random_between(&random, 0, 1);
    at.z += size.z * pl_random_between(&random, 0, 1);
    boxes[i] = (pl_box){pl_vec3_sub(at, half), pl_vec3_add(at, half)};
  }
  int32_t count = 0;
  for (int32_t i = 0; i < BODIES && count < CONTACTS; ++i)
    for (int32_t j = i + 1; j < BODIES && count < CONTACTS; ++j) {
      bool is_far = (i * 31 + j) % 9973 == 0;
      if (pl_vec3_distance(pl_box_center(boxes[i]), pl_box_center(boxes[j])) > 0.4 && !is_far) continue;
      contacts[count++] = (pl_contact){.a = {.body = i}, .b = {.body = j}, .collider = -1};
    }
  for (int32_t i = 0; i < BODIES && count < CONTACTS; i += 7)
    contacts[count++] = (pl_contact){.a = {.body = i}, .b = {.body = -1}, .collider = 0};
  return count;
}

static void form(pl_arena *arena, pl_contact_plan *plan, int32_t contact_count, const pl_box *around) {
  pl_contact_plan_def def = {
      .body_count = BODIES, .contacts = contacts, .contact_count = contact_count, .boxes = around};
  assert_true(pl_contact_plan_take(arena, plan, &def));
  pl_contact_plan_form(plan, &def);
}

// In any direction of the heap, and far from the origin.
static void tasks_of_a_phase_share_no_body(void **state) {
  (void)state;
  static const pl_vec3 SIZES[] = {{6, 1, 6}, {1, 6, 6}, {6, 6, 1}, {12, 1, 2}};
  pl_context *context = make_context(1);
  for (size_t k = 0; k < sizeof SIZES / sizeof SIZES[0]; ++k) {
    pl_arena arena;
    pl_contact_plan plan;
    pl_arena_init(&arena, context, 0);
    int32_t count = make_heap(k + 1, pl_vec3_of(1000, -3, 50), SIZES[k]), pair_count = 0, tile_pairs = 0;
    form(&arena, &plan, count, boxes);
    assert_true(plan.large_count > 1024);
    for (int32_t s = 0; s < plan.phase_count; ++s) {
      int32_t last[BODIES];
      for (int32_t i = 0; i < BODIES; ++i) last[i] = -1;
      for (int32_t t = plan.phases[s].first; t < plan.phases[s].first + plan.phases[s].count; ++t) {
        assert_int_equal(plan.tasks[t].first, pair_count);
        pair_count += plan.tasks[t].count;
        if (s < PL_TILE_PHASES) tile_pairs += plan.tasks[t].count;
        for (int32_t p = plan.tasks[t].first; p < pair_count; ++p) {
          const int32_t bodies[2] = {plan.pairs[p].a, plan.pairs[p].b};
          for (int i = 0; i < 2; ++i) {
            if (bodies[i] < 0) continue;
            assert_true(last[bodies[i]] < 0 || last[bodies[i]] == t);
            last[bodies[i]] = t;
          }
        }
      }
    }
    assert_int_equal(pair_count, plan.large_count);
    // Nearly all pairs of bodies are in tiles.
    assert_true(tile_pairs > 0.8 * pair_count && tile_pairs < pair_count);
    pl_arena_destroy(&arena);
  }
  drop_context(context);
}

// Few bodies, or bodies that are scattered, have colours alone.
static void tiles_are_for_large_heaps(void **state) {
  (void)state;
  pl_box scattered[3] = {boxes[0], boxes[0], boxes[0]};
  bool all[3] = {true, true, true}, none[3] = {false, false, false};
  pl_contact_tiles tiles;
  assert_false(pl_contact_tiles_lay(scattered, all, 3, &tiles));
  assert_false(pl_contact_tiles_lay(scattered, none, 3, &tiles));
  scattered[1].min.x += 1e9, scattered[1].max.x += 1e9;
  assert_false(pl_contact_tiles_lay(scattered, all, 3, &tiles));
  scattered[1].max.x = HUGE_VAL;
  assert_false(pl_contact_tiles_lay(scattered, all, 3, &tiles));
  scattered[1].max.x = (double)NAN;
  assert_false(pl_contact_tiles_lay(scattered, all, 3, &tiles));
}

// What a body was visited with, in this order.
enum { MAX_VISITS = 128 };
typedef struct visit_list {
  int32_t counts[BODIES], others[BODIES][MAX_VISITS];
} visit_list;

static void note_visit(visit_list *list, int32_t body, int32_t other) {
  if (body >= 0) list->others[body][list->counts[body]++ % MAX_VISITS] = other;
}

static void note_visits(void *data, const pl_contact_pair *pairs, int32_t count) {
  for (int32_t p = 0; p < count; ++p) {
    note_visit(data, pairs[p].a, pairs[p].b);
    note_visit(data, pairs[p].b, pairs[p].a);
  }
}

static void threads_visit_pairs_of_a_body_in_one_order(void **state) {
  (void)state;
  static visit_list lists[4];
  memset(lists, 0, sizeof lists);
  int32_t count = make_heap(9, pl_vec3_of(0, 0, 0), pl_vec3_of(6, 1, 6));
  for (int threads = 1; threads <= 4; ++threads) {
    pl_context *context = make_context(threads);
    pl_arena arena;
    pl_contact_plan plan;
    pl_arena_init(&arena, context, 0);
    form(&arena, &plan, count, boxes);
    pl_contact_plan_visit(context, &plan, note_visits, &lists[threads - 1]);
    assert_memory_equal(&lists[0], &lists[threads - 1], sizeof lists[0]);
    pl_arena_destroy(&arena);
    drop_context(context);
  }
}

// --- whole heaps

enum { SIDE = 15, LAYERS = 3, HEAP = SIDE * SIDE * LAYERS, STEPS = 12 };

typedef struct heap {
  pl_context *context;
  pl_model *model;
  pl_world *world;
  pl_body_id ids[HEAP];
} heap;

// A block of boxes in flight that fly into each other.
static heap make_block(int32_t threads) {
  heap h = {.context = make_context(threads)};
  pl_error error = {0};
  pl_world_def def = pl_default_world_def();
  def.gravity = pl_vec3_of(0, 0, 0);
  pl_solid_def solid = pl_default_solid_def();
  check_ok(pl_world_create(h.context, &def, &h.world, &error), &error);
  h.model = make_box_model(h.context, (pl_vec3){0.2, 0.2, 0.2}, 3, 3, 3, &solid);
  pl_random random = pl_random_of_seed(4);
  for (int32_t i = 0; i < HEAP; ++i) {
    pl_body_def body = pl_default_body_def();
    pl_vec3 cell = {i % SIDE - 7, i / SIDE / SIDE - 1, i / SIDE % SIDE - 7};
    pl_vec3 turn = {pl_random_between(&random, -1, 1), pl_random_between(&random, -1, 1), 0};
    body.model = h.model;
    body.placement = (pl_transform){pl_vec3_scale(cell, 0.19), pl_quat_from_rotation_vector(turn)};
    body.velocity = pl_vec3_of(-0.6 * cell.x, -3 * cell.y + 1, -0.6 * cell.z);
    check_ok(pl_world_add_body(h.world, &body, &h.ids[i], &error), &error);
  }
  return h;
}

static void drop_block(heap *h) {
  pl_world_destroy(h->world);
  pl_model_destroy(h->model);
  drop_context(h->context);
}

static pl_vec3 momentum_of(const heap *h) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t i = 0; i < HEAP; ++i) {
    pl_body_report report = pl_body_get_report(h->world, h->ids[i]);
    sum = pl_vec3_add(sum, report.momentum);
  }
  return sum;
}

static void a_heap_in_tiles_has_the_same_bits_with_any_threads(void **state) {
  (void)state;
  static pl_vec3 centers[HEAP];
  for (int32_t threads = 1; threads <= 3; ++threads) {
    heap h = make_block(threads);
    bool was_tiled = false;
    pl_vec3 before = momentum_of(&h);
    for (int step = 0; step < STEPS; ++step) {
      pl_error error = {0};
      check_ok(pl_world_step(h.world, NULL, &error), &error);
      const pl_contact_plan *plan = &h.world->contact_solver->memory.plan;
      was_tiled = was_tiled || (plan->phase_count > 0 && plan->large_count > 1024 &&
                                plan->pairs[0].color != plan->pairs[plan->tasks[0].count - 1].color);
    }
    assert_true(was_tiled);
    pl_vec3 after = momentum_of(&h);
    double scale = pl_vec3_length(before);
    printf("%d threads: momentum off by %.2g of itself\n", threads, pl_vec3_distance(before, after) / scale);
    assert_true(pl_vec3_distance(before, after) < 1e-6 * scale);
    for (int32_t i = 0; i < HEAP; ++i) {
      pl_vec3 center = pl_body_get_report(h.world, h.ids[i]).center;
      if (threads == 1) centers[i] = center;
      assert_memory_equal(&centers[i], &center, sizeof center);
    }
    drop_block(&h);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tasks_of_a_phase_share_no_body),
      cmocka_unit_test(tiles_are_for_large_heaps),
      cmocka_unit_test(threads_visit_pairs_of_a_body_in_one_order),
      cmocka_unit_test(a_heap_in_tiles_has_the_same_bits_with_any_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
