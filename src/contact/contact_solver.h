// Internals of the contact solver: what detection and resolution share.
#ifndef PL_CONTACT_SOLVER_H
#define PL_CONTACT_SOLVER_H

#include <stdatomic.h>

#include "base/arena.h"
#include "contact/broad_phase.h"
#include "contact/contact.h"
#include "contact/contact_islands.h"
#include "contact/contact_shapes.h"
#include "contact/contact_soft.h"
#include "contact/contact_spot.h"
#include "contact/contact_terms.h"
#include "contact/contact_zones.h"
#include "contact/pair_axis.h"
#include "contact/pair_lanes.h"
#include "contact/surface_motion.h"

// A block of a body's surface points: what it is far from is ruled out by one comparison.
typedef struct pl_contact_block {
  // surface points [first, first + count) in the tree's order of a body's points
  int32_t body, first, count;
  // In the course of one step:
  pl_box start_box, end_box;  // around the points at either end
  pl_vec3 moved;              // sum of end - start over the points
} pl_contact_block;

// A collider in the course of one step.
typedef struct pl_collider_step {
  const pl_collider *collider;
  pl_transform start, end;
  bool is_moving;
  pl_box box;            // around all it passes through; everything for a half-space
  atomic_bool is_asked;  // its surface must be placed: something near may touch it with faces
} pl_collider_step;

// What detection knows of a body.
typedef struct pl_contact_presence {
  bool is_at_rest;       // asleep, and its points and boxes are those it sleeps with
  bool is_placed;        // its boxes are there; small bodies that nothing is near do without
  bool is_searched;      // its points search in this step
  bool is_near_large;    // near something else than small bodies: the tree of all things is asked
  bool is_near_body;     // near another body
  bool is_near_plane;    // near a half-space
  bool is_near_faces;    // near a collider that may touch its faces or edges (contact_faces.h)
  bool has_normals;      // the normals of its triangles are those of this step
  bool is_among_others;  // its contacts of the last step may be used again (contact_keep.c)
  bool is_fine;          // its points are looked up in tets, and closer than it is thick
  bool is_lone;          // near colliders alone: resolved at once (contact_lone.h)
  bool is_near_fast;     // near a body that it may pass through: surfaces are checked in the end
  bool is_calm;          // awake, and so slow that no two such bodies may pass through each other
  bool has_contacts;     // its points found some, in slots
  uint32_t partner;      // what slots of impulses call it (contact_cache.h)
  int32_t first_edge_contact,
      edge_contact_count;    // of its edges and faces, on the list of this step
  atomic_bool is_disturbed;  // asleep, and something that moves may touch it
  atomic_bool has_points;    // its points, and the boxes of their blocks, are those of this step
  atomic_bool has_lanes;     // its lanes and extents are those of this step
  atomic_flag lock;          // of the slots of its points, and of filling its lanes
} pl_contact_presence;

// One of a pair of small bodies, as the other sees it.
typedef struct pl_contact_neighbour {
  int32_t body;
  int32_t axis;  // of the pair, an index into the axes of all bodies
  // As the axis says; here they can be asked without looking at the axes of other bodies.
  bool is_in_tets, is_kept;
} pl_contact_neighbour;

// Edges of some neighbouring triangles of a body: they search together, and share slots.
typedef struct pl_contact_edge_block {
  // triangles [first, first + count) in the order of the tree's leaves
  int32_t body, first, count;
  int32_t contact_count;  // slots filled in this step
} pl_contact_edge_block;
enum { PL_CONTACT_EDGE_TRIANGLES = 64, PL_CONTACT_EDGE_SLOTS = 64 };

// Part of a particle in a row: all that a sweep needs, in one place.
typedef struct pl_contact_pull {
  pl_vec3 *velocity;  // of the particle
  double weight;      // of its velocity in that of the gap; negative on side b
  double push;        // 1/kg: what an impulse on the gap adds to its velocity
} pl_contact_pull;

