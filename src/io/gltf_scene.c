// The node hierarchy of a glTF file: world placements from matrices or translation, rotation and scale, walked without
// recursion. A node may be reached once only; that finds cycles, and children with two parents, which the standard
// forbids too.
#include "io/gltf_scene.h"

#include <math.h>

#include "base/error.h"
#include "base/finding.h"
#include "math/mat3.h"

typedef struct placement {
  pl_mat3 linear;
  pl_vec3 offset;
  bool reached;
} placement;

typedef struct walk {
  pl_gltf *gltf;
  const pl_json *nodes;
  placement *placements;  // one per node
  int32_t *stack;
  int32_t stack_count;
} walk;

// `count` numbers of member `key`; left untouched where it is missing.
static pl_status read_numbers(const pl_gltf *gltf, const pl_json *node, const char *key, int32_t count,
                              double *values) {
  const pl_json *member = pl_json_find(node, key);
  if (member == NULL) return PL_OK;
  bool fits = member->kind == PL_JSON_ARRAY && member->count == count;
  for (int32_t i = 0; fits && i < count; ++i) fits = pl_json_get_number(pl_json_at(member, i), &values[i]);
  if (fits) return PL_OK;
  return pl_json_fail(gltf->document, member, gltf->error, PL_ERROR_INVALID_DATA, "an array of %d numbers is expected",
                      count);
}

