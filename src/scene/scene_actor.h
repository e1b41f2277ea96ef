// Actors of a scene: from the document to actors that move the bodies, their commands over time,
// and the expectations on them.
#ifndef PL_SCENE_ACTOR_H
#define PL_SCENE_ACTOR_H

#include "scene/scene_instance.h"

// Make the actors of all bodies that have one and let them move their bodies. The controller of the
// instance must exist already, so that a command acts from the step in which it is given
// (scene_actor.c).
pl_status pl_instance_add_actors(pl_scene_instance *set, pl_findings *findings, pl_error *error);

// Give the actors the commands of the scene for the coming step (scene_actor.c).
void pl_instance_steer_actors(pl_scene_instance *set, const pl_world *world);

// The parts of an actor of one body, in the set's arena (scene_actor_part.c).
pl_status pl_instance_choose_parts(pl_scene_instance *set, const pl_instance_part *part,
                                   pl_actor_def *def, pl_findings *findings, pl_error *error);

// Warn when the body sinks under its own weight so far that no behaviour could hold it up
// (scene_actor_stand.c).
pl_status pl_instance_check_standing(pl_scene_instance *set, const pl_instance_part *part,
                                     pl_findings *findings, pl_error *error);

// What the tables cannot say about an actor (scene_check_actor.c).
struct pl_scene_checker;
void pl_checker_actor(struct pl_scene_checker *c, const pl_scene_body *body);

#endif
