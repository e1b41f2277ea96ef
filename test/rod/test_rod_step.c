// One step of oriented particles against its equations written out in double precision, from random states: regions,
// nearest rotations, goals, orientations, damping relative to the kinematic joint, lengths by pushes along the bars as
// they were at the start.
//
//   c, c_    centres of a region now and at rest       w_i   mass of a joint over the mean mass, shared among its
//   regions A = sum w (x - c)(y - c_)^T + sum w s² R(q q_^-1), s the twist weight times the mean segment; R the
//   rotation nearest to A goal = mean of c + R (y - c_) over the joint's regions; those with the root are B y, fixed to
//   the kinematic joint v += alpha (goal - x) / h + h a;   what differs from moving with the kinematic joint is
//   multiplied by exp(-damping h);   x += h v
// ctest: unit
#include "base/random.h"
#include "base/scratch.h"
#include "fixtures/rod_chains.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "rod/rod_model.h"

enum { N = 9 };

typedef struct shape {
  const char *name;
  int32_t joint_count, width;
  int32_t parents[N];
  double bend;       // rad, of the rest pose
  double tolerance;  // m
} shape;

// Long chains get more: where a few rounds do not settle the lengths, the library continues along the bars as they are
// at the end.
static const shape SHAPES[] = {
    {"4 joints, straight, width 1", 4, 1, {-1, 0, 1, 2}, 0, 1e-5},
    {"4 joints, bent, width 1", 4, 1, {-1, 0, 1, 2}, 0.8, 1e-5},
    {"4 joints, bent, width 2", 4, 2, {-1, 0, 1, 2}, 0.8, 1e-5},
    {"8 joints, straight, width 2", 8, 2, {-1, 0, 1, 2, 3, 4, 5, 6}, 0, 1e-4},
    {"8 joints, bent, width 3", 8, 3, {-1, 0, 1, 2, 3, 4, 5, 6}, 0.8, 1e-4},
    {"a tree, width 1", 9, 1, {-1, 0, 1, 1, 2, 2, 3, 4, 4}, 0.6, 1e-4},
};

static pl_vec3 random_vec3(pl_random *random, double size) {
  double x = pl_random_normal(random), y = pl_random_normal(random), z = pl_random_normal(random);
  return (pl_vec3){size * x, size * y, size * z};
}
static pl_quat random_turn(pl_random *random, double size) {
  return pl_quat_from_rotation_vector(random_vec3(random, size));
}

// A chain in motion: constants, the state at the start, the kinematic joint at start and end.
typedef struct subject {
  const shape *shape;
  pl_rod_joint joints[N + 1];
  pl_rod_def def;
  pl_vec3 y[N];  // rest, relative to the root, in the kinematic joint's frame
  pl_quat r[N];  // rest orientations there
  pl_vec3 x[N], v[N], w[N];
  pl_quat q[N];
  pl_transform base[2];
  double h;
  pl_vec3 gravity;
} subject;

static void begin_subject(subject *s, pl_random *random, const shape *form) {
  *s = (subject){.shape = form, .def = pl_default_rod_def(), .h = 1.0 / 240, .gravity = random_vec3(random, 6)};
  s->joints[0] = pl_default_rod_joint(-1);
  s->joints[0].kinematic = true;
  s->joints[0].rest = (pl_transform){random_vec3(random, 0.1), random_turn(random, 1)};
  pl_vec3 at[N], d[N];
  for (int32_t i = 0; i < form->joint_count; ++i) {
    int32_t p = form->parents[i];
    d[i] = i == 0 ? (pl_vec3){0, 1, 0}
                  : pl_quat_rotate(pl_quat_from_rotation_vector(random_vec3(random, form->bend)), d[p]);
    at[i] = i == 0 ? random_vec3(random, 0.1) : pl_vec3_add_scaled(at[p], d[i], pl_random_between(random, 0.03, 0.08));
    s->joints[i + 1] = pl_default_rod_joint(p + 1);
    s->joints[i + 1].rest = (pl_transform){at[i], random_turn(random, 1)};
    s->joints[i + 1].mass = pl_random_between(random, 0.002, 0.01);
    s->joints[i + 1].stiffness = pl_random_between(random, 0.5, 1.5);
  }
  s->def.joints = s->joints;
  s->def.joint_count = form->joint_count + 1;
  s->def.width = form->width;
  s->def.damping = 60;  // enough to show in one step
  s->def.twist = 0.7;
  s->def.tube_sides = 0;
  pl_transform rest = s->joints[0].rest;
  s->base[0] = (pl_transform){random_vec3(random, 1), random_turn(random, 1)};
  s->base[1] = (pl_transform){pl_vec3_add(s->base[0].position, random_vec3(random, 0.0007)),
                              pl_quat_multiply(random_turn(random, 0.005), s->base[0].rotation)};
  for (int32_t i = 0; i < form->joint_count; ++i) {
    int32_t p = form->parents[i];
    s->y[i] = pl_quat_rotate(pl_quat_conjugate(rest.rotation), pl_vec3_sub(at[i], at[0]));
    s->r[i] = pl_quat_multiply(pl_quat_conjugate(rest.rotation), s->joints[i + 1].rest.rotation);
    // Every segment turned away by some 0.2 rad, so that lengths are right.
    pl_vec3 bone = i == 0 ? (pl_vec3){0, 0, 0} : pl_quat_rotate(s->base[0].rotation, pl_vec3_sub(s->y[i], s->y[p]));
    s->x[i] = i == 0 ? bone : pl_vec3_add(s->x[p], pl_quat_rotate(random_turn(random, 0.1), bone));
    s->q[i] = pl_quat_multiply(random_turn(random, 0.1), pl_quat_multiply(s->base[0].rotation, s->r[i]));
    s->v[i] = random_vec3(random, 0.1);
    s->w[i] = random_vec3(random, 2);
  }
}

