// Solids of a scene: from the document to the def and the model of a body.
#include <math.h>
#include <stdio.h>

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

// Regions of one part that cannot be held, by group.
typedef struct strained_part {
  const char *group;  // NULL: of none
  int32_t count;
  pl_vec3 place;  // of the first
} strained_part;

enum { MAX_STRAINED = 16, MAX_NAMED = 3 };

static void name_parts(strained_part *parts, int32_t count, char text[300]) {
  size_t length = 0;
  text[0] = '\0';
  for (int32_t n = 0; n < count && n < MAX_NAMED; ++n) {
    int32_t largest = n;
    for (int32_t k = n + 1; k < count; ++k) largest = parts[k].count > parts[largest].count ? k : largest;
    strained_part part = parts[largest];
    parts[largest] = parts[n];
    parts[n] = part;
    const char *comma = n > 0 ? ", " : "";
    int written = part.group != NULL
                      ? snprintf(text + length, 300 - length, "%s%d in \"%s\"", comma, part.count, part.group)
                      : snprintf(text + length, 300 - length, "%s%d around (%.3g, %.3g, %.3g)", comma, part.count,
                                 part.place.x, part.place.y, part.place.z);
    if (written < 0 || (size_t)written >= 300 - length) return;
    length += (size_t)written;
  }
}

// Examples that strain regions past what can be held, by the names of the regions.
static void check_strain(pl_scene_instance *set, const pl_instance_part *part, pl_findings *findings) {
  const pl_scene_list *examples = &part->source->solid.examples;
  pl_mesh_view tets = pl_mesh_get_view(part->tets);
  for (int32_t k = 0; k < examples->count; ++k) {
    strained_part parts[MAX_STRAINED];
    int32_t part_count = 0, total = 0;
    for (int32_t i = 0; i < tets.point_count; ++i) {
      if (pl_solid_is_held(part->model, k, i)) continue;
      const char *group = pl_instance_group_of_point(set, part, i);
      int32_t found = 0;
      while (found < part_count && parts[found].group != group) ++found;
      ++total;
      if (found == part_count && part_count < MAX_STRAINED)
        parts[part_count++] = (strained_part){group, 0, tets.points[i]};
      if (found < part_count) ++parts[found].count;
    }
    if (total == 0) continue;
    char names[300];
    name_parts(parts, part_count, names);
    pl_instance_add_finding(set->scene, part->source->solid.json, findings, PL_SEVERITY_WARNING, "strained-example",
                            "make that part thicker in the pose, or use more tets",
                            "body \"%s\" cannot hold %d of %d regions in its example \"%s\", which squeezes them to a "
                            "line, so that what lies on both sides turns freely: %s",
                            part->source->name, total, tets.point_count, ((const char *const *)examples->items)[k],
                            names);
  }
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
  if (status >= 0) check_strain(set, part, findings);
  return status;
}
