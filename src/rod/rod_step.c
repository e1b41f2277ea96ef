// One step of a rod body (paper 001).
//
//   every chain:   w = weights, from the view (Algorithm 1) or given
//                  P(w) = blended rest pose, when w has changed (eqs. 4 to 9)
//   suppression:   transport   the chain follows its rest pose, keeping every segment's deviation from it
//                  paper       w_proj = nearest weights to the chain's present pose within a window around w
//                              (eqs. 16 to 18); a second solve towards P(w_proj) gives the velocities (eqs. 14, 15)
//   every chain:   v += alpha (goal - x) / h + h a,  x += h v, likewise orientations (generalised shape matching)
//                  lengths are kept, colliders avoided, angles limited
//                  v = (x_new - x_old) / h (eqs. 10 to 13)
//
// Goals are taken from where the chain is at the beginning of the step, so that without damping a swing keeps its
// energy; position based dynamics would take them from where it is going, and lose a fraction alpha of it in every
// step. Spring bones (VRM) have an update of their own in place of the matching.
//
// Eight chains are done at a time (rod_kernel.h); this file is the order in which things happen.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "examples/simplex_project.h"
#include "pliant/math.h"
#include "rod/rod_kernels.h"
#include "rod/rod_volume.h"

enum { BATCHES_PER_BLOCK = 4, MANY_BATCHES = 64, CONTACT_ROUNDS = 4 };

typedef struct step_data {
  const pl_rod_model *model;
  const pl_rod_kernels *kernels;
  const pl_body_move *move;
  pl_rod_state state;
  pl_transform *starts, *ends;         // of the kinematic joints
  pl_rod_contact_collider *colliders;  // the body's own, then the world's
  int32_t collider_count;
  int32_t *obstacle_start;      // of each slot, in the move's obstacles; NULL: there are none
  const pl_rod_volume *volume;  // NULL: chains do not feel each other through one
  double shared;                // fraction of the way to the velocity around that friction goes in the step
  float stiffness, kept;
  float *work;       // per block
  size_t work_size;  // floats
  bool *is_finite;   // per block
  // Per block one for each collider of the world: what the chains of the block felt of it; NULL: not wanted
  pl_body_touch *touches;
} step_data;

// The chains of a batch that are pushed out of things.
typedef struct pushed_chains {
  int32_t batch;
  const pl_vec3 *root_starts;
  const float *start;  // positions at the start of the step; NULL: these are pushed
  float *end;
  float *chosen;           // 1 in the lanes of chains that may move, and of those that touched afterwards
  pl_body_touch *touches;  // one for each collider of the world; NULL: not wanted
} pushed_chains;

// Workspace of one batch, in rows of eight lanes.
typedef struct workbench {
  float *scratch, *accelerations, *kept_by_drag, *targets, *pulls;
  float *rest_positions, *rest_rotations;       // the new rest pose
  float *shadow_rests, *shadow_rest_rotations;  // P(w_proj)
  float *positions, *rotations;                 // where the step ends
  float *shadow_positions, *shadow_rotations;
} workbench;

static size_t workbench_size(const pl_rod_model *model) {
  size_t n = (size_t)model->max_joint_count, k = (size_t)model->max_example_count;
  // Accelerations and drag; targets and pulls; four poses of positions and rotations.
  size_t rows =
      PL_ROD_WORK_ROWS(n, model->max_constraint_count, model->max_entry_count) + (3 + 1) * n + 2 * k + 4 * (3 + 4) * n;
  return rows * LANES;
}

