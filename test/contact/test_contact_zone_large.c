// Two large surfaces that cut each other: what a look finds, of which most is remembered from the last one, is what
// brute force finds, in the same order; and the filters in single precision list alike with either instruction set.
// ctest: unit
#include <math.h>

#include "base/random.h"
#include "check.h"
#include "contact/contact_solver.h"
#include "contact/contact_zones.h"
#include "contact/pair_lanes.h"
#include "math/lanes.h"

enum { U = 24, V = 30, POINTS = U * V, TRIANGLES = 2 * POINTS, MAX_FOUND = 4096 };

typedef struct ring_body {
  int32_t parents[4 * POINTS], triangles[3 * TRIANGLES];
  float weights[4 * POINTS];
  pl_vec3 rest[POINTS], positions[2][POINTS], velocities[POINTS];
  double inverse_masses[POINTS];
  pl_contact_surface surface;
} ring_body;

static void make_ring(ring_body *r) {
  const double pi = acos(-1.0);
  for (int i = 0; i < U; ++i)
    for (int j = 0; j < V; ++j) {
      double u = 2 * pi * i / U, v = 2 * pi * j / V, thick = 0.35 + 0.05 * cos(3 * u);
      int32_t p = i * V + j, right = (i + 1) % U * V + j, up = i * V + (j + 1) % V,
              both = (i + 1) % U * V + (j + 1) % V;
      r->rest[p] = pl_vec3_of((1 + thick * cos(v)) * cos(u), thick * sin(v), (1 + thick * cos(v)) * sin(u));
      for (int k = 0; k < 4; ++k) r->parents[4 * p + k] = p, r->weights[4 * p + k] = k == 0 ? 1.0f : 0.0f;
      const int32_t two[6] = {p, up, right, right, up, both};
      memcpy(&r->triangles[6 * p], two, sizeof two);
      r->inverse_masses[p] = 1;
      r->velocities[p] = pl_vec3_of(0, 0, 0);
    }
  r->surface = (pl_contact_surface){POINTS, r->parents, r->weights, TRIANGLES, r->triangles, POINTS, r->rest, NULL};
}

static pl_vec3 random_vector(pl_random *random, double size) {
  double x = pl_random_between(random, -size, size), y = pl_random_between(random, -size, size);
  return pl_vec3_of(x, y, pl_random_between(random, -size, size));
}

static void place_ring(ring_body *r, int body, pl_random *random) {
  pl_transform at = {pl_vec3_add(pl_vec3_of(1.2 * body, 100, 0), random_vector(random, 0.4)),
                     pl_quat_from_rotation_vector(random_vector(random, 3))};
  for (int32_t i = 0; i < POINTS; ++i)
    r->positions[body][i] = pl_vec3_add(pl_transform_apply(at, r->rest[i]), random_vector(random, 0.01));
}

// What crosses, by number of the first body, edge and triangle.
typedef struct crossing_list {
  int32_t count;
  int32_t items[MAX_FOUND][3];
} crossing_list;

static void add_item(crossing_list *list, int32_t body, int32_t edge, int32_t triangle) {
  assert_true(list->count < MAX_FOUND);
  int32_t *item = list->items[list->count++];
  item[0] = body, item[1] = edge, item[2] = triangle;
}

static void take_crossing(void *data, const pl_zone_crossing *x) {
  const pl_contact_memory *memory = ((void **)data)[1];
  add_item(((void **)data)[0], x->a, (int32_t)(x->edge - memory->motions[x->a].tree->edges), x->triangle);
}

static void search_all(const pl_contact_memory *memory, bool at_start, double tolerance, crossing_list *list) {
  list->count = 0;
  for (int32_t a = 0; a < 2; ++a) {
    const pl_surface_motion *own = &memory->motions[a], *other = &memory->motions[1 - a];
    const pl_vec3 *points = at_start ? own->starts : own->ends;
    for (int32_t e = 0; e < own->tree->edge_count; ++e)
      for (int32_t t = 0; t < TRIANGLES; ++t) {
        int32_t edge = own->tree->edge_order[e], triangle = other->tree->boxes.order[t];
        const int32_t *ends = own->tree->edges[edge].points;
        pl_vec3 c[3], position;
        pl_surface_corners(other->tree, at_start ? other->starts : other->ends, triangle, c);
        if (pl_contact_pierces(points[ends[0]], points[ends[1]], c, tolerance, &position))
          add_item(list, a, edge, triangle);
      }
  }
}

