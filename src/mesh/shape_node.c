// Checking the nodes of a shape, and boxes that are certain to hold it.
//
// Boxes are worked out bottom-up from the numbers of the nodes, never by sampling, so that no thin part is missed. The
// evaluator keeps the promise that makes them useful: the value of a node is never less than the distance to its box.
#include "mesh/shape_node.h"

#include <stdio.h>

#include "base/error.h"

// Deeper or more often shared trees than anybody models by hand; they would only exhaust the stack or the user's
// patience.
enum { MAX_DEPTH = 200, MAX_VISITS = 1 << 16 };

// Larger numbers make squares and products lose their meaning.
static const double max_length = 1e9;

pl_shape_node pl_default_shape_node(pl_shape_kind kind) {
  return (pl_shape_node){.kind = kind, .placement = pl_transform_identity(), .scale = 1};
}

static pl_box outline_box(const pl_shape_node *node) {
  pl_box box = pl_box_empty();
  for (int32_t i = 0; i < node->outline_count; ++i)
    box = pl_box_add_point(box, pl_vec3_of(node->outline[2 * i], node->outline[2 * i + 1], 0));
  return box;
}

static pl_box children_box(const pl_shape *shape, const pl_shape_node *node) {
  pl_box box = pl_shape_node_placed_box(shape, node->children[0]);
  if (node->kind == PL_SHAPE_DIFFERENCE) return box;
  for (int32_t i = 1; i < node->child_count; ++i) {
    pl_box other = pl_shape_node_placed_box(shape, node->children[i]);
    if (node->kind == PL_SHAPE_UNION)
      box = pl_box_merge(box, other);
    else
      box = (pl_box){pl_vec3_max(box.min, other.min), pl_vec3_min(box.max, other.max)};
  }
  // Each further child lowers a smooth minimum by at most a quarter of the smoothness, all together by at most five
  // quarters.
  if (node->kind == PL_SHAPE_UNION)
    box = pl_box_expand(box, node->smoothness * fmin(0.25 * (node->child_count - 1), 1.25));
  return box;
}

// Box of the ring sector that a box becomes when it is bent: extremes lie at its corners or where it crosses an axis.
static pl_box bent_box(pl_box child, double amount) {
  if (amount == 0) return child;
  double curvature = fabs(amount), radius = 1 / curvature;
  double min_y = amount > 0 ? child.min.y : -child.max.y, max_y = amount > 0 ? child.max.y : -child.min.y;
  double radii[2] = {radius - max_y, radius - min_y};
  double angles[7] = {curvature * child.min.x, curvature * child.max.x};
  int angle_count = 2;
  for (int quarter = -2; quarter <= 2; ++quarter) {
    double angle = quarter * (0.5 * PL_PI);
    if (angle > angles[0] && angle < angles[1]) angles[angle_count++] = angle;
  }
  pl_box box = pl_box_empty();
  for (int i = 0; i < angle_count; ++i)
    for (int k = 0; k < 2; ++k) {
      double y = radius - radii[k] * cos(angles[i]);
      box = pl_box_add_point(box, pl_vec3_of(radii[k] * sin(angles[i]), amount > 0 ? y : -y, 0));
    }
  box.min.z = child.min.z;
  box.max.z = child.max.z;
  return box;
}

static pl_box twisted_box(pl_box child) {
  double radius = hypot(fmax(fabs(child.min.x), fabs(child.max.x)), fmax(fabs(child.min.z), fabs(child.max.z)));
  return (pl_box){{-radius, child.min.y, -radius}, {radius, child.max.y, radius}};
}

// From the node's own numbers and the boxes of its children.
static pl_box find_box(const pl_shape *shape, int32_t index) {
  const pl_shape_node *node = &shape->nodes[index];
  pl_vec3 half = pl_vec3_scale(node->size, 0.5);
  switch (node->kind) {
    case PL_SHAPE_ELLIPSOID: return (pl_box){pl_vec3_scale(node->size, -1), node->size};
    case PL_SHAPE_CAPSULE:
      return pl_box_merge(pl_box_expand((pl_box){node->from, node->from}, node->radius),
                          pl_box_expand((pl_box){node->to, node->to}, node->end_radius));
    case PL_SHAPE_BOX: return (pl_box){pl_vec3_scale(half, -1), half};
    case PL_SHAPE_REVOLVED: {
      pl_box box = outline_box(node);
      return (pl_box){{-box.max.x, box.min.y, -box.max.x}, {box.max.x, box.max.y, box.max.x}};
    }
    case PL_SHAPE_EXTRUDED: {
      pl_box box = outline_box(node);
      return (pl_box){{box.min.x, box.min.y, -half.z}, {box.max.x, box.max.y, half.z}};
    }
    case PL_SHAPE_UNION:
    case PL_SHAPE_DIFFERENCE:
    case PL_SHAPE_INTERSECTION: return children_box(shape, node);
    case PL_SHAPE_BEND: return bent_box(pl_shape_node_placed_box(shape, node->children[0]), node->amount);
    case PL_SHAPE_TWIST: return twisted_box(pl_shape_node_placed_box(shape, node->children[0]));
  }
  return pl_box_empty();
}

