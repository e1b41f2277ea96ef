/// @file character.h
/// Characters: skinned meshes with their nodes, animations, spring bones and example poses, loaded
/// from and saved to glTF and VRM files (part of the lab).
#ifndef PLIANT_CHARACTER_H
#define PLIANT_CHARACTER_H

#include "pliant/base.h"
#include "pliant/collider.h"
#include "pliant/math.h"
#include "pliant/mesh.h"
#include "pliant/model.h"
#include "pliant/rod.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A character loaded from a file. Immutable.
typedef struct pl_character pl_character;

/// A node of the file's hierarchy.
typedef struct pl_character_node {
  const char *name;   ///< never NULL; "node 7" for one without
  int32_t parent;     ///< -1 for none
  pl_transform rest;  ///< relative to the parent
  pl_vec3 scale;      ///< relative to the parent
} pl_character_node;

/// How VRMC_springBone_limit bounds the direction of a bone.
typedef enum pl_character_limit_kind {
  PL_CHARACTER_UNLIMITED = 0,  ///< it may point anywhere
  PL_CHARACTER_CONE,           ///< within `angle` of the limit's Y axis
  PL_CHARACTER_HINGE,          ///< in the limit's YZ plane, within `angle` of its Y axis
  PL_CHARACTER_SPHERICAL,  ///< turned from it by no more than `angle` around X and `yaw` around Z
} pl_character_limit_kind;

/// A limit of VRMC_springBone_limit. Its Y axis is the bone at rest, turned by `rotation`.
typedef struct pl_character_limit {
  pl_character_limit_kind kind;
  double angle;      ///< radians, 0 … pi; `pitch` of a spherical one
  double yaw;        ///< radians, 0 … pi / 2; spherical only
  pl_quat rotation;  ///< in the frame that turns Y by the shortest way into the bone at rest
} pl_character_limit;

/// One joint of a spring: a node that rotates, with the parameters of its bone to the next node of
/// the chain.
typedef struct pl_character_spring_joint {
  int32_t node;
  double radius;             ///< hitRadius, metres
  double stiffness;          ///< stiffness
  double drag;               ///< dragForce
  pl_vec3 pull;              ///< gravityDir times gravityPower
  pl_character_limit limit;  ///< of the bone that begins at the node
} pl_character_spring_joint;

/// A chain of spring bones. VRM 0.x: one per path from a root bone to a leaf; a joint shared by two
/// paths belongs to the first.
typedef struct pl_character_spring {
  const char *name;  ///< never NULL
  const pl_character_spring_joint *joints;
  int32_t joint_count;
  int32_t center;            ///< node, -1 for none
  const int32_t *colliders;  ///< indices into the character's colliders
  int32_t collider_count;
  /// Where the last joint's bone ends, in that joint's frame, if `has_tail`: VRM 0.x (7 cm along
  /// the last bone) and files of ours.
  pl_vec3 tail;
  bool has_tail;
} pl_character_spring;

/// Shapes of VRMC_springBone_extended_collider.
typedef enum pl_character_extended_kind {
  PL_CHARACTER_PLAIN = 0,  ///< none: the plain shape counts
  PL_CHARACTER_ROUND,      ///< a sphere or capsule
  PL_CHARACTER_PLANE,      ///< a half-space
} pl_character_extended_kind;

/// A shape of VRMC_springBone_extended_collider, for pl_spring.
typedef struct pl_character_extended {
  pl_character_extended_kind kind;
  pl_vec3 from, to;  ///< as of a collider; `from` is a point of a plane
  pl_vec3 normal;    ///< unit, of a plane, in the node's frame; tails stay in front of it
  double radius;     ///< metres
  bool inside;       ///< tails stay inside a sphere or capsule instead of outside
} pl_character_extended;

/// A sphere or capsule attached to a node.
typedef struct pl_character_collider {
  int32_t node;
  pl_vec3 from, to;  ///< centres of its two ends in the node's frame; equal for a sphere
  double radius;     ///< metres
  pl_character_extended extended;  ///< the shape that replaces it for those who know it
} pl_character_collider;

/// An example pose of a chain, from the extension PLIANT_rod_examples.
typedef struct pl_character_example {
  const char *name;          ///< never NULL
  int32_t root;              ///< node that is the first joint of its spring
  const int32_t *nodes;      ///< nodes that rotate
  const pl_quat *rotations;  ///< relative to their parents, as node.rotation
  int32_t node_count;
  pl_vec3 direction;  ///< to the camera, in the frame of the root's parent
  double extent;      ///< radians; 0: not driven by the view
} pl_character_example;

/// An animation by name.
typedef struct pl_character_animation {
  const char *name;   ///< never NULL
  double start, end;  ///< seconds of the first and last key
} pl_character_animation;

