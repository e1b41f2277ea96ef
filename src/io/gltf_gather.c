// glTF meshes to one set of vertices. Two passes: the first lists the primitives, counts vertices and unites the names
// of morph targets over all meshes; then memory is taken once, and the second pass reads positions, targets and
// elements. A mesh that lacks a target of another mesh is at rest in that pose.
#include "io/gltf_gather.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/finding.h"
#include "io/gltf_elements.h"
#include "math/mat3.h"

typedef struct part {
  const pl_gltf_instance *instance;
  int32_t piece;  // number of the instance
  const pl_json *primitive, *position;
  const pl_json *targets;   // array, or NULL
  int32_t *pose_of_target;  // NULL without targets
  int32_t vertex_start, vertex_count;
  bool shares_vertices;  // with an earlier primitive of the same instance
} part;

typedef struct gather {
  pl_gltf *gltf;
  pl_gltf_soup *soup;
  const char *const *attributes;  // as of pl_gltf_gather_instances()
  pl_vector parts;                // of part
  pl_vector names;                // of const char *
  int64_t vertex_count;
} gather;

// Vertices times poses may exceed the file's size, because targets may be sparse and meshes be placed many times; but a
// small file must not be able to ask for all the memory there is. 64 vertices a byte is ten times what rigs with
// hundreds of sparse targets need.
static int64_t max_growth(const pl_gltf *gltf) {
  return (INT64_C(1) << 20) + 64 * (int64_t)gltf->byte_count;
}

static pl_status fail_growth(const pl_gltf *gltf, const pl_json *json_node) {
  return pl_json_fail(
      gltf->document, json_node, gltf->error, PL_ERROR_INVALID_DATA,
      "the meshes of this file grow to more than a thousand times its size; its counts must be damaged");
}

// --- names of morph targets -------------------------------------------------------------------------------------

// extras.targetNames of the mesh (Blender, three.js, Maya, Babylon) or of the primitive (UniVRM).
static const char *given_name(const part *p, int32_t target) {
  const pl_json *holders[2] = {p->instance->mesh, p->primitive};
  for (int i = 0; i < 2; ++i) {
    const char *name = NULL;
    const pl_json *names = pl_json_find(pl_json_find(holders[i], "extras"), "targetNames");
    if (pl_json_get_text(pl_json_at(names, target), &name) && name[0] != '\0') return name;
  }
  return NULL;
}

static int32_t find_or_add_name(gather *g, const char *name) {
  for (size_t i = 0; i < g->names.count; ++i)
    if (strcmp(PL_ITEM(&g->names, const char *, i), name) == 0) return (int32_t)i;
  return pl_vector_push(&g->names, &name) ? (int32_t)g->names.count - 1 : -1;
}

static bool is_taken(const part *p, int32_t target, int32_t pose) {
  for (int32_t i = 0; i < target; ++i)
    if (p->pose_of_target[i] == pose) return true;
  return false;
}

static pl_status note_same_name(const pl_gltf *gltf, const part *p, const char *name) {
  static const pl_finding about = {.severity = PL_SEVERITY_WARNING,
                                   .index = -1,
                                   .kind = "gltf-target-name",
                                   .why = "poses are found by name",
                                   .fix = "give each shape key a name of its own"};
  pl_status status =
      pl_json_add_finding(gltf->document, p->targets, true, gltf->findings, &about,
                          "two morph targets of one mesh are named \"%.80s\"; the later one is renamed", name);
  return status < 0 ? pl_fail_memory(gltf->error) : PL_OK;
}

static pl_status name_targets(gather *g, part *p) {
  int32_t count = p->targets->count;
  p->pose_of_target = PL_TAKE(&g->gltf->arena, int32_t, count);
  if (p->pose_of_target == NULL) return pl_fail_memory(g->gltf->error);
  for (int32_t target = 0; target < count; ++target) {
    const char *given = given_name(p, target);
    size_t workspace = (given == NULL ? 0 : strlen(given)) + 32;
    char *name = PL_TAKE(&g->gltf->arena, char, workspace);
    if (name == NULL) return pl_fail_memory(g->gltf->error);
    if (given == NULL)
      snprintf(name, workspace, "target_%d", target);
    else
      snprintf(name, workspace, "%s", given);
    int32_t pose = find_or_add_name(g, name);
    if (pose >= 0 && is_taken(p, target, pose)) {
      if (!p->shares_vertices) {
        pl_status status = note_same_name(g->gltf, p, name);
        if (status < 0) return status;
      }
      size_t length = strlen(name);
      for (int32_t number = target; pose >= 0 && is_taken(p, target, pose); ++number) {
        snprintf(name + length, workspace - length, "_%d", number);
        pose = find_or_add_name(g, name);
      }
    }
    if (pose < 0) return pl_fail_memory(g->gltf->error);
    p->pose_of_target[target] = pose;
  }
  return PL_OK;
}

