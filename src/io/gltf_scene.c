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

// --- skins --------------------------------------------------------------------------------------------------------
//
// A joint j moves what is bound to it by M_j = G_j B_j, its placement times its inverse bind matrix. In the rest pose
// of most files all M_j are one matrix M: the surface stands where it was bound, in other units or turned by what is
// above the skeleton. That M places the mesh.

static pl_status note_skin(const pl_gltf *gltf, const pl_json *skin, bool is_posed) {
  static const pl_finding bound = {
      .severity = PL_SEVERITY_NOTE,
      .index = -1,
      .kind = "gltf-skin",
      .why = "mesh files are read without skins, and by the standard the node of a skinned mesh does not move it",
      .fix = "apply the armature before exporting if it is not in its rest pose"};
  static const pl_finding posed = {
      .severity = PL_SEVERITY_WARNING,
      .index = -1,
      .kind = "gltf-skin",
      .why =
          "mesh files are read without skins, and the joints of this one do not rest where the mesh was bound to them",
      .fix = "apply the armature before exporting, or use the file as a `character`, which has its skin"};
  pl_status status = pl_json_add_finding(gltf->document, skin, true, gltf->findings, is_posed ? &posed : &bound,
                                         "a mesh with a skin is read in its bind pose");
  return status < 0 ? pl_fail_memory(gltf->error) : PL_OK;
}

// Inverse bind matrices, column by column; NULL where the skin has none, or none that can be read.
static double *read_binds(pl_gltf *gltf, const pl_json *skin, int32_t count) {
  const pl_json *reference = pl_json_find(skin, "inverseBindMatrices");
  pl_gltf_accessor accessor;
  pl_error *error = gltf->error, ignored = {0};
  double *binds = NULL;
  gltf->error = &ignored;
  if (reference != NULL && pl_gltf_open_matrices(gltf, reference, &accessor) >= 0 && accessor.component_count == 16 &&
      accessor.count >= count) {
    binds = PL_TAKE(&gltf->arena, double, (int64_t)accessor.count * 16);
    if (binds != NULL && pl_gltf_read_doubles(gltf, &accessor, binds) < 0) binds = NULL;
  }
  gltf->error = error;
  return binds;
}

static double difference(const placement *a, const placement *b) {
  double max = pl_vec3_distance(a->offset, b->offset);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) max = fmax(max, fabs(a->linear.m[r][c] - b->linear.m[r][c]));
  return max;
}

// M of joint number `index`; false for one that is not there.
static bool placement_of_joint(const walk *w, const pl_json *joints, const double *binds, int32_t index,
                               placement *moved) {
  int64_t node = -1;
  if (!pl_json_get_integer(pl_json_at(joints, index), &node) || node < 0 || node >= w->nodes->count) return false;
  const placement *joint = &w->placements[node];
  if (!joint->reached) return false;
  *moved = *joint;
  if (binds == NULL) return true;
  const double *b = binds + 16 * (size_t)index;
  pl_mat3 linear;
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) linear.m[row][column] = b[4 * column + row];
  moved->linear = pl_mat3_multiply(joint->linear, linear);
  moved->offset = pl_vec3_add(pl_mat3_apply(joint->linear, (pl_vec3){b[12], b[13], b[14]}), joint->offset);
  return isfinite(pl_mat3_norm(moved->linear)) && pl_vec3_is_finite(moved->offset);
}

static pl_status place_skin(walk *w, const pl_json *reference, pl_gltf_instance *instance) {
  const double same = 1e-3, none = 1e-5;
  const placement identity = {.linear = pl_mat3_identity()};
  instance->linear = pl_mat3_identity();
  instance->offset = (pl_vec3){0, 0, 0};
  int64_t number = -1;
  (void)pl_json_get_integer(reference, &number);
  const pl_json *skin = pl_json_at(pl_json_find(w->gltf->root, "skins"), number);
  const pl_json *joints = pl_json_find(skin, "joints");
  int32_t count = joints != NULL && joints->kind == PL_JSON_ARRAY ? joints->count : 0;
  double *binds = count > 0 ? read_binds(w->gltf, skin, count) : NULL;
  if (w->gltf->arena.failed) return pl_fail_memory(w->gltf->error);
  placement first = identity, other;
  bool fits = count > 0 && placement_of_joint(w, joints, binds, 0, &first), is_one = fits;
  for (int32_t i = 1; i < count && is_one; ++i)
    is_one = placement_of_joint(w, joints, binds, i, &other) &&
             difference(&first, &other) <= same * (pl_mat3_norm(first.linear) + pl_vec3_length(first.offset));
  // Rounding of an exporter is no reason to move a mesh that stands where it was bound.
  if (is_one && difference(&first, &identity) > none && fabs(pl_mat3_determinant(first.linear)) > 0) {
    instance->linear = first.linear;
    instance->offset = first.offset;
  }
  return note_skin(w->gltf, reference, fits && !is_one);
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
    status = place_skin(w, skin, instance);
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
