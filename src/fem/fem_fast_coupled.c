// A fast corotated solid in a coupled solve with the bodies that it touches (body_method.h).
//
// Its step is linear: rotations are found once, from the predicted positions y, and with d = z - y
//
//   Φ(z) = (½ d·A d - forces·d) / h²        A, forces of fem_fast_step.c, which are times h²
//
// The coupled solve finds d in double precision, with a matrix that is assembled once in the step (fem_fast_matrix.h).
// A is that of a body that something turns (fem_fast_turning.h): otherwise stacks of 2 MPa are thrown apart.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "fem/fem_coupled.h"
#include "fem/fem_fast_matrix.h"
#include "math/mat3.h"
#include "pliant/math.h"

static const double TOLERANCE = 1e-4, NOISE = 1e-13;
enum { MAX_ITERATIONS = 20 };

typedef struct fast_step {
  pl_fem_fast_step *step;
  const pl_body_move *move;
  pl_fem_fast_matrix *matrix;
} fast_step;

static pl_fem_fast_work *work_of(const pl_body_coupled_step *step) {
  return &((const fast_step *)step->data)->step->solver.work;
}

static pl_vec3 origin_of(const pl_fem_fast_work *work) {
  return (pl_vec3){work->state.origin[0], work->state.origin[1], work->state.origin[2]};
}

static pl_vec3 at(const double *from, int32_t i) {
  return (pl_vec3){from[3 * (ptrdiff_t)i], from[3 * (ptrdiff_t)i + 1], from[3 * (ptrdiff_t)i + 2]};
}

static void put(double *to, int32_t i, pl_vec3 v) {
  to[3 * (ptrdiff_t)i] = v.x, to[3 * (ptrdiff_t)i + 1] = v.y, to[3 * (ptrdiff_t)i + 2] = v.z;
}

static pl_status begin(const pl_model *model, void *state, const pl_body_move *move, pl_body_coupled_step *step,
                       pl_error *error) {
  const pl_fem_fast_model *fast = (const pl_fem_fast_model *)model;
  step->data = NULL;
  if (!pl_fem_fast_is_one_step(model, move->step)) return PL_OK;
  pl_fem_fast_step *made = pl_fem_fast_begin_step(model, state, move);
  fast_step *data = PL_SCRATCH(move->scratch, fast_step, 1);
  if (made == NULL || data == NULL) return pl_fail_memory(error);
  *data = (fast_step){made, move, move->work};
  pl_fem_fast_touch_take_forces(&made->solver.touch);
  pl_fem_fast_find_turning(&made->solver);
  pl_fem_fast_matrix_fill(&made->solver, data->matrix);
  memset(step->fixed, 0, (size_t)model->particle_count);
  for (int32_t k = 0; k < made->solver.pin_count; ++k)
    if (made->pins[k].is_hard) step->fixed[fast->point_of[made->pins[k].particle]] = 7;
  for (int32_t i = 0; i < model->particle_count; ++i)
    put(step->ends, fast->point_of[i],
        pl_vec3_add(origin_of(&made->solver.work), pl_vec3_of_f4(made->solver.work.predicted[i])));
  step->data = data;
  step->tolerance = TOLERANCE;
  step->max_iterations = MAX_ITERATIONS;
  return PL_OK;
}

// d of the ends, in the order of the particles.
static void get_moves(const pl_body_coupled_step *step, pl_f4 *moves) {
  const pl_fem_fast_work *work = work_of(step);
  pl_vec3 origin = origin_of(work);
  for (int32_t i = 0; i < work->model->head.particle_count; ++i) {
    pl_vec3 end = pl_vec3_sub(at(step->ends, work->model->point_of[i]), origin);
    moves[i] = pl_f4_of_vec3(pl_vec3_sub(end, pl_vec3_of_f4(work->predicted[i])));
  }
}

// What pins and colliders add to a product, N.
static void add_held(const fast_step *data, const double *d, double *product) {
  const pl_fem_fast_solver *solver = &data->step->solver;
  const pl_fem_fast_model *model = solver->work.model;
  double rate = 1 / (model->step * model->step);
  for (int32_t k = 0; k < solver->pin_count; ++k) {
    const pl_fem_fast_pin *pin = &solver->pins[k];
    ptrdiff_t at = 3 * (ptrdiff_t)model->point_of[pin->particle];
    for (int a = 0; a < 3 && !pin->is_hard; ++a)
      product[at + a] += rate * (double)(pin->stiffness + pin->damping) * d[at + a];
  }
}

