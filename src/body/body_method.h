// The table of functions that makes a simulation method a body of a world. A method fills one table
// and embeds pl_model at the head of its own model; the world knows nothing else of it, and the
// method knows nothing of the world.
//
// A body's state is one flat block of memory without pointers, so that snapshot, restore, hash and
// roll-back are copies. Particles are numbered as the points of the mesh the model was built from,
// in every function of the table.
#ifndef PL_BODY_METHOD_H
#define PL_BODY_METHOD_H

#include "base/arena.h"
#include "base/scratch.h"
#include "contact/contact.h"
#include "math/f4.h"
#include "pliant/model.h"
#include "pliant/world.h"

// Initial state of a body.
typedef struct pl_body_start {
  pl_transform placement;
  pl_vec3 velocity;          // m/s
  pl_vec3 angular_velocity;  // rad/s around the centre of mass
} pl_body_start;

// A particle tied to a position.
typedef struct pl_body_pin {
  int32_t particle;
  pl_vec3 target;    // where it should be at the end of the step
  double stiffness;  // N/m; 0: exactly there
  double damping;    // N s/m
  // A range around the target, metres: the spring pulls only what is outside, by where it is at the
  // end of the step; 0: none. With a backstop (not negative), what is farther than that behind the
  // target along `normal` (unit, or zero) is outside too.
  double range, backstop;
  pl_vec3 normal;
} pl_body_pin;

// The nearest position to `position` in the range of a pin; whether it was outside.
static inline bool pl_body_pin_limit(const pl_body_pin *pin, pl_vec3 *position) {
  pl_vec3 away = pl_vec3_sub(*position, pin->target);
  double distance = pl_vec3_length(away), behind;
  bool is_outside = distance > pin->range;
  if (is_outside) away = pl_vec3_scale(away, pin->range / distance);
  behind = -pl_vec3_dot(away, pin->normal) - pin->backstop;
  if (pin->backstop >= 0 && behind > 0) {
    away = pl_vec3_add_scaled(away, pin->normal, behind);
    is_outside = true;
  }
  *position = pl_vec3_add(pin->target, away);
  return is_outside;
}

// What a body felt of a collider in one step, for methods that handle colliders themselves.
typedef struct pl_body_touch {
  int32_t count;     // points that touched
  double impulse;    // N s along the normals
  double depth;      // deepest overlap, metres
  pl_vec3 position;  // sum of weight x place in the world, metres, …
  pl_vec3 normal;    // … of weight x unit direction away from the collider, …
  double weight;     // … and of the weights
  // What it gave to the collider, friction included, with the moment around the world's origin. Of
  // a method that balances it (pl_body_touch_balance()), the sum over all colliders is what else
  // acted on the body in the step less what its momentum has gained.
  pl_collider_impulse given;
} pl_body_touch;

// Add one point that touches; its place counts by its impulse.
static inline void pl_body_touch_add(pl_body_touch *touch, pl_vec3 position, pl_vec3 normal,
                                     double impulse, double depth) {
  // A point that only just touches has a place too.
  double weight = impulse + 1e-12;
  touch->count++;
  touch->impulse += impulse;
  touch->depth = depth > touch->depth ? depth : touch->depth;
  touch->position = pl_vec3_add_scaled(touch->position, position, weight);
  touch->normal = pl_vec3_add_scaled(touch->normal, normal, weight);
  touch->weight += weight;
}

// Add an impulse, N s, that the body got at a position.
static inline void pl_body_touch_push(pl_body_touch *touch, pl_vec3 position, pl_vec3 impulse) {
  touch->given.linear = pl_vec3_sub(touch->given.linear, impulse);
  touch->given.angular = pl_vec3_sub(touch->given.angular, pl_vec3_cross(position, impulse));
}

// Make the sum of what was given to all colliders `sum`, by adding to each in proportion to what it
// has: what a solver stopped short of, or took besides, cannot be told apart. False if none has
// any.
bool pl_body_touch_balance(pl_body_touch *touches, int32_t count, const pl_collider_impulse *sum);

