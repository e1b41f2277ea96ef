// Contact between bodies, of a body with itself, and with colliders: shared by every body method.
//
// A step in which bodies collide goes: each body moves as if alone, then `solve` detects where
// surfaces overlap or have crossed and corrects velocities and positions. Detection and resolution
// are apart: a method that treats contact implicitly takes the list of pl_contact_solver_detect()
// and resolves it itself.
#ifndef PL_CONTACT_CONTACT_H
#define PL_CONTACT_CONTACT_H

#include "contact/collider.h"

typedef struct pl_tet_map pl_tet_map;

// The points and triangles a body touches with. Immutable, owned by the model.
typedef struct pl_contact_surface {
  int32_t point_count;
  const int32_t *parents;  // 4 particles each
  const float *weights;    // 4 each, sum 1, any of them may be 0 (embedded surfaces; a particle
                           // itself is (i,i,i,i),(1,0,0,0))
  int32_t triangle_count;
  const int32_t *triangles;  // 3 surface points each, outward
  int32_t particle_count;
  // Surface points of the rest shape, one per surface point, or NULL. Self contact needs them to
  // know which parts are always close to each other; without them only the neighbourhood in the
  // triangles is spared.
  const pl_vec3 *rest_points;
  // The volume inside, or NULL (tet_map.h): points of another such body are looked up in it.
  const pl_tet_map *tet_map;
} pl_contact_surface;

// A body that moves as one piece, during one step; all of it is corrected in place except masses.
typedef struct pl_contact_rigid {
  pl_vec3 center;                      // of mass, at the end of the step, metres
  pl_quat rotation;                    // at the end of the step
  pl_vec3 velocity, angular_velocity;  // of the centre of mass, m/s; rad/s
  double inverse_mass;                 // 1/kg; 0: cannot be moved
  pl_mat3 inverse_inertia;             // around the centre, in the world's frame, 1/(kg m²)
} pl_contact_rigid;

// An impulse of a contact in the last step, from which the next step's sweeps start.
typedef struct pl_contact_impulse {
  uint32_t partner;  // what was touched and with which feature, as a hash; 0: empty
  uint32_t spot;     // where on the partner, for the next step (contact_keep.c); 0: search again
  float impulse[3];  // N s on the body, in the world's frame
} pl_contact_impulse;

// This many are kept for each surface point; when there are more, the largest.
enum { PL_IMPULSES_PER_POINT = 3 };

// Which entries of an array per surface point may be other than zero: a bit for as many neighbours
// as it takes for 64 bits to be enough. Of a body at rest few are, and the others need not be
// cleared.
typedef uint64_t pl_contact_mask;
// These neighbours are so many, as a power of two.
static inline int pl_contact_mask_shift(int32_t point_count) {
  int shift = 0;
  while ((point_count - 1) >> shift >= 64) ++shift;
  return shift;
}
static inline pl_contact_mask pl_contact_mask_bit(int32_t point, int32_t point_count) {
  return UINT64_C(1) << (point >> pl_contact_mask_shift(point_count));
}
static inline bool pl_contact_mask_has(pl_contact_mask mask, int32_t point, int32_t point_count) {
  return (mask & pl_contact_mask_bit(point, point_count)) != 0;
}
static inline void pl_contact_mask_add(pl_contact_mask *mask, int32_t point, int32_t point_count) {
  *mask |= pl_contact_mask_bit(point, point_count);
}
// Clear these entries, of `size` bytes each.
void pl_contact_mask_clear(pl_contact_mask *mask, void *entries, size_t size, int32_t point_count);

// Two bodies that do not touch each other, by their numbers, the lower first.
typedef struct pl_contact_spared_pair {
  int32_t low, high;
} pl_contact_spared_pair;

// Where the particles of a body are.
typedef struct pl_contact_extent {
  pl_box box;
  pl_vec3 mean;
} pl_contact_extent;

// Arrays for the particles of a body at both ends of a step.
typedef struct pl_contact_points {
  pl_vec3 *starts, *start_velocities;
  pl_vec3 *positions, *velocities;  // at the end
} pl_contact_points;

// A particle that a collider keeps out.
typedef struct pl_contact_hold {
  bool is_held;
  pl_vec3 normal;  // of the collider, unit
  pl_vec3 way;     // metres that it moves there in the step
} pl_contact_hold;

