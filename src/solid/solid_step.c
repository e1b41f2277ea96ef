// One step of a shape-matching solid (paper 000, §3, eqs. 1, 2, 4 and 5, with one rest shape).
//
//   every region r:     A = sum w p q^T,  R = rotation nearest to A,  c = sum w x                        (eq. 1)
//   every particle i:   g = mean over its regions of R q + c                                              (eq. 2)
//                       v <- v + alpha (g - x) / h + h (a + f / m),   x <- x + h v                        (eqs. 4, 5)
//
//   x v m   position, velocity, mass of a particle       q   rest offset of a particle from a region's centre of mass
//   p       x - c                                        w   share of a particle in a region's effective mass m / |N|
//   g       goal position                                h   step
//
// Differs from the paper:
// - R comes from A = sum w p q^T alone, not from A times the inverse of sum w q q^T: only then do the goals exert no torque (with the rest
//   shape as the only example the two demands of the paper's eq. 2 coincide).
// - alpha is frequency_squared * h², so that a stiffness means the same oscillation at any step; at most 1, where eq. 4 is stable.
// - The goals exert no net force and no net torque in exact arithmetic; their rounding errors are taken out, so that linear and angular momentum
//   do not drift.
// - Damping acts on what differs from the body's rigid motion, so that flight and tumbling are left alone.
//
// Particles are (x, y, z, 0) in one register: a ring entry costs one load of x, one of its constants and four multiply-adds, with no gathers.
// Cost: two passes over about 15 entries per particle, one rotation per particle.
#include <math.h>

#include "base/error.h"
#include "base/parallel.h"
#include "math/mat3.h"
#include "math/rotation_batch.h"
#include "solid/solid_model.h"

enum { GROUPS_PER_BLOCK = 32, PARTICLES_PER_BLOCK = GROUPS_PER_BLOCK * PL_SOLID_GROUP };

// What a region tells its particles.
typedef struct region_pose {
  pl_f4 columns[3];  // of R
  pl_f4 offset;      // c - x_r, relative to the region's central particle so that nothing large cancels
} region_pose;

// Sums over the particles of one block, in double precision; relative to the body's origin.
typedef struct block_sums {
  double drift[3];     // m (g - x)
  double twist[3];     // m x × (g - x)
  double momentum[3];  // m v
  double moment[3];    // m x
  double spin[3];      // m x × v
  double spread[6];    // m x x^T: xx yy zz xy xz yz
} block_sums;

// The rigid motion of the whole body, and what to correct with it.
typedef struct rigid_motion {
  pl_vec3 center, velocity, angular_velocity;
  pl_vec3 drift, twist;  // velocity and angular velocity that rounding has added
} rigid_motion;

typedef struct step_data {
  const pl_solid_model *model;
  pl_solid_state state;
  const pl_f4 *forces;
  region_pose *poses;
  block_sums *sums;
  float h, alpha_over_h, damped_share;
  pl_f4 gain;  // h a
  rigid_motion rigid;
} step_data;

// Weighted moments of region r: columns of A and the centre relative to particle r. Because the sum of w q is zero, p may be taken relative
// to any point; the central particle keeps the numbers small.
static inline void sum_region(const step_data *d, int32_t r, pl_f4 columns[3], pl_f4 *offset) {
  const pl_solid_model *model = d->model;
  const pl_f4 *x = d->state.positions;
  pl_f4 x_r = x[r], a0 = {0}, a1 = {0}, a2 = {0}, c = {0};
  for (int32_t e = model->region_start[r]; e < model->region_start[r + 1]; ++e) {
    pl_f4 p = x[model->region_particles[e]] - x_r;
    pl_f4 w = model->region_moments[e];
    a0 += p * w[0];
    a1 += p * w[1];
    a2 += p * w[2];
    c += p * w[3];
  }
  columns[0] = a0;
  columns[1] = a1;
  columns[2] = a2;
  *offset = c;
}

static inline void rotation_columns(const float *q, pl_f4 columns[3]) {
  float x = q[0], y = q[PL_SOLID_GROUP], z = q[2 * PL_SOLID_GROUP], w = q[3 * PL_SOLID_GROUP];
  columns[0] = (pl_f4){1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0};
  columns[1] = (pl_f4){2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0};
  columns[2] = (pl_f4){2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0};
}

static void match_regions(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  step_data *d = data;
  int32_t region_count = d->model->head.particle_count;
  for (int32_t group = begin; group < end; ++group) {
    _Alignas(64) float a[9][PL_SOLID_GROUP] = {{0}};
    float *q = d->state.rotations + (size_t)group * 4 * PL_SOLID_GROUP;
    int32_t first = group * PL_SOLID_GROUP;
    int32_t lane_count = region_count - first < PL_SOLID_GROUP ? region_count - first : PL_SOLID_GROUP;
    for (int lane = 0; lane < lane_count; ++lane) {
      pl_f4 columns[3];
      sum_region(d, first + lane, columns, &d->poses[first + lane].offset);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) a[3 * i + j][lane] = columns[j][i];
    }
    pl_rotation_batch(&a[0][0], q);
    for (int lane = 0; lane < lane_count; ++lane) rotation_columns(q + lane, d->poses[first + lane].columns);
  }
}