// Add what other parts of the same move felt.
static inline void pl_body_touch_merge(pl_body_touch *touch, const pl_body_touch *more) {
  touch->count += more->count;
  touch->impulse += more->impulse;
  touch->depth = more->depth > touch->depth ? more->depth : touch->depth;
  touch->position = pl_vec3_add(touch->position, more->position);
  touch->normal = pl_vec3_add(touch->normal, more->normal);
  touch->weight += more->weight;
  pl_collider_impulse_add(&touch->given, &more->given);
}

// The tapered segments of a body of lines, each between two particles.
typedef struct pl_body_segments {
  int32_t count;
  const int32_t *particles;  // 2 each
  const double *radii;       // metres at either end, 2 each
  const pl_vec3 *rests;      // of the particles, one per particle of the body
} pl_body_segments;

// A plane that a place on a segment must stay in front of, in one step: what it may touch there.
typedef struct pl_body_obstacle {
  int32_t segment;
  double t;             // where along it, 0 … 1
  pl_vec3 normal;       // unit, from the obstacle towards the segment
  double offset;        // at the end of the step normal . x of its axis is at least this, metres
  pl_vec3 way;          // of the obstacle's touched point in the step, metres
  double inverse_mass;  // with which the obstacle gives way, 1/kg; 0: it does not
  double friction;
  pl_vec3 push;  // out: sum of mass times displacement that it gave to the segment, kg m
} pl_body_obstacle;

// Arguments of a method's move: one step of one body.
typedef struct pl_body_move {
  pl_context *context;
  pl_scratch *scratch;
  double step;           // seconds
  pl_vec3 acceleration;  // m/s², the same for every particle
  const pl_f4 *forces;   // newtons per particle, or NULL for none
  // For methods that handle these themselves:
  double time;                          // seconds at the start of the step
  const pl_collider *const *colliders;  // of the world; none for a body that does not collide
  int32_t collider_count;
  // Coulomb's coefficient with each collider, negative: the geometric mean of body and collider;
  // NULL: that for all
  const double *collider_frictions;
  const int32_t *collider_numbers;  // for the world itself: those of its list
  struct pl_body_touch *touches;    // one per collider, zero at the start: what the move felt of
                                    // each; NULL: nobody wants to know
  bool wants_depths;                // of touches; otherwise these may be 0
  // Of a coupled step, or NULL: set to what the body's momentum lacks of all that acted on it,
  // where it touches no collider in its own part
  pl_collider_impulse *unaccounted;
  // Per surface point: the move adds the impulse that colliders pushed it with along their normals,
  // N s; or NULL
  pl_vec3 *presses;
  pl_vec3 wind;              // velocity of the air, m/s
  double air_density, drag;  // kg/m³ and drag coefficient; 0: no drag
  const pl_body_pin *pins;   // that hold now
  int32_t pin_count;
  pl_vec3 *pin_forces;  // N on the particle of each pin in the step, to be set by methods that
                        // report them; the same for all that hold one particle
  pl_body_obstacle *obstacles;  // other bodies near segments, sorted by segment; for methods …
  int32_t obstacle_count;       // … that have segments
  void *work;                   // workspace of this body, by create_work
  bool *damped;  // to be set where the step would have gained energy and was damped; or NULL
} pl_body_move;

// What an evaluation of a body's part of a coupled solve is for.
typedef enum pl_body_coupled_mode {
  PL_COUPLED_SEARCH,     // along a line: what has no energy (friction of colliders) stays frozen
  PL_COUPLED_CHECK,      // whether this is the solution: friction is renewed
  PL_COUPLED_LINEARISE,  // friction is renewed and the Hessian kept
  PL_COUPLED_POSITIVE,   // the same, with a Hessian that is certainly positive definite
} pl_body_coupled_mode;

// A body's step in a coupled solve: its arrays are the world's, three doubles per particle in the
// order of the mesh.
typedef struct pl_body_coupled_step {
  void *data;      // of the method, in the move's scratch; NULL: the body must move alone this time
  double *ends;    // positions at the end of the step: begin() writes the first guess
  uint8_t *fixed;  // out: bits 1, 2, 4 per particle for x, y, z that must stay at the guess
  double *gradient;        // out of evaluate: by the ends, N
  double noise;            // out of evaluate: what rounding may have changed of the potential, J
  double size;             // out of evaluate: sum of squares of the forces that balance, N²
  double tolerance;        // out of begin: residual as a fraction of the forces that counts as none
  int32_t max_iterations;  // out of begin
} pl_body_coupled_step;

