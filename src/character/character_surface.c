// The surface of a character: all shown meshes as one, each vertex tied to the nodes that carry it.
//
// A skinned vertex v is  sum_j w_j G_j B_j v  with the joints' placements G_j and inverse bind matrices B_j. With the
// linear part of G_j at rest written as rotation times stretch, L_j = R_j K_j, each joint carries the offset  K_j B_j v
// rigidly: exact at rest for any scale, and for all motion in which scales stay what they are. Vertices of plain meshes
// are carried by their node alone.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "character/character_parts.h"
#include "io/gltf_gather.h"
#include "pliant/math.h"

typedef struct surface {
  pl_gltf *gltf;
  pl_character *character;
  pl_gltf_instance *instances;
  int32_t *node_of_instance;
  pl_character_skin *skins;  // one per instance; json NULL: none
  int32_t instance_count;
  pl_gltf_soup soup;
  int32_t width;  // influences a point
  int32_t *nodes;
  float *weights;
  pl_vec3 *offsets;
} surface;

// Nodes below the roots of the default scene; all where the file has no scene.
static pl_status find_shown(surface *s, bool *shown) {
  pl_gltf *gltf = s->gltf;
  const pl_character *c = s->character;
  const pl_json *reference = pl_json_find(gltf->root, "scene"), *scene = NULL, *roots = NULL;
  pl_status status = PL_OK;
  if (reference != NULL)
    status = pl_gltf_item(gltf, reference, "scenes", &scene);
  else
    scene = pl_json_at(pl_json_find(gltf->root, "scenes"), 0);
  if (status >= 0 && scene != NULL) status = pl_character_get_array(gltf, "the scene", scene, "nodes", &roots);
  for (int32_t i = 0; i < c->view.node_count; ++i) shown[i] = scene == NULL;
  for (const pl_json *item = pl_character_first(roots); item != NULL && status >= 0; item = item->next) {
    int32_t root = 0;
    status = pl_character_get_index(gltf, "the scene", item, c->view.node_count, "node", &root);
    if (status >= 0) shown[root] = true;
  }
  for (int32_t k = 0; k < c->view.node_count; ++k) {
    int32_t i = c->order[k], parent = c->nodes[i].parent;
    if (parent >= 0 && shown[parent]) shown[i] = true;
  }
  return status;
}

static pl_status list_instances(surface *s) {
  pl_gltf *gltf = s->gltf;
  pl_character *c = s->character;
  int32_t count = c->view.node_count;
  bool *shown = PL_TAKE(&gltf->arena, bool, count);
  s->instances = PL_TAKE(&gltf->arena, pl_gltf_instance, count);
  s->node_of_instance = PL_TAKE(&gltf->arena, int32_t, count);
  s->skins = PL_TAKE(&gltf->arena, pl_character_skin, count);
  if (gltf->arena.failed) return pl_fail_memory(gltf->error);
  pl_status status = find_shown(s, shown);
  const pl_json *nodes = pl_json_find(gltf->root, "nodes");
  for (const pl_json *node = nodes->first; node != NULL && status >= 0; node = node->next) {
    const pl_json *mesh = pl_json_find(node, "mesh"), *skin = pl_json_find(node, "skin");
    if (mesh == NULL || !shown[node->index]) continue;
    pl_gltf_instance *instance = &s->instances[s->instance_count];
    s->node_of_instance[s->instance_count] = node->index;
    *instance = (pl_gltf_instance){.linear = pl_mat3_identity()};
    status = pl_gltf_item(gltf, mesh, "meshes", &instance->mesh);
    // The standard places a skinned mesh by its joints alone.
    if (status >= 0 && skin != NULL)
      status = pl_character_read_skin(gltf, c, node->index, skin, &s->skins[s->instance_count]);
    if (skin == NULL) {
      instance->linear = c->linear[node->index];
      instance->offset = c->rest[node->index].position;
    }
    s->instance_count++;
  }
  return status;
}

// --- influences ---------------------------------------------------------------------------------------------------

static const pl_json *attribute(const pl_gltf_part *part, const char *key) {
  return pl_json_find(pl_json_find(part->primitive, "attributes"), key);
}

static void label_part(const surface *s, const pl_gltf_part *part, pl_character_label label) {
  int32_t node = s->node_of_instance[part->instance];
  const char *name = NULL;
  if (!pl_json_get_text(pl_json_find(s->instances[part->instance].mesh, "name"), &name)) name = "";
  snprintf(label, sizeof(pl_character_label), "mesh \"%.60s\" of node \"%.60s\"", name, s->character->nodes[node].name);
}

