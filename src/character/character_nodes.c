// The nodes of a character: names, hierarchy, placements at rest.
//
// A placement is kept as translation, rotation and scale. Given as a matrix it is taken apart: lengths of the columns
// are the scale, the nearest rotation to the columns at unit length is the rotation; a mirrored one gets its first
// scale negative. What rotation and scale cannot say (shear) is left out, with a warning.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "character/character_parts.h"
#include "math/mat3.h"
#include "math/rotation.h"

// Columns this far from right angles (cosine) are more than rounding of single precision.
static const double MAX_SHEAR = 1e-4;

typedef struct placement {
  pl_vec3 position, scale;
  pl_quat rotation;
} placement;

static void label_node(const pl_character *c, int32_t node, pl_character_label label) {
  snprintf(label, sizeof(pl_character_label), "node \"%.100s\"", c->nodes[node].name);
}

static pl_status warn_mirrored(const pl_gltf *gltf, const pl_json *json, const char *what) {
  return pl_character_warn(gltf, json, "mirrored-node", "simulated chains and their skin are turned, never mirrored",
                           "apply the scale before exporting", "%s is mirrored by its scale", what);
}

static pl_status take_apart(const pl_gltf *gltf, const pl_json *json, const char *what, const double *m, placement *p) {
  pl_mat3 columns;
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) columns.m[row][column] = m[4 * column + row];
  p->position = (pl_vec3){m[12], m[13], m[14]};
  pl_vec3 x = pl_mat3_column(columns, 0), y = pl_mat3_column(columns, 1), z = pl_mat3_column(columns, 2);
  p->scale = (pl_vec3){pl_vec3_length(x), pl_vec3_length(y), pl_vec3_length(z)};
  pl_vec3 none = {0, 0, 0};
  x = pl_vec3_normalize_or(x, none);
  y = pl_vec3_normalize_or(y, none);
  z = pl_vec3_normalize_or(z, none);
  if (pl_vec3_dot(pl_vec3_cross(x, y), z) < 0) {
    x = pl_vec3_scale(x, -1);
    p->scale.x = -p->scale.x;
  }
  p->rotation = pl_rotation_of_mat3(pl_mat3_from_columns(x, y, z), pl_quat_identity());
  double shear = fmax(fabs(pl_vec3_dot(x, y)), fmax(fabs(pl_vec3_dot(y, z)), fabs(pl_vec3_dot(z, x))));
  if (!(shear > MAX_SHEAR)) return PL_OK;
  return pl_character_warn(gltf, pl_json_find(json, "matrix"), "sheared-node",
                           "placements are rotation and scale; the shear is left out",
                           "apply the placement before exporting", "%s has a matrix with shear", what);
}

static pl_status read_placement(const pl_gltf *gltf, const pl_json *json, const char *what, placement *p) {
  double m[16] = {0}, q[4] = {0, 0, 0, 1};
  *p = (placement){.scale = {1, 1, 1}, .rotation = pl_quat_identity()};
  if (pl_json_find(json, "matrix") != NULL) {
    pl_status status = pl_character_get_numbers(gltf, what, json, "matrix", 16, m);
    if (status >= 0) status = take_apart(gltf, json, what, m, p);
    if (status < 0) return status;
  } else {
    pl_status status = pl_character_get_vector(gltf, what, json, "translation", &p->position);
    if (status >= 0) status = pl_character_get_numbers(gltf, what, json, "rotation", 4, q);
    if (status >= 0) status = pl_character_get_vector(gltf, what, json, "scale", &p->scale);
    if (status < 0) return status;
    p->rotation = (pl_quat){q[0], q[1], q[2], q[3]};
    double length = sqrt(pl_quat_dot(p->rotation, p->rotation));
    if (!(length > 1e-6) || !isfinite(length))
      return pl_json_fail(gltf->document, pl_json_find(json, "rotation"), gltf->error, PL_ERROR_INVALID_DATA,
                          "%s: this quaternion has (almost) no length and is not a rotation", what);
    p->rotation = pl_quat_normalize(p->rotation);
  }
  return p->scale.x * p->scale.y * p->scale.z < 0 ? warn_mirrored(gltf, json, what) : PL_OK;
}

static pl_status take_memory(pl_gltf *gltf, pl_character *c, int32_t count) {
  c->view.node_count = count;
  c->nodes = PL_TAKE(&c->arena, pl_character_node, count);
  c->order = PL_TAKE(&c->arena, int32_t, count);
  c->rest = PL_TAKE(&c->arena, pl_transform, count);
  c->linear = PL_TAKE(&c->arena, pl_mat3, count);
  c->view.nodes = c->nodes;
  return c->arena.failed ? pl_fail_memory(gltf->error) : PL_OK;
}

static pl_status read_own(pl_gltf *gltf, pl_character *c, const pl_json *json) {
  pl_character_node *node = &c->nodes[json->index];
  if (json->kind != PL_JSON_OBJECT)
    return pl_json_fail(gltf->document, json, gltf->error, PL_ERROR_INVALID_DATA, "a node must be an object");
  pl_status status = pl_character_get_name(gltf, c, json, "name", "node", json->index, &node->name);
  if (status < 0) return status;
  node->parent = -1;
  pl_character_label what;
  label_node(c, json->index, what);
  placement p;
  status = read_placement(gltf, json, what, &p);
  node->rest = (pl_transform){p.position, p.rotation};
  node->scale = p.scale;
  // Scales out of matrices are 1 up to rounding; those count as none.
  double max = fmax(fabs(p.scale.x - 1), fmax(fabs(p.scale.y - 1), fabs(p.scale.z - 1)));
  if (max < 1e-6)
    node->scale = (pl_vec3){1, 1, 1};
  else
    c->is_scaled = true;
  return status;
}