// What came of it.
typedef struct pl_body_coupled_result {
  const double *forces;  // of contact with other bodies, N, three per particle
  bool rests;  // the ends are the starts, and the body has no velocity: forces balance well enough
  bool converged;
  int32_t iteration_count;  // of Newton's method
  double residual;          // relative
  pl_vec3 torque;  // N m, to be added to that of the forces at the ends: both sides of a contact
                   // must feel it at one point
} pl_body_coupled_result;

// The functions by which an implicit method takes part in a solve of several bodies at once
// (world/world_coupled.c): the step is one of implicit Euler, the minimum of an incremental
// potential, to which the world adds contact between bodies. Between begin() and commit() the state
// is not changed.
typedef struct pl_body_coupled {
  pl_status (*begin)(const pl_model *model, void *state, const pl_body_move *move,
                     pl_body_coupled_step *step, pl_error *error);
  // The potential at step->ends, J, with gradient and size.
  double (*evaluate)(pl_body_coupled_step *step, pl_body_coupled_mode mode);
  // product = H d of the last evaluation that kept a Hessian, and its diagonal blocks, 9 per
  // particle.
  void (*multiply)(const pl_body_coupled_step *step, const double *d, double *product);
  void (*get_blocks)(const pl_body_coupled_step *step, double *blocks);
  // Take step->ends as the result.
  void (*commit)(const pl_body_coupled_step *step, const pl_body_coupled_result *result);
} pl_body_coupled;

