// Strands: at rest they are where their def has them, at the root of a guide they are the guide, they move rigidly with
// what moves rigidly, the kernels agree with the formula written out in double precision, and no point is inside a
// collider.
// ctest: unit threads
#include "base/random.h"
#include "contact/collider.h"
#include "fixtures/rod_chains.h"
#include "math/simd.h"
#include "pliant/kinematic.h"
#include "pliant/strands.h"
#include "rod/strands.h"
#include "world/world_state.h"

enum { GUIDES = 60, GUIDE_JOINTS = 16, JOINTS = 1 + GUIDES * GUIDE_JOINTS, STRANDS = 300, POINTS = 16 };
static const double HEAD = 0.1, SEGMENT = 0.012;

// Hair on the upper half of a ball: guides along the normal that bend a little, strands between them.
typedef struct hair {
  pl_rod_joint joints[JOINTS];
  pl_rod_collider collider;
  pl_rod_def rod;
  pl_strand_root roots[STRANDS];
  pl_strands_def def;
  pl_model *model;
  pl_strands *strands;
} hair;

// A spiral of equal areas.
static pl_vec3 normal_of(int32_t index, int32_t count, double shift) {
  double height = 0.05 + 0.9 * (index + 0.5) / count, around = 2.399963229728653 * index + shift;
  double flat = sqrt(1 - height * height);
  return (pl_vec3){flat * cos(around), height, flat * sin(around)};
}

static void begin_hair(hair *h) {
  *h = (hair){.rod = pl_default_rod_def(), .def = pl_default_strands_def()};
  h->joints[0] = pl_default_rod_joint(-1);
  h->joints[0].kinematic = true;
  h->joints[0].rest = (pl_transform){{0.02, 0.01, -0.03}, pl_quat_from_axis_angle((pl_vec3){0.3, 1, 0.2}, 0.7)};
  for (int32_t g = 0; g < GUIDES; ++g) {
    pl_vec3 n = normal_of(g, GUIDES, 0), at = pl_vec3_scale(n, HEAD), d = n;
    for (int32_t i = 0; i < GUIDE_JOINTS; ++i) {
      int32_t joint = 1 + g * GUIDE_JOINTS + i;
      h->joints[joint] = pl_default_rod_joint(i == 0 ? 0 : joint - 1);
      h->joints[joint].rest.position = at;
      h->joints[joint].radius = 0.001;
      d = pl_quat_rotate(pl_quat_from_rotation_vector((pl_vec3){0.05, 0, 0.02}), d);
      at = pl_vec3_add_scaled(at, d, SEGMENT);
    }
  }
  for (int32_t i = 0; i < STRANDS; ++i) {
    pl_vec3 n = normal_of(i, STRANDS, 0.3);
    h->roots[i] = (pl_strand_root){0, pl_vec3_scale(n, HEAD), n};
  }
  h->rod.joints = h->joints;
  h->rod.joint_count = JOINTS;
  h->rod.tube_sides = 0;
  h->rod.stiffness = 0.002;
  h->def.roots = h->roots;
  h->def.strand_count = STRANDS;
}

static void finish_hair(pl_context *context, hair *h) {
  pl_error error = {0};
  check_ok(pl_rod_build(context, &h->rod, &h->model, &error), &error);
  check_ok(pl_strands_create(context, h->model, &h->def, &h->strands, &error), &error);
}

static void end_hair(hair *h) {
  pl_strands_destroy(h->strands);
  pl_model_destroy(h->model);
}

static pl_vec3 point_of(const float *points, int32_t strand, int32_t point) {
  const float *p = points + 3 * (strand * POINTS + point);
  return (pl_vec3){(double)p[0], (double)p[1], (double)p[2]};
}