static workbench workbench_at(const step_data *d, int32_t block) {
  const pl_rod_model *model = d->model;
  size_t n = (size_t)model->max_joint_count * LANES, k = (size_t)model->max_example_count * LANES;
  float *at = d->work + (size_t)block * d->work_size;
  workbench w = {.scratch = at};
  at += PL_ROD_WORK_ROWS(model->max_joint_count, model->max_constraint_count, model->max_entry_count) * LANES;
  w.accelerations = at, at += 3 * n;
  w.kept_by_drag = at, at += n;
  w.targets = at, at += k;
  w.pulls = at, at += k;
  w.rest_positions = at, at += 3 * n;
  w.rest_rotations = at, at += 4 * n;
  w.shadow_rests = at, at += 3 * n;
  w.shadow_rest_rotations = at, at += 4 * n;
  w.positions = at, at += 3 * n;
  w.rotations = at, at += 4 * n;
  w.shadow_positions = at, at += 3 * n;
  w.shadow_rotations = at;
  return w;
}

static pl_vec3 root_at(pl_rod_state s, int32_t slot) {
  return (pl_vec3){s.roots[3 * slot], s.roots[3 * slot + 1], s.roots[3 * slot + 2]};
}

static pl_vec3 spin_between(pl_quat from, pl_quat to, double step) {
  if (from.x == to.x && from.y == to.y && from.z == to.z && from.w == to.w) return (pl_vec3){0, 0, 0};
  pl_quat turn = pl_quat_multiply(to, pl_quat_conjugate(from));
  double sine = sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z), angle = 2 * atan2(sine, fabs(turn.w));
  double scale = sine > 1e-12 ? copysign(angle / sine, turn.w) : copysign(2, turn.w);
  return pl_vec3_scale((pl_vec3){turn.x, turn.y, turn.z}, scale / step);
}

// A chain with a center moves with it before the step begins: inertia then counts in the center's frame.
static pl_transform ride_center(const step_data *d, int32_t batch, int32_t lane, pl_rod_lanes lanes, pl_vec3 *root) {
  const pl_rod_batch *b = &d->model->batches[batch];
  int32_t center = b->centers[lane];
  if (center < 0) return pl_transform_identity();
  pl_transform start = d->starts[center], end = d->ends[center];
  pl_quat turn = pl_quat_normalize(pl_quat_multiply(end.rotation, pl_quat_conjugate(start.rotation)));
  pl_transform motion = {pl_vec3_sub(end.position, pl_quat_rotate(turn, start.position)), turn};
  pl_rod_turn_lane(lanes, b->plan->joint_count, lane, turn);
  *root = pl_transform_apply(motion, *root);
  return motion;
}

// Motion of the kinematic joints above the chains. The roots are moved to their new positions; the old ones are in
// `root_starts`.
static void move_bases(const step_data *d, int32_t batch, pl_rod_lanes lanes, pl_rod_base *base, pl_vec3 *root_starts) {
  const pl_rod_batch *b = &d->model->batches[batch];
  double h = d->move->step;
  for (int32_t lane = 0; lane < LANES; ++lane) {
    int32_t slot = batch * LANES + lane;
    pl_transform start = d->starts[b->bases[lane]], end = d->ends[b->bases[lane]];
    pl_vec3 from = root_at(d->state, slot), to = pl_transform_apply(end, b->root_offsets[lane]);
    start.rotation =
        pl_quat_normalize(pl_quat_multiply(ride_center(d, batch, lane, lanes, &from).rotation, start.rotation));
    pl_vec3 shift = pl_vec3_sub(to, from);
    pl_rod_put_quat(base->start, 0, lane, start.rotation);
    pl_rod_put_quat(base->end, 0, lane, end.rotation);
    pl_rod_put_vec3(base->shift, 0, lane, shift);
    pl_rod_put_vec3(base->velocity, 0, lane, pl_vec3_scale(shift, 1 / h));
    pl_rod_put_vec3(base->spin, 0, lane, spin_between(start.rotation, end.rotation, h));
    root_starts[lane] = from;
    d->state.roots[3 * slot] = to.x;
    d->state.roots[3 * slot + 1] = to.y;
    d->state.roots[3 * slot + 2] = to.z;
  }
}

