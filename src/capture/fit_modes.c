#include "capture/fit_modes.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "fem/fem_polar.h"
#include "fem/fem_tet.h"
#include "solvers/eigen_modes.h"
#include "sparse/dense_factor.h"

// --- one signal ---------------------------------------------------------------------------------------------------

// Sine and cosine that are nearer to each other than this cannot be told apart.
static const double INDEPENDENT = 1e-9;
// Frames that a vibration needs at least, and the fraction of the frames' highest frequency up to which one is looked
// for.
enum { FRAMES_MIN = 8 };
static const double RESOLVED = 0.9;
// Decays that are tried: none, then 0.3 times a power of three over the whole time.
enum { DECAYS = 6 };
static const double FIRST_DECAY = 0.3;
// The grid around the best is narrowed by NARROW each time: 0.7^40 of its width is rounding.
enum { REFINEMENTS = 40 };
static const double NARROW = 0.7;

// What e^(-decay t) (a cos ω t + b sin ω t) + d with the best a, b and d takes from the sum of squares, beyond what a
// constant alone takes: a body whose mesh is its unstressed shape swings around where gravity bends it to, not around
// the mesh. The constant is eliminated by subtracting means. Frames are even in time, so that each x + i y is the one
// before times a constant: rounding adds up to 1e-13 in a thousand frames, and thousands of trials cost no sines.
static double explained(const double *signal, int32_t count, double mean, double step, double omega, double decay) {
  double shrink = exp(-decay * step), turn_x = shrink * cos(omega * step), turn_y = shrink * sin(omega * step);
  double cc = 0, cs = 0, ss = 0, c = 0, s = 0, sum_x = 0, sum_y = 0, x = 1, y = 0;
  for (int32_t i = 0; i < count; ++i) {
    cc += x * x, cs += x * y, ss += y * y;
    c += x * signal[i], s += y * signal[i];
    sum_x += x, sum_y += y;
    double next = x * turn_x - y * turn_y;
    y = x * turn_y + y * turn_x;
    x = next;
  }
  c -= mean * sum_x, s -= mean * sum_y;
  cc -= sum_x * sum_x / count, cs -= sum_x * sum_y / count, ss -= sum_y * sum_y / count;
  double determinant = cc * ss - cs * cs;
  if (!(determinant > INDEPENDENT * cc * ss)) return 0;
  return (ss * c * c - 2 * cs * c * s + cc * s * s) / determinant;
}

pl_vibration pl_vibration_find(const double *signal, int32_t count, double step) {
  double duration = (count - 1) * step, whole = 0, spacing = PL_PI / (4 * duration), omega = 0, decay = 0, best = 0;
  double mean = 0;
  for (int32_t i = 0; i < count; ++i) mean += signal[i] / count;
  for (int32_t i = 0; i < count; ++i) whole += (signal[i] - mean) * (signal[i] - mean);
  if (count < FRAMES_MIN || !(whole > 0)) return (pl_vibration){0};
  // From one turn in the whole time to nearly what the frames can tell apart, with decays from none to gone in a turn.
  for (double w = 2 * PL_PI / duration; w < RESOLVED * PL_PI / step; w += spacing)
    for (int k = 0; k < DECAYS; ++k) {
      double d = k == 0 ? 0 : FIRST_DECAY / duration * pow(3, k), value = explained(signal, count, mean, step, w, d);
      if (d < w && value > best) best = value, omega = w, decay = d;
    }
  double around_omega = spacing, around_decay = fmax(decay, 1 / duration);
  for (int round = 0; round < REFINEMENTS; ++round, around_omega *= NARROW, around_decay *= NARROW) {
    double from_omega = omega, from_decay = decay;
    for (int i = -1; i <= 1; ++i)
      for (int j = -1; j <= 1; ++j) {
        double w = from_omega + i * around_omega, d = fmax(0, from_decay + j * around_decay);
        double value = explained(signal, count, mean, step, w, d);
        if (value > best) best = value, omega = w, decay = d;
      }
  }
  return (pl_vibration){omega, decay, best, best / whole};
}

static const double MARKER_DAMPING = 1e-4;  // of the trace, in the projection of markers onto modes

// --- modes --------------------------------------------------------------------------------------------------------

pl_status pl_fit_modes_find(pl_fit_worker *w, int32_t mode_count, double *eigenvalues, double *modes, pl_error *error) {
  const pl_fem_model *model = w->body->model;
  pl_fem_system_evaluate(&w->system, model->rest_points, NULL, &w->matrix, false);
  pl_block_matrix_fix(w->context, &w->matrix, w->body->fixed);
  pl_eigen_def def = pl_default_eigen_def();
  def.mode_count = mode_count;
  def.tolerance = 1e-8;  // far below what frames tell of a frequency
  def.solver = model->linear;
  def.solver.direct = w->body->direct;
  def.solver.choice = w->body->direct != NULL ? PL_LINEAR_DIRECT : PL_LINEAR_CG;
  def.solver.positions = model->rest_points;
  def.solver.hint.step = 0;
  return pl_eigen_modes_compute(w->context, &w->matrix, model->head.masses, &def, eigenvalues, modes, NULL, error);
}

