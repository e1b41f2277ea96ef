/// @file actor.h
/// Soft characters that move by themselves. In every step the rest shape is chosen whose elastic
/// forces, together with contact and friction, come closest to the goals of a motion (Coros and
/// others 2012). No other force acts on the body (part of the lab).
#ifndef PLIANT_ACTOR_H
#define PLIANT_ACTOR_H

#include "pliant/base.h"
#include "pliant/math.h"
#include "pliant/mesh.h"
#include "pliant/model.h"
#include "pliant/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- goals
// ----------------------------------------------------------------------------------------------------------

/// Bits of the coordinates that a goal acts on.
enum { PL_GOAL_X = 1, PL_GOAL_Y = 2, PL_GOAL_Z = 4, PL_GOAL_XYZ = 7 };

/// What a goal refers to. Parts are those of the actor.
typedef enum pl_goal_subject {
  PL_GOAL_CENTER = 0,  ///< centre of mass
  PL_GOAL_PART,        ///< mean of the points of a part
  PL_GOAL_DIFFERENCE,  ///< mean of the points of a part minus that of another: an orientation
  PL_GOAL_POINTS,      ///< any linear combination of points
  PL_GOAL_SPIN,  ///< rotation of the whole body about each of `axes`, rad/s: only `velocity` is
                 ///< used; in a plane about z
  PL_GOAL_PART_SPIN,  ///< the same of the points of a part, as if all had the same mass
} pl_goal_subject;

/// One goal (eq. 8). For the position q and the velocity v of the subject at the end of the step,
/// position_gain (q - position) + velocity_gain (v - velocity) should vanish in each of `axes`.
typedef struct pl_goal {
  pl_goal_subject subject;
  int32_t part;           ///< of PL_GOAL_PART, PL_GOAL_DIFFERENCE and PL_GOAL_PART_SPIN
  int32_t other;          ///< of PL_GOAL_DIFFERENCE: the part that is subtracted
  int32_t point_count;    ///< of PL_GOAL_POINTS
  const int32_t *points;  ///< … which must stay valid until the step is over
  const double *weights;  ///< … one per point
  uint32_t axes;          ///< PL_GOAL_X …
  double position_gain;   ///< 1/s
  double velocity_gain;   ///< without unit
  pl_vec3 position;       ///< m
  pl_vec3 velocity;       ///< m/s
  double weight;          ///< importance against the other goals
} pl_goal;

/// Goals of one step, filled in by a behaviour.
typedef struct pl_goals pl_goals;

/// Add a copy of a goal; its points and weights are borrowed until the end of the step. Returns
/// false, and adds nothing, when there are PL_MAX_GOALS already, when a number is not finite, or
/// when a part or point does not exist.
PL_API bool pl_goals_add(pl_goals *goals, const pl_goal *goal);
/// Maximum number of goals of one step.
#define PL_MAX_GOALS 64

/// Maximum number of parts of an actor.
#define PL_ACTOR_MAX_PARTS 64

// --- views and behaviours
// --------------------------------------------------------------------------------------------

/// A part of an actor: some of its points, such as a foot or the head.
typedef struct pl_actor_part {
  const char *name;
  int32_t point_count;
  const int32_t *points;  ///< of the mesh; copied
  bool is_foot;           ///< may stand on the ground; the order of feet is that of their steps
} pl_actor_part;

/// Current state of a part.
typedef struct pl_part_view {
  const char *name;
  bool is_foot;
  pl_vec3 position;  ///< mean of its points, m
  pl_vec3 velocity;  ///< m/s
  pl_vec3 spin;      ///< angular velocity of its points, rad/s
  pl_vec3 lowest;    ///< its lowest point along gravity
  pl_vec3 rest;  ///< mean of its points in the shape as built, relative to the centre of mass there
  double rest_lowest;  ///< height of its lowest point in the shape as built, above the lowest point
                       ///< of the body
  int32_t touch_count;   ///< points of the surface that pressed against colliders at the end of the
                         ///< last step
  pl_vec3 touch;         ///< mean of those points
  pl_vec3 touch_normal;  ///< mean of the normals there, 0 without any
} pl_part_view;

