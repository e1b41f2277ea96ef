// Bodies that come and go between steps: the memory of contact serves again, and results are those of a world that was
// prepared for its bodies from the start.
// ctest: equivalence threads
#include "fixtures/solid_bodies.h"

enum { MAX_BODIES = 200, MAX_CHANGES = 64 };

// Bodies added, and removed by their place among those that are there; so that the same can be done again.
typedef struct change {
  bool removes;
  int32_t index, kind;
  pl_vec3 position;
} change;

typedef struct history {
  change items[MAX_BODIES + MAX_CHANGES];
  int32_t count;
} history;

// Small and large solids, one of which touches itself, and rigid balls.
enum { KINDS = 4 };
typedef struct kinds {
  pl_model *models[KINDS];
} kinds;

static void make_kinds(pl_context *context, kinds *k) {
  pl_error error = {0};
  pl_solid_def solid = pl_default_solid_def();
  k->models[0] = make_box_model(context, (pl_vec3){0.2, 0.2, 0.2}, 2, 2, 2, &solid);
  k->models[1] = make_box_model(context, (pl_vec3){0.3, 0.2, 0.2}, 3, 2, 2, &solid);
  solid.self_contact = true;
  k->models[2] = make_box_model(context, (pl_vec3){0.5, 0.1, 0.2}, 8, 2, 3, &solid);
  pl_rigid_def rigid = pl_default_rigid_def();
  rigid.shape = PL_RIGID_SPHERE;
  rigid.radius = 0.1;
  check_ok(pl_rigid_build(context, &rigid, NULL, &k->models[3], &error), &error);
}

static void drop_kinds(kinds *k) {
  for (int i = 0; i < KINDS; ++i) pl_model_destroy(k->models[i]);
}

static void apply(pl_world *world, const kinds *k, const change *it) {
  if (it->removes) {
    assert_int_equal(pl_world_remove_body(world, pl_world_get_body(world, it->index), NULL), PL_OK);
    return;
  }
  add_body(world, k->models[it->kind], it->position);
}

static void record(history *h, pl_world *world, const kinds *k, change it) {
  apply(world, k, &it);
  h->items[h->count++] = it;
}

// A block of bodies that falls together into a heap.
static pl_vec3 position_of(int32_t i) {
  return (pl_vec3){0.36 * (i % 3), 0.15 + 0.26 * (i / 9), 0.28 * (i / 3 % 3)};
}

static void add_block(history *h, pl_world *world, const kinds *k, int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    record(h, world, k, (change){.kind = i % 9 == 5 ? 2 : i % 4 == 3 ? 3 : i % 2, .position = position_of(i)});
}

// The same bodies in a world that has never stepped, with the state of the other one.
static pl_world *make_copy(pl_context *context, const kinds *k, const history *h, const pl_world *from) {
  pl_error error = {0};
  pl_world *world = make_world(context, 1.0 / 120, -9.81);
  add_ground(world);
  for (int32_t i = 0; i < h->count; ++i) apply(world, k, &h->items[i]);
  size_t size = pl_world_snapshot_size(from);
  void *snapshot = malloc(size);
  pl_world_snapshot(from, snapshot);
  check_ok(pl_world_restore(world, snapshot, size, &error), &error);
  free(snapshot);
  return world;
}

// A block of bodies on the ground.
static pl_world *make_block_world(pl_context *context, kinds *k, history *h, int32_t count) {
  h->count = 0;
  make_kinds(context, k);
  pl_world *world = make_world(context, 1.0 / 120, -9.81);
  add_ground(world);
  add_block(h, world, k, count);
  return world;
}

static void changes_leave_the_bits_of_a_world_prepared_from_the_start(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  kinds k;
  history h;
  pl_world *world = make_block_world(context, &k, &h, 27);
  run_steps(world, 30);
  for (int32_t i = 0; i < 24; ++i) {
    // More come than go, so that arrays are reused and taken again; the only body of a kind comes and goes too.
    change it = {.removes = i % 3 == 2, .index = 5 * i % pl_world_body_count(world), .kind = i % KINDS};
    it.position = (pl_vec3){0.1 + 0.2 * (i % 4), 1.4 + 0.05 * i, 0.2 * (i % 3)};
    record(&h, world, &k, it);
    pl_world *copy = make_copy(context, &k, &h, world);
    for (int step = 0; step < 5; ++step) {
      run_steps(world, 1);
      run_steps(copy, 1);
      assert_true(pl_world_get_hash(world) == pl_world_get_hash(copy));
    }
    pl_world_destroy(copy);
  }
  pl_world_destroy(world);
  drop_kinds(&k);
  drop_context(context);
}

// --- memory

// Bytes that were asked for.
typedef struct counting_allocator {
  int64_t call_count, byte_count;
} counting_allocator;

