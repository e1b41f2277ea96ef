// Springs of a scene for the nodes of a character, as plain structs (scene_types.h).
#ifndef PL_SCENE_TYPES_SPRINGS_H
#define PL_SCENE_TYPES_SPRINGS_H

#include "pliant/math.h"
#include "scene/scene_tables.h"

typedef struct pl_scene_rod_curl {
  const pl_json *json;
  pl_vec3 axis;
  double degrees;
} pl_scene_rod_curl;

typedef struct pl_scene_rod_spring_turn {
  const pl_json *json;
  const char *node;
  pl_vec3 axis;
  double degrees;
} pl_scene_rod_spring_turn;

typedef struct pl_scene_rod_spring_example {
  const pl_json *json;
  const char *name;
  pl_vec3 direction;
  double extent;        // degrees; counts only with a direction
  pl_scene_list turns;  // of pl_scene_rod_spring_turn
  pl_scene_rod_curl curl;
} pl_scene_rod_spring_example;

typedef struct pl_scene_rod_spring {
  const pl_json *json;
  const char *name;
  pl_scene_list nodes;  // of const char *
  double radius, stiffness, mass, spring, drag;
  double max_angle;  // degrees
  pl_vec3 pull;
  double tail_length;
  const char *center;       // "": none
  pl_scene_list colliders;  // of const char *; items NULL: all
  pl_scene_list examples;   // of pl_scene_rod_spring_example
} pl_scene_rod_spring;

#endif