// Direction from each root to the camera, in the frame of its kinematic joint: [3][8].
static void find_directions(const step_data *d, int32_t batch, double *directions) {
  const pl_rod_batch *b = &d->model->batches[batch];
  pl_vec3 eye = {d->state.head->eye[0], d->state.head->eye[1], d->state.head->eye[2]};
  for (int32_t lane = 0; lane < LANES; ++lane) {
    pl_transform base = d->ends[b->bases[lane]];
    pl_vec3 root = pl_transform_apply(base, b->root_offsets[lane]);
    pl_vec3 direction = pl_quat_rotate(pl_quat_conjugate(base.rotation), pl_vec3_sub(eye, root));
    directions[lane] = direction.x;
    directions[LANES + lane] = direction.y;
    directions[2 * LANES + lane] = direction.z;
  }
}

// Weights the chains of a batch should have now.
static void find_targets(const step_data *d, int32_t batch, pl_rod_lanes lanes, float *targets) {
  const pl_rod_batch *b = &d->model->batches[batch];
  bool follows_view = false;
  for (int32_t lane = 0; d->state.head->looking && lane < b->lane_count; ++lane)
    follows_view = follows_view || (lanes.sources[lane] == PL_ROD_BY_ITSELF && b->view_counts[lane] > 0);
  if (follows_view) {
    _Alignas(32) double directions[VEC3_LANES];
    find_directions(d, batch, directions);
    for (int32_t lane = 0; b->kernels != NULL && lane < LANES; ++lane)
      pl_rod_interpolate_view(
          b, lane, (pl_vec3){directions[lane], directions[LANES + lane], directions[2 * LANES + lane]}, targets);
    if (b->kernels == NULL) d->kernels->view(b, directions, targets);
  } else {
    memset(targets, 0, LANES * (size_t)b->example_count * sizeof(float));
  }
  for (int32_t lane = 0; lane < LANES; ++lane) {
    int32_t source = lane < b->lane_count ? lane : 0;  // padding repeats the first chain
    for (int32_t k = 0; lanes.sources[source] == PL_ROD_GIVEN && k < b->example_count; ++k)
      targets[LANES * k + lane] = lanes.given[LANES * k + source];
  }
}

// Take the weights over, at once or over time; `changed` says of each chain whether they are others now. Returns
// whether any is.
static bool update_weights(const step_data *d, int32_t batch, pl_rod_lanes lanes, float *targets, bool *changed) {
  const pl_rod_batch *b = &d->model->batches[batch];
  find_targets(d, batch, lanes, targets);
  float fraction =
      d->model->view_time > 0 && !d->state.head->fresh ? (float)(1 - exp(-d->move->step / d->model->view_time)) : 1.0f;
  bool any = false;
  for (int32_t lane = 0; lane < LANES; ++lane) changed[lane] = false;
  for (int32_t k = 0; k < b->example_count; ++k)
    for (int32_t lane = 0; lane < LANES; ++lane) {
      float *weight = &lanes.weights[LANES * k + lane], target = targets[LANES * k + lane];
      if (*weight == target) continue;
      float next = *weight + fraction * (target - *weight);
      // In single precision the last millionth would never be covered.
      *weight = fraction == 1.0f || next == *weight || fabsf(target - next) < 1e-6f ? target : next;
      changed[lane] = any = true;
    }
  return any;
}

// What the hair around a chain does to it (rod_volume.c).
static void add_volume(const step_data *d, int32_t batch, pl_rod_lanes lanes, const pl_vec3 *roots,
                       float *accelerations) {
  const pl_rod_model *model = d->model;
  const pl_rod_batch *b = &model->batches[batch];
  double h = d->move->step, speed = model->volume_pressure;
  for (int32_t lane = 0; lane < b->lane_count; ++lane) {
    for (int32_t i = 1; i < b->plan->joint_count; ++i) {
      pl_vec3 velocity = pl_rod_get_vec3(lanes.velocities, i, lane);
      pl_rod_volume_sample around =
          pl_rod_volume_at(d->volume, pl_vec3_add(roots[lane], pl_rod_get_vec3(lanes.positions, i, lane)));
      pl_vec3 change = pl_vec3_scale(pl_vec3_sub(around.velocity, velocity), d->shared);
      if (around.density > model->volume_density) {
        pl_vec3 push = pl_vec3_scale(around.gradient, -speed * speed * h / around.density);
        double length = pl_vec3_length(push);
        // Nothing is driven faster than sound.
        change = pl_vec3_add_scaled(change, push, length > speed ? speed / length : 1);
      }
      pl_rod_put_vec3(accelerations, i, lane,
                      pl_vec3_add_scaled(pl_rod_get_vec3(accelerations, i, lane), change, 1 / h));
    }
  }
}

