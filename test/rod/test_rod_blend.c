// Blended rest poses P(w) (paper 001, eqs. 4 to 9) against the equations written out here: rotations from segment to
// segment by angle and axis, QLERP in one hemisphere, forward kinematics; orientations by QLERP.
//
// Eq. 8 needs a direction before the first segment. Ours is the first segment's own direction at rest, so that its
// rotation at rest is the identity. Where a segment doubles back (theta = pi) the axis is free, so there only what must
// hold for any axis is asked: examples are met, lengths kept.
// ctest: physics
#include "base/random.h"
#include "fixtures/rod_chains.h"

static pl_vec3 random_direction(pl_random *random) {
  for (;;) {
    pl_vec3 d = {pl_random_normal(random), pl_random_normal(random), pl_random_normal(random)};
    if (pl_vec3_length(d) > 1e-3) return pl_vec3_normalize_or(d, d);
  }
}

// Eqs. 7 and 8.
static pl_quat angle_and_axis(pl_vec3 a, pl_vec3 b) {
  pl_vec3 across = pl_vec3_cross(a, b);
  double length = pl_vec3_length(across), cosine = pl_vec3_dot(a, b) / (pl_vec3_length(a) * pl_vec3_length(b));
  if (length < 1e-12 * pl_vec3_length(a) * pl_vec3_length(b)) return pl_quat_identity();
  double angle = acos(fmax(-1, fmin(1, cosine)));
  pl_vec3 e = pl_vec3_scale(across, sin(0.5 * angle) / length);
  return (pl_quat){e.x, e.y, e.z, cos(0.5 * angle)};
}

static pl_quat qlerp(int count, const pl_quat *q, const double *w) {
  pl_quat sum = {0, 0, 0, 0};
  for (int k = 0; k < count; ++k) {
    double side = pl_quat_dot(q[k], q[0]) < 0 ? -w[k] : w[k];
    sum = (pl_quat){sum.x + side * q[k].x, sum.y + side * q[k].y, sum.z + side * q[k].z, sum.w + side * q[k].w};
  }
  return pl_quat_scale(sum, 1 / sqrt(pl_quat_dot(sum, sum)));
}

// Positions of a chain 1, 2, ... last of `rod`, poses[0] its rest, relative to its root; the kinematic joint must not
// be turned.
static void blend_by_hand(const test_rod *rod, int pose_count, const pl_vec3 *const *poses, const double *w,
                          pl_vec3 *x) {
  int32_t last = rod->def.joint_count - 1;
  pl_vec3 direction = pl_vec3_sub(poses[0][2], poses[0][1]);
  x[1] = (pl_vec3){0, 0, 0};
  for (int32_t i = 2; i <= last; ++i) {
    pl_quat r[MAX_ROD_EXAMPLES + 1];
    for (int k = 0; k < pose_count; ++k) {
      pl_vec3 before = i == 2 ? pl_vec3_sub(poses[0][2], poses[0][1]) : pl_vec3_sub(poses[k][i - 1], poses[k][i - 2]);
      r[k] = angle_and_axis(before, pl_vec3_sub(poses[k][i], poses[k][i - 1]));
    }
    direction = pl_quat_rotate(qlerp(pose_count, r, w), direction);
    double length = pl_vec3_distance(poses[0][i], poses[0][i - 1]);
    x[i] = pl_vec3_add_scaled(x[i - 1], direction, length / pl_vec3_length(direction));
  }
}

static void random_weights(pl_random *random, int count, double *weights) {
  // Uniform over the remainder of 1 after a random fraction for the rest shape; every fourth leaves nothing.
  double sum = 0, total = pl_random_unit(random) < 0.25 ? 1 : pl_random_unit(random);
  for (int k = 0; k < count; ++k) sum += weights[k] = -log(1 - pl_random_unit(random));
  for (int k = 0; k < count; ++k) weights[k] *= total / sum;
}

