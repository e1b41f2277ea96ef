// Model and state of a rigid body.
//
// Frames: the mesh's frame, in which shapes are given; the principal frame, whose origin is the
// centre of mass and in which the inertia is diagonal; the world.
#ifndef PL_RIGID_MODEL_H
#define PL_RIGID_MODEL_H

#include "body/body_method.h"
#include "pliant/rigid.h"

typedef struct pl_rigid_model {
  pl_model head;
  pl_vec3 center;                   // centre of mass in the mesh's frame
  pl_quat principal;                // turns the principal frame into the mesh's
  pl_vec3 moments;                  // of inertia in the principal frame, kg m², falling
  const pl_vec3 *rest;              // particles relative to the centre, in the mesh's frame
  double damping, angular_damping;  // 1/s
} pl_rigid_model;

// Flat.
typedef struct pl_rigid_state {
  pl_vec3 center;            // of mass, in the world
  pl_quat rotation;          // turns the mesh's frame into the world's
  pl_vec3 velocity;          // of the centre
  pl_vec3 angular_velocity;  // in the world's frame
} pl_rigid_state;

// What a shape is: its volume, centre of mass and second moments for density 1.
typedef struct pl_rigid_volume {
  double volume;    // m³
  pl_vec3 center;   // in the mesh's frame
  pl_mat3 inertia;  // around the centre, m⁵
} pl_rigid_volume;

// Closed forms of spheres, capsules (along y) and boxes around the origin (rigid_volume.c).
pl_rigid_volume pl_rigid_volume_of_shape(const pl_rigid_def *def);
// Of the inside of closed triangles.
pl_rigid_volume pl_rigid_volume_of_triangles(const pl_vec3 *points, const int32_t *triangles,
                                             int32_t triangle_count, pl_vec3 origin);

// Triangles of a sphere, capsule or box (rigid_shape.c). The caller owns the mesh.
pl_status pl_rigid_shape_build(pl_context *context, const pl_rigid_def *def, pl_mesh **mesh,
                               pl_error *error);

// The method's functions (rigid_step.c, rigid_surface.c).
extern const pl_body_method pl_rigid_method;
pl_status pl_rigid_move(const pl_model *model, void *state, const pl_body_move *move,
                        pl_error *error);

// Angular momentum, and the angular velocity that it belongs to.
pl_vec3 pl_rigid_momentum_of(const pl_rigid_model *model, pl_quat rotation,
                             pl_vec3 angular_velocity);
pl_vec3 pl_rigid_velocity_of(const pl_rigid_model *model, pl_quat rotation,
                             pl_vec3 angular_momentum);

// The rotation of a body without torque after `step` seconds.
pl_quat pl_rigid_turn(const pl_rigid_model *model, pl_quat rotation, pl_vec3 angular_momentum,
                      double step);

// A push at a point: the linear and angular change that moves the point `arm` from the centre by
// `change`.
void pl_rigid_push_of(const pl_rigid_model *model, pl_quat rotation, pl_vec3 arm, pl_vec3 change,
                      pl_vec3 *linear, pl_vec3 *angular);

#endif
