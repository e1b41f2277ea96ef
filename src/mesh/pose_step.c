// The steps of one fit: begin, harmonic start, local step, global step (see pose_fitter.h for the energy).
//
// The harmonic start solves the system of the global step for a displacement u of the turned rest with all rotations
// left out: (L + S) u = P^T w a (y - P x). It carries the surface's displacement smoothly inwards, and for a rigid
// motion, which the turn of the whole has met already, it is zero.
#include <string.h>

#include "base/parallel.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "mesh/pose_fitter.h"

enum { TET_GRAIN = 256, POINT_GRAIN = 512 };

// The first solve of a fit is exact; those of the iteration need only be better than the local step that follows.
static const pl_conjugate_limits START_LIMITS = {.tolerance = 1e-10, .max_iterations = 5000};
static const pl_conjugate_limits STEP_LIMITS = {.tolerance = 1e-14, .gain = 1e-2, .max_iterations = 2000};

pl_vec3 pl_pose_fitter_place(const pl_pose_fitter *f, int32_t s) {
  const int32_t *parents = &f->parents[4 * (size_t)s];
  const double *weights = &f->weights[4 * (size_t)s];
  pl_vec3 position = pl_vec3_scale(f->points[parents[0]], weights[0]);
  for (int k = 1; k < 4; ++k) position = pl_vec3_add_scaled(position, f->points[parents[k]], weights[k]);
  return position;
}

void pl_pose_fitter_begin(pl_pose_fitter *f, const pl_vec3 *posed) {
  pl_vec3 sum = {0, 0, 0};
  double area = 0;
  for (int32_t s = 0; s < f->surface_count; ++s) {
    sum = pl_vec3_add_scaled(sum, posed[s], f->areas[s]);
    area += f->areas[s];
  }
  f->posed_center = pl_vec3_scale(sum, 1 / area);
  pl_mat3 moment = pl_mat3_zero();
  for (int32_t s = 0; s < f->surface_count; ++s) {
    f->targets[s] = pl_vec3_sub(posed[s], f->posed_center);
    pl_vec3 from = pl_vec3_sub(f->surface[s], f->center);
    moment = pl_mat3_add(moment, pl_mat3_scale(pl_mat3_outer(f->targets[s], from), f->areas[s]));
  }
  f->turn = pl_rotation_of_mat3(moment, pl_quat_identity());
  pl_pose_fitter_unrelax(f);
  pl_pose_fitter_reset(f);
}

void pl_pose_fitter_unrelax(pl_pose_fitter *f) {
  for (int32_t s = 0; s < f->surface_count; ++s) f->fractions[s] = 1;
  for (int32_t t = 0; t < f->tet_count; ++t) f->stiffness[t] = 1;
}

void pl_pose_fitter_reset(pl_pose_fitter *f) {
  for (int32_t i = 0; i < f->point_count; ++i) f->points[i] = pl_quat_rotate(f->turn, f->rest[i]);
  for (int32_t t = 0; t < f->tet_count; ++t) f->rotations[t] = f->turn;
}

void pl_pose_fitter_set_weight(pl_pose_fitter *f, double weight) {
  double *values = f->matrix.values;
  f->weight = weight;
  memcpy(values, f->elastic_values, (size_t)f->matrix.value_count * sizeof *values);
  for (int32_t t = 0; t < f->tet_count; ++t) {
    if (f->stiffness[t] == 1) continue;
    const pl_vec3 *g = &f->gradients[4 * (size_t)t];
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        values[pl_sparse_find(&f->matrix, f->tets[4 * t + i], f->tets[4 * t + j])] +=
            (f->stiffness[t] - 1) * f->volumes[t] * pl_vec3_dot(g[i], g[j]);
  }
  for (int32_t s = 0; s < f->surface_count; ++s) {
    const int32_t *parents = &f->parents[4 * (size_t)s];
    const double *weights = &f->weights[4 * (size_t)s];
    f->pulls[s] = f->fractions[s] * weight / f->edge * f->areas[s];
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        values[pl_sparse_find(&f->matrix, parents[i], parents[j])] += f->pulls[s] * weights[i] * weights[j];
  }
}

// P^T w a y at one point; for the start P^T w a (y - P x).
static pl_vec3 surface_pull(const pl_pose_fitter *f, bool is_start, int32_t point) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t i = f->surface_corners.start[point]; i < f->surface_corners.start[point + 1]; ++i) {
    int32_t item = f->surface_corners.items[i], s = item / 4;
    pl_vec3 target = is_start ? pl_vec3_sub(f->targets[s], pl_pose_fitter_place(f, s)) : f->targets[s];
    sum = pl_vec3_add_scaled(sum, target, f->pulls[s] * f->weights[item]);
  }
  return sum;
}

