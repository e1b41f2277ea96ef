// Impact zones: what keeps surfaces from passing through each other where contacts did not
// (contact_zones.c).
#ifndef PL_CONTACT_ZONES_H
#define PL_CONTACT_ZONES_H

#include <stdatomic.h>

#include "base/arena.h"
#include "contact/contact_intersect.h"
#include "contact/pair_lanes.h"
#include "contact/surface_tree.h"
#include "math/mat3.h"

typedef struct pl_contact_memory pl_contact_memory;

// Two bodies, or one and itself, whose surfaces crossed when they were looked at in this step. It
// belongs to the one of lower number.
typedef struct pl_zone_pair {
  int32_t other;
  bool is_old;         // they did at its start
  bool is_clean;       // they did not at the last look
  bool is_stuck;       // nothing of it could be separated at the last look, when the bodies had
  int32_t changes[2];  // … changed this often
  int32_t turn;        // when its turn is in this round, among the pairs of its body; -1: never
} pl_zone_pair;
// At most this many of one body; what is beyond is left to its contacts.
enum { PL_ZONE_PAIRS = 32 };

// What is remembered of two large bodies. It belongs to the one of lower number.
enum { PL_ZONE_RECORDS = 16, PL_ZONE_FOUND = 256 };
typedef struct pl_zone_record {
  int32_t other;
  bool is_used;     // in this step; what follows is kept until the space is needed
  float normal[3];  // a direction along which they are apart, or almost; zero: none is known
  // Which edges passed through which triangles at the last look of this step, in the order of edges
  // and leaves. Not known: there was no look, or it was too much to remember.
  bool is_known;
  int32_t placings[2];  // when it was, of either body
  int32_t counts[2];    // edges of the one, and then of the other
  double tolerance;
  pl_lane_passing found[PL_ZONE_FOUND];
} pl_zone_record;

// What looks at a large body are taken with; it belongs to its motion.
struct pl_zone_workspace {
  pl_lane_shape shapes[2];  // at the end and at the start of the step
  pl_zone_record *records;  // PL_ZONE_RECORDS
};

// Take the memory; NULL for small surfaces, and without triangles. False when out of memory.
bool pl_zone_workspace_take(pl_arena *arena, const pl_surface_motion *motion,
                            pl_zone_workspace **result);

// What colliders do to zones with particles that they keep out.
typedef enum pl_zone_support {
  PL_ZONE_FREE,       // nothing
  PL_ZONE_SUPPORTED,  // the zone does not go deeper
  PL_ZONE_HELD        // the zone moves with the collider alone
} pl_zone_support;

// Memory of the zones. Members are the particles of all bodies, then the bodies, as which rigid
// ones take part.
typedef struct pl_contact_zones {
  int32_t *parents;  // per member: union-find, the root being the lowest; -1: in no zone
  int32_t *members;  // those in a zone
  int32_t member_count;
  bool has_small;      // some body is: large ones are compared with it by their hierarchies
  bool *is_supported;  // per island: some body of it touches a collider
  bool *is_changed, *was_changed;  // per body: found to cross in this round, and in the last
  double *tolerances;              // per body, metres: edges may be this far through surfaces
  pl_contact_hold *holds;          // per member: what colliders keep out in this step
  pl_zone_support support;
  double step;     // seconds
  pl_vec3 *spins;  // per body, N m s: angular momentum that parting gave it; zero between steps
  bool *is_moved;  // per surface point: when it was placed last
  pl_box *moved_boxes;  // per body: around the triangles of such points
  int32_t *changes;     // per body: how often something of it moved
  // Two per large body, where its points are at the end and at the start of the step
  // (pair_lanes.h); filled when they are asked for.
  pl_lane_shape *shapes;
  atomic_bool *has_shapes;
  // PL_ZONE_RECORDS of every large body; NULL for others, and without triangles
  pl_zone_record **records;
  // Per body: how often it was placed where its points moved, and that number when points that
  // moved since then were marked so.
  int32_t *placings, *moved_since;
  pl_zone_pair *pairs;   // PL_ZONE_PAIRS per body
  int32_t *pair_counts;  // per body
} pl_contact_zones;

// Take the memory, by the size that the other memory has; false when out of memory.
bool pl_contact_zones_take(pl_contact_memory *memory);
// Then nothing is in a zone. The motions and the numbers of particles are there.
void pl_contact_zones_begin(pl_contact_memory *memory);

// After resolution: move what crosses as one piece, from where it was at the start of the step.
// `spares_tets`: but not of pairs whose points are looked up in tets, unless all edges of both
// bodies are searched.
void pl_contact_keep_apart(pl_contact_solver *solver, pl_contact_body *bodies,
                           const pl_contact_step *step, bool spares_tets);

// Put what carries a surface point, or all of a body, into the zone of a member, or into one of its
// own (-1). Returns a member of it.
int32_t pl_zone_join_point(pl_contact_memory *memory, const pl_contact_body *bodies, int32_t body,
                           int32_t point, int32_t other);
int32_t pl_zone_join_body(pl_contact_memory *memory, const pl_contact_body *bodies, int32_t body,
                          int32_t other);

// Move a zone, given by its root, as one piece (contact_zone_motion.c).
void pl_zone_move(pl_contact_memory *memory, pl_contact_body *bodies, int32_t root);

// An edge of body a through a triangle of body b.
typedef struct pl_zone_crossing {
  int32_t a, b;
  const pl_surface_edge *edge;
  int32_t triangle;
  bool at_start;     // found at the start of the step
  bool any_way;      // ways apart may lead into the bodies too
  double tolerance;  // metres: nearer ends of the edge do not count
  double shallow;    // metres: a shorter way apart is that of surfaces that lie on each other
  double margin;     // metres beyond which they are to be apart
} pl_zone_crossing;

// A look at what crosses between two bodies, or in one (contact_zone_search.c).
typedef struct pl_zone_check {
  const pl_contact_memory *memory;
  const pl_contact_body *bodies;
  int32_t a, b;
  bool at_start;              // of the step; otherwise where the bodies were placed last
  bool is_supported;          // one of them touches a collider, or something that does
  bool only_moved;            // nothing crossed before the points that are marked so moved
  double tolerance, shallow;  // as of pl_zone_crossing
  // What crossed at the start already, by the same measure, counts by these and by any way.
  bool spares_old;
  double old_tolerance, old_shallow;
  // Called for all that cross; NULL: it is only asked whether any do.
  void (*visit)(void *data, const pl_zone_crossing *crossing);
  void *data;
} pl_zone_check;

// Does anything cross?
bool pl_zone_check_run(const pl_zone_check *check);

// Is the way apart so short?
bool pl_contact_is_shallow(const pl_contact_memory *memory, const pl_contact_body *bodies,
                           const pl_zone_crossing *crossing);

// Part it by the shortest way, if there is one and it is not apart meanwhile (contact_crossing.c).
// Returns whether anything moved.
bool pl_contact_part_crossing(pl_contact_memory *memory, pl_contact_body *bodies,
                              const pl_zone_crossing *crossing);

// Angular momentum that parting brought in goes back, from the bodies as wholes.
void pl_contact_take_back_spins(pl_contact_memory *memory, pl_contact_body *bodies);

// Inertia of a mass at r, kg m².
static inline pl_mat3 pl_contact_point_inertia(pl_vec3 r, double mass) {
  double square = pl_vec3_dot(r, r);
  pl_mat3 diagonal = pl_mat3_diagonal(square, square, square);
  return pl_mat3_scale(pl_mat3_add(diagonal, pl_mat3_scale(pl_mat3_outer(r, r), -1)), mass);
}

#endif
