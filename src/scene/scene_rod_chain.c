// Chains of a scene as flat lists of points, and their poses by points, by bends, or by one even bend.
#include <math.h>
#include <string.h>

#include "pliant/math.h"
#include "scene/scene_rod.h"

// Ends of a list of points: radius and stiffness run evenly with the length in between.
typedef struct taper {
  double radius, tip_radius, stiffness, tip_stiffness;
} taper;

// Append a list of points that continues from joint `from` (-1: it begins with the root).
static bool add_points(pl_chain_shape *shape, const pl_scene_list *list, int32_t from, taper t) {
  const pl_vec3 *points = list->items;
  if (list->count == 0 || shape->count + list->count > PL_ROD_MAX_JOINTS) return false;
  double whole = 0, done = 0;
  pl_vec3 before = from < 0 ? points[0] : shape->positions[from];
  for (int32_t i = 0; i < list->count; ++i) whole += pl_vec3_distance(i == 0 ? before : points[i - 1], points[i]);
  for (int32_t i = 0; i < list->count; ++i) {
    int32_t at = shape->count++;
    done += pl_vec3_distance(before, points[i]);
    before = points[i];
    double fraction = whole > 0 ? done / whole : 0;
    shape->positions[at] = points[i];
    shape->parents[at] = i == 0 ? from : at - 1;
    shape->radii[at] = t.radius + (t.tip_radius - t.radius) * fraction;
    shape->stiffnesses[at] = t.stiffness + (t.tip_stiffness - t.stiffness) * fraction;
  }
  return true;
}

// Branches of the points that begin at `first`, `count` of them.
static bool add_branches(pl_chain_shape *shape, const pl_scene_list *branches, int32_t first, int32_t count,
                         taper chain) {
  for (int32_t i = 0; i < branches->count; ++i) {
    const pl_scene_rod_branch *branch = &((const pl_scene_rod_branch *)branches->items)[i];
    if (branch->at < 0 || branch->at >= count) return false;
    int32_t from = first + (int32_t)branch->at, begin = shape->count;
    taper t = chain;
    t.radius = branch->radius > 0 ? branch->radius : shape->radii[from];
    t.stiffness = shape->stiffnesses[from];
    if (branch->tip_radius > 0) t.tip_radius = branch->tip_radius;
    if (!add_points(shape, &branch->points, from, t)) return false;
    if (!add_branches(shape, &branch->branches, begin, branch->points.count, t)) return false;
  }
  return true;
}

bool pl_chain_shape_fill(const pl_scene_rod_chain *chain, pl_chain_shape *shape) {
  shape->count = 0;
  shape->segment_count = chain->points.count - 1;
  taper t = {chain->radius, chain->tip_radius > 0 ? chain->tip_radius : chain->radius, chain->stiffness,
             chain->tip_stiffness > 0 ? chain->tip_stiffness : chain->stiffness};
  return add_points(shape, &chain->points, -1, t) && add_branches(shape, &chain->branches, 0, chain->points.count, t);
}

// The turn of an example at one joint, on top of what those before it do.
static pl_quat turn_at(const pl_chain_shape *shape, const pl_scene_rod_example *example, int32_t joint) {
  const double radians = PL_PI / 180;
  if (example->curl.json != NULL)
    return pl_quat_from_axis_angle(
        example->curl.axis, example->curl.degrees * radians / (shape->segment_count > 0 ? shape->segment_count : 1));
  pl_quat turn = pl_quat_identity();
  for (int32_t i = 0; i < example->turns.count; ++i) {
    const pl_scene_rod_turn *t = &((const pl_scene_rod_turn *)example->turns.items)[i];
    if (t->joint == joint) turn = pl_quat_multiply(pl_quat_from_axis_angle(t->axis, t->degrees * radians), turn);
  }
  return turn;
}

bool pl_chain_shape_pose(const pl_chain_shape *shape, const pl_scene_rod_example *example, pl_vec3 *positions,
                         pl_quat *turns) {
  if (example->points.count > 0) {
    int32_t count = example->points.count < shape->count ? example->points.count : shape->count;
    memcpy(positions, example->points.items, (size_t)count * sizeof(pl_vec3));
    return false;
  }
  bool is_parent[PL_ROD_MAX_JOINTS] = {false};
  for (int32_t i = 1; i < shape->count; ++i) is_parent[shape->parents[i]] = true;
  for (int32_t i = 0; i < shape->count; ++i) {
    int32_t p = shape->parents[i];
    pl_quat before = p < 0 ? pl_quat_identity() : turns[p];
    pl_vec3 segment = pl_vec3_sub(shape->positions[i], p < 0 ? shape->positions[0] : shape->positions[p]);
    positions[i] = p < 0 ? shape->positions[0] : pl_vec3_add(positions[p], pl_quat_rotate(before, segment));
    // Nothing lies beyond a tip; it continues in the direction of its segment.
    turns[i] = is_parent[i] ? pl_quat_normalize(pl_quat_multiply(turn_at(shape, example, i), before)) : before;
  }
  return true;
}

bool pl_scene_example_is_viewed(const pl_scene_rod_example *example) {
  return example->extent > 0 && pl_json_find(example->json, "direction") != NULL;
}

int32_t pl_scene_rod_find_joint(const pl_scene_rod *rod, const char *name) {
  if (name[0] == '\0') return 0;
  if (rod->joints.count == 0) return strcmp(name, "base") == 0 ? 0 : -1;
  for (int32_t i = 0; i < rod->joints.count; ++i)
    if (strcmp(((const pl_scene_rod_joint *)rod->joints.items)[i].name, name) == 0) return i;
  return -1;
}

int32_t pl_scene_rod_joint_names(const pl_scene_rod *rod, const char **names, int32_t max) {
  if (rod->joints.count == 0) {
    names[0] = "base";
    return 1;
  }
  int32_t count = rod->joints.count < max ? rod->joints.count : max;
  for (int32_t i = 0; i < count; ++i) names[i] = ((const pl_scene_rod_joint *)rod->joints.items)[i].name;
  return count;
}
