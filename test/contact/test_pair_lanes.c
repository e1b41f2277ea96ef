// Pairs of small bodies are searched eight triangles and edges at a time; large ones by their trees, without any filter
// in single precision. Two moving tori give the same contacts either way, bit for bit: the second time with more points
// than a small body may have, far away, where they touch nothing.
// ctest: unit
#include "base/random.h"
#include "check.h"
#include "contact/contact_intersect.h"
#include "contact/pair_lanes.h"
#include "fixtures/torus_surface.h"

enum { FAR = PL_SURFACE_LANE_POINTS, ALL = POINTS + FAR, ROUNDS = 200, MAX_CONTACTS = 4 * POINTS };

typedef struct large_torus {
  torus model;
  int32_t parents[4 * ALL];
  float weights[4 * ALL];
  pl_vec3 rest[ALL];
  pl_contact_surface surface;
  pl_vec3 starts[2][ALL], positions[2][ALL], velocities[2][ALL];
  double inverse_masses[ALL];
} large_torus;

// Rough, so that many edges are sharp; not so rough that it would cut itself, for then it has no inside.
static void make_large_torus(large_torus *t, pl_random *random) {
  make_torus(&t->model);
  for (int32_t i = 0; i < ALL; ++i) {
    pl_vec3 rough = {pl_random_between(random, -1, 1), pl_random_between(random, -1, 1),
                     pl_random_between(random, -1, 1)};
    t->rest[i] = i < POINTS ? pl_vec3_add_scaled(t->model.points[i], rough, 0.04) : pl_vec3_of(100 + i, 50, 0);
    t->inverse_masses[i] = 1;
    for (int k = 0; k < 4; ++k) t->parents[4 * i + k] = i, t->weights[4 * i + k] = k == 0 ? 1.0f : 0.0f;
  }
  t->surface = t->model.surface;
  t->surface.parents = t->parents, t->surface.weights = t->weights, t->surface.rest_points = t->rest;
}

// Two tori turned at random that touch, in a step in which they move, turn and tremble.
static void place(large_torus *t, pl_random *random) {
  for (int b = 0; b < 2; ++b) {
    double v[12];
    for (int k = 0; k < 12; ++k) v[k] = pl_random_between(random, -1, 1);
    pl_transform start = {pl_vec3_of(1.3 * b + 0.3 * v[0], 0.3 * v[1], 0.3 * v[2]),
                          pl_quat_from_rotation_vector(pl_vec3_of(3 * v[3], 3 * v[4], 3 * v[5]))};
    pl_transform end = {pl_vec3_add_scaled(start.position, pl_vec3_of(v[6], v[7], v[8]), 0.1),
                        pl_quat_multiply(pl_quat_from_rotation_vector(pl_vec3_of(0.1 * v[9], 0.1 * v[10], 0.1 * v[11])),
                                         start.rotation)};
    for (int32_t i = 0; i < ALL; ++i) {
      pl_vec3 far = pl_vec3_add(t->rest[i], pl_vec3_of(0, 0, 1000 * b));
      pl_vec3 tremble = {pl_random_between(random, -1, 1), pl_random_between(random, -1, 1),
                         pl_random_between(random, -1, 1)};
      t->starts[b][i] = i < POINTS ? pl_transform_apply(start, t->rest[i]) : far;
      t->positions[b][i] = i < POINTS ? pl_vec3_add_scaled(pl_transform_apply(end, t->rest[i]), tremble, 0.01) : far;
    }
  }
}

static int32_t detect(pl_context *context, large_torus *t, bool is_large, bool all_edges, pl_contact *found) {
  pl_contact_surface surface = t->surface;
  surface.point_count = surface.particle_count = is_large ? ALL : POINTS;
  pl_contact_body bodies[2];
  for (int b = 0; b < 2; ++b)
    bodies[b] = (pl_contact_body){.surface = &surface,
                                  .starts = t->starts[b],
                                  .positions = t->positions[b],
                                  .velocities = t->velocities[b],
                                  .inverse_masses = t->inverse_masses,
                                  .radius = 0.002,
                                  .all_edges = all_edges};
  pl_contact_solver *solver;
  pl_error error = {0};
  check_ok(pl_contact_solver_create(context, &solver, &error), &error);
  check_ok(pl_contact_solver_prepare(solver, bodies, 2, NULL, 0, &error), &error);
  pl_contact_step step = {.step = 1.0 / 240, .rounds = 8, .gravity = {0, -9.81, 0}};
  const pl_contact *contacts;
  int32_t count = 0;
  check_ok(pl_contact_solver_detect(solver, bodies, 2, NULL, 0, &step, &contacts, &count, &error), &error);
  assert_true(count <= MAX_CONTACTS);
  memcpy(found, contacts, (size_t)count * sizeof *found);
  pl_contact_solver_destroy(solver);
  return count;
}

