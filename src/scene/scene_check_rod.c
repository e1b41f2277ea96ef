// What the tables cannot say about rods: names, numbers of points, poses that would stretch a chain.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pliant/math.h"
#include "rod/rod_skeleton.h"
#include "scene/scene_check.h"
#include "scene/scene_rod.h"

enum { MAX_NAMES = 64 };

static void check_joint_name(pl_scene_checker *c, const pl_scene_rod *rod, const pl_json *json, const char *key,
                             const char *name) {
  if (pl_scene_rod_find_joint(rod, name) >= 0) return;
  const char *names[MAX_NAMES];
  int32_t count = pl_scene_rod_joint_names(rod, names, MAX_NAMES);
  pl_checker_miss(c, pl_checker_position(json, key), "unknown-joint", "kinematic joint", name, names, count);
}

static void check_axis(pl_scene_checker *c, const pl_json *json, pl_vec3 axis) {
  if (!(pl_vec3_length(axis) > 1e-12))
    pl_checker_report(c, pl_checker_position(json, "axis"), "no-direction", "give an axis such as [1, 0, 0]",
                      "this axis has no length");
}

// --- examples
// -----------------------------------------------------------------------------------------------------------

// Points of an example must be as far apart as at rest; the chain cannot stretch.
static void check_lengths(pl_scene_checker *c, const pl_scene_rod_example *example, const pl_chain_shape *shape) {
  const pl_vec3 *points = example->points.items;
  const pl_json *json = pl_json_find(example->json, "points");
  if (example->points.count != shape->count) {
    pl_checker_report(c, json, "point-count", "give all points of the chain, then those of its branches",
                      "%d points where the chain has %d", example->points.count, shape->count);
    return;
  }
  if (pl_vec3_distance(points[0], shape->positions[0]) > 1e-4 * (1 + pl_vec3_length(points[0])))
    pl_checker_report(c, pl_json_at(json, 0), "moved-root", "begin with the first point of the chain",
                      "the root cannot be elsewhere than at rest");
  for (int32_t i = 1; i < shape->count; ++i) {
    int32_t p = shape->parents[i];
    double length = pl_vec3_distance(points[i], points[p]),
           rest = pl_vec3_distance(shape->positions[i], shape->positions[p]);
    if (fabs(length - rest) <= PL_ROD_LENGTH_TOLERANCE * rest) continue;
    char fix[160];
    snprintf(fix, sizeof fix,
             "move the point to %.6g m from the one before it, or pose the chain with `turns` or `curl`", rest);
    pl_checker_report(c, pl_json_at(json, i), "segment-length", fix,
                      "in example \"%s\" the segment to point %d is %.6g m long, but %.6g m at rest", example->name, i,
                      length, rest);
  }
}

static void check_view(pl_scene_checker *c, const pl_scene_rod_example *example) {
  const pl_json *direction = pl_json_find(example->json, "direction"), *extent = pl_json_find(example->json, "extent");
  if (direction != NULL && !(pl_vec3_length(example->direction) > 1e-12))
    pl_checker_report(c, direction, "no-direction", "give the direction to the camera, such as [0, 0, 1]",
                      "the view direction of example \"%s\" has no length", example->name);
  if (direction == NULL && extent != NULL && example->extent > 0)
    pl_checker_report(c, extent, "no-direction", "add `direction`, or remove `extent`",
                      "example \"%s\" has an extent but no direction", example->name);
}

// Bends are at points of a chain, or at nodes of a spring.
static void check_turns(pl_scene_checker *c, const pl_scene_rod_example *example, bool of_spring) {
  const char *wanted = of_spring ? "node" : "joint", *other = of_spring ? "joint" : "node";
  for (int32_t i = 0; i < example->turns.count; ++i) {
    const pl_scene_rod_turn *turn = &((const pl_scene_rod_turn *)example->turns.items)[i];
    if (turn->json == NULL) continue;
    check_axis(c, turn->json, turn->axis);
    if (pl_json_find(turn->json, wanted) == NULL)
      pl_checker_report(c, turn->json, "missing-key",
                        of_spring ? "add `node` with the name of a node of the spring"
                                  : "add `joint` with the number of a point of the chain",
                        "this turn has no `%s`", wanted);
    if (pl_json_find(turn->json, other) != NULL)
      pl_checker_report(c, pl_json_find(turn->json, other), "unused-key", "take it out",
                        of_spring ? "nodes of a spring have names; `joint` is for points of chains"
                                  : "points of a chain have numbers; `node` is for springs of a character");
  }
}

