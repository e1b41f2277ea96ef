// Spring bones against the update that VRMC_springBone 1.0 describes (its section on the algorithm), written here in
// double precision: every bone after its parent,
//   next = tail + (tail - last tail) (1 - drag) + dt stiffness (rest direction of the bone, its parent turned as it is
//   now) + dt gravity, put back to the bone's length; the joint turns by the least that points its bone there.
// With a center, tail and last tail are kept in the center's frame. The specification's text says "localRotation"; as
// in the implementations it points to, that is the rotation at rest.
//
// Contact differs on purpose: there a bone is a sphere at its end, pushed out collider by collider before its children
// move; here the whole chain moves first, and then every bone is pushed out along its length. So with colliders only
// that nothing overlaps is compared.
// ctest: physics
#include "fixtures/rod_chains.h"

enum {
  BONES = 5,
  LAST = BONES + 2
};  // joints: hips 0 (kinematic), head 1 (kinematic), root 2, ends of the bones 3 … 7

typedef struct rig {
  pl_rod_joint joints[LAST + 1];
  pl_rod_chain chain;
  pl_rod_def def;
} rig;

static void begin_rig(rig *r, bool centered) {
  *r = (rig){.def = pl_default_rod_def()};
  pl_vec3 at = {0.05, 1.6, 0.1}, d = {0.3, 1, 0.1};
  for (int i = 0; i <= LAST; ++i) {
    r->joints[i] = pl_default_rod_joint(i - 1);
    pl_rod_joint *joint = &r->joints[i];
    joint->kinematic = i < 2;
    joint->rest.rotation = pl_quat_from_rotation_vector((pl_vec3){0.3 * i, 0.2, -0.1 * i});
    joint->rest.position = i == 0 ? (pl_vec3){0, 1, 0} : i == 1 ? (pl_vec3){0, 1.5, 0} : at;
    if (i >= 2) {
      at = pl_vec3_add_scaled(at, d, (0.1 - 0.01 * i) / pl_vec3_length(d));
      d = pl_quat_rotate(pl_quat_from_rotation_vector((pl_vec3){0.3, 0, -0.2}), d);
    }
    // Those of the bone that ends here.
    joint->spring = 1.2 - 0.1 * i;
    joint->drag = 0.1 + 0.05 * i;
    joint->pull = (pl_vec3){0.02 * i, -0.3, 0.1};
    joint->radius = 0.01;
  }
  r->chain = (pl_rod_chain){.root = 2, .center = centered ? 0 : -1, .collider_count = -1};
  r->def.chains = &r->chain;
  r->def.chain_count = 1;
  r->def.joints = r->joints;
  r->def.joint_count = LAST + 1;
  r->def.solver = PL_ROD_SPRING_BONE;
}

// --- the specification's update

typedef struct spring_bones {
  const rig *rig;
  bool centered;
  pl_vec3 tails[LAST + 1], last_tails[LAST + 1];  // of the bone that ends at each joint, in the center's frame
} spring_bones;

static pl_transform rest_of(const rig *r, int joint) {
  return (pl_transform){r->joints[joint].rest.position, pl_quat_normalize(r->joints[joint].rest.rotation)};
}

static void start_by_hand(spring_bones *s, const rig *r, bool centered, pl_transform center) {
  *s = (spring_bones){.rig = r, .centered = centered};
  for (int i = 3; i <= LAST; ++i) {
    pl_vec3 x = r->joints[i].rest.position;
    s->tails[i] = s->last_tails[i] = centered ? pl_transform_apply_inverse(center, x) : x;
  }
}

static pl_quat shortest_turn(pl_vec3 a, pl_vec3 b) {
  pl_vec3 axis = pl_vec3_cross(a, b);
  double angle = atan2(pl_vec3_length(axis), pl_vec3_dot(a, b));
  return pl_quat_from_axis_angle(pl_vec3_normalize_or(axis, pl_vec3_perpendicular(a)), angle);
}