// What resolution keeps of a contact from sweep to sweep: four lines of the cache, of which a sweep
// over particles touches the first two.
typedef struct pl_contact_row {
  pl_vec3 normal;
  pl_vec3 sliding_impulse;  // N s, at right angles to the normal
  double normal_impulse;    // N s, never negative
  double normal_mass,
      sliding_mass;  // kg: impulse per velocity of the gap, and across it; 0: nothing moves
  double friction;   // Coulomb coefficient
  double arrive;     // m/s: least velocity of the gap with which positions move in this step
  double leave;      // m/s: least velocity of the gap at the end of the step
  // Of rows without rigid bodies: the particles of both arms.
  const pl_contact_pull *pulls;
  int32_t pull_count;
  bool turns;         // a side is a rigid body
  bool is_soft;       // gives back a fraction of its impulse in a sweep
  bool is_on_moving;  // `surface_velocity` is not zero
  // Before and after the sweeps. A collider has no arm: the lever of `b` is then the impulse that
  // the row got from what damps bodies as wholes, N s; when it is reported, all that the collider
  // got.
  pl_contact_arm a, b;
  pl_vec3 surface_velocity;  // of a collider, m/s
  // N s: all of it after the first half, on a collider with what has damped by then. When that is
  // reported, the moment of what the collider got around the world's origin, N m s.
  pl_vec3 arrive_impulse;
  double restitution;
  double rest_impulse;  // N s along the normal, of what damps bodies as wholes (contact_damping.c)
} pl_contact_row;

// A body of particles as if it were rigid.
typedef struct pl_contact_whole {
  pl_contact_rigid motion;
  pl_vec3 velocity, angular_velocity;  // of `motion` before it was damped
  double max_deviation;                // m/s: fastest particle relative to the rigid motion
  double spacing;                      // metres between neighbouring particles
  double push;  // m/s: fastest along a normal that something which does not give way moves relative
                // to it
  bool is_found;  // it is damped after the sweeps
  bool is_free;   // no particle is held by a pin
  bool is_slow;   // free, and its particles are near rest
} pl_contact_whole;

// What became of the contacts of a pair, for reports.
typedef struct pl_contact_outcome {
  int32_t overlap_count;        // contacts that overlapped before resolution
  int32_t collider;             // that all of them are with; -1: a body, or several colliders
  double deepest;               // metres of overlap
  pl_collider_impulse impulse;  // on that collider
} pl_contact_outcome;

typedef struct pl_lone_workspace pl_lone_workspace;
typedef struct pl_lone_contact pl_lone_contact;

// Bodies near a body that are noted.
enum { PL_CONTACT_NEAR = 2 * PL_PAIR_AXES };

// The tets of the body that a task looks points up in. At most this many tasks do at a time; each
// takes one that is free.
typedef struct pl_tet_workspace {
  pl_lane_tets tets;
  atomic_flag is_used;
} pl_tet_workspace;
enum { PL_TET_WORKSPACES = 32 };

// What the arrays of the solver have space for.
typedef struct pl_contact_size {
  int32_t body_count, collider_count, joint_count;
  int32_t point_count, particle_count;    // of all bodies
  int32_t block_count, edge_block_count;  // alike
  int32_t term_count;                     // of one contact at most
  int32_t tet_block_count;  // of the largest body whose points are looked up in tets; 0: none
  // Of the largest bodies that may be resolved at once (contact_lone.h); 0: none
  int32_t lone_point_count, lone_particle_count, lone_block_count;
} pl_contact_size;

// Slots of contacts: of all points, and of all blocks of edges.
static inline int64_t pl_contact_size_contacts(const pl_contact_size *size) {
  return (int64_t)size->point_count * PL_CONTACTS_PER_POINT +
         (int64_t)size->edge_block_count * PL_CONTACT_EDGE_SLOTS;
}

