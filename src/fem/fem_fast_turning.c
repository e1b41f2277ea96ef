// See fem_fast_turning.h.
#include "fem/fem_fast_turning.h"

#include "math/mat3.h"
#include "pliant/math.h"

pl_mat3 pl_fem_fast_inertia(const pl_fem_fast_model *model, const pl_f4 *positions, pl_vec3 center) {
  pl_mat3 inertia = pl_mat3_zero();
  for (int32_t i = 0; i < model->head.particle_count; ++i) {
    pl_vec3 arm = pl_vec3_sub(pl_vec3_of_f4(positions[i]), center);
    pl_mat3 square = pl_mat3_outer(arm, arm);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        inertia.m[a][b] += model->masses[i] * ((a == b ? pl_vec3_dot(arm, arm) : 0) - square.m[a][b]);
  }
  // A body squeezed to a line has no inertia around it.
  double min = 1e-9 * (inertia.m[0][0] + inertia.m[1][1] + inertia.m[2][2]);
  for (int a = 0; a < 3; ++a) inertia.m[a][a] += min;
  return inertia;
}

void pl_fem_fast_find_turning(pl_fem_fast_solver *solver) {
  const pl_fem_fast_work *work = &solver->work;
  pl_fem_fast_turning *turning = &solver->turning;
  turning->center = (pl_vec3){0, 0, 0};
  for (int32_t i = 0; i < work->model->head.particle_count; ++i)
    turning->center = pl_vec3_add_scaled(turning->center, pl_vec3_of_f4(work->predicted[i]),
                                         work->model->masses[i] / work->model->head.mass);
  turning->inverse = pl_mat3_inverse(pl_fem_fast_inertia(work->model, work->predicted, turning->center));
}

static pl_vec3 arm_of(const pl_fem_fast_solver *solver, int32_t i) {
  return pl_vec3_sub(pl_vec3_of_f4(solver->work.predicted[i]), solver->turning.center);
}

// ω of a d, and of forces: I⁻¹ Σ r × m d, I⁻¹ Σ r × f.
static pl_vec3 turn_of(const pl_fem_fast_solver *solver, const pl_f4 *vectors, bool weighted) {
  const pl_fem_fast_model *model = solver->work.model;
  pl_vec3 sum = {0, 0, 0};
  for (int32_t i = 0; i < model->head.particle_count; ++i)
    sum = pl_vec3_add_scaled(sum, pl_vec3_cross(arm_of(solver, i), pl_vec3_of_f4(vectors[i])),
                             weighted ? model->masses[i] : 1);
  return pl_mat3_apply(solver->turning.inverse, sum);
}

static pl_vec3 turned(const pl_fem_fast_solver *solver, int32_t i, pl_vec3 spin) {
  return pl_vec3_cross(spin, arm_of(solver, i));
}

void pl_fem_fast_multiply_turning(pl_fem_fast_solver *solver) {
  pl_fem_fast_work *work = &solver->work;
  pl_f4 *kept = solver->turning.kept;
  int32_t n = work->model->head.particle_count;
  pl_vec3 spin = turn_of(solver, work->direction, true);
  for (int32_t i = 0; i < n; ++i) {
    kept[i] = work->direction[i];
    work->direction[i] -= pl_f4_of_vec3(turned(solver, i, spin));
  }
  pl_fem_fast_multiply_inner(solver);
  for (int32_t i = 0; i < n; ++i) work->product[i] -= work->direction[i] * work->model->inertias[i];
  spin = turn_of(solver, work->product, false);
  for (int32_t i = 0; i < n; ++i) {
    work->product[i] -= pl_f4_of_vec3(pl_vec3_scale(turned(solver, i, spin), work->model->masses[i]));
    work->direction[i] = kept[i];
    work->product[i] += work->direction[i] * work->model->inertias[i];
  }
  pl_fem_fast_add_held(solver);
}

void pl_fem_fast_add_turn(const pl_fem_fast_solver *solver, const pl_f4 *forces, pl_f4 *moves) {
  pl_vec3 spin = turn_of(solver, forces, false);
  for (int32_t i = 0; i < solver->work.model->head.particle_count; ++i)
    moves[i] += pl_f4_of_vec3(turned(solver, i, spin));
}