// Rotation vector and strain of a deformation gradient, off-diagonal strains times √2 so that the sum of squares is the
// norm.
static void rotation_strain(const pl_mat3 *F, double *to) {
  pl_fem_polar polar;
  pl_fem_polar_of(F, &polar);
  pl_vec3 axis = pl_fem_axial(&polar.R);
  double sine = 0.5 * pl_vec3_length(axis), cosine = 0.5 * (polar.R.m[0][0] + polar.R.m[1][1] + polar.R.m[2][2] - 1);
  double scale = sine > 1e-9 ? 0.5 * atan2(sine, cosine) / sine : 0.5, root = sqrt(2);
  to[0] = scale * axis.x, to[1] = scale * axis.y, to[2] = scale * axis.z;
  for (int i = 0; i < 3; ++i) to[3 + i] = polar.S.m[i][i] - 1;
  to[6] = root * polar.S.m[0][1], to[7] = root * polar.S.m[1][2], to[8] = root * polar.S.m[0][2];
}

// The same of a small displacement with gradient G.
static void linear_rotation_strain(const pl_mat3 *G, double *to) {
  double root = sqrt(0.5);
  to[0] = 0.5 * (G->m[2][1] - G->m[1][2]), to[1] = 0.5 * (G->m[0][2] - G->m[2][0]),
  to[2] = 0.5 * (G->m[1][0] - G->m[0][1]);
  for (int i = 0; i < 3; ++i) to[3 + i] = G->m[i][i];
  to[6] = root * (G->m[0][1] + G->m[1][0]), to[7] = root * (G->m[1][2] + G->m[2][1]),
  to[8] = root * (G->m[0][2] + G->m[2][0]);
}

typedef struct projection {
  const pl_fem_model *model;
  const pl_fit_sequence *sequence;
  int32_t mode_count;
  int32_t point_count;  // of a frame
  double *coordinates;  // 9 per tet and mode, times the root of the tet's volume
  double (*gradients)[4][3];
  double *roots;  // of the volume; 0: the tet does not count
  pl_dense_factor gram;
} projection;

static void gather(const double *points, const int32_t *corners, double *to) {
  for (int a = 0; a < 4; ++a) memcpy(to + 3 * a, points + 3 * (ptrdiff_t)corners[a], 3 * sizeof(double));
}

static void set_modes(projection *p, const double *modes) {
  const pl_fem_group *group = &p->model->groups[0];
  ptrdiff_t size = 3 * (ptrdiff_t)p->model->head.particle_count;
  for (int32_t t = 0; t < group->element_count; ++t) {
    const int32_t *corners = group->corners + group->corner_count * (ptrdiff_t)t;
    double at[12], volume;
    gather(p->model->rest_points, corners, at);
    pl_fem_tet_rest(at, p->gradients[t], &volume);
    p->roots[t] = sqrt(volume);
    for (int a = 0; a < 4; ++a)
      if (p->sequence->point_weights != NULL && p->sequence->point_weights[corners[a]] == 0) p->roots[t] = 0;
    for (int32_t k = 0; k < p->mode_count; ++k) {
      double *to = p->coordinates + 9 * ((ptrdiff_t)t * p->mode_count + k);
      gather(modes + k * size, corners, at);
      pl_mat3 G = pl_fem_tet_gradient_of(at, (const double(*)[3])p->gradients[t]);
      linear_rotation_strain(&G, to);
      for (int i = 0; i < 9; ++i) to[i] *= p->roots[t];
      for (int32_t l = 0; l <= k; ++l)
        for (int i = 0; i < 9; ++i) p->gram.values[k * p->mode_count + l] += to[i] * to[9 * (l - k) + i];
    }
  }
  pl_dense_factor_run(&p->gram, true);
}

static void project_frame(const projection *p, int32_t frame, double *amplitudes) {
  const pl_fem_group *group = &p->model->groups[0];
  const double *points = &p->sequence->positions[(ptrdiff_t)frame * p->point_count].x;
  for (int32_t k = 0; k < p->mode_count; ++k) amplitudes[k] = 0;
  for (int32_t t = 0; t < group->element_count; ++t) {
    if (p->roots[t] == 0) continue;
    double at[12], seen[9];
    gather(points, group->corners + group->corner_count * (ptrdiff_t)t, at);
    pl_mat3 F = pl_fem_tet_gradient_of(at, (const double(*)[3])p->gradients[t]);
    rotation_strain(&F, seen);
    for (int32_t k = 0; k < p->mode_count; ++k) {
      const double *mode = p->coordinates + 9 * ((ptrdiff_t)t * p->mode_count + k);
      double sum = 0;
      for (int i = 0; i < 9; ++i) sum += mode[i] * seen[i];
      amplitudes[k] += p->roots[t] * sum;
    }
  }
  pl_dense_factor_solve(&p->gram, amplitudes);
}

