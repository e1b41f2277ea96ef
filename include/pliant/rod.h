/// @file rod.h
/// Rods: skeletons whose passive joints (hair, ears, whiskers) are simulated and whose rest pose is
/// blended from examples, by the direction of the camera or by given weights (paper 001).
///
/// A rod body is a skeleton. *Kinematic* joints are moved by the host: by key frames, an animation
/// or a game. All others are *passive*. A passive joint whose parent is kinematic is the *root* of
/// a chain: it keeps its position in the frame of the kinematic joint and rotates freely;
/// everything below it moves. A chain may branch, and links may close loops in it. Chains do not
/// act on each other. The particles of the body are its joints, in their order.
#ifndef PLIANT_ROD_H
#define PLIANT_ROD_H

#include "pliant/base.h"
#include "pliant/collider.h"
#include "pliant/math.h"
#include "pliant/mesh.h"
#include "pliant/model.h"
#include "pliant/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Maximum number of joints of one chain, and of links that close loops in it.
#define PL_ROD_MAX_JOINTS 256
#define PL_ROD_MAX_LINKS 64

/// How passive joints are pulled back to the rest pose.
typedef enum pl_rod_solver {
  PL_ROD_MATCHED = 0,  ///< oriented particles: shape matching over the neighbourhood of each joint,
                       ///< with reaction on the parents
  PL_ROD_SPRING_BONE =
      1,  ///< the update that VRMC_springBone specifies: each joint after its parent, no reaction
} pl_rod_solver;

/// What happens to momentum when the weights of the examples change (ghost momentum, paper 001).
typedef enum pl_rod_ghost_momentum {
  PL_ROD_GHOST_MOMENTUM_TRANSPORT =
      0,  ///< the chain moves with its rest pose: swing and strain are kept, none is added
  PL_ROD_GHOST_MOMENTUM_PAPER,  ///< velocities from a second solve towards the projected rest pose
                                ///< (paper 001, section 4)
  PL_ROD_GHOST_MOMENTUM_KEEP,   ///< the chain is pulled to the new rest pose and gains momentum
} pl_rod_ghost_momentum;

/// How view directions are turned into weights.
typedef enum pl_rod_view_rule {
  PL_ROD_VIEW_PAPER = 0,      ///< Algorithm 1 of paper 001
  PL_ROD_VIEW_INTERPOLATING,  ///< at the direction of an example its weight is exactly 1, also
                              ///< where extents overlap
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
  bool kinematic;     ///< moved by the host; a joint without a parent must be
  pl_transform rest;  ///< in the body's frame
} pl_rod_joint;

/// A link that closes a loop: two joints of one chain keep the distance they have at rest.
typedef struct pl_rod_link {
  int32_t from, to;
} pl_rod_link;

/// An example pose of one chain. Segment lengths must be those of the rest.
typedef struct pl_rod_example {
  const char
      *name;  ///< examples of the same name in different chains are one example of the body; copied
  int32_t root;              ///< joint that is the root of the chain
  const pl_vec3 *positions;  ///< one per joint of the body, in the body's frame with kinematic
                             ///< joints at rest; those of other chains are not read
  const pl_quat *rotations;  ///< the same; NULL: each joint rotates with its segment, without twist
  pl_vec3 direction;  ///< to the camera, in the frame of the kinematic joint above the root; any
                      ///< length. Only if extent > 0
  double extent;  ///< radians: where the influence has fallen to 1/e (paper 001: 0.5 … 1.3); 0: not
                  ///< driven by the view
} pl_rod_example;

/// Settings of one chain that differ from the default. A chain without an entry is named after its
/// root, has no center and collides with all colliders.
typedef struct pl_rod_chain {
  const char *name;          ///< NULL: that of the root; copied
  int32_t root;              ///< joint that is the root of the chain
  int32_t center;            ///< kinematic joint in whose frame inertia counts, -1: the world
  const int32_t *colliders;  ///< indices into the def's colliders; NULL with a count of -1: all
  int32_t collider_count;    ///< -1: all
} pl_rod_chain;

/// A collider that is part of the body and moves with one of its joints.
typedef struct pl_rod_collider {
  int32_t joint;          ///< kinematic joint
  pl_collider_def shape;  ///< placement is in the joint's frame; keys are not used
} pl_rod_collider;

