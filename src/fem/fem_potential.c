#include "fem/fem_potential.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "math/mat3.h"
#include "pliant/math.h"

enum { BLOCK_GRAIN = 4096 };

bool pl_fem_potential_take(pl_arena *arena, pl_fem_system *system, pl_block_matrix *matrix,
                           pl_fem_potential *potential) {
  size_t n = 3 * (size_t)system->model->head.particle_count;
  *potential = (pl_fem_potential){.system = system,
                                  .matrix = matrix,
                                  .elastic = PL_TAKE(arena, double, n),
                                  .gradient = PL_TAKE(arena, double, n),
                                  .image = PL_TAKE(arena, double, n)};
  return !arena->failed;
}

static bool is_fixed(const pl_fem_potential *p, ptrdiff_t i) {
  return p->fixed != NULL && (p->fixed[i / 3] >> (i % 3) & 1) != 0;
}

// Add the squares of a particle's numbers as far as they are free. All particles of a body in a plane have z fixed, and
// nothing else.
static inline void add_squares(int fixed, const double *v, double sums[3]) {
  if (fixed == PL_BLOCK_FIX_Z) {
    sums[0] += v[0] * v[0];
    sums[1] += v[1] * v[1];
    return;
  }
  for (int a = 0; a < 3; ++a) sums[a] += (fixed >> a & 1) != 0 ? 0 : v[a] * v[a];
}

// Sum of squares over what is free, by axis: three sums that do not wait for each other.
static double free_square(const pl_fem_potential *p, const double *v) {
  double sums[3] = {0, 0, 0};
  ptrdiff_t count = p->system->model->head.particle_count;
  for (ptrdiff_t i = 0; i < count; ++i) add_squares(p->fixed != NULL ? p->fixed[i] : 0, v + 3 * i, sums);
  return sums[0] + sums[1] + sums[2];
}

double pl_fem_potential_residual(const pl_fem_potential *potential) {
  return sqrt(free_square(potential, potential->gradient));
}

// gradient += inertia M (u - goal); no two of the arrays overlap, which lets the compiler take several numbers at once.
static void add_inertial_forces(ptrdiff_t count, double inertia, const double *restrict masses,
                                const double *restrict u, const double *restrict goal, double *restrict gradient) {
  for (ptrdiff_t i = 0; i < count; ++i) {
    double m = inertia * masses[i];
    gradient[3 * i] += m * (u[3 * i] - goal[3 * i]);
    gradient[3 * i + 1] += m * (u[3 * i + 1] - goal[3 * i + 1]);
    gradient[3 * i + 2] += m * (u[3 * i + 2] - goal[3 * i + 2]);
  }
}

// The same with the energy, whose terms wait for each other: all else is done meanwhile.
static double add_inertial_energy(ptrdiff_t count, double inertia, const double *restrict masses,
                                  const double *restrict u, const double *restrict goal, double *restrict gradient) {
  double energy = 0;
  for (ptrdiff_t i = 0; i < count; ++i) {
    double m = inertia * masses[i], half = 0.5 * m;
    const double way[3] = {u[3 * i] - goal[3 * i], u[3 * i + 1] - goal[3 * i + 1], u[3 * i + 2] - goal[3 * i + 2]};
    for (int a = 0; a < 3; ++a) {
      gradient[3 * i + a] += m * way[a];
      energy += half * way[a] * way[a];
    }
  }
  return energy;
}

static void subtract_load(ptrdiff_t count, const double *restrict load, double *restrict gradient) {
  for (ptrdiff_t i = 0; i < count; ++i) gradient[i] -= load[i];
}

// Inertia and loads.
static double add_inertia(pl_fem_potential *p, const double *u) {
  const double *masses = p->system->model->head.masses;
  ptrdiff_t count = p->system->model->head.particle_count;
  double energy = 0;
  if (p->inertia > 0 && p->without_energy) add_inertial_forces(count, p->inertia, masses, u, p->goal, p->gradient);
  if (p->inertia > 0 && !p->without_energy)
    energy = add_inertial_energy(count, p->inertia, masses, u, p->goal, p->gradient);
  if (p->load != NULL) subtract_load(3 * count, p->load, p->gradient);
  for (ptrdiff_t i = 0; p->load != NULL && !p->without_energy && i < 3 * count; ++i) energy -= p->load[i] * u[i];
  return energy;
}

typedef struct block_sum {
  double *to;
  const double *from;
  double factor;
} block_sum;

static void add_blocks(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const block_sum *s = data;
  for (ptrdiff_t i = 9 * (ptrdiff_t)begin; i < 9 * (ptrdiff_t)end; ++i) s->to[i] += s->factor * s->from[i];
}

