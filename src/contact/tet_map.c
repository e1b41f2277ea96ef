// Which triangles may be nearest is found by samples: of corners, edges, faces and the middle of each tet. A triangle
// that no sample finds is hardly nearer than one that a sample does.
#include "contact/tet_map.h"

#include <string.h>

#include "math/lanes.h"
#include "mesh/box_tree.h"
#include "mesh/simplex.h"

// Samples lie this fraction of the way from a tet's middle to its corners and between them.
static const double INSET = 0.9;
// Triangles that are as near as the nearest, as a fraction of the size of the body.
static const double AS_NEAR = 1e-6;
// Triangles whose corners are off each other's planes by less, as the same fraction, are in one plane.
static const double IN_PLANE = 1e-12;

// A ray leaves through triangles that it meets at more than this sine; it meets a triangle up to this far outside, in
// weights of its corners, and this far before its start, as a fraction of the depth.
static const double MIN_SINE = 0.1, BORDER = 1e-3;

// More than a place outside by BORDER is farther away, squared.
static const double AROUND = 1.01;

enum { SAMPLES = 15 };

// Sums of corners of a tet: the corners, the middles of its edges and faces, its middle.
static const int SAMPLE_CORNERS[SAMPLES] = {1, 2, 4, 8, 3, 5, 9, 6, 10, 12, 7, 11, 13, 14, 15};

typedef struct map_build {
  const pl_contact_surface *surface;
  const pl_tet_volume *volume;
  pl_vec3 *centers;  // of the triangles' spheres
  double *radii;
  double size;
} map_build;

static bool is_of_particles(const pl_contact_surface *surface) {
  for (int32_t i = 0; i < surface->point_count; ++i)
    if (surface->weights[4 * (size_t)i] != 1.0f) return false;
  return true;
}

static pl_vec3 sample_of(const map_build *b, const int32_t *tet, int sample) {
  pl_vec3 middle = {0, 0, 0}, sum = {0, 0, 0};
  double count = 0;
  for (int k = 0; k < 4; ++k) {
    middle = pl_vec3_add_scaled(middle, b->volume->rest[tet[k]], 0.25);
    if ((SAMPLE_CORNERS[sample] >> k & 1) == 0) continue;
    sum = pl_vec3_add(sum, b->volume->rest[tet[k]]);
    count += 1;
  }
  return pl_vec3_lerp(middle, pl_vec3_scale(sum, 1 / count), INSET);
}

static double distance_to(const map_build *b, int32_t triangle, pl_vec3 p) {
  const int32_t *c = &b->surface->triangles[3 * (size_t)triangle];
  const pl_vec3 *x = b->surface->rest_points;
  double weights[3];
  return pl_vec3_distance(p, pl_triangle_nearest(x[c[0]], x[c[1]], x[c[2]], p, weights));
}

// Count the triangles that are nearest to a sample. Returns how far they are.
static double vote(const map_build *b, pl_vec3 p, double *distances, int32_t *votes) {
  double nearest = HUGE_VAL;
  for (int32_t t = 0; t < b->surface->triangle_count; ++t) {
    distances[t] = HUGE_VAL;
    if (pl_vec3_distance(p, b->centers[t]) - b->radii[t] > nearest + AS_NEAR * b->size) continue;
    distances[t] = distance_to(b, t, p);
    nearest = distances[t] < nearest ? distances[t] : nearest;
  }
  for (int32_t t = 0; t < b->surface->triangle_count; ++t) votes[t] += distances[t] <= nearest + AS_NEAR * b->size;
  return nearest;
}

// The triangles with most votes; among equals the lowest.
static void elect(int32_t *votes, int32_t count, int32_t triangles[PL_TET_TRIANGLES]) {
  for (int32_t i = 0; i < PL_TET_TRIANGLES; ++i) {
    int32_t best = 0;
    for (int32_t t = 1; t < count; ++t) best = votes[t] > votes[best] ? t : best;
    triangles[i] = votes[best] > 0 ? best : -1;
    votes[best] = 0;
  }
}

static bool has_particle(const pl_contact_surface *surface, int32_t triangle, int32_t particle) {
  for (int k = 0; k < 3; ++k)
    if (surface->parents[4 * (size_t)surface->triangles[3 * (size_t)triangle + (size_t)k]] == particle) return true;
  return false;
}

// Is the face opposite to corner k one of the triangles listed for the tet?
static bool is_on_surface(const map_build *b, const int32_t *tet, int k, const int32_t triangles[PL_TET_TRIANGLES]) {
  for (int32_t i = 0; i < PL_TET_TRIANGLES && triangles[i] >= 0; ++i) {
    int held = 0;
    for (int j = 0; j < 4; ++j) held += j != k && has_particle(b->surface, triangles[i], tet[j]);
    if (held == 3) return true;
  }
  return false;
}

