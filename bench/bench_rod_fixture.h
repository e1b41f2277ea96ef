// A head with hair: chains of given numbers of joints and examples on a scalp, and a camera that
// goes around it.
#ifndef BENCH_ROD_FIXTURE_H
#define BENCH_ROD_FIXTURE_H

#include "pliant/pliant.h"

enum { ROD_MAX_KINDS = 4, ROD_MAX_EXAMPLE_COUNT = 5 };

// Chains of equal build.
typedef struct rod_kind {
  int32_t chain_count, joint_count, example_count;
} rod_kind;

// What chains lie on.
typedef enum rod_head {
  ROD_HEAD_NONE,
  ROD_HEAD_SPHERE,     // a collider
  ROD_HEAD_MESH,       // a collider of ROD_HEAD_TRIANGLES triangles or so
  ROD_HEAD_KINEMATIC,  // the same mesh as a body that an animation moves
} rod_head;
enum { ROD_HEAD_TRIANGLES = 8000 };

typedef struct rod_fixture_def {
  const rod_kind *kinds;  // ROD_MAX_KINDS of them; those without chains are none
  pl_rod_ghost_momentum ghost_momentum;
  double step;      // seconds
  bool weightless;  // no gravity
  bool fixed;       // weights are given once and the camera is not looked at
  int threads;
  int width;         // of the neighbourhoods, in joints either way; 0: the usual
  double stiffness;  // 0: soft enough for steps of 1/60 s, at which a joint goes a third of the way
                     // to its goal
  rod_head head;
} rod_fixture_def;

typedef struct rod_fixture {
  pl_context *context;
  pl_model *model, *head;  // NULL: its head is not a body
  int32_t head_triangle_count;
  pl_world *world;
  pl_body_id body;
  int32_t chain_count, joint_count;  // joints without the head
  bool fixed;
  double bytes;  // that a step must move at least: the state, there and back
} rod_fixture;

// Build the head and bring it to where the camera's first look puts it.
pl_status rod_fixture_open(const rod_fixture_def *def, rod_fixture *fixture, pl_error *error);
void rod_fixture_close(rod_fixture *fixture);

// The camera moves on, around the head once in four seconds, and the world does one step.
pl_status rod_fixture_step(rod_fixture *fixture, pl_error *error);

#endif