static void find_accelerations(const step_data *d, int32_t batch, pl_rod_lanes lanes, const pl_vec3 *roots,
                               float *accelerations) {
  const pl_rod_batch *b = &d->model->batches[batch];
  const pl_body_move *move = d->move;
  // Spring bones know only the pull that is declared with them.
  pl_vec3 a = d->model->solver == PL_ROD_SPRING_BONE ? (pl_vec3){0, 0, 0} : move->acceleration;
  for (int32_t i = 0; i < b->plan->joint_count; ++i)
    for (int32_t lane = 0; lane < LANES; ++lane) {
      pl_vec3 here = a;
      if (move->forces != NULL)
        here = pl_vec3_add_scaled(here, pl_vec3_of_f4(move->forces[b->joints[LANES * i + lane]]),
                                  (double)b->inverse_masses[LANES * i + lane]);
      pl_rod_put_vec3(accelerations, i, lane, here);
    }
  if (move->air_density > 0 && move->drag > 0) {
    float wind[3] = {(float)move->wind.x, (float)move->wind.y, (float)move->wind.z};
    d->kernels->blow(b, &lanes, wind, (float)(0.5 * move->air_density * move->drag), (float)move->step, accelerations);
  }
  if (d->volume != NULL) add_volume(d, batch, lanes, roots, accelerations);
}

// One round of pushing the chains of a batch out of everything. Returns whether any touched.
static bool collide(const step_data *d, const pushed_chains *chains, int round, bool with_obstacles) {
  const pl_rod_model *model = d->model;
  const pl_rod_batch *b = &model->batches[chains->batch];
  bool any = false;
  for (int32_t lane = 0; lane < LANES; ++lane) {
    int32_t count = 0, slot = chains->batch * LANES + lane;
    pl_rod_contact contact = {b,
                              lane,
                              chains->root_starts[lane],
                              root_at(d->state, slot),
                              chains->start,
                              chains->end,
                              model->head.friction,
                              d->move->step,
                              round > 0,
                              NULL};
    bool may = lane < b->lane_count && chains->chosen[lane] != 0;
    for (int32_t k = b->collider_start[lane]; may && k < b->collider_start[lane + 1]; ++k) {
      const pl_rod_contact_collider *collider = &d->colliders[b->collider_list[k]];
      if (pl_rod_contact_is_near(&contact, collider)) count += pl_rod_contact_resolve(&contact, collider);
    }
    for (int32_t k = model->collider_count; may && k < d->collider_count; ++k) {
      contact.touch = chains->touches != NULL ? &chains->touches[k - model->collider_count] : NULL;
      if (pl_rod_contact_is_near(&contact, &d->colliders[k]))
        count += pl_rod_contact_resolve(&contact, &d->colliders[k]);
    }
    if (may && with_obstacles) {
      int32_t from = d->obstacle_start[slot];
      count += pl_rod_contact_resolve_obstacles(&contact, model->segment_start[slot], d->move->obstacles + from,
                                                d->obstacle_start[slot + 1] - from);
    }
    chains->chosen[lane] = count > 0 ? 1.0f : 0.0f;
    any = any || count > 0;
  }
  return any;
}

