/// @file rod.h
/// Rods: skeletons whose passive joints (hair, ears, whiskers) are simulated and whose rest pose is mixed from examples, by the direction of the
/// camera or by weights from outside (paper 001).
///
/// A rod body is a skeleton. *Led* joints are moved by the host: key frames, an animation, a game. All others are *passive*: a passive joint
/// whose parent is led is the *root* of a chain; it stays where it is in the led joint's frame and turns freely; everything below it moves. A
/// chain may branch, and links may close it to loops. Chains do not feel each other. The particles of the body are its joints, in their order.
#ifndef PLIANT_ROD_H
#define PLIANT_ROD_H

#include "pliant/base.h"
#include "pliant/collider.h"
#include "pliant/math.h"
#include "pliant/mesh.h"
#include "pliant/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most joints of one chain, and most links that close loops in it.
#define PL_ROD_MAX_JOINTS 256
#define PL_ROD_MAX_LINKS 64

/// How passive joints are drawn back to the rest pose.
typedef enum pl_rod_solver {
  PL_ROD_MATCHED = 0,  ///< oriented particles: shape matching over the neighbourhood of each joint, with reaction on the parents
  PL_ROD_SPRING_BONE = 1,  ///< the update that VRMC_springBone specifies: each joint after its parent, no reaction
} pl_rod_solver;

/// What happens to momentum when the weights of the examples change.
typedef enum pl_rod_ghost_momentum {
  PL_ROD_GHOST_MOMENTUM_TRANSPORT = 0,  ///< the chain is carried along with its rest pose: swing and strain stay, none is added
  PL_ROD_GHOST_MOMENTUM_PAPER,      ///< velocities from a second solve towards the projected rest pose (paper 001, section 4)
  PL_ROD_GHOST_MOMENTUM_KEEP,       ///< the chain is pulled to the new rest pose and gets its momentum: it comes alive
} pl_rod_ghost_momentum;

/// How view directions become weights.
typedef enum pl_rod_view_rule {
  PL_ROD_VIEW_PAPER = 0,      ///< Algorithm 1 of paper 001
  PL_ROD_VIEW_INTERPOLATING,  ///< at the direction of an example its weight is exactly 1, also where extents overlap
} pl_rod_view_rule;

/// One joint of the skeleton.
typedef struct pl_rod_joint {
  // parameters of src/rod/rod_parameters.c by `make generate`: begin
  /// Of the tapered capsule around the segment, at this joint; 0 means: a line.
  double radius;  ///< m, 0 … 1e6, default 0
  /// Of the joint; 0 means: from density and radius.
  double mass;  ///< kg, 0 … 1e8, default 0
  /// Factor on the body's stiffness.
  double stiffness;  ///< 0 … 1e5, default 1
  /// How far the segment to this joint may turn from its rest direction, seen from the parent; 0
  /// means: any.
  double max_angle;  ///< rad, 0 … 100, default 0
  /// Stiffness of the spring bone that ends at this joint.
  double spring;  ///< 0 … 1e5, default 1
  /// Drag of that spring bone (`dragForce`).
  double drag;  ///< 0 … 1, default 0.4
  /// Gravity of that spring bone: direction times power.
  pl_vec3 pull;  ///< default (0, 0, 0)
  // parameters: end

  const char *name;   ///< for messages; copied
  int32_t parent;     ///< index of the joint above, -1 for none; any order, no cycles
  bool kinematic;           ///< moved by the host; a joint without a parent must be
  pl_transform rest;  ///< in the body's frame
} pl_rod_joint;

/// A link that closes a loop: the distance of two joints of one chain stays what it is at rest.
typedef struct pl_rod_link {
  int32_t from, to;
} pl_rod_link;

/// An example pose of one chain. Segment lengths must be those of the rest.
typedef struct pl_rod_example {
  const char *name;  ///< examples of the same name in different chains are one example of the body; copied
  int32_t root;      ///< joint that is the root of the chain
  const pl_vec3
      *positions;  ///< one per joint of the body, in the body's frame with led joints at rest; those of other chains are not read
  const pl_quat *rotations;  ///< the same; NULL: each joint turned as its segment turns, without twist
  pl_vec3 direction;         ///< to the camera, in the frame of the led joint above the root; any length. Only if extent > 0
  double extent;             ///< radians: where the influence has fallen to 1/e (paper 001: 0.5 … 1.3); 0: not driven by the view
} pl_rod_example;

/// Settings of one chain that differ from the usual; chains without an entry have a name, no center and meet all colliders.
typedef struct pl_rod_chain {
  const char *name;          ///< NULL: that of the root; copied
  int32_t root;              ///< joint that is the root of the chain
  int32_t center;            ///< led joint in whose frame inertia counts, -1: the world
  const int32_t *colliders;  ///< indices into the def's colliders; NULL with a count of -1: all
  int32_t collider_count;    ///< -1: all
} pl_rod_chain;

/// A collider that belongs to the body and moves with one of its joints.
typedef struct pl_rod_collider {
  int32_t joint;          ///< led joint
  pl_collider_def shape;  ///< placement is in the joint's frame; keys are not used
} pl_rod_collider;

