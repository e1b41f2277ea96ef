// The points of a PLY file one by one, for those who want no mesh.
#ifndef PL_IO_PLY_POINTS_H
#define PL_IO_PLY_POINTS_H

#include "io/mesh_formats.h"
#include "pliant/picture.h"

typedef struct pl_ply_point {
  pl_vec3 position, normal;
  pl_color color;  // 0 to 1 where the file keeps to its types
  bool has_normal, has_color;
} pl_ply_point;

// Receives each point; a negative status ends the reading.
typedef pl_status pl_ply_point_function(void *data, const pl_ply_point *point);

// Read the element "vertex"; faces, edges and all else are passed over.
pl_status pl_ply_read_points(pl_mesh_source *source, pl_ply_point_function *function, void *data);

#endif
