// One step of the fast corotated solid (after Kugelstadt, Koschier and Bender 2018).
//
//   every particle:   y = x + h v
//   every tet:        F = sum y_a b_a^T,  R = rotation nearest to F S~,  g_a = R b_a,  t = tr(R^T F) - tr S~
//   the body:         (A + sum lambda h² V g g^T) d = h² (m a + f - damping m v + e)
//                     e = sum over tets of (2 mu V (R S~ - F) - lambda V t R) b_a
//   every particle:   v <- v + d / h,   x <- x + h v
//
//   x y     position, and prediction by its velocity
//   d       displacement from y to the new position
//   b_a     gradient of the shape function of corner a
//   V F R   rest volume, deformation gradient, rotation of a tet
//   S~      rest shape of a tet by the mixture of the examples (fem_fast_examples.c); 1 without
//   t       strain of volume
//   A       M (1 + h damping) + h² sum 2 mu V b_a . b_b, constant
//
// This is an implicit Euler step with rotations that are found once. The energy of corotated tets, mu |F - R|² + lambda
// / 2 (tr(R^T F) - 3)², is split: the first part, stretching, has a constant matrix, factored when the model is built;
// the second, volume, is a compliant constraint per tet and is dealt with in a few iterations (fem_fast_solve.c).
//
// Differs from the paper:
// - The iterations on volume are conjugate gradients around the factor instead of Gauss-Seidel after it: then bodies
// come to rest in the equilibrium of corotated
//   tets, with any number of iterations, and may be pinned and lie on colliders (fem_fast_solve.c says what else was
//   tried).
// - Rotations are those of x + h v, without what gravity and other forces add. That changes nothing in flight; but near
// pins a body would be deformed by h² a, and
//   with rotations found there it comes to rest 7 % too low at 1e6 Pa and 70 % at 1e7 Pa.
// - They come from a guarded Newton iteration that starts at the last ones (math/rotation_batch.h) instead of the
// closed form: it handles inverted tets as well and
//   is done after one or two iterations.
// - Because rotations are those of y and not of the result, forces could exert a torque. The rigid part of d, which
// inner forces cannot make, is taken out:
//   linear and angular momentum are kept.
#include <math.h>

#include "base/error.h"
#include "base/parallel.h"
#include "contact/collider.h"
#include "fem/fem_fast_solve.h"
#include "math/mat3.h"
#include "pliant/math.h"

enum { PARTICLES_PER_BLOCK = 1024, MAX_STEPS = 1000 };

static void predict(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const pl_fem_fast_step *d = data;
  d->solver.kernels->predict(&d->solver.work, begin, end);
}

static void sum(void *data, int32_t begin, int32_t end, int32_t block) {
  const pl_fem_fast_step *d = data;
  d->solver.kernels->sum(&d->solver.work, begin, end, &d->sums[block]);
}

static void finish(void *data, int32_t begin, int32_t end, int32_t block) {
  const pl_fem_fast_step *d = data;
  d->is_finite[block] = d->solver.kernels->finish(&d->solver.work, begin, end);
}

static pl_vec3 vec3_of_d4(pl_fast_d4 a) {
  return (pl_vec3){a[0], a[1], a[2]};
}