/// Borrowed arrays of a character; valid as long as the character.
typedef struct pl_character_view {
  int32_t node_count;
  const pl_character_node *nodes;  ///< in the file's order
  const pl_mesh *surface;   ///< all skinned and plain meshes in the order of the nodes that hold
                            ///< them, each vertex of the file one point, with nodes at rest; morph
                            ///< targets are its poses. NULL: the file has none
  int32_t influence_count;  ///< per point: 1, 4 or 8
  const int32_t
      *skin_nodes;  ///< influence_count per point; points without a skin follow their mesh's node
  const float *skin_weights;  ///< the same, sum 1
  const pl_vec3
      *skin_offsets;  ///< the same: the point in the node's frame, scaled (see pl_rod_skin)
  int32_t animation_count;
  const pl_character_animation *animations;
  int32_t spring_count;
  const pl_character_spring *springs;
  int32_t collider_count;
  const pl_character_collider *colliders;
  int32_t example_count;
  const pl_character_example *examples;
  int32_t vrm_version;  ///< 0: none, 1: VRM 1.0 (VRMC_springBone), -1: VRM 0.x
  bool is_vrm;          ///< the file is a VRM model, not only a file with spring bones
} pl_character_view;

/// Load a character from a glTF, GLB or VRM file. The caller owns it. Doubtful content goes to
/// `findings`, which may be NULL. Fails with PL_ERROR_NOT_FOUND or PL_ERROR_FILE when the file
/// cannot be read, PL_ERROR_INVALID_DATA, naming node, skin, animation or spring, for hierarchies
/// with cycles, skins that are missing or do not fit, key frames that are not finite or not in
/// order, and springs and examples that refer to nodes that do not exist; `*character` is then
/// NULL.
PL_API pl_status pl_character_load(pl_context *context, const char *path, pl_character **character,
                                   pl_findings *findings, pl_error *error);

/// Load a character from memory, as pl_character_load() does.
PL_API pl_status pl_character_load_memory(pl_context *context, const pl_memory_source *source,
                                          pl_character **character, pl_findings *findings,
                                          pl_error *error);

/// A bend of an example pose that is added to a character.
typedef struct pl_character_added_turn {
  const char *node;  ///< all nodes beyond it turn around it
  pl_vec3 axis;      ///< in the frame of the character
  double angle;      ///< radians
} pl_character_added_turn;

/// An example pose that is added to a spring: bends at nodes, and one bend spread evenly over all
/// bones.
typedef struct pl_character_added_example {
  const char *name;  ///< examples of one name in several springs are one example of the body
  const pl_character_added_turn *turns;
  int32_t turn_count;
  pl_vec3 curl_axis;  ///< in the frame of the character
  double curl_angle;  ///< radians, from the first bone to the last; 0: none
  pl_vec3 direction;  ///< to the camera, in the frame of the parent of the spring's first node
  double extent;      ///< radians; 0: not driven by the view
} pl_character_added_example;

/// A collider that is added to a node of a character.
typedef struct pl_character_added_collider {
  const char *node;
  pl_collider_def shape;  ///< sphere, capsule or half-space, in the node's frame without scale
} pl_character_added_collider;

/// A spring that is added to a character. A spring of the file that turns one of its nodes is
/// replaced.
typedef struct pl_character_added_spring {
  const char *name;  ///< NULL: that of its first node
  /// Nodes from the first to the last, each below the one before. One alone stands for all nodes
  /// below it: every path to a leaf, branching where they do.
  const char *const *nodes;
  int32_t node_count;
  /// Parameters of all its bones: radius, mass, stiffness, max_angle, spring, drag, pull.
  pl_rod_joint joint;
  double tail_length;        ///< metres by which the bone of a last node continues; 0: a last node
                             ///< only ends the bone before it
  const char *center;        ///< node in whose frame inertia is computed; NULL: the world
  const int32_t *colliders;  ///< indices of added colliders
  int32_t collider_count;    ///< -1: all of them, and those of the springs that it replaces
  const pl_character_added_example *examples;
  int32_t example_count;
} pl_character_added_spring;

/// A spring with the default parameters, without nodes, that meets all added colliders.
PL_API pl_character_added_spring pl_default_character_added_spring(void);

/// Springs, colliders and example poses that a character gets besides those of its file.
typedef struct pl_character_additions {
  const pl_character_added_spring *springs;
  int32_t spring_count;
  const pl_character_added_collider *colliders;
  int32_t collider_count;
  const pl_rod_def *rod;  ///< parameters of the whole body; NULL: those of the file
} pl_character_additions;

/// Load a character as pl_character_load() does, with springs, colliders and example poses added to
/// those of the file. Fails also with PL_ERROR_INVALID_ARGUMENT for nodes that the file does not
/// have or that are not below each other; `error->field` is then the spring or collider, such as
/// `springs[2]`. Fails with PL_ERROR_UNSUPPORTED for VRM 0.x, whose springs have another form.
PL_API pl_status pl_character_load_with(pl_context *context, const char *path,
                                        const pl_character_additions *additions,
                                        pl_character **character, pl_findings *findings,
                                        pl_error *error);