/// What an actor is asked to do, by a scene, a path or a player.
typedef struct pl_actor_command {
  // parameters of src/actor/actor_parameters.c by `make generate`: begin
  /// How fast to go; 0 means: stay.
  double speed;  ///< m/s, 0 … 1e3, default 0
  /// Which way on the ground, of any length but 0; a path overrides it.
  pl_vec3 heading;  ///< default (1, 0, 0)
  // parameters: end
} pl_actor_command;

/// An actor at the start of a step, as its behaviour sees it. Borrowed for the call.
typedef struct pl_actor_view {
  double time, step;            ///< s
  bool planar;                  ///< moves in a plane z = const
  double mass;                  ///< kg
  double height, width, depth;  ///< of the shape as built: along -gravity, along x, along z (m)
  pl_vec3 up;                   ///< away from gravity, of length 1
  double gravity;               ///< m/s²
  pl_vec3 center;               ///< of mass, m
  pl_vec3 velocity;             ///< of the centre of mass, m/s
  pl_vec3 spin;                 ///< angular velocity of the rigid part of the motion, rad/s
  pl_quat turn;         ///< rotation that best aligns the shape as built with the current one
  double rest_height;   ///< of the centre of mass above the lowest point in the shape as built, m
  int32_t touch_count;  ///< surface points that press against colliders
  pl_vec3 touch;        ///< their mean
  double min_touch,
      max_touch;  ///< extent of those points along the heading, relative to the centre of mass, m
  int32_t part_count;
  const pl_part_view *parts;
  pl_actor_command command;
  const struct pl_actor_ground *ground;  ///< for pl_ground_height()
} pl_actor_view;

/// Height along `up` of the highest collider surface that is at most `above` metres higher than
/// `position`, and the normal there. Returns false where there is none within ten body heights.
PL_API bool pl_ground_height(const struct pl_actor_ground *ground, pl_vec3 position, double above,
                             double *height, pl_vec3 *normal);

/// A parameter of a behaviour.
typedef struct pl_behaviour_setting {
  const char *name;
  const char *unit;
  double preset, min, max;
  const char *about;  ///< one sentence
} pl_behaviour_setting;

/// Events that a behaviour has counted.
typedef struct pl_actor_tally {
  int32_t steps;    ///< a foot left the ground by more than 0.5 % of the body's height and landed
                    ///< ahead; measured from the motion of the feet, unless the behaviour counts
  int32_t hops;     ///< left the ground and landed on its feet
  int32_t tumbles;  ///< landed, or stands, otherwise than on its feet
} pl_actor_tally;

/// A behaviour turns the view of an actor into goals, step by step. A custom behaviour is a table
/// like this.
typedef struct pl_behaviour {
  const char *name;
  const char *about;  ///< one sentence
  const pl_behaviour_setting *settings;
  int32_t setting_count;
  size_t state_size;  ///< bytes that snapshots carry; begins as zeros
  /// Add the goals of the coming step. `settings` has a number for each of the table's. May be
  /// called from any thread, for several actors at a time.
  void (*choose)(const double *settings, void *state, const pl_actor_view *view, pl_goals *goals);
  /// Events that happened so far, for reports: steps of a walk, hops that landed. NULL: none are
  /// counted.
  void (*count)(const double *settings, const void *state, pl_actor_tally *tally);
} pl_behaviour;

/// Built-in behaviours: stand, hop, bounce, roll, crawl, walk, waddle. `*count` receives their
/// number. Static storage.
PL_API const pl_behaviour *const *pl_behaviour_list(int32_t *count);
/// Built-in behaviour called `name`; NULL if there is none. Static storage.
PL_API const pl_behaviour *pl_behaviour_find(const char *name);

// --- actors
// -----------------------------------------------------------------------------------------------------------

/// Space of shapes that the rest shape is chosen from.
typedef enum pl_rest_kind {
  PL_REST_FREE = 0,  ///< every point is free
  PL_REST_CAGE,      ///< moved by the points of a cage, with harmonic coordinates
  PL_REST_EXAMPLES,  ///< blends of poses, element by element
  PL_REST_MODES,     ///< sums of the body's softest vibrations
} pl_rest_kind;

/// Second derivatives used by the optimisation.
typedef enum pl_actor_hessian {
  PL_ACTOR_GAUSS_NEWTON =
      0,           ///< of goals and regulariser alone: never indefinite, and needs few solves
  PL_ACTOR_EXACT,  ///< of the whole Lagrangian (eq. 13), with third derivatives of the energy
} pl_actor_hessian;