// Put some points of a body elsewhere, or all, as a round does that parts what crosses.
static void move_points(pl_contact_memory *memory, int32_t body, double fraction, pl_random *random) {
  pl_contact_zones *z = &memory->zones;
  pl_surface_motion *motion = &memory->motions[body];
  bool *moved = &z->is_moved[memory->point_start[body]];
  z->moved_since[body] = z->placings[body]++;
  motion->end_box = z->moved_boxes[body] = pl_box_empty();
  for (int32_t i = 0; i < POINTS; ++i) {
    moved[i] = pl_random_between(random, 0, 1) < fraction;
    if (moved[i]) motion->ends[i] = pl_vec3_add(motion->ends[i], random_vector(random, 0.03));
    pl_box_cover(&motion->end_box, motion->ends[i]);
  }
  for (int32_t t = 0; t < TRIANGLES; ++t) {
    const int32_t *c = &motion->tree->surface->triangles[3 * t];
    for (int k = 0; k < 3 && (moved[c[0]] || moved[c[1]] || moved[c[2]]); ++k)
      pl_box_cover(&z->moved_boxes[body], motion->ends[c[k]]);
  }
  atomic_store(&z->has_shapes[2 * body], false);
}

static void begin_step(pl_contact_memory *memory, const ring_body *r) {
  pl_contact_zones *z = &memory->zones;
  for (int32_t b = 0; b < 2; ++b) {
    pl_surface_motion *motion = &memory->motions[b];
    motion->start_box = motion->end_box = pl_box_empty();
    for (int32_t i = 0; i < POINTS; ++i) {
      motion->starts[i] = motion->ends[i] = r->positions[b][i];
      pl_box_cover(&motion->end_box, motion->ends[i]);
    }
    motion->start_box = motion->end_box;
    z->placings[b] = z->moved_since[b] = 0;
    for (int k = 0; k < PL_ZONE_RECORDS; ++k) z->records[b][k].is_used = false;
    for (int32_t k = 0; k < 2; ++k) atomic_store(&z->has_shapes[2 * b + k], false);
  }
}

static void check_found(const pl_contact_memory *memory, bool at_start, int64_t *total) {
  static crossing_list found, all;
  void *data[2] = {&found, (void *)memory};
  pl_zone_check check = {.memory = memory, .a = 0, .b = 1, .at_start = at_start, .tolerance = 0.002};
  search_all(memory, at_start, check.tolerance, &all);
  assert_true(pl_zone_check_run(&check) == (all.count > 0));
  found.count = 0;
  check.visit = take_crossing;
  check.data = data;
  assert_true(pl_zone_check_run(&check) == (all.count > 0));
  assert_int_equal(found.count, all.count);
  assert_memory_equal(found.items, all.items, (size_t)all.count * sizeof all.items[0]);
  *total += all.count;
}

static pl_contact_solver *prepare(pl_context *context, const ring_body *r) {
  pl_contact_body bodies[2];
  for (int b = 0; b < 2; ++b)
    bodies[b] = (pl_contact_body){.surface = &r->surface,
                                  .starts = r->positions[b],
                                  .positions = (pl_vec3 *)r->positions[b],
                                  .velocities = (pl_vec3 *)r->velocities,
                                  .inverse_masses = r->inverse_masses};
  pl_contact_solver *solver;
  pl_error error = {0};
  check_ok(pl_contact_solver_create(context, &solver, &error), &error);
  check_ok(pl_contact_solver_prepare(solver, bodies, 2, NULL, 0, &error), &error);
  return solver;
}

