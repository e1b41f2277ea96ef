// Making and placing the surface of a collider.
//
// Corners and edges that are flat or hollow are no use to the search: there the corners of a body's triangles are
// first. A convex edge across which the surface turns by the angle θ reaches into a triangle with edges of length h,
// whose corners are outside, by at most
//
//   θ h / 4                     the triangle lies across the edge, half of it on either side
//   κ h² / 6                    many edges, one behind the other, of curvature κ = θ / length
//   h² / 6 R                    a ball of radius R, below the middle of an equilateral triangle
//
// to first order. Where that is less than the contact thickness of a body the points of the body do all the work.
#include "contact/collider_surface.h"

#include "base/error.h"
#include "mesh/simplex.h"
#include "mesh/triangle_tree.h"
#include "pliant/math.h"

// Points along the axis of a capsule are this fraction of its radius apart. Halfway between two of them a ball around
// either is 1/128 of the radius short of the capsule.
static const double AXIS_SPACING = 0.25;
// At most this many: of a wire that is longer, they are farther apart.
enum { MAX_AXIS_POINTS = 512 };
// No triangle is deeper than this fraction of its edges.
static const double MAX_SAG = 0.5;

// --- points and triangles

static bool take_points(pl_collider *collider, pl_collider_surface *surface, int32_t count, pl_vec3 **points) {
  *points = PL_TAKE(&collider->arena, pl_vec3, count);
  surface->form.point_count = surface->form.particle_count = count;
  surface->form.rest_points = *points;
  return *points != NULL;
}

static bool make_ball(pl_collider *collider, pl_collider_surface *surface) {
  pl_vec3 *points;
  surface->radius = collider->radius;
  return take_points(collider, surface, 1, &points);
}

static bool make_capsule(pl_collider *collider, pl_collider_surface *surface) {
  double spaces = ceil(2 * collider->half_length / (AXIS_SPACING * collider->radius));
  int32_t count = spaces < MAX_AXIS_POINTS - 1 ? (int32_t)spaces + 1 : MAX_AXIS_POINTS;
  pl_vec3 *points;
  surface->radius = collider->radius;
  if (!take_points(collider, surface, count, &points)) return false;
  for (int32_t i = 0; i < count && count > 1; ++i) points[i].y = collider->half_length * (2.0 * i / (count - 1) - 1);
  return true;
}