static void check_chain_example(pl_scene_checker *c, const pl_scene_rod_example *example, const pl_chain_shape *shape) {
  int given = (example->points.count > 0) + (example->turns.count > 0) + (example->curl.json != NULL);
  if (given != 1)
    pl_checker_report(c, example->json, "pose-choice", "keep exactly one",
                      "example \"%s\" is posed by `points`, `turns` or `curl`; %d of them are given", example->name,
                      given);
  for (int32_t i = 0; shape != NULL && i < example->turns.count; ++i) {
    const pl_scene_rod_turn *turn = &((const pl_scene_rod_turn *)example->turns.items)[i];
    if (turn->json != NULL && turn->joint >= shape->count)
      pl_checker_report(c, pl_checker_position(turn->json, "joint"), "unknown-point", "points are numbered from 0",
                        "there is no point %d; the chain has %d", (int)turn->joint, shape->count);
  }
  if (example->points.count > 0 && shape != NULL) check_lengths(c, example, shape);
}

static void check_spring_example(pl_scene_checker *c, const pl_scene_rod_example *example) {
  if (example->turns.count == 0 && example->curl.json == NULL)
    pl_checker_report(c, example->json, "pose-choice", "add `turns` or `curl`", "example \"%s\" has no pose",
                      example->name);
  if (pl_json_find(example->json, "points") != NULL)
    pl_checker_report(c, pl_json_find(example->json, "points"), "unused-key", "use `turns` or `curl`",
                      "a spring is posed by `turns` and `curl`; `points` are for chains");
}

// Examples of a chain with this shape (NULL: it has none), or of a spring.
static void check_examples(pl_scene_checker *c, const pl_scene_list *list, const pl_chain_shape *shape,
                           bool of_spring) {
  const pl_scene_rod_example *examples = list->items;
  for (int32_t i = 0; i < list->count; ++i) {
    const pl_scene_rod_example *example = &examples[i];
    if (example->json == NULL) continue;
    check_view(c, example);
    if (example->curl.json != NULL) check_axis(c, example->curl.json, example->curl.axis);
    check_turns(c, example, of_spring);
    if (of_spring)
      check_spring_example(c, example);
    else
      check_chain_example(c, example, shape);
    for (int32_t k = 0; k < i; ++k)
      if (example->name[0] != '\0' && strcmp(example->name, examples[k].name) == 0) {
        pl_checker_report(c, pl_checker_position(example->json, "name"), "same-name", "give it another name",
                          "this %s has two examples called \"%s\"", of_spring ? "spring" : "chain", example->name);
        break;
      }
  }
}

// --- chains
// -------------------------------------------------------------------------------------------------------------

// Branches of `count` points; returns how many points they have in all.
static int32_t check_branches(pl_scene_checker *c, const pl_scene_list *branches, int32_t count, bool *sound) {
  int32_t total = 0;
  for (int32_t i = 0; i < branches->count; ++i) {
    const pl_scene_rod_branch *branch = &((const pl_scene_rod_branch *)branches->items)[i];
    if (branch->json == NULL) *sound = false;
    if (branch->json != NULL && branch->at >= count) {
      pl_checker_report(c, pl_checker_position(branch->json, "at"), "unknown-point",
                        "points are numbered from 0, in the list of points next to this list of branches",
                        "there is no point %d to grow from; there are %d", (int)branch->at, count);
      *sound = false;
    }
    if (branch->points.count == 0) {
      pl_checker_report(c, branch->json, "no-points", "add `points`", "a branch needs at least one point");
      *sound = false;
    }
    if (total < 1000000)
      total += branch->points.count + check_branches(c, &branch->branches, branch->points.count, sound);
  }
  return total;
}

// The chain as one list of points if that can be made, or NULL.
static const pl_chain_shape *shape_of(pl_scene_checker *c, const pl_scene_rod_chain *chain, pl_chain_shape *shape) {
  bool sound = chain->points.count >= 2;
  if (!sound && pl_json_find(chain->json, "points") != NULL)
    pl_checker_report(c, pl_json_find(chain->json, "points"), "no-points", "add where its bone ends",
                      "a chain needs two or more points");
  int32_t count = chain->points.count + check_branches(c, &chain->branches, chain->points.count, &sound);
  if (count > PL_ROD_MAX_JOINTS) {
    pl_checker_report(c, chain->json, "too-many-points", "use longer segments, or several chains",
                      "a chain of %d points; at most %d are possible", count, PL_ROD_MAX_JOINTS);
    sound = false;
  }
  return sound && pl_chain_shape_fill(chain, shape) ? shape : NULL;
}

