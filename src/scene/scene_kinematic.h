// Kinematic meshes of a scene: characters and caches that play, and what follows their nodes.
#ifndef PL_SCENE_KINEMATIC_H
#define PL_SCENE_KINEMATIC_H

#include "pliant/attachment.h"
#include "pliant/motion.h"
#include "scene/scene_instance.h"

// A kinematic mesh of the set; in the set's arena, shared by copies of the body.
struct pl_instance_kinematic {
  const pl_scene_kinematic *source;
  pl_character *character;  // owned, NULL for a cache
  pl_motion *motion;        // owned
  pl_motion_report report;
  pl_transform *nodes;  // at the time sampled last, in the body's frame
  pl_transform *rest;   // at rest
  double *morphs;       // at the time sampled last
  pl_vec3 *points;      // workspace, one per point
};

// A body that plays.
typedef struct pl_instance_playing {
  pl_body_id body;
  pl_instance_kinematic *kinematic;
  pl_transform placement;
} pl_instance_playing;

// Particles that are tied to a node.
typedef struct pl_instance_tie {
  pl_attachment_id id;
  pl_instance_kinematic *kinematic;
  pl_transform placement;
  int32_t node;
} pl_instance_tie;

// The part of that name if it is a kinematic mesh; NULL otherwise.
const pl_instance_part *pl_instance_find_kinematic(const pl_scene_instance *set, const char *name);

// Node of a kinematic mesh by name, with a finding and -1 where there is none.
int32_t pl_instance_find_node(const pl_scene_instance *set, const pl_instance_part *part,
                              const pl_json *json, const char *key, const char *name,
                              pl_findings *findings, pl_error *error);

// Sample nodes and morphs at a time of the scene.
void pl_instance_kinematic_sample(const pl_instance_kinematic *kinematic, double time,
                                  pl_vec3 *points);

#endif
