// What only we know of a character, as the extension PLIANT_rod_examples: example poses of chains, numbers of joints
// and of the whole rod, links that close loops.
//
// A pose is written as rotations of nodes, which together with the file's translations place every joint. An example
// gives positions and maybe orientations; where these do not carry the joints below to their positions (or are not
// given) each joint is turned by the shortest arc that does, or, where it branches, by the rotation that does best.
#include <string.h>

#include "base/error.h"
#include "character/character_springs.h"
#include "character/character_write.h"
#include "math/mat3.h"
#include "math/rotation.h"

// --- poses ------------------------------------------------------------------------------------------------------

// The shortest rotation that takes the direction of a to that of b; any of the half turns where they are opposite.
static pl_quat shortest_arc(pl_vec3 a, pl_vec3 b) {
  pl_vec3 none = {0, 0, 0}, u = pl_vec3_normalize_or(a, none), v = pl_vec3_normalize_or(b, none),
          axis = pl_vec3_cross(u, v);
  double w = 1 + pl_vec3_dot(u, v);
  if (w > 1e-12) return pl_quat_normalize((pl_quat){axis.x, axis.y, axis.z, w});
  axis = pl_vec3_perpendicular(u);
  return (pl_quat){axis.x, axis.y, axis.z, 0};
}

// Orientation of `joint` in an example that is nearest to `guess` and carries the joints below to their positions.
static pl_quat turn_to_children(const pl_draft *draft, const pl_rod_example *example, int32_t joint, pl_quat guess) {
  const pl_rod_joint *joints = draft->rod->joints;
  pl_quat back = pl_quat_conjugate(pl_quat_normalize(joints[joint].rest.rotation));
  pl_mat3 sum = pl_mat3_zero();
  pl_vec3 offset = {0, 0, 0}, way = {0, 0, 0};
  int32_t count = 0;
  for (int32_t child = pl_draft_passive_child(draft, draft->first_child[joint]); child >= 0;
       child = pl_draft_passive_child(draft, draft->next_sibling[child]), ++count) {
    offset = pl_quat_rotate(back, pl_vec3_sub(joints[child].rest.position, joints[joint].rest.position));
    way = pl_vec3_sub(example->positions[child], example->positions[joint]);
    sum = pl_mat3_add(sum, pl_mat3_outer(way, offset));
  }
  if (count == 0) return guess;
  if (count == 1) return pl_quat_normalize(pl_quat_multiply(shortest_arc(pl_quat_rotate(guess, offset), way), guess));
  // Branches in one line leave their twist open; a trace of the guess decides it.
  sum = pl_mat3_add(sum, pl_mat3_scale(pl_mat3_from_quat(guess), 1e-9 * pl_mat3_norm(sum)));
  return pl_rotation_of_mat3(sum, guess);
}

static pl_status check_example(const pl_draft *draft, int32_t number) {
  const pl_rod_example *example = &draft->rod->examples[number];
  const char *name = example->name == NULL ? "" : example->name;
  if (example->root < 0 || example->root >= draft->rod->joint_count ||
      draft->chain_roots[example->root] != example->root)
    return pl_fail(draft->error, PL_ERROR_INVALID_DATA,
                   "example %d (\"%.60s\") names joint %d, which is not the root of a chain", number, name,
                   example->root);
  bool finite = example->positions != NULL && isfinite(example->extent) && example->extent >= 0;
  if (example->extent > 0)
    finite = finite && pl_vec3_length(example->direction) > 0 && pl_vec3_is_finite(example->direction);
  for (int32_t i = 0; finite && i < draft->rod->joint_count; ++i) {
    if (draft->chain_roots[i] != example->root) continue;
    pl_quat q = example->rotations == NULL ? pl_quat_identity() : example->rotations[i];
    double square = pl_quat_dot(q, q);
    finite = pl_vec3_is_finite(example->positions[i]) && isfinite(square) && square > 1e-12;
  }
  if (finite) return PL_OK;
  return pl_fail(draft->error, PL_ERROR_INVALID_DATA,
                 "example \"%.60s\" of the chain of \"%.60s\" has no positions, a number that is not finite, or a view "
                 "direction of no length",
                 name, draft->names[example->root]);
}

