// A jelly bar with a will of its own: a behaviour written here makes it bow to either side and jump up.
//
// A behaviour is a table of functions. Before every step it sees its body and says what it would like: here, where the
// centre of mass should be or how fast it should move. The actor then finds the rest shape whose elastic forces bring
// that about. Nothing pulls at the body from outside.
#include <math.h>
#include <pliant/lab.h>
#include <pliant/runtime.h>
#include <stdio.h>

typedef struct sample {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model;
  pl_world *world;
  pl_actor *actor;
  pl_body_id body;
} sample;

static const pl_behaviour_setting SETTINGS[] = {{"speed", "m/s", 1.5, 0, 10, "Speed at which it takes off."}};

// What it remembers from step to step: where it stands. Snapshots of the world carry it along.
typedef struct memory {
  bool stands;
  double x, z;
} memory;

// Two seconds of bowing, a crouch of half a second, a jump.
static void bow_and_jump(const double *settings, void *state, const pl_actor_view *view, pl_goals *goals) {
  memory *feet = state;
  double phase = fmod(view->time, 3);
  if (view->touch_count == 0 || view->center.y > 1.15 * view->rest_height) {  // no longer of any use to push
    feet->stands = false;
    return;
  }
  if (!feet->stands) *feet = (memory){true, view->touch.x, view->touch.z};
  pl_goal goal = {.subject = PL_GOAL_CENTER, .axes = PL_GOAL_XYZ, .position_gain = 5, .velocity_gain = 1, .weight = 1};
  goal.position = (pl_vec3){feet->x, view->rest_height, feet->z};
  if (phase < 2)
    goal.position.x += 0.08 * view->height * sin(PL_PI * phase);
  else if (phase < 2.5)
    goal.position.y *= 0.9;
  else
    goal.position_gain = 0, goal.velocity.y = settings[0];
  pl_goals_add(goals, &goal);
}

static const pl_behaviour BEHAVIOUR = {.name = "bow and jump",
                                       .settings = SETTINGS,
                                       .setting_count = 1,
                                       .state_size = sizeof(memory),
                                       .choose = bow_and_jump};

static pl_status open_fixture(sample *s, pl_error *error) {
  pl_context_def context_def = pl_default_context_def();
  pl_status status = pl_context_create(&context_def, &s->context, error);
  if (status >= 0)
    status = pl_mesh_create_box(s->context, (pl_vec3){0.3, 0.8, 0.3}, (const int32_t[3]){2, 5, 2}, &s->mesh, error);
  pl_fem_def fem_def = pl_default_fem_def(PL_FEM_EDGES);
  fem_def.density = 300;
  fem_def.stiffness_damping = 0.01;
  fem_def.friction = 1;
  fem_def.newton_tolerance = 1e-6;
  fem_def.max_newton_iterations = 30;
  fem_def.adapts = true;  // its rest shape may change
  if (status >= 0) status = pl_fem_build(s->context, &fem_def, s->mesh, &s->model, error);

  pl_world_def world_def = pl_default_world_def();
  world_def.step = 0.01;
  pl_collider_def ground = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  pl_body_def body_def = pl_default_body_def();
  body_def.model = s->model;
  body_def.placement.position.y = 0.4;
  pl_collider_id ground_id;
  if (status >= 0) status = pl_world_create(s->context, &world_def, &s->world, error);
  if (status >= 0) status = pl_world_add_collider(s->world, &ground, &ground_id, error);
  if (status >= 0) status = pl_world_add_body(s->world, &body_def, &s->body, error);

  pl_actor_def actor_def = pl_default_actor_def();  // a cage around the bar
  actor_def.behaviour = &BEHAVIOUR;
  if (status >= 0) status = pl_actor_create(s->context, &actor_def, s->model, s->mesh, &s->actor, error);
  return status < 0 ? status : pl_actor_attach(s->actor, s->world, s->body, error);
}

int main(void) {
  sample s = {.context = NULL};
  pl_error error = {0};
  pl_status status = open_fixture(&s, &error);
  for (int i = 0; i < 36 && status >= 0; ++i) {
    status = pl_world_advance(s.world, 1.0 / 12, 0, NULL, &error);
    pl_body_report body = pl_body_get_report(s.world, s.body);
    pl_actor_report actor = pl_actor_get_report(s.actor);
    printf("%4.2f s   centre %6.3f %6.3f m   rest shape strained by %4.1f %%\n", pl_world_get_time(s.world),
           body.center.x, body.center.y, 100 * actor.rest_strain);
  }
  if (status < 0) printf("status %d: %s\n", status, error.text);
  pl_world_destroy(s.world), pl_actor_destroy(s.actor), pl_model_destroy(s.model);
  pl_mesh_destroy(s.mesh), pl_context_destroy(s.context);
  return status < 0 ? 1 : 0;
}