// The rigid part of the moves, by which momentum would change; blocks are added in their order.
static void find_rigid_part(pl_fem_fast_step *d, int32_t block_count) {
  pl_fem_fast_sums s = d->sums[0];
  for (int32_t b = 1; b < block_count; ++b) {
    s.drift += d->sums[b].drift;
    s.twist += d->sums[b].twist;
    s.moment += d->sums[b].moment;
    s.squares += d->sums[b].squares;
    s.products += d->sums[b].products;
  }
  double mass = d->solver.work.model->head.mass;
  pl_vec3 c = pl_vec3_scale(vec3_of_d4(s.moment), 1 / mass), drift = pl_vec3_scale(vec3_of_d4(s.drift), 1 / mass);
  pl_vec3 twist = pl_vec3_sub(vec3_of_d4(s.twist), pl_vec3_scale(pl_vec3_cross(c, drift), mass));
  double xx = s.squares[0] - mass * c.x * c.x, yy = s.squares[1] - mass * c.y * c.y,
         zz = s.squares[2] - mass * c.z * c.z;
  double xy = s.products[0] - mass * c.x * c.y, yz = s.products[1] - mass * c.y * c.z,
         xz = s.products[2] - mass * c.z * c.x;
  // A body squeezed to a line has no inertia around it: the small fraction of the trace keeps the matrix invertible.
  double min = 1e-9 * (xx + yy + zz);
  pl_mat3 inertia = {{{yy + zz + min, -xy, -xz}, {-xy, xx + zz + min, -yz}, {-xz, -yz, xx + yy + min}}};
  pl_mat3 inverse = pl_mat3_determinant(inertia) > 0 ? pl_mat3_inverse(inertia) : pl_mat3_zero();
  d->solver.work.center = pl_f4_of_vec3(c);
  d->solver.work.drift = pl_f4_of_vec3(drift);
  d->solver.work.twist = pl_f4_of_vec3(pl_mat3_apply(inverse, twist));
}

// Let the origin follow a body that has moved away from it by more than a grid cell. Whole cells keep the shift exact.
static void follow_origin(const pl_fem_fast_model *model, pl_fem_fast_state state) {
  pl_f4 near = state.positions[0];
  double grid = model->origin_grid;
  pl_vec3 cells = {nearbyint((double)near[0] / grid), nearbyint((double)near[1] / grid),
                   nearbyint((double)near[2] / grid)};
  double far = fmax(fabs(cells.x), fmax(fabs(cells.y), fabs(cells.z)));
  if (!(far > 1) || !isfinite(far)) return;
  pl_vec3 shift = pl_vec3_scale(cells, grid);
  state.origin[0] += shift.x;
  state.origin[1] += shift.y;
  state.origin[2] += shift.z;
  for (int32_t i = 0; i < model->head.particle_count; ++i) state.positions[i] -= pl_f4_of_vec3(shift);
}

static bool take_memory(pl_fem_fast_step *d, const pl_body_move *move) {
  pl_fem_fast_work *work = &d->solver.work;
  const pl_fem_fast_model *model = work->model;
  size_t n = (size_t)model->head.particle_count, blocks = (size_t)pl_block_count((int32_t)n, PARTICLES_PER_BLOCK);
  pl_f4 **arrays[] = {&work->predicted, &work->moves,     &work->forces, &work->solved,
                      &work->direction, &work->stretched, &work->product};
  bool has_memory = true;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
    *arrays[i] = PL_SCRATCH(move->scratch, pl_f4, n + PL_FAST_PADDING);
    has_memory = has_memory && *arrays[i] != NULL;
    for (size_t k = 0; has_memory && k < PL_FAST_PADDING; ++k) (*arrays[i])[n + k] = (pl_f4){0};
  }
  work->pulls = PL_SCRATCH(move->scratch, float, (size_t)model->tets.group_count *MAT3_LANES);
  if (model->examples.count > 0) {
    work->gradients = PL_SCRATCH(move->scratch, float, (size_t)model->tets.group_count *MAT3_LANES);
    d->example_pulls = PL_SCRATCH(move->scratch, double, pl_fem_fast_pulls_size(model));
    has_memory = has_memory && work->gradients && d->example_pulls;
  }
  d->kept_forces = PL_SCRATCH(move->scratch, pl_f4, n);
  d->solver.turning.kept = PL_SCRATCH(move->scratch, pl_f4, n);
  has_memory = has_memory && d->kept_forces != NULL && d->solver.turning.kept != NULL;
  d->solver.workspace = PL_SCRATCH(move->scratch, float, pl_sparse_cholesky_workspace(&model->factor));
  d->solver.squeezes = PL_SCRATCH(move->scratch, double, pl_fem_fast_squeeze_count(model));
  d->sums = PL_SCRATCH(move->scratch, pl_fem_fast_sums, blocks);
  d->is_finite = PL_SCRATCH(move->scratch, bool, blocks);
  d->pins = PL_SCRATCH(move->scratch, pl_fem_fast_pin, move->pin_count);
  d->is_pinned = PL_SCRATCH(move->scratch, bool, n);
  pl_fem_fast_touch *touch = &d->solver.touch;
  touch->starts = PL_SCRATCH(move->scratch, pl_transform, move->collider_count);
  touch->ends = PL_SCRATCH(move->scratch, pl_transform, move->collider_count);
  touch->points = PL_SCRATCH(move->scratch, pl_fem_fast_contact, model->head.surface.point_count);
  touch->active = PL_SCRATCH(move->scratch, int32_t, model->head.surface.point_count);
  has_memory = has_memory && touch->starts && touch->ends && touch->points && touch->active;
  return has_memory && work->pulls && d->solver.workspace && d->solver.squeezes && d->sums && d->is_finite && d->pins &&
         d->is_pinned;
}

