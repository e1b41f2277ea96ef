// A head with hair: chains of given numbers of joints and examples on a scalp, and a camera that goes around it.
#ifndef BENCH_ROD_STAGE_H
#define BENCH_ROD_STAGE_H

#include "pliant/pliant.h"

enum { ROD_KIND_LIMIT = 4, ROD_EXAMPLE_LIMIT = 5 };

// Chains of equal build.
typedef struct rod_kind {
  int32_t chain_count, joint_count, example_count;
} rod_kind;

typedef struct rod_stage_def {
  const rod_kind *kinds;  // ROD_KIND_LIMIT of them; those without chains are none
  pl_rod_suppression suppression;
  double step;      // seconds
  bool weightless;  // no gravity
  bool fixed;       // weights are given once and the camera is not looked at
  int threads;
  int width;         // of the neighbourhoods, in joints either way; 0: the usual
  double stiffness;  // 0: soft enough for steps of 1/60 s, at which a joint goes a third of the way to its goal
} rod_stage_def;

typedef struct rod_stage {
  pl_context *context;
  pl_model *model;
  pl_world *world;
  pl_body_id body;
  int32_t chain_count, joint_count;  // joints without the head
  bool fixed;
  double bytes;  // that a step must move at least: the state, there and back
} rod_stage;

// Build the head and bring it to where the camera's first look puts it.
pl_status rod_stage_open(const rod_stage_def *def, rod_stage *stage, pl_error *error);
void rod_stage_close(rod_stage *stage);

// The camera moves on, around the head once in four seconds, and the world does one step.
pl_status rod_stage_step(rod_stage *stage, pl_error *error);

#endif
