// The surface of a body, for contact and display: the boundary of its tets, or a finer surface
// embedded in them.
#ifndef PL_BODY_SURFACE_H
#define PL_BODY_SURFACE_H

#include "body/body_method.h"

// Fill `surface` from arena memory. `fine` may be NULL for the boundary of the tets of `mesh`.
pl_status pl_body_surface_build(pl_context *context, const pl_mesh *mesh, const pl_mesh *fine,
                                double tolerance, pl_arena *arena, pl_contact_surface *surface,
                                pl_error *error);

// The same from `triangle_count` triangles between points of `view`: surface points are those that
// the triangles use, in their order, and each is a particle itself.
pl_status pl_body_surface_of_triangles(const pl_mesh_view *view, const int32_t *triangles,
                                       int32_t triangle_count, pl_arena *arena,
                                       pl_contact_surface *surface, pl_error *error);

#endif