// --- first pass -------------------------------------------------------------------------------------------------

static bool has_same_number(const pl_json *a, const pl_json *b) {
  return a == b ||
         (a != NULL && b != NULL && a->kind == PL_JSON_NUMBER && b->kind == PL_JSON_NUMBER && a->number == b->number);
}

// Primitives often are index lists into one set of vertices; that set is then taken once.
static bool shares_vertices(const gather *g, const part *a, const part *b) {
  if (!has_same_number(a->position, b->position)) return false;
  for (const char *const *key = g->attributes; key != NULL && *key != NULL; ++key)
    if (!has_same_number(pl_json_find(a->position->parent, *key), pl_json_find(b->position->parent, *key)))
      return false;
  int32_t count = a->targets == NULL ? 0 : a->targets->count;
  if (count != (b->targets == NULL ? 0 : b->targets->count)) return false;
  for (int32_t i = 0; i < count; ++i)
    if (!has_same_number(pl_json_find(pl_json_at(a->targets, i), "POSITION"),
                         pl_json_find(pl_json_at(b->targets, i), "POSITION")))
      return false;
  return true;
}

static pl_status check_position(const pl_gltf *gltf, const pl_json *reference, const pl_gltf_accessor *accessor) {
  if (accessor->component_count != 3)
    return pl_json_fail(gltf->document, reference, gltf->error, PL_ERROR_INVALID_DATA,
                        "positions must be of type VEC3");
  return PL_OK;
}

static pl_status plan_vertices(gather *g, part *p, size_t first_part_of_instance) {
  for (size_t i = first_part_of_instance; i < g->parts.count; ++i) {
    const part *earlier = &PL_ITEM(&g->parts, part, i);
    if (earlier->shares_vertices || !shares_vertices(g, earlier, p)) continue;
    p->shares_vertices = true;
    p->vertex_start = earlier->vertex_start;
    p->vertex_count = earlier->vertex_count;
    return PL_OK;
  }
  pl_gltf_accessor accessor;
  pl_status status = pl_gltf_open_accessor(g->gltf, p->position, &accessor);
  if (status >= 0) status = check_position(g->gltf, p->position, &accessor);
  if (status < 0) return status;
  if (accessor.data == NULL && accessor.sparse_count == 0)
    return pl_json_fail(g->gltf->document, p->position, g->gltf->error, PL_ERROR_INVALID_DATA,
                        "the positions have no data; if the mesh is compressed, export without compression");
  p->vertex_start = (int32_t)g->vertex_count;
  p->vertex_count = accessor.count;
  g->vertex_count += accessor.count;
  if (g->vertex_count > max_growth(g->gltf) || g->vertex_count > INT32_MAX) return fail_growth(g->gltf, p->position);
  return PL_OK;
}

static pl_status plan_primitive(gather *g, const pl_gltf_instance *instance, int32_t piece, const pl_json *primitive,
                                size_t first) {
  part p = {.instance = instance, .piece = piece, .primitive = primitive};
  p.position = pl_json_find(pl_json_find(primitive, "attributes"), "POSITION");
  if (p.position == NULL)
    return pl_json_fail(g->gltf->document, primitive, g->gltf->error, PL_ERROR_INVALID_DATA,
                        "this primitive has no attribute POSITION");
  p.targets = pl_json_find(primitive, "targets");
  if (p.targets != NULL && p.targets->kind != PL_JSON_ARRAY)
    return pl_json_fail(g->gltf->document, p.targets, g->gltf->error, PL_ERROR_INVALID_DATA,
                        "an array of targets is expected");
  pl_status status = plan_vertices(g, &p, first);
  if (status >= 0 && p.targets != NULL) status = name_targets(g, &p);
  if (status < 0) return status;
  if ((int64_t)g->parts.count > max_growth(g->gltf)) return fail_growth(g->gltf, primitive);
  return pl_vector_push(&g->parts, &p) ? PL_OK : pl_fail_memory(g->gltf->error);
}