static void at_the_root_of_a_guide_a_strand_is_the_guide(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static hair h;
  static float points[STRANDS * POINTS * 3];
  begin_hair(&h);
  // Whatever the normals: at a guide's root there is nothing to turn.
  for (int32_t g = 0; g < GUIDES; ++g)
    h.roots[g] = (pl_strand_root){0, h.joints[1 + g * GUIDE_JOINTS].rest.position, {0, 0, 0}};
  finish_hair(context, &h);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  pl_body_id body = add_body(world, h.model, (pl_vec3){0, 0, 0});
  run_steps(world, 60);
  static pl_vec3 joints[JOINTS];
  pl_body_get_positions(world, body, joints);
  check_ok(pl_strands_place(h.strands, world, body, (pl_vec3){0, 0, 0}, points, NULL), NULL);
  double worst = 0, moved = 0;
  for (int32_t g = 0; g < GUIDES; ++g)
    for (int32_t i = 0; i < POINTS; ++i) {
      pl_vec3 joint = joints[1 + g * GUIDE_JOINTS + i];
      worst = fmax(worst, pl_vec3_distance(point_of(points, g, i), joint));
      moved = fmax(moved, pl_vec3_distance(joint, h.joints[1 + g * GUIDE_JOINTS + i].rest.position));
    }
  printf("guides moved by up to %.3g m, strands on them are off by %.2g m\n", moved, worst);
  assert_true(moved > 0.01);
  check_at_most(worst, 1e-7);
  end_hair(&h);
  pl_world_destroy(world);
  drop_context(context);
}

// Strands with a rest of their own, far from what guides would give them.
static void fill_rests(hair *h, pl_random *random, pl_vec3 *rests) {
  for (int32_t i = 0; i < STRANDS; ++i)
    for (int32_t j = 0; j < POINTS; ++j) {
      pl_vec3 off = {pl_random_normal(random), pl_random_normal(random), pl_random_normal(random)};
      rests[i * POINTS + j] =
          pl_vec3_add_scaled(pl_vec3_scale(normal_of(i, STRANDS, 0.3), HEAD + SEGMENT * j), off, 0.002 * j);
    }
  h->def.rests = rests;
}

static void at_rest_and_after_a_rigid_motion_a_strand_is_where_its_def_has_it(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(5);
  static hair h;
  static pl_vec3 rests[STRANDS * POINTS];
  static float points[STRANDS * POINTS * 3];
  begin_hair(&h);
  fill_rests(&h, &random, rests);
  finish_hair(context, &h);
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_body_id body = add_body(world, h.model, (pl_vec3){0, 0, 0});
  pl_transform motion = pl_transform_identity();
  for (int k = 0; k < 3; ++k) {
    // The third time 5 km away.
    pl_vec3 origin = k == 2 ? (pl_vec3){5000, -20, 3} : (pl_vec3){0, 0, 0};
    pl_transform next = {k == 0 ? (pl_vec3){0, 0, 0} : pl_vec3_add(origin, (pl_vec3){0.3, 1, 5}),
                         pl_quat_from_axis_angle((pl_vec3){1, 2, 3}, 0.9 * k)};
    pl_transform inverse = {pl_transform_apply_inverse(motion, (pl_vec3){0, 0, 0}), pl_quat_conjugate(motion.rotation)};
    check_ok(pl_body_teleport(world, body, pl_transform_multiply(next, inverse), NULL), NULL);
    motion = next;
    check_ok(pl_strands_place(h.strands, world, body, origin, points, NULL), NULL);
    double worst = 0;
    for (int32_t i = 0; i < STRANDS; ++i)
      for (int32_t j = 0; j < POINTS; ++j)
        worst = fmax(worst, pl_vec3_distance(pl_vec3_add(origin, point_of(points, i, j)),
                                             pl_transform_apply(motion, rests[i * POINTS + j])));
    printf("off by %.2g m\n", worst);
    check_at_most(worst, k == 0 ? 2e-7 : 2e-6);
  }
  end_hair(&h);
  pl_world_destroy(world);
  drop_context(context);
}

