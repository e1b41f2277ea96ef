// Hair that is drawn: 10,000 strands of 16 points from 500 guides on a head that shakes over shoulders, everything
// touching. A frame of 1/60 s is two steps of the guides, with contact with head and shoulders, and among them as a
// volume, and then all strands once, pushed out of both.
#include <math.h>
#include <stdlib.h>

#include "bench_suite.h"
#include "tool_print.h"

enum { GUIDES = 500, GUIDE_POINTS = 16, STRANDS = 10000, POINTS = 16, STEPS = 2 };
static const double HEAD = 0.1, LENGTH = 0.3, FRAME = 1.0 / 60;

typedef struct hair {
  pl_context *context;
  pl_model *model;
  pl_world *world;
  pl_body_id body;
  pl_strands *strands;
  float *points;
} hair;

// A spiral of equal areas over all of a head but its face and neck.
static pl_vec3 normal_of(int32_t index, int32_t count) {
  double height = -0.1 + 1.05 * (index + 0.5) / count, around = 2.399963229728653 * index;
  double flat = sqrt(1 - height * height);
  return (pl_vec3){flat * cos(around), height, flat * sin(around)};
}

// Hair leaves the skin along its normal and then falls.
static void grow(pl_vec3 normal, pl_vec3 *points) {
  pl_vec3 at = {HEAD * normal.x, HEAD * normal.y, HEAD * normal.z};
  for (int32_t i = 0; i < GUIDE_POINTS; ++i) {
    double fall = fmin(0.35 * i, 4), x = normal.x, y = normal.y - fall, z = normal.z;
    double scale = LENGTH / (GUIDE_POINTS - 1) / sqrt(x * x + y * y + z * z + 1e-9);
    points[i] = at;
    at = (pl_vec3){at.x + scale * x, at.y + scale * y, at.z + scale * z};
  }
}

static pl_status build_model(hair *h, bool touching, pl_error *error) {
  pl_rod_joint *joints = tool_allocate(1 + GUIDES * GUIDE_POINTS, sizeof *joints);
  pl_rod_collider head = {.joint = 0, .shape = pl_default_collider_def(PL_COLLIDER_SPHERE)};
  pl_rod_def def = pl_default_rod_def();
  head.shape.radius = HEAD;
  joints[0] = pl_default_rod_joint(-1);
  joints[0].kinematic = true;
  def.joint_count = 1;
  for (int32_t g = 0; g < GUIDES; ++g) {
    pl_vec3 points[GUIDE_POINTS];
    grow(normal_of(g, GUIDES), points);
    for (int32_t i = 0; i < GUIDE_POINTS; ++i) {
      pl_rod_joint *joint = &joints[def.joint_count];
      *joint = pl_default_rod_joint(i == 0 ? 0 : def.joint_count - 1);
      joint->rest.position = points[i];
      joint->radius = 0.002;
      def.joint_count++;
    }
  }
  def.joints = joints;
  def.colliders = &head;
  def.collider_count = 1;
  def.stiffness = 0.002;
  def.damping = 3;
  def.tube_sides = 0;
  if (touching) def.volume_cell = 0.015;
  pl_status status = pl_rod_build(h->context, &def, &h->model, error);
  free(joints);
  return status;
}

static pl_status build_strands(hair *h, pl_error *error) {
  pl_strand_root *roots = tool_allocate(STRANDS, sizeof *roots);
  pl_strands_def def = pl_default_strands_def();
  for (int32_t i = 0; i < STRANDS; ++i) {
    pl_vec3 normal = normal_of(i, STRANDS);
    roots[i] = (pl_strand_root){0, {HEAD * normal.x, HEAD * normal.y, HEAD * normal.z}, normal};
  }
  def.roots = roots;
  def.strand_count = STRANDS;
  def.points = POINTS;
  pl_status status = pl_strands_create(h->context, h->model, &def, &h->strands, error);
  free(roots);
  return status;
}