typedef struct pl_body_method {
  const char *name;
  // What the method's own move handles, so that the world does not: colliders, other bodies (or
  // there is no contact with them), air, pins.
  bool handles_colliders, handles_bodies, handles_air, handles_pins;
  bool handles_ranges;  // of pins, where it handles pins; the world puts particles of others back
  bool reports_pins;    // by pl_body_move.pin_forces
  size_t (*state_size)(const pl_model *model);
  void (*start)(const pl_model *model, void *state, const pl_body_start *start);
  // One step of the body on its own: elastic and outside forces, no contact. Fails before changing
  // anything. PL_REMARK_NOT_CONVERGED: it moved, but its solver stopped at the limit of iterations.
  pl_status (*move)(const pl_model *model, void *state, const pl_body_move *move, pl_error *error);
  // The same of up to LANES bodies of a model with `moves_many`, from states that are read to
  // states that are written, which may be the same ones; each gets the bits that it would have by
  // itself. NULL for methods without such models.
  pl_status (*move_many)(const pl_model *model, const void *const *starts, void *const *states,
                         const pl_body_move *moves, int32_t count, pl_error *error);
  void (*get_positions)(const pl_model *model, const void *state, pl_vec3 *positions);
  void (*get_velocities)(const pl_model *model, const void *state, pl_vec3 *velocities);
  // Both of them and where the particles are; the same with set_state(), after which the arrays
  // have what the state holds of them: false when something is not finite then. Both NULL for
  // methods that take no less time so.
  void (*read_motion)(const pl_model *model, const void *state, pl_vec3 *positions,
                      pl_vec3 *velocities, pl_contact_extent *extent);
  bool (*round_motion)(const pl_model *model, void *state, pl_vec3 *positions, pl_vec3 *velocities,
                       pl_contact_extent *extent);
  void (*get_surface)(const pl_model *model, const void *state, pl_vec3 *points);
  // The state's own positions and velocities, three doubles each in the order of the mesh. NULL for
  // methods that store them in another way.
  void (*get_view)(const pl_model *model, const void *state, pl_body_view *view);
  // NULL leaves positions or velocities as they are.
  void (*set_state)(const pl_model *model, void *state, const pl_vec3 *positions,
                    const pl_vec3 *velocities);
  pl_vec3 (*get_particle)(const pl_model *model, const void *state, int32_t particle,
                          pl_vec3 *velocity);
  void (*set_particle)(const pl_model *model, void *state, int32_t particle, pl_vec3 position,
                       pl_vec3 velocity);
  // First particle whose position or velocity is infinite or NaN, -1 if none.
  int32_t (*find_not_finite)(const pl_model *model, const void *state);
  // Examples; all three NULL for methods without. The caller has checked the manifold and projected
  // the weights to the simplex; NULL weights return to those the method finds by itself.
  pl_example_view (*list_examples)(const pl_model *model);
  void (*get_weights)(const pl_model *model, const void *state, int32_t manifold, double *weights);
  void (*set_weights)(const pl_model *model, void *state, int32_t manifold, const double *weights);
  // Joints; all NULL for methods without. The caller has checked numbers. set_target() is false for
  // a joint that is not kinematic.
  bool (*set_target)(const pl_model *model, void *state, int32_t joint, pl_transform target,
                     double seconds);
  void (*set_camera)(const pl_model *model, void *state, pl_vec3 eye);
  void (*get_joints)(const pl_model *model, const void *state, pl_transform *joints);
  void (*set_morph_weights)(const pl_model *model, void *state, const double *weights);
  void (*get_morph_weights)(const pl_model *model, const void *state, double *weights);
  // Move everything as one rigid piece, velocities turned along. NULL: the world does it with
  // get_positions and set_state.
  void (*teleport)(const pl_model *model, void *state, pl_transform motion);
  // A body that moves as one piece: its motion for contact and joints, and what they made of it.
  // Particles follow it. Both NULL for methods of particles.
  void (*get_rigid)(const pl_model *model, const void *state, pl_contact_rigid *rigid);
  void (*set_rigid)(const pl_model *model, void *state, const pl_contact_rigid *rigid);
  // Segments that meet other bodies by obstacles in their move; NULL for methods without.
  pl_body_segments (*get_segments)(const pl_model *model);
  // Whether a body that has come to rest may be left alone until something wakes it. NULL: never.
  bool (*can_sleep)(const pl_model *model, const void *state);
  // Coupled solves; NULL for methods whose step is explicit, which a coupled solve sees as free
  // masses.
  const pl_body_coupled *coupled;
  // Workspace of a body's move that is not state: matrices, solvers. Made when a body is added to a
  // world with steps of `step` seconds; what a move leaves in it must not change the result of the
  // next. Both NULL for methods without.
  pl_status (*create_work)(const pl_model *model, pl_context *context, double step, void **work,
                           pl_error *error);
  void (*destroy_work)(void *work);
  // For a surface that only animation moves: itself as a collider, where it is now, for bodies that
  // meet others in their own step. Such bodies move before all others. NULL for all other methods.
  const pl_collider *(*get_collider)(const pl_model *model, const void *state, void *work);
  // Release what the model holds outside its arena; NULL: nothing.
  void (*destroy)(pl_model *model);
} pl_body_method;

// The head of every model, whatever its method. The arena holds the model itself and all its
// arrays.
struct pl_model {
  const pl_body_method *method;
  pl_arena arena;
  int32_t particle_count;
  const double *masses;          // kg, particle_count
  const double *inverse_masses;  // 1/kg, particle_count
  double mass;                   // kg, all particles
  pl_box box;                    // of the rest shape
  pl_contact_surface surface;    // for contact and display
  double friction, restitution, contact_radius;
  // Metres that it may be inside a collider at the end of a step (world_overlap.c); 0: any, as for
  // springs that were given and for methods that do not sink.
  double max_overlap;
  // Colliders push it by its own springs whatever the restitution: these were given, or a driver
  // plans with them.
  bool keeps_springs;
  bool self_contact;
  // Velocities are those at the end of a step; false: those of its middle, as positions follow
  // them, x1 = x0 + h v1.
  bool velocities_at_ends;
  bool moves_many;  // several bodies at a time take less time than one after the other
  uint64_t hash;    // of everything that decides how the model behaves
};

// The gap that a model keeps around its surface: the one given, or, where that is negative, the
// contact thickness of a body of this size.
double pl_model_contact_radius(double given, pl_box box);

// How far below the surface of a collider springs begin that push a point which was `depth` deep,
// metres of its gap included, when a step began: 0 for what rests, and for bodies whose overlap is
// not limited. Deeper ones were put there, and would be shot out.
double pl_model_buried_depth(const pl_model *model, double depth, double step);

#endif
