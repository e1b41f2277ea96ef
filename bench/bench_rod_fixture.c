// Hair in C: roots spread evenly over the upper half of a ball, chains that hang from them in an arc, and examples that
// bend the arc around one axis each.
#include "bench_rod_fixture.h"

#include <math.h>
#include <stdlib.h>

#include "tool_print.h"

static const double SCALP = 0.1, SEGMENT = 0.03, ORBIT_SECONDS = 4;

// What the def of a rod points to.
typedef struct hair {
  pl_rod_joint *joints;
  pl_rod_example *examples;
  pl_vec3 *poses[ROD_MAX_EXAMPLE_COUNT];  // one per example, of all joints: chains share the arrays
  int32_t joint_count, example_count;
} hair;

static void free_hair(hair *made) {
  free(made->joints);
  free(made->examples);
  for (int k = 0; k < ROD_MAX_EXAMPLE_COUNT; ++k) free(made->poses[k]);
}

static pl_vec3 cross(pl_vec3 a, pl_vec3 b) {
  return (pl_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static pl_vec3 add_scaled(pl_vec3 a, pl_vec3 b, double s) {
  return (pl_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static pl_vec3 unit(pl_vec3 a) {
  return add_scaled((pl_vec3){0, 0, 0}, a, 1 / sqrt(a.x * a.x + a.y * a.y + a.z * a.z));
}

// Turned around a unit axis (Rodrigues).
static pl_vec3 turned(pl_vec3 v, pl_vec3 axis, double angle) {
  double along = (1 - cos(angle)) * (v.x * axis.x + v.y * axis.y + v.z * axis.z), c = cos(angle);
  pl_vec3 rest = add_scaled((pl_vec3){c * v.x, c * v.y, c * v.z}, cross(axis, v), sin(angle));
  return add_scaled(rest, axis, along);
}

// Root number `index` of `count`: a spiral of equal areas over the upper half.
static pl_vec3 root_normal(int32_t index, int32_t count) {
  double height = 0.05 + 0.9 * (index + 0.5) / count, around = 2.399963229728653 * index,
         flat = sqrt(1 - height * height);
  return (pl_vec3){flat * cos(around), height, flat * sin(around)};
}

// Positions of a chain: the arc of the rest (example -1), or that bent further around an axis of the example's own.
static void bend_chain(pl_vec3 normal, int32_t joint_count, int example, pl_vec3 *positions) {
  pl_vec3 across = unit(cross((pl_vec3){0.1, 1, 0.2}, normal));
  pl_vec3 axis = example >= 0 ? turned(across, normal, 2 * PL_PI * example / ROD_MAX_EXAMPLE_COUNT) : across;
  pl_vec3 direction = normal;
  positions[0] = add_scaled((pl_vec3){0, 0, 0}, normal, SCALP);
  for (int32_t i = 1; i < joint_count; ++i) {
    positions[i] = add_scaled(positions[i - 1], direction, SEGMENT);
    direction = turned(direction, across, 0.12);
    if (example >= 0) direction = turned(direction, axis, 0.2 + 0.02 * example);
  }
}

static void add_chain(hair *made, pl_vec3 normal, const rod_kind *kind) {
  static const char *const names[ROD_MAX_EXAMPLE_COUNT] = {"front", "right", "back right", "back left", "left"};
  int32_t root = made->joint_count;
  pl_vec3 rest[PL_ROD_MAX_JOINTS];
  bend_chain(normal, kind->joint_count, -1, rest);
  for (int32_t i = 0; i < kind->joint_count; ++i) {
    pl_rod_joint *joint = &made->joints[root + i];
    *joint = pl_default_rod_joint(i > 0 ? root + i - 1 : 0);
    joint->rest.position = rest[i];
    joint->radius = 0.006 - 0.004 * i / kind->joint_count;
  }
  made->joint_count += kind->joint_count;
  for (int k = 0; k < kind->example_count; ++k) {
    double around = 2 * PL_PI * k / ROD_MAX_EXAMPLE_COUNT;
    bend_chain(normal, kind->joint_count, k, made->poses[k] + root);
    made->examples[made->example_count++] = (pl_rod_example){.name = names[k],
                                                             .root = root,
                                                             .positions = made->poses[k],
                                                             .direction = {cos(around), 0.3 * (k % 2), sin(around)},
                                                             .extent = 0.8};
  }
}

static hair grow_hair(const rod_kind *kinds) {
  int32_t chain_count = 0, joint_count = 1, example_count = 0, chain = 0;
  for (int i = 0; i < ROD_MAX_KINDS; ++i) {
    chain_count += kinds[i].chain_count;
    joint_count += kinds[i].chain_count * kinds[i].joint_count;
    example_count += kinds[i].chain_count * kinds[i].example_count;
  }
  hair made = {.joint_count = 1};
  made.joints = tool_allocate((size_t)joint_count, sizeof *made.joints);
  made.examples = tool_allocate((size_t)example_count, sizeof *made.examples);
  for (int k = 0; k < ROD_MAX_EXAMPLE_COUNT; ++k) made.poses[k] = tool_allocate((size_t)joint_count, sizeof(pl_vec3));
  made.joints[0] = pl_default_rod_joint(-1);
  made.joints[0].name = "head";
  made.joints[0].kinematic = true;
  for (int i = 0; i < ROD_MAX_KINDS; ++i)
    for (int32_t k = 0; k < kinds[i].chain_count; ++k) add_chain(&made, root_normal(chain++, chain_count), &kinds[i]);
  return made;
}

static pl_status build_model(const rod_fixture_def *def, rod_fixture *fixture, pl_error *error) {
  hair made = grow_hair(def->kinds);
  pl_rod_def rod = pl_default_rod_def();
  rod.joints = made.joints;
  rod.joint_count = made.joint_count;
  rod.examples = made.examples;
  rod.example_count = made.example_count;
  rod.tube_sides = 0;
  rod.ghost_momentum = def->ghost_momentum;
  rod.stiffness = def->stiffness > 0 ? def->stiffness : 0.02;
  if (def->width > 0) rod.width = def->width;
  pl_status status = pl_rod_build(fixture->context, &rod, &fixture->model, error);
  fixture->joint_count = made.joint_count - 1;
  free_hair(&made);
  return status;
}

// Half of the first example and a quarter of the second, for good.
static pl_status fix_weights(rod_fixture *fixture, pl_error *error) {
  const double weights[32] = {0.5, 0.25};
  pl_status status = PL_OK;
  for (int32_t m = 0; status >= 0 && m < pl_model_get_examples(fixture->model).given_count; ++m)
    status = pl_body_set_weights(fixture->world, fixture->body, m, weights, error);
  return status;
}

// A ball of the size of the scalp.
static pl_status add_head(rod_head head, rod_fixture *fixture, pl_error *error) {
  pl_shape_node ball = pl_default_shape_node(PL_SHAPE_ELLIPSOID);
  ball.size = (pl_vec3){SCALP, SCALP, SCALP};
  pl_shape_def shape = pl_default_shape_def();
  shape.target_triangle_count = ROD_HEAD_TRIANGLES;
  pl_mesh *mesh = NULL;
  pl_status status = pl_shape_build_surface(fixture->context, &shape, &ball, 1, &mesh, error);
  pl_collider_def def = pl_default_collider_def(head == ROD_HEAD_SPHERE ? PL_COLLIDER_SPHERE : PL_COLLIDER_MESH);
  def.radius = SCALP;
  def.mesh = head == ROD_HEAD_SPHERE ? NULL : mesh;
  pl_kinematic_def kinematic = pl_default_kinematic_def();
  pl_body_def body = pl_default_body_def();
  if (status >= 0) fixture->head_triangle_count = pl_mesh_get_view(mesh).triangle_count;
  if (status >= 0 && head == ROD_HEAD_KINEMATIC) {
    status = pl_kinematic_build(fixture->context, &kinematic, mesh, &fixture->head, error);
    body.model = fixture->head;
    if (status >= 0) status = pl_world_add_body(fixture->world, &body, NULL, error);
  } else if (status >= 0) {
    status = pl_world_add_collider(fixture->world, &def, NULL, error);
  }
  pl_mesh_destroy(mesh);
  return status;
}

pl_status rod_fixture_open(const rod_fixture_def *def, rod_fixture *fixture, pl_error *error) {
  pl_context_def context_def = pl_default_context_def();
  context_def.thread_count = def->threads;
  pl_world_def world_def = pl_default_world_def();
  world_def.step = def->step;
  world_def.sleeping = def->head == ROD_HEAD_NONE;
  if (def->weightless) world_def.gravity = (pl_vec3){0, 0, 0};
  pl_status status = pl_context_create(&context_def, &fixture->context, error);
  if (status >= 0) status = build_model(def, fixture, error);
  if (status >= 0) status = pl_world_create(fixture->context, &world_def, &fixture->world, error);
  if (status >= 0 && def->head != ROD_HEAD_NONE) status = add_head(def->head, fixture, error);
  pl_body_def body = pl_default_body_def();
  body.model = fixture->model;
  if (status >= 0) status = pl_world_add_body(fixture->world, &body, &fixture->body, error);
  fixture->fixed = def->fixed;
  if (status >= 0 && def->fixed) status = fix_weights(fixture, error);
  if (status < 0) return status;
  fixture->chain_count = pl_rod_get_report(fixture->model).chain_count;
  fixture->bytes = 2 * (double)pl_world_snapshot_size(fixture->world);
  return rod_fixture_step(fixture, error);
}

void rod_fixture_close(rod_fixture *fixture) {
  pl_world_destroy(fixture->world);
  pl_model_destroy(fixture->model);
  pl_model_destroy(fixture->head);
  pl_context_destroy(fixture->context);
  *fixture = (rod_fixture){.context = NULL};
}

pl_status rod_fixture_step(rod_fixture *fixture, pl_error *error) {
  double around = 2 * PL_PI * pl_world_get_time(fixture->world) / ORBIT_SECONDS;
  pl_status status = PL_OK;
  // Near enough that every chain sees the camera elsewhere.
  pl_vec3 eye = {0.6 * cos(around), 0.15, 0.6 * sin(around)};
  if (!fixture->fixed) status = pl_rod_set_camera(fixture->world, fixture->body, eye, error);
  if (status >= 0) status = pl_world_step(fixture->world, NULL, error);
  return status;
}