static void check_same_side(const pl_contact_side *a, const pl_contact_side *b) {
  assert_int_equal(a->body, b->body);
  assert_int_equal(a->count, b->count);
  for (int32_t k = 0; k < a->count; ++k) {
    assert_int_equal(a->points[k], b->points[k]);
    check_near(a->weights[k], b->weights[k], 0);
  }
}

static void small_and_large_bodies_find_the_same_contacts(void **state) {
  (void)state;
  static large_torus t;
  static pl_contact small[MAX_CONTACTS], large[MAX_CONTACTS];
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(21);
  make_large_torus(&t, &random);
  int32_t points = 0, edges = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    place(&t, &random);
    bool all_edges = round % 2 == 1;
    int32_t count = detect(context, &t, false, all_edges, small);
    assert_int_equal(detect(context, &t, true, all_edges, large), count);
    for (int32_t i = 0; i < count; ++i) {
      check_same_side(&small[i].a, &large[i].a);
      check_same_side(&small[i].b, &large[i].b);
      check_near(pl_vec3_distance(small[i].normal, large[i].normal), 0, 0);
      check_near(small[i].depth, large[i].depth, 0);
      check_near(small[i].start_gap, large[i].start_gap, 0);
      edges += small[i].a.count == 2;
      points += small[i].a.count == 1;
    }
  }
  print_message("%d contacts of points, %d of edges\n", points, edges);
  assert_true(points > 1000 && edges > 50);
  drop_context(context);
}

// A torus in the course of a step, packed by one of the two sets of kernels.
static void pack_torus(pl_arena *arena, const torus *model, const pl_lane_kernels *kernels, pl_surface_tree *tree,
                       pl_surface_motion *motion) {
  pl_error error = {0};
  check_ok(pl_surface_tree_build(arena, &model->surface, model->points, tree, &error), &error);
  assert_true(pl_surface_motion_take(arena, tree, motion) && pl_lane_surface_take(arena, motion, NULL));
  pl_random random = pl_random_of_seed(4);
  motion->start_box = motion->end_box = pl_box_empty();
  for (int32_t i = 0; i < POINTS; ++i) {
    pl_vec3 tremble = {pl_random_between(&random, -1, 1), pl_random_between(&random, -1, 1),
                       pl_random_between(&random, -1, 1)};
    motion->starts[i] = model->points[i];
    motion->ends[i] = pl_vec3_add_scaled(model->points[i], tremble, 0.05);
    pl_box_cover(&motion->start_box, motion->starts[i]);
    pl_box_cover(&motion->end_box, motion->ends[i]);
  }
  pl_surface_motion_fill_lanes(motion);
  kernels->pack_triangles(motion);
  kernels->pack_edges(motion, 0.03f, NULL);
}

// Is some byte of what the ends of an edge have in common 0?
static bool is_inside(const pl_surface_edge *edge, const uint64_t *sides) {
  bool is_inside = false;
  for (int shift = 0; shift < 64; shift += 8)
    is_inside |= (sides[edge->points[0]] & sides[edge->points[1]]) >> shift << 56 == 0;
  return is_inside;
}