pl_box pl_shape_node_box(const pl_shape *shape, int32_t index) {
  return shape->caches != NULL ? shape->caches[index].box : find_box(shape, index);
}

static pl_box place_box(const pl_shape_node *node, pl_mat3 rotation, pl_box box) {
  if (box.min.x > box.max.x || box.min.y > box.max.y || box.min.z > box.max.z) return pl_box_empty();
  pl_vec3 half = pl_vec3_scale(pl_vec3_sub(box.max, box.min), 0.5 * node->scale), reach;
  const double(*m)[3] = (const double(*)[3])rotation.m;
  reach.x = fabs(m[0][0]) * half.x + fabs(m[0][1]) * half.y + fabs(m[0][2]) * half.z;
  reach.y = fabs(m[1][0]) * half.x + fabs(m[1][1]) * half.y + fabs(m[1][2]) * half.z;
  reach.z = fabs(m[2][0]) * half.x + fabs(m[2][1]) * half.y + fabs(m[2][2]) * half.z;
  pl_vec3 center = pl_mat3_apply(rotation, pl_vec3_scale(pl_box_center(box), node->scale));
  center = pl_vec3_add(center, node->placement.position);
  return (pl_box){pl_vec3_sub(center, reach), pl_vec3_add(center, reach)};
}

pl_box pl_shape_node_placed_box(const pl_shape *shape, int32_t index) {
  if (shape->caches != NULL) return shape->caches[index].placed_box;
  const pl_shape_node *node = &shape->nodes[index];
  return place_box(node, pl_mat3_from_quat(pl_quat_normalize(node->placement.rotation)),
                   pl_shape_node_box(shape, index));
}

static pl_status refuse(pl_error *error, int32_t index, const char *field, const char *why) {
  char path[64];
  snprintf(path, sizeof path, "nodes[%d].%s", (int)index, field);
  return pl_fail_field(error, PL_ERROR_INVALID_DATA, path, "%s", why);
}

static bool is_length(double x) {
  return isfinite(x) && x >= 0 && x <= max_length;
}
static bool is_near(pl_vec3 v) {
  return fabs(v.x) <= max_length && fabs(v.y) <= max_length && fabs(v.z) <= max_length;
}

static pl_status check_outline(const pl_shape_node *node, int32_t index, pl_error *error) {
  if (node->outline == NULL || node->outline_count < 3)
    return refuse(error, index, "outline", "an outline needs at least three corners");
  double area = 0, reach = 0;
  for (int32_t i = 0; i < node->outline_count; ++i) {
    const double *a = &node->outline[2 * i], *b = &node->outline[2 * ((i + 1) % node->outline_count)];
    if (!(fabs(a[0]) <= max_length) || !(fabs(a[1]) <= max_length))
      return refuse(error, index, "outline", "the outline has a corner that is not a number or too far away");
    if (node->kind == PL_SHAPE_REVOLVED && a[0] < 0)
      return refuse(error, index, "outline",
                    "an outline that is turned around Y must not cross the axis: x must be at least 0");
    area += 0.5 * (a[0] * b[1] - a[1] * b[0]);
    reach = fmax(reach, fmax(fabs(a[0]), fabs(a[1])));
  }
  if (!(fabs(area) > 1e-12 * reach * reach)) return refuse(error, index, "outline", "the outline encloses no area");
  return PL_OK;
}

static pl_status check_primitive(const pl_shape_node *node, int32_t index, pl_error *error) {
  pl_vec3 size = node->size;
  double min = fmin(size.x, fmin(size.y, size.z));
  switch (node->kind) {
    case PL_SHAPE_ELLIPSOID:
    case PL_SHAPE_BOX:
      if (!is_near(size) || !(min > 0)) return refuse(error, index, "size", "all three sizes must be greater than 0");
      if (node->kind == PL_SHAPE_BOX && !(is_length(node->radius) && node->radius <= 0.5 * min))
        return refuse(error, index, "radius", "the rounding must be at least 0 and at most half the shortest edge");
      return PL_OK;
    case PL_SHAPE_CAPSULE:
      if (!is_near(node->from)) return refuse(error, index, "from", "not a number, or too far away");
      if (!is_near(node->to)) return refuse(error, index, "to", "not a number, or too far away");
      if (!is_length(node->radius)) return refuse(error, index, "radius", "must be at least 0");
      if (!is_length(node->end_radius)) return refuse(error, index, "end_radius", "must be at least 0");
      if (node->radius + node->end_radius <= 0)
        return refuse(error, index, "radius", "a capsule needs a radius at one end at least");
      return PL_OK;
    case PL_SHAPE_EXTRUDED:
      if (!(is_length(size.z) && size.z > 0))
        return refuse(error, index, "size", "the thickness size.z must be greater than 0");
      if (!(is_length(node->radius) && node->radius <= 0.5 * size.z))
        return refuse(error, index, "radius", "the rounding must be at least 0 and at most half the thickness");
      return check_outline(node, index, error);
    default: return check_outline(node, index, error);
  }
}

