// Checking a rod def and sorting its joints into chains.
#include "rod/rod_skeleton.h"

#include <math.h>
#include <stdio.h>

#include "base/context.h"
#include "base/error.h"
#include "examples/simplex_weights.h"
#include "pliant/math.h"
#include "rod/rod_parameters.h"

pl_rod_name pl_rod_name_of(const pl_rod_def *def, int32_t joint) {
  pl_rod_name name;
  const char *text = joint >= 0 && joint < def->joint_count ? def->joints[joint].name : NULL;
  if (text != NULL && text[0] != '\0')
    snprintf(name.text, sizeof name.text, "joint \"%.80s\"", text);
  else
    snprintf(name.text, sizeof name.text, "joint %d", joint);
  return name;
}

static pl_status check_numbers(const pl_rod_def *def, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_rod_def_parameters, def, error);
  if (status >= 0 && def->joint_count < 1)
    status = pl_fail_field(error, PL_ERROR_INVALID_DATA, "joints", "a rod body needs at least one joint");
  return status;
}

static pl_status check_joint(const pl_rod_def *def, int32_t i, pl_error *error) {
  const pl_rod_joint *j = &def->joints[i];
  pl_rod_name name = pl_rod_name_of(def, i);
  if (!pl_transform_is_valid(j->rest))
    return pl_fail(error, PL_ERROR_INVALID_DATA, "%s: its rest position must be finite and its rotation not zero",
                   name.text);
  pl_error local = {0};
  if (pl_parameters_check(&pl_rod_joint_parameters, j, &local) < 0)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "%s: %s: %s", name.text, local.field, local.text);
  if (j->parent >= def->joint_count || j->parent < -1)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "%s: its parent is joint %d, and there are %d joints", name.text,
                   j->parent, def->joint_count);
  if (j->parent == -1 && !j->kinematic)
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "%s has no parent and is not kinematic; make it kinematic, or give it a parent", name.text);
  if (j->parent >= 0 && j->kinematic && !def->joints[j->parent].kinematic)
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "%s is kinematic but its parent, %s, is passive; make the parent kinematic too", name.text,
                   pl_rod_name_of(def, j->parent).text);
  if (!j->kinematic && pl_vec3_length(pl_vec3_sub(j->rest.position, def->joints[j->parent].rest.position)) < 1e-9 &&
      !def->joints[j->parent].kinematic)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "%s is at the same position as its parent; a segment needs a length",
                   name.text);
  return PL_OK;
}

// Depth of a joint below the last kinematic one above it, 0 for kinematic joints; -1 when its ancestors go round in a
// circle.
static int32_t depth_of(const pl_rod_def *def, int32_t joint) {
  int32_t depth = 0, steps = 0;
  bool counting = true;
  for (int32_t i = joint; i >= 0; i = def->joints[i].parent) {
    if (def->joints[i].kinematic) counting = false;
    if (counting) ++depth;
    if (++steps > def->joint_count) return -1;
  }
  return depth;
}

static int32_t root_above(const pl_rod_def *def, int32_t joint) {
  while (!def->joints[def->joints[joint].parent].kinematic) joint = def->joints[joint].parent;
  return joint;
}

static pl_status sort_joints(pl_rod_skeleton *s, const int32_t *depths, pl_error *error) {
  const pl_rod_def *def = s->def;
  // Joints of a chain level by level: a counting sort over depth, stable in the order of the joints.
  int32_t deepest = 0;
  for (int32_t i = 0; i < def->joint_count; ++i) deepest = depths[i] > deepest ? depths[i] : deepest;
  for (int32_t i = 0; i < def->joint_count; ++i)
    if (s->chain_of[i] >= 0) s->chain_start[s->chain_of[i] + 1]++;
  for (int32_t c = 0; c < s->chain_count; ++c) {
    int32_t size = s->chain_start[c + 1];
    if (size > PL_ROD_MAX_JOINTS)
      return pl_fail(error, PL_ERROR_UNSUPPORTED, "the chain of %s has %d joints; at most %d are possible",
                     pl_rod_name_of(def, s->roots[c]).text, size, PL_ROD_MAX_JOINTS);
    if (size < 2)
      return pl_fail(error, PL_ERROR_INVALID_DATA,
                     "the chain of %s has one joint only; it needs a second one where its bone ends",
                     pl_rod_name_of(def, s->roots[c]).text);
    s->chain_start[c + 1] += s->chain_start[c];
  }
  for (int32_t depth = 1; depth <= deepest; ++depth)
    for (int32_t i = 0; i < def->joint_count; ++i)
      if (depths[i] == depth) {
        int32_t c = s->chain_of[i], at = s->chain_start[c];
        int32_t slot = s->filled[c]++;
        s->index_of[i] = slot;
        s->order[at + slot] = i;
      }
  return PL_OK;
}

