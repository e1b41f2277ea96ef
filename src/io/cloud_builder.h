// Clouds being read: points come one by one, from one file or several.
#ifndef PL_IO_CLOUD_BUILDER_H
#define PL_IO_CLOUD_BUILDER_H

#include "base/vector.h"
#include "pliant/cloud.h"
#include "text/text_source.h"

struct pl_cloud {
  pl_context *context;
  pl_vector points, normals, colors, cameras;  // the last three as long as the points, or empty
  int64_t dropped_count, pixel_count, invalid_pixel_count;
};

// An empty cloud, or NULL when out of memory; pl_cloud_destroy() ends it.
pl_cloud *pl_cloud_create(pl_context *context);

// Append a point with its normal and colour, each NULL for none; all points of a cloud have the
// same parts. A point that is not finite is counted and left out. Fails when out of memory, or when
// there are more points than can be numbered.
pl_status pl_cloud_add(pl_cloud *cloud, pl_vec3 point, const pl_vec3 *normal, const pl_color *color,
                       pl_error *error);

// Readers of one format each: append the points of the source.
pl_status pl_cloud_ply_read(pl_mesh_source *source, pl_cloud *cloud);
pl_status pl_cloud_pcd_read(pl_mesh_source *source, pl_cloud *cloud);
pl_status pl_cloud_xyz_read(pl_mesh_source *source, pl_cloud *cloud);

pl_status pl_cloud_npy_read(pl_mesh_source *source, pl_cloud *cloud);

// Whether the bytes begin as an .npy file or a zip file do.
bool pl_cloud_is_npy(const pl_mesh_source *source);

// Whether the bytes begin as a PCD file does: comments, then one of its words.
bool pl_cloud_is_pcd(const pl_mesh_source *source);

#endif
