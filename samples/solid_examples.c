// A bar with a twist as its example: released in that pose it leaves it slowly, and a slider brings it back.
//
// First the body decides itself: in every step it looks for the mixture of rest and examples nearest to its shape, and
// is drawn to a little less of it. Then the host decides: pl_body_set_weights() with a number from a slider, and NULL
// to release it.
#include <math.h>
#include <pliant/runtime.h>
#include <stdio.h>
#include <stdlib.h>

static const int32_t CELLS[3] = {4, 4, 12};

typedef struct sample {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model;
  pl_world *world;
  pl_body_id body;
  pl_vec3 *twisted, *points;
} sample;

// A quarter turn from end to end.
static pl_vec3 twist(pl_vec3 p, double length) {
  double angle = 0.5 * PL_PI * p.z / length, c = cos(angle), s = sin(angle);
  return (pl_vec3){c * p.x - s * p.y, s * p.x + c * p.y, p.z};
}

static pl_status open_fixture(sample *s, pl_error *error) {
  const pl_vec3 size = {0.2, 0.2, 0.6};
  pl_context_def context_def = pl_default_context_def();
  pl_status status = pl_context_create(&context_def, &s->context, error);
  if (status >= 0) status = pl_mesh_create_box(s->context, size, CELLS, &s->mesh, error);
  if (status < 0) return status;
  pl_mesh_view view = pl_mesh_get_view(s->mesh);
  s->twisted = malloc((size_t)view.point_count * sizeof(pl_vec3));
  s->points = malloc((size_t)view.point_count * sizeof(pl_vec3));
  if (s->twisted == NULL || s->points == NULL) return PL_ERROR_OUT_OF_MEMORY;
  for (int32_t i = 0; i < view.point_count; ++i) s->twisted[i] = twist(view.points[i], size.z);

  pl_solid_def solid_def = pl_default_solid_def();
  solid_def.examples = &(pl_mesh_pose){"twist", s->twisted};
  solid_def.example_count = 1;
  solid_def.fidelity = 0.98;  // leaves the pose within a second or two
  solid_def.damping = 10;
  status = pl_solid_build(s->context, &solid_def, s->mesh, &s->model, error);

  pl_world_def world_def = pl_default_world_def();
  world_def.gravity = (pl_vec3){0, 0, 0};
  if (status >= 0) status = pl_world_create(s->context, &world_def, &s->world, error);
  pl_body_def body_def = pl_default_body_def();
  body_def.model = s->model;
  if (status >= 0) status = pl_world_add_body(s->world, &body_def, &s->body, error);
  return status;
}

// How far the front end is turned against the back around the bar's axis, degrees: between edges of both that lie along
// x at rest.
static double turn_of(const sample *s) {
  if (pl_body_get_positions(s->world, s->body, s->points) < 0) return 0;
  const pl_vec3 *back = s->points, *front = s->points + pl_mesh_get_view(s->mesh).point_count - 1 - CELLS[0];
  double back_angle = atan2(back[CELLS[0]].y - back[0].y, back[CELLS[0]].x - back[0].x);
  double front_angle = atan2(front[CELLS[0]].y - front[0].y, front[CELLS[0]].x - front[0].x);
  return fabs(front_angle - back_angle) * 180 / PL_PI;
}

// A second of the world; every quarter of it, how much of the example the body is drawn to, and how far it is twisted.
static pl_status watch(sample *s, const char *what, pl_error *error) {
  pl_status status = PL_OK;
  printf("%-20s", what);
  for (int i = 0; i < 4 && status >= 0; ++i) {
    double weight = 0;
    status = pl_world_advance(s->world, 0.25, 0, NULL, error);
    if (status >= 0) status = pl_body_get_weights(s->world, s->body, 0, &weight);
    printf("   %.2f %2.0f°", weight, turn_of(s));
  }
  putchar('\n');
  return status;
}

int main(void) {
  sample s = {.context = NULL};
  pl_error error = {0};
  pl_status status = open_fixture(&s, &error);
  if (status >= 0) status = pl_body_set_state(s.world, s.body, s.twisted, NULL, &error);
  if (status >= 0) status = watch(&s, "released in a twist", &error);
  if (status >= 0) status = watch(&s, "a second later", &error);
  const double slider[3] = {0.5, 1, 0};
  for (int i = 0; i < 3 && status >= 0; ++i) {
    char text[32];
    snprintf(text, sizeof text, "slider at %g", slider[i]);
    status = pl_body_set_weights(s.world, s.body, 0, &slider[i], &error);
    if (status >= 0) status = watch(&s, text, &error);
  }
  if (status >= 0) status = pl_body_set_weights(s.world, s.body, 0, NULL, &error);
  if (status >= 0) status = watch(&s, "on its own again", &error);
  if (status < 0) printf("status %d: %s\n", status, error.text);
  pl_world_destroy(s.world), pl_model_destroy(s.model);
  pl_mesh_destroy(s.mesh), pl_context_destroy(s.context);
  free(s.twisted), free(s.points);
  return status < 0 ? 1 : 0;
}
