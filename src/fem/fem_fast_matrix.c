// See fem_fast_matrix.h.
//
// By tets of eight, in single precision, a product of a body of 27 points takes seven times as long: its colours have
// two or three tets each, and the lanes of the others multiply padding.
#include "fem/fem_fast_matrix.h"

#include <string.h>

#include "base/error.h"
#include "pliant/math.h"

pl_status pl_fem_fast_pattern_build(const pl_sparse *matrix, const pl_mesh_view *mesh, double inertia,
                                    pl_fem_fast_model *model, pl_error *error) {
  pl_arena *arena = &model->head.arena;
  pl_block_elements tets = {mesh->tets, mesh->tet_count, 4};
  pl_status status = pl_block_pattern_build(arena, mesh->point_count, &tets, 1, &model->pattern, error);
  if (status < 0) return status;
  // Both have the couplings of the tets by rows and rising columns.
  double *stretches = PL_TAKE(arena, double, model->pattern.block_count);
  if (stretches == NULL) return pl_fail_memory(error);
  double rate = 1 / (model->step * model->step);
  for (int32_t e = 0; e < model->pattern.block_count; ++e) stretches[e] = rate * matrix->values[e];
  for (int32_t i = 0; i < mesh->point_count; ++i)
    stretches[matrix->diagonal[i]] -= rate * inertia * model->head.masses[i];
  model->stretches = stretches;
  return PL_OK;
}

pl_status pl_fem_fast_create_work(const pl_model *model, pl_context *context, double step, void **work,
                                  pl_error *error) {
  (void)step;
  const pl_fem_fast_model *fast = (const pl_fem_fast_model *)model;
  ptrdiff_t n = 3 * (ptrdiff_t)model->particle_count, stride = (n + 7) / 8 * 8;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_fem_fast_matrix *made = PL_TAKE(&arena, pl_fem_fast_matrix, 1);
  if (made == NULL) return pl_fail_memory(error);
  made->arena = arena;
  bool good = pl_block_matrix_take(&made->arena, &fast->pattern, &made->blocks);
  made->turned =
      (pl_fem_fast_turned){.size = n, .stride = stride, .columns = PL_TAKE(&made->arena, double, 6 * stride)};
  made->turns = PL_TAKE(&made->arena, double, 3 * stride);
  made->moves = PL_TAKE(&made->arena, double, n);
  if (!good || made->arena.failed) {
    pl_fem_fast_destroy_work(made);
    return pl_fail_memory(error);
  }
  *work = made;
  return PL_OK;
}

void pl_fem_fast_destroy_work(void *work) {
  pl_arena arena = ((pl_fem_fast_matrix *)work)->arena;
  pl_arena_destroy(&arena);
}

// --- assembly -----------------------------------------------------------------------------------------------------

static void put_stretches(const pl_fem_fast_model *model, double *values) {
  memset(values, 0, 9 * (size_t)model->pattern.block_count * sizeof(double));
  for (int32_t e = 0; e < model->pattern.block_count; ++e)
    for (int a = 0; a < 3; ++a) values[9 * (ptrdiff_t)e + 4 * a] = model->stretches[e];
}

// λ V g gᵀ of a tet; press() of fem_fast_kernel.h has g, times the root of λ h² V.
static void fill_element(const pl_fem_fast_work *work, int32_t tet, double *matrix) {
  int32_t slot = work->model->tets.slots[tet];
  const float *pulls = work->pulls + (ptrdiff_t)(slot / LANES) * MAT3_LANES + slot % LANES;
  double g[12] = {0}, rate = 1 / (work->model->step * work->model->step);
  for (int k = 0; k < 9; ++k) {
    g[3 + k] = (double)pulls[LANES * k];
    g[k % 3] -= g[3 + k];
  }
  for (int r = 0; r < 12; ++r)
    for (int c = 0; c < 12; ++c) matrix[12 * r + c] = rate * (g[r] * g[c]);
}

static void visit(void *data, const int32_t *elements, int32_t count, double *matrices) {
  for (int32_t i = 0; i < count; ++i) fill_element(data, elements[i], matrices + 144 * (ptrdiff_t)i);
}

// --- turning ------------------------------------------------------------------------------------------------------

// The columns of W and of T.
static void put_turning(const pl_fem_fast_solver *solver, double *spins, double *turns, ptrdiff_t stride) {
  const pl_fem_fast_model *model = solver->work.model;
  static const pl_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int c = 0; c < 3; ++c) {
    pl_vec3 axis = pl_mat3_apply(solver->turning.inverse, axes[c]);
    for (int32_t i = 0; i < model->head.particle_count; ++i) {
      ptrdiff_t at = stride * c + 3 * (ptrdiff_t)model->point_of[i];
      pl_vec3 arm = pl_vec3_sub(pl_vec3_of_f4(solver->work.predicted[i]), solver->turning.center);
      pl_vec3 turn = pl_vec3_cross(axes[c], arm), spin = pl_vec3_scale(pl_vec3_cross(axis, arm), model->masses[i]);
      turns[at] = turn.x, turns[at + 1] = turn.y, turns[at + 2] = turn.z;
      spins[at] = spin.x, spins[at + 1] = spin.y, spins[at + 2] = spin.z;
    }
  }
}

static double dot(const double *a, const double *b, ptrdiff_t count) {
  double sum = 0;
  for (ptrdiff_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

void pl_fem_fast_matrix_fill(const pl_fem_fast_solver *solver, pl_fem_fast_matrix *matrix) {
  const pl_fem_fast_model *model = solver->work.model;
  pl_fem_fast_turned *turned = &matrix->turned;
  pl_fem_fast_work work = solver->work;  // a view of it
  ptrdiff_t n = turned->size, stride = turned->stride;
  double *turns = matrix->turns, *bends = turned->columns + 3 * stride;
  put_stretches(model, matrix->blocks.values);
  pl_block_matrix_assemble(solver->context, &matrix->blocks, 0, visit, &work);
  put_turning(solver, turned->columns, turns, stride);
  for (int c = 0; c < 3; ++c)
    pl_block_matrix_multiply(solver->context, &matrix->blocks, turns + stride * c, bends + stride * c);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) turned->square[3 * r + c] = dot(turns + stride * r, bends + stride * c, n);
  double rate = (1 + model->step * model->mass_damping) / (model->step * model->step);
  pl_block_matrix_add_diagonal(solver->context, &matrix->blocks, rate, model->head.masses);
}

void pl_fem_fast_matrix_multiply(const pl_fem_fast_solver *solver, const pl_fem_fast_matrix *matrix, const double *d,
                                 double *product) {
  pl_block_matrix_multiply(solver->context, &matrix->blocks, d, product);
  solver->kernels->unturn(&matrix->turned, d, product);
}