// --- by hand

typedef struct region {
  bool anchored;
  int32_t count, joints[N];
  pl_quat rotation;
  pl_vec3 center, rest_center;
} region;

static int tree_distance(const shape *form, int32_t a, int32_t b) {
  int steps = 0;
  for (; a != b; ++steps)
    if (a > b)
      a = form->parents[a];
    else
      b = form->parents[b];
  return steps;
}

static void find_regions(const subject *s, region *regions) {
  int32_t n = s->shape->joint_count;
  for (int32_t r = 0; r < n; ++r) {
    regions[r] = (region){0};
    for (int32_t i = 0; i < n; ++i)
      if (tree_distance(s->shape, r, i) <= s->shape->width) regions[r].joints[regions[r].count++] = i;
    regions[r].anchored = tree_distance(s->shape, r, 0) <= s->shape->width;
  }
}

static void place_regions(const subject *s, region *regions) {
  int32_t n = s->shape->joint_count;
  double mean_mass = 0, mean_length = 0;
  for (int32_t i = 1; i < n; ++i) {
    mean_mass += s->joints[i + 1].mass / (n - 1);
    mean_length += pl_vec3_distance(s->y[i], s->y[s->shape->parents[i]]) / (n - 1);
  }
  double arm = s->def.twist * mean_length;
  for (int32_t r = 0; r < n; ++r) {
    region *g = &regions[r];
    g->rotation = s->base[0].rotation;
    if (g->anchored) continue;
    double total = 0, w[N];
    for (int32_t k = 0; k < g->count; ++k) {
      int32_t i = g->joints[k];
      total += w[k] = s->joints[i + 1].mass / mean_mass / regions[i].count;
      g->center = pl_vec3_add_scaled(g->center, s->x[i], w[k]);
      g->rest_center = pl_vec3_add_scaled(g->rest_center, s->y[i], w[k]);
    }
    g->center = pl_vec3_scale(g->center, 1 / total);
    g->rest_center = pl_vec3_scale(g->rest_center, 1 / total);
    pl_mat3 a = pl_mat3_zero();
    for (int32_t k = 0; k < g->count; ++k) {
      int32_t i = g->joints[k];
      pl_mat3 outer = pl_mat3_outer(pl_vec3_sub(s->x[i], g->center), pl_vec3_sub(s->y[i], g->rest_center));
      pl_mat3 turn = pl_mat3_from_quat(pl_quat_multiply(s->q[i], pl_quat_conjugate(s->r[i])));
      a = pl_mat3_add(a, pl_mat3_add(pl_mat3_scale(outer, w[k]), pl_mat3_scale(turn, w[k] * arm * arm)));
    }
    g->rotation = pl_rotation_of_mat3(a, pl_quat_identity());
  }
}

static pl_vec3 rotation_vector(pl_quat q) {
  pl_vec3 u = {q.x, q.y, q.z};
  double sine = pl_vec3_length(u), angle = 2 * atan2(sine, fabs(q.w));
  return pl_vec3_scale(u, sine > 1e-15 ? copysign(angle / sine, q.w) : 2);
}

