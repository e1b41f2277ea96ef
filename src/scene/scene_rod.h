// Rods of a scene: chains as flat lists of points, their poses, and the def that a rod body is
// built from.
#ifndef PL_SCENE_ROD_H
#define PL_SCENE_ROD_H

#include "pliant/character.h"
#include "pliant/motion.h"
#include "pliant/rod.h"
#include "pliant/strands.h"
#include "scene/scene_kinematic.h"

// A chain with its branches as one list: the chain's points, then those of each branch with its own
// branches, in their order.
typedef struct pl_chain_shape {
  int32_t count;
  int32_t segment_count;  // of the chain itself, without branches
  pl_vec3 positions[PL_ROD_MAX_JOINTS];
  int32_t parents[PL_ROD_MAX_JOINTS];  // -1 for the root
  double radii[PL_ROD_MAX_JOINTS], stiffnesses[PL_ROD_MAX_JOINTS];
} pl_chain_shape;

// False when the chain has too many points, or a branch grows from a point that is not there.
bool pl_chain_shape_fill(const pl_scene_rod_chain *chain, pl_chain_shape *shape);

// Positions of an example in the body's frame, and how each joint is turned from its rest; `turns`
// are not known, and false is returned, for a pose that is given by its points.
bool pl_chain_shape_pose(const pl_chain_shape *shape, const pl_scene_rod_example *example,
                         pl_vec3 *positions, pl_quat *turns);

// Whether an example answers to the camera.
bool pl_scene_example_is_viewed(const pl_scene_rod_example *example);

// Number of a kinematic joint of a rod written in the scene: the first for "", -1 if there is none
// of that name.
int32_t pl_scene_rod_find_joint(const pl_scene_rod *rod, const char *name);

// Names of the kinematic joints, `count` of them, for suggestions (at most `max`).
int32_t pl_scene_rod_joint_names(const pl_scene_rod *rod, const char **names, int32_t max);

// A node of a kinematic mesh that a kinematic joint follows.
typedef struct pl_rod_follow {
  const pl_instance_kinematic *kinematic;  // NULL: none
  pl_transform placement;                  // of its body
  int32_t node;
} pl_rod_follow;

// What a rod body of the set is made of; in the set's arena.
struct pl_instance_rod {
  const pl_scene_rod *source;
  pl_rod_def def;
  pl_character *character;  // owned, with its rig; NULL for a skeleton written in the scene
  pl_character_rig *rig;
  const char *path;                  // of the character's file, in the set's arena
  pl_character_additions additions;  // springs of the scene for the character
  const int32_t *nodes;              // of the joints, NULL without a character
  int32_t animation;                 // -1: at rest, or moved by
  pl_motion *motion;                 // of another file, owned; NULL: none
  pl_mesh **meshes;                  // owned: of colliders
  int32_t mesh_count;
  pl_transform *poses;  // room for the character's nodes
  double *morphs;       // room for the weights of its morph targets
  int32_t morph_count;
  pl_mesh *scalp;  // owned, with the strands that grow on it; NULL: none
  pl_strands *strands;
  pl_rod_follow *follows;  // one per joint; NULL: none follows
};

// Springs, colliders and examples of the scene for its character (scene_rod_springs.c), in the
// arena of the set.
pl_status pl_instance_add_springs(pl_scene_instance *set, pl_instance_rod *rod, pl_error *error);

// Where kinematic joint `joint` of a rod is at a time, in the body's frame. For a character
// pl_instance_rod_sample() comes before.
pl_transform pl_instance_rod_joint_at(const pl_instance_rod *rod, int32_t joint, double time);

// Put the character's nodes at a time into `rod->poses`; does nothing for a skeleton written in the
// scene.
void pl_instance_rod_sample(const pl_instance_rod *rod, double time);

// Let guides grow, build the model, and let strands grow (scene_strands.c).
pl_status pl_instance_grow_hair(pl_scene_instance *set, pl_instance_rod *rod, pl_findings *findings,
                                pl_model **model, pl_error *error);

// Joints and weights of a surface around the skeleton of `def` (scene_rod_skin.c), in the arena of
// the set.
pl_status pl_instance_skin_rod(pl_scene_instance *set, const pl_scene_rod_skin *skin,
                               const pl_mesh *surface, pl_rod_def *def, pl_error *error);

#endif
