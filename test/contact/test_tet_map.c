// The tets of a body: which triangles are near each of them, and which tet a point is in.
// ctest: unit
#include "base/random.h"
#include "body/body_method.h"
#include "contact/pair_lanes.h"
#include "fixtures/solid_bodies.h"
#include "mesh/simplex.h"

enum { PARTICLES = 80, POINTS = 2000, CELLS_X = 4, CELLS_Y = 3, CELLS_Z = 3 };

static pl_model *make_map(pl_context *context) {
  pl_solid_def def = pl_default_solid_def();
  pl_model *model = make_box_model(context, pl_vec3_of(0.4, 0.3, 0.2), CELLS_X, CELLS_Y, CELLS_Z, &def);
  assert_non_null(model->surface.tet_map);
  assert_int_equal(model->surface.particle_count, PARTICLES);
  return model;
}

static double distance_to(const pl_contact_surface *surface, int32_t triangle, pl_vec3 p) {
  const int32_t *c = &surface->triangles[3 * triangle];
  const pl_vec3 *x = surface->rest_points;
  double weights[3];
  return pl_vec3_distance(p, pl_triangle_nearest(x[c[0]], x[c[1]], x[c[2]], p, weights));
}

static void random_weights(pl_random *random, double weights[4]) {
  double sum = 0;
  for (int k = 0; k < 4; ++k) sum += weights[k] = pl_random_between(random, 0.01, 1);
  for (int k = 0; k < 4; ++k) weights[k] /= sum;
}

static pl_vec3 mix(const pl_tet_map *map, const pl_vec3 *positions, int32_t tet, const double weights[4]) {
  pl_vec3 first = positions[pl_tet_map_corner(map, tet, 0)], sum = first;
  for (int k = 1; k < 4; ++k)
    sum = pl_vec3_add_scaled(sum, pl_vec3_sub(positions[pl_tet_map_corner(map, tet, k)], first), weights[k]);
  return sum;
}

// Against a search of all triangles.
static void listed_triangles_are_the_nearest(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = make_map(context);
  const pl_contact_surface *surface = &model->surface;
  const pl_tet_map *map = surface->tet_map;
  pl_random random = pl_random_of_seed(3);
  double worst = 0;
  for (int i = 0; i < POINTS; ++i) {
    double weights[4], listed = HUGE_VAL, nearest = HUGE_VAL;
    int32_t tet = i % map->tet_count;
    random_weights(&random, weights);
    pl_vec3 p = mix(map, map->rest, tet, weights);
    for (int32_t t = 0; t < surface->triangle_count; ++t) nearest = fmin(nearest, distance_to(surface, t, p));
    for (int k = 0; k < PL_TET_TRIANGLES && map->triangles[PL_TET_TRIANGLES * tet + k] >= 0; ++k)
      listed = fmin(listed, distance_to(surface, map->triangles[PL_TET_TRIANGLES * tet + k], p));
    worst = fmax(worst, listed - nearest);
  }
  print_message("no farther than the nearest triangle by %.2g m\n", worst);
  assert_true(worst < 0.005);
  pl_model_destroy(model);
  drop_context(context);
}

// Faces of tets on the surface are as many as its triangles; the middle is half the smallest side deep.
static void faces_and_depth_are_those_of_the_box(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = make_map(context);
  const pl_tet_map *map = model->surface.tet_map;
  int32_t count = 0;
  for (int32_t t = 0; t < map->tet_count; ++t)
    for (int k = 0; k < 4; ++k) count += map->faces[32 * (t / 8) + 8 * k + t % 8] == 1.0f;
  assert_int_equal(count, model->surface.triangle_count);
  // A face of a box is flat.
  for (int32_t t = 0; t < model->surface.triangle_count; ++t) assert_true(map->is_level[t]);
  assert_true(map->depth > 0.09 && map->depth <= 0.1 + 1e-12);
  pl_model_destroy(model);
  drop_context(context);
}

typedef struct packed_box {
  pl_vec3 positions[PARTICLES];
  pl_lane_tets tets;
} packed_box;

// The box, sheared, stretched and far away.
static void pack_box(const pl_tet_map *map, const pl_lane_kernels *kernels, pl_arena *arena, packed_box *box) {
  pl_vec3 far = {5, -3, 1000};
  for (int32_t i = 0; i < PARTICLES; ++i) {
    pl_vec3 r = map->rest[i];
    box->positions[i] =
        pl_vec3_add(far, pl_vec3_of(1.3 * r.x + 0.4 * r.y, 0.5 * r.y - 0.3 * r.z, r.z + 0.2 * r.x * r.x));
  }
  assert_true(pl_lane_tets_take(arena, map->block_count, &box->tets));
  box->tets.origin = far;
  kernels->pack_tets(map, box->positions, PARTICLES, &box->tets);
}

// Look up some positions, at most eight.
static pl_lane_lookup find(const pl_tet_map *map, const pl_lane_kernels *kernels, const packed_box *box,
                           const pl_vec3 *positions, int32_t count) {
  pl_lane_lookup lookup = {.count = count, .limit = 1e-3f};
  for (int i = 0; i < 8; ++i) {
    pl_vec3 r = pl_vec3_sub(positions[i < count ? i : 0], box->tets.origin);
    lookup.positions[0][i] = (float)r.x, lookup.positions[1][i] = (float)r.y, lookup.positions[2][i] = (float)r.z;
  }
  kernels->find_tets(map, &box->tets, &lookup);
  return lookup;
}

static int32_t find_one(const pl_tet_map *map, const pl_lane_kernels *kernels, const packed_box *box, pl_vec3 p) {
  return find(map, kernels, box, &p, 1).tets[0];
}