static pl_status plan(gather *g, const pl_gltf_instance *instances, int32_t instance_count) {
  pl_status status = PL_OK;
  for (int32_t i = 0; i < instance_count; ++i) {
    const pl_json *primitives = pl_json_find(instances[i].mesh, "primitives");
    if (primitives == NULL || primitives->kind != PL_JSON_ARRAY || primitives->count == 0)
      return pl_json_fail(g->gltf->document, instances[i].mesh, g->gltf->error, PL_ERROR_INVALID_DATA,
                          "this mesh has no primitives");
    size_t first = g->parts.count;
    for (const pl_json *primitive = primitives->first; primitive != NULL && status >= 0; primitive = primitive->next)
      status = plan_primitive(g, &instances[i], i, primitive, first);
    if (status < 0) return status;
  }
  int64_t pose_count = (int64_t)g->names.count;
  if (g->vertex_count > max_growth(g->gltf) / (pose_count + 1)) return fail_growth(g->gltf, g->gltf->root);
  return PL_OK;
}

// --- second pass ------------------------------------------------------------------------------------------------

static pl_status take_memory(gather *g) {
  pl_gltf_soup *soup = g->soup;
  pl_arena *arena = &g->gltf->arena;
  soup->vertex_count = (int32_t)g->vertex_count;
  soup->pose_count = (int32_t)g->names.count;
  soup->points = PL_TAKE(arena, pl_vec3, soup->vertex_count);
  soup->piece_of_vertex = PL_TAKE(arena, int32_t, soup->vertex_count);
  soup->pose_names = pl_arena_copy(arena, g->names.items, g->names.count, sizeof(const char *));
  soup->poses = PL_TAKE(arena, pl_vec3 *, soup->pose_count);
  for (int32_t pose = 0; soup->poses != NULL && pose < soup->pose_count; ++pose)
    soup->poses[pose] = PL_TAKE(arena, pl_vec3, soup->vertex_count);
  return arena->failed ? pl_fail_memory(g->gltf->error) : PL_OK;
}

// Plus zero makes -0 to 0, so that equal coordinates are equal bytes for the weld.
static pl_vec3 without_negative_zero(pl_vec3 v) {
  return (pl_vec3){v.x + 0.0, v.y + 0.0, v.z + 0.0};
}

static pl_status check_finite(const pl_gltf *gltf, const pl_json *json_node, const pl_vec3 *points, int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    if (!pl_vec3_is_finite(points[i]))
      return pl_json_fail(gltf->document, json_node, gltf->error, PL_ERROR_INVALID_DATA, "vertex %d is not finite", i);
  return PL_OK;
}

static pl_status read_rest(gather *g, const part *p) {
  pl_vec3 *points = g->soup->points + p->vertex_start;
  pl_gltf_accessor accessor;
  pl_status status = pl_gltf_open_accessor(g->gltf, p->position, &accessor);
  if (status >= 0) status = pl_gltf_read_doubles(g->gltf, &accessor, (double *)points);
  if (status < 0) return status;
  for (int32_t i = 0; i < p->vertex_count; ++i) {
    points[i] = without_negative_zero(pl_vec3_add(pl_mat3_apply(p->instance->linear, points[i]), p->instance->offset));
    g->soup->piece_of_vertex[p->vertex_start + i] = p->piece;
  }
  for (int32_t pose = 0; pose < g->soup->pose_count; ++pose)
    memcpy(g->soup->poses[pose] + p->vertex_start, points, (size_t)p->vertex_count * sizeof *points);
  return check_finite(g->gltf, p->position, points, p->vertex_count);
}

// Targets hold displacements, which only the linear part of the placement moves.
static pl_status read_target(gather *g, const part *p, int32_t target) {
  const pl_json *reference = pl_json_find(pl_json_at(p->targets, target), "POSITION");
  if (reference == NULL) return PL_OK;
  pl_gltf_accessor accessor;
  pl_status status = pl_gltf_open_accessor(g->gltf, reference, &accessor);
  if (status >= 0) status = check_position(g->gltf, reference, &accessor);
  if (status < 0) return status;
  if (accessor.count != p->vertex_count)
    return pl_json_fail(g->gltf->document, reference, g->gltf->error, PL_ERROR_INVALID_DATA,
                        "this target has %d vertices, its mesh %d", accessor.count, p->vertex_count);
  const pl_vec3 *rest = g->soup->points + p->vertex_start;
  pl_vec3 *points = g->soup->poses[p->pose_of_target[target]] + p->vertex_start;
  status = pl_gltf_read_doubles(g->gltf, &accessor, (double *)points);
  if (status < 0) return status;
  for (int32_t i = 0; i < p->vertex_count; ++i)
    points[i] = without_negative_zero(pl_vec3_add(rest[i], pl_mat3_apply(p->instance->linear, points[i])));
  return check_finite(g->gltf, reference, points, p->vertex_count);
}