static void measure_triangles(map_build *b, pl_vec3 *normals, double *offsets, double *reaches) {
  pl_box box = pl_box_empty();
  for (int32_t t = 0; t < b->surface->triangle_count; ++t) {
    const int32_t *c = &b->surface->triangles[3 * (size_t)t];
    const pl_vec3 *x = b->surface->rest_points;
    pl_vec3 center = pl_vec3_scale(pl_vec3_add(pl_vec3_add(x[c[0]], x[c[1]]), x[c[2]]), 1.0 / 3);
    b->centers[t] = center;
    b->radii[t] = 0;
    for (int k = 0; k < 3; ++k) {
      b->radii[t] = fmax(b->radii[t], pl_vec3_distance(center, x[c[k]]));
      box = pl_box_add_point(box, x[c[k]]);
    }
    normals[t] = pl_triangle_normal(x[c[0]], x[c[1]], x[c[2]]);
    offsets[t] = pl_vec3_dot(normals[t], x[c[0]]);
    double first = pl_vec3_distance(x[c[0]], x[c[1]]), second = pl_vec3_distance(x[c[0]], x[c[2]]);
    reaches[t] = fmax(first * first, second * second);
  }
  b->size = pl_box_diagonal(box);
}

static bool is_in_plane(const map_build *b, const pl_tet_map *map, int32_t plane, int32_t triangle) {
  for (int k = 0; k < 3; ++k) {
    pl_vec3 corner = b->surface->rest_points[b->surface->triangles[3 * (size_t)triangle + (size_t)k]];
    if (!(fabs(pl_vec3_dot(map->normals[plane], corner) - map->offsets[plane]) < IN_PLANE * b->size)) return false;
  }
  return true;
}

static int32_t particle_of(const pl_contact_surface *surface, int32_t triangle, int corner) {
  return surface->parents[4 * (size_t)surface->triangles[3 * (size_t)triangle + (size_t)corner]];
}

// The corner of the triangle across a side that is not on it, as a particle. The boundary of a volume has one; where
// more than two triangles meet it is that of the lowest, and where there is none a corner of the side.
static int32_t find_across(const pl_contact_surface *surface, int32_t triangle, int side) {
  int32_t from = particle_of(surface, triangle, side), to = particle_of(surface, triangle, (side + 1) % 3);
  for (int32_t t = 0; t < surface->triangle_count; ++t)
    for (int k = 0; k < 3; ++k)
      if (particle_of(surface, t, k) == to && particle_of(surface, t, (k + 1) % 3) == from)
        return particle_of(surface, t, (k + 2) % 3);
  return from;
}

// Are all triangles that are flush with one in its plane, as those of a box are?
static bool is_level(const map_build *b, const pl_tet_map *map, int32_t triangle) {
  for (int32_t t = 0; t < b->surface->triangle_count; ++t)
    if (pl_tet_map_is_flush(map, triangle, t) && !is_in_plane(b, map, triangle, t)) return false;
  return true;
}

// Tets in the order of a hierarchy over their boxes, so that those of a block are neighbours.
static const int32_t *order_tets(pl_arena *scratch, const pl_tet_volume *volume) {
  pl_box *boxes = PL_TAKE(scratch, pl_box, volume->tet_count);
  if (boxes == NULL) return NULL;
  for (int32_t t = 0; t < volume->tet_count; ++t) {
    boxes[t] = pl_box_empty();
    for (int k = 0; k < 4; ++k) boxes[t] = pl_box_add_point(boxes[t], volume->rest[volume->tets[4 * t + k]]);
  }
  pl_box_tree tree;
  return pl_box_tree_build(scratch, boxes, volume->tet_count, &tree) ? tree.order : NULL;
}