// Colliders push and do not pull: their energy is that of one-sided springs.
static double evaluate(pl_body_coupled_step *step, pl_body_coupled_mode mode) {
  fast_step *data = step->data;
  pl_fem_fast_work *work = &data->step->solver.work;
  double rate = 1 / (work->model->step * work->model->step), *d = data->matrix->moves;
  int32_t count = work->model->head.particle_count;
  pl_vec3 origin = origin_of(work);
  pl_f4 *forces = data->step->kept_forces;
  for (int32_t i = 0; i < count; ++i) {
    int32_t point = work->model->point_of[i];
    put(d, point, pl_vec3_sub(pl_vec3_sub(at(step->ends, point), origin), pl_vec3_of_f4(work->predicted[i])));
    forces[i] = work->forces[i];
  }
  pl_fem_fast_matrix_multiply(&data->step->solver, data->matrix, d, step->gradient);
  add_held(data, d, step->gradient);
  double energy = 0, noise = 0;
  for (int32_t i = 0; i < count; ++i) {
    int32_t point = work->model->point_of[i];
    pl_vec3 move = at(d, point), product = at(step->gradient, point);
    pl_vec3 force = pl_vec3_scale(pl_vec3_of_f4(work->forces[i]), rate);
    double stored = 0.5 * pl_vec3_dot(move, product), work_done = pl_vec3_dot(move, force);
    energy += stored - work_done;
    noise += fabs(stored) + fabs(work_done);
    put(step->gradient, point, pl_vec3_sub(product, force));
  }
  double pressed = rate * pl_fem_fast_touch_evaluate(&data->step->solver.touch, mode != PL_COUPLED_SEARCH, d, rate,
                                                     step->gradient, forces);
  step->size = 0;
  for (int32_t i = 0; i < count; ++i) {
    pl_vec3 force = pl_vec3_of_f4(forces[i]);
    step->size += rate * rate * pl_vec3_dot(force, force);
  }
  step->noise = NOISE * (noise + pressed);
  return energy + pressed;
}

static void multiply(const pl_body_coupled_step *step, const double *d, double *product) {
  const fast_step *data = step->data;
  const pl_fem_fast_model *model = data->step->solver.work.model;
  pl_fem_fast_matrix_multiply(&data->step->solver, data->matrix, d, product);
  add_held(data, d, product);
  pl_fem_fast_touch_add_product(&data->step->solver.touch, d, 1 / (model->step * model->step), product);
}

static void get_blocks(const pl_body_coupled_step *step, double *blocks) {
  const pl_fem_fast_step *data = ((const fast_step *)step->data)->step;
  const pl_fem_fast_model *model = data->solver.work.model;
  double rate = 1 / (model->step * model->step);
  const pl_block_matrix *matrix = &((const fast_step *)step->data)->matrix->blocks;
  for (int32_t i = 0; i < model->head.particle_count; ++i)
    memcpy(blocks + 9 * (ptrdiff_t)i, matrix->values + 9 * (ptrdiff_t)matrix->pattern->diagonal[i], 9 * sizeof(double));
  for (int32_t k = 0; k < data->solver.pin_count; ++k) {
    double *block = blocks + 9 * (ptrdiff_t)model->point_of[data->pins[k].particle];
    for (int a = 0; a < 3; ++a) block[4 * a] += rate * (double)(data->pins[k].stiffness + data->pins[k].damping);
  }
  const pl_fem_fast_touch *touch = &data->solver.touch;
  for (int32_t k = 0; k < touch->active_count; ++k) {
    int32_t i = touch->active[k];
    pl_f4 columns[3];
    for (int c = 0; c < 3; ++c) {
      pl_f4 move = {0};
      move[c] = 1;
      columns[c] = pl_fem_fast_touch_answer(&touch->points[i], move);
    }
    for (int c = 0; c < 4; ++c) {
      double w = (double)model->head.surface.weights[4 * (ptrdiff_t)i + c];
      double *block = blocks + 9 * (ptrdiff_t)model->head.surface.parents[4 * (ptrdiff_t)i + c];
      for (int e = 0; w != 0 && e < 9; ++e) block[e] += rate * w * w * (double)columns[e % 3][e / 3];
    }
  }
}

// Sums over the particles of a free body.
typedef struct motion {
  pl_vec3 center, momentum, spin;
} motion;

