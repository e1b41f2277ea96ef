// Energy that cannot grow.
//
// The step is the leapfrog rule, which keeps the energy of linear bodies exactly. Regions that turn by large angles in
// a step are not linear: bodies of 12 particles at alpha = 1, released from stretches up to 2, gained up to half of
// their energy in 300 steps. So a body that is left to itself may not have more than it had when it was left:
//
//   E = V(x) + K(v)              v = (v- + v+) / 2       v- v+   velocities of the last step and of this one
//   e = V(x) + ½ Σ m v-·v+  =  E - G,      G = ⅛ Σ m |v+ - v-|²
//   V = k/2 Σ_i Σ_r m~ |R t + c - x|²  over the regions r of each particle i,     k = alpha / h²
//
// E is the energy at x, with the velocity there by central differences of the positions; it goes up and down by G,
// even in linear bodies, of which e is kept exactly. For a state that was set e is V + K(v) of what was set. Neither
// may exceed its start by more than SLACK. Where one would, motion within the body is taken out,
//
//   v+ -= 2 λ i,    i = v - rigid part of v            K(v) falls by (2 λ - λ²) K(i), and e by λ Σ m v-·i
//
// which keeps momentum and angular momentum; the factor 2 because v- is the past. Where a vibration turns around,
// nearly all energy is elastic and motion within the body too little. So what a turn would have of E is limited before.
// At a turn G = ρ V; from e at any other time follows V there, and from that E:
//
//   E = (e - ρ K(rigid)) / (1 - ρ),        ρ = largest G / V of a state whose inner energy is elastic by 3/4 or more
//
// What it costs: nothing is measured where alternating velocities are calm, G < CALM E, but for every 250th step; where
// the body is in touch with others or forces act on it; and where damping takes more than steps gain. Bodies with
// examples are not measured: their weights lose energy where they lag, and solid_step.c damps them a little.
#include "solid/solid_budget.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "math/mat3.h"

enum { BUDGET_BLOCK = 256, MAX_PAUSE = 250 };

static const double SLACK = 1.004, CALM = 0.002, RICH = 0.75;
// Of the velocity within the body that damping takes in a step: released as above, no body gained anything with 0.033,
// and some gained 3 % with half of that.
static const float ENOUGH_DAMPING = 0.033f;
// Bodies whose particles are this near to their goals, in units of the body's diagonal, are at rest.
static const double AT_REST = 1e-5;

struct pl_solid_energy_sums {
  double elastic;                 // m~ |R t + c - x|² with the stiffness of the region in units of the largest
  double before, after, product;  // m v-·v-, m v+·v+, m v-·v+
  pl_vec3 momentum, spin;         // m v-, m x × v-
};

bool pl_solid_budget_take(pl_scratch *scratch, int32_t particle_count, pl_solid_budget *budget) {
  budget->before = PL_SCRATCH(scratch, pl_f4, particle_count);
  budget->sums = PL_SCRATCH(scratch, pl_solid_energy_sums, pl_block_count(particle_count, BUDGET_BLOCK));
  return budget->before != NULL && budget->sums != NULL;
}

// What a region wants of a particle, times the region's stiffness.
static pl_f4 wanted_way(const pl_solid_pull *pull, int32_t i, int32_t entry, float stiffness) {
  const pl_solid_model *model = pull->model;
  if (pull->goals != NULL) return pull->goals[model->examples.particle_goals[entry]];
  const pl_f4 *pose = (const pl_f4 *)(const void *)pull->poses;
  pose += PL_SOLID_POSE_SIZE / 4 * (size_t)model->particle_regions[entry];
  pl_f4 q = model->rest[i];
  return pose[0] * q[0] + pose[1] * q[1] + (pose[2] * q[2] + pose[3]) - pull->positions[i] * stiffness;
}

// Σ_r |R t + c - x|² of one particle.
static float stretch_of(const pl_solid_pull *pull, int32_t i) {
  const pl_solid_model *model = pull->model;
  float sum = 0;
  for (int32_t e = model->particle_start[i]; e < model->particle_start[i + 1]; ++e) {
    size_t region = (size_t)model->particle_regions[e], group = region / LANES * PL_SOLID_CONSTANT_COUNT;
    float stiffness = model->region_constants[(group + PL_SOLID_STIFFNESS) * LANES + region % LANES];
    pl_f4 way = wanted_way(pull, i, e, stiffness);
    pl_f4 square = way * way;
    sum += (square[0] + square[1] + square[2]) / stiffness;
  }
  return sum * model->region_fractions[i];
}

