// The pose that a body has now, written as an example.
#ifndef STUDIO_POSE_H
#define STUDIO_POSE_H

#include "studio_document.h"

// Particles of a body of tets, or of a thin one, as `points` of a pose of its mesh: without its motion as a whole.
pl_status studio_pose_add_to_mesh(studio_world *world, studio_document *document, int32_t body, pl_json *pose, pl_error *error);

// Joints of every chain of a rod as an example of that name, with the direction of the camera, added to the chains of the document.
pl_status studio_pose_add_to_chains(studio_world *world, studio_document *document, int32_t body, pl_json *chains, const char *name,
                                    pl_error *error);

// Where the camera is that view drivers follow.
pl_vec3 studio_pose_eye(const studio_world *world);

// Direction to the camera from the root of a chain, in the frame of the led joint above it, which is turned by `turn`.
pl_vec3 studio_pose_view(const studio_world *world, pl_vec3 root, pl_quat turn);

#endif