static pl_status read_part(gather *g, const part *p) {
  pl_status status = PL_OK;
  if (!p->shares_vertices) {
    status = read_rest(g, p);
    for (int32_t target = 0; p->targets != NULL && target < p->targets->count && status >= 0; ++target)
      status = read_target(g, p, target);
  }
  bool mirrored = pl_mat3_determinant(p->instance->linear) < 0;
  if (status >= 0)
    status = pl_gltf_read_elements(g->gltf, p->primitive, p->vertex_start, p->vertex_count, mirrored,
                                   &g->soup->segments, &g->soup->triangles);
  int64_t element_count = (int64_t)(g->soup->segments.count + g->soup->triangles.count);
  if (status >= 0 && (element_count > 2 * max_growth(g->gltf) || element_count > INT32_MAX))
    return fail_growth(g->gltf, p->primitive);
  return status;
}

static pl_status list_parts(gather *g) {
  pl_gltf_part *parts = PL_TAKE(&g->gltf->arena, pl_gltf_part, g->parts.count);
  int32_t *numbers = PL_TAKE(&g->gltf->arena, int32_t, g->parts.count);
  if (parts == NULL || numbers == NULL) return pl_fail_memory(g->gltf->error);
  for (size_t i = 0; i < g->parts.count; ++i) {
    const part *p = &PL_ITEM(&g->parts, part, i);
    int32_t *part_of_primitive = &numbers[i];
    if (p->shares_vertices) {
      while (parts[*part_of_primitive].vertex_start != p->vertex_start) ++*part_of_primitive;
      continue;
    }
    *part_of_primitive = g->soup->part_count;
    parts[g->soup->part_count++] = (pl_gltf_part){.primitive = p->primitive,
                                                  .instance = p->piece,
                                                  .vertex_start = p->vertex_start,
                                                  .vertex_count = p->vertex_count,
                                                  .target_count = p->targets == NULL ? 0 : p->targets->count,
                                                  .pose_of_target = p->pose_of_target};
  }
  g->soup->parts = parts;
  g->soup->part_of_primitive = numbers;
  return PL_OK;
}

pl_status pl_gltf_gather_instances(pl_gltf *gltf, const pl_gltf_instance *instances, int32_t instance_count,
                                   const char *const *attributes, pl_gltf_soup *soup) {
  *soup = (pl_gltf_soup){.segments = pl_vector_of(gltf->context, sizeof(int32_t)),
                         .triangles = pl_vector_of(gltf->context, sizeof(int32_t))};
  gather g = {.gltf = gltf, .soup = soup, .attributes = attributes};
  g.parts = pl_vector_of(gltf->context, sizeof(part));
  g.names = pl_vector_of(gltf->context, sizeof(const char *));
  pl_status status = plan(&g, instances, instance_count);
  if (status >= 0) status = take_memory(&g);
  for (size_t i = 0; i < g.parts.count && status >= 0; ++i) status = read_part(&g, &PL_ITEM(&g.parts, part, i));
  if (status >= 0) status = list_parts(&g);
  pl_vector_free(&g.parts);
  pl_vector_free(&g.names);
  return status;
}

pl_status pl_gltf_gather(pl_gltf *gltf, pl_gltf_soup *soup) {
  *soup = (pl_gltf_soup){0};
  pl_gltf_instance *instances = NULL;
  int32_t instance_count = 0;
  pl_status status = pl_gltf_list_instances(gltf, &instances, &instance_count);
  return status < 0 ? status : pl_gltf_gather_instances(gltf, instances, instance_count, NULL, soup);
}

void pl_gltf_soup_free(pl_gltf_soup *soup) {
  pl_vector_free(&soup->segments);
  pl_vector_free(&soup->triangles);
}