static void looks_find_what_brute_force_finds(void **state) {
  (void)state;
  static ring_body r;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(3);
  make_ring(&r);
  pl_contact_solver *solver = prepare(context, &r);
  pl_contact_memory *memory = &solver->memory;
  assert_int_equal(memory->motions[0].lane_block_count, 0);
  int64_t total = 0;
  for (int round = 0; round < 5; ++round) {
    for (int b = 0; b < 2; ++b) place_ring(&r, b, &random);
    begin_step(memory, &r);
    check_found(memory, true, &total);
    check_found(memory, false, &total);
    for (int turn = 0; turn < 5; ++turn) {
      // The one, the other, both, all of one; and once between two looks, so that nothing is known.
      if (turn != 1) move_points(memory, 0, turn == 3 ? 1 : 0.05, &random);
      if (turn == 1 || turn == 2) move_points(memory, 1, 0.1, &random);
      if (turn == 4) move_points(memory, 0, 0.05, &random);
      check_found(memory, false, &total);
    }
  }
  print_message("%lld crossings\n", (long long)total);
  assert_true(total > 4000);
  pl_contact_solver_destroy(solver);
  drop_context(context);
}

static void both_instruction_sets_list_the_same(void **state) {
  (void)state;
  static ring_body r;
  static pl_lane_passing lists[2][PL_LANE_PASSING];
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(4);
  const pl_lane_kernels *kernels[2] = {&pl_lane_kernels_plain, pl_lane_kernels_get()};
  make_ring(&r);
  pl_contact_solver *solver = prepare(context, &r);
  const pl_surface_tree *tree = solver->memory.motions[0].tree;
  pl_lane_shape shapes[2][2];
  for (int k = 0; k < 4; ++k) assert_true(pl_lane_shape_take(&solver->memory.arena, tree, &shapes[k / 2][k % 2]));
  int64_t total = 0;
  for (int round = 0; round < 10; ++round) {
    bool moved[POINTS];
    for (int32_t i = 0; i < POINTS; ++i) moved[i] = pl_random_between(&random, 0, 1) < 0.3;
    for (int b = 0; b < 2; ++b) {
      place_ring(&r, b, &random);
      for (int k = 0; k < 2; ++k) {
        shapes[k][b].origin = r.positions[b][0];
        kernels[k]->fit_shape(tree, r.positions[b], moved, &shapes[k][b]);
      }
    }
    pl_lane_asking asking = {.tolerance = 0.002f, .error = 1e-6f, .asks_all = 0x00F0F0F0};
    pl_vec3 shift = pl_vec3_sub(shapes[0][0].origin, shapes[0][1].origin);
    asking.shift[0] = (float)shift.x, asking.shift[1] = (float)shift.y, asking.shift[2] = (float)shift.z;
    asking.slab = (pl_lane_slab){{-9, -9, -9}, {9, 9, 9}, {0.6f, 0, 0.8f}, -1, 1};
    for (int32_t first = 0; first + PL_LANE_ASKING <= tree->edge_count; first += PL_LANE_ASKING) {
      asking.count = PL_LANE_ASKING;
      asking.asks = (1u << PL_LANE_ASKING) - 1;
      for (int32_t i = 0; i < PL_LANE_ASKING; ++i)
        for (int k = 0; k < 2; ++k) asking.points[k][i] = tree->edges[tree->edge_order[first + i]].points[k];
      int32_t counts[2], next[2] = {0, 0};
      for (int k = 0; k < 2; ++k) {
        asking.moved = shapes[k][1].moved;
        counts[k] = kernels[k]->list_passed(&shapes[k][0], &asking, tree, &shapes[k][1], &next[k], lists[k]);
      }
      assert_int_equal(counts[0], counts[1]);
      assert_int_equal(next[0], next[1]);
      assert_memory_equal(lists[0], lists[1], (size_t)counts[0] * sizeof lists[0][0]);
      total += counts[0];
    }
    for (int32_t first = 0; first < TRIANGLES / LANES; first += LANES) {
      int bits[2];
      for (int k = 0; k < 2; ++k) bits[k] = kernels[k]->find_met(&shapes[k][0].boxes[6 * first], &asking.slab);
      assert_int_equal(bits[0], bits[1]);
    }
  }
  print_message("%lld listed\n", (long long)total);
  assert_true(total > 300);
  pl_contact_solver_destroy(solver);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(looks_find_what_brute_force_finds),
      cmocka_unit_test(both_instruction_sets_list_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