// x = root + sum w (c + D d), from the joints that the library gives out and the weights as they are documented.
static void strands_are_the_mixture_of_their_guides(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(6);
  static hair h;
  static pl_vec3 rests[STRANDS * POINTS];
  static float points[STRANDS * POINTS * 3];
  begin_hair(&h);
  fill_rests(&h, &random, rests);
  finish_hair(context, &h);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  pl_body_id body = add_body(world, h.model, (pl_vec3){0, 0, 0});
  for (int n = 0; n < 40; ++n) {
    pl_transform head = {{0.02, 0.01 + 0.002 * n, -0.03},
                         pl_quat_from_axis_angle((pl_vec3){0.3, 1, 0.2}, 0.7 + 0.02 * n)};
    check_ok(pl_rod_set_joint_target(world, body, 0, head, 0, NULL), NULL);
    run_steps(world, 1);
  }
  check_ok(pl_strands_place(h.strands, world, body, (pl_vec3){0, 0, 0}, points, NULL), NULL);
  static pl_vec3 x[JOINTS];
  static pl_transform joints[JOINTS];
  pl_body_get_positions(world, body, x);
  check_ok(pl_rod_get_joints(world, body, joints), NULL);
  pl_transform base = h.joints[0].rest, now = joints[0];
  const pl_rod_model *model = (const pl_rod_model *)h.model;
  pl_rod_state s = pl_rod_state_of(h.model, pl_world_find_body(world, body)->state);
  double worst = 0;
  for (int32_t i = 0; i < STRANDS; ++i) {
    pl_vec3 root = h.roots[i].position;
    int32_t order[4];
    double distances[4] = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL}, weights[3], sum = 0;
    for (int32_t g = 0; g < GUIDES; ++g) {
      double distance = pl_vec3_distance(root, h.joints[1 + g * GUIDE_JOINTS].rest.position);
      int k = 3;
      if (!(distance < distances[3])) continue;
      for (; k > 0 && distances[k - 1] > distance; --k) distances[k] = distances[k - 1], order[k] = order[k - 1];
      distances[k] = distance, order[k] = g;
    }
    for (int k = 0; k < 3; ++k)
      sum += weights[k] = pow((distances[3] - distances[k]) / (distances[3] * distances[k]), 2);
    for (int32_t j = 0; j < POINTS; ++j) {
      pl_vec3 at = pl_transform_apply(now, pl_transform_apply_inverse(base, root));
      pl_vec3 detail = pl_vec3_sub(rests[i * POINTS + j], root);
      for (int k = 0; k < 3; ++k) {
        int32_t first = 1 + order[k] * GUIDE_JOINTS;
        detail = pl_vec3_add_scaled(
            detail, pl_vec3_sub(h.joints[first + j].rest.position, h.joints[first].rest.position), -weights[k] / sum);
      }
      for (int k = 0; k < 3; ++k) {
        int32_t first = 1 + order[k] * GUIDE_JOINTS, slot = model->slot_of_joint[first + j];
        // How the joint is turned from its rest, all in the world.
        pl_quat rotation = pl_rod_get_quat(pl_rod_lanes_of(model, s, slot / LANES).rotations, j, slot % LANES);
        pl_quat turn = pl_quat_multiply(rotation, pl_quat_conjugate(h.joints[first + j].rest.rotation));
        at = pl_vec3_add_scaled(at, pl_vec3_sub(x[first + j], x[first]), weights[k] / sum);
        at = pl_vec3_add_scaled(at, pl_quat_rotate(turn, detail), weights[k] / sum);
      }
      if (j > 0) worst = fmax(worst, pl_vec3_distance(at, point_of(points, i, j)));
    }
  }
  printf("off by %.2g m\n", worst);
  check_at_most(worst, 2e-6);
  end_hair(&h);
  pl_world_destroy(world);
  drop_context(context);
}

