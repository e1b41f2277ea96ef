// Rods of a scene as plain structs (scene_types.h): joints and chains, or a character with springs.
#ifndef PL_SCENE_TYPES_ROD_H
#define PL_SCENE_TYPES_ROD_H

#include "pliant/collider.h"
#include "pliant/rod.h"
#include "pliant/strands.h"
#include "scene/scene_tables.h"

typedef struct pl_scene_region {
  const pl_json *json;
  pl_vec3 min, max;
} pl_scene_region;

// A rod: its kinematic joints, its chains, and what they meet; or a character that has all of it.
typedef struct pl_scene_rod_joint {
  const pl_json *json;
  const char *name;
  pl_vec3 position;
  pl_quat rotation;
  pl_scene_list keys;  // of pl_scene_key, from where the joint starts
  bool loop;
  const char *body, *node;  // of a kinematic mesh that it follows, "": none
} pl_scene_rod_joint;

typedef struct pl_scene_rod_branch {
  const pl_json *json;
  int64_t at;                 // number of a point of what it grows from
  pl_scene_list points;       // of pl_vec3
  double radius, tip_radius;  // 0: as what it grows from
  pl_scene_list branches;     // of pl_scene_rod_branch
} pl_scene_rod_branch;

// A bend of an example: at a point of a chain, or at a node of a spring.
typedef struct pl_scene_rod_turn {
  const pl_json *json;
  int64_t joint;     // number of a point of the chain
  const char *node;  // of the character
  pl_vec3 axis;
  double degrees;
} pl_scene_rod_turn;

typedef struct pl_scene_rod_curl {
  const pl_json *json;
  pl_vec3 axis;
  double degrees;
} pl_scene_rod_curl;

// An example pose of a chain or of a spring.
typedef struct pl_scene_rod_example {
  const pl_json *json;
  const char *name;
  pl_vec3 direction;
  double extent;         // degrees; counts only with a direction
  pl_scene_list points;  // of pl_vec3; of chains
  pl_scene_list turns;   // of pl_scene_rod_turn
  pl_scene_rod_curl curl;
} pl_scene_rod_example;

typedef struct pl_scene_rod_chain {
  const pl_json *json;
  const char *name;
  const char *base;      // "": the first kinematic joint
  pl_scene_list points;  // of pl_vec3
  double radius, tip_radius, stiffness, tip_stiffness;
  double max_angle;  // degrees
  double mass;       // of a joint
  double spring, drag;
  pl_vec3 pull;
  pl_scene_list branches;   // of pl_scene_rod_branch
  pl_scene_list links;      // of int32_t[2]
  const char *center;       // "": none
  pl_scene_list colliders;  // of const char *; items NULL: all
  pl_scene_list examples;   // of pl_scene_rod_example
} pl_scene_rod_chain;

// Spring bones on the nodes of a character.
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
  pl_scene_list examples;   // of pl_scene_rod_example
} pl_scene_rod_spring;

typedef struct pl_scene_rod_collider {
  const pl_json *json;
  const char *name;
  const char *joint;  // "": the first kinematic joint; of a character: a node
  const char *mesh;
  pl_collider_def def;  // without its mesh
} pl_scene_rod_collider;

typedef struct pl_scene_rod_skin {
  const pl_json *json;
  double reach, fade;  // radii
} pl_scene_rod_skin;

// Hair that grows on a mesh.
typedef struct pl_scene_rod_strands {
  const pl_json *json;
  const char *mesh;
  const char *joint;       // "": the first kinematic joint
  pl_scene_region within;  // in the body's frame; json NULL: everywhere
  int64_t count, guides, guide_points, seed;
  double length, droop, frizz, guide_radius;
  pl_vec3 fall;
  pl_strands_def def;  // parameters only
} pl_scene_rod_strands;

typedef struct pl_scene_rod {
  const pl_json *json;
  const char *character, *animation, *motion;
  bool loop;
  pl_scene_list joints;     // of pl_scene_rod_joint; none: one at the origin
  pl_scene_list chains;     // of pl_scene_rod_chain
  pl_scene_list springs;    // of pl_scene_rod_spring, of a character
  pl_scene_list colliders;  // of pl_scene_rod_collider
  pl_scene_rod_skin skin;
  pl_scene_rod_strands strands;
  pl_rod_def def;  // parameters only
} pl_scene_rod;

#endif