// Reads and writes the particles of bodies that are resolved at once, each by one task, with arrays
// of the task (contact_lone.h). Bodies by their numbers; any thread may call.
typedef struct pl_contact_exchange {
  void *data;
  // All but `start_velocities`, which few contacts ask for
  void (*read)(void *data, int32_t body, const pl_contact_points *points);
  void (*read_start_velocities)(void *data, int32_t body, pl_vec3 *velocities);
  // `moved`: contact changed some particle
  void (*write)(void *data, int32_t body, const pl_contact_points *points, bool moved);
  // Change `positions` and `velocities` of a body of particles that is deeper in a collider than it
  // may be. Returns whether it did. `holds`: one per particle, set where it was moved.
  bool (*keep_out)(void *data, int32_t body, pl_contact_hold *holds);
} pl_contact_exchange;

// One colliding body during one step; filled by the world.
typedef struct pl_contact_body {
  const pl_contact_surface *surface;
  // particle positions at the start of the step (free of contact as far as known)
  const pl_vec3 *starts;
  pl_vec3 *positions;  // at the end of the step; corrected in place
  // Writes `starts`, `positions` and both velocities, before any of them is read in a step; of a
  // body with `extents` that nothing is near they are not. NULL: they are there.
  void (*write_points)(void *data);
  void *write_data;
  // m/s: none of `velocities`, as they are at resolution's start, differs more from their mean;
  // 0: not known
  double max_deviation;
  const pl_contact_extent *extents;  // of `starts` and of `positions` as they are at detection;
                                     // NULL: not known
  pl_vec3 *velocities;               // corrected in place
  const pl_vec3 *start_velocities;   // at the start of the step, before any force; NULL: not known.
                                     // Decides what bounces
  // Of a body in a workspace: gives them, if they are not there yet
  const pl_vec3 *(*get_start_velocities)(void *data);
  const double *inverse_masses;  // 1/kg; 0: cannot be moved (hard pin)
  // NULL for particles. A rigid body's `positions` and `starts` are its surface points as placed
  // by its method; resolution changes `rigid` alone, and the method places the points again.
  pl_contact_rigid *rigid;
  // State of the world: PL_IMPULSES_PER_POINT per surface point, or NULL (sweeps start from zero).
  // Those of the last step are read from `last_impulses` unless that is NULL; the others need not
  // be cleared then.
  pl_contact_impulse *impulses;
  const pl_contact_impulse *last_impulses;
  pl_contact_mask last_mask;      // which of `last_impulses` may be other than zero
  bool *has_impulses;             // whether any of them may be other than zero; NULL: not known
  pl_contact_mask *impulse_mask;  // which of them; NULL: not known
  uint32_t id;                    // the same in every step, for `impulses`
  // Out, of pl_contact_solver_add_presses() alone; NULL: not wanted. N s on each surface point;
  // those that the mask does not name are zero, whatever they say: they are cleared when it gets
  // their name
  pl_vec3 *presses;
  pl_contact_mask *press_mask;
  // radius: half the gap kept to other bodies, all the gap kept to colliders, metres
  double friction, restitution, radius;
  pl_contact_filter filter;
  // 1/s: rate at which vibration of particles dies away while the body touches something, on top of
  // its own damping; rigid motion is spared
  double damping;
  bool is_elastic;  // forces hold its particles together: it bounces off colliders by these
  bool self_contact;
  bool all_edges;  // of a soft body: edges that are not sharp count too, against those of others
  bool spares_colliders;  // its own step has met them already, or it touches nothing
  bool spares_faces;      // colliders touch its points alone
  bool spares_bodies;     // touches no other body; joints alone act on it
  bool is_kinematic;      // nothing moves it: two such bodies do not touch each other
  // All pairs of the world that do not touch each other, sorted; none for a body of no such pair.
  const pl_contact_spared_pair *spared;
  int32_t spared_count;
  // At rest: `starts` is not read, `positions` are those of the first step asleep until it wakes.
  // It touches only what is awake, and colliders that move.
  bool asleep;
  bool solved;  // its contacts were solved with its step: those between two such bodies, or
                // with a collider, are left as they are
  // It may be resolved at once when nothing but colliders is near. Then its arrays of particles are
  // not used, and the exchange of the step has what becomes of it. It needs `extents`.
  bool may_be_lone;
  bool moved;  // out: some particle was changed
} pl_contact_body;

