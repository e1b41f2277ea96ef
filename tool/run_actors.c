// Actors of a run: their values in every frame of the log, the table of these values, and the summary line at the end.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool_run.h"

// Values stored for an actor besides its parameters, in the order of fill_record().
static const char *const COLUMNS[] = {"objective", "goal_error", "goal_start", "residual", "iterations", "rest_strain",
                                      "rest_rate", "x",          "y",          "z",        "vx",         "vy",
                                      "vz",        "lean",       "advance",    "turned",   "steps",      "hops",
                                      "tumbles",   "yaw",        "twist"};
enum { COLUMN_COUNT = sizeof COLUMNS / sizeof COLUMNS[0], MAX_PARAMETERS = 256 };

// Fraction of steps in which an actor must come less than a tenth closer to its goals before it is reported: behaviours
// ask for more than a single step can give.
static const double SHORT_FRACTION = 0.8;
// … or move less than this fraction of the commanded distance.
static const double WAY_FRACTION = 0.25;

void run_lay_out_actors(run_job *run) {
  int32_t count = pl_scene_instance_actor_count(run->set);
  run->actors = tool_allocate((size_t)count, sizeof *run->actors);
  run->actor_count = count;
  for (int32_t i = 0; i < count; ++i) {
    run_actor *actor = &run->actors[i];
    actor->info = pl_scene_instance_get_actor(run->set, i);
    pl_actor_get_parameters(actor->info.actor, &actor->parameter_count);
    if (actor->parameter_count > MAX_PARAMETERS) actor->parameter_count = MAX_PARAMETERS;
    actor->record_start = run->point_count;
    run->point_count += (COLUMN_COUNT + actor->parameter_count + 2) / 3;
    actor->ghost_start = run->point_count;
    if (run->options.ghost) run->point_count += run->bodies[actor->info.body].surface.point_count;
  }
}

// How far the points between two shares of the body's height at rest have turned about y, in degrees: the rotation that
// comes nearest to their motion across it.
static double yaw_between(const run_body *body, const pl_vec3 *now, double from, double to) {
  pl_mesh_view rest = pl_mesh_get_view(body->info.mesh);
  pl_box box = pl_model_get_report(body->model).box;
  double count = 0, sum[4] = {0}, sine = 0, cosine = 0;
  for (int pass = 0; pass < 2; ++pass)
    for (int32_t i = 0; i < rest.point_count; ++i) {
      double fraction = (rest.points[i].y - box.min.y) / (box.max.y - box.min.y);
      const double at[4] = {rest.points[i].x, rest.points[i].z, now[i].x, now[i].z};
      if (!(fraction >= from && fraction <= to)) continue;
      if (pass == 0) {
        count += 1;
        for (int k = 0; k < 4; ++k) sum[k] += at[k];
        continue;
      }
      double x = at[0] - sum[0] / count, z = at[1] - sum[1] / count, to_x = at[2] - sum[2] / count,
             to_z = at[3] - sum[3] / count;
      sine += z * to_x - x * to_z;
      cosine += x * to_x + z * to_z;
    }
  return atan2(sine, cosine) * 180 / PL_PI;
}

// Yaw of the whole body, and by how much more its upper third has turned than its middle one: the head against the
// hips, independent of the legs. Bodies in a plane have neither.
static void find_twist(const run_job *run, const run_body *body, double *yaw, double *twist) {
  pl_box box = pl_model_get_report(body->model).box;
  *yaw = *twist = 0;
  if (body->info.mesh == NULL || !(box.max.z > box.min.z)) return;
  pl_vec3 *now = tool_allocate((size_t)body->particle_count, sizeof *now);
  if (pl_body_get_positions(run->world, body->info.id, now) >= 0) {
    *yaw = yaw_between(body, now, 0, 1);
    *twist = remainder(yaw_between(body, now, 2.0 / 3, 1) - yaw_between(body, now, 1.0 / 3, 2.0 / 3), 360);
  }
  free(now);
}

