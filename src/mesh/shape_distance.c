// Signed distance of a shape made of nodes.
//
// Every node's value is a function of slope at most 1 that vanishes on its surface: then its size never exceeds the
// true distance, and a ball of that radius around the point holds no surface. Primitives are exact outside; operators
// keep the slope:
//
//   smooth minimum             m(a, b) = min(a, b) - max(k - |a - b|, 0)^2 / 4k, folded over the children in rising
//                              order of value, so that their order in the file does not matter
//   difference, intersection   by negation of the smooth minimum
//   bend, twist                value of the child at the point un-warped, capped at c and divided by L, where L bounds
//                              the stretch of the un-warping everywhere nearer than c to the child's box: beyond, the
//                              value is constant, so the unbounded stretch far away (twist) or at the centre (bend)
//                              does no harm
//
// Where a value may fall short of the distance to the node's box, the larger of both is taken: that restores a useful
// value far away.
#include "mesh/shape_distance.h"

#include <stddef.h>

// More children than this within one smoothness of each other are not blended.
enum { MAX_BLEND = 16 };

static double evaluate(const pl_shape *shape, int32_t index, pl_vec3 point, double limit);

static double box_distance(pl_box box, pl_vec3 p) {
  double x = fmax(fmax(box.min.x - p.x, p.x - box.max.x), 0), y = fmax(fmax(box.min.y - p.y, p.y - box.max.y), 0);
  double z = fmax(fmax(box.min.z - p.z, p.z - box.max.z), 0);
  return sqrt(x * x + y * y + z * z);
}

// The nearest point x of an ellipsoid with radii r to y has x_i = r_i² y_i / (t + r_i²), where t makes s_i = r_i y_i /
// (t + r_i²) a unit vector. Newton's method on 1/|s| = 1, which is almost linear in t, rises to the root without
// overshooting when started below it.
static double ellipsoid_distance(pl_vec3 radii, pl_vec3 p) {
  double r[3] = {radii.x, radii.y, radii.z}, y[3] = {fabs(p.x), fabs(p.y), fabs(p.z)}, t = -HUGE_VAL;
  double inside = 0;
  for (int i = 0; i < 3; ++i) {
    // A coordinate of exactly zero would hide the root at the pole of its term.
    y[i] = fmax(y[i], 1e-9 * r[i]);
    t = fmax(t, r[i] * (y[i] - r[i]));
    inside += y[i] / r[i] * (y[i] / r[i]);
  }
  for (int round = 0; round < 40; ++round) {
    double sum = 0, slope = 0;
    for (int i = 0; i < 3; ++i) {
      double inverse = 1 / (t + r[i] * r[i]), s = r[i] * y[i] * inverse;
      sum += s * s;
      slope += s * s * inverse;
    }
    double step = sum / slope * (sqrt(sum) - 1);
    t += step;
    if (!(step > 1e-13 * (fabs(t) + r[0] * r[0]))) break;
  }
  double square = 0;
  for (int i = 0; i < 3; ++i) {
    double offset = y[i] * t / (t + r[i] * r[i]);
    square += offset * offset;
  }
  return inside < 1 ? -sqrt(square) : sqrt(square);
}

// The capsule is the union of balls between two ends, the radius changing evenly. Along the axis the distance to the
// ball at s is convex, with its least value where the line to the point stands at right angles to the tapered side.
static double capsule_distance(const pl_shape_node *node, pl_vec3 p) {
  pl_vec3 axis = pl_vec3_sub(node->to, node->from), offset = pl_vec3_sub(p, node->from);
  double length = pl_vec3_length(axis), taper = node->radius - node->end_radius;
  if (fabs(taper) >= length) {
    // One end swallows the other.
    return taper >= 0 ? pl_vec3_length(offset) - node->radius : pl_vec3_distance(p, node->to) - node->end_radius;
  }
  double along = pl_vec3_dot(offset, axis) / length;
  double away = sqrt(fmax(pl_vec3_dot(offset, offset) - along * along, 0));
  double sine = taper / length;
  double s = fmin(fmax(along - away * sine / sqrt(1 - sine * sine), 0), length);
  return hypot(along - s, away) - (node->radius - sine * s);
}

static double rounded_box_distance(pl_vec3 half, double radius, pl_vec3 p) {
  pl_vec3 q = {fabs(p.x) - half.x + radius, fabs(p.y) - half.y + radius, fabs(p.z) - half.z + radius};
  pl_vec3 out = {fmax(q.x, 0), fmax(q.y, 0), fmax(q.z, 0)};
  return pl_vec3_length(out) + fmin(fmax(q.x, fmax(q.y, q.z)), 0) - radius;
}

