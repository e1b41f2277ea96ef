// Cuts through the tets of a scene's bodies and the surfaces that they carry.
#include "base/error.h"
#include "scene/scene_detail.h"

static pl_status report_problem(pl_scene_instance *set, const pl_instance_part *part, const pl_scene_cut *cut,
                                pl_findings *findings, pl_error *error) {
  if (error->status == PL_ERROR_OUT_OF_MEMORY) return error->status;
  pl_instance_add_finding(set->scene, cut->json, findings, PL_SEVERITY_ERROR, "cut-failed", "",
                          "body \"%s\" cannot be cut: %s%s%s", part->source->name, error->field,
                          error->field[0] != '\0' ? ": " : "", error->text);
  return error->status;
}

// One after the other, so that walls that one cut leaves are cut by the next.
static pl_status cut_surface(pl_scene_instance *set, pl_instance_part *part, pl_error *error) {
  pl_mesh *from = part->cut_surface != NULL ? part->cut_surface : part->surface, *cut = NULL;
  int32_t bridging;
  if (from == NULL) return PL_OK;
  pl_status status = pl_mesh_cut_surface(set->context, part->tets, from, &cut, &bridging, error);
  if (status < 0) return status;
  pl_mesh_destroy(part->cut_surface);
  part->cut_surface = cut;
  return PL_OK;
}

pl_status pl_instance_cut_tets(pl_scene_instance *set, pl_instance_part *part, pl_findings *findings, pl_error *error) {
  const pl_scene_list *cuts = &part->source->tets.cuts;
  for (int32_t i = 0; i < cuts->count; ++i) {
    const pl_scene_cut *cut = &((const pl_scene_cut *)cuts->items)[i];
    pl_cut_def def = cut->def;
    def.blade_count = cut->hilts.count;
    def.blade_hilts = cut->hilts.items;
    def.blade_tips = cut->tips.items;
    pl_cut_result result;
    if (pl_mesh_cut(set->context, &def, part->tets, &result, error) < 0)
      return report_problem(set, part, cut, findings, error);
    pl_mesh_destroy(part->tets);
    part->tets = result.mesh;
    pl_embedding_destroy(result.embedding);
    pl_status status = cut_surface(set, part, error);
    if (status < 0) return status;
    if (result.report.split_tet_count + result.report.copied_point_count == 0)
      pl_instance_add_finding(set->scene, cut->json, findings, PL_SEVERITY_WARNING, "empty-cut",
                              "places are in the mesh's frame; a blade must pass through whole tets",
                              "this cut meets no tet of body \"%s\"", part->source->name);
  }
  return PL_OK;
}

pl_status pl_instance_cut_surface(pl_scene_instance *set, pl_instance_part *part, pl_findings *findings,
                                  pl_error *error) {
  if (part->surface == NULL || part->tets == NULL || pl_mesh_get_view(part->tets).tet_count == 0) return PL_OK;
  if (part->cut_surface != NULL) {
    pl_mesh_destroy(part->surface);
    part->surface = part->cut_surface;
    part->cut_surface = NULL;
  }
  int32_t bridging = 0;
  pl_status status = pl_mesh_cut_surface(set->context, part->tets, part->surface, NULL, &bridging, error);
  if (status >= 0 && bridging > 0)
    pl_instance_add_finding(set->scene, part->source->json, findings, PL_SEVERITY_WARNING, "bridged-cut",
                            "cut the surface too, or let `cuts` cut the tets, which cuts the surface with them",
                            "%d triangles of body \"%s\" bridge a cut of the tets that carry them", bridging,
                            part->source->name);
  return status;
}