/// Destroy a character. NULL is allowed.
PL_API void pl_character_destroy(pl_character *character);

/// The arrays of a character.
PL_API pl_character_view pl_character_get_view(const pl_character *character);

/// Index of the animation called `name`, -1 if there is none.
PL_API int32_t pl_character_find_animation(const pl_character *character, const char *name);

/// Index of the node called `name`, or N for "node N", by which nodes without a name of their own
/// are found; -1 if there is none.
PL_API int32_t pl_character_find_node(const pl_character *character, const char *name);

/// Global transforms of all nodes at a time of an animation in seconds (-1: rest pose), without
/// scale. `nodes` receives node_count. Before the first key and after the last the values are
/// constant. `morphs` receives one weight per pose of the surface; NULL: not wanted. May be called
/// from several threads at once.
PL_API void pl_character_sample(const pl_character *character, int32_t animation, double time,
                                pl_transform *nodes, double *morphs);

/// A character as a skeleton for pl_rod_build(). Owns the arrays of its def.
typedef struct pl_character_rig pl_character_rig;

/// Create a rig: nodes of springs become passive joints, with their example poses; other nodes that
/// skin, springs or colliders need become kinematic joints. Springs without parameters of Pliant
/// move as PL_ROD_SPRING_BONE; examples and all other settings are those of pl_default_rod_def().
/// The caller owns the rig; the character must outlive it. Fails with PL_ERROR_INVALID_DATA when
/// the joints of a spring do not follow each other.
PL_API pl_status pl_character_rig_create(const pl_character *character, pl_character_rig **rig,
                                         pl_error *error);

/// Destroy a rig. Models built from it are not destroyed. NULL is allowed.
PL_API void pl_character_rig_destroy(pl_character_rig *rig);

/// Def of a rig; its arrays are valid as long as the rig.
PL_API pl_rod_def pl_character_rig_get_def(const pl_character_rig *rig);

/// Node of each joint of the rig's def, -1 for the tail of a spring; valid as long as the rig.
PL_API const int32_t *pl_character_rig_get_nodes(const pl_character_rig *rig);

/// Motion of a skeleton as joint transforms, frame by frame.
typedef struct pl_character_motion {
  const char *name;            ///< of the animation to write
  double frame_rate;           ///< frames per second
  int32_t frame_count;         ///< at least 1
  int32_t joint_count;         ///< joints per frame
  const int32_t *nodes;        ///< node of each joint, -1: not written
  const pl_transform *joints;  ///< frame_count x joint_count, global
  /// Springs, colliders and example poses to add to the file too; NULL: none.
  const pl_character_additions *additions;
  /// Weights of morph targets, frame_count x morph_count; NULL: not written. pl_character_bake()
  /// alone writes them.
  const double *morphs;
  int32_t morph_count;  ///< poses of the surface of the source, as of pl_character_view
} pl_character_motion;

/// Save a copy of `source` (a glTF, GLB or VRM file) to `path` as GLB with one animation added: the
/// rotations of the passive nodes as the motion has them (and translations where rotations alone
/// would miss a joint by more than 0.1 mm) and the weights of morph targets, together with the
/// channels of animation `base` of the source (-1: none). Everything else is kept: nodes, names,
/// order, skins, extensions. The file is written under a temporary name and renamed at the end.
/// Fails as pl_character_load() does for the source. Fails with PL_ERROR_NOT_FOUND when the folder
/// does not exist, PL_ERROR_FILE when the file cannot be written.
PL_API pl_status pl_character_bake(pl_context *context, const char *source, const char *path,
                                   int32_t base, const pl_character_motion *motion,
                                   pl_error *error);

/// What pl_character_save() puts into a file.
typedef struct pl_character_save_def {
  const pl_rod_def
      *rod;  ///< skeleton, skin, examples, colliders; joints become nodes in their order
  const pl_character_motion
      *motion;       ///< an animation of them (nodes are joint numbers), NULL for none
  const char *name;  ///< of the mesh
  uint32_t magic;    ///< set by pl_default_character_save_def()
} pl_character_save_def;

/// A def with everything to be filled in.
PL_API pl_character_save_def pl_default_character_save_def(void);

/// Save a skeleton as a skinned GLB with VRMC_springBone chains and PLIANT_rod_examples, which any
/// glTF or VRM viewer can open. The file is written under a temporary name and renamed at the end.
/// Fails with PL_ERROR_NOT_FOUND when the folder does not exist, PL_ERROR_FILE when the file cannot
/// be written.
PL_API pl_status pl_character_save(pl_context *context, const pl_character_save_def *def,
                                   const char *path, pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
