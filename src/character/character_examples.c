// The extension PLIANT_rod_examples: example poses of chains, and numbers of ours for them. docs/characters.md
// describes the format.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "character/character_parts.h"
#include "character/character_rod.h"
#include "pliant/math.h"

typedef struct reading {
  pl_gltf *gltf;
  pl_character *character;
  pl_character_example *examples;
  int32_t example_count;
} reading;

static const pl_json *find_extension(const pl_gltf *gltf) {
  return pl_json_find(pl_json_find(gltf->root, "extensions"), "PLIANT_rod_examples");
}

// --- roots --------------------------------------------------------------------------------------------------------

static void label_chain(const pl_json *json, pl_character_label what) {
  const char *name = NULL;
  const pl_json *example = pl_json_at(pl_json_find(json, "examples"), 0);
  int used = snprintf(what, sizeof(pl_character_label), "chain %d of PLIANT_rod_examples", json->index);
  if (pl_json_get_text(pl_json_find(example, "name"), &name))
    snprintf(what + used, sizeof(pl_character_label) - (size_t)used, " (example \"%.80s\")", name);
}

static pl_status read_root(const pl_gltf *gltf, const pl_character *c, const pl_json *json, int32_t *root) {
  pl_character_label what;
  label_chain(json, what);
  const pl_json *reference = pl_json_find(json, "root");
  if (reference == NULL)
    return pl_json_fail(gltf->document, json, gltf->error, PL_ERROR_INVALID_DATA, "%s names no root", what);
  return pl_character_get_index(gltf, what, reference, c->view.node_count, "node", root);
}

// Where the last bone of a spring ends, before it is known which nodes move.
static pl_status read_tail(const pl_gltf *gltf, pl_character *c, const pl_json *json) {
  if (pl_json_find(json, "tail") == NULL) return PL_OK;
  int32_t root = -1;
  pl_vec3 tail = {0, 0, 0};
  pl_character_label what;
  label_chain(json, what);
  pl_status status = read_root(gltf, c, json, &root);
  if (status >= 0) status = pl_character_get_vector(gltf, what, json, "tail", &tail);
  if (status < 0) return status;
  for (int32_t i = 0; i < c->view.spring_count; ++i) {
    pl_character_spring *spring = &c->springs[i];
    if (spring->joint_count == 0 || spring->joints[0].node != root) continue;
    spring->tail = pl_character_unscale(c, spring->joints[spring->joint_count - 1].node, tail);
    spring->has_tail = true;
    if (pl_vec3_length(spring->tail) > 0) return PL_OK;
    return pl_json_fail(gltf->document, pl_json_find(json, "tail"), gltf->error, PL_ERROR_INVALID_DATA,
                        "%s: the tail has no length", what);
  }
  return PL_OK;
}

pl_status pl_character_read_tails(pl_gltf *gltf, pl_character *character) {
  const pl_json *list = NULL;
  pl_status status = pl_character_get_array(gltf, "PLIANT_rod_examples", find_extension(gltf), "chains", &list);
  for (const pl_json *item = status < 0 ? NULL : pl_character_first(list); item != NULL && status >= 0;
       item = item->next)
    status = read_tail(gltf, character, item);
  return status;
}

static bool is_first_joint(const pl_character *c, int32_t node) {
  if (!c->is_passive[node]) return false;
  for (int32_t i = 0; i < c->view.spring_count; ++i)
    if (c->springs[i].joint_count > 0 && c->springs[i].joints[0].node == node) return true;
  return false;
}

// --- examples -----------------------------------------------------------------------------------------------------

static pl_status fail_example(const reading *r, const pl_json *json_node, const pl_character_example *example,
                              const char *text) {
  return pl_json_fail(r->gltf->document, json_node, r->gltf->error, PL_ERROR_INVALID_DATA,
                      "example \"%.100s\" of chain \"%.100s\" %s", example->name,
                      r->character->nodes[example->root].name, text);
}