// Everything sized by the bodies and colliders, in one arena.
struct pl_contact_memory {
  pl_arena arena;
  pl_contact_size size;  // of the arrays
  int32_t body_count, collider_count, joint_capacity;
  double min_depth;            // metres, of all bodies whose points are looked up in tets
  pl_surface_motion *motions;  // one per body
  int32_t *point_start;        // body_count + 1: offsets into the arrays per surface point
  int32_t block_count;
  pl_contact_block *blocks;
  int32_t *block_start;            // body_count + 1: offsets into `blocks`
  pl_contact_presence *presences;  // one per body
  int32_t *listed_blocks;          // those that a pass works on
  int32_t *listed_bodies;          // alike
  pl_broad_phase broad;            // over bodies, then colliders that have an end
  pl_box *item_boxes;              // of these; empty for a half-space
  int32_t
      *near_items;  // PL_CONTACT_NEAR per body: bodies of higher number whose boxes meet its own
  int32_t *near_counts;      // one per body; more than PL_CONTACT_NEAR: the tree must be asked
  pl_pair_axis *axes;        // PL_PAIR_AXES per body, with bodies of higher number
  pl_pair_line *axis_lines;  // where these are
  int32_t *axis_counts;      // one per body
  atomic_int *axis_points;   // one per axis: points found in tets, of both bodies
  int32_t tet_workspace_count;
  pl_tet_workspace *tet_workspaces;
  // Pairs of small bodies that may touch, as seen by either of them:
  int32_t *neighbour_start;          // body_count + 1: offsets into …
  pl_contact_neighbour *neighbours;  // … those of each body
  atomic_bool has_many_pairs;        // some body has more than PL_PAIR_AXES
  int32_t *endless_colliders;        // half-spaces
  int32_t endless_count;
  pl_collider_step *collider_steps;
  int32_t edge_block_count;
  pl_contact_edge_block *edge_blocks;
  int32_t *listed_edge_blocks;
  int32_t *edge_block_start;  // body_count + 1: offsets into `edge_blocks`
  int32_t contact_capacity;   // slots in `contacts`
  int32_t *contact_counts;    // one per surface point
  // PL_CONTACTS_PER_POINT per surface point, PL_CONTACT_EDGE_SLOTS per block of edges, then moved
  // together
  pl_contact *contacts;
  // Of resolution, see contact_resolve.c:
  bool is_resolved;  // what was detected last has been
  pl_contact_plan plan;
  int32_t term_count;            // of one contact at most
  pl_contact_row *rows;          // one per contact, in the order of the plan
  pl_contact_term *terms;        // at most term_count per row, those of neighbours side by side
  pl_contact_pull *pulls;        // alike
  pl_contact_outcome *outcomes;  // one per pair of the plan
  int32_t *particle_start;       // body_count + 1: offsets into the arrays per particle
  pl_vec3 *move_velocities;      // one per particle: after the bodies' own move, before resolution
  pl_f4 *shock_positions, *shock_velocities;  // one per particle and one per body: contact_shock.h
  pl_contact_whole *wholes;                   // one per body, see contact_damping.c
  pl_contact_rigid *move_rigids;              // alike, one per body
  pl_contact_zones zones;
  // Contacts of soft bodies, see contact_soft.h:
  pl_soft_hit *hits;    // PL_SOFT_HITS_PER_POINT per surface point
  int32_t *hit_counts;  // one per body
  // for comparison: points are not put back after the sweeps, and gaps not watched for it
  bool has_no_settle;
  pl_pair_range *axis_hits;  // two per axis: of points of its body, and of the other
  pl_soft_pair *soft_pairs;  // in the order of their bodies
  int32_t *soft_pair_start;  // body_count + 1: offsets into them, by the lower body
  int32_t soft_pair_count;
  pl_soft_row *soft_rows;  // in the order of the plan, and with each …
  pl_soft_note *soft_notes;
  pl_soft_round *soft_rounds;      // of pairs that are swept at once: from their first row on
  pl_soft_velocities *soft_sides;  // two per pair of the plan
  int32_t *soft_round_counts;      // one per pair of the plan: rounds that begin with it
  int32_t *body_rounds;            // one per body: the round after the last one that it is in