static void list_pins(pl_fem_fast_step *d, const pl_body_move *move) {
  const pl_fem_fast_model *model = d->solver.work.model;
  const double *o = d->solver.work.state.origin;
  for (int32_t k = 0; k < move->pin_count; ++k) {
    const pl_body_pin *pin = &move->pins[k];
    int32_t i = model->particle_of[pin->particle];
    d->pins[k] = (pl_fem_fast_pin){
        .particle = i,
        .is_hard = pin->stiffness == 0,
        .start = d->solver.work.state.positions[i],
        .target = pl_f4_of_vec3(pl_vec3_sub(pin->target, (pl_vec3){o[0], o[1], o[2]})),
        .stiffness = (float)(model->step * model->step * pin->stiffness),
        .damping = (float)(model->step * pin->damping),
    };
  }
  d->solver.pins = d->pins;
  d->solver.pin_count = move->pin_count;
  pl_fem_fast_choose_factor(&d->solver, d->is_pinned);
}

// The equations of step `k` of `count` that make one of the world.
static void set_up(pl_fem_fast_step *d, const pl_body_move *move, int32_t k, int32_t count) {
  int32_t n = d->solver.work.model->head.particle_count;
  double h = d->solver.work.model->step;
  for (int32_t c = 0; c < move->collider_count; ++c)
    pl_collider_motion(move->colliders[c], move->time + k * h, h, &d->solver.touch.starts[c], &d->solver.touch.ends[c]);
  d->solver.work.drift = d->solver.work.twist = (pl_f4){0};
  pl_parallel_for(move->context, n, PARTICLES_PER_BLOCK, predict, d);
  pl_fem_fast_place_pins(&d->solver, (k + 1.0) / count);
  pl_fem_fast_touch_find(move->context, &d->solver.touch);
  pl_fem_fast_find_weights(d);
  pl_fem_fast_for_colors(&d->solver, d->solver.kernels->match);
}

static void step_once(pl_fem_fast_step *d, const pl_body_move *move, int32_t k, int32_t count) {
  int32_t n = d->solver.work.model->head.particle_count;
  set_up(d, move, k, count);
  pl_fem_fast_solve(&d->solver, d->kept_forces);
  pl_fem_fast_reaction reaction = pl_fem_fast_reaction_begin(&d->solver.touch, move);
  pl_fem_fast_touch_settle(&d->solver.touch);
  pl_fem_fast_touch_report(&d->solver.touch, move);
  if (pl_fem_fast_is_free(&d->solver)) {
    pl_parallel_for(move->context, n, PARTICLES_PER_BLOCK, sum, d);
    find_rigid_part(d, pl_block_count(n, PARTICLES_PER_BLOCK));
  }
  pl_parallel_for(move->context, n, PARTICLES_PER_BLOCK, finish, d);
  pl_fem_fast_reaction_end(&reaction, &d->solver.touch, move);
}