static pl_status check_parts(surface *s) {
  s->width = 1;
  for (int32_t i = 0; i < s->soup.part_count; ++i) {
    const pl_gltf_part *part = &s->soup.parts[i];
    const pl_json *joints = attribute(part, "JOINTS_0"), *weights = attribute(part, "WEIGHTS_0");
    bool skinned = s->skins[part->instance].json != NULL;
    pl_character_label what;
    label_part(s, part, what);
    if (!skinned && joints != NULL)
      return pl_json_fail(s->gltf->document, joints, s->gltf->error, PL_ERROR_INVALID_DATA,
                          "%s has joints and weights, but the skin is missing: the node names none", what);
    if (skinned && (joints == NULL || weights == NULL))
      return pl_json_fail(s->gltf->document, part->primitive, s->gltf->error, PL_ERROR_INVALID_DATA,
                          "%s has a skin, but this primitive has no JOINTS_0 and WEIGHTS_0", what);
    if ((attribute(part, "JOINTS_1") == NULL) != (attribute(part, "WEIGHTS_1") == NULL))
      return pl_json_fail(s->gltf->document, part->primitive, s->gltf->error, PL_ERROR_INVALID_DATA,
                          "%s: JOINTS_1 and WEIGHTS_1 belong together, but one is missing", what);
    if (skinned && s->width < 4) s->width = 4;
    if (skinned && attribute(part, "JOINTS_1") != NULL) s->width = 8;
  }
  // The same bound as for poses: a small file must not be able to ask for all the memory there is.
  if ((int64_t)s->soup.vertex_count * s->width > (INT64_C(1) << 20) + 64 * (int64_t)s->gltf->byte_count)
    return pl_json_fail(
        s->gltf->document, s->gltf->root, s->gltf->error, PL_ERROR_INVALID_DATA,
        "the skins of this file grow to more than a thousand times its size; its counts must be damaged");
  return PL_OK;
}

// Four joints and weights a vertex, as numbers.
static pl_status read_set(surface *s, const pl_gltf_part *part, const char *what, const char *key, bool whole,
                          double *values) {
  const pl_json *reference = attribute(part, key);
  pl_gltf_accessor accessor;
  pl_status status = pl_gltf_open_accessor(s->gltf, reference, &accessor);
  if (status < 0) return status;
  bool is_whole = (accessor.component_type == 5121 || accessor.component_type == 5123) && !accessor.normalized;
  bool is_fraction = accessor.component_type == 5126 ||
                     ((accessor.component_type == 5121 || accessor.component_type == 5123) && accessor.normalized);
  if (accessor.component_count != 4 || !(whole ? is_whole : is_fraction))
    return pl_json_fail(s->gltf->document, reference, s->gltf->error, PL_ERROR_INVALID_DATA,
                        "%s: %s must be VEC4 of %s", what, key,
                        whole ? "unsigned bytes or shorts" : "floats or normalized unsigned bytes or shorts");
  if (accessor.count != part->vertex_count)
    return pl_json_fail(s->gltf->document, reference, s->gltf->error, PL_ERROR_INVALID_DATA,
                        "%s: %s has %d vertices, the mesh %d", what, key, accessor.count, part->vertex_count);
  return pl_gltf_read_doubles(s->gltf, &accessor, values);
}

typedef struct influences {
  double *joints, *weights;  // 4 a vertex each, for one set
} influences;

static pl_status take_set(surface *s, const pl_gltf_part *part, int32_t set, const influences *in) {
  const pl_character_skin *skin = &s->skins[part->instance];
  char joint_key[16], weight_key[16];
  snprintf(joint_key, sizeof joint_key, "JOINTS_%d", set);
  snprintf(weight_key, sizeof weight_key, "WEIGHTS_%d", set);
  pl_character_label what;
  label_part(s, part, what);
  pl_status status = read_set(s, part, what, joint_key, true, in->joints);
  if (status >= 0) status = read_set(s, part, what, weight_key, false, in->weights);
  for (int64_t i = 0; i < 4 * (int64_t)part->vertex_count && status >= 0; ++i) {
    int64_t to = ((int64_t)part->vertex_start + i / 4) * s->width + 4 * set + i % 4;
    double weight = in->weights[i];
    if (!isfinite(weight) || weight < 0)
      return pl_json_fail(s->gltf->document, attribute(part, weight_key), s->gltf->error, PL_ERROR_INVALID_DATA,
                          "%s: a weight of vertex %d is negative or not finite", what, (int)(i / 4));
    if (weight > 0 && in->joints[i] >= skin->joint_count)
      return pl_json_fail(s->gltf->document, attribute(part, joint_key), s->gltf->error, PL_ERROR_INVALID_DATA,
                          "%s: vertex %d hangs on joint %d, but its skin has %d", what, (int)(i / 4),
                          (int)in->joints[i], skin->joint_count);
    // Until the offsets are known `nodes` holds numbers of joints.
    s->nodes[to] = weight > 0 ? (int32_t)in->joints[i] : 0;
    s->weights[to] = (float)weight;
  }
  return status;
}