static pl_status read_children(pl_gltf *gltf, pl_character *c, const pl_json *json) {
  pl_character_label what;
  label_node(c, json->index, what);
  const pl_json *children = NULL;
  pl_status status = pl_character_get_array(gltf, what, json, "children", &children);
  for (const pl_json *item = pl_character_first(children); item != NULL && status >= 0; item = item->next) {
    int32_t child = -1;
    status = pl_character_get_index(gltf, what, item, c->view.node_count, "node", &child);
    if (status < 0) return status;
    if (c->nodes[child].parent >= 0)
      return pl_json_fail(gltf->document, item, gltf->error, PL_ERROR_INVALID_DATA,
                          "node \"%.80s\" has two parents, \"%.80s\" and \"%.80s\"", c->nodes[child].name,
                          c->nodes[c->nodes[child].parent].name, c->nodes[json->index].name);
    c->nodes[child].parent = json->index;
  }
  return status;
}

// Parents before children: a node is due once its parent is placed. With one parent each, what is never reached lies on
// a cycle or below one.
static pl_status find_order(pl_gltf *gltf, pl_character *c, const pl_json *list) {
  int32_t count = c->view.node_count, placed = 0;
  for (int32_t i = 0; i < count; ++i)
    if (c->nodes[i].parent < 0) c->order[placed++] = i;
  for (int32_t i = 0; i < placed; ++i) {
    const pl_json *children = pl_json_find(pl_json_at(list, c->order[i]), "children");
    for (const pl_json *item = pl_character_first(children); item != NULL; item = item->next)
      c->order[placed++] = (int32_t)item->number;
  }
  if (placed == count) return PL_OK;
  bool *is_placed = PL_TAKE(&gltf->arena, bool, count);
  if (is_placed == NULL) return pl_fail_memory(gltf->error);
  for (int32_t i = 0; i < placed; ++i) is_placed[c->order[i]] = true;
  int32_t node = 0;
  while (is_placed[node]) node++;
  // As many steps up as there are nodes end on the cycle itself.
  for (int32_t i = 0; i < count; ++i) node = c->nodes[node].parent;
  return pl_json_fail(gltf->document, pl_json_at(list, node), gltf->error, PL_ERROR_INVALID_DATA,
                      "node \"%.100s\" is its own ancestor: the nodes form a cycle", c->nodes[node].name);
}

static pl_status compute_transforms(pl_gltf *gltf, pl_character *c, const pl_json *list) {
  for (int32_t k = 0; k < c->view.node_count; ++k) {
    int32_t i = c->order[k];
    const pl_character_node *node = &c->nodes[i];
    pl_mat3 own = pl_mat3_multiply(pl_mat3_from_quat(node->rest.rotation),
                                   pl_mat3_diagonal(node->scale.x, node->scale.y, node->scale.z));
    c->rest[i] = node->rest;
    c->linear[i] = own;
    if (node->parent >= 0) {
      const pl_transform *above = &c->rest[node->parent];
      c->linear[i] = pl_mat3_multiply(c->linear[node->parent], own);
      c->rest[i].position = pl_vec3_add(pl_mat3_apply(c->linear[node->parent], node->rest.position), above->position);
      c->rest[i].rotation = pl_quat_normalize(pl_quat_multiply(above->rotation, node->rest.rotation));
    }
    if (!pl_vec3_is_finite(c->rest[i].position) || !isfinite(pl_mat3_norm(c->linear[i])))
      return pl_json_fail(gltf->document, pl_json_at(list, i), gltf->error, PL_ERROR_INVALID_DATA,
                          "the placement of node \"%.100s\" is too large to be a finite number", node->name);
  }
  return PL_OK;
}

pl_status pl_character_read_nodes(pl_gltf *gltf, pl_character *character) {
  const pl_json *list = NULL;
  pl_status status = pl_character_get_array(gltf, "this file", gltf->root, "nodes", &list);
  if (status >= 0 && (list == NULL || list->count == 0))
    status =
        pl_json_fail(gltf->document, gltf->root, gltf->error, PL_ERROR_INVALID_DATA, "there are no nodes in this file");
  if (status >= 0) status = take_memory(gltf, character, list->count);
  if (status < 0) return status;
  for (const pl_json *json = list->first; json != NULL && status >= 0; json = json->next)
    status = read_own(gltf, character, json);
  for (const pl_json *json = list->first; json != NULL && status >= 0; json = json->next)
    status = read_children(gltf, character, json);
  if (status >= 0) status = find_order(gltf, character, list);
  if (status >= 0) status = compute_transforms(gltf, character, list);
  return status;
}

bool pl_character_is_below(const pl_character *character, int32_t node, int32_t above) {
  for (int32_t i = character->nodes[node].parent; i >= 0; i = character->nodes[i].parent)
    if (i == above) return true;
  return false;
}

pl_vec3 pl_character_unscale(const pl_character *character, int32_t node, pl_vec3 point) {
  if (!character->is_scaled) return point;
  return pl_quat_rotate(pl_quat_conjugate(character->rest[node].rotation),
                        pl_mat3_apply(character->linear[node], point));
}