// Segments of unequal lengths in random directions, no two of them doubling back.
static void random_pose(pl_random *random, int32_t last, const double *lengths, pl_vec3 *to) {
  pl_vec3 d = random_direction(random);
  to[0] = to[1] = (pl_vec3){0, 0, 0};
  for (int32_t i = 2; i <= last; ++i) {
    to[i] = pl_vec3_add_scaled(to[i - 1], d, lengths[i]);
    pl_vec3 turn = pl_vec3_scale(random_direction(random), pl_random_between(random, 0, 2.8));
    d = pl_quat_rotate(pl_quat_from_rotation_vector(turn), d);
  }
}

static void begin_random_rod(test_rod *rod, pl_random *random, int example_count) {
  begin_rod(rod, 8, 0.05, (pl_vec3){0, 0, 0});
  double lengths[MAX_ROD_JOINTS];
  for (int32_t i = 0; i <= 8; ++i) lengths[i] = pl_random_between(random, 0.02, 0.09);
  pl_vec3 rest[MAX_ROD_JOINTS];
  random_pose(random, 8, lengths, rest);
  for (int32_t i = 1; i <= 8; ++i) rod->joints[i].rest.position = rest[i];
  for (int k = 0; k < example_count; ++k) {
    add_example(rod, (pl_vec3){0, 0, 0}, (pl_vec3){0, 0, 0}, 0);
    random_pose(random, 8, lengths, rod->example_positions[k]);
  }
}