// Distance to a closed polygon, negative inside (even-odd rule). With `open_axis`, edges on x = 0 are no surface: they
// lie on the axis of revolution, within the body.
static double outline_distance(const double *outline, int32_t count, double x, double y, bool open_axis) {
  double square = HUGE_VAL;
  bool inside = false;
  const double *a = &outline[2 * (count - 1)];
  for (int32_t i = 0; i < count; ++i) {
    const double *b = &outline[2 * i];
    double ex = b[0] - a[0], ey = b[1] - a[1], px = x - a[0], py = y - a[1];
    if (!(open_axis && a[0] == 0 && b[0] == 0)) {
      double length = ex * ex + ey * ey;
      double t = length > 0 ? fmin(fmax((px * ex + py * ey) / length, 0), 1) : 0;
      double dx = px - t * ex, dy = py - t * ey;
      square = fmin(square, dx * dx + dy * dy);
    }
    if ((a[1] > y) != (b[1] > y) && (px * ey - py * ex > 0) == (ey < 0)) inside = !inside;
    a = b;
  }
  return inside ? -sqrt(square) : sqrt(square);
}

static double extruded_distance(const pl_shape_node *node, pl_vec3 p) {
  double side = outline_distance(node->outline, node->outline_count, p.x, p.y, false) + node->radius;
  double cap = fabs(p.z) - 0.5 * node->size.z + node->radius;
  return hypot(fmax(side, 0), fmax(cap, 0)) + fmin(fmax(side, cap), 0) - node->radius;
}

// The few least values met so far, rising.
typedef struct blend {
  double values[MAX_BLEND];
  int count;
} blend;

static void blend_add(blend *b, double value) {
  if (b->count == MAX_BLEND && value >= b->values[MAX_BLEND - 1]) return;
  int i = b->count < MAX_BLEND ? b->count++ : MAX_BLEND - 1;
  for (; i > 0 && b->values[i - 1] > value; --i) b->values[i] = b->values[i - 1];
  b->values[i] = value;
}

static double blend_finish(const blend *b, double smoothness) {
  double min = b->values[0];
  for (int i = 1; i < b->count && b->values[i] - min < smoothness; ++i) {
    double gap = smoothness - fabs(b->values[i] - min);
    min = fmin(min, b->values[i]) - gap * gap / (4 * smoothness);
  }
  return min;
}

static double combined_distance(const pl_shape *shape, const pl_shape_node *node, pl_vec3 p, double limit) {
  blend b;
  b.count = 0;
  b.values[0] = HUGE_VAL;
  for (int32_t i = 0; i < node->child_count; ++i) {
    int32_t child = node->children[i];
    bool negated = node->kind == PL_SHAPE_INTERSECTION || (node->kind == PL_SHAPE_DIFFERENCE && i == 0);
    // A child farther than the least value plus the smoothness changes nothing; so does one beyond what the caller asks
    // for. Negated children have no such bound.
    double reach = HUGE_VAL;
    if (!negated && b.count > 0) reach = b.values[0] + node->smoothness;
    if (node->kind == PL_SHAPE_UNION) reach = fmin(reach, limit + 2.5 * node->smoothness);
    if (!negated && shape->caches != NULL && i > 0 && box_distance(shape->caches[child].placed_box, p) >= reach)
      continue;
    double value = evaluate(shape, child, p, reach);
    blend_add(&b, negated ? -value : value);
  }
  double min = blend_finish(&b, node->smoothness);
  return node->kind == PL_SHAPE_UNION ? min : -min;
}

// The X axis becomes a circle of curvature |amount| around (0, 1/amount).
static double bent_distance(const pl_shape *shape, const pl_shape_node *node, pl_vec3 p) {
  int32_t child = node->children[0];
  double curvature = fabs(node->amount), mirror = node->amount < 0 ? -1 : 1;
  if (curvature < 1e-9) return evaluate(shape, child, p, HUGE_VAL);
  pl_box box = pl_shape_node_placed_box(shape, child);
  double radius = 1 / curvature, inner = radius - fmax(mirror > 0 ? box.max.y : -box.min.y, 0);
  double down = radius - mirror * p.y;
  double x = atan2(p.x, down) * radius, y = mirror * (radius - hypot(p.x, down));
  // Both ways around the circle: the nearer one counts, so that the far side of the ring has no jump.
  double value = evaluate(shape, child, pl_vec3_of(x, y, p.z), HUGE_VAL);
  value = fmin(value, evaluate(shape, child, pl_vec3_of(x - copysign(2 * PL_PI * radius, x), y, p.z), value));
  return fmin(value, 0.25 * inner) * fmin(0.75 * inner * curvature, 1);
}

