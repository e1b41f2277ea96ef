// What can be said about the regions of a solid: of its examples, whether a region can be held in them; of a body,
// whether a region is inside out.
//
// A region holds a shape t by the rotation R nearest to sum m~ p t^T. In the pose itself, p = t up to a rotation, a
// turn by a small angle about the axis n costs (tr T - n^T T n) angle² / 2 with T = sum m~ t t^T, the least about the
// longest axis: the sum of the two smaller eigenvalues of T. Where an example squeezes a region to a line or a point,
// that is next to nothing: the region keeps its shape, but what lies on both sides of it turns freely. Regions that an
// example turns inside out are held as well as others.
#include <math.h>

#include "math/mat3.h"
#include "math/rotation.h"
#include "solid/solid_model.h"
#include "world/world_state.h"

// A region counts as squeezed to a line where its extent across, against that at rest, is less than this.
static const double MIN_EXTENT = 0.1;

typedef struct region_shape {
  pl_mat3 moments;  // sum m~ p q^T
  pl_mat3 spread;   // sum m~ q q^T
  pl_mat3 posed;    // sum m~ p p^T
} region_shape;

// A shape by particle: a pose, or the positions of a body.
typedef struct shape_points {
  const pl_vec3 *pose;
  const pl_f4 *positions;  // used where there is no pose
} shape_points;

static pl_vec3 point_at(shape_points points, int32_t i) {
  return points.pose != NULL ? points.pose[i] : pl_vec3_of_f4(points.positions[i]);
}

static region_shape measure_region(const pl_solid_model *model, int32_t r, shape_points points) {
  region_shape s = {pl_mat3_zero(), pl_mat3_zero(), pl_mat3_zero()};
  pl_vec3 c = {0, 0, 0}, c0 = {0, 0, 0};
  double mass = 0;
  for (int32_t e = model->region_start[r]; e < model->region_start[r + 1]; ++e) {
    int32_t i = model->region_particles[e];
    double m = (double)model->rest[i][3];
    mass += m;
    c = pl_vec3_add_scaled(c, point_at(points, i), m);
    c0 = pl_vec3_add_scaled(c0, pl_vec3_of_f4(model->rest[i]), m);
  }
  c = pl_vec3_scale(c, 1 / mass);
  c0 = pl_vec3_scale(c0, 1 / mass);
  for (int32_t e = model->region_start[r]; e < model->region_start[r + 1]; ++e) {
    int32_t i = model->region_particles[e];
    pl_vec3 p = pl_vec3_sub(point_at(points, i), c), q = pl_vec3_sub(pl_vec3_of_f4(model->rest[i]), c0);
    pl_vec3 weighted = pl_vec3_scale(p, (double)model->rest[i][3]);
    s.moments = pl_mat3_add(s.moments, pl_mat3_outer(weighted, q));
    s.posed = pl_mat3_add(s.posed, pl_mat3_outer(weighted, p));
    s.spread = pl_mat3_add(s.spread, pl_mat3_outer(pl_vec3_scale(q, (double)model->rest[i][3]), q));
  }
  return s;
}

// Volume of a region against that at rest: det of A = (sum m~ p q^T) (sum m~ q q^T)^-1.
static double volume_ratio(const region_shape *s) {
  return pl_mat3_determinant(s->moments) / pl_mat3_determinant(s->spread);
}

// Root of the two smaller eigenvalues' sum.
static double extent_across(pl_mat3 spread) {
  pl_vec3 values;
  pl_mat3 vectors;
  pl_symmetric_eigen(spread, &values, &vectors);
  return sqrt(fmax(values.y + values.z, 0));
}

void pl_solid_examples_mark(const pl_solid_model *model, int32_t example, const pl_vec3 *pose, uint32_t *weak) {
  for (int32_t r = 0; r < model->head.particle_count; ++r) {
    region_shape s = measure_region(model, r, (shape_points){.pose = pose});
    if (!(extent_across(s.posed) > MIN_EXTENT * extent_across(s.spread))) weak[r] |= UINT32_C(1) << example;
  }
}

bool pl_solid_is_held(const pl_model *model, int32_t example, int32_t point) {
  const pl_solid_model *solid = (const pl_solid_model *)model;
  if (model->method->move != pl_solid_move || example < 0 || example >= solid->examples.count) return true;
  if (point < 0 || point >= model->particle_count) return true;
  return (solid->examples.weak[solid->order.particle_of[point]] >> example & 1) == 0;
}

pl_status pl_solid_get_report(const pl_world *world, pl_body_id id, pl_solid_report *report) {
  const pl_body *body = pl_world_find_body(world, id);
  if (body == NULL) return PL_ERROR_NOT_FOUND;
  if (body->model->method->move != pl_solid_move) return PL_ERROR_UNSUPPORTED;
  const pl_solid_model *model = (const pl_solid_model *)body->model;
  shape_points points = {.positions = pl_solid_state_of(body->model, body->state).positions};
  *report = (pl_solid_report){.min_volume_ratio = HUGE_VAL};
  for (int32_t r = 0; r < model->head.particle_count; ++r) {
    region_shape s = measure_region(model, r, points);
    double ratio = volume_ratio(&s);
    report->inverted_count += !(ratio > 0);
    if (!(ratio < report->min_volume_ratio)) continue;
    report->min_volume_ratio = ratio;
    report->worst_point = model->order.point_of[r];
  }
  return PL_OK;
}