// Weights to the sum 1; a vertex without any hangs on the first joint.
static pl_status normalize(surface *s, const pl_gltf_part *part) {
  int32_t bare_count = 0;
  for (int64_t v = part->vertex_start; v < (int64_t)part->vertex_start + part->vertex_count; ++v) {
    float *weights = s->weights + v * s->width;
    double sum = 0;
    for (int32_t i = 0; i < s->width; ++i) sum += (double)weights[i];
    bool bare = !(sum > 1e-12);
    if (bare) bare_count++;
    for (int32_t i = 0; i < s->width; ++i)
      weights[i] = bare ? (i == 0 ? 1.0f : 0.0f) : (float)((double)weights[i] / sum);
  }
  if (bare_count == 0) return PL_OK;
  pl_character_label what;
  label_part(s, part, what);
  return pl_character_warn(s->gltf, attribute(part, "WEIGHTS_0"), "unweighted-vertex",
                           "they follow the first joint of the skin", "give them weights",
                           "%s: %d vertices have no weight at all", what, bare_count);
}

static pl_vec3 apply_columns(const double *m, pl_vec3 v) {
  return (pl_vec3){m[0] * v.x + m[4] * v.y + m[8] * v.z + m[12], m[1] * v.x + m[5] * v.y + m[9] * v.z + m[13],
                   m[2] * v.x + m[6] * v.y + m[10] * v.z + m[14]};
}

// Where the joints of point `v` carry `point`, given as in the file.
static pl_vec3 carry(const surface *s, const pl_character_skin *skin, int64_t v, pl_vec3 point) {
  const pl_character *c = s->character;
  pl_vec3 sum = {0, 0, 0};
  for (int32_t i = 0; i < s->width; ++i) {
    int32_t joint = s->nodes[v * s->width + i], node = skin->joints[joint];
    pl_vec3 bound = apply_columns(skin->inverse + 16 * (size_t)joint, point);
    pl_vec3 world = pl_vec3_add(pl_mat3_apply(c->linear[node], bound), c->rest[node].position);
    sum = pl_vec3_add_scaled(sum, world, (double)s->weights[v * s->width + i]);
  }
  return sum;
}

// Positions at rest and in all poses, then offsets and nodes of the joints.
static void bind(surface *s, const pl_gltf_part *part) {
  const pl_character_skin *skin = &s->skins[part->instance];
  for (int64_t v = part->vertex_start; v < (int64_t)part->vertex_start + part->vertex_count; ++v) {
    pl_vec3 point = s->soup.points[v];
    s->soup.points[v] = carry(s, skin, v, point);
    for (int32_t pose = 0; pose < s->soup.pose_count; ++pose)
      s->soup.poses[pose][v] = carry(s, skin, v, s->soup.poses[pose][v]);
    for (int32_t i = 0; i < s->width; ++i) {
      int64_t at = v * s->width + i;
      int32_t joint = s->nodes[at];
      s->nodes[at] = skin->joints[joint];
      s->offsets[at] =
          pl_character_unscale(s->character, s->nodes[at], apply_columns(skin->inverse + 16 * (size_t)joint, point));
    }
  }
}

static void hang_on_node(surface *s, const pl_gltf_part *part) {
  int32_t node = s->node_of_instance[part->instance];
  for (int64_t v = part->vertex_start; v < (int64_t)part->vertex_start + part->vertex_count; ++v)
    for (int32_t i = 0; i < s->width; ++i) {
      s->nodes[v * s->width + i] = node;
      s->weights[v * s->width + i] = i == 0 ? 1.0f : 0.0f;
      s->offsets[v * s->width + i] = pl_transform_apply_inverse(s->character->rest[node], s->soup.points[v]);
    }
}

