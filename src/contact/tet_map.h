// The volume of a body as tets between its particles, and how to leave it from each of them: where
// a point is inside another body is looked up in these, and told in the rest shape
// (contact_tets.c).
#ifndef PL_CONTACT_TET_MAP_H
#define PL_CONTACT_TET_MAP_H

#include "base/arena.h"
#include "contact/contact.h"
#include "contact/contact_spot.h"
#include "pliant/math.h"

// Larger bodies have no map.
enum { PL_TET_MAP_TETS = 4096, PL_TET_MAP_PARTICLES = 1024 };
// Triangles that may be nearest to a point of one tet; when there are more, those that are for
// most.
enum { PL_TET_TRIANGLES = 12 };
// Particles around a triangle: its corners, then of the triangles across its sides, from corner k
// to the next, the corner that is not on it.
enum { PL_TET_AROUND = 6 };

// Of a model; tets are numbered in blocks of eight neighbours.
struct pl_tet_map {
  int32_t tet_count, block_count;
  const int32_t *corners;  // [block][4][8]: particles
  const float *faces;      // [block][4][8]: 1 if the face opposite to a corner is on the surface
  const pl_vec3 *rest;     // of the particles, metres
  const int32_t *triangle_particles;  // corners of the surface's triangles, 3 each
  const int32_t *around;              // PL_TET_AROUND per triangle
  const pl_vec3 *normals;             // of these at rest, unit, outward
  const double *offsets;              // of their planes: normal . x of a corner
  const double *reaches;     // m²: of the other corners from the first one, whichever is farther
  const bool *is_level;      // per triangle: all that are flush with it are in its plane
  const int32_t *triangles;  // PL_TET_TRIANGLES per tet, -1 after the last
  double depth;              // metres from the deepest point at rest to the surface
};

// The tets of `volume`, 4 particles each, with the particles at `rest`.
typedef struct pl_tet_volume {
  int32_t tet_count;
  const int32_t *tets;
  int32_t particle_count;
  const pl_vec3 *rest;
} pl_tet_volume;

// Build the map of a surface that is the boundary of a volume. `map` becomes NULL where there is
// none: for large bodies, and for surfaces that are not made of the particles themselves. False
// when out of memory.
bool pl_tet_map_build(pl_arena *arena, const pl_contact_surface *surface,
                      const pl_tet_volume *volume, const pl_tet_map **map);

// The weights of a position of the rest shape over a triangle; false if it is beside it, up to
// rounding.
bool pl_tet_map_weights(const pl_tet_map *map, int32_t triangle, pl_vec3 position,
                        double weights[3]);

// Where a ray from a position inside first leaves the rest shape: false if it does not, up to
// rounding.
bool pl_tet_map_find_way_out(const pl_tet_map *map, const pl_contact_surface *surface,
                             pl_vec3 position, pl_vec3 direction, pl_contact_place *place);

// Corner k of a tet.
static inline int32_t pl_tet_map_corner(const pl_tet_map *map, int32_t tet, int32_t k) {
  return map->corners[(size_t)(tet / 8) * 32 + (size_t)(8 * k + tet % 8)];
}

// Are two triangles parts of one face of the rest shape?
static inline bool pl_tet_map_is_flush(const pl_tet_map *map, int32_t a, int32_t b) {
  const double min_cosine = 0.5;
  return pl_vec3_dot(map->normals[a], map->normals[b]) > min_cosine;
}

#endif