static void step_by_hand(spring_bones *s, pl_transform center, pl_transform head, double dt, pl_vec3 *world_tails) {
  const rig *r = s->rig;
  pl_quat parent = head.rotation;  // world rotation of the parent of the bone's joint
  pl_transform parent_rest = rest_of(r, 1);
  pl_vec3 joint = pl_transform_apply(head, pl_transform_apply_inverse(parent_rest, r->joints[2].rest.position));
  for (int i = 3; i <= LAST; ++i) {
    pl_transform own_rest = rest_of(r, i - 1);
    pl_quat local_rest = pl_quat_multiply(pl_quat_conjugate(parent_rest.rotation), own_rest.rotation);
    pl_vec3 in_joint = pl_transform_apply_inverse(own_rest, r->joints[i].rest.position),
            axis = pl_vec3_normalize_or(in_joint, in_joint);
    pl_vec3 tail = s->tails[i], last = s->last_tails[i];
    if (s->centered) {
      tail = pl_transform_apply(center, tail);
      last = pl_transform_apply(center, last);
    }
    pl_vec3 next = pl_vec3_add_scaled(tail, pl_vec3_sub(tail, last), 1 - r->joints[i].drag);
    pl_quat at_rest = pl_quat_multiply(parent, local_rest);
    next = pl_vec3_add_scaled(next, pl_quat_rotate(at_rest, axis), dt * r->joints[i].spring);
    next = pl_vec3_add_scaled(next, r->joints[i].pull, dt);
    pl_vec3 bone = pl_vec3_sub(next, joint);
    next = pl_vec3_add_scaled(joint, bone, pl_vec3_length(in_joint) / pl_vec3_length(bone));
    s->last_tails[i] = s->tails[i];
    s->tails[i] = s->centered ? pl_transform_apply_inverse(center, next) : next;
    world_tails[i] = next;
    pl_vec3 to = pl_quat_rotate(pl_quat_conjugate(at_rest), pl_vec3_sub(next, joint));
    parent = pl_quat_multiply(at_rest, shortest_turn(axis, to));
    parent_rest = own_rest;
    joint = next;
  }
}

// Hips that walk and turn, and a head that nods on them.
static pl_transform hips_at(double t) {
  return (pl_transform){{0.8 * sin(2 * t), 1 + 0.05 * sin(9 * t), 0.5 * t},
                        pl_quat_from_rotation_vector((pl_vec3){0, 1.5 * sin(3 * t), 0.3 * sin(5 * t)})};
}
static pl_transform head_on(const rig *r, pl_transform hips, double t, double nod) {
  pl_transform at_rest = {pl_transform_apply_inverse(rest_of(r, 0), r->joints[1].rest.position),
                          pl_quat_multiply(pl_quat_conjugate(rest_of(r, 0).rotation), rest_of(r, 1).rotation)};
  pl_quat turn = pl_quat_from_rotation_vector((pl_vec3){nod * sin(7 * t), 0, nod * sin(4 * t)});
  return pl_transform_multiply(hips, (pl_transform){at_rest.position, pl_quat_multiply(turn, at_rest.rotation)});
}

static pl_model *build(pl_context *context, const rig *r) {
  pl_error error = {0};
  pl_model *model = NULL;
  check_ok(pl_rod_build(context, &r->def, &model, &error), &error);
  return model;
}

static void lead(pl_world *world, pl_body_id id, pl_transform hips, pl_transform head) {
  check_ok(pl_rod_set_joint_target(world, id, 0, hips, pl_world_get_step_length(world), NULL), NULL);
  check_ok(pl_rod_set_joint_target(world, id, 1, head, pl_world_get_step_length(world), NULL), NULL);
}

static void moves_as_the_specification_says(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int centered = 0; centered < 2; ++centered) {
    rig r;
    begin_rig(&r, centered);
    pl_model *model = build(context, &r);
    pl_world *world = make_world(context, 1.0 / 60, -9.81);
    pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
    spring_bones s;
    start_by_hand(&s, &r, centered, rest_of(&r, 0));
    double worst = 0, swing = 0;
    pl_vec3 want[LAST + 1], now[LAST + 1], first = r.joints[LAST].rest.position;
    for (int n = 1; n <= 120; ++n) {
      double t = n / 60.0;
      pl_transform hips = pl_transform_multiply(hips_at(t), (pl_transform){{0, 0, 0}, rest_of(&r, 0).rotation}),
                   head = head_on(&r, hips, t, 0.6);
      lead(world, id, hips, head);
      run_steps(world, 1);
      check_ok(pl_body_get_positions(world, id, now), NULL);
      step_by_hand(&s, hips, head, 1.0 / 60, want);
      for (int i = 3; i <= LAST; ++i) worst = fmax(worst, pl_vec3_distance(now[i], want[i]));
      // Seen from the head, which the rest pose is fixed to.
      pl_vec3 seen = pl_transform_apply_inverse(head, now[LAST]),
              rest = pl_transform_apply_inverse(rest_of(&r, 1), first);
      swing = fmax(swing, pl_vec3_distance(seen, rest));
    }
    printf("%s: within %.1e m of the specified update over 120 steps, swinging by up to %.3f m\n",
           centered ? "center" : "world", worst, swing);
    assert_true(worst < 1e-4 && swing > 0.03);
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  drop_context(context);
}