static void run_solve(const step_data *d, int32_t batch, const pl_rod_solve *solve, const pl_vec3 *root_starts,
                      pl_body_touch *touches) {
  const pl_rod_kernels *kernels = d->kernels;
  bool springs = d->model->solver == PL_ROD_SPRING_BONE;
  if (springs) {
    kernels->spring(solve);
  } else {
    kernels->match(solve);
    kernels->keep_lengths(solve);
  }
  _Alignas(32) float touching[LANES] = {1, 1, 1, 1, 1, 1, 1, 1};
  pl_rod_solve touched = *solve;
  touched.chosen = touching;
  // The second solve of the paper's suppression finds velocities alone: what it touches has been pushed already.
  bool with_obstacles = d->obstacle_start != NULL && !solve->predicts;
  pushed_chains chains = {batch, root_starts, solve->from.positions, solve->positions, touching, touches};
  for (int round = 0; (d->collider_count > 0 || with_obstacles) && round < CONTACT_ROUNDS; ++round) {
    if (!collide(d, &chains, round, with_obstacles)) break;
    if (!springs) kernels->keep_lengths(&touched);
    kernels->follow(&touched);
  }
  // Bodies have the last word: lengths that are a little off are right again a step later, a thin chain that has passed
  // another never.
  for (int32_t lane = 0; lane < LANES; ++lane) touching[lane] = 1;
  for (int round = 0; with_obstacles && round < CONTACT_ROUNDS; ++round)
    if (!collide(d, &chains, CONTACT_ROUNDS + round, true)) break;
  kernels->follow(solve);
}

// Weights of the pose nearest to the present one (eq. 17), kept within the window around the current ones, and the rest
// pose they make.
static void project_rest(const step_data *d, int32_t batch, pl_rod_lanes lanes, const pl_rod_base *base, workbench *w) {
  const pl_rod_batch *b = &d->model->batches[batch];
  int32_t count = b->example_count;
  d->kernels->project(b, &lanes, base->start, w->pulls);
  for (int32_t lane = 0; lane < LANES; ++lane) {
    double values[PL_WEIGHTS_MAX], center[PL_WEIGHTS_MAX];
    values[0] = center[0] = 1;
    for (int32_t k = 0; k < count; ++k) {
      double found = (double)lanes.weights[LANES * k + lane];
      for (int32_t j = 0; j < count; ++j)
        found += (double)b->inverse_grams[LANES * (k * count + j) + lane] * (double)w->pulls[LANES * j + lane];
      values[k + 1] = found;
      center[k + 1] = (double)lanes.weights[LANES * k + lane];
      values[0] -= values[k + 1];
      center[0] -= center[k + 1];
    }
    if (!pl_window_project(count + 1, values, center, d->model->window, -HUGE_VAL, values))
      memcpy(values, center, sizeof values);
    for (int32_t k = 0; k < count; ++k) w->targets[LANES * k + lane] = (float)values[k + 1];
  }
  d->kernels->blend(b, w->targets, w->shadow_rests, w->shadow_rest_rotations);
}

// The chain goes along with its rest pose. What that pushes into a collider is corrected at once, so that it does not
// turn into speed.
static void transport_chains(const step_data *d, int32_t batch, pl_rod_lanes lanes, const pl_rod_solve *solve,
                             const bool *changed, const pl_vec3 *root_starts, workbench *w) {
  const pl_rod_batch *b = &d->model->batches[batch];
  size_t n = (size_t)b->plan->joint_count * LANES;
  bool all = true;
  for (int32_t lane = 0; lane < LANES; ++lane) all = all && changed[lane];
  if (!all) memcpy(w->positions, lanes.positions, 3 * n * sizeof(float));
  if (!all) memcpy(w->shadow_positions, lanes.velocities, 3 * n * sizeof(float));
  if (!all) memcpy(w->rotations, lanes.rotations, 4 * n * sizeof(float));
  d->kernels->transport(b, &lanes, w->rest_positions, w->rest_rotations);
  // Chains whose weights have not changed stay as they are, to the bit.
  for (size_t k = 0; !all && k < 4 * n; ++k) {
    if (changed[k % LANES]) continue;
    lanes.rotations[k] = w->rotations[k];
    if (k >= 3 * n) continue;
    lanes.positions[k] = w->positions[k];
    lanes.velocities[k] = w->shadow_positions[k];
  }
  if (d->collider_count == 0) return;
  _Alignas(32) float touching[LANES];
  for (int32_t lane = 0; lane < LANES; ++lane) touching[lane] = changed[lane] ? 1.0f : 0.0f;
  pl_rod_solve at_start = *solve;
  at_start.positions = lanes.positions;
  at_start.rotations = lanes.rotations;
  at_start.chosen = touching;
  pushed_chains chains = {batch, root_starts, NULL, lanes.positions, touching, NULL};
  for (int round = 0; round < CONTACT_ROUNDS; ++round) {
    if (!collide(d, &chains, round, false)) return;
    d->kernels->keep_lengths(&at_start);
    d->kernels->follow(&at_start);
  }
}