static void check_points(pl_scene_checker *c, const pl_scene_rod_chain *chain, const pl_chain_shape *shape) {
  for (int32_t i = 1; i < shape->count; ++i)
    if (!(pl_vec3_distance(shape->positions[i], shape->positions[shape->parents[i]]) > 1e-9))
      pl_checker_report(c, i < chain->points.count ? pl_json_at(pl_json_find(chain->json, "points"), i) : chain->json,
                        "no-length", "move it, or take it out", "the segment to point %d of chain \"%s\" has no length",
                        i, chain->name);
  const int32_t(*links)[2] = (const int32_t(*)[2])chain->links.items;
  for (int32_t i = 0; i < chain->links.count; ++i)
    if (links[i][0] >= shape->count || links[i][1] >= shape->count || links[i][0] == links[i][1])
      pl_checker_report(c, pl_json_at(pl_json_find(chain->json, "links"), i), "unknown-point",
                        "points are numbered from 0",
                        "a link from point %d to point %d, where the chain has %d; it joins two different ones",
                        links[i][0], links[i][1], shape->count);
  if (chain->links.count > PL_ROD_MAX_LINKS)
    pl_checker_report(c, pl_json_find(chain->json, "links"), "too-many-links", "take some out",
                      "%d links; at most %d are possible", chain->links.count, PL_ROD_MAX_LINKS);
}

static void check_collider_names(pl_scene_checker *c, const pl_scene_rod *rod, const pl_json *json,
                                 const pl_scene_list *chosen) {
  const pl_scene_rod_collider *colliders = rod->colliders.items;
  const char *names[MAX_NAMES];
  int32_t count = rod->colliders.count < MAX_NAMES ? rod->colliders.count : MAX_NAMES;
  for (int32_t i = 0; i < count; ++i) names[i] = colliders[i].name;
  for (int32_t k = 0; k < chosen->count; ++k) {
    const char *name = ((const char *const *)chosen->items)[k];
    int32_t i = 0;
    while (i < rod->colliders.count && strcmp(colliders[i].name, name) != 0) ++i;
    if (i == rod->colliders.count)
      pl_checker_miss(c, pl_json_at(pl_json_find(json, "colliders"), k), "unknown-collider",
                      "collider of this body called", name, names, count);
  }
}

static void check_chain(pl_scene_checker *c, const pl_scene_rod *rod, const pl_scene_rod_chain *chain) {
  if (chain->json == NULL) return;
  check_joint_name(c, rod, chain->json, "base", chain->base);
  check_joint_name(c, rod, chain->json, "center", chain->center);
  check_collider_names(c, rod, chain->json, &chain->colliders);
  pl_chain_shape shape;
  const pl_chain_shape *filled = shape_of(c, chain, &shape);
  if (filled != NULL) check_points(c, chain, filled);
  check_examples(c, &chain->examples, filled, false);
}

static void check_strands(pl_scene_checker *c, const pl_scene_body *body) {
  const pl_scene_rod_strands *strands = &body->rod.strands;
  if (strands->json == NULL) return;
  pl_checker_mesh_name(c, strands->json, strands->mesh);
  check_joint_name(c, &body->rod, strands->json, "joint", strands->joint);
  if (body->mesh[0] != '\0')
    pl_checker_report(c, strands->json, "rod-source", "make the mesh a body of its own",
                      "a body is drawn by its `mesh` or by `strands`, not by both");
  if (strands->guides == 0 && body->rod.chains.count == 0)
    pl_checker_report(c, pl_checker_position(strands->json, "guides"), "no-guides",
                      "give `guides`, or `chains` that strands can follow", "these strands have no guides");
}

static void check_skeleton(pl_scene_checker *c, const pl_scene_body *body) {
  const pl_scene_rod *rod = &body->rod;
  const pl_scene_rod_joint *joints = rod->joints.items;
  const pl_scene_rod_chain *chains = rod->chains.items;
  for (int32_t i = 0; i < rod->joints.count; ++i) {
    pl_checker_keys(c, &joints[i].keys);
    for (int32_t k = 0; k < i; ++k)
      if (joints[i].name[0] != '\0' && strcmp(joints[i].name, joints[k].name) == 0)
        pl_checker_report(c, pl_checker_position(joints[i].json, "name"), "same-name", "give it another name",
                          "two kinematic joints are called \"%s\"", joints[i].name);
  }
  for (int32_t i = 0; i < rod->chains.count; ++i) {
    check_chain(c, rod, &chains[i]);
    for (int32_t k = 0; k < i; ++k)
      if (chains[i].name[0] != '\0' && strcmp(chains[i].name, chains[k].name) == 0)
        pl_checker_report(c, pl_checker_position(chains[i].json, "name"), "same-name", "give it another name",
                          "two chains are called \"%s\"", chains[i].name);
  }
  check_strands(c, body);
  for (int32_t i = 0; i < rod->colliders.count; ++i) {
    const pl_scene_rod_collider *collider = &((const pl_scene_rod_collider *)rod->colliders.items)[i];
    if (collider->json == NULL) continue;
    check_joint_name(c, rod, collider->json, "joint", collider->joint);
    if (collider->def.shape == PL_COLLIDER_MESH) pl_checker_mesh_name(c, collider->json, collider->mesh);
  }
}