  // Bodies that are resolved at once, see contact_lone.h:
  int32_t lone_count;
  int32_t lone_row_count;             // contacts of all of them
  pl_lone_body *lone_bodies;          // in the order of their numbers
  pl_contact_outcome *lone_outcomes;  // one per body
  pl_lone_contact *lone_contacts;     // PL_CONTACTS_PER_POINT per surface point
  pl_collider_impulse *lone_pushes;   // alike; only of bodies that touch several colliders
  int32_t workspace_count;
  pl_lone_workspace *workspaces;
};

struct pl_contact_solver {
  pl_context *context;
  pl_contact_shapes shapes;
  pl_contact_memory memory;
  int32_t contact_count;  // found by the last detection
  pl_contact_rules pairs;
  const pl_contact_joint *joints;
  int32_t joint_count;
  bool has_no_lone;  // bodies near colliders alone are treated as all others, for comparison
};

// Take the arrays of a memory whose size is set, in an order that depends on it alone. Those that
// must start so are zeroed. False when out of memory.
bool pl_contact_memory_take(pl_contact_memory *memory);
// The plan of resolution for N joints. False when out of memory, with the plan as before.
bool pl_contact_memory_take_plan(pl_contact_memory *memory, int32_t joint_capacity);
// Fill in what these bodies are.
void pl_contact_memory_begin(pl_contact_memory *memory, pl_contact_shapes *shapes,
                             const pl_contact_body *bodies);

// List the pairs that are not apart, for both bodies of each, from the axes of these bodies.
void pl_contact_link_neighbours(pl_contact_memory *memory, const int32_t *bodies, int32_t count);

// Is this one of the pairs of a body that do not touch each other?
bool pl_contact_is_spared(const pl_contact_body *body, int32_t low, int32_t high);

// Give contacts the friction and restitution of pairs that have their own. Bodies of the contacts
// are numbered from `first_body` on.
void pl_contact_apply_rules(const pl_contact_rules *pairs, int32_t first_body, pl_contact *contacts,
                            int32_t count);

// Let vibration of touching bodies die away (contact_damping.c).
typedef struct pl_contact_damping {
  pl_context *context;
  pl_contact_memory *memory;
  pl_contact_body *bodies;
  double step;
  bool is_after;  // after the sweeps
} pl_contact_damping;

// Is any body rigid, of those awake or of all?
bool pl_contact_has_rigid(const pl_contact_body *bodies, int32_t body_count, bool asleep_too);

// Are all bodies that move soft and fine, and none of them joined?
bool pl_contact_are_soft(const pl_contact_solver *solver, const pl_contact_body *bodies);

// Sweeps of the two halves of resolution (contact_rounds.c).
typedef struct pl_contact_sweeps {
  int32_t arrivals, leaves;
} pl_contact_sweeps;
pl_contact_sweeps pl_contact_count_sweeps(const pl_contact_solver *solver,
                                          const pl_contact_body *bodies, int32_t rounds,
                                          bool are_soft);

// Bodies and pairs of a small island.
typedef struct pl_contact_island {
  const int32_t *bodies;
  int32_t body_count;
  const pl_contact_pair *pairs;
  int32_t pair_count;
} pl_contact_island;

// Note the velocities that positions have followed, before rows push; damp them between the
// impulses of the last step and the sweeps. Of one island, and of all large ones.
void pl_contact_note_island(const pl_contact_damping *damping, const pl_contact_island *island);
void pl_contact_note_large(pl_contact_damping *damping);
void pl_contact_damp_island(pl_contact_damping *damping, const pl_contact_island *island);
void pl_contact_damp_large(pl_contact_damping *damping);