static pl_status tie_points(surface *s) {
  pl_character *c = s->character;
  size_t count = (size_t)s->soup.vertex_count * (size_t)s->width;
  s->nodes = PL_TAKE(&c->arena, int32_t, count);
  s->weights = PL_TAKE(&c->arena, float, count);
  s->offsets = PL_TAKE(&c->arena, pl_vec3, count);
  if (c->arena.failed) return pl_fail_memory(s->gltf->error);
  for (int32_t i = 0; i < s->soup.part_count; ++i) {
    const pl_gltf_part *part = &s->soup.parts[i];
    if (s->skins[part->instance].json == NULL) {
      hang_on_node(s, part);
      continue;
    }
    influences in = {PL_TAKE(&s->gltf->arena, double, 4 * (size_t)part->vertex_count),
                     PL_TAKE(&s->gltf->arena, double, 4 * (size_t)part->vertex_count)};
    if (in.joints == NULL || in.weights == NULL) return pl_fail_memory(s->gltf->error);
    pl_status status = take_set(s, part, 0, &in);
    if (status >= 0 && attribute(part, "JOINTS_1") != NULL) status = take_set(s, part, 1, &in);
    if (status >= 0) status = normalize(s, part);
    if (status < 0) return status;
    bind(s, part);
  }
  c->view.influence_count = s->width;
  c->view.skin_nodes = s->nodes;
  c->view.skin_weights = s->weights;
  c->view.skin_offsets = s->offsets;
  return PL_OK;
}

// --- morph targets ------------------------------------------------------------------------------------------------

// Which poses of the surface the targets of each node's mesh are.
static pl_status list_targets(surface *s) {
  pl_character *c = s->character;
  int32_t count = c->view.node_count, total = 0;
  const pl_gltf_part **part_of_node = PL_TAKE(&s->gltf->arena, const pl_gltf_part *, count);
  if (part_of_node == NULL) return pl_fail_memory(s->gltf->error);
  for (int32_t i = s->soup.part_count - 1; i >= 0; --i)
    part_of_node[s->node_of_instance[s->soup.parts[i].instance]] = &s->soup.parts[i];
  for (int32_t i = 0; i < count; ++i) {
    c->target_start[i] = total;
    if (part_of_node[i] != NULL) total += part_of_node[i]->target_count;
  }
  c->target_start[count] = total;
  int32_t *poses = PL_TAKE(&c->arena, int32_t, total);
  c->morphs = PL_TAKE(&c->arena, double, s->soup.pose_count);
  if (poses == NULL || c->morphs == NULL) return pl_fail_memory(s->gltf->error);
  for (int32_t i = 0; i < count; ++i)
    for (int32_t t = 0; part_of_node[i] != NULL && t < part_of_node[i]->target_count; ++t)
      poses[c->target_start[i] + t] = part_of_node[i]->pose_of_target[t];
  c->pose_of_target = poses;
  return PL_OK;
}

// Weights at rest: of the node, else of its mesh. Where two nodes share a pose the first that raises it counts.
static pl_status get_weights(surface *s) {
  pl_character *c = s->character;
  for (int32_t i = 0; i < s->instance_count; ++i) {
    int32_t node = s->node_of_instance[i], count = c->target_start[node + 1] - c->target_start[node];
    const pl_json *holder = pl_json_at(pl_json_find(s->gltf->root, "nodes"), node);
    if (pl_json_find(holder, "weights") == NULL) holder = s->instances[i].mesh;
    if (pl_json_find(holder, "weights") == NULL || count == 0) continue;
    double *weights = PL_TAKE(&s->gltf->arena, double, count);
    if (weights == NULL) return pl_fail_memory(s->gltf->error);
    pl_character_label what;
    snprintf(what, sizeof what, "the mesh of node \"%.100s\"", c->nodes[node].name);
    pl_status status = pl_character_get_numbers(s->gltf, what, holder, "weights", count, weights);
    if (status < 0) return status;
    for (int32_t t = 0; t < count; ++t) {
      double *morph = &c->morphs[c->pose_of_target[c->target_start[node] + t]];
      if (*morph == 0) *morph = weights[t];
    }
  }
  return PL_OK;
}

pl_status pl_character_read_surface(pl_gltf *gltf, pl_character *character) {
  static const char *const skin_attributes[] = {"JOINTS_0", "JOINTS_1", "WEIGHTS_0", "WEIGHTS_1", NULL};
  surface s = {.gltf = gltf, .character = character};
  character->target_start = PL_TAKE(&character->arena, int32_t, character->view.node_count + 1);
  if (character->target_start == NULL) return pl_fail_memory(gltf->error);
  pl_status status = list_instances(&s);
  if (status < 0 || s.instance_count == 0) return status;
  status = pl_gltf_gather_instances(gltf, s.instances, s.instance_count, skin_attributes, &s.soup);
  if (status >= 0) status = check_parts(&s);
  if (status >= 0) status = tie_points(&s);
  if (status >= 0) status = list_targets(&s);
  if (status >= 0) status = get_weights(&s);
  if (status >= 0) status = pl_gltf_create_mesh(gltf, &s.soup, NULL, 0, &character->surface);
  character->view.surface = character->surface;
  pl_gltf_soup_free(&s.soup);
  return status;
}
