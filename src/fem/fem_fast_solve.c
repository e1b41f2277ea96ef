// The linear system of a step, by conjugate gradients on compliant volume constraints with the constant stretching
// matrix as preconditioner.
//
//   (A + sum over tets of lambda h² V g g^T + springs of pins and colliders) d = forces,   d = 0 at held particles
//
// A is factored; each volume is a compliant constraint of rank one (compliance 1 / lambda V), whose directions g turn
// with the tets. Where lambda is 0 and nothing is pinned or touched the first iteration is exact. Otherwise each takes
// the moves to the least energy in one more dimension, and `volume_rounds` of them are made. To stop early is safe:
// what is missing acts like added mass, because d = 0 continues with the velocity there is, and equilibria are not
// changed.
//
// Safe, but near a Poisson's ratio of 1/2 not good: the added mass grows with lambda / mu, and a cantilever of 3e7 Pa
// with 0.499 and two rounds is still 83 % of its sag away from rest after five seconds and 1 % after fifty. The
// eigenvalues of the preconditioned matrix lie between 1 and about 1 + lambda / mu, whatever the mesh, so that about
// 2 sqrt(lambda / mu) iterations solve it. Where that ratio is above 60 (Poisson's ratio above 0.492), as many are
// allowed, and made until the error has fallen to STIFF_TOLERANCE: then two rounds are as good as four hundred.
//
// A times a direction is never computed where the factor is exact, for it is known: a direction is made of solutions,
// and A times these are the forces that they answer. And the last iteration needs the energy of its direction, but not
// the forces: both together are an eighth of a step.
//
// Ways not taken:
// - Tets in chunks of near ones instead of colours of the whole body, so that corners come from the nearest cache: with
// chunks of 512 a step takes 9 % longer, because groups that follow each other then wait for each other's sums, and
// with 8192 2 % less.
// - Gauss-Seidel over the volumes after the solve, as in the paper, costs a third a round. It moves particles as if
// they were free masses, though stretching holds
//   them. Starting without pressures in every step, a body never rests: the states after the two solves differ by h²
//   times the force of the volumes over the mass, 2.7 mm where that is the weight and the step 1/60 s, however stiff
//   the body and with any number of rounds. Keeping pressures from step to step makes rest exact, but pressures that
//   lag behind the strain pump energy: a cantilever with Poisson's ratio 0.49 and two rounds swings forever.
// - Putting pinned particles back after a free step lets the whole body fall and relax by the way sound travels in a
// step before it is put back: 17 cm for 1e5 Pa
//   and 1.7 m for 1e7 Pa at 1/60 s. Here the inverse of A is nearly that of the pinned matrix: the few motions that
//   matter are found in a few more iterations. Where the pins were known when the model was built (`held_points`), a
//   second factor has them, and no more are needed than in flight.
#include "base/parallel.h"
#include "fem/fem_fast_turning.h"

enum { PARTICLES_PER_BLOCK = 1024, GROUPS_PER_BLOCK = 64 };
// What pins and contacts need beyond the rounds for the volume; and pins that the factor knows, next to which volumes
// are strained more than in flight: a cantilever of 3e5 Pa that falls into its sag of 0.3 m is within 0.1 mm of the
// solved motion with it and within 2 mm without.
enum { HOLD_ROUNDS = 6, HELD_ROUNDS = 1 };
// Times that contacts which pull are released, and those that do not push are made to, and the step is solved again.
enum { RELEASE_ROUNDS = 8 };
// The error, squared and in the norm of the matrix, relative to that of the first guess, and as a fraction of the
// body's size where float can tell no more.
static const double TOLERANCE = 1e-10, MIN_FRACTION = 1e-8;
// The same where iterations were added for a Poisson's ratio near 1/2.
static const double STIFF_TOLERANCE = 1e-4;

static void work_on_groups(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const pl_fem_fast_solver *solver = data;
  solver->for_groups(&solver->work, solver->first_group + begin, solver->first_group + end);
}

void pl_fem_fast_for_colors(pl_fem_fast_solver *solver,
                            void (*for_groups)(const pl_fem_fast_work *work, int32_t begin, int32_t end)) {
  const pl_fem_fast_tets *tets = &solver->work.model->tets;
  solver->for_groups = for_groups;
  for (int32_t color = 0; color < tets->color_count; ++color) {
    solver->first_group = tets->color_start[color];
    pl_parallel_for(solver->context, tets->color_start[color + 1] - solver->first_group, GROUPS_PER_BLOCK,
                    work_on_groups, solver);
  }
}