static void fill_record(const run_job *run, const run_actor *actor, double *numbers) {
  double yaw, twist;
  find_twist(run, &run->bodies[actor->info.body], &yaw, &twist);
  pl_actor_report report = pl_actor_get_report(actor->info.actor);
  pl_body_report body = pl_body_get_report(run->world, run->bodies[actor->info.body].info.id);
  double weight = body.mass > 0 ? 1 / body.mass : 0;
  const double record[COLUMN_COUNT] = {report.objective,
                                       report.goal_error,
                                       report.goal_start,
                                       report.residual,
                                       report.iteration_count,
                                       report.rest_strain,
                                       report.rest_rate,
                                       body.center.x,
                                       body.center.y,
                                       body.center.z,
                                       weight * body.momentum.x,
                                       weight * body.momentum.y,
                                       weight * body.momentum.z,
                                       report.lean,
                                       report.advance,
                                       report.turned,
                                       report.tally.steps,
                                       report.tally.hops,
                                       report.tally.tumbles,
                                       yaw,
                                       twist};
  int32_t all;
  const double *parameters = pl_actor_get_parameters(actor->info.actor, &all);
  for (int32_t k = 0; k < COLUMN_COUNT; ++k) numbers[k] = record[k];
  for (int32_t k = 0; k < actor->parameter_count; ++k) numbers[COLUMN_COUNT + k] = parameters[k];
}

pl_status run_log_actors(run_job *run) {
  pl_status status = PL_OK;
  for (int32_t i = 0; i < run->actor_count && status >= 0; ++i) {
    const run_actor *actor = &run->actors[i];
    fill_record(run, actor, (double *)(run->points + actor->record_start));
    if (run->options.ghost) status = pl_scene_instance_get_rest(run->set, i, run->points + actor->ghost_start);
  }
  return status;
}

// --- the table
// ----------------------------------------------------------------------------------------------------------

static pl_status write_table(run_job *run, const run_actor *actor, pl_error *error) {
  enum { NAME_SIZE = 16 };
  int64_t frame_count = pl_frame_log_count(run->log);
  int32_t kept = COLUMN_COUNT + actor->parameter_count, points = (kept + 2) / 3, count = kept + 2;
  const char **columns = tool_allocate((size_t)count, sizeof *columns);
  char *names = tool_allocate((size_t)actor->parameter_count, NAME_SIZE);
  columns[0] = "frame";
  columns[1] = "time";
  for (int32_t k = 0; k < COLUMN_COUNT; ++k) columns[2 + k] = COLUMNS[k];
  for (int32_t k = 0; k < actor->parameter_count; ++k) {
    snprintf(names + (size_t)k * NAME_SIZE, NAME_SIZE, "p%d", k);
    columns[2 + COLUMN_COUNT + k] = names + (size_t)k * NAME_SIZE;
  }
  double *cells = tool_allocate((size_t)frame_count * (size_t)count, sizeof *cells);
  pl_vec3 *record = tool_allocate((size_t)points, sizeof *record);
  pl_status status = PL_OK;
  for (int64_t frame = 0; frame < frame_count && status >= 0; ++frame) {
    double *row = cells + frame * count;
    status = pl_frame_log_read(run->log, frame, actor->record_start, points, record, error);
    row[0] = (double)frame;
    row[1] = (double)frame / run->facts.frame_rate;
    for (int32_t k = 0; k < kept; ++k) row[2 + k] = ((const double *)record)[k];
  }
  char *path = tool_text("%s/%s.actor.csv", run->folder, run->bodies[actor->info.body].file_name);
  if (status >= 0)
    status = pl_table_save(run->context, path, &(pl_table_view){count, columns, frame_count, cells}, error);
  free(path);
  free(record);
  free(cells);
  free(names);
  free(columns);
  return status;
}

pl_status run_write_actors(run_job *run, pl_error *error) {
  pl_status status = PL_OK;
  for (int32_t i = 0; run->options.actor_tables && i < run->actor_count && status >= 0; ++i)
    status = write_table(run, &run->actors[i], error);
  return status;
}

// --- what is said
// -------------------------------------------------------------------------------------------------------

