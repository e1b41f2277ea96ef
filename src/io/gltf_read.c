// glTF 2.0 (Khronos, ISO/IEC 12113) as one mesh: container and JSON (gltf_document), node placements (gltf_scene),
// vertices, poses and elements (gltf_gather, gltf_elements), colours and other weights (gltf_groups), seams closed
// (gltf_weld) or vertices numbered as in the modelling program (gltf_ids).
#include "base/context.h"
#include "base/error.h"
#include "io/gltf.h"
#include "io/gltf_gather.h"

pl_status pl_gltf_create_mesh(pl_gltf *gltf, const pl_gltf_soup *soup, const int32_t *point_of_source,
                              int32_t source_count, pl_mesh **mesh) {
  pl_mesh_pose *poses = PL_TAKE(&gltf->arena, pl_mesh_pose, soup->pose_count);
  pl_mesh_group *groups = PL_TAKE(&gltf->arena, pl_mesh_group, soup->group_count);
  if (poses == NULL || groups == NULL) return pl_fail_memory(gltf->error);
  for (int32_t i = 0; i < soup->group_count; ++i) groups[i] = (pl_mesh_group){soup->group_names[i], soup->groups[i]};
  for (int32_t i = 0; i < soup->pose_count; ++i) poses[i] = (pl_mesh_pose){soup->pose_names[i], soup->poses[i]};
  pl_mesh_view view = {
      .point_count = soup->vertex_count,
      .points = soup->points,
      .segment_count = (int32_t)(soup->segments.count / 2),
      .segments = soup->segments.items,
      .triangle_count = (int32_t)(soup->triangles.count / 3),
      .triangles = soup->triangles.items,
      .group_count = soup->group_count,
      .groups = soup->group_count > 0 ? groups : NULL,
      .pose_count = soup->pose_count,
      .poses = soup->pose_count > 0 ? poses : NULL,
      .source_count = point_of_source == NULL ? 0 : source_count,
      .point_of_source = point_of_source,
  };
  return pl_mesh_create(gltf->context, &view, mesh, gltf->error);
}

static pl_status create_welded(pl_gltf *gltf, pl_gltf_soup *soup, pl_mesh **mesh) {
  int32_t source_count = soup->vertex_count;
  int32_t *point_of_source = NULL;
  pl_gltf_ids ids;
  pl_status status = pl_gltf_read_ids(gltf, soup, &ids);
  if (status >= 0)
    status = ids.count > 0 ? pl_gltf_order_by_ids(gltf, soup, &ids) : pl_gltf_weld(gltf, soup, &point_of_source);
  return status < 0 ? status : pl_gltf_create_mesh(gltf, soup, point_of_source, source_count, mesh);
}

pl_status pl_gltf_read(pl_context *context, const void *bytes, size_t size, const char *name, const char *folder,
                       pl_mesh **mesh, pl_findings *findings, pl_error *error) {
  *mesh = NULL;
  pl_gltf gltf;
  pl_status status = pl_gltf_open(&gltf, context, bytes, size, name, folder, findings, error);
  if (status < 0) return status;
  pl_gltf_soup soup;
  status = pl_gltf_gather(&gltf, &soup);
  if (status >= 0) status = pl_gltf_read_groups(&gltf, &soup);
  if (status >= 0) status = create_welded(&gltf, &soup, mesh);
  pl_gltf_soup_free(&soup);
  pl_gltf_close(&gltf);
  return status;
}