// The placement of a node in its parent.
static pl_status read_local(const pl_gltf *gltf, const pl_json *node, placement *local) {
  double m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};  // column by column
  double t[3] = {0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
  pl_status status = read_numbers(gltf, node, "matrix", 16, m);
  if (status >= 0) status = read_numbers(gltf, node, "translation", 3, t);
  if (status >= 0) status = read_numbers(gltf, node, "rotation", 4, q);
  if (status >= 0) status = read_numbers(gltf, node, "scale", 3, s);
  if (status < 0) return status;
  if (pl_json_find(node, "matrix") != NULL) {
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column) local->linear.m[row][column] = m[4 * column + row];
    local->offset = (pl_vec3){m[12], m[13], m[14]};
    return PL_OK;
  }
  double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(length > 1e-6) || !isfinite(length))
    return pl_json_fail(gltf->document, pl_json_find(node, "rotation"), gltf->error, PL_ERROR_INVALID_DATA,
                        "this quaternion is (almost) zero and no rotation");
  double x = q[0] / length, y = q[1] / length, z = q[2] / length, w = q[3] / length;
  pl_mat3 rotation = {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                       {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                       {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
  local->linear = pl_mat3_multiply(rotation, pl_mat3_diagonal(s[0], s[1], s[2]));
  local->offset = (pl_vec3){t[0], t[1], t[2]};
  return PL_OK;
}

// Reach the node that `reference` names, below `parent` (NULL for the world).
static pl_status reach(walk *w, const pl_json *reference, const placement *parent) {
  const pl_json *node = NULL;
  pl_status status = pl_gltf_item(w->gltf, reference, "nodes", &node);
  if (status < 0) return status;
  placement *own = &w->placements[node->index];
  if (own->reached)
    return pl_json_fail(w->gltf->document, reference, w->gltf->error, PL_ERROR_INVALID_DATA,
                        "node %d is reached a second time: the nodes form a cycle, or it has two parents", node->index);
  status = read_local(w->gltf, node, own);
  if (status < 0) return status;
  if (parent != NULL) {
    own->offset = pl_vec3_add(pl_mat3_apply(parent->linear, own->offset), parent->offset);
    own->linear = pl_mat3_multiply(parent->linear, own->linear);
  }
  own->reached = true;
  w->stack[w->stack_count++] = node->index;
  return PL_OK;
}

static pl_status reach_all(walk *w, const pl_json *references, const placement *parent) {
  if (references == NULL) return PL_OK;
  if (references->kind != PL_JSON_ARRAY)
    return pl_json_fail(w->gltf->document, references, w->gltf->error, PL_ERROR_INVALID_DATA,
                        "an array of nodes is expected");
  pl_status status = PL_OK;
  for (const pl_json *item = references->first; item != NULL && status >= 0; item = item->next)
    status = reach(w, item, parent);
  return status;
}

// Without a scene: every node that is not a child of another.
static pl_status reach_roots(walk *w) {
  bool *is_child = PL_TAKE(&w->gltf->arena, bool, w->nodes->count);
  if (is_child == NULL) return pl_fail_memory(w->gltf->error);
  for (const pl_json *node = w->nodes->first; node != NULL; node = node->next) {
    const pl_json *children = pl_json_find(node, "children");
    for (int32_t i = 0; children != NULL && i < children->count; ++i) {
      int64_t child = -1;
      if (pl_json_get_integer(pl_json_at(children, i), &child) && child >= 0 && child < w->nodes->count)
        is_child[child] = true;
    }
  }
  for (const pl_json *node = w->nodes->first; node != NULL; node = node->next) {
    if (is_child[node->index]) continue;
    pl_json reference = {.kind = PL_JSON_NUMBER, .number = node->index, .position = node->position};
    pl_status status = reach(w, &reference, NULL);
    if (status < 0) return status;
  }
  if (w->stack_count > 0) return PL_OK;
  return pl_json_fail(w->gltf->document, w->nodes, w->gltf->error, PL_ERROR_INVALID_DATA,
                      "every node is the child of another: the nodes form a cycle");
}

static pl_status walk_nodes(walk *w) {
  pl_gltf *gltf = w->gltf;
  w->placements = PL_TAKE(&gltf->arena, placement, w->nodes->count);
  w->stack = PL_TAKE(&gltf->arena, int32_t, w->nodes->count);
  if (w->placements == NULL || w->stack == NULL) return pl_fail_memory(gltf->error);
  const pl_json *scenes = pl_json_find(gltf->root, "scenes"), *default_scene = pl_json_find(gltf->root, "scene"),
                *scene = NULL;
  pl_status status = PL_OK;
  if (default_scene != NULL)
    status = pl_gltf_item(gltf, default_scene, "scenes", &scene);
  else
    scene = pl_json_at(scenes, 0);
  if (status >= 0) status = scene != NULL ? reach_all(w, pl_json_find(scene, "nodes"), NULL) : reach_roots(w);
  while (status >= 0 && w->stack_count > 0) {
    int32_t index = w->stack[--w->stack_count];
    status = reach_all(w, pl_json_find(pl_json_at(w->nodes, index), "children"), &w->placements[index]);
  }
  return status;
}

static pl_status note_skin(const pl_gltf *gltf, const pl_json *skin) {
  static const pl_finding about = {
      .severity = PL_SEVERITY_NOTE,
      .index = -1,
      .kind = "gltf-skin",
      .why = "mesh files are read without skins, and by the standard the node of a skinned mesh does not move it",
      .fix = "apply the armature before exporting if it is not in its rest pose"};
  pl_status status = pl_json_add_finding(gltf->document, skin, true, gltf->findings, &about,
                                         "a mesh with a skin is read in its bind pose");
  return status < 0 ? pl_fail_memory(gltf->error) : PL_OK;
}

// Nodes with a mesh, in the order of the file.
static pl_status collect(walk *w, pl_gltf_instance *instances, int32_t *instance_count) {
  for (const pl_json *node = w->nodes->first; node != NULL; node = node->next) {
    const pl_json *reference = pl_json_find(node, "mesh"), *skin = pl_json_find(node, "skin");
    if (reference == NULL || !w->placements[node->index].reached) continue;
    pl_gltf_instance *instance = &instances[(*instance_count)++];
    pl_status status = pl_gltf_item(w->gltf, reference, "meshes", &instance->mesh);
    if (status < 0) return status;
    instance->node = node;
    instance->linear = instance->node_linear = w->placements[node->index].linear;
    instance->offset = instance->node_offset = w->placements[node->index].offset;
    if (skin == NULL) continue;
    instance->linear = pl_mat3_identity();
    instance->offset = (pl_vec3){0, 0, 0};
    status = note_skin(w->gltf, skin);
    if (status < 0) return status;
  }
  return PL_OK;
}

pl_status pl_gltf_list_instances(pl_gltf *gltf, pl_gltf_instance **instances, int32_t *instance_count) {
  *instance_count = 0;
  const pl_json *nodes = pl_json_find(gltf->root, "nodes"), *meshes = pl_json_find(gltf->root, "meshes");
  if (meshes == NULL || meshes->kind != PL_JSON_ARRAY || meshes->count == 0)
    return pl_json_fail(gltf->document, gltf->root, gltf->error, PL_ERROR_INVALID_DATA,
                        "there is no mesh in this file");
  bool has_nodes = nodes != NULL && nodes->kind == PL_JSON_ARRAY && nodes->count > 0;
  *instances = PL_TAKE(&gltf->arena, pl_gltf_instance, has_nodes ? nodes->count : meshes->count);
  if (*instances == NULL) return pl_fail_memory(gltf->error);
  if (!has_nodes) {
    for (const pl_json *mesh = meshes->first; mesh != NULL; mesh = mesh->next)
      (*instances)[(*instance_count)++] =
          (pl_gltf_instance){.mesh = mesh, .linear = pl_mat3_identity(), .node_linear = pl_mat3_identity()};
    return PL_OK;
  }
  walk w = {.gltf = gltf, .nodes = nodes};
  pl_status status = walk_nodes(&w);
  if (status >= 0) status = collect(&w, *instances, instance_count);
  if (status >= 0 && *instance_count == 0)
    status = pl_json_fail(gltf->document, nodes, gltf->error, PL_ERROR_INVALID_DATA,
                          "no node of the default scene has a mesh");
  return status;
}