// How many steps of the model make one of the world; 0 where none do.
static int32_t count_steps(double model_step, double world_step) {
  double count = nearbyint(world_step / model_step);
  return count >= 1 && count <= MAX_STEPS && fabs(count * model_step - world_step) <= 1e-6 * model_step ? (int32_t)count
                                                                                                        : 0;
}

// Everything that the steps of one move share; false when out of memory.
static bool begin(const pl_model *model, void *state, const pl_body_move *move, pl_fem_fast_step *d) {
  const pl_fem_fast_model *fast = (const pl_fem_fast_model *)model;
  *d = (pl_fem_fast_step){
      .solver = {.context = move->context,
                 .kernels = pl_fem_fast_kernels_choose(),
                 .work = {.model = fast,
                          .state = pl_fem_fast_state_of(model, state),
                          .outside = move->forces,
                          .step = (float)fast->step,
                          .damping = (float)(fast->step * fast->mass_damping),
                          .reach = (float)(fast->step / (1 + fast->step * fast->mass_damping)),
                          .gain = pl_f4_of_vec3(pl_vec3_scale(move->acceleration, fast->step))}},
  };
  if (!take_memory(d, move)) return false;
  // Padding is a tet at rest.
  for (int k = 1; k < PL_FAST_PADDING; ++k) d->solver.work.predicted[model->particle_count + k][k - 1] = 1;
  list_pins(d, move);
  d->solver.touch.work = &d->solver.work;
  d->solver.touch.colliders = move->colliders;
  d->solver.touch.collider_count = move->collider_count;
  d->solver.touch.frictions = move->collider_frictions;
  return true;
}

static void end(pl_fem_fast_step *d) {
  const pl_fem_fast_model *model = d->solver.work.model;
  pl_fem_fast_state s = d->solver.work.state;
  *s.suspect = 0;
  for (int32_t b = 0; b < pl_block_count(model->head.particle_count, PARTICLES_PER_BLOCK); ++b)
    *s.suspect |= !d->is_finite[b];
  follow_origin(model, s);
}

pl_fem_fast_step *pl_fem_fast_begin_step(const pl_model *model, void *state, const pl_body_move *move) {
  pl_fem_fast_step *d = PL_SCRATCH(move->scratch, pl_fem_fast_step, 1);
  if (d == NULL || !begin(model, state, move, d)) return NULL;
  set_up(d, move, 0, 1);
  return d;
}

void pl_fem_fast_end_step(pl_fem_fast_step *d, const pl_body_move *move) {
  pl_fem_fast_touch_settle(&d->solver.touch);
  pl_fem_fast_touch_report(&d->solver.touch, move);
  pl_parallel_for(d->solver.context, d->solver.work.model->head.particle_count, PARTICLES_PER_BLOCK, finish, d);
  end(d);
}

bool pl_fem_fast_is_one_step(const pl_model *model, double world_step) {
  return count_steps(((const pl_fem_fast_model *)model)->step, world_step) == 1;
}

pl_status pl_fem_fast_move(const pl_model *model, void *state, const pl_body_move *move, pl_error *error) {
  const pl_fem_fast_model *fast = (const pl_fem_fast_model *)model;
  int32_t step_count = count_steps(fast->step, move->step);
  if (step_count == 0)
    return pl_fail(
        error, PL_ERROR_UNSUPPORTED,
        "this model was built for steps of %g s and the world's are %g s; set fast_step of its def to the world's step",
        fast->step, move->step);
  pl_scratch_mark mark = pl_scratch_push(move->scratch);
  pl_fem_fast_step d;
  if (!begin(model, state, move, &d)) {
    pl_scratch_pop(move->scratch, mark);
    return pl_fail_memory(error);
  }
  for (int32_t k = 0; k < step_count; ++k) step_once(&d, move, k, step_count);
  end(&d);
  pl_scratch_pop(move->scratch, mark);
  return PL_OK;
}