// What moves the center moves the chain as one rigid piece: seen from the hips there is no difference. Without a center
// there is.
static void motion_of_the_center_alone_is_not_felt(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int centered = 0; centered < 2; ++centered) {
    rig r;
    begin_rig(&r, centered);
    for (int i = 3; i <= LAST; ++i) r.joints[i].pull = (pl_vec3){0, 0, 0};  // gravity is the world's, and would show
    pl_model *model = build(context, &r);
    pl_vec3 seen[2][121][LAST + 1];
    for (int moving = 0; moving < 2; ++moving) {
      pl_world *world = make_world(context, 1.0 / 60, 0);
      pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
      for (int n = 1; n <= 120; ++n) {
        double t = n / 60.0;
        pl_transform rest = rest_of(&r, 0),
                     hips = moving ? pl_transform_multiply(hips_at(t), (pl_transform){{0, 0, 0}, rest.rotation}) : rest;
        lead(world, id, hips, head_on(&r, hips, t, 0.3));
        run_steps(world, 1);
        pl_vec3 now[LAST + 1];
        check_ok(pl_body_get_positions(world, id, now), NULL);
        for (int i = 0; i <= LAST; ++i) seen[moving][n][i] = pl_transform_apply_inverse(hips, now[i]);
      }
      pl_world_destroy(world);
    }
    double max = 0;
    for (int n = 1; n <= 120; ++n)
      for (int i = 3; i <= LAST; ++i) max = fmax(max, pl_vec3_distance(seen[0][n][i], seen[1][n][i]));
    printf("%s: seen from the hips, their walk moves the chain by up to %.1e m\n", centered ? "center" : "world", max);
    if (centered)
      assert_true(max < 1e-5);
    else
      assert_true(max > 0.02);
    pl_model_destroy(model);
  }
  drop_context(context);
}

// The tip at times of 1/60 s, of a chain that sags from its rest pose (`nod` 0) or hangs on a nodding head.
static void run_tip(pl_context *context, const rig *r, int32_t rate, double nod, pl_vec3 tips[121]) {
  pl_model *model = build(context, r);
  pl_world *world = make_world(context, 1.0 / rate, 0);
  pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
  tips[0] = r->joints[LAST].rest.position;
  for (int n = 1; n <= 120; ++n) {
    for (int32_t k = 1; k <= rate / 60; ++k) {
      double t = (n - 1 + k * 60.0 / rate) / 60;
      pl_quat turn = pl_quat_from_axis_angle((pl_vec3){1, 0, 0}, nod * 0.5 * (1 - cos(6 * t)));
      pl_transform head = {r->joints[1].rest.position, pl_quat_multiply(turn, rest_of(r, 1).rotation)};
      check_ok(pl_rod_set_joint_target(world, id, 1, head, pl_world_get_step_length(world), NULL), NULL);
      run_steps(world, 1);
    }
    pl_vec3 now[LAST + 1];
    check_ok(pl_body_get_positions(world, id, now), NULL);
    tips[n] = now[LAST];
  }
  pl_world_destroy(world);
  pl_model_destroy(model);
}

// Bones that swing freely, the schema's default drag of 0.4, and bones that only creep; soft enough for a step of 1/60
// s to resolve their motion.
static void the_numbers_mean_the_same_at_any_step(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const double drags[] = {0.05, 0.2, 0.4, 0.8, 1.0}, springs[] = {0.01, 0.03, 0.03, 0.05, 0.05};
  bool same = true;
  for (int k = 0; k < 5; ++k)
    for (int nods = 0; nods < 2; ++nods) {
      rig r;
      begin_rig(&r, false);
      for (int i = 3; i <= LAST; ++i) {
        r.joints[i].spring = springs[k];
        r.joints[i].drag = drags[k];
        r.joints[i].pull = (pl_vec3){springs[k], -0.3 * springs[k], 0};
      }
      pl_vec3 frame[121], fine[121];
      run_tip(context, &r, 60, 0.5 * nods, frame);
      double way = 0;
      for (int n = 1; n <= 120; ++n) way = fmax(way, pl_vec3_distance(frame[n], frame[0]));
      for (int32_t rate = 120; rate <= 240; rate *= 2) {
        run_tip(context, &r, rate, 0.5 * nods, fine);
        double worst = 0;
        for (int n = 1; n <= 120; ++n) worst = fmax(worst, pl_vec3_distance(frame[n], fine[n]));
        printf("drag %.2f, %s: the tip at %d Hz is within %.1f %% of its way at 60 Hz (%.3f m)\n", drags[k],
               nods ? "nodding" : "sagging", (int)rate, 100 * worst / way, way);
        // Bones that hardly lose anything whip; where they are then is a matter of the step, not of the numbers.
        same = same && worst < (drags[k] < 0.1 ? 0.25 : 0.08) * way;
      }
      assert_true(way > 0.02);
    }
  assert_true(same);
  drop_context(context);
}