// Chains whose weights have not changed take their velocities from the first solve after all.
static void spare_lanes(const pl_rod_solve *solve, const pl_rod_solve *shadow, const bool *changed) {
  for (int32_t row = 0; row < 4 * solve->batch->plan->joint_count; ++row)
    for (int32_t lane = 0; lane < LANES; ++lane) {
      if (changed[lane]) continue;
      if (row < 3 * solve->batch->plan->joint_count)
        shadow->positions[LANES * row + lane] = solve->positions[LANES * row + lane];
      shadow->rotations[LANES * row + lane] = solve->rotations[LANES * row + lane];
    }
}

static bool move_batch(const step_data *d, int32_t batch, workbench *w, pl_body_touch *touches) {
  const pl_rod_batch *b = &d->model->batches[batch];
  pl_rod_lanes lanes = pl_rod_lanes_of(d->model, d->state, batch);
  pl_rod_base base;
  pl_vec3 root_starts[LANES];
  move_bases(d, batch, lanes, &base, root_starts);
  pl_rod_solve solve = {.batch = b,
                        .base = &base,
                        .from = lanes,
                        .rest_positions = lanes.rest_positions,
                        .rest_rotations = lanes.rest_rotations,
                        .matches = lanes.matches,
                        .accelerations = w->accelerations,
                        .kept_by_drag = w->kept_by_drag,
                        .step = (float)d->move->step,
                        .stiffness = d->stiffness,
                        .kept = d->kept,
                        .positions = w->positions,
                        .rotations = w->rotations,
                        .work = w->scratch};
  bool changed[LANES];
  bool any = update_weights(d, batch, lanes, w->targets, changed),
       carries = d->model->ghost_momentum == PL_ROD_GHOST_MOMENTUM_TRANSPORT || d->state.head->fresh;
  if (any) {
    d->kernels->blend(b, lanes.weights, w->rest_positions, w->rest_rotations);
    if (carries) {
      transport_chains(d, batch, lanes, &solve, changed, root_starts, w);
    } else {
      size_t rows = (size_t)b->plan->joint_count * LANES * sizeof(float);
      memcpy(lanes.rest_positions, w->rest_positions, 3 * rows);
      memcpy(lanes.rest_rotations, w->rest_rotations, 4 * rows);
    }
  }
  find_accelerations(d, batch, lanes, root_starts, w->accelerations);
  if (d->model->solver == PL_ROD_SPRING_BONE)
    for (int32_t i = 0; i < LANES * b->plan->joint_count; ++i)
      w->kept_by_drag[i] = powf(b->drags[i], 60 * (float)d->move->step);
  run_solve(d, batch, &solve, root_starts, touches);
  if (!any || carries || d->model->ghost_momentum != PL_ROD_GHOST_MOMENTUM_PAPER)
    return d->kernels->finish(&solve, solve.positions, solve.rotations, &lanes);

  project_rest(d, batch, lanes, &base, w);
  pl_rod_solve shadow = solve;
  // As the paper's own solver does; with goals from where joints are, this solve would add to a lagging chain's speed
  // without end.
  shadow.predicts = true;
  shadow.rest_positions = w->shadow_rests;
  shadow.rest_rotations = w->shadow_rest_rotations;
  // The search starts where the first one ended.
  memcpy(lanes.shadow_matches, lanes.matches, 4 * (size_t)b->plan->joint_count * LANES * sizeof(float));
  shadow.matches = lanes.shadow_matches;
  shadow.positions = w->shadow_positions;
  shadow.rotations = w->shadow_rotations;
  run_solve(d, batch, &shadow, root_starts, NULL);
  spare_lanes(&solve, &shadow, changed);
  return d->kernels->finish(&solve, shadow.positions, shadow.rotations, &lanes);
}