// Those beyond a side of every region are left out, the others stay in their order.
static void only_edges_in_a_region_are_packed(void **state) {
  (void)state;
  static torus model;
  static int32_t all[PL_LANE_EDGES];
  uint64_t sides[PL_SURFACE_LANE_POINTS];
  pl_context *context = make_context(1);
  const pl_lane_kernels *kernels[2] = {&pl_lane_kernels_plain, pl_lane_kernels_get()};
  pl_arena arena;
  pl_surface_tree tree;
  pl_surface_motion motion;
  pl_arena_init(&arena, context, 0);
  make_torus(&model);
  pack_torus(&arena, &model, kernels[0], &tree, &motion);
  int32_t all_count = motion.packed->edge_count, kept = 0;
  memcpy(all, motion.packed->edges, (size_t)all_count * sizeof *all);
  pl_random random = pl_random_of_seed(11);
  for (int round = 0; round < 100; ++round) {
    // Two regions, in the first byte and in the last.
    for (int32_t i = 0; i < POINTS; ++i) {
      uint64_t first = (uint64_t)pl_random_between(&random, 0, 128),
               last = (uint64_t)pl_random_between(&random, 0, 128);
      sides[i] = (PL_LANE_NO_SIDES ^ 1 ^ UINT64_C(1) << 56) | first | last << 56;
    }
    kernels[round % 2]->pack_edges(&motion, 0.03f, sides);
    int32_t count = 0;
    for (int32_t i = 0; i < all_count; ++i)
      if (is_inside(&tree.edges[all[i]], sides)) assert_int_equal(motion.packed->edges[count++], all[i]);
    assert_int_equal(motion.packed->edge_count, count);
    kept += count;
  }
  assert_true(kept > 100 && kept < 90 * all_count);
  pl_arena_destroy(&arena);
  drop_context(context);
}

// The kernels of both instruction sets list the same.
static void both_instruction_sets_list_the_same(void **state) {
  (void)state;
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) skip();
  static torus model;
  int32_t listed[2][PL_LANE_EDGES], crossed = 0, touched = 0;
  pl_context *context = make_context(1);
  const pl_lane_kernels *kernels[2] = {&pl_lane_kernels_plain, &pl_lane_kernels_avx2};
  pl_arena arena;
  pl_surface_tree trees[2];
  pl_surface_motion motions[2];
  pl_arena_init(&arena, context, 0);
  make_torus(&model);
  for (int k = 0; k < 2; ++k) pack_torus(&arena, &model, kernels[k], &trees[k], &motions[k]);
  assert_int_equal(motions[0].packed->edge_count, motions[1].packed->edge_count);
  pl_random random = pl_random_of_seed(5);
  for (int round = 0; round < 300; ++round) {
    pl_lane_path path = {.reach = 0.02f, .extent = 2};
    pl_lane_position at = {.limit = 0.5f, .extent = 2};
    pl_lane_reach reach = {.limit = 0.05f, .depth = 0.5f, .extent = 2};
    for (int k = 0; k < 3; ++k) {
      path.start[k] = (float)pl_random_between(&random, -1, 1), path.end[k] = path.start[k] + 0.1f;
      at.position[k] = path.end[k];
      reach.start_shift[k] = 0.3f * path.start[k], reach.end_shift[k] = 0.3f * path.end[k];
    }
    int32_t counts[2][3], edge = round % motions[0].packed->edge_count;
    for (int k = 0; k < 2; ++k) {
      counts[k][0] = kernels[k]->list_crossed(motions[k].packed, &path, listed[k]);
      counts[k][1] = kernels[k]->list_nearest(motions[k].packed, &at, listed[k] + counts[k][0]);
      int32_t *edges = listed[k] + counts[k][0] + counts[k][1];
      counts[k][2] = kernels[k]->list_edges(&motions[k], edge, &motions[k], &reach, edges);
    }
    for (int i = 0; i < 3; ++i) assert_int_equal(counts[0][i], counts[1][i]);
    int32_t all = counts[0][0] + counts[0][1] + counts[0][2];
    assert_memory_equal(listed[0], listed[1], (size_t)all * sizeof(int32_t));
    crossed += counts[0][0];
    touched += counts[0][2];
  }
  assert_true(crossed > 0 && touched > 0);
  pl_arena_destroy(&arena);
  drop_context(context);
#else
  skip();
#endif
}

// Where two tori overlap, and all triangles of the second there.
typedef struct pierced_search {
  pl_lane_points points[2];
  pl_lane_pierced pierced;
  float extent;
} pierced_search;

static const double TOLERANCE = 0.002;