// P(w) in double against eqs. 7 to 9, and the body's own rest pose, in single precision, against P(w).
static void blends_are_those_of_the_paper(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(5);
  double worst = 0, worst_body = 0;
  for (int n = 0; n < 40; ++n) {
    test_rod rod;
    int count = 1 + n % 5;
    begin_random_rod(&rod, &random, count);
    pl_model *model = build_rod(context, &rod);
    pl_world *world = make_world(context, 1.0 / 240, 0);
    pl_body_id id = add_body(world, model, (pl_vec3){10, 20, 30});
    pl_vec3 rest[MAX_ROD_JOINTS], want[MAX_ROD_JOINTS], now[MAX_ROD_JOINTS];
    for (int32_t i = 0; i <= 8; ++i) rest[i] = rod.joints[i].rest.position;
    const pl_vec3 *poses[] = {rest,
                              rod.example_positions[0],
                              rod.example_positions[1],
                              rod.example_positions[2],
                              rod.example_positions[3],
                              rod.example_positions[4]};
    for (int m = 0; m < 5; ++m) {
      double all[8];
      random_weights(&random, count, all + 1);
      all[0] = 1;
      for (int k = 1; k <= count; ++k) all[0] -= all[k];
      blend_by_hand(&rod, count + 1, poses, all, want);
      pl_transform got[16];
      assert_int_equal(pl_rod_blend(model, 0, all + 1, got), 8);
      for (int i = 0; i < 8; ++i) worst = fmax(worst, pl_vec3_distance(got[i].position, want[i + 1]));
      check_ok(pl_body_reset(world, id, NULL), NULL);
      check_ok(pl_body_set_weights(world, id, 0, all + 1, NULL), NULL);
      run_steps(world, 1 + m);
      check_ok(pl_body_get_positions(world, id, now), NULL);
      for (int i = 1; i <= 8; ++i)
        worst_body = fmax(worst_body, pl_vec3_distance(now[i], pl_vec3_add(want[i], (pl_vec3){10, 20, 30})));
    }
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  printf("200 blends of random poses, 0.39 m long: P(w) within %.1e m, a body at rest within %.1e m\n", worst,
         worst_body);
  assert_true(worst < 1e-6 && worst_body < 1e-5);
  drop_context(context);
}

// Rest poses and examples in which segments continue straight (theta = 0), double back (theta = pi) or turn round at
// the root.
static void begin_form(test_rod *rod, int form) {
  const pl_vec3 turns[] = {{0, 0, 0}, {0.3, 0, 0.9}, {PL_PI, 0, 0}, {0, 0, PL_PI}, {0, PL_PI / 2, PL_PI / 2}};
  begin_rod(rod, 9, 0.04, turns[form]);
  const pl_vec3 bends[] = {{0, 0, 0}, {8 * PL_PI, 0, 0}, {0, 0, -8 * PL_PI}, {1, 2, 3}, {0, 0.4, 0}};
  for (int k = 0; k < 5; ++k) add_example(rod, bends[k], (pl_vec3){0, 0, 0}, 0);
  // The last: all segments point against the rest's direction.
  add_example(rod, (pl_vec3){0, 0, 0}, (pl_vec3){0, 0, 0}, 0);
  for (int32_t i = 2; i <= 9; ++i) rod->example_positions[5][i] = pl_vec3_scale(rod->joints[i].rest.position, -1);
}

static void poses_are_met_and_lengths_kept(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(7);
  static const char *const names[] = {"straight", "coiled", "folded", "folded sideways", "twisting"};
  for (int form = 0; form < 5; ++form) {
    test_rod rod;
    begin_form(&rod, form);
    pl_model *model = build_rod(context, &rod);
    double met = 0, lengths = 0, body_lengths = 0;
    pl_transform got[16];
    for (int j = -1; j < 6; ++j) {
      double w[6] = {0};
      if (j >= 0) w[j] = 1;
      pl_rod_blend(model, 0, w, got);
      for (int i = 0; i < 9; ++i) {
        pl_vec3 want = j < 0 ? rod.joints[i + 1].rest.position : rod.example_positions[j][i + 1];
        met = fmax(met, pl_vec3_distance(got[i].position, want));
      }
    }
    pl_world *world = make_world(context, 1.0 / 240, 0);
    pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
    for (int n = 0; n < 300; ++n) {
      double w[6];
      random_weights(&random, 6, w);
      // Every third: two poses in equal parts, where opposite rotations cancel best.
      if (n % 3 == 0) {
        for (int k = 0; k < 6; ++k) w[k] = 0;
        w[(n / 3) % 6] = w[(n / 18 + 1) % 6] = 0.5;
      }
      pl_rod_blend(model, 0, w, got);
      for (int i = 1; i < 9; ++i)
        lengths = fmax(lengths, fabs(pl_vec3_distance(got[i].position, got[i - 1].position) / 0.04 - 1));
      check_ok(pl_body_reset(world, id, NULL), NULL);
      check_ok(pl_body_set_weights(world, id, 0, w, NULL), NULL);
      run_steps(world, 1);
      pl_vec3 now[MAX_ROD_JOINTS];
      check_ok(pl_body_get_positions(world, id, now), NULL);
      body_lengths = fmax(body_lengths, length_error(&rod, now));
    }
    printf("%s: rest and examples met within %.1e m, lengths within %.1e, in the body %.1e\n", names[form], met,
           lengths, body_lengths);
    assert_true(met < 1e-6 && lengths < 1e-6 && body_lengths < 2e-6);
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  drop_context(context);
}

// How far a joint can move at most when the camera moves by a small angle `step`. A Gaussian changes by at most g_j =
// sqrt(2/e) step / alpha_j. With s = max(1, sum of them) and w_j = phi_j / s, the sum S = q_0 + sum w_j (q_j - q_0) of
// a joint's quaternions changes by
//   |dS| <= sum g_j |q_j - q_0| + sum g_k max |q_j - q_0|,
// and |S| >= c, the least <q_j, q_0>. The rotation changes by an angle of 2 |dS| / c; directions add up those of all
// joints above them, and a joint moves by its segments' changes of direction times their lengths.
static double max_step(const test_rod *rod, double step) {
  int32_t last = rod->def.joint_count - 1;
  double angle = 0, moved = 0, all = 0, g[MAX_ROD_EXAMPLES];
  for (int j = 0; j < rod->def.example_count; ++j) all += g[j] = sqrt(2 / exp(1)) * step / rod->examples[j].extent;
  for (int32_t i = 2; i <= last; ++i) {
    pl_vec3 rest = pl_vec3_sub(rod->joints[i].rest.position, rod->joints[i - 1].rest.position), before = rest;
    if (i > 2) before = pl_vec3_sub(rod->joints[i - 1].rest.position, rod->joints[i - 2].rest.position);
    pl_quat q0 = angle_and_axis(before, rest);
    double own = 0, farthest = 0, cosine = 1;
    for (int j = 0; j < rod->def.example_count; ++j) {
      const pl_vec3 *x = rod->example_positions[j];
      pl_quat q = angle_and_axis(i > 2 ? pl_vec3_sub(x[i - 1], x[i - 2]) : before, pl_vec3_sub(x[i], x[i - 1]));
      double dot = fabs(pl_quat_dot(q, q0)), apart = sqrt(2 - 2 * fmin(dot, 1));
      own += g[j] * apart;
      farthest = fmax(farthest, apart);
      cosine = fmin(cosine, dot);
    }
    angle += 2 * (own + all * farthest) / cosine;
    moved += angle * pl_vec3_length(rest);
  }
  return moved;
}

typedef struct orbit_steps {
  double blend, body;  // m, the largest
} orbit_steps;

static orbit_steps run_orbit(pl_context *context, const pl_model *model, int points) {
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
  orbit_steps max = {0, 0};
  pl_transform last[16], now[16];
  pl_vec3 last_body[16], body[16];
  for (int n = 0; n <= points; ++n) {
    double w[8], angle = 2 * PL_PI * n / points;
    // A slanted circle around the root: the direction turns by the same angle in every step.
    pl_vec3 eye = {3 * sin(angle), 3 * sin(0.3) * cos(angle), 3 * cos(0.3) * cos(angle)};
    check_ok(pl_rod_set_camera(world, id, eye, NULL), NULL);
    run_steps(world, 1);
    check_ok(pl_body_get_weights(world, id, 0, w), NULL);
    check_ok(pl_body_get_positions(world, id, body), NULL);
    pl_rod_blend(model, 0, w, now);
    for (int i = 0; n > 0 && i < 8; ++i) {
      max.blend = fmax(max.blend, pl_vec3_distance(now[i].position, last[i].position));
      max.body = fmax(max.body, pl_vec3_distance(body[i + 1], last_body[i + 1]));
    }
    memcpy(last, now, sizeof last);
    memcpy(last_body, body, sizeof body);
  }
  pl_world_destroy(world);
  return max;
}

static void the_blend_never_jumps_along_an_orbit(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const pl_vec3 turns[] = {{0, 0, 0}, {0.3, 0, 0.9}};
  for (int form = 0; form < 2; ++form)
    for (int rule = 0; rule < 2; ++rule) {
      test_rod rod;
      begin_rod(&rod, 8, 0.05, turns[form]);
      add_five_examples(&rod);
      rod.def.view_rule = rule == 0 ? PL_ROD_VIEW_PAPER : PL_ROD_VIEW_INTERPOLATING;
      pl_model *model = build_rod(context, &rod);
      orbit_steps coarse = run_orbit(context, model, 1000), fine = run_orbit(context, model, 4000);
      double bound = max_step(&rod, 2 * PL_PI / 1000);
      printf(
          "%s, %s: largest step of a joint along 1000 points %.3f mm (the body's %.3f mm; %.1f mm is possible), along "
          "4000 %.3f "
          "mm\n",
          form == 0 ? "straight" : "coiled", rule == 0 ? "Algorithm 1" : "interpolating", 1e3 * coarse.blend,
          1e3 * coarse.body, 1e3 * bound, 1e3 * fine.blend);
      // The bound is Algorithm 1's; interpolating weights are mixtures of the same Gaussians, little steeper where
      // these overlap as little as here.
      assert_true(coarse.blend < (rule == 0 ? 1 : 2) * bound);
      check_near(coarse.body, coarse.blend, 1e-5);
      // A jump, however small, would not shrink with the step.
      assert_true(fine.blend < 0.26 * coarse.blend && coarse.blend > 1e-4);
      pl_model_destroy(model);
    }
  drop_context(context);
}

static double turn_between(pl_quat a, pl_quat b) {
  pl_quat turn = pl_quat_multiply(pl_quat_conjugate(pl_quat_normalize(a)), pl_quat_normalize(b));
  return 2 * asin(fmin(1, sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z)));
}

// LB_Q: orientations blend by themselves, so twist that positions cannot show comes through.
static void orientations_blend_by_qlerp(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(9);
  test_rod rod;
  begin_rod(&rod, 6, 0.05, (pl_vec3){0, 0, 0});
  pl_quat head = pl_quat_from_axis_angle((pl_vec3){0.6, 0, 0.8}, 0.7);
  rod.joints[0].rest.rotation = head;
  for (int i = 1; i <= 6; ++i) rod.joints[i].rest.rotation = pl_quat_from_axis_angle(random_direction(&random), 1);
  pl_quat rotations[2][16];
  for (int k = 0; k < 2; ++k) {
    add_example(&rod, (pl_vec3){0, 0, 0}, (pl_vec3){0, 0, 0}, 0);
    rod.examples[k].rotations = rotations[k];
    for (int i = 0; i <= 6; ++i) {
      // Twist around the chain, more towards the tip; every other with the other sign, which is the same rotation.
      pl_quat twist = pl_quat_from_axis_angle((pl_vec3){0, 1, 0}, (k == 0 ? 0.4 : -0.3) * (i - 1));
      rotations[k][i] = pl_quat_scale(pl_quat_multiply(twist, rod.joints[i].rest.rotation), i % 2 == 0 ? -1 : 1);
    }
  }
  pl_model *model = build_rod(context, &rod);
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
  double worst = 0, worst_body = 0, max_twist = 0;
  for (int n = 0; n < 100; ++n) {
    double w[3] = {1, 0, 0};
    random_weights(&random, 2, w + 1);
    if (n < 2) w[1] = n, w[2] = 1 - n;
    w[0] = 1 - w[1] - w[2];
    pl_transform got[16], joints[16];
    pl_rod_blend(model, 0, w + 1, got);
    check_ok(pl_body_reset(world, id, NULL), NULL);
    check_ok(pl_body_set_weights(world, id, 0, w + 1, NULL), NULL);
    run_steps(world, 2);
    check_ok(pl_rod_get_joints(world, id, joints), NULL);
    for (int i = 1; i <= 6; ++i) {
      pl_quat all[3] = {rod.joints[i].rest.rotation, rotations[0][i], rotations[1][i]}, want = qlerp(3, all, w);
      worst = fmax(worst, turn_between(pl_quat_multiply(head, got[i - 1].rotation), want));
      worst_body = fmax(worst_body, turn_between(joints[i].rotation, want));
      max_twist = fmax(max_twist, turn_between(joints[i].rotation, rod.joints[i].rest.rotation));
    }
  }
  // Of two rotations around one axis, equal parts are the one in the middle.
  pl_transform half[16];
  pl_rod_blend(model, 0, (const double[2]){0.5, 0}, half);
  for (int i = 1; i <= 6; ++i) {
    pl_quat want =
        pl_quat_multiply(pl_quat_from_axis_angle((pl_vec3){0, 1, 0}, 0.2 * (i - 1)), rod.joints[i].rest.rotation);
    check_near(turn_between(pl_quat_multiply(head, half[i - 1].rotation), want), 0, 2e-6);
  }
  printf("orientations: P(w) within %.1e rad, a body's joints within %.1e rad; twist up to %.2f rad\n", worst,
         worst_body, max_twist);
  assert_true(worst < 2e-6 && worst_body < 1e-4 && max_twist > 1.5);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blends_are_those_of_the_paper),
      cmocka_unit_test(poses_are_met_and_lengths_kept),
      cmocka_unit_test(the_blend_never_jumps_along_an_orbit),
      cmocka_unit_test(orientations_blend_by_qlerp),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
