// Cameras: axes and projection of one, and one that frames a box.
#include "render/render_camera.h"

#include "base/error.h"
#include "pliant/math.h"

#define RADIANS (PL_PI / 180)

pl_status pl_render_view_of_camera(const pl_camera *camera, pl_render_view *view, pl_error *error) {
  if (!pl_vec3_is_finite(camera->eye) || !pl_vec3_is_finite(camera->target) || !pl_vec3_is_finite(camera->up) ||
      !isfinite(camera->field_of_view))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "camera",
                         "eye, target, up and field of view must be finite");
  view->eye = camera->eye;
  view->distance = pl_vec3_distance(camera->eye, camera->target);
  if (view->distance < 1e-9) view->distance = 1;
  view->back = pl_vec3_normalize_or(pl_vec3_sub(camera->eye, camera->target), pl_vec3_of(0, 0, 1));
  pl_vec3 up = pl_vec3_normalize_or(camera->up, pl_vec3_of(0, 1, 0));
  pl_vec3 right = pl_vec3_cross(up, view->back);
  // Seen along `up`: the axis the view leans to least takes its place.
  if (pl_vec3_length(right) < 1e-6) right = pl_vec3_perpendicular(view->back);
  view->right = pl_vec3_normalize_or(right, pl_vec3_of(1, 0, 0));
  view->up = pl_vec3_cross(view->back, view->right);
  view->tangent = tan(0.5 * fmin(fmax(camera->field_of_view, 0.5 * RADIANS), 170 * RADIANS));
  return PL_OK;
}

void pl_render_view_matrix(const pl_render_view *view, pl_vec3 origin, double aspect, double nearest, double farthest,
                           float matrix[16]) {
  pl_vec3 eye = pl_vec3_sub(view->eye, origin);
  double sx = 1 / (view->tangent * aspect), sy = 1 / view->tangent;
  double a = -(farthest + nearest) / (farthest - nearest), b = -2 * farthest * nearest / (farthest - nearest);
  const pl_vec3 rows[4] = {pl_vec3_scale(view->right, sx), pl_vec3_scale(view->up, sy), pl_vec3_scale(view->back, a),
                           pl_vec3_scale(view->back, -1)};
  const double last[4] = {-pl_vec3_dot(rows[0], eye), -pl_vec3_dot(rows[1], eye), b - a * pl_vec3_dot(view->back, eye),
                          pl_vec3_dot(view->back, eye)};
  for (int r = 0; r < 4; ++r) {
    matrix[r] = (float)rows[r].x, matrix[4 + r] = (float)rows[r].y, matrix[8 + r] = (float)rows[r].z;
    matrix[12 + r] = (float)last[r];
  }
}

// The distance at which all corners of the box fit, and how far the picture's centre is from the middle of what is seen
// there.
static double fit_corners(pl_box box, pl_vec3 target, const pl_render_view *view, double aspect, pl_vec3 *shift) {
  const double fill = 0.85;  // share of the picture the box may take
  double distance = 0, min[2] = {HUGE_VAL, HUGE_VAL}, max[2] = {-HUGE_VAL, -HUGE_VAL};
  for (int pass = 0; pass < 2; ++pass) {
    for (int k = 0; k < 8; ++k) {
      pl_vec3 corner = {k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z};
      pl_vec3 q = pl_vec3_sub(corner, target);
      double x = pl_vec3_dot(q, view->right), y = pl_vec3_dot(q, view->up), z = pl_vec3_dot(q, view->back);
      if (pass == 0) {
        distance = fmax(distance, z + fmax(fabs(x) / aspect, fabs(y)) / (view->tangent * fill));
        continue;
      }
      const double at[2] = {x / (distance - z), y / (distance - z)};
      for (int c = 0; c < 2; ++c) min[c] = fmin(min[c], at[c]), max[c] = fmax(max[c], at[c]);
    }
  }
  *shift = pl_vec3_add(pl_vec3_scale(view->right, 0.5 * (min[0] + max[0]) * distance),
                       pl_vec3_scale(view->up, 0.5 * (min[1] + max[1]) * distance));
  return distance;
}

pl_camera pl_camera_frame_box(pl_box box, double aspect) {
  bool usable = pl_vec3_is_finite(box.min) && pl_vec3_is_finite(box.max) && box.min.x <= box.max.x &&
                box.min.y <= box.max.y && box.min.z <= box.max.z;
  if (!usable) box = (pl_box){{-0.5, 0, -0.5}, {0.5, 1, 0.5}};
  // A single point still needs some room around it.
  if (pl_box_diagonal(box) < 1e-9) box = pl_box_expand(box, 0.5);
  if (!(aspect > 0) || !isfinite(aspect)) aspect = 16.0 / 9.0;
  // Three quarters from the front, from slightly above, with a long lens: shapes keep their proportions.
  const double turn = 32 * RADIANS, lift = 17 * RADIANS, widest = 46 * RADIANS;
  const double field_of_view = fmin(28 * RADIANS, 2 * atan(tan(0.5 * widest) / aspect));
  pl_vec3 back = {sin(turn) * cos(lift), sin(lift), cos(turn) * cos(lift)};
  pl_vec3 target = pl_box_center(box);
  pl_camera camera = {pl_vec3_add(target, back), target, {0, 1, 0}, field_of_view};
  pl_render_view view;
  pl_render_view_of_camera(&camera, &view, NULL);
  double distance = 1;
  for (int i = 0; i < 8; ++i) {
    pl_vec3 shift;
    distance = fit_corners(box, target, &view, aspect, &shift);
    target = pl_vec3_add(target, shift);
  }
  camera.target = target;
  camera.eye = pl_vec3_add_scaled(target, back, distance);
  return camera;
}