// g - x of particle i.
static inline pl_f4 goal_offset(const step_data *d, int32_t i) {
  const pl_solid_model *model = d->model;
  const pl_f4 *x = d->state.positions;
  pl_f4 x_i = x[i], sum = {0};
  for (int32_t e = model->particle_start[i]; e < model->particle_start[i + 1]; ++e) {
    int32_t r = model->particle_regions[e];
    const region_pose *pose = &d->poses[r];
    pl_f4 q = model->particle_offsets[e];
    sum += (pose->columns[0] * q[0] + pose->columns[1] * q[1] + pose->columns[2] * q[2] + (pose->offset + (x[r] - x_i))) * q[3];
  }
  return sum;
}

static inline void add_to_sums(block_sums *s, double m, pl_f4 x4, pl_f4 v4, pl_f4 goal4) {
  pl_vec3 x = pl_vec3_of_f4(x4), v = pl_vec3_of_f4(v4), g = pl_vec3_of_f4(goal4);
  s->drift[0] += m * g.x;
  s->drift[1] += m * g.y;
  s->drift[2] += m * g.z;
  s->twist[0] += m * (x.y * g.z - x.z * g.y);
  s->twist[1] += m * (x.z * g.x - x.x * g.z);
  s->twist[2] += m * (x.x * g.y - x.y * g.x);
  s->momentum[0] += m * v.x;
  s->momentum[1] += m * v.y;
  s->momentum[2] += m * v.z;
  s->moment[0] += m * x.x;
  s->moment[1] += m * x.y;
  s->moment[2] += m * x.z;
  s->spin[0] += m * (x.y * v.z - x.z * v.y);
  s->spin[1] += m * (x.z * v.x - x.x * v.z);
  s->spin[2] += m * (x.x * v.y - x.y * v.x);
  s->spread[0] += m * x.x * x.x;
  s->spread[1] += m * x.y * x.y;
  s->spread[2] += m * x.z * x.z;
  s->spread[3] += m * x.x * x.y;
  s->spread[4] += m * x.x * x.z;
  s->spread[5] += m * x.y * x.z;
}

// Eq. 4 for the particles of a block, and the block's share in the body's sums.
static void pull_to_goals(void *data, int32_t begin, int32_t end, int32_t block) {
  step_data *d = data;
  const pl_model *head = &d->model->head;
  block_sums sums = {0};
  for (int32_t i = begin; i < end; ++i) {
    pl_f4 goal = goal_offset(d, i);
    pl_f4 v = d->state.velocities[i] + goal * d->alpha_over_h + d->gain;
    if (d->forces != NULL) v += d->forces[i] * (d->h * (float)head->inverse_masses[i]);
    d->state.velocities[i] = v;
    add_to_sums(&sums, head->masses[i], d->state.positions[i], v, goal);
  }
  d->sums[block] = sums;
}

// Blocks are added in their order, so that the result does not depend on who computed them.
static block_sums join_sums(const block_sums *sums, int32_t block_count) {
  block_sums all = {0};
  double *to = (double *)&all;
  for (int32_t b = 0; b < block_count; ++b) {
    const double *from = (const double *)&sums[b];
    for (size_t k = 0; k < sizeof(block_sums) / sizeof(double); ++k) to[k] += from[k];
  }
  return all;
}

