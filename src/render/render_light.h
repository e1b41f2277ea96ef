// Where the sun, the lamps of the sky and the floor map look, for one scene.
#ifndef PL_RENDER_RENDER_LIGHT_H
#define PL_RENDER_RENDER_LIGHT_H

#include "pliant/picture.h"
#include "render/render_scene.h"
#include "render/render_shaders.h"

// An orthographic map: coordinate = dot(axis.xyz, point) + axis.w, which is in [0, 1] for every
// point of the scene's box.
typedef struct pl_render_map {
  float right[4], up[4], away[4];
  double width, height, depth;  // metres
} pl_render_map;

typedef struct pl_render_light {
  float sun_direction[3];  // towards it, unit
  pl_render_map sun;
  float lamp_directions[PL_LAMP_COUNT][3];
  pl_render_map lamps[PL_LAMP_COUNT];
  float disc[PL_DISC_COUNT][2];  // sample points in the unit disc
  float bias[4];                 // see u_bias in the shaders
  float floor[4];                // least x, least z, size, height; metres
  float floor_open;              // green sky light on a floor with nothing around it
  float lamp_half_tangent;       // the same of the patch of sky that one lamp stands for
  float sun_half_tangent;        // of the angle between the sun's middle and its rim
} pl_render_light;

// Fit all maps to the scene. `ground_height` is relative to the scene's origin.
void pl_render_light_fit(pl_render_light *light, const pl_render_scene *scene,
                         pl_vec3 sun_direction, double ground_height);

#endif