static void measure(void *data, int32_t begin, int32_t end, int32_t block) {
  const pl_solid_budget *b = data;
  const pl_solid_pull *pull = b->pull;
  pl_solid_energy_sums s = {0};
  for (int32_t i = begin; i < end; ++i) {
    double m = pull->model->masses[i];
    pl_vec3 x = pl_vec3_of_f4(pull->positions[i]), v = pl_vec3_of_f4(b->before[i]),
            w = pl_vec3_of_f4(pull->velocities[i]);
    s.elastic += m * (double)stretch_of(pull, i);
    s.before += m * pl_vec3_dot(v, v);
    s.after += m * pl_vec3_dot(w, w);
    s.product += m * pl_vec3_dot(v, w);
    s.momentum = pl_vec3_add_scaled(s.momentum, v, m);
    s.spin = pl_vec3_add_scaled(s.spin, pl_vec3_cross(x, v), m);
  }
  b->sums[block] = s;
}

static pl_solid_energy_sums measure_all(pl_solid_budget *b, pl_context *context) {
  int32_t n = b->pull->model->head.particle_count;
  pl_parallel_for(context, n, BUDGET_BLOCK, measure, b);
  pl_solid_energy_sums all = b->sums[0];
  for (int32_t k = 1; k < pl_block_count(n, BUDGET_BLOCK); ++k) {
    const pl_solid_energy_sums *s = &b->sums[k];
    all.elastic += s->elastic;
    all.before += s->before;
    all.after += s->after;
    all.product += s->product;
    all.momentum = pl_vec3_add(all.momentum, s->momentum);
    all.spin = pl_vec3_add(all.spin, s->spin);
  }
  return all;
}

// Energies of a step, J, without that of the centre of mass.
typedef struct energies {
  double elastic, kinetic, rigid, alternating;  // V, K(v), its rigid part, G
  double back;                                  // Σ m v-·i
} energies;

static pl_vec3 vec3_of_sum(pl_d4 a) {
  return (pl_vec3){a[0], a[1], a[2]};
}

static energies find_energies(pl_solid_budget *b, const pl_solid_energy_sums *s, const pl_solid_sums *sums,
                              const pl_solid_rigid *rigid) {
  double mass = b->pull->model->head.mass, h = (double)b->pull->step;
  pl_vec3 c = rigid->center, v = pl_vec3_scale(s->momentum, 1 / mass),
          w = pl_vec3_scale(vec3_of_sum(sums->momentum), 1 / mass);
  double before = s->before - mass * pl_vec3_dot(v, v), after = s->after - mass * pl_vec3_dot(w, w),
         product = s->product - mass * pl_vec3_dot(v, w);
  pl_vec3 spin = pl_vec3_sub(s->spin, pl_vec3_scale(pl_vec3_cross(c, v), mass)),
          end = pl_vec3_sub(vec3_of_sum(sums->spin), pl_vec3_scale(pl_vec3_cross(c, w), mass)),
          middle = pl_vec3_scale(pl_vec3_add(spin, end), 0.5);
  b->mean = (pl_solid_rigid){.center = c,
                             .velocity = pl_vec3_scale(pl_vec3_add(v, w), 0.5),
                             .angular_velocity = pl_mat3_apply(rigid->inverse_inertia, middle)};
  return (energies){
      .elastic = 0.5 * (double)b->pull->alpha_over_step / h * s->elastic,
      .kinetic = 0.125 * (before + after + 2 * product),
      .rigid = 0.5 * pl_vec3_dot(b->mean.angular_velocity, middle),
      .alternating = 0.125 * (before + after - 2 * product),
      .back = 0.5 * (before + product) - pl_vec3_dot(b->mean.angular_velocity, spin),
  };
}

// λ that takes `excess` from the kinetic energy `inner` of motion within the body; all of it where that is too little.
static double fraction_for(double excess, double inner) {
  if (!(excess > 0)) return 0;
  return excess < inner ? 1 - sqrt(1 - excess / inner) : 1;
}

static double find_fraction(const energies *e, const pl_solid_energy_budget *had) {
  double whole = e->elastic + e->kinetic, kept = whole - e->alternating, inner = e->kinetic - e->rigid;
  double max = SLACK * (double)had->whole, ratio = (double)had->turn_ratio;
  double fraction =
      fmax(fraction_for(whole - max, inner), fraction_for(kept - ((1 - ratio) * max + ratio * e->rigid), inner));
  double excess = kept - SLACK * (double)had->kept;
  return excess > 0 ? fmax(fraction, excess < e->back ? excess / e->back : 1) : fraction;
}