// One side of a contact: a point of a body's surface, as a weighted mean of one to three surface
// points (a point, a place on an edge, a place on a triangle).
typedef struct pl_contact_side {
  int32_t body;       // its number, -1 for a collider
  int32_t count;      // surface points, 0 for a collider
  int32_t points[3];  // numbers of the surface points
  double weights[3];  // of each, sum 1
} pl_contact_side;

// Two surfaces that touch or are about to. With p and q the places on either side at the end of the
// step (q the world's origin for a collider), the gap is  normal . (p - q) - offset. Sides may be
// of one body (self contact).
typedef struct pl_contact {
  // Point and triangle, edge and edge, or point, edge or triangle and collider. Then b has no
  // points, but where an edge or a triangle touches, `points` say what of the collider it touches
  pl_contact_side a, b;
  int32_t collider;  // number of the collider that side b is part of, -1 if a body
  pl_vec3 normal;    // unit, from b towards a
  double offset;
  double start_gap;  // metres at the start of the step along the same normal, negative: they
                     // overlapped already
  double depth;  // metres of overlap at the end of the step before resolution; negative: a gap that
                 // may close yet
  pl_vec3 surface_velocity;  // of a collider at the touched point, m/s; zero for a body, whose
                             // particles have their own
  double friction, restitution;
} pl_contact;

// At most this many contacts are kept for one surface point in one step; when there are more, the
// deepest.
#define PL_CONTACTS_PER_POINT 4

typedef struct pl_contact_report {
  int32_t contact_count;  // contacts that overlapped before resolution
  double deepest;         // metres of overlap of the deepest of them, 0 if there is none
} pl_contact_report;

// What a step does apart from its bodies and colliders.
typedef struct pl_contact_step {
  double time, step;  // seconds at the start, and length
  int32_t rounds;     // sweeps over the contacts
  pl_vec3 gravity;    // m/s²: sets the speeds and depths below which a contact counts as resting
  int64_t number;     // of the step: tells which ones search all pairs (contact_keep.c)
  // NULL: no body is resolved at once
  const pl_contact_exchange *exchange;
} pl_contact_step;

// Something that joins two bodies and is solved in the sweeps of the contacts: a joint, an
// attachment. Its impulses, from which the next step starts, belong to its owner and are state.
typedef struct pl_contact_joint {
  int32_t a, b;  // numbers of the bodies; -1: the world
  void *data;
  // Before the sweeps: arms, masses and errors of this step (contact_terms.h), then apply the
  // impulses of the last step.
  void (*begin)(void *data, pl_contact_body *bodies, const pl_contact_step *step);
  // One sweep over its rows, on velocities. `corrects`: also take errors of position back (with the
  // velocities of these sweeps positions move); otherwise velocities alone.
  void (*sweep)(void *data, pl_contact_body *bodies, const pl_contact_step *step, bool corrects);
} pl_contact_joint;

// Owns all working memory of contact.
typedef struct pl_contact_solver pl_contact_solver;

pl_status pl_contact_solver_create(pl_context *context, pl_contact_solver **solver,
                                   pl_error *error);
void pl_contact_solver_destroy(pl_contact_solver *solver);

// Size the working memory for these bodies and colliders and prepare their surfaces (called when
// bodies or colliders change, not in every step). The surfaces must live as long as the solver uses
// them. After it, the calls below allocate nothing. When it fails the solver is as before.
pl_status pl_contact_solver_prepare(pl_contact_solver *solver, const pl_contact_body *bodies,
                                    int32_t body_count, const pl_collider *const *colliders,
                                    int32_t collider_count, pl_error *error);

// Rules for single pairs in the following calls, by reference, until others are set; things are
// numbered as bodies and colliders are in these calls.
void pl_contact_solver_set_pairs(pl_contact_solver *solver, pl_contact_rules pairs);

// Sleeping bodies may be elsewhere than in the last step (a snapshot was restored): look at them
// again. Not needed for bodies that woke, nor after prepare.
void pl_contact_solver_forget_sleepers(pl_contact_solver *solver);

// Bodies that touch or are joined, of the last resolution.
typedef struct pl_contact_islands {
  int32_t count;
  const int32_t *island_of;  // per body; -1: touches nothing
} pl_contact_islands;
pl_contact_islands pl_contact_solver_get_islands(const pl_contact_solver *solver);

