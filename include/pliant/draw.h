/// @file draw.h
/// Debug drawing: a world describes itself to the host in points, lines, triangles and text, for
/// the host's own renderer.
#ifndef PLIANT_DRAW_H
#define PLIANT_DRAW_H

#include "pliant/base.h"
#include "pliant/math.h"
#include "pliant/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What to draw; combine with |.
typedef enum pl_draw_flag {
  PL_DRAW_SURFACES = 1 << 0,   ///< triangles of bodies, after their surface layers
  PL_DRAW_EDGES = 1 << 1,      ///< edges of these triangles, each once per triangle
  PL_DRAW_PARTICLES = 1 << 2,  ///< points
  PL_DRAW_NORMALS = 1 << 3,    ///< a line from the middle of each triangle, a twentieth of the
                               ///< body's size long
  PL_DRAW_COLLIDERS = 1 << 4,  ///< outlines; of a half-space a grid below the bodies
  PL_DRAW_CONTACTS = 1 << 5,   ///< points and normals of the contacts that the last step resolved,
                               ///< and of contact events where the world records them
  PL_DRAW_PINS = 1 << 6,       ///< a line from the particle to its target, and a point there
  PL_DRAW_BOXES = 1 << 7,      ///< boxes around bodies, along the axes
  PL_DRAW_NAMES = 1 << 8,      ///< text: number and method of each body at its centre
  PL_DRAW_ALL = (1 << 9) - 1
} pl_draw_flag;

/// A colour as 0xRRGGBB.
typedef uint32_t pl_draw_color;

/// The host's functions. Those that are NULL are not called. Positions are in the world, metres.
/// They are called from the thread that calls pl_world_draw(), and must not change the world.
typedef struct pl_draw_functions {
  void (*point)(void *user, pl_vec3 position, double size,
                pl_draw_color color);  ///< `size` in pixels
  void (*line)(void *user, pl_vec3 a, pl_vec3 b, pl_draw_color color);
  void (*triangle)(void *user, const pl_vec3 corners[3],
                   pl_draw_color color);  ///< counter-clockwise seen from outside
  void (*text)(void *user, pl_vec3 position, const char *text,
               pl_draw_color color);  ///< `text` is valid during the call
  void *user;
} pl_draw_functions;

/// Draw what `flags` (of pl_draw_flag) say. Runs between steps and in controllers; threads and
/// memory are as for queries (pliant/query.h). Fails with PL_ERROR_INVALID_ARGUMENT inside a step,
/// and when out of memory.
PL_API pl_status pl_world_draw(const pl_world *world, const pl_draw_functions *functions,
                               uint32_t flags, pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