static void begin_search(const large_torus *t, const pl_lane_kernels *kernels, const pl_lane_overlap *overlap,
                         pierced_search *s) {
  for (int b = 0; b < 2; ++b) kernels->place_points(t->positions[b], POINTS, overlap, &s->points[b]);
  s->extent = 2 * fmaxf(s->points[0].extent, s->points[1].extent);
  for (int b = 0; b < 2; ++b)
    kernels->clip_points(&s->points[b], s->points[1 - b].low - 1e-6f * s->extent,
                         s->points[1 - b].high + 1e-6f * s->extent);
  s->pierced.count = 0;
  for (int32_t k = 0; k < t->surface.triangle_count && s->pierced.count < PL_LANE_PIERCED; ++k) {
    const int32_t *c = &t->surface.triangles[3 * k], *codes = s->points[1].codes;
    if ((codes[c[0]] & codes[c[1]] & codes[c[2]]) == 0) s->pierced.triangles[s->pierced.count++] = k;
  }
  kernels->pack_pierced(&s->points[1], t->surface.triangles, (float)TOLERANCE, s->extent, &s->pierced);
}

// Every edge that passes through a triangle, by brute force, is listed, by either instruction set alike, and little
// else.
static void edges_that_pass_through_triangles_are_listed(void **state) {
  (void)state;
  static large_torus t;
  static pierced_search searches[2];
  pl_random random = pl_random_of_seed(8);
  const pl_lane_kernels *kernels[2] = {&pl_lane_kernels_plain, pl_lane_kernels_get()};
  make_large_torus(&t, &random);
  int32_t through = 0, listed = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    place(&t, &random);
    pl_box boxes[2] = {pl_box_empty(), pl_box_empty()};
    for (int32_t i = 0; i < 2 * POINTS; ++i) pl_box_cover(&boxes[i % 2], t.positions[i % 2][i / 2]);
    pl_vec3 min = pl_vec3_max(boxes[0].min, boxes[1].min), max = pl_vec3_min(boxes[0].max, boxes[1].max);
    pl_vec3 origin = pl_vec3_lerp(min, max, 0.5), low = pl_vec3_sub(min, origin), high = pl_vec3_sub(max, origin);
    pl_lane_overlap overlap = {.origin = origin,
                               .min = {(float)low.x, (float)low.y, (float)low.z},
                               .max = {(float)high.x, (float)high.y, (float)high.z},
                               .normal = {0.6f, 0, 0.8f}};
    for (int k = 0; k < 2; ++k) begin_search(&t, kernels[k], &overlap, &searches[k]);
    // As far as there is room.
    const pl_lane_pierced *pierced = &searches[0].pierced;
    int32_t end = pierced->count < PL_LANE_PIERCED ? TRIANGLES : pierced->triangles[PL_LANE_PIERCED - 1] + 1;
    for (int32_t e = 0; e < 3 * t.surface.triangle_count; ++e) {
      int32_t from = t.surface.triangles[e], to = t.surface.triangles[e % 3 == 2 ? e - 2 : e + 1];
      int32_t list[2][PL_LANE_PIERCED], counts[2] = {0, 0}, found = 0;
      for (int k = 0; k < 2; ++k) {
        const pl_lane_points *mine = &searches[k].points[0];
        if ((mine->codes[from] & mine->codes[to]) != 0) continue;
        counts[k] = kernels[k]->list_pierced(&searches[k].pierced, mine->places[from], mine->places[to],
                                             searches[k].extent, false, list[k]);
      }
      assert_int_equal(counts[0], counts[1]);
      assert_memory_equal(list[0], list[1], (size_t)counts[0] * sizeof(int32_t));
      for (int32_t k = 0; k < end; ++k) {
        pl_vec3 c[3], position;
        for (int i = 0; i < 3; ++i) c[i] = t.positions[1][t.surface.triangles[3 * k + i]];
        if (!pl_contact_pierces(t.positions[0][from], t.positions[0][to], c, TOLERANCE, &position)) continue;
        while (found < counts[0] && list[0][found] < k) ++found;
        assert_true(found < counts[0] && list[0][found] == k);
        through++;
      }
      listed += counts[0];
    }
  }
  print_message("%d edges pass through triangles, %d listed\n", through, listed);
  assert_true(through > 1000 && listed < 1.25 * through);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_and_large_bodies_find_the_same_contacts),
      cmocka_unit_test(only_edges_in_a_region_are_packed),
      cmocka_unit_test(both_instruction_sets_list_the_same),
      cmocka_unit_test(edges_that_pass_through_triangles_are_listed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