// Corner i has the signs of its bits. Faces are seen from outside.
static bool make_box(pl_collider *collider, pl_collider_surface *surface) {
  static const int32_t TRIANGLES[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                        2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
  pl_vec3 *points, half = collider->half_size;
  if (!take_points(collider, surface, 8, &points)) return false;
  for (int i = 0; i < 8; ++i)
    points[i] =
        (pl_vec3){(i & 1) != 0 ? half.x : -half.x, (i & 2) != 0 ? half.y : -half.y, (i & 4) != 0 ? half.z : -half.z};
  surface->form.triangles = TRIANGLES;
  surface->form.triangle_count = 12;
  return true;
}

// Points that a file repeats at seams are one, and those of no triangle are left out.
static bool make_mesh(pl_collider *collider, pl_collider_surface *surface) {
  const pl_triangle_tree *tree = collider->tree;
  int32_t *numbers = PL_TAKE(&collider->arena, int32_t, tree->point_count), count = 0;
  int32_t *triangles = PL_TAKE(&collider->arena, int32_t, 3 * (int64_t)tree->triangle_count);
  if (numbers == NULL || triangles == NULL) return false;
  for (int32_t i = 0; i < 3 * tree->triangle_count; ++i) {
    int32_t *number = &numbers[tree->welded[i]];
    if (*number == 0) *number = ++count;
    triangles[i] = *number - 1;
  }
  pl_vec3 *points;
  if (!take_points(collider, surface, count, &points)) return false;
  for (int32_t i = 0; i < tree->triangle_count; ++i)
    for (int k = 0; k < 3; ++k) points[triangles[3 * tree->boxes.order[i] + k]] = tree->corners[3 * i + k];
  surface->form.triangles = triangles;
  surface->form.triangle_count = tree->triangle_count;
  return true;
}

static bool make_form(pl_collider *collider, pl_collider_surface *surface) {
  switch (collider->shape) {
    case PL_COLLIDER_HALF_SPACE: break;
    case PL_COLLIDER_SPHERE: return make_ball(collider, surface);
    case PL_COLLIDER_CAPSULE: return make_capsule(collider, surface);
    case PL_COLLIDER_BOX: return make_box(collider, surface);
    case PL_COLLIDER_MESH: return make_mesh(collider, surface);
  }
  return false;
}

// Each point is a particle.
static bool take_parents(pl_collider *collider, pl_contact_surface *form) {
  int32_t *parents = PL_TAKE(&collider->arena, int32_t, 4 * (int64_t)form->point_count);
  float *weights = PL_TAKE(&collider->arena, float, 4 * (int64_t)form->point_count);
  if (parents == NULL || weights == NULL) return false;
  for (int32_t i = 0; i < form->point_count; ++i) {
    for (int k = 0; k < 4; ++k) parents[4 * i + k] = i;
    weights[4 * i] = 1;
  }
  form->parents = parents;
  form->weights = weights;
  return true;
}

// --- how sharp it is

// By how much a surface falls away over an edge, radians; 0 where it is flat or hollow. A border falls away as far as
// can be.
static double angle_over(const pl_surface_tree *tree, const pl_surface_edge *edge) {
  const pl_vec3 *points = tree->surface->rest_points;
  pl_vec3 a[3], b[3];
  if (edge->triangles[1] < 0 || edge->opposite[1] < 0) return PL_PI;
  pl_surface_corners(tree, points, edge->triangles[0], a);
  pl_surface_corners(tree, points, edge->triangles[1], b);
  pl_vec3 n = pl_triangle_normal(a[0], a[1], a[2]), m = pl_triangle_normal(b[0], b[1], b[2]);
  double rise = pl_vec3_dot(n, pl_vec3_sub(points[edge->opposite[1]], points[edge->points[0]]));
  return rise < 0 ? atan2(pl_vec3_length(pl_vec3_cross(n, m)), pl_vec3_dot(n, m)) : 0;
}

static bool measure_sharpness(pl_collider *collider, pl_collider_surface *surface) {
  const pl_surface_tree *tree = &surface->tree;
  double *angles = PL_TAKE(&collider->arena, double, surface->form.point_count);
  double *curvatures = PL_TAKE(&collider->arena, double, surface->form.point_count);
  if (angles == NULL || curvatures == NULL) return false;
  for (int32_t e = 0; e < tree->edge_count; ++e) {
    const pl_surface_edge *edge = &tree->edges[e];
    const pl_vec3 *points = surface->form.rest_points;
    double length = pl_vec3_distance(points[edge->points[0]], points[edge->points[1]]), angle = angle_over(tree, edge);
    if (!(angle > 0 && length > 0)) continue;
    for (int k = 0; k < 2; ++k) {
      int32_t i = edge->points[k];
      angles[i] = fmax(angles[i], angle);
      curvatures[i] = fmax(curvatures[i], angle / length);
      surface->max_angle = fmax(surface->max_angle, angle);
      surface->max_curvature = fmax(surface->max_curvature, angle / length);
    }
  }
  surface->angles = angles;
  surface->curvatures = curvatures;
  return true;
}

static double sag_of(double angle, double curvature, double size) {
  return fmin(fmax(0.25 * angle * size, curvature * size * size / 6), MAX_SAG * size);
}

double pl_collider_surface_sag(const pl_collider_surface *surface, int32_t point, double size) {
  if (surface->angles == NULL) return sag_of(0, 1 / surface->radius, size);
  return sag_of(surface->angles[point], surface->curvatures[point], size);
}

double pl_collider_surface_max_sag(const pl_collider_surface *surface, double size) {
  if (surface->angles == NULL) return sag_of(0, 1 / surface->radius, size);
  return sag_of(surface->max_angle, surface->max_curvature, size);
}

// --- life

pl_status pl_collider_surface_build(pl_collider *collider, pl_error *error) {
  pl_collider_surface *surface = PL_TAKE(&collider->arena, pl_collider_surface, 1);
  if (surface == NULL || !make_form(collider, surface) || !take_parents(collider, &surface->form))
    return pl_fail_memory(error);
  pl_status status =
      pl_surface_tree_build(&collider->arena, &surface->form, surface->form.rest_points, &surface->tree, error);
  if (status < 0) return status;
  if (surface->form.triangle_count > 0 && !measure_sharpness(collider, surface)) return pl_fail_memory(error);
  if (!pl_surface_motion_take(&collider->arena, &surface->tree, &surface->motion) ||
      !pl_surface_motion_take_boxes(&collider->arena, &surface->motion))
    return pl_fail_memory(error);
  collider->surface = surface;
  return PL_OK;
}

void pl_collider_surface_place(pl_collider_surface *surface, pl_transform start, pl_transform end) {
  if (surface->is_placed && pl_placement_is_same(&surface->start, &start) && pl_placement_is_same(&surface->end, &end))
    return;
  pl_surface_motion *motion = &surface->motion;
  int32_t count = surface->form.point_count;
  motion->start_box = motion->end_box = pl_box_empty();
  motion->drift = pl_vec3_of(0, 0, 0);
  for (int32_t i = 0; i < count; ++i) {
    motion->starts[i] = pl_transform_apply(start, surface->form.rest_points[i]);
    motion->ends[i] = pl_transform_apply(end, surface->form.rest_points[i]);
    pl_box_cover(&motion->start_box, motion->starts[i]);
    pl_box_cover(&motion->end_box, motion->ends[i]);
    motion->drift = pl_vec3_add(motion->drift, pl_vec3_sub(motion->ends[i], motion->starts[i]));
  }
  motion->drift = pl_vec3_scale(motion->drift, 1.0 / count);
  pl_surface_motion_refit(motion);
  surface->start = start;
  surface->end = end;
  surface->is_placed = true;
}
