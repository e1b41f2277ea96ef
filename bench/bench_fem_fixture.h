// A box in motion, hanging from its upper face or falling: what finite elements are measured with.
#ifndef BENCH_FEM_FIXTURE_H
#define BENCH_FEM_FIXTURE_H

#include "pliant/pliant.h"

typedef struct fem_fixture_def {
  int32_t cells[3];  // six tets each
  double width;      // metres; the box is twice as high
  pl_fem_material material;
  pl_fem_scheme scheme;
  pl_fem_solver solver;
  double young;                   // Pa
  double tolerance;               // of Newton's method; 0: the usual
  int32_t max_newton_iterations;  // 0: the usual
  bool falling;                   // nothing holds it
  int target_steps;               // done before the state that is measured from
  int threads;
} fem_fixture_def;

typedef struct fem_fixture {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model;
  pl_world *world;
  pl_body_id body;
  void *start;  // snapshot that every run begins with
  size_t start_size;
  int32_t point_count, tet_count;
  double matrix_bytes;  // of the blocks of 3 x 3 numbers and their columns
} fem_fixture;

// What a run of steps took.
typedef struct fem_run {
  double seconds;       // all of it
  double move_seconds;  // in the body's own step
  int step_count;
  int64_t newton_count, linear_count;
  double assembly_seconds, factor_seconds, solve_seconds;
} fem_run;

pl_status fem_fixture_open(const fem_fixture_def *def, fem_fixture *fixture, pl_error *error);
void fem_fixture_close(fem_fixture *fixture);

// Go back to the start and do `steps` steps; the same bits every time.
pl_status fem_fixture_run(fem_fixture *fixture, int steps, fem_run *run, pl_error *error);

#endif