/// Input of pl_actor_create().
typedef struct pl_actor_def {
  // parameters of src/actor/actor_parameters.c by `make generate`: begin
  /// What the rest shape is chosen from: all shapes, those of a cage, mixtures of examples, or sums
  /// of the softest vibrations.
  pl_rest_kind rest;  ///< default PL_REST_CAGE
  /// Points to aim at when the cage is made from a coarse lattice around the body.
  int32_t cage_point_count;  ///< 4 … 2000, default 16
  /// Number of vibrations.
  int32_t mode_count;  ///< 1 … 500, default 12
  /// Cost of a rest shape strained by 1 everywhere; more: less effort.
  double regularisation;  ///< (m/s)², 0 … 1e12, default 0.1
  /// Cost of the rest shape's strain changing by 1 in one step; more: calmer.
  double rate_regularisation;  ///< (m/s)², 0 … 1e12, default 1
  /// Factor on the cost of changes of volume (or area) of the rest shape.
  double volume_regularisation;  ///< 0 … 1e6, default 1
  /// Factor on the cost of bending of curves and shells; (d / thickness)^2 makes it as dear as for
  /// a body of thickness d.
  double bend_regularisation;  ///< 0 … 1e6, default 1
  /// Strain of a single element of the rest shape at which its cost has doubled; 0: none. Not of
  /// examples.
  double max_strain;  ///< 0 … 1e6, default 0.2
  /// Of examples: cost of leaving the hull of rest and examples by 1.
  double hull_penalty;  ///< (m/s)², 0 … 1e12, default 10
  /// Second derivatives of the goals alone, or of the whole Lagrangian.
  pl_actor_hessian hessian;  ///< default PL_ACTOR_GAUSS_NEWTON
  /// Maximum iterations of the optimisation in a step.
  int32_t max_iterations;  ///< 1 … 1000, default 40
  /// Of the optimality conditions: the root of what the objective may still fall by, as a fraction
  /// of it.
  double tolerance;  ///< above 0 up to 1, default 1e-2
  /// Steps that are planned at once; 1: as in the paper.
  int32_t horizon;  ///< 1 … 32, default 1
  /// Whether it continues with the first place of its path after the last.
  bool path_loops;  ///< default false
  /// Whether it keeps its balance, at speed 0, while the world settles; otherwise it is passive
  /// then.
  bool stands_while_settling;  ///< default false
  // parameters: end

  const pl_mesh *cage;  ///< of PL_REST_CAGE; NULL: one is made of about `cage_point_count` points
  const pl_mesh_pose *examples;  ///< of PL_REST_EXAMPLES; copied
  int32_t example_count;
  const int32_t *example_groups;  ///< number of the group of each example: mixtures are convex
                                  ///< within each. NULL: all in one
  const pl_actor_part *parts;     ///< copied
  int32_t part_count;
  const pl_behaviour *behaviour;  ///< must outlive the actor
  const double *settings;  ///< one per setting of the behaviour, or NULL for the presets; copied
  const pl_vec3 *path;     ///< places to go to one after the other, or NULL; copied
  int32_t path_count;
  pl_actor_command command;  ///< at the start; the path overrides the heading
  uint32_t magic;            ///< set by pl_default_actor_def()
} pl_actor_def;

/// Every parameter at its default, the command too; presets of the behaviour; no behaviour: it
/// never wants anything.
PL_API pl_actor_def pl_default_actor_def(void);

/// A character: its space of rest shapes, its behaviour and their state. One thread at a time.
typedef struct pl_actor pl_actor;

/// Create an actor for bodies of `model`, a finite-element model built from `mesh` with `adapts`
/// set. The caller owns the actor; the model must outlive it. Fails with PL_ERROR_INVALID_DATA,
/// naming the part, when the cage does not enclose the mesh, an example has a flat or inverted
/// element, or a part has no points; PL_ERROR_UNSUPPORTED for modes in builds without ARPACK;
/// PL_ERROR_INVALID_ARGUMENT for settings out of range and for models that do not adapt.
PL_API pl_status pl_actor_create(pl_context *context, const pl_actor_def *def,
                                 const pl_model *model, const pl_mesh *mesh, pl_actor **actor,
                                 pl_error *error);

/// Destroy an actor. It must have been detached before, or its world destroyed. NULL is allowed.
PL_API void pl_actor_destroy(pl_actor *actor);