// Centre, velocity and angular velocity of the body as if it were rigid: angular velocity = inertia⁻¹ * angular momentum.
static rigid_motion find_rigid_motion(const block_sums *s, double mass, double alpha_over_h) {
  rigid_motion rigid;
  pl_vec3 drift = pl_vec3_scale(pl_vec3_of(s->drift[0], s->drift[1], s->drift[2]), 1 / mass);
  pl_vec3 c = pl_vec3_scale(pl_vec3_of(s->moment[0], s->moment[1], s->moment[2]), 1 / mass);
  pl_vec3 v = pl_vec3_scale(pl_vec3_of(s->momentum[0], s->momentum[1], s->momentum[2]), 1 / mass);
  pl_vec3 spin = pl_vec3_sub(pl_vec3_of(s->spin[0], s->spin[1], s->spin[2]), pl_vec3_scale(pl_vec3_cross(c, v), mass));
  pl_vec3 twist = pl_vec3_sub(pl_vec3_of(s->twist[0], s->twist[1], s->twist[2]), pl_vec3_scale(pl_vec3_cross(c, drift), mass));
  double xx = s->spread[0] - mass * c.x * c.x, yy = s->spread[1] - mass * c.y * c.y, zz = s->spread[2] - mass * c.z * c.z;
  double xy = s->spread[3] - mass * c.x * c.y, xz = s->spread[4] - mass * c.x * c.z, yz = s->spread[5] - mass * c.y * c.z;
  // A body squeezed to a line has no inertia around it; the small share of the trace keeps the matrix invertible.
  double floor = 1e-9 * (xx + yy + zz) + 1e-300;
  pl_mat3 inertia = {{{yy + zz + floor, -xy, -xz}, {-xy, xx + zz + floor, -yz}, {-xz, -yz, xx + yy + floor}}};
  pl_mat3 inverse = pl_mat3_inverse(inertia);
  rigid.center = c;
  rigid.drift = pl_vec3_scale(drift, alpha_over_h);
  rigid.twist = pl_vec3_scale(pl_mat3_apply(inverse, twist), alpha_over_h);
  rigid.velocity = pl_vec3_sub(v, rigid.drift);
  rigid.angular_velocity = pl_vec3_sub(pl_mat3_apply(inverse, spin), rigid.twist);
  return rigid;
}

static inline pl_f4 cross(pl_f4 a, pl_f4 b) {
  return (pl_f4){a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0], 0};
}

// Rounding corrections, damping, and eq. 5.
static void drift_particles(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  step_data *d = data;
  pl_f4 center = pl_f4_of_vec3(d->rigid.center), velocity = pl_f4_of_vec3(d->rigid.velocity), drift = pl_f4_of_vec3(d->rigid.drift);
  pl_f4 twist = pl_f4_of_vec3(d->rigid.twist), w = pl_f4_of_vec3(d->rigid.angular_velocity);
  for (int32_t i = begin; i < end; ++i) {
    pl_f4 x = d->state.positions[i], r = x - center;
    pl_f4 v = d->state.velocities[i] - (drift + cross(twist, r));
    v -= (v - (velocity + cross(w, r))) * d->damped_share;
    d->state.velocities[i] = v;
    d->state.positions[i] = x + v * d->h;
  }
}

// Let the origin follow a body that has moved away from it by more than a grid cell. Whole cells keep the shift exact.
static void follow_origin(const pl_solid_model *model, pl_solid_state state, pl_vec3 center) {
  double grid = model->origin_grid;
  pl_vec3 cells = {nearbyint(center.x / grid), nearbyint(center.y / grid), nearbyint(center.z / grid)};
  if (!pl_vec3_is_finite(cells) || (cells.x == 0 && cells.y == 0 && cells.z == 0)) return;
  pl_vec3 shift = pl_vec3_scale(cells, grid);
  state.origin[0] += shift.x;
  state.origin[1] += shift.y;
  state.origin[2] += shift.z;
  for (int32_t i = 0; i < model->head.particle_count; ++i) state.positions[i] -= pl_f4_of_vec3(shift);
}

pl_status pl_solid_move(const pl_model *model, void *state, const pl_body_move *move, pl_error *error) {
  const pl_solid_model *solid = (const pl_solid_model *)model;
  int32_t n = model->particle_count;
  int32_t block_count = pl_block_count(n, PARTICLES_PER_BLOCK);
  double alpha = fmin(1.0, solid->frequency_squared * move->step * move->step);
  pl_scratch_mark mark = pl_scratch_push(move->scratch);
  step_data d = {
      .model = solid,
      .state = pl_solid_state_of(model, state),
      .forces = move->forces,
      .poses = PL_SCRATCH(move->scratch, region_pose, n),
      .sums = PL_SCRATCH(move->scratch, block_sums, block_count),
      .h = (float)move->step,
      .alpha_over_h = (float)(alpha / move->step),
      .damped_share = (float)(1.0 - exp(-solid->damping * move->step)),
      .gain = pl_f4_of_vec3(pl_vec3_scale(move->acceleration, move->step)),
  };
  if (d.poses == NULL || d.sums == NULL) {
    pl_scratch_pop(move->scratch, mark);
    return pl_fail_memory(error);
  }

  pl_parallel_for(move->context, (n - 1) / PL_SOLID_GROUP + 1, GROUPS_PER_BLOCK, match_regions, &d);
  pl_parallel_for(move->context, n, PARTICLES_PER_BLOCK, pull_to_goals, &d);
  block_sums sums = join_sums(d.sums, block_count);
  d.rigid = find_rigid_motion(&sums, model->mass, (double)d.alpha_over_h);
  pl_parallel_for(move->context, n, PARTICLES_PER_BLOCK, drift_particles, &d);
  follow_origin(solid, d.state, d.rigid.center);

  pl_scratch_pop(move->scratch, mark);
  return PL_OK;
}