// The joints of the following calls, by reference, until others are set. Bodies of one joint share
// an island; joints without a common body may be swept at the same time by different threads.
// Allocates when there are more than ever before.
pl_status pl_contact_solver_set_joints(pl_contact_solver *solver, const pl_contact_joint *joints,
                                       int32_t joint_count, pl_error *error);

// Detect and resolve. Bodies and colliders must be those of the last prepare, in the same order
// (arrays of particles may have moved): otherwise PL_ERROR_INVALID_ARGUMENT and nothing changed.
pl_status pl_contact_solver_solve(pl_contact_solver *solver, pl_contact_body *bodies,
                                  int32_t body_count, const pl_collider *const *colliders,
                                  int32_t collider_count, double time, double step, int32_t rounds,
                                  pl_vec3 gravity, pl_contact_report *report, pl_error *error);

// Only find the contacts: those of points, ordered by body and point, then those of edges (two
// surface points on either side), ordered by body of side a. They stay valid until the next call on
// the solver. Where no list is wanted (`contacts` NULL), those of two soft bodies are kept in
// another form (contact_soft.h).
pl_status pl_contact_solver_detect(pl_contact_solver *solver, const pl_contact_body *bodies,
                                   int32_t body_count, const pl_collider *const *colliders,
                                   int32_t collider_count, const pl_contact_step *step,
                                   const pl_contact **contacts, int32_t *contact_count,
                                   pl_error *error);

// An impulse on a collider and its moment around the world's origin.
typedef struct pl_collider_impulse {
  pl_vec3 linear, angular;  // N s, N m s
} pl_collider_impulse;

static inline void pl_collider_impulse_add(pl_collider_impulse *sum,
                                           const pl_collider_impulse *more) {
  sum->linear = pl_vec3_add(sum->linear, more->linear);
  sum->angular = pl_vec3_add(sum->angular, more->angular);
}

// Add what the contacts of the last resolution gave to each collider: collider_count of the last
// prepare. Contacts that were solved with the steps of their bodies are left out, but for what has
// damped these bodies there.
void pl_contact_solver_add_collider_impulses(const pl_contact_solver *solver,
                                             pl_collider_impulse *impulses);

// Add what the contacts of the last resolution pushed surface points with along their normals to
// the presses of those bodies that have some. Bodies are those of the resolution; until the next
// detection or prepare.
void pl_contact_solver_add_presses(const pl_contact_solver *solver, const pl_contact_body *bodies);

// Was a body near a collider that may touch its faces, at the last detection?
bool pl_contact_solver_is_near_faces(const pl_contact_solver *solver, int32_t body);

// Contacts of the edges and faces of a body, of the last detection: those with colliders, and those
// with other bodies of which it is side a.
typedef struct pl_contact_view {
  int32_t count;
  const pl_contact *contacts;
} pl_contact_view;
pl_contact_view pl_contact_solver_get_edge_contacts(const pl_contact_solver *solver, int32_t body);

// Replace the normal of a contact of the last detection that lies on the other surface by one that
// does not flip from step to step (contact_steady.c); gaps are those along the new one.
void pl_contact_solver_steady_normal(const pl_contact_solver *solver, pl_contact *contact);

// Only resolve the contacts that were detected last.
pl_status pl_contact_solver_resolve(pl_contact_solver *solver, pl_contact_body *bodies,
                                    int32_t body_count, const pl_contact_step *step,
                                    pl_contact_report *report, pl_error *error);

// A walk over the contacts of the last resolution, those between soft bodies last. It only reads
// the solver: threads that draw may walk at the same time.
typedef struct pl_contact_walk {
  const pl_contact_solver *solver;
  int32_t row;                   // the next of the plan
  int32_t pair, side, soft_row;  // the next between soft bodies
} pl_contact_walk;

pl_contact_walk pl_contact_solver_walk(const pl_contact_solver *solver);

// The next contact, and the sum of the impulses along the normal that it got (N s; NULL: not
// wanted); false after the last. Of contacts of bodies that were resolved at once the sides, the
// collider, normal and depth are known; the other members are 0.
bool pl_contact_walk_next(pl_contact_walk *walk, pl_contact *contact, double *impulse);

#endif