static motion motion_of(const pl_fem_fast_work *work) {
  const pl_fem_fast_model *model = work->model;
  motion m = {.center = {0, 0, 0}};
  for (int32_t i = 0; i < model->head.particle_count; ++i) {
    m.center = pl_vec3_add_scaled(m.center, pl_vec3_of_f4(work->state.positions[i]), model->masses[i]);
    m.momentum = pl_vec3_add_scaled(m.momentum, pl_vec3_of_f4(work->state.velocities[i]), model->masses[i]);
  }
  m.center = pl_vec3_scale(m.center, 1 / model->head.mass);
  for (int32_t i = 0; i < model->head.particle_count; ++i) {
    pl_vec3 arm = pl_vec3_sub(pl_vec3_of_f4(work->state.positions[i]), m.center);
    pl_vec3 v = pl_vec3_of_f4(work->state.velocities[i]);
    m.spin = pl_vec3_add_scaled(m.spin, pl_vec3_cross(arm, v), model->masses[i]);
  }
  return m;
}

// A free body has the momentum that contact and outside forces give it, and no more: rotations that are those of y
// exert a torque, and the solve stops at a tolerance.
static void correct_velocities(const pl_fem_fast_work *work, motion before, const pl_body_coupled_result *result) {
  const pl_fem_fast_model *model = work->model;
  double h = model->step;
  motion now = motion_of(work);
  pl_vec3 push = {0, 0, 0}, turn = result->torque;
  for (int32_t i = 0; i < model->head.particle_count; ++i) {
    pl_vec3 force = at(result->forces, model->point_of[i]),
            arm = pl_vec3_sub(pl_vec3_of_f4(work->state.positions[i]), now.center);
    if (work->outside != NULL) force = pl_vec3_add(force, pl_vec3_of_f4(work->outside[model->point_of[i]]));
    push = pl_vec3_add(push, force);
    turn = pl_vec3_add(turn, pl_vec3_cross(arm, force));
  }
  double keep = 1 / (1 + h * model->mass_damping);
  pl_vec3 momentum = pl_vec3_add_scaled(before.momentum, push, h);
  momentum = pl_vec3_scale(pl_vec3_add_scaled(momentum, pl_vec3_of_f4(work->gain), model->head.mass), keep);
  pl_vec3 wanted = pl_vec3_scale(pl_vec3_add_scaled(before.spin, turn, h), keep);
  pl_vec3 drift = pl_vec3_scale(pl_vec3_sub(momentum, now.momentum), 1 / model->head.mass);
  pl_mat3 inertia = pl_fem_fast_inertia(model, work->state.positions, now.center);
  pl_vec3 spin = pl_mat3_apply(pl_mat3_inverse(inertia), pl_vec3_sub(wanted, now.spin));
  for (int32_t i = 0; i < model->head.particle_count; ++i) {
    pl_vec3 arm = pl_vec3_sub(pl_vec3_of_f4(work->state.positions[i]), now.center);
    work->state.velocities[i] += pl_f4_of_vec3(pl_vec3_add(drift, pl_vec3_cross(spin, arm)));
  }
}

static void commit(const pl_body_coupled_step *step, const pl_body_coupled_result *result) {
  pl_fem_fast_step *data = ((const fast_step *)step->data)->step;
  pl_fem_fast_work *work = work_of(step);
  get_moves(step, work->moves);
  pl_fem_fast_touch_drop_loose(&data->solver.touch);
  bool is_free = pl_fem_fast_is_free(&data->solver);
  motion before = motion_of(work);
  work->drift = work->twist = (pl_f4){0};
  pl_fem_fast_reaction reaction =
      pl_fem_fast_reaction_begin(&data->solver.touch, ((const fast_step *)step->data)->move);
  pl_fem_fast_reaction_add_forces(&reaction, work, result);
  pl_fem_fast_end_step(data, ((const fast_step *)step->data)->move);
  for (int32_t i = 0; result->rests && i < work->model->head.particle_count; ++i)
    work->state.velocities[i] = (pl_f4){0};
  if (is_free && !result->rests) correct_velocities(work, before, result);
  pl_fem_fast_reaction_end(&reaction, &data->solver.touch, ((const fast_step *)step->data)->move);
}

const pl_body_coupled pl_fem_fast_coupled = {begin, evaluate, multiply, get_blocks, commit};
