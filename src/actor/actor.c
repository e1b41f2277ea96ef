// An actor at work: before every step its behaviour sees the body and sets goals, in the step the rest shape is chosen,
// after it the report is brought up to date.
#include "actor/actor.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "pliant/math.h"

// --- steering -------------------------------------------------------------------------------------------------------

void pl_actor_set_command(pl_actor *actor, pl_actor_command command) {
  pl_actor_command *now = &actor->state->command;
  if (isfinite(command.speed)) now->speed = command.speed;
  if (pl_vec3_is_finite(command.heading) && pl_vec3_length(command.heading) > PL_ACTOR_MIN_HEADING)
    now->heading = pl_vec3_normalize_or(command.heading, now->heading);
}

pl_actor_command pl_actor_get_command(const pl_actor *actor) {
  return actor->state->command;
}

static pl_vec3 on_ground(pl_vec3 v, pl_vec3 up) {
  return pl_vec3_add_scaled(v, up, -pl_vec3_dot(v, up));
}

// Head for the next place of the path; stop at the last. A place counts as reached half a body away from it.
static void follow_path(pl_actor *actor) {
  pl_actor_state *state = actor->state;
  pl_actor_view *view = &actor->view;
  if (actor->path_count == 0) return;
  double near = 0.5 * fmax(view->width, view->depth);
  for (int32_t k = 0; k < actor->path_count && state->path_next < actor->path_count; ++k) {
    pl_vec3 way = on_ground(pl_vec3_sub(actor->path[state->path_next], view->center), view->up);
    if (pl_vec3_length(way) > near) {
      view->command.heading = state->command.heading = pl_vec3_normalize_or(way, state->command.heading);
      return;
    }
    state->path_next++;
    state->report.places++;
    if (actor->path_loops) state->path_next %= actor->path_count;
  }
  view->command.speed = 0;
}

// --- before the step ------------------------------------------------------------------------------------------------

static pl_status before_step(void *user, pl_world *world, pl_error *error) {
  pl_actor *actor = user;
  const pl_body *body = pl_world_find_body(world, actor->body);
  (void)error;
  if (body == NULL) return PL_OK;  // removed: there is nothing left to do for this actor
  pl_fem_state state = pl_fem_state_of(body->model, body->state);
  actor->goals.count = actor->goals.workspace = 0;
  actor->goals.part_count = actor->part_count;
  actor->goals.particle_count = actor->model->head.particle_count;
  // While the world settles time stands still, and so does the will: at most it keeps its balance.
  actor->idle = actor->behaviour == NULL || (world->settling && !actor->stands_while_settling);
  if (world->settling && actor->idle) return PL_OK;
  pl_actor_see(actor, body, &state);
  actor->state->turn = actor->view.turn;
  if (world->settling)
    actor->view.command.speed = 0;
  else
    follow_path(actor);
  if (!actor->idle)
    actor->behaviour->choose(actor->behaviour_settings, actor->behaviour_state, &actor->view, &actor->goals);
  return PL_OK;
}

// --- in the step ----------------------------------------------------------------------------------------------------

// Root of the sum of squares of the goals at u.
static double goal_error_at(const pl_goal_rows *rows, const double *u) {
  return sqrt(2 * pl_actor_goals_measure(rows, u, NULL));
}

// The step after a search solves with the search's own factor. Without one it is a passive body's, to the bit.
static pl_status solve_direct(void *user, const pl_block_matrix *matrix, const double *right, double *x, double *shift,
                              pl_error *error) {
  return pl_actor_solver_solve(((pl_actor *)user)->solver, matrix, right, x, shift, error);
}

// Where goals cannot be met, as of one that lies on its side and shall stand, the search finds ever larger strains
// worth their price, and in the end the body bursts. So the rest shape keeps within bounds that no motion in its right
// mind comes near: its strain, and how fast it changes.
static void keep_within_bounds(pl_actor *actor, const pl_fem_choice *choice) {
  int32_t P = pl_rest_space_size(actor->space);
  double *p = actor->parameters, *none = actor->trend, max = PL_ACTOR_MAX_RATE * choice->move->step;
  memset(none, 0, (size_t)P * sizeof(double));
  double rate = pl_rest_space_strain(actor->space, p, actor->last);
  for (int32_t k = 0; rate > max && k < P; ++k) p[k] = actor->last[k] + max / rate * (p[k] - actor->last[k]);
  double strain = pl_rest_space_strain(actor->space, p, none);
  for (int32_t k = 0; strain > PL_ACTOR_MAX_STRAIN && k < P; ++k) p[k] *= PL_ACTOR_MAX_STRAIN / strain;
  if (rate > max || strain > PL_ACTOR_MAX_STRAIN) pl_rest_space_shape(actor->space, p, choice->state.rest);
}