static void move_batches(void *data, int32_t begin, int32_t end, int32_t block) {
  const step_data *d = data;
  workbench w = workbench_at(d, block);
  bool is_finite = true;
  pl_body_touch *touches = d->touches != NULL ? &d->touches[(ptrdiff_t)block * d->move->collider_count] : NULL;
  for (int32_t batch = begin; batch < end; ++batch) is_finite = move_batch(d, batch, &w, touches) && is_finite;
  d->is_finite[block] = is_finite;
}

// Kinematic joints at the end of the step, interpolated evenly towards their targets.
static void move_joints(step_data *d) {
  for (int32_t i = 0; i < d->model->kinematic_count; ++i) {
    pl_rod_kinematic *kinematic = &d->state.kinematic[i];
    d->starts[i] = kinematic->now;
    // A thousandth of a step is rounding of the time left, not time.
    double fraction = kinematic->seconds > 1.001 * d->move->step ? d->move->step / kinematic->seconds : 1;
    kinematic->now = fraction == 1
                         ? kinematic->target
                         : (pl_transform){pl_vec3_lerp(kinematic->now.position, kinematic->target.position, fraction),
                                          pl_quat_slerp(kinematic->now.rotation, kinematic->target.rotation, fraction)};
    kinematic->seconds = fraction == 1 ? 0 : kinematic->seconds - d->move->step;
    d->ends[i] = kinematic->now;
  }
}

static void place_colliders(step_data *d) {
  const pl_rod_model *model = d->model;
  for (int32_t i = 0; i < model->collider_count; ++i) {
    const pl_rod_own_collider *own = &model->colliders[i];
    d->colliders[i] =
        (pl_rod_contact_collider){own->shape, pl_transform_multiply(d->starts[own->kinematic], own->placement),
                                  pl_transform_multiply(d->ends[own->kinematic], own->placement), -1};
  }
  for (int32_t i = 0; i < d->move->collider_count; ++i) {
    pl_rod_contact_collider *collider = &d->colliders[model->collider_count + i];
    collider->shape = d->move->colliders[i];
    collider->friction = d->move->collider_frictions != NULL ? d->move->collider_frictions[i] : -1;
    pl_collider_motion(collider->shape, d->move->time, d->move->step, &collider->start, &collider->end);
  }
}

// Obstacles are sorted by segment, and segments by slot.
static void range_obstacles(step_data *d) {
  int32_t next = 0;
  for (int32_t slot = 0; slot <= LANES * d->model->batch_count; ++slot) {
    while (next < d->move->obstacle_count && d->move->obstacles[next].segment < d->model->segment_start[slot]) ++next;
    d->obstacle_start[slot] = next;
  }
}

// What all blocks felt of the world's colliders, in the order of the blocks.
static void report_touches(const step_data *d, int32_t block_count) {
  for (int32_t k = 0; d->touches != NULL && k < d->move->collider_count; ++k) {
    pl_body_touch *sum = &d->move->touches[k];
    for (int32_t block = 0; block < block_count; ++block)
      pl_body_touch_merge(sum, &d->touches[(ptrdiff_t)block * d->move->collider_count + k]);
    // What was pushed into it in a later round touches too.
    if (sum->count == 0 && sum->impulse > 0) sum->count = 1;
  }
}