static pl_status check_children(const pl_shape_node *node, int32_t index, pl_error *error) {
  bool warps = node->kind == PL_SHAPE_BEND || node->kind == PL_SHAPE_TWIST;
  if (node->children == NULL || node->child_count < 1)
    return refuse(error, index, "children", "needs at least one child");
  if (warps && node->child_count != 1) return refuse(error, index, "children", "bend and twist take exactly one child");
  for (int32_t i = 0; i < node->child_count; ++i)
    if (node->children[i] < 0 || node->children[i] >= index)
      return refuse(error, index, "children", "a child must be a node that stands before its parent");
  if (!warps && !is_length(node->smoothness)) return refuse(error, index, "smoothness", "must be at least 0");
  if (warps && !(fabs(node->amount) <= max_length)) return refuse(error, index, "amount", "not a number, or too large");
  return PL_OK;
}

static bool is_primitive(pl_shape_kind kind) {
  return kind >= PL_SHAPE_ELLIPSOID && kind <= PL_SHAPE_EXTRUDED;
}

static pl_status check_node(const pl_shape_node *node, int32_t index, pl_error *error) {
  if (!(node->kind >= PL_SHAPE_ELLIPSOID && node->kind <= PL_SHAPE_TWIST))
    return refuse(error, index, "kind", "there is no such kind");
  pl_quat q = node->placement.rotation;
  double length = pl_quat_dot(q, q);
  if (!is_near(node->placement.position))
    return refuse(error, index, "placement.position", "not a number, or too far away");
  if (!isfinite(length) || !(length > 1e-12))
    return refuse(error, index, "placement.rotation", "must be a rotation; the identity is 0 0 0 1");
  if (!(is_length(node->scale) && node->scale > 0)) return refuse(error, index, "scale", "must be greater than 0");
  return is_primitive(node->kind) ? check_primitive(node, index, error) : check_children(node, index, error);
}

// A bend must neither fold its inner side through the centre nor close more than a full ring.
static pl_status check_bend(const pl_shape_node *node, int32_t index, pl_box child, pl_error *error) {
  double curvature = fabs(node->amount);
  double inner = node->amount > 0 ? child.max.y : -child.min.y;
  if (!(inner * curvature < 0.98))
    return refuse(error, index, "amount", "bends so tightly that the inner side folds over itself");
  if (!(fmax(-child.min.x, child.max.x) * curvature <= PL_PI))
    return refuse(error, index, "amount", "bends the child around more than a full circle");
  return PL_OK;
}

static pl_status check_depth(const pl_shape_node *node, int32_t index, int32_t *depths, int32_t *visits,
                             pl_error *error) {
  depths[index] = visits[index] = 1;
  for (int32_t i = 0; i < (is_primitive(node->kind) ? 0 : node->child_count); ++i) {
    int32_t child = node->children[i];
    if (depths[child] >= depths[index]) depths[index] = depths[child] + 1;
    visits[index] += visits[child];
    if (depths[index] > MAX_DEPTH) return refuse(error, index, "children", "nested too deeply");
    if (visits[index] > MAX_VISITS)
      return refuse(error, index, "children", "too many nodes below this one, shared ones counted each time");
  }
  return PL_OK;
}

pl_status pl_shape_prepare(pl_shape *shape, pl_arena *arena, const pl_shape_node *nodes, int32_t node_count,
                           pl_error *error) {
  if (nodes == NULL || node_count < 1)
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, "nodes", "a shape needs at least one node");
  pl_shape_cache *caches = PL_TAKE(arena, pl_shape_cache, node_count);
  int32_t *depths = PL_TAKE(arena, int32_t, node_count), *visits = PL_TAKE(arena, int32_t, node_count);
  if (caches == NULL || depths == NULL || visits == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < node_count; ++i) {
    pl_status status = check_node(&nodes[i], i, error);
    if (status == PL_OK) status = check_depth(&nodes[i], i, depths, visits, error);
    if (status == PL_OK && nodes[i].kind == PL_SHAPE_BEND && nodes[i].amount != 0)
      status = check_bend(&nodes[i], i, caches[nodes[i].children[0]].placed_box, error);
    if (status != PL_OK) return status;
    // Children stand before their parents, so their boxes are ready.
    pl_shape below = {nodes, node_count, caches};
    pl_mat3 rotation = pl_mat3_from_quat(pl_quat_normalize(nodes[i].placement.rotation));
    caches[i].rotation = rotation;
    caches[i].box = find_box(&below, i);
    caches[i].placed_box = place_box(&nodes[i], rotation, caches[i].box);
    if (caches[i].placed_box.min.x <= caches[i].placed_box.max.x &&
        (!is_near(caches[i].placed_box.min) || !is_near(caches[i].placed_box.max)))
      return refuse(error, i, "scale", "makes the shape too large");
  }
  *shape = (pl_shape){nodes, node_count, caches};
  return PL_OK;
}