// Pushes along the bars' directions at the start until all lengths are right, one bar after the other.
static void keep_lengths(const subject *s, pl_vec3 *x) {
  int32_t n = s->shape->joint_count;
  for (int round = 0; round < 20000; ++round) {
    double worst = 0;
    for (int32_t i = 1; i < n; ++i) {
      int32_t p = s->shape->parents[i];
      pl_vec3 push = pl_vec3_normalize_or(pl_vec3_sub(s->x[i], s->x[p]), (pl_vec3){1, 0, 0}),
              e = pl_vec3_sub(x[i], x[p]);
      double wi = 1 / s->joints[i + 1].mass, wp = p == 0 ? 0 : 1 / s->joints[p + 1].mass;
      double error = pl_vec3_length(e) - pl_vec3_distance(s->y[i], s->y[p]);
      double lambda = error / ((wi + wp) * pl_vec3_dot(push, e) / pl_vec3_length(e));
      x[i] = pl_vec3_add_scaled(x[i], push, -lambda * wi);
      x[p] = pl_vec3_add_scaled(x[p], push, lambda * wp);
      worst = fmax(worst, fabs(error));
    }
    if (worst < 1e-12) return;
  }
  fail_msg("the lengths did not converge");
}

// The state at the end: positions relative to the root's new place.
static void step_by_hand(const subject *s, pl_vec3 *x, pl_quat *q, pl_vec3 *v) {
  int32_t n = s->shape->joint_count;
  double h = s->h, alpha = fmin(s->def.stiffness * pow(h / s->def.stiffness_step, 2), 1),
         kept = exp(-s->def.damping * h);
  pl_vec3 offset = pl_transform_apply_inverse(s->joints[0].rest, s->joints[1].rest.position);
  pl_vec3 shift = pl_vec3_sub(pl_transform_apply(s->base[1], offset), pl_transform_apply(s->base[0], offset));
  pl_vec3 spin = pl_vec3_scale(
      rotation_vector(pl_quat_multiply(s->base[1].rotation, pl_quat_conjugate(s->base[0].rotation))), 1 / h);
  region regions[N];
  find_regions(s, regions);
  place_regions(s, regions);
  for (int32_t i = 0; i < n; ++i) {
    pl_vec3 goal = {0, 0, 0};
    pl_quat turn = {0, 0, 0, 0};
    for (int32_t r = 0; r < n; ++r) {
      const region *g = &regions[r];
      bool inside = false;
      for (int32_t k = 0; k < g->count; ++k) inside = inside || g->joints[k] == i;
      if (!inside) continue;
      pl_vec3 there = pl_vec3_add(g->center, pl_quat_rotate(g->rotation, pl_vec3_sub(s->y[i], g->rest_center)));
      goal = pl_vec3_add_scaled(goal, there, 1.0 / regions[i].count);
      double side = pl_quat_dot(g->rotation, regions[i].rotation) < 0 ? -1 : 1;
      turn = (pl_quat){turn.x + side * g->rotation.x, turn.y + side * g->rotation.y, turn.z + side * g->rotation.z,
                       turn.w + side * g->rotation.w};
    }
    double fraction = fmin(alpha * s->joints[i + 1].stiffness, 1);
    pl_vec3 velocity = pl_vec3_add_scaled(s->v[i], pl_vec3_sub(goal, s->x[i]), fraction / h);
    velocity = pl_vec3_add_scaled(velocity, s->gravity, h);
    pl_quat aim = pl_quat_multiply(pl_quat_normalize(turn), s->r[i]);
    pl_vec3 turning =
        pl_vec3_add_scaled(s->w[i], rotation_vector(pl_quat_multiply(aim, pl_quat_conjugate(s->q[i]))), fraction / h);
    pl_vec3 carried = pl_vec3_add(pl_vec3_scale(shift, 1 / h), pl_vec3_cross(spin, s->x[i]));
    velocity = pl_vec3_lerp(carried, velocity, kept);
    turning = pl_vec3_lerp(spin, turning, kept);
    x[i] = i == 0 ? (pl_vec3){0, 0, 0} : pl_vec3_sub(pl_vec3_add_scaled(s->x[i], velocity, h), shift);
    q[i] = pl_quat_multiply(pl_quat_from_rotation_vector(pl_vec3_scale(turning, h)), s->q[i]);
  }
  keep_lengths(s, x);
  for (int32_t i = 0; i < n; ++i) v[i] = pl_vec3_scale(pl_vec3_add(pl_vec3_sub(x[i], s->x[i]), shift), 1 / h);
}