// After the sweeps: let bodies part slower, and limit the speed of single particles relative to
// their bodies. Of one island, and of all large ones in three parts, of which the second is
// pl_contact_rest_pairs() for all pairs in the order of their colours; the last limits those that
// touch nothing too.
void pl_contact_limit_island(pl_contact_damping *damping, const pl_contact_island *island);
void pl_contact_begin_limits(pl_contact_damping *damping);
void pl_contact_end_limits(pl_contact_damping *damping);

// Damp some pairs as wholes: near rest before the sweeps; after them what parts, with the angular
// momentum that impulses brought in taken back (contact_rest.c). A pl_pair_visit.
void pl_contact_rest_pairs(void *damping, const pl_contact_pair *pairs, int32_t count);

// What became of pair number `pair` of the plan.
const pl_contact_outcome *pl_contact_outcome_of(const pl_contact_memory *memory, int32_t pair);

// The sum over all pairs.
pl_contact_report pl_contact_sum_report(const pl_contact_memory *memory);

// Between the halves of the sweeps: the positions of a body follow what the first one changed.
void pl_contact_follow(const pl_contact_memory *memory, pl_contact_body *bodies, double step,
                       int32_t body);

// After the second half, which may be the only one that changed a velocity, as where a contact
// only parts: the body is written back then too.
void pl_contact_note_moved(const pl_contact_memory *memory, pl_contact_body *bodies, int32_t body);

// After resolution: what became of the contacts of these pairs (contact_report.c). Rows on
// colliders say what these got from then on.
void pl_contact_report_pairs(pl_contact_memory *memory, const pl_contact_body *bodies, double step,
                             const pl_contact_pair *pairs, int32_t count);

// Of a row on a collider, when it is reported: what the collider got.
static inline pl_collider_impulse pl_contact_row_push(const pl_contact_row *row) {
  return (pl_collider_impulse){row->b.lever, row->arrive_impulse};
}

// Lengths and speeds below which a contact counts as resting: what gravity does to a body in one
// step.
typedef struct pl_contact_scale {
  double margin;  // metres: gaps smaller than this are watched, starts no deeper than this count as
                  // free
  double slop;    // metres of overlap left alone
  double speed;   // m/s of approach below which nothing bounces
} pl_contact_scale;
pl_contact_scale pl_contact_scale_of(const pl_contact_step *step);

// Metres of gap beyond `margin` that are watched between two soft bodies: not every step searches,
// and a point that comes in meanwhile has a row by then.
static inline double pl_soft_watch(const pl_surface_motion *a, const pl_surface_motion *b) {
  const double fraction = 0.03;  // of the depth of either body
  double p = a->tree->surface->tet_map->depth, q = b->tree->surface->tet_map->depth;
  return fraction * (p < q ? p : q);
}

// The contacts of one surface point, filled by the searches below.
typedef struct pl_contact_slots {
  pl_contact *items;  // PL_CONTACTS_PER_POINT slots
  int32_t *count;
  atomic_flag *lock;  // held while a contact is added; NULL: one thread at a time searches
} pl_contact_slots;

// Which of two contacts is dispensable first; never a tie between different things.
bool pl_contact_is_less_urgent(const pl_contact *a, const pl_contact *b);

// Add a contact; when there is no free slot it replaces the shallowest if it is deeper.
void pl_contact_slots_add(pl_contact_slots slots, const pl_contact *contact);

// Order contacts by what they touch.
void pl_contact_slots_sort(pl_contact *items, int32_t count);

// The same for the slots of a block of edges, by its number.
void pl_contact_edge_slots_add(const pl_contact_memory *memory, int32_t block,
                               const pl_contact *contact);

// The same for all points of a body.
void pl_contact_sort_points(pl_contact_memory *memory, int32_t body);

// Move the filled slots of all points, which are sorted, together, in the order of the points;
// returns how many there are.
int32_t pl_contact_pack_points(pl_contact_memory *memory);