static bool build(pl_arena *arena, pl_arena *scratch, map_build *b, pl_tet_map *map) {
  int32_t tet_count = b->volume->tet_count, block_count = (tet_count + LANES - 1) / LANES;
  int32_t triangle_count = b->surface->triangle_count;
  size_t slots = (size_t)block_count * LANES;
  int32_t *corners = PL_TAKE(arena, int32_t, 4 * slots), *triangles = PL_TAKE(arena, int32_t, PL_TET_TRIANGLES * slots);
  float *faces = PL_TAKE(arena, float, 4 * slots);
  int32_t *triangle_particles = PL_TAKE(arena, int32_t, 3 * (int64_t)triangle_count);
  int32_t *around = PL_TAKE(arena, int32_t, PL_TET_AROUND * (int64_t)triangle_count);
  pl_vec3 *normals = PL_TAKE(arena, pl_vec3, triangle_count);
  double *offsets = PL_TAKE(arena, double, triangle_count), *reaches = PL_TAKE(arena, double, triangle_count);
  bool *levels = PL_TAKE(arena, bool, triangle_count);
  const pl_vec3 *rest = pl_arena_copy(arena, b->volume->rest, (size_t)b->volume->particle_count, sizeof(pl_vec3));
  b->centers = PL_TAKE(scratch, pl_vec3, triangle_count);
  b->radii = PL_TAKE(scratch, double, triangle_count);
  double *distances = PL_TAKE(scratch, double, triangle_count);
  int32_t *votes = PL_TAKE(scratch, int32_t, triangle_count);
  const int32_t *order = order_tets(scratch, b->volume);
  if (arena->failed || scratch->failed || order == NULL) return false;
  measure_triangles(b, normals, offsets, reaches);
  for (int32_t i = 0; i < 3 * triangle_count; ++i)
    triangle_particles[i] = b->surface->parents[4 * (size_t)b->surface->triangles[i]];
  for (int32_t t = 0; t < triangle_count; ++t)
    for (int k = 0; k < 3; ++k) {
      around[PL_TET_AROUND * t + k] = triangle_particles[3 * t + k];
      around[PL_TET_AROUND * t + 3 + k] = find_across(b->surface, t, k);
    }
  *map = (pl_tet_map){tet_count, block_count, corners, faces,     rest, triangle_particles, around, normals,
                      offsets,   reaches,     levels,  triangles, 0};
  for (int32_t t = 0; t < triangle_count; ++t) levels[t] = is_level(b, map, t);
  for (size_t i = 0; i < slots; ++i) {
    // The last block is filled up with its last tet.
    const int32_t *tet = &b->volume->tets[4 * (size_t)order[i < (size_t)tet_count ? i : (size_t)tet_count - 1]];
    memset(votes, 0, (size_t)triangle_count * sizeof *votes);
    for (int s = 0; s < SAMPLES; ++s) map->depth = fmax(map->depth, vote(b, sample_of(b, tet, s), distances, votes));
    elect(votes, triangle_count, &triangles[PL_TET_TRIANGLES * i]);
    for (int k = 0; k < 4; ++k) {
      size_t slot = i / LANES * 4 * LANES + (size_t)k * LANES + i % LANES;
      corners[slot] = tet[k];
      faces[slot] = is_on_surface(b, tet, k, &triangles[PL_TET_TRIANGLES * i]) ? 1.0f : 0.0f;
    }
  }
  return true;
}

bool pl_tet_map_build(pl_arena *arena, const pl_contact_surface *surface, const pl_tet_volume *volume,
                      const pl_tet_map **map) {
  *map = NULL;
  if (volume->tet_count == 0 || volume->tet_count > PL_TET_MAP_TETS || volume->particle_count > PL_TET_MAP_PARTICLES)
    return true;
  if (surface->triangle_count == 0 || surface->rest_points == NULL || !is_of_particles(surface)) return true;
  pl_tet_map *made = PL_TAKE(arena, pl_tet_map, 1);
  if (made == NULL) return false;
  pl_arena scratch;
  pl_arena_init(&scratch, arena->context, 0);
  map_build b = {.surface = surface, .volume = volume};
  bool is_built = build(arena, &scratch, &b, made);
  pl_arena_destroy(&scratch);
  *map = made;
  return is_built;
}

bool pl_tet_map_weights(const pl_tet_map *map, int32_t triangle, pl_vec3 position, double weights[3]) {
  const int32_t *c = &map->triangle_particles[3 * (size_t)triangle];
  if (!pl_triangle_weights(map->rest[c[0]], map->rest[c[1]], map->rest[c[2]], position, weights)) return false;
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    if (!(weights[k] > -BORDER)) return false;
    weights[k] = weights[k] > 0 ? weights[k] : 0;
    sum += weights[k];
  }
  for (int k = 0; k < 3; ++k) weights[k] /= sum;
  return true;
}

bool pl_tet_map_find_way_out(const pl_tet_map *map, const pl_contact_surface *surface, pl_vec3 position,
                             pl_vec3 direction, pl_contact_place *place) {
  double first = HUGE_VAL, weights[3];
  for (int32_t t = 0; t < surface->triangle_count; ++t) {
    double along = pl_vec3_dot(map->normals[t], direction);
    if (!(along > MIN_SINE)) continue;
    double way = (map->offsets[t] - pl_vec3_dot(map->normals[t], position)) / along;
    if (!(way < first && way > -BORDER * map->depth)) continue;
    // No part of a triangle is farther from its first corner than the other two are.
    pl_vec3 out = pl_vec3_add_scaled(position, direction, way);
    pl_vec3 away = pl_vec3_sub(out, map->rest[map->triangle_particles[3 * (size_t)t]]);
    if (pl_vec3_dot(away, away) > AROUND * map->reaches[t]) continue;
    if (!pl_tet_map_weights(map, t, out, weights)) continue;
    first = way;
    *place = (pl_contact_place){t, {weights[0], weights[1], weights[2]}};
  }
  return first < HUGE_VAL;
}