// `turns` is scratch: the orientation of each joint of the chain in the example.
static void add_example(pl_draft *draft, pl_json *list, int32_t number, pl_quat *turns) {
  const pl_rod_def *rod = draft->rod;
  const pl_rod_example *example = &rod->examples[number];
  pl_json *json = pl_draft_add_object(draft, list);
  pl_json_set_text(&draft->arena, json, "name", example->name == NULL ? "" : example->name);
  if (example->extent > 0) pl_draft_set_vector(draft, json, "direction", example->direction);
  pl_json_set_number(&draft->arena, json, "extent", example->extent);
  pl_json *joints = pl_draft_set_list(draft, json, "joints");
  for (int32_t i = 0; i < rod->joint_count; ++i) {
    int32_t joint = draft->order[i], parent = rod->joints[joint].parent;
    if (draft->chain_roots[joint] != example->root) continue;
    pl_quat rest = pl_quat_normalize(rod->joints[joint].rest.rotation),
            above_rest = pl_quat_normalize(rod->joints[parent].rest.rotation);
    pl_quat above = rod->joints[parent].kinematic ? above_rest : turns[parent];
    pl_quat carried = pl_quat_multiply(above, pl_quat_multiply(pl_quat_conjugate(above_rest), rest));
    pl_quat guess = pl_quat_normalize(example->rotations != NULL ? example->rotations[joint] : carried);
    turns[joint] = turn_to_children(draft, example, joint, guess);
    pl_json *entry = pl_draft_add_object(draft, joints);
    pl_json_set_number(&draft->arena, entry, "node", joint);
    pl_draft_set_rotation(draft, entry, "rotation",
                          pl_quat_normalize(pl_quat_multiply(pl_quat_conjugate(above), turns[joint])));
  }
}

static pl_status add_chains(pl_draft *draft, pl_json *extension) {
  const pl_rod_def *rod = draft->rod;
  pl_quat *turns = PL_TAKE(&draft->arena, pl_quat, rod->joint_count);
  pl_json **lists = PL_TAKE(&draft->arena, pl_json *, rod->joint_count);
  if (draft->arena.failed) return pl_fail_memory(draft->error);
  pl_json *chains = pl_draft_set_list(draft, extension, "chains");
  for (int32_t i = 0; i < rod->example_count; ++i) {
    pl_status status = check_example(draft, i);
    if (status < 0) return status;
    int32_t root = rod->examples[i].root;
    if (lists[root] == NULL) {
      pl_json *chain = pl_draft_add_object(draft, chains);
      pl_json_set_number(&draft->arena, chain, "root", root);
      lists[root] = pl_draft_set_list(draft, chain, "examples");
    }
    add_example(draft, lists[root], i, turns);
  }
  return PL_OK;
}

// --- numbers ----------------------------------------------------------------------------------------------------

static void add_joints(pl_draft *draft, pl_json *extension) {
  pl_json *list = pl_draft_set_list(draft, extension, "joints");
  for (int32_t i = 0; i < draft->rod->joint_count; ++i) {
    const pl_rod_joint *joint = &draft->rod->joints[i];
    if (joint->kinematic) continue;
    pl_json *json = pl_draft_add_object(draft, list);
    pl_json_set_number(&draft->arena, json, "node", i);
    pl_json_set_number(&draft->arena, json, "radius", joint->radius);
    pl_json_set_number(&draft->arena, json, "mass", joint->mass);
    pl_json_set_number(&draft->arena, json, "stiffness", joint->stiffness);
    pl_json_set_number(&draft->arena, json, "max_angle", joint->max_angle);
  }
}

static pl_status add_links(pl_draft *draft, pl_json *extension) {
  if (draft->rod->link_count == 0) return PL_OK;
  pl_json *list = pl_draft_set_list(draft, extension, "links");
  for (int32_t i = 0; i < draft->rod->link_count; ++i) {
    pl_rod_link link = draft->rod->links[i];
    if (link.from < 0 || link.from >= draft->rod->joint_count || link.to < 0 || link.to >= draft->rod->joint_count)
      return pl_fail(draft->error, PL_ERROR_INVALID_DATA, "link %d joins joints %d and %d, but there are %d", i,
                     link.from, link.to, draft->rod->joint_count);
    pl_json *pair = pl_json_add(list, pl_json_new(&draft->arena, PL_JSON_ARRAY));
    pl_json_add(pair, pl_json_new_number(&draft->arena, link.from));
    pl_json_add(pair, pl_json_new_number(&draft->arena, link.to));
  }
  return PL_OK;
}

pl_status pl_draft_add_examples(pl_draft *draft, pl_json *extensions) {
  pl_arena *arena = &draft->arena;
  pl_json *extension = pl_json_set(arena, extensions, "PLIANT_rod_examples", pl_json_new(arena, PL_JSON_OBJECT));
  pl_json_set_text(arena, extension, "specVersion", "1.0");
  pl_status status = add_chains(draft, extension);
  if (status < 0) return status;
  add_joints(draft, extension);
  status = add_links(draft, extension);
  if (status < 0) return status;
  pl_springs_set_rod(arena, extension, draft->rod);
  return PL_OK;
}