// The same for the blocks of edges that are listed, after `count` contacts.
int32_t pl_contact_pack_edges(pl_contact_memory *memory, int32_t edge_block_count, int32_t count);

// Fetch the particles of a small body into the cache.
static inline void pl_contact_fetch_particles(const pl_vec3 *particles, int32_t count) {
  const char *from = (const char *)particles;
  for (size_t i = 0; i < (size_t)count * sizeof *particles; i += 64) __builtin_prefetch(from + i);
}

// The points of a block in search of contacts.
typedef struct pl_contact_group {
  int32_t body, count;
  const int32_t *points;  // their numbers; NULL: all of the body's, in their order
  const pl_contact_body *bodies;
  const pl_surface_motion *motions;
  pl_box start_box, end_box;
  int32_t *contact_counts;  // of all points of the body
  pl_contact *contacts;     // PL_CONTACTS_PER_POINT each
  atomic_flag *lock;        // as of pl_contact_slots
  double step;
  pl_contact_scale scale;
  // `contact_counts` and `contacts` are those of the points of the group, in their order
  bool is_compact;
  bool watches;  // gaps that may close before the next search
  // Of points that are looked up in tets: where they go instead of `contacts`, or NULL; and how
  // many of the next steps may use them again
  pl_soft_list *hits;
  uint32_t spot_uses;
} pl_contact_group;

// One of them.
typedef struct pl_contact_query {
  const pl_contact_group *group;
  int32_t body, point;
  pl_vec3 start, end;  // of the point
  pl_contact_slots slots;
} pl_contact_query;

// The slots of a point, by its number; of a compact group by its place in the group.
static inline pl_contact_slots pl_contact_group_slots(const pl_contact_group *group,
                                                      int32_t index) {
  return (pl_contact_slots){&group->contacts[(size_t)index * PL_CONTACTS_PER_POINT],
                            &group->contact_counts[index], group->lock};
}

// A point that is not finite touches nothing.
static inline bool pl_contact_query_is_finite(const pl_contact_query *query) {
  return pl_vec3_is_finite(query->start) && pl_vec3_is_finite(query->end);
}

// What the i-th point of a group asks; false for one that is not finite.
static inline bool pl_contact_group_query(const pl_contact_group *group, int32_t i,
                                          pl_contact_query *query) {
  int32_t point = group->points != NULL ? group->points[i] : i;
  const pl_surface_motion *motion = &group->motions[group->body];
  *query = (pl_contact_query){group,
                              group->body,
                              point,
                              motion->starts[point],
                              motion->ends[point],
                              pl_contact_group_slots(group, group->is_compact ? i : point)};
  return pl_contact_query_is_finite(query);
}

// A position whose signed distance from something is known. Since that changes no faster than the
// position, it bounds the distance of all positions around.
typedef struct pl_distance_anchor {
  bool is_set;
  pl_vec3 position;
  double distance;
} pl_distance_anchor;

// Bounds of a signed distance.
typedef struct pl_distance_range {
  double low, high;
} pl_distance_range;

static inline pl_distance_range pl_distance_anchor_range(const pl_distance_anchor *anchor,
                                                         pl_vec3 position) {
  if (!anchor->is_set) return (pl_distance_range){-HUGE_VAL, HUGE_VAL};
  double away = pl_vec3_distance(position, anchor->position);
  return (pl_distance_range){anchor->distance - away, anchor->distance + away};
}

// How far a nearest-point search must reach so that it finds something, when the signed distance is
// in `range`. If the position is certainly outside, what is farther than `max_outside` need not be
// found. `slack` covers rounding.
static inline double pl_distance_search_limit(pl_distance_range range, double max_outside,
                                              double slack) {
  double limit = range.high > -range.low ? range.high : -range.low;
  if (range.low > slack && max_outside < limit) limit = max_outside;
  return limit * (1 + 1e-9) + slack;
}