// A coarser and a finer strand than the guides: points lie on the guide's curve, ends on its ends.
static void strands_may_have_other_numbers_of_points(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static hair h;
  static float points[STRANDS * PL_STRANDS_MAX_POINTS * 3];
  static pl_vec3 x[JOINTS];
  for (int count = 2; count <= 61; count += 59) {
    begin_hair(&h);
    h.roots[0] = (pl_strand_root){0, h.joints[1].rest.position, {0, 0, 0}};
    h.def.points = count;
    finish_hair(context, &h);
    pl_world *world = make_world(context, 1.0 / 240, -9.81);
    pl_body_id body = add_body(world, h.model, (pl_vec3){0, 0, 0});
    run_steps(world, 60);
    check_ok(pl_strands_place(h.strands, world, body, (pl_vec3){0, 0, 0}, points, NULL), NULL);
    pl_body_get_positions(world, body, x);
    double length = 0, worst = 0;
    for (int j = 0; j < count; ++j) {
      const float *p = points + 3 * (ptrdiff_t)j, *q = p - (j > 0 ? 3 : 0);
      pl_vec3 a = {(double)p[0], (double)p[1], (double)p[2]}, b = {(double)q[0], (double)q[1], (double)q[2]};
      length += pl_vec3_distance(a, b);
      // 61 points of 16 joints: every fourth is a joint.
      if (count == 61 && j % 4 == 0) worst = fmax(worst, pl_vec3_distance(a, x[1 + j / 4]));
      if (j == 0 || j == count - 1) worst = fmax(worst, pl_vec3_distance(a, x[j == 0 ? 1 : GUIDE_JOINTS]));
    }
    printf("%d points: length %.4f m of %.4f m, joints off by %.2g m\n", count, length, SEGMENT * (GUIDE_JOINTS - 1),
           worst);
    check_at_most(worst, 1e-7);
    if (count == 61) check_near(length, SEGMENT * (GUIDE_JOINTS - 1), 0.01 * length);
    end_hair(&h);
    pl_world_destroy(world);
  }
  drop_context(context);
}

typedef struct obstacle {
  const char *name;
  pl_collider_shape shape;
  double tolerance;  // metres
} obstacle;

static pl_mesh *make_ball(pl_context *context, double radius) {
  pl_error error = {0};
  pl_shape_node node = pl_default_shape_node(PL_SHAPE_ELLIPSOID);
  node.size = (pl_vec3){radius, radius, radius};
  pl_shape_def def = pl_default_shape_def();
  def.target_triangle_count = 2000;
  pl_mesh *mesh = NULL;
  check_ok(pl_shape_build_surface(context, &def, &node, 1, &mesh, &error), &error);
  return mesh;
}

static pl_collider_def collider_of(pl_collider_shape shape, const pl_mesh *ball) {
  pl_collider_def def = pl_default_collider_def(shape);
  def.radius = 0.1;
  def.half_length = 0.1;
  def.half_size = (pl_vec3){0.15, 0.08, 0.15};
  def.mesh = ball;
  def.placement = (pl_transform){{0.05, shape == PL_COLLIDER_HALF_SPACE ? -0.12 : -0.21, 0.02},
                                 pl_quat_from_axis_angle((pl_vec3){0, 0, 1}, 0.2)};
  return def;
}

// How far strands are inside a collider, less the clearance that they keep; how many points touch it.
static double depth_of(const hair *h, const float *points, const pl_collider *collider, pl_transform placement,
                       int *touching) {
  double worst = -HUGE_VAL;
  *touching = 0;
  for (int32_t i = 0; i < STRANDS; ++i)
    for (int32_t j = 1; j < POINTS; ++j) {
      double distance = pl_collider_distance(collider, placement, point_of(points, i, j), NULL);
      worst = fmax(worst, h->def.clearance - distance);
      *touching += distance < 1.01 * h->def.clearance;
    }
  return worst;
}