static void *counting_allocate(void *user, size_t size, size_t alignment) {
  counting_allocator *self = user;
  self->call_count++;
  self->byte_count += (int64_t)size;
  return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void counting_release(void *user, void *block, size_t size) {
  (void)user;
  (void)size;
  free(block);
}

static pl_context *make_counting_context(counting_allocator *allocator) {
  pl_context_def def = pl_default_context_def();
  def.thread_count = 1;
  def.allocator = (pl_allocator){counting_allocate, counting_release, allocator};
  pl_context *context = NULL;
  pl_error error = {0};
  check_ok(pl_context_create(&def, &context, &error), &error);
  return context;
}

// Boxes far from each other.
static pl_vec3 place_apart(int32_t i) {
  return (pl_vec3){0.5 * (i % 16), 0.3, 0.5 * (i / 16)};
}

static void steps_after_a_body_is_replaced_allocate_nothing(void **state) {
  (void)state;
  counting_allocator allocator = {0};
  pl_context *context = make_counting_context(&allocator);
  pl_solid_def solid = pl_default_solid_def();
  pl_model *model = make_box_model(context, (pl_vec3){0.2, 0.2, 0.2}, 2, 2, 2, &solid);
  pl_world *world = make_world(context, 1.0 / 120, -9.81);
  add_ground(world);
  for (int32_t i = 0; i < MAX_BODIES; ++i) add_body(world, model, place_apart(i));
  run_steps(world, 2);
  // The first body that is added may take a reserve.
  add_body(world, model, place_apart(MAX_BODIES));
  run_steps(world, 1);
  for (int32_t i = 0; i < 20; ++i) {
    pl_body_id removed = pl_world_get_body(world, 7 * i % pl_world_body_count(world));
    pl_collider_def collider = pl_default_collider_def(PL_COLLIDER_SPHERE);
    pl_collider_id id;
    assert_int_equal(pl_world_remove_body(world, removed, NULL), PL_OK);
    int64_t before = allocator.call_count;
    run_steps(world, 1);
    assert_int_equal(allocator.call_count, before);
    add_body(world, model, place_apart(MAX_BODIES + i));
    if (i == 0) check_ok(pl_world_add_collider(world, &collider, &id, NULL), NULL);
    before = allocator.call_count;
    run_steps(world, 1);
    if (i > 0) assert_int_equal(allocator.call_count, before);
  }
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void bodies_that_come_one_by_one_rarely_take_memory(void **state) {
  (void)state;
  counting_allocator allocator = {0};
  pl_context *context = make_counting_context(&allocator);
  pl_solid_def solid = pl_default_solid_def();
  pl_model *model = make_box_model(context, (pl_vec3){0.2, 0.2, 0.2}, 2, 2, 2, &solid);
  pl_world *world = make_world(context, 1.0 / 120, -9.81);
  add_ground(world);
  int32_t taking_steps = 0;
  int64_t first_bytes = 0, later_bytes = 0;
  for (int32_t i = 0; i < MAX_BODIES; ++i) {
    add_body(world, model, place_apart(i));
    int64_t calls = allocator.call_count, bytes = allocator.byte_count;
    if (i >= MAX_BODIES / 2) run_steps(world, 1);
    if (i == MAX_BODIES / 2) first_bytes = allocator.byte_count - bytes;
    if (i <= MAX_BODIES / 2) continue;
    taking_steps += allocator.call_count > calls;
    later_bytes += allocator.byte_count - bytes;
  }
  print_message("%d of %d steps took memory, %.1f times that of the first step\n", taking_steps, MAX_BODIES / 2 - 1,
                (double)later_bytes / (double)first_bytes);
  // One in eight is the first to use a task of the loop that moves bodies.
  assert_true(taking_steps < MAX_BODIES / 8);
  assert_true(later_bytes < 8 * first_bytes);
  // A world that has lost most of its bodies gives most of it back.
  int64_t full = pl_context_get_memory_report(context).byte_count;
  while (pl_world_body_count(world) > 4) pl_world_remove_body(world, pl_world_get_body(world, 0), NULL);
  run_steps(world, 1);
  assert_true(pl_context_get_memory_report(context).byte_count < full / 2);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void steps_that_fail_for_memory_leave_the_bits(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  kinds k;
  history h;
  pl_world *world = make_block_world(context, &k, &h, 9);
  run_steps(world, 20);
  for (int32_t i = 0; i < 6; ++i) {
    record(&h, world, &k, (change){.removes = i == 3, .index = 2, .kind = i % KINDS, .position = position_of(20 + i)});
    pl_world *copy = make_copy(context, &k, &h, world);
    int64_t live = allocator.live_count;
    for (int64_t n = 1;; ++n) {
      allocator.call_count = 0, allocator.fail_at = n;
      pl_status status = pl_world_step(world, NULL, NULL);
      allocator.fail_at = 0;
      if (status >= 0) break;
      assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
      assert_true(n < 1000);
    }
    run_steps(copy, 1);
    assert_true(pl_world_get_hash(world) == pl_world_get_hash(copy));
    print_message("%d blocks, then %d\n", (int)live, (int)allocator.live_count);
    pl_world_destroy(copy);
  }
  pl_world_destroy(world);
  drop_kinds(&k);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(changes_leave_the_bits_of_a_world_prepared_from_the_start),
      cmocka_unit_test(steps_after_a_body_is_replaced_allocate_nothing),
      cmocka_unit_test(bodies_that_come_one_by_one_rarely_take_memory),
      cmocka_unit_test(steps_that_fail_for_memory_leave_the_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
