// The current pose of a body, written into the document as an example.
#ifndef STUDIO_POSE_H
#define STUDIO_POSE_H

#include "studio_document.h"

// Set `points` of a pose of the mesh to the particles of the body, with the rigid motion removed.
pl_status studio_pose_add_to_mesh(studio_world *world, studio_document *document, int32_t body,
                                  pl_json *pose, pl_error *error);

// Add an example of this name to every chain of a rod in the document: its joints, and the
// direction to the camera.
pl_status studio_pose_add_to_chains(studio_world *world, studio_document *document, int32_t body,
                                    pl_json *chains, const char *name, pl_error *error);

// Position of the camera that view drivers use.
pl_vec3 studio_pose_eye(const studio_world *world);

// Direction to the camera from the root of a chain, in the frame of its kinematic parent joint with
// rotation `turn`.
pl_vec3 studio_pose_view(const studio_world *world, pl_vec3 root, pl_quat turn);

#endif