static void the_worlds_gravity_does_not_act(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  rig r;
  begin_rig(&r, false);
  pl_model *model = build(context, &r);
  uint64_t hashes[2];
  pl_vec3 now[LAST + 1];
  for (int k = 0; k < 2; ++k) {
    pl_world *world = make_world(context, 1.0 / 60, k == 0 ? 0 : -9.81);
    pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
    for (int n = 1; n <= 60; ++n) {
      pl_transform hips = rest_of(&r, 0);
      lead(world, id, hips, head_on(&r, hips, n / 60.0, 0.6));
      run_steps(world, 1);
    }
    check_ok(pl_body_get_positions(world, id, now), NULL);
    hashes[k] = 0;
    for (size_t b = 0; b < sizeof now; ++b) hashes[k] = 31 * hashes[k] + ((const unsigned char *)now)[b];
    pl_world_destroy(world);
  }
  assert_true(hashes[0] == hashes[1]);
  assert_true(pl_vec3_distance(now[LAST], r.joints[LAST].rest.position) > 0.01);
  pl_model_destroy(model);
  drop_context(context);
}

static double distance_to_segment(pl_vec3 x, pl_vec3 a, pl_vec3 b) {
  pl_vec3 ab = pl_vec3_sub(b, a);
  double t = fmax(0, fmin(1, pl_vec3_dot(pl_vec3_sub(x, a), ab) / pl_vec3_dot(ab, ab)));
  return pl_vec3_distance(x, pl_vec3_add_scaled(a, ab, t));
}

// A sphere and a capsule that move with the head, where the chain falls on them.
static void bones_stay_out_of_sphere_and_capsule(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  rig r;
  begin_rig(&r, false);
  for (int i = 3; i <= LAST; ++i) {
    r.joints[i].spring = 0.1;
    r.joints[i].pull = (pl_vec3){0.3, -1, 0.3};
  }
  pl_rod_collider colliders[2] = {{.joint = 1, .shape = pl_default_collider_def(PL_COLLIDER_SPHERE)},
                                  {.joint = 1, .shape = pl_default_collider_def(PL_COLLIDER_CAPSULE)}};
  pl_transform rest = rest_of(&r, 1);
  colliders[0].shape.radius = 0.06;
  colliders[0].shape.placement.position = pl_transform_apply_inverse(rest, (pl_vec3){0.17, 1.57, 0.15});
  colliders[1].shape.radius = 0.03;
  colliders[1].shape.half_length = 0.1;
  colliders[1].shape.placement.position = pl_transform_apply_inverse(rest, (pl_vec3){0.2, 1.42, 0.2});
  r.def.colliders = colliders;
  r.def.collider_count = 2;
  pl_model *model = build(context, &r);
  pl_world *world = make_world(context, 1.0 / 60, 0);
  pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
  double nearest[2] = {HUGE_VAL, HUGE_VAL};
  for (int n = 1; n <= 240; ++n) {
    pl_transform hips = rest_of(&r, 0), head = head_on(&r, hips, n / 60.0, 0.4);
    lead(world, id, hips, head);
    run_steps(world, 1);
    pl_vec3 now[LAST + 1];
    check_ok(pl_body_get_positions(world, id, now), NULL);
    pl_vec3 ball = pl_transform_apply(head, colliders[0].shape.placement.position);
    pl_transform constraint = pl_transform_multiply(head, colliders[1].shape.placement);
    pl_vec3 low = pl_transform_apply(constraint, (pl_vec3){0, -0.1, 0}),
            high = pl_transform_apply(constraint, (pl_vec3){0, 0.1, 0});
    for (int i = 3; i <= LAST; ++i)
      for (int k = 0; k <= 50; ++k) {
        pl_vec3 x = pl_vec3_lerp(now[i - 1], now[i], k / 50.0);
        nearest[0] = fmin(nearest[0], pl_vec3_distance(x, ball) - 0.06 - 0.01);
        nearest[1] = fmin(nearest[1], distance_to_segment(x, low, high) - 0.03 - 0.01);
      }
  }
  printf("overlap with the sphere %.1e m, with the capsule %.1e m\n", -nearest[0], -nearest[1]);
  for (int k = 0; k < 2; ++k) assert_true(nearest[k] > -1e-3 && nearest[k] < 1e-3);  // met, not entered
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moves_as_the_specification_says),       cmocka_unit_test(motion_of_the_center_alone_is_not_felt),
      cmocka_unit_test(the_numbers_mean_the_same_at_any_step), cmocka_unit_test(the_worlds_gravity_does_not_act),
      cmocka_unit_test(bones_stay_out_of_sphere_and_capsule),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