static void print_actor(const run_job *run, const run_actor *actor) {
  pl_actor_report report = pl_actor_get_report(actor->info.actor);
  double turns = report.turned / (2 * PL_PI), steps = (double)(report.step_count > 0 ? report.step_count : 1);
  double simulated = (double)run->total.step_count * run->facts.step;
  char *counted = tool_text("%.2f m ahead", report.advance);
  const struct {
    double number;
    const char *words;
  } counts[] = {{report.tally.steps, "steps"}, {report.tally.hops, "hops"}, {fabs(turns) >= 0.5 ? turns : 0, "turns"}};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
    if (counts[i].number == 0) continue;
    char *longer = tool_text("%s, %.3g %s", counted, counts[i].number, counts[i].words);
    free(counted);
    counted = longer;
  }
  if (report.clearance > 0) {
    char *longer =
        tool_text("%s of %.2g cm clearance, feet slid %.2f m", counted, 100 * report.clearance, report.foot_slide);
    free(counted);
    counted = longer;
  }
  tool_print(&run->tool->console,
             "actor '%s' (%s): %s, %d %s; %.1f iterations per step, %.2g %% unfinished, worst residual %.1e, %.2f s of "
             "optimisation per simulated second",
             actor->info.name, actor->info.behaviour, counted, report.tally.tumbles,
             report.tally.tumbles == 1 ? "tumble" : "tumbles", (double)report.iterations_in_all / steps,
             100 * (double)report.unfinished_count / steps, report.worst_residual,
             simulated > 0 ? report.seconds_in_all / simulated : 0);
  free(counted);
}

// Advice for goals that are out of reach.
#define ADVICE                                                                                                   \
  "lower its goals, give its rest shape more freedom (a finer `cage`, less `regularisation`), or its feet more " \
  "friction"

static bool warn_of_reach(const run_job *run, const run_actor *actor) {
  const tool_console *console = &run->tool->console;
  pl_actor_report report = pl_actor_get_report(actor->info.actor);
  pl_box box = pl_model_get_report(run->bodies[actor->info.body].model).box;
  double fraction = report.step_count > 0 ? (double)report.short_count / (double)report.step_count : 0;
  if (fraction > SHORT_FRACTION) {
    tool_print_warning(console,
                       "the goals of actor '%s' are out of reach: in %.0f %% of its steps it came less than a tenth "
                       "closer to them; " ADVICE,
                       actor->info.name, 100 * fraction);
    return true;
  }
  // A distance shorter than the body may be over before the body starts to move.
  if (report.asked < box.max.y - box.min.y || !(report.advance < WAY_FRACTION * report.asked)) return false;
  tool_print_warning(
      console, "the goals of actor '%s' are out of reach: it was commanded to move %.2f m and moved %.2f m; " ADVICE,
      actor->info.name, report.asked, report.advance);
  return true;
}

static bool print_expectation(const run_job *run, const pl_scene_instance_expectation *it) {
  const tool_console *console = &run->tool->console;
  const char *name = run->actors[it->actor].info.name, *space = it->unit[0] != '\0' ? " " : "";
  const char *bound = it->is_max ? "at most" : "at least";
  if (it->met)
    tool_print(console, "actor '%s': %s is %.4g%s%s, as expected (%s %.4g)", name, it->name, it->found, space, it->unit,
               bound, it->wanted);
  else
    tool_print_warning(console, "actor '%s': %s is %.4g%s%s; expected %s %.4g", name, it->name, it->found, space,
                       it->unit, bound, it->wanted);
  return it->met;
}

bool run_print_actors(const run_job *run) {
  bool good = true;
  int32_t count = pl_scene_instance_expectation_count(run->set);
  for (int32_t i = 0; i < run->actor_count; ++i) {
    print_actor(run, &run->actors[i]);
    good = !warn_of_reach(run, &run->actors[i]) && good;
  }
  if (count > 0 && run->frame_count < run->facts.frame_count) {
    tool_print(&run->tool->console, "expectations of actors apply to all %d frames of the scene and were not compared",
               run->facts.frame_count);
    return good;
  }
  for (int32_t i = 0; i < count; ++i) {
    pl_scene_instance_expectation it = pl_scene_instance_get_expectation(run->set, i);
    good = print_expectation(run, &it) && good;
  }
  return good;
}