static double twisted_distance(const pl_shape *shape, const pl_shape_node *node, pl_vec3 p) {
  int32_t child = node->children[0];
  pl_box box = pl_shape_node_placed_box(shape, child);
  double radius = hypot(fmax(fabs(box.min.x), fabs(box.max.x)), fmax(fabs(box.min.z), fabs(box.max.z)));
  double cap = 0.25 * radius, shear = (radius + cap) * fabs(node->amount);
  double stretch = 0.5 * (shear + sqrt(shear * shear + 4));
  double c = cos(node->amount * p.y), s = sin(node->amount * p.y);
  pl_vec3 q = {c * p.x - s * p.z, p.y, s * p.x + c * p.z};
  return fmin(evaluate(shape, child, q, HUGE_VAL), cap) / stretch;
}

static double local_distance(const pl_shape *shape, int32_t index, pl_vec3 p, double limit) {
  const pl_shape_node *node = &shape->nodes[index];
  double value;
  switch (node->kind) {
    case PL_SHAPE_ELLIPSOID: return ellipsoid_distance(node->size, p);
    case PL_SHAPE_CAPSULE: return capsule_distance(node, p);
    case PL_SHAPE_BOX: return rounded_box_distance(pl_vec3_scale(node->size, 0.5), node->radius, p);
    case PL_SHAPE_REVOLVED: return outline_distance(node->outline, node->outline_count, hypot(p.x, p.z), p.y, true);
    case PL_SHAPE_EXTRUDED: return extruded_distance(node, p);
    case PL_SHAPE_UNION:
    case PL_SHAPE_DIFFERENCE: return combined_distance(shape, node, p, limit);
    case PL_SHAPE_INTERSECTION: value = combined_distance(shape, node, p, limit); break;
    case PL_SHAPE_BEND: value = bent_distance(shape, node, p); break;
    case PL_SHAPE_TWIST: value = twisted_distance(shape, node, p); break;
    default: return HUGE_VAL;
  }
  double outside = box_distance(pl_shape_node_box(shape, index), p);
  return outside > 0 ? fmax(value, outside) : value;
}

// The value where it is less than `limit`; otherwise anything from `limit` up.
static double evaluate(const pl_shape *shape, int32_t index, pl_vec3 point, double limit) {
  const pl_shape_node *node = &shape->nodes[index];
  if (shape->caches != NULL && limit < HUGE_VAL) {
    double outside = box_distance(shape->caches[index].placed_box, point);
    if (outside >= limit) return outside;
  }
  pl_vec3 p = pl_vec3_sub(point, node->placement.position);
  pl_mat3 m = shape->caches != NULL ? shape->caches[index].rotation
                                    : pl_mat3_from_quat(pl_quat_normalize(node->placement.rotation));
  double inverse = 1 / node->scale;
  pl_vec3 local = {(m.m[0][0] * p.x + m.m[1][0] * p.y + m.m[2][0] * p.z) * inverse,
                   (m.m[0][1] * p.x + m.m[1][1] * p.y + m.m[2][1] * p.z) * inverse,
                   (m.m[0][2] * p.x + m.m[1][2] * p.y + m.m[2][2] * p.z) * inverse};
  return local_distance(shape, index, local, limit * inverse) * node->scale;
}

double pl_shape_value(const pl_shape *shape, pl_vec3 point) {
  return evaluate(shape, shape->node_count - 1, point, HUGE_VAL);
}

double pl_shape_distance(const pl_shape_node *nodes, int32_t node_count, pl_vec3 point) {
  if (nodes == NULL || node_count < 1) return HUGE_VAL;
  pl_shape shape = {nodes, node_count, NULL};
  return pl_shape_value(&shape, point);
}

// Four values at the corners of a tetrahedron: cheaper than six on the axes, and without preference for an axis.
pl_vec3 pl_shape_gradient(const pl_shape *shape, pl_vec3 point, double step) {
  static const double corners[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  pl_vec3 gradient = {0, 0, 0};
  for (int i = 0; i < 4; ++i) {
    pl_vec3 corner = {corners[i][0], corners[i][1], corners[i][2]};
    gradient = pl_vec3_add_scaled(gradient, corner, pl_shape_value(shape, pl_vec3_add_scaled(point, corner, step)));
  }
  return pl_vec3_scale(gradient, 0.25 / step);
}