// --- the library's

static void put3(float *to, int32_t i, int lane, pl_vec3 a) {
  const double values[3] = {a.x, a.y, a.z};
  for (int c = 0; c < 3; ++c) to[24 * i + 8 * c + lane] = (float)values[c];
}
static void put4(float *to, int32_t i, int lane, pl_quat a) {
  const double values[4] = {a.x, a.y, a.z, a.w};
  for (int c = 0; c < 4; ++c) to[32 * i + 8 * c + lane] = (float)values[c];
}

static void step_by_library(pl_context *context, const subject *s, pl_vec3 *x, pl_quat *q, pl_vec3 *v) {
  pl_error error = {0};
  pl_model *model = NULL;
  check_ok(pl_rod_build(context, &s->def, &model, &error), &error);
  const pl_rod_model *rod = (const pl_rod_model *)model;
  size_t size = (pl_rod_state_size(model) + 63) / 64 * 64;
  void *state = aligned_alloc(64, size);
  // The kinematic joint starts where it is to be.
  pl_transform rest = s->joints[0].rest;
  pl_quat turn = pl_quat_multiply(s->base[0].rotation, pl_quat_conjugate(rest.rotation));
  pl_body_start start = {.placement = {pl_vec3_sub(s->base[0].position, pl_quat_rotate(turn, rest.position)), turn}};
  pl_rod_start(model, state, &start);
  pl_rod_lanes lanes = pl_rod_lanes_of(rod, pl_rod_state_of(model, state), 0);
  for (int32_t i = 0; i < s->shape->joint_count; ++i)
    for (int lane = 0; lane < LANES; ++lane) {
      put3(lanes.positions, i, lane, s->x[i]);
      put3(lanes.velocities, i, lane, s->v[i]);
      put3(lanes.spins, i, lane, s->w[i]);
      put4(lanes.rotations, i, lane, s->q[i]);
    }
  assert_true(pl_rod_state_set_target(model, state, 0, s->base[1], s->h));
  pl_scratch scratch;
  pl_scratch_init(&scratch, context);
  pl_body_move move = {.context = context, .scratch = &scratch, .step = s->h, .acceleration = s->gravity};
  check_ok(pl_rod_move(model, state, &move, &error), &error);
  pl_vec3 offset = pl_transform_apply_inverse(rest, s->joints[1].rest.position),
          root = pl_transform_apply(s->base[1], offset);
  for (int32_t i = 0; i < s->shape->joint_count; ++i) {
    // Joints of a chain are sorted level by level; ours already are.
    x[i] = pl_vec3_sub(pl_rod_get_particle(model, state, i + 1, &v[i]), root);
    const float *at = lanes.rotations + 32 * i;
    q[i] = (pl_quat){(double)at[0], (double)at[8], (double)at[16], (double)at[24]};
  }
  pl_scratch_destroy(&scratch);
  pl_model_destroy(model);
  free(state);
}

static void a_step_is_that_of_the_equations(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(41);
  for (size_t k = 0; k < sizeof SHAPES / sizeof SHAPES[0]; ++k) {
    double positions = 0, velocities = 0, turns = 0, moved = 0;
    for (int n = 0; n < 50; ++n) {
      subject s;
      begin_subject(&s, &random, &SHAPES[k]);
      pl_vec3 x[2][N], v[2][N];
      pl_quat q[2][N];
      step_by_hand(&s, x[0], q[0], v[0]);
      step_by_library(context, &s, x[1], q[1], v[1]);
      for (int32_t i = 0; i < SHAPES[k].joint_count; ++i) {
        positions = fmax(positions, pl_vec3_distance(x[0][i], x[1][i]));
        velocities = fmax(velocities, pl_vec3_distance(v[0][i], v[1][i]));
        turns = fmax(turns, pl_vec3_length(rotation_vector(pl_quat_multiply(q[0][i], pl_quat_conjugate(q[1][i])))));
        moved = fmax(moved, pl_vec3_distance(x[0][i], s.x[i]));
      }
    }
    printf("%s: positions within %.1e m (of %.1e m moved), velocities within %.1e m/s, orientations within %.1e rad\n",
           SHAPES[k].name, positions, moved, velocities, turns);
    double tolerance = SHAPES[k].tolerance;
    assert_true(positions < tolerance && velocities < tolerance * 240 && turns < 2e-3 && moved > 1e-3);
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_step_is_that_of_the_equations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