// Stiffness damping: a quadratic form, so that Φ stays an energy and Newton's method needs no third derivatives.
static double add_damping(pl_fem_potential *p, const double *u, bool with_matrix) {
  if (p->damping == NULL) return 0;
  pl_context *context = p->system->context;
  int32_t count = p->system->model->pattern.block_count;
  if (with_matrix) {
    block_sum sum = {p->matrix->values, p->damping->values, p->damping_factor};
    pl_parallel_for(context, count, BLOCK_GRAIN, add_blocks, &sum);
  }
  ptrdiff_t n = 3 * (ptrdiff_t)p->system->model->head.particle_count;
  // The elastic gradient is where it is kept by now, so `image` and a part of it can hold displacement and force.
  double *moved = p->gradient, energy = 0, square = 0;
  for (ptrdiff_t i = 0; i < n; ++i) moved[i] = u[i] - p->damping_base[i];
  pl_block_matrix_multiply(context, p->damping, moved, p->image);
  for (ptrdiff_t i = 0; i < n; ++i) {
    double force = p->damping_factor * p->image[i];
    energy += 0.5 * force * moved[i];
    moved[i] = p->elastic[i] + force;
    if (!is_fixed(p, i)) square += force * force;
  }
  p->size += square;
  return energy;
}

// Elasticity, and damping where that is an energy of shapes too.
static void evaluate_elastic(pl_fem_potential *p, const double *u, bool with_matrix, bool positive) {
  pl_block_matrix *matrix = with_matrix ? p->matrix : NULL;
  pl_fem_damping damping = {.from = p->base, .factor = p->damping_factor, .gradient = p->viscous};
  p->system->without_energy = p->without_energy;
  p->system->lower = p->lower;
  if (p->viscous == NULL || p->maxwell != NULL)
    p->elastic_energy = pl_fem_system_evaluate(p->system, u, p->elastic, matrix, positive);
  else
    p->elastic_energy = pl_fem_system_evaluate_damped(p->system, u, &damping, p->elastic, matrix, positive);
  if (p->maxwell != NULL) damping.energy = pl_fem_maxwell_evaluate(p->maxwell, u, p->viscous, matrix, positive);
  p->viscous_energy = p->viscous != NULL ? damping.energy : 0;
  p->system->without_energy = p->system->lower = false;
}

// Returns the energy of the damping. Squares are summed as by free_square().
static double add_elastic(pl_fem_potential *p, const double *u, bool with_matrix, bool positive) {
  ptrdiff_t count = p->system->model->head.particle_count;
  if (!p->is_repeated || with_matrix) evaluate_elastic(p, u, with_matrix, positive);
  if (p->viscous == NULL) {
    memcpy(p->gradient, p->elastic, 3 * (size_t)count * sizeof(double));
    p->size = free_square(p, p->elastic);
    return 0;
  }
  double sums[3] = {0, 0, 0}, lost[3] = {0, 0, 0};
  for (ptrdiff_t i = 0; i < count; ++i) {
    int fixed = p->fixed != NULL ? p->fixed[i] : 0;
    for (ptrdiff_t k = 3 * i; k < 3 * i + 3; ++k) p->gradient[k] = p->elastic[k] + p->viscous[k];
    add_squares(fixed, p->elastic + 3 * i, sums);
    add_squares(fixed, p->viscous + 3 * i, lost);
  }
  p->size = sums[0] + sums[1] + sums[2];
  p->size += lost[0] + lost[1] + lost[2];
  return p->viscous_energy;
}

static void add_block(pl_fem_potential *p, int32_t particle, pl_mat3 block) {
  double *diagonal = p->matrix->values + 9 * (ptrdiff_t)p->matrix->pattern->diagonal[particle];
  for (int e = 0; e < 9; ++e) diagonal[e] += block.m[e / 3][e % 3];
}

// A spring to the border of a pin's range, for what is outside at the end of the step:
//   V = ½ k |z - b(z)|² / f ,   z = x + f (u - x)
// with b the nearest position inside. Its Hessian is that of a spring along z - b, and across it as much of one as the
// border is curved.
static double add_range(pl_fem_potential *p, const pl_body_pin *pin, const double *u, bool with_matrix) {
  int32_t i = pin->particle;
  pl_vec3 x = pl_fem_vector(p->base, i), at = pl_fem_vector(u, i);
  pl_vec3 end = pl_vec3_add_scaled(x, pl_vec3_sub(at, x), p->end_factor), border = end;
  if (!pl_body_pin_limit(pin, &border)) return 0;
  pl_vec3 stretch = pl_vec3_sub(end, border), force = pl_vec3_scale(stretch, pin->stiffness);
  pl_fem_put(p->gradient, i, pl_vec3_add(pl_fem_vector(p->gradient, i), force));
  p->size += pl_vec3_dot(force, force);
  if (with_matrix) {
    pl_vec3 along = pl_vec3_normalize_or(stretch, pl_vec3_of(0, 1, 0));
    double outside = pl_vec3_length(stretch), curved = outside / (outside + pin->range);
    double k = p->end_factor * pin->stiffness;
    pl_mat3 block = pl_mat3_scale(pl_mat3_outer(along, along), k * (1 - curved));
    add_block(p, i, pl_mat3_add(block, pl_mat3_diagonal(k * curved, k * curved, k * curved)));
  }
  return 0.5 * pin->stiffness / p->end_factor * pl_vec3_dot(stretch, stretch);
}

