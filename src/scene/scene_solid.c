// Solids of a scene: from the document to the def and the model of a body.
#include <math.h>

#include "base/error.h"
#include "scene/scene_instance.h"
#include "solid/solid_model.h"

static pl_status choose_groups(pl_scene_instance *set, const pl_instance_part *part, pl_solid_def *def,
                               pl_findings *findings, pl_error *error) {
  const pl_scene_list *wanted = &part->source->solid.groups;
  pl_mesh_group *groups = PL_TAKE(&set->arena, pl_mesh_group, wanted->count);
  if (groups == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < wanted->count; ++i) {
    const char *name = ((const char *const *)wanted->items)[i];
    groups[i].name = name;
    pl_status status = pl_instance_find_group(set, part, name, &groups[i].weights, error);
    if (status < 0) return status;
    if (groups[i].weights == NULL) {
      pl_instance_report_name(set, part->source, findings, "group", name, NULL, 0);
      return pl_fail(error, PL_ERROR_INVALID_DATA, "there is no group \"%s\"", name);
    }
  }
  def->groups = groups;
  def->group_count = wanted->count;
  return PL_OK;
}

// Factors per point, in the order of the def's fields.
enum { MAP_STIFFNESS, MAP_DENSITY, MAP_FIDELITY, MAP_PLASTICITY, MAP_COUNT };

// Stiffness and density span decades, so a border runs through their powers: half way between 1 and 100 is 10.
// Fractions may be 0 and run straight.
static void multiply_maps(const pl_scene_solid_map *map, const float *weights, int32_t count,
                          float *const factors[MAP_COUNT]) {
  for (int32_t i = 0; i < count; ++i) {
    double w = fmin(fmax((double)weights[i], 0), 1);
    factors[MAP_STIFFNESS][i] *= (float)pow(map->stiffness, w);
    factors[MAP_DENSITY][i] *= (float)pow(map->density, w);
    factors[MAP_FIDELITY][i] *= (float)(1 + w * (map->fidelity - 1));
    factors[MAP_PLASTICITY][i] *= (float)(1 + w * (map->plasticity - 1));
  }
}

static pl_status make_maps(pl_scene_instance *set, const pl_instance_part *part, pl_solid_def *def,
                           pl_findings *findings, pl_error *error) {
  const pl_scene_list *maps = &part->source->solid.maps;
  if (maps->count == 0) return PL_OK;
  int32_t count = pl_mesh_get_view(part->tets).point_count;
  float *factors[MAP_COUNT];
  for (int f = 0; f < MAP_COUNT; ++f) {
    factors[f] = PL_TAKE(&set->arena, float, count);
    if (factors[f] == NULL) return pl_fail_memory(error);
    for (int32_t i = 0; i < count; ++i) factors[f][i] = 1;
  }
  bool has_fractions = false;
  for (int32_t m = 0; m < maps->count; ++m) {
    const pl_scene_solid_map *map = &((const pl_scene_solid_map *)maps->items)[m];
    const float *weights = NULL;
    pl_status status = pl_instance_find_map(set, part, map->group, &weights, error);
    if (status < 0) return status;
    if (weights == NULL) {
      pl_instance_report_name(set, part->source, findings, "group", map->group, NULL, 0);
      return pl_fail(error, PL_ERROR_INVALID_DATA, "there is no group \"%s\"", map->group);
    }
    has_fractions = has_fractions || map->fidelity < 1 || map->plasticity < 1;
    multiply_maps(map, weights, count, factors);
  }
  def->stiffness_scales = factors[MAP_STIFFNESS];
  def->density_scales = factors[MAP_DENSITY];
  if (has_fractions) def->fidelity_scales = factors[MAP_FIDELITY], def->plastic_scales = factors[MAP_PLASTICITY];
  return PL_OK;
}

// A Young's modulus that the step cannot follow.
static void check_step(pl_scene_instance *set, const pl_instance_part *part, pl_findings *findings) {
  const pl_scene_solid *solid = &part->source->solid;
  double step = set->scene->document.time.step, max = pl_solid_max_step(part->model);
  if (!(step > max)) return;
  const pl_json *json = pl_json_find(solid->json, "young");
  pl_instance_add_finding(set->scene, json != NULL ? json : part->source->json, findings, PL_SEVERITY_WARNING,
                          "stiffness-cut", "lower `time.step`, or use fewer points",
                          "body \"%s\" needs steps of %.3g s or less for %.3g Pa; with %.3g s it is as soft as %.3g Pa",
                          part->source->name, max, solid->def.young, step,
                          solid->def.young * (max / step) * (max / step));
}

pl_status pl_instance_make_solid(pl_scene_instance *set, pl_instance_part *part, pl_findings *findings,
                                 pl_error *error) {
  const pl_scene_solid *solid = &part->source->solid;
  pl_status status = pl_instance_make_tets(set, part, findings, error);
  if (status < 0) return status;
  pl_solid_def def = solid->def;
  def.surface = part->surface;
  def.example_count = solid->examples.count;
  status = pl_instance_choose_poses(set, part, &solid->examples, &def.examples, findings, error);
  if (status >= 0 && def.grouping == PL_SOLID_BY_GROUP) status = choose_groups(set, part, &def, findings, error);
  if (status >= 0) status = make_maps(set, part, &def, findings, error);
  if (status < 0) return status;
  status = pl_solid_build(set->context, &def, part->tets, &part->model, error);
  if (status >= 0 && def.young > 0) check_step(set, part, findings);
  return status;
}