// The results of `count` positions are those of each alone, and the same bits on both instruction sets.
static void check_lookup(const pl_tet_map *map, const pl_lane_kernels *const kernels[2], const packed_box boxes[2],
                         const pl_vec3 *positions, int32_t count) {
  pl_lane_lookup all = find(map, kernels[0], &boxes[0], positions, count);
  for (int32_t i = 0; i < count; ++i)
    for (int k = 0; k < 2; ++k) {
      pl_lane_lookup one = find(map, kernels[k], &boxes[k], &positions[i], 1);
      assert_int_equal(one.tets[0], all.tets[i]);
      assert_memory_equal(one.weights[0], all.weights[i], sizeof one.weights[0]);
    }
  for (int32_t i = count; i < 8; ++i) assert_int_equal(all.tets[i], -1);
}

static void a_point_is_found_in_a_tet_around_it(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = make_map(context);
  const pl_tet_map *map = model->surface.tet_map;
  const pl_lane_kernels *kernels[2] = {&pl_lane_kernels_plain, pl_lane_kernels_get()};
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  packed_box boxes[2];
  for (int k = 0; k < 2; ++k) pack_box(map, kernels[k], &arena, &boxes[k]);
  pl_random random = pl_random_of_seed(8);
  for (int i = 0; i < POINTS; ++i) {
    int32_t count = 1 + i % 8;
    pl_vec3 positions[8];
    for (int32_t k = 0; k < count; ++k) {
      double inside[4];
      random_weights(&random, inside);
      positions[k] = mix(map, boxes[0].positions, (i + 31 * k) % map->tet_count, inside);
    }
    check_lookup(map, kernels, boxes, positions, count);
    pl_lane_lookup lookup = find(map, kernels[0], &boxes[0], positions, count);
    for (int32_t k = 0; k < count; ++k) {
      double found[4];
      assert_true(lookup.tets[k] >= 0);
      for (int c = 0; c < 4; ++c) {
        found[c] = (double)lookup.weights[k][c];
        assert_true(found[c] > -1e-4);
      }
      check_near(pl_vec3_distance(mix(map, boxes[0].positions, lookup.tets[k], found), positions[k]), 0, 1e-6);
    }
  }
  // Above a triangle of the surface: within the limit, and beyond.
  const pl_contact_surface *surface = &model->surface;
  for (int32_t t = 0; t < surface->triangle_count; ++t) {
    pl_vec3 c[3];
    for (int k = 0; k < 3; ++k) c[k] = boxes[0].positions[surface->parents[4 * surface->triangles[3 * t + k]]];
    pl_vec3 middle = pl_vec3_scale(pl_vec3_add(pl_vec3_add(c[0], c[1]), c[2]), 1.0 / 3);
    pl_vec3 normal = pl_triangle_normal(c[0], c[1], c[2]);
    assert_true(find_one(map, kernels[0], &boxes[0], pl_vec3_add_scaled(middle, normal, 0.9e-3)) >= 0);
    assert_int_equal(find_one(map, kernels[0], &boxes[0], pl_vec3_add_scaled(middle, normal, 3e-3)), -1);
  }
  pl_arena_destroy(&arena);
  pl_model_destroy(model);
  drop_context(context);
}

// From a position in a box along a direction u, the nearest face in its way: min over axes of (+-half - p) / u.
static void a_ray_leaves_the_box_where_it_should(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = make_map(context);
  const pl_contact_surface *surface = &model->surface;
  const pl_tet_map *map = surface->tet_map;
  pl_vec3 middle = {0, 0, 0};
  for (int32_t i = 0; i < PARTICLES; ++i) middle = pl_vec3_add_scaled(middle, map->rest[i], 1.0 / PARTICLES);
  const double half[3] = {0.2, 0.15, 0.1};
  pl_random random = pl_random_of_seed(5);
  for (int i = 0; i < POINTS; ++i) {
    double p[3], u[3], way = HUGE_VAL, sine = 0;
    for (int k = 0; k < 3; ++k) {
      p[k] = pl_random_between(&random, -0.99, 0.99) * half[k];
      u[k] = pl_random_between(&random, -1, 1);
    }
    double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int k = 0; k < 3; ++k) {
      u[k] /= length;
      double to_face = (copysign(half[k], u[k]) - p[k]) / u[k];
      if (to_face < way) way = to_face, sine = fabs(u[k]);
    }
    // Rays that graze the face go on to the next one.
    if (sine < 0.11) continue;
    pl_vec3 from = pl_vec3_of(p[0], p[1], p[2]), direction = pl_vec3_of(u[0], u[1], u[2]), c[3];
    pl_contact_place place;
    assert_true(pl_tet_map_find_way_out(map, surface, pl_vec3_add(middle, from), direction, &place));
    for (int k = 0; k < 3; ++k) c[k] = surface->rest_points[surface->triangles[3 * place.triangle + k]];
    pl_vec3 at = pl_vec3_scale(c[0], place.weights[0]);
    for (int k = 1; k < 3; ++k) at = pl_vec3_add_scaled(at, c[k], place.weights[k]);
    check_near(pl_vec3_distance(at, pl_vec3_add(middle, pl_vec3_add_scaled(from, direction, way))), 0, 1e-4);
    assert_true(pl_vec3_dot(map->normals[place.triangle], direction) > 0);
  }
  pl_model_destroy(model);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(listed_triangles_are_the_nearest), cmocka_unit_test(faces_and_depth_are_those_of_the_box),
      cmocka_unit_test(a_point_is_found_in_a_tet_around_it), cmocka_unit_test(a_ray_leaves_the_box_where_it_should)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