static pl_status find_settings(pl_rod_skeleton *s, pl_error *error) {
  const pl_rod_def *def = s->def;
  for (int32_t k = 0; k < def->chain_count; ++k) {
    const pl_rod_chain *entry = &def->chains[k];
    int32_t root = entry->root, chain = root >= 0 && root < def->joint_count ? s->chain_of[root] : -1;
    if (chain < 0 || s->roots[chain] != root)
      return pl_fail(error, PL_ERROR_INVALID_DATA, "chain %d: %s is not the root of a chain", k,
                     pl_rod_name_of(def, root).text);
    if (entry->center != -1 &&
        (entry->center < 0 || entry->center >= def->joint_count || !def->joints[entry->center].kinematic))
      return pl_fail(error, PL_ERROR_INVALID_DATA, "chain %d: its center, %s, is not a kinematic joint", k,
                     pl_rod_name_of(def, entry->center).text);
    if (entry->collider_count > 0 && entry->colliders == NULL)
      return pl_fail(error, PL_ERROR_INVALID_DATA, "chain %d: %d colliders are announced, but there is no list of them",
                     k, entry->collider_count);
    for (int32_t i = 0; i < entry->collider_count; ++i)
      if (entry->colliders[i] < 0 || entry->colliders[i] >= def->collider_count)
        return pl_fail(error, PL_ERROR_INVALID_DATA, "chain %d: there is no collider %d", k, entry->colliders[i]);
    s->settings[chain] = entry;
  }
  for (int32_t k = 0; k < def->link_count; ++k) {
    const pl_rod_link *link = &def->links[k];
    bool known = link->from >= 0 && link->to >= 0 && link->from < def->joint_count && link->to < def->joint_count;
    if (!known || s->chain_of[link->from] < 0 || s->chain_of[link->from] != s->chain_of[link->to] ||
        link->from == link->to)
      return pl_fail(error, PL_ERROR_INVALID_DATA, "link %d: %s and %s are not two joints of one chain", k,
                     pl_rod_name_of(def, link->from).text, pl_rod_name_of(def, link->to).text);
  }
  return PL_OK;
}

pl_status pl_rod_skeleton_build(pl_arena *arena, const pl_rod_def *def, pl_rod_skeleton *skeleton, pl_error *error) {
  pl_status status = check_numbers(def, error);
  for (int32_t i = 0; status >= 0 && i < def->joint_count; ++i) status = check_joint(def, i, error);
  if (status < 0) return status;
  size_t n = (size_t)def->joint_count;
  pl_rod_skeleton s = {.def = def,
                       .kinematic_of = PL_TAKE(arena, int32_t, n),
                       .chain_of = PL_TAKE(arena, int32_t, n),
                       .roots = PL_TAKE(arena, int32_t, n),
                       .chain_start = PL_TAKE(arena, int32_t, n + 1),
                       .order = PL_TAKE(arena, int32_t, n),
                       .index_of = PL_TAKE(arena, int32_t, n),
                       .filled = PL_TAKE(arena, int32_t, n),
                       .settings = PL_TAKE(arena, const pl_rod_chain *, n)};
  int32_t *depths = PL_TAKE(arena, int32_t, n);
  if (arena->failed) return pl_fail_memory(error);
  for (int32_t i = 0; i < def->joint_count; ++i) {
    depths[i] = depth_of(def, i);
    if (depths[i] < 0)
      return pl_fail(error, PL_ERROR_INVALID_DATA,
                     "%s is among its own ancestors; a skeleton must not go round in circles",
                     pl_rod_name_of(def, i).text);
    s.kinematic_of[i] = def->joints[i].kinematic ? s.kinematic_count++ : -1;
    s.chain_of[i] = s.index_of[i] = -1;
  }
  for (int32_t i = 0; i < def->joint_count; ++i)
    if (depths[i] == 1) {
      s.roots[s.chain_count] = i;
      s.chain_of[i] = s.chain_count++;
    }
  for (int32_t i = 0; i < def->joint_count; ++i)
    if (depths[i] > 1) s.chain_of[i] = s.chain_of[root_above(def, i)];
  status = sort_joints(&s, depths, error);
  if (status >= 0) status = find_settings(&s, error);
  if (status >= 0) *skeleton = s;
  return status;
}