// The grid of all chains where they are at the beginning of the step; false when out of memory.
static bool fill_volume(const pl_rod_model *rod, pl_rod_state state, pl_scratch *scratch, pl_rod_volume *volume) {
  pl_vec3 *positions = PL_SCRATCH(scratch, pl_vec3, rod->joint_count),
          *velocities = PL_SCRATCH(scratch, pl_vec3, rod->joint_count);
  if (positions == NULL || velocities == NULL) return false;
  for (int32_t i = 0; i < rod->joint_count; ++i)
    positions[i] = pl_rod_get_particle(&rod->head, state.head, i, &velocities[i]);
  pl_rod_volume_points points = {rod->joint_count, positions, velocities, rod->volume_masses};
  return pl_rod_volume_fill(scratch, &points, state.kinematic[0].now.position, rod->volume_cell, volume);
}

// Batches that one thread does in turn. A few chains that touch a mesh take as long as many that do not: a head of hair
// of five batches is not left to one thread.
static int32_t grain_of(const pl_rod_model *rod) {
  return rod->batch_count < MANY_BATCHES ? 1 : BATCHES_PER_BLOCK;
}

pl_status pl_rod_move(const pl_model *model, void *state, const pl_body_move *move, pl_error *error) {
  const pl_rod_model *rod = (const pl_rod_model *)model;
  double alpha = fmin(rod->frequency_squared * move->step * move->step, 1);
  int32_t grain = grain_of(rod), blocks = pl_block_count(rod->batch_count, grain);
  step_data d = {.model = rod,
                 .kernels = pl_rod_kernels_choose(),
                 .move = move,
                 .state = pl_rod_state_of(model, state),
                 .collider_count = rod->collider_count + move->collider_count,
                 .stiffness = (float)alpha,
                 .kept = (float)exp(-rod->damping * move->step),
                 .work_size = workbench_size(rod)};
  pl_scratch_mark mark = pl_scratch_push(move->scratch);
  d.starts = PL_SCRATCH(move->scratch, pl_transform, rod->kinematic_count);
  d.ends = PL_SCRATCH(move->scratch, pl_transform, rod->kinematic_count);
  d.colliders = PL_SCRATCH(move->scratch, pl_rod_contact_collider, d.collider_count);
  d.work = PL_SCRATCH(move->scratch, float, (size_t)blocks *d.work_size);
  d.is_finite = PL_SCRATCH(move->scratch, bool, blocks);
  pl_status status = d.starts && d.ends && d.colliders && d.work && d.is_finite ? PL_OK : pl_fail_memory(error);
  if (status >= 0 && move->touches != NULL) {
    size_t count = (size_t)blocks * (size_t)move->collider_count;
    d.touches = PL_SCRATCH(move->scratch, pl_body_touch, count);
    if (d.touches == NULL) status = pl_fail_memory(error);
    if (status >= 0) memset(d.touches, 0, count * sizeof *d.touches);
  }
  if (status >= 0 && move->obstacle_count > 0) {
    d.obstacle_start = PL_SCRATCH(move->scratch, int32_t, LANES * rod->batch_count + 1);
    if (d.obstacle_start == NULL) status = pl_fail_memory(error);
  }
  pl_rod_volume volume;
  if (status >= 0 && rod->volume_masses != NULL) {
    if (!fill_volume(rod, d.state, move->scratch, &volume)) status = pl_fail_memory(error);
    d.volume = &volume;
    d.shared = 1 - exp(-rod->volume_friction * move->step);
  }
  if (status >= 0) {
    if (d.obstacle_start != NULL) range_obstacles(&d);
    move_joints(&d);
    place_colliders(&d);
    pl_parallel_for(move->context, rod->batch_count, grain, move_batches, &d);
    report_touches(&d, blocks);
    bool is_finite = true;
    for (int32_t i = 0; i < blocks; ++i) is_finite = is_finite && d.is_finite[i];
    d.state.head->suspect = !is_finite;
    d.state.head->fresh = 0;
  }
  pl_scratch_pop(move->scratch, mark);
  return status;
}