static pl_status open_hair(hair *h, int threads, bool touching, pl_error *error) {
  pl_context_def context = pl_default_context_def();
  context.thread_count = threads;
  pl_world_def world = pl_default_world_def();
  world.step = FRAME / STEPS;
  pl_collider_def shoulders = pl_default_collider_def(PL_COLLIDER_CAPSULE);
  shoulders.radius = 0.07;
  shoulders.half_length = 0.15;
  // Along x.
  shoulders.placement = (pl_transform){{0, -0.23, 0}, {0, 0, sqrt(0.5), sqrt(0.5)}};
  h->points = tool_allocate((size_t)STRANDS * POINTS * 3, sizeof(float));
  pl_status status = pl_context_create(&context, &h->context, error);
  if (status >= 0) status = build_model(h, touching, error);
  if (status >= 0) status = build_strands(h, error);
  if (status >= 0) status = pl_world_create(h->context, &world, &h->world, error);
  pl_body_def body = pl_default_body_def();
  body.model = h->model;
  if (status >= 0) status = pl_world_add_body(h->world, &body, &h->body, error);
  if (status >= 0) status = pl_world_add_collider(h->world, &shoulders, NULL, error);
  return status;
}

static void close_hair(hair *h) {
  pl_world_destroy(h->world);
  pl_strands_destroy(h->strands);
  pl_model_destroy(h->model);
  pl_context_destroy(h->context);
  free(h->points);
}

// The head shakes by 30 degrees, once a second. Adds the seconds of steps and strands.
static pl_status run_frame(hair *h, double seconds[2], pl_error *error) {
  pl_status status = PL_OK;
  double begin = tool_seconds();
  for (int i = 0; i < STEPS && status >= 0; ++i) {
    double half = 0.26 * sin(2 * PL_PI * (pl_world_get_time(h->world) + FRAME / STEPS));
    pl_transform head = {{0, 0, 0}, {0, sin(half), 0, cos(half)}};
    status = pl_rod_set_joint_target(h->world, h->body, 0, head, 0, error);
    if (status >= 0) status = pl_world_step(h->world, NULL, error);
  }
  double middle = tool_seconds();
  if (status >= 0) status = pl_strands_place(h->strands, h->world, h->body, (pl_vec3){0, 0, 0}, h->points, error);
  seconds[0] += middle - begin;
  seconds[1] += tool_seconds() - middle;
  return status;
}

static pl_status measure(bench_session *bench, int threads, bool touching, pl_error *error) {
  static const char *const names[2][3] = {
      {"10000 strands: guides", "10000 strands: drawn", "10000 strands: frame"},
      {"10000 strands touching: guides", "10000 strands touching: drawn", "10000 strands touching: frame"}};
  hair h = {.context = NULL};
  bench_samples samples[3] = {0};
  pl_status status = open_hair(&h, threads, touching, error);
  int frames = bench->quick ? 5 : 30;
  // The first repetition lets the hair fall.
  for (int repeat = -1; repeat < bench_repeats(bench) && status >= 0; ++repeat) {
    double seconds[2] = {0, 0};
    for (int i = 0; i < (repeat < 0 ? 30 : frames) && status >= 0; ++i) status = run_frame(&h, seconds, error);
    if (repeat < 0) continue;
    for (int k = 0; k < 2; ++k) bench_add(&samples[k], 1e3 * seconds[k] / frames);
    bench_add(&samples[2], 1e3 * (seconds[0] + seconds[1]) / frames);
  }
  for (int k = 0; k < 3 && status >= 0; ++k) {
    bench_row row = {.suite = "strands",
                     .name = names[touching][k],
                     .threads = threads,
                     .unit = "ms/frame",
                     .limit = k == 2 ? 1e3 * FRAME : 0,
                     .size = STRANDS,
                     .note = k == 2 ? "limit: 60 frames per second" : NULL};
    bench_print(bench, &row, &samples[k]);
  }
  close_hair(&h);
  return status;
}

int bench_strands(bench_session *bench) {
  pl_error error = {0};
  pl_status status = PL_OK;
  for (int threads = 1; threads <= 2 && status >= 0; ++threads)
    for (int touching = 0; touching < 2 && status >= 0; ++touching)
      status = measure(bench, threads, touching != 0, &error);
  return status < 0 ? tool_report_error(&bench->tool->console, &error) : TOOL_DONE;
}