// Hair falls over the head, which is a collider of the body and turns, onto each kind of collider.
static void no_point_is_inside_a_collider(void **state) {
  (void)state;
  static const obstacle obstacles[] = {{"sphere", PL_COLLIDER_SPHERE, 2e-7},
                                       {"capsule", PL_COLLIDER_CAPSULE, 2e-7},
                                       {"half-space", PL_COLLIDER_HALF_SPACE, 2e-7},
                                       {"box", PL_COLLIDER_BOX, 2e-7},
                                       {"mesh", PL_COLLIDER_MESH, 5e-4}};
  pl_context *context = make_context(2);
  static hair h;
  static float points[STRANDS * POINTS * 3];
  pl_error error = {0};
  pl_mesh *ball = make_ball(context, 0.1);
  for (size_t k = 0; k < sizeof obstacles / sizeof obstacles[0]; ++k) {
    begin_hair(&h);
    h.collider = (pl_rod_collider){.joint = 0, .shape = pl_default_collider_def(PL_COLLIDER_SPHERE)};
    h.collider.shape.radius = HEAD;
    h.collider.shape.placement.position = pl_transform_apply_inverse(h.joints[0].rest, (pl_vec3){0, 0, 0});
    h.rod.colliders = &h.collider;
    h.rod.collider_count = 1;
    finish_hair(context, &h);
    pl_world *world = make_world(context, 1.0 / 80, -9.81);
    pl_body_id body = add_body(world, h.model, (pl_vec3){0, 0, 0});
    pl_collider_def def = collider_of(obstacles[k].shape, ball);
    check_ok(pl_world_add_collider(world, &def, NULL, &error), &error);
    pl_collider *twin = NULL, *head = NULL;
    check_ok(pl_collider_create(context, &def, &twin, &error), &error);
    check_ok(pl_collider_create(context, &h.collider.shape, &head, &error), &error);
    double deepest = -HUGE_VAL, in_head = -HUGE_VAL;
    int touching = 0, max_touching = 0, on_head = 0;
    for (int n = 0; n < 60; ++n) {
      pl_transform turned = {
          h.joints[0].rest.position,
          pl_quat_multiply(pl_quat_from_axis_angle((pl_vec3){0, 1, 0}, 0.5 * sin(0.1 * n)), h.joints[0].rest.rotation)};
      check_ok(pl_rod_set_joint_target(world, body, 0, turned, 0, NULL), NULL);
      run_steps(world, 1);
      check_ok(pl_strands_place(h.strands, world, body, (pl_vec3){0, 0, 0}, points, &error), &error);
      deepest = fmax(deepest, depth_of(&h, points, twin, def.placement, &touching));
      in_head = fmax(in_head,
                     depth_of(&h, points, head, pl_transform_multiply(turned, h.collider.shape.placement), &on_head));
      max_touching = touching > max_touching ? touching : max_touching;
    }
    printf("%s: %d points touch it, deepest by %.2g m; %d touch the head, by %.2g m\n", obstacles[k].name, max_touching,
           deepest, on_head, in_head);
    assert_true(max_touching > 50 && on_head > 50);
    check_at_most(deepest, obstacles[k].tolerance);
    check_at_most(in_head, 2e-7);
    pl_collider_destroy(context, twin);
    pl_collider_destroy(context, head);
    end_hair(&h);
    pl_world_destroy(world);
  }
  pl_mesh_destroy(ball);
  drop_context(context);
}

// The head is a kinematic mesh that moves and swells. Guides are met exactly, strands by the plane next to their guide.
static void strands_stay_on_a_mesh_that_deforms(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  static hair h;
  static float points[STRANDS * POINTS * 3];
  pl_error error = {0};
  pl_mesh *ball = make_ball(context, HEAD - 0.002);
  pl_kinematic_def kinematic = pl_default_kinematic_def();
  pl_model *model = NULL;
  check_ok(pl_kinematic_build(context, &kinematic, ball, &model, &error), &error);
  begin_hair(&h);
  finish_hair(context, &h);
  pl_world *world = make_world(context, 1.0 / 80, -9.81);
  pl_body_id head = add_body(world, model, (pl_vec3){0, 0, 0}), body = add_body(world, h.model, (pl_vec3){0, 0, 0});
  pl_mesh_view view = pl_mesh_get_view(ball);
  pl_vec3 *now = malloc((size_t)view.point_count * sizeof *now);
  double deepest = 0, radius = 0;
  int touching = 0;
  for (int n = 0; n < 80; ++n) {
    radius = (HEAD - 0.002) * (1 + 0.05 * sin(0.09 * n));
    pl_vec3 center = {0.0012 * n, 0, 0};
    for (int32_t i = 0; i < view.point_count; ++i)
      now[i] = pl_vec3_add(center, pl_vec3_scale(view.points[i], radius / (HEAD - 0.002)));
    check_ok(pl_kinematic_set_target(world, head, now, 0, &error), &error);
    pl_transform joint = h.joints[0].rest;
    joint.position = pl_vec3_add(joint.position, center);
    check_ok(pl_rod_set_joint_target(world, body, 0, joint, 0, &error), &error);
    run_steps(world, 1);
    if (n % 8 != 0) continue;
    check_ok(pl_strands_place(h.strands, world, body, (pl_vec3){0, 0, 0}, points, &error), &error);
    for (int32_t i = 0; i < STRANDS; ++i)
      for (int32_t j = 1; j < POINTS; ++j) {
        double distance = pl_vec3_distance(point_of(points, i, j), center) - radius;
        deepest = fmax(deepest, -distance);
        touching += distance < 0.005;
      }
  }
  printf("%d points near the mesh, deepest %.2g m\n", touching, deepest);
  assert_true(touching > 1000);
  // What the mesh's triangles are inside of the ball, and no more.
  check_at_most(deepest, 1e-3);
  free(now);
  end_hair(&h);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(ball);
  drop_context(context);
}