// Pins with a stiffness: springs to their targets, with dampers from where the particle was.
static double add_pins(pl_fem_potential *p, const double *u, bool with_matrix) {
  double energy = 0;
  for (int32_t k = 0; k < p->pin_count; ++k) {
    const pl_body_pin *pin = &p->pins[k];
    if (!(pin->stiffness > 0)) continue;
    if (pin->range > 0) {
      energy += add_range(p, pin, u, with_matrix);
      continue;
    }
    int32_t i = pin->particle;
    pl_vec3 stretch = pl_vec3_sub(pl_fem_vector(u, i), pin->target);
    pl_vec3 moved = pl_vec3_sub(pl_fem_vector(u, i), pl_fem_vector(p->base, i));
    double drag = pin->damping * p->pin_rate;
    pl_vec3 force = pl_vec3_add(pl_vec3_scale(stretch, pin->stiffness), pl_vec3_scale(moved, drag));
    energy += 0.5 * (pin->stiffness * pl_vec3_dot(stretch, stretch) + drag * pl_vec3_dot(moved, moved));
    pl_fem_put(p->gradient, i, pl_vec3_add(pl_fem_vector(p->gradient, i), force));
    p->size += pl_vec3_dot(force, force);
    if (!with_matrix) continue;
    double *diagonal = p->matrix->values + 9 * (ptrdiff_t)p->matrix->pattern->diagonal[i];
    for (int a = 0; a < 3; ++a) diagonal[4 * a] += pin->stiffness + drag;
  }
  return energy;
}

static double add_contacts(pl_fem_potential *p, const double *u, bool with_matrix) {
  pl_fem_contacts *contacts = p->contacts;
  if (contacts == NULL || contacts->collider_count == 0) return 0;
  contacts->without_derivatives = p->without_energy;
  double energy = pl_fem_contacts_evaluate(contacts, u, !p->hold && (with_matrix || p->refresh));
  contacts->without_derivatives = false;
  pl_fem_contacts_add_gradient(contacts, p->gradient);
  for (int32_t a = 0; a < contacts->active_count; ++a) {
    pl_vec3 gradient = contacts->points[contacts->active[a]].gradient;
    p->size += pl_vec3_dot(gradient, gradient);
  }
  if (with_matrix) pl_fem_contacts_add_matrix(contacts, p->matrix);
  return energy;
}

// Forces on what is fixed are moved to `image`.
static void fix_forces(ptrdiff_t count, const uint8_t *restrict fixed, double *restrict gradient,
                       double *restrict image) {
  for (ptrdiff_t i = 0; i < count; ++i) {
    if (fixed[i] == PL_BLOCK_FIX_Z) {  // all of a body in a plane
      image[3 * i + 2] = gradient[3 * i + 2];
      gradient[3 * i + 2] = 0;
      continue;
    }
    for (int a = 0; fixed[i] != 0 && a < 3; ++a) {
      if ((fixed[i] >> a & 1) == 0) continue;
      image[3 * i + a] = gradient[3 * i + a];
      gradient[3 * i + a] = 0;
    }
  }
}

static bool is_only_z_fixed(const pl_fem_potential *p) {
  ptrdiff_t i = 0, count = p->system->model->head.particle_count;
  while (i < count && p->fixed[i] == PL_BLOCK_FIX_Z) ++i;
  return i == count;
}

double pl_fem_potential_evaluate(pl_fem_potential *p, const double *u, bool with_matrix, bool positive) {
  pl_context *context = p->system->context;
  const pl_model *head = &p->system->model->head;
  double energy = add_elastic(p, u, with_matrix, positive);
  energy += p->elastic_energy;
  p->size += p->load_size * p->load_size + (p->load != NULL ? free_square(p, p->load) : 0);
  energy += add_damping(p, u, with_matrix);
  energy += add_inertia(p, u);
  energy += add_pins(p, u, with_matrix);
  energy += add_contacts(p, u, with_matrix);
  p->size = sqrt(p->size);
  if (p->fixed != NULL) fix_forces(head->particle_count, p->fixed, p->gradient, p->image);
  if (with_matrix) {
    if (p->inertia > 0) pl_block_matrix_add_diagonal(context, p->matrix, p->inertia, head->masses);
    if (p->fixed != NULL && !(p->without_z && is_only_z_fixed(p))) pl_block_matrix_fix(context, p->matrix, p->fixed);
  }
  return energy;
}