static pl_status choose(void *user, pl_fem_choice *choice, pl_error *error) {
  pl_actor *actor = user;
  actor->driver.direct.solve = NULL;
  pl_actor_report *report = &actor->state->report;
  size_t P = (size_t)pl_rest_space_size(actor->space);
  pl_actor_outcome outcome = {.converged = true, .min_step = 1};
  if (!actor->idle) pl_rest_space_straighten(actor->space, actor->parameters);
  memcpy(actor->last, actor->parameters, P * sizeof(double));
  if (actor->idle) return PL_OK;
  double start = pl_clock_seconds();
  pl_goal_rows rows = pl_actor_rows(actor, choice);
  if (pl_actor_rows_ask(&rows)) actor->driver.direct.solve = solve_direct;
  report->goal_start = goal_error_at(&rows, choice->work->next);
  pl_status status = PL_OK;
  // Plans step by the scheme of the body, which contact may replace (implicit_steps).
  bool plans =
      actor->horizon != NULL && rows.count <= PL_ACTOR_PLAN_ROWS && choice->reach == pl_fem_reach(actor->model);
  // Continuing as before is where a single step begins its search, if that is better: feet that push lose the ground
  // the moment the rest shape stands still.
  for (size_t k = 0; k < P && !plans; ++k) actor->parameters[k] += actor->trend[k];
  if (plans) {
    pl_plan_rows plan = pl_actor_plan(actor, &rows);
    status = pl_actor_horizon_run(actor->horizon, &actor->settings, choice, &plan, actor->last, actor->parameters,
                                  &outcome, error);
  } else {
    pl_actor_settings settings = actor->settings;
    settings.usual_objective = report->objective;
    status = pl_actor_solver_run(actor->solver, &settings, choice, &rows, actor->last, actor->parameters,
                                 actor->multipliers, &outcome, error);
  }
  keep_within_bounds(actor, choice);
  for (size_t k = 0; k < P; ++k) actor->trend[k] = actor->parameters[k] - actor->last[k];
  actor->seconds = pl_clock_seconds() - start;
  actor->seconds_in_all += actor->seconds;
  report->iteration_count = outcome.iteration_count;
  report->converged = outcome.converged;
  report->objective = outcome.objective;
  report->goal_error = goal_error_at(&rows, choice->work->next);
  // A step falls short when it leaves most of the error of its goals. A tenth of the speed that free fall adds in a
  // step is not an error worth counting.
  double negligible = 0.1 * actor->view.gravity * actor->view.step;
  report->regulariser = outcome.regulariser;
  report->min_step = outcome.min_step;
  if (actor->world->settling) return status;  // nothing is counted before the first step
  report->short_count += report->goal_error > fmax(0.9 * report->goal_start, negligible);
  report->iterations_in_all += outcome.iteration_count;
  report->unfinished_count += !outcome.converged;
  return status;
}

// --- after the step -------------------------------------------------------------------------------------------------

// Change of velocity over this time, s, or over the steps that are remembered: single steps would show contact, not
// effort.
static const double ACCELERATION_TIME = 0.1;

static double mean_acceleration(pl_actor_state *state, pl_vec3 velocity, double step) {
  int32_t back = (int32_t)fmin(fmax(round(ACCELERATION_TIME / step), 1), PL_ACTOR_PAST - 1);
  int32_t count = state->past_count++;
  state->past[count % PL_ACTOR_PAST] = velocity;
  if (count < back) return 0;
  return pl_vec3_distance(velocity, state->past[(count - back) % PL_ACTOR_PAST]) / (back * step);
}

static void report_motion(pl_actor *actor, const pl_fem_choice *choice) {
  pl_actor_state *state = actor->state;
  pl_actor_report *report = &state->report;
  const pl_actor_view *view = &actor->view;
  double h = view->step;
  pl_vec3 center = pl_fem_center_of(actor->model, choice->state.positions);
  pl_vec3 way = on_ground(pl_vec3_sub(center, view->center), view->up);
  report->advance += pl_vec3_dot(way, view->command.heading);
  report->asked += h * view->command.speed;
  report->travelled += pl_vec3_length(way);
  report->turned += h * pl_vec3_dot(view->spin, pl_vec3_cross(view->up, view->command.heading));
  report->twisted += h * pl_vec3_dot(view->spin, view->up);
  double acceleration = mean_acceleration(state, pl_fem_center_of(actor->model, choice->state.velocities), h);
  report->max_acceleration = fmax(report->max_acceleration, acceleration);
  double upright = pl_vec3_dot(pl_quat_rotate(view->turn, view->up), view->up);
  report->lean = acos(fmin(fmax(upright, -1), 1)) * 180 / PL_PI;
  report->max_lean = fmax(report->max_lean, report->lean);
  pl_actor_measure_feet(actor, &choice->state);
  if (actor->behaviour != NULL && actor->behaviour->count != NULL)
    actor->behaviour->count(actor->behaviour_settings, actor->behaviour_state, &report->tally);
}