// The surface has its rings around the points, of the radius that tapers, and triangles of existing points.
static void the_surface_is_tubes_around_the_points(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static hair h;
  static float points[STRANDS * POINTS * 3];
  for (int sides = 2; sides <= 5; sides += 3) {
    begin_hair(&h);
    h.def.sides = sides;
    finish_hair(context, &h);
    pl_world *world = make_world(context, 1.0 / 240, -9.81);
    pl_body_id body = add_body(world, h.model, (pl_vec3){0, 0, 0});
    run_steps(world, 30);
    pl_strands_report report = pl_strands_get_report(h.strands);
    assert_int_equal(report.surface_point_count, STRANDS * POINTS * sides);
    assert_int_equal(report.guide_count, GUIDES);
    pl_vec3 *surface = malloc((size_t)report.surface_point_count * sizeof *surface);
    check_ok(pl_strands_get_surface(h.strands, world, body, surface, NULL), NULL);
    check_ok(pl_strands_place(h.strands, world, body, (pl_vec3){0, 0, 0}, points, NULL), NULL);
    for (int32_t i = 0; i < STRANDS; ++i)
      for (int32_t j = 0; j < POINTS; ++j)
        for (int k = 0; k < sides; ++k) {
          double radius = h.def.radius + (h.def.tip_radius - h.def.radius) * j / (POINTS - 1);
          pl_vec3 out = pl_vec3_sub(surface[(i * POINTS + j) * sides + k], point_of(points, i, j));
          pl_vec3 along =
              pl_vec3_sub(point_of(points, i, j < POINTS - 1 ? j + 1 : j), point_of(points, i, j > 0 ? j - 1 : 0));
          check_near(pl_vec3_length(out), radius, 1e-6);
          check_near(pl_vec3_dot(out, pl_vec3_normalize_or(along, out)), 0, 1e-6);
        }
    const int32_t *triangles = pl_strands_get_surface_triangles(h.strands);
    for (int32_t i = 0; i < 3 * report.surface_triangle_count; ++i)
      assert_true(triangles[i] >= 0 && triangles[i] < report.surface_point_count);
    // A tube is seen from outside.
    pl_vec3 a = surface[triangles[0]], b = surface[triangles[1]], c = surface[triangles[2]];
    pl_vec3 normal = pl_vec3_cross(pl_vec3_sub(b, a), pl_vec3_sub(c, a));
    if (sides > 2) assert_true(pl_vec3_dot(normal, pl_vec3_sub(a, point_of(points, 0, 0))) > 0);
    free(surface);
    end_hair(&h);
    pl_world_destroy(world);
  }
  drop_context(context);
}