static pl_status read_pose(const reading *r, const char *what, const pl_json *list, pl_character_example *example) {
  pl_character *c = r->character;
  static const char *const keys[] = {"node", "rotation"};
  int32_t count = list == NULL ? 0 : list->count, *nodes = PL_TAKE(&c->arena, int32_t, count);
  pl_quat *rotations = PL_TAKE(&c->arena, pl_quat, count);
  bool *is_seen = PL_TAKE(&r->gltf->arena, bool, c->view.node_count);
  if (nodes == NULL || rotations == NULL || is_seen == NULL) return pl_fail_memory(r->gltf->error);
  for (const pl_json *item = pl_character_first(list); item != NULL; item = item->next) {
    const pl_json *node = pl_json_find(item, "node"), *rotation = pl_json_find(item, "rotation");
    if (node == NULL || rotation == NULL) return fail_example(r, item, example, "has a joint without node or rotation");
    double q[4] = {0, 0, 0, 1};
    pl_status status = pl_character_get_index(r->gltf, what, node, c->view.node_count, "node", &nodes[item->index]);
    if (status >= 0) status = pl_character_get_numbers(r->gltf, what, item, "rotation", 4, q);
    if (status >= 0) status = pl_character_warn_unknown(r->gltf, item, keys, 2);
    if (status < 0) return status;
    int32_t own = nodes[item->index];
    if (!c->is_passive[own] || pl_character_chain_root(c, own) != example->root)
      return pl_json_fail(r->gltf->document, node, r->gltf->error, PL_ERROR_INVALID_DATA,
                          "%s turns node \"%.80s\", which is not of this chain", what, c->nodes[own].name);
    if (is_seen[own])
      return pl_json_fail(r->gltf->document, node, r->gltf->error, PL_ERROR_INVALID_DATA,
                          "%s turns node \"%.80s\" twice", what, c->nodes[own].name);
    is_seen[own] = true;
    pl_quat turn = {q[0], q[1], q[2], q[3]};
    if (!(pl_quat_dot(turn, turn) > 1e-12)) return fail_example(r, rotation, example, "has a rotation without length");
    rotations[item->index] = pl_quat_normalize(turn);
  }
  example->nodes = nodes;
  example->rotations = rotations;
  example->node_count = count;
  return PL_OK;
}

static pl_status read_view(const reading *r, const char *what, const pl_json *json, pl_character_example *example) {
  pl_status status = pl_character_get_vector(r->gltf, what, json, "direction", &example->direction);
  if (status >= 0) status = pl_character_get_number(r->gltf, what, json, "extent", &example->extent);
  if (status < 0) return status;
  if (example->extent < 0) return fail_example(r, pl_json_find(json, "extent"), example, "has a negative extent");
  bool aimless = !(pl_vec3_length(example->direction) > 1e-12);
  if (example->extent > 0 && aimless) {
    const pl_json *json_node = pl_json_find(json, "direction");
    return fail_example(r, json_node != NULL ? json_node : json, example,
                        "has an extent, but its direction to the camera has no length");
  }
  if (example->extent == 0 && !aimless)
    return pl_character_warn(r->gltf, json, "idle-direction", "the view does not drive it",
                             "give it an extent in radians", "%s has a direction, but no extent", what);
  return PL_OK;
}

