// What a scene document holds of detail: cuts, sets on bodies, and recordings by simulation.
#ifndef PL_SCENE_TYPES_DETAIL_H
#define PL_SCENE_TYPES_DETAIL_H

#include "scene/scene_tables.h"

// A plane, or the surface that the edge of a blade sweeps, along which tets are cut.
typedef struct pl_scene_cut {
  const pl_json *json;
  pl_vec3 point, normal;
  pl_scene_list hilts, tips;  // of pl_vec3; none: a plane
  double snap;
} pl_scene_cut;

// Examples of detail that a body's surface shows where tools touch it.
typedef struct pl_scene_detail {
  const pl_json *json;
  const char *set;      // file
  pl_scene_list tools;  // of const char *: names of colliders; none: all that move
  double reach, scale;
  int64_t contacts;
} pl_scene_detail;

// One press, drag or pinch.
typedef struct pl_scene_touch {
  const pl_json *json;
  const char *label, *tool;  // "": number of the touch, first tool
  pl_vec3 at, toward;        // toward zero: against the surface's normal
  double depth;
  pl_vec3 drag;
  bool pinch, held_out;
} pl_scene_touch;

// How recordings are made of two bodies of the scene.
typedef struct pl_scene_recording {
  const pl_json *json;
  const char *fine, *coarse;  // names of bodies
  double window_radius, stamp_radius, stamp_border;
  int64_t stamp_resolution, stamp_sides, site_order, patch_order, load_order;
  double site_width, patch_width, load_width, load_reference, overload;
  bool mirror, plain_weights;
  double reach;
  int64_t steps, settle;
  double tolerance;       // share of the tool's way
  pl_scene_list tools;    // of pl_scene_collider
  pl_scene_list touches;  // of pl_scene_touch
} pl_scene_recording;

#endif
