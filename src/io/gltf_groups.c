// Weights per vertex out of a glTF file: colours, which painters have, and scalar attributes of an application's own,
// whose names begin with an underscore (glTF 2.0, section 3.7.2.1). Blender writes both: colour attributes, and float
// attributes called `_NAME`.
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/finding.h"
#include "io/gltf_gather.h"
#include "io/mesh_builder.h"

enum { MAX_GROUPS = 256, MAX_COLOR_SETS = 8 };

// Which vertex of the modelling program a vertex is, not a weight.
bool pl_gltf_is_vertex_id(const char *attribute) {
  return strcmp(attribute, "_VERTEX_ID") == 0 || strcmp(attribute, "__VERTEX_ID") == 0;
}

typedef struct reading {
  pl_gltf *gltf;
  pl_gltf_soup *soup;
  const char *names[MAX_GROUPS];
  float *groups[MAX_GROUPS];
  bool outside[MAX_GROUPS];
  int32_t count;
} reading;

// The group of that name, made if it is new; -1 where there are too many for the size of the file.
static pl_status find_group(reading *r, const char *name, int32_t *group) {
  for (*group = 0; *group < r->count; ++*group)
    if (strcmp(r->names[*group], name) == 0) return PL_OK;
  int64_t values = (int64_t)(r->count + 1) * r->soup->vertex_count;
  if (r->count == MAX_GROUPS || values > (INT64_C(1) << 20) + 64 * (int64_t)r->gltf->byte_count) {
    *group = -1;
    return PL_OK;
  }
  r->names[r->count] = pl_arena_copy_text(&r->gltf->arena, name);
  r->groups[r->count] = PL_TAKE(&r->gltf->arena, float, r->soup->vertex_count);
  if (r->gltf->arena.failed) return pl_fail_memory(r->gltf->error);
  r->count++;
  return PL_OK;
}

static pl_status put_weights(reading *r, const pl_gltf_part *part, const char *name, const double *values, int32_t step,
                             int32_t channel) {
  int32_t group;
  pl_status status = find_group(r, name, &group);
  if (status < 0 || group < 0) return status;
  float *weights = r->groups[group] + part->vertex_start;
  for (int32_t i = 0; i < part->vertex_count; ++i) {
    double value = values[(size_t)i * (size_t)step + (size_t)channel];
    bool valid = value >= 0 && value <= 1;
    r->outside[group] = r->outside[group] || !valid;
    weights[i] = valid ? (float)value : 0;
  }
  return PL_OK;
}

// The set of colours that an attribute is, -1 for none.
static int color_set(const char *attribute) {
  char name[32];
  for (int set = 0; set < MAX_COLOR_SETS; ++set) {
    snprintf(name, sizeof name, "COLOR_%d", set);
    if (strcmp(attribute, name) == 0) return set;
  }
  return -1;
}

static pl_status read_attribute(reading *r, const pl_gltf_part *part, const pl_json *reference) {
  char attribute[128];
  if (reference->key_length >= (int32_t)sizeof attribute) return PL_OK;
  memcpy(attribute, reference->key, (size_t)reference->key_length);
  attribute[reference->key_length] = '\0';
  int set = color_set(attribute);
  bool own = attribute[0] == '_' && attribute[1] != '\0' && !pl_gltf_is_vertex_id(attribute);
  if (set < 0 && !own) return PL_OK;
  pl_gltf_accessor accessor;
  pl_status status = pl_gltf_open_accessor(r->gltf, reference, &accessor);
  if (status < 0) return status;
  if (accessor.count != part->vertex_count)
    return pl_json_fail(r->gltf->document, reference, r->gltf->error, PL_ERROR_INVALID_DATA,
                        "this attribute has %d vertices, its primitive %d", accessor.count, part->vertex_count);
  if (set >= 0 ? accessor.component_count < 3 : accessor.component_count != 1) return PL_OK;
  double *values =
      pl_allocate_array(r->gltf->context, (size_t)accessor.count * (size_t)accessor.component_count, sizeof *values);
  if (values == NULL) return pl_fail_memory(r->gltf->error);
  status = pl_gltf_read_doubles(r->gltf, &accessor, values);
  for (int channel = 0; channel < accessor.component_count && status >= 0; ++channel) {
    char name[PL_MAP_NAME_SIZE];
    if (set >= 0) pl_color_map_name(name, set, channel);
    status = put_weights(r, part, set >= 0 ? name : attribute + 1, values, accessor.component_count, channel);
  }
  pl_release(r->gltf->context, values);
  return status;
}

static pl_status note_outside(const pl_gltf *gltf, const char *name) {
  static const pl_finding about = {.severity = PL_SEVERITY_WARNING,
                                   .index = -1,
                                   .kind = "map-range",
                                   .why = "weights go from 0 to 1",
                                   .fix = "scale it to that range"};
  pl_status status =
      pl_json_add_finding(gltf->document, pl_json_find(gltf->root, "meshes"), true, gltf->findings, &about,
                          "the attribute \"%.80s\" has values outside 0 to 1 and is left out", name);
  return status < 0 ? pl_fail_memory(gltf->error) : PL_OK;
}

// Keep the groups that are weights.
static pl_status finish(reading *r) {
  pl_arena *arena = &r->gltf->arena;
  int32_t kept = 0;
  for (int32_t i = 0; i < r->count; ++i) {
    if (r->outside[i]) {
      pl_status status = note_outside(r->gltf, r->names[i]);
      if (status < 0) return status;
      continue;
    }
    r->names[kept] = r->names[i];
    r->groups[kept++] = r->groups[i];
  }
  r->soup->group_names = pl_arena_copy(arena, r->names, (size_t)kept, sizeof r->names[0]);
  r->soup->groups = pl_arena_copy(arena, r->groups, (size_t)kept, sizeof r->groups[0]);
  r->soup->group_count = kept;
  return arena->failed ? pl_fail_memory(r->gltf->error) : PL_OK;
}

pl_status pl_gltf_read_groups(pl_gltf *gltf, pl_gltf_soup *soup) {
  reading r = {.gltf = gltf, .soup = soup};
  pl_status status = PL_OK;
  for (int32_t i = 0; i < soup->part_count; ++i) {
    const pl_json *attributes = pl_json_find(soup->parts[i].primitive, "attributes");
    for (const pl_json *item = attributes == NULL ? NULL : attributes->first; item != NULL && status >= 0;
         item = item->next)
      status = read_attribute(&r, &soup->parts[i], item);
  }
  return status < 0 ? status : finish(&r);
}