static void slow(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const pl_solid_budget *b = data;
  pl_f4 center = pl_f4_of_vec3(b->mean.center), velocity = pl_f4_of_vec3(b->mean.velocity);
  for (int32_t i = begin; i < end; ++i) {
    pl_vec3 arm = pl_vec3_of_f4(b->pull->positions[i] - center);
    pl_f4 turning = pl_f4_of_vec3(pl_vec3_cross(b->mean.angular_velocity, arm));
    pl_f4 inner = 0.5f * (b->before[i] + b->pull->velocities[i]) - (velocity + turning);
    b->pull->velocities[i] -= 2.0f * b->fraction * inner;
  }
}

// G of the sums that every step has: velocities change by alpha (g - x) / h.
static double alternating_of(const pl_solid_pull *pull, const pl_solid_sums *sums) {
  double rate = (double)pull->alpha_over_step;
  return 0.125 * rate * rate * (sums->pulls[0] + sums->pulls[1] + sums->pulls[2]);
}

static bool is_at_rest(const pl_solid_pull *pull, double alternating) {
  const pl_model *head = &pull->model->head;
  double rate = (double)pull->alpha_over_step, size = AT_REST * pl_vec3_distance(head->box.min, head->box.max);
  return alternating <= 0.125 * rate * rate * head->mass * size * size;
}

// What a step does about a budget, before it begins.
typedef struct budget_plan {
  bool is_spared, is_known, is_fresh, measures;
} budget_plan;

static budget_plan plan_of(const pl_solid_model *model, pl_solid_state state, float damped_fraction, bool is_pushed) {
  const pl_solid_energy_budget *had = state.budget;
  bool is_set = *state.suspect != 0;
  budget_plan plan = {.is_spared = model->examples.count > 0 || damped_fraction >= ENOUGH_DAMPING,
                      .is_known = had->is_known != 0};
  // A state that was set, as by contact, begins a budget. Forces do work, and so may whatever sets the state in every
  // step: there is none until they end.
  if (is_pushed || (is_set && had->was_set)) plan.is_known = false;
  plan.is_fresh = !is_pushed && (is_set ? !had->was_set : !plan.is_known);
  plan.measures = !plan.is_spared && (plan.is_fresh || (plan.is_known && had->pause == 0));
  return plan;
}

bool pl_solid_budget_will_measure(const pl_solid_model *model, pl_solid_state state, float damped_fraction,
                                  bool is_pushed) {
  return plan_of(model, state, damped_fraction, is_pushed).measures;
}

void pl_solid_budget_begin(pl_solid_budget *b, float damped_fraction) {
  const pl_solid_model *model = b->pull->model;
  budget_plan plan = plan_of(model, b->state, damped_fraction, b->pull->forces != NULL);
  b->is_spared = plan.is_spared;
  b->is_fresh = plan.is_fresh;
  b->measures = plan.measures;
  b->state.budget->is_known = plan.is_known;
  b->state.budget->was_set = *b->state.suspect != 0;
  if (b->measures) memcpy(b->before, b->pull->velocities, (size_t)model->head.particle_count * sizeof(pl_f4));
}

static void begin_budget(const energies *e, pl_solid_energy_budget *had) {
  had->whole = (float)(e->elastic + e->kinetic);
  had->kept = (float)(e->elastic + e->kinetic - e->alternating);
  had->turn_ratio = 0;
  had->is_known = 1;
}

bool pl_solid_budget_finish(pl_solid_budget *b, pl_context *context, const pl_solid_sums *sums,
                            const pl_solid_rigid *rigid) {
  pl_solid_energy_budget *had = b->state.budget;
  double alternating = alternating_of(b->pull, sums);
  if (b->is_spared) return false;
  if (had->pause > 0) had->pause--;
  if (b->measures) {
    pl_solid_energy_sums all = measure_all(b, context);
    energies e = find_energies(b, &all, sums, rigid);
    if (b->is_fresh) begin_budget(&e, had);
    if (e.elastic > 0 && e.elastic >= RICH * (e.elastic + e.kinetic - e.rigid))
      had->turn_ratio = fmaxf(had->turn_ratio, (float)(e.alternating / e.elastic));
    if (!b->is_fresh) b->fraction = (float)find_fraction(&e, had);
    if (b->fraction > 0) pl_parallel_for(context, b->pull->model->head.particle_count, BUDGET_BLOCK, slow, b);
    had->pause = MAX_PAUSE;
  }
  if (is_at_rest(b->pull, alternating))
    had->pause = MAX_PAUSE;
  else if (alternating > CALM * (double)had->whole)
    had->pause = 0;
  return b->fraction > 0;
}