// The edges of a block in search of contacts, after all points have found theirs.
typedef struct pl_contact_edge_group {
  int32_t body;
  const pl_contact_edge_block *block;
  const pl_contact_memory *memory;
  const pl_contact_body *bodies;
  pl_contact_scale scale;
  pl_box start_box, end_box;  // around the edges, in the world
  pl_surface_front front;     // the edges, in the frame of their body
} pl_contact_edge_group;

// Fill the boxes and the front of a group whose other members are there.
void pl_contact_edge_group_begin(pl_contact_edge_group *group);

// Search the edges of another body, or of the same.
void pl_contact_find_edges(pl_contact_edge_group *group, int32_t other);

// Edges of a collider's surface, for those of one body.
typedef struct pl_contact_obstacle {
  int32_t collider;
  const pl_collider_surface *surface;
  const pl_contact_body *body;  // radius, friction and restitution of the collider
  const pl_collider_step *step;
  double step_length;  // seconds
  double size,
      allowed;  // edges that reach less than `allowed` into triangles of this size are left out
} pl_contact_obstacle;
void pl_contact_find_obstacle_edges(pl_contact_edge_group *group,
                                    const pl_contact_obstacle *obstacle);

// The same for all edges of a body, of which only those in a slab can touch the other, as for
// points above. `group` needs no block, boxes and front.
void pl_contact_find_edges_in_slab(pl_contact_edge_group *group, int32_t other,
                                   const pl_contact_slab *slab);

// Whether all edges of a body count against another, not only sharp ones: it is soft, and the other
// rigid, or both are to do so.
bool pl_contact_is_dented(const pl_contact_body *body, const pl_contact_body *other);

// Sine of the angle between the triangles of an edge from which on the pairs of a body need it;
// negative for a fold to either side, of an open surface. Next to 0 where all edges count.
double pl_contact_edge_sine(const pl_contact_memory *memory, const pl_contact_body *bodies,
                            int32_t body);

// The sides of the regions where a body of small pairs may touch others with its edges that each of
// its points is beyond, for `pack_edges` (pair_lanes.h). False if there are too many pairs.
bool pl_contact_list_edge_sides(const pl_contact_edge_group *group,
                                uint64_t sides[PL_SURFACE_LANE_POINTS]);

// Searches of all points of a group. `anchor` is the position asked for last, of a group nearby or
// this one; set by the search.
void pl_contact_find_collider(const pl_contact_group *group, const pl_collider_step *step,
                              int32_t collider, pl_distance_anchor *anchor);
void pl_contact_find_body(const pl_contact_group *group, int32_t other, pl_distance_anchor *anchor);

// All points of the group's body, which is awake, against a half-space. They need not be placed.
void pl_contact_find_half_space(const pl_contact_group *group, const pl_collider_step *step,
                                int32_t collider);

// Number of consecutive groups of one body that are searched together.
enum { PL_CONTACT_GROUPS = 16 };

// The same for all points of a body, of which only those in a slab can touch the other; both are
// small and packed (pair_lanes.h). `group` holds all points, in their order.
void pl_contact_find_body_in_slab(const pl_contact_group *group, int32_t other,
                                  const pl_contact_slab *slab);
void pl_contact_find_self(const pl_contact_group *group);

// The contact of a point with a place on another body, if they are near enough.
void pl_contact_add_triangle(const pl_contact_query *query, int32_t other_body,
                             const pl_contact_place *place, pl_vec3 normal);

// Unit normal of a body of tets where a point leaves it through a triangle, zero if there is none;
// `positions` are those of its particles.
pl_vec3 pl_contact_exit_normal(const pl_surface_tree *tree, const pl_vec3 *positions,
                               int32_t triangle, const double weights[3]);

// The points of a group, which holds all of a body, among the tets of another, which are packed
// (contact_tets.c). Returns how many touch.
int32_t pl_contact_find_in_tets(const pl_contact_group *group, int32_t other,
                                const pl_lane_tets *tets);

#endif