/// A surface that follows the joints. Every point is the weighted sum of where its joints carry it (linear blend skinning).
typedef struct pl_rod_skin {
  const pl_mesh *surface;   ///< points in the body's frame at rest; poses of the mesh are morph targets; copied
  int32_t influence_count;  ///< joints per point
  const int32_t *joints;    ///< influence_count per point
  const float *weights;     ///< the same, sum 1
  const pl_vec3 *offsets;   ///< the same: the point in the joint's frame; NULL: where the rest pose has it
} pl_rod_skin;

/// Input of pl_rod_build().
typedef struct pl_rod_def {
  // parameters of src/rod/rod_parameters.c by `make generate`: begin
  /// How joints are drawn to the rest pose: matched shapes of neighbourhoods, or the update of VRM
  /// spring bones.
  pl_rod_solver solver;  ///< default PL_ROD_MATCHED
  /// Of joints without a mass of their own; matters against wind and forces, not against gravity.
  double density;  ///< kg/m³, above 0 up to 1e9, default 1000
  /// Fraction of the way to its goal that a joint covers in one `stiffness_step`.
  double stiffness;  ///< above 0 up to 1, default 0.1
  /// Step that `stiffness` refers to, so that it means the same at any step.
  double stiffness_step;  ///< s, above 0 up to 10, default 1/240
  /// Slows motion relative to the led joint, which it spares.
  double damping;  ///< 1/s, 0 … 1e6, default 1
  /// How strongly orientations weigh against positions, in segment lengths; more is stiffer in
  /// twist, and in bending too.
  double twist;  ///< above 0 up to 100, default 0.5
  /// Joints on either side that are matched together; wider is stiffer.
  int32_t width;  ///< 1 … 250, default 2
  /// Coulomb coefficient; the geometric mean with the collider's counts.
  double friction;  ///< 0 … 1e3, default 0.3
  /// What keeps a chain calm when the weights of its examples change: it is carried along, or the
  /// paper's second solve, or nothing.
  pl_rod_ghost_momentum ghost_momentum;  ///< default PL_ROD_GHOST_MOMENTUM_TRANSPORT
  /// Of the paper's suppression: how far the projected weights may be from the current ones
  /// (delta).
  double window;  ///< 0 … 1, default 0.1
  /// Over which weights follow the camera; 0 means: at once.
  double view_time;  ///< s, 0 … 1e3, default 0
  /// How directions become weights: Algorithm 1 of the paper, or exactly 1 at the direction of
  /// every example.
  pl_rod_view_rule view_rule;  ///< default PL_ROD_VIEW_PAPER
  /// Corners of the tubes that show chains without a mesh; 0 for no surface.
  int32_t tube_sides;  ///< 0 … 64, default 10
  // parameters: end

  const pl_rod_joint *joints;
  int32_t joint_count;
  const pl_rod_link *links;
  int32_t link_count;
  const pl_rod_example *examples;
  int32_t example_count;
  const pl_rod_chain *chains;
  int32_t chain_count;
  const pl_rod_collider *colliders;
  int32_t collider_count;
  pl_rod_skin skin;  ///< zero: tubes around the segments

  uint32_t magic;  ///< set by pl_default_rod_def()
} pl_rod_def;

/// Every parameter at its default; joints and all else are to be filled in.
PL_API pl_rod_def pl_default_rod_def(void);

/// A passive joint at the origin below `parent`, every parameter at its default.
PL_API pl_rod_joint pl_default_rod_joint(int32_t parent);

/// Prepare a skeleton as a rod body. Fails with PL_ERROR_INVALID_DATA, naming joint or example, for cycles, passive joints without a led one
/// above them, segments without length, examples whose segments have other lengths, a view direction without length, numbers that are
/// not finite, links between chains.
PL_API pl_status pl_rod_build(pl_context *context, const pl_rod_def *def, pl_model **model, pl_error *error);

/// What is in a rod model.
typedef struct pl_rod_report {
  int32_t joint_count, kinematic_count, chain_count, link_count;
  int32_t longest_chain;  ///< joints of the longest chain
  int32_t batch_count;    ///< groups of up to eight chains of equal build that move together
} pl_rod_report;

/// Facts about a rod model; all zero for a model of another method.
PL_API pl_rod_report pl_rod_get_report(const pl_model *model);

/// Chain of a joint, in the order of pl_model_get_examples()' manifolds; -1 for a led joint or one that does not exist.
PL_API int32_t pl_rod_get_chain(const pl_model *model, int32_t joint);

/// Root joint of a chain, -1 for one that does not exist.
PL_API int32_t pl_rod_get_root(const pl_model *model, int32_t chain);

/// The blended rest pose P(w) of a chain (paper 001, eqs. 4 to 9): `weights` one per example of the model, sum at most 1; `joints` receives
/// the joints of the chain, parents first, in the frame of the led joint above it with the root at the origin. Returns their number.
PL_API int32_t pl_rod_blend(const pl_model *model, int32_t chain, const double *weights, pl_transform *joints);

#ifdef __cplusplus
}
#endif
#endif
