// An ear that leans towards a camera on its left and folds over towards one on its right.
//
// The head is a kinematic joint; the ear is a chain of eight joints on it. It knows two example poses, each with the
// direction from which it is meant. The camera goes around the head in eight seconds, and the ear takes on what belongs
// to its direction without coming alive; at three seconds the head is shaken, and it swings.
#include <math.h>
#include <pliant/runtime.h>
#include <stdio.h>

enum { EAR = 8, JOINTS = 1 + EAR };

typedef struct sample {
  pl_context *context;
  pl_model *model;
  pl_world *world;
  pl_body_id body;
} sample;

// Joints of an ear that is bent by `angle` in all, from side to side; at rest it stands straight.
static void bend(double angle, pl_vec3 positions[JOINTS]) {
  const double length = 0.04;
  positions[0] = (pl_vec3){0, 0, 0};    // the head
  positions[1] = (pl_vec3){0, 0.1, 0};  // the root keeps its place on it
  for (int i = 2; i < JOINTS; ++i) {
    double turn = angle * (i - 1) / (EAR - 1);
    positions[i] = (pl_vec3){positions[i - 1].x - length * sin(turn), positions[i - 1].y + length * cos(turn), 0};
  }
}

static pl_status open_fixture(sample *s, pl_error *error) {
  pl_rod_joint joints[JOINTS];
  pl_vec3 rest[JOINTS], lean[JOINTS], fold[JOINTS];
  bend(0, rest), bend(0.8, lean), bend(-2.4, fold);
  for (int i = 0; i < JOINTS; ++i) {
    joints[i] = pl_default_rod_joint(i - 1);
    joints[i].rest.position = rest[i];
    joints[i].radius = 0.012;
  }
  joints[0].kinematic = true;
  joints[0].name = "head";
  joints[1].name = "ear";
  const pl_rod_example examples[2] = {
      {.name = "lean", .root = 1, .positions = lean, .direction = {-1, 0, 0}, .extent = 0.8},
      {.name = "fold", .root = 1, .positions = fold, .direction = {1, 0, 0}, .extent = 0.8},
  };
  pl_rod_def rod_def = pl_default_rod_def();
  rod_def.joints = joints;
  rod_def.joint_count = JOINTS;
  rod_def.examples = examples;
  rod_def.example_count = 2;
  rod_def.width = 4;
  rod_def.damping = 3;

  pl_context_def context_def = pl_default_context_def();
  pl_world_def world_def = pl_default_world_def();
  pl_body_def body_def = pl_default_body_def();
  pl_status status = pl_context_create(&context_def, &s->context, error);
  if (status >= 0) status = pl_rod_build(s->context, &rod_def, &s->model, error);  // copies what it needs
  if (status >= 0) status = pl_world_create(s->context, &world_def, &s->world, error);
  body_def.model = s->model;
  if (status >= 0) status = pl_world_add_body(s->world, &body_def, &s->body, error);
  return status;
}

// One frame of a sixtieth of a second: the camera has moved on, and perhaps the head.
static pl_status show_frame(sample *s, int frame, pl_error *error) {
  double angle = 2 * PL_PI * frame / 480,
         shake = frame > 180 && frame < 210 ? 0.4 * sin(2 * PL_PI * (frame - 180) / 30) : 0;
  pl_transform head = {{0, 0, 0}, {0, 0, sin(shake / 2), cos(shake / 2)}};
  pl_status status = pl_rod_set_camera(s->world, s->body, (pl_vec3){2 * sin(angle), 0.3, 2 * cos(angle)}, error);
  if (status >= 0) status = pl_rod_set_joint_target(s->world, s->body, 0, head, 1.0 / 60, error);
  return status < 0 ? status : pl_world_advance(s->world, 1.0 / 60, 0, NULL, error);
}

static pl_status print_state(const sample *s, int second) {
  pl_vec3 positions[JOINTS];
  double weights[2] = {0};
  pl_status status = pl_body_get_positions(s->world, s->body, positions);
  if (status >= 0) status = pl_body_get_weights(s->world, s->body, 0, weights);
  printf("%d s: camera at %3d°, lean %.2f, fold %.2f, tip at %5.2f %5.2f %5.2f m, fastest %.3f m/s\n", second,
         45 * second, weights[0], weights[1], positions[EAR].x, positions[EAR].y, positions[EAR].z,
         pl_body_get_report(s->world, s->body).max_speed);
  return status;
}

int main(void) {
  sample s = {.context = NULL};
  pl_error error = {0};
  pl_status status = open_fixture(&s, &error);
  for (int frame = 1; frame <= 480 && status >= 0; ++frame) {
    status = show_frame(&s, frame, &error);
    if (status >= 0 && frame % 60 == 0) status = print_state(&s, frame / 60);
  }
  if (status < 0) printf("status %d: %s\n", status, error.text);
  pl_world_destroy(s.world), pl_model_destroy(s.model), pl_context_destroy(s.context);
  return status < 0 ? 1 : 0;
}