bool pl_fem_fast_is_free(const pl_fem_fast_solver *solver) {
  return solver->pin_count == 0 && solver->touch.active_count == 0;
}

void pl_fem_fast_place_pins(const pl_fem_fast_solver *solver, double fraction) {
  const pl_fem_fast_work *work = &solver->work;
  float rate = 1 / work->step;
  for (int32_t k = 0; k < solver->pin_count; ++k) {
    const pl_fem_fast_pin *pin = &solver->pins[k];
    int32_t i = pin->particle;
    pl_f4 target = pin->start + (pin->target - pin->start) * (float)fraction;
    if (pin->is_hard) {
      work->state.velocities[i] = (target - work->state.positions[i]) * rate;
      work->predicted[i] = target;
    } else {
      work->forces[i] +=
          (target - work->predicted[i]) * pin->stiffness - work->state.velocities[i] * (pin->damping * work->step);
    }
  }
}

void pl_fem_fast_choose_factor(pl_fem_fast_solver *solver, bool *is_pinned) {
  const pl_fem_fast_model *model = solver->work.model;
  int32_t found = 0, unknown = 0, hard = 0;
  for (int32_t i = 0; model->held_count > 0 && i < model->head.particle_count; ++i) is_pinned[i] = false;
  for (int32_t k = 0; k < solver->pin_count; ++k) {
    int32_t i = solver->pins[k].particle;
    if (!solver->pins[k].is_hard) continue;
    ++hard;
    unknown += !model->is_held[i];
    if (model->held_count == 0 || !model->is_held[i]) continue;
    found += !is_pinned[i];  // particles may have several pins
    is_pinned[i] = true;
  }
  bool holds_held = model->held_count > 0 && found == model->held_count;
  solver->factor = holds_held ? &model->held_factor : &model->factor;
  solver->spring_count = solver->pin_count - hard;
  solver->is_exact = holds_held ? unknown == 0 : hard == 0;
  solver->holds_all = holds_held && unknown == 0 && solver->spring_count == 0;
}

static void clear_held(const pl_fem_fast_solver *solver, pl_f4 *x) {
  for (int32_t k = 0; k < solver->pin_count; ++k)
    if (solver->pins[k].is_hard) x[solver->pins[k].particle] = (pl_f4){0};
}

static void stretch(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const pl_fem_fast_solver *solver = data;
  solver->kernels->stretch(&solver->work, begin, end);
}

void pl_fem_fast_multiply_inner(pl_fem_fast_solver *solver) {
  pl_parallel_for(solver->context, solver->work.model->head.particle_count, PARTICLES_PER_BLOCK, stretch, solver);
  pl_fem_fast_for_colors(solver, solver->kernels->press);
}

void pl_fem_fast_add_held(const pl_fem_fast_solver *solver) {
  const pl_fem_fast_work *work = &solver->work;
  for (int32_t k = 0; k < solver->pin_count; ++k) {
    const pl_fem_fast_pin *pin = &solver->pins[k];
    if (!pin->is_hard) work->product[pin->particle] += work->direction[pin->particle] * (pin->stiffness + pin->damping);
  }
  pl_fem_fast_touch_apply(&solver->touch);
  clear_held(solver, work->product);
}

// product = the whole matrix times direction. Where the factor is that of A at all particles that can move, A times the
// direction is known (turn() in fem_fast_kernel.h).
static void multiply(pl_fem_fast_solver *solver) {
  if (solver->turns) {
    pl_fem_fast_multiply_turning(solver);
    return;
  }
  if (solver->is_exact)
    pl_fem_fast_for_colors(solver, solver->kernels->press);
  else
    pl_fem_fast_multiply_inner(solver);
  pl_fem_fast_add_held(solver);
}

int32_t pl_fem_fast_squeeze_count(const pl_fem_fast_model *model) {
  return pl_block_count(model->tets.group_count, GROUPS_PER_BLOCK);
}

static void squeeze(void *data, int32_t begin, int32_t end, int32_t block) {
  const pl_fem_fast_solver *solver = data;
  solver->squeezes[block] = solver->kernels->squeeze(&solver->work, begin, end);
}