/// A surface that follows the joints by linear blend skinning: every point is the weighted sum of
/// its positions in the frames of its joints.
typedef struct pl_rod_skin {
  const pl_mesh *
      surface;  ///< points in the body's frame at rest; poses of the mesh are morph targets; copied
  int32_t influence_count;  ///< joints per point
  const int32_t *joints;    ///< influence_count per point
  const float *weights;     ///< the same, sum 1
  const pl_vec3
      *offsets;  ///< the same: the point in the joint's frame; NULL: where the rest pose has it
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
  /// Whether chains touch each other and themselves, where they are apart at rest.
  bool self_contact;  ///< default false
  /// Edge of the cells of a grid through which chains feel the hair around them as a volume, for
  /// hundreds of chains where contact one by one (`self_contact`) would be too slow; about the
  /// distance of neighbouring chains. 0 means: they do not.
  double volume_cell;  ///< m, 0 … 1e6, default 0
  /// Rate at which a chain takes on the velocity of the hair around it, with `volume_cell`.
  double volume_friction;  ///< 1/s, 0 … 1e6, default 10
  /// How hard hair that is denser than at its densest place at rest is driven apart, with
  /// `volume_cell`: the speed of sound of a gas.
  double volume_pressure;  ///< m/s, 0 … 1e3, default 0.3
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

/// Build a rod model from a skeleton. The caller owns the model. Fails with PL_ERROR_INVALID_DATA,
/// naming joint or example, for cycles, passive joints without a kinematic one above them, segments
/// without length, examples whose segments have other lengths, a view direction without length,
/// numbers that are not finite, and links between chains.
PL_API pl_status pl_rod_build(pl_context *context, const pl_rod_def *def, pl_model **model,
                              pl_error *error);

/// Properties of a rod model.
typedef struct pl_rod_report {
  int32_t joint_count, kinematic_count, chain_count, link_count;
  int32_t longest_chain;  ///< joints of the longest chain
  int32_t batch_count;    ///< groups of up to eight chains of equal build that move together
} pl_rod_report;

/// Properties of a rod model; all zero for a model of another method.
PL_API pl_rod_report pl_rod_get_report(const pl_model *model);

/// Chain of a joint, in the order of the manifolds of pl_model_get_examples(); -1 for a kinematic
/// joint or one that does not exist.
PL_API int32_t pl_rod_get_chain(const pl_model *model, int32_t joint);

/// Root joint of a chain; -1 for a chain that does not exist.
PL_API int32_t pl_rod_get_root(const pl_model *model, int32_t chain);

/// Blended rest pose P(w) of a chain (paper 001, eqs. 4 to 9). `weights` has one number per example
/// of the model, with a sum of at most 1. `joints` receives the joints of the chain, parents first,
/// in the frame of the kinematic joint above it with the root at the origin. Returns their number.
PL_API int32_t pl_rod_blend(const pl_model *model, int32_t chain, const double *weights,
                            pl_transform *joints);

/// Move a kinematic joint of a rod body to `target` (in the world) within `seconds`: it moves there
/// evenly over the coming inner steps and then stays. 0 seconds: within the next step; before the
/// first step at once, together with the chains attached to it. Fails with PL_ERROR_NOT_FOUND for a
/// stale handle, PL_ERROR_INVALID_ARGUMENT for a joint that is not kinematic or numbers that are
/// not finite.
PL_API pl_status pl_rod_set_joint_target(pl_world *world, pl_body_id body, int32_t joint,
                                         pl_transform target, double seconds, pl_error *error);

/// Let the examples of a rod body that have view directions follow a camera at `eye` (metres, in
/// the world) from the next step on. The direction is computed again in every step, so it follows
/// the motion of the body too. Bodies without such examples ignore it. Fails with
/// PL_ERROR_NOT_FOUND for a stale handle, PL_ERROR_INVALID_ARGUMENT for a position that is not
/// finite.
PL_API pl_status pl_rod_set_camera(pl_world *world, pl_body_id body, pl_vec3 eye, pl_error *error);

/// Positions and rotations of a rod body's joints in the world, in joint order. `joints` holds the
/// model's particle_count. The rotation of a joint follows its segments as they are, so that the
/// joints can be saved as a pose of the skeleton. Fails with PL_ERROR_NOT_FOUND for a stale handle,
/// PL_ERROR_UNSUPPORTED for a body without joints.
PL_API pl_status pl_rod_get_joints(const pl_world *world, pl_body_id body, pl_transform *joints);

/// Set the weights of a rod body's morph targets, one per pose of its skin's mesh. They stay until
/// they are set again. Fails with PL_ERROR_NOT_FOUND for a stale handle, PL_ERROR_UNSUPPORTED for a
/// body without morph targets.
PL_API pl_status pl_rod_set_morph_weights(pl_world *world, pl_body_id body, const double *weights,
                                          pl_error *error);

/// The weights of a rod body's morph targets as they are, one per pose of its skin's mesh. Fails as
/// pl_rod_set_morph_weights() does.
PL_API pl_status pl_rod_get_morph_weights(const pl_world *world, pl_body_id body, double *weights);

#ifdef __cplusplus
}
#endif
#endif