static void pull_rows(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  pl_pose_fitter *f = data;
  for (int32_t i = begin; i < end; ++i) f->rhs[i] = surface_pull(f, true, i);
}

void pl_pose_fitter_start(pl_pose_fitter *f) {
  pl_pose_fitter_reset(f);
  pl_parallel_for(f->context, f->point_count, POINT_GRAIN, pull_rows, f);
  memset(f->before, 0, (size_t)f->point_count * sizeof *f->before);
  pl_conjugate_solve(f->context, &f->matrix, f->rhs, &START_LIMITS, &f->work, f->before);
  for (int32_t i = 0; i < f->point_count; ++i) f->points[i] = pl_vec3_add(f->points[i], f->before[i]);
}

static pl_mat3 deformation(const pl_pose_fitter *f, int32_t t) {
  const int32_t *corners = &f->tets[4 * t];
  const pl_vec3 *g = &f->gradients[4 * (size_t)t];
  // Against the first corner, so that the gradient does not lose digits to the distance from the origin.
  pl_vec3 origin = f->points[corners[0]];
  pl_mat3 sum = pl_mat3_outer(pl_vec3_sub(f->points[corners[1]], origin), g[1]);
  sum = pl_mat3_add(sum, pl_mat3_outer(pl_vec3_sub(f->points[corners[2]], origin), g[2]));
  return pl_mat3_add(sum, pl_mat3_outer(pl_vec3_sub(f->points[corners[3]], origin), g[3]));
}

static void rotate_tets(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  pl_pose_fitter *f = data;
  for (int32_t t = begin; t < end; ++t) {
    pl_mat3 gradient = deformation(f, t);
    f->rotations[t] = pl_rotation_of_mat3(gradient, f->rotations[t]);
    f->determinants[t] = pl_mat3_determinant(gradient);
  }
}

void pl_pose_fitter_rotate(pl_pose_fitter *f) {
  pl_parallel_for(f->context, f->tet_count, TET_GRAIN, rotate_tets, f);
}

// b_i = sum over tets of V R g_i, plus the pull of the surface.
static void gather_rows(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  pl_pose_fitter *f = data;
  for (int32_t i = begin; i < end; ++i) {
    pl_vec3 sum = surface_pull(f, false, i);
    for (int32_t k = f->tet_corners.start[i]; k < f->tet_corners.start[i + 1]; ++k) {
      int32_t item = f->tet_corners.items[k], t = item / 4;
      sum =
          pl_vec3_add_scaled(sum, pl_quat_rotate(f->rotations[t], f->gradients[item]), f->stiffness[t] * f->volumes[t]);
    }
    f->rhs[i] = sum;
  }
}

double pl_pose_fitter_solve(pl_pose_fitter *f) {
  pl_parallel_for(f->context, f->point_count, POINT_GRAIN, gather_rows, f);
  memcpy(f->before, f->points, (size_t)f->point_count * sizeof *f->before);
  pl_conjugate_solve(f->context, &f->matrix, f->rhs, &STEP_LIMITS, &f->work, f->points);
  double max = 0;
  for (int32_t i = 0; i < f->point_count; ++i) {
    pl_vec3 move = pl_vec3_sub(f->points[i], f->before[i]);
    max = fmax(max, pl_vec3_dot(move, move));
  }
  return sqrt(max);
}

static void sum_tets(void *data, int32_t begin, int32_t end, int32_t block) {
  pl_pose_fitter *f = data;
  double sum = 0;
  for (int32_t t = begin; t < end; ++t) {
    pl_mat3 rotation = pl_mat3_from_quat(f->rotations[t]);
    double norm = pl_mat3_norm(pl_mat3_add(deformation(f, t), pl_mat3_scale(rotation, -1)));
    sum += f->stiffness[t] * f->volumes[t] * norm * norm;
  }
  f->sums[block] = sum;
}

double pl_pose_fitter_energy(pl_pose_fitter *f) {
  pl_parallel_for(f->context, f->tet_count, TET_GRAIN, sum_tets, f);
  double sum = 0, pull = 0;
  for (int32_t block = 0; block < pl_block_count(f->tet_count, TET_GRAIN); ++block) sum += f->sums[block];
  for (int32_t s = 0; s < f->surface_count; ++s) {
    pl_vec3 away = pl_vec3_sub(pl_pose_fitter_place(f, s), f->targets[s]);
    pull += f->pulls[s] * pl_vec3_dot(away, away);
  }
  return sum + pull;
}

int32_t pl_pose_fitter_count(const pl_pose_fitter *f, double min) {
  int32_t count = 0;
  for (int32_t t = 0; t < f->tet_count; ++t) count += !(f->determinants[t] > min);
  return count;
}
