// Bodies of one model that move side by side have the same bits as each by itself, and on every instruction set.
// ctest: unit
#include <string.h>

#include "base/random.h"
#include "base/scratch.h"
#include "check.h"
#include "math/simd.h"
#include "pliant/runtime.h"
#include "solid/solid_kernels.h"

enum { STEPS = 24, MAX_STATE = 16384, MAX_PARTICLES = 128 };

typedef struct fixture {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model;
  pl_scratch scratch;
  int32_t n;
  size_t size;
  _Alignas(64) char single[LANES][MAX_STATE], many[LANES][MAX_STATE], before[LANES][MAX_STATE];
  _Alignas(16) pl_f4 forces[MAX_PARTICLES];
} fixture;

static fixture f;

static pl_vec3 random_vector(pl_random *random, double size) {
  return pl_vec3_of(pl_random_between(random, -size, size), pl_random_between(random, -size, size),
                    pl_random_between(random, -size, size));
}

static void start_fixture(const int32_t cells[3], double damping) {
  pl_error error = {0};
  pl_random random = pl_random_of_seed(7);
  memset(&f, 0, sizeof f);
  f.context = make_context(1);
  check_ok(pl_mesh_create_box(f.context, (pl_vec3){0.3, 0.2, 0.2}, cells, &f.mesh, &error), &error);
  pl_solid_def def = pl_default_solid_def();
  def.damping = damping;
  check_ok(pl_solid_build(f.context, &def, f.mesh, &f.model, &error), &error);
  pl_scratch_init(&f.scratch, f.context);
  f.n = f.model->particle_count;
  f.size = pl_solid_state_size(f.model);
  assert_true(f.size <= MAX_STATE && f.n <= MAX_PARTICLES && f.model->moves_many);
  for (int32_t i = 0; i < f.n; ++i) f.forces[i] = pl_f4_of_vec3(random_vector(&random, 1));
  for (int k = 0; k < LANES; ++k) {
    pl_body_start start = {.placement = {random_vector(&random, 5),
                                         pl_quat_from_axis_angle(random_vector(&random, 1), 2 * PL_PI * k / LANES)},
                           .velocity = random_vector(&random, 8),
                           .angular_velocity = random_vector(&random, 20)};
    pl_solid_start(f.model, f.single[k], &start);
  }
}

static void end_fixture(void) {
  pl_scratch_destroy(&f.scratch);
  pl_model_destroy(f.model);
  pl_mesh_destroy(f.mesh);
  drop_context(f.context);
}

// As contact does: some particles are elsewhere, and move differently.
static void disturb(pl_random *random, void *state, double size) {
  static pl_vec3 positions[MAX_PARTICLES], velocities[MAX_PARTICLES];
  pl_solid_get_positions(f.model, state, positions);
  pl_solid_get_velocities(f.model, state, velocities);
  for (int32_t i = 0; i < f.n; i += 3) {
    positions[i] = pl_vec3_add(positions[i], random_vector(random, size));
    velocities[i] = pl_vec3_add(velocities[i], random_vector(random, 10 * size));
  }
  pl_solid_set_state(f.model, state, positions, velocities);
}

static pl_body_move move_of(int k, bool is_pushed, bool *damped) {
  return (pl_body_move){.context = f.context,
                        .scratch = &f.scratch,
                        .step = 1.0 / 240,
                        .acceleration = {0, -9.81 * (k % 3), 0.5},
                        .forces = is_pushed ? f.forces : NULL,
                        .damped = damped};
}

// Of some bodies the state is set in every step, of some now and then, and some are left alone: their energy is
// measured. One is pushed by forces at times. In every second step what is written is not what is read.
static void move_both(int32_t count) {
  pl_error error = {0};
  pl_random random = pl_random_of_seed(11);
  for (int step = 0; step < STEPS; ++step) {
    pl_body_move moves[LANES];
    const void *starts[LANES];
    void *states[LANES];
    bool damped[2][LANES] = {{false}};
    for (int k = 0; k < count; ++k) {
      bool is_set = k < 3 || (k < 6 && step % (k + 1) == 0);
      if (is_set) disturb(&random, f.single[k], step == 5 ? 0.2 : 0.01);
      memcpy(f.many[k], f.single[k], f.size);
      starts[k] = states[k] = f.many[k];
      if (step % 2 == 1) {
        memcpy(f.before[k], f.many[k], f.size);
        memset(f.many[k], 0x55, f.size);
        starts[k] = f.before[k];
      }
      bool is_pushed = k == 4 && step % 5 < 2;
      moves[k] = move_of(k, is_pushed, &damped[1][k]);
      pl_body_move single = move_of(k, is_pushed, &damped[0][k]);
      check_ok(pl_solid_move(f.model, f.single[k], &single, &error), &error);
    }
    check_ok(f.model->method->move_many(f.model, starts, states, moves, count, &error), &error);
    for (int k = 0; k < count; ++k) assert_memory_equal(f.many[k], f.single[k], f.size);
    assert_memory_equal(damped[0], damped[1], sizeof damped[0]);
  }
}