// Markers: displacements from the static shape by least squares over the modes, in the samples that are there. Linear,
// as nothing is known of rotations.
static void project_markers(const pl_fem_model *model, const pl_fit_sequence *sequence, int32_t frame,
                            int32_t mode_count, const double *modes, pl_dense_factor *gram, double *amplitudes) {
  pl_embedding_view view = pl_embedding_get_view(sequence->markers);
  ptrdiff_t size = 3 * (ptrdiff_t)model->head.particle_count;
  const pl_vec3 *seen = sequence->positions + (ptrdiff_t)frame * view.point_count;
  double sums[PL_FIT_MAX_MODES] = {0}, trace = 0;
  bool any = false;
  memset(gram->values, 0, (size_t)mode_count * (size_t)mode_count * sizeof(double));
  for (int32_t p = 0; p < view.point_count; ++p) {
    const double at[3] = {seen[p].x, seen[p].y, seen[p].z};
    if (!isfinite(at[0] + at[1] + at[2])) continue;
    any = true;
    for (int i = 0; i < 3; ++i) {
      double off = at[i], row[PL_FIT_MAX_MODES] = {0};
      for (ptrdiff_t a = 4 * (ptrdiff_t)p; a < 4 * (ptrdiff_t)p + 4; ++a) {
        ptrdiff_t index = 3 * (ptrdiff_t)view.parents[a] + i;
        off -= (double)view.weights[a] * model->rest_points[index];
        for (int32_t k = 0; k < mode_count; ++k) row[k] += (double)view.weights[a] * modes[k * size + index];
      }
      for (int32_t k = 0; k < mode_count; ++k) {
        sums[k] += row[k] * off;
        trace += row[k] * row[k];
        for (int32_t l = 0; l <= k; ++l) gram->values[k * mode_count + l] += row[k] * row[l];
      }
    }
  }
  if (!any) return;
  // A few markers do not tell all modes apart: those that explain them with the least amplitude.
  for (int32_t k = 0; k < mode_count; ++k) gram->values[k * mode_count + k] += MARKER_DAMPING * trace;
  pl_dense_factor_run(gram, true);
  memcpy(amplitudes, sums, (size_t)mode_count * sizeof(double));
  pl_dense_factor_solve(gram, amplitudes);
}

static pl_status project_all_markers(pl_fit_worker *w, const pl_fit_sequence *sequence, int32_t mode_count,
                                     const double *modes, double *signals, pl_error *error) {
  pl_arena arena;
  pl_arena_init(&arena, w->context, 0);
  pl_dense_factor gram;
  double amplitudes[PL_FIT_MAX_MODES] = {0};
  if (!pl_dense_factor_take(&arena, mode_count, &gram)) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  for (int32_t f = 0; f < sequence->frame_count; ++f) {
    if (sequence->frame_weights == NULL || sequence->frame_weights[f] > 0)
      project_markers(w->body->model, sequence, f, mode_count, modes, &gram, amplitudes);
    for (int32_t k = 0; k < mode_count; ++k) signals[(ptrdiff_t)k * sequence->frame_count + f] = amplitudes[k];
  }
  pl_arena_destroy(&arena);
  return PL_OK;
}

pl_status pl_fit_modes_project(pl_fit_worker *w, const pl_fit_sequence *sequence, int32_t mode_count,
                               const double *modes, double *signals, pl_error *error) {
  if (sequence->markers != NULL) return project_all_markers(w, sequence, mode_count, modes, signals, error);
  const pl_fem_model *model = w->body->model;
  size_t tets = (size_t)model->groups[0].element_count;
  pl_arena arena;
  pl_arena_init(&arena, w->context, 0);
  projection p = {.model = model, .sequence = sequence, .point_count = w->body->point_count, .mode_count = mode_count};
  p.coordinates = PL_TAKE(&arena, double, 9 * tets * (size_t)mode_count);
  p.gradients = pl_arena_take(&arena, tets, sizeof *p.gradients);
  p.roots = PL_TAKE(&arena, double, tets);
  if (!pl_dense_factor_take(&arena, mode_count, &p.gram) || arena.failed) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  set_modes(&p, modes);
  double amplitudes[PL_FIT_MAX_MODES] = {0};
  for (int32_t f = 0; f < sequence->frame_count; ++f) {
    if (sequence->frame_weights == NULL || sequence->frame_weights[f] > 0) project_frame(&p, f, amplitudes);
    for (int32_t k = 0; k < mode_count; ++k) signals[(ptrdiff_t)k * sequence->frame_count + f] = amplitudes[k];
  }
  pl_arena_destroy(&arena);
  return PL_OK;
}