// Relative residual of a step above which it counts as not converged.
static const double MAX_RESIDUAL = 1e-6;

static void done(void *user, const pl_fem_choice *choice) {
  pl_actor *actor = user;
  pl_actor_report *report = &actor->state->report;
  if (actor->world->settling) return;
  report->step_count++;
  report->residual = choice->work->report.relative_residual;
  report->worst_residual = fmax(report->worst_residual, report->residual);
  report->unconverged_count += !(report->residual <= MAX_RESIDUAL);
  report_motion(actor, choice);
  if (actor->idle) return;
  int32_t P = pl_rest_space_size(actor->space);
  report->rest_rate =
      P > 0 ? pl_rest_space_strain(actor->space, actor->parameters, actor->last) / choice->move->step : 0;
  report->max_rest_rate = fmax(report->max_rest_rate, report->rest_rate);
  memset(actor->last, 0, (size_t)P * sizeof(double));
  report->rest_strain = P > 0 ? pl_rest_space_strain(actor->space, actor->parameters, actor->last) : 0;
}

// --- attaching and looking ------------------------------------------------------------------------------------------

pl_status pl_actor_attach(pl_actor *actor, pl_world *world, pl_body_id id, pl_error *error) {
  const pl_body *body = pl_world_find_body(world, id);
  if (body == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such body");
  if (body->model != &actor->model->head)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "the actor was made for another model than this body's");
  if (actor->world != NULL) return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "the actor is in a world already");
  if (((const pl_fem_work *)body->work)->driver != NULL)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "this body has an actor already; detach that first");
  actor->driver = (pl_fem_driver){.choose = choose, .done = done, .user = actor, .direct = {.user = actor}};
  pl_controller controller = {
      .before_step = before_step, .state_size = actor->state_size, .state = actor->state, .user = actor};
  pl_status status = pl_world_add_controller(world, &controller, error);
  if (status < 0) return status;
  actor->world = world;
  actor->body = id;
  return pl_fem_drive(world, id, &actor->driver);
}

void pl_actor_detach(pl_actor *actor) {
  if (actor->world == NULL || actor->world->phase != PL_WORLD_IDLE) return;
  pl_fem_drive(actor->world, actor->body, NULL);  // fails when the body is gone, and then there is nothing to undo
  pl_world_remove_controller(actor->world, actor);
  actor->world = NULL;
}

void pl_actor_reset(pl_actor *actor) {
  pl_actor_command command = actor->state->command;
  memset(actor->state, 0, actor->state_size);
  actor->state->command = command;
  actor->state->turn = (pl_quat){0, 0, 0, 1};
}

pl_actor_report pl_actor_get_report(const pl_actor *actor) {
  pl_actor_report report = actor->state->report;
  report.seconds = actor->seconds;
  report.seconds_in_all = actor->seconds_in_all;
  return report;
}

const double *pl_actor_get_parameters(const pl_actor *actor, int32_t *count) {
  *count = pl_rest_space_size(actor->space);
  return actor->parameters;
}

int32_t pl_actor_get_goals(const pl_actor *actor, int32_t limit, pl_goal *goals) {
  int32_t count = actor->goals.count < limit ? actor->goals.count : limit;
  if (count > 0) memcpy(goals, actor->goals.items, (size_t)count * sizeof(pl_goal));
  return count;
}

void pl_actor_get_rest_points(const pl_actor *actor, pl_vec3 *points) {
  const pl_fem_model *model = actor->model;
  const pl_body *body = actor->world != NULL ? pl_world_find_body(actor->world, actor->body) : NULL;
  double *positions = actor->rest_points;
  pl_rest_space_points(actor->space, actor->parameters, positions);
  pl_vec3 from = pl_fem_center_of(model, positions), to = from;
  pl_quat turn = {0, 0, 0, 1};
  if (body != NULL) {
    pl_fem_state state = pl_fem_state_of(body->model, body->state);
    to = pl_fem_center_of(model, state.positions);
    turn = pl_quat_multiply(actor->state->turn, body->start.placement.rotation);
  }
  for (int32_t i = 0; i < model->head.particle_count; ++i)
    points[i] = pl_vec3_add(to, pl_quat_rotate(turn, pl_vec3_sub(pl_fem_vector(positions, i), from)));
}
