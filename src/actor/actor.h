// Internals of an actor, shared by the files of this folder.
//
//   before a step   actor_view.c    collects what the behaviour sees
//                   behaviour_*.c   turns it into goals
//   in the step     actor_goals.c   turns goals into rows of equations
//                   actor_solver.c  finds the rest shape; the body then moves as any other
//   after it        actor_feet.c    measures what the feet did
//                   actor.c         reports
#ifndef PL_ACTOR_H
#define PL_ACTOR_H

#include "actor/actor_horizon.h"
#include "actor/actor_solver.h"
#include "pliant/step.h"
#include "world/world_state.h"

// Length of a heading below which it has no direction.
#define PL_ACTOR_MIN_HEADING 1e-9

// Bounds on the rest shape: root mean square strain, and its rate (1/s).
#define PL_ACTOR_MAX_STRAIN 0.6
#define PL_ACTOR_MAX_RATE 15.0

enum {
  PL_ACTOR_WORKSPACE = 3 * PL_MAX_GOALS,
  PL_ACTOR_PAST = 64,
  // goal rows of a step that is planned ahead from; with more it is one step at a time
  PL_ACTOR_PLAN_ROWS = 48,
};

struct pl_goals {
  int32_t count, part_count, particle_count;
  // that rows of these goals take, in numbers of particles; at most PL_ACTOR_ROOM
  int32_t workspace;
  pl_goal items[PL_MAX_GOALS];
};

// What is measured of a foot (actor_feet.c).
typedef struct pl_actor_foot {
  int32_t airborne;
  double peak;    // m above the ground since it left it
  pl_vec3 lift;   // where it left the ground
  pl_vec3 slide;  // along the ground since it landed
  double slid;    // m in all stances before
} pl_actor_foot;

// Everything that snapshots carry; parameters, multipliers, trend and the behaviour's own state
// follow it.
typedef struct pl_actor_state {
  pl_actor_command command;
  pl_actor_report report;
  int32_t path_next;            // place of the path that it goes to
  pl_quat turn;                 // nearest rotation of the last step, where the next search begins
  int32_t past_count;           // of `past`, a ring
  pl_vec3 past[PL_ACTOR_PAST];  // velocities of the centre of mass in the last steps
  pl_actor_foot feet[PL_ACTOR_MAX_PARTS];
} pl_actor_state;

struct pl_actor_ground {
  const pl_world *world;
  pl_vec3 up;
  double reach;      // m, how far down is looked
  double tolerance;  // m
};

typedef struct pl_actor_body_part {
  const char *name;
  bool is_foot;
  int32_t point_count;
  const int32_t *points;
} pl_actor_body_part;

struct pl_actor {
  pl_context *context;
  pl_arena arena;  // holds the actor and all its arrays
  const pl_fem_model *model;
  pl_rest_space *space;
  pl_actor_solver *solver;
  pl_actor_horizon *horizon;  // NULL: one step at a time
  pl_actor_settings settings;
  const pl_behaviour *behaviour;
  const double *behaviour_settings;
  int32_t part_count;
  const pl_actor_body_part *parts;
  const uint64_t *parts_of_surface;  // bits of the parts that each surface point belongs to
  int32_t path_count;
  const pl_vec3 *path;
  bool path_loops;
  bool stands_while_settling;

  size_t state_size;
  pl_actor_state *state;
  double *parameters;  // in the state
  double *multipliers;
  double *trend;  // what the last step added to the parameters
  void *behaviour_state;

  pl_world *world;
  pl_body_id body;
  pl_fem_driver driver;

  // of the optimisation; not in the state, which is the same for every run
  double seconds, seconds_in_all;

  // Of the step under way.
  bool idle;  // no goals: the world is settling, and it does not stand meanwhile
  pl_actor_view view;
  pl_part_view *part_views;
  struct pl_actor_ground ground;
  pl_goals goals;
  double *last;         // parameters of the last step
  double *rest_points;  // 3 per particle, room for pl_actor_get_rest_points()
  int32_t *row_start, *row_slots;
  double *row_weights, *row_targets;
  double *row_positions_by, *row_speeds_by, *row_ends;  // of pl_plan_rows
};

// Inverse of the inertia about the centre of mass; a straight body, which has none about its own
// axis, gets a little there (actor_view.c).
pl_mat3 pl_actor_inverse_inertia(const pl_fem_model *model, const double *positions,
                                 pl_vec3 center);

// Position or velocity of a point of the surface, by those of the particles (actor_view.c).
pl_vec3 pl_actor_surface_vector(const pl_fem_model *model, const double *values, int32_t i);

// Fill the view from the body's state (actor_view.c).
void pl_actor_see(pl_actor *actor, const pl_body *body, const pl_fem_state *state);

// Steps, clearance and sliding of the feet after a step, into the report (actor_feet.c).
// The inverse of the inertia of a part's points, each of mass 1, about their mean, which goes to
// `center`.
pl_mat3 pl_actor_part_spins(const pl_actor *actor, int32_t part, const double *positions,
                            pl_vec3 *center);
void pl_actor_measure_feet(pl_actor *actor, const pl_fem_state *state);

// Rows of the goals for a step (actor_goals.c).
pl_goal_rows pl_actor_rows(pl_actor *actor, const pl_fem_choice *choice);
// The same goals at the end of any step, after pl_actor_rows().
pl_plan_rows pl_actor_plan(const pl_actor *actor, const pl_goal_rows *rows);

#endif