/// Let the actor move a body of the world from the next step on. An actor can be in one world at a
/// time. When the body is removed, the actor does nothing any more. Fails with PL_ERROR_NOT_FOUND
/// for a stale handle, PL_ERROR_INVALID_ARGUMENT when the body has another model or already has an
/// actor, or when the actor is already attached.
PL_API pl_status pl_actor_attach(pl_actor *actor, pl_world *world, pl_body_id body,
                                 pl_error *error);

/// Detach the actor from its world, which must still exist. The body keeps its current rest shape.
/// Does nothing for an actor that is not attached, and nothing inside a step. Snapshots taken
/// before no longer fit the world.
PL_API void pl_actor_detach(pl_actor *actor);

/// Reset everything but the command: the rest shape is the one as built from the next step on, the
/// behaviour starts again, counts are 0. Call it together with pl_body_reset().
PL_API void pl_actor_reset(pl_actor *actor);

/// Set the command from the next step on. A heading of (almost) no length keeps the current one.
PL_API void pl_actor_set_command(pl_actor *actor, pl_actor_command command);
/// The current command, with the heading that the path has set.
PL_API pl_actor_command pl_actor_get_command(const pl_actor *actor);

/// Work and result of the last step, and totals since the actor was attached.
typedef struct pl_actor_report {
  int32_t iteration_count;  ///< of the optimisation
  bool converged;  ///< the optimisation reached its tolerance; the equations of motion hold in
                   ///< either case
  double
      objective;  ///< (m/s)²: half the sum of squares of the weighted goals, and the regularisers
  double goal_error;   ///< m/s: root of the sum of squares of the weighted goals
  double goal_start;   ///< m/s: the same where the search began, with the body continuing as it did
  double regulariser;  ///< (m/s)²
  double
      residual;  ///< of the equations of motion after the step, relative to the forces that balance
  double min_step;     ///< of the line searches, 1: all were full steps
  double rest_strain;  ///< root mean square strain of the rest shape against the one as built
  double rest_rate;    ///< 1/s: rate of change of rest_strain
  double lean;         ///< degrees between the body's own up and up
  double seconds;      ///< wall-clock time of the optimisation
  // Since it was attached:
  int64_t step_count;
  int64_t unconverged_count;  ///< steps whose equations of motion are not solved to 1e-6
  int64_t short_count;        ///< steps that reduced goal_start by less than a tenth
  int64_t unfinished_count;   ///< steps whose optimisation did not finish (docs/actor.md); the
                              ///< motion is still physical
  int64_t iterations_in_all;
  double worst_residual;
  double seconds_in_all;
  double advance;           ///< m along the heading
  double asked;             ///< m that its commands requested
  double travelled;         ///< m: length of the path of the centre of mass over the ground
  double turned;            ///< rad, rolled about the axis across the heading
  double twisted;           ///< rad, turned about up
  double max_acceleration;  ///< m/s² of the centre of mass, over a tenth of a second
  double max_rest_rate;     ///< 1/s
  double max_lean;          ///< degrees between the body's own up and up
  double clearance;   ///< m: height of a step's highest moment above the ground, mean of all steps
  double foot_slide;  ///< m that a foot slid over the ground while it stood on it, in all; of the
                      ///< foot that slid most
  double max_sink;    ///< m: deepest that a point of the surface was in a collider
  int32_t places;     ///< places of its path that it has reached
  pl_actor_tally tally;
} pl_actor_report;

/// Report of the last step and of all steps since the actor was attached; all zero before the
/// first.
PL_API pl_actor_report pl_actor_get_report(const pl_actor *actor);

/// Current parameters of the rest shape, for plots; `*count` receives their number. Valid until the
/// next step.
PL_API const double *pl_actor_get_parameters(const pl_actor *actor, int32_t *count);

/// Points of the current rest shape, one per particle, for drawing it next to the body. The
/// elements of a blend of examples do not fit together; each point is then the mean of its
/// positions in them.
PL_API void pl_actor_get_rest_points(const pl_actor *actor, pl_vec3 *points);

/// Goals of the last step, for drawing. At most `limit` are written to `goals`; their number is
/// returned. Points and weights of PL_GOAL_POINTS belong to the behaviour and may no longer be
/// valid.
PL_API int32_t pl_actor_get_goals(const pl_actor *actor, int32_t limit, pl_goal *goals);

#ifdef __cplusplus
}
#endif
#endif