static pl_status read_example(reading *r, int32_t root, const pl_json *json) {
  static const char *const keys[] = {"name", "direction", "extent", "joints"};
  pl_character_example *example = &r->examples[r->example_count];
  *example = (pl_character_example){.root = root};
  if (json->kind != PL_JSON_OBJECT)
    return pl_json_fail(r->gltf->document, json, r->gltf->error, PL_ERROR_INVALID_DATA, "an example must be an object");
  pl_status status = pl_character_get_name(r->gltf, r->character, json, "name", "example", json->index, &example->name);
  if (status < 0) return status;
  for (int32_t i = 0; i < r->example_count; ++i)
    if (r->examples[i].root == root && strcmp(r->examples[i].name, example->name) == 0)
      return fail_example(r, json, example, "has the name of another one before it");
  pl_character_label what;
  snprintf(what, sizeof what, "example \"%.60s\" of chain \"%.60s\"", example->name, r->character->nodes[root].name);
  const pl_json *joints = NULL;
  status = pl_character_warn_unknown(r->gltf, json, keys, 4);
  if (status >= 0) status = read_view(r, what, json, example);
  if (status >= 0) status = pl_character_get_array(r->gltf, what, json, "joints", &joints);
  if (status >= 0) status = read_pose(r, what, joints, example);
  r->example_count++;
  return status;
}

static pl_status read_chain(reading *r, const pl_json *json) {
  static const char *const keys[] = {"root", "tail", "examples"};
  pl_character_label what;
  label_chain(json, what);
  int32_t root = -1;
  const pl_json *examples = NULL;
  pl_status status = read_root(r->gltf, r->character, json, &root);
  if (status >= 0) status = pl_character_warn_unknown(r->gltf, json, keys, 3);
  if (status < 0) return status;
  // A spring that branches off another has no examples of its own, but it may have a tail.
  bool is_branch = pl_character_chain_root(r->character, root) != root;
  if (!is_first_joint(r->character, root) || (is_branch && pl_json_find(json, "examples") != NULL))
    return pl_json_fail(r->gltf->document, pl_json_find(json, "root"), r->gltf->error, PL_ERROR_INVALID_DATA,
                        "%s: its root, node \"%.80s\", is not the first joint of a spring", what,
                        r->character->nodes[root].name);
  status = pl_character_get_array(r->gltf, what, json, "examples", &examples);
  for (const pl_json *item = status < 0 ? NULL : pl_character_first(examples); item != NULL && status >= 0;
       item = item->next)
    status = read_example(r, root, item);
  return status;
}

static pl_status read_chains(reading *r, const pl_json *list) {
  int64_t count = 0;
  for (const pl_json *item = pl_character_first(list); item != NULL; item = item->next) {
    const pl_json *examples = pl_json_find(item, "examples");
    if (examples != NULL) count += examples->count;
  }
  r->examples = PL_TAKE(&r->character->arena, pl_character_example, count);
  if (r->examples == NULL) return pl_fail_memory(r->gltf->error);
  pl_status status = PL_OK;
  for (const pl_json *item = pl_character_first(list); item != NULL && status >= 0; item = item->next)
    status = read_chain(r, item);
  r->character->view.examples = r->examples;
  r->character->view.example_count = r->example_count;
  return status;
}

pl_status pl_character_read_examples(pl_gltf *gltf, pl_character *character) {
  static const char *const keys[] = {"specVersion", "chains", "rod", "joints", "links"};
  reading r = {.gltf = gltf, .character = character};
  const pl_json *extension = find_extension(gltf), *list = NULL;
  if (extension == NULL) return PL_OK;
  if (extension->kind != PL_JSON_OBJECT)
    return pl_json_fail(gltf->document, extension, gltf->error, PL_ERROR_INVALID_DATA,
                        "PLIANT_rod_examples must be an object");
  const char *version = "";
  if (!pl_json_get_text(pl_json_find(extension, "specVersion"), &version) || strncmp(version, "1.", 2) != 0)
    return pl_json_fail(gltf->document, extension, gltf->error, PL_ERROR_UNSUPPORTED,
                        "PLIANT_rod_examples must have a specVersion 1.x, not \"%.20s\"", version);
  pl_status status = pl_character_warn_unknown(gltf, extension, keys, 5);
  if (status >= 0) status = pl_character_get_array(gltf, "PLIANT_rod_examples", extension, "chains", &list);
  if (status >= 0) status = read_chains(&r, list);
  if (status >= 0) status = pl_character_read_rod(gltf, character, extension);
  return status;
}