// Springs of a character; whether its nodes exist is known when it is loaded.
static void check_spring(pl_scene_checker *c, const pl_scene_rod *rod, const pl_scene_rod_spring *spring) {
  if (spring->json == NULL) return;
  check_collider_names(c, rod, spring->json, &spring->colliders);
  const pl_json *nodes = pl_json_find(spring->json, "nodes");
  if (nodes != NULL && spring->nodes.count == 0)
    pl_checker_report(c, nodes, "no-nodes", "name the first node that swings", "this spring has no nodes");
  check_examples(c, &spring->examples, NULL, true);
}

static void check_springs(pl_scene_checker *c, const pl_scene_rod *rod) {
  for (int32_t i = 0; i < rod->springs.count; ++i)
    check_spring(c, rod, &((const pl_scene_rod_spring *)rod->springs.items)[i]);
  for (int32_t i = 0; i < rod->colliders.count; ++i) {
    const pl_scene_rod_collider *collider = &((const pl_scene_rod_collider *)rod->colliders.items)[i];
    if (collider->json == NULL) continue;
    if (collider->joint[0] == '\0')
      pl_checker_report(c, collider->json, "missing-key", "add `joint` with the name of a node",
                        "a collider of a character needs a node to move with");
    if (collider->def.shape == PL_COLLIDER_BOX || collider->def.shape == PL_COLLIDER_MESH)
      pl_checker_report(c, pl_checker_position(collider->json, "shape"), "collider-shape",
                        "use spheres, capsules or half-spaces", "springs of a character know no boxes and meshes");
  }
  if (rod->colliders.count > 0 && rod->springs.count == 0)
    pl_checker_report(c, pl_json_find(rod->json, "colliders"), "rod-source", "add `springs`, or take them out",
                      "colliders of a character are for the `springs` that are added to it");
}

// A character brings skeleton and surface with it.
static void check_character(pl_scene_checker *c, const pl_scene_body *body) {
  static const char *const others[] = {"joints", "chains", "skin", "strands"};
  pl_checker_file(c, body->rod.json, "character", body->rod.character);
  if (body->rod.motion[0] != '\0') pl_checker_file(c, body->rod.json, "motion", body->rod.motion);
  if (body->rod.motion[0] != '\0' && body->rod.animation[0] != '\0')
    pl_checker_report(c, pl_json_find(body->rod.json, "motion"), "rod-source", "take out the one or the other",
                      "a character plays an `animation` or a `motion`, not both");
  check_springs(c, &body->rod);
  for (int i = 0; i < 4; ++i)
    if (pl_json_find(body->rod.json, others[i]) != NULL)
      pl_checker_report(c, pl_json_find(body->rod.json, others[i]), "rod-source", "take out the one or the other",
                        "a rod is a `character` or has `%s` of its own, not both", others[i]);
  if (body->mesh[0] != '\0')
    pl_checker_report(c, pl_checker_position(body->json, "mesh"), "rod-source", "take it out",
                      "a character has a surface of its own");
}

void pl_checker_rod(pl_scene_checker *c, const pl_scene_body *body) {
  const pl_scene_rod *rod = &body->rod;
  if (rod->json == NULL) {
    if (pl_json_find(body->json, "rod") == NULL)
      pl_checker_report(c, body->json, "missing-key", "add `rod` with a `character` or `chains`",
                        "this body has no `rod`");
    return;
  }
  if (rod->character[0] != '\0') {
    check_character(c, body);
    return;
  }
  if (rod->springs.count > 0)
    pl_checker_report(c, pl_json_find(rod->json, "springs"), "rod-source", "name a `character`, or use `chains`",
                      "`springs` are added to the nodes of a character");
  const char *played = rod->animation[0] != '\0' ? "animation" : "motion";
  if (rod->animation[0] != '\0' || rod->motion[0] != '\0')
    pl_checker_report(c, pl_json_find(rod->json, played), "rod-source",
                      "give kinematic joints `keys`, or name a `character`", "only a character has animations");
  // Led joints alone are enough for a mesh that only moves by key frames.
  if (pl_json_find(rod->json, "chains") == NULL && pl_json_find(rod->json, "joints") == NULL &&
      pl_json_find(rod->json, "strands") == NULL)
    pl_checker_report(c, rod->json, "missing-key", "add `character`, `chains`, `strands` or `joints`",
                      "this rod has neither a `character` nor `chains` nor `strands` nor `joints`");
  check_skeleton(c, body);
}
