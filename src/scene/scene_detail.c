// Sets of examples of detail on the bodies of a scene: read from their files and made layers of the bodies.
#include "scene/scene_detail.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "pliant/detail_file.h"

static pl_status report_problem(pl_scene_instance *set, const pl_instance_part *part, const char *key,
                                pl_findings *findings, const pl_error *error) {
  const pl_json *json_node = pl_json_find(part->source->detail.json, key);
  pl_instance_add_finding(set->scene, json_node != NULL ? json_node : part->source->detail.json, findings,
                          PL_SEVERITY_ERROR, "detail-failed", "", "body \"%s\" cannot show detail: %s%s%s",
                          part->source->name, error->field, error->field[0] != '\0' ? ": " : "", error->text);
  return error->status;
}

// A file is read once, however many bodies use it.
static pl_status find_set(pl_scene_instance *set, const pl_instance_part *part, const pl_detail_set **found,
                          pl_error *error) {
  const char *file = part->source->detail.set;
  for (size_t i = 0; i < set->details.count; ++i) {
    const pl_instance_detail *other = &PL_ITEM(&set->details, pl_instance_detail, i);
    if (other->set == NULL || strcmp(other->source->set, file) != 0) continue;
    *found = other->set;
    return PL_OK;
  }
  pl_instance_detail entry = {.source = &part->source->detail};
  char *path = pl_path_join(set->context, set->scene->folder, file);
  if (path == NULL) return pl_fail_memory(error);
  pl_status status = pl_detail_set_load(set->context, path, &entry.set, error);
  pl_release(set->context, path);
  if (status < 0) return status;
  if (!pl_vector_push(&set->details, &entry)) {
    pl_detail_set_destroy(entry.set);
    return pl_fail_memory(error);
  }
  *found = entry.set;
  return PL_OK;
}

static pl_status choose_tools(pl_scene_instance *set, const pl_scene_detail *detail, pl_detail_layer_def *def,
                              pl_error *error) {
  pl_collider_id *tools = PL_TAKE(&set->arena, pl_collider_id, detail->tools.count);
  if (tools == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < detail->tools.count; ++i)
    for (size_t k = 0; k < set->colliders.count; ++k) {
      const pl_instance_collider *collider = &PL_ITEM(&set->colliders, pl_instance_collider, k);
      if (strcmp(collider->source->name, ((const char *const *)detail->tools.items)[i]) == 0) tools[i] = collider->id;
    }
  def->tools = tools;
  def->tool_count = detail->tools.count;
  return PL_OK;
}

static pl_status add_detail(pl_scene_instance *set, const pl_instance_part *part, pl_findings *findings,
                            pl_error *error) {
  const pl_scene_detail *detail = &part->source->detail;
  pl_detail_layer_def def = detail->def;
  pl_status status = find_set(set, part, &def.set, error);
  if (status < 0) return status == PL_ERROR_OUT_OF_MEMORY ? status : report_problem(set, part, "set", findings, error);
  status = choose_tools(set, detail, &def, error);
  if (status < 0) return status;
  def.mesh = part->tets;
  pl_instance_detail entry = {.source = detail};
  status = pl_detail_layer_add(set->world, part->body.id, &def, &entry.layer, error);
  if (status < 0) return status == PL_ERROR_OUT_OF_MEMORY ? status : report_problem(set, part, "", findings, error);
  // From here on the world calls the layer, so that it must live as long.
  if (pl_vector_push(&set->details, &entry)) return PL_OK;
  (void)pl_world_remove_body(set->world, part->body.id, NULL);
  pl_detail_layer_destroy(entry.layer);
  return pl_fail_memory(error);
}

pl_status pl_instance_add_details(pl_scene_instance *set, pl_findings *findings, pl_error *error) {
  pl_status status = PL_OK;
  for (size_t i = 0; status >= 0 && i < set->parts.count; ++i) {
    const pl_instance_part *part = &PL_ITEM(&set->parts, pl_instance_part, i);
    if (part->source->detail.json != NULL) status = add_detail(set, part, findings, error);
  }
  return status;
}

void pl_instance_destroy_details(pl_scene_instance *set) {
  for (size_t i = 0; i < set->details.count; ++i)
    pl_detail_layer_destroy(PL_ITEM(&set->details, pl_instance_detail, i).layer);
  for (size_t i = 0; i < set->details.count; ++i)
    pl_detail_set_destroy(PL_ITEM(&set->details, pl_instance_detail, i).set);
  pl_vector_free(&set->details);
}