static void the_same_bits_for_any_number_of_threads_and_instruction_set(void **state) {
  (void)state;
  static hair h;
  static pl_vec3 rests[STRANDS * POINTS];
  static float found[2][STRANDS * POINTS * 3];
  for (int k = 0; k < 2; ++k) {
    pl_random random = pl_random_of_seed(7);
    pl_context *context = make_context(k == 0 ? 1 : 4);
    begin_hair(&h);
    fill_rests(&h, &random, rests);
    finish_hair(context, &h);
    pl_world *world = make_world(context, 1.0 / 240, -9.81);
    add_ground(world);
    pl_body_id body = add_body(world, h.model, (pl_vec3){0, 0, 0});
    run_steps(world, 60);
    check_ok(pl_strands_place(h.strands, world, body, (pl_vec3){0, 0, 0}, found[k], NULL), NULL);
#if PL_SIMD_HAS_AVX2
    pl_strands_form forms[2] = {{.a = {0.01f, 0.02f, 0}, .ab = {0.1f, 0, 0}, .inverse_square = 100, .radius = 0.1f},
                                {.is_plane = true, .a = {0, 1, 0}, .radius = 0.05f}};
    pl_strands_frame frame = {.strands = h.strands, .forms = forms, .form_count = 2};
    for (int32_t i = 0; PL_SIMD_CAN_AVX2() && i < STRANDS; ++i) {
      _Alignas(32) float plain[3 * PL_STRANDS_MAX_POINTS], wide[3 * PL_STRANDS_MAX_POINTS];
      const float root[3] = {0.01f * (float)i, 0, 0.2f};
      pl_strands_kernels_plain.mix(&frame, i, root, plain);
      pl_strands_kernels_avx2.mix(&frame, i, root, wide);
      assert_memory_equal(plain, wide, 3 * POINTS * sizeof(float));
    }
#endif
    end_hair(&h);
    pl_world_destroy(world);
    drop_context(context);
  }
  assert_memory_equal(found[0], found[1], sizeof found[0]);
}

static void wrong_defs_are_refused_by_name(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static hair h;
  pl_error error = {0};
  pl_strands *strands = NULL;
  begin_hair(&h);
  finish_hair(context, &h);
  pl_strands_def def = h.def;
  def.points = 1;
  assert_int_equal(pl_strands_create(context, h.model, &def, &strands, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.field, "points");
  def = h.def;
  def.roots = NULL;
  assert_int_equal(pl_strands_create(context, h.model, &def, &strands, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.field, "roots");
  h.roots[7].joint = 3;
  assert_int_equal(pl_strands_create(context, h.model, &h.def, &strands, &error), PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "strand 7"));
  h.roots[7] = (pl_strand_root){0, {(double)NAN, 0, 0}, {0, 1, 0}};
  assert_int_equal(pl_strands_create(context, h.model, &h.def, &strands, &error), PL_ERROR_INVALID_DATA);
  assert_null(strands);
  h.roots[7] = h.roots[6];
  // A body of another model.
  test_rod other;
  begin_rod(&other, 4, 0.1, (pl_vec3){0, 0, 0});
  pl_model *model = build_rod(context, &other);
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
  float points[3];
  assert_int_equal(pl_strands_place(h.strands, world, body, (pl_vec3){0, 0, 0}, points, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_strands_place(h.strands, world, (pl_body_id){9, 9}, (pl_vec3){0, 0, 0}, points, &error),
                   PL_ERROR_NOT_FOUND);
  end_hair(&h);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void every_failing_allocation_is_survived(void **state) {
  (void)state;
  static hair h;
  failing_allocator allocator = {0};
  pl_context *plenty = make_context(1), *context = make_failing_context(&allocator);
  begin_hair(&h);
  finish_hair(plenty, &h);
  int failures = 0;
  for (int n = 1;; ++n) {
    pl_strands *strands = NULL;
    pl_error error = {0};
    allocator.call_count = 0;
    allocator.fail_at = n;
    pl_status status = pl_strands_create(context, h.model, &h.def, &strands, &error);
    allocator.fail_at = 0;
    assert_true((status < 0) == (strands == NULL));
    pl_strands_destroy(strands);
    if (status >= 0) break;
    assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    failures++;
  }
  assert_true(failures > 0);
  end_hair(&h);
  drop_context(context);
  drop_context(plenty);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(at_the_root_of_a_guide_a_strand_is_the_guide),
      cmocka_unit_test(at_rest_and_after_a_rigid_motion_a_strand_is_where_its_def_has_it),
      cmocka_unit_test(strands_are_the_mixture_of_their_guides),
      cmocka_unit_test(strands_may_have_other_numbers_of_points),
      cmocka_unit_test(no_point_is_inside_a_collider),
      cmocka_unit_test(strands_stay_on_a_mesh_that_deforms),
      cmocka_unit_test(the_surface_is_tubes_around_the_points),
      cmocka_unit_test(the_same_bits_for_any_number_of_threads_and_instruction_set),
      cmocka_unit_test(wrong_defs_are_refused_by_name),
      cmocka_unit_test(every_failing_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
