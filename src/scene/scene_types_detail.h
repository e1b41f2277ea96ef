// What a scene document holds of detail: cuts, sets on bodies, and recordings by simulation.
#ifndef PL_SCENE_TYPES_DETAIL_H
#define PL_SCENE_TYPES_DETAIL_H

#include "pliant/detail.h"
#include "pliant/mesh.h"
#include "scene/scene_tables.h"

// A plane, or the surface that the edge of a blade sweeps, along which tets are cut.
typedef struct pl_scene_cut {
  const pl_json *json;
  pl_cut_def def;             // without its blade
  pl_scene_list hilts, tips;  // of pl_vec3; none: a plane
} pl_scene_cut;

// Examples of detail that a body's surface shows where tools touch it.
typedef struct pl_scene_detail {
  const pl_json *json;
  const char *set;          // file
  pl_scene_list tools;      // of const char *: names of colliders; none: all that move
  pl_detail_layer_def def;  // parameters only
} pl_scene_detail;

// One press, drag or pinch.
typedef struct pl_scene_touch {
  const pl_json *json;
  const char *label, *tool;  // "": number of the touch, first tool
  const char *surface;       // file; "": of the fine body
  pl_vec3 at, toward;        // toward zero: against the surface's normal
  double depth;
  pl_vec3 drag;
  bool pinch, held_out;
} pl_scene_touch;

// How recordings are made of two bodies of the scene.
typedef struct pl_scene_recording {
  const pl_json *json;
  const char *fine, *coarse, *skin;  // names of bodies; fine and skin "": none
  double skin_stiffness;             // N/m^3
  pl_detail_def def;
  double reach;
  int64_t steps, settle;
  double tolerance;       // share of the tool's way
  pl_scene_list tools;    // of pl_scene_collider
  pl_scene_list touches;  // of pl_scene_touch
} pl_scene_recording;

#endif