// The last iteration: only its length is asked for, and where nothing but inertia and elasticity answers, that needs no
// product.
static void finish(pl_fem_fast_solver *solver, double left) {
  const pl_fem_fast_work *work = &solver->work;
  int32_t n = work->model->head.particle_count;
  double answer;
  if (solver->is_exact && solver->spring_count == 0 && solver->touch.active_count == 0) {
    answer = solver->kernels->dot(work->direction, work->stretched, 0, n);
    pl_parallel_for(solver->context, work->model->tets.group_count, GROUPS_PER_BLOCK, squeeze, solver);
    for (int32_t b = 0; b < pl_fem_fast_squeeze_count(work->model); ++b) answer += solver->squeezes[b];
  } else {
    multiply(solver);
    answer = solver->kernels->dot(work->direction, work->product, 0, n);
  }
  float length = (float)(left / answer);
  for (int32_t i = 0; i < n; ++i) work->moves[i] += work->direction[i] * length;
}

// solved = A⁻¹ forces; returns forces . solved.
static double precondition(const pl_fem_fast_solver *solver) {
  const pl_fem_fast_work *work = &solver->work;
  int32_t n = work->model->head.particle_count;
  for (int32_t i = 0; i < n; ++i) work->solved[i] = work->forces[i];
  pl_sparse_cholesky_solve(solver->factor, work->solved, solver->workspace);
  clear_held(solver, work->solved);
  if (solver->turns) pl_fem_fast_add_turn(solver, work->forces, work->solved);
  return solver->kernels->dot(work->forces, work->solved, 0, n);
}

static void solve_moves(pl_fem_fast_solver *solver) {
  const pl_fem_fast_work *work = &solver->work;
  bool is_held = solver->holds_all && solver->touch.active_count == 0;
  int32_t n = work->model->head.particle_count, limit = work->model->volume_rounds;
  if (!pl_fem_fast_is_free(solver)) limit += is_held ? HELD_ROUNDS : HOLD_ROUNDS;
  clear_held(solver, work->forces);
  double left = precondition(solver), size = MIN_FRACTION * work->model->origin_grid;
  double min = left * TOLERANCE + work->model->head.mass * size * size, stiff_min = left * STIFF_TOLERANCE;
  for (int32_t i = 0; i < n; ++i) {
    work->direction[i] = work->solved[i];
    work->stretched[i] = work->product[i] = work->forces[i];
  }
  // A value that is not a number must propagate, so that it is seen in the moves.
  for (int32_t round = 1; !(left <= min); ++round) {
    if (round >= limit + work->model->stiff_rounds) {
      finish(solver, left);
      break;
    }
    multiply(solver);
    double answer = solver->kernels->dot(work->direction, work->product, 0, n);
    solver->kernels->advance(work, (float)(left / answer), 0, n);
    double next = precondition(solver);
    if (round >= limit && next <= stiff_min) break;
    solver->kernels->turn(work, (float)(next / left), 0, n);
    left = next;
  }
}

// The forces that are left at the moves, of all that acts.
static void find_residual(pl_fem_fast_solver *solver, const pl_f4 *forces) {
  const pl_fem_fast_work *work = &solver->work;
  int32_t n = work->model->head.particle_count;
  for (int32_t i = 0; i < n; ++i) work->direction[i] = work->moves[i];
  if (solver->turns) {
    pl_fem_fast_multiply_turning(solver);
  } else {
    pl_fem_fast_multiply_inner(solver);
    pl_fem_fast_add_held(solver);
  }
  for (int32_t i = 0; i < n; ++i) work->forces[i] = forces[i] - work->product[i];
}

void pl_fem_fast_solve(pl_fem_fast_solver *solver, pl_f4 *kept) {
  const pl_fem_fast_work *work = &solver->work;
  bool touches = solver->touch.active_count > 0;
  solver->turns = touches && solver->pin_count == 0;
  if (solver->turns) pl_fem_fast_find_turning(solver);
  for (int32_t i = 0; touches && i < work->model->head.particle_count; ++i) kept[i] = work->forces[i];
  solve_moves(solver);
  for (int round = 0; touches && round < RELEASE_ROUNDS && pl_fem_fast_touch_update(&solver->touch, kept); ++round) {
    find_residual(solver, kept);
    solve_moves(solver);
  }
  pl_fem_fast_touch_drop_loose(&solver->touch);
}