static void side_by_side_is_as_alone(void **state) {
  (void)state;
  static const int32_t CELLS[3][3] = {{1, 1, 1}, {3, 3, 3}, {3, 2, 4}};  // 8, 64 and 60 particles
  for (int k = 0; k < 3; ++k)
    for (int32_t count = 1; count <= LANES; ++count) {
      start_fixture(CELLS[k], count % 2 == 0 ? 2 : 20);
      move_both(count);
      end_fixture();
    }
}

// A body that is not finite stays alone with it.
static void others_stay_finite(void **state) {
  (void)state;
  pl_error error = {0};
  start_fixture((const int32_t[3]){3, 3, 3}, 20);
  pl_body_move moves[LANES];
  const void *starts[LANES];
  void *states[LANES];
  pl_solid_state_of(f.model, f.single[2]).velocities[5][1] = INFINITY;
  for (int k = 0; k < LANES; ++k) {
    memcpy(f.many[k], f.single[k], f.size);
    moves[k] = move_of(k, false, NULL);
    starts[k] = states[k] = f.many[k];
    check_ok(pl_solid_move(f.model, f.single[k], &moves[k], &error), &error);
  }
  check_ok(pl_solid_move_many(f.model, starts, states, moves, LANES, &error), &error);
  for (int k = 0; k < LANES; ++k) {
    assert_true((pl_solid_find_not_finite(f.model, f.many[k]) >= 0) == (k == 2));
    if (k != 2) assert_memory_equal(f.many[k], f.single[k], f.size);
  }
  end_fixture();
}

#if PL_SIMD_HAS_AVX2
static void run(const pl_solid_kernels *kernels, char (*states)[MAX_STATE], pl_solid_many *m, int *finite) {
  static _Alignas(64) float positions[MAX_PARTICLES * VEC3_LANES], velocities[MAX_PARTICLES * VEC3_LANES],
      poses[MAX_PARTICLES * PL_SOLID_MANY_POSE];
  *m = (pl_solid_many){.model = (const pl_solid_model *)f.model,
                       .positions = positions,
                       .velocities = velocities,
                       .poses = poses,
                       .step = 0.004f,
                       .alpha_over_step = 100,
                       .damped_fraction = 0.01f};
  for (int k = 0; k < LANES; ++k) m->starts[k] = m->states[k] = pl_solid_state_of(f.model, states[k]);
  for (int i = 0; i < VEC3_LANES; ++i) m->gains[i] = -0.01f * (float)i;
  kernels->load_many(m);
  kernels->pose_many(m);
  kernels->pull_many(m);
  for (int i = 0; i < PL_SOLID_MOTION_COUNT * VEC3_LANES; ++i) m->motions[0][0][i] = 0.1f * (float)(i % 7);
  *finite = kernels->drift_many(m);
}

static void all_instruction_sets_give_the_same_bits(void **state) {
  (void)state;
  if (!PL_SIMD_CAN_AVX2()) {
    print_message("this machine has no AVX2: there is only one kind of kernel\n");
    return;
  }
  pl_random random = pl_random_of_seed(3);
  static pl_solid_many plain, wide;
  int finite[2];
  start_fixture((const int32_t[3]){3, 2, 4}, 2);
  const pl_solid_kernels *kernels[2] = {&pl_solid_kernels_avx2, &pl_solid_kernels_avx512};
  for (int set = 0; set < (PL_SIMD_CAN_AVX512() ? 2 : 1); ++set) {
    for (int k = 0; k < LANES; ++k) {
      disturb(&random, f.single[k], 0.02);
      memcpy(f.many[k], f.single[k], f.size);
    }
    run(&pl_solid_kernels_plain, f.single, &plain, &finite[0]);
    run(kernels[set], f.many, &wide, &finite[1]);
    assert_true(finite[0] == finite[1] && finite[0] == (1 << LANES) - 1);
    assert_memory_equal(plain.sums, wide.sums, sizeof plain.sums);
    for (int k = 0; k < LANES; ++k) assert_memory_equal(f.single[k], f.many[k], f.size);
  }
  end_fixture();
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(side_by_side_is_as_alone),
    cmocka_unit_test(others_stay_finite),
#if PL_SIMD_HAS_AVX2
    cmocka_unit_test(all_instruction_sets_give_the_same_bits),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
